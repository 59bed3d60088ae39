/* test_urdf.c: robots from URDF files: what they become, and mistakes with their lines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/scene/scene.h"
#include "talus/talus_urdf.h"
#include "tests/check.h"
#include "tests/scarce.h"
#include "tests/scene/scene_text.h"

static const double DEGREE = 0.017453292519943295;

static void file_write(const char *path, const char *text) {
  FILE *const file = fopen(path, "wb");
  if (CHECK(file != NULL)) {
    fwrite(text, 1, strlen(text), file);
    fclose(file);
  }
}

static talus_status robot_of(talus_context *context, const char *text, const talus_urdf_def *def,
                             talus_urdf **urdf) {
  file_write("robot.urdf", text);
  return talus_urdf_read(context, "robot.urdf", def, urdf);
}

#define INERTIAL                                                                                \
  "<inertial><mass value='2'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.2' iyz='0' izz='0.3'/>" \
  "</inertial>"

static const char robot[] =
    "<?xml version='1.0'?>\n"
    "<!-- a column, a swinging arm with a tool fixed to it, a slide -->\n"
    "<robot name='r'>\n"
    "  <material name='blue'><color rgba='0 0 1 1'/></material>\n"
    "  <link name='column'>\n"
    "    <visual><geometry><box size='1 1 1'/></geometry><material name='blue'/></visual>\n"
    "    <collision><origin xyz='0 0 0.5'/><geometry><cylinder radius='0.1' length='1'/>"
    "</geometry></collision>\n"
    "  </link>\n"
    "  <link name='slide'>" INERTIAL "</link>\n"
    "  <joint name='lift' type='prismatic'>\n"
    "    <parent link='arm'/><child link='slide'/>\n"
    "    <axis xyz='0 0 2'/><limit lower='-0.1' upper='0.2' effort='50' velocity='0.5'/>\n"
    "  </joint>\n"
    "  <link name='arm'>\n"
    "    <inertial><origin xyz='0.5 0 0' rpy='0 0 1.5707963267948966'/><mass value='4'/>\n"
    "      <inertia ixx='0.1' iyy='0.2' izz='0.3'/></inertial>\n"
    "    <collision><origin xyz='0.5 0 0'/><geometry><box size='1 0.1 0.1'/></geometry>"
    "</collision>\n"
    "  </link>\n"
    "  <joint name='shoulder' type='revolute'>\n"
    "    <origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/>\n"
    "    <parent link='column'/><child link='arm'/><axis xyz='0 -1 0'/>\n"
    "    <limit lower='-1' upper='1' effort='100' velocity='2'/>\n"
    "    <dynamics damping='0.3' friction='0.4'/>\n"
    "  </joint>\n"
    "  <link name='tool'>\n"
    "    <inertial><origin xyz='0.1 0 0'/><mass value='4'/>\n"
    "      <inertia ixx='1e-3' iyy='1e-3' izz='1e-3'/></inertial>\n"
    "    <collision><geometry><mesh filename='package://r/tool.obj' scale='2 2 2'/></geometry>"
    "</collision>\n"
    "    <collision><origin xyz='0 0 0.3'/><geometry><sphere radius='0.05'/></geometry>"
    "</collision>\n"
    "  </link>\n"
    "  <joint name='weld' type='fixed'><origin xyz='1 0 0'/>\n"
    "    <parent link='arm'/><child link='tool'/></joint>\n"
    "</robot>\n";

static const char tool[] = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\n"
                           "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static void check_robot(talus_context *context) {
  talus_urdf *urdf;
  talus_urdf_def given = talus_urdf_def_default();
  given.position[0] = 3;
  file_write("tool.obj", tool);
  const talus_status status = robot_of(context, robot, &given, &urdf);
  if (!CHECK(status == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return;
  }
  const talus_mechanism_def *const def = talus_urdf_mechanism(urdf);
  const int32_t arm = talus_urdf_find_joint(urdf, "shoulder");
  const int32_t slide = talus_urdf_find_joint(urdf, "lift");
  int32_t link = 7;
  CHECK(def->link_count == 2 && arm >= 0 && slide >= 0);
  CHECK(talus_urdf_find_joint(urdf, "weld") == TALUS_NONE);
  CHECK(talus_urdf_find_link(urdf, "tool", &link) && link == arm);
  CHECK(talus_urdf_find_link(urdf, "column", &link) && link == TALUS_NONE);
  CHECK(!talus_urdf_find_link(urdf, "hand", &link));
  const talus_link_def *const a = &def->link[arm], *const s = &def->link[slide];
  CHECK(a->kind == TALUS_LINK_REVOLUTE && a->parent == TALUS_NONE && a->motor == 0);
  CHECK(s->kind == TALUS_LINK_PRISMATIC && s->parent == arm);
  CHECK(a->position[0] == 3 && a->position[2] == 1);
  CHECK(a->limited && a->lower[0] == -1 && a->upper[0] == 1 && a->effort == 100 && a->rate[0] == 2);
  CHECK(a->damping == 0.3 && a->friction == 0.4);
  /* arm (4 kg at 0.5, turned: xx and yy change places) and tool (4 kg at 1.1) */
  CHECK_CLOSE(a->mass, 8, 1e-12);
  CHECK_CLOSE(a->centre[0], 0.8, 1e-12);
  CHECK_CLOSE(a->inertia[0], 0.2 + 1e-3, 1e-12);
  CHECK_CLOSE(a->inertia[3], 0.1 + 1e-3 + 8 * 0.09, 1e-12);
  CHECK_CLOSE(a->inertia[5], 0.3 + 1e-3 + 8 * 0.09, 1e-12);
  CHECK(talus_urdf_shape_count(urdf) == 4);
  /* in a world: the column is fixed, the arm swings on it */
  talus_world *world;
  talus_material_def stone = talus_material_def_default();
  int32_t material, mechanism, base;
  CHECK(talus_world_create(context, NULL, &world) == TALUS_OK);
  CHECK(talus_material_add(world, &stone, &material) == TALUS_OK);
  CHECK(talus_urdf_add(world, urdf, material, &mechanism, &base) == TALUS_OK);
  CHECK(talus_body_kind(world, base) == TALUS_BODY_FIXED);
  talus_body_state state;
  CHECK(talus_body_get(world, talus_link_body(world, mechanism, arm), &state) == TALUS_OK);
  CHECK_CLOSE(state.position[0], 3, 1e-12);
  CHECK_CLOSE(state.position[1], 0.8, 1e-12);
  CHECK_CLOSE(state.position[2], 1, 1e-12);
  for (int i = 0; i < 50; i++) {
    CHECK(talus_world_step(world, NULL) == TALUS_OK);
  }
  double q[2];
  CHECK(talus_mechanism_get(talus_world_mechanism(world, mechanism), q, NULL) == TALUS_OK);
  CHECK(q[arm] < -1e-3);
  talus_world_destroy(world);
  talus_urdf_destroy(urdf);
}

/* The root moves: it needs a mass then. */
static void check_floating(talus_context *context) {
  talus_urdf *urdf = NULL;
  talus_urdf_def given = talus_urdf_def_default();
  given.floating = 1;
  CHECK(robot_of(context, "<robot name='r'><link name='a'>" INERTIAL "</link></robot>", &given,
                 &urdf) == TALUS_OK);
  CHECK(urdf != NULL && talus_urdf_mechanism(urdf)->link_count == 1 &&
        talus_urdf_mechanism(urdf)->link[0].kind == TALUS_LINK_FREE);
  talus_urdf_destroy(urdf);
  CHECK(robot_of(context, "<robot name='r'><link name='a'/></robot>", &given, &urdf) ==
        TALUS_FILE_FORMAT);
  CHECK(strstr(talus_context_message(context), "no mass") != NULL && urdf == NULL);
}

#define TWO "<robot name='r'>\n<link name='a'/>\n<link name='b'>" INERTIAL "</link>\n"
#define ENDS "<parent link='a'/><child link='b'/>"
#define JOINT(type, more) "<joint name='j' type='" type "'>" ENDS "\n" more "\n</joint>\n</robot>\n"

static const struct mistake {
  const char *text;
  int line;
  const char *words;
} mistakes[] = {
    {"<robot name='r'><link name='a'></robot>\n", 1, "mismatched tag"},
    {"<model/>\n", 1, "not with a robot"},
    {"<robot name='r'/>\n", 1, "a robot without links"},
    {"<robot name='r'>\n<transmission name='t'/></robot>\n", 2, "'transmission' of a robot"},
    {TWO JOINT("continuous", "<mimic joint='k'/>"), 5, "'mimic' of a joint is not supported"},
    {TWO JOINT("screw", ""), 4, "joint 'j': its type 'screw'"},
    {TWO JOINT("revolute", ""), 4, "joint 'j': a revolute joint needs a limit"},
    {TWO JOINT("revolute", "<limit lower='1' upper='0'/>"), 5, "joint 'j': its limits cross"},
    {TWO JOINT("continuous", "<axis xyz='0 0 0'/>"), 5, "joint 'j': its axis has length zero"},
    {TWO JOINT("continuous", "<axis xyz='0 1'/>"), 5, "xyz needs 3 numbers"},
    {TWO JOINT("continuous", "<axis xyz='0 1 0 1'/>"), 5, "more than 3"},
    {TWO JOINT("continuous", "<origin xyz='0 1 nan'/>"), 5, "3 numbers"},
    {TWO "<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint></robot>", 4,
     "joint 'j': its child, link 'c', is not there"},
    {TWO "<joint name='j' type='fixed'><parent link='a'/></joint></robot>", 4,
     "joint 'j' has no child link"},
    {TWO "</robot>", 3, "link 'b' hangs on no joint"},
    {TWO "<joint name='j' type='fixed'>" ENDS "</joint>\n<joint name='k' type='fixed'>" ENDS
         "</joint></robot>",
     5, "joint 'k': link 'b' hangs on joint 'j' already (line 4)"},
    {TWO "<joint name='j' type='fixed'>" ENDS "</joint>\n"
         "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
     5, "form a loop"},
    {TWO
     "<link name='c'/><joint name='j' type='fixed'><parent link='b'/><child link='c'/></joint>\n"
     "<joint name='k' type='fixed'><parent link='c'/><child link='b'/></joint></robot>",
     5, "part of a loop"},
    {"<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n" JOINT("continuous", ""), 4,
     "joint 'j': link 'b' moves and has no mass"},
    {"<robot name='r'>\n<link name='a'/>\n<link name='b'><inertial><mass value='1'/>"
     "<inertia ixx='0' iyy='0' izz='0'/></inertial></link>\n" JOINT("continuous", ""),
     4, "not positive definite"},
    {"<robot name='r'>\n<link name='a'/>\n<link name='a'/></robot>", 3, "two links"},
    {"<robot name='r'>\n<link name='a'>\n<collision><geometry><mesh filename='no.stl'/></geometry>"
     "</collision></link></robot>",
     3, "no.stl"},
    {"<robot name='r'>\n<link name='a'>\n<collision><geometry><cone/></geometry></collision>"
     "</link></robot>",
     3, "the geometry 'cone' is not known"},
};

static void check_mistakes(talus_context *context) {
  for (int i = 0; i < (int)(sizeof mistakes / sizeof *mistakes); i++) {
    talus_urdf *urdf;
    char place[32];
    const talus_status status = robot_of(context, mistakes[i].text, NULL, &urdf);
    const char *const message = talus_context_message(context);
    snprintf(place, sizeof place, "robot.urdf:%d: ", mistakes[i].line);
    CHECK_CASE((status == TALUS_FILE_FORMAT || status == TALUS_FILE_OPEN) && urdf == NULL &&
                   strncmp(message, place, strlen(place)) == 0 &&
                   strstr(message, mistakes[i].words) != NULL,
               "%d: %s", i, message);
    talus_urdf_destroy(urdf);
  }
  talus_urdf *urdf;
  CHECK(talus_urdf_read(context, "not there.urdf", NULL, &urdf) == TALUS_FILE_OPEN);
  /* said, not failed */
  talus_urdf_def lenient = talus_urdf_def_default();
  lenient.lenient = 1;
  CHECK(robot_of(context, TWO JOINT("continuous", "<mimic joint='k'/>"), &lenient, &urdf) ==
        TALUS_OK);
  talus_urdf_destroy(urdf);
}

/* From a scene: drives, and a base that is turned. */
static void check_scene(talus_context *context) {
  static const char text[] =
      "mechanisms:\n"
      "  - name: r\n"
      "    urdf: robot.urdf\n"
      "    position: [0, 0, 2]\n"
      "    drives:\n"
      "      - {joint: shoulder, start: 20 deg, target: 40 deg, effort: 500}\n"
      "      - {joint: lift, kind: prismatic, target: 10 cm}\n";
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  file_write("robot.urdf", robot);
  const talus_status status = world_of(context, text, &scene, &world);
  if (status == TALUS_UNSUPPORTED) {
    printf("scene: skipped, built without libyaml\n");
    return;
  }
  if (CHECK(status == TALUS_OK)) {
    double q[2];
    int32_t link;
    talus_mechanism *const m = talus_world_mechanism(world, talus_scene_mechanism_find(scene, "r"));
    CHECK(talus_mechanism_get(m, q, NULL) == TALUS_OK);
    CHECK_CLOSE(q[0] + q[1], 20 * DEGREE, 1e-12);
    CHECK(talus_body_link(world, talus_scene_body_find(scene, "r.tool"), NULL, &link));
    for (int i = 0; i < 1000; i++) { /* it swings about its target for a while */
      CHECK(talus_scene_tick(scene, world) == TALUS_OK &&
            talus_world_step(world, NULL) == TALUS_OK);
    }
    CHECK(talus_mechanism_get(m, q, NULL) == TALUS_OK);
    CHECK_CLOSE(q[link], 40 * DEGREE, 0.1 * DEGREE);
    CHECK_CLOSE(q[1 - link], 0.1, 1e-3); /* the robot file's 50 N carry 2 kg */
  } else {
    printf("  %s\n", talus_context_message(context));
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  CHECK(scene_of(context, "mechanisms:\n  - urdf: robot.urdf\n    drives: [{joint: weld}]\n",
                 &scene) == TALUS_FILE_FORMAT);
  CHECK(strstr(talus_context_message(context), "scene.yaml:3:") != NULL);
}

/* A scene is another one if its robot is; comments do not count. */
static void check_hash(talus_context *context) {
  static const char text[] = "mechanisms:\n  - {name: r, urdf: robot.urdf}\n";
  static const char *const files[] = {TWO JOINT("continuous", ""),
                                      "<!-- a robot -->" TWO JOINT("continuous", ""),
                                      TWO JOINT("continuous", "<axis xyz='0 1 0'/>")};
  uint64_t hash[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    talus_scene *scene = NULL;
    file_write("robot.urdf", files[k]);
    if (scene_of(context, text, &scene) == TALUS_UNSUPPORTED) {
      return;
    }
    if (CHECK(scene != NULL)) {
      hash[k] = tl_scene_hash(scene);
    }
    talus_scene_destroy(scene);
  }
  CHECK(hash[0] == hash[1] && hash[0] != hash[2] && hash[0] != 0);
}

static void check_memory(void) {
  int64_t at = 1;
  file_write("robot.urdf", robot);
  for (talus_status status = TALUS_OUT_OF_MEMORY; status != TALUS_OK && at < 500; at++) {
    scarce s = {0};
    talus_urdf *urdf;
    talus_context *const context = scarce_context(&s);
    s.fail_at = s.requests + at;
    status = talus_urdf_read(context, "robot.urdf", NULL, &urdf);
    CHECK(status == TALUS_OK || status == TALUS_OUT_OF_MEMORY);
    talus_urdf_destroy(urdf);
    talus_context_destroy(context);
    CHECK_CASE(s.held == 0, "request %d", (int)at);
  }
  CHECK(at > 3 && at < 500);
}

int main(void) {
  talus_context *context = NULL;
  talus_context_def def = talus_context_def_default();
  talus_urdf *urdf;
  def.threads = 1;
  if (!CHECK(talus_context_create(&def, &context) == TALUS_OK) ||
      robot_of(context, "<robot/>", NULL, &urdf) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  check_robot(context);
  check_floating(context);
  check_mistakes(context);
  check_scene(context);
  check_hash(context);
  check_memory();
  talus_context_destroy(context);
  return check_end();
}
