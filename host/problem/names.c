/* names.c: defaults of the public structs, and names of laws, cones and outcomes. */
#include <string.h>

#include "host/base/structs.h"
#include "talus/talus_solve.h"

void talus_problem_init(talus_problem *problem, size_t size, talus_form form) {
  const talus_problem defaults = {.form = form, .dimension = 3};
  tl_struct_init(&tl_struct_problem, &defaults, problem, size);
}

void talus_layout_init(talus_layout *layout, size_t size) {
  static const talus_layout defaults;
  tl_struct_init(&tl_struct_layout, &defaults, layout, size);
}

void talus_settings_init(talus_settings *settings, size_t size) {
  static const talus_settings defaults = {.law = TALUS_LAW_COULOMB,
                                          .method = TALUS_METHOD_AUTO,
                                          .precision = TALUS_F64,
                                          .tolerance = 1e-4,
                                          .max_iterations = 100000,
                                          .momentum_cap = -1,
                                          .cone = TALUS_CONE_CIRCULAR,
                                          .facets = 4,
                                          .dump_most = 100,
                                          .certify = 1};
  tl_struct_init(&tl_struct_settings, &defaults, settings, size);
}

void talus_solution_init(talus_solution *solution, size_t size) {
  static const talus_solution defaults;
  tl_struct_init(&tl_struct_solution, &defaults, solution, size);
}

void talus_solution_layout_init(talus_solution_layout *layout, size_t size) {
  static const talus_solution_layout defaults;
  tl_struct_init(&tl_struct_solution_layout, &defaults, layout, size);
}

void talus_certificate_init(talus_certificate *certificate, size_t size) {
  static const talus_certificate defaults;
  tl_struct_init(&tl_struct_certificate, &defaults, certificate, size);
}

void talus_info_init(talus_info *info, size_t size) {
  /* a solve that was refused must not read as one that converged */
  static const talus_info defaults = {.outcome = TALUS_OUTCOME_NONE,
                                      .certificate.struct_size = sizeof(talus_certificate)};
  tl_struct_init(&tl_struct_info, &defaults, info, size);
}

#define TL_LAW_NAMES(name, text) text,
static const char *const law_names[] = {TALUS_LAW_LIST(TL_LAW_NAMES)};
static const char *const cone_names[] = {TALUS_CONE_LIST(TL_LAW_NAMES)};
#define TL_NAMES(name, text, what) text,
static const char *const outcome_names[] = {TALUS_OUTCOME_LIST(TL_NAMES)};
#define TL_WHATS(name, text, what) what,
static const char *const outcome_texts[] = {TALUS_OUTCOME_LIST(TL_WHATS)};
static const char *const precision_names[] = {"f64", "f32", "auto"};

static const char *pick(const char *const *names, unsigned count, unsigned index) {
  return index < count ? names[index] : "unknown";
}

static int find(const char *const *names, unsigned count, const char *name) {
  for (unsigned i = 0; name != NULL && i < count; i++) {
    if (strcmp(names[i], name) == 0) {
      return (int)i;
    }
  }
  return -1;
}

const char *talus_law_name(talus_law law) {
  return pick(law_names, TALUS_LAW_COUNT, (unsigned)law);
}
const char *talus_cone_name(talus_cone cone) {
  return pick(cone_names, TALUS_CONE_COUNT, (unsigned)cone);
}
const char *talus_outcome_name(talus_outcome outcome) {
  return outcome == TALUS_OUTCOME_NONE
             ? "none"
             : pick(outcome_names, TALUS_OUTCOME_COUNT, (unsigned)outcome);
}
const char *talus_outcome_text(talus_outcome outcome) {
  return outcome == TALUS_OUTCOME_NONE
             ? "no solve has ended yet"
             : pick(outcome_texts, TALUS_OUTCOME_COUNT, (unsigned)outcome);
}
const char *talus_precision_name(talus_precision precision) {
  return pick(precision_names, 3, (unsigned)precision);
}

int talus_law_parse(const char *name, talus_law *law) {
  const int found = find(law_names, TALUS_LAW_COUNT, name);
  if (found < 0 || law == NULL) {
    return 0;
  }
  *law = (talus_law)found;
  return 1;
}
int talus_cone_parse(const char *name, talus_cone *cone) {
  const int found = find(cone_names, TALUS_CONE_COUNT, name);
  if (found < 0 || cone == NULL) {
    return 0;
  }
  *cone = (talus_cone)found;
  return 1;
}
int talus_precision_parse(const char *name, talus_precision *precision) {
  const int found = find(precision_names, 3, name);
  if (found < 0 || precision == NULL) {
    return 0;
  }
  *precision = (talus_precision)found;
  return 1;
}
