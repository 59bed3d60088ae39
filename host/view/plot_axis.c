/* plot_axis.c: round numbers along an axis; see plot_axis.h. */
#include "host/view/plot_axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The round number nearest above a raw step: 1, 2 or 5 times a power of ten. */
static double round_step(double raw) {
  const double power = pow(10.0, floor(log10(raw)));
  const double rest = raw / power;
  return (rest <= 1.0 + 1e-9   ? 1.0
          : rest <= 2.0 + 1e-9 ? 2.0
          : rest <= 5.0 + 1e-9 ? 5.0
                               : 10.0) *
         power;
}

static void pull_apart(tl_plot_axis *axis) {
  if (!isfinite(axis->low) || !isfinite(axis->high)) {
    axis->low = axis->logarithmic ? 0.1 : 0.0;
    axis->high = 1.0;
  }
  if (axis->low > axis->high) {
    const double kept = axis->low;
    axis->low = axis->high;
    axis->high = kept;
  }
  const double size = fmax(fabs(axis->low), fabs(axis->high));
  if (axis->logarithmic) {
    axis->high = axis->high > 0.0 ? axis->high : 1.0;
    axis->low = axis->low > 0.0 ? axis->low : 0.1 * axis->high;
    if (axis->high < 1.0000001 * axis->low) {
      axis->low *= 0.5;
      axis->high *= 2.0;
    }
  } else if (axis->high - axis->low <= 1e-12 * size || size == 0.0) {
    const double room = size > 0.0 ? 0.1 * size : 1.0;
    axis->low -= room;
    axis->high += room;
  }
}

static void add_tick(tl_plot_axis *axis, double value) {
  if (axis->tick_count < TL_PLOT_AXIS_TICKS) {
    axis->tick[axis->tick_count++] = value;
  }
}

static void add_minor(tl_plot_axis *axis, double value) {
  if (axis->minor_count < 2 * TL_PLOT_AXIS_TICKS && value >= axis->low && value <= axis->high) {
    axis->minor[axis->minor_count++] = value;
  }
}

/* Plain numbers, unless they would be long. */
static int32_t decimals_for(const tl_plot_axis *axis) {
  const double size = fmax(fabs(axis->low), fabs(axis->high));
  if (size >= 1e5 || size < 1e-3) {
    return -1;
  }
  const double digits = ceil(-log10(axis->step) - 1e-9);
  return digits > 0.0 ? (int32_t)digits : 0;
}

static void linear_ticks(tl_plot_axis *axis) {
  const double slack = 1e-9 * axis->step;
  for (double k = ceil((axis->low - slack) / axis->step); k * axis->step <= axis->high + slack;
       k += 1.0) {
    add_tick(axis, k == 0.0 ? 0.0 : k * axis->step);
  }
  const double power = pow(10.0, floor(log10(axis->step) + 1e-9));
  const double parts = axis->step / power > 1.5 && axis->step / power < 3.0 ? 4.0 : 5.0;
  const double small = axis->step / parts;
  for (double k = ceil(axis->low / small); k * small <= axis->high; k += 1.0) {
    if (fmod(fabs(k), parts) > 0.5 && axis->minor_count < 2 * TL_PLOT_AXIS_TICKS) {
      add_minor(axis, k * small);
    }
  }
  axis->decimals = decimals_for(axis);
}

static void logarithmic_ticks(tl_plot_axis *axis, int32_t wanted) {
  const double first = floor(log10(axis->low) + 1e-9), last = ceil(log10(axis->high) - 1e-9);
  const double decades = log10(axis->high) - log10(axis->low);
  axis->step = decades < 1.5 ? 0.0 : fmax(1.0, ceil(decades / wanted));
  axis->decimals = axis->low > 0.99e-3 && axis->high < 1.01e4 ? 0 : -1; /* as it is written */
  for (double e = first; e <= last; e += 1.0) {
    const double power = pow(10.0, e);
    for (int digit = 1; digit < 10; digit++) {
      const double value = digit * power;
      const bool named = digit == 1 ? axis->step == 0.0 || fmod(fabs(e), axis->step) < 0.5
                                    : axis->step == 0.0 && (digit == 2 || digit == 5);
      if (value < axis->low * (1.0 - 1e-9) || value > axis->high * (1.0 + 1e-9)) {
        continue;
      }
      if (named) {
        add_tick(axis, value);
      } else if (axis->step <= 1.0 || digit == 1) {
        add_minor(axis, value);
      }
    }
  }
}

static void place_ticks(tl_plot_axis *axis, int32_t wanted) {
  axis->tick_count = axis->minor_count = 0;
  if (axis->logarithmic) {
    logarithmic_ticks(axis, wanted);
  } else {
    axis->step = round_step((axis->high - axis->low) / wanted);
    linear_ticks(axis);
  }
}

tl_plot_axis tl_plot_axis_make(double low, double high, bool logarithmic, int32_t wanted) {
  tl_plot_axis axis;
  memset(&axis, 0, sizeof axis);
  axis.low = low;
  axis.high = high;
  axis.logarithmic = logarithmic;
  pull_apart(&axis);
  place_ticks(&axis, wanted < 1 ? 1 : wanted);
  return axis;
}

tl_plot_axis tl_plot_axis_round(double low, double high, bool logarithmic, int32_t wanted) {
  tl_plot_axis axis = tl_plot_axis_make(low, high, logarithmic, wanted);
  if (axis.logarithmic) {
    if (axis.step > 0.0) {
      axis.low = pow(10.0, floor(log10(axis.low) + 1e-9));
      axis.high = pow(10.0, ceil(log10(axis.high) - 1e-9));
    }
  } else {
    axis.low = axis.step * floor(axis.low / axis.step + 1e-9);
    axis.high = axis.step * ceil(axis.high / axis.step - 1e-9);
  }
  return tl_plot_axis_make(axis.low, axis.high, axis.logarithmic, wanted);
}

double tl_plot_axis_share(const tl_plot_axis *axis, double value) {
  return axis->logarithmic ? (log(value) - log(axis->low)) / (log(axis->high) - log(axis->low))
                           : (value - axis->low) / (axis->high - axis->low);
}

/* A number in words that printf wrote, with the minus sign instead of the hyphen. */
static void print_minus(const char *words, char *out, size_t room) {
  const bool negative = words[0] == '-';
  snprintf(out, room, "%s%s", negative ? "\xe2\x88\x92" : "", words + negative);
}

static void print_power(double mantissa, int exponent, char *words, size_t room) {
  char digits[32], raw[24], power[48], sign[32];
  snprintf(raw, sizeof raw, "%.3g", mantissa);
  print_minus(raw, digits, sizeof digits);
  snprintf(raw, sizeof raw, "%d", exponent);
  print_minus(raw, sign, sizeof sign);
  snprintf(power, sizeof power, "10^%s", sign);
  if (strcmp(digits, "1") == 0) {
    snprintf(words, room, "%s", power);
  } else {
    snprintf(words, room, "%s\xc3\x97%s", digits, power);
  }
}

void tl_plot_axis_words(const tl_plot_axis *axis, int32_t tick, char *words, size_t room) {
  const double value = axis->tick[tick];
  char raw[48];
  if (axis->decimals >= 0 || value == 0.0) {
    if (axis->logarithmic) {
      snprintf(raw, sizeof raw, "%g", value);
    } else {
      snprintf(raw, sizeof raw, "%.*f", value == 0.0 && axis->decimals < 0 ? 0 : axis->decimals,
               value);
    }
    print_minus(raw, words, room);
    return;
  }
  /* the same power for all ticks of an even axis */
  const double size = axis->logarithmic ? fabs(value) : fmax(fabs(axis->low), fabs(axis->high));
  const double exponent = floor(log10(size) + 1e-9);
  print_power(value / pow(10.0, exponent), (int)exponent, words, room);
}
