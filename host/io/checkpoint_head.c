/* checkpoint_head.c: the head of a checkpoint: magic, version, size, hash; see checkpoint_head.h.
 */
#define _POSIX_C_SOURCE 200809L
#include "host/io/checkpoint_head.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

static const char first_line[] = "talus checkpoint\n";

uint64_t tl_checkpoint_hash(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  for (size_t k = 0; k < size; k += 8) {
    uint64_t word = 0;
    memcpy(&word, at + k, size - k < 8 ? size - k : 8);
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    hash ^= hash >> 29;
  }
  return hash;
}

void tl_head_print(const tl_checkpoint_head *head, char block[TL_HEAD_BYTES]) {
  memset(block, '\n', TL_HEAD_BYTES);
  const int length = snprintf(block, TL_HEAD_BYTES,
                              "%sformat %" PRId64 "\ntalus %s\nkind %s\nstep %" PRId64
                              "\nbytes %" PRId64 "\nhash %016" PRIx64 "\n",
                              first_line, head->format, head->version, head->kind, head->step,
                              head->bytes, head->hash);
  block[length] = '\n'; /* instead of the final 0 */
}

/* Words of at most TL_HEAD_WORD letters; the rest of the block must be the lines end to end. */
static bool head_parse(const char *block, tl_checkpoint_head *head) {
  char text[TL_HEAD_BYTES + 1];
  memcpy(text, block, TL_HEAD_BYTES);
  text[TL_HEAD_BYTES] = 0;
  return sscanf(text + sizeof first_line - 1,
                "format %" SCNd64 " talus %40s kind %40s step %" SCNd64 " bytes %" SCNd64
                " hash %" SCNx64,
                &head->format, head->version, head->kind, &head->step, &head->bytes,
                &head->hash) == 6;
}

static talus_status damaged(talus_context *context, const char *path, const char *what) {
  return tl_fail(context, TALUS_FILE_FORMAT, "%s: %s", path, what);
}

static talus_status check_head(talus_context *context, const char *path, const char *kind,
                               const char *block, size_t got, tl_checkpoint_head *head) {
  if (got < TL_HEAD_BYTES || memcmp(block, first_line, sizeof first_line - 1) != 0) {
    return damaged(context, path, "is not a Talus checkpoint");
  }
  if (!head_parse(block, head)) {
    /* a later format may say other things, but says its number first */
    return sscanf(block + sizeof first_line - 1, "format %" SCNd64, &head->format) == 1 &&
                   head->format != TL_CHECKPOINT_FORMAT
               ? tl_fail(context, TALUS_FILE_FORMAT,
                         "%s: is a checkpoint of format %" PRId64 ", this Talus reads format %d",
                         path, head->format, TL_CHECKPOINT_FORMAT)
               : damaged(context, path, "the head of the checkpoint is damaged");
  }
  if (head->format != TL_CHECKPOINT_FORMAT) {
    return tl_fail(context, TALUS_FILE_FORMAT,
                   "%s: is a checkpoint of format %" PRId64
                   " (Talus %s), this Talus (%s) reads format %d",
                   path, head->format, head->version, talus_version(), TL_CHECKPOINT_FORMAT);
  }
  if (kind != NULL && strcmp(kind, head->kind) != 0) {
    return tl_fail(context, TALUS_FILE_FORMAT, "%s: is a checkpoint of kind '%s', not '%s'", path,
                   head->kind, kind);
  }
  return TALUS_OK;
}

/* Full pieces but the last, so that the hash does not depend on how the bytes come. */
static ssize_t read_piece(int file, char *piece, size_t size) {
  size_t have = 0;
  while (have < size) {
    const ssize_t got = read(file, piece + have, size - have);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return -1;
    }
    if (got == 0) {
      break;
    }
    have += (size_t)got;
  }
  return (ssize_t)have;
}

static talus_status check_rest(talus_context *context, const char *path, int file,
                               const tl_checkpoint_head *head) {
  char piece[PIECE];
  uint64_t hash = 0;
  int64_t bytes = 0;
  for (ssize_t got; (got = read_piece(file, piece, sizeof piece)) != 0;) {
    if (got < 0) {
      return tl_fail(context, TALUS_FILE_OPEN, "%s: cannot be read: %s", path, strerror(errno));
    }
    hash = tl_checkpoint_hash(hash, piece, (size_t)got);
    bytes += got;
  }
  if (bytes < head->bytes) {
    return tl_fail(context, TALUS_FILE_FORMAT,
                   "%s: the checkpoint is cut: %" PRId64 " of %" PRId64 " bytes", path, bytes,
                   head->bytes);
  }
  if (bytes > head->bytes || hash != head->hash) {
    return damaged(context, path, "the checkpoint is damaged: its content does not fit its hash");
  }
  return TALUS_OK;
}

talus_status tl_head_read(talus_context *context, const char *path, const char *kind, int whole,
                          tl_checkpoint_head *head) {
  struct stat about;
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
    return tl_fail(context, TALUS_FILE_OPEN, "%s: is not a regular file", path);
  }
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return tl_fail(context, TALUS_FILE_OPEN, "%s: %s", path, strerror(errno));
  }
  char block[TL_HEAD_BYTES];
  memset(head, 0, sizeof *head);
  const ssize_t got = read_piece(file, block, sizeof block);
  talus_status status = check_head(context, path, kind, block, got < 0 ? 0 : (size_t)got, head);
  if (status == TALUS_OK && whole) {
    status = check_rest(context, path, file, head);
  }
  close(file);
  return status;
}
