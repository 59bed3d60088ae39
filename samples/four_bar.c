/* four_bar.c: a four-bar linkage, a closed loop, is driven through a bed of grains.
 *
 * Expected: the crank turns as its motor wants, and where the motor's torque does not suffice falls
 * behind by less than a tenth; the loop stays closed to a tenth of a millimetre, and stands nowhere
 * singular; the grains are drawn to the left; the momentum along every joint is balanced; what the
 * motor has done is what the contacts have lost, but for the heights of grains and links. Quick:
 * larger grains and one turn. */
#include <talus/talus_mechanism.h>

#include "sample.h"

static const char *const HELP =
    "four_bar [--full] [--set KEY=VALUE]\n"
    "A four-bar linkage is driven through a bed of grains (samples/scenes/four_bar.yaml)";

/* How far the ends of coupler and rocker are apart, m. */
static double loop_gap(talus_mechanism *rake) {
  static const double tip[3] = {0.2, 0, 0};
  double a[3], b[3];
  TRY(talus_mechanism_point(rake, 1, tip, a, NULL));
  TRY(talus_mechanism_point(rake, 2, tip, b, NULL));
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* The mean x of the grains, m. */
static double middle(const sample_run *run) {
  double sum = 0, count = 0;
  for (int32_t i = 0; i < talus_body_capacity(run->world); i++) {
    if (sample_moves(run, i)) {
      sum += sample_body(run, i).position[0];
      count++;
    }
  }
  return sum / count;
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  sample_run run = sample_open(
      "four_bar", options.full ? "" : "grains.0.radius=11mm world.step=2ms run.time=1", &options);
  talus_mechanism *const rake =
      talus_world_mechanism(run.world, talus_scene_mechanism_find(run.scene, "rake"));
  const double end = talus_scene_end(run.scene), start = middle(&run);
  double gap = 0, momentum = 0, motor = 0, contacts = 0, q[3], begin[3];
  int singular = 0;
  TRY(talus_mechanism_get(rake, begin, NULL));
  while (talus_world_time(run.world) < end - 1e-9) {
    sample_step(&run);
    gap = fmax(gap, loop_gap(rake));
    momentum = fmax(momentum, run.report.momentum_error);
    singular += run.report.singular;
    motor += run.report.work_joints;
    contacts += run.report.work_contacts;
  }
  TRY(talus_mechanism_get(rake, q, NULL));
  printf("  worst epsilon %.2g, %lld steps cut\n", run.worst_epsilon, (long long)run.halved);
  sample_head();
  sample_expect("turns of the crank", (q[0] - begin[0]) / 6.283185307179586, 0.9 * end,
                1.005 * end);
  sample_expect("loop opens by at most, mm", 1e3 * gap, 0, 0.1);
  sample_expect("steps in a singular configuration", singular, 0, 0);
  sample_expect("worst error of the momentum balance", momentum, 0, 1e-9);
  sample_expect("grains drawn to the left, mm", 1e3 * (start - middle(&run)), 4, 100);
  sample_expect("work of the motor, J", motor, 0.5 * end, 20 * end);
  sample_expect("contacts lose, of that", -contacts / motor, 0.5, 1.2);
  sample_close(&run);
  return sample_end();
}
