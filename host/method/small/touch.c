/* touch.c: W of a small problem from J and J M^-1; what else every small problem needs. */
#include "host/method/small/touch.h"

#include <math.h>
#include <string.h>

#include "host/base/clones.h"

talus_status tl_small_reserve(tl_small *small, int32_t count) {
  const size_t n = (size_t)count, stride = (size_t)tl_padded(3 * count);
  TL_TRY(tl_buffer_reserve(small->context, &small->index, 2 * n + 1, sizeof(int32_t),
                           "a small problem"));
  TL_TRY(tl_buffer_reserve(small->context, &small->reals, stride * (3 * n) + 5 * stride + 17 * n,
                           sizeof(double), "a small problem's matrix"));
  small->count = count;
  small->first = small->index.memory;
  small->kind = small->first + n + 1;
  small->friction = small->reals.memory;
  small->root = small->friction + n;
  small->lower = small->root + n;
  small->upper = small->lower + n;
  small->pace = small->upper + n;
  small->frame = small->pace + n;
  small->engine = small->frame + 9 * n;
  small->q = small->engine + 3 * n;
  small->best = small->q + stride;
  small->y = small->best + stride;
  small->u = small->y + stride;
  small->found = small->u + stride;
  small->w = small->found + stride;
  return TALUS_OK;
}

tl_small_touch *tl_touch_add(tl_touching *t, int32_t constraint, int32_t unit, int32_t rows,
                             int32_t size) {
  tl_small_touch *const new = &t->list[t->count++];
  *new = (tl_small_touch){constraint, unit, size, 0, t->at, t->at + (int64_t)rows * size};
  memset(new->response, 0, TL_TOUCH_ROWS * (size_t)size * sizeof *new->response);
  t->at += (int64_t)(rows + TL_TOUCH_ROWS) * size;
  return new;
}

/* ---- W --------------------------------------------------------------------------------------- */

/* Rings of the touches of one unit, ascending but for the way back. */
static void rings_close(tl_touching *t) {
  for (int32_t a = 0; a < t->count; a++) {
    int32_t last = a - 1;
    while (last >= 0 && t->list[last].unit != t->list[a].unit) {
      last--;
    }
    t->list[a].next = last >= 0 ? t->list[last].next : a;
    if (last >= 0) {
      t->list[last].next = a;
    }
  }
}

/* Row and column of W that two touches share: sums in ascending order, rows of W side by side. The
 * counts are constants at the calls that matter. */
static inline __attribute__((always_inline)) void pair_add(const tl_small_touch *k,
                                                           const tl_small_touch *l, int32_t rows,
                                                           int32_t columns, int32_t size,
                                                           int64_t stride, double *corner) {
  for (int32_t j = 0; j < columns; j++) {
    const double *const d = l->jacobian + j * size;
    double sum[TL_TOUCH_ROWS] = {0};
    for (int32_t c = 0; c < size; c++) {
      for (int i = 0; i < TL_TOUCH_ROWS; i++) {
        sum[i] += k->response[TL_TOUCH_ROWS * c + i] * d[c];
      }
    }
    for (int32_t i = 0; i < rows; i++) {
      corner[j * stride + i] += sum[i];
    }
  }
}

TL_CLONES_FEW static void rings_multiply(const tl_touching *t, const int32_t *first, int64_t stride,
                                         double *w, int32_t lower) {
  for (int32_t a = 0; a < t->count; a++) {
    const tl_small_touch *const k = &t->list[a];
    const int32_t rows = first[k->constraint + 1] - first[k->constraint];
    int32_t b = a;
    do {
      const tl_small_touch *const l = &t->list[b];
      const int32_t columns = first[l->constraint + 1] - first[l->constraint];
      double *const corner = w + first[l->constraint] * stride + first[k->constraint];
      const int wanted = k->size == l->size && !(lower && l->constraint > k->constraint);
      if (wanted && rows == 3 && columns == 3 && k->size == 6) {
        pair_add(k, l, 3, 3, 6, stride, corner);
      } else if (wanted) {
        pair_add(k, l, rows, columns, k->size, stride, corner);
      }
      b = l->next;
    } while (b != a);
  }
}

void tl_touches_multiply(tl_touching *t, const int32_t *first, int64_t stride, double *w,
                         int32_t lower) {
  rings_close(t);
  rings_multiply(t, first, stride, w, lower);
}

/* One over a bound of the largest eigenvalue of W_kk. */
void tl_small_paces(tl_small *small) {
  for (int32_t k = 0; k < small->count; k++) {
    double most = 0;
    for (int64_t i = small->first[k]; i < small->first[k + 1]; i++) {
      double sum = 0;
      for (int64_t j = small->first[k]; j < small->first[k + 1]; j++) {
        sum += fabs(small->w[j * small->stride + i]);
      }
      most = sum > most ? sum : most;
    }
    small->pace[k] = most > 0 ? 1 / most : 0;
  }
}
