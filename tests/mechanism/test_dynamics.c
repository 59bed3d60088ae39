/* test_dynamics.c: forward dynamics three ways: against closed forms, and against each other.
 *
 * Bound of the agreement: 1e-12 for n <= 8, else 10 2^-53 cond(M), both relative to the largest
 * acceleration (or response) of the case. cond(M) by power iterations on M and M^-1. */
#include <string.h>

#include "tests/check.h"
#include "tests/mechanism/trees.h"

enum { SIZE = 6 * TREE_LINKS };
static double worst_small, worst_large; /* as shares of the bound */

static double largest_eigenvalue(const double *a, int32_t n) {
  static double x[SIZE], y[SIZE];
  double value = 0;
  for (int32_t i = 0; i < n; i++) {
    x[i] = 1 + 0.1 * (i % 7);
  }
  for (int k = 0; k < 60; k++) { /* a lower bound is on the safe side */
    double square = 0;
    for (int32_t i = 0; i < n; i++) {
      y[i] = 0;
      for (int32_t j = 0; j < n; j++) {
        y[i] += a[(size_t)i * (size_t)n + (size_t)j] * x[j];
      }
      square += y[i] * y[i];
    }
    value = sqrt(square);
    for (int32_t i = 0; i < n; i++) {
      x[i] = y[i] / value;
    }
  }
  return value;
}

static double bound_of(talus_mechanism *mechanism) {
  const int32_t n = talus_mechanism_velocity_count(mechanism);
  const size_t square = (size_t)n * (size_t)n;
  double *const mass = malloc(2 * square * sizeof *mass), *const inverse = mass + square;
  CHECK(talus_mechanism_mass_matrix(mechanism, mass) == TALUS_OK);
  CHECK(talus_mechanism_inverse_mass(mechanism, inverse) == TALUS_OK);
  const double cond = largest_eigenvalue(mass, n) * largest_eigenvalue(inverse, n);
  double off = 0; /* M times its inverse, while we are here */
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) {
      double sum = i == j ? -1 : 0;
      for (int32_t k = 0; k < n; k++) {
        sum += mass[(size_t)i * (size_t)n + (size_t)k] * inverse[(size_t)k * (size_t)n + (size_t)j];
      }
      off = fmax(off, fabs(sum));
    }
  }
  CHECK_CASE(off <= 1e-14 * cond, "n %d: |M M^-1 - 1| is %g, cond %g", n, off, cond);
  free(mass);
  return n <= 8 ? 1e-12 : 10 * 0x1p-53 * cond;
}

static double difference(const double *a, const double *b, int64_t count) {
  double most = 0, size = 0;
  for (int64_t i = 0; i < count; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    size = fmax(size, fabs(a[i]));
  }
  return most / size;
}

static void note(double share, int32_t n) {
  double *const worst = n <= 8 ? &worst_small : &worst_large;
  *worst = fmax(*worst, share);
}

enum { POINTS = 7 };

static void agreement(talus_mechanism *mechanism, uint64_t seed, const char *what) {
  static double way[3][SIZE], response[3][9 * POINTS * POINTS], free_point[3][3 * POINTS];
  const int32_t n = talus_mechanism_velocity_count(mechanism);
  const int32_t links = talus_mechanism_link_count(mechanism);
  const double bound = bound_of(mechanism);
  talus_link_point point[POINTS];
  static double force[SIZE];
  for (int32_t i = 0; i < n; i++) {
    force[i] = tree_random(&seed);
  }
  CHECK(talus_mechanism_apply(mechanism, force) == TALUS_OK);
  for (int i = 0; i < POINTS; i++) { /* two points on one link as well */
    point[i].link = i == 1 ? point[0].link : (int32_t)((tree_random(&seed) + 1) / 2 * links);
    for (int c = 0; c < 3; c++) {
      point[i].point[c] = tree_random(&seed);
    }
  }
  const double push[3] = {1, -2, 0.5}, turn[3] = {0.3, 0.1, -0.7};
  CHECK(talus_mechanism_load(mechanism, links - 1, point[0].point, push, turn) == TALUS_OK);
  for (int d = 0; d < 3; d++) {
    CHECK(talus_mechanism_accelerate(mechanism, (talus_dynamics)d, way[d]) == TALUS_OK);
    CHECK(talus_mechanism_response(mechanism, (talus_dynamics)d, point, POINTS, response[d],
                                   free_point[d]) == TALUS_OK);
  }
  for (int d = 1; d < 3; d++) {
    const double apart[3] = {difference(way[0], way[d], n),
                             difference(response[0], response[d], 9 * POINTS * POINTS),
                             difference(free_point[0], free_point[d], 3 * POINTS)};
    for (int k = 0; k < 3; k++) {
      note(apart[k] / bound, n);
      CHECK_CASE(apart[k] <= bound, "%s, seed %llu, n %d, way %d, part %d: %g of %g", what,
                 (unsigned long long)seed, n, d, k, apart[k], bound);
    }
  }
}

static void random_trees(void) {
  talus_context *const context = tree_context(2);
  static const int32_t sizes[] = {1, 2, 3, 4, 8, 20, 60, 128};
  static const char *const names[] = {"chain", "bushy", "shuffled"};
  for (int s = 0; s < 8; s++) {
    for (int shape = 0; shape < 3; shape++) {
      for (int floating = 0; floating < 2; floating++) {
        for (uint64_t seed = 1; seed <= (sizes[s] < 20 ? 6 : 2); seed++) {
          talus_mechanism *const m =
              tree_make(context, 100 * seed + (uint64_t)s, sizes[s], (tree_shape)shape, floating);
          tree_move(m, seed, 2);
          agreement(m, seed, names[shape]);
          talus_mechanism_destroy(m);
        }
      }
    }
  }
  printf("worst share of the bound: %.3g (n <= 8), %.3g (n > 8)\n", worst_small, worst_large);
  talus_context_destroy(context);
}

/* Rods of length and mass 1 from the textbook: one, (1/3) a = -g/2 cos t; two, by Lagrange. */
static void pendulums(void) {
  talus_context *const context = tree_context(1);
  const double g = 9.81, q[2] = {0.4, -1.1}, v[2] = {0.7, -1.3};
  talus_mechanism *const one = rods_make(context, 1, TALUS_LINK_REVOLUTE);
  talus_mechanism *const two = rods_make(context, 2, TALUS_LINK_REVOLUTE);
  CHECK(talus_mechanism_set(one, q, v) == TALUS_OK);
  CHECK(talus_mechanism_set(two, q, v) == TALUS_OK);
  /* absolute angles a, b; M11 = 4/3, M12 = cos(a - b)/2, M22 = 1/3 */
  const double a = q[0], b = q[0] + q[1], wa = v[0], wb = v[0] + v[1];
  const double m12 = 0.5 * cos(a - b), s = 0.5 * sin(a - b);
  const double r1 = -s * wb * wb - 1.5 * g * cos(a), r2 = s * wa * wa - 0.5 * g * cos(b);
  const double det = 4.0 / 9 - m12 * m12;
  const double fa = (r1 / 3 - m12 * r2) / det, fb = (4.0 / 3 * r2 - m12 * r1) / det;
  for (int d = 0; d < 3; d++) {
    double way[2];
    CHECK(talus_mechanism_accelerate(one, (talus_dynamics)d, way) == TALUS_OK);
    CHECK_CLOSE(way[0], -1.5 * g * cos(q[0]), 1e-13 * g);
    CHECK(talus_mechanism_accelerate(two, (talus_dynamics)d, way) == TALUS_OK);
    CHECK_CLOSE(way[0], fa, 1e-12 * g);
    CHECK_CLOSE(way[0] + way[1], fb, 1e-12 * g);
  }
  talus_mechanism_destroy(one);
  talus_mechanism_destroy(two);
  talus_context_destroy(context);
}

/* A free body turns by Euler's equations: about the centre, I dw = -w x I w. */
static void top(void) {
  talus_context *const context = tree_context(1);
  talus_link_def link = talus_link_def_default(TALUS_LINK_FREE);
  const double inertia[6] = {1, 0, 0, 2, 0, 3}, v[6] = {1, 2, 3, 0.5, -1, 2};
  memcpy(link.inertia, inertia, sizeof inertia);
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link_count = 1;
  def.link = &link;
  talus_mechanism *m;
  CHECK(talus_mechanism_create(context, &def, &m) == TALUS_OK);
  CHECK(talus_mechanism_set(m, NULL, v) == TALUS_OK);
  const double *const w = v + 3;
  const double expected[6] = {
      0, 0, -9.81, (2 - 3) * w[1] * w[2], (3 - 1) * w[2] * w[0] / 2, (1 - 2) * w[0] * w[1] / 3};
  for (int d = 0; d < 3; d++) {
    double way[6];
    CHECK(talus_mechanism_accelerate(m, (talus_dynamics)d, way) == TALUS_OK);
    for (int i = 0; i < 6; i++) {
      CHECK_CLOSE(way[i], expected[i], 1e-13);
    }
  }
  talus_mechanism_destroy(m);
  talus_context_destroy(context);
}

/* The same bits on any number of threads. */
static void threads(void) {
  static double way[3][SIZE];
  static const int32_t counts[] = {1, 2, 7};
  for (int k = 0; k < 3; k++) {
    talus_context *const context = tree_context(counts[k]);
    talus_mechanism *const m = tree_make(context, 5, 128, TREE_BUSHY, 1);
    tree_move(m, 3, 1);
    CHECK(talus_mechanism_accelerate(m, TALUS_DYNAMICS_CONQUER, way[k]) == TALUS_OK);
    const size_t size = (size_t)talus_mechanism_velocity_count(m) * sizeof(double);
    CHECK(memcmp(way[0], way[k], size) == 0);
    talus_mechanism_destroy(m);
    talus_context_destroy(context);
  }
}

int main(void) {
  pendulums();
  top();
  random_trees();
  threads();
  return check_end();
}
