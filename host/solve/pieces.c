/* pieces.c: a problem of several ranks: from the pieces that they are given each gets its part, and
 * all of them solve together.
 *
 * What only one rank may know (a bad array, no memory) is agreed upon before anything is exchanged;
 * a rank that fails later tells the others, which then do not wait for it. */
#include <math.h>
#include <string.h>

#include "host/problem/problem_check.h"
#include "host/solve/solver.h"

/* ---- the problem ----------------------------------------------------------------------------- */

/* Packed and checked, if it can be taken at all. */
static talus_status piece_pack(talus_solver *solver, const talus_problem *piece,
                               const talus_problem **packed) {
  TL_TRY(tl_problem_gather(solver->context, piece, &solver->gathered, packed));
  return tl_problem_check(solver->context, *packed);
}

talus_status tl_pieces_take(talus_solver *solver, talus_status status, const talus_problem *piece) {
  talus_context *const context = solver->context;
  const double begin = tl_clock();
  const talus_problem *packed = NULL;
  if (status == TALUS_OK) {
    status = piece_pack(solver, piece, &packed);
  }
  TL_TRY(tl_part_deal(context, packed, status, &solver->part));
  TL_TRY(tl_halo_begin(context, &solver->part, &solver->rank_halo));
  solver->part.kept.valid = true;
  solver->piece = *packed;
  solver->problem = solver->part.problem;
  solver->assembly.halo = &solver->rank_halo.halo;
  solver->dense_refused = true;
  solver->seconds_check = tl_clock() - begin;
  return tl_plan_assemble(solver);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static talus_status settings_allow(const talus_solver *solver, const talus_solution *solution) {
  static const char *const use =
      "use auto, gauss_seidel_nesterov, gauss_seidel, apgdb, jacobi or spectral on ranks";
  const talus_settings *const s = &solver->settings;
  const tl_method_family family = tl_method_of(s->method)->family;
  if (s->method != TALUS_METHOD_AUTO &&
      (family != TL_FAMILY_FIRST_ORDER || s->method == TALUS_METHOD_APGD)) {
    return tl_fail(solver->context, TALUS_UNSUPPORTED,
                   "settings.method %s looks at the whole problem at once: %s",
                   talus_method_name(s->method), use);
  }
  const char *const other = s->cone != TALUS_CONE_CIRCULAR ? "cone other than circular"
                            : s->unique                    ? "unique"
                            : s->islands                   ? "islands"
                            : s->dump != TALUS_DUMP_NONE   ? "dump"
                                                           : NULL;
  if (other != NULL) {
    return tl_fail(solver->context, TALUS_UNSUPPORTED,
                   "settings.%s is not for ranks: leave it at its default, and %s", other, use);
  }
  if (solution != NULL && (solution->memory != TALUS_MEMORY_HOST || solution->layout != NULL)) {
    return tl_fail(solver->context, TALUS_UNSUPPORTED,
                   "a solution of ranks is packed and in host memory: leave its layout NULL");
  }
  return TALUS_OK;
}

bool tl_pieces_any(talus_solver *solver, bool own) {
  int64_t any = own;
  return solver->on_ranks ? tl_ranks_largest(solver->context, &any, 1) != TALUS_OK || any != 0
                          : own;
}

bool tl_pieces_end(talus_solver *solver, bool own) {
  return solver->on_ranks && solver->part.limits ? tl_pieces_any(solver, own) : own;
}

/* ---- impulses to start from ------------------------------------------------------------------ */

static talus_status start_check(talus_context *context, const double *impulse, int64_t count,
                                const char *name) {
  for (int64_t i = 0; impulse != NULL && i < count; i++) {
    if (!isfinite(impulse[i])) {
      return tl_fail(context, TALUS_NOT_FINITE, "%s[%lld] is %g (warm start)", name, (long long)i,
                     impulse[i]);
    }
  }
  return TALUS_OK;
}

static talus_status starts_check(const talus_solver *solver, const talus_solution *piece) {
  const talus_problem *const p = &solver->piece;
  if (piece->impulse == NULL && p->contact_key == NULL && p->contact_count > 0) {
    return tl_fail(solver->context, TALUS_MISSING_ARRAY,
                   "settings.warm_start needs solution.impulse, or problem.contact_key");
  }
  TL_TRY(start_check(solver->context, p->contact_key == NULL ? piece->impulse : NULL,
                     (int64_t)p->dimension * p->contact_count, "solution.impulse"));
  return start_check(solver->context, p->row_key == NULL ? piece->bilateral_impulse : NULL,
                     p->bilateral_count, "solution.bilateral_impulse");
}

/* From names, or from what the caller gives, to the owners. Copies are told by the engine. */
static talus_status start_send(talus_solver *solver, const talus_solution *piece,
                               const talus_solution *own) {
  talus_context *const context = solver->context;
  tl_part *const part = &solver->part;
  const talus_problem *const p = &part->problem;
  const double *impulse = piece->impulse, *row = piece->bilateral_impulse;
  TL_TRY(tl_pieces_names_match(solver, &impulse, &row));
  memset(own->impulse, 0, (size_t)p->dimension * (size_t)p->contact_count * sizeof(double));
  memset(own->bilateral_impulse, 0, (size_t)p->bilateral_count * sizeof(double));
  TL_TRY(tl_delivery_forward(context, &part->contacts, p->dimension, impulse, own->impulse,
                             &part->scratch));
  return part->row_count > 0 ? tl_delivery_forward(context, &part->rows, 1, row,
                                                   own->bilateral_impulse, &part->scratch)
                             : TALUS_OK;
}

/* ---- agreement ------------------------------------------------------------------------------- */

/* What ranks tell each other before a solve; the largest is heard. */
enum {
  SETTINGS,
  SETTINGS_LEAST,
  LIMITS,
  VELOCITIES,
  KEYS,
  NO_KEYS = KEYS + 2,
  NUMBERS = NO_KEYS + 2
};

/* All that decides about the iterations. */
typedef struct decisive {
  double number[11];
} decisive;

static decisive decisive_of(const talus_settings *s) {
  return (decisive){{(double)s->law, (double)s->method, (double)s->precision, (double)s->measure,
                     s->tolerance, (double)s->max_iterations, (double)s->warm_start,
                     s->momentum_cap, s->slip_filter, (double)s->fixed_iterations,
                     (double)s->certify}};
}

static void request_tell(const talus_solver *solver, const talus_solution *piece, int64_t *number) {
  const talus_problem *const p = &solver->piece;
  const decisive d = decisive_of(&solver->settings);
  uint64_t hash = 0;
  for (size_t i = 0; i < sizeof d.number / sizeof *d.number; i++) {
    uint64_t bits;
    memcpy(&bits, &d.number[i], sizeof bits);
    hash = (hash ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
  }
  number[SETTINGS] = (int64_t)(hash >> 2);
  number[SETTINGS_LEAST] = -number[SETTINGS];
  number[LIMITS] = solver->settings.max_seconds > 0 || solver->settings.progress != NULL;
  number[VELOCITIES] = piece->contact_velocity != NULL;
  number[KEYS] = p->contact_count > 0 && p->contact_key != NULL;
  number[KEYS + 1] = p->bilateral_count > 0 && p->row_key != NULL;
  number[NO_KEYS] = p->contact_count > 0 && p->contact_key == NULL;
  number[NO_KEYS + 1] = p->bilateral_count > 0 && p->row_key == NULL;
}

/* Room for the results of the part; that of contact velocities is kept once it was wanted. */
static talus_status results_reserve(talus_solver *solver) {
  tl_part *const part = &solver->part;
  const talus_problem *const p = &part->problem;
  const size_t contacts = (size_t)p->dimension * (size_t)p->contact_count;
  const size_t rows = (size_t)p->bilateral_count, bodies = 6 * (size_t)p->rigid.body_count;
  return tl_buffer_reserve(solver->context, &part->results,
                           (part->velocities ? 2 : 1) * contacts + rows + bodies + 1,
                           sizeof(double), "results of a rank");
}

static talus_status own_check(talus_solver *solver, const talus_solution *given,
                              const talus_solution *piece) {
  TL_TRY(settings_allow(solver, given));
  if (solver->settings.warm_start) {
    TL_TRY(starts_check(solver, piece));
  }
  return results_reserve(solver);
}

/* Checks what is asked for; places for the results, velocities of contacts where some rank wants
 * them. */
static talus_status request_agree(talus_solver *solver, const talus_solution *given,
                                  const talus_solution *piece, talus_solution *own) {
  tl_part *const part = &solver->part;
  talus_context *const context = solver->context;
  int64_t number[NUMBERS];
  request_tell(solver, piece, number);
  TL_TRY(tl_ranks_agree_on(context, own_check(solver, given, piece), number, NUMBERS));
  if (number[SETTINGS] != -number[SETTINGS_LEAST]) {
    const decisive d = decisive_of(&solver->settings);
    TL_TRY(tl_ranks_same(context, &d, sizeof d, "setting"));
  }
  for (int rows = 0; rows < 2; rows++) {
    part->named_by[rows] = number[KEYS + rows] != 0;
    if (number[KEYS + rows] != 0 && number[NO_KEYS + rows] != 0) {
      return tl_fail(context, TALUS_RANKS_FAILED,
                     "some ranks give contact_key or row_key, others do not: all must, or none");
    }
  }
  part->limits = number[LIMITS] != 0;
  if (number[VELOCITIES] != 0 && !part->velocities) {
    part->velocities = true;
    TL_TRY(tl_ranks_agree(context, results_reserve(solver)));
  }
  const talus_problem *const p = &part->problem;
  const size_t contacts = (size_t)p->dimension * (size_t)p->contact_count;
  *own = talus_solution_default();
  own->impulse = part->results.memory;
  own->bilateral_impulse = own->impulse + contacts;
  own->velocity = own->bilateral_impulse + p->bilateral_count;
  own->contact_velocity =
      number[VELOCITIES] != 0 ? own->velocity + 6 * (int64_t)p->rigid.body_count : NULL;
  return TALUS_OK;
}

/* ---- the solve ------------------------------------------------------------------------------- */

/* Results to those who gave the pieces. */
static talus_status results_send(talus_solver *solver, const talus_solution *own,
                                 const talus_solution *piece) {
  talus_context *const context = solver->context;
  tl_part *const part = &solver->part;
  tl_buffer *const scratch = &part->scratch;
  const int32_t d = part->problem.dimension;
  TL_TRY(tl_delivery_back(context, &part->contacts, d, own->impulse, piece->impulse, scratch));
  if (part->row_count > 0) {
    TL_TRY(tl_delivery_back(context, &part->rows, 1, own->bilateral_impulse,
                            piece->bilateral_impulse, scratch));
  }
  TL_TRY(tl_delivery_back(context, &part->bodies, 6, own->velocity, piece->velocity, scratch));
  return own->contact_velocity != NULL
             ? tl_delivery_back(context, &part->contacts, d, own->contact_velocity,
                                piece->contact_velocity, scratch)
             : TALUS_OK;
}

talus_status tl_pieces_solve(talus_solver *solver, const tl_request *request) {
  talus_context *const context = solver->context;
  const talus_solution none = talus_solution_default();
  const talus_solution *const piece = request->solution != NULL ? request->solution : &none;
  tl_request all = {.info = request->info};
  talus_solution *const own = &all.copy.solution;
  TL_TRY(request_agree(solver, request->solution, piece, own));
  solver->part.keys_matched = 0;
  if (solver->settings.warm_start) {
    TL_TRY(start_send(solver, piece, own));
  }
  all.solution = own;
  const int32_t same_bits = solver->settings.same_bits;
  solver->settings.same_bits = 1; /* by methods that all ranks have alike */
  const talus_status status = tl_solver_solve(solver, &all);
  solver->settings.same_bits = same_bits;
  if (status != TALUS_OK) {
    if (!tl_ranks_told(context, status)) {
      tl_ranks_give_up(context);
    }
    return status;
  }
  TL_TRY(results_send(solver, own, piece));
  return tl_pieces_names_save(solver, own);
}
