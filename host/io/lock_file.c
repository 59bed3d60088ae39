/* lock_file.c: see lock_file.h. The file is deleted at the end, so that whoever waited for its lock
 * may hold one of a file that is no longer there: the name has to lead to the locked file. */
#define _DEFAULT_SOURCE
#include "host/io/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* "process 123 on ship", or what is known of it. */
static void holder_read(int file, char *text, size_t capacity) {
  const ssize_t got = pread(file, text, capacity - 1, 0);
  text[got > 0 ? got : 0] = '\0';
  text[strcspn(text, "\n")] = '\0';
  if (text[0] == '\0') {
    snprintf(text, capacity, "another process");
  }
}

static void holder_write(int file) {
  char host[64] = "", text[128];
  if (gethostname(host, sizeof host - 1) != 0) {
    snprintf(host, sizeof host, "this machine");
  }
  const int length = snprintf(text, sizeof text, "process %ld on %s\n", (long)getpid(), host);
  /* for a message alone: a full disk is told by the files that matter */
  if (ftruncate(file, 0) == 0 && pwrite(file, text, (size_t)length, 0) != length) {
    ftruncate(file, 0);
  }
}

/* Whether the path still leads to the open file. */
static bool is_there(int file, const char *path) {
  struct stat here, there;
  return fstat(file, &here) == 0 && stat(path, &there) == 0 && here.st_ino == there.st_ino &&
         here.st_dev == there.st_dev;
}

static talus_status lock_open(talus_context *context, const char *directory, tl_lock *lock) {
  lock->file = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock->file < 0) {
    return tl_fail(context, TALUS_FILE_WRITE, "%s cannot be written to: %s", directory,
                   strerror(errno));
  }
  int taken;
  do {
    taken = flock(lock->file, LOCK_EX | LOCK_NB);
  } while (taken != 0 && errno == EINTR);
  if (taken == 0) {
    return TALUS_OK;
  }
  if (errno == EWOULDBLOCK) {
    char holder[128];
    holder_read(lock->file, holder, sizeof holder);
    return tl_fail(context, TALUS_BUSY,
                   "%s is being written by %s: wait for its end, or write elsewhere", directory,
                   holder);
  }
  tl_log(context, TALUS_LOG_WARNING,
         "%s: its file system has no locks (%s): nothing keeps a second run from writing there",
         directory, strerror(errno));
  return TALUS_OK;
}

talus_status tl_lock_take(talus_context *context, const char *directory, tl_lock *lock) {
  const size_t room = strlen(directory) + sizeof "/.lock";
  void *memory;
  lock->file = -1;
  lock->path = NULL;
  TL_TRY(tl_alloc(context, &memory, room, 1, "a path"));
  lock->path = memory;
  snprintf(lock->path, room, "%s/.lock", directory);
  talus_status status;
  do {
    if (lock->file >= 0) {
      close(lock->file);
    }
    status = lock_open(context, directory, lock);
  } while (status == TALUS_OK && !is_there(lock->file, lock->path));
  if (status == TALUS_OK) {
    holder_write(lock->file);
    return TALUS_OK;
  }
  if (lock->file >= 0) {
    close(lock->file);
    lock->file = -1;
  }
  tl_lock_release(context, lock);
  return status;
}

void tl_lock_release(talus_context *context, tl_lock *lock) {
  if (lock->path == NULL) {
    return;
  }
  if (lock->file >= 0) {
    unlink(lock->path);
    close(lock->file);
  }
  tl_free(context, lock->path);
  lock->path = NULL;
  lock->file = -1;
}
