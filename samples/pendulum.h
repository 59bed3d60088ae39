/* pendulum.h: the pendulum of Mylapilli and Jain (J. Comput. Nonlinear Dyn., section 6.2).
 *
 * Twelve balls of 1 kg and diameter 0.5 m on pin hinges, 12 m long, hung 10 m above the floor, at
 * 45 degrees with 1 rad/s, friction 0.5, restitution 0.7, steps of 1 ms. Not in the paper, and
 * chosen here: a ball's centre is at the end of its link, 1 m from the hinge; the pendulum begins
 * on the left, and the wall is 4 m to the right of where its tip hangs at rest. Contacts are pairs
 * of balls, by hand. The motion is in a plane: a contact has two rows. */
#ifndef TL_PENDULUM_H
#define TL_PENDULUM_H

#include <talus/talus_mechanism.h>

#include "sample.h"

enum { LINKS = 12, TOUCHES = 2 * LINKS + LINKS * (LINKS - 1) / 2, ROWS = 2 * TOUCHES };
static const double RADIUS = 0.25, FLOOR = -10, WALL = 4, STEP = 1e-3, RESTITUTION = 0.7;

typedef struct pendulum {
  talus_mechanism *mechanism;
  talus_coupling *coupling;
} pendulum;

/* angle: from hanging, rad. */
static inline pendulum pendulum_make(talus_context *context, talus_restitution restitution,
                                     talus_dynamics dynamics, double angle) {
  pendulum p = {NULL, NULL};
  talus_link_def link[LINKS];
  for (int i = 0; i < LINKS; i++) {
    link[i] = talus_link_def_default(TALUS_LINK_REVOLUTE);
    link[i].parent = i - 1;
    link[i].position[2] = i > 0 ? -1 : 0;
    link[i].axis[0] = 1;
    link[i].axis[2] = 0;
    link[i].centre[2] = -1;
    link[i].inertia[0] = link[i].inertia[3] = link[i].inertia[5] = 0.4 * RADIUS * RADIUS;
  }
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link_count = LINKS;
  def.link = link;
  def.dynamics = dynamics;
  TRY(talus_mechanism_create(context, &def, &p.mechanism));
  /* turning about x by a negative angle swings the hanging tip to the left, negative y */
  double q[LINKS] = {0}, v[LINKS] = {0};
  q[0] = -angle;
  v[0] = 1;
  TRY(talus_mechanism_set(p.mechanism, q, v));
  talus_coupling_def coupling = talus_coupling_def_default();
  coupling.step = STEP;
  coupling.gap_clamp = -1e-5;
  coupling.dimension = 2;
  coupling.restitution = restitution;
  coupling.mechanism_count = 1;
  coupling.mechanism = &p.mechanism;
  TRY(talus_coupling_create(context, &coupling, &p.coupling));
  return p;
}

static inline void pendulum_end(pendulum *p) {
  talus_coupling_destroy(p->coupling);
  talus_mechanism_destroy(p->mechanism);
}

/* Adds a contact, if the two are near and there is room. */
static inline void touch_add(talus_touch *touch, int32_t capacity, int32_t *count, int32_t a,
                             int32_t b, const double *point, const double *normal, double gap) {
  if (gap > 0.05) {
    return;
  }
  if (*count < capacity) {
    talus_touch *const t = &touch[*count];
    memset(t, 0, sizeof *t);
    t->link_a = a;
    t->link_b = b;
    memcpy(t->point, point, sizeof t->point);
    memcpy(t->normal, normal, sizeof t->normal);
    t->tangent[1] = -normal[2];
    t->tangent[2] = normal[1];
    t->gap = gap;
    t->friction = 0.5;
    t->restitution = RESTITUTION;
  }
  (*count)++;
}

/* Contacts of floor, wall and balls; returns how many there are, and writes up to capacity. */
static inline int32_t pendulum_touches(talus_mechanism *mechanism, talus_touch *touch,
                                       int32_t capacity) {
  static const double centre[3] = {0, 0, -1}, up[3] = {0, 0, 1}, left[3] = {0, -1, 0};
  double ball[LINKS][3];
  int32_t count = 0;
  for (int i = 0; i < LINKS; i++) {
    if (talus_mechanism_point(mechanism, i, centre, ball[i], NULL) != TALUS_OK) {
      return -1;
    }
    const double low[3] = {0, ball[i][1], FLOOR}, side[3] = {0, WALL, ball[i][2]};
    touch_add(touch, capacity, &count, TALUS_NONE, i, low, up, ball[i][2] - RADIUS - FLOOR);
    touch_add(touch, capacity, &count, TALUS_NONE, i, side, left, WALL - RADIUS - ball[i][1]);
    for (int k = 0; k < i - 1; k++) { /* neighbours stay a link apart */
      const double apart[3] = {0, ball[i][1] - ball[k][1], ball[i][2] - ball[k][2]};
      const double distance = hypot(apart[1], apart[2]);
      const double normal[3] = {0, apart[1] / distance, apart[2] / distance};
      const double middle[3] = {0, 0.5 * (ball[i][1] + ball[k][1]),
                                0.5 * (ball[i][2] + ball[k][2])};
      touch_add(touch, capacity, &count, k, i, middle, normal, distance - 2 * RADIUS);
    }
  }
  return count;
}

#endif
