/* test_units.c: the same heap in other units takes the same iterations and reaches the same
 * epsilon.
 *
 * Lengths, masses and times are multiplied by factors that are no powers of two, so that every
 * number is rounded anew. Grains of a micrometre in SI are the same heap once more, at the edge of
 * what single precision can hold. */
#include <string.h>

#include "talus/talus_io.h"
#include "tests/check.h"

typedef struct units {
  const char *name;
  double length, mass, time; /* one old unit in new ones */
} units;

/* Arrays of a rigid problem that can be written to. */
typedef struct copy {
  talus_problem problem;
  double *memory;
} copy;

static copy units_change(const talus_problem *problem, const units *to) {
  copy c = {.problem = *problem};
  talus_rigid *const r = &c.problem.rigid;
  const size_t bodies = (size_t)r->body_count, contacts = (size_t)problem->contact_count;
  const int spheres = r->reach_a != NULL;
  const size_t arms = (spheres ? 1 : 3) * contacts;
  c.memory = malloc((13 * bodies + contacts + 2 * arms) * sizeof *c.memory);
  double *const velocity = c.memory, *const mass = velocity + 6 * bodies;
  double *const inertia = mass + bodies, *const bias = inertia + 6 * bodies;
  double *const arm_a = bias + contacts, *const arm_b = arm_a + arms;
  const double speed = to->length / to->time;
  for (size_t i = 0; i < 6 * bodies; i++) {
    velocity[i] = r->velocity[i] * (i % 6 < 3 ? speed : 1 / to->time);
    inertia[i] = r->inverse_inertia[i] / (to->mass * to->length * to->length);
  }
  for (size_t i = 0; i < bodies; i++) {
    mass[i] = r->inverse_mass[i] / to->mass;
  }
  for (size_t k = 0; k < contacts; k++) {
    bias[k] = (r->bias != NULL ? r->bias[k] : 0) * speed;
  }
  for (size_t k = 0; k < arms; k++) {
    arm_a[k] = (spheres ? r->reach_a : r->arm_a)[k] * to->length;
    arm_b[k] = (spheres ? r->reach_b : r->arm_b)[k] * to->length;
  }
  r->velocity = velocity;
  r->inverse_mass = mass;
  r->inverse_inertia = inertia;
  r->bias = bias;
  r->reach_a = spheres ? arm_a : NULL;
  r->reach_b = spheres ? arm_b : NULL;
  r->arm_a = spheres ? NULL : arm_a;
  r->arm_b = spheres ? NULL : arm_b;
  return c;
}

static talus_info solve(talus_context *context, const talus_problem *problem,
                        const talus_settings *settings) {
  talus_info info = talus_info_default();
  CHECK(talus_solve_once(context, problem, settings, NULL, &info) == TALUS_OK);
  return info;
}

static void compare(talus_context *context, const talus_problem *problem,
                    const talus_settings *settings, const units *to, double allowed) {
  const talus_info before = solve(context, problem, settings);
  copy c = units_change(problem, to);
  const talus_info after = solve(context, &c.problem, settings);
  char what[160];
  snprintf(what, sizeof what, "%s, %s, %s, %s: %lld and %lld iterations, %.12g and %.12g", to->name,
           talus_law_name(settings->law), talus_method_name(settings->method),
           talus_precision_name(settings->precision), (long long)before.iterations,
           (long long)after.iterations, before.measure, after.measure);
  CHECK_CASE(before.outcome == TALUS_OUTCOME_CONVERGED && after.outcome == before.outcome,
             "%s: %s, %s", what, talus_outcome_name(before.outcome),
             talus_outcome_name(after.outcome));
  CHECK_CASE(after.iterations == before.iterations, "%s", what);
  CHECK_CASE(fabs(after.measure - before.measure) <= allowed, "%s", what);
  CHECK_CASE(fabs(after.certificate.epsilon_ccp - before.certificate.epsilon_ccp) <= allowed, "%s",
             what);
  free(c.memory);
}

/* Factors that are no powers of two round every number anew. The spectral method and the
 * interior point on the exact law amplify that, and so does single precision: they are compared in
 * powers of two alone. */
static void test_decimal(talus_context *context, const talus_problem *problem) {
  const units systems[] = {{"mm g ms", 1e3, 1e3, 1e3},
                           {"mm g s", 1e3, 1e3, 1},
                           {"km t h", 1e-3, 1e-3, 1 / 3600.0},
                           {"um ug us", 1e6, 1e9, 1e6}};
  for (int method = 0; method < ANY_SIZE_COUNT; method++) {
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
      talus_settings settings = talus_settings_default();
      settings.method = (talus_method)method;
      settings.tolerance = 1e-2;
      if (method == TALUS_METHOD_SPECTRAL || method == TALUS_METHOD_INTERIOR_POINT) {
        continue;
      }
      settings.law = TALUS_LAW_CCP;
      compare(context, problem, &settings, &systems[i], 1e-9);
      settings.law = TALUS_LAW_COULOMB;
      compare(context, problem, &settings, &systems[i], 1e-9);
    }
  }
}

/* Powers of two round nothing: every bit stays, unless a number leaves its range. The last system
 * is that of grains of about a micrometre in SI. */
static void test_binary(talus_context *context, const talus_problem *problem) {
  const units systems[] = {{"2^10 each", 0x1p10, 0x1p10, 0x1p10},
                           {"small and slow", 0x1p-10, 0x1p-20, 0x1p6},
                           {"grains of 1 um", 0x1p-16, 0x1p-48, 0x1p-8}};
  for (int method = 0; method < ANY_SIZE_COUNT; method++) {
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
      for (int law = 0; law < TALUS_LAW_COUNT; law++) {
        talus_settings settings = talus_settings_default();
        settings.method = (talus_method)method;
        settings.law = (talus_law)law;
        settings.tolerance = 1e-2;
        compare(context, problem, &settings, &systems[i], 0);
        if (method < TALUS_METHOD_NEWTON) { /* the others have no single precision */
          settings.precision = TALUS_F32;
          compare(context, problem, &settings, &systems[i], 0);
        }
      }
    }
  }
}

int main(void) {
  talus_context_def def = talus_context_def_default();
  talus_context *context;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  for (int kind = TALUS_GENERATE_HEAP; kind <= TALUS_GENERATE_RANDOM; kind++) {
    talus_generate_def generate = talus_generate_def_default((talus_generate_kind)kind);
    talus_stored *stored;
    generate.body_count = kind == TALUS_GENERATE_STACK ? 16 : 60;
    CHECK(talus_problem_generate(context, &generate, &stored) == TALUS_OK);
    test_decimal(context, &stored->problem);
    test_binary(context, &stored->problem);
    talus_stored_destroy(stored);
  }
  talus_context_destroy(context);
  return check_end();
}
