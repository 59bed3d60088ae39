/* mesh_walk.h: the leaves of a mesh's tree that a box meets. */
#ifndef TL_ITEM_MESH_WALK_H
#define TL_ITEM_MESH_WALK_H

#include "kernels/item/collide/geometry.h"

typedef struct tl_mesh_walk {
  const tl_mesh *mesh;
  tl_box box;
  int32_t node, leaf, position;
} tl_mesh_walk;

TL_ITEM tl_mesh_walk tl_mesh_walk_begin(const tl_mesh *mesh, const tl_box *box) {
  tl_mesh_walk walk;
  walk.mesh = mesh;
  walk.box = *box;
  walk.node = walk.position = 0;
  walk.leaf = -1;
  return walk;
}

TL_ITEM bool tl_boxes_overlap(const tl_box *a, const tl_box *b) {
  return a->lower[0] <= b->upper[0] && b->lower[0] <= a->upper[0] && a->lower[1] <= b->upper[1] &&
         b->lower[1] <= a->upper[1] && a->lower[2] <= b->upper[2] && b->lower[2] <= a->upper[2];
}

/* The next triangle, or -1. */
TL_ITEM_LARGE int32_t tl_mesh_next(tl_mesh_walk *walk) {
  const tl_mesh *const mesh = walk->mesh;
  for (;;) {
    if (walk->leaf >= 0) {
      const tl_mesh_node *const leaf = &mesh->node[walk->leaf];
      if (walk->position < leaf->count) {
        return mesh->order[leaf->first + walk->position++];
      }
      walk->leaf = -1;
    }
    if (walk->node >= mesh->node_count) {
      return -1;
    }
    const tl_mesh_node *const node = &mesh->node[walk->node];
    if (!tl_boxes_overlap(&walk->box, &node->box)) {
      walk->node = node->skip;
      continue;
    }
    if (node->count > 0) {
      walk->leaf = walk->node;
      walk->position = 0;
    }
    walk->node++;
  }
}

#endif
