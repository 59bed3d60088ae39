/* picture.c: the raster image: blending, rectangles, balls, lines, PNG.
 *
 * Edges are smooth: a pixel is covered by as much as its centre lies inside the outline, counted
 * over the width of one pixel. */
#include "host/view/picture.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "host/io/output_file.h"

#if TL_HAVE_PNG
#include <png.h>
#endif

talus_status tl_picture_create(talus_context *context, int32_t width, int32_t height,
                               tl_picture *picture) {
  void *memory = NULL;
  memset(picture, 0, sizeof *picture);
  picture->context = context;
  TL_TRY(tl_alloc(context, &memory, (size_t)width * 3, (size_t)height, "picture"));
  memset(memory, 255, (size_t)width * 3 * (size_t)height);
  picture->pixel = memory;
  picture->width = width;
  picture->height = height;
  picture->clip[2] = width;
  picture->clip[3] = height;
  return TALUS_OK;
}

void tl_picture_destroy(tl_picture *picture) {
  tl_free(picture->context, picture->pixel);
  picture->pixel = NULL;
}

tl_colour tl_colour_mix(tl_colour a, tl_colour b, double share) {
  const tl_colour mixed = {a.red + share * (b.red - a.red), a.green + share * (b.green - a.green),
                           a.blue + share * (b.blue - a.blue)};
  return mixed;
}

static double clamp(double value, double low, double high) {
  return value < low ? low : value > high ? high : value;
}

static void channel_blend(unsigned char *channel, double value, double cover) {
  const double mixed = *channel + cover * (255.0 * clamp(value, 0.0, 1.0) - *channel);
  *channel = (unsigned char)(mixed + 0.5);
}

static void blend(tl_picture *picture, int32_t x, int32_t y, tl_colour colour, double cover) {
  unsigned char *pixel = picture->pixel + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
  channel_blend(&pixel[0], colour.red, cover);
  channel_blend(&pixel[1], colour.green, cover);
  channel_blend(&pixel[2], colour.blue, cover);
}

/* The pixels of a box that lie inside the picture. */
typedef struct window {
  int32_t left, right, top, bottom;
} window;

static window window_cut(const tl_picture *picture, double x0, double y0, double x1, double y1) {
  window cut;
  cut.left = (int32_t)clamp(floor(x0), picture->clip[0], picture->clip[2]);
  cut.right = (int32_t)clamp(ceil(x1), picture->clip[0], picture->clip[2]);
  cut.top = (int32_t)clamp(floor(y0), picture->clip[1], picture->clip[3]);
  cut.bottom = (int32_t)clamp(ceil(y1), picture->clip[1], picture->clip[3]);
  return cut;
}

void tl_picture_rectangle(tl_picture *picture, double x, double y, double width, double height,
                          tl_colour colour) {
  const window cut = window_cut(picture, x, y, x + width, y + height);
  for (int32_t j = cut.top; j < cut.bottom; j++) {
    const double tall = clamp(fmin(j + 1.0, y + height) - fmax(j, y), 0.0, 1.0);
    for (int32_t i = cut.left; i < cut.right; i++) {
      const double wide = clamp(fmin(i + 1.0, x + width) - fmax(i, x), 0.0, 1.0);
      blend(picture, i, j, colour, wide * tall);
    }
  }
}

void tl_picture_cover(tl_picture *picture, int32_t left, int32_t top, int32_t width, int32_t height,
                      const unsigned char *cover, int32_t stride, tl_colour colour) {
  const window cut = window_cut(picture, left, top, left + width, top + height);
  for (int32_t j = cut.top; j < cut.bottom; j++) {
    const unsigned char *const row = cover + (size_t)(j - top) * (size_t)stride;
    for (int32_t i = cut.left; i < cut.right; i++) {
      blend(picture, i, j, colour, row[i - left] / 255.0);
    }
  }
}

void tl_picture_ball(tl_picture *picture, double x, double y, double radius, tl_colour colour) {
  const tl_colour white = {1.0, 1.0, 1.0}, shade = {0.33, 0.37, 0.45};
  const double rim = fmax(0.8, 0.035 * radius);
  const window cut =
      window_cut(picture, x - radius - 1.0, y - radius - 1.0, x + radius + 1.0, y + radius + 1.0);
  for (int32_t j = cut.top; j < cut.bottom; j++) {
    for (int32_t i = cut.left; i < cut.right; i++) {
      const double dx = i + 0.5 - x, dy = j + 0.5 - y;
      const double distance = sqrt(dx * dx + dy * dy);
      const double cover = clamp(radius + 0.5 - distance, 0.0, 1.0);
      if (cover <= 0.0) {
        continue;
      }
      /* light from the upper left: towards white there, towards the shade at the far edge */
      const double hx = dx / radius + 0.35, hy = dy / radius + 0.4;
      const double away = clamp((hx * hx + hy * hy) / 2.4, 0.0, 1.0);
      tl_colour lit = tl_colour_mix(tl_colour_mix(colour, white, 0.75 * (1.0 - away)), shade,
                                    0.16 * away * away);
      lit = tl_colour_mix(lit, shade, 0.38 * clamp(distance - (radius - rim) + 0.5, 0.0, 1.0));
      blend(picture, i, j, lit, cover);
    }
  }
}

void tl_picture_line(tl_picture *picture, double x0, double y0, double x1, double y1,
                     double thickness, tl_colour colour) {
  const double half = 0.5 * thickness, dx = x1 - x0, dy = y1 - y0;
  const double square = dx * dx + dy * dy;
  const window cut = window_cut(picture, fmin(x0, x1) - half - 1.0, fmin(y0, y1) - half - 1.0,
                                fmax(x0, x1) + half + 1.0, fmax(y0, y1) + half + 1.0);
  for (int32_t j = cut.top; j < cut.bottom; j++) {
    for (int32_t i = cut.left; i < cut.right; i++) {
      const double px = i + 0.5 - x0, py = j + 0.5 - y0;
      const double along = square > 0.0 ? clamp((px * dx + py * dy) / square, 0.0, 1.0) : 0.0;
      const double ex = px - along * dx, ey = py - along * dy;
      const double cover = clamp(half + 0.5 - sqrt(ex * ex + ey * ey), 0.0, fmin(1.0, thickness));
      if (cover > 0.0) {
        blend(picture, i, j, colour, cover);
      }
    }
  }
}

#if TL_HAVE_PNG
talus_status tl_picture_write(const tl_picture *picture, const char *path) {
  tl_output output;
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = (png_uint_32)picture->width;
  image.height = (png_uint_32)picture->height;
  image.format = PNG_FORMAT_RGB;
  TL_TRY(picture->text_status);
  TL_TRY(tl_output_begin(picture->context, path, &output));
  if (!png_image_write_to_stdio(&image, output.stream, 0, picture->pixel, 3 * picture->width,
                                NULL)) {
    tl_output_abandon(&output);
    return tl_fail(picture->context, TALUS_FILE_WRITE, "%s: writing failed: %s", path,
                   image.message);
  }
  return tl_output_commit(&output);
}
#else
talus_status tl_picture_write(const tl_picture *picture, const char *path) {
  return tl_fail(picture->context, TALUS_UNSUPPORTED,
                 "%s: this build of Talus has no libpng and draws no pictures", path);
}
#endif
