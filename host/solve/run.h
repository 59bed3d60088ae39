/* run.h: one solve on its way: limits, counts, the best so far; and the methods that advance it. */
#ifndef TL_RUN_H
#define TL_RUN_H

#include "host/problem/assembly.h"
#include "host/problem/layout.h"
#include "host/problem/reference.h"
#include "host/problem/sleep.h"
#include "host/solve/certificate.h"
#include "host/solve/keys.h"
#include "kernels/backend.h"

struct tl_newton; /* second-order methods; host/newton */

struct tl_async; /* a solve on a thread of its own; async.c */

struct talus_solver {
  talus_context *context;
  uint32_t magic; /* of a solver that was created and not destroyed */
  int busy;       /* a thread is inside, or a solve under way: atomic, as is ... */
  int under_way;  /* ... this: between solve_async and wait */
  talus_settings settings;
  talus_problem problem; /* packed; its arrays are the caller's, borrowed until the solve, or ... */
  tl_gathered gathered;  /* ... copies of what lay otherwise */
  talus_memory memory;   /* where the caller's arrays were */
  int resident;          /* they stayed there: the engine was built from `raw`, and ... */
  int fetched;           /* ... `problem` and the order have been fetched for the certificate */
  talus_problem given;   /* then: what the caller gave, with ... */
  talus_layout layout;   /* ... its layout */
  tl_raw raw;
  int has_problem;
  tl_assembly assembly;
  tl_engine *engine;
  talus_precision engine_precision;
  const tl_backend *engine_backend;
  int32_t threads;
  int direct;   /* the problem is written out by host/solve/direct.c, and there is no assembly */
  int refused;  /* its numbers are not for that */
  int coloured; /* how the assembly was ordered; -1: it is not complete */
  int uploaded;
  tl_certification certification;
  struct tl_newton *newton; /* NULL until one is used */
  struct tl_small *small;   /* host/small; NULL until one of its methods is used */
  tl_buffer exported;       /* impulses in the caller's order */
  tl_sleep sleep;
  tl_keys contact_keys, row_keys; /* impulses of the last solve by name */
  int32_t keys_matched;
  struct tl_async *async; /* NULL until the first solve_async */
  struct {
    tl_buffer path;        /* settings.dump_path, copied, with room for a number */
    int32_t written, next; /* files; number of the last one tried */
    double worst;          /* the largest measure written; -1: none */
  } dump;
  double seconds_check, seconds_build;
};

typedef struct tl_method tl_method;

typedef struct tl_run {
  talus_solver *solver;
  talus_context *context;
  tl_engine *engine;
  const tl_engine_ops *ops;
  int law;           /* index into squares: 0 convex, 1 exact */
  double tolerance;  /* of the caller, in his measure */
  double target;     /* epsilon at which the certificate is asked */
  double reference;  /* R(0) */
  double slack;      /* max(1, R_s/R(0)): a tolerance times this is an epsilon */
  double epsilon;    /* R(x)/R(0) at the last check */
  double best;       /* the smallest of these; its impulses are kept */
  double mark;       /* best when progress was last noted */
  int32_t certified; /* certificates asked for */
  int asked;         /* measure SICONOS: the certificate was asked how it compares with
                            epsilon */
  double ratio;      /* R(x) over the step's own norm, at the last check */
  int64_t iterations, passes;
  int64_t factorisations;
  int64_t best_passes; /* passes when best last fell by a tenth */
  double factor_cost;  /* passes that a factorisation costs; 0: not known yet */
  double begin;        /* clock */
  double seconds_certificate;
  double seconds_build; /* of an assembly within the run */
  double lipschitz;     /* L to start from */
  tl_state state;
  talus_outcome outcome;
  double incompatible; /* see talus_info */
  uint32_t notes;
  int proved; /* the certificate below is that of the kept impulses */
  talus_certificate certificate;
  double measure; /* what the tolerance means, from the certificate */
} tl_run;

/* One method: how it sets its rule, and how it advances by some iterations. */
struct tl_method {
  talus_method id;
  /* Whatever must be known before (largest eigenvalue), and the rule's fields beyond law, filter
   * and cap, which are set. */
  talus_status (*prepare)(tl_run *run, tl_rule *rule);
  talus_status (*advance)(tl_run *run, const tl_rule *rule, int32_t count);
  /* Or the whole attempt at once, the two above being NULL: starts from the kept impulses, offers
   * better ones, and says whether the run is over. */
  talus_status (*attempt)(tl_run *run, int *done);
};

extern const tl_method tl_method_jacobi, tl_method_apgd, tl_method_apgdb, tl_method_gauss_seidel,
    tl_method_gauss_seidel_nesterov, tl_method_spectral, tl_method_newton, tl_method_path,
    tl_method_interior_point, tl_method_mncp_prox, tl_method_mncp_near, tl_method_mncp_rest,
    tl_method_barrier, tl_method_islands;
/* Never AUTO. */
const tl_method *tl_method_find(talus_method id);
/* Whether it goes from contact to contact, which needs colours. */
int tl_method_sweeps(talus_method id);
/* Whether it does so at times, by name, with so many constraints. */
int tl_method_colours(talus_method id, int32_t constraints);
/* What the methods that are gradient steps (kernels' gradient.h) advance by. */
talus_status tl_gradient_advance(tl_run *run, const tl_rule *rule, int32_t count);

/* One attempt: a method with its momentum and filter, and how long it may go without progress. */
typedef struct tl_attempt {
  const tl_method *method;
  double cap, filter;
  double late_cap;  /* the cap once LATE_PASSES have gone by: the problem is a hard one */
  int64_t patience; /* passes without the residual falling by a tenth */
  double leap;      /* a residual this much above the best means that the step is too long */
  int64_t budget;   /* passes after which the next attempt takes over; 0: none */
  int32_t last;     /* nothing comes after: patience grows with the passes made */
  double rival;     /* > 0: after the budget it goes on while its rate promises an end within the
                     * passes that so many factorisations cost */
} tl_attempt;

/* The attempts for these settings, in order; returns how many (at most `most`). */
int32_t tl_attempts_plan(const tl_run *run, tl_attempt *attempts, int32_t most);

/* Sweeps that may wander: no patience but for the budget's end, in passes. */
tl_attempt tl_attempt_sweeps(const tl_run *run, int64_t budget);
tl_attempt tl_attempt_gradient(const tl_run *run, int64_t budget);

/* Starts from `impulse` (internal order, NULL = 0) and runs the attempts; the outcome, counts and
 * best impulses (kept in the engine) are the result. */
talus_status tl_run_all(tl_run *run, const double *impulse, talus_method *used);

/* The epsilon from which on impulses are worth a certificate. Which one Siconos' measure wants only
 * the certificate knows: it is asked once beforehand. */
double tl_run_worth(const tl_run *run);
/* A limit that ends the run, if one is reached: the outcome is set. */
int tl_run_limit(tl_run *run);
/* The same within an iteration: time and the caller's wish alone. */
int tl_run_late(tl_run *run);
/* Hands over impulses found elsewhere (internal order, three each): kept if they are the best,
 * judged by the certificate if they meet the target. *done = 1: it agrees, the run is over. */
talus_status tl_run_offer(tl_run *run, const double *impulse, int *done);

/* Sweeps from the kept impulses for so many passes. *done = 1: converged, or a limit came. */
talus_status tl_run_sweep(tl_run *run, int64_t passes, int *done);
/* Gradient steps, from 0: they end elsewhere than where sweeps have led. */
talus_status tl_run_gradient(tl_run *run, int64_t passes, int *done);

/* Impulses that are to be kept whatever their epsilon, with their certificate. */
talus_status tl_run_replace(tl_run *run, const double *impulse);

/* Asks the certificate about the kept impulses, unless that has been done. */
talus_status tl_run_certify(tl_run *run);
/* The same about those that stand in the solver's `exported`. */
talus_status tl_run_judge(tl_run *run);

/* settings_check.c: copies and checks a caller's settings, NULL for the defaults. Statuses:
 * STRUCT_SIZE, BAD_SETTING, UNSUPPORTED, naming the setting. */
talus_status tl_settings_read(talus_context *context, const talus_settings *given,
                              talus_settings *own);
/* cost.c: what a factorisation costs, in passes; INFINITY: this build has none for this size. */
talus_status tl_cost_factor(tl_run *run, double *passes);
/* What it costs to know that. */
double tl_cost_order(const tl_shape *shape);

/* engine.c: whose engine so many constraints of the caller's are given to. */
const tl_backend *tl_engine_backend(const talus_context *context, talus_memory memory,
                                    int32_t constraints);
/* The engine for the problem and precision, with the problem in it. */
talus_status tl_engine_make(talus_solver *solver);

/* resident.c */
/* *taken: the problem is in the engine, and was never on the host. 0: it must go the other way. */
talus_status tl_resident_take(talus_solver *solver, const talus_problem *problem, int *taken);
/* What the host needs of it once impulses are to be told or judged: the raw problem, packed, and
 * the order. Nothing if the problem is not resident. */
talus_status tl_resident_fetch(talus_solver *solver);

/* host/newton */
typedef struct tl_newton tl_newton;
/* Entries and operations of a factor; the problem is written out and its matrix ordered for it. */
talus_status tl_newton_foresee(tl_run *run, double *entries, double *operations);
/* Puts the least-norm impulses in the place of the kept ones, which are a solution. */
talus_status tl_newton_unique(tl_run *run);
/* Another problem has come; memory; the end: these accept NULL. */
void tl_newton_forget(tl_newton *newton);
int64_t tl_newton_bytes(const tl_newton *newton);
void tl_newton_release(talus_context *context, tl_newton *newton);

#endif
