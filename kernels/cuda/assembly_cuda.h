/* assembly_cuda.h: a problem of form (a) in device memory becomes a tl_system in device memory.
 *
 * In double, compiled once; the engines take what they need of it. */
#ifndef TL_ASSEMBLY_CUDA_H
#define TL_ASSEMBLY_CUDA_H

#include "kernels/cuda/device_cuda.h"

/* Counts that change from one problem to the next. Kernels read them in device memory and are
 * launched for as many as there is room for, so that graphs of them last. Where there is no room,
 * there are no contacts. */
typedef struct tl_cuda_live {
  int32_t contacts;
  int32_t chunks; /* at least one */
  int32_t colours;
} tl_cuda_live;

typedef struct tl_cuda_assembly {
  tl_cuda_buffer packed;  /* arrays of the caller's that were not packed */
  tl_cuda_buffer numbers; /* of bodies; keys, order; facts and sums */
  tl_cuda_buffer arrays;  /* the system's */
  tl_cuda_buffer scratch; /* of sorting and scanning */
  int32_t capacity;       /* contacts that there is room for */
  int32_t colours;        /* the same of colours, and ... */
  int32_t rounds;         /* ... rounds in which they are found */
  tl_buffer raw;          /* a tl_cuda_raw: the arrays that the last assembly had */
  tl_cuda_buffer judge;   /* of the certificate */
  tl_buffer order; /* a tl_cuda_order: what can be used again where nothing but numbers change */
  int32_t ends_sorted; /* 1: it has the ends of this assembly's bodies */
  void *told;          /* pinned: the scalars of an assembly that is queued */
} tl_cuda_assembly;

/* Where the device has what a solve aims at. */
typedef struct tl_cuda_aim {
  const double *square[TL_LAW_COUNT]; /* R(0)^2 */
  const double *inverse_weight;       /* sum of 1 / w_k */
  const double *velocity_unit;
} tl_cuda_aim;

/* Where an assembled problem lies in device memory; its shape has what there is room for. */
typedef struct tl_cuda_built {
  tl_system system; /* but the ends of the bodies, which are left out */
  const tl_cuda_live *live;
  const int32_t *colour_first; /* [live->colours + 1] first chunk of each; NULL: not coloured */
  tl_cuda_aim aim;
} tl_cuda_built;

/* Checks, orders and assembles what raw names. raw->taken is 0 if there is a defect. */
talus_status tl_cuda_assemble(tl_cuda_device *device, tl_cuda_assembly *assembly, tl_raw *raw,
                              tl_cuda_built *built);
/* Queues the assembly of what raw names, if it may have the bodies of the last problem. *same: it
 * is taken to have its contacts, too, with other numbers. */
talus_status tl_cuda_assemble_queue(tl_cuda_device *device, tl_cuda_assembly *assembly,
                                    const tl_raw *raw, tl_cuda_built *built, bool *same,
                                    bool *queued);
/* Bytes of `told`. */
size_t tl_cuda_told_size(void);
/* After it was waited for: raw->taken is 0 if it was not that. */
void tl_cuda_assemble_answer(tl_cuda_assembly *assembly, tl_raw *raw);
/* Where it was not that, or nobody has asked: waits for it. */
talus_status tl_cuda_assemble_drop(tl_cuda_device *device, tl_cuda_assembly *assembly);
/* judge_cuda.cu: the certificate of an assembled problem. Memory for it: where impulses in the
 * caller's order are to be put, that order, and the units by which weights and speeds were
 * multiplied, whose ratio is the impulses' (caller's over the system's); in device memory. */
typedef struct tl_cuda_judging {
  double *impulse;
  const uint32_t *order;
  const double *unit;
  const tl_cuda_live *live;
  int32_t capacity; /* contacts that there is room for */
} tl_cuda_judging;
talus_status tl_cuda_judge_open(tl_cuda_device *device, tl_cuda_assembly *assembly,
                                tl_cuda_judging *judging);
/* Queues the sums over those impulses, on their way to pinned memory. */
typedef struct tl_cuda_judged {
  tl_judge_sums sums;
  tl_judge_balance balance;
} tl_cuda_judged;
talus_status tl_cuda_judge(tl_cuda_device *device, const tl_cuda_assembly *assembly,
                           tl_cuda_judged *judged);
/* Writes an array of the caller's, of what was judged. */
talus_status tl_cuda_judge_give(tl_cuda_device *device, const tl_cuda_assembly *assembly,
                                tl_result which, const tl_caller_array *array);
void tl_cuda_assembly_release(tl_cuda_device *device, tl_cuda_assembly *assembly);
size_t tl_cuda_assembly_bytes(const tl_cuda_assembly *assembly);

#endif
