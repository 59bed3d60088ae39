/* gradient_law.c: what each regime makes of the adjoint system.
 *
 * The derivative of the law ties dx and du of a contact together, A dx + B du = 0. With
 * a = A^T l and p = -B^T l the adjoint system reads (W + C)^T p + r = a; what is left of A and B
 * is which a and p go together, in the frame (n, s, o) of normal, slip and across:
 *   open    dx = 0                          p = 0
 *   stick   du = 0                          a = 0
 *   slide   dx_s + mu dx_n = 0              a_n = mu a_s
 *           du_n = 0         exact law      p_s = 0
 *           du_n = mu du_s   convex law     p_s + mu p_n = 0
 *           |u_t| dx_o + mu x_n du_o = 0    |u_t| p_o + mu x_n a_o = 0 */
#include <math.h>
#include <string.h>

#include "host/method/newton/law.h"
#include "host/solve/gradient.h"

/* How near to another regime a constraint is between both: beside its own size, and beside the
 * largest. */
static const double NEAR = 1e-5, NOTHING = 1e-9;

static void identity_set(double *block, int32_t rows) {
  for (int32_t i = 0; i < rows; i++) {
    block[4 * i] = 1;
  }
}

/* Distance of z from the nearest border of its branch. */
static double margin_of(const tl_scaled *scaled, int32_t k, talus_law law, const double *z) {
  const double mu = scaled->friction[k], m = sqrt(z[1] * z[1] + z[2] * z[2]);
  switch (scaled->kind[k]) {
  case TL_CONSTRAINT_FREE:
    return INFINITY;
  case TL_CONSTRAINT_BOUNDED:
    return fmin(fabs(z[0] - scaled->lower[k]), fabs(z[0] - scaled->upper[k]));
  case TL_CONSTRAINT_UNILATERAL:
    return fabs(z[0]);
  default: {
    const double cone = fabs(mu * z[0] - m) / sqrt(1 + mu * mu);
    const double polar =
        law == TALUS_LAW_COULOMB ? fabs(z[0]) : fabs(z[0] + mu * m) / sqrt(1 + mu * mu);
    return z[0] > 0 ? fmin(cone, polar) : polar;
  }
  }
}

/* A contact on the edge of the cone; z_t points against the slip. */
static void slide_set(const tl_scaled *scaled, int32_t k, talus_law law, const double *y,
                      const double *z, tl_adjoint_law *l) {
  const int32_t rows = scaled->first[k + 1] - scaled->first[k];
  const double mu = scaled->friction[k], m = sqrt(z[1] * z[1] + z[2] * z[2]);
  const double normal = fmax(y[scaled->first[k]], 0), s[2] = {-z[1] / m, -z[2] / m};
  const double held = fmin(mu * normal / m, 1); /* |u_t| is the rest of |z_t| */
  l->b[0] = 1;
  l->a[3] = law == TALUS_LAW_CCP ? mu : 0;
  for (int32_t i = 1; i < rows; i++) {
    l->b[i] = -mu * s[i - 1];
    l->a[3 + i] = s[i - 1];
    l->direction[i] = s[i - 1];
  }
  if (rows > 2) {
    const double o[2] = {-s[1], s[0]};
    for (int i = 0; i < 2; i++) {
      l->a[7 + i] = (1 - held) * o[i];
      l->b[7 + i] = held * o[i];
    }
  }
  l->friction_right = -normal;
  l->friction_pull = law == TALUS_LAW_CCP ? -(1 - held) * m : 0;
}

tl_adjoint_law tl_adjoint_law_of(const tl_scaled *scaled, int32_t k, talus_law law, const double *y,
                                 const double *u, double largest) {
  const int32_t rows = scaled->first[k + 1] - scaled->first[k];
  tl_adjoint_law l;
  double z[3];
  memset(&l, 0, sizeof l);
  tl_law_point(scaled, k, y, u, 1, z);
  const double size = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
  l.between = margin_of(scaled, k, law, z) <= fmax(NEAR * size, NOTHING * largest);
  switch (tl_law_branch(scaled, k, law, z)) {
  case TL_BRANCH_STICK:
    l.regime = TALUS_REGIME_STICK;
    identity_set(l.b, rows);
    break;
  case TL_BRANCH_SLIP:
  case TL_BRANCH_EDGE:
    l.regime = TALUS_REGIME_SLIDE;
    slide_set(scaled, k, law, y, z, &l);
    break;
  case TL_BRANCH_LOWER:
  case TL_BRANCH_UPPER:
    l.regime = TALUS_REGIME_BOUND;
    identity_set(l.a, rows);
    break;
  default:
    l.regime = TALUS_REGIME_OPEN;
    identity_set(l.a, rows);
  }
  return l;
}
