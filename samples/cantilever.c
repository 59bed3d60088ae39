/* cantilever.c: a beam of glued balls bends as Timoshenko's beam does and breaks where and when its
 * largest stress says (samples/scenes/cantilever.yaml).
 *
 * Tip load P, length L, n bonds: deflection P L^3/(3 E I) + P L/(kappa G A), at every step size,
 * since the bonds are taken implicitly. The load is then raised slowly; the bond at the clamp sees
 * the moment P (L - L/(2n)) at its middle and breaks at P = strength I/(r (L - L/(2n))). The force
 * across it adds no tension. Quick: 1 and 4 ms; full: also 0.25 ms and a stiffer beam (30 GPa). */
#include "sample.h"

static const char *const HELP = "cantilever [--full] [--set KEY=VALUE]\n"
                                "Deflection and breaking load of a glued beam";
enum { BONDS = 20 };
static const double R = 0.01, LENGTH = 0.4, LOAD = 0.2, PI = 3.14159265358979323846;

/* Deflection under LOAD over Timoshenko's. */
static double bend(sample_run *run, double young, int32_t tip) {
  const double area = PI * R * R, second = area * R * R / 4, shear = young / 2.5;
  const double kappa = 6 * 1.25 / (7 + 6 * 0.25);
  const double expected = LOAD * LENGTH * LENGTH * LENGTH / (3 * young * second) +
                          LOAD * LENGTH / (kappa * shear * area);
  sample_advance(run, talus_scene_end(run->scene));
  return -sample_body(run, tip).position[2] / expected;
}

/* Raises the load by 2 % of the expected one in 10 ms until something breaks; the load then, over
 * the expected one. */
static double load_until_broken(sample_run *run, int32_t tip, talus_broken_bond *first) {
  const double strength = 3e5, second = PI * R * R * R * R / 4;
  const double expected = strength * second / (R * LENGTH * (1 - 0.5 / BONDS));
  const talus_broken_bond *broken = NULL;
  const double begin = talus_world_time(run->world);
  double load = LOAD;
  while (talus_world_broken(run->world, &broken) == 0 && load < 2 * expected) {
    load = LOAD + 2 * expected * (talus_world_time(run->world) - begin);
    TRY(talus_body_force(run->world, tip, (const double[3]){0, 0, -load}, NULL));
    TRY(talus_world_step(run->world, &run->report));
  }
  *first = broken != NULL ? *broken : (talus_broken_bond){.mode = -1};
  return load / expected;
}

static void beam(const sample_options *options, double step, double young) {
  char own[128], what[64];
  snprintf(own, sizeof own, "world.step=%gs bonds.glue.young=%gPa", step, young);
  sample_run run = sample_open("cantilever", own, options);
  const int32_t tip = talus_scene_body_find(run.scene, "tip");
  const int32_t clamp = talus_scene_body_find(run.scene, "clamp");
  talus_broken_bond first;
  snprintf(what, sizeof what, "deflection, step %g ms, E %g GPa", 1e3 * step, 1e-9 * young);
  sample_expect(what, bend(&run, young, tip), 0.98, 1.02);
  sample_expect("  breaking load over the closed form", load_until_broken(&run, tip, &first), 0.98,
                1.02);
  sample_expect("  mode: bending", first.mode, TALUS_BOND_BENDING, TALUS_BOND_BENDING);
  sample_expect("  at the clamp", first.bond.body_a == clamp || first.bond.body_b == clamp, 1, 1);
  sample_close(&run);
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  sample_head();
  beam(&options, 1e-3, 1e9);
  beam(&options, 4e-3, 1e9);
  if (options.full) {
    beam(&options, 2.5e-4, 1e9);
    beam(&options, 1e-3, 3e10);
  }
  return sample_end();
}
