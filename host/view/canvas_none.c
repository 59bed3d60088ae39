/* canvas_none.c: what a build without Cairo has instead of plots and of text on pictures. */
#include "host/view/plot.h"

#define MISSING "this build of Talus has no Cairo (Debian: libcairo2-dev)"

const char *tl_text_missing(void) {
  return MISSING;
}

double tl_text_width(tl_picture *picture, double height, const char *text) {
  (void)picture, (void)height, (void)text;
  return 0.0;
}

double tl_picture_text(tl_picture *picture, double x, double y, double height, const char *text,
                       tl_colour colour) {
  (void)picture, (void)y, (void)height, (void)text, (void)colour;
  return x;
}

void tl_picture_text_upward(tl_picture *picture, double x, double y, double height,
                            const char *text, tl_colour colour) {
  (void)picture, (void)x, (void)y, (void)height, (void)text, (void)colour;
}

talus_status tl_plot(talus_context *context, const tl_plot_series *series, int32_t count,
                     const tl_plot_options *options, tl_picture *picture) {
  (void)series, (void)count, (void)options;
  *picture = (tl_picture){.context = context};
  return tl_fail(context, TALUS_UNSUPPORTED, "plot: " MISSING " and draws no plots");
}

talus_status tl_plot_file(talus_context *context, const tl_plot_series *series, int32_t count,
                          const tl_plot_options *options, const char *path) {
  (void)series, (void)count, (void)options;
  return tl_fail(context, TALUS_UNSUPPORTED, "%s: " MISSING " and draws no plots", path);
}
