/* geometry_mass.c: volume, centre and inertia of shapes; of their sections for plane worlds see
 * geometry_plane.c.
 *
 * Closed forms where there are some; hulls and closed meshes are sums over signed tetrahedra with
 * one corner at a point of the surface: for corners 0 a b c and D = a . (b x c) the volume is D/6,
 * the integral of x is D/24 s with s = a + b + c, that of x x^T is D/120 (a a^T + b b^T + c c^T +
 * s s^T). */
#include <string.h>

#include "host/collide/collide.h"
#include "host/collide/geometry_plane.h"
#include "host/collide/mesh.h"
#include "host/math/vector.h"

static const double pi = 3.14159265358979323846;

typedef struct moments {
  double origin[3];
  double volume, first[3], second[6]; /* second: xx xy xz yy yz zz */
} moments;

static void add_tetrahedron(moments *m, const double p[3], const double q[3], const double r[3]) {
  double a[3], b[3], c[3], s[3], turned[3];
  tl_sub3(a, p, m->origin);
  tl_sub3(b, q, m->origin);
  tl_sub3(c, r, m->origin);
  tl_cross3(turned, b, c);
  const double d = tl_dot3(a, turned);
  m->volume += d / 6;
  for (int i = 0; i < 3; i++) {
    s[i] = a[i] + b[i] + c[i];
    m->first[i] += d / 24 * s[i];
  }
  for (int i = 0, k = 0; i < 3; i++) {
    for (int j = i; j < 3; j++, k++) {
      m->second[k] += d / 120 * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s[i] * s[j]);
    }
  }
}

/* Inertia about the centre from the integrals of x x^T about it. */
static void inertia_from(double inertia[6], const double second[6]) {
  inertia[0] = second[3] + second[5];
  inertia[1] = -second[1];
  inertia[2] = -second[2];
  inertia[3] = second[0] + second[5];
  inertia[4] = -second[4];
  inertia[5] = second[0] + second[3];
}

static tl_mass_properties from_moments(const moments *m) {
  tl_mass_properties mass;
  memset(&mass, 0, sizeof mass);
  if (!(m->volume > 0)) {
    return mass;
  }
  double c[3], second[6];
  tl_scale3(c, 1 / m->volume, m->first);
  for (int i = 0, k = 0; i < 3; i++) {
    for (int j = i; j < 3; j++, k++) {
      second[k] = m->second[k] - m->volume * c[i] * c[j];
    }
  }
  mass.volume = m->volume;
  tl_along3(mass.centre, m->origin, 1, c);
  inertia_from(mass.inertia, second);
  return mass;
}

static tl_mass_properties hull_mass(const tl_hull *hull) {
  moments m;
  memset(&m, 0, sizeof m);
  tl_copy3(m.origin, hull->point);
  for (int32_t f = 0; f < hull->face_count; f++) {
    const int32_t *const corner = hull->face_point + hull->face_first[f];
    const int32_t count = hull->face_first[f + 1] - hull->face_first[f];
    for (int32_t k = 2; k < count; k++) {
      add_tetrahedron(&m, hull->point + 3 * corner[0], hull->point + 3 * corner[k - 1],
                      hull->point + 3 * corner[k]);
    }
  }
  return from_moments(&m);
}

/* A closed mesh turned inside out encloses all but its inside: no volume. */
static tl_mass_properties mesh_mass(const tl_mesh *mesh) {
  moments m;
  memset(&m, 0, sizeof m);
  tl_copy3(m.origin, mesh->point);
  for (int32_t k = 0; mesh->closed && k < mesh->triangle_count; k++) {
    const int32_t *const t = mesh->triangle + 3 * k;
    add_tetrahedron(&m, mesh->point + 3 * t[0], mesh->point + 3 * t[1], mesh->point + 3 * t[2]);
  }
  return from_moments(&m);
}

static void diagonal(tl_mass_properties *mass, double x, double y, double z) {
  mass->inertia[0] = x;
  mass->inertia[3] = y;
  mass->inertia[5] = z;
}

/* A cylinder and two half balls, whose centres lie 3/8 r beyond its ends. */
static void capsule_mass(double r, double h, tl_mass_properties *mass) {
  const double cylinder = 2 * pi * r * r * h, ball = 4 * pi / 3 * r * r * r;
  const double across =
      cylinder * (r * r / 4 + h * h / 3) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
  mass->volume = cylinder + ball;
  diagonal(mass, across, across, cylinder * r * r / 2 + 0.4 * ball * r * r);
}

tl_mass_properties tl_geometry_mass(const tl_geometry *g, int plane) {
  tl_mass_properties mass;
  memset(&mass, 0, sizeof mass);
  const double r = g->radius, h = g->half_length, *const e = g->half_edge;
  if (plane) {
    return tl_geometry_plane_mass(g);
  }
  switch (g->kind) {
  case TALUS_SHAPE_SPHERE:
    mass.volume = 4 * pi / 3 * r * r * r;
    diagonal(&mass, 0.4 * mass.volume * r * r, 0.4 * mass.volume * r * r,
             0.4 * mass.volume * r * r);
    return mass;
  case TALUS_SHAPE_BOX:
    mass.volume = 8 * e[0] * e[1] * e[2];
    diagonal(&mass, mass.volume / 3 * (e[1] * e[1] + e[2] * e[2]),
             mass.volume / 3 * (e[0] * e[0] + e[2] * e[2]),
             mass.volume / 3 * (e[0] * e[0] + e[1] * e[1]));
    return mass;
  case TALUS_SHAPE_CAPSULE:
    capsule_mass(r, h, &mass);
    return mass;
  case TALUS_SHAPE_CYLINDER:
    mass.volume = 2 * pi * r * r * h;
    diagonal(&mass, mass.volume * (r * r / 4 + h * h / 3), mass.volume * (r * r / 4 + h * h / 3),
             mass.volume * r * r / 2);
    return mass;
  case TALUS_SHAPE_HULL:
    return hull_mass(g->hull);
  case TALUS_SHAPE_MESH:
    return mesh_mass(g->mesh);
  default:
    return mass;
  }
}
