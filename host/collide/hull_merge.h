/* hull_merge.h: polygons from the triangles of a hull. */
#ifndef TL_HULL_MERGE_H
#define TL_HULL_MERGE_H

#include "host/collide/collide.h"
#include "host/collide/hull_grow.h"
#include "host/collide/hull_support.h"

/* Joins facets that are flat to `flat` times the extent into faces and fills the hull's arrays; its
 * points are those of growth moved by `middle`. What comes out depends on which points are corners
 * and which of them bound a face, not on how the face was cut into triangles: corners have the
 * order of the points, each face begins with its lowest, faces are in the order of their corners,
 * and their planes are computed from these. *good: 0 if the faces do not make up a polyhedron, or
 * leave a given point outside by more than a little. Status: OUT_OF_MEMORY. */
talus_status tl_hull_merge(const tl_growth *growth, double flat, const double middle[3],
                           tl_hull *hull, int *good);

/* ---- what the files of it share -------------------------------------------------------------- */

/* One edge of one face, its ends in ascending order. */
typedef struct tl_hull_rim {
  int32_t low, high, face;
} tl_hull_rim;

typedef struct tl_by_area {
  double area;
  int32_t facet;
} tl_by_area;

/* The corners of one face, at `first` of the loops; no two faces have the same first two. */
typedef struct tl_face_loop {
  int32_t corner[2];
  int32_t first, count;
  double normal[3]; /* as long as twice the area */
} tl_face_loop;

typedef struct tl_merge {
  const tl_growth *g;
  double flat; /* a length */
  int32_t face_count, boundary_count;
  int32_t *face;      /* per facet, -1: not taken */
  int32_t *queue;     /* facets */
  int32_t *follows;   /* per point: the next corner of the face being walked */
  int32_t *meet;      /* per point: how many faces meet there */
  int32_t *number;    /* per point: in the hull, -1 not */
  int32_t *seed;      /* per face: its first facet */
  int32_t *corner;    /* loops of the faces, in the order in which they were found */
  tl_face_loop *loop; /* per face */
  tl_by_area *order;
  tl_hull_rim *rim;
} tl_merge;

static inline const double *tl_merge_point(const tl_merge *m, int32_t point) {
  return m->g->point + 3 * (size_t)point;
}

/* Finds the loop of corners of each face, and the faces' order. False: a rim is no simple loop. */
bool tl_merge_loops(tl_merge *m);

/* Fills edges from faces; rim is room for as many as all faces have. False: some edge does not lie
 * between two faces, or Euler's count is not that of a polyhedron. */
bool tl_hull_edges(tl_hull *hull, tl_hull_rim *rim);
/* Moves each plane so that it touches the corners from outside. Status: OUT_OF_MEMORY. */
talus_status tl_hull_fit_planes(talus_context *context, tl_hull *hull);
/* Whether no point is farther out than a corner of a face, along the normal of that face, by more
 * than the tolerance. */
bool tl_hull_covers(const tl_hull *hull, const tl_support *points, double tolerance);

#endif
