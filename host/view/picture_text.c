/* picture_text.c: text on a raster picture, by way of a mask that Cairo fills; see picture.h. */
#include <math.h>

#include "host/view/canvas.h"

/* NULL where there is no Cairo, which is no failure, or no memory. */
static tl_canvas *mask_make(tl_picture *picture, int32_t width, int32_t height) {
  tl_canvas *canvas;
  const talus_status status = tl_canvas_mask(picture->context, width, height, &canvas);
  if (status == TALUS_OUT_OF_MEMORY) {
    picture->text_status = status;
  }
  return canvas;
}

double tl_text_width(tl_picture *picture, double height, const char *text) {
  tl_canvas *const canvas = mask_make(picture, 1, 1);
  if (canvas == NULL) {
    return 0.0;
  }
  const double width = tl_canvas_text_width(canvas, height, text);
  tl_canvas_abandon(canvas);
  return width;
}

/* x, y: where the baseline begins. The mask has room for what goes below and beside it. */
static double draw(tl_picture *picture, double x, double y, double height, bool upward,
                   const char *text, tl_colour colour) {
  const double length = tl_text_width(picture, height, text), room = height + 2.0;
  const double along = fmin(length + 2.0 * room, 4.0 * (picture->width + picture->height));
  const double across = 3.0 * room;
  const double left = floor(upward ? x - 2.0 * room : x - room);
  const double top = floor(upward ? y + room - along : y - 2.0 * room);
  const int32_t width = (int32_t)ceil(upward ? across : along);
  const int32_t tall = (int32_t)ceil(upward ? along : across);
  int32_t stride;
  tl_canvas *const canvas = mask_make(picture, width + 1, tall + 1);
  if (canvas == NULL) {
    return length;
  }
  tl_canvas_text(canvas, x - left, y - top, height, upward, TL_ALIGN_LEFT, text, colour);
  const unsigned char *const cover = tl_canvas_cover(canvas, &stride);
  tl_picture_cover(picture, (int32_t)left, (int32_t)top, width + 1, tall + 1, cover, stride,
                   colour);
  tl_canvas_abandon(canvas);
  return length;
}

double tl_picture_text(tl_picture *picture, double x, double y, double height, const char *text,
                       tl_colour colour) {
  return x + draw(picture, x, y, height, false, text, colour);
}

void tl_picture_text_upward(tl_picture *picture, double x, double y, double height,
                            const char *text, tl_colour colour) {
  draw(picture, x, y, height, true, text, colour);
}
