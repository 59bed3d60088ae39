/* world_room_cuda.cu: how much device memory a world needs, asked before it is loaded.
 *
 * What the world itself holds follows from its counts. A solve holds the problem in the order of
 * its engine, impulses, velocities, lists of ends and the certificate's: SOLVE_CONTACT and
 * SOLVE_BODY bytes, which tests/emu/test_world_room_planted.cu holds against what is really taken.
 */
#include "kernels/cuda/world_cuda.cuh"

namespace {

/* SOLVE_ARMS: of a contact with arms. */
enum { SOLVE_CONTACT = 520, SOLVE_ARMS = 720, SOLVE_BODY = 450, SPARE_PERCENT = 25 };

int64_t contact_bytes(void) {
  int64_t bytes = 0;
#define TL_FIELD(type, name, components) bytes += (components) * (int64_t)sizeof(type);
  TL_RESIDENT_LIST(TL_FIELD)
#undef TL_FIELD
  return bytes;
}

/* Two copies of motions, facts, five arrays of six, the problem's seven. */
int64_t body_bytes(void) {
  return 2 * (int64_t)sizeof(tl_body_motion) + (int64_t)sizeof(tl_body_fact) + (5 * 6 + 7) * 8;
}

/* Facts, places, rooms; the grid of the search, with a table of up to four cells per shape. */
int64_t shape_bytes(bool general) {
  return (int64_t)sizeof(tl_shape_fact) + 2 * (int64_t)sizeof(tl_shape_place) + (6 + 2 * 4) * 4 +
         (general ? (int64_t)sizeof(tl_pose) : 0);
}

/* Contacts of now and before, the problem's arrays; arms and mates. */
int64_t room_bytes(bool general) {
  return 2 * contact_bytes() + 12 * (int64_t)sizeof(double) +
         (general ? 6 * (int64_t)sizeof(double) + 2 * (int64_t)sizeof(int32_t) : 0);
}

int64_t held_bytes(const tl_resident *resident) {
  int64_t bytes = 0;
#define ADD(name) bytes += (int64_t)resident->name.capacity;
  TL_WORLD_BUFFERS(ADD)
#undef ADD
  return bytes;
}

/* What worlds with shapes of other kinds take beyond that. The driver sets stacks aside when the
 * kernels run first. */
talus_status general_bytes(const tl_resident *resident, const tl_resident_size *size,
                           int64_t *bytes) {
  int64_t stacks = 0;
  if (resident->points.memory == NULL) {
    TL_TRY(tl_world_points_stack(resident->device, &stacks));
  }
  *bytes = size->geometry_bytes + tl_world_points_bytes(resident, size->pairs) + stacks;
  return TALUS_OK;
}

} // namespace

talus_status tl_world_room(const tl_resident *resident, const tl_resident_size *size,
                           int64_t *needed, int64_t *free) {
  tl_cuda_device *const device = resident->device;
  const int64_t spare = 100 + SPARE_PERCENT;
  size_t left, all;
  int64_t more = 0;
  TL_CUDA_ENTER(device);
  TL_CUDA_TRY(device, cudaMemGetInfo(&left, &all));
  if (size->general) {
    TL_TRY(general_bytes(resident, size, &more));
  }
  *free = (int64_t)left + held_bytes(resident);
  *needed = size->bodies * (body_bytes() + SOLVE_BODY) + size->shapes * shape_bytes(size->general) +
            size->materials * size->materials * 16 +
            size->pairs * spare / 100 * 4 * (int64_t)sizeof(uint32_t) +
            size->contacts * spare / 100 * room_bytes(size->general) +
            size->contacts * (size->general ? SOLVE_ARMS : SOLVE_CONTACT) + more;
  return TALUS_OK;
}
