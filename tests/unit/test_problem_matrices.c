/* test_problem_matrices.c: every defect of the matrices and vectors of forms DELASSUS and GLOBAL
 * gets its own status and a message that names field and index. */
#include "tests/unit/refusals.h"

/* ---- forms (c) and (d) ----------------------------------------------------------------------- */

/* A matrix of the problem, whose name is `name`; storage other than dense. */
static void check_matrix(desk *d, talus_matrix *m, const char *name) {
  const talus_matrix kept = *m;
  char at[64];
  m->rows++;
  refused(d, TALUS_MATRIX_FORMAT, name, __LINE__);
  m->rows = -m->rows;
  const talus_status status = talus_solver_update(d->solver, &d->problem);
  CHECK(status == TALUS_MATRIX_FORMAT || status == TALUS_SIZE_OVERFLOW);
  *m = kept;
  m->columns--;
  refused(d, TALUS_MATRIX_FORMAT, name, __LINE__);
  *m = kept;
  m->storage = (talus_storage)0;
  refused(d, TALUS_MATRIX_FORMAT, name, __LINE__);
  m->storage = (talus_storage)5;
  refused(d, TALUS_MATRIX_FORMAT, name, __LINE__);
  *m = kept;
  m->value = NULL;
  snprintf(at, sizeof at, "%s.value is NULL", name);
  refused(d, TALUS_MISSING_ARRAY, at, __LINE__);
  *m = kept;
  m->count = -1;
  refused(d, TALUS_SIZE_OVERFLOW, name, __LINE__);
  m->count = INT64_MAX;
  refused(d, TALUS_SIZE_OVERFLOW, name, __LINE__);
  *m = kept;
  if (m->storage != TALUS_STORAGE_TRIPLET) {
    m->count--;
    refused(d, TALUS_MATRIX_FORMAT, name, __LINE__);
    *m = kept;
  }
  snprintf(at, sizeof at, "%s.value[2]", name);
  BREAK_FINITE(m->value, 2, at);
  if (m->storage == TALUS_STORAGE_DENSE) {
    return;
  }
  m->index = NULL;
  snprintf(at, sizeof at, "%s.index is NULL", name);
  refused(d, TALUS_MISSING_ARRAY, at, __LINE__);
  *m = kept;
  snprintf(at, sizeof at, "%s.index[2]", name);
  BREAK(int32_t, m->index, 2, -1, TALUS_INDEX_RANGE, at);
  BREAK(int32_t, m->index, 2, m->rows > m->columns ? m->rows : m->columns, TALUS_INDEX_RANGE, at);
  if (m->storage == TALUS_STORAGE_TRIPLET) {
    snprintf(at, sizeof at, "%s.index2[2]", name);
    BREAK(int32_t, m->index2, 2, -1, TALUS_INDEX_RANGE, at);
    BREAK(int32_t, m->index2, 2, m->columns, TALUS_INDEX_RANGE, at);
    m->index2 = NULL;
    refused(d, TALUS_MISSING_ARRAY, name, __LINE__);
    *m = kept;
    int64_t stale[1] = {0}; /* a field that the storage does not use is not read */
    m->start = stale;
    accepted(d, __LINE__);
    *m = kept;
    return;
  }
  m->start = NULL;
  refused(d, TALUS_MISSING_ARRAY, name, __LINE__);
  *m = kept;
  snprintf(at, sizeof at, "%s.start[0]", name);
  BREAK(int64_t, m->start, 0, 1, TALUS_INDEX_RANGE, at);
  snprintf(at, sizeof at, "%s.start[1]", name);
  BREAK(int64_t, m->start, 1, -1, TALUS_INDEX_RANGE, at);
  snprintf(at, sizeof at, "%s.start[2]", name);
  BREAK(int64_t, m->start, 1, m->count + 5, TALUS_INDEX_RANGE, at);
}

static void check_delassus(desk *d) {
  check_matrix(d, &d->problem.delassus.w, "delassus.w");
  BREAK_NULL(reals, delassus.q, "delassus.q");
  BREAK_FINITE(d->problem.delassus.q, 5, "delassus.q[5]");
  accepted(d, __LINE__);
}

/* A diagonal block of W that is zero is replaced, and said so; a negative one is refused, by the
 * solver and by the certificate. */
static void check_diagonal(desk *d) {
  double w[4] = {1, 0, 0, 0}, q[2] = {-1, 1}, x[2] = {0, 0};
  talus_certificate certificate = talus_certificate_default();
  talus_info info = talus_info_default();
  d->problem = talus_problem_default(TALUS_FORM_DELASSUS);
  d->problem.dimension = 1;
  d->problem.contact_count = 2;
  d->problem.delassus.w = (talus_matrix){
      .storage = TALUS_STORAGE_DENSE, .rows = 2, .columns = 2, .count = 4, .value = w};
  d->problem.delassus.q = q;
  for (int i = 0; i < 3; i++) {
    w[3] = i == 0 ? 0 : i == 1 ? -1e-14 : 1;
    accepted(d, __LINE__);
    CHECK(talus_solver_solve(d->solver, NULL, &info) == TALUS_OK);
    CHECK(((info.notes & TALUS_NOTE_DIAGONAL_REPLACED) != 0) == (i < 2));
    CHECK(info.outcome == TALUS_OUTCOME_CONVERGED);
  }
  BREAK(double, w, 3, -1, TALUS_BAD_DIAGONAL, "W_kk of contact 1 has trace -1");
  w[0] = w[3] = -1; /* W = -I */
  refused(d, TALUS_BAD_DIAGONAL, "W_kk of contact 0 has trace -1", __LINE__);
  CHECK(talus_certify(d->context, &d->problem, x, NULL, &certificate) == TALUS_BAD_DIAGONAL);
  d->problem = talus_problem_default(TALUS_FORM_RIGID); /* the arrays above end here */
}

static void check_global(desk *d) {
  check_matrix(d, &d->problem.global.mass, "global.mass");
  check_matrix(d, &d->problem.global.h, "global.h");
  check_matrix(d, &d->problem.global.g, "global.g");
  BREAK_NULL(reals, global.f, "global.f");
  BREAK_NULL(reals, global.w, "global.w");
  BREAK_FINITE(d->problem.global.f, 4, "global.f[4]");
  BREAK_FINITE(d->problem.global.w, 6, "global.w[6]");
  if (d->problem.global.b != NULL) {
    BREAK_FINITE(d->problem.global.b, 1, "global.b[1]");
  }
  accepted(d, __LINE__);
}

/* M that is not positive definite; a column of H that is empty. */
static void check_small_global(desk *d) {
  double mass[4] = {1, 0, 0, 1}, h[4] = {1, 0, 0, 1}, f[2] = {0}, w[2] = {0};
  d->problem = talus_problem_default(TALUS_FORM_GLOBAL);
  d->problem.dimension = 1;
  d->problem.contact_count = 2;
  d->problem.global.mass = (talus_matrix){
      .storage = TALUS_STORAGE_DENSE, .rows = 2, .columns = 2, .count = 4, .value = mass};
  d->problem.global.h = (talus_matrix){
      .storage = TALUS_STORAGE_DENSE, .rows = 2, .columns = 2, .count = 4, .value = h};
  d->problem.global.f = f;
  d->problem.global.w = w;
  accepted(d, __LINE__);
  BREAK(double, mass, 3, 0, TALUS_NEGATIVE_MASS, "column 1");
  BREAK(double, mass, 0, -1, TALUS_NEGATIVE_MASS, "column 0");
  BREAK(double, h, 3, 0, TALUS_IMMOVABLE_PAIR, "constraint 1");
  accepted(d, __LINE__);
  d->problem = talus_problem_default(TALUS_FORM_RIGID); /* the arrays above end here */
}

int main(void) {
  desk desk_ = desk_open(), *const d = &desk_;
  for (int i = 0; i < FAMILY_COUNT; i++) {
    oracle_made made;
    if (!desk_take(d, i, &made)) {
      continue;
    }
    if (d->problem.form == TALUS_FORM_DELASSUS) {
      check_delassus(d);
    } else if (d->problem.form == TALUS_FORM_GLOBAL) {
      check_global(d);
    }
    oracle_made_free(&made);
  }
  check_small_global(d);
  check_diagonal(d);
  desk_close(d);
  return check_end();
}
