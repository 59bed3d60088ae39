/* small.h: direct solvers for small problems: W dense, u = W y + q, a few hundred contacts.
 *
 *   small.c       a small problem as a solve keeps it, around a tl_scaled
 *   sweep.c       starts for faceted cones
 *   lcp.c         the faceted law as a (mixed) linear complementarity problem; lemke.c pivots,
 *                 fischer.c has its penalised Fischer-Burmeister equations
 *   levenberg.c, qr.c   Levenberg-Marquardt and least squares on the host
 *   round.c       the circular cone: plans of phases for a backend (kernels/small_batch.h)
 *   islands.c     parts of a large problem that are small
 *   small_methods.c  the methods */
#ifndef TL_SMALL_H
#define TL_SMALL_H

#include <math.h>

#include "host/method/method.h"
#include "host/problem/islands.h"
#include "host/problem/reference.h"
#include "host/problem/scaled.h"
#include "kernels/item/dense.h"
#include "kernels/small_batch.h"

enum { TL_SMALL_MOST = 1024 /* constraints that are still called small */ };

typedef struct tl_small {
  talus_context *context;
  tl_run *run;      /* the one under way */
  bool stop;        /* a limit of it was reached */
  bool nested;      /* pivots are part of something else: they count as passes */
  bool ready;       /* the scaled problem is that of the assembly */
  tl_scaled scaled; /* W dense, q of length one */
  double *pace;     /* [count] as in tl_small_problem */
  double rounding;  /* dense plan: as in tl_assembly */
  talus_law law;
  double slack;   /* as in tl_run */
  tl_best best;   /* [stride] */
  double *y, *u;  /* [stride] scratch */
  double *found;  /* [stride] room for what a batch finds before the solve */
  double *engine; /* [3 count] impulses on their way in and out */
  tl_buffer vectors, work, pivots, integers, slips;
  tl_islands forest;                  /* islands.c */
  tl_buffer groups, islands, records; /* ... */
} tl_small;

/* ---- small.c --------------------------------------------------------------------------------- */

/* Imports the assembled problem, or the part of it that pick, place and count name. Statuses:
 * OUT_OF_MEMORY, UNSUPPORTED (too many constraints). */
talus_status tl_small_form(tl_small *small, const tl_assembly *assembly,
                           const tl_scaled_options *part);
/* Makes vectors and paces for the scaled problem at hand. */
talus_status tl_small_take(tl_small *small);
/* Keeps y if it is better than the best so far; u is scratch. */
void tl_small_offer(tl_small *small, const double *y, double *u);

/* ---- sweep.c --------------------------------------------------------------------------------- */

/* So many projected block Gauss-Seidel sweeps from y, unless time runs out. */
void tl_small_sweep(tl_small *small, int32_t sweeps, double *y);

/* ---- equations for levenberg.c --------------------------------------------------------------- */

/* phi(z) = 0 and, if jacobian is not NULL, its derivative (size x size, row-major). */
typedef struct tl_equations {
  int32_t size;
  void (*evaluate)(void *self, const double *z, double *phi, double *jacobian);
  /* Offers the impulses that z stands for; returns whether the iteration may end. */
  bool (*look)(void *self, const double *z);
  void *self;
  tl_small *small;      /* limits and counts */
  tl_small_phase phase; /* levenberg.c: who is asked within a long step */
} tl_equations;

/* Numbers of scratch that the two below need. */
size_t tl_levenberg_room(int32_t size);
/* Regular: [A] section 5.1. Improves z; returns 1 if psi fell below 1e-30 or look() said so. */
int tl_levenberg_regular(tl_equations *e, int32_t most, double *z, double *room);
/* Projected: [A] section 5.2, nonmonotone line search with watchdog. */
int tl_levenberg_projected(tl_equations *e, int32_t most, double *z, double *room);

/* Whether a limit of the run is reached; asks no more once it was. */
bool tl_small_limit(tl_small *small);
/* The same within an iteration: time and the caller's callback alone. */
bool tl_small_late(tl_small *small);
/* A phase that asks this and nothing else. */
tl_small_phase tl_small_watched(tl_small *small);

/* ---- methods as a solve knows them ---------------------------------------------------------- */

/* Whether so many constraints are few enough for mncp_prox under `auto`. */
bool tl_small_serves(const talus_settings *settings, int32_t constraints);
/* Whether `auto` is to begin with it: so many are factored sooner than swept. */
bool tl_small_begins(const talus_settings *settings, talus_form form, int32_t constraints);
/* Whether interior_point is to begin with W written out: few constraints under the convex law. */
bool tl_small_barrier(const talus_settings *settings, int32_t constraints);
/* Writes out the run's problem, unless that has been done; sets law and R(0), best = 0. */
talus_status tl_small_open(tl_run *run);
/* Memory for this folder's methods, still without a problem. */
talus_status tl_small_make(talus_context *context, tl_method_memory *memory);
/* Law and R(0) of what is written out; best = 0. velocity_scale: in the units of q before it was
 * made one long; 0: none. */
void tl_small_reset(tl_small *small, const talus_settings *settings, double velocity_scale);
/* Own epsilon at which methods may end, without the slack that a velocity_scale gives. */
double tl_small_target(const talus_settings *settings);
/* Solves; the best impulses are kept in the engine. */
talus_status tl_small_solve(tl_run *run, const double *start, talus_method *used);
void tl_small_forget(tl_small *small);
int64_t tl_small_bytes(const tl_small *small);
void tl_small_release(talus_context *context, tl_small *small);

#endif
