/* lists.c: who sends what to whom: from keys of (list, rank, place), in any order and some of them
 * several times, to lists of places, rank by rank. Both sides have the same order, since places
 * stand in the order of ids on every rank. */
#include <string.h>

#include "host/math/radix.h"
#include "host/ranks/ranks.h"

enum { PLACE_BITS = 31, RANK_BITS = 16 };

/* Each once. */
static int64_t keys_sort(uint64_t *key, int64_t count, uint64_t *other) {
  int32_t *const unused = (int32_t *)(other + count);
  int64_t kept = 0;
  memset(unused, 0, 2 * (size_t)count * sizeof *unused);
  tl_radix_sort(key, unused, other, unused + count, count);
  for (int64_t i = 0; i < count; i++) {
    if (i == 0 || key[i] != key[i - 1]) {
      key[kept++] = key[i];
    }
  }
  return kept;
}

/* The places of one list from key *at on; returns how many. */
static int32_t list_fill(const uint64_t *key, int64_t count, int64_t *at, int32_t list,
                         int32_t size, int32_t *first, int32_t *place) {
  const int64_t begin = *at;
  for (int32_t r = 0; r < size; r++) {
    first[r] = (int32_t)(*at - begin);
    const uint64_t head = (uint64_t)list << RANK_BITS | (uint64_t)r;
    while (*at < count && key[*at] >> PLACE_BITS == head) {
      place[*at - begin] = (int32_t)(key[*at] & (((uint64_t)1 << PLACE_BITS) - 1));
      ++*at;
    }
  }
  first[size] = (int32_t)(*at - begin);
  return first[size];
}

talus_status tl_lists_make(talus_context *context, int32_t size, int32_t lists, uint64_t *key[2],
                           int64_t count[2], tl_buffer *scratch, tl_buffer *memory,
                           tl_halo_list *list) {
  const int64_t most = count[0] > count[1] ? count[0] : count[1];
  TL_TRY(tl_buffer_reserve(context, scratch, 2 * (size_t)most, sizeof(uint64_t),
                           "what ranks exchange"));
  for (int side = 0; side < 2; side++) {
    count[side] = keys_sort(key[side], count[side], scratch->memory);
  }
  const size_t firsts = 2 * (size_t)lists * ((size_t)size + 1);
  TL_TRY(tl_buffer_reserve(context, memory, firsts + (size_t)(count[0] + count[1]), sizeof(int32_t),
                           "what ranks exchange"));
  int32_t *at = memory->memory;
  int64_t used[2] = {0, 0};
  for (int32_t i = 0; i < lists; i++) {
    for (int side = 0; side < 2; side++) {
      int32_t *const first = at, *const place = at + size + 1;
      at = place + list_fill(key[side], count[side], &used[side], i, size, first, place);
      *(side ? &list[i].receive_first : &list[i].send_first) = first;
      *(side ? &list[i].receive : &list[i].send) = place;
    }
  }
  return TALUS_OK;
}
