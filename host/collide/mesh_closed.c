/* mesh_closed.c: whether a mesh has holes. */
#include "host/collide/mesh.h"
#include "kernels/item/collide/mesh_edge.h"

/* How often triangles run along the edge from u to v in this direction. */
static int count_runs(const tl_mesh *mesh, int32_t u, int32_t v) {
  const int32_t at = tl_mesh_smaller_ring(mesh, u, v);
  int runs = 0;
  for (int32_t k = mesh->ring_first[at]; k < mesh->ring_first[at + 1]; k++) {
    const int32_t *const t = mesh->triangle + 3 * mesh->ring[k];
    for (int i = 0; i < 3; i++) {
      runs += t[i] == u && t[(i + 1) % 3] == v;
    }
  }
  return runs;
}

bool tl_mesh_is_closed(const tl_mesh *mesh) {
  for (int32_t k = 0; k < mesh->triangle_count; k++) {
    const int32_t *const t = mesh->triangle + 3 * k;
    for (int i = 0; i < 3; i++) {
      const int32_t u = t[i], v = t[(i + 1) % 3];
      if (count_runs(mesh, u, v) != 1 || count_runs(mesh, v, u) != 1) {
        return false;
      }
    }
  }
  return true;
}
