/* grains_lattice.c: grains on a lattice: cubic, face-centred, hexagonal, bricks, pyramids.
 *
 * A lattice is layers of rows; each arrangement says how far apart they are and how odd ones are
 * shifted. Layers are filled from the bottom up, so that a given count ends somewhere at the top.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/scene/occupancy.h"

typedef struct lattice {
  double step[3];   /* between grains of a row, rows of a layer, layers */
  double extent[3]; /* of a grain */
  double origin[3]; /* centre of the first grain */
  int64_t limit[3]; /* grains along each direction; INT64_MAX: the region decides */
  double radius;    /* of the ball around a grain, factor 1 */
  double play;      /* how far a grain may be moved */
  tl_room room;
  tl_form grain, largest; /* the one being placed; the largest there may be */
  int64_t blocked;        /* sites that are taken already ... */
  int32_t by;             /* ... the last of them by this body */
} lattice;

static talus_status measure(const tl_grains_job *job, lattice *l) {
  const tl_scene_grains *grains = job->grains;
  const double largest = tl_sizes_largest(&grains->grain.sizes);
  double lower[3], upper[3];
  tl_region_box(&job->region, lower, upper);
  l->radius = tl_shape_radius(&grains->grain.shape);
  tl_shape_extent(&grains->grain.shape, l->extent);
  l->play = INFINITY;
  for (int c = 0; c < 3; c++) {
    l->extent[c] = largest * (grains->grain.turned ? 2 * l->radius : l->extent[c]);
    l->step[c] = grains->spacing[c] > 0 ? grains->spacing[c]
                                        : l->extent[c] + grains->gap * largest * l->radius;
    l->play = fmin(l->play, c == 1 && job->plane ? INFINITY : l->step[c] - l->extent[c]);
    l->limit[c] = grains->counts[c] > 0 ? (int64_t)grains->counts[c] : INT64_MAX;
    if (grains->counts[c] != floor(grains->counts[c])) {
      return tl_node_fail(job->scene->context, tl_tree_find(grains->item.node, "counts"),
                          "counts have to be whole numbers");
    }
    l->origin[c] = lower[c] + 0.5 * l->step[c];
    if (!(c == 1 && job->plane) && isinf(upper[c]) && l->limit[c] == INT64_MAX &&
        !(c == 2 && grains->count > 0) && grains->arrangement != TL_ARRANGE_PYRAMID) {
      return tl_node_fail(job->scene->context, grains->item.node,
                          "the region has no end along %c: give it one, or give `counts`%s",
                          "xyz"[c], c == 2 ? " or `count`" : "");
    }
    if (isinf(lower[c])) {
      return tl_node_fail(job->scene->context, grains->item.node,
                          "the region has no beginning along %c", "xyz"[c]);
    }
  }
  if (job->plane) {
    l->origin[1] = 0;
    l->limit[1] = 1;
  }
  return TALUS_OK;
}

/* Distances of the close packings follow from that of neighbours along x. */
static talus_status arrange(const tl_grains_job *job, lattice *l) {
  const tl_scene_grains *grains = job->grains;
  const double s = l->step[0];
  if (grains->arrangement == TL_ARRANGE_FCC) {
    if (job->plane) {
      return tl_node_fail(job->scene->context, tl_tree_find(grains->item.node, "arrangement"),
                          "fcc is not for plane worlds: use hex");
    }
    l->step[1] = s;
    l->step[2] = s * sqrt(0.5);
  } else if (grains->arrangement == TL_ARRANGE_HEX) {
    l->step[1] = s * sqrt(0.75);
    l->step[2] = job->plane ? s * sqrt(0.75) : s * sqrt(2.0 / 3.0);
  } else if (grains->arrangement == TL_ARRANGE_PYRAMID) {
    l->step[1] = s;
    l->step[2] = job->plane ? s * sqrt(0.75) : s * sqrt(0.5);
    if (l->limit[0] == INT64_MAX) {
      return tl_node_fail(job->scene->context, grains->item.node,
                          "a pyramid needs `counts`: [6, 0, 0] has six grains in its bottom row");
    }
  } else if (grains->arrangement == TL_ARRANGE_BRICK &&
             (grains->grain.shape.kind != TL_SHAPE_BOX || l->limit[0] == INT64_MAX)) {
    return tl_node_fail(job->scene->context, grains->item.node,
                        "bricks are boxes, and `counts` says how many make a row");
  }
  return TALUS_OK;
}

/* Where grain (i, j, k) is; 0 if its row has fewer. stretch: of half bricks. */
static bool site(const tl_grains_job *job, const lattice *l, const int64_t n[3], double position[3],
                 double *stretch) {
  const int odd = (int)(n[2] % 2);
  double shift[3] = {0, 0, 0};
  *stretch = 1;
  switch (job->grains->arrangement) {
  case TL_ARRANGE_FCC:
    shift[0] = 0.5 * odd * l->step[0];
    shift[1] = 0.5 * odd * l->step[1];
    break;
  case TL_ARRANGE_HEX:
    shift[0] = 0.5 * (double)((job->plane ? n[2] : n[1] + n[2]) % 2) * l->step[0];
    shift[1] = job->plane ? 0 : odd * l->step[1] / 3;
    break;
  case TL_ARRANGE_BRICK:
    if (odd) {
      /* n + 1 bricks, the first and the last of them half as long. */
      const bool end = n[0] == 0 || n[0] == l->limit[0];
      const double half = 0.25 * l->step[0];
      shift[0] = (n[0] == 0 ? half : n[0] == l->limit[0] ? -half : 0) - 0.5 * l->step[0];
      *stretch = end ? 0.5 * (l->step[0] - 2 * (l->step[0] - l->extent[0])) / l->extent[0] : 1;
    }
    break;
  case TL_ARRANGE_PYRAMID:
    if (n[0] >= l->limit[0] - n[2] || (!job->plane && n[1] >= l->limit[0] - n[2])) {
      return false;
    }
    shift[0] = 0.5 * (double)n[2] * l->step[0];
    shift[1] = job->plane ? 0 : 0.5 * (double)n[2] * l->step[1];
    break;
  default:
    break;
  }
  for (int c = 0; c < 3; c++) {
    position[c] = l->origin[c] + (double)n[c] * l->step[c] + shift[c];
  }
  return true;
}

/* Whether a box region holds the box around a grain. */
static bool fits_box(const tl_grains_job *job, const lattice *l, const double position[3],
                     double stretch) {
  const tl_scene_region *region = &job->region;
  for (int c = 0; c < 3; c++) {
    const double half = 0.5 * l->extent[c] * (c == 0 ? stretch : 1);
    const double slack = 1e-9 * l->extent[c];
    if (!(c == 1 && job->plane) && (position[c] - half < region->lower[c] - slack ||
                                    position[c] + half > region->upper[c] + slack)) {
      return false;
    }
  }
  return true;
}

/* Whether the largest grain lies in the region: as it is, or however it is turned. */
static talus_status fits(const tl_grains_job *job, lattice *l, const double position[3],
                         double stretch, int *good) {
  static const double unturned[4] = {1, 0, 0, 0};
  const tl_scene_region *region = &job->region;
  *good = region->kind != TL_REGION_BOX || fits_box(job, l, position, stretch);
  if (!*good || (region->kind == TL_REGION_BOX && region->without.count == 0)) {
    return TALUS_OK;
  }
  const double largest = tl_sizes_largest(&job->grains->grain.sizes);
  if (job->grains->grain.turned) {
    *good = tl_region_contains(region, job->plane, position, (1 - 1e-9) * largest * l->radius);
    return TALUS_OK;
  }
  TL_TRY(tl_form_make(&l->largest, (tl_variation){largest, stretch}));
  tl_form_place(&l->largest, position, unturned);
  return tl_room_holds(&l->room, &l->largest, good);
}

static talus_status emit_site(tl_grains_job *job, lattice *l, const double site_position[3],
                              double stretch, int32_t before, int64_t *made) {
  static const double touching = 1e-6; /* of the radius: neighbours of walls may touch them */
  const tl_scene_grain *grain = &job->grains->grain;
  double position[3], move[3], orientation[4] = {1, 0, 0, 0};
  const double factor = tl_sizes_draw(&grain->sizes, job->plane, &job->random);
  const double reach = job->grains->jitter > 0 ? 0.5 * job->grains->jitter * fmax(0, l->play) : 0;
  memcpy(position, site_position, sizeof position);
  if (reach > 0) {
    tl_random_ball(&job->random, move);
    for (int c = 0; c < 3; c++) {
      position[c] += job->plane && c == 1 ? 0 : reach * move[c];
    }
  }
  if (grain->turned) {
    tl_random_turn(&job->random, job->plane, orientation);
  }
  const tl_variation variation = {factor, stretch};
  int32_t body;
  TL_TRY(tl_form_make(&l->grain, variation));
  tl_form_place(&l->grain, position, orientation);
  TL_TRY(tl_form_meets(job->occupancy, &l->grain, before, touching, &body));
  if (body != TALUS_NONE) { /* somebody else is there already */
    l->blocked++;
    l->by = body;
    return TALUS_OK;
  }
  ++*made;
  TL_TRY(tl_grain_emit(job->scene, job->world, grain, grain->material, variation, position,
                       orientation, &body));
  return tl_occupancy_add(job->occupancy, body);
}

/* One row; tells whether any grain of it fits, so that layers without end stop. */
static talus_status emit_row(tl_grains_job *job, lattice *l, int64_t j, int64_t k, int32_t before,
                             int64_t *made, int *any) {
  const int64_t wanted = job->grains->count;
  const int64_t longer = job->grains->arrangement == TL_ARRANGE_BRICK && k % 2 == 1;
  const int64_t limit = l->limit[0] == INT64_MAX ? INT64_MAX : l->limit[0] + longer;
  double upper[3], lower[3];
  tl_region_box(&job->region, lower, upper);
  for (int64_t i = 0; i < limit && (wanted == 0 || *made < wanted); i++) {
    const int64_t n[3] = {i, j, k};
    double position[3], stretch;
    if (!site(job, l, n, position, &stretch) || position[0] > upper[0]) {
      break;
    }
    int good;
    TL_TRY(fits(job, l, position, stretch, &good));
    if (good) {
      *any = 1;
      TL_TRY(emit_site(job, l, position, stretch, before, made));
    }
  }
  return TALUS_OK;
}

/* All layers from the bottom up, as far as the region or the count goes. */
static talus_status emit_layers(tl_grains_job *job, lattice *l, int64_t *made) {
  enum { IDLE = 1000 }; /* layers without a grain: bodies fill what has no end */
  const int64_t wanted = job->grains->count;
  const int32_t before = job->occupancy->count;
  double lower[3], upper[3];
  tl_region_box(&job->region, lower, upper);
  const bool pyramid = job->grains->arrangement == TL_ARRANGE_PYRAMID;
  const int64_t rows = pyramid && !job->plane ? l->limit[0] : l->limit[1];
  const int64_t layers = pyramid && l->limit[2] > l->limit[0] ? l->limit[0] : l->limit[2];
  int any_before = 1, idle = 0;
  for (int64_t k = 0; k < layers && (wanted == 0 || *made < wanted); k++) {
    if (l->origin[2] + (double)k * l->step[2] > upper[2] ||
        (isinf(upper[2]) && (!any_before || idle > IDLE))) {
      break;
    }
    const int64_t made_before = *made;
    int any = 0;
    for (int64_t j = 0; j < rows && (wanted == 0 || *made < wanted); j++) {
      if (!job->plane && l->origin[1] + (double)j * l->step[1] > upper[1]) {
        break;
      }
      TL_TRY(emit_row(job, l, j, k, before, made, &any));
    }
    any_before = any;
    idle = *made > made_before ? 0 : idle + 1;
  }
  return TALUS_OK;
}

talus_status tl_grains_lattice(tl_grains_job *job) {
  lattice l;
  int64_t made = 0;
  const int64_t wanted = job->grains->count;
  memset(&l, 0, sizeof l);
  TL_TRY(measure(job, &l));
  TL_TRY(arrange(job, &l));
  tl_form_begin(job->scene, &job->grains->grain, &l.grain);
  tl_form_begin(job->scene, &job->grains->grain, &l.largest);
  talus_status status = tl_room_begin(job->scene->context, &job->region, job->plane, &l.room);
  if (status == TALUS_OK) {
    status = emit_layers(job, &l, &made);
  }
  tl_room_end(&l.room);
  tl_form_end(&l.largest);
  tl_form_end(&l.grain);
  TL_TRY(status);
  if (made < wanted || made == 0) {
    char words[96], taken[192] = "";
    if (l.blocked > 0) {
      tl_body_words(job->scene, l.by, words, sizeof words);
      snprintf(taken, sizeof taken, ": %lld places are taken, the last one by %s",
               (long long)l.blocked, words);
    }
    return tl_node_fail(job->scene->context, job->grains->item.node,
                        "only %lld of %lld grains fit in the region%s", (long long)made,
                        (long long)(wanted > 0 ? wanted : 1), taken);
  }
  return TALUS_OK;
}
