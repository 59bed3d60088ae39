/* stored.c: owner of the arrays of a problem that was read or generated.
 *
 * Blocks hang on a list; each begins with a link, padded to keep the arrays aligned to 64 bytes. */
#include "host/io/stored.h"

#include <string.h>

#include "host/base/structs.h"

enum { LINK_SIZE = 64 };

typedef struct block_link {
  struct block_link *next;
} block_link;

/* What stored->memory points at. The stored itself lies behind it, in one allocation. */
typedef struct stored_owner {
  talus_context *context;
  block_link *first;
  talus_stored stored;
} stored_owner;

talus_status tl_stored_create(talus_context *context, talus_stored **stored) {
  *stored = NULL;
  void *memory;
  TL_TRY(tl_alloc(context, &memory, 1, sizeof(stored_owner), "stored problem"));
  memset(memory, 0, sizeof(stored_owner));
  stored_owner *owner = memory;
  owner->context = context;
  owner->stored.problem = talus_problem_default(TALUS_FORM_DELASSUS);
  owner->stored.memory = owner;
  *stored = &owner->stored;
  return TALUS_OK;
}

talus_status tl_stored_alloc(talus_stored *stored, void **memory, size_t count, size_t size,
                             const char *what) {
  *memory = NULL;
  stored_owner *owner = stored->memory;
  const size_t wanted = tl_size_product(count, size);
  if (wanted > SIZE_MAX - LINK_SIZE) {
    return tl_fail(owner->context, TALUS_OUT_OF_MEMORY, "%s: %zu elements of %zu bytes do not fit",
                   what, count, size);
  }
  void *block;
  TL_TRY(tl_alloc(owner->context, &block, 1, LINK_SIZE + wanted, what));
  memset(block, 0, LINK_SIZE + wanted);
  block_link *link = block;
  link->next = owner->first;
  owner->first = link;
  *memory = (char *)block + LINK_SIZE;
  return TALUS_OK;
}

talus_context *tl_stored_context(const talus_stored *stored) {
  return ((const stored_owner *)stored->memory)->context;
}

talus_status tl_stored_title(talus_stored *stored, const char *text, size_t length) {
  void *copy;
  TL_TRY(tl_stored_alloc(stored, &copy, length + 1, 1, "title"));
  memcpy(copy, text, length);
  stored->title = copy;
  return TALUS_OK;
}

talus_status tl_stored_fit(talus_stored *stored, size_t problem_size) {
  talus_context *const context = tl_stored_context(stored);
  const talus_problem own = stored->problem, defaults = talus_problem_default(own.form);
  TL_TRY(tl_struct_check_size(context, &tl_struct_problem, "stored.problem", problem_size));
  if (problem_size > sizeof stored->problem_room) {
    return tl_fail(context, TALUS_STRUCT_SIZE,
                   "problem_size is %zu, but Talus %s has room for %zu bytes", problem_size,
                   talus_version(), sizeof stored->problem_room);
  }
  if (!tl_struct_fits(&tl_struct_problem, &own, &defaults, problem_size)) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "the problem needs members of talus_problem that the program, which is of an "
                   "older release, does not know");
  }
  stored->problem.struct_size = (uint32_t)problem_size;
  tl_struct_write(&tl_struct_problem, &own, &stored->problem);
  return TALUS_OK;
}

void talus_stored_destroy(talus_stored *stored) {
  if (stored == NULL) {
    return;
  }
  stored_owner *owner = stored->memory;
  for (block_link *link = owner->first; link != NULL;) {
    block_link *next = link->next;
    tl_free(owner->context, link);
    link = next;
  }
  tl_free(owner->context, owner);
}
