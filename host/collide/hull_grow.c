/* hull_grow.c: the convex hull of points as triangles, by Barber's quickhull.
 *
 * From a tetrahedron on: the farthest point outside some facet is joined to the rim of all facets
 * it sees. Facets that it lies beside by less than `near` count as seen, so that no new facet is
 * almost flat against its neighbour. But a facet in whose plane it lies but for rounding stays, and
 * the new facet beside it takes over its plane: a flat face grows by pieces, which all have the
 * plane of a large one, whatever slivers they are. Where a piece would have no width, or be turned
 * over, the facet behind its edge counts as seen too.
 *
 * Rejected: joining a flat face anew from each of its points (10 s for a tin of 10 000 sides), and
 * libqhull, which merges facets (23 s for the tin; 0.10 s instead of 0.03 s for 20 000 points on a
 * ball) and whose tolerances would make other polyhedra of almost flat points than a build without
 * it. */
#include "host/collide/hull_grow.h"

#include <string.h>

#include "host/collide/collide.h"
#include "host/math/vector.h"

talus_status tl_growth_begin(talus_context *context, tl_growth *g, const double *point,
                             int32_t point_count) {
  memset(g, 0, sizeof *g);
  g->context = context;
  g->point = point;
  g->point_count = point_count;
  /* at most 2 n facets are alive, and at most n are made before as many die */
  g->facet_capacity = 4 * point_count + 16;
  const size_t facets = (size_t)g->facet_capacity, points = (size_t)point_count;
  void *memory;
  TL_TRY(tl_alloc(context, &memory, facets, sizeof *g->facet, "hull"));
  g->facet = memory;
  TL_TRY(tl_alloc(context, &memory, facets, sizeof *g->free, "hull"));
  g->free = memory;
  TL_TRY(tl_alloc(context, &memory, facets, sizeof *g->stack, "hull"));
  g->stack = memory;
  TL_TRY(tl_alloc(context, &memory, points, sizeof *g->link, "hull"));
  g->link = memory;
  TL_TRY(tl_alloc(context, &memory, points, sizeof *g->rim, "hull"));
  g->rim = memory;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int32_t k = 0; k < 3 * point_count; k++) {
    low[k % 3] = fmin(low[k % 3], point[k]);
    high[k % 3] = fmax(high[k % 3], point[k]);
  }
  g->extent = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
  return TALUS_OK;
}

void tl_growth_release(tl_growth *g) {
  tl_free(g->context, g->facet);
  tl_free(g->context, g->free);
  tl_free(g->context, g->stack);
  tl_free(g->context, g->link);
  tl_free(g->context, g->rim);
  memset(g, 0, sizeof *g);
}

static const double *at(const tl_growth *g, int32_t point) {
  return g->point + 3 * (size_t)point;
}

static double height(const tl_facet *facet, const double x[3]) {
  return tl_dot3(facet->plane, x) - facet->plane[3];
}

/* -1 if there is no room, which a surface without knots never needs. */
static int32_t make_facet(tl_growth *g, int32_t p, int32_t q, int32_t r) {
  if (g->free_count == 0 && g->facet_count == g->facet_capacity) {
    return -1;
  }
  const int32_t number = g->free_count > 0 ? g->free[--g->free_count] : g->facet_count++;
  tl_facet *const f = &g->facet[number];
  double u[3], v[3];
  f->point[0] = p;
  f->point[1] = q;
  f->point[2] = r;
  f->next[0] = f->next[1] = f->next[2] = -1;
  f->outside = -1;
  f->alive = 1;
  f->seen = 0;
  tl_sub3(u, at(g, q), at(g, p));
  tl_sub3(v, at(g, r), at(g, p));
  tl_cross3(f->plane, u, v);
  f->area = f->breadth = tl_unit3(f->plane);
  f->plane[3] = tl_dot3(f->plane, at(g, p));
  return number;
}

static void kill_facet(tl_growth *g, int32_t number) {
  g->facet[number].alive = 0;
  g->free[g->free_count++] = number;
}

/* Gives the point to the facet that it is farthest outside of, among those named. */
static void assign(tl_growth *g, int32_t point, const int32_t *facet, int32_t count) {
  double best = g->near;
  int32_t found = -1;
  for (int32_t k = 0; k < count; k++) {
    const double h = height(&g->facet[facet[k]], at(g, point));
    if (h > best) {
      best = h;
      found = facet[k];
    }
  }
  if (found >= 0) {
    g->link[point] = g->facet[found].outside;
    g->facet[found].outside = point;
  }
}

/* Four points far from each other; 0 if there are none out of a plane. */
static bool first_four(const tl_growth *g, int32_t corner[4]) {
  double best = -1, u[3], v[3], w[3], turned[3];
  for (int i = 0; i < 3; i++) {
    int32_t low = 0, high = 0;
    for (int32_t k = 1; k < g->point_count; k++) {
      low = at(g, k)[i] < at(g, low)[i] ? k : low;
      high = at(g, k)[i] > at(g, high)[i] ? k : high;
    }
    if (at(g, high)[i] - at(g, low)[i] > best) {
      best = at(g, high)[i] - at(g, low)[i];
      corner[0] = low;
      corner[1] = high;
    }
  }
  const double flat = 1e-7 * g->extent;
  if (!(best > 0)) {
    return false;
  }
  tl_sub3(u, at(g, corner[1]), at(g, corner[0]));
  tl_unit3(u);
  best = flat;
  corner[2] = corner[3] = -1;
  for (int32_t k = 0; k < g->point_count; k++) {
    tl_sub3(v, at(g, k), at(g, corner[0]));
    tl_cross3(turned, u, v);
    if (tl_norm3(turned) > best) {
      best = tl_norm3(turned);
      corner[2] = k;
    }
  }
  if (corner[2] < 0) {
    return false;
  }
  tl_sub3(v, at(g, corner[2]), at(g, corner[0]));
  tl_cross3(turned, u, v);
  tl_unit3(turned);
  best = flat;
  for (int32_t k = 0; k < g->point_count; k++) {
    tl_sub3(w, at(g, k), at(g, corner[0]));
    if (fabs(tl_dot3(turned, w)) > best) {
      best = fabs(tl_dot3(turned, w));
      corner[3] = k;
    }
  }
  if (corner[3] < 0) {
    return false;
  }
  /* the first three counter-clockwise seen from outside, that is with the fourth below */
  tl_sub3(w, at(g, corner[3]), at(g, corner[0]));
  if (tl_dot3(turned, w) > 0) {
    const int32_t swapped = corner[1];
    corner[1] = corner[2];
    corner[2] = swapped;
  }
  return true;
}

static void start(tl_growth *g, const int32_t c[4]) {
  static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const int32_t next[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  static const int32_t all[4] = {0, 1, 2, 3};
  g->facet_count = g->free_count = 0;
  for (int f = 0; f < 4; f++) {
    make_facet(g, c[corner[f][0]], c[corner[f][1]], c[corner[f][2]]);
    memcpy(g->facet[f].next, next[f], sizeof next[f]);
  }
  for (int32_t k = 0; k < g->point_count; k++) {
    if (k != c[0] && k != c[1] && k != c[2] && k != c[3]) {
      assign(g, k, all, 4);
    }
  }
}

/* Whether a facet over the edge i of one that is seen could stand beside the one beyond: it needs
 * some width, and, if both are in one plane, the same side up. */
static bool edge_carries(const tl_growth *g, const tl_facet *seen, int i, const double x[3]) {
  const tl_facet *const beyond = &g->facet[seen->next[i]];
  const double *const from = at(g, seen->point[i]);
  double along[3], to[3], turned[3];
  tl_sub3(along, at(g, seen->point[(i + 1) % 3]), from);
  tl_sub3(to, x, from);
  tl_cross3(turned, along, to);
  const double least = g->near * tl_norm3(along);
  return tl_norm3(turned) > least &&
         (fabs(height(beyond, x)) > g->flat || tl_dot3(turned, beyond->plane) > least);
}

/* Facets seen from the point, connected with the first; returns how many stand on the stack. */
static int32_t find_seen(tl_growth *g, int32_t first, const double x[3]) {
  int32_t count = 1;
  g->stack[0] = first;
  g->facet[first].seen = 1;
  for (int32_t k = 0; k < count; k++) {
    for (int i = 0; i < 3; i++) {
      const int32_t other = g->facet[g->stack[k]].next[i];
      const double h = height(&g->facet[other], x);
      if (!g->facet[other].seen && h > -g->near && fabs(h) > g->flat) {
        g->facet[other].seen = 1;
        g->stack[count++] = other;
      }
    }
  }
  for (int32_t k = 0; k < count; k++) {
    for (int i = 0; i < 3; i++) {
      const int32_t other = g->facet[g->stack[k]].next[i];
      if (!g->facet[other].seen && !edge_carries(g, &g->facet[g->stack[k]], i, x)) {
        g->facet[other].seen = 1;
        g->stack[count++] = other;
      }
    }
  }
  return count;
}

/* Takes over the plane of a neighbour that is flat with it and of a larger facet. */
static void share_plane(const tl_growth *g, tl_facet *made, const tl_facet *beside) {
  if (fabs(height(beside, at(g, made->point[2]))) <= g->flat && beside->breadth > made->breadth) {
    memcpy(made->plane, beside->plane, sizeof made->plane);
    made->breadth = beside->breadth;
  }
}

/* New facets over the rim; `made` receives them. Returns their number, -1 for a knotted rim. */
static int32_t join_rim(tl_growth *g, int32_t apex, int32_t seen, int32_t *made) {
  int32_t count = 0;
  for (int32_t k = 0; k < seen; k++) {
    for (int i = 0; i < 3; i++) {
      const int32_t old = g->stack[k], beyond = g->facet[old].next[i];
      if (g->facet[beyond].seen) {
        continue;
      }
      const int32_t u = g->facet[old].point[i], v = g->facet[old].point[(i + 1) % 3];
      const int32_t number = make_facet(g, u, v, apex);
      if (number < 0 || g->rim[u] >= 0 || !(g->facet[number].area > 0)) {
        return -1;
      }
      share_plane(g, &g->facet[number], &g->facet[beyond]);
      g->rim[u] = number;
      g->facet[number].next[0] = beyond;
      for (int j = 0; j < 3; j++) {
        if (g->facet[beyond].point[j] == v && g->facet[beyond].point[(j + 1) % 3] == u) {
          g->facet[beyond].next[j] = number;
        }
      }
      made[count++] = number;
    }
  }
  for (int32_t k = 0; k < count; k++) {
    tl_facet *const f = &g->facet[made[k]];
    const int32_t after = g->rim[f->point[1]];
    if (after < 0) {
      return -1;
    }
    f->next[1] = after;
    g->facet[after].next[2] = made[k];
  }
  for (int32_t k = 0; k < count; k++) {
    g->rim[g->facet[made[k]].point[0]] = -1;
  }
  return count;
}

static int32_t take_farthest(tl_growth *g, int32_t facet) {
  tl_facet *const f = &g->facet[facet];
  int32_t best = f->outside;
  for (int32_t k = f->outside; k >= 0; k = g->link[k]) {
    if (height(f, at(g, k)) > height(f, at(g, best))) {
      best = k;
    }
  }
  int32_t *place = &f->outside;
  while (*place != best) {
    place = &g->link[*place];
  }
  *place = g->link[best];
  return best;
}

/* Joins the farthest point outside the facet to the surface. */
static bool add_point(tl_growth *g, int32_t facet) {
  const int32_t apex = take_farthest(g, facet);
  const int32_t seen = find_seen(g, facet, at(g, apex));
  int32_t *const made = g->stack + seen; /* seen and new facets together fit the capacity */
  const int32_t count = join_rim(g, apex, seen, made);
  if (count < 3) {
    return false;
  }
  for (int32_t k = 0; k < seen; k++) {
    int32_t next;
    for (int32_t p = g->facet[g->stack[k]].outside; p >= 0; p = next) {
      next = g->link[p];
      assign(g, p, made, count);
    }
    kill_facet(g, g->stack[k]);
  }
  return true;
}

tl_growth_result tl_growth_run(tl_growth *g, double near) {
  int32_t corner[4];
  g->near = near * g->extent;
  g->flat = 0.01 * g->near;
  if (!first_four(g, corner)) {
    return TL_GROWTH_FLAT;
  }
  memset(g->rim, -1, (size_t)g->point_count * sizeof *g->rim);
  start(g, corner);
  /* new facets take gaps before and places behind: go round until a round finds nothing to do */
  int busy = 1;
  while (busy) {
    busy = 0;
    for (int32_t f = 0; f < g->facet_count; f++) {
      while (g->facet[f].alive && g->facet[f].outside >= 0) {
        busy = 1;
        if (!add_point(g, f)) {
          return TL_GROWTH_CONFUSED;
        }
      }
    }
  }
  return TL_GROWTH_DONE;
}
