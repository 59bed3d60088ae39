/* solver.h: the solver, and what its files share:
 *
 *   solver.c    life, the problem, who may come in    plan_*.c    how a problem is solved
 *   solve.c     one solve from start to info          solution.c  warm start and results
 *   run.c       attempts, limits, progress            async.c     a solve on a thread of its own
 *   certify.c   asks the certificate                  dump.c      problems into files
 *   pieces*.c   a problem of several ranks */
#ifndef TL_SOLVER_H
#define TL_SOLVER_H

#include "host/problem/sleep.h"
#include "host/ranks/ranks.h"
#include "host/solve/certificate.h"
#include "host/solve/keys.h"
#include "host/solve/plan.h"

struct tl_async; /* a solve on a thread of its own; async.c */

/* An engine, and what it was made for. */
typedef struct tl_engine_slot {
  tl_engine *engine; /* NULL until one is needed */
  talus_precision precision;
  const tl_backend *backend;
  int32_t threads;
  int64_t revision; /* of the assembly that it holds; 0: none */
} tl_engine_slot;

/* A problem in device memory; plan_device.c. */
typedef struct tl_device_problem {
  talus_problem given; /* what the caller gave, with ... */
  talus_layout layout; /* ... its layout */
  tl_raw raw;
  bool fetched; /* solver->problem and the order are copies on the host */
} tl_device_problem;

struct talus_solver {
  talus_context *context;
  uint32_t magic; /* of a solver that was created and not destroyed */
  int busy;       /* a thread is inside, or a solve under way: atomic, as is ... */
  int under_way;  /* ... this: between solve_async and wait */
  talus_settings settings;
  const tl_plan *plan;   /* NULL: no problem yet */
  talus_problem problem; /* packed; its arrays are the caller's, borrowed until the solve, or ... */
  tl_gathered gathered;  /* ... copies of what lay otherwise */
  talus_memory memory;   /* where the caller's arrays were */
  tl_device_problem device;
  bool dense_refused; /* the problem's numbers are not for the dense plan */
  tl_assembly assembly;
  tl_engine_slot slot;
  tl_certification certification;
  tl_method_memory methods;
  tl_buffer exported; /* impulses in the caller's order, contacts first */
  tl_sleep sleep;
  tl_keys contact_keys, row_keys; /* impulses of the last solve by name */
  bool alone;                     /* in a context with ranks: each solves its own, whole */
  bool on_host;                   /* no engine of a device is used */
  bool on_ranks;                  /* the problem is one of several ranks: ... */
  talus_problem piece;            /* ... what this one was given, ... */
  tl_part part;                   /* ... what it has of the whole ... */
  tl_rank_halo rank_halo;         /* ... and shares with others */
  struct tl_async *async;         /* NULL until the first solve_async */
  struct {
    tl_buffer path;        /* settings.dump_path, copied, with room for a number */
    int32_t written, next; /* files; number of the last one tried */
    double worst;          /* the largest measure written; -1: none */
  } dump;
  double seconds_check, seconds_build;
  int64_t solve_count; /* so far, for settings.certify */
};

/* INVALID_ARGUMENT unless solver and context live, as far as their memory tells. */
talus_status tl_solver_check(const talus_solver *solver);
/* One thread at a time: INVALID_ARGUMENT (no solver), BUSY, CALL_ORDER (a solve is under way). */
talus_status tl_solver_enter(talus_solver *solver);
void tl_solver_leave(talus_solver *solver);

/* settings_check.c: copies and checks a caller's settings, NULL for the defaults. Statuses:
 * STRUCT_SIZE, BAD_SETTING, UNSUPPORTED, naming the setting. */
talus_status tl_settings_read(talus_context *context, const talus_settings *given,
                              talus_settings *own);

/* Packs and checks a problem on the host, leaves out what sleeps, and chooses a plan. */
talus_status tl_solver_take(talus_solver *solver, const talus_problem *problem);
/* Whether the settings want an order for sweeps. */
bool tl_solver_wants_colours(const talus_solver *solver);
/* Whether they want the problem's arrays on the host. */
bool tl_solver_wants_host(const talus_solver *solver);
int32_t tl_solver_threads(const talus_solver *solver);
/* Whose engine so many constraints of the caller's are given to. */
const tl_backend *tl_solver_backend(const talus_context *context, talus_memory memory,
                                    int32_t constraints);
/* The packed problem with what sleeps. */
const talus_problem *tl_solver_whole(const talus_solver *solver);
/* Where the bilateral rows begin in impulses in the caller's order. */
int64_t tl_solver_rows(const talus_solver *solver);

/* What the caller wants of a solve. */
typedef struct tl_request {
  const talus_solution *solution; /* NULL, or that of `copy` */
  tl_solution_copy copy;
  talus_info *info;      /* the caller's, of its own size, or NULL */
  const tl_found *found; /* what a batch has found before, or NULL */
  bool queued;           /* results in device memory need not be waited for */
} tl_request;

/* CALL_ORDER, STRUCT_SIZE: what can be said before anything is computed. `request` must not move.
 */
talus_status tl_request_make(talus_solver *solver, const talus_solution *solution, talus_info *info,
                             tl_request *request);
/* talus_solver_solve, once tl_solver_enter has succeeded. */
talus_status tl_solver_solve(talus_solver *solver, const tl_request *request);
/* pieces.c: tl_solver_take of the pieces that all ranks have; `status`: whether this one's may be
 * read. Collective. */
talus_status tl_pieces_take(talus_solver *solver, talus_status status, const talus_problem *piece);
/* A solve by all ranks; each gets the results of its piece. Collective. */
talus_status tl_pieces_solve(talus_solver *solver, const tl_request *request);
/* Whether it is so on any rank. Collective. */
bool tl_pieces_any(talus_solver *solver, bool own);
/* pieces_names.c: impulses to start from by name, instead of the caller's, where there are names;
 * those just found. Collective. */
talus_status tl_pieces_names_match(talus_solver *solver, const double **impulse,
                                   const double **row);
talus_status tl_pieces_names_save(talus_solver *solver, const talus_solution *own);
/* Whether any rank wants to end, if some have limits of time or callbacks. */
bool tl_pieces_end(talus_solver *solver, bool own);
/* A solve that knows its settings and problem, not yet its engine. */
tl_solve tl_solve_begin(talus_solver *solver, const tl_found *found);

/* Where a solve begins, in the caller's order and without what sleeps; *start is NULL if at 0. */
talus_status tl_solution_start(tl_solve *solve, const tl_outlet *outlet, const double **start);
/* What the caller gets, and what is remembered by name. */
talus_status tl_solution_fill(talus_solver *solver, const tl_outlet *outlet);

/* plan_device.c: as tl_solver_queue, once tl_solver_enter has succeeded. */
talus_status tl_plan_device_queue(talus_solver *solver, const talus_problem *problem,
                                  const tl_solution_copy *solution, const tl_queued_facts *facts,
                                  bool *queued);

/* With a solve under way: whether this is its own thread, in a callback. */
bool tl_async_inside(const talus_solver *solver);
/* Whether this process was forked off while a solve was under way: the thread, and what it was
 * about to do, stayed behind. */
bool tl_async_stranded(const talus_solver *solver);
/* Waits for a solve under way, ends the thread. */
void tl_async_release(talus_solver *solver);

/* Takes a copy of settings.dump_path. */
talus_status tl_dump_set(talus_solver *solver);
/* Writes the problem just solved if the settings want it; what goes wrong is logged. */
void tl_dump_consider(talus_solver *solver, talus_outcome outcome, double measure);
void tl_dump_release(talus_solver *solver);

#endif
