/* state.h: everything of a world that a restart needs beyond its definition, as named arrays.
 *
 * A world is first built again (same bodies, shapes, joints under the same ids), then its state is
 * loaded; from there it goes on bit for bit. What the world has and the state has not is removed.
 * Bonds are all in the state, whether they were built again or not.
 * The arrays belong to the caller. */
#ifndef TL_WORLD_STATE_H
#define TL_WORLD_STATE_H

#include <stdbool.h>

#include "talus/talus_world.h"

enum {
  TL_STATE_BODY = 20,
  TL_STATE_CONTACT = 4,
  TL_STATE_JOINT = 21,
  TL_STATE_BOND = 38,
  TL_STATE_CELL = 24,
  TL_STATE_KINEMATIC = 18
};

/* Under which ids the next things are added; sum and number of sizes that make the typical one. */
typedef struct tl_world_numbering {
  int32_t body, shape, joint;
  int64_t size_count;
  double size_sum;
} tl_world_numbering;

typedef struct tl_world_state {
  double time;
  int64_t step_count;
  int32_t body_count, contact_count, joint_count; /* of what exists */
  tl_world_numbering next;
  bool periodic;              /* the world has a cell */
  double cell[TL_STATE_CELL]; /* its edges, rates, strains and mean rates */
  int32_t kinematic_count; /* of kinematic bodies whose motions began anew, or that have servos */
  double *kinematic;       /* [TL_STATE_KINEMATIC kinematic_count] id, anchor, its orientation, time
                            of the beginning, way of earlier servos; of the servo travel, speed,
                            sum, force, area, stiffness */
  int32_t *id;           /* [body_count + joint_count] of bodies, then of joints, ascending; NULL on
                            loading: from 0 on, and `next` is what the world has */
  double *body;          /* [TL_STATE_BODY body_count] exists, position, orientation, velocity,
                            spin, force, torque */
  double *carried;       /* [3 body_count] angular impulse that the spin does not show yet; NULL:
                            not asked for, none */
  int32_t *contact_key;  /* [3 contact_count] ids of shape a and shape b, feature */
  double *contact_value; /* [TL_STATE_CONTACT contact_count] impulse, gap */
  bool resists;          /* the next one is there */
  double *torque;        /* [3 contact_count] of contacts that resist spinning and rolling, N m s */
  bool soft;             /* the next two are there */
  double *hold;          /* [3 contact_count] forces of tangential springs, N */
  double modulus;        /* Pa, of softness AUTO */
  double *joint;         /* [TL_STATE_JOINT joint_count] exists, impulses of the rows (10), turns,
                            impulse and moment on b, rate, target, effort of the motor */
  int32_t bond_count, bond_next;
  int64_t bond_broken;     /* so far */
  int32_t *bond_key;       /* [3 bond_count] ids of the bond and its bodies; ids ascend */
  double *bond;            /* [TL_STATE_BOND bond_count] tl_bond_numbers */
  int64_t mechanism_count; /* numbers, not mechanisms */
  double *mechanism;       /* [mechanism_count] as links_state.c has them */
} tl_world_state;

/* The counts; the caller then gives the arrays room. */
void tl_world_state_measure(const talus_world *world, tl_world_state *state);
void tl_world_state_save(const talus_world *world, tl_world_state *state);
/* Statuses: FILE_FORMAT (the state belongs to another world; the message says what differs),
 * NOT_FINITE, OUT_OF_MEMORY. */
talus_status tl_world_state_load(talus_world *world, const tl_world_state *state);

/* Ids go on from here, for bodies and shapes that are built again after others were removed.
 * FILE_FORMAT: they are used already. */
talus_status tl_world_number(talus_world *world, int32_t body, int32_t shape);
/* What the ids of the next body and its first shape will be. */
void tl_world_numbers(const talus_world *world, int32_t *body, int32_t *shape);

/* The part of kinematic bodies (motion_state.c). */
int32_t tl_motions_state_count(const talus_world *world);
void tl_motions_state_save(const talus_world *world, double *value);
talus_status tl_motions_state_load(talus_world *world, const double *value, int32_t count);

/* The part of bonds (bond_state.c). */
void tl_bonds_state_save(const talus_world *world, tl_world_state *state);
talus_status tl_bonds_state_load(talus_world *world, const tl_world_state *state);

/* The part of mechanisms (links_state.c). */
int64_t tl_links_state_count(const talus_world *world);
void tl_links_state_save(const talus_world *world, double *value);
talus_status tl_links_state_load(talus_world *world, const double *value, int64_t count);

#endif
