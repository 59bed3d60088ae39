/* test_differ.c: ranks, which are threads, that do not do the same: other calls of a transport,
 * other defs and callbacks of a world, files and memory that one of them lacks. All end with a
 * message, and what was agreed upon leaves them able to go on. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "host/ranks/agree.h"
#include "host/world/world.h"
#include "talus/talus_io.h"
#include "talus/talus_ranks.h"
#include "talus/talus_scene.h"
#include "tests/check.h"
#include "tests/scarce.h"

enum { RANKS = 3 };

/* One rank, what it does, and how that went. */
typedef struct seat {
  talus_transport to;
  talus_context *context;
  scarce memory;
  bool odd;   /* this one does something else */
  bool wrong; /* a SEAT_CHECK failed: threads have no CHECK */
  talus_status (*run)(struct seat *own);
  pthread_t thread;
  talus_status status;
  char message[600];
} seat;

#define SEAT_CHECK(good) (own->wrong = own->wrong || !(good))

static void *seat_go(void *argument) {
  seat *const own = argument;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  def.ranks = &own->to;
  def.allocate = scarce_allocate;
  def.release = scarce_release;
  def.allocate_user = &own->memory;
  SEAT_CHECK(talus_context_create(&def, &own->context) == TALUS_OK);
  own->status = own->run(own);
  snprintf(own->message, sizeof own->message, "%s", talus_context_message(own->context));
  talus_context_destroy(own->context);
  return NULL;
}

static void ranks_run(talus_status (*run)(seat *), int32_t odd, seat *seats) {
  talus_thread_ranks *ranks = NULL;
  CHECK(talus_thread_ranks_create(RANKS, &ranks) == TALUS_OK);
  for (int32_t r = 0; r < RANKS; r++) {
    seats[r] = (seat){.to = talus_thread_ranks_transport(ranks, r), .odd = r == odd, .run = run};
    CHECK(pthread_create(&seats[r].thread, NULL, seat_go, &seats[r]) == 0);
  }
  for (int32_t r = 0; r < RANKS; r++) {
    pthread_join(seats[r].thread, NULL);
    CHECK_CASE(!seats[r].wrong, "rank %d: %s", r, seats[r].message);
  }
  talus_thread_ranks_destroy(ranks);
}

/* All fail, and say so with these words. */
static void refused(talus_status (*run)(seat *), const char *text) {
  seat seats[RANKS];
  for (int32_t odd = 0; odd < RANKS; odd++) {
    ranks_run(run, odd, seats);
    for (int32_t r = 0; r < RANKS; r++) {
      CHECK_CASE(seats[r].status != TALUS_OK && strstr(seats[r].message, text) != NULL,
                 "%s: rank %d of which %d is odd says: %s", text, r, odd, seats[r].message);
    }
  }
}

/* ---- other calls ----------------------------------------------------------------------------- */

static talus_status call_other(seat *own) {
  int64_t value[2] = {1, 2};
  return own->odd ? tl_ranks_sum(own->context, value, 1) : tl_ranks_largest(own->context, value, 1);
}

static talus_status call_longer(seat *own) {
  int64_t value[2] = {1, 2};
  return tl_ranks_sum(own->context, value, own->odd ? 2 : 1);
}

static talus_status call_more(seat *own) {
  int64_t value = 1;
  return own->odd ? tl_ranks_same(own->context, &value, sizeof value, "number")
                  : tl_ranks_agree(own->context, TALUS_OK);
}

/* ---- worlds ---------------------------------------------------------------------------------- */

static talus_world_def def_of(void) {
  talus_world_def def = talus_world_def_default();
  def.step = 1e-3;
  def.brick_size = 0.3;
  return def;
}

/* A floor and layers of 100 balls that touch. */
static talus_status world_make(seat *own, int32_t layers, talus_world **world) {
  const talus_world_def def = def_of();
  const talus_material_def material = talus_material_def_default();
  int32_t id;
  TL_TRY(talus_world_create(own->context, &def, world));
  TL_TRY(talus_material_add(*world, &material, &id));
  for (int32_t i = -1; i < 100 * layers; i++) {
    talus_body_def body = talus_body_def_default();
    talus_shape_def shape = talus_shape_def_default(i < 0 ? TALUS_SHAPE_BOX : TALUS_SHAPE_SPHERE);
    int32_t ball;
    body.type = i < 0 ? TALUS_BODY_FIXED : TALUS_BODY_FREE;
    for (int c = 0; i >= 0 && c < 3; c++) {
      body.position[c] = 0.05 + 0.1 * (c == 0 ? i % 10 : c == 1 ? i / 10 % 10 : i / 100);
    }
    shape.radius = 0.05;
    shape.position[2] = i < 0 ? -0.5 : 0;
    shape.half_edge[0] = shape.half_edge[1] = 2;
    shape.half_edge[2] = 0.5;
    TL_TRY(talus_body_add(*world, &body, &id));
    TL_TRY(talus_shape_add(*world, id, &shape, &ball));
  }
  return TALUS_OK;
}

static talus_status create_other(seat *own) {
  talus_world_def def = def_of();
  talus_world *world = NULL;
  def.gravity[2] += own->odd;
  const talus_status status = talus_world_create(own->context, &def, &world);
  SEAT_CHECK(status != TALUS_OK && world == NULL);
  return status;
}

static talus_status create_bad(seat *own) {
  talus_world_def def = def_of();
  talus_world *world = NULL;
  def.substeps = own->odd ? -1 : 1;
  const talus_status status = talus_world_create(own->context, &def, &world);
  SEAT_CHECK(status == (own->odd ? TALUS_BAD_SETTING : TALUS_RANKS_FAILED) && world == NULL);
  return status;
}

static talus_status set_other(seat *own) {
  talus_world *world = NULL;
  talus_world_def def = def_of();
  SEAT_CHECK(world_make(own, 1, &world) == TALUS_OK);
  def.slop *= own->odd ? 2 : 1;
  const talus_status status = talus_world_set(world, &def);
  talus_world_destroy(world);
  return status;
}

static void keep(void *user, const talus_contact *contact, double *friction, double *restitution,
                 int *kept) {
  (void)user, (void)contact, (void)friction, (void)restitution, (void)kept;
}

static talus_status callback_other(seat *own) {
  talus_world *world = NULL;
  SEAT_CHECK(world_make(own, 3, &world) == TALUS_OK);
  talus_world_on_contact(world, own->odd ? keep : NULL, NULL);
  const talus_status status = talus_world_step(world, NULL);
  talus_world_destroy(world);
  return status;
}

static talus_status material_other(seat *own) {
  talus_material_def material = talus_material_def_default();
  talus_world *world = NULL;
  SEAT_CHECK(world_make(own, 3, &world) == TALUS_OK);
  material.friction = own->odd ? 0.4 : material.friction;
  SEAT_CHECK(talus_material_set(world, 0, &material) == TALUS_OK);
  const talus_status status = talus_world_step(world, NULL);
  talus_world_destroy(world);
  return status;
}

/* A report that one rank cannot get ends the step of all. */
static talus_status report_other(seat *own) {
  talus_step_report report = talus_step_report_default();
  talus_world *world = NULL;
  SEAT_CHECK(world_make(own, 3, &world) == TALUS_OK);
  report.struct_size = own->odd ? 1 : report.struct_size;
  const talus_status status = talus_world_step(world, &report);
  talus_world_destroy(world);
  return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void text_write(const char *path, const char *text) {
  FILE *const file = fopen(path, "w");
  CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* The same scene, beside which lie different packings. */
static void packings_write(void) {
  static const char scene[] = "world: {step: 1 ms}\n"
                              "walls: [{kind: plane}]\n"
                              "grains: [{kind: packing, file: grains.csv}]\n"
                              "run: {steps: 2}\n";
  mkdir("even", 0777);
  mkdir("odd", 0777);
  text_write("even/scene.yaml", scene);
  text_write("odd/scene.yaml", scene);
  text_write("even/grains.csv", "x,y,z,r\n0,0,1,0.1\n");
  text_write("odd/grains.csv", "x,y,z,r\n0,0,1.5,0.1\n");
}

static talus_status packing_other(seat *own) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  SEAT_CHECK(talus_scene_read(own->context, own->odd ? "odd/scene.yaml" : "even/scene.yaml", NULL,
                              0, &scene) == TALUS_OK);
  const talus_status status = talus_scene_build(scene, &world);
  SEAT_CHECK(world == NULL);
  talus_scene_destroy(scene);
  return status;
}

/* Writes the checkpoint that other scenes may begin from. */
static talus_status scene_save(seat *own) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  TL_TRY(talus_scene_read(own->context, "even/scene.yaml", NULL, 0, &scene));
  talus_status status = talus_scene_build(scene, &world);
  status = status == TALUS_OK ? talus_scene_save(scene, world, "even", 0) : status;
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  return status;
}

static talus_status from_missing(seat *own) {
  talus_scene *scene = NULL;
  SEAT_CHECK(talus_scene_read(own->context, "even/scene.yaml", NULL, 0, &scene) == TALUS_OK);
  const talus_status status =
      talus_scene_from(scene, own->odd ? "nowhere.h5" : "even/checkpoint-000000.h5");
  SEAT_CHECK(status == (own->odd ? TALUS_FILE_OPEN : TALUS_RANKS_FAILED));
  talus_scene_destroy(scene);
  return status;
}

/* Every rank calls, the first one writes: two that write one checkpoint damage it, or fail. */
static talus_status files_write(seat *own) {
  talus_world *world = NULL;
  talus_frames *frames = NULL;
  TL_TRY(world_make(own, 3, &world));
  talus_status status = talus_world_step(world, NULL);
  status = status == TALUS_OK ? talus_checkpoint_write(world, "files", 0) : status;
  status = status == TALUS_OK ? talus_frames_open(own->context, "files", NULL, &frames) : status;
  status = status == TALUS_OK ? talus_frames_write(frames, world) : status;
  status = status == TALUS_OK ? talus_world_problem_write(world, "files/problem.hdf5") : status;
  status = status == TALUS_OK ? talus_world_step(world, NULL) : status;
  status = status == TALUS_OK ? talus_checkpoint_read(world, "files/checkpoint-000001.h5") : status;
  SEAT_CHECK(status != TALUS_OK || talus_world_steps(world) == 1);
  talus_frames_close(frames);
  talus_world_destroy(world);
  return status;
}

static talus_status checkpoint_missing(seat *own) {
  talus_world *world = NULL;
  SEAT_CHECK(world_make(own, 3, &world) == TALUS_OK);
  const talus_status status =
      talus_checkpoint_read(world, own->odd ? "nowhere.h5" : "files/checkpoint-000001.h5");
  SEAT_CHECK(status == (own->odd ? TALUS_FILE_OPEN : TALUS_RANKS_FAILED));
  talus_world_destroy(world);
  return status;
}

static void all_run(talus_status (*run)(seat *)) {
  seat seats[RANKS];
  ranks_run(run, -1, seats);
  for (int32_t r = 0; r < RANKS; r++) {
    CHECK_CASE(seats[r].status == TALUS_OK, "rank %d: %s", r, seats[r].message);
  }
}

static void test_files(void) {
  mkdir("files", 0777);
  packings_write();
  all_run(files_write);
  all_run(scene_save);
  refused(packing_other, "has another world that the scene builds than rank 0");
  refused(from_missing, "nowhere.h5");
  refused(checkpoint_missing, "nowhere.h5");
}

/* ---- memory ---------------------------------------------------------------------------------- */

static int64_t short_at; /* the request of the step that gets nothing */
static talus_status saved[RANKS];

static talus_status memory_short(seat *own) {
  talus_world *world = NULL;
  SEAT_CHECK(world_make(own, 3, &world) == TALUS_OK);
  own->memory.fail_at = own->odd ? own->memory.requests + short_at : 0;
  const talus_status status = talus_world_step(world, NULL);
  own->memory.fail_at = 0;
  saved[own->to.rank] = status == TALUS_OK ? TALUS_OK : talus_checkpoint_write(world, "files", 0);
  talus_world_destroy(world);
  return status;
}

/* Memory that one rank lacks ends the step of all. Where they agreed upon that, they are able to
 * write a checkpoint then. */
static void test_memory(void) {
  seat seats[RANKS];
  int32_t lasting = 0;
  bool failed = true;
  for (short_at = 1; failed; short_at += 1 + short_at / 4) {
    ranks_run(memory_short, 1, seats);
    failed = seats[1].status != TALUS_OK;
    for (int32_t r = 0; r < RANKS; r++) {
      const talus_status wanted = !failed  ? TALUS_OK
                                  : r == 1 ? TALUS_OUT_OF_MEMORY
                                           : TALUS_RANKS_FAILED;
      CHECK_CASE(seats[r].status == wanted, "request %lld, rank %d: %s", (long long)short_at, r,
                 seats[r].message);
      CHECK_CASE((saved[r] == TALUS_OK) == (saved[0] == TALUS_OK), "request %lld, rank %d saves",
                 (long long)short_at, r);
    }
    lasting += failed && saved[0] == TALUS_OK;
    printf("request %lld: %s; a checkpoint then: %s\n", (long long)short_at,
           talus_status_name(seats[1].status), talus_status_name(saved[0]));
  }
  CHECK(short_at > 20 && lasting > 4);
}

int main(void) {
  refused(call_other, "ranks made different calls");
  refused(call_longer, "ranks made different calls");
  refused(call_more, "ranks made different calls");
  refused(create_other, "has another world def than rank 0");
  refused(create_bad, "substeps");
  refused(set_other, "has another world def than rank 0");
  refused(callback_other, "contact callback");
  refused(material_other, "materials");
  refused(report_other, "step report");
  test_files();
  test_memory();
  return check_end();
}
