/* world_advance_cuda.cu: the second half of a step: what the impulses do to contacts, whether
 * anything is out of the ordinary, balances, bodies moved. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "kernels/cuda/world_contact_cuda.cuh"
#include "kernels/item/balance.h"
#include "kernels/item/bias.h"
#include "kernels/item/inertia.h"
#include "kernels/item/motion.h"
#include "kernels/item/tumble.h"

namespace {

/* Doubles that are not negative are ordered as their bits. */
__device__ __forceinline__ void largest_note(double *most, double value) {
  unsigned long long bits;
  memcpy(&bits, &value, sizeof bits);
  if (value > 0) {
    atomicMax((unsigned long long *)most, bits);
  }
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* Work on one side of a contact, of the impulse that acts on it. */
__device__ __forceinline__ tl_side_balance side_of(const tl_world_view &v, int32_t k, int side) {
  const int32_t body = side ? v.now.body_b[k] : v.now.body_a[k];
  double arm[3];
  tl_side_balance balance;
  tl_sub3(arm, v.now.point + 3 * (int64_t)k, v.motion[body].position);
  const double work = tl_impulse_work(v.now.impulse + 3 * (int64_t)k, arm,
                                      v.free + 6 * (int64_t)body, v.after + 6 * (int64_t)body);
  balance.work = side ? work : -work;
  balance.movable = balance.alone = v.fact[body].inverse_mass > 0;
  return balance;
}

/* How fast it opens now; whether it would become too deep, or lies too deep. */
__device__ __forceinline__ void contact_carry(const tl_world_view &v, const tl_resident_rule &rule,
                                              int32_t k) {
  const double *const normal = v.now.normal + 3 * (int64_t)k;
  const double size = fmin(v.shape[v.now.shape_a[k]].size, v.shape[v.now.shape_b[k]].size);
  const double departure = tl_dot3(normal, v.velocity + 3 * (int64_t)k) - v.now.bias[k];
  const double gap = v.now.gap[k], after = tl_gap_after(gap, rule.contact.dt, departure);
  v.now.departure[k] = departure;
  if (-after - fmax(0.0, -gap) > rule.penetration_limit * size) {
    atomicOr((unsigned *)&v.record->deep, 1u);
  }
  if (tl_push_needed(after, v.now.slop[k], v.now.stiffness[k])) {
    atomicOr((unsigned *)&v.record->sunk, 1u);
  }
  if (rule.contact.soft) {
    tl_spring_force(normal, v.now.impulse + 3 * (int64_t)k, v.now.stiffness[k], rule.contact.dt,
                    v.now.hold + 3 * (int64_t)k);
  }
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    contacts_carry_kernel(const tl_world_view v, const tl_resident_rule rule) {
  const int32_t k = tl_world_item();
  const int32_t count = tl_world_contacts_of(v);
  double value[TL_CONTACT_VALUES] = {0}, sum[TL_CONTACT_DEEPEST];
  if (k < count) {
    contact_carry(v, rule, k);
    const tl_side_balance a = side_of(v, k, 0), b = side_of(v, k, 1);
    tl_contact_balance(v.now.impulse + 3 * (int64_t)k, v.now.normal + 3 * (int64_t)k, v.now.gap[k],
                       &a, &b, value);
    largest_note(&v.record->contact[TL_CONTACT_DEEPEST], value[TL_CONTACT_DEEPEST]);
  }
  for (int n = 0; n < TL_CONTACT_DEEPEST; n++) {
    sum[n] = value[n];
  }
  tl_world_sum(sum, count, v.partial, v.ticket, v.record->contact);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

__device__ __forceinline__ bool is_good(const tl_body_motion &m) {
  return isfinite(m.position[0] + m.position[1] + m.position[2] + m.velocity[0] + m.velocity[1] +
                  m.velocity[2] + m.spin[0] + m.spin[1] + m.spin[2]);
}

/* Whether a shape moves further than its margin; bodies stand where the problem was made. */
__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    shapes_outrun_kernel(const tl_world_view v, const tl_resident_rule rule) {
  const int32_t i = tl_world_item();
  if (i >= v.shape_count || !v.shape[i].movable) {
    return;
  }
  const int32_t body = v.shape[i].body;
  const double *const after = v.after + 6 * (int64_t)body;
  double arm[3];
  tl_sub3(arm, v.place[i].position, v.motion[body].position);
  const double speed = tl_shape_speed(v.fact[body].round, v.shape[i].reach, arm, after, after + 3);
  if (rule.contact.dt * speed > v.place[i].margin) {
    atomicOr((unsigned *)&v.record->fast, 1u);
  }
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    bodies_move_kernel(const tl_world_view v, const tl_resident_rule rule) {
  const int32_t i = tl_world_item();
  if (i >= v.body_count) {
    return;
  }
  const tl_body_fact &f = v.fact[i];
  const double *const after = v.after + 6 * (int64_t)i;
  tl_body_motion m = v.motion[i];
  if (f.shape >= 0 && rule.contact.dt * tl_norm3(after) > v.place[f.shape].margin) {
    atomicOr((unsigned *)&v.record->fast, 1u);
  }
  if (f.tumbles) {
    tl_spin_carry(f.inertia, m.orientation, rule.contact.dt, v.free + 6 * (int64_t)i, after,
                  m.carried);
  }
  if (f.free) {
    tl_copy3(m.velocity, after);
    tl_copy3(m.spin, after + 3);
  }
  if (f.moves) {
    tl_place_move(m.position, m.orientation, after, rule.contact.dt);
  }
  if (!is_good(m)) {
    atomicOr((unsigned *)&v.record->bad, 1u);
  }
  v.motion[i] = m;
}

/* By what the projection found. */
__global__ void __launch_bounds__(TL_WORLD_BLOCK) bodies_shift_kernel(const tl_world_view v) {
  const int32_t i = tl_world_item();
  if (i < v.body_count && v.fact[i].free) {
    tl_body_motion *const m = &v.motion[i];
    tl_place_move(m->position, m->orientation, v.moved + 6 * (int64_t)i, 1);
    if (!is_good(*m)) {
      atomicOr((unsigned *)&v.record->bad, 1u);
    }
  }
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    bodies_sum_kernel(const tl_world_view v, const tl_resident_rule rule) {
  const int32_t i = tl_world_item();
  double value[TL_BODY_VALUES] = {0};
  if (i < v.body_count && v.fact[i].inverse_mass > 0) {
    const tl_body_fact &f = v.fact[i];
    const int64_t at = 6 * (int64_t)i;
    value[TL_BODY_POTENTIAL] = tl_body_potential(f.mass, rule.gravity, v.motion[i].position);
    value[TL_BODY_FREE] = 1;
    double inertia[6];
    tl_inertia_stand(f.round, f.inertia, v.motion[i].orientation, inertia);
    tl_body_balance(f.mass, inertia, f.force, rule.gravity, rule.contact.dt, v.before + at,
                    v.free + at, v.after + at, value);
  }
  tl_world_sum(value, v.body_count, v.partial, v.ticket, v.record->body);
}

} // namespace

talus_status tl_world_advance(tl_resident *resident, const tl_resident_rule *rule,
                              tl_resident_record *record) {
  tl_cuda_device *const device = resident->device;
  TL_CUDA_ENTER(device);
  const tl_world_view *const v = &resident->view;
  if (resident->restored) {
    TL_TRY(tl_cuda_fill(device, &v->record->fast, 0,
                        sizeof *v->record - offsetof(tl_resident_record, fast)));
    resident->restored = false;
  }
  TL_WORLD_LAUNCH(device, v->contact_capacity, contacts_carry_kernel, *v, *rule);
  if (resident->general) {
    TL_WORLD_LAUNCH(device, v->shape_count, shapes_outrun_kernel, *v, *rule);
  }
  TL_WORLD_LAUNCH(device, v->body_count, bodies_move_kernel, *v, *rule);
  if (resident->general) {
    TL_TRY(tl_world_points_deepen(resident, v, rule, false));
  }
  TL_WORLD_LAUNCH(device, v->body_count, bodies_sum_kernel, *v, *rule);
  tl_world_contacts_swap(resident);
  resident->advanced = true;
  return record != NULL ? tl_world_moved_fetch(resident, record) : TALUS_OK;
}

talus_status tl_world_correct(tl_resident *resident, const tl_resident_rule *rule,
                              tl_resident_record *record) {
  tl_cuda_device *const device = resident->device;
  TL_CUDA_ENTER(device);
  const tl_world_view *const v = &resident->view;
  TL_WORLD_LAUNCH(device, v->body_count, bodies_shift_kernel, *v);
  if (resident->general) {
    tl_world_view moved = *v; /* the contacts of the step are `old`, the world's */
    moved.now = v->old;
    TL_TRY(tl_world_points_deepen(resident, &moved, rule, true));
  }
  TL_WORLD_LAUNCH(device, v->body_count, bodies_sum_kernel, *v, *rule);
  return tl_world_moved_fetch(resident, record);
}
