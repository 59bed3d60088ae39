/* resistance.c: contacts that resist spinning and rolling, and friction that differs by direction.
 *
 * A material has lengths, or fractions of the reduced radius 1/R = 1/r_a + 1/r_b (r the radius of
 * the largest ball inside a shape, flat ones infinite); a pair takes the smaller of two lengths.
 * Friction across a direction that the body carries: of two such materials the one with the smaller
 * friction decides. The step's problem has six rows then; all other parts of the world go on with
 * forces of three components, and the torques are kept beside them. */
#include <math.h>
#include <string.h>

#include "host/world/links.h"
#include "host/world/spread.h"
#include "kernels/item/rigid.h"

talus_status tl_resistance_check(const talus_world *world, const talus_material_def *def) {
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"rolling_friction", def->rolling_friction},
                 {"spinning_friction", def->spinning_friction},
                 {"rolling_fraction", def->rolling_fraction},
                 {"spinning_fraction", def->spinning_fraction},
                 {"cross_friction", def->cross_friction}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (!(numbers[i].value >= 0 && numbers[i].value <= TL_FRICTION_MOST)) {
      return tl_fail(world->context, TALUS_BAD_SETTING,
                     "material: %s is %g, and must be in 0 .. %g", numbers[i].name,
                     numbers[i].value, TL_FRICTION_MOST);
    }
  }
  if ((def->rolling_friction > 0 && def->rolling_fraction > 0) ||
      (def->spinning_friction > 0 && def->spinning_fraction > 0)) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "material: friction of rolling or spinning is a length (%g, %g m) or a fraction "
                   "of the reduced radius (%g, %g), not both",
                   def->rolling_friction, def->spinning_friction, def->rolling_fraction,
                   def->spinning_fraction);
  }
  const double length = tl_norm3(def->friction_direction);
  if (def->cross_friction > 0 && (!(length > 0) || !isfinite(length) || !(def->friction > 0))) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "material: cross_friction (%g) needs friction (%g) along a friction_direction "
                   "(%g %g %g), which the body carries",
                   def->cross_friction, def->friction, def->friction_direction[0],
                   def->friction_direction[1], def->friction_direction[2]);
  }
  return TALUS_OK;
}

void tl_resistance_note(talus_world *world, const talus_material_def *def) {
  world->resists = world->resists || def->rolling_friction > 0 || def->spinning_friction > 0 ||
                   def->rolling_fraction > 0 || def->spinning_fraction > 0;
  world->elliptic = world->elliptic || def->cross_friction > 0;
}

static double length_of(double length, double fraction, double radius) {
  return fraction > 0 ? (isfinite(radius) ? fraction * radius : 0) : length;
}

/* The direction of friction that one of the shapes carries; 0 if neither does. */
static bool direction_find(const talus_world *world, int64_t k, double *direction, double *across) {
  const tl_world_contact *const contact = &world->contact[k];
  const double friction = world->terms[k].friction;
  const tl_shape_slot *const shape[2] = {&world->shape[contact->shape_a],
                                         &world->shape[contact->shape_b]};
  const talus_material_def *chosen = NULL;
  const tl_body *body = NULL;
  for (int side = 0; side < 2; side++) {
    const talus_material_def *const m = &world->material[shape[side]->material];
    if (m->cross_friction > 0 && (chosen == NULL || m->friction < chosen->friction)) {
      chosen = m;
      body = &world->body[side ? contact->body_b : contact->body_a];
    }
  }
  if (chosen == NULL || !(friction > 0)) {
    return false;
  }
  double rotation[9];
  tl_quaternion_matrix(body->orientation, rotation);
  const double *const d = chosen->friction_direction, *const n = world->normal + 3 * (int64_t)k;
  for (int i = 0; i < 3; i++) {
    direction[i] = rotation[3 * i] * d[0] + rotation[3 * i + 1] * d[1] + rotation[3 * i + 2] * d[2];
  }
  /* what friction of the pair is along it, times the material's own ratio */
  *across = friction * chosen->cross_friction / chosen->friction;
  const double along = tl_dot3(n, direction), square = tl_dot3(direction, direction);
  return square - along * along > 1e-6 * square; /* the body meets it end on: no direction */
}

void tl_resistance_find(const talus_world *world, int64_t k) {
  const tl_world_contact *const contact = &world->contact[k];
  tl_contact_extra *const extra = &world->extra[k];
  const tl_shape_slot *const a = &world->shape[contact->shape_a];
  const tl_shape_slot *const b = &world->shape[contact->shape_b];
  const talus_material_def *const p = &world->material[a->material];
  const talus_material_def *const q = &world->material[b->material];
  const double radius = 1 / (1 / a->size + 1 / b->size);
  extra->torque_friction[0] = fmin(length_of(p->spinning_friction, p->spinning_fraction, radius),
                                   length_of(q->spinning_friction, q->spinning_fraction, radius));
  extra->torque_friction[1] = fmin(length_of(p->rolling_friction, p->rolling_fraction, radius),
                                   length_of(q->rolling_friction, q->rolling_fraction, radius));
}

/* ---- the step's problem ---------------------------------------------------------------------- */

static void ellipses_fill(const talus_world *world, const tl_step_arrays *a) {
  for (int32_t k = 0; k < world->contact_count; k++) {
    double *const direction = a->direction + 3 * (int64_t)k;
    if (!direction_find(world, k, direction, &a->cross_friction[k])) {
      /* a circle, with any direction across the normal */
      const double *const n = world->normal + 3 * (int64_t)k;
      const int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2)
                                                : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
      memset(direction, 0, 3 * sizeof *direction);
      direction[least] = 1;
      a->cross_friction[k] = a->friction[k];
    }
  }
}

talus_status tl_resistance_begin(talus_world *world, tl_step_arrays *a, talus_problem *problem) {
  const size_t contacts = (size_t)world->contact_count;
  if (!world->resists && !world->elliptic) {
    return TALUS_OK;
  }
  if (world->mechanism_count > 0) {
    return tl_fail(world->context, TALUS_UNSUPPORTED,
                   "materials with friction of rolling or spinning or cross_friction are not for "
                   "worlds with mechanisms: set them to 0, or build the mechanism of joints");
  }
  TL_TRY(tl_buffer_reserve(world->context, &world->resistance_memory, 27 * contacts, sizeof(double),
                           "torques of contacts"));
  double *const memory = world->resistance_memory.memory;
  a->torque_friction = memory;
  a->torque = a->torque_friction + 2 * contacts;
  a->wrench = a->torque + 3 * contacts;
  a->wrench_velocity = a->wrench + 6 * contacts;
  a->wrench_target = a->wrench_velocity + 6 * contacts;
  a->cross_friction = a->wrench_target + 6 * contacts;
  a->direction = a->cross_friction + contacts;
  if (world->elliptic) {
    ellipses_fill(world, a);
    problem->cross_friction = a->cross_friction;
    problem->friction_direction = a->direction;
  }
  for (size_t k = 0; world->resists && k < contacts; k++) {
    const tl_contact_extra *const extra = &world->extra[k];
    memcpy(a->torque_friction + 2 * k, extra->torque_friction, sizeof extra->torque_friction);
    memcpy(a->torque + 3 * k, extra->torque, sizeof extra->torque);
  }
  if (world->resists) {
    problem->dimension = 6;
    problem->torque_friction = a->torque_friction;
    tl_resistance_pack(world, a, problem);
  }
  return TALUS_OK;
}

void tl_resistance_pack(const talus_world *world, const tl_step_arrays *a, talus_problem *problem) {
  for (int64_t k = 0; k < world->contact_count; k++) {
    for (int c = 0; c < 3; c++) {
      a->wrench[6 * k + c] = a->impulse[3 * k + c];
      a->wrench[6 * k + 3 + c] = a->torque[3 * k + c];
      if (world->soft) {
        a->wrench_target[6 * k + c] = a->target[3 * k + c];
        a->wrench_target[6 * k + 3 + c] = 0;
      }
    }
  }
  problem->target_impulse = problem->target_impulse != NULL ? a->wrench_target : NULL;
}

talus_status tl_resistance_solve(talus_world *world, talus_solver *solver,
                                 const talus_problem *problem, const tl_step_arrays *a,
                                 talus_solution *solution, talus_info *info) {
  talus_problem six = *problem;
  talus_solution own = *solution;
  tl_resistance_pack(world, a, &six);
  own.impulse = a->wrench;
  own.contact_velocity = a->wrench_velocity;
  TL_TRY(tl_spread_solve(world, solver, &six, &own, info));
  for (int64_t k = 0; k < world->contact_count; k++) {
    for (int c = 0; c < 3; c++) {
      solution->impulse[3 * k + c] = a->wrench[6 * k + c];
      solution->contact_velocity[3 * k + c] = a->wrench_velocity[6 * k + c];
      a->torque[3 * k + c] = a->wrench[6 * k + 3 + c];
    }
  }
  return TALUS_OK;
}

void tl_resistance_keep(talus_world *world, const tl_step_arrays *a) {
  for (int64_t k = 0; world->resists && k < world->contact_count; k++) {
    memcpy(world->extra[k].torque, a->torque + 3 * k, sizeof world->extra[k].torque);
  }
}

double tl_resistance_work(const double torque[3], const double *free, const double *after) {
  double work = 0;
  for (int c = 0; c < 3; c++) {
    work += 0.5 * torque[c] * (free[3 + c] + after[3 + c]);
  }
  return work;
}
