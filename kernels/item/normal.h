/* normal.h: the normal equations (J^T J + lambda I) x = b by Cholesky's factor, by a team
 * (team.h). */
#ifndef TL_ITEM_NORMAL_H
#define TL_ITEM_NORMAL_H

#include "kernels/item/team.h"

/* The lower half of J^T J by columns, padded; J is n x n, row-major. Returns 0 if the phase was
 * ended. */
TL_TEAM int tl_normal_make(const double *jacobian, int32_t n, double *h,
                           const tl_small_phase *phase, const tl_small_result *result) {
  const int32_t stride = tl_padded(n);
  for (int32_t j = 0; j < n; j++) {
    const int32_t begin = j / TL_PAD * TL_PAD;
    if (TL_INTERRUPTED(phase, result, n, j)) {
      return 0;
    }
    TL_TEAM_EACH(i, begin, stride) {
      h[(int64_t)stride * j + i] = 0;
    }
    for (int32_t r = 0; r < n; r++) {
      const double *const row = jacobian + (int64_t)n * r;
      const double entry = row[j];
      TL_TEAM_EACH(i, begin, n) {
        h[(int64_t)stride * j + i] += row[i] * entry;
      }
    }
  }
  TL_MEET();
  return 1;
}

/* L^T x = b, b becoming x. */
TL_TEAM void tl_normal_back(const double *factor, int32_t n, double *b) {
  const int32_t stride = tl_padded(n);
  for (int32_t k = n - 1; k >= 0; k--) {
    const double *const column = factor + (int64_t)stride * k;
    double sum = b[k];
    for (int32_t i = k + 1; i < n; i++) {
      sum -= column[i] * b[i];
    }
    TL_MEET();
    if (TL_TEAM_LANE == 0) {
      b[k] = sum / column[k];
    }
    TL_MEET();
  }
}

/* b becomes x; `factor` is a copy of h and overwritten. Returns 0 if there is no factor or the
 * phase was ended. */
TL_TEAM int tl_normal_solve(double *factor, int32_t n, double lambda, double *b,
                            const tl_small_phase *phase, const tl_small_result *result) {
  const int32_t stride = tl_padded(n);
  for (int32_t k = 0; k < n; k++) {
    double *const column = factor + (int64_t)stride * k;
    const double head = column[k] + lambda, root = sqrt(head), x = b[k] / root;
    TL_MEET();
    if (!(head > 0) || !(head - head == 0) || TL_INTERRUPTED(phase, result, n, k)) {
      return 0;
    }
    TL_TEAM_EACH(i, k, n) {
      column[i] = i > k ? column[i] / root : root;
      b[i] = i > k ? b[i] - column[i] * x : x;
    }
    TL_MEET();
    for (int32_t j = k + 1; j < n; j++) {
      double *const other = factor + (int64_t)stride * j;
      const double entry = column[j];
      TL_TEAM_EACH(i, j, n) {
        other[i] -= column[i] * entry;
      }
    }
    TL_MEET();
  }
  tl_normal_back(factor, n, b);
  return 1;
}

/* Another right-hand side for the factor that tl_normal_solve left. */
TL_TEAM void tl_normal_again(const double *factor, int32_t n, double *b) {
  const int32_t stride = tl_padded(n);
  for (int32_t k = 0; k < n; k++) {
    const double *const column = factor + (int64_t)stride * k;
    const double x = b[k] / column[k];
    TL_MEET();
    TL_TEAM_EACH(i, k, n) {
      b[i] = i > k ? b[i] - column[i] * x : x;
    }
    TL_MEET();
  }
  tl_normal_back(factor, n, b);
}

#endif
