/* plot.h: curves and points over axes, drawn by Cairo: PNG, SVG or PDF.
 *
 * Ticks stand at round numbers; ends of the axes are rounded outward unless they are given. Values
 * that are not finite, and those <= 0 on a logarithmic axis, are left out: curves have a gap there.
 * The seventh curve and those after it have the colours of the first six again, and are dashed. */
#ifndef TL_PLOT_H
#define TL_PLOT_H

#include <stdbool.h>

#include "host/io/table.h"
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
  const double *low, *high; /* [count] or NULL: what the error spans, a band along a line, bars at
                               points; left out where it is not finite */
} tl_plot_series;

typedef enum tl_plot_legend {
  TL_LEGEND_NONE = 0,
  TL_LEGEND_INSIDE = 1, /* where it hides least */
  TL_LEGEND_BESIDE = 2
} tl_plot_legend;

typedef struct tl_plot_options {
  int32_t width, height;         /* pixels, 64 .. 16384; default 1000 x 700 (5 x 3.5 inches) */
  const char *title;             /* NULL (default): none */
  const char *x_label, *y_label; /* with units, as in "time [s]"; NULL: none */
  bool log_x, log_y;
  double x_low, x_high, y_low, y_high; /* low >= high (default): as the values need */
  tl_plot_legend legend;               /* of series with labels; default INSIDE */
} tl_plot_options;

tl_plot_options tl_plot_options_default(void);

/* Draws. Statuses: BAD_SETTING (a size, a range, or a logarithmic axis without a positive value;
 * the message says which), OUT_OF_MEMORY, UNSUPPORTED (there is no Cairo). The picture is the
 * caller's; on failure there is none. */
talus_status tl_plot(talus_context *context, const tl_plot_series *series, int32_t count,
                     const tl_plot_options *options, tl_picture *picture);
/* The same to a file, a PNG, SVG or PDF by its ending. Statuses also: FILE_WRITE, BAD_SETTING
 * (another ending). */
talus_status tl_plot_file(talus_context *context, const tl_plot_series *series, int32_t count,
                          const tl_plot_options *options, const char *path);

/* A table to plot columns of. */
typedef struct tl_plot_run {
  const tl_stored_table *table;
  const char *label; /* of its group, for the legend; NULL: none */
  int32_t group;     /* 0, 1, ... in order; runs of a group may be averaged */
} tl_plot_run;

/* What the band of a group spans, about its mean. */
typedef enum tl_plot_band {
  TL_BAND_NONE = 0,      /* every run has a curve of its own */
  TL_BAND_ERROR = 1,     /* standard error of the mean */
  TL_BAND_DEVIATION = 2, /* standard deviation */
  TL_BAND_RANGE = 3      /* least to greatest */
} tl_plot_band;

/* Columns of tables over another one, by their names; labels and units are the first table's where
 * the options give none. With a band, a curve is the mean over the runs of a group, which are read
 * between their lines at the x of the first of them. Statuses also: BAD_SETTING (no such column:
 * the message lists those there; a mean over an x that does not grow). */
talus_status tl_plot_runs(talus_context *context, const tl_plot_run *run, int32_t run_count,
                          const char *x, const char *const *y, int32_t y_count, tl_plot_style style,
                          tl_plot_band band, const tl_plot_options *options, const char *path);

#endif
