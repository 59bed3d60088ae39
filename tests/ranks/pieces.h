/* pieces.h: a bed dealt out to ranks, solved by them, and put together again. */
#ifndef TL_TESTS_PIECES_H
#define TL_TESTS_PIECES_H

#include <stdbool.h>

#include "talus/talus_ranks.h"
#include "tests/ranks/bed.h"
#include "tests/ranks/extras.h"

/* What is to be solved, and all results in the order of the whole bed. */
typedef struct solved {
  const bed *d;
  talus_problem whole;
  talus_settings settings;
  double *impulse, *row, *velocity, *contact_velocity;
  uint64_t *id; /* of the bodies */
  int extra;    /* what contacts and rows have besides (extras.h) */
  extras more;
  int32_t salt;          /* another one: bodies are dealt out otherwise */
  bool deal_anew;        /* ... in the second solve */
  const int32_t *holder; /* [bodies] the rank that gives each, instead */
} solved;

/* A piece: the bodies of a rank, other bodies that its contacts join, and the contacts. */
typedef struct piece {
  talus_problem problem;
  bed part;
  uint64_t *id;
  int32_t *contact, *row; /* of the whole */
  extras more;
} piece;

/* Bodies are dealt out without any sense, so that ranks have ghosts all over the bed. */
static int32_t piece_rank(int32_t body, int32_t size, int32_t salt) {
  return (int32_t)(((uint32_t)body + (uint32_t)salt) * 2654435761u >> 8) % size;
}

static int32_t piece_giver(const solved *s, int32_t body, int32_t size) {
  return s->holder != NULL ? s->holder[body] : piece_rank(body, size, s->salt);
}

/* Names in the order of the whole's indices. */
static uint64_t body_id(int32_t body) {
  return 1000 + 3 * (uint64_t)body;
}

static int32_t piece_body(piece *p, const bed *d, int32_t *place, int32_t body) {
  if (body < 0 || place[body] >= 0) {
    return body < 0 ? -1 : place[body];
  }
  const int64_t to = p->part.body_count++, from = body;
  place[body] = (int32_t)to;
  p->id[to] = body_id(body);
  memcpy(p->part.position + 3 * to, d->position + 3 * from, 3 * sizeof(double));
  memcpy(p->part.velocity + 6 * to, d->velocity + 6 * from, 6 * sizeof(double));
  memcpy(p->part.inertia + 6 * to, d->inertia + 6 * from, 6 * sizeof(double));
  p->part.mass[to] = d->mass[from];
  return (int32_t)to;
}

static void piece_contact(piece *p, const bed *d, int32_t *place, int64_t k) {
  bed *const q = &p->part;
  const int64_t to = q->contact_count++;
  p->contact[to] = (int32_t)k;
  q->a[to] = piece_body(p, d, place, d->a[k]);
  q->b[to] = piece_body(p, d, place, d->b[k]);
  q->reach_a[to] = d->reach_a[k];
  q->reach_b[to] = d->reach_b[k];
  q->bias[to] = d->bias[k];
  q->friction[to] = d->friction[k];
  memcpy(q->normal + 3 * to, d->normal + 3 * k, 3 * sizeof(double));
  memcpy(q->arm_a + 3 * to, d->arm_a + 3 * k, 3 * sizeof(double));
  memcpy(q->arm_b + 3 * to, d->arm_b + 3 * k, 3 * sizeof(double));
}

static void piece_row(piece *p, const bed *d, int32_t *place, int64_t k) {
  bed *const q = &p->part;
  const int64_t to = q->row_count++;
  p->row[to] = (int32_t)k;
  q->row_a[to] = piece_body(p, d, place, d->row_a[k]);
  q->row_b[to] = piece_body(p, d, place, d->row_b[k]);
  memcpy(q->jacobian + 12 * to, d->jacobian + 12 * k, 12 * sizeof(double));
}

/* A contact is given by the rank of its second body. */
static void piece_make(piece *p, const solved *s, int32_t rank, int32_t size) {
  const bed *const d = s->d;
  memset(p, 0, sizeof *p);
  bed_take(&p->part, d->body_count);
  p->id = bed_room(d->body_count, sizeof *p->id);
  p->contact = bed_room(d->contact_count, sizeof *p->contact);
  p->row = bed_room(d->row_count, sizeof *p->row);
  int32_t *const place = bed_room(d->body_count, sizeof *place);
  for (int32_t i = 0; i < d->body_count; i++) {
    place[i] = -1;
  }
  for (int32_t i = 0; i < d->body_count; i++) {
    if (piece_giver(s, i, size) == rank) {
      piece_body(p, d, place, i);
    }
  }
  const int32_t own = p->part.body_count;
  for (int64_t k = 0; k < d->contact_count; k++) {
    if (piece_giver(s, d->b[k], size) == rank) {
      piece_contact(p, d, place, k);
    }
  }
  for (int64_t k = 0; k < d->row_count; k++) {
    if (piece_giver(s, d->row_a[k], size) == rank) {
      piece_row(p, d, place, k);
    }
  }
  p->problem = bed_problem(&p->part, s->whole.rigid.arm_a != NULL, s->whole.brick_size);
  p->problem.ids = p->id;
  p->problem.ghost_count = p->part.body_count - own;
  extras_make(&p->more, s->extra, p->contact, p->row, &p->problem);
  free(place);
}

static void piece_release(piece *p) {
  bed_release(&p->part);
  extras_release(&p->more);
  free(p->id);
  free(p->contact);
  free(p->row);
}

/* The results of a piece, where they belong in the whole; ghosts are left to their own ranks. */
static void piece_put(const piece *p, const talus_solution *from, solved *to) {
  const bed *const q = &p->part;
  const int64_t n = p->problem.dimension;
  for (int64_t k = 0; k < q->contact_count; k++) {
    const int64_t at = n * p->contact[k];
    memcpy(to->impulse + at, from->impulse + n * k, (size_t)n * sizeof(double));
    memcpy(to->contact_velocity + at, from->contact_velocity + n * k, (size_t)n * sizeof(double));
  }
  for (int64_t k = 0; k < q->row_count; k++) {
    to->row[p->row[k]] = from->bilateral_impulse[k];
  }
  for (int64_t i = 0; i < q->body_count - p->problem.ghost_count; i++) {
    memcpy(to->velocity + 6 * (int64_t)((p->id[i] - 1000) / 3), from->velocity + 6 * i,
           6 * sizeof(double));
  }
}

/* One update and solve of a piece, with results in the whole. */
static talus_status piece_go(talus_solver *solver, const piece *p, bool update,
                             talus_solution *solution, solved *s, talus_info *info) {
  talus_status status = update ? talus_solver_update(solver, &p->problem) : TALUS_OK;
  status = status == TALUS_OK ? talus_solver_solve(solver, solution, info) : status;
  if (status == TALUS_OK) {
    piece_put(p, solution, s);
  }
  return status;
}

/* Another piece, dealt out otherwise. */
static talus_status piece_anew(talus_solver *solver, int32_t rank, int32_t size, solved *s,
                               talus_solution *solution, talus_info *info) {
  solved other = *s;
  piece p;
  other.salt = 12345;
  piece_make(&p, &other, rank, size);
  const talus_status status = piece_go(solver, &p, true, solution, s, info);
  piece_release(&p);
  return status;
}

/* One rank's part: update and solve, twice if warm_start is set. */
static inline talus_status piece_solve(talus_context *context, const piece *p, solved *s,
                                       int32_t rank, int32_t size, talus_info *info) {
  talus_solution solution = talus_solution_default();
  talus_solver *solver = NULL;
  const bed *const d = s->d;
  solution.impulse = bed_room(6 * (int64_t)d->contact_count, sizeof(double));
  solution.contact_velocity = bed_room(6 * (int64_t)d->contact_count, sizeof(double));
  solution.bilateral_impulse = bed_room(d->row_count, sizeof(double));
  solution.velocity = bed_room(6 * (int64_t)d->body_count, sizeof(double));
  talus_status status = talus_solver_create(context, &s->settings, &solver);
  status = status == TALUS_OK ? piece_go(solver, p, true, &solution, s, info) : status;
  if (status == TALUS_OK && s->settings.warm_start) {
    status = s->deal_anew ? piece_anew(solver, rank, size, s, &solution, info)
                          : piece_go(solver, p, false, &solution, s, info);
  }
  talus_solver_destroy(solver);
  free(solution.impulse);
  free(solution.contact_velocity);
  free(solution.bilateral_impulse);
  free(solution.velocity);
  return status;
}

static void solved_make(solved *s, const bed *d, int arms, double brick_size) {
  *s = (solved){.d = d, .whole = bed_problem(d, arms, brick_size)};
  s->settings = talus_settings_default();
  s->settings.same_bits = 1;
  s->impulse = bed_room(6 * (int64_t)d->contact_count, sizeof(double));
  s->contact_velocity = bed_room(6 * (int64_t)d->contact_count, sizeof(double));
  s->row = bed_room(d->row_count, sizeof(double));
  s->velocity = bed_room(6 * (int64_t)d->body_count, sizeof(double));
  s->id = bed_room(d->body_count, sizeof *s->id);
  for (int32_t i = 0; i < d->body_count; i++) {
    s->id[i] = body_id(i);
  }
  s->whole.ids = s->id;
}

static void solved_release(solved *s) {
  free(s->impulse);
  free(s->contact_velocity);
  free(s->row);
  free(s->velocity);
  free(s->id);
  extras_release(&s->more);
}

/* Contacts and rows have more than friction, in the whole and in pieces that are made from now on.
 */
static inline void solved_extend(solved *s, int extra) {
  s->extra = extra;
  extras_make(&s->more, extra, NULL, NULL, &s->whole);
}

static uint64_t hash_add(uint64_t hash, const double *array, int64_t count) {
  const unsigned char *const byte = (const unsigned char *)array;
  for (int64_t i = 0; i < count * (int64_t)sizeof(double); i++) {
    hash = (hash ^ byte[i]) * UINT64_C(0x100000001B3);
  }
  return hash;
}

static uint64_t solved_hash(const solved *s) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  const int64_t contacts = (int64_t)s->whole.dimension * s->d->contact_count;
  hash = hash_add(hash, s->impulse, contacts);
  hash = hash_add(hash, s->contact_velocity, contacts);
  hash = hash_add(hash, s->row, s->d->row_count);
  return hash_add(hash, s->velocity, 6 * (int64_t)s->d->body_count);
}

/* By one context alone. */
static uint64_t solved_alone(solved *s, talus_info *info) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  talus_solver *solver = NULL;
  talus_solution solution = talus_solution_default();
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  solution.impulse = s->impulse;
  solution.contact_velocity = s->contact_velocity;
  solution.bilateral_impulse = s->row;
  solution.velocity = s->velocity;
  memset(s->impulse, 0, 6 * (size_t)s->d->contact_count * sizeof(double));
  memset(s->row, 0, (size_t)s->d->row_count * sizeof(double));
  talus_status status = talus_context_create(&def, &context);
  status = status == TALUS_OK ? talus_solver_create(context, &s->settings, &solver) : status;
  status = status == TALUS_OK ? talus_solver_update(solver, &s->whole) : status;
  for (int i = 0; i <= s->settings.warm_start && status == TALUS_OK; i++) {
    status = talus_solver_solve(solver, &solution, info);
  }
  talus_solver_destroy(solver);
  talus_context_destroy(context);
  return status == TALUS_OK ? solved_hash(s) : 0;
}

#endif
