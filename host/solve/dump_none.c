/* dump_none.c: in place of dump.c where the library is built without files (TALUS_FILES). */
#include "host/solve/solver.h"

talus_status tl_dump_set(talus_solver *solver) {
  solver->settings.dump_path = NULL;
  if (solver->settings.dump == TALUS_DUMP_NONE) {
    return TALUS_OK;
  }
  solver->settings.dump = TALUS_DUMP_NONE;
  return tl_fail(
      solver->context, TALUS_UNSUPPORTED,
      "settings.dump: this library was built without files; build it with TALUS_FILES=ON");
}

void tl_dump_release(talus_solver *solver) {
  (void)solver;
}

void tl_dump_consider(talus_solver *solver, talus_outcome outcome, double measure) {
  (void)solver, (void)outcome, (void)measure;
}
