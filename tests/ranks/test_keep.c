/* test_keep.c: ranks that are given one problem after the other keep who has what of them while
 * nothing but numbers changes, and at no other time: the bits of one context that is given each
 * problem alone, and how many exchanges an update takes. */
#include <pthread.h>
#include <stdbool.h>

#include "host/solve/queued.h"
#include "host/solve/solver.h"
#include "tests/check.h"
#include "tests/ranks/counted.h"
#include "tests/ranks/pieces.h"

enum { EDGE = 9, MOST = 3 };
static const double BRICK = 3;
/* A kept deal takes four exchanges of numbers, or one, and one by its halo; others take more than
 * twenty. */
enum { FEW = 5 };

/* What is other than in the problem before. */
typedef enum change {
  FIRST,
  NUMBERS,  /* velocities, biases, frictions, positions within the bricks */
  REVERSED, /* a contact that joins its bodies the other way round */
  OTHER,    /* ... another body of the same rank, in the same brick */
  SLIDING,  /* no friction, as when positions are corrected */
  STICKING, /* friction again */
  MOVED,    /* a body in another brick */
  HELD,     /* a body that does not move any more */
  RENAMED,  /* two bodies that have each other's names: those of others follow */
  CUT,      /* bricks that other ranks own */
  AGAIN,
  CHANGES
} change;

static const bool kept[CHANGES] = {
    [NUMBERS] = true, [SLIDING] = true, [STICKING] = true, [AGAIN] = true};

typedef struct session {
  bed d[CHANGES];
  solved s[CHANGES];
  int32_t *holder;         /* NULL: bodies are given without any sense */
  uint64_t first[2][MOST]; /* of the bricks' owners, before CUT and from it on */
} session;

typedef struct seat {
  pthread_t thread;
  counted of;
  talus_thread_ranks *ranks;
  int32_t rank, size;
  session *what;
  talus_status status;
  int64_t exchanges[CHANGES], bytes[CHANGES]; /* of updates */
  char message[400];
} seat;

/* ---- the problems ---------------------------------------------------------------------------- */

/* The brick of a body, as far as it tells from others. */
static tl_brick brick_of(const bed *d, int32_t body) {
  return tl_brick_at(d->position + 3 * (int64_t)body, BRICK);
}

/* A contact with both bodies in one brick, given by one rank. */
static int32_t contact_inside(const session *e, const bed *d, int32_t size) {
  for (int32_t k = d->contact_count / 2; k < d->contact_count; k++) {
    const int32_t a = d->a[k], b = d->b[k];
    if (a >= 0 && brick_of(d, a) == brick_of(d, b) &&
        piece_giver(&e->s[0], a, size) == piece_giver(&e->s[0], b, size)) {
      return k;
    }
  }
  return -1;
}

/* Another body in the brick of one, of the same rank, that a given body is not. */
static int32_t body_beside(const session *e, const bed *d, int32_t body, int32_t not,
                           int32_t size) {
  for (int32_t i = 0; i < d->body_count; i++) {
    if (i != body && i != not &&brick_of(d, i) == brick_of(d, body) &&
        piece_giver(&e->s[0], i, size) == piece_giver(&e->s[0], body, size)) {
      return i;
    }
  }
  return -1;
}

static void numbers_change(bed *d, int32_t turn) {
  uint64_t seed = 77 + (uint64_t)turn;
  for (int64_t i = 0; i < 6 * (int64_t)d->body_count; i++) {
    d->velocity[i] += 0.002 * (bed_random(&seed) - 0.5);
  }
  for (int32_t k = 0; k < d->contact_count; k++) {
    d->bias[k] += 0.001 * bed_random(&seed);
    d->friction[k] = 0.3 + 0.4 * bed_random(&seed);
  }
  for (int32_t i = 0; i < d->body_count; i++) {
    double at[3];
    memcpy(at, d->position + 3 * (int64_t)i, sizeof at);
    at[0] += 0.01 * (bed_random(&seed) - 0.5);
    if (tl_brick_at(at, BRICK) == brick_of(d, i)) {
      d->position[3 * (int64_t)i] = at[0];
    }
  }
}

static void ends_reverse(bed *d, int32_t k) {
  const int32_t a = d->a[k];
  d->a[k] = d->b[k];
  d->b[k] = a;
}

static void change_make(const session *e, bed *d, change what, int32_t size) {
  const int32_t k = contact_inside(e, d, size);
  CHECK(k >= 0);
  const int32_t other = body_beside(e, d, d->a[k], d->b[k], size);
  CHECK(other >= 0);
  const int64_t body = d->body_count / 2;
  switch (what) {
  case REVERSED:
    ends_reverse(d, k);
    break;
  case OTHER:
    d->a[k] = other;
    break;
  case MOVED:
    d->position[3 * body] += d->position[3 * body] > BRICK ? -BRICK : BRICK;
    break;
  case HELD:
    d->mass[body] = 0;
    memset(d->inertia + 6 * body, 0, 6 * sizeof(double));
    break;
  default:
    break;
  }
  numbers_change(d, (int32_t)what);
}

static void bed_copy(const bed *from, bed *to) {
  const size_t bodies = (size_t)from->body_count, contacts = (size_t)from->contact_count;
  bed_take(to, from->body_count);
  to->edge = from->edge;
  to->body_count = from->body_count;
  to->contact_count = from->contact_count;
  to->row_count = from->row_count;
  memcpy(to->position, from->position, 3 * bodies * sizeof(double));
  memcpy(to->velocity, from->velocity, 6 * bodies * sizeof(double));
  memcpy(to->mass, from->mass, bodies * sizeof(double));
  memcpy(to->inertia, from->inertia, 6 * bodies * sizeof(double));
  memcpy(to->a, from->a, contacts * sizeof(int32_t));
  memcpy(to->b, from->b, contacts * sizeof(int32_t));
  memcpy(to->reach_a, from->reach_a, contacts * sizeof(double));
  memcpy(to->reach_b, from->reach_b, contacts * sizeof(double));
  memcpy(to->bias, from->bias, contacts * sizeof(double));
  memcpy(to->friction, from->friction, contacts * sizeof(double));
  memcpy(to->normal, from->normal, 3 * contacts * sizeof(double));
  memcpy(to->arm_a, from->arm_a, 3 * contacts * sizeof(double));
  memcpy(to->arm_b, from->arm_b, 3 * contacts * sizeof(double));
  memcpy(to->row_a, from->row_a, (size_t)from->row_count * sizeof(int32_t));
  memcpy(to->row_b, from->row_b, (size_t)from->row_count * sizeof(int32_t));
  memcpy(to->jacobian, from->jacobian, 12 * (size_t)from->row_count * sizeof(double));
}

/* Cuts of the curve by hand: near what `size` equal parts of the bed would be. */
static void cuts_make(session *e, int32_t size) {
  uint64_t low = UINT64_MAX, high = 0;
  for (int32_t i = 0; i < e->d[0].body_count; i++) {
    const uint64_t curve = tl_brick_curve(brick_of(&e->d[0], i));
    low = curve < low ? curve : low;
    high = curve > high ? curve : high;
  }
  for (int32_t r = 0; r < size; r++) {
    e->first[0][r] = r == 0 ? 0 : low + (high - low) / (uint64_t)size * (uint64_t)r;
    e->first[1][r] = r == 0 ? 0 : e->first[0][r] + (high - low) / 7;
  }
}

static void session_make(session *e, int32_t size, bool local) {
  memset(e, 0, sizeof *e);
  for (change what = FIRST; what < CHANGES; what++) {
    if (what == FIRST) {
      bed_make(&e->d[0], EDGE, 1, 4);
      cuts_make(e, size);
      e->holder = local ? bed_room(e->d[0].body_count, sizeof *e->holder) : NULL;
      for (int32_t i = 0; local && i < e->d[0].body_count; i++) {
        const uint64_t curve = tl_brick_curve(brick_of(&e->d[0], i));
        for (int32_t r = 0; r < size; r++) {
          e->holder[i] = curve >= e->first[0][r] ? r : e->holder[i];
        }
      }
    } else {
      bed_copy(&e->d[what - 1], &e->d[what]);
    }
    solved *const s = &e->s[what];
    solved_make(s, &e->d[what], 0, BRICK);
    s->holder = e->holder;
    s->settings.method = TALUS_METHOD_GAUSS_SEIDEL_NESTEROV;
    s->settings.fixed_iterations = 12;
    if (what != FIRST) {
      change_make(e, &e->d[what], what, size);
    }
    s->whole.friction = what == SLIDING ? NULL : s->whole.friction;
    for (int32_t i = 0; what >= RENAMED && i < e->d[what].body_count; i++) {
      s->id[i] += 1;
    }
  }
}

static void session_release(session *e) {
  for (change what = FIRST; what < CHANGES; what++) {
    solved_release(&e->s[what]);
    bed_release(&e->d[what]);
  }
  free(e->holder);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static talus_status change_solve(seat *own, talus_solver *solver, change what, piece *p) {
  solved *const s = &own->what->s[what];
  talus_solution solution = talus_solution_default();
  const bed *const d = s->d;
  solution.impulse = bed_room(3 * (int64_t)d->contact_count, sizeof(double));
  solution.contact_velocity = bed_room(3 * (int64_t)d->contact_count, sizeof(double));
  solution.bilateral_impulse = bed_room(d->row_count, sizeof(double));
  solution.velocity = bed_room(6 * (int64_t)d->body_count, sizeof(double));
  own->exchanges[what] = own->of.exchanges;
  own->bytes[what] = own->of.bytes_sent;
  talus_status status = talus_solver_update(solver, &p->problem);
  own->exchanges[what] = own->of.exchanges - own->exchanges[what];
  own->bytes[what] = own->of.bytes_sent - own->bytes[what];
  status = status == TALUS_OK ? talus_solver_solve(solver, &solution, NULL) : status;
  if (status == TALUS_OK) {
    piece_put(p, &solution, s);
  }
  free(solution.impulse);
  free(solution.contact_velocity);
  free(solution.bilateral_impulse);
  free(solution.velocity);
  return status;
}

static talus_status session_run(seat *own, talus_solver *solver) {
  tl_owners owners = {.rank = own->rank, .size = own->size, .brick_size = BRICK, .valid = true};
  talus_status status = TALUS_OK;
  for (change what = FIRST; what < CHANGES && status == TALUS_OK; what++) {
    piece p;
    owners.first = own->what->first[what >= CUT];
    tl_solver_set_owners(solver, own->what->holder != NULL ? &owners : NULL);
    piece_make(&p, &own->what->s[what], own->rank, own->size);
    p.problem.friction = what == SLIDING ? NULL : p.problem.friction;
    for (int32_t i = 0; what >= RENAMED && i < p.problem.rigid.body_count; i++) {
      p.id[i] += 1;
    }
    status = change_solve(own, solver, what, &p);
    piece_release(&p);
  }
  return status;
}

static void *seat_run(void *argument) {
  seat *const own = argument;
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  talus_solver *solver = NULL;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  counted_begin(&own->of, own->ranks, own->rank, &def);
  own->status = talus_context_create(&def, &context);
  own->status = own->status == TALUS_OK
                    ? talus_solver_create(context, &own->what->s[0].settings, &solver)
                    : own->status;
  own->status = own->status == TALUS_OK ? session_run(own, solver) : own->status;
  snprintf(own->message, sizeof own->message, "%s", talus_context_message(context));
  talus_solver_destroy(solver);
  talus_context_destroy(context);
  return NULL;
}

static void ranks_run(session *e, int32_t size, seat *seats) {
  talus_thread_ranks *ranks = NULL;
  CHECK(talus_thread_ranks_create(size, &ranks) == TALUS_OK);
  for (int32_t r = 0; r < size; r++) {
    seats[r] = (seat){.ranks = ranks, .rank = r, .size = size, .what = e};
    CHECK(pthread_create(&seats[r].thread, NULL, seat_run, &seats[r]) == 0);
  }
  for (int32_t r = 0; r < size; r++) {
    pthread_join(seats[r].thread, NULL);
    CHECK_CASE(seats[r].status == TALUS_OK, "rank %d: %s", r, seats[r].message);
  }
  talus_thread_ranks_destroy(ranks);
}

static void test_session(int32_t size, bool local) {
  session e;
  seat seats[MOST];
  uint64_t wanted[CHANGES];
  session_make(&e, size, local);
  for (change what = FIRST; what < CHANGES; what++) {
    talus_info info = talus_info_default();
    wanted[what] = solved_alone(&e.s[what], &info);
    CHECK(wanted[what] != 0 && (what == FIRST || wanted[what] != wanted[what - 1]));
    memset(e.s[what].impulse, 0xff, 3 * (size_t)e.d[what].contact_count * sizeof(double));
    memset(e.s[what].velocity, 0xff, 6 * (size_t)e.d[what].body_count * sizeof(double));
  }
  ranks_run(&e, size, seats);
  for (change what = FIRST; what < CHANGES; what++) {
    CHECK_CASE(solved_hash(&e.s[what]) == wanted[what], "%d ranks, local %d, change %d: other bits",
               size, local, (int)what);
    const bool anew = !kept[what] && !(what == CUT && (!local || size == 1));
    CHECK_CASE((seats[0].exchanges[what] > FEW) == anew,
               "%d ranks, local %d, change %d: %lld exchanges", size, local, (int)what,
               (long long)seats[0].exchanges[what]);
  }
  printf("%d ranks%s: an update dealt out anew %lld exchanges, %lld bytes; kept %lld, %lld\n", size,
         local ? ", bodies given by their owners" : "", (long long)seats[0].exchanges[FIRST],
         (long long)seats[0].bytes[FIRST], (long long)seats[0].exchanges[NUMBERS],
         (long long)seats[0].bytes[NUMBERS]);
  session_release(&e);
}

int main(void) {
  for (int32_t size = 1; size <= MOST; size++) {
    test_session(size, false);
    test_session(size, true);
  }
  return check_end();
}
