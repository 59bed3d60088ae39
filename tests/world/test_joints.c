/* test_joints.c: stops, motors, friction and ropes, with numbers worked out by hand. */
#include <math.h>
#include <string.h>

#include "host/world/state.h"
#include "tests/world/place.h"

static const double PI = 3.14159265358979323846;
enum { RADIUS_CM = 10 };

static talus_world *world_make(double gravity, double step) {
  talus_world_def def = talus_world_def_default();
  def.gravity[2] = -gravity;
  def.step = step;
  def.tolerance = 1e-10;
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  return world;
}

/* A ball of 1 kg, radius 0.1 m: I = 0.004 kg m2 about its centre. */
static int32_t ball_make(talus_world *world, double x, double y, double z) {
  const double radius = RADIUS_CM / 100.0;
  const int32_t material =
      place_material(world, 1 / (4.0 / 3 * PI * radius * radius * radius), 0.5, 0);
  return place_sphere(world, material, radius, x, y, z);
}

static talus_joint_def hinge_about_y(int32_t body) {
  talus_joint_def def = talus_joint_def_default(TALUS_JOINT_HINGE);
  def.body_b = body;
  def.axis[2] = 0;
  def.axis[1] = 1;
  return def;
}

static talus_joint_state joint_state(const talus_world *world, int32_t joint) {
  talus_joint_state state = talus_joint_state_default();
  MUST(talus_joint_get(world, joint, &state));
  return state;
}

/* A pendulum of 1 m let go at 1 rad falls 0.8 rad onto a stop. Turning about +y takes a ball that
 * hangs at x > 0 towards the lowest point. */
static void stop(double restitution) {
  talus_world *const world = world_make(9.81, 1e-3);
  const int32_t ball = ball_make(world, sin(1), 0, -cos(1));
  talus_joint_def def = hinge_about_y(ball);
  def.limited = 1;
  def.lower = -0.1;
  def.upper = 0.8;
  def.restitution = restitution;
  int32_t joint;
  MUST(talus_joint_add(world, &def, &joint));
  const double start = -9.81 * cos(1), slop = 2e-4;
  double highest = 0, energy = -1e9, energy_error = 0, momentum_error = 0, before = 0, after = 0;
  int met = 0;
  for (int i = 0; i < 4000; i++) {
    const double rate = joint_state(world, joint).rate;
    const talus_step_report report = place_run(world, 1);
    const talus_joint_state state = joint_state(world, joint);
    highest = fmax(highest, state.coordinate);
    energy = fmax(energy, report.kinetic + report.potential);
    energy_error = fmax(energy_error, report.energy_error);
    momentum_error = fmax(momentum_error, report.momentum_error);
    before = met == 0 && state.stop < 0 ? rate : before;
    met += met > 0 || state.stop < 0;
    after = met == 2 ? state.rate : after; /* the step that meets the stop may just reach it */
  }
  CHECK_CASE(highest <= 0.8 + 2 * slop && highest > 0.79, "angle up to %.9g", highest);
  CHECK_CASE(energy <= start + 0.01, "energy up to %g from %g", energy, start);
  CHECK_CASE(energy_error < 1e-9 && momentum_error < 1e-9, "%g %g", energy_error, momentum_error);
  /* 1/2 I rate^2 = m g (cos 0.2 - cos 1) */
  const double fast = sqrt(2 * 9.81 * (cos(0.2) - cos(1)) / 1.004);
  CHECK_CASE(fabs(before - fast) < 0.02, "meets the stop at %g, not %g", before, fast);
  CHECK_CASE(fabs(after + restitution * before) < 0.03, "leaves at %g", after);
  /* it lies on the stop, which carries m g sin 0.2 */
  const talus_joint_state state = joint_state(world, joint);
  CHECK_CASE(fabs(state.rate) < 1e-6 && fabs(state.coordinate - 0.8) < 2 * slop, "%g at %g",
             state.rate, state.coordinate);
  CHECK_CASE(fabs(state.stop / 1e-3 + 9.81 * sin(0.2)) < 0.01, "stop %g N m", state.stop / 1e-3);
  CHECK_CASE(fabs(state.impulse[2] / 1e-3 - 9.81) < 1e-2, "bears %g N", state.impulse[2] / 1e-3);
  talus_world_destroy(world);
}

/* A motor without limit turns at its rate from the first step on, over many turns. One of 0.2 N m
 * takes I rate / T = 1.004 * 10 / 0.2 s to get there. */
static void motor(void) {
  talus_world *const world = world_make(0, 1e-3);
  const int32_t first = ball_make(world, 1, 0, 0), second = ball_make(world, 1, 5, 0);
  talus_joint_def def = hinge_about_y(first);
  def.motor = TALUS_MOTOR_RATE;
  def.rate = 10;
  int32_t strong, weak;
  MUST(talus_joint_add(world, &def, &strong));
  def.body_b = second;
  def.point[1] = 5;
  def.effort = 0.2;
  MUST(talus_joint_add(world, &def, &weak));
  place_run(world, 1);
  CHECK_CLOSE(joint_state(world, strong).rate, 10, 1e-7);
  CHECK(joint_state(world, weak).motor == 0.2 * 1e-3);
  place_run(world, 999);
  CHECK_CLOSE(joint_state(world, strong).coordinate, 10, 2e-6);
  CHECK_CLOSE(joint_state(world, weak).rate, 0.2 / 1.004, 1e-4);
  CHECK(joint_state(world, weak).motor == 0.2 * 1e-3);
  MUST(talus_joint_drive(world, weak, -1, 0, 1e3));
  place_run(world, 100);
  CHECK_CLOSE(joint_state(world, weak).rate, -1, 1e-6);
  CHECK(talus_joint_drive(world, weak, NAN, 0, 1) == TALUS_BAD_SETTING);
  talus_world_destroy(world);
}

/* An arm of 1 m held level against gravity needs m g = 9.81 N m. A motor of 12 holds it, with just
 * that; one of 8 stalls at exactly 8, and the arm falls with (9.81 - 8) / I. */
static void load(double effort) {
  talus_world *const world = world_make(9.81, 1e-3);
  const int32_t ball = ball_make(world, 1, 0, 0);
  talus_joint_def def = hinge_about_y(ball);
  def.motor = TALUS_MOTOR_RATE;
  def.effort = effort;
  int32_t joint;
  MUST(talus_joint_add(world, &def, &joint));
  place_run(world, 20);
  const talus_joint_state state = joint_state(world, joint);
  if (effort > 9.81) {
    CHECK_CLOSE(state.rate, 0, 1e-7);
    CHECK_CLOSE(state.motor, -9.81e-3, 1e-9); /* turning about +y would lower it */
  } else {
    CHECK(state.motor == -effort * 1e-3);
    CHECK_CLOSE(state.rate, 0.02 * (9.81 - effort) / 1.004, 1e-5);
  }
  talus_world_destroy(world);
}

/* A ball on a rope of 1 m, 0.4 m below its hook, falls freely, then hangs: tension m g. */
static void rope(void) {
  talus_world *const world = world_make(9.81, 1e-3);
  const int32_t ball = ball_make(world, 0, 0, -0.4);
  talus_joint_def def = talus_joint_def_default(TALUS_JOINT_DISTANCE);
  def.body_b = ball;
  def.point_b[2] = -0.4;
  def.limited = 1;
  def.upper = 1;
  int32_t joint;
  MUST(talus_joint_add(world, &def, &joint));
  place_run(world, 200);
  CHECK_CLOSE(joint_state(world, joint).coordinate, 0.4 + 9.81e-6 * 200 * 201 / 2, 1e-9);
  CHECK(joint_state(world, joint).stop == 0);
  double longest = 0;
  for (int i = 0; i < 800; i++) {
    place_run(world, 1);
    longest = fmax(longest, joint_state(world, joint).coordinate);
  }
  const talus_joint_state state = joint_state(world, joint);
  CHECK_CASE(longest < 1 + 5e-5 && longest > 0.999, "longest %.9g", longest);
  CHECK_CLOSE(state.rate, 0, 1e-6);
  CHECK_CLOSE(state.impulse[2], 9.81e-3, 1e-6);
  CHECK_CLOSE(state.stop, -9.81e-3, 1e-6);
  talus_world_destroy(world);
}

/* A slider along x: ends at -0.2 and 0.3; a motor of 3 N pushes it there and goes on pushing. */
static void slider(void) {
  talus_world *const world = world_make(0, 1e-3);
  const int32_t ball = ball_make(world, 0, 0, 0);
  talus_joint_def def = talus_joint_def_default(TALUS_JOINT_SLIDER);
  def.body_b = ball;
  def.axis[0] = 1;
  def.axis[2] = 0;
  def.limited = 1;
  def.lower = -0.2;
  def.upper = 0.3;
  def.motor = TALUS_MOTOR_RATE;
  def.rate = 0.5;
  def.effort = 3;
  int32_t joint;
  MUST(talus_joint_add(world, &def, &joint));
  for (int end = 0; end < 2; end++) {
    double furthest = 0;
    MUST(talus_joint_drive(world, joint, end ? -0.5 : 0.5, 0, 3));
    for (int i = 0; i < 2000; i++) {
      place_run(world, 1);
      furthest = fmax(furthest, (end ? -1 : 1) * joint_state(world, joint).coordinate);
    }
    const talus_joint_state state = joint_state(world, joint);
    CHECK_CASE(fabs(furthest - (end ? 0.2 : 0.3)) < 5e-5, "end %d: %.9g", end, furthest);
    CHECK_CLOSE(state.rate, 0, 1e-7);
    CHECK(state.motor == (end ? -3e-3 : 3e-3));
    CHECK_CLOSE(state.stop, end ? 3e-3 : -3e-3, 1e-9);
    CHECK_CLOSE(place_state(world, ball).position[2], 0, 1e-9);
  }
  talus_world_destroy(world);
}

/* Dry friction of 2 N stops 1 kg from 1 m/s within v^2 m / 2 F = 0.25 m; a pull of 1.9 N does not
 * move it then, one of 2.5 N does, with 0.5 m/s2. */
static void friction(void) {
  talus_world *const world = world_make(0, 1e-3);
  const int32_t ball = ball_make(world, 0, 0, 0);
  talus_joint_def def = talus_joint_def_default(TALUS_JOINT_SLIDER);
  def.body_b = ball;
  def.axis[0] = 1;
  def.axis[2] = 0;
  def.friction = 2;
  int32_t joint;
  MUST(talus_joint_add(world, &def, &joint));
  talus_body_state state = place_state(world, ball);
  state.velocity[0] = 1;
  MUST(talus_body_set(world, ball, &state));
  place_run(world, 1000);
  CHECK_CLOSE(joint_state(world, joint).coordinate, 0.25, 1e-3);
  CHECK_CLOSE(joint_state(world, joint).rate, 0, 1e-9);
  const double none[3] = {0, 0, 0}, little[3] = {1.9, 0, 0}, more[3] = {2.5, 0, 0};
  MUST(talus_body_force(world, ball, little, none));
  place_run(world, 100);
  CHECK_CLOSE(joint_state(world, joint).rate, 0, 1e-9);
  CHECK_CLOSE(joint_state(world, joint).friction, -1.9e-3, 1e-9);
  MUST(talus_body_force(world, ball, more, none));
  place_run(world, 100);
  CHECK_CLOSE(joint_state(world, joint).rate, 0.1 * 0.5, 1e-6);
  CHECK(joint_state(world, joint).friction == -2e-3);
  talus_world_destroy(world);
}

/* A servo lifts an arm to 1 rad against gravity and keeps it there; at most 2 rad/s. */
static void servo(void) {
  talus_world *const world = world_make(9.81, 1e-3);
  const int32_t ball = ball_make(world, 0, 0, -1);
  talus_joint_def def = hinge_about_y(ball);
  def.motor = TALUS_MOTOR_SERVO;
  def.target = 1;
  def.response = 0.05;
  def.rate = 2;
  def.effort = 40;
  int32_t joint;
  MUST(talus_joint_add(world, &def, &joint));
  double fastest = 0, highest = 0;
  for (int i = 0; i < 1500; i++) {
    place_run(world, 1);
    fastest = fmax(fastest, joint_state(world, joint).rate);
    highest = fmax(highest, joint_state(world, joint).coordinate);
  }
  CHECK_CASE(fastest <= 2 + 1e-6 && fastest > 1.9, "%g rad/s", fastest);
  CHECK_CASE(highest <= 1 + 1e-6, "%g rad", highest);
  CHECK_CLOSE(joint_state(world, joint).coordinate, 1, 1e-6);
  CHECK_CLOSE(joint_state(world, joint).motor, 9.81e-3 * sin(1), 1e-6);
  talus_world_destroy(world);
}

/* A ball joint swings within a cone of 0.5 rad about its axis, pushed aside by a force. */
static void cone(void) {
  talus_world *const world = world_make(9.81, 1e-3);
  const int32_t ball = ball_make(world, 0, 0, -1);
  talus_joint_def def = talus_joint_def_default(TALUS_JOINT_BALL);
  def.body_b = ball;
  def.limited = 1;
  def.upper = 0.5;
  int32_t joint;
  MUST(talus_joint_add(world, &def, &joint));
  const double side[3] = {20, 10, 0}, none[3] = {0, 0, 0};
  MUST(talus_body_force(world, ball, side, none));
  double widest = 0;
  for (int i = 0; i < 2000; i++) {
    place_run(world, 1);
    widest = fmax(widest, joint_state(world, joint).coordinate);
  }
  CHECK_CASE(widest < 0.5 + 5e-4 && widest > 0.499, "swings to %.9g", widest);
  const talus_body_state state = place_state(world, ball);
  CHECK_CLOSE(hypot(state.position[0], state.position[1]), sin(0.5), 1e-2);
  talus_world_destroy(world);
}

/* Poisson's two phases share one effort: a ball hits a block on a slider whose motor of 3 N holds
 * it at rest. Momentum 0.5 N s is far more than 3 N can take in a step, so the motor stalls. */
static void phases(void) {
  talus_world_def def = talus_world_def_default();
  def.gravity[2] = 0;
  def.restitution = TALUS_RESTITUTION_POISSON;
  def.tolerance = 1e-9;
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t block = ball_make(world, 0, 0, 0);
  const int32_t material = place_material(world, 1000, 0.3, 0.8);
  const int32_t ball = place_sphere(world, material, 0.05, -0.2, 0, 0);
  talus_joint_def slide = talus_joint_def_default(TALUS_JOINT_SLIDER);
  slide.body_b = block;
  slide.axis[0] = 1;
  slide.axis[2] = 0;
  slide.motor = TALUS_MOTOR_RATE;
  slide.effort = 3;
  int32_t joint, stalled = 0;
  MUST(talus_joint_add(world, &slide, &joint));
  talus_body_state state = place_state(world, ball);
  state.velocity[0] = 1;
  MUST(talus_body_set(world, ball, &state));
  for (int i = 0; i < 300; i++) {
    const talus_step_report report = place_run(world, 1);
    const double motor = joint_state(world, joint).motor;
    CHECK_CASE(fabs(motor) <= 3e-3 * (1 + 1e-15), "step %d: %.17g", i, motor);
    CHECK_CASE(report.energy_error < 1e-9 && report.momentum_error < 1e-9, "step %d: %g %g", i,
               report.energy_error, report.momentum_error);
    stalled += motor < -2.9e-3;
  }
  CHECK_CASE(stalled > 10, "stalled in %d steps", stalled);
  CHECK_CASE(place_state(world, ball).velocity[0] < 0.2, "%g",
             place_state(world, ball).velocity[0]);
  talus_world_destroy(world);
}

/* In the plane x-z a motor on a hinge about y. */
static void plane(void) {
  talus_world_def def = talus_world_def_default();
  def.plane = 1;
  def.tolerance = 1e-9;
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t ball = ball_make(world, 1, 0, 0);
  talus_joint_def hinge = hinge_about_y(ball);
  hinge.motor = TALUS_MOTOR_RATE;
  hinge.rate = -3;
  int32_t joint;
  MUST(talus_joint_add(world, &hinge, &joint));
  place_run(world, 500);
  CHECK_CLOSE(joint_state(world, joint).coordinate, -1.5, 1e-4);
  CHECK(place_state(world, ball).position[1] == 0);
  talus_world_destroy(world);
}

/* ---- restart --------------------------------------------------------------------------------- */

/* A driven arm with a second one on it that has stops and friction, and a rope. */
static talus_world *machine_make(void) {
  talus_world *const world = world_make(9.81, 2e-3);
  const int32_t arm = ball_make(world, 0.5, 0, 0), hand = ball_make(world, 1, 0, 0);
  const int32_t weight = ball_make(world, 1, 0, -0.6);
  talus_joint_def def = hinge_about_y(arm);
  def.motor = TALUS_MOTOR_RATE;
  def.rate = 9;
  def.effort = 60;
  MUST(talus_joint_add(world, &def, NULL));
  def = hinge_about_y(hand);
  def.body_a = arm;
  def.point[0] = 0.75;
  def.limited = 1;
  def.lower = -0.4;
  def.upper = 0.7;
  def.restitution = 0.3;
  def.friction = 0.05;
  MUST(talus_joint_add(world, &def, NULL));
  def = talus_joint_def_default(TALUS_JOINT_DISTANCE);
  def.body_a = hand;
  def.body_b = weight;
  def.point[0] = def.point_b[0] = 1;
  def.point_b[2] = -0.6;
  def.limited = 1;
  def.upper = 0.7;
  MUST(talus_joint_add(world, &def, NULL));
  def = talus_joint_def_default(TALUS_JOINT_BALL);
  def.body_b = weight;
  def.point[0] = 1;
  def.point[2] = -0.6;
  MUST(talus_joint_add(world, &def, NULL));
  return world;
}

/* What happens on the way: the weight is let go, the motor turns back. */
static void machine_run(talus_world *world, int from, int to) {
  for (int i = from; i < to; i++) {
    if (i == 50) {
      MUST(talus_joint_remove(world, 3));
    }
    if (i == 500) {
      MUST(talus_joint_drive(world, 0, -9, 0, 50));
    }
    place_run(world, 1);
  }
}

static void restart(void) {
  talus_world *const through = machine_make(), *const half = machine_make();
  talus_world *const again = machine_make();
  machine_run(through, 0, 1200);
  machine_run(half, 0, 600);
  CHECK(talus_joint_coordinate(half, 0) > 2 * PI);
  tl_world_state state;
  tl_world_state_measure(half, &state);
  state.body = calloc((size_t)state.body_count * TL_STATE_BODY, sizeof(double));
  state.carried = calloc((size_t)state.body_count * 3, sizeof(double));
  state.id = calloc((size_t)state.body_count + (size_t)state.joint_count, sizeof(int32_t));
  state.contact_key = calloc((size_t)state.contact_count * 3 + 1, sizeof(int32_t));
  state.contact_value = calloc((size_t)state.contact_count * TL_STATE_CONTACT + 1, sizeof(double));
  state.joint = calloc((size_t)state.joint_count * TL_STATE_JOINT, sizeof(double));
  tl_world_state_save(half, &state);
  MUST(tl_world_state_load(again, &state));
  for (int32_t j = 0; j < 3; j++) { /* what is read back is the same before any step, too */
    const talus_joint_state a = joint_state(half, j), b = joint_state(again, j);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
  }
  CHECK(isnan(talus_joint_coordinate(again, 3)));
  machine_run(again, 600, 1200);
  for (int32_t i = 0; i < 3; i++) {
    const talus_body_state a = place_state(through, i), b = place_state(again, i);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
    const talus_joint_state c = joint_state(through, i), d = joint_state(again, i);
    CHECK(memcmp(&c, &d, sizeof c) == 0);
  }
  state.joint[3] = NAN;
  CHECK(tl_world_state_load(again, &state) == TALUS_NOT_FINITE);
  free(state.body);
  free(state.carried);
  free(state.id);
  free(state.contact_key);
  free(state.contact_value);
  free(state.joint);
  talus_world_destroy(through);
  talus_world_destroy(half);
  talus_world_destroy(again);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refused(talus_world *world, talus_joint_def def, talus_status wanted,
                    const char *text) {
  const talus_status status = talus_joint_add(world, &def, NULL);
  CHECK_CASE(status == wanted && strstr(talus_context_message(place_context), text) != NULL,
             "%s: %s", talus_status_name(status), talus_context_message(place_context));
}

/* Two balls that touch where a ball joint holds them, spinning without gravity: the joint takes no
 * work, so that what they have in the end is what they had, and no contact is among them. Returns
 * the kinetic energy in the end over that at first. */
static double touching(int32_t collide, int32_t *contacts) {
  talus_world *const world = world_make(0, 1e-3);
  const int32_t a = ball_make(world, -0.1, 0, 0), b = ball_make(world, 0.1, 0, 0);
  talus_joint_def def = talus_joint_def_default(TALUS_JOINT_BALL);
  def.body_a = a;
  def.body_b = b;
  def.collide = collide;
  MUST(talus_joint_add(world, &def, NULL));
  talus_body_state state;
  MUST(talus_body_get(world, a, &state));
  state.spin[1] = 1;
  state.spin[2] = 0.3;
  MUST(talus_body_set(world, a, &state));
  MUST(talus_body_get(world, b, &state));
  state.velocity[1] = 0.2;
  state.velocity[2] = 0.1;
  MUST(talus_body_set(world, b, &state));
  const double begin = place_run(world, 1).kinetic;
  double end = 0;
  *contacts = 0;
  for (int i = 0; i < 2000; i++) {
    const talus_step_report report = place_run(world, 1);
    *contacts = report.contact_count > *contacts ? report.contact_count : *contacts;
    end = report.kinetic;
  }
  talus_world_destroy(world);
  return end / begin;
}

static void contacts_of_joined(void) {
  int32_t contacts;
  const double by_itself = touching(TALUS_JOINT_COLLIDE_AUTO, &contacts);
  CHECK(contacts == 0);
  CHECK(fabs(by_itself - 1) < 0.02);
  CHECK(touching(TALUS_JOINT_COLLIDE_NO, &contacts) == by_itself && contacts == 0);
  touching(TALUS_JOINT_COLLIDE_YES, &contacts);
  CHECK(contacts > 0);
}

static void refusals(void) {
  talus_world *const world = world_make(9.81, 1e-3);
  const talus_joint_def good = hinge_about_y(ball_make(world, 1, 0, 0));
  talus_joint_def def = good;
  def.limited = 1;
  def.lower = 1;
  refused(world, def, TALUS_BAD_SETTING, "lower limit 1 is not below the upper limit 0");
  def.upper = 2;
  refused(world, def, TALUS_BAD_SETTING, "begins at 0, outside its limits 1 and 2");
  def.lower = NAN;
  refused(world, def, TALUS_BAD_SETTING, "lower limit");
  def = good;
  def.collide = 3;
  refused(world, def, TALUS_BAD_SETTING, "collide 3 is unknown");
  def = good;
  def.motor = TALUS_MOTOR_RATE;
  def.effort = -1;
  refused(world, def, TALUS_BAD_SETTING, "effort -1");
  def.kind = TALUS_JOINT_BALL;
  refused(world, def, TALUS_UNSUPPORTED, "motors and friction");
  def = good;
  def.restitution = 2;
  refused(world, def, TALUS_BAD_SETTING, "restitution 2");
  def = good;
  def.point[1] = NAN;
  refused(world, def, TALUS_NOT_FINITE, "point");
  def = good;
  def.kind = TALUS_JOINT_FIXED;
  def.limited = 1;
  refused(world, def, TALUS_UNSUPPORTED, "fixed");
  int32_t joint;
  MUST(talus_joint_add(world, &good, &joint));
  CHECK(talus_joint_drive(world, joint, 1, 0, 1) == TALUS_CALL_ORDER);
  CHECK(talus_joint_drive(world, 7, 1, 0, 1) == TALUS_INDEX_RANGE);
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  stop(0);
  stop(0.5);
  motor();
  load(12);
  load(8);
  rope();
  slider();
  friction();
  servo();
  cone();
  phases();
  plane();
  restart();
  contacts_of_joined();
  refusals();
  place_end();
  return check_end();
}
