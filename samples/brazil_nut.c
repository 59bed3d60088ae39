/* brazil_nut.c: the large disk rises to the top of a shaken box, in the plane.
 *
 * After Anitescu and Hart (Math. Program. 101, 2004, section 5.3): one disk of radius 5 and 269 of
 * radius 1.5, hard walls, a bottom bar that moves vertically, step 0.1 s, friction and restitution
 * 0.5; there the large disk reaches the top in about 50 shakes, under the convex law. What the
 * paper leaves open is stated in samples/scenes/brazil_nut_2d.yaml, the same for all seeds and both
 * laws.
 *
 * The disk is at the top when fewer than a tenth of the small ones are above its centre. Expected
 * within 30 to 80 shakes. Quick: the convex law, one seed. Full: both laws, five seeds. */
#include "sample.h"

static const char *const HELP =
    "brazil_nut [--full] [--set KEY=VALUE]\n"
    "A large disk rises in a shaken box (samples/scenes/brazil_nut_2d.yaml)";
static const double BEGIN = 10, PERIOD = 2;
enum { SHAKES = 80 };

/* The part of the small disks that is above the large one. */
static double above(const sample_run *run, int32_t nut) {
  const double height = sample_body(run, nut).position[2];
  int32_t count = 0, all = 0;
  for (int32_t i = 0; i < talus_body_capacity(run->world); i++) {
    if (sample_moves(run, i) && i != nut) {
      count += sample_body(run, i).position[2] > height;
      all++;
    }
  }
  return (double)count / all;
}

/* own: what is changed of the scene. */
static void shake(const char *own, const char *what, const sample_options *options) {
  sample_run run = sample_open("brazil_nut_2d", own, options);
  const int32_t nut = talus_scene_body_find(run.scene, "nut");
  int shakes = 0;
  double left = 1;
  while (shakes < SHAKES && left >= 0.1) {
    shakes++;
    sample_advance(&run, BEGIN + shakes * PERIOD);
    left = above(&run, nut);
    if (shakes % 20 == 0 && left >= 0.1) {
      printf("  after %d shakes %.0f %% of the small disks are above\n", shakes, 100 * left);
    }
  }
  sample_expect(what, left < 0.1 ? shakes : NAN, 30, SHAKES);
  printf("  worst epsilon %.2g, %lld steps cut\n", run.worst_epsilon, (long long)run.halved);
  fflush(stdout);
  sample_close(&run);
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  const char *const law[] = {"ccp", "coulomb"};
  sample_head();
  if (!options.full) {
    shake("walls.bar.motions.0.end=inf", "the scene: shakes to the top", &options);
  }
  for (int i = 0; i < 10 && options.full; i++) {
    char own[128], what[64];
    snprintf(own, sizeof own, "walls.bar.motions.0.end=inf world.law=%s world.seed=%d", law[i % 2],
             i / 2 + 1);
    snprintf(what, sizeof what, "%s, seed %d: shakes to the top", law[i % 2], i / 2 + 1);
    shake(own, what, &options);
  }
  return sample_end();
}
