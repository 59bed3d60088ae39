/* scene_text.h: scenes from texts, for tests. */
#ifndef TL_SCENE_TEXT_H
#define TL_SCENE_TEXT_H

#include "host/scene/scene.h"

/* Writes the text to scene.yaml of the current folder and reads it. */
talus_status scene_of(talus_context *context, const char *text, talus_scene **scene);
/* The same, and makes its world. */
talus_status world_of(talus_context *context, const char *text, talus_scene **scene,
                      talus_world **world);
/* A file of the source tree, by its path from the root; belongs to the function. */
const char *source_path(const char *path);

#endif
