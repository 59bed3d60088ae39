/* share.c: arrays of which each rank has found a part, and all need the whole. */
#include "host/ranks/agree.h"

/* first: [size + 1] bytes of the ranks before each. */
static talus_status parts_exchange(talus_context *context, char *array, const int64_t *first,
                                   talus_message *message) {
  const talus_transport *const t = tl_ranks_of(context);
  talus_message *const receive = message + t->size;
  const int64_t own = first[t->rank + 1] - first[t->rank];
  int32_t sends = 0, receives = 0;
  for (int32_t r = 0; r < t->size; r++) {
    const int64_t length = first[r + 1] - first[r];
    if (r != t->rank && length > 0) {
      receive[receives++] = (talus_message){.rank = r, .memory = array + first[r], .bytes = length};
    }
    if (r != t->rank && own > 0) {
      message[sends++] = (talus_message){.rank = r, .memory = array + first[t->rank], .bytes = own};
    }
  }
  const int code = t->exchange(t->user, sends, message, receives, receive);
  return code == 0 ? TALUS_OK : tl_ranks_lost(context, code);
}

talus_status tl_ranks_share_parts(talus_context *context, void *array, const int64_t *own,
                                  size_t bytes) {
  const talus_transport *const t = tl_ranks_of(context);
  const size_t size = (size_t)t->size;
  void *memory;
  const talus_status status =
      tl_alloc(context, &memory, 1, 2 * size * sizeof(talus_message) + (size + 1) * sizeof(int64_t),
               "messages of ranks");
  if (status != TALUS_OK) {
    tl_ranks_give_up(context);
    return status;
  }
  talus_message *const message = memory;
  int64_t *const first = (int64_t *)(message + 2 * size);
  first[0] = 0;
  for (size_t r = 0; r < size; r++) {
    first[r + 1] = first[r] + own[r] * (int64_t)bytes;
  }
  const talus_status shared = parts_exchange(context, array, first, message);
  tl_free(context, memory);
  return shared;
}

talus_status tl_ranks_share(talus_context *context, void *array, int64_t count, size_t bytes) {
  const talus_transport *const t = tl_ranks_of(context);
  void *memory;
  const talus_status status =
      tl_alloc(context, &memory, (size_t)t->size, sizeof(int64_t), "messages of ranks");
  if (status != TALUS_OK) {
    tl_ranks_give_up(context);
    return status;
  }
  int64_t *const own = memory;
  for (int32_t r = 0; r < t->size; r++) {
    own[r] = tl_ranks_first_of(t, r + 1, count) - tl_ranks_first_of(t, r, count);
  }
  const talus_status shared = tl_ranks_share_parts(context, array, own, bytes);
  tl_free(context, memory);
  return shared;
}
