/* test_local.c: worlds whose bodies are local, in places where ranks could go apart: contacts that
 * change their rank in steps in which no body does, bodies that get their first shape late, memory
 * that is missing while contacts are on their way. Compared with the world without ranks, to the
 * bit. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "host/world/spread_local.h"
#include "talus/talus_ranks.h"
#include "tests/check.h"
#include "tests/scarce.h"

enum { RANKS = 2, HASHED = 6 };

typedef struct seat seat;

/* What ranks do: `given` of them. */
typedef struct run {
  talus_status (*act)(seat *own, talus_world *world);
  int32_t given;
  bool weightless;
} run;

struct seat {
  const run *of;
  talus_transport to;
  scarce memory;
  int32_t rank;
  bool on_ranks;
  pthread_t thread;
  talus_status status;
  char message[300];
  uint64_t hash;
  bool failed;      /* a step for which there was no memory */
  int32_t contacts; /* before it, of all ranks ... */
  int32_t left;     /* ... and after it */
  int64_t local;    /* steps in which bodies were */
};

/* ---- bodies ---------------------------------------------------------------------------------- */

static talus_status shape_add(talus_world *world, int32_t body) {
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  shape.radius = 5e-3;
  return talus_shape_add(world, body, &shape, NULL);
}

static talus_status ball_add(talus_world *world, double x, double y, double z, double vx,
                             double vy) {
  talus_body_def def = talus_body_def_default();
  int32_t body;
  def.position[0] = x;
  def.position[1] = y;
  def.position[2] = z;
  def.velocity[0] = vx;
  def.velocity[1] = vy;
  const talus_status status = talus_body_add(world, &def, &body);
  return status == TALUS_OK ? shape_add(world, body) : status;
}

/* Balls first to end of a block of 8 x 8 x 5 that touch. */
static talus_status block_add(talus_world *world, double x, int32_t first, int32_t end) {
  talus_status status = TALUS_OK;
  for (int32_t i = first; i < end && status == TALUS_OK; i++) {
    status = ball_add(world, x + 0.01 * (i % 8), 0.01 + 0.01 * (i / 8 % 8), 0.005 + 0.01 * (i / 64),
                      0, 0);
  }
  return status;
}

static talus_status steps_make(seat *own, talus_world *world, int32_t count) {
  talus_status status = TALUS_OK;
  for (int32_t i = 0; i < count && status == TALUS_OK; i++) {
    status = talus_world_step(world, NULL);
    own->local = world->spread != NULL ? world->spread->local_steps : 0;
  }
  return status;
}

static talus_status world_hash(seat *own, talus_world *world) {
  own->hash = 1;
  for (int32_t body = talus_body_after(world, TALUS_NONE); body != TALUS_NONE;
       body = talus_body_after(world, body)) {
    talus_body_state state;
    TL_TRY(talus_body_get(world, body, &state));
    uint64_t word[HASHED];
    memcpy(word, state.velocity, 3 * sizeof *word);
    memcpy(word + 3, state.position, 3 * sizeof *word);
    for (int c = 0; c < HASHED; c++) {
      own->hash = (own->hash ^ word[c]) * UINT64_C(0x100000001B3);
    }
  }
  return TALUS_OK;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static talus_status world_run(seat *own, talus_context *context, talus_world **world) {
  talus_world_def def = talus_world_def_default();
  const talus_material_def material = talus_material_def_default();
  int32_t index;
  def.brick_size = 0.1;
  def.step = 1e-3;
  def.gravity[2] = own->of->weightless ? 0 : def.gravity[2];
  TL_TRY(talus_world_create(context, &def, world));
  TL_TRY(talus_material_add(*world, &material, &index));
  TL_TRY(own->of->act(own, *world));
  return world_hash(own, *world);
}

static void *seat_run(void *argument) {
  seat *const own = argument;
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  talus_world *world = NULL;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  def.ranks = own->on_ranks ? &own->to : NULL;
  def.allocate = scarce_allocate;
  def.release = scarce_release;
  def.allocate_user = &own->memory;
  own->status = talus_context_create(&def, &context);
  own->status = own->status == TALUS_OK ? world_run(own, context, &world) : own->status;
  snprintf(own->message, sizeof own->message, "%s", talus_context_message(context));
  talus_world_destroy(world);
  talus_context_destroy(context);
  return NULL;
}

static void seats_run(const run *of, bool on_ranks, seat *seats) {
  talus_thread_ranks *ranks = NULL;
  const int32_t size = on_ranks ? RANKS : 1;
  CHECK(talus_thread_ranks_create(RANKS, &ranks) == TALUS_OK);
  for (int32_t r = 0; r < size; r++) {
    seats[r] = (seat){
        .of = of, .to = talus_thread_ranks_transport(ranks, r), .rank = r, .on_ranks = on_ranks};
    CHECK(pthread_create(&seats[r].thread, NULL, seat_run, &seats[r]) == 0);
  }
  for (int32_t r = 0; r < size; r++) {
    pthread_join(seats[r].thread, NULL);
  }
  talus_thread_ranks_destroy(ranks);
}

static void ranks_run(const run *of, bool on_ranks, seat *seats) {
  seats_run(of, on_ranks, seats);
  for (int32_t r = 0; r < (on_ranks ? RANKS : 1); r++) {
    CHECK_CASE(seats[r].status == TALUS_OK, "rank %d: %s", r, seats[r].message);
  }
}

/* The same with ranks and without, in steps of which so many are local. */
static void check_same(const run *of, int64_t local, const char *what) {
  seat alone[1], seats[RANKS];
  ranks_run(of, false, alone);
  ranks_run(of, true, seats);
  for (int32_t r = 0; r < RANKS; r++) {
    CHECK_CASE(seats[r].hash == alone[0].hash, "%s %d: rank %d has another state", what, of->given,
               r);
    CHECK_CASE(seats[r].local >= local, "%s: %lld local steps", what, (long long)seats[r].local);
  }
}

/* ---- contacts that change their rank --------------------------------------------------------- */

/* Pairs of balls cross a cut while others, which fly along it, want new lists in every step. Slots
 * of the two ranks differ by those of the block's first balls. */
static talus_status crossing_add(talus_world *world, int32_t lead) {
  TL_TRY(block_add(world, 0.11, 0, lead));
  for (int i = 0; i < 16; i++) {
    const double x = 0.39995 - 0.0000725 * (16 - i), y = 0.02 + 0.00995 * (i % 4);
    const double z = 0.02 + 0.00995 * (i / 4);
    const double push[2] = {0.05 + 0.01 * (i % 3), -0.05 - 0.007 * (i % 5)};
    for (int side = 0; side < 2; side++) {
      const double force[3] = {push[side], 0, 0}, torque[3] = {0, 0, 1e-3 * push[side]};
      TL_TRY(ball_add(world, x + 0.00995 * side, y, z, 0.3, 0));
      TL_TRY(talus_body_force(world, talus_body_capacity(world) - 1, force, torque));
    }
  }
  TL_TRY(block_add(world, 0.11, lead, 320));
  TL_TRY(block_add(world, 0.71, 0, 320));
  for (int i = 0; i < 8; i++) {
    TL_TRY(ball_add(world, 0.3985, 0.1 - 0.0101 * (i + 0.5), 0.0955, 0, 10.1));
  }
  return TALUS_OK;
}

static talus_status act_cross(seat *own, talus_world *world) {
  TL_TRY(crossing_add(world, own->of->given));
  return steps_make(own, world, 12);
}

static void test_crossing(void) {
  for (int32_t lead = 2; lead <= 16; lead *= 2) {
    const run of = {.act = act_cross, .given = lead, .weightless = true};
    check_same(&of, 8, "crossing");
  }
}

/* ---- a first shape, late --------------------------------------------------------------------- */

/* A ball above a block; given: after so many steps it gets its shape, and only then falls. */
static talus_status act_late(seat *own, talus_world *world) {
  talus_body_def def = talus_body_def_default();
  talus_shape_def floor = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  int32_t body;
  def.type = TALUS_BODY_FIXED;
  TL_TRY(talus_body_add(world, &def, &body));
  TL_TRY(talus_shape_add(world, body, &floor, NULL));
  TL_TRY(block_add(world, 0.11, 0, 320));
  TL_TRY(block_add(world, 0.71, 0, 320));
  def = talus_body_def_default();
  def.position[0] = 0.75;
  def.position[1] = 0.05;
  def.position[2] = 0.0549;
  TL_TRY(talus_body_add(world, &def, &body));
  TL_TRY(steps_make(own, world, own->of->given));
  TL_TRY(shape_add(world, body));
  return steps_make(own, world, 14 - own->of->given);
}

static void test_late(void) {
  const run of = {.act = act_late, .given = 4};
  check_same(&of, 12, "late");
}

/* ---- missing memory -------------------------------------------------------------------------- */

/* Request `given` (0: none) of the fourth step gets nothing on the last rank. If that was agreed
 * upon no contact is lost, and the step that is made again comes to what it would have. */
static talus_status act_scarce(seat *own, talus_world *world) {
  const talus_contact *contact;
  TL_TRY(crossing_add(world, 8));
  TL_TRY(steps_make(own, world, 3));
  const int32_t before = talus_world_contacts(world, NULL);
  own->memory.fail_at =
      own->rank == RANKS - 1 && own->of->given > 0 ? own->memory.requests + own->of->given : 0;
  const talus_status status = talus_world_step(world, NULL);
  own->memory.fail_at = 0;
  if (status == TALUS_OK) {
    return TALUS_OK;
  }
  own->failed = true;
  own->contacts = before;
  own->left = talus_world_contacts(world, &contact);
  return talus_world_step(world, NULL);
}

/* Ranks of which one lacks memory, or gives up since the others may wait for it. */
static bool scarce_run(const run *of, const seat *alone, int32_t *lasting) {
  seat seats[RANKS];
  seats_run(of, true, seats);
  for (int32_t r = 0; r < RANKS; r++) {
    CHECK_CASE((seats[r].status == TALUS_OK) == (seats[0].status == TALUS_OK), "request %d: %s",
               of->given, seats[r].message);
    if (seats[r].status == TALUS_OK) {
      CHECK_CASE(seats[r].hash == alone->hash, "request %d: rank %d has another state", of->given,
                 r);
      CHECK_CASE(seats[r].left == seats[r].contacts, "request %d: %d contacts of %d", of->given,
                 seats[r].left, seats[r].contacts);
    }
  }
  *lasting += seats[0].failed && seats[0].status == TALUS_OK;
  return seats[0].failed;
}

static void test_scarce(void) {
  seat alone[1];
  run of = {.act = act_scarce, .weightless = true};
  int32_t lasting = 0;
  ranks_run(&of, false, alone);
  do {
    of.given++;
  } while (scarce_run(&of, alone, &lasting) && of.given < 200);
  printf("%d requests, of which %d let ranks go on\n", of.given - 1, lasting);
  CHECK(of.given > 10 && lasting > 5);
}

int main(void) {
  test_crossing();
  test_late();
  test_scarce();
  return check_end();
}
