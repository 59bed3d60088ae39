/* box_stack.c: ten boxes on each other rest for a minute without creeping.
 *
 * The quick form rests for 5 s. Creep is how far any box has gone from where it was after the first
 * second, and how far it has turned; both must stay below 1e-5 of a box. */
#include "sample.h"

static const char *const HELP = "box_stack [--full] [--set KEY=VALUE]\n"
                                "Ten boxes rest without creeping (samples/scenes/box_stack.yaml)";
enum { BOXES = 10 };

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  sample_run run = sample_open("box_stack", NULL, &options);
  talus_body_state begin[BOXES];
  int32_t box[BOXES], count = 0;
  for (int32_t i = 0; i < talus_body_capacity(run.world) && count < BOXES; i++) {
    if (sample_moves(&run, i)) {
      box[count++] = i;
    }
  }
  sample_advance(&run, 1);
  for (int32_t i = 0; i < count; i++) {
    begin[i] = sample_body(&run, box[i]);
  }
  sample_advance(&run, options.full ? talus_scene_end(run.scene) : 5);
  double creep = 0, turn = 0, speed = 0;
  for (int32_t i = 0; i < count; i++) {
    const talus_body_state now = sample_body(&run, box[i]);
    for (int c = 0; c < 3; c++) {
      creep = fmax(creep, fabs(now.position[c] - begin[i].position[c]));
      turn = fmax(turn, 2 * fabs(now.orientation[c + 1] - begin[i].orientation[c + 1]));
      speed = fmax(speed, fabs(now.velocity[c]));
    }
  }
  sample_head();
  sample_expect("boxes", count, BOXES, BOXES);
  sample_expect("rested until, s", talus_world_time(run.world), 5, INFINITY);
  sample_expect("creep since the first second, m", creep, 0, 1e-6);
  sample_expect("turned since then, rad", turn, 0, 1e-5);
  sample_expect("speed at the end, m/s", speed, 0, 1e-6);
  sample_expect("deepest penetration, m", run.report.penetration_max, 0, 1e-5);
  printf("worst epsilon %.2g, %lld steps cut\n", run.worst_epsilon, (long long)run.halved);
  sample_close(&run);
  return sample_end();
}
