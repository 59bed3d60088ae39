/* scalars_servo.c: the columns of servos: force, pressure, area, travel and speed of each wall and
 * body that has one. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "host/scene/build.h"
#include "host/scene/snapshot.h"

enum { PER_SERVO = 5 };

/* Walls come first, then bodies. */
static int32_t thing_count(const talus_scene *scene) {
  return scene->def.walls.count + scene->def.bodies.count;
}

static bool servo_in(const tl_scene_definition *def, int32_t i) {
  const tl_scene_wall *const wall = def->walls.item;
  const tl_scene_body *const body = def->bodies.item;
  const tl_scene_servo *const servo =
      i < def->walls.count ? &wall[i].servo : &body[i - def->walls.count].servo;
  return servo->item.node != NULL;
}

/* Now, or in some stage. */
static bool has_servo(const talus_scene *scene, int32_t i) {
  bool has = servo_in(&scene->def, i);
  for (int32_t k = 0; scene->stage != NULL && k < scene->def.stages.count; k++) {
    has = has || servo_in(&scene->stage[k].def, i);
  }
  return has;
}

int32_t tl_scalars_servo_count(const talus_scene *scene) {
  int32_t count = 0;
  for (int32_t i = 0; i < thing_count(scene); i++) {
    count += has_servo(scene, i) ? PER_SERVO : 0;
  }
  return count;
}

talus_status tl_scalars_servo_name(const talus_scene *scene, tl_arena *arena,
                                   talus_column *column) {
  static const char *const ending[PER_SERVO] = {"_force", "_pressure", "_area", "_travel",
                                                "_speed"};
  static const char *const unit[PER_SERVO] = {"N", "Pa", "m2", "m", "m/s"};
  const tl_scene_wall *const wall = scene->def.walls.item;
  const tl_scene_body *const body = scene->def.bodies.item;
  const int32_t walls = scene->def.walls.count;
  for (int32_t i = 0; i < thing_count(scene); i++) {
    const char *const name = i < walls ? wall[i].name : body[i - walls].name;
    char number[24];
    snprintf(number, sizeof number, "%s%d", i < walls ? "wall" : "body",
             (int)(i < walls ? i : i - walls));
    for (int c = 0; c < PER_SERVO && has_servo(scene, i); c++) {
      TL_TRY(tl_scalars_column(arena, "servo_", name != NULL ? name : number, ending[c], unit[c],
                               column++));
    }
  }
  return TALUS_OK;
}

void tl_scalars_servo_fill(const talus_scene *scene, const talus_world *world, double *value) {
  const int32_t walls = scene->def.walls.count;
  for (int32_t i = 0; i < thing_count(scene); i++) {
    if (!has_servo(scene, i)) {
      continue;
    }
    const int32_t id = i < walls ? scene->wall_id[i] : scene->body_id[i - walls];
    talus_servo_state s = talus_servo_state_default();
    if (!talus_body_exists(world, id)) {
      s.force = s.pressure = s.area = s.travel = s.speed = NAN; /* taken away */
    } else {
      talus_servo_get(world, id, &s); /* a wall whose servo a stage took away has zeros */
    }
    const double all[PER_SERVO] = {s.force, s.pressure, s.area, s.travel, s.speed};
    for (int c = 0; c < PER_SERVO; c++) {
      *value++ = all[c];
    }
  }
}
