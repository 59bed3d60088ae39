/* system.h: a contact problem made ready on the host, in double: what a backend is given.
 *
 * Built by host/problem from any form of talus_problem. The CPU's double-precision engine works on
 * these arrays as they are; every other engine takes a copy. */
#ifndef TL_SYSTEM_H
#define TL_SYSTEM_H

#include "kernels/data/arrays.h"
#include "kernels/data/caller_array.h"
#include "kernels/data/law.h"

/* The arrays of a problem of form (a) that wait in the memory of a device, to be checked, ordered
 * and assembled there; then the scalars that the host needs of the result. Contacts only.
 * Columns: type, name, components, body or contact. */
#define TL_RAW_LIST(X)                \
  X(double, velocity, 6, body)        \
  X(double, inverse_mass, 1, body)    \
  X(double, inverse_inertia, 6, body) \
  X(int32_t, body_a, 1, contact)      \
  X(int32_t, body_b, 1, contact)      \
  X(double, normal, 3, contact)       \
  X(double, reach_a, 1, contact)      \
  X(double, reach_b, 1, contact)      \
  X(double, arm_a, 3, contact)        \
  X(double, arm_b, 3, contact)        \
  X(double, bias, 1, contact)         \
  X(double, surface_velocity, 3, contact)

typedef struct tl_raw {
  int32_t body_count, contact_count;
  const int32_t *count; /* NULL, or where, in the memory of the device, there is how many contacts
                           there are; then there are at most contact_count */
  int32_t coloured;     /* 1: they are to be ordered for sweeps */
  tl_caller_array friction, angular_velocity; /* array NULL, here and below: not given */
  tl_caller_array compliance, target_impulse;
#define TL_FIELD(type, name, components, of) tl_caller_array name;
  TL_RAW_LIST(TL_FIELD)
#undef TL_FIELD
  /* set by upload */
  int32_t taken; /* 0: something is wrong with it; the host, which has the words, must look */
  int32_t same;  /* 1: contacts have the bodies that they had in the last upload */
  double impulse_unit, velocity_unit; /* as in tl_assembly */
  double rounding;
  double reference[TL_LAW_COUNT];            /* R(0) by law */
  double inverse_weight;                     /* sum of 1 / w_k */
  double stiffest, softest, most_compliance; /* as in tl_assembly */
  int32_t colour_count;
  tl_caller_array order; /* the caller's contact at each place */
} tl_raw;

typedef struct tl_system {
  tl_shape shape;
#define TL_PLAIN(type, name, count) type *name;
#define TL_REALS(name, count) double *name;
  TL_ARRAY_LIST(TL_PLAIN, TL_REALS)
#undef TL_PLAIN
#undef TL_REALS
  /* for the host alone */
  int32_t colour_count;
  /* [colour_count + 1] first group of each colour; NULL: not coloured. Without bricks each chunk is
   * a group; with them, colours are the phases */
  int32_t *colour_group;
  /* [contact_count] the caller's constraint at each internal place; bilateral rows are numbered
   * behind the contacts */
  int32_t *order;
  struct tl_halo *halo; /* what other ranks do of it (kernels/halo.h); NULL: there are none */
} tl_system;

#endif
