/* queue_cuda.cu: a whole solve queued before the host has seen anything of it, so that it waits
 * once: assembly, impulses of the caller's, iterations, residuals, certificate, results.
 *
 * A solve is a row of stages: a call of `iterate`, which a look ends, and the residual after it. As
 * many are queued as the last solves took, with as many iterations as those. The device decides
 * whether a stage is followed by another one, as the host would; those that are not do nothing.
 * All else stays with the host, which makes the solve as ever after the wait, with operations that
 * do nothing but tell what was found (`answers`). Where it asks for more than was queued they
 * go on from there, where for something else, it is told so, and the solve has to be made once
 * more. So the host alone decides what a solve is, and its bits are those of a solve that was not
 * queued. */
#include <string.h>

#include "kernels/cuda/engine_cuda.cuh"

namespace {

/* What the device has to know of a solve. */
struct queue_rule {
  tl_rule first; /* of the first stage */
  double lipschitz, tolerance, velocity_scale;
  const double *velocity_scale_at;
  int32_t law, stages, restarts;
};

/* R(x)/R(0) that is wanted, as slack_of of host/solve/plan_engine.c has it. */
__device__ __forceinline__ double target_of(const queue_rule &rule, const tl_cuda_aim &aim,
                                            double reference) {
  const double given =
      rule.velocity_scale_at != NULL ? *rule.velocity_scale_at : rule.velocity_scale;
  const double scale = given * *aim.velocity_unit;
  const double slack = scale * sqrt(*aim.inverse_weight) / reference;
  return (scale > 0 && slack > 1 && slack - slack == 0 ? slack : 1) * rule.tolerance;
}

/* After the residual to begin with: as control_reset_kernel and control_prepare_kernel; stages do
 * nothing where R(x) <= tolerance R(0). */
__global__ void control_queue_kernel(tl_control *control, const queue_rule rule,
                                     const tl_cuda_aim aim) {
  tl_state state = {};
  const double reference = sqrt(*aim.square[rule.law]);
  state.lipschitz = rule.lipschitz;
  state.theta = 1;
  state.fresh = 1;
  tl_state_begin(&state);
  control->law = rule.law;
  control->reference = reference;
  control->target = target_of(rule, aim, reference);
  control->best = sqrt(control->squares[rule.law]) / reference;
  control->restart = !(control->best <= 1);
  control->ended =
      rule.stages == 0 || control->best <= rule.tolerance || (control->restart && !rule.restarts);
  control->queued = 1;
  state.stopped = control->ended;
  control->begun[TL_LAW_CCP] = control->squares[TL_LAW_CCP];
  control->begun[TL_LAW_COULOMB] = control->squares[TL_LAW_COULOMB];
  control->state = state;
  control->rule = rule.first;
  control->pace = tl_pace_make(&control->state, &control->rule);
}

/* Where impulses to begin with are worse than none: there are none. */
__global__ void __launch_bounds__(TL_CHUNK) impulses_drop_kernel(const tl_cuda_work work) {
  const int64_t i = tl_thread_index();
  if (i < 3 * tl_contacts_of(work, work.view.shape.contact_count) && work.control->restart) {
    work.view.x[i] = work.view.x_previous[i] = work.view.best[i] = 0;
  }
}

/* After a stage: impulses that are the best so far are put aside. */
__global__ void __launch_bounds__(TL_CHUNK) impulses_keep_kernel(const tl_cuda_work now) {
  const tl_cuda_work work = tl_work_now(now);
  const int64_t i = tl_thread_index();
  if (i < 3 * tl_contacts_of(work, work.view.shape.contact_count) && work.control->improved) {
    work.view.best[i] = work.view.x[i];
  }
}

/* From here on the host knows where x is. */
__global__ void control_settle_kernel(tl_control *control) {
  control->odd = control->queued = control->ended = control->restart = 0;
}

/* ---- what is queued -------------------------------------------------------------------------- */

enum {
  LENGTH = 10,        /* of a graph: stages but the first have such numbers of iterations */
  STAGE_LONGEST = 50, /* iterations after which the host checks */
  FADING = 1,         /* graphs by which a stage becomes shorter from solve to solve */
  RESTARTS = 16       /* solves for which a restart is queued, after one that there was */
};

/* Stages as the last solve had them, and a quarter more iterations; one less, or some less, than
 * the solve before where that was more. */
int32_t stages_plan(tl_cuda_engine *engine, const tl_queue_request *request) {
  const tl_cuda_calls *const calls = &engine->calls;
  /* before velocities are rebuilt; whole looks */
  const int32_t unbuilt = engine->asked.rule.rebuild - engine->asked.rule.look;
  int32_t count = 0, before = 0;
  int32_t left = request->max_iterations < unbuilt ? request->max_iterations : unbuilt;
  while (before < TL_STAGES && engine->planned[before] > 0) {
    before++;
  }
  const int32_t most = calls->count > before - 1 ? calls->count : before - 1;
  const int32_t wanted =
      most > 1 ? most : 1; /* few steps begin with impulses that are good enough */
  for (int32_t i = 0; i < TL_STAGES; i++) {
    const int32_t made = i < calls->count ? calls->made[i] : 0;
    const int32_t graphs = (made + made / 4 + LENGTH - 1) / LENGTH;
    const int32_t fading = engine->planned[i] / LENGTH - FADING;
    int32_t length = LENGTH * (graphs > fading ? graphs : fading > 1 ? fading : 1);
    length = i == 0 ? engine->asked.rule.look : length < STAGE_LONGEST ? length : STAGE_LONGEST;
    length = length < left ? length : left;
    engine->planned[i] = engine->asked.known && i < wanted ? length : 0;
    left -= engine->planned[i];
    count += count == i && engine->planned[i] > 0;
  }
  return count;
}

unsigned impulse_blocks(const tl_cuda_engine *engine) {
  return tl_cuda_blocks(3 * (int64_t)engine->work.view.shape.contact_count, TL_CHUNK);
}

/* As an operation `start` from nothing, and the residual, if the device finds that better. */
talus_status restart_queue(tl_cuda_engine *engine) {
  const tl_view *const view = &engine->work.view;
  TL_LAUNCH(engine, impulse_blocks(engine), TL_CHUNK, impulses_drop_kernel, engine->work);
  TL_TRY(tl_cuda_units_respond(engine, view->x, view->velocity, TL_RESTARTED));
  TL_TRY(tl_cuda_units_respond(engine, view->x, view->velocity_y, TL_RESTARTED));
  return tl_cuda_residual_anew(engine);
}

/* The iterations of a stage, of the kind that the last solve made, and the residual; begin: where x
 * is said to be. */
talus_status stage_queue(tl_cuda_engine *engine, int32_t count, bool last, tl_real *begin) {
  const tl_cuda_asked *const asked = &engine->asked;
  TL_TRY(asked->kind == TL_ITERATE_SWEEP ? tl_cuda_sweep_queue(engine, &asked->rule, count)
                                         : tl_cuda_gradient_queue(engine, &asked->rule, count));
  if (engine->work.view.x != begin) {
    tl_cuda_swap(engine);
  }
  TL_TRY(tl_cuda_residual_queue(engine, begin));
  if (!last) {
    TL_LAUNCH(engine, impulse_blocks(engine), TL_CHUNK, impulses_keep_kernel, engine->work);
  }
  return TALUS_OK;
}

talus_status results_queue(tl_cuda_engine *engine, const tl_queue_request *request) {
  engine->results_left = 0;
  for (int i = 0; i < TL_RESULT_COUNT; i++) {
    if (request->result[i].array != NULL) {
      TL_TRY(
          tl_cuda_judge_give(engine->device, &engine->assembly, (tl_result)i, &request->result[i]));
      engine->results_left++;
    }
  }
  return TALUS_OK;
}

talus_status solve_queue(tl_cuda_engine *engine, const tl_queue_request *request,
                         const tl_cuda_aim *aim) {
  const tl_engine_ops *const ops = engine->base.ops;
  const int32_t stages = stages_plan(engine, request);
  engine->restarts = engine->restarted ? RESTARTS : engine->restarts > 0 ? engine->restarts - 1 : 0;
  queue_rule rule;
  rule.first = engine->asked.rule;
  rule.lipschitz = engine->asked.lipschitz;
  rule.tolerance = request->tolerance;
  rule.velocity_scale = request->velocity_scale;
  rule.velocity_scale_at = request->velocity_scale_at;
  rule.law = request->law;
  rule.stages = stages;
  rule.restarts = engine->restarts > 0;
  TL_TRY(ops->take(&engine->base, &request->impulse));
  TL_TRY(ops->start(&engine->base, TL_START_KEPT, NULL, engine->asked.lipschitz));
  TL_TRY(tl_cuda_residual_queue(engine, NULL));
  tl_real *const begin = engine->work.view.x;
  TL_LAUNCH(engine, 1, 1, control_queue_kernel, engine->work.control, rule, *aim);
  if (engine->restarts > 0) {
    TL_TRY(restart_queue(engine));
  }
  for (int32_t i = 0; i < stages; i++) {
    TL_TRY(stage_queue(engine, engine->planned[i], i + 1 == stages, begin));
  }
  TL_TRY(tl_cuda_judge_now(engine, begin));
  TL_TRY(tl_cuda_result_queue(engine, TL_CONTROL_QUEUED(stages)));
  return results_queue(engine, request);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* From now on operations are themselves again. */
talus_status refuse(tl_cuda_engine *engine) {
  engine->base.ops = &tl_cuda_engine_ops;
  return TL_NOT_QUEUED;
}

/* Whether answers are over: a run goes on asking where it began. */
bool is_over(const tl_engine *base) {
  return base->ops == &tl_cuda_engine_ops;
}

/* Whether the device has made another stage than those that were asked for, and may have put its
 * impulses aside in the place of those that the host has there. */
bool is_overtaken(const tl_cuda_engine *engine) {
  const int32_t stage = engine->answered;
  return stage < engine->result->stages && stage + 1 < TL_STAGES && engine->planned[stage + 1] > 0;
}

const tl_stage *stage_of(const tl_cuda_engine *engine) {
  return &engine->result->stage[engine->answered - 1];
}

/* The same, from what was queued on: as if the host had made all stages. restarts: it begins at the
 * impulses put aside, or at none. TL_NOT_QUEUED if the device has made another solve. */
talus_status go_on(tl_cuda_engine *engine, bool restarts) {
  const tl_control *const result = engine->result;
  tl_cuda_device *const device = engine->device;
  const tl_view *const view = &engine->work.view;
  const int32_t made = result->stages;
  engine->base.ops = &tl_cuda_engine_ops;
  if (engine->answered != made && !restarts) {
    return TL_NOT_QUEUED;
  }
  TL_CUDA_ENTER(device);
  int32_t iterations = 0;
  for (int32_t i = 0; i < made; i++) {
    iterations += result->stage[i].state.made;
  }
  if (iterations % 2 != 0) {
    tl_cuda_swap(engine);
  }
  TL_LAUNCH(engine, 1, 1, control_settle_kernel, engine->work.control);
  if (engine->kept == made && made > 0) { /* else they were put aside */
    TL_TRY(tl_cuda_copy(device, view->best, view->x, 3 * (size_t)engine->places * sizeof(tl_real),
                        cudaMemcpyDeviceToDevice));
  }
  engine->since_rebuild = engine->asked.kind == TL_ITERATE_SWEEP ? iterations : 0;
  if (made > 0) {
    engine->result->state = result->stage[made - 1].state;
    engine->at_start = engine->start_kept = false;
  }
  engine->residual_known = true;
  engine->base.went_on = true;
  return TALUS_OK;
}

bool same_arrays(const tl_raw *a, const tl_raw *b) {
  bool same = a->body_count == b->body_count && a->coloured == b->coloured &&
              a->friction.array == b->friction.array &&
              a->angular_velocity.array == b->angular_velocity.array &&
              a->compliance.array == b->compliance.array &&
              a->target_impulse.array == b->target_impulse.array;
#define TL_FIELD(type, name, components, of) same = same && a->name.array == b->name.array;
  TL_RAW_LIST(TL_FIELD)
#undef TL_FIELD
  return same;
}

talus_status answer_upload(tl_engine *base, const tl_system *system, tl_raw *raw, int32_t threads) {
  if (is_over(base)) {
    return base->ops->upload(base, system, raw, threads);
  }
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  if (raw == NULL || !same_arrays(raw, &engine->queued_raw)) {
    return refuse(engine);
  }
  tl_cuda_assemble_answer(&engine->assembly, raw);
  engine->places = raw->contact_count;
  return raw->taken ? TALUS_OK : refuse(engine);
}

talus_status answer_take(tl_engine *base, const tl_caller_array *impulse) {
  if (is_over(base)) {
    return base->ops->take(base, impulse);
  }
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  return impulse->array == engine->request.impulse.array ? TALUS_OK : refuse(engine);
}

talus_status answer_start(tl_engine *base, tl_start from, const double *impulse, double lipschitz) {
  if (is_over(base)) {
    return base->ops->start(base, from, impulse, lipschitz);
  }
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  const bool anew = from == TL_START_GIVEN && impulse == NULL && !engine->restarted &&
                    engine->restarts > 0 && engine->result->restart != 0;
  if ((from == TL_START_KEPT || anew) && engine->answered == 0) {
    engine->restarted = engine->restarted || anew;
    engine->started = lipschitz;
    return TALUS_OK;
  }
  if (is_overtaken(engine)) {
    return refuse(engine);
  }
  TL_TRY(go_on(engine, true));
  return base->ops->start(base, from, impulse, lipschitz);
}

/* Whether it is the rule of the next stage. */
bool is_same_rule(const tl_cuda_engine *engine, const tl_rule *rule) {
  const tl_stage *const stage = &engine->result->stage[engine->answered];
  tl_rule same = engine->asked.rule;
  same.ratio = stage->ratio;
  same.enough = engine->answered > 0 ? stage->enough : rule->enough; /* not asked at first */
  return memcmp(rule, &same, sizeof same) == 0;
}

talus_status answer_iterate(tl_engine *base, tl_iteration kind, const tl_rule *rule, int32_t count,
                            tl_state *state, int64_t *passes) {
  if (is_over(base)) {
    return base->ops->iterate(base, kind, rule, count, state, passes);
  }
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  const tl_cuda_asked *const asked = &engine->asked;
  const tl_control *const result = engine->result;
  const bool more = engine->answered == result->stages;
  const tl_state *const made = more ? NULL : &result->stage[engine->answered].state;
  if (more || made->made > count || kind != asked->kind || engine->started != asked->lipschitz ||
      !is_same_rule(engine, rule)) {
    const double lipschitz = engine->started;
    const bool restarts = engine->answered == 0; /* with another L, too */
    if (restarts && is_overtaken(engine)) {
      return refuse(engine);
    }
    TL_TRY(go_on(engine, restarts));
    if (restarts) {
      TL_TRY(base->ops->start(base, TL_START_KEPT, NULL, lipschitz));
    }
    return base->ops->iterate(base, kind, rule, count, state, passes);
  }
  engine->answered++;
  *state = *made;
  *passes += made->made;
  tl_cuda_calls_note(engine, state);
  return TALUS_OK;
}

talus_status answer_residual(tl_engine *base, double squares[2], int64_t *passes) {
  if (is_over(base)) {
    return base->ops->residual(base, squares, passes);
  }
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  const tl_control *const result = engine->result;
  if (result->strange != 0) {
    return refuse(engine);
  }
  for (int law = 0; law < TL_LAW_COUNT; law++) {
    squares[law] = engine->answered > 0 ? stage_of(engine)->squares[law]
                   : engine->restarted  ? result->anew[law]
                                        : result->begun[law];
  }
  engine->base.strange = false;
  *passes += 1;
  return TALUS_OK;
}

talus_status answer_keep(tl_engine *base) {
  if (is_over(base)) {
    return base->ops->keep(base);
  }
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  engine->kept = engine->answered;
  engine->judged_kept = engine->kept == engine->result->stages;
  return TALUS_OK;
}

talus_status answer_judge(tl_engine *base, tl_judge_sums *sums, tl_judge_balance *balance) {
  if (is_over(base)) {
    return base->ops->judge(base, sums, balance);
  }
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  if (!engine->judged_kept) {
    return refuse(engine);
  }
  *sums = engine->judged->sums;
  *balance = engine->judged->balance;
  return TALUS_OK;
}

talus_status answer_give(tl_engine *base, tl_result which, const tl_caller_array *array) {
  if (is_over(base)) {
    return base->ops->give(base, which, array);
  }
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  if (!engine->judged_kept || array->array != engine->request.result[which].array) {
    return refuse(engine);
  }
  if (--engine->results_left == 0) {
    engine->base.ops = &tl_cuda_engine_ops;
  }
  return TALUS_OK;
}

talus_status answer_lipschitz(tl_engine *base, int32_t scaled, int32_t count, double *lambda) {
  if (is_over(base)) {
    return base->ops->estimate_lipschitz(base, scaled, count, lambda);
  }
  TL_TRY(go_on((tl_cuda_engine *)base, false));
  return base->ops->estimate_lipschitz(base, scaled, count, lambda);
}

talus_status answer_finish(tl_engine *base, double *impulse) {
  if (is_over(base)) {
    return base->ops->finish(base, impulse);
  }
  return refuse((tl_cuda_engine *)base);
}

void answer_destroy(tl_engine *base) {
  tl_cuda_engine_ops.destroy(base);
}

const tl_engine_ops answers = {
    /* .destroy = */ answer_destroy,
    /* .upload = */ answer_upload,
    /* .start = */ answer_start,
    /* .iterate = */ answer_iterate,
    /* .residual = */ answer_residual,
    /* .keep = */ answer_keep,
    /* .estimate_lipschitz = */ answer_lipschitz,
    /* .finish = */ answer_finish,
    /* .take = */ answer_take,
    /* .judge = */ answer_judge,
    /* .give = */ answer_give,
    /* .queue = */ tl_cuda_queue,
};

} // namespace

void tl_cuda_calls_note(tl_cuda_engine *engine, const tl_state *state) {
  tl_cuda_calls *const calls = &engine->calls;
  if (!calls->open && calls->count == TL_STAGES) {
    return;
  }
  if (!calls->open) {
    calls->made[calls->count++] = 0;
  }
  calls->made[calls->count - 1] += state->made;
  calls->open = state->stopped == 0;
}

talus_status tl_cuda_queue(tl_engine *base, const tl_raw *raw, const tl_queue_request *request,
                           bool *queued) {
  tl_cuda_engine *const engine = (tl_cuda_engine *)base;
  tl_cuda_aim aim;
  engine->base.went_on = false;
  engine->base.ops = &tl_cuda_engine_ops; /* even where the device is lost */
  *queued = false;
  TL_CUDA_ENTER(engine->device);
  const bool waits = engine->waits_for_answers;
  engine->waits_for_answers = false;
  if (raw == NULL && waits) {
    TL_TRY(tl_cuda_assemble_drop(engine->device, &engine->assembly));
  }
  if (raw == NULL || !engine->ready || !engine->built) {
    return TALUS_OK;
  }
  TL_TRY(tl_cuda_upload_queue(engine, raw, &aim, queued));
  if (*queued) {
    TL_TRY(solve_queue(engine, request, &aim));
    engine->calls = {};
    engine->base.asks = false;
    engine->queued_raw = *raw;
    engine->request = *request;
    engine->answered = engine->kept = 0;
    engine->restarted = false;
    engine->judged_kept = false;
    engine->base.ops = &answers;
    engine->waits_for_answers = true;
  }
  return TALUS_OK;
}
