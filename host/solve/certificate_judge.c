/* certificate_judge.c: what a run of constraints adds to the sums of a certificate: contacts, rows
 * with bounds, contacts of six rows; before their compliance and with it. */
#include <math.h>
#include <string.h>

#include "host/problem/problem_check.h"
#include "host/solve/certificate.h"
#include "host/solve/certificate_wrench.h"

static const double first_axis[3] = {1, 0, 0};

/* Fact i by itself. */
static tl_judge_fact fact_of(const tl_facts *facts, int64_t i) {
  tl_judge_fact f = {.weight = facts->weight[i]};
  memcpy(f.impulse, facts->impulse + 3 * i, sizeof f.impulse);
  memcpy(f.velocity, facts->velocity + 3 * i, sizeof f.velocity);
  memcpy(f.free, facts->free + 3 * i, sizeof f.free);
  memcpy(f.rounding, facts->rounding + 3 * i, sizeof f.rounding);
  return f;
}

/* Fact i: a contact with this friction and cone axis (NULL: the first component). */
static void contact_judge(const tl_facts *facts, int64_t i, double mu, const double *axis,
                          const tl_polygon *polygon, tl_judge_sums *s) {
  const tl_judge_fact f = fact_of(facts, i);
  double residual[TALUS_LAW_COUNT], reference[TALUS_LAW_COUNT];
  tl_judge_contact(&f, mu, axis != NULL ? axis : first_axis, residual, reference, s);
  if (polygon != NULL && mu > 0) {
    tl_polygon_judge(polygon, facts, i, mu, axis, residual, reference);
  }
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    s->faceted[law] += residual[law];
    s->faceted_reference[law] += reference[law];
  }
}

/* Bounds of a bilateral row's impulse. */
typedef struct bounds {
  double lower, upper;
} bounds;

static bounds row_bounds(const talus_problem *problem, int64_t row, double unit) {
  const bounds b = {problem->row_lower != NULL ? unit * problem->row_lower[row] : -INFINITY,
                    problem->row_upper != NULL ? unit * problem->row_upper[row] : INFINITY};
  return b;
}

/* w |x - P(x - u/w)|^2 with P the nearest point between the bounds: how far x would go if it went
 * by -u/w and were held where it may go no further. */
static double row_natural(double x, double u, double w, bounds b) {
  double way = -u / w;
  if (way > b.upper - x) {
    way = b.upper - x;
  }
  if (way < b.lower - x) {
    way = b.lower - x;
  }
  return w * way * way;
}

static void row_judge(const tl_facts *facts, int64_t i, bounds b, tl_judge_sums *s) {
  const double w = facts->weight[i], u = facts->velocity[3 * i], q = facts->free[3 * i];
  const double x = facts->impulse[3 * i], r = facts->rounding[3 * i] / sqrt(w);
  const bool bounded = b.lower > -INFINITY || b.upper < INFINITY;
  const double now = bounded ? row_natural(x, u, w, b) : u * u / w;
  const double before = bounded ? row_natural(0, q, w, b) : q * q / w;
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    s->residual[law] += now;
    s->reference[law] += before;
    s->faceted[law] += now;
    s->faceted_reference[law] += before;
    s->natural[law] += bounded ? row_natural(x, u, 1, b) : u * u;
  }
  if (bounded) {
    s->violation = tl_judge_larger(s->violation, tl_judge_larger(b.lower - x, x - b.upper));
    s->largest = tl_judge_larger(s->largest, fabs(x));
  }
  s->rounding += r * r;
  s->fastest = tl_judge_larger(s->fastest, r);
  if (!(x <= b.lower && u > 0) && !(x >= b.upper && u < 0)) {
    s->bilateral = tl_judge_larger(s->bilateral, fabs(u));
  }
  s->load += w * x * x;
  s->impulse += x * x;
  s->velocity += u * u;
  s->free += q * q;
}

/* ---- compliance --------------------------------------------------------------------------------
 */

/* R(x)^2 and R(0)^2 of fact i as it stands, before compliance is added. */
static void rigid_judge(const tl_facts *facts, int64_t i, double mu, const double *axis,
                        tl_judge_sums *s) {
  const tl_judge_fact f = fact_of(facts, i);
  double residual[TALUS_LAW_COUNT], reference[TALUS_LAW_COUNT];
  tl_judge_squares(&f, mu, axis != NULL ? axis : first_axis, residual, reference);
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    s->rigid[law] += residual[law];
    s->rigid_reference[law] += reference[law];
  }
}

static void rigid_row_judge(const tl_facts *facts, int64_t i, bounds b, tl_judge_sums *s) {
  const double w = facts->weight[i], u = facts->velocity[3 * i], q = facts->free[3 * i];
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    s->rigid[law] += row_natural(facts->impulse[3 * i], u, w, b);
    s->rigid_reference[law] += row_natural(0, q, w, b);
  }
}

/* Fact i with its compliance. rows: of the constraint. */
static void fact_comply(tl_facts *facts, int64_t i, const tl_yielding *c, const double *axis,
                        int32_t rows) {
  tl_judge_fact f = fact_of(facts, i);
  tl_judge_comply(&f, c, axis != NULL ? axis : first_axis, rows);
  memcpy(facts->velocity + 3 * i, f.velocity, sizeof f.velocity);
  memcpy(facts->free + 3 * i, f.free, sizeof f.free);
  memcpy(facts->rounding + 3 * i, f.rounding, sizeof f.rounding);
  facts->weight[i] = f.weight;
}

/* ---- six rows, elliptic cones ---------------------------------------------------------------- */

/* Contact k of six rows or with an elliptic cone as fact i, which is changed where the cone is an
 * ellipse. */
static tl_wrench_verdict wrench_verdict(const tl_certification *j, int32_t k, int64_t i,
                                        tl_facts *facts) {
  const talus_problem *const p = j->problem;
  const double *const torque = p->torque_friction;
  double friction[3] = {p->friction != NULL ? p->friction[k] : 0,
                        torque != NULL ? torque[2 * (int64_t)k] : 0,
                        torque != NULL ? torque[2 * (int64_t)k + 1] : 0};
  if (p->cross_friction != NULL) {
    friction[0] = tl_ellipse_apply(j, k, i, facts);
  }
  return tl_wrench_judge(facts, i, friction,
                         p->form == TALUS_FORM_RIGID ? p->rigid.normal + 3 * (int64_t)k : NULL);
}

static void wrench_roundings_add(const tl_facts *facts, int64_t i, tl_judge_sums *s) {
  const double force = 1 / sqrt(facts->weight[i]);
  const double torque = facts->spins.weight[i] > 0 ? 1 / sqrt(facts->spins.weight[i]) : 0;
  for (int c = 0; c < 3; c++) {
    const double r = facts->rounding[3 * i + c] * force;
    const double t = facts->spins.rounding[3 * i + c] * torque;
    s->rounding += r * r + t * t;
    s->fastest = tl_judge_larger(s->fastest, tl_judge_larger(r, t));
  }
}

static void wrench_contact_judge(const tl_certification *j, int32_t k, int64_t i, tl_facts *facts,
                                 tl_judge_sums *s) {
  const tl_wrench_verdict v = wrench_verdict(j, k, i, facts);
  const double square = tl_six_inner(&v.impulse, &v.impulse);
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    s->residual[law] += v.residual[law];
    s->reference[law] += v.reference[law];
    s->faceted[law] += v.residual[law];
    s->faceted_reference[law] += v.reference[law];
    s->natural[law] += v.plain[law];
    s->product[law] += fabs(tl_six_inner(&v.impulse, &v.lawful[law]));
    s->size[law] += sqrt(square * tl_six_inner(&v.lawful[law], &v.lawful[law]));
  }
  s->violation = tl_judge_larger(s->violation, v.outside);
  s->largest = tl_judge_larger(s->largest, sqrt(v.load / facts->weight[i]));
  s->closing = tl_judge_larger(s->closing, -v.velocity.normal);
  s->dissipation += v.work;
  wrench_roundings_add(facts, i, s);
  s->load += v.load;
  s->inverse_weight += 1 / facts->weight[i];
  s->impulse += square;
  s->velocity += tl_six_inner(&v.velocity, &v.velocity);
  for (int c = 0; c < 3; c++) {
    s->free += facts->free[3 * i + c] * facts->free[3 * i + c] +
               facts->spins.free[3 * i + c] * facts->spins.free[3 * i + c];
  }
}

/* R(x)^2 and R(0)^2 before compliance is added; the facts stay as they are. */
static void wrench_rigid_judge(const tl_certification *j, int32_t k, int64_t i, tl_facts *facts,
                               tl_judge_sums *s) {
  double kept[3][3];
  double *const changed[3] = {facts->impulse + 3 * i, facts->velocity + 3 * i, facts->free + 3 * i};
  const double weight = facts->weight[i];
  for (int a = 0; a < 3; a++) {
    memcpy(kept[a], changed[a], sizeof kept[a]);
  }
  const tl_wrench_verdict v = wrench_verdict(j, k, i, facts);
  facts->weight[i] = weight;
  for (int a = 0; a < 3; a++) {
    memcpy(changed[a], kept[a], sizeof kept[a]);
  }
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    s->rigid[law] += v.residual[law];
    s->rigid_reference[law] += v.reference[law];
  }
}

/* ---- runs ------------------------------------------------------------------------------------ */

void tl_facts_judge(const tl_certification *j, int32_t first, int32_t count, tl_facts *facts,
                    tl_judge_sums *s) {
  const talus_problem *const problem = j->problem;
  const double *const axes = problem->form == TALUS_FORM_RIGID ? problem->rigid.normal : NULL;
  const double *const friction = problem->dimension > 1 ? problem->friction : NULL;
  /* in a plane a cone has two edges and no more */
  const tl_polygon *const polygon =
      j->polygon.count > 0 && problem->dimension == 3 ? &j->polygon : NULL;
  memset(s, 0, sizeof *s);
  for (int64_t i = 0; i < count; i++) {
    const int32_t k = tl_certification_constraint(j, first, i);
    const bool is_row = k >= problem->contact_count;
    const double mu = !is_row && friction != NULL ? friction[k] : 0;
    const double *const axis = !is_row && axes != NULL ? axes + 3 * (int64_t)k : NULL;
    const bounds b = is_row ? row_bounds(problem, k - problem->contact_count, j->unit)
                            : (bounds){-INFINITY, INFINITY};
    if (j->compliant) {
      tl_yielding c = tl_problem_yielding(problem, k);
      for (int row = 0; row < 3; row++) {
        c.target[row] *= j->unit;
      }
      if (is_row) {
        rigid_row_judge(facts, i, b, s);
      } else if (j->wrenches) {
        wrench_rigid_judge(j, k, i, facts, s);
      } else {
        rigid_judge(facts, i, mu, axis, s);
      }
      fact_comply(facts, i, &c, axis, is_row ? 1 : problem->dimension < 3 ? problem->dimension : 3);
      s->inverse_weight += is_row && c.normal > 0 ? 1 / facts->weight[i] : 0;
    }
    if (is_row) {
      row_judge(facts, i, b, s);
    } else if (j->wrenches) {
      wrench_contact_judge(j, k, i, facts, s);
    } else {
      contact_judge(facts, i, mu, axis, polygon, s);
    }
  }
}
