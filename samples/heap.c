/* heap.c: beads poured on a plate make a heap whose slope, the angle of repose, rises with
 * friction.
 *
 * The surface is taken as the highest bead in each of some rings and sectors; the slope of its
 * height against the radius, by least squares, is the angle. Expected: it rises with friction and
 * ends between 12 and 35 degrees. Quick: a small plate, 500 beads. */
#include "sample.h"

static const char *const HELP =
    "heap [--full] [--set KEY=VALUE]\n"
    "The angle of repose rises with friction (samples/scenes/heap.yaml)";
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

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  const double friction[] = {0.1, 0.3, 0.9}, plate = options.full ? 0.12 : 0.06;
  double angle[3];
  for (int i = 0; i < 3; i++) {
    char own[256];
    int32_t beads;
    snprintf(own, sizeof own, "materials.bead.friction=%g %s", friction[i],
             options.full ? ""
                          : "walls.rim.radius=6cm bodies.plate.radius=6cm inlets.spout.limit=500 "
                            "inlets.spout.rate=800Hz world.tolerance=3e-2");
    sample_run run = sample_open("heap", own, &options);
    sample_advance(&run, options.full ? talus_scene_end(run.scene) : 1.6);
    angle[i] = slope(&run, plate, 8e-3, &beads);
    printf(
        "  friction %g: %.1f degrees, %d of %d beads on the plate, kinetic %.1e J, worst epsilon "
        "%.2g, %lld steps cut\n",
        friction[i], angle[i], beads, (int)talus_scene_added(run.scene), run.report.kinetic,
        run.worst_epsilon, (long long)run.halved);
    fflush(stdout);
    sample_close(&run);
  }
  sample_head();
  sample_expect("angle for friction 0.1, degrees", angle[0], 2, 20);
  sample_expect("angle for friction 0.3, degrees", angle[1], angle[0] + 1, 30);
  sample_expect("angle for friction 0.9, degrees", angle[2], fmax(12, angle[1] + 0.5), 35);
  return sample_end();
}
