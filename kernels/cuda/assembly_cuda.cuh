/* assembly_cuda.cuh: what the steps of an assembly on the device share. */
#ifndef TL_ASSEMBLY_CUDA_CUH
#define TL_ASSEMBLY_CUDA_CUH

#include "kernels/cuda/assembly_cuda.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/sum_cuda.h"
#include "kernels/item/colour.h"
#include "kernels/item/compliance.h"
#include "kernels/item/rigid.h"

/* Sums over the contacts: R(0)^2 of both laws, 1 / w_k. */
enum { TL_CUDA_SUMS = 3 };

/* Scalars on their way to the host; those of softness only where some contact gives way. */
struct tl_cuda_facts {
  int32_t contacts;
  unsigned defect;   /* of the caller's arrays, or a W_kk without positive trace */
  unsigned outgrown; /* more contacts, colours or rounds of colouring than there is room for */
  unsigned changed;  /* contacts have other bodies than in the last assembly, or ... */
  unsigned others;   /* ... other bodies move */
  unsigned uneven;   /* a body of anisotropic inertia */
  unsigned movers;   /* bodies that move */
  unsigned ends;     /* sides of contacts that move */
  unsigned rounds;   /* after which a contact had no colour yet */
  unsigned colours;
  unsigned soft;                  /* 1: some contact gives way */
  double unit[2];                 /* by which weights and speeds are multiplied */
  double sum[TL_CUDA_SUMS + 1];   /* the last: of the squares of roundings */
  unsigned long long exponent[4]; /* of weights and of speeds: sum and count; for the units */
  unsigned ticket, checked;       /* of the blocks that sum them; that check */
  unsigned octave[TL_OCTAVES];    /* contacts by softness, item/compliance.h, and ... */
  unsigned long long softness[TL_OCTAVES + 2]; /* ... bits of their least; of most and largest */
};

/* Sorted behind all others: no colour, no contact. */
#define TL_UNCOLOURED 0xffffffffu
#define TL_NO_KEY 0xffffffffu

/* Of contacts in the order of their bodies. */
struct tl_cuda_colouring {
  int32_t *low, *high;       /* [contacts] internal bodies, high -1 if there is no second */
  uint32_t *colour;          /* [contacts] */
  unsigned long long *first; /* [3][bodies] the contact whose turn it is: in this round, in the
                                next, and room that is cleared for the one after */
  tl_palette *palette;       /* [bodies] */
};

/* What the kernels share; by value. */
struct tl_cuda_raw {
  talus_rigid rigid; /* packed, in device memory */
  const double *friction, *compliance, *target;
  int32_t capacity;  /* contacts that there is room for; how many there are is in `live` */
  int32_t compliant; /* 1: some contact gives way */
  tl_cuda_live *live;
  int32_t *kept_count; /* contacts of the last assembly */
  tl_cuda_facts *all;
  uint32_t *moves, *scanned;                         /* [bodies] */
  int32_t *number;                                   /* [bodies] internal body or -1 */
  int32_t *kept_a, *kept_b;                          /* [capacity] bodies of the last assembly */
  uint32_t *key, *sorted;                            /* [capacity] */
  uint32_t *order, *other;                           /* [capacity] */
  double *share[TL_CUDA_SUMS], *chunk[TL_CUDA_SUMS]; /* [capacity], [chunks] */
  int32_t *place_first, *colour_first; /* [colours + 1] of each colour: places, chunks */
  tl_cuda_colouring colouring;         /* NULL: not to be coloured */
};

/* Hands out one allocation piece by piece; without memory it only counts. */
struct tl_cuda_pieces {
  char *memory;
  size_t used;
};

static inline size_t tl_cuda_padded(size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

template <class T> static inline void tl_cuda_piece(tl_cuda_pieces *p, T **array, int64_t count) {
  *array = p->memory != NULL ? (T *)(void *)(p->memory + p->used) : NULL;
  p->used += tl_cuda_padded((size_t)count * sizeof(T));
}

static __device__ __forceinline__ int32_t tl_cuda_item(void) {
  return (int32_t)((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
}

/* How many contacts there are. */
static __device__ __forceinline__ int32_t tl_cuda_contacts(const tl_cuda_raw &w) {
  return w.live->contacts;
}

/* Threads for a kernel over bodies and contacts. */
static inline int64_t tl_cuda_most(const tl_cuda_raw *w) {
  return w->capacity > w->rigid.body_count ? w->capacity : w->rigid.body_count;
}

/* Bits of a number. */
static inline int tl_cuda_bits(uint32_t number) {
  int bits = 1;
  while (bits < 31 && number >> bits != 0) {
    bits++;
  }
  return bits;
}

#define TL_CUDA_LAUNCH(device, count, ...)                                                      \
  TL_TRY(tl_cuda_check((device),                                                                \
                       tl_cuda_start((device), (device)->stream,                                \
                                     tl_cuda_blocks((count), TL_CHUNK), TL_CHUNK, __VA_ARGS__), \
                       "kernel launch", __func__))

/* assembly_cuda.cu: arrays and memory of an assembly. *right: all arrays are in the memory of this
 * device. */
talus_status tl_cuda_work_take(tl_cuda_device *device, tl_cuda_assembly *assembly,
                               const tl_raw *raw, tl_cuda_raw *w, bool *right);
/* Shape and arrays of the system. */
talus_status tl_cuda_system_make(tl_cuda_device *device, tl_cuda_assembly *assembly,
                                 const tl_raw *raw, const tl_cuda_facts *all, tl_system *built);
/* The system in the order that is known, scaled, and R(0) of it. */
talus_status tl_cuda_system_fill(tl_cuda_device *device, const tl_cuda_raw *w,
                                 const tl_system *built);
/* What the scalars tell. */
void tl_cuda_facts_read(const tl_cuda_facts *all, tl_raw *raw);
/* assembly_order_cuda.cu: forgets the scalars; there are *count contacts, at most `contacts`, or as
 * many where count is NULL. */
talus_status tl_cuda_facts_begin(tl_cuda_device *device, const tl_cuda_raw *w, const int32_t *count,
                                 int32_t contacts);
/* What an assembly takes from the last one. */
typedef enum tl_assembly_program {
  TL_ASSEMBLE_NUMBERS, /* all but the numbers */
  TL_ASSEMBLE_ORDER,   /* which bodies move; contacts are ordered */
  TL_ASSEMBLE_ANEW     /* nothing */
} tl_assembly_program;
/* The defects, which bodies move, and whether anything is as it was. With a defect, or where what
 * is taken from the last assembly is not of this problem, there are no contacts from then on. */
talus_status tl_cuda_arrays_check(tl_cuda_device *device, const tl_cuda_raw *w,
                                  tl_assembly_program program);
/* The numbers of bodies. */
talus_status tl_cuda_bodies_number(tl_cuda_device *device, tl_cuda_assembly *assembly,
                                   const tl_cuda_raw *w);
/* w->order, by the bodies of the contacts; counts the ends. */
talus_status tl_cuda_contacts_order(tl_cuda_device *device, tl_cuda_assembly *assembly,
                                    const tl_cuda_raw *w, uint32_t movers);
/* assembly_compliance_cuda.cu: the contacts of a system that stands give way; their roundings are
 * in w->share[1]. */
talus_status tl_cuda_contacts_comply(tl_cuda_device *device, const tl_cuda_raw *w,
                                     const tl_system *built);
/* What the scalars tell of it. */
void tl_cuda_softness_read(const tl_cuda_facts *all, tl_raw *raw);
/* assembly_colour_cuda.cu: w->order by colour, the first place and chunk of each. */
talus_status tl_cuda_contacts_colour(tl_cuda_device *device, tl_cuda_assembly *assembly,
                                     tl_cuda_raw *w, uint32_t movers);
/* The chunks, after that where there are colours. */
talus_status tl_cuda_chunks_cut(tl_cuda_device *device, const tl_cuda_raw *w,
                                const tl_system *built);
/* Chunks of so many contacts in so many colours, at the most. */
static inline int32_t tl_cuda_chunks_most(int32_t contacts, int32_t colours) {
  return contacts / TL_CHUNK + 1 + colours;
}

#endif
