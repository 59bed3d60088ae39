/* small_cpu.c: small problems each by a team of one; threads take the next.
 *
 * Their loops are short and full of arithmetic, so that wide registers pay; and the sweeps of
 * problems of equal shape are made side by side (item/lanes.h). Each number is computed as before,
 * so the bits are the same. */
#include "kernels/cpu/small_cpu.h"

#include <string.h>

#include "host/base/clones.h"
#include "host/base/each.h"
#include "kernels/item/lanes.h"
#include "kernels/item/phase.h"

/* Fewer are sooner done one by one. */
enum { LANES_LEAST = 3 };

/* As many phases as the problem needs; `swept`: the sweeps of the first have led to the y of its
 * room, and remain to be judged. */
TL_CLONES_FEW static void problem_run(const tl_small_batch *batch, int32_t i, double *scratch,
                                      int swept) {
  const tl_small_problem *const problem = &batch->problem[i];
  tl_small_result *const result = &batch->result[i];
  for (int32_t p = 0; p < batch->phase_count; p++, swept = 0) {
    const tl_small_phase *const phase = &batch->phase[p];
    if (!swept && result->epsilon <= phase->tolerance) {
      return;
    }
    tl_small_room room = tl_small_room_make(problem, batch->best[i], scratch);
    result->phase = p;
    if (swept || tl_small_phase_sweep(problem, phase, &room, result)) {
      tl_small_phase_go_on(problem, phase, &room, result);
    }
  }
}

/* ---- several at once ------------------------------------------------------------------------- */

/* What the sweeps of lane l are worth; goes on alone if that is not enough. */
static void lane_end(const tl_small_batch *batch, int32_t i, const tl_lanes *lanes, int l,
                     double residual, int32_t made, double *scratch) {
  const tl_small_problem *const problem = &batch->problem[i];
  tl_small_result *const result = &batch->result[i];
  const double epsilon = residual / problem->reference;
  const tl_small_room room = tl_small_room_make(problem, batch->best[i], scratch);
  const int enough = epsilon < result->epsilon && epsilon <= batch->phase[0].tolerance;
  double *const y = enough ? batch->best[i] : room.y;
  for (int32_t row = 0; row < problem->rows; row++) {
    y[row] = lanes->y[TL_LANES * row + l];
  }
  result->passes += made;
  result->phase = 0;
  if (enough) {
    result->epsilon = epsilon;
  } else {
    problem_run(batch, i, scratch, 1);
  }
}

/* Problems of equal shape: the sweeps of the first phase side by side, the rest one by one. */
TL_CLONES_FEW static void problems_run(const tl_small_batch *batch, int32_t first, int32_t count,
                                       double *scratch) {
  const tl_small_phase *const phase = &batch->phase[0];
  const tl_small_problem *const shape = &batch->problem[first];
  double *const memory = scratch + tl_small_reals(shape->count, shape->rows);
  const tl_lanes lanes = tl_lanes_make(shape, memory);
  double live[TL_LANES] = {0}, least[TL_LANES] = {0}, residual[TL_LANES];
  int32_t made[TL_LANES], begun[TL_LANES] = {0};
  if (count < TL_LANES) {
    memset(memory, 0, (size_t)tl_lanes_reals(shape->count, shape->rows) * sizeof *memory);
  }
  for (int32_t l = 0; l < count; l++) {
    const tl_small_problem *const problem = &batch->problem[first + l];
    tl_small_result *const result = &batch->result[first + l];
    tl_small_room room = tl_small_room_make(problem, batch->best[first + l], scratch);
    begun[l] = !(result->epsilon <= phase->tolerance) &&
               tl_small_phase_begin(problem, phase, &room, result);
    live[l] = begun[l];
    least[l] = tl_small_phase_least(problem, phase);
    tl_lanes_load(&lanes, l, problem, begun[l] ? room.y : batch->best[first + l]);
  }
  tl_lanes_velocities(&lanes);
  tl_lanes_sweeps(&lanes, tl_small_most(phase, shape->count), phase->inner, least, live, made);
  tl_lanes_velocities(&lanes);
  tl_lanes_remainder(&lanes, residual);
  for (int32_t l = 0; l < count; l++) {
    if (begun[l]) {
      lane_end(batch, first + l, &lanes, l, residual[l], made[l], scratch);
    } else {
      problem_run(batch, first + l, scratch, 0);
    }
  }
}

/* How many problems from the first on are to be taken together. */
static int32_t alike(const tl_small_batch *batch, int32_t first) {
  int32_t count = 1;
  if (batch->lanes && batch->phase_count > 0 && batch->phase[0].sweeps > 0) {
    while (count < TL_LANES && first + count < batch->count &&
           tl_lanes_fit(&batch->problem[first], &batch->problem[first + count])) {
      count++;
    }
  }
  return count >= LANES_LEAST ? count : 1;
}

/* The next ones for a thread: they are found in order, so that the groups do not depend on who
 * asks. */
static void thread_run(const tl_small_batch *batch, int32_t *next, double *scratch) {
  const int32_t taken = batch->lanes ? TL_LANES : 1;
  for (int32_t i; (i = __atomic_fetch_add(next, taken, __ATOMIC_RELAXED)) < batch->count;) {
    const int32_t end = batch->count - i < taken ? batch->count : i + taken;
    while (i < end) {
      int32_t count = alike(batch, i);
      count = count < end - i ? count : end - i;
      if (count > 1) {
        problems_run(batch, i, count, scratch);
      } else {
        problem_run(batch, i, scratch, 0);
      }
      i += count;
    }
  }
}

typedef struct small_task {
  const tl_small_batch *batch;
  int32_t next; /* atomic: the problem that is to be taken next */
} small_task;

static void threads_run(void *arguments, int64_t first, int64_t end) {
  small_task *const task = arguments;
  for (int64_t t = first; t < end; t++) {
    thread_run(task->batch, &task->next, task->batch->room + task->batch->room_stride * t);
  }
}

talus_status tl_cpu_small(talus_context *context, const tl_small_batch *batch) {
  const int32_t threads = batch->threads > 1 ? batch->threads : 1;
  small_task task = {batch, 0};
  tl_each(context, threads, threads, threads_run, &task);
  return TALUS_OK;
}
