/* vtk.h: frames as ParaView files, and back.
 *
 * A run's directory holds for every frame, NNNNNNNN the step:
 *   grains-NNNNNNNN.vtp    a point per body: radius, orientation, velocity, spin, id, material,
 * type, reach; a clump of spheres has a point per sphere, told apart by `part`. radius is 0 where a
 * body is no sphere: its surface is in `surfaces` contacts-NNNNNNNN.vtp  a point per contact:
 * normal, force, gap, body (two ids) surfaces-NNNNNNNN.vtp  triangles of the shapes of moving
 * bodies that are no spheres walls-NNNNNNNN.vtp     the same of fixed bodies; not written again
 * while it would be the same bonds-NNNNNNNN.vtp a point per bond: axis, radius, loads, id, body
 * (two ids) and for each of these five names a .pvd with the times, which is what
 * to open in ParaView. Surfaces carry per triangle the body's id, the shape's number and material;
 * in their field data (shape_...) stands what the shapes were before they were cut into triangles.
 *
 * XML, raw appended, little-endian, blocks compressed by zlib where it is there. No time stamps:
 * equal frames give equal files. Files appear whole or not at all. */
#ifndef TL_VTK_H
#define TL_VTK_H

#include "host/io/frame.h"

/* ---- writing a run --------------------------------------------------------------------------- */

typedef struct tl_vtk_writer tl_vtk_writer;

/* Prepares to write into a directory, which must exist. resume < 0: a new run; files of these names
 * are overwritten. resume >= 0: a restart from that step: frames of later steps stay until the
 * first new frame is safe, then they go; a frame of a step that is there already is replaced.
 * Statuses: OUT_OF_MEMORY, FILE_FORMAT (a .pvd that is not ours). On failure *writer is NULL. */
talus_status tl_vtk_open(talus_context *context, const char *directory, int64_t resume,
                         tl_vtk_writer **writer);
/* Writes one frame and lists it. Statuses: those of tl_frame_check, FILE_WRITE (the frame is not
 * listed, and its files are not left behind), OUT_OF_MEMORY. */
talus_status tl_vtk_write(tl_vtk_writer *writer, const tl_frame *frame);
/* Frames of steps after `step`, which a restart from an earlier one left, go. Statuses: FILE_WRITE,
 * OUT_OF_MEMORY. */
talus_status tl_vtk_cut(tl_vtk_writer *writer, int64_t step);
void tl_vtk_close(tl_vtk_writer *writer); /* accepts NULL */

/* ---- reading it back, for pictures ----------------------------------------------------------- */

/* Steps of the frames that grains.pvd lists, ascending, from tl_alloc, the caller's. Statuses:
 * FILE_OPEN (not there), FILE_FORMAT, OUT_OF_MEMORY. */
talus_status tl_vtk_steps(talus_context *context, const char *directory, int64_t **step,
                          int32_t *count);

/* A frame with the memory it stands on. */
typedef struct tl_stored_frame {
  tl_frame frame; /* without scalars; hulls as meshes; clumps of files without masses as one
                     body per sphere */
  void *memory;   /* private */
} tl_stored_frame;

/* Reads the frame of a step. Statuses: FILE_OPEN, FILE_FORMAT, OUT_OF_MEMORY, UNSUPPORTED
 * (compressed, and built without zlib). On failure *stored is NULL. */
talus_status tl_vtk_read(talus_context *context, const char *directory, int64_t step,
                         tl_stored_frame **stored);
void tl_stored_frame_destroy(tl_stored_frame *stored); /* accepts NULL */

#endif
