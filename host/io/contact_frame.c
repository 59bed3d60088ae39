/* contact_frame.c: tangents from a normal; see contact_frame.h for the rule. */
#include "host/io/contact_frame.h"

#include <math.h>

static int smallest_axis(const double n[3]) {
  int axis = 0;
  for (int i = 1; i < 3; i++) {
    if (fabs(n[i]) < fabs(n[axis])) {
      axis = i;
    }
  }
  return axis;
}

void tl_contact_frame(const double normal[3], double frame[9]) {
  const double *n = normal;
  const int axis = smallest_axis(n);
  double t[3] = {0, 0, 0};
  t[axis] = 1;
  const double along = n[axis];
  for (int i = 0; i < 3; i++) {
    t[i] -= along * n[i];
  }
  const double length = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  for (int i = 0; i < 3; i++) {
    frame[i] = n[i];
    frame[3 + i] = t[i] / length;
  }
  const double *t1 = frame + 3;
  frame[6] = n[1] * t1[2] - n[2] * t1[1];
  frame[7] = n[2] * t1[0] - n[0] * t1[2];
  frame[8] = n[0] * t1[1] - n[1] * t1[0];
}

void tl_impulses_to_contact(const talus_problem *problem, const double *world, double *contact) {
  for (int64_t k = 0; k < problem->contact_count; k++) {
    double frame[9];
    tl_contact_frame(problem->rigid.normal + 3 * k, frame);
    const double x = world[3 * k], y = world[3 * k + 1], z = world[3 * k + 2];
    for (int i = 0; i < 3; i++) {
      contact[3 * k + i] = frame[3 * i] * x + frame[3 * i + 1] * y + frame[3 * i + 2] * z;
    }
  }
}

void tl_impulses_to_world(const talus_problem *problem, const double *contact, double *world) {
  for (int64_t k = 0; k < problem->contact_count; k++) {
    double frame[9];
    tl_contact_frame(problem->rigid.normal + 3 * k, frame);
    const double n = contact[3 * k], t1 = contact[3 * k + 1], t2 = contact[3 * k + 2];
    for (int i = 0; i < 3; i++) {
      world[3 * k + i] = frame[i] * n + frame[3 + i] * t1 + frame[6 + i] * t2;
    }
  }
}
