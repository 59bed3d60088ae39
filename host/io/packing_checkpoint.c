/* packing_checkpoint.c: a packing as arrays of a checkpoint. */
#include <math.h>
#include <string.h>

#include "host/io/packing.h"

enum { PER_BODY = 13, PER_BODY_INT = 4, PER_SHAPE = 12, PER_SHAPE_INT = 4, HEAD = 8 };

static void body_put(const tl_packing_body *from, double *real, int32_t *whole) {
  memcpy(real, &from->state, PER_BODY * sizeof *real);
  whole[0] = from->group;
  memcpy(&whole[1], &from->collides, sizeof whole[1]);
  whole[2] = from->first_shape;
  whole[3] = from->shape_count;
}

static void shape_put(const tl_packing_shape *from, double *real, int32_t *whole) {
  memcpy(real, from->position, sizeof from->position);
  memcpy(real + 3, from->orientation, sizeof from->orientation);
  real[7] = from->radius;
  real[8] = from->half_length;
  memcpy(real + 9, from->half_edge, sizeof from->half_edge);
  whole[0] = from->kind;
  whole[1] = from->material;
  whole[2] = from->first_point;
  whole[3] = from->point_count;
}

_Static_assert(sizeof(talus_body_state) == PER_BODY * sizeof(double), "a state is plain numbers");

talus_status tl_packing_put(tl_checkpoint_writer *writer, const tl_body_list *packing) {
  talus_context *const context = packing->context;
  const int64_t bodies = packing->body_count, shapes = packing->shape_count;
  const size_t reals = (size_t)(bodies * PER_BODY + shapes * PER_SHAPE);
  const size_t wholes = (size_t)(bodies * PER_BODY_INT + shapes * PER_SHAPE_INT);
  const double head[HEAD] = {packing->plane,   packing->periodic, packing->cell[0],
                             packing->cell[1], packing->cell[2],  packing->cell[3],
                             packing->cell[4], packing->cell[5]};
  tl_buffer memory = {NULL, 0};
  TL_TRY(tl_buffer_reserve(context, &memory,
                           (reals + 1) * sizeof(double) + (wholes + 1) * sizeof(int32_t), 1,
                           "a packing"));
  double *const real = memory.memory;
  int32_t *const whole = (int32_t *)(real + reals + 1);
  for (int64_t i = 0; i < bodies; i++) {
    body_put(&packing->body[i], real + PER_BODY * i, whole + PER_BODY_INT * i);
  }
  for (int64_t i = 0; i < shapes; i++) {
    shape_put(&packing->shape[i], real + PER_BODY * bodies + PER_SHAPE * i,
              whole + PER_BODY_INT * bodies + PER_SHAPE_INT * i);
  }
  const int64_t count[3] = {bodies, shapes, packing->point_count};
  talus_status status = tl_checkpoint_put_int64s(writer, "packing/counts", count, 3);
  if (status == TALUS_OK) {
    status = tl_checkpoint_put_doubles(writer, "packing/head", head, HEAD);
  }
  if (status == TALUS_OK && packing->periodic) {
    status = tl_checkpoint_put_doubles(writer, "packing/rate", packing->rate, 6);
  }
  if (status == TALUS_OK) {
    status = tl_checkpoint_put_doubles(writer, "packing/real", real, (int64_t)reals);
  }
  if (status == TALUS_OK) {
    status = tl_checkpoint_put_int32s(writer, "packing/whole", whole, (int64_t)wholes);
  }
  if (status == TALUS_OK) {
    status = tl_checkpoint_put_doubles(writer, "packing/point", packing->point, 3 * count[2]);
  }
  if (status == TALUS_OK) {
    status = tl_checkpoint_put_text(writer, "packing/materials",
                                    packing->materials != NULL ? packing->materials : "");
  }
  tl_buffer_release(context, &memory);
  return status;
}

/* Takes the numbers apart; false: they make no sense. */
static bool take_apart(const double *real, const int32_t *whole, tl_body_list *packing) {
  const int64_t bodies = packing->body_count, shapes = packing->shape_count;
  bool good = true;
  for (int64_t i = 0; i < bodies; i++) {
    tl_packing_body *const body = &packing->body[i];
    const int32_t *const from = whole + PER_BODY_INT * i;
    memcpy(&body->state, real + PER_BODY * i, sizeof body->state);
    body->group = from[0];
    memcpy(&body->collides, &from[1], sizeof body->collides);
    body->first_shape = from[2];
    body->shape_count = from[3];
    good = good && from[2] >= 0 && from[3] >= 0 && from[3] <= shapes && from[2] <= shapes - from[3];
  }
  for (int64_t i = 0; i < shapes; i++) {
    tl_packing_shape *const shape = &packing->shape[i];
    const double *const r = real + PER_BODY * bodies + PER_SHAPE * i;
    const int32_t *const from = whole + PER_BODY_INT * bodies + PER_SHAPE_INT * i;
    memcpy(shape->position, r, sizeof shape->position);
    memcpy(shape->orientation, r + 3, sizeof shape->orientation);
    shape->radius = r[7];
    shape->half_length = r[8];
    memcpy(shape->half_edge, r + 9, sizeof shape->half_edge);
    shape->kind = from[0];
    shape->material = from[1];
    shape->first_point = from[2];
    shape->point_count = from[3];
    good = good && from[0] >= 0 && from[0] <= TALUS_SHAPE_HULL && from[1] >= 0 &&
           from[1] < (1 << 20) && from[2] >= 0 && from[3] >= 0 && from[3] <= packing->point_count &&
           from[2] <= packing->point_count - from[3];
  }
  return good;
}

static talus_status reserve(tl_body_list *packing, double **real, int32_t **whole, size_t reals,
                            size_t wholes) {
  talus_context *const context = packing->context;
  void *memory = NULL;
  TL_TRY(tl_packing_reserve(packing));
  TL_TRY(tl_alloc(context, &memory, reals + 1, sizeof(double), "a packing"));
  *real = memory;
  TL_TRY(tl_alloc(context, &memory, wholes + 1, sizeof(int32_t), "a packing"));
  *whole = memory;
  return TALUS_OK;
}

static talus_status load(tl_checkpoint *checkpoint, tl_body_list *packing, double **real,
                         int32_t **whole) {
  talus_context *const context = packing->context;
  int64_t count[3];
  double head[HEAD];
  if (!tl_checkpoint_has(checkpoint, "packing/counts")) {
    return tl_fail(context, TALUS_FILE_FORMAT,
                   "the checkpoint has no shapes of bodies: it was not written by a run, or by an "
                   "older Talus");
  }
  TL_TRY(tl_checkpoint_int64s(checkpoint, "packing/counts", count, 3));
  for (int i = 0; i < 3; i++) {
    if (count[i] < 0 || count[i] > (1 << 29)) {
      return tl_fail(context, TALUS_FILE_FORMAT, "the checkpoint's packing has senseless counts");
    }
  }
  packing->body_count = (int32_t)count[0];
  packing->shape_count = (int32_t)count[1];
  packing->point_count = (int32_t)count[2];
  const int64_t reals = count[0] * PER_BODY + count[1] * PER_SHAPE;
  const int64_t wholes = count[0] * PER_BODY_INT + count[1] * PER_SHAPE_INT;
  TL_TRY(reserve(packing, real, whole, (size_t)reals, (size_t)wholes));
  TL_TRY(tl_checkpoint_doubles(checkpoint, "packing/head", head, HEAD));
  if (tl_checkpoint_has(checkpoint, "packing/rate")) {
    TL_TRY(tl_checkpoint_doubles(checkpoint, "packing/rate", packing->rate, 6));
  }
  TL_TRY(tl_checkpoint_doubles(checkpoint, "packing/real", *real, reals));
  TL_TRY(tl_checkpoint_int32s(checkpoint, "packing/whole", *whole, wholes));
  TL_TRY(tl_checkpoint_doubles(checkpoint, "packing/point", packing->point, 3 * count[2]));
  TL_TRY(tl_checkpoint_text(checkpoint, "packing/materials", &packing->materials));
  packing->plane = head[0] != 0;
  packing->periodic = head[1] != 0;
  memcpy(packing->cell, head + 2, sizeof packing->cell);
  return take_apart(*real, *whole, packing)
             ? TALUS_OK
             : tl_fail(context, TALUS_FILE_FORMAT, "the checkpoint's packing makes no sense");
}

talus_status tl_packing_load(tl_checkpoint *checkpoint, talus_context *context,
                             tl_body_list *packing) {
  double *real = NULL;
  int32_t *whole = NULL;
  memset(packing, 0, sizeof *packing);
  packing->context = context;
  const talus_status status = load(checkpoint, packing, &real, &whole);
  tl_free(context, real);
  tl_free(context, whole);
  return status;
}
