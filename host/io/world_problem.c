/* world_problem.c: builds the contact problem of a world's next step and writes it, or has the
 * solver write the problems as they come. */
#include "host/world/links.h"
#include "host/world/spread.h"
#include "talus/talus_io.h"

static talus_status problem_write(talus_world *world, const char *path) {
  const double dt = world->def.step / (double)world->def.substeps;
  tl_step_arrays arrays;
  talus_problem problem;
  void *memory = NULL;
  const size_t size = tl_velocity_size(world);
  TL_TRY(tl_alloc(world->context, &memory, 2 * size, sizeof(double), "velocities"));
  double *const before = memory, *const free = before + size;
  tl_velocities_begin(world, dt, before);
  talus_status status = tl_contacts_find(world, dt, NULL);
  status = status == TALUS_OK ? tl_contacts_read(world) : status;
  tl_velocity_free(world, dt, free);
  if (status == TALUS_OK) {
    status = tl_links_free(world, dt, free);
  }
  if (status == TALUS_OK) {
    status = tl_problem_build(world, dt, before, free, &arrays, &problem);
  }
  if (status == TALUS_OK && world->mechanism_count > 0) {
    talus_problem rigid = problem;
    status = tl_links_translate(world, &rigid, &arrays, &problem);
  }
  if (status == TALUS_OK && tl_ranks_first(world->context)) {
    status = talus_problem_write(world->context, path, &problem, NULL);
  }
  tl_free(world->context, memory);
  return status;
}

talus_status talus_world_problem_write(talus_world *world, const char *path) {
  if (world == NULL || path == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_context_enter(world->context));
  tl_gaps_close(world);
  tl_links_sync(world);
  talus_status status = tl_world_edit(world);
  status = status == TALUS_OK ? tl_world_save(world) : status;
  if (status == TALUS_OK) {
    status = problem_write(world, path);
    const talus_status restored = tl_world_restore(world);
    status = status != TALUS_OK ? status : restored;
    world->step_saved = false;
  }
  status = tl_ranks_settle(world->context, status);
  tl_context_leave(world->context);
  return status;
}

talus_status talus_world_dump(talus_world *world, talus_dump dump, const char *path) {
  if (world == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  talus_settings watched = world->def.solver;
  watched.dump = dump;
  TL_TRY(tl_spread_check(world->context, &watched));
  return tl_world_dump_take(world, dump, path);
}
