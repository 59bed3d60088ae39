/* gjk.h: the distance of two solids that are apart. */
#ifndef TL_GJK_H
#define TL_GJK_H

#include "host/collide/narrow_solid.h"

/* Returns false if the solids overlap or touch so closely that no direction can be told. start: a
 * guess of the direction from a to b. enough: solids that are farther apart need no exact answer;
 * the direction from on_a to on_b then separates them by more than that. Polyhedra are exact to
 * rounding, the normals of cylinders to about 1e-6. */
bool tl_gjk_distance(const tl_solid *a, const tl_solid *b, const tl_pose *place,
                     const double start[3], double enough, tl_closest *closest);

#endif
