/* links.h: the mechanisms of a world. Their links are bodies of the world (TALUS_BODY_LINK), whose
 * state follows from the mechanism's after every move.
 *
 *   links_add.c       adding                     links_problem.c   a step's problem in form (b)
 *   links.c           state, motion              links_blocks.c    its memory, masses
 *   links_rows.c      stops, motors, loops       links_loops.c     rows that depend on others
 *   links_report.c    balances                   links_state.c     what a restart needs
 *
 * A velocity array of a step ([tl_velocity_size]) holds six numbers per body, links included, and
 * behind them the joint velocities of all mechanisms. */
#ifndef TL_WORLD_LINKS_H
#define TL_WORLD_LINKS_H

#include "host/mechanism/coupling.h"
#include "host/world/problem_build.h"

typedef struct tl_world_mechanism {
  talus_mechanism *mechanism; /* the world's own */
  int32_t first_body;         /* link i is in slot first_body + i */
  int32_t first_velocity;     /* among the joint velocities of all mechanisms */
  int32_t self_collide;
  int32_t base; /* the slot of the body that it stands on, or TALUS_NONE */
} tl_world_mechanism;

/* The joint velocities in a velocity array. */
static inline double *tl_links_part(const talus_world *world, double *velocity) {
  return velocity + 6 * (size_t)world->body_count;
}

static inline bool tl_is_link(const talus_world *world, int32_t body) {
  return world->body[body].type == TALUS_BODY_LINK;
}

static inline talus_mechanism *tl_mechanism_of(const talus_world *world, int32_t body) {
  return world->mechanism[world->body[body].mechanism].mechanism;
}

/* The coupling of all mechanisms, brought to `dt`: whose rows stops, motors and loops are. */
talus_status tl_links_coupling(talus_world *world, double dt);

/* row [joint velocities of its mechanism] += the wrench on a link's centre of mass (force, moment).
 */
void tl_link_row(const talus_world *world, int32_t body, const double *wrench, double *row);

/* Work of a row's impulse, at the mean of the velocities before and after it. */
double tl_links_work(const talus_world *world, int32_t row, double impulse, const double *free,
                     const double *after);
/* Energies and balances of the mechanisms in this sub-step; to be called while they stand where the
 * problem was made. */
talus_status tl_links_measure(talus_world *world, double dt, const double *before,
                              const double *free, const double *after, const tl_step_arrays *arrays,
                              int32_t rows, tl_step_balance *balance);
/* Poisson's push: impulses on links (at an arm from the body's centre) are collected, then change
 * all joint velocities at once. */
void tl_links_push_begin(talus_world *world);
void tl_links_push(talus_world *world, int32_t body, const double *arm, const double *impulse);
talus_status tl_links_push_end(talus_world *world, double *velocity);

/* A form (a) problem of the step's arrays in form (b), whose arrays are the world's. */
talus_status tl_links_translate(talus_world *world, const talus_problem *problem,
                                tl_step_arrays *arrays, talus_problem *made);
/* The same, solved, and its results brought back to the arrays and to solution->velocity.
 * *singular: as in tl_step_solve. */
talus_status tl_links_solve(talus_world *world, talus_solver *solver, const talus_problem *problem,
                            tl_step_arrays *arrays, talus_solution *solution, talus_info *info,
                            int32_t *singular);

#endif
