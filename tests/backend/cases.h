/* cases.h: contact problems of every kind for the tests of the backends.
 *
 * Small enough for an emulated device, large enough for several chunks, and ragged: counts that no
 * block size divides, bodies without contacts, contacts without friction, immovable bodies. */
#ifndef TL_TESTS_CASES_H
#define TL_TESTS_CASES_H

#include "talus/talus_solve.h"

typedef enum case_kind {
  CASE_SPHERES,
  CASE_SPHERES_ROWS, /* with bilateral rows */
  CASE_ARMS,
  CASE_ARMS_ROWS,
  CASE_BLOCKS, /* ragged, with bilateral rows */
  CASE_BLOCKS_PLANE,
  CASE_MATRIX, /* with bilateral rows */
  CASE_MATRIX_LINE,
  CASE_ROWS_ONLY,
  CASE_EMPTY,
  CASE_SPHERES_BOUNDS, /* rows with bounds, here and below */
  CASE_ARMS_BOUNDS,
  CASE_BLOCKS_BOUNDS,
  CASE_MATRIX_BOUNDS,
  CASE_SPHERES_SOFT, /* contacts and rows with bounds that give way, here and below */
  CASE_ARMS_SOFT,
  CASE_BLOCKS_SOFT,
  CASE_MATRIX_SOFT,
  CASE_SPHERES_TORQUE, /* the same with six rows a contact, here and below with elliptic cones */
  CASE_ARMS_TORQUE,
  CASE_BLOCKS_TORQUE,
  CASE_SPHERES_BRICKS, /* positions and bricks, here and below, with rows, bounds and softness */
  CASE_ARMS_BRICKS,
  CASE_COUNT
} case_kind;

/* A problem with its memory. */
typedef struct test_case {
  talus_problem problem;
  void *memory[40];
  int memory_count;
} test_case;

const char *case_name(case_kind kind);
/* size scales the number of bodies; the same numbers give the same problem. */
void case_make(test_case *test, case_kind kind, int32_t size, uint32_t seed);
void case_release(test_case *test);

/* Numbers in [0, 1), the same everywhere. */
double case_random(uint32_t *state);

#endif
