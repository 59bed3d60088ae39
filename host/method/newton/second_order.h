/* second_order.h: the methods of this folder, for the table of methods, and what else a solve
 * asks of them. */
#ifndef TL_SECOND_ORDER_H
#define TL_SECOND_ORDER_H

#include "host/method/run.h"

typedef struct tl_newton tl_newton;
struct tl_dense_ops;

talus_status tl_newton_attempt(tl_run *run, bool *done);
talus_status tl_interior_attempt(tl_run *run, bool *done);
talus_status tl_path_attempt(tl_run *run, bool *done);
/* newton for contacts of six rows and elliptic cones (wrench.c), which the others do not take. Rows
 * beyond TL_WRENCH_ROWS are refused. */
enum { TL_WRENCH_ROWS = 1000 };
talus_status tl_wrench_attempt(tl_run *run, bool *done);

/* What a device has for the run's matrices, whose factors have bits of their own; NULL: they stay
 * on the host. */
const struct tl_dense_ops *tl_newton_dense(const tl_run *run);
/* Whether a matrix of this order may go there. */
bool tl_newton_dense_serves(double order);
/* Order of the matrix, entries and operations of a factor on the host; the problem is written out
 * and its matrix ordered for it. */
talus_status tl_newton_foresee(tl_run *run, double *order, double *entries, double *operations);
/* Puts the least-norm impulses in the place of the kept ones, which are a solution. */
talus_status tl_newton_unique(tl_run *run);

/* Another problem has come; memory; the end: these accept NULL. */
void tl_newton_forget(tl_newton *newton);
int64_t tl_newton_bytes(const tl_newton *newton);
void tl_newton_release(talus_context *context, tl_newton *newton);

#endif
