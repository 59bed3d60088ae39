/* scalars.c: what the CSV file tells of a step: energies, contacts, residual, stress, forces on
 * walls, tracked bodies.
 *
 * Packing fraction and stress are those of measure.h. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "host/base/words.h"
#include "host/scene/measure.h"
#include "host/scene/snapshot.h"
#include "host/world/world.h"

static const talus_column fixed[] = {
    {"time", "s"},
    {"kinetic", "J"},
    {"potential", "J"},
    {"work_contacts", "J"},
    {"work_forces", "J"},
    {"work_motion", "J"},
    {"work_joints", "J"},
    {"energy_error", ""},
    {"momentum_error", ""},
    {"bodies", ""},
    {"added", ""},
    {"removed", ""},
    {"mean_velocity_x", "m/s"},
    {"mean_velocity_y", "m/s"},
    {"mean_velocity_z", "m/s"},
    {"contacts", ""},
    {"touching", ""},
    {"coordination", ""},
    {"penetration_mean", "m"},
    {"penetration_max", "m"},
    {"epsilon", ""},
    {"epsilon_other", ""},
    {"error", ""},
    {"iterations", ""},
    {"halvings", ""},
    {"accepted", ""},
    {"singular", ""},
    {"packing_fraction", ""},
    {"stress_xx", "Pa"},
    {"stress_yy", "Pa"},
    {"stress_zz", "Pa"},
    {"stress_xy", "Pa"},
    {"stress_xz", "Pa"},
    {"stress_yz", "Pa"},
};
/* Only of scenes with a cell. */
static const talus_column of_cell[] = {{"strain_xx", ""}, {"strain_yy", ""}, {"strain_zz", ""},
                                       {"strain_xy", ""}, {"strain_xz", ""}, {"strain_yz", ""},
                                       {"cell_xx", "m"},  {"cell_yy", "m"},  {"cell_zz", "m"}};
/* Only of scenes with bonds: those that hold, those that broke so far. */
static const talus_column of_bonds[] = {{"bonds", ""}, {"bonds_broken", ""}};
/* Only of scenes that have not every step judged: solves that the certificate did not judge. */
static const talus_column of_certify[] = {{"uncertified", ""}};
enum { PER_BONDS = sizeof of_bonds / sizeof of_bonds[0] };
enum { PER_CELL = sizeof of_cell / sizeof of_cell[0] };
enum { FIXED = sizeof fixed / sizeof fixed[0], STRESS = FIXED - 6, PER_TRACK = 9 };

/* Whether a wall is called so: its force is a column anyway. */
static bool is_wall(const tl_scene_definition *def, const char *name) {
  const tl_scene_wall *const wall = def->walls.item;
  bool found = false;
  for (int32_t i = 0; i < def->walls.count && !found; i++) {
    found = wall[i].name != NULL && strcmp(wall[i].name, name) == 0;
  }
  return found;
}

/* Columns of output.forces: force and torque, of walls the torque alone. */
static int32_t force_columns(const tl_scene_definition *def) {
  int32_t count = 0;
  for (int32_t i = 0; i < def->output.forces.count; i++) {
    count += is_wall(def, def->output.forces.text[i]) ? 3 : 6;
  }
  return count;
}

/* Only of scenes with stages: the number of the present one, from 1. */
static int32_t stage_columns(const tl_scene_definition *def) {
  return def->stages.count > 0 ? 1 : 0;
}

static int32_t cell_columns(const tl_scene_definition *def) {
  return def->cell.item.node != NULL ? PER_CELL : 0;
}

static int32_t bond_columns(const tl_scene_definition *def) {
  return def->bonds.count > 0 ? PER_BONDS : 0;
}

static int32_t certify_columns(const tl_scene_definition *def) {
  return def->world.certify != 1 ? 1 : 0;
}

int32_t tl_scalars_count(const talus_scene *scene) {
  const tl_scene_definition *def = tl_scene_def(scene);
  return FIXED + cell_columns(def) + bond_columns(def) + certify_columns(def) +
         3 * def->walls.count + PER_TRACK * def->output.track.count + force_columns(def) +
         tl_scalars_servo_count(scene) + stage_columns(def);
}

talus_status tl_scalars_column(tl_arena *arena, const char *stem, const char *name,
                               const char *ending, const char *unit, talus_column *column) {
  char text[160];
  const int length = snprintf(text, sizeof text, "%s%.80s%s", stem, name, ending);
  for (int i = 0; i < length; i++) {
    const char c = text[i];
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-';
    text[i] = plain ? c : '_';
  }
  column->unit = unit;
  return tl_arena_text(arena, text, (size_t)length, &column->name);
}

talus_status tl_scalars_name(const talus_scene *scene, tl_arena *arena, talus_column *column) {
  static const char *const axes[] = {"_x", "_y", "_z"};
  static const char *const rates[] = {"_vx", "_vy", "_vz"};
  static const char *const spins[] = {"_wx", "_wy", "_wz"};
  const tl_scene_definition *def = tl_scene_def(scene);
  memcpy(column, fixed, sizeof fixed);
  column += FIXED;
  memcpy(column, of_cell, (size_t)cell_columns(def) * sizeof *column);
  column += cell_columns(def);
  memcpy(column, of_bonds, (size_t)bond_columns(def) * sizeof *column);
  column += bond_columns(def);
  memcpy(column, of_certify, (size_t)certify_columns(def) * sizeof *column);
  column += certify_columns(def);
  for (int32_t i = 0; i < def->walls.count; i++) {
    const char *name = ((const tl_scene_wall *)def->walls.item)[i].name;
    char number[16];
    snprintf(number, sizeof number, "wall%d", (int)i);
    for (int c = 0; c < 3; c++) {
      TL_TRY(
          tl_scalars_column(arena, "force_", name != NULL ? name : number, axes[c], "N", column++));
    }
  }
  for (int32_t i = 0; i < def->output.track.count; i++) {
    const char *name = def->output.track.text[i];
    for (int c = 0; c < 9; c++) {
      const char *ending = c < 3 ? axes[c] : c < 6 ? rates[c - 3] : spins[c - 6];
      const char *unit = c < 3 ? "m" : c < 6 ? "m/s" : "rad/s";
      TL_TRY(tl_scalars_column(arena, "", name, ending, unit, column++));
    }
  }
  for (int32_t i = 0; i < def->output.forces.count; i++) {
    const char *const name = def->output.forces.text[i];
    for (int c = is_wall(def, name) ? 3 : 0; c < 6; c++) {
      TL_TRY(tl_scalars_column(arena, c < 3 ? "force_" : "torque_", name, axes[c % 3],
                               c < 3 ? "N" : "N m", column++));
    }
  }
  TL_TRY(tl_scalars_servo_name(scene, arena, column));
  column += tl_scalars_servo_count(scene);
  if (stage_columns(def) > 0) {
    *column = (talus_column){"stage", ""};
  }
  return TALUS_OK;
}

/* Of the bodies as they are, all together. */
typedef struct totals {
  double kinetic, potential; /* J */
  double mass, momentum[3];  /* kg, kg m/s */
} totals;

static totals totals_of(const talus_world *world) {
  totals sum = {0};
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *body = &world->body[i];
    if (!body->exists || !(body->inverse_mass > 0)) {
      continue;
    }
    double rotation[9], inertia[6], momentum[3];
    tl_quaternion_matrix(body->orientation, rotation);
    tl_inertia_turn(body->inertia, rotation, inertia);
    tl_sym3(momentum, inertia, body->spin);
    sum.kinetic += 0.5 * (body->mass * tl_dot3(body->velocity, body->velocity) +
                          tl_dot3(body->spin, momentum));
    sum.potential -= body->mass * tl_dot3(world->def.gravity, body->position);
    sum.mass += body->mass;
    tl_along3(sum.momentum, sum.momentum, body->mass, body->velocity);
  }
  return sum;
}

static int32_t free_count(const talus_world *world) {
  int32_t count = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    count += world->body[i].exists && world->body[i].type == TALUS_BODY_FREE;
  }
  return count;
}

/* Sums of the contact forces on each wall. */
static void wall_forces(const talus_scene *scene, const talus_world *world, double *wall_force) {
  const int32_t walls = tl_scene_def(scene)->walls.count; /* the first bodies */
  const double dt = tl_part_seconds(world);
  for (int32_t k = 0; k < world->contact_count; k++) {
    const tl_contact_shown *const contact = &world->contact[k].shown;
    for (int c = 0; c < 3; c++) {
      const double force = world->impulse[3 * (int64_t)k + c] / dt;
      if (contact->body_a < walls) {
        wall_force[3 * contact->body_a + c] -= force;
      }
      if (contact->body_b < walls) {
        wall_force[3 * contact->body_b + c] += force;
      }
    }
  }
}

/* Sums the contact forces on a body, and their torques about its position. */
static void body_load(const talus_world *world, int32_t id, double load[6]) {
  const double dt = tl_part_seconds(world);
  const tl_body *const body = tl_body_at(world, id);
  for (int c = 0; c < 6; c++) {
    load[c] = body != NULL ? 0 : NAN; /* taken away */
  }
  for (int32_t k = 0; k < world->contact_count && body != NULL; k++) {
    const tl_contact_shown *const contact = &world->contact[k].shown;
    if (contact->body_a != id && contact->body_b != id) {
      continue;
    }
    double force[3], arm[3], torque[3];
    tl_scale3(force, (contact->body_a == id ? -1 : 1) / dt, world->impulse + 3 * (int64_t)k);
    tl_sub3(arm, contact->point, body->position);
    tl_cross3(torque, arm, force);
    tl_along3(load, load, 1, force);
    tl_along3(load + 3, load + 3, 1, torque);
  }
}

static void fill_loads(const talus_scene *scene, const talus_world *world, double *value) {
  const tl_scene_definition *def = tl_scene_def(scene);
  for (int32_t i = 0; i < def->output.forces.count; i++) {
    const char *const name = def->output.forces.text[i];
    const int first = is_wall(def, name) ? 3 : 0;
    double load[6];
    body_load(world, talus_scene_body_find(scene, name), load);
    memcpy(value, load + first, (size_t)(6 - first) * sizeof(double));
    value += 6 - first;
  }
}

talus_status tl_scalars_fill(const talus_scene *scene, const talus_world *world,
                             const talus_step_report *given, double *value) {
  const tl_scene_definition *def = tl_scene_def(scene);
  const talus_step_report nothing = talus_step_report_default();
  const talus_step_report *report = given != NULL ? given : &nothing;
  tl_measured measured;
  TL_TRY(tl_contacts_read(world));
  const totals sum = totals_of(world);
  const double mass = sum.mass > 0 ? sum.mass : 1;
  TL_TRY(tl_measure(scene, world, &measured));
  const double head[] = {talus_world_time(world),
                         sum.kinetic,
                         sum.potential,
                         report->work_contacts,
                         report->work_forces,
                         report->work_motion,
                         report->work_joints,
                         report->energy_error,
                         report->momentum_error,
                         free_count(world),
                         (double)talus_scene_added(scene),
                         (double)talus_scene_removed(scene),
                         sum.momentum[0] / mass,
                         sum.momentum[1] / mass,
                         sum.momentum[2] / mass,
                         report->contact_count,
                         report->touching_count,
                         report->coordination,
                         report->penetration_mean,
                         report->penetration_max,
                         report->epsilon,
                         report->epsilon_other,
                         report->error,
                         (double)report->iterations,
                         report->halvings,
                         report->accepted,
                         report->singular,
                         measured.packing_fraction};
  _Static_assert(sizeof head / sizeof head[0] == STRESS, "a value for every column");
  memset(value, 0, (size_t)tl_scalars_count(scene) * sizeof(double));
  memcpy(value, head, sizeof head);
  memcpy(value + STRESS, measured.stress, sizeof measured.stress);
  value += FIXED;
  if (cell_columns(def) > 0) {
    memcpy(value, world->cell.strain, sizeof world->cell.strain);
    memcpy(value + 6, world->cell.def.edge, 3 * sizeof *value);
  }
  value += cell_columns(def);
  if (bond_columns(def) > 0) {
    value[0] = talus_world_bonds(world, NULL);
    value[1] = (double)(world->broken_before + world->broken_count);
  }
  value += bond_columns(def);
  if (certify_columns(def) > 0) {
    *value++ = report->uncertified;
  }
  wall_forces(scene, world, value);
  value += 3 * def->walls.count;
  for (int32_t i = 0; i < def->output.track.count; i++, value += PER_TRACK) {
    const int32_t body = talus_scene_body_find(scene, def->output.track.text[i]);
    talus_body_state state;
    if (talus_body_exists(world, body) && talus_body_get(world, body, &state) == TALUS_OK) {
      memcpy(value, state.position, sizeof state.position);
      memcpy(value + 3, state.velocity, sizeof state.velocity);
      memcpy(value + 6, state.spin, sizeof state.spin);
    } else {
      for (int c = 0; c < PER_TRACK; c++) {
        value[c] = NAN; /* taken away */
      }
    }
  }
  fill_loads(scene, world, value);
  value += force_columns(def);
  tl_scalars_servo_fill(scene, world, value);
  if (stage_columns(def) > 0) {
    value[tl_scalars_servo_count(scene)] = tl_scene_stage_index(scene) + 1;
  }
  return TALUS_OK;
}

const char *tl_column_suggest(const talus_column *column, int32_t count, const char *name,
                              char *text, size_t capacity) {
  int least = tl_words_tolerance(name) + 1;
  text[0] = '\0';
  for (int32_t i = 0; i < count; i++) {
    const int distance = tl_words_distance(name, column[i].name);
    if (distance < least) {
      least = distance;
      snprintf(text, capacity, " (did you mean %.60s?)", column[i].name);
    }
  }
  return text;
}
