/* test_world_files.c: a world of C calls goes on from its checkpoint bit for bit, also where bodies
 * were removed and joints move; checkpoints of other worlds are refused; frames, tables and contact
 * problems are written through the public functions, and writing leaves the world as it was. */
#include <string.h>
#include <sys/stat.h>

#include "talus/talus_io.h"
#include "tests/world/place.h"

enum { BALLS = 12, REMOVED = 5 };

/* A floor, balls above it, and two of them on a joint. */
static talus_world *make_world(double radius) {
  const talus_world_def def = talus_world_def_default();
  talus_world *world;
  int32_t ball[BALLS];
  MUST(talus_world_create(place_context, &def, &world));
  const int32_t material = place_material(world, 2500, 0.4, 0.3);
  place_floor(world, material);
  for (int i = 0; i < BALLS; i++) {
    ball[i] = place_sphere(world, material, radius, 0.09 * (i % 3) + 0.004 * i, 0.01 * (i % 2),
                           0.06 + 0.11 * (i / 3));
  }
  talus_joint_def joint = talus_joint_def_default(TALUS_JOINT_DISTANCE);
  joint.body_a = ball[0];
  joint.body_b = ball[BALLS - 1];
  joint.point_b[2] = 0.5;
  MUST(talus_joint_add(world, &joint, NULL));
  return world;
}

static void steps(talus_world *world, int count) {
  for (int i = 0; i < count; i++) {
    MUST(talus_world_step(world, NULL));
  }
}

static int same_bodies(const talus_world *one, const talus_world *other) {
  int same = talus_body_count(one) == talus_body_count(other);
  for (int32_t b = talus_body_after(one, TALUS_NONE); b != TALUS_NONE;
       b = talus_body_after(one, b)) {
    talus_body_state x, y;
    same &= talus_body_get(one, b, &x) == TALUS_OK && talus_body_get(other, b, &y) == TALUS_OK &&
            memcmp(&x, &y, sizeof x) == 0;
  }
  return same;
}

/* Whether the contacts of the last step are the same, impulses included. */
static int same_contacts(const talus_world *one, const talus_world *other) {
  const talus_contact *a = NULL, *b = NULL;
  const int32_t count = talus_world_contacts(one, &a);
  return count > 0 && talus_world_contacts(other, &b) == count &&
         memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static void check_restart(void) {
  char path[200];
  talus_world *const whole = make_world(0.04), *const again = make_world(0.04);
  steps(whole, 60);
  MUST(talus_body_remove(whole, REMOVED));
  steps(whole, 40);
  MUST(talus_checkpoint_write(whole, "world_files", 1));
  CHECK(talus_checkpoint_newest(place_context, "world_files", path, sizeof path) == TALUS_OK);
  CHECK(strcmp(path, "world_files/checkpoint-000100.h5") == 0);
  CHECK(talus_checkpoint_newest(place_context, "world_files", path, 10) == TALUS_INVALID_ARGUMENT);
  MUST(talus_checkpoint_newest(place_context, "world_files", path, sizeof path));
  MUST(talus_checkpoint_read(again, path));
  CHECK(!talus_body_exists(again, REMOVED) && talus_world_steps(again) == 100);
  CHECK(same_bodies(whole, again));
  steps(whole, 100);
  steps(again, 100);
  CHECK(same_bodies(whole, again));
  /* `keep` older ones stay */
  MUST(talus_checkpoint_write(whole, "world_files", 1));
  CHECK(talus_checkpoint_read(again, "world_files/checkpoint-000100.h5") == TALUS_FILE_OPEN);
  talus_world_destroy(whole);
  talus_world_destroy(again);
}

static void check_refused(void) {
  talus_world_def def = talus_world_def_default();
  talus_world *other;
  MUST(talus_world_create(place_context, &def, &other));
  CHECK(talus_checkpoint_read(other, "world_files/checkpoint-000200.h5") == TALUS_FILE_FORMAT);
  talus_world_destroy(other);
  CHECK(talus_checkpoint_newest(place_context, "no_such_folder", (char[100]){0}, 100) ==
        TALUS_FILE_OPEN);
}

/* Writing the problem of the next step changes nothing in the steps after it. */
static void check_problem(void) {
  talus_world *const plain = make_world(0.04), *const written = make_world(0.04);
  talus_stored *stored = NULL;
  steps(plain, 150);
  steps(written, 150);
  MUST(talus_world_problem_write(written, "world_files/next.hdf5"));
  MUST(talus_problem_read(place_context, "world_files/next.hdf5", &stored));
  CHECK(stored->problem.contact_count > 0);
  talus_stored_destroy(stored);
  CHECK(same_bodies(plain, written) && same_contacts(plain, written));
  steps(plain, 50);
  steps(written, 50);
  CHECK(same_bodies(plain, written));
  talus_world_destroy(plain);
  talus_world_destroy(written);
}

static void check_frames(void) {
  static const talus_column column = {"time", "s"};
  talus_world *const world = make_world(0.04);
  talus_frames *frames = NULL;
  talus_table *table = NULL;
  double time;
  mkdir("world_frames", 0777);
  MUST(talus_frames_open(place_context, "world_frames", NULL, &frames));
  MUST(talus_table_open(place_context, "world_frames/times.csv", &column, 1, -1, &table));
  for (int i = 0; i < 3; i++) {
    time = talus_world_time(world);
    MUST(talus_frames_write(frames, world));
    MUST(talus_table_row(table, talus_world_steps(world), &time));
    steps(world, 10);
  }
  talus_frames_close(frames);
  MUST(talus_table_close(table));
  struct stat about;
  CHECK(stat("world_frames/grains-00000020.vtp", &about) == 0 && about.st_size > 0);
  CHECK(stat("world_frames/contacts-00000020.vtp", &about) == 0);
  CHECK(stat("world_frames/times.csv", &about) == 0 && about.st_size > 0);
  CHECK(talus_frames_open(place_context, "no_such_folder", NULL, &frames) != TALUS_OK ||
        talus_frames_write(frames, world) == TALUS_FILE_WRITE);
  talus_frames_close(frames);
  talus_world_destroy(world);
}

int main(void) {
  place_begin(1);
  CHECK(system("rm -rf world_files && mkdir world_files") == 0);
  talus_world *const probe = make_world(0.04);
  const talus_status status = talus_checkpoint_write(probe, "world_files", 0);
  talus_world_destroy(probe);
  check_frames();
  if (status != TALUS_UNSUPPORTED) {
    check_problem();
    check_restart();
    check_refused();
  }
  place_end();
  return check_end();
}
