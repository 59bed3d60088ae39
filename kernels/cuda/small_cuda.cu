/* small_cuda.cu: many small problems, one block each, by the items that the CPU uses.
 *
 * A launch takes all problems of a slice through one phase; those that are solved leave at once.
 * The data of a slice travel as one piece, results and best impulses come back as another. Matrices
 * stay in global memory: those of 64 contacts are larger than a multiprocessor's own, those of a
 * dozen live in its cache. Compiled once; always in double precision. */
#include <string.h>

#include "kernels/cuda/slice_cuda.h"

#include "kernels/item/phase.h"

namespace {

enum { FEW_THREADS = 64, MANY_THREADS = 128, FEW_ROWS = 64 };

/* A problem as its block finds it: all pointers are the device's. */
struct small_entry {
  tl_small_problem problem;
  double *best, *room;
};

__global__ void __launch_bounds__(MANY_THREADS)
    small_phase_kernel(const small_entry *entries, tl_small_result *results,
                       const tl_small_phase phase, const int32_t index) {
  const small_entry entry = entries[blockIdx.x];
  tl_small_result result = results[blockIdx.x]; /* every thread has it, and changes it alike */
  if (result.epsilon <= phase.tolerance) {
    return;
  }
  tl_small_room room = tl_small_room_make(&entry.problem, entry.best, entry.room);
  result.phase = index;
  tl_small_phase_run(&entry.problem, &phase, &room, &result);
  __syncthreads();
  if (threadIdx.x == 0) {
    results[blockIdx.x] = result;
  }
}

/* Offsets of a slice in device memory: results and impulses, entries, data; then scratch, of which
 * the host has no copy. */
struct slice {
  int32_t first, count;
  size_t best, entries, data, sent, all;
  int32_t rows; /* of the largest */
};

size_t data_doubles(const tl_small_problem *p) {
  return (size_t)p->stride * ((size_t)p->rows + 1) + 4 * (size_t)p->count + ((size_t)p->count + 1);
}

size_t room_doubles(const tl_small_problem *p) {
  return (size_t)tl_small_reals(p->count, p->rows);
}

/* As many problems from `first` on as there is room for. */
slice slice_make(const tl_small_batch *batch, int32_t first) {
  slice s = {};
  size_t best = 0, data = 0, room = 0;
  s.first = first;
  for (int32_t i = first; i < batch->count; i++) {
    const tl_small_problem *const p = &batch->problem[i];
    const size_t one = (size_t)p->stride + data_doubles(p) + room_doubles(p);
    if (i > first && (best + data + room + one) * sizeof(double) > SLICE_BYTES) {
      break;
    }
    best += (size_t)p->stride;
    data += data_doubles(p);
    room += room_doubles(p);
    s.count++;
    s.rows = p->rows > s.rows ? p->rows : s.rows;
  }
  s.best = (size_t)s.count * sizeof(tl_small_result);
  s.entries = s.best + best * sizeof(double);
  s.data = s.entries + (size_t)s.count * sizeof(small_entry);
  s.sent = s.data + data * sizeof(double);
  s.all = s.sent + room * sizeof(double);
  return s;
}

/* The slice as it will lie at `base`. */
void image_make(const tl_small_batch *batch, const slice *s, char *image, char *base) {
  char *best = image + s->best, *best_there = base + s->best;
  char *data = image + s->data, *there = base + s->data, *room = base + s->sent;
  memset(image, 0, s->sent);
  memcpy(image, batch->result + s->first, (size_t)s->count * sizeof *batch->result);
  for (int32_t i = 0; i < s->count; i++) {
    const tl_small_problem *const p = &batch->problem[s->first + i];
    const size_t count = (size_t)p->count, stride = (size_t)p->stride;
    small_entry entry;
    entry.problem = *p;
    entry.best =
        tl_cuda_put(&best, &best_there, batch->best[s->first + i], (size_t)p->rows, stride);
    entry.problem.w =
        tl_cuda_put(&data, &there, p->w, stride * (size_t)p->rows, stride * (size_t)p->rows);
    entry.problem.q = tl_cuda_put(&data, &there, p->q, stride, stride);
    entry.problem.friction = tl_cuda_put(&data, &there, p->friction, count, count);
    entry.problem.lower = tl_cuda_put(&data, &there, p->lower, count, count);
    entry.problem.upper = tl_cuda_put(&data, &there, p->upper, count, count);
    entry.problem.pace = tl_cuda_put(&data, &there, p->pace, count, count);
    /* 2 count + 1 integers: one more makes them whole doubles */
    entry.problem.first = tl_cuda_put(&data, &there, p->first, count + 1, count + 1);
    entry.problem.kind = tl_cuda_put(&data, &there, p->kind, count, count + 1);
    entry.room = (double *)(void *)room;
    room += room_doubles(p) * sizeof(double);
    memcpy(image + s->entries + (size_t)i * sizeof entry, &entry, sizeof entry);
  }
}

/* Results and impulses, into the image's first part and from there to the caller's. */
talus_status results_fetch(tl_cuda_device *device, const tl_small_batch *batch, const slice *s,
                           const char *base, char *image) {
  TL_TRY(tl_cuda_fetch_all(device, base, image, s->entries));
  memcpy(batch->result + s->first, image, (size_t)s->count * sizeof *batch->result);
  const char *best = image + s->best;
  for (int32_t i = s->first; i < s->first + s->count; i++) {
    memcpy(batch->best[i], best, (size_t)batch->problem[i].rows * sizeof(double));
    best += (size_t)batch->problem[i].stride * sizeof(double);
  }
  return TALUS_OK;
}

talus_status slice_run(tl_cuda_device *device, const tl_small_batch *batch, const slice *s,
                       tl_cuda_buffer *memory, tl_buffer *image) {
  TL_TRY(tl_cuda_reserve(device, memory, s->all, "small problems"));
  TL_TRY(tl_buffer_reserve(device->context, image, s->sent, 1, "small problems"));
  char *const base = (char *)memory->memory, *const here = (char *)image->memory;
  const unsigned threads = s->rows <= FEW_ROWS ? FEW_THREADS : MANY_THREADS;
  image_make(batch, s, here, base);
  TL_TRY(tl_cuda_send_all(device, here, base, s->sent));
  for (int32_t p = 0; p < batch->phase_count; p++) {
    tl_small_phase phase = batch->phase[p];
    phase.stop = NULL;
    TL_CUDA_TRY(device, tl_cuda_start(device, device->stream, (unsigned)s->count, threads,
                                      small_phase_kernel,
                                      (const small_entry *)(const void *)(base + s->entries),
                                      (tl_small_result *)(void *)base, phase, p));
  }
  return results_fetch(device, batch, s, base, here);
}

} // namespace

talus_status tl_cuda_small(talus_context *context, const tl_small_batch *batch) {
  return tl_cuda_slices(context, batch, slice_make, slice_run);
}
