/* world_shapes_cuda.cu: geometries on their way to the device.
 *
 * All of them, with what they point to, are laid out in one piece of host memory whose pointers are
 * those of its copy on the device, and sent at once. */
#include <string.h>

#include "kernels/cuda/world_cuda.cuh"

namespace {

enum { ALIGNMENT = 16 };

/* Copies go one behind the other; without memory they are only counted. */
struct layout {
  char *memory;       /* on the host */
  const char *device; /* where it will be */
  size_t used;

  /* Returns the address on the device. */
  template <class T> T *put(const T *from, int64_t count) {
    const size_t bytes = (size_t)count * sizeof(T), at = used;
    used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (memory != NULL && bytes > 0) {
      memcpy(memory + at, from, bytes);
    }
    return (T *)(void *)(device + at);
  }
};

const tl_hull *hull_put(layout *to, const tl_hull *hull) {
  tl_hull copy = *hull;
  copy.point = to->put(hull->point, 3 * (int64_t)hull->point_count);
  copy.face_point = to->put(hull->face_point, hull->face_first[hull->face_count]);
  copy.face_first = to->put(hull->face_first, (int64_t)hull->face_count + 1);
  copy.face_plane = to->put(hull->face_plane, 4 * (int64_t)hull->face_count);
  copy.edge = to->put(hull->edge, 2 * (int64_t)hull->edge_count);
  copy.edge_face = to->put(hull->edge_face, 2 * (int64_t)hull->edge_count);
  return to->put(&copy, 1);
}

const tl_mesh *mesh_put(layout *to, const tl_mesh *mesh) {
  tl_mesh copy = *mesh;
  copy.point = to->put(mesh->point, 3 * (int64_t)mesh->point_count);
  copy.triangle = to->put(mesh->triangle, 3 * (int64_t)mesh->triangle_count);
  copy.normal = to->put(mesh->normal, 3 * (int64_t)mesh->triangle_count);
  copy.ring = to->put(mesh->ring, mesh->ring_first[mesh->point_count]);
  copy.ring_first = to->put(mesh->ring_first, (int64_t)mesh->point_count + 1);
  copy.order = to->put(mesh->order, mesh->triangle_count);
  copy.node = to->put(mesh->node, mesh->node_count);
  return to->put(&copy, 1);
}

/* The array of geometries stands first. */
void shapes_put(layout *to, const tl_geometry *const *geometry, int32_t count) {
  tl_geometry *const shapes = (tl_geometry *)(void *)to->memory;
  to->used = ((size_t)count * sizeof *shapes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  for (int32_t i = 0; i < count; i++) {
    tl_geometry copy = *geometry[i];
    copy.hull = copy.kind == TALUS_SHAPE_HULL ? hull_put(to, copy.hull) : NULL;
    copy.mesh = copy.kind == TALUS_SHAPE_MESH ? mesh_put(to, copy.mesh) : NULL;
    if (shapes != NULL) {
      shapes[i] = copy;
    }
  }
}

} // namespace

talus_status tl_world_geometry_load(tl_resident *resident, const tl_geometry *const *geometry) {
  tl_cuda_device *const device = resident->device;
  const int32_t count = resident->view.shape_count;
  layout size = {NULL, NULL, 0};
  void *memory;
  shapes_put(&size, geometry, count);
  TL_TRY(tl_cuda_reserve(device, &resident->geometry, size.used, "geometries of shapes"));
  TL_TRY(tl_alloc(device->context, &memory, size.used, 1, "geometries of shapes"));
  memset(memory, 0, size.used);
  layout room = {(char *)memory, (const char *)resident->geometry.memory, 0};
  shapes_put(&room, geometry, count);
  const talus_status status =
      tl_cuda_send_all(device, memory, resident->geometry.memory, size.used);
  tl_free(device->context, memory);
  resident->view.geometry = (const tl_geometry *)resident->geometry.memory;
  return status;
}
