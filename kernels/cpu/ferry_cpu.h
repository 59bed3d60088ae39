/* ferry_cpu.h: the CPU's part of moving a caller's arrays, for the registry. */
#ifndef TL_FERRY_CPU_H
#define TL_FERRY_CPU_H

#include "host/base/base.h"
#include "kernels/field.h"

talus_status tl_cpu_ferry(talus_context *context, const tl_field *field, void *packed,
                          tl_ferry way);

#endif
