/* test_resistance.c: contacts of worlds that resist rolling and spinning, friction by direction.
 *
 * Lengths and fractions of the reduced radius; walls, spheres, boxes and disks; beside springs,
 * cohesion and Poisson's restitution; an exact restart; what is refused. Stopping distances and
 * slopes against closed forms: samples/rolling.c. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "talus/talus_io.h"
#include "tests/world/place_restart.h"

static const double G = 9.81, R = 0.05;

static talus_material_def resisting(double rolling, double spinning) {
  talus_material_def def = talus_material_def_default();
  def.rolling_friction = rolling;
  def.spinning_friction = spinning;
  return def;
}

static talus_world *world_make(const talus_world_def *given, const talus_material_def *material,
                               int32_t *id) {
  talus_world *world;
  MUST(talus_world_create(place_context, given, &world));
  MUST(talus_material_add(world, material, id));
  return world;
}

static talus_world_def accurate(void) {
  talus_world_def def = talus_world_def_default();
  def.step = 1e-3;
  def.tolerance = 1e-8;
  return def;
}

static void throw_at(talus_world *world, int32_t body, double v, double spin) {
  talus_body_state state = place_state(world, body);
  state.velocity[0] = v;
  state.spin[1] = v / R;
  state.spin[2] = spin;
  MUST(talus_body_set(world, body, &state));
}

/* Speed lost by a rolling sphere, over g t mu_r / r / 1.4. */
static double slowed(const talus_world_def *def, const talus_material_def *material, double mu_r) {
  int32_t id;
  talus_world *const world = world_make(def, material, &id);
  place_floor(world, id);
  const int32_t ball = place_sphere(world, id, R, 0, 0, R);
  place_run(world, 50); /* springs come to rest */
  const double begin = talus_world_time(world);
  throw_at(world, ball, 1, 0);
  place_run(world, 200);
  const double lost = 1 - place_state(world, ball).velocity[0];
  const double time = talus_world_time(world) - begin;
  talus_world_destroy(world);
  return lost / (G * time * mu_r / R / 1.4);
}

static void wheels(void) {
  const talus_world_def usual = accurate();
  const talus_material_def length = resisting(2e-3, 0);
  CHECK_CLOSE(slowed(&usual, &length, 2e-3), 1, 1e-5);
  talus_material_def fraction = talus_material_def_default();
  fraction.rolling_fraction = 0.04; /* on a flat floor the reduced radius is the sphere's */
  CHECK_CLOSE(slowed(&usual, &fraction, 2e-3), 1, 1e-5);
  talus_material_def soft = length;
  soft.stiffness = 1e7;
  CHECK_CLOSE(slowed(&usual, &soft, 2e-3), 1, 1e-3);
  talus_material_def sticky = length; /* the pull presses as well, and so resists */
  sticky.pull_off = 1;
  const double weight = 2500 * 4 / 3. * 3.141592653589793 * R * R * R * G;
  CHECK_CLOSE(slowed(&usual, &sticky, 2e-3), 1 + 1 / weight, 1e-4);
  talus_world_def poisson = usual, plane = usual;
  poisson.restitution = TALUS_RESTITUTION_POISSON;
  CHECK_CLOSE(slowed(&poisson, &length, 2e-3), 1, 1e-5);
  plane.plane = 1; /* a disk: 1/2 instead of 2/5 */
  CHECK_CLOSE(slowed(&plane, &length, 2e-3), 1.4 / 1.5, 1e-5);
}

/* Two spheres of radii r and 3 r that spin against each other: R = 3/4 r. */
static void pair_spins(void) {
  talus_world_def def = accurate();
  def.gravity[2] = 0;
  talus_material_def material = talus_material_def_default();
  material.spinning_fraction = 0.1;
  int32_t id;
  talus_world *const world = world_make(&def, &material, &id);
  const int32_t a = place_sphere(world, id, R, 0, 0, 0);
  const int32_t b = place_sphere(world, id, 3 * R, 0, 0, 4 * R);
  talus_body_state state = place_state(world, a);
  state.spin[2] = 100;
  MUST(talus_body_set(world, a, &state));
  const double force = 50, m = talus_body_mass(world, a), steps = 20;
  for (int i = 0; i < steps; i++) { /* pressed together */
    MUST(talus_body_force(world, a, (const double[3]){0, 0, force}, (const double[3]){0, 0, 0}));
    MUST(talus_body_force(world, b, (const double[3]){0, 0, -force}, (const double[3]){0, 0, 0}));
    place_run(world, 1);
  }
  const double torque = 0.1 * 0.75 * R * force, inertia = 0.4 * m * R * R;
  const double lost = 100 - place_state(world, a).spin[2];
  CHECK_CLOSE(lost / (torque * steps * def.step / inertia), 1, 1e-5);
  talus_world_destroy(world);
}

/* ---- restart --------------------------------------------------------------------------------- */

static talus_world *bed_make(void) {
  talus_world_def def = talus_world_def_default();
  talus_material_def material = resisting(0, 0);
  material.rolling_fraction = 0.2;
  material.spinning_fraction = 0.1;
  material.cross_friction = 0.2;
  material.friction_direction[1] = 1;
  def.gravity[0] = 2;
  int32_t id;
  talus_world *const world = world_make(&def, &material, &id);
  place_floor(world, id);
  for (int i = 0; i < 30; i++) {
    place_sphere(world, id, 0.01 + 0.0001 * (i % 7), 0.021 * (i % 4), 0.021 * (i / 4 % 4),
                 0.0105 + 0.0212 * (i / 16));
  }
  place_box(world, id, (const double[3]){0.01, 0.02, 0.01}, 0.03, 0.03, 0.1);
  return world;
}

static void restart(void) {
  talus_world *const world = bed_make(), *const other = bed_make();
  place_run(world, 120);
  place_restart(world, other, 61);
}

/* ---- refused --------------------------------------------------------------------------------- */

static void refuse(talus_world *world, talus_material_def def, const char *words) {
  int32_t material;
  CHECK(talus_material_add(world, &def, &material) == TALUS_BAD_SETTING);
  CHECK_CASE(strstr(talus_context_message(place_context), words) != NULL, "%s",
             talus_context_message(place_context));
}

static void refusals(void) {
  const talus_world_def usual = accurate();
  talus_world *world;
  MUST(talus_world_create(place_context, &usual, &world));
  refuse(world, resisting(-1e-3, 0), "rolling_friction is -0.001");
  refuse(world, resisting(0, NAN), "spinning_friction is nan");
  talus_material_def def = resisting(1e-3, 0);
  def.rolling_fraction = 0.1;
  refuse(world, def, "not both");
  def = resisting(0, 0);
  def.cross_friction = 0.2;
  refuse(world, def, "needs friction");
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  wheels();
  pair_spins();
  restart();
  refusals();
  place_end();
  return check_end();
}
