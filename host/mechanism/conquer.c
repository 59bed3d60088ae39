/* conquer.c: forward dynamics by divide and conquer (Featherstone; Bhalerao, Crean and Anderson).
 *
 * A piece answers forces at its handles, A_h = sum_k Z_hk F_k + free_h. Joining part a (the
 * parent's side) and b at a joint, where A_b - A_a = S dv + bias, F on b, -F on a, S^T F = force,
 * gives V = Z_aa + Z_bb,  D = S^T V^-1 S,  Y = V^-1 S D^-1,  W = V^-1 - Y S^T V^-1 F = W beta + Y
 * force,  dv = D^-1 force - Y^T beta, beta = (free_a + sum Z_ak F_k) - (free_b + sum Z_bk F_k) +
 * bias and the joined piece Z'_hk = Z_hk -+ Z_ha W Z_ak ... Assembly goes from links to the whole,
 * which has no handles; then forces are known from the whole to the links. Contact forces that are
 * not known yet are further columns of `free`. Runs of pieces are shared out to threads; each piece
 * is computed from its parts alone, so that results do not depend on how. */
#include "host/mechanism/conquer.h"

/* W, Y and D^-1 of the joint between two parts; 0 if V or D is not positive definite. */
static int joint_hold(tl_conquest *c, const tl_piece *piece, double *hold) {
  const tl_link *const link = &c->mechanism->link[piece->joint];
  const double *const axis = tl_axis_of(c->mechanism, link);
  const int n = link->v_count;
  double sum[36], through[36], pivot[36];
  double *const drive = c->plan->drive + 6 * link->first_v;
  double *const inverse = c->plan->pivot + link->first_d;
  memset(sum, 0, sizeof sum);
  for (int side = 0; side < 2; side++) {
    const tl_piece *const part = &c->plan->piece[piece->part[side]];
    const double *const own = tl_piece_block(c->plan, part, piece->place[side], piece->place[side]);
    for (int i = 0; i < 36; i++) {
      sum[i] += own[i];
    }
  }
  if (!tl_spatial_invert(sum, 6, hold)) {
    return 0;
  }
  for (int k = 0; k < n; k++) { /* through = V^-1 S, columns of six */
    tl_times6(through + 6 * k, hold, axis + 6 * k);
  }
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < n; j++) {
      pivot[k * n + j] = tl_dot6(axis + 6 * k, through + 6 * j);
    }
  }
  if (!tl_spatial_invert(pivot, n, inverse)) {
    return 0;
  }
  for (int k = 0; k < n; k++) {
    memset(drive + 6 * k, 0, 6 * sizeof *drive);
    for (int j = 0; j < n; j++) {
      tl_add6(drive + 6 * k, inverse[k * n + j], through + 6 * j);
    }
    for (int i = 0; i < 6; i++) {
      tl_add6(hold + 6 * i, -drive[6 * k + i], through + 6 * k);
    }
  }
  return 1;
}

/* F = W beta + Y force, beta so far without the bias; and dv if asked for. */
static void joint_force(const tl_conquest *c, const tl_piece *piece, const double *hold,
                        double *beta, int32_t column, double *force, double *way) {
  const tl_link *const link = &c->mechanism->link[piece->joint];
  const double *const drive = c->plan->drive + 6 * link->first_v;
  const double *const pivot = c->plan->pivot + link->first_d;
  const double *const applied = c->mechanism->force + link->first_v;
  const int n = link->v_count;
  if (column == 0) {
    tl_add6(beta, 1, c->mechanism->state[piece->joint].joint_bias);
  }
  tl_times6(force, hold, beta);
  for (int k = 0; k < n; k++) {
    if (column == 0) {
      tl_add6(force, applied[k], drive + 6 * k);
    }
    if (way != NULL) {
      way[k] = -tl_dot6(drive + 6 * k, beta);
      for (int j = 0; column == 0 && j < n; j++) {
        way[k] += pivot[k * n + j] * applied[j];
      }
    }
  }
}

/* Visits the handles of a joined piece in order: those of part 0, then of part 1, less the joint.
 */
static int handle_next(const tl_conquest *c, const tl_piece *piece, int *side, int32_t *h) {
  (*h)++;
  while (*side < 2) {
    if (*h == piece->place[*side]) {
      (*h)++;
    }
    if (*h < c->plan->piece[piece->part[*side]].handle_count) {
      return 1;
    }
    (*side)++;
    *h = 0;
  }
  return 0;
}

static void compliance_join(tl_conquest *c, const tl_piece *piece, const double *hold) {
  int side = 0;
  int32_t h = -1, to_h = 0;
  for (; handle_next(c, piece, &side, &h); to_h++) {
    const tl_piece *const part = &c->plan->piece[piece->part[side]];
    double reach[36], signed_hold[36];
    for (int i = 0; i < 36; i++) {
      signed_hold[i] = side == 0 ? -hold[i] : hold[i];
    }
    tl_product6(reach, tl_piece_block(c->plan, part, h, piece->place[side]), signed_hold, 0);
    int other = 0;
    int32_t k = -1, to_k = 0;
    for (; handle_next(c, piece, &other, &k); to_k++) {
      if (to_k < to_h) { /* symmetric */
        tl_transpose6(tl_piece_block(c->plan, piece, to_h, to_k),
                      tl_piece_block(c->plan, piece, to_k, to_h));
        continue;
      }
      const tl_piece *const far = &c->plan->piece[piece->part[other]];
      double *const block = tl_piece_block(c->plan, piece, to_h, to_k);
      tl_product6(block, reach, tl_piece_block(c->plan, far, piece->place[other], k), 0);
      for (int i = 0; i < 36; i++) {
        block[i] = (other == 0 ? block[i] : -block[i]) +
                   (side == other ? tl_piece_block(c->plan, part, h, k)[i] : 0);
      }
    }
  }
}

static void join(tl_conquest *c, tl_piece *piece) {
  const tl_piece *const a = &c->plan->piece[piece->part[0]], *const b =
                                                                 &c->plan->piece[piece->part[1]];
  double *const hold = c->plan->hold + 36 * (piece - c->plan->piece);
  piece->singular = a->singular || b->singular || !joint_hold(c, piece, hold);
  if (piece->singular) {
    return;
  }
  compliance_join(c, piece, hold);
  for (int32_t column = 0; column < c->columns; column++) {
    double beta[6], force[6], moved[6];
    memcpy(beta, tl_piece_column(c->free, c, a, piece->place[0], column), sizeof beta);
    tl_add6(beta, -1, tl_piece_column(c->free, c, b, piece->place[1], column));
    joint_force(c, piece, hold, beta, column, force, NULL);
    int side = 0;
    int32_t h = -1, to = 0;
    for (; handle_next(c, piece, &side, &h); to++) {
      const tl_piece *const part = side == 0 ? a : b;
      double *const free = tl_piece_column(c->free, c, piece, to, column);
      memcpy(free, tl_piece_column(c->free, c, part, h, column), 6 * sizeof *free);
      tl_times6(moved, tl_piece_block(c->plan, part, h, piece->place[side]), force);
      tl_add6(free, side == 0 ? -1 : 1, moved);
    }
  }
}

static void assemble(tl_conquest *c, int32_t p) {
  tl_piece *const piece = &c->plan->piece[p];
  if (piece->joint >= 0) {
    join(c, piece);
  } else if (piece->link >= 0) {
    tl_conquer_link(c, piece);
  } else {
    tl_conquer_base(c, piece);
  }
}

/* The forces at the handles of both parts, from those at the piece's own. */
static void disassemble(tl_conquest *c, int32_t p) {
  const tl_piece *const piece = &c->plan->piece[p];
  if (piece->joint < 0) {
    return;
  }
  const double *const hold = c->plan->hold + 36 * (size_t)p;
  for (int32_t column = 0; column < c->columns; column++) {
    double beta[6] = {0, 0, 0, 0, 0, 0}, force[6], moved[6];
    for (int side = 0; side < 2; side++) {
      const tl_piece *const part = &c->plan->piece[piece->part[side]];
      tl_add6(beta, side == 0 ? 1 : -1,
              tl_piece_column(c->free, c, part, piece->place[side], column));
    }
    int side = 0;
    int32_t h = -1, from = 0;
    for (; handle_next(c, piece, &side, &h); from++) {
      const tl_piece *const part = &c->plan->piece[piece->part[side]];
      const double *const known = tl_piece_column(c->force, c, piece, from, column);
      memcpy(tl_piece_column(c->force, c, part, h, column), known, 6 * sizeof *known);
      tl_times6(moved, tl_piece_block(c->plan, part, piece->place[side], h), known);
      tl_add6(beta, side == 0 ? 1 : -1, moved);
    }
    const tl_link *const link = &c->mechanism->link[piece->joint];
    double *const way =
        column == 0 && c->acceleration != NULL ? c->acceleration + link->first_v : NULL;
    joint_force(c, piece, hold, beta, column, force, way);
    for (side = 0; side < 2; side++) {
      const tl_piece *const part = &c->plan->piece[piece->part[side]];
      double *const at = tl_piece_column(c->force, c, part, piece->place[side], column);
      for (int i = 0; i < 6; i++) {
        at[i] = side == 0 ? -force[i] : force[i];
      }
    }
  }
}

/* Pieces outside all chunks, in the order of cutting. */
static void outside(tl_conquest *c, int up) {
  const tl_conquer *const plan = c->plan;
  for (int32_t k = 0; k <= plan->chunk_count; k++) {
    const int32_t at = up ? plan->chunk_count - k : k;
    const int32_t before = at > 0 ? plan->chunk[at - 1] + plan->piece[plan->chunk[at - 1]].span : 0;
    const int32_t end = at < plan->chunk_count ? plan->chunk[at] : plan->piece_count;
    for (int32_t p = up ? end - 1 : before; up ? p >= before : p < end; p += up ? -1 : 1) {
      if (up) {
        assemble(c, p);
      } else {
        disassemble(c, p);
      }
    }
  }
}

static talus_status conquer(tl_conquest *c) {
  tl_conquer *const plan = c->plan;
  const int32_t threads = tl_threads_for(c->mechanism->context, 16 * (int64_t)plan->piece_count);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int32_t k = 0; k < plan->chunk_count; k++) {
    for (int32_t p = plan->chunk[k] + plan->piece[plan->chunk[k]].span - 1; p >= plan->chunk[k];
         p--) {
      assemble(c, p);
    }
  }
  outside(c, 1);
  if (plan->piece[0].singular) {
    return tl_fail(c->mechanism->context, TALUS_NEGATIVE_MASS,
                   "an inertia of the mechanism cannot be inverted; look at the masses and at "
                   "coordinates that overflow");
  }
  outside(c, 0);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int32_t k = 0; k < plan->chunk_count; k++) {
    const int32_t first = plan->chunk[k];
    for (int32_t p = first; p < first + plan->piece[first].span; p++) {
      disassemble(c, p);
    }
  }
  return TALUS_OK;
}

static talus_status conquest_start(tl_conquest *c, talus_mechanism *mechanism, int32_t columns) {
  TL_TRY(tl_conquer_plan(mechanism));
  tl_mechanism_place(mechanism);
  tl_mechanism_forces(mechanism);
  c->mechanism = mechanism;
  c->plan = mechanism->conquer;
  c->columns = columns;
  const size_t count = tl_size_product((size_t)c->plan->handle_total, 6 * (size_t)columns);
  TL_TRY(tl_buffer_reserve(mechanism->context, &c->plan->free, count, sizeof(double),
                           "accelerations of pieces"));
  TL_TRY(tl_buffer_reserve(mechanism->context, &c->plan->force, count, sizeof(double),
                           "forces on pieces"));
  c->free = c->plan->free.memory;
  c->force = c->plan->force.memory;
  return TALUS_OK;
}

talus_status tl_conquer_accelerate(talus_mechanism *mechanism, double *acceleration) {
  tl_conquest c = {.acceleration = acceleration};
  TL_TRY(conquest_start(&c, mechanism, 1));
  return conquer(&c);
}

talus_status tl_conquer_response(talus_mechanism *mechanism, const tl_unit_wrench *unit,
                                 int32_t count, double *motion, double *free) {
  tl_conquest c = {.unit = unit};
  TL_TRY(conquest_start(&c, mechanism, count + 1));
  TL_TRY(conquer(&c));
  for (int32_t i = 0; i < count; i++) { /* the acceleration of a link's own handle */
    const tl_piece *const piece = &c.plan->piece[c.plan->leaf[unit[i].link + 1]];
    for (int32_t column = 0; column <= count; column++) {
      double *const out = column == 0
                              ? free + 6 * (size_t)i
                              : motion + 6 * ((size_t)count * (size_t)i + (size_t)column - 1);
      memcpy(out, tl_piece_column(c.free, &c, piece, 0, column), 6 * sizeof *out);
      for (int32_t h = 0; h < piece->handle_count; h++) {
        double moved[6];
        tl_times6(moved, tl_piece_block(c.plan, piece, 0, h),
                  tl_piece_column(c.force, &c, piece, h, column));
        tl_add6(out, 1, moved);
      }
    }
  }
  return TALUS_OK;
}
