/* sheet.c: scaling, frames and products of a sheet; what bodies do stands in sheet_bodies.c. */
#include "host/method/newton/sheet.h"

#include <math.h>
#include <string.h>

#include "host/method/newton/sheet_bodies.h"
#include "kernels/item/cone.h"
#include "kernels/item/row.h"

/* Of a row, in scaled units. Infinite ones leave it free. */
static void bounds_set(const tl_system *system, int32_t first, int32_t k, tl_sheet *sheet) {
  sheet->lower[k] = sheet->root[k] * system->lower[k - first];
  sheet->upper[k] = sheet->root[k] * system->upper[k - first];
  if (isfinite(sheet->lower[k]) || isfinite(sheet->upper[k])) {
    sheet->cone[k] = TL_CONE_ROW;
  }
}

/* Rows and cone of every constraint. */
static void rows_find(const tl_system *system, tl_sheet *sheet) {
  int32_t row = 0;
  for (int32_t r = 0; r < system->shape.range_count; r++) {
    const tl_range range = system->shape.range[r];
    for (int32_t k = range.first; k < range.first + range.count; k++) {
      const int slides = range.rows > 1 && system->friction[k] > 0;
      sheet->cone[k] = range.bilateral ? TL_CONE_FREE : slides ? TL_CONE_ROUND : TL_CONE_HALF;
      if (range.bounded) {
        bounds_set(system, range.first, k, sheet);
      }
      sheet->first[k] = row;
      row += slides ? range.rows : 1;
    }
  }
  sheet->first[sheet->count] = row;
  sheet->rows = row;
  sheet->size = row + (sheet->lower != NULL ? system->shape.range[1].count : 0);
}

static void frames_find(const tl_system *system, tl_sheet *sheet) {
  for (int32_t k = 0; k < sheet->framed; k++) {
    const tl_vec n = tl_load(system->normal, k);
    tl_vec t1, t2;
    tl_tangents(n, &t1, &t2);
    tl_save(sheet->frame, 3 * (int64_t)k, n);
    tl_save(sheet->frame, 3 * (int64_t)k + 1, t1);
    tl_save(sheet->frame, 3 * (int64_t)k + 2, t2);
  }
}

/* Blocks of W in scaled units, without the rows that frictionless contacts do not have. */
static void blocks_fill(const tl_system *system, tl_sheet *sheet) {
  for (int32_t k = 0; k < sheet->count; k++) {
    const int32_t rows = sheet->first[k + 1] - sheet->first[k];
    for (int64_t e = system->row_first[k]; e < system->row_first[k + 1]; e++) {
      const int32_t l = system->column[e], columns = sheet->first[l + 1] - sheet->first[l];
      const double scale = 1 / (sheet->root[k] * sheet->root[l]);
      for (int32_t i = 0; i < 3; i++) {
        for (int32_t j = 0; j < 3; j++) {
          sheet->block[9 * e + 3 * i + j] =
              i < rows && j < columns ? scale * system->value[9 * e + 3 * i + j] : 0;
        }
      }
    }
  }
  sheet->block_first = system->row_first;
  sheet->block_column = system->column;
}

/* q, and the size of the residual at rest. */
static void free_fill(const tl_system *system, tl_sheet *sheet) {
  for (int32_t k = 0; k < sheet->count; k++) {
    const double u[3] = {system->free_x[k], system->free_y[k], system->free_z[k]};
    double *const q = sheet->free + sheet->first[k];
    for (int32_t i = 0; i < sheet->first[k + 1] - sheet->first[k]; i++) {
      q[i] = u[i];
      if (k < sheet->framed) {
        const double *const axis = sheet->frame + 9 * (int64_t)k + 3 * i;
        q[i] = axis[0] * u[0] + axis[1] * u[1] + axis[2] * u[2];
      }
      q[i] /= sheet->root[k];
    }
  }
}

static talus_status arrays_reserve(talus_context *context, const tl_system *system,
                                   tl_sheet *sheet) {
  const tl_shape *const shape = &system->shape;
  const size_t count = (size_t)shape->contact_count;
  const size_t units = (size_t)(shape->rigid_count + shape->block_count + shape->compliance_count);
  TL_TRY(tl_buffer_reserve(context, &sheet->index, 3 * count + 2 + units + 1, sizeof(int32_t),
                           "second-order rows"));
  sheet->first = sheet->index.memory;
  sheet->cone = sheet->first + count + 1;
  sheet->touch_first = sheet->cone + count;
  sheet->unit_first = sheet->touch_first + count + 1;
  const size_t framed = (size_t)shape->rigid_contact_count;
  const size_t blocks = TL_HAS_ROWS(shape) ? 9 * (size_t)shape->value_count : 0;
  const size_t freedoms = 6 * (size_t)shape->rigid_count + (size_t)shape->velocity_size +
                          3 * (size_t)shape->compliance_count;
  const size_t bounds = shape->bound_count > 0 ? count : 0;
  TL_TRY(tl_buffer_reserve(context, &sheet->reals,
                           5 * count + 9 * framed + blocks + freedoms + 2 * bounds, sizeof(double),
                           "second-order rows"));
  sheet->friction = sheet->reals.memory;
  sheet->root = sheet->friction + count;
  sheet->free = sheet->root + count;
  sheet->frame = sheet->free + 3 * count;
  sheet->block = sheet->frame + 9 * framed;
  sheet->motion = sheet->block + blocks;
  sheet->lower = bounds > 0 ? sheet->motion + freedoms : NULL;
  sheet->upper = bounds > 0 ? sheet->lower + count : NULL;
  return TALUS_OK;
}

talus_status tl_sheet_make(talus_context *context, const tl_system *system, tl_sheet *sheet) {
  const tl_shape *const shape = &system->shape;
  sheet->count = shape->contact_count;
  sheet->framed = shape->rigid_contact_count;
  TL_TRY(arrays_reserve(context, system, sheet));
  for (int32_t k = 0; k < sheet->count; k++) {
    sheet->root[k] = sqrt(system->weight[k]);
    sheet->friction[k] = system->friction[k];
  }
  rows_find(system, sheet);
  frames_find(system, sheet);
  free_fill(system, sheet);
  sheet->unit_count = 0;
  if (TL_HAS_ROWS(shape)) {
    blocks_fill(system, sheet);
  } else {
    TL_TRY(tl_sheet_bodies(context, system, sheet));
  }
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    sheet->reference[law] = 1;
    sheet->reference[law] = tl_sheet_epsilon(sheet, (talus_law)law, NULL, sheet->free);
  }
  return TALUS_OK;
}

void tl_sheet_release(talus_context *context, tl_sheet *sheet) {
  tl_buffer_release(context, &sheet->index);
  tl_buffer_release(context, &sheet->reals);
  tl_buffer_release(context, &sheet->jacobians);
}

int64_t tl_sheet_bytes(const tl_sheet *sheet) {
  return (int64_t)(sheet->index.capacity + sheet->reals.capacity + sheet->jacobians.capacity);
}

void tl_sheet_import(const tl_sheet *sheet, const double *impulse, double *y) {
  for (int32_t k = 0; k < sheet->count; k++) {
    const double *const x = impulse + 3 * (int64_t)k;
    for (int32_t i = 0; i < sheet->first[k + 1] - sheet->first[k]; i++) {
      const double *const axis = sheet->frame + 9 * (int64_t)k + 3 * i;
      const double part =
          k < sheet->framed ? axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2] : x[i];
      y[sheet->first[k] + i] = sheet->root[k] * part;
    }
  }
}

/* The nearest point of the cone. */
static void project(const double *z, int32_t rows, double mu, double *to) {
  const double m = sqrt((rows > 1 ? z[1] * z[1] : 0) + (rows > 2 ? z[2] * z[2] : 0));
  double normal = z[0], scale = 1;
  if (!(z[0] >= 0 && m <= mu * z[0])) {
    const double along = (z[0] + mu * m) / (1 + mu * mu);
    normal = along > 0 ? along : 0;
    scale = m > 0 ? mu * normal / m : 0;
  }
  to[0] = normal;
  for (int32_t i = 1; i < rows; i++) {
    to[i] = scale * z[i];
  }
}

void tl_sheet_export(const tl_sheet *sheet, const double *y, double *impulse) {
  for (int32_t k = 0; k < sheet->count; k++) {
    const int32_t at = sheet->first[k], rows = sheet->first[k + 1] - at;
    double *const x = impulse + 3 * (int64_t)k, inside[3] = {y[at], 0, 0};
    if (sheet->cone[k] == TL_CONE_ROW) {
      inside[0] = tl_clamp(y[at], sheet->lower[k], sheet->upper[k]);
    } else if (sheet->cone[k] != TL_CONE_FREE) {
      project(y + at, rows, sheet->friction[k], inside);
    }
    x[0] = x[1] = x[2] = 0;
    for (int32_t i = 0; i < rows; i++) {
      const double part = inside[i] / sheet->root[k];
      for (int32_t c = 0; c < 3 && k < sheet->framed; c++) {
        x[c] += part * sheet->frame[9 * (int64_t)k + 3 * i + c];
      }
      x[i] = k < sheet->framed ? x[i] : part;
    }
  }
}

/* Row block k of W times y. */
static void block_row(const tl_sheet *sheet, int32_t k, const double *y, double *u) {
  const int32_t rows = sheet->first[k + 1] - sheet->first[k];
  double sum[3] = {0, 0, 0};
  for (int64_t e = sheet->block_first[k]; e < sheet->block_first[k + 1]; e++) {
    const int32_t l = sheet->block_column[e], columns = sheet->first[l + 1] - sheet->first[l];
    const double *const w = sheet->block + 9 * e, *const x = y + sheet->first[l];
    if (columns == 3) {
      sum[0] += w[0] * x[0] + w[1] * x[1] + w[2] * x[2];
      sum[1] += w[3] * x[0] + w[4] * x[1] + w[5] * x[2];
      sum[2] += w[6] * x[0] + w[7] * x[1] + w[8] * x[2];
      continue;
    }
    for (int32_t i = 0; i < rows; i++) {
      for (int32_t j = 0; j < columns; j++) {
        sum[i] += w[3 * i + j] * x[j];
      }
    }
  }
  memcpy(u + sheet->first[k], sum, (size_t)rows * sizeof *sum);
}

void tl_sheet_apply(const tl_sheet *sheet, const double *y, double *u) {
  if (sheet->unit_count > 0) {
    tl_sheet_push(sheet, y, sheet->motion);
    tl_sheet_feel(sheet, sheet->motion, u);
    return;
  }
  for (int32_t k = 0; k < sheet->count; k++) {
    block_row(sheet, k, y, u);
  }
}

void tl_sheet_velocity(const tl_sheet *sheet, const double *y, double *u) {
  tl_sheet_apply(sheet, y, u);
  for (int32_t i = 0; i < sheet->rows; i++) {
    u[i] += sheet->free[i];
  }
}

/* |y - P(y - u)|^2 of one cone; y NULL = 0. */
static double share(const double *y, const double *u, int32_t rows, double mu, talus_law law) {
  double slip = 0, z[3] = {0, 0, 0}, p[3], square = 0;
  for (int32_t i = 0; i < rows; i++) {
    z[i] = (y != NULL ? y[i] : 0) - u[i];
    slip += i > 0 ? u[i] * u[i] : 0;
  }
  z[0] -= law == TALUS_LAW_COULOMB ? mu * sqrt(slip) : 0;
  project(z, rows, mu, p);
  for (int32_t i = 0; i < rows; i++) {
    const double d = (y != NULL ? y[i] : 0) - p[i];
    square += d * d;
  }
  return square;
}

double tl_sheet_epsilon(const tl_sheet *sheet, talus_law law, const double *y, const double *u) {
  double sum = 0;
  for (int32_t k = 0; k < sheet->count; k++) {
    const int32_t at = sheet->first[k], rows = sheet->first[k + 1] - at;
    const double *const x = y != NULL ? y + at : NULL;
    if (sheet->cone[k] == TL_CONE_FREE) {
      sum += u[at] * u[at];
    } else if (sheet->cone[k] == TL_CONE_ROW) {
      sum += tl_row_share(x != NULL ? *x : 0, u[at], 1, sheet->lower[k], sheet->upper[k]);
    } else {
      sum += share(x, u + at, rows, sheet->friction[k], law);
    }
  }
  const double epsilon = sqrt(sum) / sheet->reference[law];
  return isfinite(epsilon) ? epsilon : INFINITY;
}
