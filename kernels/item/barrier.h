/* barrier.h: interior points for the convex law on W written out, by a team (team.h).
 *
 * (I + S W S^T) d = r with S of lorentz.h and sides.h: symmetric, all parts of one size to the end;
 * Cholesky's factor, refined once. Mehrotra's corrector. W must be symmetric. */
#ifndef TL_ITEM_BARRIER_H
#define TL_ITEM_BARRIER_H

#include "kernels/item/normal.h"
#include "kernels/item/proximal.h"
#include "kernels/item/sides.h"

/* Jammed contacts carry impulses far beyond those of the first guess, which then takes many short
 * steps: it is given a few, and else begins again from so many times as much. */
enum { TL_BARRIER_FIRST = 8, TL_BARRIER_AGAIN = 100 };
#define TL_BARRIER_REACH 0.99
/* Weight of a proximal term that keeps bilateral rows determined which nothing else determines. */
#define TL_BARRIER_ANCHOR 1e-9

typedef struct tl_barrier {
  double *y, *u; /* u = W y + q */
  double *v, *w; /* slacks; w: the second ones of rows with bounds */
  double *dy, *dv, *dw;
  double *rc, *small; /* of the corrector */
  double *right, *d, *rest;
  double *scale;               /* [9 count] S */
  double *matrix;              /* and its factor */
  double *share;               /* [count] */
  double size;                 /* what a row's numbers are like */
  double cones;                /* cones and sides */
  double gap, primal_residual; /* mean y . v, rms of what u - v is off */
  double step;                 /* the last one's length */
} tl_barrier;

/* Numbers of scratch, beside what tl_small_room has. */
TL_ITEM int64_t tl_barrier_room(int32_t rows) {
  return ((int64_t)rows + 12) * tl_padded(rows);
}

TL_ITEM tl_barrier tl_barrier_make(const tl_small_problem *p, const tl_small_room *room) {
  tl_barrier b;
  double *memory = room->matrix;
  double **const vectors[12] = {&b.y,  &b.u,  &b.v,     &b.w,     &b.dy, &b.dv,
                                &b.dw, &b.rc, &b.small, &b.right, &b.d,  &b.rest};
  for (int i = 0; i < 12; i++, memory += p->stride) {
    *vectors[i] = memory;
  }
  b.matrix = memory;
  b.scale = room->point.slope;
  b.share = room->share;
  b.size = p->reference / sqrt((double)p->count);
  b.gap = b.primal_residual = b.step = 1;
  b.cones = 0;
  return b;
}

TL_ITEM double tl_barrier_friction(const tl_small_problem *p, int32_t k) {
  return p->kind[k] == TL_CONSTRAINT_FRICTION ? p->friction[k] : 1;
}

TL_ITEM tl_sides tl_barrier_sides(const tl_small_problem *p, const tl_barrier *b, int32_t k) {
  const int32_t at = p->first[k];
  return tl_sides_make(p->lower[k], p->upper[k], b->size, b->y[at], b->v[at], b->w[at]);
}

/* Sum of the shares, by every member for itself. */
TL_TEAM double tl_barrier_sum(const tl_small_problem *p, const tl_barrier *b) {
  double sum = 0;
  TL_MEET();
  for (int32_t k = 0; k < p->count; k++) {
    sum += b->share[k];
  }
  TL_MEET();
  return sum;
}

TL_TEAM void tl_barrier_begin(const tl_small_problem *p, double times, tl_barrier *b) {
  const double s0 = 3 * b->size, product = 10 * times * s0 * s0;
  TL_TEAM_EACH(k, 0, p->count) {
    const int32_t at = p->first[k], rows = p->first[k + 1] - at;
    for (int32_t i = at; i < at + rows; i++) {
      b->y[i] = b->v[i] = b->w[i] = b->dy[i] = b->dv[i] = b->dw[i] = 0;
    }
    b->share[k] = 1;
    if (p->kind[k] == TL_CONSTRAINT_FREE) {
      b->share[k] = 0;
    } else if (p->kind[k] == TL_CONSTRAINT_BOUNDED) {
      tl_sides s = tl_barrier_sides(p, b, k);
      b->y[at] = tl_sides_start(&s, p->q[at], s0, product);
      s = tl_barrier_sides(p, b, k);
      b->v[at] = product / s.x[0];
      b->w[at] = product / s.x[1];
      b->share[k] = s.there[0] + s.there[1];
    } else {
      tl_cone_start(p->q + at, rows, tl_barrier_friction(p, k), s0, product, b->y + at, b->v + at);
    }
  }
  b->cones = tl_larger(tl_barrier_sum(p, b), 1);
  b->step = 1;
}

/* y . v after a step, summed and shared out. */
TL_TEAM double tl_barrier_gap(const tl_small_problem *p, const tl_barrier *b, double step) {
  TL_TEAM_EACH(k, 0, p->count) {
    const int32_t at = p->first[k];
    double sum = 0;
    if (p->kind[k] == TL_CONSTRAINT_BOUNDED) {
      const tl_sides s = tl_barrier_sides(p, b, k);
      sum = tl_sides_gap(&s, step * b->dy[at], step * b->dv[at], step * b->dw[at]);
    } else if (p->kind[k] != TL_CONSTRAINT_FREE) {
      for (int32_t i = at; i < p->first[k + 1]; i++) {
        sum += (b->y[i] + step * b->dy[i]) * (b->v[i] + step * b->dv[i]);
      }
    }
    b->share[k] = sum;
  }
  return tl_barrier_sum(p, b) / b->cones;
}

/* rms of u - v. */
TL_TEAM double tl_barrier_off(const tl_small_problem *p, const tl_barrier *b) {
  TL_TEAM_EACH(k, 0, p->count) {
    double sum = 0;
    for (int32_t i = p->first[k]; i < p->first[k + 1]; i++) {
      const double off = b->u[i] - b->v[i] + (p->kind[k] == TL_CONSTRAINT_BOUNDED ? b->w[i] : 0);
      sum += off * off;
    }
    b->share[k] = sum;
  }
  return sqrt(tl_barrier_sum(p, b) / p->count);
}

/* The longest step, at most 1, that keeps `part` of the way to the boundary. */
TL_TEAM double tl_barrier_longest(const tl_small_problem *p, const tl_barrier *b, double part) {
  TL_TEAM_EACH(k, 0, p->count) {
    const int32_t at = p->first[k], rows = p->first[k + 1] - at;
    double reach = HUGE_VAL;
    if (p->kind[k] == TL_CONSTRAINT_BOUNDED) {
      const tl_sides s = tl_barrier_sides(p, b, k);
      reach = tl_sides_reach(&s, b->dy[at], b->dv[at], b->dw[at]);
    } else if (p->kind[k] != TL_CONSTRAINT_FREE) {
      reach = tl_cone_reach(b->y + at, b->v + at, b->dy + at, b->dv + at, rows,
                            tl_barrier_friction(p, k));
    }
    b->share[k] = reach;
  }
  TL_MEET();
  double longest = 1 / part;
  for (int32_t k = 0; k < p->count; k++) {
    longest = tl_lesser(b->share[k], longest);
  }
  TL_MEET();
  return part * longest;
}

/* ---- the linear system ----------------------------------------------------------------------- */

/* S of every constraint. */
TL_TEAM void tl_barrier_scale(const tl_small_problem *p, const tl_barrier *b) {
  TL_TEAM_EACH(k, 0, p->count) {
    const int32_t at = p->first[k], rows = p->first[k + 1] - at;
    double *const scale = b->scale + 9 * (int64_t)k;
    for (int i = 0; i < 9; i++) {
      scale[i] = 0;
    }
    if (p->kind[k] == TL_CONSTRAINT_FREE) {
      scale[0] = 1 / sqrt(TL_BARRIER_ANCHOR);
    } else if (p->kind[k] == TL_CONSTRAINT_BOUNDED) {
      const tl_sides s = tl_barrier_sides(p, b, k);
      scale[0] = s.held ? 0 : 1 / sqrt(TL_BARRIER_ANCHOR + tl_sides_stiffness(&s));
    } else {
      const double mu = tl_barrier_friction(p, k);
      const tl_scaling made = tl_cone_scaling(b->y + at, b->v + at, rows, mu);
      tl_cone_scale(&made, rows, mu, scale);
    }
  }
  TL_MEET();
}

/* Block (k, l) of I + S W S^T, into the lower half by columns. */
TL_ITEM void tl_barrier_block(const tl_small_problem *p, const tl_barrier *b, int32_t k,
                              int32_t l) {
  const int32_t at = p->first[k], rows = p->first[k + 1] - at;
  const int32_t to = p->first[l], columns = p->first[l + 1] - to;
  const double *const sk = b->scale + 9 * (int64_t)k, *const sl = b->scale + 9 * (int64_t)l;
  for (int32_t c = 0; c < columns; c++) {
    double turned[3] = {0, 0, 0}; /* W_kl S_l^T, column c */
    for (int32_t d = 0; d < columns; d++) {
      const double *const w = p->w + (int64_t)p->stride * (to + d) + at;
      for (int32_t i = 0; i < rows; i++) {
        turned[i] += w[i] * sl[3 * c + d];
      }
    }
    double *const column = b->matrix + (int64_t)p->stride * (to + c) + at;
    for (int32_t i = 0; i < rows; i++) {
      double sum = k == l && i == c ? 1 : 0;
      for (int32_t d = 0; d < rows; d++) {
        sum += sk[3 * i + d] * turned[d];
      }
      column[i] = sum;
    }
  }
}

TL_TEAM void tl_barrier_fill(const tl_small_problem *p, const tl_barrier *b) {
  for (int32_t l = 0; l < p->count; l++) {
    TL_TEAM_EACH(k, l, p->count) {
      tl_barrier_block(p, b, k, l);
    }
  }
  TL_MEET();
}

/* to = S x, or S^T x. */
TL_TEAM void tl_barrier_turn(const tl_small_problem *p, const tl_barrier *b, int transposed,
                             const double *x, double *to) {
  TL_TEAM_EACH(k, 0, p->count) {
    const int32_t at = p->first[k], rows = p->first[k + 1] - at;
    const double *const s = b->scale + 9 * (int64_t)k;
    double sum[3] = {0, 0, 0};
    for (int32_t i = 0; i < rows; i++) {
      for (int32_t j = 0; j < rows; j++) {
        sum[i] += (transposed ? s[3 * j + i] : s[3 * i + j]) * x[at + j];
      }
    }
    for (int32_t i = 0; i < rows; i++) {
      to[at + i] = sum[i];
    }
  }
  TL_MEET();
}

/* d of the right-hand side, refined, and dy = S^T d. factored: the matrix holds its factor. Returns
 * 0 if it has none. */
TL_TEAM int tl_barrier_solve(const tl_small_problem *p, const tl_small_phase *phase,
                             const tl_barrier *b, int factored, const tl_small_result *result) {
  const int32_t n = p->rows;
  tl_team_copy(n, b->right, b->d);
  if (factored) {
    tl_normal_again(b->matrix, n, b->d);
  } else if (!tl_normal_solve(b->matrix, n, 0, b->d, phase, result)) {
    return 0;
  }
  tl_barrier_turn(p, b, 1, b->d, b->dy);
  tl_small_product(p, NULL, b->dy, b->rest);
  tl_barrier_turn(p, b, 0, b->rest, b->dy);
  TL_TEAM_EACH(i, 0, n) {
    b->rest[i] = b->right[i] - b->d[i] - b->dy[i];
  }
  TL_MEET();
  tl_normal_again(b->matrix, n, b->rest);
  TL_TEAM_EACH(i, 0, n) {
    b->d[i] += b->rest[i];
  }
  TL_MEET();
  tl_barrier_turn(p, b, 1, b->d, b->dy);
  return 1;
}

/* ---- one step -------------------------------------------------------------------------------- */

/* right = S (v - u) + rc, or -S u in the affine step. */
TL_TEAM void tl_barrier_right(const tl_small_problem *p, const tl_barrier *b, int affine) {
  TL_TEAM_EACH(k, 0, p->count) {
    for (int32_t i = p->first[k]; i < p->first[k + 1]; i++) {
      const double slack = b->v[i] - (p->kind[k] == TL_CONSTRAINT_BOUNDED ? b->w[i] : 0);
      b->rest[i] = (affine ? 0 : slack) - b->u[i];
    }
  }
  TL_MEET();
  tl_barrier_turn(p, b, 0, b->rest, b->right);
  TL_TEAM_EACH(i, 0, p->rows) {
    b->right[i] += affine ? 0 : b->rc[i];
  }
  TL_MEET();
}

/* dv = W dy + u - v. */
TL_TEAM void tl_barrier_slacks(const tl_small_problem *p, const tl_barrier *b, int affine) {
  tl_small_product(p, NULL, b->dy, b->rest);
  TL_TEAM_EACH(k, 0, p->count) {
    const int32_t at = p->first[k];
    for (int32_t i = at; i < p->first[k + 1]; i++) {
      b->dv[i] = p->kind[k] == TL_CONSTRAINT_FREE ? 0 : b->rest[i] + b->u[i] - b->v[i];
    }
    if (p->kind[k] == TL_CONSTRAINT_BOUNDED) {
      const tl_sides s = tl_barrier_sides(p, b, k);
      tl_sides_step(&s, b->dy[at], b->dv[at] + b->w[at],
                    affine ? tl_sides_affine(&s) : b->small[at], &b->dv[at], &b->dw[at]);
    }
  }
  TL_MEET();
}

TL_TEAM void tl_barrier_correct(const tl_small_problem *p, const tl_barrier *b, double target,
                                int centring) {
  TL_TEAM_EACH(k, 0, p->count) {
    const int32_t at = p->first[k], rows = p->first[k + 1] - at;
    const double mu = tl_barrier_friction(p, k), none[3] = {0, 0, 0};
    const double *const dy = centring ? none : b->dy + at, *const dv = centring ? none : b->dv + at;
    b->rc[at] = 0;
    if (p->kind[k] == TL_CONSTRAINT_BOUNDED) {
      const tl_sides s = tl_barrier_sides(p, b, k);
      const double dw = centring ? 0 : b->dw[at];
      b->rc[at] =
          b->scale[9 * (int64_t)k] * tl_sides_correct(&s, dy[0], dv[0], dw, target, &b->small[at]);
    } else if (p->kind[k] != TL_CONSTRAINT_FREE) {
      const tl_scaling made = tl_cone_scaling(b->y + at, b->v + at, rows, mu);
      tl_cone_correct(&made, dy, dv, rows, mu, target, b->rc + at);
    }
  }
  TL_MEET();
}

/* Moves on; 0 if there is no way. */
TL_TEAM int tl_barrier_step(const tl_small_problem *p, const tl_small_phase *phase, tl_barrier *b,
                            const tl_small_result *result) {
  tl_barrier_scale(p, b);
  tl_barrier_fill(p, b);
  tl_barrier_right(p, b, 1);
  if (!tl_barrier_solve(p, phase, b, 0, result)) {
    return 0;
  }
  tl_barrier_slacks(p, b, 1);
  const double left = tl_barrier_gap(p, b, tl_barrier_longest(p, b, 1)) / b->gap;
  const double sigma = left > 0 ? tl_lesser(left * left * left, 1) : 0;
  const int centring = b->step < 0.1; /* no room: back to the middle */
  tl_barrier_correct(p, b, centring ? b->gap : sigma * b->gap, centring);
  tl_barrier_right(p, b, 0);
  tl_barrier_solve(p, phase, b, 1, result);
  tl_barrier_slacks(p, b, 0);
  const double step = tl_lesser(tl_barrier_longest(p, b, TL_BARRIER_REACH), 1);
  b->step = step;
  TL_TEAM_EACH(k, 0, p->count) {
    for (int32_t i = p->first[k]; i < p->first[k + 1]; i++) {
      b->y[i] += step * b->dy[i];
      b->v[i] += step * b->dv[i];
      b->w[i] += p->kind[k] == TL_CONSTRAINT_BOUNDED ? step * b->dw[i] : 0;
    }
  }
  TL_MEET();
  return 1;
}

/* The iterate, with rows that press against a bound put there. */
TL_TEAM void tl_barrier_judge(const tl_small_problem *p, const tl_barrier *b,
                              const tl_small_room *room, tl_small_result *result) {
  TL_TEAM_EACH(k, 0, p->count) {
    for (int32_t i = p->first[k]; i < p->first[k + 1]; i++) {
      room->moved[i] = b->y[i];
    }
    if (p->kind[k] == TL_CONSTRAINT_BOUNDED) {
      const tl_sides s = tl_barrier_sides(p, b, k);
      const int32_t at = p->first[k];
      room->moved[at] = tl_sides_pressed(&s, b->y[at], b->u[at]);
    }
  }
  TL_MEET();
  tl_small_velocities(p, room->moved, room->step);
  tl_small_judge(p, room->moved, room->step, room, result);
}

TL_TEAM void tl_barrier_run(const tl_small_problem *p, const tl_small_phase *phase,
                            tl_small_room *room, tl_small_result *result) {
  tl_barrier b = tl_barrier_make(p, room);
  double begin = 0;
  int32_t cramped = 0, again = 0;
  tl_barrier_begin(p, 1, &b);
  for (int32_t made = 0;; made++) {
    tl_small_velocities(p, b.y, b.u);
    b.gap = tl_barrier_gap(p, &b, 0);
    b.primal_residual = tl_barrier_off(p, &b);
    tl_barrier_judge(p, &b, room, result);
    result->passes += 2;
    begin = made == 0 ? b.primal_residual : begin;
    if (made == TL_BARRIER_FIRST && !again && b.primal_residual > 0.2 * begin) {
      tl_barrier_begin(p, TL_BARRIER_AGAIN, &b);
      again = 1;
      cramped = 0;
      continue;
    }
    cramped = b.step < 1e-3 ? cramped + 1 : 0;
    if (result->epsilon <= phase->tolerance || cramped > 1 || !(b.gap - b.gap == 0) ||
        tl_small_spent(phase, result)) {
      return;
    }
    result->steps++;
    if (!tl_barrier_step(p, phase, &b, result)) {
      return;
    }
  }
}

#endif
