/* sheet_bodies.c: Jacobians against bodies of unit mass.
 *
 * With M^-1 = L L^T and v = L z, W = (J L)(J L)^T: no mass remains, and a body that cannot turn
 * is one whose columns are 0, not a case of its own. What gives way has C = K K^T as a body more,
 * which no other constraint touches: W + C follows. */
#include "host/method/newton/sheet_bodies.h"

#include <math.h>
#include <string.h>

#include "kernels/item/real.h"

/* A = L L^T over the lower triangle of a symmetric semidefinite n x n matrix; what has no pivot
 * left of its diagonal gets a column of zeros. */
static void root_make(double *a, int64_t n) {
  for (int64_t j = 0; j < n; j++) {
    double pivot = a[j * n + j];
    for (int64_t c = 0; c < j; c++) {
      pivot -= a[j * n + c] * a[j * n + c];
    }
    const double root = pivot > 1e-14 * a[j * n + j] ? sqrt(pivot) : 0;
    for (int64_t i = j; i < n; i++) {
      double sum = a[i * n + j];
      for (int64_t c = 0; c < j; c++) {
        sum -= a[i * n + c] * a[j * n + c];
      }
      a[i * n + j] = i == j ? root : root > 0 ? sum / root : 0;
    }
  }
}

/* L of a rigid body's M^-1: one number for the linear part, 3 x 3 for the angular one. */
typedef struct body_root {
  double linear, angular[9];
} body_root;

static body_root rigid_root(const tl_system *system, int32_t body) {
  const int spheres = system->shape.body_kind == TL_SPHERES;
  const double *const m = system->body + (spheres ? 4 : 16) * (int64_t)body;
  body_root root = {sqrt(m[0]), {0}};
  if (spheres) {
    root.angular[0] = root.angular[4] = root.angular[8] = sqrt(m[1]);
    return root;
  }
  const double full[9] = {m[1], m[2], m[3], m[2], m[4], m[5], m[3], m[5], m[6]};
  memcpy(root.angular, full, sizeof full);
  root_make(root.angular, 3);
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

/* The two ends of a rigid contact. */
static void ends_fill(const tl_system *system, tl_sheet *sheet, int32_t k, int32_t *touch,
                      int64_t *at) {
  const int32_t rows = sheet->first[k + 1] - sheet->first[k];
  for (int side = 0; side < 2; side++) {
    const int32_t body = side == 0 ? system->body_a[k] : system->body_b[k];
    if (body >= system->shape.rigid_count) {
      continue;
    }
    const tl_vec n = tl_load(system->normal, k);
    const tl_vec arm = system->shape.body_kind == TL_SPHERES
                           ? tl_times(side == 0 ? system->reach_a[k] : -system->reach_b[k], n)
                           : tl_load(side == 0 ? system->arm_a : system->arm_b, k);
    const body_root root = rigid_root(system, body);
    const double scale = (side == 0 ? -1 : 1) / sheet->root[k];
    sheet->touch[(*touch)++] = (tl_sheet_touch){body, *at};
    for (int32_t i = 0; i < rows; i++) {
      const tl_vec axis = tl_load(sheet->frame, 3 * (int64_t)k + i);
      row_save(&root, axis, tl_cross(arm, axis), scale, sheet->jacobian + *at);
      *at += 6;
    }
  }
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

/* Entries against general blocks: J L = (J M^-1) R with M = R R^T, `root` holding R of all; against
 * rigid bodies: rows of joints. */
static void entries_fill(const tl_system *system, tl_sheet *sheet, const double *root, int32_t k,
                         int32_t *touch, int64_t *at) {
  const int32_t rows = sheet->first[k + 1] - sheet->first[k], rigid = system->shape.rigid_count;
  const int32_t *const first = system->entry_first + (k - system->shape.entry_base);
  for (int32_t e = first[0]; e < first[1]; e++) {
    const tl_entry entry = system->entry[e];
    const double scale = 1 / sheet->root[k];
    const int on_body = rigid > 0 && entry.offset < TL_RECORD * rigid;
    const int32_t block = on_body ? 0 : block_of(system, entry.offset);
    const int32_t unit = on_body ? entry.offset / TL_RECORD : rigid + block;
    sheet->touch[(*touch)++] = (tl_sheet_touch){unit, *at};
    for (int32_t i = 0; i < rows; i++) {
      const double *const j = system->jacobian + entry.jacobian + (int64_t)i * entry.size;
      const double *const response = system->response + entry.jacobian + (int64_t)i * entry.size;
      double *const row = sheet->jacobian + *at;
      if (on_body) {
        const body_root body = rigid_root(system, unit);
        row_save(&body, tl_vec_make(j[0], j[1], j[2]), tl_vec_make(j[4], j[5], j[6]), scale, row);
        *at += 6;
        continue;
      }
      const double *const r = root + system->mass_first[block];
      for (int32_t c = 0; c < entry.size; c++) {
        double sum = 0;
        for (int32_t d = c; d < entry.size; d++) {
          sum += response[d] * r[(int64_t)d * entry.size + c];
        }
        row[c] = scale * sum;
      }
      *at += entry.size;
    }
  }
}

/* The constraint's own unit, of one freedom per row: K / sqrt(w). */
static void compliance_fill(const tl_system *system, tl_sheet *sheet, int32_t k, int32_t *unit,
                            int32_t *touch, int64_t *at) {
  const int32_t rows = sheet->first[k + 1] - sheet->first[k];
  sheet->touch[(*touch)++] = (tl_sheet_touch){*unit, *at};
  sheet->unit_first[*unit + 1] = sheet->unit_first[*unit] + rows;
  *unit += 1;
  for (int32_t i = 0; i < rows; i++) {
    const double c = i == 0 ? system->compliance_n[k] : system->compliance_t[k];
    for (int32_t j = 0; j < rows; j++) {
      sheet->jacobian[(*at)++] = i == j ? sqrt(c) / sheet->root[k] : 0;
    }
  }
}

/* How many touches and reals there are at most. */
static void sizes_find(const tl_system *system, int64_t *touches, int64_t *reals) {
  const tl_shape *const shape = &system->shape;
  *touches = 2 * (int64_t)shape->rigid_contact_count + shape->entry_count + shape->compliance_count;
  *reals = 36 * (int64_t)shape->rigid_contact_count + shape->jacobian_count +
           9 * (int64_t)shape->compliance_count;
}

talus_status tl_sheet_bodies(talus_context *context, const tl_system *system, tl_sheet *sheet) {
  const tl_shape *const shape = &system->shape;
  int64_t touches, reals, at = 0;
  sizes_find(system, &touches, &reals);
  TL_TRY(tl_buffer_reserve(context, &sheet->jacobians,
                           2 * (size_t)touches + (size_t)(reals + shape->mass_count),
                           sizeof(double), "second-order Jacobians"));
  sheet->touch = sheet->jacobians.memory;
  sheet->jacobian = (double *)(sheet->touch + touches);
  double *const root = sheet->jacobian + reals;
  sheet->unit_count = shape->rigid_count + shape->block_count;
  for (int32_t u = 0; u <= shape->rigid_count; u++) {
    sheet->unit_first[u] = 6 * u;
  }
  if (shape->block_count > 0) {
    memcpy(root, system->mass, (size_t)shape->mass_count * sizeof *root);
  }
  for (int32_t b = 0; b < shape->block_count; b++) {
    const int32_t size = system->block_offset[b + 1] - system->block_offset[b];
    root_make(root + system->mass_first[b], size);
    sheet->unit_first[shape->rigid_count + b + 1] =
        sheet->unit_first[shape->rigid_count + b] + size;
  }
  int32_t touch = 0, unit = sheet->unit_count;
  for (int32_t k = 0; k < sheet->count; k++) {
    sheet->touch_first[k] = touch;
    if (k < sheet->framed) {
      ends_fill(system, sheet, k, &touch, &at);
    } else {
      entries_fill(system, sheet, root, k, &touch, &at);
    }
    if (shape->compliance_count > 0) {
      compliance_fill(system, sheet, k, &unit, &touch, &at);
    }
  }
  sheet->unit_count = unit;
  sheet->touch_first[sheet->count] = touch;
  return TALUS_OK;
}

void tl_sheet_push(const tl_sheet *sheet, const double *y, double *motion) {
  memset(motion, 0, (size_t)sheet->unit_first[sheet->unit_count] * sizeof *motion);
  for (int32_t k = 0; k < sheet->count; k++) {
    const int32_t rows = sheet->first[k + 1] - sheet->first[k];
    for (int32_t e = sheet->touch_first[k]; e < sheet->touch_first[k + 1]; e++) {
      const int32_t unit = sheet->touch[e].unit;
      const int32_t size = sheet->unit_first[unit + 1] - sheet->unit_first[unit];
      const double *j = sheet->jacobian + sheet->touch[e].jacobian;
      double *const v = motion + sheet->unit_first[unit];
      for (int32_t i = 0; i < rows; i++, j += size) {
        const double x = y[sheet->first[k] + i];
        for (int32_t c = 0; c < size; c++) {
          v[c] += j[c] * x;
        }
      }
    }
  }
}

void tl_sheet_feel(const tl_sheet *sheet, const double *motion, double *u) {
  for (int32_t k = 0; k < sheet->count; k++) {
    const int32_t rows = sheet->first[k + 1] - sheet->first[k];
    double sum[3] = {0, 0, 0};
    for (int32_t e = sheet->touch_first[k]; e < sheet->touch_first[k + 1]; e++) {
      const int32_t unit = sheet->touch[e].unit;
      const int32_t size = sheet->unit_first[unit + 1] - sheet->unit_first[unit];
      const double *j = sheet->jacobian + sheet->touch[e].jacobian;
      const double *const v = motion + sheet->unit_first[unit];
      for (int32_t i = 0; i < rows; i++, j += size) {
        for (int32_t c = 0; c < size; c++) {
          sum[i] += j[c] * v[c];
        }
      }
    }
    memcpy(u + sheet->first[k], sum, (size_t)rows * sizeof *sum);
  }
}
