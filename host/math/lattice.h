/* lattice.h: points that repeat themselves: sums of whole multiples of three edges.
 *
 * The edges are the columns of an upper triangular matrix, kept as xx yy zz xy xz yz: (xx 0 0),
 * (xy yy 0), (xz yz zz). `periodic` has a bit for each edge along which space goes on. */
#ifndef TL_LATTICE_H
#define TL_LATTICE_H

#include <stdint.h>

/* The point of m edges, also for a matrix of the same form that is no lattice. */
void tl_lattice_point(const double matrix[6], const double m[3], double point[3]);
/* The multiples of the edges that make a vector. */
void tl_lattice_parts(const double edge[6], const double vector[3], double part[3]);
/* Whole multiples of periodic edges to subtract from a vector, so that what is left lies between
 * -offset and 1 - offset edges. */
void tl_lattice_steps(const double edge[6], uint32_t periodic, const double vector[3],
                      double offset, double m[3]);
/* Subtracts them for the shortest way along each edge. */
void tl_lattice_nearest(const double edge[6], uint32_t periodic, double vector[3]);

#endif
