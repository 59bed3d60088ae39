/* contact_frame.c: tangents from a normal; see contact_frame.h for the rule. */
#include "host/io/contact_frame.h"

#include <math.h>

#include "host/math/vector.h"

void tl_contact_frame(const double normal[3], double frame[9]) {
  tl_copy3(frame, normal);
  tl_frame3(frame, frame + 3, frame + 6);
}

void tl_problem_frame(const talus_problem *problem, int64_t k, double frame[9]) {
  tl_contact_frame(problem->rigid.normal + 3 * k, frame);
  if (problem->friction_direction == NULL || problem->cross_friction == NULL) {
    return;
  }
  const double *const n = frame, *const d = problem->friction_direction + 3 * k;
  const double along = n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
  double t[3], square = 0;
  for (int i = 0; i < 3; i++) {
    t[i] = d[i] - along * n[i];
    square += t[i] * t[i];
  }
  if (!(square > 0)) { /* its cone is circular, or the problem was refused */
    return;
  }
  for (int i = 0; i < 3; i++) {
    frame[3 + i] = t[i] / sqrt(square);
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    frame[6 + i] = n[j] * frame[3 + l] - n[l] * frame[3 + j];
  }
}

/* One three-vector from the world to the frame, or back. */
static void turn(const double frame[9], int back, const double *from, double *to) {
  double v[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    for (int c = 0; c < 3; c++) {
      v[i] += back ? frame[3 * c + i] * from[c] : frame[3 * i + c] * from[c];
    }
  }
  for (int i = 0; i < 3; i++) {
    to[i] = v[i];
  }
}

/* Force, and torque if there is one, of all contacts. */
static void turn_all(const talus_problem *problem, int back, const double *from, double *to) {
  const int64_t rows = problem->dimension;
  for (int64_t k = 0; k < problem->contact_count; k++) {
    double frame[9];
    tl_problem_frame(problem, k, frame);
    for (int64_t c = 0; c < rows; c += 3) {
      turn(frame, back, from + rows * k + c, to + rows * k + c);
    }
  }
}

void tl_impulses_to_contact(const talus_problem *problem, const double *world, double *contact) {
  turn_all(problem, 0, world, contact);
}

void tl_impulses_to_world(const talus_problem *problem, const double *contact, double *world) {
  turn_all(problem, 1, contact, world);
}
