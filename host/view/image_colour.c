/* image_colour.c: colour maps by way of Oklab (B. Ottosson 2020), where distance is how different
 * two colours look. */
#include "host/view/image_colour.h"

#include <math.h>
#include <string.h>

#include "host/view/plot_axis.h"

#define TURN 6.283185307179586

double tl_colour_linear(double value) {
  return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

double tl_colour_encoded(double light) {
  light = light < 0.0 ? 0.0 : light > 1.0 ? 1.0 : light;
  return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1.0 / 2.4) - 0.055;
}

tl_colour tl_colour_lch(double lightness, double chroma, double hue) {
  const double a = chroma * cos(TURN * hue), b = chroma * sin(TURN * hue);
  const double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
  const double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
  const double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
  const double x = l * l * l, y = m * m * m, z = s * s * s;
  const tl_colour colour = {
      tl_colour_encoded(4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z),
      tl_colour_encoded(-1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z),
      tl_colour_encoded(-0.0041960863 * x - 0.7034186147 * y + 1.7076147010 * z)};
  return colour;
}

tl_colour tl_colour_map(double share) {
  /* lightness is straight; hue and chroma go through these */
  static const double hue[] = {0.815, 0.745, 0.640, 0.530, 0.420, 0.290};
  static const double chroma[] = {0.115, 0.130, 0.100, 0.105, 0.150, 0.170};
  enum { LAST = sizeof hue / sizeof *hue - 1 };
  share = share >= 0.0 ? share <= 1.0 ? share : 1.0 : 0.0; /* also NaN */
  const double at = share * LAST;
  const int k = at < LAST ? (int)at : LAST - 1;
  const double rest = at - k;
  return tl_colour_lch(0.40 + 0.52 * share, chroma[k] + rest * (chroma[k + 1] - chroma[k]),
                       hue[k] + rest * (hue[k + 1] - hue[k]));
}

tl_colour tl_colour_kind(int32_t number) {
  /* a few chosen ones, then golden-ratio steps around the circle with changing lightness */
  static const double chosen[][3] = {{0.63, 0.110, 0.690}, {0.74, 0.135, 0.185},
                                     {0.66, 0.115, 0.420}, {0.62, 0.150, 0.075},
                                     {0.60, 0.105, 0.820}, {0.80, 0.120, 0.265}};
  const uint32_t k = (uint32_t)number;
  if (k < sizeof chosen / sizeof *chosen) {
    return tl_colour_lch(chosen[k][0], chosen[k][1], chosen[k][2]);
  }
  const double turn = 0.6180339887498949 * (double)k;
  return tl_colour_lch(0.58 + 0.08 * (double)(k % 4), 0.11, turn - floor(turn));
}

/* ---- the bar --------------------------------------------------------------------------------- */

#define LABEL 1.1 /* height of the label against that of the numbers */

double tl_colour_bar_text(double height) {
  return fmax(9.0, 0.033 * height);
}

/* The place of a tick above the lower end, or -1 if it lies outside. */
static double tick_share(const tl_plot_axis *axis, int k, double low, double high, double height) {
  const double share = (axis->tick[k] - low) / (high - low), slack = 0.5 / height;
  return share >= -slack && share <= 1.0 + slack ? share : -1.0;
}

/* Numbers and label lie 0.7 + widest + 2 + 0.3 heights of the text beside the bar; both scale with
 * it. */
static double fitted_text(tl_picture *picture, double right, double height,
                          const tl_plot_axis *axis, double low, double high, const char *label) {
  const double text = tl_colour_bar_text(height);
  double widest = 0.0, size = text;
  char words[32];
  for (int k = 0; k < axis->tick_count; k++) {
    if (tick_share(axis, k, low, high, height) >= 0.0) {
      tl_plot_axis_words(axis, k, words, sizeof words);
      widest = fmax(widest, tl_text_width(picture, text, words));
    }
  }
  const double needed = (label != NULL ? 3.0 : 1.0) * text + widest;
  const double room = fmax(1.0, picture->width - 2.0 - right);
  size = needed > room ? size * room / needed : size;
  const double length = label != NULL ? tl_text_width(picture, LABEL * size, label) : 0.0;
  return length > picture->height ? size * picture->height / length : size;
}

double tl_colour_bar(tl_picture *picture, double x, double y, double width, double height,
                     double low, double high, const char *label) {
  const tl_colour ink = {0.13, 0.14, 0.17};
  x = floor(x);
  y = floor(y);
  width = ceil(width);
  height = ceil(height);
  for (double row = 0.0; row < height; row += 1.0) {
    const double share = 1.0 - (row + 0.5) / height;
    tl_picture_rectangle(picture, x, y + row, width, 1.0, tl_colour_map(share));
  }
  tl_plot_axis axis = tl_plot_axis_make(low, high, 0, 6);
  const double text = fitted_text(picture, x + width, height, &axis, low, high, label);
  double right = x + width;
  for (int k = 0; k < axis.tick_count; k++) {
    const double share = tick_share(&axis, k, low, high, height);
    if (share < 0.0) {
      continue;
    }
    char words[32];
    const double at = y + height * (1.0 - share);
    tl_plot_axis_words(&axis, k, words, sizeof words);
    tl_picture_line(picture, x + width, at, x + width + 0.35 * text, at, 1.2, ink);
    right = fmax(
        right, tl_picture_text(picture, x + width + 0.7 * text, at + 0.5 * text, text, words, ink));
  }
  if (label != NULL && label[0] != 0) {
    const double length = tl_text_width(picture, LABEL * text, label), middle = y + 0.5 * height;
    const double below = fmin(middle + 0.5 * length, picture->height);
    right += 2.0 * text;
    tl_picture_text_upward(picture, right, fmax(below, length), LABEL * text, label, ink);
  }
  return right + 0.3 * text;
}
