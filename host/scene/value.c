/* value.c: one value of a scene file, by the row of its key: words, lists, vectors, orientations.
 */
#include "host/scene/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/base/words.h"
#include "host/scene/schema_rows.h"

enum { WORD_LENGTH = 64 };

static talus_status read_boolean(tl_parse *parse, const tl_key *key, const tl_node *node,
                                 const char *where, int32_t *value) {
  static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
  for (int i = 0; i < 6 && node->kind == TL_NODE_SCALAR; i++) {
    if (strcmp(node->text, words[i]) == 0) {
      *value = i % 2;
      return TALUS_OK;
    }
  }
  return tl_value_refuse(parse, key, node, where, "true or false");
}

static talus_status read_word(tl_parse *parse, const tl_key *key, const tl_node *node,
                              const char *where, int32_t *index) {
  char word[WORD_LENGTH], wanted[512], near[WORD_LENGTH];
  snprintf(wanted, sizeof wanted, "one of %s", key->words);
  if (node->kind != TL_NODE_SCALAR) {
    return tl_value_refuse(parse, key, node, where, wanted);
  }
  const char *words = key->words;
  for (*index = 0; (words = tl_words_next(words, '|', word, sizeof word)) != NULL; ++*index) {
    if (strcmp(word, node->text) == 0) {
      return TALUS_OK;
    }
  }
  if (tl_words_nearest(node->text, key->words, near, sizeof near) != NULL) {
    snprintf(wanted, sizeof wanted, "one of %s (did you mean %s?)", key->words, near);
  }
  return tl_value_refuse(parse, key, node, where, wanted);
}

static talus_status read_text(tl_parse *parse, const tl_key *key, const tl_node *node,
                              const char *where, const char **text) {
  if (node->kind != TL_NODE_SCALAR || node->text[0] == '\0') {
    return tl_value_refuse(parse, key, node, where, "a text");
  }
  *text = node->text;
  return TALUS_OK;
}

/* One word or a list of them. */
static talus_status read_texts(tl_parse *parse, const tl_key *key, const tl_node *node,
                               const char *where, tl_texts *texts) {
  const bool single = node->kind == TL_NODE_SCALAR;
  if (node->kind == TL_NODE_MAP) {
    return tl_value_refuse(parse, key, node, where, "a word or a list of words");
  }
  void *memory = NULL;
  texts->count = single ? 1 : node->count;
  TL_TRY(tl_arena_take(parse->arena, (size_t)texts->count, sizeof(char *), &memory));
  texts->text = memory;
  const tl_node *item = single ? node : node->first;
  for (int32_t i = 0; i < texts->count; i++, item = item->next) {
    TL_TRY(read_text(parse, key, item, where, &texts->text[i]));
  }
  return TALUS_OK;
}

static talus_status read_set(tl_parse *parse, const tl_key *key, const tl_node *node,
                             const char *where, uint32_t *bits) {
  const tl_node *item = node->kind == TL_NODE_LIST ? node->first : node;
  const int32_t count = node->kind == TL_NODE_LIST ? node->count : 1;
  *bits = 0;
  for (int32_t i = 0; i < count; i++, item = item->next) {
    int32_t index = 0;
    TL_TRY(read_word(parse, key, item, where, &index));
    *bits |= 1u << index;
  }
  return TALUS_OK;
}

static talus_status read_groups(tl_parse *parse, const tl_key *key, const tl_node *node,
                                const char *where, uint32_t *bits) {
  if (node->kind == TL_NODE_SCALAR && strcmp(node->text, "all") == 0) {
    *bits = UINT32_MAX;
    return TALUS_OK;
  }
  if (node->kind == TL_NODE_MAP) {
    return tl_value_refuse(parse, key, node, where, "`all` or a list of groups");
  }
  tl_key number = *key;
  number.low = 0;
  number.high = 31;
  const tl_node *item = node->kind == TL_NODE_LIST ? node->first : node;
  const int32_t count = node->kind == TL_NODE_LIST ? node->count : 1;
  *bits = 0;
  for (int32_t i = 0; i < count; i++, item = item->next) {
    int64_t group = 0;
    TL_TRY(tl_value_integer(parse, &number, item, where, &group));
    *bits |= 1u << group;
  }
  return TALUS_OK;
}

static talus_status read_tuple(tl_parse *parse, const tl_key *key, const tl_node *node,
                               const char *where, int32_t count, double *value) {
  if (node->kind != TL_NODE_LIST || node->count != count) {
    char wanted[WORD_LENGTH];
    snprintf(wanted, sizeof wanted, "a list of %d numbers%s", (int)count,
             count == 3 && parse->plane ? " (or x and z)" : "");
    if (node->kind == TL_NODE_LIST) {
      return tl_node_fail(parse->context, node, "%s%s wants %s, not of %d", where, key->name,
                          wanted, (int)node->count);
    }
    return tl_value_refuse(parse, key, node, where, wanted);
  }
  const tl_node *item = node->first;
  for (int32_t i = 0; i < count; i++, item = item->next) {
    TL_TRY(tl_value_real(parse, key, item, where, &value[i]));
  }
  return TALUS_OK;
}

static talus_status read_vector(tl_parse *parse, const tl_key *key, const tl_node *node,
                                const char *where, double *value) {
  if (parse->plane && node->kind == TL_NODE_LIST && node->count == 2) {
    double xz[2];
    TL_TRY(read_tuple(parse, key, node, where, 2, xz));
    value[0] = xz[0];
    /* Sizes have to be above 0 across the plane too. */
    value[1] = key->open ? xz[0] : 0;
    value[2] = xz[1];
    return TALUS_OK;
  }
  /* Sizes and spacings: one number for all three. */
  if (node->kind == TL_NODE_SCALAR && key->low == 0 && key->high > 0) {
    TL_TRY(tl_value_real(parse, key, node, where, value));
    value[1] = value[2] = value[0];
    return TALUS_OK;
  }
  return read_tuple(parse, key, node, where, 3, value);
}

static talus_status read_items(tl_parse *parse, const tl_key *key, const tl_node *node,
                               const char *where, int32_t width, tl_numbers *numbers) {
  if (node->kind != TL_NODE_LIST) {
    return tl_value_refuse(parse, key, node, where, "a list");
  }
  void *memory = NULL;
  numbers->count = node->count;
  TL_TRY(tl_arena_take(parse->arena, (size_t)node->count, (size_t)width * sizeof(double), &memory));
  numbers->value = memory;
  const tl_node *item = node->first;
  for (int32_t i = 0; i < node->count; i++, item = item->next) {
    double *value = numbers->value + (size_t)width * (size_t)i;
    TL_TRY(width == 1   ? tl_value_real(parse, key, item, where, value)
           : width == 3 ? read_vector(parse, key, item, where, value)
                        : read_tuple(parse, key, item, where, width, value));
  }
  return TALUS_OK;
}

typedef struct axis_angle {
  tl_item item;
  double axis[3], angle;
} axis_angle;
#define ROW_STRUCT axis_angle
static const tl_key rows_turn[] = {
    NUMBERS(VECTOR, "axis", axis, NUMBER, NULL, 0, "of any length"),
    REAL("angle", angle, ANGLE, NULL, ANY, 0, "right-handed"),
};
static const tl_section schema_turn = {"orientation", NULL, NULL, rows_turn, 2, sizeof(axis_angle)};
#undef ROW_STRUCT

static talus_status read_turn(tl_parse *parse, const tl_key *key, const tl_node *node,
                              const char *where, double *turn) {
  double length = 0;
  if (node->kind == TL_NODE_MAP) {
    axis_angle given;
    char below[160];
    memset(&given, 0, sizeof given);
    snprintf(below, sizeof below, "%s%s", where, key->name);
    TL_TRY(tl_parse_table(parse, &schema_turn, node, below, &given));
    const double *axis = given.axis;
    length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    turn[0] = cos(given.angle / 2);
    for (int i = 0; i < 3; i++) {
      turn[1 + i] = length > 0 ? sin(given.angle / 2) * axis[i] / length : 0;
    }
  } else if (node->kind == TL_NODE_SCALAR && parse->plane) {
    tl_key angle = *key;
    double value = 0;
    angle.quantity = TL_QUANTITY_ANGLE;
    TL_TRY(tl_value_real(parse, &angle, node, where, &value));
    turn[0] = cos(value / 2);
    turn[1] = turn[3] = 0;
    turn[2] = sin(value / 2);
    length = 1;
  } else {
    TL_TRY(read_tuple(parse, key, node, where, 4, turn));
    length = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
    for (int i = 0; i < 4 && length > 0; i++) {
      turn[i] /= length;
    }
  }
  if (!(length > 0) || !isfinite(length)) {
    return tl_node_fail(parse->context, node, "%s%s has an axis or quaternion of length 0", where,
                        key->name);
  }
  return TALUS_OK;
}

talus_status tl_parse_value(tl_parse *parse, const tl_key *key, const tl_node *node,
                            const char *where, void *target) {
  switch (key->type) {
  case TL_KEY_REAL:
    return tl_value_real(parse, key, node, where, target);
  case TL_KEY_INTEGER:
    return tl_value_integer(parse, key, node, where, target);
  case TL_KEY_BOOLEAN:
    return read_boolean(parse, key, node, where, target);
  case TL_KEY_TEXT:
    return read_text(parse, key, node, where, target);
  case TL_KEY_TEXTS:
    return read_texts(parse, key, node, where, target);
  case TL_KEY_CHOICE:
    return read_word(parse, key, node, where, target);
  case TL_KEY_SET:
    return read_set(parse, key, node, where, target);
  case TL_KEY_GROUPS:
    return read_groups(parse, key, node, where, target);
  case TL_KEY_PAIR:
    return read_tuple(parse, key, node, where, 2, target);
  case TL_KEY_VECTOR:
    return read_vector(parse, key, node, where, target);
  case TL_KEY_TURN:
    return read_turn(parse, key, node, where, target);
  case TL_KEY_REALS:
    return read_items(parse, key, node, where, 1, target);
  case TL_KEY_PAIRS:
    return read_items(parse, key, node, where, 2, target);
  case TL_KEY_VECTORS:
    return read_items(parse, key, node, where, 3, target);
  case TL_KEY_NODE:
    *(const tl_node **)target = node;
    return TALUS_OK;
  default:
    return tl_fail(parse->context, TALUS_INTERNAL, "%s%s is no value", where, key->name);
  }
}
