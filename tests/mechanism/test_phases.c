/* test_phases.c: restitution in two phases, Moreau's midpoint, contacts of two rows. */
#include <string.h>

#include "tests/check.h"
#include "tests/mechanism/trees.h"
#include "tests/scarce.h"

enum { ROWS = 12 };
static const double G = 9.81, H = 1e-3, RADIUS = 0.2;

typedef struct scene {
  talus_context *context;
  talus_mechanism *mechanism;
  talus_coupling *coupling;
  talus_solver *solver;
  double row_sum; /* of the first bilateral row over a step */
} scene;

static scene scene_make(const talus_link_def *link, int32_t dimension, talus_form form,
                        talus_restitution restitution) {
  scene s = {tree_context(1), NULL, NULL, NULL, 0};
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link = link;
  def.link_count = 1;
  CHECK(talus_mechanism_create(s.context, &def, &s.mechanism) == TALUS_OK);
  talus_coupling_def coupling = talus_coupling_def_default();
  coupling.mechanism_count = 1;
  coupling.mechanism = &s.mechanism;
  coupling.form = form;
  coupling.dimension = dimension;
  coupling.restitution = restitution;
  CHECK(talus_coupling_create(s.context, &coupling, &s.coupling) == TALUS_OK);
  talus_settings settings = talus_settings_default();
  settings.tolerance = 1e-11;
  CHECK(talus_solver_create(s.context, &settings, &s.solver) == TALUS_OK);
  return s;
}

static void scene_end(scene *s) {
  talus_solver_destroy(s->solver);
  talus_coupling_destroy(s->coupling);
  talus_mechanism_destroy(s->mechanism);
  talus_context_destroy(s->context);
}

static void problem_solve(scene *s, const talus_problem *problem, double *impulse,
                          double *bilateral) {
  talus_solution solution = talus_solution_default();
  solution.impulse = impulse;
  solution.bilateral_impulse = bilateral;
  CHECK_CASE(talus_solver_update(s->solver, problem) == TALUS_OK, "%s",
             talus_context_message(s->context));
  CHECK(talus_solver_solve(s->solver, &solution, NULL) == TALUS_OK);
  s->row_sum += problem->bilateral_count > 0 ? bilateral[0] : 0;
}

/* One step with both phases; the touch is where the mechanism is now. */
static void scene_step(scene *s, const talus_touch *touch, talus_scheme scheme) {
  double impulse[ROWS], bilateral[ROWS];
  talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
  s->row_sum = 0;
  CHECK(talus_coupling_build(s->coupling, touch, 1, &problem) == TALUS_OK);
  problem_solve(s, &problem, impulse, bilateral);
  CHECK(talus_coupling_rebound(s->coupling, impulse, bilateral, &problem) == TALUS_OK);
  if (problem.contact_count > 0) {
    CHECK(talus_coupling_rebound(s->coupling, impulse, bilateral, &problem) == TALUS_CALL_ORDER);
    problem_solve(s, &problem, impulse, bilateral);
    CHECK(talus_coupling_advance(s->coupling, TALUS_SCHEME_RUNGE_KUTTA, impulse, bilateral) ==
          TALUS_BAD_SETTING);
  }
  CHECK(talus_coupling_advance(s->coupling, scheme, impulse, bilateral) == TALUS_OK);
}

static talus_touch floor_touch(talus_mechanism *m, const double *point, double radius) {
  talus_touch touch;
  memset(&touch, 0, sizeof touch);
  touch.mechanism_a = touch.link_a = TALUS_NONE;
  CHECK(talus_mechanism_point(m, 0, point, touch.point, NULL) == TALUS_OK);
  touch.point[2] -= radius;
  touch.normal[2] = 1;
  touch.tangent[0] = 2; /* of any length */
  touch.gap = touch.point[2];
  return touch;
}

static talus_link_def ball(void) {
  talus_link_def link = talus_link_def_default(TALUS_LINK_FREE);
  link.inertia[0] = link.inertia[3] = link.inertia[5] = 0.4 * RADIUS * RADIUS;
  return link;
}

/* A ball that strikes at a slant: with p the compression's normal impulse, it leaves with e p, and
 * friction takes mu p from its speed. */
static void rebound(void) {
  static const double none[3];
  const talus_link_def link = ball();
  for (int kind = 0; kind < 4; kind++) {
    scene s =
        scene_make(&link, kind % 2 ? 2 : 3, kind / 2 ? TALUS_FORM_DELASSUS : TALUS_FORM_BLOCKS,
                   TALUS_RESTITUTION_POISSON);
    const double q[7] = {0, 0, RADIUS, 1, 0, 0, 0}, start[6] = {3, 0, -1, 0, 0, 0};
    double v[6];
    talus_mechanism_set(s.mechanism, q, start);
    talus_touch touch = floor_touch(s.mechanism, none, RADIUS);
    touch.friction = 0.1;
    touch.restitution = 0.7;
    scene_step(&s, &touch, TALUS_SCHEME_EULER);
    talus_mechanism_get(s.mechanism, NULL, v);
    const double p = 1 + G * H; /* mass 1; the weight of the step is stopped as well */
    CHECK_CLOSE(v[2], 0.7 * p, 1e-9);
    CHECK_CLOSE(v[0], 3 - 0.1 * p, 1e-9);
    CHECK_CLOSE(v[4], 0.1 * p / (0.4 * RADIUS), 1e-8);
    scene_end(&s);
  }
}

/* A rod with dry friction in its hinge strikes the floor: over both phases the friction stays
 * within its bound. */
static void bounds(void) {
  static const double tip[3] = {1, 0, 0};
  talus_link_def link = talus_link_def_default(TALUS_LINK_REVOLUTE);
  link.axis[1] = -1;
  link.axis[2] = 0;
  link.centre[0] = 0.5;
  link.friction = 3;
  scene s = scene_make(&link, 3, TALUS_FORM_BLOCKS, TALUS_RESTITUTION_POISSON);
  const double still = 0, falling = -2;
  double v;
  talus_mechanism_set(s.mechanism, &still, &falling);
  talus_touch touch = floor_touch(s.mechanism, tip, 0);
  touch.restitution = 0.5;
  scene_step(&s, &touch, TALUS_SCHEME_EULER);
  talus_mechanism_get(s.mechanism, NULL, &v);
  CHECK(v > 0.9 && v < 1.01);
  CHECK_CASE(fabs(s.row_sum) <= 3 * H * (1 + 1e-9), "%g", s.row_sum);
  scene_end(&s);
}

/* Swing of a rod with the exact period's elliptic integral replaced by Runge-Kutta in fine steps:
 * the midpoint's error falls by four when the step is halved. */
static void midpoint_order(void) {
  talus_context *const context = tree_context(1);
  talus_link_def link = talus_link_def_default(TALUS_LINK_REVOLUTE);
  link.axis[1] = -1;
  link.axis[2] = 0;
  link.centre[0] = 0.5;
  double q[4];
  for (int k = 0; k < 4; k++) {
    talus_mechanism_def def = talus_mechanism_def_default();
    talus_mechanism *m;
    def.link = &link;
    def.link_count = 1;
    CHECK(talus_mechanism_create(context, &def, &m) == TALUS_OK);
    const double rate = 1; /* from rest it would be of fourth order in the angle */
    CHECK(talus_mechanism_set(m, NULL, &rate) == TALUS_OK);
    const int steps = 100 << (k == 3 ? 4 : k);
    for (int i = 0; i < steps; i++) {
      CHECK(talus_mechanism_step(m, k == 3 ? TALUS_SCHEME_RUNGE_KUTTA : TALUS_SCHEME_MIDPOINT,
                                 0.7 / steps) == TALUS_OK);
    }
    talus_mechanism_get(m, &q[k], NULL);
    talus_mechanism_destroy(m);
  }
  CHECK_CLOSE((q[0] - q[3]) / (q[1] - q[3]), 4, 0.05);
  CHECK_CLOSE((q[1] - q[3]) / (q[2] - q[3]), 4, 0.05);
  talus_context_destroy(context);
}

/* A ball slides and then rolls; falls on the floor and stays there without sinking in; thrown up,
 * it flies as a parabola to rounding, which Euler's does not. */
static void midpoint_contact(void) {
  static const double none[3];
  const talus_link_def link = ball();
  scene s = scene_make(&link, 2, TALUS_FORM_BLOCKS, TALUS_RESTITUTION_NEWTON);
  double q[7] = {0, 0, RADIUS, 1, 0, 0, 0}, v[6] = {2, 0, 0, 0, 0, 0};
  talus_mechanism_set(s.mechanism, q, v);
  for (int i = 0; i < 400; i++) {
    CHECK(talus_coupling_halfway(s.coupling) == TALUS_OK);
    talus_touch touch = floor_touch(s.mechanism, none, RADIUS);
    touch.friction = 0.3;
    scene_step(&s, &touch, TALUS_SCHEME_MIDPOINT);
    talus_mechanism_get(s.mechanism, q, v);
    const double t = (i + 1) * H, rolls = 2 * 2 / (7 * 0.3 * G);
    CHECK_CLOSE(v[0], t < rolls ? 2 - 0.3 * G * t : 10.0 / 7, 4e-3);
    CHECK(q[2] > RADIUS - 1e-9);
  }
  CHECK(talus_coupling_halfway(s.coupling) == TALUS_OK);
  CHECK(talus_coupling_halfway(s.coupling) == TALUS_CALL_ORDER);
  talus_touch touch = floor_touch(s.mechanism, none, RADIUS);
  talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
  const double push[2] = {0, 0};
  CHECK(talus_coupling_build(s.coupling, &touch, 1, &problem) == TALUS_OK);
  CHECK(talus_coupling_advance(s.coupling, TALUS_SCHEME_EULER, push, NULL) == TALUS_CALL_ORDER);
  CHECK(talus_coupling_advance(s.coupling, TALUS_SCHEME_MIDPOINT, push, NULL) == TALUS_OK);
  const double up[6] = {0, 0, 5, 0, 0, 0}, at[7] = {0, 0, 1, 1, 0, 0, 0};
  talus_mechanism_set(s.mechanism, at, up);
  for (int i = 0; i < 500; i++) {
    CHECK(talus_coupling_halfway(s.coupling) == TALUS_OK);
    touch = floor_touch(s.mechanism, none, RADIUS);
    scene_step(&s, &touch, TALUS_SCHEME_MIDPOINT);
  }
  talus_mechanism_get(s.mechanism, q, v);
  CHECK_CLOSE(q[2], 1 + 5 * 0.5 - 0.5 * G * 0.25, 1e-9);
  touch.tangent[0] = 0;
  CHECK(talus_coupling_build(s.coupling, &touch, 1, &problem) == TALUS_NORMAL_LENGTH);
  touch.tangent[2] = 1; /* along the normal */
  CHECK(talus_coupling_build(s.coupling, &touch, 1, &problem) == TALUS_NORMAL_LENGTH);
  scene_end(&s);
}

/* The life of a step with a rebound and a loop that holds turns. */
static talus_status life(talus_context *context) {
  const talus_link_def link = ball();
  const double fast[6] = {0, 0, -1, 0, 0, 0};
  double impulse[3] = {1, 0, 0}, bilateral[ROWS] = {0};
  talus_mechanism_def def = talus_mechanism_def_default();
  talus_coupling_def join = talus_coupling_def_default();
  talus_loop_def loop = talus_loop_def_default();
  talus_mechanism *m = NULL;
  talus_coupling *coupling = NULL;
  talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
  talus_touch touch;
  def.link = &link;
  def.link_count = 1;
  loop.link_b = 0;
  loop.direction_count = 0;
  loop.turn_count = 3;
  join.mechanism_count = 1;
  join.mechanism = &m;
  join.loop_count = 1;
  join.loop = &loop;
  join.restitution = TALUS_RESTITUTION_POISSON;
  talus_status status = talus_mechanism_create(context, &def, &m);
  status = status != TALUS_OK ? status : talus_mechanism_set(m, NULL, fast);
  status = status != TALUS_OK ? status : talus_coupling_create(context, &join, &coupling);
  if (status == TALUS_OK) {
    static const double none[3];
    touch = floor_touch(m, none, 0);
    touch.restitution = 0.5;
    status = talus_coupling_build(coupling, &touch, 1, &problem);
  }
  status =
      status != TALUS_OK ? status : talus_coupling_rebound(coupling, impulse, bilateral, &problem);
  status = status != TALUS_OK
               ? status
               : talus_coupling_advance(coupling, TALUS_SCHEME_EULER, impulse, bilateral);
  talus_coupling_destroy(coupling);
  talus_mechanism_destroy(m);
  return status;
}

/* Memory that runs out at each request in turn: a status, a message, nothing left behind. */
static void scarcity(void) {
  talus_status status = TALUS_OUT_OF_MEMORY;
  int64_t at = 0;
  while (status != TALUS_OK && at < 200) {
    scarce c = {.fail_at = ++at};
    talus_context *const context = scarce_context(&c);
    status = life(context);
    CHECK_CASE(status == TALUS_OK || status == TALUS_OUT_OF_MEMORY, "%s",
               talus_status_name(status));
    CHECK(status == TALUS_OK || strlen(talus_context_message(context)) > 0);
    CHECK_CASE(c.held == 0, "%lld pieces left at %lld", (long long)c.held, (long long)at);
    talus_context_destroy(context);
  }
  CHECK(status == TALUS_OK && at > 5);
}

int main(void) {
  rebound();
  bounds();
  midpoint_order();
  midpoint_contact();
  scarcity();
  return check_end();
}
