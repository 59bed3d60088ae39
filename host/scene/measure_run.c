/* measure_run.c: measures the frames of a run after it has ended; see talus_scene.h.
 *
 * Of the run's scene only what measurements need is read: units, output, names. Robots and meshes
 * may be elsewhere by now. Ids are counted as the scene is built: walls, bodies, links. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/base/structs.h"
#include "host/io/text_file.h"
#include "host/io/vtk.h"
#include "host/io/vtk_series.h"
#include "host/scene/build.h"
#include "host/scene/measure_define.h"
#include "host/scene/schema.h"
#include "talus/talus_scene.h"

typedef struct job {
  talus_context *context;
  talus_measure_def def;
  char out[1100];
  tl_arena arena;
  tl_node *root;
  tl_scene_definition scene;
  bool has_scene;
  tl_measure_def *measure; /* of the arena */
  tl_series frames;        /* steps and times of grains.pvd */
  tl_measure_series series;
} job;

void talus_measure_def_init(talus_measure_def *def, size_t size) {
  static const talus_measure_def defaults = {.begin = -INFINITY, .end = INFINITY, .every = 1};
  tl_struct_init(&tl_struct_measure_def, &defaults, def, size);
}

/* ---- what is measured ------------------------------------------------------------------------ */

/* Adds a measurement, or all of a list, to output.measure. */
static void append(tl_node *list, tl_node *node) {
  tl_node *first = node->kind == TL_NODE_LIST ? node->first : node;
  while (first != NULL) {
    tl_node *const next = node->kind == TL_NODE_LIST ? first->next : NULL;
    first->next = NULL;
    if (list->last != NULL) {
      list->last->next = first;
    } else {
      list->first = first;
    }
    list->last = first;
    list->count++;
    first = next;
  }
}

static talus_status add_text(job *j, tl_node *list, const char *source, const char *text) {
  const char *kept = NULL;
  tl_node *node = NULL;
  TL_TRY(tl_arena_text(&j->arena, source, strlen(source), &kept));
  TL_TRY(tl_tree_parse(&j->arena, kept, text, strlen(text), &node));
  if (node->kind == TL_NODE_SCALAR) {
    return tl_fail(j->context, TALUS_FILE_FORMAT,
                   "%.200s: a measurement is a map, such as {name: bed, region: {...}}", source);
  }
  append(list, node);
  return TALUS_OK;
}

static talus_status add_file(job *j, tl_node *list) {
  tl_node *node = NULL;
  TL_TRY(tl_tree_read(&j->arena, j->def.file, &node));
  const tl_node *const inside = tl_tree_find(node, "measure");
  tl_node *const given = node->kind == TL_NODE_MAP && inside != NULL ? (tl_node *)inside : node;
  if (given->kind != TL_NODE_LIST) {
    return tl_node_fail(j->context, given, "wants a list of measurements, as output.measure has");
  }
  append(list, given);
  return TALUS_OK;
}

/* Puts what the caller asks for in place of what the scene measures. */
static talus_status choose(job *j) {
  tl_node *output = tl_tree_find(j->root, "output");
  const tl_node *const there = output != NULL ? tl_tree_find(output, "measure") : NULL;
  if (j->def.add_count == 0 && j->def.file == NULL && there != NULL && there->count > 0) {
    return TALUS_OK;
  }
  TL_TRY(tl_tree_set(&j->arena, j->root, "output.measure=[]"));
  output = tl_tree_find(j->root, "output");
  tl_node *const list = tl_tree_find(output, "measure");
  if (j->def.file != NULL) {
    TL_TRY(add_file(j, list));
  }
  for (int32_t i = 0; i < j->def.add_count; i++) {
    char source[120];
    snprintf(source, sizeof source, "--add %.100s", j->def.add[i]);
    TL_TRY(add_text(j, list, source, j->def.add[i]));
  }
  return list->count > 0 ? TALUS_OK : add_text(j, list, "default", "{name: all}");
}

static talus_status read_scene(job *j, bool plane) {
  char path[1200];
  snprintf(path, sizeof path, "%s/scene.yaml", j->def.directory);
  j->has_scene = access(path, F_OK) == 0;
  const char *kept = NULL;
  TL_TRY(tl_arena_text(&j->arena, path, strlen(path), &kept));
  if (j->has_scene) {
    TL_TRY(tl_tree_read(&j->arena, kept, &j->root));
  } else {
    TL_TRY(tl_tree_parse(&j->arena, "no scene", "{}", 2, &j->root));
  }
  if (j->root->kind != TL_NODE_MAP) {
    return tl_node_fail(j->context, j->root, "a scene is a map of sections");
  }
  TL_TRY(tl_tree_set(&j->arena, j->root, plane ? "world.plane=true" : "world.plane=false"));
  TL_TRY(choose(j));
  tl_parse parse = {.context = j->context, .arena = &j->arena, .base = {1, 1, 1, 1}};
  TL_TRY(tl_parse_table(&parse, &tl_schema_root, j->root, "", &j->scene));
  TL_TRY(tl_rings_expand(&j->arena, &j->scene));
  return tl_measure_check(j->context, &j->scene);
}

/* ---- names ----------------------------------------------------------------------------------- */

static int32_t wall_named(const job *j, const char *name) {
  const tl_scene_wall *const wall = j->scene.walls.item;
  for (int32_t i = 0; i < j->scene.walls.count; i++) {
    if (wall[i].name != NULL && strcmp(wall[i].name, name) == 0) {
      return i;
    }
  }
  return TALUS_NONE;
}

static int32_t body_named(const job *j, const char *name) {
  const tl_scene_body *const body = j->scene.bodies.item;
  for (int32_t i = 0; i < j->scene.bodies.count; i++) {
    if (body[i].name != NULL && strcmp(body[i].name, name) == 0) {
      return j->scene.walls.count + i;
    }
  }
  return TALUS_NONE;
}

/* "mechanism.link", as far as no robot file stands before it, whose links are not counted here. */
static int32_t link_named(const job *j, const char *name) {
  const tl_scene_mechanism *const mechanism = j->scene.mechanisms.item;
  int32_t first = j->scene.walls.count + j->scene.bodies.count;
  for (int32_t m = 0; m < j->scene.mechanisms.count && mechanism[m].urdf == NULL; m++) {
    const tl_scene_link *const link = mechanism[m].links.item;
    const size_t length = mechanism[m].name != NULL ? strlen(mechanism[m].name) : 0;
    for (int32_t i = 0; i < mechanism[m].links.count && length > 0; i++) {
      if (strncmp(name, mechanism[m].name, length) == 0 && name[length] == '.' &&
          link[i].name != NULL && strcmp(link[i].name, name + length + 1) == 0) {
        return first + i;
      }
    }
    first += mechanism[m].links.count;
  }
  return TALUS_NONE;
}

static talus_status find_body(const job *j, const tl_scene_measure *m, int32_t *id) {
  *id = TALUS_NONE;
  if (m->with == NULL) {
    return TALUS_OK;
  }
  int32_t (*const kind[])(const job *, const char *) = {wall_named, body_named, link_named};
  for (int i = 0; i < 3 && *id == TALUS_NONE; i++) {
    *id = kind[i](j, m->with);
  }
  return *id != TALUS_NONE
             ? TALUS_OK
             : tl_node_fail(
                   j->context, tl_tree_find(m->item.node, "with"),
                   "output.measure: no body, wall or mechanism.link of the scene is called "
                   "'%.60s'",
                   m->with);
}

static talus_status define(job *j) {
  const int32_t count = j->scene.output.measure.count;
  void *memory = NULL;
  TL_TRY(tl_arena_take(&j->arena, (size_t)count, sizeof(tl_measure_def), &memory));
  j->measure = memory;
  for (int32_t i = 0; i < count; i++) {
    const tl_scene_measure *const from = (const tl_scene_measure *)j->scene.output.measure.item + i;
    int32_t body;
    TL_TRY(find_body(j, from, &body));
    j->measure[i] = tl_measure_define(&j->scene, from, body);
  }
  return TALUS_OK;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static talus_status make_directory(job *j) {
  if (mkdir(j->out, 0777) != 0 && errno != EEXIST) {
    return tl_fail(j->context, TALUS_FILE_WRITE, "%s cannot be made: %s", j->out, strerror(errno));
  }
  return TALUS_OK;
}

/* Reads and measures one frame. */
static talus_status measure_frame(job *j, int64_t step) {
  tl_stored_frame *stored = NULL;
  TL_TRY(tl_vtk_read(j->context, j->def.directory, step, &stored));
  const talus_status status = tl_measure_series_add(&j->series, &stored->frame);
  tl_stored_frame_destroy(stored);
  return status;
}

static talus_status measure_frames(job *j, int32_t *frames) {
  const int32_t count = j->frames.count;
  bool more = true;
  int32_t between = 0;
  char begin[48] = "", end[48] = "";
  if (isfinite(j->def.begin)) {
    snprintf(begin, sizeof begin, "from %g s", j->def.begin);
  }
  if (isfinite(j->def.end)) {
    snprintf(end, sizeof end, "%s %g s", begin[0] != '\0' ? " to" : "to", j->def.end);
  }
  for (int32_t k = 0; k < count && more; k++) {
    const tl_series_entry *const entry = &j->frames.entry[k];
    if (entry->time >= j->def.begin && entry->time <= j->def.end && between++ % j->def.every == 0) {
      TL_TRY(measure_frame(j, entry->step));
      ++*frames;
    }
    more = j->def.progress == NULL || j->def.progress(j->def.user, k + 1, count) == 0;
  }
  return *frames > 0
             ? TALUS_OK
             : tl_fail(j->context, TALUS_FILE_OPEN,
                       "%s has no frame that is asked for (%s%s): they go from %g s to %g s",
                       j->def.directory, begin, end, j->frames.entry[0].time,
                       j->frames.entry[count - 1].time);
}

/* The first frame tells whether the world is plane. */
static talus_status look(job *j, bool *plane) {
  tl_stored_frame *stored = NULL;
  TL_TRY(tl_series_open(j->context, j->def.directory, "grains", 0, &j->frames));
  if (j->frames.count == 0) {
    return tl_fail(j->context, TALUS_FILE_OPEN, "%s: has no grains.pvd with frames",
                   j->def.directory);
  }
  TL_TRY(tl_vtk_read(j->context, j->def.directory, j->frames.entry[0].step, &stored));
  *plane = stored->frame.plane != 0;
  tl_stored_frame_destroy(stored);
  return TALUS_OK;
}

static talus_status measure(job *j, int32_t *frames) {
  bool plane = false;
  TL_TRY(look(j, &plane));
  TL_TRY(read_scene(j, plane));
  TL_TRY(define(j));
  TL_TRY(make_directory(j));
  TL_TRY(tl_measure_series_open(j->context, j->out, j->measure, j->scene.output.measure.count,
                                plane, &j->series));
  TL_TRY(measure_frames(j, frames));
  tl_measures_tell_empty(&j->series.measures);
  return tl_measure_series_finish(&j->series, j->out);
}

static talus_status check(job *j, const talus_measure_def *given) {
  j->def = talus_measure_def_default();
  TL_TRY(tl_struct_read(j->context, &tl_struct_measure_def, "measure def", given, &j->def));
  if (j->def.directory == NULL || j->def.add_count < 0 ||
      (j->def.add_count > 0 && j->def.add == NULL) || j->def.every < 1 ||
      !(j->def.begin <= j->def.end)) {
    return tl_fail(j->context, TALUS_INVALID_ARGUMENT,
                   "measure def: directory or add is NULL, every (%d) is below 1, or the end is "
                   "before the beginning",
                   (int)j->def.every);
  }
  for (int32_t i = 0; i < j->def.add_count; i++) {
    if (j->def.add[i] == NULL) {
      return tl_fail(j->context, TALUS_INVALID_ARGUMENT, "measure def: add[%d] is NULL", (int)i);
    }
  }
  const int length = j->def.out != NULL
                         ? snprintf(j->out, sizeof j->out, "%s", j->def.out)
                         : snprintf(j->out, sizeof j->out, "%s/measured", j->def.directory);
  return length < (int)sizeof j->out
             ? TALUS_OK
             : tl_fail(j->context, TALUS_FILE_WRITE, "the name of the directory is too long");
}

talus_status talus_measure_run(talus_context *context, const talus_measure_def *def,
                               int32_t *frames) {
  job j;
  void *locale, *before;
  int32_t measured = 0;
  if (context == NULL || def == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  memset(&j, 0, sizeof j);
  j.context = j.arena.context = j.frames.context = context;
  TL_TRY(check(&j, def));
  tl_locale_enter(&locale, &before);
  const talus_status status = measure(&j, &measured);
  tl_locale_leave(locale, before);
  tl_measure_series_close(&j.series);
  tl_series_release(&j.frames);
  tl_arena_release(&j.arena);
  if (frames != NULL) {
    *frames = measured;
  }
  return status;
}
