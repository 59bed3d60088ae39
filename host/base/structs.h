/* structs.h: structs that cross the border, in the size that the caller's header gives them.
 *
 * A program and the library may be of different releases. A public struct begins with struct_size,
 * the size in the header that the program was compiled with, and grows at its end only, so that
 * what both sides know is its beginning. Input: that part is copied, members which only the library
 * knows keep their defaults, bytes which only the program knows must be 0. Output: that part is
 * written, and the rest of the caller's struct set to 0. Behind the public functions every struct
 * has the library's size. */
#ifndef TL_STRUCTS_H
#define TL_STRUCTS_H

#include <stdbool.h>

#include "host/base/base.h"

typedef struct tl_struct {
  const char *name;
  size_t size;                   /* in this library */
  size_t first;                  /* in release 0.2.0: no program has a smaller one */
  const struct tl_struct *part;  /* a struct inside it that has a size of its own, or NULL */
  const char *part_name;         /* of that member */
  size_t part_offset, part_room; /* bytes: where it begins, and how far it may grow */
} tl_struct;

/* X: every struct with a struct_size, and the last member that it had in release 0.2.0; a struct
 * that is added later stands here with the last member of its first release. Y: one that holds a
 * struct with a size of its own, in a room of its own: which member, and of what type. */
#define TL_STRUCT_LIST(X, Y)                     \
  X(context_def, log_user)                       \
  X(transport, fail)                             \
  X(layout, global)                              \
  X(problem, velocity_scale)                     \
  X(settings, islands)                           \
  X(solution_layout, contact_velocity)           \
  X(solution, layout)                            \
  X(certificate, reference_scale)                \
  Y(info, unused, certificate, certificate)      \
  X(islands, body)                               \
  X(loss, contact_velocity)                      \
  X(gradient, g)                                 \
  Y(world_def, velocity_scale, solver, settings) \
  X(material_def, restitution)                   \
  X(cell, rate_limit)                            \
  X(body_def, collides)                          \
  X(shape_def, unused)                           \
  X(motion_def, unused)                          \
  X(servo_def, across)                           \
  X(servo_state, speed)                          \
  X(joint_def, restitution)                      \
  X(joint_state, friction)                       \
  X(bond_def, twisting_limit)                    \
  X(step_report, error)                          \
  X(link_def, collides)                          \
  X(mechanism_def, unused)                       \
  X(mechanism_balance, angular_momentum)         \
  X(loop_def, orientation)                       \
  X(coupling_def, drift)                         \
  Y(fleet_def, accept, settings, settings)       \
  X(fleet_report, unused)                        \
  X(generate_def, seed)                          \
  X(frames_def, resume)                          \
  X(scene_info, colour)                          \
  X(record_def, resume)                          \
  X(measure_def, user)                           \
  X(urdf_def, packages)

#define TL_STRUCT_DECLARE(name, ...) extern const tl_struct tl_struct_##name;
TL_STRUCT_LIST(TL_STRUCT_DECLARE, TL_STRUCT_DECLARE)
#undef TL_STRUCT_DECLARE

/* Fills a caller's struct of `size` bytes with defaults, which are of the library's size. Does
 * nothing if `given` is NULL. */
void tl_struct_init(const tl_struct *type, const void *defaults, void *given, size_t size);

/* Copies a caller's struct to `own`, which has the library's size and holds the defaults. `label`
 * names the struct in messages; context may be NULL. Statuses: INVALID_ARGUMENT (given is NULL),
 * STRUCT_SIZE. */
talus_status tl_struct_read(talus_context *context, const tl_struct *type, const char *label,
                            const void *given, void *own);

/* Whether a caller's struct has all members that the library knows: its copy needs no defaults. */
bool tl_struct_is_whole(const tl_struct *type, const void *given);

/* Checks the size of a struct that will be written. Statuses: INVALID_ARGUMENT (given is NULL),
 * STRUCT_SIZE. */
talus_status tl_struct_check(talus_context *context, const tl_struct *type, const char *label,
                             const void *given);
/* Copies a result to a caller's struct that was checked; its struct_size stays. */
void tl_struct_write(const tl_struct *type, const void *own, void *given);

/* Checks a size that the caller names for a struct which the library makes. Status: STRUCT_SIZE. */
talus_status tl_struct_check_size(talus_context *context, const tl_struct *type, const char *label,
                                  size_t size);
/* Whether `size` bytes hold all that is not a default in `own`. */
bool tl_struct_fits(const tl_struct *type, const void *own, const void *defaults, size_t size);

/* A caller's array, whose elements have the size that the first one names. The size is read once:
 * threads may be writing to the elements when another is looked for. */
typedef struct tl_struct_array {
  const void *first; /* NULL: none */
  size_t stride;
} tl_struct_array;

/* Of `count` elements; without any, the first one is not read. */
tl_struct_array tl_struct_array_of(const void *first, int32_t count);
/* Element `index`; NULL if there is no array. */
const void *tl_struct_at(const tl_struct_array *array, int32_t index);
/* Checks that element `index` has the size of the first one. Status: STRUCT_SIZE. */
talus_status tl_struct_check_at(talus_context *context, const tl_struct *type, const char *label,
                                const tl_struct_array *array, int32_t index);
/* Makes *own a caller's array with elements of the library's size: the array itself if they have
 * it, else copies in *memory, which is to be freed (NULL: none). `defaults` is one struct.
 * Statuses: STRUCT_SIZE, OUT_OF_MEMORY. */
talus_status tl_struct_read_array(talus_context *context, const tl_struct *type, const char *label,
                                  const void *given, int32_t count, const void *defaults,
                                  const void **own, void **memory);

#endif
