/* test_pendulum.c: what joints of free bodies and spins without torque keep: energy, angular
 * momentum, and a pendulum's period, against closed forms. */
#include <math.h>
#include <string.h>

#include "tests/world/links.h"

static const double PI = 3.14159265358979323846, G = 9.81;

static talus_world *world_make(double gravity, double step, talus_integrator integrator,
                               talus_stabilisation stabilisation) {
  talus_world_def def = talus_world_def_default();
  talus_world *world;
  def.gravity[2] = -gravity;
  def.step = step;
  def.integrator = integrator;
  def.stabilisation = stabilisation;
  MUST(talus_world_create(place_context, &def, &world));
  return world;
}

/* Bodies of 1 kg that touch nothing. */
static int32_t body_add(talus_world *world, const talus_shape_def *shape, double volume,
                        const double *position) {
  talus_body_def def = talus_body_def_default();
  talus_shape_def made = *shape;
  int32_t body;
  made.material = place_material(world, 1 / volume, 0.5, 0);
  memcpy(def.position, position, sizeof def.position);
  def.collides = 0;
  MUST(talus_body_add(world, &def, &body));
  MUST(talus_shape_add(world, body, &made, NULL));
  return body;
}

static int32_t ball_add(talus_world *world, double radius, const double *position) {
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  shape.radius = radius;
  return body_add(world, &shape, 4.0 / 3 * PI * radius * radius * radius, position);
}

static int32_t box_add(talus_world *world, double a, double b, double c, const double *position) {
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_BOX);
  shape.half_edge[0] = a;
  shape.half_edge[1] = b;
  shape.half_edge[2] = c;
  return body_add(world, &shape, 8 * a * b * c, position);
}

/* A joint about y at `point`; DISTANCE: from there to `end`; a rope is one with limits. */
static int32_t joint_add(talus_world *world, talus_joint_kind kind, int rope, int32_t a, int32_t b,
                         const double *point, const double *end) {
  talus_joint_def def = talus_joint_def_default(kind);
  int32_t joint;
  def.body_a = a;
  def.body_b = b;
  memcpy(def.point, point, sizeof def.point);
  memcpy(def.point_b, end, sizeof def.point_b);
  def.axis[1] = 1;
  def.axis[2] = 0;
  def.limited = rope;
  def.upper = sqrt(pow(end[0] - point[0], 2) + pow(end[2] - point[2], 2));
  MUST(talus_joint_add(world, &def, &joint));
  return joint;
}

static double energy_of(const talus_step_report *report) {
  return report->kinetic + report->potential;
}

/* ---- one pendulum ---------------------------------------------------------------------------- */

/* Period of a swing to `angle` to either side, by the mean of means. */
static double period_of(double length, double angle) {
  double a = 1, b = cos(0.5 * angle);
  for (int i = 0; i < 10; i++) {
    const double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return 2 * PI * sqrt(length / G) / a;
}

typedef struct swing {
  double first, last; /* times of passing the lowest point to the right */
  int count;
  double x;
} swing;

static void swing_see(swing *s, double time, double step, double x) {
  if (s->x < 0 && x >= 0) {
    s->last = time - step * x / (x - s->x);
    s->first = s->count++ == 0 ? s->last : s->first;
  }
  s->x = x;
}

/* 1 kg at 1 m, from rest at 60 degrees. */
static void pendulum(talus_joint_kind kind, int rope, double step, double seconds,
                     talus_integrator integrator, talus_stabilisation stabilisation) {
  const double angle = PI / 3, radius = 0.1;
  const double hook[3] = {0, 0, 0}, start[3] = {-sin(angle), 0, -cos(angle)};
  talus_world *const world = world_make(G, step, integrator, stabilisation);
  const int32_t ball = ball_add(world, radius, start);
  joint_add(world, kind, rope, TALUS_NONE, ball, hook, start);
  const double begin = -G * cos(angle), scale = G * (1 - cos(angle));
  /* on a line the ball does not turn */
  const double turning = kind == TALUS_JOINT_DISTANCE ? 0 : 0.4 * radius * radius;
  swing s = {0, 0, 0, start[0]};
  double worst = 0, stretch = 0;
  for (int i = 1; i <= (int)lround(seconds / step); i++) {
    const talus_step_report report = place_run(world, 1);
    const talus_body_state state = place_state(world, ball);
    worst = fmax(worst, fabs(energy_of(&report) - begin) / scale);
    stretch = fmax(stretch, fabs(hypot(state.position[0], state.position[2]) - 1));
    swing_see(&s, i * step, step, state.position[0]);
  }
  char what[100];
  snprintf(what, sizeof what, "kind %d rope %d step %g integrator %d stabilisation %d", (int)kind,
           rope, step, (int)integrator, (int)stabilisation);
  const double period = (s.last - s.first) / (s.count - 1), wanted = period_of(1 + turning, angle);
  const double slop = rope ? 2e-4 * radius : 0;
  /* 0.5 % at 1 ms; what is left goes to and fro */
  CHECK_CASE(worst < 5 * step, "%s: energy by %g", what, worst);
  CHECK_CASE(fabs(period / wanted - 1) < 2e-4, "%s: period by %g", what, period / wanted - 1);
  CHECK_CASE(stretch < 1.6 * slop + (stabilisation == TALUS_STABILISE_NONE ? 1e-3 : 2e-5),
             "%s: stretched by %g", what, stretch);
  talus_world_destroy(world);
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* `count` balls, 1 m in all, from rest at 60 degrees, for some seconds. */
static void chain(talus_joint_kind kind, int count, double tolerance, double seconds,
                  talus_integrator integrator) {
  const double angle = PI / 3, length = 1.0 / count;
  talus_world_def def = talus_world_def_default();
  talus_world *world;
  def.integrator = integrator;
  def.tolerance = tolerance;
  MUST(talus_world_create(place_context, &def, &world));
  double point[3] = {0, 0, 0}, begin = 0, lowest = 0;
  for (int32_t i = 0, other = TALUS_NONE; i < count; i++) {
    const double end[3] = {point[0] + length * sin(angle), 0, point[2] - length * cos(angle)};
    const int32_t ball = ball_add(world, 0.1 * length, end);
    joint_add(world, kind, 0, other, ball, point, end);
    begin += G * end[2];
    lowest -= G * length * (i + 1);
    memcpy(point, end, sizeof point);
    other = ball;
  }
  double worst = 0;
  for (int i = 0; i < (int)lround(seconds / def.step); i++) {
    const talus_step_report report = place_run(world, 1);
    worst = fmax(worst, fabs(energy_of(&report) - begin) / (begin - lowest));
  }
  CHECK_CASE(worst < 0.005, "kind %d, %d bodies, integrator %d: %g", (int)kind, count,
             (int)integrator, worst);
  talus_world_destroy(world);
}

/* ---- what turns in space --------------------------------------------------------------------- */

static void turned(const double *q, const double *v, double *out) {
  const double t[3] = {2 * (q[2] * v[2] - q[3] * v[1]), 2 * (q[3] * v[0] - q[1] * v[2]),
                       2 * (q[1] * v[1] - q[2] * v[0])};
  out[0] = v[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
  out[1] = v[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
  out[2] = v[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
}

/* About the origin. */
static void momentum_add(const talus_world *world, int32_t body, double *momentum) {
  const talus_body_state s = place_state(world, body);
  const double m = talus_body_mass(world, body), *const x = s.position, *const v = s.velocity;
  const double back[4] = {s.orientation[0], -s.orientation[1], -s.orientation[2],
                          -s.orientation[3]};
  double inertia[6], own[3], spin[3];
  talus_body_inertia(world, body, inertia);
  turned(back, s.spin, own);
  const double h[3] = {inertia[0] * own[0] + inertia[1] * own[1] + inertia[2] * own[2],
                       inertia[1] * own[0] + inertia[3] * own[1] + inertia[4] * own[2],
                       inertia[2] * own[0] + inertia[4] * own[1] + inertia[5] * own[2]};
  turned(s.orientation, h, spin);
  momentum[0] += spin[0] + m * (x[1] * v[2] - x[2] * v[1]);
  momentum[1] += spin[1] + m * (x[2] * v[0] - x[0] * v[2]);
  momentum[2] += spin[2] + m * (x[0] * v[1] - x[1] * v[0]);
}

/* All bodies as one that turns about the origin. */
static void spin_set(talus_world *world, int32_t body, const double *w) {
  talus_body_state s = place_state(world, body);
  memcpy(s.spin, w, sizeof s.spin);
  s.velocity[0] = w[1] * s.position[2] - w[2] * s.position[1];
  s.velocity[1] = w[2] * s.position[0] - w[0] * s.position[2];
  s.velocity[2] = w[0] * s.position[1] - w[1] * s.position[0];
  MUST(talus_body_set(world, body, &s));
}

/* One box of unlike edges, or two with a joint between them, in space: kind -1 is one. */
static void tumble(int kind, double step, talus_integrator integrator) {
  const double at[2][3] = {{0, 0, 0}, {1, 0, 0}}, middle[3] = {0.5, 0, 0}, w[3] = {1, 2, 3};
  talus_world *const world = world_make(0, step, integrator, TALUS_STABILISE_PROJECTION);
  const int32_t count = kind >= 0 ? 2 : 1;
  for (int32_t i = 0; i < count; i++) {
    box_add(world, i ? 0.1 : 0.3, 0.2, i ? 0.3 : 0.1, at[i]);
    spin_set(world, i, w);
  }
  if (kind >= 0) {
    joint_add(world, (talus_joint_kind)kind, 0, 0, 1, middle, at[1]);
  }
  double before[3] = {0}, after[3] = {0}, change = 0, size = 0, begin = 0, worst = 0;
  for (int i = 0; i < (int)lround(4 / step); i++) {
    const talus_step_report report = place_run(world, 1);
    begin = i == 0 ? report.kinetic : begin;
    worst = fmax(worst, fabs(report.kinetic / begin - 1));
    for (int32_t b = 0; b < count && i == 0; b++) {
      momentum_add(world, b, before);
    }
  }
  for (int32_t b = 0; b < count; b++) {
    momentum_add(world, b, after);
  }
  for (int c = 0; c < 3; c++) {
    change += pow(after[c] - before[c], 2);
    size += before[c] * before[c];
  }
  CHECK_CASE(worst < 1e-3, "joint %d step %g integrator %d: energy by %g", kind, step,
             (int)integrator, worst);
  CHECK_CASE(sqrt(change / size) < 1.5 * step, "joint %d step %g integrator %d: momentum by %g",
             kind, step, (int)integrator, sqrt(change / size));
  talus_world_destroy(world);
}

/* A heavy top at 60 degrees on a ball joint, 20 rad/s about its axis: energy, and the momentum
 * about the vertical. */
static void top(talus_integrator integrator) {
  const double angle = PI / 3, at[3] = {0.2 * sin(angle), 0, 0.2 * cos(angle)};
  const double hook[3] = {0, 0, 0}, w[3] = {20 * sin(angle), 0, 20 * cos(angle)};
  talus_world *const world = world_make(G, 1e-3, integrator, TALUS_STABILISE_PROJECTION);
  const int32_t body = box_add(world, 0.15, 0.15, 0.03, at);
  talus_body_state state = place_state(world, body);
  const double tilt[4] = {cos(0.5 * angle), 0, sin(0.5 * angle), 0};
  memcpy(state.orientation, tilt, sizeof tilt);
  MUST(talus_body_set(world, body, &state));
  spin_set(world, body, w);
  joint_add(world, TALUS_JOINT_BALL, 0, TALUS_NONE, body, hook, at);
  double before[3] = {0}, after[3] = {0}, begin = 0, worst = 0;
  for (int i = 0; i < 3000; i++) {
    const talus_step_report report = place_run(world, 1);
    begin = i == 0 ? energy_of(&report) : begin;
    worst = fmax(worst, fabs(energy_of(&report) / begin - 1));
    if (i == 0) {
      momentum_add(world, body, before);
    }
  }
  momentum_add(world, body, after);
  CHECK_CASE(worst < 0.01, "integrator %d: energy by %g", (int)integrator, worst);
  CHECK_CASE(fabs(after[2] / before[2] - 1) < 0.01, "integrator %d: momentum by %g",
             (int)integrator, after[2] / before[2] - 1);
  talus_world_destroy(world);
}

/* Three bars on hinges or ball joints that turn by so much in a step: nothing is gained. */
static void whirl(talus_joint_kind kind, double turn, talus_integrator integrator) {
  talus_world *const world = world_make(0, 1e-3, integrator, TALUS_STABILISE_PROJECTION);
  const double ball = kind == TALUS_JOINT_BALL;
  const double w[3] = {ball * turn * 600, turn * (ball ? 640 : 1000), ball * turn * 480};
  int32_t other = TALUS_NONE;
  for (int32_t i = 0; i < 3; i++) {
    const double at[3] = {0, 0, -0.5 - i}, point[3] = {0, 0, -i};
    const int32_t bar = box_add(world, 0.1, 0.2, 0.5, at);
    const double own[3] = {w[0] * (1 + 0.2 * i), w[1] * (1 - 0.2 * i), w[2]};
    spin_set(world, bar, own);
    joint_add(world, kind, 0, other, bar, point, at);
    other = bar;
  }
  double begin = 0, most = 0;
  for (int i = 0; i < 300; i++) {
    const talus_step_report report = place_run(world, 1);
    begin = i == 0 ? report.kinetic : begin;
    most = fmax(most, report.kinetic);
  }
  CHECK_CASE(most < 1.05 * begin, "kind %d, %g a step, integrator %d: from %g to %g J", (int)kind,
             turn, (int)integrator, begin, most);
  talus_world_destroy(world);
}

/* ---- a bar that hangs on a mechanism --------------------------------------------------------- */

static void hung(talus_integrator integrator) {
  talus_world *const world = world_make(G, 1e-3, integrator, TALUS_STABILISE_PROJECTION);
  const talus_link_def link = link_pendulum(TALUS_NONE, 0, 2, 0.8, 0.02);
  const int32_t mechanism = links_add(world, &link, 1, NULL, 0);
  const double q = 1.2, v = 0, point[3] = {-0.8 * sin(q), 0, -0.8 * cos(q)};
  const double at[3] = {point[0], 0, point[2] - 0.3};
  MUST(talus_mechanism_set(talus_world_mechanism(world, mechanism), &q, &v));
  const int32_t bar = box_add(world, 0.03, 0.05, 0.3, at);
  joint_add(world, TALUS_JOINT_BALL, 0, talus_link_body(world, mechanism, 0), bar, point, at);
  double worst = 0;
  const double begin = G * (2 * point[2] + at[2]), scale = begin + G * (2 * 0.8 + 1.1);
  for (int i = 0; i < 3000; i++) {
    const talus_step_report report = place_run(world, 1);
    worst = fmax(worst, fabs(energy_of(&report) - begin) / scale);
  }
  CHECK_CASE(worst < 0.005, "integrator %d: %g", (int)integrator, worst);
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  for (int i = 0; i < 2; i++) {
    const talus_integrator integrator = (talus_integrator)i;
    for (int s = 0; s <= TALUS_STABILISE_NONE; s++) {
      pendulum(TALUS_JOINT_HINGE, 0, 2e-3, 6, integrator, (talus_stabilisation)s);
      pendulum(TALUS_JOINT_DISTANCE, 0, 2e-3, 6, integrator, (talus_stabilisation)s);
    }
    pendulum(TALUS_JOINT_HINGE, 0, 1e-3, 10, integrator, TALUS_STABILISE_PROJECTION);
    pendulum(TALUS_JOINT_BALL, 0, 2e-3, 6, integrator, TALUS_STABILISE_PROJECTION);
    pendulum(TALUS_JOINT_DISTANCE, 1, 1e-3, 6, integrator, TALUS_STABILISE_PROJECTION);
    pendulum(TALUS_JOINT_HINGE, 0, 5e-3, 10, integrator, TALUS_STABILISE_PROJECTION);
    chain(TALUS_JOINT_HINGE, 2, 0, 2, integrator);
    chain(TALUS_JOINT_DISTANCE, 2, 0, 4, integrator);
    chain(TALUS_JOINT_DISTANCE, 10, 0, 4, integrator);
    chain(TALUS_JOINT_BALL, 10, 0, 2, integrator);
    chain(TALUS_JOINT_HINGE, 10, 0, 1, integrator);
    for (int kind = -1; kind <= TALUS_JOINT_DISTANCE; kind++) {
      tumble(kind, 1e-3, integrator);
    }
    tumble(-1, 5e-3, integrator);
    top(integrator);
    hung(integrator);
    for (double turn = 0.06; turn < 0.7; turn *= 3) {
      whirl(TALUS_JOINT_HINGE, turn, integrator);
      whirl(TALUS_JOINT_BALL, turn, integrator);
    }
  }
  place_end();
  return check_end();
}
