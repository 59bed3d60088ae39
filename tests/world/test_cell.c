/* test_cell.c: periodic cells: images, wrapping, Lees-Edwards shear, servo.
 *
 * A cloud of beads collides in a cell: momentum stays, and all of it translated by any vector gives
 * the same world. Two beads meet across a face, an edge and a corner as they do in the middle. In a
 * sheared cell stress times rate is the power that contacts dissipate, and the mean motion stays
 * linear and its density even. A bed on a floor that goes on is carried. */
#include <math.h>
#include <string.h>

#include "host/math/trigonometry.h"
#include "tests/world/place.h"

static const double RADIUS = 0.05, DENSITY = 1000;

/* What test_servo wants: soft beads of unlike sizes, which do not crystallise. */
static talus_softness gas_softness = TALUS_SOFTNESS_RIGID;
static double gas_spread;

static talus_world *world_of(double gravity, double friction, double restitution, double step) {
  talus_world_def def = talus_world_def_default();
  talus_world *world;
  def.step = step;
  def.softness = gas_softness;
  def.gravity[0] = def.gravity[1] = 0;
  def.gravity[2] = -gravity;
  MUST(talus_world_create(place_context, &def, &world));
  place_material(world, DENSITY, friction, restitution);
  return world;
}

static talus_cell cube(double edge, uint32_t periodic) {
  talus_cell cell = talus_cell_default();
  cell.periodic = periodic;
  for (int c = 0; c < 3; c++) {
    cell.edge[c] = edge;
  }
  return cell;
}

static double noise(int i) {
  const double x = tl_sine(12.9898 * i + 4.1) * 43758.5453; /* the same everywhere */
  return x - floor(x) - 0.5;
}

/* ---- two beads ------------------------------------------------------------------------------- */

/* Two beads on a collision course, the whole shifted by `shift`; returns their relative speed. */
static double collide(const double shift[3], const talus_cell *cell) {
  talus_world *const world = world_of(0, 0.3, 0.5, 1e-3);
  MUST(talus_world_set_cell(world, cell));
  const int32_t a = place_sphere(world, 0, RADIUS, shift[0], shift[1], shift[2]);
  const int32_t b =
      place_sphere(world, 0, RADIUS, shift[0] + 0.11, shift[1] + 0.02, shift[2] + 0.03);
  talus_body_state state = place_state(world, a);
  state.velocity[0] = 1;
  state.spin[1] = 3;
  MUST(talus_body_set(world, a, &state));
  place_run(world, 60);
  const talus_body_state p = place_state(world, a), q = place_state(world, b);
  double square = 0;
  for (int c = 0; c < 3; c++) {
    const double d = q.velocity[c] - p.velocity[c] + 0.1 * (q.spin[c] - p.spin[c]);
    square += d * d;
  }
  talus_world_destroy(world);
  return square;
}

static void test_two(void) {
  talus_cell cell = cube(1, 7);
  const double middle[3] = {0.4, 0.4, 0.4};
  const double whole = collide(middle, &cell);
  static const double shifts[5][3] = {{0.95, 0.4, 0.4},
                                      {0.4, 0.99, 0.4},
                                      {0.95, 0.4, 0.985},
                                      {0.95, 0.99, 0.985},
                                      {-2.05, 3.99, 7}};
  CHECK(whole > 0.1);
  for (int i = 0; i < 5; i++) {
    CHECK_CLOSE(collide(shifts[i], &cell), whole, 1e-9);
  }
  cell.edge[3] = 0.4; /* leaning edges are another lattice, far enough away */
  cell.edge[4] = -0.3;
  cell.edge[5] = 0.2;
  for (int i = 0; i < 5; i++) {
    CHECK_CLOSE(collide(shifts[i], &cell), whole, 1e-9);
  }
}

/* ---- a gas ----------------------------------------------------------------------------------- */

enum { SIDE = 4, COUNT = SIDE * SIDE * SIDE };

static talus_world *gas(const double shift[3], double friction, double restitution, double speed) {
  talus_world *const world = world_of(0, friction, restitution, 1e-3);
  const talus_cell cell = cube(SIDE * 0.12, 7);
  MUST(talus_world_set_cell(world, &cell));
  for (int i = 0; i < COUNT; i++) {
    const double radius = RADIUS * (1 + gas_spread * noise(i + 700));
    const int32_t bead =
        place_sphere(world, 0, radius, 0.12 * (i % SIDE) + shift[0],
                     0.12 * (i / SIDE % SIDE) + shift[1], 0.12 * (i / (SIDE * SIDE)) + shift[2]);
    talus_body_state state = place_state(world, bead);
    for (int c = 0; c < 3; c++) {
      state.velocity[c] = speed * noise(3 * i + c);
    }
    MUST(talus_body_set(world, bead, &state));
  }
  return world;
}

static void momentum_of(const talus_world *world, double sum[3]) {
  memset(sum, 0, 3 * sizeof *sum);
  for (int i = 0; i < COUNT; i++) {
    for (int c = 0; c < 3; c++) {
      sum[c] += place_state(world, i).velocity[c];
    }
  }
}

static void test_gas(void) {
  const double none[3] = {0.01, 0.01, 0.01}, away[3] = {0.313, -0.177, 5.0417};
  talus_world *const world = gas(none, 0.4, 0.6, 1), *const other = gas(away, 0.4, 0.6, 1);
  double before[3], after[3], largest = 0;
  momentum_of(world, before);
  const talus_step_report report = place_run(world, 40);
  place_run(other, 40);
  momentum_of(world, after);
  CHECK(report.contact_count > 5 && report.kinetic > 0);
  for (int c = 0; c < 3; c++) {
    CHECK_CLOSE(after[c], before[c], 1e-12 * COUNT);
  }
  for (int i = 0; i < COUNT; i++) {
    const talus_body_state p = place_state(world, i), q = place_state(other, i);
    for (int c = 0; c < 3; c++) {
      largest = fmax(largest, fabs(p.velocity[c] - q.velocity[c]));
      CHECK(p.position[c] >= 0 && p.position[c] < SIDE * 0.12);
    }
  }
  CHECK_CASE(largest < 1e-3, "translated: velocities differ by %g", largest);
  talus_world_destroy(world);
  talus_world_destroy(other);
}

/* ---- one step, translated -------------------------------------------------------------------- */

/* A world in which the beads of another one begin anew, shifted. */
static talus_world *gas_again(const talus_world *from, const double shift[3]) {
  const double none[3] = {0, 0, 0};
  talus_world *const world = gas(none, 0.4, 0.6, 0);
  for (int i = 0; i < COUNT; i++) {
    talus_body_state state = place_state(from, i);
    for (int c = 0; c < 3; c++) {
      state.position[c] += shift[c];
    }
    MUST(talus_body_set(world, i, &state));
  }
  return world;
}

/* The impulse between two beads on the second of them, or 0. */
static void impulse_between(const talus_world *world, int32_t a, int32_t b, double impulse[3]) {
  const talus_contact *contact;
  const int32_t count = talus_world_contacts(world, &contact);
  memset(impulse, 0, 3 * sizeof *impulse);
  for (int32_t k = 0; k < count; k++) {
    const int turned = contact[k].body_a == b && contact[k].body_b == a;
    for (int c = 0; c < 3 && (turned || (contact[k].body_a == a && contact[k].body_b == b)); c++) {
      impulse[c] += turned ? -contact[k].impulse[c] : contact[k].impulse[c];
    }
  }
}

/* Impulses of one step change by rounding only, wherever the cell's faces cut the beads. */
static void test_translation(void) {
  const double none[3] = {0.01, 0.01, 0.01}, stay[3] = {0, 0, 0};
  const double shifts[][3] = {{0.313, -0.177, 5.0417}, {0.06, 0, 0}, {-3.3, 1e3, 0.24}};
  talus_world *const start = gas(none, 0.4, 0.6, 1);
  place_run(start, 40);
  for (int s = 0; s < 3; s++) {
    talus_world *const world = gas_again(start, stay), *const other = gas_again(start, shifts[s]);
    const talus_contact *contact;
    double largest = 0, off = 0;
    place_run(world, 1);
    place_run(other, 1);
    const int32_t count = talus_world_contacts(world, &contact);
    CHECK(count > 5);
    for (int32_t k = 0; k < count; k++) {
      double here[3], there[3];
      impulse_between(world, contact[k].body_a, contact[k].body_b, here);
      impulse_between(other, contact[k].body_a, contact[k].body_b, there);
      for (int c = 0; c < 3; c++) {
        largest = fmax(largest, fabs(here[c]));
        off = fmax(off, fabs(here[c] - there[c]));
      }
    }
    printf("translated: impulses differ by %g of the largest, %g N s\n", off / largest, largest);
    CHECK(largest > 0 && off <= 1e-9 * largest);
    talus_world_destroy(world);
    talus_world_destroy(other);
  }
  talus_world_destroy(start);
}

/* ---- every pair once ------------------------------------------------------------------------- */

/* Distance of two points over all images within two cells. */
static double nearest(const talus_cell *cell, const double *p, const double *q) {
  const double *const e = cell->edge;
  double least = INFINITY;
  for (int i = 0; i < 125; i++) {
    const double m[3] = {i % 5 - 2, i / 5 % 5 - 2, i / 25 - 2};
    const double d[3] = {q[0] - p[0] + e[0] * m[0] + e[3] * m[1] + e[4] * m[2],
                         q[1] - p[1] + e[1] * m[1] + e[5] * m[2], q[2] - p[2] + e[2] * m[2]};
    least = fmin(least, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
  }
  return least;
}

static void test_pairs(void) {
  enum { BEADS = 400 };
  static const double leans[5][3] = {
      {0, 0, 0}, {0.5, 0.5, 0.5}, {-0.5, 0.5, -0.5}, {0.2, -0.49, 0.4}, {0, 0.5, 0}};
  for (int lean = 0; lean < 5; lean++) {
    talus_world_def def = talus_world_def_default();
    talus_world *world;
    talus_cell cell = cube(0.6, 7);
    def.margin = 4; /* gaps of so many radii */
    def.gravity[2] = 0;
    for (int c = 0; c < 3; c++) {
      cell.edge[3 + c] = 0.6 * leans[lean][c];
      cell.origin[c] = 0.3 * c - 1;
    }
    MUST(talus_world_create(place_context, &def, &world));
    place_material(world, DENSITY, 0, 0);
    MUST(talus_world_set_cell(world, &cell));
    double at[3 * BEADS];
    for (int i = 0; i < BEADS; i++) {
      for (int c = 0; c < 3; c++) {
        at[3 * i + c] = 2 * noise(1000 * lean + 3 * i + c);
      }
      place_sphere(world, 0, 0.004, at[3 * i], at[3 * i + 1], at[3 * i + 2]);
    }
    MUST(talus_world_set_cell(world, &cell)); /* brings them in */
    for (int i = 0; i < BEADS; i++) {
      memcpy(at + 3 * i, place_state(world, i).position, 3 * sizeof *at);
    }
    talus_step_report report = talus_step_report_default();
    if (talus_world_step(world, &report) != TALUS_OK) {
      printf("%s\n", talus_context_message(place_context));
    }
    int32_t pairs = 0;
    for (int i = 0; i < BEADS; i++) {
      for (int j = 0; j < i; j++) {
        pairs += nearest(&cell, at + 3 * i, at + 3 * j) < 0.024;
      }
    }
    CHECK_CASE(report.contact_count == pairs && pairs > 10, "lean %d: %d contacts of %d pairs",
               lean, report.contact_count, pairs);
    talus_world_destroy(world);
  }
}

/* ---- shear ----------------------------------------------------------------------------------- */

/* Energy of the motion beyond the mean one, rate dvx/dz. */
static double own_energy(const talus_world *world, double rate) {
  const double mass = DENSITY * 4 / 3. * 3.141592653589793 * RADIUS * RADIUS * RADIUS;
  double sum = 0, mean[3] = {0, 0, 0};
  for (int pass = 0; pass < 2; pass++) {
    for (int b = 0; b < COUNT; b++) {
      const talus_body_state state = place_state(world, b);
      for (int c = 0; c < 3; c++) {
        const double v = state.velocity[c] - (c == 0 ? rate * state.position[2] : 0);
        if (pass == 0) {
          mean[c] += v / COUNT;
        } else {
          sum += 0.5 * mass * (v - mean[c]) * (v - mean[c]) +
                 0.2 * mass * RADIUS * RADIUS * state.spin[c] * state.spin[c];
        }
      }
    }
  }
  return sum;
}

/* Work of contact impulses along the motion of images of b: those above the cell are ahead. */
static double image_work(const talus_world *world, const talus_cell *cell) {
  const talus_contact *contact;
  const int32_t count = talus_world_contacts(world, &contact);
  double sum = 0;
  for (int32_t k = 0; k < count; k++) {
    const talus_body_state b = place_state(world, contact[k].body_b);
    const double up = floor((contact[k].point[2] - b.position[2]) / cell->edge[2] + 0.5);
    sum += contact[k].impulse[0] * cell->rate[4] * up * cell->edge[2];
  }
  return sum;
}

/* Beads, and what they move beyond the mean motion, in slices of the cell's height. */
enum { SLICES = 4 };
typedef struct profile {
  double count[SLICES], own[SLICES], square;
} profile;

static void profile_add(const talus_world *world, const talus_cell *cell, profile *sum) {
  for (int b = 0; b < COUNT; b++) {
    const talus_body_state state = place_state(world, b);
    const double z = state.position[2], own = state.velocity[0] - cell->rate[4] * z;
    const int slice = (int)fmin(SLICES - 1, SLICES * z / cell->edge[2]);
    sum->count[slice]++;
    sum->own[slice] += own;
    sum->square += own * own;
  }
}

/* Nothing but noise: as many beads in each slice, none ahead of the mean motion. */
static void profile_check(const profile *sum) {
  double count = 0, own = 0;
  for (int i = 0; i < SLICES; i++) {
    count += sum->count[i];
    own += sum->own[i];
  }
  const double mean = own / count, spread = sqrt(sum->square / count - mean * mean);
  for (int i = 0; i < SLICES; i++) {
    const double share = SLICES * sum->count[i] / count;
    const double ahead = (sum->own[i] / sum->count[i] - mean) / spread;
    printf("slice %d: %.3f of the mean number, %+.3f spreads ahead\n", i, share, ahead);
    CHECK(fabs(share - 1) < 0.1 && fabs(ahead) < 0.4);
  }
}

/* A dense cell sheared in xz at constant volume: the power of the stress is what contacts take. */
static void test_shear(void) {
  const double none[3] = {0.01, 0.01, 0.01};
  talus_world *const world = gas(none, 0.5, 0.3, 0.5);
  talus_cell cell = talus_cell_default();
  MUST(talus_world_cell(world, &cell));
  cell.rate[4] = 2;
  MUST(talus_world_set_cell(world, &cell));
  place_run(world, 500);
  const double begin = own_energy(world, 2);
  double put_in = 0, taken = 0;
  profile slices = {.square = 0};
  for (int i = 0; i < 4000; i++) {
    double stress[9];
    const talus_step_report report = place_run(world, 1);
    MUST(talus_world_stress(world, stress));
    MUST(talus_world_cell(world, &cell));
    CHECK(fabs(cell.edge[4]) <= 0.501 * cell.edge[0]);
    /* compression > 0, so that drag is negative */
    put_in -= stress[2] * 2 * cell.edge[0] * cell.edge[1] * cell.edge[2] * 1e-3;
    taken -= report.work_contacts + image_work(world, &cell);
    profile_add(world, &cell, &slices);
  }
  const double kept = own_energy(world, 2) - begin;
  printf("shear: %g J by the stress, %g J taken by contacts, %g J kept\n", put_in, taken, kept);
  CHECK_CASE(put_in > 0 && fabs(put_in - kept - taken) <= 0.01 * put_in,
             "%g J by the stress, %g J taken by contacts, %g J kept", put_in, taken, kept);
  profile_check(&slices);
  /* the profile is linear: shear, and no mean slip */
  double zz = 0, zv = 0, z0 = 0, v0 = 0;
  for (int b = 0; b < COUNT; b++) {
    const talus_body_state state = place_state(world, b);
    z0 += state.position[2] / COUNT;
    v0 += state.velocity[0] / COUNT;
  }
  for (int b = 0; b < COUNT; b++) {
    const talus_body_state state = place_state(world, b);
    zz += (state.position[2] - z0) * (state.position[2] - z0);
    zv += (state.position[2] - z0) * (state.velocity[0] - v0);
  }
  CHECK_CLOSE(zv / zz, 2, 1);
  talus_world_destroy(world);
}

/* A cell that shears and shrinks: nothing passes through anything, by all pairs of images. */
static void test_no_overlap(void) {
  const double none[3] = {0.01, 0.01, 0.01};
  talus_world *const world = gas(none, 0.5, 0.2, 0.3);
  talus_cell cell = talus_cell_default();
  MUST(talus_world_cell(world, &cell));
  cell.rate[0] = cell.rate[1] = cell.rate[2] = -0.05;
  cell.rate[4] = 3;
  cell.rate[3] = -1;
  MUST(talus_world_set_cell(world, &cell));
  for (int step = 0; step < 1000; step++) {
    double least = INFINITY;
    place_run(world, 1);
    MUST(talus_world_cell(world, &cell));
    for (int i = 0; i < COUNT && step % 10 == 0; i++) {
      const talus_body_state p = place_state(world, i);
      for (int j = 0; j < i; j++) {
        const talus_body_state q = place_state(world, j);
        least = fmin(least, nearest(&cell, p.position, q.position));
      }
    }
    if (!CHECK(least > 1.99 * RADIUS)) {
      printf("  step %d: two centres are %g m apart\n", step, least);
      break;
    }
  }
  talus_world_destroy(world);
}

/* What comes back through the sides of a cell that is pressed together and sheared takes no
 * momentum with it, and leaves none behind when the cell stops: a sample does not drift off. */
static void test_drift(void) {
  const double none[3] = {0.01, 0.01, 0.01};
  talus_world *const world = gas(none, 0.5, 0.5, 0.2);
  double before[3], after[3];
  momentum_of(world, before);
  talus_cell cell = talus_cell_default();
  MUST(talus_world_cell(world, &cell));
  cell.rate[0] = cell.rate[1] = cell.rate[2] = -0.3;
  cell.rate[4] = 5;
  MUST(talus_world_set_cell(world, &cell));
  place_run(world, 500);
  momentum_of(world, after);
  for (int c = 0; c < 3; c++) {
    CHECK_CLOSE(after[c], before[c], 1e-9);
  }
  MUST(talus_world_cell(world, &cell));
  memset(cell.rate, 0, sizeof cell.rate);
  MUST(talus_world_set_cell(world, &cell));
  place_run(world, 100);
  momentum_of(world, after);
  for (int c = 0; c < 3; c++) {
    CHECK_CLOSE(after[c], before[c], 1e-9);
  }
  talus_world_destroy(world);
}

/* ---- servo ----------------------------------------------------------------------------------- */

/* Beads without friction are pressed together by 1 kPa from all sides: they jam near random close
 * packing with six neighbours each, and carry the stress. */
static void test_servo(void) {
  const double none[3] = {0.01, 0.01, 0.01};
  talus_world *world = gas(none, 0, 0, 0.2);
  talus_cell cell = talus_cell_default();
  MUST(talus_world_cell(world, &cell));
  cell.servo = 7;
  cell.stress[0] = cell.stress[1] = cell.stress[2] = 1000;
  MUST(talus_world_set_cell(world, &cell));
  CHECK(talus_world_step(world, NULL) == TALUS_UNSUPPORTED);
  CHECK(strstr(talus_context_message(place_context), "softness AUTO") != NULL);
  talus_world_destroy(world);

  gas_softness = TALUS_SOFTNESS_AUTO;
  gas_spread = 0.35;
  world = gas(none, 0, 0, 0.2);
  gas_softness = TALUS_SOFTNESS_RIGID;
  gas_spread = 0;
  MUST(talus_world_set_cell(world, &cell));
  talus_step_report report = place_run(world, 12000);
  double mean[3] = {0, 0, 0};
  for (int i = 0; i < 500; i++) {
    double stress[9];
    report = place_run(world, 1);
    MUST(talus_world_stress(world, stress));
    for (int c = 0; c < 3; c++) {
      mean[c] += stress[4 * c] / 500;
    }
  }
  MUST(talus_world_cell(world, &cell));
  double solid = 0;
  for (int i = 0; i < COUNT; i++) {
    solid += 4 / 3. * 3.141592653589793 * pow(RADIUS * (1 + 0.35 * noise(i + 700)), 3);
  }
  const double fraction = solid / (cell.edge[0] * cell.edge[1] * cell.edge[2]);
  printf("servo: %g %g %g Pa, fraction %g, %g contacts a bead\n", mean[0], mean[1], mean[2],
         fraction, report.coordination);
  for (int c = 0; c < 3; c++) {
    CHECK_CLOSE(mean[c], 1000, 10);
  }
  CHECK_CASE(fraction > 0.6 && fraction < 0.7, "packing fraction %g", fraction);
  CHECK_CASE(report.coordination > 5.3 && report.coordination < 7, "coordination %g",
             report.coordination);
  talus_world_destroy(world);
}

/* Beads with friction are pressed together by 1 kPa, then sheared by a stress instead of a rate:
 * below what they can bear they stand, beyond it they flow and carry it. */
static void test_shear_servo(void) {
  const double none[3] = {0.01, 0.01, 0.01};
  talus_cell cell = talus_cell_default();
  gas_softness = TALUS_SOFTNESS_AUTO;
  gas_spread = 0.35;
  talus_world *const world = gas(none, 0.5, 0, 0.2);
  gas_softness = TALUS_SOFTNESS_RIGID;
  gas_spread = 0;
  MUST(talus_world_cell(world, &cell));
  cell.servo = 7;
  cell.stress[0] = cell.stress[1] = cell.stress[2] = 1000;
  MUST(talus_world_set_cell(world, &cell));
  place_run(world, 8000);
  static const double wanted[2] = {-100, -450};
  double rate[2], carried[2] = {0, 0};
  for (int load = 0; load < 2; load++) {
    MUST(talus_world_cell(world, &cell));
    cell.servo = 1 << 2 | 1 << 4; /* z, and the shear xz */
    cell.rate[0] = cell.rate[1] = 0;
    cell.shear_stress[1] = wanted[load];
    MUST(talus_world_set_cell(world, &cell));
    place_run(world, load == 0 ? 3000 : 12000);
    double before[9], strain = 0;
    for (int i = 0; i < 2000; i++) {
      place_run(world, 1);
      MUST(talus_world_stress(world, before));
      MUST(talus_world_cell(world, &cell));
      carried[load] += before[2] / 2000;
      strain += cell.rate[4] * 1e-3;
    }
    rate[load] = strain / 2;
  }
  printf("shear servo: %g Pa at %g 1/s, %g Pa at %g 1/s\n", carried[0], rate[0], carried[1],
         rate[1]);
  CHECK_CLOSE(carried[0], wanted[0], 2);
  CHECK_CASE(fabs(rate[0]) < 1e-3, "rate %g", rate[0]);
  CHECK_CLOSE(carried[1], wanted[1], 30);
  CHECK_CASE(rate[1] > 0.1, "rate %g", rate[1]);
  talus_world_destroy(world);
}

/* ---- refused --------------------------------------------------------------------------------- */

static void refuse(talus_world *world, const talus_cell *cell, const char *words) {
  CHECK(talus_world_set_cell(world, cell) != TALUS_OK);
  CHECK_CASE(strstr(talus_context_message(place_context), words) != NULL, "%s",
             talus_context_message(place_context));
}

static void test_refused(void) {
  talus_world *const world = world_of(9.81, 0.5, 0, 1e-3);
  talus_cell cell = cube(1, 8);
  refuse(world, &cell, "bits beyond");
  cell = cube(0, 7);
  refuse(world, &cell, "edges must be above 0");
  cell = cube(1, 3);
  cell.servo = 4;
  refuse(world, &cell, "not periodic");
  cell = cube(1, 7);
  cell.servo = 1;
  cell.stress[0] = NAN;
  refuse(world, &cell, "stress[0]");
  cell = cube(1, 7);
  cell.servo = 64;
  refuse(world, &cell, "bits beyond");
  cell.servo = 8;
  cell.shear_stress[0] = INFINITY;
  refuse(world, &cell, "shear_stress[0]");
  cell = cube(1, 3);
  cell.servo = 16;
  refuse(world, &cell, "with a servo, needs both sides periodic");
  cell = cube(1, 3);
  cell.rate[2] = 1;
  refuse(world, &cell, "not periodic");
  cell = cube(1, 3);
  cell.rate[4] = 1;
  refuse(world, &cell, "needs both sides periodic");
  double stress[9];
  CHECK(talus_world_stress(world, stress) == TALUS_CALL_ORDER);
  /* a floor across a periodic face; a body as large as the cell */
  cell = cube(1, 7);
  MUST(talus_world_set_cell(world, &cell));
  place_floor(world, 0);
  place_sphere(world, 0, RADIUS, 0.5, 0.5, 0.5);
  CHECK(talus_world_step(world, NULL) == TALUS_UNSUPPORTED);
  CHECK(strstr(talus_context_message(place_context), "half-space of body 0") != NULL);
  cell.periodic = 3;
  MUST(talus_world_set_cell(world, &cell));
  place_run(world, 1);
  place_sphere(world, 0, 0.3, 0.5, 0.5, 2);
  CHECK(talus_world_step(world, NULL) == TALUS_UNSUPPORTED);
  CHECK(strstr(talus_context_message(place_context), "a larger cell is needed") != NULL);
  talus_world_destroy(world);
}

/* A bed over a floor that goes on: in the mean the floor carries the weight of all, no more. */
static void test_floor(void) {
  enum { BEADS = 48 };
  talus_world *const world = world_of(9.81, 0.5, 0, 1e-3);
  const talus_cell cell = cube(0.5, 3);
  double weight = 0, carried = 0;
  MUST(talus_world_set_cell(world, &cell));
  place_floor(world, 0);
  for (int i = 0; i < BEADS; i++) {
    const double radius = RADIUS * (1 + 0.2 * noise(i));
    place_sphere(world, 0, radius, 0.12 * (i % 4) + 0.02 * noise(i + 50),
                 0.12 * (i / 4 % 4) + 0.02 * noise(i + 99), 0.07 + 0.13 * (i / 16));
    weight += 9.81 * DENSITY * 4 / 3. * 3.141592653589793 * radius * radius * radius;
  }
  place_run(world, 1500);
  for (int i = 0; i < 200; i++) {
    const talus_step_report report = place_run(world, 1);
    const talus_contact *contact;
    const int32_t count = talus_world_contacts(world, &contact);
    CHECK(report.momentum_error < 1e-9 && report.energy_error < 1e-6);
    for (int32_t k = 0; k < count; k++) {
      carried += contact[k].body_a == 0 ? contact[k].impulse[2] / (200 * 1e-3) : 0;
    }
  }
  CHECK_CLOSE(carried, weight, 5e-3 * weight);
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  test_two();
  test_gas();
  test_translation();
  test_pairs();
  test_shear();
  test_no_overlap();
  test_drift();
  test_servo();
  test_shear_servo();
  test_refused();
  test_floor();
  place_end();
  return check_end();
}
