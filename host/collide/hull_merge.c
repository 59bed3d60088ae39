/* hull_merge.c: joins the triangles of a hull into polygons where they lie in one plane.
 *
 * Faces spread from the largest triangle not yet taken to neighbours whose corners lie in its
 * plane, so that slivers, whose own planes mean nothing, end up in a proper face. Corners at which
 * only two faces meet are points on an edge and are dropped. The result is checked: every edge
 * between two faces, Euler's count, no point outside. */
#include "host/collide/hull_merge.h"

#include <stdlib.h>
#include <string.h>

#include "host/collide/geometry_vector.h"

typedef struct by_area {
  double area;
  int32_t facet;
} by_area;

typedef struct merge {
  const tl_growth *g;
  double flat; /* a length */
  int32_t face_count, boundary_count;
  int32_t *face;    /* per facet, -1: not taken */
  int32_t *queue;   /* facets */
  int32_t *follows; /* per point: the next corner of the face being walked */
  int32_t *meet;    /* per point: how many faces meet there */
  int32_t *number;  /* per point: in the hull, -1 not */
  int32_t *seed;    /* per face: its first facet */
  by_area *order;
  tl_hull_rim *rim;
} merge;

static int compare_area(const void *left, const void *right) {
  const by_area *const p = left, *const q = right;
  if (p->area != q->area) {
    return p->area > q->area ? -1 : 1;
  }
  return p->facet < q->facet ? -1 : p->facet > q->facet;
}

static const double *at(const merge *m, int32_t point) {
  return m->g->point + 3 * (size_t)point;
}

static int is_flat_with(const merge *m, const tl_facet *seed, const tl_facet *other) {
  for (int i = 0; i < 3; i++) {
    if (fabs(tl_dot3(seed->plane, at(m, other->point[i])) - seed->plane[3]) > m->flat) {
      return 0;
    }
  }
  return tl_dot3(seed->plane, other->plane) > 0 || other->area < m->flat * m->g->extent;
}

static void spread(merge *m, int32_t first) {
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

static void find_faces(merge *m) {
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

static int is_boundary(const merge *m, int32_t facet, int k) {
  return m->face[facet] != m->face[m->g->facet[facet].next[k]];
}

/* Counts the faces around each point and numbers the corners of the hull. */
static int32_t find_corners(merge *m) {
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

/* Facets of one face, connected; sets follows along its rim. Returns the number of rim edges and a
 * point of the rim; -1 if the rim touches itself. */
static int32_t trace(merge *m, int32_t face, int32_t *begin, double area[3]) {
  const tl_growth *const g = m->g;
  int32_t count = 1, rim = 0;
  tl_set3(area, 0, 0, 0);
  m->queue[0] = m->seed[face];
  m->face[m->queue[0]] = -2 - face; /* taken in this walk */
  for (int32_t k = 0; k < count; k++) {
    const tl_facet *const f = &g->facet[m->queue[k]];
    tl_along3(area, area, f->area, f->plane);
    for (int i = 0; i < 3; i++) {
      const int32_t other = f->next[i];
      if (m->face[other] == face) {
        m->face[other] = -2 - face;
        m->queue[count++] = other;
      } else if (m->face[other] != -2 - face) {
        if (m->follows[f->point[i]] >= 0) {
          rim = -1;
        }
        m->follows[f->point[i]] = f->point[(i + 1) % 3];
        *begin = f->point[i];
        rim = rim < 0 ? -1 : rim + 1;
      }
      if (rim < 0) {
        return -1;
      }
    }
  }
  for (int32_t k = 0; k < count; k++) {
    m->face[m->queue[k]] = face;
  }
  return rim;
}

/* The corners of one face in order, from the lowest; 0 if its rim is no simple loop. */
static int walk_rim(merge *m, int32_t begin, int32_t rim, int32_t *corner, int32_t *count) {
  int32_t p = begin;
  *count = 0;
  for (int32_t k = 0; k < rim; k++) {
    const int32_t next = m->follows[p];
    if (next < 0) {
      return 0;
    }
    m->follows[p] = -1;
    if (m->number[p] >= 0) {
      corner[(*count)++] = m->number[p];
    }
    p = next;
  }
  int32_t low = 0;
  for (int32_t k = 1; k < *count; k++) {
    low = corner[k] < corner[low] ? k : low;
  }
  /* turned round so that it begins with the lowest: no trace of the order in which facets came */
  for (int32_t k = 0; k < low; k++) {
    const int32_t first = corner[0];
    memmove(corner, corner + 1, (size_t)(*count - 1) * sizeof *corner);
    corner[*count - 1] = first;
  }
  return p == begin && *count >= 3;
}

static int fill_faces(merge *m, tl_hull *hull) {
  hull->face_first[0] = 0;
  memset(m->follows, -1, (size_t)m->g->point_count * sizeof *m->follows);
  for (int32_t f = 0; f < m->face_count; f++) {
    double *const plane = hull->face_plane + 4 * f;
    int32_t begin = -1, count = 0;
    const int32_t first = hull->face_first[f], rim = trace(m, f, &begin, plane);
    if (rim < 3 || !walk_rim(m, begin, rim, hull->face_point + first, &count)) {
      return 0;
    }
    hull->face_first[f + 1] = first + count;
    if (!(tl_unit3(plane) > 0)) {
      return 0;
    }
  }
  hull->face_count = m->face_count;
  return 1;
}

static talus_status hull_alloc(const merge *m, tl_hull *hull, int32_t corner_count) {
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

static talus_status merge_alloc(merge *m) {
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
                {(void **)&m->order, facets, sizeof(by_area)},
                {(void **)&m->rim, 3 * facets, sizeof(tl_hull_rim)}};
  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
    TL_TRY(tl_alloc(m->g->context, wanted[k].memory, wanted[k].count, wanted[k].size, "hull"));
  }
  return TALUS_OK;
}

static void merge_release(merge *m) {
  void *const memory[] = {m->face,   m->queue, m->follows, m->meet,
                          m->number, m->seed,  m->order,   m->rim};
  for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) {
    tl_free(m->g->context, memory[k]);
  }
}

static talus_status fill(merge *m, tl_hull *hull, int *good) {
  find_faces(m);
  const int32_t corner_count = find_corners(m);
  if (corner_count < 4 || m->face_count < 4) {
    return TALUS_OK;
  }
  TL_TRY(hull_alloc(m, hull, corner_count));
  for (int32_t k = 0; k < m->g->point_count; k++) {
    if (m->number[k] >= 0) {
      tl_copy3(hull->point + 3 * m->number[k], at(m, k));
    }
  }
  *good = fill_faces(m, hull) && tl_hull_edges(hull, m->rim) &&
          tl_hull_planes(hull, m->g->point, m->g->point_count, 20 * m->flat);
  return TALUS_OK;
}

talus_status tl_hull_merge(const tl_growth *growth, double flat, const double middle[3],
                           tl_hull *hull, int *good) {
  merge m;
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
    tl_hull_touch(hull); /* the corners where rounding has put them */
  }
  return status;
}
