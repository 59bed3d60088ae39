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

/* Bytes of the array of geometries, of all shapes that there is room for. */
size_t array_bytes(const tl_resident *resident) {
  const size_t array = (size_t)resident->shape_capacity * sizeof(tl_geometry);
  return (array + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The image of `count` shapes, `first` of which are there already. */
talus_status image_make(tl_cuda_device *device, const tl_geometry *const *geometry, int32_t first,
                        int32_t count, const char *base, tl_world_geometries *g) {
  const size_t array = (size_t)(count - first) * sizeof(tl_geometry);
  TL_TRY(tl_alloc(device->context, &g->image, array + g->pointed, 1, "geometries of shapes"));
  memset(g->image, 0, array + g->pointed);
  layout room = {(char *)g->image + array, base + g->pointed_at, 0};
  shapes_put(&room, geometry + first, count - first, (tl_geometry *)g->image);
  g->array = array;
  g->array_at = (size_t)first * sizeof(tl_geometry);
  return TALUS_OK;
}

talus_status image_send(tl_resident *resident, const tl_world_geometries *g) {
  tl_cuda_device *const device = resident->device;
  char *const base = (char *)resident->geometry.memory, *const image = (char *)g->image;
  TL_TRY(tl_cuda_send_all(device, image, base + g->array_at, g->array));
  return tl_cuda_send_all(device, image + g->array, base + g->pointed_at, g->pointed);
}

} // namespace

talus_status tl_world_geometry_make(tl_resident *resident, const tl_geometry *const *geometry,
                                    int32_t count, int32_t added, tl_world_geometries *g) {
  int32_t first = count - added;
  const tl_cuda_buffer *to = &resident->geometry;
  memset((void *)g, 0, sizeof *g);
  g->pointed = pointed_bytes(geometry + first, added);
  g->pointed_at = resident->geometry_used;
  if (count > resident->geometry_room || g->pointed_at + g->pointed > to->capacity) {
    first = 0;
    g->pointed = pointed_bytes(geometry, count);
    g->pointed_at = array_bytes(resident);
    to = &g->larger;
    TL_TRY(tl_cuda_reserve(resident->device, &g->larger,
                           g->pointed_at + g->pointed + g->pointed / 4, "geometries of shapes"));
  }
  return image_make(resident->device, geometry, first, count, (const char *)to->memory, g);
}

talus_status tl_world_geometry_send(tl_resident *resident, tl_world_geometries *g) {
  if (g->larger.memory != NULL) {
    tl_cuda_release(resident->device, &resident->geometry); /* waits for those who read it */
    resident->geometry = g->larger;
    resident->geometry_room = resident->shape_capacity;
    g->larger.memory = NULL;
  }
  resident->geometry_used = g->pointed_at + g->pointed;
  resident->view.geometry = (const tl_geometry *)resident->geometry.memory;
  return image_send(resident, g);
}

void tl_world_geometry_drop(tl_resident *resident, tl_world_geometries *g) {
  tl_cuda_release(resident->device, &g->larger);
  tl_free(resident->device->context, g->image);
  g->image = NULL;
}

talus_status tl_world_geometry_load(tl_resident *resident, const tl_geometry *const *geometry) {
  tl_cuda_buffer *const to = &resident->geometry;
  const int32_t count = resident->view.shape_count;
  tl_world_geometries g;
  memset((void *)&g, 0, sizeof g);
  g.pointed = pointed_bytes(geometry, count);
  g.pointed_at = array_bytes(resident);
  resident->geometry_room = 0;
  TL_TRY(tl_cuda_reserve(resident->device, to, g.pointed_at + g.pointed, "geometries of shapes"));
  resident->geometry_room = resident->shape_capacity;
  TL_TRY(image_make(resident->device, geometry, 0, count, (const char *)to->memory, &g));
  const talus_status status = tl_world_geometry_send(resident, &g);
  tl_world_geometry_drop(resident, &g);
  return status;
}
