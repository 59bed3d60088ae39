/* wall.c: a masonry wall of dry bricks is hit by an iron ball.
 *
 * Nothing holds the bricks but friction. Until the ball arrives (0.16 s) they must rest; then it
 * breaks a hole, loses part of its speed, and leaves the ends of the wall standing. Nothing may
 * pass through anything: the deepest penetration of all steps is watched, as are energy and
 * momentum. Quick: until 0.6 s. Full: until 1.5 s. */
#include "sample.h"

static const char *const HELP = "wall [--full] [--set KEY=VALUE]\n"
                                "A wall of bricks is hit by a ball (samples/scenes/wall.yaml)";
enum { BODIES = 256 };
static const double BRICK = 0.08; /* height */

static double distance(const talus_body_state *a, const talus_body_state *b) {
  return hypot(hypot(a->position[0] - b->position[0], a->position[1] - b->position[1]),
               a->position[2] - b->position[2]);
}

/* What is watched in every step. */
typedef struct watched {
  double deepest, momentum, gained;
} watched;

static watched advance(sample_run *run, double until) {
  watched w = {0, 0, -INFINITY};
  double before = INFINITY;
  while (talus_world_time(run->world) < until - 1e-9) {
    sample_step(run);
    const double energy = run->report.kinetic + run->report.potential;
    w.deepest = fmax(w.deepest, run->report.penetration_max);
    w.momentum = fmax(w.momentum, run->report.momentum_error);
    w.gained = fmax(w.gained, energy - before);
    before = energy;
  }
  return w;
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  sample_run run = sample_open("wall", NULL, &options);
  const int32_t ball = talus_scene_body_find(run.scene, "ball");
  const int32_t count = talus_body_capacity(run.world);
  static talus_body_state begin[BODIES];
  if (count > BODIES) {
    fprintf(stderr, "at most %d bodies\n", BODIES);
    return 2;
  }
  for (int32_t i = 0; i < count; i++) {
    begin[i] = sample_body(&run, i);
  }
  const double speed = begin[ball].velocity[1];
  double crept = 0;
  const watched rest = advance(&run, 0.15);
  for (int32_t i = 0; i < count; i++) {
    const talus_body_state now = sample_body(&run, i);
    crept = i != ball ? fmax(crept, distance(&now, &begin[i])) : crept;
  }
  const watched hit = advance(&run, options.full ? talus_scene_end(run.scene) : 0.6);
  int32_t bricks = 0, moved = 0;
  double highest = 0;
  for (int32_t i = 0; i < count; i++) {
    if (sample_moves(&run, i) && i != ball) {
      const talus_body_state now = sample_body(&run, i);
      bricks++;
      moved += distance(&now, &begin[i]) > BRICK;
      highest = fmax(highest, now.position[2]);
    }
  }
  const talus_body_state end = sample_body(&run, ball);
  sample_head();
  sample_expect("bricks", bricks, 85, 85);
  sample_expect("moved before the hit, m", crept, 0, 1e-4);
  sample_expect("bricks out of place by their height", moved, 8, 60);
  sample_expect("highest brick, m: the ends stand", highest, 0.7, 0.8);
  sample_expect("speed of the ball, of the first", end.velocity[1] / speed, 0.1, 0.8);
  sample_expect("the ball is behind the wall, m", end.position[1], 0.17, INFINITY);
  sample_expect("deepest penetration, of a brick's height", fmax(rest.deepest, hit.deepest) / BRICK,
                0, 0.05);
  sample_expect("largest gain of energy in a step, J", fmax(rest.gained, hit.gained), -INFINITY,
                1e-3);
  sample_expect("worst balance of momentum", fmax(rest.momentum, hit.momentum), 0, 1e-10);
  printf("worst epsilon %.2g, %lld steps cut\n", run.worst_epsilon, (long long)run.halved);
  sample_close(&run);
  return sample_end();
}
