/* world_cuda.cu: a world in device memory: its life, what the host hands over and reads back. */
#include <stddef.h>
#include <string.h>

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

talus_status bodies_reserve(tl_resident *resident) {
  tl_world_view *const v = &resident->view;
  const int64_t n = v->body_count;
  return room_make(resident->device, &resident->bodies, "bodies", [&](pieces *p) {
    p->take(&v->motion, n);
    p->take(&v->kept, n);
    p->take((tl_body_fact **)&v->fact, n);
    p->take(&v->before, 6 * n);
    p->take(&v->free, 6 * n);
    p->take(&v->after, 6 * n);
    p->take(&v->still, 6 * n);
    p->take(&v->moved, 6 * n);
    p->take(&resident->inverse_mass, n);
    p->take(&resident->inverse_inertia, 6 * n);
  });
}

talus_status shapes_reserve(tl_resident *resident) {
  tl_world_view *const v = &resident->view;
  return room_make(resident->device, &resident->shapes, "shapes", [&](pieces *p) {
    p->take((tl_shape_fact **)&v->shape, v->shape_count);
    p->take(&v->place, v->shape_count);
    p->take(&v->room, v->shape_count);
    v->pose = NULL;
    if (resident->general) {
      p->take(&v->pose, v->shape_count);
    }
  });
}

talus_status materials_reserve(tl_resident *resident) {
  tl_world_view *const v = &resident->view;
  const int64_t n = v->material_count;
  return room_make(resident->device, &resident->materials, "materials", [&](pieces *p) {
    p->take((double **)&v->friction, n * n);
    p->take((double **)&v->restitution, n * n);
    p->take((tl_spring_material **)&v->spring, n);
  });
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
  const int64_t most = contacts > v->body_count ? contacts : v->body_count;
  TL_TRY(room_make(resident->device, &resident->sums, "sums", [&](pieces *p) {
    p->take(&v->record, 1);
    p->take(&v->ticket, 1);
    p->take(&v->partial, (int64_t)TL_RESIDENT_CONTACT_SUMS * tl_cuda_blocks(most, TL_WORLD_BLOCK));
  }));
  TL_TRY(tl_cuda_fill(resident->device, v->ticket, 0, sizeof *v->ticket));
  return TALUS_OK;
}

talus_status pairs_reserve(tl_resident *resident, int64_t capacity) {
  tl_world_view *const v = &resident->view;
  return room_make(resident->device, &resident->pairs, "pairs of shapes", [&](pieces *p) {
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

template <class T>
talus_status array_send(tl_cuda_device *device, const T *from, const T *to, int64_t count) {
  return tl_cuda_send_all(device, from, (void *)to, (size_t)count * sizeof(T));
}

talus_status contacts_send(tl_resident *resident, const tl_resident_contacts *contacts) {
  tl_cuda_device *const device = resident->device;
  tl_resident_contacts *const to = &resident->view.old;
  to->count = 0;
  TL_TRY(tl_world_contacts_reserve(resident, contacts->count));
#define TL_FIELD(type, name, components) \
  TL_TRY(array_send(device, contacts->name, to->name, (components) * (int64_t)contacts->count));
  TL_RESIDENT_LIST(TL_FIELD)
#undef TL_FIELD
  to->count = contacts->count;
  return TALUS_OK;
}

/* ---- the table ------------------------------------------------------------------------------- */

talus_status world_create(talus_context *context, tl_resident **resident) {
  TL_TRY(tl_alloc(context, (void **)resident, 1, sizeof **resident, "world on the device"));
  memset((void *)*resident, 0, sizeof **resident);
  (*resident)->device = (tl_cuda_device *)context->device;
  return TALUS_OK;
}

void world_destroy(tl_resident *resident) {
  if (resident == NULL) {
    return;
  }
  tl_cuda_device *const device = resident->device;
  {
    const tl_cuda_scope scope(device);
#define RELEASE(name) tl_cuda_release(device, &resident->name);
    TL_WORLD_BUFFERS(RELEASE)
#undef RELEASE
  }
  tl_free(device->context, resident);
}

talus_status world_load(tl_resident *resident, const tl_resident_load *load) {
  tl_cuda_device *const device = resident->device;
  TL_CUDA_ENTER(device);
  tl_world_view *const v = &resident->view;
  const int64_t bodies = load->body_count, materials = load->material_count;
  v->body_count = load->body_count;
  v->shape_count = load->shape_count;
  v->material_count = load->material_count;
  v->pair_count = 0;
  resident->cell = load->cell;
  if (resident->general != (load->general != 0)) { /* contacts have other arrays */
    resident->general = load->general != 0;
    resident->pair_capacity = v->contact_capacity = 0;
  }
  resident->uneven = load->uneven != 0;
  resident->sought = resident->advanced = false;
  resident->same = 0;
  TL_TRY(bodies_reserve(resident));
  TL_TRY(shapes_reserve(resident));
  TL_TRY(materials_reserve(resident));
  TL_TRY(sums_reserve(resident, v->contact_capacity));
  v->geometry = NULL;
  if (resident->general) {
    TL_TRY(tl_world_geometry_load(resident, load->geometry));
  }
  TL_TRY(array_send(device, load->motion, v->motion, bodies));
  TL_TRY(array_send(device, load->fact, v->fact, bodies));
  TL_TRY(array_send(device, load->inverse_mass, resident->inverse_mass, bodies));
  TL_TRY(array_send(device, load->inverse_inertia, resident->inverse_inertia, 6 * bodies));
  TL_TRY(array_send(device, load->shape, v->shape, load->shape_count));
  TL_TRY(array_send(device, load->friction, v->friction, materials * materials));
  TL_TRY(array_send(device, load->restitution, v->restitution, materials * materials));
  TL_TRY(array_send(device, load->spring, v->spring, materials));
  TL_TRY(tl_cuda_fill(device, v->still, 0, 6 * (size_t)bodies * sizeof *v->still));
  return contacts_send(resident, load->contacts);
}

talus_status world_steer(tl_resident *resident, int32_t count, const int32_t *body,
                         const double *velocity) {
  tl_cuda_device *const device = resident->device;
  TL_CUDA_ENTER(device);
  for (int32_t i = 0; i < count; i++) { /* velocity and spin lie side by side */
    TL_TRY(
        array_send(device, velocity + 6 * (int64_t)i, resident->view.motion[body[i]].velocity, 6));
  }
  return TALUS_OK;
}

/* Contacts beyond those that there are have to be some, of bodies that there are: both arrays had
 * as many before. */
bool world_steady(const tl_resident *resident) {
  return resident->sought && resident->same >= 2 && resident->view.old.count > 0;
}

talus_status world_read(tl_resident *resident, tl_resident_record *record, bool *right) {
  tl_cuda_device *const device = resident->device;
  TL_CUDA_ENTER(device);
  TL_TRY(tl_cuda_fetch_all(device, resident->view.record, record, sizeof *record));
  *right = !record->left && record->contact_count == resident->view.old.count &&
           tl_world_has_arms(resident, record) == resident->arms;
  return TALUS_OK;
}

talus_status world_restore(tl_resident *resident) {
  tl_cuda_device *const device = resident->device;
  TL_CUDA_ENTER(device);
  tl_world_view *const v = &resident->view;
  if (resident->advanced) {
    tl_world_contacts_swap(resident);
    resident->advanced = false;
  }
  TL_TRY(tl_cuda_copy(device, v->motion, v->kept, (size_t)v->body_count * sizeof *v->motion,
                      cudaMemcpyDeviceToDevice));
  return TALUS_OK;
}

int32_t world_contact_count(const tl_resident *resident) {
  return resident->view.old.count;
}

talus_status world_fetch(tl_resident *resident, tl_body_motion *motion,
                         tl_resident_contacts *contacts) {
  tl_cuda_device *const device = resident->device;
  TL_CUDA_ENTER(device);
  const tl_world_view *const v = &resident->view;
  const size_t count = (size_t)v->old.count;
  TL_TRY(tl_cuda_fetch_all(device, v->motion, motion, (size_t)v->body_count * sizeof *motion));
#define TL_FIELD(type, name, components) \
  TL_TRY(tl_cuda_fetch_all(device, v->old.name, contacts->name, (components)*count * sizeof(type)));
  TL_RESIDENT_LIST(TL_FIELD)
#undef TL_FIELD
  contacts->count = v->old.count;
  return TALUS_OK;
}

} // namespace

talus_status tl_world_pairs_reserve(tl_resident *resident, int64_t pairs) {
  if (pairs > resident->pair_capacity || resident->pairs.memory == NULL) {
    const int64_t capacity = pairs + pairs / 4 + 1;
    resident->pair_capacity = 0;
    TL_TRY(pairs_reserve(resident, capacity));
    if (resident->general) {
      TL_TRY(tl_world_points_reserve(resident, capacity));
    }
    resident->pair_capacity = capacity;
  }
  return resident->general ? TALUS_OK : tl_world_contacts_reserve(resident, pairs);
}

talus_status tl_world_contacts_reserve(tl_resident *resident, int64_t contacts) {
  tl_world_view *const v = &resident->view;
  if (contacts <= v->contact_capacity && v->contact_capacity > 0) {
    return TALUS_OK;
  }
  const int64_t needed = contacts > v->old.count ? contacts : v->old.count;
  const int64_t capacity = needed + needed / 4 + 1;
  if (capacity > INT32_MAX / 8) {
    return tl_fail(resident->device->context, TALUS_SIZE_OVERFLOW, "%lld contacts are too many",
                   (long long)contacts);
  }
  v->contact_capacity = resident->same = 0;
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

talus_status tl_world_touched_fetch(const tl_resident *resident, tl_resident_record *record) {
  return tl_cuda_fetch_all(resident->device, resident->view.record, record,
                           offsetof(tl_resident_record, fast));
}

talus_status tl_world_moved_fetch(const tl_resident *resident, tl_resident_record *record) {
  return tl_cuda_fetch_all(resident->device, &resident->view.record->fast, &record->fast,
                           sizeof *record - offsetof(tl_resident_record, fast));
}

const tl_world_backend tl_world_backend_cuda = {
    /* .create = */ world_create,
    /* .destroy = */ world_destroy,
    /* .load = */ world_load,
    /* .steer = */ world_steer,
    /* .steady = */ world_steady,
    /* .read = */ world_read,
    /* .touch = */ tl_world_touch,
    /* .form = */ tl_world_form,
    /* .advance = */ tl_world_advance,
    /* .correct = */ tl_world_correct,
    /* .restore = */ world_restore,
    /* .contact_count = */ world_contact_count,
    /* .fetch = */ world_fetch,
    /* .room = */ tl_world_room,
};
