/* brazil_nut_3d.c: one sphere of three times the radius rises through the others in a shaken box.
 *
 * Expected: it starts below at least three quarters of the small ones, and ends at the top: fewer
 * than a tenth of them are above its centre. Quick: 500 small ones, a narrow box, a tolerance of
 * 3e-2. Full: 3000. */
#include "sample.h"

static const char *const HELP =
    "brazil_nut_3d [--full] [--set KEY=VALUE]\n"
    "A large sphere rises in a shaken box (samples/scenes/brazil_nut_3d.yaml)";

/* The part of the small ones that is above the large one. */
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

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  sample_run run = sample_open(
      "brazil_nut_3d", options.full ? NULL : "walls.sides.size=[8cm,8cm,60cm] grains.0.count=400",
      &options);
  const int32_t nut = talus_scene_body_find(run.scene, "nut");
  const double settled = 0.5, frequency = 8;
  sample_advance(&run, settled);
  const double first = above(&run, nut);
  double left = first, shakes = 0;
  while (left >= 0.1 && talus_world_time(run.world) < talus_scene_end(run.scene)) {
    shakes++;
    sample_advance(&run, settled + shakes / frequency);
    left = above(&run, nut);
    if ((int)shakes % 4 == 0) {
      printf("  after %2.0f shakes %3.0f %% are above\n", shakes, 100 * left);
      fflush(stdout);
    }
  }
  sample_head();
  sample_expect("part of the small ones above at first", first, 0.75, 1);
  sample_expect("at the end", left, 0, 0.1);
  sample_expect("shakes", shakes, 3, 60);
  printf("worst epsilon %.2g, %lld steps cut\n", run.worst_epsilon, (long long)run.halved);
  sample_close(&run);
  return sample_end();
}
