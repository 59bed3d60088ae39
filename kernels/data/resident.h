/* resident.h: a world in a backend's memory: what the host hands over, and what it reads back after
 * a phase of a step. Bodies, shapes and materials are counted as in the world, without gaps.
 *
 * A world of balls, one to a free body, and half-spaces is plain: a pair has one contact point, on
 * the line of centres. In others (`general`) any shapes meet, in several points, with arms. */
#ifndef TL_DATA_RESIDENT_H
#define TL_DATA_RESIDENT_H

#include <stdint.h>

#include "kernels/data/contact_rule.h"

/* What a step changes of a body. */
typedef struct tl_body_motion {
  double position[3], orientation[4], velocity[3], spin[3];
  double carried[3]; /* N m s: of the last step's impulses, what the spin does not show yet */
} tl_body_motion;

/* What it reads. */
typedef struct tl_body_fact {
  double mass, inverse_mass;
  double inertia[6], inverse_inertia[6]; /* about the centre of mass */
  double force[3], torque[3];
  int32_t free;    /* forces and impulses move it */
  int32_t moves;   /* free or kinematic */
  int32_t round;   /* one ball about the centre of mass */
  int32_t shape;   /* plain worlds: that ball, of a free body */
  int32_t tumbles; /* its spin changes without a torque */
  int32_t unused;
} tl_body_fact;

typedef struct tl_shape_fact {
  int32_t body, material;
  int32_t halfspace, ball;
  int32_t movable; /* its body gives way to impulses */
  int32_t still;   /* it looks the same however its body is turned */
  int32_t group;
  uint32_t collides;   /* bit g: meets group g; both sides must agree */
  double radius, size; /* m; size: as slops count */
  double reach;        /* m: of its farthest point from its origin */
  double position[3];  /* in the body's frame, from its centre of mass */
  double rotation[9];
} tl_shape_fact;

struct tl_geometry; /* item/collide/geometry.h */

enum { TL_RESIDENT_PLANES = 1024 }; /* half-spaces of a world, at most */

/* Contacts, sorted by shapes, those of a pair as the narrow-phase finds them; columns: type, name,
 * components. */
#define TL_RESIDENT_LIST(X)                         \
  X(int32_t, shape_a, 1)                            \
  X(int32_t, shape_b, 1)                            \
  X(int32_t, body_a, 1)                             \
  X(int32_t, body_b, 1)                             \
  X(uint32_t, feature, 1)                           \
  X(int32_t, spherical, 1)                          \
  X(double, gap, 1)                                 \
  X(double, point, 3)                               \
  X(double, normal, 3)                              \
  X(double, impulse, 3)                             \
  X(double, friction, 1)                            \
  X(double, restitution, 1)                         \
  X(double, slop, 1)                                \
  X(double, bias, 1)                                \
  X(double, approach, 1)  /* u_n before the step */ \
  X(double, departure, 1) /* u_n after the step */  \
  X(double, stiffness, 1)                           \
  X(double, compliance, 2)                          \
  X(double, hold, 3) /* N: of the tangential spring */

typedef struct tl_resident_contacts {
  int32_t count;
#define TL_FIELD(type, name, components) type *name;
  TL_RESIDENT_LIST(TL_FIELD)
#undef TL_FIELD
} tl_resident_contacts;

typedef struct tl_resident_load {
  int32_t body_count, shape_count, material_count;
  const tl_body_motion *motion;
  const tl_body_fact *fact;
  const tl_shape_fact *shape;
  const double *inverse_mass, *inverse_inertia; /* [body_count] [6 body_count] of the problem */
  const double *friction, *restitution;         /* [material_count^2] of pairs */
  const tl_spring_material *spring;             /* [material_count] */
  const tl_resident_contacts *contacts;         /* of the step before */
  int32_t general;                              /* not plain */
  int32_t uneven;                               /* a free body is no ball */
  const struct tl_geometry *const *geometry;    /* [shape_count], general */
  double cell;                                  /* m: width of the grid in which pairs are sought */
} tl_resident_load;

/* What a caller has changed between steps. Slots of what was removed are those before, all others
 * those after; what was added stands at the end. */
typedef struct tl_resident_change {
  int32_t body_count, shape_count, material_count; /* after */
  int32_t removed_bodies, removed_shapes;
  const int32_t *removed_body, *removed_shape;  /* ascending */
  int32_t moved_count;                          /* bodies set or added */
  const int32_t *moved;                         /* [moved_count] */
  const tl_body_motion *motion;                 /* [moved_count] */
  int32_t fact_count;                           /* bodies with other mass or force, or added */
  const int32_t *fact_body;                     /* [fact_count] */
  const tl_body_fact *fact;                     /* [fact_count], as is ... */
  const double *inverse_mass, *inverse_inertia; /* ... [6 fact_count] */
  int32_t changed_shapes;                       /* the shapes of those bodies */
  const int32_t *changed_shape;                 /* [changed_shapes] */
  const tl_shape_fact *shape;                   /* [changed_shapes] */
  int32_t added_shapes;
  const struct tl_geometry *const *geometry; /* [shape_count], general */
  const double *friction, *restitution;      /* as in tl_resident_load; NULL: as before */
  const tl_spring_material *spring;
  int32_t rearranged; /* bodies or shapes were added or removed */
  int32_t uneven;
  double cell;
} tl_resident_change;

/* One step. */
typedef struct tl_resident_rule {
  tl_contact_rule contact;
  tl_scale_rule scale;
  double gravity[3];
  double margin; /* m: the least margin of a shape */
  double skin;   /* m: what shapes may move until pairs are sought anew */
  double penetration_limit;
  int32_t plane;    /* disks in the x-z plane */
  int32_t turning;  /* a wall turns */
  int32_t projects; /* what has sunk in is lifted by a projection */
} tl_resident_rule;

enum { TL_RESIDENT_CONTACT_SUMS = 10, TL_RESIDENT_BODY_SUMS = 9 };

/* What the host learns of a step. */
typedef struct tl_resident_record {
  int32_t contact_count; /* INT32_MAX: that, or more */
  int32_t left;          /* a shape has left the room for which pairs were sought before */
  int32_t skewed;        /* an arm is not along its normal, or a disk would leave its plane */
  int32_t crowded;       /* a pair has more contact points than there is room for */
  double change, free_count, speed; /* m/s, -, m/s: sums behind the velocity scale, and ... */
  double scale;                     /* ... that, for the device */
  uint64_t point_count;             /* general worlds: contact points of all pairs */
  uint64_t pair_count;              /* that were found, if pairs were sought */
  int32_t outgrown;                 /* there was no room for them: there are none */
  uint32_t large; /* shapes that are half-spaces or wider than the cells of the search */
  /* after touch; what follows, after advance and correct */
  int32_t fast; /* a body became faster than its margin allows */
  int32_t deep; /* a pair would become deeper than it may */
  int32_t sunk; /* something lies deeper than its slop allows */
  int32_t bad;  /* a body left the range of numbers */
  double contact[TL_RESIDENT_CONTACT_SUMS], body[TL_RESIDENT_BODY_SUMS]; /* item/balance.h */
} tl_resident_record;

#endif
