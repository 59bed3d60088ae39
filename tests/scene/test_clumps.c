/* test_clumps.c: clumps of unlike parts in every order as bodies, grains and from inlets: masses,
 * places and resting places by closed forms, also after a restart. */
#include <string.h>

#include "host/scene/record.h"
#include "host/scene/record_checkpoint.h"
#include "host/world/links.h"
#include "tests/check.h"
#include "tests/clumps.h"
#include "tests/scene/scene_text.h"

static const char head[] = "world: {step: 1 ms}\n"
                           "materials:\n"
                           "  a: {density: 2500}\n"
                           "  b: {density: 7800}\n"
                           "  c: {density: 1000}\n"
                           "walls:\n  - {kind: plane}\n";

/* "key: [...]", in the order given. */
static void write_parts(const char *key, const int *part, int count, char *text, size_t capacity) {
  size_t used = (size_t)snprintf(text, capacity, "%s: [", key);
  for (int i = 0; i < count; i++) {
    const clump_part *p = &clump_parts[part[i]];
    const double *q = p->orientation, *h = p->half_edge, *v = clump_corner;
    used += (size_t)snprintf(text + used, capacity - used,
                             "%s\n      {material: %c, position: [%.17g, %.17g, %.17g], "
                             "orientation: [%.17g, %.17g, %.17g, %.17g], ",
                             i > 0 ? "," : "", 'a' + p->material, p->position[0], p->position[1],
                             p->position[2], q[0], q[1], q[2], q[3]);
    char *to = text + used;
    const size_t left = capacity - used;
    switch (p->kind) {
    case TALUS_SHAPE_SPHERE:
      used += (size_t)snprintf(to, left, "radius: %.17g}", p->radius);
      break;
    case TALUS_SHAPE_BOX:
      used += (size_t)snprintf(to, left, "shape: box, size: [%.17g, %.17g, %.17g]}", 2 * h[0],
                               2 * h[1], 2 * h[2]);
      break;
    case TALUS_SHAPE_CAPSULE:
      used += (size_t)snprintf(to, left, "shape: capsule, radius: %.17g, length: %.17g}", p->radius,
                               2 * p->half_length);
      break;
    default:
      used += (size_t)snprintf(to, left,
                               "shape: hull, points: [[%g, %g, %g], [%g, %g, %g], [%g, %g, %g], "
                               "[%g, %g, %g]]}",
                               v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10],
                               v[11]);
      break;
    }
  }
  snprintf(text + used, capacity - used, "]");
}

static int run(talus_scene *scene, talus_world *world, int steps) {
  talus_status status = TALUS_OK;
  for (int i = 0; i < steps && status == TALUS_OK; i++) {
    status = talus_scene_tick(scene, world);
    if (status == TALUS_OK) {
      status = talus_world_step(world, NULL);
    }
  }
  return status == TALUS_OK;
}

/* Mass, inertia and the places of the parts about the centre. */
static int is_clump(const talus_world *world, int32_t body, const int *part, int count,
                    double factor) {
  const clump_mass wanted = clump_expect(part, count, factor);
  double inertia[6];
  int good = fabs(talus_body_mass(world, body) / wanted.mass - 1) < 1e-13;
  talus_body_inertia(world, body, inertia);
  for (int i = 0; i < 6; i++) {
    good &= fabs(inertia[i] - wanted.inertia[i]) < 1e-12 * wanted.inertia[0];
  }
  int n = count - 1; /* the list begins with the last one */
  for (int32_t i = world->body[body].first_shape; i >= 0; i = world->shape[i].next, n--) {
    for (int c = 0; c < 3 && n >= 0; c++) {
      const double arm = factor * clump_parts[part[n]].position[c] - wanted.centre[c];
      good &= fabs(world->shape[i].position[c] - arm) < 1e-15;
    }
  }
  return good && n == -1;
}

static int lies_at(const talus_world *world, int32_t body, double x, double y, double z,
                   double tolerance) {
  talus_body_state state;
  return talus_body_get(world, body, &state) == TALUS_OK &&
         fabs(state.position[0] - x) <= tolerance && fabs(state.position[1] - y) <= tolerance &&
         fabs(state.position[2] - z) <= tolerance;
}

/* The factor of a grain, by its mass. */
static double factor_of(const talus_world *world, int32_t body, const int *part, int count) {
  return cbrt(talus_body_mass(world, body) / clump_expect(part, count, 1).mass);
}

static int build(talus_context *context, const char *text, talus_scene **scene,
                 talus_world **world) {
  if (!CHECK(world_of(context, text, scene, world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return 0;
  }
  return 1;
}

/* One free and one fixed body, grains, and an inlet with grains that differ. */
static void check_order(talus_context *context, const int *part, int count) {
  static char parts[4096], text[32768];
  write_parts("shape: clump, parts", part, count, parts, sizeof parts);
  snprintf(
      text, sizeof text,
      "%sbodies:\n"
      "  - {name: free, position: [0.3, 0.2, 0.05 mm], %s}\n"
      "  - {name: fixed, type: fixed, position: [0.5, 0, 0], %s}\n"
      "  - {name: rider, position: [0.488, -8 mm, 10.05 mm], radius: 2 mm}\n"
      "grains:\n"
      "  - {kind: lattice, counts: [2, 1, 1], spacing: [0.1, 0.1, 0.1], %s,\n"
      "     region: {lower: [1, 0, -0.04995], upper: [inf, inf, inf]}}\n"
      "  - {kind: random, count: 3, turned: random, sizes: {kind: uniform, low: 0.5, high: 2}, "
      "%s,\n"
      "     region: {lower: [2, 0, 0.1], upper: [2.3, 0.3, 0.4]}}\n"
      "inlets:\n"
      "  - {rate: 1000 Hz, limit: 2, turned: random, sizes: {kind: uniform, low: 0.5, high: "
      "2}, %s,\n"
      "     region: {lower: [3, 0, 0.1], upper: [3.3, 0.3, 0.4]}}\n",
      head, parts, parts, parts, parts, parts);
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (build(context, text, &scene, &world)) {
    const clump_mass one = clump_expect(part, count, 1);
    const int32_t free = talus_scene_body_find(scene, "free");
    CHECK(run(scene, world, 3));
    CHECK(talus_scene_added(scene) == 2);
    for (int32_t i = free; i < talus_body_capacity(world); i++) {
      if (i == free + 1) { /* fixed */
        CHECK(lies_at(world, i, 0.5, 0, 0, 0) && talus_body_mass(world, i) == 0);
      } else if (i != free + 2) {
        const double factor = i < free + 5 ? 1 : factor_of(world, i, part, count);
        CHECK_CASE(is_clump(world, i, part, count, factor) && factor > 0.49 && factor < 2.01,
                   "%d parts, body %d", count, (int)i);
      }
    }
    /* The tripod stands; so do those of the lattice. The rider sits on the fixed body's first ball.
     */
    if (count >= 3) {
      CHECK(run(scene, world, 50));
      CHECK(lies_at(world, free, 0.3 + one.centre[0], 0.2 + one.centre[1], one.centre[2], 2e-6));
      for (int k = 0; k < 2; k++) {
        CHECK(lies_at(world, free + 3 + k, 1.05 + 0.1 * k + one.centre[0], 0.05 + one.centre[1],
                      one.centre[2], 2e-6));
      }
      CHECK(lies_at(world, free + 2, 0.488, -8e-3, 10e-3, 2e-6));
    }
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* A link weighs what a clump of its shapes does. */
static void check_link(talus_context *context) {
  static char parts[4096], text[8192];
  const int part[CLUMP_PARTS] = {2, 0, 4, 1, 3};
  write_parts("shapes", part, CLUMP_PARTS, parts, sizeof parts);
  snprintf(text, sizeof text, "%smechanisms:\n  - {name: m, links: [{name: a, kind: free, %s}]}\n",
           head, parts);
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (build(context, text, &scene, &world)) {
    const clump_mass wanted = clump_expect(part, CLUMP_PARTS, 1);
    const tl_link *const link =
        &tl_mechanism_of(world, talus_scene_body_find(scene, "m.a"))->link[0];
    CHECK_CLOSE(link->mass, wanted.mass, 1e-14 * wanted.mass);
    for (int c = 0; c < 3; c++) {
      CHECK_CLOSE(link->centre[c], wanted.centre[c], 1e-15);
    }
    for (int i = 0; i < 6; i++) {
      CHECK_CLOSE(link->inertia[i], wanted.inertia[i], 1e-13 * wanted.inertia[0]);
    }
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* Clumps that were poured are the same after a restart, and lie where the others lie. */
static void check_restart(talus_context *context) {
  static char parts[4096], text[16384];
  const int part[CLUMP_PARTS] = {4, 1, 3, 0, 2};
  write_parts("shape: clump, parts", part, CLUMP_PARTS, parts, sizeof parts);
  snprintf(text, sizeof text,
           "%sbodies:\n  - {name: free, position: [0.3, 0.2, 0.05 mm], %s}\n"
           "inlets:\n  - {rate: 200 Hz, limit: 8, turned: random, sizes: {kind: uniform, low: 0.5, "
           "high: 2}, %s,\n"
           "     region: {lower: [0, 0, 0], upper: [0.4, 0.4, 0.1]}}\n",
           head, parts, parts);
  talus_scene *one = NULL, *two = NULL;
  talus_world *whole = NULL, *pieces = NULL;
  if (build(context, text, &one, &whole)) {
    CHECK(run(one, whole, 50));
    const talus_status saved = talus_scene_save(one, whole, ".", 3);
    if (saved == TALUS_UNSUPPORTED) {
      printf("restart: skipped, built without HDF5\n");
    } else if (CHECK(saved == TALUS_OK) && build(context, text, &two, &pieces)) {
      CHECK(talus_scene_resume(two, pieces, "checkpoint-000050.h5") == TALUS_OK);
      CHECK(run(one, whole, 100) && run(two, pieces, 100));
      CHECK(talus_scene_added(two) == 8);
      for (int32_t i = 1; i < talus_body_capacity(pieces); i++) {
        talus_body_state a, b;
        CHECK(talus_body_get(whole, i, &a) == TALUS_OK &&
              talus_body_get(pieces, i, &b) == TALUS_OK);
        CHECK(memcmp(&a, &b, sizeof a) == 0);
        CHECK(is_clump(pieces, i, part, CLUMP_PARTS, factor_of(pieces, i, part, CLUMP_PARTS)));
      }
      const clump_mass mass = clump_expect(part, CLUMP_PARTS, 1);
      CHECK(lies_at(pieces, talus_scene_body_find(two, "free"), 0.3 + mass.centre[0],
                    0.2 + mass.centre[1], mass.centre[2], 2e-6));
    }
  }
  talus_world_destroy(whole);
  talus_world_destroy(pieces);
  talus_scene_destroy(one);
  talus_scene_destroy(two);
}

int main(void) {
  talus_context *context = NULL;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  talus_scene *scene = NULL;
  if (scene_of(context, "", &scene) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  talus_scene_destroy(scene);
  for (int count = 2; count <= CLUMP_PARTS; count++) {
    int part[CLUMP_PARTS] = {0, 1, 2, 3, 4};
    do {
      check_order(context, part, count);
    } while (clump_next(part, count));
  }
  check_link(context);
  check_restart(context);
  talus_context_destroy(context);
  return check_end();
}
