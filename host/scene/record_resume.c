/* record_resume.c: where a restart begins: which checkpoint, and whether it goes with the table
 * beside it. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "host/io/table.h"
#include "host/scene/record.h"
#include "host/scene/record_checkpoint.h"

/* *wanted: the last line when the checkpoint was written, -1 if there was none, *found: the last
 * one up to its step now. They are equal if lines were neither lost nor cut off since. */
static talus_status compare_lines(talus_context *context, const char *path, int64_t *step,
                                  int64_t *wanted, int64_t *found) {
  tl_checkpoint *checkpoint = NULL;
  const char *slash = strrchr(path, '/');
  char table[1200];
  TL_TRY(tl_checkpoint_open(context, path, TL_CHECKPOINT_WORLD, &checkpoint));
  *step = tl_checkpoint_step(checkpoint);
  const bool says =
      tl_checkpoint_has(checkpoint, TL_CHECKPOINT_LAST_LINE); /* those of earlier versions do not */
  talus_status status =
      says ? tl_checkpoint_int64s(checkpoint, TL_CHECKPOINT_LAST_LINE, wanted, 1) : TALUS_OK;
  tl_checkpoint_close(checkpoint);
  TL_TRY(status);
  if (snprintf(table, sizeof table, "%.*sscalars.csv", slash != NULL ? (int)(slash + 1 - path) : 0,
               path) >= (int)sizeof table) {
    return tl_fail(context, TALUS_FILE_OPEN, "%s: the name is too long", path);
  }
  TL_TRY(tl_table_find(context, table, *step, found));
  *wanted = says ? *wanted : *found;
  return TALUS_OK;
}

static const char *step_words(int64_t step, char text[32]) {
  snprintf(text, 32, step >= 0 ? "of step %lld" : "none", (long long)step);
  return text;
}

static talus_status refuse(talus_context *context, const char *path, int64_t wanted,
                           int64_t found) {
  char was[32], is[32];
  return tl_fail(context, TALUS_FILE_FORMAT,
                 "%s does not go with the scalars.csv beside it: the last line before it was %s, "
                 "and is %s now, as after a restart from an older checkpoint",
                 path, step_words(wanted, was), step_words(found, is));
}

static talus_status check(talus_context *context, const char *path) {
  int64_t step, wanted = -1, found = -1;
  TL_TRY(compare_lines(context, path, &step, &wanted, &found));
  return wanted == found ? TALUS_OK : refuse(context, path, wanted, found);
}

static talus_status find_newest(talus_context *context, const char *directory, char **path) {
  int64_t before = INT64_MAX;
  for (;;) {
    int64_t wanted = -1, found = -1;
    talus_status status = tl_checkpoint_newest(context, directory, before, path);
    if (status == TALUS_FILE_OPEN && before < INT64_MAX) {
      return tl_fail(context, status,
                     "%s: holds no checkpoint that goes with its scalars.csv: resume from a file, "
                     "with --out to another directory",
                     directory);
    }
    TL_TRY(status);
    status = compare_lines(context, *path, &before, &wanted, &found);
    if (status == TALUS_OK && wanted == found) {
      return TALUS_OK;
    }
    if (status == TALUS_OK) {
      refuse(context, *path, wanted, found);
      tl_log(context, TALUS_LOG_WARNING, "passed over: %s", talus_context_message(context));
    }
    tl_free(context, *path);
    *path = NULL;
    TL_TRY(status);
  }
}

static bool is_directory(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

talus_status tl_record_find(talus_context *context, const char *resume, bool continued,
                            char **path) {
  *path = NULL;
  if (is_directory(resume)) {
    return continued ? find_newest(context, resume, path)
                     : tl_checkpoint_newest(context, resume, INT64_MAX, path);
  }
  if (continued) {
    TL_TRY(check(context, resume));
  }
  void *memory = NULL;
  TL_TRY(tl_alloc(context, &memory, strlen(resume) + 1, 1, "a path"));
  *path = strcpy(memory, resume);
  return TALUS_OK;
}

talus_status tl_record_is_continued(talus_context *context, const char *directory,
                                    const char *resume, bool *continued) {
  char folder[1024];
  const char *const slash = strrchr(resume, '/');
  const size_t length = is_directory(resume) ? strlen(resume)
                        : slash != NULL      ? (size_t)(slash - resume) + 1
                                             : 0;
  struct stat a, b;
  if (length >= sizeof folder) {
    return tl_fail(context, TALUS_FILE_OPEN, "the name of the checkpoint is too long");
  }
  memcpy(folder, length > 0 ? resume : ".", length > 0 ? length : 1);
  folder[length > 0 ? length : 1] = '\0';
  *continued = stat(folder, &a) == 0 && stat(directory, &b) == 0 && a.st_dev == b.st_dev &&
               a.st_ino == b.st_ino;
  return TALUS_OK;
}

talus_status talus_record_newest(talus_context *context, const char *directory, char *path,
                                 size_t capacity) {
  char *found = NULL;
  if (context == NULL || directory == NULL || path == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(find_newest(context, directory, &found));
  const talus_status status = tl_checkpoint_path_copy(context, found, path, capacity);
  tl_free(context, found);
  return status;
}
