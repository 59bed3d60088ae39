/* packing_csv.c: a packing as a table: a header, then a line per body.
 *
 *   x, y, z, r           needed: centre and radius, m; of boxes r is not read
 *   qw, qx, qy, qz       orientation          vx, vy, vz   velocity, m/s
 *   wx, wy, wz           spin, rad/s
 *   shape                sphere (default), box, capsule, cylinder
 *   length               of capsules (between the ends' centres) and cylinders, m
 *   size_x, size_y, size_z   edges of boxes, m
 *   material             its name; none: the first
 * Columns may come in any order; a unit in brackets behind a name is passed over. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/io/output_file.h"
#include "host/io/packing.h"
#include "host/io/text_file.h"

enum {
  COLUMN_x,
  COLUMN_y,
  COLUMN_z,
  COLUMN_r,
  COLUMN_qw,
  COLUMN_qx,
  COLUMN_qy,
  COLUMN_qz,
  COLUMN_vx,
  COLUMN_vy,
  COLUMN_vz,
  COLUMN_wx,
  COLUMN_wy,
  COLUMN_wz,
  COLUMN_length,
  COLUMN_size_x,
  COLUMN_size_y,
  COLUMN_size_z,
  COLUMN_shape,
  COLUMN_material,
  COLUMN_COUNT
};
static const char *const names[COLUMN_COUNT] = {
    "x",  "y",  "z",  "r",  "qw",     "qx",     "qy",     "qz",     "vx",    "vy",
    "vz", "wx", "wy", "wz", "length", "size_x", "size_y", "size_z", "shape", "material"};
static const char *const kinds[] = {"sphere", "box", "capsule", "cylinder"};
enum { MOST = 64, WORD = 64 };

/* One line as words. */
typedef struct row {
  char word[MOST][WORD];
  int32_t count;
  int64_t number; /* of the line, from 1 */
} row;

/* Complains of the line that a row was read from. */
#define ROW_FAIL(text, row, ...) ((text)->line = (row)->number, tl_text_fail(text, __VA_ARGS__))

/* Cuts a line at commas, semicolons and tabs; blanks around words go. */
static talus_status row_read(tl_text *text, row *to) {
  const char *begin;
  size_t length, at = 0;
  to->number = text->line;
  tl_text_line(text, &begin, &length);
  to->count = 0;
  while (at <= length && length > 0) {
    size_t end = at;
    while (end < length && strchr(",;\t\r", begin[end]) == NULL) {
      end++;
    }
    size_t from = at, until = end;
    for (; from < until && begin[from] == ' '; from++) {
    }
    for (; until > from && begin[until - 1] == ' '; until--) {
    }
    if (to->count == MOST || until - from >= WORD) {
      return ROW_FAIL(text, to,
                      "the line has more than %d columns, or a word of more than "
                      "%d characters",
                      MOST, WORD);
    }
    memcpy(to->word[to->count], begin + from, until - from);
    to->word[to->count++][until - from] = '\0';
    at = end + 1;
  }
  if (to->count > 0 && to->word[to->count - 1][0] == '\0') {
    to->count--; /* \r, or a comma at the end */
  }
  return TALUS_OK;
}

/* Which word of a line holds each column; -1: none does. */
static talus_status head_read(tl_text *text, int32_t place[COLUMN_COUNT]) {
  row head;
  TL_TRY(row_read(text, &head));
  for (int c = 0; c < COLUMN_COUNT; c++) {
    place[c] = -1;
    for (int32_t i = 0; i < head.count; i++) {
      char name[WORD];
      snprintf(name, sizeof name, "%.*s", (int)strcspn(head.word[i], " ["), head.word[i]);
      place[c] = strcmp(name, names[c]) == 0 ? i : place[c];
    }
  }
  for (int c = 0; c < 4; c++) {
    if (place[c] < 0 && !(c == COLUMN_r && place[COLUMN_size_x] >= 0)) {
      return ROW_FAIL(text, &head,
                      "the first line names the columns, and there is no '%s' (needed are "
                      "x, y, z and r)",
                      names[c]);
    }
  }
  return TALUS_OK;
}

static talus_status number(tl_text *text, const row *line, const int32_t *place, int column,
                           double initial, double *value) {
  const int32_t i = place[column];
  *value = initial;
  if (i < 0 || i >= line->count || line->word[i][0] == '\0') {
    return column < 3 ? ROW_FAIL(text, line, "the line has no %s", names[column]) : TALUS_OK;
  }
  char *end = NULL;
  *value = strtod(line->word[i], &end);
  return *end == '\0' && isfinite(*value)
             ? TALUS_OK
             : ROW_FAIL(text, line, "%s is '%s' and no number", names[column], line->word[i]);
}

static const char *word(const row *line, const int32_t *place, int column) {
  const int32_t i = place[column];
  return i >= 0 && i < line->count ? line->word[i] : "";
}

/* The number of a material by its name, which is added if it is new. */
static talus_status material_of(tl_body_list *packing, const char *name, int32_t *material) {
  char known[WORD];
  int32_t m = 0;
  for (const char *at = packing->materials; at != NULL && *at != '\0'; m++) {
    if (tl_packing_material(packing, m, known, sizeof known) != NULL && strcmp(known, name) == 0) {
      break;
    }
    at = strchr(at, '\n') + 1;
  }
  *material = m;
  if (tl_packing_material(packing, m, known, sizeof known) != NULL || name[0] == '\0') {
    *material = name[0] == '\0' ? 0 : m;
    return TALUS_OK;
  }
  const size_t old = packing->materials != NULL ? strlen(packing->materials) : 0;
  void *memory = NULL;
  TL_TRY(tl_alloc(packing->context, &memory, old + strlen(name) + 2, 1, "names"));
  snprintf(memory, old + strlen(name) + 2, "%s%s\n",
           packing->materials != NULL ? packing->materials : "", name);
  tl_free(packing->context, packing->materials);
  packing->materials = memory;
  return TALUS_OK;
}

static talus_status shape_read(tl_text *text, const row *line, const int32_t *place,
                               tl_body_list *packing, tl_packing_shape *shape) {
  static const int32_t kind[] = {TALUS_SHAPE_SPHERE, TALUS_SHAPE_BOX, TALUS_SHAPE_CAPSULE,
                                 TALUS_SHAPE_CYLINDER};
  const char *const wanted = word(line, place, COLUMN_shape);
  memset(shape, 0, sizeof *shape);
  shape->kind = wanted[0] == '\0' ? TALUS_SHAPE_SPHERE : -1;
  shape->orientation[0] = 1;
  for (int k = 0; k < 4; k++) {
    shape->kind = strcmp(wanted, kinds[k]) == 0 ? kind[k] : shape->kind;
  }
  if (shape->kind < 0) {
    return ROW_FAIL(text, line,
                    "shape is '%s': there are sphere, box, capsule and "
                    "cylinder",
                    wanted);
  }
  double length;
  TL_TRY(number(text, line, place, COLUMN_r, 0, &shape->radius));
  TL_TRY(number(text, line, place, COLUMN_length, 0, &length));
  shape->half_length = 0.5 * length;
  for (int c = 0; c < 3; c++) {
    TL_TRY(number(text, line, place, COLUMN_size_x + c, 0, &shape->half_edge[c]));
    shape->half_edge[c] *= 0.5;
  }
  const bool box = shape->kind == TALUS_SHAPE_BOX;
  if (box ? !(shape->half_edge[0] > 0 && shape->half_edge[1] > 0 && shape->half_edge[2] > 0)
          : !(shape->radius > 0)) {
    return ROW_FAIL(text, line, "the body has no size: %s above 0 is needed",
                    box ? "size_x, size_y, size_z" : "r");
  }
  return material_of(packing, word(line, place, COLUMN_material), &shape->material);
}

static talus_status body_read(tl_text *text, const row *line, const int32_t *place, int32_t i,
                              tl_packing_body *body) {
  double norm = 0;
  memset(body, 0, sizeof *body);
  body->collides = UINT32_MAX;
  body->first_shape = i;
  body->shape_count = 1;
  for (int c = 0; c < 3; c++) {
    TL_TRY(number(text, line, place, COLUMN_x + c, 0, &body->state.position[c]));
    TL_TRY(number(text, line, place, COLUMN_vx + c, 0, &body->state.velocity[c]));
    TL_TRY(number(text, line, place, COLUMN_wx + c, 0, &body->state.spin[c]));
  }
  for (int c = 0; c < 4; c++) {
    TL_TRY(number(text, line, place, COLUMN_qw + c, c == 0, &body->state.orientation[c]));
    norm += body->state.orientation[c] * body->state.orientation[c];
  }
  if (!(norm > 0)) {
    return ROW_FAIL(text, line, "the quaternion has length 0");
  }
  for (int c = 0; c < 4; c++) {
    body->state.orientation[c] /= sqrt(norm);
  }
  return TALUS_OK;
}

static talus_status reserve(tl_body_list *packing, int32_t room) {
  void *memory = NULL;
  TL_TRY(tl_alloc(packing->context, &memory, (size_t)room, sizeof *packing->body, "bodies"));
  packing->body = memory;
  TL_TRY(tl_alloc(packing->context, &memory, (size_t)room, sizeof *packing->shape, "shapes"));
  packing->shape = memory;
  return TALUS_OK;
}

static talus_status table_read(tl_text *text, tl_body_list *packing) {
  int32_t place[COLUMN_COUNT];
  row line;
  int64_t lines = 1;
  TL_TRY(head_read(text, place));
  for (const char *at = text->cursor; *at != '\0'; at++) {
    lines += *at == '\n';
  }
  if (lines > (1 << 28)) {
    return tl_text_fail(text, "%lld bodies are too many", (long long)lines);
  }
  TL_TRY(reserve(packing, (int32_t)lines + 1));
  while (*text->cursor != '\0') {
    TL_TRY(row_read(text, &line));
    if (line.count == 0 || line.word[0][0] == '#') {
      continue;
    }
    const int32_t i = packing->body_count;
    TL_TRY(body_read(text, &line, place, i, &packing->body[i]));
    TL_TRY(shape_read(text, &line, place, packing, &packing->shape[i]));
    packing->body_count = packing->shape_count = i + 1;
  }
  return packing->body_count > 0 ? TALUS_OK
                                 : tl_text_fail(text, "there are no bodies in the table");
}

talus_status tl_packing_read_csv(const char *path, tl_body_list *packing) {
  tl_text text;
  talus_status status = tl_text_open(packing->context, path, &text);
  if (status == TALUS_OK) {
    status = table_read(&text, packing);
  }
  tl_text_close(&text);
  return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void line_write(FILE *stream, const tl_body_list *packing, const tl_packing_body *body) {
  const tl_packing_shape *const s = &packing->shape[body->first_shape];
  const talus_body_state *const b = &body->state;
  char material[WORD] = "";
  const int kind = s->kind == TALUS_SHAPE_SPHERE    ? 0
                   : s->kind == TALUS_SHAPE_BOX     ? 1
                   : s->kind == TALUS_SHAPE_CAPSULE ? 2
                                                    : 3;
  tl_packing_material(packing, s->material, material, sizeof material);
  fprintf(stream, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,", b->position[0],
          b->position[1], b->position[2], s->radius, b->orientation[0], b->orientation[1],
          b->orientation[2], b->orientation[3]);
  fprintf(stream, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%s,%s\n",
          b->velocity[0], b->velocity[1], b->velocity[2], b->spin[0], b->spin[1], b->spin[2],
          2 * s->half_length, 2 * s->half_edge[0], 2 * s->half_edge[1], 2 * s->half_edge[2],
          kinds[kind], material);
}

talus_status tl_packing_write_csv(const tl_body_list *packing, const char *path) {
  tl_output output;
  void *locale, *before;
  TL_TRY(tl_output_begin(packing->context, path, &output));
  tl_locale_enter(&locale, &before);
  for (int c = 0; c < COLUMN_COUNT; c++) {
    fprintf(output.stream, "%s%s", names[c], c + 1 < COLUMN_COUNT ? "," : "\n");
  }
  for (int32_t i = 0; i < packing->body_count; i++) {
    line_write(output.stream, packing, &packing->body[i]);
  }
  tl_locale_leave(locale, before);
  if (ferror(output.stream)) {
    tl_output_abandon(&output);
    return tl_fail(packing->context, TALUS_FILE_WRITE, "%s could not be written", path);
  }
  return tl_output_commit(&output);
}
