/* dense_cuda.cu: dense systems in device memory: the object, and the problems in it. */
#include "kernels/cuda/dense_cuda.cuh"
#include "kernels/cuda/dense_library.h"

static void bytes_count(tl_dense_store *d) {
  d->base.bytes = (int64_t)d->arena.capacity;
  for (int32_t i = 0; i < d->capacity; i++) {
    d->base.bytes += (int64_t)(d->slots[i].fixed.capacity + d->slots[i].matrix.capacity);
  }
}

talus_status tl_dense_arena_reserve(tl_dense_store *d, size_t sent, size_t all) {
  TL_TRY(tl_buffer_reserve(d->device->context, &d->image, sent, 1, "dense systems"));
  TL_TRY(tl_cuda_reserve(d->device, &d->arena, all, "dense systems"));
  memset(d->image.memory, 0, sent);
  bytes_count(d);
  return TALUS_OK;
}

talus_status tl_dense_arena_send(tl_dense_store *d, size_t bytes) {
  d->base.counts.sent += (int64_t)bytes;
  return tl_cuda_send_all(d->device, d->image.memory, d->arena.memory, bytes);
}

talus_status tl_dense_arena_fetch(tl_dense_store *d, size_t from, size_t bytes) {
  d->base.counts.fetched += (int64_t)bytes;
  return tl_cuda_fetch_all(d->device, tl_dense_at<char>(d->arena.memory, from), d->image.memory,
                           bytes);
}

namespace {

/* ---- the device ------------------------------------------------------------------------------ */

double attribute(const tl_cuda_device *device, cudaDeviceAttr which) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, device->number) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return value;
}

/* A multiprocessor has 64 lanes of single precision up to 8.0, 128 since; a lane multiplies and
 * adds in each cycle. Clocks are in kHz, memory moves its width twice. */
void rates(talus_context *context, tl_dense_rates *result) {
  const tl_cuda_device *const device = (const tl_cuda_device *)context->device;
  const double version = 10 * attribute(device, cudaDevAttrComputeCapabilityMajor) +
                         attribute(device, cudaDevAttrComputeCapabilityMinor);
  const double ratio = attribute(device, cudaDevAttrSingleToDoublePrecisionPerfRatio);
  const double lanes = (version > 80 ? 128 : 64) / (ratio > 0 ? ratio : 1);
  result->operations =
      2 * lanes * device->processors * 1e3 * attribute(device, cudaDevAttrClockRate);
  result->bytes = 2 * 1e3 * attribute(device, cudaDevAttrMemoryClockRate) *
                  attribute(device, cudaDevAttrGlobalMemoryBusWidth) / 8;
}

talus_status open(talus_context *context) {
  tl_cuda_device *const device = (tl_cuda_device *)context->device;
  TL_CUDA_ENTER(device);
  return tl_dense_library_open(device);
}

int64_t room(talus_context *context) {
  tl_cuda_device *const device = (tl_cuda_device *)context->device;
  const tl_cuda_scope scope(device);
  size_t left = 0, all = 0;
  if (scope.status == TALUS_OK && cudaMemGetInfo(&left, &all) != cudaSuccess) {
    (void)cudaGetLastError();
  }
  return (int64_t)left;
}

/* ---- life ------------------------------------------------------------------------------------ */

void destroy(tl_dense *base) {
  if (base == NULL) {
    return;
  }
  tl_dense_store *const d = (tl_dense_store *)(void *)base;
  talus_context *const context = d->device->context;
  {
    const tl_cuda_scope scope(d->device);
    for (int32_t i = 0; d->slots != NULL && i < d->capacity; i++) {
      tl_cuda_release(d->device, &d->slots[i].fixed);
      tl_cuda_release(d->device, &d->slots[i].matrix);
    }
    tl_cuda_release(d->device, &d->arena);
  }
  tl_buffer_release(context, &d->image);
  tl_free(context, d->slots);
  tl_free(context, d->picked);
  tl_free(context, d);
}

/* All matrices at once: a lack of memory shows before anything was begun. */
talus_status matrices_reserve(tl_dense_store *d) {
  const size_t order = (size_t)d->order;
  for (int32_t i = 0; i < d->capacity; i++) {
    TL_TRY(tl_cuda_reserve(d->device, &d->slots[i].matrix,
                           order * order * sizeof(double) + order * sizeof(int), "a dense matrix"));
  }
  return TALUS_OK;
}

talus_status create(talus_context *context, int32_t capacity, int32_t order, tl_dense **result) {
  tl_cuda_device *const device = (tl_cuda_device *)context->device;
  TL_CUDA_ENTER(device);
  *result = NULL;
  TL_TRY(tl_dense_library_open(device));
  tl_dense_store *d;
  TL_TRY(tl_alloc(context, (void **)&d, 1, sizeof *d, "dense systems"));
  memset((void *)d, 0, sizeof *d);
  d->base.ops = &tl_dense_cuda;
  d->device = device;
  d->capacity = capacity;
  d->order = order;
  talus_status status =
      tl_alloc(context, (void **)&d->slots, (size_t)capacity, sizeof *d->slots, "dense systems");
  if (status == TALUS_OK) {
    memset((void *)d->slots, 0, (size_t)capacity * sizeof *d->slots);
    status = tl_alloc(context, (void **)&d->picked, (size_t)capacity, sizeof *d->picked,
                      "dense systems");
  }
  status = status == TALUS_OK ? matrices_reserve(d) : status;
  if (status == TALUS_OK) {
    *result = &d->base;
    return TALUS_OK;
  }
  destroy(&d->base);
  return status;
}

/* ---- problems -------------------------------------------------------------------------------- */

/* Entries of J by unit, ascending; those of unit u begin at first[u + 1]. */
void ends_fill(const tl_dense_problem *p, int32_t *first, tl_dense_end *end) {
  for (int32_t e = 0; e < p->entry_first[p->count]; e++) {
    first[p->entry[e].unit + 1]++;
  }
  for (int32_t u = 0; u < p->unit_count; u++) {
    first[u + 1] += first[u];
  }
  first[p->unit_count + 1] = p->entry_first[p->count];
  for (int32_t k = p->count - 1; k >= 0; k--) {
    for (int32_t e = p->entry_first[k + 1] - 1; e >= p->entry_first[k]; e--) {
      end[--first[p->entry[e].unit + 1]] = tl_dense_end{k, e};
    }
  }
}

size_t fixed_bytes(const tl_dense_problem *p, int64_t blocks, int64_t entries) {
  tl_dense_layout l = {0};
  l.take_of<int32_t>((size_t)p->count + 1);
  l.take_of<int64_t>((size_t)p->count + 1);
  l.take_of<int32_t>((size_t)blocks);
  l.take_of<double>(9 * (size_t)blocks);
  l.take_of<int32_t>((size_t)p->unit_count + 1);
  l.take_of<int32_t>((size_t)p->count + 1);
  l.take_of<tl_scaled_entry>((size_t)entries);
  l.take_of<double>((size_t)p->jacobian_count);
  l.take_of<int32_t>((size_t)p->unit_count + 2);
  l.take_of<tl_dense_end>((size_t)entries);
  return l.used;
}

/* The problem as it will lie at `base`. */
void fixed_fill(tl_dense_store *d, const tl_dense_problem *p, int64_t blocks, int64_t entries,
                void *base, tl_dense_view *v) {
  const bool bodies = p->unit_count > 0;
  tl_dense_layout l = {0};
  v->count = p->count;
  v->rows = p->rows;
  v->unit_count = p->unit_count;
  v->first = tl_dense_array_put(d, base, &l, p->first, p->count + 1);
  v->block_first = tl_dense_array_put(d, base, &l, p->block_first, bodies ? 0 : p->count + 1);
  v->block_column = tl_dense_array_put(d, base, &l, p->block_column, blocks);
  v->block = tl_dense_array_put(d, base, &l, p->block, 9 * blocks);
  v->unit_first = tl_dense_array_put(d, base, &l, p->unit_first, bodies ? p->unit_count + 1 : 0);
  v->entry_first = tl_dense_array_put(d, base, &l, p->entry_first, bodies ? p->count + 1 : 0);
  v->entry = tl_dense_array_put(d, base, &l, p->entry, entries);
  v->jacobian = tl_dense_array_put(d, base, &l, p->jacobian, bodies ? p->jacobian_count : 0);
  const size_t first = l.take_of<int32_t>((size_t)p->unit_count + 2);
  const size_t end = l.take_of<tl_dense_end>((size_t)entries);
  if (bodies) {
    ends_fill(p, tl_dense_at<int32_t>(d->image.memory, first),
              tl_dense_at<tl_dense_end>(d->image.memory, end));
  }
  v->end_first = tl_dense_at<int32_t>(base, first) + 1;
  v->end = tl_dense_at<tl_dense_end>(base, end);
}

talus_status load(tl_dense *base, int32_t index, const tl_dense_problem *p) {
  tl_dense_store *const d = (tl_dense_store *)(void *)base;
  tl_dense_slot *const s = &d->slots[index];
  const size_t order = (size_t)d->order, rows = (size_t)p->rows;
  const int64_t blocks = p->unit_count > 0 ? 0 : p->block_first[p->count];
  const int64_t entries = p->unit_count > 0 ? p->entry_first[p->count] : 0;
  const size_t sent = fixed_bytes(p, blocks, entries), full = p->full ? rows * rows : 0;
  TL_CUDA_ENTER(d->device);
  TL_TRY(tl_cuda_reserve(d->device, &s->fixed, sent + full * sizeof(double), "a contact problem"));
  TL_TRY(tl_dense_arena_reserve(d, sent + sizeof(tl_dense_view), sizeof(tl_dense_view)));
  s->view = tl_dense_view{};
  fixed_fill(d, p, blocks, entries, s->fixed.memory, &s->view);
  s->view.matrix = tl_dense_at<double>(s->matrix.memory, 0);
  s->view.pivot = tl_dense_at<int32_t>(s->matrix.memory, order * order * sizeof(double));
  s->view.w = p->full ? tl_dense_at<double>(s->fixed.memory, sent) : NULL;
  d->base.counts.sent += (int64_t)sent;
  TL_TRY(tl_cuda_send_all(d->device, d->image.memory, s->fixed.memory, sent));
  if (p->full) {
    memcpy(d->image.memory, &s->view, sizeof s->view);
    TL_TRY(tl_dense_arena_send(d, sizeof s->view));
    TL_DENSE_LAUNCH(d, tl_dense_full_form(d->device->stream,
                                          tl_dense_at<tl_dense_view>(d->arena.memory, 0), p->rows,
                                          p->count));
    d->base.counts.launches++;
  }
  return TALUS_OK;
}

} // namespace

const tl_dense_ops tl_dense_cuda = {rates,
                                    open,
                                    room,
                                    create,
                                    destroy,
                                    load,
                                    tl_dense_cuda_factor,
                                    tl_dense_cuda_solve,
                                    tl_dense_cuda_apply};
