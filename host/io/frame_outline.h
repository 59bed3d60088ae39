/* frame_outline.h: where the face of a half-space ends.
 *
 * A half-space has no end, but the end of a drum or the front of a wedge has: the meshes of the
 * same body stand around it. Its outline is the convex hull of their points, seen square to the
 * face. */
#ifndef TL_FRAME_OUTLINE_H
#define TL_FRAME_OUTLINE_H

#include "host/io/frame.h"

typedef struct tl_outline {
  int32_t count;  /* corners; 0: the face has no end */
  double *corner; /* [2 count] along x and y of the shape's own frame, counter-clockwise, m */
} tl_outline;

/* Finds the outline of a half-space of the frame. Bodies without meshes give none, and neither do
 * the fixed floors of a world, which carry on beyond what stands on them. Status: OUT_OF_MEMORY. */
talus_status tl_frame_outline(talus_context *context, const tl_frame *frame, int32_t shape,
                              tl_outline *outline);
void tl_outline_release(talus_context *context, tl_outline *outline);
/* Whether a point of the face lies within; always so without an end. */
bool tl_outline_holds(const tl_outline *outline, double x, double y);

#endif
