/* fischer.c: penalised Fischer-Burmeister equations of a mixed linear complementarity problem ([A]
 * eqs 5-9 and 45-48): phi = l (z + f - sqrt(z^2 + f^2)) + (1 - l) z+ f+ for each pair, -f for rows
 * that are equations. */
#include <math.h>

#include "host/method/small/lcp.h"

static const double SHARE = 0.95; /* l: [A] leaves it to trial and error */

static void values_find(const tl_fischer *self, const double *z) {
  const tl_lcp *const lcp = self->lcp;
  const int64_t n = lcp->size;
  for (int64_t i = 0; i < n; i++) {
    double sum = lcp->q[i];
    for (int64_t j = 0; j < n; j++) {
      sum += lcp->m[i * n + j] * z[j];
    }
    self->f[i] = sum;
  }
}

static double pair_value(double z, double f) {
  /* without cancellation where both are positive */
  const double root = sqrt(z * z + f * f), sum = z + f;
  const double plain = sum > 0 ? 2 * z * f / (sum + root) : sum - root;
  return SHARE * plain + (1 - SHARE) * fmax(z, 0) * fmax(f, 0);
}

/* d phi/d z = a e_i + b grad f_i of a pair; at the corner (eq 45) the direction is y, which is one
 * at all corners and nothing elsewhere. */
static void pair_slope(double z, double f, double corner_f, double *a, double *b) {
  const double root = sqrt(z * z + f * f);
  if (root == 0) {
    const double size = sqrt(1 + corner_f * corner_f);
    *a = SHARE * (1 - 1 / size);
    *b = SHARE * (1 - corner_f / size);
    return;
  }
  const bool inside = z > 0 && f > 0;
  *a = SHARE * (1 - z / root) + (inside ? (1 - SHARE) * f : 0);
  *b = SHARE * (1 - f / root) + (inside ? (1 - SHARE) * z : 0);
}

/* grad f_i . y with y one where z = f = 0. */
static double corner_slope(const tl_fischer *self, const double *z, int64_t i) {
  const tl_lcp *const lcp = self->lcp;
  double sum = 0;
  for (int64_t j = lcp->free_count; j < lcp->size; j++) {
    sum += z[j] == 0 && self->f[j] == 0 ? lcp->m[i * lcp->size + j] : 0;
  }
  return sum;
}

static void evaluate(void *context, const double *z, double *phi, double *jacobian) {
  const tl_fischer *const self = context;
  const tl_lcp *const lcp = self->lcp;
  const int64_t n = lcp->size;
  values_find(self, z);
  for (int64_t i = 0; i < n; i++) {
    const bool equation = i < lcp->free_count;
    phi[i] = equation ? -self->f[i] : pair_value(z[i], self->f[i]);
    if (jacobian == NULL) {
      continue;
    }
    double a = 0, b = -1;
    if (!equation) {
      const bool corner = z[i] == 0 && self->f[i] == 0;
      pair_slope(z[i], self->f[i], corner ? corner_slope(self, z, i) : 0, &a, &b);
    }
    for (int64_t j = 0; j < n; j++) {
      jacobian[i * n + j] = b * lcp->m[i * n + j] + (i == j ? a : 0);
    }
  }
}

static bool look(void *context, const double *z) {
  const tl_fischer *const self = context;
  tl_lcp_impulses(self->lcp, z, self->small->y);
  tl_small_offer(self->small, self->small->y, self->small->u);
  return self->small->best.epsilon <= self->tolerance;
}

tl_equations tl_fischer_equations(tl_fischer *fischer) {
  const tl_equations e = {.size = fischer->lcp->size,
                          .evaluate = evaluate,
                          .look = look,
                          .self = fischer,
                          .small = fischer->small};
  return e;
}
