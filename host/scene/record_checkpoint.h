/* record_checkpoint.h: the arrays of a checkpoint: those of the world, and the scene's own. */
#ifndef TL_RECORD_CHECKPOINT_H
#define TL_RECORD_CHECKPOINT_H

#include "host/io/packing.h"
#include "host/io/world_checkpoint.h"
#include "host/scene/scene.h"

/* The array with the step of the last line of the table, in a run's checkpoint. */
#define TL_CHECKPOINT_LAST_LINE "output/last_line"

/* What a checkpoint holds, in memory. All zero before its first use. */
typedef struct tl_checkpoint_copy {
  tl_world_copy world;
  tl_buffer scene;      /* the scene's own state ... */
  size_t scene_size;    /* ... in bytes */
  tl_body_list packing; /* the free bodies with their shapes, for other scenes */
  int64_t last_line;    /* the step of the last line of the run's table, or -1 */
} tl_checkpoint_copy;

/* Takes a copy, with last_line -1; the room of an earlier one is used again. Status: OUT_OF_MEMORY.
 */
talus_status tl_checkpoint_take(const talus_scene *scene, const talus_world *world,
                                tl_checkpoint_copy *copy);
/* Writes it, as tl_checkpoint_commit does. */
talus_status tl_checkpoint_write(const talus_scene *scene, const tl_checkpoint_copy *copy,
                                 const char *directory, int32_t keep);
void tl_checkpoint_release(talus_context *context, tl_checkpoint_copy *copy);

#endif
