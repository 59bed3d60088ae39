/* test_missed_contacts.c: what is hit during a step does not pass into or through what it had no
 * contact with: margins are made from the speeds before the step, and a body that is hit moves
 * further than its own. */
#include <math.h>
#include <stdbool.h>

#include "tests/scarce.h"
#include "tests/world/place.h"

static const double R = 0.01, STEP = 1e-3;

static talus_world *world_make(talus_integrator integrator) {
  talus_world_def def = talus_world_def_default();
  def.step = STEP;
  def.tolerance = 1e-6;
  def.integrator = integrator;
  def.gravity[2] = 0;
  talus_world *world;
  MUST(talus_world_create(place_context, &def, &world));
  return world;
}

static void throw(talus_world * world, int32_t body, double speed) {
  talus_body_state state = place_state(world, body);
  state.velocity[0] = speed;
  MUST(talus_body_set(world, body, &state));
}

/* A fixed plate across x, as thin as a tenth of a radius. */
static void plate_add(talus_world *world, int32_t material, double x) {
  const int32_t body = place_body(world, TALUS_BODY_FIXED, x, 0, 0);
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_BOX);
  shape.material = material;
  shape.half_edge[0] = 0.05 * R;
  shape.half_edge[1] = shape.half_edge[2] = 10 * R;
  MUST(talus_shape_add(world, body, &shape, NULL));
}

/* A heavy ball, moving three radii a step, meets a light one half a radius before a thin plate:
 * with restitution 1 the light one would be far behind the plate after the step. */
static void thin_plate(talus_integrator integrator, double restitution) {
  talus_world *const world = world_make(integrator);
  const int32_t heavy = place_material(world, 50000, 0.3, restitution);
  const int32_t light = place_material(world, 500, 0.3, restitution);
  const int32_t fast = place_sphere(world, heavy, R, -2.5 * R, 0, 0);
  const int32_t hit = place_sphere(world, light, R, 0, 0, 0);
  plate_add(world, light, 1.55 * R); /* its near face at 1.5 R */
  throw(world, fast, 3 * R / STEP);
  place_run(world, 1);
  for (int i = 0; i < 20; i++) {
    const double x = place_state(world, hit).position[0], y = place_state(world, fast).position[0];
    /* half a step ahead the balls are deep in each other: put right to first order only */
    const bool euler = integrator == TALUS_INTEGRATOR_EULER;
    const double depth = euler ? 1e-3 * R : 2e-3 * R, overlap = euler ? 1e-3 * R : 5e-2 * R;
    CHECK_CASE(x <= 0.5 * R + depth, "step %d: the light ball at %g R", i + 1, x / R);
    CHECK_CASE(y <= x - 2 * R + overlap, "step %d: the heavy ball at %g R", i + 1, y / R);
    place_run(world, 1);
  }
  talus_world_destroy(world);
}

/* A row with gaps of 0.3 radii: the blow goes through all of it within one step. */
static void row_of_balls(int boxes) {
  enum { COUNT = 6 };
  talus_world *const world = world_make(TALUS_INTEGRATOR_EULER);
  const int32_t material = place_material(world, 2500, 0.3, 0);
  const double half[3] = {R, R, R};
  int32_t ball[COUNT];
  for (int i = 0; i < COUNT; i++) {
    const double x = 2.3 * R * i;
    ball[i] = boxes ? place_box(world, material, half, x, 0, 0)
                    : place_sphere(world, material, R, x, 0, 0);
  }
  plate_add(world, material, 2.3 * R * COUNT);
  throw(world, ball[0], 15 * R / STEP);
  for (int step = 1; step <= 5; step++) {
    place_run(world, 1);
    for (int i = 1; i < COUNT; i++) {
      const double gap =
          place_state(world, ball[i]).position[0] - place_state(world, ball[i - 1]).position[0];
      CHECK_CASE(gap >= 2 * R - 2e-3 * R, "step %d: %d and %d are %g R apart", step, i - 1, i,
                 gap / R);
    }
    CHECK(place_state(world, ball[COUNT - 1]).position[0] <= 2.3 * R * COUNT - 1.04 * R);
  }
  talus_world_destroy(world);
}

/* A force that acts from this step on moves a body further than its margin as well. */
static void pushed_ball(void) {
  talus_world *const world = world_make(TALUS_INTEGRATOR_EULER);
  const int32_t material = place_material(world, 2500, 0.3, 0);
  const int32_t ball = place_sphere(world, material, R, 0, 0, 0);
  plate_add(world, material, 2 * R);
  const double force[3] = {talus_body_mass(world, ball) * 5 * R / (STEP * STEP), 0, 0};
  MUST(talus_body_force(world, ball, force, NULL));
  place_run(world, 3);
  CHECK_CLOSE(place_state(world, ball).position[0], 0.95 * R, 1e-3 * R);
  talus_world_destroy(world);
}

/* Where what is fast meets nothing new, contacts are not found again: a dropped one stays so. */
static void drop(void *user, const talus_contact *contact, double *friction, double *restitution,
                 int *keep) {
  (void)contact;
  (void)friction;
  (void)restitution;
  ++*(int *)user;
  *keep = 0;
}

static void dropped_contacts(void) {
  talus_world *const world = world_make(TALUS_INTEGRATOR_EULER);
  const int32_t material = place_material(world, 2500, 0.3, 0);
  const int32_t ball = place_sphere(world, material, R, 0, 0, 0);
  int calls = 0;
  plate_add(world, material, 1.5 * R);
  talus_world_on_contact(world, drop, &calls);
  const double force[3] = {talus_body_mass(world, ball) * 5 * R / (STEP * STEP), 0, 0};
  MUST(talus_body_force(world, ball, force, NULL));
  place_run(world, 1);
  CHECK_CLOSE(place_state(world, ball).position[0], 5 * R, 1e-9);
  CHECK_CASE(calls == 1, "%d calls", calls);
  talus_world_destroy(world);
}

/* Memory runs out at each request of the step in turn: it fails, nothing has moved, and the same
 * step made again ends where it should. */
static void scarce_memory(void) {
  double wanted = NAN;
  for (int64_t at = 0, failed = 1; failed || at < 2; at++) {
    scarce memory = {0};
    place_context = scarce_context(&memory);
    talus_world *const world = world_make(TALUS_INTEGRATOR_EULER);
    const int32_t material = place_material(world, 2500, 0.3, 0);
    const int32_t fast = place_sphere(world, material, R, -2.5 * R, 0, 0);
    const int32_t hit = place_sphere(world, material, R, 0, 0, 0);
    plate_add(world, material, 1.55 * R);
    throw(world, fast, 3 * R / STEP);
    memory.fail_at = at > 0 ? memory.requests + at : 0;
    const talus_status status = talus_world_step(world, NULL);
    failed = status != TALUS_OK;
    if (failed) {
      CHECK_CASE(status == TALUS_OUT_OF_MEMORY, "request %d: %s", (int)at,
                 talus_status_name(status));
      CHECK(place_state(world, hit).position[0] == 0);
      CHECK(place_state(world, fast).position[0] == -2.5 * R);
      MUST(talus_world_step(world, NULL));
    }
    wanted = at == 0 ? place_state(world, hit).position[0] : wanted;
    CHECK_CASE(place_state(world, hit).position[0] == wanted, "request %d", (int)at);
    talus_world_destroy(world);
    talus_context_destroy(place_context);
    CHECK_CASE(memory.held == 0, "request %d: %d pieces are lost", (int)at, (int)memory.held);
    CHECK(at < 1000);
  }
}

int main(void) {
  scarce_memory();
  place_begin(1);
  for (int integrator = 0; integrator < 2; integrator++) {
    thin_plate((talus_integrator)integrator, 0);
    thin_plate((talus_integrator)integrator, 1);
  }
  row_of_balls(0);
  row_of_balls(1);
  pushed_ball();
  dropped_contacts();
  place_end();
  return check_end();
}
