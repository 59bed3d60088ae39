/* talus_mechanism.h: articulated trees in minimal coordinates, and their contacts.
 *
 *      base        joint 0 belongs to link 0: it hangs the link on its parent (another link, or
 *     ======       the base, TALUS_NONE). A joint's frame is placed in the frame of the parent;
 *        o joint 0 the link's own frame coincides with it while all coordinates are zero and moves
 *        |         with the joint. Masses, centres and points are given in the link's frame.
 *        | link 0
 *        o joint 1    coordinates q      one after the other in the order of the links
 *        |            velocities v       likewise; v = dq/dt but for quaternions
 *        | link 1     M(q) dv/dt = applied - damping v - bias(q, v) + J^T forces
 *
 * Velocities of SPHERICAL and FREE joints are in the axes of the joint's frame: of FREE the
 * origin's linear velocity, then the angular one relative to the parent. A mechanism on a fixed
 * base has any joint at its root, a floating one has FREE (or PLANAR) there.
 *
 * Units, frames and quaternions as in talus_world.h. One mechanism may be used by one thread at a
 * time. Motors, dry friction, limits and loops are rows of the contact problem (a talus_coupling);
 * damping, gravity, applied forces and loads act in every motion. */
#ifndef TALUS_MECHANISM_H
#define TALUS_MECHANISM_H

#include "talus_world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct talus_mechanism talus_mechanism;

/* ---- the tree -------------------------------------------------------------------------------- */

/* coordinates / velocities of the joint that carries a link */
typedef enum talus_link_kind {
  TALUS_LINK_REVOLUTE = 0,  /* 1/1: angle about axis */
  TALUS_LINK_PRISMATIC = 1, /* 1/1: way along axis */
  TALUS_LINK_UNIVERSAL = 2, /* 2/2: angle about axis, then about axis2, which the first turns */
  TALUS_LINK_SPHERICAL = 3, /* 4/3: quaternion w x y z */
  TALUS_LINK_FREE = 4,      /* 7/6: position of the origin, quaternion */
  TALUS_LINK_PLANAR = 5     /* 3/3: ways along axis2 and axis x axis2, then the angle about axis */
} talus_link_kind;

/* A link and the joint that hangs it on its parent. Limits, motors and friction are for each of a
 * joint's coordinates. SPHERICAL has no such coordinates: its limits are the swing of `axis` and
 * the twist about it, its motor is RATE, and that and friction are for each of its velocities. FREE
 * has none of the three. */
typedef struct talus_link_def {
  uint32_t struct_size; /* set by talus_link_def_default */
  const char *name;     /* of the joint, for messages; copied (31 bytes); may be NULL */
  int32_t parent;       /* another link, in any order; default TALUS_NONE: the base */
  talus_link_kind kind;
  double position[3];    /* of the joint's frame in the parent's */
  double orientation[4]; /* default 1 0 0 0 */
  double axis[3];        /* in the joint's frame, of any length but zero; default z */
  double axis2[3];       /* UNIVERSAL, PLANAR: not parallel to axis; made square to it if PLANAR;
                            default x */
  double mass;           /* kg, > 0; default 1 */
  double centre[3];      /* of mass, in the link's frame */
  double inertia[6];     /* about the centre of mass, link's axes, positive definite:
                            xx xy xz yy yz zz; default that of a ball of diameter 1 */
  double damping;        /* N m s or N s/m per velocity, >= 0 */
  double friction;       /* N m or N: dry friction, >= 0 */
  int32_t limited;       /* 1: lower <= coordinate <= upper */
  double lower[3], upper[3]; /* rad or m, may be infinite; default infinite. SPHERICAL: upper[0] is
                                the largest angle between axis and where the link carries it, > 0
                                (lower[0] is not read); lower[1], upper[1] the twist about it, both
                                infinite or less than a turn apart */
  int32_t motor;             /* talus_motor; default none */
  double rate[3];            /* rad/s or m/s; SERVO: at most this fast, 0 = as fast as it can */
  double target[3];          /* SERVO */
  double effort;             /* N m or N; default INFINITY */
  double response;   /* SERVO: s in which the distance to the target falls by e; default 0: one
                            step */
  int32_t group;     /* in a world: 0 .. 31, as of a body; default 0 */
  uint32_t collides; /* in a world: bit g: collides with group g; default all */
} talus_link_def;

TALUS_API void talus_link_def_init(talus_link_def *def, size_t size, talus_link_kind kind);
static inline talus_link_def talus_link_def_default(talus_link_kind kind) {
  talus_link_def def;
  talus_link_def_init(&def, sizeof def, kind);
  return def;
}

/* Forward dynamics three ways; all give the same accelerations. */
typedef enum talus_dynamics {
  TALUS_DYNAMICS_COMPOSITE = 0,   /* joint-space mass matrix and Cholesky: O(n^3) */
  TALUS_DYNAMICS_ARTICULATED = 1, /* articulated bodies: O(n) */
  TALUS_DYNAMICS_CONQUER = 2      /* divide and conquer: O(log n) on enough threads (chains) */
} talus_dynamics;

typedef struct talus_mechanism_def {
  uint32_t struct_size;    /* set by talus_mechanism_def_default */
  double gravity[3];       /* m/s2; default 0 0 -9.81 */
  talus_dynamics dynamics; /* of talus_mechanism_step and couplings; default ARTICULATED */
  int32_t link_count;
  const talus_link_def *link; /* [link_count], copied */
  int32_t self_collide; /* in a world: 1: links that are not neighbours in the tree collide with
                           each other; default 1. Neighbours never do */
  int32_t unused;       /* fills the struct up to its size */
} talus_mechanism_def;

TALUS_API void talus_mechanism_def_init(talus_mechanism_def *def, size_t size);
static inline talus_mechanism_def talus_mechanism_def_default(void) {
  talus_mechanism_def def;
  talus_mechanism_def_init(&def, sizeof def);
  return def;
}
/* Coordinates and velocities begin at zero (quaternions at 1 0 0 0). Statuses, the message naming
 * the joint: STRUCT_SIZE, INVALID_ARGUMENT, SIZE_OVERFLOW (no links, or too many), INDEX_RANGE
 * (parent), MATRIX_FORMAT (a loop where a tree is needed: close it by a talus_loop_def),
 * NEGATIVE_MASS, NORMAL_LENGTH (axis), BAD_BOUNDS (limits), BAD_SETTING, UNSUPPORTED, NOT_FINITE,
 * OUT_OF_MEMORY. */
TALUS_API talus_status talus_mechanism_create(talus_context *context,
                                              const talus_mechanism_def *def,
                                              talus_mechanism **mechanism);
/* Accepts NULL. */
TALUS_API void talus_mechanism_destroy(talus_mechanism *mechanism);

TALUS_API int32_t talus_mechanism_link_count(const talus_mechanism *mechanism);
TALUS_API int32_t talus_mechanism_coordinate_count(const talus_mechanism *mechanism);
TALUS_API int32_t talus_mechanism_velocity_count(const talus_mechanism *mechanism);
/* Where the coordinates and velocities of a link's joint begin. Statuses: INDEX_RANGE. */
TALUS_API talus_status talus_mechanism_find(const talus_mechanism *mechanism, int32_t link,
                                            int32_t *coordinate, int32_t *velocity);

/* ---- state and forces ------------------------------------------------------------------------ */

/* Either may be NULL. Quaternions must have length one to 1e-6 and are normalised. Statuses:
 * NOT_FINITE, BAD_SETTING (quaternion, naming the joint). */
TALUS_API talus_status talus_mechanism_set(talus_mechanism *mechanism, const double *coordinate,
                                           const double *velocity);
TALUS_API talus_status talus_mechanism_get(const talus_mechanism *mechanism, double *coordinate,
                                           double *velocity);
/* Forces along the velocities (motor torques of the caller's), N m or N, until changed; NULL:
 * none. */
TALUS_API talus_status talus_mechanism_apply(talus_mechanism *mechanism, const double *force);
/* Adds a force (world frame, N) at a point fixed in the link, and a moment (N m; may be NULL). They
 * stay until talus_mechanism_unload. Statuses: INDEX_RANGE, NOT_FINITE, OUT_OF_MEMORY. */
TALUS_API talus_status talus_mechanism_load(talus_mechanism *mechanism, int32_t link,
                                            const double *point, const double *force,
                                            const double *moment);
TALUS_API talus_status talus_mechanism_unload(talus_mechanism *mechanism);
/* New values for a link's motor, one per coordinate. Statuses: INDEX_RANGE, BAD_SETTING, CALL_ORDER
 * (no motor). */
TALUS_API talus_status talus_mechanism_drive(talus_mechanism *mechanism, int32_t link,
                                             const double *rate, const double *target,
                                             double effort);

/* ---- kinematics ------------------------------------------------------------------------------ */

/* Origin and orientation of a link's frame, its linear velocity at the origin and its angular one
 * (6). Each result may be NULL. Statuses: INDEX_RANGE. */
TALUS_API talus_status talus_mechanism_pose(talus_mechanism *mechanism, int32_t link,
                                            double *position, double *orientation,
                                            double *velocity);
/* Position and velocity (world frame) of a point given in the link's frame. */
TALUS_API talus_status talus_mechanism_point(talus_mechanism *mechanism, int32_t link,
                                             const double *point, double *position,
                                             double *velocity);
/* [6 n] row-major, n = velocity_count: linear velocity of the point, then angular velocity of the
 * link, both in the world frame, per joint velocity. */
TALUS_API talus_status talus_mechanism_jacobian(talus_mechanism *mechanism, int32_t link,
                                                const double *point, double *jacobian);

typedef struct talus_mechanism_balance {
  uint32_t struct_size;       /* set by talus_mechanism_balance_default */
  double mass, centre[3];     /* of all links, and of mass; m */
  double kinetic, potential;  /* J; potential zero at the origin of the world */
  double momentum[3];         /* kg m/s */
  double angular_momentum[3]; /* about the origin of the world */
} talus_mechanism_balance;

TALUS_API void talus_mechanism_balance_init(talus_mechanism_balance *balance, size_t size);
static inline talus_mechanism_balance talus_mechanism_balance_default(void) {
  talus_mechanism_balance balance;
  talus_mechanism_balance_init(&balance, sizeof balance);
  return balance;
}
TALUS_API talus_status talus_mechanism_measure(talus_mechanism *mechanism,
                                               talus_mechanism_balance *balance);

/* ---- dynamics -------------------------------------------------------------------------------- */

/* dv/dt, n values, without contacts, limits and motors. Statuses: OUT_OF_MEMORY, NEGATIVE_MASS (a
 * configuration whose inertia cannot be factored, naming the joint). */
TALUS_API talus_status talus_mechanism_accelerate(talus_mechanism *mechanism,
                                                  talus_dynamics dynamics, double *acceleration);
/* M, and its inverse (by articulated bodies, O(n^2)): [n n]. */
TALUS_API talus_status talus_mechanism_mass_matrix(talus_mechanism *mechanism, double *mass);
TALUS_API talus_status talus_mechanism_inverse_mass(talus_mechanism *mechanism, double *inverse);

/* A point of a link, in its frame. */
typedef struct talus_link_point {
  int32_t link;
  double point[3];
} talus_link_point;

/* The acceleration of points as a linear function of forces there, all in the world frame:
 *   a = response f + free,   free [3 count], response [3 count x 3 count] row-major.
 * response is the operational-space inverse inertia J M^-1 J^T. ARTICULATED finds it by recursion
 * along the tree in O(links) + O(count^2), without M. Either result may be NULL. */
TALUS_API talus_status talus_mechanism_response(talus_mechanism *mechanism, talus_dynamics dynamics,
                                                const talus_link_point *point, int32_t count,
                                                double *response, double *free);

/* The same for many mechanisms at once, each once and all of this context, whatever their trees.
 * One per thread at a time; CONQUER goes to the context's device, if it has one and there are 256
 * of them (or the device was asked for by name). Results have the same bits on a device, on any
 * number of threads, and as the calls for one. The message names the first mechanism that failed;
 * the others have their results, except that with CONQUER nothing is found if one's points are
 * refused. Statuses: those for one, INVALID_ARGUMENT (another context), DEVICE_ERROR. */
TALUS_API talus_status talus_mechanism_accelerate_batch(talus_context *context,
                                                        talus_dynamics dynamics, int32_t count,
                                                        talus_mechanism *const *mechanism,
                                                        double *const *acceleration);
/* response and free, and any of their elements, may be NULL. */
TALUS_API talus_status talus_mechanism_response_batch(talus_context *context,
                                                      talus_dynamics dynamics, int32_t count,
                                                      talus_mechanism *const *mechanism,
                                                      const talus_link_point *const *point,
                                                      const int32_t *point_count,
                                                      double *const *response, double *const *free);

typedef enum talus_scheme {
  TALUS_SCHEME_EXPLICIT_EULER = 0, /* both rates at the old state: first order, gains energy */
  TALUS_SCHEME_EULER = 1,          /* semi-implicit: positions follow the new velocities */
  TALUS_SCHEME_RUNGE_KUTTA = 2,    /* the classical one of fourth order */
  TALUS_SCHEME_MIDPOINT = 3        /* Moreau's: half a step of the way, forces there, the other half
                                      with the new velocities; second order where no force depends
                                      on velocities */
} talus_scheme;

/* One step of free motion: gravity, damping, applied forces and loads. Statuses: BAD_SETTING, those
 * of accelerate, NOT_FINITE (the state is then as before the step). */
TALUS_API talus_status talus_mechanism_step(talus_mechanism *mechanism, talus_scheme scheme,
                                            double seconds);

/* ---- contact --------------------------------------------------------------------------------- */

/* A loop that is closed by rows: the point of a and the point of b stay together along some
 * directions, and b does not turn about some axes of a. (A loop in the plane holds two directions:
 * a third row would say nothing.) */
typedef struct talus_loop_def {
  uint32_t struct_size;        /* set by talus_loop_def_default */
  int32_t mechanism_a, link_a; /* which of the coupling's; link TALUS_NONE = the world */
  int32_t mechanism_b, link_b;
  double point_a[3], point_b[3]; /* in the links' frames */
  int32_t direction_count;       /* 0 .. 3, with turn_count at least 1; default 3 */
  double direction[9];           /* unit, in a's frame; default x y z */
  int32_t turn_count;            /* 0 .. 3; default 0 */
  double turn[9];                /* unit, in a's frame; default x y z */
  double orientation[4];         /* of b's frame in a's when closed; default 1 0 0 0 */
} talus_loop_def;

TALUS_API void talus_loop_def_init(talus_loop_def *def, size_t size);
static inline talus_loop_def talus_loop_def_default(void) {
  talus_loop_def def;
  talus_loop_def_init(&def, sizeof def);
  return def;
}

/* A contact as found by the caller: world frame, normal from a to b. */
typedef struct talus_touch {
  int32_t mechanism_a, link_a; /* link TALUS_NONE = the ground */
  int32_t mechanism_b, link_b;
  double point[3], normal[3];
  double gap; /* m, > 0 apart */
  double friction;
  double restitution; /* Newton's or Poisson's, as the coupling has it */
  double tangent[3];  /* the first tangent, made square to the normal; 0 0 0: chosen. A coupling of
                         dimension 2 needs it: the way along which points can slide */
} talus_touch;

typedef struct talus_coupling talus_coupling;

typedef struct talus_coupling_def {
  uint32_t struct_size; /* set by talus_coupling_def_default */
  talus_form form;      /* BLOCKS: Jacobians against M^-1. DELASSUS: W by recursion, without M; for
                           few contacts on long chains. Default BLOCKS */
  double step;          /* s; default 1e-3 */
  double gap_clamp;     /* deeper gaps count as this one, m, <= 0; default 0: what is in contact is
                           held at velocity level only */
  double restitution_speed; /* slower impacts are plastic, m/s; default 0.02 */
  double correction;        /* share of a loop's or stop's error removed per step, 0 .. 1; default
                           0.2 */
  int32_t dimension;        /* rows per contact: 3; 2 in a plane, where all cones are the same; or 1
                           without friction. Default 3 */
  int32_t mechanism_count;
  talus_mechanism *const *mechanism; /* [mechanism_count], borrowed until the coupling's end */
  int32_t loop_count;
  const talus_loop_def *loop;    /* [loop_count], copied */
  talus_restitution restitution; /* NEWTON (default): in one problem; together with friction it
                                    creates energy without bound where an impact jams. POISSON: in a
                                    second one, see talus_coupling_rebound */
  int32_t drift; /* 1: a contact's velocity at the end of the step has step dJ/dt v in
                                 it, so that it is second-order right for steps by RUNGE_KUTTA;
                                 default 0, for the others */
} talus_coupling_def;

TALUS_API void talus_coupling_def_init(talus_coupling_def *def, size_t size);
static inline talus_coupling_def talus_coupling_def_default(void) {
  talus_coupling_def def;
  talus_coupling_def_init(&def, sizeof def);
  return def;
}
/* Statuses: STRUCT_SIZE, BAD_SETTING, INVALID_ARGUMENT, INDEX_RANGE, NORMAL_LENGTH, IMMOVABLE_PAIR,
 * OUT_OF_MEMORY. */
TALUS_API talus_status talus_coupling_create(talus_context *context, const talus_coupling_def *def,
                                             talus_coupling **coupling);
/* Accepts NULL. */
TALUS_API void talus_coupling_destroy(talus_coupling *coupling);
/* The contact problem of one step from the mechanisms' present state: velocities after a step of
 * all other forces; contacts as given; then bilateral rows: loops, and for each joint friction,
 * motor, lower and upper stops. Its arrays belong to the coupling and hold until its next call. A
 * contact that closes within the step faster than restitution_speed rebounds; others have the bias
 * gap/step. problem is written as a whole, but must come from talus_problem_default (STRUCT_SIZE),
 * here and in talus_coupling_rebound. */
TALUS_API talus_status talus_coupling_build(talus_coupling *coupling, const talus_touch *touch,
                                            int32_t count, talus_problem *problem);
/* Before the build of a step by MIDPOINT: positions go half a step ahead with the present
 * velocities; contacts are to be found there. The step must then end by MIDPOINT. Statuses:
 * CALL_ORDER. */
TALUS_API talus_status talus_coupling_halfway(talus_coupling *coupling);
/* POISSON, after a build and with the impulses found for its problem: the problem of the second
 * phase. Velocities are those after the first one and after e times the normal impulses of contacts
 * that struck, which carry no friction of their own; motors and friction of joints have what the
 * first phase left of their bounds. It has no rows if nothing rebounds:
 * then the step ends with the impulses of the first problem, else with those of this one. Statuses:
 * CALL_ORDER, NOT_FINITE, OUT_OF_MEMORY. */
TALUS_API talus_status talus_coupling_rebound(talus_coupling *coupling, const double *impulse,
                                              const double *bilateral_impulse,
                                              talus_problem *problem);
/* Ends the step with the impulses that were found for the last problem. EULER, MIDPOINT: velocities
 * jump, positions follow. RUNGE_KUTTA: impulse/step acts as a constant force over one such step
 * (Bhalerao, Crean and Anderson; made for contacts without friction or impacts; not after a
 * rebound). Statuses: CALL_ORDER, NOT_FINITE. */
TALUS_API talus_status talus_coupling_advance(talus_coupling *coupling, talus_scheme scheme,
                                              const double *impulse,
                                              const double *bilateral_impulse);

/* ---- many at once ---------------------------------------------------------------------------- */

/* Finds the contacts of a coupling in its present state (halfway of a step by MIDPOINT): writes up
 * to `capacity` of them and returns how many there are; if those are more, it is asked again. A
 * negative number gives the step up. Several threads call it at once, for different couplings; it
 * may read their mechanisms (talus_mechanism_point ...) and must not change them. */
typedef int32_t (*talus_touch_find)(void *user, int32_t index, talus_touch *touch,
                                    int32_t capacity);

typedef struct talus_fleet talus_fleet;

/* Many couplings that know nothing of each other (copies of a robot, say), stepped together. */
typedef struct talus_fleet_def {
  uint32_t struct_size; /* set by talus_fleet_def_default */
  int32_t count;
  talus_coupling *const *coupling; /* [count], borrowed until the fleet's end; all of the fleet's
                                      context, no mechanism in two of them */
  talus_touch_find find;           /* NULL: no contacts */
  void *user;
  talus_scheme scheme; /* EULER (default), MIDPOINT, or RUNGE_KUTTA (only without POISSON) */
  union {
    talus_settings settings; /* of the solves; threads: of the fleet, 0 = the context's. Default: as
                                talus_settings_default, to 1e-9 */
    uint64_t settings_room[64];
  };
  double accept; /* a solve that misses the tolerance is used if its measure is at most
                               this, and counted; a worse one fails the step; default 1e-6 */
} talus_fleet_def;

typedef struct talus_fleet_report {
  uint32_t struct_size;     /* set by talus_fleet_report_default */
  int64_t solves, contacts; /* problems solved, and contacts in them */
  int64_t missed;           /* solves that missed the tolerance */
  double measure;           /* the worst of those that were used */
  double depth;             /* deepest contact found, m */
  int64_t failed;           /* couplings whose step failed */
  int32_t first_failed;     /* the first of them, or TALUS_NONE */
  int32_t unused;           /* fills the struct up to its size */
} talus_fleet_report;

TALUS_API void talus_fleet_def_init(talus_fleet_def *def, size_t size);
static inline talus_fleet_def talus_fleet_def_default(void) {
  talus_fleet_def def;
  talus_fleet_def_init(&def, sizeof def);
  def.settings.struct_size = (uint32_t)sizeof def.settings;
  return def;
}
TALUS_API void talus_fleet_report_init(talus_fleet_report *report, size_t size);
static inline talus_fleet_report talus_fleet_report_default(void) {
  talus_fleet_report report;
  talus_fleet_report_init(&report, sizeof report);
  return report;
}
/* Statuses: STRUCT_SIZE, INVALID_ARGUMENT, BAD_SETTING, OUT_OF_MEMORY, those of
 * talus_solver_create. */
TALUS_API talus_status talus_fleet_create(talus_context *context, const talus_fleet_def *def,
                                          talus_fleet **fleet);
/* Accepts NULL. */
TALUS_API void talus_fleet_destroy(talus_fleet *fleet);
/* So many steps of every coupling, each as build, solve, (rebound, solve), advance would do it; the
 * report (may be NULL) is of this call. A thread takes one coupling through all steps, so that
 * couplings are at different times while it goes on; from the second call of a size on nothing is
 * allocated. On a device, if the context has one and the method is for it (see talus_solve_batch),
 * all go step by step: problems are solved there, and accelerations found of mechanisms whose
 * dynamics are CONQUER. The bits are the same on a device and on any number of threads.
 * A coupling whose step fails stays before that step and takes no further part in the call; the
 * others go on. Statuses: that of the first which failed, the message naming it: STEP_FAILED
 * (accept, or find gave up) and those of build and advance; OUT_OF_MEMORY, DEVICE_ERROR. */
TALUS_API talus_status talus_fleet_step(talus_fleet *fleet, int32_t steps,
                                        talus_fleet_report *report);

/* ---- mechanisms in a world ------------------------------------------------------------------- */

/* Adds a mechanism to a world. Each link becomes a body of the type TALUS_BODY_LINK: shapes, joints
 * and forces of talus_world.h go to it by its id, contacts name it, and all enter the one problem
 * of a step. Its position is the link's centre of mass; shapes are placed in the link's frame; mass
 * and inertia are the def's, whatever the shapes. Gravity is the world's. Loops are closed within
 * this mechanism or to the world: mechanism_a and mechanism_b are not read (talus_joint_add closes
 * others). In a world that is a plane no joint may leave it. Statuses: those of
 * talus_mechanism_create and talus_coupling_create, UNSUPPORTED (plane). */
TALUS_API talus_status talus_world_add_mechanism(talus_world *world, const talus_mechanism_def *def,
                                                 const talus_loop_def *loop, int32_t loop_count,
                                                 int32_t *mechanism);
/* Says which fixed body is the base of a mechanism: links that hang on the base are its neighbours
 * and do not collide with it. TALUS_NONE (default): none. Statuses: INDEX_RANGE, CALL_ORDER (not
 * fixed). */
TALUS_API talus_status talus_world_set_base(talus_world *world, int32_t mechanism, int32_t body);
TALUS_API int32_t talus_world_mechanism_count(const talus_world *world);
/* The world's mechanism, to read and set its state and to drive it between steps; it belongs to the
 * world. NULL if there is none. */
TALUS_API talus_mechanism *talus_world_mechanism(const talus_world *world, int32_t mechanism);
/* The body of a link; TALUS_NONE if there is none. */
TALUS_API int32_t talus_link_body(const talus_world *world, int32_t mechanism, int32_t link);
/* The link that a body is; 0 (and TALUS_NONE in both) if it is none. Either may be NULL. */
TALUS_API int talus_body_link(const talus_world *world, int32_t body, int32_t *mechanism,
                              int32_t *link);

#ifdef __cplusplus
}
#endif
#endif
