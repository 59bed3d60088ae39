/* clip.h: contact points of two solids once the normal is known.
 *
 * If the normal belongs to a face, the other solid's nearest face, line or point is cut to what
 * lies over that face. Otherwise lines that run side by side give the two ends of their overlap,
 * and all else a single point. */
#ifndef TL_CLIP_H
#define TL_CLIP_H

#include "host/collide/gjk.h"

enum { TL_CLIP_MOST = 8 };

typedef struct tl_manifold {
  int count;
  double normal[3]; /* in a's frame, from a to b */
  double point[TL_CLIP_MOST][3];
  double gap[TL_CLIP_MOST]; /* between the solids without roundings */
  uint32_t feature[TL_CLIP_MOST];
} tl_manifold;

/* Points closer than `margin` along the axis, on a's surface. complete: the deepest point is wanted
 * even if nothing lies over the face. closest: nearest points where they are known, or NULL. */
void tl_clip_manifold(const tl_axis_search *search, const tl_separating_axis *axis, double margin,
                      int complete, const tl_closest *closest, tl_manifold *manifold);

/* The part of it for axes that belong to no face; adds to the manifold. */
void tl_clip_lines(const tl_axis_search *search, const tl_separating_axis *axis, double margin,
                   const tl_closest *closest, tl_manifold *manifold);

#endif
