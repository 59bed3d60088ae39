/* grains_random.c: grains anywhere without overlap, and spheres dropped until they rest.
 *
 * Random places are tried for the largest grains first (random sequential addition): small ones
 * find room between. A region without an upper end grows when a grain has found no room. Settled
 * beds come from the packing of host/io (drop and roll); grains that would lie in a body are left
 * out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/scene/occupancy.h"

/* Places that are tried for a grain; for one that is no ball in a region that may grow. */
enum { TRIES = 5000, TRIES_BEFORE_GROWTH = 300, GROWTHS = 100 };
static const double unturned[4] = {1, 0, 0, 0};

static int descending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

static talus_status no_room(const tl_grains_job *job, const tl_form *form,
                            const tl_placement *search, int64_t placed, int64_t count) {
  char words[96], by[160] = "";
  if (!search->fits) {
    return tl_node_fail(job->scene->context, job->grains->item.node,
                        "only %lld of %lld grains found room: the region is too small for one that "
                        "reaches %.3g m from its centre",
                        (long long)placed, (long long)count, form->radius);
  }
  if (search->by != TALUS_NONE && search->by < job->scene->grain_first) {
    tl_body_words(job->scene, search->by, words, sizeof words);
    snprintf(by, sizeof by, " (most places are taken by %s)", words);
  }
  return tl_node_fail(job->scene->context, job->grains->item.node,
                      "only %lld of %lld grains found room in %d tries each%s: make the region "
                      "larger, or use a lattice or settled grains%s",
                      (long long)placed, (long long)count, (int)search->tries, by,
                      tl_grains_fill_cell(job) && !job->grains->across &&
                              job->grains->kind == TL_GRAINS_RANDOM
                          ? ", or `across: true`, so that they may lie across the cell's faces"
                          : "");
}

/* A free place for the form; the region grows where it may. */
static talus_status find_place(tl_grains_job *job, tl_room *room, tl_form *form,
                               tl_placement *search) {
  search->tries = job->endless && !form->round ? TRIES_BEFORE_GROWTH : TRIES;
  TL_TRY(tl_form_place_randomly(job->occupancy, room, form, &job->random, search));
  for (int i = 0; i < GROWTHS && job->endless && !search->found; i++) {
    const double height = tl_region_height(&room->region);
    if (!search->fits && i > 3) {
      break; /* it is not the height that is missing */
    }
    tl_region_raise(&room->region, height + fmax(0.1 * height, 4 * form->radius));
    TL_TRY(tl_form_place_randomly(job->occupancy, room, form, &job->random, search));
  }
  return TALUS_OK;
}

static talus_status place_all(tl_grains_job *job, tl_room *room, tl_form *form, int64_t count,
                              const double *factor, const char *material) {
  for (int64_t i = 0; i < count; i++) {
    const tl_variation variation = {factor[i], 1};
    tl_placement search;
    int32_t body;
    TL_TRY(tl_form_make(form, variation));
    TL_TRY(find_place(job, room, form, &search));
    if (!search.found) {
      return no_room(job, form, &search, i, count);
    }
    TL_TRY(tl_grain_emit(job->scene, job->world, form->grain, material, variation, search.position,
                         search.orientation, &body));
    TL_TRY(tl_occupancy_add(job->occupancy, body));
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
  tl_form form;
  tl_room room;
  tl_form_begin(job->scene, &job->grains->grain, &form);
  talus_status status = tl_room_begin(job->scene->context, region, job->plane, &room);
  room.across = job->grains->across ? job->scene->def.cell.periodic : 0;
  if (status == TALUS_OK) {
    status = place_all(job, &room, &form, count, factor, material);
  }
  tl_room_end(&room);
  tl_form_end(&form);
  tl_free(job->scene->context, memory);
  return status;
}

/* ---- settled --------------------------------------------------------------------------------- */

/* A packing in units of the grain's radius, and which of its spheres lie in no body. */
typedef struct settled {
  tl_packing packing;
  uint8_t *clear;
  int64_t clear_count;
} settled;

static void sphere_place(const tl_grains_job *job, const tl_sphere *s, double position[3],
                         tl_variation *variation) {
  const double unit = job->grains->grain.shape.radius;
  *variation = (tl_variation){unit * s->r / unit, 1};
  position[0] = job->region.lower[0] + unit * s->x;
  position[1] = job->region.lower[1] + unit * s->y;
  position[2] = job->region.lower[2] + unit * s->z;
}

/* Drops `count` spheres. */
static talus_status settle(tl_grains_job *job, int64_t count, settled *bed) {
  const tl_scene_grain *grain = &job->grains->grain;
  const double unit = grain->shape.radius, largest = tl_sizes_largest(&grain->sizes);
  const double width = (job->region.upper[0] - job->region.lower[0]) / unit;
  const double depth = (job->region.upper[1] - job->region.lower[1]) / unit;
  if (!(width >= 2 * largest) || !(depth >= 2 * largest)) {
    return tl_node_fail(job->scene->context, job->grains->item.node,
                        "the region is narrower than one grain");
  }
  void *memory = NULL;
  TL_TRY(tl_packing_create(job->scene->context, (int32_t)count, width, depth, 1.0, largest, 0.05,
                           &bed->packing));
  TL_TRY(tl_alloc(job->scene->context, &memory, (size_t)count, 1, "settled grains"));
  bed->clear = memory;
  for (int64_t i = 0; i < count; i++) {
    const double radius = tl_sizes_draw(&grain->sizes, 0, &job->random);
    const double x = tl_random_uniform(&job->random, radius, width - radius);
    const double y = tl_random_uniform(&job->random, radius, depth - radius);
    tl_packing_drop(&bed->packing, x, y, radius);
  }
  return TALUS_OK;
}

/* Which spheres lie in the region, where parts are taken out of it, and in no body. */
static talus_status settled_look(tl_grains_job *job, tl_form *form, settled *bed) {
  static const double overlap = 1e-3; /* as at the start of a run */
  bed->clear_count = 0;
  for (int32_t i = 0; i < bed->packing.count; i++) {
    const tl_sphere *s = &bed->packing.sphere[i];
    double position[3];
    int32_t by;
    int clear = 1;
    tl_variation variation;
    sphere_place(job, s, position, &variation);
    TL_TRY(tl_form_make(form, variation));
    tl_form_place(form, position, unturned);
    if (job->region.without.count > 0) {
      tl_scene_region around = job->region; /* the packing keeps to the box by itself */
      for (int c = 0; c < 3; c++) {
        around.lower[c] -= overlap * form->radius;
        around.upper[c] = c == 2 ? INFINITY : around.upper[c] + overlap * form->radius;
      }
      clear = tl_region_contains(&around, 0, position, form->radius);
    }
    TL_TRY(tl_form_meets(job->occupancy, form, job->occupancy->count, overlap, &by));
    bed->clear[i] = clear && by == TALUS_NONE;
    bed->clear_count += bed->clear[i];
  }
  return TALUS_OK;
}

static talus_status sphere_emit(tl_grains_job *job, const tl_sphere *sphere) {
  const tl_scene_grain *grain = &job->grains->grain;
  double position[3];
  int32_t body;
  tl_variation variation;
  sphere_place(job, sphere, position, &variation);
  TL_TRY(tl_grain_emit(job->scene, job->world, grain, grain->material, variation, position,
                       unturned, &body));
  return tl_occupancy_add(job->occupancy, body);
}

/* How many spheres were dropped up to the last one that is wanted. */
static int32_t settled_dropped(const settled *bed, int64_t count) {
  int64_t made = 0;
  int32_t end = 0;
  for (; end < bed->packing.count && made < count; end++) {
    made += bed->clear[end];
  }
  return end;
}

/* The first `count` that are clear, such that many of them are numbered by where they lie. */
static talus_status settled_emit(tl_grains_job *job, const settled *bed, int64_t count) {
  const int32_t dropped = settled_dropped(bed, count);
  void *memory;
  TL_TRY(
      tl_alloc(job->scene->context, &memory, (size_t)dropped, sizeof(int32_t), "order of grains"));
  int32_t *const order = memory;
  talus_status status = tl_packing_order(&bed->packing, dropped, order);
  for (int32_t i = 0; i < dropped && status == TALUS_OK; i++) {
    if (bed->clear[order[i]]) {
      status = sphere_emit(job, &bed->packing.sphere[order[i]]);
    }
  }
  tl_free(job->scene->context, memory);
  return status;
}

static void settled_end(tl_grains_job *job, settled *bed) {
  tl_packing_destroy(&bed->packing);
  tl_free(job->scene->context, bed->clear);
  memset(bed, 0, sizeof *bed);
}

/* As many as are asked for, or, where a filling is asked for, as many as it leaves. */
static talus_status settle_enough(tl_grains_job *job, int64_t count, tl_form *form, settled *bed) {
  enum { ATTEMPTS = 6 };
  const tl_random begin = job->random;
  int64_t dropped = count;
  for (int i = 0; i < ATTEMPTS; i++) {
    settled_end(job, bed);
    job->random = begin;
    TL_TRY(settle(job, dropped, bed));
    TL_TRY(settled_look(job, form, bed));
    if (bed->clear_count >= count || job->grains->fill > 0) {
      return settled_emit(job, bed, count);
    }
    const double share = fmax(0.2, (double)bed->clear_count / (double)dropped);
    dropped = (int64_t)fmin(2e9, ceil(1.1 * (double)count / share) + 16);
  }
  return tl_node_fail(job->scene->context, job->grains->item.node,
                      "only %lld of %lld settled grains lie outside of bodies and walls",
                      (long long)bed->clear_count, (long long)count);
}

talus_status tl_grains_settled(tl_grains_job *job, int64_t count) {
  const tl_scene_grain *grain = &job->grains->grain;
  if (grain->shape.kind != TL_SHAPE_SPHERE || job->region.kind != TL_REGION_BOX || job->plane) {
    return tl_node_fail(job->scene->context, job->grains->item.node,
                        "settled grains are spheres in a box, not in a plane world");
  }
  tl_form form;
  settled bed = {.clear = NULL};
  tl_form_begin(job->scene, grain, &form);
  const talus_status status = settle_enough(job, count, &form, &bed);
  settled_end(job, &bed);
  tl_form_end(&form);
  return status;
}
