/* plot_axis.h: round numbers along an axis. */
#ifndef TL_PLOT_AXIS_H
#define TL_PLOT_AXIS_H

#include <stdbool.h>

#include "host/base/base.h"

enum { TL_PLOT_AXIS_TICKS = 64 };

typedef struct tl_plot_axis {
  double low, high; /* what is shown */
  bool logarithmic;
  double step; /* between ticks; of a logarithmic axis in decades, 0: also 2 and 5 */
  int32_t tick_count;
  double tick[TL_PLOT_AXIS_TICKS];
  int32_t minor_count; /* small ticks without numbers */
  double minor[2 * TL_PLOT_AXIS_TICKS];
  int32_t decimals; /* behind the point; < 0: as powers of ten, of a logarithmic axis all of them */
} tl_plot_axis;

/* Ticks at round numbers (1, 2, 5 times a power of ten) within low .. high, about `wanted` of them.
 * Equal or reversed ends are pulled apart; a logarithmic axis needs low > 0. */
tl_plot_axis tl_plot_axis_make(double low, double high, bool logarithmic, int32_t wanted);
/* As tl_plot_axis_make, the ends moved outward to the next tick. */
tl_plot_axis tl_plot_axis_round(double low, double high, bool logarithmic, int32_t wanted);
/* Where a value lies, 0 at low, 1 at high. */
double tl_plot_axis_share(const tl_plot_axis *axis, double value);
/* The words for a tick, in UTF-8 with the minus sign: "0.25", "3×10^−4", "10^−3". */
void tl_plot_axis_words(const tl_plot_axis *axis, int32_t tick, char *words, size_t room);

#endif
