/* clumps.h: five unlike parts that stand on the plane z = 0 of their common frame, and what any
 * selection of them weighs, by closed forms. The first three are a tripod; the others lie above. */
#ifndef TL_CLUMPS_H
#define TL_CLUMPS_H

#include <math.h>
#include <string.h>

#include "talus/talus_world.h"

enum { CLUMP_PARTS = 5, CLUMP_MATERIALS = 3 };

static const double clump_density[CLUMP_MATERIALS] = {2500, 7800, 1000};

typedef struct clump_part {
  talus_shape_kind kind;
  int32_t material;
  double position[3], orientation[4];
  double radius, half_length, half_edge[3];
} clump_part;

/* The corners of the tetrahedron: its right angle at the origin. */
static const double clump_corner[12] = {0, 0, 0, 6e-3, 0, 0, 0, 5e-3, 0, 0, 0, 7e-3};

static const clump_part clump_parts[CLUMP_PARTS] = {
    {TALUS_SHAPE_SPHERE, 0, {-12e-3, -8e-3, 4e-3}, {1, 0, 0, 0}, 4e-3, 0, {0}},
    {TALUS_SHAPE_SPHERE, 1, {13e-3, -7e-3, 3e-3}, {0.6, 0, 0.8, 0}, 3e-3, 0, {0}},
    {TALUS_SHAPE_BOX, 2, {1e-3, 14e-3, 5e-3}, {0.8, 0, 0, 0.6}, 0, 0, {2e-3, 3e-3, 5e-3}},
    {TALUS_SHAPE_CAPSULE, 0, {0.5e-3, -1e-3, 9e-3}, {0.6, 0, 0.8, 0}, 2e-3, 6e-3, {0}},
    {TALUS_SHAPE_HULL, 1, {-2e-3, 3e-3, 14e-3}, {0.5, 0.1, -0.7, 0.5}, 0, 0, {0}},
};

/* Columns are where the axes go. */
static inline void clump_matrix(const double q[4], double m[3][3]) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double rows[3][3] = {
      {w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
      {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
      {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
  memcpy(m, rows, sizeof rows);
}

static inline void clump_turn(const double q[4], const double v[3], double out[3]) {
  double m[3][3];
  clump_matrix(q, m);
  for (int i = 0; i < 3; i++) {
    out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  }
}

/* Volume, centre and the second moments of volume about the centre, in the part's own axes. */
static inline double clump_part_moments(const clump_part *p, double centre[3],
                                        double moments[3][3]) {
  const double pi = 3.14159265358979323846, r = p->radius, h = p->half_length;
  memset(centre, 0, 3 * sizeof *centre);
  memset(moments, 0, 9 * sizeof(double));
  if (p->kind == TALUS_SHAPE_SPHERE) {
    const double v = 4.0 / 3.0 * pi * r * r * r;
    for (int i = 0; i < 3; i++) {
      moments[i][i] = v * r * r / 5;
    }
    return v;
  }
  if (p->kind == TALUS_SHAPE_BOX) {
    const double v = 8 * p->half_edge[0] * p->half_edge[1] * p->half_edge[2];
    for (int i = 0; i < 3; i++) {
      moments[i][i] = v * p->half_edge[i] * p->half_edge[i] / 3;
    }
    return v;
  }
  if (p->kind == TALUS_SHAPE_CAPSULE) { /* a cylinder, and two halves of a ball moved apart */
    const double c = 2 * pi * r * r * h, s = 4.0 / 3.0 * pi * r * r * r;
    moments[0][0] = moments[1][1] = c * r * r / 4 + s * r * r / 5;
    moments[2][2] = c * h * h / 3 + s * (r * r / 5 + h * h + 3 * h * r / 4);
    return c + s;
  }
  /* A tetrahedron with corners v: V/20 (sum v v^T + 16 c c^T), less V c c^T. */
  const double *v = clump_corner;
  const double volume = v[3] * v[7] * v[11] / 6;
  for (int i = 0; i < 3; i++) {
    centre[i] = (v[i] + v[3 + i] + v[6 + i] + v[9 + i]) / 4;
  }
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      double sum = 16 * centre[i] * centre[k];
      for (int corner = 0; corner < 4; corner++) {
        sum += v[3 * corner + i] * v[3 * corner + k];
      }
      moments[i][k] = volume * (sum / 20 - centre[i] * centre[k]);
    }
  }
  return volume;
}

typedef struct clump_mass {
  double mass, centre[3];
  double inertia[6]; /* about the centre, xx xy xz yy yz zz */
} clump_mass;

/* Of parts whose lengths are `factor` times those of the table. */
static inline clump_mass clump_expect(const int *part, int count, double factor) {
  clump_mass all = {0};
  double moments[3][3] = {{0}}; /* about the frame's origin */
  for (int n = 0; n < count; n++) {
    const clump_part *p = &clump_parts[part[n]];
    double at[3], centre[3], own[3][3], m[3][3];
    const double mass = clump_density[p->material] * clump_part_moments(p, centre, own);
    clump_matrix(p->orientation, m);
    clump_turn(p->orientation, centre, at);
    for (int i = 0; i < 3; i++) {
      at[i] += p->position[i];
      all.centre[i] += mass * at[i];
    }
    all.mass += mass;
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        moments[i][k] += mass * at[i] * at[k];
        for (int a = 0; a < 3; a++) {
          for (int b = 0; b < 3; b++) {
            moments[i][k] += clump_density[p->material] * m[i][a] * own[a][b] * m[k][b];
          }
        }
      }
    }
  }
  for (int i = 0; i < 3; i++) {
    all.centre[i] /= all.mass;
  }
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      moments[i][k] -= all.mass * all.centre[i] * all.centre[k];
    }
  }
  const double trace = moments[0][0] + moments[1][1] + moments[2][2];
  const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int i = 0; i < 6; i++) {
    all.inertia[i] =
        pow(factor, 5) * ((row[i] == column[i] ? trace : 0) - moments[row[i]][column[i]]);
  }
  all.mass *= pow(factor, 3);
  for (int i = 0; i < 3; i++) {
    all.centre[i] *= factor;
  }
  return all;
}

/* The next order of the numbers, in the dictionary's sense; 0 after the last. */
static inline int clump_next(int *order, int count) {
  int i = count - 2;
  while (i >= 0 && order[i] > order[i + 1]) {
    i--;
  }
  if (i < 0) {
    return 0;
  }
  int k = count - 1;
  while (order[k] < order[i]) {
    k--;
  }
  const int swapped = order[i];
  order[i] = order[k];
  order[k] = swapped;
  for (int a = i + 1, b = count - 1; a < b; a++, b--) {
    const int other = order[a];
    order[a] = order[b];
    order[b] = other;
  }
  return 1;
}

#endif
