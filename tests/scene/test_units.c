/* test_units.c: numbers with units become SI; bare numbers follow the section `units`. */
#include <string.h>

#include "host/scene/units.h"
#include "tests/check.h"
#include "tests/scene/scene_text.h"

static void check_unit(const char *text, double factor, tl_quantity quantity) {
  double found = 0;
  tl_dimension dimension;
  char unknown[32];
  const tl_dimension wanted = tl_quantity_dimension(quantity);
  CHECK_CASE(tl_unit_parse(text, &found, &dimension, unknown, sizeof unknown), "%s", text);
  CHECK_CASE(memcmp(&dimension, &wanted, sizeof wanted) == 0, "%s", text);
  CHECK_CASE(fabs(found - factor) <= 1e-15 * factor, "%s: %.17g", text, found);
}

static void check_units(void) {
  const double pi = 3.14159265358979323846;
  check_unit("m", 1, TL_QUANTITY_LENGTH);
  check_unit("cm", 0.01, TL_QUANTITY_LENGTH);
  check_unit("mm", 0.001, TL_QUANTITY_LENGTH);
  check_unit("µm", 1e-6, TL_QUANTITY_LENGTH);
  check_unit("in", 0.0254, TL_QUANTITY_LENGTH);
  check_unit("ms", 0.001, TL_QUANTITY_TIME);
  check_unit("min", 60, TL_QUANTITY_TIME);
  check_unit("deg", pi / 180, TL_QUANTITY_ANGLE);
  check_unit("°", pi / 180, TL_QUANTITY_ANGLE);
  check_unit("m/s", 1, TL_QUANTITY_SPEED);
  check_unit("km/h", 1 / 3.6, TL_QUANTITY_SPEED);
  check_unit("mm / s^2", 1e-3, TL_QUANTITY_ACCELERATION);
  check_unit("m s-2", 1, TL_QUANTITY_ACCELERATION);
  check_unit("kg/m3", 1, TL_QUANTITY_DENSITY);
  check_unit("g/cm3", 1000, TL_QUANTITY_DENSITY);
  check_unit("kg/l", 1000, TL_QUANTITY_DENSITY);
  check_unit("rpm", pi / 30, TL_QUANTITY_SPIN);
  check_unit("turn/s", 2 * pi, TL_QUANTITY_SPIN);
  check_unit("Hz", 1, TL_QUANTITY_RATE);
  check_unit("1/s", 1, TL_QUANTITY_RATE);
  check_unit("1/min", 1.0 / 60, TL_QUANTITY_RATE);
  check_unit("kg m/s2", 1, TL_QUANTITY_FORCE);
  check_unit("mN", 1e-3, TL_QUANTITY_FORCE);
  check_unit("N m", 1, TL_QUANTITY_TORQUE);
  check_unit("mJ", 1e-3, TL_QUANTITY_ENERGY);
  check_unit("N*mm", 1e-3, TL_QUANTITY_TORQUE);
  check_unit("%", 0.01, TL_QUANTITY_NUMBER);
  double factor;
  tl_dimension dimension;
  char unknown[32];
  CHECK(!tl_unit_parse("furlong", &factor, &dimension, unknown, sizeof unknown));
  CHECK(strcmp(unknown, "furlong") == 0);
  CHECK(!tl_unit_parse("m^", &factor, &dimension, unknown, sizeof unknown));
  CHECK(!tl_unit_parse("m99", &factor, &dimension, unknown, sizeof unknown));
  static const char *const loose[] = {"mm/",    "mm / ", "mm*", "mm//s", "mm/*s",
                                      "mm */s", "/",     "*",   "1/",    "1//s"};
  for (size_t i = 0; i < sizeof loose / sizeof *loose; i++) {
    CHECK_CASE(!tl_unit_parse(loose[i], &factor, &dimension, unknown, sizeof unknown), "%s",
               loose[i]);
    CHECK_CASE(strcmp(unknown, "/") == 0 || strcmp(unknown, "*") == 0, "%s: %s", loose[i], unknown);
  }
  char many[600] = ""; /* 257 metres: the exponent must not come round to 1 */
  for (int i = 0; i < 257; i++) {
    strcat(many, "m ");
  }
  CHECK(!tl_unit_parse(many, &factor, &dimension, unknown, sizeof unknown));
}

static void check_scene(talus_context *context) {
  talus_scene *a = NULL, *b = NULL;
  CHECK(scene_of(context,
                 "world: {step: 0.5 ms, gravity: [0, 0, -981 cm/s2]}\n"
                 "materials: {m: {density: 2.5 g/cm3, friction: 40 %}}\n"
                 "bodies:\n  - {radius: 3 mm, spin: [0, 60 rpm, 0], velocity: [1 mm/ms, 0, 0],\n"
                 "     orientation: {axis: [0, 0, 2], angle: 90 deg}}\n",
                 &a) == TALUS_OK);
  CHECK(scene_of(context,
                 "units: {length: mm, mass: g, time: ms, angle: deg}\n"
                 "world: {step: 0.5, gravity: [0, 0, -9.81e-3]}\n"
                 "materials: {m: {density: 2.5e-3, friction: 0.4}}\n"
                 "bodies:\n  - {radius: 3, spin: [0, 0.36, 0], velocity: [1, 0, 0],\n"
                 "     orientation: {axis: [0, 0, 2], angle: 90}}\n",
                 &b) == TALUS_OK);
  const talus_scene *both[2] = {a, b};
  for (int i = 0; i < 2 && a != NULL && b != NULL; i++) {
    const tl_scene_definition *def = tl_scene_def(both[i]);
    const tl_scene_body *body = def->bodies.item;
    const tl_scene_material *material = def->materials.item;
    CHECK_CLOSE(def->world.step, 0.5e-3, 1e-18);
    CHECK_CLOSE(def->world.gravity[2], -9.81, 1e-14);
    CHECK_CLOSE(material->density, 2500, 1e-11);
    CHECK_CLOSE(material->friction, 0.4, 1e-15);
    CHECK_CLOSE(body->shape.radius, 3e-3, 1e-17);
    CHECK_CLOSE(body->spin[1], 6.283185307179586, 1e-13);
    CHECK_CLOSE(body->velocity[0], 1, 1e-14);
    CHECK_CLOSE(body->orientation[0], sqrt(0.5), 1e-14);
    CHECK_CLOSE(body->orientation[3], sqrt(0.5), 1e-14);
    /* defaults stay in SI whatever bare numbers are in */
    CHECK_CLOSE(def->run.time, 1, 0);
  }
  talus_scene_destroy(a);
  talus_scene_destroy(b);
}

int main(void) {
  talus_context *context = NULL;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  check_units();
  talus_scene *scene = NULL;
  if (scene_of(context, "title: any\n", &scene) == TALUS_OK) {
    talus_scene_destroy(scene);
    check_scene(context);
  }
  talus_context_destroy(context);
  return check_end();
}
