/* world_touch_cuda.cu: the first half of a step: velocities without contact, shapes where they
 * stand, contacts in order of their pairs, matched to those of the step before; the contact problem
 * as arrays of form (a).
 *
 * Pairs of the last search are used without asking whether they still hold: everything is queued,
 * the record tells whether a shape has left its room, and then pairs are sought and contacts made
 * once more. So a step in which they hold waits once. */
#include <math.h>

#include "kernels/cuda/world_contact_cuda.cuh"
#include "kernels/item/balance.h"
#include "kernels/item/ball.h"
#include "kernels/item/collide/bounds.h"
#include "kernels/item/inertia.h"
#include "kernels/item/scale.h"
#include "kernels/item/tumble.h"

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
    if (f.tumbles) {
      tl_spin_tumble(f.inertia, f.inverse_inertia, m.orientation, m.carried, f.torque,
                     rule.contact.dt, velocity + 3);
    } else {
      tl_spin_push(velocity + 3, rule.contact.dt, f.inverse_inertia, f.torque);
    }
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
  if (v.shape[i].ball) {
    return slack >= 0 && tl_dot3(way, way) <= slack * slack;
  }
  if (!v.shape[i].halfspace) {
    bool inside = true;
    for (int c = 0; c < 3; c++) {
      inside = inside && fabs(now.middle[c] - room.middle[c]) <= room.half[c] + slack - now.half[c];
    }
    return inside;
  }
  return now.normal[0] == room.normal[0] && now.normal[1] == room.normal[1] &&
         now.normal[2] == room.normal[2] && tl_dot3(way, now.normal) <= slack;
}

/* The pose for the narrow-phase, and the box around what is neither ball nor half-space. */
__device__ __forceinline__ void pose_note(const tl_world_view &v, int32_t i,
                                          const double position[3], const double rotation[9],
                                          tl_shape_place *place) {
  tl_pose *const pose = &v.pose[i];
  tl_copy3(pose->position, position);
  for (int c = 0; c < 9; c++) {
    pose->rotation[c] = rotation[c];
  }
  if (v.shape[i].ball || v.shape[i].halfspace) {
    return;
  }
  const tl_box box = tl_bounds(&v.geometry[i], pose);
  for (int c = 0; c < 3; c++) {
    place->middle[c] = 0.5 * (box.lower[c] + box.upper[c]);
    place->half[c] = 0.5 * (box.upper[c] - box.lower[c]);
  }
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
  tl_copy3(place.middle, place.position);
  tl_set3(place.half, s.radius, s.radius, s.radius);
  if (v.pose != NULL) {
    pose_note(v, i, place.position, rotation, &place);
  }
  /* the speed of its fastest point, were it to fall freely through this step */
  const double fall = dt * rule.contact.gravity;
  const double speed = tl_shape_speed(v.fact[s.body].round, s.reach, arm, m.velocity, m.spin) +
                       (s.movable ? fall : 0);
  place.margin = fmax(rule.margin + dt * speed, 0.0);
  v.place[i] = place;
  if (sought && !is_inside(v, i, place)) {
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
  if (p < v.pair_capacity) {
    tl_point point;
    v.flag[p] = p < *v.pair_count && pair_touches(v, v.pair_a[p], v.pair_b[p], &point);
  }
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    contacts_make_kernel(const tl_world_view v, const tl_resident_rule rule) {
  const int32_t p = tl_world_item();
  if (p >= *v.pair_count) {
    return;
  }
  const int32_t count = tl_world_contacts_counted(v);
  if (p == 0) {
    v.record->contact_count = count;
  }
  if (count > v.contact_capacity) {
    return; /* the host sees it, and nothing is made */
  }
  const int32_t a = (int32_t)v.pair_a[p], b = (int32_t)v.pair_b[p];
  tl_point found;
  if (v.flag[p] && pair_touches(v, v.pair_a[p], v.pair_b[p], &found)) {
    const int32_t old = tl_world_old_first(v, a, b);
    tl_contact_point point;
    point.a = a;
    point.b = b;
    point.feature = 0;
    point.spherical = 1;
    tl_copy3(point.position, found.position);
    tl_copy3(point.normal, found.normal);
    point.gap = found.gap;
    tl_world_contact_make(v, rule, (int32_t)v.offset[p], point,
                          tl_world_old_is(v, old, a, b) ? old : -1);
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

/* The sum of the speeds at contacts; the velocity scale. */
__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    contacts_speed_kernel(const tl_world_view v, const tl_scale_rule rule) {
  const int32_t k = tl_world_item();
  const int32_t count = tl_world_contacts_of(v);
  double part[1] = {0};
  if (k < count) {
    part[0] = contact_speed(v, k);
  }
  if (tl_world_sum(part, count, v.partial, v.ticket, &v.record->speed)) {
    v.record->scale = tl_velocity_scale_find(&rule, v.record->change, v.record->free_count,
                                             v.record->speed, count);
  }
}

/* The bias of the projection, and reaches where the bodies have moved to. */
__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    contacts_project_kernel(const tl_world_view v, const tl_resident_rule rule) {
  const int32_t k = tl_world_item();
  if (k < tl_world_contacts_of(v)) {
    const double gap = tl_gap_after(v.now.gap[k], rule.contact.dt, v.now.departure[k]);
    v.push[k] = tl_push_bias(gap, v.now.slop[k], v.now.stiffness[k]);
    tl_world_sides_fill(v, rule, k);
  }
}

/* Inverse inertias of the problem, as the bodies stand. */
__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    bodies_inertia_kernel(const tl_world_view v, double *inverse_inertia, const int spheres) {
  const int32_t i = tl_world_item();
  if (i < v.body_count) {
    const tl_body_fact &f = v.fact[i];
    tl_inertia_inverse(f.free, f.round, spheres, f.inverse_inertia, v.motion[i].orientation,
                       inverse_inertia + 6 * (int64_t)i);
  }
}

/* ---- steps ----------------------------------------------------------------------------------- */

talus_status contacts_queue(tl_resident *resident, const tl_resident_rule *rule) {
  tl_cuda_device *const device = resident->device;
  const tl_world_view *const v = &resident->view;
  size_t bytes = 0;
  if (resident->general) {
    TL_TRY(tl_world_points_count(resident));
  } else {
    TL_WORLD_LAUNCH(device, v->pair_capacity, pairs_test_kernel, *v);
  }
  TL_CUDA_TRY(device, tl_cuda_exclusive_scan(v->flag, v->offset, v->pair_capacity, NULL, &bytes,
                                             device->stream));
  TL_TRY(tl_cuda_reserve(device, &resident->scratch, bytes, "numbering contacts"));
  TL_CUDA_RUN(device, tl_cuda_exclusive_scan(v->flag, v->offset, v->pair_capacity,
                                             resident->scratch.memory, &bytes, device->stream));
  if (resident->general) {
    TL_TRY(tl_world_points_make(resident, rule));
  } else {
    TL_WORLD_LAUNCH(device, v->pair_capacity, contacts_make_kernel, *v, *rule);
  }
  TL_WORLD_LAUNCH(device, v->contact_capacity, contacts_speed_kernel, *v, rule->scale);
  return TALUS_OK;
}

talus_status record_clear(tl_resident *resident) {
  tl_cuda_device *const device = resident->device;
  TL_TRY(tl_cuda_fill(device, resident->view.record, 0, sizeof *resident->view.record));
  return TALUS_OK;
}

talus_status bodies_queue(tl_resident *resident, const tl_resident_rule *rule) {
  tl_cuda_device *const device = resident->device;
  const tl_world_view *const v = &resident->view;
  TL_TRY(record_clear(resident));
  TL_WORLD_LAUNCH(device, v->body_count, bodies_begin_kernel, *v, *rule);
  resident->begun = true;
  TL_WORLD_LAUNCH(device, v->shape_count, shapes_place_kernel, *v, *rule, (int)resident->sought);
  return TALUS_OK;
}

talus_status touch_queue(tl_resident *resident, const tl_resident_rule *rule) {
  TL_TRY(bodies_queue(resident, rule));
  if (resident->seeks) {
    TL_TRY(tl_world_pairs_seek(resident, rule->skin));
  }
  return contacts_queue(resident, rule);
}

talus_status touch_wait(tl_resident *resident, const tl_resident_rule *rule,
                        tl_resident_record *record) {
  TL_TRY(touch_queue(resident, rule));
  return tl_world_touched_fetch(resident, record);
}

/* Whether all that was found had room; else there is more of it now, and *again. */
talus_status touch_look(tl_resident *resident, const tl_resident_record *record, bool *again) {
  *again = false;
  if (resident->seeks) {
    TL_TRY(tl_world_pairs_found(resident, record, again));
  } else if (record->left) {
    resident->seeks = *again = true;
  }
  if (*again || record->crowded) { /* of a crowded pair no contacts were made: the step is the
                                      host's */
    return TALUS_OK;
  }
  if (record->contact_count > resident->view.contact_capacity) {
    TL_TRY(tl_world_contacts_reserve(resident, resident->general ? (int64_t)record->point_count
                                                                 : record->contact_count));
    *again = true;
  }
  return TALUS_OK;
}

} // namespace

/* Where the host trusts rooms for too long, a step is made once more; where it does so for too
 * short, pairs are sought in vain. So after a step that they have not held for they are trusted for
 * as long as they have, and after some searches in vain, for twice as long. Walls that turn never
 * hold. */
void tl_world_rooms_learn(tl_resident *resident, bool left) {
  enum { SPARE = 8 };
  resident->age++;
  if (!resident->seeks) {
    return;
  }
  if (left) {
    resident->hold = resident->age < resident->hold ? resident->age : resident->hold;
    resident->spare = 0;
  } else if (++resident->spare >= SPARE) {
    resident->hold = resident->hold < INT32_MAX / 2 ? 2 * resident->hold : INT32_MAX;
    resident->spare = 0;
  }
  resident->age = 0;
}

talus_status tl_world_touch(tl_resident *resident, const tl_resident_rule *rule,
                            tl_resident_record *record) {
  TL_CUDA_ENTER(resident->device);
  bool again, left;
  resident->advanced = resident->restored = false;
  resident->seeks = !resident->sought || resident->age + 1 >= resident->hold;
  if (record == NULL) {
    resident->view.now.count = resident->view.contact_capacity;
    return touch_queue(resident, rule);
  }
  TL_TRY(tl_world_pairs_reserve(resident, resident->view.pair_capacity));
  TL_TRY(touch_wait(resident, rule, record));
  left = record->left != 0;
  TL_TRY(touch_look(resident, record, &again));
  while (again) {
    TL_TRY(touch_wait(resident, rule, record)); /* memory for the record may have moved */
    TL_TRY(touch_look(resident, record, &again));
  }
  tl_world_rooms_learn(resident, left);
  resident->view.now.count = record->contact_count;
  resident->arms = tl_world_has_arms(resident, record);
  return TALUS_OK;
}

talus_status tl_world_form(tl_resident *resident, const tl_resident_rule *rule,
                           tl_resident_problem which, talus_problem *problem,
                           talus_solution *solution, tl_queued_facts *facts) {
  TL_CUDA_ENTER(resident->device);
  /* after a move the contacts of the step are `old`, the world's */
  tl_world_view v = resident->view;
  const bool projects = which == TL_PROBLEM_PROJECTION, soft = rule->contact.soft != 0 && !projects;
  v.now = resident->advanced ? v.old : v.now;
  if (projects) {
    TL_WORLD_LAUNCH(resident->device, v.contact_capacity, contacts_project_kernel, v, *rule);
  }
  if (resident->general) {
    TL_WORLD_LAUNCH(resident->device, v.body_count, bodies_inertia_kernel, v,
                    resident->inverse_inertia, (int)!resident->arms);
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
  problem->rigid.reach_a = resident->arms ? NULL : v.reach_a;
  problem->rigid.reach_b = resident->arms ? NULL : v.reach_b;
  problem->rigid.arm_a = resident->arms ? v.arm_a : NULL;
  problem->rigid.arm_b = resident->arms ? v.arm_b : NULL;
  problem->rigid.bias = projects ? v.push : v.now.bias;
  problem->rigid.surface_velocity =
      rule->turning && !projects && !resident->arms ? v.surface : NULL;
  facts->contact_count = &v.record->contact_count;
  facts->velocity_scale = &v.record->scale;
  *solution = talus_solution_default();
  solution->memory = TALUS_MEMORY_DEVICE;
  solution->velocity = projects ? v.moved : v.after;
  solution->impulse = projects ? NULL : v.now.impulse;
  solution->contact_velocity = projects ? NULL : v.velocity;
  return TALUS_OK;
}
