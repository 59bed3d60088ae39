/* talus_solve.h: door 2, the C ABI. A contact problem in, certified impulses out.
 *
 * The problem. Bodies move with velocity v. Contact k joins body a and body b:
 *
 *             ,-----.                      n    unit normal, from a to b
 *            /   b   \                     arm  from the body's centre of mass to the contact point
 *           |    +    |                    u    relative velocity at the point,
 *            \   |arm_b                      u = (v_b + w_b x arm_b) - (v_a + w_a x arm_a) + bias
 *             `--v--'    ^ n                    u_n > 0: the bodies separate
 *      ==========.==========               impulse   acts as +impulse on b and -impulse on a;
 *             ,--^--.                           impulse_n >= 0 pushes apart
 *            /   |arm_a
 *           |    +    |                    spheres: arm_a = +reach_a n, arm_b = -reach_b n
 *            \   a   /
 *             `-----'
 *
 *   u = W impulse + q,   W = D M^-1 D^T (the Delassus operator), q = D v + bias
 *   K  = { |impulse_t| <= friction * impulse_n },   K* = { u_n >= friction * |u_t| }
 *   law ccp      K* ) u                      _|_  impulse ( K   convex: sliding contacts open a gap
 *   law coulomb  K* ) u + friction |u_t| n   _|_  impulse ( K   exact
 *   friction 0: u_n >= 0 _|_ impulse_n >= 0, no tangential impulse.
 *   Bilateral row: u = 0 with a free impulse, or with bounds lower <= impulse <= upper: u = 0
 *   inside, u >= 0 at lower, u <= 0 at upper.
 *   Compliance: contacts and rows may give way. u above, in all laws, is then
 *   u + C (impulse - target), C = diag(C_n, C_t, C_t) about n, given per contact or row in
 *   (m/s)/(N s): the same as W + C in the place of W and q - C target in the place of q. C = 0 is
 *   rigid. A spring of stiffness k over a step dt, taken implicitly, is C = 1/(k dt^2) with gap/dt
 *   in the bias, whatever the gap's sign; a target of k_t dt times the stretch is a tangential
 *   spring's memory.
 *   Six rows (dimension 6): a contact resists spinning and rolling by a torque beside its force.
 *   With w = w_b - w_a, w_s its part along n and w_r the rest, and the torque split alike,
 *     K = { |impulse_t| <= friction impulse_n, |torque_s| <= mu_s impulse_n,
 *           |torque_r| <= mu_r impulse_n },  mu_s, mu_r lengths (torque_friction)
 *   and u_n + friction |u_t| + mu_s |w_s| + mu_r |w_r| in the place of u_n under the law coulomb;
 *   the law ccp is that of this K and (u, w). Bodies feel the torque as +torque on b, -torque on a.
 *   Elliptic cones: with friction along d1 and cross_friction along d2, across d1 and n,
 *     K = { |(impulse_1 / friction, impulse_2 / cross_friction)| <= impulse_n }
 *   and |(friction u_1, cross_friction u_2)| in the place of friction |u_t|.
 *   cone pyramid, box: a polygon instead of the disc |impulse_t| <= friction * impulse_n, see
 *   talus_cone; then |u_t| above means the largest -u_t . d over the polygon's vertices d.
 *
 * Frames. Form RIGID: impulses and velocities of contacts in the world frame, x y z; dimension 6:
 * the force, then the torque. All other forms: (n, t1, t2), or (n, t) if dimension is 2, (n) if 1,
 * (n, t1, t2, then spinning about n and rolling about t1, t2) if 6. A body's velocity: linear of
 * the centre of mass, then angular, both in the world frame. Inverse inertia: world frame, xx xy xz
 * yy yz zz. Body -1 is the ground; inverse mass and inertia 0 make a body immovable (it may still
 * have a velocity: a moving wall). The solver knows no time: gap, step and restitution are the
 * caller's, who hands over a bias (m/s), for example gap/dt for an open contact.
 *
 * The certificate. With w_k = tr(W_kk + C_k)/dimension and P the projection on K,
 *   R(x) = || sqrt(w_k) (x_k - P(x_k - (u_k + [friction |u_t| n]) / w_k)) ||   over all contacts
 *   and bilateral rows (P: nothing, or the bounds),
 *   epsilon = R(x) / R(0): how much better than doing nothing.
 *   Six rows: force and torque have a weight w_k each, of their own part of W_kk, and P is the
 *   nearest point by both; an elliptic cone is judged in the coordinates in which it is circular.
 * It is computed in double from the caller's arrays after each solve, by code no solver uses.
 * `tolerance` means epsilon. It depends neither on units nor on distant contacts. Compliance is
 * part of u here, in R(x) and in R(0); epsilon_rigid_* tell what the same impulses are worth
 * without it.
 * Where nothing presses (a shaken box at take-off) R(0) is nearly 0 and being better than nothing
 * by a factor has no meaning. A problem may say which contact velocities are small: with
 * velocity_scale = s > 0
 *   error = R(x) / max(R(0), R_s),   R_s = s || 1 / sqrt(w_k) ||
 * over all contacts and rows that give way (those in m/s), R_s being the residual of velocities
 * there that are all wrong by s; then `tolerance` means this
 * error, and epsilon is told beside it. */
#ifndef TALUS_SOLVE_H
#define TALUS_SOLVE_H

#include "talus_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the problem ----------------------------------------------------------------------------- */

typedef enum talus_form {
  TALUS_FORM_RIGID = 1,    /* (a) rigid bodies, normals, arms or reaches: matrix-free, fastest */
  TALUS_FORM_BLOCKS = 2,   /* (b) Jacobian blocks against blocks of M^-1: matrix-free */
  TALUS_FORM_DELASSUS = 3, /* (c) W and q; also plain LCPs (dimension 1); W need not be symmetric */
  TALUS_FORM_GLOBAL = 4    /* (d) M and H sparse, as in FCLIB's global problems */
} talus_form;

/* Form (a). All arrays in the world frame. */
typedef struct talus_rigid {
  int32_t body_count;
  const double *velocity;         /* [6 body_count] before the impulses, m/s and rad/s */
  const double *inverse_mass;     /* [body_count] 1/kg */
  const double *inverse_inertia;  /* [6 body_count] 1/(kg m2): xx xy xz yy yz zz */
  const int32_t *body_a;          /* [contact_count] -1 = ground */
  const int32_t *body_b;          /* [contact_count] */
  const double *normal;           /* [3 contact_count] unit, a to b */
  const double *reach_a;          /* [contact_count] arm_a = +reach_a n; give both reaches ... */
  const double *reach_b;          /* [contact_count] arm_b = -reach_b n */
  const double *arm_a;            /* [3 contact_count] ... or both arms; the other pair is NULL */
  const double *arm_b;            /* [3 contact_count] */
  const double *bias;             /* [contact_count] added to u along n, m/s; NULL = 0 */
  const double *surface_velocity; /* [3 contact_count] added to u, m/s (conveyors); NULL = 0 */
  /* bilateral rows: u = J_a v_a + J_b v_b + bias = 0 */
  const int32_t *row_body_a;  /* [bilateral_count] -1 = ground */
  const int32_t *row_body_b;  /* [bilateral_count] */
  const double *row_jacobian; /* [12 bilateral_count] J_a then J_b, 6 each */
  const double *row_bias;     /* [bilateral_count] NULL = 0 */
} talus_rigid;

/* Form (b). Block i has size n_i: dense symmetric M^-1 of n_i x n_i, velocity of n_i. Contact k
 * has the entries contact_start[k] .. contact_start[k+1]-1, each naming a block, with a
 * dimension x n_i Jacobian, row-major, rows n t1 t2: u_k = sum J v_block + bias_k. */
typedef struct talus_blocks {
  int32_t block_count;
  const int32_t *block_size;      /* [block_count] >= 1 */
  const double *inverse_mass;     /* blocks one after the other, row-major */
  const double *velocity;         /* blocks one after the other */
  const int64_t *contact_start;   /* [contact_count + 1] */
  const int32_t *contact_block;   /* [contact_start[contact_count]] */
  const double *contact_jacobian; /* entries one after the other, dimension x block size each */
  const double *bias;             /* [dimension contact_count] (n, t1, t2); NULL = 0 */
  const int64_t *bilateral_start; /* [bilateral_count + 1]; NULL if there are none */
  const int32_t *bilateral_block; /* as for contacts, one row per entry */
  const double *bilateral_jacobian;
  const double *bilateral_bias; /* [bilateral_count]; NULL = 0 */
} talus_blocks;

typedef enum talus_storage {
  TALUS_STORAGE_DENSE = 1,  /* value[row + column * rows]: column-major */
  TALUS_STORAGE_CSC = 2,    /* column c: entries start[c] .. start[c+1]-1, rows in index */
  TALUS_STORAGE_CSR = 3,    /* row r: entries start[r] .. start[r+1]-1, columns in index */
  TALUS_STORAGE_TRIPLET = 4 /* entry e: row index[e], column index2[e]; repeated entries add up */
} talus_storage;

/* A matrix of the caller's. Repeated entries are added in every sparse storage. */
typedef struct talus_matrix {
  talus_storage storage;
  int32_t rows, columns;
  int64_t count;         /* entries stored; DENSE: rows * columns */
  const int64_t *start;  /* CSC: columns + 1, CSR: rows + 1; else NULL */
  const int32_t *index;  /* count; DENSE: NULL */
  const int32_t *index2; /* TRIPLET: columns; else NULL */
  const double *value;   /* count */
} talus_matrix;

/* Form (c). u = W impulse + q. Rows: dimension per contact, in order, then one per bilateral
 * row. */
typedef struct talus_delassus {
  talus_matrix w;  /* square; a diagonal block of negative trace is refused (BAD_DIAGONAL) */
  const double *q; /* one per row of w */
} talus_delassus;

/* Form (d). M v = f + H r + G s,  u = H^T v + w,  G^T v + b = 0. */
typedef struct talus_global {
  talus_matrix mass; /* M: n x n, symmetric positive definite, block diagonal in some order */
  talus_matrix h;    /* H: n x dimension contact_count */
  talus_matrix g;    /* G: n x bilateral_count; rows 0 if there are none */
  const double *f;   /* [n] */
  const double *w;   /* [dimension contact_count] */
  const double *b;   /* [bilateral_count]; NULL = 0 */
} talus_global;

typedef enum talus_memory {
  TALUS_MEMORY_HOST = 0,
  /* The memory of the context's device, which must run on CUDA (or be managed memory). Arrays are
   * read, and results written, by work on the context's stream: behind what the caller queued
   * there before, ahead of what it queues there after. If the context made the stream itself, the
   * caller's arrays must be complete before the call, and results are when it returns. */
  TALUS_MEMORY_DEVICE = 1
} talus_memory;

typedef struct talus_layout talus_layout; /* arrays that are not packed: see the end */

/* talus_rigid, talus_blocks, talus_delassus and talus_global never change: an array that a form
 * gains later is a member at the end of talus_problem. */
typedef struct talus_problem {
  uint32_t struct_size; /* set by talus_problem_default */
  talus_form form;
  int32_t dimension;       /* rows per contact: 3, 2 (plane) or 1 (no friction), or 6: three of a
                              force, three of a torque. RIGID: 3 or 6 */
  int32_t contact_count;   /* may be 0 */
  int32_t bilateral_count; /* may be 0 */
  const double *friction;  /* [contact_count] 0 .. 1e6; NULL = 0 everywhere */
  talus_rigid rigid;       /* only the one of the form is read */
  talus_blocks blocks;
  talus_delassus delassus;
  talus_global global;
  /* All forms: bounds of the bilateral rows' impulses, N s. A stop that only pushes is 0 and
   * INFINITY, a motor or dry friction of at most the torque T is -T dt and T dt. */
  const double *row_lower;    /* [bilateral_count] -INFINITY = none; NULL = none at all */
  const double *row_upper;    /* [bilateral_count] INFINITY = none; NULL = none at all */
  talus_memory memory;        /* of all arrays, those of the layout included; default HOST */
  const talus_layout *layout; /* NULL: every array is packed, in its own type */
  /* Names of contacts and rows that last from problem to problem, any numbers; NULL = none. With
   * settings.warm_start contacts begin at the impulse that the solver's last solve with names gave
   * to the same one, at 0 if the name is new, in place of solution.impulse; rows likewise. Equal
   * names are matched in the order in which they stand. */
  const uint64_t *contact_key; /* [contact_count] */
  const uint64_t *row_key;     /* [bilateral_count] */
  /* Forms (a) and (b): 1 = this body or block sleeps, 0 = it does not; NULL = none do. An island
   * (see talus_islands) whose movable bodies all sleep is left out of the solve and of the
   * certificate: its velocities stay, its impulses are those of the warm start (0 without one), its
   * contact_velocity is 0. */
  const int32_t *asleep; /* [body_count], [block_count] */
  /* Contact velocities that are small: errors much below it move nothing, m/s. `tolerance` is
   * then relative to it where doing nothing would be nearly right; see the certificate above. A
   * simulator has |gravity| times its step at hand. 0, the default: none. */
  double velocity_scale;
  /* All forms: contacts and rows that give way, (m/s)/(N s), >= 0; NULL = rigid, as is 0. See the
   * top of this file. */
  const double *compliance;         /* [2 contact_count] C_n, C_t */
  const double *target_impulse;     /* [dimension contact_count] N s, frame as impulse; NULL = 0 */
  const double *row_compliance;     /* [bilateral_count] (m/s)/(N s), or (rad/s)/(N m s) */
  const double *row_target_impulse; /* [bilateral_count] NULL = 0 */
  /* Contacts of six rows, dimension 6, not form (c): friction of spinning and of rolling, m,
   * both >= 0; see the top of this file. */
  const double
      *torque_friction; /* [2 contact_count] of spinning, of rolling; NULL: dimension < 6 */
  /* Elliptic cones, dimension 3 or 6, not form (c): `friction` holds along one direction of
   * the tangent plane, this across it; > 0 where friction is. */
  const double *cross_friction; /* [contact_count] NULL = the cones are circular */
  /* Form (a): that direction, world frame; only its part across the normal counts. Other forms:
   * t1, and NULL. */
  const double *friction_direction; /* [3 contact_count] */
  /* Form (a): where the bodies are, and the edge of bricks, cubes of a lattice through the origin
   * by which the problem is ordered and its sums are made exact: impulses then do not depend on how
   * bodies and contacts are cut into pieces. From some 5e5 contacts on sweeps are faster so, below
   * slower; eight diameters are a good edge. See docs/explanation/bricks.md. */
  const double *positions; /* [3 body_count] m, any frame; NULL: no bricks */
  double brick_size;       /* m; 0, the default: no bricks */
  /* Form (a): the names of the bodies, by which problems with bricks are ordered; ascending. NULL:
   * bodies are named by their index. Contexts with ranks (talus_ranks.h) need them, in any order,
   * and each is given by one rank: the last ghost_count of them are other ranks' bodies that
   * contacts or rows of this piece join; positions and masses are to be the same there. */
  const uint64_t *ids; /* [body_count] NULL: none */
  int32_t ghost_count; /* default 0 */
  int32_t unused;
} talus_problem;

TALUS_API void talus_problem_init(talus_problem *problem, size_t size, talus_form form);
static inline talus_problem talus_problem_default(talus_form form) {
  talus_problem problem;
  talus_problem_init(&problem, sizeof problem, form);
  return problem;
}

/* ---- settings -------------------------------------------------------------------------------- */

#define TALUS_LAW_LIST(X) \
  X(COULOMB, "coulomb")   \
  X(CCP, "ccp")
typedef enum talus_law {
#define TALUS_X(name, text) TALUS_LAW_##name,
  TALUS_LAW_LIST(TALUS_X)
#undef TALUS_X
      TALUS_LAW_COUNT
} talus_law;

#define TALUS_METHOD_LIST(X)                                                                      \
  X(AUTO, "auto", "picked by size, law, tolerance and backend; may change when it stalls")        \
  X(JACOBI, "jacobi", "projected Jacobi")                                                         \
  X(APGD, "apgd", "accelerated projected gradient descent as published by Mazhar et al.")         \
  X(APGDB, "apgdb", "scaled accelerated gradient, one pass per iteration, no backtracking")       \
  X(GAUSS_SEIDEL, "gauss_seidel", "coloured projected Gauss-Seidel")                              \
  X(GAUSS_SEIDEL_NESTEROV, "gauss_seidel_nesterov", "Gauss-Seidel with Nesterov momentum")        \
  X(SPECTRAL, "spectral", "spectral projected gradient (Barzilai-Borwein)")                       \
  X(NEWTON, "newton", "proximal Newton after some sweeps, interior points where it fails")        \
  X(INTERIOR_POINT, "interior_point", "interior point, then a Newton polish")                     \
  X(LEMKE, "lemke", "Lemke's pivoting on a faceted cone; small problems")                         \
  X(PFB_RLM, "pfb_rlm", "penalised Fischer-Burmeister by regular Levenberg-Marquardt; faceted")   \
  X(PFB_PLM, "pfb_plm", "penalised Fischer-Burmeister by projected Levenberg-Marquardt; faceted") \
  X(MNCP_RLM, "mncp_rlm",                                                                         \
    "implicit parametrisation of the round cone by regular Levenberg-Marquardt")                  \
  X(MNCP_PLM, "mncp_plm", "the same by projected Levenberg-Marquardt; small problems")            \
  X(LCP1, "lcp1", "Anitescu and Hart's first fixed point; faceted, law coulomb")                  \
  X(LCP2, "lcp2", "their second: no contact closes at any step; faceted, law coulomb")            \
  X(LCP3, "lcp3", "one step of the first: exact where nothing slips; faceted, law coulomb")       \
  X(MNCPOPT, "mncpopt", "Andreani et al.: least squares under bounds; round cone, law coulomb")   \
  X(LCPOPT, "lcpopt", "Andreani et al.: least squares under bounds; box, law coulomb")            \
  X(MNCP_PROX, "mncp_prox", "implicit parametrisation by proximal Newton steps; small problems")  \
  X(PATH, "path",                                                                                 \
    "path of proximal solutions to weight 0, round every corner: slow, for jammed heaps")
typedef enum talus_method {
#define TALUS_X(name, text, what) TALUS_METHOD_##name,
  TALUS_METHOD_LIST(TALUS_X)
#undef TALUS_X
      TALUS_METHOD_COUNT
} talus_method;

/* The cone of impulses. A faceted one is spanned by vertices d_i in the tangent plane, times
 * friction * impulse_n. PYRAMID, inscribed: `facets` unit vectors, d_i at the angle
 * a + 2 pi i / facets from t1 towards t2. BOX, circumscribed: |impulse_t1|, |impulse_t2| <=
 * friction * impulse_n along axes turned by a. a is `facet_angle`, counted from t1 or, if
 * `facet_align` is 1, from -q_t where that is not 0. In a plane (dimension 2) all are the same.
 * Form RIGID has no tangents; there, with n = (x, y, z), s = 1 if z >= 0 else -1, b = -1/(s + z):
 * t1 = (1 + s x x b, s x y b, -s x), t2 = (x y b, s + y y b, -y). */
#define TALUS_CONE_LIST(X) \
  X(CIRCULAR, "circular")  \
  X(PYRAMID, "pyramid")    \
  X(BOX, "box")
typedef enum talus_cone {
#define TALUS_X(name, text) TALUS_CONE_##name,
  TALUS_CONE_LIST(TALUS_X)
#undef TALUS_X
      TALUS_CONE_COUNT
} talus_cone;

/* Of the numbers that iterations go over; the certificate is in double precision. */
typedef enum talus_precision {
  TALUS_F64 = 0,
  TALUS_F32 = 1,           /* reaches about 1e-5 */
  TALUS_PRECISION_AUTO = 2 /* talus_precision_auto where method and settings have it and the
                              tolerance is 1e-5 or more, else F64 */
} talus_precision;

typedef enum talus_measure {
  TALUS_MEASURE_EPSILON = 0, /* epsilon of the certificate */
  TALUS_MEASURE_SICONOS = 1  /* |r - P(r - u^)| / max(|q|, |r|, |u|); depends on units, and becomes
                                small for impulses without bound: where epsilon is above 0.1 that
                                is taken instead */
} talus_measure;

/* Which problems are written, as FCLIB files <dump_path>-000001.hdf5 and so on, numbers that are
 * taken being passed over. Forms (a) and (b) are written as FCLIB global, bounds of rows beside
 * it where other readers do not look; what sleeps is left out. A file that cannot be written is
 * told to the log and does not fail the solve. Not from talus_solve_batch. */
typedef enum talus_dump {
  TALUS_DUMP_NONE = 0,
  TALUS_DUMP_WORST = 1,  /* one file, <dump_path>-worst.hdf5: the largest info.measure so far */
  TALUS_DUMP_FAILED = 2, /* whose outcome is not CONVERGED */
  TALUS_DUMP_EVERY = 3
} talus_dump;

/* Called now and then during a solve; return 0 to go on, anything else to stop (TIME_LIMIT). */
typedef int (*talus_progress_fn)(void *user, int64_t iterations, int64_t passes, double measure,
                                 double seconds);

typedef struct talus_settings {
  uint32_t struct_size;       /* set by talus_settings_default */
  talus_law law;              /* default COULOMB */
  talus_method method;        /* default AUTO */
  talus_precision precision;  /* default F64 */
  talus_measure measure;      /* what tolerance means; default EPSILON */
  double tolerance;           /* default 1e-4; > 0 */
  int64_t max_iterations;     /* default 100000; >= 0 */
  double max_seconds;         /* default 0: no limit. Asked between passes and within long
                                factorisations; one by CHOLMOD or UMFPACK is begun only where it is
                                expected to end in time. What it is exceeded by: see the reference,
                                certificate.md */
  int32_t threads;            /* default 0: the context's */
  int32_t warm_start;         /* 1: start from solution->impulse and bilateral_impulse, or by key
                                (problem.contact_key, row_key). Default 0 */
  double momentum_cap;        /* in [0, 1); default -1: chosen by law and tolerance */
  double slip_filter;         /* gain of the slip's low-pass filter in (0, 1], law COULOMB;
                                default 0: chosen (0.3) */
  talus_progress_fn progress; /* default NULL */
  void *progress_user;
  int32_t same_bits;        /* 1: auto keeps to the methods whose results have the same bits on
                                every machine, which newton and interior_point have not, and tries
                                them in the same order on every backend. Default 0 */
  int32_t unique;           /* 1: of all impulses with the solved velocity those of least norm (in
                                the certificate's metric, sum w_k |x_k|^2), where they can be found:
                                then TALUS_NOTE_UNIQUE is set. F64. Default 0 */
  talus_cone cone;          /* default CIRCULAR; others for methods that take them */
  int32_t facets;           /* of PYRAMID: 3 .. 64; default 4 */
  double facet_angle;       /* of PYRAMID and BOX, rad; default 0 */
  int32_t facet_align;      /* 1: the angle is counted from -q_t, the way against sliding */
  talus_dump dump;          /* problems to be written to files, for `talus solve`; default NONE */
  const char *dump_path;    /* how their names begin, folders included; is copied */
  int32_t dump_most;        /* files that one solver writes at the most; default 100, >= 1 */
  int32_t islands;          /* 1: auto solves groups of up to 64 contacts and rows that share no
                                moving body with others directly (mncp_prox), before the usual
                                methods go on with the rest. Circular cone, F64. Default 0 */
  int64_t fixed_iterations; /* > 0: exactly so many iterations from the start, and nothing beside
                                them: no residual, no stop test, no limit is asked, no certificate.
                                The outcome is UNCHECKED, or NOT_FINITE with impulses 0; measure and
                                certificate are not numbers. For solvers and batches, by AUTO or
                                jacobi, apgdb, gauss_seidel, gauss_seidel_nesterov, spectral. What a
                                call takes at the most: the reference, methods.md. Default 0 */
  int64_t certify; /* which solves the certificate judges. 1, the default: every one; N > 1:
                                every Nth of a solver's, from its first on; 0: none. Those that miss
                                the tolerance are judged whatever this says. What is not judged has
                                TALUS_NOTE_UNCERTIFIED, a certificate that is not a number, and as
                                measure the solver's own residual. Judged always: measure SICONOS,
                                faceted cones, what `auto` solves directly */
} talus_settings;

TALUS_API void talus_settings_init(talus_settings *settings, size_t size);
static inline talus_settings talus_settings_default(void) {
  talus_settings settings;
  talus_settings_init(&settings, sizeof settings);
  return settings;
}

/* Names as the program and its JSON spell them. _parse returns 0 if the name is unknown, or a
 * pointer NULL. */
TALUS_API const char *talus_law_name(talus_law law);
TALUS_API const char *talus_method_name(talus_method method);
TALUS_API const char *talus_method_text(talus_method method);
TALUS_API const char *talus_precision_name(talus_precision precision);
/* F32 on a device whose double precision has an eighth of the rate of single precision or less
 * (GeForce and others: 1/32 or 1/64), F64 on the CPU, on other devices and for NULL. */
TALUS_API talus_precision talus_precision_auto(const talus_context *context);
TALUS_API const char *talus_cone_name(talus_cone cone);
TALUS_API int talus_cone_parse(const char *name, talus_cone *cone);
/* 1 if the method solves problems with this cone; AUTO takes all. */
TALUS_API int talus_method_takes(talus_method method, talus_cone cone);
TALUS_API int talus_law_parse(const char *name, talus_law *law);
TALUS_API int talus_method_parse(const char *name, talus_method *method);
TALUS_API int talus_precision_parse(const char *name, talus_precision *precision);

/* ---- solution and info ----------------------------------------------------------------------- */

typedef struct talus_solution_layout talus_solution_layout; /* likewise */

/* Arrays of the caller's; each may be NULL if it is not wanted (and warm_start is off). */
typedef struct talus_solution {
  uint32_t struct_size;      /* set by talus_solution_default */
  double *impulse;           /* [dimension contact_count]; RIGID: world frame */
  double *bilateral_impulse; /* [bilateral_count] */
  double *velocity;          /* after the impulses: [6 body_count], [sum of block sizes], [n] for
                                the forms (a), (b), (d); not written for (c). May be the problem's
                                own array: nothing is read any more when results are written */
  double *contact_velocity;  /* u: [dimension contact_count], frame as impulse; without what
                                compliance adds */
  talus_memory memory;       /* of all arrays; default HOST, whatever the problem's is */
  const talus_solution_layout *layout; /* NULL: every array is packed, in double */
} talus_solution;

TALUS_API void talus_solution_init(talus_solution *solution, size_t size);
static inline talus_solution talus_solution_default(void) {
  talus_solution solution;
  talus_solution_init(&solution, sizeof solution);
  return solution;
}

#define TALUS_OUTCOME_LIST(X)                                                                \
  X(CONVERGED, "converged", "the tolerance was reached")                                     \
  X(ITERATION_LIMIT, "iteration_limit", "the iteration limit came first")                    \
  X(TIME_LIMIT, "time_limit", "the time limit came first, or the caller stopped it")         \
  X(STALLED, "stalled", "no method at hand made further progress")                           \
  X(NOT_FINITE, "not_finite", "the iteration left the range of numbers; best impulses kept") \
  X(INCONSISTENT, "inconsistent", "the problem has no solution, as far as was found")        \
  X(UNCHECKED, "unchecked", "fixed_iterations were made; how good they are was not asked")
typedef enum talus_outcome {
  TALUS_OUTCOME_NONE = -1, /* no solve has ended yet */
#define TALUS_X(name, text, what) TALUS_OUTCOME_##name,
  TALUS_OUTCOME_LIST(TALUS_X)
#undef TALUS_X
      TALUS_OUTCOME_COUNT
} talus_outcome;
TALUS_API const char *talus_outcome_name(talus_outcome outcome);
TALUS_API const char *talus_outcome_text(talus_outcome outcome);

/* What is true of some impulses, computed in double from the raw problem. */
typedef struct talus_certificate {
  uint32_t struct_size; /* set by talus_certificate_default */
  double epsilon_ccp;   /* R(x)/R(0) for each law; where R(0) is at its rounding floor: 0 if R(x)
                         is there too, else R(x) over that floor */
  double epsilon_coulomb;
  double residual_ccp; /* R(x) and R(0), in sqrt(J) */
  double residual_coulomb;
  double reference_ccp;
  double reference_coulomb;
  double siconos_ccp; /* Siconos' measure for each law */
  double siconos_coulomb;
  double cone_violation;  /* largest distance |x_t| - friction x_n of an impulse outside K,
                               or of a row's impulse outside its bounds, relative to the largest
                               impulse of contacts and rows with bounds; 0 = inside */
  double complementarity; /* sum |x_k . (u_k + ..)| / sum |x_k||u_k + ..|, law COULOMB */
  double complementarity_ccp;
  double dissipation;       /* sum x_t . u_t: work of friction over the end velocity, J; <= 0 */
  double bilateral;         /* largest |u| over bilateral rows, m/s; what a row's bound allows does
                               not count */
  double penetration_speed; /* largest -u_n, m/s; 0 if nothing closes */
  double momentum_balance;  /* |M(v+ - v) - D^T x| relative to |D^T x|, form (a); (d): |M v+ - f - H
                               r|  relative to |f + H r|; 0 for forms (b) and (c), which have no
                               M */
  double asymmetry;         /* |W - W^T| / |W|, form (c); else 0 */
  double epsilon_faceted_ccp;     /* as epsilon, with the cone of the settings in place of the
                                 circular */
  double epsilon_faceted_coulomb; /* one; the same numbers if it is circular */
  double error_ccp;     /* R(x) over the larger of R(0) and reference_scale, with the cone of the */
  double error_coulomb; /* settings; without a velocity_scale the epsilon of that cone */
  double reference_scale;   /* R_s, what problem.velocity_scale gives, sqrt(J); 0 without one */
  double epsilon_rigid_ccp; /* epsilon as if nothing gave way: u, q and W_kk without compliance; */
  double epsilon_rigid_coulomb; /* the same as epsilon if there is none */
} talus_certificate;

TALUS_API void talus_certificate_init(talus_certificate *certificate, size_t size);
static inline talus_certificate talus_certificate_default(void) {
  talus_certificate certificate;
  talus_certificate_init(&certificate, sizeof certificate);
  return certificate;
}

typedef enum talus_note {
  TALUS_NOTE_ASYMMETRIC = 1,        /* W is not symmetric: solved as a variational inequality */
  TALUS_NOTE_DIAGONAL_REPLACED = 2, /* a zero diagonal block of W was replaced by the mean */
  TALUS_NOTE_CPU_FALLBACK = 4,      /* auto: a device was not there or not worth it */
  TALUS_NOTE_METHOD_CHANGED = 8,    /* auto changed the method on the way */
  TALUS_NOTE_SPHERES_FOUND = 16,    /* form (d) was recognised as spheres and run as form (a) */
  TALUS_NOTE_BLOCKS_FOUND = 32,     /* form (d) was run as form (b) */
  TALUS_NOTE_UNIQUE = 128,          /* settings.unique: these are the impulses of least norm */
  TALUS_NOTE_STOPPED = 64,          /* the progress callback asked to stop */
  TALUS_NOTE_UNCERTIFIED = 256 /* settings.certify: the solver's own residual alone was asked */
} talus_note;

typedef struct talus_info {
  uint32_t struct_size;       /* set by talus_info_default */
  talus_outcome outcome;      /* before any solve TALUS_OUTCOME_NONE */
  talus_method method;        /* the one that gave the result (never AUTO) */
  talus_precision precision;  /* never AUTO */
  talus_backend_kind backend; /* CPU or CUDA */
  int32_t threads;
  int32_t colours; /* of the Gauss-Seidel sweep; 0 if it was not used */
  uint32_t notes;  /* bits of talus_note */
  int64_t iterations;
  int64_t passes; /* applications of W or sweeps; all count but the certificate */
  double measure; /* what was compared with the tolerance, from the certificate; where that was not
                      asked (settings.certify), R(x) by the solver's own arithmetic */
  union {
    talus_certificate certificate;
    double certificate_room[48];
  };
  double seconds;       /* the whole solve */
  double seconds_check; /* validation of the problem */
  double seconds_build; /* sorting, colouring, scaling, upload */
  double seconds_iterate;
  double seconds_certificate;
  int64_t bytes;       /* memory held by the solver for this problem, device included */
  double incompatible; /* where a second-order method failed: part of q, over R(0), on constraints
                          that carry impulses which no motion can undo. A warning, not a bound; else
                          0 */
  int64_t factorisations; /* of matrices, by newton, path and interior_point; each is one of
                             `iterations` and of `passes` as well */
  int32_t islands;        /* in the problem, and ... */
  int32_t islands_asleep; /* ... left out; both 0 if problem.asleep was not given */
  int32_t keys_matched;   /* contacts and rows that began at the impulse of their name */
  int32_t unused;         /* fills the struct up to its size */
} talus_info;

TALUS_API void talus_info_init(talus_info *info, size_t size);
static inline talus_info talus_info_default(void) {
  talus_info info;
  talus_info_init(&info, sizeof info);
  info.certificate.struct_size = (uint32_t)sizeof info.certificate;
  return info;
}

/* ---- solving --------------------------------------------------------------------------------- */

/* Solves one problem, start to end: settings, solution and info may be NULL. Statuses: those of the
 * calls below, which it makes. */
TALUS_API talus_status talus_solve_once(talus_context *context, const talus_problem *problem,
                                        const talus_settings *settings, talus_solution *solution,
                                        talus_info *info);

/* For problem after problem: a solver keeps its memory, and what a warm start needs. */
typedef struct talus_solver talus_solver;

/* Creates an empty solver. settings may be NULL for the defaults. Statuses: STRUCT_SIZE,
 * BAD_SETTING, UNSUPPORTED (method, cone, law and precision that do not go together),
 * INVALID_ARGUMENT, OUT_OF_MEMORY. */
TALUS_API talus_status talus_solver_create(talus_context *context, const talus_settings *settings,
                                           talus_solver **solver);
/* Replaces the settings; the problem stays. One thread at a time in a context and its solvers, here
 * and below: a second one is sent away with BUSY, and with CALL_ORDER from the solver itself
 * between solve_async and wait. */
TALUS_API talus_status talus_solver_set(talus_solver *solver, const talus_settings *settings);
/* Checks and takes a problem: sorts, colours, scales. Memory is kept and grows as needed. The
 * caller's arrays are borrowed: they must stay as they are until the next solve has returned,
 * since the certificate is computed from them. (Those which a layout describes in host memory are
 * copied and free again when update returns.) Form RIGID in device memory, without bilateral
 * rows, stays there for the first-order methods: it is checked, sorted, coloured and scaled on the
 * device, and judged there if the solution is wanted in device memory and contacts have no keys;
 * else it comes to the host for the certificate. All else goes through the host. Statuses:
 * one per defect (talus_base.h), the message naming field and index. */
TALUS_API talus_status talus_solver_update(talus_solver *solver, const talus_problem *problem);
/* Solves. solution (may be NULL) receives the best impulses found, whatever the outcome (LCP1 to
 * LCP3 by name: those of their last step, which may be worse than none); info (may be NULL) says
 * what they are worth. Statuses: CALL_ORDER, STRUCT_SIZE, OUT_OF_MEMORY, NOT_FINITE and
 * MISSING_ARRAY (warm start), UNSUPPORTED, BAD_STRIDE, WRONG_MEMORY and INVALID_ARGUMENT (the
 * solution's memory and layout), DEVICE_ERROR. */
TALUS_API talus_status talus_solver_solve(talus_solver *solver, talus_solution *solution,
                                          talus_info *info);
/* The same, on a thread of the solver's own while the caller goes on: settings, problem arrays,
 * solution, info and the context (its stream, allocator, log and progress callback included) are
 * the solve's until talus_solver_wait: solves side by side need a context each. Where no thread can
 * be had it solves before it returns. Statuses: CALL_ORDER, STRUCT_SIZE, OUT_OF_MEMORY, BUSY
 * (another call is at work in the context); all others come from wait. */
TALUS_API talus_status talus_solver_solve_async(talus_solver *solver, talus_solution *solution,
                                                talus_info *info);
/* Waits for it and returns its status. Results in device memory are complete for work that is
 * queued on the context's stream afterwards. Statuses: CALL_ORDER (nothing is under way), BUSY (the
 * solve goes on in the process that this one was forked off), and those of talus_solver_solve. */
TALUS_API talus_status talus_solver_wait(talus_solver *solver);
/* Accepts NULL; waits for a solve that is under way. From a callback of the solver's own solve,
 * while another thread is in the solver, or was when the process was forked off, nothing is
 * destroyed and the context's message says so. */
TALUS_API void talus_solver_destroy(talus_solver *solver);

/* Bytes of host memory that a solver takes at the most, in update and solve, for problems no larger
 * than this one in any count. Of `problem` form, counts and dimension are read, of form (b) also
 * block_size and the arrays that name blocks; no numbers. For methods of first order, from packed
 * arrays in host memory, without keys and sleepers, on the CPU or a device; settings name one.
 * Statuses: UNSUPPORTED (all other cases: how much factors take depends on the numbers), and those
 * of talus_solver_update. */
TALUS_API talus_status talus_solver_workspace(talus_context *context,
                                              const talus_settings *settings,
                                              const talus_problem *problem, int64_t *bytes);
/* The same of the memory of the context's device; 0 where the CPU would solve. What the driver
 * takes for itself and for each context is not in it. Statuses: as above, and DEVICE_ERROR. */
TALUS_API talus_status talus_solver_workspace_device(talus_context *context,
                                                     const talus_settings *settings,
                                                     const talus_problem *problem, int64_t *bytes);

/* ---- many problems at once ------------------------------------------------------------------- */

/* Many independent problems, of any sizes and forms, in host memory, shared out among threads,
 * small ones of equal shape side by side, with the bits that each has in a call of its own; on a
 * CUDA context those of up to 64 contacts and rows one per block, with the same bits, if the method
 * is one of mncp_* or AUTO, without warm start (info.backend says where); where a CUDA context was
 * asked for by name, INTERIOR_POINT and NEWTON without same_bits, and none has so few, on the
 * device: up to 64 at a time keep step, as many as it has memory for, so that it factors their
 * matrices together (info.seconds of each is then the time of all); with max_seconds, or more than
 * 1024 contacts and rows or freedoms of bodies, one after the other. A library may round a matrix
 * in company otherwise than alone; the same batch has the same bits from run to run on one device
 * that has the memory for as many at a time.
 * solutions, infos and statuses have one element per problem, or are NULL; a problem that fails
 * leaves the others alone. Returns OK, or the status of the first that failed, the message naming
 * it; OUT_OF_MEMORY and DEVICE_ERROR may be of the whole. Limits are those of each problem;
 * progress is not called, and the log by the calling thread alone; an allocator of the caller's
 * must be safe among threads. Keys are not looked at: a warm start is that of solutions. The same
 * bits on any number of threads (settings.threads). The problems, the solutions and the infos each
 * have one struct_size. */
TALUS_API talus_status talus_solve_batch(talus_context *context, const talus_settings *settings,
                                         int32_t count, const talus_problem *problems,
                                         talus_solution *solutions, talus_info *infos,
                                         talus_status *statuses);

/* ---- judging --------------------------------------------------------------------------------- */

/* Judges any impulses, whoever found them; they are packed, in host memory, wherever the problem's
 * arrays are. bilateral_impulse may be NULL if there are none. certificate comes from
 * talus_certificate_default. */
TALUS_API talus_status talus_certify(talus_context *context, const talus_problem *problem,
                                     const double *impulse, const double *bilateral_impulse,
                                     talus_certificate *certificate);
/* The same with the cone of some settings for the epsilons called faceted; settings may be NULL. */
TALUS_API talus_status talus_certify_cone(talus_context *context, const talus_problem *problem,
                                          const talus_settings *settings, const double *impulse,
                                          const double *bilateral_impulse,
                                          talus_certificate *certificate);

/* The diagonal of W of each contact, 1/kg: its normal entry and its largest tangential one (the
 * normal one again if there is none); compliance is not in it. For callers who choose a compliance
 * by its share of W. contact: [2 contact_count]; row: [bilateral_count], may be NULL. In host
 * memory. Statuses: INVALID_ARGUMENT, and those of talus_solver_update. */
TALUS_API talus_status talus_problem_diagonal(talus_context *context, const talus_problem *problem,
                                              double *contact, double *row);

/* ---- islands --------------------------------------------------------------------------------- */

/* What hangs together: contacts and rows of different islands share nothing that can move, and
 * could be solved apart. Islands are counted in the order of their first body, block or (forms (c)
 * and (d)) constraint. */
typedef struct talus_islands {
  uint32_t struct_size; /* set by talus_islands_default */
  int32_t count;        /* out: how many there are */
  int32_t *contact;     /* out, or NULL: [contact_count] the island of each contact */
  int32_t *row;         /* out, or NULL: [bilateral_count] of each bilateral row */
  int32_t *body;        /* out, or NULL: [body_count], [block_count] for the forms (a), (b): -1 if
                           it cannot move or nothing touches it. Forms (c), (d): must be NULL */
} talus_islands;

TALUS_API void talus_islands_init(talus_islands *islands, size_t size);
static inline talus_islands talus_islands_default(void) {
  talus_islands islands;
  talus_islands_init(&islands, sizeof islands);
  return islands;
}
/* The arrays are the caller's, in host memory. Statuses: INVALID_ARGUMENT, STRUCT_SIZE,
 * UNSUPPORTED, OUT_OF_MEMORY, and those of talus_solver_update. */
TALUS_API talus_status talus_islands_find(talus_context *context, const talus_problem *problem,
                                          talus_islands *islands);

/* ---- arrays that are not packed, or not in double -------------------------------------------- */

typedef enum talus_scalar {
  TALUS_SCALAR_OWN = 0, /* as the member of the problem has it: double, int32_t or int64_t */
  TALUS_SCALAR_F32 = 1  /* float where the member has double; it is widened, nothing is lost */
} talus_scalar;

/* An array that is not packed, or not in double, in place of the member of the same name, which
 * must then be NULL: element i begins at array + i * stride bytes. An element is what belongs to
 * one body, contact or row (three numbers of a normal, side by side); in arrays of ragged parts,
 * matrices and offsets one number. array and stride must be multiples of the number's size. */
typedef struct talus_strided {
  const void *array; /* NULL: the problem's own member is meant */
  int64_t stride;    /* bytes; 0: packed; else at least the size of an element */
  talus_scalar scalar;
} talus_strided;

typedef struct talus_strided_out {
  void *array;
  int64_t stride;
  talus_scalar scalar; /* F32: results are rounded to it */
} talus_strided_out;

typedef struct talus_matrix_layout {
  talus_strided start, index, index2, value;
} talus_matrix_layout;

/* Which arrays of a problem lie otherwise; the rest is as in the problem. Nothing is copied on the
 * caller's side: an array of structs goes in as it is. */
typedef struct talus_layout {
  uint32_t struct_size; /* set by talus_layout_default */
  talus_strided friction, row_lower, row_upper, contact_key, row_key, asleep;
  struct {
    talus_strided velocity;         /* six numbers; three if ... */
    talus_strided angular_velocity; /* ... the other three are elsewhere */
    talus_strided inverse_mass, inverse_inertia, body_a, body_b, normal, reach_a, reach_b, arm_a,
        arm_b, bias, surface_velocity, row_body_a, row_body_b, row_jacobian, row_bias;
  } rigid;
  struct {
    talus_strided block_size, inverse_mass, velocity, contact_start, contact_block,
        contact_jacobian, bias, bilateral_start, bilateral_block, bilateral_jacobian,
        bilateral_bias;
  } blocks;
  struct {
    talus_matrix_layout w;
    talus_strided q;
  } delassus;
  struct {
    talus_matrix_layout mass, h, g;
    talus_strided f, w, b;
  } global;
  talus_strided compliance, target_impulse, row_compliance, row_target_impulse;
  talus_strided torque_friction, cross_friction, friction_direction;
  talus_strided positions;
} talus_layout;

TALUS_API void talus_layout_init(talus_layout *layout, size_t size);
static inline talus_layout talus_layout_default(void) {
  talus_layout layout;
  talus_layout_init(&layout, sizeof layout);
  return layout;
}

/* Which arrays of a solution lie otherwise, as for a problem. */
typedef struct talus_solution_layout {
  uint32_t struct_size;      /* set by talus_solution_layout_default */
  talus_strided_out impulse; /* an element: `dimension` numbers */
  talus_strided_out bilateral_impulse;
  talus_strided_out velocity;         /* form (a): six numbers, or three if ... */
  talus_strided_out angular_velocity; /* ... form (a): the other three go elsewhere */
  talus_strided_out contact_velocity; /* an element: `dimension` numbers */
} talus_solution_layout;

TALUS_API void talus_solution_layout_init(talus_solution_layout *layout, size_t size);
static inline talus_solution_layout talus_solution_layout_default(void) {
  talus_solution_layout layout;
  talus_solution_layout_init(&layout, sizeof layout);
  return layout;
}

#ifdef __cplusplus
}
#endif
#endif
