/* assembly_compliance.c: contacts and rows that give way: W + C in the place of W, q - C target in
 * the place of q.
 *
 * C = diag(C_n, C_t, C_t) about the contact's axis is the same in every frame that has the axis, so
 * that one place serves all forms. Where W is stored its diagonal blocks take C; else the kernels
 * add C y to D V(y), and scaling, weight and W_kk hold it already. */
#include <math.h>
#include <string.h>

#include "host/problem/assembly.h"
#include "host/problem/problem_check.h"
#include "kernels/halo.h"
#include "kernels/item/rigid.h"

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
  tl_yielding_times(c, n, x, v);
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

/* C to the stored W. */
static void matrix_add(const tl_system *system, const tl_yielding *c, int32_t rows, int32_t place) {
  const double part[3] = {c->normal, rows > 1 ? c->tangential : 0, rows > 2 ? c->tangential : 0};
  double *const block = matrix_block(system, place);
  for (int i = 0; i < 3; i++) {
    block[4 * i] += part[i];
  }
}

static void softness_add(const tl_system *system, const tl_yielding *c, int32_t rows, int32_t place,
                         tl_softnesses *all) {
  const tl_softness own = tl_yielding_softness(system, c, rows, place);
  const int octave = tl_softness_octave(own.least);
  all->least[octave] = fmin(all->least[octave], own.least);
  all->count[octave]++;
  all->most = fmax(all->most, own.most);
  all->largest = fmax(all->largest, fmax(c->normal, c->tangential));
}

/* *square: what it adds to the rounding. */
static talus_status constraint_comply(talus_context *context, const talus_problem *problem,
                                      tl_assembly *assembly, int32_t place, tl_softnesses *all,
                                      double *square) {
  tl_system *const system = &assembly->system;
  const int32_t k = system->order[place];
  const int32_t rows = k >= problem->contact_count ? 1
                       : problem->dimension < 3    ? problem->dimension
                                                   : 3;
  const tl_yielding c = tl_problem_yielding(problem, k);
  tl_yielding_scale(system, &c, rows, place);
  if (TL_HAS_ROWS(&system->shape)) {
    matrix_add(system, &c, rows, place);
  }
  if (!isfinite(system->weight[place])) {
    return tl_assembly_refuse(context, assembly, place, rows * system->weight[place]);
  }
  double v[3];
  target_velocity(assembly, &c, k, place, v);
  squeeze(system, place, v);
  *square = tl_yielding_free(system, place, v);
  if (tl_assembly_owns(assembly, place)) {
    softness_add(system, &c, rows, place, all);
  }
  return TALUS_OK;
}

/* Roundings are added chunk by chunk, as a device does. */
talus_status tl_assembly_comply(talus_context *context, const talus_problem *problem,
                                tl_assembly *assembly) {
  const int32_t count = assembly->system.shape.contact_count;
  const bool bricks = assembly->kept.brick_size > 0;
  tl_softnesses *const all = &assembly->softness;
  *all = (tl_softnesses){.most = 0};
  for (int i = 0; i < TL_OCTAVES; i++) {
    all->least[i] = INFINITY;
  }
  double sum = 0;
  for (int32_t place = 0; place < count; place++) {
    double square = 0;
    TL_TRY(constraint_comply(context, problem, assembly, place, all, &square));
    if (bricks) {
      tl_assembly_round(assembly, place, square);
      continue;
    }
    sum += square;
    if ((place + 1) % TL_CHUNK == 0 || place + 1 == count) {
      assembly->rounding += sum;
      sum = 0;
    }
  }
  return TALUS_OK;
}

/* Numbers that are not negative are ordered as their bits are. */
static int64_t bits_of(double value) {
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double value_of(int64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void softness_share(tl_halo *halo, tl_softnesses *all) {
  int64_t count[TL_OCTAVES], most[TL_OCTAVES + 2];
  for (int i = 0; i < TL_OCTAVES; i++) {
    count[i] = all->count[i];
    most[i] = -bits_of(all->least[i]);
  }
  most[TL_OCTAVES] = bits_of(all->most);
  most[TL_OCTAVES + 1] = bits_of(all->largest);
  halo->sum(halo, count, TL_OCTAVES);
  halo->largest(halo, most, TL_OCTAVES + 2);
  for (int i = 0; i < TL_OCTAVES; i++) {
    all->count[i] = (int32_t)count[i];
    all->least[i] = value_of(-most[i]);
  }
  all->most = value_of(most[TL_OCTAVES]);
  all->largest = value_of(most[TL_OCTAVES + 1]);
}

void tl_assembly_soften(tl_assembly *assembly) {
  tl_softnesses *const all = &assembly->softness;
  int32_t count = 0;
  if (assembly->halo != NULL) {
    softness_share(assembly->halo, all);
  }
  for (int i = 0; i < TL_OCTAVES; i++) {
    count += all->count[i];
  }
  assembly->stiffest = tl_softness_stiffest(all, count);
  assembly->softest = all->most;
  assembly->most_compliance = all->largest;
}
