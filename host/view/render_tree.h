/* render_tree.h: a tree of boxes for rays, in single precision.
 *
 * Nodes stand in depth-first order: the first child of a node follows it, the second is named. */
#ifndef TL_RENDER_TREE_H
#define TL_RENDER_TREE_H

#include "host/base/base.h"

typedef struct tl_tree_box {
  float low[3], high[3];
} tl_tree_box;

typedef struct tl_tree_node {
  float low[3];
  int32_t link; /* leaf: first item; else: the second child */
  float high[3];
  int32_t count; /* items of a leaf; 0: not a leaf */
} tl_tree_node;

enum { TL_TREE_STACK = 96 };

typedef struct tl_tree {
  int32_t node_count, item_count;
  tl_tree_node *node;
  int32_t *order; /* leaves hold the items order[first ..] */
} tl_tree;

/* Status: OUT_OF_MEMORY. tl_tree_release is due in every case. */
talus_status tl_tree_build(talus_context *context, const tl_tree_box *box, int32_t count,
                           tl_tree *tree);
/* Boxes of the nodes for other boxes of the items: wide [node_count]. */
void tl_tree_refit(const tl_tree *tree, const tl_tree_box *box, tl_tree_box *wide);
void tl_tree_release(talus_context *context, tl_tree *tree);

typedef struct tl_ray {
  float origin[3], direction[3], inverse[3];
} tl_ray;

static inline tl_ray tl_ray_make(const float origin[3], const float direction[3]) {
  tl_ray ray;
  for (int i = 0; i < 3; i++) {
    const float d = direction[i];
    ray.origin[i] = origin[i];
    ray.direction[i] = d;
    ray.inverse[i] = 1.0f / (d > 1e-12f || d < -1e-12f ? d : d < 0.0f ? -1e-12f : 1e-12f);
  }
  return ray;
}

/* Where the ray enters the box, or a number > far if it does not before far. */
static inline float tl_ray_box(const tl_ray *ray, const float low[3], const float high[3],
                               float far) {
  float near = 0.0f, out = far;
  for (int i = 0; i < 3; i++) {
    const float a = (low[i] - ray->origin[i]) * ray->inverse[i];
    const float b = (high[i] - ray->origin[i]) * ray->inverse[i];
    const float first = a < b ? a : b, last = a < b ? b : a;
    near = first > near ? first : near;
    out = last < out ? last : out;
  }
  return near <= out * 1.0000005f ? near : 3e38f;
}

#endif
