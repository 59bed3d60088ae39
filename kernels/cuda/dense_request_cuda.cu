/* dense_request_cuda.cu: factors, solutions and products of dense systems in device memory.
 *
 * What a list of requests needs goes to the device as one piece (views, pointers, blocks, vectors),
 * what it gives comes back as one. Cholesky and LU are different calls, so a list is split by kind.
 * Matrices are followed by an identity up to the object's order: problems with fewer active rows
 * go along with those that have more. */
#include "kernels/cuda/dense_cuda.cuh"
#include "kernels/cuda/dense_library.h"

namespace {

/* ---- factors --------------------------------------------------------------------------------- */

/* Blocks of a request into the image; NULL stays NULL. */
template <class T>
const T *given_put(tl_dense_store *d, tl_dense_layout *l, const T *from, int32_t count) {
  return from != NULL ? tl_dense_array_put(d, d->arena.memory, l, from, count) : NULL;
}

size_t factor_bytes(const tl_dense_store *d, int32_t count, const tl_dense_matrix *requests) {
  tl_dense_layout l = {0};
  l.take_of<tl_dense_view>((size_t)count);
  l.take_of<double *>((size_t)count);
  for (int32_t i = 0; i < count; i++) {
    const size_t n = (size_t)d->slots[requests[d->picked[i]].slot].view.count;
    for (int j = 0; j < 3; j++) { /* a, b and scale, or gain */
      l.take_of<double>(9 * n);
    }
    l.take_of<int32_t>(n);
  }
  return l.used;
}

/* What a request gives, into the image. */
tl_dense_view factor_put(tl_dense_store *d, tl_dense_layout *l, const tl_dense_matrix *r) {
  tl_dense_view view = d->slots[r->slot].view;
  const int32_t blocks = 9 * view.count;
  view.active = r->active;
  view.a = given_put(d, l, r->a, blocks);
  view.b = given_put(d, l, r->b, blocks);
  view.scale = given_put(d, l, r->scale, blocks);
  view.gain = given_put(d, l, r->gain, blocks);
  view.place = given_put(d, l, r->place, view.count);
  return view;
}

talus_status matrices_form(tl_dense_store *d, int32_t count, const tl_dense_view *views,
                           const tl_dense_view *there) {
  const bool bodies = views[0].unit_count > 0;
  int32_t most = 0;
  for (int32_t i = 0; i < count; i++) {
    const int32_t size = bodies ? views[i].unit_count : views[i].count;
    most = size > most ? size : most;
  }
  TL_DENSE_LAUNCH(d, tl_dense_clear(d->device->stream, there, count, d->order));
  if (bodies) {
    TL_DENSE_LAUNCH(d, tl_dense_bodies_form(d->device->stream, there, count, most, d->order));
  } else {
    TL_DENSE_LAUNCH(d, tl_dense_contacts_form(d->device->stream, there, count, most, d->order));
  }
  return TALUS_OK;
}

/* The picked requests, which want the same kind of factor. */
talus_status factor_picked(tl_dense_store *d, bool cholesky, int32_t count,
                           tl_dense_matrix *requests) {
  const size_t info = factor_bytes(d, count, requests);
  const size_t result = info + 16 * (size_t)count, pivot = result + 16 * (size_t)count;
  TL_TRY(
      tl_dense_arena_reserve(d, info, pivot + (size_t)count * (size_t)d->order * sizeof(int32_t)));
  void *const arena = d->arena.memory;
  tl_dense_layout l = {0};
  const size_t views = l.take_of<tl_dense_view>((size_t)count);
  const size_t pointers = l.take_of<double *>((size_t)count);
  tl_dense_view *const view = tl_dense_at<tl_dense_view>(d->image.memory, views);
  double **const matrix = tl_dense_at<double *>(d->image.memory, pointers);
  int32_t n = 1;
  for (int32_t i = 0; i < count; i++) {
    const tl_dense_matrix *const r = &requests[d->picked[i]];
    tl_dense_slot *const s = &d->slots[r->slot];
    const double m = r->active;
    view[i] = factor_put(d, &l, r);
    matrix[i] = s->view.matrix;
    s->active = r->active;
    s->cholesky = cholesky;
    n = r->active > n ? r->active : n;
    d->base.counts.operations += (cholesky ? 1 : 2) * m * m * m / 3;
  }
  TL_TRY(tl_dense_arena_send(d, l.used));
  const tl_dense_view *const there = tl_dense_at<tl_dense_view>(arena, views);
  TL_TRY(matrices_form(d, count, view, there));
  TL_TRY(tl_dense_library_factor(d->device, cholesky, n, d->order, count,
                                 tl_dense_pointers{matrix, tl_dense_at<double *>(arena, pointers)},
                                 tl_dense_at<int>(arena, pivot), tl_dense_at<int>(arena, info)));
  d->base.counts.calls++;
  d->base.counts.factorisations += count;
  TL_DENSE_LAUNCH(d, tl_dense_note(d->device->stream, there, count, n, d->order, cholesky,
                                   tl_dense_at<int32_t>(arena, pivot),
                                   tl_dense_at<int32_t>(arena, info),
                                   tl_dense_at<int32_t>(arena, result)));
  TL_TRY(tl_dense_arena_fetch(d, result, 2 * (size_t)count * sizeof(int32_t)));
  for (int32_t i = 0; i < count; i++) {
    const int32_t *const found = tl_dense_at<int32_t>(d->image.memory, 0) + 2 * i;
    requests[d->picked[i]].good = found[0] == 0;
    requests[d->picked[i]].sign = found[1];
  }
  return TALUS_OK;
}

} // namespace

talus_status tl_dense_cuda_factor(tl_dense *base, int32_t count, tl_dense_matrix *requests) {
  tl_dense_store *const d = (tl_dense_store *)(void *)base;
  TL_CUDA_ENTER(d->device);
  for (int kind = 0; kind < 2; kind++) {
    int32_t picked = 0;
    for (int32_t i = 0; i < count; i++) {
      if (requests[i].cholesky == (kind == 0)) {
        d->picked[picked++] = i;
      }
    }
    if (picked > 0) {
      TL_TRY(factor_picked(d, kind == 0, picked, requests));
    }
  }
  return TALUS_OK;
}

namespace {

/* ---- vectors --------------------------------------------------------------------------------- */

/* Offsets of a list of vectors, n reals each. */
struct vector_room {
  size_t views, matrix, from, to, in, sent, out, pivot, info, all;
};

vector_room vector_room_make(int32_t count, size_t n) {
  tl_dense_layout l = {0};
  vector_room r;
  const size_t c = (size_t)count;
  r.views = l.take_of<tl_dense_view>(c);
  r.matrix = l.take_of<double *>(c);
  r.from = l.take_of<double *>(c);
  r.to = l.take_of<double *>(c);
  r.in = l.take_of<double>(c * n);
  r.sent = l.used;
  r.out = l.take_of<double>(c * n);
  r.pivot = l.take_of<int32_t>(c * n);
  r.info = l.take_of<int32_t>(c);
  r.all = l.used;
  return r;
}

/* The picked vectors into the image, with room for n reals each, and their pointers. */
void vectors_put(tl_dense_store *d, const vector_room *room, int32_t count,
                 const tl_dense_vector *requests, size_t n, bool full) {
  for (int32_t i = 0; i < count; i++) {
    const tl_dense_vector *const r = &requests[d->picked[i]];
    const tl_dense_slot *const s = &d->slots[r->slot];
    const size_t reals = full ? (size_t)s->view.rows : (size_t)s->active, at_i = (size_t)i * n;
    tl_dense_view view = s->view;
    view.from = tl_dense_at<double>(d->arena.memory, room->in) + at_i;
    view.to = tl_dense_at<double>(d->arena.memory, room->out) + at_i;
    tl_dense_at<tl_dense_view>(d->image.memory, room->views)[i] = view;
    tl_dense_at<double *>(d->image.memory, room->matrix)[i] = full ? view.w : view.matrix;
    tl_dense_at<double *>(d->image.memory, room->from)[i] = (double *)(uintptr_t)view.from;
    tl_dense_at<double *>(d->image.memory, room->to)[i] = view.to;
    memcpy(tl_dense_at<double>(d->image.memory, room->in) + at_i, r->from, reals * sizeof(double));
  }
}

tl_dense_pointers pointers_of(tl_dense_store *d, size_t offset) {
  return tl_dense_pointers{tl_dense_at<double *>(d->image.memory, offset),
                           tl_dense_at<double *>(d->arena.memory, offset)};
}

/* Results, n reals each from `offset` on. */
talus_status vectors_fetch(tl_dense_store *d, size_t offset, int32_t count,
                           const tl_dense_vector *requests, size_t n, bool full) {
  TL_TRY(tl_dense_arena_fetch(d, offset, (size_t)count * n * sizeof(double)));
  for (int32_t i = 0; i < count; i++) {
    const tl_dense_vector *const r = &requests[d->picked[i]];
    const tl_dense_slot *const s = &d->slots[r->slot];
    memcpy(r->to, tl_dense_at<double>(d->image.memory, 0) + (size_t)i * n,
           (full ? (size_t)s->view.rows : (size_t)s->active) * sizeof(double));
  }
  return TALUS_OK;
}

talus_status solve_picked(tl_dense_store *d, bool cholesky, int32_t count,
                          const tl_dense_vector *requests) {
  int32_t n = 1;
  for (int32_t i = 0; i < count; i++) {
    const int32_t active = d->slots[requests[d->picked[i]].slot].active;
    n = active > n ? active : n;
  }
  const vector_room room = vector_room_make(count, (size_t)n);
  TL_TRY(tl_dense_arena_reserve(d, room.sent, room.all));
  vectors_put(d, &room, count, requests, (size_t)n, false);
  TL_TRY(tl_dense_arena_send(d, room.sent));
  int *pivot = d->slots[requests[d->picked[0]].slot].view.pivot;
  if (!cholesky && count > 1) { /* a batched call wants them side by side */
    pivot = tl_dense_at<int>(d->arena.memory, room.pivot);
    TL_DENSE_LAUNCH(d,
                    tl_dense_pivots_gather(d->device->stream,
                                           tl_dense_at<tl_dense_view>(d->arena.memory, room.views),
                                           count, n, pivot));
  }
  TL_TRY(tl_dense_library_solve(d->device, cholesky, n, d->order, count,
                                pointers_of(d, room.matrix), pivot, pointers_of(d, room.from),
                                tl_dense_at<int>(d->arena.memory, room.info)));
  d->base.counts.calls++;
  d->base.counts.solves += count;
  return vectors_fetch(d, room.in, count, requests, (size_t)n, false);
}

} // namespace

talus_status tl_dense_cuda_solve(tl_dense *base, int32_t count, const tl_dense_vector *requests) {
  tl_dense_store *const d = (tl_dense_store *)(void *)base;
  TL_CUDA_ENTER(d->device);
  for (int kind = 0; kind < 2; kind++) {
    int32_t picked = 0;
    for (int32_t i = 0; i < count; i++) {
      if (d->slots[requests[i].slot].cholesky == (kind == 0)) {
        d->picked[picked++] = i;
      }
    }
    if (picked > 0) {
      TL_TRY(solve_picked(d, kind == 0, picked, requests));
    }
  }
  return TALUS_OK;
}

namespace {

/* Full matrices of one order, or any number of sparse ones. */
talus_status apply_picked(tl_dense_store *d, bool full, int32_t count,
                          const tl_dense_vector *requests) {
  int32_t n = 1, most = 0;
  for (int32_t i = 0; i < count; i++) {
    const tl_dense_view *const view = &d->slots[requests[d->picked[i]].slot].view;
    n = view->rows > n ? view->rows : n;
    most = view->count > most ? view->count : most;
  }
  const vector_room room = vector_room_make(count, (size_t)n);
  TL_TRY(tl_dense_arena_reserve(d, room.sent, room.all));
  vectors_put(d, &room, count, requests, (size_t)n, true);
  TL_TRY(tl_dense_arena_send(d, room.sent));
  if (full) {
    TL_TRY(tl_dense_library_apply(d->device, n, count, pointers_of(d, room.matrix),
                                  pointers_of(d, room.from), pointers_of(d, room.to)));
    d->base.counts.calls++;
  } else {
    TL_DENSE_LAUNCH(d, tl_dense_blocks_apply(
                           d->device->stream,
                           tl_dense_at<tl_dense_view>(d->arena.memory, room.views), count, most));
  }
  d->base.counts.products += count;
  return vectors_fetch(d, room.out, count, requests, (size_t)n, true);
}

} // namespace

talus_status tl_dense_cuda_apply(tl_dense *base, int32_t count, const tl_dense_vector *requests) {
  tl_dense_store *const d = (tl_dense_store *)(void *)base;
  TL_CUDA_ENTER(d->device);
  for (int kind = 0; kind < 2; kind++) {
    int32_t picked = 0;
    for (int32_t i = 0; i < count; i++) {
      if ((d->slots[requests[i].slot].view.w != NULL) == (kind == 0)) {
        d->picked[picked++] = i;
      }
    }
    if (picked > 0) {
      TL_TRY(apply_picked(d, kind == 0, picked, requests));
    }
  }
  return TALUS_OK;
}
