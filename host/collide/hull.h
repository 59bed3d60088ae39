/* hull.h: building of convex polyhedra from points. */
#ifndef TL_HULL_H
#define TL_HULL_H

#include "host/collide/collide.h"

/* The hull of the points: corners only, faces that lie in one plane made one polygon. Points closer
 * to a face than 1e-9 of the extent may be left out; faces are joined where they are flat to 1e-7
 * of it, their planes touching the hull from outside. Statuses: BAD_SETTING (the points are too
 * few, or lie in a plane), NOT_FINITE, OUT_OF_MEMORY. */
talus_status tl_hull_create(talus_context *context, const double *point, int32_t point_count,
                            tl_hull **hull);
void tl_hull_destroy(talus_context *context, tl_hull *hull); /* accepts NULL, half-built */

/* hull_words.c: a hull as words of 8 bytes, for messages: how many, written, and made of them, bit
 * for bit. Status: OUT_OF_MEMORY. */
int64_t tl_hull_words(const tl_hull *hull);
int64_t tl_hull_packed_words(const uint64_t *words);
void tl_hull_pack(const tl_hull *hull, uint64_t *words);
talus_status tl_hull_unpack(talus_context *context, const uint64_t *words, tl_hull **hull);

/* Radius of the largest ball inside, to about a percent from below. */
double tl_hull_inner_radius(const tl_hull *hull);

#endif
