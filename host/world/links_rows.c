/* links_rows.c: stops, motors, friction and loops of mechanisms as rows of the world's problem.
 *
 * The rows are the coupling's; biases are the world's way: none within the slop of a stop, the rest
 * is the projection's. A loop is drawn back by a fifth of its error per step and projected when it
 * is open by more than a slop, so that a loop that merely moves needs no projection each step. */
#include <math.h>
#include <string.h>

#include "host/world/links.h"

static const double DRAW = 0.2;

int32_t tl_links_rows(const talus_world *world) {
  return world->coupling != NULL ? world->coupling->bilateral_count : 0;
}

talus_status tl_links_coupling(talus_world *world, double dt) {
  if (world->coupling != NULL) {
    for (int32_t m = 0; m < world->mechanism_count; m++) {
      tl_mechanism_place(world->mechanism[m].mechanism);
    }
    world->coupling->def.step = dt;
    tl_rows_bilateral(world->coupling, world->coupling->row);
  }
  return TALUS_OK;
}

/* Whether velocity k of a joint turns. */
static bool turns(const tl_link *link, int k) {
  return link->kind == TALUS_LINK_REVOLUTE || link->kind == TALUS_LINK_UNIVERSAL ||
         link->kind == TALUS_LINK_SPHERICAL || (link->kind == TALUS_LINK_PLANAR && k == 2);
}

static void loop_fill(const talus_world *world, double dt, double error, tl_joint_row *row) {
  row->error = error;
  row->bias = world->def.stabilisation != TALUS_STABILISE_NONE ? DRAW * error / dt : 0;
  row->needs_projection = fabs(error) > world->def.slop * world->size;
}

/* A motor that nothing stops must not fight the stops: there would be no solution. */
static bool endless(const tl_link *link) {
  return link->motor != TALUS_MOTOR_NONE && !isfinite(link->effort);
}

static void stop_fill(const talus_world *world, const tl_link *link, double slop, double dt,
                      double gap, tl_joint_row *row) {
  row->bias = gap > slop ? (gap - slop) / dt : 0;
  if (world->def.stabilisation == TALUS_STABILISE_BIAS) {
    row->bias = fmax(gap / dt, -world->def.bias_cap);
  }
  row->bias = endless(link) ? fmax(row->bias, 0) : row->bias;
  row->error = gap + 0.5 * slop;
  row->needs_projection = gap < -1.5 * slop;
}

/* One of any strength stops where the stops begin to act. */
static double rate_allowed(const tl_link *link, int k, double coordinate, double slop, double dt,
                           double rate) {
  if (endless(link) && link->kind != TALUS_LINK_SPHERICAL) { /* that has no limits then */
    rate = fmin(rate, fmax(0, (link->upper[k] - slop - coordinate) / dt));
    rate = fmax(rate, fmin(0, (link->lower[k] + slop - coordinate) / dt));
  }
  return rate;
}

static void joint_fill(const talus_world *world, double dt, const tl_coupling_row *from,
                       tl_joint_row *row) {
  const talus_mechanism *const mechanism = world->mechanism[from->end[1].mechanism].mechanism;
  const tl_link *const link = &mechanism->link[from->end[1].link];
  const int k = from->joint_velocity - link->first_v;
  const double slop = world->def.slop * (turns(link, k) ? 1 : world->size);
  if (from->lower == 0 && from->upper > 0) { /* motors and friction pull as well */
    stop_fill(world, link, slop, dt, from->bias * dt, row);
    return;
  }
  row->is_drive = 1;
  row->bias = from->bias == 0
                  ? 0
                  : -rate_allowed(link, k, mechanism->q[link->first_q + k], slop, dt, -from->bias);
}

talus_status tl_links_fill(talus_world *world, double dt, tl_joint_row *rows) {
  TL_TRY(tl_links_coupling(world, dt));
  for (int32_t i = 0; i < tl_links_rows(world); i++) {
    const tl_coupling_row *const from = &world->coupling->row[i];
    tl_joint_row *const row = &rows[i];
    memset(row, 0, sizeof *row);
    row->body_a = row->body_b = row->joint = row->bond = TALUS_NONE;
    row->row = i;
    row->lower = from->lower;
    row->upper = from->upper;
    if (from->of_joint) {
      joint_fill(world, dt, from, row);
    } else {
      loop_fill(world, dt, from->bias * dt, row);
    }
  }
  return TALUS_OK;
}
