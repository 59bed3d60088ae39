/* test_world_counts.cu: what a steady step of a world on a device asks of it, counted by the
 * emulated run time: a bed of balls at rest, without output. */
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

void ball_add(talus_world *world, int32_t material, double x, double y, double z) {
  talus_body_def ball = talus_body_def_default();
  talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  int32_t body;
  ball.position[0] = x;
  ball.position[1] = y;
  ball.position[2] = z;
  shape.material = material;
  shape.radius = 0.01;
  CHECK(talus_body_add(world, &ball, &body) == TALUS_OK);
  CHECK(talus_shape_add(world, body, &shape, NULL) == TALUS_OK);
}

/* Floor and four walls of a square box. */
void box_add(talus_world *world, int32_t material, double width) {
  const double h = 0.70710678118654752;
  const double turn[5][4] = {
      {1, 0, 0, 0}, {h, 0, h, 0}, {h, 0, -h, 0}, {h, -h, 0, 0}, {h, h, 0, 0}};
  talus_body_def def = talus_body_def_default();
  int32_t body;
  def.type = TALUS_BODY_FIXED;
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
    CHECK_CASE(c.runs <= 46, "%ld kernels for %d iterations", c.runs, (int)report.iterations);
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

} // namespace

int main() {
  steady_check(6, 3);
  return check_end();
}
