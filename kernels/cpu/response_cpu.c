/* response_cpu.c: loops over units: the bodies' answer V = M^-1 D^T x, or W x. */
#include "kernels/cpu/engine_cpu.h"
#include "kernels/cpu/sum_cpu.h"
#include "kernels/item/body.h"

enum { STEP, TRY };

static int32_t chunks_of(int32_t count) { return (count + TL_CHUNK - 1) / TL_CHUNK; }

/* One chunk of rigid bodies, general blocks or rows of W; returns the sum of their shares. */
static inline __attribute__((always_inline)) double
rigid_chunk(const tl_view *view, const int32_t kind, const int mode, int32_t chunk, tl_real beta) {
  double leaf[TL_CHUNK] = {0};
  const int32_t first = chunk * TL_CHUNK, count = view->shape.rigid_count;
  for (int32_t i = first; i < first + TL_CHUNK && i < count; i++) {
    leaf[i - first] = mode == STEP ? tl_body_step(view, kind, i, view->x_previous, beta)
                                   : tl_body_try(view, kind, i);
  }
  return tl_sum_tree(leaf);
}

static double block_chunk(const tl_view *view, const int mode, int32_t chunk, tl_real beta) {
  double leaf[TL_CHUNK] = {0};
  const int32_t first = chunk * TL_CHUNK, count = view->shape.block_count;
  for (int32_t i = first; i < first + TL_CHUNK && i < count; i++) {
    leaf[i - first] = mode == STEP ? tl_block_step(view, i, view->x_previous, beta)
                                   : tl_block_try(view, i, view->trial);
  }
  return tl_sum_tree(leaf);
}

static double matrix_chunk(const tl_view *view, const int mode, int32_t chunk, tl_real beta) {
  double leaf[TL_CHUNK] = {0};
  const int32_t first = chunk * TL_CHUNK, count = view->shape.contact_count;
  for (int32_t i = first; i < first + TL_CHUNK && i < count; i++) {
    leaf[i - first] = mode == STEP ? tl_matrix_step(view, i, view->x_previous, beta)
                                   : tl_matrix_try(view, i, beta);
  }
  return tl_sum_tree(leaf);
}

static double units_run(tl_cpu_engine *engine, const int mode, tl_real beta) {
  const tl_view *const view = &engine->view;
  const tl_shape *const shape = &view->shape;
  double *const energy = engine->energy;
  if (shape->range[0].kind == TL_MATRIX) {
    const int32_t chunks = chunks_of(shape->contact_count);
#pragma omp parallel for num_threads(engine->threads) schedule(static)
    for (int32_t c = 0; c < chunks; c++) {
      energy[c] = matrix_chunk(view, mode, c, beta);
    }
    return tl_sum_partials(energy, chunks);
  }
  const int32_t rigid = chunks_of(shape->rigid_count), blocks = chunks_of(shape->block_count);
  const int spheres = shape->body_kind == TL_SPHERES, step = mode == STEP;
#pragma omp parallel for num_threads(engine->threads) schedule(static)
  for (int32_t c = 0; c < rigid; c++) {
    energy[c] = spheres ? (step ? rigid_chunk(view, TL_SPHERES, STEP, c, beta)
                                : rigid_chunk(view, TL_SPHERES, TRY, c, beta))
                        : (step ? rigid_chunk(view, TL_ARMS, STEP, c, beta)
                                : rigid_chunk(view, TL_ARMS, TRY, c, beta));
  }
  if (blocks > 0) {
#pragma omp parallel for num_threads(engine->threads) schedule(static)
    for (int32_t c = 0; c < blocks; c++) {
      energy[rigid + c] = block_chunk(view, mode, c, beta);
    }
  }
  return tl_sum_partials(energy, rigid + blocks);
}

double tl_cpu_units_step(tl_cpu_engine *engine, tl_real beta) {
  return units_run(engine, STEP, beta);
}

double tl_cpu_units_try(tl_cpu_engine *engine, tl_real beta) {
  return units_run(engine, TRY, beta);
}

void tl_cpu_units_respond(tl_cpu_engine *engine, const tl_real *impulse, tl_real *velocity) {
  const tl_view *const view = &engine->view;
  const tl_shape *const shape = &view->shape;
  const int32_t kind = shape->body_kind;
  if (shape->range[0].kind == TL_MATRIX) {
#pragma omp parallel for num_threads(engine->threads) schedule(static)
    for (int32_t k = 0; k < shape->contact_count; k++) {
      tl_matrix_respond(view, k, impulse, velocity);
    }
    return;
  }
#pragma omp parallel for num_threads(engine->threads) schedule(static)
  for (int32_t i = 0; i < shape->rigid_count; i++) {
    tl_body_respond(view, kind, i, impulse, velocity);
  }
#pragma omp parallel for num_threads(engine->threads) schedule(static)
  for (int32_t b = 0; b < shape->block_count; b++) {
    tl_block_respond(view, b, impulse, velocity);
  }
}

void tl_cpu_carry(tl_cpu_engine *engine, const tl_real *next, tl_real beta) {
  const tl_view *const view = &engine->view;
#pragma omp parallel for num_threads(engine->threads) schedule(static)
  for (int32_t i = 0; i < view->shape.velocity_size; i++) {
    tl_velocity_carry(view, i, next[i], beta);
  }
}
