/* measured.h: fields that were measured, at the places of bodies.
 *
 * Fields are those that a measurement of the kind `fields` has left in the run's folder: of a step,
 * measure-NAME-STEP.vti, or, where there is none, the mean over many frames, measured/NAME.vti. */
#ifndef TL_VIEW_MEASURED_H
#define TL_VIEW_MEASURED_H

#include "host/io/frame.h"

enum { TL_MEASURED_LABEL = 128 };

/* Whether a text has the form NAME.quantity. */
bool tl_measured_is(const char *text);
/* Values of "NAME.quantity" at the centres of a frame's bodies, linear between the points of the
 * grid, nan outside; a vector wants _x, _y or _z behind the quantity, a tensor _xx ... _zz. label:
 * the quantity with its unit. Statuses: FILE_OPEN (no such measurement), BAD_SETTING (no such
 * quantity: the message lists them), FILE_FORMAT, OUT_OF_MEMORY. */
talus_status tl_measured_read(talus_context *context, const char *directory, const char *text,
                              const tl_frame *frame, double *value, char label[TL_MEASURED_LABEL]);

#endif
