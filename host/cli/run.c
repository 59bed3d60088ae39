/* run.c: `talus run SCENE.yaml`: from a text file to frames, scalars and checkpoints. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/base/base.h"
#include "host/cli/cli.h"
#include "host/cli/draw.h"
#include "host/cli/options.h"
#include "host/cli/run_progress.h"
#include "host/io/checkpoint.h"
#include "host/scene/failure.h"
#include "host/scene/record.h"
#include "host/scene/scene.h"

#define PI 3.14159265358979323846

typedef struct run_options {
  const char *scene, *out, *resume, *problem;
  tl_option_texts set;
  double time;
  int64_t steps, threads;
  int backend, dump, force, quiet;
} run_options;

/* A run while it is going on. */
typedef struct run_state {
  const run_options *o;
  talus_context *context;
  talus_scene *scene;
  talus_world *world;
  tl_record *record;
  tl_lock lock; /* on the directory */
  int added_to; /* a restart goes on with the files of the directory */
  char directory[1024];
  char dump_path[1056];           /* in it; the world reads it for as long as it lives */
  int64_t first, last;            /* steps */
  int64_t missed, halved;         /* steps that missed the tolerance; that had to be cut */
  double worst_error, worst_time; /* of those that missed */
  double begin;
} run_state;

static tl_parsed parse_options(run_options *o, int argc, char **argv) {
  const tl_option table[] = {
      {"out", TL_OPTION_TEXT, &o->out, "DIR", "where results go (default: the scene's name + .out)",
       0, 0, 0},
      {"time", TL_OPTION_REAL, &o->time, "T", "simulated time at which to end, s", 0, 1e300, 1},
      {"steps", TL_OPTION_INTEGER, &o->steps, "N", "end after N further steps", 1, 9e15, 0},
      {"set", TL_OPTION_TEXTS, &o->set, "KEY=VALUE", "change a key of the scene: world.step=1ms", 0,
       0, 0},
      {"threads", TL_OPTION_INTEGER, &o->threads, "N", "CPU threads (default all)", 0, 4096, 0},
      {"backend", TL_OPTION_CHOICE, &o->backend, tl_cli_backends, "of the contact solver", 0, 0, 0},
      {"resume", TL_OPTION_TEXT, &o->resume, "CHECKPOINT",
       "go on from a checkpoint, or from the newest in a directory", 0, 0, 0},
      {"problem", TL_OPTION_TEXT, &o->problem, "FILE",
       "write the contact problem of the step after the last, for solve and profile", 0, 0, 0},
      {"dump", TL_OPTION_CHOICE, &o->dump, "none|worst|failed|every",
       "write contact problems to DIR/problem-*.hdf5, at most 100 (default none)", 0, 0, 0},
      {"force", TL_OPTION_FLAG, &o->force, NULL,
       "replace the run that DIR holds, unless it is going on", 0, 0, 0},
      {"quiet", TL_OPTION_FLAG, &o->quiet, NULL, "no progress", 0, 0, 0},
      {0}};
  const tl_command command = {
      .name = "run",
      .summary = "Simulates a scene file and writes ParaView frames, scalars.csv and checkpoints.",
      .positional = "SCENE.yaml",
      .notes =
          "Ctrl-C writes a checkpoint and ends. docs/reference/scene.md explains scene files.\n"
          "exit code: 0 done, 2 bad input or failed output, 3 a step could not be solved,\n"
          "130 interrupted\n",
      .options = table,
      .arguments = &o->scene};
  const tl_parsed parsed = tl_options_parse(&command, argc, argv);
  if (parsed == TL_PARSED_OK && o->time > 0 && o->steps > 0) {
    tl_cli_complain("give --time or --steps, not both");
    return TL_PARSED_BAD;
  }
  return parsed;
}

static int complain(const run_state *run) {
  return tl_cli_complain("%s", talus_context_message(run->context));
}

/* The directory of --resume: it, or where the checkpoint is. */
static int resume_folder(const run_state *run, char *folder, size_t capacity) {
  const char *const resume = run->o->resume, *const slash = strrchr(resume, '/');
  struct stat about;
  const int is_folder = stat(resume, &about) == 0 && S_ISDIR(about.st_mode);
  const int used = is_folder ? snprintf(folder, capacity, "%s", resume)
                   : slash == NULL
                       ? snprintf(folder, capacity, ".")
                       : snprintf(folder, capacity, "%.*s", (int)(slash - resume + 1), resume);
  return used >= 0 && (size_t)used < capacity
             ? TL_EXIT_OK
             : tl_cli_complain("the name of the checkpoint is too long");
}

/* --out; else where the checkpoint is; else beside the caller, by the scene's name. Results are
 * added to where they go to the directory that the checkpoint comes from. */
static int choose_directory(run_state *run) {
  char folder[sizeof run->directory];
  const char *text = run->o->out, *suffix = "";
  struct stat a, b;
  if (run->o->resume != NULL && resume_folder(run, folder, sizeof folder) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  if (text == NULL && run->o->resume != NULL) {
    text = folder;
  }
  size_t length = text != NULL ? strlen(text) : 0;
  if (text == NULL) {
    const char *slash = strrchr(run->o->scene, '/');
    text = slash != NULL ? slash + 1 : run->o->scene;
    const char *dot = strrchr(text, '.');
    length = dot != NULL && dot > text ? (size_t)(dot - text) : strlen(text);
    suffix = ".out";
  }
  while (length > 1 && text[length - 1] == '/') {
    length--;
  }
  if (length + 5 > sizeof run->directory) {
    return tl_cli_complain("the name of the output directory is too long");
  }
  snprintf(run->directory, sizeof run->directory, "%.*s%s", (int)length, text, suffix);
  run->added_to = run->o->resume != NULL && stat(folder, &a) == 0 &&
                  stat(run->directory, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  return TL_EXIT_OK;
}

/* The file of --resume: itself, or the newest checkpoint of a directory; if results go there too,
 * the newest that goes with them. To be freed by tl_free. */
static int find_checkpoint(run_state *run, char **path) {
  const char *const resume = run->o->resume;
  struct stat about;
  talus_status status = TALUS_OK;
  *path = NULL;
  if (resume == NULL) {
    return TL_EXIT_OK;
  }
  if (stat(resume, &about) == 0 && S_ISDIR(about.st_mode)) {
    status = run->added_to ? tl_record_newest(run->context, resume, path)
                           : tl_checkpoint_newest(run->context, resume, INT64_MAX, path);
  } else {
    void *memory = NULL;
    status = tl_alloc(run->context, &memory, strlen(resume) + 1, 1, "a path");
    if (status == TALUS_OK) {
      *path = strcpy(memory, resume);
      status = run->added_to ? tl_record_check(run->context, resume) : TALUS_OK;
    }
  }
  return status == TALUS_OK ? TL_EXIT_OK : complain(run);
}

/* The first and the last step; whether there are any in between, and not too many to count. */
static int find_last_step(run_state *run) {
  const tl_scene_definition *def = tl_scene_says(run->scene);
  const double time = run->o->time > 0 ? run->o->time : def->run.time, step = def->world.step;
  const double steps = ceil(time / step - 1e-6);
  run->first = talus_world_steps(run->world);
  if (run->o->steps > 0) {
    run->last = run->first + run->o->steps;
  } else if (run->o->time <= 0 && def->run.steps > 0) {
    run->last = def->run.steps;
  } else if (steps <= TL_SCENE_STEPS) {
    run->last = (int64_t)steps;
  } else {
    return tl_cli_complain("%g s are %g steps of %g s; a run has at most %g", time, steps, step,
                           TL_SCENE_STEPS);
  }
  return run->first < run->last
             ? TL_EXIT_OK
             : tl_cli_complain("there is nothing to do: step %" PRId64 " of %" PRId64
                               " has been made (--time or --steps go further)",
                               run->first, run->last);
}

/* Nothing of the directory is changed before this. */
static int open_directory(run_state *run) {
  talus_status status =
      run->added_to ? TALUS_OK
                    : tl_record_prepare(run->context, run->directory, run->o->force, &run->lock);
  if (status == TALUS_OK) {
    status =
        tl_record_open(run->scene, run->directory, run->added_to ? run->first : -1, &run->record);
  }
  return status == TALUS_OK ? TL_EXIT_OK : complain(run);
}

static int build_world(run_state *run, const char *checkpoint) {
  talus_status status = talus_scene_read(run->context, run->o->scene, run->o->set.text,
                                         run->o->set.count, &run->scene);
  if (status == TALUS_OK) {
    status = talus_scene_build(run->scene, &run->world);
  }
  if (status == TALUS_OK && checkpoint != NULL) {
    status = tl_record_resume(run->scene, run->world, checkpoint);
  }
  return status == TALUS_OK ? TL_EXIT_OK : complain(run);
}

/* Scene, world, directory; and where a restart goes on. */
static int prepare(run_state *run) {
  char *checkpoint = NULL;
  int code = choose_directory(run);
  if (code == TL_EXIT_OK && run->added_to &&
      tl_lock_take(run->context, run->directory, &run->lock) != TALUS_OK) {
    code = complain(run);
  }
  if (code == TL_EXIT_OK) {
    code = find_checkpoint(run, &checkpoint);
  }
  if (code == TL_EXIT_OK) {
    code = build_world(run, checkpoint);
  }
  tl_run_watch();
  if (code == TL_EXIT_OK) {
    code = find_last_step(run);
  }
  if (code == TL_EXIT_OK) {
    code = open_directory(run);
  }
  tl_free(run->context, checkpoint);
  return code;
}

static int dump_begin(run_state *run) {
  if (run->o->dump == TALUS_DUMP_NONE) {
    return TL_EXIT_OK;
  }
  snprintf(run->dump_path, sizeof run->dump_path, "%s/problem", run->directory);
  return tl_failure_watch(run->world, (talus_dump)run->o->dump, run->dump_path) == TALUS_OK
             ? TL_EXIT_OK
             : complain(run);
}

static talus_status one_step(run_state *run, talus_step_report *report) {
  int64_t saved;
  *report = talus_step_report_default();
  TL_TRY(tl_record_before_step(run->record, run->world));
  TL_TRY(talus_scene_tick(run->scene, run->world));
  TL_TRY(talus_world_step(run->world, report));
  run->missed += report->accepted != 0;
  if (report->accepted && report->error > run->worst_error) {
    run->worst_error = report->error;
    run->worst_time = report->time;
  }
  run->halved += report->halvings > 0;
  if (tl_record_is_due(run->record, report->step)) {
    TL_TRY(tl_record_frame(run->record, run->world, report));
  }
  if (tl_record_checkpoint_is_due(run->record, report->step) && report->step < run->last) {
    TL_TRY(tl_record_checkpoint(run->record, run->world, &saved));
  }
  return TALUS_OK;
}

/* The checkpoint could not be written: what there is to go on from. */
static int complain_of_checkpoint(const run_state *run) {
  char *newest = NULL;
  const int code = complain(run);
  if (tl_record_newest(run->context, run->directory, &newest) == TALUS_OK) {
    fprintf(stderr, "talus: --resume %s goes on from %s\n", run->directory, newest);
  } else {
    fprintf(stderr, "talus: there is no checkpoint to go on from\n");
  }
  tl_free(run->context, newest);
  return code;
}

/* A step failed, or its output: everything that helps to find out why, and to go on. */
static int give_up(run_state *run, talus_status status) {
  char path[1200];
  int64_t saved;
  complain(run);
  if (tl_record_checkpoint(run->record, run->world, &saved) == TALUS_OK) {
    fprintf(stderr,
            "talus: %s/checkpoint-%06" PRId64 ".h5 holds the state after step %" PRId64
            ": --resume %s goes on from there\n",
            run->directory, saved, saved, run->directory);
  } else {
    complain_of_checkpoint(run);
  }
  if (status == TALUS_STEP_FAILED) {
    snprintf(path, sizeof path, "%s/failed-%06" PRId64 ".hdf5", run->directory,
             talus_world_steps(run->world));
    if (tl_failure_write(run->world, path) == TALUS_OK) {
      fprintf(stderr, "talus: %s holds its contact problem: try `talus solve` on it\n", path);
    } else {
      complain(run);
    }
  }
  return status == TALUS_STEP_FAILED || status == TALUS_NOT_FINITE ? TL_EXIT_NOT_CONVERGED
                                                                   : TL_EXIT_BAD;
}

static int draw_results(const run_state *run) {
  const tl_scene_output *output = &tl_scene_says(run->scene)->output;
  if (!output->frames || !(output->pictures || output->movie)) {
    return TL_EXIT_OK;
  }
  tl_draw draw = tl_draw_default(run->directory);
  draw.all = 1;
  draw.movie = output->movie;
  draw.options.width = (int32_t)output->width;
  draw.options.height = (int32_t)output->height;
  draw.options.field = (tl_field)output->colour;
  if (tl_tree_find(output->item.node, "azimuth") != NULL) {
    draw.options.azimuth = output->azimuth * 180 / PI;
  }
  if (tl_tree_find(output->item.node, "elevation") != NULL) {
    draw.options.elevation = output->elevation * 180 / PI;
  }
  return tl_draw_run(run->context, &draw);
}

static void report_end(const run_state *run) {
  const int64_t made = talus_world_steps(run->world) - run->first;
  const double seconds = tl_clock() - run->begin;
  printf("%s: %" PRId64 " steps to t = %.6g s in %.3g s (%.3g ms per step)\n", run->directory, made,
         talus_world_time(run->world), seconds, made > 0 ? 1e3 * seconds / (double)made : 0);
  if (run->missed > 0) {
    printf("  %" PRId64
           " steps went on above the tolerance, the worst with error %.2g at t = %.6g s\n",
           run->missed, run->worst_error, run->worst_time);
  }
  if (run->halved > 0) {
    printf("  %" PRId64 " steps were cut\n", run->halved);
  }
}

static int simulate(run_state *run) {
  tl_run_progress progress;
  talus_step_report report;
  talus_status status = TALUS_OK;
  run->begin = tl_clock();
  if (run->first == 0) {
    status = tl_record_frame(run->record, run->world, NULL);
  }
  tl_run_progress_begin(&progress, run->first, run->last, run->o->quiet);
  while (status == TALUS_OK && talus_world_steps(run->world) < run->last && !tl_run_interrupted()) {
    status = one_step(run, &report);
    if (status == TALUS_OK) {
      tl_run_progress_tell(&progress, &report);
    }
  }
  const int interrupted = tl_run_interrupted();
  tl_run_progress_end(&progress);
  if (status != TALUS_OK) {
    return give_up(run, status);
  }
  int64_t saved;
  if (tl_record_checkpoint(run->record, run->world, &saved) != TALUS_OK) {
    return complain_of_checkpoint(run);
  }
  if (run->o->problem != NULL && tl_failure_write(run->world, run->o->problem) != TALUS_OK) {
    return complain(run);
  }
  if (interrupted) {
    fprintf(stderr, "talus: interrupted; go on by --resume %s\n", run->directory);
  }
  report_end(run);
  return interrupted ? TL_EXIT_INTERRUPTED : TL_EXIT_OK;
}

int tl_cli_run(int argc, char **argv) {
  static run_options o;
  const tl_parsed parsed = parse_options(&o, argc, argv);
  if (parsed != TL_PARSED_OK) {
    return parsed == TL_PARSED_HELP ? TL_EXIT_OK : TL_EXIT_BAD;
  }
  run_state run;
  memset(&run, 0, sizeof run);
  run.o = &o;
  if (o.problem != NULL && tl_cli_writable(o.problem, o.scene) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  if (tl_cli_context_open((talus_backend_kind)o.backend, o.threads, 0, &run.context) !=
      TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  int code = prepare(&run);
  if (code == TL_EXIT_OK) {
    code = dump_begin(&run);
  }
  if (code == TL_EXIT_OK) {
    code = simulate(&run);
  }
  if (tl_record_close(run.record) != TALUS_OK) {
    code = complain(&run);
  }
  if (code == TL_EXIT_OK) {
    code = draw_results(&run);
  }
  tl_lock_release(run.context, &run.lock);
  talus_world_destroy(run.world);
  talus_scene_destroy(run.scene);
  talus_context_destroy(run.context);
  return code;
}
