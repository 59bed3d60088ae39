/* cost.c: what a factorisation costs, in passes over the contacts: so that sweeps can be weighed
 * against second-order methods before these have begun.
 *
 * In the space of the bodies the ordering of the matrix tells how many entries and operations its
 * factor will have: a stack of 4000 contacts is factored in the time of 30 passes, a heap of 3000
 * in that of a thousand. It is the ordering that factorisations begin with, so nothing of it is
 * lost if they come. The numbers are nanoseconds on one core, of which only ratios matter. */
#include <math.h>

#include "host/method/method.h"
#include "host/method/newton/second_order.h"

/* One contact's turn in a sweep, by what it stands on. */
static const double SPHERES = 19, ARMS = 40, BLOCKS = 80, ROW = 28, ROW_BLOCK = 2.5;
/* A second-order step: blocks and right-hand sides of a constraint, triangular solves with their
 * refinement per entry of the factor, the factorisation per operation. */
static const double CONSTRAINT = 2400, CONSTRAINT_ROWS = 1000, ENTRY = 36, OPERATION = 0.03;
/* Writing the problem out and ordering it, per constraint. */
static const double ORDER = 2500;
/* Entries of the factor of W as a share of the square, on problems of 50 to 600 contacts. */
static const double FILLED = 1.0 / 24;

static double pass_cost(const tl_shape *shape) {
  double cost = ROW_BLOCK * (double)shape->value_count;
  for (int32_t r = 0; r < shape->range_count; r++) {
    const int32_t kind = shape->range[r].kind;
    const double each = kind == TL_SPHERES  ? SPHERES
                        : kind == TL_ARMS   ? ARMS
                        : kind == TL_BLOCKS ? BLOCKS
                                            : ROW;
    cost += each * shape->range[r].count;
  }
  return cost > 0 ? cost : 1;
}

/* Rows of W are factored, of which those that take part differ from step to step: there is nothing
 * to order beforehand. */
static bool has_rows(const tl_shape *shape) {
  return TL_HAS_ROWS(shape) ||
         shape->contact_count <= tl_method_of(TALUS_METHOD_MNCP_PROX)->most_in_auto;
}

double tl_cost_order(const tl_shape *shape) {
  return has_rows(shape) ? 0 : ORDER * shape->contact_count / pass_cost(shape);
}

talus_status tl_cost_factor(tl_run *run, double *passes) {
  const tl_shape *const shape = &run->assembly->system.shape;
  const double rows = 3.0 * shape->contact_count;
  double entries = FILLED * rows * rows, operations = 0;
  double each = CONSTRAINT_ROWS;
  if (!has_rows(shape)) {
    const talus_status status = tl_newton_foresee(run, &entries, &operations);
    if (status == TALUS_UNSUPPORTED) { /* this build has no factorisation for it */
      *passes = INFINITY;
      return TALUS_OK;
    }
    TL_TRY(status);
    each = CONSTRAINT;
  }
  *passes =
      (each * shape->contact_count + ENTRY * entries + OPERATION * operations) / pass_cost(shape);
  return TALUS_OK;
}
