/* stages.c: the stages of a scene: their definitions, what ends them, and where a run stands.
 *
 * A stage is the scene with some of its keys changed: the tree of the file is copied, changed, and
 * read again by the same tables, so that every mistake is found before the run begins and named
 * with its line. Conditions are looked at after steps (talus_scene_watch), when all columns are
 * known; the next tick acts. What was found is part of the scene's state. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/ranks/agree.h"
#include "host/scene/build.h"
#include "host/scene/snapshot.h"
#include "host/scene/value.h"

static const tl_scene_stage *stage_at(const talus_scene *scene, int32_t i) {
  return (const tl_scene_stage *)scene->def.stages.item + i;
}

/* "compress", or its number. */
static const char *stage_name(const talus_scene *scene, int32_t i, char text[80]) {
  const char *const name = stage_at(scene, i)->name;
  if (name != NULL) {
    snprintf(text, 80, "'%.60s'", name);
  } else {
    snprintf(text, 80, "%d", (int)i + 1);
  }
  return text;
}

/* ---- what a stage may set -------------------------------------------------------------------- */

/* Paths, word by word; * stands for any word. */
static const char *const may_set[] = {"materials.*.friction",
                                      "materials.*.restitution",
                                      "materials.*.pull_off",
                                      "materials.*.surface_energy",
                                      "materials.*.adhesion",
                                      "materials.*.surface_tension",
                                      "materials.*.bridge_volume",
                                      "materials.*.contact_angle",
                                      "materials.*.stiffness",
                                      "materials.*.young",
                                      "materials.*.poisson",
                                      "materials.*.rolling_friction",
                                      "materials.*.spinning_friction",
                                      "materials.*.rolling_fraction",
                                      "materials.*.spinning_fraction",
                                      "materials.*.cross_friction",
                                      "materials.*.friction_direction",
                                      "pairs.*.friction",
                                      "pairs.*.restitution",
                                      "forces.*.force",
                                      "forces.*.torque",
                                      "forces.*.begin",
                                      "forces.*.end",
                                      "cell.rate",
                                      "cell.shear",
                                      "cell.servo",
                                      "cell.stress",
                                      "cell.shear_stress",
                                      "cell.rate_limit",
                                      "walls.*.motions",
                                      "walls.*.servo",
                                      "walls.*.servo.*",
                                      "bodies.*.motions",
                                      "bodies.*.servo",
                                      "bodies.*.servo.*",
                                      "inlets.*.rate",
                                      "inlets.*.limit",
                                      "inlets.*.begin",
                                      "inlets.*.end",
                                      "outlets.*.begin",
                                      "outlets.*.end",
                                      "world.gravity",
                                      "world.law",
                                      "world.method",
                                      "world.precision",
                                      "world.islands",
                                      "world.max_iterations",
                                      "world.tolerance",
                                      "world.accept",
                                      "world.on_miss",
                                      "world.penetration_limit",
                                      "world.velocity_scale",
                                      "world.restitution",
                                      "world.restitution_speed"};

/* Whether a path fits a pattern of as many words; [0] counts as .0 does. */
static bool fits(const char *path, const char *pattern) {
  while (*pattern != '\0' && *path != '\0') {
    const size_t length = strcspn(path, ".["), wanted = strcspn(pattern, ".");
    if (strncmp(pattern, "*", wanted) != 0 &&
        (length != wanted || strncmp(path, pattern, length) != 0)) {
      return false;
    }
    path += length + (path[length] != '\0');
    pattern += wanted + (pattern[wanted] != '\0');
  }
  return *pattern == '\0' && *path == '\0';
}

static talus_status check_path(const talus_scene *scene, const char *path, const tl_node *value) {
  char below[200];
  for (size_t i = 0; i < sizeof may_set / sizeof *may_set; i++) {
    if (fits(path, may_set[i])) {
      return TALUS_OK;
    }
  }
  if (value->kind != TL_NODE_MAP || value->count == 0) {
    return tl_node_fail(scene->context, value->key != NULL ? value->key : value,
                        "a stage cannot set %.100s: it may set materials (not their density), "
                        "pairs, forces, rates, servos and stresses of the cell, motions and servos "
                        "of walls and bodies, rates and times of inlets and outlets, and of the "
                        "world gravity, law, method and tolerances",
                        path);
  }
  for (const tl_node *child = value->first; child != NULL; child = child->next) {
    snprintf(below, sizeof below, "%.100s.%.90s", path, child->key->text);
    TL_TRY(check_path(scene, below, child));
  }
  return TALUS_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

static talus_status tree_change(talus_scene *scene, int32_t index, tl_node *root) {
  const tl_node *const set = stage_at(scene, index)->set;
  char place[256];
  const char *kept = NULL;
  if (set == NULL) {
    return TALUS_OK;
  }
  if (set->kind != TL_NODE_MAP) {
    return tl_node_fail(scene->context, set, "stages[%d].set wants keys with values", (int)index);
  }
  for (const tl_node *child = set->first; child != NULL; child = child->next) {
    TL_TRY(check_path(scene, child->key->text, child));
    tl_node_place(child->key, place, sizeof place);
    TL_TRY(tl_arena_text(&scene->arena, place, strlen(place), &kept));
    TL_TRY(tl_tree_merge(&scene->arena, root, kept, child->key->text, child));
  }
  return TALUS_OK;
}

/* A stage changes what is there, be it the material `default` of a scene that names none: one of
 * its own would be nobody's. */
static talus_status check_materials(const talus_scene *scene, const tl_scene_definition *def) {
  const tl_scene_material *const material = def->materials.item;
  const tl_scene_material *const known = scene->def.materials.item;
  for (int32_t i = 0; i < def->materials.count; i++) {
    bool found = scene->def.materials.count == 0 && strcmp(material[i].item.name, "default") == 0;
    for (int32_t k = 0; k < scene->def.materials.count; k++) {
      found = found || strcmp(known[k].item.name, material[i].item.name) == 0;
    }
    if (!found) {
      return tl_node_fail(scene->context, material[i].item.node,
                          "a stage sets materials.%.60s, and the scene has no such material",
                          material[i].item.name);
    }
  }
  return TALUS_OK;
}

static int64_t steps_of(double time, double step) {
  return (int64_t)fmin(9e15, floor(time / step + 0.5));
}

static talus_status stage_read(talus_scene *scene, int32_t i, tl_node *root) {
  tl_stage *const stage = &scene->stage[i];
  const tl_scene_stage *const from = stage_at(scene, i);
  tl_parse parse = {.context = scene->context, .arena = &scene->arena, .base = {1, 1, 1, 1}};
  TL_TRY(tl_parse_table(&parse, &tl_schema_root, root, "", &stage->def));
  TL_TRY(check_materials(scene, &stage->def));
  TL_TRY(tl_rings_expand(&scene->arena, &stage->def));
  const double step = scene->def.world.step;
  stage->steps = steps_of(from->time, step) > 0 ? steps_of(from->time, step) : 1;
  stage->hold = steps_of(from->hold, step);
  stage->check = from->check > 0 && steps_of(from->check, step) > 0 ? steps_of(from->check, step)
                 : from->check > 0                                  ? 1
                                                                    : 10;
  return TALUS_OK;
}

talus_status tl_stages_read(talus_scene *scene) {
  const int32_t count = scene->def.stages.count;
  void *memory = NULL;
  if (count == 0) {
    return TALUS_OK;
  }
  tl_node *root = scene->root;
  TL_TRY(tl_arena_take(&scene->arena, (size_t)count, sizeof(tl_stage), &memory));
  scene->stage = memory;
  for (int32_t i = 0; i < count; i++) {
    tl_node *copy = NULL;
    TL_TRY(tl_tree_copy(&scene->arena, root, &copy));
    TL_TRY(tree_change(scene, i, copy));
    TL_TRY(stage_read(scene, i, copy));
    root = copy;
  }
  scene->def = scene->stage[0].def;
  return TALUS_OK;
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* What a column measures: the quantity that is written in its unit (J of an energy, N m of a
 * torque), else one of the same dimension. */
static tl_quantity quantity_of(const char *unit) {
  double factor;
  tl_dimension wanted;
  char unknown[64];
  tl_quantity found = TL_QUANTITY_NUMBER;
  tl_unit_parse(unit, &factor, &wanted, unknown, sizeof unknown);
  for (int q = TL_QUANTITY_COUNT - 1; q >= 0 && unit[0] != '\0'; q--) {
    const tl_dimension dimension = tl_quantity_dimension((tl_quantity)q);
    if (strcmp(tl_quantity_unit((tl_quantity)q), unit) == 0) {
      return (tl_quantity)q;
    }
    found = memcmp(&dimension, &wanted, sizeof wanted) == 0 ? (tl_quantity)q : found;
  }
  return found;
}

/* A number in the unit of a column. */
static talus_status read_bound(talus_scene *scene, const tl_node *node, const char *name,
                               const char *unit, double *value) {
  const tl_key key = {.name = name, .type = TL_KEY_REAL, .quantity = quantity_of(unit)};
  tl_parse parse = {.context = scene->context, .arena = &scene->arena, .base = {1, 1, 1, 1}};
  return node != NULL ? tl_value_real(&parse, &key, node, "until.", value) : TALUS_OK;
}

static talus_status read_condition(talus_scene *scene, const tl_scene_condition *from,
                                   const talus_column *column, int32_t count,
                                   tl_stage_condition *made) {
  *made = (tl_stage_condition){-1, -INFINITY, INFINITY};
  for (int32_t i = 0; i < count && made->column < 0; i++) {
    made->column = strcmp(column[i].name, from->column) == 0 ? i : -1;
  }
  if (made->column < 0) {
    char near[96];
    return tl_node_fail(scene->context, tl_tree_find(from->item.node, "column"),
                        "until.column: there is no column '%.60s' in scalars.csv%s", from->column,
                        tl_column_suggest(column, count, from->column, near, sizeof near));
  }
  if (from->above == NULL && from->below == NULL) {
    return tl_node_fail(scene->context, from->item.node,
                        "the condition wants one of the keys above and below");
  }
  const char *const unit = column[made->column].unit;
  TL_TRY(read_bound(scene, from->above, "above", unit, &made->low));
  TL_TRY(read_bound(scene, from->below, "below", unit, &made->high));
  return made->low < made->high
             ? TALUS_OK
             : tl_node_fail(scene->context, from->item.node,
                            "the condition can never come true: above %g and below %g", made->low,
                            made->high);
}

static talus_status read_conditions(talus_scene *scene, tl_stage *stage, const tl_list *until,
                                    const talus_column *column, int32_t count) {
  const tl_scene_condition *const from = until->item;
  void *memory = NULL;
  TL_TRY(tl_arena_take(&scene->arena, (size_t)until->count, sizeof *stage->condition, &memory));
  stage->condition = memory;
  stage->condition_count = until->count;
  for (int32_t k = 0; k < until->count; k++) {
    TL_TRY(read_condition(scene, &from[k], column, count, &stage->condition[k]));
  }
  return TALUS_OK;
}

talus_status tl_stages_check(talus_scene *scene) {
  const int32_t columns = tl_scalars_count(scene);
  void *column = NULL;
  if (scene->stage == NULL) {
    return TALUS_OK;
  }
  TL_TRY(tl_arena_take(&scene->arena, (size_t)columns, sizeof(talus_column), &column));
  TL_TRY(tl_scalars_name(scene, &scene->arena, column));
  const int32_t count = scene->def.stages.count;
  talus_status status = TALUS_OK;
  for (int32_t i = 0; i < count && status == TALUS_OK; i++) {
    scene->def = scene->stage[i].def;
    status = tl_scene_check(scene);
    if (status == TALUS_OK) {
      status =
          read_conditions(scene, &scene->stage[i], &stage_at(scene, i)->until, column, columns);
    }
  }
  scene->def = scene->stage[0].def;
  return status;
}

bool tl_wall_moves(const talus_scene *scene, int32_t i) {
  const int32_t count = scene->stage != NULL ? scene->def.stages.count : 1;
  bool moves = false;
  for (int32_t k = 0; k < count; k++) {
    const tl_scene_definition *const def =
        scene->stage != NULL ? &scene->stage[k].def : &scene->def;
    const tl_scene_wall *const wall = (const tl_scene_wall *)def->walls.item + i;
    moves = moves || wall->motions.count > 0 || wall->type == 1 || wall->servo.item.node != NULL;
  }
  return moves;
}

/* ---- during a run ---------------------------------------------------------------------------- */

/* Whether all conditions hold; the first that does not goes to *missed. */
static bool conditions_hold(const tl_stage *stage, const double *value, int32_t *missed) {
  for (int32_t k = 0; k < stage->condition_count; k++) {
    const tl_stage_condition *const c = &stage->condition[k];
    if (!(value[c->column] > c->low && value[c->column] < c->high)) {
      *missed = k;
      return false;
    }
  }
  return true;
}

static const char *bounds_words(const tl_stage_condition *c, char *text, size_t capacity) {
  if (isinf(c->low)) {
    snprintf(text, capacity, "below %g", c->high);
  } else if (isinf(c->high)) {
    snprintf(text, capacity, "above %g", c->low);
  } else {
    snprintf(text, capacity, "above %g and below %g", c->low, c->high);
  }
  return text;
}

static void tell_late(const talus_scene *scene, const double *value, int32_t missed) {
  const tl_stage_state *const at = &scene->at;
  const tl_stage *const stage = &scene->stage[at->index];
  const tl_scene_condition *const from = stage_at(scene, at->index)->until.item;
  const tl_stage_condition *const c = &stage->condition[missed];
  char name[80], wanted[80];
  tl_log(scene->context, TALUS_LOG_WARNING,
         "stage %s reached its time limit of %g s: %.60s is %g, wanted %s%s",
         stage_name(scene, at->index, name), stage_at(scene, at->index)->time, from[missed].column,
         value[c->column], bounds_words(c, wanted, sizeof wanted),
         stage_at(scene, at->index)->late == 1 ? "; the run ends here" : "");
}

/* Looks at the conditions of the present stage. */
static talus_status look(talus_scene *scene, const talus_world *world,
                         const talus_step_report *report, bool last) {
  tl_stage_state *const at = &scene->at;
  const tl_stage *const stage = &scene->stage[at->index];
  const int64_t step = talus_world_steps(world);
  int32_t missed = 0;
  TL_TRY(tl_buffer_reserve(scene->context, &scene->scalars, (size_t)tl_scalars_count(scene),
                           sizeof(double), "columns"));
  double *const value = scene->scalars.memory;
  TL_TRY(tl_scalars_fill(scene, world, report, value));
  at->held = !conditions_hold(stage, value, &missed) ? -1 : at->held >= 0 ? at->held : step;
  at->over = at->held >= 0 && step - at->held >= stage->hold;
  if (last && !at->over) {
    tell_late(scene, value, missed);
    at->stopped = stage_at(scene, at->index)->late == 1;
  }
  return TALUS_OK;
}

static talus_status watch(talus_scene *scene, const talus_world *world,
                          const talus_step_report *given) {
  talus_step_report report = talus_step_report_default();
  TL_TRY(tl_struct_read(scene->context, &tl_struct_step_report, "step report", given, &report));
  if (scene->stage == NULL) {
    return TALUS_OK;
  }
  tl_stage_state *const at = &scene->at;
  const tl_stage *const stage = &scene->stage[at->index];
  const int64_t spent = talus_world_steps(world) - at->begin;
  const bool last = spent >= stage->steps;
  at->looked = talus_world_steps(world);
  if (!at->over && stage->condition_count > 0 && (last || spent % stage->check == 0)) {
    TL_TRY(look(scene, world, &report, last));
  }
  at->over = at->over || last;
  return TALUS_OK;
}

talus_status talus_scene_watch(talus_scene *scene, const talus_world *world,
                               const talus_step_report *given) {
  if (scene == NULL || world == NULL || given == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  return scene->stage == NULL ? TALUS_OK
                              : tl_ranks_settle(scene->context, watch(scene, world, given));
}

talus_status tl_stages_enter(talus_scene *scene, talus_world *world, int32_t index) {
  const tl_scene_definition *const before = &scene->stage[scene->at.index].def;
  scene->at.index = index;
  scene->def = scene->stage[index].def;
  return tl_stage_apply(scene, world, before);
}

talus_status tl_stages_advance(talus_scene *scene, talus_world *world) {
  tl_stage_state *const at = &scene->at;
  char name[80];
  if (scene->stage == NULL) {
    return TALUS_OK;
  }
  const tl_stage *const stage = &scene->stage[at->index];
  const int64_t step = talus_world_steps(world);
  if (step > at->looked && stage->condition_count > 0) {
    return tl_fail(scene->context, TALUS_CALL_ORDER,
                   "stages with conditions need talus_scene_watch after every step");
  }
  at->over = at->over || step - at->begin >= stage->steps;
  if (!at->over || at->stopped || at->index + 1 >= scene->def.stages.count) {
    return TALUS_OK;
  }
  const int32_t next = at->index + 1;
  TL_TRY(tl_stages_enter(scene, world, next));
  *at = (tl_stage_state){.index = next, .begin = step, .held = -1, .looked = step};
  tl_log(scene->context, TALUS_LOG_INFO, "stage %s begins at t = %g s",
         stage_name(scene, next, name), talus_world_time(world));
  return TALUS_OK;
}

int32_t tl_scene_stage_index(const talus_scene *scene) {
  return scene->at.index;
}

talus_stage_end talus_scene_over(const talus_scene *scene) {
  if (scene == NULL || scene->stage == NULL) {
    return TALUS_STAGE_GOES_ON;
  }
  const bool last = scene->at.index + 1 == scene->def.stages.count;
  return scene->at.stopped        ? TALUS_STAGE_LATE
         : last && scene->at.over ? TALUS_STAGE_LAST_ENDED
                                  : TALUS_STAGE_GOES_ON;
}
