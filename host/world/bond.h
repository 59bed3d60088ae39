/* bond.h: a bond at the bodies' present poses, its loads, and how it is made.
 *
 *   bond.c       rows, loads, what breaks         bond_add.c   the caller's side
 *   bond_touch.c where bodies touch               body_pair.c  which bodies are bonded */
#ifndef TL_BOND_H
#define TL_BOND_H

#include "host/world/joint.h"

typedef struct tl_bond_now {
  tl_joint_now place; /* arms, `apart` and the image alone */
  double frame[3][3]; /* axis, two directions across it */
  double error[TL_BOND_ROWS];
} tl_bond_now;

void tl_bond_place(const talus_world *world, const tl_bond *bond, tl_bond_now *now);

/* Loads of the last (sub-)step, by talus_bond_mode: tension > 0, bending, shear, twisting; the
 * largest share of a strength or limit, and of which mode that is. */
typedef struct tl_bond_load {
  double load[4], share;
  talus_bond_mode mode;
} tl_bond_load;
tl_bond_load tl_bond_load_of(const tl_bond *bond, double dt);
/* As the caller sees it. */
talus_bond tl_bond_shown(const talus_world *world, const tl_bond *bond, double dt);

/* Where two bodies touch: mean of their points of contact. */
typedef struct tl_touch {
  int32_t body_a, body_b; /* slots, a < b */
  int32_t image;          /* of b in a periodic cell, as seen from a */
  int32_t order;          /* in which it was found */
  double point[3], normal[3];
  double gap;  /* the smallest */
  double size; /* of the smaller of the shapes that touch */
} tl_touch;

/* All pairs of `count` bodies (slots; NULL: all), also across the faces of a periodic cell, whose
 * shapes are nearer than `gap`, or, where that is 0, than a hundredth of the smaller size; in the
 * order of slots. The array is to be freed. Statuses: OUT_OF_MEMORY, UNSUPPORTED (the cell is too
 * small for its bodies). */
talus_status tl_touches_find(talus_world *world, int32_t count, const int32_t *body, double gap,
                             tl_touch **touch, int32_t *touch_count);

#endif
