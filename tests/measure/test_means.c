/* test_means.c: means over domains against closed forms: lattices, a column under its weight, a
 * Maxwellian gas; sums over partitions; distributions. */
#include <stdlib.h>
#include <string.h>

#include "host/measure/average.h"
#include "host/measure/distribution.h"
#include "host/measure/means.h"
#include "tests/check.h"
#include "tests/measure/grains.h"

static const double pi = 3.14159265358979323846;
static const uint32_t ALL = (1u << TL_GROUP_COUNT) - 1;

static tl_domain box(bool plane, double low, double high) {
  tl_domain d = {.kind = TL_DOMAIN_BOX,
                 .plane = plane,
                 .pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                 .lower = {low, low, low},
                 .upper = {high, high, high}};
  return d;
}

/* Simple cubic or face-centred cubic spheres of radius a half. */
static grains *lattice(int edge, bool centred) {
  grains *const g = grains_create(false);
  const double a = centred ? sqrt(2) : 1;
  for (int k = 0; k < edge * edge * edge; k++) {
    const double x = k % edge, y = k / edge % edge, z = k / (edge * edge);
    grains_add(g, a * x, a * y, a * z, 0.5);
    if (centred) {
      grains_add(g, a * (x + 0.5), a * (y + 0.5), a * z, 0.5);
      grains_add(g, a * (x + 0.5), a * y, a * (z + 0.5), 0.5);
      grains_add(g, a * x, a * (y + 0.5), a * (z + 0.5), 0.5);
    }
  }
  grains_touch_all(g, 1e-9, 2);
  return g;
}

static void check_lattice(talus_context *context, bool centred) {
  enum { EDGE = 8, BINS = 200 };
  grains *const g = lattice(EDGE, centred);
  tl_sample s = {.context = context};
  double mean[TL_MEAN_COUNT], g_of_r[BINS];
  const double a = centred ? sqrt(2) : 1;
  CHECK(tl_sample_take(&s, &g->frame) == TALUS_OK);
  /* whole cells, their faces through centres of spheres and not */
  for (int i = 0; i < 5; i++) {
    const tl_domain d = box(false, 2 * a + 0.17 * i, 5 * a + 0.17 * i);
    tl_means_take(&s, &d, ALL, 3, mean); /* corners have three, and peel off with four */
    CHECK_CLOSE(mean[TL_MEAN_PACKING_FRACTION], centred ? pi / sqrt(18) : pi / 6, 1e-12);
    CHECK_CLOSE(mean[TL_MEAN_DENSITY], centred ? pi / sqrt(18) : pi / 6, 1e-12);
    CHECK_CLOSE(mean[TL_MEAN_COORDINATION], centred ? 12 : 6, 0);
    CHECK_CLOSE(mean[TL_MEAN_COORDINATION_HELD], centred ? 12 : 6, 0);
    CHECK_CLOSE(mean[TL_MEAN_RATTLERS], 0, 0);
    CHECK_CLOSE(mean[TL_MEAN_NORMAL_FORCE], 2, 1e-12);
    CHECK_CLOSE(mean[TL_MEAN_TANGENTIAL_FORCE], 0, 1e-12);
    /* contacts per volume times force times distance over three */
    CHECK_CLOSE(mean[TL_MEAN_PRESSURE], (centred ? 24 / (a * a * a) : 3) * 2.0 / 3, 1e-11);
    CHECK_CLOSE(mean[TL_MEAN_STRESS], mean[TL_MEAN_PRESSURE], 1e-11);
    CHECK_CLOSE(mean[TL_MEAN_STRESS + 3], 0, 1e-11);
    CHECK_CLOSE(mean[TL_MEAN_FABRIC] + mean[TL_MEAN_FABRIC + 1] + mean[TL_MEAN_FABRIC + 2], 1,
                1e-12);
    CHECK_CLOSE(mean[TL_MEAN_TEMPERATURE], 0, 0);
  }
  /* shells: 6 or 12 neighbours at 1, and the next ones where the lattice has them */
  const tl_domain d = box(false, -0.25 * a, (EDGE - 0.25) * a);
  int32_t from = 0;
  CHECK(tl_radial_take(&s, &d, 2, BINS, g_of_r, &from) == TALUS_OK);
  CHECK(from > 0);
  const double density = s.grain_count / tl_domain_volume(&d);
  double near = 0, before = 0, next = 0;
  for (int k = 0; k < BINS; k++) {
    const double r = 2.0 * k / BINS, b = 2.0 * (k + 1) / BINS;
    const double count = g_of_r[k] * density * 4 * pi / 3 * (b * b * b - r * r * r);
    before += b < 0.985 ? count : 0;
    near += b > 0.985 && r < 1.015 ? count : 0;
    next += b > sqrt(2) - 0.015 && r < sqrt(2) + 0.015 ? count : 0;
  }
  CHECK_CLOSE(before, 0, 0);
  CHECK_CLOSE(near, centred ? 12 : 6, 1e-9);
  CHECK_CLOSE(next, centred ? 6 : 12, 1e-9);
  tl_sample_release(&s);
  grains_destroy(g);
}

/* Disks that touch six others: the densest packing of the plane. */
static void check_disks(talus_context *context) {
  enum { EDGE = 12 };
  grains *const g = grains_create(true);
  tl_sample s = {.context = context};
  double mean[TL_MEAN_COUNT];
  const double rise = sqrt(3) / 2;
  for (int k = 0; k < EDGE * EDGE; k++) {
    const int row = k / EDGE;
    grains_add(g, k % EDGE + (row % 2 == 0 ? 0 : 0.5), 0, rise * row, 0.5);
  }
  grains_touch_all(g, 1e-9, 2);
  CHECK(tl_sample_take(&s, &g->frame) == TALUS_OK);
  for (int i = 0; i < 5; i++) {
    tl_domain d = box(true, 2 + 0.13 * i, 7 + 0.13 * i);
    d.lower[2] = 2.2 * rise + 0.07 * i;
    d.upper[2] = d.lower[2] + 6 * rise;
    tl_means_take(&s, &d, ALL, 3, mean);
    CHECK_CLOSE(mean[TL_MEAN_PACKING_FRACTION], pi / (2 * sqrt(3)), 1e-12);
    CHECK_CLOSE(mean[TL_MEAN_COORDINATION], 6, 0);
    /* three contacts a disk, one disk in 2 / sqrt(3): force times length over the area, halved */
    CHECK_CLOSE(mean[TL_MEAN_PRESSURE], 3 * 2 / rise / 2, 1e-11);
    CHECK_CLOSE(mean[TL_MEAN_STRESS], mean[TL_MEAN_STRESS + 2], 1e-11);
  }
  tl_sample_release(&s);
  grains_destroy(g);
}

/* Balls on top of each other: the force at each contact is the weight above it. */
static void check_column(talus_context *context) {
  enum { COUNT = 20 };
  grains *const g = grains_create(false);
  tl_sample s = {.context = context};
  double mean[TL_MEAN_COUNT];
  const int32_t floor = grains_add_wall(g);
  const double weight = 9.81 * 4 * pi / 3 * 0.125, up[3] = {0, 0, 1};
  for (int k = 0; k < COUNT; k++) {
    const int32_t ball = grains_add(g, 0, 0, 0.5 + k, 0.5);
    const double point[3] = {0, 0, k}, force[3] = {0, 0, weight * (COUNT - k)};
    grains_touch(g, k == 0 ? floor : ball - 1, ball, point, up, force);
  }
  CHECK(tl_sample_take(&s, &g->frame) == TALUS_OK);
  tl_domain d = box(false, -1, 1);
  for (int k = 0; k < COUNT - 1; k++) { /* from centre to centre the force is the same */
    d.lower[2] = 0.5 + k;
    d.upper[2] = 1.5 + k;
    tl_means_take(&s, &d, ALL, 2, mean);
    CHECK_CLOSE(mean[TL_MEAN_STRESS + 2], weight * (COUNT - 1 - k) / 4, 1e-11);
    CHECK_CLOSE(mean[TL_MEAN_STRESS], 0, 1e-12);
  }
  /* the topmost ball hangs on one contact: a rattler, and then the next one, down to the floor */
  d.lower[2] = 0;
  d.upper[2] = COUNT;
  tl_means_take(&s, &d, ALL, 2, mean);
  CHECK_CLOSE(mean[TL_MEAN_RATTLERS], 1, 0);
  CHECK(isnan(mean[TL_MEAN_COORDINATION_HELD]));
  CHECK_CLOSE(mean[TL_MEAN_COORDINATION], (2.0 * (COUNT - 1) + 1) / COUNT, 1e-15);
  tl_means_take(&s, &d, ALL, 1, mean);
  CHECK_CLOSE(mean[TL_MEAN_RATTLERS], 0, 0);
  tl_sample_release(&s);
  grains_destroy(g);
}

static grains *gas(bool plane, int count, double temperature) {
  grains *const g = grains_create(plane);
  for (int k = 0; k < count; k++) {
    const int32_t ball = grains_add(g, grains_uniform(), plane ? 0 : grains_uniform(),
                                    grains_uniform(), 0.002 + 0.03 * grains_uniform());
    for (int c = 0; c < 3; c++) {
      g->velocity[3 * ball + c] = plane && c == 1 ? 0 : 5 + sqrt(temperature) * grains_normal();
    }
  }
  return g;
}

/* Every component of a Maxwellian has the temperature as its variance, about a drift. */
static void check_gas(talus_context *context, bool plane) {
  enum { COUNT = 20000 };
  grains *const g = gas(plane, COUNT, 0.3);
  tl_sample s = {.context = context};
  double mean[TL_MEAN_COUNT];
  for (int32_t k = 0; k < COUNT; k++) { /* the same mass: the mean by mass is that by number */
    g->mass[k] = 2;
  }
  CHECK(tl_sample_take(&s, &g->frame) == TALUS_OK);
  const tl_domain d = box(plane, -0.1, 1.1);
  tl_means_take(&s, &d, ALL, 4, mean);
  CHECK_CLOSE(mean[TL_MEAN_TEMPERATURE], 0.3, 4 * 0.3 * sqrt(2.0 / (2 * COUNT)));
  CHECK_CLOSE(mean[TL_MEAN_VELOCITY], 5, 4 * sqrt(0.3 / COUNT));
  CHECK_CLOSE(mean[TL_MEAN_GRAINS], COUNT, 0);
  const double ideal = 2 * COUNT / tl_domain_volume(&d) * 0.3; /* density times temperature */
  CHECK_CLOSE(mean[TL_MEAN_KINETIC_STRESS], ideal, 4 * ideal * sqrt(2.0 / COUNT));
  CHECK_CLOSE(mean[TL_MEAN_KINETIC_STRESS + 4], 0, 4 * ideal * sqrt(1.0 / COUNT));
  CHECK(isnan(mean[TL_MEAN_NORMAL_FORCE]) && isnan(mean[TL_MEAN_FABRIC]));
  tl_sample_release(&s);
  grains_destroy(g);
}

static tl_domain slice_of(const tl_domain *all, int way, int k, int count) {
  tl_domain d = *all;
  if (way < 3) {
    const double edge = (all->upper[way] - all->lower[way]) / count;
    d.lower[way] = all->lower[way] + k * edge;
    d.upper[way] = k == count - 1 ? all->upper[way] : all->lower[way] + (k + 1) * edge;
  } else if (way == 3) {
    d.pose.position[2] += all->height * k / count;
    d.height = all->height / count;
  } else {
    d.inner = all->radius * k / count;
    d.radius = all->radius * (k + 1) / count;
  }
  return d;
}

/* Volumes, masses, momenta and contact stresses of parts add up to those of the whole. */
static void check_partition(talus_context *context, tl_domain all, int way) {
  enum { COUNT = 13 };
  grains *const g = gas(all.plane, 4000, 1);
  tl_sample s = {.context = context};
  double mean[TL_MEAN_COUNT], sum[TL_MEAN_COUNT] = {0}, whole[TL_MEAN_COUNT];
  grains_touch_all(g, 0, 1 + grains_uniform());
  CHECK(tl_sample_take(&s, &g->frame) == TALUS_OK);
  tl_means_take(&s, &all, ALL, 4, whole);
  const double volume = tl_domain_volume(&all);
  double parts = 0;
  for (int k = 0; k < COUNT; k++) {
    const tl_domain d = slice_of(&all, way, k, COUNT);
    const double share = tl_domain_volume(&d) / volume;
    parts += share;
    tl_means_take(&s, &d, ALL, 4, mean);
    sum[TL_MEAN_GRAINS] += mean[TL_MEAN_GRAINS];
    sum[TL_MEAN_CONTACTS] += mean[TL_MEAN_CONTACTS];
    sum[TL_MEAN_PACKING_FRACTION] += share * mean[TL_MEAN_PACKING_FRACTION];
    sum[TL_MEAN_DENSITY] += share * mean[TL_MEAN_DENSITY];
    for (int i = 0; i < 6; i++) {
      sum[TL_MEAN_STRESS + i] += share * mean[TL_MEAN_STRESS + i];
    }
  }
  CHECK_CLOSE(parts, 1, 1e-12);
  CHECK_CLOSE(sum[TL_MEAN_GRAINS], whole[TL_MEAN_GRAINS], 0);
  CHECK_CLOSE(sum[TL_MEAN_CONTACTS], whole[TL_MEAN_CONTACTS], 0);
  CHECK_CLOSE(sum[TL_MEAN_PACKING_FRACTION] / whole[TL_MEAN_PACKING_FRACTION], 1, 1e-10);
  CHECK_CLOSE(sum[TL_MEAN_DENSITY] / whole[TL_MEAN_DENSITY], 1, 1e-10);
  for (int i = 0; i < 6; i++) {
    CHECK_CLOSE(sum[TL_MEAN_STRESS + i], whole[TL_MEAN_STRESS + i],
                1e-10 * fabs(whole[TL_MEAN_PRESSURE]));
  }
  tl_sample_release(&s);
  grains_destroy(g);
}

static void check_partitions(talus_context *context) {
  for (int plane = 0; plane < 2; plane++) {
    const tl_domain all = box(plane, 0.2, 0.8);
    check_partition(context, all, 0);
    check_partition(context, all, 2);
  }
  tl_domain round = {.kind = TL_DOMAIN_CYLINDER,
                     .pose = {.position = {0.5, 0.5, 0.1}, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                     .radius = 0.4,
                     .height = 0.8};
  check_partition(context, round, 3);
  check_partition(context, round, 4);
  round.kind = TL_DOMAIN_BALL;
  round.pose.position[2] = 0.5;
  check_partition(context, round, 4);
  round.plane = true;
  round.pose.position[1] = 0;
  check_partition(context, round, 4);
}

/* Balls that fall through a plane: what passes is density times speed times area, on the mean over
 * where the plane is. */
static void check_flow(talus_context *context) {
  enum { COUNT = 3000, PLACES = 400 };
  grains *const g = gas(false, COUNT, 0);
  tl_sample s = {.context = context};
  const double up[3] = {0, 0, 1};
  double mass = 0, volume = 0, number = 0, total = 0;
  for (int32_t k = 0; k < COUNT; k++) {
    tl_set3(g->velocity + 3 * k, 0.5, 0, -2);
    total += g->mass[k];
    g->mass[k] *= 3; /* so that volume and mass differ */
  }
  CHECK(tl_sample_take(&s, &g->frame) == TALUS_OK);
  for (int i = 0; i < PLACES; i++) { /* the integral over all heights is volume times speed */
    const double point[3] = {0, 0, -0.05 + 1.1 * (i + 0.5) / PLACES};
    const tl_flow flow = tl_flow_take(&s, point, up, NULL);
    mass += flow.mass * 1.1 / PLACES;
    volume += flow.volume * 1.1 / PLACES;
    number += flow.number * 1.1 / PLACES;
  }
  CHECK_CLOSE(mass, -2 * 3 * total, 1e-3 * 6 * total);
  CHECK_CLOSE(volume, -2 * total, 1e-3 * 2 * total);
  CHECK_CLOSE(number, -2 * COUNT, 1e-3 * 2 * COUNT);
  /* two halves of the plane see all of it */
  const double point[3] = {0.5, 0.5, 0.5};
  tl_domain half = box(false, -1, 2);
  half.upper[0] = 0.4;
  const double left = tl_flow_take(&s, point, up, &half).mass;
  half.lower[0] = 0.4;
  half.upper[0] = 2;
  const double right = tl_flow_take(&s, point, up, &half).mass;
  CHECK_CLOSE(left + right, tl_flow_take(&s, point, up, NULL).mass, 1e-12 * total);
  tl_sample_release(&s);
  grains_destroy(g);
}

/* Forces that are drawn from an exponential distribution. */
static void check_forces(talus_context *context) {
  enum { COUNT = 100000, BINS = 20 };
  grains *const g = grains_create(false);
  tl_sample s = {.context = context};
  double density[BINS];
  const int32_t a = grains_add(g, 0, 0, 0, 1), b = grains_add(g, 0, 0, 2, 1);
  for (int k = 0; k < COUNT; k++) {
    const double point[3] = {0, 0, 1}, up[3] = {0, 0, 1};
    const double force[3] = {0, 0, -7 * log(1 - grains_uniform())};
    grains_touch(g, a, b, point, up, force);
  }
  CHECK(tl_sample_take(&s, &g->frame) == TALUS_OK);
  CHECK(s.pair_count == 1 && s.touching[0] == 1);
  const tl_domain d = box(false, -3, 3);
  CHECK(tl_force_density(&s, &d, 5, BINS, density) == COUNT);
  for (int k = 0; k < BINS; k++) {
    const double wanted = (exp(-0.25 * k) - exp(-0.25 * (k + 1))) / 0.25;
    CHECK_CLOSE(density[k], wanted, 5 * sqrt(wanted / (0.25 * COUNT)) + 0.01 * wanted);
  }
  const tl_domain elsewhere = box(false, 5, 6);
  CHECK(tl_force_density(&s, &elsewhere, 5, BINS, density) == 0 && isnan(density[0]));
  tl_sample_release(&s);
  grains_destroy(g);
}

/* Independent numbers; numbers that resemble their neighbours, whose error is known. */
static void check_averages(void) {
  enum { COUNT = 1 << 14 };
  double *const x = malloc(2 * COUNT * sizeof *x), *const scratch = x + COUNT;
  const double keep = 0.9;
  double last = 0;
  for (int k = 0; k < COUNT; k++) {
    x[k] = 3 + grains_normal();
  }
  tl_average a = tl_average_take(x, COUNT, 1, scratch);
  CHECK_CLOSE(a.mean, 3, 5.0 / sqrt(COUNT));
  CHECK(a.error > 0.9 / sqrt(COUNT) && a.error < 2.2 / sqrt(COUNT));
  for (int k = 0; k < COUNT; k++) {
    last = keep * last + grains_normal();
    x[k] = last;
  }
  a = tl_average_take(x, COUNT, 1, scratch);
  const double wanted = 1 / (1 - keep) / sqrt(COUNT); /* the plain error is 2.3 / sqrt(COUNT) */
  CHECK(a.error > 0.7 * wanted && a.error < 1.8 * wanted);
  CHECK(a.block > 8);
  x[1] = NAN;
  a = tl_average_take(x, 2, 1, scratch);
  CHECK(a.count == 1 && a.mean == x[0] && isnan(a.error));
  a = tl_average_take(x, 0, 1, scratch);
  CHECK(a.count == 0 && isnan(a.mean));
  free(x);
}

static void check_empty(talus_context *context) {
  grains *const g = grains_create(false);
  tl_sample s = {.context = context};
  double mean[TL_MEAN_COUNT], g_of_r[4];
  int32_t from = 7;
  const tl_domain d = box(false, 0, 1);
  CHECK(tl_sample_take(&s, &g->frame) == TALUS_OK);
  tl_means_take(&s, &d, ALL, 4, mean);
  CHECK(mean[TL_MEAN_PACKING_FRACTION] == 0 && mean[TL_MEAN_GRAINS] == 0);
  CHECK(isnan(mean[TL_MEAN_COORDINATION]) && isnan(mean[TL_MEAN_TEMPERATURE]));
  CHECK(tl_radial_take(&s, &d, 0.1, 4, g_of_r, &from) == TALUS_OK && from == 0);
  CHECK(isnan(g_of_r[0]));
  g->frame.mass = NULL;
  CHECK(tl_sample_take(&s, &g->frame) == TALUS_MISSING_ARRAY);
  CHECK(strstr(talus_context_message(context), "masses") != NULL);
  tl_sample_release(&s);
  grains_destroy(g);
}

int main(void) {
  talus_context *context = NULL;
  const talus_context_def def = talus_context_def_default();
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  check_lattice(context, false);
  check_lattice(context, true);
  check_disks(context);
  check_column(context);
  check_gas(context, false);
  check_gas(context, true);
  check_partitions(context);
  check_flow(context);
  check_forces(context);
  check_averages();
  check_empty(context);
  talus_context_destroy(context);
  return check_end();
}
