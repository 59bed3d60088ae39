/* render_stage.c: spheres, shapes and planes of a frame into trees, and the camera; see
 * render_stage.h. */
#include "host/view/render_stage.h"

#include <float.h>
#include <string.h>

static talus_status room(talus_context *context, void **memory, int32_t count, size_t size) {
  return tl_alloc(context, memory, (size_t)count, size, "picture");
}

static void to_picture(const tl_stage *stage, const double world[3], float picture[3]) {
  for (int i = 0; i < 3; i++) {
    picture[i] = (float)((world[i] - stage->centre[i]) * stage->scale);
  }
}

/* ---- the middle and the size of what is seen ------------------------------------------------- */

static void box_grow(double low[3], double high[3], const double at[3], double radius) {
  for (int i = 0; i < 3; i++) {
    low[i] = fmin(low[i], at[i] - radius);
    high[i] = fmax(high[i], at[i] + radius);
  }
}

/* Free bodies; where there are none, all that are finite. */
static void find_box(const tl_frame *frame, double low[3], double high[3]) {
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < 3; i++) {
      low[i] = INFINITY;
      high[i] = -INFINITY;
    }
    for (int32_t k = 0; k < frame->body_count; k++) {
      if (isfinite(frame->radius[k]) && (tl_frame_loose(frame, k) || pass == 1)) {
        box_grow(low, high, frame->position + 3 * (size_t)k, frame->radius[k]);
      }
    }
    if (low[0] <= high[0]) {
      return;
    }
  }
  for (int i = 0; i < 3; i++) {
    low[i] = -1.0;
    high[i] = 1.0;
  }
}

/* The camera's target is the middle, so that numbers are small where it looks. */
static void place(tl_stage *stage, const tl_camera *camera) {
  double low[3], high[3], size = 0.0;
  find_box(stage->frame, low, high);
  for (int i = 0; i < 3; i++) {
    stage->centre[i] = camera->target[i];
    const double eye = camera->eye[i] - camera->target[i];
    size += camera->orthographic ? 0.25 * camera->view_height * camera->view_height : eye * eye;
  }
  stage->scale = size > 0.0 ? 1.0 / sqrt(size) : 1.0;
  to_picture(stage, low, stage->low);
  to_picture(stage, high, stage->high);
}

static void set_camera(tl_stage *stage, const tl_camera *camera) {
  float upward[3];
  to_picture(stage, camera->eye, stage->eye);
  for (int i = 0; i < 3; i++) {
    stage->forward[i] = -stage->eye[i];
    upward[i] = (float)camera->up[i];
    stage->sky[i] = i == 2 ? 1.0f : 0.0f;
  }
  tl_unitf(stage->forward);
  tl_crossf(stage->forward, upward, stage->right);
  if (tl_dotf(stage->right, stage->right) < 1e-12f) { /* looks along its up */
    const float other[3] = {0.0f, 1.0f, 0.0f};
    tl_crossf(stage->forward, other, stage->right);
  }
  tl_unitf(stage->right);
  tl_crossf(stage->right, stage->forward, stage->up);
  stage->orthographic = camera->orthographic;
  stage->spread = camera->orthographic ? (float)(0.5 * camera->view_height * stage->scale)
                                       : (float)tan(camera->angle * 3.141592653589793 / 360.0);
  /* from behind the eye's left shoulder, high up */
  for (int i = 0; i < 3; i++) {
    stage->light[i] = -0.42f * stage->right[i] + 0.95f * stage->sky[i] - 0.48f * stage->forward[i];
  }
  tl_unitf(stage->light);
}

/* ---- spheres --------------------------------------------------------------------------------- */

static int32_t count_kind(const tl_frame *frame, int spheres, int halfspaces) {
  int32_t count = 0;
  for (int32_t s = 0; s < frame->shape_count; s++) {
    const int32_t kind = frame->shape_geometry[s]->kind;
    count += kind == TALUS_SHAPE_SPHERE      ? spheres
             : kind == TALUS_SHAPE_HALFSPACE ? halfspaces
                                             : !spheres && !halfspaces;
  }
  return count;
}

static void sphere_box(const float *sphere, float factor, tl_tree_box *box) {
  for (int i = 0; i < 3; i++) {
    box->low[i] = sphere[i] - factor * sphere[3];
    box->high[i] = sphere[i] + factor * sphere[3];
  }
}

static void collect_spheres(tl_stage *stage, float *sphere, int32_t *body) {
  const tl_frame *frame = stage->frame;
  int32_t count = 0;
  for (int32_t s = 0; s < frame->shape_count; s++) {
    const tl_geometry *geometry = frame->shape_geometry[s];
    if (geometry->kind == TALUS_SHAPE_SPHERE) {
      const tl_pose pose = tl_frame_shape_pose(frame, s);
      to_picture(stage, pose.position, sphere + 4 * (size_t)count);
      sphere[4 * (size_t)count + 3] = (float)(geometry->radius * stage->scale);
      body[count++] = frame->shape_body[s];
    }
  }
}

/* In the order of the leaves, so that a leaf's spheres lie side by side. */
static void sort_spheres(tl_stage *stage, const float *sphere, const int32_t *body) {
  for (int32_t k = 0; k < stage->sphere_count; k++) {
    const int32_t from = stage->sphere_tree.order[k];
    memcpy(stage->sphere + 4 * (size_t)k, sphere + 4 * (size_t)from, 4 * sizeof(float));
    stage->sphere_body[k] = body[from];
  }
}

static talus_status build_spheres(tl_stage *stage, float *sphere, int32_t *body, tl_tree_box *box) {
  void *memory;
  const int32_t count = stage->sphere_count;
  collect_spheres(stage, sphere, body);
  for (int32_t k = 0; k < count; k++) {
    sphere_box(sphere + 4 * (size_t)k, 1.0f, &box[k]);
  }
  TL_TRY(tl_tree_build(stage->context, box, count, &stage->sphere_tree));
  TL_TRY(room(stage->context, &memory, stage->sphere_tree.node_count, sizeof(tl_tree_box)));
  stage->sphere_sky = memory;
  for (int32_t k = 0; k < count; k++) {
    sphere_box(sphere + 4 * (size_t)k, TL_SKY_REACH, &box[k]);
  }
  tl_tree_refit(&stage->sphere_tree, box, stage->sphere_sky);
  TL_TRY(room(stage->context, &memory, count, 4 * sizeof(float)));
  stage->sphere = memory;
  TL_TRY(room(stage->context, &memory, count, sizeof(int32_t)));
  stage->sphere_body = memory;
  sort_spheres(stage, sphere, body);
  return TALUS_OK;
}

static talus_status add_spheres(tl_stage *stage) {
  talus_context *context = stage->context;
  void *sphere = NULL, *body = NULL, *box = NULL;
  stage->sphere_count = count_kind(stage->frame, 1, 0);
  talus_status status = room(context, &sphere, stage->sphere_count, 4 * sizeof(float));
  if (status == TALUS_OK) {
    status = room(context, &body, stage->sphere_count, sizeof(int32_t));
  }
  if (status == TALUS_OK) {
    status = room(context, &box, stage->sphere_count, sizeof(tl_tree_box));
  }
  if (status == TALUS_OK) {
    status = build_spheres(stage, sphere, body, box);
  }
  tl_free(context, box);
  tl_free(context, body);
  tl_free(context, sphere);
  return status;
}

/* ---- other shapes ---------------------------------------------------------------------------- */

enum { WITNESSES = 256 /* grains that are asked whether a wall hides them */ };

/* A wall may be clear if it turns a face to the grains that is turned away from the eye. */
static bool is_before(const tl_stage *stage, const tl_stage_shape *shape, double point[3],
                      double facing[3]) {
  const double *r = shape->pose.rotation;
  double from[3], way[3], local[3], direction[3], normal[3] = {0, 0, 0}, size = 0.0;
  for (int i = 0; i < 3; i++) {
    from[i] = stage->centre[i] + 0.5 * (double)(stage->low[i] + stage->high[i]) / stage->scale;
    way[i] = shape->pose.position[i] - from[i];
    size += way[i] * way[i];
  }
  size = sqrt(size);
  for (int i = 0; size > 0.0 && i < 3; i++) {
    direction[i] = (r[i] * way[0] + r[3 + i] * way[1] + r[6 + i] * way[2]) / size;
    local[i] = -direction[i] * size;
  }
  if (!(size > 0.0)) {
    return false;
  }
  const double distance = tl_geometry_ray(shape->geometry, local, direction, normal);
  if (!(distance < size)) {
    return false;
  }
  float world[3], view[3];
  for (int i = 0; i < 3; i++) {
    point[i] = from[i] + way[i] / size * distance;
    facing[i] = r[3 * i] * normal[0] + r[3 * i + 1] * normal[1] + r[3 * i + 2] * normal[2];
    world[i] = (float)facing[i];
    view[i] = stage->orthographic
                  ? stage->forward[i]
                  : (float)((point[i] - stage->centre[i]) * stage->scale) - stage->eye[i];
  }
  return tl_dotf(world, view) > 0.0f;
}

/* How far a shape is along a unit vector, and its outward normal there, in the world. */
static double shape_distance(const tl_stage_shape *shape, const double from[3],
                             const double along[3], double normal[3]) {
  const double *r = shape->pose.rotation;
  double origin[3], direction[3], found[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    origin[i] = direction[i] = 0.0;
    for (int j = 0; j < 3; j++) {
      origin[i] += r[3 * j + i] * (from[j] - shape->pose.position[j]);
      direction[i] += r[3 * j + i] * along[j];
    }
  }
  const double distance = tl_geometry_ray(shape->geometry, origin, direction, found);
  for (int i = 0; i < 3; i++) {
    normal[i] = r[3 * i] * found[0] + r[3 * i + 1] * found[1] + r[3 * i + 2] * found[2];
  }
  return distance;
}

/* Whether the shape stands between the eye and a grain. */
static bool hides(const tl_stage *stage, const tl_stage_shape *shape, const double grain[3]) {
  double normal[3], way[3], size = 0.0;
  for (int i = 0; i < 3; i++) {
    way[i] = stage->orthographic
                 ? -(double)stage->forward[i]
                 : (double)stage->eye[i] / stage->scale + stage->centre[i] - grain[i];
    size += way[i] * way[i];
  }
  size = sqrt(size);
  for (int i = 0; i < 3; i++) {
    way[i] /= size;
  }
  return shape_distance(shape, grain, way, normal) < (stage->orthographic ? 1e30 : size);
}

/* A wall is clear if it stands before the grains: nearly all of them are behind the face that it
 * turns to them, and it hides some. What stands among them, or aside, is solid. */
static bool is_clear(const tl_stage *stage, const tl_stage_shape *shape) {
  const tl_frame *frame = stage->frame;
  double point[3], facing[3];
  if (!is_before(stage, shape, point, facing)) {
    return false;
  }
  const int32_t stride = frame->body_count / WITNESSES + 1;
  int32_t asked = 0, behind = 0, hidden = 0;
  for (int32_t k = 0; k < frame->body_count; k += stride) {
    const double *grain = frame->position + 3 * (size_t)k;
    if (tl_frame_loose(frame, k)) {
      const double height = facing[0] * (grain[0] - point[0]) + facing[1] * (grain[1] - point[1]) +
                            facing[2] * (grain[2] - point[2]);
      asked++;
      behind += height > 0.0;
      hidden += hides(stage, shape, grain);
    }
  }
  return asked > 0 && 20 * behind >= 19 * asked && 20 * hidden >= asked;
}

/* Whether walls of triangles are a vessel around a point: most ways along the ground end at faces
 * that are turned to it. */
static bool is_vessel(const tl_stage_shape *shape, int32_t count, const double middle[3]) {
  enum { WAYS = 8, MOST_WAYS = 6 };
  const double slant = 0.70710678118654752;
  const double way[WAYS][3] = {{1, 0, 0},  {slant, slant, 0},   {0, 1, 0},  {-slant, slant, 0},
                               {-1, 0, 0}, {-slant, -slant, 0}, {0, -1, 0}, {slant, -slant, 0}};
  int turned = 0;
  for (int k = 0; k < WAYS; k++) {
    double nearest = 1e30, normal[3], facing = 0.0;
    for (int32_t s = 0; s < count; s++) {
      const double distance = shape_distance(&shape[s], middle, way[k], normal);
      if (distance < nearest) {
        nearest = distance;
        facing = normal[0] * way[k][0] + normal[1] * way[k][1] + normal[2] * way[k][2];
      }
    }
    turned += facing < 0.0;
  }
  return turned >= MOST_WAYS;
}

/* The inner side of walls of triangles of one body: that of a vessel does not depend on where the
 * grains are, of others it is the one towards their middle. */
static void find_inside(tl_stage *stage, tl_stage_shape *shape, int32_t count,
                        const tl_tree_box *box) {
  float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  double middle[3];
  for (int32_t s = 0; s < count; s++) {
    for (int i = 0; i < 3 && shape[s].geometry->kind == TALUS_SHAPE_MESH; i++) {
      low[i] = fminf(low[i], box[s].low[i]);
      high[i] = fmaxf(high[i], box[s].high[i]);
    }
  }
  for (int i = 0; i < 3; i++) {
    middle[i] = stage->centre[i] + 0.5 * (double)(low[i] + high[i]) / stage->scale;
  }
  const bool vessel = low[0] <= high[0] && is_vessel(shape, count, middle);
  for (int32_t s = 0; s < count; s++) {
    for (int i = 0; i < 3; i++) {
      shape[s].inside[i] =
          vessel ? 0.5f * (low[i] + high[i]) : 0.5f * (stage->low[i] + stage->high[i]);
    }
  }
}

static talus_status add_shapes(tl_stage *stage) {
  const tl_frame *frame = stage->frame;
  void *memory, *boxes;
  const int32_t count = count_kind(frame, 0, 0);
  TL_TRY(room(stage->context, &memory, count, sizeof *stage->shape));
  stage->shape = memory;
  TL_TRY(room(stage->context, &boxes, count, sizeof(tl_tree_box)));
  tl_tree_box *box = boxes;
  for (int32_t s = 0; s < frame->shape_count; s++) {
    const int32_t kind = frame->shape_geometry[s]->kind;
    if (kind == TALUS_SHAPE_SPHERE || kind == TALUS_SHAPE_HALFSPACE) {
      continue;
    }
    tl_stage_shape *shape = &stage->shape[stage->shape_count];
    memset(shape, 0, sizeof *shape);
    shape->geometry = frame->shape_geometry[s];
    shape->pose = tl_frame_shape_pose(frame, s);
    shape->body = frame->shape_body[s];
    shape->wall = !tl_frame_loose(frame, shape->body);
    shape->moves = frame->type[shape->body] == TALUS_BODY_KINEMATIC;
    const bool mesh = kind == TALUS_SHAPE_MESH;
    shape->clear = shape->wall && !mesh && is_clear(stage, shape);
    shape->casts = !shape->wall || (!mesh && !shape->clear);
    stage->casting |= shape->casts;
    tl_collider collider;
    memset(&collider, 0, sizeof collider);
    collider.geometry = shape->geometry;
    collider.pose = shape->pose;
    const tl_box world = tl_collider_box(&collider);
    for (int i = 0; i < 3; i++) { /* rounding must not cut anything off */
      const double slack = 1e-5;
      const double low = (world.lower[i] - stage->centre[i]) * stage->scale - slack;
      const double high = (world.upper[i] - stage->centre[i]) * stage->scale + slack;
      box[stage->shape_count].low[i] = (float)fmax(low, -1e30);
      box[stage->shape_count].high[i] = (float)fmin(high, 1e30);
    }
    stage->shape_count++;
  }
  for (int32_t s = 0, end = 0; s < stage->shape_count; s = end) {
    while (end < stage->shape_count && stage->shape[end].body == stage->shape[s].body) {
      end++;
    }
    find_inside(stage, stage->shape + s, end - s, box + s);
  }
  const talus_status status =
      tl_tree_build(stage->context, box, stage->shape_count, &stage->shape_tree);
  tl_free(stage->context, boxes);
  return status;
}

static talus_status add_planes(tl_stage *stage) {
  const tl_frame *frame = stage->frame;
  void *memory;
  TL_TRY(room(stage->context, &memory, count_kind(frame, 0, 1), sizeof *stage->plane));
  stage->plane = memory;
  for (int32_t s = 0; s < frame->shape_count; s++) {
    if (frame->shape_geometry[s]->kind == TALUS_SHAPE_HALFSPACE) {
      const tl_pose pose = tl_frame_shape_pose(frame, s);
      tl_stage_plane *plane = &stage->plane[stage->plane_count++];
      memset(plane, 0, sizeof *plane);
      to_picture(stage, pose.position, plane->at);
      for (int i = 0; i < 3; i++) {
        plane->across[0][i] = (float)pose.rotation[3 * i];
        plane->across[1][i] = (float)pose.rotation[3 * i + 1];
        plane->normal[i] = (float)pose.rotation[3 * i + 2];
      }
      plane->offset = tl_dotf(plane->normal, plane->at);
      plane->moves = frame->type[frame->shape_body[s]] == TALUS_BODY_KINEMATIC;
      TL_TRY(tl_frame_outline(stage->context, frame, s, &plane->outline));
      plane->ground = plane->outline.count == 0 && tl_dotf(plane->normal, stage->sky) > 0.8f;
    }
  }
  return TALUS_OK;
}

talus_status tl_stage_build(talus_context *context, const tl_frame *frame, const tl_camera *camera,
                            tl_stage *stage) {
  memset(stage, 0, sizeof *stage);
  stage->context = context;
  stage->frame = frame;
  place(stage, camera);
  set_camera(stage, camera);
  TL_TRY(add_spheres(stage));
  TL_TRY(add_shapes(stage));
  return add_planes(stage);
}

void tl_stage_release(tl_stage *stage) {
  talus_context *context = stage->context;
  tl_free(context, stage->sphere);
  tl_free(context, stage->sphere_body);
  tl_free(context, stage->sphere_sky);
  tl_free(context, stage->shape);
  for (int32_t k = 0; k < stage->plane_count; k++) {
    tl_outline_release(context, &stage->plane[k].outline);
  }
  tl_free(context, stage->plane);
  tl_free(context, stage->colour);
  tl_tree_release(context, &stage->sphere_tree);
  tl_tree_release(context, &stage->shape_tree);
  memset(stage, 0, sizeof *stage);
}
