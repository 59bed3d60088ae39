/* grains_random.c: grains anywhere without overlap, and spheres dropped until they rest.
 *
 * Random places are tried for the largest grains first (random sequential addition): small ones
 * find room between. Settled beds come from the packing of host/io (drop and roll). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/scene/build.h"

enum { TRIES = 5000 };
static const double unturned[4] = {1, 0, 0, 0};

static int descending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

/* A free place for a ball; 0 if none was found. */
static int find_place(tl_grains_job *job, const tl_scene_region *region, double radius,
                      double position[3]) {
  for (int i = 0; i < TRIES; i++) {
    if (!tl_region_draw(region, job->plane, radius, &job->random, position)) {
      return 0;
    }
    if (tl_place_is_free(job->place, position, radius, job->place->count)) {
      return 1;
    }
  }
  return 0;
}

static talus_status place_all(tl_grains_job *job, const tl_scene_region *region, int64_t count,
                              const double *factor, const char *material) {
  const tl_scene_grain *grain = &job->grains->grain;
  const double radius = tl_shape_radius(&grain->shape);
  for (int64_t i = 0; i < count; i++) {
    double position[3], orientation[4];
    if (!find_place(job, region, factor[i] * radius, position)) {
      return tl_node_fail(job->scene->context, job->grains->item.node,
                          "only %lld of %lld grains found room: make the region larger, or use a "
                          "lattice or settled grains",
                          (long long)i, (long long)count);
    }
    memcpy(orientation, unturned, sizeof orientation);
    if (grain->turned) {
      tl_random_turn(&job->random, job->plane, orientation);
    }
    int32_t body;
    TL_TRY(tl_place_add(job->place, position, factor[i] * radius));
    TL_TRY(tl_grain_emit(job->scene, job->world, grain, material, (tl_variation){factor[i], 1},
                         position, orientation, &body));
  }
  return TALUS_OK;
}

talus_status tl_grains_random(tl_grains_job *job, const tl_scene_region *region, int64_t count,
                              const tl_scene_sizes *sizes, const char *material) {
  void *memory = NULL;
  TL_TRY(tl_alloc(job->scene->context, &memory, (size_t)count, sizeof(double), "sizes of grains"));
  double *factor = memory;
  for (int64_t i = 0; i < count; i++) {
    factor[i] = tl_sizes_draw(sizes, job->plane, &job->random);
  }
  qsort(factor, (size_t)count, sizeof(double), descending);
  const talus_status status = place_all(job, region, count, factor, material);
  tl_free(job->scene->context, memory);
  return status;
}

static talus_status emit_packing(tl_grains_job *job, tl_packing *packing, double unit) {
  const tl_scene_grain *grain = &job->grains->grain;
  for (int32_t i = 0; i < packing->count; i++) {
    const tl_sphere *s = &packing->sphere[i];
    const double position[3] = {job->region.lower[0] + unit * s->x,
                                job->region.lower[1] + unit * s->y,
                                job->region.lower[2] + unit * s->z};
    const double factor = unit * s->r / grain->shape.radius;
    int32_t body;
    TL_TRY(tl_place_add(job->place, position, unit * s->r));
    TL_TRY(tl_grain_emit(job->scene, job->world, grain, grain->material, (tl_variation){factor, 1},
                         position, unturned, &body));
  }
  return TALUS_OK;
}

talus_status tl_grains_settled(tl_grains_job *job, int64_t count) {
  const tl_scene_grain *grain = &job->grains->grain;
  const tl_scene_region *region = &job->region;
  if (grain->shape.kind != TL_SHAPE_SPHERE || region->kind != TL_REGION_BOX || job->plane) {
    return tl_node_fail(job->scene->context, job->grains->item.node,
                        "settled grains are spheres in a box, not in a plane world");
  }
  /* The packing counts in units of the mean radius. */
  const double unit = grain->shape.radius, largest = tl_sizes_largest(&grain->sizes);
  const double width = (region->upper[0] - region->lower[0]) / unit;
  const double depth = (region->upper[1] - region->lower[1]) / unit;
  if (!(width >= 2 * largest) || !(depth >= 2 * largest)) {
    return tl_node_fail(job->scene->context, job->grains->item.node,
                        "the region is narrower than one grain");
  }
  tl_packing packing;
  TL_TRY(tl_packing_create(job->scene->context, (int32_t)count, width, depth, 1.0, largest, 0.05,
                           &packing));
  for (int64_t i = 0; i < count; i++) {
    const double radius = tl_sizes_draw(&grain->sizes, 0, &job->random);
    const double x = tl_random_uniform(&job->random, radius, width - radius);
    const double y = tl_random_uniform(&job->random, radius, depth - radius);
    tl_packing_drop(&packing, x, y, radius);
  }
  const talus_status status = emit_packing(job, &packing, unit);
  tl_packing_destroy(&packing);
  return status;
}
