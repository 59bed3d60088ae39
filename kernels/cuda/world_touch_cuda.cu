/* world_touch_cuda.cu: the first half of a step: velocities without contact, shapes where they
 * stand, contacts in order of their pairs, matched to those of the step before; the contact problem
 * as arrays of form (a).
 *
 * The kept pairs are taken at their word: everything is queued, the record tells whether a shape
 * has left its room, and then pairs are sought and contacts made once more. So a step in which they
 * hold waits once. */
#include <math.h>

#include "kernels/cuda/world_cuda.cuh"
#include "kernels/item/balance.h"
#include "kernels/item/ball.h"
#include "kernels/item/bias.h"
#include "kernels/item/motion.h"

namespace {

/* ---- bodies and shapes ----------------------------------------------------------------------- */

/* Keeps the body; its velocities before the step and without contact. */
__device__ __forceinline__ void body_begin(const tl_world_view &v, const tl_resident_rule &rule,
                                           int32_t i, double part[2]) {
  const tl_body_motion m = v.motion[i];
  const tl_body_fact &f = v.fact[i];
  double *const before = v.before + 6 * (int64_t)i, *const free = v.free + 6 * (int64_t)i;
  double change[3], velocity[6];
  v.kept[i] = m;
  for (int c = 0; c < 3; c++) {
    before[c] = velocity[c] = m.velocity[c];
    before[3 + c] = velocity[3 + c] = m.spin[c];
  }
  if (f.free && f.inverse_mass > 0) {
    tl_velocity_push(velocity, rule.contact.dt, rule.gravity, f.inverse_mass, f.force);
    tl_spin_push(velocity + 3, rule.contact.dt, f.inverse_inertia, f.torque);
    if (rule.plane) {
      tl_velocity_flatten(velocity);
    }
  }
  for (int c = 0; c < 6; c++) {
    free[c] = velocity[c];
  }
  tl_sub3(change, velocity, m.velocity);
  part[0] = f.free ? tl_norm3(change) : 0;
  part[1] = f.free;
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    bodies_begin_kernel(const tl_world_view v, const tl_resident_rule rule) {
  const int32_t i = tl_world_item();
  double part[2] = {0, 0};
  if (i < v.body_count) {
    body_begin(v, rule, i, part);
  }
  tl_world_sum(part, v.body_count, v.partial, v.ticket, &v.record->change);
}

/* Whether the shape, with its margin, is still in the room for which pairs were sought. */
__device__ __forceinline__ bool is_inside(const tl_world_view &v, int32_t i,
                                          const tl_shape_place &now) {
  const tl_shape_place &room = v.room[i];
  double way[3];
  tl_sub3(way, now.position, room.position);
  const double slack = room.margin - now.margin;
  if (!v.shape[i].halfspace) {
    return slack >= 0 && tl_dot3(way, way) <= slack * slack;
  }
  return now.normal[0] == room.normal[0] && now.normal[1] == room.normal[1] &&
         now.normal[2] == room.normal[2] && tl_dot3(way, now.normal) <= slack;
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    shapes_place_kernel(const tl_world_view v, const tl_resident_rule rule, const int sought) {
  const int32_t i = tl_world_item();
  if (i >= v.shape_count) {
    return;
  }
  const tl_shape_fact &s = v.shape[i];
  const tl_body_motion m = v.motion[s.body];
  const double dt = rule.contact.dt;
  tl_shape_place place;
  double arm[3], rotation[9];
  tl_shape_place_find(m.position, m.orientation, s.position, s.rotation, s.still, arm,
                      place.position, rotation);
  tl_set3(place.normal, rotation[2], rotation[5], rotation[8]);
  /* the speed that it would have, were it to fall freely through this step */
  const double fall = dt * rule.contact.gravity;
  const double speed = tl_norm3(m.velocity) + (s.movable ? fall : 0);
  place.margin = fmax(rule.margin + dt * speed, 0.0);
  v.place[i] = place;
  if (!sought || !is_inside(v, i, place)) {
    atomicOr((unsigned *)&v.record->left, 1u);
  }
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* The contact point of a pair; whether its gap is below the margin. */
__device__ __forceinline__ bool pair_touches(const tl_world_view &v, uint32_t a, uint32_t b,
                                             tl_point *point) {
  const tl_shape_fact &s = v.shape[a], &t = v.shape[b];
  const tl_shape_place &p = v.place[a], &q = v.place[b];
  const double margin = p.margin + q.margin;
  if (!s.halfspace && !t.halfspace) {
    return tl_ball_ball(p.position, s.radius, q.position, t.radius, margin, point) &&
           point->gap < margin;
  }
  if (t.halfspace) {
    tl_ball_halfspace(p.position, s.radius, q.position, q.normal, point);
  } else {
    tl_ball_halfspace(q.position, t.radius, p.position, p.normal, point);
    tl_scale3(point->normal, -1, point->normal);
  }
  return point->gap < margin;
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK) pairs_test_kernel(const tl_world_view v) {
  const int32_t p = tl_world_item();
  if (p < v.pair_count) {
    tl_point point;
    v.flag[p] = pair_touches(v, v.pair_a[p], v.pair_b[p], &point);
  }
}

/* The contact of these shapes in the step before, or -1. */
__device__ __forceinline__ int32_t old_find(const tl_world_view &v, int32_t a, int32_t b) {
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
  return low < v.old.count && v.old.shape_a[low] == a && v.old.shape_b[low] == b ? low : -1;
}

/* u_n of the bodies as they are. */
__device__ __forceinline__ double approach_of(const tl_world_view &v, const tl_point &point,
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

/* What the problem needs of the place of its two bodies: reaches, and the motion of turning walls.
 */
__device__ __forceinline__ void sides_fill(const tl_world_view &v, const tl_resident_rule &rule,
                                           int32_t k) {
  const double *const point = v.now.point + 3 * (int64_t)k, *const normal =
                                                                v.now.normal + 3 * (int64_t)k;
  double surface[3] = {0, 0, 0};
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? v.now.body_b[k] : v.now.body_a[k];
    double arm[3], turn[3];
    tl_sub3(arm, point, v.motion[body].position);
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
__device__ __forceinline__ void bias_fill(const tl_world_view &v, const tl_resident_rule &rule,
                                          int32_t k, const double old_hold[3]) {
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

__device__ __forceinline__ void contact_make(const tl_world_view &v, const tl_resident_rule &rule,
                                             int32_t k, int32_t a, int32_t b,
                                             const tl_point &point) {
  const tl_resident_contacts &now = v.now;
  const tl_shape_fact &s = v.shape[a], &t = v.shape[b];
  const int64_t pair = (int64_t)s.material * v.material_count + t.material;
  const int32_t old = old_find(v, a, b);
  double impulse[3] = {0, 0, 0}, hold[3] = {0, 0, 0};
  if (old >= 0) {
    tl_copy3(impulse, v.old.impulse + 3 * (int64_t)old);
    tl_copy3(hold, v.old.hold + 3 * (int64_t)old);
  }
  now.shape_a[k] = a;
  now.shape_b[k] = b;
  now.body_a[k] = s.body;
  now.body_b[k] = t.body;
  now.gap[k] = point.gap;
  tl_copy3(now.point + 3 * (int64_t)k, point.position);
  tl_copy3(now.normal + 3 * (int64_t)k, point.normal);
  tl_copy3(now.impulse + 3 * (int64_t)k, impulse);
  now.friction[k] = v.friction[pair];
  now.restitution[k] = v.restitution[pair];
  now.slop[k] = rule.contact.slop * fmin(s.size, t.size);
  now.approach[k] =
      now.restitution[k] > 0 || rule.contact.soft ? approach_of(v, point, s.body, t.body) : 0;
  now.departure[k] = 0;
  bias_fill(v, rule, k, hold);
  sides_fill(v, rule, k);
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    contacts_make_kernel(const tl_world_view v, const tl_resident_rule rule) {
  const int32_t p = tl_world_item();
  if (p >= v.pair_count) {
    return;
  }
  if (p == v.pair_count - 1) {
    v.record->contact_count = (int32_t)(v.offset[p] + v.flag[p]);
  }
  tl_point point;
  if (v.flag[p] && pair_touches(v, v.pair_a[p], v.pair_b[p], &point)) {
    contact_make(v, rule, (int32_t)v.offset[p], (int32_t)v.pair_a[p], (int32_t)v.pair_b[p], point);
    if (rule.plane && point.normal[1] != 0) {
      atomicOr((unsigned *)&v.record->skewed, 1u);
    }
  }
}

/* Relative speed at a contact before the step, as host/world/scale.c has it. */
__device__ __forceinline__ double contact_speed(const tl_world_view &v, int32_t k) {
  double u[3] = {0, 0, 0};
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? v.now.body_b[k] : v.now.body_a[k];
    double arm[3];
    tl_sub3(arm, v.now.point + 3 * (int64_t)k, v.motion[body].position);
    tl_point_velocity_add(u, side ? 1 : -1, v.before + 6 * (int64_t)body, arm);
  }
  return v.now.friction[k] > 0 ? tl_norm3(u) : fabs(tl_dot3(u, v.now.normal + 3 * (int64_t)k));
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK) contacts_speed_kernel(const tl_world_view v) {
  const int32_t k = tl_world_item(), count = v.record->contact_count;
  double part[1] = {0};
  if (k < count) {
    part[0] = contact_speed(v, k);
  }
  tl_world_sum(part, count, v.partial, v.ticket, &v.record->speed);
}

/* The bias of the projection, and reaches where the bodies have moved to. */
__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    contacts_project_kernel(const tl_world_view v, const tl_resident_rule rule,
                            const int32_t count) {
  const int32_t k = tl_world_item();
  if (k < count) {
    const double gap = tl_gap_after(v.now.gap[k], rule.contact.dt, v.now.departure[k]);
    v.push[k] = tl_push_bias(gap, v.now.slop[k], v.now.stiffness[k]);
    sides_fill(v, rule, k);
  }
}

/* ---- steps ----------------------------------------------------------------------------------- */

talus_status contacts_queue(tl_resident *resident, const tl_resident_rule *rule) {
  tl_cuda_device *const device = resident->device;
  const tl_world_view *const v = &resident->view;
  size_t bytes = 0;
  if (v->pair_count == 0) {
    return TALUS_OK;
  }
  TL_WORLD_LAUNCH(device, v->pair_count, pairs_test_kernel, *v);
  TL_CUDA_TRY(device, tl_cuda_exclusive_scan(v->flag, v->offset, v->pair_count, NULL, &bytes,
                                             device->stream));
  TL_TRY(tl_cuda_reserve(device, &resident->scratch, bytes, "numbering contacts"));
  TL_CUDA_TRY(device, tl_cuda_exclusive_scan(v->flag, v->offset, v->pair_count,
                                             resident->scratch.memory, &bytes, device->stream));
  TL_WORLD_LAUNCH(device, v->pair_count, contacts_make_kernel, *v, *rule);
  TL_WORLD_LAUNCH(device, v->pair_count, contacts_speed_kernel, *v);
  return TALUS_OK;
}

talus_status record_clear(tl_resident *resident) {
  tl_cuda_device *const device = resident->device;
  TL_CUDA_TRY(device, cudaMemsetAsync(resident->view.record, 0, sizeof *resident->view.record,
                                      device->stream));
  return TALUS_OK;
}

talus_status bodies_queue(tl_resident *resident, const tl_resident_rule *rule) {
  tl_cuda_device *const device = resident->device;
  const tl_world_view *const v = &resident->view;
  TL_TRY(record_clear(resident));
  TL_WORLD_LAUNCH(device, v->body_count, bodies_begin_kernel, *v, *rule);
  TL_WORLD_LAUNCH(device, v->shape_count, shapes_place_kernel, *v, *rule, (int)resident->sought);
  return TALUS_OK;
}

} // namespace

talus_status tl_world_touch(tl_resident *resident, const tl_resident_rule *rule,
                            tl_resident_record *record) {
  TL_CUDA_ENTER(resident->device);
  resident->advanced = false;
  TL_TRY(bodies_queue(resident, rule));
  TL_TRY(contacts_queue(resident, rule));
  TL_TRY(tl_world_touched_fetch(resident, record));
  if (record->left) {
    TL_TRY(tl_world_pairs_seek(resident, rule->skin));
    TL_TRY(bodies_queue(resident, rule)); /* memory for the record may have moved */
    TL_TRY(contacts_queue(resident, rule));
    TL_TRY(tl_world_touched_fetch(resident, record));
  }
  resident->view.now.count = record->contact_count;
  return TALUS_OK;
}

talus_status tl_world_form(tl_resident *resident, const tl_resident_rule *rule,
                           tl_resident_problem which, talus_problem *problem,
                           talus_solution *solution) {
  TL_CUDA_ENTER(resident->device);
  /* after a move the contacts of the step are `old`, the world's */
  tl_world_view v = resident->view;
  const bool projects = which == TL_PROBLEM_PROJECTION, soft = rule->contact.soft != 0 && !projects;
  v.now = resident->advanced ? v.old : v.now;
  if (projects) {
    TL_WORLD_LAUNCH(resident->device, v.now.count, contacts_project_kernel, v, *rule, v.now.count);
  }
  *problem = talus_problem_default(TALUS_FORM_RIGID);
  problem->memory = TALUS_MEMORY_DEVICE;
  problem->contact_count = v.now.count;
  problem->friction = projects ? NULL : v.now.friction;
  problem->compliance = soft ? v.now.compliance : NULL;
  problem->target_impulse = soft ? v.target : NULL;
  problem->rigid.body_count = v.body_count;
  problem->rigid.velocity = projects ? v.still : v.free;
  problem->rigid.inverse_mass = resident->inverse_mass;
  problem->rigid.inverse_inertia = resident->inverse_inertia;
  problem->rigid.body_a = v.now.body_a;
  problem->rigid.body_b = v.now.body_b;
  problem->rigid.normal = v.now.normal;
  problem->rigid.reach_a = v.reach_a;
  problem->rigid.reach_b = v.reach_b;
  problem->rigid.bias = projects ? v.push : v.now.bias;
  problem->rigid.surface_velocity = rule->turning && !projects ? v.surface : NULL;
  *solution = talus_solution_default();
  solution->memory = TALUS_MEMORY_DEVICE;
  solution->velocity = projects ? v.moved : v.after;
  solution->impulse = projects ? NULL : v.now.impulse;
  solution->contact_velocity = projects ? NULL : v.velocity;
  return TALUS_OK;
}
