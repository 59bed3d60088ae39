/* disks.c: stacks of disks by Lemke's method, three fixed points and Newton's, step by step.
 *
 * After Anitescu and Hart (Math. Program. 101, 2004, section 5.3), in the plane: disks of radius 3,
 * n in the lowest row, n - 1 above and so on, at rest, step 0.05, plastic impacts, open gaps as
 * a bias (their linearised gap). LCP0 is Lemke's method on the exact law, LCP1 and
 * LCP2 are fixed points of convex problems, LCP3 is one such problem. Mass 1 and gravity 9.81 are
 * chosen here. Each method makes a run of its own; times are CPU time in the solver.
 *
 * The quick form lets 21 disks go for 0.5 s. --full: 21 disks for 3 s; 136 disks, friction 0.2; and
 * their table 1, the first step of 210 disks for five frictions. Where Lemke's method had no end
 * there, it is given 6000 pivots here. The error is the largest violation of the linearised gap:
 * how fast a contact opens that carries an impulse. */
#include <talus/talus_solve.h>
#include <time.h>

#include "sample.h"

static const char *const HELP = "disks [--full] [--table FILE]\nStacks of disks by five methods";

enum { DISKS = 210, CONTACTS = 1200 };
static const double RADIUS = 3, STEP = 0.05, G = 9.81, NEAR = 0.5;

static const struct {
  const char *name, *theirs;
  talus_method method;
  talus_cone cone;
} solvers[] = {{"lemke", "LCP0", TALUS_METHOD_LEMKE, TALUS_CONE_PYRAMID},
               {"lcp1", "LCP1", TALUS_METHOD_LCP1, TALUS_CONE_PYRAMID},
               {"lcp2", "LCP2", TALUS_METHOD_LCP2, TALUS_CONE_PYRAMID},
               {"lcp3", "LCP3", TALUS_METHOD_LCP3, TALUS_CONE_PYRAMID},
               {"newton", "", TALUS_METHOD_NEWTON, TALUS_CONE_CIRCULAR}};
enum { LEMKE, FIXED1, FIXED2, FIXED3, NEWTON, SOLVERS };

/* ---- the stack ------------------------------------------------------------------------------- */

typedef struct stack {
  int disks, contacts;
  double place[2 * DISKS], velocity[3 * DISKS];
  double friction, depth;
  /* a step's problem: blocks of (vx, vy, w), rows n and t */
  int32_t size[DISKS], block[2 * CONTACTS];
  int64_t start[CONTACTS + 1];
  double inverse_mass[9 * DISKS], free[3 * DISKS], jacobian[12 * CONTACTS];
  double bias[2 * CONTACTS], mu[CONTACTS];
} stack;

static void stack_make(stack *s, int bottom, double friction) {
  memset(s, 0, sizeof *s);
  s->friction = friction;
  for (int row = 0; row < bottom; row++) {
    for (int i = 0; i < bottom - row; i++, s->disks++) {
      s->place[2 * s->disks] = RADIUS * (2 * i + row);
      s->place[2 * s->disks + 1] = RADIUS * (1 + sqrt(3.0) * row);
    }
  }
  for (int i = 0; i < s->disks; i++) {
    s->size[i] = 3;
    s->inverse_mass[9 * i] = s->inverse_mass[9 * i + 4] = 1;
    s->inverse_mass[9 * i + 8] = 2 / (RADIUS * RADIUS);
  }
}

/* Rows n and t against one disk; side +1: the normal points towards it. */
static void entry_add(stack *s, int disk, double nx, double ny, double side) {
  const int at = (int)s->start[s->contacts + 1]++;
  const double row[6] = {side * nx, side * ny, 0, -side * ny, side * nx, -RADIUS};
  s->block[at] = disk;
  memcpy(s->jacobian + 6 * at, row, sizeof row);
}

static void contact_add(stack *s, int a, int b, double nx, double ny, double gap) {
  if (s->contacts == CONTACTS) {
    fprintf(stderr, "more than %d contacts\n", CONTACTS);
    exit(1);
  }
  s->start[s->contacts + 1] = s->start[s->contacts];
  if (a >= 0) {
    entry_add(s, a, nx, ny, -1);
  }
  entry_add(s, b, nx, ny, 1);
  s->bias[2 * s->contacts] =
      gap > 1e-9 ? gap / STEP : 0; /* rounding is no gap; lcp2 wants none below zero */
  s->bias[2 * s->contacts + 1] = 0;
  s->mu[s->contacts++] = s->friction;
  s->depth = fmax(s->depth, -gap);
}

static void contacts_find(stack *s, double near) {
  s->contacts = 0;
  s->depth = 0;
  for (int i = 0; i < s->disks; i++) {
    const double *const p = s->place + 2 * i;
    if (p[1] - RADIUS < near) {
      contact_add(s, -1, i, 0, 1, p[1] - RADIUS);
    }
    for (int j = 0; j < i; j++) {
      const double dx = p[0] - s->place[2 * j], dy = p[1] - s->place[2 * j + 1];
      const double gap = hypot(dx, dy) - 2 * RADIUS;
      if (gap < near) {
        contact_add(s, j, i, dx / (gap + 2 * RADIUS), dy / (gap + 2 * RADIUS), gap);
      }
    }
  }
}

static talus_problem problem_make(stack *s) {
  talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
  for (int i = 0; i < 3 * s->disks; i++) {
    s->free[i] = s->velocity[i] - (i % 3 == 1 ? G * STEP : 0);
  }
  problem.dimension = 2;
  problem.contact_count = s->contacts;
  problem.friction = s->mu;
  problem.blocks = (talus_blocks){.block_count = s->disks,
                                  .block_size = s->size,
                                  .inverse_mass = s->inverse_mass,
                                  .velocity = s->free,
                                  .contact_start = s->start,
                                  .contact_block = s->block,
                                  .contact_jacobian = s->jacobian,
                                  .bias = s->bias};
  return problem;
}

/* ---- one step -------------------------------------------------------------------------------- */

typedef struct outcome {
  int solved;
  int contacts;
  int64_t iterations, passes;
  double epsilon, seconds, error;
} outcome;

/* Velocities after it are left in the stack. */
static outcome step_solve(stack *s, int which, int64_t most) {
  static double impulse[2 * CONTACTS], u[2 * CONTACTS];
  const talus_problem problem = problem_make(s);
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  settings.method = solvers[which].method;
  settings.cone = solvers[which].cone;
  settings.tolerance = 1e-9;
  settings.max_iterations = most;
  settings.threads = 1;
  solution.impulse = impulse;
  solution.velocity = s->velocity;
  solution.contact_velocity = u;
  const clock_t begin = clock();
  TRY(talus_solve_once(sample_context(), &problem, &settings, &solution, &info));
  outcome o = {info.outcome == TALUS_OUTCOME_CONVERGED,
               s->contacts,
               info.iterations,
               info.passes,
               info.measure,
               (double)(clock() - begin) / CLOCKS_PER_SEC,
               0};
  for (int k = 0; k < s->contacts; k++) {
    o.error = impulse[2 * k] > 1e-9 ? fmax(o.error, fabs(u[2 * k])) : o.error;
  }
  return o;
}

static outcome step_take(stack *s, int which, int64_t most) {
  contacts_find(s, NEAR);
  const outcome o = step_solve(s, which, most);
  for (int i = 0; i < s->disks; i++) {
    s->place[2 * i] += STEP * s->velocity[3 * i];
    s->place[2 * i + 1] += STEP * s->velocity[3 * i + 1];
  }
  return o;
}

static double energy(const stack *s) {
  double sum = 0;
  for (int i = 0; i < s->disks; i++) {
    const double *const v = s->velocity + 3 * i;
    sum += 0.5 * (v[0] * v[0] + v[1] * v[1] + 0.5 * RADIUS * RADIUS * v[2] * v[2]) +
           G * s->place[2 * i + 1];
  }
  return sum;
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct series {
  int steps, solved;
  double seconds, slowest, epsilon, error, depth, gained;
} series;

/* So many steps of one method; rows of the table are appended to `file` (may be NULL). */
static series run(int bottom, double friction, int which, int steps, int64_t most, FILE *file) {
  static stack s;
  series r = {0};
  stack_make(&s, bottom, friction);
  double before = energy(&s);
  for (int i = 0; i < steps; i++) {
    const outcome o = step_take(&s, which, most);
    r.steps++;
    r.solved += o.solved;
    r.seconds += o.seconds;
    r.slowest = fmax(r.slowest, o.seconds);
    r.epsilon = fmax(r.epsilon, o.epsilon);
    r.error = fmax(r.error, o.error);
    r.depth = fmax(r.depth, s.depth);
    r.gained = fmax(r.gained, energy(&s) - before);
    before = energy(&s);
    if (file != NULL) {
      fprintf(file, "%d,%s,%g,%d,%.6g\n", s.disks, solvers[which].name, (i + 1) * STEP, o.contacts,
              o.seconds);
    }
  }
  printf(
      "  %-7s %3d of %3d steps to 1e-9, worst %.2g, gap missed by %.2g m/s, %.3g s in all, %.3g s "
      "at most, penetration %.2g m\n",
      solvers[which].name, r.solved, r.steps, r.epsilon, r.error, r.seconds, r.slowest, r.depth);
  fflush(stdout);
  sample_value(r.solved, "%d.%s.solved", s.disks, solvers[which].name);
  sample_value(r.steps, "%d.%s.steps", s.disks, solvers[which].name);
  sample_value(r.epsilon, "%d.%s.epsilon", s.disks, solvers[which].name);
  sample_value(r.error, "%d.%s.error", s.disks, solvers[which].name);
  sample_value(r.seconds / r.steps, "%d.%s.mean", s.disks, solvers[which].name);
  sample_value(r.slowest, "%d.%s.slowest", s.disks, solvers[which].name);
  return r;
}

/* Table 1: 210 disks, the first step; contacts that touch. */
static void table(double friction, int64_t pivots) {
  static const int methods[] = {LEMKE, FIXED3, NEWTON};
  static stack s;
  double convex = 1; /* epsilon of lcp3 */
  for (int m = 0; m < 3; m++) {
    const int which = methods[m];
    stack_make(&s, 20, friction);
    contacts_find(&s, 1e-6);
    const outcome o = step_solve(&s, which, which == LEMKE ? pivots : 100000);
    printf(
        "  friction %.1f  %-7s %-9s epsilon %.2g, gap missed by %.2g m/s, %.3g s, %lld iterations, "
        "%lld passes\n",
        friction, solvers[which].name, o.solved ? "solved" : "not so", o.epsilon, o.error,
        o.seconds, (long long)o.iterations, (long long)o.passes);
    fflush(stdout);
    sample_value(o.solved, "table.%.1f.%s.solved", friction, solvers[which].name);
    sample_value(o.epsilon, "table.%.1f.%s.epsilon", friction, solvers[which].name);
    sample_value(o.error, "table.%.1f.%s.error", friction, solvers[which].name);
    sample_value(o.seconds, "table.%.1f.%s.seconds", friction, solvers[which].name);
    sample_value((double)(which == FIXED3 ? o.passes : o.iterations), "table.%.1f.%s.steps",
                 friction, solvers[which].name);
    convex = which == FIXED3 ? o.epsilon : convex;
    if (which == NEWTON) {
      sample_expect("  newton's epsilon: 1e-9, or below lcp3's", o.epsilon, 0, fmax(1e-9, convex));
    }
  }
}

static void large(FILE *file) {
  static const double friction[] = {0.1, 0.2, 0.4, 0.6, 0.8};
  printf("136 disks, friction 0.2; lemke, lcp1 and lcp2: the first step, 4000 pivots or 20 convex "
         "problems\n");
  run(16, 0.2, LEMKE, 1, 4000, NULL);
  run(16, 0.2, FIXED1, 1, 20, NULL);
  run(16, 0.2, FIXED2, 1, 20, NULL);
  run(16, 0.2, FIXED3, 20, 100000, file);
  const series best = run(16, 0.2, NEWTON, 60, 100000, file);
  sample_expect("136 disks by newton: steps to 1e-9", best.solved, 60, 60);
  printf("table 1: 210 disks, the first step\n");
  for (int i = 0; i < 5; i++) {
    table(friction[i], 6000);
  }
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  const int steps = options.full ? 60 : 10;
  FILE *const file = options.table != NULL ? sample_create(options.table) : NULL;
  if (file != NULL) {
    fprintf(file, "disks,method,time,contacts,seconds\n");
  }
  printf("21 disks, friction 0.05, %g s, each method by itself\n", steps * STEP);
  series r[SOLVERS];
  for (int k = 0; k < SOLVERS; k++) {
    r[k] = run(6, 0.05, k, steps, 100000, file);
  }
  sample_head();
  for (int k = 0; k < SOLVERS; k++) {
    char what[64];
    snprintf(what, sizeof what, "21 disks by %s: steps to 1e-9", solvers[k].name);
    if (k != FIXED3) {
      sample_expect(what, r[k].solved, steps, steps);
    }
  }
  sample_expect("largest gain of energy in a step, J", r[LEMKE].gained, -INFINITY, 1e-6);
  if (options.full) {
    large(file);
  }
  if (file != NULL) {
    fclose(file);
  }
  return sample_end();
}
