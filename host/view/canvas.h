/* canvas.h: a page to draw lines, areas and text on, by Cairo: pixels, or a PNG, SVG or PDF file.
 *
 * Positions are in pixels, x to the right, y down, (0, 0) the upper left corner. In SVG and PDF a
 * pixel is 1/200 inch. A path is collected by move_to and line_to, and used up by stroke or fill.
 * Failures inside Cairo are kept and told by tl_canvas_end. Cairo is loaded at run time: where it
 * is not there, what makes a canvas returns UNSUPPORTED. Without its headers none of this is built:
 * canvas_none.c says so to whoever asks for a plot. */
#ifndef TL_CANVAS_H
#define TL_CANVAS_H

#include <stdbool.h>

#include "host/view/picture.h"

typedef struct tl_canvas tl_canvas;

typedef enum tl_align { TL_ALIGN_LEFT, TL_ALIGN_CENTRE, TL_ALIGN_RIGHT } tl_align;

/* A white page that becomes a file; what it is decides the ending of its name: .png, .svg, .pdf.
 * Statuses: BAD_SETTING (another ending), FILE_WRITE, OUT_OF_MEMORY; *canvas is NULL then. */
talus_status tl_canvas_file(talus_context *context, const char *path, int32_t width, int32_t height,
                            tl_canvas **canvas);
/* A white page in memory, for tl_canvas_picture. Statuses: OUT_OF_MEMORY. */
talus_status tl_canvas_create(talus_context *context, int32_t width, int32_t height,
                              tl_canvas **canvas);
/* Nothing but how far each pixel is covered, for tl_canvas_cover. Statuses: OUT_OF_MEMORY. */
talus_status tl_canvas_mask(talus_context *context, int32_t width, int32_t height,
                            tl_canvas **canvas);
/* Completes the file, if it is one, and frees the canvas in every case. Statuses: FILE_WRITE,
 * OUT_OF_MEMORY: there is no file then. */
talus_status tl_canvas_end(tl_canvas *canvas);
/* Frees the canvas, without a file. Accepts NULL. */
void tl_canvas_abandon(tl_canvas *canvas);

/* A copy of a page in memory. Statuses: OUT_OF_MEMORY. */
talus_status tl_canvas_picture(tl_canvas *canvas, tl_picture *picture);
/* Rows of a mask, from the top, stride bytes apart; 255 is covered. Belongs to the canvas. */
const unsigned char *tl_canvas_cover(tl_canvas *canvas, int32_t *stride);

void tl_canvas_move_to(tl_canvas *canvas, double x, double y);
void tl_canvas_line_to(tl_canvas *canvas, double x, double y);
/* Draws along the path, with round ends and corners; dashes of these lengths unless dash is 0. */
void tl_canvas_stroke(tl_canvas *canvas, double width, tl_colour colour, double dash, double gap);
/* Fills the path; opacity 0 .. 1. */
void tl_canvas_fill(tl_canvas *canvas, tl_colour colour, double opacity);
void tl_canvas_line(tl_canvas *canvas, double x0, double y0, double x1, double y1, double width,
                    tl_colour colour);
void tl_canvas_rectangle(tl_canvas *canvas, double x, double y, double width, double height,
                         tl_colour colour);
void tl_canvas_dot(tl_canvas *canvas, double x, double y, double diameter, tl_colour colour);
/* Nothing is drawn outside of the rectangle, until tl_canvas_unclip. */
void tl_canvas_clip(tl_canvas *canvas, double x, double y, double width, double height);
void tl_canvas_unclip(tl_canvas *canvas);

/* Text with capitals of the given height, the baseline at y. UTF-8; signs and digits behind ^ are
 * set high up, as in 10^-3; what is no UTF-8 becomes question marks. upward: from below to above,
 * the baseline at x. */
void tl_canvas_text(tl_canvas *canvas, double x, double y, double height, bool upward,
                    tl_align align, const char *text, tl_colour colour);
double tl_canvas_text_width(tl_canvas *canvas, double height, const char *text);

#endif
