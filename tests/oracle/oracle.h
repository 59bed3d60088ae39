/* oracle.h: judges impulses, and makes problems whose solution is known.
 *
 * Dense, slow and plain, in long double, straight from the definitions in talus_solve.h. It shares
 * no code with the library: only the public headers are included, and no function of the library
 * is called. Out of memory ends the program: this is for tests. Rows: `dimension` per contact, then
 * one per bilateral row; contacts of form RIGID in world x y z, all others in n t1 t2. */
#ifndef TALUS_ORACLE_H
#define TALUS_ORACLE_H

#include "talus/talus_solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a problem written out: u = W x + q, compliance in both ---------------------------------- */

typedef struct oracle_system {
  int contacts, dimension, bilateral, rows;
  long double *w;      /* [rows * rows], row by row */
  long double *q;      /* [rows] D v + bias */
  long double *weight; /* [rows] |D||v| + |bias|: what q was summed from, for the rounding floor */
  long double *normal; /* [dimension * contacts] in the frame of the rows */
  long double *friction;      /* [contacts] */
  long double *lower, *upper; /* [bilateral] bounds of the rows' impulses, infinite where none */
} oracle_system;

/* Returns 0 if the form is unknown or M of form GLOBAL is not positive definite. */
int oracle_build(const talus_problem *problem, oracle_system *system);
void oracle_free(oracle_system *system);

/* u = W x + q for all rows; bilateral may be NULL if there are none. velocity: [rows]. */
void oracle_velocity(const oracle_system *system, const double *impulse, const double *bilateral,
                     long double *velocity);

/* ---- what is true of some impulses ----------------------------------------------------------- */

typedef struct oracle_report {
  double epsilon;         /* R(x)/R(0); 0 where both are at the rounding floor; never NaN */
  double residual;        /* R(x) */
  double reference;       /* R(0), not below its floor */
  double siconos;         /* |x - P(x - u^)| / max(|q|, |x|, |u|) */
  double cone_violation;  /* largest |x_t| - friction x_n (or -x_n), or way of a row's x beyond its
                             bounds, over the largest |x| of contacts and rows with bounds */
  double complementarity; /* sum |x . u^| / sum |x||u^| */
  double dissipation;     /* sum x_t . u_t */
  double bilateral;       /* largest |u| of a bilateral row, but for what its bounds allow */
  double penetration;     /* largest -u_n, 0 if none */
} oracle_report;

oracle_report oracle_judge(const oracle_system *system, const double *impulse,
                           const double *bilateral, talus_law law);

/* Short forms. A problem that cannot be built reads as infinity. */
double oracle_epsilon(const talus_problem *problem, const double *impulse, const double *bilateral,
                      talus_law law);
double oracle_siconos(const talus_problem *problem, const double *impulse, const double *bilateral,
                      talus_law law);

/* epsilon with the law and the faceted cone of the settings; not floored. */
double oracle_epsilon_faceted(const talus_problem *problem, const talus_settings *settings,
                              const double *impulse, const double *bilateral);

/* ---- problems with a known solution ---------------------------------------------------------- */

typedef enum oracle_bodies {
  ORACLE_SPHERES, /* rigid, 6 unknowns, arms along the normal */
  ORACLE_RIGID,   /* rigid, 6 unknowns, general arms and inertia */
  ORACLE_RAGGED   /* blocks of 1 to 7 unknowns, 1 to 3 of them per contact; not for form RIGID */
} oracle_bodies;

typedef struct oracle_recipe {
  talus_form form;       /* default RIGID */
  oracle_bodies bodies;  /* default RIGID */
  talus_law law;         /* the law that the solution obeys; default COULOMB */
  talus_storage storage; /* of the matrices of forms DELASSUS and GLOBAL; default CSC */
  int dimension;         /* 1, 2 or 3; form RIGID: 3. Default 3 */
  int body_count;        /* default 10 */
  int contact_count;     /* default 20; more than 2 body_count makes W rank-deficient */
  int bilateral_count;   /* default 0 */
  double bounded;        /* share of bilateral rows with bounds: in turn at the lower, at the upper,
                            inside of both, on the right side of one; default 0 */
  double open, stick;    /* shares; the rest slips. Default 0.3 and 0.4 */
  double frictionless;   /* share of contacts with friction 0; default 0.1 */
  double friction_max;   /* the others: uniform in 0 .. this; default 2 */
  double mass_decades;   /* masses between 10^-this and 10^this; default 0 */
  double asymmetry;      /* form DELASSUS: |W - W^T| / |W|, about; default 0 */
  int shuffle;           /* form GLOBAL: 1 = unknowns in random order; default 0 */
  double ground;         /* share of contacts on the ground; default 0.2 */
  double immovable;      /* forms RIGID and BLOCKS: share of bodies of infinite mass, which move at
                            a velocity of their own; default 0 */
  double compliance;     /* > 0: contacts and rows give way, C between 1e-4 and 1 of this times
                            W_kk's mean diagonal, with targets; default 0 */
  double stiff;          /* then: share of contacts and rows that stay rigid; default 0.1 */
  uint64_t seed;         /* default 1 */
} oracle_recipe;

oracle_recipe oracle_recipe_default(talus_form form);

typedef struct oracle_made {
  talus_problem problem;
  double *impulse;           /* the solution, frame of the form */
  double *bilateral_impulse; /* NULL if there are no bilateral rows */
  double *contact_velocity;  /* u of the solution, compliance included */
  double *row_velocity;      /* u of the bilateral rows: 0 but at a bound; NULL if there are none */
  int *open, *stick;         /* [contact_count] status: open, sticking; neither = slipping */
  void *memory;              /* private */
} oracle_made;

/* Picks impulses and velocities that obey the law contact by contact, random bodies and Jacobians,
 * and then the bias that makes them the solution. Free with oracle_made_free. */
oracle_made oracle_problem_make(const oracle_recipe *recipe);
void oracle_made_free(oracle_made *made);

/* Random numbers for tests: uniform in low .. high. */
double oracle_random(uint64_t *state, double low, double high);

#ifdef __cplusplus
}
#endif
#endif
