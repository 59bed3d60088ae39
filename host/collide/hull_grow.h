/* hull_grow.h: triangles around points, as hull_grow.c makes them for hull.c. */
#ifndef TL_HULL_GROW_H
#define TL_HULL_GROW_H

#include "host/base/base.h"

typedef struct tl_facet {
  int32_t point[3]; /* counter-clockwise seen from outside */
  int32_t next[3];  /* facet across the edge from point k to point k + 1 */
  double
      plane[4]; /* outward unit normal and offset; facets in one plane share that of the largest */
  double area;  /* twice */
  double breadth;  /* area of the facet whose plane it is */
  int32_t outside; /* first of the points seen by this facet, or -1 */
  int32_t alive, seen;
} tl_facet;

typedef struct tl_growth {
  talus_context *context;
  const double *point; /* [3 point_count], given about their middle */
  int32_t point_count;
  double extent; /* longest side of their box */
  double near;   /* points closer to a facet than this are not outside */
  double flat;   /* closer than this they lie in its plane */
  int32_t facet_capacity, facet_count, free_count;
  tl_facet *facet; /* facet_count, those not alive are gaps */
  int32_t *free;   /* numbers of gaps */
  int32_t *link;   /* per point: the next one outside the same facet */
  int32_t *rim;    /* per point: the new facet that begins there */
  int32_t *stack;  /* facets seen from the new point */
} tl_growth;

/* Allocates for the points. tl_growth_release is due in every case. */
talus_status tl_growth_begin(talus_context *context, tl_growth *growth, const double *point,
                             int32_t point_count);
void tl_growth_release(tl_growth *growth);

typedef enum tl_growth_result {
  TL_GROWTH_DONE = 0,
  TL_GROWTH_FLAT,    /* all points in a plane, on a line, at a point */
  TL_GROWTH_CONFUSED /* rounding led to a surface with a knot: try another `near` */
} tl_growth_result;

/* Grows the surface from nothing. near: relative to the extent. */
tl_growth_result tl_growth_run(tl_growth *growth, double near);

#endif
