/* fixed_point.c: Anitescu and Hart's fixed points of convex problems ([C] = Anitescu and Hart
 * 2004).
 *
 * - P1(lift): the convex law with the normal conditions lifted by mu times the last slip
 *   (eqs 4.17-4.18).
 * - P2(slip): slip given, friction not tied to the normal impulse (eqs 4.27-4.28): no contact
 * closes.
 * - lcp1: v = P1(mu slip(v)) until v stays (5.1).
 * - lcp2: v = P2(slip(P1(mu slip(v)))) (5.2; its step 4 means eqs 4.27-4.28).
 * - lcp3: one step of lcp1 from rest: exact where nothing slips (theorem 7).
 *
 * P1 and P2 are linear complementarity problems with a positive semidefinite matrix, solved by
 * pivoting. Iterations are such problems, passes are pivots. */
#include "host/method/small/fixed_point.h"

#include <math.h>
#include <string.h>

enum { MOST = 2000 };

/* P1 or P2; offers its impulses if they are as good as `accept`, leaves their velocity in u. */
static talus_status convex_solve(tl_small *small, const tl_lcp_rule *rule, double accept, double *u,
                                 tl_lemke_end *end) {
  tl_lcp lcp;
  tl_lemke lemke;
  double *room;
  small->nested = 1;
  const talus_status status = tl_lcp_pivot(small, rule, &lcp, &lemke, &room, end);
  small->nested = 0;
  small->run->iterations++;
  TL_TRY(status);
  tl_lcp_impulses(&lcp, lemke.z, small->y);
  tl_scaled_velocity(&small->scaled, small->y, u);
  if (*end == TL_LEMKE_SOLVED &&
      tl_scaled_epsilon(&small->scaled, small->law, small->y, u) <= accept) {
    tl_small_offer(small, small->y, small->u);
  }
  return TALUS_OK;
}

static void slips_find(const tl_scaled *scaled, const double *u, int with_friction, double *slip) {
  for (int32_t k = 0; k < scaled->count; k++) {
    const bool cone = scaled->kind[k] == TL_CONSTRAINT_FRICTION;
    slip[k] = cone ? tl_scaled_slip(scaled, k, u + scaled->first[k]) : 0;
    slip[k] *= with_friction ? scaled->friction[k] : 1;
  }
}

/* |u - before|, and before := u. */
static double moved(const tl_scaled *scaled, const double *u, double *before) {
  double sum = 0;
  for (int32_t i = 0; i < scaled->rows; i++) {
    sum += (u[i] - before[i]) * (u[i] - before[i]);
    before[i] = u[i];
  }
  return sqrt(sum);
}

talus_status tl_fixed_point_solve(tl_small *small, tl_run *run) {
  const size_t rows = (size_t)small->scaled.rows, count = (size_t)small->scaled.count;
  TL_TRY(tl_buffer_reserve(small->context, &small->slips, 3 * rows + count, sizeof(double),
                           "slips of contacts"));
  double *const lift = small->slips.memory, *const u = lift + count, *const before = u + rows;
  double *const kept = before + rows;
  const double target = small->slack * tl_small_target(run->settings);
  const talus_method method = run->settings->method;
  const int two = method == TALUS_METHOD_LCP2, most = method == TALUS_METHOD_LCP3 ? 1 : MOST;
  memset(lift, 0, (2 * rows + count) * sizeof *lift);
  small->best.epsilon = small->best.epsilon > target
                            ? INFINITY
                            : small->best.epsilon; /* its own steps, good or not */
  for (int i = 0; i < most && small->best.epsilon > target; i++) {
    if (tl_small_limit(small)) {
      return TALUS_OK;
    }
    const tl_lcp_rule first = {.convex = 1, .lift = lift};
    tl_lemke_end end;
    /* P1 keeps to the cone but not to the gaps, so that lcp2 takes it for a solution only */
    TL_TRY(convex_solve(small, &first, two ? target : INFINITY, u, &end));
    if (two && end == TL_LEMKE_SOLVED && small->best.epsilon > target) {
      if (tl_small_limit(small)) {
        return TALUS_OK;
      }
      const tl_lcp_rule second = {.slip = lift};
      slips_find(&small->scaled, u, 0, lift);
      memcpy(kept, u, rows * sizeof *u);
      TL_TRY(convex_solve(small, &second, INFINITY, u, &end));
      if (end == TL_LEMKE_RAY) { /* slips that are rounding only: P2 may be without solution */
        memcpy(u, kept, rows * sizeof *u);
        end = TL_LEMKE_SOLVED;
      }
    }
    if (end != TL_LEMKE_SOLVED) { /* a convex problem without solution says nothing of the whole */
      tl_log(small->context, TALUS_LOG_INFO, "the convex problem of step %d was not solved", i + 1);
      return TALUS_OK;
    }
    run->best = small->best.epsilon;
    slips_find(&small->scaled, u, 1, lift);
    if (moved(&small->scaled, u, before) <= fmax(1e-14, 1e-3 * target)) { /* q is of length one */
      return TALUS_OK;
    }
  }
  return TALUS_OK;
}
