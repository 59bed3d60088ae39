/* halo.c: what is exchanged of a part while it is solved, by places in the order: which chunks and
 * bodies are this rank's own, and lists of velocities and impulses. */
#include "host/problem/problem_check.h"
#include "host/ranks/ranks.h"

talus_status tl_halo_rooms(tl_rank_halo *own, const tl_halo_list *list, int32_t bytes) {
  talus_context *const context = own->context;
  const int32_t size = own->halo.size;
  TL_TRY(tl_buffer_reserve(context, &own->out, (size_t)list->send_first[size], (size_t)bytes,
                           "messages of ranks"));
  TL_TRY(tl_buffer_reserve(context, &own->in, (size_t)list->receive_first[size], (size_t)bytes,
                           "messages of ranks"));
  return tl_buffer_reserve(context, &own->messages, 2 * (size_t)size, sizeof(talus_message),
                           "messages of ranks");
}

/* Where things of the problem are in the system: bodies by number, constraints by place. */
typedef struct mapping {
  const int32_t *place;
  int32_t torque_first, torque_end; /* constraints before the end have a torque, from first on */
} mapping;

/* The same things at their places; returns the numbers used. */
static int32_t *side_map(const int32_t *first, const int32_t *thing, int32_t size, mapping m,
                         int32_t *at, int32_t **to_first, int32_t **to) {
  int32_t count = 0;
  *to_first = at;
  *to = at + size + 1;
  for (int32_t r = 0; r < size; r++) {
    (*to_first)[r] = count;
    for (int32_t i = first[r]; i < first[r + 1]; i++) {
      (*to)[count++] = m.place[thing[i]];
      if (thing[i] < m.torque_end) {
        (*to)[count++] = m.torque_first + m.place[thing[i]];
      }
    }
  }
  (*to_first)[size] = count;
  return *to + count;
}

static int32_t *list_map(const tl_halo_list *from, int32_t size, mapping m, int32_t *at,
                         tl_halo_list *to) {
  at = side_map(from->send_first, from->send, size, m, at, &to->send_first, &to->send);
  return side_map(from->receive_first, from->receive, size, m, at, &to->receive_first,
                  &to->receive);
}

static size_t length_of(const tl_halo_list *list, int32_t size) {
  return (size_t)list->send_first[size] + (size_t)list->receive_first[size] + 2 * (size_t)size + 2;
}

/* Roles of chunks, and of chunks of bodies. */
static void roles_set(const tl_part *part, const tl_assembly *assembly, tl_halo *halo) {
  const tl_system *const s = &assembly->system;
  for (int32_t c = 0; c < s->shape.chunk_count; c++) {
    halo->chunk_role[c] = part->own[s->order[s->chunk_first[c]]] ? TL_HALO_OWN : TL_HALO_COPIED;
  }
  for (int32_t i = 0; i < part->problem.rigid.body_count; i++) {
    const int32_t number = assembly->kept.number[i];
    int32_t low = 0, high = s->shape.unit_chunk_count - 1;
    while (number >= 0 && low < high) {
      const int32_t middle = (low + high + 1) / 2;
      if (s->unit_first[middle] <= number) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    if (number >= 0) {
      halo->unit_own[low] = part->body_own[i];
    }
  }
}

static talus_status roles_make(const tl_part *part, const tl_assembly *assembly,
                               tl_rank_halo *own) {
  const tl_shape *const shape = &assembly->system.shape;
  tl_halo *const halo = &own->halo;
  const size_t pairs = (size_t)shape->contact_count;
  const size_t lists =
      2 * length_of(&halo->constraint, halo->size) + length_of(&halo->body, halo->size);
  TL_TRY(tl_buffer_reserve(own->context, &own->roles,
                           (2 * pairs + lists) * sizeof(int32_t) + (size_t)shape->chunk_count +
                               (size_t)shape->unit_chunk_count,
                           1, "chunks of ranks"));
  int32_t *const place = own->roles.memory;
  halo->number = place + pairs;
  for (int32_t i = 0; i < shape->contact_count; i++) {
    place[assembly->system.order[i]] = i;
  }
  int32_t *at = halo->number + pairs;
  const mapping constraints = {place, shape->contact_count, shape->torque_count};
  at = list_map(&halo->constraint, halo->size, constraints, at, &halo->contacts);
  at = list_map(&halo->body, halo->size, (mapping){assembly->kept.number, 0, 0}, at, &halo->bodies);
  halo->chunk_role = (uint8_t *)at;
  halo->unit_own = (bool *)(halo->chunk_role + shape->chunk_count);
  roles_set(part, assembly, halo);
  return TALUS_OK;
}

static talus_status phases_make(const tl_assembly *assembly, tl_rank_halo *own, uint64_t *key[2],
                                int64_t count[2]) {
  tl_halo *const halo = &own->halo;
  const int32_t lists = assembly->system.colour_count + 1;
  TL_TRY(tl_buffer_reserve(own->context, &own->phase_lists, (size_t)lists, sizeof(tl_halo_list),
                           "what ranks exchange"));
  halo->phase = own->phase_lists.memory;
  TL_TRY(tl_lists_make(own->context, halo->size, lists, key, count, &own->scratch, &own->lists,
                       halo->phase));
  for (int32_t l = 0; l < lists; l++) { /* from bodies of the part to those of the system */
    for (int32_t i = 0; i < halo->phase[l].send_first[halo->size]; i++) {
      halo->phase[l].send[i] = assembly->kept.number[halo->phase[l].send[i]];
    }
    for (int32_t i = 0; i < halo->phase[l].receive_first[halo->size]; i++) {
      halo->phase[l].receive[i] = assembly->kept.number[halo->phase[l].receive[i]];
    }
    TL_TRY(tl_halo_rooms(own, &halo->phase[l], 6 * (int32_t)sizeof(double)));
  }
  halo->settled = halo->phase[lists - 1];
  halo->phase_count = lists - 1;
  return TALUS_OK;
}

static talus_status finish(const tl_part *part, const tl_assembly *assembly, tl_rank_halo *own) {
  talus_context *const context = own->context;
  TL_TRY(tl_ranks_agree(context, roles_make(part, assembly, own)));
  TL_TRY(tl_numbers_find(part, assembly, own));
  TL_TRY(tl_ranks_agree(context,
                        tl_halo_rooms(own, &own->halo.contacts, 3 * (int32_t)sizeof(double))));
  if (assembly->system.colour_group != NULL) {
    uint64_t *key[2];
    int64_t count[2];
    TL_TRY(tl_tokens_find(context, part, assembly, own, key, count));
    TL_TRY(tl_ranks_agree(context, phases_make(assembly, own, key, count)));
  }
  return TALUS_OK;
}

talus_status tl_halo_finish(const tl_part *part, const tl_assembly *assembly, tl_rank_halo *own) {
  const bool wrenches = tl_problem_wrenches(&part->problem);
  if (own->ordered == assembly->ordered && own->wrenches == wrenches) {
    return TALUS_OK;
  }
  own->ordered = 0;
  TL_TRY(finish(part, assembly, own));
  own->ordered = assembly->ordered;
  own->wrenches = wrenches;
  return TALUS_OK;
}

void tl_halo_release(talus_context *context, tl_rank_halo *own) {
  tl_buffer *const buffers[] = {&own->given,       &own->roles,    &own->lists,
                                &own->phase_lists, &own->out,      &own->in,
                                &own->keys,        &own->messages, &own->scratch};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    tl_buffer_release(context, buffers[i]);
  }
}
