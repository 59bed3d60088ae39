/* bed.h: a bed of spheres on a floor, with positions, for the tests of bricks and of ranks. */
#ifndef TL_TESTS_BED_H
#define TL_TESTS_BED_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "talus/talus_solve.h"

typedef struct bed {
  int32_t edge, body_count, contact_count, row_count;
  double *position, *velocity, *mass, *inertia;
  int32_t *a, *b;
  double *normal, *reach_a, *reach_b, *arm_a, *arm_b, *bias, *friction;
  int32_t *row_a, *row_b;
  double *jacobian;
} bed;

static double bed_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) / 9007199254740992.0;
}

static void *bed_room(int64_t count, size_t size) {
  return calloc((size_t)count + 1, size);
}

static void bed_contact(bed *d, int32_t a, int32_t b, const double *way, double length) {
  const int64_t k = d->contact_count++;
  d->a[k] = a;
  d->b[k] = b;
  d->friction[k] = 0.5;
  d->bias[k] = 0.001 * (double)(k % 3);
  d->reach_a[k] = a >= 0 ? 0.5 * length : 0;
  d->reach_b[k] = a >= 0 ? 0.5 * length : length;
  for (int c = 0; c < 3; c++) {
    d->normal[3 * k + c] = way[c] / length;
    d->arm_a[3 * k + c] = d->reach_a[k] * d->normal[3 * k + c];
    d->arm_b[3 * k + c] = -d->reach_b[k] * d->normal[3 * k + c];
  }
}

static void bed_touch(bed *d, int32_t i) {
  const int32_t n = d->edge, x = i % n, y = i / n % n, z = i / n / n;
  const int32_t next[3] = {x + 1 < n ? i + 1 : -1, y + 1 < n ? i + n : -1,
                           z + 1 < n ? i + n * n : -1};
  const double down[3] = {0, 0, 0.5};
  if (z == 0) {
    bed_contact(d, -1, i, down, 0.5);
  }
  for (int c = 0; c < 3; c++) {
    double way[3], square = 0;
    for (int k = 0; next[c] >= 0 && k < 3; k++) {
      way[k] = d->position[3 * (int64_t)next[c] + k] - d->position[3 * (int64_t)i + k];
      square += way[k] * way[k];
    }
    if (next[c] >= 0 && square < 1.1) {
      bed_contact(d, i, next[c], way, sqrt(square));
    }
  }
}

/* Joins the centres of some neighbours along x. */
static void bed_join(bed *d, int32_t i) {
  const int64_t row = d->row_count++;
  d->row_a[row] = i;
  d->row_b[row] = i + 1;
  d->jacobian[12 * row] = -1;
  d->jacobian[12 * row + 6] = 1;
}

/* Memory for so many bodies, and none of them. */
static void bed_take(bed *d, int32_t bodies) {
  memset(d, 0, sizeof *d);
  const int64_t n = bodies, most = 4 * n;
  d->position = bed_room(3 * n, sizeof(double));
  d->velocity = bed_room(6 * n, sizeof(double));
  d->mass = bed_room(n, sizeof(double));
  d->inertia = bed_room(6 * n, sizeof(double));
  d->a = bed_room(most, sizeof(int32_t));
  d->b = bed_room(most, sizeof(int32_t));
  double **const contacts[] = {&d->reach_a, &d->reach_b, &d->bias, &d->friction};
  double **const vectors[] = {&d->normal, &d->arm_a, &d->arm_b};
  for (int i = 0; i < 4; i++) {
    *contacts[i] = bed_room(most, sizeof(double));
  }
  for (int i = 0; i < 3; i++) {
    *vectors[i] = bed_room(3 * most, sizeof(double));
  }
  d->row_a = bed_room(n, sizeof(int32_t));
  d->row_b = bed_room(n, sizeof(int32_t));
  d->jacobian = bed_room(12 * n, sizeof(double));
}

/* edge^3 spheres about a lattice of unit edge; rows: every 37th has one to the next. */
static void bed_make(bed *d, int32_t edge, int rows, uint64_t seed) {
  const int32_t n = edge * edge * edge;
  bed_take(d, n);
  d->edge = edge;
  d->body_count = n;
  for (int32_t i = 0; i < n; i++) {
    const int32_t at[3] = {i % edge, i / edge % edge, i / edge / edge};
    for (int c = 0; c < 3; c++) {
      d->position[3 * (int64_t)i + c] = at[c] + 0.1 * (bed_random(&seed) - 0.5) + 0.5;
      d->velocity[6 * (int64_t)i + c] = 0.004 * (bed_random(&seed) - 0.5) - (c == 2 ? 0.01 : 0);
    }
    d->mass[i] = 0.5 + bed_random(&seed);
    d->inertia[6 * (int64_t)i] = d->inertia[6 * (int64_t)i + 3] = d->inertia[6 * (int64_t)i + 5] =
        10 * d->mass[i];
  }
  for (int32_t i = 0; i < n; i++) {
    bed_touch(d, i);
    if (rows && i % 37 == 5 && i % edge + 1 < edge) {
      bed_join(d, i);
    }
  }
}

static talus_problem bed_problem(const bed *d, int arms, double brick_size) {
  talus_problem p = talus_problem_default(TALUS_FORM_RIGID);
  p.contact_count = d->contact_count;
  p.bilateral_count = d->row_count;
  p.friction = d->friction;
  p.rigid = (talus_rigid){.body_count = d->body_count,
                          .velocity = d->velocity,
                          .inverse_mass = d->mass,
                          .inverse_inertia = d->inertia,
                          .body_a = d->a,
                          .body_b = d->b,
                          .normal = d->normal,
                          .reach_a = arms ? NULL : d->reach_a,
                          .reach_b = arms ? NULL : d->reach_b,
                          .arm_a = arms ? d->arm_a : NULL,
                          .arm_b = arms ? d->arm_b : NULL,
                          .bias = d->bias,
                          .row_body_a = d->row_a,
                          .row_body_b = d->row_b,
                          .row_jacobian = d->jacobian};
  p.positions = d->position;
  p.brick_size = brick_size;
  return p;
}

static void bed_release(bed *d) {
  void *const memory[] = {d->position, d->velocity, d->mass,    d->inertia, d->a,     d->b,
                          d->normal,   d->reach_a,  d->reach_b, d->arm_a,   d->arm_b, d->bias,
                          d->friction, d->row_a,    d->row_b,   d->jacobian};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
    free(memory[i]);
  }
}

#endif
