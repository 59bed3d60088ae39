/* sample.c: grains, shapes and contacts of a frame; see sample.h. */
#include "host/measure/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/math/lattice.h"
#include "host/math/rotation.h"

/* ---- grains ---------------------------------------------------------------------------------- */

/* index: of the grain of each body of the frame, -1: none. */
static talus_status take_grains(tl_sample *s, int32_t **index) {
  const tl_frame *const frame = s->frame;
  const size_t all = (size_t)frame->body_count;
  TL_TRY(tl_buffer_reserve(s->context, &s->grains, all + 1,
                           9 * sizeof(double) + 5 * sizeof(int32_t), "grains of a measurement"));
  s->centre = s->grains.memory;
  s->velocity = s->centre + 3 * all;
  s->mass = s->velocity + 3 * all;
  s->radius = s->mass + all;
  s->volume = s->radius + all;
  s->id = (int32_t *)(s->volume + all);
  s->touching = s->id + all;
  s->held = s->touching + all;
  *index = s->held + all;
  s->rattler = (bool *)(*index + all);
  s->grain_count = 0;
  for (int32_t k = 0; k < frame->body_count; k++) {
    const int32_t n = s->grain_count;
    (*index)[k] = frame->type[k] == TALUS_BODY_FREE ? n : -1;
    if ((*index)[k] >= 0) {
      tl_copy3(s->centre + 3 * (size_t)n, frame->position + 3 * (size_t)k);
      tl_copy3(s->velocity + 3 * (size_t)n, frame->velocity + 3 * (size_t)k);
      s->mass[n] = frame->mass[k];
      s->radius[n] = frame->radius[k];
      s->volume[n] = 0;
      s->id[n] = frame->id[k];
      s->grain_count++;
    }
  }
  return TALUS_OK;
}

static talus_status take_shapes(tl_sample *s, const int32_t *index) {
  const tl_frame *const frame = s->frame;
  const size_t all = (size_t)frame->shape_count;
  TL_TRY(
      tl_buffer_reserve(s->context, &s->shapes, all,
                        sizeof(tl_pose) + sizeof(tl_geometry *) + sizeof(double) + sizeof(int32_t),
                        "shapes of a measurement"));
  s->shape_pose = s->shapes.memory;
  s->shape_geometry = (const tl_geometry **)(s->shape_pose + all);
  s->shape_volume = (double *)(s->shape_geometry + all);
  s->shape_grain = (int32_t *)(s->shape_volume + all);
  s->shape_count = 0;
  for (int32_t k = 0; k < frame->shape_count; k++) {
    const int32_t grain = index[frame->shape_body[k]], n = s->shape_count;
    if (grain >= 0) {
      s->shape_pose[n] = tl_frame_shape_pose(frame, k);
      s->shape_geometry[n] = frame->shape_geometry[k];
      s->shape_volume[n] = tl_geometry_mass(frame->shape_geometry[k], frame->plane).volume;
      s->shape_grain[n] = grain;
      s->volume[grain] += s->shape_volume[n];
      s->shape_count++;
    }
  }
  return TALUS_OK;
}

/* ---- contacts -------------------------------------------------------------------------------- */

typedef struct named {
  int32_t id, grain;
} named;

static int by_id(const void *a, const void *b) {
  const int32_t x = ((const named *)a)->id, y = ((const named *)b)->id;
  return (x > y) - (x < y);
}

/* The grain with an id, -1: none; list sorted. */
static int32_t grain_of(const named *list, int32_t count, int32_t id) {
  int32_t low = 0, high = count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (list[middle].id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count && list[low].id == id ? list[low].grain : -1;
}

typedef struct pair {
  int32_t id[2], grain[2];
} pair;

static int by_pair(const void *a, const void *b) {
  const pair *x = a, *y = b;
  return x->id[0] != y->id[0] ? (x->id[0] > y->id[0]) - (x->id[0] < y->id[0])
                              : (x->id[1] > y->id[1]) - (x->id[1] < y->id[1]);
}

/* Bodies that meet at several points are one pair. */
static void take_pairs(tl_sample *s, pair *all) {
  qsort(all, (size_t)s->contact_count, sizeof *all, by_pair);
  s->pair_count = 0;
  memset(s->touching, 0, (size_t)s->grain_count * sizeof *s->touching);
  for (int32_t k = 0; k < s->contact_count; k++) {
    if (k > 0 && by_pair(&all[k - 1], &all[k]) == 0) {
      continue;
    }
    for (int side = 0; side < 2; side++) {
      s->pair_grain[2 * s->pair_count + side] = all[k].grain[side];
      if (all[k].grain[side] >= 0) {
        s->touching[all[k].grain[side]]++;
      }
    }
    s->pair_count++;
  }
}

static bool carries_force(const double f[3]) {
  return f[0] != 0 || f[1] != 0 || f[2] != 0;
}

static double branch_reach(const tl_sample *s, int32_t contact) {
  double from[3], to[3];
  tl_sample_branch(s, contact, from, to);
  tl_sub3(from, from, s->point + 3 * (size_t)contact);
  tl_sub3(to, to, s->point + 3 * (size_t)contact);
  return fmax(tl_norm3(from), tl_norm3(to));
}

static void take_touching(tl_sample *s, const named *list, pair *pairs) {
  const tl_frame *const frame = s->frame;
  s->contact_count = 0;
  for (size_t k = 0; k < (size_t)frame->contact_count; k++) {
    const int32_t *const body = frame->contact_body + 2 * k;
    const size_t n = (size_t)s->contact_count;
    const int32_t a = grain_of(list, s->grain_count, body[0]);
    const int32_t b = grain_of(list, s->grain_count, body[1]);
    if (!carries_force(frame->contact_force + 3 * k) || (a < 0 && b < 0)) {
      continue;
    }
    const bool swap = body[0] > body[1];
    pairs[n] = (pair){{body[swap], body[!swap]}, {swap ? b : a, swap ? a : b}};
    s->contact_grain[2 * n] = a;
    s->contact_grain[2 * n + 1] = b;
    tl_copy3(s->point + 3 * n, frame->contact_point + 3 * k);
    tl_copy3(s->normal + 3 * n, frame->contact_normal + 3 * k);
    tl_copy3(s->force + 3 * n, frame->contact_force + 3 * k);
    s->contact_count++;
    s->reach[n] = branch_reach(s, (int32_t)n);
  }
  take_pairs(s, pairs);
}

static talus_status take_contacts(tl_sample *s) {
  const size_t all = (size_t)s->frame->contact_count;
  void *list = NULL;
  TL_TRY(tl_buffer_reserve(s->context, &s->contacts, all, 10 * sizeof(double) + 4 * sizeof(int32_t),
                           "contacts of a measurement"));
  s->point = s->contacts.memory;
  s->normal = s->point + 3 * all;
  s->force = s->normal + 3 * all;
  s->reach = s->force + 3 * all;
  s->contact_grain = (int32_t *)(s->reach + all);
  s->pair_grain = s->contact_grain + 2 * all;
  TL_TRY(tl_buffer_reserve(s->context, &s->pairs, all, sizeof(pair), "pairs of a measurement"));
  TL_TRY(tl_alloc(s->context, &list, (size_t)s->grain_count, sizeof(named), "grains by their ids"));
  named *const by = list;
  for (int32_t k = 0; k < s->grain_count; k++) {
    by[k] = (named){s->id[k], k};
  }
  qsort(by, (size_t)s->grain_count, sizeof *by, by_id);
  take_touching(s, by, s->pairs.memory);
  tl_free(s->context, list);
  return TALUS_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

talus_status tl_sample_take(tl_sample *s, const tl_frame *frame) {
  int32_t *index = NULL;
  if (frame->mass == NULL) {
    return tl_fail(s->context, TALUS_MISSING_ARRAY,
                   "the frames have no masses: they were written by an older version; run the "
                   "scene again, or measure during the run");
  }
  s->frame = frame;
  s->plane = frame->plane != 0;
  s->time = frame->time;
  s->rattler_limit = -1;
  TL_TRY(take_grains(s, &index));
  TL_TRY(take_shapes(s, index));
  return take_contacts(s);
}

void tl_sample_release(tl_sample *s) {
  if (s->context != NULL) {
    tl_buffer_release(s->context, &s->grains);
    tl_buffer_release(s->context, &s->shapes);
    tl_buffer_release(s->context, &s->contacts);
    tl_buffer_release(s->context, &s->pairs);
  }
}

/* Counts for each grain what touches it and is no rattler. */
static void count_held(tl_sample *s) {
  memset(s->held, 0, (size_t)s->grain_count * sizeof *s->held);
  for (int32_t k = 0; k < s->pair_count; k++) {
    const int32_t a = s->pair_grain[2 * k], b = s->pair_grain[2 * k + 1];
    const bool loose_a = a >= 0 && s->rattler[a], loose_b = b >= 0 && s->rattler[b];
    if (a >= 0 && !loose_b) {
      s->held[a]++;
    }
    if (b >= 0 && !loose_a) {
      s->held[b]++;
    }
  }
}

void tl_sample_mark_rattlers(tl_sample *s, int32_t limit) {
  bool more = s->rattler_limit != limit;
  if (more) {
    memset(s->rattler, 0, (size_t)s->grain_count * sizeof *s->rattler);
    s->rattler_limit = limit;
  }
  while (more) {
    more = false;
    count_held(s);
    for (int32_t k = 0; k < s->grain_count; k++) {
      if (!s->rattler[k] && s->held[k] < limit) {
        s->rattler[k] = more = true;
      }
    }
  }
}

bool tl_sample_pose(const tl_sample *s, int32_t id, tl_pose *pose) {
  const tl_frame *const frame = s->frame;
  for (int32_t k = 0; k < frame->body_count; k++) {
    if (frame->id[k] == id) {
      tl_copy3(pose->position, frame->position + 3 * (size_t)k);
      tl_quaternion_matrix(frame->orientation + 4 * (size_t)k, pose->rotation);
      return true;
    }
  }
  return false;
}

/* The centre of a grain, or that image of it which is at a point of contact; the point itself where
 * there is no grain. */
static void branch_end(const tl_sample *s, int32_t grain, const double *point, double end[3]) {
  tl_copy3(end, grain >= 0 ? s->centre + 3 * (size_t)grain : point);
  if (grain >= 0 && s->frame->periodic != 0) {
    double way[3];
    tl_sub3(way, s->centre + 3 * (size_t)grain, point);
    tl_lattice_nearest(s->frame->edge, s->frame->periodic, way);
    tl_along3(end, point, 1, way);
  }
}

void tl_sample_branch(const tl_sample *s, int32_t contact, double from[3], double to[3]) {
  const size_t k = (size_t)contact;
  branch_end(s, s->contact_grain[2 * k], s->point + 3 * k, from);
  branch_end(s, s->contact_grain[2 * k + 1], s->point + 3 * k, to);
}
