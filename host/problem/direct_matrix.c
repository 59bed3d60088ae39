/* direct_matrix.c: the constraints of form (c) as direct.c wants them: W and q as given, scaled.
 *
 * W may be unsymmetric, its entries in any order and repeated. A diagonal block without positive
 * trace is left to the usual way, which puts the mean in its place. */
#include <math.h>
#include <string.h>

#include "host/problem/direct.h"
#include "host/problem/matrix.h"

/* Where a row of the caller's W belongs: its constraint, and which row of that it is. */
static int32_t constraint_of(const talus_problem *p, int32_t row, int32_t *part) {
  const int32_t contact_rows = p->dimension * p->contact_count;
  *part = row < contact_rows ? row % p->dimension : 0;
  return row < contact_rows ? row / p->dimension : p->contact_count + (row - contact_rows);
}

/* w_k, the mean of the diagonal of W_kk. */
static void weights_find(const talus_problem *p, double *weight) {
  const talus_matrix *const w = &p->delassus.w;
  const int32_t count = p->contact_count + p->bilateral_count;
  int64_t line = 0;
  memset(weight, 0, (size_t)count * sizeof *weight);
  for (int64_t e = 0; e < w->count; e++) {
    int32_t row, column, part;
    if (tl_matrix_place(w, e, &line, &row, &column) && row == column) {
      const int32_t k = constraint_of(p, row, &part);
      weight[k] += w->value[e] / (k < p->contact_count ? p->dimension : 1);
    }
  }
}

talus_status tl_direct_matrix(tl_direct *d, bool *taken) {
  const talus_problem *const p = d->problem;
  tl_scaled *const scaled = d->scaled;
  const int32_t count = p->contact_count + p->bilateral_count;
  double *const weight = scaled->root; /* each replaced by its root in turn */
  const double *q = p->delassus.q;
  weights_find(p, weight);
  *taken = true;
  for (int32_t k = 0; k < count && *taken; k++) {
    const int32_t rows = k < p->contact_count ? p->dimension : 1;
    double *const frame = scaled->frame + 9 * (int64_t)k;
    double u[3] = {0}, sizes[3] = {0};
    for (int32_t i = 0; i < rows; i++) {
      u[i] = q[i];
      sizes[i] = fabs(q[i]);
    }
    q += rows;
    memset(frame, 0, 9 * sizeof *frame);
    frame[0] = frame[4] = frame[8] = 1;
    tl_direct_kind(d, k);
    *taken = tl_direct_scale(d, k, weight[k], u, sizes,
                             scaled->kind[k] == TL_CONSTRAINT_FRICTION ? rows : 1) > 0;
  }
  return TALUS_OK;
}

void tl_direct_matrix_fill(const tl_direct *d) {
  const talus_problem *const p = d->problem;
  const talus_matrix *const w = &p->delassus.w;
  const tl_scaled *const scaled = d->scaled;
  int64_t line = 0;
  for (int64_t e = 0; e < w->count; e++) {
    int32_t row, column, i, j;
    if (!tl_matrix_place(w, e, &line, &row, &column)) {
      continue;
    }
    const int32_t k = constraint_of(p, row, &i), l = constraint_of(p, column, &j);
    if (i >= scaled->first[k + 1] - scaled->first[k] ||
        j >= scaled->first[l + 1] - scaled->first[l]) {
      continue; /* of a contact without friction */
    }
    /* the same factors in the same order on both sides of the diagonal */
    const double value = w->value[e] / scaled->root[k < l ? k : l] / scaled->root[k < l ? l : k];
    scaled->w[(int64_t)scaled->stride * (scaled->first[l] + j) + scaled->first[k] + i] += value;
  }
}
