/* test_threads.c: the same bits on 1, 2, 7 and 16 threads, and the same bits as ever.
 *
 * Impulses after a fixed number of iterations are hashed (FNV-1a over their bytes) for every method
 * and precision, both laws in one hash. The hashes below hold for Debug and Release builds and for
 * any instruction set; a change of the arithmetic changes them, and `test_repeat_threads --print`
 * prints the new table. */
#include <string.h>

#include "talus/talus_io.h"
#include "tests/check.h"

enum { PROBLEMS = 3, ITERATIONS = 10 };

static const struct {
  talus_generate_kind kind;
  const char *name;
  int32_t body_count;
} problems[PROBLEMS] = {{TALUS_GENERATE_HEAP, "heap", 600},
                        {TALUS_GENERATE_STACK, "stack", 200},
                        {TALUS_GENERATE_RANDOM, "random", 600}};

/* [problem][method][precision], AUTO left out: it is one of the others. */
static const uint64_t golden[PROBLEMS][TALUS_METHOD_NEWTON - 1][2] = {
    {
        /* heap */
        {UINT64_C(0xEAE455B243A1283E), UINT64_C(0x2B5AE0BBE46BFB9E)},
        {UINT64_C(0x7211AA1D03173778), UINT64_C(0x8BF71E9A960F8F25)},
        {UINT64_C(0x5C2F03166B970E7F), UINT64_C(0x90DC3236FB5E15A7)},
        {UINT64_C(0x0A6095403E805CC1), UINT64_C(0xE0E6B92EEB222398)},
        {UINT64_C(0x57E59C9325D11FDA), UINT64_C(0x8C0A198BEEBD69B1)},
        {UINT64_C(0x72B092E97EEA9365), UINT64_C(0x72B092E97EEA9365)},
    },
    {
        /* stack */
        {UINT64_C(0x2BE792EB76DBEA3D), UINT64_C(0x8B83165889312BA6)},
        {UINT64_C(0x566C39E55A5FBF4E), UINT64_C(0x60C537461EB146C7)},
        {UINT64_C(0xCC03ADA3807E04AB), UINT64_C(0x57F8BAD4D1C571EA)},
        {UINT64_C(0xCD0832CF3E7C57C2), UINT64_C(0x8252CE24C5645DCE)},
        {UINT64_C(0xF977EB44669F703E), UINT64_C(0xFC85EE5AD580FD73)},
        {UINT64_C(0x6BD971518391CDE9), UINT64_C(0x6BD971518391CDE9)},
    },
    {
        /* random */
        {UINT64_C(0xFCA06B3350EA2A05), UINT64_C(0xAE814D3657F68B8F)},
        {UINT64_C(0x1C98E9F68792CD18), UINT64_C(0x79C2FAD03A1572C9)},
        {UINT64_C(0x57CD28696DE0C8DE), UINT64_C(0xDB64A0F758A1226C)},
        {UINT64_C(0xA48410DF1850D323), UINT64_C(0x83F6EE8EDCDB77A6)},
        {UINT64_C(0x38C7D395E716592E), UINT64_C(0x5E976A02751A8A0D)},
        {UINT64_C(0x949FA9CEC8D81F40), UINT64_C(0xDC5C8301C41622A1)},
    },
};

static uint64_t hash_add(uint64_t hash, const void *array, size_t bytes) {
  const unsigned char *byte = array;
  for (size_t i = 0; i < bytes; i++) {
    hash = (hash ^ byte[i]) * UINT64_C(0x100000001B3);
  }
  return hash;
}

/* Impulses, velocities and what was told about them, under both laws. */
static uint64_t hash_of(talus_solver *solver, const talus_problem *problem, talus_method method,
                        talus_precision precision, int32_t threads, double *memory) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  const size_t rows = 3 * (size_t)problem->contact_count;
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    talus_settings settings = talus_settings_default();
    talus_solution solution = talus_solution_default();
    talus_info info = talus_info_default();
    settings.law = (talus_law)law;
    settings.method = method;
    settings.precision = precision;
    settings.tolerance = 1e-300; /* never */
    settings.max_iterations = ITERATIONS;
    settings.threads = threads;
    solution.impulse = memory;
    solution.velocity = memory + rows;
    CHECK(talus_solver_set(solver, &settings) == TALUS_OK);
    CHECK(talus_solver_solve(solver, &solution, &info) == TALUS_OK);
    CHECK(info.outcome == TALUS_OUTCOME_ITERATION_LIMIT && info.iterations == ITERATIONS);
    CHECK(info.threads == threads && info.measure <= 1);
    hash = hash_add(hash, memory, rows * sizeof *memory);
    hash = hash_add(hash, memory + rows, 6 * (size_t)problem->rigid.body_count * sizeof *memory);
    hash = hash_add(hash, &info.passes, sizeof info.passes);
  }
  return hash;
}

static void problem_run(talus_context *context, int i, int print) {
  const int32_t threads[] = {1, 2, 7, 16};
  talus_generate_def def = talus_generate_def_default(problems[i].kind);
  talus_stored *stored = NULL;
  talus_solver *solver = NULL;
  def.body_count = problems[i].body_count;
  CHECK(talus_problem_generate(context, &def, &stored) == TALUS_OK);
  const size_t reals = 3 * (size_t)stored->problem.contact_count + 6 * (size_t)def.body_count;
  double *memory = malloc(reals * sizeof *memory);
  CHECK(memory != NULL);
  for (int method = 1; method < TALUS_METHOD_NEWTON; method++) { /* the first-order ones */
    for (int precision = 0; precision < 2; precision++) {
      uint64_t hash[4];
      CHECK(talus_solver_create(context, NULL, &solver) == TALUS_OK);
      CHECK(talus_solver_update(solver, &stored->problem) == TALUS_OK);
      for (int t = 0; t < 4; t++) {
        hash[t] = hash_of(solver, &stored->problem, (talus_method)method,
                          (talus_precision)precision, threads[t], memory);
        CHECK_CASE(hash[t] == hash[0], "%s, %s, %s: other bits on %d threads", problems[i].name,
                   talus_method_name((talus_method)method),
                   talus_precision_name((talus_precision)precision), threads[t]);
      }
      if (print) {
        printf("%sUINT64_C(0x%016llX)%s", precision == 0 ? "{" : "", (unsigned long long)hash[0],
               precision == 0 ? ", " : "},\n");
      } else {
        CHECK_CASE(hash[0] == golden[i][method - 1][precision],
                   "%s, %s, %s: 0x%016llX is not the hash of old", problems[i].name,
                   talus_method_name((talus_method)method),
                   talus_precision_name((talus_precision)precision), (unsigned long long)hash[0]);
      }
      talus_solver_destroy(solver);
    }
  }
  free(memory);
  talus_stored_destroy(stored);
}

int main(int count, char **arguments) {
  const int print = count > 1 && strcmp(arguments[1], "--print") == 0;
  talus_context_def def = talus_context_def_default();
  talus_context *context;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  for (int i = 0; i < PROBLEMS; i++) {
    if (print) {
      printf("{ /* %s */\n", problems[i].name);
    }
    problem_run(context, i, print);
    if (print) {
      printf("},\n");
    }
  }
  talus_context_destroy(context);
  return check_end();
}
