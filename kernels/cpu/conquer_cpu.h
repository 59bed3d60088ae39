/* conquer_cpu.h: forward dynamics of many mechanisms on the host; see backend.h. */
#ifndef TL_CONQUER_CPU_H
#define TL_CONQUER_CPU_H

#include "host/base/base.h"
#include "kernels/conquer_batch.h"

talus_status tl_cpu_conquer(talus_context *context, const tl_conquer_batch *batch);

#endif
