/* spread.h: a few points that span what many points in a plane span.
 *
 * The point of smallest gap, then those that lie farthest in eight directions across the normal:
 * the corners of a rectangle are always among them. Ties go to the lower index, so that the choice
 * is reproducible. */
#ifndef TL_ITEM_SPREAD_H
#define TL_ITEM_SPREAD_H

#include "kernels/item/frame.h"

/* Eight directions across the normal. */
TL_ITEM_LARGE void tl_narrow_compass(const double normal[3], double direction[8][3]) {
  const double q = 0.70710678118654752440;
  const double turn[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {q, q}, {-q, -q}, {-q, q}, {q, -q}};
  double t1[3], t2[3];
  tl_frame3(normal, t1, t2);
  for (int k = 0; k < 8; k++) {
    for (int i = 0; i < 3; i++) {
      direction[k][i] = turn[k][0] * t1[i] + turn[k][1] * t2[i];
    }
  }
}

/* Marks at most `most` of the points to keep. Returns how many. */
TL_ITEM_LARGE int tl_narrow_spread(const double normal[3], const double (*point)[3],
                                   const double *gap, int count, int most, unsigned char *keep) {
  double direction[8][3];
  int deepest = 0, kept = 1;
  for (int k = 0; k < count; k++) {
    keep[k] = count <= most;
    if (gap[k] < gap[deepest]) {
      deepest = k;
    }
  }
  if (count <= most) {
    return count;
  }
  keep[deepest] = 1;
  tl_narrow_compass(normal, direction);
  for (int d = 0; d < 8 && kept < most; d++) {
    int best = 0;
    for (int k = 1; k < count; k++) {
      if (tl_dot3(direction[d], point[k]) > tl_dot3(direction[d], point[best])) {
        best = k;
      }
    }
    kept += !keep[best];
    keep[best] = 1;
  }
  return kept;
}

#endif
