/* render_tree.c: builds the tree of boxes: split where the surface areas of the halves, weighted
 * by what they hold, are least, tried at the borders of a few bins. */
#include "host/view/render_tree.h"

#include <float.h>
#include <string.h>

enum { BINS = 12, LEAF = 3, DEEP = 48 /* from here on by halves, so that the stack suffices */ };

typedef struct task {
  int32_t first, count, depth;
  int32_t parent; /* whose second child this becomes, or -1 */
} task;

typedef struct builder {
  const tl_tree_box *box;
  tl_tree *tree;
} builder;

static void box_clear(tl_tree_box *box) {
  for (int i = 0; i < 3; i++) {
    box->low[i] = FLT_MAX;
    box->high[i] = -FLT_MAX;
  }
}

static void box_add(tl_tree_box *box, const tl_tree_box *more) {
  for (int i = 0; i < 3; i++) {
    box->low[i] = more->low[i] < box->low[i] ? more->low[i] : box->low[i];
    box->high[i] = more->high[i] > box->high[i] ? more->high[i] : box->high[i];
  }
}

static float box_area(const tl_tree_box *box) {
  const float x = box->high[0] - box->low[0], y = box->high[1] - box->low[1],
              z = box->high[2] - box->low[2];
  return x < 0.0f ? 0.0f : x * y + y * z + z * x;
}

static float middle(const tl_tree_box *box, int axis) {
  return 0.5f * (box->low[axis] + box->high[axis]);
}

typedef struct split {
  int axis;
  float low, scale; /* bin = (middle - low) * scale */
  int bin;          /* the first of the second half */
  float cost;
} split;

static int bin_of(const split *s, const tl_tree_box *box) {
  const int bin = (int)((middle(box, s->axis) - s->low) * s->scale);
  return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

static void try_axis(const builder *b, const task *t, int axis, float low, float high,
                     split *best) {
  tl_tree_box box[BINS], right[BINS];
  int32_t count[BINS] = {0};
  split s = {axis, low, (float)BINS / (high - low), 0, 0.0f};
  for (int k = 0; k < BINS; k++) {
    box_clear(&box[k]);
  }
  for (int32_t k = t->first; k < t->first + t->count; k++) {
    const tl_tree_box *item = &b->box[b->tree->order[k]];
    const int bin = bin_of(&s, item);
    count[bin]++;
    box_add(&box[bin], item);
  }
  right[BINS - 1] = box[BINS - 1];
  for (int k = BINS - 2; k > 0; k--) {
    right[k] = box[k];
    box_add(&right[k], &right[k + 1]);
  }
  tl_tree_box left = box[0];
  int32_t before = count[0];
  for (int k = 1; k < BINS; k++) {
    s.cost = box_area(&left) * (float)before + box_area(&right[k]) * (float)(t->count - before);
    if (before > 0 && before < t->count && s.cost < best->cost) {
      s.bin = k;
      *best = s;
    }
    box_add(&left, &box[k]);
    before += count[k];
  }
}

/* Puts the items of the first half in front; how many they are. */
static int32_t divide(const builder *b, const task *t) {
  tl_tree_box middles;
  split best = {0, 0.0f, 0.0f, 0, FLT_MAX};
  int32_t *order = b->tree->order;
  box_clear(&middles);
  for (int32_t k = t->first; k < t->first + t->count; k++) {
    const tl_tree_box *item = &b->box[order[k]];
    for (int i = 0; i < 3; i++) {
      const float at = middle(item, i);
      middles.low[i] = at < middles.low[i] ? at : middles.low[i];
      middles.high[i] = at > middles.high[i] ? at : middles.high[i];
    }
  }
  for (int i = 0; t->depth < DEEP && i < 3; i++) {
    if (middles.high[i] > middles.low[i]) {
      try_axis(b, t, i, middles.low[i], middles.high[i], &best);
    }
  }
  if (best.cost == FLT_MAX) {
    return t->count / 2;
  }
  int32_t front = t->first, back = t->first + t->count - 1;
  while (front <= back) {
    const int32_t item = order[front];
    if (bin_of(&best, &b->box[item]) < best.bin) {
      front++;
    } else {
      order[front] = order[back];
      order[back--] = item;
    }
  }
  return front - t->first;
}

static void build(const builder *b) {
  tl_tree *tree = b->tree;
  task stack[TL_TREE_STACK];
  int depth = 0;
  stack[depth++] = (task){0, tree->item_count, 0, -1};
  while (depth > 0) {
    const task t = stack[--depth];
    const int32_t index = tree->node_count++;
    tl_tree_node *node = &tree->node[index];
    tl_tree_box box;
    box_clear(&box);
    for (int32_t k = t.first; k < t.first + t.count; k++) {
      box_add(&box, &b->box[tree->order[k]]);
    }
    memcpy(node->low, box.low, sizeof box.low);
    memcpy(node->high, box.high, sizeof box.high);
    if (t.parent >= 0) {
      tree->node[t.parent].link = index;
    }
    node->link = t.first;
    node->count = t.count <= LEAF ? t.count : 0;
    if (node->count == 0) {
      const int32_t half = divide(b, &t);
      stack[depth++] = (task){t.first + half, t.count - half, t.depth + 1, index};
      stack[depth++] = (task){t.first, half, t.depth + 1, -1};
    }
  }
}

talus_status tl_tree_build(talus_context *context, const tl_tree_box *box, int32_t count,
                           tl_tree *tree) {
  void *memory;
  memset(tree, 0, sizeof *tree);
  if (count == 0) {
    return TALUS_OK;
  }
  TL_TRY(tl_alloc(context, &memory, (size_t)count, sizeof *tree->order, "tree of a picture"));
  tree->order = memory;
  TL_TRY(tl_alloc(context, &memory, 2 * (size_t)count, sizeof *tree->node, "tree of a picture"));
  tree->node = memory;
  tree->item_count = count;
  for (int32_t k = 0; k < count; k++) {
    tree->order[k] = k;
  }
  const builder b = {box, tree};
  build(&b);
  return TALUS_OK;
}

void tl_tree_refit(const tl_tree *tree, const tl_tree_box *box, tl_tree_box *wide) {
  for (int32_t n = tree->node_count - 1; n >= 0; n--) {
    const tl_tree_node *node = &tree->node[n];
    box_clear(&wide[n]);
    for (int32_t k = 0; k < node->count; k++) {
      box_add(&wide[n], &box[tree->order[node->link + k]]);
    }
    if (node->count == 0) {
      box_add(&wide[n], &wide[n + 1]);
      box_add(&wide[n], &wide[node->link]);
    }
  }
}

void tl_tree_release(talus_context *context, tl_tree *tree) {
  tl_free(context, tree->node);
  tl_free(context, tree->order);
  memset(tree, 0, sizeof *tree);
}
