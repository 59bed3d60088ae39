/* sweep.h: one contact's turn in a Gauss-Seidel sweep.
 *
 * With y = x + beta (x - x_previous) the impulse r that solves the contact alone is found, exactly
 * for spheres and for what sticks or opens, in one step that lowers the cost for the rest; the
 * bodies are told the change r - y at once. No other contact of the colour shares a body. r is
 * written over x_previous. A contact of six rows takes some projected gradient steps. */
#ifndef TL_ITEM_SWEEP_H
#define TL_ITEM_SWEEP_H

#include "kernels/item/gradient.h"

/* The local solution of a sphere contact: W_kk + C = diag(Sn, St, St) about n, closed form. c is
 * given by its normal part and its tangential vector. */
TL_ITEM tl_vec tl_sweep_sphere(tl_real cn, tl_vec ct, tl_vec n, tl_real mu, tl_real sn,
                               tl_real st) {
  const tl_real m2 = tl_dot(ct, ct);
  const tl_real stick = -cn / sn;
  if (stick > 0 && m2 <= mu * stick * st * (mu * stick * st)) {
    return tl_along(tl_times(stick, n), -1 / st, ct);
  }
  const tl_real m = tl_sqrt(m2);
  const tl_real x = (mu * m - cn) / (sn + mu * mu * st);
  if (!(x > 0)) {
    return tl_vec_make(0, 0, 0);
  }
  return tl_along(tl_times(x, n), m > 0 ? -mu * x / m : 0, ct);
}

/* The local solution for spheres; returns r and moves the slip filter. */
TL_ITEM tl_vec tl_sweep_local_sphere(const tl_view *view, int32_t k, tl_pace pace, tl_vec y,
                                     tl_vec u, tl_vec n) {
  const tl_real sn = view->scale_n[k], st = view->scale_t[k], mu = view->friction[k];
  const tl_real un = tl_dot(n, u), yn = tl_dot(n, y);
  const tl_vec ut = tl_along(u, -un, n), yt = tl_along(y, -yn, n);
  const tl_vec ct = tl_along(ut, -st, yt);
  tl_real cn = un - sn * yn;
  if (pace.coulomb) {
    const tl_vec slip = pace.filter < 1 ? tl_load(view->slip, k) : ut;
    cn += mu * tl_sqrt(tl_dot(slip, slip));
  }
  const tl_vec r = tl_sweep_sphere(cn, ct, n, mu, sn, st);
  if (pace.coulomb) {
    const tl_vec rt = tl_along(r, -tl_dot(n, r), n);
    tl_slip_filter(view, k, tl_along(ct, st, rt), mu, pace.filter);
  }
  return r;
}

/* The same in the contact frame with a full W_kk + C, solved as far as one turn goes. */
TL_ITEM tl_vec tl_sweep_local_frame(const tl_view *view, int32_t k, tl_pace pace, tl_vec y,
                                    tl_vec u, int alone) {
  const tl_vec own = tl_load(view->diagonal, k), mixed = tl_load(view->mixed, k);
  const tl_real a[6] = {own.x, mixed.x, mixed.y, own.y, mixed.z, own.z};
  const tl_real mu = view->friction[k];
  tl_vec raised = u;
  if (pace.coulomb) {
    const tl_vec now = tl_vec_make(0, u.y, u.z);
    const tl_vec slip = pace.filter < 1 ? tl_load(view->slip, k) : now;
    raised.x += mu * tl_sqrt(tl_dot(slip, slip));
  }
  const tl_vec r = tl_cone_step(a, raised, mu, view->scale_n[k], view->scale_t[k], y, alone);
  if (pace.coulomb) {
    const tl_vec after = tl_add(u, tl_sym_times(a, tl_sub(r, y)));
    tl_slip_filter(view, k, tl_vec_make(0, after.y, after.z), mu, pace.filter);
  }
  return r;
}

TL_ITEM tl_vec tl_sweep_local(const tl_view *view, const tl_range range, int32_t k, tl_pace pace,
                              tl_vec y, tl_vec u, int alone) {
  if (range.bilateral) {
    return tl_row_project(view, range, k, tl_vec_make(y.x - u.x / view->scale_n[k], 0, 0));
  }
  if (range.kind == TL_SPHERES) {
    return tl_sweep_local_sphere(view, k, pace, y, u, tl_load(view->normal, k));
  }
  if (range.kind == TL_ARMS) {
    const tl_vec n = tl_load(view->normal, k);
    tl_vec t1, t2;
    tl_tangents(n, &t1, &t2);
    const tl_vec r = tl_sweep_local_frame(view, k, pace, tl_to_frame(y, n, t1, t2),
                                          tl_to_frame(u, n, t1, t2), 0);
    return tl_from_frame(r, n, t1, t2);
  }
  return tl_sweep_local_frame(view, k, pace, y, u, alone);
}

/* Inner product in the metric S about the axis n. */
TL_ITEM tl_real tl_metric(tl_vec d, tl_vec e, tl_vec n, tl_real sn, tl_real st) {
  return st * tl_dot(d, e) + (sn - st) * tl_dot(n, d) * tl_dot(n, e);
}

/* What a contact's turn leaves to be done: its shares of the sums, and what the bodies must hear.
 */
typedef struct tl_turn {
  tl_share share;
  tl_vec change;
} tl_turn;

/* The contact's turn where D_k V(y) + C y is known. MATRIX: y of all contacts stands in trial.
 * alone: no other contact is treated at the same time (cone.h). */
TL_ITEM tl_turn tl_sweep_move(const tl_view *view, const tl_range range, int32_t k, tl_pace pace,
                              tl_vec relative, int alone) {
  const tl_vec x = tl_load(view->x, k);
  const tl_vec y =
      range.kind == TL_MATRIX ? tl_load(view->trial, k) : tl_contact_ahead(view, k, pace.beta);
  const tl_vec u = tl_add(relative, tl_contact_free(view, k));
  const tl_vec r = tl_sweep_local(view, range, k, pace, y, u, alone);
  const tl_vec d = tl_sub(r, y);
  if (range.kind == TL_MATRIX) {
    tl_save(view->trial, k, r);
  }
  tl_save(view->x_previous, k, r);
  const tl_vec n = tl_contact_axis(view, range.kind, k);
  const tl_real sn = view->scale_n[k], st = view->scale_t[k];
  tl_turn turn;
  turn.share.step_norm2 = tl_metric(d, d, n, sn, st);
  turn.share.restart_test = -tl_metric(d, tl_sub(r, x), n, sn, st);
  turn.change = d;
  return turn;
}

/* ---- six rows -------------------------------------------------------------------------------- */

/* Projected gradient steps that a contact of six rows takes in its turn. */
enum { TL_WRENCH_STEPS = 2 };

/* The contact's turn in its frame, from y where the velocity is u, opening lifted: steps on
 * 1/2 d^T W_kk d + u^T d over K. *after is the velocity at the end, without what lifts it. */
TL_ITEM tl_wrench tl_sweep_local_wrench(const tl_view *view, int32_t k, tl_wrench y, tl_wrench u,
                                        tl_real lift, tl_wrench *after) {
  const tl_vec n = tl_vec_make(1, 0, 0);
  const tl_parts mu = tl_wrench_friction(view, k), s = tl_wrench_scale(view, k);
  const tl_parts rate = tl_parts_rate(view->local_step[k], s);
  tl_wrench x = y;
  *after = u;
  for (int i = 0; i < TL_WRENCH_STEPS; i++) {
    tl_wrench pull = *after;
    pull.force.x += lift;
    x = tl_wrench_project(tl_wrench_descend(x, pull, n, rate), n, mu, s);
    *after = tl_wrench_along(u, 1, tl_wrench_delassus(view, k, tl_wrench_sub(x, y)));
  }
  return x;
}

TL_ITEM tl_share tl_sweep_wrench(const tl_view *view, const tl_range range, int32_t k,
                                 tl_pace pace) {
  const tl_wrench x = tl_wrench_load(view, view->x, k);
  const tl_wrench y = tl_wrench_ahead(view, k, pace.beta);
  const tl_vec n = tl_contact_axis(view, range.kind, k);
  const tl_wrench u = tl_wrench_along(tl_wrench_relative(view, range, k, view->velocity_y, y), 1,
                                      tl_wrench_free(view, k));
  const tl_parts mu = tl_wrench_friction(view, k);
  const tl_real lift = !pace.coulomb ? 0
                       : pace.filter < 1
                           ? tl_wrench_opening(tl_wrench_load(view, view->slip, k), n, mu)
                           : tl_wrench_opening(u, n, mu);
  tl_wrench r, after;
  if (range.kind == TL_BLOCKS) {
    r = tl_sweep_local_wrench(view, k, y, u, lift, &after);
  } else {
    tl_vec t1, t2;
    tl_tangents(n, &t1, &t2);
    r = tl_sweep_local_wrench(view, k, tl_wrench_to_frame(y, n, t1, t2),
                              tl_wrench_to_frame(u, n, t1, t2), lift, &after);
    r = tl_wrench_from_frame(r, n, t1, t2);
    after = tl_wrench_from_frame(after, n, t1, t2);
  }
  if (pace.coulomb) {
    tl_wrench_filter(view, k, after, n, pace.filter);
  }
  const tl_wrench d = tl_wrench_sub(r, y);
  tl_wrench_save(view, view->x_previous, k, r);
  tl_wrench_apply(view, range, k, d, view->velocity_y);
  const tl_parts s = tl_wrench_scale(view, k);
  tl_share share;
  share.step_norm2 = tl_wrench_metric(d, d, n, s);
  share.restart_test = -tl_wrench_metric(d, tl_wrench_sub(r, x), n, s);
  return share;
}

TL_ITEM tl_share tl_sweep_step(const tl_view *view, const tl_range range, int32_t k, tl_pace pace) {
  if (range.torque) {
    return tl_sweep_wrench(view, range, k, pace);
  }
  const tl_vec relative = range.kind == TL_MATRIX
                              ? tl_contact_row(view, k, view->trial)
                              : tl_contact_relative(view, range, k, view->velocity_y,
                                                    tl_contact_ahead(view, k, pace.beta));
  const tl_turn turn = tl_sweep_move(view, range, k, pace, relative, range.kind == TL_MATRIX);
  tl_contact_apply(view, range, k, turn.change, view->velocity_y);
  return turn.share;
}

/* y of the matrix sweep, from x and x_previous as they stand before it. */
TL_ITEM void tl_sweep_extrapolate(const tl_view *view, int32_t k, tl_real beta) {
  const tl_vec x = tl_load(view->x, k);
  tl_save(view->trial, k, tl_along(x, beta, tl_sub(x, tl_load(view->x_previous, k))));
}

#endif
