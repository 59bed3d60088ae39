/* column_collapse.c: how far columns of beads run out when their gate is taken away, on a rough
 * floor: in a slice of a wide channel (samples/scenes/column.yaml), in a slot of five beads' width
 * (column_slot.yaml).
 *
 * Lube et al. (2005), Lajeunesse, Monnier and Homsy (2005), in channels: columns of height H = a L
 * run out by 1.2 a L for small a and by 1.9 a^(2/3) L from a = 2.8 on. Balmforth and Kerswell
 * (2005) find that the exponent of tall columns depends on the side walls: 0.9 +- 0.1 in wide
 * channels, 0.65 +- 0.05 in narrow slots. The front is where beads stop lying one beside the other.
 * Expected: run-out within 35 % of the first at five aspect ratios, and both exponents of the tall
 * ones. Quick: one low column. */
#include "sample.h"

static const char *const HELP = "column_collapse [--full] [--set KEY=VALUE] [--table FILE]\n"
                                "Run-out of columns (samples/scenes/column.yaml, column_slot.yaml)";
static const double LENGTH = 0.05, DIAMETER = 0.005;
enum { BINS = 400, FRONT = 2 }; /* beads of a bin: two fifths of a layer five beads wide */

typedef struct collapse {
  double aspect, run_out, height; /* over the length */
} collapse;

/* A column is as high as twice the mean of its beads. */
static double height_of(const sample_run *run) {
  double sum = 0;
  int32_t count = 0;
  for (int32_t i = 0; i < talus_body_capacity(run->world); i++) {
    if (sample_moves(run, i)) {
      sum += sample_body(run, i).position[2];
      count++;
    }
  }
  return 2 * (sum / count - 0.5 * DIAMETER);
}

/* The end of the first bins, a diameter long, with at least two fifths of a layer in each; and how
 * high the beads lie at the back. */
static double front_of(const sample_run *run, double *back) {
  int32_t bin[BINS] = {0}, last = 0;
  *back = 0;
  for (int32_t i = 0; i < talus_body_capacity(run->world); i++) {
    if (sample_moves(run, i)) {
      const talus_body_state bead = sample_body(run, i);
      const int at = (int)(bead.position[0] / DIAMETER);
      bin[at < 0 ? 0 : at < BINS ? at : BINS - 1]++;
      *back = bead.position[0] < 2 * DIAMETER ? fmax(*back, bead.position[2]) : *back;
    }
  }
  while (last < BINS && bin[last] >= FRONT) {
    last++;
  }
  return last * DIAMETER;
}

static collapse fall(const char *scene, int32_t count, double time, const sample_options *options) {
  char own[96];
  collapse c;
  double back;
  snprintf(own, sizeof own, "grains.column.count=%d run.time=%gs", count, time);
  sample_run run = sample_open(scene, own, options);
  sample_advance(&run, 0.09);
  c.aspect = height_of(&run) / LENGTH;
  sample_advance(&run, talus_scene_end(run.scene));
  c.run_out = front_of(&run, &back) / LENGTH - 1;
  c.height = back / LENGTH;
  printf("  %s, %d beads, aspect ratio %.2f: run-out %.2f, height %.2f, kinetic %.1e J\n", scene,
         count, c.aspect, c.run_out, c.height, run.report.kinetic);
  fflush(stdout);
  sample_close(&run);
  return c;
}

static double published(double aspect) {
  return aspect < 2.3 ? 1.2 * aspect : 1.9 * pow(aspect, 2.0 / 3);
}

static double exponent_of(const collapse *low, const collapse *tall) {
  return log(tall->run_out / low->run_out) / log(tall->aspect / low->aspect);
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  static const int32_t counts[] = {300, 600, 1200, 2400, 4500};
  collapse c[5];
  FILE *const table = options.table != NULL ? sample_create(options.table) : NULL;
  if (table != NULL) {
    fputs("aspect,run_out,published,height\n", table);
  }
  sample_head();
  for (int i = 0; i < (options.full ? 5 : 1); i++) {
    char what[64];
    c[i] =
        fall("column", options.full ? counts[i] : 240, options.full ? 1 + 0.1 * i : 0.6, &options);
    snprintf(what, sizeof what, "aspect ratio %.2f: run-out over published", c[i].aspect);
    sample_expect(what, c[i].run_out / published(c[i].aspect), 0.65, options.full ? 1.35 : 1.6);
    if (table != NULL) {
      fprintf(table, "%.4g,%.4g,%.4g,%.4g\n", c[i].aspect, c[i].run_out, published(c[i].aspect),
              c[i].height);
    }
  }
  if (options.full) {
    const collapse low = fall("column_slot", counts[3], 1.3, &options);
    const collapse tall = fall("column_slot", counts[4], 1.4, &options);
    sample_expect("exponent of the tall ones (0.9)", exponent_of(&c[3], &c[4]), 0.75, 1.05);
    sample_expect("exponent in a slot (0.65)", exponent_of(&low, &tall), 0.5, 0.8);
  }
  if (table != NULL) {
    *sample_misses() += fclose(table) != 0;
  }
  return sample_end();
}
