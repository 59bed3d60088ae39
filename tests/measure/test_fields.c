/* test_fields.c: coarse graining: kernels have integral one and their lines are what a fine sum
 * says; the balances of mass and momentum hold at points; fields integrate to what a region holds;
 * files are what they should be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/measure/field.h"
#include "host/measure/means.h"
#include "tests/check.h"
#include "tests/measure/grains.h"

static const double pi = 3.14159265358979323846;

static void check_kernel(tl_kernel_kind kind, bool plane) {
  enum { COUNT = 20000 };
  const tl_kernel k = tl_kernel_make(kind, 0.7, plane);
  double sum = 0;
  for (int i = 0; i < COUNT; i++) {
    const double r = k.reach * (i + 0.5) / COUNT;
    sum += tl_kernel_at(&k, r * r) * (plane ? 2 * pi * r : 4 * pi * r * r) * k.reach / COUNT;
  }
  CHECK_CLOSE(sum, 1, 1e-7);
  CHECK_CLOSE(tl_kernel_at(&k, k.reach * k.reach), 0, 0);
  for (int i = 0; i < 60; i++) {
    const double h = 1.2 * k.reach * grains_uniform() * (i % 5 > 0);
    const double begin = 3 * k.reach * (grains_uniform() - 0.5);
    const double end = begin + 2 * k.reach * grains_uniform();
    double line = 0;
    for (int n = 0; n < COUNT; n++) {
      const double t = begin + (end - begin) * (n + 0.5) / COUNT;
      line += tl_kernel_at(&k, h * h + t * t) / COUNT;
    }
    /* the sum itself is off where the kernel ends at a step */
    CHECK_CLOSE(tl_kernel_along(&k, h * h, begin, end) / k.height, line / k.height, 2e-6);
  }
  CHECK_CLOSE(tl_kernel_along(&k, 0.01, 0.2, 0.2), tl_kernel_at(&k, 0.05), 1e-14);
}

/* With the table of cubic pieces the lines are the same to 1e-12. */
static void check_table(void) {
  static double table[TL_KERNEL_TABLE];
  const tl_kernel plain = tl_kernel_make(TL_KERNEL_GAUSSIAN, 0.7, false);
  tl_kernel fast = plain;
  tl_kernel_table_fill(table);
  fast.table = table;
  for (int i = 0; i < 10000; i++) {
    const double h = plain.reach * grains_uniform();
    const double begin = 2 * plain.reach * (grains_uniform() - 0.5);
    const double end = begin + plain.reach * grains_uniform();
    CHECK_CLOSE(tl_kernel_along(&fast, h * h, begin, end) / plain.height,
                tl_kernel_along(&plain, h * h, begin, end) / plain.height, 1e-10);
  }
  CHECK_CLOSE(tl_kernel_along(&fast, 0, -0.5, 0.5) / tl_kernel_along(&plain, 0, -0.5, 0.5), 1,
              1e-12);
}

/* Balls in motion, pushed by pairs of each other, by a wall, and by gravity. */
typedef struct crowd {
  grains *g;
  double (*acceleration)[3];
  int32_t wall;
} crowd;

static const double gravity[3] = {0.3, -0.2, -9.81};

static void push(crowd *s, int32_t a, int32_t b, const double point[3], const double force[3]) {
  double normal[3];
  tl_copy3(normal, force);
  tl_unit3(normal);
  grains_touch(s->g, a, b, point, normal, force);
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? b : a;
    if (body != s->wall) {
      tl_along3(s->acceleration[body], s->acceleration[body], (side ? 1 : -1) / s->g->mass[body],
                force);
    }
  }
}

static double around(void) {
  return 2 * grains_uniform() - 1;
}

/* Branches need not be straight: points of contact lie anywhere. */
static crowd make_crowd(void) {
  enum { COUNT = 12 };
  crowd s = {.g = grains_create(false), .acceleration = calloc(COUNT, sizeof *s.acceleration)};
  s.wall = COUNT;
  for (int k = 0; k < COUNT; k++) {
    const int32_t ball =
        grains_add(s.g, around(), around(), around(), 0.2 + 0.2 * grains_uniform());
    tl_set3(s.g->velocity + 3 * ball, around(), around(), around());
    tl_copy3(s.acceleration[ball], gravity);
  }
  CHECK(grains_add_wall(s.g) == s.wall);
  for (int k = 0; k < 2 * COUNT; k++) {
    const double point[3] = {around(), around(), around()};
    const double force[3] = {around(), around(), around()};
    const int32_t a = k % COUNT, b = (k * 5 + 1) % COUNT;
    if (a != b) {
      push(&s, k % 4 == 0 ? s.wall : a, b, point, force);
      push(&s, a, k % 4 == 1 ? s.wall : b, point, force);
    }
  }
  return s;
}

/* The crowd at another time, under constant accelerations. */
static void advance(crowd *s, double dt) {
  for (int32_t k = 0; k < s->wall; k++) {
    tl_along3(s->g->position + 3 * k, s->g->position + 3 * k, dt, s->g->velocity + 3 * k);
    tl_along3(s->g->position + 3 * k, s->g->position + 3 * k, 0.5 * dt * dt, s->acceleration[k]);
    tl_along3(s->g->velocity + 3 * k, s->g->velocity + 3 * k, dt, s->acceleration[k]);
  }
}

static void sums_at(talus_context *context, const crowd *s, const tl_kernel *kernel,
                    const double point[3], double sum[TL_FIELD_SUM_COUNT]) {
  tl_sample sample = {.context = context};
  CHECK(tl_sample_take(&sample, &s->g->frame) == TALUS_OK);
  tl_field_at(&sample, kernel, point, sum);
  tl_sample_release(&sample);
}

/* d density / dt + div momentum, and the same for momentum, by differences. Returns the worst, over
 * the largest term. */
static double balance_at(talus_context *context, const crowd *s, const tl_kernel *kernel,
                         const double at[3]) {
  enum { N = TL_FIELD_SUM_COUNT };
  static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  const double h = 1e-4;
  double here[N], rate[N], slope[3][N], before[N], after[N];
  crowd moved = *s;
  sums_at(context, s, kernel, at, here);
  advance(&moved, -h);
  sums_at(context, s, kernel, at, before);
  advance(&moved, 2 * h);
  sums_at(context, s, kernel, at, after);
  advance(&moved, -h);
  for (int i = 0; i < N; i++) {
    rate[i] = (after[i] - before[i]) / (2 * h);
  }
  for (int c = 0; c < 3; c++) {
    double low[3], high[3];
    tl_copy3(low, at);
    tl_copy3(high, at);
    low[c] -= h;
    high[c] += h;
    sums_at(context, s, kernel, low, before);
    sums_at(context, s, kernel, high, after);
    for (int i = 0; i < N; i++) {
      slope[c][i] = (after[i] - before[i]) / (2 * h);
    }
  }
  double mass = rate[TL_FIELD_SUM_DENSITY], worst = 0, largest = fabs(mass);
  for (int c = 0; c < 3; c++) {
    mass += slope[c][TL_FIELD_SUM_MOMENTUM + c];
    double momentum = rate[TL_FIELD_SUM_MOMENTUM + c] - here[TL_FIELD_SUM_WALL + c] -
                      here[TL_FIELD_SUM_DENSITY] * gravity[c];
    largest = fmax(largest, fabs(rate[TL_FIELD_SUM_MOMENTUM + c]));
    for (int d = 0; d < 3; d++) {
      momentum +=
          slope[d][TL_FIELD_SUM_FLUX + place[c][d]] + slope[d][TL_FIELD_SUM_CONTACT + 3 * c + d];
      largest = fmax(largest, fabs(slope[d][TL_FIELD_SUM_CONTACT + 3 * c + d]));
    }
    worst = fmax(worst, fabs(momentum));
  }
  return fmax(worst, fabs(mass)) / largest;
}

static void check_balances(talus_context *context) {
  crowd s = make_crowd();
  for (int kind = 0; kind < 2; kind++) {
    const tl_kernel lucy = tl_kernel_make(TL_KERNEL_LUCY, 0.8, false);
    tl_kernel gaussian = tl_kernel_make(TL_KERNEL_GAUSSIAN, 0.3, false);
    gaussian.reach *= 4; /* without the step at its end, where differences have no meaning */
    for (int i = 0; i < 10; i++) {
      const double at[3] = {around(), around(), around()};
      const double error = balance_at(context, &s, kind ? &lucy : &gaussian, at);
      CHECK_CASE(error < 2e-6, "kernel %d, point %d: balance is off by %g", kind, i, error);
    }
  }
  free(s.acceleration);
  grains_destroy(s.g);
}

/* The whole of a field is the whole of the grains and contacts. */
static void check_integral(talus_context *context, bool plane) {
  grains *const g = grains_create(plane);
  tl_sample s = {.context = context};
  double mean[TL_MEAN_COUNT];
  for (int k = 0; k < 400; k++) {
    const int32_t ball = grains_add(g, grains_uniform(), plane ? 0 : grains_uniform(),
                                    grains_uniform(), 0.03 + 0.05 * grains_uniform());
    tl_set3(g->velocity + 3 * ball, grains_normal(), 0, grains_normal());
  }
  grains_touch_all(g, 0, 3);
  CHECK(tl_sample_take(&s, &g->frame) == TALUS_OK);
  const double low = -0.5, high = 1.5;
  const tl_domain d = {.kind = TL_DOMAIN_BOX,
                       .plane = plane,
                       .pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                       .lower = {low, low, low},
                       .upper = {high, high, high}};
  tl_means_take(&s, &d, (1u << TL_GROUP_COUNT) - 1, 4, mean);
  for (int kind = 0; kind < 2; kind++) {
    const tl_kernel kernel =
        tl_kernel_make(kind ? TL_KERNEL_LUCY : TL_KERNEL_GAUSSIAN, kind ? 0.15 : 0.1, plane);
    tl_grid grid;
    double sum[TL_FIELD_SUM_COUNT] = {0};
    CHECK(tl_grid_create(context, d.lower, d.upper, 0.05, &kernel, plane, &grid) == TALUS_OK);
    CHECK(grid.count[0] == 41 && grid.count[1] == (plane ? 1 : 41));
    tl_grid_add(&grid, &s);
    for (int64_t p = 0; p < grid.point_count; p++) {
      for (int i = 0; i < TL_FIELD_SUM_COUNT; i++) {
        sum[i] += grid.sum[p * TL_FIELD_SUM_COUNT + i] * 0.05 * 0.05 * (plane ? 1 : 0.05);
      }
    }
    const double volume = tl_domain_volume(&d), allowed = kind ? 1e-3 : 4e-3;
    CHECK_CLOSE(sum[TL_FIELD_SUM_DENSITY] / (mean[TL_MEAN_DENSITY] * volume), 1, allowed);
    CHECK_CLOSE(sum[TL_FIELD_SUM_SOLID] / (mean[TL_MEAN_PACKING_FRACTION] * volume), 1, allowed);
    const double whole = mean[TL_MEAN_PRESSURE] * volume * (plane ? 2 : 3);
    const double trace =
        sum[TL_FIELD_SUM_CONTACT] + sum[TL_FIELD_SUM_CONTACT + 4] + sum[TL_FIELD_SUM_CONTACT + 8];
    CHECK_CLOSE(trace / whole, 1, allowed);
    CHECK_CLOSE(0.5 * (sum[TL_FIELD_SUM_CONTACT + 2] + sum[TL_FIELD_SUM_CONTACT + 6]),
                mean[TL_MEAN_STRESS + 4] * volume, allowed * whole);
    tl_grid_release(&grid);
  }
  tl_sample_release(&s);
  grains_destroy(g);
}

/* A grid whose frame is turned sees the same at the same places. */
static void check_frame(talus_context *context) {
  const crowd s = make_crowd();
  tl_sample sample = {.context = context};
  const tl_kernel kernel = tl_kernel_make(TL_KERNEL_LUCY, 0.3, false);
  const double low[3] = {-0.5, -0.5, -0.5}, high[3] = {0.5, 0.5, 0.5};
  tl_grid grid;
  CHECK(tl_sample_take(&sample, &s.g->frame) == TALUS_OK);
  CHECK(tl_grid_create(context, low, high, 0.25, &kernel, false, &grid) == TALUS_OK);
  const tl_pose turned = {{0.1, 0.2, -0.1}, {0.8, 0.6, 0, -0.6, 0.8, 0, 0, 0, 1}};
  grid.pose = turned;
  tl_grid_add(&grid, &sample);
  for (int64_t p = 0; p < grid.point_count; p += 7) {
    const double local[3] = {-0.5 + 0.25 * (double)(p % 5), -0.5 + 0.25 * (double)(p / 5 % 5),
                             -0.5 + 0.25 * (double)(p / 25)};
    double at[3], sum[TL_FIELD_SUM_COUNT];
    tl_place3(at, &turned, local);
    tl_field_at(&sample, &kernel, at, sum);
    for (int i = 0; i < TL_FIELD_SUM_COUNT; i++) {
      CHECK_CLOSE(grid.sum[p * TL_FIELD_SUM_COUNT + i], sum[i], 1e-10);
    }
  }
  CHECK(tl_grid_write(&grid, false, 1.5, "fields.vti") == TALUS_OK);
  FILE *const file = fopen("fields.vti", "rb");
  char head[2048] = "";
  if (CHECK(file != NULL)) {
    head[fread(head, 1, sizeof head - 1, file)] = '\0';
    fclose(file);
  }
  CHECK(strstr(head, "type=\"ImageData\"") != NULL);
  CHECK(strstr(head, "WholeExtent=\"0 4 0 4 0 4\"") != NULL);
  CHECK(strstr(head, "Spacing=\"0.25 0.25 0.25\"") != NULL);
  CHECK(strstr(head, "Name=\"contact_stress\" NumberOfComponents=\"9\"") != NULL);
  tl_grid_release(&grid);
  CHECK(tl_grid_create(context, low, high, 1e-4, &kernel, false, &grid) == TALUS_SIZE_OVERFLOW);
  tl_sample_release(&sample);
  free(s.acceleration);
  grains_destroy(s.g);
}

int main(void) {
  talus_context *context = NULL;
  const talus_context_def def = talus_context_def_default();
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  for (int plane = 0; plane < 2; plane++) {
    check_kernel(TL_KERNEL_GAUSSIAN, plane);
    check_kernel(TL_KERNEL_LUCY, plane);
    check_integral(context, plane);
  }
  check_table();
  check_balances(context);
  check_frame(context);
  talus_context_destroy(context);
  return check_end();
}
