/* colour.h: which constraint of two is coloured first.
 *
 * Greedy colours in the order of a hash of the bodies that a constraint joins are found by anybody
 * in any way with the same result: one constraint after the other on the host, or on a device all
 * at once that come first among their neighbours (Jones and Plassmann 1993), in some thirty rounds.
 * In the order of the bodies themselves the rounds would be hundreds. */
#ifndef TL_ITEM_COLOUR_H
#define TL_ITEM_COLOUR_H

#include "kernels/item/real.h"

/* Of the units low < high that a constraint joins; high is -1 where there is no second. Every bit
 * of the result depends on every bit of both. */
TL_ITEM uint32_t tl_pair_hash(int32_t low, int32_t high) {
  uint32_t hash = (uint32_t)low * 0x9E3779B1u + 0x7F4A7C15u;
  hash = (hash ^ (hash >> 15)) + (uint32_t)high * 0x85EBCA6Bu;
  hash = (hash ^ (hash >> 16)) * 0x7FEB352Du;
  hash = (hash ^ (hash >> 15)) * 0x846CA68Bu;
  return hash ^ (hash >> 16);
}

/* Of names of 64 bits; a small one stands for itself. */
TL_ITEM int32_t tl_name_fold(uint64_t name) {
  return (int32_t)((uint32_t)name ^ (uint32_t)(name >> 32) * 0x9E3779B1u);
}

/* The colours that the units of a constraint have had: 64 as bits, and how many beyond. */
typedef struct tl_palette {
  uint64_t used;
  int32_t beyond;
} tl_palette;

/* The first colour that is free. */
TL_ITEM int32_t tl_palette_first(tl_palette taken) {
  int32_t colour = 0;
  if (~taken.used == 0) {
    return 64 + taken.beyond;
  }
  while (taken.used >> colour & 1) {
    colour++;
  }
  return colour;
}

/* With that colour. */
TL_ITEM tl_palette tl_palette_add(tl_palette palette, int32_t colour) {
  if (colour < 64) {
    palette.used |= (uint64_t)1 << colour;
  } else {
    palette.beyond = colour - 63;
  }
  return palette;
}

/* Those of both. */
TL_ITEM tl_palette tl_palette_join(tl_palette a, tl_palette b) {
  a.used |= b.used;
  a.beyond = a.beyond > b.beyond ? a.beyond : b.beyond;
  return a;
}

#endif
