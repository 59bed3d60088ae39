/* vtk_file.h: one .vtp or .vti file: named arrays in sections, into bytes and back; see vtk.h. */
#ifndef TL_VTK_FILE_H
#define TL_VTK_FILE_H

#include <stdbool.h>

#include "host/base/base.h"

/* ---- bytes that grow ------------------------------------------------------------------------- */

typedef struct tl_bytes {
  talus_context *context;
  unsigned char *memory;
  size_t size, capacity;
} tl_bytes;

/* Room for more bytes behind the last; size does not change. Status: OUT_OF_MEMORY. */
talus_status tl_bytes_reserve(tl_bytes *bytes, size_t more);
talus_status tl_bytes_append(tl_bytes *bytes, const void *from, size_t size);
talus_status tl_bytes_print(tl_bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tl_bytes_release(tl_bytes *bytes);

/* ---- arrays ---------------------------------------------------------------------------------- */

typedef enum tl_vtk_type { TL_VTK_FLOAT64, TL_VTK_INT64, TL_VTK_INT32 } tl_vtk_type;
size_t tl_vtk_size(tl_vtk_type type);

typedef enum tl_vtk_section {
  TL_VTK_FIELD, /* of the whole file */
  TL_VTK_POINT,
  TL_VTK_CELL,
  TL_VTK_POINTS, /* the points themselves */
  TL_VTK_VERTS,
  TL_VTK_POLYS,
  TL_VTK_SECTIONS
} tl_vtk_section;

typedef struct tl_vtk_array {
  tl_vtk_section section;
  const char *name;
  tl_vtk_type type;
  int32_t components;
  int64_t count; /* tuples */
  const void *value;
} tl_vtk_array;

/* Arrays, in the order of sections, as the bytes of a .vtp file. There must be POINTS; VERTS and
 * POLYS have `connectivity` and `offsets`. */
talus_status tl_vtk_encode(talus_context *context, const tl_vtk_array *array, int32_t array_count,
                           tl_bytes *file);

/* Points of a regular grid: x runs first. */
typedef struct tl_vtk_image {
  double origin[3], spacing[3];
  double direction[9]; /* of its axes, row-major: columns are unit vectors */
  int32_t count[3];    /* of points along each axis */
} tl_vtk_image;
/* The same as a .vti file: arrays of sections FIELD and POINT. */
talus_status tl_vtk_encode_image(talus_context *context, const tl_vtk_image *image,
                                 const tl_vtk_array *array, int32_t array_count, tl_bytes *file);

/* size bytes as a header of UInt64 and compressed blocks (or as they are, without zlib). */
talus_status tl_vtk_pack(tl_bytes *file, const void *from, size_t size);
/* The compressor's name for the header, "" without zlib. */
const char *tl_vtk_compressor(void);

/* ---- back ------------------------------------------------------------------------------------ */

typedef struct tl_vtk_content {
  talus_context *context;
  tl_vtk_array *array;
  int32_t array_count;
} tl_vtk_content;

/* All arrays of a file as tl_vtk_encode makes them. Statuses: FILE_OPEN, FILE_FORMAT, UNSUPPORTED,
 * OUT_OF_MEMORY. tl_vtk_release is due in every case. */
talus_status tl_vtk_decode(talus_context *context, const char *path, tl_vtk_content *content);
/* The same of a file as tl_vtk_encode_image makes them; image NULL: as tl_vtk_decode. */
talus_status tl_vtk_decode_image(talus_context *context, const char *path, tl_vtk_content *content,
                                 tl_vtk_image *image);
void tl_vtk_release(tl_vtk_content *content);
/* An array by section and name with that type and number of components; count tuples, or any number
 * if *count < 0, which it then says. Status: FILE_FORMAT. */
talus_status tl_vtk_get(const tl_vtk_content *content, const char *path, tl_vtk_section section,
                        const char *name, tl_vtk_type type, int32_t components, int64_t *count,
                        const void **value);
/* Whether there is an array of that section and name. */
bool tl_vtk_has(const tl_vtk_content *content, tl_vtk_section section, const char *name);
/* Undoes tl_vtk_pack: from[0 .. size) to memory of tl_alloc. */
talus_status tl_vtk_unpack(talus_context *context, const char *path, int compressed,
                           const unsigned char *from, size_t size, void **to, size_t *to_size);

#endif
