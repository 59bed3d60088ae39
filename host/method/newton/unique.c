/* unique.c: of all impulses with the solved velocity those of least norm.
 *
 * With s = mu |u_t| of the solution frozen the law is convex, and its solutions y(delta) with delta
 * y added to u are unique; as delta falls to 0 they tend to the solution of least norm (of y, the
 * impulses in the certificate's metric). delta falls by steps, Newton's method following; since y
 * is smooth in delta between changes of status, the last two give y(0). If the result is not within
 * the tolerance, the impulses stay as they were. */
#include <math.h>
#include <string.h>

#include "host/method/newton/newton.h"

#define LAST 5e-8 /* the last delta is the next power of ten */

/* Adds sign * s to q_n. */
static void slip_freeze(const tl_scaled *scaled, const double *s, double sign) {
  for (int32_t k = 0; k < scaled->count; k++) {
    scaled->q[scaled->first[k]] += sign * s[k];
  }
}

static void slips_find(const tl_scaled *scaled, const double *y, double *u, double *s) {
  tl_scaled_velocity(scaled, y, u);
  for (int32_t k = 0; k < scaled->count; k++) {
    double m = 0;
    s[k] = 0;
    for (int32_t i = scaled->first[k]; i < scaled->first[k + 1]; i++) {
      m += i > scaled->first[k] ? u[i] * u[i] : 0;
    }
    s[k] = scaled->kind[k] == TL_CONSTRAINT_FRICTION ? scaled->friction[k] * sqrt(m) : 0;
  }
}

talus_status tl_least_find(tl_newton *newton, double *y) {
  const tl_scaled *const scaled = &newton->scaled;
  double *const s = newton->vector[10], *const zero = newton->vector[11];
  double *const before = newton->vector[6];
  /* s must be better known than delta is small, or what is off would be divided by it */
  const tl_prox_rule polish = {newton->law, 1e-4, 0.1, 12, 1, 0, NULL};
  talus_status status = tl_prox_run(newton, &polish, y);
  slips_find(scaled, y, newton->vector[0], s);
  memset(zero, 0, (size_t)scaled->rows * sizeof *zero);
  if (newton->law == TALUS_LAW_COULOMB) {
    slip_freeze(scaled, s, 1);
  }
  for (double delta = 1; delta > LAST && status == TALUS_OK && !newton->stop; delta *= 0.1) {
    const tl_prox_rule rule = {.law = TALUS_LAW_CCP,
                               .alpha = delta,
                               .shrink = 1,
                               .most = 20,
                               .failures = 1,
                               .single = true,
                               .centre = zero};
    memcpy(before, y, (size_t)scaled->rows * sizeof *y);
    status = tl_prox_run(newton, &rule, y);
  }
  for (int32_t i = 0; i < scaled->rows; i++) { /* y(delta) and y(10 delta) to y(0) */
    y[i] += (y[i] - before[i]) / 9;
  }
  if (newton->law == TALUS_LAW_COULOMB) {
    slip_freeze(scaled, s, -1);
  }
  return status;
}
