/* hull_merge.c: joins the triangles of a hull into polygons where they lie in one plane.
 *
 * Faces spread from the largest triangle not yet taken to neighbours whose corners lie in its
 * plane, so that slivers, whose own planes mean nothing, end up in a proper face. Corners at which
 * only two faces meet are points on an edge and are dropped. hull_loops.c puts faces and corners in
 * their order. The result is checked: every edge between two faces, Euler's count, no point
 * outside. */
#include "host/collide/hull_merge.h"

#include <stdlib.h>
#include <string.h>

#include "host/collide/collide.h"
#include "host/math/vector.h"

static int compare_area(const void *left, const void *right) {
  const tl_by_area *const p = left, *const q = right;
  if (p->area != q->area) {
    return p->area > q->area ? -1 : 1;
  }
  return p->facet < q->facet ? -1 : p->facet > q->facet;
}

static bool is_flat_with(const tl_merge *m, const tl_facet *seed, const tl_facet *other) {
  for (int i = 0; i < 3; i++) {
    if (fabs(tl_dot3(seed->plane, tl_merge_point(m, other->point[i])) - seed->plane[3]) > m->flat) {
      return false;
    }
  }
  return tl_dot3(seed->plane, other->plane) > 0 || other->area < m->flat * m->g->extent;
}

static void spread(tl_merge *m, int32_t first) {
  const tl_growth *const g = m->g;
  const int32_t face = m->face_count++;
  int32_t count = 1;
  m->seed[face] = first;
  m->queue[0] = first;
  m->face[first] = face;
  for (int32_t k = 0; k < count; k++) {
    for (int i = 0; i < 3; i++) {
      const int32_t other = g->facet[m->queue[k]].next[i];
      if (m->face[other] < 0 && is_flat_with(m, &g->facet[first], &g->facet[other])) {
        m->face[other] = face;
        m->queue[count++] = other;
      }
    }
  }
}

static void find_faces(tl_merge *m) {
  const tl_growth *const g = m->g;
  int32_t count = 0;
  for (int32_t f = 0; f < g->facet_count; f++) {
    m->face[f] = -1;
    if (g->facet[f].alive) {
      m->order[count].area = g->facet[f].area;
      m->order[count++].facet = f;
    }
  }
  qsort(m->order, (size_t)count, sizeof *m->order, compare_area);
  m->face_count = 0;
  for (int32_t k = 0; k < count; k++) {
    if (m->face[m->order[k].facet] < 0) {
      spread(m, m->order[k].facet);
    }
  }
}

static bool is_boundary(const tl_merge *m, int32_t facet, int k) {
  return m->face[facet] != m->face[m->g->facet[facet].next[k]];
}

/* Counts the faces around each point and numbers the corners of the hull. */
static int32_t find_corners(tl_merge *m) {
  const tl_growth *const g = m->g;
  int32_t count = 0;
  memset(m->meet, 0, (size_t)g->point_count * sizeof *m->meet);
  m->boundary_count = 0;
  for (int32_t f = 0; f < g->facet_count; f++) {
    for (int i = 0; i < 3 && g->facet[f].alive; i++) {
      if (is_boundary(m, f, i)) {
        m->meet[g->facet[f].point[i]]++;
        m->boundary_count++;
      }
    }
  }
  for (int32_t k = 0; k < g->point_count; k++) {
    m->number[k] = m->meet[k] > 2 ? count++ : -1;
  }
  return count;
}

static bool fill_faces(tl_merge *m, tl_hull *hull) {
  if (!tl_merge_loops(m)) {
    return false;
  }
  hull->face_first[0] = 0;
  for (int32_t f = 0; f < m->face_count; f++) {
    const tl_face_loop *const loop = &m->loop[f];
    const int32_t first = hull->face_first[f];
    double *const plane = hull->face_plane + 4 * f;
    memcpy(hull->face_point + first, m->corner + loop->first,
           (size_t)loop->count * sizeof *hull->face_point);
    hull->face_first[f + 1] = first + loop->count;
    tl_copy3(plane, loop->normal);
    if (!(tl_unit3(plane) > 0)) {
      return false;
    }
  }
  hull->face_count = m->face_count;
  return true;
}

static talus_status hull_alloc(const tl_merge *m, tl_hull *hull, int32_t corner_count) {
  talus_context *const context = m->g->context;
  const size_t rim = (size_t)m->boundary_count;
  const struct {
    void **memory;
    size_t count, size;
  } wanted[] = {{(void **)&hull->point, 3 * (size_t)corner_count, sizeof(double)},
                {(void **)&hull->face_first, (size_t)m->face_count + 1, sizeof(int32_t)},
                {(void **)&hull->face_point, rim, sizeof(int32_t)},
                {(void **)&hull->face_plane, 4 * (size_t)m->face_count, sizeof(double)},
                {(void **)&hull->edge, rim, sizeof(int32_t)},
                {(void **)&hull->edge_face, rim, sizeof(int32_t)}};
  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
    tl_free(context, *wanted[k].memory); /* of an attempt before */
    TL_TRY(tl_alloc(context, wanted[k].memory, wanted[k].count, wanted[k].size, "hull"));
  }
  hull->point_count = corner_count;
  return TALUS_OK;
}

static talus_status merge_alloc(tl_merge *m) {
  const size_t facets = (size_t)m->g->facet_count, points = (size_t)m->g->point_count;
  const struct {
    void **memory;
    size_t count, size;
  } wanted[] = {{(void **)&m->face, facets, sizeof(int32_t)},
                {(void **)&m->queue, facets, sizeof(int32_t)},
                {(void **)&m->follows, points, sizeof(int32_t)},
                {(void **)&m->meet, points, sizeof(int32_t)},
                {(void **)&m->number, points, sizeof(int32_t)},
                {(void **)&m->seed, facets, sizeof(int32_t)},
                {(void **)&m->corner, 3 * facets, sizeof(int32_t)},
                {(void **)&m->loop, facets, sizeof(tl_face_loop)},
                {(void **)&m->order, facets, sizeof(tl_by_area)},
                {(void **)&m->rim, 3 * facets, sizeof(tl_hull_rim)}};
  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
    TL_TRY(tl_alloc(m->g->context, wanted[k].memory, wanted[k].count, wanted[k].size, "hull"));
  }
  return TALUS_OK;
}

static void merge_release(tl_merge *m) {
  void *const memory[] = {m->face, m->queue,  m->follows, m->meet,  m->number,
                          m->seed, m->corner, m->loop,    m->order, m->rim};
  for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) {
    tl_free(m->g->context, memory[k]);
  }
}

static talus_status fill(tl_merge *m, tl_hull *hull, int *good) {
  find_faces(m);
  const int32_t corner_count = find_corners(m);
  if (corner_count < 4 || m->face_count < 4) {
    return TALUS_OK;
  }
  TL_TRY(hull_alloc(m, hull, corner_count));
  for (int32_t k = 0; k < m->g->point_count; k++) {
    if (m->number[k] >= 0) {
      tl_copy3(hull->point + 3 * m->number[k], tl_merge_point(m, k));
    }
  }
  if (!fill_faces(m, hull) || !tl_hull_edges(hull, m->rim)) {
    return TALUS_OK;
  }
  tl_support points;
  const talus_status status =
      tl_support_begin(m->g->context, &points, m->g->point, m->g->point_count);
  *good = status == TALUS_OK && tl_hull_covers(hull, &points, 20 * m->flat);
  tl_support_release(m->g->context, &points);
  return status;
}

talus_status tl_hull_merge(const tl_growth *growth, double flat, const double middle[3],
                           tl_hull *hull, int *good) {
  tl_merge m;
  memset(&m, 0, sizeof m);
  m.g = growth;
  m.flat = flat * growth->extent;
  *good = 0;
  talus_status status = merge_alloc(&m);
  if (status == TALUS_OK) {
    status = fill(&m, hull, good);
  }
  merge_release(&m);
  if (status == TALUS_OK && *good) {
    for (int32_t k = 0; k < hull->point_count; k++) {
      tl_along3(hull->point + 3 * k, hull->point + 3 * k, 1, middle);
    }
    status =
        tl_hull_fit_planes(growth->context, hull); /* the corners where rounding has put them */
  }
  return status;
}
