/* conquer_cuda.cu: forward dynamics of many mechanisms, one block each, by the items that the CPU
 * uses.
 *
 * A launch takes a slice of mechanisms; the threads of a block take pieces of one height. Inputs of
 * a slice travel as one piece, with each tree once for all neighbours that share it; results come
 * back as another. Compiled once; always in double precision. */
#include <string.h>

#include "kernels/cuda/slice_cuda.h"

#include "kernels/item/conquer_team.h"

namespace {

enum { FEW_THREADS = 32, MANY_THREADS = 128, FEW_PIECES = 64 };

/* An evaluation as its block finds it: all pointers are the device's. */
struct conquest_entry {
  tl_conquest conquest;
  double *singular;
};

__global__ void __launch_bounds__(MANY_THREADS) conquer_kernel(const conquest_entry *entries) {
  const conquest_entry *const entry = &entries[blockIdx.x];
  const int whole = tl_conquer_run(&entry->conquest);
  if (threadIdx.x == 0) {
    *entry->singular = whole ? 0 : 1;
  }
}

/* Numbers of one evaluation: results, what they are found from, and scratch. */
size_t result_doubles(const tl_conquest *c) {
  const size_t units = (size_t)c->columns - 1;
  return 1 + (c->acceleration != NULL ? (size_t)c->pieces.v_count : 0) +
         6 * units * (size_t)c->columns;
}

size_t state_bytes(const tl_conquest *c) {
  const size_t links = (size_t)c->pieces.link_count, n = (size_t)c->pieces.v_count;
  return links * sizeof(tl_link_state) + (7 * n + 6 * links) * sizeof(double) +
         ((size_t)c->columns - 1) * sizeof(tl_unit_wrench);
}

/* Integers of a tree, rounded up to whole doubles. */
size_t tree_integers(const tl_pieces *p) {
  const size_t count = (size_t)p->handle_total + ((size_t)p->link_count + 1) +
                       (size_t)p->piece_count + ((size_t)p->level_count + 1) +
                       3 * (size_t)p->link_count;
  return (count + 1) / 2 * 2;
}

size_t tree_bytes(const tl_pieces *p) {
  return (size_t)p->piece_count * sizeof(tl_piece) + tree_integers(p) * sizeof(int32_t);
}

int same_tree(const tl_pieces *a, const tl_pieces *b) {
  return a->piece == b->piece ||
         (a->link_count == b->link_count && a->v_count == b->v_count &&
          a->piece_count == b->piece_count && a->handle_total == b->handle_total &&
          memcmp(a->piece, b->piece, (size_t)a->piece_count * sizeof *a->piece) == 0 &&
          memcmp(a->handle, b->handle, (size_t)a->handle_total * sizeof *a->handle) == 0 &&
          memcmp(a->joint, b->joint, (size_t)a->link_count * sizeof *a->joint) == 0);
}

/* Offsets of a slice in device memory: results, entries, trees and states; then scratch, of which
 * the host has no copy. */
struct slice {
  int32_t first, count, pieces; /* pieces: of the largest */
  size_t entries, data, sent, all;
};

slice slice_make(const tl_conquer_batch *batch, int32_t first) {
  slice s = {};
  size_t results = 0, data = 0, room = 0;
  s.first = first;
  for (int32_t i = first; i < batch->count; i++) {
    const tl_conquest *const c = &batch->conquest[i];
    const int fresh = i == first || !same_tree(&c->pieces, &batch->conquest[i - 1].pieces);
    const size_t result = result_doubles(c) * sizeof(double);
    const size_t own = state_bytes(c) + (fresh ? tree_bytes(&c->pieces) : 0);
    const size_t scratch = tl_conquest_reals(&c->pieces, c->columns) * sizeof(double);
    if (i > first && results + data + room + result + own + scratch > SLICE_BYTES) {
      break;
    }
    results += result;
    data += own;
    room += scratch;
    s.count++;
    s.pieces = c->pieces.piece_count > s.pieces ? c->pieces.piece_count : s.pieces;
  }
  s.entries = results;
  s.data = s.entries + (size_t)s.count * sizeof(conquest_entry);
  s.sent = s.data + data;
  s.all = s.sent + room;
  return s;
}

/* The tree as it will lie on the device. */
tl_pieces tree_put(const tl_pieces *from, char **at, char **there) {
  const size_t links = (size_t)from->link_count, levels = (size_t)from->level_count + 1;
  const size_t spare = tree_integers(from) - (size_t)from->handle_total - (links + 1) -
                       (size_t)from->piece_count - levels - 3 * links;
  tl_pieces p = *from;
  p.piece =
      tl_cuda_put(at, there, from->piece, (size_t)from->piece_count, (size_t)from->piece_count);
  p.joint = tl_cuda_put(at, there, from->joint, links, links);
  p.handle =
      tl_cuda_put(at, there, from->handle, (size_t)from->handle_total, (size_t)from->handle_total);
  p.leaf = tl_cuda_put(at, there, from->leaf, links + 1, links + 1);
  p.rank = tl_cuda_put(at, there, from->rank, (size_t)from->piece_count, (size_t)from->piece_count);
  p.level = tl_cuda_put(at, there, from->level, levels, levels + spare);
  return p;
}

/* The slice as it will lie at `base`. */
void image_make(const tl_conquer_batch *batch, const slice *s, char *image, char *base) {
  char *data = image + s->data, *there = base + s->data;
  double *result = (double *)(void *)base, *room = (double *)(void *)(base + s->sent);
  tl_pieces tree = {};
  for (int32_t i = 0; i < s->count; i++) {
    const tl_conquest *const c = &batch->conquest[s->first + i];
    const size_t links = (size_t)c->pieces.link_count, n = (size_t)c->pieces.v_count;
    const size_t units = (size_t)c->columns - 1;
    conquest_entry entry;
    if (i == 0 || !same_tree(&c->pieces, &batch->conquest[s->first + i - 1].pieces)) {
      tree = tree_put(&c->pieces, &data, &there);
    }
    entry.conquest = *c;
    entry.conquest.pieces = tree;
    entry.conquest.state = tl_cuda_put(&data, &there, c->state, links, links);
    entry.conquest.axis = tl_cuda_put(&data, &there, c->axis, 6 * n, 6 * n);
    entry.conquest.applied = tl_cuda_put(&data, &there, c->applied, n, n);
    entry.conquest.outer = tl_cuda_put(&data, &there, c->outer, 6 * links, 6 * links);
    entry.conquest.unit = tl_cuda_put(&data, &there, c->unit, units, units);
    entry.singular = result;
    entry.conquest.acceleration = c->acceleration != NULL ? result + 1 : NULL;
    entry.conquest.motion = result + 1 + (c->acceleration != NULL ? n : 0);
    result += result_doubles(c);
    tl_conquest_room(&entry.conquest, room);
    room += tl_conquest_reals(&c->pieces, c->columns);
    memcpy(image + s->entries + (size_t)i * sizeof entry, &entry, sizeof entry);
  }
}

/* What came back into the image, to the caller's arrays. */
void results_read(const tl_conquer_batch *batch, const slice *s, const double *result) {
  for (int32_t i = s->first; i < s->first + s->count; i++) {
    const tl_conquest *const c = &batch->conquest[i];
    const size_t n = c->acceleration != NULL ? (size_t)c->pieces.v_count : 0;
    const size_t units = (size_t)c->columns - 1;
    batch->singular[i] = result[0] != 0;
    if (!batch->singular[i] && n > 0) {
      memcpy(c->acceleration, result + 1, n * sizeof(double));
    }
    if (!batch->singular[i] && units > 0) {
      memcpy(c->motion, result + 1 + n, 6 * units * (size_t)c->columns * sizeof(double));
    }
    result += result_doubles(c);
  }
}

talus_status slice_run(tl_cuda_device *device, const tl_conquer_batch *batch, const slice *s,
                       tl_cuda_buffer *memory, tl_buffer *image) {
  TL_TRY(tl_cuda_reserve(device, memory, s->all, "mechanisms"));
  TL_TRY(tl_buffer_reserve(device->context, image, s->sent, 1, "mechanisms"));
  char *const base = (char *)memory->memory, *const here = (char *)image->memory;
  const unsigned threads = s->pieces <= FEW_PIECES ? FEW_THREADS : MANY_THREADS;
  image_make(batch, s, here, base);
  TL_TRY(tl_cuda_send_all(device, here + s->entries, base + s->entries, s->sent - s->entries));
  TL_CUDA_TRY(device,
              tl_cuda_start(device, device->stream, (unsigned)s->count, threads, conquer_kernel,
                            (const conquest_entry *)(const void *)(base + s->entries)));
  TL_TRY(tl_cuda_fetch_all(device, base, here, s->entries));
  results_read(batch, s, (const double *)(const void *)here);
  return TALUS_OK;
}

} // namespace

talus_status tl_cuda_conquer(talus_context *context, const tl_conquer_batch *batch) {
  return tl_cuda_slices(context, batch, slice_make, slice_run);
}
