/* vtk_grains.c: bodies and contacts as points; see vtk.h. */
#include <string.h>

#include "host/io/vtk_frame.h"

enum {
  POINT,
  RADIUS,
  ORIENTATION,
  VELOCITY,
  SPIN,
  ID,
  MATERIAL,
  TYPE,
  REACH,
  PART,
  MASS,
  CENTRE,
  COLUMNS
};

static const tl_vtk_array columns[COLUMNS] = {
    {TL_VTK_POINTS, "Points", TL_VTK_FLOAT64, 3, 0, NULL},
    {TL_VTK_POINT, "radius", TL_VTK_FLOAT64, 1, 0, NULL},
    {TL_VTK_POINT, "orientation", TL_VTK_FLOAT64, 4, 0, NULL},
    {TL_VTK_POINT, "velocity", TL_VTK_FLOAT64, 3, 0, NULL},
    {TL_VTK_POINT, "spin", TL_VTK_FLOAT64, 3, 0, NULL},
    {TL_VTK_POINT, "id", TL_VTK_INT32, 1, 0, NULL},
    {TL_VTK_POINT, "material", TL_VTK_INT32, 1, 0, NULL},
    {TL_VTK_POINT, "type", TL_VTK_INT32, 1, 0, NULL},
    {TL_VTK_POINT, "reach", TL_VTK_FLOAT64, 1, 0, NULL},
    {TL_VTK_POINT, "part", TL_VTK_INT32, 1, 0, NULL},
    {TL_VTK_POINT, "mass", TL_VTK_FLOAT64, 1, 0, NULL}, /* these two if masses are known */
    {TL_VTK_POINT, "centre", TL_VTK_FLOAT64, 3, 0, NULL}};

/* Bodies that are not free: walls have no point, and only their shapes tell of them else. */
enum { BODY_ID, BODY_POSITION, BODY_ORIENTATION, BODY_VELOCITY, BODY_SPIN, BODY_COLUMNS };

static const tl_vtk_array body_columns[BODY_COLUMNS] = {
    {TL_VTK_FIELD, "body_id", TL_VTK_INT32, 1, 0, NULL},
    {TL_VTK_FIELD, "body_position", TL_VTK_FLOAT64, 3, 0, NULL},
    {TL_VTK_FIELD, "body_orientation", TL_VTK_FLOAT64, 4, 0, NULL},
    {TL_VTK_FIELD, "body_velocity", TL_VTK_FLOAT64, 3, 0, NULL},
    {TL_VTK_FIELD, "body_spin", TL_VTK_FLOAT64, 3, 0, NULL}};

typedef struct grains {
  talus_context *context;
  const tl_frame *frame;
  int32_t *parts; /* points of each body so far */
  tl_bytes column[COLUMNS];
  tl_bytes connectivity, offsets;
  int64_t count;
  tl_bytes body[BODY_COLUMNS];
  int64_t body_count;
} grains;

static talus_status put(grains *g, int column, const void *value) {
  return tl_bytes_append(&g->column[column], value,
                         (size_t)columns[column].components * tl_vtk_size(columns[column].type));
}

/* A point of a body, `at` its place and radius what is drawn there. */
static talus_status add_point(grains *g, int32_t body, const double at[3], double radius,
                              int32_t material) {
  const tl_frame *frame = g->frame;
  const double *v = frame->velocity + 3 * (size_t)body, *w = frame->spin + 3 * (size_t)body;
  const double *x = frame->position + 3 * (size_t)body;
  const double a[3] = {at[0] - x[0], at[1] - x[1], at[2] - x[2]};
  const double moved[3] = {v[0] + w[1] * a[2] - w[2] * a[1], v[1] + w[2] * a[0] - w[0] * a[2],
                           v[2] + w[0] * a[1] - w[1] * a[0]};
  TL_TRY(put(g, POINT, at));
  TL_TRY(put(g, RADIUS, &radius));
  TL_TRY(put(g, ORIENTATION, frame->orientation + 4 * (size_t)body));
  TL_TRY(put(g, VELOCITY, moved));
  TL_TRY(put(g, SPIN, w));
  TL_TRY(put(g, ID, &frame->id[body]));
  TL_TRY(put(g, MATERIAL, &material));
  TL_TRY(put(g, TYPE, &frame->type[body]));
  TL_TRY(put(g, REACH, &frame->radius[body]));
  TL_TRY(put(g, PART, &g->parts[body]));
  if (frame->mass != NULL) {
    TL_TRY(put(g, MASS, &frame->mass[body]));
    TL_TRY(put(g, CENTRE, x));
  }
  g->parts[body]++;
  TL_TRY(tl_bytes_append(&g->connectivity, &g->count, sizeof g->count));
  g->count++;
  return tl_bytes_append(&g->offsets, &g->count, sizeof g->count);
}

static talus_status add_spheres(grains *g) {
  const tl_frame *frame = g->frame;
  for (int32_t s = 0; s < frame->shape_count; s++) {
    const tl_geometry *geometry = frame->shape_geometry[s];
    if (geometry->kind == TALUS_SHAPE_SPHERE) {
      const tl_pose pose = tl_frame_shape_pose(frame, s);
      TL_TRY(add_point(g, frame->shape_body[s], pose.position, geometry->radius,
                       frame->shape_material[s]));
    }
  }
  return TALUS_OK;
}

static talus_status add_others(grains *g) {
  const tl_frame *frame = g->frame;
  for (int32_t k = 0; k < frame->body_count; k++) {
    if (g->parts[k] == 0 && tl_frame_loose(frame, k)) {
      TL_TRY(add_point(g, k, frame->position + 3 * (size_t)k, 0.0, frame->material[k]));
    }
  }
  return TALUS_OK;
}

static talus_status add_bodies(grains *g) {
  const tl_frame *const frame = g->frame;
  for (int32_t k = 0; k < frame->body_count && frame->mass != NULL; k++) {
    const void *const value[BODY_COLUMNS] = {
        &frame->id[k], frame->position + 3 * (size_t)k, frame->orientation + 4 * (size_t)k,
        frame->velocity + 3 * (size_t)k, frame->spin + 3 * (size_t)k};
    if (frame->type[k] == TALUS_BODY_FREE) {
      continue;
    }
    for (int c = 0; c < BODY_COLUMNS; c++) {
      TL_TRY(
          tl_bytes_append(&g->body[c], value[c],
                          (size_t)body_columns[c].components * tl_vtk_size(body_columns[c].type)));
    }
    g->body_count++;
  }
  return TALUS_OK;
}

static talus_status encode(grains *g, tl_bytes *file) {
  const tl_frame *frame = g->frame;
  const int64_t plane = frame->plane;
  const int64_t periodic = frame->periodic;
  int32_t count = 5;
  tl_vtk_array array[COLUMNS + BODY_COLUMNS + 9] = {
      {TL_VTK_FIELD, "TimeValue", TL_VTK_FLOAT64, 1, 1, &frame->time},
      {TL_VTK_FIELD, "step", TL_VTK_INT64, 1, 1, &frame->step},
      {TL_VTK_FIELD, "plane", TL_VTK_INT64, 1, 1, &plane},
      {TL_VTK_VERTS, "connectivity", TL_VTK_INT64, 1, g->count, g->connectivity.memory},
      {TL_VTK_VERTS, "offsets", TL_VTK_INT64, 1, g->count, g->offsets.memory}};
  if (periodic != 0) {
    array[count++] = (tl_vtk_array){TL_VTK_FIELD, "cell_periodic", TL_VTK_INT64, 1, 1, &periodic};
    array[count++] =
        (tl_vtk_array){TL_VTK_FIELD, "cell_origin", TL_VTK_FLOAT64, 3, 1, frame->origin};
    array[count++] = (tl_vtk_array){TL_VTK_FIELD, "cell_edge", TL_VTK_FLOAT64, 6, 1, frame->edge};
    array[count++] = (tl_vtk_array){TL_VTK_FIELD, "cell_rate", TL_VTK_FLOAT64, 6, 1, frame->rate};
  }
  for (int k = 0; k < (frame->mass != NULL ? COLUMNS : MASS); k++) {
    array[count] = columns[k];
    array[count].count = g->count;
    array[count++].value = g->column[k].memory;
  }
  for (int k = 0; k < BODY_COLUMNS && frame->mass != NULL; k++) {
    array[count] = body_columns[k];
    array[count].count = g->body_count;
    array[count++].value = g->body[k].memory;
  }
  return tl_vtk_encode(g->context, array, count, file);
}

static talus_status build(grains *g, tl_bytes *file) {
  void *memory;
  const size_t count = (size_t)g->frame->body_count;
  TL_TRY(tl_alloc(g->context, &memory, count, sizeof *g->parts, "frame"));
  g->parts = memory;
  memset(g->parts, 0, count * sizeof *g->parts);
  TL_TRY(add_spheres(g));
  TL_TRY(add_others(g));
  TL_TRY(add_bodies(g));
  return encode(g, file);
}

talus_status tl_vtk_grains(talus_context *context, const tl_frame *frame, tl_bytes *file) {
  grains g;
  memset(&g, 0, sizeof g);
  g.context = g.connectivity.context = g.offsets.context = context;
  g.frame = frame;
  for (int k = 0; k < COLUMNS; k++) {
    g.column[k].context = context;
  }
  for (int k = 0; k < BODY_COLUMNS; k++) {
    g.body[k].context = context;
  }
  const talus_status status = build(&g, file);
  for (int k = 0; k < COLUMNS; k++) {
    tl_bytes_release(&g.column[k]);
  }
  for (int k = 0; k < BODY_COLUMNS; k++) {
    tl_bytes_release(&g.body[k]);
  }
  tl_bytes_release(&g.connectivity);
  tl_bytes_release(&g.offsets);
  tl_free(context, g.parts);
  return status;
}

talus_status tl_vtk_contacts(talus_context *context, const tl_frame *frame, tl_bytes *file) {
  void *memory;
  const int64_t count = frame->contact_count;
  TL_TRY(tl_alloc(context, &memory, 2 * (size_t)count, sizeof(int64_t), "frame"));
  int64_t *connectivity = memory, *offsets = connectivity + count;
  for (int64_t k = 0; k < count; k++) {
    connectivity[k] = k;
    offsets[k] = k + 1;
  }
  const tl_vtk_array array[] = {
      {TL_VTK_FIELD, "TimeValue", TL_VTK_FLOAT64, 1, 1, &frame->time},
      {TL_VTK_FIELD, "step", TL_VTK_INT64, 1, 1, &frame->step},
      {TL_VTK_POINT, "normal", TL_VTK_FLOAT64, 3, count, frame->contact_normal},
      {TL_VTK_POINT, "force", TL_VTK_FLOAT64, 3, count, frame->contact_force},
      {TL_VTK_POINT, "gap", TL_VTK_FLOAT64, 1, count, frame->contact_gap},
      {TL_VTK_POINT, "body", TL_VTK_INT32, 2, count, frame->contact_body},
      {TL_VTK_POINTS, "Points", TL_VTK_FLOAT64, 3, count, frame->contact_point},
      {TL_VTK_VERTS, "connectivity", TL_VTK_INT64, 1, count, connectivity},
      {TL_VTK_VERTS, "offsets", TL_VTK_INT64, 1, count, offsets}};
  const talus_status status =
      tl_vtk_encode(context, array, (int32_t)(sizeof array / sizeof *array), file);
  tl_free(context, memory);
  return status;
}
