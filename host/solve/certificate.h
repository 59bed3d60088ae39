/* certificate.h: what some impulses are worth, from the caller's own arrays, in double.
 *
 * No solver calls this code and it calls none of theirs: it has its own cone, its own products with
 * W, M and H. certificate_forms.c brings each form to a tl_judgement; certificate.c judges. */
#ifndef TL_CERTIFICATE_H
#define TL_CERTIFICATE_H

#include "host/base/base.h"
#include "talus/talus_solve.h"

/* One constraint after the other (contacts, then bilateral rows), three components each, unused
 * ones 0. */
typedef struct tl_judgement {
  int32_t contact_count, bilateral_count, dimension;
  const double *friction; /* NULL = 0 */
  const double *axis;     /* [3 contacts] cone axes in the world frame; NULL: the first component */
  double *impulse;        /* x */
  double *velocity;       /* u */
  double *free;           /* q, u without impulses */
  double *rounding;       /* |D||v| + |bias|, the scale of q's rounding error */
  double *weight;         /* [constraints] w_k = tr(W_kk) / rows */
  double *motion;         /* velocities of the bodies after the impulses; forms (a), (b), (d) */
  int64_t motion_count;
  double momentum_balance, asymmetry;
  tl_buffer memory;
} tl_judgement;

/* Fills the judgement from a checked problem. impulse and bilateral as in talus_solution; NULL
 * means 0. */
talus_status tl_judgement_make(talus_context *context, const talus_problem *problem,
                               const double *impulse, const double *bilateral,
                               tl_judgement *judgement);
void tl_judgement_release(talus_context *context, tl_judgement *judgement);
void tl_judgement_pronounce(const tl_judgement *judgement, talus_certificate *certificate);

#endif
