/* struct_types.c: what the library knows of each public struct that begins with its size. Nothing
 * else stands here, so that a test can link other first sizes in its place. */
#include <stddef.h>

#include "host/base/structs.h"
#include "talus/talus.h"

/* A test of an older caller makes first sizes smaller than any release had them. */
#ifndef TL_FIRST_CUT
#define TL_FIRST_CUT 0
#endif

/* The size that the struct had when `last` was its last member; tests/abi/headers.sh sees to it
 * that no struct ends in padding, which a new member would fill without a change of the size. */
#define TYPE(struct_name, last)                      \
  .name = #struct_name, .size = sizeof(struct_name), \
  .first = offsetof(struct_name, last) + sizeof(((struct_name *)0)->last) - TL_FIRST_CUT

#define STRUCT(name, last) const tl_struct tl_struct_##name = {TYPE(talus_##name, last)};
#define STRUCT_WITH_PART(name, last, member, of)                                                \
  const tl_struct tl_struct_##name = {TYPE(talus_##name, last), .part = &tl_struct_##of,        \
                                      .part_name = #member,                                     \
                                      .part_offset = offsetof(talus_##name, member),            \
                                      .part_room = sizeof(((talus_##name *)0)->member##_room)}; \
  _Static_assert(sizeof(talus_##of) <= sizeof(((talus_##name *)0)->member##_room),              \
                 "talus_" #of " has outgrown its room in talus_" #name);

TL_STRUCT_LIST(STRUCT, STRUCT_WITH_PART)

_Static_assert(sizeof(talus_problem) <= sizeof(((talus_stored *)0)->problem_room),
               "talus_problem has outgrown its room in talus_stored");
