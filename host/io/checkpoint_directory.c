/* checkpoint_directory.c: names of checkpoints, the newest one, the ones too many. */
#define _GNU_SOURCE /* syncfs */
#include "host/io/checkpoint_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/io/checkpoint_head.h"
#include "host/io/output_file.h"

enum { LONGEST = 64 }; /* name of a checkpoint, or of its temporary file */

talus_status tl_checkpoint_path(talus_context *context, const char *directory, int64_t step,
                                char **path) {
  void *memory;
  const size_t room = strlen(directory) + LONGEST;
  *path = NULL;
  TL_TRY(tl_alloc(context, &memory, room, 1, "file name"));
  *path = memory;
  snprintf(*path, room, "%s/checkpoint-%06" PRId64 ".h5", directory, step);
  return TALUS_OK;
}

/* The step of checkpoint-NNNNNN.h5, or -1; *rest points behind the name. */
static int64_t name_step(const char *name, const char **rest) {
  static const char begin[] = "checkpoint-", end[] = ".h5";
  if (strncmp(name, begin, sizeof begin - 1) != 0) {
    return -1;
  }
  const char *digit = name + sizeof begin - 1;
  const size_t count = strspn(digit, "0123456789");
  if (count < 6 || count > 18 || strncmp(digit + count, end, sizeof end - 1) != 0) {
    return -1;
  }
  *rest = digit + count + sizeof end - 1;
  return strtoll(digit, NULL, 10);
}

/* checkpoint-NNNNNN.h5.PID-K.part of a process that is gone. */
static bool is_orphan(const char *name, const char *rest) {
  size_t length = 0;
  const long writer = tl_output_writer(name, &length);
  return writer > 0 && name + length == rest && !tl_output_writer_lives(writer);
}

typedef struct step_list {
  int64_t *step;
  size_t count, capacity;
} step_list;

static talus_status list_add(talus_context *context, step_list *list, int64_t step) {
  if (list->count == list->capacity) {
    void *memory;
    const size_t capacity = 2 * list->capacity + 16;
    TL_TRY(tl_alloc(context, &memory, capacity, sizeof *list->step, "list of checkpoints"));
    if (list->count > 0) {
      memcpy(memory, list->step, list->count * sizeof *list->step);
    }
    tl_free(context, list->step);
    list->step = memory;
    list->capacity = capacity;
  }
  list->step[list->count++] = step;
  return TALUS_OK;
}

static int by_step(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Steps of the checkpoints there, ascending; orphans are deleted where asked. */
static talus_status list_read(talus_context *context, const char *directory, int clean,
                              step_list *list) {
  memset(list, 0, sizeof *list);
  DIR *folder = opendir(directory);
  if (folder == NULL) {
    return tl_fail(context, TALUS_FILE_OPEN, "%s: %s", directory, strerror(errno));
  }
  talus_status status = TALUS_OK;
  for (struct dirent *entry; status == TALUS_OK && (entry = readdir(folder)) != NULL;) {
    const char *rest = "";
    const int64_t step = name_step(entry->d_name, &rest);
    if (step >= 0 && rest[0] == 0) {
      status = list_add(context, list, step);
    } else if (step >= 0 && clean && is_orphan(entry->d_name, rest) &&
               unlinkat(dirfd(folder), entry->d_name, 0) == 0) {
      tl_log(context, TALUS_LOG_INFO, "%s/%s: left by a killed run, deleted", directory,
             entry->d_name);
    }
  }
  closedir(folder);
  if (list->count > 0) {
    qsort(list->step, list->count, sizeof *list->step, by_step);
  }
  return status;
}

static int sync_files(int directory) {
#ifdef __linux__
  return syncfs(directory);
#else
  (void)directory;
  sync();
  return 0;
#endif
}

static talus_status sync_by(talus_context *context, const char *directory, int (*by)(int)) {
  const int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) {
    return tl_fail(context, TALUS_FILE_WRITE, "%s: cannot be synced: %s", directory,
                   strerror(errno));
  }
  const bool failed = by(file) != 0 && errno != EINVAL && errno != ENOTSUP && errno != ENOSYS;
  const int reason = errno;
  close(file);
  return failed ? tl_fail(context, TALUS_FILE_WRITE, "%s: cannot be synced: %s", directory,
                          strerror(reason))
                : TALUS_OK;
}

talus_status tl_directory_sync(talus_context *context, const char *directory) {
  return sync_by(context, directory, fsync);
}

talus_status tl_directory_sync_files(talus_context *context, const char *directory) {
  return sync_by(context, directory, sync_files);
}

void tl_directory_prune(talus_context *context, const char *directory, int64_t step, int32_t keep) {
  step_list list;
  if (list_read(context, directory, 1, &list) != TALUS_OK) {
    tl_log(context, TALUS_LOG_WARNING, "old checkpoints stay: %s", talus_context_message(context));
    tl_free(context, list.step);
    return;
  }
  size_t older = 0;
  while (older < list.count && list.step[older] < step) {
    older++;
  }
  for (size_t k = 0; keep >= 1 && k + (size_t)keep - 1 < older; k++) {
    char *path;
    if (tl_checkpoint_path(context, directory, list.step[k], &path) != TALUS_OK) {
      break;
    }
    if (unlink(path) != 0) {
      tl_log(context, TALUS_LOG_WARNING, "%s: cannot be deleted: %s", path, strerror(errno));
    }
    tl_free(context, path);
  }
  tl_free(context, list.step);
}

talus_status tl_checkpoint_newest(talus_context *context, const char *directory, int64_t before,
                                  char **path) {
  step_list list;
  *path = NULL;
  talus_status status = list_read(context, directory, 0, &list);
  for (size_t k = list.count; status == TALUS_OK && k > 0; k--) {
    tl_checkpoint_head head;
    if (list.step[k - 1] >= before) {
      continue;
    }
    status = tl_checkpoint_path(context, directory, list.step[k - 1], path);
    if (status != TALUS_OK || tl_head_read(context, *path, NULL, 1, &head) == TALUS_OK) {
      break;
    }
    tl_log(context, TALUS_LOG_WARNING, "passed over: %s", talus_context_message(context));
    tl_free(context, *path);
    *path = NULL;
  }
  tl_free(context, list.step);
  if (status == TALUS_OK && *path == NULL) {
    status = tl_fail(context, TALUS_FILE_OPEN, "%s: holds no whole checkpoint", directory);
  }
  return status;
}
