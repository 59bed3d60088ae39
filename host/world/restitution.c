/* restitution.c: Poisson's hypothesis in two phases.
 *
 * Compression is the plastic solution that has just been found, x. Contacts that met faster than
 * the threshold give back e x_n along their normals; the bodies take it, and the plastic problem
 * is solved again from there, so that nothing penetrates. Impulses of both phases and of the
 * push are added; what a motor has spent in the first phase it lacks in the second. */
#include <string.h>

#include "host/world/cell.h"
#include "host/world/links.h"
#include "host/world/spread.h"

/* Gives back e x_n; whether some contact did, on any rank. */
static talus_status push(talus_world *world, const tl_step_arrays *a, double *velocity,
                         double *given, bool *some) {
  const double speed = tl_cell_restitution_speed(world);
  *some = false;
  TL_TRY(tl_push_begin(world));
  for (int32_t k = 0; k < world->contact_count; k++) {
    const tl_contact_terms *const terms = &world->terms[k];
    const double *const n = world->normal + 3 * (int64_t)k;
    const double x = tl_dot3(n, a->impulse + 3 * (int64_t)k) * terms->restitution;
    given[k] = 0;
    if (!(x > 0) || !(terms->approach < -speed)) {
      continue;
    }
    given[k] = x;
    *some = true;
    tl_push(world, a, k, x, velocity);
  }
  return tl_spread_flags(world, TALUS_OK, &some, 1);
}

talus_status tl_restitution_phase(talus_world *world, talus_problem *problem, tl_step_arrays *a,
                                  double *after, talus_info *info, int32_t *singular) {
  const size_t contacts = (size_t)world->contact_count;
  const size_t velocities = tl_velocity_size(world), rows = (size_t)problem->bilateral_count;
  TL_TRY(tl_buffer_reserve(world->context, &world->restitution_memory,
                           7 * contacts + velocities + rows, sizeof(double), "restitution"));
  double *const first = world->restitution_memory.memory;
  double *const given = first + 3 * contacts, *const velocity = given + contacts;
  double *const row_first = velocity + velocities, *const torque_first = row_first + rows;
  const size_t torques = world->resists ? 3 * contacts : 0;
  memcpy(first, a->impulse, 3 * contacts * sizeof *first);
  memcpy(row_first, a->row_impulse, rows * sizeof *first);
  for (size_t i = 0; i < torques; i++) {
    torque_first[i] = a->torque[i];
  }
  memcpy(velocity, after, velocities * sizeof *velocity);
  bool some;
  talus_status status = push(world, a, velocity, given, &some);
  if (status == TALUS_OK && some) {
    problem->rigid.velocity = velocity;
    memset(a->impulse, 0, 3 * contacts * sizeof *a->impulse);
    memset(a->row_impulse, 0, rows * sizeof *a->row_impulse);
    for (size_t i = 0; i < torques; i++) {
      a->torque[i] = 0;
    }
    for (size_t r = 0; r < rows; r++) {
      if (a->row[r].compliance > 0) { /* springs know what was given */
        a->row_bias[r] += a->row[r].compliance * row_first[r];
      }
      if (a->row[r].is_drive) {
        a->row_lower[r] -= row_first[r];
        a->row_upper[r] -= row_first[r];
      }
    }
    for (size_t i = 0; world->soft && i < 3 * contacts; i++) { /* springs know what was given */
      a->target[i] -= first[i] + given[i / 3] * world->normal[i];
    }
    talus_solution solution = talus_solution_default();
    talus_info second = talus_info_default();
    solution.impulse = a->impulse;
    solution.bilateral_impulse = a->row_impulse;
    solution.velocity = after;
    solution.contact_velocity = a->contact_velocity;
    status = tl_push_end(world, velocity);
    if (status == TALUS_OK) {
      status = tl_step_solve(world, world->solver, problem, a, &solution, &second, singular);
    }
    for (size_t k = 0; status == TALUS_OK && k < contacts; k++) {
      for (int c = 0; c < 3; c++) {
        a->impulse[3 * k + (size_t)c] +=
            first[3 * k + (size_t)c] + given[k] * world->normal[3 * k + (size_t)c];
      }
    }
    for (size_t r = 0; status == TALUS_OK && r < rows; r++) {
      a->row_impulse[r] += row_first[r];
    }
    for (size_t i = 0; status == TALUS_OK && i < torques; i++) {
      a->torque[i] += torque_first[i];
    }
    info->iterations += second.iterations;
    info->passes += second.passes;
  }
  return status;
}
