/* plot_curves.c: curves, points, and the bands and bars of their errors; see plot_field.h. */
#include "host/view/image_colour.h"
#include "host/view/plot_field.h"

#define FAR 1e5 /* pixels: beyond it lines would lose their direction anyway */
enum { COLOURS = 6 };

tl_colour tl_plot_colour(int32_t number) {
  const tl_colour black = {0.0, 0.0, 0.0};
  return tl_colour_mix(tl_colour_kind(number % COLOURS), black, 0.14);
}

void tl_plot_stroke(tl_plot_field *p, int32_t series, double width) {
  const int32_t round = series / COLOURS; /* long dashes first, then shorter ones */
  const double dash = round > 0 ? 1.1 * p->text / (double)round : 0.0;
  tl_canvas_stroke(p->canvas, width, tl_plot_colour(series), dash, 0.55 * p->text + width);
}

static double near(double at) {
  return fmax(-FAR, fmin(FAR, at));
}

static bool is_shown(const tl_plot_field *p, const tl_plot_series *s, int64_t k) {
  return tl_plot_shown(s->x[k], p->x.logarithmic) && tl_plot_shown(s->y[k], p->y.logarithmic);
}

/* Whether value k has an error that can be drawn; what lies at or below 0 on a logarithmic axis
 * goes down to its low end. */
static bool error_span(const tl_plot_field *p, const tl_plot_series *s, int64_t k, double span[2]) {
  if (s->low == NULL || s->high == NULL || !is_shown(p, s, k) || !isfinite(s->low[k]) ||
      !isfinite(s->high[k])) {
    return false;
  }
  const double low = p->y.logarithmic ? fmax(s->low[k], p->y.low) : s->low[k];
  const double high = p->y.logarithmic ? fmax(s->high[k], p->y.low) : s->high[k];
  span[0] = near(tl_plot_y(p, low));
  span[1] = near(tl_plot_y(p, high));
  return true;
}

/* From the first value with an error up to the last before a gap: along the upper ends, and back
 * along the lower ones. Returns the first value behind it. */
static int64_t draw_band_piece(tl_plot_field *p, int32_t number, int64_t first) {
  const tl_plot_series *const s = &p->series[number];
  double span[2];
  int64_t end = first;
  for (; end < s->count && error_span(p, s, end, span); end++) {
    const double x = near(tl_plot_x(p, s->x[end]));
    if (end == first) {
      tl_canvas_move_to(p->canvas, x, span[1]);
    } else {
      tl_canvas_line_to(p->canvas, x, span[1]);
    }
  }
  for (int64_t k = end - 1; k >= first; k--) {
    error_span(p, s, k, span);
    tl_canvas_line_to(p->canvas, near(tl_plot_x(p, s->x[k])), span[0]);
  }
  tl_canvas_fill(p->canvas, tl_plot_colour(number), 0.22);
  return end;
}

static void draw_band(tl_plot_field *p, int32_t number) {
  const tl_plot_series *const s = &p->series[number];
  double span[2];
  for (int64_t k = 0; k < s->count; k++) {
    if (error_span(p, s, k, span)) {
      k = draw_band_piece(p, number, k);
    }
  }
}

static void draw_bars(tl_plot_field *p, int32_t number) {
  const tl_plot_series *const s = &p->series[number];
  const double half = 0.32 * p->text;
  double span[2];
  for (int64_t k = 0; k < s->count; k++) {
    if (!error_span(p, s, k, span)) {
      continue;
    }
    const double x = near(tl_plot_x(p, s->x[k]));
    tl_canvas_move_to(p->canvas, x, span[0]);
    tl_canvas_line_to(p->canvas, x, span[1]);
    for (int end = 0; end < 2; end++) {
      tl_canvas_move_to(p->canvas, x - half, span[end]);
      tl_canvas_line_to(p->canvas, x + half, span[end]);
    }
  }
  tl_canvas_stroke(p->canvas, fmax(1.0, 0.09 * p->text), tl_plot_colour(number), 0.0, 0.0);
}

static void draw_line(tl_plot_field *p, int32_t number) {
  const tl_plot_series *const s = &p->series[number];
  bool connected = false;
  for (int64_t k = 0; k < s->count; k++) {
    if (!is_shown(p, s, k)) {
      connected = false;
      continue;
    }
    const double x = near(tl_plot_x(p, s->x[k])), y = near(tl_plot_y(p, s->y[k]));
    if (connected) {
      tl_canvas_line_to(p->canvas, x, y);
    } else {
      tl_canvas_move_to(p->canvas, x, y);
    }
    connected = true;
  }
  tl_plot_stroke(p, number, fmax(1.2, 0.15 * p->text));
}

static void draw_points(tl_plot_field *p, int32_t number) {
  const tl_plot_series *const s = &p->series[number];
  for (int64_t k = 0; k < s->count; k++) {
    if (is_shown(p, s, k)) {
      tl_canvas_dot(p->canvas, near(tl_plot_x(p, s->x[k])), near(tl_plot_y(p, s->y[k])),
                    fmax(2.5, 0.42 * p->text), tl_plot_colour(number));
    }
  }
}

void tl_plot_curves(tl_plot_field *p) {
  const double room = 0.3 * p->text; /* dots on the border are whole */
  tl_canvas_clip(p->canvas, p->left - room, p->top - room, p->right - p->left + 2.0 * room,
                 p->bottom - p->top + 2.0 * room);
  for (int32_t n = 0; n < p->count; n++) {
    if (p->series[n].style == TL_PLOT_LINE) {
      draw_band(p, n);
    }
  }
  for (int32_t n = 0; n < p->count; n++) {
    const tl_plot_style style = p->series[n].style;
    if (style != TL_PLOT_LINE) {
      draw_bars(p, n);
    }
    if (style != TL_PLOT_POINTS) {
      draw_line(p, n);
    }
    if (style != TL_PLOT_LINE || p->series[n].count == 1) {
      draw_points(p, n);
    }
  }
  tl_canvas_unclip(p->canvas);
}
