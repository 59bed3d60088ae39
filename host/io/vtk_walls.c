/* vtk_walls.c: the shapes that are no spheres as triangles, and in field data as what they are. */
#include <string.h>

#include "host/io/vtk_frame.h"
#include "host/io/vtk_surface.h"

enum { ID, KIND, MATERIAL, TYPE, POSITION, ROTATION, PARAMETER, FIELDS };

static const tl_vtk_array fields[FIELDS] = {
    {TL_VTK_FIELD, "shape_id", TL_VTK_INT32, 1, 0, NULL},
    {TL_VTK_FIELD, "shape_kind", TL_VTK_INT32, 1, 0, NULL},
    {TL_VTK_FIELD, "shape_material", TL_VTK_INT32, 1, 0, NULL},
    {TL_VTK_FIELD, "shape_type", TL_VTK_INT32, 1, 0, NULL},
    {TL_VTK_FIELD, "shape_position", TL_VTK_FLOAT64, 3, 0, NULL},
    {TL_VTK_FIELD, "shape_rotation", TL_VTK_FLOAT64, 9, 0, NULL},
    {TL_VTK_FIELD, "shape_parameter", TL_VTK_FLOAT64, TL_SHAPE_PARAMETERS, 0, NULL}};

typedef struct walls {
  talus_context *context;
  const tl_frame *frame;
  tl_surface surface;
  tl_bytes field[FIELDS];
  tl_bytes body; /* int32_t: index of each shape's body */
  int64_t *offsets;
  int32_t *owner; /* [4][triangles]: the columns of surface.owner */
  double *motion; /* [2][3 triangles]: velocity and spin of the triangle's body; moving ones only */
  int32_t count;
} walls;

static talus_status put(walls *w, int field, const void *value) {
  return tl_bytes_append(&w->field[field], value,
                         (size_t)fields[field].components * tl_vtk_size(fields[field].type));
}

static talus_status add_shape(walls *w, int32_t s, tl_surface_end *end) {
  const tl_frame *frame = w->frame;
  const tl_geometry *geometry = frame->shape_geometry[s];
  const tl_pose pose = tl_frame_shape_pose(frame, s);
  const int32_t body = frame->shape_body[s];
  const int32_t owner[4] = {frame->id[body], w->count, frame->shape_material[s], geometry->kind};
  const double parameter[TL_SHAPE_PARAMETERS] = {geometry->radius, geometry->half_length,
                                                 geometry->half_edge[0], geometry->half_edge[1],
                                                 geometry->half_edge[2]};
  TL_TRY(put(w, ID, &frame->id[body]));
  TL_TRY(put(w, KIND, &geometry->kind));
  TL_TRY(put(w, MATERIAL, &frame->shape_material[s]));
  TL_TRY(put(w, TYPE, &frame->type[body]));
  TL_TRY(put(w, POSITION, pose.position));
  TL_TRY(put(w, ROTATION, pose.rotation));
  TL_TRY(put(w, PARAMETER, parameter));
  TL_TRY(tl_bytes_append(&w->body, &body, sizeof body));
  w->count++;
  if (geometry->kind == TALUS_SHAPE_HALFSPACE) {
    TL_TRY(tl_frame_outline(w->context, frame, s, &end->outline));
  }
  const talus_status status = tl_surface_add(&w->surface, geometry, &pose, owner, end);
  tl_outline_release(w->context, &end->outline);
  return status;
}

static talus_status columns_split(walls *w, int64_t triangles) {
  void *memory;
  TL_TRY(tl_alloc(w->context, &memory, (size_t)triangles, sizeof *w->offsets, "frame"));
  w->offsets = memory;
  TL_TRY(tl_alloc(w->context, &memory, 4 * (size_t)triangles, sizeof *w->owner, "frame"));
  w->owner = memory;
  const int32_t *rows = (const int32_t *)(const void *)w->surface.owner.memory;
  for (int64_t k = 0; k < triangles; k++) {
    w->offsets[k] = 3 * (k + 1);
    for (int i = 0; i < 4; i++) {
      w->owner[i * triangles + k] = rows[4 * k + i];
    }
  }
  return TALUS_OK;
}

/* One velocity and one spin per body, so that a grain has one colour whatever its shape. */
static talus_status motion_spread(walls *w, int64_t triangles) {
  void *memory;
  TL_TRY(tl_alloc(w->context, &memory, 6 * (size_t)triangles, sizeof *w->motion, "frame"));
  w->motion = memory;
  const int32_t *rows = (const int32_t *)(const void *)w->surface.owner.memory;
  const int32_t *body = (const int32_t *)(const void *)w->body.memory;
  for (int64_t k = 0; k < triangles; k++) {
    const size_t of = 3 * (size_t)body[rows[4 * k + 1]];
    memcpy(w->motion + 3 * k, w->frame->velocity + of, 3 * sizeof(double));
    memcpy(w->motion + 3 * (triangles + k), w->frame->spin + of, 3 * sizeof(double));
  }
  return TALUS_OK;
}

/* Neither step nor time: an unmoved wall gives the same file. */
static talus_status encode(walls *w, int fixed, tl_bytes *file) {
  const int64_t triangles = (int64_t)(w->surface.triangle.size / 24);
  const int64_t points = (int64_t)(w->surface.point.size / 24);
  TL_TRY(columns_split(w, triangles));
  tl_vtk_array array[FIELDS + 9] = {
      {TL_VTK_CELL, "id", TL_VTK_INT32, 1, triangles, w->owner},
      {TL_VTK_CELL, "shape", TL_VTK_INT32, 1, triangles, w->owner + triangles},
      {TL_VTK_CELL, "material", TL_VTK_INT32, 1, triangles, w->owner + 2 * triangles},
      {TL_VTK_CELL, "kind", TL_VTK_INT32, 1, triangles, w->owner + 3 * triangles},
      {TL_VTK_POINTS, "Points", TL_VTK_FLOAT64, 3, points, w->surface.point.memory},
      {TL_VTK_POLYS, "connectivity", TL_VTK_INT64, 1, 3 * triangles, w->surface.triangle.memory},
      {TL_VTK_POLYS, "offsets", TL_VTK_INT64, 1, triangles, w->offsets}};
  for (int k = 0; k < FIELDS; k++) {
    array[7 + k] = fields[k];
    array[7 + k].count = w->count;
    array[7 + k].value = w->field[k].memory;
  }
  if (!fixed) {
    TL_TRY(motion_spread(w, triangles));
    array[FIELDS + 7] =
        (tl_vtk_array){TL_VTK_CELL, "velocity", TL_VTK_FLOAT64, 3, triangles, w->motion};
    array[FIELDS + 8] = (tl_vtk_array){TL_VTK_CELL, "spin",    TL_VTK_FLOAT64,
                                       3,           triangles, w->motion + 3 * triangles};
  }
  return tl_vtk_encode(w->context, array, FIELDS + (fixed ? 7 : 9), file);
}

static talus_status build(walls *w, int fixed, tl_bytes *file) {
  const tl_frame *frame = w->frame;
  tl_surface_end end;
  memset(&end, 0, sizeof end);
  tl_frame_extent(frame, end.centre, &end.reach);
  for (int32_t s = 0; s < frame->shape_count; s++) {
    const bool is_fixed = frame->type[frame->shape_body[s]] == TALUS_BODY_FIXED;
    if (is_fixed == fixed && frame->shape_geometry[s]->kind != TALUS_SHAPE_SPHERE) {
      TL_TRY(add_shape(w, s, &end));
    }
  }
  return encode(w, fixed, file);
}

talus_status tl_vtk_surfaces(talus_context *context, const tl_frame *frame, int fixed,
                             tl_bytes *file, int32_t *count) {
  walls w;
  memset(&w, 0, sizeof w);
  w.context = context;
  w.frame = frame;
  w.surface.point.context = w.surface.triangle.context = w.surface.owner.context = context;
  w.body.context = context;
  for (int k = 0; k < FIELDS; k++) {
    w.field[k].context = context;
  }
  const talus_status status = build(&w, fixed, file);
  *count = w.count;
  for (int k = 0; k < FIELDS; k++) {
    tl_bytes_release(&w.field[k]);
  }
  tl_surface_release(&w.surface);
  tl_bytes_release(&w.body);
  tl_free(context, w.motion);
  tl_free(context, w.offsets);
  tl_free(context, w.owner);
  return status;
}
