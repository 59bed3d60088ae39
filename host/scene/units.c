/* units.c: the table of unit symbols and the little grammar that joins them. */
#include "host/scene/units.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "host/base/words.h"
#include "host/math/vector.h"

/* factor = numerator / denominator: 1 mm is 1/1000, rounded once. */
static const struct {
  const char *symbol;
  double numerator, denominator;
  tl_dimension dimension;
  const char *words;
} units[] = {
    {"m", 1, 1, {{1, 0, 0, 0}}, "metre"},
    {"km", 1000, 1, {{1, 0, 0, 0}}, "kilometre"},
    {"dm", 1, 10, {{1, 0, 0, 0}}, "decimetre"},
    {"cm", 1, 100, {{1, 0, 0, 0}}, "centimetre"},
    {"mm", 1, 1e3, {{1, 0, 0, 0}}, "millimetre"},
    {"um", 1, 1e6, {{1, 0, 0, 0}}, "micrometre"},
    {"µm", 1, 1e6, {{1, 0, 0, 0}}, "micrometre"},
    {"nm", 1, 1e9, {{1, 0, 0, 0}}, "nanometre"},
    {"in", 254, 1e4, {{1, 0, 0, 0}}, "inch"},
    {"ft", 3048, 1e4, {{1, 0, 0, 0}}, "foot"},
    {"l", 1, 1000, {{3, 0, 0, 0}}, "litre"},
    {"kg", 1, 1, {{0, 1, 0, 0}}, "kilogram"},
    {"g", 1, 1e3, {{0, 1, 0, 0}}, "gram"},
    {"mg", 1, 1e6, {{0, 1, 0, 0}}, "milligram"},
    {"ug", 1, 1e9, {{0, 1, 0, 0}}, "microgram"},
    {"t", 1000, 1, {{0, 1, 0, 0}}, "tonne"},
    {"s", 1, 1, {{0, 0, 1, 0}}, "second"},
    {"ms", 1, 1e3, {{0, 0, 1, 0}}, "millisecond"},
    {"us", 1, 1e6, {{0, 0, 1, 0}}, "microsecond"},
    {"µs", 1, 1e6, {{0, 0, 1, 0}}, "microsecond"},
    {"min", 60, 1, {{0, 0, 1, 0}}, "minute"},
    {"h", 3600, 1, {{0, 0, 1, 0}}, "hour"},
    {"rad", 1, 1, {{0, 0, 0, 1}}, "radian"},
    {"mrad", 1, 1e3, {{0, 0, 0, 1}}, "milliradian"},
    {"deg", TL_PI, 180, {{0, 0, 0, 1}}, "degree"},
    {"°", TL_PI, 180, {{0, 0, 0, 1}}, "degree"},
    {"turn", 2 * TL_PI, 1, {{0, 0, 0, 1}}, "full turn"},
    {"rpm", 2 * TL_PI, 60, {{0, 0, -1, 1}}, "turns per minute"},
    {"Hz", 1, 1, {{0, 0, -1, 0}}, "hertz"},
    {"kHz", 1000, 1, {{0, 0, -1, 0}}, "kilohertz"},
    {"N", 1, 1, {{1, 1, -2, 0}}, "newton"},
    {"kN", 1000, 1, {{1, 1, -2, 0}}, "kilonewton"},
    {"mN", 1, 1e3, {{1, 1, -2, 0}}, "millinewton"},
    {"uN", 1, 1e6, {{1, 1, -2, 0}}, "micronewton"},
    {"Nm", 1, 1, {{2, 1, -2, 0}}, "newton metre"},
    {"J", 1, 1, {{2, 1, -2, 0}}, "joule"},
    {"mJ", 1, 1e3, {{2, 1, -2, 0}}, "millijoule"},
    {"W", 1, 1, {{2, 1, -3, 0}}, "watt"},
    {"Pa", 1, 1, {{-1, 1, -2, 0}}, "pascal"},
    {"kPa", 1000, 1, {{-1, 1, -2, 0}}, "kilopascal"},
    {"MPa", 1e6, 1, {{-1, 1, -2, 0}}, "megapascal"},
    {"GPa", 1e9, 1, {{-1, 1, -2, 0}}, "gigapascal"},
    {"ul", 1, 1e9, {{3, 0, 0, 0}}, "microlitre"},
    {"nl", 1, 1e12, {{3, 0, 0, 0}}, "nanolitre"},
    {"%", 1, 100, {{0, 0, 0, 0}}, "per cent"},
};
enum { UNIT_COUNT = sizeof units / sizeof units[0], MAX_POWER = 24 };

static const struct {
  const char *words, *unit;
  tl_dimension dimension;
} quantities[] = {
#define TL_X(name, words, unit, l, m, t, a) {words, unit, {{l, m, t, a}}},
    TL_QUANTITY_LIST(TL_X)
#undef TL_X
};

const char *tl_quantity_words(tl_quantity quantity) {
  return quantities[quantity].words;
}

const char *tl_quantity_unit(tl_quantity quantity) {
  return quantities[quantity].unit;
}

tl_dimension tl_quantity_dimension(tl_quantity quantity) {
  return quantities[quantity].dimension;
}

static int find_unit(const char *symbol, size_t length) {
  for (int i = 0; i < UNIT_COUNT; i++) {
    if (strlen(units[i].symbol) == length && strncmp(units[i].symbol, symbol, length) == 0) {
      return i;
    }
  }
  return -1;
}

/* Letters, %, and bytes beyond ASCII. */
static bool is_symbol(char c) {
  return isalpha((unsigned char)c) || c == '%' || (c & 0x80) != 0;
}

/* An exponent after a symbol: 3, ^3, ^-1, -1; 1 if there is none. Returns 0 if it is too large. */
static int read_exponent(const char **text) {
  const char *p = *text;
  p += *p == '^';
  const int sign = *p == '-' ? -1 : 1;
  p += *p == '-';
  if (!isdigit((unsigned char)*p)) {
    return **text == '^' ? 0 : 1;
  }
  const int power = *p - '0';
  p++;
  *text = p;
  return isdigit((unsigned char)*p) || power > 6 ? 0 : sign * power;
}

static double raised(double factor, int power) {
  double result = 1;
  for (int i = 0; i < (power < 0 ? -power : power); i++) {
    result *= factor;
  }
  return result;
}

bool tl_unit_parse(const char *text, double *factor, tl_dimension *dimension, char *unknown,
                   size_t capacity) {
  double over = 1, under = 1; /* products of numerators and denominators, divided once */
  memset(dimension, 0, sizeof *dimension);
  int sign = 1;
  char mark = 0; /* * or / before a symbol that has to follow */
  if (text[0] == '1' && text[1] == '/') {
    text++;
  }
  for (text += strspn(text, " "); *text != '\0' || mark != 0; text += strspn(text, " ")) {
    if (mark == 0 && (*text == '*' || *text == '/')) {
      mark = *text++;
      sign = mark == '/' ? -1 : 1;
      continue;
    }
    if (*text == '\0' || *text == '*' || *text == '/') {
      snprintf(unknown, capacity, "%c", mark);
      return false;
    }
    const char *begin = text;
    while (is_symbol(*text)) {
      text++;
    }
    const int unit = find_unit(begin, (size_t)(text - begin));
    const int power = sign * read_exponent(&text);
    if (unit < 0 || power == 0) {
      snprintf(unknown, capacity, "%.*s", (int)(text > begin ? text - begin : 1), begin);
      return false;
    }
    for (int i = 0; i < TL_BASE_COUNT; i++) {
      const int sum = dimension->power[i] + power * units[unit].dimension.power[i];
      if (sum < -MAX_POWER || sum > MAX_POWER) { /* would come round to a good one */
        snprintf(unknown, capacity, "%.*s", (int)(text - begin), begin);
        return false;
      }
      dimension->power[i] = (signed char)sum;
    }
    over *= raised(power > 0 ? units[unit].numerator : units[unit].denominator, power);
    under *= raised(power > 0 ? units[unit].denominator : units[unit].numerator, power);
    sign = 1;
    mark = 0;
  }
  *factor = over / under;
  return true;
}

const char *tl_unit_nearest(const char *symbol, char *storage, int capacity) {
  char words[512] = "";
  size_t used = 0;
  for (int i = 0; i < UNIT_COUNT && used < sizeof words; i++) {
    used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", i > 0 ? "|" : "",
                             units[i].symbol);
  }
  return tl_words_nearest(symbol, words, storage, capacity);
}

bool tl_unit_describe(int index, char *text, size_t capacity) {
  if (index >= UNIT_COUNT) {
    return false;
  }
  snprintf(text, capacity, "| `%s` | %s | %.6g |", units[index].symbol, units[index].words,
           units[index].numerator / units[index].denominator);
  return true;
}

double tl_unit_scale(tl_dimension dimension, const double base[TL_BASE_COUNT]) {
  double over = 1, under = 1;
  for (int i = 0; i < TL_BASE_COUNT; i++) {
    const double product = raised(base[i], dimension.power[i]);
    over *= dimension.power[i] > 0 ? product : 1;
    under *= dimension.power[i] < 0 ? product : 1;
  }
  return over / under;
}
