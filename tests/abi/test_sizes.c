/* Callers of other releases: structs that end earlier than the library's, or later. Older ones are
 * served with the defaults of what they do not know, and nothing behind their end is read or
 * written; newer ones are served while they leave at 0 what the library does not know. All get the
 * same results.
 *
 * No release has had smaller structs yet: the table of first sizes that is linked here lets each be
 * eight bytes shorter, as if its last members had been added since. */
#define TL_FIRST_CUT 8
#include "host/base/struct_types.c" /* NOLINT: in place of the library's */

#include <string.h>

#include "tests/check.h"
#include "tests/solver/families.h"

enum { OLDER = -8, SAME = 0, NEWER = 24, BEHIND = 64, POISON = 0xA5, MOST = 512 };

/* ---- structs of another size ----------------------------------------------------------------- */

/* Room for `count` structs of size + change bytes, and bytes behind them that nobody may touch. */
static void *callers(size_t size, int change, int count) {
  const size_t all = (size_t)count * (size + (size_t)change) + BEHIND;
  void *const memory = malloc(all);
  if (memory == NULL) {
    exit(1);
  }
  return memset(memory, POISON, all);
}

#define CALLERS(type, name, change, count) type *const name = callers(sizeof(type), change, count)
#define SIZE(name, change) (sizeof *(name) + (size_t)(change))
#define AT(name, change, index) ((void *)((char *)(name) + (size_t)(index)*SIZE(name, change)))

static int untouched(const void *structs, size_t size) {
  const unsigned char *const bytes = (const unsigned char *)structs + size;
  for (int i = 0; i < BEHIND; i++) {
    if (bytes[i] != POISON) {
      return 0;
    }
  }
  return 1;
}

/* The end of every test of a struct: its size is the caller's, and nothing happened behind it. */
#define CALLERS_END(name, change, count)                                \
  do {                                                                  \
    CHECK_CASE((name)->struct_size == SIZE(name, change) &&             \
                   untouched(name, (size_t)(count)*SIZE(name, change)), \
               "%s with %d bytes more", #name, (int)(change));          \
    free(name);                                                         \
  } while (0)

static int says(const talus_context *context, const char *word) {
  const int good = strstr(talus_context_message(context), word) != NULL;
  if (!good) {
    printf("  message: %s\n", talus_context_message(context));
  }
  return good;
}

/* What a newer program sets beyond the library's end is refused in words. */
#define CHECK_SURPLUS(context, name, change, call)                                 \
  do {                                                                             \
    unsigned char *const last_ = (unsigned char *)(name) + SIZE(name, change) - 1; \
    if ((change) == NEWER) {                                                       \
      *last_ = 1;                                                                  \
      CHECK((call) == TALUS_STRUCT_SIZE && says(context, "newer release"));        \
      *last_ = 0;                                                                  \
    }                                                                              \
  } while (0)

/* Results of one kind of caller, to be held against another's. */
typedef struct digest {
  double value[MOST];
  int count;
} digest;

static void digest_add(digest *d, const double *value, int count) {
  for (int i = 0; i < count && d->count < MOST; i++) {
    d->value[d->count++] = value[i];
  }
}

/* ---- door 2 ---------------------------------------------------------------------------------- */

typedef struct arrays {
  double impulse[3 * 64], rows[64];
} arrays;

static talus_problem *problem_of(const oracle_made *made, int change) {
  CALLERS(talus_problem, problem, change, 1);
  talus_problem_init(problem, SIZE(problem, change), made->problem.form);
  memcpy(problem, &made->problem, sizeof *problem + (change < 0 ? (size_t)change : 0));
  problem->struct_size = (uint32_t)SIZE(problem, change);
  return problem;
}

static void solver_check(talus_context *context, int change, digest *d) {
  oracle_made made = family_make(family_at(2), TALUS_LAW_COULOMB, 3);
  talus_problem *const problem = problem_of(&made, change);
  CALLERS(talus_settings, settings, change, 1);
  CALLERS(talus_layout, layout, change, 1);
  CALLERS(talus_solution, solution, change, 1);
  CALLERS(talus_solution_layout, out, change, 1);
  CALLERS(talus_info, info, change, 1);
  arrays found = {0};
  talus_solver *solver;
  talus_settings_init(settings, SIZE(settings, change));
  talus_layout_init(layout, SIZE(layout, change));
  talus_solution_init(solution, SIZE(solution, change));
  talus_solution_layout_init(out, SIZE(out, change));
  talus_info_init(info, SIZE(info, change));
  CHECK(settings->tolerance == 1e-4 && info->outcome == TALUS_OUTCOME_NONE);
  settings->tolerance = 1e-6;
  settings->same_bits = 1;
  layout->friction.array = problem->friction;
  problem->friction = NULL;
  problem->layout = layout;
  solution->bilateral_impulse = found.rows;
  if (change == OLDER) { /* it knows no solution.layout */
    solution->impulse = found.impulse;
  } else {
    out->impulse.array = found.impulse;
    solution->layout = out;
  }
  CHECK(talus_solver_create(context, settings, &solver) == TALUS_OK);
  CHECK_SURPLUS(context, settings, change, talus_solver_set(solver, settings));
  CHECK(talus_solver_set(solver, settings) == TALUS_OK);
  CHECK_CASE(talus_solver_update(solver, problem) == TALUS_OK, "%s",
             talus_context_message(context));
  CHECK(talus_solver_solve(solver, solution, info) == TALUS_OK);
  CHECK(info->outcome == TALUS_OUTCOME_CONVERGED && info->certificate.epsilon_coulomb <= 1e-6);
  digest_add(d, found.impulse, 3 * problem->contact_count);
  digest_add(d, found.rows, problem->bilateral_count);
  memset(&found, 0, sizeof found);
  CHECK(talus_solver_solve_async(solver, solution, info) == TALUS_OK);
  CHECK(talus_solver_wait(solver) == TALUS_OK);
  digest_add(d, found.impulse, 3 * problem->contact_count);
  CHECK_SURPLUS(context, solution, change, talus_solver_solve(solver, solution, info));
  CHECK_SURPLUS(context, out, change, talus_solver_solve(solver, solution, info));
  CHECK_SURPLUS(context, layout, change, talus_solver_update(solver, problem));
  CHECK_SURPLUS(context, problem, change, talus_solver_update(solver, problem));
  talus_solver_destroy(solver);
  CALLERS_END(settings, change, 1);
  CALLERS_END(layout, change, 1);
  CALLERS_END(solution, change, 1);
  CALLERS_END(out, change, 1);
  CALLERS_END(info, change, 1);
  CALLERS_END(problem, change, 1);
  oracle_made_free(&made);
}

static void judge_check(talus_context *context, int change, digest *d) {
  oracle_made made = family_make(family_at(0), TALUS_LAW_COULOMB, 3);
  talus_problem *const problem = problem_of(&made, change);
  CALLERS(talus_certificate, certificate, change, 1);
  CALLERS(talus_islands, islands, change, 1);
  int32_t island[64];
  talus_certificate_init(certificate, SIZE(certificate, change));
  talus_islands_init(islands, SIZE(islands, change));
  islands->contact = island;
  CHECK(talus_certify(context, problem, made.impulse, NULL, certificate) == TALUS_OK);
  digest_add(d, &certificate->epsilon_ccp, 16);
  CHECK(talus_islands_find(context, problem, islands) == TALUS_OK && islands->count > 0);
  CHECK_SURPLUS(context, islands, change, talus_islands_find(context, problem, islands));
  for (int i = 0; i < problem->contact_count; i++) {
    digest_add(d, &(double){island[i]}, 1);
  }
  int64_t bytes;
  talus_settings settings = talus_settings_default();
  settings.method = TALUS_METHOD_JACOBI;
  CHECK(talus_solver_workspace(context, &settings, problem, &bytes) == TALUS_OK && bytes > 0);
  CALLERS_END(certificate, change, 1);
  CALLERS_END(islands, change, 1);
  CALLERS_END(problem, change, 1);
  oracle_made_free(&made);
}

/* Elements of an array are as far apart as the caller's header has it. */
static void batch_check(talus_context *context, int change, digest *d) {
  enum { COUNT = 5 };
  oracle_made made[COUNT];
  CALLERS(talus_problem, problems, change, COUNT);
  CALLERS(talus_solution, solutions, change, COUNT);
  CALLERS(talus_info, infos, change, COUNT);
  static arrays found[COUNT];
  talus_status status[COUNT];
  memset(found, 0, sizeof found);
  for (int i = 0; i < COUNT; i++) {
    made[i] = family_make(family_at(i), TALUS_LAW_COULOMB, 4);
    talus_problem *const problem = problem_of(&made[i], change);
    talus_solution *const solution = AT(solutions, change, i);
    memcpy(AT(problems, change, i), problem, SIZE(problem, change));
    talus_solution_init(solution, SIZE(solution, change));
    talus_info_init(AT(infos, change, i), SIZE(infos, change));
    solution->impulse = found[i].impulse;
    solution->bilateral_impulse = found[i].rows;
    CALLERS_END(problem, change, 1);
  }
  CHECK_CASE(talus_solve_batch(context, NULL, COUNT, problems, solutions, infos, status) ==
                 TALUS_OK,
             "%s", talus_context_message(context));
  for (int i = 0; i < COUNT; i++) {
    const talus_info *const info = AT(infos, change, i);
    CHECK(info->outcome == TALUS_OUTCOME_CONVERGED && status[i] == TALUS_OK);
    CHECK(info->struct_size == SIZE(infos, change));
    digest_add(d, found[i].impulse, 12);
  }
  /* one of another size fails alone; if it is the first, nobody knows where the others are */
  ((talus_problem *)AT(problems, change, 3))->struct_size += 8;
  CHECK(talus_solve_batch(context, NULL, COUNT, problems, NULL, NULL, status) == TALUS_STRUCT_SIZE);
  CHECK(says(context, "problems[3].struct_size"));
  for (int i = 0; i < COUNT; i++) {
    CHECK(status[i] == (i == 3 ? TALUS_STRUCT_SIZE : TALUS_OK));
    oracle_made_free(&made[i]);
  }
  problems->struct_size = 8;
  CHECK(talus_solve_batch(context, NULL, COUNT, problems, NULL, NULL, NULL) == TALUS_STRUCT_SIZE);
  CHECK(says(context, "problems[0].struct_size"));
  problems->struct_size = (uint32_t)SIZE(problems, change);
  CALLERS_END(problems, change, COUNT);
  CALLERS_END(solutions, change, COUNT);
  CALLERS_END(infos, change, COUNT);
}

/* ---- door 1 ---------------------------------------------------------------------------------- */

static int32_t body_make(talus_world *world, int change, talus_body_type type, double x, double z) {
  CALLERS(talus_body_def, def, change, 1);
  int32_t body = TALUS_NONE;
  talus_body_def_init(def, SIZE(def, change));
  def->type = type;
  def->position[0] = x;
  def->position[2] = z;
  CHECK(talus_body_add(world, def, &body) == TALUS_OK);
  CALLERS_END(def, change, 1);
  return body;
}

static void shape_make(talus_context *context, talus_world *world, int change, int32_t body,
                       talus_shape_kind kind) {
  CALLERS(talus_shape_def, def, change, 1);
  int32_t shape;
  talus_shape_def_init(def, SIZE(def, change), kind);
  CHECK(def->kind == kind && def->orientation[0] == 1);
  def->radius = 0.5;
  def->half_edge[0] = def->half_edge[1] = def->half_edge[2] = 0.5;
  CHECK_SURPLUS(context, def, change, talus_shape_add(world, body, def, &shape));
  CHECK(talus_shape_add(world, body, def, &shape) == TALUS_OK);
  CALLERS_END(def, change, 1);
}

static talus_world *world_make(talus_context *context, int change) {
  CALLERS(talus_world_def, def, change, 1);
  CALLERS(talus_material_def, material, change, 1);
  talus_world *world = NULL;
  int32_t index;
  talus_world_def_init(def, SIZE(def, change));
  CHECK(def->solver.struct_size == sizeof def->solver && def->solver.facets == 4);
  /* the settings inside it, which follow their own size */
  const size_t inner = SIZE(&def->solver, change);
  memset((char *)&def->solver + inner, POISON, sizeof def->solver_room - inner);
  def->solver.struct_size = (uint32_t)inner;
  def->step = 0.01;
  CHECK_SURPLUS(context, &def->solver, change, talus_world_create(context, def, &world));
  CHECK_SURPLUS(context, def, change, talus_world_create(context, def, &world));
  CHECK_CASE(talus_world_create(context, def, &world) == TALUS_OK, "%s",
             talus_context_message(context));
  def->solver.struct_size = sizeof def->solver_room + 8;
  talus_world *none;
  CHECK(talus_world_create(context, def, &none) == TALUS_STRUCT_SIZE);
  CHECK(says(context, "world def.solver.struct_size"));
  CALLERS_END(def, change, 1);
  talus_material_def_init(material, SIZE(material, change));
  CHECK_SURPLUS(context, material, change, talus_material_add(world, material, &index));
  CHECK_CASE(talus_material_add(world, material, &index) == TALUS_OK, "%s",
             talus_context_message(context));
  CALLERS_END(material, change, 1);
  return world;
}

static void world_check(talus_context *context, int change, digest *d) {
  talus_world *const world = world_make(context, change);
  CALLERS(talus_motion_def, motion, change, 1);
  CALLERS(talus_joint_def, joint, change, 1);
  CALLERS(talus_joint_state, state, change, 1);
  CALLERS(talus_step_report, report, change, 1);
  const int32_t ground = body_make(world, change, TALUS_BODY_FIXED, 0, 0);
  const int32_t ball = body_make(world, change, TALUS_BODY_FREE, 0, 0.51);
  const int32_t box = body_make(world, change, TALUS_BODY_FREE, 3, 0.6);
  const int32_t ram = body_make(world, change, TALUS_BODY_KINEMATIC, -1.1, 0.6);
  int32_t index = TALUS_NONE;
  shape_make(context, world, change, ground, TALUS_SHAPE_HALFSPACE);
  shape_make(context, world, change, ball, TALUS_SHAPE_SPHERE);
  shape_make(context, world, change, box, TALUS_SHAPE_BOX);
  shape_make(context, world, change, ram, TALUS_SHAPE_BOX);
  talus_motion_def_init(motion, SIZE(motion, change), TALUS_MOTION_VELOCITY);
  motion->vector[0] = 1;
  CHECK_SURPLUS(context, motion, change, talus_motion_add(world, ram, motion));
  CHECK(talus_motion_add(world, ram, motion) == TALUS_OK);
  talus_joint_def_init(joint, SIZE(joint, change), TALUS_JOINT_HINGE);
  joint->body_b = box;
  joint->point[0] = 3;
  joint->point[2] = 2;
  joint->axis[1] = 1;
  joint->axis[2] = 0;
  CHECK_SURPLUS(context, joint, change, talus_joint_add(world, joint, &index));
  CHECK_CASE(talus_joint_add(world, joint, &index) == TALUS_OK, "%s",
             talus_context_message(context));
  talus_joint_state_init(state, SIZE(state, change));
  talus_step_report_init(report, SIZE(report, change));
  for (int i = 0; i < 20; i++) {
    CHECK_CASE(talus_world_step(world, report) == TALUS_OK, "%s", talus_context_message(context));
  }
  CHECK(report->step == 20 && report->contact_count > 0);
  CHECK(talus_joint_get(world, index, state) == TALUS_OK);
  talus_body_state ball_state;
  CHECK(talus_body_get(world, ball, &ball_state) == TALUS_OK && ball_state.velocity[0] > 0);
  digest_add(d, ball_state.position, 3);
  digest_add(d, state->impulse, 3);
  digest_add(d, &report->epsilon, 2);
  digest_add(d, &report->kinetic, 2);
  CALLERS_END(motion, change, 1);
  CALLERS_END(joint, change, 1);
  CALLERS_END(state, change, 1);
  CALLERS_END(report, change, 1);
  talus_world_destroy(world);
}

/* ---- mechanisms ------------------------------------------------------------------------------ */

enum { LINKS = 3, LOOPS = 2 };

static talus_mechanism_def *chain_make(int change) {
  CALLERS(talus_mechanism_def, def, change, 1);
  CALLERS(talus_link_def, link, change, LINKS);
  talus_mechanism_def_init(def, SIZE(def, change));
  for (int i = 0; i < LINKS; i++) {
    talus_link_def *const one = AT(link, change, i);
    talus_link_def_init(one, SIZE(link, change), TALUS_LINK_REVOLUTE);
    one->parent = i - 1;
    one->position[0] = i > 0;
    one->axis[1] = 1;
    one->axis[2] = 0;
    one->centre[0] = 0.5;
  }
  def->link_count = LINKS;
  def->link = link;
  return def;
}

static void chain_free(talus_mechanism_def *def, int change) {
  talus_link_def *const link = (talus_link_def *)(uintptr_t)def->link;
  CALLERS_END(link, change, LINKS);
  CALLERS_END(def, change, 1);
}

/* The last link's end on a rail, and a row that says nothing new. */
static talus_loop_def *loops_make(int change) {
  CALLERS(talus_loop_def, loop, change, LOOPS);
  for (int i = 0; i < LOOPS; i++) {
    talus_loop_def *const one = AT(loop, change, i);
    talus_loop_def_init(one, SIZE(loop, change));
    one->link_b = LINKS - 1 - i;
    one->point_a[0] = LINKS - i;
    one->point_b[0] = 1;
    one->direction_count = 1;
    one->direction[0] = 0;
    one->direction[2] = 1;
  }
  return loop;
}

static void coupling_check(talus_context *context, int change, digest *d) {
  talus_mechanism_def *const chain = chain_make(change);
  talus_loop_def *const loop = loops_make(change);
  CALLERS(talus_coupling_def, def, change, 1);
  CALLERS(talus_fleet_def, fleet_def, change, 1);
  CALLERS(talus_fleet_report, report, change, 1);
  CALLERS(talus_mechanism_balance, balance, change, 1);
  CALLERS(talus_problem, problem, change, 1);
  talus_mechanism *mechanism = NULL;
  talus_coupling *coupling = NULL;
  talus_fleet *fleet = NULL;
  CHECK_SURPLUS(context, chain, change, talus_mechanism_create(context, chain, &mechanism));
  CHECK_CASE(talus_mechanism_create(context, chain, &mechanism) == TALUS_OK, "%s",
             talus_context_message(context));
  talus_coupling_def_init(def, SIZE(def, change));
  def->mechanism_count = 1;
  def->mechanism = &mechanism;
  def->loop_count = LOOPS;
  def->loop = loop;
  CHECK_SURPLUS(context, loop, change, talus_coupling_create(context, def, &coupling));
  CHECK_SURPLUS(context, def, change, talus_coupling_create(context, def, &coupling));
  CHECK_CASE(talus_coupling_create(context, def, &coupling) == TALUS_OK, "%s",
             talus_context_message(context));
  CHECK(talus_coupling_build(coupling, NULL, 0, problem) == TALUS_STRUCT_SIZE); /* not filled */
  talus_problem_init(problem, SIZE(problem, change), TALUS_FORM_BLOCKS);
  CHECK(talus_coupling_build(coupling, NULL, 0, problem) == TALUS_OK);
  CHECK(problem->bilateral_count == LOOPS && problem->blocks.block_count == 1);
  talus_fleet_def_init(fleet_def, SIZE(fleet_def, change));
  fleet_def->count = 1;
  fleet_def->coupling = &coupling;
  fleet_def->settings.same_bits = 1;
  CHECK_SURPLUS(context, fleet_def, change, talus_fleet_create(context, fleet_def, &fleet));
  CHECK_CASE(talus_fleet_create(context, fleet_def, &fleet) == TALUS_OK, "%s",
             talus_context_message(context));
  talus_fleet_report_init(report, SIZE(report, change));
  CHECK(talus_fleet_step(fleet, 10, report) == TALUS_OK && report->solves == 10);
  talus_mechanism_balance_init(balance, SIZE(balance, change));
  CHECK(talus_mechanism_measure(mechanism, balance) == TALUS_OK && balance->mass == LINKS);
  digest_add(d, balance->centre, 3);
  digest_add(d, &balance->kinetic, 2);
  talus_fleet_destroy(fleet);
  talus_coupling_destroy(coupling);
  talus_mechanism_destroy(mechanism);
  /* and the same in a world */
  talus_world *world;
  int32_t index;
  double q[LINKS];
  CHECK(talus_world_create(context, NULL, &world) == TALUS_OK);
  CHECK_CASE(talus_world_add_mechanism(world, chain, loop, LOOPS, &index) == TALUS_OK, "%s",
             talus_context_message(context));
  CHECK(talus_world_step(world, NULL) == TALUS_OK);
  CHECK(talus_mechanism_get(talus_world_mechanism(world, index), q, NULL) == TALUS_OK);
  digest_add(d, q, LINKS);
  talus_world_destroy(world);
  chain_free(chain, change);
  CALLERS_END(loop, change, LOOPS);
  CALLERS_END(def, change, 1);
  CALLERS_END(fleet_def, change, 1);
  CALLERS_END(report, change, 1);
  CALLERS_END(balance, change, 1);
  CALLERS_END(problem, change, 1);
}

/* ---- what the library makes ------------------------------------------------------------------ */

static void stored_check(talus_context *context, int change, digest *d) {
  CALLERS(talus_generate_def, def, change, 1);
  talus_stored *stored = NULL, *back = NULL;
  const size_t size = sizeof(talus_problem) + (size_t)change;
  talus_generate_def_init(def, SIZE(def, change), TALUS_GENERATE_HEAP);
  def->body_count = 10;
  CHECK_SURPLUS(context, def, change, talus_problem_generate_sized(context, def, size, &stored));
  CHECK(talus_problem_generate_sized(context, def, 9000, &stored) == TALUS_STRUCT_SIZE);
  CHECK(talus_problem_generate_sized(context, def, 2048, &stored) == TALUS_STRUCT_SIZE);
  CHECK(talus_problem_generate_sized(context, def, size, &stored) == TALUS_OK);
  CHECK(stored->problem.struct_size == size);
  digest_add(d, stored->problem.rigid.normal, 3);
  CHECK(talus_problem_write(context, "sizes.dat", &stored->problem, NULL) == TALUS_OK);
  CHECK(talus_problem_read_sized(context, "sizes.dat", 8, &back) == TALUS_STRUCT_SIZE);
  CHECK(talus_problem_read_sized(context, "sizes.dat", size, &back) == TALUS_OK);
  CHECK(back->problem.struct_size == size);
  /* a copy is as good as the original */
  CALLERS(talus_problem, copy, change, 1);
  memcpy(copy, &back->problem, size);
  talus_info info = talus_info_default();
  CHECK(talus_solve_once(context, copy, NULL, NULL, &info) == TALUS_OK);
  CHECK(info.outcome == TALUS_OUTCOME_CONVERGED);
  CALLERS_END(copy, change, 1);
  CALLERS_END(def, change, 1);
  talus_stored_destroy(stored);
  talus_stored_destroy(back);
}

static const char robot[] =
    "<robot name='r'><link name='base'/>"
    "<link name='a'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
    "<collision><geometry><sphere radius='0.25'/></geometry></collision></link>"
    "<link name='b'><inertial><mass value='3'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
    "<joint name='one' type='continuous'><parent link='base'/><child link='a'/></joint>"
    "<joint name='two' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";

static void urdf_check(talus_context *context, int change, digest *d) {
  CALLERS(talus_urdf_def, def, change, 1);
  CALLERS(talus_shape_def, shape, change, 1);
  talus_urdf *urdf = NULL;
  int32_t link;
  FILE *const file = fopen("sizes.urdf", "w");
  CHECK(file != NULL && fputs(robot, file) >= 0 && fclose(file) == 0);
  talus_urdf_def_init(def, SIZE(def, change));
  const talus_status status = talus_urdf_read_sized(context, "sizes.urdf", def,
                                                    sizeof(talus_mechanism_def) + (size_t)change,
                                                    sizeof(talus_link_def) + (size_t)change, &urdf);
  if (status != TALUS_UNSUPPORTED && CHECK(status == TALUS_OK)) { /* built without expat */
    const talus_mechanism_def *const made = talus_urdf_mechanism(urdf);
    const talus_link_def *const second = AT(made->link, change, 1);
    CHECK(made->link_count == 2 && second->parent == 0 && second->mass == 3);
    CHECK(made->struct_size == SIZE(made, change) && second->struct_size == SIZE(second, change));
    talus_shape_def_init(shape, SIZE(shape, change), TALUS_SHAPE_BOX);
    CHECK(talus_urdf_shape(urdf, 0, &link, shape) == TALUS_OK && shape->radius == 0.25);
    CALLERS_END(shape, change, 1);
    talus_mechanism *mechanism;
    CHECK(talus_mechanism_create(context, made, &mechanism) == TALUS_OK);
    talus_mechanism_destroy(mechanism);
    digest_add(d, &second->mass, 1);
  } else {
    free(shape);
  }
  CALLERS_END(def, change, 1);
  talus_urdf_destroy(urdf);
}

/* ---- all ------------------------------------------------------------------------------------- */

static talus_context *context_make(int change) {
  CALLERS(talus_context_def, def, change, 1);
  talus_context *context = NULL;
  talus_context_def_init(def, SIZE(def, change));
  def->backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(def, &context) == TALUS_OK);
  CALLERS_END(def, change, 1);
  return context;
}

static digest all_check(int change) {
  talus_context *const context = context_make(change);
  digest d = {.count = 0};
  solver_check(context, change, &d);
  judge_check(context, change, &d);
  batch_check(context, change, &d);
  world_check(context, change, &d);
  coupling_check(context, change, &d);
  stored_check(context, change, &d);
  urdf_check(context, change, &d);
  talus_context_destroy(context);
  return d;
}

int main(void) {
  const digest same = all_check(SAME), older = all_check(OLDER), newer = all_check(NEWER);
  CHECK(same.count > 200 && same.count < MOST);
  CHECK(same.count == older.count && same.count == newer.count);
  CHECK(memcmp(same.value, older.value, sizeof same.value[0] * (size_t)same.count) == 0);
  CHECK(memcmp(same.value, newer.value, sizeof same.value[0] * (size_t)same.count) == 0);
  return check_end();
}
