/* mesh.h: triangles with a tree of boxes and, per point, the triangles around it.
 *
 * Points that lie on each other to the bit count as one. Both sides of a triangle are solid walls:
 * a drum may be given with its faces turned either way. */
#ifndef TL_MESH_H
#define TL_MESH_H

#include "host/collide/collide.h"

talus_status tl_mesh_create(talus_context *context, const double *point, int32_t point_count,
                            const int32_t *triangle, int32_t triangle_count, tl_mesh **mesh);
void tl_mesh_destroy(talus_context *context, tl_mesh *mesh); /* accepts NULL, half-built */

/* Fills node and order; the triangles are known. */
talus_status tl_mesh_tree(talus_context *context, tl_mesh *mesh);

/* Whether every edge belongs to two triangles that run through it in opposite directions. */
bool tl_mesh_is_closed(const tl_mesh *mesh);

#endif
