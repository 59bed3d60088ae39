/* output_file.h: files that are written whole or not at all.
 *
 * Writing goes to a temporary file in the same directory, which takes the name only after the
 * system has taken all of it. begin, write to stream (or to the file `temporary` by other means),
 * then commit; or abandon, which leaves no trace. A symbolic link keeps pointing at the new
 * content. Killing the program leaves the old file or the new one. A power cut may leave an empty
 * one, unless it was synced, which costs milliseconds: checkpoints are (checkpoint.h), other files
 * are not. Devices and pipes (/dev/stdout) cannot be renamed onto: a stream writes straight to
 * them. */
#ifndef TL_OUTPUT_FILE_H
#define TL_OUTPUT_FILE_H

#include <stdio.h>

#include "host/base/base.h"

typedef struct tl_output {
  talus_context *context;
  const char *path; /* as the caller gave it, for messages */
  char *target;     /* path without symbolic links; NULL if written straight */
  char *temporary;  /* NULL if written straight */
  FILE *stream;     /* numbers are printed in the "C" locale until the end */
  void *locale;
  void *locale_before;
} tl_output;

/* Statuses: FILE_WRITE, OUT_OF_MEMORY; nothing is left behind then. */
talus_status tl_output_begin(talus_context *context, const char *path, tl_output *output);
/* Brings what was written so far to the disk. Status FILE_WRITE. */
talus_status tl_output_sync(tl_output *output);
/* Flushes, closes and renames. Status FILE_WRITE: the old file is as it was. */
talus_status tl_output_commit(tl_output *output);
/* Gives up; harmless after commit. */
void tl_output_abandon(tl_output *output);

/* The process that writes or wrote a temporary file of this name, NAME.PID-K.part; 0 if it is no
 * such name. *length: of NAME. A process that was killed leaves its temporary file behind. */
long tl_output_writer(const char *name, size_t *length);
/* Whether a process is there, as far as this machine knows. */
bool tl_output_writer_lives(long writer);

#endif
