/* movie.h: a movie from pictures, by ffmpeg if it is there.
 *
 * ffmpeg is looked for along PATH and started directly, without a shell; the pictures go to it
 * through its standard input in the order given, so that their names do not matter. */
#ifndef TL_MOVIE_H
#define TL_MOVIE_H

#include "host/base/base.h"

/* Whether there is an ffmpeg to run. */
bool tl_movie_possible(void);

/* Writes an MP4 of PNG files of one size, `rate` of them per second (1 .. 240). Whole or not at
 * all. Statuses: UNSUPPORTED (no ffmpeg on PATH, or one that cannot do it: the message has its
 * words), FILE_OPEN (a picture), FILE_WRITE, BAD_SETTING (rate, or no picture), OUT_OF_MEMORY. */
talus_status tl_movie_write(talus_context *context, const char *path, const char *const *picture,
                            int32_t picture_count, int32_t rate);

#endif
