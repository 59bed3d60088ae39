/* test_springs.c: contacts that give way, against closed forms: overlaps at rest, a tangential
 * spring that holds without creep, restitution by impulse and by damper, the speed of sound of a
 * linear chain, Nesterenko's solitary wave in a chain after Hertz, an exact restart. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "talus/talus_io.h"
#include "tests/world/place_restart.h"

static const double PI = 3.14159265358979323846, G = 9.81;

static talus_world *world_make(double step, double gx, double gz) {
  talus_world_def def = talus_world_def_default();
  def.step = step;
  def.tolerance = 1e-8;
  def.gravity[0] = gx;
  def.gravity[2] = gz;
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  return world;
}

static int32_t soft_material(talus_world *world, double stiffness, double young,
                             double restitution) {
  talus_material_def def = talus_material_def_default();
  def.stiffness = stiffness;
  def.young = young;
  def.restitution = restitution;
  int32_t material;
  MUST(talus_material_add(world, &def, &material));
  return material;
}

/* ---- at rest --------------------------------------------------------------------------------- */

/* m g = k d. */
static void linear_rest(double stiffness) {
  talus_world *const world = world_make(1e-3, 0, -G);
  const int32_t material = soft_material(world, stiffness, 0, 0);
  place_floor(world, material);
  const int32_t ball = place_sphere(world, material, 0.05, 0, 0, 0.05);
  const double weight = G * talus_body_mass(world, ball);
  place_run(world, 3000);
  CHECK_CLOSE((0.05 - place_state(world, ball).position[2]) * stiffness / weight, 1, 1e-4);
  talus_world_destroy(world);
}

/* m g = 4/3 E* sqrt(R) d^(3/2), E* = E / (2 (1 - nu^2)) against the same material. */
static void hertz_rest(double young) {
  talus_world *const world = world_make(1e-3, 0, -G);
  const int32_t material = soft_material(world, 0, young, 0);
  place_floor(world, material);
  const int32_t ball = place_sphere(world, material, 0.05, 0, 0, 0.05);
  const double weight = G * talus_body_mass(world, ball);
  place_run(world, 3000);
  const double d = 0.05 - place_state(world, ball).position[2];
  const double force = 4.0 / 3 * young / (2 * (1 - 0.0625)) * sqrt(0.05) * d * sqrt(d);
  CHECK_CLOSE(force / weight, 1, 1e-3);
  talus_world_destroy(world);
}

/* A box on a slope of 15 degrees sticks: it gives way by F_t / (4 k_t) and then stays. */
static void box_holds(void) {
  const double stiffness = 2e6, angle = 15 * PI / 180;
  talus_world *const world = world_make(1e-3, G * sin(angle), -G * cos(angle));
  const int32_t material = soft_material(world, stiffness, 0, 0);
  place_floor(world, material);
  const int32_t box = place_box(world, material, (const double[3]){0.1, 0.1, 0.02}, 0, 0, 0.02);
  const double force = G * sin(angle) * talus_body_mass(world, box);
  place_run(world, 2000);
  const double first = place_state(world, box).position[0];
  place_run(world, 2000);
  const double second = place_state(world, box).position[0];
  CHECK_CLOSE(first / (force / (4 * 2.0 / 7 * stiffness)), 1, 0.2); /* it turns a little, too */
  CHECK_CLOSE(second, first, 1e-6 * first);
  talus_world_destroy(world);
}

/* ---- restitution ----------------------------------------------------------------------------- */

/* Two balls of such a material meet at 1 m/s; returns the speed at which they part. */
static double rebound_of(const talus_material_def *def, double step, int steps) {
  talus_world *const world = world_make(step, 0, 0);
  int32_t material;
  MUST(talus_material_add(world, def, &material));
  const int32_t a = place_sphere(world, material, 0.05, 0, 0, 0);
  const int32_t b = place_sphere(world, material, 0.05, 0.1003, 0, 0);
  talus_body_state state = place_state(world, a);
  state.velocity[0] = 0.5;
  MUST(talus_body_set(world, a, &state));
  state = place_state(world, b);
  state.velocity[0] = -0.5;
  MUST(talus_body_set(world, b, &state));
  place_run(world, steps);
  const double after = place_state(world, b).velocity[0] - place_state(world, a).velocity[0];
  talus_world_destroy(world);
  return after;
}

/* alpha = 1/(k w dt^2) says how the spring stands to the step. */
static double rebound(double e, double alpha) {
  const double step = 1e-3, mass = 4 * PI / 3 * 2500 * 1.25e-4;
  talus_material_def def = talus_material_def_default();
  def.restitution = e;
  def.stiffness = mass / (2 * alpha * step * step);
  return rebound_of(&def, step, 40 + (int)(8 * sqrt(alpha)));
}

static void restitution(void) {
  static const double shares[] = {1e-3, 2e-2, 0.5, 400, 1e4};
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
    for (double e = 0.3; e < 0.95; e += 0.2) {
      const double got = rebound(e, shares[i]);
      CHECK_CASE(fabs(got - e) <= 0.02 * e, "e %g, alpha %g: %g", e, shares[i], got);
    }
  }
  for (double e = 0.2; e < 0.95; e += 0.2) { /* Hertz, in steps that follow the impact */
    talus_material_def def = talus_material_def_default();
    def.restitution = e;
    def.young = 1e7;
    const double got = rebound_of(&def, 2e-5, 1500);
    CHECK_CASE(fabs(got - e) <= 0.01 * e, "Hertz, e %g: %g", e, got);
  }
}

/* ---- chains ---------------------------------------------------------------------------------- */

enum { BEADS = 60, LONGEST = 40000 };

/* A chain at rest along x whose first bead has a velocity, perhaps a great mass. */
static talus_world *chain_make(double step, const talus_material_def *def, double radius,
                               double heavy, double speed, int32_t *bead) {
  talus_world *const world = world_make(step, 0, 0);
  talus_material_def first = *def;
  int32_t material[2];
  first.density *= heavy;
  MUST(talus_material_add(world, &first, &material[0]));
  MUST(talus_material_add(world, def, &material[1]));
  for (int i = 0; i < BEADS; i++) {
    bead[i] = place_sphere(world, material[i > 0], radius, 2 * radius * i, 0, 0);
  }
  talus_body_state state = place_state(world, bead[0]);
  state.velocity[0] = speed;
  MUST(talus_body_set(world, bead[0], &state));
  return world;
}

/* A front pushed by a wall passes bead n with a third of its speed at t = n sqrt(m / k). */
static void sound(void) {
  talus_material_def def = talus_material_def_default();
  const double radius = 0.01, mass = 4 * PI / 3 * 2500 * 1e-6, speed = 1e-3;
  int32_t bead[BEADS];
  def.stiffness = 1e6;
  def.restitution = 1;
  const double time = sqrt(mass / def.stiffness), step = time / 20;
  talus_world *const world = chain_make(step, &def, radius, 1e9, speed, bead);
  double passed[2] = {0, 0};
  const int at[2] = {15, 45};
  for (int i = 0; i < LONGEST && passed[1] == 0; i++) {
    place_run(world, 1);
    for (int j = 0; j < 2; j++) {
      if (passed[j] == 0 && place_state(world, bead[at[j]]).velocity[0] >= speed / 3) {
        passed[j] = talus_world_time(world);
      }
    }
  }
  CHECK_CLOSE((passed[1] - passed[0]) / (30 * time), 1, 0.02);
  talus_world_destroy(world);
}

/* V = (16/25)^(1/5) c^(4/5) v^(1/5), c^2 = 2 E / (pi rho (1 - nu^2)), v the largest bead speed. */
static void solitary_wave(void) {
  talus_material_def def = talus_material_def_default();
  const double radius = 0.005, speed = 0.5;
  int32_t bead[BEADS];
  def.young = 70e9;
  def.restitution = 1;
  const double c2 = 2 * def.young / (PI * def.density * (1 - 0.0625));
  const double about = pow(0.64, 0.2) * pow(c2, 0.4) * pow(0.68 * speed, 0.2);
  const double step = 2 * radius / about / 60;
  talus_world *const world = chain_make(step, &def, radius, 1, speed, bead);
  double peak[2] = {0, 0}, when[2] = {0, 0};
  const int at[2] = {20, 45};
  for (int i = 0; i < 60 * 50; i++) {
    place_run(world, 1);
    for (int j = 0; j < 2; j++) {
      const double v = place_state(world, bead[at[j]]).velocity[0];
      when[j] = v > peak[j] ? talus_world_time(world) : when[j];
      peak[j] = fmax(peak[j], v);
    }
  }
  const double wave = 25 * 2 * radius / (when[1] - when[0]), mean = 0.5 * (peak[0] + peak[1]);
  const double theory = pow(0.64, 0.2) * pow(c2, 0.4) * pow(mean, 0.2);
  CHECK_CASE(fabs(wave / theory - 1) <= 0.02, "%g m/s, theory %g, peaks %g %g", wave, theory,
             peak[0], peak[1]);
  talus_world_destroy(world);
}

/* Steps far too long for the wave are stable: nothing gains energy. */
static void long_steps(void) {
  talus_material_def def = talus_material_def_default();
  int32_t bead[BEADS];
  def.young = 70e9;
  talus_world *const world = chain_make(1e-3, &def, 0.005, 1, 0.5, bead);
  for (int i = 0; i < 300; i++) {
    place_run(world, 1);
    double energy = 0;
    for (int j = 0; j < BEADS; j++) {
      const double v = place_state(world, bead[j]).velocity[0];
      energy += v * v;
    }
    CHECK(energy <= 0.25 * (1 + 1e-6));
  }
  talus_world_destroy(world);
}

/* ---- softness AUTO, restart, refusals -------------------------------------------------------- */

static talus_world *bed_make(void) {
  talus_world_def def = talus_world_def_default();
  def.gravity[0] = 2;
  def.softness = TALUS_SOFTNESS_AUTO;
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t material = place_material(world, 2500, 0.5, 0);
  place_floor(world, material);
  for (int i = 0; i < 60; i++) {
    place_sphere(world, material, 0.01 + 0.0001 * (i % 7), 0.021 * (i % 4), 0.021 * (i / 4 % 4),
                 0.0105 + 0.0212 * (i / 16));
  }
  return world;
}

static void restart(void) {
  double modulus, overlap;
  talus_world *const world = bed_make(), *const other = bed_make();
  MUST(talus_world_softness(world, &modulus, &overlap));
  CHECK(modulus > 1e6 && overlap > 0 && overlap < 2e-3);
  place_run(world, 150);
  place_restart(world, other, 100);
}

/* In a soft world: how deep a ball of material a lies in a floor of material b, in radii. */
static double overlap_of(int32_t rigid_ball, int32_t rigid_floor) {
  talus_world_def world_def = talus_world_def_default();
  world_def.softness = TALUS_SOFTNESS_AUTO;
  talus_world *world;
  MUST(talus_world_create(place_context, &world_def, &world));
  talus_material_def def = talus_material_def_default();
  int32_t ball_material, floor_material;
  def.rigid = rigid_ball;
  MUST(talus_material_add(world, &def, &ball_material));
  def.rigid = rigid_floor;
  MUST(talus_material_add(world, &def, &floor_material));
  place_floor(world, floor_material);
  const int32_t ball = place_sphere(world, ball_material, 0.01, 0, 0, 0.01);
  place_run(world, 400);
  const double depth = 1 - place_state(world, ball).position[2] / 0.01;
  talus_world_destroy(world);
  return depth;
}

static void rigid_in_soft_world(void) {
  const double soft = overlap_of(0, 0);
  CHECK(soft > 1e-6 && fabs(overlap_of(1, 1)) < 0.05 * soft);
  CHECK_CLOSE(overlap_of(1, 0) / soft, 1, 1e-9);
  CHECK_CLOSE(overlap_of(0, 1) / soft, 1, 1e-9);
}

static void refusals(void) {
  talus_world *const world = world_make(1e-3, 0, -G);
  int32_t material;
  talus_material_def def = talus_material_def_default();
  def.stiffness = -1;
  CHECK(talus_material_add(world, &def, &material) == TALUS_BAD_SETTING &&
        strstr(talus_context_message(place_context), "stiffness is -1") != NULL);
  def.stiffness = 1e5;
  def.young = 1e7;
  CHECK(talus_material_add(world, &def, &material) == TALUS_BAD_SETTING &&
        strstr(talus_context_message(place_context), "exclude each other") != NULL);
  def.young = 0;
  def.rigid = 1;
  CHECK(talus_material_add(world, &def, &material) == TALUS_BAD_SETTING &&
        strstr(talus_context_message(place_context), "rigid is 1") != NULL);
  def.stiffness = 0;
  def.rigid = 0;
  def.poisson = 0.6;
  CHECK(talus_material_add(world, &def, &material) == TALUS_BAD_SETTING &&
        strstr(talus_context_message(place_context), "poisson is 0.6") != NULL);
  def.young = NAN;
  CHECK(talus_material_add(world, &def, &material) == TALUS_BAD_SETTING);
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  linear_rest(5e3); /* alpha about 150 */
  linear_rest(1e8); /* 0.013 */
  hertz_rest(1e6);
  hertz_rest(7e10);
  box_holds();
  restitution();
  sound();
  solitary_wave();
  long_steps();
  restart();
  rigid_in_soft_world();
  refusals();
  place_end();
  return check_end();
}
