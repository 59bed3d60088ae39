/* measure_take.c: the values of one frame; see measure.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/measure/distribution.h"
#include "host/measure/measure.h"

/* ---- where ----------------------------------------------------------------------------------- */

/* The box around all grains; without any it has no volume. */
static tl_domain box_around(const tl_sample *s) {
  tl_domain d = {
      .kind = TL_DOMAIN_BOX, .plane = s->plane, .pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  for (int32_t k = 0; k < s->grain_count; k++) {
    for (int c = 0; c < 3; c++) {
      const double x = s->centre[3 * (size_t)k + (size_t)c], r = s->radius[k];
      d.lower[c] = k == 0 ? x - r : fmin(d.lower[c], x - r);
      d.upper[c] = k == 0 ? x + r : fmax(d.upper[c], x + r);
    }
  }
  return d;
}

/* The periodic cell as it is: edges along its periodic sides, the others as far as grains reach.
 * Sides lean along x and y alone, so that their product is the volume. */
static tl_domain cell_of(const tl_sample *s) {
  tl_domain d = box_around(s);
  d.kind = TL_DOMAIN_CELL;
  for (int c = 0; c < 3; c++) {
    if (s->frame->periodic >> c & 1u) {
      d.lower[c] = s->frame->origin[c];
      d.upper[c] = d.lower[c] + s->frame->edge[c];
    }
  }
  return d;
}

/* Whether a measurement is of a cell that has no faces: one that asks for it, or for nothing where
 * the frame is periodic in all directions: the box around its grains would be larger by those that
 * lie across faces, and by the corners beside leaning sides. */
static bool is_of_cell(const tl_measure_def *def, const tl_sample *s) {
  const uint32_t all = s->plane ? 5 : 7;
  return def->everywhere ? (def->kind == TL_MEASURE_REGION || def->kind == TL_MEASURE_FORCES) &&
                               (s->frame->periodic & all) == all
                         : def->domain.kind == TL_DOMAIN_CELL;
}

/* The pose of a frame that stands in another one. */
static tl_pose pose_in(const tl_pose *outer, const tl_pose *inner) {
  tl_pose pose;
  tl_place3(pose.position, outer, inner->position);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      pose.rotation[3 * i + j] = outer->rotation[3 * i] * inner->rotation[j] +
                                 outer->rotation[3 * i + 1] * inner->rotation[3 + j] +
                                 outer->rotation[3 * i + 2] * inner->rotation[6 + j];
    }
  }
  return pose;
}

/* Where the measurement is now. Status: INDEX_RANGE. */
static talus_status place_domain(const tl_measures *m, const tl_measure_def *def, tl_domain *d,
                                 tl_pose *body) {
  static const tl_pose home = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  *body = home;
  if (def->body != TALUS_NONE && !tl_sample_pose(&m->sample, def->body, body)) {
    return tl_fail(m->context, TALUS_INDEX_RANGE,
                   "measurement '%s': the body that it moves with (%d) is not there any more",
                   def->name, (int)def->body);
  }
  if (is_of_cell(def, &m->sample)) {
    *d = cell_of(&m->sample);
    return TALUS_OK;
  }
  *d = def->everywhere ? box_around(&m->sample) : def->domain;
  d->pose = def->everywhere ? d->pose : pose_in(body, &def->domain.pose);
  return TALUS_OK;
}

/* Bin k of a profile: between this edge and the next; edges are the same from both sides. */
static double edge_of(double low, double high, int32_t k, int32_t bins) {
  return k == bins ? high : low + (high - low) * k / bins;
}

static tl_domain bin_of(const tl_domain *all, tl_profile_along along, int32_t k, int32_t bins,
                        double *place) {
  tl_domain d = *all;
  double low, high;
  if (along <= TL_ALONG_Z) {
    low = d.lower[along] = edge_of(all->lower[along], all->upper[along], k, bins);
    high = d.upper[along] = edge_of(all->lower[along], all->upper[along], k + 1, bins);
  } else if (along == TL_ALONG_RADIUS) {
    low = d.inner = edge_of(all->inner, all->radius, k, bins);
    high = d.radius = edge_of(all->inner, all->radius, k + 1, bins);
  } else {
    const double foot[3] = {0, 0, edge_of(0, all->height, k, bins)};
    low = foot[2];
    high = edge_of(0, all->height, k + 1, bins);
    tl_place3(d.pose.position, &all->pose, foot);
    d.height = high - low;
  }
  *place = 0.5 * (low + high);
  return d;
}

/* ---- what ------------------------------------------------------------------------------------ */

static void take_means(tl_measures *m, tl_measure *item, const tl_domain *d, double *value) {
  double mean[TL_MEAN_COUNT];
  tl_means_take(&m->sample, d, item->def.groups, item->def.rattlers, mean);
  for (int i = 0; i < TL_MEAN_COUNT; i++) {
    if (item->def.groups >> tl_mean_columns[i].group & 1u) {
      *value++ = mean[i];
    }
  }
}

static void take_profile(tl_measures *m, tl_measure *item, const tl_domain *all) {
  for (int32_t k = 0; k < item->row_count; k++) {
    double *const value = item->value + (size_t)k * (size_t)item->column_count;
    const tl_domain d = bin_of(all, item->def.along, k, item->row_count, &value[0]);
    take_means(m, item, &d, value + 1);
  }
}

/* A column of bins beside their middles. */
static void fill_bins(tl_measure *item, const double *density) {
  for (int32_t k = 0; k < item->row_count; k++) {
    item->value[2 * k] = (k + 0.5) * item->def.reach / item->row_count;
    item->value[2 * k + 1] = density[k];
  }
}

static talus_status take_distribution(tl_measures *m, tl_measure *item, const tl_domain *d) {
  void *memory = NULL;
  int32_t count = 0;
  talus_status status = TALUS_OK;
  TL_TRY(tl_alloc(m->context, &memory, (size_t)item->row_count, sizeof(double), "a distribution"));
  if (item->def.kind == TL_MEASURE_RADIAL) {
    status = tl_radial_take(&m->sample, d, item->def.reach, item->row_count, memory, &count);
  } else {
    count = tl_force_density(&m->sample, d, item->def.reach, item->row_count, memory);
  }
  fill_bins(item, memory);
  item->found += count > 0;
  tl_free(m->context, memory);
  return status;
}

/* ---- through a plane ------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b) {
  const int32_t x = ((const tl_measure_side *)a)->id, y = ((const tl_measure_side *)b)->id;
  return (x > y) - (x < y);
}

/* Signed number of centres that crossed since the last frame, where the way meets the plane inside
 * of `within`, per second. */
static double crossings(const tl_measures *m, const double point[3], const double normal[3],
                        const tl_domain *within) {
  const tl_sample *const s = &m->sample;
  const tl_measure_side *const list = m->before.memory;
  double sum = 0;
  if (m->before_count < 0 || !(s->time > m->before_time)) {
    return NAN;
  }
  for (int32_t k = 0; k < s->grain_count; k++) {
    const tl_measure_side key = {.id = s->id[k]};
    const tl_measure_side *const old =
        bsearch(&key, list, (size_t)m->before_count, sizeof key, by_id);
    double way[3], from[3], at[3];
    if (old == NULL) {
      continue;
    }
    tl_sub3(from, old->centre, point);
    tl_sub3(way, s->centre + 3 * (size_t)k, old->centre);
    const double low = tl_dot3(from, normal), step = tl_dot3(way, normal);
    if ((low < 0) != (low + step < 0)) {
      tl_along3(at, old->centre, -low / step, way);
      sum += within == NULL || tl_domain_contains(within, at) ? (step > 0 ? 1 : -1) : 0;
    }
  }
  return sum / (s->time - m->before_time);
}

static void take_plane(tl_measures *m, tl_measure *item, const tl_domain *d, const tl_pose *body) {
  const tl_domain *const within = item->def.everywhere ? NULL : d;
  double point[3], normal[3];
  tl_place3(point, body, item->def.point);
  tl_turn3(normal, body->rotation, item->def.normal);
  const tl_flow flow = tl_flow_take(&m->sample, point, normal, within);
  item->value[0] = flow.mass;
  item->value[1] = flow.volume;
  item->value[2] = flow.number;
  if (m->crossings) {
    item->value[3] = crossings(m, point, normal, within);
  }
}

static talus_status keep_places(tl_measures *m) {
  const tl_sample *const s = &m->sample;
  TL_TRY(tl_buffer_reserve(m->context, &m->before, (size_t)s->grain_count, sizeof(tl_measure_side),
                           "places of grains"));
  tl_measure_side *const list = m->before.memory;
  for (int32_t k = 0; k < s->grain_count; k++) {
    list[k].id = s->id[k];
    tl_copy3(list[k].centre, s->centre + 3 * (size_t)k);
  }
  qsort(list, (size_t)s->grain_count, sizeof *list, by_id);
  m->before_count = s->grain_count;
  m->before_time = s->time;
  return TALUS_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool has_grain(const tl_sample *s, const tl_domain *d) {
  bool found = false;
  for (int32_t k = 0; k < s->grain_count && !found; k++) {
    found = tl_domain_meets_ball(d, s->centre + 3 * (size_t)k, s->radius[k]);
  }
  return found;
}

static talus_status take_one(tl_measures *m, tl_measure *item) {
  tl_domain d;
  tl_pose body;
  TL_TRY(place_domain(m, &item->def, &d, &body));
  if (item->def.kind != TL_MEASURE_RADIAL && item->def.kind != TL_MEASURE_FORCES) {
    item->found += has_grain(&m->sample, &d);
  }
  switch (item->def.kind) {
  case TL_MEASURE_REGION:
    take_means(m, item, &d, item->value);
    return TALUS_OK;
  case TL_MEASURE_PROFILE:
    take_profile(m, item, &d);
    return TALUS_OK;
  case TL_MEASURE_PLANE:
    take_plane(m, item, &d, &body);
    return TALUS_OK;
  case TL_MEASURE_FIELDS:
    item->grid.pose = d.pose;
    tl_grid_add(&item->grid, &m->sample);
    return TALUS_OK;
  default:
    return take_distribution(m, item, &d);
  }
}

talus_status tl_measures_take(tl_measures *m, const tl_frame *frame) {
  TL_TRY(tl_sample_take(&m->sample, frame));
  for (int32_t k = 0; k < m->count; k++) {
    TL_TRY(take_one(m, &m->item[k]));
  }
  return m->crossings ? keep_places(m) : TALUS_OK;
}
