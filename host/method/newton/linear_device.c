/* linear_device.c: linear systems whose matrix a device forms, factors and solves
 * (kernels/dense_backend.h), where it is dense there and large enough to be worth the way.
 *
 * Refinement stays here: what travels is blocks and vectors, the matrix never does. */
#include <string.h>

#include "host/method/newton/linear.h"

enum {
  LEAST_ORDER = 65, /* below, the host is done before the device has begun */
  MOST_ORDER = 4000 /* above, a factor costs more than it brings, and sparse ones are far cheaper */
};
/* Share of W from which on it is applied as a full matrix. */
static const double FULL = 0.25;

bool tl_linear_device_serves(int64_t order) {
  return order >= LEAST_ORDER && order <= MOST_ORDER;
}

/* Reals of J, which stand in the order of its entries. */
static int64_t jacobian_reals(const tl_scaled *scaled) {
  int64_t reals = 0;
  for (int32_t k = 0; k < scaled->count; k++) {
    const int64_t rows = scaled->first[k + 1] - scaled->first[k];
    for (int32_t e = scaled->entry_first[k]; e < scaled->entry_first[k + 1]; e++) {
      const int32_t unit = scaled->entry[e].unit;
      reals += rows * (scaled->unit_first[unit + 1] - scaled->unit_first[unit]);
    }
  }
  return reals;
}

static tl_dense_problem problem_of(const tl_linear *linear) {
  const tl_scaled *const scaled = linear->scaled;
  tl_dense_problem p = {.count = scaled->count, .rows = scaled->rows, .first = scaled->first};
  if (linear->bodies) {
    p.unit_count = scaled->unit_count;
    p.unit_first = scaled->unit_first;
    p.entry_first = scaled->entry_first;
    p.entry = scaled->entry;
    p.jacobian = scaled->jacobian;
    p.jacobian_count = jacobian_reals(scaled);
    return p;
  }
  p.block_first = linear->block_first;
  p.block_column = linear->block_column;
  p.block = linear->block;
  p.full = scaled->unit_count == 0 && 9.0 * (double)linear->block_first[scaled->count] >=
                                          FULL * (double)scaled->rows * (double)scaled->rows;
  return p;
}

talus_status tl_linear_device_make(tl_linear *linear, const tl_dense_ops *ops) {
  if (linear->device != NULL && linear->device_order < linear->order) {
    linear->device->ops->destroy(linear->device);
    linear->device = NULL;
  }
  if (linear->device == NULL) {
    TL_TRY(ops->create(linear->context, 1, (int32_t)linear->order, &linear->device));
    linear->device_order = linear->order;
  }
  const tl_dense_problem problem = problem_of(linear);
  return linear->device->ops->load(linear->device, 0, &problem);
}

void tl_linear_device_release(tl_linear *linear) {
  if (linear->device != NULL) {
    linear->device->ops->destroy(linear->device);
  }
  linear->device = NULL;
}

talus_status tl_linear_device_factor(tl_linear *linear, int64_t order, bool *good) {
  tl_dense_matrix request = {.active = (int32_t)order, .cholesky = linear->cholesky};
  if (linear->bodies) {
    request.gain = linear->gain;
  } else {
    request.a = linear->a;
    request.b = linear->b;
    request.scale = linear->scale;
    request.place = linear->place;
  }
  TL_TRY(linear->device->ops->factor(linear->device, 1, &request));
  linear->sign = request.sign;
  *good = request.good;
  return TALUS_OK;
}

talus_status tl_linear_device_solve(tl_linear *linear, const double *b, double *x) {
  const tl_dense_vector request = {.from = b, .to = x};
  return linear->device->ops->solve(linear->device, 1, &request);
}

void tl_linear_apply(const tl_linear *linear, const double *y, double *u) {
  const tl_dense_vector request = {.from = y, .to = u};
  if (!linear->on_device || linear->scaled->unit_count > 0 ||
      linear->device->ops->apply(linear->device, 1, &request) != TALUS_OK) {
    tl_scaled_apply(linear->scaled, y, u);
  }
}

void tl_linear_device_tell(const tl_linear *linear) {
  if (!linear->on_device) {
    return;
  }
  const tl_dense_counts *const c = &linear->device->counts;
  tl_log(linear->context, TALUS_LOG_INFO,
         "dense factors on the device, order %lld: %lld factorisations of %.3g operations, %lld "
         "solves, %lld products with W; %lld kernels, %lld calls of cuBLAS and cuSOLVER; %lld B "
         "to the device, %lld B back",
         (long long)linear->order, (long long)c->factorisations, c->operations,
         (long long)c->solves, (long long)c->products, (long long)c->launches, (long long)c->calls,
         (long long)c->sent, (long long)c->fetched);
}
