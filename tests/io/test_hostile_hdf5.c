/* test_hostile_hdf5.c: FCLIB files that are cut, damaged, or lie about themselves. Each gets a
 * status and a message naming file and dataset; nothing is printed, leaked or left open. */
#include <string.h>

#include "files.h"
#include "problems.h"
#include "tests/check.h"

#if TL_HAVE_HDF5
#include "host/io/hdf5_file.h"
#include "host/problem/problem_check.h"
#include "tests/io/fclib_parts.h"

static talus_context *context;
static sample made;

/* HDF5 1.10 itself loses a few object headers when it meets a damaged one; read by LeakSanitizer,
 * where there is one. What Talus allocates or leaves open is counted below. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libhdf5\n";
}

/* ---- lies: a good file with one dataset replaced --------------------------------------------- */

typedef struct lie {
  const char *name;    /* of the dataset that is replaced, or left out */
  const char *word;    /* that the message must have */
  int integers, count; /* count < 0: left out */
  double value[8];
} lie;

static talus_status put(tl_hdf5 *file, const char *name, int integers, int count,
                        const double *value) {
  int64_t whole[64];
  for (int i = 0; i < count; i++) {
    whole[i] = (int64_t)value[i];
  }
  return integers ? tl_hdf5_put_int64s(file, name, whole, count)
                  : tl_hdf5_put_doubles(file, name, value, count);
}

static void write_parts(const char *path, const fclib_part *parts, int count, const lie *change) {
  tl_hdf5 file;
  CHECK(tl_hdf5_create(context, path, &file) == TALUS_OK);
  for (int i = 0; i < count; i++) {
    talus_status status = TALUS_OK;
    const fclib_part *p = &parts[i];
    if (p->count < 0) {
      status = tl_hdf5_group(&file, p->name);
    } else if (change == NULL || strcmp(change->name, p->name) != 0) {
      status = put(&file, p->name, p->integers, p->count, p->value);
    } else if (change->count >= 0) {
      status = put(&file, p->name, change->integers, change->count, change->value);
    }
    CHECK_CASE(status == TALUS_OK, "%s: %s", p->name, talus_context_message(context));
  }
  CHECK(tl_hdf5_close(&file) == TALUS_OK);
}

static const lie local_lies[] = {{"fclib_local/spacedim", "or 6", 1, 1, {4}},
                                 {"fclib_local/spacedim", "whole numbers", 0, 1, {2}},
                                 {"fclib_local/spacedim", "instead of one", 1, 2, {2, 2}},
                                 {"fclib_local/spacedim", "instead of one", 1, 0, {0}},
                                 {"fclib_local/spacedim", "does not divide", 1, 1, {3}},
                                 {"fclib_local/spacedim", "missing", 1, -1, {0}},
                                 {"fclib_local/W/m", "not between", 1, 1, {-2}},
                                 {"fclib_local/W/m", "should be", 1, 1, {5}},
                                 {"fclib_local/W/n", "should be", 1, 1, {2147483000}},
                                 {"fclib_local/W/nz", "not between", 1, 1, {-3}},
                                 {"fclib_local/W/nz", "not between", 1, 1, {-2000000000}},
                                 {"fclib_local/W/nz", "should be", 1, 1, {2000000000}},
                                 {"fclib_local/W/nzmax", "exceeds nzmax", 1, 1, {1}},
                                 {"fclib_local/W/nzmax", "missing", 1, -1, {0}},
                                 {"fclib_local/W/p", "first value", 1, 3, {1, 2, 3}},
                                 {"fclib_local/W/p", "falls", 1, 3, {0, 3, 2}},
                                 {"fclib_local/W/p", "falls or exceeds", 1, 3, {0, 2, 2000000000}},
                                 {"fclib_local/W/p", "falls", 1, 3, {0, -2, 3}},
                                 {"fclib_local/W/p", "its length", 1, 2, {0, 3}},
                                 {"fclib_local/W/p", "whole numbers", 0, 3, {0, 2, 3}},
                                 {"fclib_local/W/i", "not between", 1, 3, {0, 1, 2}},
                                 {"fclib_local/W/i", "not between", 1, 3, {0, -1, 1}},
                                 {"fclib_local/W/i", "its length", 1, 2, {0, 1}},
                                 {"fclib_local/W/x", "its length", 0, 2, {0, 1}},
                                 {"fclib_local/W/x", "missing", 0, -1, {0}},
                                 {"fclib_local/V/i", "lies outside", 1, 1, {2}},
                                 {"fclib_local/V/n", "should be", 1, 1, {2}},
                                 {"fclib_local/V/nz", "should be", 1, 1, {2}},
                                 {"fclib_local/R/m", "its length", 1, 1, {2}},
                                 {"fclib_local/vectors/q", "its length", 0, 3, {1, 2, 3}},
                                 {"fclib_local/vectors/q", "missing", 0, -1, {0}},
                                 {"fclib_local/vectors/mu", "its length", 0, 2, {1, 1}},
                                 {"fclib_local/vectors/s", "its length", 0, 2, {1, 1}},
                                 {"fclib_local/vectors/s", "missing", 0, -1, {0}},
                                 {"solution/r", "its length", 0, 3, {1, 2, 3}},
                                 {"solution/l", "its length", 0, 3, {1, 2, 3}}};

static const lie global_lies[] = {{"fclib_global/M/m", "should be", 1, 1, {4}},
                                  {"fclib_global/H/m", "should be", 1, 1, {4}},
                                  {"fclib_global/H/n", "does not divide", 1, 1, {3}},
                                  {"fclib_global/H/nz", "its length", 1, 1, {3}},
                                  {"fclib_global/H/nz", "should be", 1, 1, {5}},
                                  {"fclib_global/H/p", "lies outside", 1, 2, {3, 1}},
                                  {"fclib_global/vectors/f", "its length", 0, 2, {1, 2}},
                                  {"fclib_global/vectors/w", "its length", 0, 3, {1, 2}}};

static void test_lies(const fclib_part *parts, int part_count, const lie *lies, int lie_count) {
  talus_stored *stored;
  write_parts("lie.hdf5", parts, part_count, NULL);
  CHECK_CASE(talus_problem_read(context, "lie.hdf5", &stored) == TALUS_OK, "%s",
             talus_context_message(context));
  talus_stored_destroy(stored);
  for (int i = 0; i < lie_count; i++) {
    write_parts("lie.hdf5", parts, part_count, &lies[i]);
    const talus_status status = talus_problem_read(context, "lie.hdf5", &stored);
    const char *message = talus_context_message(context);
    CHECK_CASE(status == TALUS_FILE_FORMAT && stored == NULL, "%s (%s): %s", lies[i].name,
               lies[i].word, talus_status_name(status));
    CHECK_CASE(strstr(message, "lie.hdf5") != NULL && strstr(message, "/") != NULL, "%s", message);
    CHECK_CASE(strstr(message, lies[i].word) != NULL, "'%s' should have '%s'", message,
               lies[i].word);
    talus_stored_destroy(stored);
  }
}

/* The bilateral part of the good file, and triplets whose rows are in p. */
static void test_good_parts(void) {
  const double r[2] = {1, 2}, l[1] = {3};
  double u[2], row[1];
  talus_stored *stored;
  write_parts("good.hdf5", fclib_local_parts, sizeof fclib_local_parts / sizeof *fclib_local_parts,
              NULL);
  if (CHECK(talus_problem_read(context, "good.hdf5", &stored) == TALUS_OK)) {
    sample_evaluate(&stored->problem, r, l, u, row);
    CHECK(u[0] == 2 * 1 + 1 && u[1] == 1 * 1 + 2 * 2 + 5 * 3 + 2 && row[0] == 5 * 2 + 4 * 3 + 3);
    CHECK(stored->guess[0] == 1 && stored->guess[1] == 0 && stored->guess_bilateral[0] == 7);
  }
  talus_stored_destroy(stored);
  write_parts("good.hdf5", fclib_global_parts,
              sizeof fclib_global_parts / sizeof *fclib_global_parts, NULL);
  if (CHECK(talus_problem_read(context, "good.hdf5", &stored) == TALUS_OK)) {
    CHECK(stored->problem.global.h.index[0] == 2 && stored->problem.global.h.index2[0] == 0);
    CHECK(stored->guess == NULL);
  }
  talus_stored_destroy(stored);
}

/* ---- extents without substance --------------------------------------------------------------- */

static void create_set(tl_hdf5 *file, const char *name, hid_t type, hsize_t extent, hid_t list) {
  const hid_t space = H5Screate_simple(1, &extent, NULL);
  const hid_t id = H5Dcreate2(file->file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  CHECK(id >= 0);
  H5Dclose(id);
  H5Sclose(space);
}

/* x claims 1e10 values that nobody stored: whole, in chunks, compressed, or in another file. */
static void test_hollow(int kind) {
  static const char *const words[] = {"claims", "claims", "claims", "not stored in this file"};
  const hsize_t extent = 10000000000u, chunk = 1024;
  const lie without = {"fclib_local/W/x", "", 0, -1, {0}};
  tl_hdf5 file;
  write_parts("hollow.hdf5", fclib_local_parts,
              sizeof fclib_local_parts / sizeof *fclib_local_parts, &without);
  CHECK(tl_hdf5_open(context, "hollow.hdf5", &file) == TALUS_OK);
  H5Fclose(file.file);
  file.file = H5Fopen("hollow.hdf5", H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  if (kind == 1 || kind == 2) {
    H5Pset_chunk(list, 1, &chunk);
  }
  if (kind == 2) {
    H5Pset_deflate(list, 1);
  }
  if (kind == 3) {
    H5Pset_external(list, "hollow.dat", 0, extent * 8);
  }
  create_set(&file, "fclib_local/W/x", H5T_IEEE_F64LE, extent, list);
  H5Pclose(list);
  CHECK(tl_hdf5_close(&file) == TALUS_OK);
  talus_stored *stored;
  CHECK(talus_problem_read(context, "hollow.hdf5", &stored) == TALUS_FILE_FORMAT);
  CHECK_CASE(strstr(talus_context_message(context), words[kind]) != NULL, "%d: %s", kind,
             talus_context_message(context));
}

/* A link out of the file is not followed. */
static void test_link(void) {
  const lie without = {"fclib_local/vectors/q", "", 0, -1, {0}};
  tl_hdf5 file;
  write_parts("other.hdf5", fclib_local_parts, sizeof fclib_local_parts / sizeof *fclib_local_parts,
              NULL);
  write_parts("link.hdf5", fclib_local_parts, sizeof fclib_local_parts / sizeof *fclib_local_parts,
              &without);
  CHECK(tl_hdf5_open(context, "link.hdf5", &file) == TALUS_OK);
  H5Fclose(file.file);
  file.file = H5Fopen("link.hdf5", H5F_ACC_RDWR, H5P_DEFAULT);
  CHECK(H5Lcreate_external("other.hdf5", "/fclib_local/vectors/q", file.file,
                           "/fclib_local/vectors/q", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  CHECK(tl_hdf5_close(&file) == TALUS_OK);
  talus_stored *stored;
  CHECK(talus_problem_read(context, "link.hdf5", &stored) == TALUS_FILE_FORMAT);
  CHECK(strstr(talus_context_message(context), "vectors/q") != NULL);
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* Whatever was read must be safe to look at from end to end. */
static talus_status try_file(const char *path) {
  talus_stored *stored;
  talus_status status = talus_problem_read(context, path, &stored);
  CHECK((status == TALUS_OK) == (stored != NULL));
  CHECK(status == TALUS_OK || status == TALUS_FILE_FORMAT || status == TALUS_OUT_OF_MEMORY);
  if (stored != NULL) {
    tl_problem_check(context, &stored->problem);
    if (stored->title != NULL) {
      CHECK(strlen(stored->title) < 1 << 16);
    }
  }
  talus_stored_destroy(stored);
  return status;
}

static void test_truncated(const char *path) {
  size_t size;
  char *bytes = file_read(path, &size);
  int refused = 0, tried = 0;
  for (size_t length = 0; length < size; length += 1 + size / 257, tried++) {
    CHECK(file_write("cut.hdf5", bytes, length));
    refused += try_file("cut.hdf5") == TALUS_FILE_FORMAT;
  }
  CHECK(tried > 200 && refused == tried);
  free(bytes);
}

static void test_damaged(const char *path) {
  size_t size;
  char *bytes = file_read(path, &size);
  char *damaged = malloc(size);
  uint64_t state = 2;
  int refused = 0;
  for (int round = 0; round < 600; round++) {
    memcpy(damaged, bytes, size);
    for (int k = 0; k <= round % 3; k++) {
      const double at = 0.5 * (1 + sample_random(&state));
      damaged[(size_t)(at * (double)size)] = (char)(128 * (1 + sample_random(&state)));
    }
    CHECK(file_write("damaged.hdf5", damaged, size));
    refused += try_file("damaged.hdf5") != TALUS_OK;
  }
  CHECK(refused > 0);
  free(damaged);
  free(bytes);
}

static void test_not_fclib(void) {
  tl_hdf5 file;
  talus_stored *stored;
  CHECK(tl_hdf5_create(context, "other.hdf5", &file) == TALUS_OK);
  CHECK(tl_hdf5_group(&file, "weather") == TALUS_OK);
  CHECK(tl_hdf5_close(&file) == TALUS_OK);
  CHECK(talus_problem_read(context, "other.hdf5", &stored) == TALUS_FILE_FORMAT);
  CHECK(strstr(talus_context_message(context), "fclib_global") != NULL);
  static const char noise[] = "\x89HDF\r\n\x1a\nand nothing else";
  CHECK(file_write("noise.hdf5", noise, sizeof noise - 1));
  CHECK(talus_problem_read(context, "noise.hdf5", &stored) == TALUS_FILE_FORMAT);
}

int main(void) {
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  const int64_t bytes_before = context->bytes;
  test_good_parts();
  test_lies(fclib_local_parts, sizeof fclib_local_parts / sizeof *fclib_local_parts, local_lies,
            sizeof local_lies / sizeof *local_lies);
  test_lies(fclib_global_parts, sizeof fclib_global_parts / sizeof *fclib_global_parts, global_lies,
            sizeof global_lies / sizeof *global_lies);
  for (int kind = 0; kind < 4; kind++) {
    test_hollow(kind);
  }
  test_link();
  test_not_fclib();
  sample_delassus(&made, TALUS_STORAGE_CSR, 3, 4, 2);
  CHECK(talus_problem_write(context, "local.hdf5", &made.problem, made.arm_a) == TALUS_OK);
  sample_global(&made, TALUS_STORAGE_TRIPLET, 3, 4, 0);
  CHECK(talus_problem_write(context, "global.hdf5", &made.problem, NULL) == TALUS_OK);
  test_truncated("local.hdf5");
  test_truncated("global.hdf5");
  test_damaged("local.hdf5");
  test_damaged("global.hdf5");
  CHECK(context->bytes == bytes_before);
  CHECK(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 0);
  talus_context_destroy(context);
  return check_end();
}

#else
int main(void) {
  printf("skipped: built without HDF5\n");
  return CHECK_SKIPPED;
}
#endif
