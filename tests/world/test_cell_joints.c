/* test_cell_joints.c: joints and bonds in periodic cells.
 *
 * Molecules held by joints and bonds tumble and collide: wherever the cell's faces cut them, they
 * do the same to rounding, also in a sheared cell, and their momentum stays. A bar that goes on
 * through a face is stretched with the cell: each bond carries E A times the strain, the cell's
 * stress is that force over its section. A restart goes on to the bit. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "talus/talus_io.h"
#include "tests/world/place.h"

static const double PI = 3.14159265358979323846, R = 0.05, EDGE = 0.8;

static talus_world *world_make(double shear, double stretch) {
  talus_world_def def = talus_world_def_default();
  talus_cell cell = talus_cell_default();
  talus_world *world;
  def.gravity[2] = 0;
  def.tolerance = 1e-10;
  MUST(talus_world_create(place_context, &def, &world));
  place_material(world, 1000, 0.3, 0.4);
  cell.periodic = 7;
  cell.edge[0] = cell.edge[1] = cell.edge[2] = EDGE;
  cell.rate[4] = shear;
  cell.rate[0] = stretch;
  MUST(talus_world_set_cell(world, &cell));
  return world;
}

/* ---- molecules ------------------------------------------------------------------------------- */

enum { MOLECULES = 8, BEADS = 3 * MOLECULES };

static void joint_place(talus_world *world, talus_joint_kind kind, int32_t a, const double *point) {
  talus_joint_def def = talus_joint_def_default(kind);
  def.body_a = a;
  def.body_b = a + 1;
  memcpy(def.point, point, sizeof def.point);
  memcpy(def.point_b, point, sizeof def.point_b);
  if (kind == TALUS_JOINT_DISTANCE) {
    def.point_b[1] += 0.03;
  }
  MUST(talus_joint_add(world, &def, NULL));
}

static void bond_place(talus_world *world, int32_t a) {
  talus_bond_def def = talus_bond_def_default();
  def.body_a = a;
  def.body_b = a + 1;
  def.young = 1e7;
  MUST(talus_bond_add(world, &def, NULL));
}

/* Three beads in a row each: a gap with a joint of any kind, then a bond. */
static void molecules_place(talus_world *world, const double *shift, double shear) {
  for (int m = 0; m < MOLECULES; m++) {
    const double at[3] = {0.4 * (m % 2) + shift[0], 0.4 * (m / 2 % 2) + shift[1],
                          0.4 * (m / 4) + shift[2]};
    int32_t first = TALUS_NONE;
    for (int i = 0; i < 3; i++) {
      const int32_t bead =
          place_sphere(world, 0, R, at[0] + (i == 0 ? -0.01 : 2 * R * i), at[1], at[2]);
      talus_body_state state = place_state(world, bead);
      /* velocities beyond the mean motion, which the shift must not change */
      state.velocity[0] += (m % 3 - 1.0) + shear * (at[2] - shift[2]);
      state.velocity[1] += 1.3 * (i - 1) * (m % 2 ? 1 : -1);
      state.velocity[2] += 0.7 * (m / 4 ? -1 : 1);
      MUST(talus_body_set(world, bead, &state));
      first = i == 0 ? bead : first;
    }
    joint_place(world, (talus_joint_kind)(m % 5), first,
                (const double[3]){at[0] + R, at[1], at[2]});
    bond_place(world, first + 1);
  }
}

/* Velocity of a bead beyond the motion of the cell, the middle of the sample being at rest. */
static void own_velocity(const talus_world *world, int32_t bead, double shear, double own[3]) {
  double mean = 0;
  for (int32_t i = 0; i < BEADS; i++) {
    const talus_body_state state = place_state(world, i);
    mean += (state.velocity[0] - shear * state.position[2]) / BEADS;
  }
  const talus_body_state state = place_state(world, bead);
  memcpy(own, state.velocity, sizeof state.velocity);
  own[0] -= shear * state.position[2] + mean;
}

static talus_world *molecules(const double *shift, double shear) {
  talus_world *const world = world_make(shear, 0);
  molecules_place(world, shift, shear);
  return world;
}

/* The same molecules, the faces elsewhere. */
static void translated(double shear, int steps) {
  static const double shifts[3][3] = {{0.75, 0.1, 0.1}, {0.31, 0.78, 0.77}, {-3.14, 5.77, 0.021}};
  const double none[3] = {0.1, 0.1, 0.1};
  talus_world *const world = molecules(none, shear);
  const talus_step_report report = place_run(world, steps);
  CHECK(report.energy_error < 1e-6);
  double spread = 0;
  for (int s = 0; s < 3; s++) {
    talus_world *const other = molecules(shifts[s], shear);
    double largest = 0;
    place_run(other, steps);
    for (int32_t i = 0; i < BEADS; i++) {
      double p[3], q[3];
      own_velocity(world, i, shear, p);
      own_velocity(other, i, shear, q);
      for (int c = 0; c < 3; c++) {
        largest = fmax(largest, fabs(p[c] - q[c]));
        spread = fmax(spread, fabs(p[c]));
      }
    }
    printf("shear %g, shift %d: %g of %g m/s\n", shear, s, largest, spread);
    CHECK_CASE(largest < 1e-6 * spread, "shear %g: velocities differ by %g", shear, largest);
    talus_world_destroy(other);
  }
  talus_world_destroy(world);
}

static void momentum_kept(void) {
  talus_world *const world = molecules((const double[3]){0.75, 0.78, 0.77}, 0);
  double before[3] = {0}, after[3] = {0};
  for (int step = 0; step < 2; step++) {
    for (int32_t i = 0; i < BEADS; i++) {
      for (int c = 0; c < 3; c++) {
        (step ? after : before)[c] += place_state(world, i).velocity[c];
      }
    }
    if (step == 0) {
      CHECK(place_run(world, 200).momentum_error < 1e-12);
    }
  }
  for (int c = 0; c < 3; c++) {
    CHECK_CLOSE(after[c], before[c], 1e-12 * BEADS);
  }
  talus_world_destroy(world);
}

/* ---- a bar through a face -------------------------------------------------------------------- */

static void bar(void) {
  enum { COUNT = 8 };
  const double young = 1e7, area = PI * R * R, strain = 0.002;
  talus_world *const world = world_make(0, 0);
  for (int i = 0; i < COUNT; i++) {
    place_sphere(world, 0, R, 2 * R * i + 0.02, 0.79, 0.4);
  }
  talus_bond_def def = talus_bond_def_default();
  def.young = young;
  def.damping = 0.01;
  int32_t added;
  MUST(talus_bonds_add(world, &def, 0, NULL, &added));
  CHECK(added == COUNT); /* the last one across the face */
  talus_cell cell = talus_cell_default();
  MUST(talus_world_cell(world, &cell));
  cell.rate[0] = strain / 0.1;
  MUST(talus_world_set_cell(world, &cell));
  place_run(world, 100);
  MUST(talus_world_cell(world, &cell));
  cell.rate[0] = 0;
  MUST(talus_world_set_cell(world, &cell));
  place_run(world, 400);
  MUST(talus_world_cell(world, &cell));
  const double force = young * area * (cell.edge[0] / EDGE - 1);
  const talus_bond *bonds;
  CHECK(talus_world_bonds(world, &bonds) == COUNT);
  for (int i = 0; i < COUNT; i++) {
    CHECK_CLOSE(bonds[i].normal / force, 1, 1e-6);
  }
  double stress[9];
  MUST(talus_world_stress(world, stress));
  CHECK_CLOSE(-stress[0] * cell.edge[1] * cell.edge[2] / force, 1, 1e-6);
  CHECK(fabs(stress[4]) < 1e-6 * force && fabs(stress[2]) < 1e-6 * force);
  talus_world_destroy(world);
}

/* ---- restart, refusals ----------------------------------------------------------------------- */

static void restart(void) {
  const double shift[3] = {0.75, 0.78, 0.77};
  talus_world *const world = molecules(shift, 2), *const other = molecules(shift, 2);
  char folder[] = "/tmp/talus_cell_joints_XXXXXX", path[256];
  place_run(world, 70);
  CHECK(mkdtemp(folder) != NULL);
  MUST(talus_checkpoint_write(world, folder, 1));
  MUST(talus_checkpoint_newest(place_context, folder, path, sizeof path));
  MUST(talus_checkpoint_read(other, path));
  CHECK(remove(path) == 0 && rmdir(folder) == 0);
  place_run(world, 70);
  place_run(other, 70);
  for (int32_t i = 0; i < BEADS; i++) {
    const talus_body_state a = place_state(world, i), b = place_state(other, i);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
  }
  double a[9], b[9];
  MUST(talus_world_stress(world, a));
  MUST(talus_world_stress(other, b));
  CHECK(memcmp(a, b, sizeof a) == 0);
  talus_world_destroy(world);
  talus_world_destroy(other);
}

static void refused(void) {
  talus_world *const world = world_make(0, 0);
  talus_joint_def def = talus_joint_def_default(TALUS_JOINT_SLIDER);
  def.body_a = place_sphere(world, 0, R, 0.2, 0.2, 0.2);
  def.body_b = place_sphere(world, 0, R, 0.4, 0.2, 0.2);
  def.limited = 1;
  def.upper = 0.5;
  CHECK(talus_joint_add(world, &def, NULL) == TALUS_BAD_SETTING);
  CHECK(strstr(talus_context_message(place_context), "half the periodic cell") != NULL);
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  translated(0, 100);
  translated(1.5, 100);
  momentum_kept();
  bar();
  restart();
  refused();
  place_end();
  return check_end();
}
