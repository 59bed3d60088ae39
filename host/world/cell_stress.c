/* cell_stress.c: the stress of a cell: what contacts, joints and bonds carry, and what bodies carry
 * by their motion. */
#include <string.h>

#include "host/math/lattice.h"
#include "host/world/bond.h"
#include "host/world/cell.h"

/* The velocity of a free body beyond the mean motion about the centre. */
static bool own_velocity(const talus_world *world, int32_t i, const double *centre,
                         const double *velocity, double own[3]) {
  const tl_body *const body = &world->body[i];
  double away[3], mean[3];
  tl_sub3(away, body->position, centre);
  tl_lattice_point(world->cell.def.rate, away, mean);
  tl_sub3(own, velocity + 6 * (int64_t)i, mean);
  return body->exists && body->type == TALUS_BODY_FREE;
}

/* The branch of a contact: from centre to centre, of walls from where they touch. */
static void branch_of(const talus_world *world, const tl_world_contact *contact, double branch[3]) {
  const tl_body *const a = &world->body[contact->body_a];
  const tl_body *const b = &world->body[contact->body_b];
  double from[3], to[3], shift[3];
  tl_cell_shift(&world->cell, contact->image, shift);
  tl_along3(to, b->position, 1, shift);
  tl_copy3(from, a->inverse_mass > 0 ? a->position : contact->shown.point);
  tl_sub3(branch, b->inverse_mass > 0 ? to : contact->shown.point, from);
}

static void force_add(const double *impulse, double dt, const double *branch, double stress[9]) {
  for (int i = 0; i < 9; i++) {
    stress[i] += impulse[i / 3] * branch[i % 3] / dt;
  }
}

/* Adds what contacts carry, times volume: impulses of the last step times branches over time. */
static void contact_stress_add(const talus_world *world, double dt, double stress[9]) {
  for (int32_t k = 0; k < world->contact_count; k++) {
    const tl_world_contact *const contact = &world->contact[k];
    double branch[3];
    branch_of(world, contact, branch);
    force_add(world->impulse + 3 * (int64_t)k, dt, branch, stress);
  }
}

/* Adds what joints and bonds carry, times volume. */
static void joint_stress_add(const talus_world *world, double dt, double stress[9]) {
  double branch[3];
  for (int32_t i = 0; i < world->joint_count; i++) {
    const tl_joint *const joint = &world->joint[i];
    tl_joint_now now;
    if (!joint->exists) {
      continue;
    }
    tl_joint_place(world, joint, &now);
    tl_joint_branch(world, joint->def.body_a, joint->def.body_b, &now, branch);
    force_add(joint->push, dt, branch, stress);
  }
  for (int32_t i = 0; i < world->bond_count; i++) {
    const tl_bond *const bond = &world->bond[i];
    double impulse[3] = {0, 0, 0};
    tl_bond_now now;
    if (!bond->exists) {
      continue;
    }
    tl_bond_place(world, bond, &now);
    for (int r = 0; r < 3; r++) {
      tl_along3(impulse, impulse, bond->of.impulse[r], now.frame[r]);
    }
    tl_joint_branch(world, bond->body_a, bond->body_b, &now.place, branch);
    force_add(impulse, dt, branch, stress);
  }
}

/* Adds what bodies carry by their motion, times volume, the mean motion and their common drift left
 * out. */
static void motion_stress_add(const talus_world *world, const double *after, double stress[9]) {
  double centre[3], drift[3] = {0, 0, 0}, own[3];
  const double mass = tl_cell_centre(world, centre);
  for (int32_t i = 0; i < world->body_count; i++) {
    if (own_velocity(world, i, centre, after, own)) {
      tl_along3(drift, drift, world->body[i].mass / mass, own);
    }
  }
  for (int32_t i = 0; i < world->body_count; i++) {
    if (own_velocity(world, i, centre, after, own)) {
      tl_sub3(own, own, drift);
      for (int c = 0; c < 9; c++) {
        stress[c] += world->body[i].mass * own[c / 3] * own[c % 3];
      }
    }
  }
}

talus_status talus_world_stress(const talus_world *world, double stress[9]) {
  if (world == NULL || stress == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  if (world->cell.def.periodic == 0) {
    return tl_fail(world->context, TALUS_CALL_ORDER, "the world has no periodic cell");
  }
  memcpy(stress, world->cell.stress, 9 * sizeof *stress);
  return TALUS_OK;
}

void tl_cell_measure(talus_world *world, double dt, const double *after) {
  double *const stress = world->cell.stress;
  if (world->cell.def.periodic == 0) {
    return;
  }
  memset(stress, 0, 9 * sizeof *stress);
  contact_stress_add(world, dt, stress);
  joint_stress_add(world, dt, stress);
  motion_stress_add(world, after, stress);
  for (int i = 0; i < 9; i++) {
    stress[i] /= tl_cell_volume(&world->cell);
  }
}
