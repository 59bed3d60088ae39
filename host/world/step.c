/* step.c: one step: the order of its phases, and what is done when a solve is not good enough.
 *
 * Aimed at: tolerance. A solve that misses it goes on with its best impulses, or is held to
 * `accept` (on_miss). A solve that misses that, or whose impulses are no better than none, is
 * repeated with ten times the iterations; then, and where bodies penetrate each other by more than
 * they may, the step is restored and cut in two, up to four times; then it fails and the bodies are
 * as they were. */
#include "host/world/step.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/world/cell.h"
#include "host/world/resident.h"
#include "host/world/servo.h"
#include "host/world/spread.h"

enum { HALVINGS = 4 };

/* Velocities of a sub-step: before it, without contact, after it. */
typedef struct velocities {
  double *before, *free, *after;
} velocities;

static void velocities_place(const talus_world *world, velocities *v) {
  const size_t size = tl_velocity_size(world);
  v->before = world->velocity_memory.memory;
  v->free = v->before + size;
  v->after = v->free + size;
}

static talus_status velocities_take(talus_world *world, velocities *v) {
  TL_TRY(tl_buffer_reserve(world->context, &world->velocity_memory, 3 * tl_velocity_size(world),
                           sizeof(double), "velocities"));
  velocities_place(world, v);
  return TALUS_OK;
}

/* Finds contacts; where bodies came from other ranks they are given velocities. */
static talus_status contacts_find(talus_world *world, double dt, double **least_margin,
                                  velocities *v) {
  const int64_t slots = world->slots_changed;
  TL_TRY(tl_contacts_find(world, dt, *least_margin));
  if (slots == world->slots_changed) {
    return TALUS_OK;
  }
  *least_margin = *least_margin != NULL ? world->least_margins.memory : NULL;
  TL_TRY(tl_ranks_agree(world->context, tl_velocities_again(world, dt)));
  velocities_place(world, v);
  return TALUS_OK;
}

/* Those that miss the tolerance have to be better than none, also where the motion makes the error
 * look small. */
bool tl_step_acceptable(const talus_world *world, const talus_info *info) {
  const talus_law law = world->def.solver.law;
  const double error = tl_info_error(info, law), epsilon = tl_info_epsilon(info, law);
  return error <= world->def.tolerance || (error <= world->def.accept && error < 1 && epsilon < 1);
}

talus_settings tl_settings_now(const talus_world *world) {
  talus_settings settings = world->def.solver;
  const int64_t every = settings.certify;
  settings.certify = every > 1 ? world->step_count % every == 0 : every;
  return settings;
}

/* Solves, and once more with ten times the iterations where the result is not acceptable. */
static talus_status solve(talus_world *world, double dt, const velocities *v, talus_info *info,
                          tl_step_balance *balance, bool *good) {
  TL_TRY(tl_problem_solve(world, dt, v->before, v->free, v->after, info, balance));
  *good = tl_step_acceptable(world, info);
  if (*good) {
    return TALUS_OK;
  }
  const talus_settings usual = tl_settings_now(world);
  talus_settings longer = usual;
  longer.max_iterations *= 10;
  TL_TRY(talus_solver_set(world->solver, &longer));
  const talus_info first = *info;
  const talus_status status =
      tl_problem_solve(world, dt, v->before, v->free, v->after, info, balance);
  TL_TRY(talus_solver_set(world->solver, &usual));
  info->iterations += first.iterations;
  info->passes += first.passes;
  *good = status == TALUS_OK && tl_step_acceptable(world, info);
  return status;
}

/* Finds contacts and solves, until no body closes a contact that was not found. */
static talus_status contacts_solve(talus_world *world, double dt, velocities *v,
                                   talus_step_report *report, talus_info *info,
                                   tl_step_balance *balance, tl_step_quality *quality) {
  double *least_margin = NULL;
  quality->missed = quality->good = true;
  for (int32_t round = 0; round < TL_ROUNDS && quality->missed && quality->good; round++) {
    const double begin = tl_clock();
    const int64_t iterations = info->iterations, passes = info->passes;
    TL_TRY(contacts_find(world, dt, &least_margin, v));
    const double found = tl_clock();
    TL_TRY(solve(world, dt, v, info, balance, &quality->good));
    info->iterations += iterations;
    info->passes += passes;
    const double solved = tl_clock();
    TL_TRY(tl_missed_contacts_find(world, dt, v->after, &least_margin, &quality->missed));
    velocities_place(world, v); /* slots may have changed */
    report->seconds_collide += found - begin + tl_clock() - solved;
    report->seconds_build += info->seconds_check + info->seconds_build;
    report->seconds_solve += solved - found - info->seconds_check - info->seconds_build;
  }
  quality->error = tl_info_error(info, world->def.solver.law);
  if (quality->good) {
    tl_penetration_predict(world, dt, balance->deepens, &quality->penetration);
    if (balance->deepens) {
      TL_TRY(tl_spread_penetration(world, TALUS_OK, &quality->penetration));
    }
  }
  quality->good = quality->good && !quality->missed && !quality->penetration.found;
  return TALUS_OK;
}

/* Moves bodies and mechanisms by the velocities after the solve; corrects positions. */
static talus_status advance(talus_world *world, double dt, double share, bool sinks,
                            const velocities *v) {
  tl_bodies_advance(world, dt, share, v->free, v->after);
  tl_cell_move(world, share * dt);
  return world->def.stabilisation == TALUS_STABILISE_PROJECTION ? tl_project(world, dt, sinks)
                                                                : TALUS_OK;
}

/* Makes one sub-step. If its quality is not good the caller restores what has been moved. */
static talus_status sub_step(talus_world *world, double dt, talus_step_report *report,
                             tl_step_quality *quality) {
  velocities v;
  talus_info info = talus_info_default();
  tl_step_balance balance;
  const bool middle = world->def.integrator == TALUS_INTEGRATOR_MIDPOINT;
  TL_TRY(velocities_take(world, &v));
  tl_velocities_begin(world, dt, v.before);
  if (middle) {
    tl_positions_move(world, v.before, 0.5 * dt);
    tl_cell_move(world, 0.5 * dt);
  }
  tl_velocity_free(world, dt, v.free);
  TL_TRY(tl_links_free(world, dt, v.free));
  TL_TRY(contacts_solve(world, dt, &v, report, &info, &balance, quality));
  if (!quality->good) {
    return TALUS_OK;
  }
  const double solved = tl_clock();
  TL_TRY(tl_contacts_balance(world, v.free, v.after, &balance));
  tl_cell_measure(world, dt, v.after);
  tl_spring_keep(world, dt);
  TL_TRY(advance(world, dt, middle ? 0.5 : 1, balance.sinks, &v));
  report->seconds_project += tl_clock() - solved;
  if (!world->contacts_spherical) {
    const talus_status measured = tl_penetration_measure(world, dt, &quality->penetration);
    TL_TRY(tl_spread_penetration(world, measured, &quality->penetration));
  }
  quality->good = !quality->penetration.found;
  TL_TRY(tl_bonds_break(world, dt));
  TL_TRY(tl_report_add(world, dt, v.before, v.free, v.after, &info, &balance, report));
  tl_cell_follow(world, dt);
  TL_TRY(tl_servos_follow(world, dt));
  tl_cell_wrap(world);
  world->time += dt;
  return world->bodies_local ? tl_ranks_agree(world->context, tl_positions_check(world))
                             : tl_positions_check(world);
}

/* Makes the whole step in `parts` equal parts. */
static talus_status parts_run(talus_world *world, int32_t parts, talus_step_report *report,
                              tl_step_quality *quality) {
  memset(quality, 0, sizeof *quality);
  quality->good = true;
  world->broken_count = 0;
  tl_penetration_begin(world, parts);
  for (int32_t i = 0; i < parts && quality->good; i++) {
    TL_TRY(sub_step(world, world->def.step / parts, report, quality));
  }
  return TALUS_OK;
}

/* Makes the step in ever more parts until it is good; restores the world after each that is not.
 * first: what penetrated in the first try. */
static talus_status parts_try(talus_world *world, int32_t halvings, talus_step_report *report,
                              tl_step_quality *quality, tl_penetration *first) {
  const double time = world->time;
  quality->good = false;
  for (int32_t halving = 0; halving <= halvings && !quality->good; halving++) {
    *report = talus_step_report_default();
    report->halvings = halving;
    talus_status status = parts_run(world, world->def.substeps << halving, report, quality);
    if (status != TALUS_OK || !quality->good) {
      const bool told = tl_ranks_told(world->context, status);
      const talus_status restored = tl_world_restore(world);
      world->context->told = told || world->context->told;
      tl_servos_restore(world);
      status = status != TALUS_OK ? status : restored;
      world->time = time;
    }
    TL_TRY(status);
    *first = halving == 0 ? quality->penetration : *first;
  }
  return TALUS_OK;
}

static talus_status world_step(talus_world *world, talus_step_report *given) {
  const int32_t halvings = world->def.on_miss == TALUS_MISS_STOP ? 0 : HALVINGS;
  const double begin = tl_clock();
  talus_step_report report;
  tl_step_quality quality;
  tl_penetration first;
  tl_gaps_close(world);
  world->broken_before += world->broken_count;
  world->broken_count = 0;
  tl_links_sync(world); /* the caller may have set a mechanism */
  tl_spring_choose(world);
  assert(world->body_gaps == 0 && world->joint_gaps == 0);
  if (world->def.solver.certify > 1) {
    const talus_settings settings = tl_settings_now(world);
    TL_TRY(talus_solver_set(world->solver, &settings));
  }
  TL_TRY(tl_resident_step(world, &report, &quality.good));
  if (!quality.good) {
    TL_TRY(tl_world_edit_device(world));
    TL_TRY(tl_spread_step(world));
    TL_TRY(tl_world_save(world));
    tl_servos_save(world);
    TL_TRY(parts_try(world, halvings, &report, &quality, &first));
  }
  if (!quality.good) {
    TL_TRY(tl_bodies_whole(world)); /* the reason may be any of them */
    return tl_step_refuse(world, &quality, &first, halvings);
  }
  tl_joint_track(world);
  world->part_seconds = world->def.step / (world->def.substeps << report.halvings);
  world->step_count++;
  /* a product: the time does not accumulate rounding */
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
  talus_status status =
      given != NULL ? tl_struct_check(world->context, &tl_struct_step_report, "step report", given)
                    : TALUS_OK;
  status = tl_spread_same_step(world, status);
  status = status == TALUS_OK ? world_step(world, given) : status;
  world->step_saved = false;
  status = tl_spread_end(world, status);
  tl_context_leave(world->context);
  return status;
}
