/* frames.c: see frames.h. */
#include "frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double random_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0;
}

talus_shape_def sample_shape(talus_shape_kind kind) {
  talus_shape_def def;
  memset(&def, 0, sizeof def);
  def.struct_size = sizeof def;
  def.kind = kind;
  def.orientation[0] = 1;
  return def;
}

static int32_t add_body(sample_frame *s, int32_t type, double x, double y, double z) {
  const int32_t k = s->frame.body_count++;
  s->id[k] = 3 * k + 5;
  s->type[k] = type;
  s->material[k] = k % 3;
  s->position[3 * k] = x;
  s->position[3 * k + 1] = y;
  s->position[3 * k + 2] = z;
  s->orientation[4 * k] = 1;
  s->velocity[3 * k] = 0.1 * z;
  s->velocity[3 * k + 2] = -0.05 * x;
  s->spin[3 * k + 1] = 2;
  return k;
}

static int32_t add_shape(sample_frame *s, int32_t body, const tl_geometry *geometry, double x) {
  const tl_pose in_place = {{x, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const int32_t k = s->frame.shape_count++;
  s->shape_body[k] = body;
  s->shape_geometry[k] = geometry;
  s->shape_pose[k] = in_place;
  s->shape_material[k] = s->material[body];
  return k;
}

int32_t sample_frame_add(sample_frame *s, int32_t type, double x, double y, double z,
                         const talus_shape_def *def) {
  tl_geometry *geometry = NULL;
  const int32_t body = add_body(s, type, x, y, z);
  if (tl_geometry_create(s->context, def, &geometry, NULL) == TALUS_OK) {
    s->geometry[s->geometry_count++] = geometry;
    add_shape(s, body, geometry, 0);
    s->radius[body] = tl_geometry_reach(geometry);
  }
  return body;
}

int32_t sample_frame_add_drum(sample_frame *s, double x, double y, double z, double radius,
                              double length) {
  enum { SEGMENTS = 48 };
  double point[6 * SEGMENTS];
  int32_t triangle[6 * SEGMENTS];
  talus_shape_def mesh = sample_shape(TALUS_SHAPE_MESH), end = sample_shape(TALUS_SHAPE_HALFSPACE);
  tl_geometry *geometry = NULL;
  for (int32_t k = 0; k < SEGMENTS; k++) {
    const double angle = 6.283185307179586 * k / SEGMENTS;
    const int32_t a = 2 * k, b = 2 * ((k + 1) % SEGMENTS);
    const double rim[6] = {radius * cos(angle), -0.5 * length, radius * sin(angle),
                           radius * cos(angle), 0.5 * length,  radius * sin(angle)};
    const int32_t pieces[6] = {a, a + 1, b + 1, a, b + 1, b};
    memcpy(point + 6 * k, rim, sizeof rim);
    memcpy(triangle + 6 * k, pieces, sizeof pieces);
  }
  mesh.point = point;
  mesh.point_count = 2 * SEGMENTS;
  mesh.triangle = triangle;
  mesh.triangle_count = 2 * SEGMENTS;
  const int32_t body = sample_frame_add(s, TALUS_BODY_KINEMATIC, x, y, z, &mesh);
  if (tl_geometry_create(s->context, &end, &geometry, NULL) == TALUS_OK) {
    const tl_pose inward = {{0, 0.5 * length, 0}, {1, 0, 0, 0, 0, -1, 0, 1, 0}};
    s->geometry[s->geometry_count++] = geometry;
    s->shape_pose[add_shape(s, body, geometry, 0)] = inward;
    s->radius[body] = INFINITY;
  }
  return body;
}

static void add_sphere(sample_frame *s, int32_t body, double radius, double x) {
  tl_geometry *sphere = &s->sphere[s->frame.shape_count];
  memset(sphere, 0, sizeof *sphere);
  sphere->kind = TALUS_SHAPE_SPHERE;
  sphere->radius = radius;
  add_shape(s, body, sphere, x);
}

static void add_contact(sample_frame *s, int32_t body, double radius) {
  const int32_t k = s->frame.contact_count++;
  memcpy(s->contact_point + 3 * k, s->position + 3 * body, 3 * sizeof(double));
  s->contact_point[3 * k + 2] -= radius;
  s->contact_normal[3 * k + 2] = 1;
  s->contact_force[3 * k + 2] = 9.81 * (2 - s->position[3 * body + 2]);
  s->contact_gap[k] = -1e-6 * k;
  s->contact_body[2 * k] = s->id[0];
  s->contact_body[2 * k + 1] = s->id[body];
}

static void add_spheres(sample_frame *s, int32_t count) {
  uint64_t state = 3;
  const int32_t edge = (int32_t)ceil(cbrt(count));
  for (int32_t k = 0; k < count; k++) {
    const double radius = 0.03 + 0.02 * random_number(&state);
    const double x = 0.1 * (k % edge) + 0.02 * random_number(&state);
    const double y = 0.1 * (k / edge % edge) + 0.02 * random_number(&state);
    const double z = 0.05 + 0.098 * (k / (edge * edge));
    const int32_t body = add_body(s, TALUS_BODY_FREE, x, y, z);
    s->radius[body] = radius;
    add_sphere(s, body, radius, 0);
    add_contact(s, body, radius);
  }
}

static void *room(size_t size) {
  return calloc(SAMPLE_ROOM, size);
}

sample_frame *sample_frame_create(talus_context *context, int32_t spheres) {
  sample_frame *s = calloc(1, sizeof *s);
  tl_frame *f = &s->frame;
  s->context = context;
  s->sphere = room(sizeof *s->sphere);
  f->id = s->id = room(sizeof(int32_t));
  f->material = s->material = room(sizeof(int32_t));
  f->type = s->type = room(sizeof(int32_t));
  f->position = s->position = room(3 * sizeof(double));
  f->orientation = s->orientation = room(4 * sizeof(double));
  f->velocity = s->velocity = room(3 * sizeof(double));
  f->spin = s->spin = room(3 * sizeof(double));
  f->radius = s->radius = room(sizeof(double));
  f->shape_body = s->shape_body = room(sizeof(int32_t));
  f->shape_material = s->shape_material = room(sizeof(int32_t));
  f->shape_geometry = s->shape_geometry = room(sizeof *s->shape_geometry);
  f->shape_pose = s->shape_pose = room(sizeof(tl_pose));
  f->contact_point = s->contact_point = room(3 * sizeof(double));
  f->contact_normal = s->contact_normal = room(3 * sizeof(double));
  f->contact_force = s->contact_force = room(3 * sizeof(double));
  f->contact_gap = s->contact_gap = room(sizeof(double));
  f->contact_body = s->contact_body = room(2 * sizeof(int32_t));
  const talus_shape_def floor = sample_shape(TALUS_SHAPE_HALFSPACE);
  sample_frame_add(s, TALUS_BODY_FIXED, 0, 0, 0, &floor);
  add_spheres(s, spheres);
  return s;
}

static void turn(sample_frame *s, int32_t body) {
  const double q[4] = {0.8, 0.2, 0.4, 0.4}; /* of length one */
  memcpy(s->orientation + 4 * body, q, sizeof q);
}

void sample_frame_add_others(sample_frame *s) {
  static const double point[] = {0, 0, 0, 0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.2, 0.15, 0.15, 0.15};
  static const double corner[] = {-0.3, -0.3, 0, -0.3, 1.2, 0, -0.3, 1.2, 0.6, -0.3, -0.3, 0.6};
  static const int32_t triangle[] = {0, 1, 2, 0, 2, 3};
  talus_shape_def box = sample_shape(TALUS_SHAPE_BOX), round = sample_shape(TALUS_SHAPE_CAPSULE);
  talus_shape_def hull = sample_shape(TALUS_SHAPE_HULL), mesh = sample_shape(TALUS_SHAPE_MESH);
  box.half_edge[0] = 0.12;
  box.half_edge[1] = 0.08;
  box.half_edge[2] = 0.05;
  round.radius = 0.06;
  round.half_length = 0.1;
  hull.point = point;
  hull.point_count = 5;
  mesh.point = corner;
  mesh.point_count = 4;
  mesh.triangle = triangle;
  mesh.triangle_count = 2;
  turn(s, sample_frame_add(s, TALUS_BODY_FREE, 1.3, 0, 0.25, &box));
  turn(s, sample_frame_add(s, TALUS_BODY_FREE, 1.3, 0.4, 0.2, &round));
  round.kind = TALUS_SHAPE_CYLINDER;
  turn(s, sample_frame_add(s, TALUS_BODY_FREE, 1.3, 0.8, 0.2, &round));
  sample_frame_add(s, TALUS_BODY_FREE, 1.3, 1.1, 0.02, &hull);
  const int32_t clump = add_body(s, TALUS_BODY_FREE, 1.6, 0.5, 0.1);
  s->radius[clump] = 0.16;
  turn(s, clump);
  add_sphere(s, clump, 0.1, -0.06);
  add_sphere(s, clump, 0.08, 0.08);
  box.half_edge[0] = 0.5;
  sample_frame_add(s, TALUS_BODY_KINEMATIC, 0.5, -0.3, 0.1, &box);
  sample_frame_add(s, TALUS_BODY_FIXED, 0, 0, 0, &mesh);
}

void sample_frame_destroy(sample_frame *s) {
  void *const memory[] = {s->sphere,         s->id,
                          s->material,       s->type,
                          s->position,       s->orientation,
                          s->velocity,       s->spin,
                          s->radius,         s->shape_body,
                          s->shape_material, s->shape_geometry,
                          s->shape_pose,     s->contact_point,
                          s->contact_normal, s->contact_force,
                          s->contact_gap,    s->contact_body};
  for (int32_t k = 0; k < s->geometry_count; k++) {
    tl_geometry_destroy(s->context, s->geometry[k]);
  }
  for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) {
    free(memory[k]);
  }
  free(s);
}
