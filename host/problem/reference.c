/* reference.c: R(0), the residual of doing nothing, and R_s, that of contact velocities wrong by
 * the problem's velocity_scale, over the arrays of an assembled system.
 *
 * Chunks are added in order, as a device that holds the system does; those of bricks exactly. */
#include "host/problem/reference.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "host/base/clones.h"
#include "host/base/each.h"
#include "kernels/halo.h"
#include "kernels/item/exact.h"
#include "kernels/item/rigid.h"
#include "kernels/item/row.h"
#include "kernels/item/wrench.h"

static double row_reference(const tl_system *system, const tl_range *range, int32_t k) {
  const double u = system->free_x[k], w = system->weight[k];
  const int32_t row = k - range->first;
  return range->bounded ? tl_row_share(0, u, w, system->lower[row], system->upper[row]) : u * u / w;
}

static double wrench_reference(const tl_system *system, int32_t k, int world, int coulomb) {
  const int64_t torque = (int64_t)system->shape.contact_count + k;
  const tl_vec n = world ? tl_load(system->normal, k) : tl_vec_make(1, 0, 0);
  const tl_vec zero = tl_vec_make(0, 0, 0);
  const tl_parts mu = {0, system->friction[k], system->spin_friction[k], system->friction[torque]};
  const tl_wrench none = {zero, zero};
  tl_wrench q = {{system->free_x[k], system->free_y[k], system->free_z[k]},
                 {system->free_x[torque], system->free_y[torque], system->free_z[torque]}};
  q.force = coulomb ? tl_along(q.force, tl_wrench_opening(q, n, mu), n) : q.force;
  return tl_wrench_share(none, q, n, mu, tl_parts_make(system->weight[k], system->weight[torque]));
}

/* Contacts of three rows of a range, several at once. */
TL_ITEM void contacts_loop(const tl_system *system, int32_t first, int32_t count, const int world,
                           const int coulomb, double *share) {
#pragma omp simd
  for (int32_t i = 0; i < count; i++) {
    share[i] = tl_system_reference(
        system, first + i, world ? tl_load(system->normal, first + i) : tl_vec_make(1, 0, 0),
        coulomb);
  }
}

TL_CLONES static void contacts_share(const tl_system *given, int32_t first, int32_t count,
                                     int world, int coulomb, double *share) {
  const tl_system system = *given;
  if (world && coulomb) {
    contacts_loop(&system, first, count, 1, 1, share);
  } else if (world) {
    contacts_loop(&system, first, count, 1, 0, share);
  } else {
    contacts_loop(&system, first, count, 0, coulomb, share);
  }
}

/* Shares in R(0)^2 and in the sum of 1 / w_k, of constraints that lie in one range. */
static void range_share(const tl_system *system, const tl_range *range, int32_t first,
                        int32_t count, talus_law law, double *share, double *inverse) {
  const bool world = range->kind == TL_SPHERES || range->kind == TL_ARMS;
  const bool coulomb = law == TALUS_LAW_COULOMB;
  if (!range->torque && !range->bilateral) {
    contacts_share(system, first, count, world, coulomb, share);
  }
  for (int32_t i = 0; i < count; i++) {
    const int32_t k = first + i;
    const bool gives = system->shape.compliance_count > 0 && system->compliance_n[k] > 0;
    inverse[i] = range->bilateral && !gives ? 0 : 1 / system->weight[k];
    share[i] = range->torque      ? wrench_reference(system, k, world, coulomb)
               : range->bilateral ? row_reference(system, range, k)
                                  : share[i];
  }
}

typedef struct chunk_task {
  const tl_system *system;
  talus_law law;
  double *reference, *inverse_weight; /* of the chunks */
} chunk_task;

/* Chunks of bricks are the system's own. */
static int32_t chunk_begin(const tl_system *system, int32_t chunk) {
  const int64_t first = (int64_t)chunk * TL_CHUNK, count = system->shape.contact_count;
  return system->shape.unit_chunk_count > 0 ? system->chunk_first[chunk]
                                            : (int32_t)(first < count ? first : count);
}

static void chunk_share(const chunk_task *t, int32_t chunk) {
  const tl_range *range = t->system->shape.range;
  const int32_t first = chunk_begin(t->system, chunk);
  const int32_t count = chunk_begin(t->system, chunk + 1) - first;
  double share[TL_CHUNK], inverse[TL_CHUNK], sums[2] = {0, 0};
  for (int32_t done = 0; done < count;) {
    while (first + done >= range->first + range->count) {
      range++;
    }
    const int32_t here = range->first + range->count - first - done;
    const int32_t next = here < count - done ? here : count - done;
    range_share(t->system, range, first + done, next, t->law, share + done, inverse + done);
    done += next;
  }
  for (int32_t i = 0; i < count; i++) {
    sums[0] += share[i];
    sums[1] += inverse[i];
  }
  t->reference[chunk] = sums[0];
  t->inverse_weight[chunk] = sums[1];
}

static void chunks_share(void *arguments, int64_t first, int64_t end) {
  for (int64_t chunk = first; chunk < end; chunk++) {
    chunk_share(arguments, (int32_t)chunk);
  }
}

/* The exact sums over the chunks of all ranks. */
static void sums_share(const tl_system *system, const chunk_task *t, double sums[2]) {
  tl_halo *const halo = system->halo;
  tl_exact all[2];
  memset(all, 0, sizeof all);
  for (int32_t chunk = 0; chunk < system->shape.chunk_count; chunk++) {
    if (halo == NULL || halo->chunk_role[chunk] == TL_HALO_OWN) {
      tl_exact_add(&all[0], t->reference[chunk]);
      tl_exact_add(&all[1], t->inverse_weight[chunk]);
    }
  }
  if (halo != NULL) {
    halo->sum(halo, all[0].digit, 2 * TL_EXACT_DIGITS);
  }
  sums[0] = tl_exact_round(&all[0]);
  sums[1] = tl_exact_round(&all[1]);
}

talus_status tl_system_references(talus_context *context, tl_assembly *assembly, talus_law law,
                                  double *reference, double *inverse_weight) {
  const tl_system *const system = &assembly->system;
  const bool bricks = system->shape.unit_chunk_count > 0 || system->halo != NULL;
  const int32_t chunks =
      bricks ? system->shape.chunk_count : (system->shape.contact_count + TL_CHUNK - 1) / TL_CHUNK;
  TL_TRY(tl_buffer_reserve(context, &assembly->scratch[3], 2 * (size_t)chunks, sizeof(double),
                           "sums of chunks"));
  double *const memory = assembly->scratch[3].memory;
  chunk_task task = {system, law, memory, memory + chunks};
  tl_each(context, chunks > 1 ? assembly->threads : 1, chunks, chunks_share, &task);
  double square = 0;
  *inverse_weight = 0;
  if (bricks) {
    double sums[2];
    sums_share(system, &task, sums);
    *reference = sqrt(sums[0]);
    *inverse_weight = sums[1];
    return TALUS_OK;
  }
  for (int32_t chunk = 0; chunk < chunks; chunk++) {
    square += task.reference[chunk];
    *inverse_weight += task.inverse_weight[chunk];
  }
  *reference = sqrt(square);
  return TALUS_OK;
}

double tl_reference_slack(double velocity_scale, double inverse_weight, double reference) {
  const double slack = velocity_scale * sqrt(inverse_weight) / reference;
  return slack > 1 && isfinite(slack) ? slack : 1;
}
