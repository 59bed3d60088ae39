/* test_cone_f32.c: test_cone.c in single precision. */
#define TL_REAL_IS_FLOAT 1
#include "tests/unit/test_cone.c"
