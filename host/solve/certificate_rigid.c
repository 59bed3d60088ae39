/* certificate_rigid.c: facts of form (a), rigid bodies: plain products over the caller's arrays. */
#include <math.h>
#include <string.h>

#include "host/base/each.h"
#include "host/problem/problem_check.h"
#include "host/solve/certificate.h"
#include "kernels/halo.h"
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

/* Some of the bodies, from `first` to `end`. */
typedef struct span {
  int32_t first, end;
} span;

static bool has(span bodies, int32_t body) {
  return body >= bodies.first && body < bodies.end;
}

static void contact_momentum(const tl_certification *j, int64_t k, span bodies) {
  const talus_rigid *const rigid = &j->problem->rigid;
  const int64_t d = j->problem->dimension;
  const double *const x = j->impulse + d * k;
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? rigid->body_b[k] : rigid->body_a[k];
    if (has(bodies, body)) {
      tl_judge_push(rigid, k, side, x, d == 6 ? x + 3 : NULL, j->motion + 6 * (int64_t)body);
    }
  }
}

static void row_momentum(const tl_certification *j, int64_t row, span bodies) {
  const talus_rigid *const rigid = &j->problem->rigid;
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? rigid->row_body_b[row] : rigid->row_body_a[row];
    for (int c = 0; c < 6 && has(bodies, body); c++) {
      j->motion[6 * (int64_t)body + c] +=
          j->bilateral[row] * rigid->row_jacobian[12 * row + 6 * side + c];
    }
  }
}

/* Momentum handed to some of the bodies. */
static void span_momentum(const tl_certification *j, span bodies) {
  const int32_t contacts = j->problem->contact_count;
  memset(j->motion + 6 * (int64_t)bodies.first, 0,
         6 * (size_t)(bodies.end - bodies.first) * sizeof *j->motion);
  for (int32_t i = 0; i < contacts + j->problem->bilateral_count; i++) {
    const int32_t k = tl_certification_constraint(j, 0, i);
    if (k >= contacts && j->bilateral != NULL) {
      row_momentum(j, k - contacts, bodies);
    } else if (k < contacts && j->impulse != NULL) {
      contact_momentum(j, k, bodies);
    }
  }
}

/* A body's momentum is summed up in the order of the constraints. So that threads can share the
 * work, each of them goes through all constraints and serves some of the bodies: what it has to
 * read for nothing are their numbers, as long as threads are few. */
enum { SPANS = 8, SPAN_CONSTRAINTS = 8192, FEW_RUNS = 8 };

typedef struct momentum_task {
  const tl_certification *j;
  int32_t count;
} momentum_task;

static void spans_part(void *arguments, int64_t first, int64_t end) {
  const momentum_task *const t = arguments;
  const int64_t bodies = t->j->problem->rigid.body_count;
  for (int64_t i = first; i < end; i++) {
    span_momentum(t->j,
                  (span){(int32_t)(bodies * i / t->count), (int32_t)(bodies * (i + 1) / t->count)});
  }
}

/* Momentum handed to each body, into `motion`. */
static void rigid_momentum(const tl_certification *j) {
  const int32_t most = j->threads < SPANS ? j->threads : SPANS;
  momentum_task task = {j, j->problem->contact_count < SPAN_CONSTRAINTS || most < 1 ? 1 : most};
  tl_each(j->context, task.count, task.count, spans_part, &task);
}

double tl_certificate_balance(tl_judge_balance balance) {
  return balance.given > 0 ? sqrt(balance.missing / balance.given) : 0;
}

static void runs_move(void *arguments, int64_t first, int64_t end) {
  const tl_certification *const j = arguments;
  const talus_rigid *const rigid = &j->problem->rigid;
  tl_judge_balance *const balance = j->scratch.memory;
  for (int64_t run = first; run < end; run++) {
    const int64_t bodies = rigid->body_count, next = (run + 1) * TL_FACTS;
    balance[run] = (tl_judge_balance){0, 0};
    for (int64_t i = run * TL_FACTS; i < bodies && i < next; i++) {
      const tl_judge_balance own = tl_judge_move(rigid, i, j->motion + 6 * i);
      balance[run].given += own.given;
      balance[run].missing += own.missing;
    }
  }
}

/* The same with bricks: sums that do not depend on the order, of all ranks. */
static tl_judge_balance bodies_move(const tl_certification *j) {
  const talus_rigid *const rigid = &j->problem->rigid;
  tl_halo *const halo = j->bricks->halo;
  tl_exact exact[2] = {{{0}}, {{0}}};
  for (int64_t i = 0; i < rigid->body_count; i++) {
    const tl_judge_balance own = tl_judge_move(rigid, i, j->motion + 6 * i);
    if (halo == NULL || halo->body_own[i]) {
      tl_exact_add(&exact[0], own.given);
      tl_exact_add(&exact[1], own.missing);
    }
  }
  if (halo != NULL) {
    halo->sum(halo, exact[0].digit, 2 * TL_EXACT_DIGITS);
    halo->exchange(halo, &halo->body, j->motion, 6 * (int32_t)sizeof *j->motion);
  }
  return (tl_judge_balance){tl_exact_round(&exact[0]), tl_exact_round(&exact[1])};
}

/* v+ = v + M^-1 momentum; the balance compares m (v+ - v) with the linear momentum, run by run. */
static talus_status rigid_move(tl_certification *j) {
  tl_judge_balance all = {0, 0};
  if (j->bricks != NULL) {
    all = bodies_move(j);
  } else {
    const int64_t runs = tl_facts_runs(j->problem->rigid.body_count);
    TL_TRY(tl_buffer_reserve(j->context, &j->scratch, (size_t)runs, sizeof(tl_judge_balance),
                             "certificate"));
    const tl_judge_balance *const balance = j->scratch.memory;
    tl_each(j->context, runs > FEW_RUNS ? j->threads : 1, runs, runs_move, j);
    for (int64_t run = 0; run < runs; run++) {
      all.given += balance[run].given;
      all.missing += balance[run].missing;
    }
  }
  j->momentum_balance = tl_certificate_balance(all);
  return TALUS_OK;
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
  rigid_momentum(j);
  TL_TRY(rigid_move(j));
  j->facts = rigid_facts;
  return TALUS_OK;
}
