/* report.c: what a step reports: residuals, penetration, balances of energy and momentum.
 *
 * Impulses change velocities at an instant, so the work of an impulse is its product with the mean
 * of the velocities before and after: forces between `before` and `free`, contacts between `free`
 * and `after`. The sums must reproduce the change of kinetic energy to rounding; they run over the
 * fixed tree, in worlds with bricks exactly, so that no bit depends on the number of threads or
 * ranks. */
#include <math.h>
#include <string.h>

#include "host/math/reduce.h"
#include "host/world/cell.h"
#include "host/world/problem_build.h"
#include "host/world/spread.h"
#include "kernels/item/balance.h"

static double law_epsilon(const talus_certificate *c, talus_law law) {
  return law == TALUS_LAW_COULOMB ? c->epsilon_faceted_coulomb : c->epsilon_faceted_ccp;
}

static bool is_uncertified(const talus_info *info) {
  return (info->notes & TALUS_NOTE_UNCERTIFIED) != 0;
}

double tl_info_epsilon(const talus_info *info, talus_law law) {
  return is_uncertified(info) ? info->measure : law_epsilon(&info->certificate, law);
}

double tl_info_error(const talus_info *info, talus_law law) {
  const talus_certificate *const c = &info->certificate;
  return is_uncertified(info)       ? info->measure
         : law == TALUS_LAW_COULOMB ? c->error_coulomb
                                    : c->error_ccp;
}

/* A free body; what acts on links is balanced along their joints (links_report.c). */
static bool moves_alone(const tl_body *body) {
  return body->exists && body->inverse_mass > 0 && body->type != TALUS_BODY_LINK;
}

/* ---- contacts -------------------------------------------------------------------------------- */

typedef struct contact_task {
  const talus_world *world;
  const double *free, *after;
} contact_task;

/* Work on one side of contact k, of the impulse that acts on it. */
static double side_work(const contact_task *t, int64_t k, int side) {
  const tl_world_contact *const contact = &t->world->contact[k];
  const int32_t index = side ? contact->body_b : contact->body_a;
  double arm[3];
  tl_copy3(arm, contact->shown.point);
  if (side && contact->image != 0) {
    double shift[3];
    tl_cell_shift(&t->world->cell, contact->image, shift);
    tl_sub3(arm, arm, shift);
  }
  tl_sub3(arm, arm, t->world->body[index].position);
  const double *const free = t->free + 6 * (int64_t)index;
  const double *const after = t->after + 6 * (int64_t)index;
  const double turning =
      t->world->resists ? tl_resistance_work(t->world->extra[k].torque, free, after) : 0;
  const double work = tl_impulse_work(t->world->impulse + 3 * k, arm, free, after) + turning;
  return side ? work : -work;
}

static tl_side_balance side_of(const contact_task *t, int64_t k, int side) {
  const tl_world_contact *const contact = &t->world->contact[k];
  const tl_body *const body = &t->world->body[side ? contact->body_b : contact->body_a];
  return (tl_side_balance){side_work(t, k, side), body->inverse_mass > 0, moves_alone(body)};
}

static void contacts_chunk(void *arguments, int64_t first, int32_t count,
                           double (*leaf)[TL_REDUCE_CHUNK]) {
  const contact_task *const t = arguments;
  for (int32_t i = 0; i < count; i++) {
    const tl_world_contact *const contact = &t->world->contact[first + i];
    if (i + TL_BODIES_AHEAD < count) {
      const int64_t body = contact[TL_BODIES_AHEAD].body_b;
      TL_PREFETCH(&t->world->body[body]);
      TL_PREFETCH(&t->world->body[body].position[2]);
      TL_PREFETCH(t->free + 6 * body);
      TL_PREFETCH(t->after + 6 * body);
    }
    const tl_side_balance a = side_of(t, first + i, 0), b = side_of(t, first + i, 1);
    double value[TL_CONTACT_VALUES];
    tl_contact_balance(t->world->impulse + 3 * (first + i), t->world->normal + 3 * (first + i),
                       contact->shown.gap, &a, &b, value);
    for (int n = 0; n < TL_CONTACT_VALUES; n++) {
      leaf[n][i] = value[n];
    }
  }
}

void tl_balance_set(const double sum[TL_CONTACT_VALUES], tl_step_balance *balance) {
  balance->contact_work = sum[TL_CONTACT_WORK];
  balance->motion_work = sum[TL_CONTACT_MOTION];
  tl_copy3(balance->contact_push, sum + TL_CONTACT_PUSH);
  balance->contact_size = sum[TL_CONTACT_SIZE];
  balance->touching_count = (int32_t)sum[TL_CONTACT_TOUCHING];
  balance->touching_ends = (int32_t)sum[TL_CONTACT_ENDS];
  balance->depth_sum = sum[TL_CONTACT_DEPTH];
  balance->depth_max = sum[TL_CONTACT_DEEPEST];
}

talus_status tl_contacts_balance(talus_world *world, const double *free, const double *after,
                                 tl_step_balance *balance) {
  contact_task task = {world, free, after};
  const tl_reduction reduction = {contacts_chunk, &task, TL_CONTACT_DEEPEST, 1};
  double sum[TL_CONTACT_VALUES];
  TL_TRY(tl_spread_reduce(world, &reduction, sum));
  tl_balance_set(sum, balance);
  return TALUS_OK;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

typedef struct body_task {
  const talus_world *world;
  const double *velocity[3]; /* before, free, after */
  double dt;
} body_task;

static void body_values(const body_task *t, int64_t i, double value[TL_BODY_VALUES]) {
  const tl_body *const body = &t->world->body[i];
  const double *const gravity = t->world->def.gravity;
  memset(value, 0, TL_BODY_VALUES * sizeof *value);
  if (!body->exists || !(body->inverse_mass > 0)) {
    return;
  }
  value[TL_BODY_POTENTIAL] = tl_body_potential(body->mass, gravity, body->position);
  value[TL_BODY_FREE] = 1;
  if (moves_alone(body)) {
    double inertia[6];
    tl_inertia_stand(body->round, body->inertia, body->orientation, inertia);
    tl_body_balance(body->mass, inertia, tl_body_extra_of(t->world, body)->force, gravity, t->dt,
                    t->velocity[0] + 6 * i, t->velocity[1] + 6 * i, t->velocity[2] + 6 * i, value);
  }
}

static void bodies_chunk(void *arguments, int64_t first, int32_t count,
                         double (*leaf)[TL_REDUCE_CHUNK]) {
  for (int32_t i = 0; i < count; i++) {
    double value[TL_BODY_VALUES];
    body_values(arguments, first + i, value);
    for (int n = 0; n < TL_BODY_VALUES; n++) {
      leaf[n][i] = value[n];
    }
  }
}

/* ---- report ---------------------------------------------------------------------------------- */

/* What momenta lack, relative to the impulses. */
static double momentum_error(const double *bodies, const tl_step_balance *balance) {
  double rest[3];
  for (int c = 0; c < 3; c++) {
    rest[c] = bodies[TL_BODY_GAIN + c] - balance->contact_push[c] - balance->joint_push[c];
  }
  const double size = bodies[TL_BODY_SIZE] + balance->contact_size + balance->joint_size;
  return size > 0 ? tl_norm3(rest) / size : 0;
}

static void energies_add(const double *bodies, const tl_step_balance *balance,
                         talus_step_report *report) {
  const double start = bodies[TL_BODY_KINETIC] + balance->link_kinetic[0];
  const double middle = bodies[TL_BODY_KINETIC + 1] + balance->link_kinetic[1];
  const double contacts = balance->contact_work, motion = balance->motion_work;
  report->kinetic = bodies[TL_BODY_KINETIC + 2] + balance->link_kinetic[2];
  report->potential = bodies[TL_BODY_POTENTIAL];
  report->work_forces += middle - start;
  report->work_contacts += contacts;
  report->work_motion += motion;
  report->work_joints += balance->joint_work;
  const double largest = fmax(fmax(start, report->kinetic),
                              fmax(fmax(fabs(contacts), fabs(motion)), fabs(balance->joint_work)));
  const double missing = report->kinetic - middle - contacts - motion - balance->joint_work;
  report->energy_error = fmax(report->energy_error, largest > 0 ? fabs(missing) / largest : 0);
}

/* What the solver says of its impulses. */
static void quality_add(const talus_world *world, const talus_info *info,
                        talus_step_report *report) {
  const talus_law law = world->def.solver.law;
  const talus_law other = law == TALUS_LAW_COULOMB ? TALUS_LAW_CCP : TALUS_LAW_COULOMB;
  const double error = tl_info_error(info, law);
  report->epsilon = fmax(report->epsilon, tl_info_epsilon(info, law));
  report->epsilon_other = is_uncertified(info) || report->uncertified > 0
                              ? NAN
                              : fmax(report->epsilon_other, law_epsilon(&info->certificate, other));
  report->uncertified += is_uncertified(info);
  report->outcome = info->outcome;
  report->precision = info->precision;
  report->error = fmax(report->error, error);
  report->accepted |= error > world->def.tolerance;
  report->iterations += info->iterations;
  report->passes += info->passes;
}

void tl_report_write(const talus_world *world, const talus_info *info,
                     const tl_step_balance *balance, const double bodies[TL_BODY_VALUES],
                     int32_t contact_count, talus_step_report *report) {
  quality_add(world, info, report);
  report->contact_count = contact_count;
  report->touching_count = balance->touching_count;
  report->penetration_max = balance->depth_max;
  report->penetration_mean =
      balance->touching_count > 0 ? balance->depth_sum / balance->touching_count : 0;
  report->coordination =
      bodies[TL_BODY_FREE] > 0 ? (double)balance->touching_ends / bodies[TL_BODY_FREE] : 0;
  energies_add(bodies, balance, report);
  report->momentum_error = fmax(report->momentum_error, momentum_error(bodies, balance));
  report->momentum_error = fmax(report->momentum_error, balance->link_error);
  report->bond_count = world->bond_count - world->bond_gaps;
  report->bonds_broken = world->broken_count;
  report->singular = balance->singular > report->singular ? balance->singular : report->singular;
}

talus_status tl_report_add(talus_world *world, double dt, const double *before, const double *free,
                           const double *after, const talus_info *info,
                           const tl_step_balance *balance, talus_step_report *report) {
  body_task task = {world, {before, free, after}, dt};
  const tl_reduction reduction = {bodies_chunk, &task, TL_BODY_VALUES, 0};
  double bodies[TL_BODY_VALUES];
  TL_TRY(tl_spread_reduce_bodies(world, &reduction, bodies));
  tl_report_write(world, info, balance, bodies, tl_spread_contact_count(world), report);
  return TALUS_OK;
}
