/* scaled_jacobian.h: Jacobian blocks: J and J M^-1 of a constraint against the units (rigid bodies,
 * general blocks) that it acts on, in the constraint's own frame. */
#ifndef TL_SCALED_JACOBIAN_H
#define TL_SCALED_JACOBIAN_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/data/system.h"
#include "kernels/item/cone.h"

/* J by rows of `size` numbers, J M^-1 by columns of TL_JACOBIAN_ROWS, 0 beyond those it has. */
enum { TL_JACOBIAN_ROWS = 4 };
typedef struct tl_jacobian_block {
  int32_t constraint, unit, size;
  int32_t next; /* the next of this unit, behind the last one the first; tl_jacobians_multiply */
  double *jacobian, *response;
} tl_jacobian_block;

typedef struct tl_jacobian_list {
  tl_jacobian_block *list;
  int32_t count;
  double *at; /* where the next J goes */
} tl_jacobian_list;

/* Memory of a list, in doubles, of which `reals` are for its numbers. */
static inline size_t tl_jacobians_room(size_t blocks, size_t reals) {
  return reals + blocks * ((sizeof(tl_jacobian_block) + sizeof(double) - 1) / sizeof(double));
}
/* An empty list in that memory. */
static inline tl_jacobian_list tl_jacobians_in(double *memory, size_t reals) {
  return (tl_jacobian_list){.at = memory, .list = (tl_jacobian_block *)(void *)(memory + reals)};
}

/* Adds a block, its response 0. */
tl_jacobian_block *tl_jacobian_add(tl_jacobian_list *list, int32_t constraint, int32_t unit,
                                   int32_t rows, int32_t size);
/* Sets three numbers of row i of J M^-1, from column c on. */
static inline void tl_jacobian_response(const tl_jacobian_block *block, int32_t i, int32_t c,
                                        tl_vec v) {
  double *const column = block->response + TL_JACOBIAN_ROWS * c + i;
  column[0] = v.x;
  column[TL_JACOBIAN_ROWS] = v.y;
  column[2 * TL_JACOBIAN_ROWS] = v.z;
}

/* Adds how many blocks constraint `id` of a system has at the most, and their numbers. */
void tl_jacobians_count(const tl_system *system, int32_t id, int32_t rows, size_t *blocks,
                        size_t *reals);
/* Adds the blocks of constraint `id` of a system, as constraint k of the list. The unit is the
 * body's number if that is below rigid_count, else the offset of a general block. */
void tl_jacobians_of(const tl_system *system, int32_t id, int32_t k, int32_t rows,
                     const double *frame, tl_jacobian_list *list);

/* Adds J M^-1 J^T to W, by columns: what blocks of one unit share; the constraints of the list
 * ascend. lower: only where the row's constraint is not before the column's. */
void tl_jacobians_multiply(tl_jacobian_list *list, const int32_t *first, int64_t stride, double *w,
                           bool lower);

#endif
