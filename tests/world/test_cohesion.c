/* test_cohesion.c: pull-off forces and liquid bridges against closed forms.
 *
 * A bead under a ceiling holds up to its pull-off force and falls above it: given, by JKR's 3/2 pi
 * w R and DMT's 2 pi w R. A cohesive box holds on a wall by friction. A bead is pulled from another
 * through a liquid bridge: the force at each gap, and where it ruptures, are Willett's. Momentum
 * stays. */
#include <math.h>
#include <string.h>

#include "tests/world/place.h"

static const double PI = 3.14159265358979323846;
static const double RADIUS = 2e-3, DENSITY = 2500;

static double bead_mass(void) {
  return DENSITY * 4 / 3. * PI * RADIUS * RADIUS * RADIUS;
}

static talus_material_def dry(void) {
  talus_material_def def = talus_material_def_default();
  def.density = DENSITY;
  return def;
}

static talus_world *world_of(const talus_material_def *material, double gravity, double step) {
  talus_world_def def = talus_world_def_default();
  talus_world *world;
  int32_t id;
  def.step = step;
  def.gravity[0] = def.gravity[1] = 0;
  def.gravity[2] = -gravity;
  MUST(talus_world_create(place_context, &def, &world));
  MUST(talus_material_add(world, material, &id));
  return world;
}

/* A ceiling at z = 0, solid above, tilted by `angle` about y. */
static void ceiling_add(talus_world *world, double angle) {
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  const int32_t body = place_body(world, TALUS_BODY_FIXED, 0, 0, 0);
  shape.orientation[0] = cos(angle / 2);
  shape.orientation[1] = 0;
  shape.orientation[2] = sin(angle / 2);
  shape.orientation[3] = 0;
  MUST(talus_shape_add(world, body, &shape, NULL));
}

/* How far a bead under the ceiling falls in 50 ms, if it weighs `share` of `force`. */
static double fall_below(const talus_material_def *material, double force, double share,
                         double step) {
  talus_world *const world = world_of(material, share * force / bead_mass(), step);
  ceiling_add(world, PI);
  const int32_t bead = place_sphere(world, 0, RADIUS, 0, 0, -RADIUS);
  place_run(world, (int)lround(0.05 / step));
  const double fall = -RADIUS - place_state(world, bead).position[2];
  talus_world_destroy(world);
  return fall;
}

static void test_pull_off(const talus_material_def *material, double force) {
  for (int i = 0; i < 2; i++) {
    const double step = i ? 1e-3 : 2e-4;
    CHECK_CLOSE(fall_below(material, force, 0.99, step), 0, 1e-3 * RADIUS);
    CHECK(fall_below(material, force, 1.01, step) > 0.5 * 0.01 * force / bead_mass() * 0.05 * 0.05);
  }
}

/* A box against a vertical wall, held by friction of its cohesion alone. */
static double slide_of(double share) {
  const double half[3] = {2e-3, 2e-3, 2e-3}, mass = DENSITY * 8 * 2e-3 * 2e-3 * 2e-3;
  talus_material_def material = dry();
  material.pull_off = 3e-3;
  material.friction = 0.4;
  talus_world *const world = world_of(&material, share * 0.4 * 3e-3 / mass, 1e-3);
  ceiling_add(world, PI / 2); /* solid where x < 0 after the turn: its normal is x */
  const int32_t box = place_box(world, 0, half, 2e-3, 0, 0);
  place_run(world, 200);
  const double slide = -place_state(world, box).position[2];
  talus_world_destroy(world);
  return slide;
}

/* ---- liquid bridges -------------------------------------------------------------------------- */

static talus_material_def wet(void) {
  talus_material_def def = dry();
  def.surface_tension = 0.072;
  def.contact_angle = 0.3;
  def.bridge_volume = 0.2e-9; /* 0.2 ul */
  return def;
}

/* Force of the bridge between two beads, at a gap. */
static double willett(const talus_material_def *m, double gap) {
  const double d = gap * sqrt(RADIUS / m->bridge_volume);
  return 2 * PI * RADIUS * m->surface_tension * cos(m->contact_angle) /
         (1 + 1.05 * d + 2.5 * d * d);
}

static double rupture_of(const talus_material_def *m) {
  return (1 + 0.5 * m->contact_angle) *
         (cbrt(m->bridge_volume) + 0.1 * pow(m->bridge_volume, 2 / 3.) / RADIUS);
}

/* A fixed bead and a kinematic one that is drawn away from it at 20 mm/s: the force between
 * them. */
static void test_bridge(void) {
  const talus_material_def material = wet();
  talus_world *const world = world_of(&material, 0, 1e-3);
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  shape.radius = RADIUS;
  const int32_t away = place_body(world, TALUS_BODY_KINEMATIC, 0, 0, 0);
  MUST(talus_shape_add(world, away, &shape, NULL));
  const int32_t bead = place_sphere(world, 0, RADIUS, 0, 0, 2 * RADIUS);
  place_run(world, 5);
  /* now the other one is set further and further away, and held for a step each */
  double last = 0;
  int ruptured = 0;
  for (int i = 1; i < 80; i++) {
    const double gap = i * 2e-5;
    talus_body_state state = place_state(world, bead);
    state.position[0] = state.position[1] = 0;
    state.position[2] = 2 * RADIUS + gap;
    memset(state.velocity, 0, sizeof state.velocity);
    memset(state.spin, 0, sizeof state.spin);
    MUST(talus_body_set(world, bead, &state));
    place_run(world, 1);
    const double force = -place_state(world, bead).velocity[2] * bead_mass() / 1e-3;
    const double expected = gap < rupture_of(&material) ? willett(&material, gap) : 0;
    CHECK_CASE(fabs(force - expected) <= 1e-6 * willett(&material, 0),
               "gap %g: force %g, expected %g", gap, force, expected);
    ruptured |= force == 0;
    last = force;
  }
  CHECK(ruptured && last == 0);
  /* it does not come back before they touch */
  talus_body_state state = place_state(world, bead);
  state.position[2] = 2 * RADIUS + 1e-4;
  memset(state.velocity, 0, sizeof state.velocity);
  MUST(talus_body_set(world, bead, &state));
  place_run(world, 1);
  CHECK_CLOSE(place_state(world, bead).velocity[2], 0, 1e-12);
  state.position[2] = 2 * RADIUS;
  MUST(talus_body_set(world, bead, &state));
  place_run(world, 2);
  state.position[2] = 2 * RADIUS + 1e-4;
  MUST(talus_body_set(world, bead, &state));
  place_run(world, 1);
  CHECK_CLOSE(-place_state(world, bead).velocity[2] * bead_mass() / 1e-3, willett(&material, 1e-4),
              1e-6);
  talus_world_destroy(world);
}

/* A cloud of wet beads that collide without gravity: nobody outside, so momentum stays. */
static void test_momentum(void) {
  talus_material_def material = wet();
  material.surface_energy = 0.05;
  talus_world *const world = world_of(&material, 0, 1e-3);
  for (int i = 0; i < 27; i++) {
    const double at[3] = {i % 3, i / 3 % 3, i / 9};
    const int32_t bead = place_sphere(world, 0, RADIUS, 2.1 * RADIUS * at[0], 2.1 * RADIUS * at[1],
                                      2.1 * RADIUS * at[2]);
    talus_body_state state = place_state(world, bead);
    for (int c = 0; c < 3; c++) {
      state.velocity[c] = 0.05 * (1 - at[c]) + 0.01 * sin(7 * i + c);
    }
    MUST(talus_body_set(world, bead, &state));
  }
  double before[3] = {0}, after[3] = {0}, size = 0;
  for (int i = 0; i < 27; i++) {
    for (int c = 0; c < 3; c++) {
      before[c] += place_state(world, i).velocity[c];
      size += fabs(place_state(world, i).velocity[c]);
    }
  }
  const talus_step_report report = place_run(world, 300);
  for (int i = 0; i < 27; i++) {
    for (int c = 0; c < 3; c++) {
      after[c] += place_state(world, i).velocity[c];
    }
  }
  for (int c = 0; c < 3; c++) {
    CHECK_CLOSE(after[c], before[c], 1e-12 * size);
  }
  CHECK(report.touching_count > 26); /* they stay together */
  talus_world_destroy(world);
}

static void test_refused(void) {
  talus_world *world;
  talus_material_def def = dry();
  talus_world_def plain = talus_world_def_default();
  int32_t id;
  MUST(talus_world_create(place_context, &plain, &world));
  def.pull_off = -1;
  CHECK(talus_material_add(world, &def, &id) == TALUS_BAD_SETTING);
  CHECK(strstr(talus_context_message(place_context), "pull_off") != NULL);
  def = dry();
  def.bridge_volume = 1e-9;
  CHECK(talus_material_add(world, &def, &id) == TALUS_BAD_SETTING);
  CHECK(strstr(talus_context_message(place_context), "surface_tension") != NULL);
  def = dry();
  def.surface_energy = NAN;
  CHECK(talus_material_add(world, &def, &id) == TALUS_BAD_SETTING);
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  talus_material_def material = dry();
  material.pull_off = 2e-3;
  test_pull_off(&material, 2e-3);
  material = dry();
  material.surface_energy = 0.1;
  test_pull_off(&material, 1.5 * PI * 0.2 * RADIUS);
  material.adhesion = TALUS_ADHESION_DMT;
  test_pull_off(&material, 2 * PI * 0.2 * RADIUS);
  CHECK_CLOSE(slide_of(0.98), 0, 1e-6);
  CHECK(slide_of(1.03) > 1e-5);
  test_bridge();
  test_momentum();
  test_refused();
  place_end();
  return check_end();
}
