/* checkpoint_head.h: the block of text before a checkpoint's HDF5 part, see checkpoint.h. */
#ifndef TL_CHECKPOINT_HEAD_H
#define TL_CHECKPOINT_HEAD_H

#include <stdio.h>

#include "host/io/checkpoint.h"

enum { TL_HEAD_BYTES = 512, TL_HEAD_WORD = 40 };

typedef struct tl_checkpoint_head {
  int64_t format, step, bytes; /* bytes after the head */
  uint64_t hash;               /* of them */
  char version[TL_HEAD_WORD + 1], kind[TL_HEAD_WORD + 1];
} tl_checkpoint_head;

/* 64 bits over bytes that may come in pieces of a multiple of 8 bytes, the last of any length;
 * begin with hash 0. Against accidents, not against malice. */
uint64_t tl_checkpoint_hash(uint64_t hash, const void *bytes, size_t size);

void tl_head_print(const tl_checkpoint_head *head, char block[TL_HEAD_BYTES]);
/* Reads the head, and with `whole` holds size and hash of the rest against it. kind may be NULL:
 * any. Statuses: FILE_OPEN, FILE_FORMAT. */
talus_status tl_head_read(talus_context *context, const char *path, const char *kind, int whole,
                          tl_checkpoint_head *head);

#endif
