/* render_view.h: how the picture is shared between the view and the colour bar. */
#ifndef TL_RENDER_VIEW_H
#define TL_RENDER_VIEW_H

#include <math.h>

#include "host/view/image_colour.h"
#include "host/view/render.h"

#define TL_BAR_HEIGHT 0.58 /* of the colour bar against that of the picture */

/* Whether there is a bar: only for fields that are numbers. */
static inline bool tl_view_bar(const tl_render_options *options) {
  return options->bar && options->field != TL_FIELD_PLAIN && options->field != TL_FIELD_ID &&
         options->field != TL_FIELD_MATERIAL;
}

/* Pixels from the left that the view may fill: the bar with usual numbers needs eight heights of
 * its text, and gets no more than a third of the picture. */
static inline double tl_view_width(const tl_render_options *options) {
  const double bar = 8.36 * tl_colour_bar_text(TL_BAR_HEIGHT * options->height);
  return options->width - (tl_view_bar(options) ? fmin(bar, options->width / 3.0) : 0.0);
}

#endif
