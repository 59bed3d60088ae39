/* batch.h: what the three ways of a batch have in common: threads, and the caller's arrays. */
#ifndef TL_BATCH_H
#define TL_BATCH_H

#include "host/base/base.h"
#include "host/base/structs.h"
#include "host/method/run.h"
#include "talus/talus_solve.h"

typedef struct tl_batch {
  const talus_settings *settings;
  int32_t count;
  tl_struct_array problems, solutions, infos;
  talus_status *statuses;
  bool together; /* small problems are worked on side by side */
} tl_batch;

/* Element i of a caller's array, which has the caller's stride. */
const talus_problem *tl_batch_problem(const tl_batch *b, int32_t i);
/* NULL if there is no such array. */
talus_solution *tl_batch_solution(const tl_batch *b, int32_t i);
talus_info *tl_batch_info(const tl_batch *b, int32_t i);
/* STRUCT_SIZE unless problem, solution and info i have the sizes of the first ones. */
talus_status tl_batch_check(talus_context *context, const tl_batch *b, int32_t i);

int64_t tl_batch_constraints(const talus_problem *problem);

enum {
  TL_WAVE_MOST = 64,   /* constraints of a problem that goes in a wave */
  TL_TOGETHER = 64,    /* problems whose matrices are factored together */
  TL_STEP_ORDER = 1024 /* of these: a larger one fills a device alone, and takes its memory */
};

/* batch_wave.c: problems that a backend takes together, each with its solver. */
typedef struct tl_wave_slot {
  talus_solver *solver; /* destroyed with the wave */
  talus_status status;  /* so far */
  bool sent;            /* the backend has it */
  tl_found found;       /* what the backend made of it */
} tl_wave_slot;

typedef struct tl_wave {
  talus_context *context;
  int32_t capacity;
  tl_buffer items, results, bests, room;
  tl_wave_slot slot[];
} tl_wave;

/* Whether the settings' method can be taken through its plan ahead of the solve. */
bool tl_wave_serves(const talus_settings *settings);
/* Room for so many; the solvers are still to be made. If it fails, there may be one to be
 * closed. */
talus_status tl_wave_open(talus_context *context, int32_t capacity, tl_wave **wave);
void tl_wave_close(tl_wave *wave);
/* Problem i of the batch goes to solver j of the wave, which is to know nothing of those before. */
void tl_wave_update(tl_wave *wave, int32_t j, const tl_batch *b, int32_t i);
/* The same, and it is written out: its status is kept. */
void tl_wave_prepare(tl_wave *wave, int32_t j, const tl_batch *b, int32_t i);
/* The plan, for those of the first `count` that were prepared and are for it. */
talus_status tl_wave_run(tl_wave *wave, const tl_backend *backend, const talus_settings *settings,
                         int32_t count);
/* The rest of the solve. */
talus_status tl_wave_finish(tl_wave *wave, int32_t j, talus_solution *solution, talus_info *info);

typedef struct tl_worker {
  talus_context *context;
  tl_wave *wave;  /* of the worker's own */
  int32_t failed; /* the first problem of this thread that failed; -1: none */
  talus_status status;
  char message[TL_MESSAGE];
} tl_worker;

/* How problem i ended. */
void tl_worker_tell(tl_worker *w, const tl_batch *b, int32_t i, talus_status status);
/* A failure of problem i is noted while the context's message is still its own. */
void tl_worker_warn(tl_worker *w, int32_t i, talus_status status);

/* Problem i by itself, and how it ended. */
void tl_worker_solve(tl_worker *w, const tl_batch *b, int32_t i);

/* Threads with a context and solvers each, kept from batch to batch. */
typedef struct tl_batch_workers {
  talus_settings settings; /* of each solver */
  tl_worker *worker;       /* [threads] */
  int32_t threads;
  bool in_turn;  /* the one worker's context is of the same backend as the batch's */
  bool in_step;  /* these are factored together */
  bool together; /* small problems are worked on side by side */
  tl_wave *wave; /* batch_device.c, when first needed */
} tl_batch_workers;

/* To be closed even if opening failed. */
talus_status tl_batch_workers_open(talus_context *context, const talus_settings *settings,
                                   int32_t threads, tl_batch_workers *workers);
void tl_batch_workers_close(talus_context *context, tl_batch_workers *workers);
/* As talus_solve_batch. */
talus_status tl_batch_workers_solve(talus_context *context, tl_batch_workers *workers,
                                    int32_t count, const talus_problem *problems,
                                    talus_solution *solutions, talus_info *infos,
                                    talus_status *statuses);

/* batch_device.c: whether the context has a device on which so many items of any kind are worth
 * it. */
bool tl_batch_pays(const talus_context *context, int32_t count);
/* Whether the context has a device that is worth it, and the settings a method for it. */
bool tl_batch_on_device(const talus_context *context, const talus_settings *settings,
                        int32_t count);
talus_status tl_batch_device(talus_context *context, tl_batch_workers *workers, const tl_batch *b);

/* batch_step.c: problems whose matrices a device factors, all in the worker's context; what was
 * made is told to the log of `teller`. */
talus_status tl_batch_step(talus_context *teller, tl_worker *worker, const tl_batch *b);

/* batch_together.c: problems index[0 .. count - 1] of the batch, at most TL_TOGETHER. again[i]:
 * that one is to be solved by itself, and nothing was told of it: there were no threads for all, or
 * not the memory. */
void tl_batch_together(talus_context *teller, tl_worker *worker, const tl_batch *b,
                       const int32_t *index, int32_t count, bool *again);

#endif
