/* report.c: what a step reports: residuals, penetration, balances of energy and momentum.
 *
 * Impulses change velocities at an instant, so the work of an impulse is its product with the mean
 * of the velocities before and after: forces between `before` and `free`, contacts between `free`
 * and `after`. The sums must reproduce the change of kinetic energy to rounding. */
#include <math.h>

#include "host/world/cell.h"

double tl_law_epsilon(const talus_certificate *c, talus_law law) {
  return law == TALUS_LAW_COULOMB ? c->epsilon_faceted_coulomb : c->epsilon_faceted_ccp;
}

double tl_law_error(const talus_certificate *c, talus_law law) {
  return law == TALUS_LAW_COULOMB ? c->error_coulomb : c->error_ccp;
}

static double kinetic_of(const talus_world *world, const double *velocity) {
  double sum = 0;
  for (int64_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    if (!body->exists || !(body->inverse_mass > 0) || body->type == TALUS_BODY_LINK) {
      continue;
    }
    const double *const v = velocity + 6 * i;
    double rotation[9], inertia[6], spin[3];
    if (body->round) { /* turns about any axis, or about the one it was made for, alike */
      tl_sym3(spin, body->inertia, v + 3);
    } else {
      tl_quaternion_matrix(body->orientation, rotation);
      tl_inertia_turn(body->inertia, rotation, inertia);
      tl_sym3(spin, inertia, v + 3);
    }
    sum += 0.5 * (body->mass * tl_dot3(v, v) + tl_dot3(v + 3, spin));
  }
  return sum;
}

static double potential_of(const talus_world *world) {
  double sum = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    if (body->exists && body->inverse_mass > 0) {
      sum -= body->mass * tl_dot3(world->def.gravity, body->position);
    }
  }
  return sum;
}

void tl_contact_work(const talus_world *world, const double *free, const double *after,
                     tl_step_balance *balance) {
  for (int32_t k = 0; k < world->contact_count; k++) {
    const talus_contact *const contact = &world->contact[k].shown;
    for (int side = 0; side < 2; side++) {
      const int32_t index = side ? world->contact[k].body_b : world->contact[k].body_a;
      const tl_body *const body = &world->body[index];
      double arm[3], mean[3], spin[3], turn[3], shift[3];
      tl_cell_shift(&world->cell, side ? world->contact[k].image : 0, shift);
      for (int c = 0; c < 3; c++) {
        arm[c] = contact->point[c] - shift[c] - body->position[c];
        mean[c] = 0.5 * (free[6 * (int64_t)index + c] + after[6 * (int64_t)index + c]);
        spin[c] = 0.5 * (free[6 * (int64_t)index + 3 + c] + after[6 * (int64_t)index + 3 + c]);
      }
      tl_cross3(turn, spin, arm);
      for (int c = 0; c < 3; c++) {
        mean[c] += turn[c];
      }
      const double work = (side ? 1 : -1) * tl_dot3(contact->impulse, mean);
      balance->contact_work += work;
      if (!(body->inverse_mass > 0)) {
        balance->motion_work -= work;
      }
    }
  }
}

/* A free body; what acts on links is balanced along their joints (links_report.c). */
static int moves_alone(const tl_body *body) {
  return body->inverse_mass > 0 && body->type != TALUS_BODY_LINK;
}

static void momentum_add(const talus_world *world, double dt, const double *before,
                         const double *after, const tl_step_balance *joints, double *error,
                         double *size) {
  double balance[3] = {0, 0, 0};
  for (int64_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    for (int c = 0; c < 3 && body->exists && moves_alone(body); c++) {
      const double change = body->mass * (after[6 * i + c] - before[6 * i + c]);
      const double given = dt * (body->mass * world->def.gravity[c] + body->force[c]);
      balance[c] += change - given;
      *size += fabs(given);
    }
  }
  for (int32_t k = 0; k < world->contact_count; k++) {
    const talus_contact *const contact = &world->contact[k].shown;
    const int a = moves_alone(&world->body[world->contact[k].body_a]);
    const int b = moves_alone(&world->body[world->contact[k].body_b]);
    for (int c = 0; c < 3; c++) {
      balance[c] -= (b - a) * contact->impulse[c];
      *size += fabs(contact->impulse[c]);
    }
  }
  for (int c = 0; c < 3; c++) {
    balance[c] -= joints->joint_push[c];
  }
  *size += joints->joint_size;
  *error += sqrt(tl_dot3(balance, balance));
}

void tl_report_add(const talus_world *world, double dt, const double *before, const double *free,
                   const double *after, const talus_info *info, const tl_step_balance *balance,
                   talus_step_report *report) {
  const talus_law law = world->def.solver.law;
  const talus_law other = law == TALUS_LAW_COULOMB ? TALUS_LAW_CCP : TALUS_LAW_COULOMB;
  const double epsilon = tl_law_epsilon(&info->certificate, law);
  report->epsilon = fmax(report->epsilon, epsilon);
  report->epsilon_other = fmax(report->epsilon_other, tl_law_epsilon(&info->certificate, other));
  report->outcome = info->outcome;
  const double error = tl_law_error(&info->certificate, law);
  report->error = fmax(report->error, error);
  report->accepted |= error > world->def.tolerance;
  report->iterations += info->iterations;
  report->passes += info->passes;
  report->contact_count = world->contact_count;
  report->touching_count = 0;
  double depth = 0;
  int32_t bodies = 0;
  report->penetration_max = 0;
  for (int32_t k = 0; k < world->contact_count; k++) {
    const talus_contact *const contact = &world->contact[k].shown;
    if (tl_dot3(contact->normal, contact->impulse) > 0) {
      report->touching_count++;
      depth += fmax(0, -contact->gap);
      report->penetration_max = fmax(report->penetration_max, -contact->gap);
      bodies += (world->body[world->contact[k].body_a].inverse_mass > 0) +
                (world->body[world->contact[k].body_b].inverse_mass > 0);
    }
  }
  int32_t free_count = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    free_count += world->body[i].exists && world->body[i].inverse_mass > 0;
  }
  report->penetration_mean = report->touching_count > 0 ? depth / report->touching_count : 0;
  report->coordination = free_count > 0 ? (double)bodies / free_count : 0;
  const double start = kinetic_of(world, before) + balance->link_kinetic[0];
  const double middle = kinetic_of(world, free) + balance->link_kinetic[1];
  report->kinetic = kinetic_of(world, after) + balance->link_kinetic[2];
  report->potential = potential_of(world);
  const double contacts = balance->contact_work, motion = balance->motion_work;
  double momentum = 0, size = 0;
  report->work_forces += middle - start;
  report->work_contacts += contacts;
  report->work_motion += motion;
  report->work_joints += balance->joint_work;
  const double largest = fmax(fmax(start, report->kinetic),
                              fmax(fmax(fabs(contacts), fabs(motion)), fabs(balance->joint_work)));
  const double missing = report->kinetic - middle - contacts - motion - balance->joint_work;
  report->energy_error = fmax(report->energy_error, largest > 0 ? fabs(missing) / largest : 0);
  momentum_add(world, dt, before, after, balance, &momentum, &size);
  report->momentum_error = fmax(report->momentum_error, size > 0 ? momentum / size : 0);
  report->momentum_error = fmax(report->momentum_error, balance->link_error);
  report->singular = balance->singular > report->singular ? balance->singular : report->singular;
}
