/* chute.c: large beads among small ones come to the surface of a flow down a rough chute
 * (samples/scenes/chute.yaml).
 *
 * Kinetic sieving (Savage and Lun 1988): small grains fall through gaps below, large ones are
 * squeezed up. Thornton et al. (2012) find, with beads twice as large in a periodic chute,
 * nearly complete separation. Expected: from a mixture whose
 * centres differ by less than a tenth of the height, the large ones come to lie above the small by
 * a quarter of the height or more (a half is complete: there is as much of both), and the flow
 * is a flow. Quick: 1 s, of which the direction is looked at. */
#include "sample.h"

static const char *const HELP = "chute [--full] [--set KEY=VALUE] [--table FILE]\n"
                                "Segregation in a chute (samples/scenes/chute.yaml)";
static const double SMALL = 3e-3; /* m: radii below are those of small ones */

/* How much higher the large ones lie than the small ones, over twice the height of the centre of
 * mass; and the mean velocity along the chute. */
static double lead(const sample_run *run, double *speed) {
  double sum[2] = {0, 0}, mass[2] = {0, 0};
  *speed = 0;
  for (int32_t i = 0; i < talus_body_capacity(run->world); i++) {
    if (sample_moves(run, i)) {
      const talus_body_state bead = sample_body(run, i);
      const int large = talus_scene_body_radius(run->scene, i) > SMALL;
      const double m = talus_body_mass(run->world, i);
      sum[large] += m * bead.position[2];
      *speed += m * bead.velocity[0];
      mass[large] += m;
    }
  }
  *speed /= mass[0] + mass[1];
  return (sum[1] / mass[1] - sum[0] / mass[0]) * (mass[0] + mass[1]) / (2 * (sum[0] + sum[1]));
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  const double end = options.full ? 8 : 1;
  FILE *const table = options.table != NULL ? sample_create(options.table) : NULL;
  double first = 0, last = 0, speed = 0;
  if (table != NULL) {
    fputs("time [s],lead,speed [m/s]\n", table);
  }
  sample_run run = sample_open("chute", NULL, &options);
  sample_head();
  for (int i = 1; i <= (int)(end / 0.25 + 0.5); i++) {
    sample_advance(&run, 0.25 * i);
    last = lead(&run, &speed);
    first = i == 1 ? last : first;
    if (i % 4 == 0) {
      printf("  %4.1f s: large ones lead by %+.3f of the height, mean speed %.2f m/s\n", 0.25 * i,
             last, speed);
      fflush(stdout);
    }
    if (table != NULL) {
      fprintf(table, "%g,%.4g,%.4g\n", 0.25 * i, last, speed);
    }
  }
  sample_expect("lead of the large ones, of the height", last, options.full ? 0.25 : first + 0.03,
                0.6);
  sample_expect("speed, m/s", speed, 0.1, 3);
  sample_close(&run);
  if (table != NULL) {
    *sample_misses() += fclose(table) != 0;
  }
  return sample_end();
}
