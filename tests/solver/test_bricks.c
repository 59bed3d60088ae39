/* test_bricks.c: problems ordered by bricks: the same bits on any number of threads and in whatever
 * order contacts are given, an order that follows the positions and no earlier problem, and what is
 * refused. */
#include "tests/check.h"
#include "tests/ranks/bed.h"

enum { EDGE = 11, METHODS = 5 };

static const talus_method methods[METHODS] = {
    TALUS_METHOD_GAUSS_SEIDEL, TALUS_METHOD_GAUSS_SEIDEL_NESTEROV, TALUS_METHOD_APGDB,
    TALUS_METHOD_JACOBI, TALUS_METHOD_SPECTRAL};

/* Impulses of contacts and rows, velocities, and what was told. */
typedef struct result {
  double *impulse, *row, *velocity;
  talus_info info;
} result;

static talus_settings settings_make(talus_method method, talus_law law, int32_t threads) {
  talus_settings settings = talus_settings_default();
  settings.method = method;
  settings.law = law;
  settings.threads = threads;
  settings.tolerance = 1e-3;
  settings.max_iterations = 60;
  return settings;
}

static void solve(talus_solver *solver, const talus_problem *p, const talus_settings *settings,
                  result *r) {
  talus_solution solution = talus_solution_default();
  r->info = talus_info_default();
  solution.impulse = r->impulse;
  solution.bilateral_impulse = r->row;
  solution.velocity = r->velocity;
  CHECK(talus_solver_set(solver, settings) == TALUS_OK);
  CHECK(talus_solver_update(solver, p) == TALUS_OK);
  CHECK(talus_solver_solve(solver, &solution, &r->info) == TALUS_OK);
}

static void result_make(result *r, const bed *d) {
  r->impulse = bed_room(3 * (int64_t)d->contact_count, sizeof(double));
  r->row = bed_room(d->row_count, sizeof(double));
  r->velocity = bed_room(6 * (int64_t)d->body_count, sizeof(double));
}

static void result_release(result *r) {
  free(r->impulse);
  free(r->row);
  free(r->velocity);
}

/* Contact k of the one is contact place[k] of the other; NULL: the same. */
static int same(const result *a, const result *b, const bed *d, const int32_t *place) {
  for (int64_t k = 0; k < d->contact_count; k++) {
    const int64_t at = place != NULL ? place[k] : k;
    if (memcmp(a->impulse + 3 * k, b->impulse + 3 * at, 3 * sizeof(double)) != 0) {
      return 0;
    }
  }
  return memcmp(a->row, b->row, (size_t)d->row_count * sizeof(double)) == 0 &&
         memcmp(a->velocity, b->velocity, 6 * (size_t)d->body_count * sizeof(double)) == 0 &&
         a->info.passes == b->info.passes && a->info.measure == b->info.measure;
}

static talus_solver *solver_make(talus_context *context) {
  talus_solver *solver = NULL;
  CHECK(talus_solver_create(context, NULL, &solver) == TALUS_OK);
  return solver;
}

/* Threads, both laws, spheres and arms with rows. */
static void test_threads(talus_context *context) {
  bed d;
  result one, many;
  bed_make(&d, EDGE, 1, 1);
  result_make(&one, &d);
  result_make(&many, &d);
  talus_solver *const solver = solver_make(context);
  for (int i = 0; i < METHODS; i++) {
    const talus_problem p = bed_problem(&d, i % 2, 4);
    const talus_settings alone = settings_make(methods[i], (talus_law)(i % 2), 1);
    solve(solver, &p, &alone, &one);
    CHECK(one.info.measure < 0.5 && one.info.measure > 0);
    for (int32_t threads = 2; threads <= 7; threads += 5) {
      const talus_settings settings = settings_make(methods[i], (talus_law)(i % 2), threads);
      solve(solver, &p, &settings, &many);
      CHECK_CASE(same(&one, &many, &d, NULL), "%s, %d threads", talus_method_name(methods[i]),
                 threads);
    }
  }
  talus_solver_destroy(solver);
  result_release(&one);
  result_release(&many);
  bed_release(&d);
}

/* The contacts of a problem backwards. */
static void reverse(bed *d, int32_t *place) {
  const int32_t n = d->contact_count;
  double *const vectors[] = {d->normal, d->arm_a, d->arm_b};
  double *const scalars[] = {d->reach_a, d->reach_b, d->bias, d->friction};
  int32_t *const bodies[] = {d->a, d->b};
  for (int32_t i = 0, j = n - 1; i < j; i++, j--) {
    for (int v = 0; v < 9; v++) {
      double *const x = vectors[v / 3] + v % 3, kept = x[3 * (int64_t)i];
      x[3 * (int64_t)i] = x[3 * (int64_t)j];
      x[3 * (int64_t)j] = kept;
    }
    for (int v = 0; v < 4; v++) {
      const double kept = scalars[v][i];
      scalars[v][i] = scalars[v][j];
      scalars[v][j] = kept;
    }
    for (int v = 0; v < 2; v++) {
      const int32_t kept = bodies[v][i];
      bodies[v][i] = bodies[v][j];
      bodies[v][j] = kept;
    }
  }
  for (int32_t i = 0; i < n; i++) {
    place[i] = n - 1 - i;
  }
}

static void test_contact_order(talus_context *context) {
  bed d, backwards;
  result one, other;
  bed_make(&d, EDGE, 1, 2);
  bed_make(&backwards, EDGE, 1, 2);
  result_make(&one, &d);
  result_make(&other, &d);
  int32_t *const place = bed_room(d.contact_count, sizeof *place);
  reverse(&backwards, place);
  talus_solver *const solver = solver_make(context);
  for (int i = 0; i < METHODS; i++) {
    const talus_problem p = bed_problem(&d, 0, 4), q = bed_problem(&backwards, 0, 4);
    const talus_settings settings = settings_make(methods[i], TALUS_LAW_COULOMB, 1);
    solve(solver, &p, &settings, &one);
    solve(solver, &q, &settings, &other);
    CHECK_CASE(same(&one, &other, &d, place), "%s", talus_method_name(methods[i]));
  }
  talus_solver_destroy(solver);
  free(place);
  result_release(&one);
  result_release(&other);
  bed_release(&d);
  bed_release(&backwards);
}

/* A body goes over to the next brick while all contacts stay: a solver that has seen the problem
 * before does what a new one does. */
static void test_moving(talus_context *context) {
  bed d;
  result used, fresh;
  bed_make(&d, EDGE, 0, 3);
  result_make(&used, &d);
  result_make(&fresh, &d);
  const talus_settings settings =
      settings_make(TALUS_METHOD_GAUSS_SEIDEL_NESTEROV, TALUS_LAW_COULOMB, 1);
  const talus_problem p = bed_problem(&d, 0, 4);
  talus_solver *const old = solver_make(context);
  solve(old, &p, &settings, &used);
  d.position[3 * 7] += 2.5;
  d.position[3 * 400 + 2] += 20; /* its contacts reach too far */
  talus_solver *const young = solver_make(context);
  solve(old, &p, &settings, &used);
  solve(young, &p, &settings, &fresh);
  CHECK(same(&used, &fresh, &d, NULL));
  const talus_problem plain = bed_problem(&d, 0, 0);
  solve(old, &plain, &settings, &used); /* without bricks, and with them once more */
  CHECK(!same(&used, &fresh, &d, NULL));
  solve(old, &p, &settings, &used);
  CHECK(same(&used, &fresh, &d, NULL));
  talus_solver_destroy(old);
  talus_solver_destroy(young);
  result_release(&used);
  result_release(&fresh);
  bed_release(&d);
}

/* Bricks of any size, from one for each body to one for all, lead to the same solution. */
static void test_sizes(talus_context *context) {
  const double sizes[] = {0, 0.8, 2, 5, 1e6, 1e-7};
  bed d;
  result reference, r;
  bed_make(&d, 6, 1, 4);
  result_make(&reference, &d);
  result_make(&r, &d);
  talus_solver *const solver = solver_make(context);
  talus_settings settings = settings_make(TALUS_METHOD_GAUSS_SEIDEL_NESTEROV, TALUS_LAW_CCP, 1);
  settings.tolerance = 1e-9;
  settings.max_iterations = 20000;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const talus_problem p = bed_problem(&d, 1, sizes[i]);
    result *const to = i == 0 ? &reference : &r;
    solve(solver, &p, &settings, to);
    CHECK_CASE(to->info.outcome == TALUS_OUTCOME_CONVERGED, "size %g", sizes[i]);
    double worst = 0;
    for (int64_t v = 0; v < 6 * (int64_t)d.body_count; v++) {
      worst = fmax(worst, fabs(to->velocity[v] - reference.velocity[v]));
    }
    CHECK_CASE(worst < 1e-8, "size %g: %g", sizes[i], worst);
  }
  talus_solver_destroy(solver);
  result_release(&reference);
  result_release(&r);
  bed_release(&d);
}

static void test_refused(talus_context *context) {
  bed d;
  bed_make(&d, 3, 0, 5);
  talus_solver *const solver = solver_make(context);
  talus_problem p = bed_problem(&d, 0, NAN);
  CHECK(talus_solver_update(solver, &p) == TALUS_NOT_FINITE);
  p.brick_size = -1;
  CHECK(talus_solver_update(solver, &p) == TALUS_NOT_FINITE);
  p.brick_size = 2;
  p.positions = NULL;
  CHECK(talus_solver_update(solver, &p) == TALUS_MISSING_ARRAY);
  p.positions = d.position;
  d.position[4] = INFINITY;
  CHECK(talus_solver_update(solver, &p) == TALUS_NOT_FINITE);
  CHECK(strstr(talus_context_message(context), "positions") != NULL);
  p.brick_size = 0; /* nobody reads them */
  CHECK(talus_solver_update(solver, &p) == TALUS_OK);
  talus_solver_destroy(solver);
  bed_release(&d);
}

int main(void) {
  talus_context *context = NULL;
  talus_context_def def = talus_context_def_default();
  def.threads = 7;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  test_threads(context);
  test_contact_order(context);
  test_moving(context);
  test_sizes(context);
  test_refused(context);
  talus_context_destroy(context);
  return check_end();
}
