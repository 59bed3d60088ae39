/* grains.c: which generator, how many grains, and in which region. */
#include <math.h>
#include <string.h>

#include "host/scene/build.h"

/* Solid part of a settled bed, for the key `fill`, and of loose random places. */
static double settled_part(int plane) {
  return plane ? 0.82 : 0.6;
}
static double loose_part(int plane) {
  return plane ? 0.35 : 0.22;
}

talus_status tl_emitted_note(talus_scene *scene, const tl_emitted *grain) {
  if (scene->emitted_count == scene->emitted_capacity) {
    const int32_t wanted = scene->emitted_capacity > 0 ? 2 * scene->emitted_capacity : 256;
    void *memory = NULL;
    TL_TRY(tl_alloc(scene->context, &memory, (size_t)wanted, sizeof *grain, "places of grains"));
    if (scene->emitted_count > 0) {
      memcpy(memory, scene->emitted, (size_t)scene->emitted_count * sizeof *grain);
    }
    tl_free(scene->context, scene->emitted);
    scene->emitted = memory;
    scene->emitted_capacity = wanted;
  }
  scene->emitted[scene->emitted_count++] = *grain;
  return TALUS_OK;
}

talus_status tl_grain_emit(talus_scene *scene, talus_world *world, const tl_scene_grain *grain,
                           const char *material, tl_variation variation, const double position[3],
                           const double orientation[4], int32_t *body) {
  int32_t number;
  TL_TRY(tl_material_find(scene, &grain->item, material, &number));
  if (scene->emitting) {
    tl_emitted note = {.grain = grain, .material = material, .variation = variation};
    memcpy(note.position, position, sizeof note.position);
    memcpy(note.orientation, orientation, sizeof note.orientation);
    TL_TRY(tl_emitted_note(scene, &note));
  }
  talus_body_def def = talus_body_def_default();
  def.type = grain->fixed ? TALUS_BODY_FIXED : TALUS_BODY_FREE;
  memcpy(def.position, position, sizeof def.position);
  memcpy(def.orientation, orientation, sizeof def.orientation);
  memcpy(def.velocity, grain->velocity, sizeof def.velocity);
  memcpy(def.spin, grain->spin, sizeof def.spin);
  def.group = (int32_t)grain->group;
  def.collides = grain->collides;
  TL_TRY(talus_body_add(world, &def, body));
  TL_TRY(tl_shape_emit(scene, world, *body, &grain->shape, variation, number));
  /* The ball about the origin holds the shape; the body counts from its centre of mass. */
  talus_body_state state;
  TL_TRY(talus_body_get(world, *body, &state));
  double square = 0;
  for (int c = 0; c < 3; c++) {
    const double d = state.position[c] - position[c];
    square += d * d;
  }
  return tl_scene_note_radius(scene, *body,
                              variation.factor * tl_shape_radius(&grain->shape) + sqrt(square));
}

/* From the section `region`, the periodic cell, the container named by `inside` or the only one. */
static talus_status find_region(tl_grains_job *job) {
  const tl_scene_grains *grains = job->grains;
  const tl_scene_definition *def = &job->scene->def;
  if (grains->region.item.node != NULL) {
    job->region = grains->region;
    return TALUS_OK;
  }
  if (def->cell.item.node != NULL && grains->inside == NULL) {
    memset(&job->region, 0, sizeof job->region);
    memcpy(job->region.lower, def->cell.lower, sizeof def->cell.lower);
    memcpy(job->region.upper, def->cell.upper, sizeof def->cell.upper);
    return TALUS_OK;
  }
  const tl_scene_wall *chosen = NULL;
  int32_t found = 0;
  for (int32_t i = 0; i < def->walls.count; i++) {
    const tl_scene_wall *wall = (const tl_scene_wall *)def->walls.item + i;
    tl_scene_region inside;
    const bool named =
        grains->inside != NULL && wall->name != NULL && strcmp(wall->name, grains->inside) == 0;
    if ((named || grains->inside == NULL) && tl_region_of_wall(wall, &inside)) {
      job->region = inside;
      chosen = wall;
      found++;
    }
  }
  const double *q = chosen != NULL ? chosen->orientation : NULL;
  if (found == 1 && (q[1] != 0 || q[2] != 0 || q[3] != 0)) {
    return tl_node_fail(job->scene->context, grains->item.node,
                        "the container is turned: give these grains a `region`");
  }
  if (found == 1) {
    return TALUS_OK;
  }
  const double *n = grains->counts;
  const bool counted = n[0] > 0 && (grains->arrangement == TL_ARRANGE_PYRAMID ||
                                    ((n[1] > 0 || job->plane) && n[2] > 0));
  if (found == 0 && grains->inside == NULL && grains->kind == TL_GRAINS_LATTICE && counted) {
    memset(&job->region, 0, sizeof job->region); /* from the origin on */
    for (int c = 0; c < 3; c++) {
      job->region.upper[c] = INFINITY;
    }
    return TALUS_OK;
  }
  return tl_node_fail(job->scene->context, grains->item.node,
                      found == 0 ? "these grains need a `region` (no wall is a container%s%s)"
                                 : "there are several containers: say which by `inside`%s%s",
                      grains->inside != NULL ? " called " : "",
                      grains->inside != NULL ? grains->inside : "");
}

bool tl_grains_fill_cell(const tl_grains_job *job) {
  const tl_scene_grains *const grains = job->grains;
  return job->scene->def.cell.item.node != NULL && grains->inside == NULL &&
         grains->region.item.node == NULL && job->scene->from.body_count == 0;
}

/* Only a region that is the cell ends at its faces. */
static talus_status check_across(const tl_grains_job *job) {
  const tl_scene_grains *const grains = job->grains;
  return !grains->across || tl_grains_fill_cell(job)
             ? TALUS_OK
             : tl_node_fail(job->scene->context, tl_tree_find(grains->item.node, "across"),
                            "across: only grains that fill a periodic `cell` lie across its faces: "
                            "without `region`, `inside` and --from");
}

/* From count, fill or fraction. */
static talus_status find_count(const tl_grains_job *job, int64_t *count) {
  const tl_scene_grains *grains = job->grains;
  const double volume = tl_shape_volume(&grains->grain.shape, job->plane) *
                        tl_sizes_mean_volume(&grains->grain.sizes, job->plane);
  double wanted = (double)grains->count;
  if (grains->fill > 0) {
    tl_scene_region filled = job->region;
    tl_region_raise(&filled, grains->fill);
    const double space = filled.kind == TL_REGION_BALL
                             ? grains->fill * tl_region_floor(&job->region, job->plane)
                             : tl_region_volume(&filled, job->plane);
    wanted = floor(settled_part(job->plane) * space / volume);
  } else if (grains->fraction > 0) {
    wanted = floor(grains->fraction * tl_region_volume(&job->region, job->plane) / volume);
  }
  const int ways = (grains->count > 0) + (grains->fill > 0) + (grains->fraction > 0);
  if (ways != 1) {
    return tl_node_fail(job->scene->context, grains->item.node,
                        "say how many grains by exactly one of count, fill%s",
                        grains->kind == TL_GRAINS_RANDOM ? ", fraction" : "");
  }
  if (!(wanted >= 1 && wanted < 2e9)) {
    return tl_node_fail(job->scene->context, grains->item.node, "this comes to %g grains", wanted);
  }
  *count = (int64_t)wanted;
  return TALUS_OK;
}

/* An endless region becomes as high as loosely placed balls need; grows when that is not enough. */
static void bound_region(tl_grains_job *job, int64_t count) {
  double lower[3], upper[3];
  tl_region_box(&job->region, lower, upper);
  if (isinf(upper[2])) {
    const double volume = tl_shape_volume(&job->grains->grain.shape, job->plane) *
                          tl_sizes_mean_volume(&job->grains->grain.sizes, job->plane);
    const double radius =
        tl_shape_radius(&job->grains->grain.shape) * tl_sizes_largest(&job->grains->grain.sizes);
    const double height = (double)count * volume /
                          (loose_part(job->plane) * tl_region_floor(&job->region, job->plane));
    tl_region_raise(&job->region, height + 4 * radius);
    job->endless = 1;
  }
}

static talus_status emit_layers(tl_grains_job *job) {
  const tl_scene_grains *grains = job->grains;
  double lower[3], upper[3];
  tl_region_box(&job->region, lower, upper);
  double floor_z = lower[2];
  for (int32_t i = 0; i < grains->layers.count; i++) {
    const tl_scene_layer *layer = (const tl_scene_layer *)grains->layers.item + i;
    const tl_scene_sizes *sizes =
        layer->sizes.item.node != NULL ? &layer->sizes : &grains->grain.sizes;
    tl_scene_region slab = job->region;
    if (slab.kind == TL_REGION_BOX) {
      slab.lower[2] = floor_z;
    } else {
      slab.centre[2] = floor_z;
    }
    tl_region_raise(&slab, layer->height);
    floor_z += layer->height;
    const double volume =
        tl_shape_volume(&grains->grain.shape, job->plane) * tl_sizes_mean_volume(sizes, job->plane);
    const double count = layer->count > 0
                             ? (double)layer->count
                             : layer->fraction * tl_region_volume(&slab, job->plane) / volume;
    TL_TRY(tl_grains_random(job, &slab, (int64_t)count, sizes,
                            layer->material != NULL ? layer->material : grains->grain.material));
  }
  return TALUS_OK;
}

talus_status tl_grains_emit(tl_grains_job *job) {
  const tl_scene_grains *grains = job->grains;
  if (grains->kind == TL_GRAINS_PACKING) {
    return tl_grains_packing(job);
  }
  TL_TRY(find_region(job));
  if (grains->kind == TL_GRAINS_LATTICE) {
    return tl_grains_lattice(job);
  }
  if (grains->kind == TL_GRAINS_LAYERS) {
    if (job->region.kind == TL_REGION_BALL) {
      return tl_node_fail(job->scene->context, grains->item.node, "a ball has no layers");
    }
    return emit_layers(job);
  }
  int64_t count = 0;
  TL_TRY(find_count(job, &count));
  if (grains->kind == TL_GRAINS_SETTLED) {
    return tl_grains_settled(job, count);
  }
  TL_TRY(check_across(job));
  bound_region(job, count);
  return tl_grains_random(job, &job->region, count, &grains->grain.sizes, grains->grain.material);
}
