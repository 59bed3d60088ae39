/* step.c: one step: the order of events, and what is done when a solve is not good enough.
 *
 * Aimed at: tolerance. Required: accept. A solve that misses it is repeated with ten times the
 * iterations; then the step is taken back and cut in two, up to four times; then it fails and the
 * bodies are as they were. */
#include <math.h>
#include <string.h>

#include "host/world/world.h"

/* ROUNDS: so often contacts are found anew in a sub-step, for bodies that outrun their margins; a
 * blow that goes on from body to body needs one each. */
enum { HALVINGS = 4, ROUNDS = 32 };

/* Velocities of a sub-step: before, free, after; behind them scratch of the projection. */
typedef struct velocities {
  double *before, *free, *after;
} velocities;

static talus_status velocities_take(talus_world *world, velocities *v) {
  const size_t size = tl_velocity_size(world);
  TL_TRY(tl_buffer_reserve(world->context, &world->velocity_memory, 5 * size, sizeof(double),
                           "velocities"));
  v->before = world->velocity_memory.memory;
  v->free = v->before + size;
  v->after = v->free + size;
  return TALUS_OK;
}

static void velocities_read(const talus_world *world, double *velocity) {
  for (int64_t i = 0; i < world->body_count; i++) {
    memcpy(velocity + 6 * i, world->body[i].velocity, 3 * sizeof *velocity);
    memcpy(velocity + 6 * i + 3, world->body[i].spin, 3 * sizeof *velocity);
  }
  tl_links_read(world, velocity);
}

static void velocities_write(talus_world *world, const double *velocity) {
  for (int64_t i = 0; i < world->body_count; i++) {
    tl_body *const body = &world->body[i];
    if (body->exists && body->type == TALUS_BODY_FREE) {
      memcpy(body->velocity, velocity + 6 * i, 3 * sizeof *velocity);
      memcpy(body->spin, velocity + 6 * i + 3, 3 * sizeof *velocity);
    }
  }
  tl_links_write(world, velocity);
}

/* Solves, and once more with patience where the result is not acceptable. */
static talus_status solve(talus_world *world, double dt, const velocities *v, talus_info *info,
                          int *good) {
  TL_TRY(tl_problem_solve(world, dt, v->before, v->free, v->after, info));
  *good = tl_law_epsilon(&info->certificate, world->def.solver.law) <= world->def.accept;
  if (*good) {
    return TALUS_OK;
  }
  talus_settings patient = world->def.solver;
  patient.max_iterations *= 10;
  TL_TRY(talus_solver_set(world->solver, &patient));
  const talus_info first = *info;
  const talus_status status = tl_problem_solve(world, dt, v->before, v->free, v->after, info);
  TL_TRY(talus_solver_set(world->solver, &world->def.solver));
  info->iterations += first.iterations;
  info->passes += first.passes;
  *good = status == TALUS_OK &&
          tl_law_epsilon(&info->certificate, world->def.solver.law) <= world->def.accept;
  return status;
}

/* Contacts and velocities after them, until nothing meets what it had no contact with. */
static talus_status contacts_solve(talus_world *world, double dt, const velocities *v,
                                   talus_step_report *report, talus_info *info, int *good) {
  int missed = 1;
  tl_outrun_forget(world);
  *good = 1;
  for (int32_t round = 0; round < ROUNDS && missed && *good; round++) {
    const double begin = tl_clock();
    const int64_t iterations = info->iterations, passes = info->passes;
    TL_TRY(tl_contacts_find(world, dt));
    const double found = tl_clock();
    TL_TRY(solve(world, dt, v, info, good));
    info->iterations += iterations;
    info->passes += passes;
    const double solved = tl_clock();
    TL_TRY(tl_outrun_find(world, dt, v->after, &missed));
    report->seconds_collide += found - begin + tl_clock() - solved;
    report->seconds_build += info->seconds_check + info->seconds_build;
    report->seconds_solve += solved - found - info->seconds_check - info->seconds_build;
  }
  if (!*good) {
    report->epsilon =
        fmax(report->epsilon, tl_law_epsilon(&info->certificate, world->def.solver.law));
  }
  *good = *good && !missed;
  return TALUS_OK;
}

/* One sub-step; *good 0: the solve missed what is required, and nothing has been moved but
 * positions by half a step (MIDPOINT), which the caller takes back. */
static talus_status sub_step(talus_world *world, double dt, talus_step_report *report, int *good) {
  velocities v;
  talus_info info = talus_info_default();
  const int middle = world->def.integrator == TALUS_INTEGRATOR_MIDPOINT;
  TL_TRY(velocities_take(world, &v));
  tl_motion_apply(world, dt);
  velocities_read(world, v.before);
  if (middle) {
    tl_positions_move(world, v.before, 0.5 * dt);
  }
  tl_velocity_free(world, dt, v.free);
  TL_TRY(tl_links_free(world, dt, v.free));
  TL_TRY(contacts_solve(world, dt, &v, report, &info, good));
  if (!*good) {
    return TALUS_OK;
  }
  const double solved = tl_clock();
  for (int32_t i = 0; i < world->body_count; i++) {
    memcpy(world->body[i].contact_position, world->body[i].position,
           sizeof world->body[i].position);
  }
  tl_spin_carry(world, dt, v.free, v.after);
  velocities_write(world, v.after);
  tl_positions_move(world, v.after, middle ? 0.5 * dt : dt);
  if (world->def.stabilisation == TALUS_STABILISE_PROJECTION) {
    TL_TRY(tl_project(world, dt));
  }
  report->seconds_project += tl_clock() - solved;
  tl_report_add(world, dt, v.before, v.free, v.after, &info, report);
  world->time += dt;
  return tl_positions_check(world);
}

/* What a step changes of a body. */
typedef struct body_motion {
  double position[3], orientation[4], velocity[3], spin[3], carried[3], contact_position[3];
} body_motion;

/* What a step changes, put aside and taken back: bodies, joints, and the contacts of the step
 * before, with which the next one starts. */
static talus_status state_save(talus_world *world) {
  TL_TRY(tl_buffer_reserve(world->context, &world->saved_bodies, (size_t)world->body_count,
                           sizeof(body_motion), "bodies"));
  TL_TRY(tl_buffer_reserve(world->context, &world->saved_joints, (size_t)world->joint_count,
                           sizeof *world->joint, "joints"));
  body_motion *const motion = world->saved_bodies.memory;
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    memcpy(motion[i].position, body->position, sizeof body->position);
    memcpy(motion[i].orientation, body->orientation, sizeof body->orientation);
    memcpy(motion[i].velocity, body->velocity, sizeof body->velocity);
    memcpy(motion[i].spin, body->spin, sizeof body->spin);
    memcpy(motion[i].carried, body->carried, sizeof body->carried);
    memcpy(motion[i].contact_position, body->contact_position, sizeof body->contact_position);
  }
  if (world->joint_count > 0) {
    memcpy(world->saved_joints.memory, world->joint,
           (size_t)world->joint_count * sizeof *world->joint);
  }
  TL_TRY(tl_links_save(world));
  tl_contacts_put_aside(world);
  return TALUS_OK;
}

static talus_status state_restore(talus_world *world) {
  const body_motion *const motion = world->saved_bodies.memory;
  for (int32_t i = 0; i < world->body_count; i++) {
    tl_body *const body = &world->body[i];
    memcpy(body->position, motion[i].position, sizeof body->position);
    memcpy(body->orientation, motion[i].orientation, sizeof body->orientation);
    memcpy(body->velocity, motion[i].velocity, sizeof body->velocity);
    memcpy(body->spin, motion[i].spin, sizeof body->spin);
    memcpy(body->carried, motion[i].carried, sizeof body->carried);
    memcpy(body->contact_position, motion[i].contact_position, sizeof body->contact_position);
  }
  if (world->joint_count > 0) {
    memcpy(world->joint, world->saved_joints.memory,
           (size_t)world->joint_count * sizeof *world->joint);
  }
  tl_links_restore(world);
  return tl_contacts_take_back(world);
}

/* The whole step in `parts` equal parts. */
static talus_status parts_run(talus_world *world, int32_t parts, talus_step_report *report,
                              int *good) {
  *good = 1;
  for (int32_t i = 0; i < parts && *good; i++) {
    TL_TRY(sub_step(world, world->def.step / parts, report, good));
  }
  return TALUS_OK;
}

static double speed_of(const tl_body *body) {
  return hypot(hypot(body->velocity[0], body->velocity[1]), body->velocity[2]);
}

static int32_t fastest_body(const talus_world *world) {
  int32_t fastest = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    if (world->body[i].exists && !(speed_of(&world->body[i]) <= speed_of(&world->body[fastest]))) {
      fastest = i;
    }
  }
  return fastest;
}

talus_status talus_world_step(talus_world *world, talus_step_report *given) {
  if (world == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  if (given != NULL && given->struct_size != sizeof *given) {
    return tl_fail(world->context, TALUS_STRUCT_SIZE,
                   "step report: fill it by talus_step_report_default");
  }
  const double begin = tl_clock(), time = world->time;
  talus_step_report report;
  int good = 0;
  tl_links_sync(world); /* the caller may have set a mechanism */
  TL_TRY(state_save(world));
  for (int32_t halving = 0; halving <= HALVINGS && !good; halving++) {
    report = talus_step_report_default();
    report.halvings = halving;
    talus_status status = parts_run(world, world->def.substeps << halving, &report, &good);
    if (status != TALUS_OK || !good) {
      const talus_status restored = state_restore(world);
      status = status != TALUS_OK ? status : restored;
      world->time = time;
    }
    TL_TRY(status);
  }
  if (!good && report.epsilon <= world->def.accept) {
    return tl_fail(world->context, TALUS_STEP_FAILED,
                   "step %lld (t = %g s): bodies are so fast that contacts found %d times over do "
                   "not hold them, even after %d halvings of the step; a smaller step may help",
                   (long long)world->step_count, time, ROUNDS, HALVINGS);
  }
  if (!good && !isfinite(report.epsilon)) {
    const int32_t body = fastest_body(world);
    return tl_fail(world->context, TALUS_STEP_FAILED,
                   "step %lld (t = %g s): the contact problem leaves the range of numbers; body %d "
                   "is the fastest, with %g m/s at (%g %g %g) m",
                   (long long)world->step_count, time, body, speed_of(&world->body[body]),
                   world->body[body].position[0], world->body[body].position[1],
                   world->body[body].position[2]);
  }
  if (!good) {
    return tl_fail(world->context, TALUS_STEP_FAILED,
                   "step %lld (t = %g s): epsilon %.3g is above the accepted %.3g after %d "
                   "halvings of the step; smaller step, larger accept or the convex law may help",
                   (long long)world->step_count, time, report.epsilon, world->def.accept, HALVINGS);
  }
  tl_joint_track(world);
  world->step_count++;
  /* the clock does not accumulate rounding */
  world->time = (double)world->step_count * world->def.step;
  report.time = world->time;
  report.step = world->step_count;
  report.seconds = tl_clock() - begin;
  if (given != NULL) {
    *given = report;
  }
  return TALUS_OK;
}
