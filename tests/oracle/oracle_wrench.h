/* oracle_wrench.h: contacts of six rows and elliptic cones: judged, and made with a known solution.
 *
 * In long double from the definitions in talus_solve.h, as oracle.h; forms RIGID and BLOCKS. */
#ifndef TALUS_ORACLE_WRENCH_H
#define TALUS_ORACLE_WRENCH_H

#include "tests/oracle/oracle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* R(x)/R(0), the cone of an ellipse scaled until it is circular; never NaN. */
double oracle_wrench_epsilon(const talus_problem *problem, const double *impulse,
                             const double *bilateral, talus_law law);

/* The largest defect of the law's own statements, contact by contact: x outside of K, over the
 * largest impulse; u^ outside of the dual cone, over the largest velocity; x . u^, over both. No
 * projection, no scaling of ellipses. Torques count by the mean reach of their contact. */
double oracle_wrench_defect(const talus_problem *problem, const double *impulse,
                            const double *bilateral, talus_law law);

typedef struct oracle_wrench_recipe {
  talus_form form;      /* RIGID (default) or BLOCKS */
  oracle_bodies bodies; /* SPHERES or RIGID */
  talus_law law;
  int dimension; /* 6 (default), or 3 with elliptic cones */
  int elliptic;  /* 1: elliptic cones */
  int body_count, contact_count, bilateral_count;
  double torque_max; /* friction of spinning and rolling: up to this, m; a tenth has none */
  double compliance; /* as in oracle_recipe */
  uint64_t seed;
} oracle_wrench_recipe;

/* Bodies of a few clusters turn alike after the impulses, so that contacts inside of one neither
 * spin nor roll; forces open, stick and slip as in oracle_problem_make. */
oracle_made oracle_wrench_make(const oracle_wrench_recipe *recipe);

#ifdef __cplusplus
}
#endif
#endif
