/* gradient.h: one contact's projected gradient step: Jacobi, APGDB, spectral, and APGD.
 *
 *   y  = x + beta (x - x_previous)
 *   u  = D_k V(y) + C y + q  [exact law: slip += g (u_t - slip), u += mu |slip| n]
 *   x+ = P(y - (u_n / Sn n + u_t / St) / L)
 *
 * x+ is written over x_previous, of which no other contact reads anything: two buffers suffice.
 * The step returns the contact's share of b and s (state.h). */
#ifndef TL_ITEM_GRADIENT_H
#define TL_ITEM_GRADIENT_H

#include "kernels/item/cone.h"
#include "kernels/item/contact.h"
#include "kernels/item/row.h"
#include "kernels/item/state.h"
#include "kernels/item/wrench.h"

typedef struct tl_share {
  tl_real step_norm2, restart_test;
} tl_share;

/* Scalars of one iteration, rounded to the kernels' precision. */
typedef struct tl_pace {
  tl_real beta, inverse_lipschitz, filter;
  int32_t coulomb;
} tl_pace;

TL_ITEM tl_pace tl_pace_make(const tl_state *state, const tl_rule *rule) {
  tl_pace pace;
  pace.beta = (tl_real)state->beta;
  pace.inverse_lipschitz = (tl_real)(1 / state->lipschitz);
  pace.filter = state->fresh ? (tl_real)1 : (tl_real)rule->filter;
  pace.coulomb = rule->coulomb;
  return pace;
}

/* The exact law's term: slip is filtered as a vector, since an oscillating slip would otherwise
 * rectify into a spurious opening speed. Returns mu |slip|. fresh memory may hold anything, so a
 * gain of one does not read it. */
TL_ITEM tl_real tl_slip_filter(const tl_view *view, int32_t k, tl_vec tangential, tl_real mu,
                               tl_real gain) {
  tl_vec slip = tangential;
  if (gain < 1) {
    const tl_vec old = tl_load(view->slip, k);
    slip = tl_along(old, gain, tl_sub(tangential, old));
  }
  tl_save(view->slip, k, slip);
  return mu * tl_sqrt(tl_dot(slip, slip));
}

/* u at y from D_k V(y) + C y: q and the law's term are added. Writes the slip: what else is wanted
 * of memory is better loaded before, since a compiler cannot know that it lies elsewhere. */
TL_ITEM tl_vec tl_gradient_law(const tl_view *view, const tl_range range, int32_t k, tl_pace pace,
                               tl_vec n, tl_real mu, tl_vec relative) {
  tl_vec u = tl_add(relative, tl_contact_free(view, k));
  if (pace.coulomb && !range.bilateral) {
    const tl_vec tangential = tl_along(u, -tl_dot(n, u), n);
    u = tl_along(u, tl_slip_filter(view, k, tangential, mu, pace.filter), n);
  }
  return u;
}

/* The step where D_k V(y) + C y is known: the CPU gathers it beforehand, so that what is left can
 * be computed for many contacts at once. */
TL_ITEM tl_share tl_gradient_move(const tl_view *view, const tl_range range, int32_t k,
                                  tl_pace pace, tl_vec relative) {
  const tl_vec x = tl_load(view->x, k), y = tl_contact_ahead(view, k, pace.beta);
  const tl_vec n = tl_contact_axis(view, range.kind, k);
  const tl_real sn = view->scale_n[k], st = view->scale_t[k];
  const tl_real mu = range.bilateral ? 0 : view->friction[k];
  const tl_vec u = tl_gradient_law(view, range, k, pace, n, mu, relative);
  const tl_real step_n = pace.inverse_lipschitz / sn, step_t = pace.inverse_lipschitz / st;
  const tl_real un = tl_dot(n, u);
  /* y - step_t u - (step_n - step_t) u_n n: the same without splitting u */
  tl_vec next = tl_along(tl_along(y, -step_t, u), (step_t - step_n) * un, n);
  next =
      range.bilateral ? tl_row_project(view, range, k, next) : tl_cone_project(next, n, mu, sn, st);
  tl_save(view->x_previous, k, next);
  if (range.kind == TL_MATRIX) {
    tl_save(view->trial, k, y); /* tl_matrix_step wants it */
  }
  const tl_vec d = tl_sub(next, y), e = tl_sub(next, x);
  const tl_real dn = tl_dot(n, d), en = tl_dot(n, e);
  tl_share share;
  share.step_norm2 = st * tl_dot(d, d) + (sn - st) * dn * dn;
  share.restart_test = -(st * tl_dot(d, e) + (sn - st) * dn * en);
  return share;
}

/* ---- six rows -------------------------------------------------------------------------------- */

TL_ITEM tl_wrench tl_wrench_ahead(const tl_view *view, int32_t k, tl_real beta) {
  const tl_wrench x = tl_wrench_load(view, view->x, k);
  return tl_wrench_along(x, beta, tl_wrench_sub(x, tl_wrench_load(view, view->x_previous, k)));
}

/* tl_slip_filter for force and torque; returns what the exact law adds to u_n. */
TL_ITEM tl_real tl_wrench_filter(const tl_view *view, int32_t k, tl_wrench u, tl_vec n,
                                 tl_real gain) {
  tl_wrench slip = u;
  if (gain < 1) {
    const tl_wrench old = tl_wrench_load(view, view->slip, k);
    slip = tl_wrench_along(old, gain, tl_wrench_sub(u, old));
  }
  tl_wrench_save(view, view->slip, k, slip);
  return tl_wrench_opening(slip, n, tl_wrench_friction(view, k));
}

/* u at y with q and the law's term, velocity_y being V(y). */
TL_ITEM tl_wrench tl_wrench_law(const tl_view *view, const tl_range range, int32_t k, tl_pace pace,
                                tl_vec n, tl_wrench y) {
  tl_wrench u = tl_wrench_along(tl_wrench_relative(view, range, k, view->velocity_y, y), 1,
                                tl_wrench_free(view, k));
  if (pace.coulomb) {
    u.force = tl_along(u.force, tl_wrench_filter(view, k, u, n, pace.filter), n);
  }
  return u;
}

TL_ITEM tl_share tl_gradient_wrench(const tl_view *view, const tl_range range, int32_t k,
                                    tl_pace pace) {
  const tl_wrench x = tl_wrench_load(view, view->x, k), y = tl_wrench_ahead(view, k, pace.beta);
  const tl_vec n = tl_contact_axis(view, range.kind, k);
  const tl_wrench u = tl_wrench_law(view, range, k, pace, n, y);
  const tl_parts s = tl_wrench_scale(view, k);
  const tl_wrench next =
      tl_wrench_project(tl_wrench_descend(y, u, n, tl_parts_rate(pace.inverse_lipschitz, s)), n,
                        tl_wrench_friction(view, k), s);
  tl_wrench_save(view, view->x_previous, k, next);
  const tl_wrench d = tl_wrench_sub(next, y);
  tl_share share;
  share.step_norm2 = tl_wrench_metric(d, d, n, s);
  share.restart_test = -tl_wrench_metric(d, tl_wrench_sub(next, x), n, s);
  return share;
}

/* tl_backtrack_step, in the metric in which torques count by what they move. */
TL_ITEM tl_share tl_backtrack_wrench(const tl_view *view, const tl_range range, int32_t k,
                                     tl_pace pace, int32_t accepted) {
  tl_wrench x = tl_wrench_load(view, view->x, k), previous;
  if (accepted) {
    previous = x;
    x = tl_wrench_load(view, view->trial, k);
    tl_wrench_save(view, view->x_previous, k, previous);
    tl_wrench_save(view, view->x, k, x);
  } else {
    previous = tl_wrench_load(view, view->x_previous, k);
  }
  const tl_wrench y = tl_wrench_along(x, pace.beta, tl_wrench_sub(x, previous));
  const tl_vec n = tl_contact_axis(view, range.kind, k);
  const tl_wrench u = tl_wrench_law(view, range, k, pace, n, y);
  const tl_parts s = tl_wrench_plain(view, k);
  const tl_wrench next =
      tl_wrench_project(tl_wrench_descend(y, u, n, tl_parts_rate(pace.inverse_lipschitz, s)), n,
                        tl_wrench_friction(view, k), s);
  tl_wrench_save(view, view->trial, k, next);
  const tl_wrench d = tl_wrench_sub(next, y), way = tl_wrench_sub(next, x);
  tl_share share;
  share.step_norm2 = tl_wrench_metric(d, d, n, s);
  share.restart_test = tl_dot(u.force, way.force) + tl_dot(u.torque, way.torque);
  return share;
}

/* tl_lipschitz_step: directions without friction take no part. */
TL_ITEM tl_share tl_lipschitz_wrench(const tl_view *view, const tl_range range, int32_t k,
                                     int32_t scaled, tl_real shrink) {
  const tl_wrench z = tl_wrench_load(view, view->x_previous, k);
  const tl_vec n = tl_contact_axis(view, range.kind, k), zero = tl_vec_make(0, 0, 0);
  const tl_parts mu = tl_wrench_friction(view, k);
  const tl_parts s = scaled ? tl_wrench_scale(view, k) : tl_wrench_plain(view, k);
  tl_wrench u = tl_wrench_relative(view, range, k, view->velocity_y, z);
  u.force = tl_stretch(u.force, n, 1, mu.slide > 0 ? 1 : 0);
  u.torque = tl_stretch(u.torque, n, mu.spin > 0 ? 1 : 0, mu.roll > 0 ? 1 : 0);
  tl_wrench none;
  none.force = none.torque = zero;
  tl_share share;
  share.step_norm2 = tl_wrench_metric(z, z, n, s);
  share.restart_test = tl_dot(z.force, u.force) + tl_dot(z.torque, u.torque);
  tl_wrench_save(view, view->x_previous, k,
                 tl_wrench_descend(none, u, n, tl_parts_rate(-shrink, s)));
  return share;
}

TL_ITEM tl_share tl_gradient_step(const tl_view *view, const tl_range range, int32_t k,
                                  tl_pace pace) {
  if (range.torque) {
    return tl_gradient_wrench(view, range, k, pace);
  }
  const tl_vec y = tl_contact_ahead(view, k, pace.beta);
  return tl_gradient_move(view, range, k, pace,
                          tl_contact_relative(view, range, k, view->velocity_y, y));
}

/* APGD in the plain metric: the trial stands apart, so that it can be refused. An accepted trial
 * of the iteration before becomes x here. */
TL_ITEM tl_share tl_backtrack_step(const tl_view *view, const tl_range range, int32_t k,
                                   tl_pace pace, int32_t accepted) {
  if (range.torque) {
    return tl_backtrack_wrench(view, range, k, pace, accepted);
  }
  tl_vec x = tl_load(view->x, k), previous;
  if (accepted) {
    previous = x;
    x = tl_load(view->trial, k);
    tl_save(view->x_previous, k, previous);
    tl_save(view->x, k, x);
  } else {
    previous = tl_load(view->x_previous, k);
  }
  const tl_vec y = tl_along(x, pace.beta, tl_sub(x, previous));
  const tl_vec n = tl_contact_axis(view, range.kind, k);
  const tl_real mu = range.bilateral ? 0 : view->friction[k];
  const tl_vec u = tl_gradient_law(view, range, k, pace, n, mu,
                                   tl_contact_relative(view, range, k, view->velocity_y, y));
  tl_vec next = tl_along(y, -pace.inverse_lipschitz, u);
  next =
      range.bilateral ? tl_row_project(view, range, k, next) : tl_cone_project(next, n, mu, 1, 1);
  tl_save(view->trial, k, next);
  const tl_vec d = tl_sub(next, y);
  tl_share share;
  share.step_norm2 = tl_dot(d, d);
  share.restart_test = tl_dot(u, tl_sub(next, x));
  return share;
}

/* The last accepted trial becomes x. */
TL_ITEM void tl_backtrack_accept(const tl_view *view, int32_t k) {
  tl_save(view->x_previous, k, tl_load(view->x, k));
  tl_save(view->x, k, tl_load(view->trial, k));
}

/* Power iteration on S^-1 (W + C) (scaled) or W + C: one contact's share of z'(W + C)z and z'Sz,
 * with W z in velocity_y; z, in x_previous, becomes S^-1 (W + C) z times `shrink`. A contact
 * without friction takes part with its normal row only. */
TL_ITEM tl_share tl_lipschitz_step(const tl_view *view, const tl_range range, int32_t k,
                                   int32_t scaled, tl_real shrink) {
  if (range.torque) {
    return tl_lipschitz_wrench(view, range, k, scaled, shrink);
  }
  const tl_vec z = tl_load(view->x_previous, k);
  const tl_vec n = tl_contact_axis(view, range.kind, k);
  tl_vec u = tl_contact_relative(view, range, k, view->velocity_y, z);
  const tl_real un = tl_dot(n, u);
  if (range.bilateral || !(view->friction[k] > 0)) {
    u = tl_times(un, n);
  }
  const tl_real sn = scaled ? view->scale_n[k] : 1, st = scaled ? view->scale_t[k] : 1;
  const tl_real zn = tl_dot(n, z);
  tl_share share;
  share.step_norm2 = st * tl_dot(z, z) + (sn - st) * zn * zn;
  share.restart_test = tl_dot(z, u);
  tl_save(view->x_previous, k,
          tl_times(shrink, tl_along(tl_times(1 / st, u), un / sn - un / st, n)));
  return share;
}

/* The first z: all along the cone's axis, of mixed size, so that no eigenvector is missed. */
TL_ITEM void tl_lipschitz_begin(const tl_view *view, const tl_range range, int32_t k,
                                int32_t number) {
  const uint32_t mixed = ((uint32_t)number * 2654435761u) >> 16;
  const tl_real size = 1 + (tl_real)mixed / 65536;
  const tl_vec n = tl_contact_axis(view, range.kind, k);
  tl_vec z = tl_times(size, n);
  if (!range.bilateral && view->friction[k] > 0 && range.rows > 1) {
    tl_vec t1, t2;
    tl_tangents(n, &t1, &t2);
    z = tl_along(z, (mixed & 1) ? (tl_real)0.5 : (tl_real)-0.5, t1);
    if (range.rows > 2) {
      z = tl_along(z, (mixed & 2) ? (tl_real)0.5 : (tl_real)-0.5, t2);
    }
  }
  tl_save(view->x_previous, k, z);
  if (range.torque) { /* torques of the size of the forces, as far as there are any */
    const tl_real length = tl_sqrt(view->weight[k] / view->weight[tl_torque_place(view, k)]);
    const tl_parts mu = tl_wrench_friction(view, k);
    tl_save(
        view->x_previous, tl_torque_place(view, k),
        tl_stretch(tl_times(length, z), n, mu.spin > 0 ? (tl_real)0.5 : 0, mu.roll > 0 ? 1 : 0));
  }
}

#endif
