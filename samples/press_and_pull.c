/* press_and_pull.c: elastic grains pressed together, and sticky ones pulled apart, against closed
 * forms.
 *
 * Pressed: 16 columns of six balls stand in a box with smooth walls and carry a lid. By Hertz every
 * contact gives way by d = (3 F/(4 E* sqrt(R)))^(2/3), so the lid sinks by the sum over a column;
 * the bed's stiffness goes with E^(2/3). Pulled: a ball leaves a plate at the pull-off force 3/2 pi
 * w R of Johnson, Kendall and Roberts, or 2 pi w R (Derjaguin, Muller and Toporov), w = 2 g; two
 * balls at half of it. Quick: two moduli; full: four, and two steps. */
#include "sample.h"

static const char *const HELP = "press_and_pull [--full]\n"
                                "A bed's stiffness against Young's modulus; pull-off forces";
enum { COLUMNS = 4, LAYERS = 6 };
static const double R = 0.01, G = 9.81, NU = 0.25, PI = 3.14159265358979323846;

static talus_world *world_make(double step, double gravity) {
  talus_world_def def = talus_world_def_default();
  talus_world *world;
  def.step = step;
  def.gravity[2] = -gravity;
  def.tolerance = 1e-6;
  TRY(talus_world_create(sample_context(), &def, &world));
  return world;
}

static int32_t body_make(talus_world *world, talus_body_type type, const double position[3],
                         talus_shape_def shape) {
  talus_body_def def = talus_body_def_default();
  int32_t body;
  def.type = type;
  memcpy(def.position, position, sizeof def.position);
  TRY(talus_body_add(world, &def, &body));
  TRY(talus_shape_add(world, body, &shape, NULL));
  return body;
}

static talus_shape_def ball_of(double radius, int32_t material) {
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  shape.radius = radius;
  shape.material = material;
  return shape;
}

/* How a contact of reduced radius r gives way under a force. */
static double hertz(double force, double r, double young) {
  const double modulus = young / (2 * (1 - NU * NU));
  return pow(3 * force / (4 * modulus * sqrt(r)), 2.0 / 3);
}

/* Four smooth walls that keep the columns upright and carry no weight. */
static void walls_make(talus_world *world, int32_t material) {
  const double half = COLUMNS * R, root = sqrt(0.5);
  for (int i = 0; i < 4; i++) {
    talus_shape_def wall = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
    const double sign = i % 2 ? 1 : -1,
                 position[3] = {i < 2 ? sign * half : 0, i < 2 ? 0 : sign * half, 0};
    wall.material = material;
    wall.orientation[0] = root; /* its normal z to -sign x or -sign y */
    wall.orientation[i < 2 ? 2 : 1] = (i < 2 ? -sign : sign) * root;
    body_make(world, TALUS_BODY_FIXED, position, wall);
  }
}

/* How far the lid sinks, over the sum of a column's contacts. */
static double press(double young, double step) {
  talus_world *const world = world_make(step, G);
  talus_material_def def = talus_material_def_default();
  int32_t material, smooth, ball = 0;
  def.young = young;
  def.poisson = NU;
  TRY(talus_material_add(world, &def, &material));
  def.friction = 0;
  TRY(talus_material_add(world, &def, &smooth));
  walls_make(world, smooth);
  talus_shape_def floor = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  floor.material = material;
  body_make(world, TALUS_BODY_FIXED, (const double[3]){0, 0, 0}, floor);
  for (int i = 0; i < COLUMNS * COLUMNS * LAYERS; i++) {
    const double position[3] = {2 * R * (i % COLUMNS - 1.5), 2 * R * (i / COLUMNS % COLUMNS - 1.5),
                                R * (2 * (i / (COLUMNS * COLUMNS)) + 1)};
    ball = body_make(world, TALUS_BODY_FREE, position, ball_of(R, material));
  }
  talus_shape_def plate = talus_shape_def_default(TALUS_SHAPE_BOX);
  plate.material = material;
  plate.half_edge[0] = plate.half_edge[1] = 3.9 * R;
  plate.half_edge[2] = R;
  const double top = R * (2 * LAYERS + 1);
  const int32_t lid = body_make(world, TALUS_BODY_FREE, (const double[3]){0, 0, top}, plate);
  while (talus_world_time(world) < 0.5) {
    TRY(talus_world_step(world, NULL));
  }
  talus_body_state state;
  TRY(talus_body_get(world, lid, &state));
  double force = G * talus_body_mass(world, lid) / (COLUMNS * COLUMNS);
  double sum = hertz(force, R / 2, young); /* a lid counts as the largest ball inside it */
  for (int i = 0; i < LAYERS; i++) {
    force += G * talus_body_mass(world, ball);
    sum += hertz(force, i == LAYERS - 1 ? R : R / 2, young);
  }
  printf("  E %g MPa, step %g ms: the lid sinks by %.4g of a radius\n", 1e-6 * young, 1e3 * step,
         (top - state.position[2]) / R);
  talus_world_destroy(world);
  return (top - state.position[2]) / sum;
}

/* The force at which a ball comes off, over the one of the closed form. other: radius of what it
 * sticks to, 0: a plate. */
static double pull(talus_adhesion adhesion, double other, double step) {
  const double energy = 0.05, radius = 1e-3;
  talus_world *const world = world_make(step, 0);
  talus_material_def def = talus_material_def_default();
  int32_t material;
  def.surface_energy = energy;
  def.adhesion = adhesion;
  TRY(talus_material_add(world, &def, &material));
  talus_shape_def base = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  base.material = material;
  body_make(world, TALUS_BODY_FIXED, (const double[3]){0, 0, -other},
            other > 0 ? ball_of(other, material) : base);
  const int32_t ball =
      body_make(world, TALUS_BODY_FREE, (const double[3]){0, 0, radius}, ball_of(radius, material));
  const double reduced = other > 0 ? radius * other / (radius + other) : radius;
  const double expected = (adhesion == TALUS_ADHESION_JKR ? 1.5 : 2) * PI * 2 * energy * reduced;
  double share = 0.9;
  talus_body_state state = {.position = {0, 0, radius}};
  for (; share < 1.1 && state.position[2] < 1.01 * radius; share += 1e-3) {
    TRY(talus_body_force(world, ball, (const double[3]){0, 0, share * expected}, NULL));
    for (int i = 0; i < 5; i++) {
      TRY(talus_world_step(world, NULL));
    }
    TRY(talus_body_get(world, ball, &state));
  }
  talus_world_destroy(world);
  return share;
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  const double young[] = {1e7, 1e9, 1e8, 7e10};
  sample_head();
  for (int i = 0; i < (options.full ? 4 : 2); i++) {
    sample_expect("sinking of the lid over the closed form", press(young[i], 1e-3), 0.99, 1.01);
  }
  if (options.full) {
    sample_expect("the same at 0.25 ms, 100 MPa", press(1e8, 2.5e-4), 0.99, 1.01);
  }
  sample_expect("pull-off from a plate, over JKR's", pull(TALUS_ADHESION_JKR, 0, 1e-3), 0.99, 1.01);
  sample_expect("pull-off from a plate, over DMT's", pull(TALUS_ADHESION_DMT, 0, 1e-3), 0.99, 1.01);
  sample_expect("of two equal balls, over JKR's", pull(TALUS_ADHESION_JKR, 1e-3, 1e-3), 0.99, 1.01);
  if (options.full) {
    sample_expect("the first at 0.1 ms", pull(TALUS_ADHESION_JKR, 0, 1e-4), 0.99, 1.01);
  }
  return sample_end();
}
