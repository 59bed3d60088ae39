/* vtk_bonds.c: the bonds of a frame as a .vtp file: a point per bond. */
#include <string.h>

#include "host/io/vtk_frame.h"

enum { POINT, AXIS, RADIUS, NORMAL, SHEAR, BENDING, TWISTING, LOAD, COLUMNS };
static const struct {
  const char *name;
  int32_t components;
} columns[COLUMNS] = {{"Points", 3}, {"axis", 3},    {"radius", 1},   {"normal", 1},
                      {"shear", 1},  {"bending", 1}, {"twisting", 1}, {"load", 1}};

/* Doubles of all columns, one after the other; then connectivity and offsets, then ids. */
static void fill(const tl_frame *frame, double *value[COLUMNS], int64_t *vertex, int32_t *id) {
  const int64_t count = frame->bond_count;
  for (int64_t k = 0; k < count; k++) {
    const talus_bond *const bond = &frame->bond[k];
    const double *const from[COLUMNS] = {bond->point,     bond->axis,   &bond->radius,
                                         &bond->normal,   &bond->shear, &bond->bending,
                                         &bond->twisting, &bond->load};
    for (int c = 0; c < COLUMNS; c++) {
      const size_t n = (size_t)columns[c].components;
      memcpy(value[c] + n * (size_t)k, from[c], n * sizeof(double));
    }
    vertex[k] = k;
    vertex[count + k] = k + 1;
    id[k] = bond->id;
    id[count + 2 * k] = bond->body_a;
    id[count + 2 * k + 1] = bond->body_b;
  }
}

talus_status tl_vtk_bonds(talus_context *context, const tl_frame *frame, tl_bytes *file,
                          int32_t *bond_count) {
  void *memory;
  const int64_t count = frame->bond_count;
  const size_t all = (size_t)count;
  *bond_count = frame->bond_count;
  TL_TRY(tl_alloc(context, &memory, 12 * all, sizeof(double), "frame"));
  double *value[COLUMNS], *at = memory;
  void *others = NULL;
  talus_status status =
      tl_alloc(context, &others, all, 2 * sizeof(int64_t) + 3 * sizeof(int32_t), "frame");
  if (status == TALUS_OK) {
    tl_vtk_array array[COLUMNS + 6] = {
        {TL_VTK_FIELD, "TimeValue", TL_VTK_FLOAT64, 1, 1, &frame->time},
        {TL_VTK_FIELD, "step", TL_VTK_INT64, 1, 1, &frame->step}};
    int32_t n = 2;
    int64_t *const vertex = others;
    int32_t *const id = (int32_t *)(vertex + 2 * all);
    for (int c = 0; c < COLUMNS; c++) {
      value[c] = at;
      at += (size_t)columns[c].components * all;
    }
    fill(frame, value, vertex, id);
    for (int c = AXIS; c < COLUMNS; c++) {
      array[n++] = (tl_vtk_array){TL_VTK_POINT,          columns[c].name, TL_VTK_FLOAT64,
                                  columns[c].components, count,           value[c]};
    }
    array[n++] = (tl_vtk_array){TL_VTK_POINT, "id", TL_VTK_INT32, 1, count, id};
    array[n++] = (tl_vtk_array){TL_VTK_POINT, "body", TL_VTK_INT32, 2, count, id + all};
    array[n++] = (tl_vtk_array){TL_VTK_POINTS, "Points", TL_VTK_FLOAT64, 3, count, value[POINT]};
    array[n++] = (tl_vtk_array){TL_VTK_VERTS, "connectivity", TL_VTK_INT64, 1, count, vertex};
    array[n++] = (tl_vtk_array){TL_VTK_VERTS, "offsets", TL_VTK_INT64, 1, count, vertex + all};
    status = tl_vtk_encode(context, array, n, file);
  }
  tl_free(context, others);
  tl_free(context, memory);
  return status;
}
