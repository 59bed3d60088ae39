/* problems.c: makes small problems; see problems.h. */
#include "problems.h"

#include <math.h>
#include <string.h>

double sample_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*state >> 11) / 4503599627370496.0 - 1;
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* Stores dense[row + column * rows] in slot k of the sample, in any storage. Every third entry is
 * split in two, to have repeated ones. */
static talus_matrix store(sample *s, int k, talus_storage storage, const double *dense,
                          int32_t rows, int32_t columns) {
  talus_matrix m = {.storage = storage, .rows = rows, .columns = columns, .value = s->value[k]};
  if (storage == TALUS_STORAGE_DENSE) {
    m.count = (int64_t)rows * columns;
    memcpy(s->value[k], dense, (size_t)m.count * sizeof(double));
    return m;
  }
  const int by_rows = storage == TALUS_STORAGE_CSR;
  const int32_t lines = by_rows ? rows : columns, across = by_rows ? columns : rows;
  int64_t e = 0;
  for (int32_t line = 0; line < lines; line++) {
    s->start[k][line] = e;
    for (int32_t i = across - 1; i >= 0; i--) {
      const int32_t row = by_rows ? line : i, column = by_rows ? i : line;
      const double x = dense[row + (int64_t)column * rows];
      const int parts = x != 0 ? 1 + (e % 3 == 0) : 0;
      for (int part = 0; part < parts; part++, e++) {
        s->value[k][e] = x / parts;
        s->index[k][e] = storage == TALUS_STORAGE_TRIPLET ? row : i;
        s->index2[k][e] = column;
      }
    }
  }
  s->start[k][lines] = e;
  m.count = e;
  m.index = s->index[k];
  m.index2 = storage == TALUS_STORAGE_TRIPLET ? s->index2[k] : NULL;
  m.start = storage == TALUS_STORAGE_TRIPLET ? NULL : s->start[k];
  return m;
}

static void fill(double *list, int count, uint64_t *state) {
  for (int i = 0; i < count; i++) {
    list[i] = sample_random(state);
  }
}

static void begin(sample *s, talus_form form, int32_t dimension, int32_t contacts,
                  int32_t bilateral, uint64_t *state) {
  memset(s, 0, sizeof *s);
  s->problem = talus_problem_default(form);
  s->problem.dimension = dimension;
  s->problem.contact_count = contacts;
  s->problem.bilateral_count = bilateral;
  s->problem.friction = s->friction;
  for (int i = 0; i < contacts; i++) {
    s->friction[i] = 0.5 + 0.5 * sample_random(state);
  }
}

void sample_delassus(sample *s, talus_storage storage, int32_t dimension, int32_t contacts,
                     int32_t bilateral) {
  uint64_t state = 1;
  static double dense[ENTRIES_MAX];
  begin(s, TALUS_FORM_DELASSUS, dimension, contacts, bilateral, &state);
  const int32_t rows = dimension * contacts, n = rows + bilateral;
  for (int32_t c = 0; c < n; c++) {
    for (int32_t r = 0; r < n; r++) {
      const double x = sample_random(&state);
      const int keep = r == c || sample_random(&state) > 0;
      dense[r + c * n] = (r == c ? 3 : 0) + (keep ? x : 0);
      if (r < rows && c >= rows) { /* V, mirrored below */
        dense[c + r * n] = dense[r + c * n];
      }
    }
  }
  s->problem.delassus.w = store(s, 0, storage, dense, n, n);
  fill(s->q, n, &state);
  s->problem.delassus.q = s->q;
}

/* A positive definite block per group of unknowns i, i + 3, i + 6, ... */
static void make_mass(double *mass, int32_t n, uint64_t *state) {
  memset(mass, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int32_t c = 0; c < n; c++) {
    for (int32_t r = 0; r <= c; r++) {
      const double x = r == c ? 3 : r % 3 == c % 3 ? 0.4 * sample_random(state) : 0;
      mass[r + c * n] = mass[c + r * n] = x;
    }
  }
}

void sample_global(sample *s, talus_storage storage, int32_t dimension, int32_t contacts,
                   int32_t bilateral) {
  uint64_t state = 7;
  static double dense[ENTRIES_MAX];
  begin(s, TALUS_FORM_GLOBAL, dimension, contacts, bilateral, &state);
  talus_global *global = &s->problem.global;
  const int32_t n = 10, rows = dimension * contacts;
  make_mass(dense, n, &state);
  global->mass = store(s, 0, storage, dense, n, n);
  fill(dense, n * rows, &state);
  dense[0] = 0;
  global->h = store(s, 1, storage, dense, n, rows);
  fill(dense, n * bilateral, &state);
  global->g = store(s, 2, storage, dense, n, bilateral);
  fill(s->f, n, &state);
  fill(s->w, rows, &state);
  fill(s->b, bilateral, &state);
  global->f = s->f;
  global->w = s->w;
  global->b = bilateral > 0 ? s->b : NULL;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void make_bodies(sample *s, int32_t bodies, uint64_t *state) {
  static const double inertia[6] = {2, 0.3, -0.2, 1.5, 0.1, 3};
  fill(s->velocity, 6 * bodies, state);
  for (int32_t i = 0; i < bodies; i++) {
    s->inverse_mass[i] = i == 1 ? 0 : 1.5 + sample_random(state);
    for (int j = 0; j < 6 && i != 1 && i != 3; j++) {
      s->inertia[6 * i + j] = inertia[j] * (1.2 + sample_random(state) * (j % 2 ? 0 : 1e-1));
    }
  }
  s->problem.rigid.body_count = bodies;
  s->problem.rigid.velocity = s->velocity;
  s->problem.rigid.inverse_mass = s->inverse_mass;
  s->problem.rigid.inverse_inertia = s->inertia;
}

void sample_rigid(sample *s, int reaches, int32_t bilateral) {
  static const int32_t pairs[6][2] = {{-1, 0}, {0, 1}, {2, 0}, {3, 2}, {1, 4}, {4, -1}};
  uint64_t state = 3;
  begin(s, TALUS_FORM_RIGID, 3, 6, bilateral, &state);
  make_bodies(s, 5, &state);
  talus_rigid *rigid = &s->problem.rigid;
  fill(s->normal, 18, &state);
  s->normal[0] = s->normal[1] = 0; /* an axis: two tangent directions are equally good */
  fill(s->arm_a, 18, &state);
  fill(s->arm_b, 18, &state);
  fill(s->surface, 18, &state);
  fill(s->w, 6, &state);
  fill(s->b, bilateral, &state);
  for (int k = 0; k < 6; k++) {
    double *n = s->normal + 3 * k;
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; i++) {
      n[i] /= length;
    }
    s->body[0][k] = pairs[k][0];
    s->body[1][k] = pairs[k][1];
    s->body[2][k] = pairs[k][1];
    s->body[3][k] = pairs[k][0];
  }
  rigid->body_a = s->body[0];
  rigid->body_b = s->body[1];
  rigid->normal = s->normal;
  rigid->reach_a = reaches ? s->arm_a : NULL;
  rigid->reach_b = reaches ? s->arm_b : NULL;
  rigid->arm_a = reaches ? NULL : s->arm_a;
  rigid->arm_b = reaches ? NULL : s->arm_b;
  rigid->bias = s->w;
  rigid->surface_velocity = reaches ? NULL : s->surface;
  fill(s->jacobian[0], 12 * bilateral, &state);
  rigid->row_body_a = s->body[2];
  rigid->row_body_b = s->body[3];
  rigid->row_jacobian = s->jacobian[0];
  rigid->row_bias = s->b;
}

void sample_blocks(sample *s, int32_t dimension, int32_t bilateral) {
  static const int32_t sizes[4] = {2, 6, 3, 1};
  static const int32_t entries[7] = {0, 1, 2, 1, 3, 0, 2};
  static const int64_t starts[5] = {0, 3, 5, 6, 7};
  uint64_t state = 5;
  begin(s, TALUS_FORM_BLOCKS, dimension, 4, bilateral, &state);
  talus_blocks *blocks = &s->problem.blocks;
  double *inverse = s->inverse_mass;
  for (int b = 0; b < 4; b++) {
    const int n = sizes[b];
    for (int i = 0; i < n && b != 3; i++) { /* the last block cannot move */
      for (int j = 0; j <= i; j++) {
        inverse[i * n + j] = inverse[j * n + i] = i == j ? 2 : 0.3 * sample_random(&state);
      }
    }
    inverse += n * n;
    s->body[0][b] = n;
  }
  fill(s->velocity, 12, &state);
  for (int e = 0; e < 7; e++) {
    s->body[1][e] = entries[e];
  }
  memcpy(s->start[0], starts, sizeof starts);
  fill(s->jacobian[0], 3 * 36, &state);
  fill(s->jacobian[1], 36, &state);
  fill(s->w, 12, &state);
  blocks->block_count = 4;
  blocks->block_size = s->body[0];
  blocks->inverse_mass = s->inverse_mass;
  blocks->velocity = s->velocity;
  blocks->contact_start = s->start[0];
  blocks->contact_block = s->body[1];
  blocks->contact_jacobian = s->jacobian[0];
  blocks->bias = s->w;
  blocks->bilateral_start = s->start[0]; /* as many rows as wanted, the same blocks */
  blocks->bilateral_block = s->body[1];
  blocks->bilateral_jacobian = s->jacobian[1];
  blocks->bilateral_bias = NULL;
}
