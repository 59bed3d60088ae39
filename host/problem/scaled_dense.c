/* scaled_dense.c: W of a scaled problem, dense, from an assembled system.
 *
 * W_kl is the sum of (J M^-1)_k J_l^T over the units that both constraints act on; W given as a
 * matrix is copied. */
#include <string.h>

#include "host/base/clones.h"
#include "host/problem/scaled.h"
#include "host/problem/scaled_jacobian.h"

static int32_t id_of(const tl_scaled_options *options, int32_t k) {
  return options->pick != NULL ? options->pick[k] : k;
}

static talus_status bodies_write(talus_context *context, const tl_system *system,
                                 const tl_scaled_options *options, tl_scaled *p) {
  size_t blocks = 0, reals = 0;
  for (int32_t k = 0; k < p->count; k++) {
    tl_jacobians_count(system, id_of(options, k), p->first[k + 1] - p->first[k], &blocks, &reals);
  }
  TL_TRY(tl_buffer_reserve(context, &p->jacobians, tl_jacobians_room(blocks, reals), sizeof(double),
                           "Jacobians of a small problem"));
  tl_jacobian_list list = tl_jacobians_in(p->jacobians.memory, reals);
  for (int32_t k = 0; k < p->count; k++) {
    tl_jacobians_of(system, id_of(options, k), k, p->first[k + 1] - p->first[k],
                    p->frame + 9 * (int64_t)k, &list);
  }
  tl_jacobians_multiply(&list, p->first, p->stride, p->w, false);
  return TALUS_OK;
}

static void matrix_write(const tl_system *system, const tl_scaled_options *options, tl_scaled *p) {
  for (int32_t k = 0; k < p->count; k++) {
    const int32_t id = id_of(options, k);
    for (int64_t e = system->row_first[id]; e < system->row_first[id + 1]; e++) {
      const int32_t l =
          options->pick != NULL ? options->place[system->column[e]] : system->column[e];
      for (int64_t i = p->first[k]; i < p->first[k + 1]; i++) {
        for (int64_t j = p->first[l]; j < p->first[l + 1]; j++) {
          p->w[j * p->stride + i] +=
              system->value[9 * e + 3 * (i - p->first[k]) + (j - p->first[l])];
        }
      }
    }
  }
}

/* Adds the compliance to the diagonal; W given as a matrix has it already. */
static void compliance_add(const tl_system *system, const tl_scaled_options *options,
                           tl_scaled *p) {
  for (int32_t k = 0; k < p->count && system->shape.compliance_count > 0; k++) {
    const int32_t id = id_of(options, k);
    for (int64_t i = p->first[k]; i < p->first[k + 1]; i++) {
      p->w[i * p->stride + i] +=
          i == p->first[k] ? system->compliance_n[id] : system->compliance_t[id];
    }
  }
}

/* Scales entry by entry with the factor of the earlier constraint first, so that W stays symmetric
 * to the last bit. */
TL_CLONES_FEW static void matrix_scale(tl_scaled *p) {
  double *const scale = p->scratch;
  for (int32_t k = 0; k < p->count; k++) {
    for (int32_t i = p->first[k]; i < p->first[k + 1]; i++) {
      scale[i] = 1 / p->root[k];
    }
  }
  for (int32_t k = 0; k < p->count; k++) {
    for (int32_t j = p->first[k]; j < p->first[k + 1]; j++) {
      double *const column = p->w + (int64_t)j * p->stride;
      const double factor = scale[j];
      for (int32_t i = 0; i < p->first[k]; i++) {
        column[i] = column[i] * scale[i] * factor;
      }
      for (int32_t i = p->first[k]; i < p->rows; i++) {
        column[i] = column[i] * factor * scale[i];
      }
    }
  }
}

talus_status tl_scaled_dense(talus_context *context, const tl_system *system,
                             const tl_scaled_options *options, tl_scaled *p) {
  memset(p->w, 0, (size_t)p->stride * (size_t)p->rows * sizeof *p->w);
  if (TL_HAS_ROWS(&system->shape)) {
    matrix_write(system, options, p);
  } else {
    TL_TRY(bodies_write(context, system, options, p));
    compliance_add(system, options, p);
  }
  matrix_scale(p);
  return TALUS_OK;
}

void tl_scaled_dense_velocity(const tl_scaled *p, const double *y, double *u) {
  memcpy(u, p->q, (size_t)p->rows * sizeof *u);
  for (int64_t j = 0; j < p->rows; j++) {
    const double *const column = p->w + j * p->stride;
    for (int64_t i = 0; i < p->rows; i++) {
      u[i] += column[i] * y[j];
    }
  }
}
