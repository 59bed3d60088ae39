/* talus_scene.h: a world from a scene file (docs/reference/scene.md), to be stepped by the caller.
 *
 *   talus_scene_read, talus_scene_build, then as often as wanted talus_scene_tick, talus_world_step
 *
 * All random numbers come from the file's seed: equal files and overrides give equal worlds. */
#ifndef TALUS_SCENE_H
#define TALUS_SCENE_H

#include "talus_world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct talus_scene talus_scene;

/* Reads and checks a file. overrides: override_count texts "key.key=value" as `talus run --set`
 * takes them, or NULL if there are none. Statuses: INVALID_ARGUMENT, FILE_OPEN, FILE_FORMAT (the
 * message begins with file:line:column), UNSUPPORTED (built without libyaml), OUT_OF_MEMORY; *scene
 * is NULL then. */
TALUS_API talus_status talus_scene_read(talus_context *context, const char *path,
                                        const char *const *overrides, int32_t override_count,
                                        talus_scene **scene);
/* Accepts NULL. The world stays. */
TALUS_API void talus_scene_destroy(talus_scene *scene);

/* Makes the world, to be destroyed by the caller. Where bodies overlap, the key world.overlap
 * decides. A scene serves one world at a time: building again starts its inlets anew. Statuses:
 * FILE_FORMAT (place in the file and reason), those of talus_world.h. On failure *world is NULL. */
TALUS_API talus_status talus_scene_build(talus_scene *scene, talus_world **world);
/* What happens between steps: inlets, outlets, motors, forces, bodies that are taken away. To be
 * called before every step. Statuses: those of talus_world.h. */
TALUS_API talus_status talus_scene_tick(talus_scene *scene, talus_world *world);

/* When the file says that a run ends, s. */
TALUS_API double talus_scene_end(const talus_scene *scene);
/* The body of that name (sections bodies and walls; "mechanism.link"), or TALUS_NONE. */
TALUS_API int32_t talus_scene_body_find(const talus_scene *scene, const char *name);
/* The mechanism of that name in the built world, for talus_world_mechanism; or TALUS_NONE. */
TALUS_API int32_t talus_scene_mechanism_find(const talus_scene *scene, const char *name);
/* Of the ball about the centre of mass that holds the body, m; INFINITY for walls. */
TALUS_API double talus_scene_body_radius(const talus_scene *scene, int32_t body);
/* Grains made by inlets and removed by outlets so far. */
TALUS_API int64_t talus_scene_added(const talus_scene *scene);
TALUS_API int64_t talus_scene_removed(const talus_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
