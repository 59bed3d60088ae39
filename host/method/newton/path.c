/* path.c: the path of a proximal problem's solutions, followed to weight 0.
 *
 * With u + alpha (y - centre) in the place of u the law has one solution where alpha is large. As
 * alpha changes solutions form a curve, smooth while every constraint stays on its branch of the
 * law; where one leaves, the curve goes on along the next branch. It turns back towards larger
 * alpha, sometimes a hundred times: there every continuation by falling alpha ends. Yet it cannot
 * come back to its beginning, and its end at alpha = 0 solves the law. Lemke's method does the same
 * for faceted cones, where the curve is made of straight lines.
 *
 * Where the path has come much nearer to a solution than its centre is, that becomes the centre of
 * another path, which as a rule is shorter than the rest of this one; so it does where rounding
 * ties corners to a knot. */
#include "host/method/newton/path.h"

#include <math.h>
#include <string.h>

enum {
  JUMP = 8,   /* factorisations of a jump */
  STILL = 20, /* corners without a way between them */
  IN_VAIN = 5 /* knots left by another centre that was no nearer */
};
#define RECENTRE 0.3   /* of the epsilon of the centre */
#define ON_PATH 1e-8   /* of |F| at the centre */
#define OUTSIDE 1e-7   /* of |F| at the centre */
#define SHORTEST 1e-10 /* reach of a step */
#define LAST 1e-13     /* alpha */

static void branches_find(tl_path *p) {
  tl_path_pull(p);
  for (int32_t k = 0; k < p->scaled->count; k++) {
    double z[3];
    tl_law_point(p->scaled, k, p->y, p->pulled, 1 / (1 + p->alpha), z);
    p->branch[k] = (int32_t)tl_law_branch(p->scaled, k, TALUS_LAW_COULOMB, z);
  }
}

/* Newton's method at another alpha: leaves out all corners between where it succeeds. */
static talus_status jump(tl_path *p, double alpha, bool *good) {
  const tl_prox_rule rule = {.law = TALUS_LAW_COULOMB,
                             .alpha = alpha,
                             .shrink = 1,
                             .most = JUMP,
                             .failures = 1,
                             .single = true,
                             .centre = p->centre};
  const int64_t before = p->newton->linear.count;
  tl_path_pull(p);
  tl_path_keep(p);
  TL_TRY(tl_prox_run(p->newton, &rule, p->y));
  p->made += (int)(p->newton->linear.count - before);
  p->alpha = alpha;
  branches_find(p);
  *good = tl_path_equations(p, 0) <= p->enough;
  if (!*good) {
    tl_path_restore(p);
  }
  return TALUS_OK;
}

/* Onto the path of a centre, and as far along it as Newton's method jumps. */
static talus_status enter(tl_path *p, const double *centre, bool *good) {
  const int32_t rows = p->scaled->rows;
  memmove(p->centre, centre, (size_t)rows * sizeof *centre);
  memcpy(p->y, p->centre, (size_t)rows * sizeof *centre);
  p->alpha = 1;
  p->passed.constraint = -1;
  p->reach = 0.5;
  p->still = 0;
  branches_find(p);
  const double size = sqrt(tl_dot_of(p->y, p->y, rows));
  p->first = tl_path_equations(p, 0);
  p->enough = fmax(ON_PATH * p->first, 1e-14 * size);
  p->outside = fmax(OUTSIDE * p->first, 1e-12 * size);
  *good = false;
  for (double alpha = 1; !*good && alpha < 1e5 && !p->newton->stop; alpha *= 10) {
    TL_TRY(jump(p, alpha, good));
  }
  for (bool more = *good; more && p->alpha > 1e-12 && !p->newton->stop;) {
    TL_TRY(jump(p, 0.1 * p->alpha, &more));
  }
  return TALUS_OK;
}

talus_status tl_path_run(tl_newton *newton, int most, double *y) {
  const tl_scaled *const scaled = &newton->scaled;
  double *const *const v = newton->vector;
  TL_TRY(tl_buffer_reserve(newton->context, &newton->store, 2 * (size_t)scaled->count,
                           sizeof(int32_t), "branches of the law"));
  int32_t *const branch = newton->store.memory;
  /* tl_prox_run has vectors 0 to 5 */
  tl_path p = {.newton = newton,
               .scaled = scaled,
               .u = v[0],
               .pulled = v[1],
               .f = v[2],
               .step = v[3],
               .response = v[4],
               .right = v[5],
               .centre = v[6],
               .y = v[7],
               .ahead = v[8],
               .bend = v[9],
               .before = v[10],
               .slope = v[11],
               .branch = branch,
               .branch_before = branch + scaled->count,
               .start = newton->scale};
  double began, now;
  bool good;
  int in_vain = 0;
  tl_scaled_velocity(scaled, y, p.u);
  TL_TRY(tl_newton_offer(newton, y, p.u, &began));
  TL_TRY(enter(&p, y, &good));
  while (good && !newton->stop && p.made < most && p.alpha > LAST && in_vain < IN_VAIN) {
    bool advanced;
    TL_TRY(tl_path_step(&p, &advanced));
    if (p.reach < SHORTEST || p.still > STILL) { /* a knot */
      in_vain++;
      TL_TRY(enter(&p, p.y, &good));
    }
    if (!advanced) {
      continue;
    }
    tl_scaled_velocity(scaled, p.y, p.u);
    TL_TRY(tl_newton_offer(newton, p.y, p.u, &now));
    if (now < RECENTRE * began) {
      began = now;
      in_vain = 0;
      TL_TRY(enter(&p, p.y, &good));
    }
  }
  tl_log(newton->context, TALUS_LOG_DEBUG, "path: %d corners, weight %.2g", p.corners, p.alpha);
  return TALUS_OK;
}
