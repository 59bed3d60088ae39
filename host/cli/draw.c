/* draw.c: pictures and a movie of the frames of a run. */
#define _POSIX_C_SOURCE 200809L
#include "host/cli/draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/cli/cli.h"
#include "host/view/camera_path.h"
#include "host/view/frames.h"
#include "host/view/movie.h"

tl_draw tl_draw_default(const char *directory) {
  tl_draw draw = {.directory = directory, .frame = -1, .rate = 25};
  draw.options = tl_render_options_default();
  return draw;
}

/* Tells once what all pictures will lack. */
static void tell_missing(const tl_draw *draw) {
  if (tl_text_missing() != NULL && (draw->options.clock || draw->options.bar)) {
    fprintf(stderr, "talus: warning: pictures have no text: %s\n", tl_text_missing());
  }
}

static int draw_step(talus_context *context, const tl_draw *draw, int64_t step, const char *path) {
  const talus_status status = tl_frames_draw(context, draw->directory, step, &draw->options, path);
  return status == TALUS_OK ? TL_EXIT_OK : tl_cli_fail_status(context, status, path);
}

/* One camera and one range for all pictures, so that nothing jumps. */
static int fit(talus_context *context, tl_draw *draw, const int64_t *step, int32_t count,
               tl_camera *camera) {
  const talus_status status =
      tl_frames_fit(context, draw->directory, step, count, &draw->options, camera);
  return status == TALUS_OK ? TL_EXIT_OK : tl_cli_fail_status(context, status, draw->directory);
}

static void picture_path(const tl_draw *draw, int64_t step, char *path, size_t capacity) {
  snprintf(path, capacity, "%s/frame-%08" PRId64 ".png", draw->directory, step);
}

/* The pictures drawn, joined by ffmpeg. */
static int make_movie(talus_context *context, const tl_draw *draw, const int64_t *step,
                      int32_t count) {
  if (!tl_movie_possible()) {
    return tl_cli_fail("no movie: ffmpeg is not installed (the pictures are there)");
  }
  enum { LONGEST = 1200 };
  void *names = NULL, *list = NULL;
  char movie[LONGEST];
  snprintf(movie, sizeof movie, "%s/movie.mp4", draw->directory);
  talus_status status = tl_alloc(context, &names, (size_t)count, LONGEST, "names of pictures");
  if (status == TALUS_OK) {
    status = tl_alloc(context, &list, (size_t)count, sizeof(char *), "names of pictures");
  }
  if (status == TALUS_OK) {
    const char **const picture = list;
    for (int32_t i = 0; i < count; i++) {
      char *const name = (char *)names + (size_t)LONGEST * (size_t)i;
      picture_path(draw, step[i], name, LONGEST);
      picture[i] = name;
    }
    status = tl_movie_write(context, movie, picture, count, (int32_t)lround(draw->rate));
  }
  tl_free(context, names);
  tl_free(context, list);
  if (status != TALUS_OK) {
    return tl_cli_fail_status(context, status, movie);
  }
  if (!draw->quiet) {
    printf("%s\n", movie);
  }
  return TL_EXIT_OK;
}

static int draw_all(talus_context *context, tl_draw draw, const int64_t *step, int32_t count) {
  tl_camera camera;
  int code = fit(context, &draw, step, count, &camera);
  const int terminal = isatty(STDERR_FILENO);
  for (int32_t i = 0; i < count && code == TL_EXIT_OK; i++) {
    char path[1200];
    picture_path(&draw, step[i], path, sizeof path);
    draw.options.turn = count > 1 ? draw.turn * i / (count - 1) : 0;
    code = draw_step(context, &draw, step[i], path);
    if (terminal) {
      fprintf(stderr, "\r\033[Kpicture %d of %d", (int)i + 1, (int)count);
    }
  }
  if (terminal) {
    fputs("\r\033[K", stderr);
  }
  if (code == TL_EXIT_OK && !draw.quiet) {
    printf("%s: %d pictures frame-*.png\n", draw.directory, (int)count);
  }
  return code == TL_EXIT_OK && draw.movie ? make_movie(context, &draw, step, count) : code;
}

static int draw_one(talus_context *context, const tl_draw *draw, const int64_t *step,
                    int32_t count) {
  const int64_t index = draw->frame < 0 ? count + draw->frame : draw->frame;
  if (index < 0 || index >= count) {
    return tl_cli_fail("%s has the frames 0 to %d, not %" PRId64, draw->directory, (int)count - 1,
                       draw->frame);
  }
  char path[1200];
  picture_path(draw, step[index], path, sizeof path);
  const char *out = draw->out != NULL ? draw->out : path;
  const int code = draw_step(context, draw, step[index], out);
  if (code == TL_EXIT_OK && !draw->quiet) {
    printf("%s\n", out);
  }
  return code;
}

static int frames_draw(talus_context *context, const tl_draw *draw) {
  int64_t *step = NULL;
  int32_t count = 0;
  const talus_status status = tl_frames_list(context, draw->directory, &step, &count);
  if (status != TALUS_OK) {
    return tl_cli_fail_status(context, status, draw->directory);
  }
  int code = TL_EXIT_OK;
  tell_missing(draw);
  if (count == 0) {
    code = tl_cli_fail("%s has no frames", draw->directory);
  } else if (draw->all || draw->movie) {
    code = draw_all(context, *draw, step, count);
  } else {
    code = draw_one(context, draw, step, count);
  }
  tl_free(context, step);
  return code;
}

int tl_draw_run(talus_context *context, const tl_draw *given) {
  tl_draw along = *given;
  tl_camera_path *path = NULL;
  if (given->path != NULL) {
    const talus_status read = tl_camera_path_read(context, given->path, &path);
    if (read != TALUS_OK) {
      return tl_cli_fail_status(context, read, given->path);
    }
    along.options.path = path;
  }
  const int code = frames_draw(context, &along);
  tl_camera_path_destroy(path);
  return code;
}
