/* plane_shear.c: effective friction and packing fraction of sheared grains against the inertial
 * number, disks and beads, in periodic cells that shear (Lees and Edwards) at constant pressure
 * (samples/scenes/shear_cell_2d.yaml, shear_cell.yaml).
 *
 * The three numbers of the beads are fitted to the points up to I = 0.4, the range of the
 * experiments: friction of simulated beads goes on to rise beyond (0.63 at I = 0.6), and one such
 * point takes I0 from 0.3 to anything between 0.35 and 1.2. Of the three the first is well defined;
 * limits of the other two are those of the scatter among runs.
 * Disks: friction 0.25 + 1.1 I and packing fraction 0.81 - 0.3 I (da Cruz et al. 2005, friction 0.4
 * between disks). Beads: 0.38 + 0.26/(1 + 0.28/I) (Jop, Forterre and Pouliquen 2006, glass beads;
 * friction and rough walls of theirs are not known exactly). Quick: disks at two rates. */
#include "sample.h"

static const char *const HELP = "plane_shear [--full] [--set KEY=VALUE] [--table FILE]\n"
                                "Friction against the inertial number "
                                "(samples/scenes/shear_cell_2d.yaml, shear_cell.yaml)";

typedef struct point {
  double inertial, friction, fraction, pressure;
} point;

/* Pressure, size, mass and solid volume come with the kind of grain. */
typedef struct kind {
  const char *scene;
  double pressure;
  double settled; /* s: the servo has pressed the grains together */
  int plane;
} kind;

static point measure(const kind *k, double rate, double strain, const sample_options *options) {
  char own[160];
  const double settled = k->settled + 2 / rate;
  double volume = 0, mass = 0, sum_xz = 0, sum_zz = 0, space = 0;
  int64_t count = 0;
  int32_t grains = 0;
  snprintf(own, sizeof own, "cell.shear=[0,%gHz,0] run.time=%gs", rate, settled + strain / rate);
  sample_run run = sample_open(k->scene, own, options);
  sample_advance(&run, settled);
  while (talus_world_time(run.world) < talus_scene_end(run.scene) - 1e-9) {
    talus_cell cell = talus_cell_default();
    double stress[9];
    sample_step(&run);
    TRY(talus_world_cell(run.world, &cell));
    TRY(talus_world_stress(run.world, stress));
    sum_xz += stress[2];
    sum_zz += stress[8];
    space += cell.edge[0] * cell.edge[2] * (k->plane ? 1 : cell.edge[1]);
    count++;
  }
  for (int32_t i = 0; i < talus_body_capacity(run.world); i++) {
    mass += sample_moves(&run, i) ? talus_body_mass(run.world, i) : 0;
    grains += sample_moves(&run, i);
  }
  const double density = k->plane ? 1000 : 2500, n = (double)count;
  volume = mass / density;
  const double size = 2 * cbrt(3 * volume / grains / (4 * 3.14159265358979));
  const double inertial = k->plane ? rate * sqrt(mass / grains / k->pressure)
                                   : rate * size * sqrt(density / k->pressure);
  sample_close(&run);
  return (point){inertial, -sum_xz / sum_zz, volume * n / space, sum_zz / n};
}

/* Friction, as da Cruz et al. and Jop et al. have it. */
static double published(int plane, double inertial) {
  return plane ? 0.25 + 1.1 * inertial : 0.38 + 0.26 / (1 + 0.28 / inertial);
}

static point show(const kind *k, double rate, double strain, const sample_options *options,
                  FILE *table) {
  const point p = measure(k, rate, strain, options);
  printf("  %s I %.4f: friction %.4f, packing fraction %.4f, pressure %.1f %%\n",
         k->plane ? "disks" : "beads", p.inertial, p.friction, p.fraction,
         100 * p.pressure / k->pressure);
  fflush(stdout);
  if (table != NULL) {
    fprintf(table, "%d,%.6g,%.6g,%.6g,%.6g,%.6g\n", k->plane ? 2 : 3, p.inertial, p.friction,
            published(k->plane, p.inertial), p.fraction, p.pressure);
  }
  return p;
}

/* Least squares of a line: value at 0, and slope. */
static void line(const point *p, int count, int what, double fit[2]) {
  double s = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < count; i++) {
    const double value = what == 0 ? p[i].friction : p[i].fraction;
    s += 1;
    x += p[i].inertial;
    y += value;
    xx += p[i].inertial * p[i].inertial;
    xy += p[i].inertial * value;
  }
  fit[1] = (s * xy - x * y) / (s * xx - x * x);
  fit[0] = (y - fit[1] * x) / s;
}

/* mu_s + (mu_2 - mu_s)/(1 + I0/I): for each I0 the other two are a line; the best I0 of many. */
static void jop_fit(const point *p, int count, double *still, double *fast, double *inertial) {
  double best = INFINITY;
  for (double i0 = 0.02; i0 < 2; i0 *= 1.01) {
    point turned[16];
    double fit[2], sum = 0;
    for (int i = 0; i < count; i++) {
      turned[i] = p[i];
      turned[i].inertial = 1 / (1 + i0 / p[i].inertial);
    }
    line(turned, count, 0, fit);
    for (int i = 0; i < count; i++) {
      sum += pow(p[i].friction - fit[0] - fit[1] * turned[i].inertial, 2);
    }
    if (sum < best) {
      best = sum;
      *still = fit[0];
      *fast = fit[0] + fit[1];
      *inertial = i0;
    }
  }
}

static void whole(const kind *disks, const kind *beads, const sample_options *options,
                  FILE *table) {
  static const double disk_rate[] = {1, 2, 4, 8, 16, 24}, bead_rate[] = {0.3, 0.6, 1, 2, 5, 10, 20};
  enum { DISKS = 6, BEADS = 7 };
  point p[16];
  double fit[2], still = 0, fast = 0, inertial = 0;
  for (int i = 0; i < DISKS; i++) {
    p[i] = show(disks, disk_rate[i], 20, options, table);
  }
  line(p, DISKS, 0, fit);
  sample_expect("disks: friction at rest", fit[0], 0.22, 0.31);
  sample_expect("disks: its slope", fit[1], 0.8, 1.4);
  line(p, DISKS, 1, fit);
  sample_expect("disks: packing fraction at rest", fit[0], 0.79, 0.83);
  sample_expect("disks: its slope", fit[1], -0.45, -0.15);
  for (int i = 0; i < BEADS; i++) {
    p[i] = show(beads, bead_rate[i], 6, options, table);
  }
  double off = 0;
  for (int i = 0; i < BEADS; i++) { /* their flows reached I = 0.4 */
    off = p[i].inertial < 0.4 ? fmax(off, fabs(p[i].friction - published(0, p[i].inertial))) : off;
  }
  sample_expect("beads: off Jop's curve up to I = 0.3", off, 0, 0.035);
  int within = 0;
  while (within < BEADS && p[within].inertial < 0.4) {
    within++;
  }
  jop_fit(p, within, &still, &fast, &inertial);
  sample_expect("beads: friction at rest (0.38)", still, 0.34, 0.42);
  sample_expect("beads: friction when fast (0.64)", fast, 0.55, 0.85);
  sample_expect("beads: I0 (0.28)", inertial, 0.15, 0.55);
}

static void quick(const kind *disks, const sample_options *options) {
  const point slow = show(disks, 4, 3, options, NULL), quick = show(disks, 16, 8, options, NULL);
  sample_expect("disks: friction", slow.friction, 0.22, 0.38);
  sample_expect("disks, four times as fast: friction", quick.friction, slow.friction + 0.03, 0.6);
  sample_expect("disks: pressure, Pa", quick.pressure, 450, 550);
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  const kind disks = {"shear_cell_2d", 500, 0.6, 1}, beads = {"shear_cell", 100, 2.5, 0};
  FILE *const table = options.table != NULL ? sample_create(options.table) : NULL;
  if (table != NULL) {
    fputs("dimension,inertial,friction,published,packing_fraction,pressure [Pa]\n", table);
  }
  sample_head();
  if (options.full) {
    whole(&disks, &beads, &options, table);
  } else {
    quick(&disks, &options);
  }
  if (table != NULL) {
    *sample_misses() += fclose(table) != 0;
  }
  return sample_end();
}
