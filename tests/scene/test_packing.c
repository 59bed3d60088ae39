/* test_packing.c: bodies from tables and from checkpoints of other scenes.
 *
 * What a table holds comes back to the bit; a scene begins with the bodies of another one's
 * checkpoint, clumps and hulls too, and goes on from its own; fixed grains stay; what does not fit
 * is told with its line. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "host/io/packing.h"
#include "host/io/vtk_file.h"
#include "talus/talus_io.h"
#include "tests/check.h"
#include "tests/scene/scene_text.h"

static const char first[] =
    "world: {step: 1 ms}\n"
    "materials: {bead: {density: 2000}, wood: {density: 600}}\n"
    "walls:\n"
    "  - {kind: box, size: [6 cm, 6 cm, 10 cm]}\n"
    "grains:\n"
    "  - {kind: random, radius: 4 mm, count: 20}\n"
    "  - {kind: random, shape: SHAPE, count: 10, material: wood, turned: random}\n";
static const char clump[] = "clump, parts: [{radius: 3 mm}, {shape: box, size: [4 mm, 3 mm, 2 mm], "
                            "position: [3 mm, 0, 0]}]";
static const char boxes[] = "box, size: [8 mm, 6 mm, 5 mm]";

/* Materials stand in another order, and wood is heavier. */
static const char second[] = "world: {step: 0.5 ms, law: ccp}\n"
                             "materials: {wood: {density: 900}, bead: {density: 2000}}\n"
                             "walls:\n"
                             "  - {kind: plane}\n"
                             "bodies:\n"
                             "  - {radius: 1 cm, position: [0, 0, 1]}\n";

static talus_status run(talus_scene *scene, talus_world *world, int steps) {
  talus_status status = TALUS_OK;
  for (int i = 0; i < steps && status == TALUS_OK; i++) {
    status = talus_scene_tick(scene, world);
    status = status == TALUS_OK ? talus_world_step(world, NULL) : status;
  }
  return status;
}

static void make_first(talus_context *context, const char *shape, talus_scene **scene,
                       talus_world **world) {
  char text[512];
  const char *const at = strstr(first, "SHAPE");
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - first), first, shape, at + 5);
  if (!CHECK(world_of(context, text, scene, world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
  }
  CHECK(run(*scene, *world, 30) == TALUS_OK);
}

static void end(talus_scene *scene, talus_world *world) {
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

static void check_table(talus_context *context, const char *file) {
  char text[160];
  talus_scene *scene = NULL, *other = NULL;
  talus_world *world = NULL, *copy = NULL;
  tl_body_list list;
  make_first(context, boxes, &scene, &world);
  CHECK(tl_packing_take(world, "bead\nwood\n", &list) == TALUS_OK);
  CHECK(tl_packing_write(&list, file) == TALUS_OK);
  CHECK(list.body_count == 30);
  tl_packing_release(&list);
  snprintf(text, sizeof text,
           "materials: {wood: {density: 600}, bead: {density: 2000}}\n"
           "grains:\n  - {kind: packing, file: %s}\n",
           file);
  if (CHECK(world_of(context, text, &other, &copy) == TALUS_OK)) {
    for (int32_t i = 0; i < 30; i++) { /* the first body of the other is its box */
      talus_body_state a, b;
      CHECK(talus_body_get(world, i + 1, &a) == TALUS_OK);
      CHECK(talus_body_get(copy, i, &b) == TALUS_OK);
      CHECK(memcmp(a.position, b.position, sizeof a.position) == 0);
      CHECK(memcmp(a.velocity, b.velocity, sizeof a.velocity) == 0);
      CHECK_CLOSE(a.orientation[1], b.orientation[1], 1e-15);
      CHECK_CLOSE(talus_body_mass(world, i + 1), talus_body_mass(copy, i), 1e-15);
    }
  } else {
    printf("  %s\n", talus_context_message(context));
  }
  end(other, copy);
  end(scene, world);
}

/* Spheres of a frame of a run are a packing too; what is not free or damaged is not. */
static void check_frame(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  const double place[6] = {0, 0, 0.1, 0, 0, 0.2}, radius[2] = {0.01, 0.02};
  const int32_t type[2] = {TALUS_BODY_FREE, TALUS_BODY_FIXED};
  const int64_t vertex[2] = {0, 1}, offset[2] = {1, 2};
  const tl_vtk_array array[] = {{TL_VTK_POINT, "radius", TL_VTK_FLOAT64, 1, 2, radius},
                                {TL_VTK_POINT, "type", TL_VTK_INT32, 1, 2, type},
                                {TL_VTK_POINTS, "Points", TL_VTK_FLOAT64, 3, 2, place},
                                {TL_VTK_VERTS, "connectivity", TL_VTK_INT64, 1, 2, vertex},
                                {TL_VTK_VERTS, "offsets", TL_VTK_INT64, 1, 2, offset}};
  tl_bytes bytes = {context, NULL, 0, 0};
  CHECK(tl_vtk_encode(context, array, 5, &bytes) == TALUS_OK);
  for (int cut = 0; cut < 2; cut++) {
    FILE *const file = fopen("frame.vtp", "wb");
    CHECK(fwrite(bytes.memory, 1, cut ? bytes.size / 2 : bytes.size, file) > 0);
    fclose(file);
    const talus_status status =
        world_of(context, "grains:\n  - {kind: packing, file: frame.vtp}\n", &scene, &world);
    CHECK((status == TALUS_OK) == !cut);
    CHECK_CASE(cut ? strstr(talus_context_message(context), "frame.vtp") != NULL
                   : talus_body_count(world) == 1,
               "%s", talus_context_message(context));
    end(scene, world);
    scene = NULL;
    world = NULL;
  }
  tl_bytes_release(&bytes);
}

/* A clump cannot be a line of a table: it is left out. */
static void check_clumps(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  tl_body_list list;
  make_first(context, clump, &scene, &world);
  CHECK(tl_packing_take(world, NULL, &list) == TALUS_OK);
  const int32_t all = list.body_count, left_out = tl_packing_left_out(&list);
  CHECK(left_out > 0 && left_out < all);
  CHECK(tl_packing_write(&list, "clumps.csv") == TALUS_OK);
  tl_packing_release(&list);
  CHECK(tl_packing_read(context, "clumps.csv", &list) == TALUS_OK);
  CHECK(list.body_count == all - left_out);
  tl_packing_release(&list);
  mkdir("packing_first", 0777);
  CHECK(talus_scene_save(scene, world, "packing_first", 1) == TALUS_OK);
  end(scene, world);
}

static void check_from(talus_context *context) {
  talus_scene *scene = NULL, *again = NULL;
  talus_world *world = NULL, *other = NULL;
  char path[256], own[256];
  talus_body_state state[2][32];
  mkdir("packing_second", 0777);
  CHECK(talus_checkpoint_newest(context, "packing_first", path, sizeof path) == TALUS_OK);
  CHECK(scene_of(context, second, &scene) == TALUS_OK);
  CHECK(talus_scene_from(scene, path) == TALUS_OK);
  if (CHECK(talus_scene_build(scene, &world) == TALUS_OK)) {
    CHECK(talus_body_count(world) == 32);
    CHECK_CLOSE(talus_body_mass(world, 2), 2000 * 4.0 / 3 * 3.14159265358979 * 64e-9, 1e-12);
    CHECK(talus_body_mass(world, 31) > 900 * 4.0 / 3 * 3.14159265358979 * 27e-9);
    CHECK(run(scene, world, 20) == TALUS_OK);
    CHECK(talus_scene_save(scene, world, "packing_second", 1) == TALUS_OK);
    CHECK(run(scene, world, 20) == TALUS_OK);
    CHECK(talus_bodies_get(world, 32, state[0]) == TALUS_OK);
  } else {
    printf("  %s\n", talus_context_message(context));
  }
  CHECK(talus_checkpoint_newest(context, "packing_second", own, sizeof own) == TALUS_OK);
  CHECK(scene_of(context, second, &again) == TALUS_OK);
  CHECK(talus_scene_from(again, path) == TALUS_OK);
  CHECK(talus_scene_build(again, &other) == TALUS_OK);
  CHECK(talus_scene_resume(again, other, own) == TALUS_OK);
  CHECK(run(again, other, 20) == TALUS_OK);
  CHECK(talus_bodies_get(other, 32, state[1]) == TALUS_OK);
  CHECK(memcmp(state[0], state[1], sizeof state[0]) == 0);
  end(again, other);
  end(scene, world);
}

static void check_refused(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  char path[256];
  CHECK(talus_checkpoint_newest(context, "packing_first", path, sizeof path) == TALUS_OK);
  CHECK(scene_of(context, "world:\n  plane: true\n", &scene) == TALUS_OK);
  CHECK(talus_scene_from(scene, path) == TALUS_FILE_FORMAT);
  CHECK(strstr(talus_context_message(context), "scene.yaml:2:10: ") != NULL &&
        strstr(talus_context_message(context), "world.plane") != NULL);
  talus_scene_destroy(scene);
  scene = NULL;
  CHECK(scene_of(context, "materials: {bead: {}}\n", &scene) == TALUS_OK);
  CHECK(talus_scene_from(scene, path) == TALUS_OK);
  CHECK(talus_scene_build(scene, &world) == TALUS_FILE_FORMAT);
  CHECK(strstr(talus_context_message(context), "'wood'") != NULL);
  end(scene, world);
  static const char *const tables[][2] = {
      {"x,y,z\n0,0,0\n", "bad.csv:1: the first line"},
      {"x,y,z,r\n0,0,b,1\n", "bad.csv:2: z is 'b' and no number"},
      {"x,y,z,r\n0,0,0,1\n5,0,0,0", "bad.csv:3: the body has no size"},
      {"x,y,z,r,shape\n0,0,0,1,egg\n", "'egg'"},
      {"x,y,z,r\n", "no bodies"},
      {"x,y,z,r\n0,0,0,1\n0,0,1,1\n",
       "scene.yaml:2:5: grain 0 of grains[0] and grain 1 of grains[0] overlap by 1 m"}};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    FILE *const file = fopen("bad.csv", "w");
    fputs(tables[i][0], file);
    fclose(file);
    scene = NULL;
    world = NULL;
    CHECK(world_of(context, "grains:\n  - {kind: packing, file: bad.csv}\n", &scene, &world) !=
          TALUS_OK);
    CHECK_CASE(strstr(talus_context_message(context), tables[i][1]) != NULL, "%s",
               talus_context_message(context));
    end(scene, world);
  }
}

/* Bodies of a table are pushed apart as others are; a fixed one stays. */
static void check_resolved(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  FILE *file = fopen("overlaps.csv", "w");
  fputs("x,y,z,r,vx\n0,0,1,0.5,3\n0.6,0,1,0.5,0\n5,0,1,0.5,0\n", file);
  fclose(file);
  file = fopen("stays.csv", "w");
  fputs("x,y,z,r\n5.8,0,1,0.5\n", file);
  fclose(file);
  if (CHECK(world_of(context,
                     "world: {overlap: resolve}\nmaterials: {bead: {}}\ngrains:\n"
                     "  - {kind: packing, file: overlaps.csv}\n"
                     "  - {kind: packing, file: stays.csv, type: fixed}\n",
                     &scene, &world) == TALUS_OK)) {
    talus_body_state state[4];
    CHECK(talus_bodies_get(world, 4, state) == TALUS_OK);
    CHECK(state[1].position[0] - state[0].position[0] > 0.998);
    CHECK(state[3].position[0] == 5.8 && 5.8 - state[2].position[0] > 0.998);
    CHECK(state[0].velocity[0] == 3);
  } else {
    printf("  %s\n", talus_context_message(context));
  }
  end(scene, world);
}

/* A ball rests on fixed grains. */
static void check_fixed(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  if (CHECK(world_of(context,
                     "grains:\n"
                     "  - {kind: lattice, radius: 1 cm, type: fixed, counts: [2, 2, 1],\n"
                     "     region: {lower: [-2 cm, -2 cm, 0], upper: [2.1 cm, 2.1 cm, 2.1 cm]}}\n"
                     "bodies:\n  - {radius: 1 cm, position: [0, 0, 3 cm]}\n",
                     &scene, &world) == TALUS_OK)) {
    talus_body_state ball, floor;
    CHECK(run(scene, world, 300) == TALUS_OK);
    CHECK(talus_body_get(world, 0, &ball) == TALUS_OK && talus_body_get(world, 1, &floor) == 0);
    CHECK(talus_body_kind(world, 1) == TALUS_BODY_FIXED);
    CHECK_CLOSE(floor.position[2], 0.01, 1e-4);
    CHECK_CLOSE(ball.position[2], 0.01 + sqrt(2) * 0.01, 2e-4);
  }
  end(scene, world);
}

int main(void) {
  talus_context *context = NULL;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  check_table(context, "packing.csv");
  check_table(context, "packing.vtp");
  check_frame(context);
  check_clumps(context);
  check_from(context);
  check_refused(context);
  check_resolved(context);
  check_fixed(context);
  talus_context_destroy(context);
  return check_end();
}
