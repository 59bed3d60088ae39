/* scene_text.c: scenes from texts. */
#include "tests/scene/scene_text.h"

#include <stdio.h>
#include <string.h>

talus_status scene_of(talus_context *context, const char *text, talus_scene **scene) {
  FILE *file = fopen("scene.yaml", "wb");
  *scene = NULL;
  if (file == NULL) {
    return TALUS_FILE_WRITE;
  }
  fwrite(text, 1, strlen(text), file);
  fclose(file);
  return talus_scene_read(context, "scene.yaml", NULL, 0, scene);
}

talus_status world_of(talus_context *context, const char *text, talus_scene **scene,
                      talus_world **world) {
  *world = NULL;
  const talus_status status = scene_of(context, text, scene);
  return status == TALUS_OK ? talus_scene_build(*scene, world) : status;
}

const char *source_path(const char *path) {
  static char full[1024];
  snprintf(full, sizeof full, "%s/%s", TL_SOURCE, path);
  return full;
}
