/* world_pairs_cuda.cu: which shapes are near each other, sorted by (a, b).
 *
 * Balls, and boxes around other shapes, lie in the cells of a uniform grid, hashed into a table; a
 * thread per shape looks at the 27 cells around its own. Half-spaces, and what is wider than a
 * cell, form a short list that every shape is held against. A pair belongs to its shape of lower
 * index, or, with one of the short list, to the thread of the other shape; of two in the list to
 * the later one. So, sorted by a without changing the order of equals, pairs come in order of b
 * too. What is found beyond those that touch depends on grid and skin, but contacts do not: the
 * narrow-phase asks for the gap. */
#include <math.h>

#include "kernels/cuda/world_cuda.cuh"

namespace {

enum { LARGE = TL_RESIDENT_PLANES }; /* room of the short list */

/* Reaches are enlarged by this share, so that no later rounding can lose a pair. */
#define SLACK 1e-12

typedef struct grid {
  double inverse;                              /* of the width of a cell */
  uint32_t mask;                               /* table size - 1 */
  uint32_t *key, *index, *sorted_key, *sorted; /* [shape_count] */
  uint32_t *first, *end;                       /* [mask + 1] items of a bucket */
  int32_t *large;                              /* [LARGE] */
  unsigned *large_count;
  uint32_t *count, *offset;  /* [shape_count] pairs of a thread */
  unsigned long long *total; /* of pairs: offsets count modulo 2^32 */
  uint32_t *pair_a, *pair_b;
} grid;

typedef struct cell {
  int64_t x, y, z;
} cell;

__device__ __forceinline__ int64_t cell_number(double coordinate, double inverse) {
  const double t = coordinate * inverse;
  return (int64_t)floor(t > 4e18 ? 4e18 : t < -4e18 ? -4e18 : t);
}

__device__ __forceinline__ cell cell_of(const grid &g, const double position[3]) {
  cell c;
  c.x = cell_number(position[0], g.inverse);
  c.y = cell_number(position[1], g.inverse);
  c.z = cell_number(position[2], g.inverse);
  return c;
}

__device__ __forceinline__ uint32_t bucket_of(const grid &g, cell c) {
  uint64_t h = (uint64_t)c.x * 0x9E3779B97F4A7C15ull;
  h = (h ^ h >> 29 ^ (uint64_t)c.y) * 0xBF58476D1CE4E5B9ull;
  h = (h ^ h >> 32 ^ (uint64_t)c.z) * 0x94D049BB133111EBull;
  return (uint32_t)(h >> 32) & g.mask;
}

__device__ __forceinline__ double reach_of(const tl_world_view &v, int32_t i) {
  return (v.shape[i].radius + v.room[i].margin) * (1 + SLACK);
}

/* The most that the room reaches along an axis from its middle. */
__device__ __forceinline__ double extent_of(const tl_world_view &v, int32_t i) {
  const double *const half = v.room[i].half;
  return (fmax(half[0], fmax(half[1], half[2])) + v.room[i].margin) * (1 + SLACK);
}

__device__ __forceinline__ bool is_large(const tl_world_view &v, const grid &g, int32_t i) {
  return v.shape[i].halfspace || !(2 * (1 + 1e-3) * extent_of(v, i) * g.inverse < 1);
}

/* The room of each shape; its bucket, or the short list. */
__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    rooms_fill_kernel(const tl_world_view v, const grid g, const double skin) {
  const int32_t i = tl_world_item();
  if (i >= v.shape_count) {
    return;
  }
  v.room[i] = v.place[i];
  v.room[i].margin += skin;
  g.index[i] = (uint32_t)i;
  g.key[i] = g.mask + 1; /* behind all buckets */
  if (!is_large(v, g, i)) {
    g.key[i] = bucket_of(g, cell_of(g, v.room[i].middle));
    return;
  }
  const unsigned at = atomicAdd(g.large_count, 1u);
  if (at < LARGE) {
    g.large[at] = i;
  }
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    buckets_fill_kernel(const tl_world_view v, const grid g) {
  const int32_t i = tl_world_item();
  if (i >= v.shape_count || g.sorted_key[i] > g.mask) {
    return;
  }
  const uint32_t key = g.sorted_key[i];
  if (i == 0 || g.sorted_key[i - 1] != key) {
    g.first[key] = (uint32_t)i;
  }
  if (i == v.shape_count - 1 || g.sorted_key[i + 1] != key) {
    g.end[key] = (uint32_t)i + 1;
  }
}

__device__ __forceinline__ bool may_meet(const tl_shape_fact &a, const tl_shape_fact &b) {
  return a.body != b.body && (a.movable || b.movable) &&
         (a.collides >> b.group & b.collides >> a.group & 1u) != 0;
}

/* The shape dips below the half-space's plane raised by its margin; reach: towards the plane. */
__device__ __forceinline__ bool dips(const tl_shape_place &plane, const double middle[3],
                                     double reach) {
  double height = 0, size = 0;
  for (int c = 0; c < 3; c++) {
    const double step = (middle[c] - plane.position[c]) * plane.normal[c];
    height += step;
    size += fabs(step);
  }
  return height <= reach + plane.margin + SLACK * size;
}

/* How far the room of a shape reaches towards a plane. */
__device__ __forceinline__ double reach_towards(const tl_world_view &v, int32_t i,
                                                const double normal[3]) {
  if (v.shape[i].ball) {
    return reach_of(v, i);
  }
  const tl_shape_place &room = v.room[i];
  double reach = room.margin;
  for (int c = 0; c < 3; c++) {
    reach += fabs(normal[c]) * room.half[c];
  }
  return reach * (1 + SLACK);
}

__device__ __forceinline__ bool boxes_meet(const tl_shape_place &p, const tl_shape_place &q) {
  bool meet = true;
  for (int c = 0; c < 3; c++) {
    const double reach = p.half[c] + q.half[c] + p.margin + q.margin;
    const double size = fabs(p.middle[c]) + fabs(q.middle[c]);
    meet = meet && fabs(p.middle[c] - q.middle[c]) <= reach + SLACK * (reach + size);
  }
  return meet;
}

__device__ __forceinline__ bool is_near(const tl_world_view &v, int32_t i, int32_t j) {
  const tl_shape_fact &s = v.shape[i], &t = v.shape[j];
  if (!may_meet(s, t) || (s.halfspace && t.halfspace)) {
    return false;
  }
  if (s.halfspace || t.halfspace) {
    const int32_t plane = s.halfspace ? i : j, other = i + j - plane;
    return dips(v.room[plane], v.room[other].middle, reach_towards(v, other, v.room[plane].normal));
  }
  if (!s.ball || !t.ball) {
    return boxes_meet(v.room[i], v.room[j]);
  }
  const double *const p = v.room[i].position, *const q = v.room[j].position;
  const double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
  const double reach = reach_of(v, i) + reach_of(v, j);
  return x * x + y * y + z * z <= reach * reach;
}

/* Writes a thread's pairs, or counts them. */
struct writer {
  uint32_t *a, *b; /* NULL: count */
  uint32_t count;

  __device__ __forceinline__ void add(int32_t i, int32_t j) {
    if (a != NULL) {
      insert((uint32_t)(i < j ? i : j), (uint32_t)(i < j ? j : i));
    }
    count++;
  }

  /* Few pairs, in order of (a, b). */
  __device__ __forceinline__ void insert(uint32_t low, uint32_t high) {
    uint32_t at = count;
    for (; at > 0 && (a[at - 1] > low || (a[at - 1] == low && b[at - 1] > high)); at--) {
      a[at] = a[at - 1];
      b[at] = b[at - 1];
    }
    a[at] = low;
    b[at] = high;
  }
};

__device__ __forceinline__ void cell_visit(const tl_world_view &v, const grid &g, int32_t i, cell c,
                                           writer *w) {
  const uint32_t bucket = bucket_of(g, c), end = g.end[bucket];
  for (uint32_t at = g.first[bucket]; at < end; at++) {
    const int32_t j = (int32_t)g.sorted[at];
    if (j <= i) {
      continue;
    }
    const cell of = cell_of(g, v.room[j].middle); /* cells share buckets */
    if (of.x == c.x && of.y == c.y && of.z == c.z && is_near(v, i, j)) {
      w->add(i, j);
    }
  }
}

__device__ void pairs_of(const tl_world_view &v, const grid &g, int32_t i, unsigned large,
                         writer *w) {
  const bool own_large = is_large(v, g, i);
  for (unsigned l = 0; l < large; l++) {
    const int32_t j = g.large[l];
    if (j != i && (!own_large || j < i) && is_near(v, i, j)) {
      w->add(i, j);
    }
  }
  if (own_large) {
    return;
  }
  const cell home = cell_of(g, v.room[i].middle);
  for (int n = 0; n < 27; n++) {
    cell c;
    c.x = home.x + n % 3 - 1;
    c.y = home.y + n / 3 % 3 - 1;
    c.z = home.z + n / 9 - 1;
    cell_visit(v, g, i, c, w);
  }
}

/* Of the short list, as many as it has room for. */
__device__ __forceinline__ unsigned large_of(const grid &g) {
  return *g.large_count < (unsigned)LARGE ? *g.large_count : (unsigned)LARGE;
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    pairs_count_kernel(const tl_world_view v, const grid g) {
  const int32_t i = tl_world_item();
  if (i < v.shape_count) {
    writer w = {NULL, NULL, 0};
    pairs_of(v, g, i, large_of(g), &w);
    g.count[i] = w.count;
    atomicAdd(g.total, (unsigned long long)w.count);
  }
}

/* Room for all pairs is empty, and sorted behind those that there are; where it is too small, there
 * are none. */
__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    pairs_begin_kernel(const tl_world_view v, const grid g) {
  const int32_t p = tl_world_item();
  if (p < v.pair_capacity) {
    g.pair_a[p] = g.pair_b[p] = 0xffffffffu;
  }
  if (p == 0) {
    const bool fits = *g.total <= (unsigned long long)v.pair_capacity && *g.large_count <= LARGE;
    *v.pair_count = fits ? (int32_t)*g.total : 0;
    v.record->pair_count = *g.total;
    v.record->large = *g.large_count;
    v.record->outgrown = !fits;
  }
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    pairs_write_kernel(const tl_world_view v, const grid g) {
  const int32_t i = tl_world_item();
  if (i < v.shape_count && !v.record->outgrown) {
    writer w = {g.pair_a + g.offset[i], g.pair_b + g.offset[i], 0};
    pairs_of(v, g, i, large_of(g), &w);
  }
}

/* ---- steps ----------------------------------------------------------------------------------- */

uint32_t table_size(int32_t count) {
  uint32_t size = 64;
  while (size < (uint32_t)count && size < 1u << 30) {
    size *= 2;
  }
  return size;
}

int bits_of(uint32_t most) {
  int bits = 1;
  while (bits < 32 && most >> bits != 0) {
    bits++;
  }
  return bits;
}

talus_status grid_take(tl_resident *resident, grid *g) {
  tl_cuda_device *const device = resident->device;
  const int64_t count = resident->view.shape_count;
  const uint32_t table = table_size(resident->view.shape_count);
  const size_t words = 6 * (size_t)count + 2 * (size_t)table + LARGE + 1 + 2;
  TL_TRY(tl_cuda_reserve(device, &resident->search, words * sizeof(uint32_t), "grid of shapes"));
  uint32_t *at = (uint32_t *)resident->search.memory + 2;
  g->total = (unsigned long long *)resident->search.memory;
  uint32_t **const array[] = {&g->key,    &g->index, &g->sorted_key,
                              &g->sorted, &g->count, &g->offset};
  for (uint32_t **a : array) {
    *a = at;
    at += count;
  }
  g->first = at;
  g->end = at + table;
  g->large_count = at + 2 * (size_t)table;
  g->large = (int32_t *)(g->large_count + 1);
  g->mask = table - 1;
  g->inverse = 1 / resident->cell;
  TL_TRY(tl_cuda_fill(device, g->total, 0, sizeof *g->total));
  TL_TRY(tl_cuda_fill(device, g->first, 0, (2 * (size_t)table + 1) * sizeof(uint32_t)));
  return TALUS_OK;
}

talus_status words_sort(tl_resident *resident, const uint32_t *key, uint32_t *sorted_key,
                        const uint32_t *value, uint32_t *sorted, int64_t count, uint32_t most) {
  tl_cuda_device *const device = resident->device;
  size_t bytes = 0;
  TL_CUDA_TRY(device, tl_cuda_sort_pairs(key, sorted_key, value, sorted, count, bits_of(most), NULL,
                                         &bytes, device->stream));
  TL_TRY(tl_cuda_reserve(device, &resident->scratch, bytes, "sorting"));
  TL_CUDA_RUN(device, tl_cuda_sort_pairs(key, sorted_key, value, sorted, count, bits_of(most),
                                         resident->scratch.memory, &bytes, device->stream));
  return TALUS_OK;
}

/* Shapes into buckets. */
talus_status shapes_place(tl_resident *resident, const grid *g, double skin) {
  tl_cuda_device *const device = resident->device;
  const tl_world_view *const v = &resident->view;
  TL_WORLD_LAUNCH(device, v->shape_count, rooms_fill_kernel, *v, *g, skin);
  TL_TRY(words_sort(resident, g->key, g->sorted_key, g->index, g->sorted, v->shape_count,
                    g->mask + 1));
  TL_WORLD_LAUNCH(device, v->shape_count, buckets_fill_kernel, *v, *g);
  return TALUS_OK;
}

talus_status pairs_count(tl_resident *resident, const grid *g) {
  tl_cuda_device *const device = resident->device;
  const tl_world_view *const v = &resident->view;
  size_t bytes = 0;
  TL_WORLD_LAUNCH(device, v->shape_count, pairs_count_kernel, *v, *g);
  TL_CUDA_TRY(device, tl_cuda_exclusive_scan(g->count, g->offset, v->shape_count, NULL, &bytes,
                                             device->stream));
  TL_TRY(tl_cuda_reserve(device, &resident->scratch, bytes, "numbering pairs"));
  TL_CUDA_RUN(device, tl_cuda_exclusive_scan(g->count, g->offset, v->shape_count,
                                             resident->scratch.memory, &bytes, device->stream));
  return TALUS_OK;
}

} // namespace

talus_status tl_world_pairs_seek(tl_resident *resident, double skin) {
  tl_cuda_device *const device = resident->device;
  const tl_world_view *const v = &resident->view;
  grid g;
  TL_TRY(grid_take(resident, &g));
  TL_TRY(shapes_place(resident, &g, skin));
  TL_TRY(pairs_count(resident, &g));
  /* written to the arrays of flags and offsets, which nobody needs now */
  g.pair_a = v->flag;
  g.pair_b = v->offset;
  TL_WORLD_LAUNCH(device, v->pair_capacity, pairs_begin_kernel, *v, g);
  TL_WORLD_LAUNCH(device, v->shape_count, pairs_write_kernel, *v, g);
  return words_sort(resident, g.pair_a, (uint32_t *)v->pair_a, g.pair_b, (uint32_t *)v->pair_b,
                    v->pair_capacity, (uint32_t)v->shape_count);
}

talus_status tl_world_pairs_found(tl_resident *resident, const tl_resident_record *record,
                                  bool *again) {
  talus_context *const context = resident->device->context;
  const int64_t pairs = (int64_t)record->pair_count;
  *again = record->outgrown != 0;
  resident->sought = !*again;
  if (record->large > LARGE && isfinite(resident->cell)) {
    resident->cell *= 2; /* wider cells have room for larger shapes */
    return TALUS_OK;
  }
  if (record->large > LARGE) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW,
                   "%u shapes are half-spaces or have no size that is a number, a device takes at "
                   "most %d",
                   record->large, (int)LARGE);
  }
  if (pairs > resident->pairs_most) {
    return tl_world_pairs_refuse(resident, pairs, resident->pairs_most);
  }
  return *again ? tl_world_pairs_reserve(resident, pairs) : TALUS_OK;
}
