/* fuzz_problem.c: bytes as a problem of any form with any settings and layout: checked, solved,
 * judged.
 *
 * Arrays are as long as the problem says, since nobody can know better; everything in them may lie.
 * Promises: only known statuses; finite impulses after OK, no worse than none on a round cone; a
 * converged solve is within its tolerance by the certificate; what was refused cannot be solved; a
 * batch has the statuses and bits of calls. */
#include <math.h>
#include <string.h>

#include "talus/talus_solve.h"
#include "tests/fuzz/fuzz.h"

enum { BODIES = 6, CONTACTS = 8, ROWS = 4, BLOCK = 4, ENTRIES = 40, ITERATIONS = 60 };

/* An array, now and then missing. */
static double *numbers(fuzz_input *in, int64_t count) {
  double *const list = fuzz_numbers(in, count);
  return fuzz_byte(in) == 255 ? NULL : list;
}

static int32_t *indices(fuzz_input *in, int64_t count, int64_t low, int64_t high) {
  int32_t *const list = fuzz_integers(in, count, low, high);
  return fuzz_byte(in) == 255 ? NULL : list;
}

/* Offsets that mostly rise by 0 .. most, and may fall or be impossibly large; *end is the largest
 * possible one, which the arrays behind them hold. (A possible one that they do not hold is a lie
 * that nobody can tell.) */
static int64_t *offsets(fuzz_input *in, int64_t count, int32_t most, int64_t *end) {
  int64_t *const list = fuzz_array(in, (size_t)count + 1, sizeof *list);
  int64_t place = 0;
  *end = 0;
  for (int64_t i = 0; i <= count; i++) {
    place = place > ENTRIES && place <= INT32_MAX ? ENTRIES : place;
    list[i] = place;
    *end = place > *end && place <= ENTRIES ? place : *end;
    place = fuzz_byte(in) == 255 ? fuzz_integer(in, 0, ENTRIES) : place + fuzz_below(in, most + 1);
  }
  return list;
}

/* ---- form (a) -------------------------------------------------------------------------------- */

static void straighten(double *normal, int32_t count) {
  for (int32_t k = 0; k < count; k++) {
    double *const n = normal + 3 * k;
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int c = 0; c < 3 && length > 0 && isfinite(length); c++) {
      n[c] /= length;
    }
  }
}

static void sensible_bodies(double *mass, double *inertia, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    mass[i] = fabs(mass[i]);
    for (int c = 0; c < 6; c++) {
      const int diagonal = c == 0 || c == 3 || c == 5;
      inertia[6 * i + c] = diagonal ? 3 * fabs(inertia[6 * i + c]) : 0.2 * inertia[6 * i + c];
    }
  }
}

static void make_rigid(fuzz_input *in, talus_problem *p) {
  talus_rigid *const r = &p->rigid;
  const int32_t bodies = fuzz_below(in, BODIES + 1), contacts = p->contact_count;
  const int sensible = fuzz_below(in, 8) != 0, reaches = fuzz_below(in, 2);
  r->body_count = bodies;
  r->velocity = numbers(in, 6 * bodies);
  double *const mass = fuzz_numbers(in, bodies), *const inertia = fuzz_numbers(in, 6 * bodies);
  double *const normal = fuzz_numbers(in, 3 * contacts);
  if (sensible) {
    sensible_bodies(mass, inertia, bodies);
    straighten(normal, contacts);
  }
  r->inverse_mass = mass;
  r->inverse_inertia = inertia;
  r->normal = normal;
  r->body_a = indices(in, contacts, -1, bodies - 1);
  r->body_b = indices(in, contacts, -1, bodies - 1);
  r->reach_a = reaches ? numbers(in, contacts) : NULL;
  r->reach_b = reaches ? numbers(in, contacts) : NULL;
  r->arm_a = reaches ? NULL : numbers(in, 3 * contacts);
  r->arm_b = reaches ? NULL : numbers(in, 3 * contacts);
  r->bias = numbers(in, contacts);
  r->surface_velocity = fuzz_below(in, 4) == 0 ? numbers(in, 3 * contacts) : NULL;
  r->row_body_a = indices(in, p->bilateral_count, -1, bodies - 1);
  r->row_body_b = indices(in, p->bilateral_count, -1, bodies - 1);
  r->row_jacobian = numbers(in, 12 * p->bilateral_count);
  r->row_bias = numbers(in, p->bilateral_count);
}

/* ---- form (b) -------------------------------------------------------------------------------- */

static int64_t sum_of(const int32_t *size, int32_t count, int square) {
  int64_t sum = 0;
  for (int32_t i = 0; i < count; i++) {
    sum += square ? size[i] * size[i] : size[i];
  }
  return sum;
}

static double *block_masses(fuzz_input *in, const int32_t *size, int32_t count) {
  double *const list = fuzz_numbers(in, sum_of(size, count, 1));
  double *m = list;
  if (fuzz_below(in, 8) == 0) {
    return list;
  }
  for (int32_t i = 0; i < count; m += size[i] * size[i], i++) {
    for (int32_t r = 0; r < size[i]; r++) {
      for (int32_t c = 0; c <= r; c++) {
        double *const entry = &m[r * size[i] + c];
        *entry = r == c ? fabs(*entry) : 0.1 * *entry;
        m[c * size[i] + r] = *entry;
      }
    }
  }
  return list;
}

/* Jacobians as long as valid block numbers make them. */
static double *jacobians(fuzz_input *in, const talus_blocks *b, const int32_t *block, int64_t count,
                         int32_t rows) {
  int64_t reals = 0;
  for (int64_t e = 0; e < count; e++) {
    reals += block[e] >= 0 && block[e] < b->block_count ? rows * b->block_size[block[e]] : 0;
  }
  return numbers(in, reals);
}

static void make_blocks(fuzz_input *in, talus_problem *p) {
  talus_blocks *const b = &p->blocks;
  int64_t entries, row_entries;
  const int32_t blocks = fuzz_below(in, BODIES + 1);
  int32_t *const size = fuzz_array(in, (size_t)blocks, sizeof *size);
  for (int32_t i = 0; i < blocks; i++) {
    size[i] = 1 + fuzz_below(in, BLOCK);
  }
  b->block_count = blocks;
  b->block_size = size;
  b->inverse_mass = block_masses(in, size, blocks);
  b->velocity = numbers(in, sum_of(size, blocks, 0));
  b->contact_start = offsets(in, p->contact_count, 3, &entries);
  const int32_t *const block = fuzz_integers(in, entries, 0, blocks > 0 ? blocks - 1 : 0);
  b->contact_block = block;
  b->contact_jacobian =
      jacobians(in, b, block, entries, p->dimension >= 1 && p->dimension <= 3 ? p->dimension : 0);
  b->bias = numbers(in, CONTACTS * 3);
  b->bilateral_start = offsets(in, p->bilateral_count, 2, &row_entries);
  const int32_t *const row = fuzz_integers(in, row_entries, 0, blocks > 0 ? blocks - 1 : 0);
  b->bilateral_block = row;
  b->bilateral_jacobian = jacobians(in, b, row, row_entries, 1);
  b->bilateral_bias = numbers(in, p->bilateral_count);
}

/* ---- matrices -------------------------------------------------------------------------------- */

static talus_matrix matrix(fuzz_input *in, int32_t rows, int32_t columns, int square) {
  talus_matrix m = {.rows = rows, .columns = columns};
  m.storage = (talus_storage)fuzz_integer(in, 1, 4);
  const int64_t full = (int64_t)rows * columns;
  m.count = m.storage == TALUS_STORAGE_DENSE ? full : fuzz_below(in, ENTRIES);
  const int64_t lines = m.storage == TALUS_STORAGE_CSR ? rows : columns;
  if (m.storage == TALUS_STORAGE_CSC || m.storage == TALUS_STORAGE_CSR) {
    m.start = offsets(in, lines, 4, &m.count);
  }
  const int64_t room = m.count;
  double *const value = fuzz_numbers(in, room);
  m.index = m.storage == TALUS_STORAGE_DENSE ? NULL : indices(in, room, 0, rows > 0 ? rows - 1 : 0);
  m.index2 = m.storage == TALUS_STORAGE_TRIPLET
                 ? indices(in, room, 0, columns > 0 ? columns - 1 : 0)
                 : NULL;
  if (square && m.storage == TALUS_STORAGE_DENSE && fuzz_below(in, 8) != 0) {
    for (int32_t i = 0; i < rows; i++) {
      for (int32_t j = 0; j < i; j++) {
        value[i + (int64_t)j * rows] = 0.1 * value[j + (int64_t)i * rows];
        value[j + (int64_t)i * rows] = value[i + (int64_t)j * rows];
      }
      value[i + (int64_t)i * rows] = 2 + fabs(value[i + (int64_t)i * rows]);
    }
  }
  m.value = value;
  if (fuzz_byte(in) == 255) { /* a count below what is there is a lie that can be told apart */
    m.count = fuzz_below(in, (int32_t)(room < 200 ? room : 200) + 1);
  }
  return m;
}

static void make_delassus(fuzz_input *in, talus_problem *p) {
  const int32_t dimension = p->dimension >= 1 && p->dimension <= 3 ? p->dimension : 1;
  const int32_t n = dimension * p->contact_count + p->bilateral_count;
  p->delassus.w = matrix(in, n, n, 1);
  p->delassus.q = numbers(in, n);
}

/* A diagonal mass, or anything. */
static talus_matrix mass_matrix(fuzz_input *in, int32_t n) {
  if (fuzz_below(in, 4) == 0) {
    return matrix(in, n, n, 1);
  }
  talus_matrix m = {.storage = TALUS_STORAGE_TRIPLET, .rows = n, .columns = n, .count = n};
  int32_t *const index = fuzz_array(in, (size_t)n, sizeof *index);
  double *const value = fuzz_numbers(in, n);
  for (int32_t i = 0; i < n; i++) {
    index[i] = i;
    value[i] = fabs(value[i]) + 1;
  }
  m.index = m.index2 = index;
  m.value = value;
  return m;
}

static void make_global(fuzz_input *in, talus_problem *p) {
  const int32_t dimension = p->dimension >= 1 && p->dimension <= 3 ? p->dimension : 1;
  const int32_t n = fuzz_below(in, 13), columns = dimension * p->contact_count;
  p->global.mass = mass_matrix(in, n);
  p->global.h = matrix(in, n, columns, 0);
  if (p->bilateral_count > 0) {
    p->global.g = matrix(in, n, p->bilateral_count, 0);
  }
  p->global.f = numbers(in, n);
  p->global.w = numbers(in, columns);
  p->global.b = numbers(in, p->bilateral_count);
}

/* ---- layout and settings --------------------------------------------------------------------- */

/* The same numbers again, in single precision with a stride. */
static talus_strided strided(fuzz_input *in, const double **member, int64_t count, int per) {
  talus_strided s = {0};
  if (*member == NULL || fuzz_below(in, 2) == 0) {
    return s;
  }
  const int64_t stride = 4 * (per + fuzz_below(in, 4));
  char *const array = fuzz_array(in, (size_t)(count * stride), 1);
  for (int64_t i = 0; i < count; i++) {
    for (int c = 0; c < per; c++) {
      const float narrow = (float)(*member)[per * i + c];
      memcpy(array + i * stride + 4 * c, &narrow, sizeof narrow);
    }
  }
  s.array = array;
  s.stride = fuzz_byte(in) == 255 ? fuzz_integer(in, 0, 4) : stride;
  s.stride = s.stride > stride ? stride : s.stride;
  s.scalar = (talus_scalar)(fuzz_byte(in) == 255 ? fuzz_below(in, 4) : TALUS_SCALAR_F32);
  s.scalar = s.scalar == TALUS_SCALAR_OWN ? TALUS_SCALAR_F32 : s.scalar; /* would be too short */
  *member = fuzz_byte(in) == 255 ? *member : NULL;
  return s;
}

static void make_layout(fuzz_input *in, talus_problem *p, talus_layout *layout) {
  *layout = talus_layout_default();
  layout->friction = strided(in, &p->friction, p->contact_count, 1);
  if (p->form == TALUS_FORM_RIGID) {
    talus_rigid *const r = &p->rigid;
    layout->rigid.velocity = strided(in, &r->velocity, r->body_count, 6);
    layout->rigid.inverse_mass = strided(in, &r->inverse_mass, r->body_count, 1);
    layout->rigid.normal = strided(in, &r->normal, p->contact_count, 3);
    layout->rigid.arm_a = strided(in, &r->arm_a, p->contact_count, 3);
    layout->rigid.bias = strided(in, &r->bias, p->contact_count, 1);
    layout->rigid.row_jacobian = strided(in, &r->row_jacobian, p->bilateral_count, 12);
  } else if (p->form == TALUS_FORM_DELASSUS) {
    layout->delassus.q = strided(in, &p->delassus.q, p->delassus.w.rows, 1);
  }
  p->layout = layout;
}

static talus_settings make_settings(fuzz_input *in) {
  talus_settings s = talus_settings_default();
  s.law = (talus_law)fuzz_integer(in, 0, TALUS_LAW_COUNT - 1);
  s.method = (talus_method)fuzz_integer(in, 0, TALUS_METHOD_COUNT - 1);
  s.precision = (talus_precision)fuzz_integer(in, 0, 1);
  s.measure = (talus_measure)(fuzz_below(in, 8) == 0 ? fuzz_integer(in, 0, 1) : 0);
  s.tolerance = fuzz_byte(in) > 250 ? fuzz_number(in) : pow(10, -fuzz_below(in, 14));
  s.max_iterations = fuzz_byte(in) > 250 ? -fuzz_integer(in, 0, 9) : fuzz_below(in, ITERATIONS);
  s.max_seconds = 0.05;
  s.threads = 1;
  s.warm_start = fuzz_below(in, 2);
  if (fuzz_below(in, 4) == 0) {
    s.momentum_cap = fuzz_number(in);
    s.slip_filter = fuzz_number(in);
  }
  s.same_bits = fuzz_below(in, 2);
  s.unique = fuzz_below(in, 8) == 0;
  s.cone = (talus_cone)(fuzz_below(in, 2) ? fuzz_integer(in, 0, TALUS_CONE_COUNT - 1) : 0);
  if (fuzz_below(in, 4) == 0) {
    s.facets = (int32_t)fuzz_integer(in, 3, 20);
    s.facet_angle = fuzz_number(in);
    s.facet_align = fuzz_below(in, 2);
  }
  return s;
}

/* ---- the run --------------------------------------------------------------------------------- */

static talus_problem make_problem(fuzz_input *in) {
  talus_problem p = talus_problem_default((talus_form)fuzz_integer(in, 1, 4));
  p.dimension = p.form == TALUS_FORM_RIGID ? 3 : (int32_t)fuzz_integer(in, 1, 3);
  p.contact_count = fuzz_below(in, CONTACTS + 1);
  p.bilateral_count = fuzz_below(in, 2) ? fuzz_below(in, ROWS + 1) : 0;
  double *const friction = fuzz_numbers(in, p.contact_count);
  for (int32_t k = 0; k < p.contact_count && fuzz_byte(in) != 255; k++) {
    friction[k] = fabs(friction[k]);
  }
  p.friction = fuzz_below(in, 8) == 0 ? NULL : friction;
  p.row_lower = fuzz_below(in, 4) == 0 ? numbers(in, p.bilateral_count) : NULL;
  p.row_upper = fuzz_below(in, 4) == 0 ? numbers(in, p.bilateral_count) : NULL;
  switch (p.form) {
  case TALUS_FORM_RIGID:
    make_rigid(in, &p);
    break;
  case TALUS_FORM_BLOCKS:
    make_blocks(in, &p);
    break;
  case TALUS_FORM_DELASSUS:
    make_delassus(in, &p);
    break;
  case TALUS_FORM_GLOBAL:
    make_global(in, &p);
    break;
  default:
    break;
  }
  return p;
}

/* What a solve must keep to, whatever it was given. */
static void hold_to(const talus_problem *p, const talus_settings *s, const double *impulse,
                    const talus_info *info) {
  for (int32_t i = 0; i < p->dimension * p->contact_count; i++) {
    FUZZ_PROMISE(isfinite(impulse[i]));
  }
  FUZZ_PROMISE((unsigned)info->outcome < TALUS_OUTCOME_COUNT);
  FUZZ_PROMISE(info->method != TALUS_METHOD_AUTO || p->contact_count + p->bilateral_count == 0);
  FUZZ_PROMISE(info->outcome != TALUS_OUTCOME_CONVERGED || info->measure <= s->tolerance);
  const talus_certificate *const c = &info->certificate;
  const int bounded = p->row_lower != NULL || p->row_upper != NULL; /* 0 may be outside */
  FUZZ_PROMISE(s->cone != TALUS_CONE_CIRCULAR || bounded ||
               !(s->law == TALUS_LAW_COULOMB ? c->residual_coulomb > c->reference_coulomb
                                             : c->residual_ccp > c->reference_ccp));
}

static void solve(fuzz_input *in, talus_solver *solver, const talus_problem *p,
                  const talus_settings *settings) {
  double impulse[3 * CONTACTS], bilateral[ROWS], velocity[6 * BODIES], contact[3 * CONTACTS];
  for (int i = 0; i < 3 * CONTACTS; i++) {
    impulse[i] = settings->warm_start ? fuzz_number(in) : 0;
  }
  for (int i = 0; i < ROWS; i++) {
    bilateral[i] = settings->warm_start ? fuzz_number(in) : 0;
  }
  talus_solution solution = talus_solution_default();
  solution.impulse = impulse;
  solution.bilateral_impulse = bilateral;
  solution.velocity = p->form == TALUS_FORM_GLOBAL ? NULL : velocity;
  solution.contact_velocity = contact;
  talus_info info = talus_info_default();
  const talus_status status = talus_solver_solve(solver, &solution, &info);
  FUZZ_PROMISE((unsigned)status < TALUS_STATUS_COUNT && status != TALUS_INTERNAL);
  if (status == TALUS_OK) {
    hold_to(p, settings, impulse, &info);
    talus_certificate certificate = talus_certificate_default();
    FUZZ_PROMISE(talus_certify_cone(fuzz_context(), p, settings, impulse, bilateral,
                                    &certificate) == TALUS_OK);
  }
}

/* The same problem three times in a batch, and once more in a call; no clock is asked. */
static void compare_batch(const talus_problem *p, talus_settings s) {
  enum { COPIES = 3 };
  double impulse[COPIES + 1][3 * CONTACTS] = {{0}}, bilateral[COPIES + 1][ROWS] = {{0}};
  talus_problem problems[COPIES];
  talus_solution solutions[COPIES + 1];
  talus_status statuses[COPIES];
  s.max_seconds = 0;
  s.warm_start = 0;
  for (int i = 0; i <= COPIES; i++) {
    problems[i < COPIES ? i : 0] = *p;
    solutions[i] = talus_solution_default();
    solutions[i].impulse = impulse[i];
    solutions[i].bilateral_impulse = bilateral[i];
  }
  const talus_status alone = talus_solve_once(fuzz_context(), p, &s, &solutions[COPIES], NULL);
  talus_solve_batch(fuzz_context(), &s, COPIES, problems, solutions, NULL, statuses);
  for (int i = 0; i < COPIES; i++) {
    FUZZ_PROMISE(statuses[i] == alone);
    FUZZ_PROMISE(alone != TALUS_OK ||
                 (memcmp(impulse[i], impulse[COPIES], sizeof impulse[i]) == 0 &&
                  memcmp(bilateral[i], bilateral[COPIES], sizeof bilateral[i]) == 0));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_input in = {.bytes = bytes, .size = size};
  talus_context *const context = fuzz_context();
  const int64_t before = fuzz_held();
  const talus_settings settings = make_settings(&in);
  const int laid_out = fuzz_below(&in, 4) == 0;
  talus_problem problem = make_problem(&in);
  talus_layout layout;
  if (laid_out) {
    make_layout(&in, &problem, &layout);
  }
  talus_solver *solver = NULL;
  if (talus_solver_create(context, &settings, &solver) == TALUS_OK) {
    const talus_status status = talus_solver_update(solver, &problem);
    FUZZ_PROMISE((unsigned)status < TALUS_STATUS_COUNT && status != TALUS_INTERNAL);
    if (status == TALUS_OK) {
      solve(&in, solver, &problem, &settings);
      compare_batch(&problem, settings);
    } else {
      FUZZ_PROMISE(talus_context_message(context)[0] != 0);
      FUZZ_PROMISE(talus_solver_solve(solver, NULL, NULL) == TALUS_CALL_ORDER);
    }
  }
  talus_solver_destroy(solver);
  FUZZ_PROMISE(fuzz_held() == before);
  fuzz_end(&in);
  return 0;
}
