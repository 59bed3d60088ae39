/* movie.c: runs ffmpeg on a list of pictures; see movie.h.
 *
 * Its input is a socket rather than a pipe: writing to one whose reader is gone gives an error
 * instead of a signal. Its complaints go to a file without a name, read when it has ended. */
#define _POSIX_C_SOURCE 200809L
#include "host/view/movie.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/io/output_file.h"

extern char **environ;

enum { PIECE = 1 << 16, PATH_ROOM = 4096, GONE = 1 };

/* The first ffmpeg on PATH that may be run; empty entries of PATH (the working directory) are not
 * looked into. */
static bool find_program(char program[PATH_ROOM]) {
  const char *path = getenv("PATH");
  while (path != NULL && *path != 0) {
    const size_t length = strcspn(path, ":");
    struct stat about;
    if (length > 0 && length + sizeof "/ffmpeg" < PATH_ROOM) {
      snprintf(program, PATH_ROOM, "%.*s/ffmpeg", (int)length, path);
      if (stat(program, &about) == 0 && S_ISREG(about.st_mode) && access(program, X_OK) == 0) {
        return true;
      }
    }
    path += length + (path[length] == ':');
  }
  return false;
}

bool tl_movie_possible(void) {
  char program[PATH_ROOM];
  return find_program(program);
}

/* ---- its input ------------------------------------------------------------------------------- */

/* GONE: the reader has closed its end. */
static int send_all(int to, const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t took = send(to, bytes, size, MSG_NOSIGNAL);
    if (took < 0 && errno == EINTR) {
      continue;
    }
    if (took <= 0) {
      return GONE;
    }
    bytes += took;
    size -= (size_t)took;
  }
  return 0;
}

static talus_status send_file(talus_context *context, int to, const char *path, int *gone) {
  char piece[PIECE];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = file < 0 ? -1 : 1;
  while (got > 0 && !*gone) {
    got = read(file, piece, sizeof piece);
    if (got < 0 && errno == EINTR) {
      got = 1;
      continue;
    }
    if (got > 0) {
      *gone = send_all(to, piece, (size_t)got);
    }
  }
  const int reason = errno;
  if (file >= 0) {
    close(file);
  }
  return got < 0 ? tl_fail(context, TALUS_FILE_OPEN, "%s: %s", path, strerror(reason)) : TALUS_OK;
}

/* ---- one run --------------------------------------------------------------------------------- */

typedef struct run {
  talus_context *context;
  const char *program, *path;
  const char *const *picture;
  int32_t picture_count;
  char rate[16];
  char target[PATH_ROOM]; /* "file:" and the temporary file */
} run;

static talus_status start(const run *r, const char *const *coder, int input, int errors,
                          pid_t *child) {
  const char *argument[32] = {
      r->program,   "-nostdin", "-hide_banner", "-loglevel",
      "error",      "-y",       "-f",           "image2pipe",
      "-framerate", r->rate,    "-c:v",         "png",
      "-i",         "-",        "-vf",          "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white",
      "-pix_fmt",   "yuv420p",  "-movflags",    "+faststart"};
  int count = 20;
  for (int k = 0; coder[k] != NULL; k++) {
    argument[count++] = coder[k];
  }
  argument[count++] = "-f";
  argument[count++] = "mp4";
  argument[count++] = r->target;
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) {
    return tl_fail(r->context, TALUS_OUT_OF_MEMORY, "%s: no memory to start ffmpeg", r->path);
  }
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  const int failed =
      posix_spawn(child, r->program, &actions, NULL, (char *const *)(void *)argument, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? TALUS_OK
                     : tl_fail(r->context, TALUS_UNSUPPORTED, "%s cannot be started: %s",
                               r->program, strerror(failed));
}

/* Feeds the pictures and waits; *ended: how ffmpeg ended. */
static talus_status feed(const run *r, int to, pid_t child, int *ended) {
  talus_status status = TALUS_OK;
  int gone = 0;
  for (int32_t k = 0; status == TALUS_OK && !gone && k < r->picture_count; k++) {
    status = send_file(r->context, to, r->picture[k], &gone);
  }
  shutdown(to, SHUT_WR);
  close(to);
  while (waitpid(child, ended, 0) < 0 && errno == EINTR) {
  }
  return status;
}

static talus_status complain(const run *r, FILE *errors) {
  char words[300];
  rewind(errors);
  const size_t length = fread(words, 1, sizeof words - 1, errors);
  words[length] = 0;
  words[strcspn(words, "\r\n")] = 0;
  return tl_fail(r->context, TALUS_UNSUPPORTED, "%s: ffmpeg failed: %s", r->path,
                 words[0] != 0 ? words : "it said nothing");
}

static talus_status try_coder(const run *r, const char *const *coder) {
  int end[2], ended = 0;
  pid_t child;
  FILE *errors = tmpfile();
  if (errors == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, end) != 0) {
    const int reason = errno;
    if (errors != NULL) {
      fclose(errors);
    }
    return tl_fail(r->context, TALUS_FILE_WRITE, "%s: ffmpeg cannot be fed: %s", r->path,
                   strerror(reason));
  }
  fcntl(end[0], F_SETFD, FD_CLOEXEC);
  fcntl(end[1], F_SETFD, FD_CLOEXEC);
  talus_status status = start(r, coder, end[1], fileno(errors), &child);
  close(end[1]);
  if (status == TALUS_OK) {
    status = feed(r, end[0], child, &ended);
    if (status == TALUS_OK && !(WIFEXITED(ended) && WEXITSTATUS(ended) == 0)) {
      status = complain(r, errors);
    }
  } else {
    close(end[0]);
  }
  fclose(errors);
  return status;
}

/* H.264 where this ffmpeg has it, else what every one has. */
static talus_status encode(const run *r) {
  static const char *const best[] = {"-c:v", "libx264", "-crf", "18", "-preset", "medium", NULL};
  static const char *const plain[] = {"-c:v", "mpeg4", "-q:v", "3", NULL};
  const talus_status status = try_coder(r, best);
  return status == TALUS_UNSUPPORTED ? try_coder(r, plain) : status;
}

talus_status tl_movie_write(talus_context *context, const char *path, const char *const *picture,
                            int32_t picture_count, int32_t rate) {
  char program[PATH_ROOM];
  run r;
  tl_output output;
  if (picture_count < 1 || rate < 1 || rate > 240) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "%s: a movie needs pictures and a rate of 1 to 240 per second", path);
  }
  if (!find_program(program)) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "%s: no movie, since there is no ffmpeg on PATH; the pictures are there", path);
  }
  memset(&r, 0, sizeof r);
  r.context = context;
  r.program = program;
  r.path = path;
  r.picture = picture;
  r.picture_count = picture_count;
  snprintf(r.rate, sizeof r.rate, "%d", (int)rate);
  TL_TRY(tl_output_begin(context, path, &output));
  /* with the word file: no name can be taken for an option or an address */
  if (output.temporary == NULL ||
      snprintf(r.target, sizeof r.target, "file:%s", output.temporary) >= (int)sizeof r.target) {
    tl_output_abandon(&output);
    return tl_fail(context, TALUS_FILE_WRITE, "%s: is not a place for a movie", path);
  }
  const talus_status status = encode(&r);
  if (status != TALUS_OK) {
    tl_output_abandon(&output);
    return status;
  }
  return tl_output_commit(&output);
}
