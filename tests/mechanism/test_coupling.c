/* test_coupling.c: contacts, loops, stops, motors and friction of mechanisms, through
 * talus_solve.h.
 *
 * Both forms give the same W and q (W from the blocks is formed here, densely); then one case of
 * known motion for each kind of row. */
#include <string.h>

#include "tests/check.h"
#include "tests/mechanism/trees.h"

enum { ROWS = 64, SIZE = 120 };

static double *dense_w(const talus_problem *p, double *q) {
  const talus_blocks *const b = &p->blocks;
  const int contacts = p->dimension * p->contact_count, rows = contacts + p->bilateral_count;
  static double j[ROWS][SIZE], w[ROWS * ROWS];
  double mass[SIZE][SIZE];
  int first[8] = {0}, total = 0;
  memset(j, 0, sizeof j);
  memset(mass, 0, sizeof mass);
  const double *inverse = b->inverse_mass;
  for (int i = 0; i < b->block_count; i++) {
    first[i] = total;
    for (int r = 0; r < b->block_size[i]; r++) {
      for (int c = 0; c < b->block_size[i]; c++) {
        mass[total + r][total + c] = *inverse++;
      }
    }
    total += b->block_size[i];
  }
  const double *jacobian = b->contact_jacobian;
  for (int k = 0; k < p->contact_count; k++) {
    for (int64_t e = b->contact_start[k]; e < b->contact_start[k + 1]; e++) {
      for (int r = 0; r < p->dimension; r++) {
        for (int c = 0; c < b->block_size[b->contact_block[e]]; c++) {
          j[p->dimension * k + r][first[b->contact_block[e]] + c] += *jacobian++;
        }
      }
    }
  }
  jacobian = b->bilateral_jacobian;
  for (int k = 0; k < p->bilateral_count; k++) {
    for (int64_t e = b->bilateral_start[k]; e < b->bilateral_start[k + 1]; e++) {
      for (int c = 0; c < b->block_size[b->bilateral_block[e]]; c++) {
        j[contacts + k][first[b->bilateral_block[e]] + c] += *jacobian++;
      }
    }
  }
  for (int r = 0; r < rows; r++) {
    q[r] = r < contacts ? b->bias[r] : b->bilateral_bias[r - contacts];
    for (int c = 0; c < total; c++) {
      q[r] += j[r][c] * b->velocity[c];
    }
    for (int s = 0; s < rows; s++) {
      w[r + s * rows] = 0;
      for (int c = 0; c < total; c++) {
        for (int d = 0; d < total; d++) {
          w[r + s * rows] += j[r][c] * mass[c][d] * j[s][d];
        }
      }
    }
  }
  return w;
}

static void forms(void) {
  talus_context *const context = tree_context(1);
  for (uint64_t seed = 1; seed <= 8; seed++) {
    talus_mechanism *m[2] = {tree_make(context, seed, 9, TREE_BUSHY, 0),
                             tree_make(context, seed + 50, 5, TREE_SHUFFLED, 1)};
    talus_loop_def loop = talus_loop_def_default();
    talus_touch touch[6];
    uint64_t state = seed;
    loop.link_a = 3;
    loop.mechanism_b = 1;
    loop.link_b = 2;
    memset(touch, 0, sizeof touch);
    for (int i = 0; i < 6; i++) { /* ground, between mechanisms, within one, on the same link */
      touch[i].mechanism_a = i % 2;
      touch[i].link_a = i < 2 ? TALUS_NONE : i;
      touch[i].link_a = i == 3 ? 4 : i == 5 ? 1 : touch[i].link_a;
      touch[i].mechanism_b = i % 3 == 0 ? 0 : 1;
      touch[i].link_b = i % 5;
      for (int c = 0; c < 3; c++) {
        touch[i].point[c] = tree_random(&state);
      }
      touch[i].normal[i % 3] = 1;
      touch[i].gap = 0.01 * tree_random(&state);
      touch[i].friction = 0.5;
      touch[i].restitution = 0.1 * i;
    }
    for (int i = 0; i < 2; i++) {
      tree_move(m[i], seed, 1);
    }
    talus_coupling_def def = talus_coupling_def_default();
    talus_coupling *coupling[2];
    talus_problem problem[2];
    def.mechanism_count = 2;
    def.mechanism = m;
    def.loop_count = 1;
    def.loop = &loop;
    for (int f = 0; f < 2; f++) {
      def.form = f ? TALUS_FORM_DELASSUS : TALUS_FORM_BLOCKS;
      problem[f] = talus_problem_default(def.form);
      CHECK_CASE(talus_coupling_create(context, &def, &coupling[f]) == TALUS_OK, "%s",
                 talus_context_message(context));
      CHECK_CASE(talus_coupling_build(coupling[f], touch, 6, &problem[f]) == TALUS_OK, "%s",
                 talus_context_message(context));
    }
    double q[ROWS], size = 0, off = 0, free_off = 0, free_size = 0;
    const int rows = problem[1].delassus.w.rows;
    CHECK(rows == 3 * 6 + 3);
    const double *const w = dense_w(&problem[0], q), *const other = problem[1].delassus.w.value;
    for (int i = 0; i < rows * rows; i++) {
      size = fmax(size, fabs(w[i]));
      off = fmax(off, fabs(w[i] - other[i]));
    }
    for (int i = 0; i < rows; i++) {
      free_size = fmax(free_size, fabs(q[i]));
      free_off = fmax(free_off, fabs(q[i] - problem[1].delassus.q[i]));
    }
    CHECK_CASE(size > 0 && off <= 1e-11 * size, "seed %d: %g of %g", (int)seed, off, size);
    CHECK_CASE(free_off <= 1e-11 * free_size, "seed %d: %g of %g", (int)seed, free_off, free_size);
    for (int f = 0; f < 2; f++) {
      talus_coupling_destroy(coupling[f]);
      talus_mechanism_destroy(m[f]);
    }
  }
  talus_context_destroy(context);
}

/* How far a problem's velocities without impulses are from those at the end of a step by
 * Runge-Kutta, at points that move with their links. */
static double foresight(talus_context *context, uint64_t seed, int32_t drift, double step) {
  enum { POINTS = 5 };
  talus_mechanism *const m = tree_make(context, seed, 9, TREE_BUSHY, 1);
  double local[POINTS][3], zero[3 * POINTS] = {0}, after[3], off = 0;
  talus_touch touch[POINTS];
  uint64_t state = seed;
  tree_move(m, seed, 1);
  memset(touch, 0, sizeof touch);
  for (int i = 0; i < POINTS; i++) {
    for (int c = 0; c < 3; c++) {
      local[i][c] = tree_random(&state);
    }
    touch[i].link_a = TALUS_NONE;
    touch[i].link_b = 2 * i;
    touch[i].normal[0] = touch[i].tangent[1] = 1;
    CHECK(talus_mechanism_point(m, 2 * i, local[i], touch[i].point, NULL) == TALUS_OK);
  }
  talus_coupling_def def = talus_coupling_def_default();
  talus_coupling *coupling;
  talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
  def.form = TALUS_FORM_DELASSUS;
  def.step = step;
  def.drift = drift;
  def.mechanism_count = 1;
  def.mechanism = &m;
  CHECK(talus_coupling_create(context, &def, &coupling) == TALUS_OK);
  CHECK(talus_coupling_build(coupling, touch, POINTS, &problem) == TALUS_OK);
  double foreseen[3 * POINTS];
  memcpy(foreseen, problem.delassus.q, sizeof foreseen);
  CHECK(talus_coupling_advance(coupling, TALUS_SCHEME_RUNGE_KUTTA, zero, NULL) == TALUS_OK);
  for (int i = 0; i < POINTS; i++) {
    CHECK(talus_mechanism_point(m, 2 * i, local[i], NULL, after) == TALUS_OK);
    for (int c = 0; c < 3; c++) {
      off = fmax(off, fabs(foreseen[3 * i + c] - after[c]));
    }
  }
  talus_coupling_destroy(coupling);
  talus_mechanism_destroy(m);
  return off;
}

static void drifts(void) {
  talus_context *const context = tree_context(1);
  for (uint64_t seed = 1; seed <= 8; seed++) {
    const double plain = foresight(context, seed, 0, 1e-4) / foresight(context, seed, 0, 5e-5);
    const double drift = foresight(context, seed, 1, 1e-4) / foresight(context, seed, 1, 5e-5);
    CHECK_CASE(fabs(plain - 2) < 0.2, "seed %d: %g", (int)seed, plain);
    CHECK_CASE(fabs(drift - 4) < 0.4, "seed %d: %g", (int)seed, drift);
  }
  talus_context_destroy(context);
}

/* ---- motions --------------------------------------------------------------------------------- */

typedef struct scene {
  talus_context *context;
  talus_mechanism *mechanism;
  talus_coupling *coupling;
  talus_solver *solver;
} scene;

static scene scene_make(talus_context *context, const talus_link_def *link, int32_t count,
                        const talus_loop_def *loop, talus_form form) {
  scene s = {context, NULL, NULL, NULL};
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link = link;
  def.link_count = count;
  CHECK(talus_mechanism_create(context, &def, &s.mechanism) == TALUS_OK);
  talus_coupling_def coupling = talus_coupling_def_default();
  coupling.mechanism_count = 1;
  coupling.mechanism = &s.mechanism;
  coupling.loop_count = loop != NULL;
  coupling.loop = loop;
  coupling.form = form;
  CHECK(talus_coupling_create(context, &coupling, &s.coupling) == TALUS_OK);
  talus_settings settings = talus_settings_default();
  settings.tolerance = 1e-11;
  CHECK(talus_solver_create(context, &settings, &s.solver) == TALUS_OK);
  return s;
}

static void scene_step(scene *s, const talus_touch *touch, int32_t count, talus_scheme scheme) {
  double impulse[ROWS], bilateral[ROWS];
  talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
  talus_solution solution = talus_solution_default();
  solution.impulse = impulse;
  solution.bilateral_impulse = bilateral;
  CHECK(talus_coupling_build(s->coupling, touch, count, &problem) == TALUS_OK);
  CHECK_CASE(talus_solver_update(s->solver, &problem) == TALUS_OK, "%s",
             talus_context_message(s->context));
  CHECK(talus_solver_solve(s->solver, &solution, NULL) == TALUS_OK);
  CHECK(talus_coupling_advance(s->coupling, scheme, impulse, bilateral) == TALUS_OK);
}

static void scene_end(scene *s) {
  talus_solver_destroy(s->solver);
  talus_coupling_destroy(s->coupling);
  talus_mechanism_destroy(s->mechanism);
}

static talus_touch floor_touch(talus_mechanism *m, double radius) {
  talus_touch touch;
  double place[3];
  talus_mechanism_pose(m, 0, place, NULL, NULL);
  memset(&touch, 0, sizeof touch);
  touch.mechanism_a = touch.link_a = TALUS_NONE;
  memcpy(touch.point, place, sizeof place);
  touch.point[2] -= radius;
  touch.normal[2] = 1;
  touch.gap = place[2] - radius;
  return touch;
}

/* A ball dropped from h = 0.5 rebounds to e^2 h; one that slides rolls after t = 2 v / (7 mu g)
 * with 5/7 of its speed; its contact carries its weight. */
static void balls(void) {
  talus_context *const context = tree_context(1);
  talus_link_def link = talus_link_def_default(TALUS_LINK_FREE);
  link.inertia[0] = link.inertia[3] = link.inertia[5] = 0.4 * 0.04;
  for (int form = 0; form < 2; form++) {
    scene s = scene_make(context, &link, 1, NULL, form ? TALUS_FORM_DELASSUS : TALUS_FORM_BLOCKS);
    double q[7] = {0, 0, 0.7, 1, 0, 0, 0}, v[6] = {0}, top = 0;
    talus_mechanism_set(s.mechanism, q, v);
    for (int i = 0; i < 600; i++) {
      talus_touch touch = floor_touch(s.mechanism, 0.2);
      touch.restitution = 0.7;
      scene_step(&s, &touch, 1, TALUS_SCHEME_EULER);
      talus_mechanism_get(s.mechanism, q, v);
      CHECK(q[2] > 0.2 - 1e-3);
      top = i > 330 ? fmax(top, q[2]) : 0;
    }
    CHECK_CLOSE(top, 0.2 + 0.49 * 0.5, 5e-3);
    const double rest[7] = {0, 0, 0.2, 1, 0, 0, 0}, slide[6] = {2, 0, 0, 0, 0, 0};
    talus_mechanism_set(s.mechanism, rest, slide);
    for (int i = 0; i < 400; i++) {
      talus_touch touch = floor_touch(s.mechanism, 0.2);
      touch.friction = 0.3;
      scene_step(&s, &touch, 1, TALUS_SCHEME_EULER);
      talus_mechanism_get(s.mechanism, q, v);
      const double t = (i + 1) * 1e-3, rolls = 2 * 2 / (7 * 0.3 * 9.81);
      CHECK_CLOSE(v[0], t < rolls ? 2 - 0.3 * 9.81 * t : 10.0 / 7, 4e-3);
    }
    CHECK_CLOSE(v[4], v[0] / 0.2, 1e-6);
    scene_end(&s);
  }
  talus_context_destroy(context);
}

/* A rod hinged at the origin: it falls on its stop and lies there; a motor turns it; dry friction
 * larger than its weight's moment holds it, a smaller one slows it. */
static void joints(void) {
  talus_context *const context = tree_context(1);
  talus_link_def base = talus_link_def_default(TALUS_LINK_REVOLUTE);
  base.axis[1] = -1;
  base.axis[2] = 0;
  base.centre[0] = 0.5;
  for (int form = 0; form < 2; form++) {
    const talus_form f = form ? TALUS_FORM_DELASSUS : TALUS_FORM_BLOCKS;
    double q[2], v[2];
    talus_link_def link[2] = {base, base};
    link[1].parent = 0;
    link[1].position[0] = 1;
    link[0].limited = link[1].limited = 1;
    link[0].lower[0] = link[1].lower[0] = -0.3;
    scene stop = scene_make(context, link, 2, NULL, f);
    for (int i = 0; i < 1500; i++) {
      scene_step(&stop, NULL, 0, TALUS_SCHEME_EULER);
      talus_mechanism_get(stop.mechanism, q, v);
      CHECK(q[0] > -0.3 - 1e-4 && q[1] > -0.3 - 1e-4);
    }
    CHECK_CLOSE(q[0], -0.3, 1e-6);
    CHECK_CLOSE(q[1], -0.3, 1e-6);
    CHECK_CLOSE(v[0], 0, 1e-9);
    scene_end(&stop);

    link[0] = base;
    link[0].motor = TALUS_MOTOR_SERVO;
    link[0].target[0] = 0.8;
    link[0].response = 0.05;
    scene servo = scene_make(context, link, 1, NULL, f);
    for (int i = 0; i < 1000; i++) {
      scene_step(&servo, NULL, 0, TALUS_SCHEME_EULER);
    }
    talus_mechanism_get(servo.mechanism, q, v);
    CHECK_CLOSE(q[0], 0.8, 1e-6);
    const double none[1] = {0};
    CHECK(talus_mechanism_drive(servo.mechanism, 0, none, none, 0.1) == TALUS_OK);
    for (int i = 0; i < 1000; i++) { /* too weak to hold it */
      scene_step(&servo, NULL, 0, TALUS_SCHEME_EULER);
    }
    talus_mechanism_get(servo.mechanism, q, v);
    CHECK(q[0] < -1);
    scene_end(&servo);

    link[0] = base;
    link[0].friction = 0.51 * 9.81;
    scene held = scene_make(context, link, 1, NULL, f);
    link[0].friction = 0.2 * 9.81;
    scene slowed = scene_make(context, link, 1, NULL, f);
    scene_step(&held, NULL, 0, TALUS_SCHEME_EULER);
    scene_step(&slowed, NULL, 0, TALUS_SCHEME_EULER);
    talus_mechanism_get(held.mechanism, q, v);
    CHECK_CLOSE(v[0], 0, 1e-12);
    talus_mechanism_get(slowed.mechanism, q, v);
    CHECK_CLOSE(v[0], -1e-3 * 0.3 * 9.81 / (0.25 + 0.1), 1e-9);
    scene_end(&held);
    scene_end(&slowed);
  }
  talus_context_destroy(context);
}

/* A parallelogram of three rods closed to the ground by two rows swings like the pendulum that each
 * of its arms is: (1/3 + 1 + 1/3) a = -(1/2 + 1 + 1/2) g cos t. */
static void four_bar(void) {
  talus_context *const context = tree_context(1);
  talus_link_def link[3];
  for (int i = 0; i < 3; i++) {
    link[i] = talus_link_def_default(TALUS_LINK_REVOLUTE);
    link[i].parent = i - 1;
    link[i].position[0] = i > 0;
    link[i].axis[1] = -1;
    link[i].axis[2] = 0;
    link[i].centre[0] = 0.5;
    link[i].inertia[0] = link[i].inertia[3] = link[i].inertia[5] = 1.0 / 12;
  }
  talus_loop_def loop = talus_loop_def_default();
  loop.link_a = TALUS_NONE;
  loop.point_a[0] = 1; /* the far pivot */
  loop.link_b = 2;
  loop.point_b[0] = 1;
  loop.direction_count = 2; /* x and z */
  loop.direction[4] = 0;
  loop.direction[5] = 1;
  scene s = scene_make(context, link, 3, &loop, TALUS_FORM_DELASSUS);
  const double t0 = -0.9; /* arm, coupler level, arm back up */
  double q[3] = {t0, -t0, t0 + acos(-1.0)}, v[3] = {0, 0, 0}, angle = t0, rate = 0, end[3];
  talus_mechanism_set(s.mechanism, q, v);
  const double tip[3] = {1, 0, 0};
  for (int i = 0; i < 1000; i++) {
    scene_step(&s, NULL, 0, TALUS_SCHEME_EULER);
    rate += -1e-3 * 2 * 9.81 * cos(angle) / (5.0 / 3);
    angle += 1e-3 * rate;
    CHECK(talus_mechanism_point(s.mechanism, 2, tip, end, NULL) == TALUS_OK);
    CHECK(hypot(end[0] - 1, end[2]) < 1e-4);
  }
  talus_mechanism_get(s.mechanism, q, v);
  CHECK_CLOSE(q[0], angle, 2e-3);
  CHECK_CLOSE(q[0] + q[1], 0, 1e-4);
  scene_end(&s);
  talus_context_destroy(context);
}

static void refusals(void) {
  talus_context *const context = tree_context(1);
  talus_link_def link = talus_link_def_default(TALUS_LINK_FREE);
  scene s = scene_make(context, &link, 1, NULL, TALUS_FORM_BLOCKS);
  talus_touch good = floor_touch(s.mechanism, 0.2), bad;
  talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
  double impulse[3] = {0, 0, 0};
  CHECK(talus_coupling_advance(s.coupling, TALUS_SCHEME_EULER, impulse, NULL) == TALUS_CALL_ORDER);
  bad = good;
  bad.link_b = 1;
  CHECK(talus_coupling_build(s.coupling, &bad, 1, &problem) == TALUS_INDEX_RANGE);
  bad.link_b = TALUS_NONE;
  CHECK(talus_coupling_build(s.coupling, &bad, 1, &problem) == TALUS_IMMOVABLE_PAIR);
  bad = good;
  bad.normal[0] = 1;
  CHECK(talus_coupling_build(s.coupling, &bad, 1, &problem) == TALUS_NORMAL_LENGTH);
  bad = good;
  bad.gap = NAN;
  CHECK(talus_coupling_build(s.coupling, &bad, 1, &problem) == TALUS_NOT_FINITE);
  bad = good;
  bad.friction = -1;
  CHECK(talus_coupling_build(s.coupling, &bad, 1, &problem) == TALUS_NEGATIVE_FRICTION);
  CHECK(talus_coupling_build(s.coupling, &good, 1, &problem) == TALUS_OK);
  impulse[0] = NAN;
  CHECK(talus_coupling_advance(s.coupling, TALUS_SCHEME_EULER, impulse, NULL) == TALUS_NOT_FINITE);
  scene_end(&s);
  talus_context_destroy(context);
}

int main(void) {
  forms();
  drifts();
  balls();
  joints();
  four_bar();
  refusals();
  return check_end();
}
