/* talus_base.h: what every part of Talus shares: export macro, version, status, context.
 *
 * Conventions of the whole library
 *   units      any consistent set; SI in the comments (m, kg, s, N s)
 *   numbers    double at the border, or float where a layout says so (talus_solve.h)
 *   indices    int32_t for bodies, blocks, rows and columns; int64_t for offsets into long arrays
 *   ownership  who creates destroys; inputs are const; outputs go to arrays the caller owns
 *   threads    one context may be used by one thread at a time; several contexts may run at once.
 *              Where a second thread is seen (solves, batches, certificates, steps of worlds and
 *              fleets) it is sent away with BUSY; callbacks may come in again
 *   fork       in a child process a context of the parent's goes on with one thread and the same
 *              bits (one on a CUDA device does not go on); contexts made there have threads again
 *   structs    one with struct_size is filled by talus_<x>_default() and then changed; a plain one
 *              is set member by member
 *
 * Compatibility. A program that was compiled with release 0.2.0 or later runs on every later
 * library whose shared object has the same number, TALUS_ABI_VERSION: libtalus.so.1. The number
 * changes with the first release that cannot keep this promise.
 *
 *   functions  None is removed, none changes its arguments. Enums gain values at the end.
 *   structs    One with struct_size gains members at the end; a plain one never changes.
 *              struct_size says which members the program knows: talus_<x>_default is compiled
 *              into the program and hands that size to talus_<x>_init of the library. Members that
 *              the program does not know have their defaults, and are not written.
 *   arrays     Elements with a struct_size all have the first one's.
 *   parts      A struct inside another that has a struct_size too has room there to grow (the
 *              member ..._room, not to be used). It may be assigned as a whole.
 *   newer      A newer program on an older library: what the library does not know reads 0, and
 *              must stay 0. A call that is handed anything else returns STRUCT_SIZE and says so.
 *
 * Other languages call talus_<x>_init(pointer, size) themselves, and then set the struct_size of a
 * part to the size that they know of it.
 *
 * Valid C11 and C++11. Nothing here prints, exits, aborts or asserts on a caller's input. */
#ifndef TALUS_BASE_H
#define TALUS_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(TALUS_STATIC)
#define TALUS_API
#elif defined(_WIN32) && defined(TALUS_BUILD) /* the library itself is compiled */
#define TALUS_API __declspec(dllexport)
#elif defined(_WIN32)
#define TALUS_API
#elif defined(__GNUC__)
#define TALUS_API __attribute__((visibility("default")))
#else
#define TALUS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define TALUS_VERSION_MAJOR 0
#define TALUS_VERSION_MINOR 2
#define TALUS_VERSION_PATCH 0

/* The number in the shared library's name: see Compatibility above. */
#define TALUS_ABI_VERSION 1

/* The version of the library that is running, "major.minor.patch". Never NULL. */
TALUS_API const char *talus_version(void);

/* A status says whether a call was carried out. What a solver *found* is an outcome
 * (talus_solve.h): reaching the iteration limit is an outcome, never an error. */
#define TALUS_STATUS_LIST(X)                                                                   \
  X(OK, "ok")                                                                                  \
  X(INVALID_ARGUMENT, "an argument is missing or makes no sense")                              \
  X(STRUCT_SIZE, "a struct was not filled by its _default function, or is of a newer release") \
  X(CALL_ORDER, "the call came before the one it needs")                                       \
  X(OUT_OF_MEMORY, "out of memory")                                                            \
  X(SIZE_OVERFLOW, "a size is negative or too large")                                          \
  X(MISSING_ARRAY, "an array that the problem's form needs is NULL")                           \
  X(NOT_FINITE, "an input is NaN or infinite")                                                 \
  X(INDEX_RANGE, "an index points outside its array")                                          \
  X(NEGATIVE_MASS, "a mass or inertia is negative or not positive definite")                   \
  X(NEGATIVE_FRICTION, "a friction coefficient is negative or above 1e6")                      \
  X(NORMAL_LENGTH, "a contact normal is not of length one")                                    \
  X(IMMOVABLE_PAIR, "both sides of a contact or row are immovable")                            \
  X(BAD_DIAGONAL, "a diagonal block of the contact matrix has no positive trace")              \
  X(MATRIX_FORMAT, "a matrix's storage contradicts itself")                                    \
  X(BAD_STRIDE, "a stride or an address does not suit the array's numbers")                    \
  X(WRONG_MEMORY, "an array is not in the memory it was said to be in")                        \
  X(BAD_SETTING, "a setting is out of range or unknown")                                       \
  X(UNSUPPORTED, "this combination is not supported")                                          \
  X(BACKEND_ABSENT, "this build of Talus lacks the backend")                                   \
  X(DEVICE_ABSENT, "no usable device was found")                                               \
  X(DEVICE_ERROR, "a device call failed")                                                      \
  X(FILE_OPEN, "a file could not be opened")                                                   \
  X(FILE_FORMAT, "a file is not what it claims to be")                                         \
  X(FILE_WRITE, "a file could not be written")                                                 \
  X(STEP_FAILED, "a time step could not be solved to the accepted tolerance")                  \
  X(INTERNAL, "an internal invariant failed: please report it")                                \
  X(BAD_BOUNDS, "bounds of an impulse are NaN or leave no room between them")                  \
  X(BUSY, "another thread is at work in this object: one at a time")                           \
  X(RANKS_FAILED, "another rank has failed, was given something else, or cannot be reached")

typedef enum talus_status {
#define TALUS_STATUS_ENUM(name, text) TALUS_##name,
  TALUS_STATUS_LIST(TALUS_STATUS_ENUM)
#undef TALUS_STATUS_ENUM
      TALUS_STATUS_COUNT
} talus_status;

/* The name ("INDEX_RANGE") and a one-line text of a status. Never NULL. */
TALUS_API const char *talus_status_name(talus_status status);
TALUS_API const char *talus_status_text(talus_status status);

typedef enum talus_log_level {
  TALUS_LOG_WARNING = 1, /* something the caller should know */
  TALUS_LOG_INFO = 2,    /* choices made: method, recognised form, fall-back */
  TALUS_LOG_DEBUG = 3
} talus_log_level;

/* Receives one message without newline. */
typedef void (*talus_log_fn)(void *user, talus_log_level level, const char *message);
/* allocate returns size bytes aligned to 64, or NULL; release takes what allocate returned. */
typedef void *(*talus_allocate_fn)(void *user, size_t size);
typedef void (*talus_release_fn)(void *user, void *memory, size_t size);

typedef enum talus_backend_kind {
  TALUS_BACKEND_AUTO = 0, /* cuda where a device is there and the problem large enough, else cpu */
  TALUS_BACKEND_CPU = 1,
  TALUS_BACKEND_CUDA = 2
} talus_backend_kind;

struct talus_transport;

typedef struct talus_context_def {
  uint32_t struct_size;       /* set by talus_context_def_default */
  int32_t threads;            /* CPU threads; 0 = as many as the process may run on, or as
                                 OMP_NUM_THREADS says. They are started when a loop first wants
                                 them, and sleep soon after each. Default 0 */
  talus_backend_kind backend; /* default TALUS_BACKEND_AUTO */
  int32_t device;             /* CUDA device; 0, the default: ranks without a stream take turns */
  void *stream;               /* cudaStream_t of the caller, or NULL: the context makes its own */
  talus_allocate_fn allocate; /* default NULL: the C library's. Both or none */
  talus_release_fn release;
  void *allocate_user;
  talus_log_fn log; /* default NULL: silent */
  void *log_user;
  int32_t
      single_blas; /* 1: OpenBLAS has one thread while a second-order method factors: faster where
                          matrices are small, and the same bits whatever OPENBLAS_NUM_THREADS says.
                          Its number of threads belongs to the whole process, so this is for
                          programs that use BLAS for nothing else at the time. 0 (default): it is
                          left alone */
  int32_t unused;
  /* How this rank reaches the others, see talus_ranks.h; kept by the caller as long as the context
   * lives. Default NULL: there are none */
  const struct talus_transport *ranks;
} talus_context_def;

TALUS_API void talus_context_def_init(talus_context_def *def, size_t size);
static inline talus_context_def talus_context_def_default(void) {
  talus_context_def def;
  talus_context_def_init(&def, sizeof def);
  return def;
}

/* A context owns threads, device, stream, allocator, log and the last message. */
typedef struct talus_context talus_context;

/* Creates a context. def may be NULL for the defaults. Statuses: STRUCT_SIZE, INVALID_ARGUMENT,
 * OUT_OF_MEMORY, BACKEND_ABSENT or DEVICE_ABSENT (CUDA asked for by name and not to be had; with
 * AUTO the CPU is taken instead). On failure *context is NULL unless a message could be kept, in
 * which case it holds a context good only for talus_context_message and talus_context_destroy. */
TALUS_API talus_status talus_context_create(const talus_context_def *def, talus_context **context);
/* Accepts NULL. Solvers that were made from the context refuse every call from now on
 * (INVALID_ARGUMENT) and are destroyed as usual; whatever else was made from it (worlds,
 * mechanisms, files) must have been destroyed before. */
TALUS_API void talus_context_destroy(talus_context *context);

/* What went wrong in the last failed call, in words, with field and index. Never NULL; belongs to
 * the context, valid until its next call. Of a context that was destroyed nothing can be promised,
 * but calls look for one and refuse it (INVALID_ARGUMENT) as long as its memory shows it. */
TALUS_API const char *talus_context_message(const talus_context *context);

/* The backend this context runs on: "cpu" or "cuda". */
TALUS_API const char *talus_context_backend(const talus_context *context);
/* Its CPU threads; 1 in a process that was forked off after the context was made. */
TALUS_API int32_t talus_context_threads(const talus_context *context);

/* How this library was built, and what this machine offers, for people: several lines of text.
 * Writes at most capacity bytes, always terminated. */
TALUS_API void talus_build_text(char *text, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
