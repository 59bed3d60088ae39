/* test_impulses.c: impulse files, and the promise that every file is written whole or not at all.
 */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "problems.h"
#include "tests/check.h"

static talus_context *context;

static void test_round_trip(void) {
  for (int32_t columns = 1; columns <= 3; columns++) {
    const double out[9] = {1.0 / 3, -0.0, 1e-308, 1e300, -2, 5e-324, 0.1, 123456789.123456789, 7};
    double in[9] = {0};
    CHECK(talus_impulses_write(context, "r.txt", out, 9 / columns, columns) == TALUS_OK);
    CHECK(talus_impulses_read(context, "r.txt", in, 9 / columns, columns) == TALUS_OK);
    CHECK(memcmp(in, out, (size_t)(9 / columns * columns) * sizeof(double)) == 0);
  }
  CHECK(talus_impulses_write(context, "none.txt", NULL, 0, 3) == TALUS_OK);
  CHECK(talus_impulses_read(context, "none.txt", NULL, 0, 3) == TALUS_OK);
  CHECK(file_count_ending(".part") == 0);
}

static talus_status read_text(const char *text, double *r) {
  CHECK(file_write("typed.txt", text, strlen(text)));
  return talus_impulses_read(context, "typed.txt", r, 2, 2);
}

static void test_comments(void) {
  double r[4] = {0};
  CHECK(read_text("# head\n\n 1 2 # first\n#\n\t3\t4\r\n# end", r) == TALUS_OK);
  CHECK(r[0] == 1 && r[1] == 2 && r[2] == 3 && r[3] == 4);
  CHECK(read_text("1 2\n3 4", r) == TALUS_OK);
}

static void refuse(const char *text, const char *line, const char *word) {
  double r[4];
  CHECK_CASE(read_text(text, r) == TALUS_FILE_FORMAT, "%s", text);
  const char *message = talus_context_message(context);
  CHECK_CASE(strstr(message, line) != NULL && strstr(message, word) != NULL,
             "'%s' should have '%s' and '%s'", message, line, word);
}

static void test_refusals(void) {
  double r[4];
  refuse("1 2\n", ":2:", "ends after 1");
  refuse("1\n2 3\n4\n", ":1:", "1 numbers where 2");
  refuse("1 # 2\n3 4\n", ":1:", "1 numbers where 2");
  refuse("1 2 3\n4 5\n", ":1:", "more than 2 numbers");
  refuse("1 2\n3 4\n5 6\n", ":3:", "more than 2 contacts");
  refuse("1 2\n3 4x\n", ":2:", "'4x'");
  refuse("", "", "ends after 0");
  CHECK(talus_impulses_read(context, "missing.txt", r, 2, 2) == TALUS_FILE_OPEN);
  CHECK(strstr(talus_context_message(context), "missing.txt") != NULL);
  CHECK(talus_impulses_read(context, ".", r, 2, 2) == TALUS_FILE_OPEN);
  CHECK(talus_impulses_read(context, "typed.txt", NULL, 2, 2) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_impulses_read(context, "typed.txt", r, -1, 2) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_impulses_write(context, "typed.txt", r, 1, 4) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_impulses_write(context, NULL, r, 1, 3) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_impulses_write(NULL, "typed.txt", r, 1, 3) == TALUS_INVALID_ARGUMENT);
}

/* Where nothing can be written, the old content and nothing else is there afterwards. */
static void test_unwritable(void) {
  const double r[3] = {1, 2, 3};
  size_t size;
  CHECK(talus_impulses_write(context, "no/such/folder/r.txt", r, 1, 3) == TALUS_FILE_WRITE);
  CHECK(strstr(talus_context_message(context), "no/such/folder/r.txt") != NULL);
  mkdir("folder", 0777);
  CHECK(talus_impulses_write(context, "folder", r, 1, 3) == TALUS_FILE_WRITE);
  if (file_exists("/dev/full")) {
    CHECK(talus_impulses_write(context, "/dev/full", r, 1, 3) == TALUS_FILE_WRITE);
    CHECK(strstr(talus_context_message(context), "/dev/full") != NULL);
  }
  CHECK(talus_impulses_write(context, "/dev/null", r, 1, 3) == TALUS_OK);
  if (geteuid() != 0) { /* to root everything is writable */
    CHECK(file_write("locked.txt", "old", 3) && chmod("locked.txt", 0444) == 0);
    CHECK(talus_impulses_write(context, "locked.txt", r, 1, 3) == TALUS_FILE_WRITE);
    char *old = file_read("locked.txt", &size);
    CHECK(old != NULL && size == 3 && memcmp(old, "old", 3) == 0);
    free(old);
    chmod("locked.txt", 0666);
  }
  CHECK(file_count_ending(".part") == 0);
}

/* A link stays a link, and what it points at is replaced; the file keeps its permissions. */
static void test_link(void) {
  const double r[3] = {1, 2, 3};
  double back[3];
  struct stat about;
  CHECK(file_write("real.txt", "old", 3) && chmod("real.txt", 0640) == 0);
  unlink("link.txt");
  CHECK(symlink("real.txt", "link.txt") == 0);
  CHECK(talus_impulses_write(context, "link.txt", r, 1, 3) == TALUS_OK);
  CHECK(lstat("link.txt", &about) == 0 && S_ISLNK(about.st_mode));
  CHECK(stat("real.txt", &about) == 0 && (about.st_mode & 0777) == 0640);
  CHECK(talus_impulses_read(context, "real.txt", back, 1, 3) == TALUS_OK && back[2] == 3);
}

/* Problems that a format cannot hold, or that are bad, leave the old file alone. */
static void test_problem_refused(void) {
  static sample made;
  const double r[ROWS_MAX] = {0};
  size_t size;
  CHECK(file_write("kept.dat", "old", 3) && file_write("kept.hdf5", "old", 3));
  sample_delassus(&made, TALUS_STORAGE_CSR, 3, 3, 2);
  CHECK(talus_problem_write(context, "kept.dat", &made.problem, NULL) == TALUS_UNSUPPORTED);
  sample_delassus(&made, TALUS_STORAGE_CSR, 3, 3, 0);
  CHECK(talus_problem_write(context, "kept.dat", &made.problem, r) == TALUS_UNSUPPORTED);
  made.problem.delassus.q = NULL;
  CHECK(talus_problem_write(context, "kept.hdf5", &made.problem, NULL) == TALUS_MISSING_ARRAY);
  sample_delassus(&made, TALUS_STORAGE_DENSE, 3, 3, 1);
  made.value[0][9] +=
      1; /* the block left below is no longer the transpose of the one at the right */
  CHECK(talus_problem_write(context, "kept.hdf5", &made.problem, NULL) == TALUS_UNSUPPORTED);
  sample_blocks(&made, 3, 0);
  made.inverse_mass[0] = 0; /* but not its row: indefinite */
  CHECK(talus_problem_write(context, "kept.hdf5", &made.problem, NULL) == TALUS_NEGATIVE_MASS);
  CHECK(talus_problem_write(context, "kept.hdf5", NULL, NULL) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_problem_write(context, "/dev/null", &made.problem, NULL) != TALUS_OK);
  for (int k = 0; k < 2; k++) {
    char *kept = file_read(k ? "kept.dat" : "kept.hdf5", &size);
    CHECK(kept != NULL && size == 3 && memcmp(kept, "old", 3) == 0);
    free(kept);
  }
  CHECK(file_count_ending(".part") == 0);
}

static void test_problem_open(void) {
  talus_stored *stored;
  CHECK(talus_problem_read(context, "missing.hdf5", &stored) == TALUS_FILE_OPEN && stored == NULL);
  CHECK(strstr(talus_context_message(context), "missing.hdf5") != NULL);
  CHECK(talus_problem_read(context, ".", &stored) == TALUS_FILE_OPEN);
  CHECK(strstr(talus_context_message(context), "directory") != NULL);
  CHECK(talus_problem_read(context, "/dev/zero", &stored) == TALUS_FILE_OPEN);
  CHECK(file_write("empty.hdf5", "", 0));
  CHECK(talus_problem_read(context, "empty.hdf5", &stored) == TALUS_FILE_FORMAT);
  CHECK(strstr(talus_context_message(context), "empty") != NULL);
  CHECK(talus_problem_read(context, NULL, &stored) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_problem_read(context, "empty.hdf5", NULL) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_problem_read(NULL, "empty.hdf5", &stored) == TALUS_INVALID_ARGUMENT);
  if (geteuid() != 0) {
    CHECK(file_write("secret.dat", "3", 1) && chmod("secret.dat", 0) == 0);
    CHECK(talus_problem_read(context, "secret.dat", &stored) == TALUS_FILE_OPEN);
    chmod("secret.dat", 0666);
  }
  talus_stored_destroy(NULL);
}

int main(void) {
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  test_round_trip();
  test_comments();
  test_refusals();
  test_unwritable();
  test_link();
  test_problem_refused();
  test_problem_open();
  talus_context_destroy(context);
  return check_end();
}
