/* response_cpu.c: loops over units: the bodies' answer V = M^-1 D^T x, or W x. */
#include <string.h>

#include "kernels/cpu/engine_cpu.h"
#include "kernels/item/body.h"
#include "kernels/item/sum_tree.h"

enum { STEP, TRY, RESPOND };

/* What a loop over units does with V(x+). */
typedef struct task {
  int mode;
  tl_real beta;
  const tl_real *impulse;
  tl_real *velocity; /* RESPOND */
} task;

static int32_t chunks_of(int32_t count) {
  return (count + TL_CHUNK - 1) / TL_CHUNK;
}

static int32_t chunk_end(int32_t first, int32_t count) {
  return count - first < TL_CHUNK ? count : first + TL_CHUNK;
}

/* Asks for what an end some bodies further on will want; into the second-level cache, since few
 * requests to the first may be under way at once. */
enum { END_AHEAD = 48, SECOND_LEVEL = 2 };

TL_ITEM void end_prefetch(const tl_view *view, const int32_t kind, int32_t end,
                          const tl_real *impulse) {
  const int64_t k = end >> 1;
  __builtin_prefetch(impulse + 3 * k, 0, SECOND_LEVEL);
  if (kind == TL_SPHERES) {
    __builtin_prefetch(view->normal + 3 * k, 0, SECOND_LEVEL);
    __builtin_prefetch((end & 1 ? view->reach_b : view->reach_a) + k, 0, SECOND_LEVEL);
  } else {
    __builtin_prefetch((end & 1 ? view->arm_b : view->arm_a) + 3 * k, 0, SECOND_LEVEL);
  }
}

/* tl_body_gather with an eye on what comes. */
TL_ITEM tl_twist body_gather(const tl_view *view, const int32_t kind, int32_t body,
                             const tl_real *impulse) {
  const int32_t last = (int32_t)view->shape.end_count - 1;
  tl_twist sum;
  sum.linear = tl_vec_make(0, 0, 0);
  sum.angular = sum.linear;
  for (int32_t e = view->end_first[body]; e < view->end_first[body + 1]; e++) {
    end_prefetch(view, kind, view->end[e + END_AHEAD < last ? e + END_AHEAD : last], impulse);
    const tl_twist share = tl_end_share(view, kind, view->end[e], impulse);
    sum.linear = tl_add(sum.linear, share.linear);
    sum.angular = tl_add(sum.angular, share.angular);
  }
  return tl_body_answer(view, kind, body, impulse, sum);
}

/* One body whose ends have been summed up; returns its share of a. */
TL_ITEM double body_finish(const tl_view *view, const int32_t kind, int32_t body, const task *job,
                           tl_twist twist) {
  if (job->mode == STEP) {
    return tl_body_move(view, kind, body, twist, job->beta);
  }
  if (job->mode == TRY) {
    return tl_body_weigh(view, kind, body, twist);
  }
  tl_twist_save(view, kind, job->velocity, body, twist);
  return 0;
}

TL_ITEM void bodies_loop(const tl_view *view, const int32_t kind, const task *job, int32_t first,
                         int32_t last, double *leaf) {
  for (int32_t body = first; body < last; body++) {
    const tl_twist next = body_gather(view, kind, body, job->impulse);
    leaf[body - first] = body_finish(view, kind, body, job, next);
  }
}

/* The kind, and the usual mode, known to the compiler. */
TL_ITEM void bodies_kinds(const tl_view *view, task job, int32_t first, int32_t last,
                          double *leaf) {
  if (view->shape.body_kind != TL_SPHERES) {
    bodies_loop(view, TL_ARMS, &job, first, last, leaf);
  } else if (job.mode == STEP) {
    job.mode = STEP;
    bodies_loop(view, TL_SPHERES, &job, first, last, leaf);
  } else {
    bodies_loop(view, TL_SPHERES, &job, first, last, leaf);
  }
}

/* Contacts of three rows have loops of their own, which ask for no torque. */
TL_CLONES static void bodies_chunk(const tl_view *given, const task *job, int32_t first,
                                   int32_t last, double *leaf) {
  tl_view view = *given;
  if (view.shape.torque_count > 0) {
    bodies_kinds(&view, *job, first, last, leaf);
  } else {
    view.shape.torque_count = view.shape.elliptic = 0;
    bodies_kinds(&view, *job, first, last, leaf);
  }
}

/* The first body of a chunk. */
static int32_t rigid_first(const tl_view *view, int32_t chunk) {
  const int32_t first = chunk * TL_CHUNK, count = view->shape.rigid_count;
  return view->unit_first != NULL ? view->unit_first[chunk] : first < count ? first : count;
}

static int32_t rigid_chunk_count(const tl_view *view) {
  return view->unit_first != NULL ? view->shape.unit_chunk_count
                                  : chunks_of(view->shape.rigid_count);
}

static double rigid_chunk(const tl_view *view, const task *job, int32_t chunk) {
  double leaf[TL_CHUNK];
  const int32_t first = rigid_first(view, chunk), end = rigid_first(view, chunk + 1);
  bodies_chunk(view, job, first, end, leaf);
  return job->mode == RESPOND ? 0 : tl_sum_leaves(leaf, end - first);
}

TL_ITEM void blocks_loop(const tl_view *view, const int mode, int32_t first, int32_t end,
                         tl_real beta, double *leaf) {
  for (int32_t i = first; i < end; i++) {
    leaf[i - first] = mode == STEP ? tl_block_step(view, i, view->x_previous, beta)
                                   : tl_block_try(view, i, view->trial);
  }
}

static double block_chunk(const tl_view *given, const int mode, int32_t chunk, tl_real beta) {
  double leaf[TL_CHUNK];
  tl_view view = *given;
  const int32_t first = chunk * TL_CHUNK, end = chunk_end(first, view.shape.block_count);
  if (view.shape.torque_count > 0) {
    blocks_loop(&view, mode, first, end, beta, leaf);
  } else {
    view.shape.torque_count = 0;
    blocks_loop(&view, mode, first, end, beta, leaf);
  }
  return tl_sum_leaves(leaf, end - first);
}

static double matrix_chunk(const tl_view *view, const int mode, int32_t chunk, tl_real beta) {
  double leaf[TL_CHUNK];
  const int32_t first = chunk * TL_CHUNK, end = chunk_end(first, view->shape.contact_count);
  for (int32_t i = first; i < end; i++) {
    leaf[i - first] = mode == STEP ? tl_matrix_step(view, i, view->x_previous, beta)
                                   : tl_matrix_try(view, i, beta);
  }
  return tl_sum_leaves(leaf, end - first);
}

typedef struct unit_task {
  const tl_view *view;
  const bool *own; /* chunks of bodies; NULL: all are */
  const task *job;
  double *energy; /* of the chunks; NULL: not asked for */
} unit_task;

static void matrix_chunks(void *arguments, int64_t first, int64_t end) {
  const unit_task *const t = arguments;
  for (int64_t c = first; c < end; c++) {
    t->energy[c] = matrix_chunk(t->view, t->job->mode, (int32_t)c, t->job->beta);
  }
}

static void rigid_chunks(void *arguments, int64_t first, int64_t end) {
  const unit_task *const t = arguments;
  for (int64_t c = first; c < end; c++) {
    if (t->own != NULL && !t->own[c]) {
      continue;
    }
    const double energy = rigid_chunk(t->view, t->job, (int32_t)c);
    if (t->energy != NULL) {
      t->energy[c] = energy;
    }
  }
}

static void block_chunks(void *arguments, int64_t first, int64_t end) {
  const unit_task *const t = arguments;
  for (int64_t c = first; c < end; c++) {
    t->energy[c] = block_chunk(t->view, t->job->mode, (int32_t)c, t->job->beta);
  }
}

static double units_run(tl_cpu_engine *engine, const task *job) {
  const tl_view *const view = &engine->view;
  const tl_shape *const shape = &view->shape;
  unit_task each = {view, NULL, job, engine->energy};
  if (shape->range[0].kind == TL_MATRIX) {
    const int32_t chunks = chunks_of(shape->contact_count);
    tl_cpu_each_chunk(engine, chunks, matrix_chunks, &each);
    return tl_sum_partials(engine->energy, chunks);
  }
  const int32_t rigid = rigid_chunk_count(view), blocks = chunks_of(shape->block_count);
  tl_cpu_each_chunk(engine, rigid, rigid_chunks, &each);
  each.energy += rigid;
  tl_cpu_each_chunk(engine, blocks, block_chunks, &each);
  return tl_cpu_sum(engine, engine->energy, rigid + blocks);
}

double tl_cpu_units_step(tl_cpu_engine *engine, tl_real beta) {
  const task job = {.mode = STEP, .beta = beta, .impulse = engine->view.x_previous};
  return units_run(engine, &job);
}

double tl_cpu_units_try(tl_cpu_engine *engine, tl_real beta) {
  const task job = {.mode = TRY, .beta = beta, .impulse = engine->view.trial};
  return units_run(engine, &job);
}

static void contacts_respond(void *arguments, int64_t first, int64_t end) {
  const unit_task *const t = arguments;
  for (int64_t k = first; k < end; k++) {
    tl_matrix_respond(t->view, (int32_t)k, t->job->impulse, t->job->velocity);
  }
}

static void blocks_respond(void *arguments, int64_t first, int64_t end) {
  const unit_task *const t = arguments;
  for (int64_t b = first; b < end; b++) {
    tl_block_respond(t->view, (int32_t)b, t->job->impulse, t->job->velocity);
  }
}

/* Records of other ranks' bodies: what is not exchanged. */
static void others_begin(const tl_view *view, const tl_halo *halo, tl_real *velocity) {
  tl_twist rest;
  rest.linear = rest.angular = tl_vec_make(0, 0, 0);
  for (int32_t c = 0; c < rigid_chunk_count(view); c++) {
    for (int32_t i = rigid_first(view, c); i < rigid_first(view, c + 1) && !halo->unit_own[c];
         i++) {
      tl_twist_save(view, view->shape.body_kind, velocity, i, rest);
    }
  }
}

void tl_cpu_units_next(tl_cpu_engine *engine, tl_exact *energy) {
  const tl_view *const view = &engine->view;
  tl_halo *const halo = engine->system->halo;
  const task job = {.mode = TRY, .impulse = view->x_previous};
  unit_task each = {view, halo->unit_own, &job, engine->energy};
  const int32_t chunks = rigid_chunk_count(view);
  others_begin(view, halo, view->velocity_trial);
  tl_cpu_each_chunk(engine, chunks, rigid_chunks, &each);
  memset(energy, 0, sizeof *energy);
  for (int32_t c = 0; c < chunks; c++) {
    if (halo->unit_own[c]) {
      tl_exact_add(energy, engine->energy[c]);
    }
  }
  tl_cpu_exchange_velocities(engine, &halo->bodies, view->velocity_trial);
}

void tl_cpu_units_respond(tl_cpu_engine *engine, tl_real *impulse, tl_real *velocity) {
  const tl_view *const view = &engine->view;
  const tl_shape *const shape = &view->shape;
  const task job = {.mode = RESPOND, .impulse = impulse, .velocity = velocity};
  tl_halo *const halo = engine->system->halo;
  unit_task each = {view, halo != NULL ? halo->unit_own : NULL, &job, NULL};
  if (halo != NULL) {
    tl_cpu_exchange(engine, &halo->contacts, impulse, 3);
    others_begin(view, halo, velocity);
  }
  if (shape->range[0].kind == TL_MATRIX) {
    tl_cpu_each_item(engine, shape->contact_count, contacts_respond, &each);
    return;
  }
  tl_cpu_each_chunk(engine, rigid_chunk_count(view), rigid_chunks, &each);
  tl_cpu_each_item(engine, shape->block_count, blocks_respond, &each);
  if (halo != NULL) {
    tl_cpu_exchange_velocities(engine, &halo->bodies, velocity);
  }
}

typedef struct carry_task {
  const tl_view *view;
  const tl_real *next;
  tl_real beta;
} carry_task;

static void velocities_carry(void *arguments, int64_t first, int64_t end) {
  const carry_task t = *(const carry_task *)arguments;
  for (int64_t i = first; i < end; i++) {
    tl_velocity_carry(t.view, (int32_t)i, t.next[i], t.beta);
  }
}

void tl_cpu_carry(tl_cpu_engine *engine, const tl_real *next, tl_real beta) {
  carry_task each = {&engine->view, next, beta};
  tl_cpu_each_velocity(engine, velocities_carry, &each);
}
