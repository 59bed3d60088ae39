/* obj.c: OBJ files: vertices and faces; polygons become fans of triangles.
 *
 * What describes looks, groups, lines and points is passed over. Curves and surfaces are refused:
 * to leave them out silently would leave holes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/io/stl.h"

/* The rest of a line; it may go on in the next one after a backslash. */
typedef struct obj_line {
  tl_text *text;
  const char *cursor, *end;
  int64_t number;
} obj_line;

static obj_line next_line(tl_text *text) {
  obj_line line;
  size_t length;
  line.text = text;
  line.number = text->line;
  tl_text_line(text, &line.cursor, &length);
  line.end = line.cursor + length;
  return line;
}

static talus_status fail(const obj_line *line, const char *what, const char *word, size_t length) {
  return tl_fail(line->text->context, TALUS_FILE_FORMAT, "%s:%lld: %s: '%.*s'", line->text->path,
                 (long long)line->number, what, length > 40 ? 40 : (int)length, word);
}

static bool is_gap(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/* Length of the next word, 0 at the end of the line or where a comment begins. */
static size_t next_word(obj_line *line, const char **word) {
  for (;;) {
    while (line->cursor < line->end && is_gap(*line->cursor)) {
      line->cursor++;
    }
    const bool last = line->cursor < line->end && *line->cursor == '\\' &&
                      (line->cursor + 1 == line->end ||
                       (line->cursor + 2 == line->end && line->cursor[1] == '\r'));
    if (!last || tl_text_at_end(line->text)) {
      break;
    }
    *line = next_line(line->text);
  }
  *word = line->cursor;
  if (line->cursor < line->end && *line->cursor == '#') {
    line->cursor = line->end;
    return 0;
  }
  while (line->cursor < line->end && !is_gap(*line->cursor)) {
    line->cursor++;
  }
  return (size_t)(line->cursor - *word);
}

static talus_status read_vertex(obj_line *line, tl_triangles *t) {
  double point[3];
  for (int i = 0; i < 3; i++) {
    const char *word;
    char *end;
    const size_t length = next_word(line, &word);
    if (length == 0) {
      return fail(line, "a vertex needs three numbers", "", 0);
    }
    point[i] = strtod(word, &end);
    if (end != word + length || !isfinite(point[i])) {
      return fail(line, "not a finite number", word, length);
    }
  }
  return tl_triangles_add_point(t, point); /* a weight or colours may follow */
}

/* "7", "7/1", "7//3", "-1": the vertex alone counts; texture and normal must be numbers. */
static talus_status read_corner(const obj_line *line, const char *word, size_t length,
                                int32_t point_count, int32_t *corner) {
  char *end;
  const long long index = strtoll(word, &end, 10);
  if (end == word || end > word + length || (end < word + length && *end != '/') ||
      strspn(end, "/-0123456789") < (size_t)(word + length - end)) {
    return fail(line, "not a vertex of a face", word, length);
  }
  const long long point = index > 0 ? index - 1 : point_count + index;
  if (index == 0 || point < 0 || point >= point_count) {
    return fail(line, "a face names a vertex that is not there", word, length);
  }
  *corner = (int32_t)point;
  return TALUS_OK;
}

static talus_status read_face(obj_line *line, tl_triangles *t) {
  int32_t first = 0, before = 0, corner = 0;
  int64_t count = 0;
  const char *word;
  for (size_t length = next_word(line, &word); length > 0; length = next_word(line, &word)) {
    TL_TRY(read_corner(line, word, length, t->point_count, &corner));
    if (count == 0) {
      first = corner;
    } else if (count > 1) {
      TL_TRY(tl_triangles_add(t, first, before, corner));
    }
    before = corner;
    count++;
  }
  return count >= 3 ? TALUS_OK : fail(line, "a face needs three vertices", "", 0);
}

static bool is(const char *word, size_t length, const char *wanted) {
  return strlen(wanted) == length && memcmp(word, wanted, length) == 0;
}

static bool is_passed_over(const char *word, size_t length) {
  static const char *const known[] = {"vt",     "vn",     "vp",     "g",        "o",       "s",
                                      "mg",     "l",      "p",      "lod",      "bevel",   "usemtl",
                                      "mtllib", "usemap", "maplib", "c_interp", "d_interp"};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    if (is(word, length, known[k])) {
      return true;
    }
  }
  return false;
}

talus_status tl_obj_read(tl_text *text, tl_triangles *t) {
  while (!tl_text_at_end(text)) {
    obj_line line = next_line(text);
    const char *word;
    const size_t length = next_word(&line, &word);
    if (length == 0) {
      continue;
    }
    if (is(word, length, "v")) {
      TL_TRY(read_vertex(&line, t));
    } else if (is(word, length, "f")) {
      TL_TRY(read_face(&line, t));
    } else if (is_passed_over(word, length)) {
      while (next_word(&line, &word) > 0) { /* to the end, over any continuation */
      }
    } else {
      return fail(&line, "not understood", word, length);
    }
  }
  return TALUS_OK;
}
