/* reversal.c: large disks among small ones, shaken until they are a liquid, rise or sink by their
 * density (samples/scenes/reversal.yaml).
 *
 * Hong, Quinn and Luding (2001): percolation of small grains against condensation of heavy ones. In
 * D dimensions large grains come to the top (Brazil nut) if m_l/m_s < (d_l/d_s)^(D-1), and go to
 * the bottom (reversed) beyond. Disks of twice the diameter: the crossover is at a mass ratio of 2,
 * a density ratio of 0.5, of a liquid that is heated evenly; a shaken bed is not, and what its
 * density ratio is depends on how it is shaken (Breu et al. 2003). Expected: at a density ratio of
 * 0.1 the large ones are above by a tenth of the height of the bed or more, at 2 below, in the mean
 * over the last half, and the lead sinks from ratio to ratio. Quick: the lightest, 3 s. Full: five
 * ratios, three seeds each, 20 s; the crossover is printed. */
#include "sample.h"

static const char *const HELP =
    "reversal [--full] [--set KEY=VALUE] [--table FILE]\n"
    "Large grains rise or sink by density (samples/scenes/reversal.yaml)";
static const double SMALL = 4e-3; /* m: radii below are those of small ones */

/* How much higher the large ones lie than the small ones, over twice the mean height by area; all
 * above all others would be 0.5. */
static double lead(const sample_run *run) {
  double sum[2] = {0, 0}, area[2] = {0, 0};
  for (int32_t i = 0; i < talus_body_capacity(run->world); i++) {
    if (sample_moves(run, i)) {
      const double radius = talus_scene_body_radius(run->scene, i);
      const int large = radius > SMALL;
      sum[large] += radius * radius * sample_body(run, i).position[2];
      area[large] += radius * radius;
    }
  }
  return (sum[1] / area[1] - sum[0] / area[0]) * (area[0] + area[1]) / (2 * (sum[0] + sum[1]));
}

static double shake(double ratio, double end, int seed, const sample_options *options) {
  char own[96];
  double sum = 0;
  int count = 0;
  snprintf(own, sizeof own, "materials.large.density=%g world.seed=%d", 2500 * ratio, seed);
  sample_run run = sample_open("reversal", own, options);
  for (double time = 0.05; time < end + 1e-9; time += 0.05) {
    sample_advance(&run, time);
    if (time > 0.5 * end) {
      sum += lead(&run);
      count++;
    }
  }
  sample_close(&run);
  return sum / count;
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  static const double ratios[] = {0.1, 0.25, 0.5, 1, 2};
  FILE *const table = options.table != NULL ? sample_create(options.table) : NULL;
  double mean[5] = {0, 0, 0, 0, 0};
  if (table != NULL) {
    fputs("density_ratio,lead\n", table);
  }
  sample_head();
  for (int i = 0; i < (options.full ? 5 : 1); i++) {
    const int seeds = options.full ? 3 : 1;
    for (int seed = 1; seed <= seeds; seed++) {
      mean[i] += shake(ratios[i], options.full ? 20 : 3, seed, &options) / seeds;
    }
    printf("  density ratio %.2f, mass ratio %.1f: large ones lead by %+.3f of the height\n",
           ratios[i], 4 * ratios[i], mean[i]);
    fflush(stdout);
    if (table != NULL) {
      fprintf(table, "%g,%.4g\n", ratios[i], mean[i]);
    }
  }
  sample_expect("light large ones above", mean[0], 0.1, 1);
  for (int i = 1; i < 5 && options.full; i++) {
    if (mean[i] < 0 && mean[i - 1] >= 0) {
      printf("  crossover between mass ratios %.1f and %.1f (theory: 2)\n", 4 * ratios[i - 1],
             4 * ratios[i]);
    }
    sample_expect("lead sinks with the density", mean[i - 1] - mean[i], 0, 1);
  }
  if (options.full) {
    sample_expect("heavy large ones below", mean[4], -1, -0.03);
  }
  if (table != NULL) {
    *sample_misses() += fclose(table) != 0;
  }
  return sample_end();
}
