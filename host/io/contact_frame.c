/* contact_frame.c: tangents from a normal; see contact_frame.h for the rule. */
#include "host/io/contact_frame.h"

#include "host/math/vector.h"

void tl_contact_frame(const double normal[3], double frame[9]) {
  tl_copy3(frame, normal);
  tl_frame3(frame, frame + 3, frame + 6);
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
