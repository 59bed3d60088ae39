/* engine_cuda.cuh: the CUDA engine: a view in device memory, the scalars beside it, and graphs.
 *
 * The scalars of an iteration (tl_control) live on the device and are moved by the block that
 * finishes a kernel last, so the host queues any number of iterations without looking. Kernels go
 * to engine->target: the context's stream, or its recorder while a graph is made. */
#ifndef TL_ENGINE_CUDA_CUH
#define TL_ENGINE_CUDA_CUH

#include <stddef.h>

#include "kernels/cuda/assembly_cuda.h"
#include "kernels/cuda/device_cuda.h"
#include "kernels/cuda/launch.h"
#include "kernels/halo.h"
#include "kernels/item/exact.h"
#include "kernels/item/gradient.h"
#include "kernels/item/view.h"

/* Both precisions are linked into one program: their types and functions need names of their own.
 */
#define tl_control TL_NAME(tl_control)
#define tl_cuda_work TL_NAME(tl_cuda_work)
#define tl_cuda_engine TL_NAME(tl_cuda_engine)
#define tl_cuda_create TL_NAME(tl_cuda_create)
#define tl_cuda_upload TL_NAME(tl_cuda_upload)
#define tl_cuda_estimate_memory TL_NAME(tl_cuda_estimate_memory)
#define tl_cuda_bytes_count TL_NAME(tl_cuda_bytes_count)
#define tl_cuda_reserve_trial TL_NAME(tl_cuda_reserve_trial)
#define tl_cuda_reset TL_NAME(tl_cuda_reset)
#define tl_cuda_prepare TL_NAME(tl_cuda_prepare)
#define tl_cuda_result TL_NAME(tl_cuda_result)
#define tl_cuda_result_queue TL_NAME(tl_cuda_result_queue)
#define tl_cuda_iterate TL_NAME(tl_cuda_iterate)
#define tl_cuda_graphs_drop TL_NAME(tl_cuda_graphs_drop)
#define tl_cuda_units_step TL_NAME(tl_cuda_units_step)
#define tl_cuda_units_try TL_NAME(tl_cuda_units_try)
#define tl_cuda_units_respond TL_NAME(tl_cuda_units_respond)
#define tl_cuda_carry TL_NAME(tl_cuda_carry)
#define tl_cuda_look TL_NAME(tl_cuda_look)
#define tl_cuda_gradient TL_NAME(tl_cuda_gradient)
#define tl_cuda_backtrack TL_NAME(tl_cuda_backtrack)
#define tl_cuda_estimate_lipschitz TL_NAME(tl_cuda_estimate_lipschitz)
#define tl_cuda_sweep TL_NAME(tl_cuda_sweep)
#define tl_cuda_residual TL_NAME(tl_cuda_residual)
#define tl_cuda_residual_queue TL_NAME(tl_cuda_residual_queue)
#define tl_cuda_residual_anew TL_NAME(tl_cuda_residual_anew)
#define tl_cuda_forget TL_NAME(tl_cuda_forget)
#define tl_cuda_end TL_NAME(tl_cuda_end)
#define tl_cuda_judge_now TL_NAME(tl_cuda_judge_now)
#define tl_cuda_calls_note TL_NAME(tl_cuda_calls_note)
#define tl_stage TL_NAME(tl_stage)
#define tl_cuda_calls TL_NAME(tl_cuda_calls)
#define tl_cuda_asked TL_NAME(tl_cuda_asked)
#define tl_cuda_engine_ops TL_NAME(tl_cuda_engine_ops)
#define tl_cuda_ranks TL_NAME(tl_cuda_ranks)
#define tl_cuda_ranks_take TL_NAME(tl_cuda_ranks_take)
#define tl_cuda_ranks_release TL_NAME(tl_cuda_ranks_release)
#define tl_cuda_ranks_exchange TL_NAME(tl_cuda_ranks_exchange)
#define tl_cuda_ranks_sum TL_NAME(tl_cuda_ranks_sum)
#define tl_cuda_ranks_reset TL_NAME(tl_cuda_ranks_reset)
#define tl_cuda_ranks_iterate TL_NAME(tl_cuda_ranks_iterate)
#define tl_cuda_ranks_residual TL_NAME(tl_cuda_ranks_residual)
#define tl_cuda_ranks_lipschitz TL_NAME(tl_cuda_ranks_lipschitz)
#define tl_cuda_queue TL_NAME(tl_cuda_queue)
#define tl_cuda_upload_queue TL_NAME(tl_cuda_upload_queue)
#define tl_cuda_gradient_queue TL_NAME(tl_cuda_gradient_queue)
#define tl_cuda_sweep_queue TL_NAME(tl_cuda_sweep_queue)
#define tl_cuda_expect TL_NAME(tl_cuda_expect)
#define tl_cuda_take TL_NAME(tl_cuda_take)
#define tl_cuda_judge_kept TL_NAME(tl_cuda_judge_kept)
#define tl_cuda_give TL_NAME(tl_cuda_give)

/* Calls of `iterate` that a solve which is queued makes at the most. */
enum { TL_STAGES = 3 };

/* One of them, with the residual after it. */
struct tl_stage {
  tl_state state;
  double squares[2];
  double ratio, enough; /* of its rule */
};

/* What the kernels share beside the arrays; in device memory. */
struct tl_control {
  /* what the host reads, up to TL_CONTROL_READ */
  tl_state state;
  double squares[2]; /* residual */
  double lambda;     /* estimate_lipschitz */
  unsigned strange;  /* impulses to begin with are not all numbers */
  /* that, too, of a solve that was queued, up to TL_CONTROL_QUEUED */
  double begun[2]; /* residual before the first iteration */
  double anew[2];  /* after a restart from nothing */
  int32_t stages;  /* that were made */
  int32_t restart; /* 1: impulses to begin with were worse than none */
  tl_stage stage[TL_STAGES];
  /* the rest */
  tl_rule rule;
  tl_pace pace;   /* of the coming iteration: state and rule, rounded once for all threads */
  tl_real shrink; /* estimate_lipschitz */
  unsigned contacts_done, units_done; /* tickets of the blocks of a pass; 0 between passes */
  unsigned groups_begun;              /* the same of a sweep of all colours */
  /* see queue_cuda.cu */
  int32_t queued;           /* 1: a residual after iterations ends a stage */
  int32_t ended;            /* 1: the stages that are left do nothing */
  int32_t odd;              /* 1: x and x_previous have changed places */
  int32_t law;              /* talus_law */
  double reference, target; /* R(0); R(x)/R(0) that is wanted */
  double best;              /* R(x)/R(0) of the best impulses; ... */
  int32_t improved;         /* ... 1: those of the last stage */
};

#define TL_CONTROL_READ offsetof(tl_control, begun)
#define TL_CONTROL_QUEUED(stages) (offsetof(tl_control, stage) + (stages) * sizeof(tl_stage))

/* All that a kernel is given, by value. */
struct tl_cuda_work {
  tl_view view;
  tl_control *control;
  double *first_sum, *second_sum;       /* one per chunk of contacts */
  double *energy;                       /* one per block of units */
  unsigned contact_blocks, unit_blocks; /* blocks of a whole pass, at least one */
  const int32_t *colour_first;          /* [colour_count + 1] first group of each colour, if all are
                                           swept in one launch; NULL: one launch each */
  int32_t colour_count;
  const tl_cuda_live *live; /* counts of a problem that came in device memory, whose shape above has
                               what there is room for; NULL: those above */
};

/* Chunks of all contacts, contacts, colours. */
static __device__ __forceinline__ unsigned tl_chunks_of(const tl_cuda_work &work,
                                                        const unsigned given) {
  return work.live != NULL ? (unsigned)work.live->chunks : given;
}
static __device__ __forceinline__ int64_t tl_contacts_of(const tl_cuda_work &work,
                                                         const int64_t given) {
  return work.live != NULL && work.live->contacts < given ? work.live->contacts : given;
}
static __device__ __forceinline__ int32_t tl_colours_of(const tl_cuda_work &work) {
  return work.live != NULL ? work.live->colours : work.colour_count;
}

/* Graphs that are queued before the host has seen how the one before them ended. */
enum { TL_BEHIND = 2 };

enum { TL_GRAPH_GRADIENT, TL_GRAPH_BACKTRACK, TL_GRAPH_SWEEP, TL_GRAPH_COUNT };

/* The first iterations that the last solve asked for. */
struct tl_cuda_asked {
  bool known;
  tl_iteration kind;
  tl_rule rule;
  double lipschitz; /* that they began with */
};

/* Exchanges of a problem of several ranks: bodies and contacts, behind all phases of a sweep, then
 * behind each of them. */
enum { TL_RANKS_BODIES, TL_RANKS_CONTACTS, TL_RANKS_SETTLED, TL_RANKS_PHASE };

/* A list of a halo: places on the device, and as it is staged: what is sent stands before what
 * comes. */
struct tl_cuda_list {
  const int32_t *place;
  int32_t sends, receives;
  tl_halo_list staged;
};

/* What an engine knows of other ranks. Its scalars live on the host: every rank needs the sums of
 * all before it can go on. */
struct tl_cuda_ranks {
  tl_halo *halo; /* NULL: it is alone */
  tl_state state;
  const uint8_t *chunk_role, *unit_own; /* on the device, as is ... */
  const int32_t *number;                /* ... this */
  tl_cuda_list *list;
  tl_cuda_buffer places, packed, digits; /* digits: of exact sums */
  tl_buffer lists, image;
  char *pinned; /* digits, then what is exchanged */
  size_t pinned_bytes;
};

/* Calls of `iterate` until a look or a limit ended them, and what they made. */
struct tl_cuda_calls {
  int32_t count;
  int32_t made[TL_STAGES];
  bool open; /* the last one goes on */
};

struct tl_cuda_engine {
  tl_engine base;
  talus_context *context;
  tl_cuda_device *device;
  tl_cuda_work work;
  tl_control *result; /* [1 + TL_BEHIND] pinned copies for the host: the last, then those behind */
  cudaEvent_t seen[TL_BEHIND]; /* the copies behind have come, see graph_cuda.cu */
  /* see ahead_cuda.cu */
  tl_cuda_judged *judged; /* pinned: the certificate's sums */
  bool built;             /* the problem came in device memory */
  bool taken;             /* there were impulses to begin with */
  bool residual_known;    /* result: at the current impulses */
  bool judged_now;        /* judged, and the arrays behind it: of the current impulses */
  bool judged_kept;       /* the same of those put aside */
  int32_t expected;       /* iterations that the last call took, in tens; 0: not known */
  cudaStream_t target;    /* where kernels go */
  int32_t ready;          /* the last upload succeeded */
  bool palette_known;     /* palette has the colours of now */
  bool loads;             /* launches load kernels and start none */
  bool at_start;          /* no iteration since the start */
  bool start_kept;        /* and its impulses are those put aside */
  bool ends_built;        /* of contacts that came in device memory */
  int32_t since_rebuild;
  int32_t stale;  /* sweeps over rows of W have left V(x) behind */
  int64_t places; /* three-vectors of impulses */
  int32_t colour_count;
  tl_buffer colours;         /* [colour_count + 1] first group of each colour, then their ranges */
  tl_cuda_buffer palette;    /* the first groups on the device */
  tl_cuda_buffer arrays;     /* the problem */
  tl_cuda_buffer impulse;    /* x, x_previous, best, slip */
  tl_cuda_buffer velocity;   /* velocity, velocity_y */
  tl_cuda_buffer trial;      /* trial, velocity_trial; only where a method needs them */
  tl_cuda_buffer partial;    /* control, partial sums */
  tl_cuda_buffer scratch;    /* of sorting */
  tl_cuda_assembly assembly; /* of a problem that came in device memory */
  tl_cuda_ranks ranks;       /* of one of several ranks */
  /* see queue_cuda.cu */
  double started;             /* L of the last start */
  tl_cuda_asked asked;        /* of the next solve, too */
  tl_raw queued_raw;          /* of the solve that is queued, as is ... */
  tl_queue_request request;   /* ... this */
  bool waits_for_answers;     /* it was queued and not dropped */
  int32_t answered;           /* stages of it that were asked for */
  int32_t kept;               /* that after which impulses were put aside */
  int32_t planned[TL_STAGES]; /* iterations of its stages, 0: no stage */
  int32_t restarts;     /* solves, with this one, that restart from nothing where that is better */
  bool restarted;       /* this one has */
  tl_cuda_calls calls;  /* of this solve */
  int32_t results_left; /* that were not asked for yet */
  cudaGraphExec_t graph[TL_GRAPH_COUNT][2][2]; /* by x and x_previous swapped or not, by length */
};

#define TL_LAUNCH(engine, blocks, threads, ...)                                            \
  TL_TRY(tl_cuda_check((engine)->device,                                                   \
                       (engine)->loads ? tl_cuda_load(__VA_ARGS__)                         \
                                       : tl_cuda_start((engine)->device, (engine)->target, \
                                                       (blocks), (threads), __VA_ARGS__),  \
                       "kernel launch", __func__))

/* At the head of every operation. */
#define TL_ENGINE_ENTER(engine)                                                         \
  TL_CUDA_ENTER((engine)->device);                                                      \
  if (!(engine)->ready) {                                                               \
    return tl_fail((engine)->context, TALUS_CALL_ORDER, "the engine holds no problem"); \
  }

/* engine_cuda.cu */
/* After memory was reserved. */
void tl_cuda_bytes_count(tl_cuda_engine *engine);
talus_status tl_cuda_reserve_trial(tl_cuda_engine *engine);
/* Reals of the impulses at its head, and all of its bytes. */
static inline size_t tl_cuda_trial_impulses(const tl_shape *shape) {
  return (3 * (size_t)TL_PLACES(shape) + 31) / 32 * 32;
}
static inline size_t tl_cuda_trial_bytes(const tl_shape *shape) {
  return (tl_cuda_trial_impulses(shape) + (size_t)shape->velocity_size) * sizeof(tl_real);
}
/* Velocities from x, no momentum. A negative L keeps the one the device has. */
talus_status tl_cuda_reset(tl_cuda_engine *engine, double lipschitz);
/* The device learns the rule. */
talus_status tl_cuda_prepare(tl_cuda_engine *engine, const tl_rule *rule);
/* Queues a copy of the first bytes of the scalars to engine->result; of TL_CONTROL_READ, and waits.
 */
talus_status tl_cuda_result_queue(tl_cuda_engine *engine, size_t bytes);
talus_status tl_cuda_result(tl_cuda_engine *engine);

/* The operations. */
extern const tl_engine_ops tl_cuda_engine_ops;

/* queue_cuda.cu */
talus_status tl_cuda_queue(tl_engine *base, const tl_raw *raw, const tl_queue_request *request,
                           bool *queued);
/* A call of `iterate` has made so many; stopped: by a look. */
void tl_cuda_calls_note(tl_cuda_engine *engine, const tl_state *state);
/* At most `count` iterations, which the device was told the rule of and which are not waited for; x
 * and x_previous change places. */
talus_status tl_cuda_gradient_queue(tl_cuda_engine *engine, const tl_rule *rule, int32_t count);
talus_status tl_cuda_sweep_queue(tl_cuda_engine *engine, const tl_rule *rule, int32_t count);

/* ranks_cuda.cu: after an upload; halo NULL: it is alone. */
talus_status tl_cuda_ranks_take(tl_cuda_engine *engine, tl_halo *halo);
void tl_cuda_ranks_release(tl_cuda_engine *engine);
/* Records of an array of velocities, or impulses, between the ranks. */
talus_status tl_cuda_ranks_exchange(tl_cuda_engine *engine, int list, tl_real *array);
/* Sums of all ranks over their own chunks: of first_sum, second_sum and, the third, energy. */
talus_status tl_cuda_ranks_sum(tl_cuda_engine *engine, int count, double *sum);
/* ranks_step_cuda.cu: the operations of an engine that is not alone. They call the halo as the
 * CPU's do, so that ranks of both backends can solve together. */
talus_status tl_cuda_ranks_reset(tl_cuda_engine *engine, double lipschitz);
talus_status tl_cuda_ranks_iterate(tl_cuda_engine *engine, tl_iteration kind, const tl_rule *rule,
                                   int32_t count, tl_state *state, int64_t *passes);
talus_status tl_cuda_ranks_residual(tl_cuda_engine *engine, double squares[2], int64_t *passes);
talus_status tl_cuda_ranks_lipschitz(tl_cuda_engine *engine, int32_t scaled, int32_t count,
                                     double *lambda);

/* upload_cuda.cu */
/* Queues a problem of the last one's bodies, if raw may be that. */
talus_status tl_cuda_upload_queue(tl_cuda_engine *engine, const tl_raw *raw, tl_cuda_aim *aim,
                                  bool *queued);
talus_status tl_cuda_upload(tl_engine *base, const tl_system *system, tl_raw *raw, int32_t threads);

/* graph_cuda.cu: at most `count` iterations; issue queues one and swaps x and x_previous if it
 * must. *stopped: a look has ended them, nothing more need be queued. */
typedef talus_status (*tl_cuda_issue)(tl_cuda_engine *engine);
talus_status tl_cuda_iterate(tl_cuda_engine *engine, int graph, tl_cuda_issue issue,
                             const tl_rule *rule, int32_t count, bool *stopped);
void tl_cuda_graphs_drop(tl_cuda_engine *engine);

/* response_cuda.cu: a unit is what carries velocity: a rigid body, a general block, a row of W. */
/* V, V(y) move on to the impulses x_previous (the new ones); a, and the next step size. */
talus_status tl_cuda_units_step(tl_cuda_engine *engine);
/* V(trial) beside V and V(y); a, and whether the trial is accepted. */
talus_status tl_cuda_units_try(tl_cuda_engine *engine);
/* When a kernel does its work. */
enum {
  TL_ALWAYS,
  TL_RUNNING,  /* unless a look has ended the iterations */
  TL_ACCEPTED, /* then, and only if the trial was accepted */
  TL_RESTARTED /* if a solve that is queued begins from nothing */
};
/* velocity = V(impulse). */
talus_status tl_cuda_units_respond(tl_cuda_engine *engine, const tl_real *impulse,
                                   tl_real *velocity, int when);
/* V moves on to `next` (an array of velocities), V(y) with it, when that is due; the iteration
 * ends. */
talus_status tl_cuda_carry(tl_cuda_engine *engine, const tl_real *next, int when);
/* The end of an iteration whose last kernel does not look by itself. */
talus_status tl_cuda_look(tl_cuda_engine *engine);

talus_status tl_cuda_gradient(tl_engine *base, const tl_rule *rule, int32_t count, tl_state *state,
                              int64_t *passes);
talus_status tl_cuda_backtrack(tl_engine *base, const tl_rule *rule, int32_t count, tl_state *state,
                               int64_t *passes);
talus_status tl_cuda_estimate_lipschitz(tl_engine *base, int32_t scaled, int32_t count,
                                        double *lambda);
talus_status tl_cuda_sweep(tl_engine *base, const tl_rule *rule, int32_t count, tl_state *state,
                           int64_t *passes);
/* caller_cuda.cu */
talus_status tl_cuda_take(tl_engine *base, const tl_caller_array *impulse);
talus_status tl_cuda_judge_kept(tl_engine *base, tl_judge_sums *sums, tl_judge_balance *balance);
talus_status tl_cuda_give(tl_engine *base, tl_result which, const tl_caller_array *array);

talus_status tl_cuda_residual(tl_engine *base, double squares[2], int64_t *passes);
/* Queues the residual; begin: where x was before iterations that x and x_previous change places in,
 * or NULL. */
talus_status tl_cuda_residual_queue(tl_cuda_engine *engine, tl_real *begin);
/* The same after a restart of a solve that is queued. */
talus_status tl_cuda_residual_anew(tl_cuda_engine *engine);

/* ahead_cuda.cu: what the host is going to ask for is queued before it has seen what came
 * before. */
/* The impulses change: nothing is known of them. */
void tl_cuda_forget(tl_cuda_engine *engine);
/* After iterations were queued: queues residual and certificate of the impulses that they lead to,
 * waits, and sets x to them. */
talus_status tl_cuda_end(tl_cuda_engine *engine, tl_real *begin);
/* Queues the certificate of the current impulses, which from then on is known. */
talus_status tl_cuda_judge_now(tl_cuda_engine *engine, tl_real *begin);
/* How many of `count` iterations are queued before the host looks; the first time as many as the
 * last call took. */
int32_t tl_cuda_expect(tl_cuda_engine *engine, const tl_rule *rule, int32_t count);

/* Of a problem that came in device memory, what a pass works on: in a solve that is queued the host
 * does not know which of x and x_previous is which. */
static __device__ __forceinline__ tl_cuda_work tl_work_now(const tl_cuda_work &given) {
  tl_cuda_work work = given;
  if (given.live != NULL && given.control->odd) {
    work.view.x = given.view.x_previous;
    work.view.x_previous = given.view.x;
  }
  return work;
}

static __device__ __forceinline__ bool tl_is_due(const tl_control *control, const int when) {
  return when == TL_ALWAYS || (when == TL_RESTARTED && control->restart) ||
         (when != TL_RESTARTED && !control->state.stopped &&
          (when == TL_RUNNING || control->state.accepted));
}

/* x and x_previous change places. */
static inline void tl_cuda_swap(tl_cuda_engine *engine) {
  tl_real *const x = engine->work.view.x;
  engine->work.view.x = engine->work.view.x_previous;
  engine->work.view.x_previous = x;
}

/* After iterations that began with x here: a look may have ended them at an odd number. */
static inline void tl_cuda_settle(tl_cuda_engine *engine, const tl_real *begin, int32_t made) {
  if ((engine->work.view.x != begin) != (made % 2 != 0)) {
    tl_cuda_swap(engine);
  }
}

/* Number of this thread in the grid; 64 bits, since the last block may reach beyond 2^31. */
static __device__ __forceinline__ int64_t tl_thread_index(void) {
  return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

#endif
