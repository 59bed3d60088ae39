/* drum.c: the surface of the beads in a turning drum stands at an angle, which friction decides.
 *
 * Under a flat surface the beads fill a segment of the circle, and their centre of mass lies off
 * the axis at right angles to that surface: so its direction, averaged over time, is the dynamic
 * angle of repose. Expected: it settles between 15 and 40 degrees for friction 0.5, is smaller for
 * friction 0.1, and no bead leaves the drum. Quick: a small drum, and a tolerance of 3e-2.
 *
 * Full: at 7.5, 15, 30 and 60 rpm too. In the rolling regime (Froude numbers from 1e-4 to 0.1, here
 * 6e-3 to 0.4) the angle rises with the speed: Rajchenbach (1990) has speed ~ (angle - angle at
 * rest)^m with m = 0.5 +- 0.1. Expected:
 * each angle above the one before, 5 to 25 degrees from the slowest to the fastest. */
#include "sample.h"

static const char *const HELP =
    "drum [--full] [--set KEY=VALUE]\n"
    "Beads in a turning drum find their angle (samples/scenes/drum.yaml)";
static const double DEGREE = 57.29577951308232;

/* Towards the side to which the drum lifts, degrees. */
static double lean(const sample_run *run, double *farthest) {
  double mass = 0, x = 0, z = 0;
  for (int32_t i = 0; i < talus_body_capacity(run->world); i++) {
    if (sample_moves(run, i)) {
      const talus_body_state bead = sample_body(run, i);
      const double m = talus_body_mass(run->world, i);
      mass += m;
      x += m * bead.position[0];
      z += m * bead.position[2];
      *farthest = fmax(*farthest, hypot(bead.position[0], bead.position[2]) +
                                      talus_scene_body_radius(run->scene, i));
    }
  }
  return DEGREE * atan2(-x, -z); /* turning about +y lifts the lowest point towards -x */
}

/* The mean angle from half of the run on; *swing: the standard deviation about it. */
static double turn(double friction, double end, const char *more, const sample_options *options,
                   double *swing, double *farthest) {
  char own[256];
  snprintf(own, sizeof own, "materials.bead.friction=%g %s", friction, more);
  sample_run run = sample_open("drum", own, options);
  double sum = 0, squares = 0;
  int count = 0;
  *farthest = 0;
  sample_advance(&run, 0.5 * end);
  while (talus_world_time(run.world) < end - 1e-9) {
    sample_advance(&run, talus_world_time(run.world) + 0.01);
    const double angle = lean(&run, farthest);
    sum += angle;
    squares += angle * angle;
    count++;
  }
  *swing = sqrt(fmax(0, squares / count - sum / count * (sum / count)));
  printf("  friction %g: %.1f degrees, worst epsilon %.2g, %lld steps cut\n", friction, sum / count,
         run.worst_epsilon, (long long)run.halved);
  fflush(stdout);
  sample_close(&run);
  return sum / count;
}

/* How the angle rises with the speed. */
static void turn_faster(const sample_options *options) {
  static const double rpm[] = {7.5, 15, 30, 60};
  double angle[4], swing, farthest, least = INFINITY;
  for (int i = 0; i < 4; i++) {
    char own[96];
    snprintf(own, sizeof own, "walls.drum.motions.0.spin=[0,%grpm,0]", rpm[i]);
    angle[i] = turn(0.5, 3, own, options, &swing, &farthest);
    least = i > 0 ? fmin(least, angle[i] - angle[i - 1]) : least;
    printf("  %4.1f rpm, Froude number %.4f: %.1f degrees\n", rpm[i],
           pow(rpm[i] * 0.104719755, 2) * 0.1 / 9.81, angle[i]);
  }
  sample_expect("least rise of the angle from speed to speed", least, 0.3, 15);
  sample_expect("rise from 7.5 to 60 rpm, degrees", angle[3] - angle[0], 5, 25);
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  const char *const small = "walls.drum.radius=6cm walls.drum.length=2.4cm grains.0.radius=3mm "
                            "world.tolerance=3e-2";
  const double end = options.full ? 4 : 1.6, radius = options.full ? 0.1 : 0.06;
  double swing[2], farthest[2];
  const double rough = turn(0.5, end, options.full ? "" : small, &options, &swing[0], &farthest[0]);
  const double smooth =
      turn(0.1, end, options.full ? "" : small, &options, &swing[1], &farthest[1]);
  sample_head();
  sample_expect("angle for friction 0.5, degrees", rough, 25, 45);
  sample_expect("its standard deviation, degrees", swing[0], 0, 5);
  sample_expect("angle for friction 0.1, degrees", smooth, 10, rough - 5);
  sample_expect("farthest point of a bead, of the drum", fmax(farthest[0], farthest[1]) / radius,
                0.9, 1.005);
  if (options.full) {
    turn_faster(&options);
  }
  return sample_end();
}
