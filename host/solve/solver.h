/* solver.h: between the files that make up the solver:
 *
 *   solver.c    life, the problem, who may come in    engine.c    which engine, with which problem
 *   solve.c     one solve from start to info          solution.c  warm start and results
 *   certify.c   asks the certificate                  async.c     a solve on a thread of its own
 *   dump.c      problems into files                   resident.c  problems in device memory */
#ifndef TL_SOLVER_H
#define TL_SOLVER_H

#include "host/solve/run.h"

/* INVALID_ARGUMENT unless solver and context live, as far as their memory tells. */
talus_status tl_solver_check(const talus_solver *solver);
/* One thread at a time: INVALID_ARGUMENT (no solver), BUSY, CALL_ORDER (a solve is under way). */
talus_status tl_solver_enter(talus_solver *solver);
void tl_solver_leave(talus_solver *solver);

/* The system of the problem taken, ordered as the settings want it. */
talus_status tl_solver_assemble(talus_solver *solver);

/* What the caller wants of a solve. */
typedef struct tl_request {
  const talus_solution *solution; /* NULL, or that of `copy` */
  tl_solution_copy copy;
  talus_info *info; /* the caller's, of its own size, or NULL */
} tl_request;

/* CALL_ORDER, STRUCT_SIZE: what can be said before anything is computed. `request` must not move.
 */
talus_status tl_request_make(talus_solver *solver, const talus_solution *solution, talus_info *info,
                             tl_request *request);
/* talus_solver_solve for whoever has come in. */
talus_status tl_solver_solve(talus_solver *solver, const tl_request *request);
/* The same once the system stands; solution may be NULL. */
talus_status tl_solve_carry_out(talus_solver *solver, const talus_solution *solution,
                                talus_info *info);

/* Impulses in the engine's order, on their way in or out: they pass through memory that is free
 * once the system stands. */
tl_buffer *tl_solver_internal(talus_solver *solver);
int32_t tl_solver_threads(const talus_solver *solver);
/* The packed problem with what sleeps. */
const talus_problem *tl_solver_whole(const talus_solver *solver);

/* Where a solve begins, in internal order, or in the caller's if the problem has none; *start is
 * NULL if at 0. */
talus_status tl_solution_start(talus_solver *solver, const tl_outlet *outlet, const double **start);
/* What the caller gets, and what is remembered by name. */
talus_status tl_solution_fill(talus_solver *solver, const tl_outlet *outlet);

/* With a solve under way: whether this is its own thread, in a callback. */
int tl_async_inside(const talus_solver *solver);
/* 1 in a process that was forked off while a solve was under way: the thread, and what it was about
 * to do, stayed behind. */
int tl_async_stranded(const talus_solver *solver);
/* Waits for a solve under way, ends the thread. */
void tl_async_release(talus_solver *solver);

/* Takes a copy of settings.dump_path. */
talus_status tl_dump_set(talus_solver *solver);
/* Writes the problem just solved if the settings want it; what goes wrong is logged. */
void tl_dump_consider(talus_solver *solver, talus_outcome outcome, double measure);
void tl_dump_release(talus_solver *solver);

#endif
