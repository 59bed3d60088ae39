/* output_file.c: temporary file, rename; see output_file.h. */
#define _XOPEN_SOURCE 700
#include "host/io/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/io/text_file.h"
#include "talus/talus_io.h"

enum { NAME_TRIES = 100, NAME_ROOM = 48 };

/* A stream that failed some time ago gives no reason. */
static talus_status refuse(tl_output *output, const char *doing) {
  return tl_fail(output->context, TALUS_FILE_WRITE, "%s: %s: %s", output->path, doing,
                 strerror(errno != 0 ? errno : EIO));
}

/* The file that a chain of links ends at; the path itself if there is none yet. */
static talus_status find_target(tl_output *output) {
  char *real = realpath(output->path, NULL);
  const char *name = real != NULL ? real : output->path;
  const size_t length = strlen(name) + 1;
  void *memory = NULL;
  const talus_status status = tl_alloc(output->context, &memory, length, 1, "file name");
  if (status == TALUS_OK) {
    output->target = memory;
    memcpy(output->target, name, length);
  }
  free(real);
  return status;
}

/* Opened by a name of its own rather than by mkstemp, so that the umask decides who may read. */
static talus_status create_temporary(tl_output *output, int *file, mode_t mode) {
  void *memory;
  const size_t room = strlen(output->target) + NAME_ROOM;
  TL_TRY(tl_alloc(output->context, &memory, room, 1, "file name"));
  output->temporary = memory;
  for (int attempt = 0; attempt < NAME_TRIES; attempt++) {
    snprintf(output->temporary, room, "%s.%ld-%d.part", output->target, (long)getpid(), attempt);
    *file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
    if (*file >= 0 || errno != EEXIST) {
      break;
    }
  }
  return *file >= 0 ? TALUS_OK : refuse(output, "cannot be created");
}

static talus_status begin(tl_output *output) {
  struct stat about;
  const bool exists = stat(output->path, &about) == 0;
  if (exists && S_ISDIR(about.st_mode)) {
    errno = EISDIR;
    return refuse(output, "cannot be written");
  }
  if (exists && !S_ISREG(about.st_mode)) {
    output->stream = fopen(output->path, "w");
    return output->stream != NULL ? TALUS_OK : refuse(output, "cannot be opened");
  }
  /* a file that may not be written is not to be replaced either */
  if (exists && access(output->path, W_OK) != 0) {
    return refuse(output, "cannot be written");
  }
  TL_TRY(find_target(output));
  int file = -1;
  const talus_status status = create_temporary(output, &file, exists ? about.st_mode & 0777 : 0666);
  if (status != TALUS_OK) {
    tl_free(output->context, output->temporary); /* it names no file of ours */
    output->temporary = NULL;
    return status;
  }
  output->stream = fdopen(file, "w");
  if (output->stream == NULL) {
    close(file);
    return refuse(output, "cannot be opened");
  }
  return TALUS_OK;
}

talus_status tl_output_begin(talus_context *context, const char *path, tl_output *output) {
  memset(output, 0, sizeof *output);
  output->context = context;
  output->path = path;
  tl_locale_enter(&output->locale, &output->locale_before);
  const talus_status status = begin(output);
  if (status != TALUS_OK) {
    tl_output_abandon(output);
  }
  return status;
}

talus_status tl_output_sync(tl_output *output) {
  errno = 0;
  return fflush(output->stream) == 0 && !ferror(output->stream) &&
                 (output->temporary == NULL || fsync(fileno(output->stream)) == 0)
             ? TALUS_OK
             : refuse(output, "writing failed");
}

talus_status tl_output_commit(tl_output *output) {
  talus_status status = TALUS_OK;
  errno = 0;
  if (fflush(output->stream) != 0 || ferror(output->stream)) {
    status = refuse(output, "writing failed");
  }
  if (fclose(output->stream) != 0 && status == TALUS_OK) {
    status = refuse(output, "writing failed");
  }
  output->stream = NULL;
  if (status == TALUS_OK && output->temporary != NULL) {
    if (rename(output->temporary, output->target) != 0) {
      status = refuse(output, "cannot be renamed");
    } else {
      tl_free(output->context, output->temporary);
      output->temporary = NULL;
    }
  }
  tl_output_abandon(output);
  return status;
}

void tl_output_abandon(tl_output *output) {
  if (output->stream != NULL) {
    fclose(output->stream);
  }
  if (output->temporary != NULL) {
    unlink(output->temporary);
  }
  tl_free(output->context, output->temporary);
  tl_free(output->context, output->target);
  tl_locale_leave(output->locale, output->locale_before);
  talus_context *context = output->context;
  memset(output, 0, sizeof *output);
  output->context = context;
}

long tl_output_writer(const char *name, size_t *length) {
  static const char digits[] = "0123456789", ending[] = ".part";
  const size_t all = strlen(name);
  /* from the end: NAME may have dots and numbers of its own */
  if (all < sizeof ending || strcmp(name + all - (sizeof ending - 1), ending) != 0) {
    return 0;
  }
  size_t at = all - (sizeof ending - 1), before = at;
  while (at > 0 && strchr(digits, name[at - 1]) != NULL) {
    at--;
  }
  if (at == before || at == 0 || name[--at] != '-') {
    return 0;
  }
  before = at;
  while (at > 0 && strchr(digits, name[at - 1]) != NULL) {
    at--;
  }
  if (at == before || before - at > 10 || at < 2 || name[at - 1] != '.') {
    return 0;
  }
  *length = at - 1;
  return strtol(name + at, NULL, 10);
}

bool tl_output_writer_lives(long writer) {
  return writer > 0 && writer <= INT32_MAX && (kill((pid_t)writer, 0) == 0 || errno != ESRCH);
}

talus_status talus_file_write(talus_context *context, const char *path, const void *bytes,
                              size_t size) {
  tl_output output;
  if (context == NULL || path == NULL || (bytes == NULL && size > 0)) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_output_begin(context, path, &output));
  if (size > 0 && fwrite(bytes, 1, size, output.stream) != size) {
    tl_output_abandon(&output);
    return tl_fail(context, TALUS_FILE_WRITE, "%s could not be written", path);
  }
  return tl_output_commit(&output);
}
