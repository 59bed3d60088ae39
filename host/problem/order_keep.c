/* order_keep.c: the order of a problem of form (a), kept for the next one.
 *
 * Order, colours and chunks depend on nothing but which bodies the constraints join, which of them
 * move, and in which bricks they lie: while that is the same, sorting and colouring would give the
 * same again. */
#include <string.h>

#include "host/problem/assembly.h"
#include "kernels/item/rigid.h"

/* The bricks of all bodies; *same: they are those of the last problem. */
static talus_status bricks_take(talus_context *context, const talus_problem *problem,
                                tl_kept_order *kept, int *same) {
  const int32_t bodies = problem->rigid.body_count;
  TL_TRY(
      tl_buffer_reserve(context, &kept->brick_memory, (size_t)bodies, sizeof(tl_brick), "bricks"));
  kept->brick = kept->brick_memory.memory;
  for (int32_t i = 0; i < bodies; i++) {
    const tl_brick brick = tl_brick_at(problem->positions + 3 * (int64_t)i, kept->brick_size);
    *same = *same && (kept->brick[i] == brick || !tl_rigid_moves(&problem->rigid, i));
    kept->brick[i] = brick;
  }
  return TALUS_OK;
}

static uint64_t names_hash(const talus_problem *problem) {
  uint64_t hash = 0;
  for (int32_t i = 0; problem->ids != NULL && i < problem->rigid.body_count; i++) {
    hash = (hash ^ problem->ids[i]) * UINT64_C(0x9E3779B97F4A7C15) + 1;
  }
  return hash;
}

talus_status tl_kept_begin(talus_context *context, const talus_problem *problem, int coloured,
                           tl_assembly *assembly, int *same) {
  tl_kept_order *const kept = &assembly->kept;
  const double brick_size = tl_bricks_size(problem);
  const int32_t contacts = problem->contact_count, rows = problem->bilateral_count;
  const int32_t bodies = problem->rigid.body_count;
  const uint64_t names = brick_size > 0 ? names_hash(problem) : 0;
  *same = kept->valid && kept->coloured == coloured && kept->contact_count == contacts &&
          kept->bilateral_count == rows && kept->body_count == bodies &&
          kept->brick_size == brick_size && kept->names == names;
  kept->valid = 0;
  kept->coloured = coloured;
  kept->contact_count = contacts;
  kept->bilateral_count = rows;
  kept->body_count = bodies;
  kept->brick_size = brick_size;
  kept->names = names;
  const size_t constraints = (size_t)contacts + (size_t)rows;
  TL_TRY(tl_buffer_reserve(context, &kept->memory,
                           (size_t)bodies + 2 * constraints + (size_t)contacts, sizeof(int32_t),
                           "order of contacts"));
  kept->number = kept->memory.memory;
  kept->a = kept->number + bodies;
  kept->b = kept->a + constraints;
  kept->place = kept->b + constraints;
  return brick_size > 0 ? bricks_take(context, problem, kept, same) : TALUS_OK;
}

static bool same_bodies(const int32_t *kept, const int32_t *given, int32_t count) {
  return count == 0 || memcmp(kept, given, (size_t)count * sizeof *kept) == 0;
}

bool tl_kept_holds(const talus_problem *problem, const tl_assembly *assembly) {
  const tl_kept_order *const kept = &assembly->kept;
  const talus_rigid *const rigid = &problem->rigid;
  const int32_t contacts = problem->contact_count, rows = problem->bilateral_count;
  return same_bodies(kept->a, rigid->body_a, contacts) &&
         same_bodies(kept->b, rigid->body_b, contacts) &&
         same_bodies(kept->a + contacts, rigid->row_body_a, rows) &&
         same_bodies(kept->b + contacts, rigid->row_body_b, rows);
}

void tl_kept_restore(tl_assembly *assembly) {
  const tl_kept_order *const kept = &assembly->kept;
  tl_system *const system = &assembly->system;
  tl_shape *const shape = &system->shape;
  for (int32_t r = 0; r < shape->range_count; r++) {
    shape->range[r].chunk_first = kept->shape.range[r].chunk_first;
    shape->range[r].chunk_count = kept->shape.range[r].chunk_count;
  }
  shape->chunk_count = kept->shape.chunk_count;
  shape->group_count = kept->shape.group_count;
  shape->end_count = kept->shape.end_count;
  shape->entry_count = kept->shape.entry_count;
  shape->incidence_count = kept->shape.incidence_count;
  shape->jacobian_count = kept->shape.jacobian_count;
  system->colour_count = kept->colour_count;
  system->colour_group = kept->coloured ? assembly->colour_group.memory : NULL;
}

static void copy(int32_t *kept, const int32_t *given, int32_t count) {
  if (count > 0) {
    memcpy(kept, given, (size_t)count * sizeof *kept);
  }
}

void tl_kept_store(const talus_problem *problem, tl_assembly *assembly) {
  tl_kept_order *const kept = &assembly->kept;
  const int32_t contacts = problem->contact_count, rows = problem->bilateral_count;
  copy(kept->a, problem->rigid.body_a, contacts);
  copy(kept->b, problem->rigid.body_b, contacts);
  copy(kept->a + contacts, problem->rigid.row_body_a, rows);
  copy(kept->b + contacts, problem->rigid.row_body_b, rows);
  for (int32_t place = 0; place < contacts; place++) {
    kept->place[assembly->system.order[place]] = place;
  }
  kept->shape = assembly->system.shape;
  kept->colour_count = assembly->system.colour_count;
}
