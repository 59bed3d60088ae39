/* test_memory.c: measuring with an allocator that fails at call 1, 2, 3 ...: each failure is told
 * as such and leaks nothing; during a run and after it. */
#include <stdbool.h>

#include "tests/check.h"
#include "tests/scarce.h"
#include "tests/scene/scene_text.h"

/* A few beads at rest, and all that can be measured of them. */
static const char beads[] =
    "walls: [{kind: plane, name: floor}]\n"
    "grains: [{kind: lattice, radius: 10 cm, counts: [3, 3, 2], "
    "region: {lower: [-1, -1, 0], upper: [1, 1, 1]}}]\n"
    "output:\n"
    "  every: 1 ms\n"
    "  measure:\n"
    "    - {name: all}\n"
    "    - {kind: profile, name: height, bins: 3}\n"
    "    - {kind: plane, name: gate, point: [0, 0, 0.2], with: floor}\n"
    "    - {kind: radial, name: g, reach: 0.3, bins: 5}\n"
    "    - {kind: forces, name: f, bins: 5}\n"
    "    - {kind: fields, name: cg, width: 0.1, region: {lower: [-1, -1, 0], upper: [1, 1, 1]}, "
    "spacing: 0.5}\n"
    "run: {time: 3 ms}\n";

static talus_status run(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  talus_record *record = NULL;
  talus_record_def def = talus_record_def_default();
  def.directory = "beads";
  def.force = 1;
  talus_status status = talus_record_create(context, &def, &record);
  status = status == TALUS_OK ? world_of(context, beads, &scene, &world) : status;
  status = status == TALUS_OK ? talus_record_open(record, scene, world) : status;
  status = status == TALUS_OK ? talus_record_frame(record, world, NULL) : status;
  for (int i = 0; i < 3 && status == TALUS_OK; i++) {
    talus_step_report report = talus_step_report_default();
    status = talus_world_step(world, &report);
    status = status == TALUS_OK ? talus_record_frame(record, world, &report) : status;
  }
  const talus_status closed = talus_record_close(record);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  return status == TALUS_OK ? closed : status;
}

static talus_status measure(talus_context *context) {
  talus_measure_def def = talus_measure_def_default();
  def.directory = "beads";
  return talus_measure_run(context, &def, NULL);
}

/* stride: not every call of a long row is tried. */
static void starve(talus_status (*work)(talus_context *), int64_t stride, const char *what) {
  int64_t failed = 0;
  for (int64_t at = 1; at < 100000; at += stride) {
    scarce s = {.requests = 0};
    talus_context *const context = scarce_context(&s);
    s.requests = 0;
    s.fail_at = at;
    const talus_status status = work(context);
    const bool reached = s.requests >= at;
    CHECK_CASE(status == TALUS_OUT_OF_MEMORY || (status == TALUS_OK && !reached),
               "%s, request %lld: status %d, %s", what, (long long)at, (int)status,
               talus_context_message(context));
    talus_context_destroy(context);
    CHECK_CASE(s.held == 0, "%s, request %lld: %lld pieces are kept", what, (long long)at,
               (long long)s.held);
    failed += reached;
    if (!reached) {
      break;
    }
  }
  CHECK(failed > 20);
}

int main(void) {
  scarce s = {.requests = 0};
  talus_context *const context = scarce_context(&s);
  talus_scene *scene = NULL;
  if (scene_of(context, "", &scene) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  if (!CHECK(run(context) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
  }
  talus_context_destroy(context);
  starve(measure, 3, "after a run");
  starve(run, 29, "during a run");
  return check_end();
}
