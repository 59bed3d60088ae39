/* bounded.c: a trust region for sums of squares under bounds.
 *
 * The region is a box, so that it meets the bounds in another box; the model is Gauss and Newton's,
 * |r + J s|^2 / 2. It is lowered by conjugate gradients among the variables that are not held: one
 * that runs into its box is held there, and let go when the others have settled and the gradient
 * wants it inside. */
#include "host/method/small/bounded.h"

#include <math.h>
#include <string.h>

typedef struct model {
  const tl_squares *squares;
  int32_t size;
  double *low, *high; /* of the step */
  double *step, *gradient, *way, *curved, *change;
  unsigned char *held;
} model;

size_t tl_bounded_room(int32_t size, int32_t parts) {
  return 9 * (size_t)size + 3 * (size_t)parts + 8;
}

static double dot(const double *a, const double *b, int32_t n) {
  double sum = 0;
  for (int32_t i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/* The gradient without what points out of the box. */
static double inward(const model *m, int32_t i) {
  const double g = m->gradient[i];
  return (g > 0 && m->step[i] <= m->low[i]) || (g < 0 && m->step[i] >= m->high[i]) ? 0 : g;
}

static double inward_norm(const model *m, int free_only) {
  double sum = 0;
  for (int32_t i = 0; i < m->size; i++) {
    const double g = free_only && m->held[i] ? 0 : inward(m, i);
    sum += g * g;
  }
  return sqrt(sum);
}

/* How far along `way` the box reaches. */
static double way_room(const model *m) {
  double most = INFINITY;
  for (int32_t i = 0; i < m->size; i++) {
    if (m->way[i] != 0) {
      const double end = m->way[i] > 0 ? m->high[i] : m->low[i];
      most = fmin(most, (end - m->step[i]) / m->way[i]);
    }
  }
  return fmax(most, 0);
}

static void step_move(model *m, double length) {
  for (int32_t i = 0; i < m->size; i++) {
    const double next = m->step[i] + length * m->way[i];
    m->step[i] = fmin(fmax(next, m->low[i]), m->high[i]);
    m->gradient[i] += length * m->curved[i];
  }
}

static void way_curve(const model *m) {
  m->squares->along(m->squares->self, m->way, m->change);
  m->squares->back(m->squares->self, m->change, m->curved);
  m->squares->small->run->passes++;
}

/* Holds what stands at its box along the way; returns how many are new. */
static int32_t hold(model *m) {
  int32_t count = 0;
  for (int32_t i = 0; i < m->size; i++) {
    if (!m->held[i] && ((m->way[i] < 0 && m->step[i] <= m->low[i] + 1e-300) ||
                        (m->way[i] > 0 && m->step[i] >= m->high[i] - 1e-300))) {
      m->held[i] = 1;
      count++;
    }
  }
  return count;
}

/* Conjugate gradients on one face, until it is left or settled to `goal`. */
static void face_lower(model *m, double goal, int32_t *budget) {
  const int32_t n = m->size;
  double square = 0;
  for (int32_t i = 0; i < n; i++) {
    m->way[i] = m->held[i] ? 0 : -m->gradient[i];
    square += m->way[i] * m->way[i];
  }
  while (sqrt(square) > goal && (*budget)-- > 0) {
    if (n >= TL_LONG && tl_small_late(m->squares->small)) {
      *budget = 0;
      return;
    }
    way_curve(m);
    const double curve = dot(m->way, m->curved, n), room = way_room(m);
    const double length = curve > 0 ? square / curve : INFINITY;
    if (!(length < room)) {
      if (isfinite(room)) {
        step_move(m, room);
      }
      for (int32_t i = 0; i < n; i++) { /* rounding must not leave it short of its end */
        if (m->way[i] != 0) {
          const double end = m->way[i] > 0 ? m->high[i] : m->low[i];
          m->step[i] = fabs(end - m->step[i]) <= 1e-14 * fabs(end) ? end : m->step[i];
        }
      }
      hold(m);
      return;
    }
    step_move(m, length);
    double next = 0;
    for (int32_t i = 0; i < n; i++) {
      next += m->held[i] ? 0 : m->gradient[i] * m->gradient[i];
    }
    for (int32_t i = 0; i < n; i++) {
      m->way[i] = m->held[i] ? 0 : -m->gradient[i] + next / square * m->way[i];
    }
    square = next;
  }
}

/* The step: the model lowered to a share of its first inward gradient. */
static void model_lower(model *m, double share) {
  const int32_t n = m->size;
  int32_t budget = 4 * n + 20;
  memset(m->step, 0, (size_t)n * sizeof *m->step);
  for (int32_t i = 0; i < n; i++) {
    m->held[i] = inward(m, i) == 0 && m->gradient[i] != 0;
  }
  const double goal = share * inward_norm(m, 0);
  while (budget > 0 && inward_norm(m, 0) > goal) {
    face_lower(m, 0.5 * goal, &budget);
    if (inward_norm(m, 1) <= 0.5 * goal) { /* this face has settled: let go */
      for (int32_t i = 0; i < n; i++) {
        m->held[i] = m->held[i] && inward(m, i) == 0;
      }
    }
    budget--;
  }
}

static void box_set(model *m, const double *x, double reach) {
  for (int32_t i = 0; i < m->size; i++) {
    m->low[i] = m->squares->bound[i] ? fmax(-reach, -x[i]) : -reach;
    m->high[i] = reach;
  }
}

static model model_make(const tl_squares *squares, double *room) {
  const int32_t n = squares->size;
  model m = {.squares = squares, .size = n, .low = room};
  m.high = m.low + n;
  m.step = m.high + n;
  m.gradient = m.step + n;
  m.way = m.gradient + n;
  m.curved = m.way + n;
  m.change = m.curved + n;
  m.held = (unsigned char *)(m.change + squares->parts);
  return m;
}

void tl_bounded_minimise(const tl_squares *squares, int32_t most, double *x, double *room) {
  const int32_t n = squares->size, parts = squares->parts;
  model m = model_make(squares, room);
  double *const slope = m.change + parts + n / 8 + 1, *const r = slope + n,
                *const trial_r = r + parts;
  double *const trial = m.way; /* not both at once */
  double reach = 1;
  squares->evaluate(squares->self, x, r);
  double value = 0.5 * dot(r, r, parts);
  squares->back(squares->self, r, slope);
  for (int32_t i = 0; i < most; i++) {
    memcpy(m.gradient, slope, (size_t)n * sizeof *slope);
    box_set(&m, x, reach);
    memset(m.step, 0, (size_t)n * sizeof *m.step);
    const double pull = inward_norm(&m, 0);
    if (squares->look(squares->self, x) || tl_small_limit(squares->small) ||
        !(pull > 1e-15 * (1 + sqrt(value))) || reach < 1e-14) {
      return;
    }
    squares->small->run->iterations++;
    model_lower(&m, fmin(0.1, sqrt(pull)));
    squares->along(squares->self, m.step, m.change);
    double predicted = 0, size = 0;
    for (int32_t k = 0; k < parts; k++) {
      predicted -= m.change[k] * (r[k] + 0.5 * m.change[k]);
    }
    for (int32_t k = 0; k < n; k++) {
      trial[k] = squares->bound[k] ? fmax(x[k] + m.step[k], 0) : x[k] + m.step[k];
      size = fmax(size, fabs(m.step[k]));
    }
    squares->evaluate(squares->self, trial, trial_r);
    const double next = 0.5 * dot(trial_r, trial_r, parts), ratio = (value - next) / predicted;
    if (ratio > 0.75) {
      reach = fmax(reach, 2 * size);
    } else if (!(ratio > 0.25)) {
      reach = 0.25 * size;
    }
    if (ratio > 1e-4 && next < value) {
      memcpy(x, trial, (size_t)n * sizeof *x);
      memcpy(r, trial_r, (size_t)parts * sizeof *r);
      value = next;
      squares->back(squares->self, r, slope);
    } else {
      squares->evaluate(squares->self, x, r);
    }
  }
}
