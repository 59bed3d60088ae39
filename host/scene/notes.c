/* notes.c: what a scene knows of bodies by their ids: how large they are, which came through
 * inlets.
 *
 * Lists in the order of ids. What is gone is forgotten when it makes up most of a list, so that
 * they grow with the bodies that exist. */
#include <string.h>

#include "host/scene/build.h"

/* The first note whose id is not smaller. */
static int32_t radius_from(const talus_scene *scene, int32_t body) {
  int32_t low = 0, high = scene->radius_count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (scene->radius[middle].body < body) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static talus_status radii_grow(talus_scene *scene) {
  if (scene->radius_count < scene->radius_capacity) {
    return TALUS_OK;
  }
  const int32_t wanted = scene->radius_capacity > 0 ? 2 * scene->radius_capacity : 1024;
  void *memory = NULL;
  TL_TRY(
      tl_alloc(scene->context, &memory, (size_t)wanted, sizeof *scene->radius, "sizes of bodies"));
  if (scene->radius_count > 0) {
    memcpy(memory, scene->radius, (size_t)scene->radius_count * sizeof *scene->radius);
  }
  tl_free(scene->context, scene->radius);
  scene->radius = memory;
  scene->radius_capacity = wanted;
  return TALUS_OK;
}

talus_status tl_scene_note_radius(talus_scene *scene, int32_t body, double radius) {
  const int32_t at = radius_from(scene, body);
  if (at == scene->radius_count || scene->radius[at].body != body) {
    TL_TRY(radii_grow(scene));
    memmove(scene->radius + at + 1, scene->radius + at,
            (size_t)(scene->radius_count - at) * sizeof *scene->radius);
    memset(&scene->radius[at], 0, sizeof *scene->radius);
    scene->radius[at].body = body;
    scene->radius_count++;
  }
  scene->radius[at].radius = radius;
  return TALUS_OK;
}

double talus_scene_body_radius(const talus_scene *scene, int32_t body) {
  if (scene == NULL) {
    return 0;
  }
  const int32_t at = radius_from(scene, body);
  return at < scene->radius_count && scene->radius[at].body == body ? scene->radius[at].radius : 0;
}

void tl_scene_forget(talus_scene *scene, const talus_world *world) {
  const int32_t bodies = talus_body_count(world);
  const int32_t most = bodies < INT32_MAX / 4 ? 2 * bodies + 256 : INT32_MAX;
  int32_t kept = 0;
  if (scene->radius_count > most) {
    for (int32_t i = 0; i < scene->radius_count; i++) {
      if (talus_body_exists(world, scene->radius[i].body)) {
        scene->radius[kept++] = scene->radius[i];
      }
    }
    scene->radius_count = kept;
  }
  if (scene->added_count > most) {
    kept = 0;
    for (int32_t i = 0; i < scene->added_count; i++) {
      if (talus_body_exists(world, scene->added[i].body)) {
        scene->added[kept++] = scene->added[i];
      }
    }
    scene->added_count = kept;
  }
}
