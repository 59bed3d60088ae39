/* spread.c: solves of a world on several ranks, and what they agree upon at the end of a step.
 *
 * The problem of a step is cut as it stands: bodies, contacts and rows in order, the same number
 * for each rank. Bodies are named by their index, so that the pieces put together are the problem
 * that one rank alone has; which rank then iterates over what follows from bricks (host/ranks). */
#include "host/world/spread.h"

#include <string.h>

#include "host/solve/queued.h"

/* Below so many contacts messages take longer than iterations. */
enum { LEAST_CONTACTS = 512 };

/* ---- what may be ----------------------------------------------------------------------------- */

talus_status tl_spread_check(talus_context *context, const talus_settings *settings) {
  if (tl_ranks_of(context) == NULL) {
    return TALUS_OK;
  }
  return settings->max_seconds > 0 || settings->progress != NULL ||
                 settings->dump != TALUS_DUMP_NONE
             ? tl_fail(context, TALUS_UNSUPPORTED,
                       "a world on ranks has no solver.max_seconds, progress or dump, which ranks "
                       "would not meet at the same time: use max_iterations, or one process")
             : TALUS_OK;
}

talus_status tl_spread_begin(talus_world *world) {
  talus_context *const context = world->context;
  if (tl_ranks_of(context) == NULL) {
    return TALUS_OK;
  }
  TL_TRY(tl_ranks_check(context));
  TL_TRY(tl_ranks_agree(context, tl_spread_check(context, &world->def.solver)));
  TL_TRY(tl_ranks_same_version(context));
  tl_solver_set_alone(world->solver, true);
  tl_solver_set_alone(world->projector, true);
  return TALUS_OK;
}

static bool settings_serve(const talus_settings *s) {
  switch (s->method) {
  case TALUS_METHOD_AUTO:
  case TALUS_METHOD_JACOBI:
  case TALUS_METHOD_APGDB:
  case TALUS_METHOD_GAUSS_SEIDEL:
  case TALUS_METHOD_GAUSS_SEIDEL_NESTEROV:
  case TALUS_METHOD_SPECTRAL:
    return s->cone == TALUS_CONE_CIRCULAR && !s->unique && !s->islands;
  default:
    return false;
  }
}

/* Whether ranks iterate on the problem together. */
static bool serves(const talus_world *world, const talus_problem *p) {
  return tl_ranks_of(world->context) != NULL && p->brick_size > 0 &&
         p->contact_count >= LEAST_CONTACTS &&
         strcmp(talus_context_backend(world->context), "cpu") == 0 &&
         settings_serve(&world->def.solver);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* This rank's part of so many things. */
typedef struct part {
  int64_t first, count;
} part;

static part part_of(const talus_transport *t, int64_t count) {
  const int64_t first = tl_ranks_first_of(t, t->rank, count);
  return (part){first, tl_ranks_first_of(t, t->rank + 1, count) - first};
}

/* Bodies of a piece, ghosts behind the own ones, and where each of the whole's is among them. */
typedef struct piece {
  double *velocity, *mass, *inertia, *position, *after; /* after: results */
  uint64_t *id;
  int32_t *local; /* [body_count of the whole] -1: not in the piece */
  int32_t *a, *b, *row_a, *row_b;
  int32_t count;
} piece;

static talus_status piece_take(talus_world *world, const talus_problem *whole, part contacts,
                               part rows, piece *p) {
  const size_t bodies = (size_t)whole->rigid.body_count;
  const size_t ends = 2 * (size_t)(contacts.count + rows.count);
  TL_TRY(tl_buffer_reserve(world->context, &world->spread_memory,
                           23 * bodies * sizeof(double) + (bodies + ends) * sizeof(int32_t), 1,
                           "a rank's piece of a problem"));
  p->velocity = world->spread_memory.memory;
  p->inertia = p->velocity + 6 * bodies;
  p->after = p->inertia + 6 * bodies;
  p->position = p->after + 6 * bodies;
  p->mass = p->position + 3 * bodies;
  p->id = (uint64_t *)(p->mass + bodies);
  p->local = (int32_t *)(p->id + bodies);
  p->a = p->local + bodies;
  p->b = p->a + contacts.count;
  p->row_a = p->b + contacts.count;
  p->row_b = p->row_a + rows.count;
  p->count = 0;
  memset(p->local, 0xff, bodies * sizeof *p->local);
  return TALUS_OK;
}

/* The number of a body in the piece, which gets it if it has it not yet; the ground is -1. */
static int32_t body_add(const talus_problem *whole, piece *p, int32_t body) {
  if (body < 0 || p->local[body] >= 0) {
    return body < 0 ? body : p->local[body];
  }
  const int64_t from = body, to = p->count++;
  memcpy(p->velocity + 6 * to, whole->rigid.velocity + 6 * from, 6 * sizeof(double));
  memcpy(p->inertia + 6 * to, whole->rigid.inverse_inertia + 6 * from, 6 * sizeof(double));
  memcpy(p->position + 3 * to, whole->positions + 3 * from, 3 * sizeof(double));
  p->mass[to] = whole->rigid.inverse_mass[from];
  p->id[to] = (uint64_t)from;
  p->local[body] = (int32_t)to;
  return (int32_t)to;
}

static const double *from(const double *array, int64_t first) {
  return array != NULL ? array + first : NULL;
}

/* Contacts and rows of the piece: arrays of the whole from the first one on. */
static void arrays_cut(const talus_problem *whole, part contacts, part rows, const piece *p,
                       talus_problem *cut) {
  const talus_rigid *const w = &whole->rigid;
  const int64_t c = contacts.first, r = rows.first;
  cut->contact_count = (int32_t)contacts.count;
  cut->bilateral_count = (int32_t)rows.count;
  cut->friction = from(whole->friction, c);
  cut->torque_friction = from(whole->torque_friction, 2 * c);
  cut->cross_friction = from(whole->cross_friction, c);
  cut->friction_direction = from(whole->friction_direction, 3 * c);
  cut->compliance = from(whole->compliance, 2 * c);
  cut->target_impulse = from(whole->target_impulse, whole->dimension * c);
  cut->row_lower = from(whole->row_lower, r);
  cut->row_upper = from(whole->row_upper, r);
  cut->row_compliance = from(whole->row_compliance, r);
  cut->row_target_impulse = from(whole->row_target_impulse, r);
  cut->positions = p->position;
  cut->ids = p->id;
  cut->rigid = (talus_rigid){.body_count = p->count,
                             .velocity = p->velocity,
                             .inverse_mass = p->mass,
                             .inverse_inertia = p->inertia,
                             .body_a = p->a,
                             .body_b = p->b,
                             .normal = from(w->normal, 3 * c),
                             .reach_a = from(w->reach_a, c),
                             .reach_b = from(w->reach_b, c),
                             .arm_a = from(w->arm_a, 3 * c),
                             .arm_b = from(w->arm_b, 3 * c),
                             .bias = from(w->bias, c),
                             .surface_velocity = from(w->surface_velocity, 3 * c),
                             .row_body_a = p->row_a,
                             .row_body_b = p->row_b,
                             .row_jacobian = from(w->row_jacobian, 12 * r),
                             .row_bias = from(w->row_bias, r)};
}

/* bodies, contacts, rows: of this rank. */
static void piece_fill(const talus_problem *whole, part bodies, part contacts, part rows, piece *p,
                       talus_problem *cut) {
  const talus_rigid *const w = &whole->rigid;
  for (int64_t i = 0; i < bodies.count; i++) {
    body_add(whole, p, (int32_t)(bodies.first + i));
  }
  for (int64_t k = 0; k < contacts.count; k++) {
    p->a[k] = body_add(whole, p, w->body_a[contacts.first + k]);
    p->b[k] = body_add(whole, p, w->body_b[contacts.first + k]);
  }
  for (int64_t k = 0; k < rows.count; k++) {
    p->row_a[k] = body_add(whole, p, w->row_body_a[rows.first + k]);
    p->row_b[k] = body_add(whole, p, w->row_body_b[rows.first + k]);
  }
  *cut = *whole;
  arrays_cut(whole, contacts, rows, p, cut);
  cut->ghost_count = p->count - (int32_t)bodies.count;
}

/* ---- the solve ------------------------------------------------------------------------------- */

static talus_status shared(talus_world *world, double *array, int64_t count, size_t width) {
  return array != NULL ? tl_ranks_share(world->context, array, count, width * sizeof *array)
                       : TALUS_OK;
}

/* Everybody's results to everybody. */
static talus_status results_share(talus_world *world, const talus_problem *whole, part bodies,
                                  const piece *p, const talus_solution *solution) {
  memcpy(solution->velocity + 6 * bodies.first, p->after,
         6 * (size_t)bodies.count * sizeof *p->after);
  TL_TRY(shared(world, solution->velocity, whole->rigid.body_count, 6));
  const size_t width = (size_t)whole->dimension;
  TL_TRY(shared(world, solution->impulse, whole->contact_count, width));
  TL_TRY(shared(world, solution->contact_velocity, whole->contact_count, width));
  return shared(world, solution->bilateral_impulse, whole->bilateral_count, 1);
}

static double *results_from(double *array, int64_t first) {
  return array != NULL ? array + first : NULL;
}

static talus_status solve_together(talus_world *world, talus_solver *solver,
                                   const talus_problem *whole, talus_solution *solution,
                                   talus_info *info) {
  const talus_transport *const t = tl_ranks_of(world->context);
  const part bodies = part_of(t, whole->rigid.body_count),
             contacts = part_of(t, whole->contact_count), rows = part_of(t, whole->bilateral_count);
  piece p;
  talus_problem cut;
  TL_TRY(tl_ranks_agree(world->context, piece_take(world, whole, contacts, rows, &p)));
  piece_fill(whole, bodies, contacts, rows, &p, &cut);
  talus_solution own = talus_solution_default();
  own.velocity = p.after;
  own.impulse = results_from(solution->impulse, whole->dimension * contacts.first);
  own.contact_velocity =
      results_from(solution->contact_velocity, whole->dimension * contacts.first);
  own.bilateral_impulse = results_from(solution->bilateral_impulse, rows.first);
  tl_solver_set_alone(solver, false);
  talus_status status = talus_solver_update(solver, &cut);
  status = status == TALUS_OK ? talus_solver_solve(solver, &own, info) : status;
  tl_solver_set_alone(solver, true);
  return status == TALUS_OK ? results_share(world, whole, bodies, &p, solution) : status;
}

talus_status tl_spread_solve(talus_world *world, talus_solver *solver, const talus_problem *whole,
                             talus_solution *solution, talus_info *info) {
  if (serves(world, whole)) {
    return solve_together(world, solver, whole, solution, info);
  }
  TL_TRY(talus_solver_update(solver, whole));
  return talus_solver_solve(solver, solution, info);
}

/* ---- the end of a step ----------------------------------------------------------------------- */

/* Mixes 64 bits into a hash. */
static uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 32;
}

static uint64_t mixed_doubles(uint64_t hash, const double *value, int count) {
  for (int i = 0; i < count; i++) {
    uint64_t word;
    memcpy(&word, &value[i], sizeof word);
    hash = mixed(hash, word);
  }
  return hash;
}

static uint64_t state_hash(const talus_world *world) {
  uint64_t hash = mixed((uint64_t)world->step_count, (uint64_t)world->contact_count);
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    hash = mixed_doubles(hash, body->position, 3);
    hash = mixed_doubles(hash, body->velocity, 3);
    hash = mixed_doubles(hash, body->spin, 3);
  }
  return hash;
}

talus_status tl_spread_end(talus_world *world, talus_status status) {
  talus_context *const context = world->context;
  status = tl_ranks_settle(context, status);
  if (status != TALUS_OK || tl_ranks_of(context) == NULL) {
    return status;
  }
  const uint64_t hash = state_hash(world);
  return tl_ranks_same(context, &hash, sizeof hash, "state after a step");
}
