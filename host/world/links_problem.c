/* links_problem.c: the problem of a step with mechanisms: one, in form (b).
 *
 * The step's arrays are filled as for form (a); here contacts and rows become Jacobian entries
 * against six velocities of a free body or the joint velocities of a mechanism, whose M^-1 is full.
 * Bodies that do not move leave their velocity in the bias. Rejected: form (a) with links as rigid
 * bodies and joints as rows, which has no exact joints and converges slowly on long chains. */
#include <math.h>
#include <string.h>

#include "host/world/links_blocks.h"

void tl_link_row(const talus_world *world, int32_t body, const double *wrench, double *row) {
  const tl_body *const link = &world->body[body];
  const talus_mechanism *const mechanism = tl_mechanism_of(world, body);
  double about[6]; /* moment, force; about the link's origin */
  tl_copy3(about, wrench + 3);
  tl_copy3(about + 3, wrench);
  tl_add_cross3(about, mechanism->state[link->link].centre, wrench);
  tl_mechanism_row(mechanism, link->link, about, row);
}

/* One or two entries being written: their blocks, and where their rows go. */
typedef struct entries {
  int32_t block[2], count;
  double *jacobian[2];
} entries;

/* The entry of a block, made if it is not there; J begins at zero. */
static double *entry_of(const tl_links_blocks *b, int32_t block, int rows, double **at,
                        entries *e) {
  for (int32_t i = 0; i < e->count; i++) {
    if (e->block[i] == block) {
      return e->jacobian[i];
    }
  }
  const size_t size = (size_t)rows * (size_t)b->size[block];
  e->block[e->count] = block;
  e->jacobian[e->count] = *at;
  memset(*at, 0, size * sizeof **at);
  *at += size;
  return e->jacobian[e->count++];
}

/* Adds a force and moment at a body's centre to row `row` of its entry. */
static void wrench_add(const tl_links_blocks *b, int32_t body, const double *wrench, int rows,
                       int row, double **at, entries *e) {
  const int32_t block = b->unit[body];
  const size_t n = (size_t)b->size[block];
  double *const jacobian = entry_of(b, block, rows, at, e) + (size_t)row * n;
  if (!tl_is_link(b->world, body)) {
    memcpy(jacobian, wrench, 6 * sizeof *wrench);
    return;
  }
  tl_link_row(b->world, body, wrench, jacobian);
}

/* J M^-1 J^T of row 0 of the entries. */
static double response(const tl_links_blocks *b, const entries *e) {
  double sum = 0;
  for (int32_t i = 0; i < e->count; i++) {
    const size_t n = (size_t)b->size[e->block[i]];
    const double *const m = b->inverse + b->inverse_first[e->block[i]];
    for (size_t r = 0; r < n; r++) {
      for (size_t c = 0; c < n; c++) {
        sum += e->jacobian[i][r] * m[r * n + c] * e->jacobian[i][c];
      }
    }
  }
  return sum;
}

static double body_response(const talus_world *world, int32_t body) {
  return body >= 0 ? world->body[body].inverse_mass : 0;
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* One side of contact k: entries, or what an unmoved body's velocity adds to u. */
static void side_fill(const tl_links_blocks *b, int32_t k, int side, double *bias, double **at,
                      entries *e) {
  const tl_step_arrays *const a = b->arrays;
  const int32_t body = side ? a->body_b[k] : a->body_a[k];
  const double *const arm = (side ? a->arm_b : a->arm_a) + 3 * (size_t)k;
  const double *const v = b->from->rigid.velocity + 6 * (size_t)body;
  for (int r = 0; r < 3; r++) {
    double wrench[6];
    tl_scale3(wrench, side ? 1 : -1, b->frame + 9 * (size_t)k + 3 * r);
    tl_cross3(wrench + 3, arm, wrench);
    if (b->unit[body] >= 0) {
      wrench_add(b, body, wrench, 3, r, at, e);
    } else {
      bias[r] += tl_dot3(wrench, v) + tl_dot3(wrench + 3, v + 3);
    }
  }
}

/* A vector of the world in the contact's frame, and back. */
static void to_frame(const double *frame, const double *v, double *out) {
  for (int r = 0; r < 3; r++) {
    out[r] = tl_dot3(frame + 3 * r, v);
  }
}

static void from_frame(const double *frame, const double *v, double *out) {
  for (int c = 0; c < 3; c++) {
    out[c] = v[0] * frame[c] + v[1] * frame[3 + c] + v[2] * frame[6 + c];
  }
}

static void contacts_fill(tl_links_blocks *b) {
  const tl_step_arrays *const a = b->arrays;
  const talus_world *const world = b->world;
  double *at = b->jacobian;
  int64_t count = 0;
  int32_t left = 0;
  b->start[0] = 0;
  for (int32_t k = 0; k < b->from->contact_count; k++) {
    double *const frame = b->frame + 9 * (size_t)k, *const here = at;
    double bias[3] = {a->bias[k], 0, 0};
    entries e = {.count = 0};
    tl_copy3(frame, a->normal + 3 * (size_t)k);
    tl_frame3(frame, frame + 3, frame + 6);
    side_fill(b, k, 0, bias, &at, &e);
    side_fill(b, k, 1, bias, &at, &e);
    const bool linked = tl_is_link(world, a->body_a[k]) || tl_is_link(world, a->body_b[k]);
    const double whole = body_response(world, a->body_a[k]) + body_response(world, a->body_b[k]);
    if (linked && !(response(b, &e) > TL_ROUNDING_SHARE * whole)) { /* nothing can move there */
      at = here;
      tl_set3(a->impulse + 3 * (size_t)k, 0, 0, 0);
      from_frame(frame, bias, a->contact_velocity + 3 * (size_t)k);
      continue;
    }
    memcpy(b->block + count, e.block, (size_t)e.count * sizeof *e.block);
    count += e.count;
    memcpy(b->bias + 3 * (size_t)left, bias, sizeof bias);
    to_frame(frame, a->impulse + 3 * (size_t)k, b->impulse + 3 * (size_t)left);
    b->friction[left] = b->from->friction != NULL ? b->from->friction[k] : 0;
    if (b->from->compliance != NULL) {
      memcpy(b->compliance + 2 * (size_t)left, a->compliance + 2 * (size_t)k, 2 * sizeof(double));
      to_frame(frame, a->target + 3 * (size_t)k, b->target + 3 * (size_t)left);
    }
    b->contact_of[left++] = k;
    b->start[left] = count;
  }
  b->contact_count = left;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A row of a joint or bond, between bodies. */
static double joint_row(const tl_links_blocks *b, int32_t r, double *bias, double **at,
                        entries *e) {
  const tl_joint_row *const row = &b->arrays->row[r];
  const int32_t body[2] = {row->body_a, row->body_b};
  double whole = 0;
  for (int side = 0; side < 2; side++) {
    const double *const wrench = row->jacobian + 6 * side;
    if (body[side] < 0) {
      continue;
    }
    if (b->unit[body[side]] >= 0) {
      wrench_add(b, body[side], wrench, 1, 0, at, e);
      /* rows that turn answer by inertias: what they have is what they are measured by */
      whole += row->is_moment ? 0 : body_response(b->world, body[side]);
    } else {
      const double *const v = b->from->rigid.velocity + 6 * (size_t)body[side];
      *bias += tl_dot3(wrench, v) + tl_dot3(wrench + 3, v + 3);
    }
  }
  return whole;
}

/* A row of a mechanism's own. */
static double link_row(const tl_links_blocks *b, int32_t r, double **at, entries *e) {
  const talus_world *const world = b->world;
  const tl_coupling_row *const row = &world->coupling->row[b->arrays->row[r].row];
  double whole = 0;
  memset(b->line, 0, (size_t)world->joint_velocity_count * sizeof *b->line);
  tl_row_spread(world->coupling, row, b->line);
  for (int end = 0; end < 2; end++) {
    if (row->end[end].link < 0) {
      continue;
    }
    const tl_world_mechanism *const of = &world->mechanism[row->end[end].mechanism];
    double *const jacobian = entry_of(b, b->free_count + row->end[end].mechanism, 1, at, e);
    memcpy(jacobian, b->line + of->first_velocity,
           (size_t)of->mechanism->v_count * sizeof *jacobian);
    whole += !row->of_joint ? 1 / of->mechanism->link[row->end[end].link].mass : 0;
  }
  return whole;
}

static void rows_fill(tl_links_blocks *b) {
  const tl_step_arrays *const a = b->arrays;
  double *at = b->row_jacobian;
  int64_t count = 0;
  int32_t left = 0;
  b->row_start[0] = 0;
  for (int32_t r = 0; r < b->from->bilateral_count; r++) {
    double *const here = at;
    double bias = a->row_bias[r];
    entries e = {.count = 0};
    const double whole = a->row[r].joint >= 0 || a->row[r].bond >= 0
                             ? joint_row(b, r, &bias, &at, &e)
                             : link_row(b, r, &at, &e);
    if (!(response(b, &e) > TL_ROUNDING_SHARE * whole)) {
      at = here;
      a->row_impulse[r] = 0;
      continue;
    }
    memcpy(b->row_block + count, e.block, (size_t)e.count * sizeof *e.block);
    count += e.count;
    b->row_bias[left] = bias;
    b->row_lower[left] = a->row_lower[r];
    b->row_upper[left] = a->row_upper[r];
    b->row_impulse[left] = a->row_impulse[r];
    b->row_compliance[left] = a->row[r].compliance;
    b->row_of[left++] = r;
    b->row_start[left] = count;
  }
  b->row_count = left;
}

/* ---- there and back -------------------------------------------------------------------------- */

static talus_problem problem_of(const tl_links_blocks *b) {
  talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
  problem.dimension = 3;
  problem.contact_count = b->contact_count;
  problem.bilateral_count = b->row_count;
  problem.friction = b->from->friction != NULL ? b->friction : NULL;
  problem.row_lower = b->row_lower;
  problem.row_upper = b->row_upper;
  problem.compliance = b->from->compliance != NULL ? b->compliance : NULL;
  problem.target_impulse = b->from->compliance != NULL ? b->target : NULL;
  problem.row_compliance = b->from->row_compliance != NULL ? b->row_compliance : NULL;
  problem.velocity_scale = b->from->velocity_scale;
  problem.blocks = (talus_blocks){.block_count = b->free_count + b->world->mechanism_count,
                                  .block_size = b->size,
                                  .inverse_mass = b->inverse,
                                  .velocity = b->velocity,
                                  .contact_start = b->start,
                                  .contact_block = b->block,
                                  .contact_jacobian = b->jacobian,
                                  .bias = b->bias,
                                  .bilateral_start = b->row_start,
                                  .bilateral_block = b->row_block,
                                  .bilateral_jacobian = b->row_jacobian,
                                  .bilateral_bias = b->row_bias};
  return problem;
}

static void velocities_back(const tl_links_blocks *b, double *after) {
  const talus_world *const world = b->world;
  double *const part = tl_links_part(world, after);
  for (int32_t i = 0; i < world->body_count; i++) {
    const double *const from = b->unit[i] >= 0 && !tl_is_link(world, i)
                                   ? b->after + b->first[b->unit[i]]
                                   : b->from->rigid.velocity + 6 * (size_t)i;
    memcpy(after + 6 * (size_t)i, from, 6 * sizeof *after);
  }
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const tl_world_mechanism *const of = &world->mechanism[m];
    memcpy(part + of->first_velocity, b->after + b->first[b->free_count + m],
           (size_t)of->mechanism->v_count * sizeof *part);
  }
  tl_links_spread(world, after);
}

static void impulses_back(const tl_links_blocks *b) {
  const tl_step_arrays *const a = b->arrays;
  for (int32_t i = 0; i < b->contact_count; i++) {
    const size_t k = (size_t)b->contact_of[i];
    from_frame(b->frame + 9 * k, b->impulse + 3 * (size_t)i, a->impulse + 3 * k);
    from_frame(b->frame + 9 * k, b->contact_velocity + 3 * (size_t)i, a->contact_velocity + 3 * k);
  }
  for (int32_t i = 0; i < b->row_count; i++) {
    a->row_impulse[b->row_of[i]] = b->row_impulse[i];
  }
}

static talus_status translate(tl_links_blocks *b, talus_problem *made) {
  TL_TRY(tl_links_blocks_take(b));
  contacts_fill(b);
  rows_fill(b);
  *made = problem_of(b);
  return TALUS_OK;
}

talus_status tl_links_translate(talus_world *world, const talus_problem *problem,
                                tl_step_arrays *arrays, talus_problem *made) {
  tl_links_blocks b = {.world = world, .arrays = arrays, .from = problem};
  return translate(&b, made);
}

talus_status tl_links_solve(talus_world *world, talus_solver *solver, const talus_problem *problem,
                            tl_step_arrays *arrays, talus_solution *solution, talus_info *info,
                            int32_t *singular) {
  tl_links_blocks b = {.world = world, .arrays = arrays, .from = problem};
  talus_problem made;
  TL_TRY(translate(&b, &made));
  talus_solution found = talus_solution_default();
  found.impulse = b.impulse;
  found.bilateral_impulse = b.row_impulse;
  found.velocity = b.after;
  found.contact_velocity = b.contact_velocity;
  TL_TRY(talus_solver_update(solver, &made));
  TL_TRY(talus_solver_solve(solver, &found, info));
  velocities_back(&b, solution->velocity);
  if (solution->impulse != NULL) { /* not the projection's */
    impulses_back(&b);
  }
  if (singular != NULL) {
    *singular = tl_links_loops(&b);
  }
  return TALUS_OK;
}
