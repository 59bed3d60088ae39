/* sweep_plan.c: axes from the options, and the runs of all their combinations; see sweep.h. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/words.h"
#include "host/cli/cli.h"
#include "host/cli/sweep.h"
#include "talus/talus_scene.h"

enum { MOST = 100000 };

/* ---- axes ------------------------------------------------------------------------------------ */

/* option: for complaints, "set KEY" or "seeds". */
static int add_axis(tl_sweep *sweep, const char *option, const char *key, const char *values,
                    bool is_seed) {
  tl_sweep_axis *const axis = &sweep->axis[sweep->axis_count];
  snprintf(axis->key, sizeof axis->key, "%s", key);
  axis->is_seed = is_seed;
  for (int32_t i = 0; i < sweep->axis_count; i++) {
    if (strcmp(sweep->axis[i].key, key) == 0) {
      return tl_cli_fail("%s is given twice%s", key, is_seed ? ": by --set and by --seeds" : "");
    }
  }
  sweep->axis_count++;
  return tl_sweep_values(option, values, axis);
}

static int read_set(tl_sweep *sweep, const char *text) {
  char key[TL_SWEEP_KEY], option[TL_SWEEP_KEY + 8];
  const char *const equals = strchr(text, '=');
  const size_t length = equals != NULL ? (size_t)(equals - text) : 0;
  if (length == 0 || length >= sizeof key) {
    return tl_cli_fail("--set %s: wants key=values, such as world.step=1ms,2ms", text);
  }
  snprintf(key, sizeof key, "%.*s", (int)length, text);
  snprintf(option, sizeof option, "set %s", key);
  return add_axis(sweep, option, key, equals + 1, false);
}

static int read_seeds(tl_sweep *sweep) {
  if (sweep->o->seeds == NULL) {
    return TL_EXIT_OK;
  }
  if (add_axis(sweep, "seeds", "world.seed", sweep->o->seeds, true) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  const tl_sweep_axis *const seeds = &sweep->axis[sweep->axis_count - 1];
  sweep->seed_count = seeds->count;
  for (int32_t i = 0; i < seeds->count; i++) {
    if (!(seeds->number[i] >= 0.0) || seeds->number[i] != floor(seeds->number[i]) ||
        seeds->unit[0] != '\0') {
      return tl_cli_fail("--seeds wants whole numbers, such as 1..5, not '%s'", seeds->value[i]);
    }
  }
  return TL_EXIT_OK;
}

static int read_axes(tl_sweep *sweep) {
  for (int i = 0; i < sweep->o->set.count; i++) {
    if (read_set(sweep, sweep->o->set.text[i]) != TL_EXIT_OK) {
      return TL_EXIT_BAD;
    }
  }
  if (read_seeds(sweep) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  return sweep->axis_count > 0 ? TL_EXIT_OK : tl_cli_fail("nothing varies: give --set or --seeds");
}

/* The last part of a key is enough unless two axes end alike. */
static void name_axes(tl_sweep *sweep) {
  bool short_names = true;
  for (int32_t i = 0; i < sweep->axis_count; i++) {
    const char *const dot = strrchr(sweep->axis[i].key, '.');
    sweep->axis[i].name = dot != NULL && dot[1] != '\0' ? dot + 1 : sweep->axis[i].key;
    for (int32_t j = 0; j < i; j++) {
      short_names = short_names && strcmp(sweep->axis[i].name, sweep->axis[j].name) != 0;
    }
  }
  for (int32_t i = 0; i < sweep->axis_count && !short_names; i++) {
    sweep->axis[i].name = sweep->axis[i].key;
  }
}

/* ---- the scene ------------------------------------------------------------------------------- */

/* Reads the scene with value `index` of axis `varied` and the first of all others. */
static int try_scene(tl_sweep *sweep, int32_t varied, int32_t index) {
  char text[TL_SWEEP_AXES][TL_SWEEP_KEY + TL_SWEEP_VALUE + 1];
  const char *set[TL_SWEEP_AXES];
  talus_scene *scene = NULL;
  for (int32_t i = 0; i < sweep->axis_count; i++) {
    const tl_sweep_axis *const axis = &sweep->axis[i];
    snprintf(text[i], sizeof text[i], "%s=%s", axis->key, axis->value[i == varied ? index : 0]);
    set[i] = text[i];
  }
  const talus_status status =
      talus_scene_read(sweep->context, sweep->o->scene, set, sweep->axis_count, &scene);
  if (status != TALUS_OK) {
    return tl_cli_fail("%s", talus_context_message(sweep->context));
  }
  const double end = talus_scene_end(scene);
  sweep->end = sweep->o->time > 0.0 ? sweep->o->time : fmax(sweep->end, end);
  talus_scene_destroy(scene);
  return TL_EXIT_OK;
}

static int try_values(tl_sweep *sweep) {
  for (int32_t i = 0; i < sweep->axis_count; i++) {
    for (int32_t k = 0; k < sweep->axis[i].count; k++) {
      if (try_scene(sweep, i, k) != TL_EXIT_OK) {
        return TL_EXIT_BAD;
      }
    }
  }
  return TL_EXIT_OK;
}

/* ---- runs ------------------------------------------------------------------------------------ */

int32_t tl_sweep_choice(const tl_sweep *sweep, int32_t run, int32_t axis) {
  for (int32_t i = sweep->axis_count - 1; i > axis; i--) {
    run /= sweep->axis[i].count;
  }
  return run % sweep->axis[axis].count;
}

void tl_sweep_label(const tl_sweep *sweep, int32_t run, int32_t without, char *label,
                    size_t capacity) {
  size_t used = 0;
  label[0] = '\0';
  for (int32_t i = 0; i < sweep->axis_count; i++) {
    const tl_sweep_axis *const axis = &sweep->axis[i];
    if (axis->count > 1 && !axis->is_seed && i != without && used < capacity) {
      const int more = snprintf(label + used, capacity - used, "%s%s = %s", used > 0 ? ", " : "",
                                axis->name, axis->value[tl_sweep_choice(sweep, run, i)]);
      used += more > 0 ? (size_t)more : 0;
    }
  }
}

/* FNV-1a: tells values apart that look the same once cleaned. */
static uint32_t print_of(const char *text) {
  uint32_t print = 2166136261u;
  for (; *text != '\0'; text++) {
    print = (print ^ (unsigned char)*text) * 16777619u;
  }
  return print;
}

/* The value as part of a file's name; where letters had to go, with a print of the whole. */
static void clean_value(const char *value, char *clean, size_t capacity) {
  enum { LONGEST = 32 };
  size_t used = 0;
  bool changed = strlen(value) > LONGEST;
  for (; *value != '\0' && used < LONGEST; value++, used++) {
    const bool kept = isalnum((unsigned char)*value) || strchr(".+-", *value) != NULL;
    changed = changed || !kept;
    clean[used] = kept ? *value : '-';
  }
  clean[used] = '\0';
  if (changed) {
    snprintf(clean + used, capacity - used, "-%08" PRIx32, print_of(value - used));
  }
}

/* By all values in the order of the keys, so that the order of the options does not matter:
 * "friction=0.3_seed=2". */
static void name_run(const tl_sweep *sweep, int32_t index, char name[TL_SWEEP_NAME]) {
  const char *last = "";
  char whole[8192] = "";
  for (int32_t n = 0; n < sweep->axis_count; n++) {
    int32_t next = -1;
    for (int32_t i = 0; i < sweep->axis_count; i++) {
      if (strcmp(sweep->axis[i].key, last) > 0 &&
          (next < 0 || strcmp(sweep->axis[i].key, sweep->axis[next].key) < 0)) {
        next = i;
      }
    }
    char clean[64];
    const size_t used = strlen(whole);
    const tl_sweep_axis *const axis = &sweep->axis[next];
    clean_value(axis->value[tl_sweep_choice(sweep, index, next)], clean, sizeof clean);
    snprintf(whole + used, sizeof whole - used, "%s%s=%s", n > 0 ? "_" : "", axis->name, clean);
    last = axis->key;
  }
  if (strlen(whole) < TL_SWEEP_NAME - 40) {
    memcpy(name, whole, strlen(whole) + 1);
  } else {
    snprintf(name, TL_SWEEP_NAME, "%.180s-%08" PRIx32, whole, print_of(whole));
  }
  for (char *at = name; *at != '\0'; at++) {
    *at = *at == '/' ? '-' : *at;
  }
}

static int make_runs(tl_sweep *sweep) {
  int64_t count = 1;
  for (int32_t i = 0; i < sweep->axis_count; i++) {
    count *= sweep->axis[i].count;
    if (count > MOST) {
      return tl_cli_fail("the study has more than %d runs", MOST);
    }
  }
  sweep->run = calloc((size_t)count, sizeof *sweep->run);
  if (sweep->run == NULL) {
    return tl_cli_fail("out of memory");
  }
  sweep->run_count = (int32_t)count;
  for (int32_t i = 0; i < sweep->run_count; i++) {
    name_run(sweep, i, sweep->run[i].name);
  }
  return TL_EXIT_OK;
}

static int read_columns(tl_sweep *sweep) {
  const char *rest = sweep->o->columns;
  int32_t count = 0;
  while (count < TL_SWEEP_COLUMNS &&
         (rest = tl_words_next(rest, ',', sweep->column[count], sizeof sweep->column[0])) != NULL) {
    count++;
  }
  sweep->column_count = count;
  return rest == NULL || *rest == '\0'
             ? TL_EXIT_OK
             : tl_cli_fail("at most %d columns can be measured at once", TL_SWEEP_COLUMNS);
}

static int check_times(const tl_sweep *sweep) {
  const double late = 1.0000001 * sweep->end;
  if (sweep->o->at == TL_AT_TIME && sweep->o->at_time > late) {
    return tl_cli_fail("--at %g: the runs end at %g s", sweep->o->at_time, sweep->end);
  }
  if (sweep->o->after > late) {
    return tl_cli_fail("--after %g: the runs end at %g s", sweep->o->after, sweep->end);
  }
  return TL_EXIT_OK;
}

int tl_sweep_plan(tl_sweep *sweep) {
  sweep->seed_count = 1;
  int code = read_axes(sweep);
  if (code == TL_EXIT_OK) {
    name_axes(sweep);
    code = read_columns(sweep);
  }
  if (code == TL_EXIT_OK) {
    code = try_values(sweep);
  }
  if (code == TL_EXIT_OK) {
    code = check_times(sweep);
  }
  return code == TL_EXIT_OK ? make_runs(sweep) : code;
}

void tl_sweep_release(tl_sweep *sweep) {
  for (int32_t i = 0; i < sweep->axis_count; i++) {
    free(sweep->axis[i].value);
    free(sweep->axis[i].number);
  }
  free(sweep->run);
  sweep->run = NULL;
}
