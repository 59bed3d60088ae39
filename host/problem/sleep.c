/* sleep.c: which islands sleep, and the problem without them. */
#include "host/problem/sleep.h"

#include <string.h>

/* ---- who is awake ---------------------------------------------------------------------------- */

/* awake[i]: some movable body of island i does not sleep. Returns how many islands sleep. */
static int32_t islands_wake(const talus_problem *problem, const tl_islands *found, int32_t *awake) {
  int32_t asleep = found->count;
  memset(awake, 0, (size_t)found->count * sizeof *awake);
  for (int32_t i = 0; i < found->unit_count; i++) {
    const int32_t island = found->of_unit[i];
    if (island >= 0 && problem->asleep[i] == 0 && !awake[island]) {
      awake[island] = 1;
      asleep--;
    }
  }
  return asleep;
}

/* Places of the constraints first .. first + count - 1 whose island is awake; returns how many. */
static int32_t awake_list(const talus_problem *problem, const tl_islands *found,
                          const int32_t *awake, int32_t first, int32_t count, int32_t *list) {
  int32_t used = 0;
  for (int32_t k = 0; k < count; k++) {
    const int32_t island = tl_islands_of(found, problem, first + k);
    if (island < 0 || awake[island]) { /* none: nothing of it moves, which is refused later */
      list[used++] = k;
    }
  }
  return used;
}

/* ---- arrays, closed up ----------------------------------------------------------------------- */

/* Room in one buffer, handed out piece by piece: first counted (memory NULL), then taken. */
typedef struct room {
  char *memory;
  size_t used;
} room;

static void *room_take(room *r, size_t bytes) {
  void *const piece = r->memory != NULL ? r->memory + r->used : NULL;
  r->used += (bytes + 7) / 8 * 8;
  return piece;
}

/* One array of `size` bytes per constraint; NULL stays NULL. */
static const void *closed_up(room *r, const void *from, size_t size, const int32_t *list,
                             int32_t count) {
  if (from == NULL) {
    return NULL;
  }
  char *const to = room_take(r, size * (size_t)count);
  for (int32_t i = 0; to != NULL && i < count; i++) {
    memcpy(to + size * (size_t)i, (const char *)from + size * (size_t)list[i], size);
  }
  return to != NULL ? to : from;
}

#define CLOSE_UP(array, numbers, list, count) \
  (array) = closed_up(r, (array), (numbers) * sizeof *(array), (list), (count))

static void rigid_close(room *r, const tl_sleep *s, talus_problem *p) {
  talus_rigid *const a = &p->rigid;
  CLOSE_UP(a->body_a, 1, s->contact, p->contact_count);
  CLOSE_UP(a->body_b, 1, s->contact, p->contact_count);
  CLOSE_UP(a->normal, 3, s->contact, p->contact_count);
  CLOSE_UP(a->reach_a, 1, s->contact, p->contact_count);
  CLOSE_UP(a->reach_b, 1, s->contact, p->contact_count);
  CLOSE_UP(a->arm_a, 3, s->contact, p->contact_count);
  CLOSE_UP(a->arm_b, 3, s->contact, p->contact_count);
  CLOSE_UP(a->bias, 1, s->contact, p->contact_count);
  CLOSE_UP(a->surface_velocity, 3, s->contact, p->contact_count);
  CLOSE_UP(a->row_body_a, 1, s->row, p->bilateral_count);
  CLOSE_UP(a->row_body_b, 1, s->row, p->bilateral_count);
  CLOSE_UP(a->row_jacobian, 12, s->row, p->bilateral_count);
  CLOSE_UP(a->row_bias, 1, s->row, p->bilateral_count);
}

/* The entries of form (b): offsets, blocks and Jacobians of `rows` rows. */
static void entries_close(room *r, const talus_blocks *b, const int32_t *list, int32_t count,
                          int32_t all, int32_t rows, const int64_t **start, const int32_t **block,
                          const double **jacobian) {
  if (*start == NULL || all == 0) {
    return;
  }
  const int64_t entries = (*start)[all];
  int64_t reals = 0;
  for (int64_t e = 0; e < entries; e++) {
    reals += (int64_t)rows * b->block_size[(*block)[e]];
  }
  int64_t *const new_start = room_take(r, ((size_t)count + 1) * sizeof *new_start);
  int32_t *const new_block = room_take(r, (size_t)entries * sizeof *new_block);
  double *const new_jacobian = room_take(r, (size_t)reals * sizeof *new_jacobian);
  if (new_start == NULL) {
    return;
  }
  int64_t used = 0, to = 0, from = 0;
  int32_t next = 0;
  for (int32_t k = 0; k < all; k++) {
    const bool taken = next < count && list[next] == k;
    if (taken) {
      new_start[next++] = used;
    }
    for (int64_t e = (*start)[k]; e < (*start)[k + 1]; e++) {
      const int64_t numbers = (int64_t)rows * b->block_size[(*block)[e]];
      if (taken) {
        new_block[used++] = (*block)[e];
        memcpy(new_jacobian + to, *jacobian + from, (size_t)numbers * sizeof **jacobian);
        to += numbers;
      }
      from += numbers;
    }
  }
  new_start[count] = used;
  *start = new_start;
  *block = new_block;
  *jacobian = new_jacobian;
}

static void blocks_close(room *r, const tl_sleep *s, talus_problem *p) {
  talus_blocks *const b = &p->blocks;
  entries_close(r, b, s->contact, p->contact_count, s->whole.contact_count, p->dimension,
                &b->contact_start, &b->contact_block, &b->contact_jacobian);
  entries_close(r, b, s->row, p->bilateral_count, s->whole.bilateral_count, 1, &b->bilateral_start,
                &b->bilateral_block, &b->bilateral_jacobian);
  CLOSE_UP(b->bias, (size_t)p->dimension, s->contact, p->contact_count);
  CLOSE_UP(b->bilateral_bias, 1, s->row, p->bilateral_count);
}

static void problem_close(room *r, const tl_sleep *s, talus_problem *p) {
  CLOSE_UP(p->friction, 1, s->contact, p->contact_count);
  CLOSE_UP(p->row_lower, 1, s->row, p->bilateral_count);
  CLOSE_UP(p->row_upper, 1, s->row, p->bilateral_count);
  CLOSE_UP(p->compliance, 2, s->contact, p->contact_count);
  CLOSE_UP(p->target_impulse, (size_t)p->dimension, s->contact, p->contact_count);
  CLOSE_UP(p->row_compliance, 1, s->row, p->bilateral_count);
  CLOSE_UP(p->row_target_impulse, 1, s->row, p->bilateral_count);
  CLOSE_UP(p->torque_friction, 2, s->contact, p->contact_count);
  CLOSE_UP(p->cross_friction, 1, s->contact, p->contact_count);
  CLOSE_UP(p->friction_direction, 3, s->contact, p->contact_count);
  if (p->form == TALUS_FORM_RIGID) {
    rigid_close(r, s, p);
  } else {
    blocks_close(r, s, p);
  }
}

static talus_status problem_shrink(talus_context *context, tl_sleep *sleep, int32_t contacts,
                                   int32_t rows) {
  talus_problem counted = sleep->whole;
  counted.contact_count = contacts;
  counted.bilateral_count = rows;
  counted.asleep = NULL;
  counted.contact_key = counted.row_key = NULL;
  sleep->awake = counted;
  room count = {NULL, 0};
  problem_close(&count, sleep, &counted);
  TL_TRY(tl_buffer_reserve(context, &sleep->arrays, count.used, 1, "problem of what is awake"));
  room fill = {sleep->arrays.memory, 0};
  problem_close(&fill, sleep, &sleep->awake);
  const size_t numbers = (size_t)sleep->whole.dimension * (size_t)sleep->whole.contact_count;
  TL_TRY(tl_buffer_reserve(context, &sleep->results,
                           2 * numbers + (size_t)sleep->whole.bilateral_count, sizeof(double),
                           "impulses of what sleeps"));
  sleep->contact_velocity = sleep->results.memory;
  sleep->impulse = sleep->contact_velocity + numbers;
  return TALUS_OK;
}

talus_status tl_sleep_take(talus_context *context, const talus_problem *problem, tl_sleep *sleep,
                           const talus_problem **awake) {
  sleep->active = 0;
  sleep->islands = sleep->skipped = 0;
  *awake = problem;
  if (problem->asleep == NULL) {
    return TALUS_OK;
  }
  TL_TRY(tl_islands_find(context, problem, &sleep->found));
  const int32_t contacts = problem->contact_count, rows = problem->bilateral_count;
  TL_TRY(tl_buffer_reserve(context, &sleep->lists,
                           (size_t)contacts + (size_t)rows + (size_t)sleep->found.count,
                           sizeof(int32_t), "islands"));
  sleep->contact = sleep->lists.memory;
  sleep->row = sleep->contact + contacts;
  int32_t *const wake = sleep->row + rows;
  sleep->islands = sleep->found.count;
  sleep->skipped = islands_wake(problem, &sleep->found, wake);
  if (sleep->skipped == 0) {
    return TALUS_OK;
  }
  sleep->whole = *problem;
  const int32_t left = awake_list(problem, &sleep->found, wake, 0, contacts, sleep->contact);
  const int32_t left_rows = awake_list(problem, &sleep->found, wake, contacts, rows, sleep->row);
  TL_TRY(problem_shrink(context, sleep, left, left_rows));
  sleep->active = 1;
  *awake = &sleep->awake;
  return TALUS_OK;
}

/* ---- results --------------------------------------------------------------------------------- */

void tl_sleep_select(const tl_sleep *sleep, const double *whole, double *awake) {
  const int64_t d = sleep->whole.dimension;
  for (int64_t i = 0; i < sleep->awake.contact_count; i++) {
    memcpy(awake + d * i, whole + d * sleep->contact[i], (size_t)d * sizeof *awake);
  }
  const double *const rows = whole + d * sleep->whole.contact_count;
  for (int64_t i = 0; i < sleep->awake.bilateral_count; i++) {
    awake[d * sleep->awake.contact_count + i] = rows[sleep->row[i]];
  }
}

static void contacts_spread(const tl_sleep *sleep, const double *awake, double *whole) {
  const int64_t d = sleep->whole.dimension;
  for (int64_t i = 0; i < sleep->awake.contact_count; i++) {
    memcpy(whole + d * sleep->contact[i], awake + d * i, (size_t)d * sizeof *whole);
  }
}

void tl_sleep_expand(const tl_sleep *sleep, const double *awake, double *whole) {
  const int64_t d = sleep->whole.dimension;
  contacts_spread(sleep, awake, whole);
  double *const rows = whole + d * sleep->whole.contact_count;
  for (int64_t i = 0; i < sleep->awake.bilateral_count; i++) {
    rows[sleep->row[i]] = awake[d * sleep->awake.contact_count + i];
  }
}

void tl_sleep_expand_contacts(const tl_sleep *sleep, const double *awake, double *whole) {
  memset(whole, 0,
         (size_t)sleep->whole.dimension * (size_t)sleep->whole.contact_count * sizeof *whole);
  contacts_spread(sleep, awake, whole);
}

void tl_sleep_release(talus_context *context, tl_sleep *sleep) {
  tl_islands_release(context, &sleep->found);
  tl_buffer_release(context, &sleep->lists);
  tl_buffer_release(context, &sleep->arrays);
  tl_buffer_release(context, &sleep->results);
}

int64_t tl_sleep_bytes(const tl_sleep *sleep) {
  return (int64_t)(sleep->found.memory.capacity + sleep->lists.capacity + sleep->arrays.capacity +
                   sleep->results.capacity);
}
