/* phase.h: one phase of one small problem, by a team (team.h): sweeps, then a method. */
#ifndef TL_ITEM_PHASE_H
#define TL_ITEM_PHASE_H

#include "kernels/item/barrier.h"
#include "kernels/item/proximal.h"

/* ---- the equations as levenberg.h wants them ------------------------------------------------- */

typedef struct tl_search_equations {
  const tl_small_problem *problem;
  const tl_small_phase *phase;
  tl_small_room *room;
  tl_small_result *result;
} tl_search_equations;

TL_TEAM void tl_search_evaluate(tl_search_equations *e, double *z, double *phi, double *jacobian) {
  const tl_small_problem *const p = e->problem;
  tl_round_point *const at = &e->room->point;
  const int32_t n = p->rows;
  at->z = z;
  at->phi = phi;
  tl_round_evaluate(p, at);
  e->result->passes++;
  if (jacobian == NULL) {
    return;
  }
  double *const column = e->room->moved;
  for (int32_t k = 0; k < p->count; k++) {
    for (int32_t c = 0; c < p->first[k + 1] - p->first[k]; c++) {
      tl_round_column(p, at, k, c, column);
      TL_MEET();
      TL_TEAM_EACH(i, 0, n) {
        jacobian[(int64_t)n * i + p->first[k] + c] = column[i];
      }
      TL_MEET();
    }
  }
}

TL_TEAM int tl_search_look(tl_search_equations *e, const double *z) {
  (void)z; /* its impulses and velocities are those of the last evaluation */
  tl_small_judge(e->problem, e->room->point.f, e->room->point.u, e->room, e->result);
  return e->result->epsilon <= e->phase->tolerance;
}

TL_TEAM void tl_search_step(tl_search_equations *e) {
  e->result->steps++;
}

TL_TEAM int tl_search_stopped(const tl_search_equations *e) {
  return tl_small_spent(e->phase, e->result);
}

TL_TEAM const tl_small_phase *tl_search_phase(const tl_search_equations *e) {
  return e->phase;
}
TL_TEAM const tl_small_result *tl_search_result(const tl_search_equations *e) {
  return e->result;
}

#include "kernels/item/levenberg.h"

/* ---- memory ---------------------------------------------------------------------------------- */

/* Numbers of scratch that a problem of that size needs. */
TL_ITEM int64_t tl_small_reals(int32_t count, int32_t rows) {
  const int64_t stride = tl_padded(rows), search = tl_search_room(rows);
  const int64_t eliminated = 2 * rows * stride, barrier = tl_barrier_room(rows);
  const int64_t most = search > eliminated ? search : eliminated;
  return 9 * (int64_t)count + tl_padded(count) + 9 * stride + (most > barrier ? most : barrier);
}

TL_ITEM tl_small_room tl_small_room_make(const tl_small_problem *p, double *best, double *memory) {
  const int64_t stride = p->stride;
  tl_small_room room;
  room.best = best;
  room.y = memory;
  room.step = room.y + stride;
  room.factor = room.step + stride;
  room.moved = room.factor + stride;
  room.point.z = room.moved + stride;
  room.point.f = room.point.z + stride;
  room.point.u = room.point.f + stride;
  room.point.phi = room.point.u + stride;
  room.active = (int32_t *)(void *)(room.point.phi + stride);
  room.owner = room.active + stride;
  room.share = room.point.phi + 2 * stride;
  room.point.slope = room.share + tl_padded(p->count);
  room.matrix = room.point.slope + 9 * (int64_t)p->count;
  room.point.alpha = 0;
  room.point.centre = room.y;
  return room;
}

/* ---- the phase ------------------------------------------------------------------------------- */

/* Where a phase begins: the best impulses, or 0; 0 if a limit was reached before. */
TL_TEAM int tl_small_phase_begin(const tl_small_problem *p, const tl_small_phase *phase,
                                 tl_small_room *room, tl_small_result *result) {
  result->before = result->steps;
  if (result->steps >= phase->all || TL_STOPPED(phase, result)) {
    return 0;
  }
  if (phase->fresh) {
    TL_TEAM_EACH(i, 0, p->rows) {
      room->y[i] = 0;
    }
    TL_MEET();
  } else {
    tl_team_copy(p->rows, room->best, room->y);
  }
  return 1;
}

/* The phase once its sweeps, if it has some, have led to `y`. */
TL_TEAM void tl_small_phase_go_on(const tl_small_problem *p, const tl_small_phase *phase,
                                  tl_small_room *room, tl_small_result *result) {
  tl_round_point *const at = &room->point;
  double *const z = at->z;
  if (phase->sweeps > 0) {
    tl_small_velocities(p, room->y, at->u);
    tl_small_judge(p, room->y, at->u, room, result);
  }
  if (phase->method == TL_SMALL_SWEEPS || result->epsilon <= phase->tolerance ||
      tl_small_spent(phase, result)) {
    return;
  }
  if (phase->method == TL_SMALL_PROXIMAL) {
    tl_proximal_run(p, phase, room, result);
    return;
  }
  if (phase->method == TL_SMALL_BARRIER) {
    tl_barrier_run(p, phase, room, result);
    return;
  }
  tl_search_equations e;
  e.problem = p;
  e.phase = phase;
  e.room = room;
  e.result = result;
  at->alpha = 0;
  tl_small_velocities(p, room->y, at->u);
  tl_round_begin(p, room->y, at->u, at);
  if (phase->method == TL_SMALL_REGULAR) {
    tl_search_regular(&e, p->rows, phase->steps, z, room->matrix);
  } else {
    tl_search_projected(&e, p->rows, phase->steps, z, room->matrix);
  }
}

/* Sweeps that move y by less are the last ones. */
TL_ITEM double tl_small_phase_least(const tl_small_problem *p, const tl_small_phase *phase) {
  return 0.15 * phase->tolerance * p->reference;
}

/* The first half of a phase: its sweeps, into y; 0 if a limit was reached before. */
TL_TEAM int tl_small_phase_sweep(const tl_small_problem *p, const tl_small_phase *phase,
                                 tl_small_room *room, tl_small_result *result) {
  if (!tl_small_phase_begin(p, phase, room, result)) {
    return 0;
  }
  if (phase->sweeps > 0) {
    result->passes +=
        tl_small_sweeps(p, phase, tl_small_phase_least(p, phase), room->y, room->point.u, result);
  }
  return 1;
}

/* Goes on from the best impulses, or from 0; better ones are left in `best`. */
TL_TEAM void tl_small_phase_run(const tl_small_problem *p, const tl_small_phase *phase,
                                tl_small_room *room, tl_small_result *result) {
  if (tl_small_phase_sweep(p, phase, room, result)) {
    tl_small_phase_go_on(p, phase, room, result);
  }
}

#endif
