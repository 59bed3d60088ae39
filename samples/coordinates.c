/* coordinates.c: the same chain in minimal and in redundant coordinates.
 *
 * Mylapilli and Jain (section 7) conjecture that in minimal coordinates solving costs little beside
 * setting up, and that the problem does not grow with the chain. Here a chain of rods hangs by a
 * hinge and lies on the floor with both ends of its last rod; one step is set up and solved with
 * joint angles as coordinates (a coupling: six unknowns), and with six coordinates per rod and five
 * bilateral rows per hinge. Set-up: what makes the problem, and talus_solver_update. The velocities
 * after it must be the same. Times are CPU time, the best of some. */
#include <talus/talus_mechanism.h>
#include <time.h>

#include "sample.h"

static const char *const HELP =
    "coordinates [--full]\nOne step of a chain in minimal and in redundant coordinates";

enum { MOST = 256, CONTACTS = 2 };
static const double STEP = 1e-2, FRICTION = 0.5;

typedef struct cost {
  int32_t unknowns;
  double setup, solve; /* s */
  double epsilon;
  double velocity[3 * CONTACTS]; /* of the contacts, after */
} cost;

typedef struct chain {
  int32_t links;
  talus_mechanism *mechanism;
  talus_coupling *coupling;
  talus_touch touch[CONTACTS];
} chain;

static chain chain_make(int32_t links) {
  chain c = {.links = links};
  talus_link_def *const link = malloc((size_t)links * sizeof *link);
  double *const q = calloc((size_t)links, sizeof *q);
  for (int32_t i = 0; i < links; i++) {
    link[i] = talus_link_def_default(TALUS_LINK_REVOLUTE);
    link[i].parent = i - 1;
    link[i].position[0] = i > 0;
    link[i].axis[1] = -1;
    link[i].axis[2] = 0;
    link[i].centre[0] = 0.5;
    link[i].inertia[0] = link[i].inertia[3] = link[i].inertia[5] = 1.0 / 12;
    q[i] = i + 1 == links ? 0 : 0.4 * sin(1.7 * (i + 1));
  }
  double sum = 0;
  for (int32_t i = 0; i + 1 < links; i++) {
    sum += q[i];
  }
  q[links - 1] = -sum; /* the last rod is level */
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link_count = links;
  def.link = link;
  TRY(talus_mechanism_create(sample_context(), &def, &c.mechanism));
  TRY(talus_mechanism_set(c.mechanism, q, NULL));
  free(link);
  free(q);
  talus_coupling_def join = talus_coupling_def_default();
  join.form = TALUS_FORM_DELASSUS;
  join.step = STEP;
  join.mechanism_count = 1;
  join.mechanism = &c.mechanism;
  TRY(talus_coupling_create(sample_context(), &join, &c.coupling));
  for (int k = 0; k < CONTACTS; k++) {
    const double end[3] = {k, 0, 0};
    memset(&c.touch[k], 0, sizeof c.touch[k]);
    c.touch[k].link_a = TALUS_NONE;
    c.touch[k].link_b = links - 1;
    c.touch[k].normal[2] = 1;
    c.touch[k].tangent[0] = 1;
    c.touch[k].friction = FRICTION;
    TRY(talus_mechanism_point(c.mechanism, links - 1, end, c.touch[k].point, NULL));
  }
  return c;
}

static void chain_end(chain *c) {
  talus_coupling_destroy(c->coupling);
  talus_mechanism_destroy(c->mechanism);
}

static talus_solver *solver_make(talus_method method) {
  talus_settings settings = talus_settings_default();
  talus_solver *solver;
  settings.method = method;
  settings.tolerance = 1e-10;
  settings.threads = 1;
  TRY(talus_solver_create(sample_context(), &settings, &solver));
  return solver;
}

static double seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

/* ---- minimal --------------------------------------------------------------------------------- */

static cost minimal(chain *c, talus_method method, int rounds) {
  cost best = {3 * CONTACTS, INFINITY, INFINITY, 0, {0}};
  talus_solver *const solver = solver_make(method);
  double *const q = malloc((size_t)c->links * sizeof *q);
  TRY(talus_mechanism_get(c->mechanism, q, NULL));
  for (int round = 0; round < rounds; round++) {
    talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
    talus_solution solution = talus_solution_default();
    talus_info info = talus_info_default();
    solution.contact_velocity = best.velocity;
    TRY(talus_mechanism_set(c->mechanism, q, NULL)); /* nothing is known beforehand */
    const double begin = seconds();
    TRY(talus_coupling_build(c->coupling, c->touch, CONTACTS, &problem));
    TRY(talus_solver_update(solver, &problem));
    const double ready = seconds();
    TRY(talus_solver_solve(solver, &solution, &info));
    best.setup = fmin(best.setup, ready - begin);
    best.solve = fmin(best.solve, seconds() - ready);
    best.epsilon = info.measure;
  }
  free(q);
  talus_solver_destroy(solver);
  return best;
}

/* ---- redundant ------------------------------------------------------------------------------- */

typedef struct bodies {
  double velocity[6 * MOST], inverse_mass[MOST], inverse_inertia[6 * MOST], centre[3 * MOST];
  int32_t row_a[5 * MOST], row_b[5 * MOST];
  double jacobian[12 * 5 * MOST];
  double normal[3 * CONTACTS], arm_a[3 * CONTACTS], arm_b[3 * CONTACTS], friction[CONTACTS];
  int32_t body_a[CONTACTS], body_b[CONTACTS];
} bodies;

static void cross(const double *a, const double *b, double *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Five rows of the hinge between body i and the one before. */
static void hinge_write(bodies *s, int32_t i, const double *joint) {
  for (int r = 0; r < 5; r++) {
    double *const j = s->jacobian + 12 * (5 * i + r), axis[3] = {0, 0, 0}, arm[3];
    s->row_a[5 * i + r] = i - 1;
    s->row_b[5 * i + r] = i;
    memset(j, 0, 12 * sizeof *j);
    axis[r < 3 ? r : r == 3 ? 0 : 2] = 1;
    if (r > 2) { /* no turning about x and z */
      memcpy(j + 9, axis, sizeof axis);
      j[3] = -axis[0];
      j[5] = -axis[2];
      continue;
    }
    memcpy(j + 6, axis, sizeof axis);
    for (int c = 0; c < 3; c++) {
      arm[c] = joint[c] - s->centre[3 * i + c];
    }
    cross(arm, axis, j + 9);
    for (int c = 0; c < 3 && i > 0; c++) {
      j[c] = -axis[c];
      arm[c] = s->centre[3 * (i - 1) + c] - joint[c];
    }
    if (i > 0) {
      cross(arm, axis, j + 3);
    } else {
      memset(j, 0, 6 * sizeof *j);
    }
  }
  if (i == 0) {
    for (int r = 3; r < 5; r++) {
      memset(s->jacobian + 12 * r, 0, 6 * sizeof(double));
    }
  }
}

static talus_problem bodies_write(chain *c, bodies *s) {
  static const double middle[3] = {0.5, 0, 0}, none[3];
  talus_problem problem = talus_problem_default(TALUS_FORM_RIGID);
  for (int32_t i = 0; i < c->links; i++) {
    double joint[3];
    TRY(talus_mechanism_point(c->mechanism, i, middle, s->centre + 3 * i, NULL));
    TRY(talus_mechanism_point(c->mechanism, i, none, joint, NULL));
    memset(s->velocity + 6 * i, 0, 6 * sizeof *s->velocity);
    memset(s->inverse_inertia + 6 * i, 0, 6 * sizeof *s->inverse_inertia);
    s->velocity[6 * i + 2] = -9.81 * STEP;
    s->inverse_mass[i] = 1;
    s->inverse_inertia[6 * i] = s->inverse_inertia[6 * i + 3] = s->inverse_inertia[6 * i + 5] = 12;
    hinge_write(s, i, joint);
  }
  for (int k = 0; k < CONTACTS; k++) {
    s->body_a[k] = -1;
    s->body_b[k] = c->links - 1;
    s->friction[k] = FRICTION;
    for (int d = 0; d < 3; d++) {
      s->normal[3 * k + d] = d == 2;
      s->arm_a[3 * k + d] = 0;
      s->arm_b[3 * k + d] = c->touch[k].point[d] - s->centre[3 * (c->links - 1) + d];
    }
  }
  problem.contact_count = CONTACTS;
  problem.bilateral_count = 5 * c->links;
  problem.friction = s->friction;
  problem.rigid = (talus_rigid){.body_count = c->links,
                                .velocity = s->velocity,
                                .inverse_mass = s->inverse_mass,
                                .inverse_inertia = s->inverse_inertia,
                                .body_a = s->body_a,
                                .body_b = s->body_b,
                                .normal = s->normal,
                                .arm_a = s->arm_a,
                                .arm_b = s->arm_b,
                                .row_body_a = s->row_a,
                                .row_body_b = s->row_b,
                                .row_jacobian = s->jacobian};
  return problem;
}

static cost redundant(chain *c, talus_method method, int rounds) {
  static bodies s;
  cost best = {3 * CONTACTS + 5 * c->links, INFINITY, INFINITY, 0, {0}};
  talus_solver *const solver = solver_make(method);
  for (int round = 0; round < rounds; round++) {
    talus_solution solution = talus_solution_default();
    talus_info info = talus_info_default();
    double u[3 * CONTACTS];
    solution.contact_velocity = u;
    const double begin = seconds();
    const talus_problem problem = bodies_write(c, &s);
    TRY(talus_solver_update(solver, &problem));
    const double ready = seconds();
    TRY(talus_solver_solve(solver, &solution, &info));
    best.setup = fmin(best.setup, ready - begin);
    best.solve = fmin(best.solve, seconds() - ready);
    best.epsilon = info.measure;
    for (int k = 0; k < CONTACTS; k++) { /* x y z to n t1 t2 */
      best.velocity[3 * k] = u[3 * k + 2];
      best.velocity[3 * k + 1] = u[3 * k];
      best.velocity[3 * k + 2] = u[3 * k + 1];
    }
  }
  talus_solver_destroy(solver);
  return best;
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  static const talus_method methods[] = {TALUS_METHOD_MNCP_PLM, TALUS_METHOD_NEWTON};
  const int32_t longest[2] = {options.full ? 64 : 16, options.full ? MOST : 32};
  FILE *const file = options.table != NULL ? sample_create(options.table) : NULL;
  double apart = 0, worst = 0;
  if (file != NULL) {
    fprintf(file, "links,method,minimal_setup,minimal_solve,redundant_setup,redundant_solve\n");
  }
  printf("%6s %-9s %9s %10s %10s   %9s %10s %10s\n", "links", "method", "unknowns", "set-up, s",
         "solve, s", "unknowns", "set-up, s", "solve, s");
  for (int m = 0; m < 2; m++) {
    for (int32_t n = 1; n <= longest[m]; n *= 2) {
      chain c = chain_make(n);
      const int rounds = n > 32 ? 3 : 20;
      const cost few = minimal(&c, methods[m], rounds), many = redundant(&c, methods[m], rounds);
      printf("%6d %-9s %9d %10.2g %10.2g   %9d %10.2g %10.2g\n", n, talus_method_name(methods[m]),
             few.unknowns, few.setup, few.solve, many.unknowns, many.setup, many.solve);
      fflush(stdout);
      if (file != NULL) {
        fprintf(file, "%d,%s,%.6g,%.6g,%.6g,%.6g\n", n, talus_method_name(methods[m]), few.setup,
                few.solve, many.setup, many.solve);
      }
      for (int i = 0; i < 3 * CONTACTS; i++) {
        apart = fmax(apart, fabs(few.velocity[i] - many.velocity[i]));
      }
      worst = fmax(worst, fmax(few.epsilon, many.epsilon));
      chain_end(&c);
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  sample_value(apart, "apart");
  sample_head();
  sample_expect("velocities of the contacts differ, m/s", apart, 0, 1e-7);
  sample_expect("worst epsilon", worst, 0, 1e-10);
  return sample_end();
}
