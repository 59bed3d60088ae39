/* owners.c: which rank has which bricks: runs along Morton's curve of about the same weight.
 *
 * Results do not depend on the cut, so that it may be kept while it is good enough. No rank knows
 * all bodies: the places of the cuts are found digit by digit, each rank telling how much of its
 * own lies before the places in question. */
#include <string.h>

#include "host/math/radix.h"
#include "host/ranks/ranks.h"

enum { DIGIT = 4, PROBES = (1 << DIGIT) - 1, CURVE_BITS = 3 * TL_BRICK_BITS };

int32_t tl_owner_of_brick(const tl_owners *owners, tl_brick brick) {
  const uint64_t curve = tl_brick_curve(brick);
  int32_t low = 0, high = owners->size - 1;
  while (low < high) {
    const int32_t middle = (low + high + 1) / 2;
    if (owners->first[middle] <= curve) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/* What the bodies of each rank's bricks are worth. */
static talus_status loads_sum(talus_context *context, const tl_owners *owners,
                              const tl_brick *brick, const int64_t *weight, int32_t count,
                              int64_t *load) {
  memset(load, 0, (size_t)owners->size * sizeof *load);
  for (int32_t i = 0; i < count; i++) {
    load[tl_owner_of_brick(owners, brick[i])] += weight[i];
  }
  return tl_ranks_sum(context, load, owners->size);
}

/* Whether no rank has a tenth more than its share. */
static bool is_balanced(const int64_t *load, int32_t size) {
  int64_t all = 0, most = 0;
  for (int32_t r = 0; r < size; r++) {
    all += load[r];
    most = load[r] > most ? load[r] : most;
  }
  return 10 * most * size <= 11 * all;
}

/* Says it, once, when ranks have nothing to do. */
static void idle_tell(talus_context *context, const int64_t *load, tl_owners *owners) {
  int32_t idle = 0;
  for (int32_t r = 0; r < owners->size; r++) {
    idle += load[r] == 0;
  }
  if (idle > 0 && idle != owners->idle && owners->rank == 0) {
    tl_log(context, TALUS_LOG_WARNING,
           "%d of %d ranks have no bricks and are idle: use fewer ranks, or smaller bricks than %g",
           idle, owners->size, owners->brick_size);
  }
  owners->idle = idle;
}

/* Own bodies along the curve: places, and the weight of those before. */
typedef struct sorted {
  uint64_t *curve;
  int64_t *before; /* [count + 1] */
  int32_t count;
} sorted;

static talus_status curve_sort(talus_context *context, const tl_brick *brick, const int64_t *weight,
                               int32_t count, tl_owners *owners, sorted *s) {
  const size_t n = (size_t)count;
  TL_TRY(tl_buffer_reserve(context, &owners->scratch, 4 * n + 1, sizeof(int64_t),
                           "bodies along the curve"));
  s->curve = owners->scratch.memory;
  s->before = (int64_t *)(s->curve + n);
  s->count = count;
  int32_t *const body = (int32_t *)(s->before + n + 1);
  for (int32_t i = 0; i < count; i++) {
    s->curve[i] = tl_brick_curve(brick[i]);
    body[i] = i;
  }
  tl_radix_sort(s->curve, body, (uint64_t *)s->before, body + n, count);
  s->before[0] = 0;
  for (int32_t i = 0; i < count; i++) {
    s->before[i + 1] = s->before[i] + weight[body[i]];
  }
  return TALUS_OK;
}

/* The weight before a place of the curve. */
static int64_t weight_before(const sorted *s, uint64_t curve) {
  int32_t low = 0, high = s->count;
  while (low < high) {
    const int32_t middle = (low + high) / 2;
    if (s->curve[middle] < curve) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return s->before[low];
}

/* What the ranks before one have to get, as a part of share_before of `size`. */
static int64_t share_before(const tl_owners *owners, int32_t rank) {
  int64_t share = 0;
  for (int32_t r = 0; r < rank; r++) {
    share += owners->uneven == 0 ? 1 : 1 + (r + 2 * owners->uneven) % 5;
  }
  return share;
}

/* first[r]: the largest place before which there is less than the share of the ranks before r. */
static talus_status cuts_find(talus_context *context, const sorted *s, int64_t *probe,
                              tl_owners *owners) {
  const int32_t cuts = owners->size - 1;
  const int64_t whole = share_before(owners, owners->size);
  int64_t all = s->before[s->count];
  TL_TRY(tl_ranks_sum(context, &all, 1));
  memset(owners->first, 0, (size_t)owners->size * sizeof *owners->first);
  for (int shift = CURVE_BITS - DIGIT; shift >= 0 && cuts > 0; shift -= DIGIT) {
    for (int32_t i = 0; i < cuts * PROBES; i++) {
      const uint64_t digit = (uint64_t)(i % PROBES + 1);
      probe[i] = weight_before(s, owners->first[i / PROBES + 1] + (digit << shift));
    }
    TL_TRY(tl_ranks_sum(context, probe, cuts * PROBES));
    for (int32_t cut = 0; cut < cuts; cut++) {
      const int64_t share = share_before(owners, cut + 1);
      uint64_t digit = 0;
      while (digit < PROBES && probe[cut * PROBES + (int32_t)digit] * whole < all * share) {
        digit++;
      }
      owners->first[cut + 1] += digit << shift;
    }
  }
  for (int32_t cut = 1; cut <= cuts; cut++) {
    owners->first[cut]++; /* the first place that is not */
  }
  return TALUS_OK;
}

static talus_status owners_reserve(talus_context *context, tl_owners *owners, int64_t **load) {
  const talus_transport *const t = tl_ranks_of(context);
  const size_t size = (size_t)t->size;
  const bool same = owners->valid && owners->size == t->size;
  TL_TRY(tl_buffer_reserve(context, &owners->memory, size + size * PROBES, sizeof(int64_t),
                           "owners of bricks"));
  owners->valid = same;
  owners->rank = t->rank;
  owners->size = t->size;
  owners->first = owners->memory.memory;
  *load = (int64_t *)(owners->first + size);
  return TALUS_OK;
}

talus_status tl_owners_cut(talus_context *context, double brick_size, const tl_brick *brick,
                           const int64_t *weight, int32_t count, tl_owners *owners) {
  int64_t *load = NULL;
  sorted s = {.count = 0};
  TL_TRY(tl_ranks_agree(context, owners_reserve(context, owners, &load)));
  if (owners->valid && owners->brick_size == brick_size) {
    TL_TRY(loads_sum(context, owners, brick, weight, count, load));
    if (is_balanced(load, owners->size) && owners->uneven == 0) {
      return TALUS_OK;
    }
  }
  owners->valid = false;
  TL_TRY(tl_ranks_agree(context, curve_sort(context, brick, weight, count, owners, &s)));
  TL_TRY(cuts_find(context, &s, load, owners));
  TL_TRY(loads_sum(context, owners, brick, weight, count, load));
  owners->brick_size = brick_size;
  owners->valid = true;
  idle_tell(context, load, owners);
  return TALUS_OK;
}

void tl_owners_release(talus_context *context, tl_owners *owners) {
  tl_buffer_release(context, &owners->memory);
  tl_buffer_release(context, &owners->scratch);
}
