/* trees.h: mechanisms for the tests: random trees of all kinds of joints, and plane chains. */
#ifndef TL_TREES_H
#define TL_TREES_H

#include "talus/talus_mechanism.h"

enum { TREE_LINKS = 128 };

double tree_random(uint64_t *state); /* uniform in -1 .. 1 */
talus_context *tree_context(int32_t threads);
/* Random links; parents are random earlier links (shuffled: 1 in any order), or all in a row. */
typedef enum tree_shape { TREE_CHAIN, TREE_BUSHY, TREE_SHUFFLED } tree_shape;
talus_mechanism *tree_make(talus_context *context, uint64_t seed, int32_t links, tree_shape shape,
                           int floating);
/* A random state. */
void tree_move(talus_mechanism *mechanism, uint64_t seed, double speed);
/* Uniform rods of mass and length 1 in the x-z plane, hinged about y: the root is pinned at the
 * origin (kind REVOLUTE) or free in the plane (PLANAR: its first coordinates are x and z). */
talus_mechanism *rods_make(talus_context *context, int32_t links, talus_link_kind root);

#endif
