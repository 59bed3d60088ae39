/* batch.h: what the two ways of a batch have in common: threads, and the caller's arrays. */
#ifndef TL_BATCH_H
#define TL_BATCH_H

#include "host/base/base.h"
#include "talus/talus_solve.h"

typedef struct tl_worker {
  talus_context *context;
  talus_solver *solver;
  int32_t failed; /* the first problem of this thread that failed; -1: none */
  talus_status status;
  char message[512];
} tl_worker;

typedef struct tl_batch {
  const talus_settings *settings;
  int32_t count;
  const talus_problem *problems;
  talus_solution *solutions;
  talus_info *infos;
  talus_status *statuses;
} tl_batch;

/* How problem i ended. */
void tl_worker_tell(tl_worker *w, const tl_batch *b, int32_t i, talus_status status);

/* Threads with a context and a solver each, kept from batch to batch. */
typedef struct tl_crew {
  talus_settings settings; /* of each solver */
  tl_worker *worker;       /* [threads] */
  int32_t threads;
  struct tl_wave *wave; /* batch_device.c, when first needed */
} tl_crew;

/* To be closed even if opening failed. */
talus_status tl_crew_open(talus_context *context, const talus_settings *settings, int32_t threads,
                          tl_crew *crew);
void tl_crew_close(talus_context *context, tl_crew *crew);
/* As talus_solve_batch. */
talus_status tl_crew_solve(talus_context *context, tl_crew *crew, int32_t count,
                           const talus_problem *problems, talus_solution *solutions,
                           talus_info *infos, talus_status *statuses);

/* batch_device.c: 1 if the context has a device that is worth it, and the settings a method for it.
 */
int tl_batch_on_device(const talus_context *context, const talus_settings *settings, int32_t count);
talus_status tl_batch_device(talus_context *context, tl_crew *crew, const tl_batch *b);
void tl_wave_close(talus_context *context, tl_crew *crew);

#endif
