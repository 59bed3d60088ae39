/* test_run.c: measurements during a run and after it: a settled bed against known values, both ways
 * give the same numbers, a run in pieces leaves the same files, regions that move with a body, and
 * measurements that make no sense. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/io/table.h"
#include "host/io/vtk.h"
#include "host/measure/field.h"
#include "host/measure/means.h"
#include "tests/check.h"
#include "tests/scene/scene_text.h"

/* Beads that fall into a box with smooth walls and come to rest. */
static const char bed[] =
    "world: {step: 1 ms, seed: 3}\n"
    "materials: {bead: {density: 2500, friction: 0.5}, wall: {}}\n"
    "pairs: [{between: [bead, wall], friction: 0}]\n"
    "walls: [{kind: box, name: tray, size: [6 cm, 6 cm, 40 cm], material: wall}]\n"
    "grains: [{kind: random, radius: 5 mm, count: 260, material: bead}]\n"
    "output:\n"
    "  every: 25 ms\n"
    "  measure:\n"
    "    - {name: middle, region: {lower: [-2 cm, -2 cm, 1 cm], upper: [2 cm, 2 cm, 4 cm]}}\n"
    "    - {name: slice, with: tray, quantities: stress, "
    "region: {lower: [-3 cm, -3 cm, 1 cm], upper: [3 cm, 3 cm, 1.2 cm]}}\n"
    "    - {kind: profile, name: height, bins: 5, quantities: [grains, density], "
    "region: {lower: [-3 cm, -3 cm, 0], upper: [3 cm, 3 cm, 10 cm]}}\n"
    "    - {kind: plane, name: gate, point: [0, 0, 5 cm]}\n"
    "    - {kind: radial, name: g, reach: 1.4 cm, bins: 28, "
    "region: {lower: [-3 cm, -3 cm, 0], upper: [3 cm, 3 cm, 6 cm]}}\n"
    "    - {kind: forces, name: f}\n"
    "    - {kind: fields, name: cg, kernel: lucy, width: 1 cm, "
    "region: {lower: [-3 cm, -3 cm, 0], upper: [3 cm, 3 cm, 8 cm]}}\n"
    "run: {time: 0.6 s}\n";

/* Runs a scene to its end, or up to a step; resume: goes on in the same directory. */
static talus_status run(talus_context *context, const char *text, const char *directory,
                        int64_t last, bool resume) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  talus_record *record = NULL;
  talus_record_def def = talus_record_def_default();
  talus_step_report report = talus_step_report_default();
  def.directory = directory;
  def.force = 1;
  def.resume = resume ? directory : NULL;
  talus_status status = talus_record_create(context, &def, &record);
  status = status == TALUS_OK ? world_of(context, text, &scene, &world) : status;
  status = status == TALUS_OK ? talus_record_resume(record, scene, world) : status;
  status = status == TALUS_OK ? talus_record_open(record, scene, world) : status;
  if (status == TALUS_OK && talus_world_steps(world) == 0) {
    status = talus_record_frame(record, world, NULL);
  }
  while (status == TALUS_OK && talus_world_steps(world) < last) {
    status = talus_record_before_step(record, world);
    status = status == TALUS_OK ? talus_scene_tick(scene, world) : status;
    status = status == TALUS_OK ? talus_world_step(world, &report) : status;
    if (status == TALUS_OK && talus_record_due(record, report.step) & TALUS_RECORD_FRAME) {
      status = talus_record_frame(record, world, &report);
    }
  }
  status = status == TALUS_OK ? talus_record_checkpoint(record, world, NULL) : status;
  const talus_status closed = talus_record_close(record);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  return status == TALUS_OK ? closed : status;
}

static double value_of(const tl_stored_table *t, const char *name, int64_t row) {
  const int32_t column = tl_stored_table_find(t, name);
  CHECK_CASE(column >= 0, "no column %s", name);
  return column < 0 ? NAN
                    : t->value[(size_t)column * (size_t)t->row_count +
                               (size_t)(row < 0 ? t->row_count + row : row)];
}

/* The bed at its end: known values. */
static void check_bed(talus_context *context) {
  tl_stored_table t;
  const double pi = 3.14159265358979323846;
  if (!CHECK(tl_stored_table_read(context, "bed/measure.csv", &t) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return;
  }
  /* random packings of spheres: loose 0.55, close 0.64; a narrow box orders them a little */
  const double fraction = value_of(&t, "middle_packing_fraction", -1);
  CHECK_CASE(fraction > 0.53 && fraction < 0.66, "packing fraction %g", fraction);
  CHECK_CLOSE(value_of(&t, "middle_density", -1), 2500 * fraction, 1e-9 * 2500);
  /* with friction from 4 (isostatic) to 6 */
  const double coordination = value_of(&t, "middle_coordination_held", -1);
  CHECK_CASE(coordination > 4 && coordination < 6.5, "coordination %g", coordination);
  CHECK(value_of(&t, "middle_rattlers", -1) < 0.15);
  CHECK_CLOSE(value_of(&t, "middle_fabric_xx", -1) + value_of(&t, "middle_fabric_yy", -1) +
                  value_of(&t, "middle_fabric_zz", -1),
              1, 1e-12);
  CHECK(value_of(&t, "middle_temperature", -1) < 1e-4);
  /* the slice carries what is above it, but for the few grains beside the force of the walls */
  const double weight = 2500 * 4 * pi / 3 * 1.25e-7 * 260 * 9.81;
  const double carried = value_of(&t, "slice_stress_zz", -1) * 36e-4;
  CHECK_CASE(carried > 0.7 * weight && carried < weight, "carries %g N of %g N", carried, weight);
  /* what fell through the gate fell down, and now nothing does */
  CHECK(value_of(&t, "gate_number_flow", 6) < 0);
  CHECK_CLOSE(value_of(&t, "gate_number_flow", -1), 0, 3);
  tl_stored_table_release(&t);
}

/* Measured again from the frames: the same numbers, and averages over time. */
static void check_after(talus_context *context) {
  talus_measure_def def = talus_measure_def_default();
  tl_stored_table during, after, profile, g;
  int32_t frames = 0;
  def.directory = "bed";
  if (!CHECK(talus_measure_run(context, &def, &frames) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return;
  }
  CHECK(frames == 25);
  CHECK(tl_stored_table_read(context, "bed/measure.csv", &during) == TALUS_OK);
  CHECK(tl_stored_table_read(context, "bed/measured/measure.csv", &after) == TALUS_OK);
  CHECK(during.row_count == 25 && after.row_count == 25);
  for (int32_t c = 0; c < during.column_count; c++) {
    for (int64_t r = 0; r < during.row_count; r++) {
      const double a = during.value[c * during.row_count + r];
      const double b = value_of(&after, during.name[c], r);
      CHECK_CASE(a == b || (isnan(a) && isnan(b)), "%s, line %d: %.17g and %.17g", during.name[c],
                 (int)r, a, b);
    }
  }
  /* centres that crossed the gate, over all frames: those that are below it now */
  double crossed = 0;
  for (int64_t r = 1; r < after.row_count; r++) {
    crossed += 0.025 * value_of(&after, "gate_crossings", r);
  }
  CHECK(isnan(value_of(&after, "gate_crossings", 0)));
  CHECK(tl_stored_table_read(context, "bed/measured/height.csv", &profile) == TALUS_OK);
  CHECK(profile.row_count == 5 && value_of(&profile, "density_error", 0) > 0);
  CHECK_CLOSE(value_of(&profile, "place", 0), 0.01, 1e-12);
  CHECK(crossed < -100 && crossed > -260);
  CHECK(tl_stored_table_read(context, "bed/measured/g.csv", &g) == TALUS_OK);
  CHECK(value_of(&g, "g", 5) == 0 && value_of(&g, "g", 19) + value_of(&g, "g", 20) > 1);
  struct stat about;
  CHECK(stat("bed/measured/cg.vti", &about) == 0 && about.st_size > 1000);
  CHECK(stat("bed/measure-cg-00000600.vti", &about) == 0);
  CHECK(stat("bed/measure-height-00000025.csv", &about) == 0);
  CHECK(stat("bed/averages.csv", &about) == 0);
  tl_stored_table_release(&during);
  tl_stored_table_release(&after);
  tl_stored_table_release(&profile);
  tl_stored_table_release(&g);
  /* between two times, every second frame */
  def.begin = 0.2;
  def.end = 0.4;
  def.every = 2;
  def.out = "bed/part";
  CHECK(talus_measure_run(context, &def, &frames) == TALUS_OK && frames == 5);
}

/* Fields of the bed at rest: their integrals are the region's, walls carry the weight. */
static void check_fields(talus_context *context) {
  tl_stored_frame *stored = NULL;
  tl_sample s = {.context = context};
  tl_grid grid;
  double sum[TL_FIELD_SUM_COUNT] = {0}, mean[TL_MEAN_COUNT];
  const tl_domain d = {.kind = TL_DOMAIN_BOX,
                       .pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                       .lower = {-0.06, -0.06, -0.03},
                       .upper = {0.06, 0.06, 0.12}};
  const tl_kernel kernel = tl_kernel_make(TL_KERNEL_LUCY, 0.01, false);
  const double weight = 2500 * 4 * 3.14159265358979323846 / 3 * 1.25e-7 * 260 * 9.81;
  if (!CHECK(tl_vtk_read(context, "bed", 600, &stored) == TALUS_OK)) {
    return;
  }
  CHECK(tl_sample_take(&s, &stored->frame) == TALUS_OK);
  CHECK(tl_grid_create(context, d.lower, d.upper, 0.0025, &kernel, false, &grid) == TALUS_OK);
  tl_grid_add(&grid, &s);
  for (int64_t p = 0; p < grid.point_count; p++) {
    for (int i = 0; i < TL_FIELD_SUM_COUNT; i++) {
      sum[i] += grid.sum[p * TL_FIELD_SUM_COUNT + i] * 0.0025 * 0.0025 * 0.0025;
    }
  }
  tl_means_take(&s, &d, (1u << TL_GROUP_COUNT) - 1, 2, mean);
  const double volume = tl_domain_volume(&d), whole = 3 * mean[TL_MEAN_PRESSURE] * volume;
  for (int i = 0; i < 3; i++) {
    CHECK_CLOSE(sum[TL_FIELD_SUM_CONTACT + 4 * i], mean[TL_MEAN_STRESS + i] * volume, 1e-6 * whole);
  }
  CHECK_CLOSE(sum[TL_FIELD_SUM_DENSITY] * 9.81, weight, 1e-6 * weight);
  CHECK_CLOSE(sum[TL_FIELD_SUM_WALL + 2], weight, 0.01 * weight); /* but for what still moves */
  tl_grid_release(&grid);
  tl_sample_release(&s);
  tl_stored_frame_destroy(stored);
}

static int same_file(const char *a, const char *b) {
  FILE *const one = fopen(a, "rb"), *const other = fopen(b, "rb");
  int same = one != NULL && other != NULL;
  for (int x = 0; same && x != EOF;) {
    x = fgetc(one);
    same = x == fgetc(other);
  }
  if (one != NULL) {
    fclose(one);
  }
  if (other != NULL) {
    fclose(other);
  }
  return same;
}

static void check_restart(talus_context *context) {
  CHECK(run(context, bed, "pieces", 110, false) == TALUS_OK);
  CHECK(run(context, bed, "pieces", 200, true) == TALUS_OK);
  CHECK(run(context, bed, "whole", 200, false) == TALUS_OK);
  CHECK(same_file("pieces/measure.csv", "whole/measure.csv"));
  CHECK(same_file("pieces/averages.csv", "whole/averages.csv"));
  CHECK(same_file("pieces/measure-f-00000200.csv", "whole/measure-f-00000200.csv"));
  CHECK(same_file("pieces/measure-cg-00000150.vti", "whole/measure-cg-00000150.vti"));
}

/* A tray that moves and turns takes its region along: the ball in it stays inside. */
static void check_moving(talus_context *context) {
  static const char moving[] =
      "world: {step: 1 ms, gravity: [0, 0, 0]}\n"
      "bodies:\n"
      "  - {name: ball, shape: sphere, radius: 10 cm, position: [5, 0, 0], velocity: [0, 2, 0]}\n"
      "  - name: tray\n"
      "    type: kinematic\n"
      "    shape: box\n"
      "    size: [1, 1, 1]\n"
      "    position: [0, 0, -5]\n"
      "    motions: [{kind: velocity, velocity: [0, 2, 0]}]\n"
      "output:\n"
      "  every: 50 ms\n"
      "  measure:\n"
      "    - {name: along, with: tray, quantities: [grains, packing_fraction], "
      "region: {kind: ball, centre: [5, 0, 5], radius: 10 cm}}\n"
      "    - {name: here, quantities: [grains], "
      "region: {kind: ball, centre: [5, 0, 0], radius: 10 cm}}\n"
      "run: {time: 0.2 s}\n";
  tl_stored_table t;
  talus_measure_def def = talus_measure_def_default();
  CHECK(run(context, moving, "moving", 200, false) == TALUS_OK);
  def.directory = "moving";
  CHECK(talus_measure_run(context, &def, NULL) == TALUS_OK);
  for (int after = 0; after < 2; after++) {
    const char *const path = after ? "moving/measured/measure.csv" : "moving/measure.csv";
    if (CHECK(tl_stored_table_read(context, path, &t) == TALUS_OK)) {
      CHECK_CLOSE(value_of(&t, "along_packing_fraction", -1), 1, 1e-9);
      CHECK_CLOSE(value_of(&t, "along_grains", -1), 1, 0);
      CHECK_CLOSE(value_of(&t, "here_grains", 0), 1, 0);
      CHECK_CLOSE(value_of(&t, "here_grains", -1), 0, 0);
    }
    tl_stored_table_release(&t);
  }
}

/* A periodic cell as a whole: the solid volume is that of all grains, wherever faces cut them, and
 * the stress that of the world. */
static void check_cell(talus_context *context) {
  static const char pressed[] =
      "world: {step: 1 ms, gravity: [0, 0, 0], softness: auto}\n"
      "materials: {bead: {friction: 0.3}}\n"
      "cell: {lower: [1 cm, 0, 0], upper: [4 cm, 3 cm, 3 cm], servo: [x, y, z], "
      "stress: [200 Pa, 200 Pa, 200 Pa], shear: [0, 0.5 Hz, 0]}\n"
      "grains: [{kind: random, radius: 3 mm, count: 40}]\n"
      "output:\n"
      "  every: 100 ms\n"
      "  measure: [{name: all, region: {kind: cell}}, {kind: forces, name: f, region: {kind: "
      "cell}}, {name: plain}]\n"
      "run: {time: 1 s}\n";
  tl_stored_table t, scalars;
  const double solid = 40 * 4 / 3.0 * 3.14159265358979323846 * 2.7e-8;
  CHECK(run(context, pressed, "cell", 1000, false) == TALUS_OK);
  if (CHECK(tl_stored_table_read(context, "cell/measure.csv", &t) == TALUS_OK) &&
      CHECK(tl_stored_table_read(context, "cell/scalars.csv", &scalars) == TALUS_OK)) {
    const double volume = value_of(&scalars, "cell_xx", -1) * value_of(&scalars, "cell_yy", -1) *
                          value_of(&scalars, "cell_zz", -1);
    CHECK_CLOSE(value_of(&t, "all_packing_fraction", -1), solid / volume, 1e-9);
    CHECK_CLOSE(value_of(&t, "all_grains", -1), 40, 0);
    /* the default, here as well as for `talus measure` */
    CHECK_CLOSE(value_of(&t, "plain_packing_fraction", -1), solid / volume, 1e-9);
    CHECK_CLOSE(value_of(&t, "plain_stress_zz", -1), value_of(&t, "all_stress_zz", -1), 1e-9);
    static const char *const part[] = {"xx", "zz", "xz"};
    for (int i = 0; i < 3; i++) {
      char name[32];
      snprintf(name, sizeof name, "stress_%s", part[i]);
      const double world = value_of(&scalars, name, -1);
      snprintf(name, sizeof name, "all_stress_%s", part[i]);
      /* the frame has branches of the end of the step, the world those it was solved with */
      CHECK_CLOSE(value_of(&t, name, -1), world, 1e-3 * 200);
    }
    tl_stored_table_release(&scalars);
  }
  tl_stored_table_release(&t);
}

/* A region beside a body that turns goes around with it, and so does an annulus about it: balls
 * that go around at the same rate stay in theirs, one that rests is passed. */
static void check_turning(talus_context *context) {
  static const char turning[] =
      "world: {step: 1 ms, gravity: [0, 0, 0]}\n"
      "bodies:\n"
      "  - name: arm\n"
      "    type: kinematic\n"
      "    shape: box\n"
      "    size: [1 cm, 1 cm, 1 cm]\n"
      "    position: [1, 0, 0]\n"
      "    motions: [{kind: spin, spin: [0, 0, 5 rad/s]}]\n"
      "  - {name: rests, radius: 1 cm, position: [1, 0.3, 0]}\n"
      "  - {name: ball, type: free, radius: 1 cm, position: [1.2, 0, 0], velocity: [0, 1, 0]}\n"
      "joints:\n"
      "  - {kind: distance, a: world, b: ball, point: [1, 0, 0], point_b: [1.2, 0, 0]}\n"
      "output:\n"
      "  every: 10 ms\n"
      "  measure:\n"
      "    - {name: tip, with: arm, quantities: [grains, velocity], "
      "region: {lower: [0.15, -3 cm, -3 cm], upper: [0.25, 3 cm, 3 cm]}}\n"
      "    - {name: far, with: arm, quantities: [grains], "
      "region: {lower: [0.25, -3 cm, -3 cm], upper: [0.35, 3 cm, 3 cm]}}\n"
      "    - {name: ring, quantities: [grains, packing_fraction], region: {kind: annulus, "
      "centre: [1, 0, -2 cm], inner: 0.15, radius: 0.25, height: 4 cm}}\n"
      "    - {name: half, with: arm, quantities: [packing_fraction], region: {kind: annulus, "
      "centre: [0, 0, 0], inner: 0.1, radius: 0.25, height: 4 cm}}\n"
      "run: {time: 0.4 s}\n";
  const double pi = 3.14159265358979323846, ball = 4 * pi / 3 * 1e-6;
  tl_stored_table t;
  CHECK(run(context, turning, "turning", 400, false) == TALUS_OK);
  if (CHECK(tl_stored_table_read(context, "turning/measure.csv", &t) == TALUS_OK)) {
    double seen = 0;
    for (int64_t i = 0; i < t.row_count; i++) {
      CHECK_CLOSE(value_of(&t, "tip_grains", i), 1, 0);
      CHECK_CLOSE(hypot(value_of(&t, "tip_velocity_x", i), value_of(&t, "tip_velocity_y", i)), 1,
                  0.01);
      CHECK_CLOSE(value_of(&t, "ring_grains", i), 1, 0);
      CHECK_CLOSE(value_of(&t, "ring_packing_fraction", i), ball / (pi * 0.04 * 0.04), 1e-9);
      CHECK_CLOSE(value_of(&t, "half_packing_fraction", i), ball / (2 * pi * 0.0525 * 0.04), 1e-6);
      seen += value_of(&t, "far_grains", i);
    }
    /* 6 cm of a circle of 0.3 m, passed at 1.5 m/s: four frames */
    CHECK_CASE(seen >= 3 && seen <= 5, "%g", seen);
    CHECK_CLOSE(value_of(&t, "far_grains", 31), 1, 0); /* a quarter of a turn */
  }
  tl_stored_table_release(&t);
}

static void refuse(talus_context *context, const char *measure, const char *words) {
  char text[1024];
  talus_scene *scene = NULL;
  snprintf(text, sizeof text,
           "walls: [{kind: plane, name: floor}]\noutput: {measure: [{name: first}, %s]}\n",
           measure);
  const talus_status status = scene_of(context, text, &scene);
  CHECK_CASE(status == TALUS_FILE_FORMAT && strstr(talus_context_message(context), words) != NULL,
             "%s\n  says %s", measure, talus_context_message(context));
  talus_scene_destroy(scene);
}

static void check_refusals(talus_context *context) {
  refuse(context, "{name: first}", "stands there twice");
  refuse(context, "{name: 'a b'}", "letters, digits");
  refuse(context, "{}", "name");
  refuse(context, "{name: a, kind: regin}", "region|plane");
  refuse(context, "{name: a, quantities: [stres]}", "stress");
  refuse(context, "{name: a, with: flor}", "did you mean floor");
  refuse(context, "{name: a, region: {lower: [0, 0, 0], upper: [1, 1, 0]}}", "below the upper");
  refuse(context, "{name: a, region: {lower: [0, 0, 0], upper: [1, 1, inf]}}", "finite");
  refuse(context,
         "{name: a, region: {lower: [0, 0, 0], upper: [1, 1, 1], without: [{kind: ball, centre: "
         "[0, 0, 0], radius: 1}]}}",
         "whole");
  refuse(context, "{name: a, kind: plane, point: [0, 0, 0], normal: [0, 0, 0]}", "length 0");
  refuse(context, "{name: a, kind: profile, along: radius}", "x, y or z");
  refuse(context,
         "{name: a, kind: profile, region: {kind: cylinder, centre: [0, 0, 0], radius: 1, height: "
         "1}}",
         "axis or radius");
  refuse(context, "{name: a, kind: profile, region: {kind: ball, centre: [0, 0, 0], radius: 1}}",
         "along radius");
  refuse(context, "{name: a, kind: radial}", "reach");
  refuse(context, "{name: a, kind: radial, reach: 1, region: {lower: [0, 0, 0], upper: [1, 1, 1]}}",
         "wants less than 0.5");
  refuse(context, "{name: a, kind: fields, width: 1}", "fields want a box");
  refuse(context, "{name: a, region: {kind: cell}}", "no periodic cell");
  refuse(context, "{name: a, kind: fields, region: {lower: [0, 0, 0], upper: [1, 1, 1]}}", "width");
  refuse(context,
         "{name: a, kind: fields, width: 0.5, region: {lower: [0, 0, 0], upper: [1, 1, 1]}}",
         "at most 0.166667 m");
}

/* The same from outside a scene, and directories without frames. */
static void check_calls(talus_context *context) {
  talus_measure_def def = talus_measure_def_default();
  int32_t frames = 7;
  const char *add[] = {"{name: a, with: nobody}"};
  def.directory = "nowhere";
  CHECK(talus_measure_run(context, &def, &frames) == TALUS_FILE_OPEN && frames == 0);
  def.directory = "bed";
  def.add = add;
  def.add_count = 1;
  CHECK(talus_measure_run(context, &def, NULL) == TALUS_FILE_FORMAT);
  CHECK(strstr(talus_context_message(context), "'nobody'") != NULL);
  add[0] = "a word";
  CHECK(talus_measure_run(context, &def, NULL) == TALUS_FILE_FORMAT);
  CHECK(strstr(talus_context_message(context), "is a map") != NULL);
  add[0] = "{name: a, widht: 3}";
  CHECK(talus_measure_run(context, &def, NULL) == TALUS_FILE_FORMAT);
  CHECK(strstr(talus_context_message(context), "--add {name: a") != NULL);
  add[0] = "{name: far, region: {lower: [9, 9, 9], upper: [10, 10, 10]}}";
  def.out = "far";
  CHECK(talus_measure_run(context, &def, NULL) == TALUS_OK); /* a warning; no numbers */
  def.begin = 5;
  CHECK(talus_measure_run(context, &def, NULL) == TALUS_FILE_OPEN);
  CHECK(strstr(talus_context_message(context), "they go from 0 s to 0.6 s") != NULL);
  def.every = 0;
  CHECK(talus_measure_run(context, &def, NULL) == TALUS_INVALID_ARGUMENT);
}

int main(void) {
  talus_context *context = NULL;
  const talus_context_def def = talus_context_def_default();
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  talus_scene *scene = NULL;
  if (scene_of(context, "", &scene) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  if (!CHECK(run(context, bed, "bed", 600, false) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
  }
  check_bed(context);
  check_after(context);
  check_fields(context);
  check_restart(context);
  check_moving(context);
  check_turning(context);
  check_cell(context);
  check_refusals(context);
  check_calls(context);
  talus_context_destroy(context);
  return check_end();
}
