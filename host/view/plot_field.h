/* plot_field.h: a plot while it is drawn: where its values lie on the picture. */
#ifndef TL_PLOT_FIELD_H
#define TL_PLOT_FIELD_H

#include <math.h>

#include "host/view/plot.h"
#include "host/view/plot_axis.h"

typedef struct tl_plot_field {
  tl_picture *picture;
  const tl_plot_series *series;
  int32_t count;
  const tl_plot_options *options;
  tl_axis x, y;
  double left, right, top, bottom; /* of the field, pixels */
  double text;                     /* height of letters */
} tl_plot_field;

static inline int tl_plot_shown(double value, int32_t logarithmic) {
  return isfinite(value) && (!logarithmic || value > 0.0);
}

static inline double tl_plot_x(const tl_plot_field *p, double value) {
  return p->left + (p->right - p->left) * tl_axis_share(&p->x, value);
}

static inline double tl_plot_y(const tl_plot_field *p, double value) {
  return p->bottom - (p->bottom - p->top) * tl_axis_share(&p->y, value);
}

tl_colour tl_plot_colour(int32_t series);
/* A piece of a series' curve, dashed as the series is; travelled: how far the pen has gone. */
void tl_plot_stroke(tl_plot_field *plot, int32_t series, double width, const double from[2],
                    const double to[2], double *travelled);
/* Width it takes, 0 if no series has a label. */
double tl_plot_legend_width(const tl_plot_field *plot);
/* Beside the field, or where it hides least; nothing if no series has a label. */
void tl_plot_legend(tl_plot_field *plot);

#endif
