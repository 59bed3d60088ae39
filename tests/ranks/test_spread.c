/* test_spread.c: what ranks hold and send: memory that falls with their number, bytes per interface
 * body and sweep, sums per iteration. */
#include <pthread.h>

#include "tests/check.h"
#include "tests/ranks/counted.h"
#include "tests/ranks/pieces.h"

enum { MOST = 8 };

typedef struct seat {
  counted of;
  pthread_t thread;
  talus_thread_ranks *ranks;
  int32_t rank, size;
  solved *s;
  talus_status status;
  talus_info info;
} seat;

static void *seat_run(void *argument) {
  seat *const own = argument;
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  piece p;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  counted_begin(&own->of, own->ranks, own->rank, &def);
  own->status = talus_context_create(&def, &context);
  own->info = talus_info_default();
  piece_make(&p, own->s, own->rank, own->size);
  if (own->status == TALUS_OK) {
    own->status = piece_solve(context, &p, own->s, own->rank, own->size, &own->info);
  }
  piece_release(&p);
  talus_context_destroy(context);
  return NULL;
}

static void ranks_run(solved *s, int32_t size, seat *seats) {
  talus_thread_ranks *ranks = NULL;
  CHECK(talus_thread_ranks_create(size, &ranks) == TALUS_OK);
  memset(seats, 0, (size_t)size * sizeof *seats);
  for (int32_t r = 0; r < size; r++) {
    seats[r].ranks = ranks;
    seats[r].rank = r;
    seats[r].size = size;
    seats[r].s = s;
    CHECK(pthread_create(&seats[r].thread, NULL, seat_run, &seats[r]) == 0);
  }
  for (int32_t r = 0; r < size; r++) {
    pthread_join(seats[r].thread, NULL);
    CHECK(seats[r].status == TALUS_OK);
  }
  talus_thread_ranks_destroy(ranks);
}

static int64_t sent_by(const seat *seats, int32_t size) {
  int64_t bytes = 0;
  for (int32_t r = 0; r < size; r++) {
    bytes += seats[r].of.bytes_sent;
  }
  return bytes;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* What a rank has whatever the problem is: engines, lists of ranks, no bodies. */
enum { CONSTANT = 100000 };

static void test_memory(int32_t edge, double brick) {
  bed d;
  solved s;
  seat seats[MOST];
  bed_make(&d, edge, 0, 1);
  solved_make(&s, &d, 0, brick);
  s.settings.method = TALUS_METHOD_GAUSS_SEIDEL_NESTEROV;
  s.settings.fixed_iterations = 2;
  talus_info info = talus_info_default();
  const uint64_t hash = solved_alone(&s, &info);
  ranks_run(&s, 1, seats);
  const int64_t alone = seats[0].of.bytes_most;
  ranks_run(&s, 8, seats);
  CHECK(solved_hash(&s) == hash);
  int64_t most = 0;
  for (int32_t r = 0; r < 8; r++) {
    CHECK((double)seats[r].of.bytes_most <= 1.3 / 8 * (double)alone + CONSTANT);
    most = seats[r].of.bytes_most > most ? seats[r].of.bytes_most : most;
  }
  printf("%d bodies: one rank %.1f MB, of eight at most %.1f MB each: %.2f / 8\n", d.body_count,
         1e-6 * (double)alone, 1e-6 * (double)most, 8 * (double)most / (double)alone);
  solved_release(&s);
  bed_release(&d);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* What an iteration adds. */
static void iterations_count(solved *s, int32_t size, int64_t *bytes, int64_t *sums) {
  seat few[MOST], many[MOST];
  s->settings.fixed_iterations = 10;
  ranks_run(s, size, few);
  s->settings.fixed_iterations = 30;
  ranks_run(s, size, many);
  *bytes = (sent_by(many, size) - sent_by(few, size)) / 20;
  *sums = (many[0].of.sums - few[0].of.sums) / 20;
  printf("%.1f exchanges an iteration; ",
         (double)(many[0].of.exchanges - few[0].of.exchanges) / 20);
  CHECK(many[0].of.sums - few[0].of.sums == 20 * *sums && many[0].of.others == few[0].of.others);
}

/* Bodies with contacts in bricks, or beside bodies, of more than one of two ranks: those next to
 * the cut, which for two ranks is a plane between two layers of bricks. */
static void test_messages(void) {
  enum { EDGE = 16, FACE = EDGE * EDGE };
  bed d;
  solved s;
  int64_t bytes, sums;
  bed_make(&d, EDGE, 0, 2);
  solved_make(&s, &d, 0, 4);
  s.settings.method = TALUS_METHOD_GAUSS_SEIDEL_NESTEROV;
  iterations_count(&s, 2, &bytes, &sums);
  printf("a sweep: %.2f x 48 bytes for each of %d bodies beside the cut, %lld sums\n",
         (double)bytes / 48 / FACE, FACE, (long long)sums);
  CHECK(bytes <= 2.2 * 48 * FACE && sums == 1);
  s.settings.method = TALUS_METHOD_APGDB;
  iterations_count(&s, 2, &bytes, &sums);
  printf("an apgdb iteration: %.2f x 48 bytes, %lld sums\n", (double)bytes / 48 / FACE,
         (long long)sums);
  CHECK(bytes <= 2.2 * 48 * FACE && sums == 1);
  solved_release(&s);
  bed_release(&d);
}

int main(int count, char **words) {
  if (count > 1) { /* by hand: edge of the bed */
    test_memory((int32_t)strtol(words[1], NULL, 10), 8);
    return check_end();
  }
  test_memory(32, 4);
  test_messages();
  return check_end();
}
