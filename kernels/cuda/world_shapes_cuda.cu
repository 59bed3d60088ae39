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

/* shapes NULL: what they point to is only counted. */
void shapes_put(layout *to, const tl_geometry *const *geometry, int32_t count,
                tl_geometry *shapes) {
  for (int32_t i = 0; i < count; i++) {
    tl_geometry copy = *geometry[i];
    copy.hull = copy.kind == TALUS_SHAPE_HULL ? hull_put(to, copy.hull) : NULL;
    copy.mesh = copy.kind == TALUS_SHAPE_MESH ? mesh_put(to, copy.mesh) : NULL;
    if (shapes != NULL) {
      shapes[i] = copy;
    }
  }
}

/* Bytes of what they point to. */
size_t pointed_bytes(const tl_geometry *const *geometry, int32_t count) {
  layout size = {NULL, NULL, 0};
  shapes_put(&size, geometry, count, NULL);
  return size.used;
}

/* Shapes from `first` on: the array of geometries stands at the head, what they point to behind
 * what is there. */
talus_status shapes_send(tl_resident *resident, const tl_geometry *const *geometry, int32_t first,
                         size_t pointed) {
  tl_cuda_device *const device = resident->device;
  const int32_t count = resident->view.shape_count - first;
  const size_t array = (size_t)count * sizeof(tl_geometry);
  char *const base = (char *)resident->geometry.memory;
  void *memory;
  TL_TRY(tl_alloc(device->context, &memory, array + pointed, 1, "geometries of shapes"));
  memset(memory, 0, array + pointed);
  layout room = {(char *)memory + array, base + resident->geometry_used, 0};
  shapes_put(&room, geometry + first, count, (tl_geometry *)memory);
  talus_status status =
      tl_cuda_send_all(device, memory, base + (size_t)first * sizeof(tl_geometry), array);
  if (status == TALUS_OK) {
    status =
        tl_cuda_send_all(device, (char *)memory + array, base + resident->geometry_used, pointed);
  }
  tl_free(device->context, memory);
  resident->geometry_used += pointed;
  resident->view.geometry = (const tl_geometry *)resident->geometry.memory;
  return status;
}

} // namespace

talus_status tl_world_geometry_load(tl_resident *resident, const tl_geometry *const *geometry) {
  const size_t pointed = pointed_bytes(geometry, resident->view.shape_count);
  const size_t array = (size_t)resident->shape_capacity * sizeof(tl_geometry);
  const size_t head = (array + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  TL_TRY(tl_cuda_reserve(resident->device, &resident->geometry, head + pointed,
                         "geometries of shapes"));
  resident->geometry_room = resident->shape_capacity;
  resident->geometry_used = head;
  return shapes_send(resident, geometry, 0, pointed);
}

talus_status tl_world_geometry_add(tl_resident *resident, const tl_geometry *const *geometry,
                                   int32_t added) {
  const int32_t count = resident->view.shape_count, first = count - added;
  const size_t pointed = pointed_bytes(geometry + first, added);
  if (count > resident->geometry_room ||
      resident->geometry_used + pointed > resident->geometry.capacity) {
    return tl_world_geometry_load(resident, geometry);
  }
  return shapes_send(resident, geometry, first, pointed);
}
