/* spread_agree.c: what is summed up, decided or collected over the contacts of all ranks: with
 * bricks sums are exact, so that neither the order of contacts nor who holds them matters. */
#include <assert.h>
#include <string.h>

#include "host/world/spread_local.h"

int32_t tl_spread_contact_count(const talus_world *world) {
  return world->contacts_local ? (int32_t)world->spread->contact_count : world->contact_count;
}

bool tl_spread_uneven(const talus_world *world) {
  return world->bodies_local && world->spread->uneven;
}

/* Numbers that are not negative are ordered as their bits are. */
static talus_status largest_find(talus_world *world, double *value, int32_t count) {
  int64_t *const bits = (int64_t *)(void *)value;
  return tl_ranks_largest(world->context, bits, count);
}

/* Exact sums and maxima over so many things of this rank's; shared: other ranks have others. */
static talus_status exact_reduce(talus_world *world, int64_t count, const tl_reduction *reduction,
                                 bool shared, double *result) {
  enum { MOST = 16 };
  tl_exact sum[MOST];
  const int32_t sums = reduction->sum_count;
  assert(sums <= MOST);
  tl_reduce_exact(world->context, count, reduction, sum, result + sums);
  if (shared) {
    for (int32_t n = 0; n < sums; n++) {
      tl_exact_carry(&sum[n]);
    }
    TL_TRY(tl_ranks_sum(world->context, sum[0].digit, sums * TL_EXACT_DIGITS));
    if (reduction->maximum_count > 0) {
      TL_TRY(largest_find(world, result + sums, reduction->maximum_count));
    }
  }
  for (int32_t n = 0; n < sums; n++) {
    result[n] = tl_exact_round(&sum[n]);
  }
  return TALUS_OK;
}

talus_status tl_spread_reduce(talus_world *world, const tl_reduction *reduction, double *result) {
  return world->def.brick_size > 0
             ? exact_reduce(world, world->contact_count, reduction, world->contacts_local, result)
             : tl_reduce(world->context, world->contact_count, reduction, &world->sum_memory,
                         result);
}

/* Bodies that this rank answers for, among those that it has. */
typedef struct own_task {
  const talus_world *world;
  const tl_reduction *reduction;
} own_task;

static void own_chunk(void *arguments, int64_t first, int32_t count,
                      double (*leaf)[TL_REDUCE_CHUNK]) {
  const own_task *const t = arguments;
  const tl_world_spread *const spread = t->world->spread;
  const int32_t values = t->reduction->sum_count + t->reduction->maximum_count;
  t->reduction->function(t->reduction->arguments, first, count, leaf);
  for (int32_t i = 0; i < count; i++) {
    const bool own = spread->holder[first + i] == spread->owners.rank;
    for (int32_t n = 0; n < values && !own; n++) {
      leaf[n][i] = 0;
    }
  }
}

talus_status tl_spread_reduce_bodies(talus_world *world, const tl_reduction *reduction,
                                     double *result) {
  own_task task = {world, reduction};
  const tl_reduction own = {own_chunk, &task, reduction->sum_count, reduction->maximum_count};
  return world->def.brick_size > 0
             ? exact_reduce(world, world->body_count, world->bodies_local ? &own : reduction,
                            world->bodies_local, result)
             : tl_reduce(world->context, world->body_count, reduction, &world->sum_memory, result);
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

talus_status tl_spread_collect(talus_world *world, talus_status status, size_t bytes,
                               tl_buffer *memory, int64_t *count) {
  talus_context *const context = world->context;
  const talus_transport *const t = tl_ranks_of(context);
  int64_t *each = NULL, before = 0, all = 0;
  if (!world->contacts_local) {
    return status;
  }
  tl_buffer whole = {.memory = NULL};
  if (status == TALUS_OK) {
    status = tl_alloc(context, (void **)&each, (size_t)t->size, sizeof *each, "counts of ranks");
  }
  status = tl_ranks_agree(context, status);
  const int code = status == TALUS_OK ? t->gather(t->user, count, sizeof *count, each) : 0;
  status = code == 0 ? status : tl_ranks_lost(context, code);
  for (int32_t r = 0; r < t->size && status == TALUS_OK; r++) {
    before += r < t->rank ? each[r] : 0;
    all += each[r];
  }
  if (status == TALUS_OK) {
    status = tl_ranks_agree(
        context, tl_buffer_reserve(context, &whole, (size_t)all, bytes, "things of all ranks"));
  }
  if (status == TALUS_OK && *count > 0) {
    memcpy((char *)whole.memory + before * (int64_t)bytes, memory->memory, (size_t)*count * bytes);
  }
  if (status == TALUS_OK) {
    status = tl_ranks_share_parts(context, whole.memory, each, bytes);
  }
  tl_free(context, each);
  if (status != TALUS_OK) {
    tl_buffer_release(context, &whole);
    return status;
  }
  tl_buffer_release(context, memory);
  *memory = whole;
  *count = all;
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

/* ---- margins that are raised ----------------------------------------------------------------- */

/* This rank's in their place among those of all ranks. */
static talus_status raised_take(talus_world *world, const double *margin, const int64_t *count) {
  const talus_transport *const t = tl_ranks_of(world->context);
  tl_world_spread *const spread = world->spread;
  int64_t first = 0;
  spread->raised_count = 0;
  for (int32_t r = 0; r < t->size; r++) {
    first += r < t->rank ? count[r] : 0;
    spread->raised_count += count[r];
  }
  TL_TRY(tl_buffer_reserve(world->context, &spread->raised_memory, (size_t)spread->raised_count,
                           sizeof *spread->raised, "margins of ranks"));
  spread->raised = spread->raised_memory.memory;
  for (int32_t i = 0; i < world->shape_count; i++) {
    if (margin[i] > 0) {
      spread->raised[first++] = (tl_raised){world->shape[i].id, margin[i]};
    }
  }
  return TALUS_OK;
}

static talus_status raised_share(talus_world *world, const double *margin, int64_t *count) {
  const talus_transport *const t = tl_ranks_of(world->context);
  int64_t own = 0;
  for (int32_t i = 0; i < world->shape_count; i++) {
    own += margin[i] > 0;
  }
  const int code = t->gather(t->user, &own, sizeof own, count);
  if (code != 0) {
    return tl_ranks_lost(world->context, code);
  }
  TL_TRY(tl_ranks_agree(world->context, raised_take(world, margin, count)));
  return tl_ranks_share_parts(world->context, world->spread->raised, count,
                              sizeof *world->spread->raised);
}

talus_status tl_spread_margins_fill(talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  TL_TRY(tl_buffer_reserve(world->context, &world->least_margins, (size_t)world->shape_count,
                           sizeof(double), "margins of colliders"));
  double *const margin = world->least_margins.memory;
  memset(margin, 0, (size_t)world->shape_count * sizeof *margin);
  for (int64_t i = 0; i < spread->raised_count; i++) {
    const int32_t slot = tl_shape_slot_of(world, (int32_t)spread->raised[i].shape);
    if (slot >= 0 && spread->raised[i].margin > margin[slot]) {
      margin[slot] = spread->raised[i].margin;
    }
  }
  return TALUS_OK;
}

/* Of shapes that are not on all ranks. */
static talus_status raised_agree(talus_world *world, const double *margin) {
  void *count = NULL;
  TL_TRY(tl_ranks_agree(world->context,
                        tl_alloc(world->context, &count, (size_t)world->spread->owners.size,
                                 sizeof(int64_t), "counts of ranks")));
  const talus_status status = raised_share(world, margin, count);
  tl_free(world->context, count);
  TL_TRY(status);
  return tl_ranks_agree(world->context, tl_spread_margins_fill(world));
}

talus_status tl_spread_margins(talus_world *world, double *margin, int32_t count) {
  return world->bodies_local     ? raised_agree(world, margin)
         : world->contacts_local ? largest_find(world, margin, count)
                                 : TALUS_OK;
}
