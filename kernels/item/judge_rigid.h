/* judge_rigid.h: facts of form (a) for the certificate: plain products over the caller's arrays. */
#ifndef TL_ITEM_JUDGE_RIGID_H
#define TL_ITEM_JUDGE_RIGID_H

#include "kernels/item/judge.h"
#include "talus/talus_solve.h"

TL_ITEM void tl_judge_cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

TL_ITEM void tl_judge_turn(const double *m, const double *v, double *r) {
  r[0] = m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
  r[1] = m[1] * v[0] + m[3] * v[1] + m[4] * v[2];
  r[2] = m[2] * v[0] + m[4] * v[1] + m[5] * v[2];
}

TL_ITEM void tl_judge_arm(const talus_rigid *rigid, int64_t k, int side, double *arm) {
  const double *const given = side ? rigid->arm_b : rigid->arm_a;
  const double *const reach = side ? rigid->reach_b : rigid->reach_a;
  for (int c = 0; c < 3; c++) {
    arm[c] =
        given != NULL ? given[3 * k + c] : (side ? -reach[k] : reach[k]) * rigid->normal[3 * k + c];
  }
}

/* Adds what one body does at a contact to u, and the absolute values to sizes. */
TL_ITEM void tl_judge_side(const double *v, const double *arm, int side, double *u, double *sizes) {
  double turn[3];
  tl_judge_cross(v + 3, arm, turn);
  for (int c = 0; c < 3; c++) {
    u[c] += (side ? 1 : -1) * (v[c] + turn[c]);
    sizes[c] += fabs(v[c]) + fabs(turn[c]);
  }
}

/* One body as a contact sees it: velocities after and before the impulses, inverse inertia and
 * mass, arm. */
typedef struct tl_judge_end {
  double after[6], before[6], inertia[6], mass, arm[3];
} tl_judge_end;

/* tr(W_kk) of one side: 1/m thrice and tr([r] m [r]^T) = tr(m) |r|^2 - r.m r. */
TL_ITEM double tl_judge_trace(const tl_judge_end *end) {
  const double *const m = end->inertia, *const r = end->arm;
  double mr[3];
  tl_judge_turn(m, r, mr);
  return 3 * end->mass + (m[0] + m[3] + m[5]) * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) -
         (r[0] * mr[0] + r[1] * mr[1] + r[2] * mr[2]);
}

/* Adds what a body does at a contact; the weight is a trace so far. */
TL_ITEM void tl_judge_end_add(const tl_judge_end *end, int side, tl_judge_fact *f) {
  double unused[3] = {0, 0, 0};
  tl_judge_side(end->after, end->arm, side, f->velocity, unused);
  tl_judge_side(end->before, end->arm, side, f->free, f->rounding);
  f->weight += tl_judge_trace(end);
}

/* A fact without bodies: bias along n, velocity of the surface. */
TL_ITEM void tl_judge_fact_begin(double bias, const double *n, const double *surface,
                                 tl_judge_fact *f) {
  for (int c = 0; c < 3; c++) {
    const double along = bias * n[c];
    f->velocity[c] = f->free[c] = along + surface[c];
    f->rounding[c] = fabs(along) + fabs(surface[c]);
  }
  f->weight = 0;
}

/* Velocities after and before, the rounding of the latter, weight of contact k; its impulse is
 * given. motion: velocities of the bodies after the impulses. */
TL_ITEM void tl_judge_rigid(const talus_rigid *rigid, const double *motion, int64_t k,
                            tl_judge_fact *f) {
  double surface[3] = {0, 0, 0};
  for (int c = 0; c < 3 && rigid->surface_velocity != NULL; c++) {
    surface[c] = rigid->surface_velocity[3 * k + c];
  }
  tl_judge_fact_begin(rigid->bias != NULL ? rigid->bias[k] : 0, rigid->normal + 3 * k, surface, f);
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? rigid->body_b[k] : rigid->body_a[k];
    if (body >= 0) {
      tl_judge_end end;
      for (int c = 0; c < 6; c++) {
        end.after[c] = motion[6 * (int64_t)body + c];
        end.before[c] = rigid->velocity[6 * (int64_t)body + c];
        end.inertia[c] = rigid->inverse_inertia[6 * (int64_t)body + c];
      }
      end.mass = rigid->inverse_mass[body];
      tl_judge_arm(rigid, k, side, end.arm);
      tl_judge_end_add(&end, side, f);
    }
  }
  f->weight /= 3;
}

/* Adds the momentum that contact k hands to the body on one of its sides; torque: NULL, or that of
 * a contact of six rows. */
TL_ITEM void tl_judge_push(const talus_rigid *rigid, int64_t k, int side, const double *impulse,
                           const double *torque, double *momentum) {
  double arm[3], moment[3];
  tl_judge_arm(rigid, k, side, arm);
  tl_judge_cross(arm, impulse, moment);
  for (int c = 0; c < 3; c++) {
    momentum[c] += (side ? 1 : -1) * impulse[c];
    momentum[3 + c] += (side ? 1 : -1) * (moment[c] + (torque != NULL ? torque[c] : 0));
  }
}

/* What a body was given, and what of it its motion does not show: squares of linear momentum. */
typedef struct tl_judge_balance {
  double given, missing;
} tl_judge_balance;

/* v+ = v + M^-1 momentum, in its place. */
TL_ITEM tl_judge_balance tl_judge_move(const talus_rigid *rigid, int64_t i, double *momentum) {
  const double inverse = rigid->inverse_mass[i];
  tl_judge_balance balance = {0, 0};
  double turn[3];
  tl_judge_turn(rigid->inverse_inertia + 6 * i, momentum + 3, turn);
  for (int c = 0; c < 3; c++) {
    const double before = rigid->velocity[6 * i + c], after = before + inverse * momentum[c];
    if (inverse > 0) {
      const double off = (after - before) / inverse - momentum[c];
      balance.given += momentum[c] * momentum[c];
      balance.missing += off * off;
    }
    momentum[c] = after;
    momentum[3 + c] = rigid->velocity[6 * i + 3 + c] + turn[c];
  }
  return balance;
}

#endif
