/* average.h: the mean of a series of numbers over time, and its error.
 *
 * Numbers of neighbouring times resemble each other, so the plain error would be too small. Blocks
 * of 1, 2, 4 ... neighbours are averaged and the error is taken of the blocks' means (Flyvbjerg and
 * Petersen 1989), as long as there are eight of them; the largest is told. */
#ifndef TL_MEASURE_AVERAGE_H
#define TL_MEASURE_AVERAGE_H

#include <stdint.h>

typedef struct tl_average {
  double mean;
  double error; /* standard error of the mean; NAN if there are fewer than two numbers */
  double least, largest;
  int64_t count; /* numbers that are numbers */
  int64_t block; /* so many neighbours make a block where the error is largest */
} tl_average;

/* value[0], value[stride], ...: count of them, those that are not finite are passed over. scratch:
 * room for count numbers. */
tl_average tl_average_take(const double *value, int64_t count, int64_t stride, double *scratch);

#endif
