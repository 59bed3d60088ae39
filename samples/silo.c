/* silo.c: the weight on the floor of a silo stops growing with its filling, since friction hands
 * the rest to the walls.
 *
 * Janssen (1895): the floor of a narrow silo that holds the mass m feels m_s (1 - exp(-m / m_s));
 * m_s is fitted here. Expected: the largest filling feels much lighter than it is, the law fits,
 * and floor and walls together carry the whole weight. Quick: four fillings. Full: six, higher
 * ones. */
#include "sample.h"

static const char *const HELP =
    "silo [--full] [--set KEY=VALUE]\n"
    "The floor of a silo against Janssen's law (samples/scenes/silo.yaml)";
static const double G = 9.81;
static const double SETTLED = 0.8; /* s: the floor has gone down for a while */
enum { FILLINGS = 6 };

/* Upward impulse that a wall gives to grains in the last step, N s. */
static double support(const sample_run *run, int32_t wall) {
  const talus_contact *contact;
  const int32_t count = talus_world_contacts(run->world, &contact);
  double sum = 0;
  for (int32_t k = 0; k < count; k++) {
    sum += contact[k].body_a == wall ? contact[k].impulse[2] : 0;
    sum -= contact[k].body_b == wall ? contact[k].impulse[2] : 0;
  }
  return sum;
}

/* Fills, lets rest, and weighs while the floor goes down: kg. */
static void weigh(double fill, const sample_options *options, double *mass, double *floor,
                  double *walls) {
  char own[64];
  snprintf(own, sizeof own, "grains.beads.fill=%gm", fill);
  sample_run run = sample_open("silo", own, options);
  const double end = talus_scene_end(run.scene);
  sample_advance(&run, SETTLED);
  const double begin = talus_world_time(run.world);
  *floor = *walls = *mass = 0;
  while (talus_world_time(run.world) < end - 1e-9) {
    sample_step(&run);
    *floor += support(&run, talus_scene_body_find(run.scene, "floor")) / G;
    *walls += support(&run, talus_scene_body_find(run.scene, "tube")) / G;
  }
  *floor /= talus_world_time(run.world) - begin;
  *walls /= talus_world_time(run.world) - begin;
  int32_t grains = 0;
  for (int32_t i = 0; i < talus_body_capacity(run.world); i++) {
    if (sample_moves(&run, i)) {
      *mass += talus_body_mass(run.world, i);
      grains++;
    }
  }
  printf("  %5.1f cm, %4d beads, %.4f kg: floor %.4f kg, walls %.4f kg; kinetic %.1e J, epsilon "
         "%.2g\n",
         100 * fill, grains, *mass, *floor, *walls, run.report.kinetic, run.worst_epsilon);
  fflush(stdout);
  sample_close(&run);
}

static double janssen(double mass, double saturated) {
  return saturated * (1 - exp(-mass / saturated));
}

static double misfit(const double *mass, const double *floor, int count, double saturated) {
  double sum = 0;
  for (int i = 0; i < count; i++) {
    sum += pow(floor[i] - janssen(mass[i], saturated), 2);
  }
  return sqrt(sum / count);
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  const double fill[FILLINGS] = {0.025, 0.05, 0.09, 0.14, 0.2, 0.3};
  const int count = options.full ? FILLINGS : 4;
  double mass[FILLINGS], floor[FILLINGS], walls[FILLINGS], missing = 0;
  for (int i = 0; i < count; i++) {
    weigh(fill[i], &options, &mass[i], &floor[i], &walls[i]);
    missing = fmax(missing, fabs(1 - (floor[i] + walls[i]) / mass[i]));
  }
  const int last = count - 1;
  double best = mass[0];
  for (double s = 0.2 * mass[0]; s < 2 * mass[last]; s *= 1.002) {
    best = misfit(mass, floor, count, s) < misfit(mass, floor, count, best) ? s : best;
  }
  printf("Janssen's law with m_s = %.4f kg:", best);
  for (int i = 0; i < count; i++) {
    printf(" %.4f", janssen(mass[i], best));
  }
  printf("\n");
  sample_head();
  sample_expect("weight that neither floor nor walls carry", missing, 0, 0.01);
  sample_expect("smallest filling: floor over weight", floor[0] / mass[0], 0.5, 1);
  sample_expect("largest filling: floor over weight", floor[last] / mass[last], 0, 0.5);
  sample_expect("last growth of floor over that of filling",
                (floor[last] - floor[last - 1]) / (mass[last] - mass[last - 1]), -0.2, 0.3);
  sample_expect("misfit of Janssen's law, of m_s", misfit(mass, floor, count, best) / best, 0, 0.1);
  return sample_end();
}
