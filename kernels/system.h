/* system.h: a contact problem made ready on the host, in double: what a backend is given.
 *
 * Built by host/solve from any form of talus_problem. The CPU's double-precision engine works on
 * these arrays as they are; every other engine takes a copy. */
#ifndef TL_SYSTEM_H
#define TL_SYSTEM_H

#include "kernels/arrays.h"

typedef struct tl_system {
  tl_shape shape;
#define TL_PLAIN(type, name, count) type *name;
#define TL_REALS(name, count) double *name;
  TL_ARRAY_LIST(TL_PLAIN, TL_REALS)
#undef TL_PLAIN
#undef TL_REALS
  /* for the host alone */
  int32_t colour_count;
  int32_t *colour_chunk; /* [colour_count + 1] first chunk of each colour; NULL: not coloured */
  int32_t *order;        /* [contact_count] the caller's constraint at each internal place; bilateral
                            rows are numbered behind the contacts */
} tl_system;

#endif
