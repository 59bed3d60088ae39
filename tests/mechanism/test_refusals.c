/* test_refusals.c: what a mechanism refuses, by which status, and that it names the joint; and
 * memory that runs out at the first, second, third, ... request. */
#include <string.h>

#include "host/base/process.h"
#include "tests/check.h"
#include "tests/mechanism/trees.h"

typedef void (*spoil_fn)(talus_link_def *link);

static void bad_size(talus_link_def *link) {
  link[2].struct_size = 0;
}
static void bad_kind(talus_link_def *link) {
  link[2].kind = (talus_link_kind)9;
}
static void bad_parent(talus_link_def *link) {
  link[2].parent = 7;
}
static void bad_loop(talus_link_def *link) {
  link[1].parent = 2;
}
static void bad_self(talus_link_def *link) {
  link[2].parent = 2;
}
static void bad_mass(talus_link_def *link) {
  link[2].mass = 0;
}
static void bad_inertia(talus_link_def *link) {
  memset(link[2].inertia, 0, sizeof link->inertia);
}
static void bad_rod(talus_link_def *link) {
  link[2].inertia[5] = 0;
}
static void bad_axis(talus_link_def *link) {
  link[2].axis[2] = 0;
}
static void bad_axes(talus_link_def *link) {
  link[2].kind = TALUS_LINK_UNIVERSAL;
  memcpy(link[2].axis2, link[2].axis, sizeof link[2].axis);
}
static void bad_turn(talus_link_def *link) {
  link[2].orientation[0] = 2;
}
static void bad_limits(talus_link_def *link) {
  link[2].limited = 1;
  link[2].lower[0] = 1;
  link[2].upper[0] = -1;
}
static void bad_stop(talus_link_def *link) {
  link[2].kind = TALUS_LINK_FREE;
  link[2].limited = 1;
}
static void bad_swing(talus_link_def *link) {
  link[2].kind = TALUS_LINK_SPHERICAL;
  link[2].limited = 1;
  link[2].upper[0] = 0;
}
static void bad_twist(talus_link_def *link) {
  link[2].kind = TALUS_LINK_SPHERICAL;
  link[2].limited = 1;
  link[2].upper[1] = 1; /* lower[1] is infinite */
}
static void bad_servo(talus_link_def *link) {
  link[2].kind = TALUS_LINK_SPHERICAL;
  link[2].motor = TALUS_MOTOR_SERVO;
}
static void bad_effort(talus_link_def *link) {
  link[2].kind = TALUS_LINK_SPHERICAL;
  link[2].limited = 1;
  link[2].motor = TALUS_MOTOR_RATE; /* of any strength, against stops */
}
static void bad_damping(talus_link_def *link) {
  link[2].damping = -1;
}
static void bad_number(talus_link_def *link) {
  link[2].centre[1] = NAN;
}

static void refusals(void) {
  static const struct {
    spoil_fn spoil;
    talus_status status;
  } cases[] = {{bad_size, TALUS_STRUCT_SIZE},      {bad_kind, TALUS_BAD_SETTING},
               {bad_parent, TALUS_INDEX_RANGE},    {bad_loop, TALUS_MATRIX_FORMAT},
               {bad_self, TALUS_MATRIX_FORMAT},    {bad_mass, TALUS_NEGATIVE_MASS},
               {bad_inertia, TALUS_NEGATIVE_MASS}, {bad_rod, TALUS_NEGATIVE_MASS},
               {bad_axis, TALUS_NORMAL_LENGTH},    {bad_axes, TALUS_NORMAL_LENGTH},
               {bad_turn, TALUS_BAD_SETTING},      {bad_limits, TALUS_BAD_BOUNDS},
               {bad_stop, TALUS_UNSUPPORTED},      {bad_damping, TALUS_BAD_SETTING},
               {bad_number, TALUS_NOT_FINITE},     {bad_swing, TALUS_BAD_BOUNDS},
               {bad_twist, TALUS_BAD_BOUNDS},      {bad_servo, TALUS_UNSUPPORTED},
               {bad_effort, TALUS_BAD_SETTING}};
  talus_context *const context = tree_context(1);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    talus_link_def link[3];
    for (int i = 0; i < 3; i++) {
      link[i] = talus_link_def_default(TALUS_LINK_REVOLUTE);
      link[i].parent = i - 1;
    }
    link[1].name = "elbow";
    link[2].name = "wrist";
    cases[k].spoil(link);
    talus_mechanism_def def = talus_mechanism_def_default();
    def.link_count = 3;
    def.link = link;
    talus_mechanism *m;
    const talus_status status = talus_mechanism_create(context, &def, &m);
    const char *const text = talus_context_message(context);
    CHECK_CASE(status == cases[k].status && m == NULL, "%zu: %s", k, talus_status_name(status));
    CHECK_CASE(strstr(text, "joint 2") != NULL || strstr(text, "joint 1") != NULL ||
                   strstr(text, "link[2].struct_size") != NULL,
               "%s", text);
    CHECK_CASE(k == 0 || strstr(text, "wrist") != NULL || strstr(text, "elbow") != NULL, "%s",
               text);
  }
  talus_context_destroy(context);
}

static void calls(void) {
  talus_context *const context = tree_context(1);
  talus_mechanism *const m = tree_make(context, 1, 4, TREE_CHAIN, 1);
  double v[24], q[28], point[3] = {0, 0, 0};
  talus_mechanism_get(m, q, v);
  v[0] = NAN;
  CHECK(talus_mechanism_set(m, NULL, v) == TALUS_NOT_FINITE);
  q[3] = 3;
  CHECK(talus_mechanism_set(m, q, NULL) == TALUS_BAD_SETTING);
  CHECK(talus_mechanism_point(m, 4, point, q, NULL) == TALUS_INDEX_RANGE);
  CHECK(talus_mechanism_pose(m, -1, q, NULL, NULL) == TALUS_INDEX_RANGE);
  CHECK(talus_mechanism_load(m, 9, point, point, NULL) == TALUS_INDEX_RANGE);
  CHECK(talus_mechanism_step(m, TALUS_SCHEME_EULER, NAN) == TALUS_BAD_SETTING);
  CHECK(talus_mechanism_drive(m, 0, point, point, 1) == TALUS_CALL_ORDER);
  /* a step that overflows leaves the state as it was */
  double before[24], after[24];
  for (int i = 0; i < 24; i++) {
    v[i] = 1e200;
  }
  CHECK(talus_mechanism_set(m, NULL, v) == TALUS_OK);
  talus_mechanism_get(m, NULL, before);
  CHECK(talus_mechanism_step(m, TALUS_SCHEME_RUNGE_KUTTA, 1e200) != TALUS_OK);
  talus_mechanism_get(m, NULL, after);
  CHECK(memcmp(before, after, (size_t)talus_mechanism_velocity_count(m) * sizeof *after) == 0);
  talus_mechanism_destroy(m);
  talus_mechanism_destroy(NULL);
  talus_context_destroy(context);
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct counter {
  int64_t requests, held, fail_at;
} counter;

static void *allocate(void *user, size_t size) {
  counter *const c = user;
  if (++c->requests == c->fail_at) {
    return NULL;
  }
  void *const memory = tl_memory_take((size + 63) / 64 * 64);
  memset(memory, 0xa5, size);
  c->held++;
  return memory;
}

static void release(void *user, void *memory, size_t size) {
  (void)size;
  ((counter *)user)->held--;
  tl_memory_release(memory);
}

/* Both forms, one step each, by both schemes; no solver: zero impulses will do. */
static talus_status couple(talus_context *context, talus_mechanism *m) {
  talus_coupling_def def = talus_coupling_def_default();
  talus_loop_def loop = talus_loop_def_default();
  loop.link_b = 2;
  def.mechanism_count = 1;
  def.mechanism = &m;
  def.loop_count = 1;
  def.loop = &loop;
  talus_touch touch = {0, TALUS_NONE, 0, 1, {0, 0, 0}, {0, 0, 1}, 0, 0.5, 0, {0, 0, 0}};
  const double impulse[3] = {1, 0, 0}, bilateral[9] = {0};
  talus_status status = TALUS_OK;
  for (int form = 0; status == TALUS_OK && form < 2; form++) {
    talus_coupling *coupling = NULL;
    talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
    def.form = form ? TALUS_FORM_DELASSUS : TALUS_FORM_BLOCKS;
    status = talus_coupling_create(context, &def, &coupling);
    if (status == TALUS_OK) {
      status = talus_coupling_build(coupling, &touch, 1, &problem);
    }
    if (status == TALUS_OK) {
      CHECK(problem.bilateral_count == 9);
      status = talus_coupling_advance(
          coupling, form ? TALUS_SCHEME_RUNGE_KUTTA : TALUS_SCHEME_EULER, impulse, bilateral);
    }
    talus_coupling_destroy(coupling);
  }
  return status;
}

static talus_status life(talus_context *context) {
  talus_link_def link[3];
  for (int i = 0; i < 3; i++) {
    link[i] = talus_link_def_default(TALUS_LINK_REVOLUTE);
    link[i].parent = i - 1;
    link[i].limited = 1;
    link[i].lower[0] = -1;
    link[i].upper[0] = 1;
  }
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link_count = 3;
  def.link = link;
  talus_mechanism *m = NULL;
  const double point[3] = {1, 0, 0};
  const talus_link_point points[2] = {{1, {0, 0, 1}}, {2, {1, 0, 0}}};
  double way[3], response[36], free_point[6];
  talus_status status = talus_mechanism_create(context, &def, &m);
  if (status == TALUS_OK) {
    status = talus_mechanism_load(m, 1, point, point, NULL);
  }
  for (int d = 0; status == TALUS_OK && d < 6; d++) {
    status = d < 3 ? talus_mechanism_accelerate(m, (talus_dynamics)d, way)
                   : talus_mechanism_response(m, (talus_dynamics)(d - 3), points, 2, response,
                                              free_point);
  }
  if (status == TALUS_OK) {
    status = couple(context, m);
  }
  talus_mechanism_destroy(m);
  return status;
}

static void memory(void) {
  talus_status status = TALUS_OUT_OF_MEMORY;
  for (int64_t fail_at = 2; status != TALUS_OK && fail_at < 100; fail_at++) {
    counter c = {0, 0, 0};
    talus_context_def def = talus_context_def_default();
    def.threads = 1;
    def.backend = TALUS_BACKEND_CPU;
    def.allocate = allocate;
    def.release = release;
    def.allocate_user = &c;
    talus_context *context = NULL;
    CHECK(talus_context_create(&def, &context) == TALUS_OK);
    const int64_t held = c.held;
    c.fail_at = c.requests + fail_at - 1;
    status = life(context);
    CHECK(status == TALUS_OK || status == TALUS_OUT_OF_MEMORY);
    CHECK(c.held == held);
    CHECK(status == TALUS_OK || strlen(talus_context_message(context)) > 0);
    talus_context_destroy(context);
    CHECK(c.held == 0);
    if (status == TALUS_OK) {
      printf("%lld requests failed in turn\n", (long long)(fail_at - 2));
      CHECK(fail_at > 8);
    }
  }
  CHECK(status == TALUS_OK);
}

int main(void) {
  refusals();
  calls();
  memory();
  return check_end();
}
