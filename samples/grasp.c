/* grasp.c: two SCARA robots hold a cube: 200 random accelerations, by minimisation under bounds and
 * by the exact solver.
 *
 * After Andreani, Friedlander, Mello and Santos (2002), section 4: cube of side 0.4 m and 3 kg,
 * links of 0.4 m, 0.25 m and 0, joint angles as there, friction 0.1 and 0.2, contacts in the middle
 * of opposite faces, 200 right-hand sides in [-5, 5]. Not in the paper, and chosen here: links are
 * rods of 2 kg and 1.5 kg, the wrist has 0.3 kg, the quill, which moves up and down, 0.2 kg, both
 * as balls of radius 5 cm. Tangents are up and across. The robots' bases stand at 0.797 m, not 0.8
 * m, where their tips touch the faces. What stands for time is one second: velocities are
 * accelerations and impulses are forces.
 *
 * Sliding: both contacts slide up, friction is known, a complementarity problem of two unknowns.
 * Rolling: the exact law by MNCPOpt, the box by LCPOpt, and beside them mncp_plm and lemke. A test
 * is a success if the objective is below 1e-10 and its projected gradient at most 1e-5, both
 * computed here from the impulses, with the other unknowns as they follow from them. */
#include <talus/talus_mechanism.h>
#include <time.h>

#include "sample.h"

static const char *const HELP =
    "grasp\nTwo robots hold a cube: 200 random systems by minimisation under bounds";

enum { CONTACTS = 2, ROWS = 3 * CONTACTS, TESTS = 200 };
static const double FRICTION[CONTACTS] = {0.1, 0.2}, HALF = 0.2;

/* ---- W of the grasp -------------------------------------------------------------------------- */

static talus_link_def link_of(talus_link_kind kind, int32_t parent, double mass, double radius) {
  talus_link_def link = talus_link_def_default(kind);
  link.parent = parent;
  link.mass = mass;
  link.inertia[0] = link.inertia[3] = link.inertia[5] = 0.4 * mass * radius * radius;
  return link;
}

static void link_stretch(talus_link_def *link, double length, double next) {
  link->centre[1] = 0.5 * length;
  link->inertia[0] = link->inertia[5] = link->mass * length * length / 12;
  link->inertia[3] = link->mass * 0.03 * 0.03;
  link->position[1] = next;
}

/* A robot whose arm lies along y while its angles are zero; base at `place`, turned by `turn`. */
static talus_mechanism *robot(double place, double turn) {
  const double first = asin(0.25 / 0.8);
  talus_link_def link[4] = {
      link_of(TALUS_LINK_REVOLUTE, TALUS_NONE, 2, 0.03), link_of(TALUS_LINK_REVOLUTE, 0, 1.5, 0.03),
      link_of(TALUS_LINK_REVOLUTE, 1, 0.3, 0.05), link_of(TALUS_LINK_PRISMATIC, 2, 0.2, 0.05)};
  link_stretch(&link[0], 0.4, place);
  link_stretch(&link[1], 0.25, 0.4);
  link[2].position[1] = 0.25;
  const double angle[4] = {first + turn, -first - acos(-1.0) / 6, -acos(-1.0) / 6, 0};
  talus_mechanism_def def = talus_mechanism_def_default();
  talus_mechanism *mechanism;
  def.link_count = 4;
  def.link = link;
  TRY(talus_mechanism_create(sample_context(), &def, &mechanism));
  TRY(talus_mechanism_set(mechanism, angle, NULL));
  return mechanism;
}

static void grasp_make(double w[ROWS * ROWS]) {
  static const double tip[3] = {0, 0, 0};
  const double reach = 0.4 * cos(asin(0.25 / 0.8)) + 0.25 * cos(acos(-1.0) / 6);
  talus_link_def cube = link_of(TALUS_LINK_FREE, TALUS_NONE, 3, 0);
  cube.inertia[0] = cube.inertia[3] = cube.inertia[5] = 3 * 0.4 * 0.4 / 6;
  talus_mechanism_def def = talus_mechanism_def_default();
  talus_mechanism *part[3] = {robot(-HALF - reach, 0), robot(HALF + reach, acos(-1.0)), NULL};
  def.link_count = 1;
  def.link = &cube;
  TRY(talus_mechanism_create(sample_context(), &def, &part[2]));
  talus_coupling_def join = talus_coupling_def_default();
  join.form = TALUS_FORM_DELASSUS;
  join.mechanism_count = 3;
  join.mechanism = part;
  talus_coupling *coupling;
  TRY(talus_coupling_create(sample_context(), &join, &coupling));
  talus_touch touch[CONTACTS];
  memset(touch, 0, sizeof touch);
  for (int k = 0; k < CONTACTS; k++) {
    touch[k].mechanism_a = k;
    touch[k].link_a = 3;
    touch[k].mechanism_b = 2;
    touch[k].normal[1] = k == 0 ? 1 : -1;
    touch[k].tangent[2] = 1;
    touch[k].friction = FRICTION[k];
    TRY(talus_mechanism_point(part[k], 3, tip, touch[k].point, NULL));
  }
  talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
  TRY(talus_coupling_build(coupling, touch, CONTACTS, &problem));
  memcpy(w, problem.delassus.w.value, ROWS * ROWS * sizeof *w);
  talus_coupling_destroy(coupling);
  for (int k = 0; k < 3; k++) {
    talus_mechanism_destroy(part[k]);
  }
}

/* ---- solving --------------------------------------------------------------------------------- */

static double random_next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

typedef struct tally {
  const char *name;
  talus_method method;
  talus_cone cone;
  int solved;    /* to the tolerance */
  int successes; /* as they define it */
  int64_t iterations, products;
  double shortest, longest, seconds;
  int colinear[CONTACTS], open[CONTACTS], outside[CONTACTS];
  int strayed, singular; /* successes with a contact that is not colinear; and singular g_v */
} tally;

static void solve(tally *t, int32_t dimension, const double *w, const double *q, double *c) {
  talus_problem problem = talus_problem_default(TALUS_FORM_DELASSUS);
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  const int32_t rows = dimension * CONTACTS;
  problem.dimension = dimension;
  problem.contact_count = CONTACTS;
  problem.friction = dimension > 1 ? FRICTION : NULL;
  problem.delassus.w.storage = TALUS_STORAGE_DENSE;
  problem.delassus.w.rows = problem.delassus.w.columns = rows;
  problem.delassus.w.count = rows * rows;
  problem.delassus.w.value = w;
  problem.delassus.q = q;
  settings.method = t->method;
  settings.cone = t->cone;
  settings.tolerance = 1e-9;
  settings.threads = 1;
  solution.impulse = c;
  const clock_t begin = clock();
  TRY(talus_solve_once(sample_context(), &problem, &settings, &solution, &info));
  const double spent = (double)(clock() - begin) / CLOCKS_PER_SEC;
  t->solved += info.outcome == TALUS_OUTCOME_CONVERGED;
  t->iterations += info.iterations;
  t->products += info.passes;
  t->seconds += spent;
  t->shortest = fmin(t->shortest, spent);
  t->longest = fmax(t->longest, spent);
}

/* a = W c + q, W column-major. */
static void motion(int32_t rows, const double *w, const double *q, const double *c, double *a) {
  for (int32_t i = 0; i < rows; i++) {
    a[i] = q[i];
    for (int32_t j = 0; j < rows; j++) {
      a[i] += w[i + j * rows] * c[j];
    }
  }
}

/* ---- objectives ------------------------------------------------------------------------------ */

/* A point of one of the two minimisations and what it is worth. */
typedef double (*objective_fn)(const double *w, const double *q, const double *x);

/* LCPOpt of the sliding contacts: x = u, z. */
static double sliding_objective(const double *w, const double *q, const double *x) {
  double sum = 0, theta = 0;
  for (int i = 0; i < CONTACTS; i++) {
    const double f = w[i] * x[0] + w[i + 2] * x[1] + q[i] - x[2 + i];
    sum += f * f;
    theta += x[i] * x[2 + i];
  }
  return 0.5 * (sum + theta * theta);
}

/* MNCPOpt: per contact c_n, l, z_1, z_2, c_t, c_o, a_t, a_o. */
static double exact_objective(const double *w, const double *q, const double *x) {
  double c[ROWS], a[ROWS], sum = 0, theta = 0;
  for (int k = 0; k < CONTACTS; k++) {
    c[3 * k] = x[8 * k];
    c[3 * k + 1] = x[8 * k + 4];
    c[3 * k + 2] = x[8 * k + 5];
  }
  motion(ROWS, w, q, c, a);
  for (int k = 0; k < CONTACTS; k++) {
    const double *const y = x + 8 * k, mu = FRICTION[k];
    const double r[6] = {a[3 * k] - y[2],
                         mu * mu * y[0] * y[0] - y[4] * y[4] - y[5] * y[5] - y[3],
                         mu * y[0] * y[6] + y[1] * y[4],
                         mu * y[0] * y[7] + y[1] * y[5],
                         y[6] - a[3 * k + 1],
                         y[7] - a[3 * k + 2]};
    for (int i = 0; i < 6; i++) {
      sum += r[i] * r[i];
    }
    theta += y[0] * y[2] + y[1] * y[3];
  }
  return 0.5 * (sum + theta * theta);
}

/* LCPOpt: per contact u = c_n, s+_t, s+_o, a-_t, a-_o, then z. */
static double box_objective(const double *w, const double *q, const double *x) {
  double c[ROWS], a[ROWS], sum = 0, theta = 0;
  for (int k = 0; k < CONTACTS; k++) {
    const double *const y = x + 10 * k;
    c[3 * k] = y[0];
    c[3 * k + 1] = y[1] - FRICTION[k] * y[0];
    c[3 * k + 2] = y[2] - FRICTION[k] * y[0];
  }
  motion(ROWS, w, q, c, a);
  for (int k = 0; k < CONTACTS; k++) {
    const double *const y = x + 10 * k, *const z = y + 5, twice = 2 * FRICTION[k] * y[0];
    const double r[5] = {a[3 * k] - z[0], a[3 * k + 1] + y[3] - z[1], a[3 * k + 2] + y[4] - z[2],
                         twice - y[1] - z[3], twice - y[2] - z[4]};
    for (int i = 0; i < 5; i++) {
      sum += r[i] * r[i];
      theta += y[i] * z[i];
    }
  }
  return 0.5 * (sum + theta * theta);
}

/* Unknowns that follow from the forces. */
static void sliding_point(const double *c, const double *a, double *x) {
  for (int k = 0; k < CONTACTS; k++) {
    x[k] = fmax(c[k], 0);
    x[2 + k] = fmax(a[k], 0);
  }
}

static void exact_point(const double *c, const double *a, double *x) {
  for (int k = 0; k < CONTACTS; k++) {
    double *const y = x + 8 * k;
    const double *const f = c + 3 * k, *const v = a + 3 * k, mu = FRICTION[k];
    const double room = mu * mu * f[0] * f[0] - f[1] * f[1] - f[2] * f[2];
    const double square = f[1] * f[1] + f[2] * f[2];
    y[0] = fmax(f[0], 0);
    /* on the cone's edge the l of least squares, inside and at the tip none */
    const int edge = square > 0 && room <= 1e-6 * square;
    y[1] = edge ? fmax(0, -mu * f[0] * (v[1] * f[1] + v[2] * f[2]) / square) : 0;
    y[2] = fmax(v[0], 0);
    y[3] = edge ? 0 : fmax(room, 0);
    y[4] = f[1];
    y[5] = f[2];
    y[6] = v[1];
    y[7] = v[2];
  }
}

static void box_point(const double *c, const double *a, double *x) {
  for (int k = 0; k < CONTACTS; k++) {
    double *const y = x + 10 * k, *const z = y + 5;
    const double *const f = c + 3 * k, *const v = a + 3 * k, edge = FRICTION[k] * f[0];
    y[0] = fmax(f[0], 0);
    z[0] = fmax(v[0], 0);
    for (int i = 1; i < 3; i++) {
      y[i] = fmax(edge + f[i], 0);
      y[2 + i] = fmax(-v[i], 0);
      z[i] = fmax(v[i], 0);
      z[2 + i] = fmax(edge - f[i], 0);
    }
  }
}

/* Largest part of the gradient that can be followed; variables in `free` have no bound. */
static double pull(objective_fn objective, const double *w, const double *q, double *x, int count,
                   uint32_t free) {
  double most = 0;
  for (int i = 0; i < count; i++) {
    const double at = x[i], h = 1e-6;
    x[i] = at + h;
    const double up = objective(w, q, x);
    x[i] = at - h;
    const double slope = (up - objective(w, q, x)) / (2 * h);
    x[i] = at;
    const int stopped = !(free >> i & 1) && at <= 0 && slope > 0;
    most = fmax(most, stopped ? 0 : fabs(slope));
  }
  return most;
}

/* ---- what the solutions are like ------------------------------------------------------------- */

typedef enum change { BREAKS, ROLLS, SLIDES } change;

static change change_of(const double *c, const double *a) {
  return c[0] <= 1e-7 ? BREAKS : hypot(a[1], a[2]) <= 1e-6 ? ROLLS : SLIDES;
}

/* The force opposes the acceleration, or there is none of it; an open contact has no force that
 * could, and does not count. */
static int colinear(const double *c, const double *a) {
  const double size = hypot(c[1], c[2]) * hypot(a[1], a[2]);
  return change_of(c, a) == ROLLS ||
         (change_of(c, a) == SLIDES && c[1] * a[1] + c[2] * a[2] <= -(1 - 1e-8) * size);
}

/* Counts what one success is like. g_v, the derivative of eqs 18-19 by (c_t, a_t), is singular
 * where c_n = l = 0: at an open contact. */
static void success_count(tally *t, const double *c, const double *a) {
  int strayed = 0, singular = 0;
  t->successes++;
  for (int k = 0; k < CONTACTS; k++) {
    const double *const f = c + 3 * k, *const v = a + 3 * k;
    const int good = colinear(f, v);
    t->colinear[k] += good;
    t->open[k] += change_of(f, v) == BREAKS;
    t->outside[k] += hypot(f[1], f[2]) > FRICTION[k] * f[0] * (1 + 1e-6) + 1e-9;
    strayed |= !good;
    singular |= !good && change_of(f, v) == BREAKS;
  }
  t->strayed += strayed;
  t->singular += singular;
}

static int positive_definite(const double *w) {
  double l[ROWS * ROWS];
  memcpy(l, w, sizeof l);
  for (int j = 0; j < ROWS; j++) {
    for (int k = 0; k < j; k++) {
      for (int i = j; i < ROWS; i++) {
        l[i + j * ROWS] -= l[i + k * ROWS] * l[j + k * ROWS];
      }
    }
    if (!(l[j + j * ROWS] > 1e-9)) {
      return 0;
    }
    for (int i = ROWS - 1; i >= j; i--) {
      l[i + j * ROWS] /= sqrt(l[j + j * ROWS]);
    }
  }
  return 1;
}

/* ---- the three experiments ------------------------------------------------------------------- */

static int sliding(const double *full) {
  double w[4];
  tally t = {"sliding", TALUS_METHOD_LCPOPT, TALUS_CONE_BOX, .shortest = INFINITY};
  uint64_t state = 2002;
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) { /* c_t = -mu c_n: against the sliding */
      w[i + 2 * j] = full[3 * i + 3 * j * ROWS] - FRICTION[j] * full[3 * i + (3 * j + 1) * ROWS];
    }
  }
  for (int test = 0; test < TESTS; test++) {
    double q[2], c[2], a[2], x[4];
    for (int i = 0; i < 2; i++) {
      q[i] = 10 * random_next(&state) - 5;
    }
    solve(&t, 1, w, q, c);
    motion(2, w, q, c, a);
    sliding_point(c, a, x);
    t.successes +=
        sliding_objective(w, q, x) < 1e-10 && pull(sliding_objective, w, q, x, 4, 0) <= 1e-5;
  }
  printf("sliding, LCPOpt: %d of %d (theirs: 200)\n", t.successes, TESTS);
  sample_value(t.successes, "sliding.successes");
  return t.successes;
}

typedef struct rolling {
  tally t[4];
  int both, agree[CONTACTS]; /* MNCPOpt and LCPOpt succeed; same transition */
  int right;                 /* MNCPOpt's forces are the exact solver's */
} rolling;

static void rolling_run(const double *w, rolling *r) {
  static const objective_fn objective[2] = {exact_objective, box_objective};
  uint64_t state = 183194;
  for (int test = 0; test < TESTS; test++) {
    double q[ROWS], c[4][ROWS], a[4][ROWS], x[20];
    int success[4];
    for (int i = 0; i < ROWS; i++) {
      q[i] = 10 * random_next(&state) - 5;
    }
    for (int m = 0; m < 4; m++) {
      solve(&r->t[m], 3, w, q, c[m]);
      motion(ROWS, w, q, c[m], a[m]);
      (m % 2 ? box_point : exact_point)(c[m], a[m], x);
      success[m] = objective[m % 2](w, q, x) < 1e-10 &&
                   pull(objective[m % 2], w, q, x, m % 2 ? 20 : 16, m % 2 ? 0 : 0xf0f0) <= 1e-5;
      if (success[m]) {
        success_count(&r->t[m], c[m], a[m]);
      }
    }
    double apart = 0;
    for (int i = 0; i < ROWS; i++) {
      apart = fmax(apart, fabs(a[0][i] - a[2][i]));
    }
    r->right += success[0] && apart < 1e-4;
    r->both += success[0] && success[1];
    for (int k = 0; k < CONTACTS && success[0] && success[1]; k++) {
      r->agree[k] += change_of(c[0] + 3 * k, a[0] + 3 * k) == change_of(c[1] + 3 * k, a[1] + 3 * k);
    }
  }
}

static void rolling_print(const rolling *r) {
  for (int m = 0; m < 4; m++) {
    const tally *const t = &r->t[m];
    printf("rolling, %-8s %d of %d, to 1e-9: %d; colinear %d and %d, open %d and %d, outside the "
           "circular cone %d and %d; %.1f steps, %.1f products, %.2g s (%.2g to %.2g)\n",
           t->name, t->successes, TESTS, t->solved, t->colinear[0], t->colinear[1], t->open[0],
           t->open[1], t->outside[0], t->outside[1], (double)t->iterations / TESTS,
           (double)t->products / TESTS, t->seconds / TESTS, t->shortest, t->longest);
    sample_value(t->successes, "%s.successes", t->name);
    sample_value(t->solved, "%s.solved", t->name);
    sample_value(t->strayed, "%s.strayed", t->name);
    sample_value(t->singular, "%s.singular", t->name);
    sample_value((double)t->iterations / TESTS, "%s.iterations", t->name);
    sample_value((double)t->products / TESTS, "%s.products", t->name);
    sample_value(t->shortest, "%s.shortest", t->name);
    sample_value(t->seconds / TESTS, "%s.seconds", t->name);
    sample_value(t->longest, "%s.longest", t->name);
    for (int k = 0; k < CONTACTS; k++) {
      sample_value(t->colinear[k], "%s.colinear%d", t->name, k + 1);
      sample_value(t->open[k], "%s.open%d", t->name, k + 1);
      sample_value(t->outside[k], "%s.outside%d", t->name, k + 1);
    }
  }
  printf("MNCPOpt: %d with a contact that is not colinear, singular g_v in %d of them; both "
         "succeed in "
         "%d, the same transition in %d and %d; MNCPOpt gives the exact solver's accelerations in "
         "%d\n",
         r->t[0].strayed, r->t[0].singular, r->both, r->agree[0], r->agree[1], r->right);
  sample_value(r->both, "both");
  sample_value(r->agree[0], "agree1");
  sample_value(r->agree[1], "agree2");
  sample_value(r->right, "right");
}

int main(int argc, char **argv) {
  sample_begin(argc, argv, HELP);
  double w[ROWS * ROWS];
  rolling r;
  memset(&r, 0, sizeof r);
  r.t[0] = (tally){"MNCPOpt", TALUS_METHOD_MNCPOPT, TALUS_CONE_CIRCULAR, .shortest = INFINITY};
  r.t[1] = (tally){"LCPOpt", TALUS_METHOD_LCPOPT, TALUS_CONE_BOX, .shortest = INFINITY};
  r.t[2] = (tally){"mncp_plm", TALUS_METHOD_MNCP_PLM, TALUS_CONE_CIRCULAR, .shortest = INFINITY};
  r.t[3] = (tally){"lemke", TALUS_METHOD_LEMKE, TALUS_CONE_BOX, .shortest = INFINITY};
  grasp_make(w);
  const int slid = sliding(w);
  rolling_run(w, &r);
  rolling_print(&r);
  sample_head();
  sample_expect("W is positive definite", positive_definite(w), 1, 1);
  sample_expect("sliding, LCPOpt (theirs: 200)", slid, TESTS, TESTS);
  sample_expect("rolling, MNCPOpt (theirs: 183)", r.t[0].successes, 183, TESTS);
  sample_expect("rolling, LCPOpt (theirs: 194)", r.t[1].successes, 194, TESTS);
  sample_expect("rolling, exact law by mncp_plm", r.t[2].solved, TESTS, TESTS);
  sample_expect("rolling, box by lemke", r.t[3].solved, TESTS, TESTS);
  sample_expect("exact law: open or colinear, contact 1", r.t[2].colinear[0] + r.t[2].open[0],
                r.t[2].successes, r.t[2].successes);
  return sample_end();
}
