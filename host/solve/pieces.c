/* pieces.c: a problem of several ranks: their pieces are made one, and solved by all of them.
 *
 * What only one rank may know (a bad array, no memory) is agreed upon before anything is exchanged;
 * a rank that fails later tells the others, which then do not wait for it. */
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
  TL_TRY(tl_join(context, packed, &solver->joined));
  solver->problem = solver->joined.whole;
  const double checked = tl_clock();
  solver->seconds_check = checked - begin;
  return tl_ranks_agree(context, tl_plan_choose(solver, checked));
}

/* ---- the solve ------------------------------------------------------------------------------- */

static talus_status settings_allow(const talus_solver *solver, const talus_solution *solution) {
  const talus_settings *const s = &solver->settings;
  const bool served =
      s->method == TALUS_METHOD_AUTO ||
      (tl_method_of(s->method)->family == TL_FAMILY_FIRST_ORDER && s->method != TALUS_METHOD_APGD);
  if (!served || s->cone != TALUS_CONE_CIRCULAR || s->unique || s->islands ||
      s->dump != TALUS_DUMP_NONE) {
    return tl_fail(
        solver->context, TALUS_UNSUPPORTED,
        "settings.method %s is not for ranks, nor are faceted cones, unique, islands and "
        "dump: use auto, gauss_seidel_nesterov, gauss_seidel, apgdb, jacobi or spectral",
        talus_method_name(s->method));
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
      (double)s->law, (double)s->method,          (double)s->precision,  (double)s->measure,
      s->tolerance,   (double)s->max_iterations,  (double)s->warm_start, s->momentum_cap,
      s->slip_filter, (double)s->fixed_iterations};
  int64_t limits = s->max_seconds > 0 || s->progress != NULL;
  TL_TRY(tl_ranks_same(solver->context, numbers, sizeof numbers, "setting"));
  TL_TRY(tl_ranks_largest(solver->context, &limits, 1));
  solver->joined.limits = limits != 0;
  return TALUS_OK;
}

bool tl_pieces_end(talus_solver *solver, bool own) {
  int64_t end = own;
  if (!solver->on_ranks || !solver->joined.limits) {
    return own;
  }
  return tl_ranks_largest(solver->context, &end, 1) != TALUS_OK || end != 0;
}

talus_status tl_pieces_solve(talus_solver *solver, const tl_request *request) {
  talus_context *const context = solver->context;
  const talus_solution none = talus_solution_default();
  const talus_solution *const piece = request->solution != NULL ? request->solution : &none;
  tl_request all = {.info = request->info};
  TL_TRY(tl_ranks_agree(context, settings_allow(solver, request->solution)));
  TL_TRY(settings_agree(solver));
  TL_TRY(tl_join_results(context, &solver->joined, piece, solver->settings.warm_start != 0,
                         &all.copy.solution));
  all.solution = &all.copy.solution;
  const int32_t same_bits = solver->settings.same_bits;
  solver->settings.same_bits = 1; /* by methods that all ranks have alike */
  const talus_status status = tl_solver_solve(solver, &all);
  solver->settings.same_bits = same_bits;
  if (status != TALUS_OK) {
    tl_ranks_give_up(context);
    return status;
  }
  tl_join_share(&solver->joined, all.solution, piece);
  return TALUS_OK;
}
