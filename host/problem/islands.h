/* islands.h: which constraints hang together: connected components of a contact graph.
 *
 * Units (bodies, blocks) are nodes; a constraint joins the units it touches. What cannot move joins
 * nothing: two heaps on one floor are two islands. Numbers depend on the graph alone: islands are
 * counted in the order of their first unit. */
#ifndef TL_ISLANDS_H
#define TL_ISLANDS_H

#include "host/base/base.h"
#include "talus/talus_solve.h"

typedef struct tl_islands {
  int32_t unit_count, count;
  int32_t *parent;  /* [unit_count] a forest; the root is the lowest unit of its island */
  int32_t *of_unit; /* [unit_count] set by tl_islands_number; -1: no constraint touches it, or it
                         cannot move */
  tl_buffer memory; /* kept from problem to problem */
} tl_islands;

/* The root of i's tree; halves the path on its way. */
static inline int32_t tl_forest_root(int32_t *parent, int32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

/* From pairs of units: begin, touch each constraint's units (-1 = none; equal ones are fine), then
 * number. Statuses: OUT_OF_MEMORY. */
talus_status tl_islands_begin(talus_context *context, tl_islands *islands, int32_t unit_count);
void tl_islands_join(tl_islands *islands, int32_t a, int32_t b);
void tl_islands_number(tl_islands *islands);
void tl_islands_release(talus_context *context, tl_islands *islands);

/* All at once from a packed, checked problem. Units: bodies of form (a), blocks of (b); forms (c)
 * and (d) have none that the caller could name: the contacts, then the bilateral rows, joined where
 * W or M and H join them. */
talus_status tl_islands_find(talus_context *context, const talus_problem *problem,
                             tl_islands *islands);
/* The island of a constraint: contacts, then bilateral rows. Of the same problem. */
int32_t tl_islands_of(const tl_islands *islands, const talus_problem *problem, int32_t constraint);

#endif
