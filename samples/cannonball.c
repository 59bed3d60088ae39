/* cannonball.c: stacks of disks as cannonballs, from rest, in the plane.
 *
 * After Anitescu and Hart (Math. Program. 101, 2004, section 5.3): radius 3, step 0.05, plastic
 * impacts. (1) 21 disks, friction 0.05, and (2) 136 disks, friction 0.2, let go, under both laws.
 * (3) The first step of 210 disks for the frictions of their Table 1: under the convex law a
 * contact that slips opens by mu |slip|, the "residual error" of that table; it vanishes (1e-8,
 * 8e-11) where the stack can rest, at 0.6 and above, and does not (0.06 to 0.12) at 0.4 and below.
 * Its size depends on gravity, which the paper does not give. */
#include "sample.h"

static const char *const HELP = "cannonball [--set KEY=VALUE]\n"
                                "Stacks of disks are let go (samples/scenes/cannonball.yaml)";

static double energy(const sample_run *run) {
  return run->report.kinetic + run->report.potential;
}

/* Lets a stack with `bottom` disks in its lowest row go. */
static void let_go(const char *law, int bottom, double friction, const sample_options *options) {
  char own[200];
  snprintf(own, sizeof own, "world.law=%s materials.disk.friction=%g grains.stack.counts=[%d,0,0]",
           law, friction, bottom);
  sample_run run = sample_open("cannonball", own, options);
  sample_step(&run);
  /* floor, level and slanted neighbours */
  const int32_t contacts = bottom + bottom * (bottom - 1) / 2 * 3, first = run.report.contact_count;
  const double begin = energy(&run);
  double before = begin, grown = 0, deepest = 0, momentum = 0;
  while (talus_world_time(run.world) < talus_scene_end(run.scene) - 1e-9) {
    sample_step(&run);
    grown = fmax(grown, energy(&run) - before);
    before = energy(&run);
    deepest = fmax(deepest, run.report.penetration_max);
    momentum = fmax(momentum, run.report.momentum_error);
  }
  printf("%d disks, friction %g, %s, until %g s:\n", bottom * (bottom + 1) / 2, friction, law,
         talus_world_time(run.world));
  sample_expect("  contacts at the start", first, contacts, contacts);
  sample_expect("  largest gain of energy in a step, of all", grown / begin, -INFINITY, 1e-9);
  sample_expect("  energy lost, of all", 1 - energy(&run) / begin, 0.05, 0.8);
  sample_expect("  deepest penetration, of a radius", deepest / 3, 0, 0.01);
  sample_expect("  worst balance of momentum", momentum, 0, 1e-10);
  printf("  worst epsilon %.2g, %lld steps cut\n", run.worst_epsilon, (long long)run.halved);
  sample_close(&run);
}

/* How fast contacts that carry open after the first step, m/s: the largest. */
static double opening(double friction, const sample_options *options) {
  char own[200];
  snprintf(own, sizeof own,
           "world.law=ccp world.tolerance=1e-8 world.accept=1e-6 world.max_iterations=100000 "
           "materials.disk.friction=%g grains.stack.counts=[20,0,0]",
           friction);
  sample_run run = sample_open("cannonball", own, options);
  sample_step(&run);
  const talus_contact *contact;
  const int32_t count = talus_world_contacts(run.world, &contact);
  double largest = 0;
  for (int32_t k = 0; k < count; k++) {
    const talus_contact *c = &contact[k];
    const talus_body_state a = sample_body(&run, c->body_a), b = sample_body(&run, c->body_b);
    double normal = 0, carried = 0;
    for (int i = 0; i < 3; i++) { /* round: spin does not move a contact along its normal */
      normal += c->normal[i] * (b.velocity[i] - a.velocity[i]);
      carried += c->normal[i] * c->impulse[i];
    }
    largest = carried > 1e-6 ? fmax(largest, normal) : largest;
  }
  sample_close(&run);
  return largest;
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  const double friction[] = {0.1, 0.2, 0.4, 0.6, 0.8};
  const char *const law[] = {"ccp", "coulomb"};
  sample_head();
  for (int i = 0; i < 2; i++) {
    let_go(law[i], 6, 0.05, &options);
    let_go(law[i], 16, 0.2, &options);
  }
  printf("210 disks, ccp, first step: speed at which carrying contacts open, m/s\n");
  for (int i = 0; i < 5; i++) {
    char what[64];
    const double open = opening(friction[i], &options);
    snprintf(what, sizeof what, "  friction %g", friction[i]);
    sample_expect(what, open, i < 3 ? 1e-3 : 0, i < 3 ? 1 : 1e-5);
  }
  return sample_end();
}
