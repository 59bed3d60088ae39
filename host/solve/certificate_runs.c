/* certificate_runs.c: the constraints of a certificate in runs: their facts are stated, judged by
 * whoever has time, and added in one order, or without rounding where there are bricks. */
#include <string.h>

#include "host/base/each.h"
#include "host/solve/certificate.h"
#include "kernels/halo.h"
#include "kernels/item/exact.h"

enum { FEW_RUNS = 8 }; /* are not worth waking threads for */

int64_t tl_certification_runs(const tl_certification *j) {
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
      tl_facts facts;
      int32_t begin;
      const int32_t count = run_facts(j, run, &begin, &facts);
      tl_facts_judge(j, begin, count, &facts, &part[run]);
    }
  }
}

/* The largest of all ranks' numbers, none of which is negative: they are ordered as their bits
 * are, and above all others what is no number. */
static void largest_share(tl_halo *halo, double *value, int32_t count) {
  int64_t bits[TL_JUDGE_MOST];
  for (int32_t i = 0; i < count; i++) {
    memcpy(&bits[i], &value[i], sizeof bits[i]);
    bits[i] &= INT64_MAX;
  }
  halo->largest(halo, bits, count);
  memcpy(value, bits, (size_t)count * sizeof *value);
}

/* The sums of all runs, of all ranks, without rounding, the largest of the rest. */
static void exact_add(const tl_certification *j, int64_t runs, tl_judge_sums *s) {
  _Static_assert(sizeof(tl_judge_sums) == TL_JUDGE_SUMS * sizeof(double), "sums, then the largest");
  const double *const value = (const double *)j->partial.memory;
  tl_halo *const halo = j->bricks->halo;
  double *const sum = (double *)s;
  tl_exact exact[TL_JUDGE_ADDED];
  memset(exact, 0, sizeof exact);
  memset(s, 0, sizeof *s);
  for (int n = 0; n < TL_JUDGE_SUMS; n++) {
    for (int64_t run = 0; run < runs; run++) {
      if (halo != NULL && halo->chunk_role[run] != TL_HALO_OWN) {
        continue;
      }
      if (n < TL_JUDGE_ADDED) {
        tl_exact_add(&exact[n], value[run * TL_JUDGE_SUMS + n]);
      } else {
        sum[n] = tl_judge_larger(sum[n], value[run * TL_JUDGE_SUMS + n]);
      }
    }
  }
  if (halo != NULL) {
    halo->sum(halo, exact[0].digit, TL_JUDGE_ADDED * TL_EXACT_DIGITS);
    largest_share(halo, sum + TL_JUDGE_ADDED, TL_JUDGE_MOST);
  }
  for (int n = 0; n < TL_JUDGE_ADDED; n++) {
    sum[n] = tl_exact_round(&exact[n]);
  }
}

/* Runs are judged by whoever has time and added in order: the sums do not depend on the threads. */
void tl_certification_sums(const tl_certification *j, tl_judge_sums *s) {
  tl_judge_sums *const part = j->partial.memory;
  const int64_t runs = tl_certification_runs(j);
  run_task task = {j, NULL};
  tl_each(j->context, runs > FEW_RUNS ? j->threads : 1, runs, runs_judge, &task);
  if (j->bricks != NULL) {
    exact_add(j, runs, s);
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
  const int64_t runs = tl_certification_runs(j);
  run_task task = {j, contact_velocity};
  tl_each(j->context, runs > FEW_RUNS ? j->threads : 1, runs, runs_velocity, &task);
  return contact_velocity;
}

void tl_certification_row_velocity(const tl_certification *j, double *row_velocity) {
  const int32_t contacts = j->problem->contact_count;
  for (int64_t run = 0; run < tl_certification_runs(j); run++) {
    tl_facts facts;
    int32_t first;
    const int32_t count = run_find(j, run).rows ? run_facts(j, run, &first, &facts) : 0;
    for (int64_t i = 0; i < count; i++) {
      row_velocity[tl_certification_constraint(j, first, i) - contacts] = facts.velocity[3 * i];
    }
  }
}
