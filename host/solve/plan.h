/* plan.h: how a solver solves its problem. Chosen by talus_solver_update, and again when the
 * settings have changed:
 *
 *   plan_engine.c   a system assembled on the host, in an engine of the CPU or of a device
 *   plan_device.c   form (a) in device memory: checked, ordered and assembled there
 *   plan_dense.c    few contacts: W from the caller's arrays, no system and no engine */
#ifndef TL_PLAN_H
#define TL_PLAN_H

#include "host/problem/layout.h"
#include "host/solve/run.h"

typedef struct tl_plan {
  const char *name;
  /* Makes the problem ready for the present settings; may put another plan in the solver's. */
  talus_status (*prepare)(talus_solver *solver);
  /* Runs the methods, from the caller's impulses if the settings want that. *done = false: it has
   * no answer, and the plan of an engine is to be tried. */
  talus_status (*solve)(tl_solve *solve, const tl_outlet *outlet, bool *done);
  /* The kept impulses, in the caller's order, into solver->exported. */
  talus_status (*export)(tl_solve *solve);
  /* Keeps no impulses: what was found is worse. */
  talus_status (*rest)(tl_solve *solve);
} tl_plan;

extern const tl_plan tl_plan_engine, tl_plan_device, tl_plan_dense;

/* Puts a plan in the solver for a problem that was packed and checked: dense if it is for that,
 * else an engine's, assembled. begin: the clock, now. */
talus_status tl_plan_choose(talus_solver *solver, double begin);

/* ---- plan_engine.c --------------------------------------------------------------------------- */

/* Builds the system, ordered as the settings want it. */
talus_status tl_plan_assemble(talus_solver *solver);
/* The engine for the problem and precision, with the problem in it. raw: as for engine upload. */
talus_status tl_plan_engine_make(talus_solver *solver, tl_raw *raw);
/* Runs the methods on the engine, from impulses in the caller's order (NULL: 0). reference: R(0);
 * inverse_weight: sum of 1 / w_k. */
talus_status tl_plan_engine_run(tl_solve *solve, const double *start, double reference,
                                double inverse_weight);
/* Impulses kept in the engine: to `exported`; none. */
talus_status tl_plan_engine_export(tl_solve *solve);
talus_status tl_plan_engine_rest(tl_solve *solve);

/* ---- plan_device.c --------------------------------------------------------------------------- */

/* *taken: the problem is in the engine, and was never on the host; false: it must go through it. */
talus_status tl_plan_device_take(talus_solver *solver, const talus_problem *problem, bool *taken);

/* For a resident solve: the sums of the certificate; the results. */
talus_status tl_plan_device_judge(tl_solve *solve, tl_judge_sums *sums);
talus_status tl_plan_device_give(tl_solve *solve, const tl_outlet *outlet);

/* ---- plan_dense.c ---------------------------------------------------------------------------- */

/* Whether the solver's problem and settings are for this plan. */
bool tl_plan_dense_serves(const talus_solver *solver);
/* Writes the problem out; puts the plan in the solver unless the numbers are not for it. */
talus_status tl_plan_dense_take(talus_solver *solver);
/* Law and R(0) of the settings for what is written out; false if nothing is to be solved. */
bool tl_plan_dense_open(talus_solver *solver);

#endif
