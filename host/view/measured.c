/* measured.c: fields of a grid at the places of bodies; see measured.h. */
#include "host/view/measured.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/io/vtk_file.h"
#include "host/math/vector.h"

enum { PATH = 1200, NAME = 64 };

/* Units of what tl_grid_write writes. */
static const struct {
  const char *quantity, *unit;
} units[] = {{"density", " [kg/m³]"},     {"packing_fraction", ""},    {"velocity", " [m/s]"},
             {"temperature", " [m²/s²]"}, {"kinetic_stress", " [Pa]"}, {"contact_stress", " [Pa]"},
             {"pressure", " [Pa]"},       {"wall_force", " [N/m³]"}};

bool tl_measured_is(const char *text) {
  const char *const dot = strrchr(text, '.');
  return dot != NULL && dot > text && dot[1] != '\0' && dot - text < NAME && strlen(dot) < NAME;
}

/* The file that holds the fields of a step. */
static talus_status find_file(talus_context *context, const char *directory, const char *name,
                              int64_t step, char path[PATH]) {
  snprintf(path, PATH, "%s/measure-%s-%08" PRId64 ".vti", directory, name, step);
  if (access(path, R_OK) == 0) {
    return TALUS_OK;
  }
  snprintf(path, PATH, "%s/measured/%s.vti", directory, name);
  if (access(path, R_OK) == 0) {
    return TALUS_OK;
  }
  return tl_fail(context, TALUS_FILE_OPEN,
                 "%s has no fields called %s: measure them during the run (output.measure), or "
                 "afterwards by talus measure --add '{kind: fields, name: %s, ...}'",
                 directory, name, name);
}

/* The components of "_x" or "_xz"; -1: no such thing. */
static int32_t component_of(const char *suffix, int32_t components) {
  const size_t length = strlen(suffix);
  if (components == 1 || suffix[0] != '_') {
    return components == 1 && length == 0 ? 0 : -1;
  }
  const int first = suffix[1] - 'x', second = length == 3 ? suffix[2] - 'x' : 0;
  if (first < 0 || first > 2 || second < 0 || second > 2 || length != (components == 9 ? 3u : 2u)) {
    return -1;
  }
  return components == 9 ? 3 * first + second : first;
}

/* The array and component that a quantity names. */
static const tl_vtk_array *find_array(const tl_vtk_content *content, const char *quantity,
                                      int32_t *component) {
  for (int32_t k = 0; k < content->array_count; k++) {
    const tl_vtk_array *const array = &content->array[k];
    const size_t length = strlen(array->name);
    if (array->section == TL_VTK_POINT && array->type == TL_VTK_FLOAT64 &&
        strncmp(array->name, quantity, length) == 0) {
      *component = component_of(quantity + length, array->components);
      if (*component >= 0) {
        return array;
      }
    }
  }
  return NULL;
}

static talus_status tell_quantities(const tl_vtk_content *content, const char *path,
                                    const char *quantity) {
  char list[512] = "";
  for (int32_t k = 0; k < content->array_count; k++) {
    const tl_vtk_array *const array = &content->array[k];
    const size_t used = strlen(list);
    if (array->section == TL_VTK_POINT) {
      snprintf(list + used, sizeof list - used, "%s%s%s", used > 0 ? ", " : "", array->name,
               array->components == 9   ? "_xx .. _zz"
               : array->components == 3 ? "_x, _y, _z"
                                        : "");
    }
  }
  return tl_fail(content->context, TALUS_BAD_SETTING, "%s has no %s; it has %s", path, quantity,
                 list);
}

/* Linear between the eight points around a place, nan outside. An axis with one point does not
 * count. */
static double value_at(const tl_vtk_image *image, const tl_vtk_array *array, int32_t component,
                       const double at[3]) {
  double way[3], place[3], share[3], sum = 0;
  int64_t cell[3];
  tl_sub3(way, at, image->origin);
  tl_turn_back3(place, image->direction, way);
  for (int c = 0; c < 3; c++) {
    const double x = image->count[c] > 1 ? place[c] / image->spacing[c] : 0;
    const int32_t last = image->count[c] - 1;
    if (!(x >= 0 && x <= last)) {
      return NAN;
    }
    cell[c] = x < last ? (int64_t)x : (last > 0 ? last - 1 : 0);
    share[c] = x - (double)cell[c];
  }
  for (int corner = 0; corner < 8; corner++) {
    double weight = 1;
    int64_t index = 0;
    for (int c = 2; c >= 0; c--) {
      const int up = corner >> c & 1;
      weight *= up ? share[c] : 1 - share[c];
      index = index * image->count[c] + cell[c] + (image->count[c] > 1 ? up : 0);
    }
    sum += weight > 0
               ? weight * ((const double *)array->value)[index * array->components + component]
               : 0;
  }
  return sum;
}

static talus_status read_values(const tl_vtk_content *content, const tl_vtk_image *image,
                                const char *path, const char *quantity, const tl_frame *frame,
                                double *value, char *label) {
  int32_t component = 0;
  const tl_vtk_array *const array = find_array(content, quantity, &component);
  const char *unit = "";
  if (array == NULL) {
    return tell_quantities(content, path, quantity);
  }
  if (array->count != (int64_t)image->count[0] * image->count[1] * image->count[2]) {
    return tl_fail(content->context, TALUS_FILE_FORMAT, "%s: %s has not a value for each point",
                   path, array->name);
  }
  for (int32_t k = 0; k < frame->body_count; k++) {
    value[k] = value_at(image, array, component, frame->position + 3 * (size_t)k);
  }
  for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
    unit = strcmp(units[k].quantity, array->name) == 0 ? units[k].unit : unit;
  }
  snprintf(label, TL_MEASURED_LABEL, "%s%s", quantity, unit);
  for (char *at = label; *at != '\0'; at++) {
    *at = *at == '_' ? ' ' : *at;
  }
  return TALUS_OK;
}

talus_status tl_measured_read(talus_context *context, const char *directory, const char *text,
                              const tl_frame *frame, double *value, char label[TL_MEASURED_LABEL]) {
  char name[NAME], path[PATH];
  tl_vtk_content content;
  tl_vtk_image image;
  if (!tl_measured_is(text)) {
    return tl_fail(context, TALUS_BAD_SETTING, "%s: wants NAME.quantity", text);
  }
  const char *const dot = strrchr(text, '.');
  snprintf(name, sizeof name, "%.*s", (int)(dot - text), text);
  TL_TRY(find_file(context, directory, name, frame->step, path));
  talus_status status = tl_vtk_decode_image(context, path, &content, &image);
  if (status == TALUS_OK) {
    status = read_values(&content, &image, path, dot + 1, frame, value, label);
  }
  tl_vtk_release(&content);
  return status;
}
