/* hopper.c: how fast a hopper empties, against Beverloo's law.
 *
 * Beverloo, Leniger and van de Velde (1961): grains of diameter d leave through an opening D at a
 * rate of C rho g^1/2 (D - k d)^n, n = 5/2 for a round hole and 3/2 for a slot between flat walls;
 * k is 1.4 for spheres. The sample empties hoppers with several openings, takes each rate while
 * between 15 and 60 % have left, and fits n with that k. Expected: n within 0.3, and no jam. C is
 * 0.58 for spheres and round holes, with rho the bulk density (0.55 to 0.65: Nedderman 1992,
 * chapter 10); walls of 45 degrees do not add to it (Rose and Tanaka 1959). Here rho is that of
 * the beads at rest above the cone, and C the mean over the three holes: expected 0.5 to 0.7.
 *
 * Quick: disks in the plane (samples/scenes/hopper_2d.yaml). Full: spheres (hopper.yaml) too. */
#include "sample.h"

static const char *const HELP =
    "hopper [--full] [--set KEY=VALUE]\n"
    "Hoppers empty, against Beverloo's law (samples/scenes/hopper_2d.yaml, hopper.yaml)";
static const double DIAMETER = 6e-3, K = 1.4, DENSITY = 2500;

/* A straight line through points, by least squares: its slope. */
typedef struct line {
  double count, x, y, xx, xy;
} line;

static void line_add(line *l, double x, double y) {
  l->count += 1;
  l->x += x;
  l->y += y;
  l->xx += x * x;
  l->xy += x * y;
}

static double line_slope(const line *l) {
  return (l->count * l->xy - l->x * l->y) / (l->count * l->xx - l->x * l->x);
}

/* The part of a slice of the round hopper's barrel that grains fill, by their centres. */
static double fraction_of(const sample_run *run) {
  const double low = 0.052, high = 0.068, radius = 0.06, pi = 3.14159265358979;
  double volume = 0;
  for (int32_t i = 0; i < talus_body_capacity(run->world); i++) {
    if (sample_moves(run, i)) {
      const double z = sample_body(run, i).position[2];
      volume += z > low && z < high ? talus_body_mass(run->world, i) / DENSITY : 0;
    }
  }
  return volume / ((high - low) * pi * radius * radius);
}

/* Grains per second. fraction: of the packing before the gate goes; mass: the mean of a grain. */
static double rate(const char *scene, double opening, const sample_options *options,
                   double *fraction, double *mass) {
  char own[64];
  *mass = 0;
  snprintf(own, sizeof own, "walls.hopper.opening=%gm", opening);
  sample_run run = sample_open(scene, own, options);
  int32_t grains = 0;
  for (int32_t i = 0; i < talus_body_capacity(run.world); i++) {
    grains += sample_moves(&run, i);
    *mass += sample_moves(&run, i) ? talus_body_mass(run.world, i) : 0;
  }
  *mass /= grains;
  sample_advance(&run, 0.39);
  *fraction = fraction_of(&run);
  line left = {0};
  int64_t removed = 0;
  while (removed < 0.6 * grains && talus_world_time(run.world) < talus_scene_end(run.scene)) {
    sample_step(&run);
    if (talus_scene_removed(run.scene) > removed) {
      removed = talus_scene_removed(run.scene);
      if (removed > 0.15 * grains) {
        line_add(&left, talus_world_time(run.world), (double)removed);
      }
    }
  }
  const double slope = removed >= 0.6 * grains ? line_slope(&left) : NAN;
  printf("  opening %.1f cm: %6.0f grains/s, %d grains, worst epsilon %.2g, until %.2f s\n",
         100 * opening, slope, grains, run.worst_epsilon, talus_world_time(run.world));
  fflush(stdout);
  sample_close(&run);
  return slope;
}

static void empty(const char *scene, const double *opening, int count, double exponent,
                  const sample_options *options) {
  line law = {0};
  double constant = 0;
  printf("%s.yaml\n", scene);
  for (int i = 0; i < count; i++) {
    double fraction, mass;
    const double width = opening[i] - K * DIAMETER;
    const double number = rate(scene, opening[i], options, &fraction, &mass);
    line_add(&law, log(width), log(number));
    constant += number * mass / (DENSITY * fraction * sqrt(9.81) * pow(width, exponent)) / count;
  }
  sample_expect("  Beverloo's exponent", line_slope(&law), exponent - 0.3, exponent + 0.3);
  if (exponent > 2) { /* of the slot none is so well known */
    sample_expect("  Beverloo's constant (0.58)", constant, 0.5, 0.7);
  }
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  const double slot[] = {0.036, 0.056, 0.045, 0.04, 0.05}, hole[] = {0.034, 0.042, 0.052};
  sample_head();
  empty("hopper_2d", slot, options.full ? 5 : 3, 1.5, &options);
  if (options.full) {
    empty("hopper", hole, 3, 2.5, &options);
  }
  return sample_end();
}
