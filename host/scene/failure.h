/* failure.h: what is kept of a step that could not be solved, or that is to be looked at. */
#ifndef TL_SCENE_FAILURE_H
#define TL_SCENE_FAILURE_H

#include "talus/talus_world.h"

/* Writes the contact problem of the step that failed, or else of the next one, for `talus solve`:
 * FCLIB HDF5, *.dat Siconos text. To be called right after a step; the world is of no use for
 * further steps then. Statuses: those of talus_problem_write. */
talus_status tl_failure_write(talus_world *world, const char *path);

/* From now on contact solves are written as talus_settings.dump says; the path, as that of
 * talus_settings.dump_path, must live as long as the world. Statuses: those of talus_solver_set. */
talus_status tl_failure_watch(talus_world *world, talus_dump dump, const char *path);

#endif
