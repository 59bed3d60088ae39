/* canvas_cairo.h: what a canvas is, and the functions of Cairo that it uses; for canvas*.c alone.
 *
 * Cairo is loaded when something is drawn, and not linked: it brings some twenty libraries of fonts
 * and windows with it, which a program that only solves contacts would have to load too. */
#ifndef TL_CANVAS_CAIRO_H
#define TL_CANVAS_CAIRO_H

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include "host/io/output_file.h"
#include "host/view/canvas.h"

#define TL_CAIRO_LIST(X)           \
  X(arc)                           \
  X(clip)                          \
  X(create)                        \
  X(destroy)                       \
  X(fill)                          \
  X(font_options_create)           \
  X(font_options_destroy)          \
  X(font_options_set_antialias)    \
  X(font_options_set_hint_metrics) \
  X(font_options_set_hint_style)   \
  X(image_surface_create)          \
  X(image_surface_get_data)        \
  X(image_surface_get_height)      \
  X(image_surface_get_stride)      \
  X(image_surface_get_width)       \
  X(line_to)                       \
  X(move_to)                       \
  X(new_path)                      \
  X(paint)                         \
  X(pdf_surface_create_for_stream) \
  X(rectangle)                     \
  X(restore)                       \
  X(rotate)                        \
  X(save)                          \
  X(scale)                         \
  X(select_font_face)              \
  X(set_dash)                      \
  X(set_font_options)              \
  X(set_font_size)                 \
  X(set_line_cap)                  \
  X(set_line_join)                 \
  X(set_line_width)                \
  X(set_source_rgb)                \
  X(set_source_rgba)               \
  X(show_text)                     \
  X(status)                        \
  X(status_to_string)              \
  X(stroke)                        \
  X(surface_destroy)               \
  X(surface_finish)                \
  X(surface_flush)                 \
  X(surface_status)                \
  X(surface_write_to_png_stream)   \
  X(svg_surface_create_for_stream) \
  X(text_extents)                  \
  X(translate)

/* cairo.move_to is cairo_move_to. */
typedef struct tl_cairo {
#define TL_CAIRO_MEMBER(name) __typeof__(cairo_##name) *name;
  TL_CAIRO_LIST(TL_CAIRO_MEMBER)
#undef TL_CAIRO_MEMBER
} tl_cairo;

/* Loads Cairo and finds its functions. It stays loaded: fonts that it has read are read once.
 * Returns whether it is there. */
bool tl_cairo_load(tl_cairo *cairo);

struct tl_canvas {
  talus_context *context;
  tl_cairo cairo;
  cairo_surface_t *surface;
  cairo_t *pen;
  bool is_file, is_png;
  tl_output output; /* of a file */
  double capital;   /* height of capitals over the size of the font; 0: not measured yet */
};

#endif
