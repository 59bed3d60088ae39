/* spread_agree.c: what is summed up or decided over the contacts of all ranks: with bricks sums are
 * exact, so that neither the order of contacts nor who holds them matters. */
#include <string.h>

#include "host/world/spread_local.h"

int32_t tl_spread_contact_count(const talus_world *world) {
  return world->contacts_local ? (int32_t)world->spread->contact_count : world->contact_count;
}

/* Numbers that are not negative are ordered as their bits are. */
static talus_status largest_find(talus_world *world, double *value, int32_t count) {
  int64_t *const bits = (int64_t *)(void *)value;
  return tl_ranks_largest(world->context, bits, count);
}

talus_status tl_spread_reduce(talus_world *world, const tl_reduction *reduction, double *result) {
  enum { MOST = 16 };
  tl_exact sum[MOST];
  const int32_t sums = reduction->sum_count;
  if (!(world->def.brick_size > 0)) {
    return tl_reduce(world->context, world->contact_count, reduction, &world->sum_memory, result);
  }
  tl_reduce_exact(world->context, world->contact_count, reduction, sum, result + sums);
  if (world->contacts_local) {
    for (int32_t n = 0; n < sums; n++) {
      tl_exact_carry(&sum[n]);
    }
    TL_TRY(tl_ranks_sum(world->context, sum[0].digit, sums * TL_EXACT_DIGITS));
    TL_TRY(largest_find(world, result + sums, reduction->maximum_count));
  }
  for (int32_t n = 0; n < sums; n++) {
    result[n] = tl_exact_round(&sum[n]);
  }
  return TALUS_OK;
}

talus_status tl_spread_flags(talus_world *world, talus_status status, bool *flag[], int32_t count) {
  enum { MOST = 4 };
  int64_t any[MOST];
  if (!world->contacts_local) {
    return status;
  }
  TL_TRY(tl_ranks_agree(world->context, status));
  for (int32_t i = 0; i < count; i++) {
    any[i] = *flag[i];
  }
  TL_TRY(tl_ranks_largest(world->context, any, count));
  for (int32_t i = 0; i < count; i++) {
    *flag[i] = any[i] != 0;
  }
  return TALUS_OK;
}

/* The first of two pairs that are as bad is that of the lower shapes, as on one rank. */
static bool is_worse(const tl_penetration *a, const tl_penetration *b) {
  if (!a->found || !b->found || a->excess != b->excess) {
    return a->found && (!b->found || a->excess > b->excess);
  }
  return a->shape_a < b->shape_a || (a->shape_a == b->shape_a && a->shape_b < b->shape_b);
}

talus_status tl_spread_penetration(talus_world *world, talus_status status, tl_penetration *worst) {
  const talus_transport *const t = tl_ranks_of(world->context);
  if (!world->contacts_local) {
    return status;
  }
  void *memory = NULL;
  if (status == TALUS_OK) {
    status = tl_alloc(world->context, &memory, (size_t)t->size, sizeof *worst, "depths of ranks");
  }
  status = tl_ranks_agree(world->context, status);
  const int code = status == TALUS_OK ? t->gather(t->user, worst, sizeof *worst, memory) : 0;
  status = code == 0 ? status : tl_ranks_lost(world->context, code);
  const tl_penetration *const all = memory;
  for (int32_t r = 0; r < t->size && status == TALUS_OK; r++) {
    *worst = is_worse(&all[r], worst) ? all[r] : *worst;
  }
  tl_free(world->context, memory);
  return status;
}

talus_status tl_spread_margins(talus_world *world, double *margin, int32_t count) {
  return world->contacts_local ? largest_find(world, margin, count) : TALUS_OK;
}
