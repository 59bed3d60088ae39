/* scaled_bodies.c: W of a scaled problem as bodies of unit mass.
 *
 * With M^-1 = L L^T and v = L z, W = (J L)(J L)^T: no mass remains, and a body that cannot turn
 * is one whose columns are 0, not a case of its own. Compliance C = K K^T is one more body for each
 * constraint, on which no other constraint acts: W + C follows. */
#include <math.h>
#include <string.h>

#include "host/math/dense.h"
#include "host/problem/scaled.h"
#include "host/problem/scaled_jacobian.h"
#include "kernels/item/real.h"

/* L of a rigid body's M^-1: one number for the linear part, 3 x 3 for the angular one. */
typedef struct body_root {
  double linear, angular[9];
} body_root;

static body_root rigid_root(const tl_system *system, int32_t body) {
  const bool spheres = system->shape.body_kind == TL_SPHERES;
  const double *const m = system->body + (spheres ? 4 : 16) * (int64_t)body;
  body_root root = {sqrt(m[0]), {0}};
  if (spheres) {
    root.angular[0] = root.angular[4] = root.angular[8] = sqrt(m[1]);
    return root;
  }
  const double full[9] = {m[1], m[2], m[3], m[2], m[4], m[5], m[3], m[5], m[6]};
  memcpy(root.angular, full, sizeof full);
  tl_dense_root(root.angular, 3);
  return root;
}

/* One row (linear, angular) of J times L. */
static void row_save(const body_root *root, tl_vec linear, tl_vec angular, double scale,
                     double *row) {
  const double *const a = root->angular;
  row[0] = scale * root->linear * linear.x;
  row[1] = scale * root->linear * linear.y;
  row[2] = scale * root->linear * linear.z;
  row[3] = scale * (angular.x * a[0] + angular.y * a[3] + angular.z * a[6]);
  row[4] = scale * (angular.y * a[4] + angular.z * a[7]);
  row[5] = scale * angular.z * a[8];
}

static int32_t block_of(const tl_system *system, int32_t offset) {
  int32_t low = 0, high = system->shape.block_count;
  while (high - low > 1) {
    const int32_t middle = low + (high - low) / 2;
    if (system->block_offset[middle] <= offset) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/* J L of one Jacobian block: of a rigid body, or (J M^-1) R of a general block with M = R R^T,
 * `root` holding R of all. */
static void block_write(const tl_system *system, const double *root, const tl_jacobian_block *b,
                        int32_t rows, double scale, double *to) {
  if (b->unit < system->shape.rigid_count) {
    const body_root body = rigid_root(system, b->unit);
    for (int32_t i = 0; i < rows; i++) {
      row_save(&body, tl_load(b->jacobian, 2 * i), tl_load(b->jacobian, 2 * i + 1), scale,
               to + 6 * i);
    }
    return;
  }
  const double *const r = root + system->mass_first[block_of(system, b->unit)];
  for (int32_t i = 0; i < rows; i++) {
    for (int32_t c = 0; c < b->size; c++) {
      double sum = 0;
      for (int32_t d = c; d < b->size; d++) {
        sum += b->response[TL_JACOBIAN_ROWS * d + i] * r[(int64_t)d * b->size + c];
      }
      to[i * b->size + c] = scale * sum;
    }
  }
}

/* The blocks of constraint k, divided by sqrt(w). */
static void blocks_write(const tl_system *system, const double *root, tl_jacobian_list list,
                         int32_t k, tl_scaled *p, int32_t *entry, int64_t *at) {
  const int32_t rows = p->first[k + 1] - p->first[k], rigid = system->shape.rigid_count;
  tl_jacobians_of(system, k, k, rows, p->frame + 9 * (int64_t)k, &list);
  for (int32_t i = 0; i < list.count; i++) {
    const tl_jacobian_block *const b = &list.list[i];
    const int32_t unit = b->unit < rigid ? b->unit : rigid + block_of(system, b->unit);
    p->entry[(*entry)++] = (tl_scaled_entry){unit, *at};
    block_write(system, root, b, rows, 1 / p->root[k], p->jacobian + *at);
    *at += (int64_t)rows * b->size;
  }
}

/* The constraint's own unit, of one freedom per row: K / sqrt(w). */
static void compliance_fill(const tl_system *system, tl_scaled *p, int32_t k, int32_t *unit,
                            int32_t *entry, int64_t *at) {
  const int32_t rows = p->first[k + 1] - p->first[k];
  p->entry[(*entry)++] = (tl_scaled_entry){*unit, *at};
  p->unit_first[*unit + 1] = p->unit_first[*unit] + rows;
  *unit += 1;
  for (int32_t i = 0; i < rows; i++) {
    const double c = i == 0 ? system->compliance_n[k] : system->compliance_t[k];
    for (int32_t j = 0; j < rows; j++) {
      p->jacobian[(*at)++] = i == j ? sqrt(c) / p->root[k] : 0;
    }
  }
}

/* How many entries there are at most, and how many reals they have together. */
static void sizes_find(const tl_system *system, size_t *entries, size_t *reals) {
  const tl_shape *const shape = &system->shape;
  *entries = 2 * (size_t)shape->rigid_contact_count + (size_t)(shape->entry_count) +
             (size_t)shape->compliance_count;
  *reals = 36 * (size_t)shape->rigid_contact_count + (size_t)shape->jacobian_count +
           9 * (size_t)shape->compliance_count;
}

/* Memory of the Jacobian blocks of the constraint that has most. */
static size_t list_room(const tl_system *system, const tl_scaled *p, size_t *reals) {
  size_t most = 0;
  *reals = 0;
  for (int32_t k = 0; k < p->count; k++) {
    size_t own[2] = {0, 0};
    tl_jacobians_count(system, k, p->first[k + 1] - p->first[k], &own[0], &own[1]);
    most = own[0] > most ? own[0] : most;
    *reals = own[1] > *reals ? own[1] : *reals;
  }
  return tl_jacobians_room(most, *reals);
}

/* Freedoms of the units, and R of the general blocks. */
static void units_set(const tl_system *system, double *root, tl_scaled *p) {
  const tl_shape *const shape = &system->shape;
  p->unit_count = shape->rigid_count + shape->block_count;
  for (int32_t u = 0; u <= shape->rigid_count; u++) {
    p->unit_first[u] = 6 * u;
  }
  if (shape->block_count > 0) {
    memcpy(root, system->mass, (size_t)shape->mass_count * sizeof *root);
  }
  for (int32_t b = 0; b < shape->block_count; b++) {
    const int32_t size = system->block_offset[b + 1] - system->block_offset[b];
    tl_dense_root(root + system->mass_first[b], size);
    p->unit_first[shape->rigid_count + b + 1] = p->unit_first[shape->rigid_count + b] + size;
  }
}

talus_status tl_scaled_bodies(talus_context *context, const tl_system *system, tl_scaled *p) {
  const tl_shape *const shape = &system->shape;
  size_t entries, reals, list_reals;
  sizes_find(system, &entries, &reals);
  const size_t list = list_room(system, p, &list_reals);
  const size_t units = (size_t)(shape->rigid_count + shape->block_count + shape->compliance_count);
  const size_t freedoms = 6 * (size_t)shape->rigid_count + (size_t)shape->velocity_size +
                          3 * (size_t)shape->compliance_count;
  const size_t integers = ((size_t)p->count + units + 3) / 2;
  TL_TRY(tl_buffer_reserve(context, &p->jacobians,
                           2 * entries + reals + (size_t)shape->mass_count + list + freedoms +
                               integers,
                           sizeof(double), "Jacobians of a scaled problem"));
  p->entry = p->jacobians.memory;
  p->jacobian = (double *)(p->entry + entries);
  double *const root = p->jacobian + reals;
  const tl_jacobian_list one = tl_jacobians_in(root + shape->mass_count, list_reals);
  p->scratch = root + shape->mass_count + list;
  p->entry_first = (int32_t *)(void *)(p->scratch + freedoms);
  p->unit_first = p->entry_first + p->count + 1;
  units_set(system, root, p);
  int32_t entry = 0, unit = p->unit_count;
  int64_t at = 0;
  for (int32_t k = 0; k < p->count; k++) {
    p->entry_first[k] = entry;
    blocks_write(system, root, one, k, p, &entry, &at);
    if (shape->compliance_count > 0) {
      compliance_fill(system, p, k, &unit, &entry, &at);
    }
  }
  p->unit_count = unit;
  p->entry_first[p->count] = entry;
  return TALUS_OK;
}

void tl_scaled_motion(const tl_scaled *p, const double *y, double *motion) {
  memset(motion, 0, (size_t)p->unit_first[p->unit_count] * sizeof *motion);
  for (int32_t k = 0; k < p->count; k++) {
    const int32_t rows = p->first[k + 1] - p->first[k];
    for (int32_t e = p->entry_first[k]; e < p->entry_first[k + 1]; e++) {
      const int32_t unit = p->entry[e].unit;
      const int32_t size = p->unit_first[unit + 1] - p->unit_first[unit];
      const double *j = p->jacobian + p->entry[e].jacobian;
      double *const v = motion + p->unit_first[unit];
      for (int32_t i = 0; i < rows; i++, j += size) {
        const double x = y[p->first[k] + i];
        for (int32_t c = 0; c < size; c++) {
          v[c] += j[c] * x;
        }
      }
    }
  }
}

void tl_scaled_speed(const tl_scaled *p, const double *motion, double *u) {
  for (int32_t k = 0; k < p->count; k++) {
    const int32_t rows = p->first[k + 1] - p->first[k];
    double sum[3] = {0, 0, 0};
    for (int32_t e = p->entry_first[k]; e < p->entry_first[k + 1]; e++) {
      const int32_t unit = p->entry[e].unit;
      const int32_t size = p->unit_first[unit + 1] - p->unit_first[unit];
      const double *j = p->jacobian + p->entry[e].jacobian;
      const double *const v = motion + p->unit_first[unit];
      for (int32_t i = 0; i < rows; i++, j += size) {
        for (int32_t c = 0; c < size; c++) {
          sum[i] += j[c] * v[c];
        }
      }
    }
    memcpy(u + p->first[k], sum, (size_t)rows * sizeof *sum);
  }
}

void tl_scaled_bodies_apply(const tl_scaled *p, const double *y, double *u) {
  tl_scaled_motion(p, y, p->scratch);
  tl_scaled_speed(p, p->scratch, u);
}
