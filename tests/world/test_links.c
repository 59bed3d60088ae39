/* test_links.c: mechanisms in a world against what is known by other ways: free bodies, chains of
 * joints, numbers worked out by hand, and balances. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "host/math/rotation.h"
#include "host/math/vector.h"
#include "tests/world/links.h"

static const double PI = 3.14159265358979323846;

static talus_world *world_make(double step, double tolerance) {
  talus_world_def def = talus_world_def_default();
  talus_world *world;
  def.step = step;
  def.tolerance = tolerance;
  def.solver.max_iterations = 20000;
  MUST(talus_world_create(place_context, &def, &world));
  return world;
}

static double state_distance(const talus_body_state *a, const talus_body_state *b) {
  double worst = 0;
  for (int c = 0; c < 3; c++) {
    worst = fmax(worst, fabs(a->position[c] - b->position[c]));
    worst = fmax(worst, fabs(a->velocity[c] - b->velocity[c]));
    worst = fmax(worst, fabs(a->spin[c] - b->spin[c]));
  }
  return worst;
}

/* A link on a free joint with a sphere or cube about its centre of mass is a free body. (Of unlike
 * edges the two differ by a step: bodies keep their angular momentum, links their energy.) */
static void one_link(talus_integrator integrator, talus_restitution restitution, int box) {
  talus_body_state end[2];
  for (int linked = 0; linked < 2; linked++) {
    talus_world_def def = talus_world_def_default();
    talus_world *world;
    const double half[3] = {0.07, 0.07, 0.07};
    def.tolerance = 1e-12;
    def.velocity_scale = 1e-12;
    def.solver.max_iterations = 20000;
    def.integrator = integrator;
    def.restitution = restitution;
    MUST(talus_world_create(place_context, &def, &world));
    const int32_t material = place_material(world, 2500, 0.3, 0.5);
    place_floor(world, material);
    int32_t body = box ? place_box(world, material, half, 0, 0, 0.3)
                       : place_sphere(world, material, 0.1, 0, 0, 0.3);
    if (linked) {
      talus_link_def link = link_def(TALUS_LINK_FREE, TALUS_NONE, 0, 0, 0);
      link.mass = talus_body_mass(world, body);
      talus_body_inertia(world, body, link.inertia);
      MUST(talus_body_remove(world, body));
      const int32_t mechanism = links_add(world, &link, 1, NULL, 0);
      body = talus_link_body(world, mechanism, 0);
      box ? link_box(world, body, material, half, 0, 0, 0)
          : link_sphere(world, body, material, 0.1, 0, 0, 0);
      const double q[7] = {0, 0, 0.3, 1, 0, 0, 0}, v[6] = {1, 0.5, 0, 0.3, -2, 1};
      MUST(talus_mechanism_set(talus_world_mechanism(world, mechanism), q, v));
    } else {
      talus_body_state state = place_state(world, body);
      const talus_body_state thrown = {{0, 0, 0.3}, {1, 0, 0, 0}, {1, 0.5, 0}, {0.3, -2, 1}};
      memcpy(state.velocity, thrown.velocity, sizeof state.velocity);
      memcpy(state.spin, thrown.spin, sizeof state.spin);
      MUST(talus_body_set(world, body, &state));
    }
    MUST(talus_body_force(world, body, (const double[3]){1, 2, 3}, (const double[3]){0.1, 0, 0.2}));
    const talus_step_report report = place_run(world, 300);
    end[linked] = place_state(world, body);
    CHECK(report.momentum_error < 1e-12);
    CHECK(report.singular == 0);
    CHECK(talus_body_kind(world, body) == (linked ? TALUS_BODY_LINK : TALUS_BODY_FREE));
    talus_world_destroy(world);
  }
  CHECK_CASE(state_distance(&end[0], &end[1]) < 1e-10, "integrator %d restitution %d box %d: %g",
             (int)integrator, (int)restitution, box, state_distance(&end[0], &end[1]));
}

/* Where the last bob of a chain of `count` is after half a second, begun level: as a mechanism or
 * as bodies and joints. */
static talus_body_state chain_end(int count, double step, int as_links) {
  talus_world *const world = world_make(step, 1e-10);
  const int32_t material = place_material(world, 1000, 0.3, 0);
  talus_link_def link[8];
  int32_t last = TALUS_NONE, other = TALUS_NONE;
  for (int i = 0; i < count; i++) {
    const int32_t ball = place_sphere(world, material, 0.1, 0.4 * (i + 1), 0, 0);
    if (as_links) {
      double inertia[6];
      talus_body_inertia(world, ball, inertia);
      link[i] = link_def(TALUS_LINK_REVOLUTE, i - 1, i > 0 ? 0.4 : 0, 0, 0);
      link[i].axis[1] = 1;
      link[i].axis[2] = 0;
      link[i].mass = talus_body_mass(world, ball);
      link[i].centre[0] = 0.4;
      memcpy(link[i].inertia, inertia, sizeof inertia);
      MUST(talus_body_remove(world, ball));
    } else {
      talus_joint_def joint = talus_joint_def_default(TALUS_JOINT_HINGE);
      int32_t id;
      joint.body_a = other;
      joint.body_b = ball;
      joint.point[0] = 0.4 * i;
      joint.axis[1] = 1;
      joint.axis[2] = 0;
      MUST(talus_joint_add(world, &joint, &id));
      last = other = ball;
    }
  }
  if (as_links) {
    const int32_t mechanism = links_add(world, link, count, NULL, 0);
    last = talus_link_body(world, mechanism, count - 1);
  }
  const talus_step_report report = place_run(world, (int)(0.5 / step + 0.5));
  const talus_body_state state = place_state(world, last);
  CHECK(report.momentum_error < 1e-9);
  talus_world_destroy(world);
  return state;
}

/* Both are of first order: they come together as the step does. */
static void chains(void) {
  double apart[2];
  for (int i = 0; i < 2; i++) {
    const double step = i ? 5e-4 : 1e-3;
    const talus_body_state a = chain_end(4, step, 1), b = chain_end(4, step, 0);
    apart[i] = state_distance(&a, &b);
  }
  CHECK_CASE(apart[0] < 0.05 && apart[1] < 0.6 * apart[0], "%g %g", apart[0], apart[1]);
}

/* A pendulum's bob rests on a stop below: the stop, then the floor, carries it. */
static void stops_and_motors(void) {
  talus_world *const world = world_make(1e-3, 1e-8);
  const int32_t material = place_material(world, 1000, 0.3, 0);
  talus_link_def link[3];
  for (int i = 0; i < 3; i++) {
    link[i] = link_pendulum(TALUS_NONE, 2, 1, 0.5, 0.01);
    link[i].position[1] = i;
  }
  link[0].limited = 1;
  link[0].lower[0] = -0.5;
  link[0].upper[0] = 0.25;
  link[1].motor = TALUS_MOTOR_SERVO;
  link[1].target[0] = -1;
  link[1].response = 0.05;
  link[1].effort = 40;
  link[2].friction = 100; /* holds where it is */
  const int32_t mechanism = links_add(world, link, 3, NULL, 0);
  for (int i = 0; i < 3; i++) {
    link_sphere(world, talus_link_body(world, mechanism, i), material, 0.05, 0, 0, -0.5);
  }
  talus_mechanism *const m = talus_world_mechanism(world, mechanism);
  const double q[3] = {-0.4, 0, 0.7}, v[3] = {3, 0, 0};
  MUST(talus_mechanism_set(m, q, v));
  double now[3], rate[3];
  place_run(world, 120);
  MUST(talus_mechanism_get(m, now, rate));
  CHECK(now[0] < 0.25 + 1e-3);
  place_run(world, 880);
  MUST(talus_mechanism_get(m, now, rate));
  CHECK_CLOSE(now[1], -1, 1e-3);
  CHECK_CLOSE(now[2], 0.7, 1e-12);
  CHECK(now[0] > -0.5 - 1e-3 && now[0] < 0.25 + 1e-3);
  MUST(talus_mechanism_drive(m, 1, (const double[1]){0}, (const double[1]){1}, 40));
  place_run(world, 1000);
  MUST(talus_mechanism_get(m, now, rate));
  CHECK_CLOSE(now[1], 1, 1e-3);
  talus_world_destroy(world);
}

/* A crank of 0.2, a coupler and a rocker of 0.5, pins 0.4 apart; hinges about y. The loop ties the
 * coupler's end to the rocker's. */
static talus_world *four_bar(int directions, double angle, int32_t *mechanism) {
  talus_world *const world = world_make(1e-3, 1e-8);
  talus_link_def link[3];
  for (int i = 0; i < 3; i++) {
    link[i] = link_def(TALUS_LINK_REVOLUTE, i == 1 ? 0 : TALUS_NONE,
                       i == 0 ? 0 : (i == 1 ? 0.2 : 0.4), 0, 1);
    link[i].position[2] = i == 1 ? 0 : 1;
    link[i].axis[1] = -1; /* positive angles lift the x axis */
    link[i].axis[2] = 0;
    link[i].centre[0] = i == 0 ? 0.1 : 0.25;
    link[i].mass = 0.5;
    link[i].inertia[0] = link[i].inertia[3] = link[i].inertia[5] = 1e-3;
  }
  link[0].motor = TALUS_MOTOR_RATE;
  link[0].rate[0] = 4;
  link[0].effort = 20;
  talus_loop_def loop = talus_loop_def_default();
  loop.link_a = 1;
  loop.link_b = 2;
  loop.point_a[0] = loop.point_b[0] = 0.5;
  loop.direction_count = directions;
  const double across[9] = {1, 0, 0, 0, 0, 1, 0, 1, 0};
  memcpy(loop.direction, across, sizeof across);
  *mechanism = links_add(world, link, 3, &loop, 1);
  /* the crank's tip, and where two rods of 0.5 meet above */
  const double x = 0.2 * cos(angle), z = 0.2 * sin(angle);
  const double dx = 0.4 - x, dz = -z, base = sqrt(dx * dx + dz * dz);
  const double rise = acos(0.5 * base / 0.5), along = atan2(dz, dx);
  const double q[3] = {angle, along + rise - angle, PI + along - rise};
  MUST(talus_mechanism_set(talus_world_mechanism(world, *mechanism), q, NULL));
  return world;
}

static double loop_gap(talus_world *world, int32_t mechanism) {
  talus_mechanism *const m = talus_world_mechanism(world, mechanism);
  const double tip[3] = {0.5, 0, 0};
  double a[3], b[3];
  MUST(talus_mechanism_point(m, 1, tip, a, NULL));
  MUST(talus_mechanism_point(m, 2, tip, b, NULL));
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
              (a[2] - b[2]) * (a[2] - b[2]));
}

/* The crank turns round and round and the loop stays closed; a third direction, across the plane,
 * says nothing, which the report tells. */
static void loops(int directions) {
  int32_t mechanism;
  talus_world *const world = four_bar(directions, 0.3, &mechanism);
  CHECK_CLOSE(loop_gap(world, mechanism), 0, 1e-12);
  double worst = 0, balance = 0;
  for (int i = 0; i < 1600; i++) {
    const talus_step_report report = place_run(world, 1);
    worst = fmax(worst, loop_gap(world, mechanism));
    balance = fmax(balance, report.momentum_error);
    CHECK(report.singular == directions - 2);
    CHECK(report.energy_error < 1e-6);
  }
  double q[3], v[3];
  MUST(talus_mechanism_get(talus_world_mechanism(world, mechanism), q, v));
  CHECK_CASE(worst < 1e-4, "gap %g", worst);
  CHECK(balance < 1e-10);
  CHECK_CLOSE(q[0], 0.3 + 4 * 1.6, 0.05);
  talus_world_destroy(world);
}

/* A parallelogram lies flat: the two rows of its loop pull along the same line. It goes on, out of
 * the singular place, and the report names it while it is there. */
static void flat_loop(void) {
  talus_world *const world = world_make(1e-3, 1e-8);
  talus_link_def link[3];
  for (int i = 0; i < 3; i++) {
    link[i] = link_def(TALUS_LINK_REVOLUTE, i == 1 ? 0 : TALUS_NONE, i == 0 ? 0 : 0.4, 0, 0);
    link[i].axis[1] = -1;
    link[i].axis[2] = 0;
    link[i].centre[0] = 0.2;
    link[i].inertia[0] = link[i].inertia[3] = link[i].inertia[5] = 0.01;
  }
  talus_loop_def loop = talus_loop_def_default();
  loop.link_a = 1;
  loop.link_b = 2;
  loop.point_a[0] = loop.point_b[0] = 0.4;
  loop.direction_count = 2;
  loop.direction[3] = loop.direction[4] = 0;
  loop.direction[5] = 1;
  const int32_t mechanism = links_add(world, link, 3, &loop, 1);
  talus_step_report report = place_run(world, 1);
  CHECK(report.singular == 1);
  report = place_run(world, 400);
  CHECK(report.singular == 0);
  CHECK(report.potential < -0.1);
  talus_mechanism *const m = talus_world_mechanism(world, mechanism);
  const double tip[3] = {0.4, 0, 0};
  double a[3], b[3];
  MUST(talus_mechanism_point(m, 1, tip, a, NULL));
  MUST(talus_mechanism_point(m, 2, tip, b, NULL));
  CHECK_CLOSE(a[0], b[0], 1e-4);
  CHECK_CLOSE(a[2], b[2], 1e-4);
  talus_world_destroy(world);
}

/* A joint that is added after the mechanism was set sees it where it is: a pendulum that a ball
 * joint ties to the world at its tip stays there. */
static void tied(void) {
  talus_world *const world = world_make(1e-3, 1e-10);
  const talus_link_def link = link_pendulum(TALUS_NONE, 2, 1, 0.5, 0.01);
  const int32_t mechanism = links_add(world, &link, 1, NULL, 0),
                body = talus_link_body(world, 0, 0);
  const double q[1] = {0.5};
  MUST(talus_mechanism_set(talus_world_mechanism(world, mechanism), q, NULL));
  talus_joint_def tie = talus_joint_def_default(TALUS_JOINT_DISTANCE);
  int32_t joint;
  tie.body_b = body;
  MUST(talus_mechanism_point(talus_world_mechanism(world, mechanism), 0, link.centre, tie.point_b,
                             NULL));
  tie.point[2] = 1;
  MUST(talus_joint_add(world, &tie, &joint));
  const double length = talus_joint_coordinate(world, joint);
  const talus_step_report report = place_run(world, 300);
  double now[1];
  MUST(talus_mechanism_get(talus_world_mechanism(world, mechanism), now, NULL));
  CHECK_CLOSE(now[0], 0.5, 1e-6);
  CHECK_CLOSE(talus_joint_coordinate(world, joint), length, 1e-6);
  CHECK(report.momentum_error < 1e-9);
  talus_world_destroy(world);
}

/* A box on a slider falls on a grain that lies on the floor: the grain carries it, the floor both.
 * Neighbours in the tree overlap and do not touch. */
static void weight(void) {
  talus_world *const world = world_make(1e-3, 1e-8);
  const int32_t material = place_material(world, 1000, 0.3, 0);
  const int32_t floor = place_floor(world, material);
  const int32_t ball = place_sphere(world, material, 0.1, 0.02, 0, 0.1);
  talus_link_def link[2] = {link_def(TALUS_LINK_PRISMATIC, TALUS_NONE, 0, 0, 0.3),
                            link_def(TALUS_LINK_PRISMATIC, 0, 0, 0, 0)};
  link[1].mass = 3;
  link[1].axis[2] = 0;
  link[1].axis[0] = 1;
  link[1].friction = 1000;
  const int32_t mechanism = links_add(world, link, 2, NULL, 0);
  const double half[3] = {0.2, 0.2, 0.05};
  for (int i = 0; i < 2; i++) {
    link_box(world, talus_link_body(world, mechanism, i), material, half, 0, 0, 0);
  }
  /* one box is enough on the grain: lift the second */
  talus_joint_def tie = talus_joint_def_default(TALUS_JOINT_BALL);
  int32_t joint;
  tie.body_a = talus_link_body(world, mechanism, 1);
  tie.body_b = place_sphere(world, material, 0.02, 0, 0, 0.6);
  tie.point[2] = 0.6;
  MUST(talus_joint_add(world, &tie, &joint));
  place_run(world, 1500);
  const talus_contact *contact;
  const int32_t count = talus_world_contacts(world, &contact);
  double on_ball = 0, on_floor = 0;
  for (int32_t k = 0; k < count; k++) {
    int32_t m, l;
    CHECK(!(talus_body_link(world, contact[k].body_a, &m, &l) &&
            talus_body_link(world, contact[k].body_b, &m, &l)));
    const int with_floor = contact[k].body_a == floor || contact[k].body_b == floor;
    (*(with_floor ? &on_floor : &on_ball)) += fabs(contact[k].impulse[2]);
  }
  const double tied = talus_body_mass(world, tie.body_b);
  CHECK_CLOSE(on_ball, (4 + tied) * 9.81e-3, 1e-5);
  CHECK_CLOSE(on_floor, (4 + tied + talus_body_mass(world, ball)) * 9.81e-3, 1e-5);
  CHECK_CLOSE(place_state(world, tie.body_b).velocity[2], 0, 1e-6);
  talus_world_destroy(world);
}

/* A free top of three unlike moments of inertia, spun about the middle one, as a link on a free
 * joint and as a body: 20 s without gravity. Energy and angular momentum stay. */
static void top(bool linked, bool offset) {
  talus_world_def def = talus_world_def_default();
  talus_world *world;
  const double half[3] = {0.02, 0.05, 0.1};
  def.gravity[2] = 0;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t material = place_material(world, 2500, 0, 0);
  int32_t body = place_box(world, material, half, 0, 0, 0);
  const double mass = talus_body_mass(world, body);
  double inertia[6];
  talus_body_inertia(world, body, inertia);
  if (linked) {
    talus_link_def link = link_def(TALUS_LINK_FREE, TALUS_NONE, 0, 0, 0);
    link.mass = mass;
    memcpy(link.inertia, inertia, sizeof inertia);
    link.centre[0] = offset ? 0.03 : 0;
    MUST(talus_body_remove(world, body));
    const int32_t mechanism = links_add(world, &link, 1, NULL, 0);
    body = talus_link_body(world, mechanism, 0);
    const double q[7] = {0, 0, 0, 1, 0, 0, 0}, v[6] = {0, 0, 0, 0.5, 20, 0.3};
    MUST(talus_mechanism_set(talus_world_mechanism(world, mechanism), q, v));
  } else {
    talus_body_state state = place_state(world, body);
    state.spin[0] = 0.5;
    state.spin[1] = 20;
    state.spin[2] = 0.3;
    MUST(talus_body_set(world, body, &state));
  }
  double first = 0, worst = 0, momentum[3] = {0}, off = 0;
  for (int n = 0; n <= 20000; n++) {
    const talus_body_state s = place_state(world, body);
    double rotation[9], own[3], spin[3], turned[3];
    tl_quaternion_matrix(s.orientation, rotation);
    tl_turn_back3(own, rotation, s.spin);
    tl_sym3(spin, inertia, own);
    tl_turn3(turned, rotation, spin);
    const double energy = 0.5 * tl_dot3(own, spin) + 0.5 * mass * tl_dot3(s.velocity, s.velocity);
    if (n == 0) {
      first = energy;
      memcpy(momentum, turned, sizeof momentum);
    }
    double difference[3];
    tl_sub3(difference, turned, momentum);
    worst = fmax(worst, fabs(energy / first - 1));
    off = fmax(off, tl_norm3(difference) / tl_norm3(momentum));
    MUST(talus_world_step(world, NULL));
  }
  printf("top, %s%s: energy off by at most %.2g, angular momentum by %.2g\n",
         linked ? "link" : "body", offset ? ", off its joint" : "", worst, off);
  CHECK_CASE(worst < (offset ? 2e-2 : 1e-3) && off < 5e-2, "linked %d: %g, %g", linked, worst, off);
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  for (int i = 0; i < 8; i++) {
    one_link(i & 1 ? TALUS_INTEGRATOR_MIDPOINT : TALUS_INTEGRATOR_EULER,
             i & 2 ? TALUS_RESTITUTION_POISSON : TALUS_RESTITUTION_NEWTON, i >> 2);
  }
  chains();
  stops_and_motors();
  loops(2);
  loops(3);
  flat_loop();
  tied();
  weight();
  top(false, false);
  top(true, false);
  top(true, true);
  place_end();
  return check_end();
}
