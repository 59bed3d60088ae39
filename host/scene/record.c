/* record.c: frames and lines of a run, each at its time. */
#include "host/scene/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/io/checkpoint_directory.h"
#include "host/io/csv.h"
#include "host/io/output_file.h"
#include "host/io/text_file.h"
#include "host/io/vtk.h"
#include "host/scene/record_checkpoint.h"
#include "host/scene/snapshot.h"

struct tl_record {
  talus_context *context;
  talus_scene *scene;
  char directory[1024];
  tl_snapshot snapshot;
  tl_vtk_writer *vtk;
  tl_csv *csv;
  int64_t every, checkpoint_every; /* steps; 0: never */
  int unsynced;                    /* frames that were written since the last checkpoint */
  int lost;                        /* output that the system had taken did not reach the disk */
  int64_t missing;                 /* the step whose frame or line could not be written, or -1 */
  tl_checkpoint_copy before;       /* the state before the last step that a frame is due after */
  tl_checkpoint_copy now;          /* what a checkpoint is written from */
};

/* A time as steps, at least one. */
static int64_t steps_of(double time, double step) {
  const double steps = floor(time / step + 0.5);
  return steps < 1 ? 1 : steps > TL_SCENE_STEPS ? (int64_t)TL_SCENE_STEPS : (int64_t)steps;
}

/* The scene as it was read, beside its results. */
static talus_status copy_scene(tl_record *record) {
  char path[1100];
  snprintf(path, sizeof path, "%s/scene.yaml", record->directory);
  tl_text text;
  tl_output output;
  talus_status status = tl_text_open(record->context, tl_scene_path(record->scene), &text);
  if (status == TALUS_OK) {
    status = tl_output_begin(record->context, path, &output);
    if (status == TALUS_OK) {
      const size_t written = fwrite(text.memory, 1, text.size, output.stream);
      if (written == text.size) {
        status = tl_output_commit(&output);
      } else {
        status = tl_fail(record->context, TALUS_FILE_WRITE, "%s could not be written", path);
        tl_output_abandon(&output);
      }
    }
  }
  tl_text_close(&text);
  return status;
}

static talus_status open_files(tl_record *record, int64_t resume) {
  const tl_scene_output *output = &tl_scene_says(record->scene)->output;
  char path[1100];
  TL_TRY(tl_record_sweep(record->context, record->directory));
  TL_TRY(tl_snapshot_open(record->scene, &record->snapshot));
  if (output->frames) {
    TL_TRY(tl_vtk_open(record->context, record->directory, resume, &record->vtk));
  }
  snprintf(path, sizeof path, "%s/scalars.csv", record->directory);
  TL_TRY(tl_csv_open(record->context, path, record->snapshot.column, record->snapshot.column_count,
                     resume, &record->csv));
  return copy_scene(record);
}

talus_status tl_record_open(talus_scene *scene, const char *directory, int64_t resume,
                            tl_record **result) {
  talus_context *context = tl_scene_context(scene);
  const tl_scene_definition *def = tl_scene_says(scene);
  void *memory = NULL;
  *result = NULL;
  TL_TRY(tl_alloc(context, &memory, 1, sizeof(tl_record), "the record of a run"));
  tl_record *record = memory;
  memset(record, 0, sizeof *record);
  record->context = context;
  record->scene = scene;
  record->missing = -1;
  const double length =
      def->run.steps > 0 ? (double)def->run.steps * def->world.step : def->run.time;
  record->every =
      steps_of(def->output.every > 0 ? def->output.every : length / 100, def->world.step);
  record->checkpoint_every =
      def->output.checkpoint > 0 ? steps_of(def->output.checkpoint, def->world.step) : 0;
  talus_status status = TALUS_OK;
  if (strlen(directory) >= sizeof record->directory) {
    status = tl_fail(context, TALUS_FILE_WRITE, "the name of the directory is too long");
  } else {
    snprintf(record->directory, sizeof record->directory, "%s", directory);
    status = open_files(record, resume);
  }
  if (status != TALUS_OK) {
    char message[sizeof context->message];
    memcpy(message, context->message, sizeof message);
    tl_record_close(record);
    return tl_fail(context, status, "%s", message);
  }
  *result = record;
  return TALUS_OK;
}

talus_status tl_record_close(tl_record *record) {
  if (record == NULL) {
    return TALUS_OK;
  }
  tl_vtk_close(record->vtk);
  const talus_status status = tl_csv_close(record->csv);
  tl_snapshot_close(&record->snapshot);
  tl_checkpoint_release(record->context, &record->before);
  tl_checkpoint_release(record->context, &record->now);
  tl_free(record->context, record);
  return status;
}

int tl_record_is_due(const tl_record *record, int64_t step) {
  return step % record->every == 0;
}

int tl_record_checkpoint_is_due(const tl_record *record, int64_t step) {
  return record->checkpoint_every > 0 && step % record->checkpoint_every == 0;
}

static talus_status take_state(tl_record *record, const talus_world *world,
                               tl_checkpoint_copy *copy) {
  TL_TRY(tl_checkpoint_take(record->scene, world, copy));
  copy->last_line = tl_csv_last(record->csv);
  return TALUS_OK;
}

talus_status tl_record_before_step(tl_record *record, const talus_world *world) {
  return tl_record_is_due(record, talus_world_steps(world) + 1)
             ? take_state(record, world, &record->before)
             : TALUS_OK;
}

static talus_status write_frame(tl_record *record, const talus_world *world,
                                const talus_step_report *report) {
  const tl_scene_output *output = &tl_scene_says(record->scene)->output;
  tl_snapshot *snapshot = &record->snapshot;
  TL_TRY(tl_snapshot_take(snapshot, record->scene, world, report, output->contacts));
  if (record->vtk != NULL) {
    record->unsynced = 1;
    TL_TRY(tl_vtk_write(record->vtk, &snapshot->frame));
  }
  return tl_csv_row(record->csv, snapshot->frame.step, snapshot->value);
}

talus_status tl_record_frame(tl_record *record, const talus_world *world,
                             const talus_step_report *report) {
  const talus_status status = write_frame(record, world, report);
  if (status != TALUS_OK) {
    record->missing = talus_world_steps(world);
  }
  return status;
}

/* A restart takes what was written before the checkpoint as given: it has to be on the disk first.
 * A sync that failed must not be tried again: the system forgets what it could not write. */
static talus_status sync_output(tl_record *record) {
  if (record->lost) {
    return tl_fail(record->context, TALUS_FILE_WRITE,
                   "%s: no checkpoint, since output was lost: go on from an older one",
                   record->directory);
  }
  talus_status status = tl_csv_sync(record->csv);
  if (status == TALUS_OK && record->unsynced) {
    status = tl_directory_sync_files(record->context, record->directory);
  }
  record->lost = status != TALUS_OK;
  record->unsynced = 0;
  return status;
}

talus_status tl_record_checkpoint(tl_record *record, const talus_world *world, int64_t *step) {
  const int32_t keep = (int32_t)tl_scene_says(record->scene)->output.keep;
  *step = talus_world_steps(world);
  if (record->vtk != NULL) {
    TL_TRY(tl_vtk_cut(record->vtk, *step));
  }
  TL_TRY(sync_output(record));
  /* before the first step there is nothing to go back to: a restart at 0 writes its frame anew */
  if (record->missing == *step && *step > 0) {
    *step = record->before.world.step_count;
    return tl_checkpoint_write(record->scene, &record->before, record->directory, keep);
  }
  TL_TRY(take_state(record, world, &record->now));
  return tl_checkpoint_write(record->scene, &record->now, record->directory, keep);
}
