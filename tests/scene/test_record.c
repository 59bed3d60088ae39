/* test_record.c: the directory of a run that could not be opened is opened once nothing is in its
 * way; what stands there is left as it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "talus/talus_io.h"
#include "tests/check.h"
#include "tests/scene/scene_text.h"

static const char text[] = "world: {step: 1 ms}\nbodies:\n  - {radius: 1 cm}\n"
                           "output: {measure: [{name: m, region: {lower: [0, 0, 0], upper: [1, 1, "
                           "1]}}]}\nrun: {time: 10 ms}\n";

typedef struct parts {
  talus_scene *scene;
  talus_world *world;
  talus_record *record;
} parts;

static parts begin(talus_context *context, const char *directory) {
  talus_record_def def = talus_record_def_default();
  parts p = {NULL, NULL, NULL};
  def.directory = directory;
  def.force = 1;
  CHECK(talus_record_create(context, &def, &p.record) == TALUS_OK);
  if (!CHECK(world_of(context, text, &p.scene, &p.world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
  }
  return p;
}

static void end(parts p) {
  CHECK(talus_record_close(p.record) == TALUS_OK);
  talus_world_destroy(p.world);
  talus_scene_destroy(p.scene);
}

/* It is open, and once is enough. */
static void check_opens(parts p) {
  talus_step_report report = talus_step_report_default();
  CHECK(talus_record_open(p.record, p.scene, p.world) == TALUS_OK);
  CHECK(talus_record_open(p.record, p.scene, p.world) == TALUS_CALL_ORDER);
  CHECK(talus_record_frame(p.record, p.world, &report) == TALUS_OK);
}

/* A file stands in the directory's place. */
static void check_file(talus_context *context) {
  fclose(fopen("record_file", "w"));
  parts p = begin(context, "record_file");
  CHECK(talus_record_open(p.record, p.scene, p.world) == TALUS_FILE_WRITE);
  CHECK(unlink("record_file") == 0);
  check_opens(p);
  end(p);
}

/* Another record writes there. */
static void check_busy(talus_context *context) {
  parts first = begin(context, "record_busy"), second = begin(context, "record_busy");
  check_opens(first);
  CHECK(talus_record_open(second.record, second.scene, second.world) == TALUS_BUSY);
  end(first);
  check_opens(second);
  end(second);
}

/* Some files were open when the last one could not be. */
static void check_table(talus_context *context) {
  mkdir("record_table", 0777);
  mkdir("record_table/measure.csv", 0777);
  parts p = begin(context, "record_table");
  CHECK(talus_record_open(p.record, p.scene, p.world) == TALUS_FILE_WRITE);
  CHECK(rmdir("record_table/measure.csv") == 0);
  check_opens(p);
  end(p);
}

/* What the run is made from is not deleted to make room for it. */
static void check_read(talus_context *context) {
  CHECK(system("rm -rf record_read && mkdir record_read && touch record_read/scalars.csv") == 0);
  parts p = begin(context, "record_read");
  CHECK(link("scene.yaml", "record_read/scene.yaml") == 0);
  CHECK(talus_record_open(p.record, p.scene, p.world) == TALUS_FILE_WRITE);
  CHECK_CASE(strstr(talus_context_message(context), "made from it") != NULL, "%s",
             talus_context_message(context));
  CHECK(access("record_read/scalars.csv", F_OK) == 0);
  CHECK(unlink("record_read/scene.yaml") == 0);
  check_opens(p);
  end(p);
}

int main(void) {
  talus_context *context = NULL;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  talus_scene *scene = NULL;
  if (scene_of(context, "", &scene) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  talus_scene_destroy(scene);
  CHECK(system("rm -rf record_file record_busy record_table") == 0); /* of an earlier run */
  check_file(context);
  check_busy(context);
  check_table(context);
  check_read(context);
  talus_context_destroy(context);
  return check_end();
}
