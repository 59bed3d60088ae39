/* gauss_seidel.c: coloured projected Gauss-Seidel, plain and with Nesterov momentum.
 *
 * Velocities are carried along incrementally and rebuilt from the impulses now and then: every 20
 * sweeps in single, every 100 in double precision. */
#include "host/solve/run.h"

static talus_status prepare_plain(tl_run *run, tl_rule *rule) {
  rule->momentum = 0;
  rule->rebuild = run->solver->settings.precision == TALUS_F32 ? 20 : 100;
  run->lipschitz = 1;
  return TALUS_OK;
}

static talus_status prepare_nesterov(tl_run *run, tl_rule *rule) {
  TL_TRY(prepare_plain(run, rule));
  rule->momentum = 1;
  return TALUS_OK;
}

static talus_status advance(tl_run *run, const tl_rule *rule, int32_t count) {
  run->iterations += count;
  return run->ops->sweep(run->engine, rule, count, &run->state, &run->passes);
}

const tl_method tl_method_gauss_seidel = {TALUS_METHOD_GAUSS_SEIDEL, prepare_plain, advance, NULL};
const tl_method tl_method_gauss_seidel_nesterov = {TALUS_METHOD_GAUSS_SEIDEL_NESTEROV,
                                                   prepare_nesterov, advance, NULL};
