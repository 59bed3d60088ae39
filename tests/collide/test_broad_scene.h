/* test_broad_scene.h: random colliders for the tests of the broad-phase, and the plain search over
 * all pairs that they are judged by (long double; shares nothing with host/collide but the box). */
#ifndef TL_TEST_BROAD_SCENE_H
#define TL_TEST_BROAD_SCENE_H

#include <string.h>

#include "host/collide/broad.h"
#include "tests/check.h"

typedef struct scene {
  int32_t count;
  tl_collider *collider;
  tl_geometry *geometry;
} scene;

static inline uint64_t scene_bits(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15U;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return z ^ z >> 31;
}

static inline double scene_uniform(uint64_t *state, double lower, double upper) {
  return lower + (upper - lower) * (double)(scene_bits(state) >> 11) * 0x1p-53;
}

static inline scene scene_make(int32_t count) {
  scene made = {count, calloc((size_t)count + 1, sizeof(tl_collider)),
                calloc((size_t)count + 1, sizeof(tl_geometry))};
  for (int32_t i = 0; i < count; i++) {
    tl_collider *const c = &made.collider[i];
    c->geometry = &made.geometry[i];
    c->body = c->shape = i;
    c->movable = 1;
    c->collides = UINT32_MAX;
    c->pose.rotation[0] = c->pose.rotation[4] = c->pose.rotation[8] = 1;
  }
  return made;
}

static inline void scene_free(scene *made) {
  free(made->collider);
  free(made->geometry);
}

static inline void scene_turn(tl_collider *c, uint64_t *state) {
  double q[4], length = 0;
  for (int i = 0; i < 4; i++) {
    q[i] = scene_uniform(state, -1, 1);
    length += q[i] * q[i];
  }
  for (int i = 0; i < 4; i++) {
    q[i] /= sqrt(length);
  }
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(c->pose.rotation, r, sizeof r);
}

static inline void scene_sphere(scene *made, int32_t i, double radius, const double lower[3],
                                const double upper[3], uint64_t *state) {
  made->geometry[i].kind = TALUS_SHAPE_SPHERE;
  made->geometry[i].radius = radius;
  for (int axis = 0; axis < 3; axis++) {
    made->collider[i].pose.position[axis] = scene_uniform(state, lower[axis], upper[axis]);
  }
  made->collider[i].margin = 0.02 * radius;
}

/* How far a pair is from being one: the distance between balls, else between boxes along the axis
 * of largest distance, else of the box above the half-space; margins taken off. */
static inline long double scene_height(const tl_collider *plane, const tl_collider *c,
                                       const tl_box *box) {
  long double height = 0;
  for (int axis = 0; axis < 3; axis++) {
    const long double n = plane->pose.rotation[3 * axis + 2];
    const long double p = c->geometry->kind == TALUS_SHAPE_SPHERE ? c->pose.position[axis]
                          : n > 0                                 ? box->lower[axis]
                                                                  : box->upper[axis];
    height += n == 0 ? 0 : n * (p - plane->pose.position[axis]);
    height -= c->geometry->kind == TALUS_SHAPE_SPHERE ? 0 : fabsl(n) * c->margin;
  }
  return height -
         (c->geometry->kind == TALUS_SHAPE_SPHERE ? c->geometry->radius + c->margin : 0.0L) -
         plane->margin;
}

static inline long double scene_distance(const tl_collider *a, const tl_collider *b,
                                         const tl_box *box_a, const tl_box *box_b) {
  const int kind_a = a->geometry->kind, kind_b = b->geometry->kind;
  if (kind_a == TALUS_SHAPE_HALFSPACE && kind_b == TALUS_SHAPE_HALFSPACE) {
    return -INFINITY;
  }
  if (kind_a == TALUS_SHAPE_HALFSPACE) {
    return scene_height(a, b, box_b);
  }
  if (kind_b == TALUS_SHAPE_HALFSPACE) {
    return scene_height(b, a, box_a);
  }
  const long double margins = (long double)a->margin + b->margin;
  if (kind_a == TALUS_SHAPE_SPHERE && kind_b == TALUS_SHAPE_SPHERE) {
    long double square = 0;
    for (int axis = 0; axis < 3; axis++) {
      const long double d = (long double)a->pose.position[axis] - b->pose.position[axis];
      square += d * d;
    }
    return sqrtl(square) - a->geometry->radius - b->geometry->radius - margins;
  }
  long double most = -INFINITY;
  for (int axis = 0; axis < 3; axis++) {
    const long double up = (long double)box_a->lower[axis] - box_b->upper[axis];
    const long double down = (long double)box_b->lower[axis] - box_a->upper[axis];
    most = up > most ? up : most;
    most = down > most ? down : most;
  }
  return most - margins;
}

static inline int scene_meet(const tl_collider *a, const tl_collider *b) {
  return a->body != b->body && (a->movable || b->movable) && (a->collides >> b->group & 1) &&
         (b->collides >> a->group & 1);
}

/* Counts the pairs that are missing, that should not be there (distance above `loose`), or that
 * stand out of order. Pairs within tolerance of touching may be there or not. */
typedef struct scene_errors {
  int64_t missing, needless, disorder, expected;
} scene_errors;

static inline scene_errors scene_judge(const scene *made, const tl_pair *pair, int64_t count,
                                       double tolerance, double loose) {
  scene_errors errors = {0, 0, 0, 0};
  int64_t next = 0;
  tl_box *const box = malloc(((size_t)made->count + 1) * sizeof *box);
  for (int32_t i = 0; i < made->count; i++) {
    box[i] = tl_collider_box(&made->collider[i]);
  }
  for (int64_t k = 1; k < count; k++) {
    errors.disorder +=
        !(pair[k - 1].a < pair[k].a || (pair[k - 1].a == pair[k].a && pair[k - 1].b < pair[k].b));
  }
  for (int32_t a = 0; a < made->count; a++) {
    for (int32_t b = a + 1; b < made->count; b++) {
      const int there = next < count && pair[next].a == a && pair[next].b == b;
      next += there;
      const int meet = scene_meet(&made->collider[a], &made->collider[b]);
      if (!meet && !there) {
        continue;
      }
      const long double distance =
          scene_distance(&made->collider[a], &made->collider[b], &box[a], &box[b]);
      errors.expected += meet && distance < -tolerance;
      errors.missing += meet && !there && distance < -tolerance;
      errors.needless += there && (!meet || distance > loose + tolerance);
    }
  }
  errors.disorder += next != count;
  free(box);
  return errors;
}

/* The search on a number of threads, held against the plain one and against the same on others. */
static inline void scene_check(talus_context *context, const scene *made, double tolerance,
                               const char *name) {
  static const int32_t threads[] = {1, 2, 7};
  tl_pair *first = NULL;
  int64_t first_count = 0;
  for (int k = 0; k < 3; k++) {
    tl_broad *broad = NULL;
    const tl_pair *pair;
    int64_t count;
    CHECK(tl_broad_create(context, &broad) == TALUS_OK);
    CHECK_CASE(tl_broad_pairs(broad, made->collider, made->count, threads[k], &pair, &count) ==
                   TALUS_OK,
               "%s: %s", name, talus_context_message(context));
    if (k == 0) {
      first = malloc((size_t)(count + 1) * sizeof *first);
      memcpy(first, pair, (size_t)count * sizeof *first);
      first_count = count;
      const scene_errors errors = scene_judge(made, pair, count, tolerance, 0);
      CHECK_CASE(errors.missing == 0, "%s: %lld of %lld missing", name, (long long)errors.missing,
                 (long long)errors.expected);
      CHECK_CASE(count > 0 || made->count < 4, "%s: no pair found", name);
      CHECK_CASE(errors.needless == 0, "%s: %lld needless", name, (long long)errors.needless);
      CHECK_CASE(errors.disorder == 0, "%s: %lld out of order", name, (long long)errors.disorder);
    } else {
      CHECK_CASE(count == first_count && memcmp(pair, first, (size_t)count * sizeof *first) == 0,
                 "%s: %d threads differ from one", name, (int)threads[k]);
    }
    tl_broad_destroy(broad);
  }
  free(first);
}

#endif
