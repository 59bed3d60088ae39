/* kernel.c: see kernel.h. */
#include "host/measure/kernel.h"

#include <math.h>
#include <stddef.h>

#define PI 3.14159265358979323846

static const double CUT = 3, SUPPORT = 2; /* reaches, in widths */

/* One over the integral of exp(-r^2/2w^2) over r <= CUT w. */
static double gaussian_height(double w, bool plane) {
  if (plane) {
    return 1 / (2 * PI * w * w * (1 - exp(-0.5 * CUT * CUT)));
  }
  const double inside = erf(CUT / sqrt(2)) - sqrt(2 / PI) * CUT * exp(-0.5 * CUT * CUT);
  return 1 / (pow(2 * PI, 1.5) * w * w * w * inside);
}

tl_kernel tl_kernel_make(tl_kernel_kind kind, double width, bool plane) {
  tl_kernel k = {.kind = kind, .width = width, .scale = sqrt(0.5) / width};
  k.reach = (kind == TL_KERNEL_GAUSSIAN ? CUT : SUPPORT) * width;
  if (kind == TL_KERNEL_GAUSSIAN) {
    k.height = gaussian_height(width, plane);
  } else {
    const double c = k.reach;
    k.height = plane ? 5 / (PI * c * c) : 105 / (16 * PI * c * c * c);
  }
  return k;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The pieces of exp(-x) up to LAST and of erf(x) up to its square root: what a Gaussian that is cut
 * at CUT widths asks for. */
#define LAST 4.5

/* The cubic with these values and slopes at both ends, in powers of 0 .. 1. */
static void fill_piece(double *c, double y0, double y1, double m0, double m1) {
  c[0] = y0;
  c[1] = m0;
  c[2] = 3 * (y1 - y0) - 2 * m0 - m1;
  c[3] = 2 * (y0 - y1) + m0 + m1;
}

void tl_kernel_table_fill(double *table) {
  const double h = LAST / TL_KERNEL_PIECES, e = sqrt(LAST) / TL_KERNEL_PIECES;
  for (int k = 0; k < TL_KERNEL_PIECES; k++) {
    const double a = exp(-k * h), b = exp(-(k + 1) * h), x = k * e, y = (k + 1) * e;
    const double slope = 2 / sqrt(PI) * e;
    fill_piece(table + 4 * k, a, b, -h * a, -h * b);
    fill_piece(table + 4 * (TL_KERNEL_PIECES + k), erf(x), erf(y), slope * exp(-x * x),
               slope * exp(-y * y));
  }
}

static double piece_at(const double *piece, double u) {
  const int k = u < TL_KERNEL_PIECES ? (int)u : TL_KERNEL_PIECES - 1;
  const double f = u - k, *const c = piece + 4 * k;
  return c[0] + f * (c[1] + f * (c[2] + f * c[3]));
}

/* exp(-x) and erf(x), |x| not beyond the table. */
static double exp_of(const double *table, double x) {
  return table != NULL ? piece_at(table, x * (TL_KERNEL_PIECES / LAST)) : exp(-x);
}

static double erf_of(const double *table, double x) {
  if (table == NULL) {
    return erf(x);
  }
  const double size = fabs(x) * (TL_KERNEL_PIECES / 2.1213203435596424);
  return copysign(piece_at(table + 4 * TL_KERNEL_PIECES, size), x);
}

double tl_kernel_at(const tl_kernel *k, double square) {
  if (!(square < k->reach * k->reach)) {
    return 0;
  }
  if (k->kind == TL_KERNEL_GAUSSIAN) {
    return k->height * exp_of(k->table, k->scale * k->scale * square);
  }
  const double q = sqrt(square) / k->reach, p = 1 - q;
  return k->height * (1 + 3 * q) * p * p * p;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* The integral of 1 - 6 q^2 + 8 q^3 - 3 q^4 along a line from a to b, q^2 = h + t^2 with h the
 * square of its distance; everything over the reach. */
static double lucy_powers(double h, double t, double q) {
  const double t3 = t * t * t;
  const double two = h * t + t3 / 3;
  const double four = h * h * t + 2.0 / 3 * h * t3 + t3 * t * t / 5;
  return t - 6 * two + t * q * (2 * q * q + 3 * h) - 3 * four;
}

static double lucy_line(double h, double a, double b) {
  const double p = sqrt(h + a * a), q = sqrt(h + b * b);
  /* asinh(b / sqrt(h)) - asinh(a / sqrt(h)), written such that nothing cancels */
  const double ratio = a >= 0   ? (b + q) / (a + p)
                       : b <= 0 ? (p - a) / (q - b)
                                : (b + q) * (p - a) / h;
  const double rest = h > 0 && ratio > 0 && isfinite(ratio) ? 3 * h * h * log(ratio) : 0;
  return lucy_powers(h, b, q) - lucy_powers(h, a, p) + rest;
}

/* Of a Gaussian with its table, and a line that is long enough. */
static void gaussian_along_all(const tl_kernel *k, double length, int count, const double *square,
                               const double *foot, double *mean) {
  const double s = k->scale, reach = k->reach * k->reach, height = k->height;
  const double *const table = k->table;
  for (int i = 0; i < count; i++) {
    const double room = reach - square[i], begin = -foot[i], end = length - foot[i];
    double from = begin, to = end;
    if (!(room > 0)) {
      mean[i] = 0;
      continue;
    }
    if (begin * begin > room || end * end > room) {
      const double half = sqrt(room);
      from = begin > -half ? begin : -half;
      to = end < half ? end : half;
    }
    mean[i] = !(from < to) ? 0
                           : height * exp_of(table, s * s * square[i]) *
                                 (0.88622692545275801 / (s * (end - begin))) *
                                 (erf_of(table, s * to) - erf_of(table, s * from));
  }
}

void tl_kernel_along_all(const tl_kernel *k, double length, int count, const double *square,
                         const double *foot, double *mean) {
  if (k->kind == TL_KERNEL_GAUSSIAN && k->table != NULL && length > 1e-6 * k->width) {
    gaussian_along_all(k, length, count, square, foot, mean);
    return;
  }
  for (int i = 0; i < count; i++) {
    mean[i] = tl_kernel_along(k, square[i], -foot[i], length - foot[i]);
  }
}

double tl_kernel_along(const tl_kernel *k, double square, double begin, double end) {
  const double room = k->reach * k->reach - square, length = end - begin;
  if (!(room > 0)) {
    return 0;
  }
  double from = begin, to = end;
  if (begin * begin > room || end * end > room) { /* a part is out of reach */
    const double half = sqrt(room);
    from = begin > -half ? begin : -half;
    to = end < half ? end : half;
  }
  if (length < 1e-9 * k->width) {
    const double middle = 0.5 * (begin + end);
    return tl_kernel_at(k, square + middle * middle);
  }
  if (!(from < to)) {
    return 0;
  }
  if (k->kind == TL_KERNEL_GAUSSIAN) {
    const double s = k->scale; /* w sqrt(pi / 2) = sqrt(pi) / (2 s) */
    return k->height * exp_of(k->table, s * s * square) * (0.88622692545275801 / (s * length)) *
           (erf_of(k->table, s * to) - erf_of(k->table, s * from));
  }
  const double c = k->reach;
  return k->height * c * lucy_line(square / (c * c), from / c, to / c) / length;
}
