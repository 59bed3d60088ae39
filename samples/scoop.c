/* scoop.c: a robot arm digs in a bed of grains and lifts what its scoop holds.
 *
 * The arm is a mechanism of four hinges whose motors follow tables; its contacts with the grains
 * and theirs with each other are one problem a step. Expected: it lifts half a kilogramme or more
 * above the bed, the motors bring the joints where the tables say, the momentum along
 * every joint is balanced, no grain is lost, and the motors have worked: about what lifting the
 * load asks, and what friction in the bed takes. Quick: larger grains, 343 instead of 2751. */
#include <talus/talus_mechanism.h>

#include "sample.h"

static const char *const HELP = "scoop [--full] [--set KEY=VALUE]\n"
                                "A robot arm digs in a bed of grains (samples/scenes/scoop.yaml)";
static const double HIGH = 0.27, DEGREE = 57.29577951308232;
static const double LAST[4] = {0, 73.6, -130.2, -143.4}; /* where the tables end */

/* Grains well above the heap; *lost: below the floor or not a number. */
static double lifted(const sample_run *run, int *count, int *lost) {
  double mass = 0;
  *count = *lost = 0;
  for (int32_t i = 0; i < talus_body_capacity(run->world); i++) {
    if (sample_moves(run, i)) {
      const double z = sample_body(run, i).position[2];
      mass += z > HIGH ? talus_body_mass(run->world, i) : 0;
      *count += z > HIGH;
      *lost += !(z > 0);
    }
  }
  return mass;
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  sample_run run =
      sample_open("scoop", options.full ? "" : "grains.0.radius=16mm world.step=4ms", &options);
  const double end = talus_scene_end(run.scene);
  double momentum = 0, work = 0, q[4], off = 0;
  int count, lost;
  while (talus_world_time(run.world) < end - 1e-9) {
    sample_step(&run);
    momentum = fmax(momentum, run.report.momentum_error);
    work += run.report.work_joints;
  }
  const double mass = lifted(&run, &count, &lost);
  TRY(talus_mechanism_get(
      talus_world_mechanism(run.world, talus_scene_mechanism_find(run.scene, "arm")), q, NULL));
  for (int i = 0; i < 4; i++) {
    off = fmax(off, fabs(DEGREE * q[i] - LAST[i]));
  }
  printf("  %d grains lifted, worst epsilon %.2g, %lld steps cut\n", count, run.worst_epsilon,
         (long long)run.halved);
  sample_head();
  sample_expect("mass lifted above 27 cm, kg", mass, 0.5, 3);
  sample_expect("joints off their tables at the end, degrees", off, 0, 0.5);
  sample_expect("worst error of the momentum balance", momentum, 0, 1e-9);
  sample_expect("work of the motors, J", work, mass * 9.81 * 0.2, 200);
  sample_expect("grains lost", lost, 0, 0);
  sample_close(&run);
  return sample_end();
}
