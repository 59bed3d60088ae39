/* test_world.c: scenes on 1, 2, 3, 4 and 7 ranks, which are threads: the checkpoint of one context
 * alone, byte for byte, also where bricks change their ranks every few steps; a run that goes on
 * with another number of ranks; what is refused, by all ranks; and that one which fails keeps
 * nobody waiting.
 *
 *   test_ranks_world SCENE STEPS EVERY [RANKS ...]   such a scene, or ./FILE without .yaml, bricks
 *                                                    dealt out anew, unevenly, every so many steps:
 *                                                    1000 take minutes. A step that is refused is
 *                                                    refused on ranks in the same words */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/solve/solver.h"
#include "host/world/spread_local.h"
#include "talus/talus_io.h"
#include "talus/talus_ranks.h"
#include "talus/talus_scene.h"
#include "tests/check.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { QUICK = 1 };
#else
enum { QUICK = 0 };
#endif
enum { MOST = 7 };

static const int32_t sizes[] = {3, 7, 1, 2, 4};

/* What a run is, for all of its ranks. */
typedef struct run {
  const char *scene, *out, *resume;
  const char *odd_set; /* an override of the last rank alone */
  int32_t first, last; /* steps */
  int32_t every;       /* steps after which bricks are dealt out anew, unevenly; 0: as usual */
  int32_t cuts;        /* so often at least on several ranks */
  int32_t local;       /* steps at least in which bodies are local, on several ranks */
  bool absent;         /* the last rank gives up in the middle */
  bool meddled;        /* bodies are read, set, pushed, added and removed between steps, frames and
                          checkpoints written */
} run;

/* One rank of it. */
typedef struct seat {
  talus_transport to; /* its transport, through which `counted` goes */
  int64_t exchanges;
  int32_t cuts;   /* how often bricks of local contacts were dealt out otherwise than before */
  int64_t local;  /* steps in which bodies were local */
  uint64_t first; /* where all ranks begin along the curve, as one number */
  const run *of;
  talus_thread_ranks *ranks; /* NULL: alone */
  int32_t rank, size;
  pthread_t thread;
  talus_status status;
  char message[400];
} seat;

/* Another cut in the step that comes: of the world, and of solves for which each rank has all
 * contacts. */
static void cut_anew(talus_world *world, int32_t number) {
  if (world->spread != NULL) {
    world->spread->owners.uneven = number;
    world->spread->cut_step = INT64_MAX; /* behind: it is due */
    world->solver->part.cut.uneven = number;
    world->projector->part.cut.uneven = number;
  }
}

static void cuts_count(const talus_world *world, seat *own) {
  uint64_t first = 0;
  for (int32_t r = 1; r < own->size && world->spread->owners.valid; r++) {
    first = first * 31 + world->spread->owners.first[r];
  }
  own->cuts += first != own->first;
  own->first = first;
}

static talus_status ball_add(talus_world *world) {
  talus_body_def def = talus_body_def_default();
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  int32_t body;
  def.position[2] = 0.15;
  shape.radius = 4e-3;
  const talus_status status = talus_body_add(world, &def, &body);
  return status == TALUS_OK ? talus_shape_add(world, body, &shape, NULL) : status;
}

/* What a caller may do between steps, one thing after the other. */
static talus_status meddle(talus_world *world, int32_t step) {
  static const double push[3] = {0.01, 0, 0.02};
  talus_body_state state = {.velocity = {0}};
  const talus_contact *contacts;
  talus_status status = TALUS_OK;
  switch (step % 24) {
  case 2:
    status = talus_body_get(world, 100, &state);
    state.velocity[2] += 0.1;
    return status == TALUS_OK ? talus_body_set(world, 100, &state) : status;
  case 5:
    return ball_add(world);
  case 8:
    return talus_body_force(world, 50, push, NULL);
  case 11:
    return talus_body_remove(world, talus_body_after(world, 60 + step));
  case 14:
    return talus_world_contacts(world, &contacts) > 0 ? TALUS_OK : TALUS_INTERNAL;
  case 17:
    for (int32_t b = talus_body_after(world, TALUS_NONE); b != TALUS_NONE && status == TALUS_OK;
         b = talus_body_after(world, b)) {
      status = talus_body_get(world, b, &state);
    }
    return status;
  case 20:
    return talus_body_force(world, 50, NULL, NULL);
  default:
    return TALUS_OK;
  }
}

static talus_status steps_make(talus_context *context, const run *of, seat *own, talus_scene *scene,
                               talus_world *world, talus_record *record) {
  for (int32_t i = of->first; i < of->last; i++) {
    talus_step_report report = talus_step_report_default();
    if (of->every > 0 && i % of->every == 0) {
      cut_anew(world, i / of->every + 1);
    }
    talus_status status = talus_record_before_step(record, world);
    status = status == TALUS_OK ? talus_scene_tick(scene, world) : status;
    status = status == TALUS_OK && of->meddled ? meddle(world, i) : status;
    if (of->absent && own->rank == own->size - 1 && i == of->first + 3) {
      const talus_transport transport = talus_thread_ranks_transport(own->ranks, own->rank);
      transport.fail(transport.user, "gone");
      return TALUS_OK;
    }
    status = status == TALUS_OK ? talus_world_step(world, &report) : status;
    if (status != TALUS_OK) {
      return status;
    }
    if (of->meddled && i % 8 == 3) {
      status = talus_record_frame(record, world, &report);
    } else if (of->meddled && i % 8 == 6) {
      status = talus_record_checkpoint(record, world, NULL);
    }
    if (status != TALUS_OK) {
      return status;
    }
    cuts_count(world, own);
    own->local = world->spread != NULL ? world->spread->local_steps : 0;
  }
  (void)context;
  return talus_record_checkpoint(record, world, NULL);
}

static talus_status scene_run(talus_context *context, seat *own) {
  const run *const of = own->of;
  const bool odd = of->odd_set != NULL && own->rank == own->size - 1;
  char path[1200];
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  talus_record *record = NULL;
  talus_record_def def = talus_record_def_default();
  def.directory = of->out;
  def.resume = of->resume;
  def.force = 1;
  snprintf(path, sizeof path, "%s%s.yaml",
           of->scene[0] == '.' ? "" : TL_SOURCE "/tests/ranks/scenes/", of->scene);
  talus_status status = talus_record_create(context, &def, &record);
  if (status == TALUS_OK) {
    status = talus_scene_read(context, path, &of->odd_set, odd, &scene);
  }
  status = status == TALUS_OK ? talus_scene_build(scene, &world) : status;
  status = status == TALUS_OK ? talus_record_resume(record, scene, world) : status;
  status = status == TALUS_OK ? talus_record_open(record, scene, world) : status;
  if (status == TALUS_OK) {
    status = steps_make(context, of, own, scene, world, record);
  }
  talus_record_close(record);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  return status;
}

/* ---- a transport that counts ----------------------------------------------------------------- */

static int counted_exchange(void *user, int32_t send_count, const talus_message *send,
                            int32_t receive_count, const talus_message *receive) {
  seat *const own = user;
  own->exchanges++;
  return own->to.exchange(own->to.user, send_count, send, receive_count, receive);
}

static int counted_sum(void *user, int64_t *value, int32_t count) {
  return ((seat *)user)->to.sum(((seat *)user)->to.user, value, count);
}

static int counted_largest(void *user, int64_t *value, int32_t count) {
  return ((seat *)user)->to.largest(((seat *)user)->to.user, value, count);
}

static int counted_gather(void *user, const void *own, int64_t bytes, void *all) {
  return ((seat *)user)->to.gather(((seat *)user)->to.user, own, bytes, all);
}

static void counted_fail(void *user, const char *message) {
  ((seat *)user)->to.fail(((seat *)user)->to.user, message);
}

static talus_transport counted(seat *own) {
  own->to = talus_thread_ranks_transport(own->ranks, own->rank);
  talus_transport transport = own->to;
  transport.user = own;
  transport.exchange = counted_exchange;
  transport.sum = counted_sum;
  transport.largest = counted_largest;
  transport.gather = counted_gather;
  transport.fail = counted_fail;
  return transport;
}

static void *seat_run(void *argument) {
  seat *const own = argument;
  talus_transport transport;
  talus_context *context = NULL;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  if (own->ranks != NULL) {
    transport = counted(own);
    def.ranks = &transport;
  }
  own->status = talus_context_create(&def, &context);
  own->status = own->status == TALUS_OK ? scene_run(context, own) : own->status;
  snprintf(own->message, sizeof own->message, "%s", talus_context_message(context));
  talus_context_destroy(context);
  return NULL;
}

/* size 0: without ranks. */
static void ranks_run(const run *of, int32_t size, seat *seats) {
  talus_thread_ranks *ranks = NULL;
  const int32_t count = size > 0 ? size : 1;
  CHECK(size == 0 || talus_thread_ranks_create(size, &ranks) == TALUS_OK);
  for (int32_t r = 0; r < count; r++) {
    seats[r] = (seat){.of = of, .ranks = ranks, .rank = r, .size = count};
    CHECK(pthread_create(&seats[r].thread, NULL, seat_run, &seats[r]) == 0);
  }
  for (int32_t r = 0; r < count; r++) {
    pthread_join(seats[r].thread, NULL);
  }
  talus_thread_ranks_destroy(ranks);
}

/* Returns how many exchanges each rank took part in. */
static int64_t check_good(const run *of, int32_t size) {
  seat seats[MOST];
  ranks_run(of, size, seats);
  for (int32_t r = 0; r < size || r < 1; r++) {
    CHECK_CASE(seats[r].status == TALUS_OK, "%s on %d ranks, rank %d: %s", of->scene, size, r,
               seats[r].message);
    CHECK(seats[r].exchanges == seats[0].exchanges);
    CHECK_CASE(size < 2 || seats[r].cuts >= of->cuts, "%s on %d ranks: %d cuts", of->scene, size,
               seats[r].cuts);
    CHECK_CASE(size < 2 || seats[r].local >= of->local, "%s on %d ranks: %d steps of local bodies",
               of->scene, size, (int)seats[r].local);
  }
  printf("%s on %d ranks: bodies were local in %d of %d steps\n", of->scene, size,
         (int)seats[0].local, of->last - of->first);
  return seats[0].exchanges;
}

/* ---- files ----------------------------------------------------------------------------------- */

static char *file_read(const char *path, long *length) {
  FILE *const file = fopen(path, "rb");
  char *bytes = NULL;
  *length = -1;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (*length = ftell(file)) >= 0) {
    rewind(file);
    bytes = malloc((size_t)*length + 1);
    if (fread(bytes, 1, (size_t)*length, file) != (size_t)*length) {
      *length = -1;
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  return bytes;
}

static bool same_files(const char *one, const char *other) {
  long lengths[2];
  char *const bytes[2] = {file_read(one, &lengths[0]), file_read(other, &lengths[1])};
  const bool same = lengths[0] > 0 && lengths[0] == lengths[1] &&
                    memcmp(bytes[0], bytes[1], (size_t)lengths[0]) == 0;
  free(bytes[0]);
  free(bytes[1]);
  return same;
}

static void check_same(const char *one, const char *other, int32_t step) {
  char paths[2][100];
  snprintf(paths[0], sizeof paths[0], "%s/checkpoint-%06d.h5", one, step);
  snprintf(paths[1], sizeof paths[1], "%s/checkpoint-%06d.h5", other, step);
  CHECK_CASE(same_files(paths[0], paths[1]), "%s and %s", paths[0], paths[1]);
}

/* ---- the tests ------------------------------------------------------------------------------- */

/* least: exchanges per step that show that iterations, or contacts, are dealt out; local: steps in
 * which bodies are, at least. */
static void test_scene(const char *scene, int32_t steps, int32_t counts, double least,
                       int32_t local) {
  char alone[64], out[64];
  snprintf(alone, sizeof alone, "%s-alone", scene);
  const run first = {.scene = scene, .out = alone, .last = steps};
  check_good(&first, 0);
  for (int32_t i = 0; i < counts; i++) {
    snprintf(out, sizeof out, "%s-%d", scene, sizes[i]);
    const run again = {.scene = scene, .out = out, .last = steps, .local = local};
    const double exchanges = (double)check_good(&again, sizes[i]) / steps;
    CHECK_CASE(exchanges >= least, "%s on %d ranks: %g exchanges a step", scene, sizes[i],
               exchanges);
    check_same(alone, out, steps);
  }
}

/* The same where bricks change their ranks every few steps, and contacts with them; cuts: how often
 * at least, where contacts are local. */
static void test_cuts(const char *scene, int32_t steps, int32_t every, int32_t cuts,
                      const int32_t *ranks, int32_t counts) {
  char alone[64], out[64];
  snprintf(alone, sizeof alone, "%s-cut-alone", scene);
  const run first = {.scene = scene, .out = alone, .last = steps};
  check_good(&first, 0);
  for (int32_t i = 0; i < counts; i++) {
    snprintf(out, sizeof out, "%s-cut-%d", scene, ranks[i]);
    const run again = {.scene = scene,
                       .out = out,
                       .last = steps,
                       .every = every,
                       .cuts = cuts,
                       .local = cuts > 0 ? steps / 4 : 0};
    check_good(&again, ranks[i]);
    check_same(alone, out, steps);
  }
}

/* Bodies of local worlds that callers look at and change. */
static void test_meddled(int32_t steps, int32_t counts) {
  char out[64];
  const run first = {.scene = "bed", .out = "bed-meddled", .last = steps, .meddled = true};
  check_good(&first, 0);
  for (int32_t i = 0; i < counts; i++) {
    snprintf(out, sizeof out, "bed-meddled-%d", sizes[i]);
    const run again = {
        .scene = "bed", .out = out, .last = steps, .every = 4, .local = steps / 6, .meddled = true};
    check_good(&again, sizes[i]);
    check_same("bed-meddled", out, steps);
  }
}

/* 4, then 3, then 7 ranks. */
static void test_resume(int32_t part) {
  const run parts[] = {{.scene = "bed", .out = "bed-resumed", .last = part},
                       {.scene = "bed",
                        .out = "bed-resumed",
                        .resume = "bed-resumed",
                        .first = part,
                        .last = 2 * part},
                       {.scene = "bed",
                        .out = "bed-resumed",
                        .resume = "bed-resumed",
                        .first = 2 * part,
                        .last = 3 * part}};
  const int32_t ranks[] = {4, 3, 7};
  const run whole = {.scene = "bed", .out = "bed-whole", .last = 3 * part};
  check_good(&whole, 0);
  for (int i = 0; i < 3; i++) {
    check_good(&parts[i], ranks[i]);
  }
  check_same("bed-whole", "bed-resumed", 3 * part);
}

/* Every rank fails, and says which one was given something else. */
static void test_refused(void) {
  seat seats[MOST];
  const run odd = {.scene = "bed", .out = "odd", .odd_set = "world.gravity=[0,0,-9]", .last = 2};
  ranks_run(&odd, 3, seats);
  for (int r = 0; r < 3; r++) {
    CHECK_CASE(seats[r].status == TALUS_RANKS_FAILED &&
                   strstr(seats[r].message, "rank 2 has another scene") != NULL,
               "rank %d: %s", r, seats[r].message);
  }
  const run wrong = {.scene = "bed", .out = "wrong", .odd_set = "world.gravty=1", .last = 2};
  ranks_run(&wrong, 3, seats);
  for (int r = 0; r < 3; r++) {
    CHECK_CASE(seats[r].status == (r == 2 ? TALUS_FILE_FORMAT : TALUS_RANKS_FAILED) &&
                   strstr(seats[r].message, "gravty") != NULL,
               "rank %d: %s: %s", r, talus_status_name(seats[r].status), seats[r].message);
  }
  struct stat about;
  CHECK(stat("odd", &about) != 0 && stat("wrong", &about) != 0); /* nothing was written */
  const run none = {.scene = "bed", .out = "none", .resume = "nowhere", .last = 2};
  ranks_run(&none, 2, seats);
  CHECK_CASE(seats[0].status == TALUS_FILE_OPEN, "%s", seats[0].message);
}

static void test_gone(void) {
  seat seats[MOST];
  const run gone = {.scene = "bed", .out = "gone", .last = 20, .absent = true};
  ranks_run(&gone, 3, seats);
  for (int r = 0; r < 2; r++) {
    CHECK_CASE(seats[r].status == TALUS_RANKS_FAILED, "rank %d: %s", r, seats[r].message);
  }
}

/* A run that need not be good, but goes as it does without ranks. */
static void test_alike(const run *of, int32_t size, const seat *alone) {
  seat seats[MOST];
  ranks_run(of, size, seats);
  for (int32_t r = 0; r < size; r++) {
    CHECK_CASE(seats[r].status == alone->status && strcmp(seats[r].message, alone->message) == 0,
               "%s on %d ranks, rank %d: %s", of->scene, size, r, seats[r].message);
  }
  if (alone->status == TALUS_OK) {
    check_same(alone->of->out, of->out, of->last);
  }
  printf("%d ranks: bodies were local in %lld of %d steps\n", size, (long long)seats[0].local,
         of->last);
}

/* From the command line: see above. */
static int alike_run(int count, char **words) {
  static const int32_t usual[] = {1, 2, 3, 4, 7};
  char alone[100], out[100];
  seat seats[MOST];
  snprintf(alone, sizeof alone, "%s-alone", words[1]);
  const run first = {.scene = words[1], .out = alone, .last = atoi(words[2])};
  ranks_run(&first, 0, seats);
  printf("without ranks: %s\n", seats[0].status == TALUS_OK ? "good" : seats[0].message);
  const int some = count > 4 ? count - 4 : 5;
  for (int i = 0; i < some; i++) {
    const int32_t size = count > 4 ? atoi(words[4 + i]) : usual[i];
    snprintf(out, sizeof out, "%s-%d", words[1], size);
    const run again = {.scene = words[1], .out = out, .last = first.last, .every = atoi(words[3])};
    test_alike(&again, size <= MOST ? size : MOST, seats);
  }
  return check_end();
}

int main(int count, char **words) {
  if (count > 3) {
    return alike_run(count, words);
  }
  const int32_t some = QUICK ? 1 : 2;
  test_scene("bed", QUICK ? 15 : 30, QUICK ? 1 : 5, 50, QUICK ? 15 : 30);
  test_scene("drum", QUICK ? 15 : 30, some, 50, QUICK ? 1 : 15);
  test_scene("hopper", QUICK ? 15 : 40, some, 50, 1);
  test_scene("shaken", QUICK ? 15 : 20, some, 50, 0);
  test_scene("shapes", QUICK ? 5 : 20, QUICK ? 1 : 3, 50, 0);
  test_scene("joints", QUICK ? 12 : 30, some, 50, QUICK ? 12 : 30);
  test_scene("soft", 10, some, 50, 0);
  test_scene("rolling", 10, some, 50, 10);
  test_scene("large", QUICK ? 15 : 30, QUICK ? 1 : 3, 50, 0);
  test_scene("few", QUICK ? 15 : 40, some, 20, QUICK ? 0 : 10);
  test_scene("crowded", QUICK ? 8 : 20, some, 50, QUICK ? 4 : 10);
  test_scene("taken", QUICK ? 15 : 40, some, 50, QUICK ? 8 : 30);
  test_scene("cohesive", QUICK ? 8 : 30, some, 50, QUICK ? 4 : 20);
  test_scene("pressed", QUICK ? 30 : 60, some, QUICK ? 20 : 50, QUICK ? 8 : 30);
  test_scene("funnel", 112, some, 10, 30);
  test_scene("rain", 64, some, 10, 10);
  test_cuts("bed", QUICK ? 8 : 24, 3, QUICK ? 1 : 4, sizes, QUICK ? 1 : 5);
  test_cuts("drum", QUICK ? 8 : 24, 3, QUICK ? 1 : 4, sizes, some);
  test_cuts("cohesive", QUICK ? 8 : 24, 3, QUICK ? 1 : 4, sizes, some);
  test_cuts("pressed", QUICK ? 30 : 40, 3, QUICK ? 1 : 4, sizes, some);
  test_cuts("hopper", QUICK ? 8 : 24, 4, QUICK ? 1 : 4, sizes, some);
  test_cuts("shaken", QUICK ? 8 : 20, 3, 0, sizes, some);
  test_cuts("pile", QUICK ? 5 : 15, 3, QUICK ? 1 : 4, sizes, some);
  test_cuts("joints", QUICK ? 12 : 30, 4, QUICK ? 1 : 3, sizes, some);
  test_cuts("refused", QUICK ? 8 : 40, 5, 1, sizes, some);
  test_meddled(QUICK ? 12 : 48, some);
  test_resume(QUICK ? 4 : 10);
  test_refused();
  test_gone();
  return check_end();
}
