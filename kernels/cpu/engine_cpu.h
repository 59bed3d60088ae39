/* engine_cpu.h: the CPU's engine: a view, its memory, and loops over chunks. */
#ifndef TL_ENGINE_CPU_H
#define TL_ENGINE_CPU_H

#include "host/base/base.h"
#include "host/base/clones.h"
#include "host/base/each.h"
#include "kernels/backend.h"
#include "kernels/halo.h"
#include "kernels/item/contact.h"
#include "kernels/item/exact.h"
#include "kernels/item/sum_tree.h"
#include "kernels/item/view.h"

typedef struct tl_cpu_engine {
  tl_engine base;
  talus_context *context;
  const tl_system *system;
  tl_view view;
  tl_state state;
  int32_t threads;
  int32_t since_rebuild; /* sweeps since the velocities were rebuilt from the impulses */
  int32_t stale;         /* sweeps over rows of W have left V(x) behind */
  bool at_start;         /* no iteration since the start */
  bool start_kept;       /* and its impulses are the best */
  tl_buffer copy;        /* the system's arrays in this precision; empty if they are used as is */
  tl_buffer impulse;     /* x, x_previous, best, slip */
  tl_buffer velocity;    /* velocity, velocity_y */
  tl_buffer trial;       /* trial impulses and velocities, only where a method needs them */
  tl_buffer partial;     /* sums of chunks: two of contacts, one of units */
  double *first_sum, *second_sum, *energy;
} tl_cpu_engine;

#define tl_cpu_units_step TL_NAME(tl_cpu_units_step)
#define tl_cpu_units_try TL_NAME(tl_cpu_units_try)
#define tl_cpu_units_next TL_NAME(tl_cpu_units_next)
#define tl_cpu_units_respond TL_NAME(tl_cpu_units_respond)
#define tl_cpu_carry TL_NAME(tl_cpu_carry)
#define tl_cpu_gradient TL_NAME(tl_cpu_gradient)
#define tl_cpu_backtrack TL_NAME(tl_cpu_backtrack)
#define tl_cpu_estimate_lipschitz TL_NAME(tl_cpu_estimate_lipschitz)
#define tl_cpu_sweep TL_NAME(tl_cpu_sweep)
#define tl_cpu_residual TL_NAME(tl_cpu_residual)
#define tl_cpu_reserve_trial TL_NAME(tl_cpu_reserve_trial)
#define tl_cpu_reserve_next TL_NAME(tl_cpu_reserve_next)
#define tl_cpu_reset TL_NAME(tl_cpu_reset)
#define tl_cpu_ops TL_NAME(tl_cpu_ops)

/* A unit is what carries velocity: a rigid body, a general block, or a row block of W. */

/* V, V(y) move on to the impulses x_previous (the new ones); returns a. */
double tl_cpu_units_step(tl_cpu_engine *engine, tl_real beta);
/* V(trial) beside V and V(y); returns a. */
double tl_cpu_units_try(tl_cpu_engine *engine, tl_real beta);
/* With other ranks: V(x_previous) to velocity_trial, of this rank's bodies and of those that it
 * needs of others; this rank's share of a. */
void tl_cpu_units_next(tl_cpu_engine *engine, tl_exact *energy);
/* velocity = V(impulse), with what other ranks have of both. */
void tl_cpu_units_respond(tl_cpu_engine *engine, tl_real *impulse, tl_real *velocity);
/* V moves on to `next` (an array of velocities), V(y) with it. */
void tl_cpu_carry(tl_cpu_engine *engine, const tl_real *next, tl_real beta);

talus_status tl_cpu_reserve_trial(tl_cpu_engine *engine);
/* The same for velocities alone. */
talus_status tl_cpu_reserve_next(tl_cpu_engine *engine);
/* Velocities from x, no momentum. */
void tl_cpu_reset(tl_cpu_engine *engine, double lipschitz);

talus_status tl_cpu_gradient(tl_engine *engine, const tl_rule *rule, int32_t count, tl_state *state,
                             int64_t *passes);
talus_status tl_cpu_backtrack(tl_engine *engine, const tl_rule *rule, int32_t count,
                              tl_state *state, int64_t *passes);
talus_status tl_cpu_estimate_lipschitz(tl_engine *engine, int32_t scaled, int32_t count,
                                       double *lambda);
talus_status tl_cpu_sweep(tl_engine *engine, const tl_rule *rule, int32_t count, tl_state *state,
                          int64_t *passes);
talus_status tl_cpu_residual(tl_engine *engine, double squares[2], int64_t *passes);

/* Calls CALL(range) with the kind, and for all but general blocks the rows, known to the compiler,
 * so that each kind gets code of its own. */
#define TL_BY_KIND(RANGE, CALL)        \
  do {                                 \
    tl_range r_ = (RANGE);             \
    r_.torque = 0;                     \
    if (r_.kind == TL_SPHERES) {       \
      r_.kind = TL_SPHERES;            \
      r_.rows = 3;                     \
      r_.bilateral = r_.bounded = 0;   \
      CALL(r_);                        \
    } else if (r_.kind == TL_ARMS) {   \
      r_.kind = TL_ARMS;               \
      r_.rows = 3;                     \
      r_.bilateral = r_.bounded = 0;   \
      CALL(r_);                        \
    } else if (r_.kind == TL_BLOCKS) { \
      r_.kind = TL_BLOCKS;             \
      CALL(r_);                        \
    } else {                           \
      r_.kind = TL_MATRIX;             \
      CALL(r_);                        \
    }                                  \
  } while (0)

/* The same for contacts of six rows, which no form with a stored W has. */
#define TL_BY_TORQUE_KIND(RANGE, CALL) \
  do {                                 \
    tl_range r_ = (RANGE);             \
    r_.rows = 3;                       \
    r_.bilateral = r_.bounded = 0;     \
    r_.torque = 1;                     \
    if (r_.kind == TL_SPHERES) {       \
      r_.kind = TL_SPHERES;            \
      CALL(r_);                        \
    } else if (r_.kind == TL_ARMS) {   \
      r_.kind = TL_ARMS;               \
      CALL(r_);                        \
    } else {                           \
      r_.kind = TL_BLOCKS;             \
      CALL(r_);                        \
    }                                  \
  } while (0)

/* Loops of fewer chunks are not worth waking threads for. */
enum { TL_FEW_CHUNKS = 8, TL_FEW_ITEMS = TL_FEW_CHUNKS * TL_CHUNK };

/* What this rank does with a chunk of contacts, all of which are its own if it is alone. */
static inline tl_halo_role tl_cpu_role(const tl_cpu_engine *engine, int32_t chunk) {
  const tl_halo *const halo = engine->system->halo;
  return halo != NULL ? (tl_halo_role)halo->chunk_role[chunk] : TL_HALO_OWN;
}

static inline void tl_cpu_exchange(const tl_cpu_engine *engine, const tl_halo_list *list,
                                   tl_real *array, int32_t reals) {
  tl_halo *const halo = engine->system->halo;
  halo->exchange(halo, list, array, reals * (int32_t)sizeof(tl_real));
}

static inline void tl_cpu_exchange_velocities(const tl_cpu_engine *engine, const tl_halo_list *list,
                                              tl_real *array) {
  tl_halo *const halo = engine->system->halo;
  halo->exchange_records(halo, list, array, (int32_t)sizeof(tl_real));
}

/* The sum of what chunks have left: without rounding where there are bricks, which are not to
 * depend on the order, else over the fixed tree. */
static inline double tl_cpu_sum(const tl_cpu_engine *engine, const double *partial, int32_t count) {
  return engine->view.shape.unit_chunk_count > 0 ? tl_exact_sum(partial, count)
                                                 : tl_sum_partials(partial, count);
}

/* Two sums over the chunks of contacts that are this rank's own. */
static inline void tl_cpu_own_sums(const tl_cpu_engine *engine, tl_exact sum[2]) {
  memset(sum, 0, 2 * sizeof *sum);
  for (int32_t chunk = 0; chunk < engine->view.shape.chunk_count; chunk++) {
    if (tl_cpu_role(engine, chunk) == TL_HALO_OWN) {
      tl_exact_add(&sum[0], engine->first_sum[chunk]);
      tl_exact_add(&sum[1], engine->second_sum[chunk]);
    }
  }
}

/* Two sums over the chunks of contacts, of all ranks. */
static inline void tl_cpu_sums(const tl_cpu_engine *engine, double *first, double *second) {
  const int32_t count = engine->view.shape.chunk_count;
  tl_halo *const halo = engine->system->halo;
  if (halo == NULL) {
    *first = tl_cpu_sum(engine, engine->first_sum, count);
    *second = tl_cpu_sum(engine, engine->second_sum, count);
    return;
  }
  tl_exact sum[2];
  tl_cpu_own_sums(engine, sum);
  halo->sum(halo, sum[0].digit, 2 * TL_EXACT_DIGITS);
  *first = tl_exact_round(&sum[0]);
  *second = tl_exact_round(&sum[1]);
}

/* Loops over chunks, and over items, by the engine's threads if there are enough of them. */
static inline void tl_cpu_each_chunk(const tl_cpu_engine *engine, int32_t count, tl_each_body *body,
                                     void *arguments) {
  tl_each(engine->context, count >= TL_FEW_CHUNKS ? engine->threads : 1, count, body, arguments);
}

static inline void tl_cpu_each_item(const tl_cpu_engine *engine, int32_t count, tl_each_body *body,
                                    void *arguments) {
  tl_each(engine->context, count >= TL_FEW_ITEMS ? engine->threads : 1, count, body, arguments);
}

/* Loop over the numbers of V. */
static inline void tl_cpu_each_velocity(const tl_cpu_engine *engine, tl_each_body *body,
                                        void *arguments) {
  const int32_t size = engine->view.shape.velocity_size;
  tl_each(engine->context, size >= TL_FEW_ITEMS * TL_RECORD ? engine->threads : 1, size, body,
          arguments);
}

/* D_k V of the contacts of a chunk, one plane per component: gathered first, so that the
 * arithmetic that follows runs over streams. */
typedef struct tl_chunk_velocity {
  tl_real x[TL_CHUNK], y[TL_CHUNK], z[TL_CHUNK];
} tl_chunk_velocity;

/* Contacts between a gather and the request for what it will read. */
enum { TL_AHEAD = 24 };

static inline __attribute__((always_inline)) void
tl_cpu_prefetch(const tl_view *view, const int32_t kind, int32_t k, const tl_real *velocity) {
  if (kind == TL_SPHERES || kind == TL_ARMS) {
    const int32_t last = view->shape.rigid_contact_count - 1;
    const int32_t ahead = k + TL_AHEAD < last ? k + TL_AHEAD : last;
    __builtin_prefetch(velocity + (int64_t)TL_RECORD * view->body_a[ahead]);
    __builtin_prefetch(velocity + (int64_t)TL_RECORD * view->body_b[ahead]);
  }
}

static inline __attribute__((always_inline)) void
tl_cpu_relative(const tl_view *view, const tl_range range, int32_t first, int32_t count,
                const tl_real *velocity, tl_chunk_velocity *relative) {
  for (int32_t i = 0; i < count; i++) {
    tl_cpu_prefetch(view, range.kind, first + i, velocity);
    const tl_vec v = tl_contact_velocity(view, range, first + i, velocity);
    relative->x[i] = v.x;
    relative->y[i] = v.y;
    relative->z[i] = v.z;
  }
}

/* Adds C y, y = x + beta (x - x_previous), in a loop of its own, for which rigid contacts do
 * not pay. */
static inline __attribute__((always_inline)) void tl_cpu_comply(const tl_view *view,
                                                                const tl_range range, int32_t first,
                                                                int32_t count, tl_real beta,
                                                                tl_chunk_velocity *relative) {
  if (range.kind == TL_MATRIX || view->shape.compliance_count == 0) {
    return;
  }
  for (int32_t i = 0; i < count; i++) {
    const tl_vec v =
        tl_contact_comply(view, range.kind, first + i, tl_contact_ahead(view, first + i, beta),
                          tl_vec_make(relative->x[i], relative->y[i], relative->z[i]));
    relative->x[i] = v.x;
    relative->y[i] = v.y;
    relative->z[i] = v.z;
  }
}

/* Shares of a chunk's contacts in a step, the leaves of two sums. */
typedef struct tl_shares {
  double step_norm2[TL_CHUNK], restart_test[TL_CHUNK];
} tl_shares;

/* x and x_previous change places. */
static inline void tl_cpu_swap(tl_cpu_engine *engine) {
  tl_real *const x = engine->view.x;
  engine->view.x = engine->view.x_previous;
  engine->view.x_previous = x;
}

#endif
