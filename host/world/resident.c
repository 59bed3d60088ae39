/* resident.c: steps of a world in the memory of a device. */
#include "host/world/resident.h"

#include <math.h>
#include <string.h>

#include "host/solve/queued.h"
#include "host/world/problem_build.h"
#include "host/world/step.h"

/* ---- life, reading and changing -------------------------------------------------------------- */

talus_status tl_resident_create(talus_world *world) {
  const tl_world_backend *const backend = tl_world_backend_find(world->context);
  if (backend == NULL) {
    return TALUS_OK;
  }
  tl_world_resident *resident;
  TL_TRY(tl_alloc(world->context, (void **)&resident, 1, sizeof *resident, "world on a device"));
  memset(resident, 0, sizeof *resident);
  resident->backend = backend;
  resident->world = world;
  resident->patience = resident->next_pause = 1;
  world->resident = resident;
  return backend->create(world->context, &resident->memory);
}

void tl_resident_destroy(talus_world *world) {
  tl_world_resident *const resident = world->resident;
  if (resident == NULL) {
    return;
  }
  resident->backend->destroy(resident->memory);
  tl_buffer_release(world->context, &resident->kinematic_memory);
  tl_buffer_release(world->context, &resident->steering_memory);
  tl_buffer_release(world->context, &resident->load_memory);
  tl_buffer_release(world->context, &resident->names_memory);
  tl_buffer_release(world->context, &resident->names_next);
  tl_buffer_release(world->context, &resident->kept_memory);
  tl_free(world->context, resident);
  world->resident = NULL;
}

talus_status tl_bodies_read(const talus_world *world) {
  tl_world_resident *const resident = world->resident;
  if (resident == NULL || !resident->ahead) {
    return TALUS_OK;
  }
  TL_TRY(tl_resident_rewind(resident, tl_resident_fetch_bodies(resident)));
  resident->ahead = resident->contacts_kept = false;
  tl_resident_keep(resident);
  return TALUS_OK;
}

talus_status tl_world_read(const talus_world *world) {
  tl_world_resident *const resident = world->resident;
  TL_TRY(tl_bodies_read(world));
  if (resident == NULL || !resident->contacts_ahead) {
    return TALUS_OK;
  }
  TL_TRY(tl_resident_rewind(resident, tl_resident_fetch_contacts(resident)));
  resident->contacts_ahead = false;
  resident->contacts_kept = true;
  return TALUS_OK;
}

talus_status tl_world_edit(talus_world *world) {
  TL_TRY(tl_bodies_whole(world));
  return tl_world_edit_device(world);
}

talus_status tl_world_edit_device(talus_world *world) {
  TL_TRY(tl_world_read(world));
  if (world->resident != NULL) {
    world->resident->loaded = false;
  }
  return TALUS_OK;
}

int64_t talus_world_device_steps(const talus_world *world, const char **reason) {
  const tl_world_resident *const resident = world != NULL ? world->resident : NULL;
  if (reason != NULL) {
    *reason = resident != NULL ? resident->reason : "the backend is cpu";
  }
  return resident != NULL ? resident->step_count : 0;
}

enum {
  PATIENCE_MOST = 4, /* steps in phases after one that came out otherwise than queued */
  PAUSE_MOST = 64    /* steps of the host's after one that the device did not make */
};

/* ---- a step ---------------------------------------------------------------------------------- */

/* What the world's settings rule out; NULL: nothing. */
static const char *settings_reason(const talus_world *world) {
  const talus_world_def *const def = &world->def;
  return world->joint_count > 0                         ? "joints"
         : world->bond_count > 0                        ? "bonds"
         : world->mechanism_count > 0                   ? "mechanisms"
         : world->servo_count > 0                       ? "servos"
         : world->cell.def.periodic != 0                ? "a periodic cell"
         : world->contact_function != NULL              ? "a function of the caller's"
         : world->cohesive                              ? "cohesion"
         : world->resists                               ? "contacts that resist rolling or spinning"
         : world->elliptic                              ? "friction by direction"
         : def->restitution != TALUS_RESTITUTION_NEWTON ? "restitution by impulses"
         : def->integrator == TALUS_INTEGRATOR_MIDPOINT ? "the midpoint rule"
         : def->substeps > 1                            ? "sub-steps"
         : def->brick_size > 0                          ? "bricks"
         : world->context->def.ranks != NULL            ? "ranks"
         : world->shape_count == 0 || world->body_count == 0 ? "nothing that could touch"
                                                             : NULL;
}

static void reason_note(tl_world_resident *resident, const char *reason) {
  if (reason != NULL && (resident->reason == NULL || strcmp(reason, resident->reason) != 0)) {
    tl_log(resident->world->context, TALUS_LOG_DEBUG, "world: steps go through the host: %s",
           reason);
  }
  resident->reason = reason;
}

/* Kinematic bodies take the velocities that lead where their motions say. *turning: one of them, or
 * a fixed one, has a spin. */
static talus_status bodies_steer(tl_world_resident *resident, double dt, bool *turning) {
  talus_world *const world = resident->world;
  *turning = resident->turning;
  resident->steered = true;
  for (int32_t n = 0; n < resident->kinematic_count; n++) {
    const tl_body *const body = &world->body[resident->kinematic[n]];
    tl_motion_steer(world, resident->kinematic[n], dt);
    memcpy(resident->steering + 6 * (int64_t)n, body->velocity, sizeof body->velocity);
    memcpy(resident->steering + 6 * (int64_t)n + 3, body->spin, sizeof body->spin);
    *turning = *turning || (!body->round && tl_dot3(body->spin, body->spin) != 0);
  }
  return resident->backend->steer(resident->memory, resident->kinematic_count, resident->kinematic,
                                  resident->steering);
}

/* The host moves its copies of kinematic bodies along: motions need them. */
static void kinematic_move(const tl_world_resident *resident, double dt) {
  for (int32_t n = 0; n < resident->kinematic_count; n++) {
    tl_body_move(&resident->world->body[resident->kinematic[n]],
                 resident->steering + 6 * (int64_t)n, dt);
  }
}

static tl_resident_rule rule_make(const talus_world *world, double dt, bool turning) {
  return (tl_resident_rule){
      .contact = tl_contact_rule_of(world, dt),
      .scale = tl_velocity_scale_rule(world, dt),
      .gravity = {world->def.gravity[0], world->def.gravity[1], world->def.gravity[2]},
      .margin = 0.5 * world->def.margin * world->size,
      .skin = tl_contacts_skin(world),
      .penetration_limit = world->def.penetration_limit,
      .plane = world->def.plane,
      .turning = turning,
      .projects = world->def.stabilisation == TALUS_STABILISE_PROJECTION};
}

/* A problem in the device's memory, and where its solution goes. */
typedef struct formed {
  talus_problem problem;
  talus_solution solution;
  tl_queued_facts facts;
} formed;

static talus_status form(tl_world_resident *resident, const tl_resident_rule *rule,
                         tl_resident_problem which, formed *f) {
  return resident->backend->form(resident->memory, rule, which, &f->problem, &f->solution,
                                 &f->facts);
}

static talus_status solve(talus_solver *solver, const formed *f, double scale, talus_info *info) {
  talus_problem problem = f->problem;
  problem.velocity_scale = scale;
  TL_TRY(talus_solver_update(solver, &problem));
  return tl_solver_solve_queued(solver, &f->solution, info);
}

/* Impulses of the step; *reason: why they are not taken. */
static talus_status impulses_find(const talus_world *world, const tl_resident_rule *rule,
                                  const tl_resident_record *record, const formed *f,
                                  talus_info *info, const char **reason) {
  const double scale =
      tl_velocity_scale_of(world, rule->contact.dt, record->change, record->free_count,
                           record->speed, record->contact_count);
  TL_TRY(solve(world->solver, f, scale, info));
  *reason = tl_step_acceptable(world, info) ? NULL : "the solve was not accepted";
  return TALUS_OK;
}

/* Queues a step that is expected to be as the last ones, and waits once for all of it.
 * TL_NOT_QUEUED: it is not so, and the bodies have to be restored. */
static talus_status step_queue(tl_world_resident *resident, const tl_resident_rule *rule, formed *f,
                               tl_resident_record *record) {
  bool right;
  TL_TRY(resident->backend->touch(resident->memory, rule, NULL));
  TL_TRY(form(resident, rule, TL_PROBLEM_VELOCITY, f));
  TL_TRY(tl_solver_queue(resident->world->solver, &f->problem, &f->solution, &f->facts, &right));
  if (!right) {
    return TL_NOT_QUEUED;
  }
  TL_TRY(resident->backend->advance(resident->memory, rule, NULL));
  TL_TRY(resident->backend->read(resident->memory, record, &right));
  f->problem.contact_count = record->contact_count;
  return right ? TALUS_OK : TL_NOT_QUEUED;
}

/* What the record of moved bodies says; positions are corrected where something has sunk in. */
static talus_status moves_judge(tl_world_resident *resident, const tl_resident_rule *rule,
                                tl_resident_record *record, const char **reason) {
  const talus_world *const world = resident->world;
  *reason = record->fast   ? "a body outran its margin"
            : record->deep ? "a pair became too deep"
            : record->bad  ? "a body left the range of numbers"
                           : NULL;
  if (*reason != NULL || !record->sunk || world->def.stabilisation != TALUS_STABILISE_PROJECTION) {
    return TALUS_OK;
  }
  formed f;
  TL_TRY(form(resident, rule, TL_PROBLEM_PROJECTION, &f));
  TL_TRY(solve(world->projector, &f, 0, NULL));
  TL_TRY(resident->backend->correct(resident->memory, rule, record));
  *reason = record->deep  ? "a pair became too deep"
            : record->bad ? "a body left the range of numbers"
                          : NULL;
  return TALUS_OK;
}

/* One step on the device, queued as a whole or phase by phase; *reason: why it is not to be had. */
static talus_status step_make(tl_world_resident *resident, double dt, bool queued,
                              talus_step_report *report, const char **reason) {
  talus_world *const world = resident->world;
  talus_info info = talus_info_default();
  tl_step_balance balance;
  tl_resident_record record;
  formed f;
  bool turning;
  const double begin = tl_clock();
  TL_TRY(bodies_steer(resident, dt, &turning));
  const tl_resident_rule rule = rule_make(world, dt, turning);
  TL_TRY(queued ? step_queue(resident, &rule, &f, &record)
                : resident->backend->touch(resident->memory, &rule, &record));
  *reason = record.crowded                                 ? "a pair with many contact points"
            : record.skewed && tl_resident_is_plain(world) ? "a disk leaves its plane"
                                                           : NULL;
  if (*reason != NULL) {
    return TALUS_OK;
  }
  const double touched = queued ? begin : tl_clock(); /* all is waited for in the solve's time */
  if (!queued) {
    TL_TRY(form(resident, &rule, TL_PROBLEM_VELOCITY, &f));
  }
  TL_TRY(impulses_find(world, &rule, &record, &f, &info, reason));
  if (*reason != NULL) {
    return TALUS_OK;
  }
  const double solved = tl_clock();
  const bool went_on = queued && tl_solver_queue_went_on(world->solver);
  if (went_on) { /* bodies were moved by impulses that were not the last */
    TL_TRY(resident->backend->restore(resident->memory));
  }
  if (!queued || went_on) {
    TL_TRY(resident->backend->advance(resident->memory, &rule, &record));
  }
  resident->extended_count += went_on;
  TL_TRY(moves_judge(resident, &rule, &record, reason));
  resident->calm++;
  memset(&balance, 0, sizeof balance);
  tl_balance_set(record.contact, &balance);
  *report = talus_step_report_default();
  report->resident = 1;
  tl_report_write(world, &info, &balance, record.body, record.contact_count, report);
  report->seconds_collide = touched - begin;
  report->seconds_build = info.seconds_check + info.seconds_build;
  report->seconds_solve = solved - touched - report->seconds_build;
  report->seconds_project = tl_clock() - solved;
  return TALUS_OK;
}

/* Whether the next step is expected to be as the last ones. */
static bool is_calm(const tl_world_resident *resident) {
  return resident->calm >= resident->patience && resident->backend->steady(resident->memory) &&
         tl_solver_can_queue(resident->world->solver);
}

/* The more often expectations were wrong, the more steps have to pass before the next one. */
static void patience_learn(tl_world_resident *resident, bool right) {
  resident->queued_count += right;
  resident->missed_count += !right;
  const int32_t patience = right ? resident->patience / 2 : 2 * resident->patience;
  resident->patience = patience < 1 ? 1 : patience > PATIENCE_MOST ? PATIENCE_MOST : patience;
  resident->calm = right ? resident->calm : 0;
}

/* One step; one that was queued as a whole and came out otherwise is made once more. */
static talus_status step_make_once(tl_world_resident *resident, double dt,
                                   talus_step_report *report, const char **reason) {
  if (is_calm(resident)) {
    const talus_status status = step_make(resident, dt, true, report, reason);
    TL_TRY(tl_solver_queue_drop(resident->world->solver));
    patience_learn(resident, status == TALUS_OK && *reason == NULL);
    if (status != TL_NOT_QUEUED) {
      return status;
    }
    TL_TRY(resident->backend->restore(resident->memory));
  }
  return step_make(resident, dt, false, report, reason);
}

/* The device gives back what the step began with. */
static talus_status step_abandon(tl_world_resident *resident) {
  TL_TRY(resident->backend->restore(resident->memory));
  resident->ahead = resident->contacts_ahead = true;
  return tl_world_edit(resident->world);
}

/* The same, with the message that tells what memory there was none for. */
static talus_status memory_abandon(tl_world_resident *resident) {
  talus_context *const context = resident->world->context;
  char message[sizeof context->message];
  memcpy(message, context->message, sizeof message);
  TL_TRY(step_abandon(resident));
  memcpy(context->message, message, sizeof message);
  return TALUS_OK;
}

/* Loading a world and fetching it back for nothing costs more than a step of the host's: the more
 * often steps were not to be had, the longer nobody asks for the next one. */
static void pause_learn(tl_world_resident *resident, bool made) {
  resident->refused_count += !made;
  resident->pause = made ? 0 : resident->next_pause;
  const int32_t next = made ? resident->next_pause / 2 : 2 * resident->next_pause;
  resident->next_pause = next < 1 ? 1 : next > PAUSE_MOST ? PAUSE_MOST : next;
}

/* The world on the device, if it takes such worlds. */
static talus_status load_try(tl_world_resident *resident, const char **reason) {
  if (*reason == NULL && resident->loaded) {
    TL_TRY(tl_resident_change_world(resident, reason));
  }
  if (*reason != NULL || resident->loaded) {
    return TALUS_OK;
  }
  TL_TRY(tl_resident_fit(resident, reason));
  if (*reason == NULL) {
    TL_TRY(tl_resident_yield(resident, tl_resident_load_world(resident, reason), reason));
    resident->loaded = *reason == NULL;
  }
  return TALUS_OK;
}

static talus_status step_try(talus_world *world, talus_step_report *report, bool *made) {
  tl_world_resident *const resident = world->resident;
  const double dt = world->def.step / world->def.substeps;
  const char *reason = settings_reason(world);
  if (reason == NULL && resident->pause > 0) {
    resident->pause--;
    return TALUS_OK; /* the last reason stands */
  }
  TL_TRY(load_try(resident, &reason));
  if (reason == NULL) {
    const talus_status status = step_make_once(resident, dt, report, &reason);
    if (status == TALUS_OUT_OF_MEMORY) {
      TL_TRY(memory_abandon(resident));
    }
    TL_TRY(tl_resident_yield(resident, status, &reason));
    pause_learn(resident, reason == NULL);
    if (status == TALUS_OK && reason != NULL) {
      TL_TRY(step_abandon(resident));
    }
  }
  reason_note(resident, reason);
  *made = reason == NULL;
  if (*made) {
    kinematic_move(resident, dt);
    resident->ahead = resident->contacts_ahead = true;
    resident->step_count++;
  }
  return TALUS_OK;
}

talus_status tl_resident_step(talus_world *world, talus_step_report *report, bool *made) {
  *made = false;
  return world->resident != NULL
             ? tl_resident_rewind(world->resident, step_try(world, report, made))
             : TALUS_OK;
}
