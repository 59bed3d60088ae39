/* sheet_bodies.h: W of a sheet as bodies of unit mass, W = J J^T. */
#ifndef TL_SHEET_BODIES_H
#define TL_SHEET_BODIES_H

#include "host/method/newton/sheet.h"

/* J of every constraint in its own frame, divided by sqrt(w), times L of each body's
 * M^-1 = L L^T. */
talus_status tl_sheet_bodies(talus_context *context, const tl_system *system, tl_sheet *sheet);
/* motion = J^T y; u = J motion. */
void tl_sheet_push(const tl_sheet *sheet, const double *y, double *motion);
void tl_sheet_feel(const tl_sheet *sheet, const double *motion, double *u);

#endif
