/* elimination.h: A x = b by Gaussian elimination with row pivots, by a team (team.h).
 *
 * A by columns, `stride` apart; b and A are overwritten. Entries above the pivot within its strip
 * of eight are touched with a factor of 0, so that loops begin at whole strips. */
#ifndef TL_ITEM_ELIMINATION_H
#define TL_ITEM_ELIMINATION_H

#include "kernels/item/team.h"

/* Row of the largest entry of column k from row k on; by every member for itself. */
TL_TEAM int32_t tl_elimination_pivot(const double *column, int32_t k, int32_t n) {
  int32_t at = k;
  double most = -1;
  for (int32_t i = k; i < n; i++) {
    const double size = column[i] < 0 ? -column[i] : column[i];
    if (size > most) {
      most = size;
      at = i;
    }
  }
  return at;
}

/* factor: [stride] scratch. Returns 0 if A has no inverse, x is not finite or the phase was ended;
 * x is left in b. */
TL_TEAM int tl_elimination(double *a, int32_t n, int32_t stride, double *b, double *factor,
                           const tl_small_phase *phase, const tl_small_result *result) {
  for (int32_t k = 0; k < n; k++) {
    double *const column = a + (int64_t)stride * k;
    const int32_t pivot = tl_elimination_pivot(column, k, n), begin = k / TL_PAD * TL_PAD;
    const double head = column[pivot];
    TL_MEET(); /* all know the pivot: rows may change */
    if (!(head > 0 || head < 0) || TL_INTERRUPTED(phase, result, n, k)) {
      return 0;
    }
    if (pivot != k) {
      TL_TEAM_EACH(j, k, n) {
        double *const other = a + (int64_t)stride * j;
        const double entry = other[k];
        other[k] = other[pivot];
        other[pivot] = entry;
      }
      if (TL_TEAM_LANE == 0) {
        const double entry = b[k];
        b[k] = b[pivot];
        b[pivot] = entry;
      }
      TL_MEET();
    }
    TL_TEAM_EACH(i, begin, stride) {
      factor[i] = i > k ? column[i] / head : 0;
    }
    TL_MEET();
    for (int32_t j = k + 1; j < n; j++) {
      double *const other = a + (int64_t)stride * j;
      const double entry = other[k];
      if (entry != 0) {
        TL_EACH_STRIP(i, begin, stride) {
          TL_WITHIN(l) {
            other[i + l] -= factor[i + l] * entry;
          }
        }
      }
    }
    const double entry = b[k];
    TL_EACH_STRIP(i, begin, stride) {
      TL_WITHIN(l) {
        b[i + l] -= factor[i + l] * entry;
      }
    }
    TL_MEET();
  }
  for (int32_t k = n - 1; k >= 0; k--) {
    const double *const column = a + (int64_t)stride * k;
    const double x = b[k] / column[k];
    TL_MEET();
    TL_TEAM_EACH(i, 0, k) {
      b[i] -= column[i] * x;
    }
    if (TL_TEAM_LANE == 0) {
      b[k] = x;
    }
    TL_MEET();
  }
  double sum = 0;
  for (int32_t i = 0; i < n; i++) {
    sum += b[i] - b[i]; /* 0, if they are numbers */
  }
  TL_MEET();
  return sum == 0;
}

#endif
