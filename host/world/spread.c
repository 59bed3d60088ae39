/* spread.c: solves of a world on several ranks.
 *
 * Each rank gives a piece. Where contacts are local it has its own ones and the bodies that it
 * answers for; where all ranks have all, bodies, contacts and rows in order, the same number for
 * each. Bodies are named by their ids, so that the pieces put together are the problem that one
 * rank alone has; which rank then iterates over what follows from bricks (host/ranks). */
#include <string.h>

#include "host/solve/queued.h"
#include "host/world/spread_local.h"

/* Below so many bodies contacts are not local. */
enum { LEAST_BODIES = 256 };

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

static talus_status spread_create(talus_world *world) {
  TL_TRY(tl_spread_check(world->context, &world->def.solver));
  TL_TRY(tl_alloc(world->context, (void **)&world->spread, 1, sizeof *world->spread,
                  "world on ranks"));
  memset(world->spread, 0, sizeof *world->spread);
  world->spread->world = world;
  return TALUS_OK;
}

talus_status tl_spread_begin(talus_context *context, talus_world *world, talus_status status) {
  if (tl_ranks_of(context) == NULL) {
    return status;
  }
  TL_TRY(tl_ranks_check(context));
  TL_TRY(tl_ranks_agree(context, status == TALUS_OK ? spread_create(world) : status));
  TL_TRY(tl_ranks_same_version(context));
  TL_TRY(tl_spread_same_def(world));
  const char *const backend = talus_context_backend(context);
  TL_TRY(tl_ranks_same(context, backend, strlen(backend), "backend (cpu or cuda)"));
  tl_solver_set_alone(world->solver, true);
  tl_solver_set_alone(world->projector, true);
  return TALUS_OK;
}

void tl_spread_release(talus_world *world) {
  tl_world_spread *const spread = world->spread;
  if (spread == NULL) {
    return;
  }
  tl_buffer *const buffers[] = {&spread->body_memory, &spread->shape_memory, &spread->entry_memory,
                                &spread->weights,     &spread->out,          &spread->in,
                                &spread->stash,       &spread->held_memory,  &spread->raised_memory,
                                &spread->push_memory};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    tl_buffer_release(world->context, buffers[i]);
  }
  tl_owners_release(world->context, &spread->owners);
  tl_route_release(world->context, &spread->route);
  tl_route_release(world->context, &spread->held);
  tl_free(world->context, spread);
  world->spread = NULL;
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

/* Whether ranks iterate on problems together. */
static bool iterate_together(const talus_world *world) {
  return tl_ranks_of(world->context) != NULL && world->def.brick_size > 0 &&
         strcmp(talus_context_backend(world->context), "cpu") == 0 &&
         settings_serve(&world->def.solver);
}

bool tl_spread_serves(const talus_world *world) {
  /* what sums over contacts in their order, or calls for each of them, needs them all */
  const bool whole = world->bond_count > 0 || world->mechanism_count > 0 ||
                     world->cell.def.periodic != 0 || world->contact_function != NULL;
  const int32_t bodies = world->bodies_local ? world->spread->body_total : world->body_count;
  return iterate_together(world) && !whole && bodies >= LEAST_BODIES;
}

const char *tl_spread_hindrance(const talus_world *world) {
  const talus_settings *const s = &world->def.solver;
  return world->bond_count > 0        ? "bonds, with which each process makes every step whole"
         : world->mechanism_count > 0 ? "mechanisms, with which each process makes every step whole"
         : s->islands ? "islands (world.islands), with which each process makes every step whole"
         : s->cone != TALUS_CONE_CIRCULAR
             ? "faceted cones (world.cone), with which each process makes every step whole"
         : !settings_serve(s) ? "a method (world.method) that looks at all contacts at once: each "
                                "process makes every step whole"
         : world->cell.def.periodic != 0 ? "a periodic cell, with which each process has all "
                                           "contacts and shares the solves alone"
         : world->contact_function != NULL
             ? "a contact callback, with which each process has all contacts and shares the solves "
               "alone"
             : NULL;
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
  int32_t *body;  /* [count] the body of the whole */
  int32_t *a, *b, *row_a, *row_b;
  int32_t own, count;
  part contacts, rows;
} piece;

/* Whether this rank gives a body of the whole. */
static bool is_given(const talus_world *world, const part *slice, int32_t body) {
  return world->contacts_local ? world->spread->holder[body] == world->spread->owners.rank
                               : body >= slice->first && body < slice->first + slice->count;
}

/* The number of a body in the piece, which gets it if it has it not yet; the ground is -1. */
static int32_t body_add(piece *p, int32_t body) {
  if (body >= 0 && p->local[body] < 0) {
    p->body[p->count] = body;
    p->local[body] = p->count++;
  }
  return body < 0 ? body : p->local[body];
}

/* Chooses the bodies of the piece. */
static talus_status bodies_choose(talus_world *world, const talus_problem *whole, piece *p) {
  const talus_transport *const t = tl_ranks_of(world->context);
  const talus_rigid *const w = &whole->rigid;
  const size_t bodies = (size_t)w->body_count;
  const size_t ends = 2 * (size_t)(p->contacts.count + p->rows.count);
  const part slice = part_of(t, w->body_count);
  TL_TRY(tl_buffer_reserve(world->context, &world->spread_points, 2 * bodies + ends,
                           sizeof(int32_t), "a rank's piece of a problem"));
  p->local = world->spread_points.memory;
  p->body = p->local + bodies;
  p->a = p->body + bodies;
  p->b = p->a + p->contacts.count;
  p->row_a = p->b + p->contacts.count;
  p->row_b = p->row_a + p->rows.count;
  memset(p->local, 0xff, bodies * sizeof *p->local);
  for (int32_t i = 0; i < w->body_count; i++) {
    if (is_given(world, &slice, i)) {
      body_add(p, i);
    }
  }
  p->own = p->count;
  for (int64_t k = 0; k < p->contacts.count; k++) {
    p->a[k] = body_add(p, w->body_a[p->contacts.first + k]);
    p->b[k] = body_add(p, w->body_b[p->contacts.first + k]);
  }
  for (int64_t k = 0; k < p->rows.count; k++) {
    p->row_a[k] = body_add(p, w->row_body_a[p->rows.first + k]);
    p->row_b[k] = body_add(p, w->row_body_b[p->rows.first + k]);
  }
  return TALUS_OK;
}

static void bodies_copy(const talus_problem *whole, const piece *p) {
  for (int64_t to = 0; to < p->count; to++) {
    const int64_t from = p->body[to];
    memcpy(p->velocity + 6 * to, whole->rigid.velocity + 6 * from, 6 * sizeof(double));
    memcpy(p->inertia + 6 * to, whole->rigid.inverse_inertia + 6 * from, 6 * sizeof(double));
    memcpy(p->position + 3 * to, whole->positions + 3 * from, 3 * sizeof(double));
    p->mass[to] = whole->rigid.inverse_mass[from];
    p->id[to] = whole->ids[from];
  }
}

static talus_status piece_take(talus_world *world, const talus_problem *whole, piece *p) {
  const talus_transport *const t = tl_ranks_of(world->context);
  memset(p, 0, sizeof *p);
  p->contacts =
      world->contacts_local ? (part){0, whole->contact_count} : part_of(t, whole->contact_count);
  p->rows = part_of(t, whole->bilateral_count);
  TL_TRY(bodies_choose(world, whole, p));
  const size_t bodies = (size_t)p->count;
  TL_TRY(tl_buffer_reserve(world->context, &world->spread_memory, 23 * bodies, sizeof(double),
                           "a rank's piece of a problem"));
  p->velocity = world->spread_memory.memory;
  p->inertia = p->velocity + 6 * bodies;
  p->after = p->inertia + 6 * bodies;
  p->position = p->after + 6 * bodies;
  p->mass = p->position + 3 * bodies;
  p->id = (uint64_t *)(p->mass + bodies);
  bodies_copy(whole, p);
  return TALUS_OK;
}

static const double *from(const double *array, int64_t first) {
  return array != NULL ? array + first : NULL;
}

/* Contacts and rows of the piece: arrays of the whole from the first one on. */
static void piece_cut(const talus_problem *whole, const piece *p, talus_problem *cut) {
  const talus_rigid *const w = &whole->rigid;
  const int64_t c = p->contacts.first, r = p->rows.first;
  *cut = *whole;
  cut->ghost_count = p->count - p->own;
  cut->contact_count = (int32_t)p->contacts.count;
  cut->bilateral_count = (int32_t)p->rows.count;
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

/* ---- the solve ------------------------------------------------------------------------------- */

static talus_status shared(talus_world *world, double *array, int64_t count, size_t width) {
  return array != NULL ? tl_ranks_share(world->context, array, count, width * sizeof *array)
                       : TALUS_OK;
}

/* Everybody's results of a problem that all have. */
static talus_status results_share(talus_world *world, const talus_problem *whole, const piece *p,
                                  const talus_solution *solution) {
  if (p->own > 0) {
    memcpy(solution->velocity + 6 * (int64_t)p->body[0], p->after,
           6 * (size_t)p->own * sizeof *p->after);
  }
  TL_TRY(shared(world, solution->velocity, whole->rigid.body_count, 6));
  const size_t width = (size_t)whole->dimension;
  TL_TRY(shared(world, solution->impulse, whole->contact_count, width));
  TL_TRY(shared(world, solution->contact_velocity, whole->contact_count, width));
  return shared(world, solution->bilateral_impulse, whole->bilateral_count, 1);
}

/* Where the velocities of each rank's bodies begin among those that are shared: those that move,
 * by rank and slot. Memory for them. */
static talus_status velocities_place(talus_world *world, int64_t **count, int64_t **place,
                                     double **velocity) {
  const tl_world_spread *const spread = world->spread;
  const size_t size = (size_t)spread->owners.size, bodies = (size_t)world->body_count;
  TL_TRY(tl_buffer_reserve(world->context, &world->spread->out, 2 * size + 6 * bodies,
                           sizeof(double), "velocities of all ranks"));
  *count = world->spread->out.memory;
  *place = *count + size;
  *velocity = (double *)(*place + size);
  memset(*count, 0, 2 * size * sizeof **count);
  for (size_t i = 0; i < bodies; i++) {
    (*count)[spread->holder[i]] += (spread->brick[i] & TL_SPREAD_MOVES) != 0;
  }
  for (size_t r = 1; r < size; r++) {
    (*place)[r] = (*place)[r - 1] + (*count)[r - 1];
  }
  return TALUS_OK;
}

/* Velocities of all bodies from those that each rank has found. */
static talus_status velocities_share(talus_world *world, const talus_problem *whole, const piece *p,
                                     double *result) {
  const tl_world_spread *const spread = world->spread;
  int64_t *count = NULL, *place = NULL;
  double *velocity = NULL;
  TL_TRY(tl_ranks_agree(world->context, velocities_place(world, &count, &place, &velocity)));
  const int64_t first = place[spread->owners.rank];
  for (int64_t i = 0, n = first; i < p->own; i++) {
    if ((spread->brick[p->body[i]] & TL_SPREAD_MOVES) != 0) {
      memcpy(velocity + 6 * n++, p->after + 6 * i, 6 * sizeof *velocity);
    }
  }
  TL_TRY(tl_ranks_share_parts(world->context, velocity, count, 6 * sizeof *velocity));
  for (int64_t i = 0; i < world->body_count; i++) {
    const bool moves = (spread->brick[i] & TL_SPREAD_MOVES) != 0;
    memcpy(result + 6 * i,
           moves ? velocity + 6 * place[spread->holder[i]]++ : whole->rigid.velocity + 6 * i,
           6 * sizeof *result);
  }
  return TALUS_OK;
}

/* Velocities of the bodies that this rank has. */
static talus_status velocities_find(talus_world *world, const talus_problem *whole, const piece *p,
                                    double *result) {
  const tl_world_spread *const spread = world->spread;
  memcpy(result, whole->rigid.velocity, 6 * (size_t)world->body_count * sizeof *result);
  for (int64_t i = 0; i < p->own; i++) {
    if ((spread->brick[p->body[i]] & TL_SPREAD_MOVES) != 0) {
      memcpy(result + 6 * (int64_t)p->body[i], p->after + 6 * i, 6 * sizeof *result);
    }
  }
  return tl_velocities_tell(world, p->after, p->local, result);
}

static double *results_from(double *array, int64_t first) {
  return array != NULL ? array + first : NULL;
}

static talus_status solve_together(talus_world *world, talus_solver *solver,
                                   const talus_problem *whole, talus_solution *solution,
                                   talus_info *info) {
  piece p;
  talus_problem cut;
  TL_TRY(tl_ranks_agree(world->context, piece_take(world, whole, &p)));
  piece_cut(whole, &p, &cut);
  const int64_t first = whole->dimension * p.contacts.first;
  talus_solution own = talus_solution_default();
  own.velocity = p.after;
  own.impulse = results_from(solution->impulse, first);
  own.contact_velocity = results_from(solution->contact_velocity, first);
  own.bilateral_impulse = results_from(solution->bilateral_impulse, p.rows.first);
  tl_solver_set_alone(solver, false);
  tl_solver_set_owners(solver, world->contacts_local ? &world->spread->owners : NULL);
  talus_status status = talus_solver_update(solver, &cut);
  status = status == TALUS_OK ? talus_solver_solve(solver, &own, info) : status;
  tl_solver_set_alone(solver, true);
  TL_TRY(status);
  if (!world->contacts_local) {
    return results_share(world, whole, &p, solution);
  }
  TL_TRY(world->bodies_local ? velocities_find(world, whole, &p, solution->velocity)
                             : velocities_share(world, whole, &p, solution->velocity));
  return shared(world, solution->bilateral_impulse, whole->bilateral_count, 1);
}

talus_status tl_spread_solve(talus_world *world, talus_solver *solver, const talus_problem *problem,
                             talus_solution *solution, talus_info *info) {
  if (world->contacts_local ||
      (iterate_together(world) && problem->contact_count >= TL_SPREAD_CONTACTS)) {
    return solve_together(world, solver, problem, solution, info);
  }
  TL_TRY(talus_solver_update(solver, problem));
  return talus_solver_solve(solver, solution, info);
}
