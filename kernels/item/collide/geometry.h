/* geometry.h: shapes as the narrow-phase sees them, in their own frame; host/collide builds them.
 *
 * The same structs serve on a device, where their pointers lead into device memory. */
#ifndef TL_ITEM_GEOMETRY_H
#define TL_ITEM_GEOMETRY_H

#include <stdbool.h>

#include "kernels/item/pose.h"
#include "talus/talus_world.h"

/* A convex polyhedron, faces counter-clockwise seen from outside. */
typedef struct tl_hull {
  int32_t point_count, face_count, edge_count;
  double *point;       /* [3 point_count] only the hull's corners */
  int32_t *face_first; /* [face_count + 1] into face_point */
  int32_t *face_point;
  double *face_plane; /* [4 face_count] outward unit normal and offset: n.x = d on the face */
  int32_t *edge;      /* [2 edge_count] points, each edge once */
  int32_t *edge_face; /* [2 edge_count] the two faces that meet there */
} tl_hull;

typedef struct tl_box {
  double lower[3], upper[3];
} tl_box;

/* Nodes stand in the order of a walk through the tree: the children of a node follow it; `skip`
 * is the node to go on with if a box is missed. Leaves hold triangles order[first ..]. */
typedef struct tl_mesh_node {
  tl_box box;
  int32_t skip, first, count; /* count = 0: not a leaf */
} tl_mesh_node;

/* Triangles with a tree of boxes and, per point, the triangles around it. */
typedef struct tl_mesh {
  int32_t point_count, triangle_count, node_count;
  int32_t closed;
  double *point;       /* [3 point_count] */
  int32_t *triangle;   /* [3 triangle_count] */
  double *normal;      /* [3 triangle_count] unit */
  int32_t *ring_first; /* [point_count + 1] into ring */
  int32_t *ring;       /* triangles around each point */
  int32_t *order;      /* triangles as the leaves hold them */
  tl_mesh_node *node;
} tl_mesh;

typedef struct tl_geometry {
  talus_shape_kind kind;
  double radius, half_length, half_edge[3];
  const tl_hull *hull; /* HULL */
  const tl_mesh *mesh; /* MESH */
} tl_geometry;

/* Of the mesh's triangles, in its frame. */
TL_ITEM tl_box tl_mesh_box(const tl_mesh *mesh) {
  return mesh->node[0].box;
}

#endif
