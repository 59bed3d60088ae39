/* test_precision_planted.cu: what `precision: auto` is on devices with quick and with slow double
 * precision, as the emulated run time tells them. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "talus/talus_world.h"
#include "tests/check.h"

namespace {

/* What a step of two balls that touch was made in. */
talus_precision step_precision(talus_context *context, talus_precision wanted, double tolerance) {
  talus_world_def def = talus_world_def_default();
  talus_body_def ball = talus_body_def_default();
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  talus_material_def material = talus_material_def_default();
  talus_step_report report = talus_step_report_default();
  talus_world *world = NULL;
  CHECK(def.solver.precision == TALUS_PRECISION_AUTO);
  def.solver.precision = wanted;
  def.tolerance = tolerance;
  CHECK(talus_world_create(context, &def, &world) == TALUS_OK);
  CHECK(talus_material_add(world, &material, &shape.material) == TALUS_OK);
  shape.radius = 0.01;
  for (int i = 0; i < 2; i++) {
    int32_t body;
    ball.position[2] = 0.0199 * i;
    CHECK(talus_body_add(world, &ball, &body) == TALUS_OK);
    CHECK(talus_shape_add(world, body, &shape, NULL) == TALUS_OK);
  }
  CHECK(talus_world_step(world, &report) == TALUS_OK);
  CHECK(report.contact_count == 1 && report.resident == 1);
  talus_world_destroy(world);
  return report.precision;
}

void device_check(bool slow) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  const talus_precision expected = slow ? TALUS_F32 : TALUS_F64;
  def.backend = TALUS_BACKEND_CUDA;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  CHECK(talus_precision_auto(context) == expected);
  CHECK(talus_precision_auto(NULL) == TALUS_F64);
  CHECK(step_precision(context, TALUS_PRECISION_AUTO, 1e-4) == expected);
  CHECK(step_precision(context, TALUS_PRECISION_AUTO, 1e-8) == TALUS_F64);
  CHECK(step_precision(context, TALUS_F64, 1e-4) == TALUS_F64);
  CHECK(step_precision(context, TALUS_F32, 1e-4) == TALUS_F32);
  talus_context_destroy(context);
}

} // namespace

/* A process for each device: the emulation reads its settings once. */
int main() {
  for (int slow = 0; slow < 2; slow++) {
    int status = 1;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      setenv("EMU_DOUBLE_RATIO", slow ? "64" : "2", 1);
      device_check(slow != 0);
      exit(check_end());
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  }
  return check_end();
}
