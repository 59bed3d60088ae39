/* certificate_facets.c: the certificate's natural map for a faceted cone.
 *
 * The same measure as for the circular cone, with the polygon of talus_cone in place of the disc:
 * P is the Euclidean projection on the faceted cone, and mu times the polygon's support in the
 * direction -u_t takes the place of mu |u_t| under the exact law. The cone is its own mirror image
 * about the planes through its axis and a vertex or the middle of a facet, so that a point and its
 * projection lie between the same two of them: one facet and one edge have to be looked at. */
#include <math.h>

#include "host/solve/certificate.h"

static const double PI = 3.14159265358979323846;

tl_polygon tl_polygon_of(const talus_settings *settings) {
  tl_polygon polygon = {0, settings->facet_angle, 1, settings->facet_align};
  if (settings->cone == TALUS_CONE_PYRAMID) {
    polygon.count = settings->facets;
  } else if (settings->cone == TALUS_CONE_BOX) {
    polygon.count = 4; /* its vertices are the corners */
    polygon.angle += PI / 4;
    polygon.reach = sqrt(2.0);
  }
  return polygon;
}

/* The tangents of form RIGID, as talus_cone defines them. */
static void tangents(const double *n, double *t1, double *t2) {
  const double s = n[2] >= 0 ? 1 : -1, b = -1 / (s + n[2]);
  t1[0] = 1 + s * n[0] * n[0] * b;
  t1[1] = s * n[0] * n[1] * b;
  t1[2] = -s * n[0];
  t2[0] = n[0] * n[1] * b;
  t2[1] = s + n[1] * n[1] * b;
  t2[2] = -n[1];
}

/* n t1 t2 components of a vector in the frame of the rows. */
static void resolve(const double *v, const double *axis, double out[3]) {
  if (axis == NULL) {
    out[0] = v[0];
    out[1] = v[1];
    out[2] = v[2];
    return;
  }
  double t1[3], t2[3];
  tangents(axis, t1, t2);
  out[0] = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
  out[1] = t1[0] * v[0] + t1[1] * v[1] + t1[2] * v[2];
  out[2] = t2[0] * v[0] + t2[1] * v[1] + t2[2] * v[2];
}

/* A polygon at its contact: vertex i stands at base + i * turn. */
typedef struct local_cone {
  double base, turn, slope; /* slope: of an edge, reach * mu */
} local_cone;

/* Largest -u_t . d over the vertices, times the slope. */
static double support(const local_cone *k, const double *u) {
  const double angle = atan2(-u[2], -u[1]) - k->base;
  const double off = angle - k->turn * rint(angle / k->turn);
  return k->slope * hypot(u[1], u[2]) * cos(off);
}

/* |x - P(x - u)|^2. */
static double natural(const local_cone *k, const double *x, const double *u) {
  const double z[3] = {x[0] - u[0], x[1] - u[1], x[2] - u[2]};
  const double size = hypot(z[1], z[2]), angle = size > 0 ? atan2(z[2], z[1]) - k->base : 0;
  const double vertex = k->base + k->turn * rint(angle / k->turn);
  const double middle = k->base + k->turn * (floor(angle / k->turn) + 0.5);
  const double h = k->slope * cos(0.5 * k->turn), half = k->slope * sin(0.5 * k->turn);
  const double m[2] = {cos(middle), sin(middle)};
  const double out = m[0] * z[1] + m[1] * z[2] - h * z[0]; /* beyond the facet's plane */
  double p[3] = {z[0], z[1], z[2]};
  if (isnan(out)) {
    return out;
  }
  if (out > 0) {
    const double way = out / (1 + h * h);
    p[0] += way * h;
    p[1] -= way * m[0];
    p[2] -= way * m[1];
    if (!(fabs(m[0] * z[2] - m[1] * z[1]) <= half * p[0])) { /* beside the facet */
      const double d[2] = {cos(vertex), sin(vertex)};
      const double along =
          (z[0] + k->slope * (d[0] * z[1] + d[1] * z[2])) / (1 + k->slope * k->slope);
      p[0] = along > 0 ? along : 0;
      p[1] = k->slope * p[0] * d[0];
      p[2] = k->slope * p[0] * d[1];
    }
  }
  double sum = 0;
  for (int c = 0; c < 3; c++) {
    sum += (x[c] - p[c]) * (x[c] - p[c]);
  }
  return sum;
}

void tl_polygon_judge(const tl_polygon *polygon, const tl_facts *facts, int64_t i, double mu,
                      const double *axis, double residual[TALUS_LAW_COUNT],
                      double reference[TALUS_LAW_COUNT]) {
  const double root = sqrt(facts->weight[i]), zero[3] = {0, 0, 0};
  double x[3], u[3], q[3];
  resolve(facts->impulse + 3 * i, axis, x);
  resolve(facts->velocity + 3 * i, axis, u);
  resolve(facts->free + 3 * i, axis, q);
  local_cone k = {polygon->angle, 2 * PI / polygon->count, polygon->reach * mu};
  if (polygon->aligned && (q[1] != 0 || q[2] != 0)) {
    k.base += atan2(-q[2], -q[1]);
  }
  for (int c = 0; c < 3; c++) {
    x[c] *= root;
    u[c] /= root;
    q[c] /= root;
  }
  residual[TALUS_LAW_CCP] = natural(&k, x, u);
  reference[TALUS_LAW_CCP] = natural(&k, zero, q);
  u[0] += support(&k, u);
  q[0] += support(&k, q);
  residual[TALUS_LAW_COULOMB] = natural(&k, x, u);
  reference[TALUS_LAW_COULOMB] = natural(&k, zero, q);
}
