/* field.h: coarse graining: fields of density, momentum and stress on a grid of points.
 *
 * With W the kernel, about a point x:
 *
 *   density           sum over grains m W(x - x_i)          solid     sum V W(x - x_i)
 *   momentum          sum m v W                             velocity  momentum / density
 *   kinetic stress    sum m v v W - momentum velocity
 *   contact stress    sum over contacts f b mean of W(x - y) for y along the branch b
 *   wall force        sum over contacts with walls f W(x - point): of the wall on the grains
 *
 * so that the balances of mass and momentum hold at every point (Weinhart et al. 2012):
 * d density / dt = - div momentum, and
 * d momentum / dt = - div (sum m v v W + contact stress) + wall force + density gravity.
 * f is the force on b, the branch goes from a to b: positive in compression. Sums over several
 * frames are kept, and divided when they are read, so that kinetic stress is about the mean
 * velocity over all of them. */
#ifndef TL_MEASURE_FIELD_H
#define TL_MEASURE_FIELD_H

#include "host/measure/kernel.h"
#include "host/measure/sample.h"

/* What is summed up at a point. */
enum {
  TL_FIELD_SUM_DENSITY,
  TL_FIELD_SUM_SOLID,
  TL_FIELD_SUM_MOMENTUM,
  TL_FIELD_SUM_FLUX = TL_FIELD_SUM_MOMENTUM + 3, /* m v v: xx xy xz yy yz zz */
  TL_FIELD_SUM_CONTACT = TL_FIELD_SUM_FLUX + 6,  /* f b: nine, row by row */
  TL_FIELD_SUM_WALL = TL_FIELD_SUM_CONTACT + 9,
  TL_FIELD_SUM_COUNT = TL_FIELD_SUM_WALL + 3
};

typedef struct tl_grid {
  talus_context *context;
  tl_kernel kernel;
  tl_pose pose; /* of its frame in the world: tensors and vectors stay in world axes */
  double origin[3], spacing[3];
  int32_t count[3];
  int64_t point_count;
  int32_t frames; /* added so far */
  double *sum;    /* [TL_FIELD_SUM_COUNT point_count] point after point */
  double *table;  /* of the kernel */
} tl_grid;

/* Points from lower to upper, at most `spacing` apart; in a plane world one layer at y = 0.
 * Statuses: SIZE_OVERFLOW (more than 100 million numbers), OUT_OF_MEMORY. */
talus_status tl_grid_create(talus_context *context, const double lower[3], const double upper[3],
                            double spacing, const tl_kernel *kernel, bool plane, tl_grid *grid);
void tl_grid_release(tl_grid *grid);
void tl_grid_clear(tl_grid *grid);
/* Adds the fields of a sample. */
void tl_grid_add(tl_grid *grid, const tl_sample *sample);
/* Sums at one point, of one sample, for tests and probes. */
void tl_field_at(const tl_sample *sample, const tl_kernel *kernel, const double point[3],
                 double sum[TL_FIELD_SUM_COUNT]);

/* Writes the means over the frames as VTK image data: density, packing_fraction, velocity,
 * temperature, kinetic_stress, contact_stress, pressure, wall_force. Where nothing is, velocity and
 * temperature are 0. Statuses: FILE_WRITE, OUT_OF_MEMORY. */
talus_status tl_grid_write(const tl_grid *grid, bool plane, double time, const char *path);

#endif
