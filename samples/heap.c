/* heap.c: beads poured on a plate make a heap whose slope, the angle of repose, rises with
 * friction, with cohesion (the Bond number: pull-off force over weight; Nowak, Samadani and
 * Kudrolli 2005 measured it on wet beads) and with friction of rolling (Zhou et al. 1999).
 *
 * The surface is taken as the highest bead in each of some rings and sectors; the slope of its
 * height against the radius, by least squares, is the angle. Expected: it rises with all, and
 * without cohesion ends between 12 and 35 degrees. Quick: a small plate, 500 beads. */
#include "sample.h"

static const char *const HELP =
    "heap [--full] [--set KEY=VALUE]\n"
    "The angle of repose rises with friction, cohesion and friction of rolling\n"
    "(samples/scenes/heap.yaml)";
enum { RINGS = 32, SECTORS = 8 };

/* Degrees; beads of diameter d on a plate of the given radius. */
static double slope(const sample_run *run, double radius, double d, int32_t *beads) {
  double top[RINGS][SECTORS] = {{0}};
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  *beads = 0;
  for (int32_t i = 0; i < talus_body_capacity(run->world); i++) {
    if (!sample_moves(run, i)) {
      continue;
    }
    const talus_body_state bead = sample_body(run, i);
    const double r = hypot(bead.position[0], bead.position[1]);
    const double turn = atan2(bead.position[1], bead.position[0]) / 6.283185307179586 + 0.5;
    const int ring = (int)(r / d), sector = (int)fmin(turn * SECTORS, SECTORS - 1);
    if (bead.position[2] > 0 && r < radius && ring < RINGS) {
      top[ring][sector] = fmax(top[ring][sector], bead.position[2]);
      ++*beads;
    }
  }
  for (int ring = 0; ring < RINGS && (ring + 1) * d <= radius; ring++) {
    for (int sector = 0; sector < SECTORS; sector++) {
      const double r = (ring + 0.5) * d, z = top[ring][sector];
      if (z > 0) { /* not every sector of the inner rings has a bead */
        n += r;    /* by area */
        x += r * r;
        y += r * z;
        xx += r * r * r;
        xy += r * r * z;
      }
    }
  }
  return -57.29577951308232 * atan((n * xy - x * y) / (n * xx - x * x));
}

/* Pours a heap; pull: the pull-off force between beads, in weights of one of 4 mm; rolling: their
 * friction of rolling, in reduced radii. */
static double pour(const sample_options *options, int seed, double friction, double pull,
                   double rolling) {
  const double weight = 2500 * 4 / 3. * 3.141592653589793 * 64e-9 * 9.81;
  const double plate = options->full ? 0.12 : 0.06;
  char own[400];
  int32_t beads;
  snprintf(
      own, sizeof own,
      "materials.bead.friction=%g materials.bead.pull_off=%g materials.bead.rolling_fraction=%g "
      "materials.plate.rolling_fraction=%g world.seed=%d %s",
      friction, pull * weight, rolling, rolling, seed,
      options->full ? ""
                    : "walls.rim.radius=6cm bodies.plate.radius=6cm inlets.spout.limit=500 "
                      "inlets.spout.rate=800Hz");
  sample_run run = sample_open("heap", own, options);
  sample_advance(&run, options->full ? talus_scene_end(run.scene) : 1.6);
  const double angle = slope(&run, plate, 8e-3, &beads);
  printf(
      "  friction %g, pull-off %g weights, rolling %g: %.1f degrees, %d of %d beads on the plate, "
      "kinetic %.1e J, worst epsilon %.2g, %lld steps cut\n",
      friction, pull, rolling, angle, beads, (int)talus_scene_added(run.scene), run.report.kinetic,
      run.worst_epsilon, (long long)run.halved);
  fflush(stdout);
  sample_close(&run);
  return angle;
}

/* The mean of some heaps: a small one's slope scatters by two degrees. */
static double angle_of(const sample_options *options, double friction, double pull,
                       double rolling) {
  const int seeds = options->full ? 1 : 2;
  double sum = 0;
  for (int seed = 1; seed <= seeds; seed++) {
    sum += pour(options, seed, friction, pull, rolling);
  }
  return sum / seeds;
}

/* What a little of it does is less than small heaps can tell. */
static void little(const sample_options *options, double usual, double wet, double stiff) {
  const double moist = angle_of(options, 0.3, 2, 0), slower = angle_of(options, 0.3, 0, 0.1);
  sample_expect("angle with a pull-off of 2 weights", moist, usual + 2, wet - 2);
  sample_expect("angle with a friction of rolling of 0.1", slower, usual + 1, stiff - 1);
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  const double slippery = angle_of(&options, 0.1, 0, 0), usual = angle_of(&options, 0.3, 0, 0);
  const double rough = angle_of(&options, 0.9, 0, 0);
  const double wet = angle_of(&options, 0.3, 6, 0), stiff = angle_of(&options, 0.3, 0, 0.4);
  sample_head();
  sample_expect("angle for friction 0.1, degrees", slippery, 2, 20);
  sample_expect("angle for friction 0.3, degrees", usual, slippery + 1, 30);
  sample_expect("angle for friction 0.9, degrees", rough, fmax(12, usual + 0.5), 35);
  sample_expect("angle with a pull-off of 6 weights", wet, usual + 2, 60);
  sample_expect("angle with a friction of rolling of 0.4", stiff, usual + 4, 50);
  if (options.full) {
    little(&options, usual, wet, stiff);
  }
  return sample_end();
}
