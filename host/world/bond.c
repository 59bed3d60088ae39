/* bond.c: bonds as six bilateral rows with compliance; loads; what breaks.
 *
 * A bond has no memory: its forces follow from where its bodies are. With e the way by which b has
 * left its place relative to a along a row, K the row's stiffness and d the damping time, the force
 * at the end of the step is x/dt = -K (e + dt u) - K d u, so that
 *   u + e/(dt + d) + C x = 0,   C = 1/(K dt (dt + d))
 * which is stable for any K and damps what the step does not resolve. The frame of the rows goes
 * with the bodies, halfway between them; both are pushed along one line at the point of b, so that
 * momenta are kept. Midway along a beam its stiffness is diagonal in these six (the off-diagonal
 * terms of the element at its nodes come from the arms): a chain of bonds is exact at its nodes.
 * Rejected: increments added up along a turning frame, which drift, and need a state. */
#include "host/world/bond.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

int32_t tl_bond_rows(const talus_world *world) {
  return TL_BOND_ROWS * (world->bond_count - world->bond_gaps);
}

/* Axis halfway between what a and b carry; the side as a carries it, made square to it. */
static void frame_find(const tl_bond_numbers *of, const double *ra, const double *rb,
                       double frame[3][3]) {
  double axis_a[3], axis_b[3], side[3];
  tl_turn3(axis_a, ra, of->axis_a);
  tl_turn3(axis_b, rb, of->axis_b);
  tl_turn3(side, ra, of->side_a);
  tl_along3(frame[0], axis_a, 1, axis_b);
  double length = tl_norm3(frame[0]);
  if (!(length > 1e-6)) { /* turned over: a's axis is as good */
    memcpy(frame[0], axis_a, sizeof axis_a);
    length = 1;
  }
  tl_scale3(frame[0], 1 / length, frame[0]);
  tl_along3(frame[1], side, -tl_dot3(side, frame[0]), frame[0]);
  length = tl_norm3(frame[1]);
  if (!(length > 1e-6)) {
    tl_joint_across(frame[0], frame + 1);
    return;
  }
  tl_scale3(frame[1], 1 / length, frame[1]);
  tl_cross3(frame[2], frame[0], frame[1]);
}

void tl_bond_place(const talus_world *world, const tl_bond *bond, tl_bond_now *now) {
  static const double origin[3] = {0, 0, 0};
  const int32_t body[2] = {bond->body_a, bond->body_b};
  double q[2][4], r[2][9], turn[3], *const arm[2] = {now->place.arm_a, now->place.arm_b};
  const double *at[2];
  for (int side = 0; side < 2; side++) {
    at[side] = body[side] >= 0 ? world->body[body[side]].position : origin;
    tl_joint_orientation(world, body[side], q[side]);
    tl_quaternion_matrix(q[side], r[side]);
    tl_turn3(arm[side], r[side], side ? bond->of.arm_b : bond->of.arm_a);
  }
  for (int c = 0; c < 3; c++) {
    now->place.apart[c] = at[1][c] + arm[1][c] - at[0][c] - arm[0][c];
  }
  tl_joint_image(&world->cell, &now->place);
  frame_find(&bond->of, r[0], r[1], now->frame);
  tl_joint_turn(q[0], bond->of.relative, q[1], turn);
  for (int i = 0; i < 3; i++) {
    now->error[i] = tl_dot3(now->frame[i], now->place.apart);
    now->error[3 + i] = tl_dot3(now->frame[i], turn);
  }
}

/* One row along or about a direction of the frame; false: nothing holds along it. */
static bool row_fill(const talus_world *world, const tl_bond *bond, const tl_bond_now *now, int r,
                     double dt, tl_joint_row *row) {
  const tl_bond_numbers *const of = &bond->of;
  const double stiffness[TL_BOND_ROWS] = {of->normal,   of->shear,   of->shear,
                                          of->twisting, of->bending, of->bending};
  if (!(stiffness[r] > 0)) {
    return false;
  }
  if (r < 3) {
    tl_joint_row_point(&now->place, now->frame[r], row);
  } else {
    tl_joint_row_turn(now->frame[r - 3], row);
  }
  const double lag = dt + of->damping;
  const double unit = r < 3 ? 1 : of->radius; /* turns in m/s, at the edge of the section */
  for (int c = 0; c < 12; c++) {
    row->jacobian[c] *= unit;
  }
  row->bias = unit * (now->error[r] / lag + row->drift);
  row->compliance = unit * unit / (stiffness[r] * dt * lag);
  row->body_a = bond->body_a;
  row->body_b = bond->body_b;
  row->joint = TALUS_NONE;
  row->bond = (int32_t)(bond - world->bond);
  row->row = r;
  return tl_joint_row_acts(world, row);
}

int32_t tl_bond_fill(const talus_world *world, double dt, tl_joint_row *rows) {
  int32_t count = 0;
  for (int32_t i = 0; i < world->bond_count; i++) {
    if (!world->bond[i].exists) {
      continue;
    }
    tl_bond_now now;
    tl_bond_place(world, &world->bond[i], &now);
    for (int r = 0; r < TL_BOND_ROWS; r++) {
      count += row_fill(world, &world->bond[i], &now, r, dt, &rows[count]);
    }
  }
  return count;
}

tl_bond_load tl_bond_load_of(const tl_bond *bond, double dt) {
  const tl_bond_numbers *const of = &bond->of;
  const double *const x = of->impulse, r = of->radius, area = PI * r * r;
  tl_bond_load load = {.mode = TALUS_BOND_TENSION};
  load.load[TALUS_BOND_TENSION] = -x[0] / dt;
  load.load[TALUS_BOND_SHEAR] = sqrt(x[1] * x[1] + x[2] * x[2]) / dt;
  load.load[TALUS_BOND_TWISTING] = r * fabs(x[3]) / dt;
  load.load[TALUS_BOND_BENDING] = r * sqrt(x[4] * x[4] + x[5] * x[5]) / dt;
  /* r/I and r/J over the area: 4/r and 2/r */
  const double stress[4] = {
      load.load[TALUS_BOND_TENSION] / area, load.load[TALUS_BOND_BENDING] * 4 / (area * r),
      load.load[TALUS_BOND_SHEAR] / area, load.load[TALUS_BOND_TWISTING] * 2 / (area * r)};
  for (int i = 0; i < 4; i++) {
    const int other = i ^ 1, kind = i / 2; /* tension with bending, shear with twisting */
    const bool larger = stress[i] >= stress[other];
    const double share = fmax(larger ? (stress[i] + stress[other]) / of->strength[kind] : 0,
                              load.load[i] / of->limit[i]);
    if (share > load.share) {
      load.share = share;
      load.mode = (talus_bond_mode)i;
    }
  }
  return load;
}

talus_bond tl_bond_shown(const talus_world *world, const tl_bond *bond, double dt) {
  const tl_bond_load load = tl_bond_load_of(bond, dt);
  tl_bond_now now;
  tl_bond_place(world, bond, &now);
  talus_bond shown = {.id = bond->id,
                      .body_a = bond->body_a >= 0 ? world->body[bond->body_a].id : TALUS_NONE,
                      .body_b = bond->body_b >= 0 ? world->body[bond->body_b].id : TALUS_NONE,
                      .radius = bond->of.radius,
                      .normal = load.load[TALUS_BOND_TENSION],
                      .shear = load.load[TALUS_BOND_SHEAR],
                      .bending = load.load[TALUS_BOND_BENDING],
                      .twisting = load.load[TALUS_BOND_TWISTING],
                      .load = load.share};
  memcpy(shown.axis, now.frame[0], sizeof shown.axis);
  memcpy(shown.point, now.place.arm_b, sizeof shown.point);
  if (bond->body_b >= 0) {
    tl_along3(shown.point, shown.point, 1, world->body[bond->body_b].position);
  }
  return shown;
}

talus_status tl_bonds_break(talus_world *world, double dt) {
  for (int32_t i = 0; i < world->bond_count; i++) {
    tl_bond *const bond = &world->bond[i];
    const tl_bond_load load = tl_bond_load_of(bond, dt);
    if (!bond->exists || !(load.share > 1)) {
      continue;
    }
    TL_TRY(tl_world_grow(world, (void **)&world->broken, &world->broken_capacity,
                         world->broken_count + 1, sizeof *world->broken, "broken bonds"));
    world->broken[world->broken_count++] =
        (talus_broken_bond){.time = world->time + dt,
                            .bond = tl_bond_shown(world, bond, dt),
                            .mode = (int32_t)load.mode};
    bond->exists = 0;
    world->bond_gaps++;
    world->bonds_changed = true;
  }
  return TALUS_OK;
}
