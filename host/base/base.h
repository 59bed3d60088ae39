/* base.h: what every room of the library needs: context, messages, memory, clock.
 *
 * The library keeps no mutable globals; everything hangs on the context. */
#ifndef TL_BASE_H
#define TL_BASE_H

#include <stdarg.h>
#include <stdbool.h>

#include "talus/talus_base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tl_backend;
struct tl_dense_ops;
struct tl_workers;

enum { TL_MESSAGE = 1024 }; /* bytes of a message: lists of all keys of a scene fit */

/* What a context has asked of its device; the CPU's stay 0. */
typedef struct tl_device_counts {
  int64_t launches;    /* of kernels and primitives, one by one */
  int64_t graphs;      /* launched */
  int64_t copies;      /* and fills of memory */
  int64_t waits;       /* of the host for the device */
  int64_t allocations; /* of device memory */
  int64_t recordings;  /* of graphs */
  int64_t bytes;       /* over the bus, either way */
} tl_device_counts;

struct talus_context {
  talus_context_def def;
  uint32_t magic;     /* TL_CONTEXT_MAGIC from creation to destruction, see tl_context_check */
  int32_t holders;    /* the caller until destruction, and each solver: the last one frees it */
  const char *notice; /* a fixed text in place of the message, or NULL; set from any thread */
  const struct tl_backend *backend; /* chosen for this context, cpu or cuda */
  void *device;                     /* what the backend keeps per context, or NULL */
  tl_device_counts counts;
  const struct tl_dense_ops *dense; /* in place of the backend's, for solves of a batch ... */
  void *together;                   /* ... whose factors are made together; NULL: the backend's */
  bool halved;  /* see talus_precision_auto: single precision is much faster here */
  bool undense; /* the device has no library for dense factors, which was told */
  int32_t threads;
  struct tl_workers *workers; /* threads for loops, see each.h; NULL: none */
  int64_t bytes;              /* atomic: memory handed out and not yet taken back */
  uintptr_t owner;            /* atomic: the thread that is at work in it, 0: none */
  int32_t depth;              /* how often the owner has come in */
  bool told;                  /* the other ranks know of the failure that has the message */
  char message[TL_MESSAGE];
};

enum { TL_CONTEXT_MAGIC = 0x7a11c0de };

/* Asks for the memory that a loop reads some turns later. A macro, since gcc leaves out calls of a
 * function that only asks. */
#define TL_PREFETCH(address) __builtin_prefetch(address)

/* Returns from the calling function unless the call was carried out. */
#define TL_TRY(call)                        \
  do {                                      \
    const talus_status tl_status_ = (call); \
    if (tl_status_ != TALUS_OK) {           \
      return tl_status_;                    \
    }                                       \
  } while (0)

/* Jumps to the one clean-up label, leaving the status in `status`. */
#define TL_TRY_GOTO(call, label) \
  do {                           \
    status = (call);             \
    if (status != TALUS_OK) {    \
      goto label;                \
    }                            \
  } while (0)

/* Texts as GNU's printf takes them: MinGW's own knows no z. */
#ifdef __MINGW32__
#define TL_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define TL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#endif

/* Words the message and returns the status. */
talus_status tl_fail(talus_context *context, talus_status status, const char *format, ...)
    TL_PRINTF(3, 4);
/* The same with a fixed text, for calls that are refused because another thread may be wording a
 * message just now. */
talus_status tl_refuse(talus_context *context, talus_status status, const char *text);
/* INVALID_ARGUMENT unless it is a context that was created successfully and not destroyed since, as
 * far as its memory tells. */
talus_status tl_context_check(talus_context *context);
/* One thread at a time is at work in a context: BUSY for a second one. The owner may come in again:
 * a world's step solves, a callback may use another solver. */
talus_status tl_context_enter(talus_context *context);
void tl_context_leave(talus_context *context);
/* Leaves the context to whoever takes it next; BUSY if the owner is inside more than once. */
talus_status tl_context_hand_over(talus_context *context);
void tl_context_take(talus_context *context);

/* A context stays in memory until everyone who holds it has let go, so that a solver which outlives
 * it can tell. */
void tl_context_hold(talus_context *context);
void tl_context_let_go(talus_context *context);
void tl_log(talus_context *context, talus_log_level level, const char *format, ...) TL_PRINTF(3, 4);

/* Memory of the context, aligned to 64 bytes. tl_alloc fails with OUT_OF_MEMORY, the message naming
 * what was wanted; count * size is checked for overflow; 0 elements give a valid pointer. */
talus_status tl_alloc(talus_context *context, void **memory, size_t count, size_t size,
                      const char *what);
void tl_free(talus_context *context, void *memory);

/* An array that grows and is kept: room for count elements, contents not preserved. */
typedef struct tl_buffer {
  void *memory;
  size_t capacity; /* bytes */
} tl_buffer;
talus_status tl_buffer_reserve(talus_context *context, tl_buffer *buffer, size_t count, size_t size,
                               const char *what);
void tl_buffer_release(talus_context *context, tl_buffer *buffer);

/* 1 in a process that was forked off after the context was made: its threads stayed behind. */
bool tl_context_forked(const talus_context *context);
/* Threads that the context has; 1 if it was forked. */
int32_t tl_context_threads(const talus_context *context);
/* Threads for `count` independent pieces of work: as many as the caller asked for by number, else
 * as many as there are, but no more than the work is worth waking. Results never depend on it. */
int32_t tl_threads_for(const talus_context *context, int64_t count);

/* Seconds of a monotonic clock. */
double tl_clock(void);

/* a * b, or SIZE_MAX if that overflows: no allocation of that size can succeed. */
size_t tl_size_product(size_t a, size_t b);

#ifdef __cplusplus
}
#endif

#endif
