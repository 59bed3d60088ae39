/* composite.c: the joint-space way: M by composite rigid bodies, the rest by inverse dynamics,
 * Cholesky in between. O(links depth) to set up, O(n^3) to solve. */
#include "host/math/dense.h"
#include "host/mechanism/mechanism.h"

void tl_mechanism_mass(talus_mechanism *mechanism, double *mass) {
  const int64_t n = mechanism->v_count;
  double *const composite = mechanism->body_inertia; /* context: factors are made anew after this */
  mechanism->articulated = 0;
  memset(mass, 0, (size_t)(n * n) * sizeof *mass);
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    memcpy(composite + 36 * i, mechanism->state[i].inertia, 36 * sizeof(double));
  }
  for (int32_t k = mechanism->link_count - 1; k >= 0; k--) {
    const int32_t i = mechanism->order[k];
    const tl_link *const link = &mechanism->link[i];
    if (link->parent >= 0) {
      tl_inertia_add_shifted(composite + 36 * link->parent, composite + 36 * i,
                             mechanism->state[i].arm);
    }
    for (int c = 0; c < link->v_count; c++) {
      double wrench[6];
      const int64_t row = link->first_v + c;
      tl_times6(wrench, composite + 36 * i, tl_axis_of(mechanism, link) + 6 * c);
      tl_mechanism_row(mechanism, i, wrench, mass + row * n);
    }
  }
  for (int64_t i = 0; i < n; i++) { /* each row holds its ancestors: mirror them */
    for (int64_t j = 0; j < n; j++) {
      if (mass[i * n + j] != 0) {
        mass[j * n + i] = mass[i * n + j];
      }
    }
  }
}

void tl_mechanism_row(const talus_mechanism *mechanism, int32_t link, const double *wrench,
                      double *row) {
  double moved[6];
  memcpy(moved, wrench, sizeof moved);
  for (int32_t i = link; i >= 0; i = mechanism->link[i].parent) {
    const tl_link *const at = &mechanism->link[i];
    for (int k = 0; k < at->v_count; k++) {
      row[at->first_v + k] += tl_dot6(tl_axis_of(mechanism, at) + 6 * k, moved);
    }
    tl_wrench_shift(moved, moved, mechanism->state[i].arm);
  }
}

void tl_mechanism_inverse_dynamics(talus_mechanism *mechanism, double *force) {
  const double *const g = mechanism->gravity;
  const double base[6] = {0, 0, 0, -g[0], -g[1], -g[2]};
  for (int32_t k = 0; k < mechanism->link_count; k++) {
    const int32_t i = mechanism->order[k];
    const tl_link_state *const state = &mechanism->state[i];
    double *const motion = mechanism->motion + 6 * i, *const wrench = mechanism->wrench + 6 * i;
    tl_motion_shift(motion, tl_motion_of(mechanism, mechanism->link[i].parent, base), state->arm);
    tl_add6(motion, 1, state->bias);
    tl_times6(wrench, state->inertia, motion);
    tl_add6(wrench, 1, state->wrench_bias);
    tl_add6(wrench, -1, mechanism->outer + 6 * i);
  }
  for (int32_t k = mechanism->link_count - 1; k >= 0; k--) {
    const int32_t i = mechanism->order[k];
    const tl_link *const link = &mechanism->link[i];
    double *const wrench = mechanism->wrench + 6 * i;
    for (int c = 0; c < link->v_count; c++) {
      force[link->first_v + c] = tl_dot6(tl_axis_of(mechanism, link) + 6 * c, wrench);
    }
    if (link->parent >= 0) {
      double moved[6];
      tl_wrench_shift(moved, wrench, mechanism->state[i].arm);
      tl_add6(mechanism->wrench + 6 * link->parent, 1, moved);
    }
  }
}

talus_status tl_mechanism_dense(talus_mechanism *mechanism) {
  const size_t n = (size_t)mechanism->v_count;
  TL_TRY(tl_buffer_reserve(mechanism->context, &mechanism->dense, tl_size_product(n, n),
                           sizeof(double), "the mass matrix"));
  tl_mechanism_place(mechanism);
  tl_mechanism_mass(mechanism, mechanism->dense.memory);
  if (!tl_dense_factor(mechanism->dense.memory, (int64_t)n)) {
    return tl_fail(mechanism->context, TALUS_NEGATIVE_MASS,
                   "the mass matrix of the mechanism cannot be factored; look at the masses and at "
                   "coordinates that overflow");
  }
  return TALUS_OK;
}
