/* haff.c: a gas of smooth inelastic beads cools as Haff's law says (samples/scenes/gas.yaml).
 *
 * Haff (1983): T = T0/(1 + t/tau)^2 as long as the gas is homogeneous, with
 * 1/tau = (1 - e^2) w/6, w = 4 n d^2 X sqrt(pi T0) the rate at which a bead collides, T a third of
 * the mean square velocity, and X = (1 - phi/2)/(1 - phi)^3 (Carnahan and Starling). The sample
 * fits 1/sqrt(T) by a line in time. Expected: its slope within 15 % (10 % in the full form), and a
 * straight line. Quick: until the beads have a quarter of their energy. Full: 1000 beads, a
 * tenth. */
#include "sample.h"

static const char *const HELP = "haff [--full] [--set KEY=VALUE] [--table FILE]\n"
                                "Haff's law in a granular gas (samples/scenes/gas.yaml)";
static const double PI = 3.14159265358979, DIAMETER = 0.01, RESTITUTION = 0.9;

/* Numbers of a normal distribution, from a small generator of our own. */
static double normal(uint64_t *state) {
  double sum = -6;
  for (int i = 0; i < 12; i++) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    sum += (double)(*state >> 11) / 9007199254740992.0;
  }
  return sum;
}

/* Random velocities of 1 m/s each way, without a common drift. */
static int32_t stir(const sample_run *run) {
  uint64_t random = 1;
  double drift[3] = {0, 0, 0};
  int32_t count = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < talus_body_capacity(run->world); i++) {
      if (sample_moves(run, i)) {
        talus_body_state bead = sample_body(run, i);
        for (int c = 0; c < 3; c++) {
          bead.velocity[c] = pass == 0 ? normal(&random) : bead.velocity[c] - drift[c] / count;
          drift[c] += pass == 0 ? bead.velocity[c] : 0;
        }
        count += pass == 0;
        TRY(talus_body_set(run->world, i, &bead));
      }
    }
  }
  return count;
}

static double temperature(const sample_run *run, int32_t count) {
  double sum = 0;
  for (int32_t i = 0; i < talus_body_capacity(run->world); i++) {
    if (sample_moves(run, i)) {
      const talus_body_state bead = sample_body(run, i);
      for (int c = 0; c < 3; c++) {
        sum += bead.velocity[c] * bead.velocity[c] / 3;
      }
    }
  }
  return sum / count;
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  sample_run run = sample_open(
      "gas", options.full ? "cell.upper=[174mm,174mm,174mm] grains.0.count=1000" : NULL, &options);
  FILE *const table = options.table != NULL ? sample_create(options.table) : NULL;
  const int32_t count = stir(&run);
  talus_cell cell = talus_cell_default();
  TRY(talus_world_cell(run.world, &cell));
  const double n = count / (cell.edge[0] * cell.edge[1] * cell.edge[2]);
  const double phi = n * PI / 6 * pow(DIAMETER, 3), begin = temperature(&run, count);
  const double often = 4 * n * DIAMETER * DIAMETER * (1 - phi / 2) / pow(1 - phi, 3);
  const double wanted = (1 - RESTITUTION * RESTITUTION) * often * sqrt(PI * begin) / 6;
  double s = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0, now = begin;
  if (table != NULL) {
    fputs("time [s],temperature,haff\n", table);
  }
  while (now > (options.full ? 0.1 : 0.25) * begin && talus_world_time(run.world) < 5) {
    sample_step(&run);
    now = temperature(&run, count);
    const double time = talus_world_time(run.world), value = sqrt(begin / now);
    s += 1;
    x += time;
    y += value;
    xx += time * time;
    xy += time * value;
    yy += value * value;
    if (table != NULL && talus_world_steps(run.world) % 20 == 0) {
      fprintf(table, "%.5g,%.6g,%.6g\n", time, now / begin, 1 / pow(1 + wanted * time, 2));
    }
  }
  const double slope = (s * xy - x * y) / (s * xx - x * x);
  const double straight = (s * xy - x * y) / sqrt((s * xx - x * x) * (s * yy - y * y));
  const double off = options.full ? 0.1 : 0.15;
  sample_head();
  sample_expect("1/tau over Haff's", slope / wanted, 1 - off, 1 + off);
  sample_expect("correlation of 1/sqrt(T) with time", straight, 0.99, 1);
  sample_value(slope / wanted, "rate");
  if (table != NULL) {
    *sample_misses() += fclose(table) != 0;
  }
  sample_close(&run);
  return sample_end();
}
