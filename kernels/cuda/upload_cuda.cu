/* upload_cuda.cu: a contact problem goes to the device.
 *
 * All arrays of the table lie one after the other in one allocation, each at a multiple of 256
 * bytes, and pass through the staging memory in one stream of bytes, so that a small problem is one
 * copy. The ends of the bodies are not sent but sorted on the device: by body, stable, which leaves
 * the contacts of a body ascending, as the host has them. */
#include <string.h>

#include "kernels/cuda/engine_cuda.cuh"
#include "kernels/cuda/primitives.h"

namespace {

enum { ALIGNMENT = 256 };

size_t padded(size_t bytes) {
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Built on the device. */
bool is_list(const char *name) {
  return strcmp(name, "end") == 0 || strcmp(name, "end_first") == 0;
}

/* Sorting leaves the ends of what cannot move at the end of the array `end`. */
size_t array_bytes(const tl_shape *shape, const char *name, int64_t count, size_t size) {
  const int64_t room = strcmp(name, "end") == 0 ? 2 * (int64_t)shape->rigid_contact_count : count;
  return (size_t)room * size;
}

/* A stream of bytes on its way to consecutive device memory. */
struct staging {
  tl_cuda_device *device;
  char *to;   /* where room[0] goes */
  char *room; /* the half being filled, or NULL */
  size_t used;
};

talus_status staging_flush(staging *c) {
  if (c->used > 0) {
    TL_TRY(tl_cuda_send(c->device, c->to, c->used));
    c->to += c->used;
    c->used = 0;
  }
  c->room = NULL;
  return TALUS_OK;
}

/* Room for at least one unit; sizes of units divide that of the staging memory. */
talus_status staging_room(staging *c, size_t *left) {
  if (c->used == TL_CUDA_STAGING) {
    TL_TRY(staging_flush(c));
  }
  if (c->room == NULL) {
    TL_TRY(tl_cuda_stage(c->device, &c->room));
  }
  *left = TL_CUDA_STAGING - c->used;
  return TALUS_OK;
}

/* NULL: zeros. */
talus_status staging_bytes(staging *c, const void *from, size_t bytes) {
  const char *source = (const char *)from;
  while (bytes > 0) {
    size_t left;
    TL_TRY(staging_room(c, &left));
    const size_t n = bytes < left ? bytes : left;
    if (source != NULL) {
      memcpy(c->room + c->used, source, n);
      source += n;
    } else {
      memset(c->room + c->used, 0, n);
    }
    c->used += n;
    bytes -= n;
  }
  return TALUS_OK;
}

talus_status staging_reals(staging *c, const double *from, size_t count) {
  while (count > 0) {
    size_t left;
    TL_TRY(staging_room(c, &left));
    left /= sizeof(tl_real);
    const size_t n = count < left ? count : left;
    tl_real *const room = (tl_real *)(void *)(c->room + c->used);
    for (size_t i = 0; i < n; i++) {
      room[i] = (tl_real)from[i];
    }
    from += n;
    c->used += n * sizeof(tl_real);
    count -= n;
  }
  return TALUS_OK;
}

talus_status staging_skip(staging *c, size_t bytes) {
  TL_TRY(staging_flush(c));
  c->to += bytes;
  return TALUS_OK;
}

/* ---- the arrays ------------------------------------------------------------------------------ */

size_t arrays_size(const tl_shape *s) {
  size_t total = 0;
#define TL_PLAIN(type, name, count) \
  total += padded(array_bytes(s, #name, (int64_t)(count), sizeof(type)));
#define TL_REALS(name, count) total += padded((size_t)(count) * sizeof(tl_real));
  TL_ARRAY_LIST(TL_PLAIN, TL_REALS)
#undef TL_PLAIN
#undef TL_REALS
  return total;
}

/* Where the next array lies; NULL if it has no elements. */
char *array_place(char **place, size_t bytes) {
  char *const here = *place;
  *place += padded(bytes);
  return bytes > 0 ? here : NULL;
}

talus_status arrays_send(tl_cuda_engine *engine, const tl_system *system, tl_view *view) {
  const tl_shape *const s = &system->shape;
  TL_TRY(tl_cuda_reserve(engine->device, &engine->arrays, arrays_size(s), "problem arrays"));
  char *place = (char *)engine->arrays.memory;
  staging c = {engine->device, place, NULL, 0};
#define TL_PLAIN(type, name, count)                                             \
  {                                                                             \
    const size_t bytes = array_bytes(s, #name, (int64_t)(count), sizeof(type)); \
    view->name = (const type *)(void *)array_place(&place, bytes);              \
    if (is_list(#name)) {                                                       \
      TL_TRY(staging_skip(&c, padded(bytes)));                                  \
    } else {                                                                    \
      TL_TRY(staging_bytes(&c, system->name, bytes));                           \
      TL_TRY(staging_bytes(&c, NULL, padded(bytes) - bytes));                   \
    }                                                                           \
  }
#define TL_REALS(name, count)                                         \
  {                                                                   \
    const size_t n = (size_t)(count), bytes = n * sizeof(tl_real);    \
    view->name = (const tl_real *)(void *)array_place(&place, bytes); \
    TL_TRY(staging_reals(&c, system->name, n));                       \
    TL_TRY(staging_bytes(&c, NULL, padded(bytes) - bytes));           \
  }
  TL_ARRAY_LIST(TL_PLAIN, TL_REALS)
#undef TL_PLAIN
#undef TL_REALS
  return staging_flush(&c);
}

/* ---- arrays that are on the device already --------------------------------------------------- */

__global__ void __launch_bounds__(TL_CHUNK)
    reals_take_kernel(const double *from, const int64_t count, tl_real *to) {
  const int64_t i = tl_thread_index();
  if (i < count) {
    to[i] = (tl_real)from[i];
  }
}

/* Those of an assembled problem: taken as they are, or rounded to single precision. */
talus_status arrays_adopt(tl_cuda_engine *engine, const tl_system *built, tl_view *view) {
  const tl_shape *const s = &built->shape;
  const bool narrow = sizeof(tl_real) != sizeof(double);
  size_t bytes = 0;
#define TL_PLAIN(type, name, count) \
  bytes += is_list(#name) ? padded(array_bytes(s, #name, (int64_t)(count), sizeof(type))) : 0;
#define TL_REALS(name, count) bytes += narrow ? padded((size_t)(count) * sizeof(tl_real)) : 0;
  TL_ARRAY_LIST(TL_PLAIN, TL_REALS)
#undef TL_PLAIN
#undef TL_REALS
  TL_TRY(tl_cuda_reserve(engine->device, &engine->arrays, bytes, "problem arrays"));
  char *place = (char *)engine->arrays.memory;
#define TL_PLAIN(type, name, count)                                                                \
  view->name = is_list(#name) ? (const type *)(void *)array_place(                                 \
                                    &place, array_bytes(s, #name, (int64_t)(count), sizeof(type))) \
                              : built->name;
#define TL_REALS(name, count)                                                                \
  if (narrow) {                                                                              \
    const int64_t n = (int64_t)(count);                                                      \
    tl_real *const to = (tl_real *)(void *)array_place(&place, (size_t)n * sizeof(tl_real)); \
    TL_LAUNCH(engine, tl_cuda_blocks(n, TL_CHUNK), TL_CHUNK, reals_take_kernel,              \
              (const double *)built->name, n, to);                                           \
    view->name = to;                                                                         \
  } else {                                                                                   \
    view->name = (const tl_real *)(const void *)built->name;                                 \
  }
  TL_ARRAY_LIST(TL_PLAIN, TL_REALS)
#undef TL_PLAIN
#undef TL_REALS
  return TALUS_OK;
}

/* ---- the ends of the bodies ------------------------------------------------------------------ */

/* Where there is no contact, keys sort behind all others. */
__global__ void __launch_bounds__(TL_CHUNK)
    end_list_kernel(const tl_cuda_work work, const int64_t count, uint32_t *keys,
                    uint32_t *values) {
  const tl_view *const view = &work.view;
  const int64_t i = tl_thread_index();
  if (i < count) {
    const bool there = i < 2 * tl_contacts_of(work, count / 2);
    keys[i] = there ? (uint32_t)(i % 2 ? view->body_b[i / 2] : view->body_a[i / 2]) : 0xffffffffu;
    values[i] = (uint32_t)i;
  }
}

/* first[b]: how many keys are below b. */
__global__ void __launch_bounds__(TL_CHUNK)
    end_first_kernel(const tl_cuda_work work, const uint32_t *keys, const int64_t count,
                     const int32_t body_count, int32_t *first) {
  const int64_t b = tl_thread_index();
  if (b > body_count) {
    return;
  }
  int64_t low = 0, high = 2 * tl_contacts_of(work, count / 2);
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (keys[middle] < (uint32_t)b) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  first[b] = (int32_t)low;
}

/* Bits of a body's number, one list of ends in bytes, and the scratch that sorting needs. */
struct sorting_need {
  int bits;
  size_t list, sorting, all;
};

talus_status sorting_find(tl_cuda_device *device, const tl_shape *shape, sorting_need *need) {
  const int64_t count = 2 * (int64_t)shape->rigid_contact_count;
  *need = {};
  need->bits = 1;
  while (need->bits < 31 && shape->rigid_count >> need->bits != 0) {
    need->bits++;
  }
  if (count > 0) {
    need->list = padded((size_t)count * sizeof(uint32_t));
    TL_CUDA_TRY(device, tl_cuda_sort_pairs(NULL, NULL, NULL, NULL, count, need->bits, NULL,
                                           &need->sorting, device->stream));
    need->all = 3 * need->list + need->sorting;
  }
  return TALUS_OK;
}

talus_status ends_build(tl_cuda_engine *engine) {
  const tl_view *const view = &engine->work.view;
  tl_cuda_device *const device = engine->device;
  const int64_t count = 2 * (int64_t)view->shape.rigid_contact_count;
  const int32_t bodies = view->shape.rigid_count;
  if (count == 0) {
    TL_TRY(
        tl_cuda_fill(device, (void *)view->end_first, 0, ((size_t)bodies + 1) * sizeof(int32_t)));
    return TALUS_OK;
  }
  sorting_need need;
  TL_TRY(sorting_find(device, &view->shape, &need));
  const size_t list = need.list;
  TL_TRY(tl_cuda_reserve(device, &engine->scratch, need.all, "sorting"));
  char *const room = (char *)engine->scratch.memory;
  uint32_t *const keys = (uint32_t *)(void *)room;
  uint32_t *const sorted = (uint32_t *)(void *)(room + list);
  uint32_t *const values = (uint32_t *)(void *)(room + 2 * list);
  TL_LAUNCH(engine, tl_cuda_blocks(count, TL_CHUNK), TL_CHUNK, end_list_kernel, engine->work, count,
            keys, values);
  TL_CUDA_RUN(device,
              tl_cuda_sort_pairs(keys, sorted, values, (uint32_t *)(void *)view->end, count,
                                 need.bits, room + 3 * list, &need.sorting, device->stream));
  TL_LAUNCH(engine, tl_cuda_blocks((int64_t)bodies + 1, TL_CHUNK), TL_CHUNK, end_first_kernel,
            engine->work, (const uint32_t *)sorted, count, bodies, (int32_t *)view->end_first);
  return TALUS_OK;
}

/* ---- the state ------------------------------------------------------------------------------- */

unsigned blocks_of(int64_t count) {
  return tl_cuda_blocks(count, TL_CHUNK);
}

/* Bytes of each part of the state, and the blocks that sum it. */
struct state_need {
  size_t impulses, velocities, control, chunks, energies, partial;
  unsigned contact_blocks, unit_blocks;
};

state_need state_find(const tl_shape *shape) {
  state_need need;
  const unsigned rigid = shape->unit_chunk_count > 0 ? (unsigned)shape->unit_chunk_count
                                                     : blocks_of(shape->rigid_count);
  const unsigned units = shape->range[0].kind == TL_MATRIX ? blocks_of(shape->contact_count)
                                                           : rigid + blocks_of(shape->block_count);
  need.unit_blocks = units > 0 ? units : 1;
  need.contact_blocks = shape->chunk_count > 0 ? (unsigned)shape->chunk_count : 1;
  need.impulses = padded(3 * (size_t)TL_PLACES(shape) * sizeof(tl_real));
  need.velocities = padded((size_t)shape->velocity_size * sizeof(tl_real));
  need.control = padded(sizeof(tl_control));
  need.chunks = padded(need.contact_blocks * sizeof(double));
  need.energies = padded(need.unit_blocks * sizeof(double));
  need.partial = need.control + 2 * need.chunks + need.energies;
  return need;
}

talus_status state_reserve(tl_cuda_engine *engine, tl_cuda_work *work) {
  tl_cuda_device *const device = engine->device;
  tl_view *const view = &work->view;
  const state_need need = state_find(&view->shape);
  const size_t impulses = need.impulses, velocities = need.velocities;
  TL_TRY(tl_cuda_reserve(device, &engine->impulse, 4 * impulses, "impulses"));
  TL_TRY(tl_cuda_reserve(device, &engine->velocity, 2 * velocities, "velocities"));
  char *place = (char *)engine->impulse.memory;
  view->x = (tl_real *)(void *)place;
  view->x_previous = (tl_real *)(void *)(place + impulses);
  view->best = (tl_real *)(void *)(place + 2 * impulses);
  view->slip = (tl_real *)(void *)(place + 3 * impulses);
  place = (char *)engine->velocity.memory;
  view->velocity = (tl_real *)(void *)place;
  view->velocity_y = (tl_real *)(void *)(place + velocities);

  work->unit_blocks = need.unit_blocks;
  work->contact_blocks = need.contact_blocks;
  TL_TRY(tl_cuda_reserve(device, &engine->partial, need.partial, "partial sums"));
  place = (char *)engine->partial.memory;
  work->control = (tl_control *)(void *)place;
  work->first_sum = (double *)(void *)(place + need.control);
  work->second_sum = (double *)(void *)(place + need.control + need.chunks);
  work->energy = (double *)(void *)(place + need.control + 2 * need.chunks);
  TL_TRY(tl_cuda_fill(device, place, 0, need.control));
  return TALUS_OK;
}

/* Keeps the colours for the sweeps, and the range of each; *same: they are what they were. */
talus_status colours_take(tl_cuda_engine *engine, const tl_system *system, bool *same) {
  const int32_t count = system->colour_group != NULL ? system->colour_count : 0;
  const size_t bytes = ((size_t)count + 1) * sizeof(int32_t);
  *same = count == engine->colour_count &&
          (count == 0 || memcmp(engine->colours.memory, system->colour_group, bytes) == 0);
  engine->colour_count = 0;
  if (count > 0) {
    TL_TRY(tl_buffer_reserve(engine->context, &engine->colours, 2 * (size_t)count + 1,
                             sizeof(int32_t), "colours"));
    int32_t *const first = (int32_t *)engine->colours.memory;
    memcpy(first, system->colour_group, bytes);
    int32_t range = 0;
    for (int32_t i = 0; i < count; i++) {
      const int32_t chunk =
          system->shape.group_count > 0 ? system->group_chunk[first[i]] : first[i];
      const tl_range *const ranges = system->shape.range;
      /* phases in which a rank has nothing may stand behind all chunks */
      while (range + 1 < system->shape.range_count &&
             chunk >= ranges[range].chunk_first + ranges[range].chunk_count) {
        range++;
      }
      *same = *same && first[count + 1 + i] == range;
      first[count + 1 + i] = range;
    }
  }
  engine->colour_count = count;
  return TALUS_OK;
}

/* Where all contacts are of one kind, and carry velocities along, the device goes through the
 * colours by itself. */
talus_status palette_send(tl_cuda_engine *engine, bool same, tl_cuda_work *work) {
  const tl_shape *const shape = &work->view.shape;
  const size_t bytes = ((size_t)engine->colour_count + 1) * sizeof(int32_t);
  engine->palette_known = engine->palette_known && same;
  if (engine->colour_count == 0 || shape->range_count != 1 || shape->range[0].kind == TL_MATRIX) {
    return TALUS_OK;
  }
  if (!engine->palette_known) {
    TL_TRY(tl_cuda_reserve(engine->device, &engine->palette, bytes, "colours"));
    TL_TRY(tl_cuda_send_all(engine->device, engine->colours.memory, engine->palette.memory, bytes));
  }
  engine->palette_known = true;
  work->colour_first = (const int32_t *)engine->palette.memory;
  work->colour_count = engine->colour_count;
  return TALUS_OK;
}

} // namespace

/* As an upload and the methods reserve it, each buffer for the first time. */
talus_status tl_cuda_estimate_memory(talus_context *context, const tl_shape *shape, int64_t *host,
                                     int64_t *device) {
  tl_cuda_device *const d = (tl_cuda_device *)context->device;
  TL_CUDA_ENTER(d);
  const state_need need = state_find(shape);
  sorting_need sorting;
  TL_TRY(sorting_find(d, shape, &sorting));
  const size_t bytes = arrays_size(shape) + 4 * need.impulses + 2 * need.velocities + need.partial +
                       sorting.all + tl_cuda_trial_bytes(shape) +
                       ((size_t)shape->chunk_count + 1) * sizeof(int32_t); /* colours */
  *device = (int64_t)bytes;
  *host = (int64_t)(sizeof(tl_cuda_engine) + (1 + TL_BEHIND) * sizeof(tl_control) +
                    sizeof(tl_cuda_judged) + tl_cuda_told_size() +
                    ((size_t)shape->chunk_count + 1) * sizeof(int32_t));
  return TALUS_OK;
}

talus_status tl_cuda_upload(tl_engine *base, const tl_system *system, tl_raw *raw,
                            int32_t threads) {
  (void)threads;
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  TL_CUDA_ENTER(engine->device);
  tl_cuda_work *const work = &engine->work;
  tl_cuda_work before;
  memcpy((void *)&before, (const void *)work, sizeof before);
  if (engine->ready && before.view.x != (tl_real *)engine->impulse.memory) {
    before.view.x = work->view.x_previous; /* graphs are kept for x and x_previous either way */
    before.view.x_previous = work->view.x;
  }
  engine->ready = 0;
  engine->built = false;
  engine->calls = {};
  engine->base.asks = false;
  engine->restarted = false;
  engine->taken = engine->judged_kept = engine->at_start = engine->start_kept = false;
  const bool ends_built = engine->ends_built;
  engine->ends_built = false;
  tl_cuda_forget(engine);
  memset((void *)work, 0, sizeof *work);
  tl_cuda_built built;
  bool same_colours = true;
  if (raw != NULL) {
    TL_TRY(tl_cuda_assemble(engine->device, &engine->assembly, raw, &built));
    if (!raw->taken) {
      return TALUS_OK;
    }
    system = &built.system;
    engine->built = true;
    work->live = built.live;
    work->colour_first = built.colour_first;
    engine->colour_count = 0; /* they are in `live` */
    engine->palette_known = false;
  } else {
    TL_TRY(colours_take(engine, system, &same_colours));
  }
  work->view.shape = system->shape;
  engine->places = raw != NULL ? raw->contact_count : TL_PLACES(&system->shape);
  if (raw == NULL) {
    TL_TRY(palette_send(engine, same_colours, work));
  }
  TL_TRY(state_reserve(engine, work));
  TL_TRY(raw != NULL ? arrays_adopt(engine, system, &work->view)
                     : arrays_send(engine, system, &work->view));
  if (raw == NULL || !raw->same || !ends_built || work->view.end != before.view.end ||
      work->view.end_first != before.view.end_first) {
    TL_TRY(ends_build(engine));
  }
  engine->ends_built = raw != NULL;
  TL_TRY(tl_cuda_ranks_take(engine, raw == NULL ? system->halo : NULL));
  if (before.view.trial != NULL) { /* what was needed will be needed again */
    TL_TRY(tl_cuda_reserve_trial(engine));
  }
  if (!same_colours || memcmp((const void *)&before, (const void *)work, sizeof before) != 0) {
    tl_cuda_graphs_drop(engine);
  }
  tl_cuda_bytes_count(engine);
  engine->ready = 1;
  return TALUS_OK;
}

talus_status tl_cuda_upload_queue(tl_cuda_engine *engine, const tl_raw *raw, tl_cuda_aim *aim,
                                  bool *queued) {
  tl_cuda_built built;
  bool same;
  TL_TRY(tl_cuda_assemble_queue(engine->device, &engine->assembly, raw, &built, &same, queued));
  if (!*queued) {
    return TALUS_OK;
  }
  *aim = built.aim;
  engine->taken = false;
  TL_TRY(state_reserve(engine, &engine->work));
  TL_TRY(arrays_adopt(engine, &built.system, &engine->work.view));
  return same ? TALUS_OK : ends_build(engine);
}
