/* surface_file.c: triangles from STL (text or binary) and OBJ files.
 *
 * STL repeats each corner; equal corners become one point, so that holes can be told from seams.
 * OBJ: vertices and faces alone are read, polygons are cut into fans. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/io/text_file.h"
#include "host/scene/build.h"

enum { STL_HEAD = 84, STL_FACET = 50 };

typedef struct surface_reader {
  tl_text *text;
  tl_wall_surface *surface;
  double scale;
  int flip;
  int32_t point_capacity, triangle_capacity;
} surface_reader;

static talus_status grow(talus_context *context, void **array, int32_t *capacity, int32_t count,
                         size_t size) {
  if (count < *capacity) {
    return TALUS_OK;
  }
  const int32_t wanted = *capacity > 0 ? 2 * *capacity : 1024;
  if (count >= INT32_MAX / 8) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "a surface of more than %d elements",
                   INT32_MAX / 8);
  }
  void *memory = NULL;
  TL_TRY(tl_alloc(context, &memory, (size_t)wanted, size, "a surface"));
  if (*array != NULL) {
    memcpy(memory, *array, (size_t)count * size);
  }
  tl_free(context, *array);
  *array = memory;
  *capacity = wanted;
  return TALUS_OK;
}

static talus_status add_point(surface_reader *reader, const double point[3]) {
  tl_wall_surface *s = reader->surface;
  void *array = s->point;
  const talus_status status =
      grow(s->context, &array, &reader->point_capacity, s->point_count, 3 * sizeof(double));
  s->point = array;
  TL_TRY(status);
  double *to = s->point + 3 * (size_t)s->point_count++;
  for (int c = 0; c < 3; c++) {
    to[c] = point[c] * reader->scale;
    if (!isfinite(to[c])) {
      return tl_fail(s->context, TALUS_FILE_FORMAT, "%s: point %d is not finite",
                     reader->text->path, (int)s->point_count - 1);
    }
  }
  return TALUS_OK;
}

static talus_status add_triangle(surface_reader *reader, int32_t a, int32_t b, int32_t c) {
  tl_wall_surface *s = reader->surface;
  void *array = s->triangle;
  const talus_status status =
      grow(s->context, &array, &reader->triangle_capacity, s->triangle_count, 3 * sizeof(int32_t));
  s->triangle = array;
  TL_TRY(status);
  int32_t *to = s->triangle + 3 * (size_t)s->triangle_count++;
  to[0] = a;
  to[1] = reader->flip ? c : b;
  to[2] = reader->flip ? b : c;
  return TALUS_OK;
}

static talus_status read_binary_stl(surface_reader *reader, uint32_t count) {
  const char *facet = reader->text->memory + STL_HEAD;
  for (uint32_t i = 0; i < count; i++, facet += STL_FACET) {
    for (int corner = 0; corner < 3; corner++) {
      float number[3];
      memcpy(number, facet + 12 + 12 * corner, sizeof number);
      const double point[3] = {number[0], number[1], number[2]};
      TL_TRY(add_point(reader, point));
    }
    const int32_t first = reader->surface->point_count - 3;
    TL_TRY(add_triangle(reader, first, first + 1, first + 2));
  }
  return TALUS_OK;
}

/* Looks only at the lines "vertex x y z": three make a facet. */
static talus_status read_text_stl(surface_reader *reader) {
  tl_text *text = reader->text;
  int corners = 0;
  while (!tl_text_at_end(text)) {
    const char *line;
    size_t length;
    char words[256], rest[2];
    double p[3];
    const int64_t number = text->line;
    tl_text_line(text, &line, &length);
    snprintf(words, sizeof words, "%.*s", (int)length, line);
    const char *word = words + strspn(words, " \t");
    if (strncmp(word, "vertex", 6) != 0) {
      continue;
    }
    if (sscanf(word + 6, "%lf %lf %lf %1s", &p[0], &p[1], &p[2], rest) != 3) {
      return tl_fail(text->context, TALUS_FILE_FORMAT, "%s:%lld: a vertex needs three numbers",
                     text->path, (long long)number);
    }
    TL_TRY(add_point(reader, p));
    if (++corners % 3 == 0) {
      const int32_t first = reader->surface->point_count - 3;
      TL_TRY(add_triangle(reader, first, first + 1, first + 2));
    }
  }
  return corners % 3 == 0 ? TALUS_OK : tl_text_fail(text, "the last facet lacks a vertex");
}

/* "7", "7/1", "7//3", "-1": the vertex alone. */
static talus_status read_corner(surface_reader *reader, const char *word, int64_t line,
                                int32_t *corner) {
  const long index = strtol(word, NULL, 10);
  const long count = reader->surface->point_count;
  const long point = index > 0 ? index - 1 : count + index;
  if (index == 0 || point < 0 || point >= count) {
    return tl_fail(reader->text->context, TALUS_FILE_FORMAT,
                   "%s:%lld: a face names vertex '%.20s', of %ld", reader->text->path,
                   (long long)line, word, count);
  }
  *corner = (int32_t)point;
  return TALUS_OK;
}

static talus_status read_face(surface_reader *reader, char *words, int64_t line) {
  int32_t first = 0, last = 0, corner = 0, count = 0;
  char *place = NULL;
  for (char *word = strtok_r(words, " \t\r", &place); word != NULL;
       word = strtok_r(NULL, " \t\r", &place)) {
    TL_TRY(read_corner(reader, word, line, &corner));
    if (count == 0) {
      first = corner;
    } else if (count >= 2) {
      TL_TRY(add_triangle(reader, first, last, corner));
    }
    last = corner;
    count++;
  }
  return count >= 3
             ? TALUS_OK
             : tl_fail(reader->text->context, TALUS_FILE_FORMAT,
                       "%s:%lld: a face needs three vertices", reader->text->path, (long long)line);
}

static talus_status read_obj(surface_reader *reader) {
  tl_text *text = reader->text;
  while (!tl_text_at_end(text)) {
    const char *line;
    size_t length;
    char words[4096];
    const int64_t number = text->line;
    tl_text_line(text, &line, &length);
    snprintf(words, sizeof words, "%.*s", (int)length, line);
    if (words[0] == 'v' && (words[1] == ' ' || words[1] == '\t')) {
      double p[3];
      if (sscanf(words + 1, "%lf %lf %lf", &p[0], &p[1], &p[2]) != 3) {
        return tl_fail(text->context, TALUS_FILE_FORMAT, "%s:%lld: a vertex needs three numbers",
                       text->path, (long long)number);
      }
      TL_TRY(add_point(reader, p));
    } else if (words[0] == 'f' && (words[1] == ' ' || words[1] == '\t')) {
      TL_TRY(read_face(reader, words + 1, number));
    }
  }
  return TALUS_OK;
}

static talus_status read_any(surface_reader *reader) {
  const tl_text *text = reader->text;
  uint32_t count = 0;
  if (text->size >= STL_HEAD) {
    memcpy(&count, text->memory + 80, sizeof count);
    if (text->size == STL_HEAD + (size_t)STL_FACET * count) {
      return read_binary_stl(reader, count);
    }
  }
  const size_t length = strlen(text->path);
  if (length > 4 && strcmp(text->path + length - 4, ".obj") == 0) {
    return read_obj(reader);
  }
  if (text->size >= 5 && strncmp(text->memory, "solid", 5) == 0) {
    return read_text_stl(reader);
  }
  return tl_fail(text->context, TALUS_FILE_FORMAT,
                 "%s: neither STL (text or binary, whole) nor a file *.obj", text->path);
}

/* ---- equal points become one ----------------------------------------------------------------- */

static uint32_t point_hash(const double *p, uint32_t mask) {
  uint64_t hash = UINT64_C(1469598103934665603);
  for (int c = 0; c < 3; c++) {
    uint64_t bits;
    const double number = p[c] + 0.0; /* -0 and 0 are equal */
    memcpy(&bits, &number, sizeof bits);
    hash = (hash ^ bits) * UINT64_C(0xBF58476D1CE4E5B9);
    hash ^= hash >> 29;
  }
  return (uint32_t)hash & mask;
}

static talus_status weld(tl_wall_surface *s) {
  uint32_t slots = 16;
  while (slots < 2 * (uint32_t)s->point_count) {
    slots *= 2;
  }
  void *table = NULL, *renamed = NULL;
  TL_TRY(tl_alloc(s->context, &table, slots, sizeof(int32_t), "points of a surface"));
  const talus_status status = tl_alloc(s->context, &renamed, (size_t)s->point_count,
                                       sizeof(int32_t), "points of a surface");
  if (status != TALUS_OK) {
    tl_free(s->context, table);
    return status;
  }
  int32_t *slot = table, *name = renamed, kept = 0;
  memset(slot, 0xFF, slots * sizeof(int32_t));
  for (int32_t i = 0; i < s->point_count; i++) {
    const double *p = s->point + 3 * (size_t)i;
    uint32_t at = point_hash(p, slots - 1);
    while (slot[at] >= 0 && (s->point[3 * slot[at]] != p[0] || s->point[3 * slot[at] + 1] != p[1] ||
                             s->point[3 * slot[at] + 2] != p[2])) {
      at = (at + 1) & (slots - 1);
    }
    if (slot[at] < 0) {
      slot[at] = kept;
      memmove(s->point + 3 * (size_t)kept++, p, 3 * sizeof(double));
    }
    name[i] = slot[at];
  }
  for (int32_t i = 0; i < 3 * s->triangle_count; i++) {
    s->triangle[i] = name[s->triangle[i]];
  }
  s->point_count = kept;
  tl_free(s->context, table);
  tl_free(s->context, renamed);
  return TALUS_OK;
}

talus_status tl_wall_surface_read(talus_context *context, const char *path, double scale, int flip,
                                  tl_wall_surface *surface) {
  tl_text text;
  memset(surface, 0, sizeof *surface);
  surface->context = context;
  surface_reader reader = {&text, surface, scale, flip, 0, 0};
  talus_status status = tl_text_open(context, path, &text);
  if (status == TALUS_OK) {
    status = read_any(&reader);
  }
  if (status == TALUS_OK && surface->triangle_count == 0) {
    status = tl_fail(context, TALUS_FILE_FORMAT, "%s: no triangles in it", path);
  }
  if (status == TALUS_OK) {
    status = weld(surface);
  }
  tl_text_close(&text);
  if (status != TALUS_OK) {
    tl_wall_surface_release(surface);
  }
  return status;
}
