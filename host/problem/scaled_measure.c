/* scaled_measure.c: impulses in and out of a scaled problem, velocities, the natural map and its
 * residual, the best impulses. */
#include <assert.h>
#include <string.h>

#include "host/problem/scaled.h"
#include "kernels/item/row.h"

void tl_scaled_impulse_import(const tl_scaled *p, const double *impulse, double *y) {
  for (int64_t k = 0; k < p->count; k++) {
    const double *const x = impulse + 3 * k;
    for (int32_t i = p->first[k]; i < p->first[k + 1]; i++) {
      const double *const axis = p->frame + 9 * k + 3 * (i - p->first[k]);
      y[i] = (axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2]) * (p->root[k] / p->unit);
    }
  }
}

void tl_scaled_impulse_export(const tl_scaled *p, const double *y, double *impulse) {
  for (int64_t k = 0; k < p->count; k++) {
    double *const x = impulse + 3 * k;
    x[0] = x[1] = x[2] = 0;
    for (int32_t i = p->first[k]; i < p->first[k + 1]; i++) {
      const double *const axis = p->frame + 9 * k + 3 * (i - p->first[k]);
      const double size = p->unit == 1 ? y[i] / p->root[k] : y[i] * (p->unit / p->root[k]);
      for (int c = 0; c < 3; c++) {
        x[c] += size * axis[c];
      }
    }
  }
}

void tl_scaled_apply(const tl_scaled *p, const double *y, double *u) {
  assert(p->w == NULL);
  if (p->unit_count > 0) {
    tl_scaled_bodies_apply(p, y, u);
  } else {
    tl_scaled_blocks_apply(p, y, u);
  }
}

void tl_scaled_velocity(const tl_scaled *p, const double *y, double *u) {
  if (p->w != NULL) {
    tl_scaled_dense_velocity(p, y, u);
    return;
  }
  tl_scaled_apply(p, y, u);
  for (int32_t i = 0; i < p->rows; i++) {
    u[i] += p->q[i];
  }
}

/* |y - P(y - u - mu slip n)|^2 of a contact; y NULL: 0. */
static double contact_share(const tl_scaled *p, talus_law law, int32_t k, const double *y,
                            const double *u) {
  const int32_t rows = p->first[k + 1] - p->first[k];
  double z[3] = {0, 0, 0}, square = 0;
  for (int32_t i = 0; i < rows; i++) {
    z[i] = (y != NULL ? y[i] : 0) - u[i];
  }
  if (law == TALUS_LAW_COULOMB && rows > 1) {
    z[0] -= p->friction[k] * tl_scaled_slip(p, k, u);
  }
  tl_scaled_project(p, k, z);
  for (int32_t i = 0; i < rows; i++) {
    const double d = (y != NULL ? y[i] : 0) - z[i];
    square += d * d;
  }
  return square;
}

double tl_scaled_residual(const tl_scaled *p, talus_law law, const double *y, const double *u) {
  double sum = 0;
  for (int32_t k = 0; k < p->count; k++) {
    const int32_t at = p->first[k];
    const double *const x = y != NULL ? y + at : NULL;
    if (p->kind[k] == TL_CONSTRAINT_FREE) {
      sum += u[at] * u[at];
    } else if (p->kind[k] == TL_CONSTRAINT_BOUNDED) {
      sum += tl_row_share(x != NULL ? *x : 0, u[at], 1, p->lower[k], p->upper[k]);
    } else {
      sum += contact_share(p, law, k, x, u + at);
    }
  }
  return sqrt(sum);
}

void tl_scaled_reference(tl_scaled *p, talus_law law) {
  p->reference[law] = tl_scaled_residual(p, law, NULL, p->q);
}

double tl_scaled_epsilon(const tl_scaled *p, talus_law law, const double *y, const double *u) {
  const double epsilon = tl_scaled_residual(p, law, y, u) / p->reference[law];
  return isfinite(epsilon) ? epsilon : INFINITY;
}

bool tl_scaled_offer(const tl_scaled *p, talus_law law, const double *y, const double *u,
                     tl_best *best, double *epsilon) {
  assert(best->y != NULL && best->y != y);
  const double now = tl_scaled_epsilon(p, law, y, u);
  if (epsilon != NULL) {
    *epsilon = now;
  }
  if (!(now < best->epsilon)) {
    return false;
  }
  best->epsilon = now;
  memcpy(best->y, y, (size_t)p->rows * sizeof *y);
  return true;
}
