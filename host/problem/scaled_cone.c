/* scaled_cone.c: cones of a scaled problem: vertices of faceted ones, slip, nearest points.
 *
 * Vertices stand in the tangent plane, over mu, in turning order at equal angles; facet i lies
 * between vertex i and the next. In a plane (two rows) every cone has the vertices +1 and -1. */
#include <math.h>
#include <string.h>

#include "host/math/trigonometry.h"
#include "host/problem/scaled.h"
#include "kernels/item/cone.h"
#include "kernels/item/row.h"

static const double TURN = 6.283185307179586476925;

talus_status tl_scaled_facets(talus_context *context, const talus_settings *settings,
                              tl_scaled *p) {
  const bool box = settings->cone == TALUS_CONE_BOX;
  p->facet_count = settings->cone == TALUS_CONE_CIRCULAR ? 0 : box ? 4 : settings->facets;
  const int32_t facets = p->facet_count;
  TL_TRY(tl_buffer_reserve(context, &p->vertices, 2 * (size_t)facets * (size_t)p->count,
                           sizeof(double), "vertices of cones"));
  p->vertex = p->vertices.memory;
  for (int64_t k = 0; k < p->count; k++) {
    const double *const q = p->q + p->first[k];
    double angle = settings->facet_angle + (box ? TURN / 8 : 0);
    if (settings->facet_align && p->first[k + 1] - p->first[k] == 3 && (q[1] != 0 || q[2] != 0)) {
      angle += tl_angle(-q[2], -q[1]);
    }
    for (int32_t i = 0; i < facets; i++) {
      double *const vertex = p->vertex + 2 * (facets * k + i);
      double sine, cosine;
      tl_sine_cosine(angle + TURN * i / facets, &sine, &cosine);
      vertex[0] = (box ? sqrt(2.0) : 1) * cosine;
      vertex[1] = (box ? sqrt(2.0) : 1) * sine;
    }
  }
  return TALUS_OK;
}

int32_t tl_scaled_vertices(const tl_scaled *p, int32_t k, double *vertex) {
  const double line[4] = {1, 0, -1, 0};
  if (p->first[k + 1] - p->first[k] == 2) {
    memcpy(vertex, line, sizeof line);
    return 2;
  }
  memcpy(vertex, p->vertex + 2 * (int64_t)p->facet_count * k,
         2 * (size_t)p->facet_count * sizeof *vertex);
  return p->facet_count;
}

double tl_scaled_slip(const tl_scaled *p, int32_t k, const double *u) {
  const int32_t facets = p->facet_count;
  if (p->first[k + 1] - p->first[k] == 2) {
    return fabs(u[1]);
  }
  if (facets == 0) {
    return sqrt(u[1] * u[1] + u[2] * u[2]);
  }
  double most = 0;
  for (int32_t i = 0; i < facets; i++) {
    const double *const d = p->vertex + 2 * ((int64_t)facets * k + i);
    most = fmax(most, -(d[0] * u[1] + d[1] * u[2]));
  }
  return most;
}

/* On the ray of slope mu along t. */
static void ray_project(double mu, double t1, double t2, double *z) {
  const double along = (z[0] + mu * (t1 * z[1] + t2 * z[2])) / (1 + mu * mu * (t1 * t1 + t2 * t2));
  z[0] = along > 0 ? along : 0;
  z[1] = mu * z[0] * t1;
  z[2] = mu * z[0] * t2;
}

/* The facet whose plane is passed furthest; if the foot is beside it, its nearer edge. */
static void faceted_project(const tl_scaled *p, int32_t k, double *z) {
  const double mu = p->friction[k];
  const int32_t facets = p->facet_count;
  const double *const vertex = p->vertex + 2 * (int64_t)facets * k;
  double furthest = 0, foot[3] = {0, 0, 0};
  const double *edge[2] = {vertex, vertex};
  for (int32_t i = 0; i < facets; i++) {
    const double *const a = vertex + 2 * i, *const b = vertex + 2 * ((i + 1) % facets);
    const double m[2] = {0.5 * (a[0] + b[0]),
                         0.5 * (a[1] + b[1])}; /* normal; |m|^2 mu z_n is the facet */
    const double size = sqrt(m[0] * m[0] + m[1] * m[1]), h = mu * size;
    const double out = (m[0] * z[1] + m[1] * z[2]) / size - h * z[0];
    if (out > furthest) {
      const double way = out / (1 + h * h);
      furthest = out;
      foot[0] = z[0] + way * h;
      foot[1] = z[1] - way * m[0] / size;
      foot[2] = z[2] - way * m[1] / size;
      edge[0] = a;
      edge[1] = b;
    }
  }
  if (!(furthest > 0)) {
    return;
  }
  const double half[2] = {0.5 * (edge[1][0] - edge[0][0]), 0.5 * (edge[1][1] - edge[0][1])};
  const double beside = half[0] * foot[1] + half[1] * foot[2];
  const double room = mu * (half[0] * half[0] + half[1] * half[1]) * foot[0];
  if (fabs(beside) <= room) {
    memcpy(z, foot, sizeof foot);
  } else {
    ray_project(mu, edge[beside > 0][0], edge[beside > 0][1], z);
  }
}

/* On the circular cone; a contact without friction has a half-line. */
static void circular_project(double mu, int32_t rows, double *z) {
  const double m = sqrt((rows > 1 ? z[1] * z[1] : 0) + (rows > 2 ? z[2] * z[2] : 0));
  if (z[0] >= 0 && m <= mu * z[0]) {
    return;
  }
  const double along = tl_cone_edge(z[0], m, mu, 1, 1);
  z[0] = along > 0 ? along : 0;
  for (int32_t i = 1; i < rows; i++) {
    z[i] *= m > 0 ? mu * z[0] / m : 0;
  }
}

void tl_scaled_project(const tl_scaled *p, int32_t k, double *z) {
  const int32_t rows = p->first[k + 1] - p->first[k];
  if (p->kind[k] == TL_CONSTRAINT_BOUNDED) {
    z[0] = tl_row_clamp(z[0], p->lower[k], p->upper[k]);
  } else if (p->kind[k] == TL_CONSTRAINT_FRICTION && rows == 3 && p->facet_count > 0) {
    faceted_project(p, k, z);
  } else if (p->kind[k] != TL_CONSTRAINT_FREE) {
    circular_project(p->friction[k], rows, z);
  }
}
