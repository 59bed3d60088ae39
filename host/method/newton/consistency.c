/* consistency.c: what no impulse can satisfy.
 *
 * The incompatible part of q: on constraints that carry impulses the velocity must vanish, and
 * r = q + J v is least over all motions v; computed as the limit of (delta/(W + delta))^n q.
 *
 * Contradictions: if a law has no solution, the steps of a proximal iteration, weighted by alpha,
 * tend to a fixed vector w with w in K, W w = 0, q . w = -|w|^2: impulses that move nothing and yet
 * would gain speed for ever. Such a w is a proof by itself, however it was found. Under the exact
 * law w has normal parts only, since u_n >= 0 is all that every solution must obey. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/method/newton/newton.h"

#define DELTA 1e-6

enum { ROUNDS = 3, NAMED = 6 };

/* Rows that must come to rest: all of a sticking contact, the normal one of a sliding contact. */
static void loaded_blocks(tl_newton *newton, const double *y) {
  const tl_scaled *const scaled = &newton->scaled;
  double largest = 0;
  for (int32_t k = 0; k < scaled->count; k++) {
    largest = fmax(largest, fabs(y[scaled->first[k]]));
  }
  memset(newton->a, 0, 9 * (size_t)scaled->count * sizeof *newton->a);
  memset(newton->b, 0, 9 * (size_t)scaled->count * sizeof *newton->b);
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
    const bool loaded = scaled->kind[k] == TL_CONSTRAINT_BOUNDED
                            ? y[at] > scaled->lower[k] && y[at] < scaled->upper[k]
                            : scaled->kind[k] == TL_CONSTRAINT_FREE || y[at] > 1e-8 * largest;
    double m = 0;
    for (int32_t i = 1; i < rows; i++) {
      m += y[at + i] * y[at + i];
    }
    const bool sticks = sqrt(m) < (1 - 1e-6) * scaled->friction[k] * y[at];
    for (int32_t i = 0; i < rows; i++) {
      const bool counts = loaded && (i == 0 || sticks);
      newton->a[9 * (int64_t)k + 4 * i] = counts ? DELTA : 1;
      newton->b[9 * (int64_t)k + 4 * i] = counts ? 1 : 0;
    }
  }
}

talus_status tl_incompatible_find(tl_newton *newton, const double *y, double *part) {
  const tl_scaled *const scaled = &newton->scaled;
  double *const left = newton->vector[0], *const d = newton->vector[1];
  bool good;
  *part = 0;
  loaded_blocks(newton, y);
  TL_TRY(tl_linear_factor(&newton->linear, newton->a, newton->b, NULL, 0, &good));
  if (!good) {
    return TALUS_OK;
  }
  for (int32_t k = 0; k < scaled->count; k++) {
    for (int32_t i = scaled->first[k], c = 0; i < scaled->first[k + 1]; i++, c++) {
      left[i] = newton->b[9 * (int64_t)k + 4 * c] * scaled->q[i];
    }
  }
  double square = 0;
  for (int round = 0; round < ROUNDS; round++) {
    TL_TRY(tl_linear_solve(&newton->linear, left, d, d));
    square = 0;
    for (int32_t i = 0; i < scaled->rows; i++) {
      left[i] = DELTA * d[i];
      square += left[i] * left[i];
    }
  }
  const double size = sqrt(square) / scaled->reference[newton->law];
  *part = isfinite(size) ? size : 0;
  return TALUS_OK;
}

/* Whether w is a proof: in its cone, moving nothing, gaining speed. */
static bool proves(tl_newton *newton, const double *w, double *response) {
  const tl_scaled *const scaled = &newton->scaled;
  double size = 0, moved = 0, gain = 0, outside = 0;
  tl_scaled_apply(scaled, w, response);
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k];
    double m = 0;
    for (int32_t i = at; i < scaled->first[k + 1]; i++) {
      size += w[i] * w[i];
      moved += response[i] * response[i];
      gain -= scaled->q[i] * w[i];
      m += i > at ? w[i] * w[i] : 0;
    }
    if (scaled->kind[k] == TL_CONSTRAINT_BOUNDED) { /* no way to go for ever towards a bound */
      outside += isfinite(scaled->lower[k]) ? fmax(0, -w[at]) : 0;
      outside += isfinite(scaled->upper[k]) ? fmax(0, w[at]) : 0;
    } else if (scaled->kind[k] != TL_CONSTRAINT_FREE) {
      const double mu = newton->law == TALUS_LAW_COULOMB ? 0 : scaled->friction[k];
      outside += fmax(0, sqrt(m) - mu * fmax(0, w[at])) + fmax(0, -w[at]);
    }
  }
  size = sqrt(size);
  return size > 0 && sqrt(moved) < 1e-6 * size && outside < 1e-6 * size &&
         gain > 1e-9 * size * scaled->reference[newton->law];
}

/* The constraint with the largest share below `below`; -1 if it is less than a hundredth of `all`.
 */
static int32_t share_next(const tl_scaled *scaled, const double *w, double below, int32_t after,
                          double all) {
  int32_t best = -1;
  double most = 0.01 * all;
  for (int32_t k = 0; k < scaled->count; k++) {
    const double share = fabs(w[scaled->first[k]]);
    if (share > most && (share < below || (share == below && k > after))) {
      best = k;
      most = share;
    }
  }
  return best;
}

/* Names the largest shares in the caller's numbers. */
static void contradiction_tell(tl_newton *newton, const double *w) {
  const tl_scaled *const scaled = &newton->scaled;
  const tl_assembly *const assembly = newton->run->assembly;
  char text[256] = "";
  size_t length = 0;
  int32_t best = share_next(scaled, w, INFINITY, -1, 0), count = 0;
  const double all = best >= 0 ? fabs(w[scaled->first[best]]) : 0;
  for (; best >= 0 && count < NAMED; count++) {
    const int32_t k = assembly->system.order[best];
    const bool row = k >= assembly->contact_count;
    length +=
        (size_t)snprintf(text + length, sizeof text - length, "%s%s %d", count > 0 ? ", " : "",
                         row ? "bilateral row" : "contact", row ? k - assembly->contact_count : k);
    best = share_next(scaled, w, fabs(w[scaled->first[best]]), best, all);
  }
  tl_fail(newton->context, TALUS_OK, "no impulses satisfy these together: %s%s", text,
          best >= 0 ? ", ..." : "");
  tl_log(newton->context, TALUS_LOG_WARNING, "%s", newton->context->message);
}

talus_status tl_contradiction_find(tl_newton *newton, bool *found) {
  const tl_scaled *const scaled = &newton->scaled;
  const int law = newton->law == TALUS_LAW_COULOMB ? TL_LAW_NORMAL : TALUS_LAW_CCP;
  double *const y = newton->vector[9], *const before = newton->vector[10];
  memcpy(newton->vector[11], newton->best.y, (size_t)scaled->rows * sizeof *y);
  *found = proves(newton, newton->vector[11], newton->vector[0]); /* grown without bound? */
  memset(y, 0, (size_t)scaled->rows * sizeof *y);
  for (int round = 0; round < 8 && !*found && !newton->stop; round++) {
    const tl_prox_rule rule = {
        .law = law, .alpha = 1e-2, .shrink = 1, .most = 12, .failures = 1, .single = true};
    memcpy(before, y, (size_t)scaled->rows * sizeof *y);
    TL_TRY(tl_prox_run(newton, &rule, y));
    for (int32_t i = 0; i < scaled->rows; i++) {
      newton->vector[11][i] = y[i] - before[i];
    }
    *found = proves(newton, newton->vector[11], newton->vector[0]);
  }
  if (*found) {
    contradiction_tell(newton, newton->vector[11]);
  }
  return TALUS_OK;
}
