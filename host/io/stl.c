/* stl.c: STL files. A binary file is told by its size, which its count of facets must explain to
 * the byte; everything else must begin with "solid" and is read word by word. */
#include "host/io/stl.h"

#include <math.h>
#include <string.h>

enum { HEAD = 84, FACET = 50 };

/* Little-endian, whatever the machine. */
static uint32_t word_at(const char *bytes) {
  const unsigned char *const b = (const unsigned char *)bytes;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double real_at(const char *bytes) {
  const uint32_t bits = word_at(bytes);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static talus_status add_last_three(tl_triangles *t) {
  const int32_t first = t->point_count - 3;
  return tl_triangles_add(t, first, first + 1, first + 2);
}

static talus_status read_binary(tl_text *text, uint32_t count, tl_triangles *t) {
  for (uint32_t k = 0; k < count; k++) {
    /* a normal, which the corners tell better, and three corners */
    const char *const facet = text->memory + HEAD + (size_t)FACET * k + 12;
    for (int c = 0; c < 3; c++) {
      const double point[3] = {real_at(facet + 12 * c), real_at(facet + 12 * c + 4),
                               real_at(facet + 12 * c + 8)};
      if (!isfinite(point[0]) || !isfinite(point[1]) || !isfinite(point[2])) {
        return tl_fail(text->context, TALUS_FILE_FORMAT,
                       "%s: facet %u, corner %d: a coordinate is not finite", text->path, k, c);
      }
      TL_TRY(tl_triangles_add_point(t, point));
    }
    TL_TRY(add_last_three(t));
  }
  return TALUS_OK;
}

/* Does the text go on with this word? */
static bool comes(tl_text *text, const char *word) {
  const size_t length = strlen(word);
  return !tl_text_at_end(text) && strncmp(text->cursor, word, length) == 0 &&
         (text->cursor[length] == 0 || strchr(" \t\r\n", text->cursor[length]) != NULL);
}

static talus_status read_facet(tl_text *text, tl_triangles *t) {
  double number[3];
  TL_TRY(tl_text_word(text, "facet"));
  TL_TRY(tl_text_word(text, "normal"));
  TL_TRY(tl_text_numbers(text, "the normal", 3, number)); /* not used, but it must be there */
  TL_TRY(tl_text_word(text, "outer"));
  TL_TRY(tl_text_word(text, "loop"));
  for (int c = 0; c < 3; c++) {
    TL_TRY(tl_text_word(text, "vertex"));
    TL_TRY(tl_text_numbers(text, "a vertex", 3, number));
    if (!isfinite(number[0]) || !isfinite(number[1]) || !isfinite(number[2])) {
      return tl_text_fail(text, "a coordinate is not finite");
    }
    TL_TRY(tl_triangles_add_point(t, number));
  }
  TL_TRY(tl_text_word(text, "endloop"));
  TL_TRY(tl_text_word(text, "endfacet"));
  return add_last_three(t);
}

/* Several solids in one file are read as one. Names stand on the lines of solid and endsolid. */
static talus_status read_words(tl_text *text, tl_triangles *t) {
  const char *line;
  size_t length;
  do {
    TL_TRY(tl_text_word(text, "solid"));
    tl_text_line(text, &line, &length);
    while (comes(text, "facet")) {
      TL_TRY(read_facet(text, t));
    }
    TL_TRY(tl_text_word(text, "endsolid"));
    tl_text_line(text, &line, &length);
  } while (!tl_text_at_end(text));
  return TALUS_OK;
}

talus_status tl_stl_read(tl_text *text, tl_triangles *t) {
  const uint32_t count = text->size >= HEAD ? word_at(text->memory + 80) : 0;
  if (text->size >= HEAD && text->size == HEAD + (uint64_t)FACET * count) {
    return read_binary(text, count, t);
  }
  if (comes(text, "solid")) {
    return read_words(text, t);
  }
  if (text->size < HEAD) {
    return tl_text_fail(text, "an STL file begins with 'solid', or has %d bytes at least", HEAD);
  }
  return tl_fail(text->context, TALUS_FILE_FORMAT,
                 "%s: a binary STL file of %u facets has %llu bytes, this one has %zu", text->path,
                 count, (unsigned long long)(HEAD + (uint64_t)FACET * count), text->size);
}
