/* proximal.h: proximal points around a full-step Newton method on the equations of round.h.
 *
 * Open contacts have no slope: their unknowns follow from the others', so that only the rest is
 * eliminated. No line search: a failure is answered by a heavier proximal term. The best impulses
 * met on the way are kept. */
#ifndef TL_ITEM_PROXIMAL_H
#define TL_ITEM_PROXIMAL_H

#include "kernels/item/elimination.h"
#include "kernels/item/round.h"

/* Newton steps before a proximal problem counts as failed. */
enum { TL_PROXIMAL_STEPS = 8 };

/* Arrays of one problem on its way. */
typedef struct tl_small_room {
  double *best;  /* [rows] in: the start; out: the best impulses */
  double *y;     /* where the sweeps are; centres of proximal problems */
  double *share; /* [count] */
  double *step, *factor, *moved;
  int32_t *active, *owner; /* [rows] rows with a slope, and their constraints */
  double *matrix;          /* the rest */
  tl_round_point point;
} tl_small_room;

/* Keeps y if it is better than the best so far; returns its epsilon. */
TL_TEAM double tl_small_judge(const tl_small_problem *p, const double *y, const double *u,
                              const tl_small_room *room, tl_small_result *result) {
  const double residual = tl_small_remainder(p, y, u, room->share);
  const double epsilon = residual - residual == 0 ? residual / p->reference : HUGE_VAL;
  if (epsilon < result->epsilon) {
    result->epsilon = epsilon;
    tl_team_copy(p->rows, y, room->best);
  }
  return epsilon;
}

/* Whether a limit was reached. */
TL_TEAM int tl_small_spent(const tl_small_phase *phase, const tl_small_result *result) {
  return result->steps - result->before >= phase->steps || result->steps >= phase->all ||
         TL_STOPPED(phase, result);
}

/* Rows whose unknowns have a slope; returns how many. */
TL_TEAM int32_t tl_proximal_active(const tl_small_problem *p, const tl_small_room *room) {
  int32_t count = 0;
  for (int32_t k = 0; k < p->count; k++) {
    const int open = p->kind[k] >= TL_CONSTRAINT_BOUNDED && room->point.slope[9 * k] == 0 &&
                     (p->kind[k] != TL_CONSTRAINT_FRICTION || room->point.slope[9 * k + 4] == 0);
    for (int32_t i = p->first[k]; !open && i < p->first[k + 1]; i++) {
      if (TL_TEAM_LANE == 0) {
        room->active[count] = i;
        room->owner[count] = k;
      }
      count++;
    }
  }
  TL_MEET();
  return count;
}

/* The columns of the active rows, whole, and what of them is to be eliminated. */
TL_TEAM void tl_proximal_fill(const tl_small_problem *p, const tl_small_room *room, int32_t count,
                              double *whole, double *matrix) {
  const int32_t stride = tl_padded(count);
  for (int32_t j = 0; j < count; j++) {
    const int32_t k = room->owner[j];
    tl_round_column(p, &room->point, k, room->active[j] - p->first[k],
                    whole + (int64_t)p->stride * j);
  }
  TL_MEET();
  for (int32_t j = 0; j < count; j++) {
    const double *const column = whole + (int64_t)p->stride * j;
    double *const part = matrix + (int64_t)stride * j;
    TL_TEAM_EACH(i, 0, stride) {
      part[i] = i < count ? column[room->active[i]] : 0;
    }
  }
  TL_TEAM_EACH(i, 0, stride) {
    room->step[i] = i < count ? -room->point.phi[room->active[i]] : 0;
  }
  TL_MEET();
}

/* Newton's step dz, into `moved`; 0 if there is none. */
TL_TEAM int tl_proximal_step(const tl_small_problem *p, const tl_small_phase *phase,
                             const tl_small_room *room, const tl_small_result *result) {
  const int32_t count = tl_proximal_active(p, room), stride = tl_padded(count);
  double *const whole = room->matrix, *const matrix = whole + (int64_t)p->stride * count;
  tl_proximal_fill(p, room, count, whole, matrix);
  if (!tl_elimination(matrix, count, stride, room->step, room->factor, phase, result)) {
    return 0;
  }
  TL_EACH_STRIP(i, 0, p->stride) { /* open ones: -dz + J_open,active dz_active = -phi */
    double sum[TL_STRIP];
    TL_WITHIN(l) {
      sum[l] = room->point.phi[i + l];
    }
    for (int32_t j = 0; j < count; j++) {
      const double *const column = whole + (int64_t)p->stride * j + i;
      TL_WITHIN(l) {
        sum[l] += column[l] * room->step[j];
      }
    }
    TL_WITHIN(l) {
      room->moved[i + l] = sum[l];
    }
  }
  TL_MEET();
  TL_TEAM_EACH(j, 0, count) {
    room->moved[room->active[j]] = room->step[j];
  }
  TL_MEET();
  return 1;
}

/* Newton's method on one proximal problem, from its centre; 1 if it was solved well enough. */
TL_TEAM int tl_proximal_solve(const tl_small_problem *p, const tl_small_phase *phase,
                              double epsilon, tl_small_room *room, tl_small_result *result,
                              double *reached) {
  tl_round_point *const at = &room->point;
  tl_round_evaluate(p, at);
  const double first = sqrt(tl_team_square(p->rows, at->phi));
  const double share = 100 * epsilon < 1 ? 10 * epsilon : 0.1;
  double size = first;
  *reached = epsilon;
  for (int32_t i = 0;
       i < TL_PROXIMAL_STEPS && size > share * first && !tl_small_spent(phase, result); i++) {
    result->steps++;
    if (!tl_proximal_step(p, phase, room, result)) {
      break;
    }
    TL_TEAM_EACH(j, 0, p->rows) {
      at->z[j] += room->moved[j];
    }
    TL_MEET();
    tl_round_evaluate(p, at);
    result->passes++;
    *reached = tl_small_judge(p, at->f, at->u, room, result);
    size = sqrt(tl_team_square(p->rows, at->phi));
    if (result->epsilon <= phase->tolerance || !(size <= 1e8 * first)) {
      break;
    }
  }
  return size <= 0.5 * first;
}

TL_TEAM void tl_proximal_run(const tl_small_problem *p, const tl_small_phase *phase,
                             tl_small_room *room, tl_small_result *result) {
  tl_round_point *const at = &room->point;
  double epsilon = result->epsilon;
  int32_t failures = 0;
  at->alpha = phase->alpha;
  at->centre = room->y;
  tl_team_copy(p->rows, room->best, room->y);
  while (result->epsilon > phase->tolerance && failures < phase->failures && at->alpha < 1e6) {
    const double before = result->epsilon;
    const int32_t steps = result->steps;
    double reached;
    tl_small_velocities(p, room->y, at->u);
    tl_round_begin(p, room->y, at->u, at);
    const int solved = tl_proximal_solve(p, phase, epsilon, room, result, &reached);
    const int success = solved && reached < 5 * epsilon;
    if (steps == result->steps) { /* nothing to solve, or a limit */
      return;
    }
    failures = success || result->epsilon < 0.9 * before ? 0 : failures + 1;
    if (success) {
      epsilon = reached;
      tl_team_copy(p->rows, at->f, room->y);
      at->alpha *= result->steps - steps <= 2 ? 0.1 : 0.3; /* the easier it was, the faster */
      at->alpha = at->alpha > 1e-8 ? at->alpha : 1e-8;
    } else {
      at->alpha *= 4;
    }
  }
}

#endif
