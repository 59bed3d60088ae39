/* test_ranks.c: ranks with a device each: problems in pieces on 1, 2 and 3 ranks, which are
 * threads, solved on devices and on devices and the CPU together, with the bits that one context of
 * the CPU finds for the whole. `quick`: fewer methods, for an emulator whose threads keep the
 * stacks of their blocks. */
#include <pthread.h>
#include <stdbool.h>

#include "tests/backend/device_world.h"
#include "tests/ranks/counted.h"
#include "tests/ranks/pieces.h"

enum { MOST = 3, EDGE = 6 };

/* Which ranks have a device. */
typedef enum devices { ALL, ODD, DEVICES } devices;

typedef struct seat {
  pthread_t thread;
  counted of;
  talus_thread_ranks *ranks;
  int32_t rank, size;
  devices which;
  solved *s;
  talus_status status;
  talus_info info;
  char message[400];
} seat;

static void *seat_run(void *argument) {
  seat *const own = argument;
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  piece p;
  def.threads = 1;
  def.backend = own->which == ALL || own->rank % 2 == 1 ? TALUS_BACKEND_CUDA : TALUS_BACKEND_CPU;
  counted_begin(&own->of, own->ranks, own->rank, &def);
  own->info = talus_info_default();
  own->status = talus_context_create(&def, &context);
  if (own->status != TALUS_OK) {
    def.ranks->fail(def.ranks->user, "no context");
    return NULL;
  }
  piece_make(&p, own->s, own->rank, own->size);
  own->status = piece_solve(context, &p, own->s, own->rank, own->size, &own->info);
  snprintf(own->message, sizeof own->message, "%s", talus_context_message(context));
  piece_release(&p);
  talus_context_destroy(context);
  return NULL;
}

static void ranks_check(solved *s, int32_t size, devices which, uint64_t wanted, const char *what) {
  talus_thread_ranks *ranks = NULL;
  seat seats[MOST];
  memset(s->impulse, 0xff, 3 * (size_t)s->d->contact_count * sizeof(double));
  memset(s->velocity, 0xff, 6 * (size_t)s->d->body_count * sizeof(double));
  CHECK(talus_thread_ranks_create(size, &ranks) == TALUS_OK);
  for (int32_t r = 0; r < size; r++) {
    seats[r] = (seat){.ranks = ranks, .rank = r, .size = size, .which = which, .s = s};
    CHECK(pthread_create(&seats[r].thread, NULL, seat_run, &seats[r]) == 0);
  }
  for (int32_t r = 0; r < size; r++) {
    pthread_join(seats[r].thread, NULL);
    const bool device = which == ALL || r % 2 == 1;
    CHECK_CASE(seats[r].status == TALUS_OK, "%s, rank %d of %d: %s", what, r, size,
               seats[r].message);
    CHECK_CASE((seats[r].info.backend == TALUS_BACKEND_CUDA) == device,
               "%s, rank %d of %d: solved on backend %d", what, r, size, seats[r].info.backend);
  }
  CHECK_CASE(solved_hash(s) == wanted, "%s, %d ranks, %s: other bits than the CPU alone", what,
             size, which == ALL ? "a device each" : "CPU and devices");
  talus_thread_ranks_destroy(ranks);
}

static void case_check(solved *s, const char *what) {
  talus_info alone = talus_info_default();
  const uint64_t wanted = solved_alone(s, &alone);
  CHECK(wanted != 0);
  for (int32_t size = 1; size <= MOST; size++) {
    ranks_check(s, size, ALL, wanted, what);
  }
  ranks_check(s, MOST, ODD, wanted, what);
}

/* Spheres and arms; rows between bodies; methods, precisions, warm starts. */
static void test_same_bits(bool quick) {
  static const talus_method methods[] = {TALUS_METHOD_GAUSS_SEIDEL,
                                         TALUS_METHOD_GAUSS_SEIDEL_NESTEROV, TALUS_METHOD_APGDB,
                                         TALUS_METHOD_JACOBI, TALUS_METHOD_SPECTRAL};
  bed d;
  bed_make(&d, EDGE, 1, 3);
  for (int arms = 0; arms < 2; arms++) {
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      solved s;
      if (quick && m != (arms ? 1 : 2)) {
        continue;
      }
      solved_make(&s, &d, arms, 3);
      s.settings.method = methods[m];
      s.settings.precision = (m + (size_t)arms) % 2 ? TALUS_F32 : TALUS_F64;
      s.settings.warm_start = m % 2;
      s.settings.max_iterations = 35; /* with a look now and then, and rebuilding */
      s.settings.tolerance = 1e-10;
      case_check(&s, talus_method_name(methods[m]));
      solved_release(&s);
    }
  }
  bed_release(&d);
}

/* Contacts of six rows, compliance, bounds. */
static void test_extras(bool quick) {
  bed d;
  bed_make(&d, 5, 1, 5);
  static const int all[] = {SOFT | BOUNDS, SIX_ROWS, ELLIPSES, SIX_ROWS | SOFT | BOUNDS};
  for (size_t i = quick ? 3 : 0; i < sizeof all / sizeof *all; i++) {
    solved s;
    solved_make(&s, &d, i % 2 == 0, 3);
    solved_extend(&s, all[i]);
    s.settings.max_iterations = 25;
    case_check(&s, "extras");
    solved_release(&s);
  }
  bed_release(&d);
}

int main(int count, char **arguments) {
  const bool quick = count > 1 && strcmp(arguments[1], "quick") == 0;
  talus_context_destroy(context_open(TALUS_BACKEND_CUDA, 1)); /* or there is none, and it ends */
  test_same_bits(quick);
  test_extras(quick);
  return check_end();
}
