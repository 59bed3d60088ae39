/* form.c: W and q written out from the engine's system, whatever form the problem had.
 *
 * A constraint touches units (rigid bodies, blocks) by J and J M^-1; W_kl is the sum of
 * (J M^-1)_k J_l^T over the units that both touch. Rows of W given as a matrix are copied. */
#include <math.h>
#include <string.h>

#include "host/base/clones.h"
#include "host/method/small/small.h"
#include "host/method/small/touch.h"
#include "kernels/item/cone.h"

/* ---- rows, kinds, frames --------------------------------------------------------------------- */

/* The constraint at place k of the small problem, as the system numbers it. */
static int32_t id_of(const tl_small *small, int32_t k) {
  return small->pick != NULL ? small->pick[k] : k;
}

static const tl_range *range_of(const tl_system *system, int32_t id) {
  const tl_range *range = system->shape.range;
  while (id >= range->first + range->count && range < system->shape.range + TL_RANGE_MAX - 1) {
    range++;
  }
  return range;
}

static void rows_find(const tl_assembly *assembly, tl_small *small) {
  const tl_system *const system = &assembly->system;
  int32_t row = 0;
  for (int32_t k = 0; k < small->count; k++) {
    const int32_t id = id_of(small, k);
    const tl_range range = *range_of(system, id);
    const int slides = !range.bilateral && range.rows > 1 && system->friction[id] > 0;
    const double low = range.bounded ? system->lower[id - range.first] : -INFINITY;
    const double high = range.bounded ? system->upper[id - range.first] : INFINITY;
    const int held = isfinite(low) || isfinite(high);
    small->kind[k] = slides             ? TL_SMALL_CONE
                     : !range.bilateral ? TL_SMALL_HALF
                     : held             ? TL_SMALL_BOUND
                                        : TL_SMALL_FREE;
    small->friction[k] = slides ? system->friction[id] : 0;
    small->root[k] = sqrt(system->weight[id]);
    small->lower[k] = low;
    small->upper[k] = high;
    small->first[k] = row;
    row += slides ? range.rows : 1;
  }
  small->first[small->count] = row;
  small->rows = row;
  small->stride = tl_padded(row);
}

/* The caller's own tangents where he has some: facets are counted from them. */
static void frames_find(const tl_assembly *assembly, tl_small *small) {
  const tl_system *const system = &assembly->system;
  for (int32_t k = 0; k < small->count; k++) {
    double *const frame = small->frame + 9 * (int64_t)k;
    const int32_t id = id_of(small, k);
    memset(frame, 0, 9 * sizeof *frame);
    frame[0] = frame[4] = frame[8] = 1;
    if (id >= system->shape.rigid_contact_count) {
      continue;
    }
    const tl_vec n = tl_load(system->normal, id);
    tl_vec t1, t2;
    tl_tangents(n, &t1, &t2);
    tl_save(frame, 0, n);
    tl_save(frame, 1, t1);
    tl_save(frame, 2, t2);
    if (assembly->frame != NULL) {
      memcpy(frame, assembly->frame + 9 * (int64_t)system->order[id], 9 * sizeof *frame);
    }
  }
}

static void free_fill(const tl_system *system, tl_small *small) {
  double square = 0;
  for (int32_t k = 0; k < small->count; k++) {
    const int32_t id = id_of(small, k);
    const double u[3] = {system->free_x[id], system->free_y[id], system->free_z[id]};
    for (int32_t i = small->first[k]; i < small->first[k + 1]; i++) {
      const double *const axis = small->frame + 9 * (int64_t)k + 3 * (i - small->first[k]);
      small->q[i] = (axis[0] * u[0] + axis[1] * u[1] + axis[2] * u[2]) / small->root[k];
      square += small->q[i] * small->q[i];
    }
  }
  small->unit = square > 0 && isfinite(square) ? sqrt(square) : 1;
  for (int32_t i = 0; i < small->rows; i++) {
    small->q[i] /= small->unit;
  }
  for (int32_t i = small->rows; i < small->stride; i++) {
    small->q[i] = 0;
  }
  for (int32_t k = 0; k < small->count; k++) {
    small->lower[k] *= small->root[k] / small->unit;
    small->upper[k] *= small->root[k] / small->unit;
  }
}

/* ---- J and J M^-1 ---------------------------------------------------------------------------- */

static void ends_add(const tl_system *system, const tl_small *small, int32_t k, tl_touching *t) {
  const int32_t id = id_of(small, k), rows = small->first[k + 1] - small->first[k];
  const int spheres = system->shape.body_kind == TL_SPHERES;
  const tl_vec n = tl_load(system->normal, id);
  for (int side = 0; side < 2; side++) {
    const int32_t body = side == 0 ? system->body_a[id] : system->body_b[id];
    if (body >= system->shape.rigid_count) {
      continue;
    }
    const tl_vec arm = spheres ? tl_times(side == 0 ? system->reach_a[id] : -system->reach_b[id], n)
                               : tl_load(side == 0 ? system->arm_a : system->arm_b, id);
    const double *const m = system->body + (spheres ? 4 : 16) * (int64_t)body;
    const double sign = side == 0 ? -1 : 1;
    tl_small_touch *const new = tl_touch_add(t, k, body, rows, 6);
    for (int32_t i = 0; i < rows; i++) {
      const tl_vec axis = tl_load(small->frame, 3 * (int64_t)k + i);
      const tl_vec lever = tl_cross(arm, axis);
      const tl_vec turn = spheres ? tl_times(m[1], lever) : tl_sym_times(m + 1, lever);
      tl_save(new->jacobian + 6 * i, 0, tl_times(sign, axis));
      tl_save(new->jacobian + 6 * i, 1, tl_times(sign, lever));
      tl_touch_response(new, i, 0, tl_times(sign * m[0], axis));
      tl_touch_response(new, i, 3, tl_times(sign, turn));
    }
  }
}

/* Entries against rigid bodies have the record's layout: linear, a gap, angular. The offset names
 * the unit. */
static void entries_add(const tl_system *system, const tl_small *small, int32_t k, tl_touching *t) {
  const int32_t rows = small->first[k + 1] - small->first[k];
  const int32_t rigid = TL_RECORD * system->shape.rigid_count;
  const int32_t *const first = system->entry_first + (id_of(small, k) - system->shape.entry_base);
  for (int32_t e = first[0]; e < first[1]; e++) {
    const tl_entry entry = system->entry[e];
    const int body = entry.offset < rigid;
    tl_small_touch *const new = tl_touch_add(t, k, body ? entry.offset / TL_RECORD : entry.offset,
                                             rows, body ? 6 : entry.size);
    for (int32_t i = 0; i < rows; i++) {
      for (int32_t c = 0; c < new->size; c++) {
        const int64_t from = entry.jacobian + (int64_t)i * entry.size + (body && c > 2 ? c + 1 : c);
        new->jacobian[i * new->size + c] = system->jacobian[from];
        new->response[TL_TOUCH_ROWS * c + i] = system->response[from];
      }
    }
  }
}

static talus_status bodies_write(const tl_system *system, tl_small *small) {
  size_t most = 0, reals = 0;
  for (int32_t k = 0; k < small->count; k++) {
    const int32_t id = id_of(small, k), rows = small->first[k + 1] - small->first[k];
    if (id < system->shape.rigid_contact_count) {
      most += 2;
      reals += 2 * 6 * (size_t)(rows + TL_TOUCH_ROWS);
      continue;
    }
    const int32_t *const first = system->entry_first + (id - system->shape.entry_base);
    for (int32_t e = first[0]; e < first[1]; e++) {
      most++;
      reals += (size_t)(rows + TL_TOUCH_ROWS) * (size_t)system->entry[e].size;
    }
  }
  TL_TRY(tl_buffer_reserve(small->context, &small->touches,
                           reals + most * ((sizeof(tl_small_touch) + 7) / 8), sizeof(double),
                           "a small problem's Jacobians"));
  tl_touching t = {.at = small->touches.memory};
  t.list = (tl_small_touch *)(t.at + reals);
  for (int32_t k = 0; k < small->count; k++) {
    if (id_of(small, k) < system->shape.rigid_contact_count) {
      ends_add(system, small, k, &t);
    } else {
      entries_add(system, small, k, &t);
    }
  }
  tl_touches_multiply(&t, small->first, small->stride, small->w, 0);
  return TALUS_OK;
}

static void matrix_write(const tl_system *system, tl_small *small) {
  for (int32_t k = 0; k < small->count; k++) {
    const int32_t id = id_of(small, k);
    for (int64_t e = system->row_first[id]; e < system->row_first[id + 1]; e++) {
      const int32_t l = small->pick != NULL ? small->place[system->column[e]] : system->column[e];
      for (int64_t i = small->first[k]; i < small->first[k + 1]; i++) {
        for (int64_t j = small->first[l]; j < small->first[l + 1]; j++) {
          small->w[j * small->stride + i] +=
              system->value[9 * e + 3 * (i - small->first[k]) + (j - small->first[l])];
        }
      }
    }
  }
}

/* What gives way, on the diagonal; rows of W given as a matrix have it. */
static void compliance_add(const tl_system *system, tl_small *small) {
  for (int32_t k = 0; k < small->count && system->shape.compliance_count > 0; k++) {
    const int32_t id = id_of(small, k);
    for (int64_t i = small->first[k]; i < small->first[k + 1]; i++) {
      small->w[i * small->stride + i] +=
          i == small->first[k] ? system->compliance_n[id] : system->compliance_t[id];
    }
  }
}

/* Entry by entry with the factor of the earlier constraint first. scale: [rows] scratch. */
TL_CLONES_FEW static void matrix_scale(tl_small *small, double *scale) {
  for (int32_t k = 0; k < small->count; k++) {
    for (int32_t i = small->first[k]; i < small->first[k + 1]; i++) {
      scale[i] = 1 / small->root[k];
    }
  }
  for (int32_t k = 0; k < small->count; k++) {
    for (int32_t j = small->first[k]; j < small->first[k + 1]; j++) {
      double *const column = small->w + (int64_t)j * small->stride;
      const double factor = scale[j];
      for (int32_t i = 0; i < small->first[k]; i++) {
        column[i] = column[i] * scale[i] * factor;
      }
      for (int32_t i = small->first[k]; i < small->rows; i++) {
        column[i] = column[i] * factor * scale[i];
      }
    }
  }
}

talus_status tl_small_form(tl_small *small, const tl_assembly *assembly) {
  const int32_t count = assembly->system.shape.contact_count;
  if (count > TL_SMALL_MOST) {
    return tl_fail(small->context, TALUS_UNSUPPORTED,
                   "the method is for small problems: %d contacts and bilateral rows, at most %d",
                   count, (int)TL_SMALL_MOST);
  }
  small->pick = small->place = NULL;
  return tl_small_form_part(small, assembly, count);
}

talus_status tl_small_form_part(tl_small *small, const tl_assembly *assembly, int32_t count) {
  const tl_system *const system = &assembly->system;
  small->ready = false;
  TL_TRY(tl_small_reserve(small, count));
  rows_find(assembly, small);
  frames_find(assembly, small);
  free_fill(system, small);
  memset(small->w, 0, (size_t)small->stride * (size_t)small->rows * sizeof *small->w);
  if (system->shape.range[0].kind == TL_MATRIX) {
    matrix_write(system, small);
  } else {
    TL_TRY(bodies_write(system, small));
    compliance_add(system, small);
  }
  matrix_scale(small, small->u);
  tl_small_paces(small);
  small->ready = true;
  return TALUS_OK;
}
