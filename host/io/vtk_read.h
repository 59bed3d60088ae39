/* vtk_read.h: a frame while it is read back from its files. */
#ifndef TL_VTK_READ_H
#define TL_VTK_READ_H

#include "host/io/stored.h"
#include "host/io/vtk.h"
#include "host/io/vtk_file.h"

/* What the frame stands on. talus_stored is used for its memory alone. */
typedef struct tl_frame_memory {
  talus_context *context;
  talus_stored *arrays;
  tl_geometry **geometry; /* of shapes that are no spheres */
  int32_t geometry_count;
} tl_frame_memory;

typedef struct tl_frame_source {
  char *path;
  tl_vtk_content content;
} tl_frame_source;

enum { TL_FRAME_GRAINS, TL_FRAME_CONTACTS, TL_FRAME_SURFACES, TL_FRAME_WALLS, TL_FRAME_SOURCES };

/* The frame while it is filled. */
typedef struct tl_frame_filler {
  talus_context *context;
  tl_stored_frame *stored;
  tl_frame_memory *memory;
  tl_frame_source source[TL_FRAME_SOURCES];
  int32_t body_room, shape_room;
  int32_t *id, *material, *type, *shape_body, *shape_material;
  double *position, *orientation, *velocity, *spin, *radius;
  double *mass; /* NULL: the files do not tell */
  const tl_geometry **shape_geometry;
  tl_pose *shape_pose;
} tl_frame_filler;

/* Zeroed memory that lives as long as the frame. */
talus_status tl_frame_take(tl_frame_filler *filler, void **array, int64_t count, size_t size);
/* Makes one body of the points of a clump that stand in the arrays of bodies, where the files tell
 * centres and masses; else does nothing. point[k]: the body of point k. *count: points in, bodies
 * out. Statuses: FILE_FORMAT, OUT_OF_MEMORY. */
talus_status tl_frame_join_parts(tl_frame_filler *filler, int32_t *point, int64_t *count);
/* Where a body is that has no point: position, orientation, velocity and spin by its id, as far as
 * the files tell. Status: FILE_FORMAT. */
talus_status tl_frame_place_body(tl_frame_filler *filler, int32_t body);
/* Adds the shapes of surfaces or walls, and bodies for those that have none. */
talus_status tl_frame_fill_shapes(tl_frame_filler *filler, int from);

/* At the body's centre, unturned. */
static const tl_pose tl_pose_in_place = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};

#endif
