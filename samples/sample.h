/* sample.h: what the samples share: one context, options, a world from a scene file, a table of
 * what was obtained beside what is expected, and to stop with a message when a call fails.
 *
 * Exit codes: 0 as expected, 1 not so or a call failed, 2 bad usage, 77 built without a part that
 * is needed. */
#ifndef TL_SAMPLE_H
#define TL_SAMPLE_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <talus/talus_scene.h>

enum { SAMPLE_SKIPPED = 77, SAMPLE_OVERRIDES = 16 };

static inline talus_context *sample_context(void) {
  static talus_context *context;
  if (context == NULL && talus_context_create(NULL, &context) != TALUS_OK) {
    fprintf(stderr, "no context\n");
    exit(1);
  }
  return context;
}

#define TRY(call)                                                        \
  do {                                                                   \
    const talus_status status_ = (call);                                 \
    if (status_ != TALUS_OK) {                                           \
      fprintf(stderr, "%s\n%s: %s\n", #call, talus_status_name(status_), \
              talus_context_message(sample_context()));                  \
      exit(status_ == TALUS_UNSUPPORTED ? SAMPLE_SKIPPED : 1);           \
    }                                                                    \
  } while (0)

/* ---- options --------------------------------------------------------------------------------- */

typedef struct sample_options {
  int full;          /* --full: the whole of it, not the quick form */
  const char *table; /* --table FILE: series as CSV, of samples that have any */
  const char *override[SAMPLE_OVERRIDES]; /* --set KEY=VALUE of the scene */
  int32_t override_count;
} sample_options;

/* Where --json FILE wants its values. */
static inline FILE **sample_json(void) {
  static FILE *file;
  return &file;
}

static inline FILE *sample_create(const char *path) {
  FILE *const file = fopen(path, "w");
  if (file == NULL) {
    fprintf(stderr, "%s: cannot be written\n", path);
    exit(1);
  }
  return file;
}

/* A number for whoever reads the JSON file; the key as printf has it. Numbers that JSON does not
 * know become null. */
static inline void sample_value(double value, const char *key, ...) {
  FILE *const file = *sample_json();
  if (file == NULL) {
    return;
  }
  va_list list;
  fputs(ftell(file) > 2 ? ",\n\"" : "\"", file);
  va_start(list, key);
  vfprintf(file, key, list);
  va_end(list);
  fprintf(file, isfinite(value) ? "\": %.17g" : "\": null", value);
}

static inline sample_options sample_begin(int argc, char **argv, const char *help) {
  sample_options options = {0};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0) {
      printf("%s\n  --full           the whole of it; without: a quick form\n"
             "  --set KEY=VALUE  change a key of the scene, as in `talus run`\n"
             "  --json FILE      figures, for other programs\n"
             "  --table FILE     series as CSV, if it has any\n",
             help);
      exit(0);
    } else if (strcmp(argv[i], "--full") == 0) {
      options.full = 1;
    } else if (strcmp(argv[i], "--set") == 0 && i + 1 < argc &&
               options.override_count < SAMPLE_OVERRIDES) {
      options.override[options.override_count++] = argv[++i];
    } else if (strcmp(argv[i], "--table") == 0 && i + 1 < argc) {
      options.table = argv[++i];
    } else if (strcmp(argv[i], "--json") == 0 && i + 1 < argc && *sample_json() == NULL) {
      *sample_json() = sample_create(argv[++i]);
      fputs("{\n", *sample_json());
    } else {
      fprintf(stderr, "%s: not understood; try --help\n", argv[i]);
      exit(2);
    }
  }
  return options;
}

/* ---- a world from a scene -------------------------------------------------------------------- */

typedef struct sample_run {
  talus_scene *scene;
  talus_world *world;
  talus_step_report report; /* of the last step */
  double worst_epsilon;
  int64_t halved; /* steps that had to be cut */
} sample_run;

/* A file of samples/scenes; `own` (may be NULL): "KEY=VALUE KEY=VALUE" that come before the user's.
 */
static inline sample_run sample_open(const char *name, const char *own,
                                     const sample_options *options) {
  sample_run run = {.report = talus_step_report_default()};
  char path[1024], text[512] = "";
  const char *override[2 * SAMPLE_OVERRIDES];
  int32_t count = 0;
  snprintf(path, sizeof path, "%s/%s.yaml", SAMPLE_SCENES, name);
  if (own != NULL) {
    snprintf(text, sizeof text, "%s", own);
  }
  for (char *part = strtok(text, " "); part != NULL; part = strtok(NULL, " ")) {
    if (count == SAMPLE_OVERRIDES) {
      fprintf(stderr, "too many overrides\n");
      exit(1);
    }
    override[count++] = part;
  }
  for (int32_t i = 0; i < options->override_count; i++) {
    override[count++] = options->override[i];
  }
  TRY(talus_scene_read(sample_context(), path, override, count, &run.scene));
  TRY(talus_scene_build(run.scene, &run.world));
  return run;
}

static inline void sample_step(sample_run *run) {
  TRY(talus_scene_tick(run->scene, run->world));
  run->report = talus_step_report_default();
  TRY(talus_world_step(run->world, &run->report));
  TRY(talus_scene_watch(run->scene, run->world, &run->report));
  run->worst_epsilon = fmax(run->worst_epsilon, run->report.epsilon);
  run->halved += run->report.halvings > 0;
}

static inline void sample_advance(sample_run *run, double until) {
  while (talus_world_time(run->world) < until - 1e-9) {
    sample_step(run);
  }
}

static inline void sample_close(sample_run *run) {
  talus_world_destroy(run->world);
  talus_scene_destroy(run->scene);
}

static inline talus_body_state sample_body(const sample_run *run, int32_t body) {
  talus_body_state state;
  TRY(talus_body_get(run->world, body, &state));
  return state;
}

/* Whether the id is one of a body that can move. */
static inline int sample_moves(const sample_run *run, int32_t body) {
  return talus_body_exists(run->world, body) &&
         talus_body_kind(run->world, body) == TALUS_BODY_FREE;
}

/* ---- what was obtained beside what is expected ----------------------------------------------- */

static inline int *sample_misses(void) {
  static int misses;
  return &misses;
}

static inline void sample_head(void) {
  printf("%-44s %12s   expected\n", "", "obtained");
}

/* One line; counts a miss unless low <= value <= high. */
static inline void sample_expect(const char *what, double value, double low, double high) {
  const int hit = value >= low && value <= high; /* NaN misses */
  *sample_misses() += !hit;
  printf("%-44s %12.5g   ", what, value);
  if (isinf(high)) {
    printf("at least %.4g", low);
  } else if (isinf(low)) {
    printf("at most %.4g", high);
  } else {
    printf("%.4g to %.4g", low, high);
  }
  printf("%s\n", hit ? "" : "   MISSED");
}

/* Ends the program's work; what main returns. */
static inline int sample_end(void) {
  if (*sample_json() != NULL) {
    fputs("\n}\n", *sample_json());
    *sample_misses() += fclose(*sample_json()) != 0;
  }
  talus_context_destroy(sample_context());
  printf("%s\n", *sample_misses() == 0 ? "as expected" : "not as expected");
  return *sample_misses() == 0 ? 0 : 1;
}

#endif
