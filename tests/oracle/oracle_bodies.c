/* oracle_bodies.c: random bodies, contacts and Jacobians; no geometry behind them. */
#include <math.h>
#include <string.h>

#include "tests/oracle/oracle_make.h"

enum { LARGEST_BLOCK = 7, MOST_BLOCKS = 3 };

/* xorshift64*: not the library's generator. */
double oracle_random(uint64_t *state, double low, double high) {
  uint64_t x = *state != 0 ? *state : UINT64_C(88172645463325252);
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  *state = x;
  return low +
         (high - low) * (double)((x * UINT64_C(2685821657736338717)) >> 11) / 9007199254740992.0;
}

static int pick(uint64_t *state, int count) {
  const int index = (int)oracle_random(state, 0.0, count);
  return index < count ? index : count - 1;
}

static void unit(uint64_t *state, double v[3]) {
  double square = 0.0;
  while (square < 0.01 || square > 1.0) {
    square = 0.0;
    for (int i = 0; i < 3; i++) {
      v[i] = oracle_random(state, -1.0, 1.0);
      square += v[i] * v[i];
    }
  }
  for (int i = 0; i < 3; i++) {
    v[i] /= sqrt(square);
  }
}

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    c[i] = a[j] * b[k] - a[k] * b[j];
  }
}

/* n, t1, t2: right-handed, t1 and t2 turned at random about n. */
static void frame_draw(uint64_t *state, double frame[9]) {
  double other[3], length = 0.0;
  unit(state, frame);
  while (length < 0.1) {
    unit(state, other);
    cross(frame, other, frame + 3);
    length = sqrt(frame[3] * frame[3] + frame[4] * frame[4] + frame[5] * frame[5]);
  }
  for (int i = 3; i < 6; i++) {
    frame[i] /= length;
  }
  cross(frame, frame + 3, frame + 6);
}

/* scale * (A A^T + 0.3), symmetric positive definite, into an n x n block. */
static void positive_draw(uint64_t *state, int n, double scale, double *block) {
  double a[LARGEST_BLOCK][LARGEST_BLOCK];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      a[i][j] = oracle_random(state, -1.0, 1.0);
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = i == j ? 0.3 : 0.0;
      for (int k = 0; k < n; k++) {
        sum += a[i][k] * a[j][k];
      }
      block[i * n + j] = block[j * n + i] = scale * sum;
    }
  }
}

static int is_movable(const oracle_model *model, const double *const *block, int body) {
  return model->block_count > 0 && block[body][0] > 0.0;
}

/* Inverse mass of one body: a 6 x 6 block of a rigid body, or any block. */
static void body_draw(oracle_model *model, const oracle_recipe *recipe, int body, double *block,
                      uint64_t *state) {
  const int n = model->block_size[body];
  const double mass = pow(10.0, oracle_random(state, -recipe->mass_decades, recipe->mass_decades));
  const int can_stand = recipe->form == TALUS_FORM_RIGID || recipe->form == TALUS_FORM_BLOCKS;
  const double chance = oracle_random(state, 0.0, 1.0);
  if (body > 0 && can_stand && chance < recipe->immovable) {
    return; /* zeros: infinite mass */
  }
  if (recipe->bodies == ORACLE_RAGGED) {
    positive_draw(state, n, 1.0 / mass, block);
    return;
  }
  double inertia[9] = {2.5 / mass, 0, 0, 0, 2.5 / mass, 0, 0, 0, 2.5 / mass};
  if (recipe->bodies == ORACLE_RIGID) {
    positive_draw(state, 3, 1.0 / mass, inertia);
  }
  static const int place[6] = {0, 1, 2, 4, 5, 8}; /* xx xy xz yy yz zz */
  for (int i = 0; i < 3; i++) {
    block[7 * i] = 1.0 / mass;
    memcpy(block + 6 * (i + 3) + 3, inertia + 3 * i, 3 * sizeof(double));
  }
  for (int i = 0; i < 6; i++) {
    model->body_inverse_inertia[6 * body + i] = inertia[place[i]];
  }
  model->body_inverse_mass[body] = 1.0 / mass;
}

/* Rows of frame^T (sign, sign * [. x arm]) for one side of a rigid contact. */
static void side_fill(const double *frame, int dimension, double sign, const double arm[3],
                      double *jacobian) {
  for (int row = 0; row < dimension; row++) {
    /* axis . (w x arm) = (arm x axis) . w */
    double turn[3];
    cross(arm, frame + 3 * row, turn);
    for (int i = 0; i < 3; i++) {
      jacobian[6 * row + i] = sign * frame[3 * row + i];
      jacobian[6 * row + 3 + i] = sign * turn[i];
    }
  }
}

static void rigid_contact_draw(oracle_model *model, const oracle_recipe *recipe, int k,
                               uint64_t *state) {
  double *frame = model->frame + 9 * k;
  const double *n = frame;
  frame_draw(state, frame);
  model->reach_a[k] = oracle_random(state, 0.5, 1.5);
  model->reach_b[k] = oracle_random(state, 0.5, 1.5);
  for (int i = 0; i < 3; i++) {
    const int spheres = recipe->bodies == ORACLE_SPHERES;
    model->normal[3 * k + i] = n[i];
    model->arm_a[3 * k + i] = spheres ? model->reach_a[k] * n[i] : oracle_random(state, -1.0, 1.0);
    model->arm_b[3 * k + i] = spheres ? -model->reach_b[k] * n[i] : oracle_random(state, -1.0, 1.0);
  }
}

/* Up to three different blocks, the first of which can move. */
static int blocks_pick(const oracle_model *model, const double *const *block, int wanted,
                       int32_t picked[MOST_BLOCKS], uint64_t *state) {
  int count = 0;
  do {
    picked[0] = pick(state, model->block_count);
  } while (!is_movable(model, block, picked[0]));
  for (count = 1; count < wanted && count < model->block_count; count++) {
    int again = 1;
    while (again) {
      picked[count] = pick(state, model->block_count);
      again = 0;
      for (int i = 0; i < count; i++) {
        again = again || picked[i] == picked[count];
      }
    }
  }
  return count;
}

static void contacts_draw(oracle_model *model, const oracle_recipe *recipe,
                          const double *const *block, uint64_t *state) {
  const int dimension = recipe->dimension;
  double *jacobian = model->contact_jacobian;
  int64_t entries = 0;
  for (int k = 0; k < recipe->contact_count; k++) {
    const int rigid = recipe->bodies != ORACLE_RAGGED;
    const int grounded = oracle_random(state, 0.0, 1.0) < recipe->ground;
    int32_t picked[MOST_BLOCKS];
    const int wanted = grounded ? 1 : rigid ? 2 : 2 + pick(state, 2);
    const int count = blocks_pick(model, block, wanted, picked, state);
    if (rigid) {
      rigid_contact_draw(model, recipe, k, state);
      model->body_b[k] = picked[0];
      model->body_a[k] = count > 1 ? picked[1] : -1;
    }
    for (int e = 0; e < count; e++) {
      const int n = model->block_size[picked[e]];
      if (rigid) {
        side_fill(model->frame + 9 * k, dimension, e == 0 ? 1.0 : -1.0,
                  (e == 0 ? model->arm_b : model->arm_a) + 3 * k, jacobian);
      }
      for (int i = 0; i < dimension * n && !rigid; i++) {
        jacobian[i] = oracle_random(state, -1.0, 1.0);
      }
      model->contact_block[entries++] = picked[e];
      jacobian += dimension * n;
    }
    model->contact_start[k + 1] = entries;
  }
}

static void bilateral_draw(oracle_model *model, const oracle_recipe *recipe,
                           const double *const *block, uint64_t *state) {
  double *jacobian = model->bilateral_jacobian;
  int64_t entries = 0;
  for (int r = 0; r < recipe->bilateral_count; r++) {
    const int grounded = oracle_random(state, 0.0, 1.0) < recipe->ground;
    int32_t picked[MOST_BLOCKS];
    const int count = blocks_pick(model, block, grounded ? 1 : 2, picked, state);
    for (int e = 0; e < count; e++) {
      const int n = model->block_size[picked[e]];
      for (int i = 0; i < n; i++) {
        *jacobian = oracle_random(state, -1.0, 1.0);
        if (recipe->bodies != ORACLE_RAGGED) {
          model->row_jacobian[12 * r + 6 * e + i] = *jacobian;
        }
        jacobian++;
      }
      model->bilateral_block[entries++] = picked[e];
    }
    model->bilateral_start[r + 1] = entries;
    if (recipe->bodies != ORACLE_RAGGED) {
      model->row_body_a[r] = picked[0];
      model->row_body_b[r] = count > 1 ? picked[1] : -1;
    }
  }
}

static void model_allocate(oracle_model *model, oracle_made *made, const oracle_recipe *recipe) {
  const size_t bodies = (size_t)recipe->body_count, contacts = (size_t)recipe->contact_count;
  const size_t rows = (size_t)recipe->bilateral_count, real = sizeof(double);
  model->block_count = recipe->body_count;
  model->offset = oracle_keep(made, bodies + 1, sizeof(int));
  model->block_size = oracle_keep(made, bodies, sizeof(int32_t));
  model->inverse_mass = oracle_keep(made, LARGEST_BLOCK * LARGEST_BLOCK * bodies, real);
  model->velocity = oracle_keep(made, LARGEST_BLOCK * bodies, real);
  model->contact_start = oracle_keep(made, contacts + 1, sizeof(int64_t));
  model->bilateral_start = oracle_keep(made, rows + 1, sizeof(int64_t));
  model->contact_block = oracle_keep(made, MOST_BLOCKS * contacts, sizeof(int32_t));
  model->bilateral_block = oracle_keep(made, MOST_BLOCKS * rows, sizeof(int32_t));
  model->contact_jacobian = oracle_keep(made, 3 * MOST_BLOCKS * LARGEST_BLOCK * contacts, real);
  model->bilateral_jacobian = oracle_keep(made, MOST_BLOCKS * LARGEST_BLOCK * rows, real);
  model->frame = oracle_keep(made, 9 * contacts, real);
  model->body_inverse_mass = oracle_keep(made, bodies, real);
  model->body_inverse_inertia = oracle_keep(made, 6 * bodies, real);
  model->body_a = oracle_keep(made, contacts, sizeof(int32_t));
  model->body_b = oracle_keep(made, contacts, sizeof(int32_t));
  model->row_body_a = oracle_keep(made, rows, sizeof(int32_t));
  model->row_body_b = oracle_keep(made, rows, sizeof(int32_t));
  model->normal = oracle_keep(made, 3 * contacts, real);
  model->reach_a = oracle_keep(made, contacts, real);
  model->reach_b = oracle_keep(made, contacts, real);
  model->arm_a = oracle_keep(made, 3 * contacts, real);
  model->arm_b = oracle_keep(made, 3 * contacts, real);
  model->row_jacobian = oracle_keep(made, 12 * rows, real);
}

oracle_model oracle_model_draw(oracle_made *made, const oracle_recipe *recipe, uint64_t *state) {
  oracle_model model;
  memset(&model, 0, sizeof model);
  model_allocate(&model, made, recipe);
  const double **block = oracle_keep(made, (size_t)recipe->body_count, sizeof *block);
  double *next = model.inverse_mass;
  for (int b = 0; b < recipe->body_count; b++) {
    const int n = recipe->bodies == ORACLE_RAGGED ? 1 + pick(state, LARGEST_BLOCK) : 6;
    model.block_size[b] = n;
    model.offset[b + 1] = model.offset[b] + n;
    block[b] = next;
    body_draw(&model, recipe, b, next, state);
    next += n * n;
  }
  model.unknowns = model.offset[recipe->body_count];
  for (int i = 0; i < model.unknowns; i++) {
    model.velocity[i] = oracle_random(state, -1.0, 1.0);
  }
  contacts_draw(&model, recipe, block, state);
  bilateral_draw(&model, recipe, block, state);
  return model;
}
