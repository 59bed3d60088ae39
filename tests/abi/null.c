/* null.c: objects of every kind for null.py, which puts its calls in place of the last include.
 * Each call runs in a process of its own; one that a signal ends has failed. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "talus/talus.h"
#include "talus/talus_mechanism.h"
#include "talus/talus_scene.h"
#include "talus/talus_urdf.h"

static int failed, made;

#define CALL(expression)                                                                     \
  do {                                                                                       \
    const pid_t child = fork();                                                              \
    if (child == 0) {                                                                        \
      alarm(20);                                                                             \
      (void)(expression);                                                                    \
      _exit(0);                                                                              \
    }                                                                                        \
    int end = -1;                                                                            \
    made++;                                                                                  \
    if (child < 0 || waitpid(child, &end, 0) != child || !WIFEXITED(end)) {                  \
      failed++;                                                                              \
      printf("failed: %s (signal %d)\n", #expression, WIFSIGNALED(end) ? WTERMSIG(end) : 0); \
    }                                                                                        \
  } while (0)

/* As for functions that return nothing. */
#define CALL_VOID(expression) CALL((expression, 0))

static void text_write(const char *path, const char *text) {
  FILE *const file = fopen(path, "wb");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
    exit(1);
  }
}

static void need(int good, const char *what) {
  if (!good) {
    printf("failed: could not make %s\n", what);
    exit(1);
  }
}

int main(void) {
  talus_context_def context_def = talus_context_def_default();
  talus_context *context = NULL, *made_context = NULL;
  context_def.backend = TALUS_BACKEND_CPU;
  context_def.threads = 1;
  need(talus_context_create(&context_def, &context) == TALUS_OK, "a context");

  /* a problem and a solver that has taken it */
  talus_generate_def generate_def = talus_generate_def_default(TALUS_GENERATE_RANDOM);
  talus_stored *stored = NULL, *made_stored = NULL;
  generate_def.body_count = 4;
  need(talus_problem_generate(context, &generate_def, &stored) == TALUS_OK, "a problem");
  talus_problem problem = stored->problem;
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info info = talus_info_default();
  talus_certificate certificate;
  talus_islands islands = talus_islands_default();
  talus_solver *solver = NULL, *made_solver = NULL;
  need(talus_solver_create(context, &settings, &solver) == TALUS_OK &&
           talus_solver_update(solver, &problem) == TALUS_OK,
       "a solver");
  talus_law law = TALUS_LAW_CCP;
  talus_cone cone = TALUS_CONE_CIRCULAR;
  talus_method method = TALUS_METHOD_AUTO;
  talus_precision precision = TALUS_F64;
  talus_status status = TALUS_OK;
  static double reals[4096];
  int32_t integer = 0;
  int64_t long_integer = 0;
  char buffer[64];
  const char *const texts[] = {"run.time=0.1"};

  /* a world with a ball on a floor */
  talus_world_def world_def = talus_world_def_default();
  talus_material_def material_def = talus_material_def_default();
  talus_body_def body_def = talus_body_def_default();
  talus_shape_def shape_def = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  talus_motion_def motion_def = talus_motion_def_default(TALUS_MOTION_VELOCITY);
  talus_joint_def joint_def = talus_joint_def_default(TALUS_JOINT_BALL);
  talus_joint_state joint_state = talus_joint_state_default();
  talus_step_report step_report = talus_step_report_default();
  talus_body_state body_state = {{0, 0, 1}, {1, 0, 0, 0}, {0}, {0}};
  const talus_contact *contacts = NULL;
  talus_world *world = NULL, *made_world = NULL;
  int32_t ball;
  shape_def.radius = 0.1;
  need(talus_world_create(context, &world_def, &world) == TALUS_OK &&
           talus_material_add(world, &material_def, &integer) == TALUS_OK &&
           talus_body_add(world, &body_def, &ball) == TALUS_OK &&
           talus_shape_add(world, ball, &shape_def, NULL) == TALUS_OK &&
           talus_world_step(world, &step_report) == TALUS_OK,
       talus_context_message(context));

  /* a rod on a hinge, its coupling, a fleet of it */
  talus_link_def link_def = talus_link_def_default(TALUS_LINK_REVOLUTE);
  talus_mechanism_def mechanism_def = talus_mechanism_def_default();
  talus_mechanism_balance balance = talus_mechanism_balance_default();
  talus_link_point link_point;
  talus_touch touch;
  talus_loop_def loop_def = talus_loop_def_default();
  talus_coupling_def coupling_def = talus_coupling_def_default();
  talus_fleet_def fleet_def = talus_fleet_def_default();
  talus_fleet_report fleet_report = talus_fleet_report_default();
  talus_mechanism *mechanism = NULL, *made_mechanism = NULL;
  talus_coupling *coupling = NULL, *made_coupling = NULL;
  talus_fleet *fleet = NULL, *made_fleet = NULL;
  memset(&link_point, 0, sizeof link_point);
  memset(&touch, 0, sizeof touch);
  link_def.mass = 1;
  link_def.inertia[0] = link_def.inertia[3] = link_def.inertia[5] = 1;
  mechanism_def.link = &link_def;
  mechanism_def.link_count = 1;
  need(talus_mechanism_create(context, &mechanism_def, &mechanism) == TALUS_OK, "a mechanism");
  talus_mechanism *const mechanisms[] = {mechanism};
  double *const arrays[] = {reals};
  const talus_link_point *const points[] = {&link_point};
  coupling_def.mechanism = mechanisms;
  coupling_def.mechanism_count = 1;
  need(talus_coupling_create(context, &coupling_def, &coupling) == TALUS_OK, "a coupling");
  talus_coupling *const couplings[] = {coupling};
  fleet_def.coupling = couplings;
  fleet_def.count = 1;
  need(talus_fleet_create(context, &fleet_def, &fleet) == TALUS_OK, "a fleet");

  /* files */
  talus_scene *scene = NULL, *made_scene = NULL;
  talus_urdf_def urdf_def = talus_urdf_def_default();
  talus_urdf *urdf = NULL, *made_urdf = NULL;
  text_write("scene.yaml", "run: {time: 0.1 s}\n"
                           "bodies:\n  - {name: ball, shape: sphere, radius: 1 cm}\n");
  text_write("robot.urdf",
             "<robot name='r'><link name='base'/><link name='arm'><inertial><mass value='1'/>"
             "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
             "<joint name='hinge' type='continuous'><parent link='base'/><child link='arm'/>"
             "</joint></robot>");
  status = talus_scene_read(context, "scene.yaml", NULL, 0, &scene);
  need(status == TALUS_OK || status == TALUS_UNSUPPORTED, talus_context_message(context));
  if (scene != NULL) {
    need(talus_scene_build(scene, &made_world) == TALUS_OK, talus_context_message(context));
  }
  status = talus_urdf_read(context, "robot.urdf", &urdf_def, &urdf);
  need(status == TALUS_OK || status == TALUS_UNSUPPORTED, talus_context_message(context));

  talus_scene_info scene_info = talus_scene_info_default();
  talus_record_def record_def = talus_record_def_default();
  talus_measure_def measure_def = talus_measure_def_default();
  measure_def.directory = "nothing";
  talus_record *record = NULL, *made_record = NULL;
  talus_frames_def frames_def = talus_frames_def_default();
  talus_frames *frames = NULL, *made_frames = NULL;
  const talus_column column = {"time", "s"};
  talus_table *table = NULL, *made_table = NULL;
  record_def.directory = "record";
  record_def.force = 1;
  need(talus_record_create(context, &record_def, &record) == TALUS_OK &&
           talus_frames_open(context, ".", &frames_def, &frames) == TALUS_OK &&
           talus_table_open(context, "numbers.csv", &column, 1, -1, &table) == TALUS_OK,
       talus_context_message(context));
  if (scene != NULL) {
    need(talus_record_open(record, scene, made_world) == TALUS_OK, talus_context_message(context));
  }

  /* counts that make no sense */
  need(talus_scene_read(context, "scene.yaml", texts, -1, &made_scene) == TALUS_INVALID_ARGUMENT ||
           scene == NULL,
       "a refusal of -1 overrides");

#include "calls.h"
  printf("%d calls, %d failed\n", made, failed);
  return failed == 0 && made > 0 ? 0 : 1;
}
