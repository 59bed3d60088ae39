/* record.h: the directory of a run: ParaView frames, scalars.csv, checkpoints, a copy of the scene.
 *
 * A directory holds one run. Frames and lines are written at multiples of the output step counted
 * from the beginning, so that a run in pieces leaves the same files as one in one piece. */
#ifndef TL_SCENE_RECORD_H
#define TL_SCENE_RECORD_H

#include "host/io/lock_file.h"
#include "host/scene/scene.h"

typedef struct tl_record tl_record;

/* Makes the directory, with those above it, and locks it, to be released by the caller. Where a run
 * is in it already: FILE_WRITE, unless force, which deletes the files of that run and nothing else;
 * where one is being written: BUSY. Nothing is locked then. */
talus_status tl_record_prepare(talus_context *context, const char *directory, int force,
                               tl_lock *lock);
/* Deletes what killed runs left half-written in it. Status: FILE_WRITE. */
talus_status tl_record_sweep(talus_context *context, const char *directory);

/* resume: the step that a restart goes on from, or -1. The scene has been built. */
talus_status tl_record_open(talus_scene *scene, const char *directory, int64_t resume,
                            tl_record **record);
/* Accepts NULL. Status: FILE_WRITE. */
talus_status tl_record_close(tl_record *record);

/* Whether a frame, a checkpoint is due at this step. */
int tl_record_is_due(const tl_record *record, int64_t step);
int tl_record_checkpoint_is_due(const tl_record *record, int64_t step);
/* To be called before every step: keeps a copy of the state if a frame is due after it. Status:
 * OUT_OF_MEMORY. */
talus_status tl_record_before_step(tl_record *record, const talus_world *world);
/* The frame and the line of a step. report may be NULL before the first step. Statuses: FILE_WRITE,
 * OUT_OF_MEMORY, those of tl_frame_check. */
talus_status tl_record_frame(tl_record *record, const talus_world *world,
                             const talus_step_report *report);
/* *step: of the state that the checkpoint holds, which is the world's; but where the frame of that
 * step could not be written, it is the state before, so that a restart makes the step again and
 * writes it. Statuses: FILE_WRITE (also once output was lost that had been taken as written),
 * OUT_OF_MEMORY, UNSUPPORTED. */
talus_status tl_record_checkpoint(tl_record *record, const talus_world *world, int64_t *step);

/* The newest whole checkpoint of a directory that goes with the table in it, the path in memory
 * from tl_alloc. After a restart from an older checkpoint the lines of later ones are gone from the
 * table: those are passed over with a warning, else the table would have a hole. Statuses:
 * FILE_OPEN (there is none), FILE_FORMAT, OUT_OF_MEMORY. */
talus_status tl_record_newest(talus_context *context, const char *directory, char **path);
/* Whether a checkpoint goes with the table beside it: FILE_FORMAT if not. */
talus_status tl_record_check(talus_context *context, const char *path);

/* Brings a world that was just built to where the checkpoint was written. Statuses: FILE_OPEN,
 * FILE_FORMAT (also: of another scene), OUT_OF_MEMORY. */
talus_status tl_record_resume(talus_scene *scene, talus_world *world, const char *path);

#endif
