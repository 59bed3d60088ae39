/* sum_tree.h: sums over the fixed tree that every backend uses.
 *
 * 256 leaves: eight groups of 32, each halved 16, 8, 4, 2, 1, then the eight sums halved 4, 2, 1 —
 * what a block of CUDA threads does with warp shuffles. Longer arrays: leaf t takes elements
 * t, t + 256, t + 512 ... in order. The rounding depends on nothing but the values. */
#ifndef TL_ITEM_SUM_TREE_H
#define TL_ITEM_SUM_TREE_H

#include <stdint.h>

/* Destroys leaf[0..255]. */
static inline double tl_sum_tree(double *leaf) {
  for (int stride = 16; stride > 0; stride /= 2) {
    for (int group = 0; group < 8; group++) {
      double *g = leaf + 32 * group;
      for (int i = 0; i < stride; i++) {
        g[i] += g[i + stride];
      }
    }
  }
  const double a = leaf[0] + leaf[128], b = leaf[32] + leaf[160];
  const double c = leaf[64] + leaf[192], d = leaf[96] + leaf[224];
  return (a + c) + (b + d);
}

/* The same of `count` leaves, the others being 0, which add nothing: small problems would spend
 * their time on them. Destroys the leaves. */
static inline double tl_sum_leaves(double *leaf, int32_t count) {
  if (count > 32) {
    for (int32_t i = count; i < 256; i++) {
      leaf[i] = 0;
    }
    return tl_sum_tree(leaf);
  }
  int32_t width = 1;
  leaf[0] = count > 0 ? leaf[0] : 0;
  while (width < count) {
    width *= 2;
  }
  for (int32_t i = count; i < width; i++) {
    leaf[i] = 0;
  }
  for (int32_t stride = width / 2; stride > 0; stride /= 2) {
    for (int32_t i = 0; i < stride; i++) {
      leaf[i] += leaf[i + stride];
    }
  }
  return leaf[0] + 0.0; /* as the tree, which has no -0 */
}

static inline double tl_sum_partials(const double *partial, int32_t count) {
  double leaf[256];
  const int32_t leaves = count < 256 ? count : 256;
  for (int t = 0; t < leaves; t++) {
    double sum = 0;
    for (int32_t i = t; i < count; i += 256) {
      sum += partial[i];
    }
    leaf[t] = sum;
  }
  return tl_sum_leaves(leaf, leaves);
}

#endif
