/* rigid.h: one body and one contact of form (a) as the caller gave them, and what becomes of them
 * in a tl_system: masses, W_kk and its scaling, the velocity without impulses. In double.
 *
 * The arrays are packed, in the memory of whoever computes: the same functions check and assemble
 * a problem on the host and on a device. */
#ifndef TL_ITEM_RIGID_H
#define TL_ITEM_RIGID_H

#include "kernels/data/system.h"
#include "kernels/item/cone.h"
#include "kernels/item/residual.h"
#include "kernels/item/symmetric.h"
#include "talus/talus_solve.h"

#if TL_REAL_IS_FLOAT
#error "problems are assembled in double"
#endif

/* The largest friction taken. Under the exact law R(0) goes with 1 / friction: beyond 1e13 it is
 * lost in rounding, and no impulses would pass for a solution. */
#define TL_FRICTION_MOST 1e6

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Positive semidefinite, as the six entries of a symmetric matrix. */
TL_ITEM int tl_rigid_inertia_good(const double *m) {
  const double size = fabs(m[0]) + fabs(m[3]) + fabs(m[5]);
  const double tiny = 1e-9 * size;
  const double minor = m[0] * m[3] - m[1] * m[1], minor2 = m[0] * m[5] - m[2] * m[2];
  const double minor3 = m[3] * m[5] - m[4] * m[4];
  const double all =
      m[0] * minor3 - m[1] * (m[1] * m[5] - m[4] * m[2]) + m[2] * (m[1] * m[4] - m[3] * m[2]);
  return m[0] >= 0 && m[3] >= 0 && m[5] >= 0 && minor >= -tiny * size && minor2 >= -tiny * size &&
         minor3 >= -tiny * size && all >= -tiny * size * size;
}

TL_ITEM int tl_rigid_moves(const talus_rigid *rigid, int32_t body) {
  if (body < 0) {
    return 0;
  }
  const double *const m = rigid->inverse_inertia + 6 * (int64_t)body;
  return rigid->inverse_mass[body] > 0 || m[0] > 0 || m[3] > 0 || m[5] > 0;
}

TL_ITEM int tl_rigid_isotropic(const double *m) {
  const double tiny = 1e-12 * m[0];
  return fabs(m[0] - m[3]) <= tiny && fabs(m[0] - m[5]) <= tiny && fabs(m[1]) <= tiny &&
         fabs(m[2]) <= tiny && fabs(m[4]) <= tiny;
}

/* The record of a body that moves: arrays.h. Inertia from its inverse as a pseudo-inverse: bodies
 * may be locked in some directions, and what cannot turn carries no energy. */
TL_ITEM void tl_rigid_body_fill(const talus_rigid *rigid, int32_t i, int32_t kind, double *body) {
  const double inverse = rigid->inverse_mass[i], mass = inverse > 0 ? 1 / inverse : 0;
  const double *const m = rigid->inverse_inertia + 6 * (int64_t)i;
  body[0] = inverse;
  if (kind == TL_SPHERES) {
    body[1] = m[0];
    body[2] = mass;
    body[3] = m[0] > 0 ? 1 / m[0] : 0;
    return;
  }
  double a[9] = {m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5]}, inertia[9], v[9];
  tl_symmetric_pseudo_invert(a, 3, inertia, v);
  const int place[6] = {0, 1, 2, 4, 5, 8};
  body[7] = mass;
  for (int c = 0; c < 6; c++) {
    body[1 + c] = m[c];
    body[8 + c] = inertia[place[c]];
  }
  body[14] = body[15] = 0;
}

/* ---- constraints of any kind ----------------------------------------------------------------- */

/* Larger eigenvalue of the tangential 2x2 part; symmetric part of w. */
TL_ITEM double tl_system_lipschitz(const double *w) {
  const double mean = 0.5 * (w[4] + w[8]), half = 0.5 * (w[4] - w[8]), off = 0.5 * (w[5] + w[7]);
  return mean + sqrt(half * half + off * off);
}

/* Weight and scaling of constraint `place`. Returns the weight; unless that is positive and finite
 * nothing is written. */
TL_ITEM double tl_system_weigh(const tl_system *system, int32_t place, double weight, double normal,
                               double tangential, double friction) {
  if (!(weight > 0) || !isfinite(weight)) {
    return weight;
  }
  /* a direction in which nothing moves must not stretch the step beyond reason */
  const double least = 1e-3 * weight;
  system->weight[place] = weight;
  system->scale_n[place] = normal > least ? normal : least;
  system->scale_t[place] = tangential > least ? tangential : least;
  system->friction[place] = friction;
  return weight;
}

/* The same from its W_kk in the contact frame (3x3, row-major). */
TL_ITEM double tl_system_scale(const tl_system *system, int32_t place, const double *w,
                               int32_t rows, int32_t bilateral, double friction) {
  const double weight = tl_system_weigh(system, place, (w[0] + w[4] + w[8]) / rows, w[0],
                                        rows > 1 ? tl_system_lipschitz(w) : w[0],
                                        bilateral || rows == 1 ? 0 : friction);
  if (weight > 0 && isfinite(weight) && system->diagonal != NULL) {
    double *const own = system->diagonal + 3 * (int64_t)place;
    double *const mixed = system->mixed + 3 * (int64_t)place;
    own[0] = w[0];
    own[1] = w[4];
    own[2] = w[8];
    mixed[0] = 0.5 * (w[1] + w[3]);
    mixed[1] = 0.5 * (w[2] + w[6]);
    mixed[2] = 0.5 * (w[5] + w[7]);
  }
  return weight;
}

/* Velocity without impulses of constraint `place`, which has been scaled; sizes: the absolute sum
 * of the terms it was computed from. Returns what that adds to the rounding. */
TL_ITEM double tl_system_free(const tl_system *system, int32_t place, const double *u,
                              const double *sizes) {
  system->free_x[place] = u[0];
  system->free_y[place] = u[1];
  system->free_z[place] = u[2];
  const double inverse = 1 / sqrt(system->weight[place]);
  double square = 0;
  for (int c = 0; c < 3; c++) {
    const double size = sizes[c] * inverse;
    square += size * size;
  }
  return square;
}

/* Share of constraint k in R(0)^2; n: the cone's axis. */
TL_ITEM double tl_system_reference(const tl_system *system, int32_t k, tl_vec n, int coulomb) {
  const double w = system->weight[k], mu = system->friction[k];
  tl_vec u = tl_vec_make(system->free_x[k], system->free_y[k], system->free_z[k]);
  const double un = tl_dot(n, u);
  u = mu > 0 ? u : tl_times(un, n);
  const tl_vec t = tl_along(u, -un, n);
  u = coulomb ? tl_along(u, mu * sqrt(tl_dot(t, t)), n) : u;
  return tl_residual_share(tl_vec_make(0, 0, 0), u, n, mu, w);
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* Adds v to u and its absolute values to sizes. */
TL_ITEM void tl_rigid_velocity_add(tl_vec v, double *u, double *sizes) {
  const double part[3] = {v.x, v.y, v.z};
  for (int c = 0; c < 3; c++) {
    u[c] += part[c];
    sizes[c] += fabs(part[c]);
  }
}

/* Adds side * (v + w x arm) of a caller's body. */
TL_ITEM void tl_rigid_point_add(const talus_rigid *rigid, int32_t body, tl_vec arm, double side,
                                double *u, double *sizes) {
  if (body >= 0) {
    const double *const v = rigid->velocity + 6 * (int64_t)body;
    tl_rigid_velocity_add(tl_times(side, tl_vec_make(v[0], v[1], v[2])), u, sizes);
    tl_rigid_velocity_add(tl_times(side, tl_cross(tl_vec_make(v[3], v[4], v[5]), arm)), u, sizes);
  }
}

/* Adds the share of a body that moves to W_kk in the frame (n, t1, t2). */
TL_ITEM void tl_rigid_diagonal_add(const talus_rigid *rigid, int32_t body, tl_vec arm,
                                   const tl_vec *axis, double *w) {
  const double *const inertia = rigid->inverse_inertia + 6 * (int64_t)body;
  const tl_vec lever[3] = {tl_cross(arm, axis[0]), tl_cross(arm, axis[1]), tl_cross(arm, axis[2])};
  for (int i = 0; i < 3; i++) {
    const tl_vec turn = tl_sym_times(inertia, lever[i]);
    for (int j = 0; j < 3; j++) {
      w[3 * i + j] += tl_dot(turn, lever[j]);
    }
    w[3 * i + i] += rigid->inverse_mass[body];
  }
}

/* W_kk of two bodies of any inertia, and the scaling that follows from it. */
TL_ITEM double tl_rigid_arms_scale(const talus_rigid *rigid, const int32_t *moving,
                                   const tl_vec *arm, tl_vec n, const tl_system *system,
                                   int32_t place, double friction) {
  tl_vec axis[3];
  axis[0] = n;
  tl_tangents(n, &axis[1], &axis[2]);
  double w[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  for (int side = 0; side < 2; side++) {
    if (moving[side] >= 0) {
      tl_rigid_diagonal_add(rigid, moving[side], arm[side], axis, w);
    }
  }
  return tl_system_scale(system, place, w, 3, 0, friction);
}

/* The same of two spheres, by their records (internal bodies, -1 for what does not move): W_kk is
 * diag(1/m, 1/m + r^2/I, the same), summed. */
TL_ITEM double tl_rigid_spheres_scale(const int32_t *internal, const double *reach,
                                      const tl_system *system, int32_t place, double friction) {
  double normal = 0, turn = 0;
  for (int side = 0; side < 2; side++) {
    if (internal[side] >= 0) {
      const double *const body = system->body + 4 * (int64_t)internal[side];
      normal += body[0];
      turn += reach[side] * reach[side] * body[1];
    }
  }
  return tl_system_weigh(system, place, normal + 2 * turn / 3, normal, normal + turn, friction);
}

/* Contact k of the caller's at `place` of the system; number[i]: the internal body of body i, or -1
 * if it does not move; the bodies' records are filled. Returns the weight, as tl_system_scale;
 * *square is what the contact adds to the rounding. */
TL_ITEM double tl_rigid_contact_fill(const talus_rigid *rigid, const double *friction,
                                     const int32_t *number, const tl_system *system, int32_t place,
                                     int32_t k, double *square) {
  const int32_t null_body = system->shape.rigid_count;
  const int32_t body_a = rigid->body_a[k], body_b = rigid->body_b[k];
  const int32_t a = body_a >= 0 ? number[body_a] : -1, b = body_b >= 0 ? number[body_b] : -1;
  const tl_vec n = tl_load(rigid->normal, k);
  const int reaches = rigid->reach_a != NULL;
  const tl_vec arm_a = reaches ? tl_times(rigid->reach_a[k], n) : tl_load(rigid->arm_a, k);
  const tl_vec arm_b = reaches ? tl_times(-rigid->reach_b[k], n) : tl_load(rigid->arm_b, k);
  system->body_a[place] = a >= 0 ? a : null_body;
  system->body_b[place] = b >= 0 ? b : null_body;
  tl_save(system->normal, place, n);
  const double mu = friction != NULL ? friction[k] : 0;
  double weight;
  if (system->shape.body_kind == TL_SPHERES) {
    const double reach[2] = {rigid->reach_a[k], rigid->reach_b[k]};
    system->reach_a[place] = reach[0];
    system->reach_b[place] = reach[1];
    const int32_t internal[2] = {a, b};
    weight = tl_rigid_spheres_scale(internal, reach, system, place, mu);
  } else {
    const tl_vec arm[2] = {arm_a, arm_b};
    const int32_t moving[2] = {a >= 0 ? body_a : -1, b >= 0 ? body_b : -1};
    tl_save(system->arm_a, place, arm_a);
    tl_save(system->arm_b, place, arm_b);
    weight = tl_rigid_arms_scale(rigid, moving, arm, n, system, place, mu);
  }
  if (!(weight > 0) || !isfinite(weight)) {
    return weight;
  }
  double u[3] = {0, 0, 0}, sizes[3] = {0, 0, 0};
  if (rigid->bias != NULL) {
    tl_rigid_velocity_add(tl_times(rigid->bias[k], n), u, sizes);
  }
  if (rigid->surface_velocity != NULL) {
    tl_rigid_velocity_add(tl_load(rigid->surface_velocity, k), u, sizes);
  }
  tl_rigid_point_add(rigid, body_b, arm_b, 1, u, sizes);
  tl_rigid_point_add(rigid, body_a, arm_a, -1, u, sizes);
  *square = tl_system_free(system, place, u, sizes);
  return weight;
}

/* The normal's length is one. */
TL_ITEM int tl_rigid_unit(double length) {
  return !(fabs(length - 1) > 1e-6);
}

/* The mean of binary exponents, rounded down on either side of 0 (other units must move it by a
 * whole number), and so near to 0 that units made of two of them are finite numbers. */
TL_ITEM int tl_rigid_exponent(long long sum, long long count) {
  const long long mean = count > 0 ? sum / count - (sum % count < 0) : 0;
  return (int)(mean < -500 ? -500 : mean > 500 ? 500 : mean);
}

#endif
