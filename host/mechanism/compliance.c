/* compliance.c: J M^-1 J^T between links by recursion, O(links) + O(count^2), without M.
 *
 * With T_i = (1 - S D^-1 U^T) X^T, the motion that a link takes over from its parent (articulated
 * bodies), and L(i, j) the motion of link i for a unit wrench on link j, both 6 x 6:
 *   L(i, i) = S D^-1 S^T + T_i L(p, p) T_i^T
 *   L(i, j) = T_i L(p, j)                     if j is not behind i
 * (operational-space inertia of Mylapilli and Jain; theirs is written with spatial operators). The
 * first goes once along the tree. The second is needed between the asked links only: the tree is
 * contracted to them and to the links where their ways to the base meet, T multiplied along. */
#include "host/mechanism/mechanism.h"

typedef struct contraction {
  int32_t *node;   /* [link_count] number among the kept links, or -1 */
  int32_t *behind; /* [link_count] scratch */
  int32_t *kept;   /* [kept_count] links, parents first */
  int32_t *above;  /* [kept_count] node above, or -1 */
  int32_t kept_count;
  double *own;   /* [36 link_count] L(i, i) */
  double *way;   /* [36 link_count] T from the nearest kept link above */
  double *block; /* [36 kept_count^2] */
} contraction;

/* T_i of one joint. */
static void take_over(const talus_mechanism *mechanism, int32_t i, double *t) {
  const tl_link *const link = &mechanism->link[i];
  const double *const axis = tl_axis_of(mechanism, link), *const r = mechanism->state[i].arm;
  const double *const effect = mechanism->effect + 6 * link->first_v;
  const double *const pivot = mechanism->pivot + link->first_d;
  const int n = link->v_count;
  memset(t, 0, 36 * sizeof *t);
  for (int k = 0; k < 6; k++) {
    t[7 * k] = 1;
  }
  for (int k = 0; k < n; k++) {
    double row[6] = {0, 0, 0, 0, 0, 0};
    for (int j = 0; j < n; j++) {
      tl_add6(row, pivot[k * n + j], effect + 6 * j);
    }
    for (int c = 0; c < 6; c++) {
      tl_add6(t + 6 * c, -axis[6 * k + c], row);
    }
  }
  for (int c = 0; c < 6; c++) { /* times X^T: (w, v + w x r) */
    tl_add_cross3(t + 6 * c, r, t + 6 * c + 3);
  }
}

/* L(i, i) from the parent's. */
static void own_block(const talus_mechanism *mechanism, int32_t i, const double *t,
                      const double *above, double *own) {
  const tl_link *const link = &mechanism->link[i];
  const double *const axis = tl_axis_of(mechanism, link);
  const double *const pivot = mechanism->pivot + link->first_d;
  const int n = link->v_count;
  if (above != NULL) {
    double half[36];
    tl_product6(half, t, above, 0);
    tl_product6_transposed(own, half, t);
  } else {
    memset(own, 0, 36 * sizeof *own);
  }
  for (int k = 0; k < n; k++) {
    double row[6] = {0, 0, 0, 0, 0, 0};
    for (int j = 0; j < n; j++) {
      tl_add6(row, pivot[k * n + j], axis + 6 * j);
    }
    for (int c = 0; c < 6; c++) {
      tl_add6(own + 6 * c, axis[6 * k + c], row);
    }
  }
}

/* Keeps the asked links and those at which two ways from them to the base meet. */
static void contract(const talus_mechanism *mechanism, const int32_t *link, int32_t count,
                     contraction *c) {
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    c->node[i] = -1;
    c->behind[i] = 0;
  }
  for (int32_t i = 0; i < count; i++) {
    c->node[link[i]] = 0;
  }
  for (int32_t k = mechanism->link_count - 1; k >= 0; k--) { /* branches with something asked */
    const int32_t i = mechanism->order[k], parent = mechanism->link[i].parent;
    if (c->behind[i] > 1) {
      c->node[i] = 0;
    }
    if ((c->node[i] == 0 || c->behind[i] > 0) && parent >= 0) {
      c->behind[parent]++;
    }
  }
  c->kept_count = 0;
  for (int32_t k = 0; k < mechanism->link_count; k++) {
    const int32_t i = mechanism->order[k];
    if (c->node[i] == 0) {
      c->node[i] = c->kept_count;
      c->kept[c->kept_count++] = i;
    }
  }
}

/* Along the tree: own blocks, and ways from the nearest kept link. `behind` then holds that link's
 * node. Links with nothing asked behind them are passed over. */
static void along_tree(const talus_mechanism *mechanism, contraction *c) {
  for (int32_t k = 0; k < mechanism->link_count; k++) {
    const int32_t i = mechanism->order[k], parent = mechanism->link[i].parent;
    double *const way = c->way + 36 * (size_t)i;
    double t[36];
    if (c->node[i] < 0 && c->behind[i] == 0) {
      continue;
    }
    take_over(mechanism, i, t);
    own_block(mechanism, i, t, parent >= 0 ? c->own + 36 * (size_t)parent : NULL,
              c->own + 36 * (size_t)i);
    const int32_t above = parent < 0             ? -1
                          : c->node[parent] >= 0 ? c->node[parent]
                                                 : c->behind[parent];
    if (parent >= 0 && c->node[parent] < 0) {
      tl_product6(way, t, c->way + 36 * (size_t)parent, 0);
    } else {
      memcpy(way, t, sizeof t);
    }
    c->behind[i] = above;
    if (c->node[i] >= 0) {
      c->above[c->node[i]] = above;
    }
  }
}

static void blocks_fill(contraction *c) {
  const size_t n = (size_t)c->kept_count;
  for (size_t i = 0; i < n; i++) {
    const double *const way = c->way + 36 * (size_t)c->kept[i];
    memcpy(c->block + 36 * (n * i + i), c->own + 36 * (size_t)c->kept[i], 36 * sizeof(double));
    for (size_t j = 0; j < i; j++) {
      double *const block = c->block + 36 * (n * i + j);
      if (c->above[i] >= 0) {
        tl_product6(block, way, c->block + 36 * (n * (size_t)c->above[i] + j), 0);
      } else {
        memset(block, 0, 36 * sizeof *block);
      }
      tl_transpose6(c->block + 36 * (n * j + i), block);
    }
  }
}

talus_status tl_mechanism_compliance(talus_mechanism *mechanism, const int32_t *link, int32_t count,
                                     double *block) {
  TL_TRY(tl_mechanism_factor(mechanism));
  const size_t links = (size_t)mechanism->link_count;
  /* of branches that meet there are fewer than branches */
  const size_t kept = 2 * (size_t)count < links ? 2 * (size_t)count : links;
  const size_t integers = (2 * links + 2 * kept + 1) / 2;
  TL_TRY(tl_buffer_reserve(mechanism->context, &mechanism->scratch,
                           integers + 72 * links + 36 * kept * kept, sizeof(double),
                           "the compliance of a mechanism"));
  double *const memory = mechanism->scratch.memory;
  contraction c;
  c.node = (int32_t *)memory;
  c.behind = c.node + links;
  c.kept = c.behind + links;
  c.above = c.kept + kept;
  c.own = memory + integers;
  c.way = c.own + 36 * links;
  c.block = c.way + 36 * links;
  contract(mechanism, link, count, &c);
  along_tree(mechanism, &c);
  blocks_fill(&c);
  for (int32_t i = 0; i < count; i++) {
    for (int32_t j = 0; j < count; j++) {
      const size_t at = (size_t)c.kept_count * (size_t)c.node[link[i]] + (size_t)c.node[link[j]];
      memcpy(block + 36 * ((size_t)count * (size_t)i + (size_t)j), c.block + 36 * at,
             36 * sizeof *block);
    }
  }
  return TALUS_OK;
}
