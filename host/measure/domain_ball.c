/* domain_ball.c: the volume that a ball and a domain have in common.
 *
 * A ball cut by one, two or three planes at right angles: by the divergence theorem three times the
 * volume is the spherical face (radius one) minus each flat face times its plane's distance; the
 * area of the spherical face follows from Gauss and Bonnet: 2 pi minus the turning along its edges
 * (a plane at distance a turns a times the angle of its arc) and at its corners. Where a distance
 * is negative, the other side is taken from the whole. A box is the alternating sum over its
 * corners. All of it is exact up to rounding.
 *
 * A cylinder: the common area of two disks, integrated along the axis piece by piece (twice 24
 * points of Gauss and Legendre each, after a substitution that takes the roots at the ends away).
 */
#include <math.h>

#include "host/measure/domain.h"

#define PI 3.14159265358979323846

static double arc_cosine(double x) {
  return acos(tl_clamp(x, -1, 1));
}

static double root_of(double x) {
  return x > 0 ? sqrt(x) : 0;
}

/* ---- one, two, three planes ------------------------------------------------------------------ */

static double ball_cap(double a) {
  const double t = tl_clamp(a, -1, 1);
  return PI / 3 * (1 - t) * (1 - t) * (2 + t);
}

static double disk_cap(double a) {
  const double t = tl_clamp(a, -1, 1);
  return arc_cosine(t) - t * root_of(1 - t * t);
}

double tl_disk_corner(double a, double b) {
  if (a < 0) {
    return disk_cap(b) - tl_disk_corner(-a, b);
  }
  if (b < 0) {
    return disk_cap(a) - tl_disk_corner(a, -b);
  }
  if (a * a + b * b >= 1) {
    return 0;
  }
  const double angle = arc_cosine(b) - asin(tl_clamp(a, -1, 1));
  return 0.5 * (angle - a * (root_of(1 - a * a) - b) - b * (root_of(1 - b * b) - a));
}

/* The angle by which the edge turns where the planes x = a and y = b meet on the sphere. */
static double turn_between(double a, double b) {
  const double scale = root_of((1 - a * a) * (1 - b * b));
  return scale > 0 ? arc_cosine(-a * b / scale) : PI / 2;
}

/* What the plane at distance a does: its face times its distance, and the turning along its edge.
 * b and c: distances of the other two; the edge of a wedge has b alone. */
static double wedge_side(double a, double b) {
  const double r = root_of(1 - a * a);
  const double angle = 2 * arc_cosine(b / r),
               face = 0.5 * r * r * angle - b * root_of(r * r - b * b);
  return a * (face + angle);
}

static double corner_side(double a, double b, double c) {
  const double r = root_of(1 - a * a);
  const double angle = arc_cosine(b / r) - asin(tl_clamp(c / r, -1, 1));
  const double face =
      0.5 * (r * r * angle - b * (root_of(r * r - b * b) - c) - c * (root_of(r * r - c * c) - b));
  return a * (face + angle);
}

static double ball_wedge(double a, double b) {
  if (a < 0) {
    return ball_cap(b) - ball_wedge(-a, b);
  }
  if (b < 0) {
    return ball_cap(a) - ball_wedge(a, -b);
  }
  if (a * a + b * b >= 1) {
    return 0;
  }
  return (2 * PI - 2 * turn_between(a, b) - wedge_side(a, b) - wedge_side(b, a)) / 3;
}

double tl_ball_corner(double a, double b, double c) {
  if (a < 0) {
    return ball_wedge(b, c) - tl_ball_corner(-a, b, c);
  }
  if (b < 0) {
    return ball_wedge(a, c) - tl_ball_corner(a, -b, c);
  }
  if (c < 0) {
    return ball_wedge(a, b) - tl_ball_corner(a, b, -c);
  }
  if (a * a + b * b + c * c >= 1) {
    return 0;
  }
  const double turns = turn_between(a, b) + turn_between(b, c) + turn_between(c, a);
  return (2 * PI - turns - corner_side(a, b, c) - corner_side(b, c, a) - corner_side(c, a, b)) / 3;
}

static double ball_in_box(const tl_domain *d, const double p[3], double radius) {
  double sum = 0;
  for (int corner = 0; corner < (d->plane ? 4 : 8); corner++) {
    const int up[3] = {corner & 1, corner >> 2, corner >> 1 & 1};
    double t[3];
    for (int c = 0; c < 3; c++) {
      t[c] = ((up[c] ? d->upper[c] : d->lower[c]) - p[c]) / radius;
    }
    const int sign = (up[0] + up[1] + up[2]) % 2 == 0 ? 1 : -1;
    sum += sign * (d->plane ? tl_disk_corner(t[0], t[2]) : tl_ball_corner(t[0], t[1], t[2]));
  }
  return fmax(0, sum) * radius * radius * (d->plane ? 1 : radius);
}

/* ---- two balls, two disks -------------------------------------------------------------------- */

double tl_ball_lens(double r, double s, double d) {
  if (d >= r + s) {
    return 0;
  }
  if (d <= fabs(r - s)) {
    const double t = fmin(r, s);
    return 4.0 / 3 * PI * t * t * t;
  }
  const double depth = r + s - d;
  return PI * depth * depth * (d * d + 2 * d * (r + s) - 3 * (r - s) * (r - s)) / (12 * d);
}

double tl_disk_lens(double r, double s, double d) {
  if (d >= r + s) {
    return 0;
  }
  if (d <= fabs(r - s)) {
    return PI * fmin(r, s) * fmin(r, s);
  }
  const double kite = (r + s - d) * (d + r - s) * (d - r + s) * (d + r + s);
  return r * r * arc_cosine((d * d + r * r - s * s) / (2 * d * r)) +
         s * s * arc_cosine((d * d + s * s - r * r) / (2 * d * s)) - 0.5 * root_of(kite);
}

/* ---- a cylinder ------------------------------------------------------------------------------ */

static const double gauss[12][2] = {
    {0.06405689286260563, 0.12793819534675221},  {0.19111886747361631, 0.1258374563468283},
    {0.3150426796961634, 0.12167047292780342},   {0.43379350762604513, 0.11550566805372561},
    {0.54542147138883956, 0.10744427011596561},  {0.64809365193697555, 0.097618652104114065},
    {0.74012419157855436, 0.086190161531953288}, {0.82000198597390295, 0.073346481411080411},
    {0.88641552700440096, 0.059298584915436742}, {0.9382745520027328, 0.044277438817419551},
    {0.97472855597130947, 0.028531388628933743}, {0.99518721999702131, 0.012341229799987091}};

/* The common area of ball and cylinder over the height t above the ball's centre, from one height
 * to another; in between neither disk begins to hold the other. t = middle - half cos(angle). */
static double slices(double radius, double cylinder, double distance, double from, double to) {
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
  double sum = 0;
  for (int k = 0; k < 24; k++) {
    const double node = k % 2 == 0 ? gauss[k / 2][0] : -gauss[k / 2][0];
    const double angle = 0.5 * PI * (1 + node);
    const double t = middle - half * cos(angle);
    sum += gauss[k / 2][1] * half * sin(angle) *
           tl_disk_lens(root_of(radius * radius - t * t), cylinder, distance);
  }
  return 0.5 * PI * sum;
}

/* The part of a ball in a whole cylinder of that radius, of heights low to high above the ball's
 * centre; distance: of its axis. */
static double ball_in_cylinder(double radius, double cylinder, double distance, double low,
                               double high) {
  if (distance >= radius + cylinder || !(cylinder > 0)) {
    return 0;
  }
  if (distance + radius <= cylinder) { /* the mantle does not cut it */
    return radius * radius * radius * (ball_cap(low / radius) - ball_cap(high / radius));
  }
  const double gap = root_of(radius * radius - (cylinder - distance) * (cylinder - distance));
  const double far = root_of(radius * radius - (cylinder + distance) * (cylinder + distance));
  const double piece[6] = {-radius, -gap, -far, far, gap, radius};
  double sum = 0;
  for (int k = 0; k < 5; k++) {
    const double from = fmax(low, piece[k]), to = fmin(high, piece[k + 1]);
    const double middle = 0.5 * (from + to); /* the root of the next piece may be near */
    sum += from < to ? slices(radius, cylinder, distance, from, middle) +
                           slices(radius, cylinder, distance, middle, to)
                     : 0;
  }
  return sum;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static double whole_ball(const tl_domain *d, double radius) {
  return d->plane ? PI * radius * radius : 4.0 / 3 * PI * radius * radius * radius;
}

double tl_domain_ball_volume(const tl_domain *d, const double centre[3], double radius) {
  double p[3];
  if (!(radius > 0) || !tl_domain_meets_ball(d, centre, radius)) {
    return 0;
  }
  if (tl_domain_holds_ball(d, centre, radius)) {
    return whole_ball(d, radius);
  }
  tl_unplace3(p, &d->pose, centre);
  p[1] = d->plane ? 0 : p[1];
  if (d->kind == TL_DOMAIN_BOX) {
    return ball_in_box(d, p, radius);
  }
  if (d->kind == TL_DOMAIN_BALL) {
    double (*const lens)(double, double, double) = d->plane ? tl_disk_lens : tl_ball_lens;
    const double distance = tl_norm3(p);
    return fmax(0, lens(radius, d->radius, distance) -
                       (d->inner > 0 ? lens(radius, d->inner, distance) : 0));
  }
  const double distance = hypot(p[0], p[1]), low = fmax(-radius, -p[2]);
  const double high = fmin(radius, d->height - p[2]);
  return fmax(0, ball_in_cylinder(radius, d->radius, distance, low, high) -
                     ball_in_cylinder(radius, d->inner, distance, low, high));
}
