/* certificate_forms.c: q, u = W x + q, w_k and the motion after the impulses, form by form.
 *
 * Plain products over the caller's arrays; nothing here is shared with the solvers but the block
 * factorisation of M (form (d)), whose result the momentum balance checks. */
#include <math.h>
#include <string.h>

#include "host/solve/certificate.h"
#include "host/solve/dense.h"
#include "host/solve/mass.h"

/* ---- form (a) -------------------------------------------------------------------------------- */

static void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static void inertia_times(const double *m, const double *v, double *r) {
  r[0] = m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
  r[1] = m[1] * v[0] + m[3] * v[1] + m[4] * v[2];
  r[2] = m[2] * v[0] + m[4] * v[1] + m[5] * v[2];
}

static void arm_of(const talus_rigid *rigid, int64_t k, int side, double *arm) {
  const double *const given = side ? rigid->arm_b : rigid->arm_a;
  const double *const reach = side ? rigid->reach_b : rigid->reach_a;
  for (int c = 0; c < 3; c++) {
    arm[c] = given != NULL ? given[3 * k + c]
                           : (side ? -reach[k] : reach[k]) * rigid->normal[3 * k + c];
  }
}

/* u (and, with sizes, the sum of absolute values) of contact k for given body velocities. */
static void rigid_velocity(const talus_rigid *rigid, int64_t k, const double *motion, double *u,
                           double *sizes) {
  for (int c = 0; c < 3; c++) {
    const double bias = (rigid->bias != NULL ? rigid->bias[k] * rigid->normal[3 * k + c] : 0);
    const double surface = rigid->surface_velocity != NULL ? rigid->surface_velocity[3 * k + c] : 0;
    u[c] = bias + surface;
    sizes[c] = fabs(bias) + fabs(surface);
  }
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? rigid->body_b[k] : rigid->body_a[k];
    if (body < 0) {
      continue;
    }
    const double *const v = motion + 6 * (int64_t)body;
    double arm[3], turn[3];
    arm_of(rigid, k, side, arm);
    cross(v + 3, arm, turn);
    for (int c = 0; c < 3; c++) {
      u[c] += (side ? 1 : -1) * (v[c] + turn[c]);
      sizes[c] += fabs(v[c]) + fabs(turn[c]);
    }
  }
}

static double row_velocity(const talus_rigid *rigid, int64_t row, const double *motion,
                           double *size) {
  double u = rigid->row_bias != NULL ? rigid->row_bias[row] : 0;
  *size = fabs(u);
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? rigid->row_body_b[row] : rigid->row_body_a[row];
    for (int c = 0; c < 6 && body >= 0; c++) {
      const double part = rigid->row_jacobian[12 * row + 6 * side + c] * motion[6 * (int64_t)body + c];
      u += part;
      *size += fabs(part);
    }
  }
  return u;
}

/* tr(W_kk) of a contact: 1/m thrice and the turning of each arm. */
static double rigid_trace(const talus_rigid *rigid, int64_t k) {
  double trace = 0;
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? rigid->body_b[k] : rigid->body_a[k];
    if (body < 0) {
      continue;
    }
    const double *const m = rigid->inverse_inertia + 6 * (int64_t)body;
    double r[3], mr[3];
    arm_of(rigid, k, side, r);
    inertia_times(m, r, mr);
    /* tr([r] m [r]^T) = tr(m) |r|^2 - r.m r */
    trace += 3 * rigid->inverse_mass[body] +
             (m[0] + m[3] + m[5]) * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) -
             (r[0] * mr[0] + r[1] * mr[1] + r[2] * mr[2]);
  }
  return trace;
}

static double rigid_row_trace(const talus_rigid *rigid, int64_t row) {
  double trace = 0;
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? rigid->row_body_b[row] : rigid->row_body_a[row];
    if (body < 0) {
      continue;
    }
    const double *const jacobian = rigid->row_jacobian + 12 * row + 6 * side;
    double turn[3];
    inertia_times(rigid->inverse_inertia + 6 * (int64_t)body, jacobian + 3, turn);
    for (int c = 0; c < 3; c++) {
      trace += rigid->inverse_mass[body] * jacobian[c] * jacobian[c] + jacobian[3 + c] * turn[c];
    }
  }
  return trace;
}

/* Momentum handed to each body, into `momentum`. */
static void rigid_momentum(const tl_judgement *j, const talus_rigid *rigid, double *momentum) {
  for (int64_t k = 0; k < j->contact_count; k++) {
    const double *const x = j->impulse + 3 * k;
    for (int side = 0; side < 2; side++) {
      const int32_t body = side ? rigid->body_b[k] : rigid->body_a[k];
      if (body < 0) {
        continue;
      }
      double arm[3], moment[3];
      arm_of(rigid, k, side, arm);
      cross(arm, x, moment);
      for (int c = 0; c < 3; c++) {
        momentum[6 * (int64_t)body + c] += (side ? 1 : -1) * x[c];
        momentum[6 * (int64_t)body + 3 + c] += (side ? 1 : -1) * moment[c];
      }
    }
  }
  for (int64_t row = 0; row < j->bilateral_count; row++) {
    const double x = j->impulse[3 * (j->contact_count + row)];
    for (int side = 0; side < 2; side++) {
      const int32_t body = side ? rigid->row_body_b[row] : rigid->row_body_a[row];
      for (int c = 0; c < 6 && body >= 0; c++) {
        momentum[6 * (int64_t)body + c] += x * rigid->row_jacobian[12 * row + 6 * side + c];
      }
    }
  }
}

/* v+ = v + M^-1 momentum; the balance compares m (v+ - v) with the linear momentum. */
static void rigid_move(tl_judgement *j, const talus_rigid *rigid) {
  double given = 0, missing = 0;
  for (int64_t i = 0; i < rigid->body_count; i++) {
    double *const p = j->motion + 6 * i, turn[3];
    const double inverse = rigid->inverse_mass[i];
    inertia_times(rigid->inverse_inertia + 6 * i, p + 3, turn);
    for (int c = 0; c < 3; c++) {
      const double before = rigid->velocity[6 * i + c], after = before + inverse * p[c];
      if (inverse > 0) {
        const double off = (after - before) / inverse - p[c];
        given += p[c] * p[c];
        missing += off * off;
      }
      p[c] = after;
      p[3 + c] = rigid->velocity[6 * i + 3 + c] + turn[c];
    }
  }
  j->momentum_balance = given > 0 ? sqrt(missing / given) : 0;
}

static talus_status judge_rigid(const talus_problem *problem, tl_judgement *j) {
  const talus_rigid *const rigid = &problem->rigid;
  j->axis = rigid->normal;
  rigid_momentum(j, rigid, j->motion);
  rigid_move(j, rigid);
  for (int64_t k = 0; k < j->contact_count; k++) {
    double sizes[3];
    rigid_velocity(rigid, k, j->motion, j->velocity + 3 * k, sizes);
    rigid_velocity(rigid, k, rigid->velocity, j->free + 3 * k, j->rounding + 3 * k);
    j->weight[k] = rigid_trace(rigid, k) / 3;
  }
  for (int64_t row = 0; row < j->bilateral_count; row++) {
    const int64_t k = j->contact_count + row;
    double size;
    j->velocity[3 * k] = row_velocity(rigid, row, j->motion, &size);
    j->free[3 * k] = row_velocity(rigid, row, rigid->velocity, j->rounding + 3 * k);
    j->weight[k] = rigid_row_trace(rigid, row);
  }
  return TALUS_OK;
}

/* ---- form (b) -------------------------------------------------------------------------------- */

/* Offsets of a block's M^-1 and velocity are found by running sums, kept in two arrays. */
typedef struct block_walk {
  int64_t *inverse, *velocity;
} block_walk;

static void blocks_apply(const talus_blocks *blocks, const block_walk *walk, const int64_t *start,
                         const int32_t *block, const double *jacobian, int32_t count, int32_t rows,
                         const double *bias, int32_t first, tl_judgement *j, int pass) {
  int64_t at = 0;
  for (int32_t k = 0; k < count; k++) {
    const int64_t to = 3 * ((int64_t)first + k);
    double trace = 0;
    for (int32_t row = 0; row < rows && pass == 1; row++) {
      const double given = bias != NULL ? bias[(int64_t)rows * k + row] : 0;
      j->velocity[to + row] = j->free[to + row] = given;
      j->rounding[to + row] = fabs(given);
    }
    for (int64_t e = start[k]; e < start[k + 1]; e++) {
      const int32_t size = blocks->block_size[block[e]];
      const double *const inverse = blocks->inverse_mass + walk->inverse[block[e]];
      double *const motion = j->motion + walk->velocity[block[e]];
      const double *const before = blocks->velocity + walk->velocity[block[e]];
      for (int32_t row = 0; row < rows; row++, at += size) {
        const double *const line = jacobian + at;
        for (int32_t c = 0; c < size; c++) {
          if (pass == 0) { /* momentum */
            motion[c] += line[c] * j->impulse[to + row];
            continue;
          }
          j->velocity[to + row] += line[c] * motion[c];
          j->free[to + row] += line[c] * before[c];
          j->rounding[to + row] += fabs(line[c] * before[c]);
          for (int32_t d = 0; d < size; d++) {
            trace += line[c] * inverse[(int64_t)c * size + d] * line[d];
          }
        }
      }
    }
    if (pass == 1) {
      j->weight[first + k] = trace / rows;
    }
  }
}

static talus_status judge_blocks(talus_context *context, const talus_problem *problem,
                                 tl_judgement *j) {
  const talus_blocks *const blocks = &problem->blocks;
  const size_t count = (size_t)blocks->block_count;
  int32_t largest = 1;
  for (size_t i = 0; i < count; i++) {
    largest = blocks->block_size[i] > largest ? blocks->block_size[i] : largest;
  }
  int64_t *memory;
  TL_TRY(tl_alloc(context, (void **)&memory, 2 * count + (size_t)largest, sizeof *memory,
                  "certificate"));
  const block_walk walk = {memory, memory + count};
  double *const column = (double *)(memory + 2 * count);
  int64_t inverse = 0, velocity = 0;
  for (size_t i = 0; i < count; i++) {
    walk.inverse[i] = inverse;
    walk.velocity[i] = velocity;
    inverse += (int64_t)blocks->block_size[i] * blocks->block_size[i];
    velocity += blocks->block_size[i];
  }
  for (int pass = 0; pass < 2; pass++) {
    blocks_apply(blocks, &walk, blocks->contact_start, blocks->contact_block,
                 blocks->contact_jacobian, problem->contact_count, problem->dimension,
                 blocks->bias, 0, j, pass);
    if (problem->bilateral_count > 0) {
      blocks_apply(blocks, &walk, blocks->bilateral_start, blocks->bilateral_block,
                   blocks->bilateral_jacobian, problem->bilateral_count, 1, blocks->bilateral_bias,
                   problem->contact_count, j, pass);
    }
    for (size_t i = 0; i < count && pass == 0; i++) { /* v + M^-1 momentum */
      const int32_t size = blocks->block_size[i];
      double *const motion = j->motion + walk.velocity[i];
      const double *const m = blocks->inverse_mass + walk.inverse[i];
      memcpy(column, motion, (size_t)size * sizeof *column);
      for (int32_t r = 0; r < size; r++) {
        motion[r] = blocks->velocity[walk.velocity[i] + r];
        for (int32_t c = 0; c < size; c++) {
          motion[r] += m[(int64_t)r * size + c] * column[c];
        }
      }
    }
  }
  tl_free(context, memory);
  return TALUS_OK;
}

/* ---- forms (c) and (d) ----------------------------------------------------------------------- */

/* y += A x, or A^T x. */
static void matrix_apply(const talus_matrix *m, int transposed, const double *x, double *y) {
  int64_t line = 0;
  for (int64_t e = 0; e < m->count; e++) {
    int64_t row, column;
    if (m->storage == TALUS_STORAGE_DENSE) {
      row = e % m->rows;
      column = e / m->rows;
    } else if (m->storage == TALUS_STORAGE_TRIPLET) {
      row = m->index[e];
      column = m->index2[e];
    } else {
      while (e >= m->start[line + 1]) {
        line++;
      }
      row = m->storage == TALUS_STORAGE_CSR ? line : m->index[e];
      column = m->storage == TALUS_STORAGE_CSR ? m->index[e] : line;
    }
    y[transposed ? column : row] += m->value[e] * x[transposed ? row : column];
  }
}

/* Rows of a flat vector (dimension per contact, then one per bilateral row) and back to three per
 * constraint. */
static void flatten(const tl_judgement *j, const double *three, double *flat) {
  const int64_t contacts = j->contact_count, d = j->dimension;
  for (int64_t k = 0; k < contacts; k++) {
    for (int64_t c = 0; c < d; c++) {
      flat[d * k + c] = three[3 * k + c];
    }
  }
  for (int64_t row = 0; row < j->bilateral_count; row++) {
    flat[d * contacts + row] = three[3 * (contacts + row)];
  }
}

static void unflatten(const tl_judgement *j, const double *flat, double *three) {
  const int64_t contacts = j->contact_count, d = j->dimension;
  for (int64_t k = 0; k < contacts; k++) {
    for (int64_t c = 0; c < d; c++) {
      three[3 * k + c] = flat[d * k + c];
    }
  }
  for (int64_t row = 0; row < j->bilateral_count; row++) {
    three[3 * (contacts + row)] = flat[d * contacts + row];
  }
}

/* |W - W^T| / |W|, line by line: row i minus column i in a dense scratch line. */
static double asymmetry_of(const tl_lines *rows, const tl_lines *columns, double *line) {
  double difference = 0, size = 0;
  memset(line, 0, (size_t)rows->count * sizeof *line);
  for (int32_t i = 0; i < rows->count; i++) {
    for (int64_t e = rows->first[i]; e < rows->first[i + 1]; e++) {
      line[rows->index[e]] += rows->value[e];
      size += rows->value[e] * rows->value[e];
    }
    for (int64_t e = columns->first[i]; e < columns->first[i + 1]; e++) {
      line[columns->index[e]] -= columns->value[e];
    }
    for (int pass = 0; pass < 2; pass++) {
      const tl_lines *const side = pass ? columns : rows;
      for (int64_t e = side->first[i]; e < side->first[i + 1]; e++) {
        difference += line[side->index[e]] * line[side->index[e]];
        line[side->index[e]] = 0;
      }
    }
  }
  return size > 0 ? sqrt(difference / size) : 0;
}

/* Traces of the diagonal blocks; those without a positive one get the mean. */
static void matrix_weights(const tl_lines *rows, tl_judgement *j) {
  const int64_t contact_rows = (int64_t)j->dimension * j->contact_count;
  const int32_t constraints = j->contact_count + j->bilateral_count;
  for (int32_t i = 0; i < rows->count; i++) {
    const int64_t k = i < contact_rows ? i / j->dimension : j->contact_count + (i - contact_rows);
    for (int64_t e = rows->first[i]; e < rows->first[i + 1]; e++) {
      if (rows->index[e] == i) {
        j->weight[k] += rows->value[e] / (i < contact_rows ? j->dimension : 1);
      }
    }
  }
  double total = 0;
  int32_t good = 0;
  for (int32_t k = 0; k < constraints; k++) {
    total += j->weight[k] > 0 ? j->weight[k] : 0;
    good += j->weight[k] > 0;
  }
  for (int32_t k = 0; k < constraints; k++) {
    if (!(j->weight[k] > 0)) {
      j->weight[k] = good > 0 ? total / good : 1;
    }
  }
}

static talus_status judge_delassus(talus_context *context, const talus_problem *problem,
                                   tl_judgement *j) {
  const talus_delassus *const delassus = &problem->delassus;
  const size_t rows = (size_t)delassus->w.rows;
  double *flat = NULL;
  tl_lines by_row = {0}, by_column = {0};
  talus_status status = tl_alloc(context, (void **)&flat, 2 * rows, sizeof *flat, "certificate");
  if (status == TALUS_OK) {
    status = tl_lines_make(context, &delassus->w, 0, &by_row);
  }
  if (status == TALUS_OK) {
    status = tl_lines_make(context, &delassus->w, 1, &by_column);
  }
  if (status == TALUS_OK) {
    double *const x = flat, *const u = flat + rows;
    flatten(j, j->impulse, x);
    memcpy(u, delassus->q, rows * sizeof *u);
    matrix_apply(&delassus->w, 0, x, u);
    unflatten(j, u, j->velocity);
    unflatten(j, delassus->q, j->free);
    for (int64_t i = 0; i < 3 * ((int64_t)j->contact_count + j->bilateral_count); i++) {
      j->rounding[i] = fabs(j->free[i]);
    }
    matrix_weights(&by_row, j);
    j->asymmetry = asymmetry_of(&by_row, &by_column, flat);
  }
  tl_lines_release(context, &by_row);
  tl_lines_release(context, &by_column);
  tl_free(context, flat);
  return status;
}

/* sum over the rows of a constraint of h^T M^-1 h, block by block. */
static double global_trace(const tl_mass *mass, const tl_lines *columns, int64_t first,
                           int64_t count, double *dense) {
  double trace = 0;
  for (int64_t c = first; c < first + count; c++) {
    for (int64_t e = columns->first[c]; e < columns->first[c + 1]; e++) {
      const int32_t b = mass->block_of[columns->index[e]], size = mass->block_size[b];
      int seen = 0;
      for (int64_t f = columns->first[c]; f < e && !seen; f++) {
        seen = mass->block_of[columns->index[f]] == b;
      }
      if (seen) {
        continue;
      }
      memset(dense, 0, 2 * (size_t)size * sizeof *dense);
      for (int64_t f = e; f < columns->first[c + 1]; f++) {
        if (mass->block_of[columns->index[f]] == b) {
          dense[mass->place_of[columns->index[f]]] += columns->value[f];
        }
      }
      memcpy(dense + size, dense, (size_t)size * sizeof *dense);
      tl_dense_solve(mass->factor + mass->factor_first[b], size, dense);
      for (int32_t i = 0; i < size; i++) {
        trace += dense[i] * dense[size + i];
      }
    }
  }
  return trace;
}

/* velocity at the constraints: H^T v + w, G^T v + b; sizes: the same with absolute values. */
static void global_velocity(const talus_problem *problem, const tl_judgement *j, const tl_lines *h,
                            const tl_lines *g, const double *v, double *three, double *sizes) {
  const int64_t contacts = j->contact_count, d = j->dimension;
  for (int64_t i = 0; i < d * contacts + j->bilateral_count; i++) {
    const int row = i >= d * contacts;
    const tl_lines *const lines = row ? g : h;
    const int64_t line = row ? i - d * contacts : i;
    const double *const bias = row ? problem->global.b : problem->global.w;
    double sum = bias != NULL ? bias[line] : 0, size = fabs(sum);
    for (int64_t e = lines->first[line]; e < lines->first[line + 1]; e++) {
      sum += lines->value[e] * v[lines->index[e]];
      size += fabs(lines->value[e] * v[lines->index[e]]);
    }
    const int64_t to = row ? 3 * (contacts + line) : 3 * (line / d) + line % d;
    three[to] = sum;
    if (sizes != NULL) {
      sizes[to] = size;
    }
  }
}

static talus_status global_run(talus_context *context, const talus_problem *problem,
                               tl_judgement *j, tl_mass *mass, tl_lines *h, tl_lines *g,
                               double **memory) {
  const talus_global *const global = &problem->global;
  const size_t size = (size_t)global->mass.rows;
  const size_t rows = (size_t)problem->dimension * (size_t)problem->contact_count +
                      (size_t)problem->bilateral_count;
  TL_TRY(tl_mass_make(context, &global->mass, 0, mass));
  TL_TRY(tl_lines_make(context, &global->h, 1, h));
  if (problem->bilateral_count > 0) {
    TL_TRY(tl_lines_make(context, &global->g, 1, g));
  }
  TL_TRY(tl_alloc(context, (void **)memory, 5 * size + rows, sizeof(double), "certificate"));
  double *const given = *memory, *const balance = given + size, *const before = balance + size;
  double *const scratch = before + size, *const flat = scratch + 2 * size;
  flatten(j, j->impulse, flat);
  memset(given, 0, size * sizeof *given);
  matrix_apply(&global->h, 0, flat, given);
  if (problem->bilateral_count > 0) {
    matrix_apply(&global->g, 0, flat + rows - problem->bilateral_count, given);
  }
  double handed = 0, missing = 0;
  for (size_t i = 0; i < size; i++) {
    j->motion[i] = global->f[i] + given[i];
    before[i] = global->f[i];
    balance[i] = -j->motion[i];
    handed += j->motion[i] * j->motion[i];
  }
  tl_mass_solve(mass, j->motion, scratch);
  tl_mass_solve(mass, before, scratch);
  matrix_apply(&global->mass, 0, j->motion, balance);
  for (size_t i = 0; i < size; i++) {
    missing += balance[i] * balance[i];
  }
  j->momentum_balance = handed > 0 ? sqrt(missing / handed) : 0;
  global_velocity(problem, j, h, g, j->motion, j->velocity, NULL);
  global_velocity(problem, j, h, g, before, j->free, j->rounding);
  const int64_t contacts = j->contact_count, d = j->dimension;
  for (int64_t k = 0; k < contacts; k++) {
    j->weight[k] = global_trace(mass, h, d * k, d, scratch) / (double)d;
  }
  for (int64_t row = 0; row < j->bilateral_count; row++) {
    j->weight[contacts + row] = global_trace(mass, g, row, 1, scratch);
  }
  return TALUS_OK;
}

static talus_status judge_global(talus_context *context, const talus_problem *problem,
                                 tl_judgement *j) {
  tl_mass mass;
  tl_lines h, g;
  double *memory = NULL;
  memset(&mass, 0, sizeof mass);
  memset(&h, 0, sizeof h);
  memset(&g, 0, sizeof g);
  const talus_status status = global_run(context, problem, j, &mass, &h, &g, &memory);
  tl_free(context, memory);
  tl_lines_release(context, &h);
  tl_lines_release(context, &g);
  tl_mass_release(context, &mass);
  return status;
}

/* ---- all forms ------------------------------------------------------------------------------- */

static int64_t motion_size(const talus_problem *problem) {
  int64_t size = 0;
  switch (problem->form) {
  case TALUS_FORM_RIGID:
    return 6 * (int64_t)problem->rigid.body_count;
  case TALUS_FORM_BLOCKS:
    for (int32_t i = 0; i < problem->blocks.block_count; i++) {
      size += problem->blocks.block_size[i];
    }
    return size;
  case TALUS_FORM_GLOBAL:
    return problem->global.mass.rows;
  default:
    return 0;
  }
}

talus_status tl_judgement_make(talus_context *context, const talus_problem *problem,
                               const double *impulse, const double *bilateral, tl_judgement *j) {
  const int64_t contacts = problem->contact_count, rows = problem->bilateral_count;
  const size_t constraints = (size_t)(contacts + rows), motion = (size_t)motion_size(problem);
  TL_TRY(tl_buffer_reserve(context, &j->memory, 13 * constraints + motion, sizeof(double),
                           "certificate"));
  memset(j->memory.memory, 0, (13 * constraints + motion) * sizeof(double));
  j->contact_count = problem->contact_count;
  j->bilateral_count = problem->bilateral_count;
  j->dimension = problem->dimension;
  j->friction = problem->friction;
  j->axis = NULL;
  j->impulse = j->memory.memory;
  j->velocity = j->impulse + 3 * constraints;
  j->free = j->velocity + 3 * constraints;
  j->rounding = j->free + 3 * constraints;
  j->weight = j->rounding + 3 * constraints;
  j->motion = j->weight + constraints;
  j->motion_count = (int64_t)motion;
  j->momentum_balance = j->asymmetry = 0;
  for (int64_t k = 0; impulse != NULL && k < contacts; k++) {
    for (int64_t c = 0; c < problem->dimension; c++) {
      j->impulse[3 * k + c] = impulse[problem->dimension * k + c];
    }
  }
  for (int64_t row = 0; bilateral != NULL && row < rows; row++) {
    j->impulse[3 * (contacts + row)] = bilateral[row];
  }
  switch (problem->form) {
  case TALUS_FORM_RIGID:
    return judge_rigid(problem, j);
  case TALUS_FORM_BLOCKS:
    return judge_blocks(context, problem, j);
  case TALUS_FORM_DELASSUS:
    return judge_delassus(context, problem, j);
  default:
    return judge_global(context, problem, j);
  }
}

void tl_judgement_release(talus_context *context, tl_judgement *judgement) {
  tl_buffer_release(context, &judgement->memory);
}
