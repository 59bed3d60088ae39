/* threads.c: ranks that are threads of one process. They meet at barriers, and read from each
 * other's memory between two of them. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/structs.h"
#include "talus/talus_ranks.h"

enum { BLOCK = 512 }; /* numbers that are reduced between two barriers */

/* The functions of a transport that all ranks call. */
typedef enum call_kind { EXCHANGE, SUM, LARGEST, GATHER } call_kind;

/* One rank, and what it shows to the others. */
typedef struct seat {
  talus_thread_ranks *ranks;
  int32_t rank;
  call_kind call;
  const void *shown;
  int64_t count; /* of numbers, bytes or messages shown */
} seat;

struct talus_thread_ranks {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int32_t size, arrived;
  uint64_t round;
  bool failed, differ; /* differ: since ranks made different calls */
  seat seat[];
};

void talus_transport_init(talus_transport *transport, size_t size) {
  static const talus_transport defaults = {.size = 1};
  tl_struct_init(&tl_struct_transport, &defaults, transport, size);
}

/* Whether ranks make different calls, or one with other lengths; those of messages are looked at
 * one by one. */
static bool calls_differ(const talus_thread_ranks *ranks) {
  const seat *const s = ranks->seat;
  bool differ = false;
  for (int32_t r = 1; r < ranks->size; r++) {
    differ =
        differ || s[r].call != s[0].call || (s[0].call != EXCHANGE && s[r].count != s[0].count);
  }
  return differ;
}

/* Waits for all ranks; the last one looks whether all make the same call. Not 0 if they do not, or
 * if one of them has failed. */
static int meet(talus_thread_ranks *ranks) {
  pthread_mutex_lock(&ranks->lock);
  const uint64_t round = ranks->round;
  if (!ranks->failed && ++ranks->arrived == ranks->size) {
    ranks->differ = ranks->failed = calls_differ(ranks);
    ranks->arrived = 0;
    ranks->round += !ranks->failed;
    pthread_cond_broadcast(&ranks->changed);
  }
  while (round == ranks->round && !ranks->failed) {
    pthread_cond_wait(&ranks->changed, &ranks->lock);
  }
  const bool lost = round == ranks->round, differ = ranks->differ;
  pthread_mutex_unlock(&ranks->lock);
  return !lost ? 0 : differ ? TALUS_CALL_ORDER : TALUS_RANKS_FAILED;
}

static void threads_fail(void *user, const char *message) {
  talus_thread_ranks *const ranks = ((seat *)user)->ranks;
  (void)message;
  pthread_mutex_lock(&ranks->lock);
  ranks->failed = true;
  pthread_cond_broadcast(&ranks->changed);
  pthread_mutex_unlock(&ranks->lock);
}

/* Shows what this rank has, and waits for what the others show. */
static int show(seat *own, call_kind made, const void *memory, int64_t count) {
  own->call = made;
  own->shown = memory;
  own->count = count;
  return meet(own->ranks);
}

/* What rank `from` sends to this one; 0 if it is not of that length. */
static int message_take(const seat *own, const talus_message *wanted) {
  const seat *const from = &own->ranks->seat[wanted->rank];
  const talus_message *const sent = from->shown;
  for (int64_t i = 0; i < from->count; i++) {
    if (sent[i].rank == own->rank && sent[i].bytes == wanted->bytes) {
      memcpy(wanted->memory, sent[i].memory, (size_t)wanted->bytes);
      return 1;
    }
  }
  return 0;
}

static int threads_exchange(void *user, int32_t send_count, const talus_message *send,
                            int32_t receive_count, const talus_message *receive) {
  seat *const own = user;
  const int code = show(own, EXCHANGE, send, send_count);
  if (code != 0) {
    return code;
  }
  for (int32_t i = 0; i < receive_count; i++) {
    if (!message_take(own, &receive[i])) {
      threads_fail(user, "a message is missing");
      return TALUS_CALL_ORDER; /* or with another length */
    }
  }
  return meet(own->ranks);
}

/* Sums or maxima of one block. */
static int block_reduce(seat *own, int64_t *value, int32_t count, bool add) {
  int64_t result[BLOCK];
  const int code = show(own, add ? SUM : LARGEST, value, count);
  if (code != 0) {
    return code;
  }
  for (int32_t i = 0; i < count; i++) {
    result[i] = ((const int64_t *)own->ranks->seat[0].shown)[i];
  }
  for (int32_t r = 1; r < own->ranks->size; r++) {
    const int64_t *const other = own->ranks->seat[r].shown;
    for (int32_t i = 0; i < count; i++) {
      result[i] = add ? result[i] + other[i] : other[i] > result[i] ? other[i] : result[i];
    }
  }
  const int after = meet(own->ranks);
  if (after == 0) {
    memcpy(value, result, (size_t)count * sizeof *value);
  }
  return after;
}

static int reduce(void *user, int64_t *value, int32_t count, bool add) {
  int code = 0;
  for (int32_t first = 0; first < count && code == 0; first += BLOCK) {
    const int32_t left = count - first;
    code = block_reduce(user, value + first, left < BLOCK ? left : BLOCK, add);
  }
  return code;
}

static int threads_sum(void *user, int64_t *value, int32_t count) {
  return reduce(user, value, count, true);
}

static int threads_largest(void *user, int64_t *value, int32_t count) {
  return reduce(user, value, count, false);
}

static int threads_gather(void *user, const void *own_part, int64_t bytes, void *all) {
  seat *const own = user;
  const int code = show(own, GATHER, own_part, bytes);
  if (code != 0) {
    return code;
  }
  for (int32_t r = 0; r < own->ranks->size; r++) {
    memcpy((char *)all + bytes * r, own->ranks->seat[r].shown, (size_t)bytes);
  }
  return meet(own->ranks);
}

talus_status talus_thread_ranks_create(int32_t size, talus_thread_ranks **result) {
  if (result == NULL || size < 1) {
    return TALUS_INVALID_ARGUMENT;
  }
  talus_thread_ranks *const ranks = calloc(1, sizeof *ranks + (size_t)size * sizeof ranks->seat[0]);
  *result = ranks;
  if (ranks == NULL) {
    return TALUS_OUT_OF_MEMORY;
  }
  ranks->size = size;
  for (int32_t r = 0; r < size; r++) {
    ranks->seat[r] = (seat){.ranks = ranks, .rank = r};
  }
  pthread_mutex_init(&ranks->lock, NULL);
  pthread_cond_init(&ranks->changed, NULL);
  return TALUS_OK;
}

void talus_thread_ranks_destroy(talus_thread_ranks *ranks) {
  if (ranks != NULL) {
    pthread_cond_destroy(&ranks->changed);
    pthread_mutex_destroy(&ranks->lock);
    free(ranks);
  }
}

talus_transport talus_thread_ranks_transport(talus_thread_ranks *ranks, int32_t rank) {
  talus_transport transport = talus_transport_default();
  if (ranks != NULL && rank >= 0 && rank < ranks->size) {
    transport.rank = rank;
    transport.size = ranks->size;
    transport.user = &ranks->seat[rank];
    transport.exchange = threads_exchange;
    transport.sum = threads_sum;
    transport.largest = threads_largest;
    transport.gather = threads_gather;
    transport.fail = threads_fail;
  }
  return transport;
}
