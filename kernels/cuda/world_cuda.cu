/* world_cuda.cu: a world in device memory: its life, what the host hands over and reads back. */
#include <stddef.h>
#include <string.h>

#include "kernels/cuda/world_cuda.cuh"

namespace {

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
  tl_world_limit(*resident, TL_WORLD_MOST, TL_WORLD_MOST);
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
  const int64_t bodies = load->body_count;
  v->body_count = v->shape_count = 0; /* nothing is kept */
  resident->cell = load->cell;
  if (resident->general != (load->general != 0)) { /* contacts have other arrays */
    resident->general = load->general != 0;
    v->pair_capacity = v->contact_capacity = 0;
  }
  resident->uneven = load->uneven != 0;
  resident->sought = resident->begun = resident->advanced = false;
  resident->hold = INT32_MAX;
  resident->age = resident->spare = 0;
  TL_TRY(tl_world_bodies_reserve(resident, bodies));
  TL_TRY(tl_world_shapes_reserve(resident, load->shape_count));
  v->body_count = load->body_count;
  v->shape_count = load->shape_count;
  v->geometry = NULL;
  if (resident->general) {
    TL_TRY(tl_world_geometry_load(resident, load->geometry));
  }
  TL_TRY(array_send(device, load->motion, v->motion, bodies));
  TL_TRY(array_send(device, load->fact, v->fact, bodies));
  TL_TRY(array_send(device, load->inverse_mass, resident->inverse_mass, bodies));
  TL_TRY(array_send(device, load->inverse_inertia, resident->inverse_inertia, 6 * bodies));
  TL_TRY(array_send(device, load->shape, v->shape, load->shape_count));
  TL_TRY(tl_world_materials_reserve(resident, load->material_count));
  TL_TRY(tl_world_materials_send(resident, load->material_count, load->friction, load->restitution,
                                 load->spring));
  return contacts_send(resident, load->contacts);
}

talus_status world_steer(tl_resident *resident, int32_t count, const int32_t *body,
                         const double *velocity) {
  tl_cuda_device *const device = resident->device;
  TL_CUDA_ENTER(device);
  resident->begun = false; /* a step begins: what is kept is of another one, or of nothing */
  for (int32_t i = 0; i < count; i++) { /* velocity and spin lie side by side */
    TL_TRY(
        array_send(device, velocity + 6 * (int64_t)i, resident->view.motion[body[i]].velocity, 6));
  }
  return TALUS_OK;
}

/* There has to be room for pairs and contacts, and something to expect. */
bool world_steady(const tl_resident *resident) {
  return resident->sought && resident->view.old.count > 0;
}

talus_status world_read(tl_resident *resident, tl_resident_record *record, bool *right) {
  tl_cuda_device *const device = resident->device;
  TL_CUDA_ENTER(device);
  TL_TRY(tl_cuda_fetch_all(device, resident->view.record, record, sizeof *record));
  resident->sought = resident->sought && !record->outgrown;
  *right = resident->sought && (resident->seeks || !record->left) && record->contact_count > 0 &&
           record->contact_count <= resident->view.contact_capacity &&
           tl_world_has_arms(resident, record) == resident->arms;
  if (*right) {
    (resident->advanced ? resident->view.old : resident->view.now).count = record->contact_count;
    tl_world_rooms_learn(resident, record->left != 0);
  }
  return TALUS_OK;
}

talus_status world_restore(tl_resident *resident) {
  tl_cuda_device *const device = resident->device;
  TL_CUDA_ENTER(device);
  tl_world_view *const v = &resident->view;
  if (!resident->begun) { /* all is as it was */
    return TALUS_OK;
  }
  if (resident->advanced) {
    tl_world_contacts_swap(resident);
    resident->advanced = false;
    resident->restored = true;
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
  if (motion != NULL) {
    TL_TRY(tl_cuda_fetch_all(device, v->motion, motion, (size_t)v->body_count * sizeof *motion));
  }
  if (contacts == NULL) {
    return TALUS_OK;
  }
#define TL_FIELD(type, name, components) \
  TL_TRY(tl_cuda_fetch_all(device, v->old.name, contacts->name, (components)*count * sizeof(type)));
  TL_RESIDENT_LIST(TL_FIELD)
#undef TL_FIELD
  contacts->count = v->old.count;
  return TALUS_OK;
}

} // namespace

talus_status tl_world_materials_send(tl_resident *resident, int32_t count, const double *friction,
                                     const double *restitution, const tl_spring_material *spring) {
  tl_cuda_device *const device = resident->device;
  const tl_world_view *const v = &resident->view;
  const int64_t pairs = (int64_t)count * count;
  TL_TRY(array_send(device, friction, v->friction, pairs));
  TL_TRY(array_send(device, restitution, v->restitution, pairs));
  TL_TRY(array_send(device, spring, v->spring, count));
  resident->view.material_count = count;
  return TALUS_OK;
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
    /* .change = */ tl_world_change,
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
