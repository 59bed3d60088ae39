/* stl.h: triangles from files: STL, text or binary, and OBJ (obj.c).
 *
 * Lengths are taken as they stand in the file. Points that are equal to the bit become one, in the
 * order in which they appear first. Whether the triangles have area and close up is not judged
 * here: tl_geometry_create does. */
#ifndef TL_STL_H
#define TL_STL_H

#include "host/base/base.h"
#include "host/io/text_file.h"

typedef struct tl_triangles {
  talus_context *context;
  double *point;     /* [3 point_count] */
  int32_t *triangle; /* [3 triangle_count] points, counter-clockwise as in the file */
  int32_t point_count, triangle_count;
  int32_t point_capacity, triangle_capacity;
} tl_triangles;

/* Reads the file: OBJ if its name ends in .obj, otherwise STL. Statuses: FILE_OPEN, FILE_FORMAT
 * (file, line and what is wrong there), SIZE_OVERFLOW, OUT_OF_MEMORY. On failure nothing is kept.
 */
talus_status tl_triangles_read(talus_context *context, const char *path, tl_triangles *triangles);
void tl_triangles_release(tl_triangles *triangles);

/* For readers: one more point, one more triangle. */
talus_status tl_triangles_add_point(tl_triangles *triangles, const double point[3]);
talus_status tl_triangles_add(tl_triangles *triangles, int32_t a, int32_t b, int32_t c);
talus_status tl_stl_read(tl_text *text, tl_triangles *triangles);
talus_status tl_obj_read(tl_text *text, tl_triangles *triangles);

#endif
