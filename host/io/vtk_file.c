/* vtk_file.c: named arrays to the bytes of a .vtp or .vti file; see vtk_file.h. */
#include "host/io/vtk_file.h"

#include <stddef.h>
#include <string.h>

#include "host/io/text_file.h"

static const struct {
  const char *name;
  size_t size;
} types[] = {{"Float64", 8}, {"Int64", 8}, {"Int32", 4}};

static const char *const sections[] = {"FieldData", "PointData", "CellData",
                                       "Points",    "Verts",     "Polys"};

size_t tl_vtk_size(tl_vtk_type type) {
  return types[type].size;
}

static size_t array_bytes(const tl_vtk_array *array) {
  return (size_t)array->count * (size_t)array->components * tl_vtk_size(array->type);
}

static int64_t section_count(const tl_vtk_array *array, int32_t count, tl_vtk_section section,
                             const char *name) {
  for (int32_t k = 0; k < count; k++) {
    if (array[k].section == section && strcmp(array[k].name, name) == 0) {
      return array[k].count;
    }
  }
  return 0;
}

static talus_status print_array(tl_bytes *file, const tl_vtk_array *array, size_t offset) {
  TL_TRY(tl_bytes_print(file, "<DataArray type=\"%s\" Name=\"%s\"", types[array->type].name,
                        array->name));
  TL_TRY(tl_bytes_print(file, " NumberOfComponents=\"%d\"", array->components));
  if (array->section == TL_VTK_FIELD) {
    TL_TRY(tl_bytes_print(file, " NumberOfTuples=\"%lld\"", (long long)array->count));
  }
  return tl_bytes_print(file, " format=\"appended\" offset=\"%zu\"/>\n", offset);
}

static talus_status print_section(tl_bytes *file, const tl_vtk_array *array, int32_t count,
                                  const size_t *offset, tl_vtk_section section) {
  TL_TRY(tl_bytes_print(file, "<%s>\n", sections[section]));
  for (int32_t k = 0; k < count; k++) {
    if (array[k].section == section) {
      TL_TRY(print_array(file, &array[k], offset[k]));
    }
  }
  return tl_bytes_print(file, "</%s>\n", sections[section]);
}

/* Begins a file of that type. */
static talus_status print_type(tl_bytes *file, const char *type) {
  TL_TRY(tl_bytes_print(file,
                        "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" "
                        "byte_order=\"LittleEndian\" header_type=\"UInt64\"",
                        type));
  if (tl_vtk_compressor()[0] != 0) {
    TL_TRY(tl_bytes_print(file, " compressor=\"%s\"", tl_vtk_compressor()));
  }
  return tl_bytes_print(file, ">\n");
}

static talus_status print_poly_data(tl_bytes *file, const tl_vtk_array *array, int32_t count,
                                    const size_t *offset) {
  TL_TRY(print_type(file, "PolyData"));
  TL_TRY(tl_bytes_print(file, "<PolyData>\n"));
  TL_TRY(print_section(file, array, count, offset, TL_VTK_FIELD));
  TL_TRY(tl_bytes_print(
      file, "<Piece NumberOfPoints=\"%lld\" NumberOfVerts=\"%lld\" NumberOfLines=\"0\" ",
      (long long)section_count(array, count, TL_VTK_POINTS, "Points"),
      (long long)section_count(array, count, TL_VTK_VERTS, "offsets")));
  TL_TRY(tl_bytes_print(file, "NumberOfStrips=\"0\" NumberOfPolys=\"%lld\">\n",
                        (long long)section_count(array, count, TL_VTK_POLYS, "offsets")));
  for (int section = TL_VTK_POINT; section < TL_VTK_SECTIONS; section++) {
    TL_TRY(print_section(file, array, count, offset, (tl_vtk_section)section));
  }
  return tl_bytes_print(file, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
}

static talus_status print_image(tl_bytes *file, const tl_vtk_image *image,
                                const tl_vtk_array *array, int32_t count, const size_t *offset) {
  const double *const o = image->origin, *const s = image->spacing, *const d = image->direction;
  const int32_t *const n = image->count;
  TL_TRY(print_type(file, "ImageData"));
  TL_TRY(tl_bytes_print(file, "<ImageData WholeExtent=\"0 %d 0 %d 0 %d\"", (int)n[0] - 1,
                        (int)n[1] - 1, (int)n[2] - 1));
  TL_TRY(tl_bytes_print(file, " Origin=\"%.17g %.17g %.17g\" Spacing=\"%.17g %.17g %.17g\"", o[0],
                        o[1], o[2], s[0], s[1], s[2]));
  TL_TRY(tl_bytes_print(file,
                        " Direction=\"%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\"",
                        d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], d[8]));
  TL_TRY(tl_bytes_print(file, ">\n"));
  TL_TRY(print_section(file, array, count, offset, TL_VTK_FIELD));
  TL_TRY(tl_bytes_print(file, "<Piece Extent=\"0 %d 0 %d 0 %d\">\n", (int)n[0] - 1, (int)n[1] - 1,
                        (int)n[2] - 1));
  TL_TRY(print_section(file, array, count, offset, TL_VTK_POINT));
  return tl_bytes_print(file, "</Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_");
}

/* The arrays first, since the head says where they are. image NULL: poly data. */
static talus_status encode(tl_bytes *body, const tl_vtk_image *image, const tl_vtk_array *array,
                           int32_t count, size_t *offset, tl_bytes *file) {
  for (int32_t k = 0; k < count; k++) {
    offset[k] = body->size;
    TL_TRY(tl_vtk_pack(body, array[k].value, array_bytes(&array[k])));
  }
  void *locale, *before;
  tl_locale_enter(&locale, &before);
  const talus_status status = image != NULL ? print_image(file, image, array, count, offset)
                                            : print_poly_data(file, array, count, offset);
  tl_locale_leave(locale, before);
  TL_TRY(status);
  TL_TRY(tl_bytes_append(file, body->memory, body->size));
  return tl_bytes_print(file, "\n</AppendedData>\n</VTKFile>\n");
}

talus_status tl_vtk_encode_image(talus_context *context, const tl_vtk_image *image,
                                 const tl_vtk_array *array, int32_t array_count, tl_bytes *file) {
  tl_bytes body = {context, NULL, 0, 0};
  void *offset = NULL;
  talus_status status =
      tl_alloc(context, &offset, (size_t)array_count, sizeof(size_t), "file in memory");
  if (status == TALUS_OK) {
    status = encode(&body, image, array, array_count, offset, file);
  }
  tl_free(context, offset);
  tl_bytes_release(&body);
  return status;
}

talus_status tl_vtk_encode(talus_context *context, const tl_vtk_array *array, int32_t array_count,
                           tl_bytes *file) {
  return tl_vtk_encode_image(context, NULL, array, array_count, file);
}
