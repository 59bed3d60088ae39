/* reference.c: R(0), the residual of doing nothing, and R_s, that of contact velocities wrong by
 * the problem's velocity_scale, over the arrays of an assembled system.
 *
 * Chunks are added in order, as a device that holds the system does. */
#include "host/problem/reference.h"

#include <math.h>
#include <stdbool.h>

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

/* R(0)^2 of one law over a chunk of the system's constraints. */
static double chunk_reference(const tl_system *system, int32_t first, int32_t end, talus_law law) {
  double sum = 0;
  const tl_range *range = system->shape.range;
  for (int32_t k = first; k < end; k++) {
    while (k >= range->first + range->count) {
      range++;
    }
    const bool world = range->kind == TL_SPHERES || range->kind == TL_ARMS;
    if (range->torque) {
      sum += wrench_reference(system, k, world, law == TALUS_LAW_COULOMB);
      continue;
    }
    sum += range->bilateral
               ? row_reference(system, range, k)
               : tl_system_reference(system, k,
                                     world ? tl_load(system->normal, k) : tl_vec_make(1, 0, 0),
                                     law == TALUS_LAW_COULOMB);
  }
  return sum;
}

double tl_system_residual(const tl_system *system, talus_law law) {
  const int32_t count = system->shape.contact_count;
  double sum = 0;
  for (int32_t first = 0; first < count; first += TL_CHUNK) {
    sum += chunk_reference(system, first, count - first < TL_CHUNK ? count : first + TL_CHUNK, law);
  }
  return sqrt(sum);
}

/* Sum of 1 / w_k over a chunk's contacts and rows that give way. */
static double chunk_inverse_weight(const tl_system *system, int32_t first, int32_t end) {
  double sum = 0;
  const tl_range *range = system->shape.range;
  for (int32_t k = first; k < end; k++) {
    while (k >= range->first + range->count) {
      range++;
    }
    const bool gives = system->shape.compliance_count > 0 && system->compliance_n[k] > 0;
    sum += range->bilateral && !gives ? 0 : 1 / system->weight[k];
  }
  return sum;
}

double tl_system_inverse_weight(const tl_system *system) {
  const int32_t count = system->shape.contact_count;
  double sum = 0;
  for (int32_t first = 0; first < count; first += TL_CHUNK) {
    sum += chunk_inverse_weight(system, first, count - first < TL_CHUNK ? count : first + TL_CHUNK);
  }
  return sum;
}

double tl_reference_slack(double velocity_scale, double inverse_weight, double reference) {
  const double slack = velocity_scale * sqrt(inverse_weight) / reference;
  return slack > 1 && isfinite(slack) ? slack : 1;
}
