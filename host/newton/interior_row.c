/* interior_row.c: rows with bounds in an interior point.
 *
 * The larger slack follows from the linear equation, so that v_0 - v_1 = u is kept; the smaller one
 * from its own complementarity, so that it keeps its digits. */
#include "host/newton/interior_row.h"

#include <math.h>

/* Bounds nearer to each other than this, of the size of what stands in a row, leave no room. */
#define ROOM 1e-13

typedef struct sides {
  int there[2];
  double x[2], v[2];
} sides;

static double size_of(const tl_sheet *sheet) {
  return sheet->reference[0] / sqrt(fmax(1, sheet->count));
}

static int held(const tl_sheet *sheet, int32_t k) {
  const double low = sheet->lower[k], high = sheet->upper[k];
  return isfinite(low) && isfinite(high) &&
         !(high - low > ROOM * (fabs(low) + fabs(high) + size_of(sheet)));
}

static sides sides_of(const tl_sheet *sheet, const double *y, const double *v, int32_t k) {
  const int32_t at = sheet->first[k];
  sides s = {{0, 0}, {INFINITY, INFINITY}, {0, 0}};
  const double bound[2] = {sheet->lower[k], sheet->upper[k]};
  for (int i = 0; i < 2 && !held(sheet, k); i++) {
    s.there[i] = isfinite(bound[i]);
    if (s.there[i]) {
      s.x[i] = fmax(i == 0 ? y[at] - bound[0] : bound[1] - y[at], 1e-300);
      s.v[i] = v[i == 0 ? at : tl_row_slot(sheet, k)];
    }
  }
  return s;
}

int tl_row_sides(const tl_sheet *sheet, int32_t k) {
  return held(sheet, k) ? 0 : isfinite(sheet->lower[k]) + isfinite(sheet->upper[k]);
}

void tl_row_start(const tl_sheet *sheet, int32_t k, double product, double size, tl_interior *p) {
  const int32_t at = sheet->first[k], slot = tl_row_slot(sheet, k);
  const double q = sheet->free[at], far = product / size;
  const double low = fmax(sheet->lower[k], fmin(-far, sheet->upper[k] - 2 * far));
  const double high = fmin(sheet->upper[k], fmax(far, sheet->lower[k] + 2 * far));
  const double half = 0.5 * (high - low), middle = low + half;
  p->v[at] = p->v[slot] = 0;
  p->y[at] = middle;
  if (held(sheet, k)) {
    return;
  }
  /* between the two: product / x_0 - product / x_1 = q */
  const double turn = q * half * half / (product + hypot(product, q * half));
  p->y[at] = middle - 0.99 * turn;
  const sides s = sides_of(sheet, p->y, p->v, k);
  p->v[at] = s.there[0] ? product / s.x[0] : 0;
  p->v[slot] = s.there[1] ? product / s.x[1] : 0;
}

double tl_row_pressed(const tl_sheet *sheet, const tl_interior *p, int32_t k) {
  const double y = p->y[sheet->first[k]], z = y - p->u[sheet->first[k]];
  return z <= sheet->lower[k] ? sheet->lower[k] : z >= sheet->upper[k] ? sheet->upper[k] : y;
}

double tl_row_stiffness(const tl_sheet *sheet, const tl_interior *p, int32_t k) {
  const sides s = sides_of(sheet, p->y, p->v, k);
  return held(sheet, k) ? INFINITY : s.v[0] / s.x[0] + s.v[1] / s.x[1];
}

double tl_row_slack(const tl_sheet *sheet, const double *v, int32_t k) {
  return v[sheet->first[k]] - v[tl_row_slot(sheet, k)];
}

double tl_row_gap(const tl_sheet *sheet, const tl_interior *p, int32_t k, const double *dy,
                  const double *dv, double step) {
  const sides s = sides_of(sheet, p->y, p->v, k);
  const double move = step * dy[sheet->first[k]];
  const double dv_0 = step * dv[sheet->first[k]], dv_1 = step * dv[tl_row_slot(sheet, k)];
  return (s.there[0] ? (s.x[0] + move) * (s.v[0] + dv_0) : 0) +
         (s.there[1] ? (s.x[1] - move) * (s.v[1] + dv_1) : 0);
}

double tl_row_least(const tl_sheet *sheet, const tl_interior *p, int32_t k) {
  const sides s = sides_of(sheet, p->y, p->v, k);
  return fmin(s.there[0] ? s.x[0] * s.v[0] : INFINITY, s.there[1] ? s.x[1] * s.v[1] : INFINITY);
}

double tl_row_reach(const tl_sheet *sheet, const tl_interior *p, int32_t k, const double *dy,
                    const double *dv) {
  const sides s = sides_of(sheet, p->y, p->v, k);
  const double dx[2] = {dy[sheet->first[k]], -dy[sheet->first[k]]};
  const double slack[2] = {dv[sheet->first[k]], dv[tl_row_slot(sheet, k)]};
  double reach = INFINITY;
  for (int i = 0; i < 2; i++) {
    if (s.there[i] && dx[i] < 0) {
      reach = fmin(reach, -s.x[i] / dx[i]);
    }
    if (s.there[i] && slack[i] < 0) {
      reach = fmin(reach, -s.v[i] / slack[i]);
    }
  }
  return reach;
}

void tl_row_correct(const tl_sheet *sheet, const tl_interior *p, int32_t k, const double *dy,
                    const double *dv, double target, double scale, double *rc) {
  const int32_t at = sheet->first[k], slot = tl_row_slot(sheet, k);
  const sides s = sides_of(sheet, p->y, p->v, k);
  const double across[2] = {dy[at] * dv[at], -dy[at] * dv[slot]};
  double c[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    c[i] = s.there[i] ? (target - across[i]) / s.x[i] - s.v[i] : 0;
  }
  rc[at] = scale * (c[0] - c[1]);
  rc[slot] = s.v[0] < s.v[1] ? c[0] : c[1];
}

void tl_row_slack_step(const tl_sheet *sheet, const tl_interior *p, int32_t k, const double *dy,
                       const double *rc, double *dv) {
  const int32_t at = sheet->first[k], slot = tl_row_slot(sheet, k);
  const sides s = sides_of(sheet, p->y, p->v, k);
  const int small = s.v[0] < s.v[1] ? 0 : 1;
  const double net = dv[at], c = rc != NULL ? rc[slot] : -s.v[small];
  double step[2] = {0, 0};
  if (s.there[small]) {
    step[small] = c - s.v[small] / s.x[small] * (small == 0 ? dy[at] : -dy[at]);
  }
  step[1 - small] = small == 0 ? step[0] - net : step[1] + net;
  dv[at] = s.there[0] ? step[0] : 0;
  dv[slot] = s.there[1] ? step[1] : 0;
}
