/* assembly_colour_cuda.cu: form (a) on the device: contacts that may be swept at once, and chunks.
 *
 * The colours of host/problem/order_colour.c in rounds (Jones and Plassmann 1993): of the contacts
 * that have none, every one that comes first at both of its bodies takes its first free colour, the
 * others queue for the next round. Then a stable sort by colour. As many rounds are queued as the
 * last problems took and some more; those after the last one do nothing. If there were too few,
 * `outgrown` says so. */
#include "kernels/cuda/assembly_cuda.cuh"
#include "kernels/cuda/primitives.h"
#include "kernels/item/colour.h"

namespace {

/* A contact's place in the queue at its bodies: by hash, then as sorted. */
__device__ __forceinline__ unsigned long long turn_of(const tl_cuda_colouring &c, int32_t place) {
  return (unsigned long long)tl_pair_hash(c.low[place], c.high[place]) << 32 | (uint32_t)place;
}

/* Queues at both bodies; first: [bodies] who comes first. */
__device__ __forceinline__ void turn_take(const tl_cuda_colouring &c, int32_t place,
                                          unsigned long long *first) {
  const unsigned long long turn = turn_of(c, place);
  atomicMin(&first[c.low[place]], turn);
  if (c.high[place] >= 0) {
    atomicMin(&first[c.high[place]], turn);
  }
}

__global__ void __launch_bounds__(TL_CHUNK)
    colours_begin_kernel(const tl_cuda_raw w, const tl_cuda_colouring c) {
  const int32_t place = tl_cuda_item();
  if (place >= w.capacity) {
    return;
  }
  c.colour[place] = TL_UNCOLOURED;
  if (place < tl_cuda_contacts(w)) {
    const int32_t a = w.rigid.body_a[w.order[place]], b = w.rigid.body_b[w.order[place]];
    const int32_t i = a >= 0 ? w.number[a] : -1, j = b >= 0 ? w.number[b] : -1;
    c.low[place] = i >= 0 && (j < 0 || i < j) ? i : j;
    c.high[place] = i >= 0 && j >= 0 ? (i < j ? j : i) : -1;
    turn_take(c, place, c.first);
  }
}

__device__ __forceinline__ void colour_take(const tl_cuda_colouring &c, int32_t place,
                                            tl_cuda_facts *all) {
  const int32_t low = c.low[place], high = c.high[place];
  const tl_palette own = c.palette[low];
  const int32_t colour = tl_palette_first(high >= 0 ? tl_palette_join(own, c.palette[high]) : own);
  c.palette[low] = tl_palette_add(own, colour);
  if (high >= 0) {
    c.palette[high] = tl_palette_add(c.palette[high], colour);
  }
  c.colour[place] = (uint32_t)colour;
  if (*(volatile unsigned *)&all->colours <= (unsigned)colour) {
    atomicMax(&all->colours, (unsigned)colour + 1);
  }
}

/* Those who come first take a colour, the others queue once more. */
__global__ void __launch_bounds__(TL_CHUNK)
    colours_take_kernel(const tl_cuda_raw w, const tl_cuda_colouring c, const int32_t movers,
                        const unsigned round) {
  if (*(volatile unsigned *)&w.all->rounds < round) {
    return; /* all have one */
  }
  const unsigned long long *const first = c.first + (int64_t)(round % 3) * movers;
  unsigned long long *const next = c.first + (int64_t)((round + 1) % 3) * movers;
  unsigned long long *const clear = c.first + (int64_t)((round + 2) % 3) * movers;
  const int32_t place = tl_cuda_item();
  if (place < movers) {
    clear[place] = ~0ull;
  }
  if (place >= tl_cuda_contacts(w) || c.colour[place] != TL_UNCOLOURED) {
    return;
  }
  const unsigned long long turn = turn_of(c, place);
  if (first[c.low[place]] == turn && (c.high[place] < 0 || first[c.high[place]] == turn)) {
    colour_take(c, place, w.all);
    return;
  }
  turn_take(c, place, next);
  if (*(volatile unsigned *)&w.all->rounds <= round) {
    atomicMax(&w.all->rounds, round + 1);
  }
}

/* Of `count` sorted numbers, how many are below `number`. */
__device__ __forceinline__ int32_t below(const uint32_t *sorted, int32_t count, uint32_t number) {
  int32_t low = 0, high = count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (sorted[middle] < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* One block: the first place and the first chunk of each colour, if there was room for all. */
__global__ void __launch_bounds__(TL_CHUNK)
    colours_cut_kernel(const tl_cuda_raw w, const unsigned rounds, const int32_t most) {
  const bool fits = w.all->rounds < rounds && w.all->colours <= (unsigned)most;
  const int32_t contacts = fits ? tl_cuda_contacts(w) : 0;
  const int32_t colours = fits ? (int32_t)w.all->colours : 0;
  for (int32_t c = (int32_t)threadIdx.x; c <= colours; c += TL_CHUNK) {
    w.place_first[c] = c < colours ? below(w.sorted, contacts, (uint32_t)c) : contacts;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int32_t chunk = 0;
    for (int32_t c = 0; c < colours; c++) {
      w.colour_first[c] = chunk;
      chunk += (w.place_first[c + 1] - w.place_first[c] + TL_CHUNK - 1) / TL_CHUNK;
    }
    w.colour_first[colours] = chunk;
    w.live->contacts = contacts;
    w.live->colours = colours;
    w.live->chunks = chunk > 0 ? chunk : 1;
    w.all->outgrown |= !fits;
  }
}

/* Chunks of at most TL_CHUNK contacts that never cross a colour, as tl_order_finish cuts them; the
 * rest are empty. */
__global__ void __launch_bounds__(TL_CHUNK)
    chunks_fill_kernel(const tl_cuda_raw w, int32_t *first, const int32_t chunks) {
  const int32_t i = tl_cuda_item();
  const int32_t contacts = tl_cuda_contacts(w);
  if (i > chunks) {
    return;
  }
  int64_t place = (int64_t)i * TL_CHUNK;
  if (w.colouring.colour != NULL) {
    const int32_t colours = w.live->colours;
    const int32_t colour =
        below((const uint32_t *)w.colour_first, colours + 1, (uint32_t)i + 1) - 1;
    place = colour < colours
                ? w.place_first[colour] + (int64_t)(i - w.colour_first[colour]) * TL_CHUNK
                : contacts;
  } else if (i == 0) {
    w.live->colours = 0;
    w.live->chunks = contacts > 0 ? (contacts + TL_CHUNK - 1) / TL_CHUNK : 1;
  }
  first[i] = place < contacts ? (int32_t)place : contacts;
}

/* The order by colour, which takes the place of the order by bodies. */
talus_status colours_sort(tl_cuda_device *device, tl_cuda_assembly *assembly, tl_cuda_raw *w) {
  const int bits = tl_cuda_bits((uint32_t)assembly->colours); /* one more is `none` */
  size_t bytes = 0;
  TL_CUDA_TRY(device, tl_cuda_sort_pairs(NULL, NULL, NULL, NULL, w->capacity, bits, NULL, &bytes,
                                         device->stream));
  TL_TRY(tl_cuda_reserve(device, &assembly->scratch, bytes, "sorting contacts"));
  TL_CUDA_RUN(device,
              tl_cuda_sort_pairs(w->colouring.colour, w->sorted, w->order, w->other, w->capacity,
                                 bits, assembly->scratch.memory, &bytes, device->stream));
  uint32_t *const order = w->other;
  w->other = w->order;
  w->order = order;
  return TALUS_OK;
}

} // namespace

talus_status tl_cuda_contacts_colour(tl_cuda_device *device, tl_cuda_assembly *assembly,
                                     tl_cuda_raw *w, uint32_t movers) {
  const tl_cuda_colouring c = w->colouring;
  const int64_t most = w->capacity > (int64_t)movers ? w->capacity : (int64_t)movers;
  const unsigned rounds = (unsigned)assembly->rounds;
  TL_TRY(tl_cuda_fill(device, c.palette, 0, movers * sizeof *c.palette));
  TL_TRY(tl_cuda_fill(device, c.first, 0xff, 2 * (size_t)movers * sizeof *c.first));
  TL_CUDA_LAUNCH(device, w->capacity, colours_begin_kernel, *w, c);
  for (unsigned round = 0; round < rounds; round++) {
    TL_CUDA_LAUNCH(device, most, colours_take_kernel, *w, c, (int32_t)movers, round);
  }
  TL_TRY(colours_sort(device, assembly, w));
  return tl_cuda_check(device,
                       tl_cuda_start(device, device->stream, 1, TL_CHUNK, colours_cut_kernel, *w,
                                     rounds, assembly->colours),
                       "kernel launch", __func__);
}

talus_status tl_cuda_chunks_cut(tl_cuda_device *device, const tl_cuda_raw *w,
                                const tl_system *built) {
  TL_CUDA_LAUNCH(device, (int64_t)built->shape.chunk_count + 1, chunks_fill_kernel, *w,
                 (int32_t *)built->chunk_first, built->shape.chunk_count);
  return TALUS_OK;
}
