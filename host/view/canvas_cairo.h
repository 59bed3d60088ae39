/* canvas_cairo.h: what a canvas is, for canvas.c and canvas_text.c: the files that know Cairo. */
#ifndef TL_CANVAS_CAIRO_H
#define TL_CANVAS_CAIRO_H

#include <cairo.h>

#include "host/io/output_file.h"
#include "host/view/canvas.h"

struct tl_canvas {
  talus_context *context;
  cairo_surface_t *surface;
  cairo_t *pen;
  bool is_file, is_png;
  tl_output output; /* of a file */
  double capital;   /* height of capitals over the size of the font; 0: not measured yet */
};

#endif
