/* measure.h: packing fraction and stress, as means over a part of space.
 *
 * Either over the region of output.region, or over the convex space that the contacts between
 * grains and with what holds them reach: bounded by planes in many directions at the outermost
 * contacts that carry a force. Along x, y and z a hundredth of the contacts is left out on either
 * side, so that a few grains on top of a bed, or a pair that touches elsewhere, do not count as the
 * bed's end.
 *
 *   measure_space.c  the space      measure.c  what is in it */
#ifndef TL_SCENE_MEASURE_H
#define TL_SCENE_MEASURE_H

#include "host/scene/build.h"

enum { TL_SPACE_PLANES = 90 };

typedef struct tl_space {
  const tl_scene_region *region; /* NULL: bounded by planes */
  bool plane;                    /* in a plane world, one metre thick */
  int32_t count; /* of planes; of a plane world without the two that make it thick */
  double normal[TL_SPACE_PLANES][3], offset[TL_SPACE_PLANES]; /* normal . x <= offset inside */
  double volume;                                              /* m3; 0: there is none */
} tl_space;

/* Status: OUT_OF_MEMORY. */
talus_status tl_space_find(const talus_scene *scene, const talus_world *world, tl_space *space);
/* Whether it holds a ball; clearance below 0: whether it may meet one. */
bool tl_space_contains(const tl_space *space, const double point[3], double clearance);

/* The same as far as points of a ball are concerned: without the planes that do not reach it. */
void tl_space_near(const tl_space *space, const double point[3], double radius, tl_space *near);

typedef struct tl_measured {
  double packing_fraction; /* solid volume of free bodies over volume; 0 where there is no volume */
  double stress[6];        /* Pa, positive in compression: xx yy zz xy xz yz */
} tl_measured;
talus_status tl_measure(const talus_scene *scene, const talus_world *world, tl_measured *measured);

#endif
