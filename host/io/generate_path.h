/* generate_path.h: the pieces of way that a rolling sphere takes; between generate_packing.c and
 * generate_path.c only. */
#ifndef TL_GENERATE_PATH_H
#define TL_GENERATE_PATH_H

#include "host/io/generate.h"

/* In mean radii: surfaces nearer than this touch; a path may press this deep into what touched
 * already at its start; slopes below this count as level. */
#define TL_TOUCH 1e-10
#define TL_PRESS 1e-11
#define TL_SLOPE_TOLERANCE 1e-11

enum { TL_SUPPORT_MAX = 32, TL_NOBODY = INT32_MIN };

/* A surface in touch: a sphere's index or a wall's id, and its unit normal towards the mover. */
typedef struct tl_support {
  int32_t id;
  double normal[3];
} tl_support;

/* Falls from p straight down to the first sphere or the floor. p[2] may be infinite. */
void tl_path_fall(const tl_packing *packing, double radius, double p[3]);

/* Rolls from p along `direction` on one surface (second = TL_NOBODY) or two, until something is in
 * the way or a carrier is left. Returns 0 if there is no such path; p then stays. */
bool tl_path_roll(const tl_packing *packing, double radius, int32_t first, int32_t second,
                  const double direction[3], double p[3]);

/* Runs over the spheres j of all cells that meet the box low .. high. */
typedef struct tl_cell_walk {
  int32_t first[3], last[3], at[3], sphere;
} tl_cell_walk;

static inline void tl_walk_settle(const tl_packing *packing, tl_cell_walk *walk) {
  while (walk->sphere < 0 && walk->at[2] <= walk->last[2]) {
    const size_t row = (size_t)walk->at[2] * (size_t)packing->size[1] + (size_t)walk->at[1];
    walk->sphere = packing->head[row * (size_t)packing->size[0] + (size_t)walk->at[0]];
    if (++walk->at[0] > walk->last[0]) {
      walk->at[0] = walk->first[0];
      if (++walk->at[1] > walk->last[1]) {
        walk->at[1] = walk->first[1];
        walk->at[2]++;
      }
    }
  }
}

static inline tl_cell_walk tl_walk_begin(const tl_packing *packing, const double low[3],
                                         const double high[3]) {
  tl_cell_walk walk;
  tl_packing_cells(packing, low, high, walk.first, walk.last);
  for (int i = 0; i < 3; i++) {
    walk.at[i] = walk.first[i];
  }
  walk.sphere = -1;
  tl_walk_settle(packing, &walk);
  return walk;
}

static inline void tl_walk_next(const tl_packing *packing, tl_cell_walk *walk) {
  walk->sphere = packing->next[walk->sphere];
  tl_walk_settle(packing, walk);
}

#define TL_EACH_SPHERE(packing, low, high, j)                                     \
  for (tl_cell_walk walk_ = tl_walk_begin(packing, low, high); walk_.sphere >= 0; \
       tl_walk_next(packing, &walk_))                                             \
    for (int32_t j = walk_.sphere, once_ = 1; once_ != 0; once_ = 0)

#endif
