/* vtk_series.c: time series of .vtp files; see vtk_series.h. */
#define _POSIX_C_SOURCE 200809L
#include "host/io/vtk_series.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/io/output_file.h"
#include "host/io/text_file.h"

enum { NAME_ROOM = 64 };

talus_status tl_series_path(const tl_series *series, int64_t file_step, char **path) {
  void *memory;
  const size_t room = strlen(series->directory) + strlen(series->name) + NAME_ROOM;
  *path = NULL;
  TL_TRY(tl_alloc(series->context, &memory, room, 1, "file name"));
  *path = memory;
  snprintf(*path, room, "%s/%s-%08" PRId64 ".vtp", series->directory, series->name, file_step);
  return TALUS_OK;
}

static talus_status list_path(const tl_series *series, char **path) {
  void *memory;
  const size_t room = strlen(series->directory) + strlen(series->name) + NAME_ROOM;
  *path = NULL;
  TL_TRY(tl_alloc(series->context, &memory, room, 1, "file name"));
  *path = memory;
  snprintf(*path, room, "%s/%s.pvd", series->directory, series->name);
  return TALUS_OK;
}

static talus_status grow(tl_series *series) {
  void *memory;
  if (series->count < series->capacity) {
    return TALUS_OK;
  }
  const int32_t capacity = 2 * series->capacity + 64;
  TL_TRY(tl_alloc(series->context, &memory, (size_t)capacity, sizeof *series->entry, "frame list"));
  if (series->count > 0) {
    memcpy(memory, series->entry, (size_t)series->count * sizeof *series->entry);
  }
  tl_free(series->context, series->entry);
  series->entry = memory;
  series->capacity = capacity;
  return TALUS_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* One line as print_entry makes it; 0: not an entry; -1: one that is not ours. */
static int parse_entry(const char *line, const char *name, tl_series_entry *entry) {
  char file[NAME_ROOM], tail[8] = "";
  const char *begin = strstr(line, "<DataSet ");
  if (begin == NULL) {
    return 0;
  }
  const size_t length = strlen(name);
  if (sscanf(begin, "<DataSet timestep=\"%lf\" part=\"0\" file=\"%63[^\"]\"/><!-- step %" SCNd64,
             &entry->time, file, &entry->step) != 3 ||
      strncmp(file, name, length) != 0 || file[length] != '-' ||
      sscanf(file + length + 1, "%" SCNd64 "%7s", &entry->file_step, tail) != 2 ||
      strcmp(tail, ".vtp") != 0 || entry->step < 0 || entry->file_step < 0) {
    return -1;
  }
  return 1;
}

static talus_status take_line(tl_series *series, tl_text *text, const char *begin, size_t length) {
  char line[256];
  tl_series_entry entry;
  const size_t kept = length < sizeof line ? length : sizeof line - 1;
  memcpy(line, begin, kept);
  line[kept] = 0;
  const int found = parse_entry(line, series->name, &entry);
  if (found == 0) {
    return TALUS_OK;
  }
  if (found < 0 || (series->count > 0 && entry.step <= series->entry[series->count - 1].step)) {
    return tl_fail(series->context, TALUS_FILE_FORMAT, "%s: '%s' is not an entry that Talus writes",
                   text->path, line);
  }
  TL_TRY(grow(series));
  series->entry[series->count++] = entry;
  return TALUS_OK;
}

static talus_status read_list(tl_series *series, const char *path) {
  tl_text text;
  talus_status status = TALUS_OK;
  if (access(path, F_OK) != 0 && errno == ENOENT) {
    return TALUS_OK;
  }
  status = tl_text_open(series->context, path, &text);
  while (status == TALUS_OK && text.cursor < text.memory + text.size) {
    const char *begin;
    size_t length;
    tl_text_line(&text, &begin, &length);
    status = take_line(series, &text, begin, length);
  }
  tl_text_close(&text);
  return status;
}

talus_status tl_series_open(talus_context *context, const char *directory, const char *name,
                            int64_t resume, tl_series *series) {
  char *path;
  memset(series, 0, sizeof *series);
  series->context = context;
  series->directory = directory;
  series->name = name;
  series->resume = resume;
  if (resume < 0) {
    return TALUS_OK;
  }
  TL_TRY(list_path(series, &path));
  const talus_status status = read_list(series, path);
  tl_free(context, path);
  return status;
}

void tl_series_release(tl_series *series) {
  tl_free(series->context, series->entry);
  series->entry = NULL;
  series->count = series->capacity = 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* more: behind the first ones that are kept, or NULL. */
static talus_status write_list(tl_series *series, int32_t kept, const tl_series_entry *more) {
  char *path;
  tl_output output;
  TL_TRY(list_path(series, &path));
  talus_status status = tl_output_begin(series->context, path, &output);
  if (status == TALUS_OK) {
    fprintf(output.stream, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                           "byte_order=\"LittleEndian\">\n<Collection>\n");
    for (int32_t k = 0; k < kept + (more != NULL); k++) {
      const tl_series_entry *entry = k < kept ? &series->entry[k] : more;
      fprintf(output.stream,
              "<DataSet timestep=\"%.17g\" part=\"0\" file=\"%s-%08" PRId64
              ".vtp\"/><!-- step %" PRId64 " -->\n",
              entry->time, series->name, entry->file_step, entry->step);
    }
    fprintf(output.stream, "</Collection>\n</VTKFile>\n");
    status = tl_output_commit(&output);
  }
  tl_free(series->context, path);
  return status;
}

/* How many entries stay when a step is added: earlier ones, and none that a restart discards. */
static int32_t kept_count(const tl_series *series, int64_t step) {
  int32_t kept = series->count;
  while (kept > 0 &&
         (series->entry[kept - 1].step >= step || series->entry[kept - 1].step > series->resume)) {
    kept--;
  }
  return kept;
}

const tl_series_entry *tl_series_last(const tl_series *series, int64_t step) {
  const int32_t kept = kept_count(series, step);
  return kept > 0 ? &series->entry[kept - 1] : NULL;
}

static void delete_files(tl_series *series, int32_t kept, int64_t file_step) {
  const int64_t shown = kept > 0 ? series->entry[kept - 1].file_step : -1;
  for (int32_t k = kept; k < series->count; k++) {
    char *path;
    const int64_t file = series->entry[k].file_step;
    if (file != shown && file != file_step && tl_series_path(series, file, &path) == TALUS_OK) {
      unlink(path);
      tl_free(series->context, path);
    }
  }
}

talus_status tl_series_add(tl_series *series, int64_t step, double time, int64_t file_step) {
  const tl_series_entry more = {step, time, file_step};
  const int32_t kept = kept_count(series, step);
  TL_TRY(grow(series));
  TL_TRY(write_list(series, kept, &more));
  delete_files(series, kept, file_step);
  series->entry[kept] = more;
  series->count = kept + 1;
  series->resume = INT64_MAX;
  return TALUS_OK;
}

talus_status tl_series_cut(tl_series *series, int64_t step) {
  const int32_t kept = kept_count(series, step < INT64_MAX ? step + 1 : step);
  if (kept == series->count) {
    return TALUS_OK;
  }
  if (kept > 0) {
    TL_TRY(write_list(series, kept, NULL));
  } else {
    char *path;
    TL_TRY(list_path(series, &path));
    const bool failed = unlink(path) != 0 && errno != ENOENT;
    const talus_status status =
        failed ? tl_fail(series->context, TALUS_FILE_WRITE, "%s: %s", path, strerror(errno))
               : TALUS_OK;
    tl_free(series->context, path);
    TL_TRY(status);
  }
  delete_files(series, kept, -1);
  series->count = kept;
  return TALUS_OK;
}
