/* reference.c: the reference of scene files in Markdown, made from the tables of schema.h.
 *
 * docs/reference/scene.md holds this text between two marks; a test compares them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/base/words.h"
#include "host/scene/schema.h"
#include "talus/talus_scene.h"

enum { TABLES = 32 };

typedef struct reference {
  talus_context *context;
  char *text;
  size_t used, capacity;
  talus_status status;
  const tl_section *table[TABLES]; /* in the order of their first mention */
  int32_t table_count;
} reference;

static void say(reference *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(reference *r, const char *format, ...) {
  va_list arguments;
  for (int round = 0; round < 2 && r->status == TALUS_OK; round++) {
    va_start(arguments, format);
    const int length = vsnprintf(r->text != NULL ? r->text + r->used : NULL, r->capacity - r->used,
                                 format, arguments);
    va_end(arguments);
    if (length >= 0 && r->used + (size_t)length < r->capacity) {
      r->used += (size_t)length;
      return;
    }
    void *memory = NULL;
    const size_t wanted = 2 * r->capacity + (size_t)(length > 0 ? length : 0) + 8192;
    r->status = tl_alloc(r->context, &memory, wanted, 1, "the reference");
    if (r->status == TALUS_OK) {
      if (r->used > 0) {
        memcpy(memory, r->text, r->used);
      }
      tl_free(r->context, r->text);
      r->text = memory;
      r->capacity = wanted;
    }
  }
}

static void mention(reference *r, const tl_section *table) {
  for (int32_t i = 0; i < r->table_count; i++) {
    if (r->table[i] == table) {
      return;
    }
  }
  if (r->table_count < TABLES) {
    r->table[r->table_count++] = table;
  }
}

/* Words separated by | as code, with commas. */
static void say_words(reference *r, const char *words, uint32_t bits) {
  char word[64];
  const char *comma = "";
  for (int32_t i = 0; (words = tl_words_next(words, '|', word, sizeof word)) != NULL; i++) {
    if (bits >> i & 1u) {
      say(r, "%s`%s`", comma, word);
      comma = ", ";
    }
  }
}

/* Anchors have no blanks. */
static const char *anchor_of(const tl_section *table, char *anchor, size_t capacity) {
  snprintf(anchor, capacity, "%s", table->title);
  for (char *c = anchor; *c != '\0'; c++) {
    *c = *c == ' ' ? '-' : *c;
  }
  return anchor;
}

static void say_link(reference *r, const tl_section *table) {
  char anchor[64];
  mention(r, table);
  say(r, "[%s](#%s)", table->title, anchor_of(table, anchor, sizeof anchor));
}

static void say_type(reference *r, const tl_key *key) {
  static const char *const names[] = {"number",        "whole number",    "true or false",
                                      "text",          "texts",           "word",
                                      "words",         "groups",          "2 numbers",
                                      "3 numbers",     "orientation",     "list of numbers",
                                      "list of pairs", "list of vectors", "value or map"};
  const char *unit = tl_quantity_unit(key->quantity);
  if (key->type == TL_KEY_CHOICE || key->type == TL_KEY_SET) {
    say(r, key->type == TL_KEY_SET ? "some of " : "");
    say_words(r, key->words, UINT32_MAX);
  } else if (key->table != NULL) {
    say(r, "%s", key->type == TL_KEY_LIST ? "list of " : key->type == TL_KEY_MAP ? "map of " : "");
    say_link(r, key->table);
  } else {
    say(r, "%s%s%s", names[key->type], unit[0] != '\0' ? ", " : "", unit);
  }
}

static void say_default(reference *r, const tl_key *key) {
  const bool listed = key->type == TL_KEY_VECTOR || key->type == TL_KEY_PAIR ||
                      key->type == TL_KEY_TURN || key->type == TL_KEY_SET;
  if (key->initial == NULL) {
    say(r, "**needed**");
  } else if (key->initial[0] == '\0') {
    say(r, "–");
  } else if (!listed) {
    say(r, "`%s`", key->initial);
  } else {
    char word[64];
    const char *rest = key->initial, *comma = "";
    say(r, "`[");
    while ((rest = tl_words_next(rest, ' ', word, sizeof word)) != NULL) {
      say(r, "%s%s", comma, word);
      comma = ", ";
    }
    say(r, "]`");
  }
}

static void say_range(reference *r, const tl_key *key) {
  if ((key->low == 0 && key->high == 0) || isinf(key->low)) {
    return;
  }
  if (isinf(key->high) || key->high >= 1e9) {
    say(r, " (%s %g)", key->open ? "above" : "at least", key->low);
  } else {
    say(r, " (%g to %g)", key->low, key->high);
  }
}

static void say_table(reference *r, const tl_section *table) {
  const char *words = NULL;
  for (int32_t i = 0; i < table->count && table->selector != NULL; i++) {
    if (strcmp(table->key[i].name, table->selector) == 0) {
      words = table->key[i].words;
    }
  }
  char anchor[64];
  say(r, "\n### <a name=\"%s\"></a>%s\n\n", anchor_of(table, anchor, sizeof anchor), table->title);
  if (table->note != NULL) {
    say(r, "%s\n\n", table->note);
  }
  say(r, "| key | value | default | meaning |\n|---|---|---|---|\n");
  for (int32_t i = 0; i < table->count; i++) {
    const tl_key *key = &table->key[i];
    if (key->type == TL_KEY_INCLUDE) {
      say(r, "| *keys of ");
      say_link(r, key->table);
      say(r, "* | | | %s |\n", key->note != NULL ? key->note : "");
      continue;
    }
    say(r, "| `%s` | ", key->name);
    say_type(r, key);
    say_range(r, key);
    say(r, " | ");
    say_default(r, key);
    say(r, " | %s", key->note != NULL ? key->note : "");
    if (key->kinds != 0 && words != NULL) {
      say(r, "%s*only ", key->note != NULL ? "; " : "");
      say_words(r, words, key->kinds);
      say(r, "*");
    }
    say(r, " |\n");
  }
}

talus_status tl_schema_reference(talus_context *context, char **text) {
  reference r = {.context = context};
  mention(&r, &tl_schema_root);
  for (int32_t i = 0; i < r.table_count; i++) {
    say_table(&r, r.table[i]);
  }
  say(&r, "\n### Symbols of units\n\n| symbol | name | in SI |\n|---|---|---|\n");
  char row[128];
  for (int i = 0; tl_unit_describe(i, row, sizeof row); i++) {
    say(&r, "%s\n", row);
  }
  if (r.status != TALUS_OK) {
    tl_free(context, r.text);
    r.text = NULL;
  }
  *text = r.text;
  return r.status;
}

talus_status talus_scene_reference(talus_context *context, char *text, size_t capacity,
                                   size_t *size) {
  char *made = NULL;
  if (context == NULL || size == NULL || (text == NULL && capacity > 0)) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_schema_reference(context, &made));
  *size = strlen(made);
  if (capacity > 0) {
    snprintf(text, capacity, "%s", made);
  }
  tl_free(context, made);
  return TALUS_OK;
}
