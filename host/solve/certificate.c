/* certificate.c: what impulses are worth: epsilon for both laws and what else can be said.
 *
 *   R(x) = || sqrt(w_k) (x_k - P_K(x_k - (u_k + [mu |u_t| n]) / w_k)) ||,  epsilon = R(x)/R(0)
 * R(0) is floored by the rounding error of q itself; at the floor nothing is left to solve.
 * Compliance: u + C (x - target) in the place of u, w_k of W + C; and epsilon without it beside.
 *   error = R(x)/max(R(0), R_s),  R_s = s || 1 / sqrt(w_k) ||  with the problem's velocity_scale
 * s */
#include "host/solve/certificate.h"

#include <math.h>

#include "host/problem/problem_check.h"
#include "kernels/halo.h"

enum { UNIT_MOST = 1000 }; /* exponent of the largest unit of velocities */
#define SLOWEST 1e-130     /* velocities over sqrt(w) whose squares are still ordinary numbers */

talus_status tl_certification_make(talus_context *context, const talus_problem *problem,
                                   const double *impulse, const double *bilateral, int32_t threads,
                                   tl_certification *j) {
  j->context = context;
  j->problem = problem;
  j->impulse = impulse;
  j->bilateral = bilateral;
  j->threads = threads;
  j->motion = NULL;
  j->motion_count = 0;
  j->momentum_balance = j->asymmetry = 0;
  j->unit = 1;
  const tl_halo *const halo = j->bricks != NULL ? j->bricks->halo : NULL;
  j->compliant = halo != NULL ? halo->compliant : tl_problem_compliant(problem);
  j->wrenches = tl_problem_wrenches(problem);
  j->contact_velocity = NULL;
  TL_TRY(tl_buffer_reserve(context, &j->partial, (size_t)tl_certification_runs(j),
                           sizeof(tl_judge_sums), "certificate"));
  switch (problem->form) {
  case TALUS_FORM_RIGID:
    return tl_certify_rigid(context, j);
  case TALUS_FORM_BLOCKS:
    return tl_certify_blocks(context, j);
  case TALUS_FORM_DELASSUS:
    return tl_certify_delassus(context, j);
  default:
    return tl_certify_global(context, j);
  }
}

void tl_certification_release(talus_context *context, tl_certification *j) {
  tl_buffer_release(context, &j->memory);
  tl_buffer_release(context, &j->scratch);
  tl_buffer_release(context, &j->partial);
  tl_mass_release(context, &j->mass);
  tl_lines_release(context, &j->h);
  tl_lines_release(context, &j->g);
}

int64_t tl_certification_bytes(const tl_certification *j) {
  return (int64_t)(j->memory.capacity + j->scratch.capacity + j->partial.capacity +
                   j->h.memory.capacity + j->g.memory.capacity) +
         tl_mass_bytes(&j->mass);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* Anything that is not a number must not read as success. */
static double honest(double value) {
  return isfinite(value) ? value : INFINITY;
}

/* R(x) over R(0), or over R_s where that is larger. */
static double error_of(double residual, double reference, double scale, double epsilon) {
  return scale > reference && isfinite(scale) ? honest(residual / scale) : epsilon;
}

/* R(x) / R(0). */
static double ratio(double residual, double reference, double floor) {
  if (!isfinite(reference)) { /* beyond the range of numbers: nothing can be said */
    return INFINITY;
  }
  if (reference <= floor) { /* nothing to solve: only doing nothing is right */
    return residual <= floor ? 0 : honest(residual / floor);
  }
  return honest(residual / reference);
}

/* Squares of velocities so small leave the range of numbers, and R(0) would read as 0. Returns the
 * unit, a power of two, in which the largest of them is about one. */
double tl_certificate_unit(const tl_judge_sums *s) {
  const double fastest = s->fastest;
  int exponent = 0;
  if (fastest > 0 && fastest < SLOWEST) {
    frexp(fastest, &exponent);
  }
  return ldexp(1, exponent < -UNIT_MOST ? UNIT_MOST : -exponent);
}

void tl_certificate_conclude(const tl_judge_sums *sums, const tl_certification *j,
                             talus_certificate *certificate) {
  const tl_judge_sums s = *sums;
  const double unit = j->unit;
  const double floor = ldexp(sqrt(s.rounding), -44);
  /* u = W x + q is not known better than that: impulses beyond all bounds would hide any velocity
   */
  const double blur = ldexp(sqrt(s.load), -53);
  const double scale = sqrt(fmax(s.free, fmax(s.impulse, s.velocity)));
  const double reference_scale = unit * j->problem->velocity_scale * sqrt(s.inverse_weight);
  double epsilon[TALUS_LAW_COUNT], faceted[TALUS_LAW_COUNT], residual[TALUS_LAW_COUNT];
  double reference[TALUS_LAW_COUNT], siconos[TALUS_LAW_COUNT], complementarity[TALUS_LAW_COUNT];
  double error[TALUS_LAW_COUNT], rigid[TALUS_LAW_COUNT];
  for (int law = 0; law < TALUS_LAW_COUNT; law++) {
    residual[law] = honest(tl_judge_larger(sqrt(s.residual[law]), blur));
    reference[law] = honest(sqrt(s.reference[law]));
    epsilon[law] = ratio(residual[law], reference[law], floor);
    const double facets = honest(tl_judge_larger(sqrt(s.faceted[law]), blur));
    const double facets_reference = honest(sqrt(s.faceted_reference[law]));
    faceted[law] = ratio(facets, facets_reference, floor);
    error[law] = error_of(facets, facets_reference, reference_scale, faceted[law]);
    siconos[law] = scale > 0 ? honest(sqrt(s.natural[law]) / scale) : honest(scale);
    rigid[law] = j->compliant ? ratio(honest(tl_judge_larger(sqrt(s.rigid[law]), blur)),
                                      honest(sqrt(s.rigid_reference[law])), floor)
                              : epsilon[law];
    complementarity[law] = s.size[law] > 0 ? honest(s.product[law] / s.size[law]) : 0;
  }
  *certificate = (talus_certificate){
      .struct_size = sizeof *certificate,
      .epsilon_ccp = epsilon[TALUS_LAW_CCP],
      .epsilon_coulomb = epsilon[TALUS_LAW_COULOMB],
      .residual_ccp = residual[TALUS_LAW_CCP] / unit,
      .residual_coulomb = residual[TALUS_LAW_COULOMB] / unit,
      .reference_ccp = reference[TALUS_LAW_CCP] / unit,
      .reference_coulomb = reference[TALUS_LAW_COULOMB] / unit,
      .siconos_ccp = siconos[TALUS_LAW_CCP],
      .siconos_coulomb = siconos[TALUS_LAW_COULOMB],
      .cone_violation = s.largest > 0 && isfinite(s.largest) ? honest(s.violation / s.largest)
                                                             : honest(s.largest),
      .complementarity = complementarity[TALUS_LAW_COULOMB],
      .complementarity_ccp = complementarity[TALUS_LAW_CCP],
      .dissipation = honest(s.dissipation) / unit / unit,
      .bilateral = honest(s.bilateral) / unit,
      .penetration_speed = honest(s.closing) / unit,
      .momentum_balance = honest(j->momentum_balance),
      .asymmetry = honest(j->asymmetry),
      .epsilon_faceted_ccp = faceted[TALUS_LAW_CCP],
      .epsilon_faceted_coulomb = faceted[TALUS_LAW_COULOMB],
      .error_ccp = error[TALUS_LAW_CCP],
      .error_coulomb = error[TALUS_LAW_COULOMB],
      .reference_scale = honest(reference_scale) / unit,
      .epsilon_rigid_ccp = rigid[TALUS_LAW_CCP],
      .epsilon_rigid_coulomb = rigid[TALUS_LAW_COULOMB],
  };
}

void tl_certification_evaluate(tl_certification *certification, talus_certificate *certificate) {
  tl_certification scaled;
  const tl_certification *j = certification;
  tl_judge_sums s;
  if (tl_lanes_serve(certification)) {
    certification->contact_velocity = certification->velocity_room;
  }
  tl_certification_sums(j, &s);
  const double unit = tl_certificate_unit(&s);
  if (unit != 1) {
    scaled = *certification;
    scaled.unit = unit;
    j = &scaled;
    tl_certification_sums(j, &s);
  }
  tl_certificate_conclude(&s, j, certificate);
}
