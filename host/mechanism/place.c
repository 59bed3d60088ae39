/* place.c: where links are and how they move, from coordinates and velocities.
 *
 * Accelerations are those of the links' origins themselves. Across a joint, with the parent's spin
 * w, the arm r between the origins and the joint's own motion (w_J, v_J) = S v: angular  al_i =
 * al_p + S_w dv + w x w_J (+ a1 v1 x a2 v2 of a universal joint) linear   a_i  = a_p + al_p x r + w
 * x (w x r) + S_v dv + 2 w x v_J */
#include <math.h>

#include "host/math/rotation.h"
#include "host/math/trigonometry.h"
#include "host/mechanism/mechanism.h"

/* r = a b, of 3 x 3 */
static void product3(const double *a, const double *b, double *r) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      r[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    }
  }
}

/* r = a turned about the unit vector axis */
static void product_turn(const double *a, const double *axis, double angle, double *r) {
  double s, c;
  tl_sine_cosine(angle, &s, &c);
  const double k = 1 - c;
  const double x = axis[0], y = axis[1], z = axis[2];
  const double turn[9] = {c + k * x * x,     k * x * y - s * z, k * x * z + s * y,
                          k * x * y + s * z, c + k * y * y,     k * y * z - s * x,
                          k * x * z - s * y, k * y * z + s * x, c + k * z * z};
  product3(a, turn, r);
}

static void column_angular(double *column, const double *frame, const double *axis) {
  tl_turn3(column, frame, axis);
  tl_set3(column + 3, 0, 0, 0);
}

static void column_linear(double *column, const double *frame, const double *axis) {
  tl_set3(column, 0, 0, 0);
  tl_turn3(column + 3, frame, axis);
}

static void turn_by_quaternion(const double *frame, const double *q, double *rotation) {
  double unit[4], turn[9];
  const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) {
    unit[i] = q[i] / length; /* inside a Runge-Kutta step it is not quite one */
  }
  tl_quaternion_matrix(unit, turn);
  product3(frame, turn, rotation);
}

/* Columns of S, the link's rotation, and what the joint adds to the arm. */
static void joint_place(const tl_link *link, const double *frame, const double *q, double *axis,
                        double *rotation, double *way) {
  static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double turned[9];
  tl_set3(way, 0, 0, 0);
  switch (link->kind) {
  case TALUS_LINK_REVOLUTE:
    column_angular(axis, frame, link->axis);
    product_turn(frame, link->axis, q[0], rotation);
    break;
  case TALUS_LINK_PRISMATIC:
    column_linear(axis, frame, link->axis);
    tl_scale3(way, q[0], axis + 3);
    memcpy(rotation, frame, 9 * sizeof *rotation);
    break;
  case TALUS_LINK_UNIVERSAL:
    product_turn(frame, link->axis, q[0], turned);
    column_angular(axis, frame, link->axis);
    column_angular(axis + 6, turned, link->axis2);
    product_turn(turned, link->axis2, q[1], rotation);
    break;
  case TALUS_LINK_SPHERICAL:
    for (int k = 0; k < 3; k++) {
      column_angular(axis + 6 * k, frame, unit[k]);
    }
    turn_by_quaternion(frame, q, rotation);
    break;
  case TALUS_LINK_FREE:
    for (int k = 0; k < 3; k++) {
      column_linear(axis + 6 * k, frame, unit[k]);
      column_angular(axis + 18 + 6 * k, frame, unit[k]);
    }
    tl_turn3(way, frame, q);
    turn_by_quaternion(frame, q + 3, rotation);
    break;
  default: /* PLANAR */
    column_linear(axis, frame, link->axis2);
    column_linear(axis + 6, frame, link->axis3);
    column_angular(axis + 12, frame, link->axis);
    tl_along3(way, way, q[0], axis + 3);
    tl_along3(way, way, q[1], axis + 9);
    product_turn(frame, link->axis, q[2], rotation);
    break;
  }
}

/* Velocity, and the accelerations that velocities make (head of this file). */
static void link_move(const tl_link *link, const double *axis, const double *v,
                      const double *parent, tl_link_state *state) {
  double own[6] = {0, 0, 0, 0, 0, 0};
  for (int k = 0; k < link->v_count; k++) {
    tl_add6(own, v[k], axis + 6 * k);
  }
  tl_motion_shift(state->velocity, parent, state->arm);
  tl_add6(state->velocity, 1, own);
  memset(state->joint_bias, 0, sizeof state->joint_bias);
  tl_add_cross3(state->joint_bias, parent, own);
  tl_add_cross3(state->joint_bias + 3, parent, own + 3);
  tl_add_cross3(state->joint_bias + 3, parent, own + 3);
  if (link->kind == TALUS_LINK_UNIVERSAL) {
    double first[3], second[3];
    tl_scale3(first, v[0], axis);
    tl_scale3(second, v[1], axis + 6);
    tl_add_cross3(state->joint_bias, first, second);
  }
  double swing[3];
  memcpy(state->bias, state->joint_bias, sizeof state->bias);
  tl_cross3(swing, parent, state->arm);
  tl_add_cross3(state->bias + 3, parent, swing);
}

/* Inertia about the link's origin, and the wrench that its velocity asks for. */
static void link_weigh(const tl_link *link, tl_link_state *state) {
  double turned[6];
  const double m = link->mass, *const w = state->velocity, *const c = state->centre;
  tl_turn3(state->centre, state->rotation, link->centre);
  tl_inertia_turn(link->inertia, state->rotation, turned);
  const double own[9] = {turned[0], turned[1], turned[2], turned[1], turned[3],
                         turned[4], turned[2], turned[4], turned[5]};
  const double square = tl_dot3(c, c);
  const double cross[9] = {0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const double one = i == j;
      state->inertia[6 * i + j] = own[3 * i + j] + m * (square * one - c[i] * c[j]);
      state->inertia[6 * i + 3 + j] = m * cross[3 * i + j];
      state->inertia[6 * (i + 3) + j] = m * cross[3 * j + i];
      state->inertia[6 * (i + 3) + 3 + j] = m * one;
    }
  }
  double spin[3], swing[3], pull[3];
  tl_turn3(spin, own, w);
  tl_cross3(swing, w, c);
  tl_cross3(pull, w, swing);
  tl_scale3(state->wrench_bias + 3, m, pull);
  tl_cross3(state->wrench_bias, w, spin);
  tl_add_cross3(state->wrench_bias, c, state->wrench_bias + 3);
}

void tl_mechanism_place(talus_mechanism *mechanism) {
  static const double still[6], nowhere[3], upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (mechanism->placed) {
    return;
  }
  for (int32_t k = 0; k < mechanism->link_count; k++) {
    const int32_t i = mechanism->order[k];
    const tl_link *const link = &mechanism->link[i];
    const tl_link_state *const parent = link->parent >= 0 ? &mechanism->state[link->parent] : NULL;
    const double *const rotation = parent != NULL ? parent->rotation : upright;
    tl_link_state *const state = &mechanism->state[i];
    double *const axis = mechanism->axis + 6 * link->first_v;
    double frame[9], way[3];
    product3(rotation, link->rotation, frame);
    joint_place(link, frame, mechanism->q + link->first_q, axis, state->rotation, way);
    tl_turn3(state->arm, rotation, link->position);
    tl_along3(state->arm, state->arm, 1, way);
    tl_along3(state->origin, parent != NULL ? parent->origin : nowhere, 1, state->arm);
    link_move(link, axis, mechanism->v + link->first_v, parent != NULL ? parent->velocity : still,
              state);
    link_weigh(link, state);
  }
  mechanism->placed = 1;
}

void tl_mechanism_forces(talus_mechanism *mechanism) {
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    const tl_link *const link = &mechanism->link[i];
    for (int32_t k = link->first_v; k < link->first_v + link->v_count; k++) {
      mechanism->force[k] = mechanism->applied[k] - link->damping * mechanism->v[k];
    }
  }
  memset(mechanism->outer, 0, 6 * (size_t)mechanism->link_count * sizeof(double));
  for (int32_t i = 0; i < mechanism->load_count; i++) {
    const tl_link_load *const load = &mechanism->load[i];
    double *const outer = mechanism->outer + 6 * load->link;
    double arm[3];
    tl_turn3(arm, mechanism->state[load->link].rotation, load->point);
    tl_add_cross3(outer, arm, load->force);
    tl_along3(outer, outer, 1, load->moment);
    tl_along3(outer + 3, outer + 3, 1, load->force);
  }
}
