/* law.c: the law of a constraint as equations, branch by branch. */
#include "host/method/newton/law.h"

#include <math.h>
#include <string.h>

/* F of one constraint, and its derivatives: dF = A dy + B du. Row-major. */
typedef struct local {
  double f[3], a[9], b[9];
} local;

static void identity(double *block, int32_t rows, double value) {
  for (int32_t i = 0; i < rows; i++) {
    block[3 * i + i] = value;
  }
}

static void open_set(const double *y, int32_t rows, local *l) {
  memcpy(l->f, y, (size_t)rows * sizeof *y);
  identity(l->a, rows, 1);
}

static void stick_set(const double *u, int32_t rows, double rho, local *l) {
  for (int32_t i = 0; i < rows; i++) {
    l->f[i] = rho * u[i];
  }
  identity(l->b, rows, rho);
}

static void bound_set(const double *y, double bound, local *l) {
  l->f[0] = *y - bound;
  l->a[0] = 1;
}

/* The normal sticks, the rest is open. */
static void push_set(const double *y, const double *u, int32_t rows, double rho, local *l) {
  open_set(y, rows, l);
  l->f[0] = rho * u[0];
  l->a[0] = 0;
  l->b[0] = rho;
}

static double across_of(const double *z) {
  return sqrt(z[1] * z[1] + z[2] * z[2]);
}

static void slip_set(const double *y, const double *u, const double *z, int32_t rows, double mu,
                     double rho, local *l) {
  const double m = across_of(z), c = mu * z[0] / m;
  l->f[0] = rho * u[0];
  l->b[0] = rho;
  for (int32_t i = 1; i < rows; i++) {
    const double h = z[i] / m;
    l->f[i] = y[i] - mu * z[0] * h;
    l->a[3 * i] = -mu * h;
    l->b[3 * i] = rho * mu * h;
    for (int32_t j = 1; j < rows; j++) {
      const double across = c * ((i == j) - h * z[j] / m);
      l->a[3 * i + j] = (i == j) - across;
      l->b[3 * i + j] = rho * across;
    }
  }
}

/* F = y - P(z), A = I - P', B = rho P'. */
static void edge_set(const double *y, const double *z, int32_t rows, double mu, double rho,
                     local *l) {
  const double m = across_of(z), along = (z[0] + mu * m) / (1 + mu * mu), c = mu * along / m;
  double h[3] = {1, 0, 0};
  for (int32_t i = 1; i < rows; i++) {
    h[i] = mu * z[i] / m;
  }
  for (int32_t i = 0; i < rows; i++) {
    l->f[i] = y[i] - along * h[i];
    for (int32_t j = 0; j < rows; j++) {
      double slope = h[i] * h[j] / (1 + mu * mu);
      if (i > 0 && j > 0) {
        slope += c * ((i == j) - z[i] * z[j] / (m * m));
      }
      l->a[3 * i + j] = (i == j) - slope;
      l->b[3 * i + j] = rho * slope;
    }
  }
}

void tl_law_point(const tl_scaled *scaled, int32_t k, const double *y, const double *u, double rho,
                  double *z) {
  const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
  z[1] = z[2] = 0;
  for (int32_t i = 0; i < rows; i++) {
    z[i] = y[at + i] - rho * u[at + i];
  }
}

tl_branch tl_law_branch(const tl_scaled *scaled, int32_t k, int law, const double *z) {
  const int32_t cone = scaled->kind[k];
  const double mu = scaled->friction[k];
  if (cone == TL_CONSTRAINT_FREE) {
    return TL_BRANCH_STICK;
  }
  if (cone == TL_CONSTRAINT_BOUNDED) {
    return z[0] <= scaled->lower[k]   ? TL_BRANCH_LOWER
           : z[0] >= scaled->upper[k] ? TL_BRANCH_UPPER
                                      : TL_BRANCH_STICK;
  }
  if (cone == TL_CONSTRAINT_UNILATERAL || law == TL_LAW_NORMAL) {
    return !(z[0] > 0)                        ? TL_BRANCH_OPEN
           : cone == TL_CONSTRAINT_UNILATERAL ? TL_BRANCH_STICK
                                              : TL_BRANCH_PUSH;
  }
  const double m = across_of(z);
  if (z[0] > 0 && m <= mu * z[0]) {
    return TL_BRANCH_STICK;
  }
  if (law == TALUS_LAW_COULOMB) {
    return z[0] <= 0 ? TL_BRANCH_OPEN : TL_BRANCH_SLIP;
  }
  return mu * m <= -z[0] ? TL_BRANCH_OPEN : TL_BRANCH_EDGE;
}

/* F, A and B as on a branch, whether z lies in it or not. */
static void local_set(const tl_scaled *scaled, int32_t k, tl_branch branch, const double *y,
                      const double *u, const double *z, double rho, local *l) {
  const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
  memset(l, 0, sizeof *l);
  switch (branch) {
  case TL_BRANCH_OPEN:
    open_set(y + at, rows, l);
    break;
  case TL_BRANCH_STICK:
    stick_set(u + at, rows, rho, l);
    break;
  case TL_BRANCH_SLIP:
    slip_set(y + at, u + at, z, rows, scaled->friction[k], rho, l);
    break;
  case TL_BRANCH_EDGE:
    edge_set(y + at, z, rows, scaled->friction[k], rho, l);
    break;
  case TL_BRANCH_PUSH:
    push_set(y + at, u + at, rows, rho, l);
    break;
  case TL_BRANCH_LOWER:
    bound_set(y + at, scaled->lower[k], l);
    break;
  case TL_BRANCH_UPPER:
    bound_set(y + at, scaled->upper[k], l);
    break;
  }
}

double tl_law_equations(const tl_scaled *scaled, int law, const int32_t *branch, double alpha,
                        const double *y, const double *u, double *f, double *a, double *b) {
  const double rho = 1 / (1 + alpha);
  double square = 0;
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
    double z[3];
    local l;
    tl_law_point(scaled, k, y, u, rho, z);
    const tl_branch on = branch != NULL ? (tl_branch)branch[k] : tl_law_branch(scaled, k, law, z);
    local_set(scaled, k, on, y, u, z, rho, &l);
    for (int32_t i = 0; i < rows; i++) {
      f[at + i] = -l.f[i];
      square += l.f[i] * l.f[i];
    }
    for (int i = 0; a != NULL && i < 9; i++) {
      a[9 * (int64_t)k + i] = l.a[i] + alpha * l.b[i];
      b[9 * (int64_t)k + i] = l.b[i];
    }
  }
  return sqrt(square);
}

/* ---- borders --------------------------------------------------------------------------------- */

int tl_law_exits(const tl_scaled *scaled, int32_t k, tl_branch from, tl_branch to[2]) {
  const int32_t cone = scaled->kind[k];
  if (cone == TL_CONSTRAINT_FREE) {
    return 0;
  }
  if (cone == TL_CONSTRAINT_BOUNDED) {
    to[0] = from == TL_BRANCH_STICK ? TL_BRANCH_LOWER : TL_BRANCH_STICK;
    to[1] = TL_BRANCH_UPPER;
    return from == TL_BRANCH_STICK ? 2 : 1;
  }
  if (cone == TL_CONSTRAINT_UNILATERAL) {
    to[0] = from == TL_BRANCH_OPEN ? TL_BRANCH_STICK : TL_BRANCH_OPEN;
    return 1;
  }
  to[0] = from == TL_BRANCH_SLIP ? TL_BRANCH_STICK : TL_BRANCH_SLIP;
  to[1] = TL_BRANCH_OPEN;
  return from == TL_BRANCH_SLIP ? 2 : 1;
}

double tl_law_margin(const tl_scaled *scaled, int32_t k, tl_branch from, tl_branch to,
                     const double *z, double *gradient) {
  memset(gradient, 0, 3 * sizeof *gradient);
  if (scaled->kind[k] == TL_CONSTRAINT_BOUNDED) {
    const bool upper = from == TL_BRANCH_UPPER || to == TL_BRANCH_UPPER;
    const double inside = from == TL_BRANCH_STICK ? 1 : -1;
    gradient[0] = upper ? -inside : inside;
    return gradient[0] * (z[0] - (upper ? scaled->upper[k] : scaled->lower[k]));
  }
  if (from == TL_BRANCH_OPEN || to == TL_BRANCH_OPEN) {
    gradient[0] = from == TL_BRANCH_OPEN ? -1 : 1;
    return gradient[0] * z[0];
  }
  const double m = across_of(z), mu = scaled->friction[k];
  const double inside = from == TL_BRANCH_STICK ? 1 : -1;
  gradient[0] = inside * mu;
  gradient[1] = m > 0 ? -inside * z[1] / m : 0;
  gradient[2] = m > 0 ? -inside * z[2] / m : 0;
  return inside * (mu * z[0] - m);
}

/* The first t > 0 at which z + t d comes upon the cone's boundary. */
static double cone_hit(const double *z, const double *d, double mu) {
  const double a = d[1] * d[1] + d[2] * d[2] - mu * mu * d[0] * d[0];
  const double b = z[1] * d[1] + z[2] * d[2] - mu * mu * z[0] * d[0];
  const double c = z[1] * z[1] + z[2] * z[2] - mu * mu * z[0] * z[0];
  if (b * b < a * c) {
    return INFINITY;
  }
  const double root = sqrt(b * b - a * c), q = b > 0 ? -b - root : root - b;
  const double hit[2] = {a != 0 ? q / a : INFINITY, q != 0 ? c / q : INFINITY};
  double best = INFINITY;
  for (int i = 0; i < 2; i++) {
    if (hit[i] > 0 && hit[i] < best && z[0] + hit[i] * d[0] >= 0) {
      best = hit[i];
    }
  }
  return best;
}

double tl_law_leave(const tl_scaled *scaled, int32_t k, tl_branch from, tl_branch to,
                    const double *z, const double *d) {
  double gradient[3];
  const double room = tl_law_margin(scaled, k, from, to, z, gradient);
  const double speed = gradient[0] * d[0] + gradient[1] * d[1] + gradient[2] * d[2];
  if (room <= 0) {
    return speed < 0 ? 0 : INFINITY;
  }
  if (scaled->kind[k] == TL_CONSTRAINT_FRICTION && from != TL_BRANCH_OPEN && to != TL_BRANCH_OPEN) {
    return cone_hit(z, d, scaled->friction[k]);
  }
  return speed < 0 ? -room / speed : INFINITY;
}
