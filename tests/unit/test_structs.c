/* test_structs.c: arrays of structs in the caller's sizes. */
#include <stdlib.h>
#include <string.h>

#include "host/base/structs.h"
#include "talus/talus_solve.h"
#include "tests/check.h"

/* Threads look for their elements while others write to the first one, which named the stride. */
static void test_stride_is_read_once(void) {
  enum { COUNT = 3 };
  talus_info infos[COUNT];
  for (int i = 0; i < COUNT; i++) {
    infos[i] = talus_info_default();
  }
  const tl_struct_array array = tl_struct_array_of(infos, COUNT);
  memset(&infos[0], 0, sizeof infos[0]);
  CHECK(tl_struct_at(&array, 2) == &infos[2]);
  CHECK(tl_struct_check_at(NULL, &tl_struct_info, "infos", &array, 1) == TALUS_OK);
}

static void test_no_array(void) {
  const tl_struct_array none = tl_struct_array_of(NULL, 3);
  void *const empty = malloc(1); /* too short for a size */
  CHECK(tl_struct_at(&none, 0) == NULL && tl_struct_at(&none, 7) == NULL);
  CHECK(tl_struct_array_of(empty, 0).stride == 0); /* and sanitizers see no reading */
  free(empty);
}

int main(void) {
  test_stride_is_read_once();
  test_no_array();
  return check_end();
}
