/* render_view.h: how the picture is shared between the view and the colour bar. */
#ifndef TL_RENDER_VIEW_H
#define TL_RENDER_VIEW_H

#include "host/io/render.h"

/* Whether there is a bar: only for fields that are numbers. */
static inline int tl_view_bar(const tl_render_options *options) {
  return options->bar && options->field != TL_FIELD_PLAIN && options->field != TL_FIELD_ID &&
         options->field != TL_FIELD_MATERIAL;
}

/* Pixels from the left that the view may fill. */
static inline double tl_view_width(const tl_render_options *options) {
  return options->width - (tl_view_bar(options) ? 0.16 * options->height : 0.0);
}

#endif
