/* articulated.c: the articulated-body algorithm, O(links).
 *
 * From the leaves to the base each link's inertia IA takes in what its children resist; with
 * U = IA S and D = S^T U a joint gives way by D^-1 (u - U^T A'). The factors depend on coordinates
 * alone; a sweep of forces through them is linear, so that M^-1 J^T f costs one sweep as well. */
#include "host/mechanism/mechanism.h"

/* U and D^-1 of a joint; 0 if D is not positive definite. */
static int joint_factor(talus_mechanism *mechanism, int32_t i) {
  const tl_link *const link = &mechanism->link[i];
  const double *const axis = tl_axis_of(mechanism, link);
  double *const effect = mechanism->effect + 6 * link->first_v;
  double pivot[36];
  const int n = link->v_count;
  for (int k = 0; k < n; k++) {
    tl_times6(effect + 6 * k, mechanism->body_inertia + 36 * i, axis + 6 * k);
  }
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < n; j++) {
      pivot[k * n + j] = tl_dot6(axis + 6 * k, effect + 6 * j);
    }
  }
  return tl_spatial_invert(pivot, n, mechanism->pivot + link->first_d);
}

/* The articulated inertia that a link adds to its parent's: IA - U D^-1 U^T. */
static void joint_pass(talus_mechanism *mechanism, int32_t i) {
  const tl_link *const link = &mechanism->link[i];
  const double *const effect = mechanism->effect + 6 * link->first_v;
  const double *const pivot = mechanism->pivot + link->first_d;
  double left[36];
  memcpy(left, mechanism->body_inertia + 36 * i, sizeof left);
  for (int k = 0; k < link->v_count; k++) {
    double weighted[6] = {0, 0, 0, 0, 0, 0};
    for (int j = 0; j < link->v_count; j++) {
      tl_add6(weighted, pivot[k * link->v_count + j], effect + 6 * j);
    }
    for (int r = 0; r < 6; r++) {
      tl_add6(left + 6 * r, -effect[6 * k + r], weighted);
    }
  }
  tl_inertia_add_shifted(mechanism->body_inertia + 36 * link->parent, left,
                         mechanism->state[i].arm);
}

talus_status tl_mechanism_factor(talus_mechanism *mechanism) {
  tl_mechanism_place(mechanism);
  if (mechanism->articulated) {
    return TALUS_OK;
  }
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    memcpy(mechanism->body_inertia + 36 * i, mechanism->state[i].inertia, 36 * sizeof(double));
  }
  for (int32_t k = mechanism->link_count - 1; k >= 0; k--) {
    const int32_t i = mechanism->order[k];
    char text[64];
    if (!joint_factor(mechanism, i)) {
      return tl_fail(mechanism->context, TALUS_NEGATIVE_MASS,
                     "%s: the inertia behind it cannot be factored; look at the masses and at "
                     "coordinates that overflow",
                     tl_joint_text(mechanism->link[i].name, i, text));
    }
    if (mechanism->link[i].parent >= 0) {
      joint_pass(mechanism, i);
    }
  }
  mechanism->articulated = 1;
  return TALUS_OK;
}

/* u = force - S^T p; the parent gets p + Ia bias + U D^-1 u. */
static void sweep_in(talus_mechanism *mechanism, int32_t i, const double *force, int with_bias) {
  const tl_link *const link = &mechanism->link[i];
  const double *const axis = tl_axis_of(mechanism, link);
  const double *const effect = mechanism->effect + 6 * link->first_v;
  const double *const pivot = mechanism->pivot + link->first_d;
  const double *const bias = mechanism->state[i].bias;
  double *const p = mechanism->wrench + 6 * i;
  double *const u = mechanism->reduced + link->first_v;
  double gives[6];
  const int n = link->v_count;
  for (int k = 0; k < n; k++) {
    u[k] = (force != NULL ? force[link->first_v + k] : 0) - tl_dot6(axis + 6 * k, p);
    gives[k] = u[k] - (with_bias ? tl_dot6(effect + 6 * k, bias) : 0);
  }
  if (link->parent < 0) {
    return;
  }
  double passed[6];
  if (with_bias) {
    tl_times6(passed, mechanism->body_inertia + 36 * i, bias);
    tl_add6(passed, 1, p);
  } else {
    memcpy(passed, p, sizeof passed);
  }
  for (int k = 0; k < n; k++) {
    double weight = 0;
    for (int j = 0; j < n; j++) {
      weight += pivot[k * n + j] * gives[j];
    }
    tl_add6(passed, weight, effect + 6 * k);
  }
  tl_wrench_shift(passed, passed, mechanism->state[i].arm);
  tl_add6(mechanism->wrench + 6 * link->parent, 1, passed);
}

static void sweep_out(talus_mechanism *mechanism, int32_t i, const double *base, int with_bias,
                      double *acceleration) {
  const tl_link *const link = &mechanism->link[i];
  const double *const effect = mechanism->effect + 6 * link->first_v;
  const double *const pivot = mechanism->pivot + link->first_d;
  double *const motion = mechanism->motion + 6 * i;
  double rest[6];
  const int n = link->v_count;
  tl_motion_shift(motion, tl_motion_of(mechanism, link->parent, base), mechanism->state[i].arm);
  if (with_bias) {
    tl_add6(motion, 1, mechanism->state[i].bias);
  }
  for (int k = 0; k < n; k++) {
    rest[k] = mechanism->reduced[link->first_v + k] - tl_dot6(effect + 6 * k, motion);
  }
  for (int k = 0; k < n; k++) {
    double way = 0;
    for (int j = 0; j < n; j++) {
      way += pivot[k * n + j] * rest[j];
    }
    acceleration[link->first_v + k] = way;
    tl_add6(motion, way, tl_axis_of(mechanism, link) + 6 * k);
  }
}

void tl_mechanism_sweep(talus_mechanism *mechanism, const double *force, const double *wrench,
                        int with_bias, double *acceleration) {
  const double *const g = mechanism->gravity;
  /* a base that accelerates upwards does what gravity does */
  const double base[6] = {
      0, 0, 0, with_bias ? -g[0] : 0, with_bias ? -g[1] : 0, with_bias ? -g[2] : 0};
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    double *const p = mechanism->wrench + 6 * i;
    for (int c = 0; c < 6; c++) {
      p[c] = (with_bias ? mechanism->state[i].wrench_bias[c] : 0) -
             (wrench != NULL ? wrench[6 * i + c] : 0);
    }
  }
  for (int32_t k = mechanism->link_count - 1; k >= 0; k--) {
    sweep_in(mechanism, mechanism->order[k], force, with_bias);
  }
  for (int32_t k = 0; k < mechanism->link_count; k++) {
    sweep_out(mechanism, mechanism->order[k], base, with_bias, acceleration);
  }
}
