/* mass.h: a sparse symmetric M that falls apart into small blocks, each factored densely.
 *
 * Blocks are connected components of M's pattern, or the bodies of `group` consecutive columns
 * where every component lies inside one. */
#ifndef TL_MASS_H
#define TL_MASS_H

#include "host/problem/matrix.h"

typedef struct tl_mass {
  int32_t size, block_count;
  int32_t *block_size;   /* [block_count] */
  int32_t *block_first;  /* [block_count] place of its first column among `column` */
  int32_t *column;       /* [size] columns of M, block after block, ascending inside one */
  int32_t *block_of;     /* [size] block of a column of M */
  int32_t *place_of;     /* [size] place of a column of M inside its block */
  int64_t *factor_first; /* [block_count] */
  double *factor;        /* Cholesky factors, dense */
  tl_lines rows;         /* of M */
  tl_buffer memory, factors;
} tl_mass;

/* group 0: components only. Statuses: OUT_OF_MEMORY; NEGATIVE_MASS (M is not positive definite,
 * the message naming a column); UNSUPPORTED (a block of more than 4096 columns). */
talus_status tl_mass_make(talus_context *context, const talus_matrix *matrix, int32_t group,
                          tl_mass *mass);
void tl_mass_release(talus_context *context, tl_mass *mass);
int64_t tl_mass_bytes(const tl_mass *mass);
/* v := M^-1 v; scratch of `size` values. */
void tl_mass_solve(const tl_mass *mass, double *v, double *scratch);

#endif
