/* record_checkpoint.h: the arrays of a checkpoint: those of the world, and the scene's own. */
#ifndef TL_RECORD_CHECKPOINT_H
#define TL_RECORD_CHECKPOINT_H

#include "host/scene/scene.h"

talus_status tl_checkpoint_save(const talus_scene *scene, const talus_world *world,
                                const char *directory, int32_t keep);

#endif
