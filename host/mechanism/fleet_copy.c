/* fleet_copy.c: the parts of a step that a coupling takes in a fleet: as a caller would call them
 * one by one. */
#include <math.h>

#include "host/mechanism/fleet.h"

/* Coordinates before the step, for instances whose step is refused. */
static talus_status state_save(talus_coupling *coupling, tl_copy *copy) {
  size_t size = 0;
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    size += (size_t)coupling->mechanism[m]->q_count + (size_t)coupling->mechanism[m]->v_count;
  }
  TL_TRY(tl_buffer_reserve(coupling->context, &copy->states, size, sizeof(double),
                           "a coupling's state"));
  double *at = copy->states.memory;
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    const talus_mechanism *const mechanism = coupling->mechanism[m];
    memcpy(at, mechanism->q, (size_t)mechanism->q_count * sizeof *at);
    at += mechanism->q_count;
    memcpy(at, mechanism->v, (size_t)mechanism->v_count * sizeof *at);
    at += mechanism->v_count;
  }
  return TALUS_OK;
}

void tl_copy_undo(const talus_fleet *fleet, int32_t i, tl_copy *copy) {
  talus_coupling *const coupling = fleet->coupling[i];
  const double *at = copy->states.memory;
  for (int32_t m = 0; copy->saved && m < coupling->def.mechanism_count; m++) {
    talus_mechanism *const mechanism = coupling->mechanism[m];
    memcpy(mechanism->q, at, (size_t)mechanism->q_count * sizeof *at);
    at += mechanism->q_count;
    memcpy(mechanism->v, at, (size_t)mechanism->v_count * sizeof *at);
    at += mechanism->v_count;
    mechanism->placed = mechanism->articulated = 0;
  }
  coupling->halfway = coupling->built = 0;
  copy->failed = 1;
  copy->report.failed++;
  if (copy->report.first_failed < 0 || i < copy->report.first_failed) {
    copy->report.first_failed = i;
  }
}

static talus_status touches_find(const talus_fleet *fleet, int32_t i, tl_copy *copy) {
  talus_context *const context = fleet->coupling[i]->context;
  int32_t count = 0;
  for (;;) {
    const int32_t room = (int32_t)(copy->touches.capacity / sizeof *copy->touch);
    copy->touch = copy->touches.memory;
    count = fleet->def.find != NULL ? fleet->def.find(fleet->def.user, i, copy->touch, room) : 0;
    if (count <= room) {
      break;
    }
    TL_TRY(tl_buffer_reserve(context, &copy->touches, (size_t)count + (size_t)count / 2,
                             sizeof *copy->touch, "contacts"));
  }
  if (count < 0) {
    return tl_fail(context, TALUS_STEP_FAILED, "the search for contacts gave up (%d)", count);
  }
  for (int32_t k = 0; k < count; k++) {
    copy->report.depth = fmax(copy->report.depth, -copy->touch[k].gap);
  }
  copy->touch_count = count;
  return TALUS_OK;
}

talus_status tl_copy_begin(const talus_fleet *fleet, int32_t i, tl_copy *copy) {
  copy->saved = 0;
  TL_TRY(state_save(fleet->coupling[i], copy));
  copy->saved = 1;
  if (fleet->def.scheme == TALUS_SCHEME_MIDPOINT) {
    TL_TRY(talus_coupling_halfway(fleet->coupling[i]));
  }
  return touches_find(fleet, i, copy);
}

bool tl_copy_has_problem(const tl_copy *copy) {
  return copy->problem.contact_count + copy->problem.bilateral_count > 0;
}

talus_status tl_copy_build(const talus_fleet *fleet, int32_t i, tl_copy *copy) {
  talus_coupling *const coupling = fleet->coupling[i];
  TL_TRY(tl_coupling_rows(coupling, copy->touch, copy->touch_count));
  copy->problem = talus_problem_default(coupling->def.form);
  if (coupling->row_count > 0) { /* M^-1 is used by rows only */
    TL_TRY(tl_coupling_form(coupling, &copy->problem));
  }
  TL_TRY(tl_buffer_reserve(coupling->context, &copy->impulses, (size_t)coupling->row_count,
                           sizeof(double), "impulses"));
  copy->solution = talus_solution_default();
  copy->solution.impulse = copy->impulses.memory;
  copy->solution.bilateral_impulse =
      copy->solution.impulse + (coupling->row_count - coupling->bilateral_count);
  copy->info = talus_info_default();
  copy->solved = TALUS_OK;
  return TALUS_OK;
}

talus_status tl_copy_check(const talus_fleet *fleet, int32_t i, tl_copy *copy) {
  const talus_info *const info = &copy->info;
  if (!tl_copy_has_problem(copy)) {
    return TALUS_OK;
  }
  if (copy->solved != TALUS_OK) {
    return tl_fail(fleet->coupling[i]->context, copy->solved, "its problem was refused: %s",
                   talus_status_text(copy->solved));
  }
  copy->report.solves++;
  copy->report.contacts += copy->problem.contact_count;
  copy->report.missed += info->outcome != TALUS_OUTCOME_CONVERGED;
  if (info->outcome != TALUS_OUTCOME_CONVERGED && !(info->measure <= fleet->def.accept)) {
    return tl_fail(fleet->coupling[i]->context, TALUS_STEP_FAILED,
                   "%d contacts were solved to %g only, %g is accepted; take another method, more "
                   "iterations or a smaller step",
                   copy->problem.contact_count, info->measure, fleet->def.accept);
  }
  copy->report.measure = fmax(copy->report.measure, info->measure);
  return TALUS_OK;
}

talus_status tl_copy_rebound(const talus_fleet *fleet, int32_t i, tl_copy *copy) {
  talus_coupling *const coupling = fleet->coupling[i];
  if (coupling->def.restitution != TALUS_RESTITUTION_POISSON) {
    copy->problem.contact_count = copy->problem.bilateral_count = 0;
    return TALUS_OK;
  }
  return talus_coupling_rebound(coupling, copy->solution.impulse, copy->solution.bilateral_impulse,
                                &copy->problem);
}

talus_status tl_copy_end(const talus_fleet *fleet, int32_t i, tl_copy *copy) {
  return talus_coupling_advance(fleet->coupling[i], fleet->def.scheme, copy->solution.impulse,
                                copy->solution.bilateral_impulse);
}

void tl_copy_release(talus_context *context, tl_copy *copy) {
  tl_buffer_release(context, &copy->touches);
  tl_buffer_release(context, &copy->impulses);
  tl_buffer_release(context, &copy->states);
}

void tl_copy_report_add(talus_fleet_report *sum, const talus_fleet_report *part) {
  sum->solves += part->solves;
  sum->contacts += part->contacts;
  sum->missed += part->missed;
  sum->measure = fmax(sum->measure, part->measure);
  sum->depth = fmax(sum->depth, part->depth);
  sum->failed += part->failed;
  if (part->first_failed >= 0 &&
      (sum->first_failed < 0 || part->first_failed < sum->first_failed)) {
    sum->first_failed = part->first_failed;
  }
}
