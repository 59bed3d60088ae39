/* record.h: parts of talus_record (talus_scene.h): the directory of a run, and which checkpoint
 * goes with the table in it.
 *
 *   record.c             life, frames, lines       record_directory.c   make, clear, sweep
 *   record_resume.c      where a restart begins    record_checkpoint.c  arrays of a checkpoint
 *   record_broken.c      what broke */
#ifndef TL_SCENE_RECORD_H
#define TL_SCENE_RECORD_H

#include <stdbool.h>

#include "host/io/lock_file.h"
#include "host/scene/scene.h"
#include "talus/talus_io.h"

/* Makes the directory, with those above it, and locks it, to be released by the caller. Where a run
 * is in it already: FILE_WRITE, unless force, which deletes the files of that run and nothing else,
 * none at all if one of those that are `read` is among them (FILE_WRITE; NULL in the list: none);
 * where one is being written: BUSY. Nothing is locked then. */
talus_status tl_record_prepare(talus_context *context, const char *directory, bool force,
                               const char *const read[], int32_t read_count, tl_lock *lock);
/* Deletes what killed runs left half-written in it. Status: FILE_WRITE. */
talus_status tl_record_sweep(talus_context *context, const char *directory);

/* Where a restart begins. */
typedef struct tl_record_start {
  char *checkpoint; /* memory of tl_alloc, the caller's; NULL: a new run */
  bool continued;   /* results go to the directory that the checkpoint comes from */
} tl_record_start;

/* Whether results go to the directory of --resume: a checkpoint or a directory. Status: FILE_OPEN
 * (the name is too long). */
talus_status tl_record_is_continued(talus_context *context, const char *directory,
                                    const char *resume, bool *continued);
/* The file of `resume`: itself, or the newest checkpoint of a directory; if the run is continued,
 * it must go with the table there. In memory of tl_alloc, the caller's. Statuses: FILE_OPEN,
 * FILE_FORMAT, OUT_OF_MEMORY. */
talus_status tl_record_find(talus_context *context, const char *resume, bool continued,
                            char **path);

/* Lines of broken.csv, after every step. */
typedef struct tl_record_broken {
  talus_table *table; /* NULL: the scene has no bonds */
  int64_t step;       /* that was written last */
} tl_record_broken;

/* resume: as of talus_table_open. */
talus_status tl_record_broken_open(talus_context *context, const char *path, int64_t resume,
                                   tl_record_broken *broken);
/* Adds what broke in the last step, once. */
talus_status tl_record_broken_write(tl_record_broken *broken, const talus_world *world);

#endif
