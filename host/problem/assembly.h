/* assembly.h: from any form of talus_problem to the tl_system that backends take.
 *
 *   order.c            sorting, chunks                  order_keep.c  the same order once more
 *   order_colour.c     colouring                        order_bricks.c, bricks.c  by bricks
 *   assembly_rigid.c   form (a)        assembly_blocks.c   form (b), and bilateral rows of (a)
 *   assembly_matrix.c  form (c)        assembly_global.c   form (d), translated to (b) or (a)
 *   assembly.c         memory, scaling, import and export of impulses
 *   assembly_compliance.c   what gives way, in any form
 *   assembly_wrench.c   contacts of six rows, elliptic cones */
#ifndef TL_ASSEMBLY_H
#define TL_ASSEMBLY_H

#include <stdbool.h>

#include "host/base/base.h"
#include "host/problem/matrix.h"
#include "kernels/data/system.h"
#include "kernels/item/brick.h"
#include "kernels/item/colour.h"
#include "kernels/item/compliance.h"
#include "kernels/item/exact.h"
#include "talus/talus_solve.h"

struct tl_translation;

/* The order of the last problem of form (a): it holds as long as contacts and rows join the same
 * bodies, as they do from step to step of a world at rest. */
typedef struct tl_kept_order {
  int32_t valid, coloured, colour_count;
  int32_t contact_count, bilateral_count, body_count;
  tl_shape shape;
  double brick_size; /* 0: no bricks */
  uint64_t names;    /* hash of the ids; 0: none */
  tl_buffer memory, brick_memory;
  tl_brick *brick; /* [body_count], if there are bricks */
  int32_t *number; /* [body_count] internal body or -1 */
  int32_t *a, *b;  /* bodies of the constraints, as given */
  int32_t *place;  /* [contact_count] internal place of a contact */
} tl_kept_order;

/* What the constraints are ordered for. */
typedef enum tl_ordering {
  TL_ORDERING_NONE = 0, /* the system does not stand */
  TL_ORDERING_BODIES,
  TL_ORDERING_COLOURS /* ... and for sweeps */
} tl_ordering;

typedef struct tl_assembly {
  tl_system system;
  tl_ordering ordering;
  int64_t revision; /* grows with every problem: who holds a copy knows whether it is of this one */
  int64_t ordered;  /* grows with every order that is made anew */
  int32_t dimension; /* rows per contact of the caller's impulses */
  int32_t contact_count, bilateral_count;
  int32_t threads;        /* that may build it */
  uint32_t notes;         /* talus_note */
  double impulse_unit;    /* the caller's impulse is this times the engine's */
  double velocity_unit;   /* the engine's velocity is this times the caller's */
  double rounding;        /* sum of (|D||v| + |bias|)^2 / w: below its 2^-88 nothing is left to
                             do; with bricks exact, of all ranks */
  tl_exact roundings;     /* with bricks: what it is summed up in */
  struct tl_halo *halo;   /* what other ranks have of the problem (kernels/halo.h); NULL: none */
  bool wrenches;          /* contacts have six rows, or elliptic cones */
  bool compliant;         /* something gives way, on any rank */
  tl_softnesses softness; /* of those that do, of this rank */
  double stiffest;        /* the least C over W_kk + C, by direction, but for an eighth of the
                             constraints; 0 if more are rigid */
  double softest;         /* the largest C over S, of any constraint */
  double most_compliance; /* the largest C, in the engine's units */
  const double *frame;    /* spheres found in form (d): n t1 t2 of each contact, the caller's order;
                             NULL otherwise */
  tl_lines rows;          /* form (c): W by rows */
  struct tl_translation *translation; /* memory of a translated problem, kept */
  tl_kept_order kept;
  tl_buffer scratch[4];
  tl_buffer colour_group, order;
#define TL_PLAIN(type, name, count) tl_buffer name##_buffer;
#define TL_REALS(name, count) tl_buffer name##_buffer;
  TL_ARRAY_LIST(TL_PLAIN, TL_REALS)
#undef TL_PLAIN
#undef TL_REALS
} tl_assembly;

/* Builds assembly->system from a checked problem. coloured: the order suits Gauss-Seidel sweeps,
 * and sweeps are possible. Statuses: OUT_OF_MEMORY, BAD_DIAGONAL, NEGATIVE_MASS, UNSUPPORTED. */
talus_status tl_system_build(talus_context *context, const talus_problem *problem, bool coloured,
                             tl_assembly *assembly);
/* The system of a problem that is assembled on a device, as far as the host knows it. */
void tl_system_blank(const talus_problem *problem, tl_assembly *assembly);
/* Room for impulses in internal order, three each, with the memory that building needed: it is free
 * once the system stands. */
tl_buffer *tl_assembly_impulses(tl_assembly *assembly);
void tl_assembly_release(talus_context *context, tl_assembly *assembly);
int64_t tl_assembly_bytes(const tl_assembly *assembly);

/* Impulses between the caller's arrays and the engine's (internal order, three each). */
void tl_impulse_import(talus_context *context, const tl_assembly *assembly, const double *impulse,
                       const double *bilateral, double *internal);
void tl_impulse_export(talus_context *context, const tl_assembly *assembly, const double *internal,
                       double *impulse, double *bilateral);

/* ---- for the builders ------------------------------------------------------------------------ */

/* Units (bodies, blocks) that a contact touches: pairs (low <= high, high may be -1) or lists. */
typedef struct tl_links {
  int32_t unit_count;
  const int32_t *low, *high; /* either these ... */
  const int64_t *first;      /* ... or these */
  const int32_t *unit;
  const uint64_t *name; /* [unit_count] what pairs are hashed by; NULL: their numbers */
} tl_links;

/* The units of constraint k, in *units; returns how many. pair: room for two. */
static inline int32_t tl_links_of(const tl_links *links, int32_t k, int32_t pair[2],
                                  const int32_t **units) {
  if (links->first != NULL) {
    *units = links->unit + links->first[k];
    return (int32_t)(links->first[k + 1] - links->first[k]);
  }
  pair[0] = links->low[k];
  pair[1] = links->high[k];
  *units = pair;
  return pair[1] >= 0 ? 2 : 1;
}

/* Order of constraints [first, first + count) by the units they touch, in system.order + first. */
talus_status tl_order_sort(talus_context *context, tl_assembly *assembly, const tl_links *links,
                           int32_t first, int32_t count);

/* Stable sort of some of them by colour; size[c], of colours + 1, ends up as the first place of
 * colour c. other: room for as many. */
void tl_order_by_colour(int32_t *order, int32_t count, const int32_t *colour, int32_t colours,
                        int32_t *size, int32_t *other);

/* order_colour.c: colours of the constraints order[0 .. count - 1]: no two of one colour share a
 * unit. colour[] is indexed by constraint; *colours: how many. palette: what units have had so far;
 * taken with nothing in it, and cleared for other constraints. */
talus_status tl_palettes_take(talus_context *context, tl_assembly *assembly, const tl_links *links,
                              tl_palette **palette);
void tl_palettes_clear(const tl_links *links, const int32_t *order, int32_t count,
                       tl_palette *palette);
talus_status tl_order_colour(talus_context *context, tl_assembly *assembly, const tl_links *links,
                             const int32_t *order, int32_t count, tl_palette *palette,
                             int32_t *colour, int32_t *colours);

/* Sorts, colours if asked, and cuts into chunks the constraints of all ranges by the units they
 * touch. colour: scratch of one number per constraint, 0. */
talus_status tl_order_make(talus_context *context, tl_assembly *assembly, const tl_links *links,
                           int32_t *colour, int coloured);
/* order_bricks.c, order_phases.c: the same by bricks (item/brick.h): brick[] of each unit. */
talus_status tl_order_bricks(talus_context *context, tl_assembly *assembly, const tl_links *links,
                             const tl_brick *brick, int32_t *colour, int coloured);
/* Chunks, groups and phases of constraints in that order, whose keys these are. */
talus_status tl_order_phases(talus_context *context, tl_assembly *assembly, const uint64_t *key,
                             const int32_t *colour, int coloured);
/* Final order, chunks and colour table of all ranges from colour[] (colours[i] of range i). */
talus_status tl_order_finish(talus_context *context, tl_assembly *assembly, const int32_t *colour,
                             const int32_t *colours, int coloured);

/* bricks.c: the edge of a problem's bricks, 0 if it is not to have any. */
double tl_bricks_size(const talus_problem *problem);
/* INVALID_ARGUMENT if there are bricks and ids that do not ascend: they are what the order goes by.
 */
talus_status tl_bricks_names(talus_context *context, const talus_problem *problem);
/* Numbers the bodies that move (number[i] >= 0) brick by brick, and cuts them into chunks. */
talus_status tl_bricks_number(talus_context *context, tl_assembly *assembly, const tl_brick *brick,
                              int32_t body_count, int32_t *number);

/* Room for the numbers of the bodies, and whether the kept order may still hold as far as counts
 * tell. It is not valid from here on, until the assembly stands. */
talus_status tl_kept_begin(talus_context *context, const talus_problem *problem, int coloured,
                           tl_assembly *assembly, int *same);
/* Whether all constraints join the bodies they joined. */
bool tl_kept_holds(const talus_problem *problem, const tl_assembly *assembly);
/* Puts the kept order back. */
void tl_kept_restore(tl_assembly *assembly);
/* Keeps the order just made. */
void tl_kept_store(const talus_problem *problem, tl_assembly *assembly);

/* Memory for all arrays whose counts stand in system.shape; earlier contents are kept only where
 * the memory was already there. */
talus_status tl_assembly_reserve(talus_context *context, tl_assembly *assembly);

/* Scaling of constraint `place` (internal) from its W_kk in the contact frame (3x3, row-major). */
talus_status tl_assembly_scale(talus_context *context, tl_assembly *assembly, int32_t place,
                               const double *w, int32_t rows, int32_t bilateral, double friction);

/* Adds the compliance of a problem that has some: to W (MATRIX) or in arrays of its own, to scaling
 * and weights, and to the velocities without impulses by the targets. In the caller's units. */
talus_status tl_assembly_comply(talus_context *context, const talus_problem *problem,
                                tl_assembly *assembly);
/* How soft they are, on all ranks. */
void tl_assembly_soften(tl_assembly *assembly);

/* With bricks: adds to the rounding what constraint `place` has, if it is this rank's own. */
void tl_assembly_round(tl_assembly *assembly, int32_t place, double square);
/* Whether the constraint at `place` is this rank's own. */
bool tl_assembly_owns(const tl_assembly *assembly, int32_t place);

/* What contacts of six rows have beside three: torques, squeezes, W_kk. Before compliance. */
talus_status tl_assembly_wrenches(talus_context *context, const talus_problem *problem,
                                  tl_assembly *assembly);

/* Contacts of all ranks. */
int64_t tl_assembly_contacts(const tl_assembly *assembly);

/* The words for a W_kk of that trace. */
talus_status tl_assembly_refuse(talus_context *context, const tl_assembly *assembly, int32_t place,
                                double trace);

talus_status tl_assemble_rigid(talus_context *context, const talus_problem *problem, int coloured,
                               tl_assembly *assembly);
talus_status tl_assemble_blocks(talus_context *context, const talus_problem *problem, int coloured,
                                tl_assembly *assembly);
talus_status tl_assemble_matrix(talus_context *context, const talus_problem *problem, int coloured,
                                tl_assembly *assembly);
/* Translates form (d); *translated is what to assemble and lives in the assembly. */
talus_status tl_translate_global(talus_context *context, const talus_problem *problem,
                                 tl_assembly *assembly, const talus_problem **translated);
void tl_translation_release(talus_context *context, struct tl_translation *translation);
int64_t tl_translation_bytes(const struct tl_translation *translation);

/* Incidence lists of entries: which Jacobian blocks touch unit u (rigid body or general block),
 * from system.entry and the unit of each entry. */
void tl_assembly_incidence(tl_assembly *assembly, const int32_t *entry_unit);

#endif
