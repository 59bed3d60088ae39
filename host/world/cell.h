/* cell.h: a periodic cell: images of bodies across its faces, wrapping, deformation.
 *
 * The edges are the columns of an upper triangular H: (xx 0 0), (xy yy 0), (xz yz zz). The image
 * of a body by the integers m stands at x + H m and moves with v + H' m, H' = L H (Lees and
 * Edwards). Bodies that leave the cell come back on the other side with both changed. An image is
 * a number from -13 to 13, 0 being the body itself and -i the opposite of i. */
#ifndef TL_CELL_H
#define TL_CELL_H

#include "host/world/world.h"

enum { TL_IMAGE_COUNT = 13 };

/* Positions in cell->edge and cell->rate. */
enum { TL_XX, TL_YY, TL_ZZ, TL_XY, TL_XZ, TL_YZ };

/* The integers m of an image. */
void tl_image_steps(int32_t image, double m[3]);

/* H m and L H m of an image: what its position and velocity are ahead of the body's. */
void tl_cell_shift(const tl_cell *cell, int32_t image, double shift[3]);
void tl_cell_drift(const tl_cell *cell, int32_t image, double drift[3]);
/* Subtracts the lattice vector that leaves the shortest way along each edge. */
void tl_cell_nearest(const tl_cell *cell, double way[3]);
/* Distances between opposite faces. */
void tl_cell_heights(const double *edge, double height[3]);
/* The smallest distance between opposite periodic faces; INFINITY where there are none. */
double tl_cell_width(const tl_cell *cell);
/* Of the cell, m3 (m2 in the plane); sides that are not periodic count with their length. */
double tl_cell_volume(const tl_cell *cell);

/* Appends images of the colliders that stand near a face, so that each pair across one is found
 * once: images of free bodies on the positive side alone, of all others on both.
 * world->collider_count becomes their number, `count` included; those beyond `capacity` are not
 * written. Statuses:
 * UNSUPPORTED (a body as large as half the cell, a half-space that leans out of it). */
talus_status tl_cell_images(talus_world *world, int32_t count, int32_t capacity);

/* Mass and centre of mass of all that moves, as it stands in the cell. */
double tl_cell_centre(const talus_world *world, double centre[3]);
/* Gives the bodies the change of the mean motion about their centre of mass, which keeps their
 * momentum, and the cell its new rate. */
void tl_cell_rate_set(talus_world *world, const double *rate);
/* Changes the rates that have a servo after a (sub-)step. */
void tl_cell_follow(talus_world *world, double dt);
/* Slower impacts do not rebound: restitution_speed; where none is given and sides follow a stress,
 * also what that stress gives a grain in two steps. */
double tl_cell_restitution_speed(const talus_world *world);
/* Edges move on by dt; what is outside comes back. */
void tl_cell_move(talus_world *world, double dt);
void tl_cell_wrap(talus_world *world);
/* The stress of a (sub-)step, from the velocities after it and the positions before. */
void tl_cell_measure(talus_world *world, double dt, const double *after);

#endif
