/* contact_cuda.cuh: the one kernel over contacts: a block takes a chunk, or the chunks of a group
 * one after the other (groups: bricks), a thread a contact.
 *
 * What is done is the PASS's business, known when compiling:
 *   share<KIND>(work, range, k)   one contact's item, its two shares of the sums
 *   finish(control, a, b)         one thread of the last block, with the sums over all contacts
 *   is_due(control)               whether it does anything
 *   ordered                       1: a colour begins when those before it have ended
 * A pass may be spread over several launches (ranges, colours): the ticket counts through. */
#ifndef TL_CONTACT_CUDA_CUH
#define TL_CONTACT_CUDA_CUH

#include "kernels/cuda/engine_cuda.cuh"
#include "kernels/cuda/sum_cuda.h"
#include "kernels/cuda/sum_exact_cuda.h"

/* Both sums over all chunks, by all threads of a block; thread 0's. */
static __device__ __forceinline__ void tl_cuda_total(const tl_cuda_work &work, double (&all)[2]) {
  const unsigned count = tl_chunks_of(work, work.contact_blocks);
  if (work.view.shape.unit_chunk_count > 0) {
    all[0] = tl_sum_exact(work.first_sum, count);
    all[1] = tl_sum_exact(work.second_sum, count);
    return;
  }
  all[0] = tl_sum_leaf(work.first_sum, count);
  all[1] = tl_sum_leaf(work.second_sum, count);
  tl_sum_block(all);
}

/* Which chunks a launch is for: first .. end - 1, or the groups of these numbers; blocks of all
 * launches of the pass. */
struct tl_cuda_part {
  int32_t first, end;
  bool groups;
  unsigned all;
};

/* One chunk: its contacts, and its sums. */
template <class PASS>
static __device__ __forceinline__ void chunk_run(const tl_cuda_work &work, const tl_range range,
                                                 const int32_t chunk) {
  const int32_t k = work.view.chunk_first[chunk] + (int32_t)threadIdx.x;
  double sum[2] = {0, 0};
  if (k < work.view.chunk_first[chunk + 1]) {
    const tl_share share = PASS::share(work, range, k);
    sum[0] = share.step_norm2;
    sum[1] = share.restart_test;
  }
  tl_sum_block(sum);
  if (threadIdx.x == 0) {
    work.first_sum[chunk] = sum[0];
    work.second_sum[chunk] = sum[1];
  }
  __syncthreads(); /* the next chunk of a group reads what this one wrote */
}

/* The next chunk, or group of chunks, of a sweep over all colours, as soon as the colours before
 * its own are done. Blocks that came earlier have taken those before it, and run: the wait ends.
 * As many done as there are before this colour means all of those, since no other may have
 * begun. */
static __device__ __forceinline__ int32_t tl_group_next(const tl_cuda_work &work,
                                                        const unsigned all) {
  __shared__ int32_t next;
  if (threadIdx.x == 0) {
    next = (int32_t)atomicInc(&work.control->groups_begun, all - 1);
    int32_t colour = 0;
    const int32_t colours = tl_colours_of(work);
    while (colour + 1 < colours && work.colour_first[colour + 1] <= next) {
      colour++;
    }
    const volatile unsigned *const done = &work.control->contacts_done;
    while (*done < (unsigned)work.colour_first[colour]) {
    }
    __threadfence();
  }
  __syncthreads();
  return next;
}

/* Two blocks to a multiprocessor, that is at most 128 registers a thread: a sweep with arms would
 * take 150 for sm_90. Wrenches need some 200: there the spilling would be dearer. */
template <class PASS, int KIND, int TORQUE>
static __global__ void __launch_bounds__(TL_CHUNK, TORQUE ? 1 : 2)
    contact_kernel(const tl_cuda_work now, const tl_range given, const tl_cuda_part part) {
  const unsigned chunks = tl_chunks_of(now, part.all);
  if (!PASS::is_due(now.control) || (now.live != NULL && blockIdx.x >= chunks)) {
    return;
  }
  const tl_cuda_work work = tl_work_now(now);
  tl_range range = given;
  range.kind = KIND;
  range.torque = TORQUE;
  if (KIND == TL_SPHERES || KIND == TL_ARMS) {
    range.rows = 3;
    range.bilateral = range.bounded = 0;
  }
  const int32_t own = PASS::ordered && work.colour_first != NULL ? tl_group_next(work, chunks)
                                                                 : part.first + (int32_t)blockIdx.x;
  if (own >= part.end) { /* there is no contact at all, but the end must be told */
    if (threadIdx.x == 0) {
      work.first_sum[own] = work.second_sum[own] = 0;
    }
  } else if (part.groups) {
    for (int32_t c = work.view.group_chunk[own]; c < work.view.group_chunk[own + 1]; c++) {
      chunk_run<PASS>(work, range, c);
    }
  } else {
    chunk_run<PASS>(work, range, own);
  }
  if (tl_sum_is_last(&work.control->contacts_done, chunks)) {
    double all[2];
    tl_cuda_total(work, all);
    if (threadIdx.x == 0) {
      PASS::finish(work.control, all[0], all[1]);
    }
  }
}

/* Contacts of six rows, which no form with a stored W has. */
template <class PASS>
static talus_status tl_cuda_torque_chunks(tl_cuda_engine *engine, const tl_range &range,
                                          const tl_cuda_part &part, unsigned blocks) {
  switch (range.kind) {
  case TL_SPHERES:
    TL_LAUNCH(engine, blocks, TL_CHUNK, contact_kernel<PASS, TL_SPHERES, 1>, engine->work, range,
              part);
    break;
  case TL_ARMS:
    TL_LAUNCH(engine, blocks, TL_CHUNK, contact_kernel<PASS, TL_ARMS, 1>, engine->work, range,
              part);
    break;
  default:
    TL_LAUNCH(engine, blocks, TL_CHUNK, contact_kernel<PASS, TL_BLOCKS, 1>, engine->work, range,
              part);
    break;
  }
  return TALUS_OK;
}

/* Chunks or groups, all of one range. */
template <class PASS>
static talus_status tl_cuda_part_run(tl_cuda_engine *engine, const tl_range &range,
                                     const tl_cuda_part &part) {
  const unsigned blocks = part.end > part.first ? (unsigned)(part.end - part.first) : 1;
  if (range.torque) {
    return tl_cuda_torque_chunks<PASS>(engine, range, part, blocks);
  }
  switch (range.kind) {
  case TL_SPHERES:
    TL_LAUNCH(engine, blocks, TL_CHUNK, contact_kernel<PASS, TL_SPHERES, 0>, engine->work, range,
              part);
    break;
  case TL_ARMS:
    TL_LAUNCH(engine, blocks, TL_CHUNK, contact_kernel<PASS, TL_ARMS, 0>, engine->work, range,
              part);
    break;
  case TL_BLOCKS:
    TL_LAUNCH(engine, blocks, TL_CHUNK, contact_kernel<PASS, TL_BLOCKS, 0>, engine->work, range,
              part);
    break;
  default:
    TL_LAUNCH(engine, blocks, TL_CHUNK, contact_kernel<PASS, TL_MATRIX, 0>, engine->work, range,
              part);
    break;
  }
  return TALUS_OK;
}

/* The chunks first .. end-1, all of one range. */
template <class PASS>
static talus_status tl_cuda_chunks(tl_cuda_engine *engine, const tl_range &range, int32_t first,
                                   int32_t end) {
  const tl_cuda_part part = {first, end, false, engine->work.contact_blocks};
  return tl_cuda_part_run<PASS>(engine, range, part);
}

/* All contacts. */
template <class PASS> static talus_status tl_cuda_contacts(tl_cuda_engine *engine) {
  const tl_shape *const shape = &engine->work.view.shape;
  if (shape->chunk_count == 0) {
    return tl_cuda_chunks<PASS>(engine, shape->range[0], 0, 0);
  }
  for (int32_t i = 0; i < shape->range_count; i++) {
    const tl_range *const range = &shape->range[i];
    if (range->chunk_count > 0) {
      TL_TRY(tl_cuda_chunks<PASS>(engine, *range, range->chunk_first,
                                  range->chunk_first + range->chunk_count));
    }
  }
  return TALUS_OK;
}

#endif
