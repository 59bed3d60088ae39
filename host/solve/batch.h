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

/* batch_device.c: 1 if the context has a device, and the settings a method for it. */
int tl_batch_on_device(const talus_context *context, const tl_batch *b);
talus_status tl_batch_device(talus_context *context, tl_worker *workers, int32_t threads,
                             const tl_batch *b);

#endif
