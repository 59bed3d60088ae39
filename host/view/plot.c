/* plot.c: ranges, axes, curves; see plot.h. */
#include "host/view/plot.h"

#include <math.h>
#include <string.h>

#include "host/view/image_colour.h"
#include "host/view/plot_field.h"

#define FAR 1e5 /* pixels: beyond it lines would lose their direction anyway */
enum { COLOURS = 6 };

static const tl_colour ink = {0.13, 0.14, 0.17}, grid = {0.90, 0.91, 0.925};

tl_plot_options tl_plot_options_default(void) {
  tl_plot_options options;
  memset(&options, 0, sizeof options);
  options.width = 1000;
  options.height = 700;
  options.legend = 1;
  return options;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

typedef struct range {
  double low, high;
} range;

static void range_add(range *r, double value) {
  r->low = fmin(r->low, value);
  r->high = fmax(r->high, value);
}

/* Of values whose other half is shown too. */
static void find_ranges(const tl_plot_field *p, range *x, range *y) {
  *x = *y = (range){INFINITY, -INFINITY};
  for (int32_t s = 0; s < p->count; s++) {
    for (int64_t k = 0; k < p->series[s].count; k++) {
      const double a = p->series[s].x[k], b = p->series[s].y[k];
      if (tl_plot_shown(a, p->options->log_x) && tl_plot_shown(b, p->options->log_y)) {
        range_add(x, a);
        range_add(y, b);
      }
    }
  }
}

static talus_status make_axis(talus_context *context, const char *name, range found, double low,
                              double high, int32_t logarithmic, int32_t wanted, tl_axis *axis) {
  if (low < high) {
    if (!isfinite(high - low) || (logarithmic && low <= 0.0)) {
      return tl_fail(context, TALUS_BAD_SETTING, "plot: the range of the %s axis is %g to %g", name,
                     low, high);
    }
    *axis = tl_axis_make(low, high, logarithmic, wanted);
    return TALUS_OK;
  }
  *axis = tl_axis_round(found.low, found.high, logarithmic, wanted);
  return TALUS_OK;
}

static talus_status check_positive(talus_context *context, const tl_plot_field *p, int y) {
  int found = p->count == 0 || !(y ? p->options->log_y : p->options->log_x);
  for (int32_t s = 0; s < p->count && !found; s++) {
    const double *value = y ? p->series[s].y : p->series[s].x;
    for (int64_t k = 0; k < p->series[s].count && !found; k++) {
      found = tl_plot_shown(value[k], 1);
    }
  }
  return found ? TALUS_OK
               : tl_fail(context, TALUS_BAD_SETTING,
                         "plot: the logarithmic %s axis has no positive value", y ? "y" : "x");
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* Room for the numbers of the vertical axis decides where the field begins. */
static void place_field(tl_plot_field *p) {
  const tl_plot_options *o = p->options;
  double widest = 0.0;
  char words[32];
  p->text = fmax(8.0, 0.0185 * fmin(o->width, o->height * 1.4));
  for (int32_t k = 0; k < p->y.tick_count; k++) {
    tl_axis_words(&p->y, k, words, sizeof words);
    widest = fmax(widest, tl_text_width(p->text, words));
  }
  p->left = floor(widest + (o->y_label != NULL ? 4.6 : 2.6) * p->text) + 0.5;
  const double beside = o->legend == 2 ? tl_plot_legend_width(p) : 0.0;
  p->right = floor(o->width - 2.4 * p->text - beside) + 0.5;
  p->top = floor((o->title != NULL ? 4.4 : 2.0) * p->text) + 0.5;
  p->bottom = floor(o->height - (o->x_label != NULL ? 5.6 : 3.4) * p->text) + 0.5;
}

static void draw_x_axis(tl_plot_field *p) {
  char words[32];
  for (int32_t k = 0; k < p->x.minor_count; k++) {
    const double x = tl_plot_x(p, p->x.minor[k]);
    tl_picture_line(p->picture, x, p->bottom, x, p->bottom + 0.3 * p->text, 1.0, ink);
  }
  for (int32_t k = 0; k < p->x.tick_count; k++) {
    const double x = tl_plot_x(p, p->x.tick[k]);
    tl_axis_words(&p->x, k, words, sizeof words);
    tl_picture_line(p->picture, x, p->top, x, p->bottom, 1.0, grid);
    tl_picture_line(p->picture, x, p->bottom, x, p->bottom + 0.55 * p->text, 1.2, ink);
    tl_picture_text(p->picture, x - 0.5 * tl_text_width(p->text, words), p->bottom + 2.1 * p->text,
                    p->text, words, ink);
  }
}

static void draw_y_axis(tl_plot_field *p) {
  char words[32];
  for (int32_t k = 0; k < p->y.minor_count; k++) {
    const double y = tl_plot_y(p, p->y.minor[k]);
    tl_picture_line(p->picture, p->left - 0.3 * p->text, y, p->left, y, 1.0, ink);
  }
  for (int32_t k = 0; k < p->y.tick_count; k++) {
    const double y = tl_plot_y(p, p->y.tick[k]);
    tl_axis_words(&p->y, k, words, sizeof words);
    tl_picture_line(p->picture, p->left, y, p->right, y, 1.0, grid);
    tl_picture_line(p->picture, p->left - 0.55 * p->text, y, p->left, y, 1.2, ink);
    tl_picture_text(p->picture, p->left - 0.9 * p->text - tl_text_width(p->text, words),
                    y + 0.5 * p->text, p->text, words, ink);
  }
}

/* The size of letters in which the words have room. */
static double size_for(double size, double room, const char *words) {
  const double width = tl_text_width(size, words);
  return width > room ? size * room / width : size;
}

static void draw_axes(tl_plot_field *p) {
  const tl_plot_options *o = p->options;
  draw_x_axis(p);
  draw_y_axis(p);
  tl_picture_line(p->picture, p->left, p->top, p->left, p->bottom, 1.3, ink);
  tl_picture_line(p->picture, p->left, p->bottom, p->right, p->bottom, 1.3, ink);
  if (o->x_label != NULL) {
    const double big = size_for(1.12 * p->text, p->right - p->left, o->x_label);
    tl_picture_text(p->picture, 0.5 * (p->left + p->right - tl_text_width(big, o->x_label)),
                    o->height - 1.3 * p->text, big, o->x_label, ink);
  }
  if (o->y_label != NULL) {
    const double big = size_for(1.12 * p->text, p->bottom - p->top, o->y_label);
    tl_picture_text_upward(p->picture, 2.0 * p->text,
                           0.5 * (p->top + p->bottom + tl_text_width(big, o->y_label)), big,
                           o->y_label, ink);
  }
  if (o->title != NULL) {
    const double large = size_for(1.3 * p->text, o->width - 2.0 * p->text, o->title);
    const double width = tl_text_width(large, o->title);
    const double left = 0.5 * (p->left + p->right - width);
    tl_picture_text(p->picture, fmax(p->text, fmin(left, o->width - p->text - width)),
                    2.6 * p->text, large, o->title, ink);
  }
}

/* ---- curves ---------------------------------------------------------------------------------- */

tl_colour tl_plot_colour(int32_t number) {
  const tl_colour black = {0.0, 0.0, 0.0};
  return tl_colour_mix(tl_colour_kind(number % COLOURS), black, 0.14);
}

void tl_plot_stroke(tl_plot_field *p, int32_t series, double width, const double from[2],
                    const double to[2], double *travelled) {
  const tl_colour colour = tl_plot_colour(series);
  const double length = hypot(to[0] - from[0], to[1] - from[1]);
  const int32_t round = series / COLOURS; /* long dashes first, then shorter ones */
  const double on = 1.1 * p->text / (double)(round > 0 ? round : 1), off = 0.55 * p->text;
  if (round == 0 || !(length < FAR)) {
    tl_picture_line(p->picture, from[0], from[1], to[0], to[1], width, colour);
    return;
  }
  for (double at = 0.0; at < length;) {
    const double phase = fmod(*travelled + at, on + off);
    const double next = fmin(length, at + (phase < on ? on : on + off) - phase + 1e-6 * on);
    if (phase < on) {
      const double a = at / length, b = next / length;
      tl_picture_line(p->picture, from[0] + a * (to[0] - from[0]), from[1] + a * (to[1] - from[1]),
                      from[0] + b * (to[0] - from[0]), from[1] + b * (to[1] - from[1]), width,
                      colour);
    }
    at = next;
  }
  *travelled += length;
}

static void draw_series(tl_plot_field *p, int32_t number) {
  const tl_plot_series *s = &p->series[number];
  const tl_colour colour = tl_plot_colour(number);
  const double line = fmax(1.2, 0.15 * p->text), dot = fmax(2.5, 0.42 * p->text);
  double last[2] = {0.0, 0.0}, travelled = 0.0;
  int connected = 0;
  for (int64_t k = 0; k < s->count; k++) {
    if (!tl_plot_shown(s->x[k], p->x.logarithmic) || !tl_plot_shown(s->y[k], p->y.logarithmic)) {
      connected = 0;
      continue;
    }
    const double at[2] = {fmax(-FAR, fmin(FAR, tl_plot_x(p, s->x[k]))),
                          fmax(-FAR, fmin(FAR, tl_plot_y(p, s->y[k])))};
    if (s->style != TL_PLOT_POINTS && connected) {
      tl_plot_stroke(p, number, line, last, at, &travelled);
    }
    if (s->style != TL_PLOT_LINE || s->count == 1) {
      tl_picture_line(p->picture, at[0], at[1], at[0], at[1], dot, colour);
    }
    memcpy(last, at, sizeof last);
    connected = 1;
  }
}

static void draw_curves(tl_plot_field *p) {
  const double room = 0.3 * p->text; /* dots on the border are whole */
  const int32_t whole[4] = {0, 0, p->picture->width, p->picture->height};
  p->picture->clip[0] = (int32_t)floor(p->left - room);
  p->picture->clip[1] = (int32_t)floor(p->top - room);
  p->picture->clip[2] = (int32_t)ceil(p->right + room);
  p->picture->clip[3] = (int32_t)ceil(p->bottom + room);
  for (int32_t s = 0; s < p->count; s++) {
    draw_series(p, s);
  }
  memcpy(p->picture->clip, whole, sizeof whole);
}

/* ---- entry ----------------------------------------------------------------------------------- */

static talus_status prepare(talus_context *context, tl_plot_field *p) {
  const tl_plot_options *o = p->options;
  range x, y;
  if (o->width < 64 || o->width > 16384 || o->height < 64 || o->height > 16384) {
    return tl_fail(context, TALUS_BAD_SETTING, "plot: width or height out of range");
  }
  TL_TRY(check_positive(context, p, 0));
  TL_TRY(check_positive(context, p, 1));
  find_ranges(p, &x, &y);
  TL_TRY(make_axis(context, "x", x, o->x_low, o->x_high, o->log_x, o->width / 130, &p->x));
  TL_TRY(make_axis(context, "y", y, o->y_low, o->y_high, o->log_y, o->height / 95, &p->y));
  place_field(p);
  if (p->right - p->left < 8.0 || p->bottom - p->top < 8.0) {
    return tl_fail(context, TALUS_BAD_SETTING, "plot: too small for its labels");
  }
  return TALUS_OK;
}

talus_status tl_plot(talus_context *context, const tl_plot_series *series, int32_t count,
                     const tl_plot_options *options, tl_picture *picture) {
  tl_plot_field p;
  memset(&p, 0, sizeof p);
  memset(picture, 0, sizeof *picture);
  picture->context = context;
  p.picture = picture;
  p.series = series;
  p.count = count;
  p.options = options;
  TL_TRY(prepare(context, &p));
  TL_TRY(tl_picture_create(context, options->width, options->height, picture));
  draw_axes(&p);
  draw_curves(&p);
  tl_plot_legend(&p);
  return TALUS_OK;
}

talus_status tl_plot_file(talus_context *context, const tl_plot_series *series, int32_t count,
                          const tl_plot_options *options, const char *path) {
  tl_picture picture;
  TL_TRY(tl_plot(context, series, count, options, &picture));
  const talus_status status = tl_picture_write(&picture, path);
  tl_picture_destroy(&picture);
  return status;
}
