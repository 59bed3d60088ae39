/* sweep_cpu.c: coloured Gauss-Seidel: loops over the contacts of one colour after the other. */
#include "kernels/item/sweep.h"

#include "kernels/cpu/engine_cpu.h"
#include "kernels/item/body.h"
#include "kernels/item/sum_tree.h"

/* Rows of W in a chunk that are treated one by one. */
enum { FEW_ROWS = 8 };

/* What the rows of W feel of y. */
TL_ITEM void rows_relative(const tl_view *view, int32_t first, int32_t count,
                           tl_chunk_velocity *relative) {
  for (int32_t i = 0; i < count; i++) {
    const tl_vec v = tl_contact_row(view, first + i, view->trial);
    relative->x[i] = v.x;
    relative->y[i] = v.y;
    relative->z[i] = v.z;
  }
}

/* The contacts of a chunk share no body, and no entry of W: all may feel before any of them acts.
 */
TL_ITEM void contacts_loop(const tl_view *view, const tl_range range, const tl_pace pace,
                           int32_t first, int32_t count, tl_shares *leaf) {
  tl_chunk_velocity relative;
  if (range.kind == TL_MATRIX) {
    rows_relative(view, first, count, &relative);
  } else {
    tl_cpu_relative(view, range, first, count, view->velocity_y, &relative);
    tl_cpu_comply(view, range, first, count, pace.beta, &relative);
  }
#pragma omp simd
  for (int32_t i = 0; i < count; i++) {
    const tl_turn turn = tl_sweep_move(view, range, first + i, pace,
                                       tl_vec_make(relative.x[i], relative.y[i], relative.z[i]), 0);
    relative.x[i] = turn.change.x;
    relative.y[i] = turn.change.y;
    relative.z[i] = turn.change.z;
    leaf->step_norm2[i] = turn.share.step_norm2;
    leaf->restart_test[i] = turn.share.restart_test;
  }
  for (int32_t i = 0; i < count; i++) {
    const tl_vec change = tl_vec_make(relative.x[i], relative.y[i], relative.z[i]);
    tl_contact_apply(view, range, first + i, change, view->velocity_y);
  }
}

/* One after the other: where there are few, branches save more than wide registers do; and
 * bilateral rows. */
TL_ITEM void other_loop(const tl_view *view, const tl_range range, const tl_pace pace,
                        int32_t first, int32_t count, tl_shares *leaf) {
  for (int32_t i = 0; i < count; i++) {
    const tl_share share = tl_sweep_step(view, range, first + i, pace);
    leaf->step_norm2[i] = share.step_norm2;
    leaf->restart_test[i] = share.restart_test;
  }
}

/* The law known to the compiler. */
TL_ITEM void sweep_laws(const tl_view *view, tl_range range, tl_pace pace, int32_t first,
                        int32_t count, tl_shares *leaf) {
  if (range.bilateral || (range.kind == TL_MATRIX && count < FEW_ROWS)) {
    other_loop(view, range, pace, first, count, leaf);
  } else if (pace.coulomb) {
    range.bilateral = 0;
    pace.coulomb = 1;
    contacts_loop(view, range, pace, first, count, leaf);
  } else {
    range.bilateral = 0;
    pace.coulomb = 0;
    contacts_loop(view, range, pace, first, count, leaf);
  }
}

TL_CLONES static void sweep_leaf(const tl_view *given, tl_range range, tl_pace pace, int32_t first,
                                 int32_t count, tl_shares *leaf) {
  const tl_view view = *given;
#define TL_CALL(r) sweep_laws(&view, r, pace, first, count, leaf)
  TL_BY_KIND(range, TL_CALL);
#undef TL_CALL
}

/* Contacts of six rows, one after the other. */
TL_CLONES static void torque_leaf(const tl_view *given, tl_range range, tl_pace pace, int32_t first,
                                  int32_t count, tl_shares *leaf) {
  const tl_view view = *given;
#define TL_CALL(r) other_loop(&view, r, pace, first, count, leaf)
  TL_BY_TORQUE_KIND(range, TL_CALL);
#undef TL_CALL
}

/* The groups of one colour. */
typedef struct colour_task {
  tl_cpu_engine *engine;
  tl_range range;
  tl_pace pace;
  int32_t first;
} colour_task;

static void sweep_chunk(tl_cpu_engine *engine, const tl_range range, tl_pace pace, int32_t chunk) {
  const tl_view *const view = &engine->view;
  tl_shares leaf;
  const int32_t first = view->chunk_first[chunk], count = view->chunk_first[chunk + 1] - first;
  if (range.torque) {
    torque_leaf(view, range, pace, first, count, &leaf);
  } else {
    sweep_leaf(view, range, pace, first, count, &leaf);
  }
  engine->first_sum[chunk] = tl_sum_leaves(leaf.step_norm2, count);
  engine->second_sum[chunk] = tl_sum_leaves(leaf.restart_test, count);
}

static int32_t group_first(const tl_view *view, int32_t group) {
  return view->group_chunk != NULL ? view->group_chunk[group] : group;
}

static void groups_sweep(void *arguments, int64_t first, int64_t end) {
  const colour_task *const t = arguments;
  const tl_view *const view = &t->engine->view;
  const int32_t from = group_first(view, t->first + (int32_t)first);
  const int32_t to = group_first(view, t->first + (int32_t)end);
  for (int32_t chunk = from; chunk < to; chunk++) {
    if (tl_cpu_role(t->engine, chunk) == TL_HALO_OWN) {
      sweep_chunk(t->engine, t->range, t->pace, chunk);
    }
  }
}

static void contacts_sweep(tl_cpu_engine *engine, tl_pace pace) {
  const tl_shape *const shape = &engine->view.shape;
  const tl_system *const system = engine->system;
  int32_t range = 0;
  for (int32_t colour = 0; colour < system->colour_count; colour++) {
    const int32_t first = system->colour_group[colour], end = system->colour_group[colour + 1];
    const int32_t chunk = group_first(&engine->view, first);
    const int32_t chunks = group_first(&engine->view, end) - chunk;
    while (chunks > 0 &&
           chunk >= shape->range[range].chunk_first + shape->range[range].chunk_count) {
      range++;
    }
    colour_task task = {engine, shape->range[range], pace, first};
    tl_each(engine->context, chunks >= TL_FEW_CHUNKS ? engine->threads : 1, end - first,
            groups_sweep, &task);
    if (system->halo != NULL) {
      tl_cpu_exchange_velocities(engine, &system->halo->phase[colour], engine->view.velocity_y);
    }
  }
  if (system->halo != NULL) {
    tl_cpu_exchange_velocities(engine, &system->halo->settled, engine->view.velocity_y);
  }
  tl_cpu_sums(engine, &engine->state.step_norm2, &engine->state.restart_test);
}

static void contacts_extrapolate(void *arguments, int64_t first, int64_t end) {
  const tl_cpu_engine *const engine = arguments;
  const tl_real beta = (tl_real)engine->state.beta;
  for (int64_t k = first; k < end; k++) {
    tl_sweep_extrapolate(&engine->view, (int32_t)k, beta);
  }
}

static void velocities_extrapolate(void *arguments, int64_t first, int64_t end) {
  const tl_cpu_engine *const engine = arguments;
  const tl_real beta = (tl_real)engine->state.beta;
  const tl_real *const velocity = engine->view.velocity;
  tl_real *const velocity_y = engine->view.velocity_y;
  for (int64_t i = first; i < end; i++) {
    velocity_y[i] = velocity[i] + beta * (velocity[i] - velocity_y[i]);
  }
}

/* V(x) and V(y) anew from both impulse buffers: rebuilding V alone would multiply the drift by
 * beta / (1 - beta) each time. */
static void rebuild(tl_cpu_engine *engine, int64_t *passes) {
  const tl_view *const view = &engine->view;
  tl_cpu_units_respond(engine, view->x, view->velocity);
  tl_cpu_units_respond(engine, view->x_previous, view->velocity_y);
  tl_cpu_each_velocity(engine, velocities_extrapolate, engine);
  *passes += 1;
  engine->since_rebuild = 0;
}

talus_status tl_cpu_sweep(tl_engine *base, const tl_rule *rule, int32_t count, tl_state *state,
                          int64_t *passes) {
  tl_cpu_engine *const engine = (tl_cpu_engine *)base;
  const int matrix = engine->view.shape.range[0].kind == TL_MATRIX;
  if (matrix) {
    TL_TRY(tl_cpu_reserve_trial(engine));
  }
  tl_state *const s = &engine->state;
  tl_state_begin(s);
  while (s->made < count && !s->stopped) {
    if (matrix) {
      /* y of all contacts from x and x_previous */
      tl_cpu_each_item(engine, engine->view.shape.contact_count, contacts_extrapolate, engine);
    } else if (engine->since_rebuild >= rule->rebuild) {
      rebuild(engine, passes);
    }
    contacts_sweep(engine, tl_pace_make(s, rule));
    tl_state_momentum(s, rule->momentum, rule->cap);
    if (!matrix) {
      tl_cpu_carry(engine, engine->view.velocity_y, (tl_real)s->beta);
      engine->since_rebuild++;
    }
    tl_state_look(s, rule);
    tl_cpu_swap(engine);
    *passes += 1;
  }
  engine->stale = matrix; /* these sweeps go without V, which residuals want */
  *state = *s;
  return TALUS_OK;
}
