/* test_frames.c: frames of a run come back with what a measurement needs: masses, clumps as one
 * body, the places of walls. */
#include <string.h>
#include <sys/stat.h>

#include "host/io/vtk.h"
#include "host/measure/means.h"
#include "host/scene/snapshot.h"
#include "tests/check.h"
#include "tests/scene/scene_text.h"

static const char mixed[] =
    "world: {step: 1 ms}\n"
    "materials: {m: {density: 1000}}\n"
    "walls:\n"
    "  - {kind: plane, name: floor, position: [0, 0, -1]}\n"
    "bodies:\n"
    "  - name: paddle\n"
    "    type: kinematic\n"
    "    shape: box\n"
    "    size: [1, 2, 3]\n"
    "    position: [5, 0, 2]\n"
    "    motions: [{kind: velocity, velocity: [1, 0, 0]}, {kind: spin, spin: [0, 0, 2], "
    "centre: [5, 0, 2]}]\n"
    "  - {name: ball, shape: sphere, radius: 0.5, position: [-3, 0, 1], velocity: [1, 2, 3]}\n"
    "  - name: clump\n"
    "    shape: clump\n"
    "    parts: [{shape: sphere, radius: 0.3}, {shape: sphere, radius: 0.2, position: [0.4, 0, "
    "0]}]\n"
    "    position: [0, 0, 4]\n"
    "    velocity: [0, 1, 0]\n"
    "    spin: [0, 3, 1]\n"
    "  - {name: brick, shape: box, size: [0.2, 0.3, 0.4], position: [0, 3, 4]}\n";

static int32_t index_of(const tl_frame *frame, int32_t id) {
  for (int32_t k = 0; k < frame->body_count; k++) {
    if (frame->id[k] == id) {
      return k;
    }
  }
  return -1;
}

static void check_body(const talus_world *world, const tl_frame *frame, int32_t id) {
  talus_body_state state;
  const int32_t k = index_of(frame, id);
  if (!CHECK(k >= 0) || !CHECK(talus_body_get(world, id, &state) == TALUS_OK)) {
    return;
  }
  for (int c = 0; c < 3; c++) {
    CHECK_CLOSE(frame->position[3 * k + c], state.position[c], 0);
    CHECK_CLOSE(frame->velocity[3 * k + c], state.velocity[c], 1e-14);
    CHECK_CLOSE(frame->spin[3 * k + c], state.spin[c], 0);
    CHECK_CLOSE(frame->orientation[4 * k + c], state.orientation[c], 0);
  }
  const int is_free = talus_body_kind(world, id) == TALUS_BODY_FREE;
  CHECK_CLOSE(frame->mass[k], is_free ? talus_body_mass(world, id) : 0, 0);
}

/* Every shape stands where the world had it, though bodies were put together anew. */
static void check_shapes(const tl_frame *before, const tl_frame *after) {
  CHECK(before->shape_count == after->shape_count);
  for (int32_t s = 0; s < before->shape_count; s++) {
    const tl_pose wanted = tl_frame_shape_pose(before, s);
    double least = INFINITY;
    for (int32_t t = 0; t < after->shape_count; t++) {
      const tl_pose got = tl_frame_shape_pose(after, t);
      double way[3];
      tl_sub3(way, got.position, wanted.position);
      least = after->shape_geometry[t]->kind == before->shape_geometry[s]->kind
                  ? fmin(least, tl_norm3(way))
                  : least;
    }
    CHECK_CLOSE(least, 0, 1e-14);
  }
}

static void check_round_trip(talus_context *context) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  tl_snapshot snapshot;
  tl_vtk_writer *writer = NULL;
  tl_stored_frame *stored = NULL;
  if (!CHECK(world_of(context, mixed, &scene, &world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return;
  }
  for (int i = 0; i < 100; i++) {
    CHECK(talus_world_step(world, NULL) == TALUS_OK);
  }
  mkdir("frames", 0777);
  CHECK(tl_snapshot_open(scene, &snapshot) == TALUS_OK);
  CHECK(tl_snapshot_take(&snapshot, scene, world, NULL, 1) == TALUS_OK);
  CHECK(tl_vtk_open(context, "frames", -1, &writer) == TALUS_OK);
  CHECK(tl_vtk_write(writer, &snapshot.frame) == TALUS_OK);
  tl_vtk_close(writer);
  if (CHECK(tl_vtk_read(context, "frames", 100, &stored) == TALUS_OK)) {
    CHECK(stored->frame.mass != NULL);
    CHECK(stored->frame.body_count == snapshot.frame.body_count);
    const char *const name[] = {"paddle", "ball", "clump", "brick", "floor"};
    for (int i = 0; i < 5; i++) {
      check_body(world, &stored->frame, talus_scene_body_find(scene, name[i]));
    }
    check_shapes(&snapshot.frame, &stored->frame);
  }
  tl_stored_frame_destroy(stored);
  stored = NULL;
  /* Without masses it is as files were before: a body for each point. */
  snapshot.frame.mass = NULL;
  CHECK(tl_vtk_open(context, "frames", -1, &writer) == TALUS_OK);
  CHECK(tl_vtk_write(writer, &snapshot.frame) == TALUS_OK);
  tl_vtk_close(writer);
  if (CHECK(tl_vtk_read(context, "frames", 100, &stored) == TALUS_OK)) {
    CHECK(stored->frame.mass == NULL);
    CHECK(stored->frame.body_count == snapshot.frame.body_count + 1);
  }
  tl_stored_frame_destroy(stored);
  tl_snapshot_close(&snapshot);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* Of the cell as a whole: what moves beyond its shear, as the world and scalars.csv have it. */
static void check_cell_means(tl_sample *sample, const double kinetic[9], const double contacts[9]) {
  static const int place[6] = {0, 4, 8, 1, 2, 5};
  const tl_frame *const frame = sample->frame;
  tl_domain cell = {.kind = TL_DOMAIN_CELL};
  double mean[TL_MEAN_COUNT], volume = 1, mass = 0;
  for (int c = 0; c < 3; c++) {
    cell.upper[c] = frame->edge[c];
    volume *= frame->edge[c];
  }
  for (int32_t i = 0; i < sample->grain_count; i++) {
    mass += sample->mass[i];
  }
  tl_means_take(sample, &cell, (1u << TL_GROUP_COUNT) - 1, 3, mean);
  const double trace = kinetic[0] + kinetic[4] + kinetic[8];
  CHECK(frame->rate[0] == -2 && frame->rate[4] == 9);
  CHECK_CLOSE(mean[TL_MEAN_TEMPERATURE], trace * volume / (3 * mass),
              1e-12 * mean[TL_MEAN_TEMPERATURE]);
  for (int i = 0; i < 6; i++) {
    const int c = place[i], across = 3 * (c % 3) + c / 3;
    CHECK_CLOSE(mean[TL_MEAN_KINETIC_STRESS + i], kinetic[c], 1e-12 * trace);
    CHECK_CLOSE(mean[TL_MEAN_STRESS + i], 0.5 * (contacts[c] + contacts[across]),
                1e-12 * fabs(contacts[0]));
  }
}

/* A sheared cell: its contacts' branches lead to the right images, so that their sum is the stress
 * that the world itself has. */
static void check_cell(talus_context *context) {
  static const char text[] =
      "world: {gravity: [0, 0, 0]}\n"
      "cell: {lower: [0, 0, 0], upper: [4 cm, 4 cm, 4 cm], rate: [-2 Hz, 0, 0], shear: [0, 9 Hz, "
      "0]}\n"
      "grains: [{kind: random, radius: 3 mm, count: 120}]\n";
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  tl_snapshot snapshot;
  tl_vtk_writer *writer = NULL;
  tl_stored_frame *stored = NULL;
  double whole[9], sum[9] = {0}, kinetic[9] = {0}, sum_of_own[3] = {0}, largest = 0;
  if (!CHECK(world_of(context, text, &scene, &world) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return;
  }
  for (int i = 0; i < 150; i++) {
    CHECK(talus_world_step(world, NULL) == TALUS_OK);
  }
  mkdir("cell", 0777);
  CHECK(tl_snapshot_open(scene, &snapshot) == TALUS_OK);
  CHECK(tl_snapshot_take(&snapshot, scene, world, NULL, 1) == TALUS_OK);
  CHECK(tl_vtk_open(context, "cell", -1, &writer) == TALUS_OK);
  CHECK(tl_vtk_write(writer, &snapshot.frame) == TALUS_OK);
  tl_vtk_close(writer);
  CHECK(talus_world_stress(world, whole) == TALUS_OK);
  if (CHECK(tl_vtk_read(context, "cell", 150, &stored) == TALUS_OK)) {
    const tl_frame *const frame = &stored->frame;
    const double volume = frame->edge[0] * frame->edge[1] * frame->edge[2];
    tl_sample sample = {.context = context};
    CHECK(frame->periodic == 7 && frame->edge[0] < 0.04 && fabs(frame->edge[4]) > 0);
    CHECK(tl_sample_take(&sample, frame) == TALUS_OK && sample.contact_count > 3);
    for (int32_t k = 0; k < sample.contact_count; k++) {
      double from[3], to[3], branch[3];
      tl_sample_branch(&sample, k, from, to);
      tl_sub3(branch, to, from);
      CHECK_CLOSE(tl_norm3(branch), 6e-3, 2e-4);
      for (int c = 0; c < 9; c++) {
        sum[c] += sample.force[3 * k + c / 3] * branch[c % 3] / volume;
      }
    }
    double mean[3] = {0, 0, 0};
    for (int32_t k = 0; k < 2 * sample.grain_count; k++) { /* the mean, then what is beyond it */
      const int32_t i = k % sample.grain_count;
      const double *const x = sample.centre + 3 * i, *const v = sample.velocity + 3 * i;
      const double own[3] = {v[0] + 2 * x[0] - 9 * x[2] - mean[0], v[1] - mean[1], v[2] - mean[2]};
      for (int c = 0; c < 9 && k >= sample.grain_count; c++) {
        kinetic[c] += sample.mass[i] * own[c / 3] * own[c % 3] / volume;
      }
      if (k < sample.grain_count) {
        tl_along3(sum_of_own, sum_of_own, 1.0 / sample.grain_count, own);
      }
      if (k == sample.grain_count - 1) {
        tl_copy3(mean, sum_of_own);
      }
    }
    for (int c = 0; c < 9; c++) {
      largest = fmax(largest, fabs(whole[c]));
    }
    for (int c = 0; c < 9; c++) { /* positions are those after the step */
      CHECK_CLOSE(sum[c] + kinetic[c], whole[c], 0.05 * largest);
    }
    check_cell_means(&sample, kinetic, sum);
    tl_sample_release(&sample);
  }
  tl_stored_frame_destroy(stored);
  tl_snapshot_close(&snapshot);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

int main(void) {
  talus_context *context = NULL;
  const talus_context_def def = talus_context_def_default();
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  talus_scene *scene = NULL;
  if (scene_of(context, "", &scene) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  check_round_trip(context);
  check_cell(context);
  talus_context_destroy(context);
  return check_end();
}
