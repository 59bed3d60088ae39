/* world_room_cuda.cu: how much device memory a world needs, asked before it is loaded.
 *
 * What the world itself holds follows from its counts. A solve holds the problem in the order of
 * its engine, impulses, velocities, lists of ends and the certificate's: SOLVE_CONTACT and
 * SOLVE_BODY bytes, which tests/emu/test_world_room_planted.cu holds against what is really taken.
 */
#include "kernels/cuda/world_cuda.cuh"

namespace {

enum { SOLVE_CONTACT = 520, SOLVE_BODY = 450, SPARE_PERCENT = 25 };

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
int64_t shape_bytes(void) {
  return (int64_t)sizeof(tl_shape_fact) + 2 * (int64_t)sizeof(tl_shape_place) + (6 + 2 * 4) * 4;
}

/* Contacts of now and before, the pair, the problem's arrays. */
int64_t pair_bytes(void) {
  return 2 * contact_bytes() + 4 * (int64_t)sizeof(uint32_t) + 12 * (int64_t)sizeof(double);
}

int64_t held_bytes(const tl_resident *r) {
  const tl_cuda_buffer *const buffer[] = {&r->bodies, &r->shapes, &r->materials, &r->search,
                                          &r->pairs,  &r->now,    &r->old,       &r->problem,
                                          &r->sums,   &r->scratch};
  int64_t bytes = 0;
  for (const tl_cuda_buffer *b : buffer) {
    bytes += (int64_t)b->capacity;
  }
  return bytes;
}

} // namespace

talus_status tl_world_room(const tl_resident *resident, const tl_resident_size *size,
                           int64_t *needed, int64_t *free) {
  tl_cuda_device *const device = resident->device;
  size_t left, all;
  TL_CUDA_ENTER(device);
  TL_CUDA_TRY(device, cudaMemGetInfo(&left, &all));
  *free = (int64_t)left + held_bytes(resident);
  *needed = size->bodies * (body_bytes() + SOLVE_BODY) + size->shapes * shape_bytes() +
            size->materials * size->materials * 16 +
            size->pairs * (100 + SPARE_PERCENT) / 100 * pair_bytes() + size->pairs * SOLVE_CONTACT;
  return TALUS_OK;
}
