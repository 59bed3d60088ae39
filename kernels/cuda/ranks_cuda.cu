/* ranks_cuda.cu: what an engine exchanges with other ranks: velocities and impulses, packed on the
 * device and staged through pinned memory, and exact sums.
 *
 * The halo moves elements within an array; here that is the staged memory, in which what is sent
 * stands before what comes. It is called whether this rank has something to send or not. */
#include <string.h>

#include "kernels/cuda/engine_cuda.cuh"
#include "kernels/cuda/sum_exact_cuda.h"

namespace {

enum { SUMS = 3, DIGIT_BYTES = SUMS * sizeof(tl_exact), VELOCITY = 6, IMPULSE = 3 };

/* ---- lists ----------------------------------------------------------------------------------- */

int32_t list_count(const tl_cuda_engine *engine) {
  return engine->colour_count > 0 ? TL_RANKS_PHASE + engine->colour_count : TL_RANKS_SETTLED;
}

const tl_halo_list *list_of(const tl_halo *halo, int32_t i) {
  return i == TL_RANKS_BODIES     ? &halo->bodies
         : i == TL_RANKS_CONTACTS ? &halo->contacts
         : i == TL_RANKS_SETTLED  ? &halo->settled
                                  : &halo->phase[i - TL_RANKS_PHASE];
}

int32_t reals_of(int list) {
  return list == TL_RANKS_CONTACTS ? IMPULSE : VELOCITY;
}

/* Elements of all lists, and of the largest. */
void lists_measure(const tl_cuda_engine *engine, const tl_halo *halo, size_t *all, size_t *most) {
  *all = *most = 0;
  for (int32_t i = 0; i < list_count(engine); i++) {
    const tl_halo_list *const list = list_of(halo, i);
    const size_t count =
        (size_t)list->send_first[halo->size] + (size_t)list->receive_first[halo->size];
    *all += count;
    *most = count > *most ? count : *most;
  }
}

/* Lists as they are staged: element i at place i. */
talus_status lists_make(tl_cuda_engine *engine, const tl_halo *halo, size_t most) {
  tl_cuda_ranks *const ranks = &engine->ranks;
  const int32_t lists = list_count(engine);
  TL_TRY(tl_buffer_reserve(engine->context, &ranks->lists,
                           (size_t)lists * sizeof *ranks->list + most * sizeof(int32_t), 1,
                           "what ranks exchange"));
  ranks->list = (tl_cuda_list *)ranks->lists.memory;
  int32_t *const identity = (int32_t *)(void *)(ranks->list + lists);
  for (size_t i = 0; i < most; i++) {
    identity[i] = (int32_t)i;
  }
  for (int32_t i = 0; i < lists; i++) {
    const tl_halo_list *const from = list_of(halo, i);
    tl_cuda_list *const list = &ranks->list[i];
    list->sends = from->send_first[halo->size];
    list->receives = from->receive_first[halo->size];
    list->staged = *from;
    list->staged.send = identity;
    list->staged.receive = identity + list->sends;
  }
  return TALUS_OK;
}

size_t padded(size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

/* Roles, numbers and places to the device, in one image. */
talus_status places_send(tl_cuda_engine *engine, const tl_halo *halo, size_t elements) {
  tl_cuda_ranks *const ranks = &engine->ranks;
  const tl_shape *const shape = &engine->work.view.shape;
  const size_t chunks = (size_t)shape->chunk_count, units = (size_t)shape->unit_chunk_count;
  const size_t contacts = (size_t)shape->contact_count;
  const size_t bytes =
      padded(chunks) + padded(units) + padded((contacts + elements) * sizeof(int32_t));
  TL_TRY(tl_cuda_reserve(engine->device, &ranks->places, bytes, "what ranks exchange"));
  TL_TRY(tl_buffer_reserve(engine->context, &ranks->image, bytes, 1, "what ranks exchange"));
  char *at = (char *)ranks->image.memory, *there = (char *)ranks->places.memory;
  ranks->chunk_role = tl_cuda_put(&at, &there, halo->chunk_role, chunks, padded(chunks));
  ranks->unit_own = tl_cuda_put(&at, &there, (const uint8_t *)halo->unit_own, units, padded(units));
  ranks->number = tl_cuda_put(&at, &there, halo->number, contacts, contacts);
  for (int32_t i = 0; i < list_count(engine); i++) {
    const tl_halo_list *const from = list_of(halo, i);
    const size_t sends = (size_t)ranks->list[i].sends, receives = (size_t)ranks->list[i].receives;
    ranks->list[i].place = tl_cuda_put(&at, &there, from->send, sends, sends);
    (void)tl_cuda_put(&at, &there, from->receive, receives, receives);
  }
  return tl_cuda_send_all(engine->device, ranks->image.memory, ranks->places.memory, bytes);
}

talus_status pinned_reserve(tl_cuda_engine *engine, size_t bytes) {
  tl_cuda_ranks *const ranks = &engine->ranks;
  if (bytes <= ranks->pinned_bytes) {
    return TALUS_OK;
  }
  TL_TRY(tl_cuda_wait(engine->device));
  if (ranks->pinned != NULL) {
    TL_CUDA_TRY(engine->device, cudaFreeHost(ranks->pinned));
  }
  ranks->pinned = NULL;
  ranks->pinned_bytes = 0;
  TL_CUDA_TRY(engine->device, cudaHostAlloc((void **)&ranks->pinned, bytes, cudaHostAllocDefault));
  ranks->pinned_bytes = bytes;
  return TALUS_OK;
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Where real c of an element is: an impulse, or a record without its masses. */
__device__ __forceinline__ int64_t real_of(int32_t place, int32_t reals, int32_t c) {
  return reals == IMPULSE ? 3 * (int64_t)place + c
                          : TL_RECORD * (int64_t)place + (c < 3 ? c : c + 1);
}

__global__ void __launch_bounds__(TL_CHUNK)
    pack_kernel(const tl_real *array, const int32_t *place, const int64_t count,
                const int32_t reals, tl_real *packed) {
  const int64_t i = tl_thread_index();
  if (i < count) {
    packed[i] = array[real_of(place[i / reals], reals, (int32_t)(i % reals))];
  }
}

__global__ void __launch_bounds__(TL_CHUNK)
    unpack_kernel(const tl_real *packed, const int32_t *place, const int64_t count,
                  const int32_t reals, tl_real *array) {
  const int64_t i = tl_thread_index();
  if (i < count) {
    array[real_of(place[i / reals], reals, (int32_t)(i % reals))] = packed[i];
  }
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* What a block sums up: the partial sums whose chunks are this rank's own. */
struct own_sums {
  const double *partial[SUMS];
  const uint8_t *own[SUMS];
  unsigned count[SUMS];
};

__global__ void __launch_bounds__(TL_CHUNK) digits_kernel(const own_sums sums, int64_t *digits) {
  __shared__ tl_exact sum;
  const unsigned n = blockIdx.x;
  for (unsigned i = threadIdx.x; i < TL_EXACT_DIGITS; i += TL_CHUNK) {
    sum.digit[i] = 0;
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < sums.count[n]; i += TL_CHUNK) {
    if (sums.own[n][i] != 0) {
      tl_sum_exact_add(&sum, sums.partial[n][i]);
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < TL_EXACT_DIGITS; i += TL_CHUNK) {
    digits[n * TL_EXACT_DIGITS + i] = sum.digit[i];
  }
}

} // namespace

talus_status tl_cuda_ranks_take(tl_cuda_engine *engine, tl_halo *halo) {
  tl_cuda_ranks *const ranks = &engine->ranks;
  size_t all, most;
  ranks->halo = NULL;
  if (halo == NULL) {
    return TALUS_OK;
  }
  lists_measure(engine, halo, &all, &most);
  const size_t packed = most * VELOCITY * sizeof(tl_real);
  TL_TRY(lists_make(engine, halo, most));
  TL_TRY(places_send(engine, halo, all));
  TL_TRY(tl_cuda_reserve(engine->device, &ranks->packed, packed, "messages of ranks"));
  TL_TRY(tl_cuda_reserve(engine->device, &ranks->digits, DIGIT_BYTES, "sums of ranks"));
  TL_TRY(pinned_reserve(engine, DIGIT_BYTES + packed));
  ranks->halo = halo;
  return TALUS_OK;
}

void tl_cuda_ranks_release(tl_cuda_engine *engine) {
  tl_cuda_ranks *const ranks = &engine->ranks;
  tl_cuda_release(engine->device, &ranks->places);
  tl_cuda_release(engine->device, &ranks->packed);
  tl_cuda_release(engine->device, &ranks->digits);
  if (ranks->pinned != NULL && cudaFreeHost(ranks->pinned) != cudaSuccess) {
    (void)cudaGetLastError(); /* as in tl_cuda_release: told by the calls before */
  }
  tl_buffer_release(engine->context, &ranks->lists);
  tl_buffer_release(engine->context, &ranks->image);
}

talus_status tl_cuda_ranks_exchange(tl_cuda_engine *engine, int which, tl_real *array) {
  tl_cuda_ranks *const ranks = &engine->ranks;
  const tl_cuda_list *const list = &ranks->list[which];
  const int32_t reals = reals_of(which);
  const int64_t sends = (int64_t)reals * list->sends, receives = (int64_t)reals * list->receives;
  tl_real *const packed = (tl_real *)ranks->packed.memory;
  tl_real *const staged = (tl_real *)(void *)(ranks->pinned + DIGIT_BYTES);
  if (sends > 0) {
    TL_LAUNCH(engine, tl_cuda_blocks(sends, TL_CHUNK), TL_CHUNK, pack_kernel,
              (const tl_real *)array, list->place, sends, reals, packed);
    TL_TRY(tl_cuda_copy(engine->device, staged, packed, (size_t)sends * sizeof *packed,
                        cudaMemcpyDeviceToHost));
  }
  if (sends + receives > 0) { /* what came last may still be on its way, too */
    TL_TRY(tl_cuda_wait(engine->device));
  }
  ranks->halo->exchange(ranks->halo, &list->staged, staged, reals * (int32_t)sizeof *staged);
  if (receives > 0) {
    TL_TRY(tl_cuda_copy(engine->device, packed + sends, staged + sends,
                        (size_t)receives * sizeof *packed, cudaMemcpyHostToDevice));
    TL_LAUNCH(engine, tl_cuda_blocks(receives, TL_CHUNK), TL_CHUNK, unpack_kernel,
              (const tl_real *)packed + sends, list->place + list->sends, receives, reals, array);
  }
  return TALUS_OK;
}

talus_status tl_cuda_ranks_sum(tl_cuda_engine *engine, int count, double *sum) {
  tl_cuda_ranks *const ranks = &engine->ranks;
  const tl_cuda_work *const work = &engine->work;
  const unsigned chunks = (unsigned)work->view.shape.chunk_count;
  const own_sums sums = {{work->first_sum, work->second_sum, work->energy},
                         {ranks->chunk_role, ranks->chunk_role, ranks->unit_own},
                         {chunks, chunks, (unsigned)work->view.shape.unit_chunk_count}};
  TL_LAUNCH(engine, (unsigned)count, TL_CHUNK, digits_kernel, sums,
            (int64_t *)ranks->digits.memory);
  TL_TRY(tl_cuda_copy(engine->device, ranks->pinned, ranks->digits.memory,
                      (size_t)count * sizeof(tl_exact), cudaMemcpyDeviceToHost));
  TL_TRY(tl_cuda_wait(engine->device));
  tl_exact *const all = (tl_exact *)(void *)ranks->pinned;
  ranks->halo->sum(ranks->halo, all[0].digit, count * TL_EXACT_DIGITS);
  for (int n = 0; n < count; n++) {
    sum[n] = tl_exact_round(&all[n]);
  }
  return TALUS_OK;
}
