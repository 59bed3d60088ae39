/* spread_whole.c: all bodies to all ranks, for those who read or change them, and for steps in
 * which bodies reach too far for lists; or those that some rank has marked. */
#include <string.h>

#include "host/world/spread_local.h"

/* Bodies and words of each rank. */
typedef struct gathering {
  int64_t *each;  /* [2 size] bodies, words */
  int64_t *words; /* [size] */
  int64_t body_count, word_count;
  bool marked;
  void *memory;
} gathering;

static talus_status counts_gather(talus_world *world, gathering *g) {
  const talus_transport *const t = tl_ranks_of(world->context);
  const size_t size = (size_t)t->size;
  tl_record_count count;
  TL_TRY(tl_ranks_agree(world->context, tl_alloc(world->context, &g->memory, 3 * size,
                                                 sizeof *g->each, "counts of ranks")));
  g->each = g->memory;
  g->words = g->each + 2 * size;
  tl_body_records_count(world, g->marked, &count);
  const int64_t own[2] = {count.bodies, count.words};
  const int code = t->gather(t->user, own, sizeof own, g->each);
  if (code != 0) {
    return tl_ranks_lost(world->context, code);
  }
  for (size_t r = 0; r < size; r++) {
    g->words[r] = g->each[2 * r + 1];
    g->body_count += g->each[2 * r];
    g->word_count += g->words[r];
  }
  return TALUS_OK;
}

/* Memory for all records, with this rank's in their place. */
static talus_status records_take(talus_world *world, const gathering *g, tl_newcomers *list) {
  TL_TRY(tl_newcomers_reserve(world, g->body_count, g->word_count, list));
  uint64_t *at = list->memory;
  for (int32_t r = 0; r < tl_ranks_of(world->context)->rank; r++) {
    at += g->words[r];
  }
  tl_body_records_pack(world, g->marked, at);
  return TALUS_OK;
}

static talus_status records_share(talus_world *world, gathering *g, tl_newcomers *list) {
  TL_TRY(counts_gather(world, g));
  TL_TRY(tl_ranks_agree(world->context, records_take(world, g, list)));
  TL_TRY(tl_ranks_share_parts(world->context, list->memory, g->words, sizeof *list->memory));
  int64_t first = 0;
  for (int32_t r = 0; r < tl_ranks_of(world->context)->size; r++) {
    tl_newcomers_find(world, first, first + g->words[r], r, list);
    first += g->words[r];
  }
  int64_t come = list->count;
  TL_TRY(tl_ranks_largest(world->context, &come, 1));
  return come > 0 ? tl_bodies_rebuild(world, NULL, list) : TALUS_OK;
}

talus_status tl_bodies_gather(talus_world *world, bool marked) {
  gathering g = {.marked = marked};
  tl_newcomers list = {.count = 0};
  const talus_status status = records_share(world, &g, &list);
  tl_free(world->context, g.memory);
  tl_buffer_release(world->context, &list.buffer);
  return status;
}
