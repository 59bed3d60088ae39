/* hull_loops.c: the corners of a hull's faces, in an order that tells nothing of how the faces were
 * cut into triangles: each face from its lowest corner, faces by their corners. */
#include <stdlib.h>
#include <string.h>

#include "host/collide/hull_merge.h"
#include "host/math/vector.h"

/* Facets of one face, connected; sets follows along its rim. Returns the number of rim edges and a
 * point of the rim; -1 if the rim touches itself. */
static int32_t trace(tl_merge *m, int32_t face, int32_t *begin) {
  const tl_growth *const g = m->g;
  int32_t count = 1, rim = 0;
  m->queue[0] = m->seed[face];
  m->face[m->queue[0]] = -2 - face; /* taken in this walk */
  for (int32_t k = 0; k < count; k++) {
    const tl_facet *const f = &g->facet[m->queue[k]];
    for (int i = 0; i < 3; i++) {
      const int32_t other = f->next[i];
      if (m->face[other] == face) {
        m->face[other] = -2 - face;
        m->queue[count++] = other;
      } else if (m->face[other] != -2 - face) {
        if (m->follows[f->point[i]] >= 0) {
          return -1;
        }
        m->follows[f->point[i]] = f->point[(i + 1) % 3];
        *begin = f->point[i];
        rim++;
      }
    }
  }
  for (int32_t k = 0; k < count; k++) {
    m->face[m->queue[k]] = face;
  }
  return rim;
}

/* A polygon's area, as a vector, by triangles from its first corner. */
typedef struct polygon_area {
  double first[3], before[3], sum[3];
} polygon_area;

static void area_begin(polygon_area *a, const double first[3]) {
  memset(a, 0, sizeof *a);
  tl_copy3(a->first, first);
}

static void area_add(polygon_area *a, const double next[3]) {
  double here[3], part[3];
  tl_sub3(here, next, a->first);
  tl_cross3(part, a->before, here);
  tl_along3(a->sum, a->sum, 1, part);
  tl_copy3(a->before, here);
}

/* The normal by the corners alone leaves no trace of which points on its edges were met. Where
 * these make a difference, in slivers, it is that of all of the rim. */
static void choose_normal(const polygon_area *corners, const polygon_area *rim, double normal[3]) {
  double off[3];
  tl_sub3(off, corners->sum, rim->sum);
  tl_copy3(normal, tl_norm3(off) < 1e-10 * tl_norm3(rim->sum) ? corners->sum : rim->sum);
}

/* The corners of one face in order, from the lowest: no trace of how it was cut. 0 if its rim is no
 * simple loop. */
static bool walk_rim(tl_merge *m, int32_t begin, int32_t rim, int32_t first, tl_face_loop *loop) {
  int32_t p = begin, low = -1;
  polygon_area corners, all;
  for (int32_t k = 0; k < rim && p >= 0; k++) {
    low = m->number[p] >= 0 && (low < 0 || p < low) ? p : low; /* numbers ascend with points */
    p = m->follows[p];
  }
  if (p != begin || low < 0) {
    return false;
  }
  memset(loop, 0, sizeof *loop);
  loop->first = first;
  area_begin(&corners, tl_merge_point(m, low));
  area_begin(&all, tl_merge_point(m, low));
  p = low;
  for (int32_t k = 0; k < rim && p >= 0; k++) {
    const int32_t next = m->follows[p];
    m->follows[p] = -1;
    area_add(&all, tl_merge_point(m, p));
    if (m->number[p] >= 0) {
      area_add(&corners, tl_merge_point(m, p));
      m->corner[first + loop->count++] = m->number[p];
    }
    p = next;
  }
  if (p != low || loop->count < 3) {
    return false;
  }
  loop->corner[0] = m->corner[first];
  loop->corner[1] = m->corner[first + 1];
  choose_normal(&corners, &all, loop->normal);
  return true;
}

static int compare_loops(const void *left, const void *right) {
  const tl_face_loop *const p = left, *const q = right;
  for (int i = 0; i < 2; i++) {
    if (p->corner[i] != q->corner[i]) {
      return p->corner[i] < q->corner[i] ? -1 : 1;
    }
  }
  return 0;
}

bool tl_merge_loops(tl_merge *m) {
  int32_t used = 0;
  memset(m->follows, -1, (size_t)m->g->point_count * sizeof *m->follows);
  for (int32_t f = 0; f < m->face_count; f++) {
    int32_t begin = -1;
    const int32_t rim = trace(m, f, &begin);
    if (rim < 3 || !walk_rim(m, begin, rim, used, &m->loop[f])) {
      return false;
    }
    used += m->loop[f].count;
  }
  qsort(m->loop, (size_t)m->face_count, sizeof *m->loop, compare_loops);
  return true;
}
