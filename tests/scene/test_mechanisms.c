/* test_mechanisms.c: mechanisms in scene files: what they become, motors over time, restarts to the
 * bit, and mistakes with their lines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/scene/record.h"
#include "host/scene/record_checkpoint.h"
#include "talus/talus_mechanism.h"
#include "tests/check.h"
#include "tests/scene/scene_text.h"

static const double DEGREE = 0.017453292519943295;

static int run(talus_scene *scene, talus_world *world, int steps) {
  for (int i = 0; i < steps; i++) {
    if (talus_scene_tick(scene, world) != TALUS_OK || talus_world_step(world, NULL) != TALUS_OK) {
      return 0;
    }
  }
  return 1;
}

#define ARM                                                                                \
  "materials: {metal: {density: 2000}}\n"                                                  \
  "walls: [{kind: plane, name: floor}]\n"                                                  \
  "mechanisms:\n"                                                                          \
  "  - name: arm\n"                                                                        \
  "    position: [1, 0, 50 cm]\n"                                                          \
  "    orientation: {axis: [0, 0, 1], angle: 90 deg}\n"                                    \
  "    links:\n"                                                                           \
  "      - name: fore\n"                                                                   \
  "        parent: upper\n"                                                                \
  "        kind: prismatic\n"                                                              \
  "        position: [30 cm, 0, 0]\n"                                                      \
  "        axis: [1, 0, 0]\n"                                                              \
  "        mass: 500 g\n"                                                                  \
  "        centre: [0, 0, 1 cm]\n"                                                         \
  "        inertia: [1e-3, 2e-3, 3e-3]\n"                                                  \
  "        start: 5 cm\n"                                                                  \
  "        limits: [-10 cm, 10 cm]\n"                                                      \
  "        rate: 3 cm/s\n"                                                                 \
  "        effort: 40 N\n"                                                                 \
  "        shapes: [{shape: box, size: [4 cm, 20 cm, 20 cm], position: [0, 0, -30 cm]}]\n" \
  "      - name: upper\n"                                                                  \
  "        axis: [0, -1, 0]\n"                                                             \
  "        shapes:\n"                                                                      \
  "          - {shape: box, size: [30 cm, 4 cm, 4 cm], position: [15 cm, 0, 0]}\n"         \
  "        damping: 0.1 N m s\n"                                                           \
  "        start: 10 deg\n"                                                                \
  "        times: [0 s, 100 ms, 200 ms]\n"                                                 \
  "        targets: [10 deg, 10 deg, -10 deg]\n"                                           \
  "        effort: 400 N m\n"
#define GRAINS                                                                                    \
  "grains:\n"                                                                                     \
  "  - {kind: lattice, radius: 3 cm, counts: [3, 3, 2], region: {lower: [0.86, 0.16, 0], upper: " \
  "[1.14, 0.44, 0.13]}}\n"

static void check_arm(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  const talus_status status = world_of(context, ARM, &scene, &world);
  CHECK_CASE(status == TALUS_OK, "%s", talus_context_message(context));
  if (status != TALUS_OK) {
    talus_scene_destroy(scene);
    return;
  }
  const int32_t id = talus_scene_mechanism_find(scene, "arm");
  talus_mechanism *const arm = talus_world_mechanism(world, id);
  const int32_t upper = talus_scene_body_find(scene, "arm.upper");
  const int32_t fore = talus_scene_body_find(scene, "arm.fore");
  CHECK(id == 0 && talus_mechanism_link_count(arm) == 2);
  CHECK(upper == talus_link_body(world, 0, 1) && fore == talus_link_body(world, 0, 0));
  CHECK(talus_scene_body_find(scene, "arm.none") == TALUS_NONE);
  CHECK(talus_scene_mechanism_find(scene, "leg") == TALUS_NONE);
  /* mass and centre of the upper arm are its box's; it stands turned to the side of y */
  talus_body_state state;
  CHECK_CLOSE(talus_body_mass(world, upper), 2000 * 0.3 * 0.04 * 0.04, 1e-12);
  CHECK_CLOSE(talus_body_mass(world, fore), 0.5, 0);
  CHECK(talus_body_get(world, upper, &state) == TALUS_OK);
  CHECK_CLOSE(state.position[0], 1, 1e-12);
  CHECK_CLOSE(state.position[1], 0.15 * cos(10 * DEGREE), 1e-12);
  CHECK_CLOSE(state.position[2], 0.5 + 0.15 * sin(10 * DEGREE), 1e-12);
  /* the table is followed, and the other motor has its speed */
  double q[2], v[2];
  CHECK(run(scene, world, 150));
  CHECK(talus_mechanism_get(arm, q, v) == TALUS_OK);
  CHECK_CLOSE(q[1], 0, 0.02 * DEGREE);
  CHECK_CLOSE(v[1], -200 * DEGREE, 2 * DEGREE);
  CHECK_CLOSE(q[0], 0.05 + 0.03 * 0.15, 1e-4);
  CHECK(run(scene, world, 50));
  CHECK(talus_mechanism_get(arm, q, NULL) == TALUS_OK);
  CHECK_CLOSE(q[1], -10 * DEGREE, 0.02 * DEGREE);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* Two worlds hold the same bits. */
static int same(const talus_world *a, const talus_world *b) {
  const talus_contact *x, *y;
  const int32_t count = talus_world_contacts(a, &x);
  int equal =
      count == talus_world_contacts(b, &y) && talus_body_capacity(a) == talus_body_capacity(b);
  double p[8], q[8];
  for (int32_t i = 0; equal && i < talus_body_capacity(a); i++) {
    talus_body_state s, t;
    equal = talus_body_get(a, i, &s) == TALUS_OK && talus_body_get(b, i, &t) == TALUS_OK &&
            memcmp(&s, &t, sizeof s) == 0;
  }
  for (int32_t k = 0; equal && k < count; k++) {
    equal = memcmp(x[k].impulse, y[k].impulse, sizeof x[k].impulse) == 0;
  }
  return equal && talus_mechanism_get(talus_world_mechanism(a, 0), p, p + 4) == TALUS_OK &&
         talus_mechanism_get(talus_world_mechanism(b, 0), q, q + 4) == TALUS_OK &&
         memcmp(p, q, 2 * sizeof *p) == 0 && memcmp(p + 4, q + 4, 2 * sizeof *p) == 0;
}

static void check_restart(talus_context *context) {
  talus_scene *one = NULL, *two = NULL;
  talus_world *whole = NULL, *pieces = NULL;
  const talus_status made = world_of(context, ARM GRAINS, &one, &whole);
  CHECK_CASE(made == TALUS_OK, "%s", talus_context_message(context));
  if (made != TALUS_OK) {
    talus_scene_destroy(one);
    return;
  }
  /* a load that the motor cannot hold: it has to come back from the checkpoint by itself */
  CHECK(talus_mechanism_load(talus_world_mechanism(whole, 0), 0, (const double[3]){0, 0, 0.1},
                             (const double[3]){5, 60, 3},
                             (const double[3]){0.1, 0, 0.2}) == TALUS_OK);
  CHECK(run(one, whole, 130));
  const talus_status saved = talus_scene_save(one, whole, ".", 3);
  if (saved == TALUS_UNSUPPORTED) {
    printf("restart: skipped, built without HDF5\n");
  } else if (CHECK(saved == TALUS_OK)) {
    CHECK(run(one, whole, 50));
    CHECK(world_of(context, ARM GRAINS, &two, &pieces) == TALUS_OK);
    CHECK(!same(whole, pieces));
    CHECK(talus_scene_resume(two, pieces, "checkpoint-000130.h5") == TALUS_OK);
    CHECK(run(two, pieces, 50));
    CHECK(same(whole, pieces));
    const talus_contact *contact;
    int linked = 0;
    for (int32_t k = talus_world_contacts(whole, &contact) - 1; k >= 0; k--) {
      linked += talus_body_link(whole, contact[k].body_a, NULL, NULL) ||
                talus_body_link(whole, contact[k].body_b, NULL, NULL);
    }
    CHECK(linked > 0); /* or the arm has touched nothing */
  }
  talus_world_destroy(whole);
  talus_world_destroy(pieces);
  talus_scene_destroy(one);
  talus_scene_destroy(two);
}

#define LINK(keys) "mechanisms:\n  - name: m\n    links:\n      - {name: a, " keys "}\n"
#define SOLID "mass: 1, inertia: [1, 1, 1]"

static const struct mistake {
  const char *text;
  int line;
  const char *words;
} mistakes[] = {
    {LINK("kind: spherical, mass: 1, inertia: [1, 1, 1], twist: [1, -1]"), 4, "lower limit"},
    {LINK("kind: spherical, mass: 1, inertia: [1, 1, 1], limits: [-1, 1]"), 4, "limits"},
    {"mechanisms:\n  - name: m\n", 2, "either `links` or a `urdf` file"},
    {"mechanisms:\n  - name: m\n    links: [{kind: free}]\n", 3, "lacks the key 'name'"},
    {LINK("mass: 1"), 4, "joint 'a': a mass needs its `inertia`"},
    {LINK("kind: free"), 4, "joint 'a': its link has no mass"},
    {LINK("inertia: [1, 1, 1]"), 4, "go together"},
    {LINK("mass: 1 m, inertia: [1, 1, 1]"), 4, "a mass"},
    {LINK("mass: 1, inertia: [1, 1, 0]"), 4, "inertia"},
    {LINK(SOLID ", axis: [0, 0, 0]"), 4, "joint 'a': its axis has length 0"},
    {LINK(SOLID ", limits: [2 deg, 1 deg]"), 4, "joint 'a': the lower limit is above"},
    {LINK(SOLID ", limits: [2 m, 1 m]"), 4, "an angle"},
    {LINK(SOLID ", parent: b"), 4, "joint 'a': its parent, link 'b', is not there"},
    {LINK(SOLID ", parent: a"), 4, "joint 'a': its parents form a loop"},
    {LINK(SOLID ", effort: 3"), 4, "an effort without a rate or target"},
    {LINK(SOLID ", kind: universal, rate2: 1"), 4, "joint 'a': `rate2` needs `rate` beside it"},
    {LINK(SOLID ", kind: spherical, effort: 1"), 4, "an effort without a rate"},
    {LINK(SOLID ", times: [0, 1], targets: [0]"), 4, "as many of each (2 and 1)"},
    {LINK(SOLID ", times: [1, 0], targets: [0, 1]"), 4, "times have to ascend"},
    {LINK(SOLID ", target: 1, times: [0, 1], targets: [0, 1]"), 4, "not both"},
    {LINK(SOLID ", material: wood"), 4, "no material is called 'wood'"},
    {LINK(SOLID ", kind: spherical, limits: [0, 1]"), 4, "is only for kind:"},
    {LINK(SOLID) "      - {name: a, " SOLID "}\n", 5, "the name 'a' is taken"},
    {LINK(SOLID) "    loops: [{a: a, b: c}]\n", 5, "the loop's link 'c' is not there"},
    {LINK(SOLID) "    loops: [{a: a, b: a}]\n", 5, "ties 'a' to itself"},
    {LINK(SOLID) "    drives: [{joint: a}]\n", 5, "goes with `urdf`"},
    {LINK(SOLID) "    base: floor\n", 5, "is called 'floor'"},
    {LINK(SOLID) "forces: [{body: m.b}]\n", 5, "is called 'm.b'"},
    {LINK(SOLID) "  - name: m\n    links: [{name: b, " SOLID "}]\n", 5, "two mechanisms"},
    {"world: {plane: true}\n" LINK(SOLID), 3, "leaves the plane"},
};

static void check_mistakes(talus_context *context) {
  for (int i = 0; i < (int)(sizeof mistakes / sizeof *mistakes); i++) {
    talus_scene *scene = NULL;
    talus_world *world = NULL;
    char place[32];
    const talus_status status = world_of(context, mistakes[i].text, &scene, &world);
    const char *const message = talus_context_message(context);
    snprintf(place, sizeof place, "scene.yaml:%d:", mistakes[i].line);
    CHECK_CASE(status != TALUS_OK && strncmp(message, place, strlen(place)) == 0 &&
                   strstr(message, mistakes[i].words) != NULL,
               "%d: %s", i, message);
    talus_world_destroy(world);
    talus_scene_destroy(scene);
  }
}

/* Stops of joints with several velocities, and a loop that holds against turning alone. */
#define BRANCH                                                                                   \
  "mechanisms:\n"                                                                                \
  "  - name: m\n"                                                                                \
  "    links:\n"                                                                                 \
  "      - {name: ball, kind: spherical, axis: [0, 0, 2], swing: 40 deg, twist: [-20 deg, 30 "   \
  "deg], damping: 0.2, friction: 0.01, mass: 1, centre: [0.1, 0, 0.5], inertia: [0.1, 0.1, "     \
  "0.1]}\n"                                                                                      \
  "      - {name: cross, kind: universal, parent: ball, position: [0, 0, 1], axis: [1, 0, 0], "  \
  "axis2: [0, 1, 0], start: 5 deg, start2: 3 deg, limits: [-10 deg, 10 deg], limits2: [-5 deg, " \
  "15 deg], damping: 0.2, mass: 1, centre: [0, 0, 0.5], inertia: [0.1, 0.1, 0.1]}\n"             \
  "      - {name: flap, axis: [0, 1, 0], position: [3, 0, 0], mass: 1, centre: [1, 0, 0], "      \
  "inertia: [0.1, 0.1, 0.1]}\n"                                                                  \
  "    loops:\n"                                                                                 \
  "      - {a: base, b: flap, directions: [], turns: [[0, 1, 0]]}\n"

static void check_stops(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  const talus_status status = world_of(context, BRANCH, &scene, &world);
  CHECK_CASE(status == TALUS_OK, "%s", talus_context_message(context));
  if (status == TALUS_OK) {
    talus_mechanism *const m = talus_world_mechanism(world, 0);
    double q[7];
    CHECK(talus_mechanism_get(m, q, NULL) == TALUS_OK);
    CHECK_CLOSE(q[4], 5 * DEGREE, 1e-15);
    CHECK_CLOSE(q[5], 3 * DEGREE, 1e-15);
    CHECK_CASE(run(scene, world, 1500), "%s", talus_context_message(context));
    CHECK(talus_mechanism_get(m, q, NULL) == TALUS_OK);
    const double swing = 2 * asin(sqrt(q[1] * q[1] + q[2] * q[2]));
    CHECK_CLOSE(swing, 40 * DEGREE, 0.005); /* top-heavy: it leans on the cone */
    CHECK(fabs(q[4]) <= 10 * DEGREE + 0.005);
    CHECK(q[5] >= -5 * DEGREE - 0.005 && q[5] <= 15 * DEGREE + 0.005);
    CHECK_CLOSE(q[6], 0, 1e-6); /* gravity would turn it */
    talus_world_destroy(world);
  }
  talus_scene_destroy(scene);
}

/* Motors of joints with several velocities: a target and a rate of a universal joint, rates of a
 * spherical one, which gravity cannot turn as they are held at their centres. */
#define MOTORS                                                                                     \
  "mechanisms:\n"                                                                                  \
  "  - name: m\n"                                                                                  \
  "    links:\n"                                                                                   \
  "      - {name: cross, kind: universal, axis: [1, 0, 0], axis2: [0, 1, 0], target: 20 deg, "     \
  "target2: -30 deg, effort: 50, response: 20 ms, mass: 1, centre: [0, 0, 0.5], inertia: [0.1, "   \
  "0.1, 0.1]}\n"                                                                                   \
  "      - {name: wheel, kind: universal, position: [3, 0, 0], axis: [1, 0, 0], axis2: [0, 1, "    \
  "0], "                                                                                           \
  "rate: 0.5, rate2: 0.25, mass: 1, centre: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                \
  "      - {name: ball, kind: spherical, position: [6, 0, 0], rates: [0, 0, 2], mass: 1, centre: " \
  "[0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"

static void check_motors(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  const talus_status status = world_of(context, MOTORS, &scene, &world);
  CHECK_CASE(status == TALUS_OK, "%s", talus_context_message(context));
  if (status == TALUS_OK) {
    double q[8];
    CHECK_CASE(run(scene, world, 500), "%s", talus_context_message(context));
    CHECK(talus_mechanism_get(talus_world_mechanism(world, 0), q, NULL) == TALUS_OK);
    CHECK_CLOSE(q[0], 20 * DEGREE, 1e-3);
    CHECK_CLOSE(q[1], -30 * DEGREE, 1e-3);
    CHECK_CLOSE(q[2], 0.25, 1e-3);
    CHECK_CLOSE(q[3], 0.125, 1e-3);
    CHECK_CLOSE(2 * atan2(q[7], q[4]), 1, 1e-3);
    talus_world_destroy(world);
  }
  talus_scene_destroy(scene);
}

int main(void) {
  talus_context *context = NULL;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  talus_scene *scene = NULL;
  if (!CHECK(talus_context_create(&def, &context) == TALUS_OK) ||
      scene_of(context, "title: any\n", &scene) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  talus_scene_destroy(scene);
  check_arm(context);
  check_stops(context);
  check_motors(context);
  check_restart(context);
  check_mistakes(context);
  talus_context_destroy(context);
  return check_end();
}
