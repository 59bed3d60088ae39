/* lanes.h: the sweeps of several small problems side by side, one in each lane of wide registers.
 *
 * A sweep is a chain of roots and divisions, of which one problem cannot fill a register. Problems
 * of equal shape (constraints of the same kinds) can: each array is laid out number by number, lane
 * by lane, and every lane goes through the operations of small.h in their order, so that its bits
 * are those. A lane that has come to its end keeps its numbers. For the CPU alone: a device has a
 * thread for each row instead. */
#ifndef TL_ITEM_LANES_H
#define TL_ITEM_LANES_H

#include "kernels/item/dense.h"

/* So many rows at most: eight matrices of them fill half of a usual second-level cache. */
enum { TL_LANES = 8, TL_LANES_ROWS = 60 };

#define TL_LANES_EACH(l) _Pragma("GCC ivdep") for (int l = 0; l < TL_LANES; l++)

typedef struct tl_lanes {
  int32_t count, rows;         /* of each problem */
  const int32_t *first, *kind; /* as in tl_small_problem, of any of them */
  tl_law law;
  double *friction, *shrink, *pace, *lower, *upper; /* [count][lanes] */
  double *w;                                        /* [rows][rows][lanes] by columns */
  double *q, *y, *u;                                /* [rows][lanes] */
} tl_lanes;

/* Numbers of memory for problems of that size; 0 if it is too large. */
TL_ITEM int64_t tl_lanes_reals(int64_t count, int64_t rows) {
  return rows > TL_LANES_ROWS ? 0 : TL_LANES * (5 * count + rows * rows + 3 * rows);
}

TL_ITEM tl_lanes tl_lanes_make(const tl_small_problem *p, double *memory) {
  const int64_t column = TL_LANES * (int64_t)p->rows, each = TL_LANES * (int64_t)p->count;
  tl_lanes lanes;
  lanes.count = p->count;
  lanes.rows = p->rows;
  lanes.first = p->first;
  lanes.kind = p->kind;
  lanes.law = p->law;
  lanes.friction = memory;
  lanes.shrink = lanes.friction + each;
  lanes.pace = lanes.shrink + each;
  lanes.lower = lanes.pace + each;
  lanes.upper = lanes.lower + each;
  lanes.q = lanes.upper + each;
  lanes.y = lanes.q + column;
  lanes.u = lanes.y + column;
  lanes.w = lanes.u + column;
  return lanes;
}

/* Whether both can lie side by side. */
TL_ITEM int tl_lanes_fit(const tl_small_problem *a, const tl_small_problem *b) {
  int fit =
      a->count == b->count && a->rows == b->rows && a->rows <= TL_LANES_ROWS && a->law == b->law;
  for (int32_t k = 0; fit && k < a->count; k++) {
    fit = a->kind[k] == b->kind[k] && a->first[k] == b->first[k];
  }
  return fit;
}

/* call(lanes, kind, rows, k, ...) with kind and rows as constants. */
#define TL_LANES_KIND(lanes, k, call, ...)                      \
  switch ((lanes)->first[(k) + 1] - (lanes)->first[k] > 1       \
              ? 2 + (lanes)->first[(k) + 1] - (lanes)->first[k] \
              : (lanes)->kind[k]) {                             \
  case 5:                                                       \
    call(lanes, TL_CONSTRAINT_FRICTION, 3, k, __VA_ARGS__);     \
    break;                                                      \
  case 4:                                                       \
    call(lanes, TL_CONSTRAINT_FRICTION, 2, k, __VA_ARGS__);     \
    break;                                                      \
  case TL_CONSTRAINT_UNILATERAL:                                \
    call(lanes, TL_CONSTRAINT_UNILATERAL, 1, k, __VA_ARGS__);   \
    break;                                                      \
  case TL_CONSTRAINT_BOUNDED:                                   \
    call(lanes, TL_CONSTRAINT_BOUNDED, 1, k, __VA_ARGS__);      \
    break;                                                      \
  default:                                                      \
    call(lanes, TL_CONSTRAINT_FREE, 1, k, __VA_ARGS__);         \
    break;                                                      \
  }

/* Puts a problem into a lane, and y where its sweeps begin. */
TL_ITEM void tl_lanes_load(const tl_lanes *lanes, int32_t lane, const tl_small_problem *p,
                           const double *y) {
  const int32_t n = p->rows;
  for (int32_t i = 0; i < n; i++) {
    lanes->q[TL_LANES * i + lane] = p->q[i];
    lanes->y[TL_LANES * i + lane] = y[i];
  }
  for (int32_t k = 0; k < p->count; k++) {
    lanes->friction[TL_LANES * k + lane] = p->friction[k];
    lanes->shrink[TL_LANES * k + lane] = tl_small_shrink(p->friction[k]);
    lanes->pace[TL_LANES * k + lane] = p->pace[k];
    lanes->lower[TL_LANES * k + lane] = p->lower[k];
    lanes->upper[TL_LANES * k + lane] = p->upper[k];
  }
  for (int32_t j = 0; j < n; j++) {
    const double *const column = p->w + (int64_t)p->stride * j;
    double *const to = lanes->w + TL_LANES * (int64_t)n * j + lane;
    for (int32_t i = 0; i < n; i++) {
      to[TL_LANES * i] = column[i];
    }
  }
}

/* u = W y + q. */
TL_ITEM void tl_lanes_velocities(const tl_lanes *lanes) {
  const int64_t n = lanes->rows, column = TL_LANES * n;
  for (int64_t i = 0; i < n; i++) {
    double sum[TL_LANES];
    TL_LANES_EACH(l) {
      sum[l] = lanes->q[TL_LANES * i + l];
    }
    for (int64_t j = 0; j < n; j++) {
      TL_LANES_EACH(l) {
        sum[l] += lanes->w[column * j + TL_LANES * i + l] * lanes->y[TL_LANES * j + l];
      }
    }
    TL_LANES_EACH(l) {
      lanes->u[TL_LANES * i + l] = sum[l];
    }
  }
}

/* Square of the natural map of constraint k; kind and rows are constants at every call. */
TL_ITEM void tl_lanes_share(const tl_lanes *lanes, const int32_t kind, const int32_t rows,
                            int32_t k, double *sum) {
  const int64_t first = TL_LANES * (int64_t)lanes->first[k];
  const tl_law law = lanes->law;
  TL_LANES_EACH(l) {
    const double mu = lanes->friction[TL_LANES * k + l];
    double x[3], v[3], z[3];
    for (int i = 0; i < 3; i++) {
      x[i] = i < rows ? lanes->y[first + TL_LANES * (i < rows ? i : 0) + l] : 0;
      v[i] = i < rows ? lanes->u[first + TL_LANES * (i < rows ? i : 0) + l] : 0;
    }
    z[0] = x[0] - v[0] - tl_small_lift(law, kind, mu, v);
    z[1] = x[1] - v[1];
    z[2] = x[2] - v[2];
    tl_small_nearest(kind, mu, lanes->shrink[TL_LANES * k + l], lanes->lower[TL_LANES * k + l],
                     lanes->upper[TL_LANES * k + l], z);
    const double d[3] = {x[0] - z[0], x[1] - z[1], x[2] - z[2]};
    sum[l] += d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  }
}

/* One projected step of constraint k, of `rows` rows, in every lane: x and its way d from `begin`.
 * kind and rows are constants at every call. */
TL_ITEM void tl_lanes_step(const tl_lanes *lanes, const int32_t kind, const int32_t rows, int32_t k,
                           double (*base)[TL_LANES], double (*begin)[TL_LANES],
                           double (*x)[TL_LANES], double (*d)[TL_LANES]) {
  const int64_t column = TL_LANES * (int64_t)lanes->rows;
  const double *const a = lanes->w + (column + TL_LANES) * lanes->first[k];
  const double *const friction = lanes->friction + TL_LANES * k, *const pace =
                                                                     lanes->pace + TL_LANES * k;
  const double *const shrink = lanes->shrink + TL_LANES * k;
  const double *const lower = lanes->lower + TL_LANES * k, *const upper =
                                                               lanes->upper + TL_LANES * k;
  const tl_law law = lanes->law;
  TL_LANES_EACH(l) {
    const double mu = friction[l];
    double v[3], z[3];
    for (int i = 0; i < 3; i++) {
      const int own = i < rows;
      const double *const row = a + TL_LANES * (own ? i : 0) + l;
      const double a0 = own ? row[0] : 0;
      const double a1 = own && rows > 1 ? row[column] : 0;
      const double a2 = own && rows > 2 ? row[2 * column] : 0;
      v[i] = base[i][l] + a0 * d[0][l] + a1 * d[1][l] + a2 * d[2][l];
    }
    z[0] = x[0][l] - pace[l] * (v[0] + tl_small_lift(law, kind, mu, v));
    z[1] = x[1][l] - pace[l] * v[1];
    z[2] = x[2][l] - pace[l] * v[2];
    tl_small_nearest(kind, mu, shrink[l], lower[l], upper[l], z);
    for (int i = 0; i < 3; i++) {
      x[i][l] = z[i];
      d[i][l] = z[i] - begin[i][l];
    }
  }
}

/* A constraint's turn in every lane; what the lanes that are live moved is added to `moved`. */
TL_ITEM void tl_lanes_turn(const tl_lanes *lanes, const int32_t kind, const int32_t rows, int32_t k,
                           int32_t inner, const double *live, double *moved) {
  const int64_t first = lanes->first[k], n = lanes->rows, column = TL_LANES * n;
  double x[3][TL_LANES], d[3][TL_LANES], base[3][TL_LANES], begin[3][TL_LANES], go[TL_LANES];
  for (int c = 0; c < 3; c++) {
    TL_LANES_EACH(l) {
      begin[c][l] = x[c][l] = c < rows ? lanes->y[TL_LANES * (first + c) + l] : 0;
      base[c][l] = c < rows ? lanes->u[TL_LANES * (first + c) + l] : 0;
      d[c][l] = 0;
    }
  }
  for (int32_t step = 0; step < (rows > 1 ? inner : 1); step++) {
    tl_lanes_step(lanes, kind, rows, k, base, begin, x, d);
  }
  double all = 0;
  TL_LANES_EACH(l) {
    const double square = d[0][l] * d[0][l] + d[1][l] * d[1][l] + d[2][l] * d[2][l];
    go[l] = square > 0 && lanes->pace[TL_LANES * k + l] > 0 ? live[l] : 0;
    moved[l] = go[l] > 0 ? moved[l] + square : moved[l];
    all += go[l];
  }
  if (all == 0) {
    return;
  }
  const double *const w = lanes->w + column * first;
  for (int64_t i = 0; i < n; i++) {
    TL_LANES_EACH(l) {
      const double before = lanes->u[TL_LANES * i + l];
      double after = before + w[TL_LANES * i + l] * d[0][l];
      if (rows > 1) {
        after = after + w[column + TL_LANES * i + l] * d[1][l];
      }
      if (rows > 2) {
        after = after + w[2 * column + TL_LANES * i + l] * d[2][l];
      }
      lanes->u[TL_LANES * i + l] = go[l] > 0 ? after : before;
    }
  }
  for (int c = 0; c < rows; c++) {
    TL_LANES_EACH(l) {
      double *const y = lanes->y + TL_LANES * (first + c) + l;
      *y = go[l] > 0 ? x[c][l] : *y;
    }
  }
}

/* tl_small_sweeps in every lane: `live` says with 1 or 0 which are in use, `least` is that of each
 * lane, and `made` becomes the sweeps of each. */
TL_ITEM void tl_lanes_sweeps(const tl_lanes *lanes, int32_t most, int32_t inner,
                             const double *least, double *live, int32_t *made) {
  double left = 0;
  for (int l = 0; l < TL_LANES; l++) {
    made[l] = most;
    left += live[l];
  }
  for (int32_t sweep = 0; sweep < most && left > 0; sweep++) {
    double moved[TL_LANES] = {0};
    for (int32_t k = 0; k < lanes->count; k++) {
      TL_LANES_KIND(lanes, k, tl_lanes_turn, inner, live, moved);
    }
    for (int l = 0; l < TL_LANES; l++) {
      if (live[l] > 0 && moved[l] <= least[l] * least[l]) {
        made[l] = sweep + 1;
        live[l] = 0;
        left--;
      }
    }
  }
}

/* R(y) of every lane, u = W y + q being known. */
TL_ITEM void tl_lanes_remainder(const tl_lanes *lanes, double *residual) {
  double sum[4][TL_LANES] = {{0}};
  for (int32_t k = 0; k < lanes->count; k++) {
    TL_LANES_KIND(lanes, k, tl_lanes_share, sum[k % 4]);
  }
  TL_LANES_EACH(l) {
    residual[l] = sqrt((sum[0][l] + sum[2][l]) + (sum[1][l] + sum[3][l]));
  }
}

#endif
