/* rows.c: contacts, and what acts along joints, as rows of a contact problem. */
#include <math.h>

#include "host/mechanism/coupling.h"

static void end_none(tl_coupling_row_end *end) {
  memset(end, 0, sizeof *end);
  end->mechanism = end->link = -1;
}

/* A force of `sign` along the direction at a point of the world. */
static void end_push(const talus_coupling *coupling, int32_t mechanism, int32_t link,
                     const double *point, const double *direction, double sign,
                     tl_coupling_row_end *end) {
  end_none(end);
  tl_copy3(end->point, point);
  if (link < 0) {
    return;
  }
  double arm[3];
  end->mechanism = mechanism;
  end->link = link;
  tl_sub3(arm, point, coupling->mechanism[mechanism]->state[link].origin);
  tl_scale3(end->wrench + 3, sign, direction);
  tl_add_cross3(end->wrench, arm, end->wrench + 3);
}

void tl_row_push(const talus_coupling *coupling, const int32_t side[4], const double *point_a,
                 const double *point_b, const double *direction, tl_coupling_row *row) {
  memset(row, 0, sizeof *row);
  row->joint_velocity = -1;
  row->lower = -INFINITY;
  row->upper = INFINITY;
  tl_copy3(row->direction, direction);
  end_push(coupling, side[0], side[1], point_a, direction, -1, &row->end[0]);
  end_push(coupling, side[2], side[3], point_b, direction, 1, &row->end[1]);
}

double tl_row_velocity(const talus_coupling *coupling, const tl_coupling_row *row) {
  double sum = 0;
  for (int e = 0; e < 2; e++) {
    const tl_coupling_row_end *const end = &row->end[e];
    if (end->link >= 0) {
      sum += tl_dot6(end->wrench, coupling->mechanism[end->mechanism]->state[end->link].velocity);
    }
  }
  return sum;
}

void tl_row_spread(const talus_coupling *coupling, const tl_coupling_row *row, double *line) {
  if (row->joint_velocity >= 0) { /* the ends would give the same, but for rounding */
    const tl_coupling_row_end *const end = &row->end[1];
    line[coupling->first_velocity[end->mechanism] + row->joint_velocity] += row->direction[0];
    return;
  }
  for (int e = 0; e < 2; e++) {
    const tl_coupling_row_end *const end = &row->end[e];
    if (end->link >= 0) {
      tl_mechanism_row(coupling->mechanism[end->mechanism], end->link, end->wrench,
                       line + coupling->first_velocity[end->mechanism]);
    }
  }
}

/* The acceleration along the row that velocities alone make, dJ/dt v: every link between the end
 * and the base adds its own, and the end's link swings the point about its origin. */
static double row_drift(const talus_coupling *coupling, const tl_coupling_row *row) {
  double sum = 0;
  for (int e = 0; e < 2; e++) {
    const tl_coupling_row_end *const end = &row->end[e];
    if (end->link < 0) {
      continue;
    }
    const talus_mechanism *const mechanism = coupling->mechanism[end->mechanism];
    const tl_link_state *const own = &mechanism->state[end->link];
    double motion[6] = {0}, swing[3] = {0}, part[6], arm[3];
    for (int32_t i = end->link; i >= 0; i = mechanism->link[i].parent) {
      tl_sub3(arm, own->origin, mechanism->state[i].origin);
      tl_motion_shift(part, mechanism->state[i].bias, arm);
      tl_add6(motion, 1, part);
    }
    tl_sub3(arm, end->point, own->origin);
    tl_add_cross3(swing, own->velocity, arm);
    tl_add_cross3(motion + 3, own->velocity, swing);
    sum += tl_dot6(end->wrench, motion);
  }
  return sum;
}

double tl_step_ahead(const talus_coupling *coupling) {
  return coupling->halfway ? 0.5 * coupling->def.step : coupling->def.step;
}

/* ---- contacts -------------------------------------------------------------------------------- */

static talus_status touch_check(const talus_coupling *coupling, const talus_touch *touch,
                                int32_t index) {
  talus_context *const context = coupling->context;
  const int32_t side[4] = {touch->mechanism_a, touch->link_a, touch->mechanism_b, touch->link_b};
  double sum = touch->gap + touch->friction + touch->restitution;
  for (int c = 0; c < 3; c++) {
    sum += touch->point[c] + touch->normal[c] + touch->tangent[c];
  }
  if (!isfinite(sum)) {
    return tl_fail(context, TALUS_NOT_FINITE, "touch[%d] holds a number that is not finite", index);
  }
  for (int s = 0; s < 4; s += 2) {
    if (side[s + 1] >= 0 && (side[s] < 0 || side[s] >= coupling->def.mechanism_count ||
                             side[s + 1] >= coupling->mechanism[side[s]]->link_count)) {
      return tl_fail(context, TALUS_INDEX_RANGE,
                     "touch[%d]: link %d of mechanism %d does not exist", index, side[s + 1],
                     side[s]);
    }
  }
  if (side[1] < 0 && side[3] < 0) {
    return tl_fail(context, TALUS_IMMOVABLE_PAIR, "touch[%d]: both sides are the ground", index);
  }
  if (!(fabs(tl_norm3(touch->normal) - 1) <= 1e-6)) {
    return tl_fail(context, TALUS_NORMAL_LENGTH, "touch[%d].normal has length %g, not 1", index,
                   tl_norm3(touch->normal));
  }
  if (touch->friction < 0) {
    return tl_fail(context, TALUS_NEGATIVE_FRICTION, "touch[%d].friction is %g", index,
                   touch->friction);
  }
  if (touch->restitution < 0 || touch->restitution > 1) {
    return tl_fail(context, TALUS_BAD_SETTING, "touch[%d].restitution is %g, not 0 .. 1", index,
                   touch->restitution);
  }
  return TALUS_OK;
}

/* Normal and two tangents; the first one may be the caller's. */
static talus_status frame_make(const talus_coupling *coupling, const talus_touch *touch,
                               int32_t index, double frame[3][3]) {
  const double given = tl_norm3(touch->tangent);
  tl_copy3(frame[0], touch->normal);
  tl_frame3(frame[0], frame[1], frame[2]);
  if (given == 0 && coupling->def.dimension != 2) {
    return TALUS_OK;
  }
  tl_along3(frame[1], touch->tangent, -tl_dot3(touch->tangent, frame[0]), frame[0]);
  const double size = tl_norm3(frame[1]);
  if (!(size > 1e-6 * given)) {
    return tl_fail(coupling->context, TALUS_NORMAL_LENGTH, "touch[%d].tangent is %s", index,
                   given > 0 ? "along the normal" : "zero: a contact of dimension 2 needs one");
  }
  tl_scale3(frame[1], 1 / size, frame[1]);
  tl_cross3(frame[2], frame[0], frame[1]);
  return TALUS_OK;
}

talus_status tl_rows_contact(const talus_coupling *coupling, const talus_touch *touch,
                             int32_t index, tl_coupling_row *row) {
  const talus_coupling_def *const def = &coupling->def;
  const int32_t side[4] = {touch->mechanism_a, touch->link_a, touch->mechanism_b, touch->link_b};
  double frame[3][3];
  TL_TRY(touch_check(coupling, touch, index));
  TL_TRY(frame_make(coupling, touch, index, frame));
  for (int r = 0; r < def->dimension; r++) {
    tl_row_push(coupling, side, touch->point, touch->point, frame[r], &row[r]);
  }
  const double speed = tl_row_velocity(coupling, row), ahead = tl_step_ahead(coupling);
  const bool strikes =
      touch->restitution > 0 && touch->gap + ahead * speed <= 0 && -speed > def->restitution_speed;
  row->friction = touch->friction;
  row->bias = fmax(touch->gap, def->gap_clamp) / ahead;
  if (strikes && def->restitution == TALUS_RESTITUTION_NEWTON) {
    row->bias = touch->restitution * speed;
  } else if (strikes) {
    row->rebound = touch->restitution;
    row->bias = 0;
  }
  for (int r = 0; r < def->dimension && def->drift; r++) {
    row[r].bias += ahead * row_drift(coupling, &row[r]);
  }
  return TALUS_OK;
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* Which rows a joint has per coordinate. */
static bool has_stop(double limit) {
  return isfinite(limit);
}

/* Whether limits are those of coordinates, which follow from velocities one by one. */
static bool is_plain(const tl_link *link) {
  return link->v_count == link->q_count;
}

static int32_t joint_row_count(const tl_link *link) {
  int32_t count = tl_rows_swing_count(link);
  for (int k = 0; k < link->v_count; k++) {
    count += (link->friction > 0) + (link->motor != TALUS_MOTOR_NONE);
    count += is_plain(link) ? has_stop(link->lower[k]) + has_stop(link->upper[k]) : 0;
  }
  return count;
}

/* A wrench that does work on one velocity of the joint only: S (S^T S)^-1 e_k, the units of lengths
 * left alone because a joint's columns are either turns or ways. */
static void joint_wrench(const talus_mechanism *mechanism, const tl_link *link, int k,
                         double *wrench) {
  const double *const axis = tl_axis_of(mechanism, link);
  const int n = link->v_count;
  double square[36] = {0}, inverse[36];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      square[i * n + j] = tl_dot6(axis + 6 * i, axis + 6 * j);
    }
  }
  memset(wrench, 0, 6 * sizeof *wrench);
  if (tl_spatial_invert(square, n, inverse)) {
    for (int j = 0; j < n; j++) {
      tl_add6(wrench, inverse[k * n + j], axis + 6 * j);
    }
  }
}

static void row_joint(const talus_coupling *coupling, int32_t m, int32_t i, int k, double sign,
                      tl_coupling_row *row) {
  const talus_mechanism *const mechanism = coupling->mechanism[m];
  const tl_link *const link = &mechanism->link[i];
  double wrench[6];
  memset(row, 0, sizeof *row);
  end_none(&row->end[0]);
  joint_wrench(mechanism, link, k, wrench);
  row->joint_velocity = link->first_v + k;
  row->of_joint = 1;
  row->direction[0] = sign;
  row->end[1].mechanism = m;
  row->end[1].link = i;
  tl_add6(row->end[1].wrench, sign, wrench);
  if (link->parent >= 0) {
    double moved[6];
    row->end[0].mechanism = m;
    row->end[0].link = link->parent;
    tl_wrench_shift(moved, wrench, mechanism->state[i].arm);
    tl_add6(row->end[0].wrench, -sign, moved);
  }
}

static double motor_rate(const tl_link *link, int k, const double *q, double step) {
  if (link->motor == TALUS_MOTOR_RATE) {
    return link->rate[k];
  }
  const double wanted = (link->target[k] - q[k]) / fmax(link->response, step);
  const double most = link->rate[k] > 0 ? link->rate[k] : INFINITY;
  return tl_clamp(wanted, -most, most);
}

double tl_stop_bias(const talus_coupling *coupling, double gap) {
  return (gap > 0 ? gap : coupling->def.correction * gap) / tl_step_ahead(coupling);
}

static int32_t joint_rows(const talus_coupling *coupling, int32_t m, int32_t i,
                          tl_coupling_row *row) {
  const tl_link *const link = &coupling->mechanism[m]->link[i];
  const double *const q = coupling->mechanism[m]->q + link->first_q;
  const double step = coupling->def.step;
  const tl_coupling_row *const start = row;
  for (int k = 0; k < link->v_count; k++) {
    if (link->friction > 0) {
      row_joint(coupling, m, i, k, 1, row);
      row->upper = link->friction * step;
      row->lower = -row->upper;
      row++;
    }
    if (link->motor != TALUS_MOTOR_NONE) {
      row_joint(coupling, m, i, k, 1, row);
      row->upper = link->effort * step;
      row->lower = -row->upper;
      row->bias = -motor_rate(link, k, q, step);
      row++;
    }
    for (int upper = 0; is_plain(link) && upper < 2; upper++) {
      const double limit = upper ? link->upper[k] : link->lower[k];
      if (has_stop(limit)) {
        row_joint(coupling, m, i, k, upper ? -1 : 1, row);
        row->upper = INFINITY;
        row->bias = tl_stop_bias(coupling, upper ? limit - q[k] : q[k] - limit);
        row++;
      }
    }
  }
  row += tl_rows_swing(coupling, m, i, row);
  return (int32_t)(row - start);
}

int32_t tl_rows_bilateral_count(const talus_coupling *coupling) {
  int32_t count = 0;
  for (int32_t i = 0; i < coupling->def.loop_count; i++) {
    count += coupling->loop[i].direction_count + coupling->loop[i].turn_count;
  }
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    for (int32_t i = 0; i < coupling->mechanism[m]->link_count; i++) {
      count += joint_row_count(&coupling->mechanism[m]->link[i]);
    }
  }
  return count;
}

void tl_rows_bilateral(const talus_coupling *coupling, tl_coupling_row *row) {
  for (int32_t i = 0; i < coupling->def.loop_count; i++) {
    row += tl_rows_loop(coupling, &coupling->loop[i], row);
  }
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    for (int32_t i = 0; i < coupling->mechanism[m]->link_count; i++) {
      row += joint_rows(coupling, m, i, row);
    }
  }
}
