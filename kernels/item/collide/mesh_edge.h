/* mesh_edge.h: what a mesh looks like around its edges and points.
 *
 * A contact at an edge or point is real only if the mesh falls off to all sides of it, seen along
 * the normal. On flat and hollow edges it does not: there a neighbouring face is nearer, and a
 * contact with the edge would be a bump that is not there. */
#ifndef TL_ITEM_MESH_EDGE_H
#define TL_ITEM_MESH_EDGE_H

#include "kernels/item/collide/geometry.h"

/* Of two points, the one with fewer triangles around it. */
TL_ITEM_LARGE int32_t tl_mesh_smaller_ring(const tl_mesh *mesh, int32_t u, int32_t v) {
  const int32_t *const first = mesh->ring_first;
  return first[u + 1] - first[u] <= first[v + 1] - first[v] ? u : v;
}

/* Does the mesh rise from point u towards point w? */
TL_ITEM_LARGE bool tl_mesh_rises(const tl_mesh *mesh, int32_t u, int32_t w,
                                 const double direction[3]) {
  double along[3];
  tl_sub3(along, mesh->point + 3 * w, mesh->point + 3 * u);
  const double up = tl_dot3(along, direction);
  return up > 0 && up * up > 1e-12 * tl_dot3(along, along);
}

/* Whether a triangle's corners `corner[0 .. count)` (numbers 0 to 2; one: a point, two: an edge)
 * are locally the farthest of the mesh in the unit direction: only then can a contact there have
 * this normal. Otherwise a neighbour is nearer and has the contact. Always so for three. */
TL_ITEM_LARGE bool tl_mesh_is_peak(const tl_mesh *mesh, int32_t triangle, const int *corner,
                                   int count, const double direction[3]) {
  if (count >= 3) {
    return true;
  }
  const int32_t *const own = mesh->triangle + 3 * triangle;
  const int32_t u = own[corner[0]], v = count == 2 ? own[corner[1]] : -1;
  const int32_t at = count == 2 ? tl_mesh_smaller_ring(mesh, u, v) : u;
  for (int32_t k = mesh->ring_first[at]; k < mesh->ring_first[at + 1]; k++) {
    const int32_t *const t = mesh->triangle + 3 * mesh->ring[k];
    const bool along_edge = count == 2 && (t[0] == u || t[1] == u || t[2] == u) &&
                            (t[0] == v || t[1] == v || t[2] == v);
    if (count == 2 && !along_edge) {
      continue;
    }
    for (int i = 0; i < 3; i++) {
      if (t[i] != u && t[i] != v && tl_mesh_rises(mesh, u, t[i], direction)) {
        return false;
      }
    }
  }
  return true;
}

#endif
