/* test_match.c: contact matching against a plain search, on sorted and shuffled lists. */
#include "host/collide/match.h"

#include <string.h>

#include "tests/check.h"

static talus_context *context;

static uint64_t bits(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15U;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return z ^ z >> 31;
}

static int same_pair(const tl_match_key *a, const tl_match_key *b) {
  return a->shape_a == b->shape_a && a->shape_b == b->shape_b;
}

static int order(const void *p, const void *q) {
  const tl_match_key *const a = p, *const b = q;
  if (!same_pair(a, b)) {
    return a->shape_a != b->shape_a ? (a->shape_a < b->shape_a ? -1 : 1)
                                    : (a->shape_b < b->shape_b ? -1 : 1);
  }
  return a->feature < b->feature ? -1 : a->feature > b->feature;
}

static void find(tl_match *match, const tl_match_key *old, int64_t old_count,
                 const tl_match_key *now, int64_t count, int32_t *index) {
  CHECK(tl_match_store(match, old, old_count) == TALUS_OK);
  CHECK(tl_match_find(match, now, count, index) == TALUS_OK);
}

static void test_cases(tl_match *match) {
  const tl_match_key old[] = {{0, 1, 0}, {0, 2, 5}, {0, 2, 7}, {3, 4, 1}, {3, 4, 2},
                              {3, 4, 3}, {5, 6, 9}, {7, 8, 4}, {7, 8, 4}};
  const tl_match_key now[] = {
      {0, 1, 0xffffffff},                        /* one point, new feature: still the same load */
      {0, 2, 7},                                 /* one of two is gone */
      {0, 3, 5},                                 /* new pair */
      {3, 4, 0},          {3, 4, 2},  {3, 4, 8}, /* 1 and 3 left, 0 and 8 come instead */
      {5, 6, 8},          {5, 6, 10},            /* one became two others: unknown */
      {7, 8, 4},          {7, 8, 4},  {7, 8, 4}  /* twice the same name, then thrice */
  };
  const int32_t expected[] = {0, 2, -1, 3, 4, 5, -1, -1, 7, 8, -1};
  int32_t index[11];
  find(match, old, 9, now, 11, index);
  for (int i = 0; i < 11; i++) {
    CHECK_CASE(index[i] == expected[i], "contact %d got %d", i, (int)index[i]);
  }
  find(match, old, 9, old, 9, index);
  for (int i = 0; i < 9; i++) {
    CHECK(index[i] == i);
  }
  find(match, NULL, 0, now, 11, index);
  for (int i = 0; i < 11; i++) {
    CHECK(index[i] == -1);
  }
  find(match, old, 9, NULL, 0, index);
  CHECK(tl_match_find(match, now, -1, index) == TALUS_SIZE_OVERFLOW);
  CHECK(tl_match_store(match, now, -1) == TALUS_SIZE_OVERFLOW);
  CHECK(tl_match_find(match, now, 11, index) == TALUS_OK && index[1] == -1);
}

static int64_t random_keys(tl_match_key *key, uint64_t *state, int64_t limit) {
  int64_t count = 0;
  while (count < limit) {
    const int32_t a = (int32_t)(bits(state) % 200) - 3, b = a + 1 + (int32_t)(bits(state) % 8);
    key[count++] = (tl_match_key){a, b, (uint32_t)(bits(state) % 6) * 0x2aaaaaaaU};
  }
  qsort(key, (size_t)count, sizeof *key, order);
  int64_t kept = 0; /* names once each */
  for (int64_t i = 0; i < count; i++) {
    if (kept == 0 || order(&key[kept - 1], &key[i]) != 0) {
      key[kept++] = key[i];
    }
  }
  return kept;
}

/* What the header promises, point by point. */
static int32_t plain(const tl_match_key *old, int64_t old_count, const tl_match_key *now,
                     int64_t count, int64_t i) {
  int64_t rank = 0, new_alone = 0, old_alone = 0;
  int32_t found = -1;
  for (int64_t j = 0; j < old_count; j++) {
    if (order(&old[j], &now[i]) == 0) {
      return (int32_t)j;
    }
  }
  for (int64_t k = 0; k < count; k++) {
    int partner = !same_pair(&now[k], &now[i]);
    for (int64_t j = 0; j < old_count && !partner; j++) {
      partner = order(&old[j], &now[k]) == 0;
    }
    new_alone += !partner;
    rank += !partner && k < i;
  }
  for (int64_t j = 0; j < old_count; j++) {
    int partner = !same_pair(&old[j], &now[i]);
    for (int64_t k = 0; k < count && !partner; k++) {
      partner = order(&old[j], &now[k]) == 0;
    }
    found = !partner && old_alone == rank ? (int32_t)j : found;
    old_alone += !partner;
  }
  return new_alone == old_alone ? found : -1;
}

static void shuffle(tl_match_key *key, int32_t *place, int64_t count, uint64_t *state) {
  for (int64_t i = 0; i < count; i++) {
    place[i] = (int32_t)i;
  }
  for (int64_t i = count - 1; i > 0; i--) {
    const int64_t k = (int64_t)(bits(state) % (uint64_t)(i + 1));
    const tl_match_key other = key[i];
    key[i] = key[k];
    key[k] = other;
    const int32_t number = place[i];
    place[i] = place[k];
    place[k] = number;
  }
}

enum { LIMIT = 600 };

static void test_random(tl_match *match) {
  static tl_match_key old[LIMIT], now[LIMIT];
  static int32_t expected[LIMIT], index[LIMIT], old_place[LIMIT], new_place[LIMIT];
  uint64_t state = 1;
  int64_t rests = 0;
  for (int round = 0; round < 8; round++) {
    const int64_t old_count = random_keys(old, &state, LIMIT - 50 * round),
                  count = random_keys(now, &state, LIMIT);
    for (int64_t i = 0; i < count; i++) {
      expected[i] = plain(old, old_count, now, count, i);
      rests += expected[i] >= 0 && order(&old[expected[i]], &now[i]) != 0;
    }
    find(match, old, old_count, now, count, index);
    CHECK(memcmp(index, expected, (size_t)count * sizeof *index) == 0);
    shuffle(old, old_place, old_count, &state);
    shuffle(now, new_place, count, &state);
    find(match, old, old_count, now, count, index);
    int wrong = 0;
    for (int64_t i = 0; i < count; i++) {
      const int32_t sorted = index[i] < 0 ? -1 : old_place[index[i]];
      wrong += sorted != expected[new_place[i]];
    }
    CHECK_CASE(wrong == 0, "round %d: %d of %d", round, wrong, (int)count);
  }
  CHECK(rests > 20); /* the second rule was at work */
}

static void test_memory(tl_match *match) {
  const int64_t count = 100000;
  tl_match_key *const key = malloc((size_t)count * sizeof *key);
  int32_t *const index = malloc((size_t)count * sizeof *index);
  for (int64_t i = 0; i < count; i++) {
    key[i] = (tl_match_key){(int32_t)(i / 8), (int32_t)(i / 4 + 1), (uint32_t)(i % 4)};
  }
  find(match, key, count, key, count, index);
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; i++) {
    wrong += index[i] != i;
  }
  CHECK(wrong == 0);
  const int64_t bytes = context->bytes;
  find(match, key, count, key, count, index);
  CHECK(context->bytes == bytes);
  free(key);
  free(index);
}

int main(void) {
  tl_match *match = NULL;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  CHECK(tl_match_create(context, &match) == TALUS_OK);
  test_cases(match);
  test_random(match);
  test_memory(match);
  tl_match_destroy(match);
  tl_match_destroy(NULL);
  CHECK(context->bytes == 0);
  talus_context_destroy(context);
  return check_end();
}
