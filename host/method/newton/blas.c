/* blas.c: BLAS during a second-order solve: its threads and its memory.
 *
 * OpenBLAS's number of threads belongs to the whole process. It is set to one only for contexts
 * that ask for it (single_blas): the first of them that begins keeps the number, the last one that
 * ends sets it back. Other BLAS libraries are left alone. CHOLMOD has loops of OpenMP, whose
 * threads spin when they wait and do not survive a fork: the number of nested levels, which every
 * thread has for itself, is set to none.
 *
 * OpenBLAS maps a work buffer for each thread that is inside it at the same time, keeps it, and
 * where the address space has no room (ulimit -v) tries again without end. So room is asked for
 * before, and the buffers are mapped here. */
#define _GNU_SOURCE
#include "host/method/newton/newton.h"

#if TL_HAVE_LAPACK || TL_HAVE_SUITESPARSE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

enum {
  BUFFER_MB = 160,   /* more than a buffer of OpenBLAS takes: 128 MB, or 32 in older ones */
  BUFFERS_MOST = 32, /* threads for which buffers are mapped beforehand */
};

/* Counts of the process, behind the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int solves;        /* under way */
static int single_solves; /* of these, those with single_blas */
static int threads;       /* that OpenBLAS had before the first of them */
static int buffers;       /* that OpenBLAS has, at least */

/* The calling thread's levels of OpenMP, to be set back; 0: nothing to do. */
static _Thread_local int levels;

typedef void (*set_fn)(int);
typedef int (*get_fn)(void);

/* A data pointer may not become a function's by assignment; POSIX has it so. */
static set_fn setter(const char *name) {
  set_fn set;
  *(void **)&set = dlsym(RTLD_DEFAULT, name);
  return set;
}

static get_fn getter(const char *name) {
  get_fn get;
  *(void **)&get = dlsym(RTLD_DEFAULT, name);
  return get;
}

/* A fork does not take place while a thread that stays behind holds the lock. */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void lock_take(void) {
  pthread_mutex_lock(&lock);
}

static void lock_release(void) {
  pthread_mutex_unlock(&lock);
}

static void forks_guard(void) {
  (void)pthread_atfork(lock_take, lock_release, lock_release);
}

typedef void *(*map_fn)(int);
typedef void (*unmap_fn)(void *);

/* Whether a buffer could be mapped. */
static bool has_room(void) {
  const size_t size = (size_t)BUFFER_MB << 20;
  void *const room =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return room != MAP_FAILED && munmap(room, size) == 0;
}

/* Makes OpenBLAS have `wanted` buffers: it maps a new one when all others are taken, so that many
 * are taken at once. Returns whether there was room for them. */
static bool buffers_map(int wanted) {
  void *taken[BUFFERS_MOST];
  int count = 0;
  bool good = true;
  map_fn map;
  unmap_fn unmap;
  *(void **)&map = dlsym(RTLD_DEFAULT, "blas_memory_alloc");
  *(void **)&unmap = dlsym(RTLD_DEFAULT, "blas_memory_free");
  if (map == NULL || unmap == NULL || wanted > BUFFERS_MOST) {
    return true;
  }
  while (good && count < wanted) {
    good = has_room();
    if (good) {
      taken[count++] = map(0);
    }
  }
  for (int i = 0; i < count; i++) {
    unmap(taken[i]);
  }
  buffers = good ? wanted : buffers;
  return good;
}

/* Sets OpenBLAS to one thread, or back. */
static void threads_set(bool single) {
  const set_fn set = setter("openblas_set_num_threads");
  const get_fn get = getter("openblas_get_num_threads");
  if (set == NULL || get == NULL) {
    return;
  }
  if (single) {
    threads = get();
  }
  if (threads != 1) {
    set(single ? 1 : threads);
  }
}

/* Buffers for one more solve, and for the threads of OpenBLAS that help it. */
static bool buffers_reserve(bool single) {
  const get_fn get = getter("openblas_get_num_threads");
  const int wanted = solves + (single || get == NULL ? 1 : get());
  return wanted <= buffers || buffers_map(wanted);
}

talus_status tl_blas_begin(talus_context *context) {
  const bool single = context->def.single_blas != 0;
  const set_fn set_levels = setter("omp_set_max_active_levels");
  const get_fn get_levels = getter("omp_get_max_active_levels");
  (void)pthread_once(&once, forks_guard);
  pthread_mutex_lock(&lock);
  if (!buffers_reserve(single)) {
    pthread_mutex_unlock(&lock);
    return tl_fail(context, TALUS_OUT_OF_MEMORY,
                   "BLAS has no memory for its work buffer (%d MB of address space): raise the "
                   "limit (ulimit -v) or use a first-order method",
                   BUFFER_MB);
  }
  solves++;
  if (single && single_solves++ == 0) {
    threads_set(true);
  }
  pthread_mutex_unlock(&lock);
  levels = set_levels != NULL && get_levels != NULL ? get_levels() : 0;
  if (levels > 0) {
    set_levels(0);
  }
  return TALUS_OK;
}

void tl_blas_end(const talus_context *context) {
  if (levels > 0) {
    setter("omp_set_max_active_levels")(levels);
  }
  pthread_mutex_lock(&lock);
  assert(solves > 0 && single_solves <= solves);
  solves--;
  if (context->def.single_blas != 0 && --single_solves == 0) {
    threads_set(false);
  }
  pthread_mutex_unlock(&lock);
}

#else

talus_status tl_blas_begin(talus_context *context) {
  (void)context;
  return TALUS_OK;
}

void tl_blas_end(const talus_context *context) {
  (void)context;
}

#endif
