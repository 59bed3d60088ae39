/* vtk_read_shapes.c: shapes that are no spheres back from the files of their triangles. */
#include <math.h>
#include <string.h>

#include "host/io/vtk_frame.h"
#include "host/io/vtk_read.h"

typedef struct shapes {
  int64_t count, point_count, triangle_count;
  const int32_t *id, *kind, *material, *type, *owner;
  const double *position, *rotation, *parameter, *point;
  const int64_t *corner;
} shapes;

static talus_status find_shapes(tl_frame_filler *f, int from, shapes *s) {
  const tl_vtk_content *c = &f->source[from].content;
  const char *path = f->source[from].path;
  s->count = s->point_count = s->triangle_count = -1;
#define FIND(section, name, type, components, count, array) \
  TL_TRY(tl_vtk_get(c, path, section, name, type, components, count, (const void **)(array)))
  FIND(TL_VTK_FIELD, "shape_id", TL_VTK_INT32, 1, &s->count, &s->id);
  FIND(TL_VTK_FIELD, "shape_kind", TL_VTK_INT32, 1, &s->count, &s->kind);
  FIND(TL_VTK_FIELD, "shape_material", TL_VTK_INT32, 1, &s->count, &s->material);
  FIND(TL_VTK_FIELD, "shape_type", TL_VTK_INT32, 1, &s->count, &s->type);
  FIND(TL_VTK_FIELD, "shape_position", TL_VTK_FLOAT64, 3, &s->count, &s->position);
  FIND(TL_VTK_FIELD, "shape_rotation", TL_VTK_FLOAT64, 9, &s->count, &s->rotation);
  FIND(TL_VTK_FIELD, "shape_parameter", TL_VTK_FLOAT64, TL_SHAPE_PARAMETERS, &s->count,
       &s->parameter);
  FIND(TL_VTK_CELL, "shape", TL_VTK_INT32, 1, &s->triangle_count, &s->owner);
  FIND(TL_VTK_POINTS, "Points", TL_VTK_FLOAT64, 3, &s->point_count, &s->point);
  int64_t corners = 3 * s->triangle_count;
  FIND(TL_VTK_POLYS, "connectivity", TL_VTK_INT64, 1, &corners, &s->corner);
#undef FIND
  for (int64_t k = 0; k < corners; k++) {
    if (s->corner[k] < 0 || s->corner[k] >= s->point_count) {
      return tl_fail(f->context, TALUS_FILE_FORMAT, "%s: a triangle has a corner that is not there",
                     path);
    }
  }
  return TALUS_OK;
}

/* The triangles of one shape stand together, and so do their points. Hulls need the points alone.
 */
static talus_status build_mesh(tl_frame_filler *f, const shapes *s, int32_t shape, int64_t *next,
                               talus_shape_def *def) {
  int64_t first = *next;
  while (first < s->triangle_count && s->owner[first] < shape) {
    first++;
  }
  int64_t end = first, low = INT64_MAX, high = -1;
  for (; end < s->triangle_count && s->owner[end] == shape; end++) {
    for (int i = 0; i < 3; i++) {
      low = s->corner[3 * end + i] < low ? s->corner[3 * end + i] : low;
      high = s->corner[3 * end + i] > high ? s->corner[3 * end + i] : high;
    }
  }
  *next = end;
  if (high < 0 || high - low >= INT32_MAX / 3 || end - first >= INT32_MAX / 3) {
    return tl_fail(f->context, TALUS_FILE_FORMAT, "frame: a mesh has no triangles");
  }
  void *corner;
  TL_TRY(tl_frame_take(f, &corner, 3 * (end - first), sizeof(int32_t)));
  for (int64_t k = 0; k < 3 * (end - first); k++) {
    ((int32_t *)corner)[k] = (int32_t)(s->corner[3 * first + k] - low);
  }
  def->point = s->point + 3 * low;
  def->point_count = (int32_t)(high - low + 1);
  def->triangle = corner;
  def->triangle_count = (int32_t)(end - first);
  return TALUS_OK;
}

static talus_status build_geometry(tl_frame_filler *f, const shapes *s, int32_t k, int64_t *next,
                                   tl_geometry **geometry) {
  const int32_t kind = s->kind[k];
  const double *parameter = s->parameter + TL_SHAPE_PARAMETERS * (size_t)k;
  if (kind <= TALUS_SHAPE_SPHERE || kind > TALUS_SHAPE_MESH) {
    return tl_fail(f->context, TALUS_FILE_FORMAT, "frame: a shape of kind %d is not known", kind);
  }
  talus_shape_def def;
  memset(&def, 0, sizeof def);
  def.struct_size = sizeof def;
  def.kind = (talus_shape_kind)kind;
  def.orientation[0] = 1.0;
  def.radius = parameter[0];
  def.half_length = parameter[1];
  memcpy(def.half_edge, parameter + 2, sizeof def.half_edge);
  if (kind == TALUS_SHAPE_HULL || kind == TALUS_SHAPE_MESH) {
    TL_TRY(build_mesh(f, s, k, next, &def));
  }
  const talus_status status = tl_geometry_create(f->context, &def, geometry, NULL);
  return status == TALUS_OK || status == TALUS_OUT_OF_MEMORY ? status : TALUS_FILE_FORMAT;
}

static int32_t find_body(const tl_frame_filler *f, int32_t id, int32_t from) {
  for (int32_t k = from; k < f->stored->frame.body_count; k++) {
    if (f->id[k] == id) {
      return k;
    }
  }
  return -1;
}

/* A body that only its shapes tell of: it rests at the origin, unturned, until it is placed. */
static int32_t add_body(tl_frame_filler *f, const shapes *s, int32_t k) {
  const int32_t body = f->stored->frame.body_count++;
  f->id[body] = s->id[k];
  f->material[body] = s->material[k];
  f->type[body] = s->type[k];
  f->orientation[4 * body] = 1.0;
  f->radius[body] = INFINITY;
  return body;
}

static void quaternion_matrix(const double *q, double r[9]) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double turned[9] = {
      1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
      2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
      2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(r, turned, sizeof turned);
}

/* The world's pose as the body sees it: its own taken off. Hulls and meshes are in the world's
 * coordinates already. */
static tl_pose local_pose(const tl_frame_filler *f, const shapes *s, int32_t k, int32_t body) {
  tl_pose world = tl_pose_in_place, pose;
  double turn[9];
  if (s->kind[k] != TALUS_SHAPE_HULL && s->kind[k] != TALUS_SHAPE_MESH) {
    memcpy(world.position, s->position + 3 * (size_t)k, sizeof world.position);
    memcpy(world.rotation, s->rotation + 9 * (size_t)k, sizeof world.rotation);
  }
  quaternion_matrix(f->orientation + 4 * (size_t)body, turn);
  for (int i = 0; i < 3; i++) {
    pose.position[i] = 0.0;
    for (int j = 0; j < 3; j++) {
      pose.position[i] += turn[3 * j + i] * (world.position[j] - f->position[3 * body + j]);
      pose.rotation[3 * i + j] = turn[i] * world.rotation[j] + turn[3 + i] * world.rotation[3 + j] +
                                 turn[6 + i] * world.rotation[6 + j];
    }
  }
  return pose;
}

talus_status tl_frame_fill_shapes(tl_frame_filler *f, int from) {
  shapes s;
  int64_t next = 0;
  int32_t body = 0;
  tl_frame *frame = &f->stored->frame;
  if (f->source[from].path == NULL) {
    return TALUS_OK;
  }
  TL_TRY(find_shapes(f, from, &s));
  for (int32_t k = 0; k < (int32_t)s.count; k++) {
    tl_geometry *geometry = NULL;
    TL_TRY(build_geometry(f, &s, k, &next, &geometry));
    f->memory->geometry[f->memory->geometry_count++] = geometry;
    /* the bodies come in the same order, so the search goes on where it stopped */
    int32_t found = find_body(f, s.id[k], body);
    found = found >= 0 ? found : find_body(f, s.id[k], 0);
    body = found >= 0 ? found : add_body(f, &s, k);
    if (found < 0) {
      TL_TRY(tl_frame_place_body(f, body));
    }
    const int32_t shape = frame->shape_count++;
    f->shape_geometry[shape] = geometry;
    f->shape_pose[shape] = local_pose(f, &s, k, body);
    f->shape_body[shape] = body;
    f->shape_material[shape] = s.material[k];
  }
  return TALUS_OK;
}
