/* oracle_wrench_make.c: problems of six rows and elliptic cones with a known solution.
 *
 * Bodies, normals and arms are those of oracle_problem_make. Angular velocities after the impulses
 * are drawn first: torques follow from them, sticking or slipping, and forces as the law has it.
 * Velocities before are those after without what the impulses did, and the bias of the forces makes
 * up for the rest. Form BLOCKS: the same bodies, written out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/oracle/oracle_make.h"
#include "tests/oracle/oracle_wrench.h"

enum { CLUSTERS = 3 };

typedef struct draft {
  const oracle_wrench_recipe *recipe;
  oracle_made made;
  talus_problem *p;
  double *after; /* [6 bodies] */
  double *frame; /* [9 contacts] n, d1, d2 */
  double *bias, *surface;
  uint64_t state;
} draft;

static double draw(draft *d, double low, double high) {
  return oracle_random(&d->state, low, high);
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static void cross(const double *a, const double *b, double *c) {
  for (int i = 0; i < 3; i++) {
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  }
}

static void arm_of(const talus_problem *p, int k, int side, double *arm) {
  const double *given = side ? p->rigid.arm_b : p->rigid.arm_a;
  for (int i = 0; i < 3; i++) {
    arm[i] = given != NULL ? given[3 * k + i]
             : side        ? -p->rigid.reach_b[k] * p->rigid.normal[3 * k + i]
                           : p->rigid.reach_a[k] * p->rigid.normal[3 * k + i];
  }
}

/* Friction of all kinds, and the axes it is along. */
static void frictions_draw(draft *d) {
  const oracle_wrench_recipe *r = d->recipe;
  const size_t n = (size_t)r->contact_count;
  double *torque = oracle_keep(&d->made, 2 * n, sizeof(double));
  double *across = oracle_keep(&d->made, n, sizeof(double));
  double *direction = oracle_keep(&d->made, 3 * n, sizeof(double));
  for (size_t k = 0; k < n; k++) {
    const double mu = d->p->friction[k];
    double *f = d->frame + 9 * k;
    across[k] = mu * pow(10.0, draw(d, -1.0, 1.0));
    memcpy(f, d->p->rigid.normal + 3 * k, 3 * sizeof *f);
    for (int i = 0; i < 3; i++) {
      direction[3 * k + (size_t)i] = draw(d, -1.0, 1.0);
      f[3 + i] = direction[3 * k + (size_t)i];
    }
    const double along = dot(f, f + 3);
    for (int i = 0; i < 3; i++) {
      f[3 + i] -= along * f[i];
    }
    const double length = sqrt(dot(f + 3, f + 3));
    for (int i = 0; i < 3; i++) {
      f[3 + i] /= length;
    }
    cross(f, f + 3, f + 6);
    for (int i = 0; i < 2; i++) {
      torque[2 * k + (size_t)i] = draw(d, 0.0, 1.0) < 0.1 ? 0.0 : draw(d, 0.0, r->torque_max);
    }
  }
  d->p->torque_friction = r->dimension == 6 ? torque : NULL;
  d->p->cross_friction = r->elliptic ? across : NULL;
  d->p->friction_direction = r->elliptic && r->form == TALUS_FORM_RIGID ? direction : NULL;
}

static void motions_draw(draft *d) {
  double cluster[CLUSTERS][3] = {{0}};
  for (int i = 3; i < 3 * CLUSTERS; i++) {
    cluster[i / 3][i % 3] = draw(d, -1.0, 1.0);
  }
  for (int i = 0; i < d->p->rigid.body_count; i++) {
    const int c = (int)draw(d, 0.0, CLUSTERS - 0.001);
    for (int j = 0; j < 3; j++) {
      d->after[6 * i + j] = draw(d, -1.0, 1.0);
      d->after[6 * i + 3 + j] = cluster[c][j];
    }
    if (!(d->p->rigid.inverse_mass[i] > 0)) {
      memcpy(d->after + 6 * i, d->p->rigid.velocity + 6 * i, 6 * sizeof(double));
    }
  }
}

/* Relative velocity of contact k after the impulses, without bias: force, torque. */
static void relative(const draft *d, int k, double *u, double *w) {
  memset(u, 0, 3 * sizeof *u);
  memset(w, 0, 3 * sizeof *w);
  for (int side = 0; side < 2; side++) {
    const int body = side ? d->p->rigid.body_b[k] : d->p->rigid.body_a[k];
    double arm[3], turn[3];
    arm_of(d->p, k, side, arm);
    if (body < 0) {
      continue;
    }
    cross(d->after + 6 * body + 3, arm, turn);
    for (int i = 0; i < 3; i++) {
      u[i] += (side ? 1 : -1) * (d->after[6 * body + i] + turn[i]);
      w[i] += (side ? 1 : -1) * d->after[6 * body + 3 + i];
    }
  }
}

/* A torque of at most `most` against w; anything where nothing moves. */
static void torque_draw(const double *w, double most, const double *axis, double *torque) {
  const double length = sqrt(dot(w, w));
  for (int i = 0; i < 3; i++) {
    torque[i] += length > 1e-9 ? -most * w[i] / length : 0.9 * most * axis[i];
  }
}

/* Force, torque, and the velocity wanted of the force, in axes n, d1, d2. */
static void contact_draw(draft *d, int k, double push, const double *w, double *x, double *torque,
                         double *u) {
  const double m1 = d->p->friction[k];
  const double m2 = d->p->cross_friction != NULL ? d->p->cross_friction[k] : m1;
  const double *mu = d->p->torque_friction, *n = d->frame + 9 * k;
  const double spin = mu != NULL ? mu[2 * k] : 0, roll = mu != NULL ? mu[2 * k + 1] : 0;
  const double about = dot(n, w), angle = draw(d, 0.0, 6.2831853), speed = draw(d, 0.1, 1.0);
  const double status = draw(d, 0.0, 1.0), share = draw(d, 0.0, 0.95), turn = draw(d, 0.0, 6.28);
  double rolls[3], spins[3], axis[3], opening;
  for (int i = 0; i < 3; i++) {
    spins[i] = about * n[i];
    rolls[i] = w[i] - spins[i];
  }
  const int open = status < 0.3, stick = !open && status < 0.7 && m1 > 0;
  u[1] = stick ? 0 : speed * cos(angle);
  u[2] = stick ? 0 : speed * sin(angle);
  opening = hypot(m1 * u[1], m2 * u[2]) + spin * fabs(about) + roll * sqrt(dot(rolls, rolls));
  u[0] = (d->recipe->law == TALUS_LAW_CCP ? opening : 0) + (open ? speed : 0);
  memset(x, 0, 3 * sizeof *x);
  memset(torque, 0, 3 * sizeof *torque);
  d->made.open[k] = open;
  d->made.stick[k] = stick;
  if (open) {
    return;
  }
  x[0] = push;
  if (stick) {
    x[1] = share * m1 * push * cos(angle);
    x[2] = share * m2 * push * sin(angle);
  } else if (m1 > 0) { /* along the normal of the ellipse: x_i = -mu_i^2 u_i over |(mu u)| */
    const double size = hypot(m1 * u[1], m2 * u[2]);
    x[1] = -push * m1 * m1 * u[1] / size;
    x[2] = -push * m2 * m2 * u[2] / size;
  }
  for (int i = 0; i < 3; i++) {
    axis[i] = n[i] * cos(turn);
  }
  torque_draw(spins, spin * push, axis, torque);
  for (int i = 0; i < 3; i++) {
    axis[i] = cos(turn) * n[3 + i] + sin(turn) * n[6 + i];
  }
  torque_draw(rolls, roll * push, axis, torque);
}

/* Takes from the velocities what force and torque at contact k have given. */
static void impulse_take(draft *d, int k, const double *x, const double *torque, double *before) {
  static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  const talus_rigid *r = &d->p->rigid;
  for (int side = 0; side < 2; side++) {
    const int body = side ? r->body_b[k] : r->body_a[k];
    double arm[3], moment[3];
    if (body < 0) {
      continue;
    }
    arm_of(d->p, k, side, arm);
    cross(arm, x, moment);
    for (int i = 0; i < 3; i++) {
      before[6 * body + i] -= (side ? 1 : -1) * r->inverse_mass[body] * x[i];
      for (int j = 0; j < 3; j++) {
        before[6 * body + 3 + i] -=
            (side ? 1 : -1) * r->inverse_inertia[6 * body + place[i][j]] * (moment[j] + torque[j]);
      }
    }
  }
}

/* C (x - target) of contact k about its normal. */
static void yield(const draft *d, int k, const double *x, double *v) {
  const double *c = d->p->compliance + 2 * k, *n = d->frame + 9 * k;
  const double *target = d->p->target_impulse + d->recipe->dimension * k;
  double way[3];
  for (int i = 0; i < 3; i++) {
    way[i] = x[i] - target[i];
  }
  const double along = dot(n, way);
  for (int i = 0; i < 3; i++) {
    v[i] = c[1] * (way[i] - along * n[i]) + c[0] * along * n[i];
  }
}

static void compliance_draw(draft *d) {
  const size_t n = (size_t)d->recipe->contact_count, rows = (size_t)d->recipe->dimension;
  double *c = oracle_keep(&d->made, 2 * n, sizeof(double));
  double *target = oracle_keep(&d->made, rows * n, sizeof(double));
  for (size_t i = 0; i < 2 * n; i++) {
    c[i] = draw(d, 0.0, 1.0) < 0.1 ? 0.0 : d->recipe->compliance * pow(10.0, draw(d, -4.0, 0.0));
  }
  for (size_t i = 0; i < rows * n; i++) {
    target[i] = draw(d, -1.0, 1.0);
  }
  d->p->compliance = c;
  d->p->target_impulse = target;
}

static void contacts_draw(draft *d, double *before) {
  const int rows = d->recipe->dimension;
  for (int k = 0; k < d->recipe->contact_count; k++) {
    const double *f = d->frame + 9 * k;
    double u[3], w[3], wanted[3], local[3], torque[3], x[3], soft[3] = {0, 0, 0}, rest[3];
    relative(d, k, u, w);
    contact_draw(d, k, draw(d, 0.2, 2.0), w, local, torque, wanted);
    for (int i = 0; i < 3; i++) {
      x[i] = local[0] * f[i] + local[1] * f[3 + i] + local[2] * f[6 + i];
      d->made.impulse[rows * k + i] = x[i];
      if (rows == 6) {
        d->made.impulse[rows * k + 3 + i] = torque[i];
      }
    }
    if (d->p->compliance != NULL) {
      yield(d, k, x, soft);
    }
    for (int i = 0; i < 3; i++) {
      rest[i] = wanted[0] * f[i] + wanted[1] * f[3 + i] + wanted[2] * f[6 + i] - u[i] - soft[i];
    }
    d->bias[k] = dot(f, rest);
    for (int i = 0; i < 3; i++) {
      d->surface[3 * k + i] = rest[i] - d->bias[k] * f[i];
    }
    impulse_take(d, k, x, torque, before);
  }
}

static void rows_draw(draft *d, double *before) {
  static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  const talus_rigid *r = &d->p->rigid;
  double *bias = oracle_keep(&d->made, (size_t)d->recipe->bilateral_count, sizeof(double));
  for (int row = 0; row < d->recipe->bilateral_count; row++) {
    const double x = d->made.bilateral_impulse[row];
    for (int side = 0; side < 2; side++) {
      const int body = side ? r->row_body_b[row] : r->row_body_a[row];
      const double *j = r->row_jacobian + 12 * row + 6 * side;
      for (int i = 0; i < 6 && body >= 0; i++) {
        bias[row] -= j[i] * d->after[6 * body + i];
        before[6 * body + i] -= i < 3 ? x * r->inverse_mass[body] * j[i] : 0;
        for (int c = 0; c < 3 && i >= 3; c++) {
          before[6 * body + i] -= x * r->inverse_inertia[6 * body + place[i - 3][c]] * j[3 + c];
        }
      }
    }
  }
  d->p->rigid.row_bias = bias;
}

/* ---- form BLOCKS ----------------------------------------------------------------------------- */

static void to_frame(const double *frame, const double *world, double *local) {
  double v[3];
  for (int i = 0; i < 3; i++) {
    v[i] = dot(frame + 3 * i, world);
  }
  memcpy(local, v, sizeof v);
}

/* Rows of contact k against one of its bodies. */
static void jacobian_write(const draft *d, int k, int side, double *to) {
  const double *f = d->frame + 9 * k, sign = side ? 1 : -1;
  double arm[3], moment[3];
  arm_of(d->p, k, side, arm);
  for (int row = 0; row < d->recipe->dimension; row++) {
    const double *axis = f + 3 * (row % 3);
    cross(arm, axis, moment);
    for (int i = 0; i < 3; i++) {
      to[6 * row + i] = row < 3 ? sign * axis[i] : 0;
      to[6 * row + 3 + i] = sign * (row < 3 ? moment[i] : axis[i]);
    }
  }
}

static void blocks_write(draft *d) {
  static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  const talus_rigid *r = &d->p->rigid;
  const size_t bodies = (size_t)r->body_count, contacts = (size_t)d->recipe->contact_count;
  const size_t rows = (size_t)d->recipe->bilateral_count, height = (size_t)d->recipe->dimension;
  int32_t *size = oracle_keep(&d->made, bodies, sizeof *size);
  double *inverse = oracle_keep(&d->made, 36 * bodies, sizeof *inverse);
  int64_t *start = oracle_keep(&d->made, contacts + 1, sizeof *start);
  int32_t *block = oracle_keep(&d->made, 2 * contacts, sizeof *block);
  double *jacobian = oracle_keep(&d->made, 12 * height * contacts, sizeof *jacobian);
  double *bias = oracle_keep(&d->made, height * contacts, sizeof *bias);
  int64_t *row_start = oracle_keep(&d->made, rows + 1, sizeof *row_start);
  int32_t *row_block = oracle_keep(&d->made, 2 * rows, sizeof *row_block);
  double *row_jacobian = oracle_keep(&d->made, 12 * rows, sizeof *row_jacobian);
  for (size_t i = 0; i < bodies; i++) {
    size[i] = 6;
    for (size_t a = 0; a < 3; a++) {
      inverse[36 * i + 7 * a] = r->inverse_mass[i];
      for (size_t b = 0; b < 3; b++) {
        inverse[36 * i + 6 * (3 + a) + 3 + b] = r->inverse_inertia[6 * i + (size_t)place[a][b]];
      }
    }
  }
  int64_t entry = 0;
  for (size_t k = 0; k < contacts; k++) {
    const double *f = d->frame + 9 * k;
    start[k] = entry;
    for (int side = 0; side < 2; side++) {
      const int body = side ? r->body_b[k] : r->body_a[k];
      if (body >= 0) {
        jacobian_write(d, (int)k, side, jacobian + 6 * height * (size_t)entry);
        block[entry++] = body;
      }
    }
    bias[height * k] = d->bias[k];
    bias[height * k + 1] = dot(f + 3, d->surface + 3 * k);
    bias[height * k + 2] = dot(f + 6, d->surface + 3 * k);
    to_frame(f, d->made.impulse + height * k, d->made.impulse + height * k);
    if (height == 6) {
      to_frame(f, d->made.impulse + height * k + 3, d->made.impulse + height * k + 3);
    }
    if (d->p->target_impulse != NULL) {
      double *target = (double *)d->p->target_impulse + height * k;
      to_frame(f, target, target);
    }
  }
  start[contacts] = entry;
  entry = 0;
  for (size_t row = 0; row < rows; row++) {
    row_start[row] = entry;
    for (int side = 0; side < 2; side++) {
      const int body = side ? r->row_body_b[row] : r->row_body_a[row];
      if (body >= 0) {
        memcpy(row_jacobian + 6 * entry, r->row_jacobian + 12 * row + 6 * (size_t)side,
               6 * sizeof *row_jacobian);
        row_block[entry++] = body;
      }
    }
  }
  row_start[rows] = entry;
  d->p->form = TALUS_FORM_BLOCKS;
  d->p->blocks = (talus_blocks){.block_count = r->body_count,
                                .block_size = size,
                                .inverse_mass = inverse,
                                .velocity = r->velocity,
                                .contact_start = start,
                                .contact_block = block,
                                .contact_jacobian = jacobian,
                                .bias = bias,
                                .bilateral_start = rows > 0 ? row_start : NULL,
                                .bilateral_block = row_block,
                                .bilateral_jacobian = row_jacobian,
                                .bilateral_bias = r->row_bias};
}

oracle_made oracle_wrench_make(const oracle_wrench_recipe *recipe) {
  oracle_recipe base = oracle_recipe_default(TALUS_FORM_RIGID);
  base.bodies = recipe->bodies;
  base.body_count = recipe->body_count;
  base.contact_count = recipe->contact_count;
  base.bilateral_count = recipe->bilateral_count;
  base.seed = recipe->seed;
  draft d = {.recipe = recipe, .made = oracle_problem_make(&base)};
  d.state = recipe->seed * UINT64_C(0xD1342543DE82EF95) + 99;
  d.p = &d.made.problem;
  const size_t contacts = (size_t)recipe->contact_count, bodies = (size_t)recipe->body_count;
  d.after = oracle_keep(&d.made, 6 * bodies, sizeof(double));
  d.frame = oracle_keep(&d.made, 9 * contacts, sizeof(double));
  d.bias = oracle_keep(&d.made, contacts, sizeof(double));
  d.surface = oracle_keep(&d.made, 3 * contacts, sizeof(double));
  double *before = oracle_keep(&d.made, 6 * bodies, sizeof(double));
  d.made.impulse = oracle_keep(&d.made, 6 * contacts, sizeof(double));
  d.p->dimension = recipe->dimension;
  frictions_draw(&d);
  motions_draw(&d);
  if (recipe->compliance > 0) {
    compliance_draw(&d);
  }
  memcpy(before, d.after, 6 * bodies * sizeof *before);
  contacts_draw(&d, before);
  rows_draw(&d, before);
  d.p->rigid.velocity = before;
  d.p->rigid.bias = d.bias;
  d.p->rigid.surface_velocity = d.surface;
  if (recipe->form == TALUS_FORM_BLOCKS) {
    blocks_write(&d);
  }
  return d.made;
}
