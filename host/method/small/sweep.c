/* sweep.c: block Gauss-Seidel on W written out, for faceted cones: a start for methods that want to
 * begin nearby. (The circular cone has its sweeps in kernels/item/dense.h.) */
#include <math.h>

#include "host/method/small/small.h"

enum { INNER = 8 };

/* Projected steps on one constraint; base: u without its own impulse. */
static void block_solve(const tl_small *small, int32_t k, const double *base, double *y) {
  const int32_t first = small->first[k], rows = small->first[k + 1] - first;
  const double step = small->pace[k];
  for (int inner = 0; inner < (rows > 1 ? INNER : 1); inner++) {
    double u[3], z[3];
    for (int32_t i = 0; i < rows; i++) {
      u[i] = base[i];
      for (int32_t j = 0; j < rows; j++) {
        u[i] += small->w[(int64_t)(first + j) * small->stride + first + i] * y[j];
      }
    }
    const double lift = small->law == TALUS_LAW_COULOMB && small->kind[k] == TL_SMALL_CONE
                            ? small->friction[k] * tl_small_slip(small, k, u)
                            : 0;
    for (int32_t i = 0; i < rows; i++) {
      z[i] = y[i] - step * (u[i] + (i == 0 ? lift : 0));
    }
    tl_small_project(small, k, z);
    for (int32_t i = 0; i < rows; i++) {
      y[i] = z[i];
    }
  }
}

void tl_small_sweep(tl_small *small, int32_t sweeps, double *y) {
  for (int32_t sweep = 0; sweep < sweeps; sweep++) {
    for (int32_t k = 0; k < small->count; k++) {
      const int32_t first = small->first[k], rows = small->first[k + 1] - first;
      double base[3];
      if (small->rows >= TL_LONG && k % (8 * TL_ASK_EVERY) == 0 && tl_small_late(small)) {
        return;
      }
      if (!(small->pace[k] > 0)) {
        continue;
      }
      for (int32_t i = 0; i < rows; i++) {
        const double *const w = small->w + first + i;
        double sum = small->q[first + i];
        for (int32_t j = 0; j < first; j++) {
          sum += w[(int64_t)small->stride * j] * y[j];
        }
        for (int32_t j = first + rows; j < small->rows; j++) {
          sum += w[(int64_t)small->stride * j] * y[j];
        }
        base[i] = sum;
      }
      block_solve(small, k, base, y + first);
    }
  }
}
