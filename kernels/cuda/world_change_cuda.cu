/* world_change_cuda.cu: what a caller has changed between steps: bodies and shapes that were
 * removed leave no gaps, and take their contacts with them; what was added stands at the end; what
 * was set is written where it stands. Only that crosses the bus. */
#include <string.h>

#include "kernels/cuda/world_cuda.cuh"

namespace {

/* Slots that are gaps, ascending. */
struct gaps {
  const int32_t *slot;
  int32_t count;
};

/* The change in device memory. */
struct arrived {
  gaps bodies, shapes;
  const int32_t *moved, *fact_body, *changed_shape;
  const tl_body_motion *motion;
  const tl_body_fact *fact;
  const double *inverse_mass, *inverse_inertia;
  const tl_shape_fact *shape;
};

/* How many gaps are below a slot. */
__device__ __forceinline__ int32_t gaps_below(const gaps &g, int32_t slot) {
  int32_t low = 0, high = g.count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (g.slot[middle] < slot) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

__device__ __forceinline__ bool is_gap(const gaps &g, int32_t slot) {
  const int32_t below = gaps_below(g, slot);
  return below < g.count && g.slot[below] == slot;
}

/* Where what stands in a slot now stood before: as many slots on as gaps that are not behind it. */
__device__ __forceinline__ int32_t slot_before(const gaps &g, int32_t now) {
  int32_t low = 0, high = g.count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (g.slot[middle] - middle <= now) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return now + low;
}

/* Items of `words` doubles, without the gaps. */
__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    items_close_kernel(const double *from, double *to, const int64_t count, const int words,
                       const gaps g) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count * words) {
    to[i] = from[(int64_t)slot_before(g, (int32_t)(i / words)) * words + i % words];
  }
}

/* Items go to their slots. */
__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    items_set_kernel(const double *from, const int32_t *slot, const int64_t count, const int words,
                     double *to) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count * words) {
    to[(int64_t)slot[i / words] * words + i % words] = from[i];
  }
}

/* Bodies name shapes, shapes name bodies. */
__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    names_change_kernel(tl_body_fact *fact, const int32_t body_count, tl_shape_fact *shape,
                        const int32_t shape_count, const gaps bodies, const gaps shapes) {
  const int32_t i = tl_world_item();
  if (i < body_count && fact[i].shape >= 0) {
    fact[i].shape -= gaps_below(shapes, fact[i].shape);
  }
  if (i < shape_count) {
    shape[i].body -= gaps_below(bodies, shape[i].body);
  }
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    contacts_stay_kernel(const tl_resident_contacts old, const gaps shapes, uint32_t *stays) {
  const int32_t k = tl_world_item();
  if (k < old.count) {
    stays[k] = !is_gap(shapes, old.shape_a[k]) && !is_gap(shapes, old.shape_b[k]);
  }
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    contacts_close_kernel(const tl_resident_contacts old, const tl_resident_contacts now,
                          const gaps bodies, const gaps shapes, const uint32_t *stays,
                          const uint32_t *place, tl_resident_record *record) {
  const int32_t k = tl_world_item();
  if (k >= old.count) {
    return;
  }
  if (k == old.count - 1) {
    record->contact_count = (int32_t)(place[k] + stays[k]);
  }
  if (!stays[k]) {
    return;
  }
  const int64_t to = place[k];
#define TL_FIELD(type, name, components)                                     \
  for (int c = 0; c < (components); c++) {                                   \
    now.name[(components)*to + c] = old.name[(components) * (int64_t)k + c]; \
  }
  TL_RESIDENT_LIST(TL_FIELD)
#undef TL_FIELD
  now.shape_a[to] -= gaps_below(shapes, now.shape_a[to]);
  now.shape_b[to] -= gaps_below(shapes, now.shape_b[to]);
  now.body_a[to] -= gaps_below(bodies, now.body_a[to]);
  now.body_b[to] -= gaps_below(bodies, now.body_b[to]);
}

/* ---- on its way to the device ---------------------------------------------------------------- */

enum { ALIGNMENT = 16 };

template <class T>
void piece_put(char *image, const char *there, size_t *used, const T **to, const T *from,
               int64_t count) {
  const size_t bytes = (size_t)count * sizeof(T);
  if (image != NULL) {
    *to = (const T *)(const void *)(there + *used);
    if (bytes > 0) {
      memcpy(image + *used, from, bytes);
    }
  }
  *used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* image NULL: it is only counted. */
size_t change_put(const tl_resident_change *c, char *image, const char *there, arrived *a) {
  size_t used = 0;
  piece_put(image, there, &used, &a->bodies.slot, c->removed_body, c->removed_bodies);
  piece_put(image, there, &used, &a->shapes.slot, c->removed_shape, c->removed_shapes);
  piece_put(image, there, &used, &a->moved, c->moved, c->moved_count);
  piece_put(image, there, &used, &a->motion, c->motion, c->moved_count);
  piece_put(image, there, &used, &a->fact_body, c->fact_body, c->fact_count);
  piece_put(image, there, &used, &a->fact, c->fact, c->fact_count);
  piece_put(image, there, &used, &a->inverse_mass, c->inverse_mass, c->fact_count);
  piece_put(image, there, &used, &a->inverse_inertia, c->inverse_inertia,
            6 * (int64_t)c->fact_count);
  piece_put(image, there, &used, &a->changed_shape, c->changed_shape, c->changed_shapes);
  piece_put(image, there, &used, &a->shape, c->shape, c->changed_shapes);
  return used;
}

talus_status change_send(tl_resident *resident, const tl_resident_change *c, arrived *a) {
  tl_cuda_device *const device = resident->device;
  memset((void *)a, 0, sizeof *a);
  a->bodies.count = c->removed_bodies;
  a->shapes.count = c->removed_shapes;
  const size_t bytes = change_put(c, NULL, NULL, a);
  TL_TRY(tl_cuda_reserve(device, &resident->changes, bytes, "changes of the world"));
  TL_TRY(tl_buffer_reserve(device->context, &device->image, bytes + 1, 1, "changes of the world"));
  char *const image = (char *)device->image.memory;
  memset(image, 0, bytes);
  change_put(c, image, (const char *)resident->changes.memory, a);
  return tl_cuda_send_all(device, image, resident->changes.memory, bytes);
}

/* ---- gaps ------------------------------------------------------------------------------------ */

/* Through memory that nobody needs between steps. */
template <class T>
talus_status array_close(tl_resident *resident, const T *array, int components, int64_t count,
                         const gaps &g, void *room) {
  tl_cuda_device *const device = resident->device;
  const int words = components * (int)(sizeof(T) / sizeof(double));
  static_assert(sizeof(T) % sizeof(double) == 0, "items are copied by doubles");
  TL_WORLD_LAUNCH(device, count * words, items_close_kernel, (const double *)(const void *)array,
                  (double *)room, count, words, g);
  return count > 0 ? tl_cuda_copy(device, (void *)array, room,
                                  (size_t)count * (size_t)words * sizeof(double),
                                  cudaMemcpyDeviceToDevice)
                   : TALUS_OK;
}

/* Contacts of removed shapes go; waits for the number of the others. */
talus_status contacts_close(tl_resident *resident, const arrived *a) {
  tl_cuda_device *const device = resident->device;
  tl_world_view *const v = &resident->view;
  const int64_t count = v->old.count;
  size_t bytes = 0;
  if (count == 0) {
    return TALUS_OK;
  }
  const size_t list = (size_t)(count + 63) / 64 * 64 * sizeof(uint32_t);
  TL_CUDA_TRY(device, tl_cuda_exclusive_scan(NULL, NULL, count, NULL, &bytes, device->stream));
  TL_TRY(tl_cuda_reserve(device, &resident->scratch, 2 * list + bytes, "numbering contacts"));
  char *const room = (char *)resident->scratch.memory;
  uint32_t *const stays = (uint32_t *)(void *)room, *const place =
                                                        (uint32_t *)(void *)(room + list);
  TL_WORLD_LAUNCH(device, count, contacts_stay_kernel, v->old, a->shapes, stays);
  TL_CUDA_RUN(device,
              tl_cuda_exclusive_scan(stays, place, count, room + 2 * list, &bytes, device->stream));
  TL_WORLD_LAUNCH(device, count, contacts_close_kernel, v->old, v->now, a->bodies, a->shapes,
                  (const uint32_t *)stays, (const uint32_t *)place, v->record);
  TL_TRY(tl_cuda_fetch_all(device, &v->record->contact_count, &v->now.count, sizeof v->now.count));
  tl_world_contacts_swap(resident);
  return TALUS_OK;
}

talus_status gaps_close(tl_resident *resident, const arrived *a) {
  tl_world_view *const v = &resident->view;
  const int64_t bodies = v->body_count - a->bodies.count, shapes = v->shape_count - a->shapes.count;
  TL_TRY(contacts_close(resident, a));
  TL_TRY(array_close(resident, v->motion, 1, bodies, a->bodies, v->before));
  TL_TRY(array_close(resident, v->fact, 1, bodies, a->bodies, v->before));
  TL_TRY(array_close(resident, resident->inverse_mass, 1, bodies, a->bodies, v->before));
  TL_TRY(array_close(resident, resident->inverse_inertia, 6, bodies, a->bodies, v->before));
  TL_TRY(array_close(resident, v->shape, 1, shapes, a->shapes, v->place));
  if (resident->general) {
    TL_TRY(array_close(resident, v->geometry, 1, shapes, a->shapes, v->place));
  }
  TL_WORLD_LAUNCH(resident->device, bodies > shapes ? bodies : shapes, names_change_kernel,
                  (tl_body_fact *)v->fact, (int32_t)bodies, (tl_shape_fact *)v->shape,
                  (int32_t)shapes, a->bodies, a->shapes);
  v->body_count = (int32_t)bodies;
  v->shape_count = (int32_t)shapes;
  return TALUS_OK;
}

/* before, free, after and moved lie one behind the other, as do place and room. */
static_assert(sizeof(tl_body_fact) <= 4 * 6 * sizeof(double), "room for facts");
static_assert(sizeof(tl_body_motion) <= 4 * 6 * sizeof(double), "room for motions");
static_assert(sizeof(tl_shape_fact) <= 2 * sizeof(tl_shape_place), "room for shapes");
static_assert(sizeof(tl_geometry) <= 2 * sizeof(tl_shape_place), "room for geometries");

/* ---- what was set ---------------------------------------------------------------------------- */

template <class T>
talus_status items_set(tl_resident *resident, const T *from, const int32_t *slot, int64_t count,
                       int components, const T *to) {
  const int words = components * (int)(sizeof(T) / sizeof(double));
  static_assert(sizeof(T) % sizeof(double) == 0, "items are copied by doubles");
  TL_WORLD_LAUNCH(resident->device, count * words, items_set_kernel,
                  (const double *)(const void *)from, slot, count, words,
                  (double *)(void *)const_cast<T *>(to));
  return TALUS_OK;
}

talus_status parts_set(tl_resident *resident, const tl_resident_change *c, const arrived *a) {
  const tl_world_view *const v = &resident->view;
  TL_TRY(items_set(resident, a->motion, a->moved, c->moved_count, 1, v->motion));
  TL_TRY(items_set(resident, a->fact, a->fact_body, c->fact_count, 1, v->fact));
  TL_TRY(
      items_set(resident, a->inverse_mass, a->fact_body, c->fact_count, 1, resident->inverse_mass));
  TL_TRY(items_set(resident, a->inverse_inertia, a->fact_body, c->fact_count, 6,
                   resident->inverse_inertia));
  return items_set(resident, a->shape, a->changed_shape, c->changed_shapes, 1, v->shape);
}

/* All memory that a change takes. */
talus_status room_make(tl_resident *resident, const tl_resident_change *c,
                       tl_world_geometries *added) {
  TL_TRY(tl_world_bodies_reserve(resident, c->body_count));
  TL_TRY(tl_world_shapes_reserve(resident, c->shape_count));
  if (c->friction != NULL) {
    TL_TRY(tl_world_materials_reserve(resident, c->material_count));
  }
  return resident->general && c->added_shapes > 0
             ? tl_world_geometry_make(resident, c->geometry, c->shape_count, c->added_shapes, added)
             : TALUS_OK;
}

/* Removals, then what was added or set. */
talus_status change_make(tl_resident *resident, const tl_resident_change *c, const arrived *a,
                         tl_world_geometries *added) {
  tl_world_view *const v = &resident->view;
  if (c->removed_bodies > 0 || c->removed_shapes > 0) {
    TL_TRY(gaps_close(resident, a));
  }
  v->body_count = c->body_count;
  v->shape_count = c->shape_count;
  if (added->image != NULL) {
    TL_TRY(tl_world_geometry_send(resident, added));
  }
  TL_TRY(parts_set(resident, c, a));
  return c->friction != NULL ? tl_world_materials_send(resident, c->material_count, c->friction,
                                                       c->restitution, c->spring)
                             : TALUS_OK;
}

} // namespace

/* Memory is taken before anything is changed: gaps_close gives contacts other names, by which the
 * host would not know them if the change ended behind it. */
talus_status tl_world_change(tl_resident *resident, const tl_resident_change *c) {
  TL_CUDA_ENTER(resident->device);
  arrived a;
  tl_world_geometries added;
  memset((void *)&added, 0, sizeof added);
  resident->begun = false;
  TL_TRY(change_send(resident, c, &a));
  talus_status status = room_make(resident, c, &added);
  if (status == TALUS_OK) {
    status = change_make(resident, c, &a, &added);
  }
  tl_world_geometry_drop(resident, &added);
  TL_TRY(status);
  resident->advanced = false;
  if (c->rearranged) { /* pairs name shapes by their slots */
    resident->sought = false;
  }
  resident->cell = c->cell;
  resident->uneven = c->uneven != 0;
  return TALUS_OK;
}
