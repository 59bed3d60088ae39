/* test_memory.c: allocations fail at call 1, 2, 3, ... until reading and writing succeed: each
 * failure says OUT_OF_MEMORY, gives everything back, and leaves no half file. */
#include "files.h"
#include "problems.h"
#include "tests/scarce.h"

static sample made;
static scarce memory;
static talus_context *context;

static talus_status write_and_read(const char *path, const double *impulse) {
  talus_stored *stored;
  talus_status status = talus_problem_write(context, path, &made.problem, impulse);
  if (status == TALUS_OK) {
    status = talus_problem_read(context, path, &stored);
    talus_stored_destroy(stored);
  }
  return status;
}

static void starve(const char *path, const double *impulse) {
  const int64_t before = memory.held;
  talus_status status = TALUS_OUT_OF_MEMORY;
  int failures = -1;
  for (int calls = 0; status == TALUS_OUT_OF_MEMORY && calls < 1000; calls++, failures++) {
    memory.fail_from = memory.requests + calls + 1;
    status = write_and_read(path, impulse);
    memory.fail_from = 0;
    CHECK_CASE(memory.held == before, "%s: %d blocks left after failure at call %d", path,
               (int)(memory.held - before), calls);
    CHECK(file_count_ending(".part") == 0);
  }
  if (status == TALUS_UNSUPPORTED) {
    printf("%s skipped: built without HDF5\n", path);
    return;
  }
  CHECK_CASE(status == TALUS_OK && failures >= 5, "%s: %s after %d failures", path,
             talus_status_name(status), failures);
}

int main(void) {
  context = scarce_context(&memory);
  sample_delassus(&made, TALUS_STORAGE_CSR, 3, 4, 0);
  starve("local.dat", NULL);
  sample_global(&made, TALUS_STORAGE_TRIPLET, 3, 4, 0);
  starve("global.dat", NULL);
  sample_delassus(&made, TALUS_STORAGE_TRIPLET, 3, 4, 2);
  starve("local.hdf5", NULL);
  sample_rigid(&made, 0, 2);
  starve("rigid.hdf5", NULL);
  sample_blocks(&made, 2, 2);
  starve("blocks.hdf5", NULL);
  sample_rigid(&made, 1, 0);
  starve("solved.hdf5", made.arm_a);
  talus_context_destroy(context);
  CHECK(memory.held == 0);
  return check_end();
}
