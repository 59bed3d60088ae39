/* batch_together.h: what the two files of problems that are factored together share: the group
 * (batch_together.c) and what its lanes ask of the device (batch_requests.c). */
#ifndef TL_BATCH_TOGETHER_H
#define TL_BATCH_TOGETHER_H

#include "host/base/coroutines.h"
#include "host/solve/batch.h"
#include "kernels/dense_backend.h"

/* In the order in which they are fulfilled. */
typedef enum tl_request_kind {
  TL_REQUEST_NONE = 0, /* goes on */
  TL_REQUEST_SOLVE,
  TL_REQUEST_APPLY,
  TL_REQUEST_CREATE,
  TL_REQUEST_FACTOR,
  TL_REQUEST_COUNT
} tl_request_kind;

/* Matrices of one or several problems. */
typedef struct tl_store {
  tl_dense *dense;
  struct tl_store *next;
} tl_store;

typedef struct tl_lane {
  tl_worker worker;
  bool running;
  tl_request_kind kind;
  int32_t order;           /* CREATE */
  tl_dense_matrix *matrix; /* FACTOR */
  tl_dense_vector vector;  /* SOLVE, APPLY */
  tl_dense *dense;         /* of its store, once it was created */
  int32_t slot;
  talus_status status; /* of the request */
} tl_lane;

typedef struct tl_group {
  talus_context *context; /* in which all are solved */
  talus_context *teller;  /* whose log is told */
  const tl_batch *batch;
  const int32_t *index; /* [count] of the problems in the batch */
  bool *again;          /* [count] those that lacked memory */
  const tl_dense_ops *ops;
  tl_coroutines *coroutines;
  tl_store *stores;
  int64_t rounds; /* calls of a store's `factor` */
  int32_t count, present;
  int32_t picked[TL_TOGETHER];
  tl_dense_matrix matrix[TL_TOGETHER];
  tl_dense_vector vector[TL_TOGETHER];
  char message[TL_MESSAGE]; /* of the last request that failed */
  tl_lane lane[TL_TOGETHER];
} tl_group;

/* The lane that is at work. */
static inline tl_lane *tl_lane_present(tl_group *g) {
  return &g->lane[g->present];
}

/* What a lane's linear systems have in place of the backend's operations. The context's `together`
 * is the group. */
extern const tl_dense_ops tl_lane_ops;

/* Fulfils the first kind that is asked for; returns false if nobody asks. */
bool tl_requests_serve(tl_group *g);

#endif
