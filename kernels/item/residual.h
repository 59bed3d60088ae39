/* residual.h: one contact's share of R(x)^2 for both laws, for stopping tests.
 *
 * It is what the certificate measures (design: weight w_k, natural map), from the solver's own
 * velocities and in its own precision; the certificate has the last word. */
#ifndef TL_ITEM_RESIDUAL_H
#define TL_ITEM_RESIDUAL_H

#include "kernels/item/cone.h"
#include "kernels/item/contact.h"
#include "kernels/item/row.h"
#include "kernels/item/wrench.h"

typedef struct tl_residual {
  tl_real ccp, coulomb;
} tl_residual;

TL_ITEM tl_real tl_residual_share(tl_vec x, tl_vec u, tl_vec n, tl_real mu, tl_real w) {
  const tl_vec p = tl_cone_project(tl_along(x, -1 / w, u), n, mu, 1, 1);
  const tl_vec d = tl_sub(x, p);
  return w * tl_dot(d, d);
}

/* The share where D_k V(x) + C x is known. */
TL_ITEM tl_residual tl_residual_from(const tl_view *view, const tl_range range, int32_t k,
                                     tl_vec relative) {
  const tl_vec x = tl_load(view->x, k);
  tl_vec u = tl_add(relative, tl_contact_free(view, k));
  const tl_real w = view->weight[k];
  tl_residual result;
  if (range.bilateral) {
    result.ccp = range.bounded ? tl_row_share(x.x, u.x, w, view->lower[k - range.first],
                                              view->upper[k - range.first])
                               : u.x * u.x / w;
    result.coulomb = result.ccp;
    return result;
  }
  const tl_vec n = tl_contact_axis(view, range.kind, k);
  const tl_real mu = view->friction[k];
  const tl_real un = tl_dot(n, u);
  if (!(mu > 0)) { /* the normal row only */
    u = tl_times(un, n);
  }
  const tl_vec t = tl_along(u, -un, n);
  result.ccp = tl_residual_share(x, u, n, mu, w);
  result.coulomb = tl_residual_share(x, tl_along(u, mu * tl_sqrt(tl_dot(t, t)), n), n, mu, w);
  return result;
}

/* A contact of six rows: force and torque each with its weight. */
TL_ITEM tl_residual tl_residual_wrench(const tl_view *view, const tl_range range, int32_t k) {
  const tl_wrench x = tl_wrench_load(view, view->x, k);
  const tl_vec n = tl_contact_axis(view, range.kind, k);
  const tl_parts mu = tl_wrench_friction(view, k);
  const tl_parts w = tl_parts_make(view->weight[k], view->weight[tl_torque_place(view, k)]);
  tl_wrench u = tl_wrench_along(tl_wrench_relative(view, range, k, view->velocity, x), 1,
                                tl_wrench_free(view, k));
  tl_residual result;
  result.ccp = tl_wrench_share(x, u, n, mu, w);
  u.force = tl_along(u.force, tl_wrench_opening(u, n, mu), n);
  result.coulomb = tl_wrench_share(x, u, n, mu, w);
  return result;
}

TL_ITEM tl_residual tl_residual_of(const tl_view *view, const tl_range range, int32_t k) {
  if (range.torque) {
    return tl_residual_wrench(view, range, k);
  }
  return tl_residual_from(
      view, range, k,
      tl_contact_relative(view, range, k, view->velocity, tl_contact_ahead(view, k, 0)));
}

#endif
