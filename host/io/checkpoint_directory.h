/* checkpoint_directory.h: the files of a run's directory as a whole. */
#ifndef TL_CHECKPOINT_DIRECTORY_H
#define TL_CHECKPOINT_DIRECTORY_H

#include "host/base/base.h"

/* Makes names that were given or taken in the directory outlast a power cut. Status: FILE_WRITE.
 * File systems that cannot sync a directory are forgiven. */
talus_status tl_directory_sync(talus_context *context, const char *directory);
/* Brings everything to disk that was written to the directory's file system, by whomever: one call
 * for hundreds of files, where a sync of each would cost milliseconds each. Status: FILE_WRITE:
 * something was lost, and a second call would not know. */
talus_status tl_directory_sync_files(talus_context *context, const char *directory);

/* Deletes checkpoints of steps before `step` so that at most keep remain with it (keep < 1: none is
 * deleted), and what writers that are no longer alive left half-written. What cannot be deleted is
 * told to the log. */
void tl_directory_prune(talus_context *context, const char *directory, int64_t step, int32_t keep);

#endif
