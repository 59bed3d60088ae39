/* run.h: what a method sees of the solve that it is part of: the scaled problem, the settings, the
 * engine, counts and the best impulses so far; and what it may ask for: limits, the certificate,
 * passes of another method. host/solve answers (tl_run_ops). */
#ifndef TL_METHOD_RUN_H
#define TL_METHOD_RUN_H

#include <stdbool.h>

#include "host/problem/assembly.h"
#include "kernels/backend.h"

typedef struct tl_run tl_run;

typedef struct tl_run_ops {
  /* The epsilon from which on impulses are worth a certificate. Which one Siconos' measure wants
   * only the certificate knows: it is asked once beforehand. */
  double (*worth)(const tl_run *run);
  /* Whether a limit is reached that ends the run; sets the outcome. */
  bool (*limit)(tl_run *run);
  /* The same within an iteration: time and the caller's callback alone. */
  bool (*late)(tl_run *run);
  /* Seconds that are left of the limit; INFINITY: there is none. */
  double (*left)(const tl_run *run);
  /* Hands over impulses found elsewhere (internal order, three each): kept if they are the best,
   * certified if they meet the target. *done: the certificate agrees, the run is over. */
  talus_status (*offer)(tl_run *run, const double *impulse, bool *done);
  /* Impulses that are to be kept whatever their epsilon; *measure: what the certificate says. */
  talus_status (*replace)(tl_run *run, const double *impulse, double *measure);
  /* Sweeps from the kept impulses for so many passes. *done: converged, or a limit came. */
  talus_status (*sweep)(tl_run *run, int64_t passes, bool *done);
  /* The same of gradient steps, from 0: they end elsewhere than where sweeps have led. */
  talus_status (*gradient)(tl_run *run, int64_t passes, bool *done);
} tl_run_ops;

/* Memory that methods keep from solve to solve; NULL until one is used. The solver owns it. */
typedef struct tl_method_memory {
  struct tl_newton *newton;
  struct tl_small *small;
} tl_method_memory;

/* What a backend has found for a small problem before the solve: its plan is not run again. */
typedef struct tl_found {
  const double *impulse; /* scaled, as tl_small has them */
  tl_small_result result;
} tl_found;

struct tl_run {
  const tl_run_ops *ask;
  talus_context *context;
  const talus_settings *settings;
  tl_method_memory *memory;
  /* the problem */
  const tl_assembly *assembly; /* scaled; its arrays are empty if ... */
  bool on_device;              /* ... it lies in the memory of a device alone */
  bool coloured;               /* it is ordered for sweeps */
  talus_form form;
  double velocity_scale; /* of the problem, in the assembly's unit; 0: none */
  int32_t threads;
  const tl_found *found; /* NULL: nothing was found before */
  /* the engine that holds it; a dense solve has none */
  tl_engine *engine;
  const tl_engine_ops *ops;
  talus_backend_kind backend;
  /* the solve so far */
  double tolerance; /* of the caller, in the measure of the settings */
  double target;    /* epsilon at which the certificate is asked */
  double reference; /* R(0) */
  double slack;     /* max(1, R_s/R(0)): a tolerance times this is an epsilon */
  double best;      /* smallest R(x)/R(0); its impulses are kept */
  bool asked;       /* measure SICONOS: the certificate was asked how it compares with epsilon */
  double lipschitz; /* L to start from */
  tl_state state;
  int64_t iterations, passes, factorisations;
  talus_outcome outcome;
  double incompatible; /* see talus_info */
  uint32_t notes;
};

static inline double tl_run_worth(const tl_run *run) {
  return run->ask->worth(run);
}
static inline bool tl_run_limit(tl_run *run) {
  return run->ask->limit(run);
}
static inline bool tl_run_late(tl_run *run) {
  return run->ask->late(run);
}
static inline double tl_run_left(const tl_run *run) {
  return run->ask->left(run);
}
static inline talus_status tl_run_offer(tl_run *run, const double *impulse, bool *done) {
  return run->ask->offer(run, impulse, done);
}

#endif
