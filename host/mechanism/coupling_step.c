/* coupling_step.c: the end of a step, when the impulses of its problem are known. */
#include <math.h>

#include "host/base/structs.h"
#include "host/mechanism/coupling.h"

static talus_status impulses_check(const talus_coupling *coupling, const double *impulse,
                                   const double *bilateral) {
  const int32_t contacts = coupling->row_count - coupling->bilateral_count;
  if ((contacts > 0 && impulse == NULL) || (coupling->bilateral_count > 0 && bilateral == NULL)) {
    return tl_fail(coupling->context, TALUS_MISSING_ARRAY, "advance: impulses are missing");
  }
  for (int32_t i = 0; i < coupling->row_count; i++) {
    const double x = i < contacts ? impulse[i] : bilateral[i - contacts];
    if (!isfinite(x)) {
      return tl_fail(coupling->context, TALUS_NOT_FINITE, "advance: impulse of row %d is %g", i, x);
    }
  }
  return TALUS_OK;
}

static double impulse_of(const talus_coupling *coupling, const double *impulse,
                         const double *bilateral, int32_t i) {
  const int32_t contacts = coupling->row_count - coupling->bilateral_count;
  return i < contacts ? impulse[i] : bilateral[i - contacts];
}

/* mechanism->saved := M^-1 J^T x, one sweep. */
static talus_status response(talus_coupling *coupling, int32_t m, const double *impulse,
                             const double *bilateral) {
  talus_mechanism *const mechanism = coupling->mechanism[m];
  TL_TRY(tl_mechanism_factor(mechanism));
  memset(mechanism->outer, 0, 6 * (size_t)mechanism->link_count * sizeof(double));
  memset(mechanism->force, 0, (size_t)mechanism->v_count * sizeof(double));
  for (int32_t i = 0; i < coupling->row_count; i++) {
    const tl_coupling_row *const row = &coupling->row[i];
    const double x = impulse_of(coupling, impulse, bilateral, i);
    if (row->joint_velocity >= 0) {
      if (row->end[1].mechanism == m) {
        mechanism->force[row->joint_velocity] += row->direction[0] * x;
      }
      continue;
    }
    for (int e = 0; e < 2; e++) {
      if (row->end[e].link >= 0 && row->end[e].mechanism == m) {
        tl_add6(mechanism->outer + 6 * row->end[e].link, x, row->end[e].wrench);
      }
    }
  }
  tl_mechanism_sweep(mechanism, mechanism->force, mechanism->outer, 0, mechanism->saved);
  return TALUS_OK;
}

/* Velocities jump, positions follow. */
static talus_status jump(talus_coupling *coupling, int32_t m, const double *impulse,
                         const double *bilateral) {
  talus_mechanism *const mechanism = coupling->mechanism[m];
  const double *const velocity = coupling->velocity + coupling->first_velocity[m];
  TL_TRY(response(coupling, m, impulse, bilateral));
  for (int32_t i = 0; i < mechanism->v_count; i++) {
    mechanism->v[i] = velocity[i] + mechanism->saved[i];
  }
  tl_mechanism_drift(mechanism, mechanism->v, tl_step_ahead(coupling));
  return TALUS_OK;
}

talus_status talus_coupling_halfway(talus_coupling *coupling) {
  if (coupling == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  if (coupling->halfway) {
    return tl_fail(coupling->context, TALUS_CALL_ORDER,
                   "halfway: end the step by talus_coupling_advance first");
  }
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    tl_mechanism_drift(coupling->mechanism[m], coupling->mechanism[m]->v, 0.5 * coupling->def.step);
  }
  coupling->built = 0;
  coupling->halfway = 1;
  return TALUS_OK;
}

/* Impulses with e times the normal ones of contacts that struck added; returns whether there are
 * any. */
static int impulses_enlarge(const talus_coupling *coupling, const double *impulse, double *larger) {
  const int32_t dimension = coupling->def.dimension;
  int any = 0;
  memcpy(larger, impulse, (size_t)(dimension * coupling->contact_count) * sizeof *larger);
  for (int32_t i = 0; i < dimension * coupling->contact_count; i += dimension) {
    any |= coupling->row[i].rebound > 0 && impulse[i] > 0;
    larger[i] += coupling->row[i].rebound * impulse[i];
  }
  return any;
}

talus_status talus_coupling_rebound(talus_coupling *coupling, const double *impulse,
                                    const double *bilateral_impulse, talus_problem *problem) {
  if (coupling == NULL || problem == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  if (!coupling->built || coupling->rebounds) {
    return tl_fail(coupling->context, TALUS_CALL_ORDER,
                   "rebound: call it once, after talus_coupling_build");
  }
  talus_problem built;
  TL_TRY(tl_struct_check(coupling->context, &tl_struct_problem, "problem", problem));
  TL_TRY(impulses_check(coupling, impulse, bilateral_impulse));
  const int32_t first = coupling->row_count - coupling->bilateral_count;
  TL_TRY(tl_buffer_reserve(coupling->context, &coupling->impulses, (size_t)first, sizeof(double),
                           "a step's impulses"));
  if (first == 0 || !impulses_enlarge(coupling, impulse, coupling->impulses.memory)) {
    built = talus_problem_default(coupling->def.form);
    tl_struct_write(&tl_struct_problem, &built, problem);
    return TALUS_OK;
  }
  coupling->built = 0; /* until all is there */
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    double *const velocity = coupling->velocity + coupling->first_velocity[m];
    TL_TRY(response(coupling, m, coupling->impulses.memory, bilateral_impulse));
    for (int32_t i = 0; i < coupling->mechanism[m]->v_count; i++) {
      velocity[i] += coupling->mechanism[m]->saved[i];
    }
  }
  for (int32_t i = first; i < coupling->row_count; i++) {
    if (isfinite(coupling->row[i].lower) && isfinite(coupling->row[i].upper)) {
      coupling->row[i].lower -= bilateral_impulse[i - first];
      coupling->row[i].upper -= bilateral_impulse[i - first];
    }
  }
  TL_TRY(tl_coupling_form(coupling, &built));
  tl_struct_write(&tl_struct_problem, &built, problem);
  coupling->built = coupling->rebounds = 1;
  return TALUS_OK;
}

/* Impulses over the step as constant forces: at points fixed in the links, or along joints. */
static talus_status rows_load(talus_coupling *coupling, int32_t m, const double *impulse,
                              const double *bilateral) {
  talus_mechanism *const mechanism = coupling->mechanism[m];
  for (int32_t i = 0; i < coupling->row_count; i++) {
    const tl_coupling_row *const row = &coupling->row[i];
    const double strength = impulse_of(coupling, impulse, bilateral, i) / coupling->def.step;
    if (row->joint_velocity >= 0) {
      if (row->end[1].mechanism == m) {
        mechanism->applied[row->joint_velocity] += row->direction[0] * strength;
      }
      continue;
    }
    for (int e = 0; e < 2; e++) {
      const tl_coupling_row_end *const end = &row->end[e];
      if (end->link >= 0 && end->mechanism == m && strength != 0) {
        const tl_link_state *const state = &mechanism->state[end->link];
        double arm[3], point[3], force[3], moment[3];
        tl_sub3(arm, end->point, state->origin);
        tl_turn_back3(point, state->rotation, arm);
        tl_scale3(force, strength, end->wrench + 3);
        tl_scale3(moment, row->is_moment ? strength : 0, end->wrench);
        TL_TRY(talus_mechanism_load(mechanism, end->link, point, force, moment));
      }
    }
  }
  return TALUS_OK;
}

static talus_status push(talus_coupling *coupling, int32_t m, const double *impulse,
                         const double *bilateral) {
  talus_mechanism *const mechanism = coupling->mechanism[m];
  const int32_t loads = mechanism->load_count;
  const size_t size = (size_t)mechanism->v_count * sizeof(double);
  double *applied;
  TL_TRY(tl_alloc(coupling->context, (void **)&applied, (size_t)mechanism->v_count, sizeof *applied,
                  "a step's forces"));
  memcpy(applied, mechanism->applied, size);
  tl_mechanism_place(mechanism);
  talus_status status = rows_load(coupling, m, impulse, bilateral);
  if (status == TALUS_OK) {
    status = talus_mechanism_step(mechanism, TALUS_SCHEME_RUNGE_KUTTA, coupling->def.step);
  }
  mechanism->load_count = loads;
  memcpy(mechanism->applied, applied, size);
  tl_free(coupling->context, applied);
  return status;
}

talus_status talus_coupling_advance(talus_coupling *coupling, talus_scheme scheme,
                                    const double *impulse, const double *bilateral_impulse) {
  if (coupling == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  if (!coupling->built) {
    return tl_fail(coupling->context, TALUS_CALL_ORDER,
                   "advance: call talus_coupling_build first, once for each step");
  }
  const bool pushes = scheme == TALUS_SCHEME_RUNGE_KUTTA;
  if ((scheme != TALUS_SCHEME_EULER && scheme != TALUS_SCHEME_MIDPOINT && !pushes) ||
      (pushes && coupling->rebounds)) {
    return tl_fail(coupling->context, TALUS_BAD_SETTING, "advance: scheme %d is not for %s",
                   (int)scheme, pushes ? "two phases" : "contact");
  }
  if (coupling->halfway != (scheme == TALUS_SCHEME_MIDPOINT)) {
    return tl_fail(coupling->context, TALUS_CALL_ORDER,
                   "advance: MIDPOINT goes with talus_coupling_halfway before the build");
  }
  TL_TRY(impulses_check(coupling, impulse, bilateral_impulse));
  coupling->built = 0;
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    TL_TRY(pushes ? push(coupling, m, impulse, bilateral_impulse)
                  : jump(coupling, m, impulse, bilateral_impulse));
  }
  coupling->halfway = 0;
  return TALUS_OK;
}
