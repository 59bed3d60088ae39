/* clip_lines.h: contact points where the normal belongs to no face: of two edges, of a cylinder's
 * side or rim, of corners. Lines side by side give the two ends of their overlap. See clip.h. */
#ifndef TL_ITEM_CLIP_LINES_H
#define TL_ITEM_CLIP_LINES_H

#include "kernels/item/collide/axis_search.h"
#include "kernels/item/collide/narrow_round.h"

enum { TL_CLIP_MOST = 8 };

typedef struct tl_manifold {
  int count;
  double normal[3]; /* in a's frame, from a to b */
  double point[TL_CLIP_MOST][3];
  double gap[TL_CLIP_MOST]; /* between the solids without roundings */
  uint32_t feature[TL_CLIP_MOST];
} tl_manifold;

TL_ITEM_LARGE void tl_lines_add_point(tl_manifold *m, const double on_a[3], double gap,
                                      uint32_t feature) {
  tl_copy3(m->point[m->count], on_a);
  m->gap[m->count] = gap;
  m->feature[m->count++] = feature;
}

/* The lines of both solids that are nearest along the axis, in a's frame. */
typedef struct tl_two_lines {
  double a[2][3], b[2][3];
  int count_a, count_b;
  uint32_t name;
} tl_two_lines;

TL_ITEM_LARGE void tl_lines_find_lines(const tl_axis_search *search, const tl_separating_axis *axis,
                                       tl_two_lines *lines) {
  double towards[3], local[2][3];
  uint32_t name_a, name_b;
  tl_turn_back3(towards, search->place.rotation, axis->normal);
  tl_scale3(towards, -1, towards);
  lines->count_a = tl_solid_line(search->a, axis->normal, lines->a, &name_a);
  lines->count_b = tl_solid_line(search->b, towards, local, &name_b);
  for (int k = 0; k < lines->count_b; k++) {
    tl_place3(lines->b[k], &search->place, local[k]);
  }
  if (lines->count_a == 1) {
    tl_copy3(lines->a[1], lines->a[0]);
  }
  if (lines->count_b == 1) {
    tl_copy3(lines->b[1], lines->b[0]);
  }
  lines->name = tl_feature(8, name_a, name_b);
}

TL_ITEM_LARGE void tl_lines_known_edges(const tl_axis_search *search,
                                        const tl_separating_axis *axis, tl_two_lines *lines) {
  const int32_t *const edge_a = search->a->edge + 2 * axis->index_a;
  const int32_t *const edge_b = search->b->edge + 2 * axis->index_b;
  for (int k = 0; k < 2; k++) {
    tl_copy3(lines->a[k], search->a->point + 3 * edge_a[k]);
    tl_place3(lines->b[k], &search->place, search->b->point + 3 * edge_b[k]);
  }
  lines->count_a = lines->count_b = 2;
  lines->name = tl_feature(9, tl_feature(2, (uint32_t)edge_a[0], (uint32_t)edge_a[1]),
                           tl_feature(2, (uint32_t)edge_b[0], (uint32_t)edge_b[1]));
}

/* The two ends of the overlap of lines side by side. */
TL_ITEM_LARGE void tl_lines_side_by_side(const tl_two_lines *lines, const tl_separating_axis *axis,
                                         double margin, tl_manifold *m) {
  double u[3], v[3], turned[3], from[3];
  tl_sub3(u, lines->a[1], lines->a[0]);
  tl_sub3(v, lines->b[1], lines->b[0]);
  const double uu = tl_dot3(u, u), vv = tl_dot3(v, v);
  tl_cross3(turned, u, v);
  if (!(tl_dot3(turned, turned) < 4e-4 * uu * vv)) {
    return;
  }
  double at[2];
  for (int k = 0; k < 2; k++) {
    tl_sub3(from, lines->b[k], lines->a[0]);
    at[k] = tl_dot3(from, u) / uu;
  }
  const double low = tl_max(tl_min(at[0], at[1]), 0), high = tl_min(tl_max(at[0], at[1]), 1);
  if (!(high - low > 1e-3)) {
    return;
  }
  for (uint32_t k = 0; k < 2; k++) {
    double on_a[3];
    const double s = k ? high : low;
    const double t = (s - at[0]) / (at[1] - at[0]);
    tl_along3(on_a, lines->a[0], s, u);
    for (int i = 0; i < 3; i++) {
      from[i] = lines->b[0][i] + t * v[i] - on_a[i];
    }
    const double gap = tl_dot3(from, axis->normal);
    if (gap < margin) {
      tl_lines_add_point(m, on_a, gap, lines->name + 1 + k);
    }
  }
}

TL_ITEM_LARGE void tl_clip_lines(const tl_axis_search *search, const tl_separating_axis *axis,
                                 double margin, const tl_closest *closest, tl_manifold *m) {
  tl_two_lines lines;
  if (axis->kind == TL_AXIS_EDGES) {
    tl_lines_known_edges(search, axis, &lines);
  } else {
    tl_lines_find_lines(search, axis, &lines);
  }
  if (lines.count_a == 2 && lines.count_b == 2) {
    tl_lines_side_by_side(&lines, axis, margin, m);
  }
  double least = INFINITY;
  for (int k = 0; k < m->count; k++) {
    least = tl_min(least, m->gap[k]);
  }
  if (!(axis->separation < margin) || least <= axis->separation + search->tolerance) {
    return;
  }
  if (closest != NULL) {
    tl_lines_add_point(m, closest->on_a, axis->separation, closest->name);
    return;
  }
  double s, t, on_a[3], farthest[3];
  int32_t index;
  tl_closest_segments(lines.a[0], lines.a[1], lines.b[0], lines.b[1], &s, &t);
  for (int i = 0; i < 3; i++) {
    const double p = (1 - s) * lines.a[0][i] + s * lines.a[1][i];
    const double q = (1 - t) * lines.b[0][i] + t * lines.b[1][i];
    on_a[i] = 0.5 * (p + q);
  }
  /* lines need not be quite square to the normal: the height is that of the solid */
  const double height = tl_solid_support(search->a, axis->normal, farthest, &index);
  tl_along3(on_a, on_a, height - tl_dot3(on_a, axis->normal), axis->normal);
  tl_lines_add_point(m, on_a, axis->separation, lines.name);
}

#endif
