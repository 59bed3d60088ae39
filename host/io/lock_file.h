/* lock_file.h: one writer per directory.
 *
 * Who writes into a directory holds the lock on its file `.lock`; the system takes it back when the
 * process ends, however it ends. Where the file system knows no locks a warning is logged and the
 * caller goes on without. */
#ifndef TL_LOCK_FILE_H
#define TL_LOCK_FILE_H

#include "host/base/base.h"

typedef struct tl_lock {
  int file;   /* -1: not held */
  char *path; /* of `.lock`, memory of the context */
} tl_lock;

/* Statuses: BUSY (another process, named in the message, or another lock of this one holds it),
 * FILE_WRITE, OUT_OF_MEMORY; nothing is held then. */
talus_status tl_lock_take(talus_context *context, const char *directory, tl_lock *lock);
/* Deletes the file and lets go. Harmless if it is not held, or all of the lock is 0. */
void tl_lock_release(talus_context *context, tl_lock *lock);

#endif
