/* assembly_compliance.c: contacts and rows that give way: W + C in the place of W, q - C target in
 * the place of q.
 *
 * C = diag(C_n, C_t, C_t) about the contact's axis is the same in every frame that has the axis, so
 * that one place serves all forms. Where W is stored its diagonal blocks take C; else the kernels
 * add C y to D V(y), and scaling, weight and W_kk hold it already. */
#include <math.h>

#include "host/problem/assembly.h"
#include "host/problem/problem_check.h"
#include "kernels/item/rigid.h"

/* Constraints that are stiffer than the others do not decide the momentum unless they are more than
 * this share. */
static const double STIFF_SHARE = 0.125;

/* Constraints are counted by the octave of C over S; the first holds the rigid ones and what is
 * next to them. */
enum { OCTAVES = 64 };

/* C target of constraint k at `place`, in the frame of free. */
static void target_velocity(const tl_assembly *assembly, const tl_yielding *c, int32_t k,
                            int32_t place, double *v) {
  const tl_system *const system = &assembly->system;
  const tl_range *const range = &system->shape.range[0];
  double x[3] = {c->target[0], c->target[1], c->target[2]}, n[3] = {1, 0, 0};
  if (place < range->count && (range->kind == TL_SPHERES || range->kind == TL_ARMS)) {
    for (int i = 0; i < 3; i++) {
      n[i] = system->normal[3 * (int64_t)place + i];
    }
    for (int i = 0; assembly->frame != NULL && i < 3; i++) { /* from (n, t1, t2) to the world */
      const double *const axis = assembly->frame + 9 * (int64_t)k;
      x[i] = c->target[0] * axis[i] + c->target[1] * axis[3 + i] + c->target[2] * axis[6 + i];
    }
  }
  const double along = (c->normal - c->tangential) * (n[0] * x[0] + n[1] * x[1] + n[2] * x[2]);
  for (int i = 0; i < 3; i++) {
    v[i] = c->tangential * x[i] + along * n[i];
  }
}

/* What an elliptic cone sees of a velocity. */
static void squeeze(const tl_system *system, int32_t place, double *v) {
  if (place < system->shape.torque_count && system->squeeze != NULL) {
    const double *const g = system->squeeze + 3 * (int64_t)place;
    const double along = g[0] * v[0] + g[1] * v[1] + g[2] * v[2];
    for (int i = 0; i < 3; i++) {
      v[i] -= along * g[i];
    }
  }
}

/* The diagonal block of W at `place`. */
static double *matrix_block(const tl_system *system, int32_t place) {
  int64_t e = system->row_first[place];
  while (system->column[e] != place) {
    e++;
  }
  return system->value + 9 * e;
}

/* C to whatever holds W_kk. */
static void stiffness_add(tl_system *system, const tl_yielding *c, int32_t rows, int32_t place) {
  const double part[3] = {c->normal, rows > 1 ? c->tangential : 0, rows > 2 ? c->tangential : 0};
  const double trace = part[0] + part[1] + part[2];
  system->weight[place] += trace / rows;
  const double least = 1e-3 * system->weight[place];
  system->scale_n[place] = fmax(system->scale_n[place] + c->normal, least);
  system->scale_t[place] =
      fmax(system->scale_t[place] + (rows > 1 ? c->tangential : c->normal), least);
  double *const block = TL_HAS_ROWS(&system->shape) ? matrix_block(system, place) : NULL;
  for (int i = 0; i < 3; i++) {
    if (system->diagonal != NULL) {
      system->diagonal[3 * (int64_t)place + i] += part[i];
    }
    if (block != NULL) {
      block[4 * i] += part[i];
    }
  }
}

typedef struct softness {
  double least[OCTAVES];  /* of C over S in each octave */
  int32_t count[OCTAVES]; /* of constraints in it */
  double most, largest;   /* of C over S; of C */
} softness;

static int octave_of(double share) {
  int exponent;
  frexp(share, &exponent); /* a share is below 1: exponents up to 0 */
  const int octave = OCTAVES - 1 + exponent;
  return share > 0 && octave > 0 ? octave : 0;
}

/* The least share of C in S but for STIFF_SHARE of the constraints; 0 if those are rigid. */
static double stiffest_of(const softness *s, int32_t count) {
  int32_t below = 0;
  for (int i = 0; i < OCTAVES; i++) {
    below += s->count[i];
    if (below > STIFF_SHARE * count) {
      return i > 0 ? s->least[i] : 0;
    }
  }
  return 0;
}

/* How soft constraint `place` is, by its softest and its stiffest direction that has an impulse. */
static void softness_add(const tl_system *system, const tl_yielding *c, int32_t rows, int32_t place,
                         softness *s) {
  const double normal = c->normal / system->scale_n[place];
  const int slides = rows > 1 && system->friction[place] > 0;
  const double tangential = slides ? c->tangential / system->scale_t[place] : normal;
  const double least = fmin(normal, tangential);
  const int octave = octave_of(least);
  s->least[octave] = s->count[octave] > 0 ? fmin(s->least[octave], least) : least;
  s->count[octave]++;
  s->most = fmax(s->most, fmax(normal, tangential));
  s->largest = fmax(s->largest, fmax(c->normal, c->tangential));
}

static talus_status constraint_comply(talus_context *context, const talus_problem *problem,
                                      tl_assembly *assembly, int32_t place, softness *s) {
  tl_system *const system = &assembly->system;
  const int32_t k = system->order[place];
  const int32_t rows = k >= problem->contact_count ? 1
                       : problem->dimension < 3    ? problem->dimension
                                                   : 3;
  const tl_yielding c = tl_problem_yielding(problem, k);
  if (system->shape.compliance_count > 0) {
    system->compliance_n[place] = c.normal;
    system->compliance_t[place] = c.tangential;
  }
  stiffness_add(system, &c, rows, place);
  if (!isfinite(system->weight[place])) {
    return tl_assembly_refuse(context, assembly, place, rows * system->weight[place]);
  }
  double v[3], square = 0;
  target_velocity(assembly, &c, k, place, v);
  squeeze(system, place, v);
  system->free_x[place] -= v[0];
  system->free_y[place] -= v[1];
  system->free_z[place] -= v[2];
  for (int i = 0; i < 3; i++) {
    square += v[i] * v[i] / system->weight[place];
  }
  assembly->rounding += square;
  softness_add(system, &c, rows, place, s);
  return TALUS_OK;
}

talus_status tl_assembly_comply(talus_context *context, const talus_problem *problem,
                                tl_assembly *assembly) {
  const int32_t count = assembly->system.shape.contact_count;
  softness s = {.most = 0};
  for (int32_t place = 0; place < count; place++) {
    TL_TRY(constraint_comply(context, problem, assembly, place, &s));
  }
  assembly->stiffest = stiffest_of(&s, count);
  assembly->softest = s.most;
  assembly->most_compliance = s.largest;
  return TALUS_OK;
}
