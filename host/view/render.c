/* render.c: pictures of frames: options, colours, the drawing, words; see render.h. */
#include "host/view/render.h"

#include <stdio.h>
#include <string.h>

#include "host/view/image_colour.h"
#include "host/view/render_stage.h"
#include "host/view/render_view.h"

enum { PIXELS = 1 << 26 };

/* ---- words ----------------------------------------------------------------------------------- */

static void print_unit(const tl_render_options *options, const char *kind, char *unit,
                       size_t size) {
  const char *length = options->length_unit, *time = options->time_unit;
  if (kind[0] == '\0') {
    unit[0] = '\0';
  } else if (strcmp(kind, "force/area") == 0) {
    snprintf(unit, size, " [%s/%s²]", options->force_unit, length);
  } else if (strcmp(kind, "length/time") == 0) {
    snprintf(unit, size, " [%s/%s]", length, time);
  } else if (strcmp(kind, "1/time") == 0) {
    snprintf(unit, size, " [rad/%s]", time);
  } else {
    snprintf(unit, size, " [%s]", strcmp(kind, "length") == 0 ? length : options->force_unit);
  }
}

static void draw_words(tl_picture *picture, const tl_frame *frame, const tl_render_options *options,
                       double low, double high) {
  static const char *const label[] = {
#define TL_FIELD_LABEL(name, word, label, unit) label,
      TL_FIELD_LIST(TL_FIELD_LABEL)
#undef TL_FIELD_LABEL
  };
  static const char *const kind[] = {
#define TL_FIELD_UNIT(name, word, label, unit) unit,
      TL_FIELD_LIST(TL_FIELD_UNIT)
#undef TL_FIELD_UNIT
  };
  const tl_colour ink = {0.13, 0.14, 0.17};
  const double height = options->height, text = fmax(8.0, 0.0195 * height);
  char words[160], unit[64];
  if (options->clock && tl_text_missing() == NULL) {
    snprintf(words, sizeof words, "t = %.4g %s", frame->time, options->time_unit);
    const tl_colour page = {1.0, 1.0, 1.0};
    tl_picture_rectangle(picture, 0.9 * text, 0.9 * text,
                         1.4 * text + tl_text_width(picture, text, words), 2.4 * text, page);
    tl_picture_text(picture, 1.6 * text, 2.6 * text, text, words, ink);
  }
  if (tl_view_bar(options)) {
    const bool own = options->label == NULL && options->field < TL_FIELD_COUNT;
    print_unit(options, own ? kind[options->field] : "", unit, sizeof unit);
    snprintf(words, sizeof words, "%s%s", own ? label[options->field] : options->label, unit);
    tl_colour_bar(picture, tl_view_width(options), 0.21 * height, 0.022 * height,
                  TL_BAR_HEIGHT * height, low, high, words);
  }
}

/* ---- entry ----------------------------------------------------------------------------------- */

tl_render_options tl_render_options_default(void) {
  tl_render_options options;
  memset(&options, 0, sizeof options);
  options.width = 1280;
  options.height = 960;
  options.samples = 3;
  options.field = TL_FIELD_SPEED;
  options.azimuth = -58.0;
  options.elevation = 22.0;
  options.bar = options.clock = 1;
  options.zoom = 1;
  options.length_unit = "m";
  options.time_unit = "s";
  options.force_unit = "N";
  return options;
}

static talus_status check_options(talus_context *context, const tl_render_options *options) {
  const char *wrong = NULL;
  const tl_camera *camera = options->camera;
  if (options->width < 16 || options->width > 16384 || options->height < 16 ||
      options->height > 16384 || (int64_t)options->width * options->height > PIXELS) {
    wrong = "width or height";
  } else if (options->samples < 1 || options->samples > 8) {
    wrong = "samples";
  } else if ((unsigned)options->field > TL_FIELD_VALUE ||
             (options->field == TL_FIELD_VALUE && options->label == NULL)) {
    wrong = "field";
  } else if (!isfinite(options->azimuth) || !(fabs(options->elevation) <= 90.0)) {
    wrong = "azimuth or elevation";
  } else if (options->low < options->high && !isfinite(options->high - options->low)) {
    wrong = "low or high";
  } else if (camera != NULL &&
             (camera->orthographic ? !(camera->view_height > 0.0 && isfinite(camera->view_height))
                                   : !(camera->angle > 0.0 && camera->angle < 170.0))) {
    wrong = "camera";
  } else if (options->length_unit == NULL || options->time_unit == NULL ||
             options->force_unit == NULL) {
    wrong = "units";
  }
  return wrong == NULL ? TALUS_OK
                       : tl_fail(context, TALUS_BAD_SETTING, "picture: %s out of range", wrong);
}

static talus_status render(talus_context *context, const tl_frame *frame,
                           const tl_render_options *options, tl_colour *colour,
                           tl_picture *picture) {
  tl_camera camera;
  double low = options->low, high = options->high;
  int32_t map;
  TL_TRY(tl_field_colours(context, frame, options->field, &low, &high, colour, &map));
  if (options->camera != NULL) {
    camera = *options->camera;
  } else {
    TL_TRY(tl_camera_fit(context, &frame, 1, options, &camera));
  }
  if (frame->plane) {
    TL_TRY(tl_render_flat(context, frame, &camera, colour, options->samples,
                          0.5 * tl_view_width(options), picture));
  } else {
    TL_TRY(tl_render_solid(context, frame, &camera, options, colour, picture));
  }
  draw_words(picture, frame, options, low, high);
  return picture->text_status;
}

talus_status tl_render(talus_context *context, const tl_frame *frame,
                       const tl_render_options *options, tl_picture *picture) {
  void *colour = NULL;
  memset(picture, 0, sizeof *picture);
  picture->context = context;
  TL_TRY(check_options(context, options));
  TL_TRY(tl_frame_check(context, frame));
  TL_TRY(tl_alloc(context, &colour, (size_t)frame->body_count, sizeof(tl_colour), "picture"));
  talus_status status = tl_picture_create(context, options->width, options->height, picture);
  if (status == TALUS_OK) {
    status = render(context, frame, options, colour, picture);
  }
  tl_free(context, colour);
  if (status != TALUS_OK) {
    tl_picture_destroy(picture);
  }
  return status;
}

talus_status tl_render_file(talus_context *context, const tl_frame *frame,
                            const tl_render_options *options, const char *path) {
  tl_picture picture;
  TL_TRY(tl_render(context, frame, options, &picture));
  const talus_status status = tl_picture_write(&picture, path);
  tl_picture_destroy(&picture);
  return status;
}
