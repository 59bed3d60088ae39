/* world_memory_cuda.cu: device memory of a world: arrays one behind the other, in pieces that grow
 * by a quarter. */
#include "kernels/cuda/world_cuda.cuh"
#include "kernels/item/balance.h"

static_assert((int)TL_CONTACT_VALUES == (int)TL_RESIDENT_CONTACT_SUMS, "sums over contacts");
static_assert((int)TL_BODY_VALUES == (int)TL_RESIDENT_BODY_SUMS, "sums over bodies");

namespace {

enum { ALIGNMENT = 256 };

/* ---- memory ---------------------------------------------------------------------------------- */

/* Hands out one allocation piece by piece; without memory it only counts. */
struct pieces {
  char *memory;
  size_t used;

  template <class T> void take(T **array, int64_t count) {
    *array = memory != NULL ? (T *)(void *)(memory + used) : NULL;
    used += ((size_t)count * sizeof(T) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
};

/* Makes room for what `carve` takes, then has it taken. */
template <class F>
talus_status room_make(tl_cuda_device *device, tl_cuda_buffer *buffer, const char *what, F carve) {
  pieces count = {NULL, 0};
  carve(&count);
  TL_TRY(tl_cuda_reserve(device, buffer, count.used, what));
  pieces room = {(char *)buffer->memory, 0};
  carve(&room);
  return TALUS_OK;
}

/* A quarter more than is needed, but for the first time. */
int64_t capacity_for(int64_t needed, int64_t before) {
  return before > 0 ? needed + needed / 4 : needed;
}

template <class T>
talus_status array_keep(tl_cuda_device *device, const T *to, const T *from, int64_t count) {
  return count > 0 ? tl_cuda_copy(device, (void *)to, from, (size_t)count * sizeof(T),
                                  cudaMemcpyDeviceToDevice)
                   : TALUS_OK;
}

/* What was kept is there: the memory that it was in is released. */
talus_status memory_change(tl_cuda_device *device, tl_cuda_buffer *buffer,
                           const tl_cuda_buffer *larger) {
  TL_TRY(tl_cuda_wait(device));
  tl_cuda_release(device, buffer);
  *buffer = *larger;
  return TALUS_OK;
}

talus_status contacts_reserve(tl_cuda_device *device, tl_cuda_buffer *buffer, int64_t capacity,
                              tl_resident_contacts *contacts) {
  return room_make(device, buffer, "contacts", [&](pieces *p) {
#define TL_FIELD(type, name, components) p->take(&contacts->name, (components)*capacity);
    TL_RESIDENT_LIST(TL_FIELD)
#undef TL_FIELD
  });
}

/* The contacts of the step before move to larger memory. */
talus_status old_move(tl_resident *resident, int64_t capacity) {
  tl_cuda_device *const device = resident->device;
  const tl_resident_contacts from = resident->view.old;
  tl_resident_contacts to = from;
  tl_cuda_buffer memory = {NULL, 0};
  TL_TRY(contacts_reserve(device, &memory, capacity, &to));
#define TL_FIELD(type, name, components)                                  \
  if (from.count > 0) {                                                   \
    TL_TRY(tl_cuda_copy(device, to.name, from.name,                       \
                        (components) * (size_t)from.count * sizeof(type), \
                        cudaMemcpyDeviceToDevice));                       \
  }
  TL_RESIDENT_LIST(TL_FIELD)
#undef TL_FIELD
  TL_TRY(tl_cuda_wait(device));
  tl_cuda_release(device, &resident->old);
  resident->old = memory;
  resident->view.old = to;
  return TALUS_OK;
}

talus_status sums_reserve(tl_resident *resident, int64_t contacts) {
  tl_world_view *const v = &resident->view;
  const int64_t bodies = resident->body_capacity, most = contacts > bodies ? contacts : bodies;
  if (most <= resident->summed && resident->sums.memory != NULL) {
    return TALUS_OK;
  }
  resident->summed = 0;
  TL_TRY(room_make(resident->device, &resident->sums, "sums", [&](pieces *p) {
    p->take(&v->record, 1);
    p->take(&v->ticket, 1);
    p->take(&v->partial, (int64_t)TL_RESIDENT_CONTACT_SUMS * tl_cuda_blocks(most, TL_WORLD_BLOCK));
  }));
  TL_TRY(tl_cuda_fill(resident->device, v->ticket, 0, sizeof *v->ticket));
  resident->summed = most;
  return TALUS_OK;
}

talus_status pairs_reserve(tl_resident *resident, int64_t capacity) {
  tl_world_view *const v = &resident->view;
  return room_make(resident->device, &resident->pairs, "pairs of shapes", [&](pieces *p) {
    p->take(&v->pair_count, 1);
    p->take((uint32_t **)&v->pair_a, capacity);
    p->take((uint32_t **)&v->pair_b, capacity);
    p->take(&v->flag, capacity);
    p->take(&v->offset, capacity);
  });
}

/* What contacts have in a step alone. */
talus_status problem_reserve(tl_resident *resident, int64_t capacity) {
  tl_world_view *const v = &resident->view;
  return room_make(resident->device, &resident->problem, "contact problem", [&](pieces *p) {
    p->take(&v->reach_a, capacity);
    p->take(&v->reach_b, capacity);
    p->take(&v->surface, 3 * capacity);
    p->take(&v->target, 3 * capacity);
    p->take(&v->velocity, 3 * capacity);
    p->take(&v->push, capacity);
    v->arm_a = v->arm_b = NULL;
    if (resident->general) {
      p->take(&v->arm_a, 3 * capacity);
      p->take(&v->arm_b, 3 * capacity);
      p->take(&v->now_mate, capacity);
      p->take(&v->old_mate, capacity);
    }
  });
}

} // namespace

void tl_world_limit(tl_resident *resident, int64_t pairs, int64_t contacts) {
  resident->pairs_most = pairs;
  resident->contacts_most = contacts;
}

talus_status tl_world_bodies_reserve(tl_resident *resident, int64_t bodies) {
  tl_cuda_device *const device = resident->device;
  const tl_world_view from = resident->view;
  tl_world_view to = from;
  tl_cuda_buffer memory = {NULL, 0};
  double *mass, *inertia;
  if (bodies <= resident->body_capacity && resident->bodies.memory != NULL) {
    return sums_reserve(resident, from.contact_capacity); /* they may have had no room before */
  }
  const int64_t n = capacity_for(bodies, resident->body_capacity);
  TL_TRY(room_make(device, &memory, "bodies", [&](pieces *p) {
    p->take(&to.motion, n);
    p->take(&to.kept, n);
    p->take((tl_body_fact **)&to.fact, n);
    p->take(&to.before, 6 * n);
    p->take(&to.free, 6 * n);
    p->take(&to.after, 6 * n);
    p->take(&to.moved, 6 * n);
    p->take(&to.still, 6 * n);
    p->take(&mass, n);
    p->take(&inertia, 6 * n);
  }));
  const int64_t kept = from.body_count;
  TL_TRY(array_keep(device, to.motion, from.motion, kept));
  TL_TRY(array_keep(device, to.fact, from.fact, kept));
  TL_TRY(array_keep(device, mass, resident->inverse_mass, kept));
  TL_TRY(array_keep(device, inertia, resident->inverse_inertia, 6 * kept));
  TL_TRY(tl_cuda_fill(device, to.still, 0, 6 * (size_t)n * sizeof *to.still));
  TL_TRY(memory_change(device, &resident->bodies, &memory));
  resident->view = to;
  resident->inverse_mass = mass;
  resident->inverse_inertia = inertia;
  resident->body_capacity = n;
  return sums_reserve(resident, to.contact_capacity);
}

talus_status tl_world_shapes_reserve(tl_resident *resident, int64_t shapes) {
  tl_cuda_device *const device = resident->device;
  const tl_world_view from = resident->view;
  tl_world_view to = from;
  tl_cuda_buffer memory = {NULL, 0};
  if (shapes <= resident->shape_capacity && (from.pose != NULL) == resident->general &&
      resident->shapes.memory != NULL) {
    return TALUS_OK;
  }
  const int64_t n = capacity_for(shapes, resident->shape_capacity);
  to.pose = NULL;
  TL_TRY(room_make(device, &memory, "shapes", [&](pieces *p) {
    p->take((tl_shape_fact **)&to.shape, n);
    p->take(&to.place, n);
    p->take(&to.room, n);
    if (resident->general) {
      p->take(&to.pose, n);
    }
  }));
  TL_TRY(array_keep(device, to.shape, from.shape, from.shape_count));
  TL_TRY(memory_change(device, &resident->shapes, &memory));
  resident->view = to;
  resident->shape_capacity = n;
  return TALUS_OK;
}

talus_status tl_world_materials_reserve(tl_resident *resident, int64_t materials) {
  tl_world_view *const v = &resident->view;
  return room_make(resident->device, &resident->materials, "materials", [&](pieces *p) {
    p->take((double **)&v->friction, materials * materials);
    p->take((double **)&v->restitution, materials * materials);
    p->take((tl_spring_material **)&v->spring, materials);
  });
}

talus_status tl_world_pairs_refuse(const tl_resident *resident, int64_t pairs, int64_t most) {
  return tl_fail(resident->device->context, TALUS_SIZE_OVERFLOW,
                 "%lld pairs of shapes are near each other, a device takes at most %lld: are many "
                 "bodies in one place?",
                 (long long)pairs, (long long)most);
}

talus_status tl_world_pairs_reserve(tl_resident *resident, int64_t pairs) {
  tl_world_view *const v = &resident->view;
  if (pairs > v->pair_capacity || v->pair_capacity == 0) {
    const int64_t most = pairs + pairs / 4 + 1;
    const int64_t capacity = most < resident->pairs_most ? most : resident->pairs_most;
    v->pair_capacity = 0;
    resident->sought = false;
    TL_TRY(pairs_reserve(resident, capacity));
    if (resident->general) {
      TL_TRY(tl_world_points_reserve(resident, capacity));
    }
    v->pair_capacity = (int32_t)capacity;
  }
  if (resident->general) {
    return TALUS_OK;
  }
  return pairs > resident->contacts_most
             ? tl_world_pairs_refuse(resident, pairs, resident->contacts_most)
             : tl_world_contacts_reserve(resident, pairs);
}

talus_status tl_world_contacts_reserve(tl_resident *resident, int64_t contacts) {
  tl_world_view *const v = &resident->view;
  if (contacts <= v->contact_capacity && v->contact_capacity > 0) {
    return TALUS_OK;
  }
  const int64_t needed = contacts > v->old.count ? contacts : v->old.count;
  if (needed > resident->contacts_most) {
    return tl_fail(resident->device->context, TALUS_SIZE_OVERFLOW,
                   "%lld contacts are too many, a device takes at most %lld", (long long)needed,
                   (long long)resident->contacts_most);
  }
  const int64_t most = needed + needed / 4 + 1;
  const int64_t capacity = most < resident->contacts_most ? most : resident->contacts_most;
  v->contact_capacity = 0;
  TL_TRY(problem_reserve(resident, capacity));
  TL_TRY(contacts_reserve(resident->device, &resident->now, capacity, &v->now));
  TL_TRY(old_move(resident, capacity));
  TL_TRY(sums_reserve(resident, capacity));
  v->contact_capacity = (int32_t)capacity;
  return TALUS_OK;
}

void tl_world_contacts_swap(tl_resident *resident) {
  const tl_resident_contacts contacts = resident->view.now;
  const tl_cuda_buffer memory = resident->now;
  resident->view.now = resident->view.old;
  resident->view.old = contacts;
  resident->now = resident->old;
  resident->old = memory;
}
