/* small_methods.c: the methods of this folder as a solve knows them.
 *
 * The best impulses of all phases are kept, judged by the certificate's measure in its own
 * arithmetic; the certificate decides afterwards. Levenberg-Marquardt steps and
 * pivots count as iterations, evaluations and sweeps as passes. */
#include <math.h>
#include <string.h>

#include "host/method/small/lcp.h"
#include "host/method/small/qr.h"
#include "host/method/small/small_methods.h"

enum { STEPS = 150, ROUNDS = 4, LAST_SWEEPS = 2000, POLISHES = 2 };

typedef int (*levenberg_fn)(tl_equations *e, int32_t most, double *z, double *room);

static bool solved(const tl_small *small, const tl_run *run) {
  return small->best.epsilon <= small->slack * tl_small_target(run->settings);
}

/* ---- Levenberg-Marquardt --------------------------------------------------------------------- */

/* Sweeps, then steps from there, with ever more sweeps where the steps stall; then the projected
 * steps, if they were regular ones, and at last sweeps alone. */
typedef struct guarded {
  tl_small *small;
  tl_run *run;
  tl_equations *equations;
  levenberg_fn levenberg;
  void (*start)(void *self, const double *y, double *z);
  void *self;
  double *y, *z, *room;
} guarded;

/* From y, which moves on; 1 if it is over, one way or the other. */
static bool rounds_run(const guarded *g, levenberg_fn levenberg) {
  static const int32_t sweeps[ROUNDS] = {20, 80, 400, 1500};
  tl_small *const small = g->small;
  for (int round = 0; round < ROUNDS && !solved(small, g->run); round++) {
    if (tl_small_limit(small)) {
      return true;
    }
    tl_small_sweep(small, sweeps[round], g->y);
    g->run->passes += sweeps[round];
    tl_small_offer(small, g->y, small->u);
    g->run->best = small->best.epsilon;
    g->start(g->self, g->y, g->z);
    if (levenberg(g->equations, STEPS, g->z, g->room)) {
      return true;
    }
  }
  return solved(small, g->run) || tl_small_limit(small);
}

static void guarded_run(const guarded *g) {
  tl_small *const small = g->small;
  const size_t bytes = (size_t)small->scaled.rows * sizeof *g->y;
  memcpy(g->y, small->best.y, bytes);
  if (rounds_run(g, g->levenberg)) {
    return;
  }
  const double before = small->best.epsilon;
  tl_log(small->context, TALUS_LOG_INFO, "%s stalled at %.3g",
         talus_method_name(g->run->settings->method), before);
  memset(g->y, 0, bytes);
  if (g->levenberg == tl_levenberg_projected || !rounds_run(g, tl_levenberg_projected)) {
    tl_small_sweep(small, LAST_SWEEPS, g->y);
    g->run->passes += LAST_SWEEPS;
    tl_small_offer(small, g->y, small->u);
  }
  g->run->notes |= small->best.epsilon < before ? TALUS_NOTE_METHOD_CHANGED : 0;
}

/* ---- faceted cones --------------------------------------------------------------------------- */

static void fischer_start(void *self, const double *y, double *z) {
  const tl_fischer *const fischer = self;
  tl_scaled_velocity(&fischer->small->scaled, y, fischer->small->u);
  tl_lcp_start(fischer->lcp, y, fischer->small->u, z);
}

/* The problem as one of linear complementarity, with `extra` numbers of room behind it. */
static talus_status lcp_form(tl_small *small, const tl_lcp_rule *rule, size_t extra, tl_lcp *lcp,
                             double **room) {
  const int32_t size = tl_lcp_size(&small->scaled, rule->slip != NULL);
  const size_t reals = tl_lcp_reals(&small->scaled, size);
  TL_TRY(tl_buffer_reserve(small->context, &small->work,
                           reals + tl_levenberg_room(size) + 2 * (size_t)size + extra,
                           sizeof(double), "a linear complementarity problem"));
  TL_TRY(tl_buffer_reserve(small->context, &small->integers,
                           2 * (size_t)size + tl_lemke_integers(size), sizeof(int32_t),
                           "a linear complementarity problem"));
  tl_lcp_make(small, rule, size, small->integers.memory, small->work.memory, lcp);
  *room = (double *)small->work.memory + reals;
  return TALUS_OK;
}

static talus_status fischer_solve(tl_small *small, tl_run *run, levenberg_fn levenberg) {
  const tl_lcp_rule rule = {.convex = small->law == TALUS_LAW_CCP};
  tl_lcp lcp;
  double *room;
  TL_TRY(lcp_form(small, &rule, (size_t)small->scaled.rows, &lcp, &room));
  double *const f = room + tl_levenberg_room(lcp.size), *const z = f + lcp.size;
  tl_fischer fischer = {small, &lcp, f, small->slack * tl_small_target(run->settings)};
  tl_equations equations = tl_fischer_equations(&fischer);
  const guarded g = {small,    run,          &equations, levenberg, fischer_start,
                     &fischer, z + lcp.size, z,          room};
  guarded_run(&g);
  return TALUS_OK;
}

talus_status tl_pfb_regular_solve(tl_small *small, tl_run *run) {
  return fischer_solve(small, run, tl_levenberg_regular);
}

talus_status tl_pfb_projected_solve(tl_small *small, tl_run *run) {
  return fischer_solve(small, run, tl_levenberg_projected);
}

/* The basis once more from the data: what many pivots have rounded away. */
static void basis_polish(tl_small *small, const tl_lcp *lcp, const tl_lemke *lemke, double *room) {
  const int64_t n = lcp->size;
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) {
    count += lemke->basic[i] != 0;
  }
  double *const m = room, *const work = m + count * count,
                *const b = work + tl_qr_room((int32_t)count);
  double *const step = b + count;
  for (int polish = 0; polish < POLISHES && count > 0; polish++) {
    int64_t row = 0;
    for (int64_t i = 0; i < n; i++) {
      if (!lemke->basic[i]) {
        continue;
      }
      double sum = lcp->q[i];
      int64_t column = 0;
      for (int64_t j = 0; j < n; j++) {
        sum += lcp->m[i * n + j] * lemke->z[j];
        if (lemke->basic[j]) {
          m[row * count + column++] = lcp->m[i * n + j];
        }
      }
      b[row++] = -sum;
    }
    const tl_small_phase phase = tl_small_watched(small);
    if (!tl_qr_damped(m, (int32_t)count, 1e-26, b, step, work, &phase)) {
      return;
    }
    row = 0;
    for (int64_t i = 0; i < n; i++) {
      lemke->z[i] += lemke->basic[i] ? step[row++] : 0;
    }
    tl_lcp_impulses(lcp, lemke->z, small->y);
    tl_small_offer(small, small->y, small->u);
  }
}

/* A ray proves that there is no solution if its impulses move nothing, lie in the cone, and q works
 * against them; under the exact law they must be normal ones besides. */
static bool ray_proves(const tl_small *small, const tl_lcp *lcp, const double *direction) {
  double *const d = small->y, *const wd = small->u;
  double size = 0, moved = 0, work = 0;
  tl_lcp_impulses(lcp, direction, d);
  for (int32_t i = 0; i < small->scaled.rows; i++) {
    d[i] -= lcp->offset[i];
    size += d[i] * d[i];
  }
  tl_scaled_velocity(&small->scaled, d, wd);
  for (int32_t k = 0; k < small->scaled.count; k++) {
    for (int32_t i = small->scaled.first[k]; i < small->scaled.first[k + 1]; i++) {
      moved += (wd[i] - small->scaled.q[i]) * (wd[i] - small->scaled.q[i]);
      work += small->scaled.q[i] * d[i];
      if (i > small->scaled.first[k] && small->law == TALUS_LAW_COULOMB &&
          fabs(d[i]) > 1e-7 * sqrt(size)) {
        return false;
      }
    }
  }
  return size > 0 && moved <= 1e-14 * size && work < -1e-9 * sqrt(size);
}

static void lemke_tell(tl_small *small, tl_run *run, const tl_lcp *lcp, const tl_lemke *lemke,
                       tl_lemke_end end) {
  if (end == TL_LEMKE_CONTRADICTION) {
    const int32_t row = run->assembly->system.order[lemke->row];
    run->outcome = TALUS_OUTCOME_INCONSISTENT;
    tl_log(small->context, TALUS_LOG_WARNING,
           "bilateral row %d contradicts those that it depends on",
           row - run->assembly->contact_count);
  } else if (end == TL_LEMKE_RAY) {
    const bool proved = ray_proves(small, lcp, lemke->direction);
    run->outcome = proved ? TALUS_OUTCOME_INCONSISTENT : TALUS_OUTCOME_STALLED;
    tl_log(small->context, TALUS_LOG_INFO, "Lemke's pivots end in a ray, which %s",
           proved ? "proves that there is no solution" : "proves nothing");
  }
}

talus_status tl_lcp_pivot(tl_small *small, const tl_lcp_rule *rule, tl_lcp *lcp, tl_lemke *lemke,
                          double **room, tl_lemke_end *end) {
  TL_TRY(lcp_form(small, rule, 0, lcp, room));
  TL_TRY(tl_buffer_reserve(small->context, &small->pivots, tl_lemke_reals(lcp->size),
                           sizeof(double), "Lemke's tableau"));
  *end = tl_lemke_run(lcp, small, small->pivots.memory,
                      (int32_t *)small->integers.memory + 2 * (int64_t)lcp->size, lemke);
  return TALUS_OK;
}

talus_status tl_lemke_solve(tl_small *small, tl_run *run) {
  const tl_lcp_rule rule = {.convex = small->law == TALUS_LAW_CCP};
  tl_lcp lcp;
  tl_lemke lemke;
  tl_lemke_end end;
  double *room;
  TL_TRY(tl_lcp_pivot(small, &rule, &lcp, &lemke, &room, &end));
  tl_lcp_impulses(&lcp, lemke.z, small->y);
  tl_small_offer(small, small->y, small->u);
  if (end == TL_LEMKE_SOLVED) {
    basis_polish(small, &lcp, &lemke, room);
  }
  lemke_tell(small, run, &lcp, &lemke, end);
  return TALUS_OK;
}

/* ---- the door -------------------------------------------------------------------------------- */

static talus_status small_prepare(tl_run *run, const double *start, tl_small **result) {
  TL_TRY(tl_small_open(run));
  tl_small *const small = run->memory->small;
  if (start != NULL) {
    tl_scaled_impulse_import(&small->scaled, start, small->y);
    tl_small_offer(small, small->y, small->u);
  }
  *result = small;
  return TALUS_OK;
}

/* `auto` with a faceted cone: pivots, and equations where they end in a ray. */
static talus_status faceted_solve(tl_small *small, tl_run *run, talus_method *used) {
  *used = TALUS_METHOD_LEMKE;
  TL_TRY(tl_lemke_solve(small, run));
  if (solved(small, run) || run->outcome != TALUS_OUTCOME_STALLED) {
    return TALUS_OK;
  }
  run->notes |= TALUS_NOTE_METHOD_CHANGED;
  *used = TALUS_METHOD_PFB_PLM;
  return tl_pfb_projected_solve(small, run);
}

talus_status tl_small_solve(tl_run *run, const double *start, talus_method *used) {
  tl_small *small;
  const tl_method *const method = tl_method_of(run->settings->method);
  const double floor = ldexp(sqrt(run->assembly->rounding), -44);
  *used = method->id == TALUS_METHOD_AUTO ? TALUS_METHOD_LEMKE : method->id;
  run->outcome = TALUS_OUTCOME_STALLED;
  TL_TRY(small_prepare(run, start, &small));
  run->best = small->best.epsilon;
  if (!(small->scaled.reference[small->law] * small->scaled.unit >
        floor)) { /* nothing that would move anything */
    memset(small->best.y, 0, (size_t)small->scaled.rows * sizeof *small->best.y);
    run->outcome = TALUS_OUTCOME_CONVERGED;
  } else if (!solved(small, run)) {
    TL_TRY(method->solve != NULL ? method->solve(small, run) : faceted_solve(small, run, used));
  }
  tl_scaled_impulse_export(&small->scaled, small->best.y, small->engine);
  TL_TRY(run->ops->start(run->engine, TL_START_GIVEN, small->engine, 1));
  return run->ops->keep(run->engine);
}
