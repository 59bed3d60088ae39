/* match.h: which contact of the last step a contact of this step continues, for warm starts.
 *
 * A contact is named by (shape_a, shape_b, feature), the shapes in the order of the colliders. Both
 * lists are walked side by side, which takes linear time where they are sorted by that key, as the
 * narrow-phase leaves them; a list that is not is put in order first (radix, linear too).
 *
 * Contacts of equal keys are matched in order. What is left of a pair of shapes when all its equal
 * features have found each other is matched in order of features if as many old points are left as
 * new ones, else not at all: the points of a face that has been clipped differently then still
 * carry the pair's whole load from step to step. Taking the nearest instead would need the points
 * in the bodies' frames; dropping them would let a box fall into its floor at each change. It is a
 * guess at impulses only: the solver's result is held to its tolerance either way. */
#ifndef TL_MATCH_H
#define TL_MATCH_H

#include "host/base/base.h"

typedef struct tl_match_key {
  int32_t shape_a, shape_b;
  uint32_t feature;
} tl_match_key;

typedef struct tl_match tl_match;
talus_status tl_match_create(talus_context *context, tl_match **match);
void tl_match_destroy(tl_match *match); /* accepts NULL */

/* For each new contact the index it had among the stored ones, or -1; no old one is given twice.
 * Statuses: OUT_OF_MEMORY, SIZE_OVERFLOW (a negative count). */
talus_status tl_match_find(tl_match *match, const tl_match_key *keys, int64_t count,
                           int32_t *old_index);
/* Keeps a copy of the keys for the next tl_match_find. Statuses as above; after an error nothing is
 * stored. */
talus_status tl_match_store(tl_match *match, const tl_match_key *keys, int64_t count);

#endif
