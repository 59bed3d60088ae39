/* geometry_plane.c: sections of shapes with the x-z plane: disk, rectangle, stadium, polygon.
 *
 * The section of a hull is the sum over its faces' cuts: each face that the plane crosses gives one
 * edge of the section, and a triangle from an inner point over that edge is added; no ordering of
 * the edges is needed. */
#include "host/collide/geometry_plane.h"

#include <string.h>

#include "host/collide/collide.h"
#include "host/math/vector.h"

static const double pi = 3.14159265358979323846;

/* A plate of the given area and second moments about its centre. */
static void plate(tl_mass_properties *mass, double area, double xx, double xz, double zz) {
  mass->volume = area;
  mass->inertia[0] = zz; /* about the x axis: integral of z^2 */
  mass->inertia[2] = -xz;
  mass->inertia[3] = xx + zz;
  mass->inertia[5] = xx;
}

static void rectangle(tl_mass_properties *mass, double half_x, double half_z) {
  const double area = 4 * half_x * half_z;
  plate(mass, area, area * half_x * half_x / 3, 0, area * half_z * half_z / 3);
}

/* A rectangle and two half disks, whose centres lie 4 r / 3 pi beyond its ends. */
static void stadium(tl_mass_properties *mass, double r, double h) {
  const double box = 4 * r * h, disk = pi * r * r;
  const double xx = box * r * r / 3 + disk * r * r / 4;
  const double zz = box * h * h / 3 + disk * (r * r / 4 + h * h + 8 * h * r / (3 * pi));
  plate(mass, box + disk, xx, 0, zz);
}

/* Where the plane crosses a face: at most two points of (x, z). A corner in the plane counts as on
 * its positive side. */
static int cut_face(const tl_hull *hull, int32_t face, double cut[2][2]) {
  const int32_t first = hull->face_first[face], end = hull->face_first[face + 1];
  int count = 0;
  for (int32_t k = first; k < end; k++) {
    const double *const p = hull->point + 3 * hull->face_point[k];
    const double *const q = hull->point + 3 * hull->face_point[k + 1 < end ? k + 1 : first];
    if ((p[1] >= 0) != (q[1] >= 0) && count < 2) {
      const double s = p[1] / (p[1] - q[1]);
      cut[count][0] = p[0] + s * (q[0] - p[0]);
      cut[count++][1] = p[2] + s * (q[2] - p[2]);
    }
  }
  return count;
}

static void hull_section(tl_mass_properties *mass, const tl_hull *hull) {
  double origin[2] = {0, 0}, area = 0, first[2] = {0, 0}, second[3] = {0, 0, 0};
  int started = 0;
  for (int32_t f = 0; f < hull->face_count; f++) {
    double cut[2][2];
    if (cut_face(hull, f, cut) < 2) {
      continue;
    }
    if (!started) {
      started = 1;
      memcpy(origin, cut[0], sizeof origin);
    }
    const double a[2] = {cut[0][0] - origin[0], cut[0][1] - origin[1]};
    const double b[2] = {cut[1][0] - origin[0], cut[1][1] - origin[1]};
    /* the origin is a corner of a convex polygon: every triangle counts as positive */
    const double d = fabs(a[0] * b[1] - a[1] * b[0]);
    const double s[2] = {a[0] + b[0], a[1] + b[1]};
    area += d / 2;
    first[0] += d / 6 * s[0];
    first[1] += d / 6 * s[1];
    second[0] += d / 24 * (a[0] * a[0] + b[0] * b[0] + s[0] * s[0]);
    second[1] += d / 24 * (a[0] * a[1] + b[0] * b[1] + s[0] * s[1]);
    second[2] += d / 24 * (a[1] * a[1] + b[1] * b[1] + s[1] * s[1]);
  }
  if (area > 0) {
    const double x = first[0] / area, z = first[1] / area;
    plate(mass, area, second[0] - area * x * x, second[1] - area * x * z, second[2] - area * z * z);
    tl_set3(mass->centre, origin[0] + x, 0, origin[1] + z);
  }
}

tl_mass_properties tl_geometry_plane_mass(const tl_geometry *g) {
  tl_mass_properties mass;
  memset(&mass, 0, sizeof mass);
  const double r = g->radius, disk = pi * r * r;
  switch (g->kind) {
  case TALUS_SHAPE_SPHERE:
    plate(&mass, disk, disk * r * r / 4, 0, disk * r * r / 4);
    break;
  case TALUS_SHAPE_BOX:
    rectangle(&mass, g->half_edge[0], g->half_edge[2]);
    break;
  case TALUS_SHAPE_CAPSULE:
    stadium(&mass, r, g->half_length);
    break;
  case TALUS_SHAPE_CYLINDER:
    rectangle(&mass, r, g->half_length);
    break;
  case TALUS_SHAPE_HULL:
    hull_section(&mass, g->hull);
    break;
  default:
    break;
  }
  return mass;
}
