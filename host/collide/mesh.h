/* mesh.h: triangles with a tree of boxes and, per point, the triangles around it.
 *
 * Points that lie on each other to the bit count as one. Both sides of a triangle are solid walls:
 * a drum may be given with its faces turned either way. */
#ifndef TL_MESH_H
#define TL_MESH_H

#include "host/collide/collide.h"

/* Nodes stand in the order of a walk through the tree: the children of a node follow it; `skip`
 * is the node to go on with if a box is missed. Leaves hold triangles order[first ..]. */
typedef struct tl_mesh_node {
  tl_box box;
  int32_t skip, first, count; /* count = 0: not a leaf */
} tl_mesh_node;

struct tl_mesh {
  int32_t point_count, triangle_count, node_count;
  int32_t closed;
  double *point;       /* [3 point_count] */
  int32_t *triangle;   /* [3 triangle_count] */
  double *normal;      /* [3 triangle_count] unit */
  int32_t *ring_first; /* [point_count + 1] into ring */
  int32_t *ring;       /* triangles around each point */
  int32_t *order;      /* triangles as the leaves hold them */
  tl_mesh_node *node;
};

talus_status tl_mesh_create(talus_context *context, const double *point, int32_t point_count,
                            const int32_t *triangle, int32_t triangle_count, tl_mesh **mesh);
void tl_mesh_destroy(talus_context *context, tl_mesh *mesh); /* accepts NULL, half-built */

static inline tl_box tl_mesh_box(const tl_mesh *mesh) {
  return mesh->node[0].box;
}

/* Fills node and order; the triangles are known. */
talus_status tl_mesh_tree(talus_context *context, tl_mesh *mesh);

/* Whether every edge belongs to two triangles that run through it in opposite directions. */
bool tl_mesh_is_closed(const tl_mesh *mesh);

/* The leaves a box meets: tl_mesh_next gives the next triangle, or -1. */
typedef struct tl_mesh_walk {
  const tl_mesh *mesh;
  tl_box box;
  int32_t node, leaf, position;
} tl_mesh_walk;
tl_mesh_walk tl_mesh_walk_begin(const tl_mesh *mesh, const tl_box *box);
int32_t tl_mesh_next(tl_mesh_walk *walk);

/* Whether a triangle's corners `corner[0 .. count)` (numbers 0 to 2; one: a point, two: an edge)
 * are locally the farthest of the mesh in the unit direction: only then can a contact there have
 * this normal. Otherwise a neighbour is nearer and has the contact. Always so for three. */
bool tl_mesh_is_peak(const tl_mesh *mesh, int32_t triangle, const int *corner, int count,
                     const double direction[3]);

#endif
