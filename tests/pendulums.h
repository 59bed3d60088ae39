/* pendulums.h: fleets for the tests: plane pendulums of a few balls over a floor, each begun at
 * another angle. */
#ifndef TL_PENDULUMS_H
#define TL_PENDULUMS_H

#include <string.h>

#include "talus/talus_mechanism.h"

enum { PENDULUM_LINKS = 4, PENDULUMS_MOST = 16 };

static const double PENDULUM_RADIUS = 0.2, PENDULUM_FLOOR = -2.25;

typedef struct pendulums {
  int32_t count;
  talus_mechanism *mechanism[PENDULUMS_MOST];
  talus_coupling *coupling[PENDULUMS_MOST];
  int32_t gives_up; /* for this one no contacts are found: find returns -1; -1: none */
} pendulums;

static inline talus_status pendulum_make(talus_context *context, int32_t i, talus_dynamics dynamics,
                                         talus_restitution restitution, pendulums *p) {
  talus_link_def link[PENDULUM_LINKS];
  double q[PENDULUM_LINKS] = {0}, v[PENDULUM_LINKS] = {0};
  for (int k = 0; k < PENDULUM_LINKS; k++) {
    link[k] = talus_link_def_default(TALUS_LINK_REVOLUTE);
    link[k].parent = k - 1;
    link[k].position[2] = k > 0 ? -1 : 0;
    link[k].axis[0] = 1;
    link[k].axis[2] = 0;
    link[k].centre[2] = -1;
    link[k].inertia[0] = link[k].inertia[3] = link[k].inertia[5] =
        0.4 * PENDULUM_RADIUS * PENDULUM_RADIUS;
  }
  link[1].friction = 0.05; /* some have rows besides contacts: that of a joint's friction */
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link_count = PENDULUM_LINKS;
  def.link = link;
  def.dynamics = dynamics;
  talus_status status = talus_mechanism_create(context, &def, &p->mechanism[i]);
  if (status != TALUS_OK) {
    return status;
  }
  q[0] = 1.05 + 0.02 * i;
  v[0] = -1; /* towards the floor */
  v[1] = 0.1 * i;
  status = talus_mechanism_set(p->mechanism[i], q, v);
  talus_coupling_def coupling = talus_coupling_def_default();
  coupling.step = 5e-3;
  coupling.dimension = 2;
  coupling.restitution = restitution;
  coupling.mechanism_count = 1;
  coupling.mechanism = &p->mechanism[i];
  return status != TALUS_OK ? status : talus_coupling_create(context, &coupling, &p->coupling[i]);
}

static inline int pendulums_make(talus_context *context, int32_t count, talus_dynamics dynamics,
                                 talus_restitution restitution, pendulums *p) {
  memset(p, 0, sizeof *p);
  p->count = count;
  p->gives_up = -1;
  for (int32_t i = 0; i < count; i++) {
    if (pendulum_make(context, i, dynamics, restitution, p) != TALUS_OK) {
      return 0;
    }
  }
  return 1;
}

static inline void pendulums_end(pendulums *p) {
  for (int32_t i = 0; i < p->count; i++) {
    talus_coupling_destroy(p->coupling[i]);
    talus_mechanism_destroy(p->mechanism[i]);
  }
}

/* A talus_touch_find; user is the pendulums. */
static inline int32_t pendulums_find(void *user, int32_t index, talus_touch *touch,
                                     int32_t capacity) {
  static const double end[3] = {0, 0, -1};
  const pendulums *const p = user;
  int32_t count = 0;
  for (int k = 0; k < PENDULUM_LINKS; k++) {
    double ball[3];
    talus_mechanism_point(p->mechanism[index], k, end, ball, NULL);
    const double gap = ball[2] - PENDULUM_RADIUS - PENDULUM_FLOOR;
    if (gap > 0.1) {
      continue;
    }
    if (count < capacity) {
      talus_touch *const t = &touch[count];
      memset(t, 0, sizeof *t);
      t->link_a = TALUS_NONE;
      t->link_b = k;
      t->point[1] = ball[1];
      t->point[2] = PENDULUM_FLOOR;
      t->normal[2] = t->tangent[1] = 1;
      t->gap = gap;
      t->friction = 0.4;
      t->restitution = 0.5;
    }
    count++;
  }
  return index == p->gives_up ? -1 : count;
}

/* Coordinates and velocities of all, 2 PENDULUM_LINKS each. */
static inline void pendulums_state(const pendulums *p, double *state) {
  for (int32_t i = 0; i < p->count; i++, state += 2 * PENDULUM_LINKS) {
    talus_mechanism_get(p->mechanism[i], state, state + PENDULUM_LINKS);
  }
}

static inline talus_fleet_def pendulums_fleet(pendulums *p) {
  talus_fleet_def def = talus_fleet_def_default();
  def.count = p->count;
  def.coupling = p->coupling;
  def.find = pendulums_find;
  def.user = p;
  def.settings.method = TALUS_METHOD_MNCP_PLM;
  return def;
}

#endif
