/* world.h: the world's memory: bodies, shapes, materials, joints, and the arrays of one step.
 *
 *   world.c       life                     body.c     bodies, shapes, masses
 *   material.c    materials and pairs of them
 *   body_extra.c  what most bodies have none of
 *   motion.c      kinematic bodies         servo.c    those that follow a force
 *   joint*.c      joints as bilateral rows bond*.c    what glues bodies until it breaks
 *   contacts.c    colliders to contacts    problem_build.c  contacts to a talus_problem
 *   contact_list.c  their memory: of this step and the one before
 *   cohesion.c    forces that pull         push.c     impulses along normals
 *   missed_contacts.c  contacts that were not found    penetration.c  what may become deeper
 *   slots.c       from ids to slots
 *   integrate.c   velocities, positions    project.c  position-level projection
 *   step*.c       the order of all that    report.c   what a step reports
 *   save.c        what a step changes, to restore it
 *   links*.c      mechanisms, whose links are bodies
 *   many.c        many bodies in one call  state.c    everything that a restart needs
 *   resident*.c   worlds in the memory of a device
 *   spread*.c     worlds that several ranks step together */
#ifndef TL_WORLD_H
#define TL_WORLD_H

#include <stdbool.h>

#include "host/collide/collide.h"
#include "host/math/rotation.h"
#include "host/math/vector.h"
#include "kernels/item/balance.h"
#include "kernels/item/bias.h"
#include "talus/talus_mechanism.h"

typedef struct tl_match tl_match;
struct tl_world_mechanism; /* links.h */
struct tl_world_resident;  /* resident.h */
struct tl_world_spread;    /* spread_local.h */

/* One body. What every pass over contacts asks for stands first, in one cache line. */
typedef struct tl_body {
  int32_t id; /* the caller's name for it */
  talus_body_type type;
  bool exists;
  bool round;   /* one sphere about the centre of mass: arms lie along normals */
  bool jointed; /* a joint has named it */
  bool bonded;  /* a bond has named it */
  bool large; /* where bodies are local: every rank has it, since it reaches far or was asked for */
  bool shared; /* the same until the next step */
  int32_t group;
  uint32_t collides;
  int32_t first_shape; /* its shapes form a list: shape[first_shape].next ... -1 */
  double mass, inverse_mass;
  double position[3], velocity[3], spin[3], orientation[4];
  double inertia[6], inverse_inertia[6]; /* body frame, about the centre of mass */
  int32_t extra;                         /* world->body_extra; -1: it has none */
  int32_t mechanism, link;               /* LINK */
  int32_t new_slot;                      /* where slots.c moves it */
  int32_t shape_count;
} tl_body;

/* What a body has besides, all of it 0 in a free ball about its own origin on which no force acts:
 * most bodies have none. */
typedef struct tl_body_extra {
  int32_t body; /* slot */
  double force[3], torque[3];
  double carried[3]; /* N m s: angular impulse of the last step that the spin does not show yet */
  double centre[3];  /* of mass, in the frame in which the body was defined; 0 unless FREE */
  double anchor[3], anchor_orientation[4]; /* KINEMATIC: where it was when its motions began */
  double motion_begin;                     /* KINEMATIC: s, when that was */
  double saved_carried[3];                 /* when the step began; save.c */
  double carried_by_servo[3]; /* KINEMATIC: m, of servos that it had since then, and has no more */
} tl_body_extra;

/* What a step changes of a body, as it was before. */
typedef struct tl_saved_body {
  double position[3], orientation[4], velocity[3], spin[3];
} tl_saved_body;

typedef struct tl_shape_slot {
  int32_t id, new_slot;
  int32_t body, material;
  bool exists;
  int32_t next;
  int32_t turn; /* world->turn has its rotation; -1: it is not turned */
  tl_geometry geometry;
  double defined[3];  /* its place in the frame in which the body was defined */
  double position[3]; /* in the body's frame, from its centre of mass */
  double size;        /* tl_geometry_size */
  double volume;
} tl_shape_slot;

typedef struct tl_motion {
  talus_motion_def def; /* its arrays are copies of ours */
  int32_t body;
  double *memory;
} tl_motion;

/* How a servo moves: along its axis. */
typedef struct tl_servo_motion {
  double travel, speed; /* m, so far; m/s, of the next (sub-)step */
  double sum;           /* m/s: of the missing forces */
  double force, area;   /* N, m2: of the last (sub-)step */
  double stiffness;     /* N/m: of the contacts that press, or pressed a while ago */
} tl_servo_motion;

/* A kinematic body that follows a force; servo.h. */
typedef struct tl_servo {
  talus_servo_def def;
  int32_t body;
  tl_servo_motion now, saved;
} tl_servo;

/* Six rows that hold, two stops, motor, friction. */
enum { TL_JOINT_ROWS = 10 };

typedef struct tl_joint {
  talus_joint_def def; /* its bodies are slots */
  int32_t id;
  bool exists;
  double arm_a[3], arm_b[3];     /* points in the bodies' frames; of the world: in the world's */
  double axis_a[3], axis_b[3];   /* the axis in each frame */
  double side_a[3], side_b[3];   /* a direction across the axis, for the angle */
  double relative[4];            /* orientation of b in a at the time of adding */
  double length;                 /* DISTANCE */
  double last_angle;             /* HINGE: of the last step, to count whole turns */
  double impulse[TL_JOINT_ROWS]; /* of its rows, last step: warm start */
  double push[6];                /* impulse and moment about the point that it gave b, last step */
} tl_joint;

/* Rows of a bond: along and across its axis, then about it and across it. */
enum { TL_BOND_ROWS = 6 };

/* The numbers of a bond, all of them doubles: a state of the world has them as they are. */
typedef struct tl_bond_numbers {
  double arm_a[3], arm_b[3];   /* its point in the bodies' frames; of the world: in the world's */
  double axis_a[3], axis_b[3]; /* the axis in each frame */
  double side_a[3];            /* a direction across the axis */
  double relative[4];          /* orientation of b in a at the time of adding */
  double radius, length;
  double normal, shear, bending, twisting; /* stiffnesses */
  double damping;
  double strength[2];           /* tensile, shear, Pa */
  double limit[4];              /* by talus_bond_mode: tension, bending, shear, twisting */
  double impulse[TL_BOND_ROWS]; /* N s, of its rows (moments over the radius), last (sub-)step: warm
                                   start, loads */
} tl_bond_numbers;

typedef struct tl_bond {
  int32_t id, body_a, body_b; /* bodies: slots, or TALUS_NONE */
  bool exists;
  tl_bond_numbers of;
} tl_bond;

/* A periodic cell; cell.h. */
typedef struct tl_cell {
  talus_cell def; /* as it is now; periodic 0: there is none */
  bool plane;
  double strain[6];    /* rates summed up over time */
  double stress[9];    /* Pa, of the last sub-step */
  double mean_rate[6]; /* 1/s, of rates with a servo, over the last hundred steps */
} tl_cell;

/* What a contact needs to know of a collider, packed: one access each instead of many, two of them
 * in a cache line. */
typedef struct tl_collider_fact {
  int32_t body; /* slot */
  int32_t body_id, shape_id, material;
  int32_t shape; /* slot */
  int16_t image; /* of a periodic cell; 0: the shape itself */
  bool round;    /* a contact's arm lies along its normal, or does not matter */
  double size;
} tl_collider_fact;

/* What the caller sees of a contact, beside its normal and impulse: ids. */
typedef struct tl_contact_shown {
  int32_t body_a, body_b, shape_a, shape_b;
  double gap, point[3];
} tl_contact_shown;

/* A contact as the world keeps it from step to step, beside its normal and impulse. */
typedef struct tl_world_contact {
  tl_contact_shown shown;
  int32_t body_a, body_b, shape_a, shape_b; /* slots, for the step that found it */
  uint32_t feature;
  int16_t image; /* of b in a periodic cell; 0: b itself */
  bool spherical;
  bool bridged;    /* the pair touched or had a liquid bridge in the step before */
  double deepened; /* m: deeper than when the step began; penetration.c */
} tl_world_contact;

/* What only the step that found a contact asks for. */
typedef struct tl_contact_terms {
  double friction, restitution;
  double size;      /* m: of the smaller shape */
  double bias;      /* along the normal, m/s */
  double approach;  /* u_n before the step, m/s */
  double departure; /* u_n after the step, m/s */
} tl_contact_terms;

/* What a contact has besides where some give way, attract or resist turning. */
typedef struct tl_contact_extra {
  double attraction; /* N: pulls the bodies together; cohesion.c */
  /* springs, see spring.c; 0 in a rigid contact */
  double stiffness;     /* N/m along the normal */
  double compliance[2]; /* of the step's problem: C_n, C_t */
  double hold[3];       /* N: force of the tangential spring before the step, then after it */
  /* of spinning and rolling, see resistance.c; 0 where nothing resists */
  double torque_friction[2]; /* m */
  double torque[3];          /* N m s, on b, in the last step */
} tl_contact_extra;

typedef struct tl_contact_list {
  tl_world_contact *contact;
  double *normal, *impulse; /* [3 count] each, one allocation */
  tl_contact_extra *extra;  /* NULL: these contacts have none */
  int32_t count, capacity, vector_capacity, extra_capacity;
  bool local; /* as talus_world.contacts_local */
} tl_contact_list;

/* Contacts that are kept while a world shows others. */
typedef struct tl_contacts_aside {
  tl_contact_list list;
  tl_contact_terms *terms;
  int32_t terms_capacity;
} tl_contacts_aside;

/* Two materials with values of their own instead of the rule. */
typedef struct tl_material_pair {
  int32_t low, high; /* materials */
  bool used;
  double friction, restitution;
} tl_material_pair;

/* Contacts between one that is treated and those whose bodies are asked for: in large worlds the
 * caches do not hold all bodies. */
enum { TL_BODIES_AHEAD = 12 };

struct talus_world {
  talus_context *context;
  talus_world_def def, given; /* by which it goes; with the zeros that stand for defaults */
  char *dump_path;            /* def.solver.dump_path; NULL: none */
  double time;
  int64_t step_count;
  double
      part_seconds; /* of the last step's parts: what the contacts' impulses stand for; 0: none */
  double size; /* typical radius: mean tl_geometry_size of the free bodies' shapes ever added */
  double size_sum;
  int64_t size_count;

  /* Bodies, shapes and joints stand in slots, in the order of their ids, which are never used
   * twice. What is removed leaves a gap until the next step closes it; count: gaps included. */
  tl_body *body;
  int32_t body_count, body_capacity, body_next; /* next: id */
  int32_t body_gaps, joint_gaps;
  tl_body_extra *body_extra; /* in no order; every body that is not free or no ball has one */
  int32_t body_extra_count, body_extra_capacity;
  tl_shape_slot *shape;
  int32_t shape_count, shape_capacity, shape_next;
  double (
      *turn)[9]; /* rotations of shapes that are turned in their bodies, in the order of slots */
  int32_t turn_count, turn_capacity;
  talus_material_def *material;
  int32_t material_count, material_capacity;
  tl_material_pair *pair; /* [pair_capacity] by hash, see material.c */
  int32_t pair_count, pair_capacity;
  tl_motion *motion;
  int32_t motion_count, motion_capacity;
  tl_servo *servo;
  int32_t servo_count, servo_capacity;
  tl_joint *joint;
  int32_t joint_count, joint_capacity, joint_next;
  tl_bond *bond;
  int32_t bond_count, bond_capacity, bond_next, bond_gaps;
  bool bonds_changed;   /* since the pairs below were found */
  tl_buffer bond_pairs; /* [bond_count] keys of bonded bodies, ascending; body_pair.c */
  int32_t bond_pair_count;
  tl_buffer joint_pairs; /* [joint_count] the same of bodies that joints keep from touching */
  int32_t joint_pair_count;
  int64_t broken_before;     /* bonds that broke before the last step */
  talus_broken_bond *broken; /* in the last step */
  int32_t broken_count, broken_capacity;
  struct tl_world_mechanism *mechanism;
  int32_t mechanism_count, mechanism_capacity;
  int32_t joint_velocity_count; /* of all mechanisms */
  talus_loop_def *loop;
  int32_t loop_count, loop_capacity;
  talus_coupling *coupling; /* of all mechanisms: stops, motors, friction, loops; NULL: none */
  double *link_impulse;     /* of its rows, last step: warm start */
  double link_size_sum;     /* as size_sum, of links: what `size` is where no body is free */
  int64_t link_size_count;

  tl_cell cell, saved_cell;
  bool cohesive;          /* some material has cohesion of any kind */
  bool soft;              /* some contacts may give way */
  bool resists;           /* some contacts may resist spinning or rolling */
  bool elliptic;          /* friction of some may differ by direction */
  double modulus;         /* Pa: E of softness AUTO; 0: not chosen yet */
  double cohesion_volume; /* m3: the largest bridge_volume of all materials */
  double cohesion_angle;  /* rad: the largest contact_angle */

  struct tl_world_resident *resident; /* the world in the memory of a device; NULL: on the host */
  struct tl_world_spread *spread;     /* the world on several ranks; NULL: on one */
  talus_contact_fn contact_function;
  void *contact_user;

  tl_broad *broad, *broad_fast; /* of all; of what became faster than its margin */
  tl_narrow *narrow;
  tl_match *match;
  talus_solver *solver, *projector; /* projector: of a world on a device */
  /* contacts of the last step, in the order of matching; extra: NULL where the world has none */
  tl_world_contact *contact;
  double *normal, *impulse; /* [3 contact_count] as the step's problem has them, too */
  tl_contact_terms *terms;
  tl_contact_extra *extra;
  int32_t contact_count, contact_capacity, vector_capacity, terms_capacity, extra_capacity;
  bool contacts_spherical; /* reaches describe them all */
  bool contacts_local;     /* those of this rank alone are there; spread.h */
  bool bodies_local;       /* those that this rank needs alone are there */
  bool step_saved;         /* saved_bodies are those of the step that is being made */
  int64_t slots_changed;   /* how often slots changed within steps */
  bool deepens;            /* `deepened` is summed up: the step has several parts */
  /* Contacts are made in `spare`, which then becomes `contact`. Those with which a step began are
   * kept in `saved` when that happens; contacts_saved: it has not yet, they are in `contact`. */
  tl_contact_list spare, saved;
  bool contacts_saved;
  /* copies for talus_world_contacts and talus_world_bonds, which leave the world as it is */
  tl_buffer *shown, *shown_bonds;

  /* arrays of one step; collider i is the shape in slot i, then come images; where contacts are
   * local only some shapes have a collider. Once contacts are found and solved for, colliders are
   * memory of the projection */
  tl_buffer colliders, facts, ordered_pairs, fast_colliders, least_margins, keys, found,
      saved_bodies, saved_joints, saved_bonds;
  int32_t collider_count;   /* with images */
  tl_buffer problem_memory; /* contact points, then the problem that is made of them */
  tl_buffer solution_memory, velocity_memory, restitution_memory;
  tl_buffer cohesion_memory, sum_memory, servo_memory, servo_hull, resistance_memory;
  tl_buffer saved_links, block_memory, block_index;
  tl_buffer spread_memory, spread_points; /* of ranks, see spread.h */
};

/* ---- the steps of a step --------------------------------------------------------------------- */

/* Room for one more element; doubles the capacity. */
talus_status tl_world_grow(talus_world *world, void **array, int32_t *capacity, int32_t needed,
                           size_t size, const char *what);

/* slots.c: where the thing of an id stands; -1: it does not exist. */
int32_t tl_body_slot(const talus_world *world, int32_t id);
int32_t tl_shape_slot_of(const talus_world *world, int32_t id);
int32_t tl_joint_slot(const talus_world *world, int32_t id);
int32_t tl_bond_slot(const talus_world *world, int32_t id);
/* The first slot of a body whose id is larger; gaps count. */
int32_t tl_body_after(const talus_world *world, int32_t id);
/* The body of an id, or NULL. */
/* How long the impulses of the contacts at hand acted: the last part of the last step, which may
 * have been cut. */
static inline double tl_part_seconds(const talus_world *world) {
  return world->part_seconds > 0 ? world->part_seconds
                                 : world->def.step / (double)world->def.substeps;
}

/* body_extra.c: what a body has besides; all 0 if nothing. */
const tl_body_extra *tl_body_extra_of(const talus_world *world, const tl_body *body);
/* The same to be changed; NULL: it has none. */
static inline tl_body_extra *tl_body_extra_at(const talus_world *world, const tl_body *body) {
  return body->extra >= 0 ? &world->body_extra[body->extra] : NULL;
}
/* Gives it one, if it has none. Status: OUT_OF_MEMORY. */
talus_status tl_body_extra_take(talus_world *world, int32_t body);
/* Takes it away. */
void tl_body_extra_drop(talus_world *world, int32_t body);

static inline tl_body *tl_body_at(const talus_world *world, int32_t id) {
  const int32_t slot = world != NULL ? tl_body_slot(world, id) : -1;
  return slot >= 0 ? &world->body[slot] : NULL;
}
/* Whether every rank has the body in this slot. */
bool tl_body_everywhere(const talus_world *world, int32_t slot);
/* What one body has is going to be read or changed: as tl_bodies_whole, unless every rank has
 * it. */
talus_status tl_body_ask(const talus_world *world, int32_t id);
/* As tl_body_ask, and the slot; INDEX_RANGE with a message where it does not exist. */
talus_status tl_body_find(const talus_world *world, int32_t id, int32_t *slot);
/* Moves everything together: slots change, ids do not. */
void tl_gaps_close(talus_world *world);
/* Names of bodies and shapes become their new_slot; they themselves are left to the caller. */
void tl_slots_rename(talus_world *world);
/* Whether ids up to `next` are left. */
talus_status tl_ids_left(const talus_world *world, int64_t next, const char *what);

/* Velocity and spin of a kinematic body from t to t + dt, such that it arrives where its motions
 * say. */
void tl_motion_steer(talus_world *world, int32_t body, double dt);

/* The rotation of a shape in its body's frame. */
static inline const double *tl_shape_rotation(const talus_world *world,
                                              const tl_shape_slot *shape) {
  static const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  return shape->turn >= 0 ? world->turn[shape->turn] : none;
}

/* The collider of a shape where its body stands, with no margin; arm: from the body's centre to it,
 * world frame. */
void tl_shape_collider(const talus_world *world, int32_t shape, tl_collider *collider,
                       double arm[3]);
/* How far a shape may move before pairs are searched anew, m. */
double tl_contacts_skin(const talus_world *world);
/* Places the colliders of the shapes that are looked at; least_margin as below. */
talus_status tl_colliders_place(talus_world *world, double dt, const double *least_margin);
/* Finds contacts at the bodies' present positions, matched to the last step's, with biases for dt.
 * Slots may change (slots_changed). least_margin: [shape_count] m, at least this margin for each
 * shape; NULL: none. */
talus_status tl_contacts_find(talus_world *world, double dt, const double *least_margin);
/* Speed of the shape's fastest point; arm: from the body's centre to the shape's. */
double tl_body_shape_speed(const tl_body *body, const tl_geometry *geometry, const double *arm,
                           const double *velocity, const double *spin);
/* Finds whether velocities `after` close contacts for which there was no margin. If so,
 * *least_margin (NULL, or what an earlier call made, in memory of the world's) becomes such that
 * tl_contacts_find finds them. */
talus_status tl_missed_contacts_find(talus_world *world, double dt, const double *after,
                                     double **least_margin, bool *missed);
/* How deep the two shapes of a contact lie in each other where their bodies are; 0: they do not. */
talus_status tl_pair_depth(talus_world *world, const tl_world_contact *contact, double *depth);

/* The pair that becomes deeper by more than it may, the worst of all (penetration.c). */
typedef struct tl_penetration {
  bool found;
  int32_t body_a, body_b, shape_a, shape_b;
  double before, after; /* m: depths */
  double excess;        /* how much deeper it becomes, over what it may */
} tl_penetration;
/* Depths are counted from here on: at the beginning of a step of so many parts. */
void tl_penetration_begin(talus_world *world, int32_t parts);
/* Whether a contact becomes deeper than it may, by its velocity after the solve. */
bool tl_penetration_deepens(const talus_world *world, int64_t contact, double dt);
/* The same of all, before anything moves. deepens: some do. */
void tl_penetration_predict(talus_world *world, double dt, bool deepens,
                            tl_penetration *penetration);
/* Where bodies have moved to; round ones were right before. */
talus_status tl_penetration_measure(talus_world *world, double dt, tl_penetration *penetration);

/* cohesion.c: sets the attraction of all contacts, pair by pair. */
void tl_cohesion_find(talus_world *world);
/* Whether the pair of this contact touched, or was held by a liquid bridge, in the step before. */
bool tl_cohesion_bridged(const tl_contact_shown *old, const double impulse[3], double slop);
/* Half the gap up to which liquid bridges of a shape of this size reach, m. */
double tl_cohesion_reach(const talus_world *world, double size);

/* contact_list.c. Room for so many present contacts, whose contents are lost; terms are 0. */
talus_status tl_contacts_reserve(talus_world *world, int32_t count);
/* The present contacts become the old ones, which are returned, and make room for `count` others.
 * After an error the present ones are as they were. */
talus_status tl_contacts_replace(talus_world *world, int32_t count, const tl_contact_list **old);
/* As many present contacts, extras and terms as this; the first ones stay. */
talus_status tl_contacts_resize(talus_world *world, int32_t count);
/* The world has no contacts; it has its own again, and the others are gone. */
void tl_contacts_lay_aside(talus_world *world, tl_contacts_aside *aside);
void tl_contacts_put_back(talus_world *world, tl_contacts_aside *aside);
void tl_contacts_release(talus_world *world);

/* A gap within it carries no bias, m. */
static inline double tl_contact_slop(const talus_world *world, int64_t contact) {
  return world->def.slop * world->terms[contact].size;
}
static inline double tl_contact_stiffness(const talus_world *world, int64_t contact) {
  return world->extra != NULL ? world->extra[contact].stiffness : 0;
}

/* All that the caller sees of a contact. */
talus_contact tl_contact_show(const talus_world *world, int64_t contact);
/* Stores the keys of the present contacts, which the next step's are matched to. */
talus_status tl_contacts_store_keys(talus_world *world);
/* Marks the present contacts as those to restore. */
void tl_contacts_save(talus_world *world);
talus_status tl_contacts_restore(talus_world *world);
/* cell.c: UNSUPPORTED if the world has a periodic cell, in which there is no such thing. */
talus_status tl_cell_refuse(const talus_world *world, const char *what);
/* spring.c. E of softness AUTO, once there are bodies. */
void tl_spring_choose(talus_world *world);
/* What the world says about all its contacts in a (sub-)step. */
tl_contact_rule tl_contact_rule_of(const talus_world *world, double dt);
/* The bias of a contact; stiffness and compliance where it gives way. */
void tl_bias_set(const talus_world *world, const tl_contact_rule *rule, int64_t contact);
/* The tangential springs' forces after a (sub-)step. */
void tl_spring_keep(talus_world *world, double dt);
/* Friction and restitution of two materials. */
void tl_material_mix(const talus_world *world, int32_t a, int32_t b, double *friction,
                     double *restitution);

/* The rows of all joints: how many at most, then filled one after the other. */
int32_t tl_joint_rows(const talus_world *world);
typedef struct tl_joint_row {
  int32_t body_a, body_b;
  double jacobian[12];
  double error;        /* violation, m or rad: what the projection removes */
  double bias;         /* m/s or rad/s */
  double drift;        /* m/s: what the image of b in a periodic cell is faster by, along the row */
  double lower, upper; /* bounds of the impulse, N s or N m s */
  double compliance;   /* (m/s)/(N s) or (rad/s)/(N m s); 0: none */
  bool is_moment;
  bool is_drive;         /* motor or friction: the projection leaves it out */
  bool needs_projection; /* violated by more than the slop allows */
  int32_t joint, bond;   /* one is not -1; both are: row of the mechanisms' coupling */
  int32_t row;
} tl_joint_row;
int32_t tl_joint_fill(talus_world *world, double dt, tl_joint_row *rows);
/* Hinges count their turns, at the end of a step. */
void tl_joint_track(talus_world *world);

/* ---- bonds; each does nothing where there are none ------------------------------------------- */

/* Rows of all bonds: how many at most; filled. */
int32_t tl_bond_rows(const talus_world *world);
int32_t tl_bond_fill(const talus_world *world, double dt, tl_joint_row *rows);
/* Breaks what is loaded beyond its strength in the part of the step that has just been made, and
 * notes it in world->broken. Status: OUT_OF_MEMORY. */
talus_status tl_bonds_break(talus_world *world, double dt);
/* Bonds of a body that goes. */
void tl_bonds_drop(talus_world *world, int32_t body);
/* Finds the pairs of bodies that are bonded, if bonds or slots have changed; whether one is among
 * them. */
talus_status tl_bond_pairs_find(talus_world *world);
bool tl_bonded(const talus_world *world, int32_t body_a, int32_t body_b);
/* The same of bodies whose joint does not let them touch each other (talus_joint_def.collide). */
talus_status tl_joint_pairs_find(talus_world *world);
bool tl_joined(const talus_world *world, int32_t body_a, int32_t body_b);

/* Settings of the solver for what holds bodies together: groups of few rows are solved directly,
 * since sweeps do not come near the solution of a chain in the iterations of a step; bonds are
 * given more of them. */
talus_status tl_solver_prepare_rows(talus_world *world);
/* Dumps of contact solves from now on; keeps a copy of the path. */
talus_status tl_world_dump_take(talus_world *world, talus_dump dump, const char *path);

/* Reals in a velocity array: six per body, then the joint velocities of mechanisms. */
size_t tl_velocity_size(const talus_world *world);

/* ---- mechanisms (links*.c); each does nothing where there are none --------------------------- */

void tl_links_release(talus_world *world);
/* Whether two bodies may touch: links that are neighbours do not. */
bool tl_links_collide(const talus_world *world, int32_t body_a, int32_t body_b);
/* Bodies of links to where the mechanism has them: one, or all. */
void tl_link_sync(const talus_world *world, int32_t body);
void tl_links_sync(talus_world *world);
/* The acceleration that a link's velocity alone makes: of its centre of mass, and angular. */
void tl_link_bias_acceleration(const talus_world *world, int32_t body, double swing[6]);
/* Joint velocities from the mechanisms to the array, and back. */
void tl_links_read(const talus_world *world, double *velocity);
void tl_links_write(talus_world *world, const double *velocity);
/* Six velocities of each link from the joint velocities. */
void tl_links_spread(const talus_world *world, double *velocity);
talus_status tl_links_free(talus_world *world, double dt, double *velocity);
void tl_links_move(talus_world *world, const double *velocity, double dt);
talus_status tl_links_save(talus_world *world);
void tl_links_restore(talus_world *world);
/* Rows of stops, motors, friction and loops: how many; filled. */
int32_t tl_links_rows(const talus_world *world);
talus_status tl_links_fill(talus_world *world, double dt, tl_joint_row *rows);

/* ---- on a device (resident.c), on ranks (spread_contacts.c) ---------------------------------- */

/* Bodies and contacts of the host become those of now, if a device is ahead of them: before they
 * are read. */
talus_status tl_world_read(const talus_world *world);
/* Bodies alone. */
talus_status tl_bodies_read(const talus_world *world);
/* All bodies are on all ranks: before bodies are read that this one might not have, or changed.
 * Collective in a context with ranks. */
talus_status tl_bodies_whole(const talus_world *world);
/* As both, and contacts of all ranks are on each of them: before contacts are read. Collective in a
 * context with ranks. */
talus_status tl_contacts_read(const talus_world *world);
/* The same for the first rank alone, which writes files for all; the other ranks keep what they
 * have. contacts: with these. Until tl_first_done bodies and contacts are not changed, and calls
 * that read them are no collective ones on the first rank, which alone may make them. Both are
 * collective. */
talus_status tl_first_read(const talus_world *world, bool contacts);
void tl_first_done(const talus_world *world);
/* As tl_world_read and tl_bodies_whole, and the device takes the world anew at the next step:
 * before anything is changed. */
talus_status tl_world_edit(talus_world *world);
/* The same of a device alone. */
talus_status tl_world_edit_device(talus_world *world);
/* Where it is known what is going to be changed (resident_change.c), the device takes that alone:
 * bodies or shapes are added or removed; of the body in this slot the pose or velocity, or mass,
 * force and shapes, or both; materials. */
enum { TL_EDIT_MOTION = 1, TL_EDIT_FACT = 2 };
talus_status tl_bodies_edit(talus_world *world);
talus_status tl_body_edit(talus_world *world, int32_t slot, int parts);
void tl_materials_edit(talus_world *world);

/* ---- save and restore ------------------------------------------------------------------------ */

/* Copies what a step changes (save.c). Status: OUT_OF_MEMORY. */
talus_status tl_world_save(talus_world *world);
/* Restores the copy; no body or joint may have been added or removed since. */
talus_status tl_world_restore(talus_world *world);

/* ---- solve and move -------------------------------------------------------------------------- */

/* Velocities of all bodies and mechanisms as a (sub-)step of dt begins: kinematic bodies take those
 * of their motions first. */
void tl_velocities_begin(talus_world *world, double dt, double *velocity);
/* In worlds without mechanisms, while contacts are found: the same, and those without contact, for
 * slots that have changed; behind them in velocity_memory is room for those after the solve. */
talus_status tl_velocities_again(talus_world *world, double dt);
/* Contact velocities that are small in this (sub-)step, m/s; scale.c. */
talus_status tl_velocity_scale(talus_world *world, double dt, const double *before,
                               const double *free, double *scale);
/* The same from sums: changes of the free bodies' velocities and their number, speeds at the
 * contacts and theirs. */
tl_scale_rule tl_velocity_scale_rule(const talus_world *world, double dt);
double tl_velocity_scale_of(const talus_world *world, double dt, double change, double free_count,
                            double speed, int32_t contact_count);
/* What impulses did in a sub-step, for the report. */
typedef struct tl_step_balance {
  double contact_work, motion_work;      /* J: of contacts, and of the walls that move them */
  double contact_push[3];                /* N s: the contacts' sum on free bodies */
  double contact_size;                   /* N s: sum of its terms' sizes */
  int32_t touching_count, touching_ends; /* contacts that carry; free bodies at them */
  double depth_sum, depth_max;           /* m: of those contacts */
  double joint_work;      /* J: of the joints' impulses on free bodies, and of the rows of
                                       mechanisms */
  double joint_push[3];   /* N s: the joints' sum on free bodies */
  double joint_size;      /* N s: sum of its terms' sizes */
  double link_kinetic[3]; /* J: of mechanisms before, free and after */
  double link_error;      /* of their balances */
  int32_t singular;       /* rows of loops that depend on the others */
  bool deepens; /* a contact is to become deeper in the (sub-)step than it may; penetration.c */
  bool sinks;   /* a rigid contact is to end deeper than positions are left; project.c */
} tl_step_balance;

/* Solves one (sub-)step's velocity problem: from velocities `free` to `after`. Sets all of the
 * balance but the work of contacts. */
talus_status tl_problem_solve(talus_world *world, double dt, const double *before,
                              const double *free, double *after, talus_info *info,
                              tl_step_balance *balance);
/* What the contacts bring to the balance; to be called while the bodies stand where the problem was
 * made. */
talus_status tl_contacts_balance(talus_world *world, const double *free, const double *after,
                                 tl_step_balance *balance);
/* Whether a contact ends the (sub-)step out of place by more than half a slop beyond the slop. */
bool tl_project_sinks(const talus_world *world, int64_t contact, double dt);
/* The solver's settings of the step that comes: of solver.certify N > 1 whether it is the Nth, by
 * the number of steps, which a restart knows. And those of the projection. */
talus_settings tl_settings_now(const talus_world *world);
talus_settings tl_settings_projection(const talus_world *world);
/* Moves positions so that no contact is deeper than its slop and joints fit, to first order, if
 * some contact sinks or some joint drifts. Its velocities stand where the colliders were. */
talus_status tl_project(talus_world *world, double dt, bool sinks);

/* v + dt (g + f/m), spin likewise with what the last step carried over. */
void tl_velocity_free(talus_world *world, double dt, double *velocity);
/* Bodies and mechanisms take the velocities `after`, and positions move on by share * dt with them.
 * What the impulses between `free` and `after` did to angular momenta, beyond what the solve made
 * of it, is carried over to the next step. */
void tl_bodies_advance(talus_world *world, double dt, double share, const double *free,
                       const double *after);
void tl_positions_move(talus_world *world, const double *velocity, double dt);
/* One body by six velocities, unless it is fixed or a link. */
void tl_body_move(tl_body *body, const double *velocity, double dt);
talus_status tl_positions_check(talus_world *world);

/* The certificate's numbers for a law, with the cone of the solve: epsilon, and the error that the
 * tolerance is compared with. Where it was not asked: the solver's own error. */
double tl_info_epsilon(const talus_info *info, talus_law law);
double tl_info_error(const talus_info *info, talus_law law);
/* From sums over the contacts and over the bodies, as item/balance.h counts them. */
void tl_balance_set(const double sum[TL_CONTACT_VALUES], tl_step_balance *balance);
void tl_report_write(const talus_world *world, const talus_info *info,
                     const tl_step_balance *balance, const double bodies[TL_BODY_VALUES],
                     int32_t contact_count, talus_step_report *report);
/* Energies, penetrations and balances of a (sub-)step, added to the report. */
talus_status tl_report_add(talus_world *world, double dt, const double *before, const double *free,
                           const double *after, const talus_info *info,
                           const tl_step_balance *balance, talus_step_report *report);

#endif
