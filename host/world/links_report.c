/* links_report.c: energies and balances of mechanisms in a step, before anything has moved.
 *
 * The solve used M^-1 by articulated bodies. Here M is the composite one and the forces are those
 * of inverse dynamics, so that the balance checks one algorithm by another: M (after - before) = dt
 * (applied - damping v - bias) + J^T x along each joint velocity, the worst over the largest of the
 * terms. */
#include <math.h>
#include <string.h>

#include "host/world/links.h"

/* J^T x of contacts and rows, and the sizes of its terms, for all mechanisms. */
static void impulses_gather(const talus_world *world, const tl_step_arrays *a, int32_t rows,
                            double *line, double *sum, double *size) {
  const size_t n = (size_t)world->joint_velocity_count;
  for (int32_t k = 0; k < world->contact_count + rows; k++) {
    const int32_t r = k - world->contact_count;
    memset(line, 0, n * sizeof *line);
    if (r >= 0 && a->row[r].joint < 0 && a->row[r].bond < 0) {
      tl_row_spread(world->coupling, &world->coupling->row[a->row[r].row], line);
    }
    for (int side = 0; side < 2; side++) {
      const int32_t body = r < 0 ? (side ? a->body_b[k] : a->body_a[k])
                                 : (side ? a->row[r].body_b : a->row[r].body_a);
      if (body < 0 || !tl_is_link(world, body)) {
        continue;
      }
      double wrench[6];
      if (r >= 0) {
        memcpy(wrench, a->row[r].jacobian + 6 * side, sizeof wrench);
      } else {
        tl_scale3(wrench, side ? 1 : -1, a->impulse + 3 * (size_t)k);
        tl_cross3(wrench + 3, (side ? a->arm_b : a->arm_a) + 3 * (size_t)k, wrench);
      }
      tl_link_row(world, body, wrench,
                  line + world->mechanism[world->body[body].mechanism].first_velocity);
    }
    const double x = r >= 0 ? a->row_impulse[r] : 1;
    for (size_t i = 0; i < n; i++) {
      sum[i] += x * line[i];
      size[i] += fabs(x * line[i]);
    }
  }
}

/* 1/2 v^T M v, and out = M v. */
static double energy_of(const double *mass, int32_t n, const double *v, double *out) {
  double sum = 0;
  for (int32_t i = 0; i < n; i++) {
    out[i] = 0;
    for (int32_t j = 0; j < n; j++) {
      out[i] += mass[(size_t)i * (size_t)n + (size_t)j] * v[j];
    }
    sum += 0.5 * out[i] * v[i];
  }
  return sum;
}

double tl_links_work(const talus_world *world, int32_t row, double impulse, const double *free,
                     const double *after) {
  const tl_coupling_row *const of = &world->coupling->row[row];
  const size_t first = 6 * (size_t)world->body_count;
  double sum = 0;
  if (of->joint_velocity >= 0) {
    const size_t at = first + (size_t)of->joint_velocity +
                      (size_t)world->mechanism[of->end[1].mechanism].first_velocity;
    return 0.5 * impulse * of->direction[0] * (free[at] + after[at]);
  }
  for (int e = 0; e < 2; e++) {
    const tl_coupling_row_end *const end = &of->end[e];
    if (end->link >= 0) {
      const tl_world_mechanism *const m = &world->mechanism[end->mechanism];
      const double *const centre = m->mechanism->state[end->link].centre;
      double moment[3]; /* about the centre of mass, where the six velocities are */
      tl_cross3(moment, end->wrench + 3, centre);
      tl_along3(moment, moment, 1, end->wrench);
      for (int c = 0; c < 3; c++) {
        const size_t at = 6 * (size_t)(m->first_body + end->link) + (size_t)c;
        sum += end->wrench[3 + c] * (free[at] + after[at]) +
               moment[c] * (free[at + 3] + after[at + 3]);
      }
    }
  }
  return 0.5 * impulse * sum;
}

/* One mechanism: energies, and how far the balance is off. Memory: its M, then 4 n. */
static void mechanism_measure(const tl_world_mechanism *of, double dt, const double *const part[3],
                              const double *given, const double *size, double *memory,
                              tl_step_balance *balance) {
  talus_mechanism *const mechanism = of->mechanism;
  const int32_t n = mechanism->v_count;
  double *const mass = memory, *const momentum = mass + (size_t)n * (size_t)n;
  double *const force = momentum + 3 * (size_t)n;
  tl_mechanism_forces(mechanism);
  tl_mechanism_inverse_dynamics(mechanism, force); /* what velocities, gravity and loads ask */
  tl_mechanism_mass(mechanism, mass);
  for (int s = 0; s < 3; s++) {
    balance->link_kinetic[s] +=
        energy_of(mass, n, part[s] + of->first_velocity, momentum + s * (size_t)n);
  }
  double worst = 0, largest = 0;
  for (int32_t i = 0; i < n; i++) {
    const double pull = dt * (mechanism->force[i] - force[i]), x = given[of->first_velocity + i];
    const double change = momentum[2 * n + i] - momentum[i];
    const double terms = fabs(momentum[2 * n + i]) + fabs(momentum[i]) +
                         dt * (fabs(mechanism->force[i]) + fabs(force[i])) +
                         size[of->first_velocity + i];
    /* over the root of its inertia all are of one unit: a joint at rest is held against the others
     */
    const double unit = sqrt(mass[(size_t)i * (size_t)(n + 1)]);
    worst = fmax(worst, fabs(change - pull - x) / unit);
    largest = fmax(largest, terms / unit);
  }
  balance->link_error = fmax(balance->link_error, largest > 0 ? worst / largest : 0);
}

/* What forces on links' bodies do is a load, as in tl_links_free. */
static void forces_gather(const talus_world *world, double dt, double *line, double *sum,
                          double *size) {
  const size_t n = (size_t)world->joint_velocity_count;
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    if (body->type != TALUS_BODY_LINK) {
      continue;
    }
    const tl_body_extra *const extra = tl_body_extra_of(world, body);
    double wrench[6];
    tl_scale3(wrench, dt, extra->force);
    tl_scale3(wrench + 3, dt, extra->torque);
    memset(line, 0, n * sizeof *line);
    tl_link_row(world, i, wrench, line + world->mechanism[body->mechanism].first_velocity);
    for (size_t c = 0; c < n; c++) {
      sum[c] += line[c];
      size[c] += fabs(line[c]);
    }
  }
}

talus_status tl_links_measure(talus_world *world, double dt, const double *before,
                              const double *free, const double *after, const tl_step_arrays *arrays,
                              int32_t rows, tl_step_balance *balance) {
  const size_t n = (size_t)world->joint_velocity_count, offset = 6 * (size_t)world->body_count;
  if (world->mechanism_count == 0) {
    return TALUS_OK;
  }
  size_t largest = 0;
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const size_t size = (size_t)world->mechanism[m].mechanism->v_count;
    largest = size > largest ? size : largest;
  }
  TL_TRY(tl_buffer_reserve(world->context, &world->block_memory, 3 * n + largest * (largest + 4),
                           sizeof(double), "balances of mechanisms"));
  double *const line = world->block_memory.memory, *const given = line + n, *const size = given + n;
  const double *const part[3] = {before + offset, free + offset, after + offset};
  memset(line, 0, 3 * n * sizeof *line);
  impulses_gather(world, arrays, rows, line, given, size);
  forces_gather(world, dt, line, given, size);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    mechanism_measure(&world->mechanism[m], dt, part, given, size, size + n, balance);
  }
  return TALUS_OK;
}
