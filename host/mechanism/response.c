/* response.c: the three ways of forward dynamics side by side.
 *
 * Accelerations without contact, and the accelerations of points as a linear function of forces
 * there: what a contact problem is made of, whichever way it was found. */
#include "host/mechanism/response.h"

#include "host/math/dense.h"

static talus_status composite_accelerate(talus_mechanism *mechanism, double *acceleration) {
  TL_TRY(tl_mechanism_dense(mechanism));
  tl_mechanism_forces(mechanism);
  tl_mechanism_inverse_dynamics(mechanism, acceleration);
  for (int32_t i = 0; i < mechanism->v_count; i++) {
    acceleration[i] = mechanism->force[i] - acceleration[i];
  }
  tl_dense_solve(mechanism->dense.memory, mechanism->v_count, acceleration);
  return TALUS_OK;
}

static talus_status articulated_accelerate(talus_mechanism *mechanism, double *acceleration) {
  TL_TRY(tl_mechanism_factor(mechanism));
  tl_mechanism_forces(mechanism);
  tl_mechanism_sweep(mechanism, mechanism->force, mechanism->outer, 1, acceleration);
  return TALUS_OK;
}

talus_status talus_mechanism_accelerate(talus_mechanism *mechanism, talus_dynamics dynamics,
                                        double *acceleration) {
  if (mechanism == NULL || acceleration == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  switch (dynamics) {
  case TALUS_DYNAMICS_COMPOSITE:
    return composite_accelerate(mechanism, acceleration);
  case TALUS_DYNAMICS_ARTICULATED:
    return articulated_accelerate(mechanism, acceleration);
  case TALUS_DYNAMICS_CONQUER:
    return tl_conquer_accelerate(mechanism, acceleration);
  }
  return tl_fail(mechanism->context, TALUS_BAD_SETTING, "dynamics %d is unknown", (int)dynamics);
}

talus_status talus_mechanism_mass_matrix(talus_mechanism *mechanism, double *mass) {
  if (mechanism == NULL || mass == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  tl_mechanism_place(mechanism);
  tl_mechanism_mass(mechanism, mass);
  return TALUS_OK;
}

talus_status talus_mechanism_inverse_mass(talus_mechanism *mechanism, double *inverse) {
  if (mechanism == NULL || inverse == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_mechanism_factor(mechanism));
  const size_t n = (size_t)mechanism->v_count;
  memset(mechanism->force, 0, n * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    mechanism->force[i] = 1;
    tl_mechanism_sweep(mechanism, mechanism->force, NULL, 0, inverse + i * n);
    mechanism->force[i] = 0;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      inverse[i * n + j] = inverse[j * n + i] = 0.5 * (inverse[i * n + j] + inverse[j * n + i]);
    }
  }
  return TALUS_OK;
}

void tl_mechanism_motion(talus_mechanism *mechanism, const double *acceleration) {
  const double *const g = mechanism->gravity;
  const double base[6] = {0, 0, 0, -g[0], -g[1], -g[2]};
  for (int32_t k = 0; k < mechanism->link_count; k++) {
    const int32_t i = mechanism->order[k];
    const tl_link *const link = &mechanism->link[i];
    double *const motion = mechanism->motion + 6 * i;
    tl_motion_shift(motion, tl_motion_of(mechanism, link->parent, base), mechanism->state[i].arm);
    tl_add6(motion, 1, mechanism->state[i].bias);
    for (int c = 0; c < link->v_count; c++) {
      tl_add6(motion, acceleration[link->first_v + c], tl_axis_of(mechanism, link) + 6 * c);
    }
  }
}

talus_status tl_places_make(talus_mechanism *mechanism, talus_dynamics dynamics,
                            const talus_link_point *point, int32_t count, tl_places *p) {
  memset(p, 0, sizeof *p);
  if (count < 0 || (count > 0 && point == NULL)) {
    return TALUS_INVALID_ARGUMENT;
  }
  for (int32_t i = 0; i < count; i++) {
    TL_TRY(tl_link_exists(mechanism, point[i].link));
  }
  tl_mechanism_place(mechanism);
  const size_t m = 3 * (size_t)count, n = (size_t)mechanism->v_count;
  const size_t blocks = 36 * (size_t)count * (size_t)count;
  const size_t square = dynamics == TALUS_DYNAMICS_CONQUER ? 6 * m * (m + 1) : blocks;
  const size_t rows = dynamics == TALUS_DYNAMICS_COMPOSITE ? 2 * m * n : 0;
  const size_t units = (m * sizeof(tl_unit_wrench) + 7) / 8;
  TL_TRY(tl_alloc(mechanism->context, (void **)&p->memory,
                  m + units + square + rows + n + (size_t)count, sizeof(double),
                  "the response of points"));
  p->count = count;
  p->arm = p->memory;
  p->unit = (tl_unit_wrench *)(p->arm + m);
  p->motion = p->arm + m + units;
  p->row = p->motion + square;
  p->acceleration = p->row + rows;
  p->link = (int32_t *)(p->acceleration + n);
  for (int32_t i = 0; i < count; i++) {
    const double *const rotation = mechanism->state[point[i].link].rotation;
    p->link[i] = point[i].link;
    tl_turn3(p->arm + 3 * i, rotation, point[i].point);
    for (int c = 0; c < 3; c++) {
      tl_unit_wrench *const unit = &p->unit[3 * i + c];
      unit->link = point[i].link;
      memset(unit->wrench, 0, sizeof unit->wrench);
      unit->wrench[3 + c] = 1;
      tl_add_cross3(unit->wrench, p->arm + 3 * i, unit->wrench + 3);
    }
  }
  return TALUS_OK;
}

/* The acceleration of a link's point from that of its origin; gravity comes back in. */
static void point_free(const talus_mechanism *mechanism, const double *motion, int32_t link,
                       const double *arm, double *free) {
  const double *const spin = mechanism->state[link].velocity;
  double swing[3];
  tl_along3(free, motion + 3, 1, mechanism->gravity);
  tl_add_cross3(free, motion, arm);
  tl_cross3(swing, spin, arm);
  tl_add_cross3(free, spin, swing);
}

static talus_status composite_response(talus_mechanism *mechanism, tl_places *p, double *response) {
  const size_t m = 3 * (size_t)p->count, n = (size_t)mechanism->v_count;
  double *const solved = p->row + m * n;
  memset(p->row, 0, m * n * sizeof(double));
  for (size_t i = 0; i < m; i++) {
    tl_mechanism_row(mechanism, p->unit[i].link, p->unit[i].wrench, p->row + i * n);
    memcpy(solved + i * n, p->row + i * n, n * sizeof(double));
    tl_dense_solve(mechanism->dense.memory, (int64_t)n, solved + i * n);
  }
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < m; j++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++) {
        sum += p->row[i * n + k] * solved[j * n + k];
      }
      response[i * m + j] = sum;
    }
  }
  return TALUS_OK;
}

static talus_status articulated_response(talus_mechanism *mechanism, tl_places *p,
                                         double *response) {
  const size_t m = 3 * (size_t)p->count;
  TL_TRY(tl_mechanism_compliance(mechanism, p->link, p->count, p->motion));
  for (size_t j = 0; j < m; j++) {
    for (size_t i = 0; i < m; i++) {
      const double *const block = p->motion + 36 * ((size_t)p->count * (i / 3) + j / 3);
      double moved[6];
      tl_times6(moved, block, p->unit[j].wrench);
      response[i * m + j] = tl_dot6(p->unit[i].wrench, moved);
    }
  }
  return TALUS_OK;
}

/* From what divide and conquer found: column 0 is what moves by itself. */
void tl_places_conquered(const talus_mechanism *mechanism, const tl_places *p, double *response,
                         double *free) {
  const size_t m = 3 * (size_t)p->count;
  for (size_t i = 0; response != NULL && i < m; i++) {
    for (size_t j = 0; j < m; j++) {
      response[i * m + j] = tl_dot6(p->unit[i].wrench, p->motion + 6 * ((m + 1) * i + j + 1));
    }
  }
  for (size_t i = 0; free != NULL && i < (size_t)p->count; i++) {
    point_free(mechanism, p->motion + 6 * (m + 1) * 3 * i, p->link[i], p->arm + 3 * i,
               free + 3 * i);
  }
}

static talus_status response_find(talus_mechanism *mechanism, talus_dynamics dynamics, tl_places *p,
                                  double *response, double *free) {
  if (dynamics == TALUS_DYNAMICS_CONQUER) {
    TL_TRY(tl_conquer_response(mechanism, p->unit, 3 * p->count, p->motion));
    tl_places_conquered(mechanism, p, response, free);
    return TALUS_OK;
  }
  TL_TRY(talus_mechanism_accelerate(mechanism, dynamics, p->acceleration));
  tl_mechanism_motion(mechanism, p->acceleration);
  for (int32_t i = 0; free != NULL && i < p->count; i++) {
    point_free(mechanism, mechanism->motion + 6 * p->link[i], p->link[i], p->arm + 3 * i,
               free + 3 * i);
  }
  if (response == NULL) {
    return TALUS_OK;
  }
  return dynamics == TALUS_DYNAMICS_COMPOSITE ? composite_response(mechanism, p, response)
                                              : articulated_response(mechanism, p, response);
}

talus_status talus_mechanism_response(talus_mechanism *mechanism, talus_dynamics dynamics,
                                      const talus_link_point *point, int32_t count,
                                      double *response, double *free) {
  if (mechanism == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  tl_places p;
  TL_TRY(tl_places_make(mechanism, dynamics, point, count, &p));
  const talus_status status = response_find(mechanism, dynamics, &p, response, free);
  tl_free(mechanism->context, p.memory);
  return status;
}
