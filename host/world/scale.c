/* scale.c: which contact velocities are small in a step, for problem.velocity_scale.
 *
 *   s = GRAVITY (mean |v_free - v|) + MOTION (mean |u|)
 * The first mean runs over the free bodies: what gravity and forces change in the step, |g| dt
 * where gravity is alone. The second runs over the contacts, u being the relative velocity before
 * the step (without friction along the normal alone), so that a drum that turns as a whole, or a
 * box on a conveyor, counts as at rest. A mean and no root mean square: one bead that still rolls
 * must not loosen the bed on which it rolls.
 *
 * With the default tolerance of 1e-4 velocities at contacts are then right to 1e-5 |g| dt where a
 * bed is deep (a shallow one has R(0) above that), and to a hundredth of the mean contact speed
 * where grains flow. docs/decisions/velocity-scale.md has the measurements behind the two
 * numbers. */
#include <math.h>

#include "host/math/reduce.h"
#include "host/world/spread.h"
#include "kernels/item/balance.h"
#include "kernels/item/scale.h"

/* FLOW: however loose the tolerance, errors are below this part of the mean contact speed, or of
 * R(0). JOINTED: in place of MOTION where joints or mechanisms take part, whose rows are in the
 * same residual and have no other measure. */
static const double GRAVITY = 0.1, MOTION = 100, JOINTED = 1, FLOW = 0.01;

typedef struct scale_task {
  const talus_world *world;
  const double *before, *free;
} scale_task;

/* Per body: the change of its velocity by gravity and forces; 1 if it is free. */
static void bodies_chunk(void *arguments, int64_t first, int32_t count,
                         double (*leaf)[TL_REDUCE_CHUNK]) {
  const scale_task *const t = arguments;
  for (int32_t i = 0; i < count; i++) {
    const tl_body *const body = &t->world->body[first + i];
    const bool free = body->exists && body->type == TALUS_BODY_FREE;
    double change[3];
    tl_sub3(change, t->free + 6 * (first + i), t->before + 6 * (first + i));
    leaf[0][i] = free ? tl_norm3(change) : 0;
    leaf[1][i] = free;
  }
}

/* Relative speed at a contact before the step, m/s: along the normal alone where there is no
 * friction, since what slides freely is no measure of how well it is held. */
static double contact_speed(const talus_world *world, int64_t k, const double *velocity) {
  const tl_world_contact *const contact = &world->contact[k];
  double u[3] = {0, 0, 0};
  for (int side = 0; side < 2; side++) {
    const int32_t index = side ? contact->body_b : contact->body_a;
    double arm[3];
    tl_sub3(arm, contact->shown.point, world->body[index].position);
    tl_point_velocity_add(u, side ? 1 : -1, velocity + 6 * (int64_t)index, arm);
  }
  return world->terms[k].friction > 0 ? tl_norm3(u) : fabs(tl_dot3(u, world->normal + 3 * k));
}

static void contacts_chunk(void *arguments, int64_t first, int32_t count,
                           double (*leaf)[TL_REDUCE_CHUNK]) {
  const scale_task *const t = arguments;
  for (int32_t i = 0; i < count; i++) {
    leaf[0][i] = contact_speed(t->world, first + i, t->before);
  }
}

tl_scale_rule tl_velocity_scale_rule(const talus_world *world, double dt) {
  const bool jointed =
      world->joint_count > 0 || world->bond_count > 0 || world->mechanism_count > 0;
  return (tl_scale_rule){.given = world->def.velocity_scale,
                         .gravity = GRAVITY,
                         .motion = fmin(jointed ? JOINTED : MOTION, FLOW / world->def.tolerance),
                         .pull = dt * tl_norm3(world->def.gravity)};
}

double tl_velocity_scale_of(const talus_world *world, double dt, double change, double free_count,
                            double speed, int32_t contact_count) {
  const tl_scale_rule rule = tl_velocity_scale_rule(world, dt);
  return tl_velocity_scale_find(&rule, change, free_count, speed, contact_count);
}

talus_status tl_velocity_scale(talus_world *world, double dt, const double *before,
                               const double *free, double *scale) {
  scale_task task = {world, before, free};
  const tl_reduction bodies = {bodies_chunk, &task, 2, 0}, contacts = {contacts_chunk, &task, 1, 0};
  double of_bodies[2], speed;
  *scale = world->def.velocity_scale;
  if (*scale > 0) {
    return TALUS_OK;
  }
  TL_TRY(tl_spread_reduce_bodies(world, &bodies, of_bodies));
  TL_TRY(tl_spread_reduce(world, &contacts, &speed));
  *scale = tl_velocity_scale_of(world, dt, of_bodies[0], of_bodies[1], speed,
                                tl_spread_contact_count(world));
  return TALUS_OK;
}
