/* round.c: the exact-cone MNCP by its implicit parametrisation ([A] eqs 49-59).
 *
 * z = u - F stands for both: F = max(0, -z_n) normal, -s z_t tangential with s = min(1, mu
 * F_n/|z_t|), and u = z + F obey the law whatever z is. Left is (W - I) F(z) - z + q = 0. The
 * convex law has the same shape with F = P(-z), the projection on the cone; so have bilateral rows,
 * F = -z, and those with bounds, F = -z held between them. */
#include "host/small/round.h"

#include <math.h>
#include <string.h>

void tl_round_start(const tl_round *round, const double *y, double *z) {
  tl_small_velocity(round->small, y, z);
  for (int32_t i = 0; i < round->small->rows; i++) {
    z[i] -= y[i];
  }
}

/* One row: free, with bounds, or a contact without friction. */
static void single(const tl_small *small, int32_t k, double z, double *f, double *slope) {
  f[0] = -z;
  tl_small_project(small, k, f);
  slope[0] = f[0] == -z ? -1 : 0;
}

/* F and dF/dz of a contact with friction under the exact law; rows 2 or 3. */
static void exact(double mu, int32_t rows, const double *z, double *f, double *slope) {
  const double t[2] = {z[1], rows > 2 ? z[2] : 0};
  const double size = sqrt(t[0] * t[0] + t[1] * t[1]), normal = z[0] < 0 ? -z[0] : 0;
  const int sticks = mu * normal >= size;
  const double s = sticks ? 1 : mu * normal / size;
  memset(slope, 0, 9 * sizeof *slope);
  f[0] = normal;
  slope[0] = z[0] < 0 ? -1 : 0;
  for (int32_t i = 1; i < rows; i++) {
    f[i] = -s * z[i];
    if (z[0] < 0 && !sticks) {
      slope[3 * i] = mu * t[i - 1] / size;
    }
    for (int32_t j = 1; j < rows && normal > 0; j++) {
      const double along = sticks ? 0 : t[i - 1] * t[j - 1] / (size * size);
      slope[3 * i + j] = -s * ((i == j) - along);
    }
  }
}

/* The same for the convex law: F = P(-z). */
static void convex(double mu, int32_t rows, const double *z, double *f, double *slope) {
  const double t[2] = {-z[1], rows > 2 ? -z[2] : 0};
  const double size = sqrt(t[0] * t[0] + t[1] * t[1]);
  const double along = (-z[0] + mu * size) / (1 + mu * mu);
  memset(slope, 0, 9 * sizeof *slope);
  if (size <= -mu * z[0]) {
    for (int32_t i = 0; i < rows; i++) {
      f[i] = -z[i];
      slope[4 * i] = -1;
    }
    return;
  }
  f[0] = along > 0 ? along : 0;
  for (int32_t i = 1; i < rows; i++) {
    f[i] = mu * f[0] * t[i - 1] / size;
  }
  if (!(along > 0)) {
    return;
  }
  const double direction[3] = {1, mu * t[0] / size, mu * t[1] / size};
  for (int32_t i = 0; i < rows; i++) {
    for (int32_t j = 0; j < rows; j++) {
      const double straight = direction[i] * direction[j] / (1 + mu * mu);
      const double turn =
          i > 0 && j > 0 ? mu * along / size * ((i == j) - t[i - 1] * t[j - 1] / (size * size)) : 0;
      slope[3 * i + j] = -(straight + turn);
    }
  }
}

static void impulses_find(const tl_round *round, const double *z) {
  const tl_small *const small = round->small;
  for (int32_t k = 0; k < small->count; k++) {
    const int32_t first = small->first[k], rows = small->first[k + 1] - first;
    double *const f = round->impulse + first, *const slope = round->slope + 9 * (int64_t)k;
    if (rows == 1) {
      single(small, k, z[first], f, slope);
    } else if (small->law == 1) {
      exact(small->friction[k], rows, z + first, f, slope);
    } else {
      convex(small->friction[k], rows, z + first, f, slope);
    }
  }
}

/* J = (W - I) dF/dz - I, block column by block column. */
static void jacobian_fill(const tl_round *round, double *jacobian) {
  const tl_small *const small = round->small;
  const int64_t n = small->rows;
  for (int32_t k = 0; k < small->count; k++) {
    const int32_t first = small->first[k], rows = small->first[k + 1] - first;
    const double *const slope = round->slope + 9 * (int64_t)k;
    for (int64_t i = 0; i < n; i++) {
      for (int32_t c = 0; c < rows; c++) {
        double sum = -(double)(i == first + c);
        for (int32_t d = 0; d < rows; d++) {
          sum += (small->w[i * n + first + d] - (i == first + d)) * slope[3 * d + c];
        }
        jacobian[i * n + first + c] = sum;
      }
    }
  }
}

static void evaluate(void *self, const double *z, double *phi, double *jacobian) {
  const tl_round *const round = self;
  impulses_find(round, z);
  tl_small_velocity(round->small, round->impulse, phi);
  for (int32_t i = 0; i < round->small->rows; i++) {
    phi[i] -= round->impulse[i] + z[i];
  }
  if (jacobian != NULL) {
    jacobian_fill(round, jacobian);
  }
}

static int look(void *self, const double *z) {
  const tl_round *const round = self;
  impulses_find(round, z);
  tl_small_offer(round->small, round->impulse, round->small->u);
  return round->small->epsilon <= round->tolerance;
}

tl_equations tl_round_equations(tl_round *round) {
  const tl_equations e = {round->small->rows, evaluate, look, round, round->small};
  return e;
}
