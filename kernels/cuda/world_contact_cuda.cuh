/* world_contact_cuda.cuh: one contact of a world in device memory: its arrays filled from what the
 * narrow-phase found, and from the contact that it was in the step before. */
#ifndef TL_WORLD_CONTACT_CUDA_CUH
#define TL_WORLD_CONTACT_CUDA_CUH

#include "kernels/cuda/world_cuda.cuh"
#include "kernels/item/bias.h"
#include "kernels/item/collide/query.h"
#include "kernels/item/motion.h"

/* The first contact of the step before whose shapes are not below (a, b). */
static __device__ __forceinline__ int32_t tl_world_old_first(const tl_world_view &v, int32_t a,
                                                             int32_t b) {
  int32_t low = 0, high = v.old.count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    const int32_t at = v.old.shape_a[middle], bt = v.old.shape_b[middle];
    if (at < a || (at == a && bt < b)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static __device__ __forceinline__ bool tl_world_old_is(const tl_world_view &v, int32_t k, int32_t a,
                                                       int32_t b) {
  return k < v.old.count && v.old.shape_a[k] == a && v.old.shape_b[k] == b;
}

/* u_n of the bodies as they are. */
static __device__ __forceinline__ double tl_world_approach_of(const tl_world_view &v,
                                                              const tl_contact_point &point,
                                                              int32_t body_a, int32_t body_b) {
  double u[2][3], approach = 0;
  for (int side = 0; side < 2; side++) {
    const tl_body_motion &m = v.motion[side ? body_b : body_a];
    double arm[3];
    tl_sub3(arm, point.position, m.position);
    tl_point_velocity(m.velocity, m.spin, arm, u[side]);
  }
  for (int c = 0; c < 3; c++) {
    approach += point.normal[c] * (u[1][c] - u[0][c]);
  }
  return approach;
}

/* What the problem needs of the place of its two bodies: arms, reaches, and the motion of turning
 * walls. */
static __device__ __forceinline__ void
tl_world_sides_fill(const tl_world_view &v, const tl_resident_rule &rule, int32_t k) {
  const double *const point = v.now.point + 3 * (int64_t)k, *const normal =
                                                                v.now.normal + 3 * (int64_t)k;
  double surface[3] = {0, 0, 0};
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? v.now.body_b[k] : v.now.body_a[k];
    double arm[3], turn[3];
    tl_sub3(arm, point, v.motion[body].position);
    if (v.arm_a != NULL) {
      tl_copy3((side ? v.arm_b : v.arm_a) + 3 * (int64_t)k, arm);
    }
    const double along = tl_dot3(arm, normal);
    const bool round = v.fact[body].round;
    (side ? v.reach_b : v.reach_a)[k] = round ? (side ? -along : along) : 0;
    if (rule.turning && !round) {
      tl_cross3(turn, v.free + 6 * (int64_t)body + 3, arm);
      for (int c = 0; c < 3; c++) {
        surface[c] += (side ? 1 : -1) * turn[c];
      }
    }
  }
  tl_copy3(v.surface + 3 * (int64_t)k, surface);
}

/* Bias, compliance and the spring's memory. */
static __device__ __forceinline__ void tl_world_bias_fill(const tl_world_view &v,
                                                          const tl_resident_rule &rule, int32_t k,
                                                          const double old_hold[3]) {
  const tl_resident_contacts &now = v.now;
  const tl_shape_fact &s = v.shape[now.shape_a[k]], &t = v.shape[now.shape_b[k]];
  const double *const normal = now.normal + 3 * (int64_t)k;
  double *const hold = now.hold + 3 * (int64_t)k;
  tl_bias_query query;
  query.gap = now.gap[k];
  query.slop = now.slop[k];
  query.approach = now.approach[k];
  query.restitution = now.restitution[k];
  query.load = tl_dot3(normal, now.impulse + 3 * (int64_t)k);
  query.weight = v.fact[now.body_a[k]].inverse_mass + v.fact[now.body_b[k]].inverse_mass;
  query.size_a = s.size;
  query.size_b = t.size;
  const tl_bias bias =
      tl_bias_find(&rule.contact, &query, &v.spring[s.material], &v.spring[t.material]);
  now.bias[k] = bias.bias;
  now.stiffness[k] = bias.stiffness;
  now.compliance[2 * (int64_t)k] = bias.compliance[0];
  now.compliance[2 * (int64_t)k + 1] = bias.compliance[1];
  tl_set3(hold, 0, 0, 0);
  if (bias.stiffness > 0) {
    tl_spring_turn(normal, old_hold, hold);
  }
  tl_scale3(v.target + 3 * (int64_t)k, rule.contact.dt, hold);
}

/* Contact k of a pair; old: the same one in the step before, or -1. */
static __device__ __forceinline__ void
tl_world_contact_make(const tl_world_view &v, const tl_resident_rule &rule, int32_t k,
                      const tl_contact_point &point, int32_t old) {
  const tl_resident_contacts &now = v.now;
  const tl_shape_fact &s = v.shape[point.a], &t = v.shape[point.b];
  const int64_t pair = (int64_t)s.material * v.material_count + t.material;
  double impulse[3] = {0, 0, 0}, hold[3] = {0, 0, 0};
  if (old >= 0) {
    tl_copy3(impulse, v.old.impulse + 3 * (int64_t)old);
    tl_copy3(hold, v.old.hold + 3 * (int64_t)old);
  }
  now.shape_a[k] = point.a;
  now.shape_b[k] = point.b;
  now.body_a[k] = s.body;
  now.body_b[k] = t.body;
  now.feature[k] = point.feature;
  now.spherical[k] = point.spherical && (v.fact[s.body].round || !s.movable) &&
                     (v.fact[t.body].round || !t.movable);
  now.gap[k] = point.gap;
  tl_copy3(now.point + 3 * (int64_t)k, point.position);
  tl_copy3(now.normal + 3 * (int64_t)k, point.normal);
  tl_copy3(now.impulse + 3 * (int64_t)k, impulse);
  now.friction[k] = v.friction[pair];
  now.restitution[k] = v.restitution[pair];
  now.slop[k] = rule.contact.slop * fmin(s.size, t.size);
  now.approach[k] = now.restitution[k] > 0 || rule.contact.soft
                        ? tl_world_approach_of(v, point, s.body, t.body)
                        : 0;
  now.departure[k] = 0;
  tl_world_bias_fill(v, rule, k, hold);
  tl_world_sides_fill(v, rule, k);
  if (!now.spherical[k] || (rule.plane && point.normal[1] != 0)) {
    atomicOr((unsigned *)&v.record->skewed, 1u);
  }
}

/* After the pairs, of which there are some, were counted and numbered. */
static __device__ __forceinline__ int32_t tl_world_contacts_counted(const tl_world_view &v) {
  const int32_t last = *v.pair_count - 1;
  return (int32_t)(v.offset[last] + v.flag[last]);
}

/* By the record of a touch: where contacts are outgrown, or a pair is crowded, there are none. */
static __device__ __forceinline__ bool tl_world_contacts_made(const tl_world_view &v) {
  return v.record->contact_count <= v.contact_capacity && !v.record->crowded;
}

/* Contacts of this step. */
static __device__ __forceinline__ int32_t tl_world_contacts_of(const tl_world_view &v) {
  return tl_world_contacts_made(v) ? v.record->contact_count : 0;
}

#endif
