/* vtk_surface.h: the shapes of a frame cut into triangles. */
#ifndef TL_VTK_SURFACE_H
#define TL_VTK_SURFACE_H

#include "host/io/frame_outline.h"
#include "host/io/vtk_file.h"

typedef struct tl_surface {
  tl_bytes point;    /* double[3] */
  tl_bytes triangle; /* int64_t[3], points */
  tl_bytes owner;    /* int32_t[4] per triangle: body id, shape, material, kind */
} tl_surface;

/* How far half-spaces are drawn: as far as their outline, or, without one, as a square of two
 * reaches around the foot of the centre. */
typedef struct tl_surface_end {
  tl_outline outline;
  double centre[3], reach;
} tl_surface_end;

/* The surface of one shape, placed by pose, behind what is there; spheres add nothing. Status:
 * OUT_OF_MEMORY. */
talus_status tl_surface_add(tl_surface *surface, const tl_geometry *geometry, const tl_pose *pose,
                            const int32_t owner[4], const tl_surface_end *end);
void tl_surface_release(tl_surface *surface);

/* A box around the bodies that are not half-spaces, grown to round numbers, so that it seldom
 * changes from frame to frame: its middle, and half its longest edge (1 if there are none). */
void tl_frame_extent(const tl_frame *frame, double centre[3], double *reach);

#endif
