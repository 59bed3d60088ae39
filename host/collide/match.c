/* match.c: two lists of contact keys walked side by side, shape pair by shape pair. */
#include "host/collide/match.h"

#include <string.h>

#include "host/collide/broad_grid.h"

/* Keys in order, and where each stood; place is NULL where the list came in order. */
typedef struct key_list {
  tl_buffer key_buffer, place_buffer;
  const tl_match_key *key;
  const uint64_t *place; /* the low half is the index */
  int64_t count;
} key_list;

struct tl_match {
  talus_context *context;
  key_list old, now;
  tl_buffer word_buffer, lane_buffer;
};

talus_status tl_match_create(talus_context *context, tl_match **match) {
  TL_TRY(tl_alloc(context, (void **)match, 1, sizeof **match, "contact matching"));
  memset(*match, 0, sizeof **match);
  (*match)->context = context;
  return TALUS_OK;
}

void tl_match_destroy(tl_match *match) {
  if (match == NULL) {
    return;
  }
  tl_buffer *const buffers[] = {&match->old.key_buffer, &match->old.place_buffer,
                                &match->now.key_buffer, &match->now.place_buffer,
                                &match->word_buffer,    &match->lane_buffer};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    tl_buffer_release(match->context, buffers[i]);
  }
  tl_free(match->context, match);
}

static talus_status reserve(tl_match *match, tl_buffer *buffer, int64_t count, size_t size) {
  if (buffer->memory != NULL && tl_size_product((size_t)count, size) <= buffer->capacity) {
    return TALUS_OK;
  }
  return tl_buffer_reserve(match->context, buffer, (size_t)(count + count / 8), size,
                           "contact keys");
}

/* ---- order ----------------------------------------------------------------------------------- */

static int compare_pairs(const tl_match_key *a, const tl_match_key *b) {
  if (a->shape_a != b->shape_a) {
    return a->shape_a < b->shape_a ? -1 : 1;
  }
  return a->shape_b < b->shape_b ? -1 : a->shape_b > b->shape_b;
}

static int compare(const tl_match_key *a, const tl_match_key *b) {
  const int pairs = compare_pairs(a, b);
  return pairs != 0 ? pairs : a->feature < b->feature ? -1 : a->feature > b->feature;
}

static bool in_order(const tl_match_key *key, int64_t count) {
  for (int64_t i = 1; i < count; i++) {
    if (compare(&key[i - 1], &key[i]) > 0) {
      return false;
    }
  }
  return true;
}

/* Part 0 is the feature, 1 shape b, 2 shape a, as numbers without sign in the same order. */
static uint32_t key_part(const tl_match_key *key, int part) {
  return part == 0   ? key->feature
         : part == 1 ? (uint32_t)key->shape_b ^ 0x80000000U
                     : (uint32_t)key->shape_a ^ 0x80000000U;
}

static talus_status sort_keys(tl_match *match, key_list *list, const tl_match_key *key) {
  const int64_t n = list->count;
  TL_TRY(reserve(match, &list->place_buffer, n, sizeof(uint64_t)));
  TL_TRY(reserve(match, &match->word_buffer, n, sizeof(uint64_t)));
  TL_TRY(reserve(match, &match->lane_buffer, 1, sizeof(tl_lane)));
  uint64_t *const home = list->place_buffer.memory, *const away = match->word_buffer.memory;
  uint64_t *word = home;
  for (int64_t i = 0; i < n; i++) {
    word[i] = (uint64_t)i;
  }
  for (int part = 0; part < 3; part++) {
    for (int64_t i = 0; i < n; i++) {
      const uint64_t index = (uint32_t)word[i];
      word[i] = (uint64_t)key_part(&key[index], part) << 32 | index;
    }
    word = tl_sort_words(match->context, word, word == home ? away : home, n, 32,
                         match->lane_buffer.memory, 1);
  }
  if (word != home) {
    memcpy(home, word, (size_t)n * sizeof *word);
  }
  tl_match_key *const sorted = list->key_buffer.memory;
  for (int64_t i = 0; i < n; i++) {
    sorted[i] = key[(uint32_t)home[i]];
  }
  list->place = home;
  return TALUS_OK;
}

/* copy: the keys have to outlive the call. */
static talus_status fill(tl_match *match, key_list *list, const tl_match_key *key, int64_t count,
                         int copy) {
  list->count = 0;
  if (count < 0 || count > INT32_MAX) {
    return tl_fail(match->context, TALUS_SIZE_OVERFLOW, "contact matching: %lld contacts",
                   (long long)count);
  }
  const bool sorted = in_order(key, count);
  list->place = NULL;
  list->key = key;
  if (copy || !sorted) {
    TL_TRY(reserve(match, &list->key_buffer, count, sizeof *key));
    list->key = list->key_buffer.memory;
  }
  list->count = count;
  if (!sorted) {
    const talus_status status = sort_keys(match, list, key);
    list->count = status == TALUS_OK ? count : 0;
    return status;
  }
  if (copy && count > 0) {
    memcpy(list->key_buffer.memory, key, (size_t)count * sizeof *key);
  }
  return TALUS_OK;
}

/* ---- matching -------------------------------------------------------------------------------- */

static int32_t place_of(const key_list *list, int64_t i) {
  return list->place != NULL ? (int32_t)(uint32_t)list->place[i] : (int32_t)i;
}

static int64_t pair_end(const key_list *list, int64_t begin) {
  int64_t end = begin + 1;
  while (end < list->count && compare_pairs(&list->key[begin], &list->key[end]) == 0) {
    end++;
  }
  return end;
}

/* The points of one pair of shapes in one list, walked beside those in the other. */
typedef struct walk {
  const key_list *own, *other;
  int64_t at, end, other_at, other_end;
} walk;

/* The next point without an equal one on the other side, or -1. Equal ones are noted on the way,
 * in old_index, unless that is NULL. */
static int64_t next_alone(walk *w, int32_t *old_index) {
  while (w->at < w->end) {
    const tl_match_key *const key = &w->own->key[w->at];
    while (w->other_at < w->other_end && compare(&w->other->key[w->other_at], key) < 0) {
      w->other_at++;
    }
    if (w->other_at == w->other_end || compare(&w->other->key[w->other_at], key) != 0) {
      return w->at++;
    }
    if (old_index != NULL) {
      old_index[place_of(w->own, w->at)] = place_of(w->other, w->other_at);
    }
    w->at++;
    w->other_at++;
  }
  return -1;
}

static void match_pair(const key_list *now, int64_t i, int64_t i_end, const key_list *old,
                       int64_t j, int64_t j_end, int32_t *old_index) {
  const walk new_walk = {now, old, i, i_end, j, j_end}, old_walk = {old, now, j, j_end, i, i_end};
  walk p = new_walk, q = old_walk;
  int64_t surplus = 0;
  while (next_alone(&p, old_index) >= 0) {
    surplus++;
  }
  while (next_alone(&q, NULL) >= 0) {
    surplus--;
  }
  if (surplus != 0) {
    return;
  }
  p = new_walk;
  q = old_walk;
  for (;;) {
    const int64_t new_one = next_alone(&p, NULL), old_one = next_alone(&q, NULL);
    if (new_one < 0 || old_one < 0) {
      return;
    }
    old_index[place_of(now, new_one)] = place_of(old, old_one);
  }
}

/* Whether the keys are those that were stored, in the same order: the rule in a world at rest. */
static bool as_before(const tl_match *match, const tl_match_key *key, int64_t count) {
  const key_list *const old = &match->old;
  return count == old->count && old->place == NULL &&
         (count == 0 || memcmp(key, old->key, (size_t)count * sizeof *key) == 0);
}

talus_status tl_match_find(tl_match *match, const tl_match_key *keys, int64_t count,
                           int32_t *old_index) {
  if (as_before(match, keys, count)) {
    for (int64_t i = 0; i < count; i++) {
      old_index[i] = (int32_t)i;
    }
    return TALUS_OK;
  }
  TL_TRY(fill(match, &match->now, keys, count, 0));
  const key_list *const now = &match->now, *const old = &match->old;
  for (int64_t i = 0; i < count; i++) {
    old_index[i] = -1;
  }
  int64_t i = 0, j = 0;
  while (i < now->count && j < old->count) {
    const int order = compare_pairs(&now->key[i], &old->key[j]);
    if (order < 0) {
      i++;
    } else if (order > 0) {
      j++;
    } else {
      const int64_t i_end = pair_end(now, i), j_end = pair_end(old, j);
      match_pair(now, i, i_end, old, j, j_end, old_index);
      i = i_end;
      j = j_end;
    }
  }
  return TALUS_OK;
}

talus_status tl_match_store(tl_match *match, const tl_match_key *keys, int64_t count) {
  if (as_before(match, keys, count)) {
    return TALUS_OK;
  }
  return fill(match, &match->old, keys, count, 1);
}
