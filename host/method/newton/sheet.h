/* sheet.h: a contact problem written out for second-order methods: u = W y + q, contact by contact.
 *
 * Scaled so that the certificate's measure is the plain natural map: y = sqrt(w) x, u = u /
 * sqrt(w). Every constraint has its own frame, normal first. What has no friction keeps its normal
 * row only. W, with compliance, stands as bodies of unit mass (J with M^-1 = L L^T folded in:
 * W = J J^T) or as blocks. */
#ifndef TL_SHEET_H
#define TL_SHEET_H

#include "host/base/base.h"
#include "kernels/data/system.h"
#include "talus/talus_solve.h"

typedef enum tl_cone {
  TL_CONE_FREE = 0,  /* a bilateral row: u = 0, any impulse */
  TL_CONE_HALF = 1,  /* one row: y >= 0, u >= 0 */
  TL_CONE_ROUND = 2, /* two or three rows with friction */
  TL_CONE_ROW = 3    /* a bilateral row with bounds: lower <= y <= upper */
} tl_cone;

/* J of one constraint against one unit: rows x size reals from `jacobian` on, row-major. */
typedef struct tl_sheet_touch {
  int32_t unit;
  int64_t jacobian;
} tl_sheet_touch;

typedef struct tl_sheet {
  int32_t count, rows;
  int32_t size;     /* of a vector: rows, and a slot for each row if some have bounds */
  int32_t *first;   /* [count + 1] rows of a constraint */
  int32_t *cone;    /* [count] tl_cone */
  double *friction; /* [count] */
  double *root;     /* [count] sqrt(w_k) */
  double *lower;    /* [count] of rows with bounds, scaled; NULL: no row has any */
  double *upper;
  double *free;        /* [rows] q */
  double *frame;       /* [9 count] n t1 t2 of contacts given in the world's axes; NULL: none is */
  int32_t framed;      /* so many constraints, from 0 on, have a frame */
  double reference[2]; /* R(0) of each talus_law */
  /* bodies of unit mass; unit_count 0: blocks of W instead */
  int32_t unit_count;
  int32_t *unit_first;  /* [unit_count + 1] freedoms */
  int32_t *touch_first; /* [count + 1] */
  tl_sheet_touch *touch;
  double *jacobian;
  double *motion; /* [freedoms] scratch */
  /* blocks of W: 3 x 3, row-major, unused entries 0 */
  const int64_t *block_first;
  const int32_t *block_column;
  double *block;
  tl_buffer index, reals, jacobians;
} tl_sheet;

/* Writes out a system. */
talus_status tl_sheet_make(talus_context *context, const tl_system *system, tl_sheet *sheet);
void tl_sheet_release(talus_context *context, tl_sheet *sheet);
int64_t tl_sheet_bytes(const tl_sheet *sheet);

/* Impulses between the engine's arrays (three each) and the sheet's. */
void tl_sheet_import(const tl_sheet *sheet, const double *impulse, double *y);
/* Out, what lies outside a cone going to its nearest point. */
void tl_sheet_export(const tl_sheet *sheet, const double *y, double *impulse);

/* Where the second slack of a row with bounds stands: rows are the last constraints. */
static inline int32_t tl_row_slot(const tl_sheet *sheet, int32_t k) {
  return sheet->size - (sheet->count - k);
}

/* u = W y, without q. */
void tl_sheet_apply(const tl_sheet *sheet, const double *y, double *u);
/* u = W y + q. */
void tl_sheet_velocity(const tl_sheet *sheet, const double *y, double *u);

/* R(y) / R(0) of law 0 (convex) or 1 (exact), u = W y + q being known. */
double tl_sheet_epsilon(const tl_sheet *sheet, talus_law law, const double *y, const double *u);

#endif
