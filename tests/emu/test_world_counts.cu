/* test_world_counts.cu: what a steady step of a world on a device asks of it, counted by the
 * emulated run time: a bed of balls at rest, and balls in a box that turns, without output. */
#include <cuda_runtime.h>

#include <string.h>

#include "host/world/resident.h"
#include "tests/check.h"

namespace {

enum { SETTLE = 60, STEPS = 10 };

struct counts {
  long waits, allocations, graphs, launches, graph_launches, copies, runs;
  long long bytes;
};

counts now() {
  return counts{emu_waits,          emu_allocations, emu_graphs, emu_launches,
                emu_graph_launches, emu_copies,      emu_runs,   emu_bus_bytes};
}

void ball_add(talus_world *world, int32_t material, double x, double y, double z,
              double radius = 0.01) {
  talus_body_def ball = talus_body_def_default();
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  int32_t body;
  ball.position[0] = x;
  ball.position[1] = y;
  ball.position[2] = z;
  shape.material = material;
  shape.radius = radius;
  CHECK(talus_body_add(world, &ball, &body) == TALUS_OK);
  CHECK(talus_shape_add(world, body, &shape, NULL) == TALUS_OK);
}

/* Floor and four walls of a square box. */
void box_add(talus_world *world, int32_t material, double width,
             talus_body_type type = TALUS_BODY_FIXED) {
  const double h = 0.70710678118654752;
  const double turn[5][4] = {
      {1, 0, 0, 0}, {h, 0, h, 0}, {h, 0, -h, 0}, {h, -h, 0, 0}, {h, h, 0, 0}};
  talus_body_def def = talus_body_def_default();
  int32_t body;
  def.type = type;
  CHECK(talus_body_add(world, &def, &body) == TALUS_OK);
  for (int i = 0; i < 5; i++) {
    talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
    shape.material = material;
    memcpy(shape.orientation, turn[i], sizeof turn[i]);
    shape.position[0] = i == 2 ? width : 0;
    shape.position[1] = i == 4 ? width : 0;
    CHECK(talus_shape_add(world, body, &shape, NULL) == TALUS_OK);
  }
}

/* Balls in layers, each in the hollows of those below, beside each other on the floor. */
talus_world *bed_make(talus_context *context, int side, int layers) {
  talus_world_def def = talus_world_def_default();
  talus_material_def material_def = talus_material_def_default();
  talus_world *world;
  int32_t material;
  CHECK(talus_world_create(context, &def, &world) == TALUS_OK);
  material_def.friction = 0.5;
  CHECK(talus_material_add(world, &material_def, &material) == TALUS_OK);
  box_add(world, material, 0.02 * side);
  for (int z = 0; z < layers; z++) {
    for (int i = 0; i < (side - z) * (side - z); i++) {
      ball_add(world, material, 0.01 + 0.02 * (i % (side - z)) + 0.01 * z,
               0.01 + 0.02 * (i / (side - z)) + 0.01 * z, 0.01 + 0.01414213562373095 * z);
    }
  }
  return world;
}

/* Whether the context counts what the run time counts. */
void counts_check(const tl_device_counts *a, const tl_device_counts *b, const counts *c) {
  CHECK_CASE(b->waits - a->waits == c->waits, "%ld waits", c->waits);
  CHECK_CASE((b->allocations > a->allocations) == (c->allocations > 0), "%ld allocations",
             c->allocations); /* pinned ones are counted there */
  CHECK_CASE(b->copies - a->copies == c->copies, "%ld copies", c->copies);
  CHECK_CASE(b->bytes - a->bytes == c->bytes, "%lld bytes", c->bytes);
  CHECK_CASE(b->graphs - a->graphs == c->graph_launches, "%ld graphs", c->graph_launches);
  CHECK_CASE(c->graphs > 0 || b->launches - a->launches == c->launches, "%ld launches",
             c->launches);
}

counts step_count(talus_world *world, talus_step_report *report) {
  const counts before = now();
  const tl_device_counts own = world->context->counts;
  CHECK(talus_world_step(world, report) == TALUS_OK);
  const counts after = now();
  const counts c = {after.waits - before.waits,
                    after.allocations - before.allocations,
                    after.graphs - before.graphs,
                    after.launches - before.launches,
                    after.graph_launches - before.graph_launches,
                    after.copies - before.copies,
                    after.runs - before.runs,
                    after.bytes - before.bytes};
  counts_check(&own, &world->context->counts, &c);
  return c;
}

/* Kernels and primitives count each time that they run, those of graphs too, which do nothing once
 * the iterations have ended; copies and fills do not. The step is queued as a whole and waited for
 * once, whether it iterates or not. */
void steady_check(int side, int layers) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  talus_step_report report = talus_step_report_default();
  def.backend = TALUS_BACKEND_CUDA;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  talus_world *const world = bed_make(context, side, layers);
  for (int i = 0; i < SETTLE; i++) {
    step_count(world, &report);
  }
  int iterated = 0;
  for (int i = 0; i < STEPS; i++) {
    const counts c = step_count(world, &report);
    const bool some = report.iterations > 0;
    iterated += some;
    CHECK_CASE(c.allocations == 0 && c.graphs == 0, "%ld allocations, %ld graphs made",
               c.allocations, c.graphs);
    CHECK_CASE(c.bytes <= 1000, "%lld bytes over the bus", c.bytes);
    CHECK_CASE(c.runs <= 44, "%ld kernels for %d iterations", c.runs, (int)report.iterations);
    CHECK_CASE(c.graph_launches <= 2, "%ld graphs", c.graph_launches);
    CHECK_CASE(c.waits == 1, "%ld waits", c.waits);
    CHECK_CASE(c.copies <= 11, "%ld copies and fills", c.copies);
    if (i == 0 || (some && iterated == 1)) {
      printf("%d balls, %d contacts, %d iterations: %ld launches, %ld of graphs, %ld kernels, "
             "%ld copies and fills, %ld waits, %lld bytes over the bus\n",
             talus_body_capacity(world) - 1, report.contact_count, (int)report.iterations,
             c.launches, c.graph_launches, c.runs, c.copies, c.waits, c.bytes);
    }
  }
  CHECK(iterated > 0 && iterated < STEPS);
  CHECK(world->resident->step_count == SETTLE + STEPS);
  talus_world_destroy(world);
  talus_context_destroy(context);
}

/* A closed box that turns about a level axis, half full: contacts come and go in every step. */
talus_world *flow_make(talus_context *context, int side, int layers) {
  const double width = 0.02 * side, middle = 0.5 * width;
  talus_world_def def = talus_world_def_default();
  talus_material_def material_def = talus_material_def_default();
  talus_motion_def motion = talus_motion_def_default(TALUS_MOTION_SPIN);
  talus_world *world;
  int32_t material;
  CHECK(talus_world_create(context, &def, &world) == TALUS_OK);
  material_def.friction = 0.5;
  CHECK(talus_material_add(world, &material_def, &material) == TALUS_OK);
  box_add(world, material, width, TALUS_BODY_KINEMATIC);
  motion.vector[1] = 3;
  motion.centre[0] = motion.centre[2] = middle;
  CHECK(talus_motion_add(world, 0, &motion) == TALUS_OK);
  for (int i = 0; i < side * side * layers; i++) {
    const int z = i / side / side;
    ball_add(world, material, 0.0101 + 0.0199 * (i % side), 0.0101 + 0.0199 * (i / side % side),
             0.0101 + 0.0199 * z, 0.0099 - 0.0002 * (i * 7 % 11));
  }
  return world;
}

/* Of a world that flows, steps that the device makes: no graphs but where memory has moved, a wait
 * but where something has sunk in (a projection follows), solves take more than the last ones, or
 * there was too little room. Sums over STEPS steps: counts of one vary with what happens in it. */
void flow_check(int side, int layers) {
  enum { BEGIN = 50, STEPS = 100 };
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  talus_step_report report = talus_step_report_default();
  def.backend = TALUS_BACKEND_CUDA;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  talus_world *const world = flow_make(context, side, layers);
  counts sum = {};
  int made = 0, graphs = 0, grown = 0, once = 0, changed = 0, before = 0;
  long iterations = 0;
  for (int i = 0; i < BEGIN + STEPS; i++) {
    const counts c = step_count(world, &report);
    if (i >= BEGIN && report.resident) {
      made++;
      graphs += c.graphs > 0;
      grown += c.allocations > 0;
      once += c.waits == 1;
      changed += report.contact_count != before;
      iterations += report.iterations;
      sum.waits += c.waits;
      sum.allocations += c.allocations;
      sum.graphs += c.graphs;
      sum.launches += c.launches;
      sum.runs += c.runs;
      sum.copies += c.copies;
      sum.bytes += c.bytes;
    }
    before = report.contact_count;
  }
  const tl_world_resident *const r = world->resident;
  printf(
      "%d balls that flow: %d of %d steps on the device, %d with another number of contacts, "
      "%.1f iterations each: %.0f launches, %.2f graphs made, %.0f kernels, %.0f copies and fills, "
      "%.2f allocations, %.1f waits, %.0f bytes over the bus each; graphs were made in %d, memory "
      "grew in %d, %d waited once; %lld of all queued, %lld extended, %lld made once more\n",
      talus_body_capacity(world) - 1, made, (int)STEPS, changed, (double)iterations / made,
      (double)sum.launches / made, (double)sum.graphs / made, (double)sum.runs / made,
      (double)sum.copies / made, (double)sum.allocations / made, (double)sum.waits / made,
      (double)sum.bytes / made, graphs, grown, once, (long long)r->queued_count,
      (long long)r->extended_count, (long long)r->missed_count);
  CHECK(made >= 80 && changed >= 40 && once >= 25);
  CHECK_CASE(sum.waits <= 5 * made, "%ld waits", sum.waits);
  CHECK_CASE(sum.graphs <= made / 4 && graphs <= made / 5, "%ld graphs in %d", sum.graphs, graphs);
  CHECK_CASE(sum.allocations <= made / 5, "%ld allocations", sum.allocations);
  CHECK_CASE(sum.launches <= 120 * made && sum.runs <= 240 * made, "%ld launches, %ld kernels",
             sum.launches, sum.runs);
  CHECK_CASE(sum.copies <= 30 * made, "%ld copies and fills", sum.copies);
  CHECK_CASE(r->missed_count <= 20 && r->queued_count >= 80, "%lld queued, %lld made once more",
             (long long)r->queued_count, (long long)r->missed_count);
  talus_world_destroy(world);
  talus_context_destroy(context);
}

/* What crosses the bus from `before` on. */
long long bytes_since(const counts &before) {
  return now().bytes - before.bytes;
}

/* Bodies that come and go between steps: poses are fetched, and sent is what came; all of the world
 * would be `loaded` bytes. Bodies that are pushed, and other materials. */
void change_check(int side, int layers) {
  enum { COME = 10, GO = 3, ROUNDS = 3 };
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  talus_step_report report = talus_step_report_default();
  talus_body_state state;
  def.backend = TALUS_BACKEND_CUDA;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  talus_world *const world = bed_make(context, side, layers);
  const long long loaded = step_count(world, &report).bytes;
  for (int i = 0; i < SETTLE; i++) {
    step_count(world, &report);
  }
  for (int round = 0; round < ROUNDS; round++) {
    const long long poses = (long long)sizeof(tl_body_motion) * talus_body_count(world);
    counts before = now();
    CHECK(talus_body_get(world, 1, &state) == TALUS_OK);
    const long long read = bytes_since(before);
    CHECK_CASE(read == poses, "%lld bytes for poses of %lld", read, poses);
    for (int i = 0; i < COME; i++) {
      ball_add(world, 0, 0.01 + 0.02 * (i % side), 0.01 + 0.02 * (i / side), 0.15 + 0.05 * round);
    }
    const long long came = step_count(world, &report).bytes;
    CHECK(talus_body_get(world, 1, &state) == TALUS_OK);
    for (int i = 0; i < GO; i++) {
      CHECK(talus_body_remove(world, 2 + i + GO * round) == TALUS_OK);
    }
    const long long went = step_count(world, &report).bytes;
    const double force[3] = {0, 0, -0.01 * (1 + round)};
    before = now();
    CHECK(talus_body_force(world, 40, force, NULL) == TALUS_OK);
    CHECK(talus_body_force(world, 40, force, NULL) == TALUS_OK);
    CHECK(bytes_since(before) == 0);
    const long long pushed = step_count(world, &report).bytes;
    CHECK(talus_material_pair(world, 0, 0, 0.5, 0) == TALUS_OK);
    const long long paired = step_count(world, &report).bytes;
    if (round == 0) {
      printf("%d balls: %lld bytes loaded, %lld for poses; a step after %d came %lld, %d went "
             "%lld, one was pushed %lld, a pair of materials %lld\n",
             talus_body_count(world), loaded, poses, COME, came, GO, went, pushed, paired);
    }
    CHECK_CASE(came <= 10000, "%lld bytes after %d came", came, COME);
    CHECK_CASE(went <= 3000 && pushed <= 3000 && paired <= 3000, "%lld, %lld, %lld bytes", went,
               pushed, paired);
    CHECK_CASE(loaded > 3 * came, "%lld bytes loaded", loaded);
  }
  CHECK(world->resident->step_count == 1 + SETTLE + 4 * ROUNDS);
  talus_world_destroy(world);
  talus_context_destroy(context);
}

} // namespace

int main() {
  flow_check(6, 3);
  steady_check(6, 3);
  change_check(6, 3);
  change_check(9, 3);
  return check_end();
}
