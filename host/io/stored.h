/* stored.h: the memory under a problem that was read or generated.
 *
 * Everything a talus_stored points at comes from tl_stored_alloc and lives until
 * talus_stored_destroy; there is no way to give a single array back. A half-built one is
 * destroyed like any other, so that readers and generators have one clean-up path. */
#ifndef TL_STORED_H
#define TL_STORED_H

#include "host/base/base.h"
#include "talus/talus_io.h"

/* An empty one: all pointers NULL, the problem that of talus_problem_default(DELASSUS). */
talus_status tl_stored_create(talus_context *context, talus_stored **stored);

/* count elements of size bytes, zeroed, owned by stored; `what` names the array in the message.
 * Status: OUT_OF_MEMORY. *memory is NULL on failure. */
talus_status tl_stored_alloc(talus_stored *stored, void **memory, size_t count, size_t size,
                             const char *what);

/* The context that stored was made with. */
talus_context *tl_stored_context(const talus_stored *stored);

/* Gives stored->problem the size that the caller knows of it, now that it is complete. Statuses:
 * STRUCT_SIZE, UNSUPPORTED (the problem has what the caller does not know). */
talus_status tl_stored_fit(talus_stored *stored, size_t problem_size);

/* Keeps a copy of the text, cut at length bytes, as stored->title. */
talus_status tl_stored_title(talus_stored *stored, const char *text, size_t length);

#endif
