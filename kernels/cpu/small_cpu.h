/* small_cpu.h: small problems on the host; see backend.h. */
#ifndef TL_SMALL_CPU_H
#define TL_SMALL_CPU_H

#include "host/base/base.h"
#include "kernels/small_batch.h"

talus_status tl_cpu_small(talus_context *context, const tl_small_batch *batch);

#endif
