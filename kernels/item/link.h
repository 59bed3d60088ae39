/* link.h: where a link of a mechanism is and how it moves, in world axes about its own origin (its
 * joint's moving point). */
#ifndef TL_ITEM_LINK_H
#define TL_ITEM_LINK_H

#include "kernels/item/spatial.h"

typedef struct tl_link_state {
  double rotation[9], origin[3];
  double arm[3];         /* from the parent's origin to this one */
  double centre[3];      /* of mass, from the origin */
  double velocity[6];    /* angular, linear at the origin */
  double joint_bias[6];  /* acceleration across the joint that velocities alone make */
  double bias[6];        /* the same, from the parent's origin on */
  double wrench_bias[6]; /* what velocities alone ask of forces */
  double inertia[36];
} tl_link_state;

/* A wrench on a link, about its origin. */
typedef struct tl_unit_wrench {
  int32_t link;
  double wrench[6];
} tl_unit_wrench;

#endif
