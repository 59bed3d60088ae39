/* pieces_names.c: impulses by name on ranks. A contact may be given by another rank than it was in
 * the last problem, so that names are kept by the rank that a hash of the name says. */
#include <string.h>

#include "host/solve/solver.h"

/* Contacts or rows of the piece, and where their names are kept. */
typedef struct named {
  const uint64_t *key;
  int32_t count, width;
  tl_keys *kept;
  const tl_delivery *owners;
} named;

static named named_of(talus_solver *solver, int rows) {
  const talus_problem *const p = &solver->piece;
  return rows ? (named){p->row_key, p->bilateral_count, 1, &solver->row_keys, &solver->part.rows}
              : (named){p->contact_key, p->contact_count, p->dimension, &solver->contact_keys,
                        &solver->part.contacts};
}

/* A row for each name that goes to its keeper; values may be NULL. */
static talus_status names_send(talus_solver *solver, const named *n, tl_delivery *keepers,
                               uint64_t **name, tl_buffer *memory) {
  talus_context *const context = solver->context;
  const int32_t size = tl_ranks_of(context)->size;
  TL_TRY(tl_ranks_agree(
      context, tl_buffer_reserve(context, memory, (size_t)n->count, sizeof(int32_t), "names")));
  int32_t *const rank = memory->memory;
  for (int32_t i = 0; i < n->count; i++) {
    rank[i] = (int32_t)((n->key[i] * UINT64_C(0x9E3779B97F4A7C15) >> 32) % (uint64_t)size);
  }
  TL_TRY(tl_delivery_make(context, n->count, rank, keepers));
  const size_t kept = (size_t)keepers->route.receive[size];
  talus_status status =
      tl_buffer_reserve(context, memory, (size_t)n->count + kept, sizeof(uint64_t), "names");
  if (status == TALUS_OK) {
    status = tl_delivery_room(context, keepers, n->width, &solver->part.scratch);
  }
  status = tl_ranks_agree(context, status);
  if (status != TALUS_OK) { /* there may be no room for results any more, either */
    solver->part.kept.valid = false;
    return status;
  }
  uint64_t *const out = memory->memory;
  *name = out + n->count;
  for (int32_t i = 0; i < n->count; i++) {
    out[i] = n->key[keepers->sent[i]];
  }
  for (size_t i = 0; i < kept; i++) {
    keepers->taken[i] = (int32_t)i;
  }
  return tl_route_carry(context, &keepers->route, sizeof *out, out, *name);
}

/* ---- before a solve -------------------------------------------------------------------------- */

static talus_status match(talus_solver *solver, const named *n, tl_delivery *keepers,
                          tl_buffer *memory, double *found) {
  talus_context *const context = solver->context;
  tl_buffer values = {.memory = NULL};
  uint64_t *name;
  int32_t matched = 0;
  TL_TRY(names_send(solver, n, keepers, &name, memory));
  const int32_t count = (int32_t)keepers->route.receive[tl_ranks_of(context)->size];
  talus_status status = tl_buffer_reserve(context, &values, (size_t)count,
                                          (size_t)n->width * sizeof(double), "impulses by name");
  if (status == TALUS_OK) {
    status = tl_keys_match(context, n->kept, name, values.memory, count, n->width, &matched);
  }
  status = tl_ranks_agree(context, status);
  if (status == TALUS_OK) {
    int64_t all = matched;
    status = tl_ranks_sum(context, &all, 1);
    solver->part.keys_matched += (int32_t)all;
  }
  if (status == TALUS_OK) {
    status =
        tl_delivery_back(context, keepers, n->width, values.memory, found, &solver->part.scratch);
  }
  tl_buffer_release(context, &values);
  return status;
}

talus_status tl_pieces_names_match(talus_solver *solver, const double **impulse,
                                   const double **row) {
  const named all[2] = {named_of(solver, 0), named_of(solver, 1)};
  talus_context *const context = solver->context;
  TL_TRY(tl_ranks_agree(
      context, tl_buffer_reserve(context, &solver->part.named,
                                 (size_t)all[0].width * (size_t)all[0].count + (size_t)all[1].count,
                                 sizeof(double), "impulses by name")));
  double *const found = solver->part.named.memory;
  for (int rows = 0; rows < 2; rows++) {
    tl_delivery keepers = {.sent = NULL};
    tl_buffer memory = {.memory = NULL};
    double *const to = rows ? found + (int64_t)all[0].width * all[0].count : found;
    talus_status status = TALUS_OK;
    if (solver->part.named_by[rows]) {
      status = match(solver, &all[rows], &keepers, &memory, to);
      *(rows ? row : impulse) = to;
    }
    tl_delivery_release(context, &keepers);
    tl_buffer_release(context, &memory);
    TL_TRY(status);
  }
  return TALUS_OK;
}

/* ---- behind it ------------------------------------------------------------------------------- */

static talus_status save(talus_solver *solver, const named *n, const double *part,
                         tl_delivery *keepers, tl_buffer *memory, tl_buffer *values) {
  talus_context *const context = solver->context;
  uint64_t *name;
  TL_TRY(names_send(solver, n, keepers, &name, memory));
  const size_t count = (size_t)keepers->route.receive[tl_ranks_of(context)->size];
  const size_t width = (size_t)n->width;
  TL_TRY(
      tl_ranks_agree(context, tl_buffer_reserve(context, values, ((size_t)n->count + count) * width,
                                                sizeof(double), "impulses by name")));
  double *const own = values->memory, *const kept = own + width * (size_t)n->count;
  TL_TRY(tl_delivery_back(context, n->owners, n->width, part, own, &solver->part.scratch));
  TL_TRY(tl_delivery_forward(context, keepers, n->width, own, kept, &solver->part.scratch));
  return tl_ranks_agree(context,
                        tl_keys_save(context, n->kept, name, kept, (int32_t)count, n->width));
}

talus_status tl_pieces_names_save(talus_solver *solver, const talus_solution *own) {
  for (int rows = 0; rows < 2; rows++) {
    const named n = named_of(solver, rows);
    tl_delivery keepers = {.sent = NULL};
    tl_buffer memory = {.memory = NULL}, values = {.memory = NULL};
    talus_status status = TALUS_OK;
    if (solver->part.named_by[rows]) {
      status = save(solver, &n, rows ? own->bilateral_impulse : own->impulse, &keepers, &memory,
                    &values);
    }
    tl_delivery_release(solver->context, &keepers);
    tl_buffer_release(solver->context, &memory);
    tl_buffer_release(solver->context, &values);
    TL_TRY(status);
  }
  return TALUS_OK;
}
