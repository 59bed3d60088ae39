/* test_loops.c: loops that hold turns as well as points. */
#include <string.h>

#include "tests/check.h"
#include "tests/mechanism/trees.h"

enum { ROWS = 6 };
static const double H = 1e-3;

typedef struct scene {
  talus_context *context;
  talus_mechanism *mechanism;
  talus_coupling *coupling;
  talus_solver *solver;
} scene;

static scene scene_make(const talus_link_def *link, const talus_loop_def *loop, talus_form form) {
  scene s = {tree_context(1), NULL, NULL, NULL};
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link = link;
  def.link_count = 1;
  CHECK(talus_mechanism_create(s.context, &def, &s.mechanism) == TALUS_OK);
  talus_coupling_def coupling = talus_coupling_def_default();
  coupling.mechanism_count = 1;
  coupling.mechanism = &s.mechanism;
  coupling.loop_count = 1;
  coupling.loop = loop;
  coupling.form = form;
  CHECK_CASE(talus_coupling_create(s.context, &coupling, &s.coupling) == TALUS_OK, "%s",
             talus_context_message(s.context));
  talus_settings settings = talus_settings_default();
  settings.tolerance = 1e-11;
  CHECK(talus_solver_create(s.context, &settings, &s.solver) == TALUS_OK);
  return s;
}

static void scene_step(scene *s, talus_scheme scheme) {
  double bilateral[ROWS];
  talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
  talus_solution solution = talus_solution_default();
  solution.bilateral_impulse = bilateral;
  CHECK(talus_coupling_build(s->coupling, NULL, 0, &problem) == TALUS_OK);
  CHECK_CASE(talus_solver_update(s->solver, &problem) == TALUS_OK, "%s",
             talus_context_message(s->context));
  CHECK(talus_solver_solve(s->solver, &solution, NULL) == TALUS_OK);
  CHECK(talus_coupling_advance(s->coupling, scheme, NULL, bilateral) == TALUS_OK);
}

static void scene_end(scene *s) {
  talus_solver_destroy(s->solver);
  talus_coupling_destroy(s->coupling);
  talus_mechanism_destroy(s->mechanism);
  talus_context_destroy(s->context);
}

/* A free body welded to the world in a turned pose: what is wrong at first goes away, then it
 * rests. */
static void weld(void) {
  const talus_link_def link = talus_link_def_default(TALUS_LINK_FREE);
  const double half = 0.35, off = 0.37; /* turned about (0, 1, 0); the body begins beside */
  for (int form = 0; form < 2; form++) {
    talus_loop_def loop = talus_loop_def_default();
    loop.link_a = TALUS_NONE;
    loop.link_b = 0;
    loop.point_b[0] = 0.5;
    loop.turn_count = 3;
    loop.orientation[0] = cos(half);
    loop.orientation[2] = sin(half);
    scene s = scene_make(&link, &loop, form ? TALUS_FORM_DELASSUS : TALUS_FORM_BLOCKS);
    double q[7] = {-0.5 * cos(2 * half), 0, 0.5 * sin(2 * half), cos(off), 0, sin(off), 0}, v[6];
    talus_mechanism_set(s.mechanism, q, NULL);
    for (int i = 0; i < 200; i++) {
      scene_step(&s, TALUS_SCHEME_EULER);
    }
    talus_mechanism_get(s.mechanism, q, v);
    CHECK_CLOSE(q[3], cos(half), 1e-9);
    CHECK_CLOSE(q[5], sin(half), 1e-9);
    CHECK_CLOSE(q[0], -0.5 * cos(2 * half), 1e-9);
    CHECK_CLOSE(q[2], 0.5 * sin(2 * half), 1e-9);
    for (int c = 0; c < 6; c++) {
      CHECK_CLOSE(v[c], 0, 1e-9);
    }
    scene_end(&s);
  }
}

/* A hinge made of five rows on a free body swings as the joint does, by each scheme. */
static void hinge(void) {
  static const talus_scheme schemes[2] = {TALUS_SCHEME_EULER, TALUS_SCHEME_RUNGE_KUTTA};
  for (int k = 0; k < 2; k++) {
    talus_link_def link = talus_link_def_default(TALUS_LINK_FREE);
    talus_loop_def loop = talus_loop_def_default();
    loop.link_a = TALUS_NONE;
    loop.link_b = 0;
    loop.turn_count = 2; /* about x and z; y is free */
    loop.turn[4] = 0;
    loop.turn[5] = 1;
    link.centre[0] = 0.5;
    scene s = scene_make(&link, &loop, TALUS_FORM_BLOCKS);
    link.kind = TALUS_LINK_REVOLUTE;
    link.axis[1] = 1;
    link.axis[2] = 0;
    talus_mechanism_def def = talus_mechanism_def_default();
    talus_mechanism *m;
    def.link = &link;
    def.link_count = 1;
    CHECK(talus_mechanism_create(s.context, &def, &m) == TALUS_OK);
    double angle, q[7];
    for (int i = 0; i < 400; i++) {
      scene_step(&s, schemes[k]);
      CHECK(talus_mechanism_step(m, schemes[k], H) == TALUS_OK);
    }
    talus_mechanism_get(m, &angle, NULL);
    talus_mechanism_get(s.mechanism, q, NULL);
    CHECK(angle > 0.8);
    CHECK_CLOSE(2 * atan2(q[5], q[3]), angle, 2e-3);
    CHECK_CLOSE(q[4], 0, 1e-9);
    CHECK_CLOSE(q[6], 0, 1e-9);
    CHECK(fabs(q[0]) + fabs(q[1]) + fabs(q[2]) < 1e-3);
    talus_mechanism_destroy(m);
    scene_end(&s);
  }
}

/* The same weld in a world. */
static void world_weld(void) {
  talus_context *const context = tree_context(1);
  const talus_link_def link = talus_link_def_default(TALUS_LINK_FREE);
  talus_loop_def loop = talus_loop_def_default();
  talus_mechanism_def def = talus_mechanism_def_default();
  talus_world_def settings = talus_world_def_default();
  talus_step_report report = talus_step_report_default();
  talus_world *world;
  int32_t id;
  loop.link_b = 0;
  loop.point_b[0] = 0.5;
  loop.turn_count = 3;
  def.link = &link;
  def.link_count = 1;
  CHECK(talus_world_create(context, &settings, &world) == TALUS_OK);
  CHECK_CASE(talus_world_add_mechanism(world, &def, &loop, 1, &id) == TALUS_OK, "%s",
             talus_context_message(context));
  talus_mechanism *const m = talus_world_mechanism(world, id);
  const double start[7] = {-0.5, 0, 0, 1, 0, 0, 0};
  double q[7];
  CHECK(talus_mechanism_set(m, start, NULL) == TALUS_OK);
  for (int i = 0; i < 100; i++) {
    CHECK(talus_world_step(world, &report) == TALUS_OK);
    CHECK(report.singular == 0);
  }
  CHECK(talus_mechanism_get(m, q, NULL) == TALUS_OK);
  for (int c = 0; c < 7; c++) {
    CHECK_CLOSE(q[c], start[c], 1e-4);
  }
  talus_world_destroy(world);
  talus_context_destroy(context);
}

static void refusals(void) {
  talus_context *const context = tree_context(1);
  const talus_link_def link = talus_link_def_default(TALUS_LINK_FREE);
  talus_mechanism_def def = talus_mechanism_def_default();
  talus_mechanism *m;
  def.link = &link;
  def.link_count = 1;
  CHECK(talus_mechanism_create(context, &def, &m) == TALUS_OK);
  for (int kind = 0; kind < 4; kind++) {
    talus_loop_def loop = talus_loop_def_default();
    loop.link_b = 0;
    loop.turn_count = kind == 0 ? 4 : kind == 1 ? 0 : 3;
    loop.direction_count = kind == 1 ? 0 : 3;
    loop.turn[0] = kind == 2 ? 2 : 1;
    loop.orientation[0] = kind == 3 ? 0.5 : 1;
    talus_coupling_def join = talus_coupling_def_default();
    talus_coupling *coupling;
    join.mechanism_count = 1;
    join.mechanism = &m;
    join.loop_count = 1;
    join.loop = &loop;
    CHECK_CASE(talus_coupling_create(context, &join, &coupling) ==
                   (kind == 2 ? TALUS_NORMAL_LENGTH : TALUS_BAD_SETTING),
               "kind %d", kind);
    CHECK(strstr(talus_context_message(context), "loop[0]") != NULL && coupling == NULL);
  }
  talus_mechanism_destroy(m);
  talus_context_destroy(context);
}

int main(void) {
  weld();
  hinge();
  world_weld();
  refusals();
  return check_end();
}
