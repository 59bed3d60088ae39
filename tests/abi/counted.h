/* counted.h: the C library's allocation functions, counted. For a program that is linked with the C
 * library of GNU: its own functions take the place of malloc and the rest in every library of the
 * program, so that LAPACK's and CHOLMOD's requests count too. Not under sanitizers, which
 * do the same. */
#ifndef TL_TESTS_COUNTED_H
#define TL_TESTS_COUNTED_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTED 1

static long counted_requests; /* atomic */
static int counted_keep;      /* 1: free keeps the memory as it is */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static void counted_add(void) {
  __atomic_add_fetch(&counted_requests, 1, __ATOMIC_RELAXED);
}

void *malloc(size_t size) {
  counted_add();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  counted_add();
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  counted_add();
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  counted_add();
  return __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size) {
  counted_add();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  counted_add();
  *memory = __libc_memalign(alignment, size);
  return *memory != NULL ? 0 : ENOMEM;
}

void free(void *memory) {
  if (!__atomic_load_n(&counted_keep, __ATOMIC_RELAXED)) {
    __libc_free(memory);
  }
}

static inline long counted_now(void) {
  return __atomic_load_n(&counted_requests, __ATOMIC_RELAXED);
}
#else
#define COUNTED 0
#endif

#endif
