/* place_restart.h: a world goes on from its own checkpoint to the bit. */
#ifndef TEST_PLACE_RESTART_H
#define TEST_PLACE_RESTART_H

#include <string.h>
#include <unistd.h>

#include "talus/talus_io.h"
#include "tests/world/place.h"

/* Reads the checkpoint of a world into another that was built alike, lets both go on for so many
 * steps, compares all bodies, destroys both. */
static inline void place_restart(talus_world *world, talus_world *other, int steps) {
  char folder[] = "restart-XXXXXX", path[512];
  CHECK(mkdtemp(folder) != NULL);
  MUST(talus_checkpoint_write(world, folder, 1));
  MUST(talus_checkpoint_newest(place_context, folder, path, sizeof path));
  MUST(talus_checkpoint_read(other, path));
  CHECK(remove(path) == 0 && rmdir(folder) == 0);
  place_run(world, steps);
  place_run(other, steps);
  for (int32_t i = talus_body_after(world, TALUS_NONE); i != TALUS_NONE;
       i = talus_body_after(world, i)) {
    const talus_body_state a = place_state(world, i), b = place_state(other, i);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
  }
  talus_world_destroy(world);
  talus_world_destroy(other);
}

#endif
