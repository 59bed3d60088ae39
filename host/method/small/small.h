/* small.h: direct solvers for small problems: W written out, u = W y + q, a few hundred contacts.
 *
 *   form.c        W and q of any problem or part of it, contact by contact in the frame (n, t1, t2)
 *                 (host/solve/direct.c: the same from the caller's arrays, without an engine)
 *   touch.c       W from J and J M^-1
 *   residual.c    scaled impulses, velocities, residuals
 *   facets.c      vertices of faceted cones, projection on them; sweep.c starts for them
 *   lcp.c         the faceted law as a (mixed) linear complementarity problem; lemke.c pivots,
 *                 fischer.c has its penalised Fischer-Burmeister equations
 *   levenberg.c, qr.c   Levenberg-Marquardt and least squares on the host
 *   round.c       the circular cone: plans of phases for a backend (kernels/small_batch.h)
 *   islands.c     parts of a large problem that are small
 *   small_methods.c  the methods, limits, the best impulses kept
 *
 * Scaled: y = sqrt(w) x / unit and u = u / (sqrt(w) unit) for each constraint, so that the
 * certificate's measure is the plain natural map and q is of length one. */
#ifndef TL_SMALL_H
#define TL_SMALL_H

#include <math.h>

#include "host/method/method.h"
#include "host/problem/islands.h"
#include "host/problem/reference.h"
#include "kernels/item/dense.h"
#include "kernels/small_batch.h"

enum { TL_SMALL_MOST = 1024 /* constraints that are still called small */, TL_FACETS_MOST = 64 };

typedef struct tl_small {
  talus_context *context;
  tl_run *run;          /* the one under way */
  bool stop;            /* a limit of it was reached */
  bool nested;          /* pivots are part of something else: they count as passes */
  bool ready;           /* the arrays below are those of the assembly's problem */
  const int32_t *pick;  /* [count] constraints of the system, ascending; NULL: all of them */
  const int32_t *place; /* [the system's] where they are here; with pick only */
  int32_t count, rows;
  int32_t stride;        /* rows, padded: how far columns of W are apart */
  int32_t *first;        /* [count + 1] first row of a constraint */
  int32_t *kind;         /* [count] tl_small_kind */
  double *friction;      /* [count] */
  double *root;          /* [count] sqrt(w_k) */
  double *lower, *upper; /* [count] scaled bounds */
  double *frame;         /* [9 count] n t1 t2 in the frame of the engine's impulses */
  double *pace;          /* [count] as in tl_small_problem */
  double *w;             /* [stride * rows] by columns: W_ij = w[stride j + i] */
  double *q;             /* [stride] */
  double unit;
  double rounding; /* direct.c: as in tl_assembly */
  /* the cone of the settings; facet_count 0: circular */
  int32_t facet_count;
  double *vertex; /* [2 facet_count count] vertices in the tangent plane, over mu */
  talus_law law;
  double reference; /* R(0) */
  double slack;     /* as in tl_run */
  double *best;     /* [stride] */
  double epsilon;   /* its R / R(0) */
  double *y, *u;    /* [stride] scratch */
  double *found;    /* [stride] room for what a batch finds before the solve */
  double *engine;   /* [3 count] impulses on their way in and out */
  tl_buffer index, reals, touches, places, vertices, work, pivots, integers, slips;
  tl_islands forest;                  /* islands.c */
  tl_buffer groups, islands, records; /* ... */
} tl_small;

/* ---- form.c, residual.c ---------------------------------------------------------------------- */

/* Writes out the assembled problem. Statuses: OUT_OF_MEMORY, UNSUPPORTED (too many constraints). */
talus_status tl_small_form(tl_small *small, const tl_assembly *assembly);
/* The part of it that pick and place name. */
talus_status tl_small_form_part(tl_small *small, const tl_assembly *assembly, int32_t count);
void tl_small_import(const tl_small *small, const double *impulse, double *y);
void tl_small_export(const tl_small *small, const double *y, double *impulse);
void tl_small_velocity(const tl_small *small, const double *y, double *u);
/* R(y) / R(0) of the law and cone at hand, u = W y + q being known. */
double tl_small_epsilon(const tl_small *small, const double *y, const double *u);
/* R(y). */
double tl_small_residual(const tl_small *small, const double *y, const double *u);
/* Keeps y if it is better than the best so far; u is scratch. */
void tl_small_offer(tl_small *small, const double *y, double *u);

/* ---- facets.c -------------------------------------------------------------------------------- */

talus_status tl_small_facets(tl_small *small, const talus_settings *settings);
/* Vertices of contact k: how many, and two numbers each; a contact of two rows has two. */
int32_t tl_small_vertices(const tl_small *small, int32_t k, double *vertex);
/* Largest -u_t . d over them (over the unit circle, if the cone is circular). */
double tl_small_slip(const tl_small *small, int32_t k, const double *u);
/* z of constraint k becomes its nearest point in the cone, or between the bounds. */
void tl_small_project(const tl_small *small, int32_t k, double *z);

/* ---- sweep.c --------------------------------------------------------------------------------- */

/* So many projected block Gauss-Seidel sweeps from y, unless time runs out. */
void tl_small_sweep(tl_small *small, int32_t sweeps, double *y);

/* ---- equations for levenberg.c --------------------------------------------------------------- */

/* phi(z) = 0 and, if jacobian is not NULL, its derivative (size x size, row-major). */
typedef struct tl_equations {
  int32_t size;
  void (*evaluate)(void *self, const double *z, double *phi, double *jacobian);
  /* Impulses that z stands for are offered; returns 1 if the iteration may end. */
  int (*look)(void *self, const double *z);
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
/* The same within an iteration: time and the caller's wish alone. */
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
/* A row that can press against either of two bounds. */
static inline int tl_small_both_bounds(const tl_small *small, int32_t k) {
  return isfinite(small->lower[k]) && isfinite(small->upper[k]);
}
/* Solves; the best impulses are kept in the engine. */
talus_status tl_small_solve(tl_run *run, const double *start, talus_method *used);
void tl_small_forget(tl_small *small);
int64_t tl_small_bytes(const tl_small *small);
void tl_small_release(talus_context *context, tl_small *small);

#endif
