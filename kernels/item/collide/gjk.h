/* gjk.h: Gilbert, Johnson and Keerthi's distance of convex solids.
 *
 * The point nearest to the origin of the set of differences (points of b minus points of a) is
 * approached by simplices of up to four of its points. The nearest point of a simplex is found by
 * looking at every one of its faces, edges and corners: slower than walking from one to the next,
 * but it cannot be led astray by rounding. */
#ifndef TL_ITEM_GJK_H
#define TL_ITEM_GJK_H

#include <string.h>

#include "kernels/item/collide/solid.h"

/* Nearest points of two solids that are apart, in the frame of the first. */
typedef struct tl_closest {
  double distance;
  double on_a[3], on_b[3];
  uint32_t name; /* of the corners they lie between */
} tl_closest;

enum { TL_GJK_ROUNDS = 96 };

typedef struct tl_gjk_vertex {
  double difference[3], on_a[3], on_b[3];
  int32_t index_a, index_b;
} tl_gjk_vertex;

typedef struct tl_gjk_simplex {
  int count;
  tl_gjk_vertex at[4];
  double weight[4];
} tl_gjk_simplex;

TL_ITEM_LARGE tl_gjk_vertex tl_gjk_farthest(const tl_solid *a, const tl_solid *b,
                                            const tl_pose *place, const double direction[3]) {
  tl_gjk_vertex v;
  double local[3], point[3];
  tl_solid_support(a, direction, v.on_a, &v.index_a);
  tl_turn_back3(local, place->rotation, direction);
  tl_scale3(local, -1, local);
  tl_solid_support(b, local, point, &v.index_b);
  tl_place3(v.on_b, place, point);
  tl_sub3(v.difference, v.on_b, v.on_a);
  return v;
}

/* Solves the symmetric system of up to three unknowns by elimination without exchange; 0 if it is
 * nearly singular. */
TL_ITEM_LARGE bool tl_gjk_solve_small(double m[3][3], double x[3], int n) {
  double scale[3];
  for (int i = 0; i < n; i++) {
    scale[i] = m[i][i];
  }
  for (int i = 0; i < n; i++) {
    if (!(m[i][i] > 1e-13 * scale[i])) {
      return false;
    }
    for (int r = i + 1; r < n; r++) {
      const double f = m[r][i] / m[i][i];
      for (int c = i; c < n; c++) {
        m[r][c] -= f * m[i][c];
      }
      x[r] -= f * x[i];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int c = i + 1; c < n; c++) {
      x[i] -= m[i][c] * x[c];
    }
    x[i] /= m[i][i];
  }
  return true;
}

/* The point of the flat through the chosen corners that is nearest to the origin, as weights; 0 if
 * it is not between them. */
TL_ITEM_LARGE bool tl_gjk_nearest_of_flat(const tl_gjk_simplex *s, const int *chosen, int count,
                                          double weight[4]) {
  double edge[3][3], m[3][3], x[3];
  const double *const base = s->at[chosen[0]].difference;
  for (int i = 1; i < count; i++) {
    tl_sub3(edge[i - 1], s->at[chosen[i]].difference, base);
  }
  for (int i = 0; i < count - 1; i++) {
    for (int j = 0; j < count - 1; j++) {
      m[i][j] = tl_dot3(edge[i], edge[j]);
    }
    x[i] = -tl_dot3(edge[i], base);
  }
  if (!tl_gjk_solve_small(m, x, count - 1)) {
    return false;
  }
  weight[0] = 1;
  for (int i = 1; i < count; i++) {
    if (!(x[i - 1] > 0)) {
      return false;
    }
    weight[i] = x[i - 1];
    weight[0] -= x[i - 1];
  }
  return weight[0] > 0;
}

TL_ITEM_LARGE void tl_gjk_combine(double out[3], const tl_gjk_simplex *s, const int *chosen,
                                  int count, const double weight[4]) {
  tl_set3(out, 0, 0, 0);
  for (int i = 0; i < count; i++) {
    tl_along3(out, out, weight[i], s->at[chosen[i]].difference);
  }
}

/* Reduces the simplex to the part that holds its nearest point, and gives that point. */
TL_ITEM_LARGE void tl_gjk_reduce(tl_gjk_simplex *s, double nearest[3]) {
  double best = INFINITY, best_weight[4] = {1, 0, 0, 0};
  int best_chosen[4] = {s->count - 1, 0, 0, 0}, best_count = 1;
  tl_copy3(nearest, s->at[s->count - 1].difference);
  for (int mask = 1; mask < 1 << s->count; mask++) {
    int chosen[4], count = 0;
    double weight[4], point[3];
    for (int i = 0; i < s->count; i++) {
      if (mask & 1 << i) {
        chosen[count++] = i;
      }
    }
    if (!tl_gjk_nearest_of_flat(s, chosen, count, weight)) {
      continue;
    }
    tl_gjk_combine(point, s, chosen, count, weight);
    const double square = tl_dot3(point, point);
    if (square < best) {
      best = square;
      best_count = count;
      memcpy(best_chosen, chosen, sizeof chosen);
      memcpy(best_weight, weight, sizeof weight);
      tl_copy3(nearest, point);
    }
  }
  /* chosen is ascending: no corner is overwritten before it has been moved */
  for (int i = 0; i < best_count; i++) {
    s->at[i] = s->at[best_chosen[i]];
    s->weight[i] = best_weight[i];
  }
  s->count = best_count;
}

TL_ITEM bool tl_gjk_is_same(const double a[3], const double b[3]) {
  uint64_t p[3], q[3];
  memcpy(p, a, sizeof p);
  memcpy(q, b, sizeof q);
  return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

TL_ITEM_LARGE bool tl_gjk_is_known(const tl_gjk_simplex *s, const tl_gjk_vertex *v) {
  for (int i = 0; i < s->count; i++) {
    if (tl_gjk_is_same(s->at[i].difference, v->difference)) {
      return true;
    }
  }
  return false;
}

TL_ITEM_LARGE void tl_gjk_finish(const tl_gjk_simplex *s, double distance, tl_closest *closest) {
  uint32_t name_a = 0, name_b = 0;
  closest->distance = distance;
  tl_set3(closest->on_a, 0, 0, 0);
  tl_set3(closest->on_b, 0, 0, 0);
  for (int i = 0; i < s->count; i++) {
    tl_along3(closest->on_a, closest->on_a, s->weight[i], s->at[i].on_a);
    tl_along3(closest->on_b, closest->on_b, s->weight[i], s->at[i].on_b);
    /* sums and maxima do not depend on the order in which corners were found */
    const uint32_t a = (uint32_t)s->at[i].index_a, b = (uint32_t)s->at[i].index_b;
    name_a = name_a > a ? name_a : a;
    name_b = name_b > b ? name_b : b;
  }
  closest->name = tl_feature(7, name_a, name_b);
}

/* Returns false if the solids overlap or touch so closely that no direction can be told. start: a
 * guess of the direction from a to b. enough: solids that are farther apart need no exact answer;
 * the direction from on_a to on_b then separates them by more than that. Polyhedra are exact to
 * rounding, the normals of cylinders to about 1e-6. */
TL_ITEM_LARGE bool tl_gjk_distance(const tl_solid *a, const tl_solid *b, const tl_pose *place,
                                   const double start[3], double enough, tl_closest *closest) {
  tl_gjk_simplex s, before;
  double nearest[3];
  s.at[0] = tl_gjk_farthest(a, b, place, start);
  s.weight[0] = 1;
  s.count = 1;
  tl_copy3(nearest, s.at[0].difference);
  before = s;
  double extent = tl_dot3(nearest, nearest), square = extent;
  /* corners are met exactly, rims are approached for ever */
  const double precision = a->is_cylinder || b->is_cylinder ? 1e-12 : 1e-14;
  for (int round = 0; round < TL_GJK_ROUNDS; round++) {
    if (!(square > 1e-28 * extent)) {
      return false;
    }
    const tl_gjk_vertex v = tl_gjk_farthest(a, b, place, nearest);
    const double lower = tl_dot3(nearest, v.difference);
    extent = tl_max(extent, tl_dot3(v.difference, v.difference));
    /* the difference of all points lies beyond the plane through v: a bound of the distance */
    if (lower > 0 && lower * lower > enough * enough * square) {
      break;
    }
    if (square - lower <= precision * square + 1e-16 * sqrt(square * extent) ||
        tl_gjk_is_known(&s, &v)) {
      break;
    }
    before = s;
    s.at[s.count++] = v;
    double next[3];
    tl_gjk_reduce(&s, next);
    const double next_square = tl_dot3(next, next);
    if (s.count == 4) {
      return false; /* the origin lies inside */
    }
    if (!(next_square < square)) {
      s = before;
      break;
    }
    square = next_square;
    tl_copy3(nearest, next);
  }
  tl_gjk_finish(&s, sqrt(square), closest);
  return square > 0;
}

#endif
