/* canvas.c: surfaces, paths and files by Cairo; see canvas.h. */
#include "host/view/canvas.h"

#include <string.h>

#include "host/view/canvas_cairo.h"

#define POINTS_PER_PIXEL (72.0 / 200.0)
#define TURN 6.283185307179586

/* ---- begin ----------------------------------------------------------------------------------- */

static cairo_status_t write_bytes(void *closure, const unsigned char *bytes, unsigned length) {
  FILE *const stream = closure;
  return fwrite(bytes, 1, length, stream) == length ? CAIRO_STATUS_SUCCESS
                                                    : CAIRO_STATUS_WRITE_ERROR;
}

static talus_status canvas_make(talus_context *context, tl_canvas **canvas) {
  void *memory = NULL;
  *canvas = NULL;
  TL_TRY(tl_alloc(context, &memory, 1, sizeof(tl_canvas), "canvas"));
  *canvas = memory;
  memset(*canvas, 0, sizeof **canvas);
  (*canvas)->context = context;
  if (!tl_cairo_load(&(*canvas)->cairo)) {
    tl_free(context, *canvas);
    *canvas = NULL;
    return tl_fail(context, TALUS_UNSUPPORTED, "plot: %s", tl_text_missing());
  }
  return TALUS_OK;
}

/* Sets up the pen on a surface. Metrics are not rounded to pixels: a plot is laid out in the same
 * way whatever it is drawn on. */
static talus_status canvas_open(tl_canvas *canvas, cairo_surface_t *surface, double scale) {
  canvas->surface = surface;
  canvas->pen = canvas->cairo.create(surface);
  cairo_font_options_t *const options = canvas->cairo.font_options_create();
  canvas->cairo.font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  canvas->cairo.font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  canvas->cairo.font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  canvas->cairo.set_font_options(canvas->pen, options);
  canvas->cairo.font_options_destroy(options);
  canvas->cairo.select_font_face(canvas->pen, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                                 CAIRO_FONT_WEIGHT_NORMAL);
  canvas->cairo.scale(canvas->pen, scale, scale);
  canvas->cairo.set_line_cap(canvas->pen, CAIRO_LINE_CAP_ROUND);
  canvas->cairo.set_line_join(canvas->pen, CAIRO_LINE_JOIN_ROUND);
  return canvas->cairo.status(canvas->pen) == CAIRO_STATUS_SUCCESS
             ? TALUS_OK
             : tl_fail(canvas->context, TALUS_OUT_OF_MEMORY, "plot: Cairo: %s",
                       canvas->cairo.status_to_string(canvas->cairo.status(canvas->pen)));
}

static void paint_white(tl_canvas *canvas) {
  canvas->cairo.set_source_rgb(canvas->pen, 1.0, 1.0, 1.0);
  canvas->cairo.paint(canvas->pen);
}

static talus_status canvas_pixels(talus_context *context, cairo_format_t format, int32_t width,
                                  int32_t height, tl_canvas **canvas) {
  TL_TRY(canvas_make(context, canvas));
  const talus_status status =
      canvas_open(*canvas, (*canvas)->cairo.image_surface_create(format, width, height), 1.0);
  if (status != TALUS_OK) {
    tl_canvas_abandon(*canvas);
    *canvas = NULL;
  }
  return status;
}

talus_status tl_canvas_create(talus_context *context, int32_t width, int32_t height,
                              tl_canvas **canvas) {
  TL_TRY(canvas_pixels(context, CAIRO_FORMAT_RGB24, width, height, canvas));
  paint_white(*canvas);
  return TALUS_OK;
}

talus_status tl_canvas_mask(talus_context *context, int32_t width, int32_t height,
                            tl_canvas **canvas) {
  return canvas_pixels(context, CAIRO_FORMAT_A8, width, height, canvas);
}

typedef enum file_kind { FILE_PNG, FILE_SVG, FILE_PDF, FILE_UNKNOWN } file_kind;

static file_kind kind_of(const char *path) {
  static const char *const ending[] = {".png", ".svg", ".pdf"};
  const size_t length = strlen(path);
  int kind = 0;
  while (kind < FILE_UNKNOWN && (length < 5 || strcmp(path + length - 4, ending[kind]) != 0)) {
    kind++;
  }
  return (file_kind)kind;
}

static cairo_surface_t *surface_make(const tl_canvas *canvas, file_kind kind, int32_t width,
                                     int32_t height) {
  FILE *const stream = canvas->output.stream;
  const double wide = POINTS_PER_PIXEL * width, tall = POINTS_PER_PIXEL * height;
  if (kind == FILE_SVG) {
    return canvas->cairo.svg_surface_create_for_stream(write_bytes, stream, wide, tall);
  }
  return kind == FILE_PDF
             ? canvas->cairo.pdf_surface_create_for_stream(write_bytes, stream, wide, tall)
             : canvas->cairo.image_surface_create(CAIRO_FORMAT_RGB24, width, height);
}

talus_status tl_canvas_file(talus_context *context, const char *path, int32_t width, int32_t height,
                            tl_canvas **canvas) {
  const file_kind kind = kind_of(path);
  *canvas = NULL;
  if (kind == FILE_UNKNOWN) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "%s: the name of a plot ends with .png, .svg or .pdf", path);
  }
  TL_TRY(canvas_make(context, canvas));
  talus_status status = tl_output_begin(context, path, &(*canvas)->output);
  if (status == TALUS_OK) {
    (*canvas)->is_file = true;
    (*canvas)->is_png = kind == FILE_PNG;
    status = canvas_open(*canvas, surface_make(*canvas, kind, width, height),
                         kind == FILE_PNG ? 1.0 : POINTS_PER_PIXEL);
  }
  if (status != TALUS_OK) {
    tl_canvas_abandon(*canvas);
    *canvas = NULL;
    return status;
  }
  paint_white(*canvas);
  return TALUS_OK;
}

/* ---- end ------------------------------------------------------------------------------------- */

/* The first failure of pen, surface and file. */
static cairo_status_t canvas_finish(tl_canvas *canvas) {
  cairo_status_t found = canvas->cairo.status(canvas->pen);
  canvas->cairo.destroy(canvas->pen);
  canvas->pen = NULL;
  if (found == CAIRO_STATUS_SUCCESS && canvas->is_png) {
    canvas->cairo.surface_flush(canvas->surface);
    found = canvas->cairo.surface_write_to_png_stream(canvas->surface, write_bytes,
                                                      canvas->output.stream);
  }
  canvas->cairo.surface_finish(canvas->surface);
  return found == CAIRO_STATUS_SUCCESS ? canvas->cairo.surface_status(canvas->surface) : found;
}

talus_status tl_canvas_end(tl_canvas *canvas) {
  talus_status status = TALUS_OK;
  const cairo_status_t found = canvas_finish(canvas);
  if (found != CAIRO_STATUS_SUCCESS) {
    status = tl_fail(canvas->context,
                     found == CAIRO_STATUS_NO_MEMORY ? TALUS_OUT_OF_MEMORY : TALUS_FILE_WRITE,
                     "%s: drawing failed: %s", canvas->is_file ? canvas->output.path : "plot",
                     canvas->cairo.status_to_string(found));
  } else if (canvas->is_file) {
    canvas->is_file = false;
    status = tl_output_commit(&canvas->output);
  }
  tl_canvas_abandon(canvas);
  return status;
}

void tl_canvas_abandon(tl_canvas *canvas) {
  if (canvas == NULL) {
    return;
  }
  if (canvas->pen != NULL) {
    canvas->cairo.destroy(canvas->pen);
  }
  if (canvas->surface != NULL) { /* a vector surface writes its last bytes here */
    canvas->cairo.surface_destroy(canvas->surface);
  }
  if (canvas->is_file) {
    tl_output_abandon(&canvas->output);
  }
  tl_free(canvas->context, canvas);
}

talus_status tl_canvas_picture(tl_canvas *canvas, tl_picture *picture) {
  canvas->cairo.surface_flush(canvas->surface);
  const int32_t width = canvas->cairo.image_surface_get_width(canvas->surface);
  const int32_t height = canvas->cairo.image_surface_get_height(canvas->surface);
  const unsigned char *row = canvas->cairo.image_surface_get_data(canvas->surface);
  TL_TRY(tl_picture_create(canvas->context, width, height, picture));
  unsigned char *to = picture->pixel;
  for (int32_t y = 0; y < height; y++) {
    for (int32_t x = 0; x < width; x++, to += 3) {
      uint32_t pixel; /* in the machine's own order of bytes */
      memcpy(&pixel, row + 4 * (size_t)x, sizeof pixel);
      to[0] = (unsigned char)(pixel >> 16);
      to[1] = (unsigned char)(pixel >> 8);
      to[2] = (unsigned char)pixel;
    }
    row += canvas->cairo.image_surface_get_stride(canvas->surface);
  }
  return TALUS_OK;
}

const unsigned char *tl_canvas_cover(tl_canvas *canvas, int32_t *stride) {
  canvas->cairo.surface_flush(canvas->surface);
  *stride = canvas->cairo.image_surface_get_stride(canvas->surface);
  return canvas->cairo.image_surface_get_data(canvas->surface);
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void set_colour(tl_canvas *canvas, tl_colour colour, double opacity) {
  canvas->cairo.set_source_rgba(canvas->pen, colour.red, colour.green, colour.blue, opacity);
}

void tl_canvas_move_to(tl_canvas *canvas, double x, double y) {
  canvas->cairo.move_to(canvas->pen, x, y);
}

void tl_canvas_line_to(tl_canvas *canvas, double x, double y) {
  canvas->cairo.line_to(canvas->pen, x, y);
}

void tl_canvas_stroke(tl_canvas *canvas, double width, tl_colour colour, double dash, double gap) {
  const double lengths[2] = {dash, gap};
  set_colour(canvas, colour, 1.0);
  canvas->cairo.set_line_width(canvas->pen, width);
  canvas->cairo.set_dash(canvas->pen, lengths, dash > 0.0 ? 2 : 0, 0.0);
  canvas->cairo.stroke(canvas->pen);
}

void tl_canvas_fill(tl_canvas *canvas, tl_colour colour, double opacity) {
  set_colour(canvas, colour, opacity);
  canvas->cairo.fill(canvas->pen);
}

void tl_canvas_line(tl_canvas *canvas, double x0, double y0, double x1, double y1, double width,
                    tl_colour colour) {
  tl_canvas_move_to(canvas, x0, y0);
  tl_canvas_line_to(canvas, x1, y1);
  tl_canvas_stroke(canvas, width, colour, 0.0, 0.0);
}

void tl_canvas_rectangle(tl_canvas *canvas, double x, double y, double width, double height,
                         tl_colour colour) {
  canvas->cairo.rectangle(canvas->pen, x, y, width, height);
  tl_canvas_fill(canvas, colour, 1.0);
}

void tl_canvas_dot(tl_canvas *canvas, double x, double y, double diameter, tl_colour colour) {
  canvas->cairo.new_path(canvas->pen);
  canvas->cairo.arc(canvas->pen, x, y, 0.5 * diameter, 0.0, TURN);
  tl_canvas_fill(canvas, colour, 1.0);
}

void tl_canvas_clip(tl_canvas *canvas, double x, double y, double width, double height) {
  canvas->cairo.save(canvas->pen);
  canvas->cairo.rectangle(canvas->pen, x, y, width, height);
  canvas->cairo.clip(canvas->pen);
}

void tl_canvas_unclip(tl_canvas *canvas) {
  canvas->cairo.restore(canvas->pen);
}
