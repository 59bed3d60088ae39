/* slip.c: procedure B: Newton's method on s = mu |u_t|, the unknown that has one value only.
 *
 * At a frozen s the law is convex, and the velocity v(s) is unique although the impulses are not:
 * an interior point solves it. f(s) = mu |u_t(s)| - s must vanish; its derivative comes from the
 * last interior matrix. Iterates on the way are stored, so that the next s starts from one that is
 * still far enough from the boundary. Procedure A ends the run, as soon as it can. */
#include <math.h>
#include <string.h>

#include "host/method/newton/newton.h"

enum { LEVELS = 40, POLISH = 14 };

typedef struct slips {
  tl_newton *newton;
  tl_interior point;
  double *s, *f, *next, *trial; /* [constraints] */
  double *kept[3];              /* [size] y, v, u before a step */
  double kept_gap, kept_primal_residual, kept_centred;
  double *stored;     /* [2 size] per level */
  double gap[LEVELS]; /* of what is stored, falling */
  int levels;
  int64_t end;  /* factorisations of the linear solver at which to give up */
  double tried; /* epsilon at the last polish */
} slips;

static size_t bytes_of(const slips *b) {
  return (size_t)tl_scaled_size(&b->newton->scaled) * sizeof(double);
}

static bool over(const slips *b) {
  return b->newton->stop || b->newton->linear.count >= b->end;
}

static void point_store(slips *b) {
  const size_t size = (size_t)tl_scaled_size(&b->newton->scaled);
  while (b->levels > 0 && b->gap[b->levels - 1] <= 1.5 * b->point.gap) {
    b->levels--;
  }
  if (b->levels == LEVELS) {
    return;
  }
  memcpy(b->stored + 2 * size * (size_t)b->levels, b->point.y, size * sizeof(double));
  memcpy(b->stored + 2 * size * (size_t)b->levels + size, b->point.v, size * sizeof(double));
  b->gap[b->levels++] = b->point.gap;
}

/* Goes back to the stored iterate of the smallest gap that is at least `gap`. */
static void point_load(slips *b, double gap) {
  const size_t size = (size_t)tl_scaled_size(&b->newton->scaled);
  while (b->levels > 1 && b->gap[b->levels - 1] < gap) {
    b->levels--;
  }
  const double *const from = b->stored + 2 * size * (size_t)(b->levels - 1);
  memcpy(b->point.y, from, size * sizeof(double));
  memcpy(b->point.v, from + size, size * sizeof(double));
}

/* The convex problem at s, from the present point, until the gap is reached; *solved = 0: it got
 * stuck. */
static talus_status inner(slips *b, const double *s, double gap, bool *solved) {
  tl_interior_rule rule = {.slip = s, .reach = 0.95, .least = 0.02, .gap = gap, .most = 1};
  *solved = false;
  for (int made = 0, small = 0; made < 60 && small < 6 && !over(b); made++) {
    TL_TRY(tl_interior_run(b->newton, &rule, &b->point));
    if (!isfinite(b->point.gap)) {
      return TALUS_OK;
    }
    if (b->point.centred > 0.03) {
      point_store(b);
    }
    small = b->point.step < 0.02 ? small + 1 : 0;
    if (b->point.gap <= gap && b->point.primal_residual <= 0.1 * sqrt(b->point.gap)) {
      *solved = true;
      return TALUS_OK;
    }
  }
  return TALUS_OK;
}

/* f = mu |u_t| - s at the point; returns its rms. */
static double slip_off(const slips *b, const double *s, double *f) {
  const tl_scaled *const scaled = &b->newton->scaled;
  double square = 0;
  for (int32_t k = 0; k < scaled->count; k++) {
    double m = 0;
    for (int32_t i = scaled->first[k] + 1; i < scaled->first[k + 1]; i++) {
      m += b->point.u[i] * b->point.u[i];
    }
    f[k] = scaled->kind[k] == TL_CONSTRAINT_FRICTION ? scaled->friction[k] * sqrt(m) - s[k] : 0;
    square += f[k] * f[k];
  }
  return sqrt(square / (scaled->count > 0 ? scaled->count : 1));
}

static double distance(const slips *b, const double *s, const double *t) {
  const int32_t count = b->newton->scaled.count;
  double square = 0;
  for (int32_t k = 0; k < count; k++) {
    square += (s[k] - t[k]) * (s[k] - t[k]);
  }
  return sqrt(square / (count > 0 ? count : 1));
}

static void point_keep(slips *b, int back) {
  double *const now[3] = {b->point.y, b->point.v, b->point.u};
  for (int i = 0; i < 3; i++) {
    memcpy(back ? now[i] : b->kept[i], back ? b->kept[i] : now[i], bytes_of(b));
  }
  if (back) {
    b->point.gap = b->kept_gap;
    b->point.primal_residual = b->kept_primal_residual;
    b->point.centred = b->kept_centred;
  } else {
    b->kept_gap = b->point.gap;
    b->kept_primal_residual = b->point.primal_residual;
    b->kept_centred = b->point.centred;
  }
}

/* The convex problem at another s, from a stored iterate that is far enough from the boundary. */
static talus_status move_to(slips *b, const double *from, const double *s, double gap,
                            bool *solved) {
  const double d = distance(b, from, s);
  double far = fmax(100 * d * d, 2 * gap);
  *solved = false;
  for (int tries = 0; tries < 3 && !*solved && !over(b); tries++, far *= 1e3) {
    point_load(b, tries < 2 ? far : INFINITY);
    TL_TRY(inner(b, s, gap, solved));
  }
  return TALUS_OK;
}

/* next = max(0, s + kappa (f + mu t . (W dy)_t)). *good = 0: the matrix was singular. */
static talus_status newton_step(slips *b, double kappa, bool *good) {
  tl_newton *const newton = b->newton;
  const tl_scaled *const scaled = &newton->scaled;
  double *const *const v = newton->vector;
  tl_interior_scale(scaled, &b->point, newton->scale);
  tl_interior_slip(newton, kappa, b->point.u);
  TL_TRY(tl_newton_factor(newton, NULL, newton->b, newton->scale, 0, good));
  if (!*good) {
    return TALUS_OK;
  }
  for (int32_t k = 0; k < scaled->count; k++) {
    const int32_t at = scaled->first[k], rows = scaled->first[k + 1] - at;
    const double right[3] = {-kappa * b->f[k], 0, 0};
    tl_block_apply(newton->scale + 9 * (int64_t)k, right, rows, v[0] + at);
  }
  TL_TRY(tl_linear_solve(&newton->linear, v[0], v[1], v[2]));
  tl_scaled_apply(scaled, v[2], v[3]);
  for (int32_t k = 0; k < scaled->count; k++) {
    double m = 0, along = 0;
    for (int32_t i = scaled->first[k] + 1; i < scaled->first[k + 1]; i++) {
      m += b->point.u[i] * b->point.u[i];
      along += b->point.u[i] * v[3][i];
    }
    const double turn = m > 0 ? scaled->friction[k] * along / sqrt(m) : 0;
    b->next[k] = fmax(0, b->s[k] + kappa * (b->f[k] + turn));
    *good = *good && isfinite(b->next[k]);
  }
  return TALUS_OK;
}

/* A from here, now and then. */
static talus_status polish(slips *b, double *y) {
  tl_newton *const newton = b->newton;
  const double epsilon = tl_scaled_epsilon(&newton->scaled, newton->law, b->point.y, b->point.u);
  if (!(epsilon < 3e-3 && epsilon < 0.5 * b->tried) || over(b)) {
    return TALUS_OK;
  }
  const tl_prox_rule rule = {newton->law, 1e-4, 0.1, POLISH, 2, 0, NULL};
  b->tried = epsilon;
  memcpy(y, b->point.y, bytes_of(b));
  return tl_prox_run(newton, &rule, y);
}

/* Two explicit steps where Newton's did not help. */
static talus_status explicit_steps(slips *b, double gap, double *off) {
  const size_t bytes = (size_t)b->newton->scaled.count * sizeof(double);
  for (int i = 0; i < 2 && !over(b); i++) {
    bool solved;
    for (int32_t k = 0; k < b->newton->scaled.count; k++) {
      b->next[k] = fmax(0, b->s[k] + 0.3 * b->f[k]);
    }
    point_keep(b, 0);
    TL_TRY(move_to(b, b->s, b->next, gap, &solved));
    const double now = solved ? slip_off(b, b->next, b->trial) : INFINITY;
    if (!(now <= 2 * *off)) {
      point_keep(b, 1);
      return TALUS_OK;
    }
    memcpy(b->s, b->next, bytes);
    memcpy(b->f, b->trial, bytes);
    *off = now;
  }
  return TALUS_OK;
}

static talus_status iterate(slips *b, double *y) {
  const size_t bytes = (size_t)b->newton->scaled.count * sizeof(double);
  const double r0 = b->newton->scaled.reference[TALUS_LAW_COULOMB];
  double h = 1, gap = 1e-2 * r0 * r0 / (b->newton->scaled.count > 0 ? b->newton->scaled.count : 1);
  bool solved, good;
  TL_TRY(inner(b, b->s, gap, &solved));
  double off = slip_off(b, b->s, b->f);
  while (!over(b)) {
    if (b->point.gap > 1e-3 * off * off) { /* f is not known well enough */
      gap = fmax(1e-4 * off * off, 0.02 * fmin(gap, b->point.gap));
      TL_TRY(inner(b, b->s, gap, &solved));
      off = slip_off(b, b->s, b->f);
      TL_TRY(polish(b, y));
      if (solved) {
        continue;
      }
      gap = b->point.gap; /* as far as it goes */
      if (!isfinite(gap)) {
        return TALUS_OK;
      }
    }
    const double kappa = h / (1 + h);
    TL_TRY(newton_step(b, kappa, &good));
    if (over(b)) {
      return TALUS_OK;
    }
    point_keep(b, 0);
    solved = false;
    if (good) {
      TL_TRY(move_to(b, b->s, b->next, gap, &solved));
    }
    const double now = solved ? slip_off(b, b->next, b->trial) : INFINITY;
    tl_log(b->newton->context, TALUS_LOG_DEBUG,
           "slip: off %.2e -> %.2e, kappa %.2f, gap %.1e, best %.2e, %lld factorisations", off, now,
           kappa, gap, b->newton->best.epsilon, (long long)b->newton->linear.count);
    if (now < 0.95 * off) {
      h = now < 0.75 * off ? 3 * h : now > 0.9 * off ? h / 2 : h;
      memcpy(b->s, b->next, bytes);
      memcpy(b->f, b->trial, bytes);
      off = now;
    } else {
      point_keep(b, 1);
      TL_TRY(explicit_steps(b, gap, &off));
      h /= 4;
      if (h < 1e-4) {
        return TALUS_OK;
      }
    }
    TL_TRY(polish(b, y));
  }
  return TALUS_OK;
}

talus_status tl_slip_run(tl_newton *newton, int most, double *y) {
  const size_t size = (size_t)tl_scaled_size(&newton->scaled), count = (size_t)newton->scaled.count;
  TL_TRY(tl_buffer_reserve(newton->context, &newton->store, (2 * LEVELS + 3) * size + 4 * count,
                           sizeof(double), "slips"));
  slips b = {.newton = newton, .end = newton->linear.count + most, .tried = INFINITY};
  double *room = newton->store.memory;
  for (int i = 0; i < 3; i++, room += size) {
    b.kept[i] = room;
  }
  b.stored = room;
  b.s = room + 2 * LEVELS * size;
  b.f = b.s + count;
  b.next = b.f + count;
  b.trial = b.next + count;
  b.point = (tl_interior){
      .y = newton->vector[6], .v = newton->vector[7], .u = newton->vector[8], .step = 1};
  memset(b.s, 0, count * sizeof *b.s);
  memcpy(y, newton->best.y, size * sizeof *y);
  tl_interior_start(newton, 1, &b.point);
  b.point.gap = INFINITY;
  point_store(&b);
  return iterate(&b, y);
}
