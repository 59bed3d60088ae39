/* force_chains.c: which grains carry a heap? Generates a heap of spheres in a box, solves its
 * contacts, and draws the force chains as a picture.
 *
 *   force_chains [PICTURE.png] [BODIES]
 *
 * Exit code 0 if the impulses carry the weight of the heap; 77 if Talus was built without libpng.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <talus/talus.h>

enum { SKIPPED = 77, WIDTH = 1200 };

static int fail(const talus_context *context, talus_status status, const char *what) {
  const char *message = context != NULL ? talus_context_message(context) : "";
  fprintf(stderr, "%s: %s\n", what, message[0] != '\0' ? message : talus_status_text(status));
  return status == TALUS_UNSUPPORTED ? SKIPPED : 1;
}

/* The ground and the walls must return, in sum, the downward momentum of all bodies: after the
 * solve the heap as a whole no longer falls. Returns how much of it is missing, relative. */
static double missing_support(const talus_problem *problem, const double *impulse) {
  const talus_rigid *rigid = &problem->rigid;
  double falling = 0, carried = 0;
  for (int32_t i = 0; i < rigid->body_count; i++) {
    if (rigid->inverse_mass[i] > 0) {
      falling -= rigid->velocity[6 * i + 2] / rigid->inverse_mass[i];
    }
  }
  for (int32_t k = 0; k < problem->contact_count; k++) {
    const int32_t a = rigid->body_a[k], b = rigid->body_b[k];
    const int a_moves = a >= 0 && rigid->inverse_mass[a] > 0;
    const int b_moves = b >= 0 && rigid->inverse_mass[b] > 0;
    carried += impulse[3 * k + 2] * (b_moves - a_moves);
  }
  return fabs(falling - carried) / falling;
}

static int solve_and_draw(talus_context *context, const talus_stored *heap, const char *picture) {
  const talus_problem *problem = &heap->problem;
  double *impulse = calloc(3 * (size_t)problem->contact_count + 1, sizeof *impulse);
  if (impulse == NULL) {
    return fail(NULL, TALUS_OUT_OF_MEMORY, "impulses");
  }
  talus_settings settings = talus_settings_default();
  settings.law = TALUS_LAW_CCP; /* convex: always solvable, and nothing slides in a resting heap */
  settings.tolerance = 1e-3;
  talus_solution solution = talus_solution_default();
  solution.impulse = impulse;
  talus_info info = talus_info_default();
  int code = 1;
  talus_status status = talus_solve_once(context, problem, &settings, &solution, &info);
  if (status != TALUS_OK) {
    code = fail(context, status, "solve");
  } else {
    const double missing = missing_support(problem, impulse);
    printf("%d spheres, %d contacts: %s by %s, %lld passes, %.3g s, epsilon %.1e\n",
           (int)problem->rigid.body_count, (int)problem->contact_count,
           talus_outcome_name(info.outcome), talus_method_name(info.method), (long long)info.passes,
           info.seconds, info.certificate.epsilon_ccp);
    printf("weight not carried: %.2g of it\n", missing);
    code = info.outcome == TALUS_OUTCOME_CONVERGED && missing < 0.01 ? 0 : 1;
    status = talus_force_chains_draw(context, picture, heap, impulse, WIDTH);
    if (status != TALUS_OK) {
      code = fail(context, status, picture);
    } else {
      printf("picture: %s\n", picture);
    }
  }
  free(impulse);
  return code;
}

int main(int argc, char **argv) {
  const char *picture = argc > 1 ? argv[1] : "force_chains.png";
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  def.body_count = argc > 2 ? atoi(argv[2]) : 2000;
  def.aspect = 0.1; /* a thin slice shows its chains */
  talus_context *context = NULL;
  talus_stored *heap = NULL;
  talus_status status = talus_context_create(NULL, &context);
  if (status == TALUS_OK) {
    status = talus_problem_generate(context, &def, &heap);
  }
  const int code =
      status == TALUS_OK ? solve_and_draw(context, heap, picture) : fail(context, status, "heap");
  talus_stored_destroy(heap);
  talus_context_destroy(context);
  return code;
}
