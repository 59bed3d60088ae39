/* collide.h: shapes placed in the world in, contact points out.
 *
 * Knows geometry only: neither time, mass, materials nor impulses. The world places colliders,
 * the broad-phase (broad.c) finds pairs whose boxes overlap, the narrow-phase (narrow*.c; one pair:
 * kernels/item/collide) finds the points at which a pair is closer than a margin. Everything is
 * deterministic: the result depends on the colliders and their order alone, not on threads. */
#ifndef TL_COLLIDE_H
#define TL_COLLIDE_H

#include <stdbool.h>

#include "host/base/base.h"
#include "host/math/pose.h"
#include "kernels/item/collide/query.h"
#include "talus/talus_world.h"

typedef struct tl_collider {
  const tl_geometry *geometry;
  tl_pose pose; /* of the shape, in the world */
  int32_t body, shape;
  bool movable; /* two immovable ones never meet */
  int32_t group;
  uint32_t collides; /* bit g: meets group g; both sides must agree */
  double margin;     /* contacts are wanted below this gap, counted from either side: the pair's
                        margin is the sum of both */
} tl_collider;

/* The collider's bounding box without margin; half-spaces and huge meshes may be infinite in
 * some directions (+-INFINITY). */
tl_box tl_collider_box(const tl_collider *collider);

/* ---- broad-phase ----------------------------------------------------------------------------- */

typedef struct tl_pair {
  int32_t a, b; /* colliders, a < b */
} tl_pair;

typedef struct tl_broad tl_broad;
talus_status tl_broad_create(talus_context *context, tl_broad **broad);
void tl_broad_destroy(tl_broad *broad); /* accepts NULL */
/* All pairs of colliders that may meet (groups, bodies, movable) and whose boxes, each enlarged by
 * its margin, overlap; sorted by (a, b), each once. The array belongs to the broad-phase, valid
 * until its next call. Linear in count for any mixture of sizes; memory grows and is kept. */
talus_status tl_broad_pairs(tl_broad *broad, const tl_collider *collider, int32_t count,
                            int32_t threads, const tl_pair **pairs, int64_t *pair_count);

/* ---- narrow-phase ---------------------------------------------------------------------------- */

/* A list that grows; one per thread. */
typedef struct tl_contact_point_list {
  talus_context *context; /* NULL: fixed room, for tests */
  tl_contact_point *point;
  int64_t count, capacity;
} tl_contact_point_list;
void tl_contact_points_release(tl_contact_point_list *list);

/* Appends the contact points of a pair closer than a->margin + b->margin. Faces give several points
 * (at most eight per pair of convex shapes, chosen for extent), so that boxes rest. */
talus_status tl_narrow_pair(const tl_collider *a, const tl_collider *b, int32_t index_a,
                            int32_t index_b, tl_contact_point_list *list);

/* All pairs, in order of the pairs whatever the number of threads. They stand in `points`, memory
 * of the caller's, who may use it for something else between calls, and releases it. */
typedef struct tl_narrow tl_narrow;
talus_status tl_narrow_create(talus_context *context, tl_buffer *points, tl_narrow **narrow);
void tl_narrow_destroy(tl_narrow *narrow); /* accepts NULL */
talus_status tl_narrow_pairs(tl_narrow *narrow, const tl_collider *collider, const tl_pair *pair,
                             int64_t pair_count, int32_t threads, const tl_contact_point **points,
                             int64_t *point_count);

/* ---- geometry: building and mass ------------------------------------------------------------- */

/* Copies and checks what a shape's definition gives. Statuses: BAD_SETTING (naming the field),
 * INDEX_RANGE, NOT_FINITE, OUT_OF_MEMORY; for hulls: fewer than four points not in a plane; for
 * meshes: zero-area faces (naming the triangle). closed (may be NULL): whether a mesh has no
 * holes. */
talus_status tl_geometry_create(talus_context *context, const talus_shape_def *def,
                                tl_geometry **geometry, int *closed);
void tl_geometry_destroy(talus_context *context, tl_geometry *geometry); /* accepts NULL */
/* The same in memory of the caller's; after an error there is nothing to release. */
talus_status tl_geometry_init(talus_context *context, const talus_shape_def *def,
                              tl_geometry *geometry, int *closed);
void tl_geometry_release(talus_context *context, tl_geometry *geometry);

/* Volume, centre and inertia per unit density about the centre (xx xy xz yy yz zz), in the shape's
 * frame; half-spaces and meshes that are not closed have volume 0. plane: per unit of thickness of
 * a disk or polygon in the x-z plane: the area and the polar moment stand in for volume and yy. */
typedef struct tl_mass_properties {
  double volume, centre[3], inertia[6];
} tl_mass_properties;
tl_mass_properties tl_geometry_mass(const tl_geometry *geometry, int plane);

/* A radius that stands for the shape's size in slops and margins: of the largest ball inside,
 * or INFINITY for half-spaces and meshes. */
double tl_geometry_size(const tl_geometry *geometry);

/* Largest distance of a point of the shape from the shape's origin; INFINITY for half-spaces. */
double tl_geometry_reach(const tl_geometry *geometry);

/* Overlap volume is not computed; what rays and pictures need: */
/* Distance along a ray (unit direction) to the shape in its own frame, or INFINITY; the outward
 * normal at the hit. */
double tl_geometry_ray(const tl_geometry *geometry, const double origin[3],
                       const double direction[3], double normal[3]);

#endif
