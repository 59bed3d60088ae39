/* json.c: the writer of json.h. */
#include "host/cli/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { DEPTH_MAX = (int)(sizeof((tl_json *)0)->empty / sizeof(int)) };

tl_json tl_json_begin(FILE *out) {
  tl_json json = {.out = out, .empty = {1}};
  return json;
}

void tl_json_end(tl_json *json) {
  assert(json->depth == 0);
  fputc('\n', json->out);
}

/* Length of the UTF-8 sequence at text, 0 if it is none (overlong and surrogates included). */
static int utf8_length(const unsigned char *text) {
  static const struct {
    unsigned char low, high, second_low, second_high;
    int length;
  } forms[] = {
      {0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
      {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
      {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
  };
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    if (text[0] < forms[i].low || text[0] > forms[i].high) {
      continue;
    }
    if (text[1] < forms[i].second_low || text[1] > forms[i].second_high) {
      return 0;
    }
    for (int k = 2; k < forms[i].length; k++) {
      if ((text[k] & 0xc0) != 0x80) {
        return 0;
      }
    }
    return forms[i].length;
  }
  return 0;
}

static void write_string(FILE *out, const char *text) {
  const unsigned char *c = (const unsigned char *)text;
  fputc('"', out);
  while (*c != '\0') {
    const int length = utf8_length(c);
    if (length == 0) {
      fputs("\\ufffd", out);
    } else if (*c == '"' || *c == '\\') {
      fprintf(out, "\\%c", *c);
    } else if (*c == '\n') {
      fputs("\\n", out);
    } else if (*c < 0x20 || *c == 0x7f) {
      fprintf(out, "\\u%04x", *c);
    } else {
      fwrite(c, 1, (size_t)length, out);
    }
    c += length > 0 ? length : 1;
  }
  fputc('"', out);
}

static void indent(const tl_json *json) {
  fputc('\n', json->out);
  for (int i = 0; i < json->depth; i++) {
    fputs("  ", json->out);
  }
}

/* Comma, line and key before a value. */
static void before_value(tl_json *json, const char *key) {
  if (json->depth > 0) {
    if (!json->empty[json->depth]) {
      fputc(',', json->out);
    }
    indent(json);
  }
  json->empty[json->depth] = 0;
  if (key != NULL) {
    write_string(json->out, key);
    fputs(": ", json->out);
  }
}

static void open_level(tl_json *json, const char *key, char bracket) {
  before_value(json, key);
  fputc(bracket, json->out);
  assert(json->depth + 1 < DEPTH_MAX);
  json->depth++;
  json->empty[json->depth] = 1;
}

static void close_level(tl_json *json, char bracket) {
  const int empty = json->empty[json->depth];
  json->depth--;
  if (!empty) {
    indent(json);
  }
  fputc(bracket, json->out);
}

void tl_json_object(tl_json *json, const char *key) {
  open_level(json, key, '{');
}

void tl_json_object_end(tl_json *json) {
  close_level(json, '}');
}

void tl_json_array(tl_json *json, const char *key) {
  open_level(json, key, '[');
}

void tl_json_array_end(tl_json *json) {
  close_level(json, ']');
}

void tl_json_text(tl_json *json, const char *key, const char *text) {
  before_value(json, key);
  if (text == NULL) {
    fputs("null", json->out);
  } else {
    write_string(json->out, text);
  }
}

void tl_json_real(tl_json *json, const char *key, double value) {
  before_value(json, key);
  if (isfinite(value)) {
    fprintf(json->out, "%.17g", value);
  } else {
    fputs("null", json->out);
  }
}

void tl_json_integer(tl_json *json, const char *key, int64_t value) {
  before_value(json, key);
  fprintf(json->out, "%" PRId64, value);
}

void tl_json_boolean(tl_json *json, const char *key, int value) {
  before_value(json, key);
  fputs(value ? "true" : "false", json->out);
}
