/* fuzz_siconos.c: bytes as a Siconos text (.dat), and as a file of impulses. */
#include "host/problem/problem_check.h"
#include "talus/talus_io.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  talus_context *const context = fuzz_context();
  const int64_t before = fuzz_held();
  const char *const path = fuzz_file(bytes, size);
  talus_stored *stored = NULL;
  double impulse[12];
  if (size >= 4 && bytes[0] == 0x89) {
    return 0; /* HDF5: fuzz_fclib */
  }
  const talus_status status = talus_problem_read(context, path, &stored);
  FUZZ_PROMISE((status == TALUS_OK) == (stored != NULL));
  FUZZ_PROMISE(status == TALUS_OK || status == TALUS_FILE_FORMAT || status == TALUS_OUT_OF_MEMORY);
  if (stored != NULL) {
    tl_problem_check(context, &stored->problem); /* reads every number */
    talus_stored_destroy(stored);
  }
  talus_impulses_read(context, path, impulse, 4, 3);
  FUZZ_PROMISE(fuzz_held() == before);
  return 0;
}
