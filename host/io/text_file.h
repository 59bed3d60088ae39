/* text_file.h: a text file in memory, read token by token, and errors that name file and line.
 *
 * The whole file is loaded, so that its size bounds every count a header may claim: `room` answers
 * that before anything is allocated. Numbers are read in the "C" locale whatever the caller's. */
#ifndef TL_TEXT_FILE_H
#define TL_TEXT_FILE_H

#include "host/base/base.h"

typedef struct tl_text {
  talus_context *context;
  const char *path;
  char *memory; /* size bytes and a final 0 */
  size_t size;
  const char *cursor;
  int64_t line; /* of the cursor, from 1 */
  void *locale; /* ours, and the one to put back */
  void *locale_before;
} tl_text;

/* Loads the file. Statuses: FILE_OPEN, OUT_OF_MEMORY. tl_text_close is due in every case. */
talus_status tl_text_open(talus_context *context, const char *path, tl_text *text);
void tl_text_close(tl_text *text);

/* Goes back to a place noted before: text->cursor and text->line. */
void tl_text_rewind(tl_text *text, const char *cursor, int64_t line);

/* Nothing but white space left? Skips it. */
bool tl_text_at_end(tl_text *text);

/* FILE_FORMAT with "path:line: " before the words. */
talus_status tl_text_fail(tl_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fails unless the rest of the file is long enough for count tokens. */
talus_status tl_text_room(tl_text *text, int64_t count, const char *what);

/* The next token as a whole number between low and high, as a number, as this very word. */
talus_status tl_text_integer(tl_text *text, const char *what, int64_t low, int64_t high,
                             int64_t *value);
talus_status tl_text_number(tl_text *text, const char *what, double *value);
talus_status tl_text_numbers(tl_text *text, const char *what, int64_t count, double *value);
talus_status tl_text_word(tl_text *text, const char *word);

/* What is left of the current line, without its end; the cursor moves to the next line. */
void tl_text_line(tl_text *text, const char **begin, size_t *length);

/* The "C" locale for numbers on this thread, and back; text readers and writers use it. */
void tl_locale_enter(void **locale, void **before);
void tl_locale_leave(void *locale, void *before);

#endif
