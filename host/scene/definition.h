/* definition.h: what a scene says, section by section, in SI. Filled by the parser from the tables
 * of schema.h; read by the builders. Every struct starts with a tl_item. */
#ifndef TL_SCENE_DEFINITION_H
#define TL_SCENE_DEFINITION_H

#include "host/scene/tree.h"
#include "talus/talus_mechanism.h"

typedef struct tl_item {
  const tl_node *node; /* NULL where the section is not in the file */
  const char *name;    /* key of a map item */
  uint64_t given;      /* bit i: row i of the table stands in the file */
} tl_item;

typedef struct tl_numbers {
  double *value;
  int32_t count; /* items of 1, 2 or 3 numbers */
} tl_numbers;

typedef struct tl_texts {
  const char **text;
  int32_t count;
} tl_texts;

typedef struct tl_list {
  void *item;
  int32_t count;
} tl_list;

typedef struct tl_scene_units {
  tl_item item;
  const char *base[4]; /* length, mass, time, angle */
} tl_scene_units;

typedef enum tl_overlap { TL_OVERLAP_REFUSE, TL_OVERLAP_RESOLVE, TL_OVERLAP_IGNORE } tl_overlap;

typedef struct tl_scene_world {
  tl_item item;
  double gravity[3], step, slop, margin, bias_cap, restitution_speed, tolerance, accept;
  double facet_angle, penetration_limit, velocity_scale, brick_size;
  int64_t substeps, seed, max_iterations, facets, certify;
  int32_t law, cone, facet_align, method, precision, integrator, stabilisation, restitution;
  int32_t plane, overlap, islands, on_miss, softness;
} tl_scene_world;

typedef struct tl_scene_material {
  tl_item item;
  double density, friction, restitution;
  double pull_off, surface_energy, surface_tension, contact_angle, bridge_volume;
  double stiffness, young, poisson;
  double rolling_friction, spinning_friction, rolling_fraction, spinning_fraction;
  double cross_friction, friction_direction[3];
  int32_t adhesion; /* talus_adhesion */
  int32_t rigid;
} tl_scene_material;

typedef struct tl_scene_pair {
  tl_item item;
  tl_texts between;
  double friction, restitution;
} tl_scene_pair;

typedef enum tl_shape_word {
  TL_SHAPE_SPHERE,
  TL_SHAPE_DISK,
  TL_SHAPE_BOX,
  TL_SHAPE_CAPSULE,
  TL_SHAPE_CYLINDER,
  TL_SHAPE_HULL,
  TL_SHAPE_POLYGON,
  TL_SHAPE_CLUMP
} tl_shape_word;

typedef struct tl_scene_shape {
  tl_item item;
  int32_t kind; /* tl_shape_word */
  double radius, length, size[3], thickness;
  tl_numbers points; /* vectors; polygon: x, z pairs */
  tl_numbers corners;
  int64_t sides;
  tl_list parts; /* tl_scene_part */
} tl_scene_shape;

typedef struct tl_scene_part {
  tl_item item;
  tl_scene_shape shape;
  double position[3], orientation[4];
  const char *material;
} tl_scene_part;

typedef struct tl_scene_motion {
  tl_item item;
  int32_t kind; /* talus_motion_kind */
  double vector[3], centre[3], frequency, phase, begin, end;
  tl_numbers time, offset;
} tl_scene_motion;

/* A kinematic body or wall that follows a force. */
typedef struct tl_scene_servo {
  tl_item item; /* node NULL: there is none */
  double force, pressure, axis[3], area, gain, speed;
  tl_texts across;
} tl_scene_servo;

typedef struct tl_scene_body {
  tl_item item;
  const char *name;
  int32_t type; /* talus_body_type */
  tl_scene_shape shape;
  double position[3], orientation[4], velocity[3], spin[3];
  const char *material;
  int64_t group;
  uint32_t collides;
  tl_list motions; /* tl_scene_motion */
  tl_scene_servo servo;
  double until;
} tl_scene_body;

typedef enum tl_wall_kind {
  TL_WALL_PLANE,
  TL_WALL_BOX,
  TL_WALL_SILO,
  TL_WALL_HOPPER,
  TL_WALL_WEDGE,
  TL_WALL_DRUM,
  TL_WALL_REVOLVED,
  TL_WALL_EXTRUDED,
  TL_WALL_MESH,
  TL_WALL_RING /* becomes planes when the file has been read */
} tl_wall_kind;

typedef enum tl_holes { TL_HOLES_TELL, TL_HOLES_ALLOW, TL_HOLES_REFUSE } tl_holes;

/* Faces of a box container. */
enum { TL_FACE_LEFT, TL_FACE_RIGHT, TL_FACE_FRONT, TL_FACE_BACK, TL_FACE_BOTTOM, TL_FACE_TOP };

typedef struct tl_scene_wall {
  tl_item item;
  int32_t kind; /* tl_wall_kind */
  const char *name, *material, *file;
  int32_t type; /* 0 fixed, 1 kinematic; with motions: kinematic */
  double position[3], orientation[4];
  int64_t group;
  uint32_t collides;
  tl_list motions;
  tl_scene_servo servo;
  double until;
  double normal[3], size[3], thickness, radius, height, length, opening, angle, scale;
  uint32_t faces;
  int32_t closed, flip;
  int32_t holes; /* tl_holes */
  int64_t segments, lifters, plates;
  double lifter;
  tl_numbers profile; /* pairs */
} tl_scene_wall;

typedef enum tl_region_kind {
  TL_REGION_BOX,
  TL_REGION_CYLINDER,
  TL_REGION_BALL,
  TL_REGION_ANNULUS,
  TL_REGION_CELL /* of measurements: all of the periodic cell */
} tl_region_kind;

typedef struct tl_scene_region {
  tl_item item;
  int32_t kind;
  double lower[3], upper[3]; /* box */
  double centre[3], radius;  /* cylinder, annulus: centre of the bottom; ball */
  double height, axis[3];    /* cylinder, annulus */
  double inner;              /* annulus: radius of its hole */
  tl_list without;           /* tl_scene_region: what is taken out of it */
} tl_scene_region;

typedef enum tl_size_kind {
  TL_SIZE_EQUAL,
  TL_SIZE_UNIFORM,
  TL_SIZE_NORMAL,
  TL_SIZE_LOGNORMAL,
  TL_SIZE_CLASSES
} tl_size_kind;

typedef struct tl_scene_sizes {
  tl_item item;
  int32_t kind;
  double low, high, mean, deviation;
  tl_numbers classes; /* pairs: factor, fraction */
  int32_t by_volume;
} tl_scene_sizes;

typedef enum tl_grains_kind {
  TL_GRAINS_LATTICE,
  TL_GRAINS_RANDOM,
  TL_GRAINS_SETTLED,
  TL_GRAINS_LAYERS,
  TL_GRAINS_PACKING
} tl_grains_kind;
typedef enum tl_arrangement {
  TL_ARRANGE_SC,
  TL_ARRANGE_FCC,
  TL_ARRANGE_HEX,
  TL_ARRANGE_BRICK,
  TL_ARRANGE_PYRAMID
} tl_arrangement;

/* One kind of grain: what grains, layers and inlets have in common. */
typedef struct tl_scene_grain {
  tl_item item;
  tl_scene_shape shape;
  tl_scene_sizes sizes;
  const char *material;
  int64_t group;
  uint32_t collides;
  int32_t turned; /* 0 as it is, 1 at random */
  int32_t fixed;  /* 1: they do not move */
  double velocity[3], spin[3];
} tl_scene_grain;

typedef struct tl_scene_layer {
  tl_item item;
  double height, fraction;
  int64_t count;
  const char *material;
  tl_scene_sizes sizes;
} tl_scene_layer;

typedef struct tl_scene_grains {
  tl_item item;
  int32_t kind;
  const char *name, *inside, *file;
  tl_scene_grain grain;
  tl_scene_region region;
  int64_t count;
  double counts[3], spacing[3], gap, jitter, fraction, fill;
  int32_t arrangement, across;
  tl_list layers; /* tl_scene_layer */
} tl_scene_grains;

typedef struct tl_scene_inlet {
  tl_item item;
  const char *name;
  tl_scene_grain grain;
  tl_scene_region region;
  double rate, begin, end;
  int64_t limit;
} tl_scene_inlet;

typedef struct tl_scene_outlet {
  tl_item item;
  const char *name;
  tl_scene_region region;
  int32_t where; /* 0 inside, 1 outside */
  double begin, end;
} tl_scene_outlet;

typedef struct tl_scene_joint {
  tl_item item;
  const char *name;
  int32_t kind; /* talus_joint_kind */
  const char *a, *b;
  double point[3], point_b[3], axis[3], limits[2];
  double rate, effort, target, response, friction, restitution;
  int32_t collide; /* talus_joint_collide */
} tl_scene_joint;

typedef struct tl_scene_bonds {
  tl_item item;
  const char *name;
  tl_texts bodies, grains, materials;
  double gap, time, point[3], axis[3], radius, radius_ratio, length, young, poisson;
  double stiffness[4];                   /* normal, shear, bending, twisting */
  double damping, strength[2], limit[4]; /* tensile, shear; and bending, twisting */
} tl_scene_bonds;

/* What moves a joint of a mechanism along its coordinate, and where it starts. */
typedef struct tl_scene_drive {
  tl_item item;
  const char *joint; /* of a robot file */
  int32_t kind;      /* 0 revolute, 1 prismatic */
  double start, limits[2], rate, target, effort, response;
  tl_numbers times, targets;
} tl_scene_drive;

typedef struct tl_scene_link {
  tl_item item;
  const char *name, *parent;
  int32_t kind; /* talus_link_kind */
  double position[3], orientation[4], axis[3], axis2[3];
  double mass, centre[3], inertia[3];
  double damping, friction;
  tl_scene_drive drive;
  double limits2[2], start2; /* universal: of the second angle */
  double rate2, target2;
  double swing, twist[2]; /* spherical */
  double rates[3];
  double velocity[3], spin[3]; /* free */
  tl_list shapes;              /* tl_scene_part */
  const char *material;
  int64_t group;
  uint32_t collides;
} tl_scene_link;

typedef struct tl_scene_loop {
  tl_item item;
  const char *a, *b;
  double point_a[3], point_b[3];
  tl_numbers directions, turns; /* vectors, in a's frame */
  double orientation[4];
} tl_scene_loop;

typedef struct tl_scene_mechanism {
  tl_item item;
  const char *name, *urdf, *material, *base;
  double position[3], orientation[4];
  int32_t floating, self_collide;
  tl_list links;  /* tl_scene_link */
  tl_list loops;  /* tl_scene_loop */
  tl_list drives; /* tl_scene_drive: of a robot file's joints */
} tl_scene_mechanism;

typedef struct tl_scene_force {
  tl_item item;
  const char *body;
  double force[3], torque[3], begin, end;
} tl_scene_force;

/* One measurement; which keys count depends on the kind (tl_measure_kind). */
typedef struct tl_scene_measure {
  tl_item item;
  int32_t kind;
  const char *name, *with;
  tl_scene_region region;
  uint32_t quantities; /* bits of tl_group; 0: all */
  int64_t rattlers, bins;
  int32_t along; /* tl_profile_along */
  double reach, point[3], normal[3];
  int32_t kernel; /* tl_kernel_kind */
  double width, spacing;
} tl_scene_measure;

typedef struct tl_scene_output {
  tl_item item;
  double every, checkpoint;
  int64_t keep, width, height;
  int32_t frames, contacts, pictures, movie, packing;
  int32_t colour; /* tl_field */
  double azimuth, elevation;
  tl_texts columns, track, forces;
  tl_scene_region region; /* of packing fraction and stress */
  tl_list measure;        /* tl_scene_measure */
} tl_scene_output;

typedef struct tl_scene_cell {
  tl_item item;
  uint32_t periodic; /* bits of x, y, z */
  double lower[3], upper[3];
  double rate[3], shear[3];
  uint32_t servo; /* bits of x, y, z, xy, xz, yz */
  double stress[3], shear_stress[3], rate_limit;
} tl_scene_cell;

/* What ends a stage: a column of scalars.csv above or below a value. */
typedef struct tl_scene_condition {
  tl_item item;
  const char *column;
  const tl_node *above, *below; /* in the column's unit, or NULL */
} tl_scene_condition;

typedef struct tl_scene_stage {
  tl_item item;
  const char *name;
  double time, hold, check;
  tl_list until; /* tl_scene_condition */
  int32_t late;  /* 0 continue, 1 stop */
  const tl_node *set;
} tl_scene_stage;

typedef struct tl_scene_run {
  tl_item item;
  double time;
  int64_t steps;
} tl_scene_run;

typedef struct tl_scene_definition {
  tl_item item;
  const char *title, *folder;
  tl_scene_units units;
  tl_scene_world world;
  tl_list materials, pairs, bodies, walls, grains, joints, bonds, forces, inlets, outlets,
      mechanisms;
  tl_list stages; /* tl_scene_stage */
  tl_scene_cell cell;
  tl_scene_output output;
  tl_scene_run run;
} tl_scene_definition;

#endif
