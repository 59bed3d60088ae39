/* plot_legend.c: which curve is which; see plot_field.h. */
#include "host/view/plot_field.h"

static const tl_colour ink = {0.13, 0.14, 0.17}, frame = {0.90, 0.91, 0.925};
static const tl_colour page = {1.0, 1.0, 1.0};

typedef struct patch {
  double left, top, width, height;
} patch;

static bool is_inside(const patch *r, double x, double y) {
  return x > r->left && x < r->left + r->width && y > r->top && y < r->top + r->height;
}

/* How much of a curve a rectangle hides: its values, and points on the way between them. */
static double hidden_share(const tl_plot_field *p, const tl_plot_series *s, const patch *r) {
  double inside = 0.0, last_x = NAN, last_y = NAN;
  for (int64_t k = 0; k < s->count; k++) {
    if (!tl_plot_shown(s->x[k], p->x.logarithmic) || !tl_plot_shown(s->y[k], p->y.logarithmic)) {
      last_x = NAN;
      continue;
    }
    const double x = tl_plot_x(p, s->x[k]), y = tl_plot_y(p, s->y[k]);
    const bool connected = s->style != TL_PLOT_POINTS && !isnan(last_x);
    const double way = connected ? hypot(x - last_x, y - last_y) : 0.0;
    const int parts = way > 12.0 ? (int)fmin(100.0, way / 6.0) : 1;
    for (int i = 1; i <= parts; i++) {
      const double share = (double)i / parts;
      inside += connected
                    ? is_inside(r, last_x + share * (x - last_x), last_y + share * (y - last_y))
                    : is_inside(r, x, y);
    }
    last_x = x;
    last_y = y;
  }
  return inside;
}

/* Of nine places, corners first, the one that hides least. */
static void place_legend(const tl_plot_field *p, patch *r) {
  static const double place[9][2] = {{1, 0},   {0, 0},   {1, 1},   {0, 1},    {1, 0.5},
                                     {0, 0.5}, {0.5, 0}, {0.5, 1}, {0.5, 0.5}};
  double least = INFINITY;
  patch best = *r;
  for (int k = 0; k < 9; k++) {
    const double left = p->left + p->text, top = p->top + 0.6 * p->text;
    r->left = left + place[k][0] * (p->right - p->text - r->width - left);
    r->top = top + place[k][1] * (p->bottom - p->text - r->height - top);
    double hidden = 0.0;
    for (int32_t s = 0; s < p->count; s++) {
      hidden += hidden_share(p, &p->series[s], r);
    }
    if (hidden < least) {
      least = hidden;
      best = *r;
    }
  }
  *r = best;
}

double tl_plot_legend_width(const tl_plot_field *p) {
  double widest = 0.0;
  for (int32_t s = 0; s < p->count; s++) {
    const char *label = p->series[s].label;
    if (label != NULL && label[0] != 0) {
      widest = fmax(widest, tl_canvas_text_width(p->canvas, p->text, label));
    }
  }
  return widest > 0.0 && p->options->legend != TL_LEGEND_NONE ? widest + 4.6 * p->text : 0.0;
}

/* A piece of the curve, as it is drawn in the field, and its label. */
static void draw_entry(tl_plot_field *p, int32_t number, double left, double y) {
  const tl_plot_series *const s = &p->series[number];
  if (s->low != NULL && s->high != NULL && s->style == TL_PLOT_LINE) {
    const double half = 0.5 * p->text;
    tl_canvas_move_to(p->canvas, left + 0.9 * p->text, y - half);
    tl_canvas_line_to(p->canvas, left + 3.0 * p->text, y - half);
    tl_canvas_line_to(p->canvas, left + 3.0 * p->text, y + half);
    tl_canvas_line_to(p->canvas, left + 0.9 * p->text, y + half);
    tl_canvas_fill(p->canvas, tl_plot_colour(number), 0.22);
  }
  if (s->style != TL_PLOT_POINTS) {
    tl_canvas_move_to(p->canvas, left + 0.9 * p->text, y);
    tl_canvas_line_to(p->canvas, left + 3.0 * p->text, y);
    tl_plot_stroke(p, number, fmax(1.5, 0.18 * p->text));
  }
  if (s->style != TL_PLOT_LINE) {
    tl_canvas_dot(p->canvas, left + 1.95 * p->text, y, fmax(2.5, 0.45 * p->text),
                  tl_plot_colour(number));
  }
  tl_canvas_text(p->canvas, left + 3.7 * p->text, y + 0.5 * p->text, p->text, false, TL_ALIGN_LEFT,
                 s->label, ink);
}

void tl_plot_legend_draw(tl_plot_field *p) {
  double rows = 0.0;
  for (int32_t s = 0; s < p->count; s++) {
    const char *label = p->series[s].label;
    rows += label != NULL && label[0] != 0;
  }
  patch r = {p->right + p->text, p->top, tl_plot_legend_width(p), (1.9 * rows + 0.7) * p->text};
  if (r.width == 0.0) {
    return;
  }
  if (p->options->legend == TL_LEGEND_INSIDE) {
    place_legend(p, &r);
  }
  tl_canvas_rectangle(p->canvas, r.left - 1.0, r.top - 1.0, r.width + 2.0, r.height + 2.0, frame);
  tl_canvas_rectangle(p->canvas, r.left, r.top, r.width, r.height, page);
  double y = r.top + 1.3 * p->text;
  for (int32_t s = 0; s < p->count; s++) {
    if (p->series[s].label != NULL && p->series[s].label[0] != 0) {
      draw_entry(p, s, r.left, y);
      y += 1.9 * p->text;
    }
  }
}
