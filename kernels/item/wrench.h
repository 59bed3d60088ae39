/* wrench.h: a contact of six rows: a force, and a torque that resists spinning and rolling.
 *
 *   K = { |x_t| <= mu x_n,  |x_s| <= mu_s x_n,  |x_r| <= mu_r x_n }
 * x_s is the torque about the axis n, x_r the rest of it. The exact law sees
 * u_n + mu |u_t| + mu_s |w_s| + mu_r |w_r| in the place of u_n (Acary and Bourrier 2021), the
 * convex law u as it is. The projection is exact in a metric S with one number for each part.
 *
 * An elliptic cone, mu along d1 and rho mu along d2, is the circular one of x', x = T x' with
 * T = I - g g^T, g = sqrt(1 - rho) d2, where velocities are T u: all that is stored and measured is
 * of x' and T u, so that forces are squeezed on their way to the bodies and velocities on their way
 * back. */
#ifndef TL_ITEM_WRENCH_H
#define TL_ITEM_WRENCH_H

#include "kernels/item/contact.h"
#include "kernels/item/tangent.h"

typedef struct tl_wrench {
  tl_vec force, torque;
} tl_wrench;

/* One number for each part: of the cone (normal: unused) or of a metric. */
typedef struct tl_parts {
  tl_real normal, slide, spin, roll;
} tl_parts;

/* Where the torque of contact k stands. */
TL_ITEM int64_t tl_torque_place(const tl_view *view, int32_t k) {
  return (int64_t)view->shape.contact_count + k;
}

TL_ITEM tl_wrench tl_wrench_load(const tl_view *view, const tl_real *array, int32_t k) {
  tl_wrench x;
  x.force = tl_load(array, k);
  x.torque = tl_load(array, tl_torque_place(view, k));
  return x;
}

TL_ITEM void tl_wrench_save(const tl_view *view, tl_real *array, int32_t k, tl_wrench x) {
  tl_save(array, k, x.force);
  tl_save(array, tl_torque_place(view, k), x.torque);
}

TL_ITEM tl_wrench tl_wrench_along(tl_wrench a, tl_real s, tl_wrench b) {
  a.force = tl_along(a.force, s, b.force);
  a.torque = tl_along(a.torque, s, b.torque);
  return a;
}

TL_ITEM tl_wrench tl_wrench_sub(tl_wrench a, tl_wrench b) {
  return tl_wrench_along(a, -1, b);
}

TL_ITEM tl_parts tl_wrench_friction(const tl_view *view, int32_t k) {
  tl_parts mu;
  mu.normal = 0;
  mu.slide = view->friction[k];
  mu.spin = view->spin_friction[k];
  mu.roll = view->friction[tl_torque_place(view, k)];
  return mu;
}

/* The metric S of the gradient methods. */
TL_ITEM tl_parts tl_wrench_scale(const tl_view *view, int32_t k) {
  tl_parts s;
  s.normal = view->scale_n[k];
  s.slide = view->scale_t[k];
  s.spin = view->scale_n[tl_torque_place(view, k)];
  s.roll = view->scale_t[tl_torque_place(view, k)];
  return s;
}

/* One weight for the force and one for the torque. */
TL_ITEM tl_parts tl_parts_make(tl_real force, tl_real torque) {
  tl_parts s;
  s.normal = s.slide = force;
  s.spin = s.roll = torque;
  return s;
}

/* The metric in which one newton second counts as one: torques over the length that makes them
 * move the bodies as much. */
TL_ITEM tl_parts tl_wrench_plain(const tl_view *view, int32_t k) {
  return tl_parts_make(1, view->weight[tl_torque_place(view, k)] / view->weight[k]);
}

/* <d, e> in the metric s. */
TL_ITEM tl_real tl_wrench_metric(tl_wrench d, tl_wrench e, tl_vec n, tl_parts s) {
  return s.slide * tl_dot(d.force, e.force) +
         (s.normal - s.slide) * tl_dot(n, d.force) * tl_dot(n, e.force) +
         s.roll * tl_dot(d.torque, e.torque) +
         (s.spin - s.roll) * tl_dot(n, d.torque) * tl_dot(n, e.torque);
}

/* v with the part along n times `normal`, the rest times `other`. */
TL_ITEM tl_vec tl_stretch(tl_vec v, tl_vec n, tl_real normal, tl_real other) {
  return tl_along(tl_times(other, v), (normal - other) * tl_dot(n, v), n);
}

/* h S^-1 */
TL_ITEM tl_parts tl_parts_rate(tl_real h, tl_parts s) {
  s.normal = h / s.normal;
  s.slide = h / s.slide;
  s.spin = h / s.spin;
  s.roll = h / s.roll;
  return s;
}

/* y - rate u */
TL_ITEM tl_wrench tl_wrench_descend(tl_wrench y, tl_wrench u, tl_vec n, tl_parts rate) {
  y.force = tl_sub(y.force, tl_stretch(u.force, n, rate.normal, rate.slide));
  y.torque = tl_sub(y.torque, tl_stretch(u.torque, n, rate.spin, rate.roll));
  return y;
}

/* ---- the cone -------------------------------------------------------------------------------- */

/* One part's pull on x_n while its length m is beyond mu x. */
TL_ITEM void tl_wrench_pull(tl_real m, tl_real mu, tl_real s, tl_real x, tl_real *sum,
                            tl_real *scale) {
  const tl_real stick = m > mu * x ? s * mu : 0;
  *sum += stick * m;
  *scale += stick * mu;
}

/* What is left of a part of length m where at most `most` is allowed. */
TL_ITEM tl_real tl_wrench_keep(tl_real m, tl_real most) {
  return m > most ? most / m : 1;
}

/* The nearest point of K in the metric s. x_n solves
 *   s_n (x - z_n) = sum s_i mu_i max(0, m_i - mu_i x):
 * the right-hand side falls and is convex, so that Newton's steps from the left stay there, each
 * but the last drops a part, and three are enough. */
TL_ITEM tl_wrench tl_wrench_project(tl_wrench z, tl_vec n, tl_parts mu, tl_parts s) {
  const tl_real zn = tl_dot(n, z.force), zs = tl_dot(n, z.torque);
  const tl_vec t = tl_along(z.force, -zn, n), r = tl_along(z.torque, -zs, n);
  const tl_real slide = tl_sqrt(tl_dot(t, t)), spin = zs < 0 ? -zs : zs;
  const tl_real roll = tl_sqrt(tl_dot(r, r));
  tl_real x = zn > 0 ? zn : 0;
  if (zn > 0 && slide <= mu.slide * zn && spin <= mu.spin * zn && roll <= mu.roll * zn) {
    return z;
  }
  for (int round = 0; round < 3; round++) {
    tl_real sum = s.normal * zn, scale = s.normal;
    tl_wrench_pull(slide, mu.slide, s.slide, x, &sum, &scale);
    tl_wrench_pull(spin, mu.spin, s.spin, x, &sum, &scale);
    tl_wrench_pull(roll, mu.roll, s.roll, x, &sum, &scale);
    const tl_real next = sum / scale;
    if (!(next > x)) {
      break;
    }
    x = next;
  }
  tl_wrench p;
  if (!(x > 0)) {
    p.force = p.torque = tl_vec_make(0, 0, 0);
    return p;
  }
  p.force = tl_along(tl_times(x, n), tl_wrench_keep(slide, mu.slide * x), t);
  p.torque = tl_along(tl_times(tl_wrench_keep(spin, mu.spin * x) * zs, n),
                      tl_wrench_keep(roll, mu.roll * x), r);
  return p;
}

/* What the exact law adds to u_n. */
TL_ITEM tl_real tl_wrench_opening(tl_wrench u, tl_vec n, tl_parts mu) {
  const tl_real us = tl_dot(n, u.torque);
  const tl_vec t = tl_along(u.force, -tl_dot(n, u.force), n), r = tl_along(u.torque, -us, n);
  return mu.slide * tl_sqrt(tl_dot(t, t)) + mu.spin * (us < 0 ? -us : us) +
         mu.roll * tl_sqrt(tl_dot(r, r));
}

/* |x - P(x - S^-1 u)|^2 in the metric s, the law's term standing in u already. */
TL_ITEM tl_real tl_wrench_share(tl_wrench x, tl_wrench u, tl_vec n, tl_parts mu, tl_parts s) {
  const tl_wrench d = tl_wrench_sub(
      x, tl_wrench_project(tl_wrench_descend(x, u, n, tl_parts_rate(1, s)), n, mu, s));
  return tl_wrench_metric(d, d, n, s);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* T v of contact k: v where the cone is circular. */
TL_ITEM tl_vec tl_squeeze(const tl_view *view, int32_t k, tl_vec v) {
  if (!view->shape.elliptic) {
    return v;
  }
  const tl_vec g = tl_load(view->squeeze, k);
  return tl_along(v, -tl_dot(g, v), g);
}

/* Rows of one contact's blocks times velocities: `jacobian` of forces or of torques. */
TL_ITEM tl_vec tl_torque_blocks(const tl_view *view, int32_t k, const tl_real *velocity) {
  tl_real u[3] = {0, 0, 0};
  const int32_t *first = view->entry_first + (k - view->shape.entry_base);
  for (int32_t e = first[0]; e < first[1]; e++) {
    const tl_entry entry = view->entry[e];
    for (int32_t row = 0; row < 3; row++) {
      const tl_real *jacobian = view->torque_jacobian + entry.jacobian + (int64_t)row * entry.size;
      tl_real sum = 0;
      for (int32_t c = 0; c < entry.size; c++) {
        sum += jacobian[c] * velocity[entry.offset + c];
      }
      u[row] += sum;
    }
  }
  return tl_vec_make(u[0], u[1], u[2]);
}

/* D_k V, without q. */
TL_ITEM tl_wrench tl_wrench_velocity(const tl_view *view, const tl_range range, int32_t k,
                                     const tl_real *velocity) {
  tl_wrench u;
  u.force = tl_squeeze(view, k, tl_contact_velocity(view, range, k, velocity));
  u.torque = range.kind == TL_BLOCKS ? tl_torque_blocks(view, k, velocity)
                                     : tl_sub(tl_record_angular(velocity, view->body_b[k]),
                                              tl_record_angular(velocity, view->body_a[k]));
  return u;
}

/* The same with what compliance adds at y. */
TL_ITEM tl_wrench tl_wrench_relative(const tl_view *view, const tl_range range, int32_t k,
                                     const tl_real *velocity, tl_wrench y) {
  tl_wrench u = tl_wrench_velocity(view, range, k, velocity);
  if (view->shape.compliance_count > 0) {
    const tl_vec zero = tl_vec_make(0, 0, 0);
    const tl_vec yield = tl_contact_comply(view, range.kind, k, tl_squeeze(view, k, y.force), zero);
    u.force = tl_add(u.force, tl_squeeze(view, k, yield));
  }
  return u;
}

TL_ITEM tl_wrench tl_wrench_free(const tl_view *view, int32_t k) {
  const int64_t place = tl_torque_place(view, k);
  tl_wrench q;
  q.force = tl_contact_free(view, k);
  q.torque = tl_vec_make(view->free_x[place], view->free_y[place], view->free_z[place]);
  return q;
}

TL_ITEM void tl_torque_push(tl_real *velocity, int32_t body, tl_real s, tl_vec angular) {
  tl_real *r = velocity + (int64_t)TL_RECORD * body + 4;
  const tl_quad w = tl_quad_load(r);
  tl_quad_save(r, tl_along(tl_vec_make(w.x, w.y, w.z), s, angular), w.w);
}

/* V += M^-1 D_k^T d of the torque alone. */
TL_ITEM void tl_torque_apply(const tl_view *view, const int32_t kind, int32_t k, tl_vec d,
                             tl_real *velocity) {
  const int32_t body[2] = {view->body_a[k], view->body_b[k]};
  for (int side = 0; side < 2; side++) {
    if (body[side] >= view->shape.rigid_count) {
      continue;
    }
    const tl_real sign = (tl_real)(2 * side - 1);
    if (kind == TL_SPHERES) {
      tl_torque_push(velocity, body[side], sign * velocity[(int64_t)TL_RECORD * body[side] + 7], d);
    } else {
      const tl_real *mass = view->body + 16 * (int64_t)body[side];
      tl_torque_push(velocity, body[side], sign, tl_sym_times(mass + 1, d));
    }
  }
}

TL_ITEM void tl_torque_apply_blocks(const tl_view *view, int32_t k, tl_vec d, tl_real *velocity) {
  const tl_real part[3] = {d.x, d.y, d.z};
  const int32_t *first = view->entry_first + (k - view->shape.entry_base);
  for (int32_t e = first[0]; e < first[1]; e++) {
    const tl_entry entry = view->entry[e];
    for (int32_t row = 0; row < 3; row++) {
      const tl_real *response = view->torque_response + entry.jacobian + (int64_t)row * entry.size;
      for (int32_t c = 0; c < entry.size; c++) {
        velocity[entry.offset + c] += response[c] * part[row];
      }
    }
  }
}

TL_ITEM void tl_wrench_apply(const tl_view *view, const tl_range range, int32_t k, tl_wrench d,
                             tl_real *velocity) {
  tl_contact_apply(view, range, k, tl_squeeze(view, k, d.force), velocity);
  if (range.kind == TL_BLOCKS) {
    tl_torque_apply_blocks(view, k, d.torque, velocity);
  } else {
    tl_torque_apply(view, range.kind, k, d.torque, velocity);
  }
}

/* ---- W_kk ------------------------------------------------------------------------------------ */

/* W_kk d in the contact frame. */
TL_ITEM tl_wrench tl_wrench_delassus(const tl_view *view, int32_t k, tl_wrench d) {
  const int64_t place = tl_torque_place(view, k);
  const tl_vec own = tl_load(view->diagonal, k), mixed = tl_load(view->mixed, k);
  const tl_vec turn = tl_load(view->diagonal, place), twist = tl_load(view->mixed, place);
  const tl_real a[6] = {own.x, mixed.x, mixed.y, own.y, mixed.z, own.z};
  const tl_real b[6] = {turn.x, twist.x, twist.y, turn.y, twist.z, turn.z};
  const tl_real *c = view->coupling + 9 * (int64_t)k;
  tl_wrench u;
  u.force = tl_add(tl_sym_times(a, d.force),
                   tl_vec_make(c[0] * d.torque.x + c[1] * d.torque.y + c[2] * d.torque.z,
                               c[3] * d.torque.x + c[4] * d.torque.y + c[5] * d.torque.z,
                               c[6] * d.torque.x + c[7] * d.torque.y + c[8] * d.torque.z));
  u.torque = tl_add(tl_sym_times(b, d.torque),
                    tl_vec_make(c[0] * d.force.x + c[3] * d.force.y + c[6] * d.force.z,
                                c[1] * d.force.x + c[4] * d.force.y + c[7] * d.force.z,
                                c[2] * d.force.x + c[5] * d.force.y + c[8] * d.force.z));
  return u;
}

/* World vectors to the frame (n, t1, t2) and back. */
TL_ITEM tl_vec tl_to_frame(tl_vec v, tl_vec n, tl_vec t1, tl_vec t2) {
  return tl_vec_make(tl_dot(n, v), tl_dot(t1, v), tl_dot(t2, v));
}
TL_ITEM tl_vec tl_from_frame(tl_vec v, tl_vec n, tl_vec t1, tl_vec t2) {
  return tl_along(tl_along(tl_times(v.x, n), v.y, t1), v.z, t2);
}
TL_ITEM tl_wrench tl_wrench_to_frame(tl_wrench x, tl_vec n, tl_vec t1, tl_vec t2) {
  x.force = tl_to_frame(x.force, n, t1, t2);
  x.torque = tl_to_frame(x.torque, n, t1, t2);
  return x;
}
TL_ITEM tl_wrench tl_wrench_from_frame(tl_wrench x, tl_vec n, tl_vec t1, tl_vec t2) {
  x.force = tl_from_frame(x.force, n, t1, t2);
  x.torque = tl_from_frame(x.torque, n, t1, t2);
  return x;
}

#endif
