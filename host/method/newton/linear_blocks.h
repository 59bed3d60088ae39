/* linear_blocks.h: LU by dense blocks of a matrix whose pattern is symmetric and whose values are
 * not; its blocks are the supernodes of a Cholesky factor of the same pattern. */
#ifndef TL_LINEAR_BLOCKS_H
#define TL_LINEAR_BLOCKS_H

#include "host/method/newton/linear.h"

typedef struct tl_blocks {
  int ready; /* made for the present pattern */
  /* the caller's, to be set before tl_blocks_make and kept as long as the pattern */
  int64_t order, count;
  const int64_t *first;     /* [count + 1] columns of a block */
  const int64_t *row_first; /* [count + 1] */
  const int64_t *row;       /* rows of a block, its own columns first, ascending */
  const int64_t *order_of;  /* [order] column of the matrix that stands at a place */
  /* own */
  int64_t size;                    /* reals of the factors */
  int64_t *inverse;                /* [order] of order_of */
  int64_t *owner;                  /* [order] block of a column */
  int64_t *map;                    /* [order] a row's place below the present block */
  int64_t *square, *lower, *upper; /* [count] where they begin */
  int64_t *head, *next, *reached;  /* [count] which blocks a block waits for; rows done of each */
  int64_t *place;                  /* [entries] of the matrix */
  int32_t *pivot;                  /* [order] within the block, from 1 */
  double *value, *work, *right, *gathered;
  tl_buffer index, reals;
} tl_blocks;

bool tl_blocks_available(void);
/* start, index: the matrix by compressed columns. */
talus_status tl_blocks_make(talus_context *context, tl_blocks *blocks, const int64_t *start,
                            const int64_t *index);
void tl_blocks_release(talus_context *context, tl_blocks *blocks);
int64_t tl_blocks_bytes(const tl_blocks *blocks);
/* 0: a block is singular, or the limit was reached. */
bool tl_blocks_factor(tl_blocks *blocks, const double *value, int64_t entries, tl_limit *limit);
/* Of the determinant. */
int tl_blocks_sign(const tl_blocks *blocks);
void tl_blocks_solve(tl_blocks *blocks, const double *right, double *x);

#endif
