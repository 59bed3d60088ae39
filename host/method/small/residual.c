/* residual.c: impulses in and out of a small problem's scale, velocities, residuals. */
#include <math.h>
#include <string.h>

#include "host/method/small/small.h"

void tl_small_import(const tl_small *small, const double *impulse, double *y) {
  for (int64_t k = 0; k < small->count; k++) {
    const double *const x = impulse + 3 * k;
    for (int32_t i = small->first[k]; i < small->first[k + 1]; i++) {
      const double *const axis = small->frame + 9 * k + 3 * (i - small->first[k]);
      y[i] = (axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2]) * (small->root[k] / small->unit);
    }
  }
}

void tl_small_export(const tl_small *small, const double *y, double *impulse) {
  for (int64_t k = 0; k < small->count; k++) {
    double *const x = impulse + 3 * k;
    x[0] = x[1] = x[2] = 0;
    for (int32_t i = small->first[k]; i < small->first[k + 1]; i++) {
      const double *const axis = small->frame + 9 * k + 3 * (i - small->first[k]);
      const double size = y[i] * (small->unit / small->root[k]);
      for (int c = 0; c < 3; c++) {
        x[c] += size * axis[c];
      }
    }
  }
}

void tl_small_velocity(const tl_small *small, const double *y, double *u) {
  memcpy(u, small->q, (size_t)small->rows * sizeof *u);
  for (int64_t j = 0; j < small->rows; j++) {
    const double *const column = small->w + j * small->stride;
    for (int64_t i = 0; i < small->rows; i++) {
      u[i] += column[i] * y[j];
    }
  }
}

double tl_small_residual(const tl_small *small, const double *y, const double *u) {
  double sum = 0;
  for (int32_t k = 0; k < small->count; k++) {
    const int32_t first = small->first[k], rows = small->first[k + 1] - first;
    double z[3];
    for (int32_t i = 0; i < rows; i++) {
      z[i] = y[first + i] - u[first + i];
    }
    if (small->law == TALUS_LAW_COULOMB && small->kind[k] == TL_SMALL_CONE) {
      z[0] -= small->friction[k] * tl_small_slip(small, k, u + first);
    }
    tl_small_project(small, k, z);
    for (int32_t i = 0; i < rows; i++) {
      sum += (y[first + i] - z[i]) * (y[first + i] - z[i]);
    }
  }
  return sqrt(sum);
}

double tl_small_epsilon(const tl_small *small, const double *y, const double *u) {
  const double residual = tl_small_residual(small, y, u);
  return isfinite(residual) ? residual / small->reference : INFINITY;
}

void tl_small_offer(tl_small *small, const double *y, double *u) {
  int32_t zeros = 0;
  while (zeros < small->rows && y[zeros] == 0) {
    zeros++;
  }
  if (zeros == small->rows) { /* R(0) / R(0) is not below 1 */
    return;
  }
  tl_small_velocity(small, y, u);
  const double epsilon = tl_small_epsilon(small, y, u);
  if (epsilon < small->epsilon) {
    small->epsilon = epsilon;
    memcpy(small->best, y, (size_t)small->rows * sizeof *y);
  }
}
