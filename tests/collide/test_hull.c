/* test_hull.c: hulls of many points: in a time that grows with their number, the same whatever lies
 * inside, and, where libqhull is there, held against its corners and volumes. */
#include <time.h>

#include "host/collide/hull.h"
#include "host/collide/hull_support.h"
#include "tests/collide/shapes.h"
#include "tests/scarce.h"
#if TL_HAVE_QHULL
#include <libqhull_r/qhull_ra.h>
#endif

static talus_context *context;

typedef enum cloud { BALL, SOLID, TIN, TILTED, CONE, CUBE, LATTICE, SINGLE, CLOUDS } cloud;
static const char *const cloud_name[CLOUDS] = {"ball", "solid", "tin",     "tilted tin",
                                               "cone", "cube",  "lattice", "ball in float"};

/* So many points of a kind; those of round faces lie in planes but for rounding. */
static double *make_points(cloud kind, int32_t count) {
  static const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
  double *const point = malloc(3 * (size_t)count * sizeof *point);
  for (int32_t k = 0; k < count; k++) {
    double *const p = point + 3 * (size_t)k, at[3];
    const double angle = 6.283185307179586 * (k / 2) / (count / 2), size = between(0, 1);
    random_direction(p);
    for (int i = 0; i < 3; i++) {
      p[i] *= kind == SOLID ? size : 1;
      p[i] = kind == LATTICE ? floor(between(0, 12)) : kind == SINGLE ? (float)p[i] : p[i];
      p[i] = kind == CUBE ? (k % 3 == i ? k / 3 % 2 : between(0, 1)) : p[i];
    }
    if (kind == TIN || kind == TILTED || kind == CONE) {
      p[0] = cos(angle);
      p[1] = sin(angle);
      p[2] = kind == CONE ? (k == 0) : k % 2;
      p[0] *= kind == CONE && k == 0 ? 0 : 1;
    }
    if (kind == TILTED) {
      memcpy(at, p, sizeof at);
      for (int i = 0; i < 3; i++) {
        p[i] = dot(turn + 3 * i, at) + 10 * i;
      }
    }
  }
  return point;
}

static tl_hull *hull_of(const double *point, int32_t count, const char *name) {
  tl_hull *hull = NULL;
  const talus_status status = tl_hull_create(context, point, count, &hull);
  CHECK_CASE(status == TALUS_OK, "%s, %d points: %s", name, count, talus_context_message(context));
  return hull;
}

static double seconds_of(cloud kind, int32_t count) {
  double *const point = make_points(kind, count);
  const clock_t begin = clock();
  tl_hull *const hull = hull_of(point, count, cloud_name[kind]);
  const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  tl_hull_destroy(context, hull);
  free(point);
  return seconds;
}

/* Twenty times the points may take a hundred times as long, and half a second more. */
static void check_times(void) {
  for (int kind = 0; kind < CLOUDS; kind++) {
    const double few = seconds_of((cloud)kind, 1000), many = seconds_of((cloud)kind, 20000);
    printf("%s: 1000 points %.3g s, 20 000 %.3g s\n", cloud_name[kind], few, many);
    CHECK_CASE(many <= 100 * few + 0.5, "%s: %g and %g s", cloud_name[kind], few, many);
  }
}

/* How far points reach, against a loop over them, to the last bit. */
static void check_support(void) {
  for (int trial = 0; trial < 40; trial++) {
    const int32_t count = trial < 8 ? 1 + 12 * trial : 100 + 60 * trial;
    const cloud kind = (cloud)(trial % CLOUDS);
    double *const point = make_points(kind, count);
    tl_support support;
    CHECK(tl_support_begin(context, &support, point, count) == TALUS_OK);
    for (int k = 0; k < 200; k++) {
      double n[3], reach = -INFINITY;
      random_direction(n);
      for (int i = 0; i < 3 && k % 4 == 0; i++) { /* along axes and in their planes */
        n[i] = (k / 4 >> i & 1) ? n[i] : k / 32 % 2 ? 0.0 : -0.0;
      }
      for (int32_t i = 0; i < count; i++) {
        reach = fmax(reach, dot(n, point + 3 * (size_t)i));
      }
      CHECK(tl_support_reach(&support, n, -INFINITY) == reach);
      CHECK(tl_support_reach(&support, n, reach) == reach);
      CHECK(tl_support_reach(&support, n, reach + 1) == reach + 1);
    }
    tl_support_release(context, &support);
    free(point);
  }
}

static int same_bits(const tl_hull *a, const tl_hull *b) {
  return a->point_count == b->point_count && a->face_count == b->face_count &&
         a->edge_count == b->edge_count &&
         memcmp(a->point, b->point, 3 * (size_t)a->point_count * sizeof(double)) == 0 &&
         memcmp(a->face_first, b->face_first, (size_t)(a->face_count + 1) * sizeof(int32_t)) == 0 &&
         memcmp(a->face_point, b->face_point,
                (size_t)a->face_first[a->face_count] * sizeof(int32_t)) == 0 &&
         memcmp(a->face_plane, b->face_plane, 4 * (size_t)a->face_count * sizeof(double)) == 0 &&
         memcmp(a->edge, b->edge, 2 * (size_t)a->edge_count * sizeof(int32_t)) == 0 &&
         memcmp(a->edge_face, b->edge_face, 2 * (size_t)a->edge_count * sizeof(int32_t)) == 0;
}

/* Corners alone, and the same with points inside and on the surface between them: another way of
 * growing, the same polyhedron to the last bit. */
static void check_bits(void) {
  for (int trial = 0; trial < 60; trial++) {
    const cloud kind = (cloud)(trial % CLOUDS);
    double *const point = make_points(kind, 40 + 4 * trial);
    tl_hull *const whole = hull_of(point, 40 + 4 * trial, cloud_name[kind]);
    const int32_t corners = whole->point_count;
    double *const mixed = malloc(6 * (size_t)corners * sizeof *mixed);
    int32_t used = 0;
    for (int32_t k = 0; k < corners; k++) {
      const double *const here = whole->point + 3 * (size_t)k;
      const double *const other = whole->point + 3 * (size_t)((k + 1 + k % 5) % corners);
      for (int i = 0; i < 3; i++) {
        mixed[3 * (size_t)used + i] = 0.5 * (here[i] + other[i]);
        mixed[3 * (size_t)used + 3 + i] = here[i];
      }
      used += 2;
    }
    tl_hull *const plain = hull_of(whole->point, corners, cloud_name[kind]);
    tl_hull *const again = hull_of(mixed, used, cloud_name[kind]);
    CHECK_CASE(same_bits(plain, again), "%s: %d corners, then %d of %d", cloud_name[kind], corners,
               again->point_count, used);
    tl_hull_destroy(context, whole);
    tl_hull_destroy(context, plain);
    tl_hull_destroy(context, again);
    free(mixed);
    free(point);
  }
}

#if TL_HAVE_QHULL

static double volume_of(const tl_hull *hull) {
  double volume = 0;
  for (int32_t f = 0; f < hull->face_count; f++) {
    const int32_t *const corner = hull->face_point + hull->face_first[f];
    for (int32_t k = 2; k < hull->face_first[f + 1] - hull->face_first[f]; k++) {
      const double *const a = hull->point + 3 * corner[0], *const b =
                                                               hull->point + 3 * corner[k - 1];
      const double *const c = hull->point + 3 * corner[k];
      const double turned[3] = {b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2],
                                b[0] * c[1] - b[1] * c[0]};
      volume += dot(a, turned) / 6;
    }
  }
  return volume;
}

static int near_to(const double *a, const double *b) {
  const double arm[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return dot(arm, arm) < 1e-26;
}

/* The same corners, as many faces, the same volume. */
static void check_against(cloud kind, double *point, int32_t count) {
  tl_hull *const hull = hull_of(point, count, cloud_name[kind]);
  if (hull == NULL) {
    return;
  }
  FILE *const nowhere = fopen("/dev/null", "w");
  qhT judge;
  int32_t corners = 0, long_memory, short_memory;
  char words[] = "qhull Pp";
  qh_zero(&judge, nowhere);
  CHECK(qh_new_qhull(&judge, 3, count, point, 0, words, NULL, nowhere) == 0);
  for (const vertexT *v = judge.vertex_list; v != NULL && v->next != NULL; v = v->next) {
    int there = 0;
    for (int32_t k = 0; k < hull->point_count; k++) {
      there |= near_to(hull->point + 3 * (size_t)k, v->point);
    }
    corners += there;
  }
  qh_getarea(&judge, judge.facet_list);
  CHECK_CASE(corners == hull->point_count && corners == judge.num_vertices,
             "%s, %d points: %d corners, %d by libqhull", cloud_name[kind], count,
             hull->point_count, judge.num_vertices);
  CHECK_CASE(judge.num_facets == hull->face_count, "%s, %d points: %d faces, %d by libqhull",
             cloud_name[kind], count, hull->face_count, judge.num_facets);
  CHECK_CLOSE(volume_of(hull), judge.totvol, 1e-9 * judge.totvol);
  qh_freeqhull(&judge, !qh_ALL);
  qh_memfreeshort(&judge, &long_memory, &short_memory);
  fclose(nowhere);
  tl_hull_destroy(context, hull);
}

static void check_judge(void) {
  for (int trial = 0; trial < 160; trial++) {
    const cloud kind = (cloud)(trial % CLOUDS);
    const int32_t count = 8 + 2 * trial;
    double *const point = make_points(kind, count);
    check_against(kind, point, count);
    free(point);
  }
}

#else

static void check_judge(void) {
  printf("libqhull is not there: hulls are not held against it\n");
}

#endif

/* Memory that runs out at every request in turn. */
static void check_memory(void) {
  double *const point = make_points(SOLID, 400);
  talus_status status = TALUS_OUT_OF_MEMORY;
  for (int64_t at = 1; status != TALUS_OK && at < 200; at++) {
    scarce s = {0};
    tl_hull *hull = NULL;
    talus_context *const poor = scarce_context(&s);
    const int64_t held = s.held;
    s.fail_at = s.requests + at;
    status = tl_hull_create(poor, point, 400, &hull);
    CHECK((status == TALUS_OK && hull != NULL) || status == TALUS_OUT_OF_MEMORY);
    tl_hull_destroy(poor, hull);
    CHECK(s.held == held);
    talus_context_destroy(poor);
  }
  CHECK(status == TALUS_OK);
  free(point);
}

int main(void) {
  context = new_context();
  check_support();
  check_bits();
  check_judge();
  check_memory();
  check_times();
  talus_context_destroy(context);
  return check_end();
}
