/* copy_array_cpu.h: the CPU's part of moving a caller's arrays, for the registry. */
#ifndef TL_COPY_ARRAY_CPU_H
#define TL_COPY_ARRAY_CPU_H

#include "host/base/base.h"
#include "kernels/data/caller_array.h"

talus_status tl_cpu_copy_array(talus_context *context, const tl_caller_array *field, void *packed,
                               tl_copy_mode way);

#endif
