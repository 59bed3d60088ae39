/* A program as users write it, to be compiled with the headers of one release and run on the
 * library of another (compatibility.sh). It uses both doors, batches, mechanisms and files, keeps a
 * guard behind each struct that the library writes, and prints its results, which must not depend
 * on the headers. Written for the headers of release 0.2.0, which stay valid: never to be changed
 * for later ones. */
#include <stdio.h>
#include <string.h>

#include <talus/talus.h>

#define TRY(call)                                                              \
  do {                                                                         \
    const talus_status status_ = (call);                                       \
    if (status_ != TALUS_OK) {                                                 \
      printf("line %d: %s: %s\n", __LINE__, talus_status_name(status_),        \
             context != NULL ? talus_context_message(context) : "no context"); \
      return 1;                                                                \
    }                                                                          \
  } while (0)

#define EXPECT(condition)                                    \
  do {                                                       \
    if (!(condition)) {                                      \
      printf("line %d: not so: %s\n", __LINE__, #condition); \
      return 1;                                              \
    }                                                        \
  } while (0)

/* A struct with a guard behind it. */
#define GUARDED(type) \
  struct {            \
    type it;          \
    uint64_t guard;   \
  }
static const uint64_t guard = UINT64_C(0x5afe5afe5afe5afe);

static void print(const char *what, const double *value, int count) {
  printf("%s", what);
  for (int i = 0; i < count; i++) {
    printf(" %.17g", value[i]);
  }
  printf("\n");
}

/* ---- door 2 ---------------------------------------------------------------------------------- */

enum { BALLS = 4, PROBLEMS = 3 };

/* Balls in a row on the ground, pushed together. */
static talus_problem row_of_balls(void) {
  static const double velocity[6 * BALLS] = {1, 0, -0.1, 0, 0, 0, 0,  0, -0.1, 0, 0, 0,
                                             0, 0, -0.1, 0, 0, 0, -1, 0, -0.1, 0, 0, 0};
  static const double mass[BALLS] = {1, 2, 3, 4};
  static const double inertia[6 * BALLS] = {9, 0, 0, 9, 0, 9, 9, 0, 0, 9, 0, 9,
                                            9, 0, 0, 9, 0, 9, 9, 0, 0, 9, 0, 9};
  static const int32_t a[] = {-1, -1, -1, -1, 0, 1, 2}, b[] = {0, 1, 2, 3, 1, 2, 3};
  static const double normal[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0};
  static const double reach_a[] = {0, 0, 0, 0, 0.1, 0.1, 0.1};
  static const double reach_b[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
  static const double friction[] = {0.5, 0.5, 0.5, 0.5, 0.2, 0.2, 0.2};
  talus_problem problem = talus_problem_default(TALUS_FORM_RIGID);
  problem.contact_count = 7;
  problem.friction = friction;
  problem.rigid.body_count = BALLS;
  problem.rigid.velocity = velocity;
  problem.rigid.inverse_mass = mass;
  problem.rigid.inverse_inertia = inertia;
  problem.rigid.body_a = a;
  problem.rigid.body_b = b;
  problem.rigid.normal = normal;
  problem.rigid.reach_a = reach_a;
  problem.rigid.reach_b = reach_b;
  return problem;
}

static int solve(talus_context *context) {
  const talus_problem problem = row_of_balls();
  GUARDED(talus_info) info = {talus_info_default(), guard};
  GUARDED(talus_certificate) certificate = {talus_certificate_default(), guard};
  talus_solution solution = talus_solution_default();
  talus_settings settings = talus_settings_default();
  double impulse[3 * 7] = {0};
  talus_solver *solver;
  solution.impulse = impulse;
  settings.tolerance = 1e-9;
  settings.same_bits = 1;
  TRY(talus_solver_create(context, &settings, &solver));
  TRY(talus_solver_update(solver, &problem));
  TRY(talus_solver_solve(solver, &solution, &info.it));
  EXPECT(info.it.outcome == TALUS_OUTCOME_CONVERGED && info.guard == guard);
  EXPECT(info.it.certificate.epsilon_coulomb <= 1e-9 && info.it.keys_matched == 0);
  EXPECT(info.it.seconds > 0 && info.it.bytes > 0);
  print("impulse", impulse, 3 * 7);
  TRY(talus_certify(context, &problem, impulse, NULL, &certificate.it));
  EXPECT(certificate.guard == guard);
  EXPECT(certificate.it.epsilon_faceted_coulomb == info.it.certificate.epsilon_faceted_coulomb);
  talus_solver_destroy(solver);
  return 0;
}

static int solve_batch(talus_context *context) {
  struct {
    talus_problem problem[PROBLEMS];
    talus_solution solution[PROBLEMS];
    talus_info info[PROBLEMS];
    uint64_t guard;
  } all;
  double impulse[PROBLEMS][3 * 7];
  talus_settings settings = talus_settings_default();
  settings.same_bits = 1;
  all.guard = guard;
  for (int i = 0; i < PROBLEMS; i++) {
    all.problem[i] = row_of_balls();
    all.problem[i].contact_count = 7 - i;
    all.solution[i] = talus_solution_default();
    all.solution[i].impulse = impulse[i];
    all.info[i] = talus_info_default();
  }
  TRY(talus_solve_batch(context, &settings, PROBLEMS, all.problem, all.solution, all.info, NULL));
  for (int i = 0; i < PROBLEMS; i++) {
    EXPECT(all.info[i].outcome == TALUS_OUTCOME_CONVERGED);
    EXPECT(all.info[i].struct_size == sizeof all.info[i]);
    print("batch", impulse[i], 3);
  }
  EXPECT(all.guard == guard);
  return 0;
}

/* ---- door 1 ---------------------------------------------------------------------------------- */

static int world_run(talus_context *context) {
  talus_world_def def = talus_world_def_default();
  talus_material_def stone = talus_material_def_default();
  talus_body_def body = talus_body_def_default();
  talus_shape_def ground = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  talus_shape_def ball = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  talus_joint_def hinge = talus_joint_def_default(TALUS_JOINT_HINGE);
  GUARDED(talus_step_report) report = {talus_step_report_default(), guard};
  GUARDED(talus_joint_state) state = {talus_joint_state_default(), guard};
  talus_world *world;
  talus_body_state end;
  int32_t material, index, joint;
  EXPECT(def.seed == 1 && def.solver.facets == 4);
  def.step = 0.005;
  def.solver = talus_settings_default(); /* as a whole */
  def.solver.law = TALUS_LAW_CCP;
  TRY(talus_world_create(context, &def, &world));
  TRY(talus_material_add(world, &stone, &material));
  body.type = TALUS_BODY_FIXED;
  TRY(talus_body_add(world, &body, &index));
  TRY(talus_shape_add(world, index, &ground, NULL));
  body.type = TALUS_BODY_FREE;
  ball.radius = 0.1;
  for (int i = 0; i < BALLS; i++) {
    body.position[0] = 0.03 * i;
    body.position[2] = 0.1 + 0.21 * i;
    TRY(talus_body_add(world, &body, &index));
    TRY(talus_shape_add(world, index, &ball, NULL));
  }
  hinge.body_b = index;
  hinge.point[2] = body.position[2];
  hinge.axis[1] = 1;
  hinge.axis[2] = 0;
  TRY(talus_joint_add(world, &hinge, &joint));
  for (int i = 0; i < 60; i++) {
    TRY(talus_world_step(world, &report.it));
  }
  EXPECT(report.guard == guard && report.it.step == 60 && report.it.touching_count > 0);
  TRY(talus_joint_get(world, joint, &state.it));
  EXPECT(state.guard == guard);
  TRY(talus_body_get(world, index - 1, &end));
  print("ball", end.position, 3);
  print("hinge", state.it.impulse, 3);
  print("energy", &report.it.kinetic, 2);
  talus_world_destroy(world);
  return 0;
}

/* ---- mechanisms ------------------------------------------------------------------------------ */

static int mechanism_run(talus_context *context) {
  talus_mechanism_def def = talus_mechanism_def_default();
  talus_link_def link[3];
  talus_loop_def loop = talus_loop_def_default();
  talus_coupling_def coupling_def = talus_coupling_def_default();
  talus_fleet_def fleet_def = talus_fleet_def_default();
  GUARDED(talus_fleet_report) report = {talus_fleet_report_default(), guard};
  GUARDED(talus_problem) problem = {talus_problem_default(TALUS_FORM_BLOCKS), guard};
  talus_mechanism *mechanism;
  talus_coupling *coupling;
  talus_fleet *fleet;
  double q[3];
  for (int i = 0; i < 3; i++) {
    link[i] = talus_link_def_default(TALUS_LINK_REVOLUTE);
    link[i].parent = i - 1;
    link[i].position[0] = i > 0;
    link[i].axis[1] = 1;
    link[i].axis[2] = 0;
    link[i].centre[0] = 0.5;
  }
  def.link_count = 3;
  def.link = link;
  TRY(talus_mechanism_create(context, &def, &mechanism));
  loop.link_b = 2;
  loop.point_a[0] = 3;
  loop.point_b[0] = 1;
  loop.direction_count = 1;
  loop.direction[0] = 0;
  loop.direction[2] = 1;
  coupling_def.mechanism_count = 1;
  coupling_def.mechanism = &mechanism;
  coupling_def.loop_count = 1;
  coupling_def.loop = &loop;
  TRY(talus_coupling_create(context, &coupling_def, &coupling));
  TRY(talus_coupling_build(coupling, NULL, 0, &problem.it));
  EXPECT(problem.guard == guard && problem.it.bilateral_count == 1);
  fleet_def.count = 1;
  fleet_def.coupling = &coupling;
  fleet_def.settings.same_bits = 1;
  TRY(talus_fleet_create(context, &fleet_def, &fleet));
  TRY(talus_fleet_step(fleet, 50, &report.it));
  EXPECT(report.guard == guard && report.it.solves == 50 && report.it.first_failed == TALUS_NONE);
  TRY(talus_mechanism_get(mechanism, q, NULL));
  print("chain", q, 3);
  talus_fleet_destroy(fleet);
  talus_coupling_destroy(coupling);
  talus_mechanism_destroy(mechanism);
  return 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int files(talus_context *context) {
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  talus_settings settings = talus_settings_default();
  talus_info info = talus_info_default();
  talus_stored *heap, *back;
  def.body_count = 20;
  TRY(talus_problem_generate(context, &def, &heap));
  EXPECT(heap->title != NULL && heap->position != NULL && heap->radius[0] > 0);
  TRY(talus_problem_write(context, "program.dat", &heap->problem, NULL));
  TRY(talus_problem_read(context, "program.dat", &back));
  talus_problem copy = back->problem; /* a copy has what it says that it has */
  EXPECT(copy.struct_size == sizeof copy);
  settings.same_bits = 1;
  TRY(talus_solve_once(context, &copy, &settings, NULL, &info));
  EXPECT(info.outcome == TALUS_OUTCOME_CONVERGED);
  print("heap", &info.measure, 1);
  talus_stored_destroy(heap);
  talus_stored_destroy(back);
  return 0;
}

int main(void) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  TRY(talus_context_create(&def, &context));
  if (solve(context) || solve_batch(context) || world_run(context) || mechanism_run(context) ||
      files(context)) {
    return 1;
  }
  talus_context_destroy(context);
  return 0;
}
