/* grains.c: see grains.h. */
#include "tests/measure/grains.h"

#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

double grains_uniform(void) {
  static uint64_t state = 11;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) / 9007199254740992.0;
}

double grains_normal(void) {
  const double a = grains_uniform(), b = grains_uniform();
  return sqrt(-2 * log(1 - a)) * cos(2 * pi * b);
}

static void *room(size_t count, size_t size) {
  return calloc(count, size);
}

grains *grains_create(bool plane) {
  grains *const g = calloc(1, sizeof *g);
  const size_t n = GRAINS_ROOM, c = CONTACTS_ROOM;
  tl_frame *const f = &g->frame;
  f->plane = plane;
  f->id = g->id = room(n, sizeof(int32_t));
  f->material = g->material = room(n, sizeof(int32_t));
  f->type = g->type = room(n, sizeof(int32_t));
  f->position = g->position = room(3 * n, sizeof(double));
  f->orientation = g->orientation = room(4 * n, sizeof(double));
  f->velocity = g->velocity = room(3 * n, sizeof(double));
  f->spin = g->spin = room(3 * n, sizeof(double));
  f->radius = g->radius = room(n, sizeof(double));
  f->mass = g->mass = room(n, sizeof(double));
  g->geometry = room(n, sizeof(tl_geometry));
  f->shape_body = g->shape_body = room(n, sizeof(int32_t));
  f->shape_material = g->shape_material = room(n, sizeof(int32_t));
  g->shape_geometry = room(n, sizeof *g->shape_geometry);
  f->shape_geometry = g->shape_geometry;
  f->shape_pose = g->shape_pose = room(n, sizeof(tl_pose));
  f->contact_body = g->contact_body = room(2 * c, sizeof(int32_t));
  f->contact_point = g->contact_point = room(3 * c, sizeof(double));
  f->contact_normal = g->contact_normal = room(3 * c, sizeof(double));
  f->contact_force = g->contact_force = room(3 * c, sizeof(double));
  f->contact_gap = g->contact_gap = room(c, sizeof(double));
  return g;
}

void grains_destroy(grains *g) {
  void *const memory[] = {g->id,
                          g->material,
                          g->type,
                          g->position,
                          g->orientation,
                          g->velocity,
                          g->spin,
                          g->radius,
                          g->mass,
                          g->geometry,
                          g->shape_body,
                          g->shape_material,
                          g->shape_geometry,
                          g->shape_pose,
                          g->contact_body,
                          g->contact_point,
                          g->contact_normal,
                          g->contact_force,
                          g->contact_gap,
                          g};
  for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) {
    free(memory[k]);
  }
}

static int32_t add_body(grains *g, int32_t type) {
  const int32_t k = g->frame.body_count++;
  g->id[k] = k;
  g->type[k] = type;
  g->orientation[4 * k] = 1;
  return k;
}

int32_t grains_add_wall(grains *g) {
  return add_body(g, TALUS_BODY_FIXED);
}

int32_t grains_add(grains *g, double x, double y, double z, double radius) {
  static const tl_pose in_place = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const int32_t k = add_body(g, TALUS_BODY_FREE), s = g->frame.shape_count++;
  tl_set3(g->position + 3 * k, x, y, z);
  g->radius[k] = radius;
  g->mass[k] = g->frame.plane ? pi * radius * radius : 4 * pi / 3 * radius * radius * radius;
  g->geometry[s].kind = TALUS_SHAPE_SPHERE;
  g->geometry[s].radius = radius;
  g->shape_geometry[s] = &g->geometry[s];
  g->shape_pose[s] = in_place;
  g->shape_body[s] = k;
  return k;
}

void grains_touch(grains *g, int32_t a, int32_t b, const double point[3], const double normal[3],
                  const double force[3]) {
  const int32_t k = g->frame.contact_count++;
  g->contact_body[2 * k] = a;
  g->contact_body[2 * k + 1] = b;
  tl_copy3(g->contact_point + 3 * k, point);
  tl_copy3(g->contact_normal + 3 * k, normal);
  tl_copy3(g->contact_force + 3 * k, force);
}

void grains_touch_all(grains *g, double gap, double force) {
  for (int32_t a = 0; a < g->frame.body_count; a++) {
    for (int32_t b = a + 1; b < g->frame.body_count; b++) {
      double way[3], point[3], push[3];
      tl_sub3(way, g->position + 3 * b, g->position + 3 * a);
      const double reach = g->radius[a] + g->radius[b] + gap;
      if (tl_dot3(way, way) < reach * reach) {
        tl_along3(point, g->position + 3 * a, g->radius[a] / (g->radius[a] + g->radius[b]), way);
        tl_unit3(way);
        tl_scale3(push, force, way);
        grains_touch(g, a, b, point, way, push);
      }
    }
  }
}
