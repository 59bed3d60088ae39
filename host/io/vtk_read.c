/* vtk_read.c: a frame back from its ParaView files; see vtk.h.
 *
 * Every point of `grains` becomes a body, with a sphere where it has a radius (points of a clump
 * become one body where the file has their centre); the shapes of `surfaces` and `walls` find their
 * body by its id, or bring one of their own. Hulls and meshes
 * come from the triangles, everything else from the field data. */
#include <string.h>

#include "host/io/vtk_read.h"
#include "host/io/vtk_series.h"
#include "host/math/rotation.h"

talus_status tl_frame_take(tl_frame_filler *f, void **array, int64_t count, size_t size) {
  return tl_stored_alloc(f->memory->arrays, array, (size_t)count, size, "frame");
}

/* Copies an array of a file into memory that stays. */
static talus_status copy(tl_frame_filler *f, int from, const char *name, tl_vtk_section section,
                         tl_vtk_type type, int32_t components, int64_t count, void *to) {
  const void *value;
  TL_TRY(tl_vtk_get(&f->source[from].content, f->source[from].path, section, name, type, components,
                    &count, &value));
  if (count > 0) {
    memcpy(to, value, (size_t)count * (size_t)components * tl_vtk_size(type));
  }
  return TALUS_OK;
}

static talus_status count_of(tl_frame_filler *f, int from, const char *name, tl_vtk_section section,
                             tl_vtk_type type, int32_t components, int64_t *count) {
  const void *value;
  *count = -1;
  if (f->source[from].path == NULL) {
    *count = 0;
    return TALUS_OK;
  }
  return tl_vtk_get(&f->source[from].content, f->source[from].path, section, name, type, components,
                    count, &value);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static talus_status allocate(tl_frame_filler *f, int64_t bodies, int64_t shapes) {
  if (bodies + shapes > INT32_MAX / 16) {
    return tl_fail(f->context, TALUS_SIZE_OVERFLOW, "%s: too many bodies",
                   f->source[TL_FRAME_GRAINS].path);
  }
  f->body_room = (int32_t)(bodies + shapes);
  f->shape_room = (int32_t)(bodies + shapes);
  TL_TRY(tl_frame_take(f, (void **)&f->id, f->body_room, sizeof *f->id));
  TL_TRY(tl_frame_take(f, (void **)&f->material, f->body_room, sizeof *f->material));
  TL_TRY(tl_frame_take(f, (void **)&f->type, f->body_room, sizeof *f->type));
  TL_TRY(tl_frame_take(f, (void **)&f->position, f->body_room, 3 * sizeof(double)));
  TL_TRY(tl_frame_take(f, (void **)&f->orientation, f->body_room, 4 * sizeof(double)));
  TL_TRY(tl_frame_take(f, (void **)&f->velocity, f->body_room, 3 * sizeof(double)));
  TL_TRY(tl_frame_take(f, (void **)&f->spin, f->body_room, 3 * sizeof(double)));
  TL_TRY(tl_frame_take(f, (void **)&f->radius, f->body_room, sizeof(double)));
  TL_TRY(tl_frame_take(f, (void **)&f->shape_body, f->shape_room, sizeof *f->shape_body));
  TL_TRY(tl_frame_take(f, (void **)&f->shape_material, f->shape_room, sizeof *f->shape_material));
  TL_TRY(tl_frame_take(f, (void **)&f->shape_geometry, f->shape_room, sizeof *f->shape_geometry));
  TL_TRY(tl_frame_take(f, (void **)&f->shape_pose, f->shape_room, sizeof *f->shape_pose));
  void *geometry;
  TL_TRY(tl_frame_take(f, &geometry, shapes, sizeof(tl_geometry *)));
  f->memory->geometry = geometry;
  return TALUS_OK;
}

/* The periodic cell, which most frames do not have. */
static talus_status copy_cell(tl_frame_filler *f) {
  tl_frame *frame = &f->stored->frame;
  int64_t periodic = 0;
  if (!tl_vtk_has(&f->source[TL_FRAME_GRAINS].content, TL_VTK_FIELD, "cell_periodic")) {
    return TALUS_OK;
  }
  TL_TRY(copy(f, TL_FRAME_GRAINS, "cell_periodic", TL_VTK_FIELD, TL_VTK_INT64, 1, 1, &periodic));
  TL_TRY(
      copy(f, TL_FRAME_GRAINS, "cell_origin", TL_VTK_FIELD, TL_VTK_FLOAT64, 3, 1, frame->origin));
  TL_TRY(copy(f, TL_FRAME_GRAINS, "cell_edge", TL_VTK_FIELD, TL_VTK_FLOAT64, 6, 1, frame->edge));
  frame->periodic = (uint32_t)(periodic & 7);
  return tl_vtk_has(&f->source[TL_FRAME_GRAINS].content, TL_VTK_FIELD, "cell_rate")
             ? copy(f, TL_FRAME_GRAINS, "cell_rate", TL_VTK_FIELD, TL_VTK_FLOAT64, 6, 1,
                    frame->rate)
             : TALUS_OK;
}

static talus_status copy_bodies(tl_frame_filler *f, int64_t count) {
  const tl_vtk_section s = TL_VTK_POINT;
  int64_t plane;
  tl_frame *frame = &f->stored->frame;
  TL_TRY(copy(f, TL_FRAME_GRAINS, "TimeValue", TL_VTK_FIELD, TL_VTK_FLOAT64, 1, 1, &frame->time));
  TL_TRY(copy(f, TL_FRAME_GRAINS, "step", TL_VTK_FIELD, TL_VTK_INT64, 1, 1, &frame->step));
  TL_TRY(copy(f, TL_FRAME_GRAINS, "plane", TL_VTK_FIELD, TL_VTK_INT64, 1, 1, &plane));
  frame->plane = plane != 0;
  TL_TRY(copy_cell(f));
  TL_TRY(copy(f, TL_FRAME_GRAINS, "Points", TL_VTK_POINTS, TL_VTK_FLOAT64, 3, count, f->position));
  TL_TRY(copy(f, TL_FRAME_GRAINS, "orientation", s, TL_VTK_FLOAT64, 4, count, f->orientation));
  TL_TRY(copy(f, TL_FRAME_GRAINS, "velocity", s, TL_VTK_FLOAT64, 3, count, f->velocity));
  TL_TRY(copy(f, TL_FRAME_GRAINS, "spin", s, TL_VTK_FLOAT64, 3, count, f->spin));
  TL_TRY(copy(f, TL_FRAME_GRAINS, "radius", s, TL_VTK_FLOAT64, 1, count, f->radius));
  TL_TRY(copy(f, TL_FRAME_GRAINS, "id", s, TL_VTK_INT32, 1, count, f->id));
  TL_TRY(copy(f, TL_FRAME_GRAINS, "material", s, TL_VTK_INT32, 1, count, f->material));
  return copy(f, TL_FRAME_GRAINS, "type", s, TL_VTK_INT32, 1, count, f->type);
}

/* Adds the spheres, each at the place of its point. */
static void add_spheres(tl_frame_filler *f, tl_geometry *sphere, const int32_t *body,
                        const double *place, int32_t count) {
  tl_frame *frame = &f->stored->frame;
  for (int32_t k = 0; k < count; k++) {
    if (!(sphere[k].radius > 0)) {
      continue;
    }
    const int32_t s = frame->shape_count++, b = body[k];
    double arm[3];
    tl_sub3(arm, place + 3 * (size_t)k, f->position + 3 * (size_t)b);
    sphere[k].kind = TALUS_SHAPE_SPHERE;
    f->shape_geometry[s] = &sphere[k];
    f->shape_pose[s] = tl_pose_in_place;
    if (tl_dot3(arm, arm) > 0) { /* a part of a clump */
      double turn[9];
      tl_quaternion_matrix(f->orientation + 4 * (size_t)b, turn);
      tl_turn_back3(f->shape_pose[s].position, turn, arm);
    }
    f->shape_body[s] = b;
  }
}

static talus_status fill_grains(tl_frame_filler *f, int64_t count) {
  tl_frame *frame = &f->stored->frame;
  const int32_t points = (int32_t)count;
  tl_geometry *sphere;
  double *place;
  int32_t *body, *material;
  TL_TRY(copy_bodies(f, count));
  TL_TRY(tl_frame_take(f, (void **)&sphere, count, sizeof *sphere));
  TL_TRY(tl_frame_take(f, (void **)&place, count, 3 * sizeof *place));
  TL_TRY(tl_frame_take(f, (void **)&body, count, sizeof *body));
  TL_TRY(tl_frame_take(f, (void **)&material, count, sizeof *material));
  for (int32_t k = 0; k < points; k++) {
    sphere[k].radius = f->radius[k];
    body[k] = k;
    tl_copy3(place + 3 * (size_t)k, f->position + 3 * (size_t)k);
    material[k] = f->material[k];
  }
  TL_TRY(copy(f, TL_FRAME_GRAINS, "reach", TL_VTK_POINT, TL_VTK_FLOAT64, 1, count, f->radius));
  TL_TRY(tl_frame_join_parts(f, body, &count));
  add_spheres(f, sphere, body, place, points);
  for (int32_t k = 0, s = 0; k < points; k++) {
    if (sphere[k].radius > 0) {
      f->shape_material[s++] = material[k];
    }
  }
  frame->body_count = (int32_t)count;
  return TALUS_OK;
}

/* ---- contacts -------------------------------------------------------------------------------- */

static talus_status fill_contacts(tl_frame_filler *f) {
  int64_t count;
  double *point, *normal, *force, *gap;
  int32_t *body;
  tl_frame *frame = &f->stored->frame;
  TL_TRY(count_of(f, TL_FRAME_CONTACTS, "Points", TL_VTK_POINTS, TL_VTK_FLOAT64, 3, &count));
  if (count == 0) {
    return TALUS_OK;
  }
  TL_TRY(tl_frame_take(f, (void **)&point, count, 3 * sizeof(double)));
  TL_TRY(tl_frame_take(f, (void **)&normal, count, 3 * sizeof(double)));
  TL_TRY(tl_frame_take(f, (void **)&force, count, 3 * sizeof(double)));
  TL_TRY(tl_frame_take(f, (void **)&gap, count, sizeof(double)));
  TL_TRY(tl_frame_take(f, (void **)&body, count, 2 * sizeof(int32_t)));
  TL_TRY(copy(f, TL_FRAME_CONTACTS, "Points", TL_VTK_POINTS, TL_VTK_FLOAT64, 3, count, point));
  TL_TRY(copy(f, TL_FRAME_CONTACTS, "normal", TL_VTK_POINT, TL_VTK_FLOAT64, 3, count, normal));
  TL_TRY(copy(f, TL_FRAME_CONTACTS, "force", TL_VTK_POINT, TL_VTK_FLOAT64, 3, count, force));
  TL_TRY(copy(f, TL_FRAME_CONTACTS, "gap", TL_VTK_POINT, TL_VTK_FLOAT64, 1, count, gap));
  TL_TRY(copy(f, TL_FRAME_CONTACTS, "body", TL_VTK_POINT, TL_VTK_INT32, 2, count, body));
  frame->contact_count = (int32_t)count;
  frame->contact_point = point;
  frame->contact_normal = normal;
  frame->contact_force = force;
  frame->contact_gap = gap;
  frame->contact_body = body;
  return TALUS_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static talus_status fill(tl_frame_filler *f) {
  int64_t bodies, surfaces, walls;
  tl_frame *frame = &f->stored->frame;
  TL_TRY(count_of(f, TL_FRAME_GRAINS, "Points", TL_VTK_POINTS, TL_VTK_FLOAT64, 3, &bodies));
  TL_TRY(count_of(f, TL_FRAME_SURFACES, "shape_id", TL_VTK_FIELD, TL_VTK_INT32, 1, &surfaces));
  TL_TRY(count_of(f, TL_FRAME_WALLS, "shape_id", TL_VTK_FIELD, TL_VTK_INT32, 1, &walls));
  TL_TRY(allocate(f, bodies, surfaces + walls));
  TL_TRY(fill_grains(f, bodies));
  TL_TRY(tl_frame_fill_shapes(f, TL_FRAME_SURFACES));
  TL_TRY(tl_frame_fill_shapes(f, TL_FRAME_WALLS));
  frame->id = f->id;
  frame->position = f->position;
  frame->orientation = f->orientation;
  frame->velocity = f->velocity;
  frame->spin = f->spin;
  frame->radius = f->radius;
  frame->material = f->material;
  frame->type = f->type;
  frame->mass = f->mass;
  frame->shape_body = f->shape_body;
  frame->shape_geometry = f->shape_geometry;
  frame->shape_pose = f->shape_pose;
  frame->shape_material = f->shape_material;
  TL_TRY(fill_contacts(f));
  const talus_status status = tl_frame_check(f->context, frame);
  return status == TALUS_OK || status == TALUS_OUT_OF_MEMORY ? status : TALUS_FILE_FORMAT;
}

/* Finds the file that shows the step and decodes it; not every part has one. */
static talus_status load(tl_frame_filler *f, const char *directory, int k, int64_t step) {
  static const char *const names[TL_FRAME_SOURCES] = {"grains", "contacts", "surfaces", "walls"};
  tl_series series;
  talus_status status = tl_series_open(f->context, directory, names[k], 0, &series);
  for (int32_t e = 0; status == TALUS_OK && e < series.count; e++) {
    if (series.entry[e].step == step) {
      status = tl_series_path(&series, series.entry[e].file_step, &f->source[k].path);
      break;
    }
  }
  tl_series_release(&series);
  TL_TRY(status);
  if (f->source[k].path == NULL) {
    return k == TL_FRAME_GRAINS
               ? tl_fail(f->context, TALUS_FILE_OPEN, "%s: grains.pvd lists no frame of step %lld",
                         directory, (long long)step)
               : TALUS_OK;
  }
  return tl_vtk_decode(f->context, f->source[k].path, &f->source[k].content);
}

static talus_status create(talus_context *context, tl_frame_filler *f) {
  void *block;
  memset(f, 0, sizeof *f);
  f->context = context;
  for (int k = 0; k < TL_FRAME_SOURCES; k++) {
    f->source[k].content.context = context;
  }
  TL_TRY(tl_alloc(context, &block, 1, sizeof *f->stored, "frame"));
  f->stored = memset(block, 0, sizeof *f->stored);
  TL_TRY(tl_alloc(context, &block, 1, sizeof *f->memory, "frame"));
  f->memory = memset(block, 0, sizeof *f->memory);
  f->stored->memory = f->memory;
  f->memory->context = context;
  return tl_stored_create(context, &f->memory->arrays);
}

talus_status tl_vtk_read(talus_context *context, const char *directory, int64_t step,
                         tl_stored_frame **stored) {
  tl_frame_filler f;
  *stored = NULL;
  talus_status status = create(context, &f);
  for (int k = 0; status == TALUS_OK && k < TL_FRAME_SOURCES; k++) {
    status = load(&f, directory, k, step);
  }
  if (status == TALUS_OK) {
    status = fill(&f);
  }
  for (int k = 0; k < TL_FRAME_SOURCES; k++) {
    tl_vtk_release(&f.source[k].content);
    tl_free(context, f.source[k].path);
  }
  if (status != TALUS_OK) {
    if (f.stored != NULL && f.memory == NULL) {
      tl_free(context, f.stored);
    } else {
      tl_stored_frame_destroy(f.stored);
    }
    return status;
  }
  *stored = f.stored;
  return TALUS_OK;
}

void tl_stored_frame_destroy(tl_stored_frame *stored) {
  if (stored == NULL) {
    return;
  }
  tl_frame_memory *m = stored->memory;
  talus_context *context = m->context;
  for (int32_t k = 0; k < m->geometry_count; k++) {
    tl_geometry_destroy(context, m->geometry[k]);
  }
  talus_stored_destroy(m->arrays);
  tl_free(context, m);
  tl_free(context, stored);
}

talus_status tl_vtk_steps(talus_context *context, const char *directory, int64_t **step,
                          int32_t *count) {
  tl_series series;
  void *list = NULL;
  *step = NULL;
  *count = 0;
  talus_status status = tl_series_open(context, directory, "grains", 0, &series);
  if (status == TALUS_OK && series.count == 0) {
    status = tl_fail(context, TALUS_FILE_OPEN, "%s: has no grains.pvd with frames", directory);
  }
  if (status == TALUS_OK) {
    status = tl_alloc(context, &list, (size_t)series.count, sizeof **step, "frame list");
  }
  if (status == TALUS_OK) {
    *step = list;
    *count = series.count;
    for (int32_t k = 0; k < series.count; k++) {
      (*step)[k] = series.entry[k].step;
    }
  }
  tl_series_release(&series);
  return status;
}
