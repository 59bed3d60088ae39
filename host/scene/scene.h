/* scene.h: scene files: YAML in, calls of talus_world.h out.
 *
 * read: file and overrides to a checked definition. build: a world with everything in it. tick:
 * what happens between steps (inlets, outlets, forces, bodies that are taken away). All random
 * numbers come from the world's seed: equal files give equal worlds. */
#ifndef TL_SCENE_H
#define TL_SCENE_H

#include "host/scene/definition.h"

typedef struct tl_scene tl_scene;

/* overrides: texts "key.key=value", or NULL. Statuses: FILE_OPEN, FILE_FORMAT (the message begins
 * with file:line:column), UNSUPPORTED (built without libyaml), OUT_OF_MEMORY. */
talus_status tl_scene_read(talus_context *context, const char *path, const char *const *overrides,
                           int32_t override_count, tl_scene **scene);
void tl_scene_destroy(tl_scene *scene); /* accepts NULL */

talus_context *tl_scene_context(const tl_scene *scene);
const char *tl_scene_path(const tl_scene *scene);
/* What the file says; belongs to the scene. */
const tl_scene_definition *tl_scene_says(const tl_scene *scene);
/* A number that changes with everything but the sections title, output and run. */
uint64_t tl_scene_hash(const tl_scene *scene);

/* Makes the world. Where bodies overlap, the key world.overlap decides. A scene builds one world;
 * building again starts its inlets anew. Statuses: FILE_FORMAT (place in the file and reason),
 * those of talus_world.h. On failure *world is NULL. */
talus_status tl_scene_build(tl_scene *scene, talus_world **world);

/* The body of that name (section bodies or walls), or TALUS_NONE. */
int32_t tl_scene_body_find(const tl_scene *scene, const char *name);
/* Of the ball about the centre of mass that holds the body, m; INFINITY for walls. */
double tl_scene_body_radius(const tl_scene *scene, int32_t body);
/* Grains made by inlets and removed by outlets so far. */
int64_t tl_scene_added(const tl_scene *scene);
int64_t tl_scene_removed(const tl_scene *scene);

/* To be called before every step. Statuses: those of talus_world.h. */
talus_status tl_scene_tick(tl_scene *scene, talus_world *world);

/* What tick remembers, as bytes for a checkpoint. set adds the grains of the inlets to a world that
 * was just built, in the old order; their positions come with the world's own state, to be loaded
 * next. Status of set: FILE_FORMAT (not the state of this scene). */
size_t tl_scene_state_size(const tl_scene *scene);
void tl_scene_state_get(const tl_scene *scene, uint8_t *bytes);
talus_status tl_scene_state_set(tl_scene *scene, talus_world *world, const uint8_t *bytes,
                                size_t size);

#endif
