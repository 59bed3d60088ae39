/* world_checkpoint.h: the state of a world as arrays of a checkpoint.
 *
 * Public: talus_checkpoint_write, talus_checkpoint_newest, talus_checkpoint_read (talus_io.h). A
 * scene's checkpoint holds the same arrays, and those of the scene beside them. */
#ifndef TL_WORLD_CHECKPOINT_H
#define TL_WORLD_CHECKPOINT_H

#include "host/io/checkpoint.h"
#include "host/world/state.h"

/* The kind of the checkpoints of worlds, with and without a scene. */
#define TL_CHECKPOINT_WORLD "world"

/* A copy of a world's state. All zero before its first use. */
typedef struct tl_world_copy {
  tl_world_state state; /* its arrays stand in memory */
  tl_buffer memory;
} tl_world_copy;

/* Copies the state; the memory of an earlier copy is used again. Status: OUT_OF_MEMORY. */
talus_status tl_world_copy_take(const talus_world *world, tl_world_copy *copy);
void tl_world_copy_release(talus_context *context, tl_world_copy *copy);

/* Adds the arrays of a copy to a checkpoint. Statuses: those of tl_checkpoint_put_doubles. */
talus_status tl_world_copy_put(tl_checkpoint_writer *writer, const tl_world_copy *copy);
/* Loads a world that was built again. Statuses: FILE_FORMAT (damaged, or of another world),
 * NOT_FINITE, OUT_OF_MEMORY. */
talus_status tl_world_checkpoint_load(talus_world *world, tl_checkpoint *checkpoint);

/* Copies a path to the caller's memory. Status: INVALID_ARGUMENT (too little room). */
talus_status tl_checkpoint_path_copy(talus_context *context, const char *found, char *path,
                                     size_t capacity);

#endif
