/* vtk_pack.c: arrays to compressed blocks and back, as vtkZLibDataCompressor has them.
 *
 * Header of UInt64: number of blocks, bytes of a whole block, bytes of the last one if it is not
 * whole (else 0), compressed bytes of each; then the blocks. Blocks do not know each other, so they
 * are packed by several threads with the same result. Without zlib: the number of bytes, then the
 * bytes. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/base/each.h"
#include "host/io/vtk_file.h"

#if TL_HAVE_ZLIB
#include <zlib.h>
#endif

enum { BLOCK = 1 << 16, LEVEL = 4, RATIO = 1100 /* zlib never shrinks by more than 1032 */ };

/* ---- bytes ----------------------------------------------------------------------------------- */

talus_status tl_bytes_reserve(tl_bytes *bytes, size_t more) {
  if (more <= bytes->capacity - bytes->size && bytes->memory != NULL) {
    return TALUS_OK;
  }
  if (more > SIZE_MAX / 4 - bytes->size) {
    return tl_fail(bytes->context, TALUS_OUT_OF_MEMORY, "file in memory: %zu bytes more", more);
  }
  void *memory;
  const size_t capacity = 2 * bytes->size + more + 4096;
  TL_TRY(tl_alloc(bytes->context, &memory, capacity, 1, "file in memory"));
  if (bytes->size > 0) {
    memcpy(memory, bytes->memory, bytes->size);
  }
  tl_free(bytes->context, bytes->memory);
  bytes->memory = memory;
  bytes->capacity = capacity;
  return TALUS_OK;
}

talus_status tl_bytes_append(tl_bytes *bytes, const void *from, size_t size) {
  TL_TRY(tl_bytes_reserve(bytes, size));
  if (size > 0) {
    memcpy(bytes->memory + bytes->size, from, size);
  }
  bytes->size += size;
  return TALUS_OK;
}

talus_status tl_bytes_print(tl_bytes *bytes, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return length >= 0 && length < (int)sizeof text
             ? tl_bytes_append(bytes, text, (size_t)length)
             : tl_fail(bytes->context, TALUS_INTERNAL, "a name is too long for a file's header");
}

void tl_bytes_release(tl_bytes *bytes) {
  tl_free(bytes->context, bytes->memory);
  bytes->memory = NULL;
  bytes->size = bytes->capacity = 0;
}

/* ---- packing --------------------------------------------------------------------------------- */

#if TL_HAVE_ZLIB

const char *tl_vtk_compressor(void) {
  return "vtkZLibDataCompressor";
}

typedef struct blocks {
  const unsigned char *from;
  size_t size, count;
  size_t room;            /* per packed block */
  unsigned char *packed;  /* [count room] */
  uint64_t *packed_bytes; /* [count] */
  int failed;             /* atomic */
} blocks;

static int pack_block(blocks *b, size_t k) {
  const size_t first = k * BLOCK, length = b->size - first < BLOCK ? b->size - first : BLOCK;
  uLongf bytes = (uLongf)b->room;
  const bool good =
      compress2(b->packed + k * b->room, &bytes, b->from + first, (uLong)length, LEVEL) == Z_OK;
  b->packed_bytes[k] = bytes;
  return good;
}

static void pack_blocks(void *arguments, int64_t first, int64_t end) {
  blocks *const b = arguments;
  for (int64_t k = first; k < end; k++) {
    if (!pack_block(b, (size_t)k)) {
      __atomic_store_n(&b->failed, 1, __ATOMIC_RELAXED);
    }
  }
}

static talus_status append_blocks(tl_bytes *file, const blocks *b) {
  const uint64_t head[3] = {b->count, BLOCK, b->size % BLOCK};
  TL_TRY(tl_bytes_append(file, head, sizeof head));
  TL_TRY(tl_bytes_append(file, b->packed_bytes, b->count * sizeof(uint64_t)));
  for (size_t k = 0; k < b->count; k++) {
    TL_TRY(tl_bytes_append(file, b->packed + k * b->room, b->packed_bytes[k]));
  }
  return TALUS_OK;
}

static talus_status pack_all(tl_bytes *file, blocks *b) {
  talus_context *context = file->context;
  tl_each(context, b->count > 4 ? tl_context_threads(context) : 1, (int64_t)b->count, pack_blocks,
          b);
  return b->failed ? tl_fail(context, TALUS_OUT_OF_MEMORY, "no memory to compress a file")
                   : append_blocks(file, b);
}

talus_status tl_vtk_pack(tl_bytes *file, const void *from, size_t size) {
  talus_context *context = file->context;
  void *packed = NULL, *packed_bytes = NULL;
  blocks b = {from, size, (size + BLOCK - 1) / BLOCK, compressBound(BLOCK), NULL, NULL, 0};
  talus_status status = tl_alloc(context, &packed, b.count, b.room, "file in memory");
  if (status == TALUS_OK) {
    status = tl_alloc(context, &packed_bytes, b.count, sizeof(uint64_t), "file in memory");
  }
  if (status == TALUS_OK) {
    b.packed = packed;
    b.packed_bytes = packed_bytes;
    status = pack_all(file, &b);
  }
  tl_free(context, packed_bytes);
  tl_free(context, packed);
  return status;
}

static talus_status unpack_blocks(talus_context *context, const char *path,
                                  const unsigned char *from, size_t size, void **to,
                                  size_t *to_size) {
  uint64_t head[3];
  if (size < sizeof head) {
    return tl_fail(context, TALUS_FILE_FORMAT, "%s: ends within an array", path);
  }
  memcpy(head, from, sizeof head);
  const uint64_t count = head[0], block = head[1], last = head[2];
  if (count > (size - sizeof head) / 8 || block > (1u << 30) || last > block ||
      (count > 0 && (count - 1) * block > RATIO * (uint64_t)size)) {
    return tl_fail(context, TALUS_FILE_FORMAT, "%s: an array's header is damaged", path);
  }
  *to_size = (size_t)(count == 0 ? 0 : last == 0 ? count * block : (count - 1) * block + last);
  if (*to_size > (uint64_t)RATIO * size) {
    return tl_fail(context, TALUS_FILE_FORMAT, "%s: an array's header is damaged", path);
  }
  TL_TRY(tl_alloc(context, to, *to_size, 1, path));
  const unsigned char *at = from + sizeof head + count * 8;
  size_t left = size - sizeof head - (size_t)count * 8;
  for (uint64_t k = 0; k < count; k++) {
    uint64_t bytes;
    memcpy(&bytes, from + sizeof head + 8 * k, 8);
    const uLong wanted = (uLong)(k + 1 == count && last > 0 ? last : block);
    uLongf length = wanted;
    if (bytes > left ||
        uncompress((unsigned char *)*to + k * block, &length, at, (uLong)bytes) != Z_OK ||
        length != wanted) {
      tl_free(context, *to);
      *to = NULL;
      return tl_fail(context, TALUS_FILE_FORMAT, "%s: a compressed block is damaged", path);
    }
    at += bytes;
    left -= (size_t)bytes;
  }
  return TALUS_OK;
}

#else

const char *tl_vtk_compressor(void) {
  return "";
}

talus_status tl_vtk_pack(tl_bytes *file, const void *from, size_t size) {
  const uint64_t head = size;
  TL_TRY(tl_bytes_append(file, &head, sizeof head));
  return tl_bytes_append(file, from, size);
}

static talus_status unpack_blocks(talus_context *context, const char *path,
                                  const unsigned char *from, size_t size, void **to,
                                  size_t *to_size) {
  (void)from, (void)size, (void)to, (void)to_size;
  return tl_fail(context, TALUS_UNSUPPORTED,
                 "%s: is compressed, and this build of Talus has no zlib", path);
}

#endif

talus_status tl_vtk_unpack(talus_context *context, const char *path, int compressed,
                           const unsigned char *from, size_t size, void **to, size_t *to_size) {
  *to = NULL;
  *to_size = 0;
  if (compressed) {
    return unpack_blocks(context, path, from, size, to, to_size);
  }
  uint64_t bytes = 0;
  memcpy(&bytes, from, size < 8 ? 0 : 8);
  if (size < 8 || bytes > size - 8) {
    return tl_fail(context, TALUS_FILE_FORMAT, "%s: ends within an array", path);
  }
  TL_TRY(tl_alloc(context, to, (size_t)bytes, 1, path));
  memcpy(*to, from + 8, (size_t)bytes);
  *to_size = (size_t)bytes;
  return TALUS_OK;
}
