/* certificate_lanes.c: contacts of form (a) with three rows and circular cones, several at once.
 *
 * What the bodies and contacts of a group are is copied side by side first, so that the items of
 * judge.h run in wide registers; then the group's values are added contact by contact, in the order
 * in which certificate.c would: the bits are the same. */
#include <string.h>

#include "host/base/clones.h"
#include "host/solve/certificate.h"
#include "kernels/item/judge_rigid.h"

enum { LANES = 32 }; /* contacts of a group: their numbers stay in the first-level cache */

typedef double lane[LANES];

/* Bodies a or b. */
typedef struct end_lanes {
  lane after[6], before[6], inertia[6], mass, arm[3];
} end_lanes;

typedef struct contact_lanes {
  end_lanes end[2];
  lane impulse[3], normal[3], bias, surface[3], friction;
  lane compliance[2], target[3];
  lane velocity[3]; /* found: u without compliance */
} contact_lanes;

/* What a contact adds to the sums; the last four are maxima. */
enum {
  RESIDUAL = 0,
  REFERENCE = 2,
  RIGID = 4,
  RIGID_REFERENCE = 6,
  NATURAL = 8,
  PRODUCT = 10,
  SIZE = 12,
  IMPULSE = 14,
  VELOCITY,
  FREE,
  ROUNDING,
  LOAD,
  INVERSE_WEIGHT,
  DISSIPATION,
  FASTEST,
  VIOLATION,
  LARGEST,
  CLOSING,
  VALUES
};

/* ---- copying --------------------------------------------------------------------------------- */

/* The ground is a body at rest that nothing moves. */
static void end_copy(const tl_certification *j, int64_t k, int side, int32_t i, end_lanes *end) {
  const talus_rigid *const rigid = &j->problem->rigid;
  const int32_t body = side ? rigid->body_b[k] : rigid->body_a[k];
  static const double none[6] = {0};
  const double *const after = body >= 0 ? j->motion + 6 * (int64_t)body : none;
  const double *const before = body >= 0 ? rigid->velocity + 6 * (int64_t)body : none;
  const double *const inertia = body >= 0 ? rigid->inverse_inertia + 6 * (int64_t)body : none;
  for (int c = 0; c < 6; c++) {
    end->after[c][i] = after[c];
    end->before[c][i] = before[c];
    end->inertia[c][i] = inertia[c];
  }
  end->mass[i] = body >= 0 ? rigid->inverse_mass[body] : 0;
  double arm[3];
  tl_judge_arm(rigid, k, side, arm);
  for (int c = 0; c < 3; c++) {
    end->arm[c][i] = body >= 0 ? arm[c] : 0;
  }
}

static void vectors_copy(const double *from, const int32_t *contact, int32_t count, lane *to) {
  for (int32_t i = 0; i < count; i++) {
    for (int c = 0; c < 3; c++) {
      to[c][i] = from != NULL ? from[3 * (int64_t)contact[i] + c] : 0;
    }
  }
}

static void group_copy(const tl_certification *j, const int32_t *contact, int32_t count,
                       contact_lanes *g) {
  const talus_problem *const p = j->problem;
  for (int32_t i = 0; i < count; i++) {
    const int32_t k = contact[i];
    end_copy(j, k, 0, i, &g->end[0]);
    end_copy(j, k, 1, i, &g->end[1]);
    g->bias[i] = p->rigid.bias != NULL ? p->rigid.bias[k] : 0;
    g->friction[i] = p->friction != NULL ? p->friction[k] : 0;
  }
  vectors_copy(j->impulse, contact, count, g->impulse);
  vectors_copy(p->rigid.normal, contact, count, g->normal);
  vectors_copy(p->rigid.surface_velocity, contact, count, g->surface);
  for (int32_t i = 0; i < count && j->compliant; i++) {
    const double *const c = p->compliance != NULL ? p->compliance + 2 * (int64_t)contact[i] : NULL;
    g->compliance[0][i] = c != NULL ? c[0] : 0;
    g->compliance[1][i] = c != NULL ? c[1] : 0;
  }
  if (j->compliant) {
    vectors_copy(p->target_impulse, contact, count, g->target);
  }
}

/* ---- judging --------------------------------------------------------------------------------- */

TL_ITEM void vector_load(lane *from, int32_t i, double *v) {
  v[0] = from[0][i];
  v[1] = from[1][i];
  v[2] = from[2][i];
}

TL_ITEM void end_add(end_lanes *from, int32_t i, int side, tl_judge_fact *f) {
  tl_judge_end end;
  for (int c = 0; c < 6; c++) {
    end.after[c] = from->after[c][i];
    end.before[c] = from->before[c][i];
    end.inertia[c] = from->inertia[c][i];
  }
  end.mass = from->mass[i];
  vector_load(from->arm, i, end.arm);
  tl_judge_end_add(&end, side, f);
}

TL_ITEM void values_save(const tl_judge_sums *s, int32_t i, lane *value) {
  for (int law = 0; law < TL_LAW_COUNT; law++) {
    value[RESIDUAL + law][i] = s->residual[law];
    value[REFERENCE + law][i] = s->reference[law];
    value[RIGID + law][i] = s->rigid[law];
    value[RIGID_REFERENCE + law][i] = s->rigid_reference[law];
    value[NATURAL + law][i] = s->natural[law];
    value[PRODUCT + law][i] = s->product[law];
    value[SIZE + law][i] = s->size[law];
  }
  value[IMPULSE][i] = s->impulse;
  value[VELOCITY][i] = s->velocity;
  value[FREE][i] = s->free;
  value[ROUNDING][i] = s->rounding;
  value[LOAD][i] = s->load;
  value[INVERSE_WEIGHT][i] = s->inverse_weight;
  value[DISSIPATION][i] = s->dissipation;
  value[FASTEST][i] = s->fastest;
  value[VIOLATION][i] = s->violation;
  value[LARGEST][i] = s->largest;
  value[CLOSING][i] = s->closing;
}

TL_ITEM void contact_judge(contact_lanes *g, int32_t i, const int compliant, lane *value) {
  double n[3], surface[3], residual[TL_LAW_COUNT], reference[TL_LAW_COUNT];
  tl_judge_fact f;
  tl_judge_sums s = {.impulse = 0};
  vector_load(g->impulse, i, f.impulse);
  vector_load(g->normal, i, n);
  vector_load(g->surface, i, surface);
  tl_judge_fact_begin(g->bias[i], n, surface, &f);
  end_add(&g->end[0], i, 0, &f);
  end_add(&g->end[1], i, 1, &f);
  f.weight /= 3;
  for (int c = 0; c < 3; c++) {
    g->velocity[c][i] = f.velocity[c];
  }
  if (compliant) {
    tl_yielding c = {g->compliance[0][i], g->compliance[1][i], {0, 0, 0}};
    vector_load(g->target, i, c.target);
    tl_judge_squares(&f, g->friction[i], n, s.rigid, s.rigid_reference);
    tl_judge_comply(&f, &c, n, 3);
  }
  tl_judge_contact(&f, g->friction[i], n, residual, reference, &s);
  values_save(&s, i, value);
}

TL_CLONES static void group_judge(contact_lanes *g, int32_t count, int compliant, lane *value) {
  if (compliant) {
#pragma omp simd
    for (int32_t i = 0; i < count; i++) {
      contact_judge(g, i, 1, value);
    }
  } else {
#pragma omp simd
    for (int32_t i = 0; i < count; i++) {
      contact_judge(g, i, 0, value);
    }
  }
}

/* u alone. */
TL_ITEM void contact_velocity(contact_lanes *g, int32_t i) {
  double n[3], surface[3];
  tl_judge_fact f;
  vector_load(g->normal, i, n);
  vector_load(g->surface, i, surface);
  tl_judge_fact_begin(g->bias[i], n, surface, &f);
  end_add(&g->end[0], i, 0, &f);
  end_add(&g->end[1], i, 1, &f);
  for (int c = 0; c < 3; c++) {
    g->velocity[c][i] = f.velocity[c];
  }
}

TL_CLONES static void group_velocity(contact_lanes *g, int32_t count) {
#pragma omp simd
  for (int32_t i = 0; i < count; i++) {
    contact_velocity(g, i);
  }
}

static void velocity_save(contact_lanes *g, const int32_t *contact, int32_t count,
                          double *velocity) {
  for (int32_t i = 0; i < count; i++) {
    for (int c = 0; c < 3; c++) {
      velocity[3 * (int64_t)contact[i] + c] = g->velocity[c][i];
    }
  }
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* One contact after the other; several sums at a time hide the latency of an addition. */
TL_CLONES static void group_add(lane *value, int32_t count, double *sum) {
  for (int32_t i = 0; i < count; i++) {
    for (int v = 0; v < FASTEST; v++) {
      sum[v] += value[v][i];
    }
  }
  for (int v = FASTEST; v < VALUES; v++) {
    for (int32_t i = 0; i < count; i++) {
      sum[v] = tl_judge_larger(sum[v], value[v][i]);
    }
  }
}

static void sums_set(const double *sum, tl_judge_sums *s) {
  memset(s, 0, sizeof *s);
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    s->residual[law] = s->faceted[law] = sum[RESIDUAL + law];
    s->reference[law] = s->faceted_reference[law] = sum[REFERENCE + law];
    s->rigid[law] = sum[RIGID + law];
    s->rigid_reference[law] = sum[RIGID_REFERENCE + law];
    s->natural[law] = sum[NATURAL + law];
    s->product[law] = sum[PRODUCT + law];
    s->size[law] = sum[SIZE + law];
  }
  s->impulse = sum[IMPULSE];
  s->velocity = sum[VELOCITY];
  s->free = sum[FREE];
  s->rounding = sum[ROUNDING];
  s->load = sum[LOAD];
  s->inverse_weight = sum[INVERSE_WEIGHT];
  s->dissipation = sum[DISSIPATION];
  s->fastest = sum[FASTEST];
  s->violation = sum[VIOLATION];
  s->largest = sum[LARGEST];
  s->closing = sum[CLOSING];
}

bool tl_lanes_serve(const tl_certification *j) {
  return j->problem->form == TALUS_FORM_RIGID && j->problem->dimension == 3 && !j->wrenches &&
         j->polygon.count == 0 && j->unit == 1;
}

/* Copies the group that begins at `done` of the contacts from `first` on; returns their number.
 * Asks for the bodies of the next one: those of the second side lie anywhere. */
static int32_t group_take(const tl_certification *j, int32_t first, int32_t done, int32_t count,
                          int32_t *contact, contact_lanes *g) {
  const int32_t next = count - done < LANES ? count - done : LANES;
  for (int32_t i = 0; i < next; i++) {
    contact[i] = tl_certification_constraint(j, first, done + i);
  }
  const talus_rigid *const rigid = &j->problem->rigid;
  for (int32_t i = done + next; i < done + next + LANES && i < count; i++) {
    const int32_t at = rigid->body_b[tl_certification_constraint(j, first, i)];
    const int64_t body = at >= 0 ? at : 0;
    TL_PREFETCH(j->motion + 6 * body);
    TL_PREFETCH(rigid->velocity + 6 * body);
    TL_PREFETCH(rigid->inverse_inertia + 6 * body);
    TL_PREFETCH(rigid->inverse_mass + body);
  }
  group_copy(j, contact, next, g);
  return next;
}

void tl_lanes_judge(const tl_certification *j, int32_t first, int32_t count, tl_judge_sums *s) {
  contact_lanes g;
  lane value[VALUES];
  double sum[VALUES] = {0};
  int32_t contact[LANES];
  for (int32_t done = 0; done < count; done += LANES) {
    const int32_t next = group_take(j, first, done, count, contact, &g);
    group_judge(&g, next, j->compliant, value);
    group_add(value, next, sum);
    if (j->contact_velocity != NULL) {
      velocity_save(&g, contact, next, j->contact_velocity);
    }
  }
  sums_set(sum, s);
}

void tl_lanes_velocity(const tl_certification *j, int32_t first, int32_t count, double *velocity) {
  contact_lanes g;
  int32_t contact[LANES];
  for (int32_t done = 0; done < count; done += LANES) {
    const int32_t next = group_take(j, first, done, count, contact, &g);
    group_velocity(&g, next);
    velocity_save(&g, contact, next, velocity);
  }
}
