/* blas.c: keeps OpenBLAS, where it is the BLAS at hand, to the calling thread during a solve.
 *
 * Its number of threads belongs to the whole process, so this counts who is inside: the first one
 * in notes the number, the last one out sets it back. Other BLAS libraries are left alone. */
#define _GNU_SOURCE
#include "host/newton/newton.h"

#if TL_HAVE_LAPACK || TL_HAVE_SUITESPARSE
#include <dlfcn.h>
#include <pthread.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static int inside, threads;

typedef void (*set_fn)(int);
typedef int (*get_fn)(void);

/* A data pointer may not become a function's by assignment; POSIX has it so. */
static set_fn setter(void) {
  set_fn set;
  *(void **)&set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  return set;
}

static get_fn getter(void) {
  get_fn get;
  *(void **)&get = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
  return get;
}

void tl_blas_begin(void) {
  const set_fn set = setter();
  const get_fn get = getter();
  pthread_mutex_lock(&door);
  if (inside++ == 0 && set != NULL && get != NULL) {
    threads = get();
    if (threads != 1) {
      set(1);
    }
  }
  pthread_mutex_unlock(&door);
}

void tl_blas_end(void) {
  const set_fn set = setter();
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
