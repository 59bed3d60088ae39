/* batch_step.c: which problems of a batch keep step on a device, and which go one after the other.
 *
 * Those of like orders make a group (batch_together.c), as many as the device has memory for. What
 * a problem will take is not known before it was assembled: who is refused memory in company is
 * solved by itself, with no more in memory than if there were no others. */
#include <stdlib.h>

#include "host/solve/batch.h"
#include "kernels/dense_backend.h"

/* Constraints of a problem in a group: the memory for more is not kept for several at once. */
enum { CONSTRAINTS_MOST = 1024 };
/* Device memory of a problem, per constraint (its arrays, iterates and blocks), and what a group
 * may take of what is free. */
static const double CONSTRAINT_BYTES = 2500, SHARE = 0.75;

typedef struct place {
  double order; /* of its matrix, as far as its head tells: hostile numbers are as good as any */
  int32_t index;
  bool alone;
} place;

/* The space of the bodies, of whose blocks most have six freedoms; or of the contacts. */
static double order_of(const talus_problem *p) {
  return p->form == TALUS_FORM_RIGID ? 6.0 * p->rigid.body_count
         : p->form == TALUS_FORM_BLOCKS
             ? 6.0 * p->blocks.block_count
             : (double)p->dimension * p->contact_count + p->bilateral_count;
}

static place place_of(const tl_batch *b, int32_t i) {
  const talus_problem *const p = tl_batch_problem(b, i);
  const double order = order_of(p);
  return (place){order, i, order > TL_STEP_ORDER || tl_batch_constraints(p) > CONSTRAINTS_MOST};
}

static int place_compare(const void *left, const void *right) {
  const place *const a = left, *const b = right;
  return a->alone != b->alone   ? (b->alone ? 1 : -1)
         : a->order != b->order ? (a->order < b->order ? 1 : -1)
                                : (a->index > b->index) - (a->index < b->index);
}

/* The matrices of a group have the order of its largest, which is the first. */
static double bytes_of(const tl_batch *b, const place *first, const place *p) {
  const double constraints = (double)tl_batch_constraints(tl_batch_problem(b, p->index));
  return sizeof(double) * first->order * first->order + CONSTRAINT_BYTES * constraints;
}

/* How many of so many, which are sorted, keep step; 1: the first is on its own. */
static int32_t step_length(const tl_batch *b, const place *p, int32_t count, double room) {
  double bytes = bytes_of(b, p, p);
  int32_t length = 1;
  if (p->alone) {
    return 1;
  }
  while (length < count && length < TL_TOGETHER) {
    bytes += bytes_of(b, p, p + length);
    if (room > 0 && bytes > room) {
      break;
    }
    length++;
  }
  return length;
}

static double room_of(talus_context *context) {
  const tl_dense_ops *const ops = tl_dense_backend_find(context);
  return ops != NULL && ops->room != NULL ? SHARE * (double)ops->room(context) : 0;
}

static void steps_take(talus_context *teller, tl_worker *w, const tl_batch *b, const place *order) {
  int32_t index[TL_TOGETHER];
  bool again[TL_TOGETHER] = {true};
  for (int32_t first = 0, count; first < b->count; first += count) {
    count = step_length(b, order + first, b->count - first, room_of(w->context));
    for (int32_t i = 0; i < count; i++) {
      index[i] = order[first + i].index;
    }
    again[0] = true;
    if (count > 1) {
      tl_batch_together(teller, w, b, index, count, again);
    }
    for (int32_t i = 0; i < count; i++) {
      if (again[i]) {
        tl_worker_solve(w, b, index[i]);
      }
    }
  }
}

talus_status tl_batch_step(talus_context *teller, tl_worker *worker, const tl_batch *b) {
  place *order;
  TL_TRY(tl_alloc(teller, (void **)&order, (size_t)b->count + 1, sizeof *order, "a batch"));
  for (int32_t i = 0; i < b->count; i++) {
    order[i] = place_of(b, i);
  }
  qsort(order, (size_t)b->count, sizeof *order, place_compare);
  steps_take(teller, worker, b, order);
  tl_free(teller, order);
  return TALUS_OK;
}
