/* table_write.c: tables of numbers, written line by line; see table.h. */
#define _POSIX_C_SOURCE 200809L
#include "host/io/table.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/io/text_file.h"

enum { NUMBER_ROOM = 32 };

struct talus_table {
  talus_context *context;
  char *path;
  char *line; /* room for the longest */
  size_t line_room;
  int32_t column_count;
  int file;
  int64_t size;       /* of the file: whole lines */
  int64_t last_step;  /* of the last line, or -1 */
  int64_t last_begin; /* where it begins */
};

static talus_status refuse(talus_table *table, const char *doing) {
  return tl_fail(table->context, TALUS_FILE_WRITE, "%s: %s: %s", table->path, doing,
                 strerror(errno));
}

static bool is_plain(const char *text) {
  return text != NULL && strpbrk(text, ",;\t\"[]\r\n") == NULL;
}

static talus_status check_columns(talus_context *context, const talus_column *column,
                                  int32_t count) {
  for (int32_t k = 0; k < count; k++) {
    if (!is_plain(column[k].name) || column[k].name[0] == 0 || !is_plain(column[k].unit)) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT,
                     "table: column %d has a name or unit that cannot stand in a table", k + 1);
    }
  }
  return TALUS_OK;
}

static size_t print_header(char *line, const talus_column *column, int32_t count) {
  size_t length = (size_t)sprintf(line, "step");
  for (int32_t k = 0; k < count; k++) {
    length += (size_t)sprintf(line + length, column[k].unit[0] != 0 ? ",%s [%s]" : ",%s",
                              column[k].name, column[k].unit);
  }
  length += (size_t)sprintf(line + length, "\n");
  return length;
}

/* All of the line or nothing: what the disk took of it is cut off again. */
static talus_status write_line(talus_table *table, size_t length) {
  size_t done = 0;
  while (done < length) {
    const ssize_t took = pwrite(table->file, table->line + done, length - done,
                                (off_t)(table->size + (int64_t)done));
    if (took < 0 && errno == EINTR) {
      continue;
    }
    if (took <= 0) {
      const int reason = took < 0 ? errno : ENOSPC;
      const int cut = ftruncate(table->file, (off_t)table->size);
      errno = cut == 0 ? reason : errno;
      return refuse(table, "writing failed");
    }
    done += (size_t)took;
  }
  table->size += (int64_t)length;
  return TALUS_OK;
}

/* Whole lines up to a step. */
typedef struct line_range {
  int64_t end;        /* where they end */
  int64_t last_step;  /* of the last one, or -1 */
  int64_t last_begin; /* where it begins */
} line_range;

static talus_status find_lines(const tl_text *text, size_t header_length, int64_t step,
                               line_range *found) {
  const char *line = text->memory + header_length, *stop = text->memory + text->size;
  int64_t number = 1;
  found->last_step = -1;
  found->last_begin = 0;
  while (line < stop) {
    const char *line_end = memchr(line, '\n', (size_t)(stop - line));
    if (line_end == NULL) {
      break; /* the writer was killed in the middle of it */
    }
    number++;
    char *rest;
    errno = 0;
    const long long of_line = strtoll(line, &rest, 10);
    if (rest == line || errno != 0 || (*rest != ',' && *rest != '\n')) {
      return tl_fail(text->context, TALUS_FILE_FORMAT, "%s:%" PRId64 ": does not begin with a step",
                     text->path, number);
    }
    if (of_line > step) {
      break;
    }
    found->last_step = of_line;
    found->last_begin = line - text->memory;
    line = line_end + 1;
  }
  found->end = line - text->memory;
  return TALUS_OK;
}

talus_status tl_table_find(talus_context *context, const char *path, int64_t step, int64_t *last) {
  tl_text text;
  line_range lines;
  *last = -1;
  if (access(path, F_OK) != 0 && errno == ENOENT) {
    return TALUS_OK;
  }
  talus_status status = tl_text_open(context, path, &text);
  const char *header_end = status == TALUS_OK ? memchr(text.memory, '\n', text.size) : NULL;
  if (header_end != NULL) {
    status = find_lines(&text, (size_t)(header_end + 1 - text.memory), step, &lines);
    *last = status == TALUS_OK ? lines.last_step : -1;
  }
  tl_text_close(&text);
  return status;
}

/* Where the lines end that a restart keeps. */
static talus_status find_end(talus_table *table, size_t header_length, const tl_text *text,
                             int64_t resume) {
  line_range lines;
  if (text->size < header_length || memcmp(text->memory, table->line, header_length) != 0) {
    return tl_fail(table->context, TALUS_FILE_FORMAT,
                   "%s: its first line is not that of this run: other columns, or another file",
                   table->path);
  }
  TL_TRY(find_lines(text, header_length, resume, &lines));
  table->size = lines.end;
  table->last_step = lines.last_step;
  table->last_begin = lines.last_begin;
  return TALUS_OK;
}

static talus_status cut_back(talus_table *table, size_t header_length, int64_t resume) {
  tl_text text;
  talus_status status = tl_text_open(table->context, table->path, &text);
  if (status == TALUS_OK) {
    status = find_end(table, header_length, &text, resume);
  }
  tl_text_close(&text);
  TL_TRY(status);
  table->file = open(table->path, O_WRONLY | O_CLOEXEC);
  if (table->file < 0 || ftruncate(table->file, (off_t)table->size) != 0) {
    return refuse(table, "cannot be written");
  }
  return TALUS_OK;
}

static talus_status begin(talus_table *table, const talus_column *column, int64_t resume) {
  const size_t header_length = print_header(table->line, column, table->column_count);
  struct stat about;
  if (resume >= 0 && stat(table->path, &about) == 0 && about.st_size > 0) {
    return cut_back(table, header_length, resume);
  }
  table->file = open(table->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (table->file < 0) {
    return refuse(table, "cannot be created");
  }
  return write_line(table, header_length);
}

static talus_status allocate(talus_table *table, const char *path, const talus_column *column) {
  void *memory;
  TL_TRY(tl_alloc(table->context, &memory, strlen(path) + 1, 1, "table"));
  table->path = memory;
  strcpy(table->path, path);
  table->line_room = NUMBER_ROOM * ((size_t)table->column_count + 1);
  for (int32_t k = 0; k < table->column_count; k++) {
    table->line_room += strlen(column[k].name) + strlen(column[k].unit) + 4;
  }
  TL_TRY(tl_alloc(table->context, &memory, table->line_room, 1, "table"));
  table->line = memory;
  return TALUS_OK;
}

talus_status talus_table_open(talus_context *context, const char *path, const talus_column *column,
                              int32_t column_count, int64_t resume, talus_table **table) {
  void *memory;
  if (context == NULL || path == NULL || table == NULL || column_count < 0 ||
      (column == NULL && column_count > 0)) {
    return TALUS_INVALID_ARGUMENT;
  }
  *table = NULL;
  TL_TRY(check_columns(context, column, column_count));
  TL_TRY(tl_alloc(context, &memory, 1, sizeof **table, "table"));
  talus_table *opened = memory;
  memset(opened, 0, sizeof *opened);
  opened->context = context;
  opened->column_count = column_count;
  opened->file = -1;
  opened->last_step = -1;
  talus_status status = allocate(opened, path, column);
  if (status == TALUS_OK) {
    status = begin(opened, column, resume);
  }
  if (status != TALUS_OK) {
    talus_table_close(opened);
    return status;
  }
  *table = opened;
  return TALUS_OK;
}

talus_status tl_table_append(talus_table *table, int64_t step, const double *value) {
  void *locale, *before;
  tl_locale_enter(&locale, &before);
  size_t length = (size_t)sprintf(table->line, "%" PRId64, step);
  for (int32_t k = 0; k < table->column_count; k++) {
    length += (size_t)snprintf(table->line + length, NUMBER_ROOM, ",%.17g", value[k]);
  }
  tl_locale_leave(locale, before);
  table->line[length++] = '\n';
  const int64_t begin = table->size;
  TL_TRY(write_line(table, length));
  table->last_step = step;
  table->last_begin = begin;
  return TALUS_OK;
}

talus_status talus_table_row(talus_table *table, int64_t step, const double *value) {
  if (table == NULL || (value == NULL && table->column_count > 0)) {
    return TALUS_INVALID_ARGUMENT;
  }
  if (step == table->last_step) {
    if (ftruncate(table->file, (off_t)table->last_begin) != 0) {
      return refuse(table, "writing failed");
    }
    table->size = table->last_begin;
    table->last_step = -1;
  }
  return tl_table_append(table, step, value);
}

int64_t tl_table_last(const talus_table *table) {
  return table->last_step;
}

talus_status tl_table_sync(talus_table *table) {
  return fdatasync(table->file) == 0 || errno == EINVAL || errno == EROFS
             ? TALUS_OK
             : refuse(table, "writing failed");
}

talus_status talus_table_close(talus_table *table) {
  if (table == NULL) {
    return TALUS_OK;
  }
  talus_context *context = table->context;
  talus_status status = TALUS_OK;
  if (table->file >= 0 && close(table->file) != 0) {
    status = refuse(table, "writing failed");
  }
  tl_free(context, table->line);
  tl_free(context, table->path);
  tl_free(context, table);
  return status;
}
