/* assembly.c: memory of a tl_system, scaling of its constraints, its units, import and export of
 * impulses. */
#include "host/problem/assembly.h"

#include <math.h>
#include <string.h>

#include "host/base/each.h"
#include "host/problem/problem_check.h"
#include "kernels/halo.h"
#include "kernels/item/rigid.h"
#include "kernels/item/row.h"

talus_status tl_assembly_reserve(talus_context *context, tl_assembly *assembly) {
  tl_system *const system = &assembly->system;
  const tl_shape *const s = &system->shape;
#define TL_RESERVE(type, name, count)                                                            \
  {                                                                                              \
    const int64_t n = (int64_t)(count);                                                          \
    if (n > 0) {                                                                                 \
      TL_TRY(                                                                                    \
          tl_buffer_reserve(context, &assembly->name##_buffer, (size_t)n, sizeof(type), #name)); \
    }                                                                                            \
    system->name = n > 0 ? assembly->name##_buffer.memory : NULL;                                \
  }
#define TL_RESERVE_REALS(name, count) TL_RESERVE(double, name, count)
  TL_ARRAY_LIST(TL_RESERVE, TL_RESERVE_REALS)
#undef TL_RESERVE
#undef TL_RESERVE_REALS
  return TALUS_OK;
}

void tl_assembly_release(talus_context *context, tl_assembly *assembly) {
#define TL_RELEASE(type, name, count) tl_buffer_release(context, &assembly->name##_buffer);
#define TL_RELEASE_REALS(name, count) TL_RELEASE(double, name, count)
  TL_ARRAY_LIST(TL_RELEASE, TL_RELEASE_REALS)
#undef TL_RELEASE
#undef TL_RELEASE_REALS
  for (int i = 0; i < 4; i++) {
    tl_buffer_release(context, &assembly->scratch[i]);
  }
  tl_buffer_release(context, &assembly->colour_group);
  tl_buffer_release(context, &assembly->order);
  tl_lines_release(context, &assembly->rows);
  tl_buffer_release(context, &assembly->kept.memory);
  tl_buffer_release(context, &assembly->kept.brick_memory);
  tl_translation_release(context, assembly->translation);
  assembly->translation = NULL;
}

int64_t tl_assembly_bytes(const tl_assembly *assembly) {
  size_t bytes = assembly->colour_group.capacity + assembly->order.capacity +
                 assembly->kept.memory.capacity + assembly->kept.brick_memory.capacity;
#define TL_COUNT(type, name, count) bytes += assembly->name##_buffer.capacity;
#define TL_COUNT_REALS(name, count) TL_COUNT(double, name, count)
  TL_ARRAY_LIST(TL_COUNT, TL_COUNT_REALS)
#undef TL_COUNT
#undef TL_COUNT_REALS
  for (int i = 0; i < 4; i++) {
    bytes += assembly->scratch[i].capacity;
  }
  bytes += assembly->rows.memory.capacity;
  return (int64_t)bytes + tl_translation_bytes(assembly->translation);
}

talus_status tl_assembly_scale(talus_context *context, tl_assembly *assembly, int32_t place,
                               const double *w, int32_t rows, int32_t bilateral, double friction) {
  tl_system *const system = &assembly->system;
  const double weight = tl_system_scale(system, place, w, rows, bilateral, friction);
  if (!(weight > 0) || !isfinite(weight)) {
    return tl_assembly_refuse(context, assembly, place, weight * rows);
  }
  return TALUS_OK;
}

talus_status tl_assembly_refuse(talus_context *context, const tl_assembly *assembly, int32_t place,
                                double trace) {
  const int32_t k = assembly->system.order[place];
  const bool is_row = k >= assembly->contact_count;
  return tl_fail(
      context, TALUS_BAD_DIAGONAL, "W_kk of %s %d has trace %g: it must be positive and finite",
      is_row ? "bilateral row" : "contact", is_row ? k - assembly->contact_count : k, trace);
}

void tl_assembly_incidence(tl_assembly *assembly, const int32_t *entry_unit) {
  tl_system *const system = &assembly->system;
  const tl_shape *const shape = &system->shape;
  const int32_t units = shape->rigid_count + shape->block_count;
  int32_t *const first = system->incidence_first;
  memset(first, 0, ((size_t)units + 1) * sizeof *first);
  for (int64_t e = 0; e < shape->entry_count; e++) {
    first[entry_unit[e] + 1] += entry_unit[e] >= 0;
  }
  for (int32_t u = 0; u < units; u++) {
    first[u + 1] += first[u];
  }
  for (int32_t r = 0; r < shape->range_count; r++) {
    const tl_range range = shape->range[r];
    for (int32_t k = range.first; range.kind == TL_BLOCKS && k < range.first + range.count; k++) {
      const int32_t *entries = system->entry_first + (k - shape->entry_base);
      for (int32_t e = entries[0]; e < entries[1]; e++) {
        system->incidence[first[entry_unit[e]]++] =
            (tl_incidence){k, range.rows, system->entry[e].jacobian};
      }
    }
  }
  memmove(first + 1, first, (size_t)units * sizeof *first);
  first[0] = 0;
}

/* ---- what other ranks have ------------------------------------------------------------------- */

bool tl_assembly_owns(const tl_assembly *assembly, int32_t place) {
  return assembly->halo == NULL || assembly->halo->own[assembly->system.order[place]];
}

int64_t tl_assembly_contacts(const tl_assembly *assembly) {
  return assembly->halo != NULL ? assembly->halo->contact_count : assembly->contact_count;
}

void tl_assembly_round(tl_assembly *assembly, int32_t place, double square) {
  if (tl_assembly_owns(assembly, place)) {
    tl_exact_add(&assembly->roundings, square);
  }
}

/* The exact sum of the roundings. */
static void rounding_close(tl_assembly *assembly) {
  tl_halo *const halo = assembly->halo;
  if (halo != NULL) {
    halo->sum(halo, assembly->roundings.digit, TL_EXACT_DIGITS);
  }
  if (assembly->kept.brick_size > 0) {
    assembly->rounding = tl_exact_round(&assembly->roundings);
  }
}

/* ---- units of the engine's own --------------------------------------------------------------- */

static void array_scale(double *array, int64_t count, double factor) {
  for (int64_t i = 0; i < count; i++) {
    array[i] *= factor;
  }
}

/* The mean exponent of positive numbers, 0 if there are none. */
typedef struct exponents {
  int64_t sum, count;
} exponents;

/* Of all ranks. */
static void exponents_meet(tl_halo *halo, exponents *a, exponents *b) {
  int64_t all[4] = {a->sum, a->count, b->sum, b->count};
  if (halo != NULL) {
    halo->sum(halo, all, 4);
  }
  *a = (exponents){all[0], all[1]};
  *b = (exponents){all[2], all[3]};
}

/* As frexp has it: of what is neither subnormal nor infinite from its bits, which takes no call. */
static int exponent_of(double value) {
  uint64_t bits;
  int exponent;
  memcpy(&bits, &value, sizeof bits);
  const int biased = (int)(bits >> 52 & 0x7ff);
  if (biased > 0 && biased < 0x7ff) {
    return biased - 1022;
  }
  frexp(value, &exponent);
  return exponent;
}

static void exponent_add(exponents *e, double value) {
  if (value > 0) {
    e->sum += exponent_of(value);
    e->count++;
  }
}

typedef struct exponent_task {
  const tl_assembly *assembly;
  exponents weights, speeds; /* atomic */
} exponent_task;

static void exponents_share(exponents *all, const exponents *own) {
  __atomic_add_fetch(&all->sum, own->sum, __ATOMIC_RELAXED);
  __atomic_add_fetch(&all->count, own->count, __ATOMIC_RELAXED);
}

static void exponents_part(void *arguments, int64_t first, int64_t end) {
  exponent_task *const t = arguments;
  const tl_system *const system = &t->assembly->system;
  exponents weights = {0, 0}, speeds = {0, 0};
  for (int64_t k = first; k < end; k++) {
    if (!tl_assembly_owns(t->assembly, (int32_t)k)) {
      continue;
    }
    const double x = fabs(system->free_x[k]), y = fabs(system->free_y[k]);
    exponent_add(&weights, system->weight[k]);
    exponent_add(&speeds, fmax(x, fmax(y, fabs(system->free_z[k]))));
  }
  exponents_share(&t->weights, &weights);
  exponents_share(&t->speeds, &speeds);
}

/* Arrays of one number per place, times c and times s. */
typedef struct scale_task {
  const tl_system *system;
  double c, s;
} scale_task;

static void scales_part(void *arguments, int64_t first, int64_t end) {
  const scale_task *const t = arguments;
  const tl_system *const system = t->system;
  const int64_t count = end - first;
  array_scale(system->free_x + first, count, t->c);
  array_scale(system->free_y + first, count, t->c);
  array_scale(system->free_z + first, count, t->c);
  array_scale(system->scale_n + first, count, t->s);
  array_scale(system->scale_t + first, count, t->s);
  array_scale(system->weight + first, count, t->s);
}

/* Units of mass and speed in which W_kk and q are about one, so that squares stay in the range of
 * single precision whatever the caller's units are: with powers of two, which round nothing,
 *   W' = s W,  q' = c q,  and so x = x' s / c. */
static void units_choose(talus_context *context, tl_assembly *assembly) {
  tl_system *const system = &assembly->system;
  const tl_shape *const shape = &system->shape;
  exponent_task e = {assembly, {0, 0}, {0, 0}};
  const int32_t threads = shape->contact_count > TL_CHUNK ? assembly->threads : 1;
  tl_each(context, threads, shape->contact_count, exponents_part, &e);
  exponents_meet(assembly->halo, &e.weights, &e.speeds);
  const int weight = -tl_rigid_exponent(e.weights.sum, e.weights.count);
  const int speed = -tl_rigid_exponent(e.speeds.sum, e.speeds.count);
  const double s = ldexp(1, weight), c = ldexp(1, speed);
  assembly->impulse_unit = ldexp(1, weight - speed);
  assembly->velocity_unit = c;
  assembly->rounding *= c * (c / s);
  assembly->most_compliance *= s;
  scale_task scale = {system, c, s};
  tl_each(context, threads, TL_PLACES(shape), scales_part, &scale);
  const int64_t blocks = system->diagonal != NULL ? 3 * TL_PLACES(shape) : 0;
  array_scale(system->diagonal, blocks, s);
  array_scale(system->mixed, blocks, s);
  array_scale(system->compliance_n, shape->compliance_count, s);
  array_scale(system->compliance_t, shape->compliance_count, s);
  array_scale(system->response, shape->jacobian_count, s);
  array_scale(system->coupling, 9 * (int64_t)shape->torque_count, s);
  array_scale(system->torque_response, system->torque_response != NULL ? shape->jacobian_count : 0,
              s);
  array_scale(system->value, 9 * shape->value_count, s);
  array_scale(system->mass, shape->mass_count, 1 / s);
  const bool spheres = shape->body_kind == TL_SPHERES;
  for (int64_t i = 0; i < shape->rigid_count; i++) { /* inverse masses, then masses */
    double *const body = system->body + (spheres ? 4 : 16) * i;
    array_scale(body, spheres ? 2 : 7, s);
    array_scale(body + (spheres ? 2 : 7), spheres ? 2 : 7, 1 / s);
  }
}

/* ---- bounds of bilateral rows ---------------------------------------------------------------- */

/* In the engine's units; the rows are the last range. */
static void bounds_fill(const talus_problem *problem, tl_assembly *assembly) {
  tl_system *const system = &assembly->system;
  const double unit = 1 / assembly->impulse_unit;
  tl_range *const range = &system->shape.range[1];
  if (system->shape.bound_count == 0) {
    return;
  }
  range->bounded = 1;
  for (int32_t i = 0; i < range->count; i++) {
    const int32_t row = system->order[range->first + i] - problem->contact_count;
    system->lower[i] = problem->row_lower != NULL ? unit * problem->row_lower[row] : -INFINITY;
    system->upper[i] = problem->row_upper != NULL ? unit * problem->row_upper[row] : INFINITY;
  }
}

/* The impulse of a row at internal place i, inside its bounds: single precision and a warm start
 * may leave them. */
static double row_inside(const tl_assembly *assembly, int32_t i, double x) {
  const tl_system *const system = &assembly->system;
  const int32_t row = i - system->shape.range[1].first;
  return system->shape.bound_count > 0 ? tl_row_clamp(x, system->lower[row], system->upper[row])
                                       : x;
}

static talus_status system_assemble(talus_context *context, const talus_problem *problem,
                                    int coloured, tl_assembly *assembly) {
  if (problem->form != TALUS_FORM_RIGID) { /* the order will be another's */
    assembly->kept.valid = 0;
    assembly->kept.brick_size = 0;
  }
  switch (problem->form) {
  case TALUS_FORM_RIGID:
    return tl_assemble_rigid(context, problem, coloured, assembly);
  case TALUS_FORM_BLOCKS:
    return tl_assemble_blocks(context, problem, coloured, assembly);
  default:
    return tl_assemble_matrix(context, problem, coloured, assembly);
  }
}

tl_buffer *tl_assembly_impulses(tl_assembly *assembly) {
  return &assembly->scratch[1];
}

void tl_system_blank(const talus_problem *problem, tl_assembly *assembly) {
  tl_system *const system = &assembly->system;
  memset(system, 0, sizeof *system);
  assembly->revision++;
  assembly->ordering = TL_ORDERING_BODIES;
  assembly->kept.valid = 0; /* the device has its own order */
  system->shape.contact_count = problem->contact_count;
  assembly->dimension = problem->dimension;
  assembly->contact_count = problem->contact_count;
  assembly->bilateral_count = 0;
  assembly->wrenches = assembly->compliant = false;
  assembly->notes = 0;
  assembly->softest = assembly->stiffest = assembly->most_compliance = 0;
  assembly->frame = NULL;
}

static bool is_bounded(const talus_problem *problem, const tl_assembly *assembly) {
  return assembly->halo != NULL ? assembly->halo->bounded : tl_problem_bounded(problem);
}

static bool is_compliant(const talus_problem *problem, const tl_assembly *assembly) {
  return assembly->halo != NULL ? assembly->halo->compliant : tl_problem_compliant(problem);
}

/* All that can fail. */
static talus_status system_fill(talus_context *context, const talus_problem *problem, bool coloured,
                                tl_assembly *assembly) {
  assembly->revision++;
  assembly->ordering = TL_ORDERING_NONE; /* until it stands */
  assembly->dimension = problem->dimension;
  assembly->contact_count = problem->contact_count;
  assembly->bilateral_count = problem->bilateral_count;
  assembly->notes = 0;
  assembly->rounding = 0;
  memset(&assembly->roundings, 0, sizeof assembly->roundings);
  assembly->frame = NULL;
  tl_system *const system = &assembly->system;
  memset(&system->shape, 0, sizeof system->shape);
  system->shape.contact_count = problem->contact_count + problem->bilateral_count;
  const size_t constraints = (size_t)system->shape.contact_count;
  if (constraints * sizeof(int32_t) > assembly->order.capacity) { /* it will be other memory */
    assembly->kept.valid = 0;
  }
  TL_TRY(tl_buffer_reserve(context, &assembly->order, constraints, sizeof(int32_t),
                           "order of contacts"));
  system->order = assembly->order.memory;
  const bool wrenches = tl_problem_wrenches(problem);
  assembly->wrenches = wrenches && (problem->contact_count > 0 || assembly->halo != NULL);
  system->shape.torque_count = wrenches ? problem->contact_count : 0;
  system->shape.elliptic = problem->cross_friction != NULL && problem->contact_count > 0;
  system->halo = assembly->halo;
  system->shape.bound_count = is_bounded(problem, assembly) ? problem->bilateral_count : 0;
  const bool compliant = is_compliant(problem, assembly);
  assembly->compliant = compliant;
  system->shape.compliance_count =
      compliant && problem->form != TALUS_FORM_DELASSUS ? system->shape.contact_count : 0;
  assembly->softest = assembly->stiffest = assembly->most_compliance = 0;
  const talus_problem *matrices = problem;
  if (problem->form == TALUS_FORM_GLOBAL) {
    TL_TRY(tl_translate_global(context, problem, assembly, &matrices));
  }
  TL_TRY(system_assemble(context, matrices, coloured, assembly));
  if (wrenches) {
    TL_TRY(tl_assembly_wrenches(context, matrices, assembly));
  }
  return compliant ? tl_assembly_comply(context, problem, assembly) : TALUS_OK;
}

talus_status tl_system_build(talus_context *context, const talus_problem *problem, bool coloured,
                             tl_assembly *assembly) {
  tl_halo *const halo = assembly->halo;
  const talus_status filled = system_fill(context, problem, coloured, assembly);
  int64_t none[TL_HALO_NUMBERS] = {0};
  TL_TRY(halo != NULL ? halo->meet(halo, filled, none) : filled);
  if (assembly->compliant) {
    tl_assembly_soften(assembly);
  }
  rounding_close(assembly);
  units_choose(context, assembly);
  bounds_fill(problem, assembly);
  assembly->ordering = coloured ? TL_ORDERING_COLOURS : TL_ORDERING_BODIES;
  return halo != NULL ? halo->check(halo) : TALUS_OK;
}

/* Contact i of six rows, or of three with an elliptic cone: from force and torque of the caller's
 * to x' with T x' the force. */
static void wrench_import(const tl_assembly *assembly, int32_t i, const double *given, double unit,
                          double *internal) {
  const tl_system *const system = &assembly->system;
  double *const x = internal + 3 * (int64_t)i;
  double *const torque = internal + 3 * ((int64_t)system->shape.contact_count + i);
  const double *const g = system->shape.elliptic ? system->squeeze + 3 * (int64_t)i : NULL;
  const double square = g != NULL ? g[0] * g[0] + g[1] * g[1] + g[2] * g[2] : 0;
  const double along = g != NULL ? g[0] * x[0] + g[1] * x[1] + g[2] * x[2] : 0;
  for (int c = 0; c < 3; c++) {
    x[c] += g != NULL ? along / (1 - square) * g[c] : 0;
    torque[c] = assembly->dimension == 6 ? unit * given[3 + c] : 0;
  }
}

static void wrench_export(const tl_assembly *assembly, int32_t i, const double *internal,
                          double unit, double *given) {
  const tl_system *const system = &assembly->system;
  const double *const x = internal + 3 * (int64_t)i;
  const double *const torque = internal + 3 * ((int64_t)system->shape.contact_count + i);
  const double *const g = system->shape.elliptic ? system->squeeze + 3 * (int64_t)i : NULL;
  const double along = g != NULL ? g[0] * x[0] + g[1] * x[1] + g[2] * x[2] : 0;
  for (int c = 0; c < 3; c++) {
    given[c] = unit * (g != NULL ? x[c] - along * g[c] : x[c]);
    if (assembly->dimension == 6) {
      given[3 + c] = unit * torque[c];
    }
  }
}

/* Constraints of which the loops below go by several threads. */
typedef struct impulse_task {
  const tl_assembly *assembly;
  double *impulse, *bilateral; /* the caller's */
  double *internal;
} impulse_task;

static void impulses_each(talus_context *context, tl_each_body *part, impulse_task *task) {
  const int32_t count = task->assembly->system.shape.contact_count;
  tl_each(context, count > TL_CHUNK ? task->assembly->threads : 1, count, part, task);
}

/* The impulse of a contact into the engine's frame. */
static void contact_import(const tl_assembly *assembly, int32_t k, const double *given, double unit,
                           double *x) {
  for (int32_t j = 0; j < assembly->dimension && j < 3; j++) {
    if (assembly->frame != NULL) {
      const double *const axis = assembly->frame + 9 * (int64_t)k + 3 * j;
      for (int c = 0; c < 3; c++) {
        x[c] += unit * given[j] * axis[c];
      }
    } else {
      x[j] = unit * given[j];
    }
  }
}

static void import_part(void *arguments, int64_t first, int64_t end) {
  const impulse_task *const t = arguments;
  const tl_assembly *const assembly = t->assembly;
  const double unit = 1 / assembly->impulse_unit;
  for (int32_t i = (int32_t)first; i < end; i++) {
    const int32_t k = assembly->system.order[i];
    double *const x = t->internal + 3 * (int64_t)i;
    x[0] = x[1] = x[2] = 0;
    if (k >= assembly->contact_count) {
      x[0] = t->bilateral != NULL ? unit * t->bilateral[k - assembly->contact_count] : 0;
      x[0] = row_inside(assembly, i, x[0]);
      continue;
    }
    const double *const given = t->impulse + (int64_t)assembly->dimension * k;
    contact_import(assembly, k, given, unit, x);
    if (assembly->system.shape.torque_count > 0) {
      wrench_import(assembly, i, given, unit, t->internal);
    }
  }
}

void tl_impulse_import(talus_context *context, const tl_assembly *assembly, const double *impulse,
                       const double *bilateral, double *internal) {
  impulse_task task = {assembly, (double *)impulse, (double *)bilateral, internal};
  impulses_each(context, import_part, &task);
}

/* The impulse of a contact into the caller's frame. */
static void contact_export(const tl_assembly *assembly, int32_t k, const double *x, double unit,
                           double *given) {
  for (int32_t j = 0; j < assembly->dimension; j++) {
    if (assembly->frame != NULL) {
      const double *const axis = assembly->frame + 9 * (int64_t)k + 3 * j;
      given[j] = unit * (x[0] * axis[0] + x[1] * axis[1] + x[2] * axis[2]);
    } else {
      given[j] = unit * x[j];
    }
  }
}

static void export_part(void *arguments, int64_t first, int64_t end) {
  const impulse_task *const t = arguments;
  const tl_assembly *const assembly = t->assembly;
  const double unit = assembly->impulse_unit;
  for (int32_t i = (int32_t)first; i < end; i++) {
    const int32_t k = assembly->system.order[i];
    const double *const x = t->internal + 3 * (int64_t)i;
    if (k >= assembly->contact_count) {
      if (t->bilateral != NULL) {
        t->bilateral[k - assembly->contact_count] = unit * row_inside(assembly, i, x[0]);
      }
      continue;
    }
    double *const given = t->impulse + (int64_t)assembly->dimension * k;
    if (assembly->system.shape.torque_count > 0) {
      wrench_export(assembly, i, t->internal, unit, given);
    } else {
      contact_export(assembly, k, x, unit, given);
    }
  }
}

void tl_impulse_export(talus_context *context, const tl_assembly *assembly, const double *internal,
                       double *impulse, double *bilateral) {
  impulse_task task = {assembly, impulse, bilateral, (double *)internal};
  impulses_each(context, export_part, &task);
}
