/* test_bonds.c: bonds of scene files: which bodies a section means, bonds that are made later,
 * columns, and the table of what broke, which a run in two pieces leaves as one. */
#include <stdbool.h>
#include <string.h>

#include "host/io/table.h"
#include "host/io/text_file.h"
#include "tests/check.h"
#include "tests/scene/scene_text.h"

#define BALLS                                                                                      \
  "materials: {clay: {}, steel: {}}\n"                                                             \
  "walls: [{kind: plane, name: floor, material: steel}]\n"                                         \
  "bodies: [{name: lid, type: fixed, radius: 1 cm, material: steel, position: [0, 0, 5.01 cm]}]\n" \
  "grains:\n"                                                                                      \
  "  - {name: low, kind: lattice, radius: 1 cm, gap: 0, counts: [3, 3, 1], material: clay,\n"      \
  "     region: {lower: [-1 cm, -1 cm, 0], upper: [inf, inf, inf]}}\n"                             \
  "  - {name: high, kind: lattice, radius: 1 cm, gap: 0, counts: [3, 3, 1], material: clay,\n"     \
  "     region: {lower: [-1 cm, -1 cm, 2.005 cm], upper: [inf, inf, inf]}}\n"

/* How many bonds a section makes; after so many steps. */
static int32_t bonds_of(talus_context *context, const char *section, int steps) {
  char text[2048];
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  snprintf(text, sizeof text, "%sbonds:\n  - {%s, young: 10 MPa}\n", BALLS, section);
  const talus_status status = world_of(context, text, &scene, &world);
  CHECK_CASE(status == TALUS_OK, "%s: %s", section, talus_context_message(context));
  for (int i = 0; status == TALUS_OK && i < steps; i++) {
    CHECK(talus_scene_tick(scene, world) == TALUS_OK && talus_world_step(world, NULL) == TALUS_OK);
  }
  const int32_t count = talus_world_bonds(world, NULL);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  return count;
}

static void selections(talus_context *context) {
  CHECK(bonds_of(context, "gap: 1 mm", 0) == 12 + 12 + 9); /* all grains */
  CHECK(bonds_of(context, "grains: [low]", 0) == 12);
  CHECK(bonds_of(context, "materials: [clay]", 0) == 12 + 12 + 9);
  CHECK(bonds_of(context, "grains: [low], bodies: [floor]", 0) == 12 + 9);
  CHECK(bonds_of(context, "grains: [high], bodies: [lid]", 0) == 12 + 1);
  CHECK(bonds_of(context, "grains: [low], time: 3 ms", 3) == 0);
  CHECK(bonds_of(context, "grains: [low], time: 3 ms", 4) == 12);
}

/* Two plates of balls that fall and break. */
static const char falling[] = BALLS
    "bonds:\n"
    "  - {grains: [high, low], young: 10 MPa, tensile_strength: 1 kPa, shear_strength: 1 kPa}\n"
    "output: {every: 4 ms}\n"
    "run: {time: 40 ms}\n";

/* Runs it up to a step; resume: goes on in the same directory. */
static void run(talus_context *context, const char *directory, int64_t last, bool resume) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  talus_record *record = NULL;
  talus_record_def def = talus_record_def_default();
  talus_step_report report = talus_step_report_default();
  def.directory = directory;
  def.force = 1;
  def.resume = resume ? directory : NULL;
  CHECK(talus_record_create(context, &def, &record) == TALUS_OK);
  CHECK(world_of(context, falling, &scene, &world) == TALUS_OK);
  CHECK(talus_record_resume(record, scene, world) == TALUS_OK);
  CHECK(talus_record_open(record, scene, world) == TALUS_OK);
  while (talus_world_steps(world) < last) {
    CHECK(talus_record_before_step(record, world) == TALUS_OK);
    CHECK(talus_scene_tick(scene, world) == TALUS_OK);
    for (int32_t id = talus_body_after(world, TALUS_NONE); id != TALUS_NONE;
         id = talus_body_after(world, id)) { /* ever more, one against the other */
      const double load[3] = {(id % 2 ? 0.05 : -0.05) * (double)talus_world_steps(world), 0, 0};
      CHECK(talus_body_force(world, id, load, NULL) == TALUS_OK);
    }
    CHECK(talus_world_step(world, &report) == TALUS_OK);
    if (talus_record_due(record, report.step) & TALUS_RECORD_FRAME) {
      CHECK(talus_record_frame(record, world, &report) == TALUS_OK);
    }
  }
  CHECK(talus_record_checkpoint(record, world, NULL) == TALUS_OK);
  CHECK(talus_record_close(record) == TALUS_OK);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

static void same_file(talus_context *context, const char *name) {
  char path[2][64];
  tl_text text[2];
  for (int i = 0; i < 2; i++) {
    snprintf(path[i], sizeof path[i], "%s/%s", i ? "pieces" : "whole", name);
    CHECK(tl_text_open(context, path[i], &text[i]) == TALUS_OK);
  }
  CHECK_CASE(text[0].size == text[1].size &&
                 memcmp(text[0].memory, text[1].memory, text[0].size) == 0,
             "%s", name);
  tl_text_close(&text[0]);
  tl_text_close(&text[1]);
}

static double last_of(const tl_stored_table *table, const char *name) {
  const int32_t column = tl_stored_table_find(table, name);
  CHECK_CASE(column >= 0, "no column %s", name);
  return table->value[(column + 1) * table->row_count - 1];
}

static void tables(talus_context *context) {
  tl_stored_table broken, scalars;
  run(context, "whole", 40, false);
  run(context, "pieces", 13, false);
  run(context, "pieces", 40, true);
  same_file(context, "broken.csv");
  same_file(context, "scalars.csv");
  same_file(context, "bonds-00000040.vtp");
  CHECK(tl_stored_table_read(context, "whole/broken.csv", &broken) == TALUS_OK);
  CHECK(tl_stored_table_read(context, "whole/scalars.csv", &scalars) == TALUS_OK);
  const double count = (double)broken.row_count;
  CHECK_CASE(count > 3 && last_of(&scalars, "bonds_broken") == count &&
                 last_of(&scalars, "bonds") == 33 - count,
             "%g broken, told are %g, left %g", count, last_of(&scalars, "bonds_broken"),
             last_of(&scalars, "bonds"));
  CHECK(last_of(&broken, "load") > 1 && last_of(&broken, "time") <= 0.04);
  tl_stored_table_release(&broken);
  tl_stored_table_release(&scalars);
}

int main(void) {
  talus_context *context = NULL;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  if (!CHECK(talus_context_create(&def, &context) == TALUS_OK)) {
    return check_end();
  }
  talus_scene *scene = NULL;
  if (scene_of(context, "title: any\n", &scene) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  talus_scene_destroy(scene);
  selections(context);
  tables(context);
  talus_context_destroy(context);
  return check_end();
}
