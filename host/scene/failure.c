/* failure.c: builds the contact problem of a failed step once more, or of the next one, and writes
 * it. */
#include "host/scene/failure.h"

#include "host/world/problem_build.h"
#include "talus/talus_io.h"

talus_status tl_failure_write(talus_world *world, const char *path) {
  const double dt = world->def.step / (double)world->def.substeps;
  tl_step_arrays arrays;
  talus_problem problem;
  void *memory = NULL;
  tl_motion_apply(world, dt);
  TL_TRY(tl_contacts_find(world, dt));
  TL_TRY(tl_step_arrays_take(world, &arrays));
  TL_TRY(tl_alloc(world->context, &memory, 6 * (size_t)world->body_count, sizeof(double),
                  "velocities"));
  tl_velocity_free(world, dt, memory);
  tl_step_problem(world, dt, memory, &arrays, &problem);
  const talus_status status = talus_problem_write(world->context, path, &problem, NULL);
  tl_free(world->context, memory);
  return status;
}
