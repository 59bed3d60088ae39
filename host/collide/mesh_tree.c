/* mesh_tree.c: a tree of boxes over the triangles of a mesh, and the walk through it.
 *
 * Built once, by halving along the longest extent of the triangles' middles; sorted by middle, then
 * by number, so that the tree is the same everywhere. The walk needs no stack: each node knows
 * where to go on when its box is missed. */
#include "host/collide/mesh.h"

#include <stdlib.h>
#include <string.h>

#include "host/collide/collide.h"
#include "host/math/vector.h"

enum { LEAF = 4 };

typedef struct tree_item {
  double middle[3];
  double key;
  int32_t triangle;
} tree_item;

static int compare_items(const void *left, const void *right) {
  const tree_item *const p = left, *const q = right;
  if (p->key != q->key) {
    return p->key < q->key ? -1 : 1;
  }
  return p->triangle < q->triangle ? -1 : p->triangle > q->triangle;
}

static tl_box empty_box(void) {
  tl_box box;
  tl_set3(box.lower, INFINITY, INFINITY, INFINITY);
  tl_set3(box.upper, -INFINITY, -INFINITY, -INFINITY);
  return box;
}

static void box_add(tl_box *box, const double point[3]) {
  for (int i = 0; i < 3; i++) {
    box->lower[i] = fmin(box->lower[i], point[i]);
    box->upper[i] = fmax(box->upper[i], point[i]);
  }
}

static tl_box box_of(const tl_mesh *mesh, const tree_item *item, int32_t first, int32_t end) {
  tl_box box = empty_box();
  for (int32_t k = first; k < end; k++) {
    for (int i = 0; i < 3; i++) {
      box_add(&box, mesh->point + 3 * mesh->triangle[3 * item[k].triangle + i]);
    }
  }
  return box;
}

static void sort_along_longest(tree_item *item, int32_t first, int32_t end) {
  tl_box middles = empty_box();
  for (int32_t k = first; k < end; k++) {
    box_add(&middles, item[k].middle);
  }
  int axis = 0;
  for (int i = 1; i < 3; i++) {
    if (middles.upper[i] - middles.lower[i] > middles.upper[axis] - middles.lower[axis]) {
      axis = i;
    }
  }
  for (int32_t k = first; k < end; k++) {
    item[k].key = item[k].middle[axis];
  }
  qsort(item + first, (size_t)(end - first), sizeof *item, compare_items);
}

/* Returns the number of nodes below and including this one, which is written at `node`. Depth is
 * the logarithm of the number of triangles. */
static int32_t split(tl_mesh *mesh, tree_item *item, int32_t first, int32_t end, int32_t at) {
  tl_mesh_node *const node = &mesh->node[at];
  node->box = box_of(mesh, item, first, end);
  node->first = first;
  node->count = end - first <= LEAF ? end - first : 0;
  int32_t size = 1;
  if (node->count == 0) {
    sort_along_longest(item, first, end);
    const int32_t half = first + (end - first) / 2;
    size += split(mesh, item, first, half, at + size);
    size += split(mesh, item, half, end, at + size);
  }
  node->skip = at + size;
  return size;
}

talus_status tl_mesh_tree(talus_context *context, tl_mesh *mesh) {
  void *memory;
  const int32_t count = mesh->triangle_count;
  /* leaves hold at least two triangles, but for a mesh of one */
  TL_TRY(tl_alloc(context, &memory, (size_t)count + 1, sizeof(tl_mesh_node), "tree of a mesh"));
  mesh->node = memory;
  TL_TRY(tl_alloc(context, &memory, (size_t)count, sizeof(int32_t), "tree of a mesh"));
  mesh->order = memory;
  TL_TRY(tl_alloc(context, &memory, (size_t)count, sizeof(tree_item), "tree of a mesh"));
  tree_item *const item = memory;
  for (int32_t k = 0; k < count; k++) {
    const int32_t *const t = mesh->triangle + 3 * k;
    for (int i = 0; i < 3; i++) {
      item[k].middle[i] =
          (mesh->point[3 * t[0] + i] + mesh->point[3 * t[1] + i] + mesh->point[3 * t[2] + i]) / 3;
    }
    item[k].triangle = k;
  }
  mesh->node_count = split(mesh, item, 0, count, 0);
  for (int32_t k = 0; k < count; k++) {
    mesh->order[k] = item[k].triangle;
  }
  tl_free(context, item);
  return TALUS_OK;
}
