/* problem_build.h: the arrays behind a step's talus_problem, and what else is done with it. */
#ifndef TL_PROBLEM_BUILD_H
#define TL_PROBLEM_BUILD_H

#include "host/world/world.h"

typedef struct tl_step_arrays {
  double *inverse_mass, *inverse_inertia;
  double *position;         /* of a world with bricks */
  uint64_t *id;             /* [bodies], of a world with bricks, as the next one */
  double *normal, *impulse; /* the world's own */
  double *reach_a, *reach_b, *arm_a, *arm_b, *bias, *friction, *surface;
  double *contact_velocity;
  double *row_jacobian, *row_bias, *row_impulse, *row_lower, *row_upper;
  double *compliance, *target; /* of a soft world */
  double *row_compliance;      /* of a world with bonds */
  /* of a world whose contacts resist spinning and rolling, or have elliptic cones: resistance.c */
  double *torque_friction, *torque, *cross_friction, *direction;
  double *wrench, *wrench_velocity, *wrench_target; /* six numbers each: force, torque */
  int32_t *body_a, *body_b, *row_a, *row_b;
  tl_joint_row *row;
  bool spheres; /* reaches describe all contacts */
  bool arms;    /* there are arms */
  bool turning; /* there are surface velocities */
} tl_step_arrays;

/* Room for the world's present contacts and joint rows; kept from step to step. */
talus_status tl_step_arrays_take(talus_world *world, tl_step_arrays *arrays);
/* The rows of joints, then of mechanisms. */
talus_status tl_step_rows(talus_world *world, double dt, const tl_step_arrays *arrays,
                          int32_t *count);
/* Fills the arrays and points the problem at them. velocity: [tl_velocity_size]. */
talus_status tl_step_problem(talus_world *world, double dt, const double *velocity,
                             const tl_step_arrays *arrays, talus_problem *problem);
/* Builds a (sub-)step's velocity problem: takes the arrays, fills them, and adds the velocity scale
 * and cohesion. before, free: velocities [tl_velocity_size]. */
talus_status tl_problem_build(talus_world *world, double dt, const double *before,
                              const double *free, tl_step_arrays *arrays, talus_problem *problem);
/* Solves it: form (a) as it is; with mechanisms translated to form (b), results in the same
 * arrays. *singular: rows of loops that depend on the others, set where there are mechanisms; may
 * be NULL. */
talus_status tl_step_solve(talus_world *world, talus_solver *solver, const talus_problem *problem,
                           tl_step_arrays *arrays, talus_solution *solution, talus_info *info,
                           int32_t *singular);

/* Inverse mass and inertia of a body as a problem has them; spheres: of reaches, not of arms. */
void tl_body_fill(const tl_body *body, bool spheres, double *inverse_mass, double inertia[6]);

/* push.c: between begin and end impulses of any size along the normals of contacts change the
 * velocities, links included. Needs the arms. */
talus_status tl_push_begin(talus_world *world);
void tl_push(talus_world *world, const tl_step_arrays *arrays, int32_t contact, double size,
             double *velocity);
talus_status tl_push_end(talus_world *world, double *velocity);

/* cohesion.c: before the solve bodies are pulled together and impulses become x' = x + a n; after
 * it they are x again. Nothing in a world without cohesion. */
talus_status tl_cohesion_begin(talus_world *world, double dt, const tl_step_arrays *arrays,
                               talus_problem *problem);
void tl_cohesion_end(const talus_world *world, double dt, const tl_step_arrays *arrays);

/* Poisson's second phase: contacts that took a compression impulse give back e times its normal
 * part, and all are solved once more. */
talus_status tl_restitution_phase(talus_world *world, talus_problem *problem,
                                  tl_step_arrays *arrays, double *after, talus_info *info,
                                  int32_t *singular);

/* resistance.c: what a material says of spinning, rolling and directions of friction. */
talus_status tl_resistance_check(const talus_world *world, const talus_material_def *def);
void tl_resistance_note(talus_world *world, const talus_material_def *def);
/* Friction of spinning and rolling of a contact whose shapes are known. */
void tl_resistance_find(const talus_world *world, int64_t contact);
/* Gives the step's problem six rows, or elliptic cones, if the world has any. */
talus_status tl_resistance_begin(talus_world *world, tl_step_arrays *a, talus_problem *problem);
/* Forces, torques and targets in sixes. */
void tl_resistance_pack(const talus_world *world, const tl_step_arrays *a, talus_problem *problem);
/* Solves a problem of six rows; forces go to the solution, torques to the arrays. */
talus_status tl_resistance_solve(talus_world *world, talus_solver *solver,
                                 const talus_problem *problem, const tl_step_arrays *a,
                                 talus_solution *solution, talus_info *info);
void tl_resistance_keep(talus_world *world, const tl_step_arrays *a);
/* Work of a contact's torque on a body with these velocities before and after, as on b. */
double tl_resistance_work(const double torque[3], const double *free, const double *after);

#endif
