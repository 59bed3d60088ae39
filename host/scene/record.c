/* record.c: frames and lines of a run, each at its time. */
#include "host/scene/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/io/checkpoint_directory.h"
#include "host/io/output_file.h"
#include "host/io/table.h"
#include "host/io/text_file.h"
#include "host/io/vtk.h"
#include "host/ranks/agree.h"
#include "host/scene/measure_define.h"
#include "host/scene/record_checkpoint.h"
#include "host/scene/snapshot.h"
#include "host/world/world.h"

struct talus_record {
  talus_context *context;
  talus_scene *scene; /* NULL: not open */
  char directory[1024];
  bool force;
  bool silent;           /* of a rank that writes nothing: the first writes for all */
  tl_lock lock;          /* on the directory */
  tl_record_start start; /* of a restart */
  tl_snapshot snapshot;
  tl_vtk_writer *vtk;
  talus_table *table;
  tl_record_broken broken;
  tl_measure_record measure;
  int64_t every, checkpoint_every; /* steps; 0: never */
  bool unsynced;                   /* frames that were written since the last checkpoint */
  bool lost;                       /* output that the system had taken did not reach the disk */
  int32_t left_out;                /* bodies that the last tables of output.packing do not hold */
  int64_t missing;                 /* the step whose frame or line could not be written, or -1 */
  tl_checkpoint_copy before;       /* the state before the last step that a frame is due after */
  tl_checkpoint_copy now;          /* what a checkpoint is written from */
};

/* A time as steps, at least one. */
static int64_t steps_of(double time, double step) {
  const double steps = floor(time / step + 0.5);
  return steps < 1 ? 1 : steps > TL_SCENE_STEPS ? (int64_t)TL_SCENE_STEPS : (int64_t)steps;
}

/* A file beside the results. */
static talus_status copy_file(talus_record *record, const char *from, const char *name) {
  char path[1100];
  snprintf(path, sizeof path, "%s/%s", record->directory, name);
  tl_text text;
  tl_output output;
  talus_status status = tl_text_open(record->context, from, &text);
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

/* The scene with its overrides: what a restart or `talus measure` reads has to be the whole of it.
 */
static talus_status write_scene(talus_record *record) {
  char path[1100];
  tl_output output;
  snprintf(path, sizeof path, "%s/scene.yaml", record->directory);
  TL_TRY(tl_scene_settle(record->scene, record->directory));
  TL_TRY(tl_output_begin(record->context, path, &output));
  if (!tl_scene_write(record->scene, output.stream)) {
    tl_output_abandon(&output);
    return copy_file(record, tl_scene_path(record->scene), "scene.yaml");
  }
  return tl_output_commit(&output);
}

/* The scene, and the checkpoint that it began from, without which a restart could not build its
 * world. */
static talus_status copy_scene(talus_record *record) {
  const char *const from = tl_scene_from_path(record->scene);
  TL_TRY(write_scene(record));
  return from != NULL && !record->start.continued ? copy_file(record, from, "from.h5") : TALUS_OK;
}

/* Measurements of output.measure, their bodies by the names of the built scene. */
static talus_status open_measure(talus_record *record, int64_t resume) {
  const tl_scene_definition *const def = tl_scene_def(record->scene);
  const int32_t count = def->output.measure.count;
  void *memory = NULL;
  if (count == 0) {
    return TALUS_OK;
  }
  TL_TRY(tl_alloc(record->context, &memory, (size_t)count, sizeof(tl_measure_def), "measurements"));
  tl_measure_def *const measure = memory;
  for (int32_t i = 0; i < count; i++) {
    const tl_scene_measure *const from = (const tl_scene_measure *)def->output.measure.item + i;
    measure[i] = tl_measure_define(
        def, from,
        from->with != NULL ? talus_scene_body_find(record->scene, from->with) : TALUS_NONE);
  }
  const talus_status status =
      tl_measure_record_open(record->context, record->directory, measure, count,
                             def->world.plane != 0, resume, &record->measure);
  tl_free(record->context, memory);
  return status;
}

static talus_status open_files(talus_record *record, int64_t resume) {
  const tl_scene_output *output = &tl_scene_def(record->scene)->output;
  char path[1100];
  TL_TRY(tl_record_sweep(record->context, record->directory));
  TL_TRY(tl_snapshot_open(record->scene, &record->snapshot));
  if (output->frames) {
    TL_TRY(tl_vtk_open(record->context, record->directory, resume, &record->vtk));
  }
  snprintf(path, sizeof path, "%s/scalars.csv", record->directory);
  TL_TRY(talus_table_open(record->context, path, record->snapshot.column,
                          record->snapshot.column_count, resume, &record->table));
  if (tl_scene_def(record->scene)->bonds.count > 0) {
    snprintf(path, sizeof path, "%s/broken.csv", record->directory);
    TL_TRY(tl_record_broken_open(record->context, path, resume, &record->broken));
  }
  TL_TRY(open_measure(record, resume));
  return copy_scene(record);
}

void talus_record_def_init(talus_record_def *def, size_t size) {
  static const talus_record_def defaults = {.force = 0};
  tl_struct_init(&tl_struct_record_def, &defaults, def, size);
}

/* Ends a record whose making failed; the message of the failure stays. */
static talus_status give_up(talus_record *record, talus_status status) {
  talus_context *const context = record->context;
  char message[sizeof context->message];
  const bool told = context->told;
  memcpy(message, context->message, sizeof message);
  talus_record_close(record);
  tl_fail(context, status, "%s", message);
  context->told = told;
  return status;
}

/* Takes the lock of a directory that is continued before its checkpoints are looked at. */
static talus_status find_start(talus_record *record, const char *resume) {
  tl_record_start *const start = &record->start;
  TL_TRY(tl_record_is_continued(record->context, record->directory, resume, &start->continued));
  if (start->continued && !record->silent) {
    TL_TRY(tl_lock_take(record->context, record->directory, &record->lock));
  }
  return tl_record_find(record->context, resume, start->continued, &start->checkpoint);
}

/* Whether all ranks go on from the same checkpoint. */
static talus_status check_same_start(const talus_record *record) {
  const char *const path = record->start.checkpoint != NULL ? record->start.checkpoint : "";
  return tl_ranks_of(record->context) == NULL
             ? TALUS_OK
             : tl_ranks_same(record->context, path, strlen(path), "checkpoint to go on from");
}

talus_status talus_record_create(talus_context *context, const talus_record_def *given,
                                 talus_record **result) {
  void *memory = NULL;
  if (context == NULL || given == NULL || result == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  *result = NULL;
  talus_record_def def = talus_record_def_default();
  TL_TRY(tl_struct_read(context, &tl_struct_record_def, "record def", given, &def));
  if (def.directory == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "record def: directory is NULL");
  }
  TL_TRY(tl_alloc(context, &memory, 1, sizeof(talus_record), "the record of a run"));
  talus_record *const record = memory;
  memset(record, 0, sizeof *record);
  record->context = context;
  record->force = def.force != 0;
  record->silent = !tl_ranks_first(context);
  record->missing = -1;
  record->lock.file = -1;
  talus_status status = TALUS_OK;
  if (strlen(def.directory) >= sizeof record->directory) {
    status = tl_fail(context, TALUS_FILE_WRITE, "the name of the directory is too long");
  } else {
    strcpy(record->directory, def.directory);
    status = def.resume != NULL ? find_start(record, def.resume) : TALUS_OK;
  }
  status = tl_ranks_agree(context, status);
  status = status == TALUS_OK ? check_same_start(record) : status;
  if (status != TALUS_OK) {
    return give_up(record, status);
  }
  *result = record;
  return TALUS_OK;
}

talus_status talus_record_resume(talus_record *record, talus_scene *scene, talus_world *world) {
  if (record == NULL || scene == NULL || world == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  return record->start.checkpoint != NULL
             ? talus_scene_resume(scene, world, record->start.checkpoint)
             : TALUS_OK;
}

/* An interval that the scene gives, in steps; says if these are not as long. */
static int64_t interval_of(const talus_record *record, const char *key, double given, double step) {
  const int64_t steps = steps_of(given, step);
  if (fabs((double)steps * step - given) > 1e-6 * given) {
    tl_log(record->context, TALUS_LOG_WARNING,
           "output.%s, %g s, is no whole number of steps of %g s: taken as %g s", key, given, step,
           (double)steps * step);
  }
  return steps;
}

/* How often frames and checkpoints are due, in steps. */
static void choose_intervals(talus_record *record) {
  const tl_scene_definition *const def = tl_scene_def(record->scene);
  const double length =
      def->run.steps > 0 ? (double)def->run.steps * def->world.step : def->run.time;
  const tl_scene_output *const output = &def->output;
  const double step = def->world.step;
  record->every = output->every > 0 ? interval_of(record, "every", output->every, step)
                                    : steps_of(length / 100, step);
  record->checkpoint_every =
      output->checkpoint > 0 ? interval_of(record, "checkpoint", output->checkpoint, step) : 0;
}

/* Whether frames and checkpoints are due at the same time on all ranks. */
static talus_status check_same_intervals(const talus_record *record) {
  const int64_t every[2] = {record->every, record->checkpoint_every};
  return tl_ranks_of(record->context) == NULL
             ? TALUS_OK
             : tl_ranks_same(record->context, every, sizeof every, "output of the scene");
}

static talus_status close_files(talus_record *record) {
  tl_vtk_close(record->vtk);
  record->vtk = NULL;
  talus_status status = talus_table_close(record->table);
  record->table = NULL;
  const talus_status broken = talus_table_close(record->broken.table);
  record->broken.table = NULL;
  status = status == TALUS_OK ? broken : status;
  const talus_status measured = tl_measure_record_close(&record->measure);
  status = status == TALUS_OK ? measured : status;
  tl_snapshot_close(&record->snapshot);
  return status;
}

static talus_status open_record(talus_record *record, const talus_world *world) {
  talus_context *const context = record->context;
  char message[sizeof context->message];
  if (!record->start.continued) {
    const char *const read[2] = {tl_scene_path(record->scene), tl_scene_from_path(record->scene)};
    TL_TRY(tl_record_prepare(context, record->directory, record->force, read, 2, &record->lock));
  }
  const talus_status status =
      open_files(record, record->start.continued ? talus_world_steps(world) : -1);
  if (status == TALUS_OK) {
    return TALUS_OK;
  }
  memcpy(message, context->message, sizeof message);
  close_files(record);
  if (!record->start.continued) {
    tl_lock_release(context, &record->lock);
  }
  return tl_fail(context, status, "%s", message);
}

talus_status talus_record_open(talus_record *record, talus_scene *scene, const talus_world *world) {
  if (record == NULL || scene == NULL || world == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  if (record->scene != NULL) {
    return tl_fail(record->context, TALUS_CALL_ORDER, "the record is open already");
  }
  record->scene = scene;
  choose_intervals(record);
  talus_status status = check_same_intervals(record);
  if (status == TALUS_OK) {
    status =
        tl_ranks_agree(record->context, record->silent ? TALUS_OK : open_record(record, world));
  }
  record->scene = status == TALUS_OK ? scene : NULL; /* it may be tried again */
  return status;
}

talus_status talus_record_close(talus_record *record) {
  if (record == NULL) {
    return TALUS_OK;
  }
  talus_context *const context = record->context;
  const talus_status status = close_files(record);
  if (record->left_out > 0) {
    tl_log(context, TALUS_LOG_WARNING,
           "%s/packing.csv and packing.vtp lack %d bodies: a table holds no clumps and hulls; "
           "--from takes them from the checkpoint",
           record->directory, (int)record->left_out);
  }
  tl_checkpoint_release(context, &record->before);
  tl_checkpoint_release(context, &record->now);
  tl_free(context, record->start.checkpoint);
  tl_lock_release(context, &record->lock);
  tl_free(context, record);
  return status;
}

/* Whether a call may write: the record and the world are there, and the files are open. */
static talus_status check_open(const talus_record *record, const talus_world *world) {
  if (record == NULL || world == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  return record->table != NULL || (record->silent && record->scene != NULL)
             ? TALUS_OK
             : tl_fail(record->context, TALUS_CALL_ORDER, "the record has not been opened");
}

static bool frame_is_due(const talus_record *record, int64_t step) {
  return record->every > 0 && step % record->every == 0;
}

uint32_t talus_record_due(const talus_record *record, int64_t step) {
  if (record == NULL) {
    return 0;
  }
  const bool checkpoint = record->checkpoint_every > 0 && step % record->checkpoint_every == 0;
  return (frame_is_due(record, step) ? (uint32_t)TALUS_RECORD_FRAME : 0) |
         (checkpoint ? (uint32_t)TALUS_RECORD_CHECKPOINT : 0);
}

static talus_status take_state(talus_record *record, const talus_world *world,
                               tl_checkpoint_copy *copy) {
  TL_TRY(tl_checkpoint_take(record->scene, world, copy));
  copy->last_line = tl_table_last(record->table);
  return TALUS_OK;
}

static talus_status before_step(talus_record *record, const talus_world *world) {
  TL_TRY(tl_record_broken_write(&record->broken, world));
  return frame_is_due(record, talus_world_steps(world) + 1)
             ? take_state(record, world, &record->before)
             : TALUS_OK;
}

talus_status talus_record_before_step(talus_record *record, const talus_world *world) {
  TL_TRY(check_open(record, world));
  const bool due = frame_is_due(record, talus_world_steps(world) + 1);
  if (due) {
    TL_TRY(tl_first_read(world, true));
  }
  const talus_status status =
      tl_ranks_agree(record->context, record->silent ? TALUS_OK : before_step(record, world));
  if (due) {
    tl_first_done(world);
  }
  return status;
}

static talus_status write_frame(talus_record *record, const talus_world *world,
                                const talus_step_report *report) {
  const tl_scene_output *output = &tl_scene_def(record->scene)->output;
  tl_snapshot *snapshot = &record->snapshot;
  const bool measures = output->measure.count > 0;
  TL_TRY(tl_record_broken_write(&record->broken, world));
  TL_TRY(tl_snapshot_take(snapshot, record->scene, world, report, output->contacts || measures));
  record->unsynced = record->unsynced || record->vtk != NULL || measures;
  if (record->vtk != NULL) {
    tl_frame frame = snapshot->frame;
    frame.contact_count = output->contacts ? frame.contact_count : 0;
    TL_TRY(tl_vtk_write(record->vtk, &frame));
  }
  TL_TRY(tl_measure_record_frame(&record->measure, &snapshot->frame));
  return talus_table_row(record->table, snapshot->frame.step, snapshot->value);
}

talus_status talus_record_frame(talus_record *record, const talus_world *world,
                                const talus_step_report *given) {
  talus_step_report report = talus_step_report_default();
  TL_TRY(check_open(record, world));
  if (given != NULL) {
    TL_TRY(tl_struct_read(record->context, &tl_struct_step_report, "step report", given, &report));
  }
  TL_TRY(tl_first_read(world, true));
  const talus_status status = tl_ranks_agree(
      record->context,
      record->silent ? TALUS_OK : write_frame(record, world, given != NULL ? &report : NULL));
  tl_first_done(world);
  if (status != TALUS_OK) {
    record->missing = talus_world_steps(world);
  }
  return status;
}

/* A restart takes what was written before the checkpoint as given: it has to be on the disk first.
 * A sync that failed must not be tried again: the system forgets what it could not write. */
static talus_status sync_output(talus_record *record) {
  if (record->lost) {
    return tl_fail(record->context, TALUS_FILE_WRITE,
                   "%s: no checkpoint, since output was lost: go on from an older one",
                   record->directory);
  }
  talus_status status = tl_table_sync(record->table);
  if (status == TALUS_OK && record->broken.table != NULL) {
    status = tl_table_sync(record->broken.table);
  }
  if (status == TALUS_OK && record->measure.table != NULL) {
    status = tl_table_sync(record->measure.table);
  }
  if (status == TALUS_OK && record->unsynced) {
    status = tl_directory_sync_files(record->context, record->directory);
  }
  record->lost = status != TALUS_OK;
  record->unsynced = false;
  return status;
}

/* The bodies of a checkpoint, for output.packing. */
static talus_status write_tables(talus_record *record, const tl_body_list *packing) {
  char path[1100];
  record->left_out = tl_packing_left_out(packing);
  snprintf(path, sizeof path, "%s/packing.csv", record->directory);
  TL_TRY(tl_packing_write(packing, path));
  snprintf(path, sizeof path, "%s/packing.vtp", record->directory);
  return tl_packing_write(packing, path);
}

static talus_status write_checkpoint(talus_record *record, const talus_world *world,
                                     int64_t *step) {
  const int32_t keep = (int32_t)tl_scene_def(record->scene)->output.keep;
  const int64_t now = talus_world_steps(world);
  if (record->vtk != NULL) {
    TL_TRY(tl_vtk_cut(record->vtk, now));
  }
  TL_TRY(tl_record_broken_write(&record->broken, world));
  TL_TRY(sync_output(record));
  /* before the first step there is nothing to go back to: a restart at 0 writes its frame anew */
  const bool back = record->missing == now && now > 0;
  if (!back) {
    TL_TRY(take_state(record, world, &record->now));
  }
  const tl_checkpoint_copy *const copy = back ? &record->before : &record->now;
  if (step != NULL) {
    *step = copy->world.state.step_count;
  }
  TL_TRY(tl_checkpoint_write(record->scene, copy, record->directory, keep));
  return tl_scene_def(record->scene)->output.packing ? write_tables(record, &copy->packing)
                                                     : TALUS_OK;
}

talus_status talus_record_checkpoint(talus_record *record, const talus_world *world,
                                     int64_t *step) {
  TL_TRY(check_open(record, world));
  TL_TRY(tl_first_read(world, true));
  const talus_status status = tl_ranks_agree(
      record->context, record->silent ? TALUS_OK : write_checkpoint(record, world, step));
  tl_first_done(world);
  return status;
}
