/* pendulum.c: a pendulum of twelve links strikes the floor, a wall and itself; five solvers.
 *
 * After Mylapilli and Jain, for 20 s; pendulum.h has the numbers.
 *
 * In a plane the faceted cone of the first three solvers is the circular one of the last two.
 * Pivoting stands where they use PATH.
 *
 * First one trajectory along which each solver solves every problem: the largest difference of
 * rates after it. Then each solver runs by itself: its time, and when it parts from the first by 1
 * mm.
 *
 * Restitution is Poisson's, then Newton's. The paper does not say which; Newton's together with
 * friction creates energy (Kane and Levinson): the very first impact does, and where a link jams
 * between floor and hinge, a thousandfold, until a run has no end. So a step with Newton's that
 * gains energy by its impulses is taken again with half the coefficient, and so on, at last without
 * any. The quick form is 3 s long. */
#include <time.h>

#include "pendulum.h"

static const char *const HELP =
    "pendulum [--full]\nTwelve links strike floor, wall and each other, by five solvers";

static const double TOLERANCE = 1e-10, STRICT = 1e-12; /* STRICT: along one trajectory */

typedef struct run {
  talus_mechanism *mechanism;
  talus_coupling *coupling;
  double penetration;
  int32_t most; /* contacts at once */
  int64_t missed, contacts, solved;
  int64_t lessened; /* steps with less restitution, lest they gain energy */
  double worst;     /* epsilon */
  double astray;    /* largest difference of the solver's rates and the mechanism's, rad/s */
  double solving;   /* s */
} run;

static const struct {
  const char *theirs;
  double seconds; /* theirs */
  talus_method method;
  talus_cone cone;
} solvers[] = {{"MLCP-PATH", 23.92, TALUS_METHOD_LEMKE, TALUS_CONE_PYRAMID},
               {"MLCP-PFB-RLM", 22.78, TALUS_METHOD_PFB_RLM, TALUS_CONE_PYRAMID},
               {"MLCP-PFB-PLM", 24.24, TALUS_METHOD_PFB_PLM, TALUS_CONE_PYRAMID},
               {"MNCP-RLM", 22.85, TALUS_METHOD_MNCP_RLM, TALUS_CONE_CIRCULAR},
               {"MNCP-PLM", 22.82, TALUS_METHOD_MNCP_PLM, TALUS_CONE_CIRCULAR}};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static run run_make(talus_restitution restitution) {
  const pendulum p =
      pendulum_make(sample_context(), restitution, TALUS_DYNAMICS_ARTICULATED, 0.25 * acos(-1.0));
  run r;
  memset(&r, 0, sizeof r);
  r.mechanism = p.mechanism;
  r.coupling = p.coupling;
  return r;
}

static void run_end(run *r) {
  pendulum p = {r->mechanism, r->coupling};
  pendulum_end(&p);
}

static int32_t touches_find(run *r, talus_touch *touch) {
  const int32_t count = pendulum_touches(r->mechanism, touch, TOUCHES);
  for (int32_t i = 0; i < count; i++) {
    r->penetration = fmax(r->penetration, -touch[i].gap);
  }
  r->most = count > r->most ? count : r->most;
  return count;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static talus_solver *solver_of(int which, double tolerance) {
  talus_settings settings = talus_settings_default();
  talus_solver *solver;
  settings.method = solvers[which].method;
  settings.cone = solvers[which].cone;
  settings.tolerance = tolerance;
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
  r->solving += info.seconds;
  r->contacts += problem->contact_count;
  r->missed += info.outcome != TALUS_OUTCOME_CONVERGED;
  r->worst = fmax(r->worst, info.measure);
  return info.outcome == TALUS_OUTCOME_CONVERGED;
}

/* Whether impulses that lead to these rates add energy: T after them against T without, the free
 * motion of the step included in both. */
static int gains(run *r, const talus_problem *problem, const double *velocity) {
  static double mass[LINKS * LINKS];
  const double *const free = problem->blocks.velocity;
  double before = 0, after = 0;
  TRY(talus_mechanism_mass_matrix(r->mechanism, mass));
  for (int i = 0; i < LINKS; i++) {
    for (int k = 0; k < LINKS; k++) {
      before += 0.5 * mass[LINKS * i + k] * free[i] * free[k];
      after += 0.5 * mass[LINKS * i + k] * velocity[i] * velocity[k];
    }
  }
  return after > before * (1 + 1e-9);
}

/* The problem of a step by these contacts, all with this restitution. */
static void step_build(run *r, talus_touch *touch, int32_t count, double restitution,
                       talus_problem *problem) {
  for (int32_t i = 0; i < count; i++) {
    touch[i].restitution = restitution;
  }
  TRY(talus_coupling_build(r->coupling, touch, count, problem));
}

/* The next coefficient to be tried; -1: none, the step stands. */
static double less(run *r, talus_restitution law, const talus_problem *problem, double restitution,
                   const double *velocity) {
  if (law == TALUS_RESTITUTION_POISSON || problem->contact_count == 0 || restitution == 0 ||
      !gains(r, problem, velocity)) {
    return -1;
  }
  r->lessened += restitution == RESTITUTION;
  return restitution > 0.1 ? 0.5 * restitution : 0;
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

/* ---- one trajectory -------------------------------------------------------------------------- */

typedef struct comparison {
  talus_solver *solver[SOLVERS];
  run other[SOLVERS];    /* counts of each */
  double apart[SOLVERS]; /* largest difference of rates ... */
  double two;            /* ... in problems of at most two contacts, by any solver */
  int64_t differs[SOLVERS];
  double gained; /* most in a step, J */
} comparison;

/* A problem by each solver; the first one's result is kept. */
static void all_solve(comparison *c, const talus_problem *problem, double *impulse,
                      double *velocity) {
  double ignored[ROWS], other[LINKS];
  step_solve(&c->other[0], c->solver[0], problem, impulse, velocity);
  for (int k = 1; k < SOLVERS; k++) {
    double most = 0;
    step_solve(&c->other[k], c->solver[k], problem, ignored, other);
    for (int i = 0; i < LINKS; i++) {
      most = fmax(most, fabs(other[i] - velocity[i]));
    }
    c->two = problem->contact_count <= 2 ? fmax(c->two, most) : c->two;
    c->differs[k] += most > 1e-9;
    c->apart[k] = fmax(c->apart[k], most);
  }
}

static void comparison_end(comparison *c, const char *law, const run *r, double reached) {
  printf("one trajectory, %s's restitution, %.3g s, each step by each solver; tolerance %.1g\n",
         law, reached, STRICT);
  for (int k = 0; k < SOLVERS; k++) {
    const char *const name = talus_method_name(solvers[k].method);
    printf("  %-8s rates differ by at most %.2g rad/s, in %lld problems by more than 1e-9; %lld of "
           "%lld missed the tolerance, worst %.2g\n",
           name, c->apart[k], (long long)c->differs[k], (long long)c->other[k].missed,
           (long long)c->other[k].solved, c->other[k].worst);
    sample_value(c->apart[k], "%s.%s.apart", law, name);
    sample_value((double)c->differs[k], "%s.%s.differs", law, name);
    talus_solver_destroy(c->solver[k]);
  }
  printf(
      "  at most %d contacts at once; a step gains at most %.3g J; with one or two contacts rates "
      "differ by at most %.2g rad/s\n",
      r->most, c->gained, c->two);
  sample_value(c->gained, "%s.gained", law);
  sample_value(r->most, "%s.contacts", law);
  sample_value((double)c->other[0].solved, "%s.solves", law);
  sample_value(reached, "%s.reached", law);
}

/* By the first solver; the others solve each of its problems as well. Returns the largest
 * difference. */
static double compare(talus_restitution restitution, const char *law, int steps, double *gained) {
  run r = run_make(restitution);
  comparison c;
  int i;
  memset(&c, 0, sizeof c);
  for (int k = 0; k < SOLVERS; k++) {
    c.solver[k] = solver_of(k, STRICT);
  }
  double before = energy(&r);
  for (i = 0; i < steps; i++) {
    static talus_touch touch[TOUCHES];
    double impulse[ROWS], velocity[LINKS];
    talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
    const int32_t count = touches_find(&r, touch);
    for (double e = RESTITUTION; e >= 0; e = less(&r, restitution, &problem, e, velocity)) {
      step_build(&r, touch, count, e, &problem);
      all_solve(&c, &problem, impulse, velocity);
    }
    TRY(talus_coupling_rebound(r.coupling, impulse, NULL, &problem));
    if (problem.contact_count > 0) {
      all_solve(&c, &problem, impulse, velocity);
    }
    step_end(&r, impulse, velocity);
    const double now = energy(&r);
    c.gained = fmax(c.gained, now - before);
    before = now;
  }
  double most = 0;
  for (int k = 0; k < SOLVERS; k++) {
    most = fmax(most, c.apart[k]);
  }
  *gained = c.gained;
  comparison_end(&c, law, &r, i * STEP);
  run_end(&r);
  return most;
}

/* ---- each solver by itself ------------------------------------------------------------------- */

/* Where the tip has been, in `own`. */
static void run_go(run *r, talus_restitution restitution, talus_solver *solver, int steps,
                   double *own) {
  static const double tip[3] = {0, 0, -1};
  for (int i = 0; i < steps; i++) {
    static talus_touch touch[TOUCHES];
    double impulse[ROWS], velocity[LINKS];
    talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
    const int32_t count = touches_find(r, touch);
    for (double e = RESTITUTION; e >= 0; e = less(r, restitution, &problem, e, velocity)) {
      step_build(r, touch, count, e, &problem);
      step_solve(r, solver, &problem, impulse, velocity);
    }
    TRY(talus_coupling_rebound(r->coupling, impulse, NULL, &problem));
    if (problem.contact_count > 0) {
      step_solve(r, solver, &problem, impulse, velocity);
    }
    step_end(r, impulse, velocity);
    TRY(talus_mechanism_point(r->mechanism, LINKS - 1, tip, own + 3 * (size_t)i, NULL));
  }
}

/* `path` keeps the tip of each. What it came to is added to `sum`. */
static void alone(talus_restitution restitution, const char *law, int steps, int which,
                  double *path, run *sum) {
  const char *const name = talus_method_name(solvers[which].method);
  double *const own = path + 3 * (size_t)steps * (size_t)which;
  run r = run_make(restitution);
  talus_solver *const solver = solver_of(which, TOLERANCE);
  const double before = energy(&r);
  const clock_t begin = clock();
  run_go(&r, restitution, solver, steps, own);
  const double spent = (double)(clock() - begin) / CLOCKS_PER_SEC, after = energy(&r);
  int parted = 0;
  while (parted < steps && hypot(own[3 * parted + 1] - path[3 * parted + 1],
                                 own[3 * parted + 2] - path[3 * parted + 2]) <= 1e-3) {
    parted++;
  }
  printf("  %-8s %6.2f s CPU (%s: %.2f s), %lld contacts in %lld solves, %lld missed, penetration "
         "%.2g m, energy %.1f -> %.4g J",
         name, spent, solvers[which].theirs, solvers[which].seconds, (long long)r.contacts,
         (long long)r.solved, (long long)r.missed, r.penetration, before, after);
  if (parted < steps) {
    printf(", parts by 1 mm at %.2f s", (parted + 1) * STEP);
  }
  if (r.lessened > 0) {
    printf(", %lld steps with less restitution", (long long)r.lessened);
  }
  printf("\n");
  fflush(stdout);
  sample_value(spent, "%s.%s.seconds", law, name);
  sample_value(solvers[which].seconds, "%s.%s.theirs", law, name);
  sample_value((double)r.missed, "%s.%s.missed", law, name);
  sample_value((double)r.solved, "%s.%s.solves", law, name);
  sample_value((double)r.lessened, "%s.%s.lessened", law, name);
  sample_value(after, "%s.%s.energy", law, name);
  sample_value(parted < steps ? (parted + 1) * STEP : INFINITY, "%s.%s.parted", law, name);
  talus_solver_destroy(solver);
  run_end(&r);
  sum->penetration = fmax(sum->penetration, r.penetration);
  sum->astray = fmax(sum->astray, r.astray);
  sum->missed += r.missed;
  sum->solved += r.solved;
}

/* Heights of the tip above the floor, one column per solver. */
static void table_write(const char *name, const double *path, int steps) {
  FILE *const file = sample_create(name);
  fprintf(file, "time");
  for (int k = 0; k < SOLVERS; k++) {
    fprintf(file, ",%s", talus_method_name(solvers[k].method));
  }
  for (int i = 9; i < steps; i += 10) {
    fprintf(file, "\n%g", (i + 1) * STEP);
    for (int k = 0; k < SOLVERS; k++) {
      fprintf(file, ",%.9g", path[3 * ((size_t)steps * (size_t)k + (size_t)i) + 2] - FLOOR);
    }
  }
  fprintf(file, "\n");
  fclose(file);
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  const int steps = options.full ? 20000 : 3000;
  double *const path = malloc(3 * (size_t)steps * SOLVERS * sizeof *path);
  run sum, newton;
  memset(&sum, 0, sizeof sum);
  memset(&newton, 0, sizeof newton);
  double gained[2];
  const double apart = compare(TALUS_RESTITUTION_POISSON, "poisson", steps, &gained[0]);
  printf("each solver by itself, Poisson's restitution, %g s\n", steps * STEP);
  for (int k = 0; k < SOLVERS; k++) {
    alone(TALUS_RESTITUTION_POISSON, "poisson", steps, k, path, &sum);
  }
  if (options.table != NULL) {
    table_write(options.table, path, steps);
  }
  const double newton_apart = compare(TALUS_RESTITUTION_NEWTON, "newton", steps, &gained[1]);
  printf("each solver by itself, Newton's restitution\n");
  for (int k = 0; k < SOLVERS; k++) {
    alone(TALUS_RESTITUTION_NEWTON, "newton", steps, k, path, &newton);
  }
  free(path);
  sample_value(sum.penetration, "penetration");
  sample_head();
  sample_expect("Poisson's: rates differ between solvers", apart, 0, 1e-9);
  sample_expect("... between solver and mechanism, rad/s", sum.astray, 0, 1e-10);
  sample_expect("deepest penetration, m", sum.penetration, 0, 1e-6);
  sample_expect("share of solves that miss the tolerance", (double)sum.missed / (double)sum.solved,
                0, 0.01);
  sample_expect("Newton's: rates differ between solvers", newton_apart, 0, 1e-9);
  sample_expect("... a step gains, J", gained[1], 0, 0.5); /* by Euler's steps, not by impacts */
  sample_expect("... deepest penetration, m", newton.penetration, 0, 1e-6);
  sample_expect("... share that misses the tolerance",
                (double)newton.missed / (double)newton.solved, 0, 0.01);
  return sample_end();
}
