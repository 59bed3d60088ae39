/* impulses.c: impulse files, one contact per line. Lines must match exactly: a file made for
 * another problem is refused, not padded. */
#include <string.h>

#include "host/io/output_file.h"
#include "host/io/text_file.h"
#include "talus/talus_io.h"

enum { MAX_COLUMNS = 3 };

static talus_status check_arguments(talus_context *context, const char *path, const double *impulse,
                                    int32_t count, int32_t columns) {
  if (context == NULL || path == NULL || (impulse == NULL && count > 0)) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "impulse file: %s is NULL",
                   context == NULL ? "context"
                   : path == NULL  ? "path"
                                   : "impulse");
  }
  if (count < 0 || columns < 1 || columns > MAX_COLUMNS) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "%s: %d rows of %d columns make no sense", path,
                   count, columns);
  }
  return TALUS_OK;
}

talus_status talus_impulses_write(talus_context *context, const char *path, const double *impulse,
                                  int32_t count, int32_t columns) {
  static const char *const heads[] = {"# normal\n", "# normal tangent\n",
                                      "# normal tangent1 tangent2\n"};
  TL_TRY(check_arguments(context, path, impulse, count, columns));
  tl_output output;
  TL_TRY(tl_output_begin(context, path, &output));
  fputs(heads[columns - 1], output.stream);
  for (int64_t k = 0; k < count; k++) {
    for (int32_t i = 0; i < columns; i++) {
      fprintf(output.stream, "%.17g%c", impulse[k * columns + i], i + 1 < columns ? ' ' : '\n');
    }
  }
  return tl_output_commit(&output);
}

/* Moves to the next line that says something; 0 at the end of the file. */
static bool find_row(tl_text *text) {
  while (!tl_text_at_end(text)) {
    if (*text->cursor != '#') {
      return true;
    }
    const char *begin;
    size_t length;
    tl_text_line(text, &begin, &length);
  }
  return false;
}

static talus_status read_row(tl_text *text, double *row, int32_t columns) {
  const int64_t line = text->line;
  for (int32_t i = 0; i < columns; i++) {
    if (i > 0 && (tl_text_at_end(text) || text->line != line || *text->cursor == '#')) {
      tl_text_rewind(text, text->cursor, line);
      return tl_text_fail(text, "%d numbers where %d should be", i, columns);
    }
    TL_TRY(tl_text_number(text, "impulse", &row[i]));
  }
  if (!tl_text_at_end(text) && text->line == line && *text->cursor != '#') {
    return tl_text_fail(text, "more than %d numbers", columns);
  }
  return TALUS_OK;
}

static talus_status read_rows(tl_text *text, double *impulse, int32_t count, int32_t columns) {
  for (int64_t k = 0; k < count; k++) {
    if (!find_row(text)) {
      return tl_text_fail(text, "the file ends after %lld contacts of %d", (long long)k, count);
    }
    TL_TRY(read_row(text, impulse + k * columns, columns));
  }
  return find_row(text) ? tl_text_fail(text, "more than %d contacts", count) : TALUS_OK;
}

talus_status talus_impulses_read(talus_context *context, const char *path, double *impulse,
                                 int32_t count, int32_t columns) {
  TL_TRY(check_arguments(context, path, impulse, count, columns));
  tl_text text;
  talus_status status = tl_text_open(context, path, &text);
  if (status == TALUS_OK) {
    status = read_rows(&text, impulse, count, columns);
  }
  tl_text_close(&text);
  return status;
}
