/* fleet_device.c: steps of a fleet with a device, part by part for all couplings.
 *
 * Threads of the host find contacts and write problems; the device finds accelerations (mechanisms
 * whose dynamics are CONQUER) and solves what is small. All parts are those of the CPU's way, so
 * the bits are the same. */
#include "host/mechanism/fleet.h"

static bool conquers(const talus_coupling *coupling, int32_t m) {
  return coupling->mechanism[m]->dynamics == TALUS_DYNAMICS_CONQUER;
}

bool tl_fleet_on_device(const talus_fleet *fleet) {
  int32_t evaluations = 0;
  for (int32_t i = 0; i < fleet->def.count; i++) {
    for (int32_t m = 0; m < fleet->coupling[i]->def.mechanism_count; m++) {
      evaluations += conquers(fleet->coupling[i], m);
    }
  }
  return tl_batch_on_device(fleet->context, &fleet->def.settings, fleet->def.count) ||
         (evaluations > 0 && tl_batch_pays(fleet->context, evaluations));
}

talus_status tl_fleet_device_open(talus_fleet *fleet) {
  talus_context *const context = fleet->context;
  const size_t count = (size_t)fleet->def.count;
  int32_t evaluations = 0;
  TL_TRY(tl_alloc(context, (void **)&fleet->first, count + 1, sizeof *fleet->first, "a fleet"));
  for (size_t i = 0; i < count; i++) {
    const talus_coupling *const coupling = fleet->coupling[i];
    fleet->first[i] = evaluations;
    for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
      evaluations += conquers(coupling, m);
    }
  }
  fleet->first[count] = evaluations;
  TL_TRY(tl_forward_reserve(context, &fleet->forward, evaluations));
  TL_TRY(tl_buffer_reserve(context, &fleet->problems, count, sizeof(talus_problem), "a fleet"));
  TL_TRY(tl_buffer_reserve(context, &fleet->solutions, count, sizeof(talus_solution), "a fleet"));
  TL_TRY(tl_buffer_reserve(context, &fleet->infos, count, sizeof(talus_info), "a fleet"));
  TL_TRY(tl_buffer_reserve(context, &fleet->statuses, count, sizeof(talus_status), "a fleet"));
  return tl_buffer_reserve(context, &fleet->owners, count, sizeof(int32_t), "a fleet");
}

void tl_fleet_device_close(talus_fleet *fleet) {
  talus_context *const context = fleet->context;
  tl_forward_release(context, &fleet->forward);
  tl_buffer_release(context, &fleet->problems);
  tl_buffer_release(context, &fleet->solutions);
  tl_buffer_release(context, &fleet->infos);
  tl_buffer_release(context, &fleet->statuses);
  tl_buffer_release(context, &fleet->owners);
  tl_free(context, fleet->first);
}

/* A part of every coupling's step; those that have failed are left out. */
typedef struct part {
  talus_fleet *fleet;
  talus_status (*work)(talus_fleet *fleet, int32_t i, tl_copy *copy);
} part;

static talus_status part_of(void *self, int32_t thread, int32_t i) {
  const part *const p = self;
  tl_copy *const copy = &p->fleet->copy[i];
  (void)thread;
  if (copy->failed) {
    return TALUS_OK;
  }
  const talus_status status = p->work(p->fleet, i, copy);
  if (status != TALUS_OK) {
    tl_copy_undo(p->fleet, i, copy);
  }
  return status;
}

/* Keeps the first failure in time, with its message. */
static void part_run(talus_fleet *fleet,
                     talus_status (*work)(talus_fleet *fleet, int32_t i, tl_copy *copy),
                     talus_status *first_failure) {
  part p = {fleet, work};
  if (*first_failure == TALUS_OK) {
    *first_failure = tl_mechanism_workers_run(fleet->context, fleet->worker, fleet->threads,
                                              fleet->def.count, part_of, &p, "coupling");
    return;
  }
  char message[sizeof fleet->context->message];
  memcpy(message, fleet->context->message, sizeof message);
  (void)tl_mechanism_workers_run(fleet->context, fleet->worker, fleet->threads, fleet->def.count,
                                 part_of, &p, "coupling");
  memcpy(fleet->context->message, message, sizeof message);
}

/* Contacts, and evaluations for the device; other accelerations at once. */
static talus_status begin(talus_fleet *fleet, int32_t i, tl_copy *copy) {
  talus_coupling *const coupling = fleet->coupling[i];
  tl_conquest *c = fleet->forward.conquest + fleet->first[i];
  TL_TRY(tl_copy_begin(fleet, i, copy));
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    talus_mechanism *const mechanism = coupling->mechanism[m];
    double *const acceleration = coupling->velocity + coupling->first_velocity[m];
    if (conquers(coupling, m)) {
      TL_TRY(tl_conquest_make(mechanism, NULL, 0, c));
      c++->acceleration = acceleration;
    } else {
      TL_TRY(talus_mechanism_accelerate(mechanism, mechanism->dynamics, acceleration));
    }
  }
  return TALUS_OK;
}

static talus_status build(talus_fleet *fleet, int32_t i, tl_copy *copy) {
  for (int32_t k = fleet->first[i]; k < fleet->first[i + 1]; k++) {
    if (fleet->forward.singular[k]) {
      return tl_conquer_singular(fleet->coupling[i]->mechanism[0]);
    }
  }
  return tl_copy_build(fleet, i, copy);
}

/* Evaluations of couplings that failed are not there: the rest closes up. */
static talus_status accelerate(talus_fleet *fleet) {
  tl_forward *const forward = &fleet->forward;
  const int32_t count = fleet->def.count, all = fleet->first[count];
  int32_t kept = 0;
  for (int32_t i = 0; i < count; i++) {
    for (int32_t k = fleet->first[i]; k < fleet->first[i + 1] && !fleet->copy[i].failed; k++) {
      forward->conquest[kept++] = forward->conquest[k];
    }
  }
  forward->count = kept;
  if (kept > 0) {
    TL_TRY(tl_forward_run(fleet->context, forward, fleet->threads));
  }
  for (int32_t i = count - 1; i >= 0; i--) { /* verdicts go back to where they belong */
    for (int32_t k = fleet->first[i + 1] - 1; k >= fleet->first[i]; k--) {
      forward->singular[k] = fleet->copy[i].failed ? 0 : forward->singular[--kept];
    }
  }
  forward->count = all;
  return TALUS_OK;
}

/* Problems of those that have any, in the order of couplings. */
static talus_status solve(talus_fleet *fleet) {
  talus_problem *const problem = fleet->problems.memory;
  talus_solution *const solution = fleet->solutions.memory;
  talus_info *const info = fleet->infos.memory;
  talus_status *const status = fleet->statuses.memory;
  int32_t *const owner = fleet->owners.memory, count = 0;
  for (int32_t i = 0; i < fleet->def.count; i++) {
    const tl_copy *const copy = &fleet->copy[i];
    if (!copy->failed && tl_copy_has_problem(copy)) {
      problem[count] = copy->problem;
      solution[count] = copy->solution;
      info[count] = copy->info;
      status[count] = TALUS_OK;
      owner[count++] = i;
    }
  }
  const talus_status whole = tl_batch_workers_solve(fleet->context, &fleet->workers, count, problem,
                                                    solution, info, status);
  int refused = 0;
  for (int32_t k = 0; k < count; k++) {
    fleet->copy[owner[k]].info = info[k];
    fleet->copy[owner[k]].solved = status[k];
    refused |= status[k] != TALUS_OK;
  }
  return refused ? TALUS_OK : whole; /* a refused one fails when its step ends */
}

static talus_status rebound(talus_fleet *fleet, int32_t i, tl_copy *copy) {
  TL_TRY(tl_copy_check(fleet, i, copy));
  return tl_copy_rebound(fleet, i, copy);
}

static talus_status end(talus_fleet *fleet, int32_t i, tl_copy *copy) {
  TL_TRY(tl_copy_check(fleet, i, copy));
  return tl_copy_end(fleet, i, copy);
}

/* One step of all that still take part. A status is one of the device or of memory. */
static talus_status step(talus_fleet *fleet, talus_status *first_failure) {
  part_run(fleet, begin, first_failure);
  TL_TRY(accelerate(fleet));
  part_run(fleet, build, first_failure);
  TL_TRY(solve(fleet));
  part_run(fleet, rebound, first_failure);
  TL_TRY(solve(fleet));
  part_run(fleet, end, first_failure);
  return TALUS_OK;
}

talus_status tl_fleet_device_step(talus_fleet *fleet) {
  talus_status first_failure = TALUS_OK;
  for (int32_t s = 0; s < fleet->steps; s++) {
    const talus_status status = step(fleet, &first_failure);
    for (int32_t i = 0; status != TALUS_OK && i < fleet->def.count; i++) {
      if (!fleet->copy[i].failed) {
        tl_copy_undo(fleet, i, &fleet->copy[i]);
      }
    }
    TL_TRY(status);
  }
  return first_failure;
}
