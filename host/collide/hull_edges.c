/* hull_edges.c: edges and planes of a hull whose faces are known, and whether they fit together. */
#include <stdlib.h>

#include "host/collide/collide.h"
#include "host/collide/hull_merge.h"
#include "host/math/vector.h"

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

bool tl_hull_edges(tl_hull *hull, tl_hull_rim *rim) {
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
      return false;
    }
    hull->edge[2 * k] = e[0].low;
    hull->edge[2 * k + 1] = e[0].high;
    hull->edge_face[2 * k] = e[0].face;
    hull->edge_face[2 * k + 1] = e[1].face;
  }
  return total % 2 == 0 && hull->point_count - hull->edge_count + hull->face_count == 2;
}

talus_status tl_hull_fit_planes(talus_context *context, tl_hull *hull) {
  tl_support support;
  const talus_status status = tl_support_begin(context, &support, hull->point, hull->point_count);
  for (int32_t f = 0; status == TALUS_OK && f < hull->face_count; f++) {
    double *const plane = hull->face_plane + 4 * f, reach = -INFINITY;
    for (int32_t k = hull->face_first[f]; k < hull->face_first[f + 1]; k++) {
      reach = fmax(reach, tl_dot3(plane, hull->point + 3 * hull->face_point[k]));
    }
    plane[3] = tl_support_reach(&support, plane, reach) + 0.0; /* a 0 without its sign */
  }
  tl_support_release(context, &support);
  return status;
}

bool tl_hull_covers(const tl_hull *hull, const tl_support *points, double tolerance) {
  for (int32_t f = 0; f < hull->face_count; f++) {
    const double *const plane = hull->face_plane + 4 * f;
    double low = INFINITY;
    for (int32_t k = hull->face_first[f]; k < hull->face_first[f + 1]; k++) {
      low = fmin(low, tl_dot3(plane, hull->point + 3 * hull->face_point[k]));
    }
    if (tl_support_reach(points, plane, low) - low > tolerance) {
      return false;
    }
  }
  return true;
}
