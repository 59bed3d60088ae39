/* scaled.c: the constraints of a system, scaled; their W stands in files of its own. */
#include "host/problem/scaled.h"

#include <assert.h>
#include <string.h>

#include "kernels/item/cone.h"
#include "kernels/item/team.h"

talus_status tl_scaled_reserve(talus_context *context, int32_t count, bool dense, tl_scaled *p) {
  const size_t n = (size_t)count, stride = dense ? (size_t)tl_padded(3 * count) : 3 * n;
  TL_TRY(tl_buffer_reserve(context, &p->index, 2 * n + 1, sizeof(int32_t), "a scaled problem"));
  TL_TRY(tl_buffer_reserve(context, &p->reals, 13 * n + (dense ? 2 + 3 * n : 1) * stride,
                           sizeof(double), "a scaled problem"));
  p->count = count;
  p->unit_count = 0;
  p->first = p->index.memory;
  p->kind = p->first + n + 1;
  p->friction = p->reals.memory;
  p->root = p->friction + n;
  p->lower = p->root + n;
  p->upper = p->lower + n;
  p->frame = p->upper + n;
  p->q = p->frame + 9 * n;
  p->scratch = dense ? p->q + stride : NULL;
  p->w = dense ? p->q + 2 * stride : NULL;
  return TALUS_OK;
}

void tl_scaled_release(talus_context *context, tl_scaled *p) {
  tl_buffer_release(context, &p->index);
  tl_buffer_release(context, &p->reals);
  tl_buffer_release(context, &p->jacobians);
  tl_buffer_release(context, &p->vertices);
  tl_buffer_release(context, &p->places);
}

int64_t tl_scaled_bytes(const tl_scaled *p) {
  return (int64_t)(p->index.capacity + p->reals.capacity + p->jacobians.capacity +
                   p->vertices.capacity + p->places.capacity);
}

/* ---- the constraints of a system ------------------------------------------------------------- */

/* The constraint at place k, as the system numbers it. */
static int32_t id_of(const tl_scaled_options *options, int32_t k) {
  return options->pick != NULL ? options->pick[k] : k;
}

static const tl_range *range_of(const tl_system *system, int32_t id) {
  const tl_range *range = system->shape.range;
  while (id >= range->first + range->count && range < system->shape.range + TL_RANGE_MAX - 1) {
    range++;
  }
  return range;
}

/* Kind, rows, friction, weight and bounds of constraint k, whose first row is known. */
static void constraint_take(const tl_system *system, int32_t id, int32_t k, tl_scaled *p) {
  const tl_range range = *range_of(system, id);
  const bool slides = !range.bilateral && range.rows > 1 && system->friction[id] > 0;
  const double lower = range.bounded ? system->lower[id - range.first] : -INFINITY;
  const double upper = range.bounded ? system->upper[id - range.first] : INFINITY;
  const bool bounded = isfinite(lower) || isfinite(upper);
  p->kind[k] = slides             ? TL_CONSTRAINT_FRICTION
               : !range.bilateral ? TL_CONSTRAINT_UNILATERAL
               : bounded          ? TL_CONSTRAINT_BOUNDED
                                  : TL_CONSTRAINT_FREE;
  p->friction[k] = slides ? system->friction[id] : 0;
  p->root[k] = sqrt(system->weight[id]);
  p->lower[k] = lower;
  p->upper[k] = upper;
  p->first[k + 1] = p->first[k] + (slides ? range.rows : 1);
}

/* The frame of constraint k: the caller's own tangents where he has some, since facets are counted
 * from them. */
static void frame_take(const tl_system *system, const double *given, int32_t id, double *frame) {
  memset(frame, 0, 9 * sizeof *frame);
  frame[0] = frame[4] = frame[8] = 1;
  if (id >= system->shape.rigid_contact_count) {
    return;
  }
  const tl_vec n = tl_load(system->normal, id);
  tl_vec t1, t2;
  tl_tangents(n, &t1, &t2);
  tl_save(frame, 0, n);
  tl_save(frame, 1, t1);
  tl_save(frame, 2, t2);
  if (given != NULL) {
    memcpy(frame, given + 9 * (int64_t)system->order[id], 9 * sizeof *frame);
  }
}

static void velocity_take(const tl_system *system, int32_t id, int32_t k, tl_scaled *p) {
  const double u[3] = {system->free_x[id], system->free_y[id], system->free_z[id]};
  for (int32_t i = p->first[k]; i < p->first[k + 1]; i++) {
    const double *const axis = p->frame + 9 * (int64_t)k + 3 * (i - p->first[k]);
    p->q[i] = (axis[0] * u[0] + axis[1] * u[1] + axis[2] * u[2]) / p->root[k];
  }
}

/* The length of q; 1 if it has none. */
static double length_of(const tl_scaled *p) {
  double square = 0;
  for (int32_t i = 0; i < p->rows; i++) {
    square += p->q[i] * p->q[i];
  }
  return square > 0 && isfinite(square) ? sqrt(square) : 1;
}

/* Scales bounds, and q to length one if W is dense. */
static void unit_take(tl_scaled *p) {
  p->unit = p->w != NULL ? length_of(p) : 1;
  for (int32_t i = 0; i < p->rows && p->w != NULL; i++) {
    p->q[i] /= p->unit;
  }
  for (int32_t i = p->rows; i < p->stride; i++) {
    p->q[i] = 0;
  }
  for (int32_t k = 0; k < p->count; k++) {
    p->lower[k] *= p->root[k] / p->unit;
    p->upper[k] *= p->root[k] / p->unit;
  }
}

talus_status tl_scaled_import(talus_context *context, const tl_system *system,
                              const tl_scaled_options *options, tl_scaled *p) {
  const int32_t count = options->pick != NULL ? options->count : system->shape.contact_count;
  TL_TRY(tl_scaled_reserve(context, count, options->dense, p));
  p->first[0] = 0;
  for (int32_t k = 0; k < count; k++) {
    const int32_t id = id_of(options, k);
    constraint_take(system, id, k, p);
    frame_take(system, options->frame, id, p->frame + 9 * (int64_t)k);
    velocity_take(system, id, k, p);
  }
  assert(p->first[count] <= 3 * count); /* what tl_scaled_reserve made room for */
  p->rows = p->first[count];
  p->stride = options->dense ? tl_padded(p->rows) : p->rows;
  p->bound_count = options->dense ? 0 : system->shape.bound_count;
  unit_take(p);
  return options->dense                ? tl_scaled_dense(context, system, options, p)
         : TL_HAS_ROWS(&system->shape) ? tl_scaled_blocks(context, system, p)
                                       : tl_scaled_bodies(context, system, p);
}
