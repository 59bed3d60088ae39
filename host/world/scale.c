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

#include "host/world/world.h"

/* FLOW: however loose the tolerance, errors are below this part of the mean contact speed, or of
 * R(0). JOINTED: in place of MOTION where joints or mechanisms take part, whose rows are in the
 * same residual and have no other measure. */
static const double GRAVITY = 0.1, MOTION = 100, JOINTED = 1, FLOW = 0.01;

/* Mean change of the free bodies' velocity by gravity and forces, m/s. */
static double mean_change(const talus_world *world, double dt, const double *before,
                          const double *free) {
  double sum = 0;
  int32_t count = 0;
  for (int64_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    if (body->exists && body->type == TALUS_BODY_FREE) {
      double change[3];
      tl_sub3(change, free + 6 * i, before + 6 * i);
      sum += sqrt(tl_dot3(change, change));
      count++;
    }
  }
  const double *const gravity = world->def.gravity;
  return count > 0 ? sum / count : dt * sqrt(tl_dot3(gravity, gravity));
}

/* Relative speed at a contact before the step, m/s: along the normal alone where there is no
 * friction, since what slides freely is no measure of how well it is held. */
static double contact_speed(const talus_world *world, const tl_world_contact *contact,
                            const double *velocity) {
  double u[3] = {0, 0, 0};
  for (int side = 0; side < 2; side++) {
    const int32_t index = side ? contact->body_b : contact->body_a;
    const double *const v = velocity + 6 * (int64_t)index;
    double arm[3], turn[3];
    tl_sub3(arm, contact->shown.point, world->body[index].position);
    tl_cross3(turn, v + 3, arm);
    for (int c = 0; c < 3; c++) {
      u[c] += (side ? 1 : -1) * (v[c] + turn[c]);
    }
  }
  return contact->friction > 0 ? sqrt(tl_dot3(u, u)) : fabs(tl_dot3(u, contact->shown.normal));
}

double tl_velocity_scale(const talus_world *world, double dt, const double *before,
                         const double *free) {
  if (world->def.velocity_scale > 0) {
    return world->def.velocity_scale;
  }
  double sum = 0;
  for (int32_t k = 0; k < world->contact_count; k++) {
    sum += contact_speed(world, &world->contact[k], before);
  }
  const double speed = world->contact_count > 0 ? sum / world->contact_count : 0;
  const int jointed = world->joint_count > 0 || world->mechanism_count > 0;
  const double motion = fmin(jointed ? JOINTED : MOTION, FLOW / world->def.tolerance);
  const double scale = GRAVITY * mean_change(world, dt, before, free) + motion * speed;
  return isfinite(scale) ? scale : 0; /* the solver will say that numbers end */
}
