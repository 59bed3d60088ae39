/* brick.h: cubes of a lattice that is fixed in space, by which large problems are ordered.
 *
 * A body belongs to the brick in which it lies. A constraint belongs to the brick whose
 * coordinates are the smaller ones of its bodies' bricks, in each direction: its bodies then lie
 * there or one further. So two bricks whose coordinates are all odd or even alike share no body:
 *
 *        0  1  0  1  0      a sweep has eight phases (four in this plane); the bricks of a phase
 *        2  3  2  3  2      can be swept at once, each one contact after the other, by colours
 *        0  1  0  1  0
 *
 * Constraints whose bodies lie further apart (large bodies, faces of a periodic cell) make a brick
 * of their own, which comes last. All of this depends on the positions alone. */
#ifndef TL_ITEM_BRICK_H
#define TL_ITEM_BRICK_H

#include "kernels/item/real.h"

/* Bits of a coordinate; bricks further out are counted to the outermost ones. */
enum { TL_BRICK_BITS = 20, TL_BRICK_PHASES = 8 };

/* x, y and z in 20 bits each, from below; TL_BRICK_FAR is none of them. */
typedef uint64_t tl_brick;
#define TL_BRICK_FAR (~(tl_brick)0)

TL_ITEM int32_t tl_brick_coordinate(tl_brick brick, int axis) {
  return (int32_t)(brick >> (TL_BRICK_BITS * axis) & ((1u << TL_BRICK_BITS) - 1));
}

/* The brick of a point. */
TL_ITEM tl_brick tl_brick_at(const double *position, double size) {
  const double half = 1 << (TL_BRICK_BITS - 1);
  tl_brick brick = 0;
  for (int axis = 0; axis < 3; axis++) {
    const double at = floor(position[axis] / size) + half;
    const double inside = at > 0 ? (at < 2 * half - 1 ? at : 2 * half - 1) : 0;
    brick |= (tl_brick)inside << (TL_BRICK_BITS * axis);
  }
  return brick;
}

/* The brick of a constraint between bodies in these two. */
TL_ITEM tl_brick tl_brick_join(tl_brick a, tl_brick b) {
  tl_brick brick = 0;
  for (int axis = 0; axis < 3; axis++) {
    const int32_t i = tl_brick_coordinate(a, axis), j = tl_brick_coordinate(b, axis);
    if (i - j > 1 || j - i > 1) {
      return TL_BRICK_FAR;
    }
    brick |= (tl_brick)(i < j ? i : j) << (TL_BRICK_BITS * axis);
  }
  return brick;
}

/* Every third bit. */
TL_ITEM uint64_t tl_brick_spread(uint64_t bits) {
  bits = (bits | bits << 32) & UINT64_C(0x001F00000000FFFF);
  bits = (bits | bits << 16) & UINT64_C(0x001F0000FF0000FF);
  bits = (bits | bits << 8) & UINT64_C(0x100F00F00F00F00F);
  bits = (bits | bits << 4) & UINT64_C(0x10C30C30C30C30C3);
  bits = (bits | bits << 2) & UINT64_C(0x1249249249249249);
  return bits;
}

/* Its place along Morton's curve, on which near bricks are mostly near. The three lowest bits are
 * the phase. */
TL_ITEM uint64_t tl_brick_curve(tl_brick brick) {
  return tl_brick_spread((uint64_t)tl_brick_coordinate(brick, 0)) |
         tl_brick_spread((uint64_t)tl_brick_coordinate(brick, 1)) << 1 |
         tl_brick_spread((uint64_t)tl_brick_coordinate(brick, 2)) << 2;
}

/* What constraints are sorted by: the phase, then the curve. */
TL_ITEM uint64_t tl_brick_key(tl_brick brick) {
  const int bits = 3 * TL_BRICK_BITS - 3;
  if (brick == TL_BRICK_FAR) {
    return (uint64_t)TL_BRICK_PHASES << bits;
  }
  const uint64_t curve = tl_brick_curve(brick);
  return (curve & 7) << bits | curve >> 3;
}

/* The phase of a key, TL_BRICK_PHASES for constraints that reach too far. */
TL_ITEM int32_t tl_brick_phase(uint64_t key) {
  return (int32_t)(key >> (3 * TL_BRICK_BITS - 3));
}

#endif
