/* residual_cpu.c: the sum of all contacts' residuals at the current impulses. */
#include "kernels/item/residual.h"

#include "kernels/cpu/engine_cpu.h"
#include "kernels/cpu/sum_cpu.h"

static inline __attribute__((always_inline)) void
residual_chunk(tl_cpu_engine *engine, const tl_range range, int32_t chunk) {
  const tl_view *const view = &engine->view;
  double ccp[TL_CHUNK], coulomb[TL_CHUNK];
  const int32_t first = view->chunk_first[chunk], count = view->chunk_first[chunk + 1] - first;
  for (int32_t i = 0; i < count; i++) {
    const tl_residual share = tl_residual_of(view, range, first + i);
    ccp[i] = share.ccp;
    coulomb[i] = share.coulomb;
  }
  for (int32_t i = count; i < TL_CHUNK; i++) {
    ccp[i] = coulomb[i] = 0;
  }
  engine->moved[chunk] = tl_sum_tree(ccp);
  engine->turned[chunk] = tl_sum_tree(coulomb);
}

static inline __attribute__((always_inline)) void range_run(tl_cpu_engine *engine,
                                                            const tl_range range) {
#pragma omp parallel for num_threads(engine->threads) schedule(static)
  for (int32_t c = 0; c < range.chunk_count; c++) {
    residual_chunk(engine, range, range.chunk_first + c);
  }
}

talus_status tl_cpu_residual(tl_engine *base, double squares[2], int64_t *passes) {
  tl_cpu_engine *const engine = (tl_cpu_engine *)base;
  const tl_shape *const shape = &engine->view.shape;
  for (int32_t i = 0; i < shape->range_count; i++) {
#define TL_CALL(r) range_run(engine, r)
    TL_BY_KIND(shape->range[i], TL_CALL);
#undef TL_CALL
  }
  squares[0] = tl_sum_partials(engine->moved, shape->chunk_count);
  squares[1] = tl_sum_partials(engine->turned, shape->chunk_count);
  *passes += 1;
  return TALUS_OK;
}
