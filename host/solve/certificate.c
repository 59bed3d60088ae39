/* certificate.c: what impulses are worth: epsilon for both laws and what else can be said.
 *
 *   R(x) = || sqrt(w_k) (x_k - P_K(x_k - (u_k + [mu |u_t| n]) / w_k)) ||,  epsilon = R(x)/R(0)
 * R(0) is floored by the rounding error of q itself; at the floor nothing is left to solve.
 * Compliance: u + C (x - target) in the place of u, w_k of W + C; and epsilon without it beside.
 *   error = R(x)/max(R(0), R_s),  R_s = s || 1 / sqrt(w_k) ||  with the problem's velocity_scale
 * s */
#include "host/solve/certificate.h"

#include <math.h>
#include <string.h>

#include "host/base/each.h"
#include "host/problem/problem_check.h"
#include "host/solve/certificate_wrench.h"
#include "kernels/item/exact.h"

enum {
  FEW_RUNS = 8,    /* are not worth waking threads for */
  UNIT_MOST = 1000 /* exponent of the largest unit of velocities */
};
#define SLOWEST 1e-130 /* velocities over sqrt(w) whose squares are still ordinary numbers */

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

/* Anything that is not a number must not read as success. */
static double honest(double value) {
  return isfinite(value) ? value : INFINITY;
}

/* ---- runs of constraints --------------------------------------------------------------------- */

static int64_t run_count(const tl_certification *j) {
  if (j->bricks != NULL) {
    return j->bricks->shape.chunk_count;
  }
  return tl_facts_runs(j->problem->contact_count) + tl_facts_runs(j->problem->bilateral_count);
}

/* The first `count` alone: a problem of few constraints is judged in less time than all take. */
static void facts_clear(tl_facts *facts, size_t count) {
  memset(facts->impulse, 0, 3 * count * sizeof *facts->impulse);
  memset(facts->velocity, 0, 3 * count * sizeof *facts->velocity);
  memset(facts->free, 0, 3 * count * sizeof *facts->free);
  memset(facts->rounding, 0, 3 * count * sizeof *facts->rounding);
  memset(facts->weight, 0, count * sizeof *facts->weight);
}

static void spins_clear(tl_facts *facts, size_t count) {
  tl_spins *const spins = &facts->spins;
  memset(spins->impulse, 0, 3 * count * sizeof *spins->impulse);
  memset(spins->velocity, 0, 3 * count * sizeof *spins->velocity);
  memset(spins->free, 0, 3 * count * sizeof *spins->free);
  memset(spins->rounding, 0, 3 * count * sizeof *spins->rounding);
  memset(spins->weight, 0, count * sizeof *spins->weight);
  memset(facts->squeezed, 0, count * sizeof *facts->squeezed);
}

/* Velocities and impulses in another unit: W and its weights stay. */
static void facts_scale(tl_facts *facts, int32_t count, double unit) {
  for (int64_t i = 0; i < 3 * (int64_t)count; i++) {
    facts->impulse[i] *= unit;
    facts->velocity[i] *= unit;
    facts->free[i] *= unit;
    facts->rounding[i] *= unit;
  }
}

static void spins_scale(tl_spins *spins, int32_t count, double unit) {
  for (int64_t i = 0; i < 3 * (int64_t)count; i++) {
    spins->impulse[i] *= unit;
    spins->velocity[i] *= unit;
    spins->free[i] *= unit;
    spins->rounding[i] *= unit;
  }
}

/* One run: constraints from `first` on, all contacts or all rows. */
typedef struct run_place {
  int32_t first, count;
  bool rows;
} run_place;

static run_place run_find(const tl_certification *j, int64_t run) {
  const int32_t contacts = j->problem->contact_count, rows = j->problem->bilateral_count;
  run_place place;
  if (j->bricks != NULL) {
    place.first = j->bricks->chunk_first[run];
    place.count = j->bricks->chunk_first[run + 1] - place.first;
    place.rows = j->bricks->order[place.first] >= contacts;
    return place;
  }
  const int64_t behind = run - tl_facts_runs(contacts);
  const int64_t begin = TL_FACTS * (behind < 0 ? run : behind);
  const int64_t left = (behind < 0 ? contacts : rows) - begin;
  place.rows = behind >= 0;
  place.first = (int32_t)(place.rows ? contacts + begin : begin);
  place.count = (int32_t)(left < TL_FACTS ? left : TL_FACTS);
  return place;
}

/* The facts of one run; returns how many, *first being the first constraint. */
static int32_t run_facts(const tl_certification *j, int64_t run, int32_t *first, tl_facts *facts) {
  const run_place place = run_find(j, run);
  const int32_t count = place.count;
  const int32_t d = place.rows ? 1 : j->problem->dimension;
  const double *const impulse = place.rows ? j->bilateral : j->impulse;
  facts_clear(facts, (size_t)count);
  if (j->wrenches) {
    spins_clear(facts, (size_t)count);
  }
  *first = place.first;
  for (int64_t i = 0; impulse != NULL && i < count; i++) {
    const int64_t k = tl_certification_constraint(j, *first, i);
    const int64_t at = place.rows ? k - j->problem->contact_count : k;
    for (int64_t c = 0; c < d; c++) {
      *(c < 3 ? &facts->impulse[3 * i + c] : &facts->spins.impulse[3 * i + c - 3]) =
          impulse[d * at + c];
    }
  }
  j->facts(j, *first, count, facts);
  if (j->unit != 1) {
    facts_scale(facts, count, j->unit);
    if (j->wrenches) {
      spins_scale(&facts->spins, count, j->unit);
    }
  }
  return count;
}

static void run_judge(const tl_certification *j, int64_t run, tl_judge_sums *s) {
  const talus_problem *const problem = j->problem;
  const double *const axes = problem->form == TALUS_FORM_RIGID ? problem->rigid.normal : NULL;
  const double *const friction = problem->dimension > 1 ? problem->friction : NULL;
  /* in a plane a cone has two edges and no more */
  const tl_polygon *const polygon =
      j->polygon.count > 0 && problem->dimension == 3 ? &j->polygon : NULL;
  tl_facts facts;
  int32_t first;
  const int32_t count = run_facts(j, run, &first, &facts);
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
        rigid_row_judge(&facts, i, b, s);
      } else if (j->wrenches) {
        wrench_rigid_judge(j, k, i, &facts, s);
      } else {
        rigid_judge(&facts, i, mu, axis, s);
      }
      fact_comply(&facts, i, &c, axis,
                  is_row                   ? 1
                  : problem->dimension < 3 ? problem->dimension
                                           : 3);
      s->inverse_weight += is_row && c.normal > 0 ? 1 / facts.weight[i] : 0;
    }
    if (is_row) {
      row_judge(&facts, i, b, s);
    } else if (j->wrenches) {
      wrench_contact_judge(j, k, i, &facts, s);
    } else {
      contact_judge(&facts, i, mu, axis, polygon, s);
    }
  }
}

static void sums_add(tl_judge_sums *s, const tl_judge_sums *part) {
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    s->residual[law] += part->residual[law];
    s->reference[law] += part->reference[law];
    s->faceted[law] += part->faceted[law];
    s->faceted_reference[law] += part->faceted_reference[law];
    s->rigid[law] += part->rigid[law];
    s->rigid_reference[law] += part->rigid_reference[law];
    s->natural[law] += part->natural[law];
    s->product[law] += part->product[law];
    s->size[law] += part->size[law];
  }
  s->impulse += part->impulse;
  s->velocity += part->velocity;
  s->free += part->free;
  s->rounding += part->rounding;
  s->load += part->load;
  s->inverse_weight += part->inverse_weight;
  s->dissipation += part->dissipation;
  s->violation = tl_judge_larger(s->violation, part->violation);
  s->fastest = tl_judge_larger(s->fastest, part->fastest);
  s->largest = tl_judge_larger(s->largest, part->largest);
  s->closing = tl_judge_larger(s->closing, part->closing);
  s->bilateral = tl_judge_larger(s->bilateral, part->bilateral);
}

typedef struct run_task {
  const tl_certification *j;
  double *contact_velocity;
} run_task;

static void runs_judge(void *arguments, int64_t first, int64_t end) {
  const tl_certification *const j = ((const run_task *)arguments)->j;
  tl_judge_sums *const part = j->partial.memory;
  const bool in_lanes = tl_lanes_serve(j);
  for (int64_t run = first; run < end; run++) {
    const run_place place = run_find(j, run);
    if (in_lanes && !place.rows) {
      tl_lanes_judge(j, place.first, place.count, &part[run]);
    } else {
      run_judge(j, run, &part[run]);
    }
  }
}

/* The sums of all runs without rounding, the largest of the rest. */
static void exact_add(const tl_judge_sums *part, int64_t runs, tl_judge_sums *s) {
  _Static_assert(sizeof(tl_judge_sums) == TL_JUDGE_SUMS * sizeof(double), "sums, then the largest");
  const double *const value = (const double *)part;
  double *const sum = (double *)s;
  for (int n = 0; n < TL_JUDGE_SUMS; n++) {
    tl_exact exact;
    memset(&exact, 0, sizeof exact);
    sum[n] = 0;
    for (int64_t run = 0; run < runs; run++) {
      if (n < TL_JUDGE_ADDED) {
        tl_exact_add(&exact, value[run * TL_JUDGE_SUMS + n]);
      } else {
        sum[n] = tl_judge_larger(sum[n], value[run * TL_JUDGE_SUMS + n]);
      }
    }
    sum[n] = n < TL_JUDGE_ADDED ? tl_exact_round(&exact) : sum[n];
  }
}

/* Runs are judged by whoever has time and added in order: the sums do not depend on the threads. */
static void all_judge(const tl_certification *j, tl_judge_sums *s) {
  tl_judge_sums *const part = j->partial.memory;
  const int64_t runs = run_count(j);
  run_task task = {j, NULL};
  tl_each(j->context, runs > FEW_RUNS ? j->threads : 1, runs, runs_judge, &task);
  if (j->bricks != NULL) {
    exact_add(part, runs, s);
    return;
  }
  memset(s, 0, sizeof *s);
  for (int64_t run = 0; run < runs; run++) {
    sums_add(s, &part[run]);
  }
}

static void run_velocity(const tl_certification *j, int64_t run, double *contact_velocity) {
  const int64_t d = j->problem->dimension;
  tl_facts facts;
  int32_t first;
  const int32_t count = run_facts(j, run, &first, &facts);
  for (int64_t i = 0; i < count; i++) {
    double *const to = contact_velocity + d * tl_certification_constraint(j, first, i);
    memcpy(to, facts.velocity + 3 * i, (size_t)(d < 3 ? d : 3) * sizeof *to);
    if (d == 6) {
      memcpy(to + 3, facts.spins.velocity + 3 * i, 3 * sizeof *to);
    }
  }
}

static void runs_velocity(void *arguments, int64_t first, int64_t end) {
  const run_task *const t = arguments;
  const bool lanes = tl_lanes_serve(t->j);
  for (int64_t run = first; run < end; run++) {
    const run_place place = run_find(t->j, run);
    if (lanes && !place.rows) {
      tl_lanes_velocity(t->j, place.first, place.count, t->contact_velocity);
    } else if (!place.rows) {
      run_velocity(t->j, run, t->contact_velocity);
    }
  }
}

double *tl_certification_velocity(const tl_certification *j, double *contact_velocity) {
  if (j->contact_velocity != NULL) {
    return j->contact_velocity;
  }
  const int64_t runs = run_count(j);
  run_task task = {j, contact_velocity};
  tl_each(j->context, runs > FEW_RUNS ? j->threads : 1, runs, runs_velocity, &task);
  return contact_velocity;
}

void tl_certification_row_velocity(const tl_certification *j, double *row_velocity) {
  const int32_t contacts = j->problem->contact_count;
  for (int64_t run = 0; run < run_count(j); run++) {
    tl_facts facts;
    int32_t first;
    const int32_t count = run_find(j, run).rows ? run_facts(j, run, &first, &facts) : 0;
    for (int64_t i = 0; i < count; i++) {
      row_velocity[tl_certification_constraint(j, first, i) - contacts] = facts.velocity[3 * i];
    }
  }
}

talus_status tl_certification_make(talus_context *context, const talus_problem *problem,
                                   const double *impulse, const double *bilateral, int32_t threads,
                                   tl_certification *j) {
  j->context = context;
  j->problem = problem;
  j->impulse = impulse;
  j->bilateral = bilateral;
  j->threads = threads;
  j->motion = NULL;
  j->motion_count = 0;
  j->momentum_balance = j->asymmetry = 0;
  j->unit = 1;
  j->compliant = tl_problem_compliant(problem);
  j->wrenches = tl_problem_wrenches(problem);
  j->contact_velocity = NULL;
  if (j->velocity_wanted && tl_lanes_serve(j)) {
    TL_TRY(tl_buffer_reserve(context, &j->velocity, 3 * (size_t)problem->contact_count,
                             sizeof(double), "contact velocities"));
  }
  TL_TRY(tl_buffer_reserve(context, &j->partial, (size_t)run_count(j), sizeof(tl_judge_sums),
                           "certificate"));
  switch (problem->form) {
  case TALUS_FORM_RIGID:
    return tl_certify_rigid(context, j);
  case TALUS_FORM_BLOCKS:
    return tl_certify_blocks(context, j);
  case TALUS_FORM_DELASSUS:
    return tl_certify_delassus(context, j);
  default:
    return tl_certify_global(context, j);
  }
}

void tl_certification_release(talus_context *context, tl_certification *j) {
  tl_buffer_release(context, &j->memory);
  tl_buffer_release(context, &j->scratch);
  tl_buffer_release(context, &j->partial);
  tl_buffer_release(context, &j->velocity);
  tl_mass_release(context, &j->mass);
  tl_lines_release(context, &j->h);
  tl_lines_release(context, &j->g);
}

int64_t tl_certification_bytes(const tl_certification *j) {
  return (int64_t)(j->memory.capacity + j->scratch.capacity + j->partial.capacity +
                   j->velocity.capacity + j->h.memory.capacity + j->g.memory.capacity) +
         tl_mass_bytes(&j->mass);
}

void tl_judge_apply(const talus_matrix *m, int transposed, const double *x, double *y) {
  int64_t line = 0;
  for (int64_t e = 0; e < m->count; e++) {
    int64_t row, column;
    if (m->storage == TALUS_STORAGE_DENSE) {
      row = e % m->rows;
      column = e / m->rows;
    } else if (m->storage == TALUS_STORAGE_TRIPLET) {
      row = m->index[e];
      column = m->index2[e];
    } else {
      while (e >= m->start[line + 1]) {
        line++;
      }
      row = m->storage == TALUS_STORAGE_CSR ? line : m->index[e];
      column = m->storage == TALUS_STORAGE_CSR ? m->index[e] : line;
    }
    y[transposed ? column : row] += m->value[e] * x[transposed ? row : column];
  }
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* R(x) over R(0), or over R_s where that is larger. */
static double error_of(double residual, double reference, double scale, double epsilon) {
  return scale > reference && isfinite(scale) ? honest(residual / scale) : epsilon;
}

/* R(x) / R(0). */
static double ratio(double residual, double reference, double floor) {
  if (!isfinite(reference)) { /* beyond the range of numbers: nothing can be said */
    return INFINITY;
  }
  if (reference <= floor) { /* nothing to solve: only doing nothing is right */
    return residual <= floor ? 0 : honest(residual / floor);
  }
  return honest(residual / reference);
}

/* Squares of velocities so small leave the range of numbers, and R(0) would read as 0. Returns the
 * unit, a power of two, in which the largest of them is about one. */
double tl_certificate_unit(const tl_judge_sums *s) {
  const double fastest = s->fastest;
  int exponent = 0;
  if (fastest > 0 && fastest < SLOWEST) {
    frexp(fastest, &exponent);
  }
  return ldexp(1, exponent < -UNIT_MOST ? UNIT_MOST : -exponent);
}

void tl_certificate_conclude(const tl_judge_sums *sums, const tl_certification *j,
                             talus_certificate *certificate) {
  const tl_judge_sums s = *sums;
  const double unit = j->unit;
  const double floor = ldexp(sqrt(s.rounding), -44);
  /* u = W x + q is not known better than that: impulses beyond all bounds would hide any velocity
   */
  const double blur = ldexp(sqrt(s.load), -53);
  const double scale = sqrt(fmax(s.free, fmax(s.impulse, s.velocity)));
  const double reference_scale = unit * j->problem->velocity_scale * sqrt(s.inverse_weight);
  double epsilon[TALUS_LAW_COUNT], faceted[TALUS_LAW_COUNT], residual[TALUS_LAW_COUNT];
  double reference[TALUS_LAW_COUNT], siconos[TALUS_LAW_COUNT], complementarity[TALUS_LAW_COUNT];
  double error[TALUS_LAW_COUNT], rigid[TALUS_LAW_COUNT];
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    residual[law] = honest(tl_judge_larger(sqrt(s.residual[law]), blur));
    reference[law] = honest(sqrt(s.reference[law]));
    epsilon[law] = ratio(residual[law], reference[law], floor);
    const double facets = honest(tl_judge_larger(sqrt(s.faceted[law]), blur));
    const double facets_reference = honest(sqrt(s.faceted_reference[law]));
    faceted[law] = ratio(facets, facets_reference, floor);
    error[law] = error_of(facets, facets_reference, reference_scale, faceted[law]);
    siconos[law] = scale > 0 ? honest(sqrt(s.natural[law]) / scale) : honest(scale);
    rigid[law] = j->compliant ? ratio(honest(tl_judge_larger(sqrt(s.rigid[law]), blur)),
                                      honest(sqrt(s.rigid_reference[law])), floor)
                              : epsilon[law];
    complementarity[law] = s.size[law] > 0 ? honest(s.product[law] / s.size[law]) : 0;
  }
  *certificate = (talus_certificate){
      .struct_size = sizeof *certificate,
      .epsilon_ccp = epsilon[TALUS_LAW_CCP],
      .epsilon_coulomb = epsilon[TALUS_LAW_COULOMB],
      .residual_ccp = residual[TALUS_LAW_CCP] / unit,
      .residual_coulomb = residual[TALUS_LAW_COULOMB] / unit,
      .reference_ccp = reference[TALUS_LAW_CCP] / unit,
      .reference_coulomb = reference[TALUS_LAW_COULOMB] / unit,
      .siconos_ccp = siconos[TALUS_LAW_CCP],
      .siconos_coulomb = siconos[TALUS_LAW_COULOMB],
      .cone_violation = s.largest > 0 && isfinite(s.largest) ? honest(s.violation / s.largest)
                                                             : honest(s.largest),
      .complementarity = complementarity[TALUS_LAW_COULOMB],
      .complementarity_ccp = complementarity[TALUS_LAW_CCP],
      .dissipation = honest(s.dissipation) / unit / unit,
      .bilateral = honest(s.bilateral) / unit,
      .penetration_speed = honest(s.closing) / unit,
      .momentum_balance = honest(j->momentum_balance),
      .asymmetry = honest(j->asymmetry),
      .epsilon_faceted_ccp = faceted[TALUS_LAW_CCP],
      .epsilon_faceted_coulomb = faceted[TALUS_LAW_COULOMB],
      .error_ccp = error[TALUS_LAW_CCP],
      .error_coulomb = error[TALUS_LAW_COULOMB],
      .reference_scale = honest(reference_scale) / unit,
      .epsilon_rigid_ccp = rigid[TALUS_LAW_CCP],
      .epsilon_rigid_coulomb = rigid[TALUS_LAW_COULOMB],
  };
}

void tl_certification_evaluate(tl_certification *certification, talus_certificate *certificate) {
  tl_certification scaled;
  const tl_certification *j = certification;
  tl_judge_sums s;
  if (certification->velocity_wanted && tl_lanes_serve(certification)) {
    certification->contact_velocity = certification->velocity.memory;
  }
  all_judge(j, &s);
  const double unit = tl_certificate_unit(&s);
  if (unit != 1) {
    scaled = *certification;
    scaled.unit = unit;
    j = &scaled;
    all_judge(j, &s);
  }
  tl_certificate_conclude(&s, j, certificate);
}
