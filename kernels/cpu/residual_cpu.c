/* residual_cpu.c: the sum of all contacts' residuals at the current impulses. */
#include "kernels/item/residual.h"

#include "kernels/cpu/engine_cpu.h"
#include "kernels/item/sum_tree.h"

typedef struct shares {
  double ccp[TL_CHUNK], coulomb[TL_CHUNK];
} shares;

TL_ITEM void residual_loop(const tl_view *view, const tl_range range, int32_t first, int32_t count,
                           shares *leaf) {
  tl_chunk_velocity relative;
  tl_cpu_relative(view, range, first, count, view->velocity, &relative);
  tl_cpu_comply(view, range, first, count, 0, &relative);
#pragma omp simd
  for (int32_t i = 0; i < count; i++) {
    const tl_residual share = tl_residual_from(
        view, range, first + i, tl_vec_make(relative.x[i], relative.y[i], relative.z[i]));
    leaf->ccp[i] = share.ccp;
    leaf->coulomb[i] = share.coulomb;
  }
}

TL_CLONES static void residual_chunk(const tl_view *given, tl_range range, int32_t first,
                                     int32_t count, shares *leaf) {
  const tl_view view = *given;
#define TL_CALL(r) residual_loop(&view, r, first, count, leaf)
  TL_BY_KIND(range, TL_CALL);
#undef TL_CALL
}

/* Contacts of six rows, one after the other. */
TL_ITEM void torque_loop(const tl_view *view, const tl_range range, int32_t first, int32_t count,
                         shares *leaf) {
  for (int32_t i = 0; i < count; i++) {
    const tl_residual share = tl_residual_of(view, range, first + i);
    leaf->ccp[i] = share.ccp;
    leaf->coulomb[i] = share.coulomb;
  }
}

TL_CLONES static void torque_chunk(const tl_view *given, tl_range range, int32_t first,
                                   int32_t count, shares *leaf) {
  const tl_view view = *given;
#define TL_CALL(r) torque_loop(&view, r, first, count, leaf)
  TL_BY_TORQUE_KIND(range, TL_CALL);
#undef TL_CALL
}

static void chunk_run(tl_cpu_engine *engine, const tl_range range, int32_t chunk) {
  const tl_view *const view = &engine->view;
  shares leaf;
  const int32_t first = view->chunk_first[chunk], count = view->chunk_first[chunk + 1] - first;
  if (range.torque) {
    torque_chunk(view, range, first, count, &leaf);
  } else {
    residual_chunk(view, range, first, count, &leaf);
  }
  engine->first_sum[chunk] = tl_sum_leaves(leaf.ccp, count);
  engine->second_sum[chunk] = tl_sum_leaves(leaf.coulomb, count);
}

typedef struct range_task {
  tl_cpu_engine *engine;
  tl_range range;
} range_task;

static void chunks_run(void *arguments, int64_t first, int64_t end) {
  const range_task *const t = arguments;
  for (int64_t c = first; c < end; c++) {
    const int32_t chunk = t->range.chunk_first + (int32_t)c;
    if (tl_cpu_role(t->engine, chunk) == TL_HALO_OWN) {
      chunk_run(t->engine, t->range, chunk);
    }
  }
}

talus_status tl_cpu_residual(tl_engine *base, double squares[2], int64_t *passes) {
  tl_cpu_engine *const engine = (tl_cpu_engine *)base;
  const tl_shape *const shape = &engine->view.shape;
  if (engine->stale) {
    tl_cpu_units_respond(engine, engine->view.x, engine->view.velocity);
    engine->stale = 0;
    *passes += 1;
  }
  for (int32_t i = 0; i < shape->range_count; i++) {
    range_task each = {engine, shape->range[i]};
    tl_cpu_each_chunk(engine, each.range.chunk_count, chunks_run, &each);
  }
  tl_cpu_sums(engine, &squares[TL_LAW_CCP], &squares[TL_LAW_COULOMB]);
  *passes += 1;
  return TALUS_OK;
}
