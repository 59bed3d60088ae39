/* conquer_plan.c: cuts a tree of links into halves, quarters, ...
 *
 * Each cut goes through the joint that leaves the most even sizes, among those that leave at most
 * three handles on either side (always possible on chains, where it gives a height of log2 n); if
 * there is none, the fewest handles win. A link with many children is cut child by child. */
#include "host/mechanism/conquer.h"

enum { HANDLES_LIKED = 3, CHUNKS = 16 };

/* Node 0 is the base, node i + 1 link i. */
typedef struct cutting {
  const talus_mechanism *mechanism;
  tl_conquer *plan;
  int32_t *node;  /* nodes of the pieces yet to be cut, each piece in one run, parents first */
  int32_t *size;  /* [nodes] inside its piece, of the branch that begins there */
  int32_t *cut;   /* [nodes] children cut off so far */
  int32_t *leads; /* [nodes] handles in the branch */
  int32_t *first, *count; /* [piece] run of nodes; pieces wait on a stack */
  int32_t *stack;
} cutting;

static int32_t parent_of(const cutting *c, int32_t node) {
  return c->mechanism->link[node - 1].parent + 1;
}

/* The node of the piece whose joint is to be cut. */
static int32_t cut_choose(cutting *c, int32_t first, int32_t count) {
  const int32_t *const node = c->node + first;
  for (int32_t k = 0; k < count; k++) {
    c->size[node[k]] = 1;
    c->leads[node[k]] = c->cut[node[k]];
  }
  for (int32_t k = count - 1; k > 0; k--) {
    const int32_t parent = parent_of(c, node[k]);
    c->size[parent] += c->size[node[k]];
    c->leads[parent] += c->leads[node[k]];
  }
  const int32_t total = c->leads[node[0]] + (node[0] > 0);
  int64_t best_cost = INT64_MAX;
  int32_t best = 1;
  for (int32_t k = 1; k < count; k++) {
    const int32_t size = c->size[node[k]], inner = c->leads[node[k]] + 1;
    const int32_t outer = total - c->leads[node[k]] + 1;
    const int32_t handles = inner > outer ? inner : outer;
    const int64_t larger = size > count - size ? size : count - size;
    const int64_t over = handles > HANDLES_LIKED ? handles - HANDLES_LIKED : 0;
    const int64_t cost = over * (int64_t)count + larger;
    if (cost < best_cost) {
      best_cost = cost;
      best = k;
    }
  }
  return best;
}

static int32_t piece_new(cutting *c, int32_t first, int32_t count) {
  tl_conquer *const plan = c->plan;
  tl_piece *const piece = &plan->piece[plan->pieces.piece_count];
  memset(piece, 0, sizeof *piece);
  piece->joint = -1;
  c->first[plan->pieces.piece_count] = first;
  c->count[plan->pieces.piece_count] = count;
  return plan->pieces.piece_count++;
}

/* Moves the branch that begins at place k of a run behind the rest of it. */
static void branch_last(cutting *c, int32_t first, int32_t count, int32_t k, int32_t size) {
  int32_t *const node = c->node + first, *const spare = c->leads; /* free again */
  memcpy(spare, node + k, (size_t)size * sizeof *spare);
  memmove(node + k, node + k + size, (size_t)(count - k - size) * sizeof *node);
  memcpy(node + count - size, spare, (size_t)size * sizeof *spare);
}

/* Pieces come off a stack, so that each is followed by all that belongs to it. */
static void pieces_cut(cutting *c, int32_t nodes) {
  tl_conquer *const plan = c->plan;
  int32_t waiting = 0; /* triples: run, and whose part it is: twice the piece, plus the side */
  int32_t run[3] = {0, nodes, -1};
  for (;;) {
    const int32_t index = piece_new(c, run[0], run[1]);
    tl_piece *const piece = &plan->piece[index];
    if (run[2] >= 0) {
      plan->piece[run[2] / 2].part[run[2] % 2] = index;
    }
    if (run[1] == 1) {
      piece->link = c->node[run[0]] - 1;
      plan->leaf[piece->link + 1] = index;
      if (waiting == 0) {
        return;
      }
      waiting -= 3;
      memcpy(run, c->stack + waiting, sizeof run);
      continue;
    }
    const int32_t k = cut_choose(c, run[0], run[1]), top = c->node[run[0] + k];
    const int32_t size = c->size[top];
    piece->joint = top - 1;
    c->cut[parent_of(c, top)]++;
    branch_last(c, run[0], run[1], k, size);
    const int32_t behind[3] = {run[0] + run[1] - size, size, 2 * index + 1};
    memcpy(c->stack + waiting, behind, sizeof behind);
    waiting += 3;
    run[1] -= size;
    run[2] = 2 * index;
  }
}

/* From the last piece to the first, parts before what they make. */
static void handles_count(const talus_mechanism *mechanism, tl_conquer *plan, int32_t *children) {
  memset(children, 0, (size_t)(mechanism->link_count + 1) * sizeof *children);
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    children[mechanism->link[i].parent + 1]++;
  }
  for (int32_t p = plan->pieces.piece_count - 1; p >= 0; p--) {
    tl_piece *const piece = &plan->piece[p];
    if (piece->joint >= 0) {
      const tl_piece *const a = &plan->piece[piece->part[0]], *const b =
                                                                  &plan->piece[piece->part[1]];
      piece->handle_count = a->handle_count + b->handle_count - 2;
      piece->span = 1 + a->span + b->span;
      piece->height = 1 + (a->height > b->height ? a->height : b->height);
    } else {
      piece->handle_count = children[piece->link + 1] + (piece->link >= 0);
      piece->span = 1;
    }
    piece->first_handle = plan->pieces.handle_total;
    piece->first_compliance = plan->pieces.compliance_total;
    plan->pieces.handle_total += piece->handle_count;
    plan->pieces.compliance_total += 36 * (int64_t)piece->handle_count * piece->handle_count;
  }
}

static void handles_name(const talus_mechanism *mechanism, tl_conquer *plan, int32_t *filled) {
  memset(filled, 0, (size_t)(mechanism->link_count + 1) * sizeof *filled);
  for (int32_t i = 0; i < mechanism->link_count;
       i++) { /* the own joint first, then the children's */
    plan->handle[plan->piece[plan->leaf[i + 1]].first_handle] = i;
    filled[i + 1] = 1;
  }
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    const int32_t node = mechanism->link[i].parent + 1;
    plan->handle[plan->piece[plan->leaf[node]].first_handle + filled[node]++] = i;
  }
  for (int32_t p = plan->pieces.piece_count - 1; p >= 0; p--) {
    tl_piece *const piece = &plan->piece[p];
    int32_t *handle = plan->handle + piece->first_handle;
    for (int side = 0; piece->joint >= 0 && side < 2; side++) {
      const tl_piece *const part = &plan->piece[piece->part[side]];
      for (int32_t h = 0; h < part->handle_count; h++) {
        const int32_t joint = plan->handle[part->first_handle + h];
        if (joint == piece->joint) {
          piece->place[side] = h;
        } else {
          *handle++ = joint;
        }
      }
    }
  }
}

/* Pieces by height, of which the first has the most; within a height in the order of cutting. */
static void levels_make(tl_conquer *plan) {
  tl_pieces *const pieces = &plan->pieces;
  pieces->level_count = plan->piece[0].height + 1;
  memset(plan->level, 0, ((size_t)pieces->level_count + 1) * sizeof *plan->level);
  for (int32_t p = 0; p < pieces->piece_count; p++) {
    plan->level[plan->piece[p].height + 1]++;
  }
  for (int32_t l = 0; l < pieces->level_count; l++) {
    plan->level[l + 1] += plan->level[l];
  }
  for (int32_t p = 0; p < pieces->piece_count; p++) { /* beginnings move on to the next ones */
    plan->rank[plan->level[plan->piece[p].height]++] = p;
  }
  memmove(plan->level + 1, plan->level, (size_t)pieces->level_count * sizeof *plan->level);
  plan->level[0] = 0;
}

static void pieces_show(const talus_mechanism *mechanism, tl_conquer *plan) {
  tl_pieces *const pieces = &plan->pieces;
  pieces->link_count = mechanism->link_count;
  pieces->v_count = mechanism->v_count;
  pieces->d_count = mechanism->d_count;
  pieces->piece = plan->piece;
  pieces->handle = plan->handle;
  pieces->leaf = plan->leaf;
  pieces->rank = plan->rank;
  pieces->level = plan->level;
  pieces->joint = plan->joint;
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    const tl_link *const link = &mechanism->link[i];
    plan->joint[i] = (tl_piece_joint){link->first_v, link->v_count, link->first_d};
  }
}

/* The largest runs that are small enough to be shared out. */
static void chunks_find(tl_conquer *plan) {
  const int32_t small = plan->pieces.piece_count / CHUNKS + 1;
  plan->chunk_count = 0;
  for (int32_t p = 0; p < plan->pieces.piece_count;) {
    if (plan->piece[p].span <= small) {
      plan->chunk[plan->chunk_count++] = p;
      p += plan->piece[p].span;
    } else {
      p++;
    }
  }
}

static talus_status plan_make(talus_mechanism *mechanism, tl_conquer *plan, int32_t *scratch) {
  talus_context *const context = mechanism->context;
  const int32_t nodes = mechanism->link_count + 1;
  cutting c = {.mechanism = mechanism, .plan = plan};
  c.node = scratch;
  c.size = c.node + nodes;
  c.cut = c.size + nodes;
  c.leads = c.cut + nodes;
  c.first = c.leads + nodes;
  c.count = c.first + 2 * nodes;
  c.stack = c.count + 2 * nodes;
  for (int32_t i = 0; i < nodes; i++) {
    c.cut[i] = 0;
    c.node[i] = i > 0 ? mechanism->order[i - 1] + 1 : 0;
  }
  pieces_cut(&c, nodes);
  handles_count(mechanism, plan, scratch);
  TL_TRY(tl_alloc(context, (void **)&plan->handle, (size_t)plan->pieces.handle_total,
                  sizeof(int32_t), "handles"));
  handles_name(mechanism, plan, scratch);
  chunks_find(plan);
  levels_make(plan);
  pieces_show(mechanism, plan);
  return TALUS_OK;
}

static talus_status plan_alloc(talus_mechanism *mechanism, tl_conquer *plan) {
  talus_context *const context = mechanism->context;
  const size_t nodes = (size_t)mechanism->link_count + 1;
  TL_TRY(tl_alloc(context, (void **)&plan->piece, 2 * nodes, sizeof *plan->piece, "pieces"));
  TL_TRY(tl_alloc(context, (void **)&plan->leaf, nodes, sizeof *plan->leaf, "pieces"));
  TL_TRY(tl_alloc(context, (void **)&plan->rank, 2 * nodes, sizeof *plan->rank, "pieces"));
  TL_TRY(tl_alloc(context, (void **)&plan->level, 2 * nodes, sizeof *plan->level, "pieces"));
  TL_TRY(tl_alloc(context, (void **)&plan->joint, nodes, sizeof *plan->joint, "pieces"));
  return tl_alloc(context, (void **)&plan->chunk, 2 * nodes, sizeof *plan->chunk, "pieces");
}

talus_status tl_conquer_plan(talus_mechanism *mechanism) {
  talus_context *const context = mechanism->context;
  talus_status status = TALUS_OK;
  tl_conquer *plan;
  int32_t *scratch = NULL;
  if (mechanism->conquer != NULL) {
    return TALUS_OK;
  }
  TL_TRY(tl_alloc(context, (void **)&plan, 1, sizeof *plan, "a plan of pieces"));
  memset(plan, 0, sizeof *plan);
  TL_TRY_GOTO(plan_alloc(mechanism, plan), done);
  TL_TRY_GOTO(tl_alloc(context, (void **)&scratch, 11 * ((size_t)mechanism->link_count + 1),
                       sizeof *scratch, "a plan of pieces"),
              done);
  TL_TRY_GOTO(plan_make(mechanism, plan, scratch), done);
done:
  tl_free(context, scratch);
  if (status != TALUS_OK) {
    tl_conquer_destroy(context, plan);
    return status;
  }
  mechanism->conquer = plan;
  return TALUS_OK;
}

void tl_conquer_destroy(talus_context *context, tl_conquer *conquer) {
  if (conquer == NULL) {
    return;
  }
  tl_buffer_release(context, &conquer->room);
  tl_free(context, conquer->piece);
  tl_free(context, conquer->handle);
  tl_free(context, conquer->leaf);
  tl_free(context, conquer->rank);
  tl_free(context, conquer->level);
  tl_free(context, conquer->joint);
  tl_free(context, conquer->chunk);
  tl_free(context, conquer);
}
