/* backend.h: THE SEAM. All that the algorithms of host/solve know of the hardware.
 *
 * A backend makes engines; an engine holds one contact problem with the state of its solution, in
 * one precision. The functions stand at the height of a phase (some iterations), so that a backend
 * can fuse kernels, record graphs and keep step size, momentum and restart tests to itself.
 * Twenty functions: eight of the backend, twelve of the engine.
 *
 * The same calls give the same bits on every backend of the same precision. */
#ifndef TL_BACKEND_H
#define TL_BACKEND_H

#include <stdbool.h>

#include "kernels/conquer_batch.h"
#include "kernels/data/caller_array.h"
#include "kernels/data/queued.h"
#include "kernels/data/system.h"
#include "kernels/item/judge_rigid.h"
#include "kernels/item/state.h"
#include "kernels/small_batch.h"
#include "talus/talus_solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Items have no public headers, and yet the same laws. */
#ifdef __cplusplus
static_assert((int)TL_LAW_COULOMB == (int)TALUS_LAW_COULOMB &&
                  (int)TL_LAW_CCP == (int)TALUS_LAW_CCP,
              "laws");
#else
_Static_assert((int)TL_LAW_COULOMB == (int)TALUS_LAW_COULOMB &&
                   (int)TL_LAW_CCP == (int)TALUS_LAW_CCP,
               "laws");
#endif

typedef struct tl_engine tl_engine;

/* Where an engine begins. */
typedef enum tl_start {
  TL_START_GIVEN = 0, /* impulses that are given, or 0 */
  TL_START_KEPT = 1   /* the impulses put aside */
} tl_start;

/* Arrays of a solution. */
typedef enum tl_result {
  TL_RESULT_IMPULSE,
  TL_RESULT_VELOCITY, /* of bodies: all six numbers, or the linear three */
  TL_RESULT_ANGULAR,
  TL_RESULT_CONTACT_VELOCITY,
  TL_RESULT_COUNT
} tl_result;

/* What a solve of a problem in device memory is expected to be asked for. */
typedef struct tl_queue_request {
  tl_caller_array impulse;                 /* to begin with */
  tl_caller_array result[TL_RESULT_COUNT]; /* array NULL: not wanted */
  int32_t law;                             /* talus_law */
  double tolerance; /* impulses to begin with that have R(x) <= tolerance R(0) end the solve, later
                       ones by what is moving (problem.velocity_scale), if that is more */
  double velocity_scale;
  const double *velocity_scale_at; /* NULL, or where it is */
  int32_t max_iterations;
} tl_queue_request;

/* Kinds of iterations; item/state.h has what they follow, tl_rule. */
typedef enum tl_iteration {
  TL_ITERATE_GRADIENT = 0,  /* projected Jacobi, APGDB or the spectral method; one pass each */
  TL_ITERATE_BACKTRACK = 1, /* trials of APGD as published; one pass each */
  TL_ITERATE_SWEEP = 2 /* coloured Gauss-Seidel sweeps, with or without momentum; one pass each, and
                          one more for each rebuilding of the velocities. Over rows of W velocities
                          are not carried along: start before steps of another kind */
} tl_iteration;

typedef struct tl_engine_ops {
  void (*destroy)(tl_engine *engine);
  /* Takes a problem; the system stays the caller's and must outlive the engine's use of it.
   * Memory is kept from one upload to the next and grows as needed. raw: NULL, or what a device
   * is to build the system from; its results are written there, and `system` is not read. */
  talus_status (*upload)(tl_engine *engine, const tl_system *system, tl_raw *raw, int32_t threads);
  /* Begins at the given impulses (internal order, three each; NULL = 0) or at those put aside,
   * rebuilds the velocities, forgets momentum, sets L. */
  talus_status (*start)(tl_engine *engine, tl_start from, const double *impulse, double lipschitz);
  /* `count` iterations; *passes is raised by the passes that they took. */
  talus_status (*iterate)(tl_engine *engine, tl_iteration kind, const tl_rule *rule, int32_t count,
                          tl_state *state, int64_t *passes);
  /* R(x)^2 by law (talus_law) at the current impulses; one pass, and one more to
   * rebuild V(x) after sweeps over rows of W. A device computes it, and the certificate's sums,
   * along with the iterations before, so that they are waited for once. */
  talus_status (*residual)(tl_engine *engine, double squares[TL_LAW_COUNT], int64_t *passes);
  /* Puts the current impulses aside. */
  talus_status (*keep)(tl_engine *engine);
  /* Largest eigenvalue of S^-1 W by `count` power iterations, one pass each; scale 0: of W. Leaves
   * the impulses but forgets momentum. */
  talus_status (*estimate_lipschitz)(tl_engine *engine, int32_t scaled, int32_t count,
                                     double *lambda);
  /* The impulses put aside, internal order. */
  talus_status (*finish)(tl_engine *engine, double *impulse);
  /* For problems that an upload has built from raw arrays, which then need not come to the host;
   * NULL in engines that build none.
   * Puts impulses of the caller's aside. */
  talus_status (*take)(tl_engine *engine, const tl_caller_array *impulse);
  /* Sums of the certificate over the impulses put aside, from the raw arrays. */
  talus_status (*judge)(tl_engine *engine, tl_judge_sums *sums, tl_judge_balance *balance);
  /* Writes an array of the caller's, as it was judged. */
  talus_status (*give)(tl_engine *engine, tl_result which, const tl_caller_array *array);
  /* Queues a whole solve: an upload of the last problem's bodies, impulses taken, and unless they
   * are good enough, iterations and residuals as the last solve took them, certificate, results.
   * *queued: that can be expected. Once it was waited for, the operations above are called as ever,
   * up to the last `give`: they do nothing but tell what was found. Where more is wanted they go on
   * from there (`went_on`, results were written too early), or, where it was another solve, return
   * TL_NOT_QUEUED; both times they are themselves again. raw NULL: they are themselves again. */
  talus_status (*queue)(tl_engine *engine, const tl_raw *raw, const tl_queue_request *request,
                        bool *queued);
} tl_engine_ops;

/* Every engine begins with its operations. */
struct tl_engine {
  const tl_engine_ops *ops;
  int64_t bytes; /* memory held, host and device; kept true by the engine */
  bool strange;  /* impulses that were taken are not all numbers; known after a residual */
  bool went_on;  /* a solve that was queued needed more than that, and was made on from there */
  bool asks;     /* the last solve began by estimating L: one like it cannot be queued */
};

typedef struct tl_backend {
  const char *name;
  talus_backend_kind kind;
  /* Makes the context ready (device, stream); leaves what it keeps in context->device. */
  talus_status (*open)(talus_context *context);
  void (*close)(talus_context *context);
  /* A line or more for people: what this backend is and finds on this machine. */
  void (*describe)(char *text, size_t capacity);
  /* Moves an array of the caller's in this backend's memory to or from its packed counterpart on
   * the host, or looks where it is (field.h). An array of zero elements is not touched. */
  talus_status (*copy_array)(talus_context *context, const tl_caller_array *field, void *packed,
                             tl_copy_mode way);
  talus_status (*create)(talus_context *context, talus_precision precision, tl_engine **engine);
  /* Bytes of host and of device memory that an engine takes at the most for a problem of this shape
   * that comes as a system. NULL: no device memory; host/solve counts the engine with the rest. */
  talus_status (*estimate_memory)(talus_context *context, talus_precision precision,
                                  const tl_shape *shape, int64_t *host, int64_t *device);
  /* Takes each of many small problems through as many phases as it needs, independently of the
   * others, in double precision; no engine is involved. */
  talus_status (*small)(talus_context *context, const tl_small_batch *batch);
  /* Forward dynamics of many mechanisms, each by divide and conquer. */
  talus_status (*conquer)(talus_context *context, const tl_conquer_batch *batch);
} tl_backend;

extern const tl_backend tl_backend_cpu;
extern const tl_backend tl_backend_cuda; /* only if built with CUDA */

#ifdef __cplusplus
}
#endif

#endif
