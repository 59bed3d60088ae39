/* vtk_decode.c: arrays out of a .vtp or .vti file as vtk_file.c writes them; see vtk_file.h.
 *
 * Not a reader of XML at large: tags are looked for one after another in the head, which ends where
 * the appended bytes begin. Whatever does not fit is FILE_FORMAT. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/io/text_file.h"
#include "host/io/vtk_file.h"

static const char *const type_names[] = {"Float64", "Int64", "Int32"};
static const char *const section_names[] = {"FieldData", "PointData", "CellData",
                                            "Points",    "Verts",     "Polys"};

typedef struct decoder {
  tl_text text;
  tl_vtk_content *content;
  const char *path;
  const unsigned char *appended; /* behind the underscore */
  size_t appended_size;
  int compressed;
  tl_vtk_image *image; /* wanted, or NULL: the file holds points */
} decoder;

static talus_status damaged(decoder *d, const char *what) {
  return tl_fail(d->content->context, TALUS_FILE_FORMAT, "%s: %s", d->path, what);
}

/* The value of an attribute of the tag that begins at tag; 0 if it has none or it does not fit. */
static bool attribute(const char *tag, const char *name, char *value, size_t room) {
  const char *end = strchr(tag, '>');
  const size_t length = strlen(name);
  for (const char *at = tag; end != NULL && (at = strstr(at, name)) != NULL && at < end; at++) {
    if (at[-1] == ' ' && at[length] == '=' && at[length + 1] == '"') {
      const char *from = at + length + 2, *stop = strchr(from, '"');
      const size_t size = stop != NULL ? (size_t)(stop - from) : room;
      if (size >= room || stop > end) {
        return false;
      }
      memcpy(value, from, size);
      value[size] = 0;
      return true;
    }
  }
  return false;
}

static int look_up(const char *name, const char *const *list, int count) {
  for (int k = 0; k < count; k++) {
    if (strcmp(list[k], name) == 0) {
      return k;
    }
  }
  return -1;
}

/* Names and values of an array live in one piece of memory: value first. */
static talus_status take_array(decoder *d, const char *tag, tl_vtk_section section) {
  char name[64], word[32];
  tl_vtk_content *content = d->content;
  tl_vtk_array *array = &content->array[content->array_count];
  void *value = NULL, *copy;
  size_t bytes = 0;
  if (!attribute(tag, "type", word, sizeof word) || look_up(word, type_names, 3) < 0 ||
      !attribute(tag, "Name", name, sizeof name)) {
    return damaged(d, "an array has no name or type that is known");
  }
  memset(array, 0, sizeof *array);
  array->section = section;
  array->type = (tl_vtk_type)look_up(word, type_names, 3);
  array->components =
      attribute(tag, "NumberOfComponents", word, sizeof word) ? (int32_t)strtol(word, NULL, 10) : 1;
  const size_t offset = attribute(tag, "offset", word, sizeof word) ? strtoull(word, NULL, 10) : 0;
  if (array->components < 1 || array->components > 64 || offset > d->appended_size) {
    return damaged(d, "an array lies outside the file");
  }
  TL_TRY(tl_vtk_unpack(content->context, d->path, d->compressed, d->appended + offset,
                       d->appended_size - offset, &value, &bytes));
  const talus_status status = tl_alloc(content->context, &copy, strlen(name) + 1, 1, d->path);
  if (status != TALUS_OK) {
    tl_free(content->context, value);
    return status;
  }
  strcpy(copy, name);
  array->name = copy;
  array->value = value;
  array->count = (int64_t)(bytes / (tl_vtk_size(array->type) * (size_t)array->components));
  content->array_count++;
  return TALUS_OK;
}

static talus_status walk(decoder *d) {
  int section = -1;
  for (const char *tag = d->text.memory; (tag = strchr(tag, '<')) != NULL; tag++) {
    char name[32];
    if (sscanf(tag, "<%31[A-Za-z]", name) != 1) {
      continue;
    }
    if (strcmp(name, "DataArray") == 0) {
      if (section < 0) {
        return damaged(d, "an array stands outside every section");
      }
      TL_TRY(take_array(d, tag, (tl_vtk_section)section));
    } else if (look_up(name, section_names, TL_VTK_SECTIONS) >= 0) {
      section = look_up(name, section_names, TL_VTK_SECTIONS);
    }
  }
  return TALUS_OK;
}

/* Numbers of an attribute; false unless there are as many. */
static bool numbers(const char *tag, const char *name, int count, double *value) {
  char text[320];
  const char *at = text;
  if (!attribute(tag, name, text, sizeof text)) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    char *end = NULL;
    value[i] = strtod(at, &end);
    if (end == at || !isfinite(value[i])) {
      return false;
    }
    at = end;
  }
  return true;
}

/* Where the points of an image are. */
static talus_status take_image(decoder *d) {
  const char *const tag = strstr(d->text.memory, "<ImageData ");
  double extent[6], points = 1;
  tl_vtk_image *const image = d->image;
  if (tag == NULL || !numbers(tag, "WholeExtent", 6, extent) ||
      !numbers(tag, "Origin", 3, image->origin) || !numbers(tag, "Spacing", 3, image->spacing) ||
      !numbers(tag, "Direction", 9, image->direction)) {
    return damaged(d, "does not tell where its points are");
  }
  for (int c = 0; c < 3; c++) {
    const double count = extent[2 * c + 1] - extent[2 * c] + 1;
    points *= count;
    if (!(count >= 1 && points <= 1e9) || !(image->spacing[c] > 0)) {
      return damaged(d, "does not tell where its points are");
    }
    image->count[c] = (int32_t)count;
  }
  return TALUS_OK;
}

/* Ends the head's text where the bytes begin and makes room for its arrays. */
static talus_status split(decoder *d) {
  static const char begin[] = "<AppendedData encoding=\"raw\">";
  char *head = d->text.memory;
  char *appended = strstr(head, begin);
  char *underscore = appended != NULL ? strchr(appended, '_') : NULL;
  const char *const type = d->image != NULL ? "type=\"ImageData\"" : "type=\"PolyData\"";
  if (underscore == NULL || strstr(head, type) == NULL ||
      strstr(head, "header_type=\"UInt64\"") == NULL) {
    return damaged(d, d->image != NULL ? "is not a .vti file as Talus writes it"
                                       : "is not a .vtp file as Talus writes it");
  }
  d->appended = (const unsigned char *)underscore + 1;
  d->appended_size = d->text.size - (size_t)(underscore + 1 - head);
  *appended = 0;
  d->compressed = strstr(head, "compressor=\"vtkZLibDataCompressor\"") != NULL;
  size_t count = 0;
  for (const char *at = head; (at = strstr(at, "<DataArray")) != NULL; at++) {
    count++;
  }
  void *memory;
  TL_TRY(tl_alloc(d->content->context, &memory, count, sizeof(tl_vtk_array), d->path));
  d->content->array = memory;
  if (d->image != NULL) {
    void *locale, *before;
    tl_locale_enter(&locale, &before);
    const talus_status status = take_image(d);
    tl_locale_leave(locale, before);
    TL_TRY(status);
  }
  return walk(d);
}

talus_status tl_vtk_decode_image(talus_context *context, const char *path, tl_vtk_content *content,
                                 tl_vtk_image *image) {
  decoder d;
  memset(&d, 0, sizeof d);
  memset(content, 0, sizeof *content);
  content->context = context;
  d.content = content;
  d.path = path;
  d.image = image;
  talus_status status = tl_text_open(context, path, &d.text);
  if (status == TALUS_OK) {
    status = split(&d);
  }
  tl_text_close(&d.text);
  return status;
}

talus_status tl_vtk_decode(talus_context *context, const char *path, tl_vtk_content *content) {
  return tl_vtk_decode_image(context, path, content, NULL);
}

void tl_vtk_release(tl_vtk_content *content) {
  for (int32_t k = 0; k < content->array_count; k++) {
    tl_free(content->context, (void *)content->array[k].name);
    tl_free(content->context, (void *)content->array[k].value);
  }
  tl_free(content->context, content->array);
  content->array = NULL;
  content->array_count = 0;
}

bool tl_vtk_has(const tl_vtk_content *content, tl_vtk_section section, const char *name) {
  bool found = false;
  for (int32_t k = 0; k < content->array_count && !found; k++) {
    found = content->array[k].section == section && strcmp(content->array[k].name, name) == 0;
  }
  return found;
}

talus_status tl_vtk_get(const tl_vtk_content *content, const char *path, tl_vtk_section section,
                        const char *name, tl_vtk_type type, int32_t components, int64_t *count,
                        const void **value) {
  for (int32_t k = 0; k < content->array_count; k++) {
    const tl_vtk_array *array = &content->array[k];
    if (array->section == section && strcmp(array->name, name) == 0) {
      if (array->type != type || array->components != components ||
          (*count >= 0 && *count != array->count)) {
        break;
      }
      *count = array->count;
      *value = array->value;
      return TALUS_OK;
    }
  }
  return tl_fail(content->context, TALUS_FILE_FORMAT,
                 "%s: the array %s is missing, or not of the type or length expected", path, name);
}
