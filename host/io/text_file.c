/* text_file.c: loading and tokenising of text files; see text_file.h. */
#define _POSIX_C_SOURCE 200809L
#include "host/io/text_file.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void tl_locale_enter(void **locale, void **before) {
  locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  *locale = (void *)plain;
  *before = plain != (locale_t)0 ? (void *)uselocale(plain) : NULL;
}

void tl_locale_leave(void *locale, void *before) {
  if (locale != NULL) {
    uselocale((locale_t)before);
    freelocale((locale_t)locale);
  }
}

/* Asked before opening: opening a pipe would wait for its writer. */
static talus_status find_size(tl_text *text, size_t *size) {
  struct stat about;
  if (stat(text->path, &about) != 0) {
    return tl_fail(text->context, TALUS_FILE_OPEN, "%s: %s", text->path, strerror(errno));
  }
  if (!S_ISREG(about.st_mode)) {
    return tl_fail(text->context, TALUS_FILE_OPEN, "%s: %s", text->path,
                   S_ISDIR(about.st_mode) ? "is a directory" : "is not a regular file");
  }
  *size = (size_t)about.st_size;
  return TALUS_OK;
}

static talus_status load(tl_text *text, FILE *file, size_t size) {
  void *memory;
  TL_TRY(tl_alloc(text->context, &memory, size + 1, 1, text->path));
  text->memory = memory;
  text->size = fread(text->memory, 1, size, file);
  text->memory[text->size] = 0;
  if (ferror(file)) {
    return tl_fail(text->context, TALUS_FILE_OPEN, "%s: %s", text->path, strerror(errno));
  }
  return TALUS_OK;
}

talus_status tl_text_open(talus_context *context, const char *path, tl_text *text) {
  memset(text, 0, sizeof *text);
  text->context = context;
  text->path = path;
  tl_locale_enter(&text->locale, &text->locale_before);
  size_t size = 0;
  TL_TRY(find_size(text, &size));
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return tl_fail(context, TALUS_FILE_OPEN, "%s: %s", path, strerror(errno));
  }
  const talus_status status = load(text, file, size);
  fclose(file);
  TL_TRY(status);
  tl_text_rewind(text, text->memory, 1);
  return TALUS_OK;
}

void tl_text_close(tl_text *text) {
  tl_free(text->context, text->memory);
  tl_locale_leave(text->locale, text->locale_before);
  memset(text, 0, sizeof *text);
}

void tl_text_rewind(tl_text *text, const char *cursor, int64_t line) {
  text->cursor = cursor;
  text->line = line;
}

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static const char *end_of(const tl_text *text) {
  return text->memory + text->size;
}

bool tl_text_at_end(tl_text *text) {
  while (text->cursor < end_of(text) && is_space(*text->cursor)) {
    text->line += *text->cursor == '\n';
    text->cursor++;
  }
  return text->cursor == end_of(text);
}

talus_status tl_text_fail(tl_text *text, const char *format, ...) {
  char words[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  return tl_fail(text->context, TALUS_FILE_FORMAT, "%s:%lld: %s", text->path, (long long)text->line,
                 words);
}

talus_status tl_text_room(tl_text *text, int64_t count, const char *what) {
  /* a token takes a character and the space before the next one */
  const int64_t most = (end_of(text) - text->cursor + 1) / 2;
  if (count > most) {
    return tl_text_fail(text, "%s: %lld values claimed, the rest of the file holds %lld at most",
                        what, (long long)count, (long long)most);
  }
  return TALUS_OK;
}

static talus_status next_token(tl_text *text, const char *what, const char **token, int *length) {
  if (tl_text_at_end(text)) {
    return tl_text_fail(text, "the file ends where %s should be", what);
  }
  const char *end = text->cursor;
  while (end < end_of(text) && !is_space(*end)) {
    end++;
  }
  *token = text->cursor;
  *length = end - text->cursor > 40 ? 40 : (int)(end - text->cursor);
  text->cursor = end;
  return TALUS_OK;
}

talus_status tl_text_integer(tl_text *text, const char *what, int64_t low, int64_t high,
                             int64_t *value) {
  const char *token = NULL;
  int length = 0;
  TL_TRY(next_token(text, what, &token, &length));
  char *end;
  errno = 0;
  const long long found = strtoll(token, &end, 10);
  if (end != text->cursor) {
    return tl_text_fail(text, "%s: '%.*s' is not a whole number", what, length, token);
  }
  if (low == high && (found != low || errno == ERANGE)) {
    return tl_text_fail(text, "%s: %.*s where %lld should be", what, length, token, (long long)low);
  }
  if (errno == ERANGE || found < low || found > high) {
    return tl_text_fail(text, "%s: %.*s is not between %lld and %lld", what, length, token,
                        (long long)low, (long long)high);
  }
  *value = found;
  return TALUS_OK;
}

talus_status tl_text_number(tl_text *text, const char *what, double *value) {
  const char *token = NULL;
  int length = 0;
  TL_TRY(next_token(text, what, &token, &length));
  char *end;
  *value = strtod(token, &end);
  if (end != text->cursor) {
    return tl_text_fail(text, "%s: '%.*s' is not a number", what, length, token);
  }
  return TALUS_OK;
}

talus_status tl_text_numbers(tl_text *text, const char *what, int64_t count, double *value) {
  for (int64_t k = 0; k < count; k++) {
    TL_TRY(tl_text_number(text, what, &value[k]));
  }
  return TALUS_OK;
}

talus_status tl_text_word(tl_text *text, const char *word) {
  const char *token = NULL;
  int length = 0;
  TL_TRY(next_token(text, word, &token, &length));
  if ((size_t)(text->cursor - token) != strlen(word) || memcmp(token, word, strlen(word)) != 0) {
    return tl_text_fail(text, "'%.*s' where '%s' should be", length, token, word);
  }
  return TALUS_OK;
}

void tl_text_line(tl_text *text, const char **begin, size_t *length) {
  const char *end = memchr(text->cursor, '\n', (size_t)(end_of(text) - text->cursor));
  *begin = text->cursor;
  *length = (size_t)((end != NULL ? end : end_of(text)) - text->cursor);
  text->cursor += *length;
  if (end != NULL) {
    text->cursor++;
    text->line++;
  }
}
