/* save.c: copies what a step changes, and restores it where a step is refused: bodies, joints,
 * bonds, mechanisms, and the contacts of the step before, with which the next one starts. */
#include <assert.h>
#include <string.h>

#include "host/base/each.h"
#include "host/world/world.h"

static void save_part(void *arguments, int64_t first, int64_t end) {
  const talus_world *const world = arguments;
  tl_saved_body *const motion = world->saved_bodies.memory;
  for (int64_t i = first; i < end; i++) {
    const tl_body *const body = &world->body[i];
    memcpy(motion[i].position, body->position, sizeof body->position);
    memcpy(motion[i].orientation, body->orientation, sizeof body->orientation);
    memcpy(motion[i].velocity, body->velocity, sizeof body->velocity);
    memcpy(motion[i].spin, body->spin, sizeof body->spin);
  }
}

talus_status tl_world_save(talus_world *world) {
  TL_TRY(tl_buffer_reserve(world->context, &world->saved_bodies, (size_t)world->body_count,
                           sizeof(tl_saved_body), "bodies"));
  TL_TRY(tl_buffer_reserve(world->context, &world->saved_joints, (size_t)world->joint_count,
                           sizeof *world->joint, "joints"));
  TL_TRY(tl_buffer_reserve(world->context, &world->saved_bonds, (size_t)world->bond_count,
                           sizeof *world->bond, "bonds"));
  tl_each(world->context, tl_threads_for(world->context, world->body_count), world->body_count,
          save_part, world);
  for (int64_t i = 0; i < world->body_extra_count; i++) {
    tl_copy3(world->body_extra[i].saved_carried, world->body_extra[i].carried);
  }
  if (world->joint_count > 0) {
    memcpy(world->saved_joints.memory, world->joint,
           (size_t)world->joint_count * sizeof *world->joint);
  }
  if (world->bond_count > 0) {
    memcpy(world->saved_bonds.memory, world->bond, (size_t)world->bond_count * sizeof *world->bond);
  }
  world->saved_cell = world->cell;
  TL_TRY(tl_links_save(world));
  tl_contacts_save(world);
  world->step_saved = true;
  return TALUS_OK;
}

talus_status tl_world_restore(talus_world *world) {
  assert(world->saved_bodies.capacity >= (size_t)world->body_count * sizeof(tl_saved_body));
  const tl_saved_body *const motion = world->saved_bodies.memory;
  for (int32_t i = 0; i < world->body_count; i++) {
    tl_body *const body = &world->body[i];
    memcpy(body->position, motion[i].position, sizeof body->position);
    memcpy(body->orientation, motion[i].orientation, sizeof body->orientation);
    memcpy(body->velocity, motion[i].velocity, sizeof body->velocity);
    memcpy(body->spin, motion[i].spin, sizeof body->spin);
  }
  for (int64_t i = 0; i < world->body_extra_count; i++) {
    tl_copy3(world->body_extra[i].carried, world->body_extra[i].saved_carried);
  }
  if (world->joint_count > 0) {
    memcpy(world->joint, world->saved_joints.memory,
           (size_t)world->joint_count * sizeof *world->joint);
  }
  if (world->bond_count > 0) {
    memcpy(world->bond, world->saved_bonds.memory, (size_t)world->bond_count * sizeof *world->bond);
    world->bond_gaps = 0; /* as a step begins */
    world->bonds_changed = true;
  }
  world->cell = world->saved_cell;
  tl_links_restore(world);
  world->slots_changed++; /* contacts name slots of the step before */
  return tl_contacts_restore(world);
}
