/* sweep.c: block Gauss-Seidel on W written out, for faceted cones: a start for methods that want to
 * begin nearby. (The circular cone has its sweeps in kernels/item/dense.h.) */
#include <math.h>

#include "host/method/small/small.h"

enum { INNER = 8 };

/* Projected steps on one constraint; base: u without its own impulse. */
static void block_solve(const tl_small *small, int32_t k, const double *base, double *y) {
  const tl_scaled *const scaled = &small->scaled;
  const int32_t first = scaled->first[k], rows = scaled->first[k + 1] - first;
  const double step = small->pace[k];
  for (int inner = 0; inner < (rows > 1 ? INNER : 1); inner++) {
    double u[3], z[3];
    for (int32_t i = 0; i < rows; i++) {
      u[i] = base[i];
      for (int32_t j = 0; j < rows; j++) {
        u[i] += scaled->w[(int64_t)(first + j) * scaled->stride + first + i] * y[j];
      }
    }
    const double lift = small->law == TALUS_LAW_COULOMB && scaled->kind[k] == TL_CONSTRAINT_FRICTION
                            ? scaled->friction[k] * tl_scaled_slip(scaled, k, u)
                            : 0;
    for (int32_t i = 0; i < rows; i++) {
      z[i] = y[i] - step * (u[i] + (i == 0 ? lift : 0));
    }
    tl_scaled_project(scaled, k, z);
    for (int32_t i = 0; i < rows; i++) {
      y[i] = z[i];
    }
  }
}

void tl_small_sweep(tl_small *small, int32_t sweeps, double *y) {
  const tl_scaled *const scaled = &small->scaled;
  for (int32_t sweep = 0; sweep < sweeps; sweep++) {
    for (int32_t k = 0; k < scaled->count; k++) {
      const int32_t first = scaled->first[k], rows = scaled->first[k + 1] - first;
      double base[3];
      if (scaled->rows >= TL_LONG && k % (8 * TL_ASK_EVERY) == 0 && tl_small_late(small)) {
        return;
      }
      if (!(small->pace[k] > 0)) {
        continue;
      }
      for (int32_t i = 0; i < rows; i++) {
        const double *const w = scaled->w + first + i;
        double sum = scaled->q[first + i];
        for (int32_t j = 0; j < first; j++) {
          sum += w[(int64_t)scaled->stride * j] * y[j];
        }
        for (int32_t j = first + rows; j < scaled->rows; j++) {
          sum += w[(int64_t)scaled->stride * j] * y[j];
        }
        base[i] = sum;
      }
      block_solve(small, k, base, y + first);
    }
  }
}
