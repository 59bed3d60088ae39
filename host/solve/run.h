/* run.h: one solve on its way: what methods see of it (host/method/run.h), and what only host/solve
 * knows: the certificate, progress, times. */
#ifndef TL_SOLVE_RUN_H
#define TL_SOLVE_RUN_H

#include "host/method/method.h"

typedef struct tl_solve {
  tl_run run; /* first: methods are given its address */
  talus_solver *solver;
  talus_method used; /* the method that found the impulses */
  /* progress */
  double epsilon;      /* R(x)/R(0) at the last check */
  double mark;         /* best when progress was last noted */
  double ratio;        /* R(x) over the step's own norm, at the last check */
  int64_t best_passes; /* passes when best last fell by a tenth */
  double factor_cost;  /* passes that a factorisation costs; 0: not known yet */
  /* the certificate */
  int32_t certified;    /* how often it was asked and did not agree */
  bool velocity_wanted; /* the caller wants the contacts' velocities */
  bool proved;          /* what follows is of the kept impulses */
  bool resident;        /* impulses, certificate and results stay in the memory of a device */
  bool start_kept;      /* the run begins at the impulses put aside */
  bool uncertified;     /* the solver's own residual is believed */
  bool queued;          /* results that stay there need not be waited for */
  talus_certificate certificate;
  double measure; /* what the tolerance means, from the certificate */
  /* for talus_info */
  double begin; /* clock */
  double seconds_certificate;
  double seconds_build; /* of an assembly within the solve */
  int32_t colours, keys_matched;
} tl_solve;

/* What tl_run_ops point to. */
extern const tl_run_ops tl_solve_ops;

/* Starts from `impulse` (internal order, NULL = 0) and runs the attempts; the outcome, counts and
 * best impulses (kept in the engine) are the result. */
talus_status tl_run_all(tl_solve *solve, const double *impulse);
/* The same of settings.fixed_iterations: so many of the first attempt's, and nothing is asked. */
talus_status tl_run_fixed(tl_solve *solve, const double *impulse);

/* certify.c: whether settings.certify leaves this solve to the solver's own residual. */
bool tl_solve_believes(const tl_solve *solve);
/* Asks the certificate about the kept impulses, unless that has been done. */
talus_status tl_solve_certify(tl_solve *solve);

#endif
