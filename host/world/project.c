/* project.c: positions are corrected apart from velocities ([B] section 6, [C] section 2.2).
 *
 * The smallest displacement, measured by the bodies' masses, after which no contact is deeper than
 * half its slop and joints fit, to first order about the contacts of the step:
 *   min 1/2 d'M d   with   gap + dt u_n + D_n d >= -slop/2,   error + G d = 0 (stops: >= 0)
 * which is a contact problem without friction whose bias is a length. Nothing of it enters the
 * velocities, so it adds no energy of motion. It is made when something is deeper than 1.5 slops,
 * so that what rests drifts through a whole slop before it is moved again. */
#include <math.h>
#include <string.h>

#include "host/world/problem_build.h"

/* The gap at the end of the step, as the velocities after it say. */
static double gap_after(const talus_world *world, int64_t k, double dt) {
  return tl_gap_after(world->contact[k].shown.gap, dt, world->terms[k].departure);
}

bool tl_project_sinks(const talus_world *world, int64_t k, double dt) {
  return tl_push_needed(gap_after(world, k, dt), tl_contact_slop(world, k),
                        tl_contact_stiffness(world, k));
}

/* Whether a joint is out of place. */
static bool rows_drift(const tl_step_arrays *a, int32_t rows) {
  for (int32_t r = 0; r < rows; r++) {
    if (a->row[r].needs_projection) {
      return true;
    }
  }
  return false;
}

/* By the solver of the velocities, which has memory for these contacts and their order. */
static talus_status displacements_solve(talus_world *world, const talus_problem *problem,
                                        tl_step_arrays *arrays, talus_solution *solution) {
  const talus_settings projection = tl_settings_projection(world), usual = tl_settings_now(world);
  TL_TRY(talus_solver_set(world->solver, &projection));
  const talus_status status =
      tl_step_solve(world, world->solver, problem, arrays, solution, NULL, NULL);
  TL_TRY(talus_solver_set(world->solver, &usual));
  return status;
}

talus_status tl_project(talus_world *world, double dt, bool sinks) {
  if (!sinks && world->joint_count == 0 && world->bond_count == 0 && world->mechanism_count == 0) {
    return TALUS_OK;
  }
  tl_step_arrays arrays;
  talus_problem problem;
  TL_TRY(tl_step_arrays_take(world, &arrays));
  const size_t size = tl_velocity_size(world);
  TL_TRY(
      tl_buffer_reserve(world->context, &world->colliders, 2 * size, sizeof(double), "projection"));
  double *const still = world->colliders.memory, *const moved = still + size;
  int32_t rows;
  TL_TRY(tl_step_rows(world, dt, &arrays, &rows));
  if (!sinks && !rows_drift(&arrays, rows)) {
    return TALUS_OK;
  }
  memset(still, 0, size * sizeof *still);
  TL_TRY(tl_step_problem(world, dt, still, &arrays, &problem));
  for (int32_t k = 0; k < world->contact_count; k++) {
    arrays.bias[k] = tl_push_bias(gap_after(world, k, dt), tl_contact_slop(world, k),
                                  tl_contact_stiffness(world, k));
  }
  for (int32_t r = 0; r < rows; r++) {
    arrays.row_bias[r] = arrays.row[r].error;
    if (arrays.row[r].is_drive) {
      arrays.row_lower[r] = arrays.row_upper[r] = 0;
    }
  }
  problem.friction = problem.compliance = problem.target_impulse = NULL;
  problem.rigid.surface_velocity = NULL; /* nothing moves while positions are corrected */
  talus_solution solution = talus_solution_default();
  solution.velocity = moved;
  TL_TRY(displacements_solve(world, &problem, &arrays, &solution));
  for (int32_t i = 0; i < world->body_count; i++) {
    if (world->body[i].type != TALUS_BODY_FREE) {
      memset(moved + 6 * (int64_t)i, 0, 6 * sizeof *moved);
    }
  }
  tl_positions_move(world, moved, 1);
  return TALUS_OK;
}
