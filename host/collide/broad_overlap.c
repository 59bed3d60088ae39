/* broad_overlap.c: the exact tests behind the search, and the walk of the short list.
 *
 * Differences of coordinates are taken first and compared with sums of half edges: each is rounded
 * relative to itself, however far from the origin, and the reaches' slack covers that. */
#include <math.h>

#include "host/collide/broad_grid.h"

static double half_edge(const tl_broad *broad, const tl_bounding_ball *place, const tl_trait *trait,
                        int axis) {
  return (trait->tag & TL_TAG_BALL) != 0 ? place->reach
                                         : broad->half[3 * (int64_t)trait->index + axis];
}

bool tl_overlap_items(const tl_broad *broad, const tl_bounding_ball *place_a, const tl_trait *a,
                      const tl_bounding_ball *place_b, const tl_trait *b) {
  const double *const p = place_a->centre, *const q = place_b->centre;
  if ((a->tag & b->tag & TL_TAG_BALL) != 0) {
    const double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    const double reach = place_a->reach + place_b->reach;
    return x * x + y * y + z * z <= reach * reach;
  }
  for (int axis = 0; axis < 3; axis++) {
    if (fabs(p[axis] - q[axis]) >
        half_edge(broad, place_a, a, axis) + half_edge(broad, place_b, b, axis)) {
      return false;
    }
  }
  return true;
}

static bool is_item(const tl_broad *broad, const tl_large *large) {
  return broad->place[large->index].reach < INFINITY;
}

/* The box (or ball) dips below the half-space's plane raised by its margin. */
static bool overlap_halfspace(const tl_broad *broad, const tl_large *large,
                              const tl_bounding_ball *place, const tl_trait *trait) {
  double height = 0, support = 0, size = 0;
  for (int axis = 0; axis < 3; axis++) {
    const double step = (place->centre[axis] - large->point[axis]) * large->normal[axis];
    height += step;
    size += fabs(step);
    support += half_edge(broad, place, trait, axis) * fabs(large->normal[axis]);
  }
  support = (trait->tag & TL_TAG_BALL) != 0 ? place->reach : support;
  return height <= support + large->margin + TL_REACH_SLACK * size;
}

bool tl_overlap_large(const tl_broad *broad, const tl_large *large, const tl_bounding_ball *place,
                      const tl_trait *trait) {
  const tl_trait *const own = &broad->trait[large->index];
  if ((own->tag & TL_TAG_HALFSPACE) != 0) {
    return overlap_halfspace(broad, large, place, trait);
  }
  if (is_item(broad, large)) {
    return tl_overlap_items(broad, &broad->place[large->index], own, place, trait);
  }
  for (int axis = 0; axis < 3; axis++) {
    const double reach =
        (half_edge(broad, place, trait, axis) + large->margin) * (1 + TL_REACH_SLACK);
    if (place->centre[axis] - large->box.upper[axis] > reach ||
        large->box.lower[axis] - place->centre[axis] > reach) {
      return false;
    }
  }
  return true;
}

bool tl_overlap_larges(const tl_broad *broad, const tl_large *a, const tl_large *b) {
  if (is_item(broad, b)) {
    return tl_overlap_large(broad, a, &broad->place[b->index], &broad->trait[b->index]);
  }
  if (is_item(broad, a)) {
    return tl_overlap_large(broad, b, &broad->place[a->index], &broad->trait[a->index]);
  }
  if (((broad->trait[a->index].tag | broad->trait[b->index].tag) & TL_TAG_HALFSPACE) != 0) {
    return true;
  }
  const double reach = (a->margin + b->margin) * (1 + TL_REACH_SLACK);
  for (int axis = 0; axis < 3; axis++) {
    if (a->box.lower[axis] - b->box.upper[axis] > reach ||
        b->box.lower[axis] - a->box.upper[axis] > reach) {
      return false;
    }
  }
  return true;
}
