/* plan.c: who does what of a problem with bricks, and what is exchanged when.
 *
 * Bricks are dealt out in runs along Morton's curve, by the number of contacts; constraints that
 * reach too far go to rank 0. As every rank has the whole problem, each finds by itself what it
 * sends and receives: an exchange is an emission of (list, from, to, place), of which a rank keeps
 * those that it takes part in, sorted, so that both sides have the same order. */
#include <string.h>

#include "host/math/radix.h"
#include "host/ranks/ranks.h"

enum {
  PLACE_BITS = 31,
  RANK_BITS = 16,
  MOST_RANKS = 1 << RANK_BITS,
  BODIES_OF_CHUNK = 2 * TL_CHUNK
};

/* Lists behind those of the phases. */
enum { SETTLED, BODIES, CONTACTS, ALL, MORE_LISTS };

/* While a plan is made. */
typedef struct making {
  const tl_assembly *assembly;
  const tl_system *system;
  int32_t rank, size;
  int32_t phases;
  int32_t *body_owner, *chunk_owner; /* [rigid_count], [chunk_count] */
  int32_t *last_rank, *last_phase;   /* [rigid_count] of a sweep */
  uint64_t *first;                   /* [size] along the curve */
  tl_brick *brick;                   /* [rigid_count] */
  uint64_t *key[2];                  /* of sends and receives; NULL: they are counted */
  int64_t count[2];
} making;

/* ---- owners ---------------------------------------------------------------------------------- */

/* The bodies that constraint k moves; returns how many. */
static int32_t bodies_of(const tl_system *s, int32_t k, int32_t body[2]) {
  int32_t count = 0;
  if (k < s->shape.rigid_contact_count) {
    const int32_t pair[2] = {s->body_a[k], s->body_b[k]};
    for (int i = 0; i < 2; i++) {
      if (pair[i] < s->shape.rigid_count) {
        body[count++] = pair[i];
      }
    }
    return count;
  }
  const int32_t *const entry = s->entry_first + (k - s->shape.entry_base);
  for (int32_t e = entry[0]; e < entry[1]; e++) {
    body[count++] = s->entry[e].offset / TL_RECORD;
  }
  return count;
}

static int32_t owner_of(const making *m, uint64_t curve) {
  int32_t low = 0, high = m->size - 1;
  while (low < high) {
    const int32_t middle = (low + high + 1) / 2;
    if (m->first[middle] <= curve) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/* Cuts the curve where the contact ends of the bodies so far are a rank's share. */
static void curve_cut(making *m) {
  const tl_system *const s = m->system;
  const int32_t bodies = s->shape.rigid_count;
  const int64_t all = (int64_t)s->end_first[bodies] + bodies;
  int32_t next = 1;
  m->first[0] = 0;
  for (int32_t i = 1; i < bodies; i++) {
    const uint64_t curve = tl_brick_curve(m->brick[i]);
    const int64_t before = (int64_t)s->end_first[i] + i;
    while (next < m->size && curve != tl_brick_curve(m->brick[i - 1]) &&
           before * m->size >= all * next) {
      m->first[next++] = curve;
    }
  }
  while (next < m->size) {
    m->first[next++] = UINT64_MAX; /* more ranks than bricks: they have nothing to do */
  }
}

static int32_t chunk_owner(const making *m, int32_t chunk) {
  int32_t body[2];
  const int32_t count = bodies_of(m->system, m->system->chunk_first[chunk], body);
  const tl_brick brick =
      count > 1 ? tl_brick_join(m->brick[body[0]], m->brick[body[1]]) : m->brick[body[0]];
  return brick == TL_BRICK_FAR ? 0 : owner_of(m, tl_brick_curve(brick));
}

static void owners_find(making *m) {
  const tl_kept_order *const kept = &m->assembly->kept;
  for (int32_t i = 0; i < kept->body_count; i++) {
    if (kept->number[i] >= 0) {
      m->brick[kept->number[i]] = kept->brick[i];
    }
  }
  curve_cut(m);
  for (int32_t i = 0; i < m->system->shape.rigid_count; i++) {
    m->body_owner[i] = owner_of(m, tl_brick_curve(m->brick[i]));
  }
  for (int32_t c = 0; c < m->system->shape.chunk_count; c++) {
    m->chunk_owner[c] = chunk_owner(m, c);
  }
}

/* ---- what is exchanged ----------------------------------------------------------------------- */

static void emit(making *m, int32_t list, int32_t from, int32_t to, int32_t place) {
  if (from == to) {
    return;
  }
  for (int side = 0; side < 2; side++) { /* sends, receives */
    if ((side ? to : from) == m->rank) {
      if (m->key[side] != NULL) {
        m->key[side][m->count[side]] = (uint64_t)list << (PLACE_BITS + RANK_BITS) |
                                       (uint64_t)(side ? from : to) << PLACE_BITS | (uint64_t)place;
      }
      m->count[side]++;
    }
  }
}

/* The ranks that make the gradient steps of a chunk: its owner and those of its bodies. */
static int32_t chunk_ranks(const making *m, int32_t chunk, int32_t *rank) {
  const tl_system *const s = m->system;
  int32_t count = 1;
  rank[0] = m->chunk_owner[chunk];
  for (int32_t k = s->chunk_first[chunk]; k < s->chunk_first[chunk + 1]; k++) {
    int32_t body[2];
    const int32_t bodies = bodies_of(s, k, body);
    for (int32_t i = 0; i < bodies; i++) {
      const int32_t owner = m->body_owner[body[i]];
      int32_t at = 0;
      while (at < count && rank[at] != owner) {
        at++;
      }
      if (at == count) {
        rank[count++] = owner;
      }
    }
  }
  return count;
}

/* What the steps of a chunk want: a rank that only copies it needs what touches its own bodies, and
 * nobody reads what it makes of the other contacts. */
static void chunk_emit(making *m, int32_t chunk) {
  const tl_system *const s = m->system;
  const int32_t owner = m->chunk_owner[chunk];
  for (int32_t k = s->chunk_first[chunk]; k < s->chunk_first[chunk + 1]; k++) {
    int32_t body[2];
    const int32_t bodies = bodies_of(s, k, body);
    for (int32_t i = 0; i < bodies; i++) {
      const int32_t from = m->body_owner[body[i]];
      emit(m, m->phases + CONTACTS, owner, from, k);
      emit(m, m->phases + BODIES, from, owner, body[i]);
      emit(m, m->phases + BODIES, from, m->body_owner[body[bodies - 1 - i]], body[i]);
    }
    for (int32_t r = 0; owner == m->rank && r < m->size; r++) {
      emit(m, m->phases + ALL, owner, r, k);
    }
    if (owner != m->rank) {
      emit(m, m->phases + ALL, owner, m->rank, k);
    }
  }
}

static int32_t group_first(const tl_system *s, int32_t group) {
  return s->shape.group_count > 0 ? s->group_chunk[group] : group;
}

/* A body goes from the rank that touched it last to the one that touches it now. */
static void phase_emit(making *m, int32_t phase, bool settle) {
  const tl_system *const s = m->system;
  const int32_t first = group_first(s, s->colour_group[phase]);
  const int32_t end = group_first(s, s->colour_group[phase + 1]);
  for (int32_t chunk = first; chunk < end; chunk++) {
    const int32_t owner = m->chunk_owner[chunk];
    for (int32_t k = s->chunk_first[chunk]; k < s->chunk_first[chunk + 1]; k++) {
      int32_t body[2];
      const int32_t bodies = bodies_of(s, k, body);
      for (int32_t i = 0; i < bodies; i++) {
        const int32_t b = body[i], last = m->last_rank[b];
        if (settle) { /* ... and at last to all that touch it, and its owner */
          emit(m, m->phases + SETTLED, last, owner, b);
          emit(m, m->phases + SETTLED, last, m->body_owner[b], b);
          continue;
        }
        if (last >= 0) {
          emit(m, m->last_phase[b], last, owner, b);
        }
        m->last_rank[b] = owner;
        m->last_phase[b] = phase;
      }
    }
  }
}

static void all_emit(making *m) {
  m->count[0] = m->count[1] = 0;
  for (int32_t i = 0; i < m->system->shape.rigid_count; i++) {
    m->last_rank[i] = -1;
  }
  for (int32_t c = 0; c < m->system->shape.chunk_count; c++) {
    chunk_emit(m, c);
  }
  for (int32_t p = 0; p < 2 * m->phases; p++) {
    phase_emit(m, p % m->phases, p >= m->phases);
  }
}

/* ---- lists ----------------------------------------------------------------------------------- */

static int64_t unique(uint64_t *key, int64_t count) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; i++) {
    if (i == 0 || key[i] != key[i - 1]) {
      key[kept++] = key[i];
    }
  }
  return kept;
}

/* The part of one list: where each rank's places begin, and the places. *at: the keys so far. */
static void list_fill(const making *m, int side, int32_t list, int64_t *at, int32_t *first,
                      int32_t *place) {
  const uint64_t *const key = m->key[side];
  const int64_t begin = *at;
  for (int32_t r = 0; r < m->size; r++) {
    first[r] = (int32_t)(*at - begin);
    const uint64_t head = (uint64_t)list << RANK_BITS | (uint64_t)r;
    while (*at < m->count[side] && key[*at] >> PLACE_BITS == head) {
      place[*at - begin] = (int32_t)(key[*at] & (((uint64_t)1 << PLACE_BITS) - 1));
      ++*at;
    }
  }
  first[m->size] = (int32_t)(*at - begin);
}

static talus_status lists_make(talus_context *context, const making *m, tl_rank_plan *plan) {
  const size_t lists = (size_t)m->phases + MORE_LISTS, ranks = (size_t)m->size + 1;
  const size_t numbers = 2 * lists * ranks + (size_t)m->count[0] + (size_t)m->count[1];
  TL_TRY(tl_buffer_reserve(context, &plan->lists,
                           lists * sizeof(tl_halo_list) / sizeof(int32_t) + numbers,
                           sizeof(int32_t), "what ranks exchange"));
  tl_halo_list *const list = plan->lists.memory;
  int32_t *at = (int32_t *)(list + lists);
  int64_t used[2] = {0, 0};
  for (size_t i = 0; i < lists; i++) {
    for (int side = 0; side < 2; side++) {
      int32_t *const first = at, *const place = at + ranks;
      list_fill(m, side, (int32_t)i, &used[side], first, place);
      at = place + first[m->size];
      *(side ? &list[i].receive_first : &list[i].send_first) = first;
      *(side ? &list[i].receive : &list[i].send) = place;
    }
  }
  plan->halo.phase = list;
  plan->halo.phase_count = m->phases;
  plan->halo.settled = list[m->phases + SETTLED];
  plan->halo.bodies = list[m->phases + BODIES];
  plan->halo.contacts = list[m->phases + CONTACTS];
  plan->halo.all = list[m->phases + ALL];
  return TALUS_OK;
}

/* Keys of both sides, sorted, each once. */
static talus_status keys_make(talus_context *context, making *m, tl_rank_plan *plan) {
  all_emit(m);
  const size_t all = (size_t)m->count[0] + (size_t)m->count[1];
  TL_TRY(tl_buffer_reserve(context, &plan->keys, 3 * all + 1, sizeof(uint64_t),
                           "what ranks exchange"));
  uint64_t *const memory = plan->keys.memory;
  m->key[0] = memory;
  m->key[1] = memory + m->count[0];
  all_emit(m);
  uint64_t *const other = memory + all;
  int32_t *const unused = (int32_t *)(other + all), *const unused_other = unused + all;
  for (int side = 0; side < 2; side++) {
    memset(unused, 0, (size_t)m->count[side] * sizeof *unused);
    tl_radix_sort(m->key[side], unused, other, unused_other, m->count[side]);
    m->count[side] = unique(m->key[side], m->count[side]);
  }
  return TALUS_OK;
}

static talus_status roles_make(talus_context *context, const making *m, tl_rank_plan *plan) {
  const tl_shape *const shape = &m->system->shape;
  const size_t chunks = (size_t)shape->chunk_count, units = (size_t)shape->unit_chunk_count;
  TL_TRY(tl_buffer_reserve(context, &plan->roles, chunks + units, 1, "chunks of ranks"));
  plan->halo.chunk_role = plan->roles.memory;
  plan->halo.unit_own = (bool *)(plan->halo.chunk_role + chunks);
  for (size_t c = 0; c < chunks; c++) {
    int32_t rank[BODIES_OF_CHUNK + 1];
    const int32_t count = chunk_ranks(m, (int32_t)c, rank);
    plan->halo.chunk_role[c] = TL_HALO_OTHERS;
    for (int32_t i = count - 1; i >= 0; i--) { /* the owner is the first */
      if (rank[i] == m->rank) {
        plan->halo.chunk_role[c] = i == 0 ? TL_HALO_OWN : TL_HALO_COPIED;
      }
    }
  }
  for (size_t c = 0; c < units; c++) {
    plan->halo.unit_own[c] = m->body_owner[m->system->unit_first[c]] == m->rank;
  }
  return TALUS_OK;
}

/* ---- exchanges ------------------------------------------------------------------------------- */

static tl_rank_plan *plan_of(tl_halo *halo) {
  return (tl_rank_plan *)halo;
}

/* Messages of one direction, in `buffer`; returns how many. */
static int32_t messages_make(const int32_t *first, int32_t size, int32_t bytes, char *buffer,
                             talus_message *message) {
  int32_t count = 0;
  for (int32_t r = 0; r < size; r++) {
    if (first[r + 1] > first[r]) {
      message[count++] = (talus_message){.rank = r,
                                         .memory = buffer + (int64_t)bytes * first[r],
                                         .bytes = (int64_t)bytes * (first[r + 1] - first[r])};
    }
  }
  return count;
}

static void halo_exchange(tl_halo *halo, const tl_halo_list *list, void *array, int32_t bytes) {
  tl_rank_plan *const plan = plan_of(halo);
  const talus_transport *const t = tl_ranks_of(plan->context);
  char *const out = plan->out.memory, *const in = plan->in.memory, *const to = array;
  talus_message *const send = plan->messages.memory, *const receive = send + t->size;
  if (halo->failed) {
    return;
  }
  for (int32_t i = 0; i < list->send_first[t->size]; i++) {
    memcpy(out + (int64_t)bytes * i, to + (int64_t)bytes * list->send[i], (size_t)bytes);
  }
  const int32_t sends = messages_make(list->send_first, t->size, bytes, out, send);
  const int32_t receives = messages_make(list->receive_first, t->size, bytes, in, receive);
  if (t->exchange(t->user, sends, send, receives, receive) != 0) {
    halo->failed = true;
    return;
  }
  for (int32_t i = 0; i < list->receive_first[t->size]; i++) {
    memcpy(to + (int64_t)bytes * list->receive[i], in + (int64_t)bytes * i, (size_t)bytes);
  }
}

static void halo_sum(tl_halo *halo, int64_t *value, int32_t count) {
  const talus_transport *const t = tl_ranks_of(plan_of(halo)->context);
  halo->failed = halo->failed || t->sum(t->user, value, count) != 0;
}

static talus_status halo_check(tl_halo *halo) {
  return halo->failed
             ? tl_fail(plan_of(halo)->context, TALUS_RANKS_FAILED,
                       "another rank has failed or cannot be reached: its message says why")
             : TALUS_OK;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static talus_status owners_take(talus_context *context, making *m, tl_rank_plan *plan) {
  const size_t bodies = (size_t)m->system->shape.rigid_count;
  const size_t chunks = (size_t)m->system->shape.chunk_count, ranks = (size_t)m->size;
  TL_TRY(tl_buffer_reserve(context, &plan->owners, 2 * (bodies + ranks) + 3 * bodies + chunks,
                           sizeof(int32_t), "owners of bricks"));
  m->brick = plan->owners.memory;
  m->first = m->brick + bodies;
  m->body_owner = (int32_t *)(m->first + ranks);
  m->last_rank = m->body_owner + bodies;
  m->last_phase = m->last_rank + bodies;
  m->chunk_owner = m->last_phase + bodies;
  return TALUS_OK;
}

/* Room for the longest list, by whole records of the longer precision. */
static talus_status rooms_take(talus_context *context, tl_rank_plan *plan, int32_t size) {
  const tl_halo_list *const list = plan->halo.phase;
  int64_t most[2] = {0, 0};
  for (int32_t i = 0; i < plan->halo.phase_count + MORE_LISTS; i++) {
    const int64_t send = list[i].send_first[size], receive = list[i].receive_first[size];
    most[0] = send > most[0] ? send : most[0];
    most[1] = receive > most[1] ? receive : most[1];
  }
  const size_t record = TL_RECORD * sizeof(double);
  TL_TRY(tl_buffer_reserve(context, &plan->out, (size_t)most[0], record, "messages to ranks"));
  TL_TRY(tl_buffer_reserve(context, &plan->in, (size_t)most[1], record, "messages of ranks"));
  return tl_buffer_reserve(context, &plan->messages, 2 * (size_t)size, sizeof(talus_message),
                           "messages of ranks");
}

talus_status tl_rank_plan_make(talus_context *context, tl_assembly *assembly, tl_rank_plan *plan) {
  const talus_transport *const t = tl_ranks_of(context);
  tl_system *const system = &assembly->system;
  if (plan->revision == assembly->revision) {
    return TALUS_OK;
  }
  plan->revision = 0;
  making m = {.assembly = assembly,
              .system = system,
              .rank = t->rank,
              .size = t->size,
              .phases = system->colour_group != NULL ? system->colour_count : 0};
  if (t->size > MOST_RANKS || m.phases + MORE_LISTS >= 1 << (64 - PLACE_BITS - RANK_BITS)) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "%d ranks and %d phases: %d ranks at the most",
                   t->size, m.phases, MOST_RANKS);
  }
  TL_TRY(owners_take(context, &m, plan));
  owners_find(&m);
  TL_TRY(keys_make(context, &m, plan));
  TL_TRY(lists_make(context, &m, plan));
  TL_TRY(roles_make(context, &m, plan));
  TL_TRY(rooms_take(context, plan, t->size));
  plan->context = context;
  plan->halo.failed = false;
  plan->halo.exchange = halo_exchange;
  plan->halo.sum = halo_sum;
  plan->halo.check = halo_check;
  system->halo = &plan->halo;
  plan->revision = assembly->revision;
  return TALUS_OK;
}

void tl_rank_plan_release(talus_context *context, tl_rank_plan *plan) {
  tl_buffer *const buffers[] = {&plan->owners,   &plan->keys, &plan->roles, &plan->lists,
                                &plan->messages, &plan->out,  &plan->in};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    tl_buffer_release(context, buffers[i]);
  }
}
