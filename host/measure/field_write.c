/* field_write.c: fields of a grid as VTK image data; see field.h. */
#include <math.h>
#include <string.h>

#include "host/io/vtk_file.h"
#include "host/measure/field.h"

enum { DENSITY, SOLID, VELOCITY, TEMPERATURE, KINETIC, CONTACT, PRESSURE, WALL, FIELDS };

static const tl_vtk_array fields[FIELDS] = {
    {TL_VTK_POINT, "density", TL_VTK_FLOAT64, 1, 0, NULL},
    {TL_VTK_POINT, "packing_fraction", TL_VTK_FLOAT64, 1, 0, NULL},
    {TL_VTK_POINT, "velocity", TL_VTK_FLOAT64, 3, 0, NULL},
    {TL_VTK_POINT, "temperature", TL_VTK_FLOAT64, 1, 0, NULL},
    {TL_VTK_POINT, "kinetic_stress", TL_VTK_FLOAT64, 9, 0, NULL},
    {TL_VTK_POINT, "contact_stress", TL_VTK_FLOAT64, 9, 0, NULL},
    {TL_VTK_POINT, "pressure", TL_VTK_FLOAT64, 1, 0, NULL},
    {TL_VTK_POINT, "wall_force", TL_VTK_FLOAT64, 3, 0, NULL}};

/* Means at a point from its sums over so many frames. */
static void take_point(const double *sum, int32_t frames, bool plane, double *value[FIELDS]) {
  static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  const double scale = frames > 0 ? 1.0 / frames : 0;
  const double density = scale * sum[TL_FIELD_SUM_DENSITY];
  double velocity[3];
  for (int c = 0; c < 3; c++) {
    velocity[c] = density > 0 ? scale * sum[TL_FIELD_SUM_MOMENTUM + c] / density : 0;
    value[VELOCITY][c] = velocity[c];
    value[WALL][c] = scale * sum[TL_FIELD_SUM_WALL + c];
  }
  for (int i = 0; i < 9; i++) {
    value[KINETIC][i] =
        scale * sum[TL_FIELD_SUM_FLUX + place[i]] - density * velocity[i / 3] * velocity[i % 3];
    value[CONTACT][i] = scale * sum[TL_FIELD_SUM_CONTACT + i];
  }
  const int dimensions = plane ? 2 : 3;
  const double kinetic = value[KINETIC][0] + value[KINETIC][4] + value[KINETIC][8];
  *value[DENSITY] = density;
  *value[SOLID] = scale * sum[TL_FIELD_SUM_SOLID];
  *value[TEMPERATURE] = density > 0 ? fmax(0, kinetic / (dimensions * density)) : 0;
  *value[PRESSURE] =
      (value[CONTACT][0] + (plane ? 0 : value[CONTACT][4]) + value[CONTACT][8]) / dimensions;
}

static talus_status encode(const tl_grid *g, double time, double *memory, bool plane,
                           tl_bytes *file) {
  const int64_t frames = g->frames;
  tl_vtk_array array[FIELDS + 2] = {{TL_VTK_FIELD, "TimeValue", TL_VTK_FLOAT64, 1, 1, &time},
                                    {TL_VTK_FIELD, "frames", TL_VTK_INT64, 1, 1, &frames}};
  tl_vtk_image image;
  double *first[FIELDS];
  for (int k = 0; k < FIELDS; k++) {
    first[k] = memory;
    array[2 + k] = fields[k];
    array[2 + k].count = g->point_count;
    array[2 + k].value = memory;
    memory += g->point_count * fields[k].components;
  }
  for (int64_t p = 0; p < g->point_count; p++) {
    double *value[FIELDS];
    for (int k = 0; k < FIELDS; k++) {
      value[k] = first[k] + p * fields[k].components;
    }
    take_point(g->sum + p * TL_FIELD_SUM_COUNT, g->frames, plane, value);
  }
  tl_place3(image.origin, &g->pose, g->origin);
  memcpy(image.spacing, g->spacing, sizeof image.spacing);
  memcpy(image.direction, g->pose.rotation, sizeof image.direction);
  memcpy(image.count, g->count, sizeof image.count);
  return tl_vtk_encode_image(g->context, &image, array, FIELDS + 2, file);
}

talus_status tl_grid_write(const tl_grid *g, bool plane, double time, const char *path) {
  tl_bytes file = {g->context, NULL, 0, 0};
  void *memory = NULL;
  size_t components = 0;
  for (int k = 0; k < FIELDS; k++) {
    components += (size_t)fields[k].components;
  }
  TL_TRY(tl_alloc(g->context, &memory, (size_t)g->point_count * components, sizeof(double),
                  "fields of a grid"));
  talus_status status = encode(g, time, memory, plane, &file);
  if (status == TALUS_OK) {
    status = talus_file_write(g->context, path, file.memory, file.size);
  }
  tl_free(g->context, memory);
  tl_bytes_release(&file);
  return status;
}
