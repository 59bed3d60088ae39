/* problem_check.c: validation of a caller's problem, form by form.
 *
 * Checks what would make a solver read outside an array, divide by zero or return nonsense. What
 * only a factorisation can tell (M positive definite, W_kk) is checked where it is computed. */
#include "host/problem/problem_check.h"

#include <math.h>
#include <string.h>

#include "kernels/item/rigid.h"

/* Counts whose products with small factors must fit in 32 bits as array positions. */
/* The second: a velocity array has eight numbers of each body, counted in 32 bits. */
enum { COUNT_MAX = 1 << 29, BODIES_MAX = (1 << 28) - 2 };

static talus_status need(talus_context *context, const void *array, int64_t count,
                         const char *name) {
  if (count > 0 && array == NULL) {
    return tl_fail(context, TALUS_MISSING_ARRAY, "%s is NULL, but %lld values are needed", name,
                   (long long)count);
  }
  return TALUS_OK;
}

/* By exponents, without a branch: adding one to the largest reaches the sign. */
static bool all_finite(const double *array, int64_t count) {
  const uint64_t exponent = UINT64_C(0x7ff) << 52, one = UINT64_C(1) << 52;
  uint64_t any = 0;
  for (int64_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &array[i], sizeof bits);
    any |= (bits & exponent) + one;
  }
  return any >> 63 == 0;
}

/* An array of finite numbers; optional ones may be NULL. */
static talus_status finite(talus_context *context, const double *array, int64_t count,
                           const char *name) {
  if (array == NULL || all_finite(array, count)) {
    return TALUS_OK;
  }
  for (int64_t i = 0; i < count; i++) {
    if (!isfinite(array[i])) {
      return tl_fail(context, TALUS_NOT_FINITE, "%s[%lld] is %g", name, (long long)i, array[i]);
    }
  }
  return TALUS_OK;
}

static talus_status need_finite(talus_context *context, const double *array, int64_t count,
                                const char *name) {
  TL_TRY(need(context, array, count, name));
  return finite(context, array, count, name);
}

/* Bounds of the bilateral rows' impulses: infinite ones are none. */
static talus_status bounds_check(talus_context *context, const talus_problem *problem) {
  for (int32_t r = 0; r < problem->bilateral_count; r++) {
    const double lower = problem->row_lower != NULL ? problem->row_lower[r] : -INFINITY;
    const double upper = problem->row_upper != NULL ? problem->row_upper[r] : INFINITY;
    if (isnan(lower) || lower == INFINITY) {
      return tl_fail(context, TALUS_BAD_BOUNDS,
                     "problem.row_lower[%d] is %g: a number or -INFINITY is needed", r, lower);
    }
    if (isnan(upper) || upper == -INFINITY) {
      return tl_fail(context, TALUS_BAD_BOUNDS,
                     "problem.row_upper[%d] is %g: a number or INFINITY is needed", r, upper);
    }
    if (lower > upper) {
      return tl_fail(context, TALUS_BAD_BOUNDS,
                     "problem.row_lower[%d] is %g, above problem.row_upper[%d], which is %g", r,
                     lower, r, upper);
    }
  }
  return TALUS_OK;
}

static talus_status compliance_check(talus_context *context, const double *array, int64_t count,
                                     const char *name) {
  TL_TRY(finite(context, array, count, name));
  for (int64_t i = 0; array != NULL && i < count; i++) {
    if (array[i] < 0) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT,
                     "%s[%lld] is %g: a compliance is 0 (rigid) or positive", name, (long long)i,
                     array[i]);
    }
  }
  return TALUS_OK;
}

static talus_status compliances_check(talus_context *context, const talus_problem *problem) {
  const int64_t contacts = problem->contact_count, rows = problem->bilateral_count;
  TL_TRY(compliance_check(context, problem->compliance, 2 * contacts, "problem.compliance"));
  TL_TRY(finite(context, problem->target_impulse, problem->dimension * contacts,
                "problem.target_impulse"));
  TL_TRY(compliance_check(context, problem->row_compliance, rows, "problem.row_compliance"));
  return finite(context, problem->row_target_impulse, rows, "problem.row_target_impulse");
}

static talus_status in_range(talus_context *context, const int32_t *index, int64_t count,
                             int32_t low, int32_t high, const char *name) {
  TL_TRY(need(context, index, count, name));
  for (int64_t i = 0; i < count; i++) {
    if (index[i] < low || index[i] >= high) {
      return tl_fail(context, TALUS_INDEX_RANGE, "%s[%lld] is %d, outside %d .. %d", name,
                     (long long)i, index[i], low, high - 1);
    }
  }
  return TALUS_OK;
}

static talus_status count_check_to(talus_context *context, int64_t count, int32_t most,
                                   const char *name) {
  if (count < 0 || count > most) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "%s is %lld, outside 0 .. %d", name,
                   (long long)count, most);
  }
  return TALUS_OK;
}

static talus_status count_check(talus_context *context, int64_t count, const char *name) {
  return count_check_to(context, count, COUNT_MAX, name);
}

/* Offsets that start at 0 and never fall. */
static talus_status offsets_check(talus_context *context, const int64_t *start, int64_t count,
                                  const char *name) {
  TL_TRY(need(context, start, count + 1, name));
  for (int64_t i = 0; i <= count; i++) {
    if (i == 0 ? start[0] != 0 : start[i] < start[i - 1]) {
      return tl_fail(context, TALUS_INDEX_RANGE, "%s[%lld] is %lld: offsets begin at 0 and rise",
                     name, (long long)i, (long long)start[i]);
    }
  }
  if (start[count] > INT32_MAX) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "%s ends at %lld entries: too many", name,
                   (long long)start[count]);
  }
  return TALUS_OK;
}

static talus_status bodies_check(talus_context *context, const talus_rigid *rigid) {
  const int64_t count = rigid->body_count;
  TL_TRY(count_check_to(context, count, BODIES_MAX, "rigid.body_count"));
  TL_TRY(need_finite(context, rigid->velocity, 6 * count, "rigid.velocity"));
  TL_TRY(need_finite(context, rigid->inverse_mass, count, "rigid.inverse_mass"));
  TL_TRY(need_finite(context, rigid->inverse_inertia, 6 * count, "rigid.inverse_inertia"));
  for (int64_t i = 0; i < count; i++) {
    if (rigid->inverse_mass[i] < 0) {
      return tl_fail(context, TALUS_NEGATIVE_MASS, "rigid.inverse_mass[%lld] is %g: negative",
                     (long long)i, rigid->inverse_mass[i]);
    }
    if (!tl_rigid_inertia_good(rigid->inverse_inertia + 6 * i)) {
      return tl_fail(context, TALUS_NEGATIVE_MASS,
                     "rigid.inverse_inertia of body %lld is not positive semidefinite",
                     (long long)i);
    }
  }
  return TALUS_OK;
}

static talus_status pair_check(talus_context *context, const talus_rigid *rigid,
                               const int32_t *body_a, const int32_t *body_b, int32_t count,
                               const char *what) {
  for (int32_t k = 0; k < count; k++) {
    const int32_t a = body_a[k], b = body_b[k];
    if (a == b && a >= 0) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT, "%s %d joins body %d with itself", what, k,
                     a);
    }
    if (!tl_rigid_moves(rigid, a) && !tl_rigid_moves(rigid, b)) {
      return tl_fail(context, TALUS_IMMOVABLE_PAIR,
                     "%s %d is between bodies %d and %d, neither of which can move", what, k, a, b);
    }
  }
  return TALUS_OK;
}

static talus_status arms_check(talus_context *context, const talus_rigid *rigid, int64_t count) {
  const bool reaches = rigid->reach_a != NULL || rigid->reach_b != NULL;
  const bool arms = rigid->arm_a != NULL || rigid->arm_b != NULL;
  if (count > 0 && reaches == arms) {
    return tl_fail(context, TALUS_MISSING_ARRAY,
                   "give both rigid.reach_a and reach_b, or both rigid.arm_a and arm_b (%s given)",
                   reaches ? "both kinds are" : "none is");
  }
  if (reaches) {
    TL_TRY(need_finite(context, rigid->reach_a, count, "rigid.reach_a"));
    return need_finite(context, rigid->reach_b, count, "rigid.reach_b");
  }
  TL_TRY(need_finite(context, rigid->arm_a, 3 * count, "rigid.arm_a"));
  return need_finite(context, rigid->arm_b, 3 * count, "rigid.arm_b");
}

static talus_status rigid_check(talus_context *context, const talus_problem *problem) {
  const talus_rigid *rigid = &problem->rigid;
  const int64_t count = problem->contact_count, rows = problem->bilateral_count;
  if (problem->dimension != 3 && problem->dimension != 6) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "form RIGID has dimension 3 or 6, not %d",
                   problem->dimension);
  }
  TL_TRY(bodies_check(context, rigid));
  TL_TRY(in_range(context, rigid->body_a, count, -1, rigid->body_count, "rigid.body_a"));
  TL_TRY(in_range(context, rigid->body_b, count, -1, rigid->body_count, "rigid.body_b"));
  TL_TRY(
      pair_check(context, rigid, rigid->body_a, rigid->body_b, problem->contact_count, "contact"));
  TL_TRY(need_finite(context, rigid->normal, 3 * count, "rigid.normal"));
  for (int64_t k = 0; k < count; k++) {
    const double *n = rigid->normal + 3 * k;
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!tl_rigid_unit(length)) {
      return tl_fail(context, TALUS_NORMAL_LENGTH,
                     "rigid.normal of contact %lld has length %.9g, not 1", (long long)k, length);
    }
  }
  TL_TRY(arms_check(context, rigid, count));
  TL_TRY(finite(context, rigid->bias, count, "rigid.bias"));
  TL_TRY(finite(context, rigid->surface_velocity, 3 * count, "rigid.surface_velocity"));
  TL_TRY(in_range(context, rigid->row_body_a, rows, -1, rigid->body_count, "rigid.row_body_a"));
  TL_TRY(in_range(context, rigid->row_body_b, rows, -1, rigid->body_count, "rigid.row_body_b"));
  TL_TRY(pair_check(context, rigid, rigid->row_body_a, rigid->row_body_b, problem->bilateral_count,
                    "bilateral row"));
  TL_TRY(need_finite(context, rigid->row_jacobian, 12 * rows, "rigid.row_jacobian"));
  return finite(context, rigid->row_bias, rows, "rigid.row_bias");
}

/* Entries of contacts or rows of form (b): offsets, block numbers, Jacobians. */
static talus_status entries_check(talus_context *context, const talus_blocks *blocks,
                                  const int64_t *start, const int32_t *block,
                                  const double *jacobian, int64_t count, int32_t rows,
                                  const char *names[3]) {
  TL_TRY(offsets_check(context, start, count, names[0]));
  TL_TRY(in_range(context, block, start[count], 0, blocks->block_count, names[1]));
  int64_t reals = 0;
  for (int64_t e = 0; e < start[count]; e++) {
    reals += (int64_t)rows * blocks->block_size[block[e]];
  }
  for (int64_t k = 0; k < count; k++) {
    if (start[k] == start[k + 1]) {
      return tl_fail(context, TALUS_IMMOVABLE_PAIR, "%s: contact or row %lld has no block",
                     names[0], (long long)k);
    }
    for (int64_t e = start[k]; e < start[k + 1]; e++) {
      for (int64_t f = start[k]; f < e; f++) {
        if (block[e] == block[f]) {
          return tl_fail(context, TALUS_INVALID_ARGUMENT,
                         "%s[%lld]: block %d occurs twice in one "
                         "contact or row",
                         names[1], (long long)e, block[e]);
        }
      }
    }
  }
  return need_finite(context, jacobian, reals, names[2]);
}

/* M^-1 of each block is symmetric, up to rounding. */
static talus_status symmetry_check(talus_context *context, const talus_blocks *blocks) {
  const double *m = blocks->inverse_mass;
  for (int32_t i = 0; i < blocks->block_count; i++) {
    const int64_t size = blocks->block_size[i];
    for (int64_t r = 0; r < size; r++) {
      for (int64_t c = 0; c < r; c++) {
        const double a = m[r * size + c], b = m[c * size + r];
        const double scale = fmax(fabs(m[r * size + r]), fabs(m[c * size + c]));
        if (fabs(a - b) > 1e-6 * scale) {
          return tl_fail(context, TALUS_INVALID_ARGUMENT,
                         "blocks.inverse_mass of block %d is not symmetric: row %lld column %lld "
                         "is %g, the other way round %g",
                         i, (long long)r, (long long)c, a, b);
        }
      }
    }
    m += size * size;
  }
  return TALUS_OK;
}

static talus_status blocks_check(talus_context *context, const talus_problem *problem) {
  const talus_blocks *blocks = &problem->blocks;
  TL_TRY(count_check(context, blocks->block_count, "blocks.block_count"));
  TL_TRY(need(context, blocks->block_size, blocks->block_count, "blocks.block_size"));
  int64_t columns = 0, reals = 0;
  for (int32_t i = 0; i < blocks->block_count; i++) {
    const int64_t size = blocks->block_size[i];
    if (size < 1 || size > 100000) {
      return tl_fail(context, TALUS_SIZE_OVERFLOW,
                     "blocks.block_size[%d] is %lld, outside 1 .. "
                     "100000",
                     i, (long long)size);
    }
    columns += size;
    reals += size * size;
  }
  TL_TRY(count_check(context, columns, "the sum of blocks.block_size"));
  TL_TRY(need_finite(context, blocks->inverse_mass, reals, "blocks.inverse_mass"));
  TL_TRY(symmetry_check(context, blocks));
  TL_TRY(need_finite(context, blocks->velocity, columns, "blocks.velocity"));
  const char *contact[3] = {"blocks.contact_start", "blocks.contact_block",
                            "blocks.contact_jacobian"};
  if (problem->contact_count > 0) {
    TL_TRY(entries_check(context, blocks, blocks->contact_start, blocks->contact_block,
                         blocks->contact_jacobian, problem->contact_count, problem->dimension,
                         contact));
  }
  TL_TRY(finite(context, blocks->bias, (int64_t)problem->dimension * problem->contact_count,
                "blocks.bias"));
  if (problem->bilateral_count > 0) {
    const char *row[3] = {"blocks.bilateral_start", "blocks.bilateral_block",
                          "blocks.bilateral_jacobian"};
    TL_TRY(entries_check(context, blocks, blocks->bilateral_start, blocks->bilateral_block,
                         blocks->bilateral_jacobian, problem->bilateral_count, 1, row));
  }
  return finite(context, blocks->bilateral_bias, problem->bilateral_count, "blocks.bilateral_bias");
}

/* A matrix and its arrays, as messages call them. */
typedef struct matrix_name {
  const char *whole, *start, *index, *index2, *value;
} matrix_name;
#define MATRIX_NAME(text) \
  { text, text ".start", text ".index", text ".index2", text ".value" }
static const matrix_name name_w = MATRIX_NAME("delassus.w"), name_mass = MATRIX_NAME("global.mass"),
                         name_h = MATRIX_NAME("global.h"), name_g = MATRIX_NAME("global.g");

static talus_status lines_check(talus_context *context, const talus_matrix *matrix,
                                const matrix_name *name) {
  const bool by_row = matrix->storage == TALUS_STORAGE_CSR;
  const int32_t lines = by_row ? matrix->rows : matrix->columns;
  TL_TRY(offsets_check(context, matrix->start, lines, name->start));
  if (matrix->start[lines] != matrix->count) {
    return tl_fail(context, TALUS_MATRIX_FORMAT, "%s ends at %lld, but count is %lld", name->start,
                   (long long)matrix->start[lines], (long long)matrix->count);
  }
  return in_range(context, matrix->index, matrix->count, 0, by_row ? matrix->columns : matrix->rows,
                  name->index);
}

static talus_status matrix_check(talus_context *context, const talus_matrix *matrix, int64_t rows,
                                 int64_t columns, const matrix_name *name) {
  if (matrix->rows != rows || matrix->columns != columns) {
    return tl_fail(context, TALUS_MATRIX_FORMAT, "%s is %d x %d, but must be %lld x %lld",
                   name->whole, matrix->rows, matrix->columns, (long long)rows, (long long)columns);
  }
  if (matrix->count == 0 && (rows == 0 || columns == 0)) {
    return TALUS_OK; /* nothing is read from it, however it is stored */
  }
  if (matrix->count < 0 || matrix->count > ((int64_t)1 << 40)) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "%s.count is %lld", name->whole,
                   (long long)matrix->count);
  }
  TL_TRY(need(context, matrix->value, matrix->count, name->value));
  if (matrix->storage == TALUS_STORAGE_DENSE) {
    if (matrix->count != rows * columns) {
      return tl_fail(context, TALUS_MATRIX_FORMAT, "%s is dense, %lld x %lld, but count is %lld",
                     name->whole, (long long)rows, (long long)columns, (long long)matrix->count);
    }
  } else if (matrix->storage == TALUS_STORAGE_TRIPLET) {
    TL_TRY(in_range(context, matrix->index, matrix->count, 0, matrix->rows, name->index));
    TL_TRY(in_range(context, matrix->index2, matrix->count, 0, matrix->columns, name->index2));
  } else if (matrix->storage == TALUS_STORAGE_CSC || matrix->storage == TALUS_STORAGE_CSR) {
    TL_TRY(lines_check(context, matrix, name));
  } else {
    return tl_fail(context, TALUS_MATRIX_FORMAT, "%s has the unknown storage %d", name->whole,
                   (int)matrix->storage);
  }
  return finite(context, matrix->value, matrix->count, name->value);
}

static talus_status delassus_check(talus_context *context, const talus_problem *problem) {
  const int64_t rows =
      (int64_t)problem->dimension * problem->contact_count + problem->bilateral_count;
  TL_TRY(matrix_check(context, &problem->delassus.w, rows, rows, &name_w));
  return need_finite(context, problem->delassus.q, rows, "delassus.q");
}

static talus_status global_check(talus_context *context, const talus_problem *problem) {
  const talus_global *global = &problem->global;
  const int64_t size = global->mass.rows;
  const int64_t contact_rows = (int64_t)problem->dimension * problem->contact_count;
  TL_TRY(count_check(context, size, "global.mass.rows"));
  TL_TRY(matrix_check(context, &global->mass, size, size, &name_mass));
  TL_TRY(matrix_check(context, &global->h, size, contact_rows, &name_h));
  if (problem->bilateral_count > 0) {
    TL_TRY(matrix_check(context, &global->g, size, problem->bilateral_count, &name_g));
  }
  TL_TRY(need_finite(context, global->f, size, "global.f"));
  TL_TRY(need_finite(context, global->w, contact_rows, "global.w"));
  return finite(context, global->b, problem->bilateral_count, "global.b");
}

bool tl_problem_bounded(const talus_problem *problem) {
  for (int32_t r = 0; r < problem->bilateral_count; r++) {
    if ((problem->row_lower != NULL && isfinite(problem->row_lower[r])) ||
        (problem->row_upper != NULL && isfinite(problem->row_upper[r]))) {
      return true;
    }
  }
  return false;
}

static bool any_positive(const double *array, int64_t count) {
  for (int64_t i = 0; array != NULL && i < count; i++) {
    if (array[i] > 0) {
      return true;
    }
  }
  return false;
}

bool tl_problem_compliant(const talus_problem *problem) {
  return any_positive(problem->compliance, 2 * (int64_t)problem->contact_count) ||
         any_positive(problem->row_compliance, problem->bilateral_count);
}

tl_yielding tl_problem_yielding(const talus_problem *problem, int32_t constraint) {
  const int64_t contacts = problem->contact_count, k = constraint, row = k - contacts;
  const int32_t dimension = problem->dimension;
  tl_yielding c = {0, 0, {0, 0, 0}};
  if (k >= contacts) {
    c.normal = problem->row_compliance != NULL ? problem->row_compliance[row] : 0;
    c.target[0] = problem->row_target_impulse != NULL ? problem->row_target_impulse[row] : 0;
    return c;
  }
  c.normal = problem->compliance != NULL ? problem->compliance[2 * k] : 0;
  c.tangential = problem->compliance != NULL && dimension > 1 ? problem->compliance[2 * k + 1] : 0;
  for (int32_t i = 0; problem->target_impulse != NULL && i < dimension && i < 3; i++) {
    c.target[i] = problem->target_impulse[dimension * k + i];
  }
  return c;
}

bool tl_problem_wrenches(const talus_problem *problem) {
  return problem->dimension == 6 || problem->cross_friction != NULL;
}

/* The unit vectors along and across the direction of friction; 0 if there is none. */
static bool directions_of(const talus_problem *problem, int32_t k, double *along, double *across) {
  if (problem->form != TALUS_FORM_RIGID) {
    along[0] = along[2] = across[0] = across[1] = 0;
    along[1] = across[2] = 1;
    return true;
  }
  const double *const n = problem->rigid.normal + 3 * (int64_t)k;
  const double *const d = problem->friction_direction + 3 * (int64_t)k;
  const double part = n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
  double square = 0, size = 0;
  for (int i = 0; i < 3; i++) {
    along[i] = d[i] - part * n[i];
    square += along[i] * along[i];
    size += d[i] * d[i];
  }
  for (int i = 0; i < 3; i++) {
    along[i] /= sqrt(square);
  }
  across[0] = n[1] * along[2] - n[2] * along[1];
  across[1] = n[2] * along[0] - n[0] * along[2];
  across[2] = n[0] * along[1] - n[1] * along[0];
  return square > 1e-12 * size;
}

tl_ellipse tl_problem_ellipse(const talus_problem *problem, int32_t k) {
  const double first = problem->friction != NULL ? problem->friction[k] : 0;
  tl_ellipse e = {first, {0, 0, 0}};
  const double second = problem->cross_friction != NULL ? problem->cross_friction[k] : first;
  double along[3], across[3];
  if (second == first || !directions_of(problem, k, along, across)) {
    return e;
  }
  e.friction = fmax(first, second);
  const double g = sqrt(1 - fmin(first, second) / e.friction);
  for (int i = 0; i < 3; i++) {
    e.squeeze[i] = g * (first > second ? across[i] : along[i]);
  }
  return e;
}

static talus_status friction_check(talus_context *context, const double *friction, int64_t count,
                                   const char *name, const char *instead) {
  TL_TRY(finite(context, friction, count, name));
  for (int64_t k = 0; friction != NULL && k < count; k++) {
    if (friction[k] < 0) {
      return tl_fail(context, TALUS_NEGATIVE_FRICTION, "%s[%lld] is %g", name, (long long)k,
                     friction[k]);
    }
    if (friction[k] > TL_FRICTION_MOST) {
      return tl_fail(context, TALUS_NEGATIVE_FRICTION, "%s[%lld] is %g, above %g: %s", name,
                     (long long)k, friction[k], TL_FRICTION_MOST, instead);
    }
  }
  return TALUS_OK;
}

/* Six rows and elliptic cones. */
static talus_status wrenches_check(talus_context *context, const talus_problem *problem) {
  if (tl_problem_wrenches(problem) && problem->form == TALUS_FORM_DELASSUS) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "contacts of six rows and elliptic cones (problem.%s) are for forms RIGID, "
                   "BLOCKS and GLOBAL: give the bodies, their Jacobian blocks, or M and H",
                   problem->dimension == 6 ? "dimension 6" : "cross_friction");
  }
  if ((problem->dimension == 6) != (problem->torque_friction != NULL) &&
      problem->contact_count > 0) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "problem.torque_friction goes with dimension 6, which is %d",
                   problem->dimension);
  }
  return friction_check(context, problem->torque_friction, 2 * (int64_t)problem->contact_count,
                        "problem.torque_friction", "lengths, of the size of the bodies at most");
}

/* After the form's own arrays. */
static talus_status ellipses_check(talus_context *context, const talus_problem *problem) {
  const double *const cross = problem->cross_friction;
  const int64_t count = problem->contact_count;
  if (cross == NULL || count == 0) {
    return TALUS_OK;
  }
  TL_TRY(friction_check(context, cross, count, "problem.cross_friction", "no cone is as wide"));
  if (problem->dimension < 3 || problem->friction == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "problem.cross_friction goes with friction and dimension 3 or 6");
  }
  const bool rigid = problem->form == TALUS_FORM_RIGID;
  if (rigid) {
    TL_TRY(
        need_finite(context, problem->friction_direction, 3 * count, "problem.friction_direction"));
  }
  for (int32_t k = 0; k < count; k++) {
    double along[3], across[3];
    if ((cross[k] > 0) != (problem->friction[k] > 0)) {
      return tl_fail(context, TALUS_NEGATIVE_FRICTION,
                     "problem.cross_friction[%d] is %g and friction[%d] %g: an ellipse has two "
                     "positive axes, a contact without friction none",
                     k, cross[k], k, problem->friction[k]);
    }
    if (cross[k] != problem->friction[k] && !directions_of(problem, k, along, across)) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT,
                     "problem.friction_direction of contact %d has no part across the normal", k);
    }
  }
  return TALUS_OK;
}

static talus_status asleep_check(talus_context *context, const talus_problem *problem,
                                 int32_t count) {
  for (int32_t i = 0; problem->asleep != NULL && i < count; i++) {
    if ((uint32_t)problem->asleep[i] > 1) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT,
                     "problem.asleep[%d] is %d: 0 is awake, 1 asleep", i, problem->asleep[i]);
    }
  }
  return TALUS_OK;
}

static talus_status bricks_check(talus_context *context, const talus_problem *problem) {
  if (!(problem->brick_size >= 0) || !isfinite(problem->brick_size)) {
    return tl_fail(context, TALUS_NOT_FINITE,
                   "problem.brick_size is %g: it must be a length, or 0 for no bricks",
                   problem->brick_size);
  }
  if (problem->brick_size > 0 && problem->form != TALUS_FORM_RIGID) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "problem.brick_size is for form RIGID: bodies of others have no positions");
  }
  if (problem->brick_size > 0 && problem->positions == NULL && problem->rigid.body_count > 0) {
    return tl_fail(context, TALUS_MISSING_ARRAY,
                   "problem.brick_size is %g and problem.positions NULL: bricks need them",
                   problem->brick_size);
  }
  return TALUS_OK;
}

talus_status tl_problem_check(talus_context *context, const talus_problem *problem) {
  if ((problem->dimension < 1 || problem->dimension > 3) && problem->dimension != 6) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "problem.dimension is %d: 1, 2, 3, or 6 with torques", problem->dimension);
  }
  TL_TRY(count_check(context, problem->contact_count, "problem.contact_count"));
  TL_TRY(count_check(context, problem->bilateral_count, "problem.bilateral_count"));
  TL_TRY(count_check(context,
                     (int64_t)(problem->dimension == 6 ? 6 : 3) * problem->contact_count +
                         3 * (int64_t)problem->bilateral_count,
                     "three times contacts and bilateral rows, contacts of six rows twice"));
  TL_TRY(friction_check(
      context, problem->friction, problem->contact_count, "problem.friction",
      "a contact that never slides has no more than 10, or is three bilateral rows"));
  TL_TRY(wrenches_check(context, problem));
  TL_TRY(bounds_check(context, problem));
  TL_TRY(compliances_check(context, problem));
  if (!(problem->velocity_scale >= 0) || !isfinite(problem->velocity_scale)) {
    return tl_fail(context, TALUS_NOT_FINITE,
                   "problem.velocity_scale is %g: it must be a speed, or 0 for none",
                   problem->velocity_scale);
  }
  TL_TRY(bricks_check(context, problem));
  if (problem->asleep != NULL && problem->form != TALUS_FORM_RIGID &&
      problem->form != TALUS_FORM_BLOCKS) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "problem.asleep is for forms RIGID and BLOCKS: this one has no bodies");
  }
  switch (problem->form) {
  case TALUS_FORM_RIGID:
    TL_TRY(rigid_check(context, problem));
    TL_TRY(ellipses_check(context, problem));
    if (problem->brick_size > 0) {
      TL_TRY(finite(context, problem->positions, 3 * (int64_t)problem->rigid.body_count,
                    "problem.positions"));
    }
    return asleep_check(context, problem, problem->rigid.body_count);
  case TALUS_FORM_BLOCKS:
    TL_TRY(blocks_check(context, problem));
    TL_TRY(ellipses_check(context, problem));
    return asleep_check(context, problem, problem->blocks.block_count);
  case TALUS_FORM_DELASSUS:
    return delassus_check(context, problem);
  case TALUS_FORM_GLOBAL:
    TL_TRY(global_check(context, problem));
    return ellipses_check(context, problem);
  }
  return tl_fail(context, TALUS_INVALID_ARGUMENT, "problem.form %d is unknown", (int)problem->form);
}
