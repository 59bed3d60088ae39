/* domain.c: points and lines in a domain; see domain.h. */
#include "host/measure/domain.h"

#include <math.h>

#define PI 3.14159265358979323846

double tl_domain_volume(const tl_domain *d) {
  const double r = d->radius, i = d->inner;
  switch (d->kind) {
  case TL_DOMAIN_BOX:
  case TL_DOMAIN_CELL:
    return (d->upper[0] - d->lower[0]) * (d->upper[2] - d->lower[2]) *
           (d->plane ? 1 : d->upper[1] - d->lower[1]);
  case TL_DOMAIN_CYLINDER:
    return PI * (r * r - i * i) * d->height;
  default:
    return d->plane ? PI * (r * r - i * i) : 4.0 / 3 * PI * (r * r * r - i * i * i);
  }
}

/* A point of the world in the domain's frame; y of a plane world is 0. */
static void to_domain(const tl_domain *d, const double point[3], double local[3]) {
  tl_unplace3(local, &d->pose, point);
  local[1] = d->plane ? 0 : local[1];
}

/* Square of the distance from the axis or the centre. */
static double square_of(const tl_domain *d, const double p[3]) {
  return p[0] * p[0] + p[1] * p[1] + (d->kind == TL_DOMAIN_BALL ? p[2] * p[2] : 0);
}

bool tl_domain_contains(const tl_domain *d, const double point[3]) {
  double p[3];
  if (d->kind == TL_DOMAIN_CELL) {
    return true;
  }
  to_domain(d, point, p);
  if (d->kind == TL_DOMAIN_BOX) {
    bool inside = true;
    for (int c = 0; c < 3; c++) {
      inside = inside && ((d->plane && c == 1) || (p[c] >= d->lower[c] && p[c] < d->upper[c]));
    }
    return inside;
  }
  const double square = square_of(d, p);
  return square >= d->inner * d->inner && square < d->radius * d->radius &&
         (d->kind == TL_DOMAIN_BALL || (p[2] >= 0 && p[2] < d->height));
}

/* clearance > 0: whether a ball of that radius fits; < 0: whether one may reach in. */
static bool clears(const tl_domain *d, const double centre[3], double clearance) {
  double p[3];
  if (d->kind == TL_DOMAIN_CELL) {
    return true;
  }
  to_domain(d, centre, p);
  if (d->kind == TL_DOMAIN_BOX) {
    bool inside = true;
    for (int c = 0; c < 3; c++) {
      inside = inside && ((d->plane && c == 1) ||
                          (p[c] >= d->lower[c] + clearance && p[c] <= d->upper[c] - clearance));
    }
    return inside;
  }
  const double distance = sqrt(square_of(d, p));
  return distance <= d->radius - clearance && (d->inner == 0 || distance >= d->inner + clearance) &&
         (d->kind == TL_DOMAIN_BALL || (p[2] >= clearance && p[2] <= d->height - clearance));
}

bool tl_domain_holds_ball(const tl_domain *d, const double centre[3], double radius) {
  return clears(d, centre, radius);
}

bool tl_domain_meets_ball(const tl_domain *d, const double centre[3], double radius) {
  return clears(d, centre, -radius);
}

/* ---- lines: p + s v, 0 <= s <= 1 ------------------------------------------------------------- */

typedef struct span {
  double begin, end;
} span;

static double length_of(span s) {
  return fmax(0, s.end - s.begin);
}

static span both(span a, span b) {
  return (span){fmax(a.begin, b.begin), fmin(a.end, b.end)};
}

/* Where low <= p + s v <= high. */
static span between(double p, double v, double low, double high) {
  const span all = {0, 1}, none = {1, 0};
  if (v == 0) {
    return p >= low && p < high ? all : none;
  }
  const double a = (low - p) / v, b = (high - p) / v;
  return both(all, (span){fmin(a, b), fmax(a, b)});
}

/* Where the distance from the origin (dimensions: 2, about z; 3) is at most radius. */
static span within(const double p[3], const double v[3], int dimensions, double radius) {
  const span all = {0, 1}, none = {1, 0};
  double a = 0, b = 0, c = -radius * radius;
  for (int i = 0; i < dimensions; i++) {
    a += v[i] * v[i];
    b += p[i] * v[i];
    c += p[i] * p[i];
  }
  if (!(a > 0)) {
    return c < 0 ? all : none;
  }
  const double root = b * b - a * c;
  if (!(root > 0)) {
    return none;
  }
  return both(all, (span){(-b - sqrt(root)) / a, (-b + sqrt(root)) / a});
}

double tl_domain_line_share(const tl_domain *d, const double from[3], const double to[3]) {
  double p[3], q[3], v[3];
  to_domain(d, from, p);
  to_domain(d, to, q);
  tl_sub3(v, q, p);
  if (d->kind == TL_DOMAIN_CELL || !(tl_dot3(v, v) > 0)) {
    return tl_domain_contains(d, from) ? 1 : 0;
  }
  span inside = {0, 1};
  if (d->kind == TL_DOMAIN_BOX) {
    for (int c = 0; c < 3; c++) {
      inside =
          d->plane && c == 1 ? inside : both(inside, between(p[c], v[c], d->lower[c], d->upper[c]));
    }
    return length_of(inside);
  }
  const int dimensions = d->kind == TL_DOMAIN_BALL ? 3 : 2;
  if (d->kind == TL_DOMAIN_CYLINDER) {
    inside = between(p[2], v[2], 0, d->height);
  }
  const double hole =
      d->inner > 0 ? length_of(both(inside, within(p, v, dimensions, d->inner))) : 0;
  return fmax(0, length_of(both(inside, within(p, v, dimensions, d->radius))) - hole);
}
