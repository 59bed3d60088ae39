/* record_directory.c: the directory of a run: made, looked into, and cleared only when asked. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/scene/record.h"

/* What a run writes, and nothing else. */
static const char *const patterns[] = {
    "scene.yaml",        "scalars.csv",         "checkpoint-[0-9]*.h5",
    "grains-[0-9]*.vtp", "contacts-[0-9]*.vtp", "surfaces-[0-9]*.vtp",
    "walls-[0-9]*.vtp",  "grains.pvd",          "contacts.pvd",
    "surfaces.pvd",      "walls.pvd",           "frame-[0-9]*.png",
    "plot.png",          "movie.mp4",           "failed-[0-9]*.hdf5",
    "failed-[0-9]*.dat"};

static int is_of_a_run(const char *name) {
  for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
    if (fnmatch(patterns[i], name, 0) == 0) {
      return 1;
    }
  }
  return 0;
}

static talus_status make_directory(talus_context *context, const char *directory) {
  char path[1024];
  if (directory[0] == '\0' || strlen(directory) >= sizeof path) {
    return tl_fail(context, TALUS_FILE_WRITE, "'%.200s' is not the name of a directory", directory);
  }
  snprintf(path, sizeof path, "%s", directory);
  for (char *slash = path + 1;; slash++) {
    if (*slash == '/' || *slash == '\0') {
      const char kept = *slash;
      *slash = '\0';
      if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        return tl_fail(context, TALUS_FILE_WRITE, "%s cannot be made: %s", path, strerror(errno));
      }
      *slash = kept;
      if (kept == '\0') {
        break;
      }
    }
  }
  struct stat about;
  if (stat(directory, &about) != 0 || !S_ISDIR(about.st_mode)) {
    return tl_fail(context, TALUS_FILE_WRITE, "%s is not a directory", directory);
  }
  return TALUS_OK;
}

static talus_status clear(talus_context *context, const char *directory, DIR *open, int force) {
  for (struct dirent *entry = readdir(open); entry != NULL; entry = readdir(open)) {
    char path[1400];
    if (!is_of_a_run(entry->d_name)) {
      continue;
    }
    if (!force) {
      return tl_fail(
          context, TALUS_FILE_WRITE,
          "%s holds a run already (%s): choose another --out, go on with it by --resume, "
          "or replace it by --force",
          directory, entry->d_name);
    }
    snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    if (unlink(path) != 0) {
      return tl_fail(context, TALUS_FILE_WRITE, "%s cannot be deleted: %s", path, strerror(errno));
    }
  }
  return TALUS_OK;
}

talus_status tl_record_prepare(talus_context *context, const char *directory, int force) {
  TL_TRY(make_directory(context, directory));
  DIR *open = opendir(directory);
  if (open == NULL) {
    return tl_fail(context, TALUS_FILE_WRITE, "%s cannot be read: %s", directory, strerror(errno));
  }
  const talus_status status = clear(context, directory, open, force);
  closedir(open);
  return status;
}
