/* owners.h: which rank has which bricks: runs along Morton's curve (owners.c). */
#ifndef TL_OWNERS_H
#define TL_OWNERS_H

#include "host/ranks/agree.h"
#include "kernels/item/brick.h"

/* Bricks are dealt out in runs along Morton's curve. */
typedef struct tl_owners {
  int32_t rank, size, idle; /* idle: ranks without bricks */
  int32_t uneven;           /* of tests: not 0: cut anew at each look, unevenly by this number */
  double brick_size;
  bool valid;
  uint64_t *first; /* [size] along the curve */
  tl_buffer memory, scratch;
} tl_owners;

/* Cuts the curve so that all ranks have about the same; bodies of this rank's piece with what each
 * is worth. A cut is kept while no rank has a tenth too much. Collective. */
talus_status tl_owners_cut(talus_context *context, double brick_size, const tl_brick *brick,
                           const int64_t *weight, int32_t count, tl_owners *owners);
int32_t tl_owner_of_brick(const tl_owners *owners, tl_brick brick);
void tl_owners_release(talus_context *context, tl_owners *owners);

#endif
