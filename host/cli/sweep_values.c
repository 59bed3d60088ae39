/* sweep_values.c: lists and ranges of values; see sweep.h. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/cli.h"
#include "host/cli/sweep.h"

enum { MOST = 10000 };

typedef struct quantity {
  double number;
  char unit[16];
} quantity;

/* A number and the unit behind it, the whole text. */
static bool read_quantity(const char *text, quantity *found) {
  char *end;
  const size_t sign = text[0] == '-' || text[0] == '+';
  if (!isdigit((unsigned char)text[sign]) &&
      !(text[sign] == '.' && isdigit((unsigned char)text[sign + 1]))) {
    return false;
  }
  found->number = strtod(text, &end);
  while (*end == ' ') {
    end++;
  }
  if (!isfinite(found->number) || strlen(end) >= sizeof found->unit ||
      isdigit((unsigned char)*end) || strpbrk(end, " ,:;.[]{}()\"'") != NULL) {
    return false;
  }
  snprintf(found->unit, sizeof found->unit, "%s", end);
  return true;
}

static int add_value(const char *option, tl_sweep_axis *axis, const char *text) {
  if (text[0] == '\0') {
    return tl_cli_fail("--%s: a value is empty", option);
  }
  if (strlen(text) >= TL_SWEEP_VALUE) {
    return tl_cli_fail("--%s: '%.40s...' is too long for a value", option, text);
  }
  for (int32_t i = 0; i < axis->count; i++) {
    if (strcmp(axis->value[i], text) == 0) {
      return tl_cli_fail("--%s: %s stands there twice", option, text);
    }
  }
  if (axis->count >= MOST) {
    return tl_cli_fail("--%s: more than %d values", option, MOST);
  }
  const size_t more = (size_t)axis->count + 1;
  void *const value = realloc(axis->value, more * sizeof *axis->value);
  axis->value = value != NULL ? value : axis->value;
  void *const number = realloc(axis->number, more * sizeof *axis->number);
  axis->number = number != NULL ? number : axis->number;
  if (value == NULL || number == NULL) {
    return tl_cli_fail("out of memory");
  }
  quantity found;
  snprintf(axis->value[axis->count], sizeof *axis->value, "%s", text);
  axis->number[axis->count++] = read_quantity(text, &found) ? found.number : NAN;
  return TL_EXIT_OK;
}

/* The unit of the three parts of a range, which need not repeat it; false if they differ. */
static bool common_unit(const quantity *part, int count, char unit[16]) {
  unit[0] = '\0';
  for (int i = 0; i < count; i++) {
    if (part[i].unit[0] != '\0' && unit[0] != '\0' && strcmp(part[i].unit, unit) != 0) {
      return false;
    }
    if (part[i].unit[0] != '\0') {
      memcpy(unit, part[i].unit, sizeof part[i].unit);
    }
  }
  return true;
}

/* Values from the first on, by steps, up to the last. */
static int add_range(const char *option, tl_sweep_axis *axis, const char *text,
                     const quantity part[3], const char *unit) {
  const double first = part[0].number, last = part[1].number, step = part[2].number;
  const double steps = (last - first) / step;
  if (!(steps > -1e-9)) {
    return tl_cli_fail("--%s: the range %s leads nowhere: steps of %g do not come from %g to %g",
                       option, text, step, first, last);
  }
  if (!(steps < MOST)) {
    return tl_cli_fail("--%s: the range %s has more than %d values", option, text, MOST);
  }
  int code = TL_EXIT_OK;
  for (int k = 0; k <= (int)(steps + 1e-9) && code == TL_EXIT_OK; k++) {
    char value[TL_SWEEP_VALUE];
    const double at = first + k * step;
    snprintf(value, sizeof value, "%.12g%s", fabs(at) < 1e-12 * fabs(step) ? 0.0 : at, unit);
    code = add_value(option, axis, value);
  }
  return code;
}

/* a..b or a..b:step; anything whose first part is no number is a value. */
static int read_item(const char *option, tl_sweep_axis *axis, const char *text) {
  char item[3 * TL_SWEEP_VALUE], unit[16];
  quantity part[3] = {{0.0, ""}, {0.0, ""}, {1.0, ""}};
  snprintf(item, sizeof item, "%s", text);
  char *const dots = strstr(item, "..");
  if (dots == NULL) {
    return add_value(option, axis, text);
  }
  *dots = '\0';
  if (!read_quantity(item, &part[0])) {
    return add_value(option, axis, text);
  }
  char *const colon = strchr(dots + 2, ':');
  if (colon != NULL) {
    *colon = '\0';
  }
  if (!read_quantity(dots + 2, &part[1]) || !common_unit(part, 2, unit) ||
      (colon != NULL && (!read_quantity(colon + 1, &part[2]) || part[2].number == 0.0)) ||
      !common_unit(part, 3, unit)) {
    return tl_cli_fail("--%s: '%s' is no range: write 1..5 or 0.1..0.5:0.1", option, text);
  }
  if (colon == NULL &&
      (part[0].number != floor(part[0].number) || part[1].number != floor(part[1].number))) {
    return tl_cli_fail("--%s: the range %s needs a step: %s:0.1", option, text, text);
  }
  return add_range(option, axis, text, part, unit);
}

/* The end of the item that begins here: a comma outside of brackets and quotes, or the end. */
static const char *item_end(const char *text) {
  int depth = 0;
  char quote = '\0';
  for (; *text != '\0' && (*text != ',' || depth > 0 || quote != '\0'); text++) {
    if (quote != '\0') {
      quote = *text == quote ? '\0' : quote;
    } else if (*text == '"' || *text == '\'') {
      quote = *text;
    } else {
      depth += (*text == '[' || *text == '{') - (*text == ']' || *text == '}');
    }
  }
  return text;
}

/* Whether all are numbers of the same unit. */
static void find_unit(tl_sweep_axis *axis) {
  quantity first = {0.0, ""}, found;
  axis->numeric = axis->count > 0 && read_quantity(axis->value[0], &first);
  for (int32_t i = 1; i < axis->count && axis->numeric; i++) {
    axis->numeric = read_quantity(axis->value[i], &found) && strcmp(found.unit, first.unit) == 0;
  }
  memcpy(axis->unit, axis->numeric ? first.unit : "", axis->numeric ? sizeof first.unit : 1);
}

int tl_sweep_values(const char *option, const char *text, tl_sweep_axis *axis) {
  for (const char *begin = text, *end;; begin = end + 1) {
    char item[3 * TL_SWEEP_VALUE];
    end = item_end(begin);
    const char *last = end;
    while (begin < last && isspace((unsigned char)*begin)) {
      begin++;
    }
    while (last > begin && isspace((unsigned char)last[-1])) {
      last--;
    }
    snprintf(item, sizeof item, "%.*s", (int)(last - begin), begin);
    if (read_item(option, axis, item) != TL_EXIT_OK) {
      return TL_EXIT_BAD;
    }
    if (*end == '\0') {
      break;
    }
  }
  find_unit(axis);
  return TL_EXIT_OK;
}
