/* extras.h: what contacts and rows may have besides friction, by their place in the whole bed. */
#ifndef TL_TESTS_EXTRAS_H
#define TL_TESTS_EXTRAS_H

#include "tests/ranks/bed.h"

enum { SOFT = 1, SIX_ROWS = 2, ELLIPSES = 4, BOUNDS = 8, KEYS = 16 };

typedef struct extras {
  double *compliance, *target, *torque, *cross, *direction;
  double *lower, *upper, *row_compliance, *row_target;
  uint64_t *key, *row_key;
} extras;

/* Arrays of contact k, at place `to`. */
static void extras_contact(extras *e, int32_t dimension, int64_t k, int64_t to) {
  e->compliance[2 * to] = 0.02 * (double)(1 + k % 3);
  e->compliance[2 * to + 1] = 0.01;
  for (int64_t c = 0; c < dimension; c++) {
    e->target[dimension * to + c] = 1e-4 * (double)((k + c) % 5);
  }
  e->torque[2 * to] = 0.01 * (double)(k % 2);
  e->torque[2 * to + 1] = 0.02;
  e->cross[to] = 0.3 + 0.1 * (double)(k % 2);
  e->direction[3 * to] = 1;
  e->direction[3 * to + 1] = 0.31;
  e->direction[3 * to + 2] = -0.53;
  e->key[to] = 77 * (uint64_t)k + 5;
}

static void extras_row(extras *e, int64_t k, int64_t to) {
  e->lower[to] = k % 2 ? -1e-3 : -INFINITY;
  e->upper[to] = k % 3 ? 1e-3 : INFINITY;
  e->row_compliance[to] = 0.01 * (double)(k % 2);
  e->row_target[to] = 1e-4;
  e->row_key[to] = 13 * (uint64_t)k;
}

/* contact, row: their places in the whole; NULL: their own. */
static void extras_make(extras *e, int extra, const int32_t *contact, const int32_t *row,
                        talus_problem *p) {
  const int64_t contacts = p->contact_count, rows = p->bilateral_count;
  p->dimension = extra & SIX_ROWS ? 6 : 3;
  double **const arrays[] = {&e->compliance, &e->target,         &e->torque,
                             &e->cross,      &e->direction,      &e->lower,
                             &e->upper,      &e->row_compliance, &e->row_target};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i] = bed_room(6 * (contacts + rows), sizeof(double));
  }
  e->key = bed_room(contacts, sizeof *e->key);
  e->row_key = bed_room(rows, sizeof *e->row_key);
  for (int64_t k = 0; k < contacts; k++) {
    extras_contact(e, p->dimension, contact != NULL ? contact[k] : k, k);
  }
  for (int64_t k = 0; k < rows; k++) {
    extras_row(e, row != NULL ? row[k] : k, k);
  }
  p->compliance = extra & SOFT ? e->compliance : NULL;
  p->target_impulse = extra & SOFT ? e->target : NULL;
  p->row_compliance = extra & SOFT ? e->row_compliance : NULL;
  p->row_target_impulse = extra & SOFT ? e->row_target : NULL;
  p->torque_friction = extra & SIX_ROWS ? e->torque : NULL;
  p->cross_friction = extra & ELLIPSES ? e->cross : NULL;
  p->friction_direction = extra & ELLIPSES ? e->direction : NULL;
  p->row_lower = extra & BOUNDS ? e->lower : NULL;
  p->row_upper = extra & BOUNDS ? e->upper : NULL;
  p->contact_key = extra & KEYS ? e->key : NULL;
  p->row_key = extra & KEYS ? e->row_key : NULL;
}

static void extras_release(extras *e) {
  void *const memory[] = {e->compliance, e->target, e->torque, e->cross,
                          e->direction,  e->lower,  e->upper,  e->row_compliance,
                          e->row_target, e->key,    e->row_key};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
    free(memory[i]);
  }
}

#endif
