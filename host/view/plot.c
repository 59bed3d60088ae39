/* plot.c: ranges, axes, labels; see plot.h. */
#include "host/view/plot.h"

#include <math.h>
#include <string.h>

#include "host/view/plot_field.h"

static const tl_colour ink = {0.13, 0.14, 0.17}, grid = {0.90, 0.91, 0.925};

/* ---- ranges ---------------------------------------------------------------------------------- */

typedef struct range {
  double low, high;
} range;

static void range_add(range *r, double value, bool logarithmic) {
  if (tl_plot_shown(value, logarithmic)) {
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
  }
}

/* Of values whose other half is shown too, and of their errors. */
static void find_ranges(const tl_plot_field *p, range *x, range *y) {
  const bool log_x = p->options->log_x, log_y = p->options->log_y;
  *x = *y = (range){INFINITY, -INFINITY};
  for (int32_t n = 0; n < p->count; n++) {
    const tl_plot_series *const s = &p->series[n];
    for (int64_t k = 0; k < s->count; k++) {
      if (!tl_plot_shown(s->x[k], log_x) || !tl_plot_shown(s->y[k], log_y)) {
        continue;
      }
      range_add(x, s->x[k], log_x);
      range_add(y, s->y[k], log_y);
      if (s->low != NULL && s->high != NULL) {
        range_add(y, s->low[k], log_y);
        range_add(y, s->high[k], log_y);
      }
    }
  }
}

static talus_status make_axis(talus_context *context, const char *name, range found, double low,
                              double high, bool logarithmic, int32_t wanted, tl_plot_axis *axis) {
  if (low < high) {
    if (!isfinite(high - low) || (logarithmic && low <= 0.0)) {
      return tl_fail(context, TALUS_BAD_SETTING, "plot: the range of the %s axis is %g to %g", name,
                     low, high);
    }
    *axis = tl_plot_axis_make(low, high, logarithmic, wanted);
    return TALUS_OK;
  }
  *axis = tl_plot_axis_round(found.low, found.high, logarithmic, wanted);
  return TALUS_OK;
}

static talus_status check_positive(talus_context *context, const tl_plot_field *p, bool y) {
  bool found = p->count == 0 || !(y ? p->options->log_y : p->options->log_x);
  for (int32_t s = 0; s < p->count && !found; s++) {
    const double *value = y ? p->series[s].y : p->series[s].x;
    for (int64_t k = 0; k < p->series[s].count && !found; k++) {
      found = tl_plot_shown(value[k], true);
    }
  }
  return found ? TALUS_OK
               : tl_fail(context, TALUS_BAD_SETTING,
                         "plot: the logarithmic %s axis has no positive value", y ? "y" : "x");
}

/* What a logarithmic axis has no place for: curves have a gap there. */
static void tell_left_out(talus_context *context, const tl_plot_field *p, bool y) {
  int64_t left_out = 0, all = 0;
  for (int32_t s = 0; s < p->count && (y ? p->options->log_y : p->options->log_x); s++) {
    const double *const value = y ? p->series[s].y : p->series[s].x;
    all += p->series[s].count;
    for (int64_t k = 0; k < p->series[s].count; k++) {
      left_out += value[k] <= 0;
    }
  }
  if (left_out > 0) {
    tl_log(context, TALUS_LOG_WARNING,
           "plot: %lld of %lld values are not above 0 and left out of the logarithmic %s axis",
           (long long)left_out, (long long)all, y ? "y" : "x");
  }
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* Room for the numbers of the vertical axis decides where the field begins. */
static void place_field(tl_plot_field *p) {
  const tl_plot_options *o = p->options;
  double widest = 0.0;
  char words[32];
  for (int32_t k = 0; k < p->y.tick_count; k++) {
    tl_plot_axis_words(&p->y, k, words, sizeof words);
    widest = fmax(widest, tl_canvas_text_width(p->canvas, p->text, words));
  }
  p->left = floor(widest + (o->y_label != NULL ? 4.6 : 2.6) * p->text) + 0.5;
  const double beside = o->legend == TL_LEGEND_BESIDE ? tl_plot_legend_width(p) : 0.0;
  p->right = floor(o->width - 2.4 * p->text - beside) + 0.5;
  p->top = floor((o->title != NULL ? 4.4 : 2.0) * p->text) + 0.5;
  p->bottom = floor(o->height - (o->x_label != NULL ? 5.6 : 3.4) * p->text) + 0.5;
}

static void draw_x_axis(tl_plot_field *p) {
  char words[32];
  for (int32_t k = 0; k < p->x.minor_count; k++) {
    const double x = tl_plot_x(p, p->x.minor[k]);
    tl_canvas_line(p->canvas, x, p->bottom, x, p->bottom + 0.3 * p->text, 1.0, ink);
  }
  for (int32_t k = 0; k < p->x.tick_count; k++) {
    const double x = tl_plot_x(p, p->x.tick[k]);
    tl_plot_axis_words(&p->x, k, words, sizeof words);
    tl_canvas_line(p->canvas, x, p->top, x, p->bottom, 1.0, grid);
    tl_canvas_line(p->canvas, x, p->bottom, x, p->bottom + 0.55 * p->text, 1.2, ink);
    tl_canvas_text(p->canvas, x, p->bottom + 2.1 * p->text, p->text, false, TL_ALIGN_CENTRE, words,
                   ink);
  }
}

static void draw_y_axis(tl_plot_field *p) {
  char words[32];
  for (int32_t k = 0; k < p->y.minor_count; k++) {
    const double y = tl_plot_y(p, p->y.minor[k]);
    tl_canvas_line(p->canvas, p->left - 0.3 * p->text, y, p->left, y, 1.0, ink);
  }
  for (int32_t k = 0; k < p->y.tick_count; k++) {
    const double y = tl_plot_y(p, p->y.tick[k]);
    tl_plot_axis_words(&p->y, k, words, sizeof words);
    tl_canvas_line(p->canvas, p->left, y, p->right, y, 1.0, grid);
    tl_canvas_line(p->canvas, p->left - 0.55 * p->text, y, p->left, y, 1.2, ink);
    tl_canvas_text(p->canvas, p->left - 0.9 * p->text, y + 0.5 * p->text, p->text, false,
                   TL_ALIGN_RIGHT, words, ink);
  }
}

/* The height of capitals in which the words have room. */
static double height_for(const tl_plot_field *p, double height, double room, const char *words) {
  const double width = tl_canvas_text_width(p->canvas, height, words);
  return width > room ? height * room / width : height;
}

static void draw_labels(tl_plot_field *p) {
  const tl_plot_options *o = p->options;
  const double middle = 0.5 * (p->left + p->right);
  if (o->x_label != NULL) {
    const double big = height_for(p, 1.12 * p->text, p->right - p->left, o->x_label);
    tl_canvas_text(p->canvas, middle, o->height - 1.3 * p->text, big, false, TL_ALIGN_CENTRE,
                   o->x_label, ink);
  }
  if (o->y_label != NULL) {
    const double big = height_for(p, 1.12 * p->text, p->bottom - p->top, o->y_label);
    tl_canvas_text(p->canvas, 2.0 * p->text, 0.5 * (p->top + p->bottom), big, true, TL_ALIGN_CENTRE,
                   o->y_label, ink);
  }
  if (o->title != NULL) {
    const double large = height_for(p, 1.3 * p->text, o->width - 2.0 * p->text, o->title);
    const double half = 0.5 * tl_canvas_text_width(p->canvas, large, o->title);
    const double at = fmax(p->text + half, fmin(middle, o->width - p->text - half));
    tl_canvas_text(p->canvas, at, 2.6 * p->text, large, false, TL_ALIGN_CENTRE, o->title, ink);
  }
}

static void draw_axes(tl_plot_field *p) {
  draw_x_axis(p);
  draw_y_axis(p);
  tl_canvas_line(p->canvas, p->left, p->top, p->left, p->bottom, 1.3, ink);
  tl_canvas_line(p->canvas, p->left, p->bottom, p->right, p->bottom, 1.3, ink);
}

/* ---- entry ----------------------------------------------------------------------------------- */

static talus_status check(talus_context *context, tl_plot_field *p) {
  const tl_plot_options *o = p->options;
  range x, y;
  if (o->width < 64 || o->width > 16384 || o->height < 64 || o->height > 16384) {
    return tl_fail(context, TALUS_BAD_SETTING, "plot: width or height out of range");
  }
  TL_TRY(check_positive(context, p, false));
  TL_TRY(check_positive(context, p, true));
  tell_left_out(context, p, false);
  tell_left_out(context, p, true);
  find_ranges(p, &x, &y);
  TL_TRY(make_axis(context, "x", x, o->x_low, o->x_high, o->log_x, o->width / 130, &p->x));
  return make_axis(context, "y", y, o->y_low, o->y_high, o->log_y, o->height / 95, &p->y);
}

/* Draws on the canvas that p has. */
static talus_status draw(talus_context *context, tl_plot_field *p) {
  const tl_plot_options *o = p->options;
  p->text = fmax(8.0, 0.0185 * fmin(o->width, o->height * 1.4));
  place_field(p);
  if (p->right - p->left < 8.0 || p->bottom - p->top < 8.0) {
    return tl_fail(context, TALUS_BAD_SETTING, "plot: too small for its labels");
  }
  draw_axes(p);
  draw_labels(p);
  tl_plot_curves(p);
  tl_plot_legend_draw(p);
  return TALUS_OK;
}

talus_status tl_plot(talus_context *context, const tl_plot_series *series, int32_t count,
                     const tl_plot_options *options, tl_picture *picture) {
  tl_plot_field p = {.series = series, .count = count, .options = options};
  memset(picture, 0, sizeof *picture);
  picture->context = context;
  TL_TRY(check(context, &p));
  TL_TRY(tl_canvas_create(context, options->width, options->height, &p.canvas));
  talus_status status = draw(context, &p);
  if (status == TALUS_OK) {
    status = tl_canvas_picture(p.canvas, picture);
  }
  if (status != TALUS_OK) {
    tl_canvas_abandon(p.canvas);
    return status;
  }
  status = tl_canvas_end(p.canvas);
  if (status != TALUS_OK) {
    tl_picture_destroy(picture);
  }
  return status;
}

talus_status tl_plot_file(talus_context *context, const tl_plot_series *series, int32_t count,
                          const tl_plot_options *options, const char *path) {
  tl_plot_field p = {.series = series, .count = count, .options = options};
  TL_TRY(check(context, &p));
  TL_TRY(tl_canvas_file(context, path, options->width, options->height, &p.canvas));
  const talus_status status = draw(context, &p);
  if (status != TALUS_OK) {
    tl_canvas_abandon(p.canvas);
    return status;
  }
  return tl_canvas_end(p.canvas);
}
