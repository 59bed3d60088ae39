/* assembly_order_cuda.cu: form (a) on the device: is it a problem, and in which order do the
 * contacts stand? The predicates are those of item/rigid.h, the order is that of
 * host/problem/order.c: two stable sorts by the bodies of a contact. What is wrong is not told from
 * here: the host looks again and has the words. */
#include "kernels/cuda/assembly_cuda.cuh"
#include "kernels/cuda/primitives.h"

namespace {

__global__ void __launch_bounds__(TL_CHUNK)
    facts_begin_kernel(const tl_cuda_raw w, const int32_t *count, const int32_t contacts) {
  const int32_t given = count != NULL ? *count : contacts;
  const bool fits = given >= 0 && given <= w.capacity && given <= contacts;
  unsigned *const word = (unsigned *)w.all;
  for (unsigned i = threadIdx.x; i < sizeof *w.all / sizeof *word; i += TL_CHUNK) {
    word[i] = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    w.all->contacts = given;
    w.all->outgrown = !fits;
    w.live->contacts = fits ? given : 0;
  }
}

__device__ __forceinline__ int all_finite(const double *value, int count) {
  for (int i = 0; i < count; i++) {
    if (!isfinite(value[i])) {
      return 0;
    }
  }
  return 1;
}

/* ---- check ----------------------------------------------------------------------------------- */

__device__ __forceinline__ void body_check(const tl_cuda_raw &w, int32_t i) {
  if (i >= w.rigid.body_count) {
    return;
  }
  const double *const m = w.rigid.inverse_inertia + 6 * (int64_t)i;
  if (!all_finite(w.rigid.velocity + 6 * (int64_t)i, 6) || !all_finite(m, 6) ||
      !all_finite(w.rigid.inverse_mass + i, 1) || w.rigid.inverse_mass[i] < 0 ||
      !tl_rigid_inertia_good(m)) {
    atomicOr(&w.all->defect, 1u);
  }
  if (!tl_rigid_isotropic(m)) {
    atomicOr(&w.all->uneven, 1u);
  }
  const uint32_t moves = (uint32_t)tl_rigid_moves(&w.rigid, i);
  if (w.moves[i] != moves) {
    w.moves[i] = moves;
    atomicOr(&w.all->others, 1u);
  }
}

__device__ __forceinline__ int contact_good(const tl_cuda_raw &w, int32_t k) {
  const talus_rigid *const r = &w.rigid;
  const int32_t a = r->body_a[k], b = r->body_b[k];
  if (a < -1 || b < -1 || a >= r->body_count || b >= r->body_count || a == b ||
      (!tl_rigid_moves(r, a) && !tl_rigid_moves(r, b))) {
    return 0;
  }
  const double *const n = r->normal + 3 * (int64_t)k;
  return all_finite(n, 3) && tl_rigid_unit(sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])) &&
         (w.friction == NULL || (w.friction[k] >= 0 && w.friction[k] <= TL_FRICTION_MOST)) &&
         (r->reach_a == NULL || (isfinite(r->reach_a[k]) && isfinite(r->reach_b[k]))) &&
         (r->arm_a == NULL ||
          (all_finite(r->arm_a + 3 * (int64_t)k, 3) && all_finite(r->arm_b + 3 * (int64_t)k, 3))) &&
         (w.compliance == NULL ||
          (all_finite(w.compliance + 2 * (int64_t)k, 2) && w.compliance[2 * (int64_t)k] >= 0 &&
           w.compliance[2 * (int64_t)k + 1] >= 0)) &&
         (w.target == NULL || all_finite(w.target + 3 * (int64_t)k, 3)) &&
         (r->bias == NULL || isfinite(r->bias[k])) &&
         (r->surface_velocity == NULL || all_finite(r->surface_velocity + 3 * (int64_t)k, 3));
}

__device__ __forceinline__ void contact_check(const tl_cuda_raw &w, int32_t k) {
  const int32_t contacts = tl_cuda_contacts(w);
  if (k == 0 && *w.kept_count != contacts) {
    *w.kept_count = contacts;
    atomicOr(&w.all->changed, 1u);
  }
  if (k >= contacts) {
    return;
  }
  if (!contact_good(w, k)) {
    atomicOr(&w.all->defect, 1u);
  }
  if (w.compliance != NULL &&
      (w.compliance[2 * (int64_t)k] > 0 || w.compliance[2 * (int64_t)k + 1] > 0)) {
    atomicOr(&w.all->soft, 1u);
  }
  const int32_t a = w.rigid.body_a[k], b = w.rigid.body_b[k];
  if (w.kept_a[k] != a || w.kept_b[k] != b) {
    w.kept_a[k] = a;
    w.kept_b[k] = b;
    atomicOr(&w.all->changed, 1u);
  }
}

/* Nobody may read contacts whose bodies may be none, or by an order that has more of them. */
__device__ __forceinline__ bool is_spoilt(const tl_cuda_facts *all, tl_assembly_program program) {
  const volatile tl_cuda_facts *const now = all;
  return now->defect != 0 || (program != TL_ASSEMBLE_ANEW && now->others != 0) ||
         (program == TL_ASSEMBLE_NUMBERS && now->changed != 0);
}

__global__ void __launch_bounds__(TL_CHUNK)
    arrays_check_kernel(const tl_cuda_raw w, const tl_assembly_program program) {
  body_check(w, tl_cuda_item());
  contact_check(w, tl_cuda_item());
  __syncthreads();
  if (tl_sum_is_last(&w.all->checked, gridDim.x) && threadIdx.x == 0 && is_spoilt(w.all, program)) {
    w.live->contacts = 0;
  }
}

/* ---- numbers of bodies, order of contacts ---------------------------------------------------- */

__global__ void __launch_bounds__(TL_CHUNK) bodies_number_kernel(const tl_cuda_raw w) {
  const int32_t i = tl_cuda_item();
  if (i < w.rigid.body_count) {
    w.number[i] = w.moves[i] ? (int32_t)w.scanned[i] : -1;
    if (i == w.rigid.body_count - 1) {
      w.all->movers = w.scanned[i] + w.moves[i];
    }
  }
}

/* The bodies of contact k that move, the smaller first; `none` where there is no second. */
__device__ __forceinline__ void pair_of(const tl_cuda_raw &w, uint32_t k, uint32_t none,
                                        uint32_t *low, uint32_t *high) {
  const int32_t a = w.rigid.body_a[k], b = w.rigid.body_b[k];
  const uint32_t i = a >= 0 && w.number[a] >= 0 ? (uint32_t)w.number[a] : none;
  const uint32_t j = b >= 0 && w.number[b] >= 0 ? (uint32_t)w.number[b] : none;
  *low = i < j ? i : j;
  *high = i < j ? j : i;
}

/* Keys of the first sort: the second bodies, contacts as they came. Counts the ends. */
__global__ void __launch_bounds__(TL_CHUNK)
    high_keys_kernel(const tl_cuda_raw w, const uint32_t none) {
  const int32_t k = tl_cuda_item();
  double ends[1] = {0};
  if (k < w.capacity) {
    w.key[k] = TL_NO_KEY;
    w.other[k] = (uint32_t)k;
  }
  if (k < tl_cuda_contacts(w)) {
    uint32_t low, high;
    pair_of(w, (uint32_t)k, none, &low, &high);
    w.key[k] = high;
    ends[0] = high == none ? 1 : 2;
  }
  tl_sum_block(ends);
  if (threadIdx.x == 0) {
    atomicAdd(&w.all->ends, (unsigned)ends[0]);
  }
}

/* Keys of the second sort: the first bodies, in the order of the first sort. */
__global__ void __launch_bounds__(TL_CHUNK)
    low_keys_kernel(const tl_cuda_raw w, const uint32_t none) {
  const int32_t place = tl_cuda_item();
  if (place < w.capacity) {
    uint32_t low = TL_NO_KEY, high;
    if (place < tl_cuda_contacts(w)) {
      pair_of(w, w.order[place], none, &low, &high);
    }
    w.key[place] = low;
    w.other[place] = w.order[place];
  }
}

} // namespace

talus_status tl_cuda_facts_begin(tl_cuda_device *device, const tl_cuda_raw *w, const int32_t *count,
                                 int32_t contacts) {
  return tl_cuda_check(
      device,
      tl_cuda_start(device, device->stream, 1, TL_CHUNK, facts_begin_kernel, *w, count, contacts),
      "kernel launch", __func__);
}

talus_status tl_cuda_arrays_check(tl_cuda_device *device, const tl_cuda_raw *w,
                                  tl_assembly_program program) {
  TL_CUDA_LAUNCH(device, tl_cuda_most(w), arrays_check_kernel, *w, program);
  return TALUS_OK;
}

talus_status tl_cuda_bodies_number(tl_cuda_device *device, tl_cuda_assembly *assembly,
                                   const tl_cuda_raw *w) {
  const int64_t bodies = w->rigid.body_count;
  size_t bytes = 0;
  TL_CUDA_TRY(device,
              tl_cuda_exclusive_scan(w->moves, w->scanned, bodies, NULL, &bytes, device->stream));
  TL_TRY(tl_cuda_reserve(device, &assembly->scratch, bytes, "numbering bodies"));
  TL_CUDA_RUN(device, tl_cuda_exclusive_scan(w->moves, w->scanned, bodies, assembly->scratch.memory,
                                             &bytes, device->stream));
  TL_CUDA_LAUNCH(device, bodies, bodies_number_kernel, *w);
  return TALUS_OK;
}

talus_status tl_cuda_contacts_order(tl_cuda_device *device, tl_cuda_assembly *assembly,
                                    const tl_cuda_raw *w, uint32_t movers) {
  const int bits = tl_cuda_bits(movers);
  const int64_t count = w->capacity;
  size_t bytes = 0;
  TL_CUDA_TRY(device, tl_cuda_sort_pairs(NULL, NULL, NULL, NULL, count, bits, NULL, &bytes,
                                         device->stream));
  TL_TRY(tl_cuda_reserve(device, &assembly->scratch, bytes, "sorting contacts"));
  void *const scratch = assembly->scratch.memory;
  TL_CUDA_LAUNCH(device, count, high_keys_kernel, *w, movers);
  TL_CUDA_RUN(device, tl_cuda_sort_pairs(w->key, w->sorted, w->other, w->order, count, bits,
                                         scratch, &bytes, device->stream));
  TL_CUDA_LAUNCH(device, count, low_keys_kernel, *w, movers);
  TL_CUDA_RUN(device, tl_cuda_sort_pairs(w->key, w->sorted, w->other, w->order, count, bits,
                                         scratch, &bytes, device->stream));
  return TALUS_OK;
}
