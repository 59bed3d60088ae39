/* wrench.c: Newton's method for contacts of six rows and elliptic cones, W written out.
 *
 * A proximal-point loop about a full-step semismooth Newton on the natural map
 *   F(x) = x - P(x - u^(x) - a (x - c)),   u^ = W x + q and the law's term,
 * in coordinates in which the certificate's metric is the plain one. The weight a shrinks where
 * Newton's steps converge and grows where they do not; c is the last point that did. For problems
 * of up to TL_WRENCH_ROWS rows: an elimination takes rows^3 / 3 operations. */
#include <math.h>
#include <string.h>

#include "host/method/newton/second_order.h"
#include "host/problem/system_view.h"
#include "kernels/item/wrench.h"

enum { ROWS = 6, OUTER = 60, INNER = 12, ROUNDS = 4, SWEEPS = 1000 };
static const double FIRST_WEIGHT = 1e-3, LEAST_WEIGHT = 1e-14, MOST_WEIGHT = 10;

/* The problem, scaled: contact k has rows ROWS k .., a bilateral row one of its own behind them. */
typedef struct wrench_problem {
  tl_run *run;
  tl_view view;
  int32_t contacts, bilateral, rows;
  bool exact;
  double *w, *jacobian;              /* [rows * rows] row-major */
  double *q, *scale;                 /* x = scaled x / scale, u = scaled u * scale */
  double *x, *u, *f, *centre, *best; /* [rows] */
  double *impulse;                   /* of the engine */
  double residual;                   /* of the best */
} wrench_problem;

static int64_t doubles_of(const wrench_problem *p) {
  const int64_t n = p->rows;
  return 2 * n * n + 7 * n + 3 * TL_PLACES(&p->view.shape);
}

static void memory_take(wrench_problem *p, double *memory) {
  const int64_t n = p->rows;
  p->w = memory;
  p->jacobian = p->w + n * n;
  p->q = p->jacobian + n * n;
  p->scale = p->q + n;
  p->x = p->scale + n;
  p->u = p->x + n;
  p->f = p->u + n;
  p->centre = p->f + n;
  p->best = p->centre + n;
  p->impulse = p->best + n;
}

/* ---- the problem written out ----------------------------------------------------------------- */

static void vector_write(tl_vec v, double *to) {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
}
static tl_vec vector_read(const double *from) {
  return tl_vec_make(from[0], from[1], from[2]);
}
static tl_wrench wrench_read(const double *from) {
  tl_wrench x;
  x.force = vector_read(from);
  x.torque = vector_read(from + 3);
  return x;
}

static void scales_fill(wrench_problem *p) {
  const tl_view *const view = &p->view;
  for (int32_t k = 0; k < p->contacts; k++) {
    const tl_wrench q = tl_wrench_free(view, k);
    for (int c = 0; c < 3; c++) {
      p->scale[ROWS * k + c] = sqrt(view->weight[k]);
      p->scale[ROWS * k + 3 + c] = sqrt(view->weight[tl_torque_place(view, k)]);
    }
    vector_write(q.force, p->q + ROWS * (int64_t)k);
    vector_write(q.torque, p->q + ROWS * (int64_t)k + 3);
  }
  for (int32_t r = 0; r < p->bilateral; r++) {
    const int32_t k = view->shape.range[1].first + r;
    p->scale[ROWS * p->contacts + r] = sqrt(view->weight[k]);
    p->q[ROWS * p->contacts + r] = view->free_x[k];
  }
  for (int32_t i = 0; i < p->rows; i++) {
    p->q[i] /= p->scale[i];
  }
}

/* Column `column` of W, from what a unit impulse moves. */
static void column_fill(wrench_problem *p, int32_t column, double *velocity) {
  const tl_view *const view = &p->view;
  const tl_range range = view->shape.range[0], rows = view->shape.range[1];
  const int32_t own = column / ROWS;
  double unit[ROWS] = {0}, u[ROWS];
  tl_system_still(view, velocity);
  if (own < p->contacts) {
    unit[column % ROWS] = 1;
    tl_wrench_apply(view, range, own, wrench_read(unit), velocity);
  } else {
    const int32_t k = rows.first + column - ROWS * p->contacts;
    tl_contact_apply(view, rows, k, tl_vec_make(1, 0, 0), velocity);
  }
  for (int32_t k = 0; k < p->contacts; k++) {
    const tl_wrench zero = {{0, 0, 0}, {0, 0, 0}};
    const tl_wrench felt =
        tl_wrench_relative(view, range, k, velocity, k == own ? wrench_read(unit) : zero);
    vector_write(felt.force, u);
    vector_write(felt.torque, u + 3);
    for (int c = 0; c < ROWS; c++) {
      const int64_t row = ROWS * k + c;
      p->w[row * p->rows + column] = u[c] / p->scale[row] / p->scale[column];
    }
  }
  for (int32_t r = 0; r < p->bilateral; r++) {
    const int64_t row = ROWS * p->contacts + r;
    const double yield =
        row == column && view->shape.compliance_count > 0 ? view->compliance_n[rows.first + r] : 0;
    const double felt = tl_contact_velocity(view, rows, rows.first + r, velocity).x + yield;
    p->w[row * p->rows + column] = felt / p->scale[row] / p->scale[column];
  }
}

/* Between the engine's impulses and scaled ones. */
static void impulse_read(wrench_problem *p, double *x) {
  for (int32_t i = 0; i < p->rows; i++) {
    const int32_t k = i / ROWS, c = i % ROWS;
    const int64_t at = k >= p->contacts
                           ? 3 * (int64_t)(p->view.shape.range[1].first + i - ROWS * p->contacts)
                       : c < 3 ? 3 * (int64_t)k + c
                               : 3 * tl_torque_place(&p->view, k) + c - 3;
    x[i] = p->impulse[at] * p->scale[i];
  }
}
static void impulse_write(wrench_problem *p, const double *x) {
  memset(p->impulse, 0, 3 * (size_t)TL_PLACES(&p->view.shape) * sizeof(double));
  for (int32_t i = 0; i < p->rows; i++) {
    const int32_t k = i / ROWS, c = i % ROWS;
    const int64_t at = k >= p->contacts
                           ? 3 * (int64_t)(p->view.shape.range[1].first + i - ROWS * p->contacts)
                       : c < 3 ? 3 * (int64_t)k + c
                               : 3 * tl_torque_place(&p->view, k) + c - 3;
    p->impulse[at] = x[i] / p->scale[i];
  }
}

/* ---- the natural map ------------------------------------------------------------------------- */

static tl_parts friction_of(const wrench_problem *p, int32_t k) {
  tl_parts mu = tl_wrench_friction(&p->view, k);
  const double ratio = p->scale[ROWS * k + 3] / p->scale[ROWS * k];
  mu.spin *= ratio;
  mu.roll *= ratio;
  return mu;
}

/* Sliding, spinning, rolling: where the part's direction is, and how long it is. */
typedef struct part {
  double v[ROWS], size, mu; /* v: unit, in the six rows */
  double keep[ROWS][ROWS];  /* projection on the part's rows */
} part;

static void parts_make(tl_wrench z, tl_vec n, tl_parts mu, part parts[3]) {
  double axis[3];
  vector_write(n, axis);
  const tl_real about = tl_dot(n, z.torque);
  const tl_vec v[3] = {tl_along(z.force, -tl_dot(n, z.force), n), tl_times(about, n),
                       tl_along(z.torque, -about, n)};
  const double friction[3] = {mu.slide, mu.spin, mu.roll};
  memset(parts, 0, 3 * sizeof *parts);
  for (int i = 0; i < 3; i++) {
    const int first = i == 0 ? 0 : 3;
    parts[i].size = sqrt(tl_dot(v[i], v[i]));
    parts[i].mu = friction[i];
    vector_write(parts[i].size > 0 ? tl_times(1 / parts[i].size, v[i]) : v[i], parts[i].v + first);
    for (int a = 0; a < 3; a++) {
      for (int b = 0; b < 3; b++) {
        const double along = axis[a] * axis[b];
        parts[i].keep[first + a][first + b] = i == 1 ? along : (a == b) - along;
      }
    }
  }
}

/* The derivative of the projection at z. */
static void projection_derive(tl_wrench z, tl_vec n, tl_parts mu, double d[ROWS][ROWS]) {
  const tl_wrench x = tl_wrench_project(z, n, mu, tl_parts_make(1, 1));
  const double along = tl_dot(n, x.force);
  part parts[3];
  double axis[ROWS] = {n.x, n.y, n.z, 0, 0, 0}, slope[ROWS], scale = 1;
  memset(d, 0, ROWS * sizeof d[0]);
  if (!(along > 0)) {
    return;
  }
  parts_make(z, n, mu, parts);
  memcpy(slope, axis, sizeof slope);
  for (int i = 0; i < 3; i++) {
    const bool cut = parts[i].size > parts[i].mu * along;
    scale += cut ? parts[i].mu * parts[i].mu : 0;
    for (int c = 0; c < ROWS; c++) {
      slope[c] += cut ? parts[i].mu * parts[i].v[c] : 0;
    }
  }
  for (int a = 0; a < ROWS; a++) {
    for (int b = 0; b < ROWS; b++) {
      d[a][b] = axis[a] * slope[b] / scale;
      for (int i = 0; i < 3; i++) {
        const part *const t = &parts[i];
        const bool cut = t->size > t->mu * along;
        d[a][b] += cut ? t->mu * t->v[a] * slope[b] / scale +
                             t->mu * along / t->size * (t->keep[a][b] - t->v[a] * t->v[b])
                       : t->keep[a][b];
      }
    }
  }
}

/* u^ of contact k, and how its normal part depends on u. */
static tl_wrench velocity_of(const wrench_problem *p, int32_t k, tl_vec n, tl_parts mu,
                             double slip[ROWS]) {
  tl_wrench u = wrench_read(p->u + ROWS * (int64_t)k);
  memset(slip, 0, ROWS * sizeof *slip);
  if (p->exact) {
    part parts[3];
    parts_make(u, n, mu, parts);
    for (int i = 0; i < 3; i++) {
      for (int c = 0; c < ROWS; c++) {
        slip[c] += parts[i].mu * parts[i].v[c];
      }
    }
    u.force = tl_along(u.force, tl_wrench_opening(u, n, mu), n);
  }
  return u;
}

static void velocities_find(wrench_problem *p) {
  for (int64_t i = 0; i < p->rows; i++) {
    double sum = p->q[i];
    for (int64_t j = 0; j < p->rows; j++) {
      sum += p->w[i * p->rows + j] * p->x[j];
    }
    p->u[i] = sum;
  }
}

/* Row `row` of the Jacobian: block . (L W) there, L = I + n slip', and the diagonal. */
static void contact_jacobian(wrench_problem *p, int32_t k, tl_vec n, tl_wrench z, tl_parts mu,
                             const double slip[ROWS], double weight) {
  double d[ROWS][ROWS], left[ROWS][ROWS];
  const double axis[ROWS] = {n.x, n.y, n.z, 0, 0, 0};
  projection_derive(z, n, mu, d);
  for (int a = 0; a < ROWS; a++) {
    double along = 0;
    for (int b = 0; b < ROWS; b++) {
      along += d[a][b] * axis[b];
    }
    for (int b = 0; b < ROWS; b++) {
      left[a][b] = d[a][b] + along * slip[b];
    }
  }
  for (int a = 0; a < ROWS; a++) {
    double *const row = p->jacobian + (ROWS * (int64_t)k + a) * p->rows;
    memset(row, 0, (size_t)p->rows * sizeof *row);
    for (int b = 0; b < ROWS; b++) {
      const double *const w = p->w + (ROWS * (int64_t)k + b) * p->rows;
      for (int64_t j = 0; j < p->rows && left[a][b] != 0; j++) {
        row[j] += left[a][b] * w[j];
      }
      row[ROWS * k + b] += (a == b) - (1 - weight) * d[a][b];
    }
  }
}

/* F at x, u being known; with the Jacobian if it is wanted. Returns |F|. */
static double map_find(wrench_problem *p, double weight, bool derive) {
  double square = 0;
  for (int32_t k = 0; k < p->contacts; k++) {
    const tl_vec n = tl_contact_axis(&p->view, p->view.shape.range[0].kind, k);
    const tl_parts mu = friction_of(p, k);
    double slip[ROWS], *const f = p->f + ROWS * (int64_t)k;
    const tl_wrench x = wrench_read(p->x + ROWS * (int64_t)k);
    const tl_wrench way = tl_wrench_sub(x, wrench_read(p->centre + ROWS * (int64_t)k));
    const tl_wrench u = velocity_of(p, k, n, mu, slip);
    const tl_wrench z = tl_wrench_along(tl_wrench_sub(x, u), -weight, way);
    const tl_wrench d = tl_wrench_sub(x, tl_wrench_project(z, n, mu, tl_parts_make(1, 1)));
    vector_write(d.force, f);
    vector_write(d.torque, f + 3);
    square += tl_dot(d.force, d.force) + tl_dot(d.torque, d.torque);
    if (derive) {
      contact_jacobian(p, k, n, z, mu, slip, weight);
    }
  }
  for (int32_t r = 0; r < p->bilateral; r++) {
    const int64_t i = ROWS * (int64_t)p->contacts + r;
    const tl_range range = p->view.shape.range[1];
    const double z = p->x[i] - p->u[i] - weight * (p->x[i] - p->centre[i]);
    const double lower = range.bounded ? p->view.lower[r] * p->scale[i] : -INFINITY;
    const double upper = range.bounded ? p->view.upper[r] * p->scale[i] : INFINITY;
    const double at = fmin(fmax(z, lower), upper), inside = z > lower && z < upper;
    p->f[i] = p->x[i] - at;
    square += p->f[i] * p->f[i];
    for (int64_t j = 0; derive && j < p->rows; j++) {
      p->jacobian[i * p->rows + j] =
          inside * p->w[i * p->rows + j] + (i == j) * (1 - inside * (1 - weight));
    }
  }
  return sqrt(square);
}

/* f := jacobian^-1 f by elimination with partial pivoting; false if it is singular. */
static bool eliminate(double *a, double *f, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    int64_t pivot = i;
    for (int64_t r = i + 1; r < n; r++) {
      pivot = fabs(a[r * n + i]) > fabs(a[pivot * n + i]) ? r : pivot;
    }
    if (!(fabs(a[pivot * n + i]) > 1e-14)) {
      return false;
    }
    for (int64_t j = i; j < n && pivot != i; j++) {
      const double swapped = a[i * n + j];
      a[i * n + j] = a[pivot * n + j];
      a[pivot * n + j] = swapped;
    }
    const double right = f[i];
    f[i] = f[pivot];
    f[pivot] = pivot != i ? right : f[pivot];
    for (int64_t r = i + 1; r < n; r++) {
      const double factor = a[r * n + i] / a[i * n + i];
      if (factor != 0) {
        for (int64_t j = i + 1; j < n; j++) {
          a[r * n + j] -= factor * a[i * n + j];
        }
        f[r] -= factor * f[i];
      }
    }
  }
  for (int64_t i = n - 1; i >= 0; i--) {
    for (int64_t j = i + 1; j < n; j++) {
      f[i] -= a[i * n + j] * f[j];
    }
    f[i] /= a[i * n + i];
  }
  return true;
}

/* ---- the loops ------------------------------------------------------------------------------- */

/* R(x) without the proximal term; keeps the best. */
static double residual_look(wrench_problem *p) {
  const double residual = map_find(p, 0, false);
  if (residual < p->residual) {
    p->residual = residual;
    memcpy(p->best, p->x, (size_t)p->rows * sizeof *p->x);
  }
  return residual;
}

/* Newton's steps on the proximal problem about the centre; whether they converged. */
static bool inner_run(wrench_problem *p, double weight) {
  double first = INFINITY;
  for (int i = 0; i < INNER; i++) {
    velocities_find(p);
    residual_look(p);
    const double size = map_find(p, weight, true);
    first = i == 0 ? size : first;
    if (!isfinite(size) || size > 1e3 * first) {
      return false;
    }
    if (i > 0 && size <= 1e-3 * first) {
      return true;
    }
    p->run->factorisations++;
    if (tl_run_late(p->run) || !eliminate(p->jacobian, p->f, p->rows)) {
      return false;
    }
    for (int64_t j = 0; j < p->rows; j++) {
      p->x[j] -= p->f[j];
    }
  }
  return false;
}

/* From the kept impulses until the residual is worth a certificate, or nothing is gained. */
static talus_status outer_run(wrench_problem *p, bool *done) {
  tl_run *const run = p->run;
  const size_t bytes = (size_t)p->rows * sizeof *p->x;
  double weight = FIRST_WEIGHT;
  TL_TRY(run->ops->finish(run->engine, p->impulse));
  impulse_read(p, p->x);
  memcpy(p->centre, p->x, bytes);
  p->residual = INFINITY;
  for (int i = 0; i < OUTER && !*done && weight <= MOST_WEIGHT && !tl_run_limit(run); i++) {
    run->iterations++;
    const bool converged = inner_run(p, weight);
    memcpy(converged ? p->centre : p->x, converged ? p->x : p->centre, bytes);
    weight = converged ? fmax(0.2 * weight, LEAST_WEIGHT) : 4 * weight;
    if (p->residual <= tl_run_worth(run) * run->reference) {
      impulse_write(p, p->best);
      TL_TRY(tl_run_offer(run, p->impulse, done));
    }
  }
  if (!*done && isfinite(p->residual)) {
    impulse_write(p, p->best);
    TL_TRY(tl_run_offer(run, p->impulse, done));
  }
  *done = *done || tl_run_limit(run);
  return TALUS_OK;
}

static void problem_write(wrench_problem *p, double *velocity) {
  scales_fill(p);
  for (int32_t column = 0; column < p->rows; column++) {
    column_fill(p, column, velocity);
  }
}

talus_status tl_wrench_attempt(tl_run *run, bool *done) {
  const tl_system *const system = &run->assembly->system;
  const tl_shape *const shape = &system->shape;
  wrench_problem p = {.run = run,
                      .view = tl_system_view(system),
                      .contacts = shape->torque_count,
                      .bilateral = shape->contact_count - shape->torque_count,
                      .exact = run->settings->law == TALUS_LAW_COULOMB};
  p.rows = ROWS * p.contacts + p.bilateral;
  if (p.rows > TL_WRENCH_ROWS) {
    return tl_fail(run->context, TALUS_UNSUPPORTED,
                   "newton takes up to %d rows of contacts of six rows, not %d: use "
                   "gauss_seidel_nesterov, apgdb or auto",
                   TL_WRENCH_ROWS, p.rows);
  }
  tl_buffer memory = {NULL, 0};
  const size_t velocities = (size_t)shape->velocity_size;
  TL_TRY(tl_buffer_reserve(run->context, &memory, (size_t)doubles_of(&p) + velocities,
                           sizeof(double), "Newton's method for six rows"));
  memory_take(&p, memory.memory);
  problem_write(&p, (double *)memory.memory + doubles_of(&p));
  talus_status status = TALUS_OK;
  for (int round = 0; round < ROUNDS && status == TALUS_OK && !*done; round++) {
    if (round > 0) {
      status = run->ask->sweep(run, SWEEPS, done);
    }
    if (status == TALUS_OK && !*done) {
      status = outer_run(&p, done);
    }
  }
  if (!*done) {
    run->outcome = TALUS_OUTCOME_STALLED;
  }
  tl_buffer_release(run->context, &memory);
  return status;
}
