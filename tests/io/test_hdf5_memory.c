/* test_hdf5_memory.c: HDF5's own allocations fail at call 1, 2, 3, ...: what could not be read for
 * want of memory is told as that, never as a damaged file, and never passes as read. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "problems.h"
#include "tests/check.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if TL_HAVE_HDF5 && defined(__GLIBC__) && !defined(SANITIZED)

#include <hdf5.h>

#define VISIBLE __attribute__((visibility("default")))

/* In place of the C library's, for the shared libraries of this program too. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static long requests, fail_at; /* fail_at: the request that gets nothing; 0: none */

static int fails(void) {
  const int nothing = fail_at > 0 && ++requests == fail_at;
  errno = nothing ? ENOMEM : errno;
  return nothing;
}

VISIBLE void *malloc(size_t size) {
  return fails() ? NULL : __libc_malloc(size);
}

VISIBLE void *calloc(size_t count, size_t size) {
  return fails() ? NULL : __libc_calloc(count, size);
}

VISIBLE void *realloc(void *memory, size_t size) {
  return fails() ? NULL : __libc_realloc(memory, size);
}

static talus_context *context;

enum { READ = 0, TOLD = 1, NEVER_ASKED = 2, WRONG = 3, DIFFERENT = 4 };

static int same_problem(const talus_problem *a, const talus_problem *b) {
  return a->form == b->form && a->contact_count == b->contact_count &&
         a->bilateral_count == b->bilateral_count &&
         (a->row_lower == NULL) == (b->row_lower == NULL);
}

/* In a process of its own: HDF5 is of no use after such a failure. */
static int read_with_failure(const char *path, const talus_problem *whole, long at) {
  talus_stored *stored = NULL;
  requests = 0;
  fail_at = at;
  const talus_status status = talus_problem_read(context, path, &stored);
  const int asked = requests >= at;
  fail_at = 0;
  if (status == TALUS_OK) {
    const int same = same_problem(whole, &stored->problem);
    return !same ? DIFFERENT : asked ? READ : NEVER_ASKED;
  }
  const int told = status == TALUS_OUT_OF_MEMORY ||
                   strstr(talus_context_message(context), "Cannot allocate memory") != NULL;
  if (!told) {
    printf("request %ld: %s: %s\n", at, talus_status_name(status), talus_context_message(context));
    fflush(stdout);
  }
  return told ? TOLD : WRONG;
}

/* Requests of a read that follows another one. At about one in twenty HDF5 itself crashes or ends
 * the process (H5AC_create, H5I_register), which is its own affair: those are counted. */
static void starve(const char *path) {
  enum { STRIDE = 13 };
  talus_stored *whole = NULL;
  int told = 0, died = 0, code = READ;
  CHECK(talus_problem_read(context, path, &whole) == TALUS_OK);
  H5garbage_collect(); /* what it keeps for the next time */
  for (long at = 1; code != NEVER_ASKED && at < 100000; at += STRIDE) {
    int how = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      (void)!freopen("/dev/null", "w", stderr); /* HDF5's last words */
      _exit(read_with_failure(path, &whole->problem, at));
    }
    CHECK(waitpid(child, &how, 0) == child);
    code = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    CHECK_CASE(code != WRONG && code != DIFFERENT, "%s: request %ld: ended with %d", path, at,
               code);
    told += code == TOLD;
    died += code > DIFFERENT;
  }
  CHECK_CASE(told > 20 && died < told, "%s: %d times told, died %d times", path, told, died);
  talus_stored_destroy(whole);
}

/* A process that may grow by little, before HDF5 has started; its stack needs some of it. */
static void limit(const char *path) {
  int read = 0, told = 0;
  for (int margin = 1; margin <= 24; margin++) {
    int how = 0;
    const pid_t child = fork();
    if (child == 0) {
      volatile char stack[1 << 20]; /* a stack that cannot grow is no failed allocation */
      for (size_t i = 0; i < sizeof stack; i += 1024) {
        stack[i] = 0;
      }
      long pages = 0;
      FILE *file = fopen("/proc/self/statm", "r");
      if (file == NULL || fscanf(file, "%ld", &pages) != 1) {
        _exit(NEVER_ASKED);
      }
      fclose(file);
      const rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (rlim_t)margin * 524288;
      const struct rlimit most = {bytes, bytes};
      talus_stored *stored = NULL;
      setrlimit(RLIMIT_AS, &most);
      const talus_status status = talus_problem_read(context, path, &stored);
      _exit(status == TALUS_OK ? READ : status == TALUS_OUT_OF_MEMORY ? TOLD : WRONG);
    }
    CHECK(waitpid(child, &how, 0) == child);
    const int code = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    CHECK_CASE(code < WRONG, "%s: %d half megabytes more: ended with %d", path, margin, code);
    read += code == READ;
    told += code == TOLD;
  }
  CHECK_CASE(read > 0 && told > 0, "%s: %d times read, %d times no memory", path, read, told);
}

int main(void) {
  sample made;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  sample_rigid(&made, 0, 2);
  const pid_t writer = fork(); /* HDF5 starts there, not here */
  if (writer == 0) {
    _exit(talus_problem_write(context, "rigid.hdf5", &made.problem, NULL) == TALUS_OK ? 0 : 1);
  }
  int how = -1;
  CHECK(waitpid(writer, &how, 0) == writer && how == 0);
  limit("rigid.hdf5");
  starve("rigid.hdf5");
  talus_context_destroy(context);
  return check_end();
}

#else

int main(void) {
  printf("skipped: built without HDF5, with sanitizers, or not on glibc\n");
  return 77;
}

#endif
