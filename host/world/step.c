/* step.c: one step: the order of events, and what is done when a solve is not good enough.
 *
 * Aimed at: tolerance. A solve that misses it goes on with its best impulses, or is held to
 * `accept` (on_miss). A solve that misses that, or whose impulses are no better than none, is
 * repeated with ten times the iterations; then, and where bodies sink, the step is taken back and
 * cut in two, up to four times; then it fails and the bodies are as they were. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/base/structs.h"
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

void tl_velocities_read(const talus_world *world, double *velocity) {
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

/* Why a (sub-)step was refused. */
typedef struct verdict {
  int good;
  int missed; /* contacts: bodies outran them to the last round */
  double error;
  tl_sink sink;
} verdict;

/* Whether impulses are good enough to go on with. */
static int is_acceptable(const talus_world *world, const talus_info *info) {
  const double error = tl_law_error(&info->certificate, world->def.solver.law);
  return error <= world->def.accept && error < 1;
}

/* Solves, and once more with patience where the result is not acceptable. */
static talus_status solve(talus_world *world, double dt, const velocities *v, talus_info *info,
                          int *good) {
  TL_TRY(tl_problem_solve(world, dt, v->before, v->free, v->after, info));
  *good = is_acceptable(world, info);
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
  *good = status == TALUS_OK && is_acceptable(world, info);
  return status;
}

/* Contacts and velocities after them, until nothing meets what it had no contact with. */
static talus_status contacts_solve(talus_world *world, double dt, const velocities *v,
                                   talus_step_report *report, talus_info *info, verdict *verdict) {
  verdict->missed = verdict->good = 1;
  tl_outrun_forget(world);
  for (int32_t round = 0; round < ROUNDS && verdict->missed && verdict->good; round++) {
    const double begin = tl_clock();
    const int64_t iterations = info->iterations, passes = info->passes;
    TL_TRY(tl_contacts_find(world, dt));
    const double found = tl_clock();
    TL_TRY(solve(world, dt, v, info, &verdict->good));
    info->iterations += iterations;
    info->passes += passes;
    const double solved = tl_clock();
    TL_TRY(tl_outrun_find(world, dt, v->after, &verdict->missed));
    report->seconds_collide += found - begin + tl_clock() - solved;
    report->seconds_build += info->seconds_check + info->seconds_build;
    report->seconds_solve += solved - found - info->seconds_check - info->seconds_build;
  }
  verdict->error = tl_law_error(&info->certificate, world->def.solver.law);
  if (verdict->good) {
    tl_sink_foresee(world, dt, &verdict->sink);
  }
  verdict->good = verdict->good && !verdict->missed && !verdict->sink.found;
  return TALUS_OK;
}

/* One sub-step. If the verdict is not good the caller takes back what has been moved. */
static talus_status sub_step(talus_world *world, double dt, talus_step_report *report,
                             verdict *verdict) {
  velocities v;
  talus_info info = talus_info_default();
  const int middle = world->def.integrator == TALUS_INTEGRATOR_MIDPOINT;
  TL_TRY(velocities_take(world, &v));
  tl_motion_apply(world, dt);
  tl_velocities_read(world, v.before);
  if (middle) {
    tl_positions_move(world, v.before, 0.5 * dt);
  }
  tl_velocity_free(world, dt, v.free);
  TL_TRY(tl_links_free(world, dt, v.free));
  TL_TRY(contacts_solve(world, dt, &v, report, &info, verdict));
  if (!verdict->good) {
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
  TL_TRY(tl_sink_find(world, dt, &verdict->sink));
  verdict->good = !verdict->sink.found;
  tl_report_add(world, dt, v.before, v.free, v.after, &info, report);
  world->time += dt;
  return tl_positions_check(world);
}

/* The whole step in `parts` equal parts. */
static talus_status parts_run(talus_world *world, int32_t parts, talus_step_report *report,
                              verdict *verdict) {
  memset(verdict, 0, sizeof *verdict);
  verdict->good = 1;
  for (int32_t i = 0; i < parts && verdict->good; i++) {
    world->part = i;
    TL_TRY(sub_step(world, world->def.step / parts, report, verdict));
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

/* A body for people. */
static const char *type_name(const talus_world *world, int32_t id) {
  static const char *const names[] = {"body", "fixed body", "kinematic body", "link"};
  return names[talus_body_kind(world, id)];
}

/* The step with which a pair would sink by no more than it may, from what it sank by in the whole
 * step and in the last part that was tried; 0 if shorter steps make no difference. */
static double step_that_does(const talus_world *world, const tl_sink *last, const tl_sink *first,
                             int32_t halvings) {
  const double gain = log(first->excess / last->excess) / (halvings * log(2));
  const double dt = world->def.step / (1 << halvings);
  return gain > 0.2 ? dt * pow(0.8 / last->excess, 1 / gain) : 0;
}

static talus_status sink_refuse(const talus_world *world, const tl_sink *sink, const tl_sink *first,
                                int32_t halvings) {
  const double does =
      first->found && halvings > 0 ? step_that_does(world, sink, first, halvings) : 0;
  char advice[160];
  if (does > 0) {
    snprintf(advice, sizeof advice, "a step of %.1g s would do", does);
  } else if (halvings > 0) {
    snprintf(advice, sizeof advice,
             "shorter steps do not help: something presses them together, or the solve is poor "
             "(more max_iterations)");
  } else {
    snprintf(advice, sizeof advice, "a shorter step may help");
  }
  return tl_fail(world->context, TALUS_STEP_FAILED,
                 "step %lld (t = %g s): %s %d and %s %d would sink into each other, from %.3g m to "
                 "%.3g m, %.3g times what penetration_limit %g allows, even in parts of %.3g s; %s",
                 (long long)world->step_count, world->time, type_name(world, sink->body_a),
                 sink->body_a, type_name(world, sink->body_b), sink->body_b, sink->before,
                 sink->after, sink->excess, world->def.penetration_limit,
                 world->def.step / (world->def.substeps << halvings), advice);
}

/* Words for a step that failed: `halvings` were tried; first: what sank in the whole step. */
static talus_status step_refuse(const talus_world *world, const verdict *verdict,
                                const tl_sink *first, int32_t halvings) {
  const long long step = (long long)world->step_count;
  const double time = world->time;
  if (verdict->sink.found) {
    return sink_refuse(world, &verdict->sink, first, halvings);
  }
  if (verdict->missed && isfinite(verdict->error)) {
    return tl_fail(world->context, TALUS_STEP_FAILED,
                   "step %lld (t = %g s): bodies are so fast that contacts found %d times over do "
                   "not hold them, even after %d halvings of the step; a smaller step may help",
                   step, time, ROUNDS, halvings);
  }
  if (!isfinite(verdict->error)) {
    const tl_body *const body = &world->body[fastest_body(world)];
    return tl_fail(world->context, TALUS_STEP_FAILED,
                   "step %lld (t = %g s): the contact problem leaves the range of numbers; body %d "
                   "is the fastest, with %g m/s at (%g %g %g) m",
                   step, time, body->id, speed_of(body), body->position[0], body->position[1],
                   body->position[2]);
  }
  if (!(verdict->error < 1)) {
    return tl_fail(world->context, TALUS_STEP_FAILED,
                   "step %lld (t = %g s): the impulses found are no better than none (error %.3g) "
                   "after %d halvings of the step; a smaller step, more max_iterations or the "
                   "convex law may help",
                   step, time, verdict->error, halvings);
  }
  return tl_fail(world->context, TALUS_STEP_FAILED,
                 "step %lld (t = %g s): error %.3g is above the accepted %.3g after %d halvings of "
                 "the step; on_miss: continue, a larger accept, a smaller step or the convex law "
                 "may help",
                 step, time, verdict->error, world->def.accept, halvings);
}

static talus_status world_step(talus_world *world, talus_step_report *given) {
  if (given != NULL) {
    TL_TRY(tl_struct_check(world->context, &tl_struct_step_report, "step report", given));
  }
  const double begin = tl_clock(), time = world->time;
  const int32_t halvings = world->def.on_miss == TALUS_MISS_STOP ? 0 : HALVINGS;
  talus_step_report report;
  verdict verdict = {.good = 0};
  tl_sink first_sink = {.found = 0};
  tl_gaps_close(world);
  tl_links_sync(world); /* the caller may have set a mechanism */
  TL_TRY(tl_world_save(world));
  for (int32_t halving = 0; halving <= halvings && !verdict.good; halving++) {
    report = talus_step_report_default();
    report.halvings = halving;
    talus_status status = parts_run(world, world->def.substeps << halving, &report, &verdict);
    if (status != TALUS_OK || !verdict.good) {
      const talus_status restored = tl_world_restore(world);
      status = status != TALUS_OK ? status : restored;
      world->time = time;
    }
    TL_TRY(status);
    first_sink = halving == 0 ? verdict.sink : first_sink;
  }
  if (!verdict.good) {
    return step_refuse(world, &verdict, &first_sink, halvings);
  }
  tl_joint_track(world);
  world->step_count++;
  /* the clock does not accumulate rounding */
  world->time = (double)world->step_count * world->def.step;
  report.time = world->time;
  report.step = world->step_count;
  report.seconds = tl_clock() - begin;
  if (given != NULL) {
    tl_struct_write(&tl_struct_step_report, &report, given);
  }
  return TALUS_OK;
}

talus_status talus_world_step(talus_world *world, talus_step_report *given) {
  if (world == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_context_enter(world->context));
  const talus_status status = world_step(world, given);
  tl_context_leave(world->context);
  return status;
}
