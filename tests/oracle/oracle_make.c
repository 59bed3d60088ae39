/* oracle_make.c: problems with a known solution.
 *
 * Per contact a status is drawn, then an impulse x and a velocity u that obey the law in it:
 *   open    x = 0, u inside the dual cone (ccp) or u_n > 0 (coulomb)
 *   stick   u = 0, x inside the cone
 *   slip    |x_t| = friction x_n, u_t against x_t, u_n = 0 (coulomb) or friction |u_t| (ccp)
 * and a bilateral row with bounds is inside of them with u = 0, or at one with u on its side.
 * Bodies and Jacobians come from oracle_bodies.c. The bias u - W x - D v then makes x the solution,
 * up to its own rounding to double. */
#include "tests/oracle/oracle_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/oracle/oracle_dense.h"

typedef long double real;

/* Kept memory is a list of pieces. */
typedef union piece {
  union piece *next;
  max_align_t align;
} piece;

void *oracle_keep(oracle_made *made, size_t count, size_t size) {
  piece *added = oracle_calloc(1, sizeof(piece) + count * size + 1);
  added->next = made->memory;
  made->memory = added;
  return added + 1;
}

void oracle_made_free(oracle_made *made) {
  piece *at = made->memory;
  while (at != NULL) {
    piece *next = at->next;
    free(at);
    at = next;
  }
  memset(made, 0, sizeof *made);
}

oracle_recipe oracle_recipe_default(talus_form form) {
  oracle_recipe recipe;
  memset(&recipe, 0, sizeof recipe);
  recipe.form = form;
  recipe.bodies = ORACLE_RIGID;
  recipe.law = TALUS_LAW_COULOMB;
  recipe.storage = TALUS_STORAGE_CSC;
  recipe.dimension = 3;
  recipe.body_count = 10;
  recipe.contact_count = 20;
  recipe.open = 0.3;
  recipe.stick = 0.4;
  recipe.frictionless = 0.1;
  recipe.friction_max = 2.0;
  recipe.ground = 0.2;
  recipe.stiff = 0.1;
  recipe.seed = 1;
  return recipe;
}

/* ---- the solution
 * -------------------------------------------------------------------------------- */

/* x and u of one contact in (n, t1, t2); w is the mean diagonal, so that x is worth a speed of 1.
 */
static void contact_solve(const oracle_recipe *recipe, double friction, real w, int k, real x[3],
                          real u[3], oracle_made *made, uint64_t *state) {
  const double draw = oracle_random(state, 0.0, 1.0);
  const double speed = oracle_random(state, 0.1, 1.0), push = oracle_random(state, 0.2, 2.0);
  const double first = oracle_random(state, -1.0, 1.0), second = oracle_random(state, -1.0, 1.0);
  /* a unit vector of as many tangential directions as there are */
  const double length = recipe->dimension == 3 ? hypot(first, second) : fabs(first);
  real tangent[3] = {0.0L, recipe->dimension > 1 ? first / length : 0.0,
                     recipe->dimension > 2 ? second / length : 0.0};
  const int is_open = draw < recipe->open;
  const int is_stuck = !is_open && draw < recipe->open + recipe->stick;
  made->open[k] = is_open;
  made->stick[k] = is_stuck;
  for (int i = 0; i < 3; i++) {
    x[i] = u[i] = 0.0L;
  }
  if (is_open) {
    const real slip = recipe->law == TALUS_LAW_CCP && friction > 0.0 ? 0.9 / friction : 1.0;
    u[0] = speed;
    for (int i = 1; i < 3; i++) {
      u[i] = tangent[i] * speed * fminl(slip, 1.0L);
    }
    return;
  }
  x[0] = push / w;
  const real share = is_stuck ? oracle_random(state, 0.0, 0.95) : 1.0;
  for (int i = 1; i < 3; i++) {
    x[i] = share * friction * x[0] * tangent[i];
    u[i] = is_stuck && friction > 0.0 ? 0.0L : -speed * tangent[i];
  }
  if (!is_stuck && recipe->law == TALUS_LAW_CCP && recipe->dimension > 1) {
    u[0] = friction * speed;
  }
}

/* From (n, t1, t2) to the frame of the rows. */
static void to_rows(const oracle_recipe *recipe, const double *frame, const real local[3],
                    real *rows) {
  for (int i = 0; i < recipe->dimension; i++) {
    rows[i] = local[i];
    if (recipe->form == TALUS_FORM_RIGID) {
      rows[i] = local[0] * frame[i] + local[1] * frame[3 + i] + local[2] * frame[6 + i];
    }
  }
}

/* Bounds of row r, whose impulse is drawn, and its velocity; size is an impulse worth a speed of 1.
 */
static double row_bound(const oracle_recipe *recipe, oracle_made *made, int r, real size,
                        uint64_t *state) {
  if (!(oracle_random(state, 0.0, 1.0) < recipe->bounded)) {
    return 0.0;
  }
  double *lower = (double *)made->problem.row_lower + r;
  double *upper = (double *)made->problem.row_upper + r;
  const double x = made->bilateral_impulse[r], speed = oracle_random(state, 0.1, 1.0);
  const double below = x - (double)size * oracle_random(state, 0.1, 1.0);
  const double above = x + (double)size * oracle_random(state, 0.1, 1.0);
  switch (r % 4) {
  case 0: /* at the lower bound */
    *lower = x;
    *upper = r % 8 == 0 ? above : INFINITY;
    return speed;
  case 1: /* at the upper one */
    *upper = x;
    *lower = r % 8 == 1 ? below : -INFINITY;
    return -speed;
  case 2:
    *lower = below;
    *upper = above;
    return 0.0;
  default:
    *lower = below;
    return 0.0;
  }
}

/* Fills the solution; target receives the velocity u wanted of each row. */
static void solution_draw(const oracle_recipe *recipe, const oracle_model *model,
                          const oracle_system *system, oracle_made *made, real *target,
                          uint64_t *state) {
  const int dimension = recipe->dimension, contact_rows = dimension * recipe->contact_count;
  for (int k = 0; k < recipe->contact_count; k++) {
    real x[3], u[3], rows[3], w = 0.0L;
    for (int i = 0; i < dimension; i++) {
      const size_t row = (size_t)(dimension * k + i);
      w += system->w[row * (size_t)system->rows + row] / dimension;
    }
    contact_solve(recipe, (double)system->friction[k], w, k, x, u, made, state);
    to_rows(recipe, model->frame + 9 * k, u, target + dimension * k);
    to_rows(recipe, model->frame + 9 * k, x, rows);
    for (int i = 0; i < dimension; i++) {
      made->impulse[dimension * k + i] = (double)rows[i];
      made->contact_velocity[dimension * k + i] = (double)target[dimension * k + i];
    }
  }
  for (int r = 0; r < recipe->bilateral_count; r++) {
    const size_t row = (size_t)(contact_rows + r);
    const real w = system->w[row * (size_t)system->rows + row];
    made->bilateral_impulse[r] = (double)(oracle_random(state, -1.0, 1.0) / w);
    if (recipe->bounded > 0.0) {
      made->row_velocity[r] = row_bound(recipe, made, r, 1.0L / w, state);
      target[row] = made->row_velocity[r];
    }
  }
}

/* ---- compliance
 * ---------------------------------------------------------------------------------- */

/* A compliance for a diagonal of w, and a target worth a speed of 1. */
static double compliance_draw(const oracle_recipe *recipe, real w, uint64_t *state) {
  const double rigid = oracle_random(state, 0.0, 1.0), decade = oracle_random(state, -4.0, 0.0);
  return rigid < recipe->stiff ? 0.0 : (double)w * recipe->compliance * pow(10.0, decade);
}

/* Drawn from the rigid system; the random numbers are those of a stream of their own, so that a
 * recipe without compliance makes what it always made. */
static void compliance_make(oracle_made *made, const oracle_recipe *recipe,
                            const oracle_system *system) {
  uint64_t state = recipe->seed * UINT64_C(0xD1342543DE82EF95) + 777;
  const int d = recipe->dimension, contact_rows = d * recipe->contact_count;
  double *c = oracle_keep(made, 2 * (size_t)recipe->contact_count, sizeof *c);
  double *target = oracle_keep(made, (size_t)contact_rows, sizeof *target);
  double *row_c = oracle_keep(made, (size_t)recipe->bilateral_count, sizeof *row_c);
  double *row_target = oracle_keep(made, (size_t)recipe->bilateral_count, sizeof *row_target);
  for (int r = 0; r < system->rows; r++) {
    const real w = system->w[(size_t)r * (size_t)system->rows + (size_t)r];
    const double aim = (double)(oracle_random(&state, -1.0, 1.0) / w);
    if (r >= contact_rows) {
      row_c[r - contact_rows] = compliance_draw(recipe, w, &state);
      row_target[r - contact_rows] = aim;
      continue;
    }
    target[r] = aim;
    if (r % d == 0) {
      c[2 * (r / d)] = compliance_draw(recipe, w, &state);
      c[2 * (r / d) + 1] = compliance_draw(recipe, w, &state);
    }
  }
  made->problem.compliance = c;
  made->problem.target_impulse = target;
  made->problem.row_compliance = recipe->bilateral_count > 0 ? row_c : NULL;
  made->problem.row_target_impulse = recipe->bilateral_count > 0 ? row_target : NULL;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void problem_begin(oracle_made *made, const oracle_recipe *recipe, uint64_t *state) {
  const size_t contacts = (size_t)recipe->contact_count;
  double *friction = oracle_keep(made, contacts, sizeof *friction);
  for (size_t k = 0; k < contacts; k++) {
    const double draw = oracle_random(state, 0.0, 1.0);
    friction[k] = oracle_random(state, 0.0, recipe->friction_max);
    friction[k] = draw < recipe->frictionless || recipe->dimension == 1 ? 0.0 : friction[k];
  }
  made->problem.struct_size = sizeof made->problem;
  made->problem.form = recipe->form;
  made->problem.dimension = recipe->dimension;
  made->problem.contact_count = recipe->contact_count;
  made->problem.bilateral_count = recipe->bilateral_count;
  made->problem.friction = friction;
  made->impulse = oracle_keep(made, 3 * contacts, sizeof(double));
  made->contact_velocity = oracle_keep(made, 3 * contacts, sizeof(double));
  made->open = oracle_keep(made, contacts, sizeof(int));
  made->stick = oracle_keep(made, contacts, sizeof(int));
  if (recipe->bilateral_count > 0) {
    const size_t rows = (size_t)recipe->bilateral_count;
    made->bilateral_impulse = oracle_keep(made, rows, sizeof(double));
    made->row_velocity = oracle_keep(made, rows, sizeof(double));
    double *lower = oracle_keep(made, rows, sizeof(double));
    double *upper = oracle_keep(made, rows, sizeof(double));
    for (size_t r = 0; r < rows; r++) {
      lower[r] = -INFINITY;
      upper[r] = INFINITY;
    }
    made->problem.row_lower = recipe->bounded > 0.0 ? lower : NULL;
    made->problem.row_upper = recipe->bounded > 0.0 ? upper : NULL;
  }
}

oracle_made oracle_problem_make(const oracle_recipe *recipe) {
  oracle_made made;
  oracle_system system;
  uint64_t state = recipe->seed * UINT64_C(0x9E3779B97F4A7C15) + 12345;
  memset(&made, 0, sizeof made);
  problem_begin(&made, recipe, &state);
  const oracle_model model = oracle_model_draw(&made, recipe, &state);
  oracle_form_set(&made, recipe, &model, &state);
  if (!oracle_build(&made.problem, &system)) {
    return made;
  }
  if (recipe->compliance > 0.0) {
    compliance_make(&made, recipe, &system);
    oracle_free(&system);
    oracle_build(&made.problem, &system);
  }
  real *target = oracle_keep(&made, (size_t)system.rows, sizeof *target);
  real *reached = oracle_keep(&made, (size_t)system.rows, sizeof *reached);
  double *bias = oracle_keep(&made, (size_t)system.rows, sizeof *bias);
  solution_draw(recipe, &model, &system, &made, target, &state);
  oracle_velocity(&system, made.impulse, made.bilateral_impulse, reached);
  for (int r = 0; r < system.rows; r++) {
    bias[r] = (double)(target[r] - reached[r]);
  }
  oracle_bias_set(&made, recipe, &model, bias, &state);
  oracle_free(&system);
  return made;
}
