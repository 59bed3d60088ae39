/* test_render_memory.c: allocations fail at call 1, 2, 3, ... until frames, tables, pictures, plots
 * and checkpoints succeed: each failure says OUT_OF_MEMORY, gives everything back and leaves no
 * half file. */
#include "host/io/checkpoint.h"
#include "host/io/table.h"
#include "host/io/vtk.h"
#include "host/view/plot.h"
#include "host/view/render.h"
#include "tests/io/files.h"
#include "tests/io/frames.h"
#include "tests/scarce.h"

static scarce memory;
static talus_context *context;
static sample_frame *sample;

static talus_status frames(void) {
  tl_vtk_writer *writer;
  tl_stored_frame *stored;
  int64_t *step = NULL;
  int32_t count;
  TL_TRY(tl_vtk_open(context, "starved", 0, &writer));
  talus_status status = tl_vtk_write(writer, &sample->frame);
  tl_vtk_close(writer);
  TL_TRY(status);
  TL_TRY(tl_vtk_steps(context, "starved", &step, &count));
  tl_free(context, step);
  TL_TRY(tl_vtk_read(context, "starved", 0, &stored));
  tl_stored_frame_destroy(stored);
  return TALUS_OK;
}

static talus_status picture(void) {
  tl_render_options options = tl_render_options_default();
  tl_picture drawn;
  options.width = 64;
  options.height = 48;
  options.field = TL_FIELD_FORCE;
  const talus_status status = tl_render(context, &sample->frame, &options, &drawn);
  tl_picture_destroy(&drawn);
  return status;
}

static talus_status table(void) {
  const talus_column column[] = {{"time", "s"}, {"energy", "J"}};
  const double row[2] = {1, 2};
  const char *const names[] = {"energy"};
  const tl_plot_options options = tl_plot_options_default();
  talus_table *csv;
  tl_stored_table read;
  TL_TRY(talus_table_open(context, "starved.csv", column, 2, 0, &csv));
  talus_status status = talus_table_row(csv, 1, row);
  talus_table_close(csv);
  if (status == TALUS_OK) {
    status = tl_stored_table_read(context, "starved.csv", &read);
    if (status == TALUS_OK) {
      const tl_plot_run run = {.table = &read};
      status = tl_plot_runs(context, &run, 1, "time", names, 1, TL_PLOT_BOTH, TL_BAND_ERROR,
                            &options, "starved.png");
    }
    tl_stored_table_release(&read);
  }
  return status == TALUS_UNSUPPORTED ? TALUS_OK : status;
}

static talus_status put_and_get(tl_checkpoint_writer *writer) {
  char *path, *text;
  tl_checkpoint *file;
  TL_TRY(tl_checkpoint_commit(writer, 2));
  TL_TRY(tl_checkpoint_newest(context, "starved", INT64_MAX, &path));
  talus_status status = tl_checkpoint_open(context, path, "world", &file);
  tl_free(context, path);
  TL_TRY(status);
  status = tl_checkpoint_text(file, "scene", &text);
  tl_free(context, text);
  tl_checkpoint_close(file);
  return status;
}

static talus_status checkpoint(void) {
  tl_checkpoint_writer *writer;
  TL_TRY(tl_checkpoint_begin(context, "starved", "world", 7, &writer));
  const talus_status status = tl_checkpoint_put_text(writer, "scene", "boxes");
  if (status != TALUS_OK) {
    tl_checkpoint_abandon(writer);
    return status;
  }
  return put_and_get(writer);
}

static void starve(const char *name, talus_status (*run)(void), int least) {
  const int64_t before = memory.held;
  talus_status status = TALUS_OUT_OF_MEMORY;
  int failures = -1;
  for (int calls = 0; status == TALUS_OUT_OF_MEMORY && calls < 5000; calls++, failures++) {
    memory.fail_from = memory.requests + calls + 1;
    status = run();
    memory.fail_from = 0;
    CHECK_CASE(memory.held == before, "%s: %d blocks left after failure at call %d", name,
               (int)(memory.held - before), calls);
  }
  if (status == TALUS_UNSUPPORTED) {
    printf("%s skipped: %s\n", name, talus_context_message(context));
    return;
  }
  CHECK_CASE(status == TALUS_OK && failures >= least, "%s: %s after %d failures: %s", name,
             talus_status_name(status), failures, talus_context_message(context));
  CHECK(file_count_ending(".part") == 0 && system("! ls starved | grep -q part") == 0);
}

int main(void) {
  context = scarce_context(&memory);
  CHECK(system("rm -rf starved starved.csv && mkdir starved") == 0);
  sample = sample_frame_create(context, 20);
  sample_frame_add_others(sample);
  starve("frames", frames, 100);
  starve("picture", picture, 15);
  starve("table", table, 10);
  starve("checkpoint", checkpoint, 8);
  sample_frame_destroy(sample);
  talus_context_destroy(context);
  CHECK(memory.held == 0);
  return check_end();
}
