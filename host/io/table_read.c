/* table_read.c: a table of numbers back into columns; see table.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/io/table.h"
#include "host/io/text_file.h"

typedef struct table_reader {
  tl_text text;
  tl_stored_table *table;
  int64_t line; /* of the line taken last */
  char separator;
} table_reader;

static bool is_blank(const char *line, size_t length) {
  size_t k = 0;
  while (k < length && (line[k] == ' ' || line[k] == '\t' || line[k] == '\r')) {
    k++;
  }
  return k == length || line[k] == '#';
}

/* The next line that says something; 0 at the end. */
static bool next_line(table_reader *reader, char **line, size_t *length) {
  const char *end = reader->text.memory + reader->text.size;
  while (reader->text.cursor < end) {
    const char *begin;
    reader->line = reader->text.line;
    tl_text_line(&reader->text, &begin, length);
    if (!is_blank(begin, *length)) {
      *line = reader->text.memory + (begin - reader->text.memory);
      return true;
    }
  }
  return false;
}

static int32_t count_fields(const char *line, size_t length, char separator) {
  int32_t count = 1;
  for (size_t k = 0; k < length; k++) {
    count += line[k] == separator;
  }
  return count;
}

static char *trim(char *text) {
  while (*text == ' ' || *text == '\t' || *text == '"') {
    text++;
  }
  size_t length = strlen(text);
  while (length > 0 && strchr(" \t\r\"", text[length - 1]) != NULL) {
    text[--length] = 0;
  }
  return text;
}

/* "name [unit]" in place. */
static void split_name(char *field, const char **name, const char **unit) {
  const size_t length = strlen(field = trim(field));
  char *open = strrchr(field, '[');
  *unit = "";
  if (open != NULL && open > field && field[length - 1] == ']') {
    field[length - 1] = 0;
    *open = 0;
    *unit = open + 1;
  }
  *name = trim(field);
}

static talus_status read_header(table_reader *reader) {
  tl_stored_table *table = reader->table;
  char *line = NULL;
  size_t length = 0;
  void *memory;
  if (!next_line(reader, &line, &length)) {
    return tl_text_fail(&reader->text, "the table is empty");
  }
  reader->separator = memchr(line, ',', length) != NULL    ? ','
                      : memchr(line, ';', length) != NULL  ? ';'
                      : memchr(line, '\t', length) != NULL ? '\t'
                                                           : ',';
  table->column_count = count_fields(line, length, reader->separator);
  TL_TRY(tl_alloc(table->context, &memory, length + 1, 1, "table"));
  table->text = memory;
  memcpy(table->text, line, length);
  table->text[length] = 0;
  TL_TRY(
      tl_alloc(table->context, &memory, 2 * (size_t)table->column_count, sizeof(char *), "table"));
  table->name = memory;
  table->unit = table->name + table->column_count;
  char *field = table->text;
  for (int32_t k = 0; k < table->column_count; k++) {
    char *end = strchr(field, reader->separator);
    if (end != NULL) {
      *end = 0;
    }
    split_name(field, &table->name[k], &table->unit[k]);
    field = end != NULL ? end + 1 : field;
  }
  return TALUS_OK;
}

static talus_status read_row(table_reader *reader, char *line, size_t length, int64_t row) {
  tl_stored_table *table = reader->table;
  const char *end = line + length;
  for (int32_t k = 0; k < table->column_count; k++) {
    char *stop = memchr(line, reader->separator, (size_t)(end - line));
    char *field_end = stop != NULL ? stop : line + (end - line), *rest;
    const char kept = *field_end;
    *field_end = 0;
    const char *field = trim(line);
    double value = NAN;
    int good = 1;
    if (field[0] != 0) {
      value = strtod(field, &rest);
      good = *rest == 0;
    }
    *field_end = kept;
    if (!good || (stop == NULL) != (k == table->column_count - 1)) {
      reader->text.line = reader->line;
      return good ? tl_text_fail(&reader->text, "has not %d fields", table->column_count)
                  : tl_text_fail(&reader->text, "column %d (%s) is not a number", k + 1,
                                 table->name[k]);
    }
    table->value[(int64_t)k * table->row_count + row] = value;
    line = stop != NULL ? stop + 1 : line;
  }
  return TALUS_OK;
}

static talus_status read_rows(table_reader *reader) {
  tl_stored_table *table = reader->table;
  const char *cursor = reader->text.cursor;
  const int64_t line_number = reader->text.line;
  const char *file_end = reader->text.memory + reader->text.size;
  char *line = NULL;
  size_t length = 0;
  void *memory;
  while (next_line(reader, &line, &length)) {
    const bool cut = line + length == file_end;
    table->row_count +=
        !(cut && count_fields(line, length, reader->separator) < table->column_count);
  }
  TL_TRY(tl_alloc(table->context, &memory,
                  tl_size_product((size_t)table->row_count, (size_t)table->column_count),
                  sizeof(double), "table"));
  table->value = memory;
  tl_text_rewind(&reader->text, cursor, line_number);
  for (int64_t row = 0; row < table->row_count; row++) {
    next_line(reader, &line, &length);
    TL_TRY(read_row(reader, line, length, row));
  }
  return TALUS_OK;
}

talus_status tl_stored_table_read(talus_context *context, const char *path,
                                  tl_stored_table *table) {
  table_reader reader;
  memset(&reader, 0, sizeof reader);
  memset(table, 0, sizeof *table);
  table->context = context;
  reader.table = table;
  talus_status status = tl_text_open(context, path, &reader.text);
  if (status == TALUS_OK) {
    status = read_header(&reader);
  }
  if (status == TALUS_OK) {
    status = read_rows(&reader);
  }
  tl_text_close(&reader.text);
  return status;
}

void tl_stored_table_release(tl_stored_table *table) {
  tl_free(table->context, table->value);
  tl_free(table->context, (void *)table->name);
  tl_free(table->context, table->text);
  talus_context *context = table->context;
  memset(table, 0, sizeof *table);
  table->context = context;
}

int32_t tl_stored_table_find(const tl_stored_table *table, const char *name) {
  for (int32_t k = 0; k < table->column_count; k++) {
    if (strcmp(table->name[k], name) == 0) {
      return k;
    }
  }
  return -1;
}
