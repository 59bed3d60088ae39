/* restart_world.c: stops a world of C calls half-way, builds it again and goes on from a
 * checkpoint.
 *
 * A pile of spheres falls on a floor. One program makes 200 steps at once; a second world makes the
 * first 100, a third is built by the same calls, reads the checkpoint and makes the rest. Frames
 * for ParaView and a table of energies go to restart_world.out beside it. Exit code 0 if both ends
 * are equal to the last bit; 77 if Talus was built without HDF5. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <talus/talus_io.h>

enum { SKIPPED = 77, SPHERES = 40, STEPS = 200, STOP = 100, EVERY = 20 };

static const char *const folder = "restart_world.out";

static talus_status add_body(talus_world *world, const talus_body_def *body,
                             const talus_shape_def *shape) {
  int32_t id;
  const talus_status status = talus_body_add(world, body, &id);
  return status == TALUS_OK ? talus_shape_add(world, id, shape, NULL) : status;
}

/* The same calls in the same order, before the run and before a restart. */
static talus_status build(talus_context *context, talus_world **world) {
  const talus_world_def def = talus_world_def_default();
  const talus_material_def stone = talus_material_def_default();
  talus_shape_def floor = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  talus_shape_def sphere = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  talus_body_def body = talus_body_def_default();
  talus_status status = talus_world_create(context, &def, world);
  if (status == TALUS_OK) {
    status = talus_material_add(*world, &stone, &floor.material);
  }
  sphere.material = floor.material;
  sphere.radius = 0.05;
  body.type = TALUS_BODY_FIXED;
  if (status == TALUS_OK) {
    status = add_body(*world, &body, &floor);
  }
  body.type = TALUS_BODY_FREE;
  for (int i = 0; i < SPHERES && status == TALUS_OK; i++) {
    body.position[0] = 0.11 * (i % 3) + 0.01 * (i % 7);
    body.position[1] = 0.11 * (i / 3 % 3) + 0.01 * (i % 5);
    body.position[2] = 0.06 + 0.12 * (i / 9);
    status = add_body(*world, &body, &sphere);
  }
  return status;
}

/* Steps to `last`, with a frame and a line of the table every so often. A restart goes on with the
 * files of the run before it. */
static talus_status run(talus_context *context, talus_world *world, int64_t last) {
  static const talus_column column[] = {{"time", "s"}, {"kinetic", "J"}, {"potential", "J"}};
  const int64_t first = talus_world_steps(world), resume = first > 0 ? first : -1;
  talus_step_report report = talus_step_report_default();
  talus_frames_def def = talus_frames_def_default();
  talus_frames *frames = NULL;
  talus_table *table = NULL;
  char path[64];
  def.resume = resume;
  snprintf(path, sizeof path, "%s/energies.csv", folder);
  talus_status status = talus_frames_open(context, folder, &def, &frames);
  if (status == TALUS_OK) {
    status = talus_table_open(context, path, column, 3, resume, &table);
  }
  while (status == TALUS_OK && talus_world_steps(world) < last) {
    status = talus_world_step(world, &report);
    if (status == TALUS_OK && report.step % EVERY == 0) {
      const double value[] = {report.time, report.kinetic, report.potential};
      status = talus_frames_write(frames, world);
      if (status == TALUS_OK) {
        status = talus_table_row(table, report.step, value);
      }
    }
  }
  talus_frames_close(frames);
  const talus_status closed = talus_table_close(table);
  return status == TALUS_OK ? closed : status;
}

/* Brings a world that was just built to where the newest checkpoint was written. */
static talus_status restart(talus_context *context, talus_world *world) {
  char path[256];
  talus_status status = talus_checkpoint_newest(context, folder, path, sizeof path);
  if (status == TALUS_OK) {
    status = talus_checkpoint_read(world, path);
  }
  return status;
}

/* Half of the run, a checkpoint, another world, the other half. */
static talus_status run_in_pieces(talus_context *context, talus_world **world) {
  talus_status status = build(context, world);
  if (status == TALUS_OK) {
    status = run(context, *world, STOP);
  }
  if (status == TALUS_OK) {
    status = talus_checkpoint_write(*world, folder, 2);
  }
  talus_world_destroy(*world);
  *world = NULL;
  if (status == TALUS_OK) {
    status = build(context, world);
  }
  if (status == TALUS_OK) {
    status = restart(context, *world);
  }
  return status == TALUS_OK ? run(context, *world, STEPS) : status;
}

/* How many bodies differ, be it in one bit. */
static int differences(const talus_world *one, const talus_world *other) {
  int count = 0;
  for (int32_t body = talus_body_after(one, TALUS_NONE); body != TALUS_NONE;
       body = talus_body_after(one, body)) {
    talus_body_state a, b;
    count += talus_body_get(one, body, &a) != TALUS_OK ||
             talus_body_get(other, body, &b) != TALUS_OK || memcmp(&a, &b, sizeof a) != 0;
  }
  return count;
}

int main(void) {
  talus_context *context = NULL;
  talus_world *whole = NULL, *pieces = NULL;
  mkdir(folder, 0777);
  talus_status status = talus_context_create(NULL, &context);
  if (status == TALUS_OK) {
    status = build(context, &whole);
  }
  if (status == TALUS_OK) {
    status = run(context, whole, STEPS);
  }
  if (status == TALUS_OK) {
    status = run_in_pieces(context, &pieces);
  }
  int code = 1;
  if (status == TALUS_OK) {
    const int differ = differences(whole, pieces);
    printf("%s: %d of %d bodies differ after %d steps, one restart\n", folder, differ, SPHERES + 1,
           STEPS);
    code = differ == 0 && talus_world_steps(pieces) == STEPS ? 0 : 1;
  } else {
    fprintf(stderr, "%s\n", context ? talus_context_message(context) : talus_status_text(status));
    code = status == TALUS_UNSUPPORTED ? SKIPPED : 1;
  }
  talus_world_destroy(whole);
  talus_world_destroy(pieces);
  talus_context_destroy(context);
  return code;
}
