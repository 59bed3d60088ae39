/* talus_ranks.h: one problem, several ranks: processes of MPI, threads of one process, or whatever
 * else can exchange messages.
 *
 * A context whose def names a transport belongs to one of `size` ranks. Its solvers are then
 * collective: every rank makes the same calls with the same settings, and hands over a piece of the
 * problem: its own bodies and some of the contacts, with problem.ids. The results are those that
 * one context alone finds for the whole problem, to the last bit, on any number of ranks.
 *
 *   talus_transport transport = talus_thread_ranks_transport(ranks, rank);
 *   talus_context_def def = talus_context_def_default();
 *   def.ranks = &transport;
 *
 * A rank that fails tells the others: their calls end with TALUS_RANKS_FAILED and its message.
 *
 * Worlds and scenes of such a context are collective as well: all ranks make the same calls, those
 * that write files (the first one writes) and that read or change bodies or contacts among them: a
 * rank has not all of these. Other defs, files or callbacks on one rank end the call, or the next
 * step, of all with a message. */
#ifndef TALUS_RANKS_H
#define TALUS_RANKS_H

#include "talus_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes for another rank, or from it. */
typedef struct talus_message {
  int32_t rank;
  int32_t unused;
  void *memory;
  int64_t bytes;
} talus_message;

/* How ranks reach each other. Every function is called by all ranks in the same order, returns when
 * this rank's part is done, and gives 0, or anything else once another rank has failed or cannot be
 * reached: no rank waits for one that will not come. TALUS_CALL_ORDER: ranks have made different
 * calls, which threads find out. */
typedef struct talus_transport {
  uint32_t struct_size; /* set by talus_transport_default */
  int32_t rank, size;   /* 0 <= rank < size */
  int32_t unused;
  void *user;
  /* Sends and receives at once; at most one message to and from each other rank, whose lengths
   * both sides know. */
  int (*exchange)(void *user, int32_t send_count, const talus_message *send, int32_t receive_count,
                  const talus_message *receive);
  /* Sums and maxima over all ranks, element by element, in place. */
  int (*sum)(void *user, int64_t *value, int32_t count);
  int (*largest)(void *user, int64_t *value, int32_t count);
  /* `bytes` of each rank, one after the other, into `all`. */
  int (*gather)(void *user, const void *own, int64_t bytes, void *all);
  /* Tells the other ranks that this one gives up. Called by one rank alone, at any time. */
  void (*fail)(void *user, const char *message);
} talus_transport;

TALUS_API void talus_transport_init(talus_transport *transport, size_t size);
static inline talus_transport talus_transport_default(void) {
  talus_transport transport;
  talus_transport_init(&transport, sizeof transport);
  return transport;
}

/* Ranks that are threads of this process, each with a context of its own. */
typedef struct talus_thread_ranks talus_thread_ranks;

/* Statuses: INVALID_ARGUMENT (size below 1), OUT_OF_MEMORY. */
TALUS_API talus_status talus_thread_ranks_create(int32_t size, talus_thread_ranks **ranks);
/* After all contexts that use it. Accepts NULL. */
TALUS_API void talus_thread_ranks_destroy(talus_thread_ranks *ranks);
TALUS_API talus_transport talus_thread_ranks_transport(talus_thread_ranks *ranks, int32_t rank);

#ifdef __cplusplus
}
#endif
#endif
