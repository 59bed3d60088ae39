/* test_checkpoint.c: what goes into a checkpoint comes out bit for bit; equal content gives equal
 * files; cut, damaged and foreign files are refused by name; the last K are kept; a killed writer
 * and a full disk leave the older checkpoints good. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "host/io/checkpoint.h"
#include "tests/check.h"

#if TL_HAVE_HDF5

static talus_context *context;
static const double odd_doubles[] = {0.0, -0.0, 1.0 / 3, 5e-324, 1.7976931348623157e308, INFINITY};
static const int64_t odd_int64s[] = {0, -1, INT64_MAX, INT64_MIN, 4294967296};
static const int32_t odd_int32s[] = {0, INT32_MAX, INT32_MIN};
static const uint8_t odd_bytes[] = {0, 1, 127, 128, 255};

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof *(array)))

static void empty_folder(const char *name) {
  char command[200];
  snprintf(command, sizeof command, "rm -rf '%s' && mkdir '%s'", name, name);
  CHECK(system(command) == 0);
}

static talus_status write_one(const char *directory, int64_t step, const double *extra,
                              int64_t extra_count, int32_t keep) {
  tl_checkpoint_writer *writer;
  double with_nan[7];
  const uint64_t payload = UINT64_C(0x7ff8dead0000beef);
  memcpy(with_nan, odd_doubles, sizeof odd_doubles);
  memcpy(with_nan + 6, &payload, 8);
  TL_TRY(tl_checkpoint_begin(context, directory, "world", step, &writer));
  talus_status status = tl_checkpoint_put_doubles(writer, "body/position", with_nan, 7);
  status += tl_checkpoint_put_int64s(writer, "match/key", odd_int64s, COUNT(odd_int64s));
  status += tl_checkpoint_put_int32s(writer, "body/type", odd_int32s, COUNT(odd_int32s));
  status += tl_checkpoint_put_bytes(writer, "random", odd_bytes, COUNT(odd_bytes));
  status += tl_checkpoint_put_doubles(writer, "nothing", NULL, 0);
  status += tl_checkpoint_put_text(writer, "scene", "gravity: [0, 0, -9.81]\n# \xce\xbc");
  status += tl_checkpoint_put_text(writer, "empty", "");
  status += tl_checkpoint_put_doubles(writer, "extra", extra, extra_count);
  if (status != TALUS_OK) {
    tl_checkpoint_abandon(writer);
    return TALUS_INTERNAL;
  }
  return tl_checkpoint_commit(writer, keep);
}

static int says(const char *words) {
  const int found = strstr(talus_context_message(context), words) != NULL;
  if (!found) {
    printf("  message: %s\n", talus_context_message(context));
  }
  return found;
}

/* ---- content --------------------------------------------------------------------------------- */

static void test_content(void) {
  double d[7];
  int64_t l[5], count = 0;
  int32_t i[3];
  uint8_t b[5];
  char *text;
  tl_checkpoint *file;
  empty_folder("run");
  CHECK(write_one("run", 42, NULL, 0, 3) == TALUS_OK);
  if (!CHECK(tl_checkpoint_open(context, "run/checkpoint-000042.h5", "world", &file) == TALUS_OK)) {
    printf("%s\n", talus_context_message(context));
    return;
  }
  CHECK(tl_checkpoint_step(file) == 42);
  CHECK(strcmp(tl_checkpoint_version(file), talus_version()) == 0);
  CHECK(tl_checkpoint_doubles(file, "body/position", d, 7) == TALUS_OK);
  CHECK(memcmp(d, odd_doubles, sizeof odd_doubles) == 0);
  uint64_t bits;
  memcpy(&bits, d + 6, 8);
  CHECK(bits == UINT64_C(0x7ff8dead0000beef));
  CHECK(tl_checkpoint_int64s(file, "match/key", l, 5) == TALUS_OK);
  CHECK(memcmp(l, odd_int64s, sizeof l) == 0);
  CHECK(tl_checkpoint_int32s(file, "body/type", i, 3) == TALUS_OK);
  CHECK(memcmp(i, odd_int32s, sizeof i) == 0);
  CHECK(tl_checkpoint_bytes(file, "random", b, 5) == TALUS_OK && memcmp(b, odd_bytes, 5) == 0);
  CHECK(tl_checkpoint_count(file, "nothing", &count) == TALUS_OK && count == 0);
  CHECK(tl_checkpoint_doubles(file, "nothing", NULL, 0) == TALUS_OK);
  CHECK(tl_checkpoint_text(file, "scene", &text) == TALUS_OK);
  CHECK(strcmp(text, "gravity: [0, 0, -9.81]\n# \xce\xbc") == 0);
  tl_free(context, text);
  CHECK(tl_checkpoint_text(file, "empty", &text) == TALUS_OK && text[0] == 0);
  tl_free(context, text);
  CHECK(tl_checkpoint_has(file, "random") && !tl_checkpoint_has(file, "body/mass"));
  CHECK(tl_checkpoint_doubles(file, "body/mass", d, 7) == TALUS_FILE_FORMAT);
  CHECK(says("run/checkpoint-000042.h5") && says("body/mass") && says("missing"));
  CHECK(tl_checkpoint_doubles(file, "body/position", d, 6) == TALUS_FILE_FORMAT);
  CHECK(says("7 values") && says("6 are expected"));
  CHECK(tl_checkpoint_doubles(file, "match/key", d, 5) == TALUS_FILE_FORMAT && says("type"));
  CHECK(tl_checkpoint_text(file, "random", &text) == TALUS_FILE_FORMAT && text == NULL);
  CHECK(tl_checkpoint_doubles(file, "body", d, 1) == TALUS_FILE_FORMAT);
  tl_checkpoint_close(file);
  tl_checkpoint_close(NULL);
}

static void test_arguments(void) {
  tl_checkpoint_writer *writer;
  const double one = 1;
  CHECK(tl_checkpoint_begin(context, "run", "two words", 1, &writer) == TALUS_INVALID_ARGUMENT);
  CHECK(writer == NULL);
  CHECK(tl_checkpoint_begin(context, "run", "world", -1, &writer) == TALUS_INVALID_ARGUMENT);
  CHECK(tl_checkpoint_begin(context, "run", "world", 43, &writer) == TALUS_OK);
  CHECK(tl_checkpoint_put_doubles(writer, "a/b", &one, 1) == TALUS_OK);
  CHECK(tl_checkpoint_put_doubles(writer, "a/b", &one, 1) == TALUS_INVALID_ARGUMENT);
  CHECK(tl_checkpoint_put_doubles(writer, "c", NULL, 1) == TALUS_INVALID_ARGUMENT);
  CHECK(tl_checkpoint_put_doubles(writer, "", &one, 1) == TALUS_INVALID_ARGUMENT);
  tl_checkpoint_abandon(writer);
  tl_checkpoint_abandon(NULL);
  CHECK(!file_exists("run/checkpoint-000043.h5"));
  CHECK(write_one("no/such", 1, NULL, 0, 3) == TALUS_FILE_WRITE &&
        says("no/such/checkpoint-000001"));
}

/* Neither the hour nor what was there before shows in the file. */
static void test_same_file(void) {
  size_t size_a, size_b;
  empty_folder("other");
  const struct timespec second = {1, 100000000};
  CHECK(write_one("run", 42, odd_doubles, 6, 3) == TALUS_OK);
  char *a = file_read("run/checkpoint-000042.h5", &size_a);
  nanosleep(&second, NULL);
  CHECK(write_one("other", 42, odd_doubles, 6, 3) == TALUS_OK);
  char *b = file_read("other/checkpoint-000042.h5", &size_b);
  CHECK(a != NULL && b != NULL && size_a == size_b && memcmp(a, b, size_a) == 0);
  free(a);
  free(b);
}

/* ---- bad files ------------------------------------------------------------------------------- */

static talus_status try_bytes(const char *bytes, size_t size) {
  tl_checkpoint *file;
  CHECK(file_write("bad.h5", bytes, size));
  const talus_status status = tl_checkpoint_open(context, "bad.h5", "world", &file);
  CHECK((status == TALUS_OK) == (file != NULL));
  tl_checkpoint_close(file);
  return status;
}

static void test_bad_files(void) {
  size_t size;
  tl_checkpoint *file;
  char *bytes = file_read("run/checkpoint-000042.h5", &size);
  int refused = 0, tried = 0;
  for (size_t length = 0; length < size; length += 1 + size / 199, tried++) {
    refused += try_bytes(bytes, length) == TALUS_FILE_FORMAT;
  }
  CHECK(tried > 100 && refused == tried);
  CHECK(try_bytes(bytes, size - 1) == TALUS_FILE_FORMAT && says("is cut"));
  for (size_t at = 513; at < size; at += 1 + size / 499) { /* one bit anywhere behind the head */
    bytes[at] ^= 4;
    CHECK(try_bytes(bytes, size) == TALUS_FILE_FORMAT);
    bytes[at] ^= 4;
  }
  CHECK(says("damaged"));
  CHECK(try_bytes(bytes, size) == TALUS_OK);
  char *format = strstr(bytes, "format 1");
  format[7] = '9';
  CHECK(try_bytes(bytes, size) == TALUS_FILE_FORMAT && says("format 9") && says(talus_version()));
  format[7] = '1';
  CHECK(tl_checkpoint_open(context, "run/checkpoint-000042.h5", "cloth", &file) ==
        TALUS_FILE_FORMAT);
  CHECK(file == NULL && says("kind 'world', not 'cloth'"));
  CHECK(try_bytes("\x89HDF\r\n\x1a\n", 8) == TALUS_FILE_FORMAT && says("not a Talus checkpoint"));
  CHECK(tl_checkpoint_open(context, "run/none.h5", "world", &file) == TALUS_FILE_OPEN);
  CHECK(says("run/none.h5") && says("No such file"));
  CHECK(tl_checkpoint_open(context, "run", "world", &file) == TALUS_FILE_OPEN);
  free(bytes);
}

/* ---- the directory --------------------------------------------------------------------------- */

static void test_keep(void) {
  char *path;
  empty_folder("run");
  CHECK(tl_checkpoint_newest(context, "run", INT64_MAX, &path) == TALUS_FILE_OPEN && path == NULL);
  CHECK(tl_checkpoint_newest(context, "no/such", INT64_MAX, &path) == TALUS_FILE_OPEN &&
        path == NULL);
  CHECK(file_write("run/checkpoint-000001.txt", "mine", 4));
  CHECK(file_write("run/checkpoint-000001.h5.2000000000-0.part", "x", 1)); /* of nobody alive */
  for (int64_t step = 100; step <= 600; step += 100) {
    CHECK(write_one("run", step, NULL, 0, 3) == TALUS_OK);
  }
  CHECK(!file_exists("run/checkpoint-000300.h5") && file_exists("run/checkpoint-000400.h5"));
  CHECK(file_exists("run/checkpoint-000500.h5") && file_exists("run/checkpoint-000600.h5"));
  CHECK(file_exists("run/checkpoint-000001.txt"));
  CHECK(!file_exists("run/checkpoint-000001.h5.2000000000-0.part"));
  /* going on from an older one: what is later stays */
  CHECK(write_one("run", 450, NULL, 0, 1) == TALUS_OK);
  CHECK(!file_exists("run/checkpoint-000400.h5") && file_exists("run/checkpoint-000600.h5"));
  CHECK(write_one("run", 12345678, NULL, 0, 0) == TALUS_OK);
  CHECK(tl_checkpoint_newest(context, "run", INT64_MAX, &path) == TALUS_OK);
  CHECK(strcmp(path, "run/checkpoint-12345678.h5") == 0);
  tl_free(context, path);
  CHECK(file_write("run/checkpoint-12345678.h5", "talus checkpoint\n", 17));
  CHECK(tl_checkpoint_newest(context, "run", INT64_MAX, &path) == TALUS_OK);
  CHECK(strcmp(path, "run/checkpoint-000600.h5") == 0);
  tl_free(context, path);
}

/* ---- killed writers and full disks ----------------------------------------------------------- */

enum { BIG = 200000 };
static double big[BIG];

static void write_for_ever(int64_t step) {
  for (;; step++) {
    big[0] = (double)step;
    if (write_one("killed", step, big, BIG, 2) != TALUS_OK) {
      _exit(1);
    }
  }
}

static void test_killed(void) {
  int64_t newest = 0;
  uint64_t random = 7;
  empty_folder("killed");
  CHECK(write_one("killed", 0, big, BIG, 2) == TALUS_OK);
  for (int round = 0; round < 25; round++) {
    const pid_t child = fork();
    if (child == 0) {
      write_for_ever(newest + 1);
    }
    random = random * 6364136223846793005u + 1442695040888963407u;
    const struct timespec wait = {0, (long)(random >> 40) * 4};
    nanosleep(&wait, NULL);
    kill(child, SIGKILL);
    int how;
    CHECK(waitpid(child, &how, 0) == child && WIFSIGNALED(how));
    char *path;
    tl_checkpoint *file;
    double first = -1;
    CHECK(tl_checkpoint_newest(context, "killed", INT64_MAX, &path) == TALUS_OK);
    CHECK(tl_checkpoint_open(context, path, "world", &file) == TALUS_OK);
    CHECK(tl_checkpoint_step(file) >= newest);
    newest = tl_checkpoint_step(file);
    CHECK(tl_checkpoint_doubles(file, "extra", big, BIG) == TALUS_OK);
    first = big[0];
    CHECK(first == (double)newest);
    tl_checkpoint_close(file);
    tl_free(context, path);
  }
  CHECK(newest > 0);
  CHECK(write_one("killed", newest + 1, big, BIG, 2) == TALUS_OK);
  CHECK(system("test $(ls killed | wc -l) -eq 2") == 0); /* no temporary file is left */
}

/* In a process of its own: the limits would stay. */
static int fill_disk(const char *folder) {
  if (write_one(folder, 1, odd_doubles, 6, 2) != TALUS_OK) {
    return 2;
  }
  if (write_one(folder, 2, big, BIG, 1) != TALUS_FILE_WRITE || !says("checkpoint-000002.h5") ||
      !says("writing failed")) {
    return 3;
  }
  char *path;
  if (tl_checkpoint_newest(context, folder, INT64_MAX, &path) != TALUS_OK ||
      strcmp(path + strlen(folder), "/checkpoint-000001.h5") != 0) {
    return 4;
  }
  tl_free(context, path);
  char command[200];
  snprintf(command, sizeof command, "test $(ls '%s' | wc -l) -eq 1", folder);
  if (system(command) != 0) {
    return 5;
  }
  return write_one(folder, 3, odd_doubles, 6, 1) == TALUS_OK ? 0 : 6; /* room again */
}

static int small_file_limit(void) {
  const struct rlimit limit = {100000, 100000};
  signal(SIGXFSZ, SIG_IGN);
  return setrlimit(RLIMIT_FSIZE, &limit) == 0 ? fill_disk("limited") : 77;
}

static int small_disk(void) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("tmpfs", "small", "tmpfs", 0, "size=256k") != 0) {
    return 77;
  }
  return fill_disk("small");
}

static void test_full(const char *name, int (*run)(void)) {
  int how = -1;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    _exit(run());
  }
  CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how));
  if (WEXITSTATUS(how) == 77) {
    printf("%s: skipped, not allowed here\n", name);
    return;
  }
  CHECK_CASE(WEXITSTATUS(how) == 0, "%s: ended at %d", name, WEXITSTATUS(how));
}

int main(void) {
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  const int64_t before = context->bytes;
  test_content();
  test_arguments();
  test_same_file();
  test_bad_files();
  test_keep();
  test_killed();
  empty_folder("limited");
  empty_folder("small");
  test_full("file size limit", small_file_limit);
  test_full("small disk", small_disk);
  CHECK(context->bytes == before);
  talus_context_destroy(context);
  return check_end();
}

#else
int main(void) {
  printf("skipped: built without HDF5\n");
  return CHECK_SKIPPED;
}
#endif
