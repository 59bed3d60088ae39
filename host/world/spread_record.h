/* spread_record.h: one body in a message between ranks. For spread*.c alone. */
#ifndef TL_SPREAD_RECORD_H
#define TL_SPREAD_RECORD_H

#include "host/world/spread_local.h"

/* A record begins with these; then what the body has besides, then each shape with its rotation and
 * hull, if it has them. */
typedef struct tl_record_head {
  tl_body body;
  tl_saved_body saved;
} tl_record_head;

enum { TL_RECORD_HEAD = sizeof(tl_record_head) / 8 }; /* words */
_Static_assert(sizeof(tl_record_head) % 8 == 0, "records are whole words");

/* A shape in a record, and what follows it. */
typedef struct tl_packed_shape {
  tl_shape_slot shape;
  const uint64_t *turn, *hull; /* NULL: none */
} tl_packed_shape;

/* Where the shapes of a record begin; unpacks one, and returns where the next begins. */
const uint64_t *tl_record_shapes(const uint64_t *record, const tl_record_head *head);
const uint64_t *tl_record_shape(const uint64_t *at, tl_packed_shape *packed);

#endif
