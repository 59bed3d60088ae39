/* state.h: everything of a world that a restart needs beyond its definition, as named arrays.
 *
 * A world is first built again as it was (same bodies, shapes, joints in the same order), then its
 * state is loaded; from there it goes on bit for bit. The arrays belong to the caller. */
#ifndef TL_WORLD_STATE_H
#define TL_WORLD_STATE_H

#include "talus/talus_world.h"

enum { TL_STATE_BODY = 20, TL_STATE_CONTACT = 4, TL_STATE_JOINT = 21 };

typedef struct tl_world_state {
  double time;
  int64_t step_count;
  int32_t body_count, contact_count, joint_count;
  double *body;          /* [TL_STATE_BODY body_count] exists, position, orientation, velocity, spin,
                            force, torque */
  double *carried;       /* [3 body_count] angular impulse that the spin does not show yet; NULL:
                            not asked for, none */
  int32_t *contact_key;  /* [3 contact_count] shape a, shape b, feature */
  double *contact_value; /* [TL_STATE_CONTACT contact_count] impulse, gap */
  double *joint;         /* [TL_STATE_JOINT joint_count] exists, impulses of the rows (10), turns,
                            impulse and moment on b, rate, target, effort of the motor */
  int64_t mechanism_count; /* numbers, not mechanisms */
  double *mechanism;       /* [mechanism_count] as links_state.c has them */
} tl_world_state;

/* The counts; the caller then gives the arrays room. */
void tl_world_state_measure(const talus_world *world, tl_world_state *state);
void tl_world_state_save(const talus_world *world, tl_world_state *state);
/* Statuses: FILE_FORMAT (the state belongs to another world; the message says what differs),
 * NOT_FINITE, OUT_OF_MEMORY. */
talus_status tl_world_state_load(talus_world *world, const tl_world_state *state);

/* The part of mechanisms (links_state.c). */
int64_t tl_links_state_count(const talus_world *world);
void tl_links_state_save(const talus_world *world, double *value);
talus_status tl_links_state_load(talus_world *world, const double *value, int64_t count);

#endif
