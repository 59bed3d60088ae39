/* assembly_cuda.cu: form (a) on the device: memory, assembly, units, R(0), each as it is asked for
 * by assembly_attempt_cuda.cu.
 *
 * The arithmetic is that of item/rigid.h, sums run over the host's chunks: the bits are the host's.
 * A handful of scalars comes back; everything else stays. */
#include "kernels/cuda/assembly_cuda.cuh"

#include <math.h>
#include <string.h>

namespace {

/* ---- assembly -------------------------------------------------------------------------------- */

__global__ void __launch_bounds__(TL_CHUNK)
    bodies_fill_kernel(const tl_cuda_raw w, const tl_system s) {
  const int32_t i = tl_cuda_item();
  if (i < w.rigid.body_count && w.number[i] >= 0) {
    const int32_t kind = s.shape.body_kind;
    tl_rigid_body_fill(&w.rigid, i, kind,
                       s.body + (kind == TL_SPHERES ? 4 : 16) * (int64_t)w.number[i]);
  }
}

/* After the bodies, whose records are read. */
__global__ void __launch_bounds__(TL_CHUNK)
    contacts_fill_kernel(const tl_cuda_raw w, const tl_system s) {
  const int32_t place = tl_cuda_item();
  if (place < tl_cuda_contacts(w)) {
    double square = 0;
    const double weight = tl_rigid_contact_fill(&w.rigid, w.friction, w.number, &s, place,
                                                (int32_t)w.order[place], &square);
    if (!(weight > 0) || !isfinite(weight)) {
      atomicOr(&w.all->defect, 1u);
    }
    w.share[0][place] = square;
  }
}

/* One after the other within a chunk, then chunk after chunk, as the host adds. Shares `from` on,
 * `count` of them. */
__global__ void __launch_bounds__(TL_CHUNK)
    chunk_sum_kernel(const tl_cuda_raw w, const int from, const int count) {
  const int which = from + (int)blockIdx.x % count;
  const int32_t contacts = tl_cuda_contacts(w);
  const int64_t c = (int64_t)(blockIdx.x / count) * TL_CHUNK + threadIdx.x;
  if (c * TL_CHUNK < contacts) {
    const int32_t first = (int32_t)c * TL_CHUNK;
    const int32_t end = contacts - first < TL_CHUNK ? contacts : first + TL_CHUNK;
    double sum = 0;
    for (int32_t k = first; k < end; k++) {
      sum += w.share[which][k];
    }
    w.chunk[which][c] = sum;
  }
}

/* The chunks' sums one after the other to sum[to], a block for each share, from 0 or, `on`, from
 * what is there: 256 of them are read at once, since only the additions must wait. */
__global__ void __launch_bounds__(TL_CHUNK)
    all_sum_kernel(const tl_cuda_raw w, const int from, const int first_to, const int on) {
  __shared__ double part[TL_CHUNK];
  const int which = from + (int)blockIdx.x, to = first_to + (int)blockIdx.x;
  const int32_t chunks = (tl_cuda_contacts(w) + TL_CHUNK - 1) / TL_CHUNK;
  double sum = on ? w.all->sum[to] : 0;
  for (int32_t first = 0; first < chunks; first += TL_CHUNK) {
    const int32_t c = first + (int32_t)threadIdx.x;
    part[threadIdx.x] = c < chunks ? w.chunk[which][c] : 0;
    __syncthreads();
    for (int32_t i = 0; i < TL_CHUNK && first + i < chunks && threadIdx.x == 0; i++) {
      sum += part[i];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    w.all->sum[to] = sum;
  }
}

/* ---- units ----------------------------------------------------------------------------------- */

/* As units_choose of host/problem/assembly.c. */
__device__ __forceinline__ void units_choose(tl_cuda_facts *all) {
  const volatile unsigned long long *const exponent = all->exponent;
  for (int i = 0; i < 2; i++) {
    all->unit[i] =
        ldexp(1.0, -tl_rigid_exponent((long long)exponent[2 * i], (long long)exponent[2 * i + 1]));
  }
}

/* Sums of integers are exact in double: any order gives the same. The last block has the units. */
__global__ void __launch_bounds__(TL_CHUNK)
    exponents_kernel(const tl_cuda_raw w, const tl_system s) {
  const int32_t k = tl_cuda_item();
  double part[4] = {0, 0, 0, 0};
  if (k < tl_cuda_contacts(w)) {
    const double value[2] = {s.weight[k],
                             fmax(fabs(s.free_x[k]), fmax(fabs(s.free_y[k]), fabs(s.free_z[k])))};
    for (int i = 0; i < 2; i++) {
      if (value[i] > 0) {
        int exponent;
        (void)frexp(value[i], &exponent);
        part[2 * i] = exponent;
        part[2 * i + 1] = 1;
      }
    }
  }
  tl_sum_block(part);
  for (int i = 0; i < 4 && threadIdx.x == 0; i++) {
    atomicAdd(&w.all->exponent[i], (unsigned long long)(long long)part[i]);
  }
  if (tl_sum_is_last(&w.all->ticket, gridDim.x) && threadIdx.x == 0) {
    units_choose(w.all);
  }
}

/* W' = weight_unit W, q' = speed_unit q. */
__device__ __forceinline__ void contact_scale(const tl_system &s, int32_t k, double weight_unit,
                                              double speed_unit) {
  s.free_x[k] *= speed_unit;
  s.free_y[k] *= speed_unit;
  s.free_z[k] *= speed_unit;
  s.scale_n[k] *= weight_unit;
  s.scale_t[k] *= weight_unit;
  s.weight[k] *= weight_unit;
  for (int c = 0; c < 3 && s.diagonal != NULL; c++) {
    s.diagonal[3 * (int64_t)k + c] *= weight_unit;
    s.mixed[3 * (int64_t)k + c] *= weight_unit;
  }
  if (s.shape.compliance_count > 0) {
    s.compliance_n[k] *= weight_unit;
    s.compliance_t[k] *= weight_unit;
  }
}

/* Inverse masses, then masses. */
__device__ __forceinline__ void body_scale(const tl_system &s, int32_t i, double weight_unit) {
  if (i < s.shape.rigid_count) {
    const int half = s.shape.body_kind == TL_SPHERES ? 2 : 7;
    double *const body = s.body + (half == 2 ? 4 : 16) * (int64_t)i;
    for (int c = 0; c < 2 * half; c++) {
      body[c] *= c < half ? weight_unit : 1 / weight_unit;
    }
  }
}

__global__ void __launch_bounds__(TL_CHUNK)
    system_scale_kernel(const tl_cuda_raw w, const tl_system s) {
  const int32_t i = tl_cuda_item();
  if (i < tl_cuda_contacts(w)) {
    contact_scale(s, i, w.all->unit[0], w.all->unit[1]);
  }
  body_scale(s, i, w.all->unit[0]);
}

__global__ void __launch_bounds__(TL_CHUNK)
    reference_kernel(const tl_cuda_raw w, const tl_system s) {
  const int32_t k = tl_cuda_item();
  if (k < tl_cuda_contacts(w)) {
    const tl_vec n = tl_load(s.normal, k);
    w.share[0][k] = tl_system_reference(&s, k, n, 0);
    w.share[1][k] = tl_system_reference(&s, k, n, 1);
    w.share[2][k] = 1 / s.weight[k];
  }
}

/* ---- memory ---------------------------------------------------------------------------------- */

void work_pieces(tl_cuda_pieces *p, tl_cuda_raw *w) {
  const int64_t bodies = w->rigid.body_count, contacts = w->capacity;
  tl_cuda_piece(p, &w->all, 1);
  tl_cuda_piece(p, &w->live, 1);
  tl_cuda_piece(p, &w->kept_count, 1);
  tl_cuda_piece(p, &w->moves, bodies);
  tl_cuda_piece(p, &w->scanned, bodies);
  tl_cuda_piece(p, &w->number, bodies);
  tl_cuda_piece(p, &w->kept_a, contacts);
  tl_cuda_piece(p, &w->kept_b, contacts);
  tl_cuda_piece(p, &w->key, contacts);
  tl_cuda_piece(p, &w->sorted, contacts);
  tl_cuda_piece(p, &w->order, contacts);
  tl_cuda_piece(p, &w->other, contacts);
  for (int i = 0; i < TL_CUDA_SUMS; i++) {
    tl_cuda_piece(p, &w->share[i], contacts);
    tl_cuda_piece(p, &w->chunk[i], contacts / TL_CHUNK + 1);
  }
}

void colouring_pieces(tl_cuda_pieces *p, tl_cuda_raw *w, int32_t colours) {
  const int64_t bodies = w->rigid.body_count, contacts = w->capacity;
  tl_cuda_piece(p, &w->colouring.low, contacts);
  tl_cuda_piece(p, &w->colouring.high, contacts);
  tl_cuda_piece(p, &w->colouring.colour, contacts);
  tl_cuda_piece(p, &w->colouring.first, 3 * bodies);
  tl_cuda_piece(p, &w->colouring.palette, bodies);
  tl_cuda_piece(p, &w->place_first, (int64_t)colours + 1);
  tl_cuda_piece(p, &w->colour_first, (int64_t)colours + 1);
}

talus_status work_reserve(tl_cuda_device *device, tl_cuda_assembly *assembly, const tl_raw *raw,
                          tl_cuda_raw *w) {
  tl_cuda_pieces count = {NULL, 0};
  work_pieces(&count, w);
  if (raw->coloured) {
    colouring_pieces(&count, w, assembly->colours);
  }
  TL_TRY(tl_cuda_reserve(device, &assembly->numbers, count.used, "order of contacts"));
  tl_cuda_pieces room = {(char *)assembly->numbers.memory, 0};
  work_pieces(&room, w);
  if (raw->coloured) {
    colouring_pieces(&room, w, assembly->colours);
  }
  return TALUS_OK;
}

bool in_list(const char *name) {
  return strcmp(name, "end") == 0 || strcmp(name, "end_first") == 0;
}

void system_pieces(tl_cuda_pieces *p, tl_system *built) {
  const tl_shape *const s = &built->shape;
#define TL_PLAIN(type, name, count)                          \
  {                                                          \
    const int64_t n = in_list(#name) ? 0 : (int64_t)(count); \
    tl_cuda_piece(p, &built->name, n);                       \
    built->name = n > 0 ? built->name : NULL;                \
  }
#define TL_REALS(name, count) TL_PLAIN(double, name, count)
  TL_ARRAY_LIST(TL_PLAIN, TL_REALS)
#undef TL_PLAIN
#undef TL_REALS
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Whether an array is not as kernels want it. */
bool is_unpacked(const tl_caller_array *field) {
  return field->scalar == TL_SCALAR_F32 || field->components != field->pitch ||
         field->stride != field->pitch * tl_packed_size(field->scalar);
}

size_t packed_bytes(const tl_caller_array *field) {
  return tl_cuda_padded((size_t)(field->count * field->pitch * tl_packed_size(field->scalar)));
}

/* A packed array in device memory: the caller's own, or a copy. */
talus_status array_pack(tl_cuda_device *device, const tl_caller_array *field, char **room,
                        void **array) {
  *array = field->array;
  if (field->array == NULL) {
    return TALUS_OK;
  }
  if (is_unpacked(field)) {
    *array = *room;
    *room += packed_bytes(field);
    TL_TRY(tl_cuda_field_pack(device, field, *array, NULL));
  }
  return TALUS_OK;
}

/* *right: every array is in the memory of this device; *bytes: room for packed copies. */
void arrays_look(tl_cuda_device *device, const tl_raw *raw, bool *right, size_t *bytes) {
  *right = true;
  *bytes = 0;
  const tl_caller_array *field[] = {
#define TL_FIELD(type, name, components, of) &raw->name,
      TL_RAW_LIST(TL_FIELD)
#undef TL_FIELD
          & raw->friction,
      &raw->compliance, &raw->target_impulse, &raw->angular_velocity};
  for (const tl_caller_array *f : field) {
    if (f->array != NULL) {
      *right = *right && tl_cuda_field_check(device, f, 1) == TALUS_OK;
      *bytes += is_unpacked(f) ? packed_bytes(f) : 0;
    }
  }
}

talus_status arrays_take(tl_cuda_device *device, tl_cuda_assembly *assembly, const tl_raw *raw,
                         size_t bytes, tl_cuda_raw *w) {
  TL_TRY(tl_cuda_reserve(device, &assembly->packed, bytes, "arrays of the caller's"));
  char *room = (char *)assembly->packed.memory;
  void *array;
  w->rigid.body_count = raw->body_count;
  w->capacity = assembly->capacity;
#define TL_FIELD(type, name, components, of)             \
  TL_TRY(array_pack(device, &raw->name, &room, &array)); \
  w->rigid.name = (const type *)array;
  TL_RAW_LIST(TL_FIELD)
#undef TL_FIELD
  TL_TRY(array_pack(device, &raw->friction, &room, &array));
  w->friction = (const double *)array;
  TL_TRY(array_pack(device, &raw->compliance, &room, &array));
  w->compliance = (const double *)array;
  TL_TRY(array_pack(device, &raw->target_impulse, &room, &array));
  w->target = (const double *)array;
  if (raw->angular_velocity.array != NULL) { /* beside the linear ones, which were copied */
    TL_TRY(
        tl_cuda_field_pack(device, &raw->angular_velocity, (double *)w->rigid.velocity + 3, NULL));
  }
  return TALUS_OK;
}

/* As tl_assemble_rigid shapes it, with the counts that there is room for. */
void shape_make(const tl_cuda_assembly *assembly, const tl_raw *raw, const tl_cuda_facts *all,
                tl_shape *shape) {
  const int32_t count = assembly->capacity;
  shape->contact_count = shape->rigid_contact_count = shape->entry_base = count;
  shape->rigid_count = (int32_t)all->movers;
  shape->body_kind = all->uneven || raw->arm_a.array != NULL ? TL_ARMS : TL_SPHERES;
  shape->velocity_size = TL_RECORD * (shape->rigid_count + 1);
  shape->chunk_count = tl_cuda_chunks_most(count, raw->coloured ? assembly->colours : 0);
  shape->range_count = 1;
  shape->range[0].kind = shape->body_kind;
  shape->range[0].rows = 3;
  shape->range[0].count = count;
  shape->range[0].chunk_count = shape->chunk_count;
  shape->compliance_count = all->soft ? count : 0;
  shape->end_count = 2 * (int64_t)count;
}

/* `count` shares of all contacts, from `which` on, to sum[to] and behind; on: added to it. */
talus_status contacts_sum(tl_cuda_device *device, const tl_cuda_raw *w, int which, int count,
                          int to, int on) {
  const unsigned blocks = tl_cuda_blocks(w->capacity / TL_CHUNK + 1, TL_CHUNK) * (unsigned)count;
  TL_TRY(tl_cuda_check(
      device,
      tl_cuda_start(device, device->stream, blocks, TL_CHUNK, chunk_sum_kernel, *w, which, count),
      "kernel launch", __func__));
  return tl_cuda_check(device,
                       tl_cuda_start(device, device->stream, (unsigned)count, TL_CHUNK,
                                     all_sum_kernel, *w, which, to, on),
                       "kernel launch", __func__);
}

talus_status system_reserve(tl_cuda_device *device, tl_cuda_assembly *assembly, tl_system *built) {
  tl_cuda_pieces count = {NULL, 0};
  system_pieces(&count, built);
  TL_TRY(tl_cuda_reserve(device, &assembly->arrays, count.used, "assembled problem"));
  tl_cuda_pieces room = {(char *)assembly->arrays.memory, 0};
  system_pieces(&room, built);
  return TALUS_OK;
}

} // namespace

talus_status tl_cuda_work_take(tl_cuda_device *device, tl_cuda_assembly *assembly,
                               const tl_raw *raw, tl_cuda_raw *w, bool *right) {
  size_t bytes;
  *w = {};
  arrays_look(device, raw, right, &bytes);
  if (!*right) {
    return TALUS_OK;
  }
  TL_TRY(arrays_take(device, assembly, raw, bytes, w));
  return work_reserve(device, assembly, raw, w);
}

talus_status tl_cuda_system_make(tl_cuda_device *device, tl_cuda_assembly *assembly,
                                 const tl_raw *raw, const tl_cuda_facts *all, tl_system *built) {
  shape_make(assembly, raw, all, &built->shape);
  return system_reserve(device, assembly, built);
}

talus_status tl_cuda_system_fill(tl_cuda_device *device, const tl_cuda_raw *w,
                                 const tl_system *built) {
  TL_CUDA_LAUNCH(device, w->rigid.body_count, bodies_fill_kernel, *w, *built);
  TL_CUDA_LAUNCH(device, w->capacity, contacts_fill_kernel, *w, *built);
  TL_TRY(contacts_sum(device, w, 0, 1, TL_CUDA_SUMS, 0));
  if (built->shape.compliance_count > 0) {
    TL_TRY(tl_cuda_contacts_comply(device, w, built));
    TL_TRY(contacts_sum(device, w, 1, 1, TL_CUDA_SUMS, 1));
  }
  TL_CUDA_LAUNCH(device, w->capacity, exponents_kernel, *w, *built);
  TL_CUDA_LAUNCH(device, tl_cuda_most(w), system_scale_kernel, *w, *built);
  TL_CUDA_LAUNCH(device, w->capacity, reference_kernel, *w, *built);
  return contacts_sum(device, w, 0, TL_CUDA_SUMS, 0, 0);
}

void tl_cuda_facts_read(const tl_cuda_facts *all, tl_raw *raw) {
  const double s = all->unit[0], c = all->unit[1];
  raw->impulse_unit = s / c;
  raw->velocity_unit = c;
  raw->rounding = all->sum[TL_CUDA_SUMS] * (c * (c / s));
  raw->stiffest = raw->softest = raw->most_compliance = 0;
  if (all->soft) {
    tl_cuda_softness_read(all, raw);
    raw->most_compliance *= s;
  }
  raw->reference[TL_LAW_CCP] = sqrt(all->sum[0]);
  raw->reference[TL_LAW_COULOMB] = sqrt(all->sum[1]);
  raw->inverse_weight = all->sum[2];
}

void tl_cuda_assembly_release(tl_cuda_device *device, tl_cuda_assembly *assembly) {
  tl_cuda_release(device, &assembly->packed);
  tl_cuda_release(device, &assembly->numbers);
  tl_cuda_release(device, &assembly->arrays);
  tl_cuda_release(device, &assembly->scratch);
  tl_buffer_release(device->context, &assembly->raw);
  tl_buffer_release(device->context, &assembly->order);
  tl_cuda_release(device, &assembly->judge);
}

size_t tl_cuda_assembly_bytes(const tl_cuda_assembly *assembly) {
  return assembly->packed.capacity + assembly->numbers.capacity + assembly->arrays.capacity +
         assembly->scratch.capacity + assembly->raw.capacity + assembly->order.capacity +
         assembly->judge.capacity;
}
