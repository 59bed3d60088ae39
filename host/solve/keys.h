/* keys.h: impulses remembered by the names of their contacts or rows. */
#ifndef TL_KEYS_H
#define TL_KEYS_H

#include "host/base/base.h"

typedef struct tl_keys {
  int32_t count, width; /* names; numbers of each */
  uint64_t *key;        /* [count] */
  double *value;        /* [width count] */
  tl_buffer names, values, table;
} tl_keys;

/* Remembers these and nothing else. Statuses: OUT_OF_MEMORY: nothing is remembered then. */
talus_status tl_keys_save(talus_context *context, tl_keys *keys, const uint64_t *key,
                          const double *value, int32_t count, int32_t width);
/* What is remembered under each name, 0 where nothing is or the width was another. Equal names are
 * served in order, each value once. *matched is raised by how many were found. */
talus_status tl_keys_match(talus_context *context, tl_keys *keys, const uint64_t *key,
                           double *value, int32_t count, int32_t width, int32_t *matched);
void tl_keys_release(talus_context *context, tl_keys *keys);
int64_t tl_keys_bytes(const tl_keys *keys);

#endif
