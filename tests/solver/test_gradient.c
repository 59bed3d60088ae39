/* test_gradient.c: derivatives of solves against finite differences, over all families of problems
 * and both laws, with respect to what every form has: friction, compliance, targets. What a form is
 * made of is compared in tests/python/test_gradient.py. Refusals. */
#include <math.h>
#include <string.h>

#include "talus/talus_gradient.h"
#include "tests/check.h"
#include "tests/solver/families.h"

enum { ROOM = 512, ROWS = 64 };
#define STEP 1e-6

/* The parameters that are varied, along one direction, and what a loss weighs. */
typedef struct setting {
  talus_problem problem;
  double friction[ROOM], compliance[ROOM], target[ROOM];
  double weight[ROOM], velocity_weight[ROOM];
  int64_t rows;
} setting;

static void setting_make(const oracle_made *made, uint64_t *state, setting *s) {
  memset(s, 0, sizeof *s);
  s->problem = made->problem;
  s->rows = (int64_t)made->problem.dimension * made->problem.contact_count;
  for (int32_t k = 0; k < s->problem.contact_count; k++) {
    s->friction[k] = s->problem.friction != NULL ? s->problem.friction[k] : 0;
    for (int i = 0; i < 2; i++) { /* unique impulses, whatever the family */
      s->compliance[2 * k + i] = oracle_random(state, 0.2, 1);
    }
  }
  for (int64_t i = 0; i < s->rows; i++) {
    s->target[i] = oracle_random(state, -0.1, 0.1);
    s->weight[i] = oracle_random(state, -1, 1);
    s->velocity_weight[i] = oracle_random(state, -1, 1);
  }
  s->problem.friction = s->friction;
  s->problem.compliance = s->compliance;
  s->problem.target_impulse = s->target;
}

/* The loss at the setting's solution; 0 if it was not solved. */
static int loss_of(talus_context *context, const setting *s, talus_law law, double *impulse,
                   double *bilateral, double *loss) {
  double velocity[ROOM];
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  settings.law = law;
  settings.tolerance = 1e-12;
  settings.max_iterations = 20000;
  solution.impulse = impulse;
  solution.bilateral_impulse = bilateral;
  solution.contact_velocity = velocity;
  const talus_status status = talus_solve_once(context, &s->problem, &settings, &solution, &info);
  CHECK_CASE(status == TALUS_OK, "%s", talus_context_message(context));
  *loss = 0;
  for (int64_t i = 0; i < s->rows; i++) {
    *loss += s->weight[i] * impulse[i] + s->velocity_weight[i] * velocity[i];
  }
  return info.outcome == TALUS_OUTCOME_CONVERGED;
}

/* Along a random direction in one array; returns 1 if both sides were solved. */
static int difference(talus_context *context, setting *s, talus_law law, double *array,
                      const double *change, int64_t count, double *slope) {
  double impulse[ROOM], bilateral[ROWS], loss[2], kept[ROOM];
  int good = 1;
  memcpy(kept, array, (size_t)count * sizeof *kept);
  for (int side = 0; side < 2; side++) {
    for (int64_t i = 0; i < count; i++) {
      array[i] = kept[i] + (side ? STEP : -STEP) * change[i];
    }
    good = loss_of(context, s, law, impulse, bilateral, &loss[side]) && good;
  }
  memcpy(array, kept, (size_t)count * sizeof *kept);
  *slope = (loss[1] - loss[0]) / (2 * STEP);
  return good;
}

/* Returns 1 if the derivatives of this problem were compared. */
static int compare(talus_context *context, const char *name, setting *s, talus_law law,
                   uint64_t *state) {
  static double impulse[ROOM], bilateral[ROWS], friction[ROOM], compliance[ROOM], target[ROOM];
  double unused;
  talus_settings settings = talus_settings_default();
  talus_loss loss = talus_loss_default();
  talus_gradient gradient = talus_gradient_default();
  settings.law = law;
  loss.impulse = s->weight;
  loss.contact_velocity = s->velocity_weight;
  gradient.friction = friction;
  gradient.compliance = compliance;
  gradient.target_impulse = target;
  if (!loss_of(context, s, law, impulse, bilateral, &unused)) {
    return 0;
  }
  CHECK_CASE(talus_gradient_find(context, &s->problem, &settings, impulse, bilateral, &loss,
                                 &gradient) == TALUS_OK,
             "%s: %s", name, talus_context_message(context));
  const int contacts = s->problem.contact_count;
  const struct {
    const char *name;
    double *array;
    const double *gradient;
    int64_t count;
  } arrays[] = {{"friction", s->friction, friction, contacts},
                {"compliance", s->compliance, compliance, 2 * (int64_t)contacts},
                {"target", s->target, target, s->rows}};
  for (int i = 0; i < 3 && gradient.notes == 0; i++) {
    double change[ROOM], exact = 0, slope;
    for (int64_t j = 0; j < arrays[i].count; j++) {
      change[j] = i == 0 && !(s->friction[j] > 0) ? 0 : oracle_random(state, -1, 1);
      exact += arrays[i].gradient[j] * change[j];
    }
    if (difference(context, s, law, arrays[i].array, change, arrays[i].count, &slope)) {
      CHECK_CASE(fabs(exact - slope) <= 1e-4 * (1 + fabs(exact)), "%s, %s, %s: %.9g and %.9g", name,
                 talus_law_name(law), arrays[i].name, exact, slope);
    }
  }
  return gradient.notes == 0;
}

static void test_families(talus_context *context) {
  int compared = 0;
  for (int i = 0; i < FAMILY_COUNT; i++) {
    uint64_t state = 7 + (uint64_t)i;
    const family *const f = family_at(i);
    for (int law = 0; law < TALUS_LAW_COUNT && !f->hard; law++) {
      oracle_made made = family_make(f, (talus_law)law, 300 + (uint64_t)i);
      static setting s;
      CHECK(3 * made.problem.contact_count <= ROOM && made.problem.bilateral_count <= ROWS);
      setting_make(&made, &state, &s);
      compared += compare(context, f->name, &s, (talus_law)law, &state);
      oracle_made_free(&made);
    }
  }
  CHECK_CASE(compared >= 30, "%d problems were compared", compared);
}

static void test_refused(talus_context *context) {
  const double w[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0, 0}, friction = 0.5;
  const double impulse[3] = {1, 0, 0}, bad[3] = {1, NAN, 0};
  talus_problem problem = talus_problem_default(TALUS_FORM_DELASSUS);
  problem.contact_count = 1;
  problem.friction = &friction;
  problem.delassus.w = (talus_matrix){
      .storage = TALUS_STORAGE_DENSE, .rows = 3, .columns = 3, .count = 9, .value = w};
  problem.delassus.q = q;
  talus_loss loss = talus_loss_default();
  talus_gradient gradient = talus_gradient_default();
  loss.impulse = impulse;
  CHECK(talus_gradient_find(context, &problem, NULL, impulse, NULL, &loss, &gradient) == TALUS_OK);
  CHECK(talus_gradient_find(context, &problem, NULL, NULL, NULL, &loss, &gradient) ==
        TALUS_MISSING_ARRAY);
  CHECK(talus_gradient_find(context, &problem, NULL, bad, NULL, &loss, &gradient) ==
        TALUS_NOT_FINITE);
  CHECK(talus_gradient_find(context, &problem, NULL, impulse, NULL, NULL, &gradient) ==
        TALUS_INVALID_ARGUMENT);
  CHECK(talus_gradient_find(context, &problem, NULL, impulse, NULL, &loss, NULL) ==
        TALUS_INVALID_ARGUMENT);
  loss.velocity = impulse;
  CHECK(talus_gradient_find(context, &problem, NULL, impulse, NULL, &loss, &gradient) ==
        TALUS_UNSUPPORTED);
  loss.velocity = NULL;
  talus_problem elliptic = talus_problem_default(TALUS_FORM_BLOCKS);
  const int32_t size = 3, block = 0;
  const int64_t start[2] = {0, 1};
  elliptic.contact_count = elliptic.blocks.block_count = 1;
  elliptic.friction = elliptic.cross_friction = &friction;
  elliptic.blocks.block_size = &size;
  elliptic.blocks.contact_block = &block;
  elliptic.blocks.contact_start = start;
  elliptic.blocks.inverse_mass = elliptic.blocks.contact_jacobian = w;
  elliptic.blocks.velocity = q;
  CHECK_CASE(talus_gradient_find(context, &elliptic, NULL, impulse, NULL, &loss, &gradient) ==
                 TALUS_UNSUPPORTED,
             "%s", talus_context_message(context));
  gradient.struct_size = 5;
  CHECK(talus_gradient_find(context, &problem, NULL, impulse, NULL, &loss, &gradient) ==
        TALUS_STRUCT_SIZE);
}

int main(void) {
  talus_context *context = NULL;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  test_families(context);
  test_refused(context);
  talus_context_destroy(context);
  return check_end();
}
