/* gradient.c: talus_gradient_find: from a problem, its solution and a loss to gradients.
 *
 * Products with D, M and W are the certificate's: a problem is moved by some impulses, be they x or
 * the adjoint g, with velocities of its own or others. */
#include "host/solve/gradient.h"

#include <math.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/problem/layout.h"
#include "host/problem/problem_check.h"
#include "host/solve/solver.h"

void talus_loss_init(talus_loss *loss, size_t size) {
  static const talus_loss defaults;
  tl_struct_init(&tl_struct_loss, &defaults, loss, size);
}

void talus_gradient_init(talus_gradient *gradient, size_t size) {
  static const talus_gradient defaults;
  tl_struct_init(&tl_struct_gradient, &defaults, gradient, size);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static int64_t motion_of(const talus_problem *p, int64_t *masses) {
  int64_t count = 0;
  *masses = 0;
  if (p->form == TALUS_FORM_RIGID) {
    *masses = 7 * (int64_t)p->rigid.body_count;
    return 6 * (int64_t)p->rigid.body_count;
  }
  for (int32_t i = 0; p->form == TALUS_FORM_BLOCKS && i < p->blocks.block_count; i++) {
    const int64_t size = p->blocks.block_size[i];
    count += size;
    *masses += size * size;
  }
  return p->form == TALUS_FORM_GLOBAL ? p->global.mass.rows : count;
}

static talus_status reserve(tl_adjoint *a) {
  const talus_problem *const p = a->problem;
  int64_t masses;
  a->contact_rows = (int64_t)p->dimension * p->contact_count;
  a->rows = a->contact_rows + p->bilateral_count;
  a->constraints = p->contact_count + p->bilateral_count;
  a->motion_count = motion_of(p, &masses);
  const size_t total = (size_t)(8 * a->rows + p->contact_count + 5 * a->motion_count + masses);
  TL_TRY(tl_buffer_reserve(a->context, &a->memory, total, sizeof(double), "gradient"));
  const int32_t blocks = p->form == TALUS_FORM_BLOCKS ? p->blocks.block_count : 0;
  TL_TRY(tl_buffer_reserve(a->context, &a->index, (size_t)(blocks + a->constraints),
                           sizeof(int64_t), "gradient"));
  double *room = a->memory.memory;
  memset(room, 0, total * sizeof *room);
  double **const row[] = {&a->impulse, &a->velocity, &a->loss_impulse, &a->loss_velocity,
                          &a->right,   &a->pull,     &a->free,         &a->zero};
  double **const motion[] = {&a->start, &a->after, &a->motion, &a->handed, &a->pushed};
  for (int i = 0; i < 8; i++, room += a->rows) {
    *row[i] = room;
  }
  for (int i = 0; i < 5; i++, room += a->motion_count) {
    *motion[i] = room;
  }
  a->friction = room;
  a->unit_mass = room + p->contact_count;
  a->block_first = a->index.memory;
  a->regime = (int32_t *)(a->block_first + blocks);
  for (int32_t b = 0; b < blocks; b++) {
    a->block_first[b] = b > 0 ? a->block_first[b - 1] + p->blocks.block_size[b - 1] : 0;
  }
  return TALUS_OK;
}

/* ---- input ----------------------------------------------------------------------------------- */

static talus_status array_take(talus_context *context, const char *name, const double *given,
                               int64_t count, double *own) {
  for (int64_t i = 0; given != NULL && i < count; i++) {
    if (!isfinite(given[i])) {
      return tl_fail(context, TALUS_NOT_FINITE, "%s[%lld] is %g", name, (long long)i, given[i]);
    }
    own[i] = given[i];
  }
  return TALUS_OK;
}

static talus_status input_take(tl_adjoint *a, const double *impulse, const double *bilateral,
                               const talus_loss *loss) {
  talus_context *const context = a->context;
  const int64_t contacts = a->contact_rows, rows = a->problem->bilateral_count;
  if ((impulse == NULL && contacts > 0) || (bilateral == NULL && rows > 0)) {
    return tl_fail(context, TALUS_MISSING_ARRAY, "impulse or bilateral_impulse is NULL");
  }
  if (loss->velocity != NULL && a->problem->form == TALUS_FORM_DELASSUS) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "loss.velocity: form (c) has no bodies; use loss.contact_velocity");
  }
  TL_TRY(array_take(context, "impulse", impulse, contacts, a->impulse));
  TL_TRY(array_take(context, "bilateral_impulse", bilateral, rows, a->impulse + contacts));
  TL_TRY(array_take(context, "loss.impulse", loss->impulse, contacts, a->loss_impulse));
  TL_TRY(array_take(context, "loss.bilateral_impulse", loss->bilateral_impulse, rows,
                    a->loss_impulse + contacts));
  TL_TRY(array_take(context, "loss.contact_velocity", loss->contact_velocity, contacts,
                    a->loss_velocity));
  return array_take(context, "loss.velocity", loss->velocity, a->motion_count, a->start);
}

/* ---- problems that differ in their velocities ------------------------------------------------ */

/* The problem without biases, moving with `velocity`; masses NULL: its own. */
static talus_problem problem_moving(const tl_adjoint *a, const double *velocity,
                                    const double *masses) {
  talus_problem p = *a->problem;
  p.compliance = p.target_impulse = p.row_compliance = p.row_target_impulse = NULL;
  p.rigid.velocity = p.blocks.velocity = p.global.f = velocity;
  p.rigid.bias = p.rigid.surface_velocity = p.rigid.row_bias = NULL;
  p.blocks.bias = p.blocks.bilateral_bias = p.global.b = NULL;
  p.global.w = p.delassus.q = a->zero;
  if (masses != NULL) {
    p.rigid.inverse_mass = p.blocks.inverse_mass = masses;
    p.rigid.inverse_inertia = masses + p.rigid.body_count;
  }
  return p;
}

static void unit_masses_set(tl_adjoint *a) {
  const talus_problem *const p = a->problem;
  double *mass = a->unit_mass;
  if (p->form == TALUS_FORM_RIGID) {
    for (int64_t i = 0; i < p->rigid.body_count; i++) {
      double *const inertia = mass + p->rigid.body_count + 6 * i;
      mass[i] = inertia[0] = inertia[3] = inertia[5] = 1;
    }
  }
  for (int32_t i = 0; p->form == TALUS_FORM_BLOCKS && i < p->blocks.block_count; i++) {
    const int64_t size = p->blocks.block_size[i];
    for (int64_t c = 0; c < size; c++) {
      mass[(size + 1) * c] = 1;
    }
    mass += size * size;
  }
}

/* Velocities of bodies, and of all rows (either may be NULL), of a problem moved by impulses of all
 * rows. asymmetry of W: NULL if it is not asked. */
static talus_status move(const tl_adjoint *a, const talus_problem *problem, const double *impulse,
                         double *motion, double *rows, double *asymmetry) {
  tl_certification j;
  memset(&j, 0, sizeof j);
  const talus_status status =
      tl_certification_make(a->context, problem, impulse, impulse + a->contact_rows, 1, &j);
  if (status == TALUS_OK) {
    if (motion != NULL && j.motion_count > 0) {
      memcpy(motion, j.motion, (size_t)j.motion_count * sizeof *motion);
    }
    if (rows != NULL) {
      tl_certification_velocity(&j, rows);
      tl_certification_row_velocity(&j, rows + a->contact_rows);
    }
    if (asymmetry != NULL) {
      *asymmetry = j.asymmetry;
    }
  }
  tl_certification_release(a->context, &j);
  return status;
}

/* ---- form (c): W transposed ------------------------------------------------------------------ */

/* In place of W; dense is room for a dense one. */
static talus_status matrix_transpose(talus_context *context, talus_matrix *w, tl_buffer *dense) {
  const int32_t *const index = w->index;
  switch (w->storage) {
  case TALUS_STORAGE_CSC:
    w->storage = TALUS_STORAGE_CSR;
    return TALUS_OK;
  case TALUS_STORAGE_CSR:
    w->storage = TALUS_STORAGE_CSC;
    return TALUS_OK;
  case TALUS_STORAGE_TRIPLET:
    w->index = w->index2;
    w->index2 = index;
    return TALUS_OK;
  default:
    break;
  }
  const int64_t n = w->rows;
  TL_TRY(tl_buffer_reserve(context, dense, (size_t)(n * n), sizeof(double), "gradient"));
  double *const value = dense->memory;
  for (int64_t i = 0; i < n * n; i++) {
    value[i] = w->value[i / n + n * (i % n)];
  }
  w->value = value;
  return TALUS_OK;
}

/* ---- the gradient ---------------------------------------------------------------------------- */

/* M^-1 dL/dv+ in the place of dL/dv+, which goes to `pushed`. Form (d) has f to begin with. */
static void start_set(tl_adjoint *a) {
  const talus_problem *const p = a->problem;
  memcpy(a->pushed, a->start, (size_t)a->motion_count * sizeof *a->start);
  const double *given = a->pushed, *mass = p->blocks.inverse_mass;
  double *start = a->start;
  for (int64_t i = 0; p->form == TALUS_FORM_RIGID && i < p->rigid.body_count; i++) {
    const double *const m = p->rigid.inverse_inertia + 6 * i, *const h = given + 6 * i;
    double *const v = start + 6 * i;
    for (int c = 0; c < 3; c++) {
      v[c] = p->rigid.inverse_mass[i] * h[c];
    }
    v[3] = m[0] * h[3] + m[1] * h[4] + m[2] * h[5];
    v[4] = m[1] * h[3] + m[3] * h[4] + m[4] * h[5];
    v[5] = m[2] * h[3] + m[4] * h[4] + m[5] * h[5];
  }
  for (int32_t b = 0; p->form == TALUS_FORM_BLOCKS && b < p->blocks.block_count; b++) {
    const int64_t size = p->blocks.block_size[b];
    for (int64_t r = 0; r < size; r++) {
      start[r] = 0;
      for (int64_t c = 0; c < size; c++) {
        start[r] += mass[size * r + c] * given[c];
      }
    }
    start += size;
    given += size;
    mass += size * size;
  }
}

/* r, p, g and the adjoint motion. */
static talus_status adjoint_find(tl_adjoint *a, tl_buffer *dense) {
  double asymmetry;
  TL_TRY(move(a, a->problem, a->impulse, a->after, a->velocity, &asymmetry));
  start_set(a);
  talus_problem moving = problem_moving(a, a->start, NULL), transposed = *a->problem;
  if (asymmetry > 0) {
    TL_TRY(matrix_transpose(a->context, &transposed.delassus.w, dense));
    moving.delassus.w = transposed.delassus.w;
  }
  TL_TRY(move(a, &moving, a->loss_velocity, NULL, a->right, NULL));
  for (int64_t i = 0; i < a->rows; i++) {
    a->right[i] += a->loss_impulse[i];
  }
  TL_TRY(tl_adjoint_solve(a, &transposed));
  for (int64_t i = 0; i < a->rows; i++) {
    a->free[i] = a->pull[i] + a->loss_velocity[i];
  }
  TL_TRY(move(a, &moving, a->free, a->motion, NULL, NULL));
  if (a->problem->form == TALUS_FORM_RIGID || a->problem->form == TALUS_FORM_BLOCKS) {
    unit_masses_set(a);
    const talus_problem light = problem_moving(a, a->pushed, a->unit_mass);
    TL_TRY(move(a, &light, a->free, a->handed, NULL, NULL));
    memcpy(a->pushed, a->handed, (size_t)a->motion_count * sizeof *a->pushed);
    memset(a->start, 0, (size_t)a->motion_count * sizeof *a->start);
    const talus_problem still = problem_moving(a, a->start, a->unit_mass);
    TL_TRY(move(a, &still, a->impulse, a->handed, NULL, NULL));
  }
  return TALUS_OK;
}

/* The axis of contact k in its frame. */
static void normal_of(const talus_problem *p, int64_t k, double *n) {
  n[0] = 1;
  n[1] = n[2] = 0;
  if (p->form == TALUS_FORM_RIGID) {
    memcpy(n, p->rigid.normal + 3 * k, 3 * sizeof *n);
  }
}

/* dL/dC = p (x - target) and dL/dtarget = -C p of contact k. */
static void compliance_fill(const tl_adjoint *a, int32_t k, const talus_gradient *to) {
  const int32_t d = a->problem->dimension;
  const tl_yielding c = tl_problem_yielding(a->problem, k);
  const double *const p = a->pull + (int64_t)d * k, *const x = a->impulse + (int64_t)d * k;
  double n[3], pn = 0, xn = 0, all = 0;
  normal_of(a->problem, k, n);
  for (int32_t i = 0; i < d; i++) {
    pn += n[i] * p[i];
    xn += n[i] * (x[i] - c.target[i]);
    all += p[i] * (x[i] - c.target[i]);
  }
  if (to->compliance != NULL) {
    to->compliance[2 * (int64_t)k] = pn * xn;
    to->compliance[2 * (int64_t)k + 1] = d > 1 ? all - pn * xn : 0;
  }
  for (int32_t i = 0; to->target_impulse != NULL && i < d; i++) {
    to->target_impulse[(int64_t)d * k + i] =
        -c.tangential * p[i] - (c.normal - c.tangential) * pn * n[i];
  }
}

static void copy(const double *from, int64_t count, double *to) {
  if (to != NULL && count > 0) {
    memcpy(to, from, (size_t)count * sizeof *to);
  }
}

static void rows_fill(const tl_adjoint *a, const talus_gradient *to) {
  const int32_t contacts = a->problem->contact_count;
  for (int32_t i = 0; i < a->problem->bilateral_count; i++) {
    const tl_yielding c = tl_problem_yielding(a->problem, contacts + i);
    const double p = a->pull[a->contact_rows + i], x = a->impulse[a->contact_rows + i];
    if (to->row_compliance != NULL) {
      to->row_compliance[i] = p * (x - c.target[0]);
    }
    if (to->row_target_impulse != NULL) {
      to->row_target_impulse[i] = -c.normal * p;
    }
    if (to->row_regime != NULL) {
      to->row_regime[i] = a->regime[contacts + i];
    }
  }
}

static void gradient_fill(const tl_adjoint *a, talus_gradient *to) {
  const int32_t contacts = a->problem->contact_count;
  to->notes = (a->between > 0 ? TALUS_GRADIENT_BETWEEN : 0u) |
              (a->not_unique > 0 ? TALUS_GRADIENT_NOT_UNIQUE : 0u);
  to->between = a->between;
  to->not_unique = a->not_unique;
  to->residual = a->residual;
  copy(a->free, a->contact_rows, to->free_velocity);
  copy(a->free + a->contact_rows, a->problem->bilateral_count, to->row_free_velocity);
  copy(a->friction, contacts, to->friction);
  for (int32_t k = 0; k < contacts; k++) {
    compliance_fill(a, k, to);
    if (to->regime != NULL) {
      to->regime[k] = a->regime[k];
    }
  }
  rows_fill(a, to);
  switch (a->problem->form) {
  case TALUS_FORM_RIGID:
    tl_gradient_rigid(a, to);
    break;
  case TALUS_FORM_BLOCKS:
    tl_gradient_blocks(a, to);
    break;
  case TALUS_FORM_DELASSUS:
    tl_gradient_delassus(a, to);
    break;
  default:
    tl_gradient_global(a, to);
  }
}

/* ---- the call -------------------------------------------------------------------------------- */

static talus_status gather(talus_context *context, const talus_problem *given,
                           tl_gathered *gathered, const talus_problem **packed) {
  tl_problem_copy copied;
  TL_TRY(tl_problem_copy_make(context, given, &copied));
  TL_TRY(tl_problem_gather(context, &copied.problem, gathered, packed));
  gathered->problem = **packed;
  gathered->problem.asleep = NULL;
  *packed = &gathered->problem;
  return tl_problem_check(context, *packed);
}

static talus_status find(tl_adjoint *a, const talus_problem *problem, const talus_settings *given,
                         const double *impulse, const double *bilateral,
                         const talus_loss *given_loss, tl_gathered *gathered, tl_buffer *dense,
                         talus_gradient *to) {
  talus_settings settings;
  talus_loss loss = talus_loss_default();
  TL_TRY(tl_settings_read(a->context, given, &settings));
  TL_TRY(tl_struct_read(a->context, &tl_struct_loss, "loss", given_loss, &loss));
  if (settings.cone != TALUS_CONE_CIRCULAR) {
    return tl_fail(a->context, TALUS_UNSUPPORTED,
                   "gradients are those of the circular cone, not %s",
                   talus_cone_name(settings.cone));
  }
  TL_TRY(gather(a->context, problem, gathered, &a->problem));
  if (a->problem->dimension > 3 || a->problem->cross_friction != NULL) {
    return tl_fail(a->context, TALUS_UNSUPPORTED,
                   "gradients are those of contacts of up to three rows on circular cones, not of "
                   "dimension %d%s",
                   a->problem->dimension,
                   a->problem->cross_friction != NULL ? " with cross_friction" : "");
  }
  a->law = settings.law;
  TL_TRY(reserve(a));
  TL_TRY(input_take(a, impulse, bilateral, &loss));
  TL_TRY(adjoint_find(a, dense));
  gradient_fill(a, to);
  return TALUS_OK;
}

talus_status talus_gradient_find(talus_context *context, const talus_problem *problem,
                                 const talus_settings *settings, const double *impulse,
                                 const double *bilateral_impulse, const talus_loss *loss,
                                 talus_gradient *gradient) {
  TL_TRY(tl_context_enter(context));
  talus_gradient own = talus_gradient_default();
  tl_adjoint adjoint;
  tl_gathered gathered;
  tl_buffer dense;
  memset(&adjoint, 0, sizeof adjoint);
  memset(&gathered, 0, sizeof gathered);
  memset(&dense, 0, sizeof dense);
  adjoint.context = context;
  talus_status status = tl_struct_read(context, &tl_struct_gradient, "gradient", gradient, &own);
  if (status == TALUS_OK) {
    status = find(&adjoint, problem, settings, impulse, bilateral_impulse, loss, &gathered, &dense,
                  &own);
  }
  if (status == TALUS_OK) {
    tl_struct_write(&tl_struct_gradient, &own, gradient);
  }
  tl_buffer_release(context, &adjoint.memory);
  tl_buffer_release(context, &adjoint.index);
  tl_buffer_release(context, &dense);
  tl_gathered_release(context, &gathered);
  tl_context_leave(context);
  return status;
}
