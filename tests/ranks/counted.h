/* counted.h: what a rank holds and sends: an allocator and a transport that count. */
#ifndef TL_TESTS_COUNTED_H
#define TL_TESTS_COUNTED_H

#include <stdlib.h>
#include <string.h>

#include "talus/talus_ranks.h"

typedef struct counted {
  talus_transport inner, transport;
  int64_t bytes_now, bytes_most;               /* of the context */
  int64_t bytes_sent, exchanges, sums, others; /* others: maxima and gathers */
} counted;

static void *counted_allocate(void *user, size_t bytes) {
  counted *const own = user;
  void *const memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (memory != NULL) {
    own->bytes_now += (int64_t)bytes;
    own->bytes_most = own->bytes_now > own->bytes_most ? own->bytes_now : own->bytes_most;
  }
  return memory;
}

static void counted_release(void *user, void *memory, size_t bytes) {
  counted *const own = user;
  own->bytes_now -= (int64_t)bytes;
  free(memory);
}

static int counted_exchange(void *user, int32_t send_count, const talus_message *send,
                            int32_t receive_count, const talus_message *receive) {
  counted *const own = user;
  for (int32_t i = 0; i < send_count; i++) {
    own->bytes_sent += send[i].bytes;
  }
  own->exchanges++;
  return own->inner.exchange(own->inner.user, send_count, send, receive_count, receive);
}

static int counted_sum(void *user, int64_t *value, int32_t count) {
  counted *const own = user;
  own->sums++;
  return own->inner.sum(own->inner.user, value, count);
}

static int counted_largest(void *user, int64_t *value, int32_t count) {
  counted *const own = user;
  own->others++;
  return own->inner.largest(own->inner.user, value, count);
}

static int counted_gather(void *user, const void *part, int64_t bytes, void *all) {
  counted *const own = user;
  own->others++;
  return own->inner.gather(own->inner.user, part, bytes, all);
}

static void counted_fail(void *user, const char *message) {
  counted *const own = user;
  own->inner.fail(own->inner.user, message);
}

/* One rank's transport and memory, which are counted from 0; ranks NULL: memory alone. */
static void counted_begin(counted *own, talus_thread_ranks *ranks, int32_t rank,
                          talus_context_def *def) {
  memset(own, 0, sizeof *own);
  def->allocate = counted_allocate;
  def->release = counted_release;
  def->allocate_user = own;
  if (ranks == NULL) {
    return;
  }
  own->inner = own->transport = talus_thread_ranks_transport(ranks, rank);
  own->transport.user = own;
  own->transport.exchange = counted_exchange;
  own->transport.sum = counted_sum;
  own->transport.largest = counted_largest;
  own->transport.gather = counted_gather;
  own->transport.fail = counted_fail;
  def->ranks = &own->transport;
}

#endif
