/* reflection.h: least squares with a damping term, by a team (team.h).
 *
 *   [J; sqrt(damping) I] = Q R, Householder reflections, column by column
 * The lower block is diagonal at first; when column k is treated it has filled in up to row k and
 * no further, so that every reflection runs over n + 1 rows. By rows: a reflection is a sum and a
 * difference of rows. */
#ifndef TL_ITEM_REFLECTION_H
#define TL_ITEM_REFLECTION_H

#include "kernels/item/team.h"

/* Numbers of scratch: the stacked matrix, its right-hand side, a reflection, and its sums. */
TL_ITEM int64_t tl_reflection_room(int32_t n) {
  const int64_t stride = tl_padded(n);
  return 2 * n * stride + 5 * stride;
}

TL_TEAM void tl_reflection_stack(const double *jacobian, int32_t n, double damping, const double *b,
                                 double *stack, double *right) {
  const int32_t stride = tl_padded(n);
  const double root = sqrt(damping);
  for (int32_t i = 0; i < n; i++) {
    double *const upper = stack + (int64_t)stride * i, *const lower = upper + (int64_t)stride * n;
    TL_TEAM_EACH(j, 0, stride) {
      upper[j] = j < n ? jacobian[(int64_t)n * i + j] : 0;
      lower[j] = j == i ? root : 0;
    }
  }
  TL_TEAM_EACH(i, 0, 2 * n) {
    right[i] = i < n ? b[i] : 0;
  }
  TL_MEET();
}

/* Rows k .. n + k of the columns behind k: a -= v (factor v^T a). */
TL_TEAM void tl_reflection_apply(const double *v, int32_t k, int32_t n, double factor,
                                 double *stack, double *right, double *sums) {
  const int32_t stride = tl_padded(n), begin = (k + 1) / TL_PAD * TL_PAD;
  TL_EACH_STRIP(j, begin, stride) {
    double sum[TL_STRIP];
    TL_WITHIN(l) {
      sum[l] = 0;
    }
    for (int32_t i = k; i <= n + k; i++) {
      const double *const row = stack + (int64_t)stride * i + j;
      TL_WITHIN(l) {
        sum[l] += v[i] * row[l];
      }
    }
    TL_WITHIN(l) {
      sums[j + l] = sum[l] * factor;
    }
  }
  double sum = 0;
  for (int32_t i = k; i <= n + k; i++) {
    sum += v[i] * right[i];
  }
  TL_MEET();
  sum *= factor;
  for (int32_t i = k; i <= n + k; i++) {
    double *const row = stack + (int64_t)stride * i;
    TL_EACH_STRIP(j, begin, stride) {
      TL_WITHIN(l) {
        row[j + l] -= sums[j + l] * v[i];
      }
    }
  }
  TL_TEAM_EACH(i, k, n + k + 1) {
    right[i] -= sum * v[i];
  }
  TL_MEET();
}

/* x that makes |J x - b|^2 + damping |x|^2 least; J is n x n, row-major, damping > 0. Returns 0 if
 * x is not finite or the phase was ended. */
TL_TEAM int tl_reflection_solve(const double *jacobian, int32_t n, double damping, const double *b,
                                double *x, double *work, const tl_small_phase *phase,
                                const tl_small_result *result) {
  const int32_t stride = tl_padded(n);
  double *const stack = work, *const right = stack + 2 * (int64_t)n * stride;
  double *const v = right + 2 * stride, *const sums = v + 2 * stride;
  tl_reflection_stack(jacobian, n, damping, b, stack, right);
  for (int32_t k = 0; k < n; k++) {
    TL_TEAM_EACH(i, k, n + k + 1) {
      v[i] = stack[(int64_t)stride * i + k];
    }
    TL_MEET();
    const double square = tl_team_square(n + 1, v + k), lead = v[k];
    const double norm = lead > 0 ? -sqrt(square) : sqrt(square);
    TL_MEET();
    if (!(square > 0) || !(square - square == 0) || TL_INTERRUPTED(phase, result, n, k)) {
      return 0;
    }
    if (TL_TEAM_LANE == 0) {
      v[k] = lead - norm;
      x[k] = norm; /* the diagonal of R */
    }
    TL_MEET();
    tl_reflection_apply(v, k, n, -1 / (norm * (lead - norm)), stack, right, sums);
  }
  for (int32_t k = n - 1; k >= 0; k--) {
    const double value = right[k] / x[k];
    TL_MEET();
    TL_TEAM_EACH(i, 0, k) {
      right[i] -= stack[(int64_t)stride * i + k] * value;
    }
    if (TL_TEAM_LANE == 0) {
      x[k] = value;
    }
    TL_MEET();
  }
  double sum = 0;
  for (int32_t i = 0; i < n; i++) {
    sum += x[i] - x[i]; /* 0, if they are numbers */
  }
  return sum == 0;
}

#endif
