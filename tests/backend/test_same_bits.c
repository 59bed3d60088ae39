/* test_same_bits.c: every operation of the seam gives the same bits on the CPU, with any number of
 * threads, and on a CUDA device, in both precisions and for every kind of contact.
 *
 * An engine is led through a script of calls; all it answers (states, residuals, impulses, passes,
 * eigenvalues) is written into a log of doubles, and logs are compared bit by bit. The reference is
 * the CPU on one thread. Ends with 77 where there is no device, after the CPU's part. With the
 * argument "quick" the problems are small and the script short: for race
 * checkers and the like. */
#include <string.h>

#include "host/base/base.h"
#include "host/problem/assembly.h"
#include "kernels/backend.h"
#include "tests/backend/cases.h"
#include "tests/check.h"

enum { LOG_CAPACITY = 1 << 18 };

typedef struct answers {
  double value[LOG_CAPACITY];
  int count;
  talus_status status; /* the first failure, if any */
} answers;

static void note(answers *log, double value) {
  if (log->count < LOG_CAPACITY) {
    log->value[log->count] = value;
  }
  log->count++;
}

static void note_state(answers *log, const tl_state *s) {
  const double value[] = {s->lipschitz,    s->theta,          s->beta,          s->step_norm2,
                          s->restart_test, s->curvature,      (double)s->fresh, (double)s->accepted,
                          (double)s->made, (double)s->stopped};
  for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
    note(log, value[i]);
  }
}

/* One call of the engine; after a failure nothing more is asked. */
#define ASK(log, call)               \
  do {                               \
    if ((log)->status == TALUS_OK) { \
      (log)->status = (call);        \
    }                                \
  } while (0)

static void ask_residual(tl_engine *engine, answers *log) {
  double squares[2] = {0, 0};
  int64_t passes = 0;
  ASK(log, engine->ops->residual(engine, squares, &passes));
  note(log, squares[0]);
  note(log, squares[1]);
  note(log, (double)passes);
}

/* The impulses as they are; what was kept before is lost. */
static void ask_impulses(tl_engine *engine, const tl_system *system, answers *log) {
  const int64_t count = 3 * TL_PLACES(&system->shape);
  double *const impulse = calloc((size_t)count + 1, sizeof *impulse);
  ASK(log, engine->ops->keep(engine));
  ASK(log, engine->ops->finish(engine, impulse));
  for (int64_t i = 0; i < count; i++) {
    note(log, impulse[i]);
  }
  free(impulse);
}

static void ask_gradient(tl_engine *engine, const tl_rule *rule, int32_t count, answers *log) {
  tl_state state = {0};
  int64_t passes = 0;
  ASK(log, engine->ops->iterate(engine, TL_ITERATE_GRADIENT, rule, count, &state, &passes));
  note_state(log, &state);
}

static void ask_backtrack(tl_engine *engine, const tl_rule *rule, int32_t count, answers *log) {
  tl_state state = {0};
  int64_t passes = 0;
  ASK(log, engine->ops->iterate(engine, TL_ITERATE_BACKTRACK, rule, count, &state, &passes));
  note_state(log, &state);
}

static void ask_sweep(tl_engine *engine, const tl_rule *rule, int32_t count, answers *log) {
  tl_state state = {0};
  int64_t passes = 0;
  ASK(log, engine->ops->iterate(engine, TL_ITERATE_SWEEP, rule, count, &state, &passes));
  note_state(log, &state);
  note(log, (double)passes);
}

static double ask_lipschitz(tl_engine *engine, int32_t scaled, int32_t count, answers *log) {
  double lambda = -1;
  ASK(log, engine->ops->estimate_lipschitz(engine, scaled, count, &lambda));
  note(log, lambda);
  return lambda;
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* Small impulses, inside the cone or not, to start from. */
static double *guess_make(const tl_system *system) {
  const tl_shape *const shape = &system->shape;
  double *const guess = calloc(3 * (size_t)TL_PLACES(shape) + 1, sizeof *guess);
  uint32_t state = 7;
  for (int32_t r = 0; r < shape->range_count; r++) {
    const tl_range range = shape->range[r];
    for (int32_t k = range.first; k < range.first + range.count; k++) {
      for (int32_t row = 0; row < range.rows; row++) {
        guess[3 * (int64_t)k + row] = 0.05 * (case_random(&state) - 0.3);
      }
    }
  }
  return guess;
}

static void script_gradient(tl_engine *engine, const tl_system *system, answers *log) {
  const tl_rule rules[] = {
      {.step = TL_STEP_FIXED, .momentum = 0, .coulomb = 0, .cap = 0.97, .filter = 0.3},
      {.step = TL_STEP_ADAPT, .momentum = 1, .coulomb = 0, .cap = 0.97, .filter = 0.3},
      {.step = TL_STEP_ADAPT,
       .momentum = 1,
       .coulomb = 1,
       .cap = 0.95,
       .filter = 0.3,
       .yield = 0.1},
      {.step = TL_STEP_SPECTRAL, .momentum = 0, .coulomb = 0, .cap = 0.97, .filter = 0.3},
      {.step = TL_STEP_SPECTRAL, .momentum = 0, .coulomb = 1, .cap = 0.97, .filter = 1},
  };
  double *const guess = guess_make(system);
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    ASK(log, engine->ops->start(engine, TL_START_GIVEN, i % 2 ? guess : NULL, 3));
    ask_residual(engine, log);
    ask_gradient(engine, &rules[i], 1, log);
    ask_gradient(engine, &rules[i], 12, log);
    ask_residual(engine, log);
    ask_gradient(engine, &rules[i], 5, log);
    ask_impulses(engine, system, log);
  }
  free(guess);
}

static void script_backtrack(tl_engine *engine, const tl_system *system, answers *log) {
  double *const guess = guess_make(system);
  for (int32_t coulomb = 0; coulomb < 2; coulomb++) {
    const tl_rule rule = {.momentum = 1, .coulomb = coulomb, .cap = 0.95, .filter = 0.3};
    const double lambda = ask_lipschitz(engine, 0, 5, log);
    ASK(log, engine->ops->start(engine, TL_START_GIVEN, coulomb ? guess : NULL,
                                lambda > 0 ? 0.3 * lambda : 1));
    ask_backtrack(engine, &rule, 1, log);
    ask_backtrack(engine, &rule, 14, log);
    ask_residual(engine, log);
    ask_backtrack(engine, &rule, 3, log);
    ask_impulses(engine, system, log);
  }
  free(guess);
}

static void script_sweep(tl_engine *engine, const tl_system *system, answers *log) {
  double *const guess = guess_make(system);
  for (int i = 0; i < 4; i++) {
    const tl_rule rule = {
        .momentum = i & 1, .coulomb = i >> 1, .rebuild = 5, .cap = 0.9, .filter = 0.3};
    ASK(log, engine->ops->start(engine, TL_START_GIVEN, i == 3 ? guess : NULL, 1));
    ask_sweep(engine, &rule, 1, log);
    ask_sweep(engine, &rule, 3, log);
    ask_residual(engine, log);
    ask_sweep(engine, &rule, 12, log);
    ask_residual(engine, log);
    ask_impulses(engine, system, log);
  }
  free(guess);
}

/* Iterations that end at a look: when the step has become ten times smaller, at once since nothing
 * is known of R, never. */
static void script_look(tl_engine *engine, const tl_system *system, answers *log) {
  tl_rule rule = {.step = TL_STEP_ADAPT, .momentum = 1, .rebuild = 7, .cap = 0.9, .filter = 0.3};
  tl_state state = {0};
  int64_t passes = 0;
  rule.sweeps = system->colour_group != NULL;
  const tl_iteration kinds[] = {TL_ITERATE_GRADIENT, TL_ITERATE_BACKTRACK, TL_ITERATE_SWEEP};
  for (int i = rule.sweeps ? 2 : 0; i < (rule.sweeps ? 3 : 2); i++) {
    rule.look = 0;
    ASK(log, engine->ops->start(engine, TL_START_GIVEN, NULL, 3));
    ASK(log, engine->ops->iterate(engine, kinds[i], &rule, 2, &state, &passes));
    rule.look = 5;
    rule.ratio = 1;
    rule.enough = 0.1 * tl_state_size(&state, rule.sweeps);
    ASK(log, engine->ops->iterate(engine, kinds[i], &rule, 50, &state, &passes));
    note_state(log, &state);
    ask_residual(engine, log);
    rule.ratio = 0;
    ASK(log, engine->ops->iterate(engine, kinds[i], &rule, 33, &state, &passes));
    note_state(log, &state);
    rule.ratio = 1;
    rule.enough = 0;
    ASK(log, engine->ops->iterate(engine, kinds[i], &rule, 13, &state, &passes));
    note_state(log, &state);
    note(log, (double)passes);
    ask_impulses(engine, system, log);
  }
}

/* What a solver might do that changes its mind. */
static void script_mixed(tl_engine *engine, const tl_system *system, answers *log) {
  const tl_rule gradient = {
      .step = TL_STEP_ADAPT, .momentum = 1, .coulomb = 1, .cap = 0.95, .filter = 0.3};
  const tl_rule sweep = {.momentum = 1, .coulomb = 1, .rebuild = 20, .cap = 0.9, .filter = 0.3};
  ASK(log, engine->ops->start(engine, TL_START_GIVEN, NULL, 3));
  ask_gradient(engine, &gradient, 7, log);
  ASK(log, engine->ops->keep(engine));
  if (system->colour_group != NULL) {
    ask_sweep(engine, &sweep, 5, log);
    if (system->shape.range[0].kind == TL_MATRIX) {
      ask_residual(engine, log);
      ASK(log, engine->ops->start(engine, TL_START_KEPT, NULL, 2));
    }
    ask_gradient(engine, &gradient, 4, log);
    ask_sweep(engine, &sweep, 2, log);
  }
  ask_residual(engine, log);
  ASK(log, engine->ops->start(engine, TL_START_KEPT, NULL, 2.5));
  ask_residual(engine, log);
  ask_lipschitz(engine, 1, 6, log);
  ask_gradient(engine, &gradient, 3, log);
  ask_backtrack(engine, &gradient, 5, log);
  ask_residual(engine, log);
  ask_gradient(engine, &gradient, 0, log);
  ask_lipschitz(engine, 1, 0, log);
  ask_residual(engine, log);
  ask_impulses(engine, system, log);
}

static void script_all(tl_engine *engine, const tl_system *system, int32_t threads, int quick,
                       answers *log) {
  ASK(log, engine->ops->upload(engine, system, NULL, threads));
  if (quick) {
    script_mixed(engine, system, log);
    return;
  }
  if (system->colour_group != NULL) {
    script_sweep(engine, system, log);
  } else {
    script_gradient(engine, system, log);
    script_backtrack(engine, system, log);
  }
  script_look(engine, system, log);
  script_mixed(engine, system, log);
}

/* More than 256 partial sums: the second level of the tree has more than one element per leaf. */
static void script_large(tl_engine *engine, const tl_system *system, int32_t threads,
                         answers *log) {
  const tl_rule rule = {
      .step = TL_STEP_ADAPT, .momentum = 1, .coulomb = 1, .cap = 0.95, .filter = 0.3};
  ASK(log, engine->ops->upload(engine, system, NULL, threads));
  ASK(log, engine->ops->start(engine, TL_START_GIVEN, NULL, 3));
  ask_gradient(engine, &rule, 3, log);
  ask_residual(engine, log);
  ask_impulses(engine, system, log);
}

/* ---- comparison ------------------------------------------------------------------------------ */

/* Where the logs part; -1 if they do not. */
static int difference(const answers *a, const answers *b) {
  const int count = a->count < b->count ? a->count : b->count;
  for (int i = 0; i < count; i++) {
    if (memcmp(&a->value[i], &b->value[i], sizeof(double)) != 0) {
      return i;
    }
  }
  return a->count == b->count ? -1 : count;
}

static void compare(const answers *reference, const answers *log, const char *what,
                    const char *who) {
  CHECK_CASE(log->status == TALUS_OK, "%s, %s: %s", what, who, talus_status_name(log->status));
  CHECK_CASE(log->count <= LOG_CAPACITY, "%s: log of %d", what, log->count);
  const int at = difference(reference, log);
  CHECK_CASE(at < 0, "%s, %s: answer %d of %d is %a, not %a", what, who, at, log->count,
             log->value[at < 0 ? 0 : at], reference->value[at < 0 ? 0 : at]);
}

/* Numbers that are all zero or not finite would compare well and prove nothing. */
static void check_worth(const answers *log, const tl_system *system, const char *what) {
  int moving = 0, strange = 0;
  for (int i = 0; i < log->count; i++) {
    moving += log->value[i] != 0;
    strange += !isfinite(log->value[i]);
  }
  CHECK_CASE(strange == 0, "%s: %d of %d answers are not finite", what, strange, log->count);
  CHECK_CASE(system->shape.contact_count == 0 || moving > log->count / 8, "%s: %d of %d are not 0",
             what, moving, log->count);
}

static tl_engine *engine_make(talus_context *context, talus_precision precision) {
  tl_engine *engine = NULL;
  const talus_status status = context->backend->create(context, precision, &engine);
  CHECK_CASE(status == TALUS_OK, "%s", talus_context_message(context));
  return engine;
}

static answers reference, other;

static void clear(answers *log) {
  log->count = 0;
  log->status = TALUS_OK;
}

/* One system through all engines of one precision; engines are kept from case to case, so that
 * their memory is used again for problems of other sizes and kinds. */
static void compare_all(tl_engine *cpu, tl_engine *cuda, const tl_system *system, int32_t threads,
                        int quick, const char *what) {
  clear(&reference);
  script_all(cpu, system, 1, quick, &reference);
  compare(&reference, &reference, what, "cpu");
  check_worth(&reference, system, what);
  char who[32];
  snprintf(who, sizeof who, "%d threads", (int)threads);
  clear(&other);
  script_all(cpu, system, threads, quick, &other);
  compare(&reference, &other, what, who);
  for (int again = 0; again < 2 && cuda != NULL; again++) { /* the second time graphs are at hand */
    clear(&other);
    script_all(cuda, system, 1, quick, &other);
    compare(&reference, &other, what, again ? "cuda again" : "cuda");
  }
}

static void test_precision(talus_context *cpu, talus_context *cuda, talus_precision precision,
                           int quick) {
  tl_engine *const on_cpu = engine_make(cpu, precision);
  tl_engine *const on_cuda = cuda != NULL ? engine_make(cuda, precision) : NULL;
  /* crowds of threads on few cores are slow: one number of threads for each case */
  const int32_t sizes[] = {150, 40, 330}, threads[] = {2, 16, 7, 2, 7};
  for (int i = 0; i < CASE_COUNT * 2; i++) {
    const case_kind kind = (case_kind)(i / 2);
    const int coloured = i % 2;
    test_case test;
    tl_assembly assembly;
    char what[96];
    memset(&assembly, 0, sizeof assembly);
    case_make(&test, kind, quick ? 30 : sizes[i % 3], (uint32_t)i + 1);
    snprintf(what, sizeof what, "%s%s in %s", case_name(kind), coloured ? ", coloured," : "",
             precision == TALUS_F32 ? "f32" : "f64");
    const talus_status status = tl_system_build(cpu, &test.problem, coloured, &assembly);
    CHECK_CASE(status == TALUS_OK, "%s: %s", what, talus_context_message(cpu));
    if (status == TALUS_OK && on_cpu != NULL) {
      compare_all(on_cpu, on_cuda, &assembly.system, threads[i % 5], quick, what);
    }
    if (on_cuda != NULL) {
      CHECK(on_cuda->bytes > 0);
    }
    tl_assembly_release(cpu, &assembly);
    case_release(&test);
  }
  if (on_cuda != NULL) {
    on_cuda->ops->destroy(on_cuda);
  }
  if (on_cpu != NULL) {
    on_cpu->ops->destroy(on_cpu);
  }
}

static void test_large(talus_context *cpu, talus_context *cuda) {
  tl_engine *const on_cpu = engine_make(cpu, TALUS_F32);
  tl_engine *const on_cuda = cuda != NULL ? engine_make(cuda, TALUS_F32) : NULL;
  test_case test;
  tl_assembly assembly;
  memset(&assembly, 0, sizeof assembly);
  case_make(&test, CASE_SPHERES, 33000, 5);
  CHECK(tl_system_build(cpu, &test.problem, 0, &assembly) == TALUS_OK);
  CHECK(assembly.system.shape.chunk_count > 256);
  clear(&reference);
  script_large(on_cpu, &assembly.system, 1, &reference);
  compare(&reference, &reference, "many chunks", "cpu");
  check_worth(&reference, &assembly.system, "many chunks");
  clear(&other);
  script_large(on_cpu, &assembly.system, 7, &other);
  compare(&reference, &other, "many chunks", "7 threads");
  on_cpu->ops->destroy(on_cpu);
  if (on_cuda != NULL) {
    clear(&other);
    script_large(on_cuda, &assembly.system, 1, &other);
    compare(&reference, &other, "many chunks", "cuda");
    on_cuda->ops->destroy(on_cuda);
  }
  tl_assembly_release(cpu, &assembly);
  case_release(&test);
}

int main(int count, char **argument) {
  const int quick = count > 1 && strcmp(argument[1], "quick") == 0;
  talus_context_def def = talus_context_def_default();
  talus_context *cpu = NULL, *cuda = NULL;
  def.backend = TALUS_BACKEND_CPU;
  if (!CHECK(talus_context_create(&def, &cpu) == TALUS_OK)) {
    return check_end();
  }
  def.backend = TALUS_BACKEND_CUDA;
  const talus_status status = talus_context_create(&def, &cuda);
  const int absent = status == TALUS_BACKEND_ABSENT || status == TALUS_DEVICE_ABSENT;
  CHECK_CASE(status == TALUS_OK || absent, "%s", talus_status_name(status));
  talus_context *const usable = status == TALUS_OK ? cuda : NULL;
  test_precision(cpu, usable, TALUS_F64, quick);
  test_precision(cpu, usable, TALUS_F32, quick);
  if (!quick) {
    test_large(cpu, usable);
  }
  if (usable != NULL) {
    CHECK(cuda->message[0] == 0);
  }
  talus_context_destroy(cuda);
  talus_context_destroy(cpu);
  const int end = check_end();
  return end == EXIT_SUCCESS && absent ? CHECK_SKIPPED : end;
}
