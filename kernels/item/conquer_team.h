/* conquer_team.h: forward dynamics by divide and conquer (Featherstone; Bhalerao, Crean and
 * Anderson), by a team (team.h) whose members take pieces of one height.
 *
 * A piece answers forces at its handles, A_h = sum_k Z_hk F_k + free_h. Joining part a (the
 * parent's side) and b at a joint, where A_b - A_a = S dv + bias, F on b, -F on a, S^T F = force,
 * gives V = Z_aa + Z_bb, D = S^T V^-1 S, Y = V^-1 S D^-1, W = V^-1 - Y S^T V^-1, F = W beta + Y
 * force, dv = D^-1 force - Y^T beta, beta = (free_a + sum Z_ak F_k) - (free_b + sum Z_bk F_k) +
 * bias and the joined piece Z'_hk = Z_hk -+ Z_ha W Z_ak ... Assembly goes from links to the whole,
 * which has no handles; then forces are known from the whole to the links. Contact forces that are
 * not known yet are further columns of `free`. Each piece is computed from its parts alone, so that
 * results do not depend on who does it. */
#ifndef TL_ITEM_CONQUER_TEAM_H
#define TL_ITEM_CONQUER_TEAM_H

#include "kernels/item/conquer_link.h"
#include "kernels/item/team.h"

/* W, Y and D^-1 of the joint between two parts; 0 if V or D is not positive definite. */
TL_ITEM int tl_joint_hold(const tl_conquest *c, const tl_piece *piece, double *hold) {
  const tl_piece_joint *const joint = &c->pieces.joint[piece->joint];
  const double *const axis = c->axis + 6 * joint->first_v;
  const int n = joint->v_count;
  double sum[36], through[36], pivot[36];
  double *const drive = c->drive + 6 * joint->first_v;
  double *const inverse = c->pivot + joint->first_d;
  for (int i = 0; i < 36; i++) {
    sum[i] = 0;
  }
  for (int side = 0; side < 2; side++) {
    const tl_piece *const part = &c->pieces.piece[piece->part[side]];
    const double *const own = tl_piece_block(c, part, piece->place[side], piece->place[side]);
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
    tl_zero6(drive + 6 * k);
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
TL_ITEM void tl_joint_force(const tl_conquest *c, const tl_piece *piece, const double *hold,
                            double *beta, int32_t column, double *force, double *way) {
  const tl_piece_joint *const joint = &c->pieces.joint[piece->joint];
  const double *const drive = c->drive + 6 * joint->first_v;
  const double *const pivot = c->pivot + joint->first_d;
  const double *const applied = c->applied + joint->first_v;
  const int n = joint->v_count;
  if (column == 0) {
    tl_add6(beta, 1, c->state[piece->joint].joint_bias);
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
TL_ITEM int tl_handle_next(const tl_conquest *c, const tl_piece *piece, int *side, int32_t *h) {
  (*h)++;
  while (*side < 2) {
    if (*h == piece->place[*side]) {
      (*h)++;
    }
    if (*h < c->pieces.piece[piece->part[*side]].handle_count) {
      return 1;
    }
    (*side)++;
    *h = 0;
  }
  return 0;
}

TL_ITEM void tl_compliance_join(const tl_conquest *c, const tl_piece *piece, const double *hold) {
  int side = 0;
  int32_t h = -1, to_h = 0;
  for (; tl_handle_next(c, piece, &side, &h); to_h++) {
    const tl_piece *const part = &c->pieces.piece[piece->part[side]];
    double reach[36], signed_hold[36];
    for (int i = 0; i < 36; i++) {
      signed_hold[i] = side == 0 ? -hold[i] : hold[i];
    }
    tl_product6(reach, tl_piece_block(c, part, h, piece->place[side]), signed_hold, 0);
    int other = 0;
    int32_t k = -1, to_k = 0;
    for (; tl_handle_next(c, piece, &other, &k); to_k++) {
      if (to_k < to_h) { /* symmetric */
        tl_transpose6(tl_piece_block(c, piece, to_h, to_k), tl_piece_block(c, piece, to_k, to_h));
        continue;
      }
      const tl_piece *const far = &c->pieces.piece[piece->part[other]];
      double *const block = tl_piece_block(c, piece, to_h, to_k);
      tl_product6(block, reach, tl_piece_block(c, far, piece->place[other], k), 0);
      for (int i = 0; i < 36; i++) {
        block[i] = (other == 0 ? block[i] : -block[i]) +
                   (side == other ? tl_piece_block(c, part, h, k)[i] : 0);
      }
    }
  }
}

/* What two parts are once they are joined; 0 if that cannot be. */
TL_ITEM int tl_conquer_join(const tl_conquest *c, const tl_piece *piece, double *hold) {
  const tl_piece *const a = &c->pieces.piece[piece->part[0]];
  const tl_piece *const b = &c->pieces.piece[piece->part[1]];
  if (!tl_joint_hold(c, piece, hold)) {
    return 0;
  }
  tl_compliance_join(c, piece, hold);
  for (int32_t column = 0; column < c->columns; column++) {
    double beta[6], force[6], moved[6];
    tl_copy6(beta, tl_piece_column(c->free, c, a, piece->place[0], column));
    tl_add6(beta, -1, tl_piece_column(c->free, c, b, piece->place[1], column));
    tl_joint_force(c, piece, hold, beta, column, force, NULL);
    int side = 0;
    int32_t h = -1, to = 0;
    for (; tl_handle_next(c, piece, &side, &h); to++) {
      const tl_piece *const part = side == 0 ? a : b;
      double *const free = tl_piece_column(c->free, c, piece, to, column);
      tl_copy6(free, tl_piece_column(c->free, c, part, h, column));
      tl_times6(moved, tl_piece_block(c, part, h, piece->place[side]), force);
      tl_add6(free, side == 0 ? -1 : 1, moved);
    }
  }
  return 1;
}

TL_ITEM void tl_conquer_assemble(const tl_conquest *c, int32_t p) {
  const tl_piece *const piece = &c->pieces.piece[p];
  int whole = 1;
  if (piece->joint >= 0) {
    whole = c->singular[piece->part[0]] == 0 && c->singular[piece->part[1]] == 0 &&
            tl_conquer_join(c, piece, c->hold + 36 * (size_t)p);
  } else if (piece->link >= 0) {
    whole = tl_conquer_link(c, piece);
  } else {
    tl_conquer_base(c, piece);
  }
  c->singular[p] = whole ? 0 : 1;
}

/* The forces at the handles of both parts, from those at the piece's own. */
TL_ITEM void tl_conquer_disassemble(const tl_conquest *c, int32_t p) {
  const tl_piece *const piece = &c->pieces.piece[p];
  if (piece->joint < 0) {
    return;
  }
  const double *const hold = c->hold + 36 * (size_t)p;
  for (int32_t column = 0; column < c->columns; column++) {
    double beta[6] = {0, 0, 0, 0, 0, 0}, force[6], moved[6];
    for (int side = 0; side < 2; side++) {
      const tl_piece *const part = &c->pieces.piece[piece->part[side]];
      tl_add6(beta, side == 0 ? 1 : -1,
              tl_piece_column(c->free, c, part, piece->place[side], column));
    }
    int side = 0;
    int32_t h = -1, from = 0;
    for (; tl_handle_next(c, piece, &side, &h); from++) {
      const tl_piece *const part = &c->pieces.piece[piece->part[side]];
      const double *const known = tl_piece_column(c->force, c, piece, from, column);
      tl_copy6(tl_piece_column(c->force, c, part, h, column), known);
      tl_times6(moved, tl_piece_block(c, part, piece->place[side], h), known);
      tl_add6(beta, side == 0 ? 1 : -1, moved);
    }
    double *const way = column == 0 && c->acceleration != NULL
                            ? c->acceleration + c->pieces.joint[piece->joint].first_v
                            : NULL;
    tl_joint_force(c, piece, hold, beta, column, force, way);
    for (side = 0; side < 2; side++) {
      const tl_piece *const part = &c->pieces.piece[piece->part[side]];
      double *const at = tl_piece_column(c->force, c, part, piece->place[side], column);
      for (int i = 0; i < 6; i++) {
        at[i] = side == 0 ? -force[i] : force[i];
      }
    }
  }
}

/* What column k does to the link of wrench i: the acceleration of the link's own handle. */
TL_ITEM void tl_conquer_motion(const tl_conquest *c, int32_t i, int32_t column) {
  const tl_piece *const piece = &c->pieces.piece[c->pieces.leaf[c->unit[i].link + 1]];
  double *const out = c->motion + 6 * ((size_t)c->columns * (size_t)i + (size_t)column);
  tl_copy6(out, tl_piece_column(c->free, c, piece, 0, column));
  for (int32_t h = 0; h < piece->handle_count; h++) {
    double moved[6];
    tl_times6(moved, tl_piece_block(c, piece, 0, h),
              tl_piece_column(c->force, c, piece, h, column));
    tl_add6(out, 1, moved);
  }
}

/* One evaluation; 0 if an inertia of the mechanism cannot be inverted. */
TL_TEAM int tl_conquer_run(const tl_conquest *c) {
  const int32_t *const rank = c->pieces.rank, *const level = c->pieces.level;
  for (int32_t l = 0; l < c->pieces.level_count; l++) {
    TL_TEAM_EACH(k, level[l], level[l + 1]) {
      tl_conquer_assemble(c, rank[k]);
    }
    TL_MEET();
  }
  if (c->singular[0] != 0) {
    return 0;
  }
  for (int32_t l = c->pieces.level_count - 1; l >= 0; l--) {
    TL_TEAM_EACH(k, level[l], level[l + 1]) {
      tl_conquer_disassemble(c, rank[k]);
    }
    TL_MEET();
  }
  TL_TEAM_EACH(k, 0, (c->columns - 1) * c->columns) {
    tl_conquer_motion(c, k / c->columns, k % c->columns);
  }
  TL_MEET();
  return 1;
}

#endif
