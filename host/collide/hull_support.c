/* hull_support.c: see hull_support.h. Points are sorted along a curve that fills space (Morton's);
 * nodes are the cells of that curve, halved until they hold a few points. */
#include "host/collide/hull_support.h"

#include <stdlib.h>
#include <string.h>

#include "host/math/vector.h"

enum { LEAF = 12, BITS = 20 };

typedef struct place_item {
  uint64_t code;
  int32_t point;
} place_item;

static int compare_places(const void *left, const void *right) {
  const place_item *const p = left, *const q = right;
  if (p->code != q->code) {
    return p->code < q->code ? -1 : 1;
  }
  return p->point < q->point ? -1 : p->point > q->point;
}

/* Bits of three coordinates in turn. */
static uint64_t place_code(const double x[3], const tl_box *box, const double scale[3]) {
  uint64_t code = 0;
  uint32_t cell[3];
  for (int i = 0; i < 3; i++) {
    cell[i] = (uint32_t)((x[i] - box->lower[i]) * scale[i]);
  }
  for (int bit = BITS; bit >= 0; bit--) {
    for (int i = 0; i < 3; i++) {
      code = code << 1 | (cell[i] >> bit & 1u);
    }
  }
  return code;
}

static void box_add(tl_box *box, const double x[3]) {
  for (int i = 0; i < 3; i++) {
    box->lower[i] = x[i] < box->lower[i] ? x[i] : box->lower[i];
    box->upper[i] = x[i] > box->upper[i] ? x[i] : box->upper[i];
  }
}

static void sort_points(const tl_support *s, place_item *item) {
  tl_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  double scale[3]; /* each axis by itself: needles and disks are cut as well as balls */
  for (int32_t k = 0; k < s->count; k++) {
    box_add(&box, s->point + 3 * (size_t)k);
  }
  for (int i = 0; i < 3; i++) {
    const double extent = box.upper[i] - box.lower[i];
    scale[i] = extent > 0 ? (1 << BITS) / extent : 0;
  }
  for (int32_t k = 0; k < s->count; k++) {
    item[k].code = place_code(s->point + 3 * (size_t)k, &box, scale);
    item[k].point = k;
  }
  qsort(item, (size_t)s->count, sizeof *item, compare_places);
  for (int32_t k = 0; k < s->count; k++) {
    for (int i = 0; i < 3; i++) {
      s->sorted[i][k] = s->point[3 * (size_t)item[k].point + i];
    }
  }
}

/* The first point of the second half of a cell: where the highest bit that differs becomes 1.
 * Points of one code are halved by number. */
static int32_t cut_cell(const place_item *item, int32_t first, int32_t end) {
  uint64_t differs = item[first].code ^ item[end - 1].code;
  if (differs == 0) {
    return first + (end - first) / 2;
  }
  while ((differs & (differs - 1)) != 0) {
    differs &= differs - 1;
  }
  int32_t low = first, high = end - 1; /* low has 0 there, high 1 */
  while (high - low > 1) {
    const int32_t middle = low + (high - low) / 2;
    if ((item[middle].code & differs) != 0) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high;
}

static void make_node(tl_support *s, const place_item *item, int32_t first, int32_t end) {
  tl_support_node *const node = &s->node[s->node_count++];
  node->first = first;
  node->end = end;
  node->box = (tl_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  if (end - first <= LEAF) {
    for (int32_t k = first; k < end; k++) {
      box_add(&node->box, s->point + 3 * (size_t)item[k].point);
    }
  } else {
    const int32_t cut = cut_cell(item, first, end);
    make_node(s, item, first, cut);
    const int32_t other = s->node_count;
    make_node(s, item, cut, end);
    node->box = node[1].box;
    box_add(&node->box, s->node[other].box.lower);
    box_add(&node->box, s->node[other].box.upper);
  }
  node->skip = s->node_count;
}

talus_status tl_support_begin(talus_context *context, tl_support *s, const double *point,
                              int32_t count) {
  void *memory;
  memset(s, 0, sizeof *s);
  s->point = point;
  s->count = count;
  if (count <= 4 * LEAF) { /* a loop is as fast */
    return TALUS_OK;
  }
  TL_TRY(tl_alloc(context, &memory, 3 * (size_t)count, sizeof(double), "hull"));
  for (int i = 0; i < 3; i++) {
    s->sorted[i] = (double *)memory + (size_t)i * (size_t)count;
  }
  TL_TRY(tl_alloc(context, &memory, 2 * (size_t)count, sizeof *s->node, "hull"));
  s->node = memory;
  TL_TRY(tl_alloc(context, &memory, (size_t)count, sizeof(place_item), "hull"));
  sort_points(s, memory);
  make_node(s, memory, 0, count);
  tl_free(context, memory);
  return TALUS_OK;
}

void tl_support_release(talus_context *context, tl_support *s) {
  tl_free(context, s->sorted[0]);
  tl_free(context, s->node);
  memset(s, 0, sizeof *s);
}

/* n . x at the box's farthest corner; upper: whether that is its upper end, per axis. */
static double box_reach(const tl_box *box, const double n[3], const int upper[3]) {
  const double *const end[2] = {box->lower, box->upper};
  const double corner[3] = {end[upper[0]][0], end[upper[1]][1], end[upper[2]][2]};
  return tl_dot3(n, corner);
}

static double leaf_reach(const tl_support *s, const tl_support_node *leaf, const double n[3],
                         double best) {
  for (int32_t k = leaf->first; k < leaf->end; k++) { /* summed as tl_dot3 does */
    const double here = n[0] * s->sorted[0][k] + n[1] * s->sorted[1][k] + n[2] * s->sorted[2][k];
    best = here > best ? here : best;
  }
  return best;
}

static double tree_reach(const tl_support *s, const double n[3], double best) {
  const int upper[3] = {n[0] > 0, n[1] > 0, n[2] > 0};
  for (int32_t k = 0; k < s->node_count;) {
    const tl_support_node *const node = &s->node[k];
    if (!(box_reach(&node->box, n, upper) > best)) {
      k = node->skip;
    } else {
      if (node->end - node->first <= LEAF) {
        best = leaf_reach(s, node, n, best);
      }
      k++;
    }
  }
  return best;
}

double tl_support_reach(const tl_support *s, const double n[3], double start) {
  if (s->node != NULL) {
    return tree_reach(s, n, start);
  }
  for (int32_t k = 0; k < s->count; k++) {
    const double here = tl_dot3(n, s->point + 3 * (size_t)k);
    start = here > start ? here : start;
  }
  return start;
}
