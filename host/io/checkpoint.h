/* checkpoint.h: everything a run needs to go on, in one file that is complete or not there.
 *
 * A checkpoint is a container of named arrays; what they mean is the writer's affair. On disk it is
 * an HDF5 file behind a block of 512 bytes of text that h5dump and h5py skip by themselves:
 *   talus checkpoint / format 1 / talus 0.1.0 / kind world / step 1000 / bytes 123456 / hash 0f...
 * The hash covers all bytes after the block, so that a cut or damaged file is told before HDF5 sees
 * it. The file is built in memory, written under a temporary name, synced, renamed, and the
 * directory synced: killing the program or filling the disk at any moment leaves the older
 * checkpoints as they were. Numbers are stored as they are, little-endian; no time stamps: equal
 * states give equal files.
 *
 * Between begin and commit, and between open and close, no other HDF5 file can be used by this
 * process. Without HDF5 everything here fails with UNSUPPORTED. */
#ifndef TL_CHECKPOINT_H
#define TL_CHECKPOINT_H

#include "host/base/base.h"

enum { TL_CHECKPOINT_FORMAT = 1, TL_CHECKPOINT_NAME = 100 };

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct tl_checkpoint_writer tl_checkpoint_writer;

/* Starts the file <directory>/checkpoint-NNNNNN.h5, NNNNNN the step (more digits if needed). kind:
 * a word such as "world". The directory must exist. Statuses: OUT_OF_MEMORY, UNSUPPORTED,
 * INVALID_ARGUMENT (a kind of more than 40 letters, or with white space). */
talus_status tl_checkpoint_begin(talus_context *context, const char *directory, const char *kind,
                                 int64_t step, tl_checkpoint_writer **writer);
/* Adds a copy of an array; names as in "body/position", each once, shorter than
 * TL_CHECKPOINT_NAME. count may be 0. Statuses: OUT_OF_MEMORY, INVALID_ARGUMENT. */
talus_status tl_checkpoint_put_doubles(tl_checkpoint_writer *writer, const char *name,
                                       const double *value, int64_t count);
talus_status tl_checkpoint_put_int64s(tl_checkpoint_writer *writer, const char *name,
                                      const int64_t *value, int64_t count);
talus_status tl_checkpoint_put_int32s(tl_checkpoint_writer *writer, const char *name,
                                      const int32_t *value, int64_t count);
talus_status tl_checkpoint_put_bytes(tl_checkpoint_writer *writer, const char *name,
                                     const uint8_t *value, int64_t count);
talus_status tl_checkpoint_put_text(tl_checkpoint_writer *writer, const char *name,
                                    const char *text);
/* Brings it to disk; when it is safe, older checkpoints of the directory (which holds one run) are
 * deleted so that at most `keep` remain with this one (keep < 1: all stay), with what killed runs
 * left half-written. Checkpoints of later steps are not touched. The writer is gone in every case.
 * Statuses: FILE_WRITE (older checkpoints are as they were), OUT_OF_MEMORY. */
talus_status tl_checkpoint_commit(tl_checkpoint_writer *writer, int32_t keep);
/* Gives up, nothing is written. Accepts NULL. */
void tl_checkpoint_abandon(tl_checkpoint_writer *writer);

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct tl_checkpoint tl_checkpoint;

/* Opens and holds the whole file against its hash. kind: what it must be. Statuses: FILE_OPEN,
 * FILE_FORMAT (not a checkpoint, other format, other kind, cut, damaged: the message says which),
 * OUT_OF_MEMORY, UNSUPPORTED. On failure *checkpoint is NULL. */
talus_status tl_checkpoint_open(talus_context *context, const char *path, const char *kind,
                                tl_checkpoint **checkpoint);
void tl_checkpoint_close(tl_checkpoint *checkpoint); /* accepts NULL */

int64_t tl_checkpoint_step(const tl_checkpoint *checkpoint);
/* The version of Talus that wrote it. */
const char *tl_checkpoint_version(const tl_checkpoint *checkpoint);
bool tl_checkpoint_has(tl_checkpoint *checkpoint, const char *name);
/* How many elements an array has. Status: FILE_FORMAT (missing). */
talus_status tl_checkpoint_count(tl_checkpoint *checkpoint, const char *name, int64_t *count);
/* Exactly count elements into the caller's array. Status: FILE_FORMAT (missing, of another type, of
 * another count; the message names file and array). */
talus_status tl_checkpoint_doubles(tl_checkpoint *checkpoint, const char *name, double *value,
                                   int64_t count);
talus_status tl_checkpoint_int64s(tl_checkpoint *checkpoint, const char *name, int64_t *value,
                                  int64_t count);
talus_status tl_checkpoint_int32s(tl_checkpoint *checkpoint, const char *name, int32_t *value,
                                  int64_t count);
talus_status tl_checkpoint_bytes(tl_checkpoint *checkpoint, const char *name, uint8_t *value,
                                 int64_t count);
/* A text in memory from tl_alloc, the caller's. Statuses: FILE_FORMAT, OUT_OF_MEMORY. */
talus_status tl_checkpoint_text(tl_checkpoint *checkpoint, const char *name, char **text);

/* ---- the directory --------------------------------------------------------------------------- */

/* The newest checkpoint of the directory that is whole, of those before a step (INT64_MAX: all):
 * its path in memory from tl_alloc, the caller's. Damaged ones are passed over with a warning in
 * the log. Statuses: FILE_OPEN (no directory, or no whole checkpoint in it), OUT_OF_MEMORY. */
talus_status tl_checkpoint_newest(talus_context *context, const char *directory, int64_t before,
                                  char **path);
/* <directory>/checkpoint-NNNNNN.h5 in memory from tl_alloc. */
talus_status tl_checkpoint_path(talus_context *context, const char *directory, int64_t step,
                                char **path);

#endif
