/* queued.h: a solve that is queued before the host has seen the problem: where the device has what
 * the host does not know yet, and what is returned where another solve is asked for. */
#ifndef TL_DATA_QUEUED_H
#define TL_DATA_QUEUED_H

#include <stdint.h>

/* Where the device has what the host does not know yet of a problem whose solve is queued; NULL: as
 * the problem says. */
typedef struct tl_queued_facts {
  const int32_t *contact_count; /* of which arrays have room for as many as the problem says */
  const double *velocity_scale;
} tl_queued_facts;

/* No status of the library: whoever has had the solve queued makes it once more. */
#define TL_NOT_QUEUED ((talus_status)-1)

#endif
