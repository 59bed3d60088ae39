/* refusals.h: a solver on a desk, a problem on it, and one defect at a time.
 *
 * Each use breaks one element or field, expects the status and words in the message, and puts it
 * back. */
#ifndef TL_TESTS_REFUSALS_H
#define TL_TESTS_REFUSALS_H

#include <string.h>

#include "tests/check.h"
#include "tests/solver/families.h"

typedef struct desk {
  talus_context *context;
  talus_solver *solver;
  talus_problem problem;
} desk;

/* The problem as it stands is refused, saying `text`. */
static inline void refused(desk *d, talus_status wanted, const char *text, int line) {
  const talus_status status = talus_solver_update(d->solver, &d->problem);
  const char *said = talus_context_message(d->context);
  if (!CHECK(status == wanted)) {
    printf("  line %d: %s (%s), not %s\n", line, talus_status_name(status), said,
           talus_status_name(wanted));
  }
  if (!CHECK(status == TALUS_OK || strstr(said, text) != NULL)) {
    printf("  line %d: \"%s\" is not in \"%s\"\n", line, text, said);
  }
  CHECK(talus_solver_solve(d->solver, NULL, NULL) == TALUS_CALL_ORDER);
}

static inline void accepted(desk *d, int line) {
  const talus_status status = talus_solver_update(d->solver, &d->problem);
  if (!CHECK(status == TALUS_OK)) {
    printf("  line %d: %s\n", line, talus_context_message(d->context));
  }
}

/* One element, or one field, changed and put back. The oracle's arrays are writable. */
#define BREAK(type, array, i, value, wanted, text) \
  do {                                             \
    type *const array_ = (type *)(array);          \
    const type kept_ = array_[i];                  \
    array_[i] = (value);                           \
    refused(d, wanted, text, __LINE__);            \
    array_[i] = kept_;                             \
  } while (0)
#define BREAK_FIELD(type, field, value, wanted, text) \
  do {                                                \
    type const kept_ = d->problem.field;              \
    d->problem.field = (value);                       \
    refused(d, wanted, text, __LINE__);               \
    d->problem.field = kept_;                         \
  } while (0)
#define BREAK_FINITE(array, i, text)                            \
  do {                                                          \
    BREAK(double, array, i, NAN, TALUS_NOT_FINITE, text);       \
    BREAK(double, array, i, INFINITY, TALUS_NOT_FINITE, text);  \
    BREAK(double, array, i, -INFINITY, TALUS_NOT_FINITE, text); \
  } while (0)
#define BREAK_NULL(type, field, text) BREAK_FIELD(type, field, NULL, TALUS_MISSING_ARRAY, text)

typedef const double *reals;
typedef const int32_t *indices;
typedef const int64_t *offsets;

/* The desk with an empty solver on it. */
static inline desk desk_open(void) {
  desk d = {0};
  CHECK(talus_context_create(NULL, &d.context) == TALUS_OK);
  CHECK(talus_solver_create(d.context, NULL, &d.solver) == TALUS_OK);
  return d;
}

static inline void desk_close(desk *d) {
  talus_solver_destroy(d->solver);
  talus_context_destroy(d->context);
}

/* Problem `i` of the families with something of everything in it; 0 if that one is too small. */
static inline int desk_take(desk *d, int i, oracle_made *made) {
  family f = *family_at(i);
  if (f.body_count < 6) {
    return 0;
  }
  f.immovable = 0;
  f.bilateral_count = f.bilateral_count > 0 || f.form != TALUS_FORM_DELASSUS ? 4 : 0;
  *made = family_make(&f, TALUS_LAW_COULOMB, 1);
  d->problem = made->problem;
  accepted(d, __LINE__);
  return 1;
}

#endif
