/* plot.h: curves and points over axes, as a picture.
 *
 * Ticks stand at round numbers; ends of the axes are rounded outward unless they are given. Values
 * that are not finite, and those <= 0 on a logarithmic axis, are left out: curves have a gap there.
 * The seventh curve and those after it have the colours of the first six again, and are dashed. */
#ifndef TL_PLOT_H
#define TL_PLOT_H

#include "host/io/csv.h"
#include "host/view/picture.h"

typedef enum tl_plot_style {
  TL_PLOT_LINE = 0,
  TL_PLOT_POINTS = 1, /* scatter */
  TL_PLOT_BOTH = 2
} tl_plot_style;

typedef struct tl_plot_series {
  const double *x, *y; /* [count] */
  int64_t count;
  const char *label; /* in the legend; NULL or "": none */
  tl_plot_style style;
} tl_plot_series;

typedef struct tl_plot_options {
  int32_t width, height;         /* pixels, 64 .. 16384; default 1000 x 700 */
  const char *title;             /* NULL (default): none */
  const char *x_label, *y_label; /* with units, as in "time [s]"; NULL: none */
  int32_t log_x, log_y;
  double x_low, x_high, y_low, y_high; /* low >= high (default): as the values need */
  int32_t legend; /* of series with labels; 1 (default): where it hides least, 2: beside the
                     curves, 0: none */
} tl_plot_options;

tl_plot_options tl_plot_options_default(void);

/* Draws. Statuses: BAD_SETTING (a size, a range, or a logarithmic axis without a positive value;
 * the message says which), OUT_OF_MEMORY. The picture is the caller's; on failure there is none. */
talus_status tl_plot(talus_context *context, const tl_plot_series *series, int32_t count,
                     const tl_plot_options *options, tl_picture *picture);
/* The same to a PNG file. Statuses also: FILE_WRITE, UNSUPPORTED (built without libpng). */
talus_status tl_plot_file(talus_context *context, const tl_plot_series *series, int32_t count,
                          const tl_plot_options *options, const char *path);

/* Columns of a table over another one, by their names; labels and units are the table's where the
 * options give none. Statuses also: BAD_SETTING (no such column: the message lists those there). */
talus_status tl_plot_columns(talus_context *context, const tl_table *table, const char *x,
                             const char *const *y, int32_t y_count, tl_plot_style style,
                             const tl_plot_options *options, const char *path);

#endif
