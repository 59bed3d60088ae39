/* app.c: somebody else's program: a linear complementarity problem of two rows, by form (c).
 *
 * W = [2 1; 1 2], q = (-1, 1): the solution is (1/2, 0), with u = (0, 3/2). Valid C11 and C++11. */
#include <stdio.h>
#include <string.h>
#include <talus/talus.h>

static int near_to(double a, double b) {
  return a - b < 1e-6 && b - a < 1e-6;
}

int main(int argc, char **argv) {
  static const double w[4] = {2, 1, 1, 2}, q[2] = {-1, 1};
  double impulse[2] = {9, 9}, velocity[2] = {9, 9};
  talus_problem problem = talus_problem_default(TALUS_FORM_DELASSUS);
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  talus_context *context = NULL;
  int good;
  problem.dimension = 1;
  problem.contact_count = 2;
  problem.delassus.w.storage = TALUS_STORAGE_DENSE;
  problem.delassus.w.rows = problem.delassus.w.columns = 2;
  problem.delassus.w.count = 4;
  problem.delassus.w.value = w;
  problem.delassus.q = q;
  settings.tolerance = 1e-9;
  solution.impulse = impulse;
  solution.contact_velocity = velocity;
  if (talus_context_create(NULL, &context) != TALUS_OK ||
      talus_solve_once(context, &problem, &settings, &solution, &info) != TALUS_OK) {
    fprintf(stderr, "failed: %s\n", context != NULL ? talus_context_message(context) : "context");
    talus_context_destroy(context);
    return 1;
  }
  talus_context_destroy(context);
  good = info.outcome == TALUS_OUTCOME_CONVERGED && near_to(impulse[0], 0.5) &&
         near_to(impulse[1], 0) && near_to(velocity[0], 0) && near_to(velocity[1], 1.5) &&
         (argc < 2 || strcmp(argv[1], talus_version()) == 0);
  printf("%s: %s\n", argv[0], good ? "right" : "wrong");
  return good ? 0 : 1;
}
