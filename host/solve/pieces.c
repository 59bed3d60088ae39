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

talus_status tl_pieces_take(talus_solver *solver, const talus_problem *piece) {
  talus_context *const context = solver->context;
  const double begin = tl_clock();
  const talus_problem *packed;
  TL_TRY(tl_ranks_agree(context, piece_pack(solver, piece, &packed)));
  TL_TRY(tl_part_deal(context, packed, &solver->part));
  TL_TRY(tl_halo_begin(context, &solver->part, &solver->rank_halo));
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

/* All that decides about the iterations. */
static talus_status settings_agree(talus_solver *solver) {
  const talus_settings *const s = &solver->settings;
  const double numbers[] = {
      (double)s->law, (double)s->method,           (double)s->precision,  (double)s->measure,
      s->tolerance,   (double)s->max_iterations,   (double)s->warm_start, s->momentum_cap,
      s->slip_filter, (double)s->fixed_iterations, (double)s->certify};
  int64_t limits = s->max_seconds > 0 || s->progress != NULL;
  TL_TRY(tl_ranks_same(solver->context, numbers, sizeof numbers, "setting"));
  TL_TRY(tl_ranks_largest(solver->context, &limits, 1));
  solver->part.limits = limits != 0;
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
  TL_TRY(tl_ranks_agree(context, starts_check(solver, piece)));
  TL_TRY(tl_pieces_names_match(solver, &impulse, &row));
  memset(own->impulse, 0, (size_t)p->dimension * (size_t)p->contact_count * sizeof(double));
  memset(own->bilateral_impulse, 0, (size_t)p->bilateral_count * sizeof(double));
  TL_TRY(tl_gifts_forward(context, &part->contacts, p->dimension, impulse, own->impulse,
                          &part->scratch));
  return tl_gifts_forward(context, &part->rows, 1, row, own->bilateral_impulse, &part->scratch);
}

/* ---- the solve ------------------------------------------------------------------------------- */

/* Room for the results of the part. Velocities of contacts only where some rank wants them. */
static talus_status results_take(talus_solver *solver, const talus_solution *piece,
                                 talus_solution *own) {
  const talus_problem *const p = &solver->part.problem;
  const size_t contacts = (size_t)p->dimension * (size_t)p->contact_count;
  const size_t rows = (size_t)p->bilateral_count, bodies = 6 * (size_t)p->rigid.body_count;
  const bool velocities = tl_pieces_any(solver, piece->contact_velocity != NULL);
  TL_TRY(tl_ranks_agree(solver->context,
                        tl_buffer_reserve(solver->context, &solver->part.results,
                                          (velocities ? 2 : 1) * contacts + rows + bodies + 1,
                                          sizeof(double), "results of a rank")));
  *own = talus_solution_default();
  own->impulse = solver->part.results.memory;
  own->bilateral_impulse = own->impulse + contacts;
  own->velocity = own->bilateral_impulse + rows;
  own->contact_velocity = velocities ? own->velocity + bodies : NULL;
  return TALUS_OK;
}

/* Results to those who gave the pieces. */
static talus_status results_send(talus_solver *solver, const talus_solution *own,
                                 const talus_solution *piece) {
  talus_context *const context = solver->context;
  tl_part *const part = &solver->part;
  tl_buffer *const scratch = &part->scratch;
  const int32_t d = part->problem.dimension;
  TL_TRY(tl_gifts_back(context, &part->contacts, d, own->impulse, piece->impulse, scratch));
  TL_TRY(tl_gifts_back(context, &part->rows, 1, own->bilateral_impulse, piece->bilateral_impulse,
                       scratch));
  TL_TRY(tl_gifts_back(context, &part->bodies, 6, own->velocity, piece->velocity, scratch));
  return own->contact_velocity != NULL
             ? tl_gifts_back(context, &part->contacts, d, own->contact_velocity,
                             piece->contact_velocity, scratch)
             : TALUS_OK;
}

talus_status tl_pieces_solve(talus_solver *solver, const tl_request *request) {
  talus_context *const context = solver->context;
  const talus_solution none = talus_solution_default();
  const talus_solution *const piece = request->solution != NULL ? request->solution : &none;
  tl_request all = {.info = request->info};
  talus_solution *const own = &all.copy.solution;
  TL_TRY(tl_ranks_agree(context, settings_allow(solver, request->solution)));
  TL_TRY(settings_agree(solver));
  TL_TRY(results_take(solver, piece, own));
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
