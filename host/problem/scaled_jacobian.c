/* scaled_jacobian.c: Jacobian blocks of a system's constraints, and W = J M^-1 J^T from a list of
 * them. */
#include "host/problem/scaled_jacobian.h"

#include <assert.h>
#include <string.h>

#include "host/base/clones.h"
#include "kernels/item/real.h"

tl_jacobian_block *tl_jacobian_add(tl_jacobian_list *list, int32_t constraint, int32_t unit,
                                   int32_t rows, int32_t size) {
  assert(rows >= 1 && rows <= TL_JACOBIAN_ROWS && size >= 1);
  assert(list->count == 0 || list->list[list->count - 1].constraint <= constraint);
  tl_jacobian_block *const new = &list->list[list->count++];
  *new = (tl_jacobian_block){constraint, unit, size, 0, list->at, list->at + (int64_t)rows * size};
  memset(new->response, 0, TL_JACOBIAN_ROWS * (size_t)size * sizeof *new->response);
  list->at += (int64_t)(rows + TL_JACOBIAN_ROWS) * size;
  return new;
}

/* ---- of a system ----------------------------------------------------------------------------- */

void tl_jacobians_count(const tl_system *system, int32_t id, int32_t rows, size_t *blocks,
                        size_t *reals) {
  if (id < system->shape.rigid_contact_count) {
    *blocks += 2;
    *reals += 2 * 6 * (size_t)(rows + TL_JACOBIAN_ROWS);
    return;
  }
  const int32_t *const first = system->entry_first + (id - system->shape.entry_base);
  for (int32_t e = first[0]; e < first[1]; e++) {
    *blocks += 1;
    *reals += (size_t)(rows + TL_JACOBIAN_ROWS) * (size_t)system->entry[e].size;
  }
}

/* The two bodies of a rigid contact. */
static void ends_add(const tl_system *system, int32_t id, int32_t k, int32_t rows,
                     const double *frame, tl_jacobian_list *list) {
  const bool spheres = system->shape.body_kind == TL_SPHERES;
  const tl_vec n = tl_load(system->normal, id);
  for (int side = 0; side < 2; side++) {
    const int32_t body = side == 0 ? system->body_a[id] : system->body_b[id];
    if (body >= system->shape.rigid_count) {
      continue;
    }
    const tl_vec arm = spheres ? tl_times(side == 0 ? system->reach_a[id] : -system->reach_b[id], n)
                               : tl_load(side == 0 ? system->arm_a : system->arm_b, id);
    const double *const m = system->body + (spheres ? 4 : 16) * (int64_t)body;
    const double sign = side == 0 ? -1 : 1;
    tl_jacobian_block *const new = tl_jacobian_add(list, k, body, rows, 6);
    for (int32_t i = 0; i < rows; i++) {
      const tl_vec axis = tl_load(frame, i), lever = tl_cross(arm, axis);
      const tl_vec turn = spheres ? tl_times(m[1], lever) : tl_sym_times(m + 1, lever);
      tl_save(new->jacobian + 6 * i, 0, tl_times(sign, axis));
      tl_save(new->jacobian + 6 * i, 1, tl_times(sign, lever));
      tl_jacobian_response(new, i, 0, tl_times(sign * m[0], axis));
      tl_jacobian_response(new, i, 3, tl_times(sign, turn));
    }
  }
}

/* Entries against rigid bodies have the record's layout: linear, a gap, angular. */
static void entries_add(const tl_system *system, int32_t id, int32_t k, int32_t rows,
                        tl_jacobian_list *list) {
  const int32_t rigid = TL_RECORD * system->shape.rigid_count;
  const int32_t *const first = system->entry_first + (id - system->shape.entry_base);
  for (int32_t e = first[0]; e < first[1]; e++) {
    const tl_entry entry = system->entry[e];
    const bool body = entry.offset < rigid;
    tl_jacobian_block *const new = tl_jacobian_add(
        list, k, body ? entry.offset / TL_RECORD : entry.offset, rows, body ? 6 : entry.size);
    for (int32_t i = 0; i < rows; i++) {
      for (int32_t c = 0; c < new->size; c++) {
        const int64_t from = entry.jacobian + (int64_t)i * entry.size + (body && c > 2 ? c + 1 : c);
        new->jacobian[i * new->size + c] = system->jacobian[from];
        new->response[TL_JACOBIAN_ROWS * c + i] = system->response[from];
      }
    }
  }
}

void tl_jacobians_of(const tl_system *system, int32_t id, int32_t k, int32_t rows,
                     const double *frame, tl_jacobian_list *list) {
  if (id < system->shape.rigid_contact_count) {
    ends_add(system, id, k, rows, frame, list);
  } else {
    entries_add(system, id, k, rows, list);
  }
}

/* ---- W = J M^-1 J^T -------------------------------------------------------------------------- */

/* Links the blocks of each unit to a ring, ascending but for the way back. */
static void rings_close(tl_jacobian_list *t) {
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

/* Adds the block of W that two Jacobian blocks of one unit make: sums in ascending order, rows of W
 * side by side. The counts are constants at the calls that matter. */
static inline __attribute__((always_inline)) void pair_add(const tl_jacobian_block *k,
                                                           const tl_jacobian_block *l, int32_t rows,
                                                           int32_t columns, int32_t size,
                                                           int64_t stride, double *corner) {
  for (int32_t j = 0; j < columns; j++) {
    const double *const d = l->jacobian + j * size;
    double sum[TL_JACOBIAN_ROWS] = {0};
    for (int32_t c = 0; c < size; c++) {
      for (int i = 0; i < TL_JACOBIAN_ROWS; i++) {
        sum[i] += k->response[TL_JACOBIAN_ROWS * c + i] * d[c];
      }
    }
    for (int32_t i = 0; i < rows; i++) {
      corner[j * stride + i] += sum[i];
    }
  }
}

TL_CLONES_FEW static void rings_multiply(const tl_jacobian_list *t, const int32_t *first,
                                         int64_t stride, double *w, bool lower) {
  for (int32_t a = 0; a < t->count; a++) {
    const tl_jacobian_block *const k = &t->list[a];
    const int32_t rows = first[k->constraint + 1] - first[k->constraint];
    int32_t b = a;
    do {
      const tl_jacobian_block *const l = &t->list[b];
      const int32_t columns = first[l->constraint + 1] - first[l->constraint];
      double *const corner = w + first[l->constraint] * stride + first[k->constraint];
      const bool wanted = k->size == l->size && !(lower && l->constraint > k->constraint);
      if (wanted && rows == 3 && columns == 3 && k->size == 6) {
        pair_add(k, l, 3, 3, 6, stride, corner);
      } else if (wanted) {
        pair_add(k, l, rows, columns, k->size, stride, corner);
      }
      b = l->next;
    } while (b != a);
  }
}

void tl_jacobians_multiply(tl_jacobian_list *t, const int32_t *first, int64_t stride, double *w,
                           bool lower) {
  rings_close(t);
  rings_multiply(t, first, stride, w, lower);
}
