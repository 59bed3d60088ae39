/* compliance.h: what the compliance of one constraint changes in a tl_system: W + C in the place of
 * W, q - C target in the place of q, C = diag(C_n, C_t, C_t) about the axis n. In double. */
#ifndef TL_ITEM_COMPLIANCE_H
#define TL_ITEM_COMPLIANCE_H

#include "kernels/data/system.h"
#include "kernels/item/real.h"

/* C_n, C_t and the target impulse, in the frame of the impulse; rows have C_n alone. */
typedef struct tl_yielding {
  double normal, tangential;
  double target[3];
} tl_yielding;

/* C times an impulse. */
TL_ITEM void tl_yielding_times(const tl_yielding *c, const double *n, const double *x, double *v) {
  const double along = (c->normal - c->tangential) * (n[0] * x[0] + n[1] * x[1] + n[2] * x[2]);
  for (int i = 0; i < 3; i++) {
    v[i] = c->tangential * x[i] + along * n[i];
  }
}

/* C to whatever holds W_kk of constraint `place`, but a stored W. */
TL_ITEM void tl_yielding_scale(const tl_system *system, const tl_yielding *c, int32_t rows,
                               int32_t place) {
  const double part[3] = {c->normal, rows > 1 ? c->tangential : 0, rows > 2 ? c->tangential : 0};
  const double trace = part[0] + part[1] + part[2];
  system->weight[place] += trace / rows;
  const double least = 1e-3 * system->weight[place];
  system->scale_n[place] = fmax(system->scale_n[place] + c->normal, least);
  system->scale_t[place] =
      fmax(system->scale_t[place] + (rows > 1 ? c->tangential : c->normal), least);
  for (int i = 0; i < 3 && system->diagonal != NULL; i++) {
    system->diagonal[3 * (int64_t)place + i] += part[i];
  }
  if (system->shape.compliance_count > 0) {
    system->compliance_n[place] = c->normal;
    system->compliance_t[place] = c->tangential;
  }
}

/* Takes C target, v, from the velocity without impulses; returns what that adds to the rounding. */
TL_ITEM double tl_yielding_free(const tl_system *system, int32_t place, const double *v) {
  double square = 0;
  system->free_x[place] -= v[0];
  system->free_y[place] -= v[1];
  system->free_z[place] -= v[2];
  for (int i = 0; i < 3; i++) {
    square += v[i] * v[i] / system->weight[place];
  }
  return square;
}

/* How soft a scaled constraint is: C over S in its stiffest and in its softest direction that has
 * an impulse. */
typedef struct tl_softness {
  double least, most;
} tl_softness;

TL_ITEM tl_softness tl_yielding_softness(const tl_system *system, const tl_yielding *c,
                                         int32_t rows, int32_t place) {
  const double normal = c->normal / system->scale_n[place];
  const int slides = rows > 1 && system->friction[place] > 0;
  const double tangential = slides ? c->tangential / system->scale_t[place] : normal;
  tl_softness s;
  s.least = fmin(normal, tangential);
  s.most = fmax(normal, tangential);
  return s;
}

/* Constraints that are stiffer than the others do not decide the momentum unless they are more than
 * an eighth: they are counted by the octave of C over S; the first holds the rigid ones and what is
 * next to them. */
enum { TL_OCTAVES = 64 };

/* Those of a whole problem. */
typedef struct tl_softnesses {
  double least[TL_OCTAVES];  /* of C over S in each octave; infinite where there is none */
  int32_t count[TL_OCTAVES]; /* of constraints in it */
  double most, largest;      /* of C over S; of C */
} tl_softnesses;

TL_ITEM int tl_softness_octave(double share) {
  int exponent = 0;
  (void)frexp(share, &exponent); /* a share is below 1: exponents up to 0 */
  const int octave = TL_OCTAVES - 1 + exponent;
  return !(share > 0) || octave < 0 ? 0 : octave < TL_OCTAVES ? octave : TL_OCTAVES - 1;
}

/* The least share of C in S but for an eighth of the constraints; 0 if those are rigid. */
TL_ITEM double tl_softness_stiffest(const tl_softnesses *all, int32_t count) {
  int32_t below = 0;
  for (int i = 0; i < TL_OCTAVES; i++) {
    below += all->count[i];
    if (below > 0.125 * count) {
      return i > 0 ? all->least[i] : 0;
    }
  }
  return 0;
}

#endif
