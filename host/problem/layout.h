/* layout.h: arrays of the caller's, wherever and however they lie, and their packed counterparts.
 *
 * Everything below door 2 reads packed doubles in host memory. What the caller has in another
 * layout or in the memory of a device is copied here on its way in and out; what is packed already
 * is taken as it is. */
#ifndef TL_LAYOUT_H
#define TL_LAYOUT_H

#include "host/base/base.h"
#include "kernels/backend.h"
#include "talus/talus_solve.h"

/* A caller's problem with its layout, in the library's sizes; arrays are the caller's. */
typedef struct tl_problem_copy {
  talus_problem problem;
  talus_layout layout; /* problem.layout points at it, or is NULL */
} tl_problem_copy;

/* The same of a solution. */
typedef struct tl_solution_copy {
  talus_solution solution;
  talus_solution_layout layout;
} tl_solution_copy;

/* Statuses: INVALID_ARGUMENT (NULL), STRUCT_SIZE. */
talus_status tl_problem_copy_make(talus_context *context, const talus_problem *given,
                                  tl_problem_copy *copy);
talus_status tl_solution_copy_make(talus_context *context, const talus_solution *given,
                                   tl_solution_copy *copy);

enum { TL_GATHERED = 32 }; /* arrays of the form that has most */

typedef struct tl_gathered {
  talus_problem problem; /* packed, in host memory */
  tl_buffer buffer[TL_GATHERED];
  int32_t used;
} tl_gathered;

/* *packed is the problem with packed arrays in host memory, the caller's or copies that live in
 * `gathered`. Defects other than of the layout are left to tl_problem_check, which must follow.
 * Statuses: INVALID_ARGUMENT, BAD_STRIDE, WRONG_MEMORY, UNSUPPORTED, DEVICE_ERROR. */
talus_status tl_problem_gather(talus_context *context, const talus_problem *problem,
                               tl_gathered *gathered, const talus_problem **packed);
void tl_gathered_release(talus_context *context, tl_gathered *gathered);
int64_t tl_gathered_bytes(const tl_gathered *gathered);

/* Where the arrays of a solution are; array NULL: not wanted. */
typedef struct tl_outlet {
  const tl_backend *backend; /* whose memory it is */
  tl_caller_array impulse, bilateral, velocity, angular, contact_velocity;
} tl_outlet;

/* problem: packed. solution may be NULL. Statuses as above. */
talus_status tl_outlet_make(talus_context *context, const talus_problem *problem,
                            const talus_solution *solution, tl_outlet *outlet);
/* One array of it from, or to, its packed counterpart; nothing happens if it is not wanted. */
talus_status tl_outlet_copy(talus_context *context, const tl_outlet *outlet,
                            const tl_caller_array *field, double *packed, tl_copy_mode way);

/* All results are out: waits for a device where the caller could not. */
talus_status tl_outlet_end(talus_context *context, const tl_outlet *outlet);

/* ---- between the two files of this header ---------------------------------------------------- */

/* One array, and what the caller said of it. */
typedef struct tl_given {
  const void *own; /* the member of the problem or solution */
  talus_strided strided;
  tl_scalar scalar; /* F64 or an integer */
  int32_t components;
  int64_t count;
  const char *name;
} tl_given;

/* Refuses what cannot be; field->array is NULL if the array was not given. */
talus_status tl_caller_array_make(talus_context *context, const tl_given *given,
                                  tl_caller_array *field);
/* The backend whose memory it is; NULL if the context has no such memory. */
talus_status tl_memory_backend(talus_context *context, talus_memory memory, const char *what,
                               const tl_backend **backend);

#endif
