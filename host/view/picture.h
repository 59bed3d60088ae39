/* picture.h: a small raster image: disks, lines, text, smooth edges, PNG.
 *
 * Positions are in pixels, x to the right, y down, (0, 0) the upper left corner of the image.
 * Whatever lies outside is cut off. Plots and text are drawn by Cairo (canvas.h). */
#ifndef TL_PICTURE_H
#define TL_PICTURE_H

#include "host/base/base.h"

/* sRGB, 0 .. 1. */
typedef struct tl_colour {
  double red, green, blue;
} tl_colour;

typedef struct tl_picture {
  talus_context *context;
  int32_t width, height;
  unsigned char *pixel;     /* [3 width height], rows from the top */
  int32_t clip[4];          /* left, top, right, bottom: nothing is drawn outside; at first all */
  talus_status text_status; /* OUT_OF_MEMORY once a text could not be drawn */
} tl_picture;

/* A white picture. Status: OUT_OF_MEMORY. */
talus_status tl_picture_create(talus_context *context, int32_t width, int32_t height,
                               tl_picture *picture);
void tl_picture_destroy(tl_picture *picture);

/* a + share * (b - a). */
tl_colour tl_colour_mix(tl_colour a, tl_colour b, double share);

void tl_picture_rectangle(tl_picture *picture, double x, double y, double width, double height,
                          tl_colour colour);
/* A ball lit from the upper left: lighter inside, a thin darker rim. */
void tl_picture_ball(tl_picture *picture, double x, double y, double radius, tl_colour colour);
/* A line with round ends; length 0 makes a disk. */
void tl_picture_line(tl_picture *picture, double x0, double y0, double x1, double y1,
                     double thickness, tl_colour colour);

/* Mixes a colour in where a mask says how far it covers, 0 .. 255; rows are stride bytes apart. */
void tl_picture_cover(tl_picture *picture, int32_t left, int32_t top, int32_t width, int32_t height,
                      const unsigned char *cover, int32_t stride, tl_colour colour);

/* NULL, or why text cannot be drawn (there is no Cairo): it takes no room then. */
const char *tl_text_missing(void);
/* Text as tl_canvas_text sets it, capitals of the given height, the baseline at y. Returns the x
 * where it ends. tl_text_width is what tl_picture_text would advance by. A failure is kept in
 * text_status, and told by tl_picture_write. */
double tl_picture_text(tl_picture *picture, double x, double y, double height, const char *text,
                       tl_colour colour);
double tl_text_width(tl_picture *picture, double height, const char *text);
/* The same from below to above, for the labels of vertical axes; the baseline at x. */
void tl_picture_text_upward(tl_picture *picture, double x, double y, double height,
                            const char *text, tl_colour colour);

/* Writes a PNG, whole or not at all. Statuses: FILE_WRITE, OUT_OF_MEMORY, UNSUPPORTED (built
 * without libpng). */
talus_status tl_picture_write(const tl_picture *picture, const char *path);

#endif
