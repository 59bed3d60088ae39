/* assembly_attempt_cuda.cu: form (a) on the device: how an assembly is made, with as much of the
 * last one as may hold; once more, with less of it or more room, where that was not right; or
 * queued, and answered after the device was waited for. */
#include <string.h>

#include "kernels/cuda/assembly_cuda.cuh"

namespace {

/* ---- capacities ------------------------------------------------------------------------------ */

enum { COLOURS = 32, ROUNDS = 24 };
const int64_t CONTACTS_MOST = (1 << 29) / 3;

/* What a problem needs and a quarter, but for the first time; less where it has become far too
 * much. */
void capacity_choose(tl_cuda_assembly *assembly, int32_t contacts) {
  const int64_t had = assembly->capacity;
  if (contacts > had || 4 * (int64_t)contacts < had) {
    const int64_t more = had > 0 ? (int64_t)contacts + contacts / 4 : contacts;
    assembly->capacity = (int32_t)(more < CONTACTS_MOST ? more : CONTACTS_MOST);
  }
  assembly->colours = assembly->colours > 0 ? assembly->colours : COLOURS;
  assembly->rounds = assembly->rounds > 0 ? assembly->rounds : ROUNDS;
}

/* Rounds as the last problem took, and some more; as many if there were too few. */
void rounds_learn(tl_cuda_assembly *assembly, const tl_cuda_facts *all) {
  const int32_t taken = (int32_t)all->rounds + 1;
  assembly->rounds = taken + taken / 4 + 2;
}

/* Room for what was found. */
void capacity_grow(tl_cuda_assembly *assembly, const tl_cuda_facts *all) {
  const int32_t colours = (int32_t)all->colours;
  if (colours > assembly->colours) {
    assembly->colours = colours + colours / 4;
  }
  if ((int32_t)all->rounds >= assembly->rounds) { /* more colours are to come */
    assembly->rounds *= 2;
  }
}

/* ---- the order of the last assembly ---------------------------------------------------------- */

struct tl_cuda_order {
  bool known;
  int32_t coloured;
  const void *numbers; /* where it lies */
  tl_cuda_facts all;
  tl_system built;
  tl_cuda_raw raw;        /* its pointers */
  int32_t calm, patience; /* problems in a row with the same contacts; so many are wanted before the
                             next is taken to have them; the more the more often that was wrong */
  tl_assembly_program queued;
};

enum { PATIENCE_MOST = 64 };

talus_status order_of(tl_cuda_device *device, tl_cuda_assembly *assembly, tl_cuda_order **order) {
  const bool fresh = assembly->order.memory == NULL;
  TL_TRY(tl_buffer_reserve(device->context, &assembly->order, 1, sizeof **order, "order"));
  *order = (tl_cuda_order *)assembly->order.memory;
  if (fresh) {
    memset((void *)*order, 0, sizeof **order);
    (*order)->patience = 1;
  }
  return TALUS_OK;
}

/* Whether it may be that of this problem; the device looks whether it is. */
bool order_suits(const tl_cuda_order *order, const tl_raw *raw, const tl_cuda_raw *w) {
  return order->known && order->coloured == raw->coloured && order->numbers == w->all &&
         order->raw.capacity == w->capacity && order->raw.rigid.body_count == w->rigid.body_count &&
         order->raw.colour_first == w->colour_first &&
         (order->built.shape.body_kind == TL_ARMS) ==
             (raw->arm_a.array != NULL || order->all.uneven);
}

bool is_calm(const tl_cuda_order *order) {
  return order->calm >= order->patience;
}

void order_learn(tl_cuda_order *order, tl_assembly_program program, const tl_cuda_facts *all) {
  const bool same = program != TL_ASSEMBLE_ANEW && !all->changed;
  if (program == TL_ASSEMBLE_NUMBERS) {
    const int32_t patience = same ? order->patience / 2 : 2 * order->patience;
    order->patience = patience < 1 ? 1 : patience > PATIENCE_MOST ? PATIENCE_MOST : patience;
  }
  order->calm = !same ? 0 : order->calm < PATIENCE_MOST ? order->calm + 1 : PATIENCE_MOST;
}

/* Whether what was taken from the last assembly is that of this one. */
bool is_right(const tl_cuda_order *order, tl_assembly_program program, const tl_cuda_facts *all) {
  return program == TL_ASSEMBLE_ANEW ||
         (!all->others && all->uneven == order->all.uneven && all->soft == order->all.soft &&
          (program == TL_ASSEMBLE_ORDER || !all->changed));
}

/* ---- attempts -------------------------------------------------------------------------------- */

/* Of facts, those that the host is told. */
size_t facts_bytes(bool soft) {
  return soft ? sizeof(tl_cuda_facts) : offsetof(tl_cuda_facts, exponent);
}

/* Queues all but the numbers of bodies. */
talus_status assemble_queue(tl_cuda_device *device, tl_cuda_assembly *assembly,
                            tl_assembly_program program, uint32_t movers, tl_cuda_raw *w,
                            const tl_system *built) {
  if (program != TL_ASSEMBLE_NUMBERS) {
    TL_TRY(tl_cuda_contacts_order(device, assembly, w, movers));
    if (w->colouring.colour != NULL) {
      TL_TRY(tl_cuda_contacts_colour(device, assembly, w, movers));
    }
    TL_TRY(tl_cuda_chunks_cut(device, w, built));
    assembly->ends_sorted = 0;
  }
  return tl_cuda_system_fill(device, w, built);
}

/* Of an order that suits. */
talus_status assemble_on(tl_cuda_device *device, tl_cuda_assembly *assembly,
                         const tl_cuda_order *order, tl_assembly_program program, tl_cuda_raw *w,
                         tl_system *built) {
  *built = order->built;
  if (program == TL_ASSEMBLE_NUMBERS) {
    w->order = order->raw.order;
    w->other = order->raw.other;
  }
  TL_TRY(tl_cuda_arrays_check(device, w, program));
  return assemble_queue(device, assembly, program, order->all.movers, w, built);
}

/* Waits for the numbers of bodies. *good: it may be a problem. */
talus_status assemble_anew(tl_cuda_device *device, tl_cuda_assembly *assembly, const tl_raw *raw,
                           tl_cuda_raw *w, tl_cuda_facts *all, tl_system *built, bool *good) {
  memset((void *)built, 0, sizeof *built);
  TL_TRY(tl_cuda_arrays_check(device, w, TL_ASSEMBLE_ANEW));
  TL_TRY(tl_cuda_bodies_number(device, assembly, w));
  TL_TRY(tl_cuda_fetch_all(device, w->all, all, facts_bytes(false)));
  *good = !all->defect;
  if (!*good) {
    return TALUS_OK;
  }
  TL_TRY(tl_cuda_system_make(device, assembly, raw, all, built));
  return assemble_queue(device, assembly, TL_ASSEMBLE_ANEW, all->movers, w, built);
}

/* What an assembly that has gone well leaves in raw. */
void raw_answer(const tl_cuda_facts *all, const tl_cuda_raw *w, tl_raw *raw) {
  raw->colour_count = (int32_t)all->colours;
  tl_cuda_facts_read(all, raw);
  raw->order.array = w->order;
  raw->order.stride = sizeof *w->order;
  raw->order.count = raw->contact_count;
  raw->order.components = raw->order.pitch = 1;
  raw->order.scalar = TL_SCALAR_I32;
  raw->order.name = "order of contacts";
  raw->taken = 1;
}

void built_tell(const tl_cuda_raw *w, const tl_system *system, tl_cuda_built *built) {
  built->system = *system;
  built->live = w->live;
  built->colour_first = w->colour_first;
  built->aim.square[TL_LAW_CCP] = w->all->sum;
  built->aim.square[TL_LAW_COULOMB] = w->all->sum + 1;
  built->aim.inverse_weight = w->all->sum + 2;
  built->aim.velocity_unit = w->all->unit + 1;
}

/* After an assembly that was right. */
void order_keep(tl_cuda_assembly *assembly, tl_cuda_order *order, tl_assembly_program program,
                const tl_cuda_facts *all) {
  const tl_cuda_facts before = order->all;
  order->all = *all;
  if (program != TL_ASSEMBLE_ANEW) { /* bodies were not counted */
    order->all.movers = before.movers;
  }
  if (program == TL_ASSEMBLE_NUMBERS) {
    order->all.colours = before.colours;
    order->all.rounds = before.rounds;
  } else {
    rounds_learn(assembly, all);
  }
  order->known = true;
}

/* One attempt; *good: it is a problem, unless the order was not right, or outgrown. */
talus_status assemble_try(tl_cuda_device *device, tl_cuda_assembly *assembly, tl_cuda_order *order,
                          tl_assembly_program program, const tl_raw *raw, tl_cuda_raw *w,
                          tl_cuda_facts *all, bool *good) {
  tl_system built;
  *good = true;
  order->known = false;
  TL_TRY(tl_cuda_facts_begin(device, w, NULL, raw->contact_count));
  if (program == TL_ASSEMBLE_ANEW) {
    TL_TRY(assemble_anew(device, assembly, raw, w, all, &built, good));
    if (!*good) {
      return TALUS_OK;
    }
    order->all = *all;
  } else {
    TL_TRY(assemble_on(device, assembly, order, program, w, &built));
  }
  TL_TRY(tl_cuda_fetch_all(device, w->all, all, facts_bytes(order->all.soft != 0)));
  order->coloured = raw->coloured;
  order->numbers = w->all;
  order->built = built;
  order->raw = *w;
  *good = !all->defect;
  return TALUS_OK;
}

/* Attempts, each of which takes less from the last assembly, or has more room. */
talus_status assemble_all(tl_cuda_device *device, tl_cuda_assembly *assembly, tl_cuda_order *order,
                          tl_raw *raw, tl_cuda_raw *w, tl_cuda_facts *all, bool *good) {
  tl_assembly_program program = TL_ASSEMBLE_ANEW;
  if (order_suits(order, raw, w)) {
    const bool same = raw->contact_count == order->all.contacts && is_calm(order);
    program = same ? TL_ASSEMBLE_NUMBERS : TL_ASSEMBLE_ORDER;
  }
  for (;;) {
    TL_TRY(assemble_try(device, assembly, order, program, raw, w, all, good));
    order_learn(order, program, all);
    const bool right = is_right(order, program, all);
    if (right && !all->outgrown) {
      break;
    }
    if (all->outgrown) {
      capacity_grow(assembly, all);
    }
    program = right || all->others || program != TL_ASSEMBLE_NUMBERS ? TL_ASSEMBLE_ANEW
                                                                     : TL_ASSEMBLE_ORDER;
    bool here;
    TL_TRY(tl_cuda_work_take(device, assembly, raw, w, &here));
  }
  raw->same = program == TL_ASSEMBLE_NUMBERS;
  if (*good) {
    order_keep(assembly, order, program, all);
  }
  return TALUS_OK;
}

/* For the certificate. */
talus_status raw_keep(tl_cuda_device *device, tl_cuda_assembly *assembly, const tl_cuda_raw *w,
                      unsigned soft) {
  TL_TRY(tl_buffer_reserve(device->context, &assembly->raw, 1, sizeof *w, "raw arrays"));
  tl_cuda_raw *const kept = (tl_cuda_raw *)assembly->raw.memory;
  *kept = *w;
  kept->compliant = soft != 0;
  return TALUS_OK;
}

} // namespace

/* Contacts between the same bodies as in the last assembly stand in the same order: then only the
 * numbers are filled in. Waited for once, unless other bodies move or there was too little room. */
talus_status tl_cuda_assemble(tl_cuda_device *device, tl_cuda_assembly *assembly, tl_raw *raw,
                              tl_cuda_built *built) {
  tl_cuda_raw w;
  tl_cuda_facts all = {};
  tl_cuda_order *order;
  bool right, good;
  memset((void *)built, 0, sizeof *built);
  raw->taken = raw->same = 0;
  capacity_choose(assembly, raw->contact_count);
  TL_TRY(order_of(device, assembly, &order));
  TL_TRY(tl_cuda_work_take(device, assembly, raw, &w, &right));
  if (!right) {
    return TALUS_OK;
  }
  TL_TRY(assemble_all(device, assembly, order, raw, &w, &all, &good));
  if (!good) {
    return TALUS_OK;
  }
  TL_TRY(raw_keep(device, assembly, &w, all.soft));
  built_tell(&w, &order->built, built);
  raw_answer(&order->all, &w, raw);
  return TALUS_OK;
}

talus_status tl_cuda_assemble_queue(tl_cuda_device *device, tl_cuda_assembly *assembly,
                                    const tl_raw *raw, tl_cuda_built *built, bool *same,
                                    bool *queued) {
  tl_cuda_raw w;
  tl_cuda_order *order;
  tl_system system;
  TL_TRY(order_of(device, assembly, &order));
  TL_TRY(tl_cuda_work_take(device, assembly, raw, &w, queued));
  *queued = *queued && order_suits(order, raw, &w);
  if (!*queued) {
    return TALUS_OK;
  }
  const bool soft = order->all.soft != 0;
  *same = is_calm(order);
  order->queued = *same ? TL_ASSEMBLE_NUMBERS : TL_ASSEMBLE_ORDER;
  order->known = false;
  TL_TRY(tl_cuda_facts_begin(device, &w, raw->count, raw->contact_count));
  TL_TRY(assemble_on(device, assembly, order, order->queued, &w, &system));
  order->raw = w;
  TL_TRY(raw_keep(device, assembly, &w, soft));
  built_tell(&w, &system, built);
  return tl_cuda_copy(device, assembly->told, w.all, facts_bytes(soft), cudaMemcpyDeviceToHost);
}

void tl_cuda_assemble_answer(tl_cuda_assembly *assembly, tl_raw *raw) {
  tl_cuda_order *const order = (tl_cuda_order *)assembly->order.memory;
  const tl_cuda_facts *const all = (const tl_cuda_facts *)assembly->told;
  raw->taken = raw->same = 0;
  if (is_right(order, order->queued, all) && !all->outgrown && !all->defect &&
      all->contacts == raw->contact_count) {
    order_learn(order, order->queued, all);
    raw->same = order->queued == TL_ASSEMBLE_NUMBERS;
    order_keep(assembly, order, order->queued, all);
    raw_answer(&order->all, (const tl_cuda_raw *)assembly->raw.memory, raw);
  }
}

talus_status tl_cuda_assemble_drop(tl_cuda_device *device, tl_cuda_assembly *assembly) {
  tl_cuda_order *const order = (tl_cuda_order *)assembly->order.memory;
  const tl_cuda_facts *const all = (const tl_cuda_facts *)assembly->told;
  if (order->known) { /* it was answered */
    return TALUS_OK;
  }
  TL_TRY(tl_cuda_wait(device)); /* what followed may have failed before anybody waited */
  order_learn(order, order->queued, all);
  order->known = !all->others && all->uneven == order->all.uneven && all->soft == order->all.soft;
  order->calm = 0; /* contacts may not be those of now */
  return TALUS_OK;
}

size_t tl_cuda_told_size(void) {
  return sizeof(tl_cuda_facts);
}
