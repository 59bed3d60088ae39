/* tokens.c: how the velocity of a body goes from rank to rank during a sweep.
 *
 * Only a body's owner knows all that touches it, and in which phases: it tells those who are to
 * send or to receive. */
#include <string.h>

#include "host/ranks/ranks.h"

enum {
  TOUCHING = 9
}; /* ranks that can touch a body: of eight bricks, and the one of those that
                          reach too far */

/* A transfer as another rank is told of it. */
typedef struct transfer {
  uint64_t id;
  int32_t list, from, to, unused;
} transfer;

/* What is done with a transfer that was found. */
typedef enum purpose { COUNT, TELL, NOTE } purpose;

typedef struct walk {
  purpose what;
  const tl_part *part;
  const tl_system *system;
  const int32_t *number; /* internal body */
  int32_t rank, phases;
  int32_t *phase_first; /* [phases + 1] place */
  bool *touched;        /* [bodies] by constraints of other ranks */
  int64_t *send;        /* by rank: how many, or where the next goes */
  transfer *told;
  uint64_t *key[2];
  int64_t count[2]; /* of this rank's own sends and receives */
} walk;

static void key_add(walk *w, int side, int32_t list, int32_t other, int32_t body) {
  if (w->key[side] != NULL) {
    w->key[side][w->count[side]] = tl_list_key(list, other, body);
  }
  w->count[side]++;
}

static void emit(walk *w, int32_t list, int32_t from, int32_t to, int32_t body) {
  const int32_t ranks[2] = {from, to};
  for (int side = 0; side < 2 && from != to; side++) {
    if (ranks[side] == w->rank) {
      if (w->what != TELL) {
        key_add(w, side, list, ranks[1 - side], body);
      }
    } else if (w->what == TELL) {
      w->told[w->send[ranks[side]]++] =
          (transfer){.id = w->part->problem.ids[body], .list = list, .from = from, .to = to};
    } else if (w->what == COUNT) {
      w->send[ranks[side]]++;
    }
  }
}

/* ---- the way of one body --------------------------------------------------------------------- */

typedef struct way {
  int32_t rank, phase; /* that touched it last; -1: none */
  int32_t touching[TOUCHING], count;
} way;

static int32_t phase_of(const walk *w, int32_t place) {
  int32_t low = 0, high = w->phases - 1;
  while (low < high) {
    const int32_t middle = (low + high + 1) / 2;
    if (w->phase_first[middle] <= place) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/* The constraint at `place` touches the body next. */
static void way_go(walk *w, int32_t body, int32_t place, way *y) {
  const int32_t rank = w->part->owner[w->system->order[place]];
  int32_t i = 0;
  if (y->rank >= 0) {
    emit(w, y->phase, y->rank, rank, body);
  }
  y->rank = rank;
  y->phase = phase_of(w, place);
  while (i < y->count && y->touching[i] != rank) {
    i++;
  }
  if (i == y->count && i < TOUCHING) {
    y->touching[y->count++] = rank;
  }
}

static void body_walk(walk *w, int32_t body) {
  const tl_system *const s = w->system;
  const int32_t u = w->number[body];
  way y = {.rank = -1};
  for (int32_t e = s->end_first[u]; e < s->end_first[u + 1]; e++) {
    way_go(w, body, s->end[e] >> 1, &y);
  }
  for (int32_t e = s->incidence_first != NULL ? s->incidence_first[u] : 0;
       s->incidence_first != NULL && e < s->incidence_first[u + 1]; e++) {
    way_go(w, body, s->incidence[e].contact, &y);
  }
  for (int32_t i = 0; i < y.count; i++) { /* at last to all that touch it, and its owner */
    emit(w, w->phases, y.rank, y.touching[i], body);
  }
  if (y.rank >= 0) {
    emit(w, w->phases, y.rank, w->rank, body);
  }
}

static void all_walk(walk *w, purpose what) {
  w->what = what;
  for (int32_t i = 0; i < w->part->problem.rigid.body_count; i++) {
    if (w->touched[i] && w->part->body_own[i] && w->number[i] >= 0) {
      body_walk(w, i);
    }
  }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int32_t group_first(const tl_system *s, int32_t group) {
  return s->shape.group_count > 0 ? s->group_chunk[group] : group;
}

/* The others' velocities go nowhere. */
static void touched_mark(const tl_part *part, bool *touched) {
  const talus_problem *const p = &part->problem;
  memset(touched, 0, (size_t)p->rigid.body_count * sizeof *touched);
  for (int32_t i = 0; i < p->contact_count + p->bilateral_count; i++) {
    const int32_t row = i - p->contact_count;
    const int32_t pair[2] = {row < 0 ? p->rigid.body_a[i] : p->rigid.row_body_a[row],
                             row < 0 ? p->rigid.body_b[i] : p->rigid.row_body_b[row]};
    for (int side = 0; side < 2 && !part->own[i]; side++) {
      if (pair[side] >= 0) {
        touched[pair[side]] = true;
      }
    }
  }
}

static talus_status walk_begin(talus_context *context, const tl_part *part,
                               const tl_assembly *assembly, tl_rank_halo *own, walk *w) {
  const tl_system *const s = &assembly->system;
  *w = (walk){.part = part,
              .system = s,
              .number = assembly->kept.number,
              .rank = own->halo.rank,
              .phases = s->colour_count};
  const size_t firsts = ((size_t)w->phases + 1) * sizeof(int32_t);
  const size_t bodies = (size_t)part->problem.rigid.body_count;
  TL_TRY(tl_buffer_reserve(context, &own->scratch, firsts + bodies * sizeof(bool), 1, "phases"));
  w->phase_first = own->scratch.memory;
  w->touched = (bool *)(w->phase_first + w->phases + 1);
  touched_mark(part, w->touched);
  for (int32_t p = 0; p <= w->phases; p++) {
    w->phase_first[p] = s->chunk_first[group_first(s, s->colour_group[p])];
  }
  return TALUS_OK;
}

/* Tells the other ranks; what they tell is in own->in behind. */
static talus_status transfers_carry(talus_context *context, tl_rank_halo *own, walk *w,
                                    tl_route *route, const transfer **heard) {
  const int32_t size = own->halo.size;
  w->send = route->send;
  all_walk(w, COUNT);
  TL_TRY(tl_route_open(context, route));
  const size_t sends = (size_t)route->send[size], receives = (size_t)route->receive[size];
  TL_TRY(tl_ranks_agree(context, tl_buffer_reserve(context, &own->out, sends + receives,
                                                   sizeof(transfer), "ways of bodies")));
  w->told = own->out.memory;
  all_walk(w, TELL);
  tl_route_rewind(route->send, size);
  *heard = w->told + sends;
  return tl_route_carry(context, route, sizeof(transfer), w->told, w->told + sends);
}

/* What was heard; keys are NULL while they are counted. */
static void transfers_note(walk *w, const transfer *heard, int64_t count) {
  const talus_problem *const p = &w->part->problem;
  for (int64_t i = 0; i < count; i++) {
    const int side = heard[i].to == w->rank;
    int32_t low = 0, high = p->rigid.body_count - 1;
    while (low < high) {
      const int32_t middle = low + (high - low) / 2;
      if (p->ids[middle] < heard[i].id) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    key_add(w, side, heard[i].list, side ? heard[i].from : heard[i].to, low);
  }
}

static talus_status tokens_find(talus_context *context, const tl_part *part,
                                const tl_assembly *assembly, tl_rank_halo *own, tl_route *route,
                                walk *w) {
  const transfer *heard = NULL;
  talus_status status = walk_begin(context, part, assembly, own, w);
  if (status == TALUS_OK) {
    status = tl_route_begin(context, route);
  }
  TL_TRY(tl_ranks_agree(context, status));
  TL_TRY(transfers_carry(context, own, w, route, &heard));
  const int64_t received = route->receive[own->halo.size];
  transfers_note(w, heard, received);
  TL_TRY(tl_ranks_agree(context,
                        tl_buffer_reserve(context, &own->keys, (size_t)(w->count[0] + w->count[1]),
                                          sizeof(uint64_t), "ways of bodies")));
  w->key[0] = own->keys.memory;
  w->key[1] = w->key[0] + w->count[0];
  w->count[0] = w->count[1] = 0;
  all_walk(w, NOTE);
  transfers_note(w, heard, received);
  return TALUS_OK;
}

talus_status tl_tokens_find(talus_context *context, const tl_part *part,
                            const tl_assembly *assembly, tl_rank_halo *own, uint64_t *key[2],
                            int64_t count[2]) {
  tl_route route = {.send = NULL};
  walk w;
  const talus_status status = tokens_find(context, part, assembly, own, &route, &w);
  tl_route_release(context, &route);
  if (status == TALUS_OK) {
    memcpy(key, w.key, sizeof w.key);
    memcpy(count, w.count, sizeof w.count);
  }
  return status;
}
