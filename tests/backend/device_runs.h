/* device_runs.h: runs of one scene on the CPU and on a device: every report, and checkpoints byte
 * by byte, of runs on each backend and of those that change the backend midway. */
#ifndef TL_DEVICE_RUNS_H
#define TL_DEVICE_RUNS_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/world/resident.h"
#include "talus/talus_io.h"
#include "talus/talus_scene.h"
#include "tests/backend/device_scenes.h"

typedef struct device_run {
  talus_context *context;
  talus_world *world;
  talus_scene *scene; /* NULL: there is none */
} device_run;

/* Ends the program as skipped where a library is missing that the scene wants. */
static inline device_run run_begin(scene_kind kind, talus_backend_kind backend, int32_t threads) {
  device_run run = {context_open(backend, threads), NULL, NULL};
  if (kind != HOPPER) {
    run.world = world_make(run.context, kind);
    return run;
  }
  FILE *const file = fopen("scene.yaml", "wb");
  CHECK(file != NULL && fputs(hopper_text, file) >= 0 && fclose(file) == 0);
  const talus_status status = talus_scene_read(run.context, "scene.yaml", NULL, 0, &run.scene);
  if (status == TALUS_UNSUPPORTED) {
    printf("%s: %s\n", scene_names[kind], talus_context_message(run.context));
    exit(CHECK_SKIPPED);
  }
  MUST(status);
  MUST(talus_scene_build(run.scene, &run.world));
  return run;
}

static inline void run_end(device_run *run) {
  talus_scene_destroy(run->scene);
  talus_world_destroy(run->world);
  talus_context_destroy(run->context);
}

static inline talus_step_report run_step(device_run *run) {
  if (run->scene != NULL) {
    MUST(talus_scene_tick(run->scene, run->world));
  }
  return world_step(run->world);
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

static inline char *file_read(const char *path, long *size) {
  FILE *const file = fopen(path, "rb");
  CHECK(file != NULL);
  fseek(file, 0, SEEK_END);
  *size = ftell(file);
  rewind(file);
  char *const bytes = (char *)malloc((size_t)*size + 1);
  CHECK(bytes != NULL && fread(bytes, 1, (size_t)*size, file) == (size_t)*size);
  fclose(file);
  return bytes;
}

/* The bytes of a checkpoint; resumed: a run that goes on from it. Ends the program as skipped where
 * there are no checkpoints. */
static inline char *checkpoint_of(const device_run *run, device_run *resumed, long *size) {
  char directory[] = "checkpoint_XXXXXX", path[256];
  CHECK(mkdtemp(directory) != NULL);
  const talus_status written = run->scene != NULL
                                   ? talus_scene_save(run->scene, run->world, directory, 1)
                                   : talus_checkpoint_write(run->world, directory, 1);
  if (written == TALUS_UNSUPPORTED) {
    rmdir(directory);
    printf("no checkpoints\n");
    exit(CHECK_SKIPPED);
  }
  MUST(written);
  MUST(talus_checkpoint_newest(run->context, directory, path, sizeof path));
  if (resumed != NULL) {
    MUST(resumed->scene != NULL ? talus_scene_resume(resumed->scene, resumed->world, path)
                                : talus_checkpoint_read(resumed->world, path));
  }
  char *const bytes = file_read(path, size);
  remove(path);
  rmdir(directory);
  return bytes;
}

static inline bool same_checkpoints(const device_run *runs, int count, const char *name) {
  long size = 0;
  char *const first = checkpoint_of(&runs[0], NULL, &size);
  bool same = true;
  for (int i = 1; i < count; i++) {
    long other = 0;
    char *const bytes = checkpoint_of(&runs[i], NULL, &other);
    same = same && other == size && memcmp(bytes, first, (size_t)size) == 0;
    CHECK_CASE(same, "%s: checkpoints 0 and %d differ", name, i);
    free(bytes);
  }
  free(first);
  return same;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* A grain comes, one goes, and one is pushed. */
static inline void disturb(talus_world *world) {
  const double force[3] = {3, 0, -1};
  sphere_add(world, 0.02, 0.11, world->def.plane ? 0 : 0.12, 0.4);
  MUST(talus_body_remove(world, 17));
  MUST(talus_body_force(world, 9, force, NULL));
}

/* Steps all runs; returns whether their reports were the same. */
static inline bool runs_step(device_run *runs, int count, int steps, const char *name) {
  bool same = true;
  for (int i = 0; i < steps && same; i++) {
    const talus_step_report p = run_step(&runs[0]);
    for (int k = 1; k < count && same; k++) {
      const talus_step_report q = run_step(&runs[k]);
      same = memcmp(&p, &q, sizeof p) == 0;
      CHECK_CASE(
          same,
          "%s: step %d of run %d: %d and %d contacts, %d and %d iterations, kinetic %.17g %.17g",
          name, i, k, p.contact_count, q.contact_count, (int)p.iterations, (int)q.iterations,
          p.kinetic, q.kinetic);
    }
  }
  return same;
}

/* settle: steps on the CPU before the others begin from where it is. Then half of `steps` on a
 * device and on 1, 2 and 7 threads of the CPU (few: on 2), the other half there and on a device
 * and a CPU that go on from the checkpoint of the other backend. */
static inline void scene_check(scene_kind kind, int settle, int steps, bool few) {
  enum { MOST = 6 };
  const int32_t threads[4] = {1, few ? 2 : 1, 2, 7};
  const char *const name = scene_names[kind];
  const int count = few ? 2 : 4, half = steps / 2;
  device_run runs[MOST];
  long size;
  for (int i = 0; i < count + 2; i++) {
    const bool device = i == 0 || i == count;
    runs[i] = run_begin(kind, device ? TALUS_BACKEND_CUDA : TALUS_BACKEND_CPU,
                        i < count ? threads[i] : 2);
  }
  for (int i = 0; i < settle; i++) {
    run_step(&runs[1]);
  }
  for (int i = 0; i < count && settle > 0; i++) {
    if (i != 1) {
      free(checkpoint_of(&runs[1], &runs[i], &size));
    }
  }
  bool same = runs_step(runs, count, half, name) && same_checkpoints(runs, count, name);
  free(checkpoint_of(&runs[1], &runs[count], &size));
  free(checkpoint_of(&runs[0], &runs[count + 1], &size));
  for (int i = 0; i < count + 2 && scene_is_plain(kind); i++) {
    disturb(runs[i].world);
  }
  same = same && runs_step(runs, count + 2, steps - half, name) &&
         same_checkpoints(runs, count + 2, name);
  const tl_world_resident *const resident = runs[0].world->resident;
  printf("%s: %lld of %d steps on the device, %lld queued, %d contacts%s%s\n", name,
         (long long)resident->step_count, steps, (long long)resident->queued_count,
         talus_world_contacts(runs[0].world, NULL),
         resident->reason != NULL ? ", last reason: " : "",
         resident->reason != NULL ? resident->reason : "");
  CHECK_CASE(!same || resident->step_count > steps / 2, "%s", name);
  for (int i = 0; i < count + 2; i++) {
    run_end(&runs[i]);
  }
}

#endif
