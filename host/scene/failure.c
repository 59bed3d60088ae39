/* failure.c: builds the contact problem of a failed step once more, or of the next one, and writes
 * it; or has the solver write them as they come. */
#include "host/scene/failure.h"

#include "host/world/links.h"
#include "talus/talus_io.h"

talus_status tl_failure_write(talus_world *world, const char *path) {
  const double dt = world->def.step / (double)world->def.substeps;
  tl_step_arrays arrays;
  talus_problem problem;
  void *memory = NULL;
  tl_motion_apply(world, dt);
  TL_TRY(tl_contacts_find(world, dt));
  TL_TRY(tl_step_arrays_take(world, &arrays));
  const size_t size = tl_velocity_size(world);
  TL_TRY(tl_alloc(world->context, &memory, 2 * size, sizeof(double), "velocities"));
  double *const before = memory, *const free = before + size;
  tl_velocities_read(world, before);
  tl_velocity_free(world, dt, free);
  talus_status status = tl_links_free(world, dt, free);
  if (status == TALUS_OK) {
    status = tl_step_problem(world, dt, free, &arrays, &problem);
    problem.velocity_scale = tl_velocity_scale(world, dt, before, free);
  }
  if (status == TALUS_OK) {
    status = tl_cohesion_begin(world, dt, &arrays, &problem);
  }
  if (status == TALUS_OK && world->mechanism_count > 0) {
    talus_problem rigid = problem;
    status = tl_links_translate(world, &rigid, &arrays, &problem);
  }
  if (status == TALUS_OK) {
    status = talus_problem_write(world->context, path, &problem, NULL);
  }
  tl_free(world->context, memory);
  return status;
}

talus_status tl_failure_watch(talus_world *world, talus_dump dump, const char *path) {
  talus_settings watched = world->def.solver;
  watched.dump = dump;
  watched.dump_path = path;
  TL_TRY(talus_solver_set(world->solver, &watched));
  world->def.solver = watched;
  return TALUS_OK;
}
