/* assembly_compliance_cuda.cu: form (a) on the device: contacts that give way, by the items of
 * item/compliance.h, as host/problem/assembly_compliance.c has them. */
#include "kernels/item/compliance.h"

#include <math.h>
#include <string.h>

#include "kernels/cuda/assembly_cuda.cuh"

namespace {

/* Of numbers that are not negative bits are ordered as they are. */
__device__ __forceinline__ unsigned long long bits_of(double value) {
  unsigned long long bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

double number_of(unsigned long long bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* What a block has found. */
struct softness_room {
  unsigned count[TL_OCTAVES];
  unsigned long long least[TL_OCTAVES + 2]; /* then most and largest */
};

__global__ void __launch_bounds__(TL_CHUNK) comply_begin_kernel(tl_cuda_facts *all) {
  const unsigned i = threadIdx.x;
  if (i < TL_OCTAVES) {
    all->octave[i] = 0;
  }
  if (i < TL_OCTAVES + 2) {
    all->softness[i] = i < TL_OCTAVES ? bits_of(INFINITY) : 0;
  }
}

__device__ __forceinline__ void room_clear(softness_room *room) {
  const unsigned i = threadIdx.x;
  if (i < TL_OCTAVES) {
    room->count[i] = 0;
  }
  if (i < TL_OCTAVES + 2) {
    room->least[i] = i < TL_OCTAVES ? bits_of(INFINITY) : 0;
  }
  __syncthreads();
}

__device__ __forceinline__ void room_empty(const softness_room *room, tl_cuda_facts *all) {
  const unsigned i = threadIdx.x;
  __syncthreads();
  if (i < TL_OCTAVES && room->count[i] > 0) {
    atomicAdd(&all->octave[i], room->count[i]);
    atomicMin(&all->softness[i], room->least[i]);
  }
  if (i >= TL_OCTAVES && i < TL_OCTAVES + 2) {
    atomicMax(&all->softness[i], room->least[i]);
  }
}

__global__ void __launch_bounds__(TL_CHUNK)
    contacts_comply_kernel(const tl_cuda_raw w, const tl_system s) {
  __shared__ softness_room room;
  room_clear(&room);
  const int32_t place = tl_cuda_item();
  if (place < tl_cuda_contacts(w)) {
    const int64_t k = w.order[place];
    tl_yielding c = {w.compliance[2 * k], w.compliance[2 * k + 1], {0, 0, 0}};
    for (int i = 0; i < 3 && w.target != NULL; i++) {
      c.target[i] = w.target[3 * k + i];
    }
    double v[3];
    tl_yielding_scale(&s, &c, 3, place);
    tl_yielding_times(&c, s.normal + 3 * (int64_t)place, c.target, v);
    w.share[1][place] = tl_yielding_free(&s, place, v);
    if (!isfinite(s.weight[place])) {
      atomicOr(&w.all->defect, 1u);
    }
    const tl_softness own = tl_yielding_softness(&s, &c, 3, place);
    const int octave = tl_softness_octave(own.least);
    atomicAdd(&room.count[octave], 1u);
    atomicMin(&room.least[octave], bits_of(own.least));
    atomicMax(&room.least[TL_OCTAVES], bits_of(own.most));
    atomicMax(&room.least[TL_OCTAVES + 1], bits_of(fmax(c.normal, c.tangential)));
  }
  room_empty(&room, w.all);
}

} // namespace

talus_status tl_cuda_contacts_comply(tl_cuda_device *device, const tl_cuda_raw *w,
                                     const tl_system *built) {
  TL_TRY(tl_cuda_check(
      device, tl_cuda_start(device, device->stream, 1, TL_CHUNK, comply_begin_kernel, w->all),
      "kernel launch", __func__));
  TL_CUDA_LAUNCH(device, w->capacity, contacts_comply_kernel, *w, *built);
  return TALUS_OK;
}

void tl_cuda_softness_read(const tl_cuda_facts *all, tl_raw *raw) {
  tl_softnesses found;
  for (int i = 0; i < TL_OCTAVES; i++) {
    found.count[i] = (int32_t)all->octave[i];
    found.least[i] = number_of(all->softness[i]);
  }
  raw->stiffest = tl_softness_stiffest(&found, raw->contact_count);
  raw->softest = number_of(all->softness[TL_OCTAVES]);
  raw->most_compliance = number_of(all->softness[TL_OCTAVES + 1]);
}
