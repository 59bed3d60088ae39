/* vtk_frame.h: a frame's parts as arrays of .vtp files. */
#ifndef TL_VTK_FRAME_H
#define TL_VTK_FRAME_H

#include "host/io/frame.h"
#include "host/io/vtk_file.h"

/* The bytes of the files of a frame, see vtk.h. Status: OUT_OF_MEMORY. */
talus_status tl_vtk_grains(talus_context *context, const tl_frame *frame, tl_bytes *file);
talus_status tl_vtk_contacts(talus_context *context, const tl_frame *frame, tl_bytes *file);
talus_status tl_vtk_bonds(talus_context *context, const tl_frame *frame, tl_bytes *file,
                          int32_t *count);
/* Shapes that are no spheres, of fixed (walls = 1) or of moving bodies (0). *count: how many. */
talus_status tl_vtk_surfaces(talus_context *context, const tl_frame *frame, int walls,
                             tl_bytes *file, int32_t *count);

/* What surfaces keep of a shape, in field data. */
enum { TL_SHAPE_PARAMETERS = 5 /* radius, half length, half edges */ };

#endif
