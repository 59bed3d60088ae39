/* talus_world.h: door 1. Bodies, shapes, joints and time; each step builds a contact problem and
 * goes through door 2 (talus_solve.h).
 *
 * Units: any consistent set; SI in the comments. Lengths m, mass kg, time s. Frames: world, right
 * handed; orientation as a unit quaternion w x y z that turns body coordinates into the world's; a
 * body's position is its centre of mass. Ids are small integers, valid until the thing is removed,
 * and never used again: an id that was kept too long names nothing, and no other thing. What a
 * world costs, in memory and time, depends on what it holds, not on what it has held.
 *
 * A step: forces and gravity change velocities, contacts are found, the solver finds impulses,
 * positions follow the velocities after them. A contact whose gap is within the slop carries no
 * bias; deeper penetration and joint drift are corrected by a separate projection of positions.
 * Contacts of soft materials are springs instead, along and across the normal.
 * Angular momenta of bodies are kept, and joints lead along their curves to second order: a
 * pendulum keeps its energy. EULER's velocities are those in the middle of the step, so that sums
 * of kinetic and potential energy go to and fro by the work of half a step; MIDPOINT's are at its
 * end. */
#ifndef TALUS_WORLD_H
#define TALUS_WORLD_H

#include "talus_solve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct talus_world talus_world;

#define TALUS_NONE (-1)

/* ---- the world ------------------------------------------------------------------------------- */

typedef enum talus_integrator {
  TALUS_INTEGRATOR_EULER = 0,   /* semi-implicit: contacts at the old positions */
  TALUS_INTEGRATOR_MIDPOINT = 1 /* Moreau: contacts at positions half a step ahead; for bodies that
                                   move less than their radius in a step */
} talus_integrator;

typedef enum talus_stabilisation {
  TALUS_STABILISE_PROJECTION = 0, /* slop, and a position-level projection beyond it */
  TALUS_STABILISE_BIAS = 1,       /* bias gap/dt, capped at bias_cap when negative */
  TALUS_STABILISE_NONE = 2
} talus_stabilisation;

typedef enum talus_restitution {
  TALUS_RESTITUTION_NEWTON = 0, /* u_n after = -e u_n before, on closed contacts */
  TALUS_RESTITUTION_POISSON = 1 /* two phases: compression, then e times its impulse given back */
} talus_restitution;

/* What becomes of a step whose contact solve ends above the tolerance. Whatever is chosen here, a
 * step whose impulses would be no better than none, whose numbers end, or in which bodies would
 * sink (penetration_limit) is cut in two, up to four times (STOP: not at all), and then fails. */
typedef enum talus_miss {
  TALUS_MISS_DEFAULT = 0,  /* CONTINUE; HALVE if `accept` is given */
  TALUS_MISS_CONTINUE = 1, /* go on with the best impulses found; the report tells */
  TALUS_MISS_HALVE = 2,    /* above `accept`: ten times the iterations, then the step is cut in two
                           ... */
  TALUS_MISS_STOP = 3      /* above `accept`: ten times the iterations, then the step fails */
} talus_miss;

/* How contacts give way whose materials have neither stiffness nor young. */
typedef enum talus_softness {
  TALUS_SOFTNESS_RIGID = 0,
  TALUS_SOFTNESS_AUTO = 1 /* k = E R, 1/R = 1/r + 1/r', E chosen once, by the bodies there are in
                             the first step: so stiff that the compliance of a contact between two
                             typical grains is 2 % of its W in a step, and at least 1000 times the
                             pressure at the bottom */
} talus_softness;

typedef struct talus_world_def {
  uint32_t struct_size; /* set by talus_world_def_default */
  double gravity[3];    /* m/s2; default 0 0 -9.81 */
  double step;          /* s; default 1e-3 */
  int32_t substeps;     /* a step is cut into so many; default 1 */
  talus_integrator integrator;
  talus_stabilisation stabilisation;
  talus_restitution restitution;
  int32_t plane;   /* 1: motion in the x-z plane only (disks and polygons); default 0 */
  double slop;     /* of the smaller radius of a pair; default 2e-4 */
  double margin;   /* contacts are made below this gap, of the mean radius; the speed times
                               the step is added. Default 0.02 */
  double bias_cap; /* m/s, TALUS_STABILISE_BIAS; default 0.6 */
  double
      restitution_speed; /* below it impacts are plastic, m/s; default 0: 2 |gravity| step, or what
                               the stress that a cell follows gives a grain in two steps */
  double tolerance;      /* error aimed at each step; default 0: 1e-4 */
  double accept;         /* error above which on_miss HALVE and STOP act; default 0: 10
                               tolerance */
  union {
    talus_settings solver; /* law, method, precision, threads ... of the contact solves;
                              tolerance and warm_start are the world's. max_iterations: default
                              0: 200, or 2000 if the tolerance is below the default or there are
                              bonds. precision: default AUTO: F64 on the CPU. Positions and all that
                              is not of the solve's iterations have double precision */
    uint64_t solver_room[64];
  };
  uint64_t seed;            /* of inlets and random generators; default 1 */
  talus_miss on_miss;       /* see talus_miss */
  double penetration_limit; /* a contact may become deeper in a step by this, of the smaller radius;
                               default 0.05; INFINITY: no limit */
  double velocity_scale;    /* m/s, of each step's problem (talus_solve.h): what the error is
                               relative to where nothing presses. Default 0: a tenth of what gravity
                               and forces change in the step plus 100 times the mean relative speed
                               at contacts */
  talus_softness softness;  /* default RIGID */
  int32_t unused;           /* 0 */
  double brick_size; /* m: edge of the bricks (talus_solve.h) by which steps are solved; eight
                               diameters are a good one. In a context with ranks (talus_ranks.h)
                               they spread the solves, which give the same without ranks. Default 0:
                               none */
} talus_world_def;

TALUS_API void talus_world_def_init(talus_world_def *def, size_t size);
static inline talus_world_def talus_world_def_default(void) {
  talus_world_def def;
  talus_world_def_init(&def, sizeof def);
  def.solver.struct_size = (uint32_t)sizeof def.solver;
  return def;
}
/* Statuses: STRUCT_SIZE, BAD_SETTING (naming the field), OUT_OF_MEMORY. */
TALUS_API talus_status talus_world_create(talus_context *context, const talus_world_def *def,
                                          talus_world **world);
/* Accepts NULL. */
TALUS_API void talus_world_destroy(talus_world *world);
/* The def by which the world goes, defaults in place of zeros that stand for them; its dump_path is
 * the world's. def comes from talus_world_def_default. Statuses: INVALID_ARGUMENT, STRUCT_SIZE. */
TALUS_API talus_status talus_world_get(const talus_world *world, talus_world_def *def);

/* Other settings from the next step on: gravity, law, tolerances ...; def is as for
 * talus_world_create, zeros stand for defaults again, and so does what talus_world_get gave for a
 * zero: def may come from there. step, plane, seed and softness stay; solver.dump and dump_path are
 * changed by talus_world_dump alone.
 * Statuses: INVALID_ARGUMENT, STRUCT_SIZE, BAD_SETTING (naming the field). */
TALUS_API talus_status talus_world_set(talus_world *world, const talus_world_def *def);

/* ---- materials ------------------------------------------------------------------------------- */

/* How surface energy becomes a pull-off force: 3/2 pi w R (soft grains: Johnson, Kendall and
 * Roberts) or 2 pi w R (hard ones: Derjaguin, Muller and Toporov); 1/R = 1/r_a + 1/r_b. */
typedef enum talus_adhesion {
  TALUS_ADHESION_JKR = 0,
  TALUS_ADHESION_DMT = 1 /* between two materials that both say so */
} talus_adhesion;

/* Cohesion: a pair of shapes that touches carries tension up to its pull-off force, and friction up
 * to friction times (force + pull-off); points of contact share it. A liquid bridge forms where two
 * touch, pulls with 4 pi R surface_tension cos(contact_angle) and, once they part, with less and
 * less until it ruptures (Willett et al. 2000). r: radius of the largest ball inside a shape. */
typedef struct talus_material_def {
  uint32_t struct_size;
  double density;     /* kg/m3; default 2500 */
  double friction;    /* 0 .. 1e6, default 0.5; a pair takes the smaller unless told otherwise */
  double restitution; /* default 0; a pair takes the larger */
  double pull_off;    /* N; default 0; a pair takes the smaller */
  double
      surface_energy; /* J/m2, g; default 0; the work of adhesion of a pair is w = 2 sqrt(g g') */
  double surface_tension;  /* N/m, of the liquid; default 0; a pair takes the larger */
  double contact_angle;    /* rad, 0 .. 1.57, of the liquid; default 0; a pair takes the larger */
  double bridge_volume;    /* m3, of liquid in each bridge; default 0; a pair takes the larger */
  talus_adhesion adhesion; /* default JKR */
  int32_t rigid; /* 1: contacts between two such materials are rigid whatever softness says;
                              beside another the other decides. Not with stiffness, young. Default
                              0 */
  /* Contacts that give way: no slop, no projection, restitution by the impulse law as long as the
   * step is too long to resolve an impact, by a damper else (below 0.15: critical). Rigid if
   * neither is given. */
  double stiffness; /* N/m, linear; default 0: none; a pair takes the smaller one given */
  double young;     /* Pa, Hertz; default 0: none; not with stiffness */
  double poisson;   /* 0 .. 0.5; default 0.25 */
  /* Contacts that resist rolling and spinning: a torque of at most this length times the normal
   * force. Lengths, m, or fractions of the reduced radius 1/R = 1/r_a + 1/r_b (flat walls: the
   * grain's own), not both; default 0; a pair takes the smaller length. Not with mechanisms. */
  double rolling_friction, spinning_friction;
  double rolling_fraction, spinning_fraction;
  /* Friction that differs by direction: `friction` holds along friction_direction, which is fixed
   * to the body, this across it; default 0: the same in all directions. A pair has its own friction
   * along, and across it times the ratio of the material that has a direction; of two, that with
   * the smaller friction decides. Not with mechanisms. */
  double cross_friction;
  double friction_direction[3]; /* body frame, any length */
} talus_material_def;

TALUS_API void talus_material_def_init(talus_material_def *def, size_t size);
static inline talus_material_def talus_material_def_default(void) {
  talus_material_def def;
  talus_material_def_init(&def, sizeof def);
  return def;
}
/* E of softness AUTO, Pa, and the overlap of a typical grain that rests on another, in radii; both
 * 0 if nothing is soft by AUTO, or no free body is there yet. */
TALUS_API talus_status talus_world_softness(talus_world *world, double *modulus, double *overlap);
TALUS_API talus_status talus_material_add(talus_world *world, const talus_material_def *def,
                                          int32_t *material);
/* Other values for a material, from the next step on; the density stays. Statuses: INDEX_RANGE,
 * STRUCT_SIZE, BAD_SETTING. */
TALUS_API talus_status talus_material_set(talus_world *world, int32_t material,
                                          const talus_material_def *def);
/* What two materials do to each other, instead of the rule. */
TALUS_API talus_status talus_material_pair(talus_world *world, int32_t a, int32_t b,
                                           double friction, double restitution);

/* ---- periodic cell --------------------------------------------------------------------------- */

/* A part of space that goes on in its own copies. What leaves it through a periodic face comes back
 * through the opposite one; contacts reach across. It may shear (Lees and Edwards) and be stretched
 * at a given rate; when the rate changes, bodies are given the change of the mean motion. Or sides
 * follow a stress: they then move as walls do that weigh four times what the bodies weigh, slowed
 * down within fifty steps; contacts have to be soft for that (softness, stiffness, young). Fixed
 * and kinematic bodies are repeated, half-spaces go on. Joints and bonds hold the nearest image of
 * body b. Not with mechanisms. */
typedef struct talus_cell {
  uint32_t struct_size; /* set by talus_cell_default */
  uint32_t periodic;    /* bits 0, 1, 2: along x, y, z; default 0: no cell */
  double origin[3];     /* m: the corner with the lowest coordinates */
  double edge[6];    /* m: lengths xx yy zz, lean xy xz yz: edges (xx 0 0), (xy yy 0), (xz yz zz) */
  double rate[6];    /* 1/s: velocity gradient dvx/dx, dvy/dy, dvz/dz, dvx/dy, dvx/dz, dvy/dz */
  uint32_t servo;    /* bits 0 .. 5, as in `rate`: rates that follow a stress; default 0 */
  uint32_t unused;   /* 0 */
  double stress[3];  /* Pa: xx yy zz that are to be carried, compression > 0 */
  double rate_limit; /* 1/s: rates with a servo are no faster; default 10 */
  double shear_stress[3]; /* Pa: xy xz yz that are to be carried, with signs as in
                             talus_world_stress: below 0 where the cell is to shear with
                             dvx/dy, dvx/dz or dvy/dz above 0 */
} talus_cell;

TALUS_API void talus_cell_init(talus_cell *cell, size_t size);
static inline talus_cell talus_cell_default(void) {
  talus_cell cell;
  talus_cell_init(&cell, sizeof cell);
  return cell;
}
/* Gives the world a cell, or changes it: rates, servos and stresses at any time. Statuses:
 * STRUCT_SIZE, BAD_SETTING (naming the member), UNSUPPORTED (mechanisms). A body
 * that is too large for the cell, or a servo on rigid contacts, makes the next step fail with
 * UNSUPPORTED. */
TALUS_API talus_status talus_world_set_cell(talus_world *world, const talus_cell *cell);
/* The cell as it is now; lean is kept within half a length by choosing other edges of the same
 * lattice. Statuses: STRUCT_SIZE. */
TALUS_API talus_status talus_world_cell(const talus_world *world, talus_cell *cell);
/* Mean stress in the cell during the last step, Pa, row-major, compression > 0: of contacts, joints
 * and bonds, and of velocities beyond the mean motion. Statuses: CALL_ORDER (no cell). */
TALUS_API talus_status talus_world_stress(const talus_world *world, double stress[9]);

/* ---- bodies and shapes ----------------------------------------------------------------------- */

typedef enum talus_body_type {
  TALUS_BODY_FREE = 0,
  TALUS_BODY_FIXED = 1,
  TALUS_BODY_KINEMATIC = 2, /* moves as its motions say, whatever touches it */
  TALUS_BODY_LINK = 3 /* of a mechanism: made by talus_world_add_mechanism, never by talus_body_add;
                         its state is the mechanism's (talus_body_set and _remove: CALL_ORDER) */
} talus_body_type;

typedef struct talus_body_def {
  uint32_t struct_size;
  talus_body_type type;
  double position[3];    /* of the origin of the frame in which its shapes are placed */
  double orientation[4]; /* default 1 0 0 0 */
  double velocity[3];    /* of the centre of mass, m/s */
  double spin[3];        /* angular velocity, world frame, rad/s */
  int32_t group;         /* 0 .. 31; default 0 */
  uint32_t collides;     /* bit g: collides with group g; both sides must agree. Default all */
} talus_body_def;

TALUS_API void talus_body_def_init(talus_body_def *def, size_t size);
static inline talus_body_def talus_body_def_default(void) {
  talus_body_def def;
  talus_body_def_init(&def, sizeof def);
  return def;
}
TALUS_API talus_status talus_body_add(talus_world *world, const talus_body_def *def, int32_t *body);
/* Its shapes, motions and bonds go with it. Statuses: INDEX_RANGE, CALL_ORDER (a joint holds it, or
 * it is a link). */
TALUS_API talus_status talus_body_remove(talus_world *world, int32_t body);

typedef enum talus_shape_kind {
  TALUS_SHAPE_SPHERE = 0,
  TALUS_SHAPE_BOX = 1,
  TALUS_SHAPE_CAPSULE = 2,   /* axis z, half length of the segment between the caps' centres */
  TALUS_SHAPE_CYLINDER = 3,  /* axis z */
  TALUS_SHAPE_HULL = 4,      /* convex hull of points */
  TALUS_SHAPE_HALFSPACE = 5, /* solid below the plane through the shape's origin with normal z */
  TALUS_SHAPE_MESH = 6       /* triangles; for fixed and kinematic bodies */
} talus_shape_kind;

typedef struct talus_shape_def {
  uint32_t struct_size;
  talus_shape_kind kind;
  int32_t material;
  double position[3]; /* in the frame in which the body was defined: its origin was
                         talus_body_def.position, its axes those of the body */
  double orientation[4];
  double radius;       /* sphere, capsule, cylinder */
  double half_length;  /* capsule, cylinder */
  double half_edge[3]; /* box */
  const double *point; /* hull, mesh: [3 point_count], copied */
  int32_t point_count;
  const int32_t *triangle; /* mesh: [3 triangle_count] points, counter-clockwise seen from
                              outside */
  int32_t triangle_count;
  int32_t unused; /* fills the struct up to its size */
} talus_shape_def;

TALUS_API void talus_shape_def_init(talus_shape_def *def, size_t size, talus_shape_kind kind);
static inline talus_shape_def talus_shape_def_default(talus_shape_kind kind) {
  talus_shape_def def;
  talus_shape_def_init(&def, sizeof def, kind);
  return def;
}
/* Adds a shape to a body; several make a clump, whatever their order. Mass, centre of mass and
 * inertia of a free body follow from shapes and densities (parts may overlap: their masses add up).
 * The body's position, which begins as the origin of the frame in which it was defined, moves to
 * the centre of mass with each shape; shapes and joints stay where they are, and later shapes are
 * still placed in the frame of definition, wherever the body has gone since. Velocity is always
 * that of the centre of mass. Fixed and kinematic bodies keep their position. Mass and inertia of a
 * free body's shape have to lie between 1e-290 and 1e290 (BAD_SETTING): below, it could not be
 * moved. */
TALUS_API talus_status talus_shape_add(talus_world *world, int32_t body, const talus_shape_def *def,
                                       int32_t *shape);

/* ---- time ------------------------------------------------------------------------------------ */

typedef struct talus_step_report {
  uint32_t struct_size;                  /* set by talus_step_report_default */
  double time;                           /* at the end of the step, s */
  int64_t step;                          /* steps made so far */
  int32_t contact_count, touching_count; /* considered; with an impulse */
  double epsilon;                        /* of the step's law; the worst of its sub-steps */
  double epsilon_other;                  /* of the other law */
  talus_outcome outcome;
  int32_t accepted; /* 1: the error is above the tolerance, and the step went on (on_miss) */
  int32_t halvings; /* how often the step had to be cut */
  int64_t iterations, passes;
  double penetration_mean, penetration_max; /* over touching contacts, m */
  double kinetic, potential;                /* J */
  double work_contacts;                     /* J: done by contact impulses in this step */
  double work_forces;                       /* J: by applied forces and gravity */
  double work_motion;                       /* J: by kinematic bodies */
  double energy_error;   /* kinetic after - before - all work, over the largest of them */
  double momentum_error; /* momentum after - before - all impulses, over the sum of their sizes; of
                             mechanisms along their joint velocities, the worst */
  double coordination;   /* touching contacts per free body, times two */
  double seconds, seconds_collide, seconds_build, seconds_solve, seconds_project;
  double work_joints; /* J: by joints on free bodies: motors, friction, stops, kinematic bodies;
                             by motors, friction, stops and loops of mechanisms */
  int32_t singular;   /* rows of the mechanisms' loops that say nothing new where the links
                             stand (a flat four-bar; the third direction of a loop in a plane): they
                             go on without them. The worst of its sub-steps */
  double error;       /* what the tolerance was compared with; the worst of its sub-steps */
  int32_t bond_count, bonds_broken; /* at the end of the step; in it */
  int32_t uncertified; /* solves of the step that no certificate judged (solver.certify): epsilon
                              and error are then the solver's own, epsilon_other is not a number */
  int32_t unused;
  talus_precision precision; /* of the iterations, never AUTO */
  int32_t resident; /* 1: the step was made in the memory of a device (talus_world_device_steps) */
} talus_step_report;

TALUS_API void talus_step_report_init(talus_step_report *report, size_t size);
static inline talus_step_report talus_step_report_default(void) {
  talus_step_report report;
  talus_step_report_init(&report, sizeof report);
  return report;
}
/* One step. Statuses: OUT_OF_MEMORY, NOT_FINITE (a body left the range of numbers; the message
 * names it), STEP_FAILED (the solve missed `accept` after every measure; the bodies are as they
 * were before the step). report may be NULL. */
TALUS_API talus_status talus_world_step(talus_world *world, talus_step_report *report);

/* Steps that were made in the memory of a device; reason: NULL, or is set to why the last step was
 * not one of them ("the backend is cpu", "joints", ...), NULL if it was, or none was made. */
TALUS_API int64_t talus_world_device_steps(const talus_world *world, const char **reason);
TALUS_API double talus_world_time(const talus_world *world);
TALUS_API int64_t talus_world_steps(const talus_world *world);

/* ---- reading back ---------------------------------------------------------------------------- */

typedef struct talus_body_state {
  double position[3], orientation[4], velocity[3], spin[3];
} talus_body_state;

/* In a context with ranks all ranks make the calls for bodies and shapes, but for
 * talus_body_capacity, talus_body_count and talus_shape_capacity. Bodies ever added; ids run from 0
 * to this. */
TALUS_API int32_t talus_body_capacity(const talus_world *world);
/* Bodies that exist. */
TALUS_API int32_t talus_body_count(const talus_world *world);
/* The existing body with the next larger id, TALUS_NONE if there is none; from TALUS_NONE the
 * first: for (int32_t b = talus_body_after(world, TALUS_NONE); b != TALUS_NONE; b =
 * talus_body_after(world, b)) goes through all that exist, also while it removes them. */
TALUS_API int32_t talus_body_after(const talus_world *world, int32_t body);
TALUS_API int talus_body_exists(const talus_world *world, int32_t body);
TALUS_API talus_status talus_body_get(const talus_world *world, int32_t body,
                                      talus_body_state *state);
TALUS_API talus_status talus_body_set(talus_world *world, int32_t body,
                                      const talus_body_state *state);
TALUS_API talus_body_type talus_body_kind(const talus_world *world, int32_t body);
TALUS_API double talus_body_mass(const talus_world *world, int32_t body);
/* Inertia in the body's frame about the centre of mass, xx xy xz yy yz zz. */
TALUS_API void talus_body_inertia(const talus_world *world, int32_t body, double inertia[6]);
/* Added to gravity until set again; world frame, N and N m. NULL: none. */
TALUS_API talus_status talus_body_force(talus_world *world, int32_t body, const double force[3],
                                        const double torque[3]);

typedef struct talus_contact {
  int32_t body_a, body_b; /* TALUS_NONE never: walls are bodies too */
  int32_t shape_a, shape_b;
  double point[3], normal[3]; /* normal from a to b */
  double gap;                 /* m */
  double impulse[3];          /* of the last step, N s, on b */
} talus_contact;

/* Contacts of the last step and their number; the array belongs to the world, valid until its next
 * call. contacts may be NULL. TALUS_NONE: no memory for the array, the context's message says
 * so. In a context with ranks all ranks call it, unless contacts is NULL. */
TALUS_API int32_t talus_world_contacts(const talus_world *world, const talus_contact **contacts);

/* ---- motions of kinematic bodies ------------------------------------------------------------- */

/* What a kinematic body does: the sum of its motions. */
typedef enum talus_motion_kind {
  TALUS_MOTION_VELOCITY = 0, /* vector: m/s */
  TALUS_MOTION_SPIN = 1,     /* vector: rad/s, about `centre` */
  TALUS_MOTION_SINUSOID = 2, /* vector: amplitude, m; position offset = vector sin(2 pi f t +
                                phase) */
  TALUS_MOTION_TABLE = 3     /* piecewise linear offsets: time[i], offset[3 i] */
} talus_motion_kind;

typedef struct talus_motion_def {
  uint32_t struct_size;
  talus_motion_kind kind;
  double vector[3];
  double centre[3];  /* SPIN: a point of the axis, world frame */
  double frequency;  /* SINUSOID: Hz */
  double phase;      /* rad */
  double begin, end; /* s; default 0 and infinity: outside it the motion rests (its offset stays) */
  const double *time, *offset; /* TABLE, copied */
  int32_t count;
  int32_t unused; /* fills the struct up to its size */
} talus_motion_def;

TALUS_API void talus_motion_def_init(talus_motion_def *def, size_t size, talus_motion_kind kind);
static inline talus_motion_def talus_motion_def_default(talus_motion_kind kind) {
  talus_motion_def def;
  talus_motion_def_init(&def, sizeof def, kind);
  return def;
}
/* Times and offsets of a body's motions count from the time 0; if it has none yet and begin is 0,
 * from now and from where it is. A motion that joins others later needs its begin: without one it
 * makes up for the time before in one step. Statuses: INDEX_RANGE, STRUCT_SIZE, BAD_SETTING,
 * CALL_ORDER (not kinematic), OUT_OF_MEMORY. */
TALUS_API talus_status talus_motion_add(talus_world *world, int32_t body,
                                        const talus_motion_def *def);

/* Takes all motions of a kinematic body away. It stays where it is; times and centres of motions
 * that are added afterwards count from now, and offsets from here. Statuses: INDEX_RANGE,
 * CALL_ORDER (not kinematic). */
TALUS_API talus_status talus_motions_clear(talus_world *world, int32_t body);

/* ---- servos of kinematic bodies -------------------------------------------------------------- */

/* A kinematic body that moves along an axis, beside its motions, until contacts press against it
 * with a force: a plate that loads a sample. Contacts have to be soft (softness, stiffness, young):
 * rigid ones carry any force, and the step fails with UNSUPPORTED.
 *
 * Area, for a pressure: `area` if it is given; else, with `across`, what the ways from across[0] to
 * across[1] and from across[2] to across[3] span, seen along the axis (positions of facing plates);
 * else the area in contact: the convex hull of the points that press, seen along the axis, widened
 * by the mean radius of the grains that touch (of shapes: of the largest ball inside). In a plane
 * world a length, one metre deep. */
typedef struct talus_servo_def {
  uint32_t struct_size; /* set by talus_servo_def_default */
  uint32_t unused;      /* 0 */
  double axis[3];       /* unit, world frame: the way in which it presses; default 0 0 1 */
  double force;         /* N, >= 0, or ... */
  double pressure;      /* Pa, >= 0: over the area */
  double area;          /* m2; default 0: by the rules above */
  double gain;          /* 0 .. 1: the share of the missing force that a step makes up for, if
                           nothing but the contacts at the plate gives way; default 0.6 */
  double speed;         /* m/s: it moves no faster; must be given */
  int32_t across[4];    /* bodies; default TALUS_NONE; in a plane world the first two count */
} talus_servo_def;

TALUS_API void talus_servo_def_init(talus_servo_def *def, size_t size);
static inline talus_servo_def talus_servo_def_default(void) {
  talus_servo_def def;
  talus_servo_def_init(&def, sizeof def);
  return def;
}
/* Gives a kinematic body a servo, changes it, or takes it away (NULL); the body goes on from where
 * it is. Statuses: INDEX_RANGE, STRUCT_SIZE, BAD_SETTING (naming the member), CALL_ORDER (a body
 * that is not kinematic). */
TALUS_API talus_status talus_servo_set(talus_world *world, int32_t body,
                                       const talus_servo_def *def);

typedef struct talus_servo_state {
  uint32_t struct_size;  /* set by talus_servo_state_default */
  uint32_t unused;       /* 0 */
  double force;          /* N: what contacts pressed with in the last (sub-)step */
  double area, pressure; /* m2, Pa */
  double travel, speed;  /* m, m/s: along the axis; the speed is that of the next step */
} talus_servo_state;

TALUS_API void talus_servo_state_init(talus_servo_state *state, size_t size);
static inline talus_servo_state talus_servo_state_default(void) {
  talus_servo_state state;
  talus_servo_state_init(&state, sizeof state);
  return state;
}
/* Statuses: INDEX_RANGE, STRUCT_SIZE, CALL_ORDER (the body has no servo). */
TALUS_API talus_status talus_servo_get(const talus_world *world, int32_t body,
                                       talus_servo_state *state);

/* ---- joints ---------------------------------------------------------------------------------- */

typedef enum talus_joint_kind {
  TALUS_JOINT_FIXED = 0,
  TALUS_JOINT_BALL = 1,
  TALUS_JOINT_HINGE = 2,   /* turns about axis */
  TALUS_JOINT_SLIDER = 3,  /* slides along axis */
  TALUS_JOINT_DISTANCE = 4 /* two points keep their distance */
} talus_joint_kind;

typedef enum talus_motor {
  TALUS_MOTOR_NONE = 0,
  TALUS_MOTOR_RATE = 1, /* drives the coordinate's rate to `rate` */
  TALUS_MOTOR_SERVO = 2 /* drives the coordinate to `target` */
} talus_motor;

/* Whether the bodies of a joint touch each other. */
typedef enum talus_joint_collide {
  TALUS_JOINT_COLLIDE_AUTO = 0, /* DISTANCE: yes; others: no, since their shapes meet at its point,
                                   where a contact and the joint would work against each other */
  TALUS_JOINT_COLLIDE_YES = 1,
  TALUS_JOINT_COLLIDE_NO = 2
} talus_joint_collide;

/* In a world with joints groups of up to 64 contacts and rows that hang together are solved
 * directly (settings.islands is 1 then). Longer chains are as good as `tolerance` and
 * max_iterations let them; a mechanism (talus_mechanism.h) has no such limit.
 *
 * The coordinate of a joint: HINGE the angle in which b has turned about the axis relative to a
 * since the joint was added, counted over whole turns as long as a step turns less than half of
 * one; SLIDER the way of b along the axis since then; DISTANCE the length; BALL the angle between
 * the axis as a and as b carry it. Stops act like contacts: they only push, and not before they are
 * reached. Motors and friction have the effort (times the step) at most, and stall beyond it. */
typedef struct talus_joint_def {
  uint32_t struct_size;
  talus_joint_kind kind;
  int32_t body_a, body_b; /* TALUS_NONE = the world */
  double point[3];        /* world frame, at the time of adding; DISTANCE: the point of a */
  double point_b[3];      /* DISTANCE: the point of b */
  double axis[3];         /* HINGE, SLIDER, BALL with a limit: unit, world frame */
  int32_t limited;        /* 1: lower <= coordinate <= upper (rad or m); DISTANCE: a rope is 0 and
                             its length; BALL: lower is 0, upper the cone's half angle */
  double lower, upper;    /* may be infinite; the coordinate must begin between them */
  int32_t motor;          /* talus_motor; HINGE, SLIDER, DISTANCE with limits */
  double rate;            /* rad/s or m/s; SERVO: at most this fast, 0 = as fast as it can */
  double effort;          /* N m or N, of the motor; default INFINITY */
  double target;          /* SERVO: rad or m */
  double response;        /* SERVO: s; the distance to the target falls by e in this time; default
                             0: one step, which only a motor of much effort can do without
                             swinging */
  double friction;        /* N m or N: dry friction; HINGE, SLIDER, DISTANCE with limits; default
                             0 */
  double restitution;     /* of the stops, 0 .. 1; default 0 */
  int32_t collide;        /* talus_joint_collide; default AUTO; one joint's "no" is enough */
  int32_t unused;         /* 0 */
} talus_joint_def;

TALUS_API void talus_joint_def_init(talus_joint_def *def, size_t size, talus_joint_kind kind);
static inline talus_joint_def talus_joint_def_default(talus_joint_kind kind) {
  talus_joint_def def;
  talus_joint_def_init(&def, sizeof def, kind);
  return def;
}
/* Statuses: STRUCT_SIZE, BAD_SETTING, UNSUPPORTED, IMMOVABLE_PAIR, NORMAL_LENGTH, NOT_FINITE,
 * INDEX_RANGE, OUT_OF_MEMORY. */
TALUS_API talus_status talus_joint_add(talus_world *world, const talus_joint_def *def,
                                       int32_t *joint);
TALUS_API talus_status talus_joint_remove(talus_world *world, int32_t joint);
/* New values for a motor that the joint was added with. */
TALUS_API talus_status talus_joint_drive(talus_world *world, int32_t joint, double rate,
                                         double target, double effort);

typedef struct talus_joint_state {
  uint32_t struct_size;    /* set by talus_joint_state_default */
  double coordinate, rate; /* rad or m, and per s */
  double impulse[3];       /* that the joint gave b in the last (sub-)step, N s, world frame ... */
  double moment[3];        /* ... and about its point, N m s; a had the opposite */
  double stop, motor, friction; /* along the coordinate, N s or N m s: shares of the above; the
                                   lower stop's is positive, the upper one's negative */
} talus_joint_state;

TALUS_API void talus_joint_state_init(talus_joint_state *state, size_t size);
static inline talus_joint_state talus_joint_state_default(void) {
  talus_joint_state state;
  talus_joint_state_init(&state, sizeof state);
  return state;
}
TALUS_API talus_status talus_joint_get(const talus_world *world, int32_t joint,
                                       talus_joint_state *state);
/* The coordinate alone; NaN if there is no such joint. */
TALUS_API double talus_joint_coordinate(const talus_world *world, int32_t joint);

/* ---- bonds ----------------------------------------------------------------------------------- */

/* What glues two bodies at a point, until it breaks: springs along and across the axis, about it
 * (twisting) and across it (bending), taken implicitly, so stable at any step. While it holds its
 * bodies do not touch each other; once broken it is gone for good and they do. Its loads are seen
 * at its point, midway between two like grains.
 *
 * By `young` it is a beam of circular section (Timoshenko): with A = pi r^2, I = pi r^4/4, J = 2 I,
 * G = E/(2 (1 + nu)) and kappa = 6 (1 + nu)/(7 + 6 nu) its stiffnesses are E A/L, 1/(L^3/(12 E I) +
 * L/(kappa G A)), E I/L and G J/L: a chain of bodies bends as the beam does. It breaks when the
 * largest stress in its section, N/A + M r/I or S/A + T r/J (Potyondy and Cundall 2004), passes a
 * strength, or a load its limit: all that do in a (sub-)step break at its end. */
typedef struct talus_bond_def {
  uint32_t struct_size;   /* set by talus_bond_def_default */
  int32_t body_a, body_b; /* TALUS_NONE = the world: then with an axis */
  int32_t unused;         /* 0 */
  double axis[3];         /* unit, world frame, from a to b; default 0 0 0: it sits where the shapes
                             of the two touch, along the normal there */
  double point[3];        /* world frame, read if there is an axis */
  double gap;             /* m: shapes touch below this gap; default 0: a hundredth of the smaller
                             size. INFINITY, with an axis: it may hold bodies far apart */
  double radius;          /* m, of the section; default 0: radius_ratio times the smaller size */
  double radius_ratio;    /* default 1; size: radius of the largest ball inside a shape */
  double length;          /* m; default 0: from the centre of a to the point and on to that of b, of
                             walls nothing */
  double young, poisson;  /* Pa; default 0: no beam; 0 .. 0.5, default 0.25 */
  /* instead of the beam's, or alone (0: free to move so) */
  double normal_stiffness, shear_stiffness;     /* N/m; default 0 */
  double bending_stiffness, twisting_stiffness; /* N m/rad; default 0 */
  double damping; /* s: dampers beside the springs, damping times their stiffness; default 0 */
  double tensile_strength, shear_strength; /* Pa; default INFINITY */
  double tensile_limit, shear_limit;       /* N; default INFINITY */
  double bending_limit, twisting_limit;    /* N m; default INFINITY */
} talus_bond_def;

TALUS_API void talus_bond_def_init(talus_bond_def *def, size_t size);
static inline talus_bond_def talus_bond_def_default(void) {
  talus_bond_def def;
  talus_bond_def_init(&def, sizeof def);
  return def;
}
/* bond may be NULL. Statuses: STRUCT_SIZE, BAD_SETTING (naming the member; or the bodies do not
 * touch, and how far apart they are), IMMOVABLE_PAIR, NORMAL_LENGTH, NOT_FINITE, INDEX_RANGE,
 * UNSUPPORTED (a periodic cell too small for its bodies), OUT_OF_MEMORY. */
TALUS_API talus_status talus_bond_add(talus_world *world, const talus_bond_def *def, int32_t *bond);
/* Bonds all pairs of `count` bodies that touch and are not bonded yet, as def says (its bodies,
 * axis and point are not read). body NULL: all bodies of the world, count is not read. added: how
 * many bonds; may be NULL. */
TALUS_API talus_status talus_bonds_add(talus_world *world, const talus_bond_def *def, int32_t count,
                                       const int32_t *body, int32_t *added);
/* Takes a bond away, unbroken. The bonds of a body that is removed go with it. Statuses:
 * INDEX_RANGE. */
TALUS_API talus_status talus_bond_remove(talus_world *world, int32_t bond);

typedef struct talus_bond {
  int32_t id, body_a, body_b; /* TALUS_NONE = the world */
  int32_t unused;
  double point[3], axis[3]; /* where it is now; axis from a to b */
  double radius;            /* m */
  double normal, shear;     /* N: loads of the last (sub-)step; tension > 0 */
  double bending, twisting; /* N m */
  double load;              /* the largest share of a strength or limit; it breaks above 1 */
} talus_bond;

/* Bonds and their number; the array belongs to the world, valid until its next call. bonds may be
 * NULL. TALUS_NONE: no memory for the array. */
TALUS_API int32_t talus_world_bonds(const talus_world *world, const talus_bond **bonds);

typedef enum talus_bond_mode {
  TALUS_BOND_TENSION = 0, /* what has the larger share in the stress, or passed its limit */
  TALUS_BOND_BENDING = 1,
  TALUS_BOND_SHEAR = 2,
  TALUS_BOND_TWISTING = 3
} talus_bond_mode;

typedef struct talus_broken_bond {
  double time;     /* s: end of the (sub-)step */
  talus_bond bond; /* as it was in that step */
  int32_t mode;    /* talus_bond_mode */
  int32_t unused;
} talus_broken_bond;

/* Bonds that broke in the last step, in the order of their ids, and their number; as
 * talus_world_bonds. */
TALUS_API int32_t talus_world_broken(const talus_world *world, const talus_broken_bond **broken);

/* ---- contact callback ------------------------------------------------------------------------ */

/* Called before the contacts of a step are solved; may change friction or restitution, or drop a
 * contact by setting keep to 0. contact->impulse is what the same contact had in the last step, 0
 * if it is new. A step may call it more than once for a contact: when the step is cut, or when
 * contacts are found anew for what became faster than foreseen. */
typedef void (*talus_contact_fn)(void *user, const talus_contact *contact, double *friction,
                                 double *restitution, int *keep);
TALUS_API void talus_world_on_contact(talus_world *world, talus_contact_fn function, void *user);

/* ---- many bodies at once --------------------------------------------------------------------- */

/* Adds `count` bodies of one sphere each. position: [3 count], radius: [count], m. def (may be
 * NULL: the default) gives all of them type, velocity, spin, group and collides; its position is
 * not read. body: [count], receives the ids, which follow one another. All are added, or none.
 * Statuses: those of talus_body_add and talus_shape_add, the message naming the sphere;
 * SIZE_OVERFLOW (count). */
TALUS_API talus_status talus_spheres_add(talus_world *world, const talus_body_def *def,
                                         int32_t material, int32_t count, const double *position,
                                         const double *radius, int32_t *body);
/* The states of all bodies by id: state[id], [count], NaN where no body exists. count: at least
 * talus_body_capacity (SIZE_OVERFLOW). */
TALUS_API talus_status talus_bodies_get(const talus_world *world, int32_t count,
                                        talus_body_state *state);
/* Sets `count` bodies: body[i] to state[i]. Stops at the first that is refused; those before it are
 * set. Statuses: those of talus_body_set, SIZE_OVERFLOW. */
TALUS_API talus_status talus_bodies_set(talus_world *world, int32_t count, const int32_t *body,
                                        const talus_body_state *state);
/* talus_body_force for `count` bodies; force and torque: [3 count], either may be NULL. Stops at
 * the first that is refused. */
TALUS_API talus_status talus_bodies_force(talus_world *world, int32_t count, const int32_t *body,
                                          const double *force, const double *torque);
/* What bodies are, by id, [count] each, count as for talus_bodies_get; each may be NULL. type: a
 * talus_body_type, TALUS_NONE where no body exists; mass: kg, 0 of bodies that are not free;
 * radius: of the ball about the body's position that holds its shapes, m, INFINITY with a
 * half-space, 0 without shapes. */
TALUS_API talus_status talus_bodies_measure(const talus_world *world, int32_t count, int32_t *type,
                                            double *mass, double *radius);

/* Shapes ever added; ids run from 0 to this. */
TALUS_API int32_t talus_shape_capacity(const talus_world *world);
/* A shape as it is now. position and orientation are relative to those that talus_body_get gives
 * for its body. point and triangle belong to the world, valid until the body is removed; the points
 * of a hull are its corners. def comes from talus_shape_def_default, of any kind; body may be NULL.
 * Statuses: INDEX_RANGE (no such shape), STRUCT_SIZE. */
TALUS_API talus_status talus_shape_get(const talus_world *world, int32_t shape, int32_t *body,
                                       talus_shape_def *def);

#ifdef __cplusplus
}
#endif
#endif
