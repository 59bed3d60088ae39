/* conquer_link.c: the smallest pieces of divide and conquer: one link, or the base.
 *
 * With the link's inertia I about its origin and arms r to its handles, X = [1 r^; 0 1]:
 *   Z_hk = X_h^T I^-1 X_k,   free_h = X_h^T I^-1 (outer - bias) + w x (w x r_h) */
#include "host/mechanism/conquer.h"

/* From a link's origin to a handle: the own joint is there, a child's is at its arm. */
static void handle_arm(const talus_mechanism *mechanism, int32_t link, int32_t joint, double *arm) {
  if (joint == link) {
    tl_set3(arm, 0, 0, 0);
  } else {
    tl_copy3(arm, mechanism->state[joint].arm);
  }
}

/* What a link does for a wrench about its origin, at a handle. */
static void link_answer(const double *inverse, const double *wrench, const double *arm,
                        double *motion) {
  tl_times6(motion, inverse, wrench);
  tl_motion_shift(motion, motion, arm);
}

static void link_compliance(tl_conquest *c, const tl_piece *piece, const double *inverse) {
  const talus_mechanism *const mechanism = c->mechanism;
  const int32_t *const joint = c->plan->handle + piece->first_handle;
  for (int32_t h = 0; h < piece->handle_count; h++) {
    double arm[3], half[36];
    handle_arm(mechanism, piece->link, joint[h], arm);
    for (int j = 0; j < 6; j++) { /* inverse is symmetric: its rows are columns */
      double moved[6];
      tl_motion_shift(moved, inverse + 6 * j, arm);
      for (int i = 0; i < 6; i++) {
        half[6 * i + j] = moved[i];
      }
    }
    for (int32_t k = 0; k < piece->handle_count; k++) {
      double *const block = tl_piece_block(c->plan, piece, h, k);
      handle_arm(mechanism, piece->link, joint[k], arm);
      for (int i = 0; i < 6; i++) { /* a row times X: the motion shift again */
        tl_motion_shift(block + 6 * i, half + 6 * i, arm);
      }
    }
  }
}

void tl_conquer_link(tl_conquest *c, tl_piece *piece) {
  const talus_mechanism *const mechanism = c->mechanism;
  const tl_link_state *const state = &mechanism->state[piece->link];
  const double *const spin = state->velocity;
  double inverse[36], wrench[6];
  piece->singular = !tl_spatial_invert(state->inertia, 6, inverse);
  if (piece->singular) {
    return;
  }
  link_compliance(c, piece, inverse);
  for (int i = 0; i < 6; i++) {
    wrench[i] = mechanism->outer[6 * piece->link + i] - state->wrench_bias[i];
  }
  for (int32_t h = 0; h < piece->handle_count; h++) {
    double arm[3], swing[3];
    double *const free = tl_piece_column(c->free, c, piece, h, 0);
    handle_arm(mechanism, piece->link, c->plan->handle[piece->first_handle + h], arm);
    link_answer(inverse, wrench, arm, free);
    tl_cross3(swing, spin, arm);
    tl_add_cross3(free + 3, spin, swing);
    for (int32_t k = 1; k < c->columns; k++) {
      double *const column = tl_piece_column(c->free, c, piece, h, k);
      memset(column, 0, 6 * sizeof *column);
      if (c->unit[k - 1].link == piece->link) {
        link_answer(inverse, c->unit[k - 1].wrench, arm, column);
      }
    }
  }
}

/* The base gives way to nothing and accelerates against gravity. */
void tl_conquer_base(tl_conquest *c, tl_piece *piece) {
  const double *const g = c->mechanism->gravity;
  const double up[6] = {0, 0, 0, -g[0], -g[1], -g[2]};
  memset(c->plan->compliance + piece->first_compliance, 0,
         36 * (size_t)piece->handle_count * (size_t)piece->handle_count * sizeof(double));
  memset(tl_piece_column(c->free, c, piece, 0, 0), 0,
         6 * (size_t)piece->handle_count * (size_t)c->columns * sizeof(double));
  for (int32_t h = 0; h < piece->handle_count; h++) {
    memcpy(tl_piece_column(c->free, c, piece, h, 0), up, sizeof up);
  }
}
