/* dump.c: problems that went badly, or all of them, into files that `talus solve` replays.
 *
 * Goes through the public door of problem files. Nothing here fails a solve: what cannot be written
 * is logged, and the solver's message stays what it was. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/solve/solver.h"
#include "talus/talus_io.h"

enum { ENDING = 32, NUMBERS = 1000000 }; /* room for a number and the rest of a name */

talus_status tl_dump_set(talus_solver *solver) {
  talus_settings *const s = &solver->settings;
  const char *const path = s->dump_path;
  s->dump_path = NULL; /* the caller's may be gone by the time it is needed */
  if (s->dump == TALUS_DUMP_NONE) {
    return TALUS_OK;
  }
  const size_t length = strlen(path) + 1;
  if (solver->dump.path.memory != NULL && strcmp(solver->dump.path.memory, path) == 0) {
    s->dump_path = solver->dump.path.memory; /* other settings changed: the count goes on */
    return TALUS_OK;
  }
  solver->dump.worst = -1;
  solver->dump.written = solver->dump.next = 0;
  const talus_status status = tl_buffer_reserve(solver->context, &solver->dump.path,
                                                2 * length + ENDING, 1, "settings.dump_path");
  if (status != TALUS_OK) {
    s->dump = TALUS_DUMP_NONE;
    return status;
  }
  memcpy(solver->dump.path.memory, path, length);
  s->dump_path = solver->dump.path.memory;
  return TALUS_OK;
}

void tl_dump_release(talus_solver *solver) {
  tl_buffer_release(solver->context, &solver->dump.path);
}

/* The name of the next file, behind the path in the same memory; NULL if all are taken. */
static const char *name_next(talus_solver *solver) {
  const char *const path = solver->settings.dump_path;
  const size_t length = strlen(path) + 1;
  char *const name = (char *)solver->dump.path.memory + length;
  if (solver->settings.dump == TALUS_DUMP_WORST) {
    snprintf(name, length + ENDING, "%s-worst.hdf5", path);
    return name;
  }
  while (++solver->dump.next < NUMBERS) {
    snprintf(name, length + ENDING, "%s-%06d.hdf5", path, (int)solver->dump.next);
    if (access(name, F_OK) != 0) {
      return name;
    }
  }
  return NULL;
}

static bool is_wanted(const talus_solver *solver, talus_outcome outcome, double measure) {
  switch (solver->settings.dump) {
  case TALUS_DUMP_WORST: /* one file, however often it is replaced */
    return measure > solver->dump.worst;
  case TALUS_DUMP_FAILED:
    return outcome != TALUS_OUTCOME_CONVERGED && outcome != TALUS_OUTCOME_UNCHECKED &&
           solver->dump.written < solver->settings.dump_most;
  case TALUS_DUMP_EVERY:
    return solver->dump.written < solver->settings.dump_most;
  default:
    return false;
  }
}

void tl_dump_consider(talus_solver *solver, talus_outcome outcome, double measure) {
  talus_context *const context = solver->context;
  if (solver->settings.dump == TALUS_DUMP_NONE || !is_wanted(solver, outcome, measure)) {
    return;
  }
  char message[sizeof context->message];
  memcpy(message, context->message, sizeof message);
  const char *const name = name_next(solver);
  const talus_status status = name != NULL
                                  ? talus_problem_write(context, name, &solver->problem, NULL)
                                  : tl_fail(context, TALUS_FILE_WRITE, "all numbers are taken");
  if (status == TALUS_OK) {
    solver->dump.written++;
    solver->dump.worst = solver->settings.dump == TALUS_DUMP_WORST ? measure : solver->dump.worst;
    tl_log(context, TALUS_LOG_INFO, "the problem was written to %s (%s, %.3g)", name,
           talus_outcome_name(outcome), measure);
    if (solver->dump.written == solver->settings.dump_most &&
        solver->settings.dump != TALUS_DUMP_WORST) {
      tl_log(context, TALUS_LOG_WARNING,
             "%d problems were written (settings.dump_most): no more will be",
             (int)solver->dump.written);
    }
  } else {
    tl_log(context, TALUS_LOG_WARNING, "the problem could not be written: %s", context->message);
  }
  memcpy(context->message, message, sizeof message);
}
