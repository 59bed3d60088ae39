/* first_solve.c: the smallest use of Talus: a ball touches the ground while sliding.
 *
 * One contact, one call. A ball of 1 kg and radius 0.1 m comes in at 1 m/s downwards and 2 m/s
 * sideways; friction 0.3. The ground stops the fall (normal impulse 1 N s) and, since the ball
 * slides, friction takes its full 0.3 N s. Exit code 0 if that is what came out. */
#include <math.h>
#include <stdio.h>
#include <talus/talus.h>

int main(void) {
  const double velocity[6] = {2, 0, -1, 0, 0, 0}; /* m/s, then rad/s */
  const double inverse_mass = 1, inverse_inertia[6] = {250, 0, 0, 250, 0, 250};
  const int32_t ground = -1, ball = 0;
  const double normal[3] = {0, 0, 1}, reach_ground = 0, reach_ball = 0.1, friction = 0.3;

  talus_problem problem = talus_problem_default(TALUS_FORM_RIGID);
  problem.contact_count = 1;
  problem.friction = &friction;
  problem.rigid.body_count = 1;
  problem.rigid.velocity = velocity;
  problem.rigid.inverse_mass = &inverse_mass;
  problem.rigid.inverse_inertia = inverse_inertia;
  problem.rigid.body_a = &ground; /* the normal points from a to b */
  problem.rigid.body_b = &ball;
  problem.rigid.normal = normal;
  problem.rigid.reach_a = &reach_ground;
  problem.rigid.reach_b = &reach_ball;

  double impulse[3], after[6];
  talus_solution solution = talus_solution_default();
  solution.impulse = impulse;
  solution.velocity = after;
  talus_settings settings = talus_settings_default();
  settings.tolerance = 1e-8;
  talus_info info = talus_info_default();
  talus_context *context = NULL;
  talus_status status = talus_context_create(NULL, &context);
  if (status == TALUS_OK) {
    status = talus_solve_once(context, &problem, &settings, &solution, &info);
  }
  if (status != TALUS_OK) {
    fprintf(stderr, "%s\n", context ? talus_context_message(context) : talus_status_text(status));
    talus_context_destroy(context);
    return 1;
  }
  printf("%s, epsilon %.1e\n", talus_outcome_name(info.outcome), info.certificate.epsilon_coulomb);
  printf("impulse  %9.6f %9.6f %9.6f N s\n", impulse[0], impulse[1], impulse[2]);
  printf("velocity %9.6f %9.6f %9.6f m/s\n", after[0], after[1], after[2]);
  talus_context_destroy(context);
  const int right = info.outcome == TALUS_OUTCOME_CONVERGED && fabs(impulse[2] - 1) < 1e-6 &&
                    fabs(impulse[0] + 0.3) < 1e-6 && fabs(after[0] - 1.7) < 1e-6;
  return right ? 0 : 1;
}
