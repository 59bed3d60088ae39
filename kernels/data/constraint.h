/* constraint.h: what a constraint of a contact problem is: the set its impulse lies in. */
#ifndef TL_DATA_CONSTRAINT_H
#define TL_DATA_CONSTRAINT_H

typedef enum tl_constraint_kind {
  TL_CONSTRAINT_FREE = 0,       /* a bilateral row: u = 0, any impulse */
  TL_CONSTRAINT_BOUNDED = 1,    /* a bilateral row whose impulse has bounds */
  TL_CONSTRAINT_UNILATERAL = 2, /* a contact without friction: one row */
  TL_CONSTRAINT_FRICTION = 3    /* a contact with friction: two or three rows */
} tl_constraint_kind;

#endif
