/* test_fleet.c: mechanisms by divide and conquer, many at once, have the same bits on the CPU, on a
 * CUDA device and as the calls for one of them: accelerations, responses of points, and whole steps
 * of a fleet with contacts, friction and rebounds. Another algorithm (articulated bodies) has the
 * same accelerations but for rounding. Ends with 77 where there is no device, after the CPU's
 * part. */
#include <string.h>

#include "tests/check.h"
#include "tests/pendulums.h"

enum { TREES = 12, LINKS = 24, V_MOST = 6 * LINKS, POINTS = 2, M = 3 * POINTS };

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

/* A tree of all joints; every third is like the one before it. */
static talus_mechanism *tree_make(talus_context *context, int index) {
  talus_link_def link[LINKS];
  uint64_t seed = (uint64_t)(index - (index % 3 == 2)) + 7;
  const int32_t links = 1 + (int32_t)((uniform(&seed) + 1) / 2 * (LINKS - 1));
  for (int32_t i = 0; i < links; i++) {
    link[i] = talus_link_def_default((talus_link_kind)((uniform(&seed) + 1) * 2.999));
    link[i].parent = (int32_t)((uniform(&seed) + 1) / 2 * (i + 1)) - 1;
    for (int k = 0; k < 3; k++) {
      link[i].position[k] = uniform(&seed);
      link[i].centre[k] = 0.5 * uniform(&seed);
      link[i].axis[k] = uniform(&seed);
      link[i].axis2[k] = uniform(&seed);
    }
    link[i].mass = 1.5 + uniform(&seed);
    link[i].damping = 0.1;
  }
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link_count = links;
  def.link = link;
  talus_mechanism *mechanism = NULL;
  CHECK_CASE(talus_mechanism_create(context, &def, &mechanism) == TALUS_OK, "%s",
             talus_context_message(context));
  double v[V_MOST];
  seed = (uint64_t)index;
  for (int32_t i = 0; i < V_MOST; i++) {
    v[i] = uniform(&seed);
  }
  CHECK(talus_mechanism_set(mechanism, NULL, v) == TALUS_OK);
  CHECK(talus_mechanism_step(mechanism, TALUS_SCHEME_EXPLICIT_EULER, 0.7) == TALUS_OK);
  return mechanism;
}

typedef struct answers {
  double acceleration[TREES][V_MOST], response[TREES][M * M], free[TREES][M];
} answers;

static void points_make(talus_mechanism *const *mechanism, talus_link_point point[TREES][POINTS]) {
  for (int i = 0; i < TREES; i++) {
    for (int k = 0; k < POINTS; k++) {
      point[i][k] = (talus_link_point){k * (talus_mechanism_link_count(mechanism[i]) - 1),
                                       {0.1 * i, 0.3, -0.2 * k}};
    }
  }
}

/* By the calls for many, or one by one. */
static void trees_answer(talus_context *context, talus_dynamics dynamics, int alone, answers *a) {
  talus_mechanism *mechanism[TREES];
  talus_link_point point[TREES][POINTS];
  const talus_link_point *points[TREES];
  double *acceleration[TREES], *response[TREES], *free[TREES];
  int32_t count[TREES];
  memset(a, 0, sizeof *a);
  for (int i = 0; i < TREES; i++) {
    mechanism[i] = tree_make(context, i);
    points[i] = point[i];
    acceleration[i] = a->acceleration[i];
    response[i] = a->response[i];
    free[i] = a->free[i];
    count[i] = i % 4 == 3 ? 0 : POINTS;
  }
  points_make(mechanism, point);
  for (int i = 0; alone && i < TREES; i++) {
    CHECK(talus_mechanism_accelerate(mechanism[i], dynamics, acceleration[i]) == TALUS_OK);
    CHECK(talus_mechanism_response(mechanism[i], dynamics, point[i], count[i], response[i],
                                   free[i]) == TALUS_OK);
  }
  if (!alone) {
    CHECK_CASE(talus_mechanism_accelerate_batch(context, dynamics, TREES, mechanism,
                                                acceleration) == TALUS_OK,
               "%s", talus_context_message(context));
    CHECK_CASE(talus_mechanism_response_batch(context, dynamics, TREES, mechanism, points, count,
                                              response, free) == TALUS_OK,
               "%s", talus_context_message(context));
  }
  for (int i = 0; i < TREES; i++) {
    talus_mechanism_destroy(mechanism[i]);
  }
}

static void trees_test(talus_context *cpu, talus_context *cuda) {
  static answers alone, together, device, articulated;
  trees_answer(cpu, TALUS_DYNAMICS_CONQUER, 1, &alone);
  trees_answer(cpu, TALUS_DYNAMICS_CONQUER, 0, &together);
  trees_answer(cpu, TALUS_DYNAMICS_ARTICULATED, 0, &articulated);
  CHECK(memcmp(&alone, &together, sizeof alone) == 0);
  for (int i = 0; i < TREES; i++) {
    double size = 0, apart = 0;
    for (int k = 0; k < V_MOST; k++) {
      size = fmax(size, fabs(articulated.acceleration[i][k]));
      apart = fmax(apart, fabs(articulated.acceleration[i][k] - alone.acceleration[i][k]));
    }
    for (int k = 0; k < M * M; k++) {
      apart = fmax(apart, fabs(articulated.response[i][k] - alone.response[i][k]));
    }
    CHECK_CASE(size > 0 && apart <= 1e-9 * (1 + size), "tree %d: %g of %g", i, apart, size);
  }
  if (cuda != NULL) {
    trees_answer(cuda, TALUS_DYNAMICS_CONQUER, 0, &device);
    CHECK(memcmp(&alone, &device, sizeof alone) == 0);
  }
}

/* ---- fleets ---------------------------------------------------------------------------------- */

enum { PENDULUMS = 3, STEPS = 20, STATE = 2 * PENDULUM_LINKS * PENDULUMS };

static talus_fleet_report fleet_run(talus_context *context, talus_restitution restitution,
                                    talus_scheme scheme, int32_t threads, double *state) {
  pendulums p;
  talus_fleet *fleet = NULL;
  talus_fleet_report report = talus_fleet_report_default();
  CHECK(pendulums_make(context, PENDULUMS, TALUS_DYNAMICS_CONQUER, restitution, &p));
  talus_fleet_def def = pendulums_fleet(&p);
  def.settings.threads = threads;
  def.scheme = scheme;
  if (CHECK(talus_fleet_create(context, &def, &fleet) == TALUS_OK)) {
    CHECK_CASE(talus_fleet_step(fleet, STEPS, &report) == TALUS_OK, "%s",
               talus_context_message(context));
  }
  pendulums_state(&p, state);
  talus_fleet_destroy(fleet);
  pendulums_end(&p);
  return report;
}

static void fleet_test(talus_context *cpu, talus_context *cuda, talus_restitution restitution,
                       talus_scheme scheme) {
  static double one[STATE], two[STATE], device[STATE];
  const talus_fleet_report a = fleet_run(cpu, restitution, scheme, 1, one);
  const talus_fleet_report b = fleet_run(cpu, restitution, scheme, 2, two);
  CHECK(memcmp(one, two, sizeof one) == 0);
  CHECK(a.solves == b.solves && a.contacts == b.contacts && a.depth == b.depth);
  CHECK_CASE(a.contacts > 20 && a.failed == 0 && a.measure <= 1e-6, "%lld contacts, %g",
             (long long)a.contacts, a.measure);
  if (cuda != NULL) {
    const talus_fleet_report c = fleet_run(cuda, restitution, scheme, 2, device);
    CHECK(memcmp(one, device, sizeof one) == 0);
    CHECK(a.solves == c.solves && a.contacts == c.contacts && a.measure == c.measure);
  }
}

int main(void) {
  talus_context_def def = talus_context_def_default();
  talus_context *cpu = NULL, *cuda = NULL;
  def.backend = TALUS_BACKEND_CPU;
  def.threads = 2;
  if (!CHECK(talus_context_create(&def, &cpu) == TALUS_OK)) {
    return check_end();
  }
  def.backend = TALUS_BACKEND_CUDA;
  const talus_status status = talus_context_create(&def, &cuda);
  const int absent = status == TALUS_BACKEND_ABSENT || status == TALUS_DEVICE_ABSENT;
  CHECK_CASE(status == TALUS_OK || absent, "%s", talus_status_name(status));
  talus_context *const device = absent ? NULL : cuda;
  trees_test(cpu, device);
  fleet_test(cpu, device, TALUS_RESTITUTION_POISSON, TALUS_SCHEME_EULER);
  fleet_test(cpu, device, TALUS_RESTITUTION_NEWTON, TALUS_SCHEME_MIDPOINT);
  talus_context_destroy(cuda);
  talus_context_destroy(cpu);
  const int end = check_end();
  return end == EXIT_SUCCESS && absent ? CHECK_SKIPPED : end;
}
