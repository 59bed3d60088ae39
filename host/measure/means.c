/* means.c: sums over grains and contacts in a domain; see means.h. */
#include "host/measure/means.h"

#include <math.h>
#include <string.h>

#include "host/math/lattice.h"

static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};

const tl_mean_column tl_mean_columns[TL_MEAN_COUNT] = {
#define TL_X(group, name, unit) {TL_GROUP_##group, {name, unit}},
    TL_MEANS_LIST(TL_X)
#undef TL_X
};

static bool asked(uint32_t groups, tl_group group) {
  return (groups >> group & 1u) != 0;
}

/* ---- grains ---------------------------------------------------------------------------------- */

/* Solid volume and mass, each body as far as it is inside. */
static void take_solid(const tl_sample *s, const tl_domain *d, double volume, double *mean) {
  double solid = 0, mass = 0;
  for (int32_t k = 0; k < s->shape_count; k++) {
    const int32_t grain = s->shape_grain[k];
    const double *const centre = s->centre + 3 * (size_t)grain, radius = s->radius[grain];
    if (!tl_domain_meets_ball(d, centre, radius)) {
      continue;
    }
    const double share = tl_domain_holds_ball(d, centre, radius)
                             ? 1
                             : tl_domain_shape_share(d, s->shape_geometry[k], &s->shape_pose[k]);
    solid += share * s->shape_volume[k];
    mass +=
        s->volume[grain] > 0 ? share * s->shape_volume[k] / s->volume[grain] * s->mass[grain] : 0;
  }
  mean[TL_MEAN_PACKING_FRACTION] = solid / volume;
  mean[TL_MEAN_DENSITY] = mass / volume;
}

/* The mean motion at a place: by mass, and in a cell as a whole what its deformation adds. */
typedef struct mean_motion {
  double mass, velocity[3], centre[3], rate[6];
  int32_t count;
} mean_motion;

static mean_motion mean_motion_of(const tl_sample *s, const tl_domain *d) {
  mean_motion m = {.mass = 0};
  for (int32_t k = 0; k < s->grain_count; k++) {
    if (tl_domain_contains(d, s->centre + 3 * (size_t)k)) {
      tl_along3(m.velocity, m.velocity, s->mass[k], s->velocity + 3 * (size_t)k);
      tl_along3(m.centre, m.centre, s->mass[k], s->centre + 3 * (size_t)k);
      m.mass += s->mass[k];
      m.count++;
    }
  }
  for (int c = 0; c < 3; c++) {
    m.velocity[c] = m.mass > 0 ? m.velocity[c] / m.mass : NAN;
    m.centre[c] = m.mass > 0 ? m.centre[c] / m.mass : NAN;
  }
  if (d->kind == TL_DOMAIN_CELL) {
    memcpy(m.rate, s->frame->rate, sizeof m.rate);
  }
  return m;
}

/* Mean velocity by mass, and the square of what deviates from the mean motion. */
static void take_motion(const tl_sample *s, const tl_domain *d, double volume, double *mean) {
  const mean_motion m = mean_motion_of(s, d);
  double flux[6] = {0, 0, 0, 0, 0, 0};
  for (int32_t k = 0; k < s->grain_count; k++) {
    const double *const at = s->centre + 3 * (size_t)k;
    double own[3], away[3], flow[3];
    if (!tl_domain_contains(d, at)) {
      continue;
    }
    tl_sub3(away, at, m.centre);
    tl_lattice_point(m.rate, away, flow);
    tl_sub3(own, s->velocity + 3 * (size_t)k, m.velocity);
    tl_sub3(own, own, flow);
    for (int i = 0; i < 6; i++) {
      flux[i] += s->mass[k] * own[row[i]] * own[column[i]];
    }
  }
  tl_copy3(mean + TL_MEAN_VELOCITY, m.velocity);
  mean[TL_MEAN_GRAINS] = m.count;
  mean[TL_MEAN_TEMPERATURE] =
      m.mass > 0 ? (flux[0] + flux[1] + flux[2]) / (m.mass * (s->plane ? 2 : 3)) : NAN;
  for (int i = 0; i < 6; i++) {
    mean[TL_MEAN_KINETIC_STRESS + i] = flux[i] / volume;
  }
}

static void take_coordination(tl_sample *s, const tl_domain *d, int32_t limit, double *mean) {
  int64_t count = 0, held = 0, touching = 0, kept = 0;
  tl_sample_mark_rattlers(s, limit);
  for (int32_t k = 0; k < s->grain_count; k++) {
    if (tl_domain_contains(d, s->centre + 3 * (size_t)k)) {
      count++;
      touching += s->touching[k];
      kept += !s->rattler[k];
      held += s->rattler[k] ? 0 : s->held[k];
    }
  }
  mean[TL_MEAN_COORDINATION] = count > 0 ? (double)touching / (double)count : NAN;
  mean[TL_MEAN_COORDINATION_HELD] = kept > 0 ? (double)held / (double)kept : NAN;
  mean[TL_MEAN_RATTLERS] = count > 0 ? (double)(count - kept) / (double)count : NAN;
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* Force times the part of the branch that is inside: two straight lines that meet at the point. */
static void take_stress(const tl_sample *s, const tl_domain *d, double volume, double *mean) {
  double *const stress = mean + TL_MEAN_STRESS;
  memset(stress, 0, 6 * sizeof *stress);
  for (int32_t k = 0; k < s->contact_count; k++) {
    const double *const point = s->point + 3 * (size_t)k, *const f = s->force + 3 * (size_t)k;
    double from[3], to[3], way[3], branch[3] = {0, 0, 0};
    if (!tl_domain_meets_ball(d, point, s->reach[k])) {
      continue;
    }
    tl_sample_branch(s, k, from, to);
    tl_sub3(way, point, from);
    if (tl_dot3(way, way) > 0) {
      tl_along3(branch, branch, tl_domain_line_share(d, from, point), way);
    }
    tl_sub3(way, to, point);
    if (tl_dot3(way, way) > 0) {
      tl_along3(branch, branch, tl_domain_line_share(d, point, to), way);
    }
    for (int i = 0; i < 6; i++) {
      stress[i] += 0.5 * (f[row[i]] * branch[column[i]] + f[column[i]] * branch[row[i]]) / volume;
    }
  }
  const double trace = stress[0] + stress[2] + (s->plane ? 0 : stress[1]);
  mean[TL_MEAN_PRESSURE] = trace / (s->plane ? 2 : 3);
}

static void take_contacts(const tl_sample *s, const tl_domain *d, double *mean) {
  double normal = 0, tangential = 0, fabric[6] = {0, 0, 0, 0, 0, 0};
  int64_t count = 0;
  for (int32_t k = 0; k < s->contact_count; k++) {
    const double *const n = s->normal + 3 * (size_t)k, *const f = s->force + 3 * (size_t)k;
    if (!tl_domain_contains(d, s->point + 3 * (size_t)k)) {
      continue;
    }
    const double along = tl_dot3(f, n);
    double across[3];
    tl_along3(across, f, -along, n);
    normal += along;
    tangential += tl_norm3(across);
    for (int i = 0; i < 6; i++) {
      fabric[i] += n[row[i]] * n[column[i]];
    }
    count++;
  }
  mean[TL_MEAN_CONTACTS] = (double)count;
  mean[TL_MEAN_NORMAL_FORCE] = count > 0 ? normal / (double)count : NAN;
  mean[TL_MEAN_TANGENTIAL_FORCE] = count > 0 ? tangential / (double)count : NAN;
  for (int i = 0; i < 6; i++) {
    mean[TL_MEAN_FABRIC + i] = count > 0 ? fabric[i] / (double)count : NAN;
  }
}

void tl_means_take(tl_sample *s, const tl_domain *d, uint32_t groups, int32_t rattlers,
                   double mean[TL_MEAN_COUNT]) {
  const double volume = tl_domain_volume(d);
  for (int i = 0; i < TL_MEAN_COUNT; i++) {
    mean[i] = NAN;
  }
  if (!(volume > 0)) {
    return;
  }
  if (asked(groups, TL_GROUP_PACKING_FRACTION) || asked(groups, TL_GROUP_DENSITY)) {
    take_solid(s, d, volume, mean);
  }
  if (asked(groups, TL_GROUP_GRAINS) || asked(groups, TL_GROUP_VELOCITY) ||
      asked(groups, TL_GROUP_TEMPERATURE) || asked(groups, TL_GROUP_KINETIC_STRESS)) {
    take_motion(s, d, volume, mean);
  }
  if (asked(groups, TL_GROUP_COORDINATION)) {
    take_coordination(s, d, rattlers, mean);
  }
  if (asked(groups, TL_GROUP_STRESS)) {
    take_stress(s, d, volume, mean);
  }
  if (asked(groups, TL_GROUP_FABRIC) || asked(groups, TL_GROUP_FORCE)) {
    take_contacts(s, d, mean);
  }
}

/* ---- through a plane ------------------------------------------------------------------------- */

tl_flow tl_flow_take(const tl_sample *s, const double point[3], const double normal[3],
                     const tl_domain *within) {
  const double pi = 3.14159265358979323846;
  tl_flow flow = {0, 0, 0};
  for (int32_t k = 0; k < s->shape_count; k++) {
    const int32_t grain = s->shape_grain[k];
    const double volume = s->shape_volume[k];
    const double radius =
        s->plane ? sqrt(volume / pi) : cbrt(volume / (4.0 / 3 * pi)); /* of a ball: its own */
    const double *const centre = s->shape_geometry[k]->kind == TALUS_SHAPE_SPHERE
                                     ? s->shape_pose[k].position
                                     : s->centre + 3 * (size_t)grain;
    double way[3], middle[3];
    tl_sub3(way, centre, point);
    const double height = tl_dot3(way, normal);
    tl_along3(middle, centre, -height, normal);
    if (!(fabs(height) < radius) || (within != NULL && !tl_domain_contains(within, middle))) {
      continue;
    }
    const double square = radius * radius - height * height;
    const double area = s->plane ? 2 * sqrt(square) : pi * square;
    const double speed = tl_dot3(s->velocity + 3 * (size_t)grain, normal);
    flow.volume += area * speed;
    flow.mass += s->mass[grain] / s->volume[grain] * area * speed;
    flow.number += area * speed / s->volume[grain];
  }
  return flow;
}
