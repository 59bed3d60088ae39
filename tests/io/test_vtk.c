/* test_vtk.c: the ParaView files of a run. Their head is parsed and their blocks unpacked here, by
 * code that shares nothing with the writer; what Talus reads back is what it wrote; equal frames
 * give equal bytes for any number of threads; a restart gives the files of the whole run. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#if TL_HAVE_ZLIB
#include <zlib.h>
#endif

#include "files.h"
#include "frames.h"
#include "host/io/vtk.h"
#include "tests/check.h"

static talus_context *context;
static sample_frame *sample;
static double height[SAMPLE_ROOM]; /* at step 0 */

static int says(const char *words) {
  const int found = strstr(talus_context_message(context), words) != NULL;
  if (!found) {
    printf("  message: %s\n", talus_context_message(context));
  }
  return found;
}

static void run(const char *command) {
  CHECK_CASE(system(command) == 0, "%s", command);
}

/* The frame as it is at a step: everything moves up a little, but for what is fixed. */
static const tl_frame *at_step(int64_t step) {
  tl_frame *frame = &sample->frame;
  for (int32_t k = 0; k < frame->body_count; k++) {
    if (sample->type[k] != TALUS_BODY_FIXED) {
      sample->position[3 * k + 2] = height[k] + 1e-5 * (double)step;
    }
  }
  frame->step = step;
  frame->time = 1e-3 * (double)step;
  return frame;
}

static void write_steps(talus_context *with, const char *directory, int64_t resume, int64_t from,
                        int64_t to) {
  tl_vtk_writer *writer;
  CHECK(tl_vtk_open(with, directory, resume, &writer) == TALUS_OK);
  for (int64_t step = from; step <= to; step += 100) {
    CHECK(tl_vtk_write(writer, at_step(step)) == TALUS_OK);
  }
  tl_vtk_close(writer);
}

/* ---- the file itself ------------------------------------------------------------------------- */

typedef struct vtp {
  char *bytes, *appended;
  size_t size;
} vtp;

/* The tag of an array after the place where its section begins. */
static const char *find_array(const vtp *file, const char *section, const char *name) {
  char words[64];
  const char *begin = strstr(file->bytes, section);
  snprintf(words, sizeof words, "Name=\"%s\"", name);
  const char *found = begin != NULL ? strstr(begin, words) : NULL;
  while (found != NULL && *found != '<') {
    found--;
  }
  return found;
}

static long long number_after(const char *tag, const char *name) {
  const char *found = tag != NULL ? strstr(tag, name) : NULL;
  return found != NULL ? atoll(found + strlen(name) + 2) : -1;
}

/* Unpacks an array into malloc'ed memory. */
static void *unpack(const vtp *file, const char *tag, size_t *size) {
  *size = 0;
  if (!CHECK(tag != NULL)) {
    return NULL;
  }
  const unsigned char *at = (unsigned char *)file->appended + number_after(tag, " offset");
  uint64_t head[3];
#if TL_HAVE_ZLIB
  memcpy(head, at, sizeof head);
  const unsigned char *block = at + 24 + 8 * head[0];
  unsigned char *to = malloc(head[0] * head[1] + 1);
  for (uint64_t k = 0; k < head[0]; k++) {
    uint64_t packed;
    uLongf length = (uLongf)head[1];
    memcpy(&packed, at + 24 + 8 * k, 8);
    CHECK(uncompress(to + *size, &length, block, (uLong)packed) == Z_OK);
    CHECK(length == (k + 1 == head[0] && head[2] > 0 ? head[2] : head[1]));
    *size += length;
    block += packed;
  }
#else
  memcpy(head, at, 8);
  *size = (size_t)head[0];
  unsigned char *to = malloc(*size + 1);
  memcpy(to, at + 8, *size);
#endif
  return to;
}

static vtp open_vtp(const char *path) {
  static const char mark[] = "<AppendedData encoding=\"raw\">\n_";
  vtp file = {NULL, NULL, 0};
  file.bytes = file_read(path, &file.size);
  if (CHECK(file.bytes != NULL)) {
    file.appended = strstr(file.bytes, mark);
    CHECK(file.appended != NULL);
    file.appended += sizeof mark - 1;
  }
  return file;
}

static void test_grains(void) {
  size_t size;
  vtp file = open_vtp("run/grains-00000000.vtp");
  CHECK(strstr(file.bytes, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\"") == file.bytes);
  CHECK(strstr(file.bytes, "byte_order=\"LittleEndian\" header_type=\"UInt64\"") != NULL);
#if TL_HAVE_ZLIB
  CHECK(strstr(file.bytes, "compressor=\"vtkZLibDataCompressor\"") != NULL);
#endif
  /* spheres, one more point for the clump's second sphere, four bodies that are none */
  const long long points = number_after(file.bytes, "NumberOfPoints");
  CHECK(points == 3000 + 2 + 4 && number_after(file.bytes, "NumberOfVerts") == points);
  double *place = unpack(&file, find_array(&file, "<Points>", "Points"), &size);
  CHECK(size == (size_t)points * 24);
  CHECK(memcmp(place, sample->position + 3, 3000 * 24) == 0); /* body 0 is the floor */
  double *radius = unpack(&file, find_array(&file, "<PointData>", "radius"), &size);
  CHECK(size == (size_t)points * 8);
  CHECK(memcmp(radius, sample->radius + 1, 3000 * 8) == 0 && radius[3000] == 0.1);
  CHECK(radius[3001] == 0.08 && radius[3002] == 0.0 && radius[3005] == 0.0);
  int32_t *id = unpack(&file, find_array(&file, "<PointData>", "id"), &size);
  CHECK(size == (size_t)points * 4 && id[0] == 8 && id[3000] == id[3001]);
  double *velocity = unpack(&file, find_array(&file, "<PointData>", "velocity"), &size);
  CHECK(memcmp(velocity, sample->velocity + 3, 3000 * 24) == 0);
  int64_t *offsets = unpack(&file, find_array(&file, "<Verts>", "offsets"), &size);
  CHECK(size == (size_t)points * 8 && offsets[0] == 1 && offsets[points - 1] == points);
  free(place);
  free(radius);
  free(id);
  free(velocity);
  free(offsets);
  free(file.bytes);
}

static void test_contacts(void) {
  size_t size;
  vtp file = open_vtp("run/contacts-00000000.vtp");
  CHECK(number_after(file.bytes, "NumberOfPoints") == 3000);
  double *force = unpack(&file, find_array(&file, "<PointData>", "force"), &size);
  CHECK(size == 3000 * 24 && memcmp(force, sample->contact_force, size) == 0);
  int32_t *body = unpack(&file, find_array(&file, "<PointData>", "body"), &size);
  CHECK(size == 3000 * 8 && memcmp(body, sample->contact_body, size) == 0);
  free(force);
  free(body);
  free(file.bytes);
}

/* Closed surfaces: the volume inside, from their triangles alone. */
static double volume(const double *point, const int64_t *corner, const int32_t *shape,
                     int64_t triangles, int32_t which) {
  double sum = 0;
  for (int64_t t = 0; t < triangles; t++) {
    const double *a = point + 3 * corner[3 * t], *b = point + 3 * corner[3 * t + 1],
                 *c = point + 3 * corner[3 * t + 2];
    if (shape[t] == which) {
      sum += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
              a[2] * (b[0] * c[1] - b[1] * c[0])) /
             6;
    }
  }
  return sum;
}

/* Every triangle has the velocity and the spin of its body: bodies 3001 on, in this order. */
static void test_motion(const vtp *file, const int32_t *shape, long long triangles) {
  static const int32_t body[5] = {3001, 3002, 3003, 3004, 3006};
  static const char *const name[2] = {"velocity", "spin"};
  const double *const wanted[2] = {sample->velocity, sample->spin};
  for (int i = 0; i < 2; i++) {
    size_t size = 0;
    const char *tag = find_array(file, "<CellData>", name[i]);
    if (!CHECK(tag != NULL)) {
      continue;
    }
    double *value = unpack(file, tag, &size);
    CHECK(size == (size_t)triangles * 24);
    for (long long t = 0; t < triangles; t++) {
      CHECK(memcmp(value + 3 * t, wanted[i] + 3 * body[shape[t]], 24) == 0);
    }
    free(value);
  }
  vtp walls = open_vtp("run/walls-00000000.vtp");
  CHECK(strstr(walls.bytes, "\"velocity\"") == NULL); /* what is fixed has none */
  free(walls.bytes);
}

static void test_surfaces(void) {
  size_t size, points_size;
  vtp file = open_vtp("run/surfaces-00000000.vtp");
  const long long triangles = number_after(file.bytes, "NumberOfPolys");
  double *point = unpack(&file, find_array(&file, "<Points>", "Points"), &points_size);
  int64_t *corner = unpack(&file, find_array(&file, "<Polys>", "connectivity"), &size);
  CHECK(size == (size_t)triangles * 24);
  int32_t *shape = unpack(&file, find_array(&file, "<CellData>", "shape"), &size);
  CHECK(size == (size_t)triangles * 4);
  for (long long k = 0; k < 3 * triangles; k++) {
    CHECK(corner[k] >= 0 && corner[k] < (int64_t)points_size / 24);
  }
  const double pi = 3.141592653589793, r = 0.06, l = 0.1;
  /* outward faces make it positive; 32 sides are 1 % short of round */
  CHECK_CLOSE(volume(point, corner, shape, triangles, 0), 8 * 0.12 * 0.08 * 0.05, 1e-15);
  const double capsule = 2 * pi * r * r * l + 4 * pi * r * r * r / 3;
  CHECK_CLOSE(volume(point, corner, shape, triangles, 1) / capsule, 1, 0.025);
  CHECK_CLOSE(volume(point, corner, shape, triangles, 2) / (2 * pi * r * r * l), 1, 0.01);
  const double corner_volume = 0.2 * 0.2 * 0.2 / 6; /* the tetrahedron without the fifth point */
  CHECK(volume(point, corner, shape, triangles, 3) > corner_volume);
  CHECK_CLOSE(volume(point, corner, shape, triangles, 4), 8 * 0.5 * 0.08 * 0.05, 1e-15);
  test_motion(&file, shape, triangles);
  free(point);
  free(corner);
  free(shape);
  free(file.bytes);
}

/* The end of a drum is a face as wide as the drum, not a square of the world's size. */
static void test_drum(void) {
  tl_vtk_writer *writer;
  sample_frame *drum = sample_frame_create(context, 10);
  size_t size;
  run("rm -rf drum && mkdir drum");
  sample_frame_add_drum(drum, 1, 2, 3, 0.5, 0.4);
  CHECK(tl_vtk_open(context, "drum", 0, &writer) == TALUS_OK);
  CHECK(tl_vtk_write(writer, &drum->frame) == TALUS_OK);
  tl_vtk_close(writer);
  vtp file = open_vtp("drum/surfaces-00000000.vtp");
  double *point = unpack(&file, find_array(&file, "<Points>", "Points"), &size);
  for (size_t k = 0; k < size / 24; k++) {
    const double *p = point + 3 * k;
    CHECK(fabs(hypot(p[0] - 1, p[2] - 3) - 0.5) < 1e-12 && fabs(fabs(p[1] - 2) - 0.2) < 1e-12);
  }
  CHECK(number_after(file.bytes, "NumberOfPolys") == 2 * 48 + 46);
  free(point);
  free(file.bytes);
  sample_frame_destroy(drum);
}

/* ---- the run --------------------------------------------------------------------------------- */

static void test_series(void) {
  size_t size;
  char *list = file_read("run/grains.pvd", &size);
  CHECK(strstr(list, "<VTKFile type=\"Collection\"") != NULL);
  CHECK(strstr(list, "timestep=\"0.29999999999999999\" part=\"0\" file=\"grains-00000300.vtp\"") !=
        NULL);
  free(list);
  /* fixed walls are written once and shown at every time */
  list = file_read("run/walls.pvd", &size);
  CHECK(strstr(list, "file=\"walls-00000000.vtp\"/><!-- step 300 -->") != NULL);
  CHECK(file_exists("run/walls-00000000.vtp") && !file_exists("run/walls-00000100.vtp"));
  CHECK(file_exists("run/surfaces-00000300.vtp"));
  free(list);
}

static void test_threads(void) {
  talus_context_def def = talus_context_def_default();
  talus_context *other;
  def.threads = 3;
  CHECK(talus_context_create(&def, &other) == TALUS_OK);
  run("rm -rf same && mkdir same");
  write_steps(other, "same", -1, 0, 400);
  talus_context_destroy(other);
  run("diff -r run same");
}

static void test_restart(void) {
  run("rm -rf cut && mkdir cut");
  write_steps(context, "cut", -1, 0, 600);
  run("cp -r cut before");
  /* nothing is touched until a new frame is there */
  tl_vtk_writer *writer;
  CHECK(tl_vtk_open(context, "cut", 250, &writer) == TALUS_OK);
  tl_vtk_close(writer);
  run("diff -r cut before && rm -r before");
  write_steps(context, "cut", 250, 300, 400);
  run("diff -r run cut");
  write_steps(context, "cut", 400, 400, 400); /* the restart's own step again */
  run("diff -r run cut");
  /* cut without a new frame; the file that the last frame shows again stays */
  write_steps(context, "cut", 400, 500, 600);
  CHECK(tl_vtk_open(context, "cut", 450, &writer) == TALUS_OK);
  CHECK(tl_vtk_cut(writer, 470) == TALUS_OK && tl_vtk_cut(writer, 470) == TALUS_OK);
  run("diff -r run cut");
  CHECK(tl_vtk_cut(writer, -1) == TALUS_OK);
  tl_vtk_close(writer);
  run("test -z \"$(ls cut)\"");
  write_steps(context, "cut", -1, 0, 400);
  run("diff -r run cut");
  CHECK(file_write("cut/grains.pvd", "<DataSet file=\"mine.vtp\"/>\n", 27));
  CHECK(tl_vtk_open(context, "cut", 100, &writer) == TALUS_FILE_FORMAT && writer == NULL);
  CHECK(says("cut/grains.pvd"));
}

static void test_empty(void) {
  tl_vtk_writer *writer;
  tl_frame none;
  tl_stored_frame *stored;
  memset(&none, 0, sizeof none);
  run("rm -rf empty && mkdir empty");
  CHECK(tl_vtk_open(context, "empty", -1, &writer) == TALUS_OK);
  CHECK(tl_vtk_write(writer, &none) == TALUS_OK);
  tl_vtk_close(writer);
  tl_vtk_close(NULL);
  CHECK(!file_exists("empty/walls.pvd") && file_exists("empty/grains-00000000.vtp"));
  CHECK(tl_vtk_read(context, "empty", 0, &stored) == TALUS_OK);
  CHECK(stored->frame.body_count == 0 && stored->frame.contact_count == 0);
  tl_stored_frame_destroy(stored);
}

/* ---- back ------------------------------------------------------------------------------------ */

static void check_pose(const tl_frame *a, int32_t shape_a, const tl_frame *b, int32_t shape_b) {
  const tl_pose x = tl_frame_shape_pose(a, shape_a), y = tl_frame_shape_pose(b, shape_b);
  for (int i = 0; i < 3; i++) {
    CHECK_CLOSE(x.position[i], y.position[i], 1e-14);
  }
  for (int i = 0; i < 9; i++) {
    CHECK_CLOSE(x.rotation[i], y.rotation[i], 1e-14);
  }
}

static void test_read(void) {
  int64_t *step;
  int32_t count;
  tl_stored_frame *stored;
  CHECK(tl_vtk_steps(context, "run", &step, &count) == TALUS_OK);
  CHECK(count == 5 && step[0] == 0 && step[4] == 400);
  tl_free(context, step);
  if (!CHECK(tl_vtk_read(context, "run", 400, &stored) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return;
  }
  const tl_frame *a = at_step(400), *b = &stored->frame;
  CHECK(b->step == 400 && b->time == 0.4 && b->contact_count == 3000);
  CHECK(b->shape_count == a->shape_count);
  CHECK(memcmp(a->position + 3, b->position, 3000 * 24) == 0);
  CHECK(memcmp(a->contact_force, b->contact_force, 3000 * 24) == 0);
  /* 3000 spheres, the two of the clump, then box, capsule, cylinder, hull, kinematic box, walls */
  CHECK(b->shape_geometry[3002]->kind == TALUS_SHAPE_BOX);
  CHECK(b->shape_geometry[3003]->kind == TALUS_SHAPE_CAPSULE);
  CHECK(b->shape_geometry[3005]->kind == TALUS_SHAPE_HULL);
  CHECK(b->shape_geometry[3007]->kind == TALUS_SHAPE_HALFSPACE);
  CHECK(b->shape_geometry[3008]->kind == TALUS_SHAPE_MESH);
  check_pose(a, 3001, b, 3002);
  check_pose(a, 3002, b, 3003);
  check_pose(a, 3007, b, 3006);
  check_pose(a, 0, b, 3007);
  CHECK(b->shape_geometry[3002]->half_edge[1] == 0.08);
  CHECK(b->id[b->shape_body[3002]] == a->id[a->shape_body[3001]]);
  CHECK(b->type[b->shape_body[3006]] == TALUS_BODY_KINEMATIC);
  tl_stored_frame_destroy(stored);
  tl_stored_frame_destroy(NULL);
  CHECK(tl_vtk_read(context, "run", 401, &stored) == TALUS_FILE_OPEN && stored == NULL);
  CHECK(says("401"));
  CHECK(tl_vtk_steps(context, "nowhere", &step, &count) == TALUS_FILE_OPEN && says("nowhere"));
}

/* Cut and damaged files: an error or a frame, never a crash. */
static void test_damaged(void) {
  static const char *const names[] = {"grains-00000400.vtp", "surfaces-00000400.vtp"};
  tl_stored_frame *stored;
  for (int k = 0; k < 2; k++) {
    char path[64];
    size_t size;
    int refused = 0;
    snprintf(path, sizeof path, "run/%s", names[k]);
    char *good = file_read(path, &size);
    char *bad = malloc(size);
    for (int round = 0; round < 60; round++) {
      memcpy(bad, good, size);
      for (int i = 0; i < 3; i++) {
        bad[((size_t)round * 7919 + (size_t)i * 104729) % (round % 2 ? size : 3000)] ^= 0x55;
      }
      CHECK(file_write(path, bad, round % 5 == 0 ? size * (size_t)round / 60 : size));
      const talus_status status = tl_vtk_read(context, "run", 400, &stored);
      CHECK((status == TALUS_OK) == (stored != NULL));
      CHECK(status == TALUS_OK || status == TALUS_FILE_FORMAT || status == TALUS_OUT_OF_MEMORY ||
            status == TALUS_SIZE_OVERFLOW);
      refused += status != TALUS_OK;
      tl_stored_frame_destroy(stored);
    }
    CHECK(refused > 20);
    CHECK(file_write(path, good, size));
    free(good);
    free(bad);
  }
}

/* ---- what cannot be written ------------------------------------------------------------------ */

static int write_until_full(void) {
  const struct rlimit limit = {40000, 40000};
  tl_vtk_writer *writer;
  signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0 ||
      tl_vtk_open(context, "full", 0, &writer) != TALUS_OK) {
    return 2;
  }
  if (tl_vtk_write(writer, at_step(600)) != TALUS_FILE_WRITE || !says("full/")) {
    return 3;
  }
  tl_vtk_close(writer);
  return 0;
}

static void test_refusals(void) {
  int how = 0;
  tl_vtk_writer *writer;
  CHECK(tl_vtk_open(context, "no/such", -1, &writer) == TALUS_OK);
  CHECK(tl_vtk_write(writer, at_step(0)) == TALUS_FILE_WRITE && says("no/such/"));
  sample->velocity[7] = NAN;
  CHECK(tl_vtk_write(writer, at_step(0)) == TALUS_NOT_FINITE && says("velocity[2]"));
  sample->velocity[7] = 0;
  tl_vtk_close(writer);
  run("rm -rf full && mkdir full && cp run/*0.vtp run/*.pvd full && rm -rf copy && cp -r full "
      "copy");
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    _exit(write_until_full());
  }
  CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how));
  CHECK_CASE(WEXITSTATUS(how) == 0, "ended at %d", WEXITSTATUS(how));
  run("diff -r full copy");
}

int main(void) {
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  const int64_t before = context->bytes;
  sample = sample_frame_create(context, 3000);
  sample_frame_add_others(sample);
  for (int32_t k = 0; k < sample->frame.body_count; k++) {
    height[k] = sample->position[3 * k + 2];
  }
  run("rm -rf run && mkdir run");
  write_steps(context, "run", -1, 0, 0);
  test_grains();
  test_contacts();
  test_surfaces();
  test_drum();
  write_steps(context, "run", 0, 0, 400);
  test_series();
  test_threads();
  test_restart();
  test_empty();
  test_read();
  test_damaged();
  test_refusals();
  sample_frame_destroy(sample);
  CHECK(context->bytes == before);
  talus_context_destroy(context);
  return check_end();
}
