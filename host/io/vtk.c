/* vtk.c: the ParaView files of a run; see vtk.h. */
#define _POSIX_C_SOURCE 200809L
#include "host/io/vtk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/io/output_file.h"
#include "host/io/vtk_frame.h"
#include "host/io/vtk_series.h"

enum { GRAINS, CONTACTS, SURFACES, WALLS, BONDS, PARTS };

static const char *const names[PARTS] = {"grains", "contacts", "surfaces", "walls", "bonds"};

struct tl_vtk_writer {
  talus_context *context;
  char *directory;
  tl_series series[PARTS];
};

/* One file of a frame that is being written. */
typedef struct part {
  tl_bytes file;
  int64_t file_step; /* whose file is shown; < 0: none */
  char *made;        /* path of a file that was not there before */
} part;

talus_status tl_vtk_open(talus_context *context, const char *directory, int64_t resume,
                         tl_vtk_writer **writer) {
  void *memory;
  *writer = NULL;
  TL_TRY(tl_alloc(context, &memory, 1, sizeof **writer, "frame writer"));
  tl_vtk_writer *opened = memory;
  memset(opened, 0, sizeof *opened);
  opened->context = context;
  talus_status status = tl_alloc(context, &memory, strlen(directory) + 1, 1, "frame writer");
  if (status == TALUS_OK) {
    opened->directory = memory;
    strcpy(opened->directory, directory);
  }
  for (int k = 0; k < PARTS; k++) {
    opened->series[k].context = context;
    if (status == TALUS_OK) {
      status = tl_series_open(context, opened->directory, names[k], resume, &opened->series[k]);
    }
  }
  if (status != TALUS_OK) {
    tl_vtk_close(opened);
    return status;
  }
  *writer = opened;
  return TALUS_OK;
}

void tl_vtk_close(tl_vtk_writer *writer) {
  if (writer == NULL) {
    return;
  }
  for (int k = 0; k < PARTS; k++) {
    tl_series_release(&writer->series[k]);
  }
  tl_free(writer->context, writer->directory);
  tl_free(writer->context, writer);
}

/* Does the file hold just these bytes? */
static bool holds(const char *path, const tl_bytes *bytes) {
  unsigned char piece[4096];
  size_t at = 0, got = 1;
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return false;
  }
  while (got > 0 && at <= bytes->size) {
    got = fread(piece, 1, sizeof piece, file);
    if (got > bytes->size - at || memcmp(piece, bytes->memory + at, got) != 0) {
      at = SIZE_MAX;
      break;
    }
    at += got;
  }
  fclose(file);
  return at == bytes->size;
}

static talus_status write_bytes(talus_context *context, const char *path, const tl_bytes *bytes) {
  tl_output output;
  TL_TRY(tl_output_begin(context, path, &output));
  if (fwrite(bytes->memory, 1, bytes->size, output.stream) != bytes->size ||
      fflush(output.stream) != 0) {
    const talus_status status =
        tl_fail(context, TALUS_FILE_WRITE, "%s: writing failed: %s", path, strerror(errno));
    tl_output_abandon(&output);
    return status;
  }
  return tl_output_commit(&output);
}

/* Walls that are as they were are shown by the file that is there. */
static talus_status reuse(const tl_series *series, int64_t step, part *p) {
  const tl_series_entry *last = tl_series_last(series, step);
  char *path;
  if (last == NULL) {
    return TALUS_OK;
  }
  TL_TRY(tl_series_path(series, last->file_step, &path));
  if (holds(path, &p->file)) {
    p->file_step = last->file_step;
  }
  tl_free(series->context, path);
  return TALUS_OK;
}

static talus_status write_part(const tl_series *series, int64_t step, part *p) {
  char *path;
  TL_TRY(tl_series_path(series, step, &path));
  const bool there = access(path, F_OK) == 0;
  const talus_status status = write_bytes(series->context, path, &p->file);
  p->file_step = step;
  if (status == TALUS_OK && !there) {
    p->made = path;
  } else {
    tl_free(series->context, path);
  }
  return status;
}

static talus_status make_part(tl_vtk_writer *writer, const tl_frame *frame, int k, part *p) {
  const tl_series *series = &writer->series[k];
  int32_t count = 1;
  p->file.context = writer->context;
  p->file_step = -1;
  switch (k) {
  case GRAINS:
    TL_TRY(tl_vtk_grains(writer->context, frame, &p->file));
    break;
  case CONTACTS:
    TL_TRY(tl_vtk_contacts(writer->context, frame, &p->file));
    break;
  case BONDS:
    TL_TRY(tl_vtk_bonds(writer->context, frame, &p->file, &count));
    break;
  default:
    TL_TRY(tl_vtk_surfaces(writer->context, frame, k == WALLS, &p->file, &count));
    break;
  }
  if (count == 0 && tl_series_last(series, frame->step) == NULL) {
    return TALUS_OK; /* a run without such things has no such files */
  }
  if (k == WALLS) {
    TL_TRY(reuse(series, frame->step, p));
  }
  return p->file_step >= 0 ? TALUS_OK : write_part(series, frame->step, p);
}

static talus_status write_frame(tl_vtk_writer *writer, const tl_frame *frame, part *parts) {
  for (int k = 0; k < PARTS; k++) {
    TL_TRY(make_part(writer, frame, k, &parts[k]));
    tl_bytes_release(&parts[k].file);
  }
  /* grains last: what they list is there as a whole */
  for (int k = PARTS - 1; k >= 0; k--) {
    if (parts[k].file_step >= 0) {
      TL_TRY(tl_series_add(&writer->series[k], frame->step, frame->time, parts[k].file_step));
      tl_free(writer->context, parts[k].made); /* listed: it stays */
      parts[k].made = NULL;
    }
  }
  return TALUS_OK;
}

talus_status tl_vtk_write(tl_vtk_writer *writer, const tl_frame *frame) {
  part parts[PARTS];
  memset(parts, 0, sizeof parts);
  TL_TRY(tl_frame_check(writer->context, frame));
  const talus_status status = write_frame(writer, frame, parts);
  for (int k = 0; k < PARTS; k++) {
    if (parts[k].made != NULL) {
      unlink(parts[k].made);
      tl_free(writer->context, parts[k].made);
    }
    if (parts[k].file.context != NULL) {
      tl_bytes_release(&parts[k].file);
    }
  }
  return status;
}

talus_status tl_vtk_cut(tl_vtk_writer *writer, int64_t step) {
  for (int k = 0; k < PARTS; k++) { /* grains first: what they list is there as a whole */
    TL_TRY(tl_series_cut(&writer->series[k], step));
  }
  return TALUS_OK;
}
