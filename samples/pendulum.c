/* pendulum.c: a pendulum of twelve links strikes the floor, a wall and itself.
 *
 * After Mylapilli and Jain (J. Comput. Nonlinear Dyn., section 6.2): twelve balls of 1 kg and
 * diameter 0.5 m on pin hinges, 12 m long, hung 10 m above the floor, at 45 degrees with 1 rad/s,
 * friction 0.5, restitution 0.7 (Newton's), steps of 1 ms, 20 s. Not in the paper, and chosen here:
 * a ball's centre is at the end of its link, 1 m from the hinge; the pendulum begins on the left,
 * and the wall is 4 m to the right of where its tip hangs at rest. Contacts are the caller's: here
 * pairs of balls, by hand.
 *
 * First one trajectory along which each method solves every step: the largest difference of rates
 * after the steps that both solved to the tolerance. Then each method runs by itself: its time, and
 * when it parts from the first by 1 mm. Energy is printed, not judged: Newton's restitution
 * together with friction can create it (Kane and Levinson), and the very first impact here does.
 * The quick form is 3 s long. */
#include <talus/talus_mechanism.h>
#include <time.h>

#include "sample.h"

static const char *const HELP = "pendulum [--full]\nTwelve links strike floor, wall and each other";

enum { LINKS = 12, TOUCHES = 2 * LINKS + LINKS * (LINKS - 1) / 2 };
static const double RADIUS = 0.25, FLOOR = -10, WALL = 4, STEP = 1e-3, TOLERANCE = 1e-9;

typedef struct run {
  talus_mechanism *mechanism;
  talus_coupling *coupling;
  double penetration;
  int32_t most; /* contacts at once */
  int64_t missed, contacts, solved;
  double worst;  /* epsilon */
  double astray; /* largest difference of the solver's rates and the mechanism's, rad/s */
} run;

static const talus_method methods[] = {TALUS_METHOD_GAUSS_SEIDEL_NESTEROV,
                                       TALUS_METHOD_GAUSS_SEIDEL, TALUS_METHOD_APGDB,
                                       TALUS_METHOD_SPECTRAL};
enum { METHODS = sizeof methods / sizeof *methods };

static run run_make(void) {
  run r;
  memset(&r, 0, sizeof r);
  talus_link_def link[LINKS];
  for (int i = 0; i < LINKS; i++) {
    link[i] = talus_link_def_default(TALUS_LINK_REVOLUTE);
    link[i].parent = i - 1;
    link[i].position[2] = i > 0 ? -1 : 0;
    link[i].axis[0] = 1;
    link[i].axis[2] = 0;
    link[i].centre[2] = -1;
    link[i].inertia[0] = link[i].inertia[3] = link[i].inertia[5] = 0.4 * RADIUS * RADIUS;
  }
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link_count = LINKS;
  def.link = link;
  TRY(talus_mechanism_create(sample_context(), &def, &r.mechanism));
  /* turning about x by a negative angle swings the hanging tip to the left, negative y */
  double q[LINKS] = {0}, v[LINKS] = {0};
  q[0] = -0.25 * acos(-1.0);
  v[0] = 1;
  TRY(talus_mechanism_set(r.mechanism, q, v));
  talus_coupling_def coupling = talus_coupling_def_default();
  coupling.step = STEP;
  coupling.gap_clamp = -1e-5;
  coupling.mechanism_count = 1;
  coupling.mechanism = &r.mechanism;
  TRY(talus_coupling_create(sample_context(), &coupling, &r.coupling));
  return r;
}

static void run_end(run *r) {
  talus_coupling_destroy(r->coupling);
  talus_mechanism_destroy(r->mechanism);
}

/* ---- contacts ----------------------------------------------------------------------------------
 */

static int near(talus_touch *touch, int32_t a, int32_t b, const double *point, const double *normal,
                double gap) {
  if (gap > 0.05) {
    return 0;
  }
  memset(touch, 0, sizeof *touch);
  touch->link_a = a;
  touch->link_b = b;
  memcpy(touch->point, point, sizeof touch->point);
  memcpy(touch->normal, normal, sizeof touch->normal);
  touch->gap = gap;
  touch->friction = 0.5;
  touch->restitution = 0.7;
  return 1;
}

static int32_t touches_find(run *r, talus_touch *touch) {
  static const double centre[3] = {0, 0, -1}, up[3] = {0, 0, 1}, left[3] = {0, -1, 0};
  double ball[LINKS][3];
  int32_t count = 0;
  for (int i = 0; i < LINKS; i++) {
    TRY(talus_mechanism_point(r->mechanism, i, centre, ball[i], NULL));
    const double low[3] = {0, ball[i][1], FLOOR}, side[3] = {0, WALL, ball[i][2]};
    count += near(&touch[count], TALUS_NONE, i, low, up, ball[i][2] - RADIUS - FLOOR);
    count += near(&touch[count], TALUS_NONE, i, side, left, WALL - RADIUS - ball[i][1]);
    for (int k = 0; k < i - 1; k++) { /* neighbours stay a link apart */
      const double apart[3] = {0, ball[i][1] - ball[k][1], ball[i][2] - ball[k][2]};
      const double distance = hypot(apart[1], apart[2]);
      const double normal[3] = {0, apart[1] / distance, apart[2] / distance};
      const double middle[3] = {0, 0.5 * (ball[i][1] + ball[k][1]),
                                0.5 * (ball[i][2] + ball[k][2])};
      count += near(&touch[count], k, i, middle, normal, distance - 2 * RADIUS);
    }
  }
  for (int32_t i = 0; i < count; i++) {
    r->penetration = fmax(r->penetration, -touch[i].gap);
  }
  r->most = count > r->most ? count : r->most;
  return count;
}

/* ---- steps -------------------------------------------------------------------------------------
 */

static talus_solver *solver_of(talus_method method) {
  talus_settings settings = talus_settings_default();
  talus_solver *solver;
  settings.method = method;
  settings.tolerance = TOLERANCE;
  settings.max_iterations = 20000;
  settings.threads = 1;
  TRY(talus_solver_create(sample_context(), &settings, &solver));
  return solver;
}

/* Solves a step's problem and leaves the velocities after it; 1 if the tolerance was reached. */
static int step_solve(run *r, talus_solver *solver, const talus_problem *problem, double *impulse,
                      double *velocity) {
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  solution.impulse = impulse;
  solution.velocity = velocity;
  if (problem->contact_count == 0) {
    memcpy(velocity, problem->blocks.velocity, LINKS * sizeof *velocity);
    return 1;
  }
  TRY(talus_solver_update(solver, problem));
  TRY(talus_solver_solve(solver, &solution, &info));
  r->solved++;
  r->contacts += problem->contact_count;
  r->missed += info.outcome != TALUS_OUTCOME_CONVERGED;
  r->worst = fmax(r->worst, info.measure);
  return info.outcome == TALUS_OUTCOME_CONVERGED;
}

/* Ends the step; the mechanism finds its velocities from the impulses by itself. */
static void step_end(run *r, const double *impulse, const double *velocity) {
  double own[LINKS];
  TRY(talus_coupling_advance(r->coupling, TALUS_SCHEME_EULER, impulse, NULL));
  TRY(talus_mechanism_get(r->mechanism, NULL, own));
  for (int c = 0; c < LINKS; c++) {
    r->astray = fmax(r->astray, fabs(own[c] - velocity[c]));
  }
}

static double energy(run *r) {
  talus_mechanism_balance balance = talus_mechanism_balance_default();
  TRY(talus_mechanism_measure(r->mechanism, &balance));
  return balance.kinetic + balance.potential;
}

/* One trajectory, by the first method; the others solve each of its steps as well. */
static double compare(int steps) {
  run r = run_make();
  run other[METHODS];
  talus_solver *solver[METHODS];
  double apart[METHODS] = {0};
  memset(other, 0, sizeof other);
  for (int k = 0; k < METHODS; k++) {
    solver[k] = solver_of(methods[k]);
  }
  for (int i = 0; i < steps; i++) {
    static talus_touch touch[TOUCHES];
    double impulse[3 * TOUCHES], ignored[3 * TOUCHES], first[LINKS], velocity[LINKS];
    talus_problem problem;
    TRY(talus_coupling_build(r.coupling, touch, touches_find(&r, touch), &problem));
    const int good = step_solve(&other[0], solver[0], &problem, impulse, first);
    for (int k = 1; k < METHODS; k++) {
      const int both = step_solve(&other[k], solver[k], &problem, ignored, velocity) && good;
      for (int c = 0; both && c < LINKS; c++) {
        apart[k] = fmax(apart[k], fabs(velocity[c] - first[c]));
      }
    }
    step_end(&r, impulse, first);
  }
  double most = 0;
  printf("one trajectory, each step by each method; tolerance %.1g\n", TOLERANCE);
  for (int k = 0; k < METHODS; k++) {
    printf(
        "  %-22s rates differ by at most %.2g rad/s; %lld of %lld solves missed it, worst %.2g\n",
        talus_method_name(methods[k]), apart[k], (long long)other[k].missed,
        (long long)other[k].solved, other[k].worst);
    most = fmax(most, apart[k]);
    talus_solver_destroy(solver[k]);
  }
  printf("  at most %d contacts at once\n", r.most);
  run_end(&r);
  return most;
}

/* A method by itself; path keeps the tip of the first one. What it came to is added to `sum`. */
static void alone(int steps, talus_method method, int first, double *path, run *sum) {
  static const double tip[3] = {0, 0, -1};
  run r = run_make();
  talus_solver *const solver = solver_of(method);
  const double before = energy(&r);
  double parted = -1, highest = before;
  const clock_t begin = clock();
  for (int i = 0; i < steps; i++) {
    static talus_touch touch[TOUCHES];
    double impulse[3 * TOUCHES], velocity[LINKS], place[3];
    talus_problem problem;
    TRY(talus_coupling_build(r.coupling, touch, touches_find(&r, touch), &problem));
    step_solve(&r, solver, &problem, impulse, velocity);
    step_end(&r, impulse, velocity);
    TRY(talus_mechanism_point(r.mechanism, LINKS - 1, tip, place, NULL));
    if (first) {
      memcpy(path + 3 * (size_t)i, place, sizeof place);
    } else if (parted < 0 && hypot(place[1] - path[3 * i + 1], place[2] - path[3 * i + 2]) > 1e-3) {
      parted = (i + 1) * STEP;
    }
    highest = fmax(highest, energy(&r));
  }
  const double spent = (double)(clock() - begin) / CLOCKS_PER_SEC, after = energy(&r);
  printf("  %-22s %6.2f s CPU, %lld contacts in %lld solves, %lld missed, penetration %.2g m, "
         "energy %.1f -> %.1f "
         "J (highest %.1f)",
         talus_method_name(method), spent, (long long)r.contacts, (long long)r.solved,
         (long long)r.missed, r.penetration, before, after, highest);
  if (!first && parted > 0) {
    printf(", parts by 1 mm at %.2f s", parted);
  }
  printf("\n");
  fflush(stdout);
  talus_solver_destroy(solver);
  run_end(&r);
  sum->penetration = fmax(sum->penetration, r.penetration);
  sum->astray = fmax(sum->astray, r.astray);
  sum->missed += r.missed;
  sum->solved += r.solved;
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  const int steps = options.full ? 20000 : 3000;
  double *const path = malloc(3 * (size_t)steps * sizeof *path);
  const double apart = compare(steps);
  run sum;
  memset(&sum, 0, sizeof sum);
  printf("each method by itself, %g s\n", steps * STEP);
  for (int k = 0; k < METHODS; k++) {
    alone(steps, methods[k], k == 0, path, &sum);
  }
  free(path);
  sample_head();
  sample_expect("rates differ between methods, rad/s", apart, 0, 1e3 * TOLERANCE);
  sample_expect("... between solver and mechanism, rad/s", sum.astray, 0, 1e-8);
  sample_expect("deepest penetration, m", sum.penetration, 0, 0.01);
  sample_expect("share of solves that miss the tolerance", (double)sum.missed / (double)sum.solved,
                0, 0.01);
  return sample_end();
}
