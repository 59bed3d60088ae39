/* test_device_errors.c: what goes wrong on a device becomes a status with words, leaks nothing, and
 * does not crash.
 *
 * Failures are injected from outside, by environment variables of the emulations of CUDA (EMU_ of
 * tests/emu; PTXRUN_ of another one). They are read once, so the program runs itself again as a
 * child for every case. On a genuine device nothing can be injected: that part ends with 77.
 *
 * A child leads two engines through the whole seam and ends with one of the codes below. */
#define _POSIX_C_SOURCE 200809L
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/base/base.h"
#include "host/problem/assembly.h"
#include "kernels/backend.h"
#include "tests/backend/cases.h"
#include "tests/check.h"

extern char **environ;

enum {
  ALL_WELL = 0,
  CHECK_BROKEN = 1,
  NO_MEMORY = 40, /* OUT_OF_MEMORY, told properly; the same calls went well afterwards */
  NO_MEMORY_AT_ALL,
  DEVICE_FAILED, /* DEVICE_ERROR, told properly, and by every later call */
  NO_DEVICE
};

/* ---- the child ------------------------------------------------------------------------------- */

static talus_status engine_lead(tl_engine *engine, const tl_system *system, double *impulse) {
  const tl_rule rule = {
      .step = TL_STEP_ADAPT, .momentum = 1, .coulomb = 1, .rebuild = 2, .cap = 0.9, .filter = 0.3};
  tl_state state;
  int64_t passes = 0;
  double squares[2], lambda;
  TL_TRY(engine->ops->upload(engine, system, NULL, 1));
  TL_TRY(engine->ops->start(engine, TL_START_GIVEN, NULL, 3));
  TL_TRY(engine->ops->iterate(engine, TL_ITERATE_GRADIENT, &rule, 13, &state, &passes));
  TL_TRY(engine->ops->keep(engine));
  TL_TRY(engine->ops->iterate(engine, TL_ITERATE_SWEEP, &rule, 5, &state, &passes));
  TL_TRY(engine->ops->residual(engine, squares, &passes));
  TL_TRY(engine->ops->start(engine, TL_START_KEPT, NULL, 3));
  TL_TRY(engine->ops->estimate_lipschitz(engine, 1, 3, &lambda));
  TL_TRY(engine->ops->iterate(engine, TL_ITERATE_BACKTRACK, &rule, 3, &state, &passes));
  return engine->ops->finish(engine, impulse);
}

typedef struct scene {
  talus_context *cpu; /* builds the systems */
  test_case test[2];
  tl_assembly assembly[2];
  double *impulse;
} scene;

static void scene_make(scene *s) {
  const case_kind kinds[2] = {CASE_SPHERES_ROWS, CASE_BLOCKS};
  talus_context_def def = talus_context_def_default();
  def.backend = TALUS_BACKEND_CPU;
  memset(s, 0, sizeof *s);
  CHECK(talus_context_create(&def, &s->cpu) == TALUS_OK);
  for (int i = 0; i < 2; i++) {
    case_make(&s->test[i], kinds[i], 12 + 40 * i, 3);
    CHECK(tl_system_build(s->cpu, &s->test[i].problem, 1, &s->assembly[i]) == TALUS_OK);
  }
  s->impulse = calloc(3 * 2000, sizeof *s->impulse);
}

static void scene_release(scene *s) {
  for (int i = 0; i < 2; i++) {
    tl_assembly_release(s->cpu, &s->assembly[i]);
    case_release(&s->test[i]);
  }
  free(s->impulse);
  talus_context_destroy(s->cpu);
}

/* Both systems on both precisions, the larger one last, so that memory has to grow. */
static talus_status context_lead(talus_context *context, const scene *s) {
  for (int precision = 0; precision < 2; precision++) {
    tl_engine *engine = NULL;
    TL_TRY(context->backend->create(context, (talus_precision)precision, &engine));
    talus_status status = engine_lead(engine, &s->assembly[0].system, s->impulse);
    if (status == TALUS_OK) {
      status = engine_lead(engine, &s->assembly[1].system, s->impulse);
    }
    engine->ops->destroy(engine);
    TL_TRY(status);
  }
  return TALUS_OK;
}

/* Everything once, in a context of its own; the message is left in `message`. */
static talus_status whole_run(const scene *s, char *message, size_t capacity, int retry,
                              talus_status *second) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.backend = TALUS_BACKEND_CUDA;
  talus_status status = talus_context_create(&def, &context);
  *second = status;
  if (status == TALUS_OK) {
    const int64_t before = context->bytes;
    status = *second = context_lead(context, s);
    snprintf(message, capacity, "%s", talus_context_message(context));
    if (status != TALUS_OK && retry) {
      *second = context_lead(context, s);
    }
    CHECK_CASE(context->bytes == before, "%lld bytes of the host are not given back",
               (long long)(context->bytes - before));
  } else if (context != NULL) {
    snprintf(message, capacity, "%s", talus_context_message(context));
  }
  talus_context_destroy(context);
  return status;
}

static int child_code(talus_status status, talus_status second, const char *message) {
  if (status == TALUS_OK) {
    return ALL_WELL;
  }
  CHECK_CASE(strlen(message) > 10, "%s without a word", talus_status_name(status));
  printf("  %s: %s\n", talus_status_name(status), message);
  switch (status) {
  case TALUS_OUT_OF_MEMORY:
    return second == TALUS_OK ? NO_MEMORY : NO_MEMORY_AT_ALL;
  case TALUS_DEVICE_ERROR:
    CHECK(strstr(message, " in ") != NULL);
    CHECK(second == TALUS_DEVICE_ERROR); /* it sticks */
    return DEVICE_FAILED;
  case TALUS_DEVICE_ABSENT:
    CHECK(strstr(message, "CUDA device") != NULL);
    return NO_DEVICE;
  default:
    CHECK(status == TALUS_OK);
    return CHECK_BROKEN;
  }
}

static int child(int repeats) {
  scene s;
  char message[600] = "";
  talus_status second = TALUS_OK;
  scene_make(&s);
  int code = ALL_WELL;
  for (int i = 0; i < repeats && code == ALL_WELL; i++) {
    const talus_status status = whole_run(&s, message, sizeof message, 1, &second);
    code = child_code(status, second, message);
    if (code == NO_MEMORY_AT_ALL) { /* a context that could not be made: try another one */
      code = whole_run(&s, message, sizeof message, 0, &second) == TALUS_OK ? NO_MEMORY : code;
    }
  }
  scene_release(&s);
  return check_failed > 0 ? CHECK_BROKEN : code;
}

/* ---- the parent ------------------------------------------------------------------------------ */

/* Runs this program as a child with NAME=value for every emulation. */
static int run(char *program, char *mode, const char *name, const char *value) {
  char *argument[] = {program, mode, NULL};
  char key[2][64];
  snprintf(key[0], sizeof key[0], "EMU_%s", name);
  snprintf(key[1], sizeof key[1], "PTXRUN_%s", name);
  for (int i = 0; i < 2; i++) {
    setenv(key[i], value, 1);
  }
  fflush(stdout);
  pid_t pid;
  int state = 0;
  const int failed = posix_spawn(&pid, program, NULL, NULL, argument, environ);
  for (int i = 0; i < 2; i++) {
    unsetenv(key[i]);
  }
  if (failed != 0 || waitpid(pid, &state, 0) != pid || !WIFEXITED(state)) {
    return -1;
  }
  return WEXITSTATUS(state);
}

static int run_number(char *program, const char *name, int number) {
  char value[16];
  snprintf(value, sizeof value, "%d", number);
  return run(program, (char *)"once", name, value);
}

/* The first, then every step-th call fails until none is left that could; a failure may be made up
 * for (a buffer grows by less), but less than `most` times in a row. Returns how many were told. */
static int fail_each(char *program, const char *name, int step, int most, int expected) {
  int failures = 0, quiet = 0;
  for (int number = 1; number < 400 && quiet < most; number += step) {
    const int code = run_number(program, name, number);
    CHECK_CASE(code == expected || code == ALL_WELL, "%s=%d: the child ended with %d", name, number,
               code);
    failures += code == expected;
    quiet = code == ALL_WELL ? quiet + 1 : 0;
  }
  return failures;
}

/* Which emulation runs this program: only they know how to fail. */
static int can_inject(char *program) {
  return run_number(program, "FAIL_ALLOC", 1) != ALL_WELL;
}

static int parent(char *program) {
  const int plain = run(program, (char *)"once", "UNUSED", "0");
  if (plain == NO_DEVICE) {
    printf("no device\n");
    return CHECK_SKIPPED;
  }
  CHECK(plain == ALL_WELL);
  if (!can_inject(program)) {
    printf("a genuine device: failures cannot be injected\n");
    return check_failed > 0 ? check_end() : CHECK_SKIPPED;
  }
  /* staging, results, five buffers and their growth */
  const int allocations = fail_each(program, "FAIL_ALLOC", 1, 6, NO_MEMORY);
  CHECK_CASE(allocations > 10, "%d allocations failed", allocations);
  /* the first kernels one by one, then here and there, direct or in a graph */
  for (int number = 1; number < 12; number++) {
    const int code = run_number(program, "FAIL_LAUNCH", number);
    CHECK_CASE(code == DEVICE_FAILED, "launch %d: the child ended with %d", number, code);
  }
  const int launches = fail_each(program, "FAIL_LAUNCH", 37, 1, DEVICE_FAILED);
  CHECK_CASE(launches > 2, "%d launches failed", launches);
  /* no memory ever again */
  CHECK(run(program, (char *)"once", "FAIL_ALLOC", "3+") == NO_MEMORY_AT_ALL);
  CHECK(run(program, (char *)"once", "FAIL_ALLOC", "9+") == NO_MEMORY_AT_ALL);
  /* memory for one, not for eight that were not given back */
  CHECK(run(program, (char *)"often", "MEMORY", "300K") == ALL_WELL);
  /* only tests/emu can take the device away, or break it off in mid-work */
  if (run(program, (char *)"once", "DEVICES", "0") != ALL_WELL) {
    CHECK(run(program, (char *)"once", "DEVICES", "0") == NO_DEVICE);
    for (int number = 1; number < 200; number += 19) {
      const int code = run_number(program, "FAIL_RUN", number);
      CHECK_CASE(code == DEVICE_FAILED, "run %d: the child ended with %d", number, code);
    }
  }
  return check_end();
}

int main(int count, char **argument) {
  if (count > 1) {
    return child(strcmp(argument[1], "often") == 0 ? 8 : 1);
  }
  char program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (!CHECK(length > 0)) {
    return check_end();
  }
  program[length] = 0;
  return parent(program);
}
