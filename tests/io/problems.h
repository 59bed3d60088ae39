/* problems.h: small problems of every form, and a dense evaluation of u = W r + q that shares
 * nothing with the library, for the tests of problem files. */
#ifndef TL_TEST_PROBLEMS_H
#define TL_TEST_PROBLEMS_H

#include <stdint.h>

#include "talus/talus_io.h"

enum { ROWS_MAX = 64, ENTRIES_MAX = 4096 };

/* A problem with room for its arrays. */
typedef struct sample {
  talus_problem problem;
  double friction[ROWS_MAX], q[ROWS_MAX], f[ROWS_MAX], w[ROWS_MAX], b[ROWS_MAX];
  int64_t start[3][ROWS_MAX + 1];
  int32_t index[3][ENTRIES_MAX], index2[3][ENTRIES_MAX];
  double value[3][ENTRIES_MAX];
  /* RIGID and BLOCKS */
  double velocity[ROWS_MAX], inverse_mass[ENTRIES_MAX], inertia[ROWS_MAX];
  int32_t body[4][ROWS_MAX];
  double normal[ROWS_MAX], arm_a[ROWS_MAX], arm_b[ROWS_MAX], surface[ROWS_MAX];
  double jacobian[2][ENTRIES_MAX];
} sample;

/* Numbers between -1 and 1, the same everywhere. */
double sample_random(uint64_t *state);

/* W of the given storage, not symmetric, with zeros and repeated entries in the sparse ones. With
 * bilateral rows the blocks between contacts and rows are each other's transpose. */
void sample_delassus(sample *s, talus_storage storage, int32_t dimension, int32_t contacts,
                     int32_t bilateral);
/* Blocks of 1 to 4 unknowns in mixed order. */
void sample_global(sample *s, talus_storage storage, int32_t dimension, int32_t contacts,
                   int32_t bilateral);
/* Five bodies, one of them a moving wall, one that cannot turn; arms or reaches. */
void sample_rigid(sample *s, int reaches, int32_t bilateral);
/* Blocks of 2, 6 and 3 velocities, one of which is immovable, up to three blocks per contact. */
void sample_blocks(sample *s, int32_t dimension, int32_t bilateral);

/* u of contacts and rows for given impulses, frames as the form has them. */
void sample_evaluate(const talus_problem *problem, const double *impulse,
                     const double *bilateral_impulse, double *u, double *u_bilateral);

#endif
