/* triaxial.c: a triaxial test in a periodic cell: isotropic compression without friction, then
 * 20 % of shear at constant lateral stress (samples/scenes/triaxial.yaml, in stages).
 *
 * Spheres with friction 0.5 between them flow, in the critical state, at 22 to 24 degrees (Thornton
 * 2000: 22 for 0.3 to 24 for larger friction; Suiker and Fleck 2004), whatever they began with; a
 * dense sample has a peak of some 30 degrees before, and dilates. Expected besides: the packing is
 * random close, and the servos keep the lateral stress to 1 %. Quick: 150 beads, with wider limits
 * and half the shear. */
#include "sample.h"

static const char *const HELP = "triaxial [--full] [--set KEY=VALUE]\n"
                                "Friction angles of beads (samples/scenes/triaxial.yaml)";
enum { WINDOW = 50 }; /* steps of a mean */

typedef struct shear {
  double strain, lateral, axial; /* log strain; Pa, sums over a window */
  int64_t count;
} shear;

static double angle_of(const shear *s) {
  return 180 / 3.14159265358979 * asin((s->axial - s->lateral) / (s->axial + s->lateral));
}

/* Adds a step; 0: the shear has not begun. */
static int shear_add(const sample_run *run, double height, shear *s) {
  talus_cell cell = talus_cell_default();
  double stress[9];
  TRY(talus_world_cell(run->world, &cell));
  TRY(talus_world_stress(run->world, stress));
  s->strain = log(height / cell.edge[2]);
  s->lateral += 0.5 * (stress[0] + stress[4]);
  s->axial += stress[8];
  s->count++;
  return cell.servo == 3;
}

static double fraction_of(const sample_run *run) {
  talus_cell cell = talus_cell_default();
  double volume = 0;
  TRY(talus_world_cell(run->world, &cell));
  for (int32_t i = 0; i < talus_body_capacity(run->world); i++) {
    volume += sample_moves(run, i) ? talus_body_mass(run->world, i) / 2500 : 0;
  }
  return volume / (cell.edge[0] * cell.edge[1] * cell.edge[2]);
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  sample_run run = sample_open("triaxial",
                               options.full ? NULL
                                            : "grains.0.count=150 cell.upper=[46mm,46mm,46mm] "
                                              "stages.shear.time=1s stages.consolidate.time=50ms",
                               &options);
  FILE *const table = options.table != NULL ? sample_create(options.table) : NULL;
  double height = 0, dense = 0, peak = 0, late = 0, lateral = 0;
  const double far = options.full ? 0.15 : 0.08;
  int64_t windows = 0, late_windows = 0;
  shear s = {0};
  if (table != NULL) {
    fputs("strain,angle,packing_fraction,lateral [Pa]\n", table);
  }
  while (talus_scene_over(run.scene) == TALUS_STAGE_GOES_ON) {
    sample_step(&run);
    const int begun = shear_add(&run, height, &s);
    if (!begun || height == 0) {
      talus_cell cell = talus_cell_default();
      TRY(talus_world_cell(run.world, &cell));
      height = begun ? cell.edge[2] : 0;
      dense = begun ? dense : fraction_of(&run);
      s = (shear){0};
      continue;
    }
    if (s.count < WINDOW) {
      continue;
    }
    const double angle = angle_of(&s);
    peak = fmax(peak, angle);
    late += s.strain > far ? angle : 0;
    late_windows += s.strain > far;
    lateral += s.lateral / WINDOW;
    windows++;
    if (table != NULL) {
      fprintf(table, "%.5g,%.5g,%.5g,%.6g\n", s.strain, angle, fraction_of(&run),
              s.lateral / WINDOW);
    }
    s = (shear){0};
  }
  sample_head();
  sample_expect("packing fraction before the shear", dense, 0.63, 0.66);
  sample_expect("packing fraction after it", fraction_of(&run), 0.57, dense - 0.02);
  sample_expect("lateral stress, Pa", lateral / (double)windows, 990, 1010);
  sample_expect("peak of the friction angle, degrees", peak, 26, options.full ? 34 : 42);
  sample_expect("friction angle in the end, degrees", late / (double)late_windows,
                options.full ? 21 : 18, options.full ? 25 : 32);
  sample_value(late / (double)late_windows, "critical");
  sample_value(peak, "peak");
  if (table != NULL) {
    *sample_misses() += fclose(table) != 0;
  }
  sample_close(&run);
  return sample_end();
}
