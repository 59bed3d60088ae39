/* numbers.c: the place that a constraint has in the order of one rank alone, which power iterations
 * begin from. Ranks have runs of the curve, so that in each phase, and in an order without phases,
 * what is a rank's own stands behind what is owned by ranks before it. */
#include <string.h>

#include "host/ranks/ranks.h"

enum { SORTS = 4 }; /* without phases: contacts and rows, near and far */

/* Phases, or those. */
typedef struct runs {
  const tl_part *part;
  const tl_assembly *assembly;
  int32_t count;
} runs;

static int32_t group_first(const tl_system *s, int32_t group) {
  return s->shape.group_count > 0 ? s->group_chunk[group] : group;
}

/* The run of `place`; `run` is that of the place before. */
static int32_t run_of(const runs *r, int32_t place, int32_t run) {
  const tl_system *const s = &r->assembly->system;
  if (s->colour_group == NULL) {
    const int32_t k = s->order[place], *const number = r->assembly->kept.number;
    const talus_problem *const p = &r->part->problem;
    const int32_t row = k - p->contact_count;
    const int32_t a = row < 0 ? p->rigid.body_a[k] : p->rigid.row_body_a[row];
    const int32_t b = row < 0 ? p->rigid.body_b[k] : p->rigid.row_body_b[row];
    const bool both = a >= 0 && b >= 0 && number[a] >= 0 && number[b] >= 0;
    return 2 * (row >= 0) +
           (both && tl_brick_join(r->part->brick[a], r->part->brick[b]) == TL_BRICK_FAR);
  }
  while (place >= s->chunk_first[group_first(s, s->colour_group[run + 1])]) {
    run++;
  }
  return run;
}

/* How many each run has of this rank's own, then where they begin. */
static talus_status firsts_find(talus_context *context, const runs *r, int64_t *first,
                                int64_t *all) {
  const talus_transport *const t = tl_ranks_of(context);
  const tl_system *const s = &r->assembly->system;
  memset(first, 0, (size_t)r->count * sizeof *first);
  for (int32_t place = 0, run = 0; place < s->shape.contact_count; place++) {
    run = run_of(r, place, run);
    first[run] += r->part->own[s->order[place]];
  }
  const int code = t->gather(t->user, first, r->count * (int64_t)sizeof *first, all);
  if (code != 0) {
    return tl_ranks_lost(context, code);
  }
  int64_t before = 0;
  for (int32_t run = 0; run < r->count; run++) {
    for (int32_t rank = 0; rank < t->size; rank++) {
      first[run] = rank == t->rank ? before : first[run];
      before += all[(int64_t)r->count * rank + run];
    }
  }
  return TALUS_OK;
}

talus_status tl_numbers_find(const tl_part *part, const tl_assembly *assembly, tl_rank_halo *own) {
  const tl_system *const s = &assembly->system;
  const int32_t pairs = s->shape.contact_count;
  const runs r = {part, assembly, s->colour_group != NULL ? s->colour_count : SORTS};
  const size_t counts = (size_t)r.count * ((size_t)own->halo.size + 1);
  TL_TRY(tl_ranks_agree(own->context,
                        tl_buffer_reserve(own->context, &own->scratch, counts + (size_t)pairs,
                                          sizeof(int64_t), "places of constraints")));
  int64_t *const first = own->scratch.memory;
  int32_t *const number = (int32_t *)(first + counts); /* by constraint */
  TL_TRY(firsts_find(own->context, &r, first, first + r.count));
  for (int32_t place = 0, run = 0; place < pairs; place++) {
    run = run_of(&r, place, run);
    if (part->own[s->order[place]]) {
      number[s->order[place]] = (int32_t)first[run]++;
    }
  }
  own->halo.exchange(&own->halo, &own->halo.constraint, number, sizeof *number);
  for (int32_t place = 0; place < pairs; place++) {
    own->halo.number[place] = number[s->order[place]];
  }
  return own->halo.check(&own->halo);
}
