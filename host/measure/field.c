/* field.c: sums of coarse graining; see field.h. */
#include "host/measure/field.h"

#include <math.h>
#include <string.h>

#include "host/base/each.h"

/* What one grain or one branch spreads over the points around it. */
typedef struct source {
  const tl_kernel *kernel;
  int first, count;                 /* which sums */
  double value[TL_FIELD_SUM_COUNT]; /* [count] */
  double from[3], unit[3], length;  /* a line; length 0: a point */
} source;

static double weight_at(const source *s, const double point[3]) {
  double way[3];
  tl_sub3(way, point, s->from);
  const double square = tl_dot3(way, way);
  if (!(s->length > 0)) {
    return tl_kernel_at(s->kernel, square);
  }
  const double foot = tl_dot3(way, s->unit);
  return tl_kernel_along(s->kernel, fmax(0, square - foot * foot), -foot, s->length - foot);
}

static void add_at(const source *s, const double point[3], double *sum) {
  const double weight = weight_at(s, point);
  for (int i = 0; i < s->count && weight > 0; i++) {
    sum[s->first + i] += weight * s->value[i];
  }
}

/* ---- sources --------------------------------------------------------------------------------- */

static source of_grain(const tl_sample *sample, const tl_kernel *kernel, int32_t k) {
  const double m = sample->mass[k], *const v = sample->velocity + 3 * (size_t)k;
  source s = {.kernel = kernel, .first = TL_FIELD_SUM_DENSITY, .count = TL_FIELD_SUM_CONTACT};
  const double value[TL_FIELD_SUM_CONTACT] = {m,
                                              sample->volume[k],
                                              m * v[0],
                                              m * v[1],
                                              m * v[2],
                                              m * v[0] * v[0],
                                              m * v[0] * v[1],
                                              m * v[0] * v[2],
                                              m * v[1] * v[1],
                                              m * v[1] * v[2],
                                              m * v[2] * v[2]};
  memcpy(s.value, value, sizeof value);
  tl_copy3(s.from, sample->centre + 3 * (size_t)k);
  return s;
}

static source of_line(const tl_kernel *kernel, const double force[3], const double from[3],
                      const double to[3]) {
  source s = {.kernel = kernel, .first = TL_FIELD_SUM_CONTACT, .count = 9};
  double branch[3];
  tl_sub3(branch, to, from);
  for (int i = 0; i < 9; i++) {
    s.value[i] = force[i / 3] * branch[i % 3];
  }
  tl_copy3(s.from, from);
  tl_copy3(s.unit, branch);
  s.length = tl_unit3(s.unit);
  return s;
}

/* Whether the point lies within 2 % of the line between the ends, as of spheres, whose frame has
 * points of the beginning of the step and places of its end. The balances hold for any path. */
static bool is_straight(const double from[3], const double point[3], const double to[3]) {
  double branch[3], way[3], across[3];
  tl_sub3(branch, to, from);
  tl_sub3(way, point, from);
  tl_cross3(across, branch, way);
  const double length = tl_dot3(branch, branch), along = tl_dot3(branch, way);
  return along >= 0 && along <= length && tl_dot3(across, across) <= 4e-4 * length * length;
}

/* The sources of a contact: its two lines, or the one that they make together, and the wall's force
 * on the grain. Returns how many. */
static int of_contact(const tl_sample *sample, const tl_kernel *kernel, int32_t k, source s[3]) {
  const double *const point = sample->point + 3 * (size_t)k, *const f =
                                                                 sample->force + 3 * (size_t)k;
  const int32_t a = sample->contact_grain[2 * k], b = sample->contact_grain[2 * k + 1];
  double from[3], to[3];
  int count = 0;
  tl_sample_branch(sample, k, from, to);
  if (a >= 0 && b >= 0 && is_straight(from, point, to)) {
    s[0] = of_line(kernel, f, from, to);
    return 1;
  }
  if (a >= 0) {
    s[count++] = of_line(kernel, f, from, point);
  }
  if (b >= 0) {
    s[count++] = of_line(kernel, f, point, to);
  }
  if (a < 0 || b < 0) {
    source *const wall = &s[count++];
    *wall = (source){.kernel = kernel, .first = TL_FIELD_SUM_WALL, .count = 3};
    tl_scale3(wall->value, b >= 0 ? 1 : -1, f);
    tl_copy3(wall->from, point);
  }
  return count;
}

void tl_field_at(const tl_sample *sample, const tl_kernel *kernel, const double point[3],
                 double sum[TL_FIELD_SUM_COUNT]) {
  memset(sum, 0, TL_FIELD_SUM_COUNT * sizeof *sum);
  for (int32_t k = 0; k < sample->grain_count; k++) {
    const source s = of_grain(sample, kernel, k);
    add_at(&s, point, sum);
  }
  for (int32_t k = 0; k < sample->contact_count; k++) {
    source s[3];
    const int count = of_contact(sample, kernel, k, s);
    for (int i = 0; i < count; i++) {
      add_at(&s[i], point, sum);
    }
  }
}

/* ---- the grid -------------------------------------------------------------------------------- */

talus_status tl_grid_create(talus_context *context, const double lower[3], const double upper[3],
                            double spacing, const tl_kernel *kernel, bool plane, tl_grid *grid) {
  static const tl_pose home = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  double total = 1;
  void *memory = NULL;
  memset(grid, 0, sizeof *grid);
  grid->context = context;
  grid->kernel = *kernel;
  grid->pose = home;
  for (int c = 0; c < 3; c++) {
    const bool flat = plane && c == 1;
    const double edge = flat ? 0 : upper[c] - lower[c];
    const double intervals = flat ? 0 : fmax(1, ceil(edge / spacing * (1 - 1e-9)));
    total *= intervals + 1;
    if (!(total * TL_FIELD_SUM_COUNT <= 1e8)) {
      return tl_fail(context, TALUS_SIZE_OVERFLOW,
                     "the grid of fields has too many points, more than %.0f: take a wider spacing "
                     "than %g m",
                     1e8 / TL_FIELD_SUM_COUNT, spacing);
    }
    grid->count[c] = (int32_t)intervals + 1;
    grid->origin[c] = flat ? 0 : lower[c];
    grid->spacing[c] = flat ? spacing : edge / intervals;
  }
  grid->point_count = (int64_t)total;
  TL_TRY(tl_alloc(context, &memory, (size_t)grid->point_count * TL_FIELD_SUM_COUNT, sizeof(double),
                  "the grid of fields"));
  grid->sum = memory;
  tl_grid_clear(grid);
  TL_TRY(tl_alloc(context, &memory, TL_KERNEL_TABLE, sizeof(double), "the table of a kernel"));
  grid->table = memory;
  tl_kernel_table_fill(grid->table);
  grid->kernel.table = grid->table;
  return TALUS_OK;
}

void tl_grid_release(tl_grid *grid) {
  if (grid->context != NULL) {
    tl_free(grid->context, grid->sum);
    tl_free(grid->context, grid->table);
  }
  grid->sum = grid->table = NULL;
}

void tl_grid_clear(tl_grid *grid) {
  grid->frames = 0;
  memset(grid->sum, 0, (size_t)grid->point_count * TL_FIELD_SUM_COUNT * sizeof(double));
}

/* Points along an axis that are within a distance of x; false: none. */
static bool points_near(const tl_grid *g, int axis, double x, double distance, int32_t *low,
                        int32_t *high) {
  const double first = ceil((x - distance - g->origin[axis]) / g->spacing[axis]);
  const double last = floor((x + distance - g->origin[axis]) / g->spacing[axis]);
  *low = first > 0 ? (int32_t)fmin(first, g->count[axis]) : 0;
  *high = last < g->count[axis] - 1 ? (int32_t)fmax(last, -1) : g->count[axis] - 1;
  return *low <= *high;
}

enum { ROW = 32 }; /* points whose weights are found at once */

/* Weights of a line at points of a row from `low` on, all with the same y and z. */
static void row_weights(const tl_grid *g, const source *s, const double point[3], int32_t low,
                        int count, double *weight) {
  const double y = point[1] - s->from[1], z = point[2] - s->from[2];
  const double *const u = s->unit;
  double square[ROW], foot[ROW];
  for (int i = 0; i < count; i++) {
    const double x = g->origin[0] + (low + i) * g->spacing[0] - s->from[0];
    foot[i] = x * u[0] + y * u[1] + z * u[2];
    square[i] = fmax(0, x * x + y * y + z * z - foot[i] * foot[i]);
  }
  tl_kernel_along_all(s->kernel, s->length, count, square, foot, weight);
}

static inline void stress_add(double *restrict sum, double weight, const double *restrict value) {
  for (int k = 0; k < 9; k++) {
    sum[k] += weight * value[k];
  }
}

/* Adds the stress of a branch to a row of points. */
static void spread_line(tl_grid *g, const source *s, const double point[3], double *sum,
                        int32_t low, int32_t high) {
  for (int32_t first = low; first <= high; first += ROW) {
    const int count = high - first < ROW ? high - first + 1 : ROW;
    double weight[ROW];
    row_weights(g, s, point, first, count, weight);
    for (int i = 0; i < count; i++, sum += TL_FIELD_SUM_COUNT) {
      if (weight[i] > 0) {
        stress_add(sum + TL_FIELD_SUM_CONTACT, weight[i], s->value);
      }
    }
  }
}

/* Adds a source to a row of points. */
static void spread_row(tl_grid *g, const source *s, double point[3], int32_t row, int32_t low,
                       int32_t high) {
  double *sum =
      g->sum + (size_t)TL_FIELD_SUM_COUNT * ((size_t)row * (size_t)g->count[0] + (size_t)low);
  if (s->length > 0) {
    spread_line(g, s, point, sum, low, high);
    return;
  }
  for (int32_t x = low; x <= high; x++, sum += TL_FIELD_SUM_COUNT) {
    point[0] = g->origin[0] + x * g->spacing[0];
    add_at(s, point, sum);
  }
}

/* Layers of the grid that one thread fills: every `step`-th, so that all have as much to do. */
typedef struct layers {
  int32_t first, step;
} layers;

/* Adds a source, given in the grid's frame, to the points in the ball that it may reach. */
static void spread(tl_grid *g, const source *s, layers own) {
  const double reach = s->kernel->reach + 0.5 * s->length, square = reach * reach;
  double middle[3], point[3];
  int32_t low[3], high[3];
  tl_along3(middle, s->from, 0.5 * s->length, s->unit);
  if (!points_near(g, 1, middle[1], reach, &low[1], &high[1]) ||
      !points_near(g, 2, middle[2], reach, &low[2], &high[2])) {
    return;
  }
  const int32_t before = (low[2] - own.first) % own.step;
  for (int32_t z = low[2] + (before > 0 ? own.step - before : -before); z <= high[2];
       z += own.step) {
    point[2] = g->origin[2] + z * g->spacing[2];
    for (int32_t y = low[1]; y <= high[1]; y++) {
      point[1] = g->origin[1] + y * g->spacing[1];
      const double a = point[1] - middle[1], b = point[2] - middle[2];
      const double room = square - a * a - b * b;
      if (room > 0 && points_near(g, 0, middle[0], sqrt(room), &low[0], &high[0])) {
        spread_row(g, s, point, z * g->count[1] + y, low[0], high[0]);
      }
    }
  }
}

/* Where a source lies as the grid sees it. */
static void spread_from_world(tl_grid *g, source *s, bool plane, layers own) {
  double unit[3];
  tl_unplace3(s->from, &g->pose, s->from);
  tl_turn_back3(unit, g->pose.rotation, s->unit);
  tl_copy3(s->unit, unit);
  s->from[1] = plane ? 0 : s->from[1];
  spread(g, s, own);
}

typedef struct grid_task {
  tl_grid *grid;
  const tl_sample *sample;
  int32_t parts;
} grid_task;

static void layers_add(tl_grid *g, const tl_sample *sample, layers own) {
  for (int32_t k = 0; k < sample->grain_count; k++) {
    source s = of_grain(sample, &g->kernel, k);
    spread_from_world(g, &s, sample->plane, own);
  }
  for (int32_t k = 0; k < sample->contact_count; k++) {
    source s[3];
    const int count = of_contact(sample, &g->kernel, k, s);
    for (int i = 0; i < count; i++) {
      spread_from_world(g, &s[i], sample->plane, own);
    }
  }
}

static void parts_add(void *arguments, int64_t first, int64_t end) {
  const grid_task *const task = arguments;
  for (int64_t i = first; i < end; i++) {
    layers_add(task->grid, task->sample, (layers){(int32_t)i, task->parts});
  }
}

void tl_grid_add(tl_grid *g, const tl_sample *sample) {
  const int32_t threads = tl_threads_for(g->context, sample->grain_count + sample->contact_count);
  grid_task task = {g, sample, threads};
  tl_each(g->context, threads, threads, parts_add, &task);
  g->frames++;
}
