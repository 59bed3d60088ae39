/* test_world_spread.c: what ranks of a world with bricks hold and send: memory that falls with
 * their number, also where files are written, bytes per step. By hand: EDGE STEPS THREADS RANKS ...
 * measures a bed of EDGE^3 spheres that has fallen for 20 steps; SETTLE+STEPS: for as many as that.
 * callgrind --instr-atstart=no counts the measured steps alone, where it is installed. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

#include "talus/talus_io.h"
#include "tests/check.h"
#include "tests/ranks/counted.h"

enum { MOST = 16, SETTLE = 20 };
static const double RADIUS = 0.05;

/* A run, for all of its ranks. */
typedef struct run {
  int32_t edge, settle, steps, threads;
  const char *directory; /* for files that are written once steps were counted; NULL: none */
} run;

typedef struct seat {
  counted of;
  const run *what;
  pthread_t thread;
  talus_thread_ranks *ranks;
  int32_t rank;
  talus_status status;
  uint64_t hash;
  int64_t built, stepped, written; /* bytes at most: until the steps that are counted; in them;
                                      while files are written */
  int64_t sent, exchanges, passes; /* of these */
  double cpu, wall, collide, build, solve; /* s, of them */
  int32_t contacts;
} seat;

static double clock_of(clockid_t id) {
  struct timespec now;
  clock_gettime(id, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the bed --------------------------------------------------------------------------------- */

static talus_status walls_add(talus_world *world, double length) {
  const double h = sqrt(0.5);
  const double turn[5][4] = {
      {1, 0, 0, 0}, {h, 0, h, 0}, {h, 0, -h, 0}, {h, -h, 0, 0}, {h, h, 0, 0}};
  talus_body_def def = talus_body_def_default();
  int32_t body;
  def.type = TALUS_BODY_FIXED;
  talus_status status = talus_body_add(world, &def, &body);
  for (int i = 0; i < 5 && status == TALUS_OK; i++) {
    talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
    const double at = i == 0 || i % 2 == 1 ? 0 : length;
    memcpy(shape.orientation, turn[i], sizeof turn[i]);
    shape.position[0] = shape.position[1] = at;
    status = talus_shape_add(world, body, &shape, NULL);
  }
  return status;
}

/* A number in 0 .. 1 from a count. */
static double number_of(uint64_t count) {
  const uint64_t mixed = (count + 1) * UINT64_C(0x9E3779B97F4A7C15);
  return (double)((mixed ^ mixed >> 29) * UINT64_C(0xBF58476D1CE4E5B9) >> 11) * 0x1p-53;
}

static talus_status bed_add(talus_world *world, int32_t edge) {
  const double apart = 2.02 * RADIUS;
  const talus_material_def material = talus_material_def_default();
  int32_t unused;
  talus_status status = talus_material_add(world, &material, &unused);
  status = status == TALUS_OK ? walls_add(world, apart * edge) : status;
  for (int64_t i = 0; i < (int64_t)edge * edge * edge && status == TALUS_OK; i++) {
    talus_body_def def = talus_body_def_default();
    talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
    int32_t body;
    const int64_t at[3] = {i % edge, i / edge % edge, i / edge / edge};
    for (int c = 0; c < 3; c++) {
      def.position[c] = apart * ((double)at[c] + 0.5);
      def.velocity[c] = number_of((uint64_t)(3 * i + c)) - 0.5;
    }
    shape.radius = RADIUS * (0.95 + 0.05 * number_of((uint64_t)i + (UINT64_C(1) << 40)));
    status = talus_body_add(world, &def, &body);
    status = status == TALUS_OK ? talus_shape_add(world, body, &shape, NULL) : status;
  }
  return status;
}

static uint64_t hash_of(const talus_world *world) {
  uint64_t hash = 1;
  for (int32_t id = talus_body_after(world, TALUS_NONE); id != TALUS_NONE;
       id = talus_body_after(world, id)) {
    talus_body_state state;
    if (talus_body_get(world, id, &state) == TALUS_OK) {
      const unsigned char *const bytes = (const unsigned char *)state.position;
      for (size_t i = 0; i < sizeof state.position; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
      }
    }
  }
  return hash;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* Writes a frame and a checkpoint, and goes on for some steps. */
static talus_status files_write(seat *own, talus_context *context, talus_world *world) {
  const char *const directory = own->what->directory;
  talus_frames *frames = NULL;
  if (directory == NULL) {
    return TALUS_OK;
  }
  own->of.bytes_most = own->of.bytes_now;
  talus_status status = talus_frames_open(context, directory, NULL, &frames);
  status = status == TALUS_OK ? talus_frames_write(frames, world) : status;
  talus_frames_close(frames);
  status = status == TALUS_OK ? talus_checkpoint_write(world, directory, 1) : status;
  status = status == TALUS_UNSUPPORTED ? TALUS_OK : status; /* built without HDF5 */
  own->written = own->of.bytes_most;
  for (int32_t i = 0; i < 3 && status == TALUS_OK; i++) {
    status = talus_world_step(world, NULL);
  }
  return status;
}

static talus_status bed_run(seat *own, talus_context *context, talus_world *world) {
  const run *const what = own->what;
  talus_status status = bed_add(world, what->edge);
  double begin = 0, cpu = 0;
  for (int32_t i = 0; i < what->settle + what->steps && status == TALUS_OK; i++) {
    talus_step_report report = talus_step_report_default();
    if (i == what->settle) {
      CALLGRIND_START_INSTRUMENTATION;
      own->built = own->of.bytes_most;
      own->of.bytes_most = own->of.bytes_now;
      own->sent = own->of.bytes_sent;
      own->exchanges = own->of.exchanges;
      begin = clock_of(CLOCK_MONOTONIC);
      cpu = clock_of(CLOCK_THREAD_CPUTIME_ID);
      own->collide = own->build = own->solve = 0;
      own->passes = 0;
    }
    status = talus_world_step(world, &report);
    own->collide += report.seconds_collide;
    own->build += report.seconds_build;
    own->solve += report.seconds_solve;
    own->passes += report.passes;
    own->contacts = report.contact_count;
  }
  CALLGRIND_STOP_INSTRUMENTATION;
  own->stepped = own->of.bytes_most;
  own->sent = own->of.bytes_sent - own->sent;
  own->exchanges = own->of.exchanges - own->exchanges;
  own->wall = clock_of(CLOCK_MONOTONIC) - begin;
  own->cpu = clock_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
  status = status == TALUS_OK ? files_write(own, context, world) : status;
  own->of.bytes_most = own->of.bytes_now;
  own->hash = hash_of(world);
  return status;
}

static void *seat_run(void *argument) {
  seat *const own = argument;
  talus_context_def def = talus_context_def_default();
  talus_world_def world_def = talus_world_def_default();
  talus_context *context = NULL;
  talus_world *world = NULL;
  def.threads = own->what->threads;
  def.backend = TALUS_BACKEND_CPU;
  counted_begin(&own->of, own->ranks, own->rank, &def);
  world_def.brick_size = 16 * RADIUS;
  own->status = talus_context_create(&def, &context);
  own->status =
      own->status == TALUS_OK ? talus_world_create(context, &world_def, &world) : own->status;
  own->status = own->status == TALUS_OK ? bed_run(own, context, world) : own->status;
  if (own->status != TALUS_OK) {
    printf("rank %d: %s\n", own->rank, talus_context_message(context));
  }
  talus_world_destroy(world);
  talus_context_destroy(context);
  return NULL;
}

/* size 0: without ranks. */
static void ranks_run(const run *what, int32_t size, seat *seats) {
  talus_thread_ranks *ranks = NULL;
  const int32_t count = size > 0 ? size : 1;
  CHECK(size == 0 || talus_thread_ranks_create(size, &ranks) == TALUS_OK);
  memset(seats, 0, (size_t)count * sizeof *seats);
  for (int32_t r = 0; r < count; r++) {
    seats[r].what = what;
    seats[r].ranks = ranks;
    seats[r].rank = r;
    CHECK(pthread_create(&seats[r].thread, NULL, seat_run, &seats[r]) == 0);
  }
  for (int32_t r = 0; r < count; r++) {
    pthread_join(seats[r].thread, NULL);
    CHECK(seats[r].status == TALUS_OK && seats[r].hash == seats[0].hash);
  }
  talus_thread_ranks_destroy(ranks);
}

/* Bytes of a rank at most: in steps, before them, once all is read, while files are written; of
 * those from `first` on. */
static int64_t most_of(const seat *seats, int32_t first, int32_t size, int32_t when) {
  int64_t most = 0;
  for (int32_t r = first; r < size || r < 1; r++) {
    const int64_t bytes[] = {seats[r].stepped, seats[r].built, seats[r].of.bytes_most,
                             seats[r].written};
    most = bytes[when] > most ? bytes[when] : most;
  }
  return most;
}

static void report(const run *what, const seat *seats, int32_t size) {
  const double steps = what->steps;
  double cpu = 0, sent = 0;
  for (int32_t r = 0; r < size || r < 1; r++) {
    cpu += seats[r].cpu / steps;
    sent += (double)seats[r].sent / steps;
  }
  printf(
      "%2d ranks x %d threads: %7.1f MB at most in steps, %.1f before, %.1f when read, %.1f when "
      "written, %.1f of ranks that do not write | step %7.1f "
      "ms (collide %.1f, build %.1f, solve "
      "%.1f), CPU of the ranks' own threads %.1f ms | %d contacts, %.1f passes | %.2f MB in %.0f "
      "exchanges a step\n",
      size, what->threads, 1e-6 * (double)most_of(seats, 0, size, 0),
      1e-6 * (double)most_of(seats, 0, size, 1), 1e-6 * (double)most_of(seats, 0, size, 2),
      1e-6 * (double)most_of(seats, 0, size, 3), 1e-6 * (double)most_of(seats, 1, size, 3),
      1e3 * seats[0].wall / steps, 1e3 * seats[0].collide / steps, 1e3 * seats[0].build / steps,
      1e3 * seats[0].solve / steps, 1e3 * cpu, seats[0].contacts, (double)seats[0].passes / steps,
      1e-6 * sent, (double)seats[0].exchanges / steps);
  fflush(stdout);
}

/* Bodies and contacts of bricks are on one rank each. */
static void test_memory(void) {
  seat alone[1], one[MOST], many[MOST];
  run what = {.edge = 16, .settle = SETTLE, .steps = 2, .threads = 1};
  ranks_run(&what, 0, alone);
  ranks_run(&what, 1, one);
  ranks_run(&what, 8, many);
  report(&what, alone, 0);
  report(&what, one, 1);
  report(&what, many, 8);
  CHECK(one[0].hash == alone[0].hash && many[0].hash == alone[0].hash);
  CHECK((double)most_of(many, 0, 8, 0) <= 0.25 * (double)most_of(one, 0, 1, 0));
  /* files are written for all by the first, which alone has the whole world then */
  mkdir("spread_files", 0777);
  what.directory = "spread_files";
  seat writers[MOST];
  ranks_run(&what, 0, alone);
  ranks_run(&what, 8, writers);
  report(&what, writers, 8);
  CHECK(writers[0].hash == alone[0].hash && alone[0].hash != one[0].hash);
  CHECK((double)most_of(writers, 1, 8, 3) <= 1.4 * (double)most_of(writers, 1, 8, 0));
}

int main(int count, char **words) {
  if (count > 4) { /* by hand */
    char *rest = NULL;
    run what = {.edge = (int32_t)strtol(words[1], NULL, 10),
                .settle = SETTLE,
                .steps = (int32_t)strtol(words[2], &rest, 10),
                .threads = (int32_t)strtol(words[3], NULL, 10),
                .directory = "spread_files"};
    mkdir(what.directory, 0777);
    if (*rest == '+') {
      what.settle = what.steps;
      what.steps = (int32_t)strtol(rest + 1, NULL, 10);
    }
    for (int i = 4; i < count; i++) {
      seat seats[MOST];
      const int32_t size = (int32_t)strtol(words[i], NULL, 10);
      ranks_run(&what, size, seats);
      report(&what, seats, size);
    }
    return check_end();
  }
  test_memory();
  return check_end();
}
