/* cell_motion.c: edges move, by a rate or after a stress, and the bodies with them. */
#include <math.h>
#include <string.h>

#include "host/math/lattice.h"
#include "host/world/cell.h"

void tl_cell_move(talus_world *world, double dt) {
  double *const e = world->cell.def.edge;
  const double *const l = world->cell.def.rate;
  if (world->cell.def.periodic == 0) {
    return;
  }
  /* columns of H + dt L H */
  const double xz = l[TL_XX] * e[TL_XZ] + l[TL_XY] * e[TL_YZ] + l[TL_XZ] * e[TL_ZZ];
  const double yz = l[TL_YY] * e[TL_YZ] + l[TL_YZ] * e[TL_ZZ],
               xy = l[TL_XX] * e[TL_XY] + l[TL_XY] * e[TL_YY];
  e[TL_XX] += dt * l[TL_XX] * e[TL_XX];
  e[TL_XY] += dt * xy;
  e[TL_XZ] += dt * xz;
  e[TL_YZ] += dt * yz;
  e[TL_YY] += dt * l[TL_YY] * e[TL_YY];
  e[TL_ZZ] += dt * l[TL_ZZ] * e[TL_ZZ];
  for (int c = 0; c < 3; c++) {
    world->cell.strain[c] += dt * l[c];
    world->cell.strain[3 + c] += dt * l[3 + c];
  }
}

/* Edges that lean by more than half of the one below are replaced by others of the same lattice. */
static void lean_less(double *e) {
  const double yz = floor(e[TL_YZ] / e[TL_YY] + 0.5);
  e[TL_YZ] -= yz * e[TL_YY];
  e[TL_XZ] -= yz * e[TL_XY];
  e[TL_XZ] -= floor(e[TL_XZ] / e[TL_XX] + 0.5) * e[TL_XX];
  e[TL_XY] -= floor(e[TL_XY] / e[TL_XX] + 0.5) * e[TL_XX];
}

/* Whether nothing holds the free bodies anywhere, so that no place of the cell is at rest. */
static bool is_alone(const talus_world *world) {
  bool alone = world->cell.def.periodic == (world->def.plane ? 5u : 7u);
  for (int32_t i = 0; i < world->body_count && alone; i++) {
    alone = !world->body[i].exists || world->body[i].type == TALUS_BODY_FREE;
  }
  for (int32_t i = 0; i < world->joint_count && alone; i++) {
    const talus_joint_def *const def = &world->joint[i].def;
    alone = !world->joint[i].exists || (def->body_a >= 0 && def->body_b >= 0);
  }
  for (int32_t i = 0; i < world->bond_count && alone; i++) {
    const tl_bond *const bond = &world->bond[i];
    alone = !bond->exists || (bond->body_a >= 0 && bond->body_b >= 0);
  }
  return alone;
}

/* Gives all free bodies, of this mass, the same velocity. */
static void momentum_give(talus_world *world, const double *momentum, double mass) {
  for (int32_t i = 0; i < world->body_count; i++) {
    tl_body *const body = &world->body[i];
    if (body->exists && body->type == TALUS_BODY_FREE) {
      tl_along3(body->velocity, body->velocity, 1 / mass, momentum);
    }
  }
}

/* A body that comes back on the other side of a cell that deforms has another velocity, and moves
 * the centre of mass, about which the mean motion is. What it loses all get: so velocities beyond
 * the mean motion stay what they were, and the sample does not drift off. */
void tl_cell_wrap(talus_world *world) {
  tl_cell *const cell = &world->cell;
  if (cell->def.periodic == 0) {
    return;
  }
  lean_less(cell->def.edge);
  double taken[3] = {0, 0, 0}, mass = 0; /* momentum */
  for (int32_t i = 0; i < world->body_count; i++) {
    tl_body *const body = &world->body[i];
    double away[3], m[3], shift[3], drift[3];
    if (!body->exists || body->type != TALUS_BODY_FREE) {
      continue;
    }
    mass += body->mass;
    tl_sub3(away, body->position, cell->def.origin);
    tl_lattice_steps(cell->def.edge, cell->def.periodic, away, 0, m);
    if (m[0] != 0 || m[1] != 0 || m[2] != 0) {
      tl_lattice_point(cell->def.edge, m, shift);
      tl_lattice_point(cell->def.rate, shift, drift);
      tl_sub3(body->position, body->position, shift);
      tl_sub3(body->velocity, body->velocity, drift);
      tl_along3(taken, taken, body->mass, drift);
    }
  }
  if ((taken[0] != 0 || taken[1] != 0 || taken[2] != 0) && is_alone(world)) {
    momentum_give(world, taken, mass);
  }
}

double tl_cell_centre(const talus_world *world, double centre[3]) {
  double mass = 0;
  tl_set3(centre, 0, 0, 0);
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    if (body->exists && body->type == TALUS_BODY_FREE) {
      mass += body->mass;
      tl_along3(centre, centre, body->mass, body->position);
    }
  }
  tl_scale3(centre, mass > 0 ? 1 / mass : 0, centre);
  return mass;
}

void tl_cell_rate_set(talus_world *world, const double *rate) {
  double change[6], gain[3], away[3], centre[3];
  bool same = true;
  tl_cell_centre(world, centre);
  for (int c = 0; c < 6; c++) {
    change[c] = rate[c] - world->cell.def.rate[c];
    same = same && change[c] == 0;
    world->cell.def.rate[c] = rate[c];
  }
  for (int32_t i = 0; i < world->body_count && !same; i++) {
    tl_body *const body = &world->body[i];
    if (body->exists && body->type == TALUS_BODY_FREE) {
      tl_sub3(away, body->position, centre);
      tl_lattice_point(change, away, gain);
      tl_along3(body->velocity, body->velocity, 1, gain);
    }
  }
}

/* What a rate with a servo follows: the edge between the sides that move, where the stress is, in
 * nine numbers, and what the sides weigh, in masses of all grains. Grains are stiffer against
 * compression than against shear. */
static const struct {
  int edge, stress;
  double weight;
} follows[6] = {{TL_XX, 0, 4}, {TL_YY, 4, 4}, {TL_ZZ, 8, 4},
                {TL_YY, 1, 1}, {TL_ZZ, 2, 1}, {TL_ZZ, 5, 1}};

double tl_cell_restitution_speed(const talus_world *world) {
  const double least = world->def.restitution_speed, width = 2 * world->size;
  double mass = 0, stress = 0;
  int32_t count = 0;
  if (world->cell.def.servo == 0 || world->given.restitution_speed > 0) {
    return least;
  }
  for (int c = 0; c < 3; c++) {
    stress = fmax(stress, world->cell.def.servo >> c & 1 ? world->cell.def.stress[c] : 0);
  }
  for (int32_t i = 0; i < world->body_count; i++) {
    const bool grain = world->body[i].exists && world->body[i].type == TALUS_BODY_FREE;
    mass += grain ? world->body[i].mass : 0;
    count += grain;
  }
  const double force = stress * width * (world->def.plane ? 1 : width);
  return mass > 0 ? fmax(least, 2 * world->def.step * force * count / mass) : least;
}

void tl_cell_follow(talus_world *world, double dt) {
  /* the walls' weight keeps their oscillation against the grains' springs slower than a step; the
   * damping ends it, and leaves alone what lasts: a sample that steadily gives way is followed
   * without an error that stays */
  static const double DAMPING = 0.98, LASTING = 0.01;
  tl_cell *const cell = &world->cell;
  double centre[3];
  const double mass = cell->def.servo != 0 ? tl_cell_centre(world, centre) : 0;
  if (!(mass > 0)) {
    return;
  }
  double rate[6];
  memcpy(rate, cell->def.rate, sizeof rate);
  for (int c = 0; c < 6; c++) {
    if (cell->def.servo >> c & 1) {
      const double e = cell->def.edge[follows[c].edge], limit = cell->def.rate_limit;
      const double weight = follows[c].weight * mass;
      const double wanted = c < 3 ? cell->def.stress[c] : cell->def.shear_stress[c - 3];
      const double push = (cell->stress[follows[c].stress] - wanted) * tl_cell_volume(cell);
      const double mean = cell->mean_rate[c];
      const double next = mean + DAMPING * (rate[c] + dt * push / (weight * e * e) - mean);
      rate[c] = fmin(limit, fmax(-limit, next));
      cell->mean_rate[c] += LASTING * (rate[c] - mean);
    }
  }
  tl_cell_rate_set(world, rate);
}
