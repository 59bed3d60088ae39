/* value_number.c: numbers of a scene file: units, ranges, whole numbers.
 *
 * Every complaint names the place, the key, what was wanted and what was found. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/scene/value.h"

enum { WORD_LENGTH = 64 };

talus_status tl_value_refuse(tl_parse *parse, const tl_key *key, const tl_node *node,
                             const char *where, const char *wanted) {
  const char *found = node->kind == TL_NODE_LIST ? "a list" : "a map of keys";
  if (node->kind == TL_NODE_SCALAR) {
    return tl_node_fail(parse->context, node, "%s%s wants %s, not '%.60s'", where, key->name,
                        wanted, node->text);
  }
  return tl_node_fail(parse->context, node, "%s%s wants %s, not %s", where, key->name, wanted,
                      found);
}

static bool may_be_infinite(const tl_key *key) {
  return isinf(key->low) || (key->initial != NULL && strcmp(key->initial, "inf") == 0);
}

static talus_status check_range(tl_parse *parse, const tl_key *key, const tl_node *node,
                                const char *where, double value) {
  const bool any = key->low == 0 && key->high == 0;
  if (any || (value >= key->low && value <= key->high && !(key->open && value == key->low))) {
    return TALUS_OK;
  }
  const char *unit = tl_quantity_unit(key->quantity);
  const char *blank = unit[0] != '\0' ? " " : "";
  if (isinf(key->high)) {
    return tl_node_fail(parse->context, node, "%s%s is '%s' and has to be %s %g%s%s", where,
                        key->name, node->text, key->open ? "above" : "at least", key->low, blank,
                        unit);
  }
  return tl_node_fail(parse->context, node, "%s%s is '%s' and has to lie between %g and %g%s%s",
                      where, key->name, node->text, key->low, key->high, blank, unit);
}

/* "inf", ".inf" with a sign. */
static bool read_infinity(const char *text, double *value) {
  const double sign = text[0] == '-' ? -1 : 1;
  text += text[0] == '-' || text[0] == '+';
  text += text[0] == '.';
  *value = sign * INFINITY;
  return strcmp(text, "inf") == 0;
}

static talus_status apply_unit(tl_parse *parse, const tl_key *key, const tl_node *node,
                               const char *where, const char *unit, double *value) {
  double factor = 1;
  tl_dimension dimension;
  char unknown[WORD_LENGTH], near[WORD_LENGTH];
  const tl_dimension wanted = tl_quantity_dimension(key->quantity);
  if (!tl_unit_parse(unit, &factor, &dimension, unknown, sizeof unknown)) {
    if (unknown[0] == '/' || unknown[0] == '*') {
      return tl_node_fail(parse->context, node, "%s%s: a unit is missing behind '%s' in '%.60s'",
                          where, key->name, unknown, node->text);
    }
    if (tl_unit_nearest(unknown, near, sizeof near) != NULL) {
      return tl_node_fail(parse->context, node,
                          "%s%s: unknown unit '%s' in '%.60s' (did you mean "
                          "%s?)",
                          where, key->name, unknown, node->text, near);
    }
    return tl_node_fail(parse->context, node, "%s%s: unknown unit '%s' in '%.60s'", where,
                        key->name, unknown, node->text);
  }
  if (memcmp(&dimension, &wanted, sizeof wanted) != 0) {
    const char *si = tl_quantity_unit(key->quantity);
    return tl_node_fail(parse->context, node, "%s%s wants %s%s%s%s, and '%.40s' is not its unit",
                        where, key->name, tl_quantity_words(key->quantity),
                        si[0] != '\0' ? " (" : "", si, si[0] != '\0' ? ")" : "", unit);
  }
  *value *= factor;
  return TALUS_OK;
}

talus_status tl_value_real(tl_parse *parse, const tl_key *key, const tl_node *node,
                           const char *where, double *value) {
  const char *wanted = tl_quantity_words(key->quantity);
  if (node->kind != TL_NODE_SCALAR) {
    return tl_value_refuse(parse, key, node, where, wanted);
  }
  const char *text = node->text;
  if (read_infinity(text, value)) {
    return may_be_infinite(key)
               ? TALUS_OK
               : tl_node_fail(parse->context, node, "%s%s has to be finite", where, key->name);
  }
  /* Letters first would be inf, nan or a word; 0x would be a hexadecimal number. */
  const char *digits = text + (text[0] == '-' || text[0] == '+');
  char *end;
  *value = strtod(text, &end);
  if (end == text || !(isdigit((unsigned char)*digits) || *digits == '.') ||
      (digits[0] == '0' && tolower((unsigned char)digits[1]) == 'x')) {
    return tl_value_refuse(parse, key, node, where, wanted);
  }
  while (*end == ' ') {
    end++;
  }
  if (*end != '\0') {
    TL_TRY(apply_unit(parse, key, node, where, end, value));
  } else {
    *value *= tl_unit_scale(tl_quantity_dimension(key->quantity), parse->base);
  }
  if (!isfinite(*value)) {
    return tl_node_fail(parse->context, node, "%s%s: '%.60s' is too large", where, key->name, text);
  }
  return check_range(parse, key, node, where, *value);
}

talus_status tl_value_integer(tl_parse *parse, const tl_key *key, const tl_node *node,
                              const char *where, int64_t *value) {
  char *end = NULL;
  double number = 0;
  if (node->kind == TL_NODE_SCALAR && node->text[0] != '\0') {
    number = strtod(node->text, &end);
  }
  if (end == NULL || *end != '\0' || number != floor(number) || !(fabs(number) <= 9.1e15)) {
    return tl_value_refuse(parse, key, node, where, "a whole number");
  }
  TL_TRY(check_range(parse, key, node, where, number));
  *value = (int64_t)number;
  return TALUS_OK;
}
