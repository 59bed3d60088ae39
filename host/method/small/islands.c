/* islands.c: groups of contacts that share no body that moves, solved each for itself.
 *
 * Islands of few constraints are written out and given to the backend, many at once (kernels/
 * small_batch.h); what is left goes on by the usual methods, from impulses that leave the small
 * islands nothing to do. Each is solved by one team, so that the bits do not depend on threads. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "host/method/small/round.h"
#include "kernels/item/phase.h"

enum { ISLAND_MOST = 64, WAVE_DOUBLES = 1 << 23 };

/* Lists of constraints: island i has list[start[i]] .. list[start[i + 1] - 1]. */
typedef struct groups {
  int32_t count;
  int32_t *start, *list;
  int32_t *place; /* of a constraint within its island */
} groups;

/* An island of a wave: what is needed to bring its impulses back. */
typedef struct record {
  int32_t island;
  double unit;
  double *frame, *root;
  int32_t *first;
} record;

/* ---- which constraints belong together ------------------------------------------------------- */

/* The units of constraint k, named by their offsets among the velocities, are joined; returns one
 * of them, or -1 if nothing that it touches moves. */
static int32_t constraint_join(const tl_system *system, int32_t k, tl_islands *islands) {
  if (system->shape.range[0].kind == TL_MATRIX) {
    for (int64_t e = system->row_first[k]; e < system->row_first[k + 1]; e++) {
      tl_islands_join(islands, 3 * k, 3 * system->column[e]);
    }
    tl_islands_join(islands, 3 * k, 3 * k);
    return 3 * k;
  }
  if (k < system->shape.rigid_contact_count) {
    const int32_t bodies = system->shape.rigid_count, a = system->body_a[k], b = system->body_b[k];
    const int32_t first = a < bodies ? TL_RECORD * a : -1, second = b < bodies ? TL_RECORD * b : -1;
    tl_islands_join(islands, first, second);
    return first >= 0 ? first : second;
  }
  const int32_t *const first = system->entry_first + (k - system->shape.entry_base);
  int32_t with = -1;
  for (int32_t e = first[0]; e < first[1]; e++) {
    tl_islands_join(islands, with, system->entry[e].offset);
    with = system->entry[e].offset;
  }
  return with;
}

/* The islands' constraints in ascending order; what touches nothing that moves is an island of its
 * own. */
static void groups_list(int32_t n, tl_islands *islands, groups *g) {
  int32_t *const island = g->place; /* of each constraint, from the unit that stands there */
  tl_islands_number(islands);
  g->count = islands->count;
  for (int32_t k = 0; k < n; k++) {
    island[k] = island[k] >= 0 ? islands->of_unit[island[k]] : g->count++;
  }
  memset(g->start, 0, ((size_t)g->count + 2) * sizeof *g->start);
  for (int32_t k = 0; k < n; k++) {
    g->start[island[k] + 2]++;
  }
  for (int32_t i = 0; i < g->count; i++) {
    g->start[i + 2] += g->start[i + 1];
  }
  for (int32_t k = 0; k < n; k++) { /* start[i + 1] runs from start[i] to the next one's */
    g->list[g->start[island[k] + 1]++] = k;
  }
  for (int32_t i = 0; i < g->count; i++) {
    for (int32_t j = g->start[i]; j < g->start[i + 1]; j++) {
      g->place[g->list[j]] = j - g->start[i];
    }
  }
}

static talus_status groups_find(tl_small *small, const tl_system *system, groups *g) {
  const int32_t n = system->shape.contact_count;
  TL_TRY(tl_islands_begin(small->context, &small->forest, system->shape.velocity_size));
  TL_TRY(tl_buffer_reserve(small->context, &small->groups, 3 * (size_t)n + 2, sizeof(int32_t),
                           "islands"));
  g->start = small->groups.memory;
  g->list = g->start + n + 2;
  g->place = g->list + n;
  for (int32_t k = 0; k < n; k++) {
    g->place[k] = constraint_join(system, k, &small->forest);
  }
  groups_list(n, &small->forest, g);
  return TALUS_OK;
}

/* ---- a wave of them -------------------------------------------------------------------------- */

typedef struct wave {
  int32_t count, capacity;
  tl_small_problem *item;
  tl_small_result *result;
  double **best;
  record *record;
  double *at, *end; /* of the memory for their numbers */
  int64_t room;     /* scratch of the largest */
} wave;

static double *copy(wave *w, const double *from, int64_t count) {
  double *const to = w->at;
  memcpy(to, from, (size_t)count * sizeof *to);
  w->at += count;
  return to;
}

static int64_t doubles_of(const tl_scaled *scaled) {
  return (int64_t)scaled->stride * (scaled->rows + 2) + 16 * (int64_t)scaled->count + 1;
}

/* Keeps the island that was written out; its start is the best so far. */
static void wave_add(wave *w, const tl_small *small, int32_t island) {
  const tl_scaled *const scaled = &small->scaled;
  const int64_t n = scaled->count, stride = scaled->stride;
  tl_small_problem item = tl_round_item(small);
  item.w = copy(w, scaled->w, stride * scaled->rows);
  item.q = copy(w, scaled->q, stride);
  w->best[w->count] = copy(w, small->best.y, stride);
  item.friction = copy(w, scaled->friction, n);
  item.lower = copy(w, scaled->lower, n);
  item.upper = copy(w, scaled->upper, n);
  item.pace = copy(w, small->pace, n);
  record r = {island, scaled->unit, copy(w, scaled->frame, 9 * n), copy(w, scaled->root, n),
              (int32_t *)(void *)w->at};
  int32_t *const integers = r.first; /* 2 n + 1 of them */
  memcpy(integers, scaled->first, (size_t)(n + 1) * sizeof *integers);
  memcpy(integers + n + 1, scaled->kind, (size_t)n * sizeof *integers);
  item.first = integers;
  item.kind = integers + n + 1;
  w->at += n + 1;
  w->item[w->count] = item;
  w->record[w->count] = r;
  w->result[w->count] = (tl_small_result){.epsilon = small->best.epsilon};
  const int64_t room = tl_small_reals(scaled->count, scaled->rows);
  w->room = room > w->room ? room : w->room;
  w->count++;
  assert(w->count <= w->capacity && w->at <= w->end);
}

/* The plan of every island, with the iterations that are left. */
static int32_t plan_make(const tl_run *run, tl_small_phase *plan) {
  const talus_settings *const settings = run->settings;
  const int64_t left = settings->max_iterations - run->iterations;
  const int32_t count = tl_round_plan(settings, tl_small_target(settings), plan);
  for (int32_t i = 0; i < count; i++) {
    plan[i].all = left < plan[i].all ? (int32_t)left : plan[i].all;
  }
  return count;
}

/* Solves the wave, and writes its impulses where they belong. */
static talus_status wave_solve(tl_run *run, const groups *g, wave *w, double *impulse) {
  tl_small *const small = run->memory->small;
  const int32_t threads = run->threads;
  int32_t steps = 0;
  tl_small_phase plan[TL_ROUND_PHASES];
  TL_TRY(tl_buffer_reserve(small->context, &small->work, (size_t)(w->room * threads),
                           sizeof(double), "steps of small problems"));
  const tl_small_batch batch = {.count = w->count,
                                .problem = w->item,
                                .best = w->best,
                                .result = w->result,
                                .phase = plan,
                                .phase_count = plan_make(run, plan),
                                .room = small->work.memory,
                                .room_stride = w->room,
                                .threads = threads};
  TL_TRY(run->context->backend->small(run->context, &batch));
  for (int32_t i = 0; i < w->count; i++) {
    const record *const r = &w->record[i];
    double own[3 * ISLAND_MOST];
    const tl_scaled island = {.count = w->item[i].count,
                              .first = r->first,
                              .frame = r->frame,
                              .root = r->root,
                              .unit = r->unit};
    tl_scaled_impulse_export(&island, w->best[i], own);
    for (int32_t j = 0; j < island.count; j++) {
      memcpy(impulse + 3 * (int64_t)g->list[g->start[r->island] + j], own + 3 * j,
             3 * sizeof *impulse);
    }
    steps = w->result[i].steps > steps ? w->result[i].steps : steps;
  }
  run->iterations += steps; /* they are independent: the longest counts */
  w->count = 0;
  return TALUS_OK;
}

static talus_status wave_open(tl_small *small, int32_t capacity, wave *w) {
  const size_t one = sizeof *w->item + sizeof *w->result + sizeof *w->best + sizeof *w->record;
  TL_TRY(tl_buffer_reserve(small->context, &small->records, (size_t)capacity * one, 1, "islands"));
  TL_TRY(
      tl_buffer_reserve(small->context, &small->islands, WAVE_DOUBLES, sizeof(double), "islands"));
  *w = (wave){.capacity = capacity, .item = small->records.memory};
  w->result = (tl_small_result *)(void *)(w->item + capacity);
  w->record = (record *)(void *)(w->result + capacity);
  w->best = (double **)(void *)(w->record + capacity);
  w->at = small->islands.memory;
  w->end = w->at + WAVE_DOUBLES;
  return TALUS_OK;
}

/* Writes an island out, starting from the impulses at hand. */
static talus_status island_form(tl_run *run, const groups *g, int32_t i, const double *impulse) {
  tl_small *const small = run->memory->small;
  const int32_t count = g->start[i + 1] - g->start[i];
  const tl_scaled_options part = {.pick = g->list + g->start[i], .place = g->place, .count = count};
  TL_TRY(tl_small_form(small, run->assembly, &part));
  tl_small_reset(small, run->settings, 0);
  for (int32_t j = 0; j < count; j++) {
    memcpy(small->engine + 3 * j, impulse + 3 * (int64_t)part.pick[j], 3 * sizeof *impulse);
  }
  tl_scaled_impulse_import(&small->scaled, small->engine, small->y);
  tl_small_offer(small, small->y, small->u);
  return TALUS_OK;
}

/* *stopped: a limit came between two waves. */
static talus_status islands_solve(tl_run *run, const groups *g, double *impulse, bool *stopped) {
  tl_small *const small = run->memory->small;
  const double target = tl_small_target(run->settings);
  wave w;
  *stopped = false;
  TL_TRY(wave_open(small, g->count, &w));
  for (int32_t i = 0; i < g->count; i++) {
    if (g->start[i + 1] - g->start[i] > ISLAND_MOST) {
      continue;
    }
    TL_TRY(island_form(run, g, i, impulse));
    if (!(small->scaled.reference[small->law] > 0) || small->best.epsilon <= target) {
      continue;
    }
    if (w.end - w.at < doubles_of(&small->scaled)) {
      double *const begin = small->islands.memory;
      TL_TRY(wave_solve(run, g, &w, impulse));
      TL_TRY(island_form(run, g, i, impulse));
      w.at = begin;
      *stopped = tl_run_limit(run);
      if (*stopped) {
        return TALUS_OK;
      }
    }
    wave_add(&w, small, i);
  }
  return w.count > 0 ? wave_solve(run, g, &w, impulse) : TALUS_OK;
}

talus_status tl_islands_attempt(tl_run *run, bool *done) {
  const tl_system *const system = &run->assembly->system;
  groups g;
  *done = false;
  TL_TRY(tl_small_make(run->context, run->memory));
  tl_small *const small = run->memory->small;
  small->scaled.facet_count = 0;
  TL_TRY(groups_find(small, system, &g));
  TL_TRY(tl_buffer_reserve(small->context, &small->slips, 3 * (size_t)system->shape.contact_count,
                           sizeof(double), "impulses of islands"));
  double *const impulse = small->slips.memory;
  TL_TRY(run->ops->finish(run->engine, impulse));
  bool stopped;
  const talus_status status = islands_solve(run, &g, impulse, &stopped);
  small->ready = false; /* what is written out is an island, not the problem */
  TL_TRY(status);
  run->passes++;
  run->outcome = stopped ? run->outcome : TALUS_OUTCOME_STALLED;
  TL_TRY(tl_run_offer(run, impulse, done));
  *done = *done || stopped;
  return TALUS_OK;
}
