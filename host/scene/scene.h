/* scene.h: what the program and the recorder see of a scene beside talus_scene.h. */
#ifndef TL_SCENE_H
#define TL_SCENE_H

#include "host/scene/definition.h"
#include "host/scene/tree.h"
#include "talus/talus_scene.h"

#define TL_SCENE_STEPS 9e15 /* the most that a run has: all of them are whole numbers in a double */

talus_context *tl_scene_context(const talus_scene *scene);
const char *tl_scene_path(const talus_scene *scene);
/* What the file says; belongs to the scene. */
const tl_scene_definition *tl_scene_def(const talus_scene *scene);
/* A number that changes with everything but the sections title, output and run, and with what robot
 * files say; mesh files count below. */
uint64_t tl_scene_hash(const talus_scene *scene);
/* Whether that number differs from that of the scene in another file, and by which key; false also
 * if the file cannot be read as one. */
bool tl_scene_differs(talus_scene *scene, const char *path, tl_tree_difference *found);
/* Sets `folder`, so that files with relative names are found from a copy of the scene in a run's
 * directory. */
talus_status tl_scene_settle(talus_scene *scene, const char *directory);
/* Writes the scene as YAML with its overrides in it; false: there are none, and the file has all.
 */
bool tl_scene_write(const talus_scene *scene, FILE *stream);
/* The same for mesh files, one number for each wall and each mechanism of the built scene; 0: it
 * has no such file. hash may be NULL. Returns how many. */
int32_t tl_scene_meshes(const talus_scene *scene, int64_t *hash);
/* FILE_FORMAT: the mesh of number `index` is not what it was. */
talus_status tl_scene_mesh_fail(const talus_scene *scene, int32_t index);

/* Names of its materials, each ended by a newline, in memory from tl_alloc, the caller's. */
talus_status tl_scene_material_names(const talus_scene *scene, char **names);
/* The checkpoint that it begins from (talus_scene_from), or NULL. */
const char *tl_scene_from_path(const talus_scene *scene);
/* The present stage, from 0. */
int32_t tl_scene_stage_index(const talus_scene *scene);

/* The state that tick keeps, as bytes for a checkpoint. set adds the grains of the inlets to a
 * world that was just built, in the old order; their positions come with the world's own state, to
 * be loaded next. Status of set: FILE_FORMAT (not the state of this scene). */
size_t tl_scene_state_size(const talus_scene *scene);
void tl_scene_state_get(const talus_scene *scene, uint8_t *bytes);
talus_status tl_scene_state_set(talus_scene *scene, talus_world *world, const uint8_t *bytes,
                                size_t size);

#endif
