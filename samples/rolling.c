/* rolling.c: contacts that resist rolling and spinning, and friction that differs by direction.
 *
 * A sphere that rolls at v is slowed by 5/7 g mu_r / r and stops after 7 v^2 r / (10 g mu_r); one
 * that spins at w about the vertical stops after 2 r^2 w / (5 g mu_s). On a slope it stays for
 * tan(slope) < mu_r / r. A plate whose friction is mu_1 along its x axis and mu_2 along y stops
 * after v^2 / (2 g mu) along either; thrown askew at v in both, it is slowed by
 * mu_1^2 g / sqrt(mu_1^2 + mu_2^2) along x: the force is normal to the ellipse of friction. */
#include "sample.h"

static const char *const HELP =
    "rolling [--set KEY=VALUE]\n"
    "Spheres that roll and spin are stopped, a plate by an ellipse of friction\n"
    "(samples/scenes/rolling_sphere.yaml, sliding_plate.yaml)";

static const double g = 9.81, r = 0.05, length = 2e-3;

/* Both at once: they do not disturb each other. */
static void sphere_stop(const char *law, const sample_options *options) {
  const double v = 1, w = 30;
  char own[64], what[64];
  snprintf(own, sizeof own, "world.law=%s", law);
  sample_run run = sample_open("rolling_sphere", own, options);
  const int32_t ball = talus_scene_body_find(run.scene, "ball");
  talus_body_state state = sample_body(&run, ball);
  state.velocity[0] = v;
  state.spin[1] = v / r;
  state.spin[2] = w;
  TRY(talus_body_set(run.world, ball, &state));
  double spin_time = NAN, stop_time = NAN, work = 0, unbalanced = 0;
  while (talus_world_time(run.world) < talus_scene_end(run.scene) - 1e-9) {
    sample_step(&run);
    state = sample_body(&run, ball);
    const double time = talus_world_time(run.world);
    spin_time = isnan(spin_time) && fabs(state.spin[2]) < 1e-6 ? time : spin_time;
    stop_time = isnan(stop_time) && fabs(state.velocity[0]) < 1e-7 ? time : stop_time;
    work += run.report.work_contacts + run.report.work_forces;
    unbalanced = fmax(unbalanced, run.report.energy_error);
  }
  const double way = 0.7 * v * v * r / (g * length), spins = 0.4 * r * r * w / (g * length);
  const double mass = 2500 * 4 / 3. * 3.141592653589793 * r * r * r;
  const double energy = 0.5 * mass * (1.4 * v * v + 0.4 * r * r * w * w);
  snprintf(what, sizeof what, "%s: a rolling sphere stops after, m", law);
  sample_expect(what, state.position[0], 0.99 * way, 1.01 * way);
  sample_expect("  and after, s", stop_time, 0.99 * 2 * way / v, 1.01 * 2 * way / v);
  sample_expect("  its spin stops after, s", spin_time, 0.99 * spins, 1.01 * spins);
  sample_expect("  work done on it over its energy", work / energy, -1.0001, -0.9999);
  sample_expect("  energy out of balance in a step", unbalanced, 0, 1e-12);
  sample_close(&run);
}

/* Gravity leans by `share` of the angle at which it begins to roll. */
static double sphere_slope(double share, const sample_options *options) {
  const double angle = atan(length / r) * share;
  char own[128];
  snprintf(own, sizeof own, "world.gravity=[%.17g,0,%.17g] run.time=1s", g * sin(angle),
           -g * cos(angle));
  sample_run run = sample_open("rolling_sphere", own, options);
  const int32_t ball = talus_scene_body_find(run.scene, "ball");
  sample_advance(&run, talus_scene_end(run.scene));
  const double way = sample_body(&run, ball).position[0];
  sample_close(&run);
  return way;
}

/* How far the plate slides, thrown at v along x and y. */
static talus_body_state plate_throw(double along, double across, double time,
                                    const sample_options *options) {
  sample_run run = sample_open("sliding_plate", NULL, options);
  const int32_t plate = talus_scene_body_find(run.scene, "plate");
  talus_body_state state = sample_body(&run, plate);
  state.velocity[0] = along;
  state.velocity[1] = across;
  TRY(talus_body_set(run.world, plate, &state));
  sample_advance(&run, time);
  state = sample_body(&run, plate);
  sample_close(&run);
  return state;
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  sample_head();
  sphere_stop("coulomb", &options);
  sphere_stop("ccp", &options);
  sample_expect("way in 1 s at 0.99 of the angle of rolling, m", sphere_slope(0.99, &options), 0,
                1e-6);
  /* 5/7 g (sin a - mu_r / r cos a) t^2 / 2 */
  const double angle = atan(length / r) * 1.1;
  const double rolls = 2.5 / 7 * g * (sin(angle) - length / r * cos(angle));
  sample_expect("way in 1 s at 1.1 of it, m", sphere_slope(1.1, &options), 0.99 * rolls,
                1.01 * rolls);
  sample_expect("a plate slides along its direction, m",
                plate_throw(1, 0, 0.6, &options).position[0], 0.99 / (0.4 * g), 1.01 / (0.4 * g));
  sample_expect("  and across it, m", plate_throw(0, 1, 0.4, &options).position[1],
                0.99 / (0.8 * g), 1.01 / (0.8 * g));
  const talus_body_state askew = plate_throw(1, 1, 0.002, &options);
  const double slowed = (1 - askew.velocity[0]) / (1 - askew.velocity[1]);
  sample_expect("  thrown askew: slowed along over across", slowed, 0.249, 0.251);
  return sample_end();
}
