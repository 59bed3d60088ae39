/* conquer_link.h: the smallest pieces of divide and conquer: one link, or the base.
 *
 * With the link's inertia I about its origin and arms r to its handles, X = [1 r^; 0 1]:
 *   Z_hk = X_h^T I^-1 X_k,   free_h = X_h^T I^-1 (outer - bias) + w x (w x r_h) */
#ifndef TL_ITEM_CONQUER_LINK_H
#define TL_ITEM_CONQUER_LINK_H

#include "kernels/item/conquest.h"

TL_ITEM double *tl_piece_column(double *array, const tl_conquest *c, const tl_piece *piece,
                                int32_t handle, int32_t column) {
  return array + 6 * ((size_t)(piece->first_handle + handle) * (size_t)c->columns + (size_t)column);
}

TL_ITEM double *tl_piece_block(const tl_conquest *c, const tl_piece *piece, int32_t h, int32_t k) {
  return c->compliance + piece->first_compliance + 36 * ((int64_t)h * piece->handle_count + k);
}

/* From a link's origin to a handle: the own joint is there, a child's is at its arm. */
TL_ITEM void tl_handle_arm(const tl_conquest *c, int32_t link, int32_t joint, double *arm) {
  for (int i = 0; i < 3; i++) {
    arm[i] = joint == link ? 0 : c->state[joint].arm[i];
  }
}

/* What a link does for a wrench about its origin, at a handle. */
TL_ITEM void tl_link_answer(const double *inverse, const double *wrench, const double *arm,
                            double *motion) {
  tl_times6(motion, inverse, wrench);
  tl_motion_shift(motion, motion, arm);
}

TL_ITEM void tl_link_compliance(const tl_conquest *c, const tl_piece *piece,
                                const double *inverse) {
  const int32_t *const joint = c->pieces.handle + piece->first_handle;
  for (int32_t h = 0; h < piece->handle_count; h++) {
    double arm[3], half[36];
    tl_handle_arm(c, piece->link, joint[h], arm);
    for (int j = 0; j < 6; j++) { /* inverse is symmetric: its rows are columns */
      double moved[6];
      tl_motion_shift(moved, inverse + 6 * j, arm);
      for (int i = 0; i < 6; i++) {
        half[6 * i + j] = moved[i];
      }
    }
    for (int32_t k = 0; k < piece->handle_count; k++) {
      double *const block = tl_piece_block(c, piece, h, k);
      tl_handle_arm(c, piece->link, joint[k], arm);
      for (int i = 0; i < 6; i++) { /* a row times X: the motion shift again */
        tl_motion_shift(block + 6 * i, half + 6 * i, arm);
      }
    }
  }
}

/* The answer of a single link to forces at its handles; 0 if its inertia cannot be inverted. */
TL_ITEM int tl_conquer_link(const tl_conquest *c, const tl_piece *piece) {
  const tl_link_state *const state = &c->state[piece->link];
  const double *const spin = state->velocity;
  double inverse[36], wrench[6];
  if (!tl_spatial_invert(state->inertia, 6, inverse)) {
    return 0;
  }
  tl_link_compliance(c, piece, inverse);
  for (int i = 0; i < 6; i++) {
    wrench[i] = c->outer[6 * piece->link + i] - state->wrench_bias[i];
  }
  for (int32_t h = 0; h < piece->handle_count; h++) {
    double arm[3], swing[3] = {0, 0, 0};
    double *const free = tl_piece_column(c->free, c, piece, h, 0);
    tl_handle_arm(c, piece->link, c->pieces.handle[piece->first_handle + h], arm);
    tl_link_answer(inverse, wrench, arm, free);
    tl_add_cross3(swing, spin, arm);
    tl_add_cross3(free + 3, spin, swing);
    for (int32_t k = 1; k < c->columns; k++) {
      double *const column = tl_piece_column(c->free, c, piece, h, k);
      tl_zero6(column);
      if (c->unit[k - 1].link == piece->link) {
        tl_link_answer(inverse, c->unit[k - 1].wrench, arm, column);
      }
    }
  }
  return 1;
}

/* The base gives way to nothing and accelerates against gravity. */
TL_ITEM void tl_conquer_base(const tl_conquest *c, const tl_piece *piece) {
  const int64_t blocks = (int64_t)piece->handle_count * piece->handle_count;
  for (int64_t i = 0; i < 36 * blocks; i++) {
    c->compliance[piece->first_compliance + i] = 0;
  }
  for (int32_t h = 0; h < piece->handle_count; h++) {
    for (int32_t k = 0; k < c->columns; k++) {
      double *const free = tl_piece_column(c->free, c, piece, h, k);
      tl_zero6(free);
      for (int i = 0; k == 0 && i < 3; i++) {
        free[3 + i] = -c->gravity[i];
      }
    }
  }
}

#endif
