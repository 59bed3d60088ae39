/* test_bonds.c: bonds against closed forms: a chain of balls as a Timoshenko beam at two steps and
 * with two methods, stretch and twist, each way to break; momenta, contacts of bonded bodies,
 * removal, restart to the bit, a step that fails, bonds to links, refusals. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "talus/talus_io.h"
#include "talus/talus_mechanism.h"
#include "tests/world/place.h"

static const double PI = 3.14159265358979323846, R = 0.01;

static talus_world *world_make(double step, double gravity) {
  talus_world_def def = talus_world_def_default();
  def.step = step;
  def.gravity[2] = -gravity;
  def.tolerance = 1e-6;
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  return world;
}

/* Balls along x that touch, the first one fixed if `clamped`; ids follow one another. */
static int32_t chain_place(talus_world *world, int32_t count, int clamped) {
  const int32_t material = place_material(world, 2500, 0.5, 0);
  int32_t first = TALUS_NONE;
  for (int32_t i = 0; i < count; i++) {
    const talus_body_type type = i == 0 && clamped ? TALUS_BODY_FIXED : TALUS_BODY_FREE;
    const int32_t body = place_body(world, type, 2 * R * i, 0, 0.5);
    talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
    shape.material = material;
    shape.radius = R;
    MUST(talus_shape_add(world, body, &shape, NULL));
    first = i == 0 ? body : first;
  }
  return first;
}

static talus_bond_def beam(double young) {
  talus_bond_def def = talus_bond_def_default();
  def.young = young;
  def.damping = 0.01;
  return def;
}

static int32_t bonds_place(talus_world *world, const talus_bond_def *def) {
  int32_t added;
  MUST(talus_bonds_add(world, def, 0, NULL, &added));
  return added;
}

/* ---- stiffness ------------------------------------------------------------------------------- */

/* Deflection of the tip under the weights of the balls: sum of P a^2 (3 L - a)/(6 E I) and of
 * P a/(kappa G A). Exact at the nodes, so for any number of balls. */
static void cantilever(int32_t count, double step, double young, talus_method method) {
  talus_world_def def = talus_world_def_default();
  def.step = step;
  def.solver.method = method;
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t first = chain_place(world, count + 1, 1);
  const talus_bond_def bond = beam(young);
  CHECK(bonds_place(world, &bond) == count);
  place_run(world, (int)(0.3 / step));
  const double length = 2 * R * count, area = PI * R * R, bend = area * R * R / 4;
  const double shear = young / 2.5, kappa = 6 * 1.25 / (7 + 6 * 0.25);
  const double weight = 9.81 * talus_body_mass(world, first + 1);
  double sag = 0;
  for (int32_t i = 1; i <= count; i++) {
    const double a = 2 * R * i;
    sag += weight * (a * a * (3 * length - a) / (6 * young * bend) + a / (kappa * shear * area));
  }
  CHECK_CLOSE((0.5 - place_state(world, first + count).position[2]) / sag, 1, 5e-3);
  const talus_bond *bonds;
  CHECK(talus_world_bonds(world, &bonds) == count);
  CHECK_CLOSE(bonds[0].shear / (weight * count), 1, 5e-3);
  CHECK_CLOSE(bonds[0].bending / (weight * 2 * R * count * count / 2), 1, 5e-3);
  CHECK(bonds[0].load == 0 && bonds[0].body_a == first && bonds[0].body_b == first + 1);
  talus_world_destroy(world);
}

/* F L/(E A) and T L/(G J). */
static void stretch_and_twist(void) {
  talus_world *const world = world_make(1e-3, 0);
  const int32_t first = chain_place(world, 6, 1), last = first + 5;
  const double young = 1e8, length = 10 * R, area = PI * R * R, polar = area * R * R / 2;
  const talus_bond_def bond = beam(young);
  bonds_place(world, &bond);
  MUST(talus_body_force(world, last, (const double[3]){20, 0, 0}, (const double[3]){0.05, 0, 0}));
  place_run(world, 300);
  const talus_body_state state = place_state(world, last);
  CHECK_CLOSE((state.position[0] - length) / (20 * length / (young * area)), 1, 1e-3);
  CHECK_CLOSE(2 * asin(state.orientation[1]) / (0.05 * length / (young / 2.5 * polar)), 1, 1e-3);
  talus_world_destroy(world);
}

/* ---- strength -------------------------------------------------------------------------------- */

/* Loads two balls ever more until their bond breaks; returns the load it broke at over `expected`.
 */
static double load_to_break(const talus_bond_def *bond, talus_bond_mode mode, double expected) {
  talus_world *const world = world_make(1e-3, 0);
  const int32_t first = chain_place(world, 2, 1);
  CHECK(bonds_place(world, bond) == 1);
  const talus_broken_bond *broken = NULL;
  double part = 0.9;
  for (; part < 1.1 && talus_world_broken(world, &broken) == 0; part += 2e-4) {
    const double size = part * expected;
    /* a force across the axis at the ball's centre bends as well: the moment takes that away */
    const double force[3] = {mode == TALUS_BOND_TENSION ? size : 0, 0,
                             mode == TALUS_BOND_SHEAR ? size : 0};
    const double moment[3] = {mode == TALUS_BOND_TWISTING ? size : 0,
                              mode == TALUS_BOND_BENDING ? size
                              : mode == TALUS_BOND_SHEAR ? R * size
                                                         : 0,
                              0};
    MUST(talus_body_force(world, first + 1, force, moment));
    place_run(world, part == 0.9 ? 400 : 1);
  }
  CHECK(talus_world_broken(world, &broken) == 1 && broken->mode == (int32_t)mode &&
        broken->bond.body_b == first + 1 && broken->bond.load > 1 && broken->time > 0.4);
  talus_step_report report = place_run(world, 1);
  CHECK(report.bond_count == 0 && report.bonds_broken == 0);
  CHECK(talus_world_bonds(world, NULL) == 0 && talus_world_broken(world, NULL) == 0);
  talus_world_destroy(world);
  return part;
}

static void strengths(void) {
  const double area = PI * R * R;
  talus_bond_def by_stress = beam(1e8);
  by_stress.tensile_strength = 1e5;
  by_stress.shear_strength = 2e5;
  CHECK_CLOSE(load_to_break(&by_stress, TALUS_BOND_TENSION, 1e5 * area), 1, 5e-3);
  CHECK_CLOSE(load_to_break(&by_stress, TALUS_BOND_BENDING, 1e5 * area * R / 4), 1, 5e-3);
  CHECK_CLOSE(load_to_break(&by_stress, TALUS_BOND_SHEAR, 2e5 * area), 1, 5e-3);
  CHECK_CLOSE(load_to_break(&by_stress, TALUS_BOND_TWISTING, 2e5 * area * R / 2), 1, 5e-3);
  talus_bond_def by_load = beam(1e8);
  by_load.tensile_limit = 20;
  by_load.bending_limit = 0.1;
  by_load.shear_limit = 30;
  by_load.twisting_limit = 0.2;
  CHECK_CLOSE(load_to_break(&by_load, TALUS_BOND_TENSION, 20), 1, 5e-3);
  CHECK_CLOSE(load_to_break(&by_load, TALUS_BOND_BENDING, 0.1), 1, 5e-3);
  CHECK_CLOSE(load_to_break(&by_load, TALUS_BOND_SHEAR, 30), 1, 5e-3);
  CHECK_CLOSE(load_to_break(&by_load, TALUS_BOND_TWISTING, 0.2), 1, 5e-3);
}

/* ---- momenta, contacts, removal -------------------------------------------------------------- */

/* Sums over round bodies: momentum, then angular momentum about the origin. */
static void momenta(const talus_world *world, double sum[6]) {
  memset(sum, 0, 6 * sizeof *sum);
  for (int32_t i = talus_body_after(world, TALUS_NONE); i != TALUS_NONE;
       i = talus_body_after(world, i)) {
    const talus_body_state s = place_state(world, i);
    const double m = talus_body_mass(world, i), *const x = s.position, *const v = s.velocity;
    double inertia[6];
    talus_body_inertia(world, i, inertia);
    for (int c = 0; c < 3; c++) {
      const int d = (c + 1) % 3, e = (c + 2) % 3;
      sum[c] += m * v[c];
      sum[3 + c] += m * (x[d] * v[e] - x[e] * v[d]) + inertia[0] * s.spin[c];
    }
  }
}

/* A block of eight that turns and swings, and then one that breaks apart. */
static void momenta_kept(double strength) {
  talus_world *const world = world_make(1e-3, 0);
  const int32_t material = place_material(world, 2500, 0, 0);
  for (int i = 0; i < 8; i++) {
    const double z = 2 * R * (i / 4);
    const int32_t ball = place_sphere(world, material, R, 2 * R * (i % 2), 2 * R * (i / 2 % 2), z);
    talus_body_state state = place_state(world, ball);
    state.velocity[0] = 0.3 + 20 * z;
    state.velocity[1] = i == 3 ? 0.2 : 0;
    state.spin[2] = 5;
    MUST(talus_body_set(world, ball, &state));
  }
  talus_bond_def bond = beam(1e7);
  bond.damping = 0;
  bond.tensile_strength = bond.shear_strength = strength;
  CHECK(bonds_place(world, &bond) == 12);
  double begin[6], end[6];
  momenta(world, begin);
  place_run(world, 500);
  momenta(world, end);
  for (int c = 0; c < 6; c++) {
    CHECK_CLOSE(end[c], begin[c], c < 3 ? 1e-12 : 1e-13);
  }
  CHECK((talus_world_bonds(world, NULL) < 12) == (strength < INFINITY));
  talus_world_destroy(world);
}

static void contacts_of_bonded(void) {
  talus_world *const world = world_make(1e-3, 9.81);
  const int32_t first = chain_place(world, 4, 0);
  const talus_bond_def bond = beam(1e8);
  CHECK(bonds_place(world, &bond) == 3 && bonds_place(world, &bond) == 0); /* none twice */
  talus_step_report report = place_run(world, 2);
  CHECK(report.bond_count == 3 && report.contact_count == 0);
  MUST(talus_bond_remove(world, 1));
  report = place_run(world, 1);
  CHECK(report.bond_count == 2 && report.contact_count == 1);
  MUST(talus_body_remove(world, first));
  report = place_run(world, 1);
  const talus_bond *bonds;
  CHECK(report.bond_count == 1 && talus_world_bonds(world, &bonds) == 1);
  CHECK(bonds[0].id == 2 && bonds[0].body_a == first + 2 && bonds[0].body_b == first + 3);
  CHECK(talus_bond_remove(world, 1) == TALUS_INDEX_RANGE);
  talus_world_destroy(world);
}

/* Boxes are glued over the mean of their points of contact; a link is held to the ground. */
static void other_bodies(void) {
  talus_world *const world = world_make(1e-3, 9.81);
  const int32_t material = place_material(world, 2500, 0.5, 0);
  const int32_t floor = place_floor(world, material);
  const int32_t box = place_box(world, material, (const double[3]){0.02, 0.02, 0.02}, 0, 0, 0.02);
  talus_bond_def bond = beam(1e7);
  bond.body_a = floor;
  bond.body_b = box;
  MUST(talus_bond_add(world, &bond, NULL));
  const talus_bond *bonds;
  CHECK(talus_world_bonds(world, &bonds) == 1);
  CHECK_CLOSE(bonds[0].axis[2], 1, 1e-12);
  CHECK_CLOSE(bonds[0].point[0], 0, 1e-12);
  CHECK_CLOSE(bonds[0].radius, 0.02, 1e-12);
  MUST(talus_body_force(world, box, (const double[3]){0, 0, 100}, NULL)); /* pulls it up */
  place_run(world, 400);
  const double area = PI * 0.02 * 0.02, force = 100 - 9.81 * talus_body_mass(world, box);
  CHECK_CLOSE((place_state(world, box).position[2] - 0.02) / (force * 0.02 / (1e7 * area)), 1,
              1e-3);
  talus_world_destroy(world);
}

static void link_bonded(void) {
  talus_world *const world = world_make(1e-3, 9.81);
  const int32_t material = place_material(world, 2500, 0.5, 0);
  talus_link_def link = talus_link_def_default(TALUS_LINK_PRISMATIC);
  link.axis[0] = 0;
  link.axis[2] = 1;
  link.mass = 2;
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link_count = 1;
  def.link = &link;
  int32_t mechanism, body;
  MUST(talus_world_add_mechanism(world, &def, NULL, 0, &mechanism));
  body = talus_body_after(world, TALUS_NONE);
  const int32_t ball = place_sphere(world, material, R, 1, 0, 1); /* free beside it */
  talus_bond_def bond = talus_bond_def_default();
  bond.body_a = TALUS_NONE;
  bond.body_b = body;
  bond.axis[2] = 1;
  bond.radius = bond.length = 0.01;
  bond.normal_stiffness = 1e4;
  bond.damping = 0.02;
  MUST(talus_bond_add(world, &bond, NULL));
  place_run(world, 400);
  CHECK_CLOSE(place_state(world, body).position[2] / (-2 * 9.81 / 1e4), 1, 1e-3);
  CHECK(place_state(world, ball).position[2] < 0.5);
  talus_world_destroy(world);
}

/* ---- restart, failure, refusals -------------------------------------------------------------- */

/* A bonded block above the floor, about to break. */
static talus_world *block_make(int bonded) {
  talus_world *const world = world_make(1e-3, 9.81);
  const int32_t material = place_material(world, 2500, 0.5, 0);
  place_floor(world, material);
  int32_t ball[27];
  for (int i = 0; i < 27; i++) {
    ball[i] = place_sphere(world, material, R, 2 * R * (i % 3) + 0.2 * R * (i / 9),
                           2 * R * (i / 3 % 3), 1.5 * R + 1.99 * R * (i / 9));
    talus_body_state state = place_state(world, ball[i]);
    state.velocity[2] = -2;
    MUST(talus_body_set(world, ball[i], &state));
  }
  talus_bond_def bond = beam(1e7);
  bond.radius_ratio = 0.7;
  bond.tensile_strength = bond.shear_strength = 5e3;
  bond.gap = 0.1 * R;
  int32_t added;
  if (bonded) {
    MUST(talus_bonds_add(world, &bond, 27, ball, &added));
    CHECK(added == 54);
  }
  return world;
}

/* Bonds are in the checkpoint: the other world need not have them. */
static void restart(void) {
  char path[512], folder[] = "bonds-XXXXXX";
  talus_world *const world = block_make(1), *const other = block_make(0);
  place_run(world, 3);
  const int32_t left = talus_world_bonds(world, NULL);
  CHECK(left > 0 && left < 54);
  CHECK(mkdtemp(folder) != NULL);
  MUST(talus_checkpoint_write(world, folder, 1));
  MUST(talus_checkpoint_newest(place_context, folder, path, sizeof path));
  MUST(talus_checkpoint_read(other, path));
  CHECK(remove(path) == 0 && rmdir(folder) == 0);
  CHECK(talus_world_bonds(other, NULL) == left);
  place_run(world, 40);
  place_run(other, 40);
  const talus_bond *bonds[2];
  const int32_t count = talus_world_bonds(world, &bonds[0]);
  CHECK(count < left && talus_world_bonds(other, &bonds[1]) == count);
  CHECK(memcmp(bonds[0], bonds[1], (size_t)count * sizeof **bonds) == 0);
  for (int32_t i = talus_body_after(world, TALUS_NONE); i != TALUS_NONE;
       i = talus_body_after(world, i)) {
    const talus_body_state a = place_state(world, i), b = place_state(other, i);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
  }
  talus_world_destroy(world);
  talus_world_destroy(other);
}

/* A step that fails after some of its parts leaves bonds as they were. */
static void failed_step(void) {
  talus_world_def def = talus_world_def_default();
  def.on_miss = TALUS_MISS_HALVE;
  def.tolerance = def.accept = 1e-12;
  def.solver.max_iterations = 1;
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t first = chain_place(world, 40, 1);
  talus_bond_def bond = beam(1e9);
  bond.tensile_strength = 1e4;
  bonds_place(world, &bond);
  MUST(talus_body_force(world, first + 39, (const double[3]){1e3, 0, 0}, NULL));
  CHECK(talus_world_step(world, NULL) == TALUS_STEP_FAILED);
  CHECK(talus_world_bonds(world, NULL) == 39 && talus_world_broken(world, NULL) == 0);
  const talus_bond *bonds;
  CHECK(talus_world_bonds(world, &bonds) == 39 && bonds[0].normal == 0);
  talus_world_destroy(world);
}

static void refused(talus_world *world, const talus_bond_def *def, talus_status status,
                    const char *words) {
  CHECK(talus_bond_add(world, def, NULL) == status);
  if (strstr(talus_context_message(place_context), words) == NULL) {
    printf("\"%s\" is not in: %s\n", words, talus_context_message(place_context));
    CHECK(0);
  }
}

static void refusals(void) {
  talus_world *const world = world_make(1e-3, 9.81);
  const int32_t first = chain_place(world, 4, 1);
  talus_bond_def good = beam(1e8);
  good.body_a = first;
  good.body_b = first + 1;
  talus_bond_def def = good;
  def.body_b = first + 2;
  refused(world, &def, TALUS_BAD_SETTING, "they do not touch (centres 0.04 m apart");
  def = good;
  def.young = -1;
  refused(world, &def, TALUS_BAD_SETTING, "young is -1");
  def = good;
  def.tensile_strength = NAN;
  refused(world, &def, TALUS_BAD_SETTING, "tensile_strength is nan");
  def = good;
  def.young = 0;
  refused(world, &def, TALUS_BAD_SETTING, "has to be given");
  def = good;
  def.axis[0] = 2;
  refused(world, &def, TALUS_NORMAL_LENGTH, "length 2");
  def = good;
  def.body_b = first;
  refused(world, &def, TALUS_IMMOVABLE_PAIR, "must differ");
  def = good;
  def.body_b = 77;
  refused(world, &def, TALUS_INDEX_RANGE, "body 77");
  def = good;
  def.body_a = TALUS_NONE;
  refused(world, &def, TALUS_BAD_SETTING, "needs an axis");
  CHECK(talus_world_bonds(world, NULL) == 0);
  MUST(talus_bond_add(world, &good, NULL));
  talus_cell cell = talus_cell_default();
  cell.periodic = 1;
  cell.edge[0] = cell.edge[1] = cell.edge[2] = 1;
  MUST(talus_world_set_cell(world, &cell));
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  cantilever(4, 1e-3, 1e8, TALUS_METHOD_AUTO);
  cantilever(12, 1e-3, 3e9, TALUS_METHOD_AUTO);
  cantilever(12, 5e-3, 3e8, TALUS_METHOD_AUTO);
  cantilever(30, 1e-3, 7e10, TALUS_METHOD_INTERIOR_POINT);
  stretch_and_twist();
  strengths();
  momenta_kept(INFINITY);
  momenta_kept(2e3);
  contacts_of_bonded();
  other_bodies();
  link_bonded();
  restart();
  failed_step();
  refusals();
  place_end();
  return check_end();
}
