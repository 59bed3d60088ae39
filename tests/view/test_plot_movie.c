/* test_plot_movie.c: movies. A script in place of ffmpeg shows what it is given: the pictures in
 * order on its input, and arguments that no file name can change. With a genuine ffmpeg, a genuine
 * movie. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <sys/stat.h>

#include "host/view/movie.h"
#include "host/view/picture.h"
#include "tests/check.h"
#include "tests/io/files.h"

static talus_context *context;

static int says(const char *words) {
  const int found = strstr(talus_context_message(context), words) != NULL;
  if (!found) {
    printf("  message: %s\n", talus_context_message(context));
  }
  return found;
}

/* A program of that name in the folder bin. */
static void install(const char *script) {
  mkdir("bin", 0777);
  CHECK(file_write("bin/ffmpeg", script, strlen(script)));
  CHECK(chmod("bin/ffmpeg", 0777) == 0);
}

static void test_absent(void) {
  const char *const pictures[] = {"a.png"};
  mkdir("empty", 0777);
  CHECK(setenv("PATH", "empty::", 1) == 0);
  CHECK(!tl_movie_possible());
  CHECK(tl_movie_write(context, "movie.mp4", pictures, 1, 25) == TALUS_UNSUPPORTED);
  CHECK(says("ffmpeg") && says("PATH") && !file_exists("movie.mp4"));
}

static void test_stand_in(void) {
  const char *const pictures[] = {"a.png", "$(touch broken); b.png", "-c.png"};
  const char *const missing[] = {"a.png", "none.png"};
  size_t size;
  install("#!/bin/sh\nPATH=/usr/bin:/bin\nprintf '%s\\n' \"$@\" >arguments\n"
          "for last; do :; done\ncat >\"${last#file:}\"\n");
  CHECK(setenv("PATH", "bin", 1) == 0);
  CHECK(tl_movie_possible());
  CHECK(file_write(pictures[0], "first ", 6) && file_write(pictures[1], "second ", 7) &&
        file_write(pictures[2], "third", 5));
  CHECK(tl_movie_write(context, "-out; movie.mp4", pictures, 3, 30) == TALUS_OK);
  char *bytes = file_read("-out; movie.mp4", &size);
  CHECK(size == 18 && memcmp(bytes, "first second third", 18) == 0);
  free(bytes);
  bytes = file_read("arguments", &size);
  CHECK(strstr(bytes, "-framerate\n30\n") != NULL && strstr(bytes, "libx264") != NULL);
  CHECK(strstr(bytes, "\nfile:") != NULL && strstr(bytes, "-out; movie.mp4") != NULL);
  free(bytes);
  CHECK(!file_exists("broken"));
  CHECK(tl_movie_write(context, "lost.mp4", missing, 2, 30) == TALUS_FILE_OPEN);
  CHECK(says("none.png") && !file_exists("lost.mp4"));
  CHECK(tl_movie_write(context, "no/such/movie.mp4", pictures, 3, 30) == TALUS_FILE_WRITE);
  CHECK(tl_movie_write(context, "lost.mp4", pictures, 0, 30) == TALUS_BAD_SETTING);
  CHECK(tl_movie_write(context, "lost.mp4", pictures, 3, 0) == TALUS_BAD_SETTING);
  CHECK(file_count_ending(".part") == 0);
}

/* It may end before it has read everything: an error, not a signal; then the plain coder is
 * tried. */
static void test_failure(void) {
  enum { LARGE = 1 << 20 };
  const char *const pictures[] = {"large.png"};
  char *bytes = calloc(LARGE, 1);
  size_t size;
  CHECK(file_write("large.png", bytes, LARGE));
  free(bytes);
  install("#!/bin/sh\necho one >>tries\necho 'strange stream' >&2\nexit 3\n");
  CHECK(tl_movie_write(context, "failed.mp4", pictures, 1, 30) == TALUS_UNSUPPORTED);
  CHECK(says("strange stream") && !file_exists("failed.mp4"));
  bytes = file_read("tries", &size);
  CHECK(size == 8);
  free(bytes);
  CHECK(file_count_ending(".part") == 0);
}

#if TL_HAVE_PNG
static void test_genuine(const char *path) {
  enum { COUNT = 5 };
  static const char *const pictures[COUNT] = {"p0.png", "p1.png", "p2.png", "p3.png", "p4.png"};
  size_t size;
  CHECK(setenv("PATH", path, 1) == 0);
  if (!tl_movie_possible()) {
    printf("no ffmpeg here: a genuine movie was not tried\n");
    return;
  }
  for (int k = 0; k < COUNT; k++) {
    tl_picture picture;
    CHECK(tl_picture_create(context, 161, 121, &picture) == TALUS_OK); /* odd on purpose */
    const tl_colour colour = {0.2, 0.4, 0.8};
    tl_picture_ball(&picture, 30 + 20 * k, 60, 20, colour);
    CHECK(tl_picture_write(&picture, pictures[k]) == TALUS_OK);
    tl_picture_destroy(&picture);
  }
  if (!CHECK(tl_movie_write(context, "genuine.mp4", pictures, COUNT, 25) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return;
  }
  char *bytes = file_read("genuine.mp4", &size);
  CHECK(size > 500 && memcmp(bytes + 4, "ftyp", 4) == 0);
  free(bytes);
}
#endif

int main(void) {
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  const char *was = getenv("PATH");
  char *path = strdup(was != NULL ? was : "");
  const int64_t before = context->bytes;
  remove("tries");
  remove("broken");
  test_absent();
  test_stand_in();
  test_failure();
#if TL_HAVE_PNG
  test_genuine(path);
#endif
  CHECK(context->bytes == before);
  free(path);
  talus_context_destroy(context);
  return check_end();
}
