/* agree.c: what all ranks must agree upon: whether a call may go on, that they were given the same,
 * and that one that fails keeps nobody waiting. */
#include <stdio.h>
#include <string.h>

#include "host/ranks/agree.h"

enum { NOTE_TEXT = 232 };

/* What a rank tells the others. */
typedef struct note {
  int64_t status;
  char text[NOTE_TEXT];
} note;

talus_status tl_ranks_check(talus_context *context) {
  const talus_transport *const t = tl_ranks_of(context);
  if (t == NULL) {
    return TALUS_OK;
  }
  if (t->struct_size != sizeof *t || t->size < 1 || t->rank < 0 || t->rank >= t->size ||
      t->exchange == NULL || t->sum == NULL || t->largest == NULL || t->gather == NULL ||
      t->fail == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "the context's ranks is no whole transport: rank %d of %d", t->rank, t->size);
  }
  return TALUS_OK;
}

void tl_ranks_give_up(talus_context *context) {
  const talus_transport *const t = tl_ranks_of(context);
  t->fail(t->user, talus_context_message(context));
  context->told = true;
}

talus_status tl_ranks_lost(talus_context *context, int code) {
  tl_fail(context, TALUS_RANKS_FAILED,
          code == TALUS_CALL_ORDER
              ? "ranks made different calls: all ranks must make the same calls of the library, "
                "with the same lengths, in the same order"
              : "another rank has failed or cannot be reached: its message says why");
  context->told = true;
  return TALUS_RANKS_FAILED;
}

/* `bytes` of every rank; *all is to be freed. */
static talus_status gather(talus_context *context, const void *own, size_t bytes, void **all) {
  const talus_transport *const t = tl_ranks_of(context);
  const talus_status status = tl_alloc(context, all, (size_t)t->size, bytes, "messages of ranks");
  if (status != TALUS_OK) {
    tl_ranks_give_up(context);
    return status;
  }
  const int code = t->gather(t->user, own, (int64_t)bytes, *all);
  if (code != 0) {
    tl_free(context, *all);
    return tl_ranks_lost(context, code);
  }
  return TALUS_OK;
}

/* The status of all ranks once some have failed: this rank's own, or what another one tells. */
static talus_status failure_tell(talus_context *context, talus_status status) {
  const talus_transport *const t = tl_ranks_of(context);
  note own = {.status = status}, *all;
  if (status != TALUS_OK) {
    snprintf(own.text, sizeof own.text, "%.*s", NOTE_TEXT - 1, talus_context_message(context));
  }
  talus_status result = status;
  TL_TRY(gather(context, &own, sizeof own, (void **)&all));
  for (int32_t r = 0; r < t->size && result == TALUS_OK; r++) {
    if (all[r].status != TALUS_OK) {
      result = tl_fail(context, TALUS_RANKS_FAILED, "rank %d: %s: %s", r,
                       talus_status_name((talus_status)all[r].status), all[r].text);
    }
  }
  tl_free(context, all);
  context->told = true;
  return result;
}

talus_status tl_ranks_agree_on(talus_context *context, talus_status status, int64_t *number,
                               int32_t count) {
  const talus_transport *const t = tl_ranks_of(context);
  int64_t all[1 + TL_AGREE_MOST] = {status != TALUS_OK};
  if (t == NULL) {
    return status;
  }
  memcpy(all + 1, number, (size_t)count * sizeof *number);
  const int code = t->largest(t->user, all, 1 + count);
  if (code != 0) {
    return status != TALUS_OK ? status : tl_ranks_lost(context, code);
  }
  context->told = all[0] != 0;
  memcpy(number, all + 1, (size_t)count * sizeof *number);
  return all[0] == 0 ? TALUS_OK : failure_tell(context, status);
}

talus_status tl_ranks_agree(talus_context *context, talus_status status) {
  int64_t none = 0;
  return tl_ranks_agree_on(context, status, &none, 0);
}

talus_status tl_ranks_settle(talus_context *context, talus_status status) {
  const bool own =
      status == TALUS_OUT_OF_MEMORY || status == TALUS_DEVICE_ERROR || status == TALUS_INTERNAL;
  if (tl_ranks_of(context) == NULL || tl_ranks_told(context, status)) {
    return status;
  }
  if (own) {
    tl_ranks_give_up(context);
    return status;
  }
  return tl_ranks_agree(context, status);
}

talus_status tl_ranks_same(talus_context *context, const void *memory, size_t bytes,
                           const char *what) {
  const talus_transport *const t = tl_ranks_of(context);
  uint64_t hash = UINT64_C(0xCBF29CE484222325), *all;
  for (size_t i = 0; i < bytes; i++) {
    hash = (hash ^ ((const unsigned char *)memory)[i]) * UINT64_C(0x100000001B3);
  }
  TL_TRY(gather(context, &hash, sizeof hash, (void **)&all));
  int32_t other = 0;
  while (other < t->size && all[other] == all[0]) {
    other++;
  }
  tl_free(context, all);
  if (other == t->size) {
    return TALUS_OK;
  }
  tl_fail(context, TALUS_RANKS_FAILED,
          "rank %d has another %s than rank 0: all ranks must be given the same", other, what);
  context->told = true;
  return TALUS_RANKS_FAILED;
}

talus_status tl_ranks_same_version(talus_context *context) {
  const int32_t version[3] = {TALUS_VERSION_MAJOR, TALUS_VERSION_MINOR, TALUS_VERSION_PATCH};
  return tl_ranks_of(context) == NULL
             ? TALUS_OK
             : tl_ranks_same(context, version, sizeof version, "version of the library");
}

talus_status tl_ranks_largest(talus_context *context, int64_t *value, int32_t count) {
  const talus_transport *const t = tl_ranks_of(context);
  const int code = t->largest(t->user, value, count);
  return code == 0 ? TALUS_OK : tl_ranks_lost(context, code);
}

talus_status tl_ranks_sum(talus_context *context, int64_t *value, int32_t count) {
  const talus_transport *const t = tl_ranks_of(context);
  const int code = t->sum(t->user, value, count);
  return code == 0 ? TALUS_OK : tl_ranks_lost(context, code);
}
