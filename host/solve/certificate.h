/* certificate.h: what some impulses are worth, from the caller's own arrays, in double.
 *
 * No solver calls this code and it calls none of theirs: it has its own cone, its own products with
 * W, M and H. One file per form moves the bodies by the impulses and then states the facts of any
 * run of constraints (q, u = W x + q, w_k, without compliance), which certificate_judge.c judges as
 * they come: nothing of the size of the contacts is kept but what a form cannot do without. */
#ifndef TL_CERTIFICATE_H
#define TL_CERTIFICATE_H

#include <stdbool.h>

#include "host/base/base.h"
#include "host/problem/mass.h"
#include "kernels/data/system.h"
#include "kernels/item/judge_rigid.h"
#include "talus/talus_solve.h"

/* Constraints that are judged together; sums run over such runs, whoever computes them. */
enum { TL_FACTS = 256 };

/* How many of them so many constraints make. */
static inline int64_t tl_facts_runs(int64_t count) {
  return (count + TL_FACTS - 1) / TL_FACTS;
}

/* What contacts of six rows have beside three: torques and angular velocities. */
typedef struct tl_spins {
  double impulse[3 * TL_FACTS];
  double velocity[3 * TL_FACTS];
  double free[3 * TL_FACTS];
  double rounding[3 * TL_FACTS];
  double weight[TL_FACTS];
} tl_spins;

/* Three components each, unused ones 0. */
typedef struct tl_facts {
  double impulse[3 * TL_FACTS];  /* x */
  double velocity[3 * TL_FACTS]; /* u */
  double free[3 * TL_FACTS];     /* q, u without impulses */
  double rounding[3 * TL_FACTS]; /* |D||v| + |bias|, the scale of q's rounding error */
  double weight[TL_FACTS];       /* w_k = tr(W_kk) / rows, of torques by itself */
  double squeezed[TL_FACTS];     /* elliptic cones: g' W_kk g (tl_problem_ellipse) */
  tl_spins spins;                /* set if the problem has dimension 6 */
} tl_facts;

/* A faceted cone as the settings name it; count 0: the cone is circular. */
typedef struct tl_polygon {
  int32_t count;
  double angle, reach; /* of vertex 0; of a vertex from the axis, over mu */
  int32_t aligned;     /* the angle is counted from -q_t */
} tl_polygon;

typedef struct tl_certification tl_certification;
struct tl_certification {
  talus_context *context;
  const talus_problem *problem;
  const double *impulse, *bilateral; /* as in talus_solution; NULL = 0 */
  int32_t threads;
  tl_polygon polygon; /* set by the caller, if a faceted cone is measured too */
  /* set by the caller for problems with bricks, else NULL: the constraints in another order, cut
   * into runs within a brick, of which the sums are exact. bricks->order: of all constraints */
  const tl_system *bricks;
  double *motion; /* velocities of the bodies after the impulses; forms (a), (b), (d) */
  int64_t motion_count;
  double momentum_balance, asymmetry;
  double unit;   /* of velocities and impulses, a power of two: 1 but for the smallest numbers */
  int compliant; /* some constraint gives way */
  int wrenches;  /* contacts have six rows, or elliptic cones */
  /* Fills velocity, free, rounding and weight, given as 0, of `count` constraints from `first` on
   * (tl_certification_constraint): contacts or, numbered behind them, bilateral rows, never both.
   * The first of a run is a multiple of TL_FACTS contacts or rows, but with bricks. */
  void (*facts)(const tl_certification *certification, int32_t first, int32_t count,
                tl_facts *facts);
  /* what the forms keep for it */
  double *weight;                          /* (c), (d) [constraints] */
  double *turn_weight, *squeezed;          /* (d) [contacts] of six rows, of elliptic cones */
  double *flat;                            /* (c) u, row by row */
  double *before;                          /* (d) velocities without the impulses */
  int64_t *inverse_first, *velocity_first; /* (b) per block */
  int64_t *jacobian_first;                 /* (b) per run: contacts, then bilateral rows */
  tl_mass mass;                            /* (d) */
  tl_lines h, g;                           /* (d) by columns */
  tl_buffer memory, scratch, partial;
  /* u of all contacts, found while they are judged */
  double *velocity_room;    /* set by the caller: [3 contacts]; NULL: they are not wanted */
  double *contact_velocity; /* NULL: not found yet */
};

/* The constraint `i` behind `first`. */
static inline int32_t tl_certification_constraint(const tl_certification *j, int32_t first,
                                                  int64_t i) {
  return j->bricks != NULL ? j->bricks->order[first + i] : first + (int32_t)i;
}

/* Prepares the certificate of a checked problem, whose arrays and impulses must stay until it has
 * been evaluated. */
talus_status tl_certification_make(talus_context *context, const talus_problem *problem,
                                   const double *impulse, const double *bilateral, int32_t threads,
                                   tl_certification *certification);
void tl_certification_evaluate(tl_certification *certification, talus_certificate *certificate);
/* The unit in which sums are to be taken: 1 but for the smallest numbers, a power of two. */
double tl_certificate_unit(const tl_judge_sums *sums);
/* The verdict on sums in the certification's unit; of the rest it has the problem, whether that is
 * compliant, balance and asymmetry are read. */
void tl_certificate_conclude(const tl_judge_sums *sums, const tl_certification *certification,
                             talus_certificate *certificate);
/* sqrt(missing / given). */
double tl_certificate_balance(tl_judge_balance balance);
/* u of all contacts, `dimension` components each: computed into contact_velocity unless it is known
 * already; returns where it is. */
double *tl_certification_velocity(const tl_certification *certification, double *contact_velocity);
/* The same of all bilateral rows. */
void tl_certification_row_velocity(const tl_certification *certification, double *row_velocity);
void tl_certification_release(talus_context *context, tl_certification *certification);
int64_t tl_certification_bytes(const tl_certification *certification);

/* certificate_runs.c: how many runs there are; the sums over all of them, of all ranks. */
int64_t tl_certification_runs(const tl_certification *certification);
void tl_certification_sums(const tl_certification *certification, tl_judge_sums *sums);

/* certificate_judge.c: what `count` constraints from `first` on add to the sums, of all contacts or
 * all rows; the facts are changed where contacts give way or have elliptic cones. */
void tl_facts_judge(const tl_certification *certification, int32_t first, int32_t count,
                    tl_facts *facts, tl_judge_sums *sums);

/* certificate_lanes.c: whether contacts can be judged several at once; the sums of some of them;
 * their velocities alone. */
bool tl_lanes_serve(const tl_certification *certification);
void tl_lanes_judge(const tl_certification *certification, int32_t first, int32_t count,
                    tl_judge_sums *sums);
void tl_lanes_velocity(const tl_certification *certification, int32_t first, int32_t count,
                       double *velocity);

tl_polygon tl_polygon_of(const talus_settings *settings);
/* Fact i, a contact of three rows with friction: squares of R(x) and R(0) of both laws. */
void tl_polygon_judge(const tl_polygon *polygon, const tl_facts *facts, int64_t i, double mu,
                      const double *axis, double residual[TALUS_LAW_COUNT],
                      double reference[TALUS_LAW_COUNT]);

/* ---- the forms ------------------------------------------------------------------------------- */

talus_status tl_certify_rigid(talus_context *context, tl_certification *certification);
talus_status tl_certify_blocks(talus_context *context, tl_certification *certification);
talus_status tl_certify_delassus(talus_context *context, tl_certification *certification);
talus_status tl_certify_global(talus_context *context, tl_certification *certification);

/* y += A x, or A^T x, in whichever storage. */
void tl_judge_apply(const talus_matrix *matrix, int transposed, const double *x, double *y);

#endif
