/* match.h: the contact points of one pair of shapes, matched to those of the step before: the rule
 * of host/collide/match.c, for one pair, without sorting. */
#ifndef TL_ITEM_MATCH_H
#define TL_ITEM_MATCH_H

#include "kernels/item/real.h"

/* The open point that comes first by feature, then by index, or -1. */
TL_ITEM_LARGE int32_t tl_match_first_open(const uint32_t *feature, const int32_t *mate,
                                          int32_t count) {
  int32_t first = -1;
  for (int32_t i = 0; i < count; i++) {
    if (mate[i] < 0 && (first < 0 || feature[i] < feature[first])) {
      first = i;
    }
  }
  return first;
}

/* now_mate, old_mate: each point's place among the others, or -1. Equal features find each other in
 * order; what is left, in order of features, if as many are left on either side. */
TL_ITEM_LARGE void tl_match_pair(const uint32_t *now, int32_t now_count, const uint32_t *old,
                                 int32_t old_count, int32_t *now_mate, int32_t *old_mate) {
  int32_t equal = 0;
  for (int32_t j = 0; j < old_count; j++) {
    old_mate[j] = -1;
  }
  for (int32_t i = 0; i < now_count; i++) {
    int32_t j = 0;
    while (j < old_count && (old_mate[j] >= 0 || old[j] != now[i])) {
      j++;
    }
    now_mate[i] = j < old_count ? j : -1;
    if (j < old_count) {
      old_mate[j] = i;
      equal++;
    }
  }
  for (int32_t left = now_count == old_count ? now_count - equal : 0; left > 0; left--) {
    const int32_t i = tl_match_first_open(now, now_mate, now_count);
    const int32_t j = tl_match_first_open(old, old_mate, old_count);
    now_mate[i] = j;
    old_mate[j] = i;
  }
}

#endif
