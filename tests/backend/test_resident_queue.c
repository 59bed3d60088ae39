/* test_resident_queue.c: steps of a world on a device that are queued as a whole are those of the
 * CPU, to the bit; so are those that come out otherwise and are made once more: a bed that is at
 * rest, and swayed. By gradients, by sweeps, and in single precision. `quick`: some steps
 * of one of them. `rest SIDE`: how many steps of a bed of SIDE^3 balls at rest are queued. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "host/solve/solver.h"
#include "tests/backend/device_runs.h"

enum { SIDE = 4, LAYERS = 3, STEPS = 60, QUICK_STEPS = 24, SETTLE = 3000, REST_STEPS = 200 };

typedef struct way {
  const char *name;
  talus_method method;
  talus_precision precision;
  double sway; /* m */
} way;

static const way ways[] = {{"by itself", TALUS_METHOD_AUTO, TALUS_F64, 1e-4},
                           {"gradients", TALUS_METHOD_APGDB, TALUS_F64, 1e-4},
                           {"sweeps, f32", TALUS_METHOD_GAUSS_SEIDEL_NESTEROV, TALUS_F32, 1e-4},
                           {"by itself, swayed much", TALUS_METHOD_AUTO, TALUS_F64, 8e-3},
                           {"gradients, swayed much", TALUS_METHOD_APGDB, TALUS_F64, 8e-3}};

/* Floor and four walls, which sway. */
static void box_add(talus_world *world, double sway) {
  const int32_t body = planes_add(world, TALUS_BODY_KINEMATIC, 0, 0.02 * SIDE, 31);
  talus_motion_def motion = talus_motion_def_default(TALUS_MOTION_SINUSOID);
  motion.vector[0] = sway;
  motion.frequency = 3;
  MUST(talus_motion_add(world, body, &motion));
}

static talus_world *swayed_make(talus_context *context, const way *w) {
  talus_world_def def = talus_world_def_default();
  talus_material_def material_def = talus_material_def_default();
  talus_world *world;
  int32_t material;
  def.solver.method = w->method;
  def.solver.precision = w->precision;
  MUST(talus_world_create(context, &def, &world));
  material_def.friction = 0.5;
  MUST(talus_material_add(world, &material_def, &material));
  box_add(world, w->sway);
  for (int z = 0; z < LAYERS; z++) {
    for (int i = 0; i < (SIDE - z) * (SIDE - z); i++) {
      sphere_add(world, 0.01, 0.01 + 0.02 * (i % (SIDE - z)) + 0.01 * z,
                 0.01 + 0.02 * (i / (SIDE - z)) + 0.01 * z, 0.01 + 0.01414213562373095 * z);
    }
  }
  return world;
}

/* Adds how many steps were made once more, and how many solves went on. */
static void way_check(const way *w, int steps, int64_t *missed, int64_t *extended) {
  talus_context *const host = context_open(TALUS_BACKEND_CPU, 2);
  talus_context *const device = context_open(TALUS_BACKEND_CUDA, 1);
  talus_world *const a = swayed_make(host, w), *const b = swayed_make(device, w);
  bool same = true;
  for (int i = 0; i < steps && same; i++) {
    const talus_step_report p = world_step(a), q = world_step(b);
    same = memcmp(&p, &q, sizeof p) == 0;
    CHECK_CASE(same, "%s: step %d: %d and %d iterations, kinetic %.17g %.17g", w->name, i,
               (int)p.iterations, (int)q.iterations, p.kinetic, q.kinetic);
  }
  CHECK_CASE(same_state(a, b), "%s", w->name);
  const tl_world_resident *const r = b->resident;
  printf("%s: %lld of %d steps on the device, %lld queued, %lld went on, %lld made once more\n",
         w->name, (long long)r->step_count, steps, (long long)r->queued_count,
         (long long)r->extended_count, (long long)r->missed_count);
  CHECK(r->step_count > steps / 2 && r->queued_count > 4);
  *missed += r->missed_count;
  *extended += r->extended_count;
  talus_world_destroy(a);
  talus_world_destroy(b);
  talus_context_destroy(device);
  talus_context_destroy(host);
}

/* A method that has L estimated in every solve: no step is queued in vain. */
static void estimate_check(void) {
  const way jacobi = {"jacobi", TALUS_METHOD_JACOBI, TALUS_F64, 1e-4};
  talus_context *const host = context_open(TALUS_BACKEND_CPU, 2);
  talus_context *const device = context_open(TALUS_BACKEND_CUDA, 1);
  talus_world *const a = swayed_make(host, &jacobi), *const b = swayed_make(device, &jacobi);
  for (int i = 0; i < QUICK_STEPS; i++) {
    world_step(a);
    world_step(b);
  }
  CHECK(same_state(a, b));
  const tl_world_resident *const r = b->resident;
  CHECK_CASE(r->step_count == QUICK_STEPS && r->missed_count == 0,
             "%s: %lld steps on the device, %lld made once more", jacobi.name,
             (long long)r->step_count, (long long)r->missed_count);
  talus_world_destroy(a);
  talus_world_destroy(b);
  talus_context_destroy(device);
  talus_context_destroy(host);
}

/* ---- a solve that turns back ----------------------------------------------------------------- */

/* Of the solve that is queued: its operations, and those that count the stages asked for. */
static struct {
  const tl_world_backend *world;
  const tl_engine_ops *answers;
  tl_engine_ops counted;
  tl_engine *engine;
  int stages, most; /* answered in this solve, in any */
  bool turns;       /* after the first of three the solve goes back to the impulses put aside */
  int refused, taken;
} turn;

static talus_status turn_iterate(tl_engine *engine, tl_iteration kind, const tl_rule *rule,
                                 int32_t count, tl_state *state, int64_t *passes) {
  if (turn.turns && turn.stages == 1) {
    const talus_status status = engine->ops->start(engine, TL_START_KEPT, NULL, 1);
    turn.refused += status == TL_NOT_QUEUED;
    turn.taken += status != TL_NOT_QUEUED;
    turn.turns = false;
    TL_TRY(status);
  }
  TL_TRY(turn.answers->iterate(engine, kind, rule, count, state, passes));
  if (engine->ops == &turn.counted) { /* it was answered */
    turn.stages++;
    turn.most = turn.stages > turn.most ? turn.stages : turn.most;
  }
  return TALUS_OK;
}

static talus_status turn_read(tl_resident *resident, tl_resident_record *record, bool *right) {
  TL_TRY(turn.world->read(resident, record, right));
  turn.answers = turn.engine->ops;
  turn.counted = *turn.answers;
  turn.counted.iterate = turn_iterate;
  turn.engine->ops = &turn.counted;
  turn.stages = 0;
  return TALUS_OK;
}

/* A solve that goes back to the best impulses after the first of three stages is made once more:
 * the device may have put aside those of the second. The step in which three are made is found by
 * a run without. Returns it; -1: there is none. */
static int turn_run(const way *w, int at) {
  talus_context *const host = context_open(TALUS_BACKEND_CPU, 2);
  talus_context *const device = context_open(TALUS_BACKEND_CUDA, 1);
  talus_world *const a = swayed_make(host, w), *const b = swayed_make(device, w);
  tl_world_backend world = *b->resident->backend;
  int found = -1;
  turn.world = b->resident->backend;
  world.read = turn_read;
  turn.most = 0;
  for (int i = 0; i < STEPS && found < 0; i++) {
    turn.turns = i == at;
    world_step(a);
    if (b->solver != NULL && b->solver->slot.engine != NULL) {
      turn.engine = b->solver->slot.engine;
      b->resident->backend = &world;
    }
    world_step(b);
    found = turn.most == 3 || i == at ? i : -1;
  }
  CHECK(same_state(a, b));
  talus_world_destroy(a);
  talus_world_destroy(b);
  talus_context_destroy(device);
  talus_context_destroy(host);
  return found;
}

static void turn_check(const way *w) {
  const int at = turn_run(w, -1);
  CHECK(at > 0);
  turn_run(w, at);
  CHECK_CASE(turn.refused == 1 && turn.taken == 0, "step %d: refused %d, taken %d", at,
             turn.refused, turn.taken);
}

/* Balls of several sizes, layers in the gaps of those below, which fall into a box and roll. */
static talus_world *bed_make(talus_context *context, int side) {
  talus_world_def def = talus_world_def_default();
  talus_material_def material = talus_material_def_default();
  talus_world *world;
  int32_t id;
  scatter = 7;
  MUST(talus_world_create(context, &def, &world));
  material.friction = 0.4;
  MUST(talus_material_add(world, &material, &id));
  planes_add(world, TALUS_BODY_FIXED, 0, 0.022 * (side + 0.5), 31);
  for (int i = 0; i < side * side * side; i++) {
    const double shift = 0.011 * (1 + i / side / side % 2);
    const double x = 0.022 * (i % side) + shift, y = 0.022 * (i / side % side) + shift;
    const double radius = 0.008 + 0.002 * uniform();
    sphere_add(world, radius, x + 0.001 * uniform(), y + 0.001 * uniform(),
               0.021 * (i / side / side) + 0.011);
  }
  return world;
}

/* Settled on the CPU, then on the device. */
static void rest_count(int side) {
  device_run host = {context_open(TALUS_BACKEND_CPU, 1), NULL, NULL};
  device_run device = {context_open(TALUS_BACKEND_CUDA, 1), NULL, NULL};
  int few = 0, more = 0;
  long size;
  host.world = bed_make(host.context, side);
  device.world = bed_make(device.context, side);
  for (int i = 0; i < SETTLE; i++) {
    run_step(&host);
  }
  free(checkpoint_of(&host, &device, &size));
  for (int i = 0; i < REST_STEPS; i++) {
    const talus_step_report report = run_step(&device);
    few += report.iterations <= 5;
    more += report.iterations > 5 && report.iterations <= 10;
  }
  const tl_world_resident *const r = device.world->resident;
  printf("%d balls, %d contacts: %d steps with up to 5 iterations, %d with up to 10 of %d; %lld on "
         "the device, %lld queued, %lld made once more\n",
         side * side * side, talus_world_contacts(device.world, NULL), few, more, REST_STEPS,
         (long long)r->step_count, (long long)r->queued_count, (long long)r->missed_count);
  run_end(&host);
  run_end(&device);
}

int main(int count, char **arguments) {
  int64_t missed = 0, extended = 0;
  if (count > 2 && strcmp(arguments[1], "rest") == 0) {
    rest_count(atoi(arguments[2]));
    return check_end();
  }
  if (count > 1 && strcmp(arguments[1], "quick") == 0) {
    way_check(&ways[0], QUICK_STEPS, &missed, &extended);
    return check_end();
  }
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    way_check(&ways[i], STEPS, &missed, &extended);
  }
  CHECK(missed > 0 && extended > 0);
  estimate_check();
  turn_check(&ways[4]);
  return check_end();
}
