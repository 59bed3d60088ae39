/* judge_cuda.cu: the certificate of impulses where the problem is: its facts and sums, by the items
 * of item/judge.h over the caller's arrays.
 *
 * Bodies gather momentum over the ends of their contacts in the caller's order; a block judges a
 * run of 256 contacts and adds them one after the other, and one block the runs: as the host does,
 * with its bits. Compiled once; impulses are doubles in the caller's order. */
#include <string.h>

#include "kernels/cuda/assembly_cuda.cuh"
#include "kernels/cuda/primitives.h"
#include "kernels/item/judge_rigid.h"

namespace {

enum { GROUP = 10, TILE = 64 }; /* sums added at a time; runs */

/* What the kernels share; by value. */
struct judge_work {
  talus_rigid rigid;
  const double *friction, *compliance, *target; /* compliance NULL: nothing gives way */
  int32_t capacity, body_blocks;                /* contacts that there is room for */
  const tl_cuda_live *live;
  double *impulse;                      /* [3 contacts] */
  double *motion;                       /* [6 bodies] */
  double *velocity;                     /* [3 contacts] */
  uint32_t *key, *sorted, *end, *other; /* [2 contacts] */
  int32_t *end_first;                   /* [bodies + 1] */
  double *part;                         /* [runs][TL_JUDGE_SUMS] */
  tl_judge_balance *balance;            /* [body_blocks] */
  tl_cuda_judged *result;
};

/* ---- the ends of the bodies ------------------------------------------------------------------ */

__global__ void __launch_bounds__(TL_CHUNK) judge_ends_kernel(const judge_work w) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 2 * (int64_t)w.capacity) {
    w.key[i] = TL_NO_KEY;
    w.other[i] = (uint32_t)i;
  }
  if (i < 2 * (int64_t)w.live->contacts) {
    const int32_t body = i % 2 ? w.rigid.body_b[i / 2] : w.rigid.body_a[i / 2];
    w.key[i] = (uint32_t)(body >= 0 ? body : w.rigid.body_count);
  }
}

/* first[b]: how many keys are below b. */
__global__ void __launch_bounds__(TL_CHUNK) judge_first_kernel(const judge_work w) {
  const int32_t b = tl_cuda_item();
  if (b > w.rigid.body_count) {
    return;
  }
  int64_t low = 0, high = 2 * (int64_t)w.live->contacts;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (w.sorted[middle] < (uint32_t)b) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  w.end_first[b] = (int32_t)low;
}

/* ---- facts and sums -------------------------------------------------------------------------- */

__global__ void __launch_bounds__(TL_CHUNK) judge_bodies_kernel(const judge_work w) {
  __shared__ tl_judge_balance own[TL_CHUNK];
  const int32_t i = tl_cuda_item();
  own[threadIdx.x].given = own[threadIdx.x].missing = 0;
  if (i < w.rigid.body_count) {
    double momentum[6] = {0, 0, 0, 0, 0, 0};
    for (int32_t e = w.end_first[i]; e < w.end_first[i + 1]; e++) {
      const int64_t k = w.end[e] >> 1;
      tl_judge_push(&w.rigid, k, (int)(w.end[e] & 1), w.impulse + 3 * k, NULL, momentum);
    }
    own[threadIdx.x] = tl_judge_move(&w.rigid, i, momentum);
    for (int c = 0; c < 6; c++) {
      w.motion[6 * (int64_t)i + c] = momentum[c];
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    tl_judge_balance sum = {0, 0};
    for (int t = 0; t < TL_CHUNK; t++) {
      sum.given += own[t].given;
      sum.missing += own[t].missing;
    }
    w.balance[blockIdx.x] = sum;
  }
}

/* Contact k as it stands; its impulse is read. */
__device__ __forceinline__ tl_judge_fact fact_of(const judge_work &w, int64_t k) {
  tl_judge_fact f;
  for (int c = 0; c < 3; c++) {
    f.impulse[c] = w.impulse[3 * k + c];
  }
  tl_judge_rigid(&w.rigid, w.motion, k, &f);
  return f;
}

__device__ __forceinline__ void contact_judge(const judge_work &w, int64_t k, tl_judge_sums *s) {
  const double *const n = w.rigid.normal + 3 * k;
  const double mu = w.friction != NULL ? w.friction[k] : 0;
  double residual[2], reference[2];
  tl_judge_fact f = fact_of(w, k);
  for (int c = 0; c < 3; c++) {
    w.velocity[3 * k + c] = f.velocity[c];
  }
  if (w.compliance != NULL) {
    tl_yielding c = {w.compliance[2 * k], w.compliance[2 * k + 1], {0, 0, 0}};
    for (int i = 0; i < 3 && w.target != NULL; i++) {
      c.target[i] = w.target[3 * k + i];
    }
    tl_judge_squares(&f, mu, n, s->rigid, s->rigid_reference);
    tl_judge_comply(&f, &c, n, 3);
  }
  tl_judge_contact(&f, mu, n, residual, reference, s);
  for (int law = 0; law < TL_LAW_COUNT; law++) {
    s->faceted[law] = residual[law];
    s->faceted_reference[law] = reference[law];
  }
}

__device__ __forceinline__ double fold(int field, double sum, double value) {
  return field < TL_JUDGE_ADDED ? sum + value : tl_judge_larger(sum, value);
}

__global__ void __launch_bounds__(TL_CHUNK) judge_run_kernel(const judge_work w) {
  __shared__ double room[GROUP][TL_CHUNK + 1];
  const int64_t first = (int64_t)blockIdx.x * TL_CHUNK, k = first + threadIdx.x;
  const int64_t contacts = w.live->contacts;
  if (first >= contacts) {
    return;
  }
  const int count = contacts - first < TL_CHUNK ? (int)(contacts - first) : TL_CHUNK;
  tl_judge_sums own = {};
  if (k < contacts) {
    contact_judge(w, k, &own);
  }
  double value[TL_JUDGE_SUMS];
  memcpy(value, &own, sizeof value);
  for (int group = 0; group < TL_JUDGE_SUMS; group += GROUP) {
    for (int g = 0; g < GROUP; g++) {
      room[g][threadIdx.x] = value[group + g];
    }
    __syncthreads();
    if (threadIdx.x < GROUP) {
      double sum = 0;
      for (int t = 0; t < count; t++) {
        sum = fold(group + (int)threadIdx.x, sum, room[threadIdx.x][t]);
      }
      w.part[(int64_t)blockIdx.x * TL_JUDGE_SUMS + group + threadIdx.x] = sum;
    }
    __syncthreads();
  }
}

/* All runs, and all bodies, one after the other. */
__global__ void __launch_bounds__(TL_CHUNK) judge_all_kernel(const judge_work w) {
  __shared__ double room[TILE * TL_JUDGE_SUMS];
  const int field = (int)threadIdx.x;
  const int32_t runs = (w.live->contacts + TL_CHUNK - 1) / TL_CHUNK;
  double sum = 0;
  for (int32_t run = 0; run < runs; run += TILE) {
    const int count = runs - run < TILE ? runs - run : TILE;
    for (int i = (int)threadIdx.x; i < count * TL_JUDGE_SUMS; i += TL_CHUNK) {
      room[i] = w.part[(int64_t)run * TL_JUDGE_SUMS + i];
    }
    __syncthreads();
    for (int t = 0; t < count && field < TL_JUDGE_SUMS; t++) {
      sum = fold(field, sum, room[t * TL_JUDGE_SUMS + field]);
    }
    __syncthreads();
  }
  if (field < TL_JUDGE_SUMS) {
    ((double *)&w.result->sums)[field] = sum;
  }
  if (field == TL_JUDGE_SUMS) {
    tl_judge_balance all = {0, 0};
    for (int32_t b = 0; b < w.body_blocks; b++) {
      all.given += w.balance[b].given;
      all.missing += w.balance[b].missing;
    }
    w.result->balance = all;
  }
}

/* ---- memory ---------------------------------------------------------------------------------- */

void pieces_make(tl_cuda_pieces *p, judge_work *w) {
  const int64_t contacts = w->capacity, bodies = w->rigid.body_count;
  tl_cuda_piece(p, &w->impulse, 3 * contacts);
  tl_cuda_piece(p, &w->motion, 6 * bodies);
  tl_cuda_piece(p, &w->velocity, 3 * contacts);
  tl_cuda_piece(p, &w->key, 2 * contacts);
  tl_cuda_piece(p, &w->sorted, 2 * contacts);
  tl_cuda_piece(p, &w->end, 2 * contacts);
  tl_cuda_piece(p, &w->other, 2 * contacts);
  tl_cuda_piece(p, &w->end_first, bodies + 1);
  tl_cuda_piece(p, &w->part, TL_JUDGE_SUMS * (contacts / TL_CHUNK + 1));
  tl_cuda_piece(p, &w->balance, w->body_blocks);
  tl_cuda_piece(p, &w->result, 1);
}

/* Where everything is; the memory is there. */
judge_work work_of(const tl_cuda_assembly *assembly) {
  const tl_cuda_raw *const raw = (const tl_cuda_raw *)assembly->raw.memory;
  judge_work w = {};
  w.rigid = raw->rigid;
  w.friction = raw->friction;
  w.compliance = raw->compliant ? raw->compliance : NULL;
  w.target = raw->target;
  w.capacity = raw->capacity;
  w.live = raw->live;
  w.body_blocks = (raw->rigid.body_count + TL_CHUNK - 1) / TL_CHUNK;
  tl_cuda_pieces room = {(char *)assembly->judge.memory, 0};
  pieces_make(&room, &w);
  return w;
}

talus_status ends_sort(tl_cuda_device *device, tl_cuda_assembly *assembly, const judge_work *w) {
  const int64_t count = 2 * (int64_t)w->capacity;
  const int bits = tl_cuda_bits((uint32_t)w->rigid.body_count);
  size_t bytes = 0;
  TL_CUDA_TRY(device, tl_cuda_sort_pairs(NULL, NULL, NULL, NULL, count, bits, NULL, &bytes,
                                         device->stream));
  TL_TRY(tl_cuda_reserve(device, &assembly->scratch, bytes, "sorting ends"));
  TL_CUDA_LAUNCH(device, count, judge_ends_kernel, *w);
  TL_CUDA_RUN(device, tl_cuda_sort_pairs(w->key, w->sorted, w->other, w->end, count, bits,
                                         assembly->scratch.memory, &bytes, device->stream));
  TL_CUDA_LAUNCH(device, (int64_t)w->rigid.body_count + 1, judge_first_kernel, *w);
  return TALUS_OK;
}

} // namespace

talus_status tl_cuda_judge_open(tl_cuda_device *device, tl_cuda_assembly *assembly,
                                tl_cuda_judging *judging) {
  const tl_cuda_raw *const raw = (const tl_cuda_raw *)assembly->raw.memory;
  judge_work w = work_of(assembly);
  tl_cuda_pieces count = {NULL, 0};
  pieces_make(&count, &w);
  TL_TRY(tl_cuda_reserve(device, &assembly->judge, count.used, "certificate"));
  w = work_of(assembly);
  if (!assembly->ends_sorted) {
    TL_TRY(ends_sort(device, assembly, &w));
    assembly->ends_sorted = 1;
  }
  *judging = {w.impulse, raw->order, raw->all->unit, raw->live, raw->capacity};
  return TALUS_OK;
}

talus_status tl_cuda_judge(tl_cuda_device *device, const tl_cuda_assembly *assembly,
                           tl_cuda_judged *judged) {
  const judge_work w = work_of(assembly);
  TL_CUDA_LAUNCH(device, w.rigid.body_count, judge_bodies_kernel, w);
  TL_CUDA_LAUNCH(device, w.capacity, judge_run_kernel, w);
  TL_TRY(tl_cuda_check(device,
                       tl_cuda_start(device, device->stream, 1, TL_CHUNK, judge_all_kernel, w),
                       "kernel launch", __func__));
  TL_TRY(tl_cuda_copy(device, judged, w.result, sizeof *judged, cudaMemcpyDeviceToHost));
  return TALUS_OK;
}

talus_status tl_cuda_judge_give(tl_cuda_device *device, const tl_cuda_assembly *assembly,
                                tl_result which, const tl_caller_array *array) {
  const judge_work w = work_of(assembly);
  double *from = w.impulse;
  if (which == TL_RESULT_CONTACT_VELOCITY) {
    from = w.velocity;
  } else if (which != TL_RESULT_IMPULSE) {
    from = w.motion + (which == TL_RESULT_ANGULAR ? 3 : 0);
  }
  TL_TRY(tl_cuda_field_check(device, array, 1));
  const bool of_bodies = which == TL_RESULT_VELOCITY || which == TL_RESULT_ANGULAR;
  return tl_cuda_field_unpack(device, array, from, of_bodies ? NULL : &w.live->contacts);
}
