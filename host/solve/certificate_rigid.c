/* certificate_rigid.c: facts of form (a), rigid bodies: plain products over the caller's arrays. */
#include <math.h>
#include <string.h>

#include "host/problem/problem_check.h"
#include "host/solve/certificate.h"
#include "kernels/item/exact.h"

/* Contact k as fact i. */
static void contact_facts(const tl_certification *j, int64_t k, int64_t i, tl_facts *facts) {
  tl_judge_fact f;
  tl_judge_rigid(&j->problem->rigid, j->motion, k, &f);
  memcpy(facts->velocity + 3 * i, f.velocity, sizeof f.velocity);
  memcpy(facts->free + 3 * i, f.free, sizeof f.free);
  memcpy(facts->rounding + 3 * i, f.rounding, sizeof f.rounding);
  facts->weight[i] = f.weight;
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
      tl_judge_arm(rigid, k, side, arm);
      tl_judge_cross(arm, g, moment);
      tl_judge_turn(rigid->inverse_inertia + 6 * body, moment, turn);
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
    tl_judge_turn(rigid->inverse_inertia + 6 * (int64_t)body, jacobian + 3, turn);
    for (int c = 0; c < 3; c++) {
      trace += rigid->inverse_mass[body] * jacobian[c] * jacobian[c] + jacobian[3 + c] * turn[c];
    }
  }
  return trace;
}

static void contact_momentum(const tl_certification *j, int64_t k, double *momentum) {
  const talus_rigid *const rigid = &j->problem->rigid;
  const int64_t d = j->problem->dimension;
  const double *const x = j->impulse + d * k;
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? rigid->body_b[k] : rigid->body_a[k];
    if (body >= 0) {
      tl_judge_push(rigid, k, side, x, d == 6 ? x + 3 : NULL, momentum + 6 * (int64_t)body);
    }
  }
}

static void row_momentum(const tl_certification *j, int64_t row, double *momentum) {
  const talus_rigid *const rigid = &j->problem->rigid;
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? rigid->row_body_b[row] : rigid->row_body_a[row];
    for (int c = 0; c < 6 && body >= 0; c++) {
      momentum[6 * (int64_t)body + c] +=
          j->bilateral[row] * rigid->row_jacobian[12 * row + 6 * side + c];
    }
  }
}

/* Momentum handed to each body, into `momentum`. */
static void rigid_momentum(const tl_certification *j, double *momentum) {
  const int32_t contacts = j->problem->contact_count;
  for (int32_t i = 0; i < contacts + j->problem->bilateral_count; i++) {
    const int32_t k = tl_certification_constraint(j, 0, i);
    if (k >= contacts && j->bilateral != NULL) {
      row_momentum(j, k - contacts, momentum);
    } else if (k < contacts && j->impulse != NULL) {
      contact_momentum(j, k, momentum);
    }
  }
}

double tl_certificate_balance(tl_judge_balance balance) {
  return balance.given > 0 ? sqrt(balance.missing / balance.given) : 0;
}

/* v+ = v + M^-1 momentum; the balance compares m (v+ - v) with the linear momentum, run by run. */
static void rigid_move(tl_certification *j, const talus_rigid *rigid) {
  tl_judge_balance all = {0, 0};
  tl_exact given = {{0}}, missing = {{0}};
  for (int64_t first = 0; first < rigid->body_count; first += TL_FACTS) {
    tl_judge_balance run = {0, 0};
    for (int64_t i = first; i < rigid->body_count && i < first + TL_FACTS; i++) {
      const tl_judge_balance own = tl_judge_move(rigid, i, j->motion + 6 * i);
      if (j->bricks != NULL) {
        tl_exact_add(&given, own.given);
        tl_exact_add(&missing, own.missing);
        continue;
      }
      run.given += own.given;
      run.missing += own.missing;
    }
    all.given += run.given;
    all.missing += run.missing;
  }
  if (j->bricks != NULL) {
    all = (tl_judge_balance){tl_exact_round(&given), tl_exact_round(&missing)};
  }
  j->momentum_balance = tl_certificate_balance(all);
}

static void rigid_facts(const tl_certification *j, int32_t first, int32_t count, tl_facts *facts) {
  const talus_rigid *const rigid = &j->problem->rigid;
  const int64_t contacts = j->problem->contact_count;
  for (int64_t i = 0; i < count; i++) {
    const int32_t k = tl_certification_constraint(j, first, i);
    if (k < contacts) {
      contact_facts(j, k, i, facts);
      if (j->problem->dimension == 6) {
        contact_spins(j, k, i, &facts->spins);
      }
      if (j->problem->cross_friction != NULL) {
        facts->squeezed[i] = contact_squeezed(j, k);
      }
    } else {
      const int64_t row = k - contacts;
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
  rigid_momentum(j, j->motion);
  rigid_move(j, rigid);
  j->facts = rigid_facts;
  return TALUS_OK;
}
