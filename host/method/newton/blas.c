/* blas.c: keeps OpenBLAS, where it is the BLAS at hand, and OpenMP, which CHOLMOD has loops of, to
 * the calling thread during a solve.
 *
 * OpenBLAS's number of threads belongs to the whole process, so this counts who is inside: the
 * first one in notes the number, the last one out sets it back. Other BLAS libraries are left
 * alone. Of OpenMP the number of nested levels is set to none, which is the calling thread's own
 * affair: its threads spin when they wait, and do not survive a fork. */
#define _GNU_SOURCE
#include "host/method/newton/newton.h"

#if TL_HAVE_LAPACK || TL_HAVE_SUITESPARSE
#include <dlfcn.h>
#include <pthread.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static int inside, threads;

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

static void door_lock(void) {
  pthread_mutex_lock(&door);
}

static void door_unlock(void) {
  pthread_mutex_unlock(&door);
}

static void forks_guard(void) {
  (void)pthread_atfork(door_lock, door_unlock, door_unlock);
}

void tl_blas_begin(void) {
  const set_fn set = setter("openblas_set_num_threads");
  const get_fn get = getter("openblas_get_num_threads");
  const set_fn set_levels = setter("omp_set_max_active_levels");
  const get_fn get_levels = getter("omp_get_max_active_levels");
  (void)pthread_once(&once, forks_guard);
  pthread_mutex_lock(&door);
  if (inside++ == 0 && set != NULL && get != NULL) {
    threads = get();
    if (threads != 1) {
      set(1);
    }
  }
  pthread_mutex_unlock(&door);
  levels = set_levels != NULL && get_levels != NULL ? get_levels() : 0;
  if (levels > 0) {
    set_levels(0);
  }
}

void tl_blas_end(void) {
  const set_fn set = setter("openblas_set_num_threads");
  if (levels > 0) {
    setter("omp_set_max_active_levels")(levels);
  }
  pthread_mutex_lock(&door);
  if (--inside == 0 && set != NULL && threads > 1) {
    set(threads);
  }
  pthread_mutex_unlock(&door);
}

#else

void tl_blas_begin(void) {}
void tl_blas_end(void) {}

#endif
