/* json.h: writes JSON, value by value, with commas, indentation and escapes in the right places.
 *
 * Numbers that JSON cannot spell (NaN, infinities) become null; bytes that are not UTF-8 become
 * the replacement character. */
#ifndef TL_JSON_H
#define TL_JSON_H

#include <stdint.h>
#include <stdio.h>

typedef struct tl_json {
  FILE *out;
  int depth;
  int empty[16]; /* per level: nothing written yet */
} tl_json;

tl_json tl_json_begin(FILE *out);
/* Ends the document with a newline. */
void tl_json_end(tl_json *json);

/* key is NULL inside an array and at the top. */
void tl_json_object(tl_json *json, const char *key);
void tl_json_object_end(tl_json *json);
void tl_json_array(tl_json *json, const char *key);
void tl_json_array_end(tl_json *json);
void tl_json_text(tl_json *json, const char *key, const char *text); /* NULL gives null */
void tl_json_real(tl_json *json, const char *key, double value);
void tl_json_integer(tl_json *json, const char *key, int64_t value);
void tl_json_boolean(tl_json *json, const char *key, int value);

#endif
