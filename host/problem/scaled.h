/* scaled.h: the scaled problem: contact by contact, u = W y + q, y in K.
 *
 * Scaled so that the certificate's residual is the plain natural map: y = sqrt(w) x / unit and
 * u = u / (sqrt(w) unit) for each constraint. Every constraint has its own frame, normal first.
 * A contact without friction keeps its normal row only. Contacts come first, then bilateral rows.
 *
 *   scaled.c           the constraints of a system        direct.c    the same of a caller
 *   scaled_jacobian.c  J and J M^-1 of a constraint       scaled_cone.c     the sets K, faceted too
 *   scaled_dense.c     W dense                            scaled_measure.c  impulses, u, R(y)
 *   scaled_bodies.c    W = J J^T, bodies of unit mass     scaled_blocks.c   W by 3 x 3 blocks
 *
 * Second-order methods (host/method/newton) take W as bodies or as blocks, small methods
 * (host/method/small) take it dense. Engines have planar arrays of their own (tl_system). */
#ifndef TL_SCALED_H
#define TL_SCALED_H

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "host/base/base.h"
#include "kernels/data/constraint.h"
#include "kernels/data/scaled_entry.h"
#include "kernels/data/system.h"
#include "talus/talus_solve.h"

enum { TL_FACETS_MOST = 64 };

typedef struct tl_scaled {
  int32_t count, rows;
  int32_t bound_count;   /* bilateral rows if some of them have bounds, else 0; 0 if W is dense */
  int32_t *first;        /* [count + 1] first row of a constraint */
  int32_t *kind;         /* [count] tl_constraint_kind */
  double *friction;      /* [count] 0 where there is none */
  double *root;          /* [count] sqrt(w_k) */
  double *lower, *upper; /* [count] scaled bounds; infinite where there is none */
  double *frame;         /* [9 count] n t1 t2 in the frame of the engine's impulses */
  double *q;             /* [rows], padded with 0 if W is dense */
  double unit;           /* 1, or the length that q had */
  double reference[TALUS_LAW_COUNT]; /* R(0); see tl_scaled_reference */
  /* faceted cones: [2 facet_count count] vertices in the tangent plane, over mu; facet_count 0:
   * circular */
  int32_t facet_count;
  double *vertex;
  /* W dense, by columns: W_ij = w[stride j + i]; NULL: not dense */
  double *w;
  int32_t stride; /* rows, padded */
  /* W as bodies of unit mass, W = J J^T; unit_count 0: not so */
  int32_t unit_count;
  int32_t *unit_first;  /* [unit_count + 1] freedoms */
  int32_t *entry_first; /* [count + 1] */
  tl_scaled_entry *entry;
  double *jacobian;
  /* W by blocks: 3 x 3, row-major, unused entries 0; the system's pattern */
  const int64_t *block_first;
  const int32_t *block_column;
  double *block;
  double *scratch; /* [freedoms] of products with bodies, [rows] while W is made */
  tl_buffer index, reals, jacobians, vertices, places;
} tl_scaled;

/* ---- scaled.c -------------------------------------------------------------------------------- */

/* How a system is imported. All 0: all of its constraints, W as bodies or blocks, unit 1. */
typedef struct tl_scaled_options {
  bool dense;           /* W dense, and q of length one */
  const double *frame;  /* the caller's n t1 t2 of each contact, in his order; NULL: tl_tangents */
  const int32_t *pick;  /* [count] the constraints wanted, ascending; NULL: all */
  const int32_t *place; /* [the system's] where they stand in `pick` */
  int32_t count;
} tl_scaled_options;

/* Imports an assembled system. */
talus_status tl_scaled_import(talus_context *context, const tl_system *system,
                              const tl_scaled_options *options, tl_scaled *p);
/* Arrays for so many constraints, and for W if it is dense. */
talus_status tl_scaled_reserve(talus_context *context, int32_t count, bool dense, tl_scaled *p);
void tl_scaled_release(talus_context *context, tl_scaled *p);
int64_t tl_scaled_bytes(const tl_scaled *p);

/* Length of a vector of interior points: the rows, and a second slack for each bilateral row if
 * some have bounds. */
static inline int32_t tl_scaled_size(const tl_scaled *p) {
  return p->rows + p->bound_count;
}
/* Where the second slack of bilateral row k stands. */
static inline int32_t tl_row_slot(const tl_scaled *p, int32_t k) {
  assert(k >= p->count - p->bound_count && k < p->count);
  return tl_scaled_size(p) - (p->count - k);
}
/* Whether bilateral row k has two bounds. */
static inline bool tl_scaled_both_bounds(const tl_scaled *p, int32_t k) {
  return isfinite(p->lower[k]) && isfinite(p->upper[k]);
}

/* ---- scaled_dense.c, scaled_bodies.c, scaled_blocks.c: W of a system, constraints standing --- */

talus_status tl_scaled_dense(talus_context *context, const tl_system *system,
                             const tl_scaled_options *options, tl_scaled *p);
talus_status tl_scaled_bodies(talus_context *context, const tl_system *system, tl_scaled *p);
talus_status tl_scaled_blocks(talus_context *context, const tl_system *system, tl_scaled *p);
/* u = W y + q, or u = W y. */
void tl_scaled_dense_velocity(const tl_scaled *p, const double *y, double *u);
void tl_scaled_bodies_apply(const tl_scaled *p, const double *y, double *u);
void tl_scaled_blocks_apply(const tl_scaled *p, const double *y, double *u);
/* motion = J^T y and u = J motion of bodies of unit mass. */
void tl_scaled_motion(const tl_scaled *p, const double *y, double *motion);
void tl_scaled_speed(const tl_scaled *p, const double *motion, double *u);

/* ---- scaled_cone.c --------------------------------------------------------------------------- */

/* Sets the cones of the settings: circular, or their vertices. */
talus_status tl_scaled_facets(talus_context *context, const talus_settings *settings, tl_scaled *p);
/* Copies the vertices of contact k, two numbers each, and returns how many; two rows have two. */
int32_t tl_scaled_vertices(const tl_scaled *p, int32_t k, double *vertex);
/* Largest -u_t . d over the vertices; over the unit circle, if the cone is circular. */
double tl_scaled_slip(const tl_scaled *p, int32_t k, const double *u);
/* Projects z of constraint k on its cone, or between its bounds. */
void tl_scaled_project(const tl_scaled *p, int32_t k, double *z);

/* ---- scaled_measure.c ------------------------------------------------------------------------ */

/* Impulses between the engine's arrays (three each) and scaled ones. */
void tl_scaled_impulse_import(const tl_scaled *p, const double *impulse, double *y);
void tl_scaled_impulse_export(const tl_scaled *p, const double *y, double *impulse);
/* u = W y, W not being dense; u = W y + q, whatever W is. */
void tl_scaled_apply(const tl_scaled *p, const double *y, double *u);
void tl_scaled_velocity(const tl_scaled *p, const double *y, double *u);
/* R(y), u = W y + q being known; y NULL: no impulses. */
double tl_scaled_residual(const tl_scaled *p, talus_law law, const double *y, const double *u);
/* Sets R(0) of a law. */
void tl_scaled_reference(tl_scaled *p, talus_law law);
/* R(y) / R(0); INFINITY if it is not finite. */
double tl_scaled_epsilon(const tl_scaled *p, talus_law law, const double *y, const double *u);

/* The best impulses so far. */
typedef struct tl_best {
  double *y;
  double epsilon; /* of y */
} tl_best;

/* Keeps y, whose u = W y + q is known, if it is better than the best so far; returns whether.
 * epsilon (may be NULL): that of y. */
bool tl_scaled_offer(const tl_scaled *p, talus_law law, const double *y, const double *u,
                     tl_best *best, double *epsilon);

#endif
