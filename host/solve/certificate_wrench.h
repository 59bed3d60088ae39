/* certificate_wrench.h: contacts of six rows and elliptic cones, judged one by one. */
#ifndef TL_CERTIFICATE_WRENCH_H
#define TL_CERTIFICATE_WRENCH_H

#include "host/solve/certificate.h"

/* Force and torque split about the contact's axis: sliding, spinning, rolling. */
typedef struct tl_six {
  double normal, part[3][3];
} tl_six;

typedef struct tl_wrench_verdict {
  double residual[TALUS_LAW_COUNT], reference[TALUS_LAW_COUNT]; /* squares of R(x) and R(0) */
  double plain[TALUS_LAW_COUNT]; /* squares of the natural map without weights */
  tl_six impulse, velocity;
  tl_six lawful[TALUS_LAW_COUNT]; /* what the laws see of the velocity */
  double load;                    /* weighted square of the impulse */
  double outside;                 /* the largest distance out of the cone */
  double work;                    /* of friction, sliding, spinning and rolling */
} tl_wrench_verdict;

double tl_six_inner(const tl_six *a, const tl_six *b);

/* Fact i with friction of sliding, spinning, rolling. */
tl_wrench_verdict tl_wrench_judge(const tl_facts *facts, int64_t i, const double *friction,
                                  const double *axis);

/* Fact i of contact k where its elliptic cone is circular; returns the friction of that. */
double tl_ellipse_apply(const tl_certification *j, int32_t k, int64_t i, tl_facts *facts);

#endif
