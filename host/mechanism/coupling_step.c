/* coupling_step.c: the end of a step, when the impulses of its problem are known. */
#include <math.h>

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

/* Velocities jump by M^-1 J^T x, one sweep; positions follow. */
static talus_status jump(talus_coupling *coupling, int32_t m, const double *impulse,
                         const double *bilateral) {
  talus_mechanism *const mechanism = coupling->mechanism[m];
  const double *const velocity = coupling->velocity + coupling->first_velocity[m];
  TL_TRY(tl_mechanism_factor(mechanism));
  memset(mechanism->outer, 0, 6 * (size_t)mechanism->link_count * sizeof(double));
  memset(mechanism->force, 0, (size_t)mechanism->v_count * sizeof(double));
  for (int32_t i = 0; i < coupling->row_count; i++) {
    const tl_row *const row = &coupling->row[i];
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
  for (int32_t i = 0; i < mechanism->v_count; i++) {
    mechanism->v[i] = velocity[i] + mechanism->saved[i];
  }
  tl_mechanism_drift(mechanism, mechanism->v, coupling->def.step);
  return TALUS_OK;
}

/* Impulses over the step as constant forces: at points fixed in the links, or along joints. */
static talus_status rows_load(talus_coupling *coupling, int32_t m, const double *impulse,
                              const double *bilateral) {
  talus_mechanism *const mechanism = coupling->mechanism[m];
  for (int32_t i = 0; i < coupling->row_count; i++) {
    const tl_row *const row = &coupling->row[i];
    const double strength = impulse_of(coupling, impulse, bilateral, i) / coupling->def.step;
    if (row->joint_velocity >= 0) {
      if (row->end[1].mechanism == m) {
        mechanism->applied[row->joint_velocity] += row->direction[0] * strength;
      }
      continue;
    }
    for (int e = 0; e < 2; e++) {
      const tl_row_end *const end = &row->end[e];
      if (end->link >= 0 && end->mechanism == m && strength != 0) {
        const tl_link_state *const state = &mechanism->state[end->link];
        double arm[3], point[3], force[3];
        tl_sub3(arm, end->point, state->origin);
        tl_turn_back3(point, state->rotation, arm);
        tl_scale3(force, strength, end->wrench + 3);
        TL_TRY(talus_mechanism_load(mechanism, end->link, point, force, NULL));
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
  if (scheme != TALUS_SCHEME_EULER && scheme != TALUS_SCHEME_RUNGE_KUTTA) {
    return tl_fail(coupling->context, TALUS_BAD_SETTING, "advance: scheme %d is not for contact",
                   (int)scheme);
  }
  TL_TRY(impulses_check(coupling, impulse, bilateral_impulse));
  coupling->built = 0;
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    TL_TRY(scheme == TALUS_SCHEME_EULER ? jump(coupling, m, impulse, bilateral_impulse)
                                        : push(coupling, m, impulse, bilateral_impulse));
  }
  return TALUS_OK;
}
