/* run.c: `talus run SCENE.yaml`: from a text file to frames, scalars and checkpoints. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/base/base.h"
#include "host/cli/cli.h"
#include "host/cli/draw.h"
#include "host/cli/options.h"
#include "host/cli/ranks.h"
#include "host/cli/run_progress.h"
#include "host/view/movie.h"
#include "talus/talus_io.h"
#include "talus/talus_scene.h"

#define MOST_STEPS 9e15 /* that a run has: all of them are whole numbers in a double */

typedef struct run_options {
  const char *scene, *out, *resume, *from, *problem;
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
  talus_scene_info info;
  talus_record *record;
  char directory[1024];
  char dump_path[1056];           /* in it */
  int64_t first, last;            /* steps */
  int64_t missed, halved;         /* steps that missed the tolerance; that had to be cut */
  int64_t uncertified;            /* steps with solves that no certificate judged */
  double worst_error, worst_time; /* of those that missed */
  talus_precision precision;      /* of the last step */
  double begin;
} run_state;

static tl_parsed parse_options(run_options *o, int argc, char **argv) {
  const tl_option table[] = {
      {"out", TL_OPTION_TEXT, &o->out, "DIR",
       "where results go (default: the scene's name + .out; with --resume the folder of the "
       "checkpoint)",
       0, 0, 0},
      {"time", TL_OPTION_TIME, &o->time, "T", "simulated time at which to end, s or with a unit", 0,
       1e300, 1},
      {"steps", TL_OPTION_INTEGER, &o->steps, "N", "end after N further steps", 1, 9e15, 0},
      {"set", TL_OPTION_TEXTS, &o->set, "KEY=VALUE", "change a key of the scene: world.step=1ms", 0,
       0, 0},
      {"threads", TL_OPTION_INTEGER, &o->threads, "N", "CPU threads (default all)", 0, 4096, 0},
      {"backend", TL_OPTION_CHOICE, &o->backend, tl_cli_backends, "of the contact solver", 0, 0, 0},
      {"resume", TL_OPTION_TEXT, &o->resume, "CHECKPOINT",
       "go on from a checkpoint, or from the newest in a directory", 0, 0, 0},
      {"from", TL_OPTION_TEXT, &o->from, "CHECKPOINT",
       "begin this scene with the bodies of another run's checkpoint, or of its newest", 0, 0, 0},
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
          "mpirun -n N talus run SCENE.yaml runs it on N processes, with the results of one.\n"
          "exit code: 0 done, 2 bad input or failed output, 3 a step could not be solved,\n"
          "130 interrupted\n",
      .options = table,
      .arguments = &o->scene};
  const tl_parsed parsed = tl_options_parse(&command, argc, argv);
  if (parsed == TL_PARSED_OK && o->time > 0 && o->steps > 0) {
    tl_cli_fail("give --time or --steps, not both");
    return TL_PARSED_BAD;
  }
  if (parsed == TL_PARSED_OK && o->from != NULL && o->resume != NULL) {
    tl_cli_fail("--from begins a new run and --resume goes on with one: give one of them");
    return TL_PARSED_BAD;
  }
  return parsed;
}

static int complain(const run_state *run) {
  return tl_cli_fail("%s", talus_context_message(run->context));
}

/* The folder of a checkpoint, with its slash; "." if it has none. Returns its length. */
static size_t folder_of(const char *resume, const char **folder) {
  const char *const slash = strrchr(resume, '/');
  struct stat about;
  if (stat(resume, &about) == 0 && S_ISDIR(about.st_mode)) {
    *folder = resume;
    return strlen(resume);
  }
  *folder = slash != NULL ? resume : ".";
  return slash != NULL ? (size_t)(slash - resume) + 1 : 1;
}

/* The name of a file without folder and ending. Returns its length. */
static size_t stem_of(const char *path, const char **stem) {
  const char *const slash = strrchr(path, '/');
  *stem = slash != NULL ? slash + 1 : path;
  const char *const dot = strrchr(*stem, '.');
  return dot != NULL && dot > *stem ? (size_t)(dot - *stem) : strlen(*stem);
}

/* --out; else where the checkpoint is; else beside the caller, by the scene's name. */
static int choose_directory(run_state *run) {
  const char *text = run->o->out, *suffix = "";
  size_t length = text != NULL ? strlen(text) : 0;
  if (text == NULL && run->o->resume != NULL) {
    length = folder_of(run->o->resume, &text);
  } else if (text == NULL) {
    length = stem_of(run->o->scene, &text);
    suffix = ".out";
  }
  while (length > 1 && text[length - 1] == '/') {
    length--;
  }
  if (length + 5 > sizeof run->directory) {
    return tl_cli_fail("the name of the output directory is too long");
  }
  snprintf(run->directory, sizeof run->directory, "%.*s%s", (int)length, text, suffix);
  return TL_EXIT_OK;
}

static bool same_on_ranks(int64_t value) {
  const talus_transport *const t = tl_cli_ranks();
  int64_t range[2] = {value, -value};
  return t == NULL || (t->largest(t->user, range, 2) == 0 && range[0] == -range[1]);
}

/* The first and the last step; whether there are any in between, and not too many to count. */
static int find_last_step(run_state *run) {
  const talus_scene_info *const info = &run->info;
  const double time = run->o->time > 0 ? run->o->time : info->end;
  const double steps = ceil(time / info->step - 1e-6);
  run->first = talus_world_steps(run->world);
  if (run->o->steps > 0) {
    run->last = run->first + run->o->steps;
  } else if (run->o->time <= 0 && info->step_count > 0) {
    run->last = info->step_count;
  } else if (steps <= MOST_STEPS) {
    run->last = (int64_t)steps;
  } else {
    return tl_cli_fail("%g s are %g steps of %g s; a run has at most %g", time, steps, info->step,
                       MOST_STEPS);
  }
  if (run->o->steps == 0 && tl_cli_ranks_speaks() && info->step_count == 0 &&
      fabs((double)run->last * info->step - time) > 1e-6 * time) {
    fprintf(stderr,
            "talus: warning: %g s are no whole number of steps of %g s: the run ends at %g s\n",
            time, info->step, (double)run->last * info->step);
  }
  if (!same_on_ranks(run->last)) {
    return tl_cli_fail("the processes were given different ends of the run");
  }
  return run->first < run->last ? TL_EXIT_OK
                                : tl_cli_fail("there is nothing to do: step %" PRId64 " of %" PRId64
                                              " has been made (--time or --steps go further)",
                                              run->first, run->last);
}

static int create_record(run_state *run) {
  talus_record_def def = talus_record_def_default();
  def.directory = run->directory;
  def.resume = run->o->resume;
  def.force = run->o->force;
  return talus_record_create(run->context, &def, &run->record) == TALUS_OK ? TL_EXIT_OK
                                                                           : complain(run);
}

static bool is_directory(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Where the bodies of --from are; or those of the run that goes on, if it began so. "": nowhere. */
static int find_bodies(run_state *run, char *path, size_t capacity) {
  const char *folder = NULL;
  struct stat about;
  path[0] = '\0';
  if (run->o->from != NULL && is_directory(run->o->from)) {
    return talus_checkpoint_newest(run->context, run->o->from, path, capacity) == TALUS_OK
               ? TL_EXIT_OK
               : complain(run);
  }
  if (run->o->from != NULL) {
    snprintf(path, capacity, "%s", run->o->from);
  } else if (run->o->resume != NULL) {
    const size_t length = folder_of(run->o->resume, &folder);
    snprintf(path, capacity, "%.*s/from.h5", (int)length, folder);
    path[0] = stat(path, &about) == 0 ? path[0] : '\0';
  }
  return TL_EXIT_OK;
}

static int take_bodies(run_state *run) {
  char path[1200];
  const int code = tl_cli_ranks_agree(find_bodies(run, path, sizeof path));
  if (code != TL_EXIT_OK) {
    return code;
  }
  if (!same_on_ranks(path[0] != '\0')) {
    return tl_cli_fail("some processes see the from.h5 that the run began with, others do not");
  }
  return path[0] == '\0' || talus_scene_from(run->scene, path) == TALUS_OK ? TL_EXIT_OK
                                                                           : complain(run);
}

static int build_world(run_state *run) {
  run->info = talus_scene_info_default();
  talus_status status = talus_scene_read(run->context, run->o->scene, run->o->set.text,
                                         run->o->set.count, &run->scene);
  if (status == TALUS_OK) {
    status = talus_scene_describe(run->scene, &run->info);
  }
  const int code = status == TALUS_OK ? take_bodies(run) : TL_EXIT_OK;
  if (code != TL_EXIT_OK) {
    return code;
  }
  if (status == TALUS_OK) {
    status = talus_scene_build(run->scene, &run->world);
  }
  if (status == TALUS_OK) {
    status = talus_record_resume(run->record, run->scene, run->world);
  }
  return status == TALUS_OK ? TL_EXIT_OK : complain(run);
}

/* Nothing of the directory is changed before this. */
static int open_record(run_state *run) {
  return talus_record_open(run->record, run->scene, run->world) == TALUS_OK ? TL_EXIT_OK
                                                                            : complain(run);
}

/* Scene, world, directory; and where a restart goes on. */
static int prepare(run_state *run) {
  int code = choose_directory(run);
  if (code == TL_EXIT_OK) {
    code = create_record(run);
  }
  if (code == TL_EXIT_OK) {
    code = build_world(run);
  }
  tl_run_watch();
  if (code == TL_EXIT_OK) {
    code = find_last_step(run);
  }
  return code == TL_EXIT_OK ? open_record(run) : code;
}

static int dump_begin(run_state *run) {
  if (run->o->dump == TALUS_DUMP_NONE) {
    return TL_EXIT_OK;
  }
  snprintf(run->dump_path, sizeof run->dump_path, "%s/problem", run->directory);
  return talus_world_dump(run->world, (talus_dump)run->o->dump, run->dump_path) == TALUS_OK
             ? TL_EXIT_OK
             : complain(run);
}

static talus_status one_step(run_state *run, talus_step_report *report) {
  *report = talus_step_report_default();
  TL_TRY(talus_record_before_step(run->record, run->world));
  TL_TRY(talus_scene_tick(run->scene, run->world));
  TL_TRY(talus_world_step(run->world, report));
  TL_TRY(talus_scene_watch(run->scene, run->world, report));
  run->precision = report->precision;
  run->missed += report->accepted != 0;
  if (report->accepted && report->error > run->worst_error) {
    run->worst_error = report->error;
    run->worst_time = report->time;
  }
  run->halved += report->halvings > 0;
  run->uncertified += report->uncertified > 0;
  const uint32_t due = talus_record_due(run->record, report->step);
  if ((due & TALUS_RECORD_FRAME) != 0) {
    TL_TRY(talus_record_frame(run->record, run->world, report));
  }
  if ((due & TALUS_RECORD_CHECKPOINT) != 0 && report->step < run->last) {
    TL_TRY(talus_record_checkpoint(run->record, run->world, NULL));
  }
  return TALUS_OK;
}

/* The checkpoint could not be written: what there is to go on from. */
static int complain_of_checkpoint(const run_state *run) {
  char newest[1200];
  const int code = complain(run);
  if (!tl_cli_ranks_speaks()) {
    return code;
  }
  if (talus_record_newest(run->context, run->directory, newest, sizeof newest) == TALUS_OK) {
    fprintf(stderr, "talus: --resume %s goes on from %s\n", run->directory, newest);
  } else {
    fprintf(stderr, "talus: there is no checkpoint to go on from\n");
  }
  return code;
}

/* A step failed, or its output: everything that helps to find out why, and to go on. */
static int give_up(run_state *run, talus_status status) {
  char path[1200];
  int64_t saved;
  complain(run);
  if (talus_record_checkpoint(run->record, run->world, &saved) != TALUS_OK) {
    complain_of_checkpoint(run);
  } else if (tl_cli_ranks_speaks()) {
    fprintf(stderr,
            "talus: %s/checkpoint-%06" PRId64 ".h5 holds the state after step %" PRId64
            ": --resume %s goes on from there\n",
            run->directory, saved, saved, run->directory);
  }
  if (status == TALUS_STEP_FAILED) {
    snprintf(path, sizeof path, "%s/failed-%06" PRId64 ".hdf5", run->directory,
             talus_world_steps(run->world));
    if (talus_world_problem_write(run->world, path) != TALUS_OK) {
      complain(run);
    } else if (tl_cli_ranks_speaks()) {
      fprintf(stderr, "talus: %s holds its contact problem: try `talus solve` on it\n", path);
    }
  }
  return status == TALUS_STEP_FAILED || status == TALUS_NOT_FINITE ? TL_EXIT_NOT_CONVERGED
                                                                   : TL_EXIT_BAD;
}

/* Pictures and movie. Without ffmpeg the run is complete but for its movie: that is told. */
static int draw_results(const run_state *run) {
  const talus_scene_info *const info = &run->info;
  if (!info->frames || !(info->pictures || info->movie) || !tl_cli_ranks_speaks()) {
    return TL_EXIT_OK;
  }
  tl_draw draw = tl_draw_default(run->directory);
  draw.all = 1;
  draw.movie = info->movie && tl_movie_possible();
  draw.options.width = info->width;
  draw.options.height = info->height;
  draw.options.field = (tl_field)tl_field_find(info->colour);
  if (isfinite(info->azimuth)) {
    draw.options.azimuth = info->azimuth;
  }
  if (isfinite(info->elevation)) {
    draw.options.elevation = info->elevation;
  }
  const int code = tl_draw_run(run->context, &draw);
  if (code == TL_EXIT_OK && info->movie && !draw.movie) {
    fprintf(stderr,
            "talus: warning: the run is complete but for its movie, for which ffmpeg is not "
            "installed; talus render %s --movie makes it\n",
            run->directory);
  }
  return code;
}

/* Where steps were made, if the backend is a device's, and in which precision. */
static void device_tell(const run_state *run, int64_t made) {
  const char *reason;
  const int64_t there = talus_world_device_steps(run->world, &reason);
  if (strcmp(talus_context_backend(run->context), "cpu") == 0 || made == 0) {
    return;
  }
  printf("  %" PRId64 " of %" PRId64 " steps were made on the device, iterations in %s", there,
         made, talus_precision_name(run->precision));
  printf(reason != NULL ? "; the last one through the host: %s\n" : "\n", reason);
}

static void report_end(const run_state *run) {
  if (!tl_cli_ranks_speaks()) {
    return;
  }
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
  if (run->uncertified > 0) {
    printf("  %" PRId64 " steps were not judged by the certificate (world.certify)\n",
           run->uncertified);
  }
  device_tell(run, made);
}

/* What softness AUTO has chosen, if it has. */
static void softness_tell(const run_state *run) {
  double modulus, overlap;
  if (!run->o->quiet && tl_cli_ranks_speaks() &&
      talus_world_softness(run->world, &modulus, &overlap) == TALUS_OK && modulus > 0) {
    printf("softness auto: contacts are springs of %.3g Pa times the reduced radius", modulus);
    printf(overlap > 0 ? "; a grain on a grain overlaps by %.2g %% of its radius\n" : "\n",
           100 * overlap);
  }
}

static int simulate(run_state *run) {
  tl_run_progress progress;
  talus_step_report report;
  talus_status status = TALUS_OK;
  run->begin = tl_clock();
  if (run->first == 0) {
    status = talus_record_frame(run->record, run->world, NULL);
  }
  softness_tell(run);
  int interrupted = tl_cli_ranks_any(tl_run_interrupted());
  tl_run_progress_begin(&progress, run->first, run->last, run->o->quiet || !tl_cli_ranks_speaks());
  while (status == TALUS_OK && talus_world_steps(run->world) < run->last &&
         talus_scene_over(run->scene) == TALUS_STAGE_GOES_ON && !interrupted) {
    status = one_step(run, &report);
    interrupted = tl_cli_ranks_any(tl_run_interrupted()); /* on whichever process it came */
    if (status == TALUS_OK) {
      tl_run_progress_update(&progress, &report);
    }
  }
  tl_run_progress_end(&progress);
  if (status != TALUS_OK) {
    return give_up(run, status);
  }
  if (talus_record_checkpoint(run->record, run->world, NULL) != TALUS_OK) {
    return complain_of_checkpoint(run);
  }
  if (run->o->problem != NULL &&
      talus_world_problem_write(run->world, run->o->problem) != TALUS_OK) {
    return complain(run);
  }
  if (interrupted && tl_cli_ranks_speaks()) {
    fprintf(stderr, "talus: interrupted; go on by --resume %s\n", run->directory);
  }
  report_end(run);
  return interrupted                                        ? TL_EXIT_INTERRUPTED
         : talus_scene_over(run->scene) == TALUS_STAGE_LATE ? TL_EXIT_NOT_CONVERGED
                                                            : TL_EXIT_OK;
}

/* All that a run is, in a context. */
static int run_scene(run_state *run) {
  int code = prepare(run);
  if (code == TL_EXIT_OK) {
    code = dump_begin(run);
  }
  if (code == TL_EXIT_OK) {
    code = simulate(run);
  }
  if (code == TL_EXIT_OK) {
    code = draw_results(run);
  }
  if (talus_record_close(run->record) != TALUS_OK) {
    code = complain(run);
  }
  talus_world_destroy(run->world);
  talus_scene_destroy(run->scene);
  return code;
}

/* The run, as one of several processes if there are. */
static int run_joined(run_state *run) {
  const run_options *const o = run->o;
  int code = TL_EXIT_OK;
  if (o->problem != NULL && tl_cli_ranks_speaks()) {
    code = tl_cli_writable(o->problem, o->scene);
  }
  if (code == TL_EXIT_OK) {
    code = tl_cli_context_open((talus_backend_kind)o->backend, o->threads, 0, &run->context);
  }
  code = tl_cli_ranks_agree(code);
  if (code == TL_EXIT_OK) {
    code = tl_cli_ranks_agree(run_scene(run));
  }
  talus_context_destroy(run->context);
  return code;
}

int tl_cli_run(int argc, char **argv) {
  static run_options o;
  run_state run;
  memset(&run, 0, sizeof run);
  run.o = &o;
  int code = tl_cli_ranks_begin();
  if (code == TL_EXIT_OK) {
    const tl_parsed parsed = tl_cli_ranks_parsed(parse_options(&o, argc, argv));
    code = parsed == TL_PARSED_OK    ? run_joined(&run)
           : parsed == TL_PARSED_BAD ? TL_EXIT_BAD
                                     : TL_EXIT_OK;
  }
  tl_cli_ranks_end();
  return code;
}
