/* bench_traffic.c: the bytes that a pass over a problem of spheres must move.
 *
 * Counted from kernels/data/arrays.h, with an ideal cache: whatever one loop of a pass touches is
 * moved once, however many contacts ask for it. With reals of R bytes (8 or 4) and indices of 4:
 *
 *   loop over contacts, per contact   2 indices of bodies; normal 3, reaches 2, q 3, S 2,
 *                                     friction 1, x 3, x_previous 3 read and 3 written    8 + 20 R
 *     law coulomb                     filtered slip 3 read and 3 written                       6 R
 *   loop over bodies, per contact     2 indices of ends; impulse 3, normal 3, reaches 2   8 +  8 R
 *   per body                          V and V(y), 6 each, read and written                    24 R
 *
 * A heap has about 0.3 bodies per contact, which makes 156 B in single and 296 B in double
 * precision, law ccp. A sweep (Gauss-Seidel) goes without the loop over bodies. Not counted: the
 * padding of the records, masses, offsets, and that V(y) is read by both loops. APGD moves more or
 * less as its trials are accepted or refused: no formula is stated for it, nor for other kinds. */
#include <stdbool.h>

#include "host/cli/bench.h"

double tl_bench_traffic(const tl_bench_problem *problem, talus_method method,
                        talus_precision precision, talus_law law) {
  if (!problem->spheres || method == TALUS_METHOD_APGD || method == TALUS_METHOD_AUTO) {
    return -1;
  }
  const double real = precision == TALUS_F32 ? 4 : 8;
  const bool sweeps =
      method == TALUS_METHOD_GAUSS_SEIDEL || method == TALUS_METHOD_GAUSS_SEIDEL_NESTEROV;
  const double contact = 8 + 20 * real + (law == TALUS_LAW_COULOMB ? 6 * real : 0);
  const double ends = sweeps ? 0 : 8 + 8 * real;
  return (double)problem->contacts * (contact + ends) + (double)problem->bodies * 24 * real;
}
