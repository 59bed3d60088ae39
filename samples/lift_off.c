/* lift_off.c: a ball that slides fast rises from the floor under the convex law, and does not under
 * the exact one.
 *
 * After Negrut, Serban and Tasora (Posing multibody dynamics with friction and contact as a
 * differential complementarity problem): a bowling ball thrown along the floor. Their step asks of
 * a contact that gap/dt + u_n >= mu |u_t|, where Coulomb's law has gap/dt + u_n >= 0: the ball is
 * lifted at once by mu dt |u_t| and sinks back as sliding becomes rolling. Radius 0.11 m, 7 kg. The
 * step is written out here, as a caller of the solver would. */
#include "sample.h"

static const char *const HELP =
    "lift_off [--table FILE]\nA sliding ball rises under the convex law";

static const double RADIUS = 0.11, MASS = 7, G = 9.81;

typedef struct throw {
  double friction, step, speed;
}
throw;

typedef struct flight {
  double gap[3];  /* at a quarter, half, three quarters of the sliding, m */
  double slip[3]; /* |u_t| there, m/s */
  double highest; /* gap, m */
  double deepest; /* -gap, m */
  double first;   /* force of the first step over weight */
  double rolling; /* s */
} flight;

typedef struct ball {
  double height, velocity[6];
} ball;

/* One step; returns the impulse along the normal. */
static double ball_step(ball *b, const throw *t, talus_law law) {
  static const int32_t ground = -1, body = 0;
  static const double normal[3] = {0, 0, 1}, none = 0;
  const double mass = 1 / MASS, spin = 1 / (0.4 * MASS * RADIUS * RADIUS);
  const double inertia[6] = {spin, 0, 0, spin, 0, spin}, bias = (b->height - RADIUS) / t->step;
  double impulse[3], after[6];
  talus_problem problem = talus_problem_default(TALUS_FORM_RIGID);
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  b->velocity[2] -= G * t->step;
  problem.contact_count = 1;
  problem.friction = &t->friction;
  problem.rigid = (talus_rigid){.body_count = 1,
                                .velocity = b->velocity,
                                .inverse_mass = &mass,
                                .inverse_inertia = inertia,
                                .body_a = &ground,
                                .body_b = &body,
                                .normal = normal,
                                .reach_a = &none,
                                .reach_b = &RADIUS,
                                .bias = &bias};
  settings.law = law;
  settings.method = TALUS_METHOD_MNCP_PLM;
  settings.tolerance = 1e-13;
  solution.impulse = impulse;
  solution.velocity = after;
  TRY(talus_solve_once(sample_context(), &problem, &settings, &solution, NULL));
  memcpy(b->velocity, after, sizeof after);
  b->height += t->step * after[2];
  return impulse[2];
}

static double slip_of(const ball *b) {
  return hypot(b->velocity[0] - RADIUS * b->velocity[4], b->velocity[1] + RADIUS * b->velocity[3]);
}

/* From a gap of `start` until it rolls, and as long again; `path` (may be NULL) receives gap and mu
 * dt |u_t| per step. */
static flight fly(const throw *t, talus_law law, double start, double *path) {
  flight f;
  ball b = {RADIUS + start, {t->speed, 0, 0, 0, 0, 0}};
  const double slides = 2 * t->speed / (7 * t->friction * G);
  const int steps = (int)ceil(2 * slides / t->step);
  memset(&f, 0, sizeof f);
  f.rolling = NAN;
  for (int i = 0; i < steps; i++) {
    const double push = ball_step(&b, t, law), gap = b.height - RADIUS, slip = slip_of(&b);
    f.first = i == 0 ? push / (MASS * G * t->step) : f.first;
    f.highest = fmax(f.highest, gap);
    f.deepest = fmax(f.deepest, -gap);
    f.rolling = isnan(f.rolling) && slip < 1e-9 ? (i + 1) * t->step : f.rolling;
    for (int k = 0; k < 3; k++) {
      if (i + 1 == (int)round(0.25 * (k + 1) * slides / t->step)) {
        f.gap[k] = gap;
        f.slip[k] = slip;
      }
    }
    if (path != NULL) {
      path[i] = gap;
    }
  }
  return f;
}

/* Gaps in mm for three steps, and under the exact law. */
static void table_write(const char *name) {
  static const throw throws[4] = {
      {0.2, 0.5e-3, 10}, {0.2, 1e-3, 10}, {0.2, 2e-3, 10}, {0.2, 2e-3, 10}};
  double *path[4];
  FILE *const file = sample_create(name);
  fprintf(file, "time,convex_0.5ms,convex_1ms,convex_2ms,exact_2ms\n");
  for (int k = 0; k < 4; k++) {
    const throw *const t = &throws[k];
    path[k] = malloc((size_t)(2 + 4 * t->speed / (7 * t->friction * G) / t->step) * sizeof(double));
    fly(t, k < 3 ? TALUS_LAW_CCP : TALUS_LAW_COULOMB, k < 3 ? t->friction * t->step * t->speed : 0,
        path[k]);
  }
  const int rows = (int)(2 * throws[0].speed / (7 * throws[0].friction * G) / 2e-3 * 1.2);
  for (int i = 0; i < rows; i++) {
    fprintf(file, "%g", 2e-3 * (i + 1));
    for (int k = 0; k < 4; k++) {
      const int every = (int)round(2e-3 / throws[k].step);
      fprintf(file, ",%.9g", 1e3 * path[k][(i + 1) * every - 1]);
    }
    fprintf(file, "\n");
  }
  fclose(file);
  for (int k = 0; k < 4; k++) {
    free(path[k]);
  }
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  static const throw throws[] = {{0.2, 1e-3, 10},   {0.1, 1e-3, 10}, {0.4, 1e-3, 10},
                                 {0.2, 0.5e-3, 10}, {0.2, 2e-3, 10}, {0.2, 1e-3, 5},
                                 {0.2, 1e-3, 20}};
  double low = INFINITY, high = 0, flat = 0, late = 0, jumps = 0;
  printf(
      "friction  step, ms  speed, m/s  gap over mu dt |u_t| at 1/4, 1/2, 3/4 of the sliding  from "
      "the floor: force of the first step over weight (exact law), highest, m\n");
  for (size_t i = 0; i < sizeof throws / sizeof *throws; i++) {
    const throw *const t = &throws[i];
    const double hovers = t->friction * t->step * t->speed;
    const flight convex = fly(t, TALUS_LAW_CCP, hovers, NULL),
                 jump = fly(t, TALUS_LAW_CCP, 0, NULL);
    const flight exact = fly(t, TALUS_LAW_COULOMB, 0, NULL);
    const double height = t->friction * t->friction * t->speed * t->speed / (2 * G);
    const double wanted = 2 * t->speed / (7 * t->friction * G);
    double ratio[3];
    for (int k = 0; k < 3; k++) {
      ratio[k] = convex.gap[k] / (t->friction * t->step * convex.slip[k]);
      low = fmin(low, ratio[k]);
      high = fmax(high, ratio[k]);
    }
    flat = fmax(flat, fmax(exact.highest, exact.deepest));
    late = fmax(late, fabs(exact.rolling - wanted) / wanted);
    printf("%8g  %8g  %10g  %.4f %.4f %.4f  %.3g (%.3g), %.3g\n", t->friction, 1e3 * t->step,
           t->speed, ratio[0], ratio[1], ratio[2], jump.first, exact.first, jump.highest);
    jumps = fmax(jumps, jump.highest / height);
    sample_value(t->friction, "%zu.friction", i);
    sample_value(t->step, "%zu.step", i);
    sample_value(t->speed, "%zu.speed", i);
    sample_value(convex.highest, "%zu.highest", i);
    sample_value(ratio[1], "%zu.ratio", i);
    sample_value(fmax(exact.highest, exact.deepest), "%zu.exact", i);
    sample_value(jump.first, "%zu.first", i);
    sample_value(jump.highest, "%zu.jump", i);
    sample_value(exact.first, "%zu.first_exact", i);
  }
  if (options.table != NULL) {
    table_write(options.table);
  }
  sample_head();
  sample_expect("convex law: least gap over mu dt |u_t|", low, 0.98, 1.02);
  sample_expect("... largest", high, 0.98, 1.02);
  sample_expect("... set on the floor: jump over (mu v)^2/2g", jumps, 0.6, 1);
  sample_expect("exact law: largest gap or depth, m", flat, 0, 1e-12);
  sample_expect("... relative error of when it rolls", late, 0, 0.01);
  return sample_end();
}
