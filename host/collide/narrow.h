/* narrow.h: what the files of the narrow-phase share.
 *
 * A query is one pair of colliders, the kind of a not greater than that of b; `flipped` says that
 * the caller had them the other way round. Each function adds the points of one combination of
 * kinds; normals go from a to b as the query has them. */
#ifndef TL_NARROW_H
#define TL_NARROW_H

#include "host/collide/collide.h"

typedef struct tl_pair_query {
  const tl_collider *a, *b;
  int32_t index_a, index_b; /* as the caller had them */
  bool flipped;
  double margin;
  tl_contact_point_list *list;
} tl_pair_query;

/* Adds a point if its gap is below the margin. position: midway in the gap. */
talus_status tl_pair_query_add(const tl_pair_query *query, const double position[3],
                               const double normal[3], double gap, uint32_t feature);

/* The same from what most pairs know: a point on a's surface. */
talus_status tl_pair_query_add_from(const tl_pair_query *query, const double on_a[3],
                                    const double normal[3], double gap, uint32_t feature);

talus_status tl_narrow_sphere_sphere(const tl_pair_query *query);
talus_status tl_narrow_sphere_box(const tl_pair_query *query);
talus_status tl_narrow_sphere_capsule(const tl_pair_query *query);
talus_status tl_narrow_sphere_cylinder(const tl_pair_query *query);
talus_status tl_narrow_sphere_hull(const tl_pair_query *query);
talus_status tl_narrow_capsule_capsule(const tl_pair_query *query);
/* Any kind against a half-space. */
talus_status tl_narrow_halfspace(const tl_pair_query *query);
/* Box, capsule, cylinder, hull in any combination. */
talus_status tl_narrow_convex(const tl_pair_query *query);
talus_status tl_narrow_sphere_mesh(const tl_pair_query *query);
talus_status tl_narrow_convex_mesh(const tl_pair_query *query);

/* Closest points of the segments p0 p1 and q0 q1, as parameters from 0 to 1. */
void tl_closest_segments(const double p0[3], const double p1[3], const double q0[3],
                         const double q1[3], double *s, double *t);

/* Marks at most `most` of the points to keep: the one of smallest gap, and those farthest in eight
 * directions across the normal. Returns how many. */
int tl_narrow_spread(const double normal[3], const double (*point)[3], const double *gap, int count,
                     int most, unsigned char *keep);
/* Those directions. */
void tl_narrow_compass(const double normal[3], double direction[8][3]);

/* A number that names a combination of features; the same input gives the same name. */
static inline uint32_t tl_feature(uint32_t kind, uint32_t x, uint32_t y) {
  uint64_t h = ((uint64_t)x << 32 | y) * 0x9E3779B97F4A7C15u;
  h ^= (h >> 29) + (uint64_t)kind * 0xD1B54A32D192ED03u;
  h *= 0xBF58476D1CE4E5B9u;
  return (uint32_t)(h >> 32);
}

#endif
