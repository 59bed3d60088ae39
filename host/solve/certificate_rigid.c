/* certificate_rigid.c: facts of form (a), rigid bodies: plain products over the caller's arrays. */
#include <math.h>
#include <string.h>

#include "host/problem/problem_check.h"
#include "host/solve/certificate.h"

static void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static void inertia_times(const double *m, const double *v, double *r) {
  r[0] = m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
  r[1] = m[1] * v[0] + m[3] * v[1] + m[4] * v[2];
  r[2] = m[2] * v[0] + m[4] * v[1] + m[5] * v[2];
}

static void arm_of(const talus_rigid *rigid, int64_t k, int side, double *arm) {
  const double *const given = side ? rigid->arm_b : rigid->arm_a;
  const double *const reach = side ? rigid->reach_b : rigid->reach_a;
  for (int c = 0; c < 3; c++) {
    arm[c] =
        given != NULL ? given[3 * k + c] : (side ? -reach[k] : reach[k]) * rigid->normal[3 * k + c];
  }
}

/* Adds what one body does at contact k to u, and the absolute values to sizes. */
static void side_add(const double *v, const double *arm, int side, double *u, double *sizes) {
  double turn[3];
  cross(v + 3, arm, turn);
  for (int c = 0; c < 3; c++) {
    u[c] += (side ? 1 : -1) * (v[c] + turn[c]);
    sizes[c] += fabs(v[c]) + fabs(turn[c]);
  }
}

/* tr(W_kk) of one side: 1/m thrice and tr([r] m [r]^T) = tr(m) |r|^2 - r.m r. */
static double side_trace(const talus_rigid *rigid, int32_t body, const double *r) {
  const double *const m = rigid->inverse_inertia + 6 * (int64_t)body;
  double mr[3];
  inertia_times(m, r, mr);
  return 3 * rigid->inverse_mass[body] +
         (m[0] + m[3] + m[5]) * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) -
         (r[0] * mr[0] + r[1] * mr[1] + r[2] * mr[2]);
}

/* Contact k as fact i: velocity after and before, the rounding of the latter, weight. */
static void contact_facts(const tl_certification *j, int64_t k, int64_t i, tl_facts *facts) {
  const talus_rigid *const rigid = &j->problem->rigid;
  double *const u = facts->velocity + 3 * i, *const q = facts->free + 3 * i;
  double *const sizes = facts->rounding + 3 * i, unused[3] = {0, 0, 0}, trace = 0;
  for (int c = 0; c < 3; c++) {
    const double bias = (rigid->bias != NULL ? rigid->bias[k] * rigid->normal[3 * k + c] : 0);
    const double surface = rigid->surface_velocity != NULL ? rigid->surface_velocity[3 * k + c] : 0;
    u[c] = q[c] = bias + surface;
    sizes[c] = fabs(bias) + fabs(surface);
  }
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? rigid->body_b[k] : rigid->body_a[k];
    if (body >= 0) {
      double arm[3];
      arm_of(rigid, k, side, arm);
      side_add(j->motion + 6 * (int64_t)body, arm, side, u, unused);
      side_add(rigid->velocity + 6 * (int64_t)body, arm, side, q, sizes);
      trace += side_trace(rigid, body, arm);
    }
  }
  facts->weight[i] = trace / 3;
}

/* Torques of contact k as fact i. */
static void contact_spins(const tl_certification *j, int64_t k, int64_t i, tl_spins *spins) {
  const talus_rigid *const rigid = &j->problem->rigid;
  double trace = 0;
  for (int side = 0; side < 2; side++) {
    const int64_t body = side ? rigid->body_b[k] : rigid->body_a[k];
    for (int c = 0; c < 3 && body >= 0; c++) {
      const double before = rigid->velocity[6 * body + 3 + c];
      spins->velocity[3 * i + c] += (side ? 1 : -1) * j->motion[6 * body + 3 + c];
      spins->free[3 * i + c] += (side ? 1 : -1) * before;
      spins->rounding[3 * i + c] += fabs(before);
      trace += rigid->inverse_inertia[6 * body + (c == 0 ? 0 : c == 1 ? 3 : 5)];
    }
  }
  spins->weight[i] = trace / 3;
}

/* g' W_kk g of an elliptic cone. */
static double contact_squeezed(const tl_certification *j, int32_t k) {
  const talus_rigid *const rigid = &j->problem->rigid;
  const tl_ellipse ellipse = tl_problem_ellipse(j->problem, k);
  const double *const g = ellipse.squeeze;
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    const int64_t body = side ? rigid->body_b[k] : rigid->body_a[k];
    if (body >= 0) {
      double arm[3], moment[3], turn[3];
      arm_of(rigid, k, side, arm);
      cross(arm, g, moment);
      inertia_times(rigid->inverse_inertia + 6 * body, moment, turn);
      for (int c = 0; c < 3; c++) {
        sum += rigid->inverse_mass[body] * g[c] * g[c] + moment[c] * turn[c];
      }
    }
  }
  return sum;
}

static double row_velocity(const talus_rigid *rigid, int64_t row, const double *motion,
                           double *size) {
  double u = rigid->row_bias != NULL ? rigid->row_bias[row] : 0;
  *size = fabs(u);
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? rigid->row_body_b[row] : rigid->row_body_a[row];
    for (int c = 0; c < 6 && body >= 0; c++) {
      const double part =
          rigid->row_jacobian[12 * row + 6 * side + c] * motion[6 * (int64_t)body + c];
      u += part;
      *size += fabs(part);
    }
  }
  return u;
}

static double rigid_row_trace(const talus_rigid *rigid, int64_t row) {
  double trace = 0;
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? rigid->row_body_b[row] : rigid->row_body_a[row];
    if (body < 0) {
      continue;
    }
    const double *const jacobian = rigid->row_jacobian + 12 * row + 6 * side;
    double turn[3];
    inertia_times(rigid->inverse_inertia + 6 * (int64_t)body, jacobian + 3, turn);
    for (int c = 0; c < 3; c++) {
      trace += rigid->inverse_mass[body] * jacobian[c] * jacobian[c] + jacobian[3 + c] * turn[c];
    }
  }
  return trace;
}

/* Momentum handed to each body, into `momentum`. */
static void rigid_momentum(const tl_certification *j, const talus_rigid *rigid, double *momentum) {
  for (int64_t k = 0; j->impulse != NULL && k < j->problem->contact_count; k++) {
    const int64_t d = j->problem->dimension;
    const double *const x = j->impulse + d * k;
    for (int side = 0; side < 2; side++) {
      const int32_t body = side ? rigid->body_b[k] : rigid->body_a[k];
      if (body < 0) {
        continue;
      }
      double arm[3], moment[3];
      arm_of(rigid, k, side, arm);
      cross(arm, x, moment);
      for (int c = 0; c < 3; c++) {
        momentum[6 * (int64_t)body + c] += (side ? 1 : -1) * x[c];
        momentum[6 * (int64_t)body + 3 + c] +=
            (side ? 1 : -1) * (moment[c] + (d == 6 ? x[3 + c] : 0));
      }
    }
  }
  for (int64_t row = 0; j->bilateral != NULL && row < j->problem->bilateral_count; row++) {
    const double x = j->bilateral[row];
    for (int side = 0; side < 2; side++) {
      const int32_t body = side ? rigid->row_body_b[row] : rigid->row_body_a[row];
      for (int c = 0; c < 6 && body >= 0; c++) {
        momentum[6 * (int64_t)body + c] += x * rigid->row_jacobian[12 * row + 6 * side + c];
      }
    }
  }
}

/* v+ = v + M^-1 momentum; the balance compares m (v+ - v) with the linear momentum. */
static void rigid_move(tl_certification *j, const talus_rigid *rigid) {
  double given = 0, missing = 0;
  for (int64_t i = 0; i < rigid->body_count; i++) {
    double *const p = j->motion + 6 * i, turn[3];
    const double inverse = rigid->inverse_mass[i];
    inertia_times(rigid->inverse_inertia + 6 * i, p + 3, turn);
    for (int c = 0; c < 3; c++) {
      const double before = rigid->velocity[6 * i + c], after = before + inverse * p[c];
      if (inverse > 0) {
        const double off = (after - before) / inverse - p[c];
        given += p[c] * p[c];
        missing += off * off;
      }
      p[c] = after;
      p[3 + c] = rigid->velocity[6 * i + 3 + c] + turn[c];
    }
  }
  j->momentum_balance = given > 0 ? sqrt(missing / given) : 0;
}

static void rigid_facts(const tl_certification *j, int32_t first, int32_t count, tl_facts *facts) {
  const talus_rigid *const rigid = &j->problem->rigid;
  const int64_t contacts = j->problem->contact_count;
  for (int64_t i = 0; i < count; i++) {
    if (first + i < contacts) {
      contact_facts(j, first + i, i, facts);
      if (j->problem->dimension == 6) {
        contact_spins(j, first + i, i, &facts->spins);
      }
      if (j->problem->cross_friction != NULL) {
        facts->squeezed[i] = contact_squeezed(j, first + (int32_t)i);
      }
    } else {
      const int64_t row = first + i - contacts;
      double size;
      facts->velocity[3 * i] = row_velocity(rigid, row, j->motion, &size);
      facts->free[3 * i] = row_velocity(rigid, row, rigid->velocity, facts->rounding + 3 * i);
      facts->weight[i] = rigid_row_trace(rigid, row);
    }
  }
}

talus_status tl_certify_rigid(talus_context *context, tl_certification *j) {
  const talus_rigid *const rigid = &j->problem->rigid;
  j->motion_count = 6 * (int64_t)rigid->body_count;
  TL_TRY(tl_buffer_reserve(context, &j->memory, (size_t)j->motion_count, sizeof(double),
                           "certificate"));
  j->motion = j->memory.memory;
  memset(j->motion, 0, (size_t)j->motion_count * sizeof *j->motion);
  rigid_momentum(j, rigid, j->motion);
  rigid_move(j, rigid);
  j->facts = rigid_facts;
  return TALUS_OK;
}
