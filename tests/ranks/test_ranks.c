/* test_ranks.c: a problem in pieces on 1, 2, 3, 4 and 7 ranks, which are threads: the same bits as
 * one context finds for the whole; what is refused; and that a rank which fails keeps nobody
 * waiting. */
#include <pthread.h>
#include <stdbool.h>

#include "tests/check.h"
#include "tests/ranks/pieces.h"

enum { MOST = 7, EDGE = 9 };

static const int32_t sizes[] = {1, 2, 3, 4, 7};

/* One rank, and how it went. */
typedef struct seat {
  pthread_t thread;
  talus_thread_ranks *ranks;
  int32_t rank, size;
  solved *s;
  void (*spoil)(piece *p, int32_t rank);
  bool absent;   /* gives up instead of coming */
  bool stranger; /* has another version of the library */
  talus_status status;
  talus_info info;
  char message[400];
  int idle_told; /* how often it was said that ranks are idle */
} seat;

static void seat_log(void *user, talus_log_level level, const char *text) {
  ((seat *)user)->idle_told += level == TALUS_LOG_WARNING && strstr(text, "are idle") != NULL;
}

/* What the first comparison of an update, that of versions, hears from another library. */
static _Thread_local int (*honest_gather)(void *, const void *, int64_t, void *);

static int strange_gather(void *user, const void *part, int64_t bytes, void *all) {
  static _Thread_local bool done;
  uint64_t hash = 0;
  if (!done && bytes == (int64_t)sizeof hash) {
    memcpy(&hash, part, sizeof hash);
    hash ^= 1;
    part = &hash;
    done = true;
  }
  return honest_gather(user, part, bytes, all);
}

static void *seat_run(void *argument) {
  seat *const own = argument;
  talus_transport transport = talus_thread_ranks_transport(own->ranks, own->rank);
  honest_gather = transport.gather;
  transport.gather = own->stranger ? strange_gather : transport.gather;
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  piece p;
  def.threads = 1 + own->rank % 2;
  def.backend = TALUS_BACKEND_CPU;
  def.ranks = &transport;
  def.log = seat_log;
  def.log_user = own;
  own->status = talus_context_create(&def, &context);
  own->info = talus_info_default();
  if (own->absent) {
    transport.fail(transport.user, "gone");
    talus_context_destroy(context);
    return NULL;
  }
  piece_make(&p, own->s, own->rank, own->size);
  if (own->spoil != NULL) {
    own->spoil(&p, own->rank);
  }
  own->status = piece_solve(context, &p, own->s, own->rank, own->size, &own->info);
  snprintf(own->message, sizeof own->message, "%s", talus_context_message(context));
  piece_release(&p);
  talus_context_destroy(context);
  return NULL;
}

/* All ranks; the results are in `s`. */
static int32_t stranger = -1; /* the rank that has another version */

static void ranks_run(solved *s, int32_t size, void (*spoil)(piece *, int32_t), int32_t absent,
                      seat *seats) {
  talus_thread_ranks *ranks = NULL;
  CHECK(talus_thread_ranks_create(size, &ranks) == TALUS_OK);
  for (int32_t r = 0; r < size; r++) {
    seats[r] = (seat){.ranks = ranks, .rank = r, .size = size, .s = s, .spoil = spoil};
    seats[r].absent = r == absent;
    seats[r].stranger = r == stranger;
    CHECK(pthread_create(&seats[r].thread, NULL, seat_run, &seats[r]) == 0);
  }
  for (int32_t r = 0; r < size; r++) {
    pthread_join(seats[r].thread, NULL);
  }
  talus_thread_ranks_destroy(ranks);
}

static void case_check(solved *s, const char *what) {
  seat seats[MOST];
  talus_info alone = talus_info_default();
  const uint64_t wanted = solved_alone(s, &alone);
  CHECK(wanted != 0);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    memset(s->impulse, 0xff, 6 * (size_t)s->d->contact_count * sizeof(double));
    memset(s->velocity, 0xff, 6 * (size_t)s->d->body_count * sizeof(double));
    ranks_run(s, sizes[i], NULL, -1, seats);
    CHECK_CASE(solved_hash(s) == wanted, "%s on %d ranks", what, sizes[i]);
    for (int32_t r = 0; r < sizes[i]; r++) {
      CHECK_CASE(seats[r].status == TALUS_OK, "%s, rank %d of %d: %s", what, r, sizes[i],
                 seats[r].message);
      CHECK(seats[r].info.measure == alone.measure && seats[r].info.passes == alone.passes &&
            seats[r].info.outcome == alone.outcome &&
            seats[r].info.keys_matched == alone.keys_matched &&
            seats[r].info.certificate.epsilon_coulomb == alone.certificate.epsilon_coulomb);
    }
  }
}

/* Every method, both precisions, both laws, spheres and arms with rows. */
static void test_same_bits(void) {
  static const talus_method methods[] = {
      TALUS_METHOD_GAUSS_SEIDEL, TALUS_METHOD_GAUSS_SEIDEL_NESTEROV,
      TALUS_METHOD_APGDB,        TALUS_METHOD_JACOBI,
      TALUS_METHOD_SPECTRAL,     TALUS_METHOD_AUTO};
  bed d;
  bed_make(&d, EDGE, 1, 1);
  d.position[3 * 400] += 20; /* its contacts reach too far */
  for (int i = 0; i < 12; i++) {
    solved s;
    solved_make(&s, &d, i % 2, i == 3 ? 1.5 : 3);
    s.settings.method = methods[i / 2];
    s.settings.law = (talus_law)(i / 2 % 2);
    s.settings.precision = i % 2 ? TALUS_F32 : TALUS_F64;
    s.settings.tolerance = 1e-4;
    s.settings.max_iterations = 130; /* velocities are rebuilt after 100 */
    case_check(&s, talus_method_name(methods[i / 2]));
    solved_release(&s);
  }
  bed_release(&d);
}

static void test_warm_start(void) {
  bed d;
  solved s;
  bed_make(&d, EDGE, 1, 2);
  solved_make(&s, &d, 0, 3);
  s.settings.method = TALUS_METHOD_GAUSS_SEIDEL_NESTEROV;
  s.settings.warm_start = 1;
  s.settings.max_iterations = 30;
  case_check(&s, "warm start");
  solved_release(&s);
  bed_release(&d);
}

/* What contacts and rows may have besides, by sweeps and by gradient steps. */
static void test_extras(void) {
  static const int extra[] = {SOFT, SIX_ROWS, ELLIPSES, BOUNDS,
                              SOFT | SIX_ROWS | ELLIPSES | BOUNDS};
  bed d;
  bed_make(&d, 7, 1, 5);
  d.position[3 * 100] += 20;
  for (int i = 0; i < 10; i++) {
    solved s;
    solved_make(&s, &d, i / 2 == 2 || i == 8, 3);
    solved_extend(&s, extra[i / 2]);
    s.settings.method = i % 2 ? TALUS_METHOD_APGDB : TALUS_METHOD_GAUSS_SEIDEL_NESTEROV;
    s.settings.law = i % 4 < 2 ? TALUS_LAW_COULOMB : TALUS_LAW_CCP;
    s.settings.max_iterations = 30;
    char what[40];
    snprintf(what, sizeof what, "extras %d by %s", extra[i / 2],
             talus_method_name(s.settings.method));
    case_check(&s, what);
    solved_release(&s);
  }
  bed_release(&d);
}

/* A warm start by names: in the second problem other ranks give the contacts. */
static void test_names(void) {
  bed d;
  solved s;
  bed_make(&d, 7, 1, 6);
  solved_make(&s, &d, 0, 3);
  solved_extend(&s, KEYS);
  s.settings.method = TALUS_METHOD_GAUSS_SEIDEL_NESTEROV;
  s.settings.warm_start = 1;
  s.settings.max_iterations = 20;
  s.deal_anew = true;
  case_check(&s, "names");
  solved_release(&s);
  bed_release(&d);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void spoil_id(piece *p, int32_t rank) {
  if (rank == 1) {
    p->id[0] = 1000 + 3 * 4; /* a body that rank 0 or 2 has, or this one under another name */
    p->id[1] = p->id[0];
  }
}

static void spoil_ghost(piece *p, int32_t rank) {
  if (rank == 2) {
    p->id[p->part.body_count - 1] = 7;
  }
}

static void spoil_position(piece *p, int32_t rank) {
  const int32_t ghost = p->part.body_count - 1;
  p->part.position[3 * ghost] += rank == 2 ? 4 : 0;
}

static void spoil_brick(piece *p, int32_t rank) {
  p->problem.brick_size += rank == 1;
}

static void spoil_normal(piece *p, int32_t rank) {
  if (rank == 2) {
    p->part.normal[5] = NAN;
  }
}

static void spoil_arms(piece *p, int32_t rank) {
  if (rank == 0) {
    p->problem = bed_problem(&p->part, 1, 3);
    p->problem.ids = p->id;
  }
}

static void spoil_names(piece *p, int32_t rank) {
  p->problem.ids = rank == 1 ? NULL : p->id;
}

static void refused(solved *s, void (*spoil)(piece *, int32_t), const char *text) {
  seat seats[3];
  ranks_run(s, 3, spoil, -1, seats);
  for (int32_t r = 0; r < 3; r++) {
    CHECK_CASE(seats[r].status != TALUS_OK && strstr(seats[r].message, text) != NULL,
               "rank %d says: %s", r, seats[r].message);
  }
}

static void test_refused(void) {
  bed d;
  solved s;
  seat seats[3];
  bed_make(&d, 5, 1, 3);
  solved_make(&s, &d, 0, 3);
  refused(&s, spoil_id, "is given by rank");
  refused(&s, spoil_ghost, "no rank gives body 7");
  refused(&s, spoil_position, "another position");
  stranger = 1;
  refused(&s, NULL, "rank 1 has another version of the library than rank 0");
  stranger = -1;
  refused(&s, spoil_brick, "brick_size");
  refused(&s, spoil_normal, "normal");
  refused(&s, spoil_arms, "arms");
  refused(&s, spoil_names, "problem.ids");
  s.settings.method = TALUS_METHOD_NEWTON;
  refused(&s, NULL, "gauss_seidel_nesterov");
  s.settings.method = TALUS_METHOD_AUTO;
  s.whole.brick_size = 0;
  refused(&s, NULL, "need bricks");
  s.whole.brick_size = 3;
  for (int32_t absent = 0; absent < 3; absent++) { /* the others come back all the same */
    ranks_run(&s, 3, NULL, absent, seats);
    for (int32_t r = 0; r < 3; r++) {
      CHECK(r == absent || seats[r].status == TALUS_RANKS_FAILED);
    }
  }
  solved_release(&s);
  bed_release(&d);
}

/* Gives up in the middle: one rank's callback ends the solve of all of them. */
static int enough(void *user, int64_t iterations, int64_t passes, double measure, double seconds) {
  (void)user, (void)passes, (void)measure, (void)seconds;
  return iterations >= 20;
}

static void test_progress(void) {
  bed d;
  solved s;
  seat seats[3];
  bed_make(&d, 6, 0, 4);
  solved_make(&s, &d, 0, 3);
  s.settings.method = TALUS_METHOD_GAUSS_SEIDEL;
  s.settings.tolerance = 1e-12;
  s.settings.progress = enough;
  ranks_run(&s, 3, NULL, -1, seats);
  for (int32_t r = 0; r < 3; r++) {
    CHECK(seats[r].status == TALUS_OK && seats[r].info.outcome == TALUS_OUTCOME_TIME_LIMIT &&
          seats[r].info.iterations == 20);
  }
  solved_release(&s);
  bed_release(&d);
}

/* More ranks than bricks: the same bits, and the first rank says once that some are idle. */
static void test_idle(void) {
  bed d;
  solved s;
  seat seats[MOST];
  talus_info alone = talus_info_default();
  bed_make(&d, 6, 0, 3);
  solved_make(&s, &d, 0, 64); /* one brick */
  s.settings.method = TALUS_METHOD_GAUSS_SEIDEL;
  s.settings.fixed_iterations = 5;
  const uint64_t wanted = solved_alone(&s, &alone);
  ranks_run(&s, 3, NULL, -1, seats);
  CHECK(solved_hash(&s) == wanted);
  for (int32_t r = 0; r < 3; r++) {
    CHECK_CASE(seats[r].status == TALUS_OK, "rank %d: %s", r, seats[r].message);
    CHECK_CASE(seats[r].idle_told == (r == 0), "rank %d: told %d times", r, seats[r].idle_told);
  }
  solved_release(&s);
  bed_release(&d);
}

int main(void) {
  test_same_bits();
  test_idle();
  test_warm_start();
  test_extras();
  test_names();
  test_refused();
  test_progress();
  return check_end();
}
