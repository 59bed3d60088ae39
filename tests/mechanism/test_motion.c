/* test_motion.c: kinematics by differences, conservation laws, the orders of the schemes. */
#include <string.h>

#include "tests/check.h"
#include "tests/mechanism/trees.h"

enum { LINKS = 12, SIZE = 7 * LINKS };

/* Velocities of points are differences of positions, and Jacobians tell the same. */
static void differences(void) {
  talus_context *const context = tree_context(1);
  for (uint64_t seed = 1; seed <= 12; seed++) {
    talus_mechanism *const m = tree_make(context, seed, LINKS, TREE_BUSHY, seed % 2);
    double q[SIZE], v[SIZE], jacobian[6 * SIZE], place[2][3], turn[2][4], u[3], move[6];
    const double point[3] = {0.3, -0.2, 0.9}, h = 1e-5;
    const int32_t link = (int32_t)(seed % LINKS), n = talus_mechanism_velocity_count(m);
    tree_move(m, seed, 1);
    talus_mechanism_get(m, q, v);
    CHECK(talus_mechanism_jacobian(m, link, point, jacobian) == TALUS_OK);
    CHECK(talus_mechanism_point(m, link, point, NULL, u) == TALUS_OK);
    CHECK(talus_mechanism_pose(m, link, NULL, NULL, move) == TALUS_OK);
    for (int side = 0; side < 2; side++) { /* forward Euler moves by the old velocities */
      CHECK(talus_mechanism_set(m, q, v) == TALUS_OK);
      CHECK(talus_mechanism_step(m, TALUS_SCHEME_EXPLICIT_EULER, side ? h : -h) == TALUS_OK);
      CHECK(talus_mechanism_point(m, link, point, place[side], NULL) == TALUS_OK);
      CHECK(talus_mechanism_pose(m, link, NULL, turn[side], NULL) == TALUS_OK);
    }
    for (int c = 0; c < 3; c++) {
      double linear = 0, angular = 0;
      for (int32_t i = 0; i < n; i++) {
        linear += jacobian[c * n + i] * v[i];
        angular += jacobian[(3 + c) * n + i] * v[i];
      }
      CHECK_CLOSE(u[c], linear, 1e-12 * (1 + fabs(linear)));
      CHECK_CLOSE(move[3 + c], angular, 1e-12 * (1 + fabs(angular)));
      CHECK_CLOSE(u[c], (place[1][c] - place[0][c]) / (2 * h), 1e-7 * (1 + fabs(linear)));
    }
    /* the turn between the two: q1 q0^-1 = (cos, sin axis) */
    const double *const a = turn[0], *const b = turn[1];
    const double sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
    const double axis[3] = {a[0] * b[1] - b[0] * a[1] + a[2] * b[3] - a[3] * b[2],
                            a[0] * b[2] - b[0] * a[2] + a[3] * b[1] - a[1] * b[3],
                            a[0] * b[3] - b[0] * a[3] + a[1] * b[2] - a[2] * b[1]};
    for (int c = 0; c < 3; c++) {
      CHECK_CLOSE(sign * axis[c] / h, move[3 + c], 1e-7 * (1 + fabs(move[3 + c])));
    }
    talus_mechanism_destroy(m);
  }
  talus_context_destroy(context);
}

static talus_mechanism_balance measure(talus_mechanism *m) {
  talus_mechanism_balance balance = talus_mechanism_balance_default();
  CHECK(talus_mechanism_measure(m, &balance) == TALUS_OK);
  return balance;
}

/* Floating trees: energy and, but for gravity, momentum stay; angular momentum grows by the moment
 * of the weight, which acts at the centre of mass. */
static void conservation(void) {
  talus_context *const context = tree_context(1);
  for (uint64_t seed = 1; seed <= 6; seed++) {
    talus_mechanism *const m = tree_make(context, seed, 6, TREE_BUSHY, 1);
    const double g[3] = {1, 0, -9.81}, h = 1e-3;
    double moment[3] = {0, 0, 0};
    tree_move(m, seed, 0.5);
    const talus_mechanism_balance before = measure(m);
    for (int step = 0; step < 200; step++) { /* Simpson's rule over the step is exact enough */
      for (int half = 0; half < 2; half++) {
        const talus_mechanism_balance at = measure(m);
        const double weight = half ? 4.0 / 6 : step > 0 ? 2.0 / 6 : 1.0 / 6;
        for (int c = 0; c < 3; c++) {
          const int d = (c + 1) % 3, e = (c + 2) % 3;
          moment[c] += weight * h * at.mass * (at.centre[d] * g[e] - at.centre[e] * g[d]);
        }
        CHECK(talus_mechanism_step(m, TALUS_SCHEME_RUNGE_KUTTA, h / 2) == TALUS_OK);
      }
    }
    const talus_mechanism_balance after = measure(m);
    for (int c = 0; c < 3; c++) {
      const int d = (c + 1) % 3, e = (c + 2) % 3;
      moment[c] += h / 6 * after.mass * (after.centre[d] * g[e] - after.centre[e] * g[d]);
      const double grown = before.momentum[c] + 0.2 * before.mass * g[c];
      const double size = 1 + fabs(grown) + fabs(before.angular_momentum[c] + moment[c]);
      CHECK_CLOSE(after.momentum[c], grown, 1e-8 * size);
      CHECK_CLOSE(after.angular_momentum[c], before.angular_momentum[c] + moment[c], 1e-7 * size);
      CHECK_CLOSE(after.centre[c],
                  before.centre[c] + 0.2 * before.momentum[c] / before.mass + 0.02 * g[c], 1e-8);
    }
    const double energy = before.kinetic + before.potential;
    CHECK_CLOSE(after.kinetic + after.potential, energy, 1e-7 * (before.kinetic + fabs(energy)));
    talus_mechanism_destroy(m);
  }
  talus_context_destroy(context);
}

/* Error after one second of a swinging three-rod chain with a ball joint and a damper. */
static double end_error(talus_context *context, talus_scheme scheme, int steps, const double *exact,
                        double *end) {
  talus_link_def link[3];
  for (int i = 0; i < 3; i++) {
    link[i] = talus_link_def_default(i == 1 ? TALUS_LINK_SPHERICAL : TALUS_LINK_UNIVERSAL);
    link[i].parent = i - 1;
    link[i].position[0] = i > 0;
    link[i].centre[0] = 0.5;
    link[i].damping = 0.1;
  }
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link_count = 3;
  def.link = link;
  talus_mechanism *m;
  CHECK(talus_mechanism_create(context, &def, &m) == TALUS_OK);
  for (int i = 0; i < steps; i++) {
    CHECK(talus_mechanism_step(m, scheme, 1.0 / steps) == TALUS_OK);
  }
  talus_mechanism_get(m, end, NULL);
  double error = 0;
  for (int i = 0; exact != NULL && i < talus_mechanism_coordinate_count(m); i++) {
    error = fmax(error, fabs(end[i] - exact[i]));
  }
  talus_mechanism_destroy(m);
  return error;
}

static void orders(void) {
  talus_context *const context = tree_context(1);
  static const double wanted[] = {1, 1, 4};
  double exact[SIZE], end[SIZE];
  end_error(context, TALUS_SCHEME_RUNGE_KUTTA, 4000, NULL, exact);
  for (int s = 0; s < 3; s++) {
    const int steps = s == TALUS_SCHEME_RUNGE_KUTTA ? 200 : 2000;
    const double coarse = end_error(context, (talus_scheme)s, steps, exact, end);
    const double fine = end_error(context, (talus_scheme)s, 2 * steps, exact, end);
    const double order = log2(coarse / fine);
    printf("scheme %d: errors %.3g and %.3g, order %.2f\n", s, coarse, fine, order);
    CHECK_CLOSE(order, wanted[s], 0.25);
  }
  talus_context_destroy(context);
}

/* Bhalerao, Crean and Anderson, figure 7: the drift of energy of the pendulum of eight rods
 * released from rest along a horizontal line, step 1e-3, 2 s: forward Euler about 1e6 times
 * Runge-Kutta. */
static void energy_drift(void) {
  talus_context *const context = tree_context(1);
  double drift[3] = {0, 0, 0};
  for (int s = 0; s < 3; s++) {
    talus_mechanism *const m = rods_make(context, 8, TALUS_LINK_REVOLUTE);
    const talus_mechanism_balance start = measure(m);
    for (int i = 0; i < 2000; i++) {
      CHECK(talus_mechanism_step(m, (talus_scheme)s, 1e-3) == TALUS_OK);
      const talus_mechanism_balance now = measure(m);
      drift[s] =
          fmax(drift[s], fabs(now.kinetic + now.potential - start.kinetic - start.potential));
    }
    talus_mechanism_destroy(m);
  }
  printf("energy drift: forward Euler %.3g, semi-implicit %.3g, Runge-Kutta %.3g J; ratio %.3g\n",
         drift[0], drift[1], drift[2], drift[0] / drift[2]);
  CHECK(drift[0] > 1e5 * drift[2]);
  CHECK(drift[2] < 1e-3);
  talus_context_destroy(context);
}

int main(void) {
  differences();
  conservation();
  orders();
  energy_drift();
  return check_end();
}
