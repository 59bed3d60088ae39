/* test_methods.c: small problems of all forms by all direct methods, judged by the oracle.
 *
 * Circular cones: problems whose solution is known, under both laws. Faceted cones: the same
 * problems with pyramids and boxes, whose solutions nobody knows beforehand; the oracle's own
 * projection judges them, and the certificate must say the same. */
#include <string.h>

#include "tests/check.h"
#include "tests/solver/families.h"

enum { ROWS = 400 };

typedef struct result {
  talus_status status;
  talus_info info;
  double impulse[ROWS], bilateral[ROWS];
} result;

static talus_context *context;

static void solve(const talus_problem *problem, const talus_settings *settings, result *r) {
  talus_solution solution = talus_solution_default();
  r->info = talus_info_default();
  solution.impulse = r->impulse;
  solution.bilateral_impulse = r->bilateral;
  r->status = talus_solve_once(context, problem, settings, &solution, &r->info);
}

/* Counts of one method over all problems. */
typedef struct tally {
  int solved, asked;
  int64_t iterations;
  double seconds, worst;
} tally;

static void tally_print(const char *what, const tally *t) {
  printf("%-28s %3d of %3d, %lld iterations, %.3f s, worst %.1e\n", what, t->solved, t->asked,
         (long long)t->iterations, t->seconds, t->worst);
}

static void tally_add(tally *t, const result *r) {
  t->asked++;
  t->solved += r->info.outcome == TALUS_OUTCOME_CONVERGED;
  t->iterations += r->info.iterations;
  t->seconds += r->info.seconds;
  t->worst = fmax(t->worst, r->info.measure);
}

static void test_circular(talus_method method, talus_law law) {
  tally easy = {0}, hard = {0};
  for (int i = 0; i < FAMILY_COUNT; i++) {
    const family *f = family_at(i);
    for (uint64_t seed = 1; seed <= 4 && f->contact_count <= 40; seed++) {
      oracle_made made = family_make(f, law, seed);
      talus_settings settings = talus_settings_default();
      static result r;
      settings.method = method;
      settings.law = law;
      settings.tolerance = 1e-10;
      solve(&made.problem, &settings, &r);
      CHECK_CASE(r.status == TALUS_OK, "%s: %s", f->name, talus_context_message(context));
      const double epsilon = oracle_epsilon(&made.problem, r.impulse, r.bilateral, law);
      const int converged = r.info.outcome == TALUS_OUTCOME_CONVERGED;
      CHECK_CASE(!converged || epsilon <= 1.01e-10, "%s, seed %d: %g", f->name, (int)seed, epsilon);
      CHECK_CASE(converged || f->hard, "%s by %s, law %s, seed %d: %s at %g", f->name,
                 talus_method_name(method), talus_law_name(law), (int)seed,
                 talus_outcome_name(r.info.outcome), r.info.measure);
      tally_add(f->hard ? &hard : &easy, &r);
      oracle_made_free(&made);
    }
  }
  char text[80];
  snprintf(text, sizeof text, "%s %s", talus_method_name(method), talus_law_name(law));
  tally_print(text, &easy);
  tally_print("  rank-deficient, badly scaled", &hard);
}

static talus_settings faceted(int kind) {
  talus_settings settings = talus_settings_default();
  settings.cone = kind == 3 ? TALUS_CONE_BOX : TALUS_CONE_PYRAMID;
  settings.facets = kind == 0 ? 4 : kind == 1 ? 8 : 3;
  settings.facet_angle = kind == 0 ? 0 : 0.3;
  settings.facet_align = kind == 1;
  settings.tolerance = 1e-10;
  return settings;
}

/* Fischer-Burmeister on W of low rank stalls and starts again many times: half the size will do. */
static family lighter(const family *f, talus_method method) {
  family light = *f;
  const int fischer = method == TALUS_METHOD_PFB_RLM || method == TALUS_METHOD_PFB_PLM;
  if (fischer && f->hard && f->contact_count <= 40) {
    light.body_count = (f->body_count + 1) / 2;
    light.contact_count = f->contact_count / 2;
  }
  return light;
}

static void test_faceted(talus_method method, talus_law law) {
  tally easy = {0}, hard = {0};
  for (int i = 0; i < FAMILY_COUNT; i++) {
    const family light = lighter(family_at(i), method), *const f = &light;
    for (int kind = 0; kind < 4; kind++) {
      if (f->contact_count > 40 && (kind != 0 || method != TALUS_METHOD_LEMKE)) {
        continue; /* 660 unknowns: not what these methods are for */
      }
      oracle_made made = family_make(f, law, 7 + (uint64_t)kind);
      talus_settings settings = faceted(kind);
      static result r;
      settings.method = method;
      settings.law = law;
      solve(&made.problem, &settings, &r);
      CHECK_CASE(r.status == TALUS_OK, "%s: %s", f->name, talus_context_message(context));
      const double epsilon =
          oracle_epsilon_faceted(&made.problem, &settings, r.impulse, r.bilateral);
      const int converged = r.info.outcome == TALUS_OUTCOME_CONVERGED;
      CHECK_CASE(fabs(epsilon - r.info.measure) <= 1e-6 * epsilon + 1e-11,
                 "%s, cone %d: certificate %g, oracle %g", f->name, kind, r.info.measure, epsilon);
      CHECK_CASE(converged || f->hard, "%s by %s, law %s, cone %d: %s at %g", f->name,
                 talus_method_name(method), talus_law_name(law), kind,
                 talus_outcome_name(r.info.outcome), r.info.measure);
      tally_add(f->hard ? &hard : &easy, &r);
      oracle_made_free(&made);
    }
  }
  char text[80];
  snprintf(text, sizeof text, "%s %s", talus_method_name(method), talus_law_name(law));
  tally_print(text, &easy);
  tally_print("  rank-deficient, badly scaled", &hard);
}

int main(void) {
  static const talus_method circular[] = {TALUS_METHOD_MNCP_RLM, TALUS_METHOD_MNCP_PLM,
                                          TALUS_METHOD_MNCP_PROX};
  static const talus_method facets[] = {TALUS_METHOD_LEMKE, TALUS_METHOD_PFB_RLM,
                                        TALUS_METHOD_PFB_PLM, TALUS_METHOD_AUTO};
  if (talus_context_create(NULL, &context) != TALUS_OK) {
    return EXIT_FAILURE;
  }
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    for (size_t i = 0; i < sizeof circular / sizeof *circular; i++) {
      test_circular(circular[i], (talus_law)law);
    }
    for (size_t i = 0; i < sizeof facets / sizeof *facets; i++) {
      test_faceted(facets[i], (talus_law)law);
    }
  }
  talus_context_destroy(context);
  return check_end();
}
