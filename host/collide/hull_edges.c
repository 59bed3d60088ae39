/* hull_edges.c: edges and planes of a hull whose faces are known, and whether they fit together. */
#include <stdlib.h>

#include "host/collide/geometry_vector.h"
#include "host/collide/hull_merge.h"

static int compare_edges(const void *left, const void *right) {
  const tl_hull_rim *const p = left, *const q = right;
  if (p->low != q->low) {
    return p->low < q->low ? -1 : 1;
  }
  if (p->high != q->high) {
    return p->high < q->high ? -1 : 1;
  }
  return p->face < q->face ? -1 : p->face > q->face;
}

int tl_hull_edges(tl_hull *hull, tl_hull_rim *rim) {
  const int32_t total = hull->face_first[hull->face_count];
  for (int32_t f = 0; f < hull->face_count; f++) {
    const int32_t first = hull->face_first[f], end = hull->face_first[f + 1];
    for (int32_t k = first; k < end; k++) {
      const int32_t p = hull->face_point[k], q = hull->face_point[k + 1 < end ? k + 1 : first];
      rim[k].low = p < q ? p : q;
      rim[k].high = p < q ? q : p;
      rim[k].face = f;
    }
  }
  qsort(rim, (size_t)total, sizeof *rim, compare_edges);
  hull->edge_count = total / 2;
  for (int32_t k = 0; 2 * k + 1 < total; k++) {
    const tl_hull_rim *const e = &rim[2 * k];
    if (e[0].low != e[1].low || e[0].high != e[1].high || e[0].face == e[1].face) {
      return 0;
    }
    hull->edge[2 * k] = e[0].low;
    hull->edge[2 * k + 1] = e[0].high;
    hull->edge_face[2 * k] = e[0].face;
    hull->edge_face[2 * k + 1] = e[1].face;
  }
  return total % 2 == 0 && hull->point_count - hull->edge_count + hull->face_count == 2;
}

void tl_hull_touch(tl_hull *hull) {
  for (int32_t f = 0; f < hull->face_count; f++) {
    double *const plane = hull->face_plane + 4 * f;
    plane[3] = -INFINITY;
    for (int32_t k = 0; k < hull->point_count; k++) {
      plane[3] = fmax(plane[3], tl_dot3(plane, hull->point + 3 * k));
    }
  }
}

int tl_hull_planes(tl_hull *hull, const double *point, int32_t point_count, double tolerance) {
  tl_hull_touch(hull);
  for (int32_t f = 0; f < hull->face_count; f++) {
    const double *const plane = hull->face_plane + 4 * f;
    for (int32_t k = hull->face_first[f]; k < hull->face_first[f + 1]; k++) {
      if (plane[3] - tl_dot3(plane, hull->point + 3 * hull->face_point[k]) > tolerance) {
        return 0;
      }
    }
    for (int32_t k = 0; k < point_count; k++) {
      if (tl_dot3(plane, point + 3 * k) - plane[3] > tolerance) {
        return 0;
      }
    }
  }
  return 1;
}
