/* world.c: life of a world, and the defaults of door 1. */
#include <math.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/collide/match.h"
#include "host/world/resident.h"
#include "host/world/spread.h"

void talus_world_def_init(talus_world_def *def, size_t size) {
  talus_world_def defaults = {.gravity = {0, 0, -9.81},
                              .step = 1e-3,
                              .substeps = 1,
                              .slop = 2e-4,
                              .margin = 0.02,
                              .bias_cap = 0.6,
                              .seed = 1,
                              .penetration_limit = 0.05};
  defaults.solver = talus_settings_default();
  defaults.solver.max_iterations = 0; /* see iterations_of */
  defaults.solver.precision = TALUS_PRECISION_AUTO;
  tl_struct_init(&tl_struct_world_def, &defaults, def, size);
}

void talus_body_def_init(talus_body_def *def, size_t size) {
  static const talus_body_def defaults = {.orientation = {1}, .collides = UINT32_MAX};
  tl_struct_init(&tl_struct_body_def, &defaults, def, size);
}

void talus_shape_def_init(talus_shape_def *def, size_t size, talus_shape_kind kind) {
  const talus_shape_def defaults = {.kind = kind, .orientation = {1}};
  tl_struct_init(&tl_struct_shape_def, &defaults, def, size);
}

void talus_motion_def_init(talus_motion_def *def, size_t size, talus_motion_kind kind) {
  const talus_motion_def defaults = {.kind = kind, .end = INFINITY};
  tl_struct_init(&tl_struct_motion_def, &defaults, def, size);
}

void talus_joint_def_init(talus_joint_def *def, size_t size, talus_joint_kind kind) {
  const talus_joint_def defaults = {.kind = kind,
                                    .body_a = TALUS_NONE,
                                    .body_b = TALUS_NONE,
                                    .axis = {0, 0, 1},
                                    .effort = INFINITY};
  tl_struct_init(&tl_struct_joint_def, &defaults, def, size);
}

void talus_joint_state_init(talus_joint_state *state, size_t size) {
  static const talus_joint_state defaults;
  tl_struct_init(&tl_struct_joint_state, &defaults, state, size);
}

void talus_step_report_init(talus_step_report *report, size_t size) {
  static const talus_step_report defaults;
  tl_struct_init(&tl_struct_step_report, &defaults, report, size);
}

/* What each step aims at: beds at rest stay where they are, at the cost of fewer passes than looser
 * solves need (docs/decisions/velocity-scale.md). */
static const double TOLERANCE = 1e-4;
enum { ITERATIONS = 200, ITERATIONS_MANY = 2000 };

static double tolerance_of(const talus_world_def *def) {
  return def->tolerance > 0 ? def->tolerance : TOLERANCE;
}

/* A tolerance below the default is given more iterations, and so are bonds. */
static int64_t iterations_of(const talus_world *world, const talus_world_def *def) {
  return def->solver.max_iterations != 0                          ? def->solver.max_iterations
         : tolerance_of(def) < TOLERANCE || world->bond_count > 0 ? ITERATIONS_MANY
                                                                  : ITERATIONS;
}

talus_status tl_solver_prepare_rows(talus_world *world) {
  talus_settings *const settings = &world->def.solver;
  /* chains gain by islands; with bricks ranks iterate on all contacts and joints together */
  settings->islands = settings->islands || world->bond_count > 0 || !(world->def.brick_size > 0);
  settings->max_iterations = iterations_of(world, &world->given);
  return talus_solver_set(world->solver, settings);
}

static talus_miss on_miss_of(const talus_world_def *def) {
  return def->on_miss != TALUS_MISS_DEFAULT ? def->on_miss
         : def->accept > 0                  ? TALUS_MISS_HALVE
                                            : TALUS_MISS_CONTINUE;
}

static talus_status def_check(talus_context *context, const talus_world_def *def) {
  const double gravity = tl_dot3(def->gravity, def->gravity);
  const struct {
    const char *name;
    double value;
    int good;
  } checks[] = {
      {"gravity", gravity, isfinite(gravity)},
      {"step", def->step, def->step > 0 && isfinite(def->step)},
      {"substeps", def->substeps, def->substeps >= 1 && def->substeps <= 100000},
      {"slop", def->slop, def->slop >= 0 && def->slop < 1},
      {"margin", def->margin, def->margin >= 0 && def->margin < 10},
      {"bias_cap", def->bias_cap, def->bias_cap >= 0},
      {"restitution_speed", def->restitution_speed, def->restitution_speed >= 0},
      {"tolerance", def->tolerance, def->tolerance >= 0},
      {"accept", def->accept, def->accept == 0 || def->accept >= tolerance_of(def)},
      {"integrator", def->integrator, (unsigned)def->integrator <= TALUS_INTEGRATOR_MIDPOINT},
      {"stabilisation", def->stabilisation, (unsigned)def->stabilisation <= TALUS_STABILISE_NONE},
      {"restitution", def->restitution, (unsigned)def->restitution <= TALUS_RESTITUTION_POISSON},
      {"on_miss", def->on_miss, (unsigned)def->on_miss <= TALUS_MISS_STOP},
      {"accept (on_miss is CONTINUE, which accepts any)", def->accept,
       def->accept == 0 || isinf(def->accept) || def->on_miss != TALUS_MISS_CONTINUE},
      {"penetration_limit", def->penetration_limit, def->penetration_limit > 0},
      {"velocity_scale", def->velocity_scale,
       def->velocity_scale >= 0 && isfinite(def->velocity_scale)},
      {"plane", def->plane, (uint32_t)def->plane <= 1},
      {"brick_size", def->brick_size, def->brick_size >= 0 && isfinite(def->brick_size)},
      {"softness", def->softness, (unsigned)def->softness <= TALUS_SOFTNESS_AUTO},
      {"solver.fixed_iterations (steps are judged by their error: use max_iterations)",
       (double)def->solver.fixed_iterations, def->solver.fixed_iterations == 0},
  };
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    if (!checks[i].good) {
      return tl_fail(context, TALUS_BAD_SETTING, "world def: %s is %g: out of range",
                     checks[i].name, checks[i].value);
    }
  }
  return TALUS_OK;
}

/* The def by which a world goes: defaults in place of the zeros that stand for them. */
static void def_take(talus_world *world, const talus_world_def *given) {
  talus_world_def *const def = &world->def;
  *def = world->given = *given;
  world->given.solver.dump_path = NULL; /* def has the world's copy */
  def->tolerance = tolerance_of(given);
  def->on_miss = on_miss_of(given);
  def->accept = def->on_miss == TALUS_MISS_CONTINUE ? INFINITY
                : given->accept > 0                 ? given->accept
                                                    : 10 * def->tolerance;
  if (given->restitution_speed == 0) {
    def->restitution_speed = 2 * sqrt(tl_dot3(given->gravity, given->gravity)) * given->step;
  }
  def->solver.tolerance = def->tolerance;
  def->solver.max_iterations = iterations_of(world, given);
  def->solver.warm_start = 1;
  def->solver.same_bits = 1; /* a run is the same on every machine */
}

/* Members that were zero and come back as talus_world_get handed them out stand for defaults again:
 * what follows from other members goes on following them. */
static void derived_clear(const talus_world *world, talus_world_def *def) {
  const talus_world_def *const given = &world->given, *const shown = &world->def;
  const struct {
    double given, shown;
    double *value;
  } reals[] = {
      {given->tolerance, shown->tolerance, &def->tolerance},
      {given->accept, shown->accept, &def->accept},
      {given->restitution_speed, shown->restitution_speed, &def->restitution_speed},
  };
  for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
    if (reals[i].given == 0 && *reals[i].value == reals[i].shown) {
      *reals[i].value = 0;
    }
  }
  if (given->on_miss == TALUS_MISS_DEFAULT && def->on_miss == shown->on_miss) {
    def->on_miss = TALUS_MISS_DEFAULT;
  }
  if (given->solver.max_iterations == 0 &&
      def->solver.max_iterations == shown->solver.max_iterations) {
    def->solver.max_iterations = 0;
  }
}

talus_status tl_world_dump_take(talus_world *world, talus_dump dump, const char *path) {
  talus_settings *const settings = &world->def.solver;
  const bool named = dump != TALUS_DUMP_NONE && path != NULL;
  const size_t length = named ? strlen(path) + 1 : 0;
  const talus_settings old = *settings;
  char *kept = NULL;
  if (named) {
    TL_TRY(tl_alloc(world->context, (void **)&kept, length, 1, "solver.dump_path"));
    memcpy(kept, path, length);
  }
  settings->dump = dump;
  settings->dump_path = kept;
  const talus_status status =
      world->solver != NULL ? talus_solver_set(world->solver, settings) : TALUS_OK;
  if (status != TALUS_OK) {
    *settings = old;
    tl_free(world->context, kept);
    return status;
  }
  tl_free(world->context, world->dump_path);
  world->dump_path = kept;
  return TALUS_OK;
}

/* Settings of the projection of positions, which is not meant to be exact. */
static talus_settings projection_of(const talus_settings *solver) {
  talus_settings projection = *solver;
  projection.dump = TALUS_DUMP_NONE; /* dumps are of contact problems alone */
  projection.law = TALUS_LAW_CCP;
  if (projection.cone != TALUS_CONE_CIRCULAR) { /* without friction every cone is the same */
    projection.cone = TALUS_CONE_CIRCULAR;
    projection.method = TALUS_METHOD_AUTO;
  }
  projection.tolerance = 0.1;
  projection.warm_start = 0;
  projection.max_iterations = 50;
  projection.islands = 0;
  projection.certify = solver->certify == 1; /* its solves are not those of steps to count */
  return projection;
}

talus_settings tl_settings_projection(const talus_world *world) {
  return projection_of(&world->def.solver);
}

/* A world as this rank makes it; on failure *result is NULL or has to be destroyed. */
static talus_status world_make(talus_context *context, const talus_world_def *given,
                               talus_world **result) {
  talus_world_def def = talus_world_def_default();
  if (given != NULL) {
    TL_TRY(tl_struct_read(context, &tl_struct_world_def, "world def", given, &def));
  }
  TL_TRY(def_check(context, &def));
  TL_TRY(tl_alloc(context, (void **)result, 1, sizeof **result, "world"));
  talus_world *const world = *result;
  memset(world, 0, sizeof *world);
  world->context = context;
  world->soft = def.softness != TALUS_SOFTNESS_RIGID;
  def_take(world, &def);
  const talus_settings projection = projection_of(&world->def.solver);
  TL_TRY(tl_alloc(context, (void **)&world->shown, 1, sizeof *world->shown, "world"));
  *world->shown = (tl_buffer){NULL, 0};
  TL_TRY(tl_alloc(context, (void **)&world->shown_bonds, 1, sizeof *world->shown_bonds, "world"));
  *world->shown_bonds = (tl_buffer){NULL, 0};
  TL_TRY(tl_broad_create(context, &world->broad));
  TL_TRY(tl_broad_create(context, &world->broad_fast));
  TL_TRY(tl_narrow_create(context, &world->problem_memory, &world->narrow));
  TL_TRY(tl_match_create(context, &world->match));
  TL_TRY(tl_world_dump_take(world, def.solver.dump, def.solver.dump_path));
  TL_TRY(talus_solver_create(context, &world->def.solver, &world->solver));
  return talus_solver_create(context, &projection, &world->projector);
}

talus_status talus_world_create(talus_context *context, const talus_world_def *given,
                                talus_world **result) {
  if (context == NULL || result == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "context or world is NULL");
  }
  *result = NULL;
  talus_world *world = NULL;
  talus_status status = world_make(context, given, &world);
  status = tl_spread_begin(context, world, status);
  if (status == TALUS_OK) {
    status = tl_ranks_agree(context, tl_resident_create(world));
  }
  if (status != TALUS_OK) {
    talus_world_destroy(world);
    return status;
  }
  *result = world;
  return TALUS_OK;
}

/* Leaves the world as it was if it fails. */
static talus_status def_set(talus_world *world, const talus_world_def *given) {
  const talus_world_def old = world->def, old_given = world->given;
  talus_world_def def = talus_world_def_default();
  TL_TRY(tl_struct_read(world->context, &tl_struct_world_def, "world def", given, &def));
  derived_clear(world, &def);
  TL_TRY(def_check(world->context, &def));
  TL_TRY(tl_spread_check(world->context, &def.solver));
  if (def.step != old.step || def.plane != old.plane || def.seed != old.seed ||
      def.softness != old.softness) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "world def: step, plane, seed and softness stay what they are");
  }
  def.solver.dump = old.solver.dump; /* talus_world_dump changes them */
  def.solver.dump_path = old.solver.dump_path;
  def.solver.islands = def.solver.islands || old.solver.islands; /* joints ask for it */
  talus_settings projection;
  def_take(world, &def);
  projection = projection_of(&world->def.solver);
  talus_status status = talus_solver_set(world->solver, &world->def.solver);
  if (status == TALUS_OK) {
    status = talus_solver_set(world->projector, &projection);
  }
  if (status != TALUS_OK) { /* as it was; these settings were good before */
    world->def = old;
    world->given = old_given;
    projection = projection_of(&old.solver);
    (void)talus_solver_set(world->solver, &old.solver);
    (void)talus_solver_set(world->projector, &projection);
  }
  return status;
}

talus_status talus_world_set(talus_world *world, const talus_world_def *given) {
  if (world == NULL || given == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_ranks_agree(world->context, def_set(world, given)));
  return tl_spread_same_def(world);
}

void talus_world_destroy(talus_world *world) {
  if (world == NULL) {
    return;
  }
  talus_context *const context = world->context;
  tl_resident_destroy(world);
  for (int32_t i = 0; i < world->shape_count; i++) {
    tl_geometry_release(context, &world->shape[i].geometry);
  }
  for (int32_t i = 0; i < world->motion_count; i++) {
    tl_free(context, world->motion[i].memory);
  }
  tl_buffer *const shown[] = {world->shown, world->shown_bonds};
  for (int i = 0; i < 2; i++) {
    if (shown[i] != NULL) {
      tl_buffer_release(context, shown[i]);
    }
  }
  void *const arrays[] = {world->body,        world->shape,    world->material, world->pair,
                          world->motion,      world->joint,    world->shown,    world->servo,
                          world->shown_bonds, world->bond,     world->broken,   world->turn,
                          world->body_extra,  world->dump_path};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    tl_free(context, arrays[i]);
  }
  tl_buffer *const buffers[] = {&world->colliders,
                                &world->facts,
                                &world->fast_colliders,
                                &world->least_margins,
                                &world->ordered_pairs,
                                &world->keys,
                                &world->found,
                                &world->saved_bodies,
                                &world->saved_joints,
                                &world->saved_bonds,
                                &world->bond_pairs,
                                &world->joint_pairs,
                                &world->problem_memory,
                                &world->solution_memory,
                                &world->velocity_memory,
                                &world->restitution_memory,
                                &world->resistance_memory,
                                &world->cohesion_memory,
                                &world->sum_memory,
                                &world->servo_memory,
                                &world->servo_hull,
                                &world->spread_memory,
                                &world->spread_points};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    tl_buffer_release(context, buffers[i]);
  }
  tl_contacts_release(world);
  tl_spread_release(world);
  tl_links_release(world);
  tl_broad_destroy(world->broad);
  tl_broad_destroy(world->broad_fast);
  tl_narrow_destroy(world->narrow);
  tl_match_destroy(world->match);
  talus_solver_destroy(world->solver);
  talus_solver_destroy(world->projector);
  tl_free(context, world);
}

talus_status tl_world_grow(talus_world *world, void **array, int32_t *capacity, int32_t needed,
                           size_t size, const char *what) {
  if (needed <= *capacity) {
    return TALUS_OK;
  }
  if (needed > (1 << 29)) {
    return tl_fail(world->context, TALUS_SIZE_OVERFLOW, "%s: %d are too many", what, needed);
  }
  const int32_t room = needed > 2 * *capacity ? needed : 2 * *capacity;
  void *larger;
  TL_TRY(tl_alloc(world->context, &larger, (size_t)room, size, what));
  if (*array != NULL) {
    memcpy(larger, *array, (size_t)*capacity * size);
    tl_free(world->context, *array);
  }
  *array = larger;
  *capacity = room;
  return TALUS_OK;
}

double talus_world_time(const talus_world *world) {
  return world != NULL ? world->time : 0;
}

int64_t talus_world_steps(const talus_world *world) {
  return world != NULL ? world->step_count : 0;
}

void talus_world_on_contact(talus_world *world, talus_contact_fn function, void *user) {
  if (world != NULL) {
    world->contact_function = function;
    world->contact_user = user;
  }
}
