/* packing.c: bodies that are not generated: of a table (grains of kind packing), and of the
 * checkpoint that a scene begins from. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/io/world_checkpoint.h"
#include "host/math/lattice.h"
#include "host/math/vector.h"
#include "host/ranks/agree.h"
#include "host/scene/occupancy.h"

/* Of the ball about a body's position that holds its shapes. */
static double radius_of(const tl_body_list *packing, const tl_packing_body *body) {
  double most = 0;
  for (int32_t s = 0; s < body->shape_count; s++) {
    const tl_packing_shape *const shape = &packing->shape[body->first_shape + s];
    double own = shape->kind == TALUS_SHAPE_BOX        ? tl_norm3(shape->half_edge)
                 : shape->kind == TALUS_SHAPE_CAPSULE  ? shape->radius + shape->half_length
                 : shape->kind == TALUS_SHAPE_CYLINDER ? hypot(shape->radius, shape->half_length)
                                                       : shape->radius;
    for (int32_t k = 0; k < shape->point_count; k++) {
      own = fmax(own, tl_norm3(packing->point + 3 * ((int64_t)shape->first_point + k)));
    }
    most = fmax(most, own + tl_norm3(shape->position));
  }
  return most;
}

/* A checkpoint has bodies of a material that the scene has not: nothing of the scene is wrong by
 * itself, so that the checkpoint is named, with what it has. */
static talus_status missing_material(const talus_scene *scene, const char *missing) {
  char list[300] = "", near[96];
  size_t used = 0;
  for (const char *at = scene->from.materials; at != NULL && *at != '\0' && used < sizeof list;) {
    const int length = (int)strcspn(at, "\n");
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", used > 0 ? ", " : "",
                             length, at);
    at += length + (at[length] != '\0');
  }
  return tl_fail(scene->context, TALUS_FILE_FORMAT,
                 "%.300s: bodies of the checkpoint are of the material '%.60s', which the scene "
                 "has not%s; the checkpoint has the materials %s",
                 scene->from_path, missing,
                 tl_names_suggest(&scene->materials, missing, near, sizeof near), list);
}

/* Materials of the packing's shapes by their names in the scene. own: for all, or NULL. */
static talus_status find_materials(const talus_scene *scene, const tl_body_list *packing,
                                   const tl_item *item, const char *own, int32_t *material) {
  const int32_t count = tl_packing_material_count(packing);
  for (int32_t m = 0; m < count; m++) {
    material[m] = -1;
  }
  for (int32_t i = 0; i < packing->shape_count; i++) {
    const int32_t m = packing->shape[i].material;
    char name[64];
    if (material[m] >= 0) {
      continue;
    }
    const char *const known = tl_packing_material(packing, m, name, sizeof name);
    if (packing == &scene->from && known != NULL && scene->materials.count > 0 &&
        tl_names_find(&scene->materials, known) < 0) {
      return missing_material(scene, known);
    }
    TL_TRY(tl_material_find(scene, item, own != NULL ? own : known, &material[m]));
  }
  return TALUS_OK;
}

static talus_status add(talus_scene *scene, talus_world *world, const tl_body_list *packing,
                        const tl_item *item, const char *own, talus_body_type type,
                        tl_occupancy *occupancy) {
  const size_t materials = (size_t)tl_packing_material_count(packing);
  tl_buffer memory = {NULL, 0};
  TL_TRY(tl_buffer_reserve(scene->context, &memory, materials + (size_t)packing->body_count + 1,
                           sizeof(int32_t), "bodies of a packing"));
  int32_t *const material = memory.memory, *const body = material + materials;
  talus_status status = find_materials(scene, packing, item, own, material);
  if (status == TALUS_OK) {
    status = tl_packing_add(packing, world, type, material, body);
  }
  for (int32_t i = 0; i < packing->body_count && status == TALUS_OK; i++) {
    status = tl_scene_note_radius(scene, body[i], radius_of(packing, &packing->body[i]));
    if (status == TALUS_OK && occupancy != NULL) {
      status = tl_occupancy_add(occupancy, body[i]);
    }
  }
  tl_buffer_release(scene->context, &memory);
  return status;
}

talus_status tl_packing_emit(talus_scene *scene, talus_world *world, const tl_scene_grains *grains,
                             tl_occupancy *occupancy) {
  const tl_node *const file = tl_tree_find(grains->item.node, "file");
  char path[1024];
  tl_body_list packing;
  snprintf(path, sizeof path, "%s%s", grains->file[0] == '/' ? "" : scene->folder, grains->file);
  talus_status status = tl_packing_read(scene->context, path, &packing);
  if (status != TALUS_OK && status != TALUS_OUT_OF_MEMORY) {
    char reason[sizeof scene->context->message];
    memcpy(reason, scene->context->message, sizeof reason);
    status = tl_node_fail(scene->context, file, "%.400s", reason);
  }
  if (status == TALUS_OK) {
    status = add(scene, world, &packing, &grains->item, grains->grain.material,
                 grains->grain.fixed ? TALUS_BODY_FIXED : TALUS_BODY_FREE, occupancy);
  }
  tl_packing_release(&packing);
  return status;
}

talus_status tl_grains_packing(tl_grains_job *job) {
  if (job->scene->emitting) {
    const tl_emitted note = {.packing = job->grains};
    TL_TRY(tl_emitted_note(job->scene, &note));
  }
  return tl_packing_emit(job->scene, job->world, job->grains, job->occupancy);
}

talus_status tl_scene_material_names(const talus_scene *scene, char **names) {
  const tl_scene_material *const material = scene->def.materials.item;
  size_t size = 1, used = 0;
  void *memory = NULL;
  for (int32_t i = 0; i < scene->def.materials.count; i++) {
    size += strlen(material[i].item.name) + 1;
  }
  TL_TRY(tl_alloc(scene->context, &memory, size, 1, "names"));
  *names = memory;
  (*names)[0] = '\0';
  for (int32_t i = 0; i < scene->def.materials.count; i++) {
    used += (size_t)snprintf(*names + used, size - used, "%s\n", material[i].item.name);
  }
  return TALUS_OK;
}

/* ---- from a checkpoint ----------------------------------------------------------------------- */

static talus_status from_read(talus_scene *scene, const char *path) {
  tl_checkpoint *checkpoint = NULL;
  tl_packing_release(&scene->from);
  TL_TRY(tl_checkpoint_open(scene->context, path, TL_CHECKPOINT_WORLD, &checkpoint));
  talus_status status = tl_packing_load(checkpoint, scene->context, &scene->from);
  tl_checkpoint_close(checkpoint);
  if (status == TALUS_OK && scene->from.plane != (scene->def.world.plane != 0)) {
    const tl_node *const plane = tl_tree_find(scene->def.world.item.node, "plane");
    status = tl_node_fail(scene->context, plane != NULL ? plane : scene->root,
                          "%.400s: the checkpoint is of a world %s, and world.plane says otherwise",
                          path, scene->from.plane ? "in the plane" : "in space");
  }
  if (status == TALUS_OK && scene->from.periodic != (scene->def.cell.item.node != NULL)) {
    tl_log(scene->context, TALUS_LOG_WARNING,
           "%s: the checkpoint is of a world %s a periodic cell, the scene of one %s", path,
           scene->from.periodic ? "with" : "without", scene->from.periodic ? "without" : "with");
  }
  if (status == TALUS_OK) {
    status = tl_arena_text(&scene->arena, path, strlen(path), &scene->from_path);
  }
  if (status != TALUS_OK) {
    tl_packing_release(&scene->from);
  }
  return status;
}

talus_status talus_scene_from(talus_scene *scene, const char *path) {
  if (scene == NULL || path == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  return tl_ranks_agree(scene->context, from_read(scene, path));
}

const char *tl_scene_from_path(const talus_scene *scene) {
  return scene->from_path;
}

/* Takes the mean motion of the checkpoint's cell out of the velocities of its bodies, those from
 * slot `first` on, as far as the scene's cell can move so: all bodies get that of the new cell. */
static void leave_motion(const talus_scene *scene, talus_world *world, int32_t first) {
  static const uint32_t sides[6] = {1, 2, 4, 3, 5, 6};
  const uint32_t periodic = scene->def.cell.periodic;
  double rate[6], centre[3] = {0, 0, 0}, away[3], motion[3], mass = 0;
  if (!scene->from.periodic || scene->def.cell.item.node == NULL) {
    return;
  }
  for (int c = 0; c < 6; c++) {
    rate[c] = (periodic & sides[c]) == sides[c] ? scene->from.rate[c] : 0;
  }
  for (int32_t i = first; i < world->body_count; i++) {
    mass += world->body[i].mass;
    tl_along3(centre, centre, world->body[i].mass, world->body[i].position);
  }
  tl_scale3(centre, 1 / mass, centre);
  for (int32_t i = first; i < world->body_count; i++) {
    tl_sub3(away, world->body[i].position, centre);
    tl_lattice_point(rate, away, motion);
    tl_sub3(world->body[i].velocity, world->body[i].velocity, motion);
  }
}

talus_status tl_build_from(talus_scene *scene, talus_world *world) {
  const tl_item item = {.node = scene->root};
  const int32_t first = world->body_count;
  if (scene->from.body_count == 0) {
    return TALUS_OK;
  }
  if (scene->def.world.overlap == TL_OVERLAP_RESOLVE) {
    return tl_node_fail(scene->context, scene->def.world.item.node,
                        "bodies of a checkpoint are not pushed apart: world.overlap cannot be "
                        "resolve");
  }
  TL_TRY(add(scene, world, &scene->from, &item, NULL, TALUS_BODY_FREE, NULL));
  leave_motion(scene, world, first);
  return TALUS_OK;
}
