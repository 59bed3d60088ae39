/* test_swing.c: stops of spherical joints. The rows against differences of angles that the test
 * itself finds from poses; then links that fall, twist and are thrown stay within cone and twist,
 * alone and in a world, and come to rest where they lean on the stop. */
#include <string.h>

#include "tests/check.h"
#include "tests/mechanism/trees.h"

static const double PI = 3.14159265358979323846;

typedef struct limits {
  double swing, low, high;
} limits;

/* Two spherical links, the second hung on the first; limits on the last. */
static talus_mechanism_def pair_def(talus_link_def link[2], limits l, const double *axis) {
  for (int i = 0; i < 2; i++) {
    link[i] = talus_link_def_default(TALUS_LINK_SPHERICAL);
    link[i].parent = i - 1;
    link[i].position[0] = i;
    link[i].centre[0] = 0.4;
    link[i].centre[2] = 0.1;
    link[i].inertia[0] = 0.02;
    link[i].inertia[3] = link[i].inertia[5] = 0.05;
    link[i].orientation[0] = 0.8;
    link[i].orientation[2] = 0.6;
  }
  memcpy(link[1].axis, axis, sizeof link[1].axis);
  link[1].limited = 1;
  link[1].upper[0] = l.swing;
  link[1].lower[1] = l.low;
  link[1].upper[1] = l.high;
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link_count = 2;
  def.link = link;
  return def;
}

static void conjugate(const double *q, double *out) {
  out[0] = q[0];
  for (int k = 1; k < 4; k++) {
    out[k] = -q[k];
  }
}

static void times(const double *a, const double *b, double *out) {
  out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* Swing and twist of the second link from the poses of both: the turn that carries the axis by the
 * shortest way is taken off, what is left is about the axis. */
static void angles_of(talus_mechanism *m, const talus_link_def *def, const double *axis,
                      double *swing, double *twist) {
  double parent[4], child[4], frame[4], back[4], q[4], turned[4], short_way[4], left[4], a[4] = {0};
  const double size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  talus_mechanism_pose(m, 0, NULL, parent, NULL);
  talus_mechanism_pose(m, 1, NULL, child, NULL);
  times(parent, def->orientation, frame);
  conjugate(frame, back);
  times(back, child, q);
  for (int k = 0; k < 3; k++) {
    a[1 + k] = axis[k] / size;
  }
  conjugate(q, back);
  times(q, a, left);
  times(left, back, turned); /* a carried by q */
  const double cosine = a[1] * turned[1] + a[2] * turned[2] + a[3] * turned[3];
  *swing = acos(fmin(1, fmax(-1, cosine)));
  short_way[0] = sqrt((1 + cosine) / 2);
  for (int k = 0; k < 3; k++) {
    const int i = 1 + (k + 1) % 3, j = 1 + (k + 2) % 3;
    short_way[1 + k] = (a[i] * turned[j] - a[j] * turned[i]) / (2 * short_way[0]);
  }
  conjugate(short_way, back);
  times(back, q, left);
  *twist = remainder(2 * atan2(left[1] * a[1] + left[2] * a[2] + left[3] * a[3], left[0]), 2 * PI);
}

/* The three rows' biases are the gaps over the step, their velocities those of the gaps. */
static void rows_are_rates(talus_context *context, uint64_t seed) {
  const limits l = {2.9, -2.5, 3.4};
  double axis[3], v[6], q[8];
  for (int k = 0; k < 3; k++) {
    axis[k] = tree_random(&seed) + (k == 0 ? 1.1 : 0);
  }
  talus_link_def link[2];
  talus_mechanism_def def = pair_def(link, l, axis);
  talus_mechanism *m = NULL;
  CHECK(talus_mechanism_create(context, &def, &m) == TALUS_OK);
  tree_move(m, seed, 1);
  talus_coupling_def coupling_def = talus_coupling_def_default();
  talus_coupling *coupling = NULL;
  talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
  coupling_def.mechanism_count = 1;
  coupling_def.mechanism = &m;
  coupling_def.correction = 1;
  CHECK(talus_coupling_create(context, &coupling_def, &coupling) == TALUS_OK);
  CHECK(talus_coupling_build(coupling, NULL, 0, &problem) == TALUS_OK);
  CHECK(problem.bilateral_count == 3);
  CHECK(talus_mechanism_get(m, q, v) == TALUS_OK);
  double at[3][2], rate[3] = {0, 0, 0};
  for (int r = 0; r < 3; r++) {
    for (int k = 0; k < 6; k++) {
      rate[r] += problem.blocks.bilateral_jacobian[6 * r + k] * v[k];
    }
  }
  const double h = 1e-5;
  for (int side = -1; side <= 1; side++) { /* along the present velocities, as far back as ahead */
    double turn[6];
    for (int k = 0; k < 6; k++) {
      turn[k] = v[k] * side;
    }
    CHECK(talus_mechanism_set(m, q, turn) == TALUS_OK);
    CHECK(talus_mechanism_step(m, TALUS_SCHEME_EXPLICIT_EULER, h) == TALUS_OK);
    angles_of(m, &link[1], axis, &at[side + 1][0], &at[side + 1][1]);
  }
  const double swings = (at[2][0] - at[0][0]) / (2 * h);
  const double twists = remainder(at[2][1] - at[0][1], 2 * PI) / (2 * h);
  const double way = remainder(at[1][1] - 0.45, 2 * PI);
  CHECK_CLOSE(problem.blocks.bilateral_bias[0] * 1e-3, l.swing - at[1][0], 1e-7);
  CHECK_CLOSE(problem.blocks.bilateral_bias[1] * 1e-3, way + 2.95, 1e-7);
  CHECK_CLOSE(problem.blocks.bilateral_bias[2] * 1e-3, 2.95 - way, 1e-7);
  CHECK_CLOSE(rate[0], -swings, 1e-5 * (1 + fabs(swings)));
  CHECK_CLOSE(rate[1], twists, 1e-5 * (1 + fabs(twists)));
  CHECK_CLOSE(rate[2], -twists, 1e-5 * (1 + fabs(twists)));
  talus_coupling_destroy(coupling);
  talus_mechanism_destroy(m);
}

/* In a world: both links thrown about; `held` 0: nothing is limited. Returns by how much the limits
 * were passed at the most. */
static double thrown(talus_context *context, int held, limits l) {
  static const double axis[3] = {1, 0, 0};
  talus_world_def world_def = talus_world_def_default();
  talus_link_def link[2];
  talus_mechanism_def def = pair_def(link, l, axis);
  talus_world *world = NULL;
  int32_t id;
  double v[6] = {0.5, 1, -0.7, 6, 2, 3}, worst = 0;
  link[1].limited = held;
  link[0].damping = link[1].damping = 0.02;
  world_def.step = 2e-3;
  world_def.gravity[2] = -9.81;
  CHECK(talus_world_create(context, &world_def, &world) == TALUS_OK);
  CHECK_CASE(talus_world_add_mechanism(world, &def, NULL, 0, &id) == TALUS_OK, "%s",
             talus_context_message(context));
  talus_mechanism *const m = talus_world_mechanism(world, id);
  CHECK(talus_mechanism_set(m, NULL, v) == TALUS_OK);
  for (int i = 0; i < 600; i++) {
    talus_step_report report = talus_step_report_default();
    double swing, twist;
    CHECK_CASE(talus_world_step(world, &report) == TALUS_OK, "%s", talus_context_message(context));
    angles_of(m, &link[1], axis, &swing, &twist);
    worst = fmax(worst, fmax(swing - l.swing, fmax(twist - l.high, l.low - twist)));
  }
  talus_world_destroy(world);
  return worst;
}

/* A rod on a damped spherical joint about the vertical leans on its cone in the end. */
static void leans(talus_context *context) {
  talus_link_def link = talus_link_def_default(TALUS_LINK_SPHERICAL);
  talus_mechanism_def def = talus_mechanism_def_default();
  talus_mechanism *m = NULL;
  double q[4] = {cos(0.05), sin(0.05), 0, 0}, v[3];
  link.centre[2] = 1;
  link.limited = 1;
  link.upper[0] = 0.7;
  link.damping = 0.5;
  link.friction = 0.01;
  def.link_count = 1;
  def.link = &link;
  CHECK(talus_mechanism_create(context, &def, &m) == TALUS_OK);
  CHECK(talus_mechanism_set(m, q, NULL) == TALUS_OK);
  talus_coupling_def coupling_def = talus_coupling_def_default();
  talus_coupling *coupling = NULL;
  talus_solver *solver = NULL;
  talus_settings settings = talus_settings_default();
  coupling_def.mechanism_count = 1;
  coupling_def.mechanism = &m;
  coupling_def.step = 5e-3;
  settings.tolerance = 1e-10;
  CHECK(talus_coupling_create(context, &coupling_def, &coupling) == TALUS_OK);
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_OK);
  double x[4], most = 0;
  for (int i = 0; i < 2000; i++) {
    talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
    talus_solution solution = talus_solution_default();
    talus_info info = talus_info_default();
    solution.bilateral_impulse = x;
    CHECK(talus_coupling_build(coupling, NULL, 0, &problem) == TALUS_OK);
    CHECK(problem.bilateral_count == 4); /* friction of three velocities, and the cone */
    CHECK(talus_solver_update(solver, &problem) == TALUS_OK);
    CHECK(talus_solver_solve(solver, &solution, &info) == TALUS_OK);
    CHECK(talus_coupling_advance(coupling, TALUS_SCHEME_EULER, NULL, x) == TALUS_OK);
    talus_mechanism_get(m, q, v);
    most = fmax(most, 2 * acos(fmin(1, fabs(q[0]))));
  }
  /* the moment of gravity is the cone's: m g l sin(swing) dt, but for friction's part */
  CHECK_CLOSE(x[3], 9.81 * sin(0.7) * 5e-3, 0.011 * 5e-3);
  CHECK_CLOSE(acos(1 - 2 * (q[1] * q[1] + q[2] * q[2])), 0.7, 1e-4);
  CHECK_CASE(most <= 0.7 + 1e-4, "%g", most);
  talus_solver_destroy(solver);
  talus_coupling_destroy(coupling);
  talus_mechanism_destroy(m);
}

int main(void) {
  talus_context *const context = tree_context(1);
  const limits l = {0.6, -0.3, 0.5};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    rows_are_rates(context, seed);
  }
  const double free = thrown(context, 0, l), held = thrown(context, 1, l);
  CHECK_CASE(free > 0.5, "without stops it went only %g beyond", free);
  CHECK_CASE(held < 5e-3, "%g beyond the stops", held);
  leans(context);
  talus_context_destroy(context);
  return check_end();
}
