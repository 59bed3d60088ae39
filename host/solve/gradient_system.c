/* gradient_system.c: the adjoint system (A + B (W + C)^T) p = -B r on the active set.
 *
 * Its blocks are those of Newton's method transposed, so that problem and factors are its own. W is
 * singular where more contacts stick than bodies can move; the factor is of W + C + ALPHA then, and
 * refined to the system without it. What refinement does not lessen is the part of the right side
 * that no p answers: it is taken off, and told. */
#include <math.h>
#include <string.h>

#include "host/method/newton/newton.h"
#include "host/problem/assembly.h"
#include "host/problem/problem_check.h"
#include "host/solve/gradient.h"

enum { ROUNDS = 4, STEPS = 40 };
static const double ALPHA = 1e-7; /* beside tr(W_kk + C)/rows = 1 */
static const double EXACT = 1e-13, SLOW = 0.9, TOLD = 1e-9;

typedef struct adjoint_system {
  tl_adjoint *adjoint;
  tl_assembly assembly;
  tl_scaled scaled;
  tl_linear linear;
  tl_adjoint_law *law;                                  /* [constraints] */
  double *y, *u, *r, *p, *right, *off, *step, *applied; /* [size] */
  double *a, *damped, *b;                               /* [9 constraints] */
  tl_buffer memory, laws;
} adjoint_system;

/* ---- between the caller's rows and the scaled problem's -------------------------------------- */

/* Where the rows of the constraint at a place begin in the caller's vectors, and how many. */
static int64_t caller_first(const adjoint_system *s, int32_t place, int32_t *count) {
  const int32_t k = s->assembly.system.order[place], contacts = s->assembly.contact_count;
  const int32_t d = s->assembly.dimension;
  *count = k < contacts ? d : 1;
  return k < contacts ? (int64_t)d * k : (int64_t)d * contacts + (k - contacts);
}

/* The axes of the caller's rows in the scaled problem's frame: axis[3 i + j] of its row i, and j of
 * the other. */
static void axes_of(const adjoint_system *s, int32_t place, double *axis) {
  const int32_t k = s->assembly.system.order[place];
  const double *const own = s->scaled.frame + 9 * (int64_t)place;
  const double *const found = s->assembly.frame != NULL && k < s->assembly.contact_count
                                  ? s->assembly.frame + 9 * (int64_t)k
                                  : NULL;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int c = 0; c < 3; c++) {
        sum += (found != NULL ? found[3 * i + c] : i == c) * own[3 * j + c];
      }
      axis[3 * i + j] = sum;
    }
  }
}

/* A vector of the caller's in the scaled problem's rows, times factor sqrt(w)^power. */
static void rows_import(const adjoint_system *s, const double *given, double factor, int power,
                        double *own) {
  for (int32_t place = 0; place < s->scaled.count; place++) {
    const int32_t at = s->scaled.first[place], rows = s->scaled.first[place + 1] - at;
    const double scale =
        power > 0 ? factor * s->scaled.root[place] : factor / s->scaled.root[place];
    double axis[9];
    int32_t count;
    const int64_t first = caller_first(s, place, &count);
    axes_of(s, place, axis);
    for (int32_t j = 0; j < rows; j++) {
      double sum = 0;
      for (int32_t i = 0; i < count; i++) {
        sum += given[first + i] * axis[3 * i + j];
      }
      own[at + j] = scale * sum;
    }
  }
}

/* The way back; rows that a contact without friction does not have become 0. */
static void rows_export(const adjoint_system *s, const double *own, double factor, double *given) {
  for (int32_t place = 0; place < s->scaled.count; place++) {
    const int32_t at = s->scaled.first[place], rows = s->scaled.first[place + 1] - at;
    double axis[9];
    int32_t count;
    const int64_t first = caller_first(s, place, &count);
    axes_of(s, place, axis);
    for (int32_t i = 0; i < count; i++) {
      double sum = 0;
      for (int32_t j = 0; j < rows; j++) {
        sum += own[at + j] * axis[3 * i + j];
      }
      given[first + i] = factor / s->scaled.root[place] * sum;
    }
  }
}

/* ---- the law --------------------------------------------------------------------------------- */

static double largest_of(const adjoint_system *s) {
  double largest = 0;
  for (int32_t i = 0; i < s->scaled.rows; i++) {
    largest = fmax(largest, fabs(s->y[i] - s->u[i]));
  }
  return largest;
}

/* u of the law: with what compliance adds. */
static void compliance_add(const adjoint_system *s) {
  const talus_problem *const problem = s->adjoint->problem;
  const double unit = s->assembly.velocity_unit * s->assembly.impulse_unit;
  for (int32_t place = 0; place < s->scaled.count; place++) {
    const int32_t at = s->scaled.first[place], rows = s->scaled.first[place + 1] - at;
    const tl_yielding c = tl_problem_yielding(problem, s->assembly.system.order[place]);
    const double root = s->scaled.root[place], weight = root * root;
    double axis[9];
    int32_t count;
    caller_first(s, place, &count);
    axes_of(s, place, axis);
    for (int32_t j = 0; j < rows; j++) {
      double target = 0;
      for (int32_t i = 0; i < count; i++) {
        target += c.target[i] * axis[3 * i + j];
      }
      s->u[at + j] += unit * (j == 0 ? c.normal : c.tangential) / weight *
                      (s->y[at + j] - root / s->assembly.impulse_unit * target);
    }
  }
}

static void laws_set(adjoint_system *s) {
  tl_adjoint *const adjoint = s->adjoint;
  const double largest = largest_of(s);
  for (int32_t place = 0; place < s->scaled.count; place++) {
    const tl_adjoint_law l =
        tl_adjoint_law_of(&s->scaled, place, adjoint->law, s->y, s->u, largest);
    for (int i = 0; i < 9; i++) {
      s->a[9 * (int64_t)place + i] = l.a[i];
      s->damped[9 * (int64_t)place + i] = l.a[i] + ALPHA * l.b[i];
      s->b[9 * (int64_t)place + i] = l.b[i];
    }
    s->law[place] = l;
    adjoint->regime[s->assembly.system.order[place]] = (int32_t)l.regime;
    adjoint->between += l.between;
  }
}

/* ---- the system ------------------------------------------------------------------------------ */

/* to += factor M x, block by block. */
static void blocks_add(const adjoint_system *s, const double *m, const double *x, double factor,
                       double *to) {
  for (int32_t k = 0; k < s->scaled.count; k++) {
    const int32_t at = s->scaled.first[k], rows = s->scaled.first[k + 1] - at;
    for (int32_t i = 0; i < rows; i++) {
      for (int32_t j = 0; j < rows; j++) {
        to[at + i] += factor * m[9 * (int64_t)k + 3 * i + j] * x[at + j];
      }
    }
  }
}

static double norm_of(const double *x, int32_t count) {
  double square = 0;
  for (int32_t i = 0; i < count; i++) {
    square += x[i] * x[i];
  }
  return sqrt(square);
}

/* off = right - (A + B W) p; returns its norm. */
static double off_find(const adjoint_system *s) {
  memcpy(s->off, s->right, (size_t)s->scaled.rows * sizeof *s->off);
  tl_scaled_apply(&s->scaled, s->p, s->applied);
  blocks_add(s, s->a, s->p, -1, s->off);
  blocks_add(s, s->b, s->applied, -1, s->off);
  return norm_of(s->off, s->scaled.rows);
}

/* p from 0, refined until the system without ALPHA is solved, or refinement does not help. */
static talus_status refine(adjoint_system *s, double size, double *left) {
  memset(s->p, 0, (size_t)tl_scaled_size(&s->scaled) * sizeof *s->p);
  *left = off_find(s);
  for (int i = 0; i<STEPS && * left> EXACT * size; i++) {
    const double before = *left;
    TL_TRY(tl_linear_solve(&s->linear, s->off, s->step, s->step));
    for (int32_t j = 0; j < s->scaled.rows; j++) {
      s->p[j] += s->step[j];
    }
    *left = off_find(s);
    if (!(*left < SLOW * before)) {
      break;
    }
  }
  return TALUS_OK;
}

static talus_status factor(adjoint_system *s) {
  bool good;
  TL_TRY(tl_linear_factor(&s->linear, s->damped, s->b, NULL, 0, &good));
  return good ? TALUS_OK
              : tl_fail(s->adjoint->context, TALUS_NOT_FINITE,
                        "the derivative's linear system has no finite factor");
}

static talus_status solve(adjoint_system *s) {
  tl_adjoint *const adjoint = s->adjoint;
  const double size = norm_of(s->right, s->scaled.rows);
  double left = size, taken = 0;
  TL_TRY(factor(s));
  for (int round = 0; round < ROUNDS; round++) {
    TL_TRY(refine(s, size, &left));
    if (!(left > EXACT * size) || round + 1 == ROUNDS) {
      break;
    }
    taken = fmax(taken, left); /* what no p answers */
    for (int32_t i = 0; i < s->scaled.rows; i++) {
      s->right[i] -= s->off[i];
    }
  }
  adjoint->not_unique = size > 0 && taken > TOLD * size ? fmin(taken / size, 1) : 0;
  adjoint->residual = size > 0 ? left / size : 0;
  return TALUS_OK;
}

/* dL/dmu of the contacts that slide: along the slip of a = r + W^T p, and of p. */
static void friction_find(const adjoint_system *s) {
  tl_scaled_apply(&s->scaled, s->p, s->applied);
  for (int32_t place = 0; place < s->scaled.count; place++) {
    const int32_t at = s->scaled.first[place], rows = s->scaled.first[place + 1] - at;
    const int32_t k = s->assembly.system.order[place];
    double along = 0;
    for (int32_t i = 1; i < rows; i++) {
      along += s->law[place].direction[i] * (s->r[at + i] + s->applied[at + i]);
    }
    if (k < s->assembly.contact_count) {
      s->adjoint->friction[k] =
          s->law[place].friction_right * along + s->law[place].friction_pull * s->p[at];
    }
  }
}

static talus_status reserve(adjoint_system *s) {
  const size_t size = (size_t)tl_scaled_size(&s->scaled), count = (size_t)s->scaled.count;
  TL_TRY(tl_buffer_reserve(s->adjoint->context, &s->memory, 8 * size + 27 * count, sizeof(double),
                           "gradient"));
  TL_TRY(tl_buffer_reserve(s->adjoint->context, &s->laws, count, sizeof *s->law, "gradient"));
  double **const vector[] = {&s->y, &s->u, &s->r, &s->p, &s->right, &s->off, &s->step, &s->applied};
  double *room = s->memory.memory;
  memset(room, 0, (8 * size + 27 * count) * sizeof *room);
  for (int i = 0; i < 8; i++, room += size) {
    *vector[i] = room;
  }
  s->a = room;
  s->damped = s->a + 9 * count;
  s->b = s->damped + 9 * count;
  s->law = s->laws.memory;
  return TALUS_OK;
}

static talus_status system_solve(adjoint_system *s, const talus_problem *transposed) {
  tl_adjoint *const adjoint = s->adjoint;
  talus_context *const context = adjoint->context;
  TL_TRY(tl_system_build(context, transposed, false, &s->assembly));
  TL_TRY(tl_scaled_import(context, &s->assembly.system, &(tl_scaled_options){0}, &s->scaled));
  TL_TRY(tl_linear_make(context, &s->scaled, NULL, &s->linear));
  TL_TRY(reserve(s));
  const double impulse = s->assembly.impulse_unit, velocity = s->assembly.velocity_unit;
  rows_import(s, adjoint->impulse, 1 / impulse, 1, s->y);
  rows_import(s, adjoint->velocity, velocity, -1, s->u);
  rows_import(s, adjoint->right, impulse, -1, s->r);
  if (tl_problem_compliant(adjoint->problem)) {
    compliance_add(s);
  }
  laws_set(s);
  blocks_add(s, s->b, s->r, -1, s->right);
  const bool blas = tl_linear_uses_blas(&s->linear);
  if (blas) {
    TL_TRY(tl_blas_begin(context));
  }
  const talus_status status = solve(s);
  if (blas) {
    tl_blas_end(context);
  }
  TL_TRY(status);
  friction_find(s);
  rows_export(s, s->p, velocity, adjoint->pull);
  return TALUS_OK;
}

talus_status tl_adjoint_solve(tl_adjoint *adjoint, const talus_problem *transposed) {
  adjoint_system s;
  memset(&s, 0, sizeof s);
  s.adjoint = adjoint;
  s.assembly.threads = 1;
  const talus_status status = adjoint->constraints > 0 ? system_solve(&s, transposed) : TALUS_OK;
  tl_linear_release(adjoint->context, &s.linear);
  tl_scaled_release(adjoint->context, &s.scaled);
  tl_assembly_release(adjoint->context, &s.assembly);
  tl_buffer_release(adjoint->context, &s.memory);
  tl_buffer_release(adjoint->context, &s.laws);
  return status;
}
