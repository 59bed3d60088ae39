/* body.h: one body's response V = M^-1 D^T x, gathered over the contacts that touch it.
 *
 * A gather over the body's ascending list of contact ends gives the same bits on any number of
 * threads, without atomics. */
#ifndef TL_ITEM_BODY_H
#define TL_ITEM_BODY_H

#include "kernels/item/wrench.h"

/* Linear and angular part of a record. */
typedef struct tl_twist {
  tl_vec linear, angular;
} tl_twist;

TL_ITEM tl_twist tl_twist_load(const tl_real *velocity, int32_t body) {
  tl_twist twist;
  twist.linear = tl_record_linear(velocity, body);
  twist.angular = tl_record_angular(velocity, body);
  return twist;
}

TL_ITEM void tl_twist_save(const tl_view *view, const int32_t kind, tl_real *velocity, int32_t body,
                           tl_twist twist) {
  tl_real *r = velocity + (int64_t)TL_RECORD * body;
  const tl_real *mass = view->body + 4 * (int64_t)body;
  r[0] = twist.linear.x;
  r[1] = twist.linear.y;
  r[2] = twist.linear.z;
  r[3] = kind == TL_SPHERES ? mass[0] : 0;
  r[4] = twist.angular.x;
  r[5] = twist.angular.y;
  r[6] = twist.angular.z;
  r[7] = kind == TL_SPHERES ? mass[1] : 0;
}

/* Momentum that one contact end gives its body. */
TL_ITEM tl_twist tl_end_share(const tl_view *view, const int32_t kind, int32_t end,
                              const tl_real *impulse) {
  const int32_t k = end >> 1, is_b = end & 1;
  const tl_vec x = tl_squeeze(view, k, tl_load(impulse, k));
  const tl_real sign = (tl_real)(2 * is_b - 1);
  tl_twist share;
  share.linear = tl_times(sign, x);
  if (kind == TL_SPHERES) { /* arm x (sign x) = -reach n x x on either side */
    const tl_real *reach = is_b ? view->reach_b : view->reach_a;
    share.angular = tl_times(-reach[k], tl_cross(tl_load(view->normal, k), x));
  } else {
    const tl_vec arm = tl_load(is_b ? view->arm_b : view->arm_a, k);
    share.angular = tl_times(sign, tl_cross(arm, x));
  }
  if (view->shape.torque_count > 0) {
    const tl_vec torque = tl_load(impulse, tl_torque_place(view, k));
    share.angular = tl_along(share.angular, sign, torque);
  }
  return share;
}

/* Adds what bilateral rows do to a rigid body; their columns follow the record's layout. */
TL_ITEM void tl_body_rows(const tl_view *view, int32_t body, const tl_real *impulse,
                          tl_twist *twist) {
  tl_real sum[TL_RECORD] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int32_t e = view->incidence_first[body]; e < view->incidence_first[body + 1]; e++) {
    const tl_incidence incidence = view->incidence[e];
    const tl_real x = impulse[3 * (int64_t)incidence.contact];
    for (int32_t c = 0; c < TL_RECORD; c++) {
      sum[c] += view->response[incidence.jacobian + c] * x;
    }
  }
  twist->linear = tl_add(twist->linear, tl_vec_make(sum[0], sum[1], sum[2]));
  twist->angular = tl_add(twist->angular, tl_vec_make(sum[4], sum[5], sum[6]));
}

/* The response of a rigid body: the sum of its ends' shares times M^-1, and what rows add. */
TL_ITEM tl_twist tl_body_answer(const tl_view *view, const int32_t kind, int32_t body,
                                const tl_real *impulse, tl_twist sum) {
  if (kind == TL_SPHERES) {
    const tl_real *mass = view->body + 4 * (int64_t)body;
    sum.linear = tl_times(mass[0], sum.linear);
    sum.angular = tl_times(mass[1], sum.angular);
  } else {
    const tl_real *mass = view->body + 16 * (int64_t)body;
    sum.linear = tl_times(mass[0], sum.linear);
    sum.angular = tl_sym_times(mass + 1, sum.angular);
  }
  if (view->incidence_first != 0) {
    tl_body_rows(view, body, impulse, &sum);
  }
  return sum;
}

TL_ITEM tl_twist tl_body_gather(const tl_view *view, const int32_t kind, int32_t body,
                                const tl_real *impulse) {
  tl_twist sum;
  sum.linear = tl_vec_make(0, 0, 0);
  sum.angular = sum.linear;
  for (int32_t e = view->end_first[body]; e < view->end_first[body + 1]; e++) {
    const tl_twist share = tl_end_share(view, kind, view->end[e], impulse);
    sum.linear = tl_add(sum.linear, share.linear);
    sum.angular = tl_add(sum.angular, share.angular);
  }
  return tl_body_answer(view, kind, body, impulse, sum);
}

/* V(x) of one rigid body into any velocity array; below the same for a block, a row of W. */
TL_ITEM void tl_body_respond(const tl_view *view, const int32_t kind, int32_t body,
                             const tl_real *impulse, tl_real *velocity) {
  tl_twist_save(view, kind, velocity, body, tl_body_gather(view, kind, body, impulse));
}

/* d^T M d for a rigid body. */
TL_ITEM tl_real tl_body_energy(const tl_view *view, const int32_t kind, int32_t body, tl_twist d) {
  if (kind == TL_SPHERES) {
    const tl_real *mass = view->body + 4 * (int64_t)body;
    return mass[2] * tl_dot(d.linear, d.linear) + mass[3] * tl_dot(d.angular, d.angular);
  }
  const tl_real *mass = view->body + 16 * (int64_t)body;
  return mass[7] * tl_dot(d.linear, d.linear) +
         tl_dot(d.angular, tl_sym_times(mass + 8, d.angular));
}

TL_ITEM tl_twist tl_twist_along(tl_twist a, tl_real s, tl_twist from, tl_twist to) {
  a.linear = tl_along(a.linear, s, tl_sub(to.linear, from.linear));
  a.angular = tl_along(a.angular, s, tl_sub(to.angular, from.angular));
  return a;
}

/* One iteration's end for a rigid body whose V(x+) is known: V and V(y) move on; returns the body's
 * share of a = |V(x+) - V(y)|^2_M. */
TL_ITEM tl_real tl_body_move(const tl_view *view, const int32_t kind, int32_t body, tl_twist next,
                             tl_real beta) {
  const tl_twist now = tl_twist_load(view->velocity, body);
  const tl_twist at_y = tl_twist_load(view->velocity_y, body);
  tl_twist d;
  d.linear = tl_sub(next.linear, at_y.linear);
  d.angular = tl_sub(next.angular, at_y.angular);
  tl_twist_save(view, kind, view->velocity, body, next);
  tl_twist_save(view, kind, view->velocity_y, body, tl_twist_along(next, beta, now, next));
  return tl_body_energy(view, kind, body, d);
}

TL_ITEM tl_real tl_body_step(const tl_view *view, const int32_t kind, int32_t body,
                             const tl_real *impulse, tl_real beta) {
  return tl_body_move(view, kind, body, tl_body_gather(view, kind, body, impulse), beta);
}

/* What a contact of six rows adds: its torque, and what an elliptic cone takes off its force. */
TL_ITEM tl_real tl_torque_column(const tl_view *view, tl_incidence incidence, int32_t size,
                                 int32_t c, const tl_real *impulse) {
  const tl_vec torque = tl_load(impulse, tl_torque_place(view, incidence.contact));
  const tl_vec x = tl_load(impulse, incidence.contact);
  const tl_vec less = tl_sub(tl_squeeze(view, incidence.contact, x), x);
  const tl_real turn[3] = {torque.x, torque.y, torque.z}, off[3] = {less.x, less.y, less.z};
  tl_real sum = 0;
  for (int32_t row = 0; row < 3; row++) {
    const int64_t at = incidence.jacobian + (int64_t)row * size + c;
    sum += view->torque_response[at] * turn[row] + view->response[at] * off[row];
  }
  return sum;
}

/* Column c of general block b: V = sum (J M^-1)^T x over its Jacobian blocks. */
TL_ITEM tl_real tl_block_gather(const tl_view *view, int32_t b, int32_t c, const tl_real *impulse) {
  const int32_t size = view->block_offset[b + 1] - view->block_offset[b];
  const int32_t *first = view->incidence_first + view->shape.rigid_count + b;
  tl_real sum = 0;
  for (int32_t e = first[0]; e < first[1]; e++) {
    const tl_incidence incidence = view->incidence[e];
    for (int32_t row = 0; row < incidence.rows; row++) {
      sum += view->response[incidence.jacobian + (int64_t)row * size + c] *
             impulse[3 * (int64_t)incidence.contact + row];
    }
    if (incidence.contact < view->shape.torque_count) {
      sum += tl_torque_column(view, incidence, size, c, impulse);
    }
  }
  return sum;
}

TL_ITEM void tl_block_respond(const tl_view *view, int32_t b, const tl_real *impulse,
                              tl_real *velocity) {
  for (int32_t i = view->block_offset[b]; i < view->block_offset[b + 1]; i++) {
    velocity[i] = tl_block_gather(view, b, i - view->block_offset[b], impulse);
  }
}

TL_ITEM void tl_matrix_respond(const tl_view *view, int32_t k, const tl_real *impulse,
                               tl_real *velocity) {
  tl_save(velocity, k, tl_contact_row(view, k, impulse));
}

/* V(x) of a general block into velocity_trial; the block's share of |V(x) - V(y)|^2_M. */
TL_ITEM tl_real tl_block_try(const tl_view *view, int32_t b, const tl_real *impulse) {
  const int32_t offset = view->block_offset[b], size = view->block_offset[b + 1] - offset;
  tl_real *next = view->velocity_trial + offset;
  for (int32_t c = 0; c < size; c++) {
    next[c] = tl_block_gather(view, b, c, impulse);
  }
  const tl_real *mass = view->mass + view->mass_first[b];
  tl_real energy = 0;
  for (int32_t r = 0; r < size; r++) {
    tl_real row = 0;
    for (int32_t c = 0; c < size; c++) {
      row += mass[(int64_t)r * size + c] * (next[c] - view->velocity_y[offset + c]);
    }
    energy += row * (next[r] - view->velocity_y[offset + r]);
  }
  return energy;
}

/* One real of a velocity array moves on from V(x) to V(x+) = next, V(y) with it. The masses in a
 * record stay, since beta (m - m) = 0. */
TL_ITEM void tl_velocity_carry(const tl_view *view, int32_t i, tl_real next, tl_real beta) {
  const tl_real now = view->velocity[i];
  view->velocity[i] = next;
  view->velocity_y[i] = next + beta * (next - now);
}

/* tl_body_step for a general block; velocity_trial holds V(x+) on the way. */
TL_ITEM tl_real tl_block_step(const tl_view *view, int32_t b, const tl_real *impulse,
                              tl_real beta) {
  const tl_real energy = tl_block_try(view, b, impulse);
  for (int32_t i = view->block_offset[b]; i < view->block_offset[b + 1]; i++) {
    tl_velocity_carry(view, i, view->velocity_trial[i], beta);
  }
  return energy;
}

/* The same for a row block of W, where V = W x and a = d . W d. The contact step has left y in
 * trial. */
TL_ITEM tl_real tl_matrix_step(const tl_view *view, int32_t k, const tl_real *impulse,
                               tl_real beta) {
  const tl_vec next = tl_contact_row(view, k, impulse);
  const tl_vec now = tl_load(view->velocity, k), at_y = tl_load(view->velocity_y, k);
  const tl_vec d = tl_sub(tl_load(impulse, k), tl_load(view->trial, k));
  tl_save(view->velocity, k, next);
  tl_save(view->velocity_y, k, tl_along(next, beta, tl_sub(next, now)));
  return tl_dot(d, tl_sub(next, at_y));
}

/* APGD: V(trial) = next is kept, and the share of a = d^T W d, d = trial - y. */
TL_ITEM tl_real tl_body_weigh(const tl_view *view, const int32_t kind, int32_t body,
                              tl_twist next) {
  const tl_twist at_y = tl_twist_load(view->velocity_y, body);
  tl_twist d;
  d.linear = tl_sub(next.linear, at_y.linear);
  d.angular = tl_sub(next.angular, at_y.angular);
  tl_twist_save(view, kind, view->velocity_trial, body, next);
  return tl_body_energy(view, kind, body, d);
}

TL_ITEM tl_real tl_body_try(const tl_view *view, const int32_t kind, int32_t body) {
  return tl_body_weigh(view, kind, body, tl_body_gather(view, kind, body, view->trial));
}

TL_ITEM tl_real tl_matrix_try(const tl_view *view, int32_t k, tl_real beta) {
  const tl_vec next = tl_contact_row(view, k, view->trial);
  const tl_vec x = tl_load(view->x, k);
  const tl_vec y = tl_along(x, beta, tl_sub(x, tl_load(view->x_previous, k)));
  tl_save(view->velocity_trial, k, next);
  return tl_dot(tl_sub(tl_load(view->trial, k), y), tl_sub(next, tl_load(view->velocity_y, k)));
}

#endif
