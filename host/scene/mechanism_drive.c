/* mechanism_drive.c: motors of a scene's mechanisms: their defs, and targets over time. */
#include "host/scene/build.h"

double tl_drive_target(const tl_scene_drive *drive, double time) {
  const int32_t count = drive->times.count;
  const double *const t = drive->times.value, *const q = drive->targets.value;
  int32_t i = 0;
  if (count == 0 || time <= t[0]) {
    return count == 0 ? drive->target : q[0];
  }
  while (i + 1 < count && time >= t[i + 1]) {
    i++;
  }
  return i + 1 < count ? q[i] + (q[i + 1] - q[i]) * (time - t[i]) / (t[i + 1] - t[i]) : q[i];
}

void tl_drive_fill(const tl_scene_drive *drive, talus_link_def *def) {
  const tl_node *const node = drive->item.node;
  if (tl_tree_find(node, "limits") != NULL) {
    def->limited = 1;
    def->lower[0] = drive->limits[0];
    def->upper[0] = drive->limits[1];
  }
  const bool rate = tl_tree_find(node, "rate") != NULL;
  const bool served = tl_tree_find(node, "target") != NULL || drive->times.count > 0;
  def->motor = served ? TALUS_MOTOR_SERVO : rate ? TALUS_MOTOR_RATE : TALUS_MOTOR_NONE;
  def->rate[0] = rate ? drive->rate : def->rate[0];
  if (tl_tree_find(node, "effort") != NULL) {
    def->effort = drive->effort;
  }
  def->target[0] = tl_drive_target(drive, 0);
  def->response = drive->response;
}

/* The step that follows ends a step later: that is when the target is to be reached. */
static talus_status joint_drive(const talus_scene *scene, talus_mechanism *mechanism, int32_t link,
                                const tl_scene_drive *drive, double most, double effort,
                                double time) {
  const double rate[3] = {most, 0, 0};
  const double target[3] = {tl_drive_target(drive, time + scene->def.world.step), 0, 0};
  return drive->times.count > 0 ? talus_mechanism_drive(mechanism, link, rate, target, effort)
                                : TALUS_OK;
}

talus_status tl_mechanisms_drive(const talus_scene *scene, talus_world *world, double time) {
  for (int32_t m = 0; m < scene->def.mechanisms.count; m++) {
    const tl_scene_mechanism *const from =
        (const tl_scene_mechanism *)scene->def.mechanisms.item + m;
    talus_mechanism *const mechanism = talus_world_mechanism(world, scene->mechanism[m].id);
    for (int32_t i = 0; i < from->links.count; i++) {
      const tl_scene_drive *const drive = &((const tl_scene_link *)from->links.item)[i].drive;
      TL_TRY(joint_drive(scene, mechanism, i, drive, drive->rate, drive->effort, time));
    }
    for (int32_t i = 0; i < from->drives.count; i++) {
      const tl_scene_drive *const drive = (const tl_scene_drive *)from->drives.item + i;
      const int32_t link = talus_urdf_find_joint(scene->mechanism[m].urdf, drive->joint);
      talus_link_def own = talus_urdf_mechanism(scene->mechanism[m].urdf)->link[link];
      tl_drive_fill(drive, &own);
      TL_TRY(joint_drive(scene, mechanism, link, drive, own.rate[0], own.effort, time));
    }
  }
  return TALUS_OK;
}
