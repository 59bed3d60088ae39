/* plot_field.h: a plot while it is drawn: where its values lie on the page. */
#ifndef TL_PLOT_FIELD_H
#define TL_PLOT_FIELD_H

#include <math.h>

#include "host/view/canvas.h"
#include "host/view/plot.h"
#include "host/view/plot_axis.h"

typedef struct tl_plot_field {
  tl_canvas *canvas;
  const tl_plot_series *series;
  int32_t count;
  const tl_plot_options *options;
  tl_plot_axis x, y;
  double left, right, top, bottom; /* of the field, pixels */
  double text;                     /* height of capitals */
} tl_plot_field;

static inline bool tl_plot_shown(double value, bool logarithmic) {
  return isfinite(value) && (!logarithmic || value > 0.0);
}

static inline double tl_plot_x(const tl_plot_field *p, double value) {
  return p->left + (p->right - p->left) * tl_plot_axis_share(&p->x, value);
}

static inline double tl_plot_y(const tl_plot_field *p, double value) {
  return p->bottom - (p->bottom - p->top) * tl_plot_axis_share(&p->y, value);
}

tl_colour tl_plot_colour(int32_t series);
/* Draws along the canvas' path in the colour and the dashes of a series. */
void tl_plot_stroke(tl_plot_field *plot, int32_t series, double width);
/* Curves, points, bands and bars of all series. */
void tl_plot_curves(tl_plot_field *plot);
/* Width it takes, 0 if no series has a label. */
double tl_plot_legend_width(const tl_plot_field *plot);
/* Beside the field, or where it hides least; nothing if no series has a label. */
void tl_plot_legend_draw(tl_plot_field *plot);

#endif
