/* step.c: free motion in time: explicit and semi-implicit Euler, Moreau's midpoint, Runge-Kutta of
 * fourth order.
 *
 * dq/dt = v but for quaternions, where dq/dt = 1/2 (0, w) q with w in the axes of the joint's
 * frame. The Euler schemes turn quaternions by an angle; Runge-Kutta treats them as four numbers
 * and brings them back to length one after the step. */
#include <math.h>

#include "host/math/rotation.h"
#include "host/mechanism/mechanism.h"

void tl_mechanism_normalise(talus_mechanism *mechanism) {
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    const tl_link *const link = &mechanism->link[i];
    double *const q = mechanism->q + link->first_q + link->q_count - 4;
    if (link->q_count > link->v_count) {
      const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      for (int k = 0; k < 4; k++) {
        q[k] /= length;
      }
    }
  }
}

void tl_mechanism_drift(talus_mechanism *mechanism, const double *velocity, double seconds) {
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    const tl_link *const link = &mechanism->link[i];
    const double *const v = velocity + link->first_v;
    double *const q = mechanism->q + link->first_q;
    const int turns = link->q_count > link->v_count ? 3 : 0, plain = link->v_count - turns;
    for (int k = 0; k < plain; k++) {
      q[k] += seconds * v[k];
    }
    if (turns > 0) {
      double angle[3];
      tl_scale3(angle, seconds, v + plain);
      tl_quaternion_turn(q + plain, angle);
    }
  }
  mechanism->placed = mechanism->articulated = 0;
}

/* dq/dt, then dv/dt, at the present state. */
static talus_status rates(talus_mechanism *mechanism, double *rate) {
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    const tl_link *const link = &mechanism->link[i];
    const double *const v = mechanism->v + link->first_v, *const q = mechanism->q + link->first_q;
    const int turns = link->q_count > link->v_count ? 3 : 0, plain = link->v_count - turns;
    double *const out = rate + link->first_q;
    memcpy(out, v, (size_t)plain * sizeof *out);
    if (turns > 0) {
      const double spin[4] = {0, 0.5 * v[plain], 0.5 * v[plain + 1], 0.5 * v[plain + 2]};
      tl_quaternion_times(spin, q + plain, out + plain);
    }
  }
  mechanism->placed = mechanism->articulated = 0;
  return talus_mechanism_accelerate(mechanism, mechanism->dynamics, rate + mechanism->q_count);
}

/* The state as one vector: q, then v; both lie in `saved` and in q, v. */
static void state_move(talus_mechanism *mechanism, const double *from, double s,
                       const double *rate) {
  for (int32_t i = 0; i < mechanism->q_count; i++) {
    mechanism->q[i] = from[i] + s * rate[i];
  }
  for (int32_t i = 0; i < mechanism->v_count; i++) {
    mechanism->v[i] = from[mechanism->q_count + i] + s * rate[mechanism->q_count + i];
  }
  mechanism->placed = mechanism->articulated = 0;
}

static talus_status runge_kutta(talus_mechanism *mechanism, const double *start, double *sum,
                                double *rate, double seconds) {
  static const double ahead[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const int32_t size = mechanism->q_count + mechanism->v_count;
  memset(sum, 0, (size_t)size * sizeof *sum);
  for (int stage = 0; stage < 4; stage++) {
    if (stage > 0) {
      state_move(mechanism, start, ahead[stage] * seconds, rate);
    }
    TL_TRY(rates(mechanism, rate));
    for (int32_t i = 0; i < size; i++) {
      sum[i] += weight[stage] * rate[i];
    }
  }
  state_move(mechanism, start, seconds, sum);
  tl_mechanism_normalise(mechanism);
  return TALUS_OK;
}

static talus_status euler(talus_mechanism *mechanism, talus_scheme scheme, const double *start,
                          double *rate, double seconds) {
  const int32_t n = mechanism->v_count;
  const bool midpoint = scheme == TALUS_SCHEME_MIDPOINT;
  if (midpoint) {
    tl_mechanism_drift(mechanism, mechanism->v, 0.5 * seconds);
  }
  TL_TRY(talus_mechanism_accelerate(mechanism, mechanism->dynamics, rate));
  for (int32_t i = 0; i < n; i++) {
    mechanism->v[i] += seconds * rate[i];
  }
  tl_mechanism_drift(
      mechanism, scheme == TALUS_SCHEME_EXPLICIT_EULER ? start + mechanism->q_count : mechanism->v,
      midpoint ? 0.5 * seconds : seconds);
  return TALUS_OK;
}

static talus_status state_check(const talus_mechanism *mechanism) {
  double sum = 0;
  for (int32_t i = 0; i < mechanism->q_count; i++) {
    sum += fabs(mechanism->q[i]);
  }
  for (int32_t i = 0; i < mechanism->v_count; i++) {
    sum += fabs(mechanism->v[i]);
  }
  if (!isfinite(sum)) {
    return tl_fail(mechanism->context, TALUS_NOT_FINITE,
                   "the step leaves the range of numbers; take a smaller one");
  }
  return TALUS_OK;
}

talus_status talus_mechanism_step(talus_mechanism *mechanism, talus_scheme scheme, double seconds) {
  if (mechanism == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  if (!isfinite(seconds) || (unsigned)scheme > TALUS_SCHEME_MIDPOINT) {
    return tl_fail(mechanism->context, TALUS_BAD_SETTING, "step: scheme %d or seconds %g",
                   (int)scheme, seconds);
  }
  const int32_t size = mechanism->q_count + mechanism->v_count;
  double *const start = mechanism->saved, *const sum = start + size, *const rate = sum + size;
  memcpy(start, mechanism->q, (size_t)mechanism->q_count * sizeof *start);
  memcpy(start + mechanism->q_count, mechanism->v, (size_t)mechanism->v_count * sizeof *start);
  talus_status status = scheme == TALUS_SCHEME_RUNGE_KUTTA
                            ? runge_kutta(mechanism, start, sum, rate, seconds)
                            : euler(mechanism, scheme, start, rate, seconds);
  if (status == TALUS_OK) {
    status = state_check(mechanism);
  }
  if (status != TALUS_OK) {
    state_move(mechanism, start, 0, start);
  }
  return status;
}
