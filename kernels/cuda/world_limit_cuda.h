/* world_limit_cuda.h: how many pairs and contacts a world in device memory takes, for tests that
 * cannot have as many as are really refused. */
#ifndef TL_WORLD_LIMIT_CUDA_H
#define TL_WORLD_LIMIT_CUDA_H

#include "kernels/world_backend.h"

/* So that numbers of pairs and contacts, and six times as many coordinates, are below 2^31. */
enum { TL_WORLD_MOST = INT32_MAX / 8 };

/* From now on at most so many. */
void tl_world_limit(tl_resident *resident, int64_t pairs, int64_t contacts);

#endif
