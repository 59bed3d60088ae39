/* grains.h: frames of spheres with contacts, made by hand, for tests of measurements. */
#ifndef TL_TEST_GRAINS_H
#define TL_TEST_GRAINS_H

#include "host/measure/sample.h"

enum { GRAINS_ROOM = 20000, CONTACTS_ROOM = 120000 };

typedef struct grains {
  tl_frame frame;
  int32_t *id, *material, *type, *shape_body, *shape_material, *contact_body;
  double *position, *orientation, *velocity, *spin, *radius, *mass;
  tl_geometry *geometry;
  const tl_geometry **shape_geometry;
  tl_pose *shape_pose;
  double *contact_point, *contact_normal, *contact_force, *contact_gap;
} grains;

grains *grains_create(bool plane);
void grains_destroy(grains *g);
/* Adds a sphere (plane: disk) of density 1; returns its index, which is its id. */
int32_t grains_add(grains *g, double x, double y, double z, double radius);
/* Adds a fixed body without shape; returns its id. */
int32_t grains_add_wall(grains *g);
/* A contact of bodies a and b at a point; force on b. */
void grains_touch(grains *g, int32_t a, int32_t b, const double point[3], const double normal[3],
                  const double force[3]);
/* All spheres whose gap is below `gap` touch, in the middle, with a normal force. */
void grains_touch_all(grains *g, double gap, double force);

/* A random number in 0 .. 1, and one of a normal distribution. */
double grains_uniform(void);
double grains_normal(void);

#endif
