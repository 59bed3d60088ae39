/* conquer.c: divide and conquer of one mechanism, runs of pieces shared out to threads; the
 * arithmetic is that of kernels/item/conquer_team.h. */
#include "kernels/item/conquer_team.h"

#include "host/base/each.h"
#include "host/mechanism/conquer.h"

static void assemble(const tl_conquest *c, int32_t p) {
  tl_conquer_assemble(c, p);
}

static void disassemble(const tl_conquest *c, int32_t p) {
  tl_conquer_disassemble(c, p);
}

/* Pieces outside all chunks, in the order of cutting. */
static void outside(const tl_conquer *plan, const tl_conquest *c, int up) {
  for (int32_t k = 0; k <= plan->chunk_count; k++) {
    const int32_t at = up ? plan->chunk_count - k : k;
    const int32_t before = at > 0 ? plan->chunk[at - 1] + plan->piece[plan->chunk[at - 1]].span : 0;
    const int32_t end = at < plan->chunk_count ? plan->chunk[at] : plan->pieces.piece_count;
    for (int32_t p = up ? end - 1 : before; up ? p >= before : p < end; p += up ? -1 : 1) {
      if (up) {
        assemble(c, p);
      } else {
        disassemble(c, p);
      }
    }
  }
}

talus_status tl_conquer_singular(const talus_mechanism *mechanism) {
  return tl_fail(mechanism->context, TALUS_NEGATIVE_MASS,
                 "an inertia of the mechanism cannot be inverted; look at the masses and at "
                 "coordinates that overflow");
}

typedef struct chunk_task {
  const tl_conquer *plan;
  const tl_conquest *c;
} chunk_task;

static void chunks_assemble(void *arguments, int64_t begin, int64_t end) {
  const chunk_task *const t = arguments;
  for (int64_t k = begin; k < end; k++) {
    const int32_t first = t->plan->chunk[k];
    for (int32_t p = first + t->plan->piece[first].span - 1; p >= first; p--) {
      assemble(t->c, p);
    }
  }
}

static void chunks_disassemble(void *arguments, int64_t begin, int64_t end) {
  const chunk_task *const t = arguments;
  for (int64_t k = begin; k < end; k++) {
    const int32_t first = t->plan->chunk[k];
    for (int32_t p = first; p < first + t->plan->piece[first].span; p++) {
      disassemble(t->c, p);
    }
  }
}

static talus_status conquer(const talus_mechanism *mechanism, const tl_conquest *c) {
  const tl_conquer *const plan = mechanism->conquer;
  const int32_t threads =
      tl_threads_for(mechanism->context, 16 * (int64_t)plan->pieces.piece_count);
  chunk_task task = {plan, c};
  tl_each(mechanism->context, threads, plan->chunk_count, chunks_assemble, &task);
  outside(plan, c, 1);
  if (c->singular[0] != 0) {
    return tl_conquer_singular(mechanism);
  }
  outside(plan, c, 0);
  tl_each(mechanism->context, threads, plan->chunk_count, chunks_disassemble, &task);
  for (int32_t k = 0; k < (c->columns - 1) * c->columns; k++) {
    tl_conquer_motion(c, k / c->columns, k % c->columns);
  }
  return TALUS_OK;
}

talus_status tl_conquest_make(talus_mechanism *mechanism, const tl_unit_wrench *unit, int32_t count,
                              tl_conquest *c) {
  TL_TRY(tl_conquer_plan(mechanism));
  tl_mechanism_place(mechanism);
  tl_mechanism_forces(mechanism);
  memset(c, 0, sizeof *c);
  c->pieces = mechanism->conquer->pieces;
  c->state = mechanism->state;
  c->axis = mechanism->axis;
  c->applied = mechanism->force;
  c->outer = mechanism->outer;
  tl_copy3(c->gravity, mechanism->gravity);
  c->columns = count + 1;
  c->unit = unit;
  return TALUS_OK;
}

static talus_status run(talus_mechanism *mechanism, tl_conquest *c) {
  tl_buffer *const room = &mechanism->conquer->room;
  TL_TRY(tl_buffer_reserve(mechanism->context, room, tl_conquest_reals(&c->pieces, c->columns),
                           sizeof(double), "the numbers of pieces"));
  tl_conquest_room(c, room->memory);
  return conquer(mechanism, c);
}

talus_status tl_conquer_accelerate(talus_mechanism *mechanism, double *acceleration) {
  tl_conquest c;
  TL_TRY(tl_conquest_make(mechanism, NULL, 0, &c));
  c.acceleration = acceleration;
  return run(mechanism, &c);
}

talus_status tl_conquer_response(talus_mechanism *mechanism, const tl_unit_wrench *unit,
                                 int32_t count, double *motion) {
  tl_conquest c;
  TL_TRY(tl_conquest_make(mechanism, unit, count, &c));
  c.motion = motion;
  return run(mechanism, &c);
}
