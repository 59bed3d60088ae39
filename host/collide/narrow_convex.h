/* narrow_convex.h: contact points of two solids; what narrow_convex.c does for narrow_mesh.c. */
#ifndef TL_NARROW_CONVEX_H
#define TL_NARROW_CONVEX_H

#include "host/collide/clip.h"
#include "host/collide/narrow.h"

/* search: a, b, place, mesh and triangle are set; the rest is found. */
void tl_narrow_solids(tl_axis_search *search, double margin, tl_manifold *manifold);
/* Adds a manifold in the frame of query->a. */
talus_status tl_narrow_report(const tl_pair_query *query, const tl_axis_search *search,
                              tl_manifold *manifold);

#endif
