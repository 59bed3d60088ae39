/* solve.c: one step by ODE's QuickStep, the same step by Talus, and the same certificate for both.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "offload_ode.h"

void offload_stop(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

/* ---- what Talus is handed -------------------------------------------------------------------- */

/* R diag(1/I) R^T in the world frame: xx xy xz yy yz zz. ODE's inertia is diagonal here. */
static void inverse_inertia(dBodyID body, const dMass *mass, double *into) {
  const dReal *const r = dBodyGetRotation(body);
  int at = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      double sum = 0;
      for (int c = 0; c < 3; c++) {
        sum += r[4 * i + c] * r[4 * j + c] / mass->I[5 * c];
      }
      into[at++] = sum;
    }
  }
}

/* Velocities as they would be without contacts, and masses. */
static void read_bodies(offload *o) {
  dVector3 gravity;
  dWorldGetGravity(o->world, gravity);
  for (int32_t i = 0; i < o->body_count; i++) {
    grain *const g = &o->grain[i];
    dMass mass;
    dBodyGetMass(o->body[i], &mass);
    for (int c = 0; c < 3; c++) {
      g->velocity[c] = dBodyGetLinearVel(o->body[i])[c] + o->step * gravity[c];
      g->velocity[3 + c] = dBodyGetAngularVel(o->body[i])[c];
    }
    g->inverse_mass = 1 / mass.mass;
    inverse_inertia(o->body[i], &mass, g->inverse_inertia);
  }
}

#define OF_TOUCH(member, scalar) ((talus_strided){&o->touch->member, sizeof(touch), scalar})
#define OF_GRAIN(member) ((talus_strided){&o->grain->member, sizeof(grain), TALUS_SCALAR_OWN})

/* The arrays of touches and grains as they lie. */
static talus_problem problem_of(const offload *o, talus_layout *layout) {
  talus_problem problem = talus_problem_default(TALUS_FORM_RIGID);
  *layout = talus_layout_default();
  problem.contact_count = o->touch_count;
  problem.rigid.body_count = o->body_count;
  problem.layout = layout;
  layout->friction = OF_TOUCH(contact.surface.mu, OFFLOAD_SCALAR);
  layout->rigid.velocity = OF_GRAIN(velocity);
  layout->rigid.inverse_mass = OF_GRAIN(inverse_mass);
  layout->rigid.inverse_inertia = OF_GRAIN(inverse_inertia);
  layout->rigid.body_a = OF_TOUCH(a, TALUS_SCALAR_OWN);
  layout->rigid.body_b = OF_TOUCH(b, TALUS_SCALAR_OWN);
  layout->rigid.normal = OF_TOUCH(contact.geom.normal, OFFLOAD_SCALAR);
  layout->rigid.arm_a = OF_TOUCH(arm_a, OFFLOAD_SCALAR);
  layout->rigid.arm_b = OF_TOUCH(arm_b, OFFLOAD_SCALAR);
  layout->rigid.bias = OF_TOUCH(bias, OFFLOAD_SCALAR);
  return problem;
}

/* Both epsilons of the impulses in o->touch, whoever found them. */
static void judge(offload *o, const talus_problem *problem, step_result *result) {
  talus_settings settings = talus_settings_default();
  talus_certificate certificate = talus_certificate_default();
  double *const impulse = malloc(((size_t)o->touch_count * 3 + 1) * sizeof *impulse);
  if (impulse == NULL) {
    offload_stop("impulses", "out of memory");
  }
  for (int32_t k = 0; k < o->touch_count; k++) {
    memcpy(impulse + 3 * k, o->touch[k].impulse, sizeof o->touch[k].impulse);
  }
  settings.cone = TALUS_CONE_BOX;
  OFFLOAD_TRY(o, talus_certify_cone(o->context, problem, &settings, impulse, NULL, &certificate));
  result->epsilon = certificate.epsilon_coulomb;
  result->epsilon_box = certificate.epsilon_faceted_coulomb;
  result->contacts = o->touch_count;
  for (int32_t k = 0; k < o->touch_count; k++) {
    result->penetration = fmax(result->penetration, o->touch[k].contact.geom.depth);
  }
  free(impulse);
}

/* ---- ODE ------------------------------------------------------------------------------------- */

static void attach_joints(offload *o) {
  o->feedback = realloc(o->feedback, ((size_t)o->touch_count + 1) * sizeof *o->feedback);
  if (o->feedback == NULL) {
    offload_stop("feedback", "out of memory");
  }
  for (int32_t k = 0; k < o->touch_count; k++) {
    const touch *const t = &o->touch[k];
    const dJointID joint = dJointCreateContact(o->world, o->joints, &t->contact);
    dJointAttach(joint, o->body[t->b], t->a < 0 ? NULL : o->body[t->a]);
    dJointSetFeedback(joint, &o->feedback[k]);
  }
}

step_result offload_step_ode(offload *o, int iterations, double w) {
  step_result result = {0};
  talus_layout layout;
  read_bodies(o); /* for the certificate, before the step moves them */
  attach_joints(o);
  dWorldSetQuickStepNumIterations(o->world, iterations);
  dWorldSetQuickStepW(o->world, w);
  const double start = offload_seconds();
  dWorldQuickStep(o->world, o->step);
  result.seconds = offload_seconds() - start;
  for (int32_t k = 0; k < o->touch_count; k++) {
    for (int c = 0; c < 3; c++) { /* feedback is a force */
      o->touch[k].impulse[c] = o->step * o->feedback[k].f1[c];
    }
  }
  dJointGroupEmpty(o->joints);
  const talus_problem problem = problem_of(o, &layout);
  judge(o, &problem, &result);
  return result;
}

/* ---- Talus ----------------------------------------------------------------------------------- */

/* New velocities, and positions as ODE moves them. */
static void write_bodies(offload *o) {
  const dReal h = o->step;
  for (int32_t i = 0; i < o->body_count; i++) {
    const double *const v = o->grain[i].after, *const s = v + 3;
    const dReal *const at = dBodyGetPosition(o->body[i]), *const q = dBodyGetQuaternion(o->body[i]);
    const dQuaternion turned = {q[0] - h / 2 * (s[0] * q[1] + s[1] * q[2] + s[2] * q[3]),
                                q[1] + h / 2 * (s[0] * q[0] + s[1] * q[3] - s[2] * q[2]),
                                q[2] + h / 2 * (s[1] * q[0] + s[2] * q[1] - s[0] * q[3]),
                                q[3] + h / 2 * (s[2] * q[0] + s[0] * q[2] - s[1] * q[1])};
    dBodySetLinearVel(o->body[i], v[0], v[1], v[2]);
    dBodySetAngularVel(o->body[i], s[0], s[1], s[2]);
    dBodySetPosition(o->body[i], at[0] + h * v[0], at[1] + h * v[1], at[2] + h * v[2]);
    dBodySetQuaternion(o->body[i], turned); /* makes it of unit length */
  }
}

step_result offload_step_talus(offload *o, const talus_settings *settings) {
  step_result result = {0};
  talus_layout layout;
  talus_solution solution = talus_solution_default();
  talus_solution_layout places = talus_solution_layout_default();
  talus_info info = talus_info_default();
  const double start = offload_seconds();
  read_bodies(o);
  const talus_problem problem = problem_of(o, &layout);
  places.impulse = (talus_strided_out){o->touch->impulse, sizeof(touch), TALUS_SCALAR_OWN};
  places.velocity = (talus_strided_out){o->grain->after, sizeof(grain), TALUS_SCALAR_OWN};
  solution.layout = &places;
  OFFLOAD_TRY(o, talus_solver_set(o->solver, settings));
  OFFLOAD_TRY(o, talus_solver_update(o->solver, &problem));
  OFFLOAD_TRY(o, talus_solver_solve(o->solver, &solution, &info));
  write_bodies(o);
  result.seconds = offload_seconds() - start;
  result.passes = info.passes;
  judge(o, &problem, &result);
  return result;
}
