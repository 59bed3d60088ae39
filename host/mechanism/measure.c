/* measure.c: points, Jacobians and balances of a mechanism, for the caller. */
#include <math.h>

#include "host/base/structs.h"
#include "host/mechanism/mechanism.h"

static talus_status point_check(talus_mechanism *mechanism, int32_t link) {
  if (mechanism == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_link_exists(mechanism, link));
  tl_mechanism_place(mechanism);
  return TALUS_OK;
}

/* The quaternion of a rotation: the largest of its four numbers is found first. */
static void quaternion_of(const double *r, double *q) {
  const double square[4] = {1 + r[0] + r[4] + r[8], 1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8],
                            1 - r[0] - r[4] + r[8]};
  int k = 0;
  for (int i = 1; i < 4; i++) {
    k = square[i] > square[k] ? i : k;
  }
  const double twice[4][4] = {{square[0], r[7] - r[5], r[2] - r[6], r[3] - r[1]},
                              {r[7] - r[5], square[1], r[1] + r[3], r[2] + r[6]},
                              {r[2] - r[6], r[1] + r[3], square[2], r[5] + r[7]},
                              {r[3] - r[1], r[2] + r[6], r[5] + r[7], square[3]}};
  for (int i = 0; i < 4; i++) {
    q[i] = 0.5 * twice[k][i] / sqrt(square[k]);
  }
}

talus_status talus_mechanism_pose(talus_mechanism *mechanism, int32_t link, double *position,
                                  double *orientation, double *velocity) {
  TL_TRY(point_check(mechanism, link));
  const tl_link_state *const state = &mechanism->state[link];
  if (position != NULL) {
    tl_copy3(position, state->origin);
  }
  if (orientation != NULL) {
    quaternion_of(state->rotation, orientation);
  }
  if (velocity != NULL) {
    tl_copy3(velocity, state->velocity + 3);
    tl_copy3(velocity + 3, state->velocity);
  }
  return TALUS_OK;
}

talus_status talus_mechanism_point(talus_mechanism *mechanism, int32_t link, const double *point,
                                   double *position, double *velocity) {
  if (point == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(point_check(mechanism, link));
  const tl_link_state *const state = &mechanism->state[link];
  double arm[3];
  tl_turn3(arm, state->rotation, point);
  if (position != NULL) {
    tl_along3(position, state->origin, 1, arm);
  }
  if (velocity != NULL) {
    tl_copy3(velocity, state->velocity + 3);
    tl_add_cross3(velocity, state->velocity, arm);
  }
  return TALUS_OK;
}

talus_status talus_mechanism_jacobian(talus_mechanism *mechanism, int32_t link, const double *point,
                                      double *jacobian) {
  if (point == NULL || jacobian == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(point_check(mechanism, link));
  const size_t n = (size_t)mechanism->v_count;
  double arm[3];
  tl_turn3(arm, mechanism->state[link].rotation, point);
  memset(jacobian, 0, 6 * n * sizeof *jacobian);
  for (int row = 0; row < 6; row++) {
    double wrench[6] = {0, 0, 0, 0, 0, 0}; /* a unit force at the point, or a unit moment */
    wrench[row < 3 ? 3 + row : row - 3] = 1;
    tl_add_cross3(wrench, arm, wrench + 3);
    tl_mechanism_row(mechanism, link, wrench, jacobian + (size_t)row * n);
  }
  return TALUS_OK;
}

void tl_mechanism_spread(talus_mechanism *mechanism, const double *velocity) {
  static const double still[6];
  for (int32_t k = 0; k < mechanism->link_count; k++) {
    const int32_t i = mechanism->order[k];
    const tl_link *const link = &mechanism->link[i];
    double *const motion = mechanism->motion + 6 * i;
    tl_motion_shift(motion, tl_motion_of(mechanism, link->parent, still), mechanism->state[i].arm);
    for (int c = 0; c < link->v_count; c++) {
      tl_add6(motion, velocity[link->first_v + c], tl_axis_of(mechanism, link) + 6 * c);
    }
  }
}

void talus_mechanism_balance_init(talus_mechanism_balance *balance, size_t size) {
  static const talus_mechanism_balance defaults;
  tl_struct_init(&tl_struct_mechanism_balance, &defaults, balance, size);
}

static void link_measure(const talus_mechanism *mechanism, int32_t i,
                         talus_mechanism_balance *balance) {
  const tl_link_state *const state = &mechanism->state[i];
  const double mass = mechanism->link[i].mass;
  double centre[3], momentum[6];
  tl_along3(centre, state->origin, 1, state->centre);
  tl_times6(momentum, state->inertia, state->velocity);
  balance->mass += mass;
  balance->kinetic += 0.5 * tl_dot6(momentum, state->velocity);
  balance->potential -= mass * tl_dot3(mechanism->gravity, centre);
  tl_along3(balance->centre, balance->centre, mass, centre);
  tl_along3(balance->momentum, balance->momentum, 1, momentum + 3);
  tl_along3(balance->angular_momentum, balance->angular_momentum, 1, momentum);
  tl_add_cross3(balance->angular_momentum, state->origin, momentum + 3);
}

talus_status talus_mechanism_measure(talus_mechanism *mechanism, talus_mechanism_balance *balance) {
  if (mechanism == NULL || balance == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_struct_check(mechanism->context, &tl_struct_mechanism_balance, "balance", balance));
  talus_mechanism_balance sum = talus_mechanism_balance_default();
  tl_mechanism_place(mechanism);
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    link_measure(mechanism, i, &sum);
  }
  tl_scale3(sum.centre, 1 / sum.mass, sum.centre);
  tl_struct_write(&tl_struct_mechanism_balance, &sum, balance);
  return TALUS_OK;
}
