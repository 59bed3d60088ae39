/* record_directory.c: the directory of a run: made, looked into, and cleared only when asked. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/io/output_file.h"
#include "host/scene/record.h"

/* What a run writes, and nothing else. */
static const char *const patterns[] = {"scene.yaml",
                                       "from.h5",
                                       "packing.csv",
                                       "packing.vtp",
                                       "scalars.csv",
                                       "broken.csv",
                                       "checkpoint-[0-9]*.h5",
                                       "grains-[0-9]*.vtp",
                                       "contacts-[0-9]*.vtp",
                                       "surfaces-[0-9]*.vtp",
                                       "walls-[0-9]*.vtp",
                                       "bonds-[0-9]*.vtp",
                                       "grains.pvd",
                                       "contacts.pvd",
                                       "surfaces.pvd",
                                       "walls.pvd",
                                       "bonds.pvd",
                                       "frame-[0-9]*.png",
                                       "plot.png",
                                       "movie.mp4",
                                       "failed-[0-9]*.hdf5",
                                       "failed-[0-9]*.dat",
                                       "problem-[0-9]*.hdf5",
                                       "problem-worst.hdf5",
                                       "measure.csv",
                                       "averages.csv",
                                       "measure-*-[0-9]*.csv",
                                       "measure-*-[0-9]*.vti"};

static bool is_of_a_run(const char *name) {
  for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
    if (fnmatch(patterns[i], name, 0) == 0) {
      return true;
    }
  }
  return false;
}

/* What a process that is gone left half-written of such a file. The process number may be ours by
 * now: this one has just begun. */
static bool is_left_over(const char *name) {
  char whole[256];
  size_t length = 0;
  const long writer = tl_output_writer(name, &length);
  if (writer == 0 || length >= sizeof whole ||
      (writer != (long)getpid() && tl_output_writer_lives(writer))) {
    return false;
  }
  memcpy(whole, name, length);
  whole[length] = '\0';
  return is_of_a_run(whole);
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

static talus_status delete_file(talus_context *context, const char *directory, const char *name) {
  char path[1400];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return unlink(path) == 0 || errno == ENOENT
             ? TALUS_OK
             : tl_fail(context, TALUS_FILE_WRITE, "%s cannot be deleted: %s", path,
                       strerror(errno));
}

/* Refuses to delete a file that the run is made from. */
static talus_status check_read(talus_context *context, const char *directory, DIR *open,
                               const char *const read[], int32_t count) {
  for (struct dirent *entry = readdir(open); entry != NULL; entry = readdir(open)) {
    struct stat file, other;
    char path[1400];
    snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    const bool goes = is_of_a_run(entry->d_name) && stat(path, &file) == 0;
    for (int32_t i = 0; i < count && goes; i++) {
      if (read[i] != NULL && stat(read[i], &other) == 0 && file.st_dev == other.st_dev &&
          file.st_ino == other.st_ino) {
        return tl_fail(context, TALUS_FILE_WRITE,
                       "%s would be deleted, and the run is made from it: choose another --out, or "
                       "copy it elsewhere",
                       path);
      }
    }
  }
  rewinddir(open);
  return TALUS_OK;
}

static talus_status clear(talus_context *context, const char *directory, DIR *open, bool force) {
  for (struct dirent *entry = readdir(open); entry != NULL; entry = readdir(open)) {
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
    TL_TRY(delete_file(context, directory, entry->d_name));
  }
  return TALUS_OK;
}

static talus_status sweep(talus_context *context, const char *directory, DIR *open) {
  for (struct dirent *entry = readdir(open); entry != NULL; entry = readdir(open)) {
    if (is_left_over(entry->d_name)) {
      TL_TRY(delete_file(context, directory, entry->d_name));
    }
  }
  return TALUS_OK;
}

static talus_status open_directory(talus_context *context, const char *directory, DIR **open) {
  *open = opendir(directory);
  return *open != NULL ? TALUS_OK
                       : tl_fail(context, TALUS_FILE_WRITE, "%s cannot be read: %s", directory,
                                 strerror(errno));
}

talus_status tl_record_prepare(talus_context *context, const char *directory, bool force,
                               const char *const read[], int32_t read_count, tl_lock *lock) {
  DIR *open = NULL;
  TL_TRY(make_directory(context, directory));
  TL_TRY(tl_lock_take(context, directory, lock));
  talus_status status = open_directory(context, directory, &open);
  if (status == TALUS_OK) {
    status = force ? check_read(context, directory, open, read, read_count) : TALUS_OK;
    status = status == TALUS_OK ? clear(context, directory, open, force) : status;
    closedir(open);
  }
  if (status != TALUS_OK) {
    tl_lock_release(context, lock);
  }
  return status;
}

talus_status tl_record_sweep(talus_context *context, const char *directory) {
  DIR *open = NULL;
  TL_TRY(open_directory(context, directory, &open));
  const talus_status status = sweep(context, directory, open);
  closedir(open);
  return status;
}
