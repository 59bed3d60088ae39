/* problem_build.c: contacts and joints of a step as a talus_problem of form (a), and its solution
 * through door 2.
 *
 * Bodies are numbered as in the world; those that are not free enter as immovable ones with their
 * velocity. With bricks they are named by their ids, by which constraints are ordered. With
 * mechanisms in the world the arrays are translated to form (b) (links_problem.c).
 * Where every contact is one of spheres and every free body round, reaches are handed
 * over (the fastest form), and the point velocity of moving walls as a surface velocity. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "host/base/each.h"
#include "host/world/cell.h"
#include "host/world/links.h"
#include "host/world/spread.h"

/* Rows of joints, bonds and mechanisms. */
static int32_t rows_most(const talus_world *world) {
  return tl_joint_rows(world) + tl_bond_rows(world) + tl_links_rows(world);
}

/* What the bodies allow; each flag is set by any thread. */
typedef struct body_flags {
  const talus_world *world;
  int uneven;  /* a free body is no sphere */
  int turning; /* a wall turns: its spin moves contact points although the reach says 0 */
} body_flags;

static void bodies_look(void *arguments, int64_t first, int64_t end) {
  body_flags *const flags = arguments;
  int uneven = 0, turning = 0;
  for (int64_t i = first; i < end; i++) {
    const tl_body *const body = &flags->world->body[i];
    const bool ragged = body->exists && !body->round;
    uneven |= ragged && body->inverse_mass > 0;
    turning |= ragged && (body->spin[0] != 0 || body->spin[1] != 0 || body->spin[2] != 0);
  }
  if (uneven) {
    __atomic_store_n(&flags->uneven, 1, __ATOMIC_RELAXED);
  }
  if (turning) {
    __atomic_store_n(&flags->turning, 1, __ATOMIC_RELAXED);
  }
}

/* Whether contacts and joints are such as spheres against spheres and walls have. */
static bool contacts_spherical(const talus_world *world) {
  const bool held = world->joint_count > 0 || world->bond_count > 0;
  return world->contacts_spherical && !(world->def.plane && held) && world->mechanism_count == 0;
}

/* Which arrays the contacts want. */
static void arrays_choose(const talus_world *world, tl_step_arrays *a) {
  body_flags flags = {.world = world};
  tl_each(world->context, tl_threads_for(world->context, world->body_count), world->body_count,
          bodies_look, &flags);
  a->spheres = contacts_spherical(world) && !flags.uneven && !tl_spread_uneven(world);
  a->turning = (a->spheres && flags.turning) || world->cell.def.periodic != 0;
  /* Poisson's second phase and cohesion push at the arms */
  a->arms = !a->spheres || world->cohesive || world->def.restitution == TALUS_RESTITUTION_POISSON;
}

talus_status tl_step_arrays_take(talus_world *world, tl_step_arrays *a) {
  arrays_choose(world, a);
  const size_t bodies = (size_t)world->body_count, contacts = (size_t)world->contact_count;
  const size_t rows = (size_t)rows_most(world);
  const size_t soft = world->soft ? contacts : 0, arms = a->arms ? contacts : 0;
  const size_t reaches = a->spheres ? contacts : 0, turning = a->turning ? contacts : 0;
  const size_t placed = world->def.brick_size > 0 ? bodies : 0;
  const size_t doubles = 7 * bodies + 4 * placed + 5 * contacts + 2 * reaches + 6 * arms +
                         3 * turning + 5 * soft + 17 * rows;
  TL_TRY(tl_buffer_reserve(world->context, &world->problem_memory, doubles + contacts + rows + 2,
                           sizeof(double), "contact problem"));
  TL_TRY(tl_buffer_reserve(world->context, &world->solution_memory, rows, sizeof(tl_joint_row),
                           "joint rows"));
  double *at = world->problem_memory.memory;
  const struct {
    double **array;
    size_t count;
  } parts[] = {{&a->inverse_mass, bodies},    {&a->inverse_inertia, 6 * bodies},
               {&a->reach_a, reaches},        {&a->reach_b, reaches},
               {&a->arm_a, 3 * arms},         {&a->arm_b, 3 * arms},
               {&a->bias, contacts},          {&a->friction, contacts},
               {&a->surface, 3 * turning},    {&a->contact_velocity, 3 * contacts},
               {&a->row_jacobian, 12 * rows}, {&a->row_bias, rows},
               {&a->row_impulse, rows},       {&a->row_lower, rows},
               {&a->row_upper, rows},         {&a->compliance, 2 * soft},
               {&a->target, 3 * soft},        {&a->row_compliance, rows},
               {&a->position, 3 * placed}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    *parts[i].array = at;
    at += parts[i].count;
  }
  a->id = (uint64_t *)at;
  a->body_a = (int32_t *)(at + placed);
  a->body_b = a->body_a + contacts;
  a->row_a = a->body_b + contacts;
  a->row_b = a->row_a + rows;
  a->row = world->solution_memory.memory;
  a->normal = world->normal;
  a->impulse = world->impulse;
  return TALUS_OK;
}

/* What the loops over bodies and over contacts fill. */
typedef struct fill_task {
  const talus_world *world;
  const tl_step_arrays *a;
  const double *velocity;
  double dt;
} fill_task;

void tl_body_fill(const tl_body *body, bool spheres, double *inverse_mass, double inertia[6]) {
  const bool free = body->exists && body->type == TALUS_BODY_FREE;
  *inverse_mass = free ? body->inverse_mass : 0;
  tl_inertia_inverse(free, body->round, spheres, body->inverse_inertia, body->orientation, inertia);
}

static void bodies_fill(void *arguments, int64_t first, int64_t end) {
  const fill_task *const t = arguments;
  for (int64_t i = first; i < end; i++) {
    tl_body_fill(&t->world->body[i], t->a->spheres, &t->a->inverse_mass[i],
                 t->a->inverse_inertia + 6 * i);
    if (t->world->def.brick_size > 0) {
      tl_copy3(t->a->position + 3 * i, t->world->body[i].position);
      t->a->id[i] = (uint64_t)t->world->body[i].id;
    }
  }
}

/* Contact k's side (0: a, 1: b): body, arm or reach. */
static void side_fill(const talus_world *world, const tl_step_arrays *a, int32_t k, int side) {
  const tl_world_contact *const contact = &world->contact[k];
  const int32_t index = side ? contact->body_b : contact->body_a;
  const tl_body *const body = &world->body[index];
  double arm[3], shift[3];
  tl_sub3(arm, contact->shown.point, body->position);
  if (side && contact->image != 0) {
    tl_cell_shift(&world->cell, contact->image, shift);
    tl_sub3(arm, arm, shift);
  }
  (side ? a->body_b : a->body_a)[k] = index;
  if (a->arms) {
    memcpy((side ? a->arm_b : a->arm_a) + 3 * (int64_t)k, arm, sizeof arm);
  }
  if (a->spheres) {
    const double along = tl_dot3(arm, a->normal + 3 * (int64_t)k);
    (side ? a->reach_b : a->reach_a)[k] = body->round ? (side ? -along : along) : 0;
  }
}

/* What walls that turn, and the motion of a cell, add to the velocity of contact k. */
static void surface_fill(const talus_world *world, const tl_step_arrays *a, int32_t k,
                         const double *velocity) {
  const tl_world_contact *const contact = &world->contact[k];
  double *const surface = a->surface + 3 * (int64_t)k;
  tl_cell_drift(&world->cell, contact->image, surface);
  for (int side = 0; side < 2; side++) {
    const int32_t index = side ? contact->body_b : contact->body_a;
    double arm[3], turn[3], shift[3];
    if (a->spheres && !world->body[index].round) {
      tl_cell_shift(&world->cell, side ? contact->image : 0, shift);
      tl_sub3(arm, contact->shown.point, world->body[index].position);
      tl_sub3(arm, arm, shift);
      tl_cross3(turn, velocity + 6 * (int64_t)index + 3, arm);
      for (int c = 0; c < 3; c++) {
        surface[c] += (side ? 1 : -1) * turn[c];
      }
    }
  }
}

static void contacts_fill(void *arguments, int64_t first, int64_t end) {
  const fill_task *const t = arguments;
  const tl_step_arrays *const a = t->a;
  for (int32_t k = (int32_t)first; k < end; k++) {
    if (k + TL_BODIES_AHEAD < end) {
      const tl_world_contact *const ahead = &t->world->contact[k + TL_BODIES_AHEAD];
      TL_PREFETCH(&t->world->body[ahead->body_b]);
      TL_PREFETCH(&t->world->body[ahead->body_b].position[2]);
    }
    a->bias[k] = t->world->terms[k].bias;
    a->friction[k] = t->world->terms[k].friction;
    if (t->world->soft) {
      const tl_contact_extra *const extra = &t->world->extra[k];
      memcpy(a->compliance + 2 * (int64_t)k, extra->compliance, sizeof extra->compliance);
      tl_scale3(a->target + 3 * (int64_t)k, t->dt, extra->hold);
    }
    side_fill(t->world, a, k, 0);
    side_fill(t->world, a, k, 1);
    if (a->turning) {
      surface_fill(t->world, a, k, t->velocity);
    }
  }
}

talus_status tl_step_rows(talus_world *world, double dt, const tl_step_arrays *a, int32_t *count) {
  int32_t between = tl_joint_fill(world, dt, a->row);
  between += tl_bond_fill(world, dt, a->row + between);
  *count = between + tl_links_rows(world);
  return tl_links_fill(world, dt, a->row + between);
}

/* Where the impulse of a row is kept. */
static double *row_impulse(const talus_world *world, const tl_joint_row *row) {
  return row->joint >= 0  ? &world->joint[row->joint].impulse[row->row]
         : row->bond >= 0 ? &world->bond[row->bond].of.impulse[row->row]
                          : &world->link_impulse[row->row];
}

talus_status tl_step_problem(talus_world *world, double dt, const double *velocity,
                             const tl_step_arrays *a, talus_problem *problem) {
  const int32_t threads = tl_threads_for(world->context, world->body_count);
  const bool spheres = a->spheres, turning = a->turning;
  fill_task task = {world, a, velocity, dt};
  tl_each(world->context, threads, world->body_count, bodies_fill, &task);
  tl_each(world->context, threads, world->contact_count, contacts_fill, &task);
  int32_t rows;
  TL_TRY(tl_step_rows(world, dt, a, &rows));
  assert(rows <= rows_most(world)); /* what the arrays have room for */
  for (int32_t r = 0; r < rows; r++) {
    a->row_a[r] = a->row[r].body_a;
    a->row_b[r] = a->row[r].body_b;
    a->row_bias[r] = a->row[r].bias;
    a->row_lower[r] = a->row[r].lower;
    a->row_upper[r] = a->row[r].upper;
    a->row_compliance[r] = a->row[r].compliance;
    a->row_impulse[r] = *row_impulse(world, &a->row[r]);
    memcpy(a->row_jacobian + 12 * (int64_t)r, a->row[r].jacobian, sizeof a->row[r].jacobian);
  }
  *problem = talus_problem_default(TALUS_FORM_RIGID);
  problem->contact_count = world->contact_count;
  problem->bilateral_count = rows;
  problem->friction = a->friction;
  problem->row_lower = a->row_lower;
  problem->row_upper = a->row_upper;
  problem->compliance = world->soft ? a->compliance : NULL;
  problem->target_impulse = world->soft ? a->target : NULL;
  problem->row_compliance = world->bond_count > 0 ? a->row_compliance : NULL;
  problem->brick_size = world->def.brick_size;
  problem->positions = world->def.brick_size > 0 ? a->position : NULL;
  problem->ids = world->def.brick_size > 0 ? a->id : NULL;
  problem->rigid = (talus_rigid){.body_count = world->body_count,
                                 .velocity = velocity,
                                 .inverse_mass = a->inverse_mass,
                                 .inverse_inertia = a->inverse_inertia,
                                 .body_a = a->body_a,
                                 .body_b = a->body_b,
                                 .normal = a->normal,
                                 .reach_a = spheres ? a->reach_a : NULL,
                                 .reach_b = spheres ? a->reach_b : NULL,
                                 .arm_a = spheres ? NULL : a->arm_a,
                                 .arm_b = spheres ? NULL : a->arm_b,
                                 .bias = a->bias,
                                 .surface_velocity = turning ? a->surface : NULL,
                                 .row_body_a = a->row_a,
                                 .row_body_b = a->row_b,
                                 .row_jacobian = a->row_jacobian,
                                 .row_bias = a->row_bias};
  return TALUS_OK;
}

talus_status tl_step_solve(talus_world *world, talus_solver *solver, const talus_problem *problem,
                           tl_step_arrays *arrays, talus_solution *solution, talus_info *info,
                           int32_t *singular) {
  if (world->mechanism_count > 0) {
    return tl_links_solve(world, solver, problem, arrays, solution, info, singular);
  }
  if (problem->dimension == 6) {
    return tl_resistance_solve(world, solver, problem, arrays, solution, info);
  }
  return tl_spread_solve(world, solver, problem, solution, info);
}

/* Impulses back to joints, and what they did to free bodies, whose mean velocity of before and
 * after makes the work. */
static void joints_keep(talus_world *world, const tl_step_arrays *a, int32_t rows,
                        const double *free, const double *after, tl_step_balance *balance) {
  for (int32_t i = 0; i < world->joint_count; i++) {
    memset(world->joint[i].impulse, 0, sizeof world->joint[i].impulse);
    memset(world->joint[i].push, 0, sizeof world->joint[i].push);
  }
  for (int32_t i = 0; i < world->bond_count; i++) {
    memset(world->bond[i].of.impulse, 0, sizeof world->bond[i].of.impulse);
  }
  for (int32_t r = 0; r < rows; r++) {
    const double x = a->row_impulse[r], *const jacobian = a->row[r].jacobian;
    *row_impulse(world, &a->row[r]) = x;
    if (a->row[r].joint < 0 && a->row[r].bond < 0) {
      balance->joint_work += tl_links_work(world, a->row[r].row, x, free, after);
      continue;
    }
    double *const sum = a->row[r].joint >= 0 ? world->joint[a->row[r].joint].push : NULL;
    for (int c = 0; c < 3 && sum != NULL; c++) {
      sum[c] += x * jacobian[6 + c];
      sum[3 + c] += a->row[r].is_moment ? x * jacobian[9 + c] : 0;
    }
    for (int side = 0; side < 2; side++) {
      const int64_t body = side ? a->row_b[r] : a->row_a[r];
      if (body < 0 || !(world->body[body].inverse_mass > 0)) {
        continue;
      }
      const bool alone = world->body[body].type == TALUS_BODY_FREE;
      for (int c = 0; c < 6; c++) {
        const double push = x * jacobian[6 * side + c];
        balance->joint_work += 0.5 * push * (free[6 * body + c] + after[6 * body + c]);
        balance->joint_push[c % 3] += c < 3 && alone ? push : 0;
        balance->joint_size += c < 3 && alone ? fabs(push) : 0;
      }
    }
  }
}

/* An impulse at its bound is off by rounding where the solve has scaled it and back. */
static void bounds_keep(const tl_step_arrays *a, int32_t rows) {
  for (int32_t r = 0; r < rows; r++) {
    const double bound[2] = {a->row[r].lower, a->row[r].upper};
    for (int i = 0; i < 2; i++) {
      if (isfinite(bound[i]) && fabs(a->row_impulse[r] - bound[i]) <= 1e-15 * fabs(bound[i])) {
        a->row_impulse[r] = bound[i];
      }
    }
  }
}

typedef struct keep_task {
  const talus_world *world;
  const tl_step_arrays *a;
  double dt;
  int deepens, sinks; /* atomic */
} keep_task;

/* How fast each contact closes or opens now, and what comes of it. */
static void contacts_keep_part(void *arguments, int64_t first, int64_t end) {
  keep_task *const t = arguments;
  bool deepens = false, sinks = false;
  for (int64_t k = first; k < end; k++) {
    tl_contact_terms *const terms = &t->world->terms[k];
    terms->departure = tl_dot3(t->a->normal + 3 * k, t->a->contact_velocity + 3 * k) - terms->bias;
    deepens |= tl_penetration_deepens(t->world, k, t->dt);
    sinks |= tl_project_sinks(t->world, k, t->dt);
  }
  if (deepens) {
    __atomic_store_n(&t->deepens, 1, __ATOMIC_RELAXED);
  }
  if (sinks) {
    __atomic_store_n(&t->sinks, 1, __ATOMIC_RELAXED);
  }
}

static talus_status contacts_keep(talus_world *world, double dt, const tl_step_arrays *a,
                                  tl_step_balance *balance) {
  keep_task task = {.world = world, .a = a, .dt = dt};
  tl_each(world->context, tl_threads_for(world->context, world->contact_count),
          world->contact_count, contacts_keep_part, &task);
  balance->deepens = task.deepens;
  balance->sinks = task.sinks;
  return tl_spread_flags(world, TALUS_OK, (bool *[]){&balance->deepens, &balance->sinks}, 2);
}

talus_status tl_problem_build(talus_world *world, double dt, const double *before,
                              const double *free, tl_step_arrays *arrays, talus_problem *problem) {
  TL_TRY(tl_step_arrays_take(world, arrays));
  TL_TRY(tl_step_problem(world, dt, free, arrays, problem));
  TL_TRY(tl_velocity_scale(world, dt, before, free, &problem->velocity_scale));
  TL_TRY(tl_resistance_begin(world, arrays, problem));
  return tl_cohesion_begin(world, dt, arrays, problem);
}

talus_status tl_problem_solve(talus_world *world, double dt, const double *before,
                              const double *free, double *after, talus_info *info,
                              tl_step_balance *balance) {
  tl_step_arrays arrays;
  talus_problem problem;
  const double begin = tl_clock();
  memset(balance, 0, sizeof *balance);
  TL_TRY(tl_problem_build(world, dt, before, free, &arrays, &problem));
  const double filled = tl_clock() - begin;
  talus_solution solution = talus_solution_default();
  solution.impulse = arrays.impulse;
  solution.bilateral_impulse = arrays.row_impulse;
  solution.velocity = after;
  solution.contact_velocity = arrays.contact_velocity;
  TL_TRY(
      tl_step_solve(world, world->solver, &problem, &arrays, &solution, info, &balance->singular));
  info->seconds_build += filled;
  if (world->def.restitution == TALUS_RESTITUTION_POISSON) {
    TL_TRY(tl_restitution_phase(world, &problem, &arrays, after, info, &balance->singular));
  }
  tl_cohesion_end(world, dt, &arrays);
  bounds_keep(&arrays, problem.bilateral_count);
  TL_TRY(contacts_keep(world, dt, &arrays, balance));
  tl_resistance_keep(world, &arrays);
  joints_keep(world, &arrays, problem.bilateral_count, free, after, balance);
  return tl_links_measure(world, dt, before, free, after, &arrays, problem.bilateral_count,
                          balance);
}
