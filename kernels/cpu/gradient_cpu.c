/* gradient_cpu.c: loops of the gradient methods: one over contacts, one over units, each pass. */
#include "kernels/item/gradient.h"

#include "kernels/cpu/engine_cpu.h"
#include "kernels/item/sum_tree.h"

enum { GRADIENT, BACKTRACK, LIPSCHITZ };

/* What a loop over contacts needs beside the view. */
typedef struct task {
  int mode;
  tl_pace pace;
  int32_t accepted; /* BACKTRACK */
  int32_t scaled;   /* LIPSCHITZ */
  tl_real shrink;
} task;

/* view and job are the caller's own copies, of which the compiler knows that no store of the loop
 * reaches them. */
TL_ITEM void gradient_loop(const tl_view *view, const tl_range range, const tl_pace pace,
                           int32_t first, int32_t count, tl_shares *leaf) {
  tl_chunk_velocity relative;
  tl_cpu_relative(view, range, first, count, view->velocity_y, &relative);
  tl_cpu_comply(view, range, first, count, pace.beta, &relative);
#pragma omp simd
  for (int32_t i = 0; i < count; i++) {
    const tl_share share = tl_gradient_move(
        view, range, first + i, pace, tl_vec_make(relative.x[i], relative.y[i], relative.z[i]));
    leaf->step_norm2[i] = share.step_norm2;
    leaf->restart_test[i] = share.restart_test;
  }
}

/* The law known to the compiler. */
TL_ITEM void gradient_laws(const tl_view *view, const tl_range range, tl_pace pace, int32_t first,
                           int32_t count, tl_shares *leaf) {
  if (pace.coulomb) {
    pace.coulomb = 1;
    gradient_loop(view, range, pace, first, count, leaf);
  } else {
    pace.coulomb = 0;
    gradient_loop(view, range, pace, first, count, leaf);
  }
}

TL_CLONES static void gradient_chunk(const tl_view *given, tl_range range, tl_pace pace,
                                     int32_t first, int32_t count, tl_shares *leaf) {
  const tl_view view = *given;
#define TL_CALL(r) gradient_laws(&view, r, pace, first, count, leaf)
  TL_BY_KIND(range, TL_CALL);
#undef TL_CALL
}

TL_ITEM void other_loop(const tl_view *view, const tl_range range, const task *job, int32_t first,
                        int32_t count, tl_shares *leaf) {
  for (int32_t i = 0; i < count; i++) {
    const tl_share share =
        job->mode == GRADIENT ? tl_gradient_step(view, range, first + i, job->pace)
        : job->mode == BACKTRACK
            ? tl_backtrack_step(view, range, first + i, job->pace, job->accepted)
            : tl_lipschitz_step(view, range, first + i, job->scaled, job->shrink);
    leaf->step_norm2[i] = share.step_norm2;
    leaf->restart_test[i] = share.restart_test;
  }
}

/* Contacts of six rows, one after the other. */
TL_CLONES static void torque_chunk(const tl_view *given, tl_range range, const task *job,
                                   int32_t first, int32_t count, tl_shares *leaf) {
  const tl_view view = *given;
#define TL_CALL(r) other_loop(&view, r, job, first, count, leaf)
  TL_BY_TORQUE_KIND(range, TL_CALL);
#undef TL_CALL
}

static void contact_chunk(tl_cpu_engine *engine, const tl_range range, const task *job,
                          int32_t chunk) {
  const tl_view *const view = &engine->view;
  tl_shares leaf;
  const int32_t first = view->chunk_first[chunk], count = view->chunk_first[chunk + 1] - first;
  if (range.torque) {
    torque_chunk(view, range, job, first, count, &leaf);
  } else if (job->mode == GRADIENT) {
    gradient_chunk(view, range, job->pace, first, count, &leaf);
  } else {
#define TL_CALL(r) other_loop(view, r, job, first, count, &leaf)
    TL_BY_KIND(range, TL_CALL);
#undef TL_CALL
  }
  engine->first_sum[chunk] = tl_sum_leaves(leaf.step_norm2, count);
  engine->second_sum[chunk] = tl_sum_leaves(leaf.restart_test, count);
}

typedef struct range_task {
  tl_cpu_engine *engine;
  tl_range range;
  const task *job;
} range_task;

static void contact_chunks(void *arguments, int64_t first, int64_t end) {
  const range_task *const t = arguments;
  for (int64_t c = first; c < end; c++) {
    const int32_t chunk = t->range.chunk_first + (int32_t)c;
    contact_chunk(t->engine, t->range, t->job, chunk);
  }
}

static void contacts_pass(tl_cpu_engine *engine, const task *job) {
  const tl_shape *const shape = &engine->view.shape;
  for (int32_t i = 0; i < shape->range_count; i++) {
    range_task each = {engine, shape->range[i], job};
    tl_cpu_each_chunk(engine, each.range.chunk_count, contact_chunks, &each);
  }
}

static void contacts_run(tl_cpu_engine *engine, const task *job) {
  contacts_pass(engine, job);
  tl_cpu_sums(engine, &engine->state.step_norm2, &engine->state.restart_test);
}

/* A step alone: the sums of the contacts say how V(y) moves on. */
static void step_alone(tl_cpu_engine *engine, const tl_rule *rule, const task *job) {
  tl_state *const s = &engine->state;
  contacts_run(engine, job);
  tl_state_momentum(s, rule->momentum, rule->cap);
  s->curvature = tl_cpu_units_step(engine, (tl_real)s->beta);
}

/* The same on ranks, which sum up all three at once: V(y) moves on afterwards. */
static void step_shared(tl_cpu_engine *engine, const tl_rule *rule, const task *job) {
  tl_halo *const halo = engine->system->halo;
  tl_state *const s = &engine->state;
  tl_exact sum[3];
  contacts_pass(engine, job);
  tl_cpu_own_sums(engine, sum);
  tl_cpu_units_next(engine, &sum[2]);
  halo->sum(halo, sum[0].digit, 3 * TL_EXACT_DIGITS);
  s->step_norm2 = tl_exact_round(&sum[0]);
  s->restart_test = tl_exact_round(&sum[1]);
  s->curvature = tl_exact_round(&sum[2]);
  tl_state_momentum(s, rule->momentum, rule->cap);
  tl_cpu_carry(engine, engine->view.velocity_trial, (tl_real)s->beta);
}

talus_status tl_cpu_gradient(tl_engine *base, const tl_rule *rule, int32_t count, tl_state *state,
                             int64_t *passes) {
  tl_cpu_engine *const engine = (tl_cpu_engine *)base;
  if (engine->view.shape.range[0].kind == TL_MATRIX || engine->view.shape.block_count > 0) {
    TL_TRY(tl_cpu_reserve_trial(engine));
  }
  const bool alone = engine->system->halo == NULL;
  TL_TRY(alone ? TALUS_OK : tl_cpu_reserve_next(engine));
  tl_state *const s = &engine->state;
  tl_state_begin(s);
  while (s->made < count && !s->stopped) {
    const task job = {.mode = GRADIENT, .pace = tl_pace_make(s, rule)};
    (alone ? step_alone : step_shared)(engine, rule, &job);
    tl_state_step(s, rule->step, rule->yield);
    tl_state_look(s, rule);
    tl_cpu_swap(engine);
  }
  engine->since_rebuild = 0;
  *state = *s;
  *passes += s->made;
  return TALUS_OK;
}

static void contacts_accept(void *arguments, int64_t first, int64_t end) {
  const tl_view *const view = arguments;
  for (int64_t k = first; k < end; k++) {
    tl_backtrack_accept(view, (int32_t)k);
  }
}

talus_status tl_cpu_backtrack(tl_engine *base, const tl_rule *rule, int32_t count, tl_state *state,
                              int64_t *passes) {
  tl_cpu_engine *const engine = (tl_cpu_engine *)base;
  TL_TRY(tl_cpu_reserve_trial(engine));
  tl_state *const s = &engine->state;
  tl_state_begin(s);
  while (s->made < count && !s->stopped) {
    const task job = {.mode = BACKTRACK, .pace = tl_pace_make(s, rule), .accepted = s->accepted};
    contacts_run(engine, &job);
    s->curvature = tl_cpu_units_try(engine, job.pace.beta);
    tl_state_backtrack(s, rule->cap, rule->yield);
    if (s->accepted) {
      tl_cpu_carry(engine, engine->view.velocity_trial, (tl_real)s->beta);
    }
    tl_state_look(s, rule);
  }
  if (s->accepted) { /* the last trial becomes x */
    tl_cpu_each_item(engine, (int32_t)TL_PLACES(&engine->view.shape), contacts_accept,
                     &engine->view);
    s->accepted = 0;
  }
  engine->since_rebuild = 0;
  *state = *s;
  *passes += s->made;
  return TALUS_OK;
}

talus_status tl_cpu_estimate_lipschitz(tl_engine *base, int32_t scaled, int32_t count,
                                       double *lambda) {
  tl_cpu_engine *const engine = (tl_cpu_engine *)base;
  const tl_view *const view = &engine->view;
  const tl_halo *const halo = engine->system->halo;
  for (int32_t i = 0; i < view->shape.range_count; i++) {
    const tl_range range = view->shape.range[i];
    for (int32_t k = range.first; k < range.first + range.count; k++) {
      tl_lipschitz_begin(view, range, k, halo != NULL ? halo->number[k] : k);
    }
  }
  *lambda = 0;
  for (int32_t i = 0; i < count; i++) {
    const task job = {
        .mode = LIPSCHITZ, .scaled = scaled, .shrink = *lambda > 0 ? (tl_real)(1 / *lambda) : 1};
    tl_cpu_units_respond(engine, view->x_previous, view->velocity_y);
    contacts_run(engine, &job);
    *lambda =
        engine->state.step_norm2 > 0 ? engine->state.restart_test / engine->state.step_norm2 : 0;
  }
  tl_cpu_reset(engine, engine->state.lipschitz);
  return TALUS_OK;
}
