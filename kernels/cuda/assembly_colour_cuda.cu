/* assembly_colour_cuda.cu: form (a) on the device: contacts that may be swept at once.
 *
 * The colours of host/problem/order_colour.c in rounds (Jones and Plassmann 1993): of the contacts
 * that have none, every one that comes first at both of its bodies takes its first free colour.
 * Then a stable sort by colour. Chunks are cut by the host, which needs to know them. */
#include "kernels/cuda/assembly_cuda.cuh"
#include "kernels/cuda/primitives.h"
#include "kernels/item/colour.h"

namespace {

enum { ROUNDS = 8 }; /* between two questions whether all have a colour */

/* A contact's place in the queue at its bodies: by hash, then as sorted. */
__device__ __forceinline__ unsigned long long turn_of(const tl_cuda_colouring &c, int32_t place) {
  return (unsigned long long)tl_pair_hash(c.low[place], c.high[place]) << 32 | (uint32_t)place;
}

__global__ void __launch_bounds__(TL_CHUNK)
    colours_begin_kernel(const tl_cuda_raw w, const tl_cuda_colouring c) {
  const int32_t place = tl_cuda_item();
  if (place < w.contacts) {
    const int32_t a = w.rigid.body_a[w.order[place]], b = w.rigid.body_b[w.order[place]];
    const int32_t i = a >= 0 ? w.number[a] : -1, j = b >= 0 ? w.number[b] : -1;
    c.low[place] = i >= 0 && (j < 0 || i < j) ? i : j;
    c.high[place] = i >= 0 && j >= 0 ? (i < j ? j : i) : -1;
    c.colour[place] = TL_UNCOLOURED;
  }
}

/* Who comes first at each body. */
__global__ void __launch_bounds__(TL_CHUNK)
    turns_kernel(const tl_cuda_colouring c, const int32_t contacts) {
  const int32_t place = tl_cuda_item();
  if (place < contacts && c.colour[place] == TL_UNCOLOURED) {
    const unsigned long long turn = turn_of(c, place);
    atomicMin(&c.first[c.low[place]], turn);
    if (c.high[place] >= 0) {
      atomicMin(&c.first[c.high[place]], turn);
    }
  }
}

/* Those who do take a colour; `all` learns of the others, and how many colours there are. */
__global__ void __launch_bounds__(TL_CHUNK)
    colours_take_kernel(const tl_cuda_colouring c, const int32_t contacts, tl_cuda_facts *all) {
  const int32_t place = tl_cuda_item();
  if (place >= contacts || c.colour[place] != TL_UNCOLOURED) {
    return;
  }
  const int32_t low = c.low[place], high = c.high[place];
  const unsigned long long turn = turn_of(c, place);
  if (c.first[low] != turn || (high >= 0 && c.first[high] != turn)) {
    atomicOr(&all->waiting, 1u);
    return;
  }
  const tl_palette own = c.palette[low];
  const int32_t colour = tl_palette_first(high >= 0 ? tl_palette_join(own, c.palette[high]) : own);
  c.palette[low] = tl_palette_add(own, colour);
  if (high >= 0) {
    c.palette[high] = tl_palette_add(c.palette[high], colour);
  }
  c.colour[place] = (uint32_t)colour;
  atomicMax(&all->colours, (unsigned)colour + 1);
}

/* first[i]: how many of the sorted colours are below i. */
__global__ void __launch_bounds__(TL_CHUNK)
    colours_first_kernel(const uint32_t *sorted, const int32_t contacts, const int32_t colours,
                         int32_t *first) {
  const int32_t i = tl_cuda_item();
  if (i > colours) {
    return;
  }
  int32_t low = 0, high = contacts;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (sorted[middle] < (uint32_t)i) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  first[i] = low;
}

talus_status round_queue(tl_cuda_device *device, const tl_cuda_raw *w, const tl_cuda_colouring *c,
                         size_t movers) {
  TL_TRY(tl_cuda_fill(device, c->first, 0xff, movers * sizeof *c->first));
  TL_TRY(tl_cuda_fill(device, &w->all->waiting, 0, sizeof w->all->waiting));
  TL_CUDA_LAUNCH(device, w->contacts, turns_kernel, *c, w->contacts);
  TL_CUDA_LAUNCH(device, w->contacts, colours_take_kernel, *c, w->contacts, w->all);
  return TALUS_OK;
}

/* The order by colour, which takes the place of the order by bodies. */
talus_status colours_sort(tl_cuda_device *device, tl_cuda_assembly *assembly, tl_cuda_raw *w,
                          const tl_cuda_colouring *c, uint32_t colours) {
  int bits = 1;
  while (bits < 31 && (colours - 1) >> bits != 0) {
    bits++;
  }
  size_t bytes = 0;
  TL_CUDA_TRY(device, tl_cuda_sort_pairs(NULL, NULL, NULL, NULL, w->contacts, bits, NULL, &bytes,
                                         device->stream));
  TL_TRY(tl_cuda_reserve(device, &assembly->scratch, bytes, "sorting contacts"));
  TL_CUDA_RUN(device, tl_cuda_sort_pairs(c->colour, w->sorted, w->order, w->other, w->contacts,
                                         bits, assembly->scratch.memory, &bytes, device->stream));
  uint32_t *const order = w->other;
  w->other = w->order;
  w->order = order;
  return TALUS_OK;
}

} // namespace

talus_status tl_cuda_contacts_colour(tl_cuda_device *device, tl_cuda_assembly *assembly,
                                     tl_cuda_raw *w, tl_cuda_facts *all) {
  const tl_cuda_colouring c = w->colouring;
  const size_t movers = all->movers;
  TL_TRY(tl_cuda_fill(device, c.palette, 0, movers * sizeof *c.palette));
  TL_CUDA_LAUNCH(device, w->contacts, colours_begin_kernel, *w, c);
  do {
    for (int i = 0; i < ROUNDS; i++) {
      TL_TRY(round_queue(device, w, &c, movers));
    }
    TL_TRY(tl_cuda_facts_fetch(device, w, false, all));
  } while (all->waiting);
  TL_TRY(colours_sort(device, assembly, w, &c, all->colours));
  int32_t *const first = (int32_t *)(void *)c.low; /* of no more use */
  TL_CUDA_LAUNCH(device, (int64_t)all->colours + 1, colours_first_kernel,
                 (const uint32_t *)w->sorted, w->contacts, (int32_t)all->colours, first);
  TL_TRY(tl_buffer_reserve(device->context, &assembly->colours, (size_t)all->colours + 1,
                           sizeof(int32_t), "colours"));
  return tl_cuda_fetch_all(device, first, assembly->colours.memory,
                           ((size_t)all->colours + 1) * sizeof(int32_t));
}
