/* contact.h: what one contact feels of the bodies, and what it does to them.
 *
 *   velocity   D_k V            from the bodies' records, blocks or the stored W x
 *   comply     D_k V + C y      where the contact gives way
 *   apply      V += M^-1 D_k^T d   for Gauss-Seidel, on bodies no other contact of the colour has
 *
 * `kind` and `rows` are constants at every call, so that each use compiles to one kind. */
#ifndef TL_ITEM_CONTACT_H
#define TL_ITEM_CONTACT_H

#include "kernels/item/view.h"

TL_ITEM tl_vec tl_record_linear(const tl_real *velocity, int32_t body) {
  const tl_quad r = tl_quad_load(velocity + (int64_t)TL_RECORD * body);
  return tl_vec_make(r.x, r.y, r.z);
}
TL_ITEM tl_vec tl_record_angular(const tl_real *velocity, int32_t body) {
  const tl_quad r = tl_quad_load(velocity + (int64_t)TL_RECORD * body + 4);
  return tl_vec_make(r.x, r.y, r.z);
}

/* Spheres: with arm_a = reach_a n and arm_b = -reach_b n,
 * u = v_b - v_a + n x (reach_a w_a + reach_b w_b). */
TL_ITEM tl_vec tl_contact_velocity_sphere(const tl_view *view, int32_t k, const tl_real *velocity) {
  const int32_t a = view->body_a[k], b = view->body_b[k];
  const tl_vec spin = tl_along(tl_times(view->reach_a[k], tl_record_angular(velocity, a)),
                               view->reach_b[k], tl_record_angular(velocity, b));
  const tl_vec slide = tl_sub(tl_record_linear(velocity, b), tl_record_linear(velocity, a));
  return tl_add(slide, tl_cross(tl_load(view->normal, k), spin));
}

TL_ITEM tl_vec tl_contact_velocity_arms(const tl_view *view, int32_t k, const tl_real *velocity) {
  const int32_t a = view->body_a[k], b = view->body_b[k];
  const tl_vec at_b = tl_add(tl_record_linear(velocity, b),
                             tl_cross(tl_record_angular(velocity, b), tl_load(view->arm_b, k)));
  const tl_vec at_a = tl_add(tl_record_linear(velocity, a),
                             tl_cross(tl_record_angular(velocity, a), tl_load(view->arm_a, k)));
  return tl_sub(at_b, at_a);
}

TL_ITEM tl_vec tl_contact_velocity_blocks(const tl_view *view, const int32_t rows, int32_t k,
                                          const tl_real *velocity) {
  tl_real u[3] = {0, 0, 0};
  const int32_t *first = view->entry_first + (k - view->shape.entry_base);
  for (int32_t e = first[0]; e < first[1]; e++) {
    const tl_entry entry = view->entry[e];
    for (int32_t row = 0; row < 3; row++) { /* unrolled, u stays in registers */
      if (row >= rows) {
        break;
      }
      const tl_real *jacobian = view->jacobian + entry.jacobian + (int64_t)row * entry.size;
      tl_real sum = 0;
      for (int32_t c = 0; c < entry.size; c++) {
        sum += jacobian[c] * velocity[entry.offset + c];
      }
      u[row] += sum;
    }
  }
  return tl_vec_make(u[0], u[1], u[2]);
}

/* Row block k of W times impulses. */
TL_ITEM tl_vec tl_contact_row(const tl_view *view, int32_t k, const tl_real *impulse) {
  tl_vec u = tl_vec_make(0, 0, 0);
  for (int64_t e = view->row_first[k]; e < view->row_first[k + 1]; e++) {
    const tl_real *w = view->value + 9 * e;
    const tl_vec x = tl_load(impulse, view->column[e]);
    u.x += w[0] * x.x + w[1] * x.y + w[2] * x.z;
    u.y += w[3] * x.x + w[4] * x.y + w[5] * x.z;
    u.z += w[6] * x.x + w[7] * x.y + w[8] * x.z;
  }
  return u;
}

/* D_k V, without q. */
TL_ITEM tl_vec tl_contact_velocity(const tl_view *view, const tl_range range, int32_t k,
                                   const tl_real *velocity) {
  switch (range.kind) {
  case TL_SPHERES:
    return tl_contact_velocity_sphere(view, k, velocity);
  case TL_ARMS:
    return tl_contact_velocity_arms(view, k, velocity);
  case TL_BLOCKS:
    return tl_contact_velocity_blocks(view, range.rows, k, velocity);
  default:
    return tl_load(velocity, k);
  }
}

TL_ITEM tl_vec tl_contact_free(const tl_view *view, int32_t k) {
  return tl_vec_make(view->free_x[k], view->free_y[k], view->free_z[k]);
}

/* The cone's axis: the world normal of rigid contacts, the first axis of a contact frame. */
TL_ITEM tl_vec tl_contact_axis(const tl_view *view, const int32_t kind, int32_t k) {
  if (kind == TL_SPHERES || kind == TL_ARMS) {
    return tl_load(view->normal, k);
  }
  return tl_vec_make(1, 0, 0);
}

/* relative + C y. C is the same in the world and in the contact frame. */
TL_ITEM tl_vec tl_contact_comply(const tl_view *view, const int32_t kind, int32_t k, tl_vec y,
                                 tl_vec relative) {
  const tl_vec n = tl_contact_axis(view, kind, k);
  const tl_real cn = view->compliance_n[k], ct = view->compliance_t[k];
  return tl_along(tl_along(relative, ct, y), (cn - ct) * tl_dot(n, y), n);
}

/* y = x + beta (x - x_previous) */
TL_ITEM tl_vec tl_contact_ahead(const tl_view *view, int32_t k, tl_real beta) {
  const tl_vec x = tl_load(view->x, k);
  return tl_along(x, beta, tl_sub(x, tl_load(view->x_previous, k)));
}

/* What the law sees of y, without q: D_k V + C y, `velocity` being V(y). Rows of a stored W hold C
 * themselves. */
TL_ITEM tl_vec tl_contact_relative(const tl_view *view, const tl_range range, int32_t k,
                                   const tl_real *velocity, tl_vec y) {
  const tl_vec relative = tl_contact_velocity(view, range, k, velocity);
  return range.kind != TL_MATRIX && view->shape.compliance_count > 0
             ? tl_contact_comply(view, range.kind, k, y, relative)
             : relative;
}

TL_ITEM void tl_record_push(tl_real *velocity, int32_t body, tl_real s, tl_vec linear, tl_real t,
                            tl_vec angular) {
  tl_real *r = velocity + (int64_t)TL_RECORD * body;
  const tl_quad v = tl_quad_load(r), w = tl_quad_load(r + 4);
  tl_quad_save(r, tl_along(tl_vec_make(v.x, v.y, v.z), s, linear), v.w);
  tl_quad_save(r + 4, tl_along(tl_vec_make(w.x, w.y, w.z), t, angular), w.w);
}

TL_ITEM void tl_contact_apply_sphere(const tl_view *view, int32_t k, tl_vec d, tl_real *velocity) {
  const int32_t a = view->body_a[k], b = view->body_b[k];
  const tl_vec moment = tl_cross(tl_load(view->normal, k), d);
  if (a < view->shape.rigid_count) {
    const tl_real *r = velocity + (int64_t)TL_RECORD * a;
    tl_record_push(velocity, a, -r[3], d, -(r[7] * view->reach_a[k]), moment);
  }
  if (b < view->shape.rigid_count) {
    const tl_real *r = velocity + (int64_t)TL_RECORD * b;
    tl_record_push(velocity, b, r[3], d, -(r[7] * view->reach_b[k]), moment);
  }
}

TL_ITEM void tl_contact_apply_arms(const tl_view *view, int32_t k, tl_vec d, tl_real *velocity) {
  const int32_t a = view->body_a[k], b = view->body_b[k];
  if (a < view->shape.rigid_count) {
    const tl_real *body = view->body + 16 * (int64_t)a;
    const tl_vec turn = tl_sym_times(body + 1, tl_cross(tl_load(view->arm_a, k), d));
    tl_record_push(velocity, a, -body[0], d, -1, turn);
  }
  if (b < view->shape.rigid_count) {
    const tl_real *body = view->body + 16 * (int64_t)b;
    const tl_vec turn = tl_sym_times(body + 1, tl_cross(tl_load(view->arm_b, k), d));
    tl_record_push(velocity, b, body[0], d, 1, turn);
  }
}

TL_ITEM void tl_contact_apply_blocks(const tl_view *view, const int32_t rows, int32_t k, tl_vec d,
                                     tl_real *velocity) {
  const tl_real part[3] = {d.x, d.y, d.z};
  const int32_t *first = view->entry_first + (k - view->shape.entry_base);
  for (int32_t e = first[0]; e < first[1]; e++) {
    const tl_entry entry = view->entry[e];
    for (int32_t row = 0; row < 3; row++) {
      if (row >= rows) {
        break;
      }
      const tl_real *response = view->response + entry.jacobian + (int64_t)row * entry.size;
      for (int32_t c = 0; c < entry.size; c++) {
        velocity[entry.offset + c] += response[c] * part[row];
      }
    }
  }
}

TL_ITEM void tl_contact_apply(const tl_view *view, const tl_range range, int32_t k, tl_vec d,
                              tl_real *velocity) {
  switch (range.kind) {
  case TL_SPHERES:
    tl_contact_apply_sphere(view, k, d, velocity);
    break;
  case TL_ARMS:
    tl_contact_apply_arms(view, k, d, velocity);
    break;
  case TL_BLOCKS:
    tl_contact_apply_blocks(view, range.rows, k, d, velocity);
    break;
  default: /* MATRIX keeps y itself: nothing to carry */
    break;
  }
}

#endif
