/* hull_merge.h: polygons from the triangles of a hull. */
#ifndef TL_HULL_MERGE_H
#define TL_HULL_MERGE_H

#include "host/collide/collide.h"
#include "host/collide/hull_grow.h"

/* Joins facets that are flat to `flat` times the extent into faces and fills the hull's arrays; its
 * points are those of growth moved by `middle`. *good: 0 if the faces do not make up a polyhedron,
 * or leave a given point outside by more than a little. Status: OUT_OF_MEMORY. */
talus_status tl_hull_merge(const tl_growth *growth, double flat, const double middle[3],
                           tl_hull *hull, int *good);

/* One edge of one face, its ends in ascending order. */
typedef struct tl_hull_rim {
  int32_t low, high, face;
} tl_hull_rim;

/* Fills edges from faces; rim is room for as many as all faces have. 0 if some edge does not lie
 * between two faces, or Euler's count is not that of a polyhedron. */
int tl_hull_edges(tl_hull *hull, tl_hull_rim *rim);
/* Moves each plane so that it touches the corners from outside. */
void tl_hull_touch(tl_hull *hull);
/* The same, and 0 if a corner of a face is farther inside its plane than the tolerance, or one of
 * the points farther outside. */
int tl_hull_planes(tl_hull *hull, const double *point, int32_t point_count, double tolerance);

#endif
