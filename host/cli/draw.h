/* draw.h: pictures and a movie of the frames in a run's directory, for `run` and `render`. */
#ifndef TL_CLI_DRAW_H
#define TL_CLI_DRAW_H

#include "host/view/render.h"

typedef struct tl_draw {
  const char *directory;
  const char *out;  /* file of a single picture, or NULL: DIR/frame-NNNNNNNN.png */
  int64_t frame;    /* number of the frame, from 0; negative counts from the end: -1 is the last */
  int all, movie;   /* all frames; and a movie DIR/movie.mp4 of them, by ffmpeg */
  double rate;      /* pictures per second of the movie */
  const char *path; /* file of a camera's path; NULL: none */
  double turn;      /* degrees by which the eye goes around from the first to the last of all */
  tl_render_options options;
  int quiet;
} tl_draw;

tl_draw tl_draw_default(const char *directory);
/* Returns an exit code; complaints are on stderr. */
int tl_draw_run(talus_context *context, const tl_draw *draw);

#endif
